"""Lists as they are pasted from a forum or from another calculator, with line breaks or with blanks instead."""

import pytest

from sim.axis_allies.army import army_words
from sim.axis_allies.parse import decode_text, parse_question
from sim.core.errors import TextError
from sim.core.values import Side

LISTS = {
    "one unit a line": """
        Attacker:
        6 Infantry
        2 Tanks

        Defender:
        5 Infantry
        1 Fighter
        """,
    "counts behind": "Attacker:\nInfantry: 6\nTank: 2\nDefender:\nInfantry: 5\nFighter: 1",
    "tabs": "Attacker\nInfantry\t6\nTank\t2\nDefender\nInfantry\t5\nFighter\t1",
    "bullets": "Attackers:\n- 6 Infantry\n- 2 Tanks\nDefenders:\n* 5 Infantry\n\u2022 1 Fighter",
    "bullets, counts behind": "Attackers\n- Infantry 6\n- Tank 2\nDefenders\n\u2022 Infantry - 5\n\u2022 Fighter - 1",
    "markdown": "**Attacker**\n* 6 `Infantry`\n* 2 __Tanks__\n\n## Defender\n* 5 Infantry\n* _1 Fighter_",
    "quote": "> **Attacker:**\n> 6 inf\n> 2 arm\n>\n> **Defender:**\n> 5 inf\n> 1 fig",
    "times": "Attacking units:\nInfantry x6\nTank x2\nDefending units:\nInfantry x 5\nFighter x 1",
    "one line each": "Attack: 6 Inf, 2 Arm\nDefense: 5 Inf, 1 Fig",
    "countries": "Attacker (Germany): 6 inf, 2 tank\nDefender (Soviet Union): 5 inf, 1 ftr",
    "defender first": "Defender:\n5 inf\n1 ftr\nAttacker:\n6 inf\n2 tanks",
    "headings and vs": "Attacker: 6 inf, 2 tanks\nvs\nDefender: 5 inf, 1 ftr",
    "lines and vs": "6 inf\n2 tanks\nvs\n5 inf\n1 ftr",
    "brackets": "Attacker - Infantry (6), Tank (2); Defender - Infantry (5), Fighter (1)",
    "rules": "Attacker\n--------\n6 inf\n2 tanks\n========\nDefender\n--------\n5 inf\n1 ftr",
    "carriage returns": "Attacker:\r\n6 inf\r\n2 tanks\r\nDefender:\r\n5 inf\r\n1 ftr\r\n",
    "an edition": "1942:\nAttacker:\n6 inf\n2 tanks\nDefender:\n5 inf\n1 ftr",
}


def sides(text: str) -> tuple[str, ...]:
    question = parse_question(text)
    return tuple(army_words(question.armies[side]) for side in Side)


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_a_pasted_list_is_read(text: str) -> None:
    assert sides(text) == ("6 infantry, 2 tanks", "5 infantry, 1 fighter")


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_a_list_is_read_with_blanks_for_line_breaks(text: str) -> None:
    """An option of a command has no line breaks: pasted ones become blanks."""
    assert sides(" ".join(text.split())) == ("6 infantry, 2 tanks", "5 infantry, 1 fighter")


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_a_list_is_read_from_a_file(text: str) -> None:
    assert sides(decode_text(text.encode())) == ("6 infantry, 2 tanks", "5 infantry, 1 fighter")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Attacker: 6 inf", [(15, 15, "Put vs between the two armies, as in: 6 tanks vs 10 inf")]),
        ("Defender: 6 inf", [(0, 0, "The attacker has no units yet.")]),
        (
            "Attacker: 6 inf Defender: 5 inf Attacker: 2 t",
            [(32, 40, "The attacker is there twice: put all its units in one place.")],
        ),
        ("Attacker:\n6 inf\n2 tonks\nDefender:\n5 inf", [(18, 23, "No unit has this name. Did you mean tanks?")]),
        ("Attacker:\n**6 inf**\nDefender:\n`-2 inf`", [(31, 33, "A count can't be negative.")]),
    ],
)
def test_mistakes_in_lists_have_their_place(text: str, expected: list[tuple[int, int, str]]) -> None:
    with pytest.raises(TextError) as caught:
        parse_question(text)
    found = [(problem.span.start, problem.span.end, problem.sentence()) for problem in caught.value.problems]
    assert found == expected
