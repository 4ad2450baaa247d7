"""Options of the commands: casualty methods, army texts, saved armies in them such as `saved:fleet vs 10 inf`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from discord import app_commands

from bot.client import Interaction
from bot.games.axis_allies.editions import Known, chosen_edition, default_edition, typed_edition
from bot.games.axis_allies.render import armies_text
from bot.rosters.library import RosterKind, RosterLibrary, matching
from bot.store.rosters import Roster, RosterRepository
from bot.ui.options import CompletedOption, RecentText, text_choices
from bot.ui.text import MAX_CHOICE, MAX_CHOICES, shorten, utf16_length
from sim.axis_allies.casualties import Method
from sim.axis_allies.editions import DEFAULT
from sim.axis_allies.parse import (
    MAX_TEXT,
    METHODS,
    VERSUS,
    completions,
    decode_text,
    fitting_edition,
    is_battle,
    named_edition,
    without_edition,
)
from sim.axis_allies.requests import CheckRequest
from sim.core.errors import RuleError

MAX_TYPED = MAX_TEXT - 20
"""Maximum characters of a typed army; swapping the sides and naming the edition adds a few."""

METHOD_NAMES = {
    "score": "Lowest score first",
    "lives-first": "Damage two-hit ships first, then lowest score",
    "smart": "Smart: the order that wins most often",
    "thrifty": "Thrifty: the order with the best IPC swing",
}


async def _name_edition(interaction: Interaction, content: bytes) -> bytes:
    """Return an army that names its edition, so that it stays of it; one of 1941 needn't."""
    text = content.decode("utf-8-sig", errors="replace")
    if len(text) > MAX_TYPED or named_edition(text):
        return content
    edition = fitting_edition(text, (await default_edition(interaction)).edition)
    return content if edition == DEFAULT else f"{edition}: {text}".encode()


KIND = RosterKind(
    name="aa",
    title="Axis & Allies army",
    extension="txt",
    check=lambda content: CheckRequest(content=content),
    summarize=armies_text,
    complete=_name_edition,
)

_REFERENCE = re.compile(r'(?<!\S)saved:(?:"(?P<quoted>[^"]*)"|(?P<word>[^\s,;&+>()"]+))', re.IGNORECASE)
_VERSUS = re.compile(
    rf"(?<!\S)(?:{'|'.join(sorted(map(re.escape, VERSUS), key=len, reverse=True))})(?!\S)\s*", re.IGNORECASE
)
_PLAIN = re.compile(r"[^\W_]+")


def parse_method(value: str | None) -> Method | None:
    """Return the method of a choice, None for the edition's; RuleError for an unknown one of an old client."""
    if value is None:
        return None
    for method in METHODS:
        if method == value:
            return method
    raise RuleError(f"Choose losses by one of these: {', '.join(METHODS)}.")


class UnitNames(CompletedOption):
    """An option for units or an army; completes the last word."""

    def __init__(self) -> None:
        super().__init__(MAX_TYPED)

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Return the completions of the last word."""
        return await completion_choices(interaction, typed)


async def completion_choices(interaction: Interaction, typed: str) -> Sequence[app_commands.Choice[str]]:
    """Return the typed text with its last word completed by the units of its edition."""
    edition = await typed_edition(interaction, typed)
    return text_choices(text for text in completions(typed, edition) if 0 < len(text) <= MAX_CHOICE)


async def read_armies(interaction: Interaction, edition: str | None, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a question about armies: its texts, with saved armies written out, and its edition.

    `edition`: the option, which wins over what the texts name. RuleError for what can't be used here.
    """
    chosen = chosen_edition(edition)
    saved: dict[str, str | None] = {}
    typed = {name: await _expand_saved_armies(interaction, text, saved) for name, text in texts.items()}
    own = next(filter(None, saved.values()), None)
    fields = {"saved": {name: named or DEFAULT for name, named in saved.items()}}
    if chosen is not None:
        typed = {name: without_edition(text) for name, text in typed.items()}
        return {**typed, **fields, "edition": chosen, "source": "said"}
    known = await default_edition(interaction) if own is None else Known(own, "saved")
    return {**typed, **fields, "edition": known.edition, "source": known.source}


async def _expand_saved_armies(interaction: Interaction, text: str, saved: dict[str, str | None]) -> str:
    """Replace each reference to a saved army with its text; RuleError for one that can't be used here.

    `saved` gets the edition of each by its name, None if its text names none.
    """
    parts, end = [], 0
    for found in _REFERENCE.finditer(text):
        roster = await interaction.client.services[RosterLibrary].find(
            interaction, found["quoted"] or found["word"] or "", KIND.name
        )
        content = await _content(interaction, roster)
        saved[roster.name] = named_edition(content)
        parts += [text[end : found.start()], without_edition(content)]
        end = found.end()
    whole = "".join([*parts, text[end:]])
    if parts and len(whole) > MAX_TYPED:
        raise RuleError(f"With the saved armies, the text has {len(whole):,} characters; {MAX_TYPED:,} is the most.")
    return whole


class BattleText(RecentText):
    """An option for a battle; completes the last word, saved armies and the player's recent battles."""

    def __init__(self, *kinds: str) -> None:
        super().__init__(*kinds, limit=MAX_TYPED)

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Return completions, saved armies and recent battles that match."""
        recent = [text for text in await self.recent(interaction, typed) if 0 < len(text) <= MAX_CHOICE]
        saved = await _saved_choices(interaction, typed, battles=True)
        return _unique((*await completion_choices(interaction, typed), *saved, *text_choices(recent)))


class ArmyText(UnitNames):
    """An option for an army; completes the last word and saved armies."""

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Return completions and saved armies that match."""
        saved = await _saved_choices(interaction, typed, battles=False)
        return _unique((*await completion_choices(interaction, typed), *saved))


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
        if utf16_length(value) > MAX_CHOICE or (head and named_edition(army)):
            value = head + _reference(roster, own=roster.owner_id == interaction.user.id)
        if utf16_length(value) <= MAX_CHOICE:
            label = shorten(f"{head}💾 {roster.name}: {army}", MAX_CHOICE)
            choices.append(app_commands.Choice(name=label, value=value))
    return choices


async def _content(interaction: Interaction, roster: Roster) -> str:
    return decode_text(await interaction.client.services[RosterRepository].read(roster))


def _reference(roster: Roster, *, own: bool) -> str:
    return f"saved:{roster.name}" if own and _PLAIN.fullmatch(roster.name) else f"saved:#{roster.id}"
