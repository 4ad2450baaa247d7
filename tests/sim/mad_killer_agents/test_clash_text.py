"""Battles as text; what players type is in `tests.sim.test_typed_texts`."""

import pytest

from sim.core.errors import TextError
from sim.mad_killer_agents.clash_text import add_options, parse_battle
from sim.mad_killer_agents.combat import Clash


@pytest.mark.parametrize(
    ("text", "clash"),
    [
        ("5@3 VS 0@1 city 2", Clash(5, 3, 0, 1, 2)),
        ("drill 05@3 v 2@1, city 4 masonry", Clash(5, 3, 2, 1, 4, drill=True, masonry=True)),
        ("5@6 vs 2@6 Mountaineering", Clash(5, 6, 2, 6)),
    ],
)
def test_battles_as_text(text: str, clash: Clash) -> None:
    assert parse_battle(text) == clash


def test_a_text_too_long_is_not_read() -> None:
    with pytest.raises(TextError, match="at most 200"):
        parse_battle("5" * 201)


@pytest.mark.parametrize("city", [None, 0, 4])
@pytest.mark.parametrize("drill", [False, True])
@pytest.mark.parametrize("masonry", [False, True])
def test_options_are_words_of_the_text(city: int | None, drill: bool, masonry: bool) -> None:
    text = add_options("5@3 vs 2@6", city, drill=drill, masonry=masonry, mountaineering=True)
    assert parse_battle(text) == Clash(5, 3, 2, 6, city or 0, drill, masonry)
    with pytest.raises(TextError, match="2@6 is on a mountain"):
        parse_battle(add_options("5@3 vs 2@6", city, drill=drill, masonry=masonry, mountaineering=False))
