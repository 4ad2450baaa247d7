"""Battles as text: what players type, what it is read as, and what is asked about instead."""

import pytest

from sim.core.errors import TextError
from sim.mad_killer_agents.clash_text import BATTLE_EXAMPLE, add_options, battle_text, parse_battle, read_as
from sim.mad_killer_agents.combat import Clash

PLAIN = """
5@3 vs 2@1
5@3 2@1
5@3 v 2@1
5@3 VS. 2@1
5@3 > 2@1
5@3, 2@1
2@1 5@3
"""
"""Texts that say what they mean; the last one is another battle."""

TYPED = {
    "5@3 vs 2@1": """
        5@3vs2@1 / 5@3v2@1 / 5@3>2@1 / 5@3->2@1 / 5@3-2@1 / 5@3 - 2@1 / 5@3 → 2@1 / 5@3 ⚔️ 2@1 / 5@3🆚2@1
        5 @ 3 vs 2 @ 1 / 5@TV3 vs 2@TV1 / 5 on 3 vs 2 on 1
        5 at 3 against 2 at 1 / 5 units on TV 3 attack 2 units on TV 1 / 5@3 on 2@1
        5 TV3 vs 2 TV1 / 5 (TV 3) vs 2 (TV 1) / 5 units at tile value 3 attacking 2 at tile value 1 / 5@3 into 2@1
        five on three vs two on one / Five@3 vs Two@1 / /mka battle 5@3 vs 2@1 / /mka battle battle:5@3 vs 2@1
        /mka battle battle:5@3 vs 2@1 drill:False / "5@3" vs "2@1" / **5@3** vs **2@1** / `5@3 vs 2@1` / > 5@3 vs 2@1
        5@3 vs 2@1? / 5@3 vs 2@1!! / 5@3 vs 2@1. / 5@3 vs 2@1 please / ５＠３ vs ２＠１ / ５@３　ｖｓ　２@１
        Attacker: 5@3 Defender: 2@1 / A: 5@3 D: 2@1 / attacker 5@3, defender 2@1 / Defender: 2@1, Attacker: 5@3
        D: 2@1; A: 5@3 / def 2@1 att 5@3 / 5@3 & 2@1 / (5@3) vs (2@1) / 5@3 versus 2@1 without drill / 5u@3 vs 2u@1
        5@3 vs 2@1 no city / 5@3 v.s. 2@1 / 5@3 attacks 2@1 no drill or masonry / 5@3|2@1 / 5@3 against the 2@1
    """,
    "5@3 vs 2@1 city 2": """
        5@3 vs 2@1 city2 / 5@3 vs 2@1 city:2 / 5@3 vs 2@1 City = 2 / 5@3 vs 2@1 (city 2) / 5@3 vs 2@1 + city 2
        5@3 vs 2@1 with a city of size 2 / 5@3 vs 2@1 in a size 2 city / 5@3 vs 2@1 city size 2 / 5@3 city two vs 2@1
        /mka battle battle:5@3 vs 2@1 city:2 / 5 on TV 3 attack 2 on TV 1 in a city of size 2!
    """,
    "12@2 vs 0@4 city 3 drill masonry": """
        a dozen@2 with drill vs 0@4 with masonry, city 3 / 12@2 drill:True vs 0@4 masonry: yes city: 3
        12 on 2 has Drill, attacks 0 on 4 city 3, has MASONRY / 12@2 vs 0@4, city 3 + drill & masonry
    """,
    "1000@3 vs 12000@1": "1,000@3 vs 12,000@1 / 1000@3,12000@1",
    "5@6 vs 2@5 mountaineering": "5@6 vs 2@5; Mountaineering / 5 on 6 with mountaineering vs 2 on TV 5",
}

