"""Who comes to a fight: characters rolled up, monsters met, groups from files; each a job."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field
from typing_extensions import override

from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.core.request import Request
from sim.core.table import TableError
from sim.duel.battle.values import Group
from sim.duel.critter import Alignment, Critter, roll_critter, roll_rivals
from sim.duel.monsters import MAX_LEVEL, MAX_PARTY, Encounter, encounter
from sim.duel.names import Gender
from sim.duel.roster import Roster, read_roster

DiceSeed = Annotated[bytes, Field(min_length=1, max_length=64)]

_SECONDS = 0.01
_SECONDS_A_BYTE = 4e-6  # measured; a rough upper figure


class RollRequest(Request):
    """Roll a character; `seed` decides the dice, names that are `taken` are left out while there are others."""

    max_seconds = _SECONDS

    seed: DiceSeed
    name: str | None = None
    gender: Gender | None = None
    alignment: Alignment | None = None
    taken: tuple[str, ...] = ()

    def run(self) -> Critter:
        """Return the character."""
        dice = SeededDice(self.seed)
        return roll_critter(dice, name=self.name, gender=self.gender, alignment=self.alignment, taken=self.taken)


class RivalsRequest(Request):
    """Roll a lawful and a chaotic barbarian."""

    max_seconds = _SECONDS

    seed: DiceSeed

    def run(self) -> tuple[Critter, Critter]:
        """Return the two."""
        return roll_rivals(SeededDice(self.seed))


class MeetRequest(Request):
    """Meet monsters of a level with a party of some size; RuleError for other levels than 1 to 8."""

    max_seconds = _SECONDS

    seed: DiceSeed
    level: Annotated[int, Field(ge=1, le=MAX_LEVEL)]
    party: Annotated[int, Field(ge=1, le=MAX_PARTY)]

    def run(self) -> Encounter:
        """Return the monsters."""
        return encounter(self.level, SeededDice(self.seed), self.party)


class ReadRequest(Request):
    """Read a roster's file; TableError with everything that is wrong."""

    data: bytes

    @override
    def cost(self) -> float:
        return _SECONDS + _SECONDS_A_BYTE * len(self.data)

    def run(self) -> Roster:
        """Return the roster."""
        return read_roster(self.data)


class GroupsRequest(Request):
    """Two groups: both from one file, or one from each; errors as of `ReadRequest`, and RuleError for another number.

    `against`: the file with the second group, None where both are in the first.
    """

    data: bytes
    against: bytes | None = None

    @override
    def cost(self) -> float:
        return _SECONDS + _SECONDS_A_BYTE * (len(self.data) + len(self.against or b""))

    def run(self) -> tuple[Group, Group]:
        """Return both groups."""
        if self.against is None:
            return read_roster(self.data).groups()
        found: list[Group] = []
        wrong: dict[str, TableError] = {}
        for place, data in (("First file", self.data), ("Second file", self.against)):
            try:
                found.append(_only_side(place, read_roster(data)))
            except TableError as error:
                wrong[place] = error
        if wrong:
            raise FilesError(wrong)
        return found[0], found[1]


class FilesError(RuleError):
    """Files of groups that can't be read; carries everything wrong with each, by which one it is."""

    def __init__(self, wrong: Mapping[str, TableError]) -> None:
        super().__init__(wrong)  # so that the error survives the way back from a worker
        self.wrong = wrong

    @property
    def sentences(self) -> tuple[str, ...]:
        """Every fault as a sentence, the file's place first."""
        return tuple(f"{place}: {sentence}" for place, error in self.wrong.items() for sentence in error.sentences)

    def __str__(self) -> str:
        return " ".join(f"{place}: {error}" for place, error in self.wrong.items())


def _only_side(place: str, roster: Roster) -> Group:
    if len(roster.sides) > 1:
        raise RuleError(f"{place}: there are two sides in it; beside another file it may have one.")
    return roster.sides[0].critters
