"""Exchanges, exactly: modifiers, stacks, what they lead to, and the arithmetic as text."""

from decimal import Decimal
from fractions import Fraction
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sim.boss_fight.deck_text import parse_deck
from sim.boss_fight.exact import digits, readable
from sim.boss_fight.exchange import deck_sheet, element_modifiers, exchange, transcript
from sim.boss_fight.presets import KNOWN_BOSSES, known_boss
from sim.boss_fight.reports import BossRow, DeckSheet, End, EveryBossReport, ExchangeReport, WhatIfReport
from sim.boss_fight.requests import EveryBossRequest, ExchangeRequest, WhatIfRequest
from sim.boss_fight.values import Boss, Deck, Element
from sim.core.errors import RuleError
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
    """Water meets itself, Fire gives way, Air, Lightning and no element don't matter, Earth has the advantage."""
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


HERO = "hero: V, Assassin, Elixir, Epic, Fair"


def inu_dogemon() -> Boss:
    found = known_boss("inu dogemon")
    assert found is not None
    return found


def five_tokens() -> ExchangeReport:
    """Against Axieom Asmodeus, who is Water: Fire, Air, none, Water of five traits each, Earth of six."""
    asmodeus = known_boss("Axieom Asmodeus")
    assert asmodeus is not None
    elements = (Element.FIRE, Element.AIR, None, Element.WATER, Element.EARTH)
    counts = (5, 5, 5, 5, 6)
    tokens = (
        token(*[trait(health=1)] * count, element=element) for element, count in zip(elements, counts, strict=True)
    )
    return exchange(asmodeus, deck(*tokens))


def test_an_elements_modifier_counts_once_for_each_trait() -> None:
    """Five traits of Fire against Water are 2^5 = 32, six of Earth (1/2)^6 = 0.015625; one 0 makes the deck's 0."""
    report = five_tokens()
    assert [digits(row.stacked_element) for row in report.tokens] == ["32", "1", "1", "0", "0.015625"]
    assert report.stacked_element == 0


@pytest.mark.parametrize(
    ("name", "physical", "magical"),
    [("V", 1, 1), ("Assassin", HALF, 1), ("Elixir", HALF, 1), ("Epic", HALF, HALF), ("Fairy", 1, 1)],
)
def test_resistance_halves_what_does_not_pierce(name: str, physical: Fraction, magical: Fraction) -> None:
    """Inu Dogemon pierces nothing and resists nothing: only the player's side is halved."""
    (modifiers,) = exchange(inu_dogemon(), parse_deck(f"hero: {name}")).tokens[0].traits
    assert (modifiers.boss_physical, modifiers.boss_magical) == exactly(1, 1)
    assert (modifiers.player_physical, modifiers.player_magical) == (physical, magical)


def test_modifiers_stack_by_multiplication_within_a_token() -> None:
    """1 x 1/2 x 1/2 x 1/2 x 1 = 0.125 of physical damage, one half of magical."""
    row = exchange(inu_dogemon(), parse_deck(HERO)).tokens[0]
    assert (readable(row.stacked_physical), readable(row.stacked_magical)) == ("0.125", "0.5")


def test_damage_to_the_boss_is_summed_trait_by_trait() -> None:
    """Assassin 1000, Epic 500, Fairy 1000 physical; Assassin 500 and Fairy 1000 magical: 2500 + 1500."""
    report = exchange(inu_dogemon(), parse_deck(HERO))
    assert (report.to_boss.physical, report.to_boss.magical) == exactly(2500, 1500)
    assert report.boss_left == 1000 - 4000


def test_the_final_sum_to_the_last_digit() -> None:
    """0.001953125 x 2000 + 0.0078125 x 1 x 0 = 3.90625; of 11800 health 11796.09375 are left."""
    resisting = trait(health=1000, flags="PR MR")
    report = exchange(
        boss(1000, 2000),
        deck(
            token(*[resisting] * 5),
            token(*[resisting] * 2, *[trait(health=1900, flags="PR")] * 2),
            token(trait(health=1000)),
        ),
    )
    assert (digits(report.stacked_physical), digits(report.stacked_magical)) == ("0.001953125", "0.0078125")
    assert report.player_health == 11800
    assert digits(report.to_player.total) == readable(report.to_player.total) == "3.90625"
    assert digits(report.player_left) == "11796.09375"
    assert readable(report.player_left) == "11,796.09375"


def test_a_deck_at_a_glance() -> None:
    found = deck_sheet(parse_deck("hero: V, Assassin, Elixir, Epic, Fairy @Fire; attack: X, Sword @Earth"))
    assert (found.health, found.physical_damage, found.magical_damage) == (4000, 3600, 1500)
    assert (found.stacked_physical, found.stacked_magical) == exactly("1/8", "1/2")
    stacks = {element.element: (element.stacked_element, element.to_boss.total) for element in found.elements}
    assert stacks == {
        None: exactly(1, 5100),
        Element.WATER: exactly(2**5 * HALF**2, 3600 + 750),
        Element.FIRE: exactly(0, 3600),
        Element.AIR: exactly(HALF**5, 3600 + 3000),
        Element.LIGHTNING: exactly(2**2, 5100),
        Element.EARTH: exactly(0, 5100),
    }
    assert DeckSheet.model_validate_json(found.model_dump_json()) == found


