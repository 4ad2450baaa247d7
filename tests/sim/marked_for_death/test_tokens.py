"""The card of a battle: hearts, lines between tokens, who fell to whom, who did most; the same in words."""

import json

import pytest

from sim.core.battle import REFEREE
from sim.core.cards.marks import Shape
from sim.core.cards.theme import INK, TROUGH
from sim.core.dice import SeededDice
from sim.marked_for_death.battle.values import Setup, State
from sim.marked_for_death.cards import battle_card, panel_card
from sim.marked_for_death.roster import Camp
from sim.marked_for_death.tables import read_roster, sample
from sim.marked_for_death.tokens import Best, Token, TokenCard, TokenSide, draw_tokens
from tests.sim.marked_for_death.builders import BATTLE, RIDERS, begin, read, roster

LONGEST = "Shieldbearer of the Northern Watch"


def token(name: str = "Tom", hp: int = 2, most: int = 4, **more: object) -> Token:
    return Token.model_validate({"name": name, "instead": "Hero 1", "hp": hp, "most": most, **more})


def card(*heroes: Token, best: Best | None = None) -> TokenCard:
    sides = (TokenSide(name="Heroes", rows=heroes), TokenSide(name="Villains", rows=(token("Orc"),)))
    return TokenCard(title="Round 2", sides=sides, best=best)


def hearts(*heroes: Token) -> list[str]:
    """Return the colors of the heroes' hearts, without the tokens and the orc's four."""
    shapes = [mark for mark in draw_tokens(card(*heroes)).marks if isinstance(mark, Shape) and mark.height == 36]
    return [shape.color for shape in shapes][:-4]


def test_hearts_are_full_cracked_in_this_round_or_empty() -> None:
    assert [color in {INK, TROUGH} for color in hearts(token(lost=1))] == [False, False, True, True]
    assert hearts(token(lost=1))[2:] == [INK, TROUGH]


def test_more_hit_points_than_hearts_are_numbers() -> None:
    texts = [getattr(mark, "text", "") for mark in draw_tokens(card(token(hp=12, most=15, lost=3))).marks]
    assert "12 / 15" in texts
    assert "3" in texts
    assert len(hearts(token(hp=12, most=15, lost=3))) == 2


def test_lines_lead_from_guards_and_to_those_with_whom_somebody_falls_while_both_stand() -> None:
    side = battle_card(begin(read_roster(RIDERS.encode()).roster, roster("Orc")), (), None).sides[0]
    assert [row.name for row in side.rows] == ["Dragon", "Summoner", "Tom"]
    assert list(side.bonds()) == [(0, 1, True), (1, 0, True), (2, 1, False), (2, 0, True)]
    fallen = side.rows[1].model_copy(update={"hp": 0, "fate": "by Orc"})
    left = side.model_copy(update={"rows": (side.rows[0], fallen, side.rows[2])})
    assert list(left.bonds()) == [(2, 0, True)]


def whole() -> tuple[State, list[str], list[State]]:
    """Fight the sample armies to the end; return the last state, the steps' events and the states before."""
    sides = {camp.value: read_roster(sample(camp)).roster for camp in Camp}
    states, texts = [BATTLE.begin(Setup(**sides, led=True))], []
    while states[-1].ending is None:
        offer = BATTLE.legal(states[-1])[0]
        assert offer.action is not None
        step = BATTLE.apply(states[-1], offer.action, REFEREE, SeededDice(b"tokens", len(states)))
        states.append(step.state)
        texts.append(json.dumps([BATTLE.events.write(event) for event in step.events]))
    return states[-1], texts, states


def test_the_end_names_the_chances_of_the_panel_before_round_1_and_every_killer() -> None:
    end, texts, states = whole()
    first = panel_card(states[0], BATTLE.states.write_json(states[0]), ()).draw()
    last = panel_card(end, BATTLE.states.write_json(end), texts).draw()
    winner = "Heroes" if end.winner is Camp.HEROES else "Villains"
    chance = first.alt.partition(f"{winner}, ")[2].partition(" to win")[0]
    assert f"{winner.lower()} had {chance}" in last.alt or f"were {chance} favorites" in last.alt
    assert "fallen" not in last.alt
    midst = panel_card(states[-2], BATTLE.states.write_json(states[-2]), texts[:-1]).draw()
    assert "fallen" not in midst.alt, "who fell rounds ago still has a killer"


@pytest.mark.parametrize("names", [[LONGEST] * 6, ["Bo"], ["春野サクラ", "🐉", "Tom", "X", "Y", "Z", "W"]])
def test_cards_are_light_and_draw_any_names(names: list[str]) -> None:
    rows = [f"{name} {at}"[-40:] + ",4000,,2,0.1,0.2,,," for at, name in enumerate(names)]
    state = begin(read(*rows), read(*rows))
    drawn = panel_card(state, BATTLE.states.write_json(state), ()).run()
    assert len(drawn.data) <= 30_000
