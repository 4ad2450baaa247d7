"""Boss fights: members join with their decks, leave, come back, and step in turn, with whole decks and with hands."""

from random import Random

from sim.boss_fight.battle import HANDS, Action, HandMember, Join, Play, PutUp, Setup, State
from sim.boss_fight.battle.rules import BossFight
from sim.core.battle import ANYONE, LegalAction, Seat
from sim.core.dice import ScriptedDice
from tests.conformance.example import Example
from tests.sim.boss_fight.builders import boss, deck, simple, token, trait

SYSTEM = BossFight()
BULL = boss(400, 30, 10, "PR", name="Bull", entry="Who dares?", half="Impossible!", fall="The end.")


def summary(state: State) -> str:
    party = (
        f"{member.name} {member.left} of {member.health}{' (away)' if member.away else ''}" for member in state.members
    )
    return f"round {state.round}; {state.setup.boss.name} {state.boss_left}; {', '.join(party) or 'nobody'}"


def fill(state: State, offer: LegalAction[Action], _seat: Seat, choose: Random) -> Action:
    if offer.name == "put-up":
        assert isinstance(state.turn, HandMember)
        rested = state.turn.rested
        return PutUp(tokens=tuple(choose.sample(rested, choose.randint(1, min(5, len(rested))))))
    if state.setup.edition is None:
        return Join(deck=simple(choose.randint(60, 120), choose.randint(10, 20), choose.randint(0, 10)))
    return Join(deck=deck(*(token(trait(20, choose.randint(0, 20), 5, "PR")) for _ in range(choose.randint(2, 9)))))


def size(traits: int) -> tuple[State, Action]:
    large = deck(token(*(trait(10, 5, name=f"trait {number}") for number in range(traits))))
    state = SYSTEM.begin(Setup(boss=BULL, times=1000))
    return SYSTEM.apply(state, Join(deck=large), ANYONE, ScriptedDice([])).state, Play()


EXAMPLE: Example = Example(
    system=SYSTEM,
    setups={
        "one": Setup(boss=BULL),
        "many times its health": Setup(boss=boss(100, 1, name="Stone"), times=5),
        "hands": Setup(boss=BULL, edition=HANDS),
        "hands, Fury only": Setup(boss=boss(200, 30, name="Stone"), edition=HANDS),
    },
    story=Setup(boss=BULL.model_copy(update={"health": 120})),
    seed=b"eight",
    summary=summary,
    fill=fill,
    weights={"step": 10, "put-up": 10, "join": 2, "leave": 3, "run": 0.2, "run-for": 0.2},
    rare=frozenset({"Paused"}),
    sizes=[size(1), size(20), size(200)],
    story_steps=60,
)
