"""The cards of what decks do."""

from fractions import Fraction

import pytest

from sim.boss_fight.answer_cards import best_order_card, deck_card, every_boss_card, what_if_card
from sim.boss_fight.cards import health_row
from sim.boss_fight.exchange import deck_sheet
from sim.boss_fight.requests import BestOrderRequest, EveryBossRequest, WhatIfRequest
from sim.boss_fight.values import MAX_NAME, Deck, Element, Entrant
from sim.core.cards.draw import draw_fight, draw_sheet
from sim.core.cards.values import MAX_LINE, MAX_SHEET_ROWS
from tests.sim.boss_fight.builders import boss, simple, token, trait
from tests.sim.core.cards.looking import opened


def crowd(count: int, physical: int = 5) -> Deck:
    tokens = [token(trait(9, physical * at, 1), name=f"{'w' * (MAX_NAME - 3)}{at}") for at in range(count)]
    return Deck(tokens=tokens)


def test_an_exchange_shows_what_both_sides_lose() -> None:
    card = what_if_card(WhatIfRequest(boss=boss(1000, 25), deck=simple(100, 400)).run())
    assert card.foe is not None
    (you,) = card.left.rows
    assert [(row.left, row.lost) for row in (card.foe, you)] == [pytest.approx((0.6, 0.4)), (0.75, 0.25)]
    assert card.alt() == (
        "The boss falls after 3 exchanges. One exchange. Troll 600 / 1,000. You 75 / 100. Deals 400, takes 25."
    )


def test_damage_far_beyond_all_health_is_no_float_and_no_matter() -> None:
    """An element doubles the damage once for each trait: 2 to the power of 1,200 is more than any float."""
    made = Deck(tokens=[token(*[trait(1)] * 400, element=Element.AIR, name=f"t{at}") for at in range(3)])
    card = what_if_card(WhatIfRequest(boss=boss(9, 0, 10**9, element=Element.FIRE), deck=made).run())
    (you,) = card.left.rows
    assert (you.figures, you.left, you.lost) == ("down", 0, 1)
    assert health_row("Deck without health", Fraction(0), 0).left == 0


def test_who_deals_how_much_stands_below_the_bars() -> None:
    card = what_if_card(WhatIfRequest(boss=boss(1000), deck=crowd(6)).run())
    deals, damage = card.notes
    assert deals.startswith("Deals 81, takes 0")
    assert damage.startswith(f"Damage: {'w' * 37}5 26 · ")
    assert len(damage) == MAX_LINE
    assert opened(draw_fight(card).png()).height <= 720


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
    assert (len(card.rows), card.more) == (MAX_SHEET_ROWS, 11)
    assert opened(draw_sheet(card).png()).height <= 720


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
    assert opened(draw_sheet(card).png()).height <= 720
