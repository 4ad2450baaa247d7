"""Jobs about duels: roll characters and monsters, read groups from files, work out odds."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property, partial, reduce
from itertools import pairwise, product
from operator import add
from typing import Annotated, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.core import RuleError
from sim.core.dice import Seed, SeededDice
from sim.core.staged_job import Continue, answer
from sim.core.values import Request
from sim.csv import read_files
from sim.duel.critter import Alignment, Critter, Gender, Group, can_harm, roll_critter, roll_rivals
from sim.duel.monsters import MAX_LEVEL, MAX_PARTY, Encounter, roll_encounter
from sim.duel.reports import DuelOdds, Tally, odds_card
from sim.duel.tables import Roster, RosterSide, read_roster

MAX_BATTLES = 10_000
MIN_BATTLES = 200

DiceSeed = Annotated[bytes, Field(min_length=1, max_length=64)]

_SECONDS = 0.01
_SECONDS_PER_BYTE = 4e-6  # measured, rounded up
_SIMULATION_SECONDS = 3.0  # for a simulation without a given number of battles
_BATCHES = 10
_SECONDS_PER_TURN = 25e-9  # of the kernel, measured; the estimate of rounds is rounded up
_SECONDS_PER_PAIR = 5e-9  # of fighters, checked at least once a battle
_SECONDS_PER_ROUND = 20e-6  # of the exact odds, measured
_SECONDS_PER_CELL = 0.5e-9  # a pair of numbers multiplied for them


class RollRequest(Request):
    """Roll a character, avoiding names that are `taken` while others are left."""

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
        """Return both."""
        return roll_rivals(SeededDice(self.seed))


class EncounterRequest(Request):
    """Roll monsters of a level for a party."""

    max_seconds = _SECONDS

    seed: DiceSeed
    level: Annotated[int, Field(ge=1, le=MAX_LEVEL)]
    party: Annotated[int, Field(ge=1, le=MAX_PARTY)]

    def run(self) -> Encounter:
        """Return the monsters, each with the morale of its kind."""
        met = roll_encounter(self.level, SeededDice(self.seed), self.party)
        morale = {"morale": met.monster.morale}
        return met.model_copy(update={"critters": tuple(critter.model_copy(update=morale) for critter in met.critters)})


class RosterRequest(Request):
    """Parse a roster's file, or two groups from two files with one group each.

    `against`: the second file. TableError or FilesError with every fault; RuleError if one of them has two sides.
    """

    max_seconds = _SECONDS
    character_seconds = _SECONDS_PER_BYTE
    data: bytes
    against: bytes | None = None

    def run(self) -> Roster:
        """Return the roster."""
        if self.against is None:
            return read_roster(self.data)
        sources = {"First file": self.data, "Second file": self.against}
        first, second = read_files({source: partial(_only_side, source, data) for source, data in sources.items()})
        return Roster(sides=(first, second))


def _only_side(source: str, data: bytes) -> RosterSide:
    roster = read_roster(data)
    if len(roster.sides) > 1:
        raise RuleError(f"{source}: it has two sides; with another file it may have only one.")
    return roster.sides[0]


class DuelOddsRequest(Request):
    """The odds of a duel: exact for one against one, simulated for groups.

    `battles`: the number to simulate; None for as many as take some seconds, at most 10,000. RuleError if nobody could
    ever hit anybody.
    """

    group1: Group
    group2: Group
    battles: Annotated[int, Field(strict=True, ge=MIN_BATTLES, le=100_000)] | None = None
    seed: Seed = 0

    @model_validator(mode="after")
    def _check_end(self) -> Self:
        if not (can_harm(self.group1, self.group2) or can_harm(self.group2, self.group1)):
            raise RuleError("This fight would never end: neither side can hit the other, not even with a 20.")
        return self

    @property
    def is_exact(self) -> bool:
        """Whether the odds are exact: one against one."""
        return len(self.group1) == len(self.group2) == 1

    @property
    def battle_count(self) -> int:
        """The number of battles to simulate."""
        if self.battles is not None:
            return self.battles
        return max(MIN_BATTLES, min(MAX_BATTLES, int(_SIMULATION_SECONDS / self._seconds_per_battle)))

    @override
    def cost(self) -> float:
        if self.is_exact:
            first, second = self.group1[0], self.group2[0]
            cells = sum(
                victim.hp * min(victim.hp, striker.attacks * striker.damage.maximum)
                for striker, victim in ((first, second), (second, first))
            )
            return _SECONDS + self._rounds * (_SECONDS_PER_ROUND + _SECONDS_PER_CELL * cells)
        return _SECONDS + self.battle_count * self._seconds_per_battle

    def parts(self, partial: DuelOdds | None) -> "tuple[DuelOddsBatch, ...]":
        """Return the batches of the simulation, about equal in work."""
        if partial is not None:
            return ()
        battles = self.battle_count
        cuts = [battles * number // _BATCHES for number in range(_BATCHES + 1)]
        return tuple(DuelOddsBatch(request=self, first=start, count=end - start) for start, end in pairwise(cuts))

    def join(self, _partial: DuelOdds | None, reports: Sequence[Tally]) -> DuelOdds:
        """Return the odds from the tallies of the batches."""
        return reduce(add, reports).odds(self.seed)

    def progress(self, _partial: DuelOdds | None, latest: Sequence[Tally | Continue[Tally]]) -> tuple[float, str]:
        """Return how many battles have been fought."""
        fought = sum(tally.battles for tally in latest if not isinstance(tally, Continue))
        return fought / self.battle_count, f"{fought:,} of {self.battle_count:,} battles fought"

    def run(self) -> DuelOdds:
        """Return the odds."""
        if self.is_exact:
            # Imported here: the bot's process must not load NumPy.
            from sim.duel.exact import exact  # noqa: PLC0415

            return exact(self.group1[0], self.group2[0])
        return answer(self)

    @cached_property
    def _seconds_per_battle(self) -> float:
        fighters = len(self.group1) + len(self.group2)
        attacks = max(critter.attacks * (1 + critter.damage.count / 4) for critter in (*self.group1, *self.group2))
        # Larger groups cost more: insertion sort orders a round.
        turns = self._rounds * fighters * (1 + attacks) * (1 + fighters / 100)
        return turns * _SECONDS_PER_TURN + len(self.group1) * len(self.group2) * _SECONDS_PER_PAIR

    @cached_property
    def _rounds(self) -> float:
        """A rough upper bound of the rounds that the fight takes."""
        rounds = [_rounds_to_win(self.group1, self.group2), _rounds_to_win(self.group2, self.group1)]
        return 10 + 2 * min(number for number in rounds if number is not None)


class DuelOddsBatch(Request):
    """Battles `first` to `first` + `count` - 1 of a request's simulation."""

    request: DuelOddsRequest
    first: Annotated[int, Field(ge=0)]
    count: Annotated[int, Field(ge=1)]

    @override
    def cost(self) -> float:
        return _SECONDS + self.count * self.request._seconds_per_battle  # noqa: SLF001  # a part of that request

    def run(self) -> Tally:
        """Return the tally of the battles."""
        # Imported here: the bot's process must not load the kernel.
        from sim.duel.simulate import simulate  # noqa: PLC0415

        request = self.request
        return simulate(request.group1, request.group2, self.count, request.seed, self.first)


