"""Axis & Allies: losses by score and by hand, at sea and on land, in old and new editions, with and without fog."""

from random import Random

from sim.axis_allies.army import army_text
from sim.axis_allies.battle import MANUAL, Action, Event, Fire, Loss, PickLosses, State
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.runner import default_losses
from sim.axis_allies.units import Unit
from sim.core.battle import LegalAction, Seat, Step
from sim.core.dice import ScriptedDice
from sim.core.values import Side
from tests.conformance.example import Example, Secret
from tests.sim.axis_allies.battle.builders import setup

SYSTEM = DiceBattle()
BY_HAND = setup("2 subs, 1 bb, 2 fighters, 1 transport vs 1 destroyer, 2 subs, 1 carrier, 1 fighter", MANUAL)
IN_FOG = setup("3 tanks, 2 fighters vs 4 inf, 1 tank").model_copy(update={"fog": True})
LANDING = setup(
    "4 inf, 1 art, 2 fighters, 1 bomber + 1 bb bombard vs 4 inf, 1 aa, 1 fighter", MANUAL, edition="revised"
)
GUNS = setup("3 inf, 2 fighters, 1 bomber + 1 bb bombard vs 4 inf, 2 aa, 1 fighter", MANUAL, edition="1942")
LOW_LUCK = setup("4 inf, 2 art, 2 tac vs 5 inf, 1 aa, 1 tank | low luck", edition="1940")
MARKED = setup("2 subs, 1 bb, 1 transport vs 2 subs, 1 destroyer, 1 transport", MANUAL, edition="revised")
TRANSPORTS = setup("2 destroyers, 1 transport vs 1 destroyer, 2 transports", edition="1942")


def summary(state: State) -> str:
    armies = (f"{side}: {army_text(state.army(side)) or 'nobody'}" for side in Side)
    return f"round {state.round}, waits for {state.phase}; {'; '.join(armies)}"


def fill(state: State, _offer: LegalAction[Action], seat: Seat, _choose: Random) -> Action:
    side = Side(seat)
    return PickLosses(side=side, losses=default_losses(state, side))


def size(units: int) -> tuple[State, Action]:
    return SYSTEM.begin(setup(f"{units} tanks, {units} fighters vs {2 * units} inf")), Fire()


def fought_in_fog(defender: str) -> Step[State, Event]:
    """Let the attacker hit once and the defender, of three units, not at all."""
    fog = setup(f"2 tanks vs {defender}", "score").model_copy(update={"fog": True})
    return SYSTEM.apply(SYSTEM.begin(fog), Fire(), "attacker", ScriptedDice([1, 6, 6, 6, 6]))


def picked(unit: Unit) -> Step[State, Event]:
    """Let the attacker choose one of its two kinds of units before the defender has chosen."""
    state = SYSTEM.begin(setup("2 tanks, 2 inf vs 2 tanks, 2 inf", MANUAL))
    state = SYSTEM.apply(state, Fire(), "attacker", ScriptedDice([1, 6] * 4)).state
    losses = (Loss(slot=unit, count=2),)
    return SYSTEM.apply(state, PickLosses(side=Side.ATTACKER, losses=losses), "attacker", ScriptedDice([]))


EXAMPLE: Example = Example(
    system=SYSTEM,
    setups={
        "by score": setup("6 tanks vs 10 inf"),
        "by hand": BY_HAND,
        "fog": IN_FOG,
        "landing": LANDING,
        "guns": GUNS,
        "low luck": LOW_LUCK,
        "marked": MARKED,
        "transports": TRANSPORTS,
    },
    story=setup("3 tanks, 1 fighter vs 4 inf, 1 tank", MANUAL),
    seed=b"five",
    summary=summary,
    fill=fill,
    weights={"fire": 20, "retreat": 0.5, "pick-attacker": 5, "pick-defender": 5},
    rare=frozenset({"Paused"}),
    secrets=[
        Secret("army in the fog", (fought_in_fog("3 inf"), fought_in_fog("2 inf, 1 tank")), ("defender",)),
        Secret("choice of losses", (picked(Unit.TANK), picked(Unit.INFANTRY)), ("attacker",)),
    ],
    sizes=[size(1), size(20), size(200)],
)
