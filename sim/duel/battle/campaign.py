"""Campaigns of duels: fighters keep hit points, experience and levels; the dead stay behind."""

from collections import Counter
from collections.abc import Iterable, Sequence

from sim.core.battle import ANYONE, REFEREE, Codec
from sim.core.campaign import CampaignRules, CampaignSide, Care, Deed, Veteran, care_for
from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.core.values import Frozen
from sim.duel.battle.values import GROUPS, Event, Setup, State, Struck
from sim.duel.critter import Critter
from sim.duel.edition import EDITION
from sim.duel.group_text import parse_group
from sim.duel.phrases import NARRATED_WORDS
from sim.duel.tables import Roster, RosterSide, read_roster, write_roster
from sim.duel.veterans import REST, Band, band_of, cared, rested, worth


class Muster(Frozen):
    """Both groups; empty while a new campaign has none."""

    group1: Band = ()
    group2: Band = ()

    @property
    def bands(self) -> tuple[Band, Band]:
        """Both groups."""
        return self.group1, self.group2


class DuelCampaign(CampaignRules[Muster, Setup, State, Event]):
    """Duels: who overcomes foes shares their experience, as in dungeons."""

    musters = Codec(Muster)
    sides = tuple(
        CampaignSide(seat, title, "fighters such as Brenna, 8 hp str +1, or a CSV file", kind="duel", typed=True)
        for seat, title in zip(GROUPS, ("Group 1", "Group 2"), strict=True)
    )
    seats = (REFEREE,)
    rest = REST

    def enlist(self, setup: Setup) -> Muster:
        """Return both groups."""
        return Muster(group1=band_of(setup.group1), group2=band_of(setup.group2))

    def read(self, muster: Muster | None, side: str, data: bytes) -> Muster:
        """Read fighters as text, or a roster's file with one side."""
        muster = muster or Muster()
        field = "group1" if side == GROUPS[0] else "group2"
        before: Band = getattr(muster, field)
        band = band_of(read_fighters(data), before)
        return muster.model_copy(update={field: band})

    def setup(self, muster: Muster, last: Setup | None) -> Setup:
        """Return a duel of the living on the last one's terms; they enter with the hit points that they have left."""
        groups = []
        for side, band in zip(self.sides, muster.bands, strict=True):
            living = tuple(one.critter.model_copy(update={"hp": one.hp}) for one in band if one.hp)
            if not living:
                what = "has nobody left" if band else "is missing"
                raise RuleError(f"{side.title} {what}: give fighters, such as 2 x wolf 9 hp 1d6.")
            groups.append(living)
        terms: dict[str, object] = {"words": NARRATED_WORDS, "narrated": True, "press": ANYONE}
        if last is not None:
            terms = {name: getattr(last, name) for name in ("words", "narrated", "press", "morale")}
        return Setup.model_validate({**terms, "group1": groups[0], "group2": groups[1], "edition": EDITION})

    def after(self, muster: Muster, state: State, dice: Dice) -> Muster:
        """Return both groups with what they have left; who is still in the fight shares the experience for the foes."""
        standing = state.living
        gained = (_shared(state, 1, len(standing[0])), _shared(state, 0, len(standing[1])))
        left = {critter.name: (state.hp[who], who) for who, critter in enumerate(state.setup.critters)}
        bands = []
        for at, band in enumerate(muster.bands):
            after = []
            for one in band:
                hp, who = left.get(one.critter.name, (one.hp, -1))
                learned = gained[at] if who in standing[at] else 0
                after.append(one.model_copy(update={"hp": min(hp, one.critter.hp)}).learned(learned, dice))
            bands.append(tuple(after))
        return Muster(group1=bands[0], group2=bands[1])

    def deeds(self, muster: Muster, state: State, events: Iterable[Event]) -> tuple[Deed, ...]:
        """Return what each fighter did."""
        del muster
        return strike_deeds(events, [critter.name for critter in state.setup.critters], _sides(state))

    def veterans(self, muster: Muster) -> tuple[Veteran, ...]:
        """Return every fighter."""
        return tuple(
            one.veteran(side.name) for side, band in zip(self.sides, muster.bands, strict=True) for one in band
        )

    def rested(self, muster: Muster) -> Muster:
        """Return both groups rested."""
        return Muster(group1=rested(muster.group1), group2=rested(muster.group2))

    def cared(self, muster: Muster, care: Sequence[Care]) -> Muster:
        """Return both groups after what was given by hand."""
        found = care_for(care, ((one.side, one.name) for one in self.veterans(muster)))
        first, second = (cared(band, seat, found) for seat, band in zip(GROUPS, muster.bands, strict=True))
        return Muster(group1=first, group2=second)

    def files(self, muster: Muster) -> dict[str, bytes]:
        """Return the living, with the hit points that they have left, as a roster."""
        sides = [
            RosterSide(name=side.title, critters=living)
            for side, band in zip(self.sides, muster.bands, strict=True)
            if (living := tuple(one.critter.model_copy(update={"hp": one.hp}) for one in band if one.hp))
        ]
        return {"Groups.csv": write_roster(Roster(sides=tuple(sides)))} if sides else {}


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


def _sides(state: State) -> list[str]:
    return [GROUPS[0]] * len(state.setup.group1) + [GROUPS[1]] * len(state.setup.group2)


def _shared(state: State, group: int, among: int) -> int:
    """Return each one's share of the experience for the slain and the fled of a group."""
    size = len(state.setup.group1)
    overcome = [
        worth(critter)
        for who, critter in enumerate(state.setup.critters)
        if (who >= size) == bool(group) and (not state.hp[who] or who in state.fled)
    ]
    return sum(overcome) // among if among else 0
