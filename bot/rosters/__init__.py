"""Rosters that players saved: their kinds, who may use and change which, and how a command takes one.

Armies, decks, fighters: whatever a kind of roster is; as a file, or by the name under which it was saved.
"""

import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import discord
from discord import app_commands
from rapidfuzz import fuzz, process

from bot.battles.panel import is_referee
from bot.client import Asker, Client, Interaction, Named
from bot.rosters.sheets import MAX_LINK, SheetReader, is_link
from bot.store.database import Connection, Database, Parameters, Repository, Statements
from bot.store.queries import UploadRepository
from bot.ui import MAX_CHOICE, MAX_CHOICES, none_called, shorten
from bot.ui.interactions import caller_of
from bot.ui.options import CompletedBy, Upload, read_attachment, text_choices
from sim.core import RuleError
from sim.core.names import LIKE_ENOUGH, name_key, normalize_name
from sim.core.staged_job import Job

MAX_ROSTERS = 50
"""Rosters of one person, of all kinds together."""

MAX_SAVED_BYTES = 4 * 1024 * 1024
"""Bytes of one person's rosters together, older versions too."""

KEPT_VERSIONS = 20
"""Versions of a roster; older ones are dropped."""

MAX_TYPED = 100
"""Characters of an option or a field that names a roster."""

_GONE = "This roster is no longer kept."

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a roster: `number` from 1, `size` in bytes, `created_at` in Unix seconds."""

    number: int
    sha256: str
    size: int
    created_at: int


@dataclass(frozen=True, slots=True)
class Roster:
    """A saved roster and its newest version; `guild_id` is the server that may use it, None: its owner alone may."""

    id: int
    owner_id: int
    kind: str
    name: str
    guild_id: int | None
    newest: Version


_SELECT = (
    "SELECT id, owner_id, kind, name, guild_id, version, sha256, length(data) AS size, created_at"
    " FROM rosters JOIN roster_versions ON roster_id = id JOIN uploads USING (sha256)"
)
_OF_ROSTER, _OF_VERSION = slice(5), slice(5, None)
_NEWEST = "version = (SELECT max(version) FROM roster_versions WHERE roster_id = id)"
_DROP_OLDER = (
    "DELETE FROM roster_versions WHERE roster_id = ?1 AND version <="
    " (SELECT max(version) FROM roster_versions WHERE roster_id = ?1) - ?2"
)
_SIZE_OF_ALL = (
    "SELECT coalesce(sum(length(data)), 0) FROM uploads WHERE sha256 IN"
    " (SELECT sha256 FROM rosters JOIN roster_versions ON roster_id = id WHERE owner_id = ?)"
)


class RosterRepository(Repository):
    """The saved rosters; `clock` returns Unix seconds. Callers check the permissions."""

    def __init__(self, db: Database, uploads: UploadRepository, clock: Callable[[], float] = time.time) -> None:
        super().__init__(db, clock)
        self._uploads = uploads

    async def save(self, owner_id: int, kind: str, name: str, data: bytes) -> tuple[Roster, Version | None]:
        """Save a roster under a name, or a new version of the one that has it; the same content makes no version.

        Return it with the version that was the newest before, None for a new roster. RuleError for a name that is none,
        and for what is too large or too much.
        """
        name = normalize_name(name)
        sha256 = self._uploads.keep(data)

        async def write(conn: Connection) -> tuple[Roster, Version | None]:
            which = "WHERE owner_id = ? AND kind = ? AND name_key = ?"
            before = next(iter(await _fetch(conn, which, [owner_id, kind, name_key(name)])), None)
            if before is not None and before.newest.sha256 == sha256:
                return before, before.newest
            roster_id = before.id if before is not None else await _insert(conn, owner_id, kind, name)
            await self._uploads.write(conn, [sha256])
            version = 1 if before is None else before.newest.number + 1
            await conn.add("roster_versions", roster_id=roster_id, version=version, sha256=sha256, created_at=self._now)
            await conn.execute(_DROP_OLDER, [roster_id, KEPT_VERSIONS])
            if (await conn.fetch_value(int, _SIZE_OF_ALL, [owner_id]) or 0) > MAX_SAVED_BYTES:
                most = f"{MAX_SAVED_BYTES // 1024 // 1024} MiB"
                raise RuleError(f"Your rosters would take more than {most} together; delete one with /roster delete.")
            (roster,) = await _fetch(conn, "WHERE id = ?", [roster_id])
            return roster, None if before is None else before.newest

        saved = await self._db.write(write)
        self._uploads.release([sha256])
        return saved

    async def get(self, roster_id: int) -> Roster | None:
        """Return a roster, or None if there is none, or none any more."""
        return next(iter(await _fetch(self._db, "WHERE id = ?", [roster_id])), None)

    async def own(self, owner_id: int, kind: str | None = None) -> list[Roster]:
        """Return a person's rosters, of one kind or of all, by name."""
        return await _fetch(self._db, "WHERE owner_id = ?1 AND kind = coalesce(?2, kind)", [owner_id, kind])

    async def shared(self, guild_id: int, kind: str | None = None) -> list[Roster]:
        """Return the rosters that a server may use, of one kind or of all, by name."""
        return await _fetch(self._db, "WHERE guild_id = ?1 AND kind = coalesce(?2, kind)", [guild_id, kind])

    async def versions(self, roster_id: int) -> list[Version]:
        """Return the versions that are kept, the newest first."""
        rows = await self._db.fetch_all(f"{_SELECT} WHERE id = ? ORDER BY version DESC", [roster_id])
        return [Version(*row[_OF_VERSION]) for row in rows]

    async def read(self, roster: Roster, number: int | None = None) -> bytes:
        """Return the content of the newest version or of an older one; RuleError when it isn't kept (any more)."""
        data = await self._db.fetch_value(
            bytes,
            "SELECT data FROM roster_versions JOIN uploads USING (sha256) WHERE roster_id = ? AND version = ?",
            [roster.id, roster.newest.number if number is None else number],
        )
        if data is None:
            raise RuleError(_GONE if number is None else f"Version {number} of this roster isn't kept.")
        return data

    async def share(self, roster_id: int, guild_id: int | None) -> None:
        """Let a server use a roster, or with None only its owner."""
        await self._db.change("rosters", {"id": roster_id}, guild_id=guild_id)

    async def delete(self, roster_id: int) -> None:
        """Delete a roster with all its versions."""
        await self._db.drop("rosters", id=roster_id)


