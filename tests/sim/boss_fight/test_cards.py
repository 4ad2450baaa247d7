"""The card of a party's fight."""

import pytest

from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.cards import BattleCardRequest, battle_card
from sim.core.cards.values import FightCard
from tests.sim.boss_fight.battle.builders import begin, join, leave, step
from tests.sim.boss_fight.builders import boss, simple
from tests.sim.core.cards.looking import opened


def test_bars_are_as_long_as_the_health_that_is_left() -> None:
    state = step(begin(boss(1000, 25), ("Ann", simple(100, 400)), ("Ben", simple(100, 1))))
    card = battle_card(state)
    assert card.foe is not None
    assert [card.foe.left, card.foe.lost] == pytest.approx([0.6, 0.4])
    assert [(row.left, row.lost) for row in card.left.rows] == [(0.75, 0.25), (1, 0)]


def test_what_happened_is_told_in_words_and_nobody_has_less_than_nothing() -> None:
    state = step(begin(boss(1000, 250), ("Ann", simple(100, 400)), ("Ben", simple(400, 1)), ("Cid", simple(9))))
    state = leave(step(step(join(state, "Dee"))), 2)
    assert figures(battle_card(state)) == {
        "Troll": "599 / 1000",
        "Ann": "down",
        "Cid": "down",
        "Dee": "100 / 100",
        "Ben": "away",
    }
    assert [row.name for row in battle_card(state).left.rows if row.marked] == ["Dee"]


def figures(card: FightCard) -> dict[str, str]:
    assert card.foe is not None
    return {row.name: row.figures for row in (card.foe, *card.left.rows)}


def test_the_end_is_known_as_no_die_is_rolled() -> None:
    assert battle_card(begin(boss(1000), ("Ann", simple(100, 400)))).aside == "the party wins in 3"
    assert battle_card(begin(boss(1000, 60), ("Ann", simple(100, 1)))).aside == "the boss wins in 2"
    assert battle_card(begin(boss(1000))).aside == ""


def test_twelve_members_of_any_names_have_room() -> None:
    state = begin(boss(10**9, name="山" * 40))
    for name in ["W" * 40, "محمد", "Zoë 🐉", "山田太郎", "a.b-c"] + ["M" * 40] * 7:
        state = join(state, name)
    request = BattleCardRequest(state_json=BossFight().states.write_json(step(state)))
    assert opened(request.run().data).height < 700
