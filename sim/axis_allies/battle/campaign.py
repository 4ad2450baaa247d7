"""Campaigns of Axis & Allies: armies that are left fight on, and what was lost is counted in IPC."""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

from sim.axis_allies.arms import is_mark
from sim.axis_allies.army import MAX_COUNT, Army, Group, format_army
from sim.axis_allies.battle.values import VERSION, CasualtyPolicy, Event, Fired, Setup, State
from sim.axis_allies.editions import DEFAULT
from sim.axis_allies.parse import decode_text, parse_army
from sim.axis_allies.units import Unit
from sim.core.battle import Codec
from sim.core.campaign import CampaignRules, CampaignSide, Care, Deed, Veteran, care_for
from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.core.names import name_key
from sim.core.values import Frozen, Number, Side


class Force(Frozen):
    """A side: its army, the most there was of each unit, and the IPC that it has lost so far."""

    army: Army
    most: tuple[tuple[Unit, Number], ...]
    lost: Number = 0

    @classmethod
    def of(cls, army: Army, lost: int = 0) -> "Force":
        """Return a fresh army."""
        return cls(army=army, most=tuple((group.unit, int(group.count)) for group in army.groups), lost=lost)

    def with_army(self, army: Army, lost: int = 0) -> "Force":
        """Return what has become of it; `lost`: IPC."""
        most = dict(self.most)
        for group in army.groups:
            most[group.unit] = max(most.get(group.unit, 0), int(group.count))
        return Force(army=army, most=tuple(most.items()), lost=self.lost + lost)


class Muster(Frozen):
    """Both sides; None while a new campaign has none."""

    attacker: Force | None = None
    defender: Force | None = None

    def force(self, side: Side) -> Force | None:
        """Return a side."""
        return self.attacker if side is Side.ATTACKER else self.defender


class ArmyCampaign(CampaignRules[Muster, Setup, State, Event]):
    """Armies fight on with what is left; reinforcements are given by hand."""

    musters = Codec(Muster)
    sides = tuple(
        CampaignSide(side.value, side.capitalize(), "an army such as 6 tanks, 2 inf", kind="aa", typed=True)
        for side in Side
    )
    seats = tuple(side.value for side in Side)
    unit = ""
    harm = "hit"
    money = "IPC"
    learns = False
    rest = "Damaged ships are repaired; what was lost stays lost."

    def enlist(self, setup: Setup) -> Muster:
        """Return both armies."""
        return Muster(**{side.value: Force.of(setup.army(side)) for side in Side})

    def read(self, muster: Muster | None, side: str, data: bytes) -> Muster:
        """Read an army's text, by default in the edition of the campaign."""
        muster = muster or Muster()
        known = muster.attacker or muster.defender
        army = parse_army(decode_text(data), DEFAULT if known is None else known.army.edition)
        before = muster.force(Side(side))
        return muster.model_copy(update={side: Force.of(army, 0 if before is None else before.lost)})

    def setup(self, muster: Muster, last: Setup | None) -> Setup:
        """Return a battle of both armies on the last one's terms, without its bombardment."""
        armies: dict[str, Army] = {}
        for side in Side:
            force = muster.force(side)
            if force is None:
                raise RuleError(f"The {side} is missing: give an army, such as 6 tanks, 2 inf.")
            if not force.army:
                raise RuleError(f"The {side} has nothing left: give another army, or reinforce it by hand.")
            armies[side.value] = force.army
        terms: dict[str, object] = {}
        if last is not None:
            fields = ("fog", "attacker_technology", "defender_technology", "must_take", "low_luck")
            terms = {name: getattr(last, name) for name in fields}
        usual = armies["attacker"].book.rules.casualties
        policies = {f"{side}_losses": _policy(last, side, usual) for side in Side}
        return Setup.model_validate({**armies, **terms, **policies, "version": VERSION})

    def after(self, muster: Muster, state: State, dice: Dice) -> Muster:
        """Return what is left of both armies."""
        del dice
        return Muster(**{side.value: _left(muster.force(side), state, side) for side in Side})

    def deeds(self, muster: Muster, state: State, events: Iterable[Event]) -> tuple[Deed, ...]:
        """Return each kind's hits and losses."""
        hits: Counter[tuple[Side, Unit]] = Counter()
        for event in events:
            if isinstance(event, Fired):
                for throw in event.throws:
                    hits[event.side, throw.unit] += throw.hits
        del muster
        return tuple(
            Deed(
                side=side,
                name=group.unit.plural,
                damage=hits[side, group.unit],
                lost=(gone := _gone(state, side, group)),
                worth=gone * int(state.setup.army(side).book.cost(group.unit)),
            )
            for side in Side
            for group in state.setup.army(side).groups
        )

    def veterans(self, muster: Muster) -> tuple[Veteran, ...]:
        """Return every kind of unit."""
        return tuple(
            Veteran(side=side, name=unit.plural, left=int(force.army.count(unit)), most=max(1, most))
            for side in Side
            if (force := muster.force(side)) is not None
            for unit, most in force.most
        )

    def rested(self, muster: Muster) -> Muster:
        """Return both armies without damage."""
        return Muster(
            **{
                side.value: force.with_army(_repaired(force.army))
                for side in Side
                if (force := muster.force(side)) is not None
            }
        )

    def cared(self, muster: Muster, care: Sequence[Care]) -> Muster:
        """Return both armies with units added, or taken away."""
        found = care_for(care, ((one.side, one.name) for one in self.veterans(muster)))
        sides = {}
        for side in Side:
            if (force := muster.force(side)) is None:
                continue
            army = force.army
            for unit, _ in force.most:
                if (given := found.get((side, name_key(unit.plural)))) is not None:
                    army = _reinforced(army, unit, given.healing)
            sides[side.value] = force.with_army(army)
        return Muster(**sides)

    def files(self, muster: Muster) -> dict[str, bytes]:
        """Return both armies as text."""
        return {
            f"{side.capitalize()}.txt": f"{format_army(force.army)}\n".encode()
            for side in Side
            if (force := muster.force(side)) is not None
        }

    def sums(self, muster: Muster) -> str:
        """Return what both sides have lost: "IPC lost: attacker 18, defender 9"."""
        lost = [f"{side} {force.lost:,}" for side in Side if (force := muster.force(side)) is not None]
        net = 0
        if muster.attacker is not None and muster.defender is not None:
            net = muster.defender.lost - muster.attacker.lost
        gained = f"; the attacker is {abs(net):,} {'ahead' if net > 0 else 'behind'}" if net else ""
        return f"IPC lost: {', '.join(lost)}{gained}"


