"""The best order of a party, and the best tokens of a set."""

from fractions import Fraction
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.boss_fight.battle.values import State
from sim.boss_fight.best_choices import MAX_SET, BestOrderReport, BestOrderRequest, BestTokensRequest
from sim.boss_fight.exchange import ExchangeReport, exchange
from sim.boss_fight.values import Boss, Deck, Element, Entrant, Token
from sim.core.errors import RuleError
from tests.sim.boss_fight.builders import boss, deck, elements, flags, fought, simple, token, trait


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
    report = BestTokensRequest(boss=foe, deck=many, count=count).run()
    assert key(report.exchange) == best_by_trying(foe, many, count)
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
        (4, 5, "You want 5 tokens, but there are only"),
    ],
)
def test_the_limits_are_said(size: int, count: int, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        BestTokensRequest(boss=boss(), deck=deck(*[token(trait(1))] * size), count=count)
