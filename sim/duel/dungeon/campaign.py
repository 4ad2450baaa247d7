"""Campaigns of dungeons: heroes keep hit points, experience and levels, and go into the next one."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from typing_extensions import override

from sim.core.battle import Codec, Seat
from sim.core.campaign import CampaignSide, Deed
from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.core.numbers import quantity
from sim.core.values import Ending, Frozen, Number
from sim.duel.battle.campaign import Band, BandCampaign, Character, band_of, read_fighters, strike_deeds
from sim.duel.critter import RULES_VERSION
from sim.duel.dungeon.values import HEROES, MAX_ROOMS, PARTY, Event, Setup, State
from sim.duel.monsters import MAX_LEVEL, MAX_PARTY
from sim.duel.phrases import NARRATED_WORDS

DUNGEON = "dungeon"

_ROOMS = re.compile(r"([0-9]{1,4})\s*rooms?|rooms?\s*:?\s*([0-9]{1,4})", re.IGNORECASE | re.ASCII)
_LEVEL = re.compile(r"levels?\s*:?\s*([0-9]{1,4})", re.IGNORECASE | re.ASCII)


class Muster(Frozen):
    """The heroes, and the next dungeon; 0 rooms: as the last one."""

    heroes: Band = ()
    rooms: Number = 0
    level: Number = 0


class DungeonCampaign(BandCampaign[Muster, Setup, State, Event]):
    """Dungeons: the living go on; more heroes may join before the first room."""

    musters = Codec(Muster)
    sides = (
        CampaignSide(PARTY, "Heroes", "heroes such as Brenna, 8 hp str +1, or a CSV file", kind="duel", typed=True),
        CampaignSide(DUNGEON, "Dungeon", "a dungeon such as 6 rooms, level 2", typed=True),
    )
    seats = ()
    file = "Heroes.csv"
    most = MAX_PARTY
    undecided: Mapping[str, str] = MappingProxyType(
        {Ending.RETREAT: "the heroes went home", Ending.ANNIHILATION: "none of the heroes came back"}
    )

    @override
    def bands(self, muster: Muster) -> dict[Seat, Band]:
        return {PARTY: muster.heroes}

    @override
    def with_bands(self, muster: Muster, bands: Mapping[Seat, Band]) -> Muster:
        return muster.model_copy(update={"heroes": bands[PARTY]})

    @override
    def enlist(self, setup: Setup) -> Muster:
        """Return the heroes of the setup; those who join enter later."""
        return Muster(heroes=band_of(setup.heroes), rooms=setup.rooms, level=setup.level)

    @override
    def read(self, muster: Muster | None, side: str, data: bytes) -> Muster:
        """Read heroes as text or file, or the next dungeon as text."""
        muster = muster or Muster()
        if side == PARTY:
            heroes = read_fighters(data)
            if len(heroes) > MAX_PARTY:
                raise RuleError(f"A party has at most {MAX_PARTY} heroes.")
            return muster.model_copy(update={"heroes": band_of(heroes, muster.heroes)})
        return muster.model_copy(update=_read_dungeon(data.decode("utf-8", "replace")))

    @override
    def setup(self, muster: Muster, last: Setup | None) -> Setup:
        living = self.fit(muster.heroes)
        if muster.heroes and not living:
            raise RuleError("All heroes are dead: give new ones, or raise some by hand.")
        return Setup(
            rooms=muster.rooms or (Setup().rooms if last is None else last.rooms),
            level=muster.level or (1 if last is None else last.level),
            heroes=tuple(one.critter for one in living),
            hp=tuple(one.hp for one in living) if any(one.hp < one.critter.hp for one in living) else (),
            words=NARRATED_WORDS if last is None else last.words,
            edition=RULES_VERSION,
        )

    @override
    def seating(self, muster: Muster) -> Mapping[Seat, Seat | None]:
        """Return the seats of the living: they move up."""
        return {seat: one.seat for seat, one in zip(HEROES, self.fit(muster.heroes), strict=False)}

    @override
    def after(self, muster: Muster, state: State, dice: Dice) -> Muster:
        """Return the heroes with what they have left and learned, also those who joined, and the fallen of before."""
        known = {one.key: one for one in muster.heroes}
        found = []
        for seat, hero in zip(state.seats, state.heroes, strict=True):
            fresh = Character.of(hero.critter, seat)
            one = known.pop(fresh.key, fresh)
            now = one.model_copy(update={"hp": min(hero.hp, one.critter.hp), "seat": seat})
            found.append(now.learned(hero.experience, dice))
        return muster.model_copy(update={"heroes": (*found, *known.values())})

    @override
    def deeds(self, muster: Muster, state: State, events: Iterable[Event]) -> tuple[Deed, ...]:
        names = [hero.critter.name for hero in state.heroes]
        return strike_deeds(events, names, [PARTY] * len(names))

    @override
    def sums(self, muster: Muster) -> str:
        """Return which dungeon comes next."""
        if not (muster.rooms and muster.level):
            return ""
        return f"Next: {quantity(muster.rooms, 'room')}, level {muster.level}"


def _read_dungeon(text: str) -> dict[str, int]:
    rooms, level = _ROOMS.search(text), _LEVEL.search(text)
    if rooms is None and level is None:
        raise RuleError("Write how many rooms, and how deep: 6 rooms, level 2")
    found = {}
    if rooms is not None:
        found["rooms"] = int(rooms[1] or rooms[2])
        if not 1 <= found["rooms"] <= MAX_ROOMS:
            raise RuleError(f"A dungeon has 1 to {MAX_ROOMS} rooms.")
    if level is not None:
        found["level"] = int(level[1])
        if not 1 <= found["level"] <= MAX_LEVEL:
            raise RuleError(f"Levels are 1 to {MAX_LEVEL}.")
    return found
