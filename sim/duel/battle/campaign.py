"""Campaigns of duels and dungeons: fighters live on with hit points, experience and the levels of B/X fighters.

The dead stay behind. The levels are those of .docs/rules/duel.md, "Levels". A new level adds d8 and the Constitution
modifier to the hit points, at least 1, up to level 9, then 2; and every third level fights better.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, TypeVar

from pydantic import Field
from typing_extensions import override

from sim.core import RuleError
from sim.core import campaign as c
from sim.core.battle import ANYONE, REFEREE, Codec, EventT, Seat, SetupT, StateT
from sim.core.dice import Dice
from sim.core.names import name_key, numbered
from sim.core.numbers import quantity
from sim.core.values import Ending, Frozen, Number, is_unset
from sim.duel.battle import GROUP_1, GROUP_2, GROUPS, Event, Setup, State, Struck
from sim.duel.battle import dungeon_values as dungeon
from sim.duel.battle.dungeon_values import HEROES, PARTY
from sim.duel.critter import LIMITS, RULES_VERSION, Critter
from sim.duel.group_text import parse_group
from sim.duel.monsters import EXPERIENCE, MAX_PARTY
from sim.duel.monsters import MAX_LEVEL as DEEPEST
from sim.duel.tables import Roster, RosterSide, read_roster, write_roster
from sim.duel.words import NARRATED_WORDS

LEVELS = (0, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, *range(120_000, 960_000, 120_000))
"""The experience that each level needs, from the first to the last."""

_LAST_DIE = 9
_BETTER: Mapping[int, int] = {4: 2, 7: 3, 10: 2, 13: 2}
"""By how much the number to hit falls at a level: 19, 17, 14, 12, 10."""


def level_at(experience: int) -> int:
    """Return the level that so much experience reaches."""
    return max(1, bisect_right(LEVELS, experience))


def worth(critter: Critter) -> int:
    """Return the experience for overcoming a critter: that of a monster with as many hit dice, by its number to hit."""
    dice = min(max(EXPERIENCE), max(0, 20 - critter.to_hit))
    return EXPERIENCE[dice][0]


class Character(Frozen):
    """A fighter between fights: in full health, with the hit points left (0: dead) and the experience so far.

    `seat`: whose it was in the last fight, where everybody has their own.
    """

    critter: Critter
    hp: Number
    experience: Number = 0
    level: Annotated[int, Field(ge=1, le=len(LEVELS))] = 1
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
            level, before = after.level + 1, after.critter
            points = 2 if level > _LAST_DIE else max(1, dice.roll(8) + before.con_mod)
            most = min(LIMITS["hp"][1], before.hp + points)
            to_hit = max(LIMITS["to_hit"][0], before.to_hit - _BETTER.get(level, 0))
            critter = before.model_copy(update={"hp": most, "to_hit": to_hit})
            risen = {"critter": critter, "hp": after.hp + most - before.hp, "level": level}
            after = after.model_copy(update=risen)
        return after


Band = tuple[Character, ...]


def band_of(critters: Iterable[Critter], before: Sequence[Character] = ()) -> Band:
    """Return critters in full health; who is known by name keeps experience and level."""
    known = {one.key: one for one in before}
    fresh = (Character.of(critter) for critter in critters)
    olds = ((one, known.get(one.key, one)) for one in fresh)
    return tuple(one.model_copy(update={"experience": old.experience, "level": old.level}) for one, old in olds)


F = TypeVar("F", bound=Frozen)


class BandCampaign(c.CampaignRules[F, SetupT, StateT, EventT]):
    """Campaigns of bands of fighters, in duels and dungeons.

    `fields`: where the forces have each side's band. `file`: the name of the roster with the living. `most`: how many
    of a band can fight; None for all.
    """

    rest = "The living are back to full hit points; the dead stay dead."
    fields: Mapping[Seat, str]
    file: str
    most: int | None = None

    def bands(self, forces: F) -> dict[Seat, Band]:
        """Return the fighters by side."""
        return {side: getattr(forces, field) for side, field in self.fields.items()}

    def with_bands(self, forces: F, bands: Mapping[Seat, Band]) -> F:
        """Return the forces with other fighters on some sides."""
        changed = {self.fields[side]: band for side, band in bands.items()}
        return forces.model_copy(update=changed)

    def fit(self, band: Band) -> Band:
        """Return who of a band can fight: the living."""
        return tuple(one for one in band if one.hp)[: self.most]

    def fit_fighters(self, band: Band) -> tuple[Critter, ...]:
        """Return who can fight, with the hit points that they have left."""
        return tuple(one.critter.model_copy(update={"hp": one.hp}) for one in self.fit(band))

    @override
    def veterans(self, forces: F) -> tuple[c.Veteran, ...]:
        return tuple(
            c.Veteran(
                side=side,
                name=one.critter.name,
                left=one.hp,
                most=one.critter.hp,
                experience=one.experience,
                level=one.level if one.experience or one.level > 1 else 0,
            )
            for side, band in self.bands(forces).items()
            for one in band
        )

    @override
    def rested(self, forces: F) -> F:
        return self._changed(
            forces, lambda one, _side: one.model_copy(update={"hp": one.critter.hp}) if one.hp else one
        )

    @override
    def adjusted(self, forces: F, adjustments: Sequence[c.Adjustment]) -> F:
        found = c.adjustments_by_name(adjustments, ((one.side, one.name) for one in self.veterans(forces)))
        return self._changed(forces, lambda one, side: _given(one, found.get((side, one.key))))

    def _changed(self, forces: F, change: Callable[[Character, Seat], Character]) -> F:
        bands = {side: tuple(change(one, side) for one in band) for side, band in self.bands(forces).items()}
        return self.with_bands(forces, bands)

    @override
    def files(self, forces: F) -> dict[str, bytes]:
        """Return the living, with the hit points that they have left, as a roster."""
        titles = {side.name: side.title for side in self.sides}
        sides = tuple(
            RosterSide(name=titles[side], critters=living)
            for side, band in self.bands(forces).items()
            if (living := self.fit_fighters(band))
        )
        return {self.file: write_roster(Roster(sides=sides))} if sides else {}


def _given(one: Character, given: c.Adjustment | None) -> Character:
    """Return a character after what was given by hand: never above full health (.docs/rules/duel.md, "Critters")."""
    if given is None:
        return one
    experience = one.experience + given.experience
    if experience < 0:
        raise RuleError(f"{one.critter.name} doesn't have that much experience.")
    hp = min(one.critter.hp, max(0, one.hp + given.healing))
    return one.model_copy(update={"hp": hp, "experience": experience})


class Forces(Frozen):
    """Both groups; empty while a new campaign has none."""

    group1: Band = ()
    group2: Band = ()


class DuelCampaign(BandCampaign[Forces, Setup, State, Event]):
    """Duels: who overcomes foes shares their experience, as in dungeons."""

    forces = Codec(Forces)
    sides = (
        c.CampaignSide(GROUP_1, "Group 1", "blue", kind="duel", typed=True),
        c.CampaignSide(GROUP_2, "Group 2", "orange", kind="duel", typed=True),
    )
    seats = (REFEREE,)
    fields: Mapping[Seat, str] = MappingProxyType({GROUP_1: "group1", GROUP_2: "group2"})
    file = "Groups.csv"

    @override
    def from_setup(self, setup: Setup) -> Forces:
        return self.with_bands(Forces(), {seat: band_of(group) for seat, group in setup.groups.items()})

    @override
    def read(self, forces: Forces | None, side: str, data: bytes) -> Forces:
        """Read fighters as text, or a roster's file with one side."""
        forces = forces or Forces()
        return self.with_bands(forces, {side: band_of(read_fighters(data), self.bands(forces)[side])})

    @override
    def setup(self, forces: Forces, last: Setup | None) -> Setup:
        """Return a duel of the living on the last one's terms; they enter with the hit points that they have left."""
        groups = []
        for side, band in zip(self.sides, self.bands(forces).values(), strict=True):
            groups.append(self.fit_fighters(band))
            if not groups[-1]:
                what = "has nobody left" if band else "is missing"
                raise RuleError(f"{side.title} {what}: give fighters, such as 2 x wolf 9 hp 1d6.")
        terms: dict[str, object] = {"words": NARRATED_WORDS, "narrated": True, "press": ANYONE}
        if last is not None:
            terms = {name: getattr(last, name) for name in ("words", "narrated", "press", "morale")}
        return Setup.model_validate({**terms, "group1": groups[0], "group2": groups[1], "edition": RULES_VERSION})

    @override
    def after(self, forces: Forces, state: State, dice: Dice) -> Forces:
        """Return both groups with what they have left; who is still in the fight shares the experience for the foes."""
        critters, bands = state.setup.critters, {}
        for at, (side, band) in enumerate(self.bands(forces).items()):
            standing = {critters[who].name for who in state.living[at]}
            overcome = set(state.setup.members[1 - at]) - set(state.living[1 - at])
            share = sum(worth(critters[who]) for who in overcome) // max(1, len(standing))
            left = {critters[who].name: state.hp[who] for who in state.setup.members[at]}
            bands[side] = tuple(
                one.model_copy(update={"hp": min(left.get(name, one.hp), one.critter.hp)}).learned(
                    share if name in standing else 0, dice
                )
                for one, name in ((one, one.critter.name) for one in band)
            )
        return self.with_bands(forces, bands)

    @override
    def deeds(self, forces: Forces, state: State, events: Iterable[Event]) -> tuple[c.Deed, ...]:
        return strike_deeds(
            events,
            ((GROUPS[who in state.setup.members[1]], each.name) for who, each in enumerate(state.setup.critters)),
        )