class OddsCardRequest(Request):
    """Draws the card of odds: each side's chance to win, and what it has left. `names`: of both sides."""

    max_seconds = 0.1

    report: DuelOdds
    names: tuple[str, str]

    def run(self) -> bytes:
        """Return the card as a PNG."""
        return odds_card(self.report, self.names).png()


def _rounds_to_win(strikers: Sequence[Critter], targets: Sequence[Critter]) -> float | None:
    """Return about how many rounds `strikers` need to kill all `targets`; None if they could never hit."""
    # By armour class: even a hundred targets have only a few.
    armour = {target.armour_class: target for target in targets}
    counts = Counter(target.armour_class for target in targets)
    damage = sum(
        striker.hit_chance(armour[kind]) * count * striker.attacks * striker.damage.mean / len(targets)
        for striker, (kind, count) in product(strikers, counts.items())
    )
    return sum(target.hp for target in targets) / damage if damage else None


def warm_up() -> None:
    """Compile the kernel, or load it from its cache on disk; call it once in a worker's initializer.

    Takes some seconds without a cache, a fraction of a second with one.
    """
    first, second, third = (Critter(name=name, hp=1) for name in "ABC")
    DuelOddsRequest(group1=(first,), group2=(second,)).run()
    DuelOddsRequest(group1=(first, second), group2=(third,), battles=MIN_BATTLES).run()
