"""Campaigns of duels, and fighters who live on after a fight: hit points, experience, the levels of B/X fighters.

The dead stay behind. The levels are those of .docs/rules/duel.md, "Levels". A new level adds d8 and the Constitution
modifier to the hit points, at least 1, up to level 9, then 2; and every third level fights better.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import override

from sim.core.battle import ANYONE, REFEREE, Codec, Seat
from sim.core.campaign import (
    CampaignRules,
    CampaignSide,
    Care,
    Deed,
    EventT,
    MusterT,
    SetupT,
    StateT,
    Veteran,
    care_for,
)
from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.core.names import name_key
from sim.core.values import Frozen, Number
from sim.duel.battle.values import GROUP_1, GROUP_2, GROUPS, Event, Setup, State, Struck
from sim.duel.critter import LIMITS, RULES_VERSION, Critter, is_unset
from sim.duel.group_text import parse_group
from sim.duel.monsters import EXPERIENCE
from sim.duel.phrases import NARRATED_WORDS
from sim.duel.tables import Roster, RosterSide, read_roster, write_roster

LEVELS = (0, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 120_000)
"""The experience that each level needs; every further one needs as much more as the last here."""

MAX_LEVEL = 14

_HIT_DIE = 8
_LAST_DIE = 9
_PLUS = 2
_BETTER: Mapping[int, int] = {4: 2, 7: 3, 10: 2, 13: 2}
"""By how much the number to hit falls at a level: 19, 17, 14, 12, 10."""

_HIT_DICE = 20


def level_at(experience: int) -> int:
    """Return the level, 1 to 14, that some experience is enough for."""
    level = sum(experience >= needed for needed in LEVELS)
    if level == len(LEVELS):
        level = experience // LEVELS[-1] + len(LEVELS) - 1
    return min(MAX_LEVEL, max(1, level))


def worth(critter: Critter) -> int:
    """Return the experience for overcoming a critter: that of a monster with as many hit dice, by its number to hit."""
    dice = min(max(EXPERIENCE), max(0, _HIT_DICE - critter.to_hit))
    return EXPERIENCE[dice][0]


class Character(Frozen):
    """A fighter between fights: in full health, with the hit points left (0: dead) and the experience so far.

    `seat`: whose it was in the last fight, where everybody has their own.
    """

    critter: Critter
    hp: Number
    experience: Number = 0
    level: Annotated[int, Field(ge=1, le=MAX_LEVEL)] = 1
    seat: Annotated[Seat | None, Field(exclude_if=is_unset)] = None

    @classmethod
    def of(cls, critter: Critter, seat: Seat | None = None) -> "Character":
        """Return somebody in full health."""
        return cls(critter=critter, hp=critter.hp, seat=seat)

    @property
    def key(self) -> str:
        """The name by which it is known."""
        return name_key(self.critter.name)

    def learned(self, gained: int, dice: Dice) -> "Character":
        """Return the character with more experience, and the levels that it is enough for, if it lives."""
        after = self.model_copy(update={"experience": max(0, self.experience + gained)})
        while after.hp and after.level < level_at(after.experience):
            after = after.risen(dice)
        return after

    def risen(self, dice: Dice) -> "Character":
        """Return the character a level higher."""
        level = self.level + 1
        gained = _PLUS if level > _LAST_DIE else max(1, dice.roll(_HIT_DIE) + self.critter.con_mod)
        most = min(LIMITS["hp"][1], self.critter.hp + gained)
        to_hit = max(LIMITS["to_hit"][0], self.critter.to_hit - _BETTER.get(level, 0))
        critter = self.critter.model_copy(update={"hp": most, "to_hit": to_hit})
        return self.model_copy(update={"critter": critter, "hp": self.hp + most - self.critter.hp, "level": level})

    def veteran(self, side: str) -> Veteran:
        """Return how players see it."""
        return Veteran(
            side=side,
            name=self.critter.name,
            left=self.hp,
            most=self.critter.hp,
            experience=self.experience,
            level=self.level if self.experience or self.level > 1 else 0,
        )


Band = tuple[Character, ...]


def band_of(critters: Iterable[Critter], before: Sequence[Character] = ()) -> Band:
    """Return critters in full health; who is known by name keeps experience and level."""
    known = {one.key: one for one in before}
    found = []
    for critter in critters:
        one, old = Character.of(critter), known.get(name_key(critter.name))
        if old is not None:
            one = one.model_copy(update={"experience": old.experience, "level": old.level})
        found.append(one)
    return tuple(found)


class BandCampaign(CampaignRules[MusterT, SetupT, StateT, EventT]):
    """Campaigns of bands of fighters, in duels and dungeons.

    `file`: the name of the roster with the living. `most`: how many of a band can fight; None for all.
    """

    rest = "The living are back to full hit points; the dead stay dead."
    file: str
    most: int | None = None

    @abstractmethod
    def bands(self, muster: MusterT) -> dict[Seat, Band]:
        """Return the fighters by side."""

    @abstractmethod
    def with_bands(self, muster: MusterT, bands: Mapping[Seat, Band]) -> MusterT:
        """Return the muster with other fighters."""

    def fit(self, band: Band) -> Band:
        """Return who of a band can fight: the living."""
        return tuple(one for one in band if one.hp)[: self.most]

    def fit_fighters(self, band: Band) -> tuple[Critter, ...]:
        """Return who can fight, with the hit points that they have left."""
        return tuple(one.critter.model_copy(update={"hp": one.hp}) for one in self.fit(band))

    @override
    def veterans(self, muster: MusterT) -> tuple[Veteran, ...]:
        return tuple(one.veteran(side) for side, band in self.bands(muster).items() for one in band)

    @override
    def rested(self, muster: MusterT) -> MusterT:
        return self._changed(
            muster, lambda one, _side: one.model_copy(update={"hp": one.critter.hp}) if one.hp else one
        )

    @override
    def cared(self, muster: MusterT, care: Sequence[Care]) -> MusterT:
        found = care_for(care, ((one.side, one.name) for one in self.veterans(muster)))
        return self._changed(muster, lambda one, side: _given(one, found.get((side, one.key))))

    def _changed(self, muster: MusterT, change: Callable[[Character, Seat], Character]) -> MusterT:
        bands = {side: tuple(change(one, side) for one in band) for side, band in self.bands(muster).items()}
        return self.with_bands(muster, bands)

    @override
    def files(self, muster: MusterT) -> dict[str, bytes]:
        """Return the living, with the hit points that they have left, as a roster."""
        titles = {side.name: side.title for side in self.sides}
        sides = tuple(
            RosterSide(name=titles[side], critters=living)
            for side, band in self.bands(muster).items()
            if (living := self.fit_fighters(band))
        )
        return {self.file: write_roster(Roster(sides=sides))} if sides else {}


def _given(one: Character, care: Care | None) -> Character:
    """Return a character after what was given by hand: never above full health (.docs/rules/duel.md, "Critters")."""
    if care is None:
        return one
    experience = one.experience + care.experience
    if experience < 0:
        raise RuleError(f"{one.critter.name} hasn't got that much experience.")
    hp = min(one.critter.hp, max(0, one.hp + care.healing))
    return one.model_copy(update={"hp": hp, "experience": experience})


class Muster(Frozen):
    """Both groups; empty while a new campaign has none."""

    group1: Band = ()
    group2: Band = ()


class DuelCampaign(BandCampaign[Muster, Setup, State, Event]):
    """Duels: who overcomes foes shares their experience, as in dungeons."""

    musters = Codec(Muster)
    sides = tuple(
        CampaignSide(seat, title, "fighters such as Brenna, 8 hp str +1, or a CSV file", kind="duel", typed=True)
        for seat, title in zip(GROUPS, ("Group 1", "Group 2"), strict=True)
    )
    seats = (REFEREE,)
    file = "Groups.csv"

    @override
    def bands(self, muster: Muster) -> dict[Seat, Band]:
        return {GROUP_1: muster.group1, GROUP_2: muster.group2}

    @override
    def with_bands(self, muster: Muster, bands: Mapping[Seat, Band]) -> Muster:
        return Muster(group1=bands[GROUP_1], group2=bands[GROUP_2])

    @override
    def enlist(self, setup: Setup) -> Muster:
        return Muster(group1=band_of(setup.group1), group2=band_of(setup.group2))

    @override
    def read(self, muster: Muster | None, side: str, data: bytes) -> Muster:
        """Read fighters as text, or a roster's file with one side."""
        bands = self.bands(muster or Muster())
        return self.with_bands(Muster(), bands | {side: band_of(read_fighters(data), bands[side])})

    @override
    def setup(self, muster: Muster, last: Setup | None) -> Setup:
        """Return a duel of the living on the last one's terms; they enter with the hit points that they have left."""
        groups = []
        for side, band in zip(self.sides, self.bands(muster).values(), strict=True):
            groups.append(self.fit_fighters(band))
            if not groups[-1]:
                what = "has nobody left" if band else "is missing"
                raise RuleError(f"{side.title} {what}: give fighters, such as 2 x wolf 9 hp 1d6.")
        terms: dict[str, object] = {"words": NARRATED_WORDS, "narrated": True, "press": ANYONE}
        if last is not None:
            terms = {name: getattr(last, name) for name in ("words", "narrated", "press", "morale")}
        return Setup.model_validate({**terms, "group1": groups[0], "group2": groups[1], "edition": RULES_VERSION})

    @override
    def after(self, muster: Muster, state: State, dice: Dice) -> Muster:
        """Return both groups with what they have left; who is still in the fight shares the experience for the foes."""
        standing = dict(zip(GROUPS, state.living, strict=True))
        gained = {side: _shared(state, 1 - at, len(standing[side])) for at, side in enumerate(GROUPS)}
        left = {critter.name: (state.hp[who], who) for who, critter in enumerate(state.setup.critters)}
        bands = {}
        for side, band in self.bands(muster).items():
            after = []
            for one in band:
                hp, who = left.get(one.critter.name, (one.hp, -1))
                learned = gained[side] if who in standing[side] else 0
                after.append(one.model_copy(update={"hp": min(hp, one.critter.hp)}).learned(learned, dice))
            bands[side] = tuple(after)
        return self.with_bands(muster, bands)

    @override
    def deeds(self, muster: Muster, state: State, events: Iterable[Event]) -> tuple[Deed, ...]:
        sides = [GROUP_1] * len(state.setup.group1) + [GROUP_2] * len(state.setup.group2)
        return strike_deeds(events, [critter.name for critter in state.setup.critters], sides)


