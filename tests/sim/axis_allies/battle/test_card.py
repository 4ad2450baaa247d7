"""The cards of a live battle, as players see and hear them; in the fog, only the hits that everybody may know."""

import json

import pytest

from sim.axis_allies.battle import MANUAL, Action, CasualtyPolicy, Event, Fire, Phase, Retreat, Setup
from sim.axis_allies.battle.cards import BattleCardRequest, FogCardRequest
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.parse import parse_question
from sim.core import RuleError
from sim.core.battle import ANYONE
from sim.core.cards.theme import BLUE, NEUTRAL, ORANGE
from sim.core.cards.values import DrawnCard, decisive_round
from sim.core.dice import SeededDice, seed_bytes
from sim.core.values import Side
from tests.sim.axis_allies.battle.builders import setup
from tests.sim.core.cards.looking import opened, share

RULES = DiceBattle()
EVERYTHING = "20 inf, 20 tank, 20 ftr, 20 bomber, 20 sub, 20 dest, 20 car, 20 bb, 20 trn vs 200 inf, 190 tanks"


def card(
    battle: str,
    rounds: int,
    *,
    retreat: bool = False,
    edition: str = "1941",
    policy: CasualtyPolicy | None = None,
) -> DrawnCard:
    """Fight so many rounds, or fewer if it ends or waits before; retreat then if asked to."""
    state = RULES.begin(setup(battle, policy, edition=edition))
    events: list[str] = []
    actions: list[Action] = [*[Fire()] * rounds, *([Retreat()] if retreat else [])]
    for number, action in enumerate(actions, start=1):
        if state.phase is Phase.READY:
            step = RULES.apply(state, action, "attacker", SeededDice(seed_bytes(5), number))
            state = step.state
            events.append(json.dumps([RULES.events.write(event) for event in step.events]))
    return BattleCardRequest(state_json=RULES.states.write_json(state), events_json=tuple(events)).run()


def test_a_round_says_the_dice_and_the_chances_from_here() -> None:
    drawn = card("4 tanks, 4 inf vs 9 inf", 1)
    assert drawn.alt.startswith("From here: attacker 15.1%, defender 82.2%, tie 2.7%. Attacker: 3 tanks. Defender: 5 ")
    assert "The attacker fires: 4 tanks at 3 (3, 2, 2, 1); 4 infantry at 1 (" in drawn.alt
    bar = opened(drawn.data)
    assert share(bar, ORANGE, row=151) == pytest.approx(0.151 * 744 / 800, abs=0.01)
    assert share(bar, BLUE, row=151) == pytest.approx(0.822 * 744 / 800, abs=0.01)
    assert share(bar, NEUTRAL, row=151) > 0, "a tie is nobody's victory"


LANDING = "6 inf, 2 art, 1 tank, 2 ftr + 2 bb bombard vs 5 inf, 1 art, 2 aa, 1 ftr"
LARGE = (
    "6 inf, 3 mech, 3 art, 3 tank, 3 ftr, 4 tac, 2 bmr + 2 bb bombard, 2 cru bombard "
    "vs 12 inf, 2 mech, 2 art, 2 aa, 2 tank, 2 ftr | tech attacker: heavy bombers, improved mech"
)
FLEETS = (
    "2 sub, 2 dd, 2 cru, 2 cv, 2 bb, 2 tra, 2 ftr, 2 tac, 1 bmr vs 3 sub, 2 dd, 2 cv, 3 ftr, 1 bb, 2 cru, 3 tra, 2 tac"
)


def test_the_first_round_s_card_has_what_came_before_it() -> None:
    drawn = card(LANDING, 1, edition="1942")
    assert drawn.alt.startswith("From here: attacker ")
    assert " Antiaircraft fire, hits on 1: 2 dice " in drawn.alt
    assert "; 2 battleships bombarding at 4 " in drawn.alt
    opened(drawn.data)


