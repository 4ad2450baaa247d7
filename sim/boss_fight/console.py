"""Boss fights in a terminal: `boss-exchange`."""

import argparse
from fractions import Fraction
from pathlib import Path

from sim.boss_fight.exact import digits
from sim.boss_fight.exchange_json import MAX_TEXT, read_exchange
from sim.boss_fight.reports import ExchangeReport
from sim.boss_fight.transcript import transcript
from sim.core.console import add_json, read_file
from sim.core.errors import RuleError


def add_exchange(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `boss-exchange`."""
    command.add_argument(
        "file", type=Path, metavar="FILE.json", help='{"boss": …, "tokens": [{"element", "traits"}, …]}'
    )
    add_json(command)
    command.set_defaults(command=_exchange)


def _exchange(arguments: argparse.Namespace) -> None:
    try:
        text = read_file(arguments.file, MAX_TEXT).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RuleError(f"{arguments.file.name} is not UTF-8: byte {error.start + 1} is none.") from None
    report = read_exchange(text).run()
    print(_figures_json(report) if arguments.json else transcript(report), end="")


def _figures_json(report: ExchangeReport) -> str:
    """Return the figures as a JSON object with every digit, which `json` would round."""
    figures: dict[str, Fraction | int] = {
        "player_hp": report.player_health,
        "physical_damage_to_boss": report.to_boss.physical,
        "magical_damage_to_boss": report.to_boss.magical,
        "damage_to_boss": report.to_boss.total,
        "boss_hp_left": report.boss_left,
        "stacked_physical": report.stacked_physical,
        "stacked_magical": report.stacked_magical,
        "stacked_element": report.stacked_element,
        "damage_to_player": report.to_player.total,
        "player_hp_left": report.player_left,
    }
    lines = ",\n".join(f' "{name}": {digits(Fraction(value))}' for name, value in figures.items())
    return f"{{\n{lines}\n}}\n"
