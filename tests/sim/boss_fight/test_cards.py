"""The cards of boss fights: a party's fight and its result, and what decks do."""

from fractions import Fraction

import pytest

from sim.boss_fight.battle.values import Run, State
from sim.boss_fight.best_choices import BestOrderRequest
from sim.boss_fight.exchange import exchange
from sim.boss_fight.fight_cards import MAX_MEMBERS_SHOWN, draw_battle, draw_result, health_row, portrait
from sim.boss_fight.requests import (
    BattleCardRequest,
    EveryBossRequest,
    best_order_card,
    deck_card,
    deck_sheet,
    every_boss_card,
    what_if_card,
)
from sim.boss_fight.values import MAX_NAME, Deck, Element, Entrant
from sim.core.battle import REFEREE
from sim.core.cards.marks import Drawing, Ring, Segments
from sim.core.cards.theme import ORANGE, Hatched
from sim.core.cards.values import MAX_LINE, MAX_SHEET_ROWS
from sim.core.dice import ScriptedDice
from tests.sim.boss_fight.builders import FIGHT, begin, boss, join, leave, simple, step, token, trait
from tests.sim.core.cards.looking import opened, texts_apart


def test_the_boss_s_bar_and_the_tokens_rings_show_the_health_that_is_left() -> None:
    state = step(begin(boss(1000, 25), ("Ann", simple(100, 400)), ("Ben", simple(100, 1))))
    card = draw_battle(state)
    (bar,) = (mark for mark in card.marks if isinstance(mark, Segments))
    assert [paint for _, _, paint in bar.parts] == [ORANGE, Hatched(ORANGE)]
    assert bar.parts[0][1] == pytest.approx(388 * 0.6, abs=1)
    rings = [mark for mark in card.marks if isinstance(mark, Ring)]
    assert [(ring.left, ring.lost) for ring in rings] == [(1, 0), (0.75, 0.25)], "who is next comes first"
    assert rings[0].width > rings[1].width
    assert {"-400", "-25"} <= set(texts_apart(card))


def test_a_fight_is_told_in_words_and_nobody_has_less_than_nothing() -> None:
    state = step(begin(boss(1000, 250), ("Ann", simple(100, 400)), ("Ben", simple(400, 1)), ("Cid", simple(9))))
    state = leave(step(step(join(state, "Dee"))), 2)
    assert draw_battle(state).alt == (
        "Round 1. Troll 599 / 1,000. Dee 100 / 100, next. Ben away. Ann down. Cid down. Cid dealt 0 and took 250."
    )


def test_no_end_is_told_before_it_comes() -> None:
    before = draw_battle(begin(boss(1000), ("Ann", simple(100, 400))))
    assert before.alt == "Before the fight. Troll 1,000 / 1,000. Ann 100 / 100, next."
    assert draw_battle(begin(boss(1000, element=Element.FIRE))).alt == "Before the fight · Fire. Troll 1,000 / 1,000."


def test_the_portrait_cracks_at_half_health_and_lies_at_the_end() -> None:
    foe = boss(1000, fall="Ouch.")
    states = [begin(foe, ("Ann", simple(100, 400)))]
    for at in range(3):
        states += [step(states[at])]
    shown = [
        next(mark.picture for mark in card.marks if isinstance(mark, Drawing))
        for card in (*(draw_battle(state) for state in states[:3]), draw_result(states[3]))
    ]
    assert shown == [portrait(foe), portrait(foe), portrait(foe, halved=True), portrait(foe, fallen=True)]
    drawn = draw_result(states[3])
    assert "Ouch." in texts_apart(drawn)
    assert drawn.alt.endswith("Troll: \u201cOuch.\u201d")
    lost = boss(900, 50, fall="Ouch.")
    card = draw_result(step(begin(lost, ("Ann", simple(9, 1)))))
    assert portrait(lost) in [mark.picture for mark in card.marks if isinstance(mark, Drawing)]
    assert "Ouch." not in card.alt


def test_a_finished_fight_shows_each_members_part_of_the_damage() -> None:
    state = step(step(begin(boss(1000, 50), ("Ann", simple(1000, 400)), ("Ben", simple(9, 1)))))
    card = draw_result(step(step(state)))
    assert card.alt == (
        "The party defeats Troll after 3 rounds. Ann 1,200. Ben 1, down. Ann lands the killing blow, score 1,051."
    )
    assert {"Victory!", "1,200", "1 · down"} <= set(texts_apart(card))
    first, _ = (mark for mark in card.marks if isinstance(mark, Segments))
    assert first.parts[0][1] == pytest.approx((first.box[2] - first.box[0]) * 1200 / 1201, abs=2)


