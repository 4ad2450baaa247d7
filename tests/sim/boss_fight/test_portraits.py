"""The faces of bosses: a portrait of each on record, one of twelve emblems for the others."""

from itertools import product

import pytest

from sim.boss_fight.portraits import HEIGHT, WIDTH, _figures, portrait, portrait_colors
from sim.boss_fight.tables import KNOWN_BOSSES
from sim.boss_fight.values import Element
from sim.core.cards.marks import Picture
from sim.core.cards.png import drawn_picture
from sim.core.cards.theme import COLORS, rgb
from tests.sim.boss_fight.builders import boss

FORGED = [boss(name=name) for name in ("Gary", "The Unspeakable Grandmother of Teeth", "龍", "Mossback II")]
POSES = tuple(product((False, True), repeat=2))


def looks(picture: Picture) -> bytes:
    return drawn_picture(picture, 130).tobytes()


def test_every_boss_on_record_has_a_portrait_of_its_own() -> None:
    known, emblems = _figures()
    assert {boss.name for boss in KNOWN_BOSSES} == {" ".join(figure.heading[:-2]) for figure in known.values()}
    assert len(emblems) == 12
    assert all(10 <= len(figure.lines) <= 60 for figure in (*known.values(), *emblems))
    faces = [looks(portrait(boss)) for boss in KNOWN_BOSSES]
    assert len(set(faces)) == len(faces)


def test_a_name_has_always_the_same_emblem() -> None:
    assert looks(portrait(boss(name="GARY"))) == looks(portrait(boss(name="Gary", health=5)))
    assert len({looks(portrait(boss(name=f"Foe {number}", element=Element.FIRE))) for number in range(200)}) == 12


def test_the_element_is_seen_in_the_colors() -> None:
    for foe in (KNOWN_BOSSES[0], FORGED[0]):
        tinted = [looks(portrait(foe.model_copy(update={"element": element}))) for element in (None, *Element)]
        assert len(set(tinted)) == 6


@pytest.mark.parametrize("foe", [*KNOWN_BOSSES, *FORGED], ids=lambda foe: foe.name)
def test_a_boss_cracks_and_lies_down(foe: object) -> None:
    assert isinstance(foe, type(FORGED[0]))
    poses = {pose: portrait(foe, halved=pose[0], fallen=pose[1]) for pose in POSES}
    assert len({looks(picture) for picture in poses.values()}) == 3, "who lies has cracked"
    for picture in poses.values():
        for layer in picture.layers[2:]:
            xs, ys = layer.stroke.points[::2], layer.stroke.points[1::2]
            assert -5 <= min(xs) <= max(xs) <= WIDTH + 5
            assert -5 <= min(ys) <= max(ys) <= HEIGHT + 5
    lying = [value for layer in poses[True, True].layers[2:] for value in layer.stroke.points[1::2]]
    assert min(lying) > HEIGHT * 0.4, "there is room for its last words"


@pytest.mark.parametrize("element", [None, *Element])
def test_the_colors_of_a_portrait_fit_a_palette(element: Element | None) -> None:
    for foe in (*KNOWN_BOSSES, *FORGED):
        tinted = foe.model_copy(update={"element": element})
        colors = portrait_colors(tinted)
        assert len({*COLORS, *colors}) <= 255
        assert {rgb(layer.color) for layer in portrait(tinted).layers} <= set(colors)