def read_fighters(data: bytes) -> tuple[Critter, ...]:
    """Read fighters as a roster's file with one side, or as text; RuleError with all that is wrong."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RuleError("Fighters are text in UTF-8, such as: Brenna, 8 hp str +1") from None
    if "\n" not in text.strip():
        return _numbered(parse_group(text, {}))
    roster = read_roster(data)
    if len(roster.sides) > 1:
        raise RuleError("This roster has two sides: give one.")
    return roster.sides[0].critters


def _numbered(critters: Sequence[Critter]) -> tuple[Critter, ...]:
    """Return fighters of the same name with numbers: each needs a name of its own."""
    counts = Counter(critter.name for critter in critters)
    seen: Counter[str] = Counter()
    found = []
    for critter in critters:
        seen[critter.name] += 1
        name = f"{critter.name} {seen[critter.name]}" if counts[critter.name] > 1 else critter.name
        found.append(critter.model_copy(update={"name": name}))
    return tuple(found)


def strike_deeds(events: Iterable[object], names: Sequence[str], sides: Sequence[str]) -> tuple[Deed, ...]:
    """Return what each fighter of a fight did: by number their names and sides."""
    kills, damage, lost = Counter[int](), Counter[int](), Counter[int]()
    for event in events:
        if isinstance(event, Struck) and event.damage:
            damage[event.who] += event.damage
            lost[event.target] += event.damage
            kills[event.who] += not event.left
    return tuple(
        Deed(side=side, name=name, kills=kills[who], damage=damage[who], lost=lost[who])
        for who, (name, side) in enumerate(zip(names, sides, strict=True))
    )


def _shared(state: State, group: int, among: int) -> int:
    """Return each one's share of the experience for the slain and the fled of a group."""
    size = len(state.setup.group1)
    overcome = [
        worth(critter)
        for who, critter in enumerate(state.setup.critters)
        if (who >= size) == bool(group) and (not state.hp[who] or who in state.fled)
    ]
    return sum(overcome) // among if among else 0