def _policy(last: Setup | None, side: Side, usual: CasualtyPolicy) -> CasualtyPolicy:
    """Return how a side loses: as last time, unless that was an order for an army that is no more."""
    policy = usual if last is None else last.casualty_policy(side)
    return policy if isinstance(policy, str) and policy != "formula" else usual


def _left(force: Force | None, state: State, side: Side) -> Force:
    whole = state.setup.army(side)
    marks = [group for group in whole.groups if is_mark(whole.book, group.unit)]
    army = state.army(side).with_groups([*state.army(side).groups, *marks])
    lost = sum(_gone(state, side, group) * int(whole.book.cost(group.unit)) for group in whole.groups)
    return (force or Force.of(whole)).with_army(army, lost)


def _gone(state: State, side: Side, group: Group) -> int:
    """Return how many units of a group were lost; marks on the map never are."""
    if is_mark(state.setup.army(side).book, group.unit):
        return 0
    return int(group.count - state.army(side).count(group.unit))


def _repaired(army: Army) -> Army:
    return army.with_groups(
        group.model_copy(update={"lives": group.count * army.book.lives(group.unit)}) for group in army.groups
    )


def _reinforced(army: Army, unit: Unit, count: int) -> Army:
    """Return an army with more or fewer of a unit; new ones are undamaged. RuleError below 0 or beyond the most."""
    now = army.count(unit)
    after = now + count
    if not 0 <= after <= MAX_COUNT:
        raise RuleError(f"There would be {int(after):,} {unit.plural}.")
    lives = next((group.lives for group in army.groups if group.unit is unit), Fraction(0))
    changed = (
        Group(
            unit=unit,
            count=after,
            lives=min(lives + max(0, count) * army.book.lives(unit), after * army.book.lives(unit)),
        )
        if after
        else None
    )
    if not now:
        return army.with_groups([*army.groups, *([changed] if changed else [])])
    return army.with_groups(
        new for group in army.groups if (new := changed if group.unit is unit else group) is not None
    )
