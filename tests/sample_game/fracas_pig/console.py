"""Pig in a terminal: `pig`, `pig-odds`."""

import argparse

from fracas_pig.odds import bust_chance
from fracas_pig.rules import SEATS, Hold, Pig, Roll, Setup
from sim.core.console import add_seed, outcome_line, whole_number
from sim.core.dice import seed_bytes
from sim.core.replay import Session


def add_pig(pig: argparse.ArgumentParser) -> None:
    """Add the arguments of `pig`."""
    _add_hold_at(pig)
    add_seed(pig, "decides the dice")
    pig.set_defaults(command=_pig)


def add_odds(odds: argparse.ArgumentParser) -> None:
    """Add the arguments of `pig-odds`."""
    _add_hold_at(odds)
    odds.set_defaults(command=_odds)


def _add_hold_at(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hold-at", type=whole_number(1, 100), default=20, metavar="N", help="points (default: 20)")


def _pig(arguments: argparse.Namespace) -> None:
    game = Session(Pig(), Setup(), seed_bytes(arguments.seed))
    while game.outcome is None:
        action = Hold() if game.state.pot >= arguments.hold_at else Roll()
        print(*game.act(action, SEATS[game.state.player]), sep="\n")
    print(outcome_line(game.outcome))


def _odds(arguments: argparse.Namespace) -> None:
    print(f"{float(bust_chance(arguments.hold_at)):.1%}")
