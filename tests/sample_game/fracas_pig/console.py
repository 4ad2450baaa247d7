"""Pig in a terminal: `pig`, `pig-odds`."""

import argparse

from fracas_pig.odds import bust_chance
from fracas_pig.rules import SEATS, Hold, Pig, Roll, Setup
from sim.core.console import add_seed, outcome_line, whole_number
from sim.core.dice import seed_bytes
from sim.core.replay import Session


def _add_hold_at(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hold-at", type=whole_number(1, 100), default=20, metavar="N", help="points (default: 20)")


def pig(parser: argparse.ArgumentParser) -> None:
    """Play a game against yourself."""
    _add_hold_at(parser)
    add_seed(parser, "decides the dice")
    arguments = parser.parse_args()
    game = Session(Pig(), Setup(), seed_bytes(arguments.seed))
    while game.outcome is None:
        action = Hold() if game.state.pot >= arguments.hold_at else Roll()
        print(*game.act(action, SEATS[game.state.player]), sep="\n")
    print(outcome_line(game.outcome))


def odds(parser: argparse.ArgumentParser) -> None:
    """Print the chance to lose a turn."""
    _add_hold_at(parser)
    arguments = parser.parse_args()
    print(f"{float(bust_chance(arguments.hold_at)):.1%}")
