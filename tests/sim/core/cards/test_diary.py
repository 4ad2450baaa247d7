"""The cards of campaigns and profiles."""

import pytest

from sim.core.cards.board import MAX_TROPHIES, TrophyCard
from sim.core.cards.diary import MAX_BANNERS, MAX_TOKENS, Banner, DiaryCard, Fighter, Rank, SideColor
from sim.core.cards.emblems import COLORS, Crest
from sim.core.cards.marks import Text
from sim.core.cards.theme import BLUE, NEUTRAL, ORANGE, TROUGH
from sim.core.cards.values import Fact
from tests.sim.core.cards.looking import opened, share


def diary(*tokens: Fighter, banners: tuple[Banner, ...] = (), color: SideColor = "blue") -> DiaryCard:
    """Return a campaign with one side."""
    rank = Rank(title="Heroes", color=color, tokens=tokens)
    return DiaryCard(
        title="Siege of Konoha", aside="after battle 1", banners=banners, ranks=(rank,), caption="Heroes lost Tom."
    )


def test_a_ring_is_whole_where_health_is_left_and_striped_where_it_is_lost() -> None:
    blue = [share(opened(diary(Fighter(name="Tom", left=left)).draw().png()), BLUE) for left in (1.0, 0.5, 0.01)]
    assert blue[0] > blue[1] > blue[2] > 0


def test_the_dead_are_gray_skulls() -> None:
    dead = opened(diary(Fighter(name="Tom", left=0, level=3, emblem="fox")).draw().png())
    alive = opened(diary(Fighter(name="Tom", left=1, level=3, emblem="fox")).draw().png())
    assert share(dead, NEUTRAL) > 10 * share(alive, NEUTRAL)
    assert share(dead, BLUE) < share(alive, BLUE) / 3, "the title of the side alone"


def test_a_banner_is_in_the_color_of_who_won() -> None:
    won = Banner(label="1", winner="Villains", color="orange")
    assert share(opened(diary(banners=(won,)).draw().png()), ORANGE) > 0.004
    nobody = opened(diary(banners=(Banner(label="1"),)).draw().png())
    assert share(nobody, ORANGE) == 0
    assert share(nobody, TROUGH) > 0.004


def test_each_level_is_a_chevron() -> None:
    marks = [len(diary(Fighter(name="Tom", left=1, level=level)).draw().marks) for level in (0, 1, 4, 14)]
    assert [each - marks[0] for each in marks] == [0, 1, 4, 5]


def test_a_side_that_stands_alone_fills_both_columns() -> None:
    def names(card: DiaryCard) -> list[int]:
        return [mark.x for mark in card.draw().marks if isinstance(mark, Text) and mark.text.startswith("Hero ")]

    alone = diary(*(Fighter(name=f"Hero {at}", left=1) for at in range(2 * MAX_TOKENS)))
    assert [x > 400 for x in names(alone)] == [False] * MAX_TOKENS + [True] * MAX_TOKENS
    facing = alone.model_copy(update={"ranks": (*alone.ranks, Rank(title="Villains", color="orange", tokens=()))})
    assert max(names(facing)) < 400


@pytest.mark.parametrize("count", [1, MAX_TOKENS])
def test_the_longest_names_and_the_most_battles_have_room(count: int) -> None:
    tokens = tuple(
        Fighter(name="W" * 120 if at % 2 else "Shieldbearer of " * 7, left=1 / (at + 1)) for at in range(count)
    )
    ranks = tuple(Rank(title=f"Side {color}", color=color, tokens=tokens, more=999) for color in ("orange", "blue"))
    banners = tuple(Banner(label="99", winner="Side", color="blue", emblem="sun") for _ in range(MAX_BANNERS))
    card = diary(banners=banners).model_copy(update={"ranks": ranks, "title": "W" * 40, "caption": "W" * 120})
    assert opened(card.draw().png()).width == 800


@pytest.mark.parametrize("color", COLORS)
def test_a_profile_is_in_the_color_that_was_chosen_and_told_in_words(color: str) -> None:
    fact = Fact(label="Nemesis", figure="Ben: 2 lost")
    card = TrophyCard(
        name="W" * 32,
        crest=Crest(emblem="paw", color=color),
        record="1 battle",
        trophies=(("skull", fact),) * MAX_TROPHIES,
    )
    assert share(opened(card.draw().png()), COLORS[color][0]) > 0.03
    assert card.alt() == f"{'W' * 32}, paw in {color}: 1 battle.{' Nemesis: Ben: 2 lost.' * MAX_TROPHIES}"
