"""The average battle: no dice; every unit scores count x score / 6 hits, in exact fractions.

Source: the rules page of Axis & Allies 1941, section "The average battle".
"""

from collections.abc import Iterator
from fractions import Fraction

from sim.axis_allies.arms import DIE, Arms, arms_of, firing, strikers
from sim.axis_allies.army import NEGLIGIBLE_COUNT, Army, Group, battle_notes
from sim.axis_allies.reports import AverageReport, Hit, Round, Volley
from sim.axis_allies.units import Unit
from sim.core.errors import TooMuchError
from sim.core.values import Ending, Side

MAX_ROUNDS = 1_000
"""Length of the longest battle; only large numbers of harmless transports last longer."""


class _Force:
    """An army under fire: exact counts and lives that change as it takes hits."""

    def __init__(self, army: Army, side: Side) -> None:
        self.edition = army.edition
        self.arms = arms_of(army.edition, side)
        self.counts = {group.unit: group.count for group in army.groups}
        self.lives = {group.unit: group.lives for group in army.groups}
        # Lowest own score first, then the cheapest, then the first typed; transports last whatever their score.
        self.order = sorted(
            self.counts, key=lambda unit: (unit is Unit.TRANSPORT, self.arms.score(unit), army.book.cost(unit))
        )

    def army(self) -> Army:
        return Army(
            groups=tuple(Group(unit=unit, count=count, lives=self.lives[unit]) for unit, count in self.counts.items()),
            edition=self.edition,
        )

    def take(self, unit: Unit, hits: Fraction) -> Fraction:
        """Take up to `hits` on `unit`, lives before units; return how many had a target."""
        on_lives = min(hits, self.lives[unit])
        on_units = min(hits - on_lives, self.counts[unit])
        self.lives[unit] -= on_lives
        self.counts[unit] -= on_units
        if self.counts[unit] <= NEGLIGIBLE_COUNT:
            del self.counts[unit], self.lives[unit]
        return on_lives + on_units

    def apply_hits(self, shooter: Arms, by: Unit, hits: Fraction, *, own_destroyer: bool) -> Iterator[Hit]:
        """Apply the hits of one firing type; hits beyond the last unit are not counted at all."""
        for unit in self.order:
            if not hits:
                return
            if unit in self.counts and shooter.can_hit(by, unit, own_destroyer=own_destroyer):
                taken = self.take(unit, hits)
                hits -= taken
                yield Hit(by=by, on=unit, amount=taken)
        if hits and self.counts:
            yield Hit(by=by, on=None, amount=hits)


def _fire(shooter: dict[Unit, Fraction], target: _Force, *, surprise: bool, struck: bool) -> Volley:
    """Fire at `target` with each unit type of `shooter` in turn."""
    arms = arms_of(target.edition, target.arms.side.other)
    destroyer = Unit.DESTROYER in shooter
    hits: list[Hit] = []
    for unit in firing(shooter, arms, surprise=surprise, struck=struck):
        hits.extend(target.apply_hits(arms, unit, shooter[unit] * arms.score(unit) / DIE, own_destroyer=destroyer))
    return Volley(side=arms.side, surprise=surprise, hits=tuple(hits))


def _play_round(number: int, forces: dict[Side, _Force]) -> Round:
    attacker, defender = forces[Side.ATTACKER], forces[Side.DEFENDER]
    start = {side: dict(force.counts) for side, force in forces.items()}
    armies = {side: force.army() for side, force in forces.items()}
    striking = strikers(start, {side: force.arms for side, force in forces.items()})
    # Both strikes come from the armies as the round begins: submarines that were just sunk still strike.
    volleys = [_fire(start[side], forces[side.other], surprise=True, struck=False) for side in striking]
    # The defender fires with what survived the strikes, before the losses to the attacker's general fire.
    return_fire = dict(defender.counts)
    volleys.append(_fire(attacker.counts, defender, surprise=False, struck=Side.ATTACKER in striking))
    volleys.append(_fire(return_fire, attacker, surprise=False, struck=Side.DEFENDER in striking))
    return Round(number=number, attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER], volleys=tuple(volleys))


def fight(attacker: Army, defender: Army, stop_after: int | None = None) -> AverageReport:
    """Fight until a side is gone, no hit takes effect, or `stop_after` rounds are over.

    TooMuchError if there is no end after `MAX_ROUNDS` rounds.
    """
    forces = {Side.ATTACKER: _Force(attacker, Side.ATTACKER), Side.DEFENDER: _Force(defender, Side.DEFENDER)}
    rounds: list[Round] = []
    ending = None
    while ending is None:
        if len(rounds) == MAX_ROUNDS:
            raise TooMuchError(
                f"This battle goes on for more than {MAX_ROUNDS:,} rounds; say with stop_after when to stop."
            )
        rounds.append(_play_round(len(rounds) + 1, forces))
        ending = _ending(rounds[-1], forces)
        if ending is None and len(rounds) == stop_after:
            ending = Ending.ROUND_LIMIT
    survivors = [side for side, force in forces.items() if force.counts]
    return AverageReport(
        attacker=attacker,
        defender=defender,
        rounds=tuple(rounds),
        attacker_left=forces[Side.ATTACKER].army(),
        defender_left=forces[Side.DEFENDER].army(),
        winner=survivors[0] if len(survivors) == 1 else None,
        ending=ending,
        notes=battle_notes(attacker, defender),
    )


def _ending(last: Round, forces: dict[Side, _Force]) -> Ending | None:
    survivors = sum(bool(force.counts) for force in forces.values())
    if survivors == 0:
        return Ending.MUTUAL
    if survivors == 1:
        return Ending.ANNIHILATION
    return None if any(volley.effective for volley in last.volleys) else Ending.STALEMATE
