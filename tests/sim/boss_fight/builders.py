"""Short ways to say bosses, traits, tokens and decks and to go on with a fight, and strategies that draw them."""

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from sim.boss_fight.battle import Action, Event, Exchanged, Join, Play, Return, Setup, State
from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.tables import FLAG_SIGNS
from sim.boss_fight.values import FIGURES, MAX_FIGURE, Boss, Deck, Element, Token, Trait
from sim.core.battle import ANYONE, REFEREE, Leave, Step
from sim.core.dice import ScriptedDice

STEP, ROUND, RUN = Play(), Play(do="round"), Play(do="run")


def _values(health: int, physical: int, magical: int, flags: str) -> dict[str, Any]:
    figures = dict(zip(FIGURES, (health, physical, magical), strict=True))
    return figures | {FLAG_SIGNS[sign]: True for sign in flags.split()}


def boss(
    health: int = 1000,
    physical: int = 0,
    magical: int = 0,
    flags: str = "",
    element: Element | None = None,
    name: str = "Troll",
    **more: object,
) -> Boss:
    """Make a boss: `boss(1000, 2000, flags="PR MP")`."""
    values = {"name": name, "element": element, **_values(health, physical, magical, flags), **more}
    return Boss.model_validate(values)


def trait(health: int = 0, physical: int = 0, magical: int = 0, flags: str = "", name: str = "trait") -> Trait:
    """Make a trait: `trait(500, flags="PR")`."""
    return Trait(name=name, **_values(health, physical, magical, flags))


def token(*traits: Trait, element: Element | None = None, name: str = "token") -> Token:
    """Make a token."""
    return Token(name=name, element=element, traits=traits)


def deck(*tokens: Token) -> Deck:
    """Make a deck; its tokens are numbered."""
    named = (card.model_copy(update={"name": f"token {number}"}) for number, card in enumerate(tokens, start=1))
    return Deck(tokens=tuple(named))


def simple(
    health: int = 0, physical: int = 0, magical: int = 0, flags: str = "", element: Element | None = None
) -> Deck:
    """Make a deck of one token with one trait."""
    return deck(token(trait(health, physical, magical, flags), element=element))


figures = st.one_of(st.integers(0, 10), st.integers(0, 3000), st.integers(0, MAX_FIGURE))
flags = st.lists(st.sampled_from(list(FLAG_SIGNS)), unique=True).map(" ".join)
elements = st.one_of(st.none(), st.sampled_from(Element))
names = st.one_of(
    st.sampled_from(["V", "Fairy", "sword", "Superfime", "Elixir", "Fang", "=1+1", "山田", "None"]),
    st.text("abc XYZ'-!9", min_size=1, max_size=12).map(str.split).map(" ".join).filter(bool),
)
traits = st.builds(trait, figures, figures, figures, flags, names)
bosses = st.builds(boss, st.integers(1, 10_000), figures, figures, flags, elements)


@st.composite
def tokens(draw: st.DrawFn) -> Token:
    """Draw a token of some traits."""
    return token(*draw(st.lists(traits, min_size=1, max_size=7)), element=draw(elements))


@st.composite
def decks(draw: st.DrawFn, most: int = 5) -> Deck:
    """Draw a deck; some of its tokens are called by their kind."""
    drawn = draw(st.lists(tokens(), min_size=1, max_size=most))
    labels = ["hero", "attack", "Attack 2", "boss drop", "mine"]
    return Deck(
        tokens=tuple(card.model_copy(update={"name": label}) for card, label in zip(drawn, labels, strict=False))
    )


FIGHT = BossFight()


def act(state: State, action: Action, seat: str = REFEREE, *rolls: int) -> Step[State, Event]:
    """Apply an action with just these rolls: none but those of attacks on hands."""
    dice = ScriptedDice(rolls)
    step = FIGHT.apply(state, action, seat, dice)
    assert not dice.left
    return step


def begin(boss: Boss, *party: tuple[str, Deck], times: int = 1) -> State:
    """Begin a fight that these have joined."""
    state = FIGHT.begin(Setup(boss=boss, times=times))
    for name, deck in party:
        state = join(state, name, deck)
    return state


def join(state: State, name: str, deck: Deck | None = None) -> State:
    """Let somebody join, with 100 health and 10 damage if nothing else is said."""
    return act(state, Join(name=name, deck=deck or simple(100, 10)), ANYONE).state


def fought(boss: Boss, decks: Iterable[Deck], times: int = 1) -> State:
    """Return the end of a fight that these decks joined in this order."""
    state = begin(boss, *((f"M{at}", deck) for at, deck in enumerate(decks)), times=times)
    while state.ending is None:
        state = act(state, RUN).state
    return state


def step(state: State) -> State:
    """Take a step."""
    return act(state, STEP).state


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
