"""Arguments that several commands of Axis & Allies have in the terminal."""

import argparse
from collections.abc import Mapping

from sim.axis_allies.army import MAX_COUNT
from sim.axis_allies.average import MAX_ROUNDS
from sim.axis_allies.casualties import Casualties
from sim.axis_allies.parse import METHODS, parse_casualties
from sim.axis_allies.withdrawal import Withdrawal
from sim.core.console import whole_number
from sim.core.values import Side

ROUND_COUNT = whole_number(1, MAX_ROUNDS)
_UNIT_COUNT = whole_number(1, MAX_COUNT)
_IPC = whole_number(0, 1_000_000_000)


def add_armies(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Add both armies."""
    parser.add_argument("-a", "--attacker", required=required, metavar="ARMY", help='such as "6 tanks, 2 inf"')
    parser.add_argument("-d", "--defender", required=required, metavar="ARMY", help='such as "10 inf"')


def add_losses(parser: argparse.ArgumentParser, *flags: str, more: tuple[str, ...] = ()) -> None:
    """Add how losses are chosen; `flags`: other names of `--casualties`, `more`: methods that only the terminal has."""
    choices = f'{", ".join([*METHODS, *more])}, or an order such as "inf, tank, bb-life"'
    default = "(default: as the edition does)"
    parser.add_argument("--casualties", *flags, metavar="METHOD", help=f"how losses are chosen: {choices} {default}")
    for side in Side:
        parser.add_argument(f"--{side}-casualties", metavar="METHOD", help=f"the same for the {side} alone")


def texts_of_losses(arguments: argparse.Namespace) -> dict[str, str]:
    """Return what was given by `add_losses`, by the names of a question's fields, of which `casualties` has both."""
    names = ("casualties", *(f"{side}_casualties" for side in Side))
    return {name: text for name in names if (text := getattr(arguments, name)) is not None}


def losses(texts: Mapping[str, str]) -> dict[str, Casualties]:
    """Read them; TextError with every mistake and its place."""
    return {name: parse_casualties(text) for name, text in texts.items()}


def add_terms(parser: argparse.ArgumentParser) -> None:
    """Add the round limit and when the attacker retreats."""
    parser.add_argument("--stop-after", type=ROUND_COUNT, metavar="N", help="stop undecided after N rounds")
    parser.add_argument("--retreat-below", type=_UNIT_COUNT, metavar="N", help="retreat with fewer than N attackers")
    parser.add_argument("--retreat-ipc-lost", type=_IPC, metavar="X", help="retreat after losing more than X IPC")
    parser.add_argument("--retreat-only-air", action="store_true", help="retreat with nothing but planes left")
    parser.add_argument("--retreat-last-land", action="store_true", help="retreat with one land unit left")
    parser.add_argument(
        *("--retreat-defenders-below", "--strafe-below"),
        type=_UNIT_COUNT,
        metavar="N",
        help="retreat with fewer than N defenders left",
    )


def withdrawal(arguments: argparse.Namespace) -> Withdrawal:
    """Return when the attacker retreats, by `add_terms`."""
    return Withdrawal(
        below=arguments.retreat_below,
        ipc_lost=arguments.retreat_ipc_lost,
        only_air=arguments.retreat_only_air,
        last_land=arguments.retreat_last_land,
        defenders_below=arguments.retreat_defenders_below,
    )


def add_must_take(parser: argparse.ArgumentParser) -> None:
    """Add that the attacker wants the territory."""
    parser.add_argument(
        *("--must-take", "--take-territory"),
        action="store_true",
        help="the attacker needs a land unit left to win, and loses the last one last",
    )
