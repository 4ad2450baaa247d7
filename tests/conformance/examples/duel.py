"""A duel of two with a story around it, and of two groups without."""

from sim.duel.battle import Continue, Setup, State
from sim.duel.battle.rules import Duel
from sim.duel.critter import RULES_VERSION
from sim.duel.words import NARRATED_WORDS
from tests.conformance.example import Example
from tests.sim.duel.builders import critter, setup

SYSTEM = Duel()


def summary(state: State) -> str:
    fighters = (f"{fighter.name} {hp}" for fighter, hp in zip(state.setup.critters, state.hp, strict=True))
    return f"round {state.round}; {', '.join(fighters)}"


def groups(count: int, morale: int | None = None) -> Setup:
    first, second = (
        [critter(f"{name} {number}", attacks=2, morale=morale) for number in range(count)] for name in ("Red", "Blue")
    )
    return setup(first, second, morale=morale is not None, words=NARRATED_WORDS, edition=RULES_VERSION)


EXAMPLE: Example = Example(
    system=SYSTEM,
    setups={
        "story": setup([critter("Alrun", 8, str_mod=2)], [critter("Borri", 7)], narrated=True, press="anyone"),
        "groups": groups(4),
        "faint hearts": groups(4, morale=6),
    },
    story=setup([critter("Alrun", 5, str_mod=2)], [critter("Borri", 4)], narrated=True),
    seed=b"eight",
    summary=summary,
    weights={"continue": 20},
    rare=frozenset({"Paused"}),
    sizes=[(SYSTEM.begin(groups(count)), Continue()) for count in (1, 10, 100)],
)