def test_a_card_while_losses_of_antiaircraft_fire_wait() -> None:
    drawn = card("1 inf, 9 ftr, 9 bmr vs 2 inf, 6 aa", 1, edition="1942", policy=MANUAL)
    assert "The attacker must take " in drawn.alt
    assert "Round 1" not in drawn.alt
    opened(drawn.data)


def test_the_end_of_an_edition_s_battle_tells_luck_and_the_course_from_before_the_first_dice() -> None:
    drawn = card(LANDING, 9, edition="1942")
    assert "Luckier than 66 of 100 attackers." in drawn.alt
    assert opened(drawn.data).height > 400, "with the course"


@pytest.mark.parametrize(
    ("battle", "edition"),
    [
        (LANDING, "1942"),
        (f"{LANDING} | low luck", "1942"),
        (LARGE, "1940"),
        (FLEETS, "1940"),
        (f"{FLEETS} | low luck", "1940"),
        ("2 sub, 1 bb, 2 ftr vs 2 sub, 1 dd, 1 tra, 2 ftr", "revised"),
        ("3 inf, 2 ftr, 2 bmr vs 5 inf, 1 aa | tech attacker: heavy bombers; defender: radar", "anniversary"),
    ],
)
def test_dice_of_every_edition_fit_a_card(battle: str, edition: str) -> None:
    assert opened(card(battle, 1, edition=edition).data).height <= 1150


@pytest.mark.parametrize("rounds", [1, 20])
def test_every_unit_and_hundreds_of_dice_fit_a_card(rounds: int) -> None:
    assert opened(card(EVERYTHING, rounds).data).height <= 1000


def test_a_stalemate_from_the_beginning() -> None:
    assert card("1 sub vs 1 ftr", 1).alt == "Stalemate: neither side can hit the other."


def test_odds_that_take_long_are_left_to_the_text() -> None:
    with pytest.raises(RuleError, match="too large for a card"):
        card("250 inf, 100 sub, 100 ftr vs 250 inf, 100 sub, 100 ftr", 0)


@pytest.mark.parametrize(
    ("course", "decisive"),
    [((), 0), (((0.5, 0.5), (0.5, 0.5)), 0), (((0.5, 0.5), (0.6, 0.4), (0.0, 1.0)), 2), (((0.5, 0.5), (0.0, 0.0)), 1)],
)
def test_the_decisive_round_moved_the_chances_most(course: tuple[tuple[float, float], ...], decisive: int) -> None:
    assert decisive_round(course) == decisive


def fought(rounds: int) -> FogCardRequest:
    question = parse_question("4 tanks, 4 inf vs 9 inf", "1941")
    state = RULES.begin(Setup.of(question, dict.fromkeys(Side), fog=True))
    events: list[Event] = []
    for number in range(1, rounds + 1):
        step = RULES.apply(state, Fire(), "attacker", SeededDice(seed_bytes(5), number))
        state, events = step.state, [*events, *RULES.visible_events(step.state, step.events, ANYONE)]
    return FogCardRequest.of(events)


def test_the_hits_of_the_last_round_flash_in_the_color_of_those_who_scored_them() -> None:
    assert fought(1) == FogCardRequest(round=1, attacker=5, defender=4)
    assert "unhurt" not in fought(0).run().alt  # so does a branch begin, whose round was fought elsewhere
    drawn = fought(2).run()
    assert drawn.alt.startswith("Round 2 in the fog. Attacker unhurt. Defender took 3 hits. ")
    for card, left, color in ((drawn, 400, ORANGE), (fought(1).run(), 0, BLUE)):
        bank = opened(card.data).crop((left, 200, left + 400, 280))
        assert share(bank, color) > 0 == share(bank, BLUE if color == ORANGE else ORANGE)


def test_a_side_that_is_not_hit_has_no_flash() -> None:
    drawn = FogCardRequest(round=3, attacker=40, defender=0).run()
    assert drawn.alt.startswith("Round 3 in the fog. Attacker took 40 hits. Defender unhurt. ")
    assert share(opened(drawn.data).crop((400, 200, 800, 280)), ORANGE) == 0
