"""Saved rosters: their kinds, who may use and change which, and how a player names one."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rapidfuzz import fuzz, process

from bot.battles.permissions import is_referee
from bot.client import Client, Interaction, NameTakenError
from bot.store.rosters import Roster, RosterRepository
from bot.ui.interactions import caller_of
from bot.ui.text import MAX_CHOICES, did_you_mean, shorten
from sim.core.errors import RuleError
from sim.core.names import LIKE_ENOUGH, name_key
from sim.workers import Job

_MAX_DIGITS = 18

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class RosterKind(Generic[R]):
    """A kind of roster, registered by the cog of its game.

    `name`: stored in the database, lower-case letters. `title`: such as "Marked for Death roster". `extension`: of its
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


class RosterLibrary:
    """The saved rosters that a user may use, and their kinds."""

    def __init__(self, bot: Client) -> None:
        self._rosters = bot.services[RosterRepository]
        self._kinds: dict[str, RosterKind[Any]] = {}

    def add_kind(self, kind: RosterKind[Any]) -> None:
        """Let rosters of a kind be saved; NameTakenError if there already is one of this name."""
        if kind.name in self._kinds:
            raise NameTakenError(_name(kind.name))
        self._kinds[kind.name] = kind

    @property
    def names(self) -> list[str]:
        """What is taken, as a sentence has it."""
        return list(map(_name, self._kinds))

    @property
    def kinds(self) -> Sequence[RosterKind[Any]]:
        """Every kind, in the order registered."""
        return tuple(self._kinds.values())

    def find_kind(self, typed: str) -> RosterKind[Any]:
        """Return the kind of this name or title; RuleError when there is none."""
        key = name_key(typed)
        for kind in self._kinds.values():
            if key in {kind.name, name_key(kind.title)}:
                return kind
        raise RuleError(f"There is no such kind of roster. There are {', '.join(self._kinds)}.")

    def title(self, roster: Roster) -> str:
        """Return the title of a roster's kind, or its stored name where this version doesn't know the kind."""
        return self._kinds[roster.kind].title if roster.kind in self._kinds else roster.kind

    def extension(self, roster: Roster) -> str:
        """Return how the name of a roster's file ends."""
        return self._kinds[roster.kind].extension if roster.kind in self._kinds else "txt"

    async def summarize(self, interaction: Interaction, kind: str, data: bytes) -> str:
        """Read a content in the simulator and sum it up; RuleError with all that is wrong."""
        known = self.find_kind(kind)
        return known.summarize(await interaction.client.simulator.run(known.check(data), caller_of(interaction)))

    async def list_usable(self, interaction: Interaction, kind: str | None = None) -> list[Roster]:
        """Return the user's own rosters, then what others share with this server."""
        own = await self._rosters.own(interaction.user.id, kind)
        if interaction.guild_id is None:
            return own
        shared = await self._rosters.shared(interaction.guild_id, kind)
        return [*own, *(roster for roster in shared if roster.owner_id != interaction.user.id)]

    async def find(self, interaction: Interaction, typed: str, kind: str | None = None) -> Roster:
        """Return the roster that an option names: by `#id`, as autocomplete gives it, or by name; own ones come first.

        RuleError when there is none that the user may use, or several of that name.
        """
        usable = await self.list_usable(interaction, kind)
        if (roster_id := _id_of(typed)) is not None:
            found = [roster for roster in usable if roster.id == roster_id]
        else:
            found = [roster for roster in usable if name_key(roster.name) == name_key(typed)]
            found = [roster for roster in found if roster.owner_id == interaction.user.id] or found
        if len(found) == 1:
            return found[0]
        name = shorten(typed, 80)
        if found:
            raise RuleError(f"There are {len(found)} rosters named {name}; please choose one from the list.")
        hint = did_you_mean(typed, (roster.name for roster in usable))
        raise RuleError(f"There is no saved roster {name} that you can use here.{hint}")

    async def find_own(self, interaction: Interaction, typed: str, verb: str) -> Roster:
        """Return the user's own roster that an option names; RuleError for somebody else's, naming the `verb`."""
        roster = await self.find(interaction, typed)
        if roster.owner_id != interaction.user.id:
            raise RuleError(f"Only its owner can {verb} {roster.name}.")
        return roster

    async def find_deletable(self, interaction: Interaction, typed: str) -> Roster:
        """Return the roster that an option names; RuleError unless it is the user's, or they are a referee here."""
        roster = await self.find(interaction, typed)
        if roster.owner_id != interaction.user.id and not is_referee(interaction):
            raise RuleError(f"Only its owner, or somebody who may manage messages, can delete {roster.name}.")
        return roster

    async def labels(self, interaction: Interaction, typed: str, kind: str | None) -> list[tuple[Roster, str]]:
        """Return the usable rosters that `typed` may mean, each with a label that tells it from the others."""
        usable = await self.list_usable(interaction, kind)
        return [(roster, self._label(interaction, roster, usable, kind)) for roster in matching(usable, typed)]

    def _label(self, interaction: Interaction, roster: Roster, usable: Sequence[Roster], kind: str | None) -> str:
        label = roster.name if kind is not None else f"{roster.name}, {self.title(roster)}"
        if roster.owner_id == interaction.user.id:
            return label
        key = (roster.kind, name_key(roster.name))
        unique = sum((other.kind, name_key(other.name)) == key for other in usable) == 1
        return f"{label} (shared here)" if unique else f"{label} (shared here, #{roster.id})"


def _name(kind: str) -> str:
    return f"a kind of roster {kind!r}"


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
    digits = typed.strip().removeprefix("#")
    numbered = typed.strip().startswith("#") and digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_DIGITS
    return int(digits) if numbered else None
