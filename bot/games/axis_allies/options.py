"""Options of the commands: casualty methods, army texts, saved armies in them such as `saved:fleet vs 10 inf`."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import discord
from discord import app_commands

from bot.client import Interaction
from bot.games.axis_allies.render import armies_text
from bot.rosters.library import RosterKind, RosterLibrary, matching
from bot.store.rosters import Roster, RosterRepository
from bot.ui.limits import MAX_CHOICE, MAX_CHOICES
from bot.ui.modals import text_field
from bot.ui.options import CompletedOption, RecentText, text_choices
from bot.ui.text import shorten, utf16_length
from sim.axis_allies.army import Army
from sim.axis_allies.casualties import Method
from sim.axis_allies.parse import EXAMPLE, MAX_TEXT, METHODS, VERSUS, completions, decode_text, is_battle, parse_army
from sim.axis_allies.requests import CheckRequest
from sim.core.errors import RuleError

MAX_TYPED = MAX_TEXT - 10
"""Maximum characters of a typed army; swapping the sides adds a few."""

_METHOD_NAMES: dict[Method, str] = {
    "score": "Lowest score first",
    "lives-first": "Damage battleships first, then lowest score",
    "smart": "Smart: damage battleships, then the cheapest loss; keeps what it needs",
}
CASUALTIES = [app_commands.Choice(name=_METHOD_NAMES[method], value=method) for method in METHODS]

KIND = RosterKind(
    name="aa",
    title="Axis & Allies army",
    extension="txt",
    check=lambda content: CheckRequest(content=content),
    summarize=armies_text,
)

_REFERENCE = re.compile(r'(?<!\S)saved:(?:"(?P<quoted>[^"]*)"|(?P<word>[^\s,;&+>()"]+))', re.IGNORECASE)
_VERSUS = re.compile(
    rf"(?<!\S)(?:{'|'.join(sorted(map(re.escape, VERSUS), key=len, reverse=True))})(?!\S)\s*", re.IGNORECASE
)
_PLAIN = re.compile(r"[^\W_]+")

_NOBODY = frozenset({"", "0", "-", "none", "nothing", "nobody", "no one"})


def parse_method(value: str) -> Method:
    """Return the method of a choice; RuleError for an unknown one, which an old client may send."""
    for method in METHODS:
        if method == value:
            return method
    raise RuleError(f"Choose losses by one of these: {', '.join(METHODS)}.")


def parse_optional_army(text: str | None) -> Army:
    """Read an army that may be empty: no text, or a word for nobody. TextError as in `parse_army`."""
    return Army() if text is None or text.strip().casefold() in _NOBODY else parse_army(text)


class UnitNames(CompletedOption):
    """An option for units or an army; completes the last word."""

    def __init__(self) -> None:
        super().__init__(MAX_TYPED)

    async def complete(self, _interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Return the completions of the last word."""
        return completion_choices(typed)


def completion_choices(typed: str) -> Sequence[app_commands.Choice[str]]:
    """Return the typed text with its last word completed."""
    return text_choices(text for text in completions(typed) if 0 < len(text) <= MAX_CHOICE)


def battle_field(battle: str) -> discord.ui.Label[Any]:
    """Return the form field of a battle."""
    hint = f"attacker vs defender, such as: {EXAMPLE}"
    return text_field("battle", "Battle", battle, max_length=MAX_TEXT, hint=hint, long=True)


async def expand_saved_armies(interaction: Interaction, text: str) -> str:
    """Replace each reference to a saved army with its text; RuleError for one that can't be used here."""
    parts, end = [], 0
    for found in _REFERENCE.finditer(text):
        roster = await interaction.client.services[RosterLibrary].find(
            interaction, found["quoted"] or found["word"] or "", KIND.name
        )
        parts += [text[end : found.start()], await _content(interaction, roster)]
        end = found.end()
    whole = "".join([*parts, text[end:]])
    if parts and len(whole) > MAX_TYPED:
        raise RuleError(f"With the saved armies, the text has {len(whole)} characters; {MAX_TYPED} is the most.")
    return whole


async def expand_optional(interaction: Interaction, text: str | None) -> str | None:
    """Do the same for an optional text."""
    return None if text is None else await expand_saved_armies(interaction, text)


class BattleText(RecentText):
    """An option for a battle; completes the last word, saved armies and the player's recent battles."""

    def __init__(self, *kinds: str) -> None:
        super().__init__(*kinds, limit=MAX_TYPED)

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Return completions, saved armies and recent battles that match."""
        recent = [text for text in await self.recent(interaction, typed) if 0 < len(text) <= MAX_CHOICE]
        saved = await _saved_choices(interaction, typed, battles=True)
        return _unique((*completion_choices(typed), *saved, *text_choices(recent)))


class ArmyText(UnitNames):
    """An option for an army; completes the last word and saved armies."""

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Return completions and saved armies that match."""
        return _unique((*completion_choices(typed), *await _saved_choices(interaction, typed, battles=False)))


def _unique(choices: Iterable[app_commands.Choice[str]]) -> list[app_commands.Choice[str]]:
    """Remove duplicate values: a recent battle may be a saved one."""
    by_value: dict[str | int | float, app_commands.Choice[str]] = {}
    for choice in choices:
        by_value.setdefault(choice.value, choice)
    return list(by_value.values())


async def _saved_choices(interaction: Interaction, typed: str, *, battles: bool) -> list[app_commands.Choice[str]]:
    """Return the saved armies that match the text after the last `vs`; `battles`: saved battles, too."""
    cut = max((found.end() for found in _VERSUS.finditer(typed)), default=0) if battles else 0
    head, name = typed[:cut], typed[cut:].removeprefix("saved:")
    usable = await interaction.client.services[RosterLibrary].list_usable(interaction, KIND.name)
    choices = []
    for roster in matching(usable, name)[:MAX_CHOICES]:
        army = await _content(interaction, roster)
        if is_battle(army) and (head or not battles):
            continue
        value = head + army
        if utf16_length(value) > MAX_CHOICE:
            value = head + _reference(roster, own=roster.owner_id == interaction.user.id)
        if utf16_length(value) <= MAX_CHOICE:
            label = shorten(f"{head}💾 {roster.name}: {army}", MAX_CHOICE)
            choices.append(app_commands.Choice(name=label, value=value))
    return choices


async def _content(interaction: Interaction, roster: Roster) -> str:
    return decode_text(await interaction.client.services[RosterRepository].read(roster))


def _reference(roster: Roster, *, own: bool) -> str:
    return f"saved:{roster.name}" if own and _PLAIN.fullmatch(roster.name) else f"saved:#{roster.id}"
