"""The kinds of cards that several games have, those of campaigns and profiles, and the emblems and colors of people."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from sim.core.cards.draw import CardRequest, FightCard, LuckCard, SheetCard, SideColor, draw_fight
from sim.core.cards.emblems import COLORS, EMBLEMS, Crest
from sim.core.cards.marks import Text
from sim.core.cards.parts import TOP
from sim.core.cards.people import MAX_BANNERS, MAX_TOKENS, MAX_TROPHIES, Banner, DiaryCard, Fighter, Rank, TrophyCard
from sim.core.cards.png import silhouette_mask
from sim.core.cards.theme import BLUE, DARK, GROUND, INK, NEUTRAL, ORANGE, TILE, TROUGH
from sim.core.cards.values import (
    MAX_LUCK_ROWS,
    MAX_ROWS,
    MAX_SHEET_ROWS,
    MAX_WIDE_ROWS,
    Fact,
    FightSide,
    HealthRow,
    LuckRow,
)
from tests.sim.core.cards.looking import opened, share, texts_apart
from tests.sim.core.cards.test_theme import SIGHT, contrast, lab

FIGHT_BAR = TOP + 46 + 13
HALF = 352 / 800


def fight_card(*rows: HealthRow, chance: float | None = None) -> FightCard:
    other = FightSide(
        name="Villains", rows=(HealthRow.of("Haku", 8, 8),), chance=None if chance is None else 1 - chance
    )
    return FightCard(title="Round 3", left=FightSide(name="Heroes", rows=rows, chance=chance), right=other)


def test_a_bar_shows_what_is_left_and_what_was_lost() -> None:
    image = opened(draw_fight(fight_card(HealthRow.of("Naruto", 6, 10, 2))).png())
    stripes = HALF * 0.2 / 2
    assert share(image, BLUE, row=FIGHT_BAR) == pytest.approx(HALF * 0.6 + stripes, abs=0.02)
    assert share(image, TROUGH, row=FIGHT_BAR) == pytest.approx(HALF * 0.2 + stripes, abs=0.02)
    assert share(image, ORANGE, row=FIGHT_BAR) == pytest.approx(HALF, abs=0.01), "the other side"


def test_whoever_is_out_shows_what_happened_not_a_number_below_0() -> None:
    row = HealthRow.of("Haku", -4100, 8, 3, "fell to Kakashi")
    assert (row.gone, row.left, row.figures) == (True, 0, "fell to Kakashi")


def test_one_big_foe_stands_above_the_party() -> None:
    foe = HealthRow.of("Troll", 600, 1000)
    image = opened(draw_fight(FightCard(title="Troll", foe=foe, left=FightSide(name="Party", rows=()))).png())
    assert share(image, ORANGE, row=TOP + 46 + 13) == pytest.approx(0.6 * 744 / 800, abs=0.01)


def test_a_simulated_chance_is_never_certain() -> None:
    fight = fight_card(HealthRow.of("Naruto", 6, 10), chance=1.0).model_copy(update={"rough": True})
    assert "Heroes: >99% to win. Villains: <1% to win." in fight.alt()


SHEET_BAR = TOP + 46 + 13
FACTS = 122 + 14
WIDE = 744 / 800


def test_bars_of_a_sheet_are_as_long_as_their_share() -> None:
    rows = (HealthRow(name="Strength", left=0.75, figures="13"), HealthRow(name="Charisma", left=0.5, figures="9"))
    image = opened(SheetCard(title="Brenna", rows=rows, wide=True).draw().png())
    assert share(image, BLUE, row=SHEET_BAR) == pytest.approx(0.75 * WIDE, abs=0.01)
    assert share(image, TROUGH, row=SHEET_BAR) == pytest.approx(0.25 * WIDE, abs=0.01)
    image = opened(SheetCard(title="Brenna", rows=rows, wide=False, color="orange").draw().png())
    assert share(image, ORANGE, row=SHEET_BAR) == pytest.approx(1.25 * HALF, abs=0.01), "side by side"


def test_facts_stand_in_boxes_above_the_rows() -> None:
    facts = (Fact(label="Hit points", figure="6"), Fact(label="Armor class", figure="5"))
    rows = (HealthRow(name="Strength", left=1, figures="18"),)
    image = opened(SheetCard(title="Brenna", facts=facts, rows=rows, wide=True).draw().png())
    assert share(image, TILE, row=TOP + 12) == pytest.approx((744 - 14) / 800, abs=0.03)
    assert share(image, BLUE, row=SHEET_BAR + FACTS) == pytest.approx(WIDE, abs=0.01)


LUCK_FOOT = TOP + 102 + 84 - 2
"""Just above the foot of the first row's bars."""


