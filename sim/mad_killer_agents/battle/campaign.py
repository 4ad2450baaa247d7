"""Campaigns of wars: who beats the AIs meets one more of them in the next war, and a rest sends one home.

People join each war by themselves, on a new map and with the armies that every war begins with.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import override

from sim.core import RuleError
from sim.core.battle import Codec, Seat
from sim.core.campaign import Adjustment, CampaignRules, CampaignSide, Deed, Veteran, deeds_of
from sim.core.dice import Dice
from sim.core.numbers import quantity
from sim.core.values import Frozen, Number
from sim.mad_killer_agents import battle as v
from sim.mad_killer_agents.battle.board import board_of
from sim.mad_killer_agents.battle.events import Event, Fought, Out
from sim.mad_killer_agents.constants import MAX_PLAYERS, RULES_VERSION, START_UNITS, AiKind
from sim.mad_killer_agents.terrain import Drawing

PEOPLE, AI = "people", "ai"

_QUICK = v.Setup(drawing=Drawing(width=10, height=10), rounds=15, turn_minutes=12 * 60, settled=True)
"""The terms of a war that follows no other."""


class Forces(Frozen):
    """The AIs of the next war, how often people beat some, and the units that were left to the people who fought last.

    People by their seats: a name may be a person's own, so it stays with the war.
    """

    ais: Annotated[tuple[AiKind, ...], Field(max_length=MAX_PLAYERS - 1)] = ()
    beaten: Number = 0
    people: tuple[tuple[Seat, v.Count], ...] = ()


class WarCampaign(CampaignRules[Forces, v.Setup, v.State, Event]):
    """A row of wars."""

    forces = Codec(Forces)
    sides = (CampaignSide(PEOPLE, "Players", "blue"), CampaignSide(AI, "AIs", "orange", typed=True))
    seats = ()
    unit = "units"
    harm = "hit"
    learns = False
    rest = "The AI that came last stays at home."

    def from_setup(self, setup: v.Setup) -> Forces:
        """Return the AIs that the setup brings; those that people add are known at the end."""
        return Forces(ais=_room([entrant.ai for entrant in setup.players if entrant.ai is not None]))

    def read(self, forces: Forces | None, side: str, data: bytes) -> Forces:
        """Read the AIs, by their names and commas."""
        if side != AI:
            raise RuleError("People join wars by themselves: leave that out.")
        names = [name.strip().casefold() for name in data.decode("utf-8-sig", "replace").split(",")]
        if wrong := [name for name in names if name not in set(AiKind)]:
            raise RuleError(f"There is no AI called {wrong[0][:40]!r}; there are {', '.join(AiKind)}.")
        if len(names) >= MAX_PLAYERS:
            raise RuleError(f"A war has at most {MAX_PLAYERS - 1} AIs, so that a player can join.")
        return (forces or Forces()).model_copy(update={"ais": tuple(map(AiKind, names))})

    @override
    def setup(self, forces: Forces, last: v.Setup | None) -> v.Setup:
        return (last or _QUICK).model_copy(update={"players": v.named(forces.ais), "edition": RULES_VERSION})

    @override
    def seating(self, forces: Forces) -> Mapping[Seat, Seat | None]:
        return {}  # people join by themselves

    @override
    def after(self, forces: Forces, state: v.State, dice: Dice) -> Forces:
        board = None if state.world is None else board_of(state)
        people = [player for player in state.players if player.ai is None]
        units = {v.seat_of(one.number): 0 if board is None else board.figures(one.number).units for one in people}
        ais = [player.ai or player.deputy for player in state.players if player.ai or player.was_ai]
        beat = bool(ais) and not {state.winner, *state.sharing}.isdisjoint(one.number for one in people)
        more = ais[-1:] if beat else []
        return Forces(ais=_room([*ais, *more]), beaten=forces.beaten + beat, people=tuple(units.items()))

    @override
    def deeds(self, forces: Forces, state: v.State, events: Iterable[Event]) -> tuple[Deed, ...]:
        blows: list[tuple[int, int, int, int]] = []
        for event in events:
            match event:
                case Fought():
                    blows.append((event.by, event.enemy, event.defender_loss, 0))
                    blows.append((event.enemy, event.by, event.attacker_loss, 0))
                case Out() if blows and event.by in (last := blows[-1][:2]):
                    (killer,) = {*last} - {event.by}
                    blows.append((killer, event.by, 0, 1))
        named = iter(v.named(player.ai for player in state.players if player.ai))
        fighters = {
            player.number: (PEOPLE, v.seat_of(player.number)) if player.ai is None else (AI, next(named).name)
            for player in state.players
        }
        return deeds_of(fighters, blows)

    def veterans(self, forces: Forces) -> tuple[Veteran, ...]:
        """Return who fought last, and the AIs that come next."""
        people = (
            Veteran(side=PEOPLE, name=seat, left=left, most=max(left, START_UNITS)) for seat, left in forces.people
        )
        ais = (Veteran(side=AI, name=one.name, left=START_UNITS, most=START_UNITS) for one in v.named(forces.ais))
        return (*people, *ais)

    def seat_of(self, one: Veteran) -> Seat | None:
        """Return a person's seat."""
        return one.name if one.side == PEOPLE else None

    def rested(self, forces: Forces) -> Forces:
        """Return an AI less, while there is another one."""
        return forces.model_copy(update={"ais": forces.ais[:1] + forces.ais[1:-1]})

    @override
    def adjusted(self, forces: Forces, adjustments: Sequence[Adjustment]) -> Forces:
        raise RuleError("Every war begins with new armies: there is nobody to heal.")

    def summary(self, forces: Forces) -> str:
        """Return whom the people meet, and how far they have come."""
        next_war = f"a war against {quantity(len(forces.ais), 'AI')}" if forces.ais else "a war without AIs"
        return f"Next: {next_war}; {forces.beaten} won against AIs so far"

    def files(self, forces: Forces) -> dict[str, bytes]:
        """Return the AIs that come next."""
        return {"AIs.txt": ", ".join(forces.ais).encode()}


def _room(ais: Sequence[AiKind]) -> tuple[AiKind, ...]:
    """Return those AIs beside whom a person has room."""
    return tuple(ais[: MAX_PLAYERS - 1])
