"""Which edition a question is about, `/aa edition`, and the table of defaults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bot.battles.permissions import is_referee
from bot.client import Interaction
from bot.store.database import Connection, Repository
from bot.store.personal_data import PersonalTable
from bot.ui.text import plain
from sim.axis_allies.editions import DEFAULT, EDITIONS, edition_named
from sim.axis_allies.parse import named_edition
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
    """The edition of a question whose text names none, and whence it is known; no source for nobody's."""

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
    """Return the line that names the edition of an answer, and whence it is known unless the player said it."""
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
