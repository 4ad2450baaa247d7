"""The kinds of cards that several games have, those of campaigns and profiles, and the emblems and colors of people."""

from itertools import combinations

import numpy as np
import pytest

from sim.core.cards import Text
from sim.core.cards.draw import CardRequest, FightCard, LuckCard, SheetCard
from sim.core.cards.parts import TOP
from sim.core.cards.people import (
    CREST_COLORS,
    EMBLEMS,
    MAX_TOKENS,
    MAX_TROPHIES,
    Banner,
    BoardCard,
    BoardRow,
    Crest,
    DiaryCard,
    Fighter,
    Rank,
    TrophyCard,
)
from sim.core.cards.png import silhouette_mask
from sim.core.cards.theme import BLUE, DARK, GROUND, INK, NEUTRAL, ORANGE, TILE, TROUGH
from sim.core.cards.values import Fact, FightSide, HealthRow, LuckRow
from tests.bench.cards import full_cards
from tests.sim.core.cards.looking import opened, share, texts_apart
from tests.sim.core.cards.test_theme import contrast

BAR = TOP + 46 + 13
"""The row of points in the middle of the first bar."""

HALF, WIDE = 352 / 800, 744 / 800


def side(name: str, *rows: HealthRow, chance: float | None = None) -> FightSide:
    return FightSide(name=name, rows=rows, chance=chance)


def board(*results: tuple[str, float]) -> BoardCard:
    rows = [
        BoardRow(place=place, name=name, crest=Crest.of(1), figures="12,400 damage", share=filled)
        for place, (name, filled) in enumerate(results, 1)
    ]
    return BoardCard(title="Week 48", rows=tuple(rows), more=3)


NARUTO, HAKU, TROLL = HealthRow.of("Naruto", 6, 10, 2), HealthRow.of("Haku", 8, 8), HealthRow.of("Troll", 600, 1000)
ABILITIES = tuple(HealthRow(name=str(left), left=left, figures="9") for left in (0.75, 0.5))
LUCK = LuckRow(name="Ann", figures="13 hits with 28 dice", place="luckier than 93%", bars=(0.2, 1.0, 0.5, 0.1), at=2)
FACTS = (Fact(label="Hit points", figure="6"), Fact(label="Armor class", figure="5"))
SHEET = SheetCard(title="Brenna", rows=ABILITIES)
STRIPES = HALF * 0.2 / 2


@pytest.mark.parametrize(
    ("card", "row", "shares"),
    [
        (
            FightCard(title="Round 3", left=side("Heroes", NARUTO), right=side("Villains", HAKU)),
            BAR,
            {BLUE: HALF * 0.6 + STRIPES, TROUGH: HALF * 0.2 + STRIPES, ORANGE: HALF},
        ),
        (FightCard(title="Troll", foe=TROLL, left=side("Party")), BAR, {ORANGE: 0.6 * WIDE}),
        (SHEET, BAR, {BLUE: 0.75 * WIDE, TROUGH: 0.25 * WIDE}),
        (
            SHEET.model_copy(update={"rows": sorted(3 * ABILITIES, key=ABILITIES.index), "color": "orange"}),
            BAR,
            {ORANGE: 1.25 * HALF},
        ),
        (SHEET.model_copy(update={"facts": FACTS}), TOP + 12, {TILE: WIDE - 14 / 800}),
        (SHEET.model_copy(update={"facts": FACTS}), BAR + 122 + 14, {BLUE: 0.75 * WIDE}),
        (
            LuckCard(title="Luck", rows=(LUCK,)),
            TOP + 102 + 84 - 6,
            {NEUTRAL: 2 * 184 / 800, INK: 184 / 800, TROUGH: 184 / 800},
        ),
        (board(("Ann", 0.5)), TOP + 156, {Crest.of(1).ink: 258 / 800, TROUGH: 258 / 800}),
    ],
    ids=["lost", "big foe", "wide", "side by side", "facts", "below facts", "luck", "board"],
)
def test_bars_are_as_long_as_their_shares(card: CardRequest, row: int, shares: dict[str, float]) -> None:
    image = opened(card.draw().png())
    for color, expected in shares.items():
        assert share(image, color, row=row) == pytest.approx(expected, abs=0.02), color


