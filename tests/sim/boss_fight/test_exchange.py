from decimal import Decimal
from fractions import Fraction
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.boss_fight.exact import digits, readable
from sim.boss_fight.exchange import element_modifiers, exchange
from sim.boss_fight.reports import ExchangeReport
from sim.boss_fight.requests import ExchangeRequest
from sim.boss_fight.values import Boss, Deck, Element
from tests.sim.boss_fight.builders import (
    Worked,
    boss,
    bosses,
    deck,
    decks,
    exactly,
    simple,
    token,
    trait,
    worked_exchanges,
)

WATER, FIRE, AIR, LIGHTNING, EARTH = Element
HALF = Fraction(1, 2)


@pytest.mark.parametrize("worked", worked_exchanges())
def test_exchanges_of_the_original_game_exactly(worked: Worked) -> None:
    report = exchange(worked.boss, worked.deck)
    assert report.player_health == worked.health
    assert (report.to_boss.physical, report.to_boss.magical) == worked.to_boss
    assert (report.stacked_physical, report.stacked_magical, report.stacked_element) == worked.stacked
    assert report.to_player.total == worked.to_player
    assert (report.boss_left, report.player_left) == worked.left


@pytest.mark.parametrize(
    ("token_element", "on_boss", "on_player"),
    [(WATER, 0, 0), (FIRE, HALF, 2), (AIR, 1, 1), (LIGHTNING, 1, 1), (EARTH, 2, HALF), (None, 1, 1)],
)
def test_elements_against_water(token_element: Element | None, on_boss: Fraction, on_player: Fraction) -> None:
    found = element_modifiers(WATER, token_element)
    assert (found.on_boss, found.on_player) == (on_boss, on_player)
    assert element_modifiers(None, token_element).on_boss == 1


def test_the_circle_closes() -> None:
    """Each element has the advantage over the next, and Earth over Water."""
    for first, second in zip(Element, [*list(Element)[1:], WATER], strict=True):
        assert element_modifiers(first, second).on_player == 2
        assert element_modifiers(second, first).on_player == HALF


def test_same_element_takes_no_magic_and_elements_touch_nothing_else() -> None:
    report = exchange(boss(100, 50, 40, element=WATER), simple(100, 30, 20, element=WATER))
    assert (report.to_boss.physical, report.to_boss.magical) == exactly(30, 0)
    assert (report.to_player.physical, report.to_player.magical) == exactly(50, 0)


@pytest.mark.parametrize(
    ("resists", "pierces", "dealt"),
    [("", "", 100), ("PR", "", 50), ("PR", "PP", 100), ("", "PP", 100), ("MR", "", 100)],
)
def test_damage_is_halved_where_it_is_resisted_and_does_not_pierce(resists: str, pierces: str, dealt: int) -> None:
    assert exchange(boss(flags=resists), simple(1, physical=100, flags=pierces)).to_boss.physical == dealt
    assert exchange(boss(physical=100, flags=pierces), simple(1, flags=resists)).to_player.physical == dealt


def test_magic_has_its_own_flags() -> None:
    report = exchange(boss(magical=100, flags="MR"), simple(1, magical=100, flags="MR PP"))
    assert (report.to_boss.magical, report.to_player.magical) == exactly(50, 50)
    report = exchange(boss(magical=100, flags="MR MP"), simple(1, magical=100, flags="MR MP"))
    assert (report.to_boss.magical, report.to_player.magical) == exactly(100, 100)


@pytest.mark.parametrize(
    ("boss_health", "boss_damage", "score"),
    [
        (1000, 0, 500),  # 1000 damage - 1000 health + 500 health - 0 damage
        (999, 100, 401),
        (1001, 0, 0),  # the boss still stands
        (1000, 500, 0),  # equal: enough on both sides, and nothing beyond it
        (900, 500, 100),
        (900, 501, 0),  # more than the player has
    ],
)
def test_the_score_as_the_game_counts_it(boss_health: int, boss_damage: int, score: int) -> None:
    assert exchange(boss(boss_health, boss_damage), simple(500, 1000)).score == score


