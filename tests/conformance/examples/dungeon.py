"""A dungeon: heroes gather, go from room to room, and leave with what they gained."""

from random import Random

from sim.core.battle import LegalAction, Seat
from sim.duel.battle.dungeon_rules import Dungeon
from sim.duel.battle.dungeon_values import Action, Join, PlainAction, Setup, State
from sim.duel.critter import RULES_VERSION
from tests.conformance.example import Example
from tests.sim.duel.builders import critter

SYSTEM = Dungeon()


def summary(state: State) -> str:
    heroes = (f"{hero.critter.name} {hero.hp}" for hero in state.heroes)
    foes = () if state.foes is None else (f"{state.foes.met.kind} {' '.join(map(str, state.foes.hp))}",)
    return f"room {state.room}, waits for {state.phase}; {', '.join((*heroes, *foes)) or 'nobody'}"


def fill(state: State, _offer: LegalAction[Action], _seat: Seat, _choose: Random) -> Action:
    taken = {hero.critter.name for hero in state.heroes}
    name = next(name for number in range(len(state.heroes) + 1, 9) if (name := f"Hero {number}") not in taken)
    return Join(critter=critter(name, 12, str_mod=2, armour_class=4))


def size(heroes: int) -> tuple[State, Action]:
    return SYSTEM.begin(
        Setup(heroes=tuple(critter(f"Hero {number}", attacks=10) for number in range(heroes)))
    ), PlainAction(do="enter")


EXAMPLE: Example = Example(
    system=SYSTEM,
    setups={
        "short": Setup(rooms=2),
        "deep": Setup(rooms=6, level=2, heroes=(critter("Alrun", 40, str_mod=3),), edition=RULES_VERSION),
    },
    story=Setup(rooms=1, heroes=(critter("Alrun", 20, str_mod=3, armour_class=3, to_hit=14),)),
    seed=b"four",
    summary=summary,
    fill=fill,
    weights={"continue": 5, "leave": 0.2, "join": 2, "step-out": 0.5},
    rare=frozenset({"Paused", "Parted"}),
    sizes=[size(1), size(2), size(4)],
)
