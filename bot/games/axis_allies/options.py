"""The options that the Axis & Allies commands share, and how what was typed is read."""

from collections.abc import Sequence
from typing import Any

import discord
from discord import app_commands

from bot.ui.limits import MAX_CHOICE, MAX_CHOICES
from bot.ui.modals import text_field
from sim.axis_allies.army import Army
from sim.axis_allies.odds.order_text import METHODS
from sim.axis_allies.odds.orders import Method
from sim.axis_allies.parse import EXAMPLE, MAX_TEXT, completions, parse_army
from sim.core.errors import RuleError

LONGEST_TYPED = MAX_TEXT - 10
"""Characters a player may type: swapping the sides needs a few more."""


_METHOD_NAMES: dict[Method, str] = {
    "score": "Lowest score first",
    "lives-first": "Battleship lives first, then lowest score",
    "smart": "Smart: lives, then the cheapest loss; keeps what is needed",
}
CASUALTIES = [app_commands.Choice(name=_METHOD_NAMES[method], value=method) for method in METHODS]

_NOBODY = frozenset({"", "0", "-", "none", "nothing", "nobody", "no one"})


def method_of(value: str) -> Method:
    """Return the method that a choice names; RuleError for what is none, as an older client may send."""
    for method in METHODS:
        if method == value:
            return method
    raise RuleError(f"Losses are chosen by one of these: {', '.join(METHODS)}.")


def army_or_nobody(text: str | None) -> Army:
    """Read an army that may have nobody: nothing typed, or a word for it. TextError as `parse_army`."""
    return Army() if text is None or text.strip().casefold() in _NOBODY else parse_army(text)


def offered(
    current: str, recent: list[str], saved: Sequence[app_commands.Choice[str]] = ()
) -> list[app_commands.Choice[str]]:
    """Return what to offer while a player types: the last word completed, saved armies, battles of before that fit."""
    typed = current.casefold().strip()
    before = [text for text in recent if typed in text.casefold()]
    texts = [[text for text in found if 0 < len(text) <= MAX_CHOICE] for found in (completions(current), before)]
    words, sent = ([app_commands.Choice(name=text, value=text) for text in found] for found in texts)
    # By their values: what was sent may be what is saved.
    choices: dict[str | int | float, app_commands.Choice[str]] = {}
    for choice in (*words, *saved, *sent):
        choices.setdefault(choice.value, choice)
    return list(choices.values())[:MAX_CHOICES]


def battle_field(battle: str) -> discord.ui.Label[Any]:
    """Return a form's field for a battle."""
    hint = f"attacker vs defender, as in: {EXAMPLE}"
    return text_field("battle", "Battle", battle, most=MAX_TEXT, hint=hint, long=True)
