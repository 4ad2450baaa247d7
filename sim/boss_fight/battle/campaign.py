"""Boss ladders: who falls is followed by the next boss; who stands keeps its wounds until it has rested.

Members of the party join each fight by themselves, with any deck and all their health, as in every fight.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Annotated

from pydantic import Field
from typing_extensions import override

from sim.boss_fight import battle as v
from sim.boss_fight.tables import LADDER, known_boss, next_rung, read_bosses, rung_of, write_bosses
from sim.boss_fight.values import Boss, Exact
from sim.core import RuleError
from sim.core.battle import Codec, Seat
from sim.core.campaign import Adjustment, CampaignRules, CampaignSide, Deed, Veteran, adjustments_by_name, deeds_of
from sim.core.dice import Dice
from sim.core.names import nearest
from sim.core.values import Frozen, Number


class Forces(Frozen):
    """The boss that comes next, the damage that it still has, and who fought last; `beaten`: how many bosses fell.

    `party`: the seat, the health left and the most of each. A member's name may be a person's, so it stays with the
    fight.
    """

    boss: Boss
    times: Annotated[int, Field(ge=1, le=v.MAX_TIMES)] = 1
    dealt: Exact = Fraction(0)
    beaten: Number = 0
    party: tuple[tuple[Seat, int, Number], ...] = ()

    @property
    def health(self) -> int:
        """The boss's health when it is whole."""
        return self.boss.health * self.times


class LadderCampaign(CampaignRules[Forces, v.Setup, v.State, v.Event]):
    """A ladder of bosses."""

    forces = Codec(Forces)
    sides = (
        CampaignSide(v.PARTY, "Party", "blue"),
        CampaignSide(v.BOSS, "Boss", "orange", typed=True),
    )
    seats = ()
    learns = False
    rest = "The boss is back to full health."

    def from_setup(self, setup: v.Setup) -> Forces:
        """Return the boss."""
        return Forces(boss=setup.boss, times=setup.times, dealt=setup.dealt)

    def read(self, forces: Forces | None, side: str, data: bytes) -> Forces:
        """Read a boss by its name, or the first one of a file."""
        if side != v.BOSS:
            raise RuleError("People join boss fights by themselves: leave that out.")
        text = data.decode("utf-8-sig", "replace").strip()
        boss = read_bosses(data)[0] if "\n" in text else known_boss(text)
        if boss is None:
            hint = nearest(text, {one.name: one.name for one in LADDER}, parts=True)
            raise RuleError(f"There is no boss of that name.{f' Did you mean {hint}?' if hint else ''}")
        if forces is None:
            return Forces(boss=boss)
        return forces.model_copy(update={"boss": boss, "dealt": Fraction(0)})

    @override
    def setup(self, forces: Forces, last: v.Setup | None) -> v.Setup:
        if forces.dealt >= forces.health:
            raise RuleError("The ladder ends here: give another boss.")
        at = None if forces.dealt else rung_of(forces.boss)  # its figures may have changed; a wounded one keeps them
        boss = forces.boss if at is None else LADDER[at]
        return v.Setup(boss=boss, times=forces.times, dealt=forces.dealt, edition=v.HANDS)

    @override
    def seating(self, forces: Forces) -> Mapping[Seat, Seat | None]:
        return {}  # people join by themselves

    @override
    def after(self, forces: Forces, state: v.State, dice: Dice) -> Forces:
        party = tuple((member.seat, math.ceil(member.left), member.health) for member in _in_order(state))
        fell = state.boss_left <= 0
        after = forces.model_copy(update={"party": party, "beaten": forces.beaten + fell, "dealt": state.dealt})
        following = next_rung(state.setup.boss) if fell else None
        if following is None:
            return after
        return after.model_copy(update={"boss": following, "dealt": Fraction(0)})

    @override
    def deeds(self, forces: Forces, state: v.State, events: Iterable[v.Event]) -> tuple[Deed, ...]:
        blows: list[tuple[str, str, int, int]] = []
        for event in events:
            if isinstance(event, v.Exchanged | v.Struck):
                blows.append((event.seat, v.BOSS, math.ceil(event.to_boss.total), 0))
                blows.append((v.BOSS, event.seat, math.ceil(event.to_player.total), 0))
            elif isinstance(event, v.Fell):
                blows.append((v.BOSS, event.seat, 0, 1))
        if state.last is not None and state.boss_left <= 0:
            blows.append((state.last.seat, v.BOSS, 0, 1))
        party = {member.seat: (v.PARTY, v.default_name(member.seat)) for member in _in_order(state)}
        return deeds_of({**party, v.BOSS: (v.BOSS, state.setup.boss.name)}, blows)

    def veterans(self, forces: Forces) -> tuple[Veteran, ...]:
        """Return who fought last, and the boss that comes next."""
        party = tuple(
            Veteran(side=v.PARTY, name=v.default_name(seat), left=left, most=max(1, most))
            for seat, left, most in forces.party
        )
        left = math.ceil(forces.health - forces.dealt)
        return (*party, Veteran(side=v.BOSS, name=forces.boss.name, left=left, most=forces.health))

    def seat_of(self, one: Veteran) -> Seat | None:
        """Return the seat of a member of the party."""
        return next((seat for seat in v.MEMBERS if one.side == v.PARTY and one.name == v.default_name(seat)), None)

    def rested(self, forces: Forces) -> Forces:
        """Return the boss without wounds."""
        return forces.model_copy(update={"dealt": Fraction(0)})

    def adjusted(self, forces: Forces, adjustments: Sequence[Adjustment]) -> Forces:
        """Return the boss healed or weakened; the party comes with all its health anyway."""
        found = adjustments_by_name(adjustments, [(v.BOSS, forces.boss.name)])
        given = sum(one.healing for one in found.values())
        dealt = min(Fraction(forces.health - 1), max(Fraction(0), forces.dealt - given))
        return forces.model_copy(update={"dealt": dealt})

    def summary(self, forces: Forces) -> str:
        """Return how far the party has come."""
        at = rung_of(forces.boss)
        rung = "" if at is None else f", rung {at + 1} of {len(LADDER)}"
        return f"Next: {forces.boss.name}{rung}; {forces.beaten} beaten so far"

    def files(self, forces: Forces) -> dict[str, bytes]:
        """Return the boss that comes next."""
        return {"Boss.csv": write_bosses((forces.boss,))}


def _in_order(state: v.State) -> list[v.Member]:
    return sorted(state.members, key=lambda member: v.MEMBERS.index(member.seat))
