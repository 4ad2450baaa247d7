"""The emblems and colors of people: all are different, also for who sees few colors."""

from itertools import combinations

import numpy as np
import pytest

from sim.core.cards.emblems import COLORS, EMBLEMS, Crest
from sim.core.cards.png import silhouette_mask
from sim.core.cards.theme import DARK, GROUND, TILE
from tests.sim.core.cards.test_theme import SIGHT, XYZ, lab, light

INKS = {name: ink for name, (ink, _) in COLORS.items()}


@pytest.mark.parametrize("sight", SIGHT)
def test_any_two_colors_are_told_apart(sight: str) -> None:
    seen = {name: lab(ink, SIGHT[sight]) for name, ink in {**INKS, "the card": GROUND}.items()}
    for one, other in combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) >= 20, f"{one} and {other}"


@pytest.mark.parametrize("name", COLORS)
def test_a_color_stands_out_and_is_a_ground_for_an_emblem(name: str) -> None:
    for other, least in ((GROUND, 4.5), (TILE, 3), (DARK, 4.5)):
        dark, bright = sorted(float(XYZ[1] @ light(color)) for color in (INKS[name], other))
        assert (bright + 0.05) / (dark + 0.05) >= least, other


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