@pytest.mark.parametrize(
    ("state", "title", "note"),
    [
        (begin(boss(400), ("Ann", simple(100, 400))), "Ann defeats Troll", "Ann lands the killing blow, score 100"),
        (begin(boss(900, 50), ("Ann", simple(9, 1))), "Troll defeats the party", "Troll has 899 of 900 left"),
        (begin(boss(900), ("Ann", simple(9))), "Stalemate with Troll", "Troll has 900 of 900 left"),
    ],
)
def test_the_end_in_words(state: State, title: str, note: str) -> None:
    alt = draw_result(step(state)).alt
    assert alt.startswith(f"{title} after ")
    assert alt.endswith(f" {note}.")


def test_a_full_party_of_any_names_has_room() -> None:
    state = begin(boss(50_000, 1, name="山" * 40, element=Element.LIGHTNING), times=1000)
    for name in ("محمد", "Zoë 🐉", "山田太郎", "a.b-c", *(f"{'W' * 38}{number}" for number in range(8))):
        state = join(state, name)
    assert "50,000,000" in texts_apart(draw_battle(state)), "whole, without what it is of"
    ended = FIGHT.apply(state, Run(), REFEREE, ScriptedDice(())).state
    for shown in (step(state), ended):
        drawn = BattleCardRequest(state_json=FIGHT.states.write_json(shown)).run()
        assert opened(drawn.data).height < 800
        assert len(drawn.alt) < 1024, "Discord takes no more"
    assert f"And {12 - MAX_MEMBERS_SHOWN} more." in drawn.alt


def crowd(count: int, physical: int = 5) -> Deck:
    tokens = [token(trait(9, physical * at, 1), name=f"{'w' * (MAX_NAME - 3)}{at}") for at in range(count)]
    return Deck(tokens=tokens)


def test_an_exchange_shows_what_both_sides_lose() -> None:
    card = what_if_card(exchange(boss(1000, 25), simple(100, 400)))
    assert card.foe is not None
    (you,) = card.left.rows
    assert [(row.left, row.lost) for row in (card.foe, you)] == [pytest.approx((0.6, 0.4)), (0.75, 0.25)]
    assert card.alt() == (
        "The boss falls in 3 exchanges. One exchange. Troll 600 / 1,000. You 75 / 100. Deals 400, takes 25."
    )


def test_damage_far_beyond_all_health_is_no_float_and_no_matter() -> None:
    """An element doubles the damage once for each trait: 2 to the power of 1,200 is more than any float."""
    made = Deck(tokens=[token(*[trait(1)] * 400, element=Element.AIR, name=f"t{at}") for at in range(3)])
    card = what_if_card(exchange(boss(9, 0, 10**9, element=Element.FIRE), made))
    (you,) = card.left.rows
    assert (you.figures, you.left, you.lost) == ("down", 0, 1)
    assert len(card.draw().png()) < 30_000
    assert health_row("Deck without health", Fraction(0), 0).left == 0


def test_who_deals_how_much_stands_below_the_bars() -> None:
    card = what_if_card(exchange(boss(1000), crowd(6)))
    deals, damage = card.notes
    assert deals.startswith("Deals 81, takes 0")
    assert damage.startswith(f"Damage: {'w' * 37}5 26 · ")
    assert len(damage) == MAX_LINE
    assert opened(card.draw().png()).height == 480


def test_every_boss_shows_how_the_fight_ends() -> None:
    foes = (
        boss(1000, 0, name="Slow"),
        boss(400, 200, name="Even"),
        boss(1000, 100, name="Strong"),
        *(boss(100, name=f"Dummy {at}") for at in range(20)),
    )
    card = every_boss_card(EveryBossRequest(bosses=foes, deck=simple(100, 400)).run())
    assert card.title == "One deck against 23 bosses: 22 would fall"
    assert [row.figures for row in card.rows[:4]] == ["falls in 3", "both fall in 1", "wins in 1", "falls in 1"]
    assert [(row.left, row.lost) for row in card.rows[:2]] == [pytest.approx((0.6, 0.4)), (0, 1)]
    assert (len(card.rows), card.more) == (MAX_SHEET_ROWS, 15)
    assert opened(card.draw().png()).height <= 1000


def test_a_party_stands_in_its_best_order_with_what_is_left_of_it() -> None:
    entrants = (Entrant(name="Ann", deck=simple(50, 10)), Entrant(name="Ben", deck=simple(50, 60)))
    request = BestOrderRequest(boss=boss(100, 20), times=2, entrants=entrants)
    card = best_order_card(request, request.run())
    assert card.alt() == (
        "The party wins. After 5 exchanges. Troll × 2 defeated. 1. Ben down. 2. Ann 10 / 50. Damage: Ben 180 · Ann 20."
    )


@pytest.mark.parametrize("count", [1, 6, 7, 30])
def test_a_deck_of_any_size_has_room(count: int) -> None:
    card = deck_card(deck_sheet(crowd(count)))
    assert (len(card.rows), card.more) == (min(count, MAX_SHEET_ROWS), max(0, count - MAX_SHEET_ROWS))
    assert opened(card.draw().png()).height <= 1000
