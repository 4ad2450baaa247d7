"""What a seat may see of a dice battle.

In the fog a side's units, dice and losses are for that side alone until the battle is over; the others see numbers of
hits. A choice of losses is for the side that made it until both sides have chosen.
"""

from sim.axis_allies.army import Army
from sim.axis_allies.battle.values import (
    Asked,
    Event,
    Fired,
    Hits,
    Lost,
    Pending,
    Phase,
    RoundBegan,
    Setup,
    State,
    Tally,
)
from sim.core.battle import Seat
from sim.core.outcomes import Side


def in_fog(state: State) -> bool:
    """Return whether armies are hidden now."""
    return state.setup.fog and state.phase is not Phase.OVER


def visible_state(state: State, seat: Seat) -> State:
    """Return the state without what `seat` may not see; armies that are taken away are in `hidden`."""
    hidden = _hidden_sides(state, seat)
    update: dict[str, object] = {"hidden": hidden, "setup": _visible_setup(state.setup, hidden)}
    for side in hidden:
        update |= {side.value: Army(), f"{side}_fire": Tally()}
    update["pending"] = tuple(due if due.side == seat else _visible_pending(due, hidden) for due in state.pending)
    return state.model_copy(update=update)


def visible_events(state: State, events: tuple[Event, ...], seat: Seat) -> tuple[Event, ...]:
    """Return the events without what `seat` may not see while the battle stands like `state`."""
    hidden = _hidden_sides(state, seat)
    return tuple(_visible_event(event, hidden) for event in events) if hidden else events


def _hidden_sides(state: State, seat: Seat) -> tuple[Side, ...]:
    return tuple(side for side in Side if side != seat) if in_fog(state) else ()


def _visible_setup(setup: Setup, hidden: tuple[Side, ...]) -> Setup:
    update: dict[str, object] = {side.value: Army() for side in hidden}
    # A method of one's own names units.
    update |= {f"{side}_losses": "score" for side in hidden if not isinstance(setup.losing(side), str)}
    return setup.model_copy(update=update)


def _visible_pending(due: Pending, hidden: tuple[Side, ...]) -> Pending:
    return due.model_copy(
        update={
            "hits": _number_alone(due.hits) if due.side in hidden else due.hits,
            "picked": None if due.picked is None else (),
        }
    )


def _visible_event(event: Event, hidden: tuple[Side, ...]) -> Event:
    if isinstance(event, RoundBegan):
        return event.model_copy(update={side.value: Army() for side in hidden})
    if not isinstance(event, Fired | Asked | Lost) or event.side not in hidden:
        return event
    if isinstance(event, Fired):
        return event.model_copy(update={"throws": (), "hits": _number_alone(event.hits)})
    if isinstance(event, Asked):
        return event.model_copy(update={"hits": _number_alone(event.hits)})
    return event.model_copy(
        update={"losses": (), "wasted": 0, "hidden": sum(loss.count for loss in event.losses)},
    )


def _number_alone(hits: Hits) -> Hits:
    """Return as many hits, without the kinds of units that scored them."""
    return Hits(rest=hits.total)
