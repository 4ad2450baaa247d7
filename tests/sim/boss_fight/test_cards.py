"""The card of a party's fight."""

import pytest

from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.battle.values import Run, State
from sim.boss_fight.cards import MAX_MEMBERS_SHOWN, BattleCardRequest, battle_card, result_card
from sim.core.battle import REFEREE
from sim.core.cards.values import FightCard
from sim.core.dice import ScriptedDice
from tests.sim.boss_fight.battle.builders import FIGHT, begin, join, leave, step
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
        "Troll": "599 / 1,000",
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
    assert battle_card(begin(boss(1000), ("Ann", simple(100, 400)))).aside == "the party wins in 3 exchanges"
    assert battle_card(begin(boss(1000, 60), ("Ann", simple(100, 1)))).aside == "the boss wins in 2 exchanges"
    assert battle_card(begin(boss(1000))).aside == ""


def test_twelve_members_of_any_names_have_room() -> None:
    state = begin(boss(10**9, name="山" * 40))
    for name in ["W" * 40, "محمد", "Zoë 🐉", "山田太郎", "a.b-c"] + ["M" * 40] * 7:
        state = join(state, name)
    request = BattleCardRequest(state_json=BossFight().states.write_json(step(state)))
    assert opened(request.run().data).height < 700


def test_a_finished_fight_shows_each_members_part_of_the_damage() -> None:
    state = step(step(begin(boss(1000, 50), ("Ann", simple(1000, 400)), ("Ben", simple(9, 1)))))
    assert result_card(state) is None, "it goes on"
    result = result_card(step(step(state)))
    assert result is not None
    assert (result.title, result.won, result.aside) == ("The party defeats Troll", True, "in 4 exchanges")
    assert [(row.name, row.figures, row.fallen) for row in result.rows] == [
        ("Ann", "1,200 · >99.9%", False),
        ("Ben", "1 · <0.1%", True),
    ]
    assert result.rows[0].share == pytest.approx(1200 / 1201)
    assert result.note == "Ann strikes the last blow, score 1,051"


@pytest.mark.parametrize(
    ("state", "title", "note"),
    [
        (begin(boss(400), ("Ann", simple(100, 400))), "Ann defeats Troll", "Ann strikes the last blow, score 100"),
        (begin(boss(900, 50), ("Ann", simple(9, 1))), "Troll defeats the party", "Troll has 899 of 900 left"),
        (begin(boss(900), ("Ann", simple(9))), "Stalemate with Troll", "Troll has 900 of 900 left"),
    ],
)
def test_the_end_in_words(state: State, title: str, note: str) -> None:
    result = result_card(step(state))
    assert result is not None
    assert (result.title, result.note) == (title, note)
    assert title in result.alt()


def test_the_card_of_a_full_party_of_any_names_has_room() -> None:
    state = begin(boss(1000, 1, name="山" * 40))
    for number in range(12):
        state = join(state, f"{'W' * 38}{number}")
    state = FIGHT.apply(state, Run(), REFEREE, ScriptedDice(())).state
    drawn = BattleCardRequest(state_json=FIGHT.states.write_json(state)).run()
    assert opened(drawn.data).height < 600
    assert len(drawn.alt) < 1024, "Discord takes no more"
    result = result_card(state)
    assert result is not None
    assert (len(result.rows), result.more) == (MAX_MEMBERS_SHOWN, 12 - MAX_MEMBERS_SHOWN)


def test_a_long_headline_stays_on_the_card() -> None:
    state = step(begin(boss(1, name="W" * 40), ("Ann", simple(9, 1))))
    image = opened(BattleCardRequest(state_json=FIGHT.states.write_json(state)).run().data)
    margin = image.crop((image.width - 20, 20, image.width - 16, 70))
    assert margin.getcolors() == [(200, margin.getpixel((0, 0)))]
