"""Short ways to begin a fight and to go on with it."""

from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.battle.values import Action, Event, Exchanged, Join, Return, Setup, State, TakeStep
from sim.boss_fight.values import Boss, Deck
from sim.core.battle import ANYONE, REFEREE, Leave, Step
from sim.core.dice import ScriptedDice
from tests.sim.boss_fight.builders import simple

FIGHT = BossFight()


def act(state: State, action: Action, seat: str) -> Step[State, Event]:
    """Apply an action without any dice, for none are thrown."""
    return FIGHT.apply(state, action, seat, ScriptedDice([]))


def begin(boss: Boss, *party: tuple[str, Deck], times: int = 1) -> State:
    """Begin a fight that these have joined."""
    state = FIGHT.begin(Setup(boss=boss, times=times))
    for name, deck in party:
        state = join(state, name, deck)
    return state


def join(state: State, name: str, deck: Deck | None = None) -> State:
    """Let somebody join, with 100 health and 10 damage if nothing else is said."""
    return act(state, Join(name=name, deck=deck or simple(100, 10)), ANYONE).state


def step(state: State) -> State:
    """Take a step."""
    return act(state, TakeStep(), REFEREE).state


def leave(state: State, number: int) -> State:
    """Let the member in that seat leave."""
    return act(state, Leave(), f"member-{number}").state


def come_back(state: State, number: int) -> State:
    """Let the member in that seat come back."""
    return act(state, Return(), f"member-{number}").state


def stepped(state: State) -> str | None:
    """Return whose step is next."""
    return None if state.turn is None else state.turn.name


def exchanges(events: tuple[Event, ...]) -> list[str]:
    """Return who fought, in order."""
    return [event.name for event in events if isinstance(event, Exchanged)]
