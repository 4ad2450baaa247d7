"""Campaigns of Axis & Allies: armies that are left fight on, and what was lost is counted in IPC."""

from collections import Counter
from collections.abc import Iterable, Sequence

from sim.axis_allies.army import MAX_COUNT, Army, format_army
from sim.axis_allies.battle import VERSION, Event, Fired, Setup, State
from sim.axis_allies.editions import DEFAULT
from sim.axis_allies.parse import decode_text, parse_army
from sim.axis_allies.units import Unit
from sim.core import RuleError
from sim.core.battle import Codec
from sim.core.campaign import Adjustment, CampaignRules, CampaignSide, Deed, Veteran, adjustments_by_name
from sim.core.dice import Dice
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


class Forces(Frozen):
    """Both sides; None while a new campaign has none."""

    attacker: Force | None = None
    defender: Force | None = None

    @property
    def by_side(self) -> dict[Side, Force]:
        """The sides that there are."""
        return {side: force for side in Side if (force := getattr(self, side)) is not None}


class ArmyCampaign(CampaignRules[Forces, Setup, State, Event]):
    """Armies fight on with what is left; reinforcements are given by hand."""

    forces = Codec(Forces)
    sides = (
        CampaignSide(Side.ATTACKER.value, "Attacker", "orange", kind="aa", typed=True),
        CampaignSide(Side.DEFENDER.value, "Defender", "blue", kind="aa", typed=True),
    )
    seats = tuple(side.value for side in Side)
    unit = ""
    harm = "hit"
    learns = False
    rest = "Damaged ships are repaired; what was lost stays lost."

    def from_setup(self, setup: Setup) -> Forces:
        """Return both armies."""
        return Forces(**{side: Force.of(army) for side, army in setup.armies.items()})

    def read(self, forces: Forces | None, side: str, data: bytes) -> Forces:
        """Read an army's text, by default in the edition of the campaign."""
        forces = forces or Forces()
        known = forces.attacker or forces.defender
        army = parse_army(decode_text(data), DEFAULT if known is None else known.army.edition)
        before = forces.by_side.get(Side(side))
        return forces.model_copy(update={side: Force.of(army, 0 if before is None else before.lost)})

    def setup(self, forces: Forces, last: Setup | None) -> Setup:
        """Return a battle of both armies on the last one's terms, without its bombardment."""
        fields = ("fog", "attacker_technology", "defender_technology", "must_take", "low_luck")
        setup: dict[str, object] = {} if last is None else {name: getattr(last, name) for name in fields}
        for side in Side:
            force = forces.by_side.get(side)
            if force is None:
                raise RuleError(f"The {side} is missing: give an army, such as 6 tanks, 2 inf.")
            if not force.army:
                raise RuleError(f"The {side} has nothing left.")
            policy = None if last is None else last.casualty_policy(side)
            if not isinstance(policy, str) or policy == "formula":  # an order is for an army that is no more
                policy = force.army.book.rules.casualties
            setup |= {side.value: force.army, f"{side}_losses": policy}
        return Setup.model_validate({**setup, "version": VERSION})

    def after(self, forces: Forces, state: State, dice: Dice) -> Forces:
        """Return what is left of both armies."""
        del dice
        sides = {}
        for side in Side:
            whole, kept = state.setup.army(side), _kept(state, side)
            sides[side] = forces.by_side.get(side, Force.of(whole)).with_army(kept, int(whole.ipc - kept.ipc))
        return Forces(**sides)

    def deeds(self, forces: Forces, state: State, events: Iterable[Event]) -> tuple[Deed, ...]:
        """Return each kind's hits and losses."""
        hits: Counter[tuple[Side, Unit]] = Counter()
        for event in events:
            if isinstance(event, Fired):
                for throw in event.throws:
                    hits[event.side, throw.unit] += throw.hits
        del forces
        return tuple(
            Deed(
                side=side,
                name=group.unit.plural,
                damage=hits[side, group.unit],
                lost=(gone := int(group.count - kept.count(group.unit))),
                worth=gone * kept.book.cost(group.unit),
            )
            for side, kept in ((side, _kept(state, side)) for side in Side)
            for group in state.setup.army(side).groups
        )

    def veterans(self, forces: Forces) -> tuple[Veteran, ...]:
        """Return every kind of unit."""
        return tuple(
            Veteran(side=side, name=unit.plural, left=int(force.army.count(unit)), most=max(1, most))
            for side, force in forces.by_side.items()
            for unit, most in force.most
        )

    def rested(self, forces: Forces) -> Forces:
        """Return both armies without damage."""
        rested = {}
        for side, force in forces.by_side.items():
            counts = {group.unit: group.count for group in force.army.groups}
            rested[side] = force.with_army(Army.of(counts, force.army.edition))
        return Forces(**rested)

    def adjusted(self, forces: Forces, adjustments: Sequence[Adjustment]) -> Forces:
        """Return both armies with units added, or taken away."""
        found = adjustments_by_name(adjustments, ((one.side, one.name) for one in self.veterans(forces)))
        sides = {}
        for side, force in forces.by_side.items():
            army = force.army
            for unit, _ in force.most:
                if (given := found.get((side, name_key(unit.plural)))) is not None:
                    army = _reinforced(army, unit, given.healing)
            sides[side] = force.with_army(army)
        return Forces(**sides)

    def files(self, forces: Forces) -> dict[str, bytes]:
        """Return both armies as text."""
        armies = forces.by_side.items()
        return {f"{side.capitalize()}.txt": f"{format_army(force.army)}\n".encode() for side, force in armies}

    def summary(self, forces: Forces) -> str:
        """Return what both sides have lost: "IPC lost: attacker 18, defender 9"."""
        lost = [f"{side} {force.lost:,}" for side, force in forces.by_side.items()]
        net = 0
        if forces.attacker is not None and forces.defender is not None:
            net = forces.defender.lost - forces.attacker.lost
        gained = f"; the attacker is {abs(net):,} {'ahead' if net > 0 else 'behind'}" if net else ""
        return f"IPC lost: {', '.join(lost)}{gained}"


def _kept(state: State, side: Side) -> Army:
    """Return what is left of a side, with its marks on the map, which are never lost."""
    whole, left = state.setup.army(side), state.army(side)
    return left.with_groups([*left.groups, *(group for group in whole.groups if whole.book.units[group.unit].mark)])


def _reinforced(army: Army, unit: Unit, count: int) -> Army:
    """Return an army with more or fewer of a unit; new ones are undamaged. RuleError below 0 or beyond the most."""
    after = army.count(unit) + count
    if not 0 <= after <= MAX_COUNT:
        raise RuleError(f"There would be {int(after):,} {unit.plural}.")
    if count > 0:
        return army + Army.of({unit: count}, army.edition)
    lives = after * army.book.lives(unit)
    return army.with_groups(
        group.model_copy(update={"count": after, "lives": min(group.lives, lives)}) if group.unit is unit else group
        for group in army.groups
        if group.unit is not unit or after
    )