async def _fetch(source: Statements, which: str, parameters: Parameters) -> list[Roster]:
    rows = await source.fetch_all(f"{_SELECT} {which} AND {_NEWEST} ORDER BY name_key, id", parameters)
    return [Roster(*[*row[_OF_ROSTER], Version(*row[_OF_VERSION])]) for row in rows]


async def _insert(conn: Connection, owner_id: int, kind: str, name: str) -> int:
    count = await conn.fetch_value(int, "SELECT count(*) FROM rosters WHERE owner_id = ?", [owner_id])
    if (count or 0) >= MAX_ROSTERS:
        raise RuleError(f"You have {MAX_ROSTERS} saved rosters, which is the most; delete one with /roster delete.")
    return await conn.numbered("rosters", owner_id=owner_id, kind=kind, name=name, name_key=name_key(name))


@dataclass(frozen=True, slots=True)
class RosterKind(Generic[R]):
    """A kind of roster, registered by the cog of its game.

    `name`: stored in the database, lower-case letters. `title`: such as "Pig roster". `extension`: of its
    files, such as "csv". `check`: makes the job that reads a content; it raises RuleError with all that is wrong, and
    returns a report. `summarize`: sums the report up in a few lines of markdown. `complete`: adds to a content what
    it leaves to its player's settings, before it is saved.
    """

    name: str
    title: str
    extension: str
    check: Callable[[bytes], Job[R]]
    summarize: Callable[[R], str]
    complete: Callable[[Interaction, bytes], Awaitable[bytes]] | None = None


class RosterLibrary(Named[RosterKind[Any]]):
    """The saved rosters that a user may use, and their kinds."""

    sort = "a kind of roster"

    def __init__(self, bot: Client) -> None:
        super().__init__()
        self._rosters = bot.services[RosterRepository]

    def add_kind(self, kind: RosterKind[Any]) -> None:
        """Let rosters of a kind be saved; NameTakenError if there already is one of this name."""
        self[kind.name] = kind

    def find_kind(self, typed: str) -> RosterKind[Any]:
        """Return the kind of this name or title; RuleError when there is none."""
        kinds = {key: kind for kind in self.values() for key in (kind.name, name_key(kind.title))}
        if (kind := kinds.get(name_key(typed))) is None:
            raise RuleError(f"There is no such kind of roster. Choose one of {', '.join(self)}.")
        return kind

    def title(self, roster: Roster) -> str:
        """Return the title of a roster's kind, or its stored name where this version doesn't know the kind."""
        return self[roster.kind].title if roster.kind in self else roster.kind

    async def summarize(self, interaction: Interaction, kind: str, data: bytes) -> str:
        """Read a content in the simulator and sum it up; RuleError with all that is wrong."""
        known = self.find_kind(kind)
        return known.summarize(await interaction.client.simulator.run(known.check(data), caller_of(interaction)))

    async def list_usable(self, asker: Asker, kind: str | None = None) -> list[Roster]:
        """Return the user's own rosters, then what others share with this server."""
        own = await self._rosters.own(asker.user.id, kind)
        if asker.guild_id is None:
            return own
        shared = await self._rosters.shared(asker.guild_id, kind)
        return [*own, *(roster for roster in shared if roster.owner_id != asker.user.id)]

    async def find(self, asker: Asker, typed: str, kind: str | None = None) -> Roster:
        """Return the roster that an option names: by `#id`, as autocomplete gives it, or by name; own ones come first.

        RuleError when there is none that the user may use, or several of that name.
        """
        usable = await self.list_usable(asker, kind)
        if (roster_id := _id_of(typed)) is not None:
            found = [roster for roster in usable if roster.id == roster_id]
        else:
            found = [roster for roster in usable if name_key(roster.name) == name_key(typed)]
            found = [roster for roster in found if roster.owner_id == asker.user.id] or found
        if len(found) == 1:
            return found[0]
        if found:
            name = shorten(typed, 80)
            raise RuleError(f"There are {len(found)} rosters named {name}; please choose one from the list.")
        raise RuleError(none_called("saved roster", typed, (roster.name for roster in usable)))

    async def find_deletable(self, interaction: Interaction, typed: str) -> Roster:
        """Return the roster that an option names; RuleError unless it is the user's, or they are a referee here."""
        roster = await self.find(interaction, typed)
        if roster.owner_id != interaction.user.id and not is_referee(interaction):
            raise RuleError(f"Only its owner or a mod can delete {roster.name}.")
        return roster