def luck_row(bars: tuple[float, ...], at: int, name: str = "Attacker") -> LuckRow:
    return LuckRow(name=name, figures="13 hits with 28 dice, 10.0 expected", place="luckier than 93%", bars=bars, at=at)


def test_the_result_stands_between_what_it_exceeds_and_what_would_have_been_better() -> None:
    image = opened(LuckCard(title="Luck", rows=(luck_row((0.2, 1.0, 0.5, 0.1), 2),)).draw().png())
    widths = [share(image, color, row=LUCK_FOOT - 4) for color in (NEUTRAL, INK, TROUGH)]
    assert widths == pytest.approx([2 * 184 / 800, 184 / 800, 184 / 800], abs=0.01)


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


def crowded() -> Iterator[CardRequest]:
    """Yield cards of all kinds with the longest words, few rows and as many as there may be."""
    for count in (0, 1, MAX_ROWS):
        side = FightSide(name="Party", rows=(HealthRow.of("W" * 40, count, 8, 1),) * count, chance=0.5, more=492)
        yield FightCard(title="T" * 90, left=side)
        yield FightCard(title="T", left=side, right=side, aside="a" * 90)
    facts = (Fact(label="M" * 40, figure="9" * 40),) * 4
    for count, wide in ((0, True), (MAX_WIDE_ROWS, True), (MAX_SHEET_ROWS, False)):
        rows = (HealthRow(name="W" * 40, left=1, figures="9" * 90),) * count
        yield SheetCard(title="T" * 90, aside="a" * 30, facts=facts, rows=rows, wide=wide, more=488, note="n" * 120)
    for count in (1, MAX_LUCK_ROWS):
        yield LuckCard(title="T" * 90, aside="a" * 20, rows=(luck_row((0.5,) * 100, 99, "W" * 60),) * count)
    for count in (1, MAX_TOKENS):
        tokens = tuple(
            Fighter(name=("W" * 120, "Shieldbearer of " * 7)[at % 2], left=1 / (at + 1)) for at in range(count)
        )
        ranks = tuple(Rank(title=f"Side {color}", color=color, tokens=tokens, more=999) for color in ("orange", "blue"))
        banners = (Banner(label="99", winner="Side", color="blue", emblem="sun"),) * MAX_BANNERS
        yield DiaryCard(title="W" * 40, aside="a" * 30, banners=banners, ranks=ranks, caption="W" * 120)


MOST_HIGH = {FightCard: 1100, SheetCard: 1500, LuckCard: 1010, DiaryCard: 1200}


@pytest.mark.parametrize("card", crowded(), ids=lambda card: type(card).__name__)
def test_the_longest_words_have_room(card: CardRequest) -> None:
    assert opened(card.draw().png()).height <= MOST_HIGH[type(card)]


@pytest.mark.parametrize("color", COLORS)
def test_a_profile_is_in_the_color_that_was_chosen_and_told_in_words(color: str) -> None:
    fact = Fact(label="Nemesis", figure="Shieldbearer of the Northern Ben: 2 lost")
    card = TrophyCard(
        name="W" * 32,
        crest=Crest(emblem="paw", color=color),
        record="1 battle",
        trophies=(("skull", fact),) * MAX_TROPHIES,
    )
    assert share(opened(card.draw().png()), COLORS[color][0]) > 0.03
    assert "Ben: 2 lost" in texts_apart(card.draw())
    assert card.alt() == f"{'W' * 32}, paw in {color}: 1 battle.{f' Nemesis: {fact.figure}.' * MAX_TROPHIES}"


INKS = {name: ink for name, (ink, _) in COLORS.items()}


@pytest.mark.parametrize("sight", SIGHT)
def test_any_two_colors_are_told_apart(sight: str) -> None:
    seen = {name: lab(ink, SIGHT[sight]) for name, ink in {**INKS, "the card": GROUND}.items()}
    for one, other in combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) >= 20, f"{one} and {other}"


@pytest.mark.parametrize("name", COLORS)
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
