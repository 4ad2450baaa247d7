"""Saved armies: their kind, and how a battle's text names one, as in `saved:fleet vs 10 inf`."""

import re
from collections.abc import Iterable

from discord import app_commands

from bot.client import Interaction
from bot.games.axis_allies.options import LONGEST_TYPED, UnitNames, word_choices
from bot.games.axis_allies.render.roster import armies_text
from bot.rosters.library import RosterKind, RosterLibrary, matching
from bot.store.rosters import Roster, RosterRepository
from bot.ui.limits import MAX_CHOICE, MAX_CHOICES
from bot.ui.text import shortened, utf16_length
from bot.ui.transformers import RecentText, text_choices
from sim.axis_allies.check import CheckRequest, text_of
from sim.axis_allies.parse import VERSUS, is_battle
from sim.core.errors import RuleError

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


async def resolved(interaction: Interaction, text: str) -> str:
    """Return the text with each saved army in place of its name; RuleError for one that can't be used here."""
    parts, end = [], 0
    for found in _REFERENCE.finditer(text):
        roster = await interaction.client.services[RosterLibrary].find(
            interaction, found["quoted"] or found["word"] or "", KIND.name
        )
        parts += [text[end : found.start()], await _content(interaction, roster)]
        end = found.end()
    whole = "".join([*parts, text[end:]])
    if parts and len(whole) > LONGEST_TYPED:
        raise RuleError(
            f"With the saved armies the text has {len(whole)} characters; at most {LONGEST_TYPED} are read."
        )
    return whole


async def resolved_or_none(interaction: Interaction, text: str | None) -> str | None:
    """Return the same for an option that may be left out."""
    return None if text is None else await resolved(interaction, text)


class BattleText(RecentText):
    """A battle: its last word is completed, and saved armies and the player's last battles are offered."""

    def __init__(self, *kinds: str) -> None:
        super().__init__(*kinds, limit=LONGEST_TYPED)

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Offer the battles that this may become."""
        recent = [text for text in await self.recent(interaction, typed) if 0 < len(text) <= MAX_CHOICE]
        saved = await _saved_choices(interaction, typed, battles=True)
        return _unique((*word_choices(typed), *saved, *text_choices(recent)))


class ArmyText(UnitNames):
    """An army: its last word is completed, and saved armies are offered."""

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Offer the armies that this may become."""
        return _unique((*word_choices(typed), *await _saved_choices(interaction, typed, battles=False)))


def _unique(choices: Iterable[app_commands.Choice[str]]) -> list[app_commands.Choice[str]]:
    """Return the first choice of each value: a recent battle may be a saved one."""
    by_value: dict[str | int | float, app_commands.Choice[str]] = {}
    for choice in choices:
        by_value.setdefault(choice.value, choice)
    return list(by_value.values())


async def _saved_choices(interaction: Interaction, typed: str, *, battles: bool) -> list[app_commands.Choice[str]]:
    """Return the saved armies that fit, behind what stands before the last `vs`; `battles`: whole battles, too."""
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
            label = shortened(f"{head}💾 {roster.name}: {army}", MAX_CHOICE)
            choices.append(app_commands.Choice(name=label, value=value))
    return choices


async def _content(interaction: Interaction, roster: Roster) -> str:
    return text_of(await interaction.client.services[RosterRepository].read(roster))


def _reference(roster: Roster, *, own: bool) -> str:
    return f"saved:{roster.name}" if own and _PLAIN.fullmatch(roster.name) else f"saved:#{roster.id}"