def matching(rosters: Sequence[Roster], typed: str) -> list[Roster]:
    """Return the rosters that `typed` may mean: those with it in the name, then those with a similar name."""
    if (roster_id := _id_of(typed)) is not None:
        return [roster for roster in rosters if roster.id == roster_id]
    key = name_key(typed)
    containing = [roster for roster in rosters if key in name_key(roster.name)]
    others = [roster for roster in rosters if roster not in containing]
    similar = process.extract(
        key,
        [name_key(roster.name) for roster in others],
        scorer=fuzz.WRatio,
        limit=MAX_CHOICES,
        score_cutoff=LIKE_ENOUGH,
    )
    return [*containing, *(others[at] for _, _, at in similar)]


def _id_of(typed: str) -> int | None:
    """Return the id in `#id`; None for anything else."""
    found = re.fullmatch("#([0-9]{1,18})", typed.strip())
    return None if found is None else int(found[1])


async def saved_choices(interaction: Interaction, typed: str, kind: str | None) -> Sequence[app_commands.Choice[str]]:
    """Return choices for the rosters that `typed` may mean, own ones and those shared here, by `#id`."""
    library = interaction.client.services[RosterLibrary]
    usable = await library.list_usable(interaction, kind)
    alike = Counter((each.kind, name_key(each.name)) for each in usable)
    choices = []
    for roster in matching(usable, typed):
        label = roster.name if kind is not None else f"{roster.name}, {library.title(roster)}"
        if roster.owner_id != interaction.user.id:
            unique = alike[roster.kind, name_key(roster.name)] == 1
            label += " (shared here)" if unique else f" (shared here, #{roster.id})"
        choices.append(app_commands.Choice(name=shorten(label, MAX_CHOICE), value=f"#{roster.id}"))
    return choices


def saved_roster(kind: str | None = None) -> CompletedBy:
    """Return what takes a saved roster, by `#id` or by its name; of a certain kind also a sheet's link."""
    return CompletedBy(MAX_TYPED if kind is None else MAX_LINK, partial(saved_choices, kind=kind))


async def own_names(interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    """Offer the names under which a roster would get a new version."""
    own = await interaction.client.services[RosterRepository].own(interaction.user.id)
    return text_choices(roster.name for roster in matching(own, typed))


async def kind_titles(interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    """Offer the kinds of rosters by their titles."""
    key = name_key(typed)
    return [
        app_commands.Choice(name=kind.title, value=kind.name)
        for kind in interaction.client.services[RosterLibrary].values()
        if key in name_key(kind.title) or key in kind.name
    ]


async def roster_content(
    interaction: Interaction,
    kind: str,
    attachment: discord.Attachment | None,
    saved: str | None,
    option: str = "roster",
) -> Upload:
    """Return the roster of a kind that a player gave: the file in `option`, or in `<option>_saved` a saved one.

    A published sheet's link takes the place of a saved one. Defer first: it may take a while. RuleError when neither or
    both were given, or the roster can't be read.
    """
    if attachment is not None and saved is not None:
        raise RuleError(f"For {option}, give a file or a saved roster, not both.")
    if attachment is not None:
        return await read_attachment(attachment)
    if saved is None:
        raise RuleError(f"For {option}, attach a file or name a saved roster.")
    if is_link(saved):
        return await interaction.client.services[SheetReader].read(saved)
    roster = await interaction.client.services[RosterLibrary].find(interaction, saved, kind)
    return Upload(roster.name, await interaction.client.services[RosterRepository].read(roster))