def test_an_exchange_can_be_checked_with_a_pencil() -> None:
    report = exchange(
        boss(100, 40, 8, "PR", Element.WATER),
        deck(
            token(trait(10, 20, 30, "PP", name="Fang"), trait(5, 7, flags="PR MR", name="Hide"), element=Element.EARTH)
        ),
    )
    assert transcript(report).splitlines() == [
        "Troll (Water) against 1 token",
        "",
        "token 1 (Earth)",
        (
            "  Fang: to the boss 20 x 1 = 20 physical, 30 x 1 x 2 = 60 magical; "
            "to the player x 1 physical, x 1 magical, x 0.5 element"
        ),
        (
            "  Hide: to the boss 7 x 0.5 = 3.5 physical, 0 x 1 x 2 = 0 magical; "
            "to the player x 0.5 physical, x 0.5 magical, x 0.5 element"
        ),
        "  to the boss: 23.5 physical, 60 magical",
        "  stacked: x 0.5 physical, x 0.5 magical, x 0.25 element",
        "",
        "Damage to the boss: 23.5 physical + 60 magical = 83.5",
        "Boss's health: 100 - 83.5 = 16.5",
        "Stacked over all tokens: x 0.5 physical, x 0.5 magical, x 0.25 element",
        "Damage to the player: 40 x 0.5 + 8 x 0.5 x 0.25 = 20 + 1 = 21",
        "Player's health: 15 - 21 = -6",
        "Score: 0",
    ]


@pytest.mark.parametrize(
    ("health", "damage", "end", "exchanges"),
    [
        (100, 9, End.VICTORY, 10),
        (101, 9, End.VICTORY, 11),
        (100, 10, End.BOTH, 10),  # both at once, and that is a victory
        (101, 10, End.DEFEAT, 10),
        (100, 11, End.BOTH, 10),
        (1, 100, End.BOTH, 1),
    ],
)
def test_how_many_exchanges_it_takes(health: int, damage: int, end: End, exchanges: int) -> None:
    """The player has 100 health and deals 10 damage."""
    report = WhatIfRequest(boss=boss(health, damage), deck=simple(100, 10)).run()
    assert (report.outlook.end, report.outlook.exchanges) == (end, exchanges)
    assert WhatIfReport.model_validate_json(report.model_dump_json()) == report


def test_a_fight_in_which_nobody_is_hurt_has_no_end() -> None:
    report = WhatIfRequest(boss=boss(flags="MR"), deck=simple(100)).run()
    assert (report.outlook.end, report.outlook.exchanges, report.outlook.about) == (End.STALEMATE, None, "")


def test_a_deck_without_health_cannot_fight_on() -> None:
    report = WhatIfRequest(boss=boss(), deck=simple(0, 5000)).run()
    assert report.outlook.end is End.UNFIT
    assert report.exchange.score == 4000


def test_numbers_beyond_counting_are_told_roughly() -> None:
    """A hundred halves: the player falls after 2^100 exchanges."""
    many = deck(*[token(trait(1, flags="PR"))] * 100)
    report = WhatIfRequest(boss=boss(physical=100), deck=many).run()
    assert (report.outlook.end, report.outlook.exchanges, report.outlook.about) == (End.DEFEAT, None, "1.3e30")


@given(bosses, decks())
def test_the_end_is_where_step_after_step_leads(foe: Boss, many: Deck) -> None:
    report = WhatIfRequest(boss=foe, deck=many).run()
    count = report.outlook.exchanges
    if report.outlook.end in {End.STALEMATE, End.UNFIT} or count is None:
        return
    dealt, taken = report.exchange.to_boss.total, report.exchange.to_player.total
    health = report.exchange.player_health
    # One exchange before, both stand; after the last, whoever is said to fall has fallen.
    assert foe.health - (count - 1) * dealt > 0 < health - (count - 1) * taken
    fallen = (foe.health <= count * dealt, health <= count * taken)
    expected = {End.VICTORY: (True, False), End.BOTH: (True, True), End.DEFEAT: (False, True)}
    assert fallen == expected[report.outlook.end]


def test_one_deck_against_every_boss() -> None:
    many = simple(5000, 1000, element=Element.FIRE)
    report = EveryBossRequest(bosses=KNOWN_BOSSES, deck=many).run()
    assert [row.boss.name for row in report.rows] == [foe.name for foe in KNOWN_BOSSES]
    for row in report.rows:
        alone = exchange(row.boss, many)
        assert isinstance(row, BossRow)
        assert (row.to_boss, row.to_player, row.score) == (alone.to_boss, alone.to_player, alone.score)
    assert EveryBossReport.model_validate_json(report.model_dump_json()) == report


def test_the_number_of_bosses_is_limited() -> None:
    with pytest.raises(RuleError, match="at most 100 bosses at once; here are 101"):
        EveryBossRequest(bosses=(boss(),) * 101, deck=simple(1)).cost()
    with pytest.raises(ValidationError):
        EveryBossRequest(bosses=(), deck=simple(1))