# The figures of a dungeon in a text, the most of each, and what is said of others.
_FIGURES = {
    "rooms": (r"([0-9]{1,4})\s*rooms?|rooms?\s*:?\s*([0-9]{1,4})", dungeon.MAX_ROOMS, "A dungeon has 1 to {} rooms."),
    "level": (r"levels?\s*:?\s*([0-9]{1,4})", DEEPEST, "Levels are 1 to {}."),
}


class DungeonForces(Frozen):
    """The heroes, and the next dungeon; 0 rooms: as the last one."""

    heroes: Band = ()
    rooms: Number = 0
    level: Number = 0


class DungeonCampaign(BandCampaign[DungeonForces, dungeon.Setup, dungeon.State, dungeon.Event]):
    """Dungeons: the living go on; more heroes may join before the first room."""

    forces = Codec(DungeonForces)
    sides = (
        c.CampaignSide(PARTY, "Heroes", "blue", kind="duel", typed=True),
        c.CampaignSide("dungeon", "Dungeon", "orange", typed=True),
    )
    seats = ()
    fields: Mapping[Seat, str] = MappingProxyType({PARTY: "heroes"})
    file = "Heroes.csv"
    most = MAX_PARTY
    undecided: Mapping[str, str] = MappingProxyType(
        {Ending.RETREAT: "the heroes went home", Ending.ANNIHILATION: "none of the heroes came back"}
    )

    @override
    def from_setup(self, setup: dungeon.Setup) -> DungeonForces:
        """Return the heroes of the setup; those who join enter later."""
        return DungeonForces(heroes=band_of(setup.heroes), rooms=setup.rooms, level=setup.level)

    @override
    def read(self, forces: DungeonForces | None, side: str, data: bytes) -> DungeonForces:
        """Read heroes as text or file, or the next dungeon as text."""
        forces = forces or DungeonForces()
        if side == PARTY:
            heroes = read_fighters(data)
            if len(heroes) > MAX_PARTY:
                raise RuleError(f"A party has at most {MAX_PARTY} heroes.")
            return forces.model_copy(update={"heroes": band_of(heroes, forces.heroes)})
        text, found = data.decode("utf-8", "replace"), {}
        for name, (pattern, most, told) in _FIGURES.items():
            if (token := re.search(pattern, text, re.IGNORECASE | re.ASCII)) is not None:
                found[name] = int(token[token.lastindex or 1])
                if not 1 <= found[name] <= most:
                    raise RuleError(told.format(most))
        if not found:
            raise RuleError("Write how many rooms, and how deep: 6 rooms, level 2")
        return forces.model_copy(update=found)

    @override
    def setup(self, forces: DungeonForces, last: dungeon.Setup | None) -> dungeon.Setup:
        living = self.fit(forces.heroes)
        if forces.heroes and not living:
            raise RuleError("All heroes are dead.")
        return dungeon.Setup(
            rooms=forces.rooms or (dungeon.Setup().rooms if last is None else last.rooms),
            level=forces.level or (1 if last is None else last.level),
            heroes=tuple(one.critter for one in living),
            hp=tuple(one.hp for one in living) if any(one.hp < one.critter.hp for one in living) else (),
            words=NARRATED_WORDS if last is None else last.words,
            edition=RULES_VERSION,
        )

    @override
    def seating(self, forces: DungeonForces) -> Mapping[Seat, Seat | None]:
        """Return the seats of the living: they move up."""
        return {seat: one.seat for seat, one in zip(HEROES, self.fit(forces.heroes), strict=False)}

    @override
    def after(self, forces: DungeonForces, state: dungeon.State, dice: Dice) -> DungeonForces:
        """Return the heroes with what they have left and learned, also those who joined, and the fallen of before."""
        known = {one.key: one for one in forces.heroes}
        found = []
        for seat, hero in state.party.items():
            fresh = Character.of(hero.critter, seat)
            one = known.pop(fresh.key, fresh)
            now = one.model_copy(update={"hp": min(hero.hp, one.critter.hp), "seat": seat})
            found.append(now.learned(hero.experience, dice))
        return forces.model_copy(update={"heroes": (*found, *known.values())})

    @override
    def deeds(self, forces: DungeonForces, state: dungeon.State, events: Iterable[dungeon.Event]) -> tuple[c.Deed, ...]:
        return strike_deeds(events, ((PARTY, hero.critter.name) for hero in state.heroes))

    @override
    def summary(self, forces: DungeonForces) -> str:
        """Return which dungeon comes next."""
        if not (forces.rooms and forces.level):
            return ""
        return f"Next: {quantity(forces.rooms, 'room')}, level {forces.level}"


def read_fighters(data: bytes) -> tuple[Critter, ...]:
    """Read fighters as a roster's file with one side, or as text; RuleError with all that is wrong."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RuleError("Fighters are text in UTF-8, such as: Brenna, 8 hp str +1") from None
    if "\n" not in text.strip():
        group = parse_group(text, {})  # each needs a name of its own
        names = numbered([critter.name for critter in group])
        return tuple(one.model_copy(update={"name": name}) for one, name in zip(group, names, strict=True))
    roster = read_roster(data)
    if len(roster.sides) > 1:
        raise RuleError("This roster has two sides: give one.")
    return roster.sides[0].critters


def strike_deeds(events: Iterable[object], fighters: Iterable[tuple[Seat, str]]) -> tuple[c.Deed, ...]:
    """Return what each fighter of a fight did; `fighters`: their sides and names, by number."""
    strikes = (event for event in events if isinstance(event, Struck))
    return c.deeds_of(dict(enumerate(fighters)), ((one.who, one.target, one.damage, not one.left) for one in strikes))