def test_hundreds_of_halves_stay_exact_and_never_read_0() -> None:
    """500 tokens of 64 traits that resist both kinds: 1/2^32000 of the damage is left."""
    long = deck(*[token(*[trait(1, flags="PR MR")] * 64, element=EARTH)] * 500)
    report = exchange(boss(physical=3, magical=5, element=WATER), long)
    assert report.stacked_physical == Fraction(1, 2**32000)
    assert report.to_player.total == Fraction(3, 2**32000) + Fraction(5, 2**64000)
    assert readable(report.to_player.total) == "3.3e-9633"
    assert report.player_left == 32000 - report.to_player.total
    assert Fraction(Decimal(digits(report.stacked_physical))) == report.stacked_physical


def test_hundreds_of_doublings_stay_exact() -> None:
    report = exchange(boss(magical=3, element=WATER), deck(*[token(*[trait(1)] * 6, element=FIRE)] * 100))
    assert report.to_player.total == 3 * 2**600
    assert readable(report.to_player.total) == "1.2e181"


def plainly(foe: Boss, many: Deck) -> tuple[Fraction, Fraction]:
    """Work an exchange out factor by factor (.docs/rules/boss_fight.md, "One exchange")."""
    circle = list(Element)
    on_boss = {None: Fraction(1), 0: Fraction(0), 1: HALF, 2: Fraction(1), 3: Fraction(1), 4: Fraction(2)}
    on_player = on_boss | {1: Fraction(2), 4: HALF}
    to_boss, physical, magical = Fraction(0), [], []
    for card in many.tokens:
        known = foe.element is not None and card.element is not None
        d = (circle.index(card.element) - circle.index(foe.element)) % 5 if known else None  # type: ignore[arg-type]
        for part in card.traits:
            resisted = foe.physical_resistance and not part.physical_penetration
            to_boss += part.physical_damage * (HALF if resisted else 1)
            resisted = foe.magical_resistance and not part.magical_penetration
            to_boss += part.magical_damage * (HALF if resisted else 1) * on_boss[d]
            physical.append(HALF if part.physical_resistance and not foe.physical_penetration else Fraction(1))
            magical.append(HALF if part.magical_resistance and not foe.magical_penetration else Fraction(1))
            magical.append(on_player[d])
    return to_boss, Fraction(foe.physical_damage * prod(physical) + foe.magical_damage * prod(magical))


@given(bosses, decks())
def test_an_exchange_is_what_the_rules_say_factor_by_factor(foe: Boss, many: Deck) -> None:
    report = exchange(foe, many)
    assert (report.to_boss.total, report.to_player.total) == plainly(foe, many)
    assert report.to_boss.total == sum(row.to_boss.total for row in report.tokens)
    assert report.stacked_physical == prod(row.stacked_physical for row in report.tokens)
    assert report.stacked_magical == prod(row.stacked_magical for row in report.tokens)
    assert report.stacked_element == prod(row.stacked_element for row in report.tokens)


@given(bosses, decks(), st.data())
def test_the_order_of_tokens_changes_nothing(foe: Boss, many: Deck, data: st.DataObject) -> None:
    mixed = data.draw(st.permutations(many.tokens))
    first, second = exchange(foe, many), exchange(foe, Deck(tokens=tuple(mixed)))
    assert (first.to_boss, first.to_player, first.score) == (second.to_boss, second.to_player, second.score)


@given(bosses, decks())
def test_questions_and_reports_survive_json(foe: Boss, many: Deck) -> None:
    request = ExchangeRequest(boss=foe, deck=many)
    assert ExchangeRequest.model_validate_json(request.model_dump_json()) == request
    report = request.run()
    assert ExchangeReport.model_validate_json(report.model_dump_json()) == report
    assert 0 < request.cost() < 1
