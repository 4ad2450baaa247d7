"""The card of a battle in the fog: the hits that everybody may know, and nothing else."""

from sim.axis_allies.battle.fog_card import FogCardRequest
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Event, Fire, Setup
from sim.axis_allies.parse import parse_question
from sim.core.battle import ANYONE
from sim.core.cards.theme import BLUE, ORANGE
from sim.core.dice import SeededDice, seed_bytes
from sim.core.values import Side
from tests.sim.core.cards.looking import opened, share

RULES = DiceBattle()


def fought(rounds: int) -> FogCardRequest:
    question = parse_question("4 tanks, 4 inf vs 9 inf", "1941")
    state = RULES.begin(Setup.of(question, dict.fromkeys(Side), fog=True))
    events: list[Event] = []
    for number in range(1, rounds + 1):
        step = RULES.apply(state, Fire(), "attacker", SeededDice(seed_bytes(5), number))
        state = step.state
        events += RULES.visible_events(state, step.events, ANYONE)
    return FogCardRequest.of(state.round, events)


def test_before_the_battle_there_are_clouds_alone() -> None:
    drawn = fought(0).run()
    assert drawn.alt == "Fog over the field. Both armies are hidden until the end."
    opened(drawn.data)


def test_the_hits_of_the_last_round_flash_in_the_color_of_those_who_scored_them() -> None:
    assert fought(1) == FogCardRequest(round=1, attacker=5, defender=4)
    drawn = fought(2).run()
    assert drawn.alt.startswith("Round 2 in the fog. Attacker unhurt. Defender took 3 hits. ")
    for card, left, color in ((drawn, 400, ORANGE), (fought(1).run(), 0, BLUE)):
        bank = opened(card.data).crop((left, 200, left + 400, 280))
        assert share(bank, color) > 0 == share(bank, BLUE if color == ORANGE else ORANGE)


def test_a_side_that_is_not_hit_has_no_flash() -> None:
    drawn = FogCardRequest(round=3, attacker=40, defender=0).run()
    assert drawn.alt.startswith("Round 3 in the fog. Attacker took 40 hits. Defender unhurt. ")
    assert share(opened(drawn.data).crop((400, 200, 800, 280)), ORANGE) == 0