def test_whoever_is_out_shows_what_happened_not_a_number_below_0() -> None:
    row = HealthRow.of("Haku", -4100, 8, 3, "fell to Kakashi")
    assert (row.gone, row.left, row.figures) == (True, 0, "fell to Kakashi")


def test_a_simulated_chance_is_never_certain() -> None:
    sides = {"left": side("Heroes", NARUTO, chance=1.0), "right": side("Villains", HAKU, chance=0.0)}
    assert "Heroes: >99% to win. Villains: <1% to win." in FightCard(title="Round 3", rough=True, **sides).alt()


def test_a_board_is_told_in_words() -> None:
    assert board(("Ann", 1), ("Ben", 0)).alt() == "Week 48. 1. Ann: 12,400 damage. 2. Ben: 12,400 damage. And 3 more."


def diary(*tokens: Fighter, banners: tuple[Banner, ...] = ()) -> DiaryCard:
    """Return a campaign with one side."""
    rank = Rank(title="Heroes", color="blue", tokens=tokens)
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


MOST_HIGH = {FightCard: 1100, SheetCard: 1500, LuckCard: 1010, DiaryCard: 1200, BoardCard: 1050, TrophyCard: 1120}


@pytest.mark.parametrize("card", dict(full_cards()).values(), ids=dict(full_cards()))
def test_the_longest_words_have_room(card: CardRequest) -> None:
    assert opened(card.draw().png()).height <= MOST_HIGH[type(card)]


@pytest.mark.parametrize("color", CREST_COLORS)
def test_a_profile_is_in_the_color_that_was_chosen_and_told_in_words(color: str) -> None:
    fact = Fact(label="Nemesis", figure="Shieldbearer of the Northern Ben: 2 lost")
    card = TrophyCard(
        name="W" * 32,
        crest=Crest(emblem="paw", color=color),
        record="1 battle",
        trophies=(("skull", fact),) * MAX_TROPHIES,
    )
    assert share(opened(card.draw().png()), CREST_COLORS[color][0]) > 0.03
    assert "Ben: 2 lost" in texts_apart(card.draw())
    assert card.alt() == f"{'W' * 32}, paw in {color}: 1 battle.{f' Nemesis: {fact.figure}.' * MAX_TROPHIES}"


INKS = {name: ink for name, (ink, _) in CREST_COLORS.items()}


@pytest.mark.parametrize("name", CREST_COLORS)
def test_a_color_stands_out_and_is_a_ground_for_an_emblem(name: str) -> None:
    for other, least in ((GROUND, 4.5), (TILE, 3), (DARK, 4.5)):
        assert contrast(INKS[name], other) >= least, other


def test_emblems_are_of_one_weight_and_all_different() -> None:
    masks = {name: np.asarray(silhouette_mask(emblem.shape, 48)) / 255 for name, emblem in EMBLEMS.items()}
    assert len(masks) == 24
    assert {name for name, mask in masks.items() if not 0.12 < mask.mean() < 0.7} == set()
    alike = {(one, other) for one, other in combinations(masks, 2) if abs(masks[one] - masks[other]).mean() < 0.08}
    assert alike == set()
    assert len({emblem.sign for emblem in EMBLEMS.values()}) == len(EMBLEMS)


def test_who_chose_nothing_has_something_and_keeps_it() -> None:
    assert Crest.of(5) == Crest.of(5)
    assert Crest.of(5, "of a newer version", "moss") == Crest.of(5, None, "moss")
    assert len({Crest.of(user_id << 22) for user_id in range(200)}) > 100
    assert str(Crest.of(1, "fox", "moss")) == "fox in moss"
