"""Exchanges, exactly: modifiers, stacks, what they lead to, the arithmetic as text; the best order, the best tokens."""

from decimal import Decimal
from fractions import Fraction
from itertools import combinations, permutations
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.boss_fight.battle import State
from sim.boss_fight.best_choices import MAX_SET, BestOrderReport, BestOrderRequest, BestTokensRequest
from sim.boss_fight.exchange import End, ExchangeReport, exchange, transcript
from sim.boss_fight.form_text import parse_deck
from sim.boss_fight.requests import DeckSheetRequest, EveryBossReport, EveryBossRequest
from sim.boss_fight.tables import KNOWN_BOSSES
from sim.boss_fight.values import Boss, Deck, Element, Entrant, Token, digits
from sim.core import RuleError
from tests.sim.boss_fight import builders as b
from tests.sim.boss_fight.builders import boss, deck, elements, flags, fought, simple, token, trait
from tests.tables import kept_table

HALF = Fraction(1, 2)


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


def test_hundreds_of_halves_stay_exact() -> None:
    """500 tokens of 64 traits that resist both kinds: 1/2^32000 of the damage is left."""
    long = b.deck(*[b.token(*[b.trait(1, flags="PR MR")] * 64, element=Element.EARTH)] * 500)
    report = exchange(b.boss(physical=3, magical=5, element=Element.WATER), long)
    assert report.stacks.physical == Fraction(1, 2**32000)
    assert report.to_player.total == Fraction(3, 2**32000) + Fraction(5, 2**64000)
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
    assert report.player_health == sum(part.health for card in many.tokens for part in card.traits)
    assert report.to_boss.total == sum(row.to_boss.total for row in report.tokens)
    assert [*report.stacks] == [*map(prod, zip(*(row.stacks for row in report.tokens), strict=True))]


def test_a_deck_s_sheet_has_its_exchange_with_a_plain_boss_of_each_element() -> None:
    many = parse_deck("hero: V, Assassin, Elixir, Epic, Fairy @Fire; attack: X, Sword @Earth")
    alone = [exchange(b.boss(element=element), many) for element in (None, *Element)]
    sheet = [(one.element, one.stacks, one.to_boss) for one in DeckSheetRequest(deck=many).run().elements]
    assert sheet == [(one.boss.element, one.stacks, one.to_boss) for one in alone]


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
        assert row.model_dump()["outlook"] == alone.outlook.model_dump(), "it's in the file"
    assert EveryBossReport.model_validate_json(report.model_dump_json()) == report


def entrants(*decks: tuple[int, int, str]) -> tuple[Entrant, ...]:
    """Make a party of (health, damage, flags)."""
    return tuple(
        Entrant(name=f"M{at}", deck=simple(health, damage, flags=flags))
        for at, (health, damage, flags) in enumerate(decks)
    )


def figures(state: State) -> tuple[str | None, int, int]:
    return state.winner, state.exchanges, sum(member.fights for member in state.members)


def rank(state: State) -> tuple[Fraction | int, ...]:
    """Return what the best order has most of."""
    won, exchanges, survivors = figures(state)
    left = sum((member.left for member in state.members if member.fights), Fraction(0))
    return won == "party", -exchanges, survivors, left


members = st.tuples(st.integers(1, 30), st.integers(0, 30), st.sampled_from(["", "PR", "PP"]))


@pytest.mark.rest
@settings(max_examples=150, deadline=None)
@given(
    st.builds(boss, st.integers(1, 200), st.integers(0, 20), flags=st.sampled_from(["", "PR"])),
    st.lists(members, min_size=1, max_size=4),
)
def test_no_order_is_better_than_the_best(foe: Boss, party: list[tuple[int, int, str]]) -> None:
    """Every order is fought out by the rules of the fight itself."""
    request = BestOrderRequest(boss=foe, entrants=entrants(*party))
    report = request.run()
    assert BestOrderReport.model_validate_json(report.model_dump_json()) == report
    ends = {
        order: fought(foe, (request.entrants[at].deck for at in order)) for order in permutations(range(len(party)))
    }
    mine = ends[tuple(place.at for place in report.order)]
    assert rank(mine) == max(map(rank, ends.values()))
    assert report.winner == mine.winner
    ends_of = [(member.health, member.left, member.dealt, member.fights) for member in mine.members]
    assert sorted((place.health, place.left, place.dealt, place.stands) for place in report.order) == sorted(ends_of)
    if report.winner == "party":
        assert (report.winner, report.exchanges, report.standing) == figures(mine)
        assert report.rounds == mine.round
    elif report.winner == "boss":
        assert (report.exchanges, report.rounds, report.standing) == (figures(mine)[1], mine.round, 0)


