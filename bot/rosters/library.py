"""Saved rosters as players meet them: which kinds there are, who may use which, how one is named in an option."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from discord import app_commands
from rapidfuzz import fuzz, process

from bot.battles.permissions import is_referee
from bot.client import Client, Interaction
from bot.services import NameTakenError
from bot.store.names import name_key
from bot.store.rosters import Roster, RosterRepository
from bot.ui.interactions import caller_of
from bot.ui.text import plain, shortened
from sim.core.errors import RuleError
from sim.workers import Job

MOST_TYPED = 100
"""Characters of an option that names a roster."""

_MOST_CHOICES = 25
_NEAR_ENOUGH = 60  # of rapidfuzz's 100
_MOST_DIGITS = 18

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class RosterKind(Generic[R]):
    """A kind of roster, registered by the cog of its system.

    `name`: kept in the database, lower-case letters. `title`: such as "Marked for Death roster". `extension`: of its
    files, such as "csv". `check`: makes the job that reads a content; it raises RuleError with all that is wrong, and
    returns a report. `tell`: sums the report up in a few lines of markdown.
    """

    name: str
    title: str
    extension: str
    check: Callable[[bytes], Job[R]]
    tell: Callable[[R], str]


class RosterLibrary:
    """The saved rosters with their kinds. `store` keeps them; what is asked here is asked by somebody."""

    def __init__(self, bot: Client) -> None:
        self.store = bot.services[RosterRepository]
        self._kinds: dict[str, RosterKind[Any]] = {}

    def add_kind(self, kind: RosterKind[Any]) -> None:
        """Let rosters of a kind be saved; NameTakenError if there already is one."""
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

    def kind(self, typed: str) -> RosterKind[Any]:
        """Return the kind of this name or title; RuleError when there is none."""
        key = name_key(typed)
        for kind in self._kinds.values():
            if key in {kind.name, name_key(kind.title)}:
                return kind
        raise RuleError(f"There is no such kind of roster. There are {', '.join(one.name for one in self.kinds)}.")

    def title(self, roster: Roster) -> str:
        """Return what a roster is, even where this version of the bot doesn't know its kind."""
        return self._kinds[roster.kind].title if roster.kind in self._kinds else roster.kind

    def extension(self, roster: Roster) -> str:
        """Return how its file's name ends."""
        return self._kinds[roster.kind].extension if roster.kind in self._kinds else "txt"

    async def summary(self, interaction: Interaction, kind: str, data: bytes) -> str:
        """Read a content in the simulator and sum it up; RuleError with all that is wrong."""
        known = self.kind(kind)
        return known.tell(await interaction.client.simulator.run(known.check(data), caller_of(interaction)))

    async def usable(self, interaction: Interaction, kind: str | None = None) -> list[Roster]:
        """Return the asker's own rosters, then what others share with this server."""
        own = await self.store.own(interaction.user.id, kind)
        if interaction.guild_id is None:
            return own
        shared = await self.store.shared(interaction.guild_id, kind)
        return [*own, *(one for one in shared if one.owner_id != interaction.user.id)]

    async def find(self, interaction: Interaction, typed: str, kind: str | None = None) -> Roster:
        """Return the roster that an option names: `#id`, as autocomplete gives it, or a name; own ones come first.

        RuleError when there is none that the asker may use, or several of that name.
        """
        usable = await self.usable(interaction, kind)
        number = _number(typed)
        if number is not None:
            found = [one for one in usable if one.id == number]
        else:
            found = [one for one in usable if name_key(one.name) == name_key(typed)]
            found = [one for one in found if one.owner_id == interaction.user.id] or found
        if len(found) == 1:
            return found[0]
        name = plain(typed)
        if found:
            raise RuleError(f"There are {len(found)} rosters named {name}; please choose one from the list.")
        raise RuleError(f"There is no saved roster {name} that you can use here.{_hint(typed, usable)}")

    async def own(self, interaction: Interaction, typed: str, doing: str) -> Roster:
        """Return the asker's own roster that an option names; RuleError for somebody else's, which can't be `doing`."""
        roster = await self.find(interaction, typed)
        if roster.owner_id != interaction.user.id:
            raise RuleError(f"Only its owner can {doing} {plain(roster.name)}.")
        return roster

    async def deletable(self, interaction: Interaction, typed: str) -> Roster:
        """Return the roster that an option names, the asker's own or, for a referee, one shared here; RuleError."""
        roster = await self.find(interaction, typed)
        if roster.owner_id != interaction.user.id and not is_referee(interaction):
            raise RuleError(f"Only its owner, or somebody who may manage messages, can delete {plain(roster.name)}.")
        return roster

    async def offered(
        self, interaction: Interaction, current: str, kind: str | None = None
    ) -> list[app_commands.Choice[str]]:
        """Return what to offer while a player types the name of a roster."""
        usable = await self.usable(interaction, kind)
        labels = {one.id: self._label(interaction, one, usable, kind) for one in usable}
        return [
            app_commands.Choice(name=shortened(labels[one.id], MOST_TYPED), value=f"#{one.id}")
            for one in fitting(usable, current)[:_MOST_CHOICES]
        ]

    def _label(self, interaction: Interaction, roster: Roster, usable: Sequence[Roster], kind: str | None) -> str:
        label = roster.name
        if kind is None:
            label = f"{label}, {self.title(roster)}"
        if roster.owner_id == interaction.user.id:
            return label
        twins = [one for one in usable if name_key(one.name) == name_key(roster.name) and one.kind == roster.kind]
        return f"{label} (shared here)" if len(twins) == 1 else f"{label} (shared here, #{roster.id})"


def _name(kind: str) -> str:
    return f"a kind of roster {kind!r}"


def fitting(rosters: Sequence[Roster], typed: str) -> list[Roster]:
    """Return the rosters that `typed` may mean: those with it in the name, then those with a name like it."""
    if (number := _number(typed)) is not None:
        return [one for one in rosters if one.id == number]
    key = name_key(typed)
    holding = [one for one in rosters if key in name_key(one.name)]
    others = [one for one in rosters if one not in holding]
    near = process.extract(
        key, [name_key(one.name) for one in others], scorer=fuzz.WRatio, limit=_MOST_CHOICES, score_cutoff=_NEAR_ENOUGH
    )
    return [*holding, *(others[at] for _, _, at in near)]


def _number(typed: str) -> int | None:
    digits = typed.strip().removeprefix("#")
    numbered = typed.strip().startswith("#") and digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS
    return int(digits) if numbered else None


def _hint(typed: str, usable: Sequence[Roster]) -> str:
    near = process.extractOne(
        name_key(typed), [name_key(one.name) for one in usable], scorer=fuzz.WRatio, score_cutoff=_NEAR_ENOUGH
    )
    return "" if near is None else f" Did you mean {plain(usable[near[2]].name)}?"