REFUSED = """
5 3 vs 2 1
5/3 vs 2/1
5x3 vs 2x1
3 on vs 2
2.5@3 vs 2@1
-5@3 vs 2@1
5@3 attacked by 2@1
5@3 defends against 2@1
attack 2@1 with 5@3
attack on 2@1 with 5@3
2@1 defender 5@3 attacker
5@3 attacker 2@1 defender
5@3 attacker vs 2@1
attacker: 5@3 attacker: 2@1
5@3 vs 2@1 or 3@1
5@3 vs 2@1 fort 2
5@3 vs city 2
5@3
5@3 vs
hello
5@3 vs 2@1 city
"""
"""What has no reading, or more than one; each is answered with an example."""


@pytest.mark.parametrize("text", PLAIN.strip().splitlines())
def test_plain_texts(text: str) -> None:
    clash = parse_battle(text)
    assert clash == (Clash(2, 1, 5, 3) if text.startswith("2") else Clash(5, 3, 2, 1))
    assert read_as(text, clash) is None


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        (text, plain)
        for plain, texts in TYPED.items()
        for text in texts.replace("\n", " / ").split(" / ")
        if text.strip()
    ],
)
def test_what_players_type(text: str, reading: str) -> None:
    clash = parse_battle(text)
    assert battle_text(clash) == reading
    assert parse_battle(reading) == clash
    assert read_as(reading, clash) is None
    assert read_as(text.strip(), clash) in {reading, None}


def test_what_is_not_typed_plainly_is_told() -> None:
    for text in ("5 on 3 vs 2 on 1", "D: 2@1; A: 5@3", "５@３ vs 2@1", "5@3 vs 2@1 no city", "5@3 into 2@1"):
        assert read_as(text, parse_battle(text)) == "5@3 vs 2@1"


@pytest.mark.parametrize("text", REFUSED.strip().splitlines())
def test_what_is_asked_instead_of_guessed(text: str) -> None:
    with pytest.raises(TextError, match=f": {BATTLE_EXAMPLE}") as refused:
        parse_battle(text)
    assert parse_battle(str(refused.value).rpartition(": ")[2])


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


@pytest.mark.parametrize(
    ("text", "marked", "message"),
    [
        ("", "", "Write two armies"),
        ("5@3", "", "Write two armies"),
        ("5@3 vs 2", "2", "Write an army as units@tile value, not '2', as in: "),
        ("5@7 vs 2@1", "7", "from 1 to 6"),
        ("5@6 vs 2@1", "6", "^5@6 is on a mountain; .*: say mountaineering"),
        ("5@5 vs 2@6 drill masonry", "6", "^2@6 is on a mountain"),
        ("0@1 vs 2@1", "0", "from 1 to 100,000"),
        ("5@1 vs 0@1", "0", "from 1 to 100,000"),
        ("5@1 vs 100001@1", "100001", "from 1 to 100,000"),
        ("5@1 vs 99999999999999999999@1", "99999999999999999999", "from 1 to 100,000"),
        ("5@1 vs 2@1 city", "", "How large is the city?"),
        ("5@1 vs 2@1 city x", "x", "The city's size"),
        ("5@1 vs 2@1 vs 3@1", "3@1", "Only two armies"),
        ("5@² vs 2@1", "5@²", "Write an army as units@tile value"),
        ("5@3 vs city 2", "", "Write two armies"),
        ("5" * 201, "5", "at most 200"),
    ],
)
def test_battles_that_are_none(text: str, marked: str, message: str) -> None:
    with pytest.raises(TextError, match=message) as caught:
        parse_battle(text)
    [problem] = caught.value.problems
    assert text[problem.span.start : problem.span.end] == marked


@pytest.mark.parametrize("city", [None, 0, 4])
@pytest.mark.parametrize("drill", [False, True])
@pytest.mark.parametrize("masonry", [False, True])
def test_options_are_words_of_the_text(city: int | None, drill: bool, masonry: bool) -> None:
    text = add_options("5@3 vs 2@6", city, drill=drill, masonry=masonry, mountaineering=True)
    assert parse_battle(text) == Clash(5, 3, 2, 6, city or 0, drill, masonry)
    with pytest.raises(TextError, match="2@6 is on a mountain"):
        parse_battle(add_options("5@3 vs 2@6", city, drill=drill, masonry=masonry, mountaineering=False))
