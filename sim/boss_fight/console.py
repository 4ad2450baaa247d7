"""Boss fights in a terminal: `boss-exchange`."""

import argparse
from fractions import Fraction
from pathlib import Path

from sim.boss_fight.exact import digits
from sim.boss_fight.exchange_json import MAX_TEXT, read_exchange
from sim.boss_fight.known_bosses import KNOWN_BOSSES, known_boss
from sim.boss_fight.reports import ExchangeReport
from sim.boss_fight.requests import DeckRequest, ExchangeRequest
from sim.boss_fight.transcript import transcript
from sim.core.console import add_json, read_file
from sim.core.errors import RuleError
from sim.csv.table import quote

_BOSSES = ", ".join(boss.name for boss in KNOWN_BOSSES)


def add_exchange(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `boss-exchange`."""
    command.add_argument(
        "deck",
        metavar="DECK",
        help='the tokens as text, such as "hero: V, Epic @Fire", or a file such as FILE.json with '
        '{"boss": …, "tokens": [{"element", "traits"}, …]}',
    )
    command.add_argument("--boss", metavar="NAME", help=f"who fights them: {_BOSSES}; needed with a text")
    add_json(command)
    command.set_defaults(command=_exchange)


def _exchange(arguments: argparse.Namespace) -> None:
    boss = None if arguments.boss is None else known_boss(arguments.boss)
    if boss is None and arguments.boss is not None:
        raise RuleError(f"There is no boss called {quote(arguments.boss)}; there are {_BOSSES}.")
    if _is_file(arguments.deck):
        request = read_exchange(_text_of(Path(arguments.deck)))
        request = request if boss is None else request.model_copy(update={"boss": boss})
    else:
        deck = DeckRequest(text=arguments.deck).run()
        if boss is None:
            raise RuleError(f"Say with --boss who fights this deck: {_BOSSES}.")
        request = ExchangeRequest(boss=boss, deck=deck)
    report = request.run()
    print(_figures_json(report) if arguments.json else transcript(report), end="")


def _is_file(text: str) -> bool:
    try:
        return bool(text) and (text.casefold().endswith(".json") or Path(text).exists())
    except OSError:  # too long to be a name
        return False


def _text_of(file: Path) -> str:
    try:
        return read_file(file, MAX_TEXT).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RuleError(f"{file.name} is not UTF-8: byte {error.start + 1} is none.") from None


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
