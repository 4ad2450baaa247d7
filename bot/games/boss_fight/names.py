"""What members of a fight are called: by default as on Discord, and by their number once they are forgotten."""

from collections.abc import Iterable
from typing import TypeVar

from bot.store.battles.battle import Battle
from sim.boss_fight.battle.values import Event, State, default_name
from sim.boss_fight.values import MAX_NAME
from sim.core.battle import Seat
from sim.core.caret import visible
from sim.core.errors import RuleError
from sim.core.names import check_name, name_key
from sim.core.values import Frozen


def suggested_name(display_name: str, state: State) -> str:
    """Return a name for the form, near somebody's name on Discord; "" if that shows nothing."""
    name = " ".join("".join(char for char in display_name if visible(char) == char).split())[:MAX_NAME].strip()
    if check_name(name, MAX_NAME) is not None:
        return ""
    taken = {name_key(member.name) for member in state.members}
    numbered = (f"{name[: MAX_NAME - 3].strip()} {number}" for number in range(2, len(taken) + 2))
    return next(each for each in (name, *numbered) if name_key(each) not in taken)


def checked_name(typed: str, state: State) -> str | None:
    """Return a typed name, None for none; RuleError for one that is taken or not valid."""
    name = " ".join(typed.split())
    if not name:
        return None
    if (wrong := check_name(name, MAX_NAME)) is not None:
        raise RuleError(f"The name {wrong}.")
    if any(name_key(member.name) == name_key(name) for member in state.members):
        raise RuleError(f"Somebody in this fight is called {name} already.")
    return name


def shown_state(battle: Battle, state: State) -> State:
    """Return a state to show: members whose data were deleted have lost their names, which the journal's seal keeps."""
    forgotten = _forgotten(battle)
    if not forgotten:
        return state
    members = tuple(
        member.model_copy(update={"name": default_name(member.seat)}) if member.seat in forgotten else member
        for member in state.members
    )
    last = None if state.last is None else _shown(state.last, forgotten)
    return state.model_copy(update={"members": members, "last": last})


def shown_events(battle: Battle, events: Iterable[Event]) -> tuple[Event, ...]:
    """Return events to show, without the names of members whose data were deleted."""
    forgotten = _forgotten(battle)
    return tuple(_shown(event, forgotten) for event in events)


def _forgotten(battle: Battle) -> frozenset[Seat]:
    return frozenset(place.seat for place in battle.places if place.user_id is None)


EventT = TypeVar("EventT", bound=Frozen)


def _shown(event: EventT, forgotten: frozenset[Seat]) -> EventT:
    seat = getattr(event, "seat", None)
    return event.model_copy(update={"name": default_name(seat)}) if seat in forgotten else event
