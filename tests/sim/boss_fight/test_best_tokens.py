from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.boss_fight.exchange import exchange
from sim.boss_fight.reports import BestTokensReport, ExchangeReport
from sim.boss_fight.requests import MAX_SET, BestTokensRequest
from sim.boss_fight.values import Boss, Deck, Element, Token
from sim.core.errors import RuleError
from tests.sim.boss_fight.builders import boss, deck, elements, flags, token, trait


def key(report: ExchangeReport) -> tuple[Fraction, Fraction, Fraction]:
    return report.score, report.to_boss.total, report.player_left


def best_by_trying(foe: Boss, many: Deck, count: int) -> tuple[Fraction, Fraction, Fraction]:
    """Try every choice."""
    return max(key(exchange(foe, Deck(tokens=chosen))) for chosen in combinations(many.tokens, count))


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
    report = BestTokensRequest(boss=foe, tokens=many.tokens, count=count).run()
    assert key(report.exchange) == best_by_trying(foe, many, count)
    assert len(set(report.chosen)) == count
    chosen = Deck(tokens=tuple(many.tokens[at] for at in report.chosen))
    assert report.exchange == exchange(foe, chosen)
    assert BestTokensReport.model_validate_json(report.model_dump_json()) == report


def test_a_score_beats_more_damage() -> None:
    """The strong token is of Fire, which doubles the boss's magic beyond what the player has."""
    many = deck(
        token(trait(60, 90, flags="MR")),
        token(trait(60, 1000), element=Element.FIRE),
        token(trait(60, 50, flags="MR")),
    )
    report = BestTokensRequest(boss=boss(100, magical=200, element=Element.WATER), tokens=many.tokens, count=2).run()
    assert report.chosen == (0, 2)
    assert report.exchange.score == 140 - 100 + 120 - 50


def test_where_no_score_can_be_had_the_most_damage_is_best_then_the_most_health_left() -> None:
    many = deck(token(trait(5, 1)), token(trait(5, 7)), token(trait(6, 7)), token(trait(100)))
    report = BestTokensRequest(boss=boss(10**6, 1), tokens=many.tokens, count=1).run()
    assert report.chosen == (2,)
    assert report.exchange.score == 0


def test_a_deck_of_sixty_is_searched_without_looking_at_most_choices() -> None:
    many = deck(
        *[
            token(trait(100 + 13 * at % 97, 1000 - 7 * at, 31 * at % 89, ("PR", "MR", "")[at % 3]))
            for at in range(MAX_SET)
        ]
    )
    report = BestTokensRequest(boss=boss(3000, 700, 900), tokens=many.tokens).run()
    assert report.choices == 5_461_512
    assert report.branches < report.choices / 100
    assert report.exchange.score > 0


@pytest.mark.parametrize(
    ("size", "count", "message"),
    [
        (61, 5, "best of at most 60 tokens; here are 61"),
        (4, 5, "You want 5 tokens, but there are only"),
    ],
)
def test_the_limits_are_said(size: int, count: int, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        BestTokensRequest(boss=boss(), tokens=deck(*[token(trait(1))] * size).tokens, count=count)
