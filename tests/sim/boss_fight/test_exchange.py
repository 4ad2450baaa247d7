"""Exchanges, exactly: modifiers, stacks, what they lead to, and the arithmetic as text."""

from decimal import Decimal
from fractions import Fraction
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.boss_fight.exchange import End, exchange, transcript
from sim.boss_fight.form_text import parse_deck
from sim.boss_fight.requests import EveryBossReport, EveryBossRequest, deck_sheet
from sim.boss_fight.tables import KNOWN_BOSSES
from sim.boss_fight.values import Boss, Deck, Element, digits, readable
from tests.sim.boss_fight import builders as b
from tests.tables import kept_table

HALF = Fraction(1, 2)


@pytest.mark.parametrize("worked", b.worked_exchanges())
def test_exchanges_of_the_original_game_exactly(worked: b.Worked) -> None:
    report = exchange(worked.boss, worked.deck)
    assert report.player_health == worked.health
    assert (report.to_boss.physical, report.to_boss.magical) == worked.to_boss
    assert report.stacks == worked.stacked
    assert report.to_player.total == worked.to_player
    assert (report.boss_left, report.player_left) == worked.left


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
    assert exchange(b.boss(boss_health, boss_damage), b.simple(500, 1000)).score == score


def test_hundreds_of_halves_stay_exact_and_never_read_0() -> None:
    """500 tokens of 64 traits that resist both kinds: 1/2^32000 of the damage is left."""
    long = b.deck(*[b.token(*[b.trait(1, flags="PR MR")] * 64, element=Element.EARTH)] * 500)
    report = exchange(b.boss(physical=3, magical=5, element=Element.WATER), long)
    assert report.stacks.physical == Fraction(1, 2**32000)
    assert report.to_player.total == Fraction(3, 2**32000) + Fraction(5, 2**64000)
    assert readable(report.to_player.total) == "3.3e-9633"
    assert report.player_left == 32000 - report.to_player.total
    assert Fraction(Decimal(digits(report.stacks.physical))) == report.stacks.physical


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


@given(b.bosses, b.decks())
def test_an_exchange_is_what_the_rules_say_factor_by_factor(foe: Boss, many: Deck) -> None:
    report = exchange(foe, many)
    assert (report.to_boss.total, report.to_player.total) == plainly(foe, many)
    assert report.to_boss.total == sum(row.to_boss.total for row in report.tokens)
    assert [*report.stacks] == [*map(prod, zip(*(row.stacks for row in report.tokens), strict=True))]


@given(b.bosses, b.decks(), st.data())
def test_the_order_of_tokens_changes_nothing(foe: Boss, many: Deck, data: st.DataObject) -> None:
    mixed = data.draw(st.permutations(many.tokens))
    first, second = exchange(foe, many), exchange(foe, Deck(tokens=tuple(mixed)))
    assert (first.to_boss, first.to_player, first.score) == (second.to_boss, second.to_player, second.score)


def test_a_deck_at_a_glance() -> None:
    found = deck_sheet(parse_deck("hero: V, Assassin, Elixir, Epic, Fairy @Fire; attack: X, Sword @Earth"))
    assert (found.health, found.physical_damage, found.magical_damage) == (4000, 3600, 1500)
    assert (found.stacked_physical, found.stacked_magical) == b.exactly("1/8", "1/2")
    stacks = {element.element: (element.stacked_element, element.to_boss.total) for element in found.elements}
    assert stacks == {
        None: b.exactly(1, 5100),
        Element.WATER: b.exactly(2**5 * HALF**2, 3600 + 750),
        Element.FIRE: b.exactly(0, 3600),
        Element.AIR: b.exactly(HALF**5, 3600 + 3000),
        Element.LIGHTNING: b.exactly(2**2, 5100),
        Element.EARTH: b.exactly(0, 5100),
    }


FRAIL = b.deck(*[b.token(b.trait(1, flags="PR"))] * 100)
"""Of 100 damage it takes 2^-100 of each, and falls after 2^100 exchanges."""


@pytest.mark.parametrize(
    ("foe", "many", "end", "exchanges", "sentence"),
    [
        (b.boss(100, 9), b.simple(100, 10), End.VICTORY, 10, "The boss falls in 10 exchanges"),
        (b.boss(101, 9), b.simple(100, 10), End.VICTORY, 11, "The boss falls in 11 exchanges"),
        (b.boss(100, 10), b.simple(100, 10), End.BOTH, 10, "You win as both go down in 10 exchanges"),
        (b.boss(101, 10), b.simple(100, 10), End.DEFEAT, 10, "You go down in 10 exchanges"),
        (b.boss(100, 11), b.simple(100, 10), End.BOTH, 10, "You win as both go down in 10 exchanges"),
        (b.boss(1, 100), b.simple(100, 10), End.BOTH, 1, "You win as both go down in 1 exchange"),
        (b.boss(flags="MR"), b.simple(100), End.STALEMATE, None, "Neither side can hit the other"),
        (b.boss(), b.simple(0, 5000), End.UNFIT, 0, "A deck without health can't fight"),
        (b.boss(physical=100), FRAIL, End.DEFEAT, None, "You go down in 1.3e30 exchanges"),
    ],
)
def test_how_a_fight_would_end(foe: Boss, many: Deck, end: End, exchanges: int | None, sentence: str) -> None:
    found = exchange(foe, many).outlook
    assert (found.end, found.exchanges, found.sentence) == (end, exchanges, sentence)


def test_an_exchange_can_be_checked_with_a_pencil() -> None:
    report = exchange(
        b.boss(100, 40, 8, "PR", Element.WATER),
        b.deck(
            b.token(
                b.trait(10, 20, 30, "PP", name="Fang"), b.trait(5, 7, flags="PR MR", name="Hide"), element=Element.EARTH
            )
        ),
    )
    assert transcript(report).splitlines() == kept_table(__file__, "pencil")


@given(b.bosses, b.decks())
def test_the_end_is_where_step_after_step_leads(foe: Boss, many: Deck) -> None:
    report = exchange(foe, many)
    count = report.outlook.exchanges
    if report.outlook.end in {End.STALEMATE, End.UNFIT} or count is None:
        return
    dealt, taken = report.to_boss.total, report.to_player.total
    health = report.player_health
    # One exchange before, both stand; after the last, whoever is said to fall has fallen.
    assert foe.health - (count - 1) * dealt > 0 < health - (count - 1) * taken
    fallen = (foe.health <= count * dealt, health <= count * taken)
    expected = {End.VICTORY: (True, False), End.BOTH: (True, True), End.DEFEAT: (False, True)}
    assert fallen == expected[report.outlook.end]


def test_one_deck_against_every_boss() -> None:
    many = b.simple(5000, 1000, element=Element.FIRE)
    report = EveryBossRequest(bosses=KNOWN_BOSSES, deck=many).run()
    assert [row.boss.name for row in report.rows] == [foe.name for foe in KNOWN_BOSSES]
    for row in report.rows:
        alone = exchange(row.boss, many)
        assert (row.to_boss, row.to_player, row.score) == (alone.to_boss, alone.to_player, alone.score)
    assert EveryBossReport.model_validate_json(report.model_dump_json()) == report
