"""The options that the Axis & Allies commands share, and how what was typed is read."""

from collections.abc import Iterable, Sequence
from typing import Any

import discord
from discord import app_commands

from bot.client import Interaction
from bot.ui.limits import MAX_CHOICE
from bot.ui.modals import text_field
from bot.ui.transformers import CompletedOption, text_choices
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


class UnitNames(CompletedOption):
    """Units or an army: the last word is completed."""

    def __init__(self) -> None:
        super().__init__(LONGEST_TYPED)

    async def complete(self, _interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Offer the units that the last word may mean."""
        return word_choices(typed)


def word_choices(typed: str) -> Sequence[app_commands.Choice[str]]:
    """Return what was typed with its last word completed."""
    return text_choices(text for text in completions(typed) if 0 < len(text) <= MAX_CHOICE)


def battle_field(battle: str) -> discord.ui.Label[Any]:
    """Return a form's field for a battle."""
    hint = f"attacker vs defender, as in: {EXAMPLE}"
    return text_field("battle", "Battle", battle, max_length=MAX_TEXT, hint=hint, long=True)