def test_the_strongest_blow_that_is_enough_comes_first() -> None:
    report = BestOrderRequest(boss=boss(100, 10), entrants=entrants((50, 10, ""), (50, 100, ""), (50, 60, ""))).run()
    assert [place.at for place in report.order] == [1, 0, 2]
    assert (report.winner, report.exchanges, report.standing) == ("party", 1, 3)


def test_a_full_party_is_ordered() -> None:
    party = entrants(*[(10 + at, 7 * at % 11, "") for at in range(12)])
    report = BestOrderRequest(boss=boss(100, 1), times=3, entrants=party).run()
    assert report.winner == "party"
    assert sorted(place.at for place in report.order) == list(range(12))


def test_a_deck_without_health_is_refused() -> None:
    with pytest.raises(RuleError, match="M1's deck has no health"):
        BestOrderRequest(boss=boss(), entrants=entrants((1, 1, ""), (0, 1, "")))


def key(report: ExchangeReport) -> tuple[Fraction, Fraction, Fraction]:
    return report.score, report.to_boss.total, report.player_left


small = st.integers(0, 30)


@st.composite
def cards(draw: st.DrawFn) -> Token:
    parts = st.builds(trait, small, small, small, flags)
    return token(*draw(st.lists(parts, min_size=1, max_size=4)), element=draw(elements))


trolls = st.builds(boss, st.integers(1, 250), st.integers(0, 400), st.integers(0, 400), flags, elements)


@pytest.mark.rest
@settings(max_examples=300)
@given(trolls, st.lists(cards(), min_size=1, max_size=8), st.integers(1, 5))
def test_the_search_finds_what_trying_every_choice_finds(foe: Boss, several: list[Token], count: int) -> None:
    many = deck(*several)
    count = min(count, len(several))
    report = BestTokensRequest(boss=foe, deck=many, count=count).run()
    assert key(report.exchange) == max(
        key(exchange(foe, Deck(tokens=tokens))) for tokens in combinations(many.tokens, count)
    )
    assert len(set(report.chosen)) == count
    chosen = Deck(tokens=tuple(many.tokens[at] for at in report.chosen))
    assert report.exchange == exchange(foe, chosen)


def test_a_score_beats_more_damage() -> None:
    """The strong token is of Fire, which doubles the boss's magic beyond what the player has."""
    many = deck(
        token(trait(60, 90, flags="MR")),
        token(trait(60, 1000), element=Element.FIRE),
        token(trait(60, 50, flags="MR")),
    )
    report = BestTokensRequest(boss=boss(100, magical=200, element=Element.WATER), deck=many, count=2).run()
    assert report.chosen == (0, 2)
    assert report.exchange.score == 140 - 100 + 120 - 50


def test_where_no_score_can_be_had_the_most_damage_is_best_then_the_most_health_left() -> None:
    many = deck(token(trait(5, 1)), token(trait(5, 7)), token(trait(6, 7)), token(trait(100)))
    report = BestTokensRequest(boss=boss(10**6, 1), deck=many, count=1).run()
    assert report.chosen == (2,)
    assert report.exchange.score == 0
    apart = deck(token(trait(5)), token(trait(0, 0, 1, flags="MR")))
    assert BestTokensRequest(boss=boss(1, magical=9), deck=apart, count=1).run().chosen == (1,)


def test_a_deck_of_sixty_is_searched_without_looking_at_most_choices() -> None:
    many = deck(
        *[
            token(trait(100 + 13 * at % 97, 1000 - 7 * at, 31 * at % 89, ("PR", "MR", "")[at % 3]))
            for at in range(MAX_SET)
        ]
    )
    report = BestTokensRequest(boss=boss(3000, 700, 900), deck=many).run()
    assert report.choices == 5_461_512
    assert report.branches < report.choices / 100
    assert report.exchange.score > 0


@pytest.mark.parametrize(
    ("size", "count", "message"),
    [
        (61, 5, "best of at most 60 tokens; here are 61"),
        (4, 5, "You want 5 tokens, but the deck has"),
    ],
)
def test_the_limits_are_said(size: int, count: int, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        BestTokensRequest(boss=boss(), deck=deck(*[token(trait(1))] * size), count=count)
