"""Options of the commands: casualty methods, army texts with saved armies such as `saved:fleet vs 10 inf`, editions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from discord import app_commands

from bot.battles.permissions import is_referee
from bot.client import Interaction
from bot.games.axis_allies.render import armies_text
from bot.rosters.library import RosterKind, RosterLibrary, matching
from bot.store.database import Connection, Repository
from bot.store.personal_data import PersonalTable
from bot.store.rosters import Roster, RosterRepository
from bot.ui.options import CompletedOption, RecentText, text_choices
from bot.ui.text import MAX_CHOICE, MAX_CHOICES, plain, shorten, utf16_length
from sim.axis_allies.casualties import Method
from sim.axis_allies.editions import DEFAULT, EDITIONS, edition_named
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

EDITION_TABLE = PersonalTable(
    table="aa_editions",
    user_column="user_id",
    guild_column="guild_id",
    label=("edition", "editions"),
    kept="of Axis & Allies that you play; until you change it",
    deleted=("default edition", "default editions"),
    exported={"edition": "edition"},
)

Owner = Literal["user", "guild"]
"""Whose default edition it is."""


class EditionRepository(Repository):
    """The default editions, by the id of their owner."""

    async def get(self, owner: Owner, owner_id: int) -> str | None:
        """Return the name of the default edition, None if there is none."""
        row = await self._db.fetch_one(f"SELECT edition FROM aa_editions WHERE {owner}_id = ?", [owner_id])  # noqa: S608  # one of two constant columns
        return None if row is None else str(row["edition"])

    async def put(self, owner: Owner, owner_id: int, edition: str | None) -> None:
        """Set the default edition, or remove it with None."""

        async def write(conn: Connection) -> None:
            await conn.execute(f"DELETE FROM aa_editions WHERE {owner}_id = ?", [owner_id])  # noqa: S608  # as above
            if edition is not None:
                await conn.execute(
                    f"INSERT INTO aa_editions ({owner}_id, edition) VALUES (?, ?)",  # noqa: S608  # as above
                    [owner_id, edition],
                )

        await self._db.write(write)


CHOICES = {edition.name: edition.title for edition in EDITIONS.values()}

NONE = "none"
"""The choice that removes a default."""

CHOICES_OR_NONE = CHOICES | {NONE: "No default"}

Source = Literal["user", "guild", "saved"]
"""Whose edition it is: the player's default, the server's, or that of a saved army."""

_SOURCES: Mapping[Source | None, str] = {
    "user": "your default",
    "guild": "this server's default",
    "saved": "as saved",
    None: "default (`/aa edition`)",
}


@dataclass(frozen=True, slots=True)
class Known:
    """The edition of a question whose text names none, and where that is known from; no source for nobody's."""

    edition: str = DEFAULT
    source: Source | None = None


async def default_edition(interaction: Interaction) -> Known:
    """Return the player's default edition, else the server's, else 1941."""
    editions = interaction.client.services[EditionRepository]
    own = await editions.get("user", interaction.user.id)
    if own in EDITIONS:
        return Known(own, "user")
    shared = None if interaction.guild_id is None else await editions.get("guild", interaction.guild_id)
    return Known(shared, "guild") if shared in EDITIONS else Known()


def chosen_edition(value: str | None) -> str | None:
    """Return the edition that an option names; RuleError for an unknown one, which an old client may send."""
    return None if value is None else edition_named(value).name


async def typed_edition(interaction: Interaction, text: str) -> str:
    """Return the edition of what is being typed: the text's, else the option's, else the default."""
    chosen = getattr(interaction.namespace, "edition", None)
    named = named_edition(text) or (chosen if chosen in EDITIONS else None)
    return named or (await default_edition(interaction)).edition


def edition_line(edition: str, source: Source | Literal["said"] | None) -> str:
    """Return the line that names the edition of an answer, and where that is known from unless the player said it."""
    whence = "" if source == "said" else f" · {_SOURCES[source]}"
    return f"-# 📖 {EDITIONS[edition].title}{whence}"


def saved_notes(saved: Mapping[str, str], edition: str) -> list[str]:
    """Return a sentence for each saved army that is of another edition."""
    return [
        f"the saved army {plain(name)} is of {EDITIONS[own].title}; here it fights by {EDITIONS[edition].title}"
        for name, own in saved.items()
        if own in EDITIONS and own != edition
    ]


async def set_edition(interaction: Interaction, edition: str | None, *, server: bool) -> str:
    """Set or remove a default edition if one is given; return which ones there are as markdown.

    `server`: the server's, which only a referee may set. RuleError for anybody else, and in direct messages.
    """
    editions = interaction.client.services[EditionRepository]
    if server and interaction.guild_id is None:
        raise RuleError("Only a server has a default of its own; use this in one.")
    if edition is not None:
        if server and not is_referee(interaction):
            raise RuleError("Only somebody who may manage messages can set this server's edition.")
        name = None if edition == NONE else chosen_edition(edition)
        if server and interaction.guild_id is not None:
            await editions.put("guild", interaction.guild_id, name)
        else:
            await editions.put("user", interaction.user.id, name)
    return await _defaults_text(interaction, editions)


async def _defaults_text(interaction: Interaction, editions: EditionRepository) -> str:
    own = await editions.get("user", interaction.user.id)
    known = await default_edition(interaction)
    lines = [f"### 📖 You play {EDITIONS[known.edition].title}", f"Your default: {_title(own)}"]
    if interaction.guild_id is not None:
        lines.append(f"This server's default: {_title(await editions.get('guild', interaction.guild_id))}")
    lines.append("-# Yours goes first, then the server's, then 1941. An option or a text may name another: `1942: …`")
    return "\n".join(lines)


def _title(edition: str | None) -> str:
    return f"**{EDITIONS[edition].title}**" if edition in EDITIONS else "none"


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
