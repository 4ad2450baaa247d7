"""Armies and battles as they are typed, or pasted from a forum or another calculator; what is wrong is marked."""

import re
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim.axis_allies.army import MAX_COUNT, Army, army_words, format_army
from sim.axis_allies.editions import DEFAULT, EDITIONS, NAMES
from sim.axis_allies.parse import (
    MAX_TEXT,
    VERSUS,
    completions,
    decode_text,
    parse_army,
    parse_battle,
    parse_question,
    swap_sides,
)
from sim.axis_allies.parse.words import BOMBARD, HEADINGS, NUMBER_WORDS
from sim.axis_allies.units import WORDS, Unit
from sim.core.errors import RuleError, TextError
from sim.core.values import Side
from tests.sim.axis_allies.builders import armies, cases, mistakes, rows


@pytest.mark.parametrize(
    ("edition", "text", "army"),
    [*cases("parse_armies.txt"), ("1941", "  3   INFANTRY ,2 Tnk ,, ", "3 infantry, 2 tanks")],
)
def test_what_players_type(edition: str, text: str, army: str) -> None:
    assert format_army(parse_army(text, edition)) == army


def complaints(text: str, edition: str = DEFAULT) -> list[tuple[str, str]]:
    """Return (marked stretch, sentence) of everything wrong with a battle text."""
    with pytest.raises(TextError) as caught:
        parse_question(text, edition)
    return [(text[problem.span.start : problem.span.end], problem.sentence()) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("edition", "text", "expected"),
    [
        *mistakes("parse_mistakes.txt", before=2),
        ("1941", "", [("", "Put vs between the two armies, as in: 6 tanks vs 10 inf")]),
        ("1941", f"1 t vs 1 i | rounds {'9' * 500}", [("rounds " + "9" * 500, "Put a number from 1 to 1,000.")]),
    ],
)
def test_what_is_wrong_is_said_and_marked(edition: str, text: str, expected: list[tuple[str, str]]) -> None:
    assert complaints(text, edition) == expected


@pytest.mark.parametrize(
    ("edition", "text", "sentence"),
    [
        ("1942", "2 damaged cv", "Only battleships can be damaged."),
        ("classic", "2 damaged bb", "In Classic, no ship takes two hits."),
    ],
)
def test_only_ships_that_take_two_hits_are_damaged(edition: str, text: str, sentence: str) -> None:
    with pytest.raises(TextError, match=f"^{re.escape(sentence)}"):
        parse_army(text, edition)


@pytest.mark.parametrize("word", sorted(WORDS))
def test_every_word_names_its_unit(word: str) -> None:
    assert parse_army(f"2 {word.upper()}", "1940").count(WORDS[word]) == 2


def test_every_form_of_the_rules_table_is_taken() -> None:
    table = {
        Unit.INFANTRY: "infantry i inf",
        Unit.TANK: "tank tanks t tnk",
        Unit.FIGHTER: "fighter fighters f ftr",
        Unit.BOMBER: "bomber bombers b bmr",
        Unit.SUBMARINE: "submarine submarines s sub",
        Unit.DESTROYER: "destroyer destroyers d dst",
        Unit.CARRIER: "carrier c car",
        Unit.BATTLESHIP: "battleship battleships bt btl",
        Unit.TRANSPORT: "transport transports tr trn tra tran",
        Unit.ARTILLERY: "artillery a art arty",
        Unit.GUN: "aa aaa aag aagun flak anti-aircraft",
        Unit.CRUISER: "cruiser cru ca cl",
    }
    more = {
        Unit.MECH: "mech mec mi mechanized half-track",
        Unit.TACTICAL: "tac tacs tb tact",
        Unit.TANK: "arm",
        Unit.BOMBER: "strat sbomber bmbr",
        Unit.CARRIER: "ac cv acc",
        Unit.SUBMARINE: "ss",
        Unit.BATTLESHIP: "bat bship",
    }
    for unit, words in more.items():
        assert {WORDS[word] for word in words.split()} == {unit}
    for unit, words in table.items():
        assert {WORDS[word] for word in words.split()} == {unit}
    assert WORDS["aircraft carriers"] is WORDS["aircraft carrier"] is Unit.CARRIER
    assert WORDS["mech inf"] is Unit.MECH
    assert WORDS["aa gun"] is Unit.GUN
    assert WORDS["tac bomber"] is Unit.TACTICAL
    assert WORDS["strategic bomber"] is Unit.BOMBER


@pytest.mark.parametrize("versus", sorted(VERSUS))
def test_every_way_to_part_the_sides(versus: str) -> None:
    armies = parse_battle(f"6 tanks {versus.upper()} 10 inf")
    assert (format_army(armies[Side.ATTACKER]), format_army(armies[Side.DEFENDER])) == ("6 tanks", "10 infantry")


def test_the_sign_needs_no_blanks() -> None:
    assert format_army(parse_battle("6t>10i")[Side.DEFENDER]) == "10 infantry"


@pytest.mark.parametrize("number", ["1e5", "1_000", "６", "٣", "½", "2.5.1", "nan", "∞", "1e400", "0x10"])
def test_numbers_that_only_programs_like_are_refused(number: str) -> None:
    assert complaints(f"{number} tanks vs 1 inf") == [(number, "Put a number before each unit: 6 tanks")]


def test_all_problems_of_both_sides_at_once_in_order() -> None:
    assert [marked for marked, _ in complaints("3 tonks, -2 inf vs 5, 9999999 subs")] == ["tonks", "-2", "5", "9999999"]


def test_a_text_over_the_limit_is_refused_before_it_is_read() -> None:
    ((marked, sentence),) = complaints("1 inf, " * 300)
    assert len(marked) == 1
    assert sentence == f"The text is 2,100 characters long; at most {MAX_TEXT:,} are read."


@given(st.sampled_from(list(EDITIONS)).flatmap(armies))
def test_what_is_written_is_read_back(army: Army) -> None:
    assert parse_army(format_army(army), army.edition) == army


pieces = st.sampled_from(
    [
        *WORDS,
        *VERSUS,
        *NAMES,
        *HEADINGS,
        *BOMBARD,
        *NUMBER_WORDS,
        *"0123456789",
        *string.punctuation,
        *(" ", " ", "\n", "x", "1e9", "½", "\u202e", "nan", "landing", "then", "damaged", "edition", "order"),
        *(
            "| order attacker: ",
            "| tech ",
            "| counter ",
            "| rounds 3",
            "| retreat below ",
            "| low luck",
            "jets",
            "life",
        ),
    ]
)


@given(
    st.one_of(
        st.text(max_size=60), st.lists(pieces, max_size=25).map("".join), st.lists(pieces, max_size=25).map(" ".join)
    )
)
@example("9" * MAX_TEXT)
@example("." + "9" * (MAX_TEXT - 1))
@example("2 bb (" + "9" * 400 + " hits) v i")
@example("1 i v 1 i | retreat below " + "9" * (MAX_TEXT - 26))
@example("(" * MAX_TEXT)
@example("a " * (MAX_TEXT // 2))
@example("then" + " v" * 100 + ": | :")
def test_any_text_gives_armies_or_errors_with_a_place_in_it(text: str) -> None:
    try:
        armies = parse_battle(text, "1940")
    except RuleError as error:
        assert isinstance(error, TextError)
        for problem in error.problems:
            assert 0 <= problem.span.start <= problem.span.end <= len(text)
            assert problem.message
            assert "\n" not in problem.sentence()
        return
    for army in armies.values():
        assert army
        assert all(0 < group.count <= MAX_COUNT for group in army.groups)
        assert parse_army(format_army(army), army.edition) == army


@given(armies(), armies())
def test_swapping_twice_changes_nothing(attacker: Army, defender: Army) -> None:
    text = f"{format_army(attacker)} vs {format_army(defender)}"
    if len(text) > MAX_TEXT:
        return
    once = parse_battle(swap_sides(text))
    assert once == {Side.ATTACKER: defender, Side.DEFENDER: attacker}
    assert swap_sides(swap_sides(text)) == text


@pytest.mark.parametrize(
    ("text", "swapped"),
    rows("""
        6t>10i => 10i > 6t
        1942:6t>10i => 1942: 10i > 6t
        v5: 6 t, vs 10 art; => v5: 10 art vs 6 t
        6 art vs 5 inf edition:1942 => 1942: 5 inf vs 6 art
        Attacker: Infantry: 6 Defender: Tank: 2 => Tank: 2 vs Infantry: 6
        1940: 6 inf vs 5 inf | order attacker: inf | tech defender: jets | retreat below 2 defenders
            => 1940: 5 inf vs 6 inf | order defender: inf | tech attacker: jets | retreat below 2 defenders
    """),
)
def test_swapping_grows_a_text_by_three_at_most(text: str, swapped: str) -> None:
    assert swap_sides(text) == swapped
    assert len(swapped) <= len(text) + 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    rows("""
        1942: 6 inf vs 5 inf, 2 aa => Antiaircraft guns never attack.
        1942: 6 inf, 1 bb bombard vs 5 inf => Ships bombard only for the attacker.
        6 inf then 1 tank vs 5 inf => Only the attacker comes in waves: put commas between units.
        1942: 6 inf landing 2 vs 5 inf => Land units come by sea only for the attacker.
    """),
)
def test_what_cannot_be_fought_the_other_way_round_is_not_swapped(text: str, sentence: str) -> None:
    with pytest.raises(TextError) as caught:
        swap_sides(text)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("6 ta", ["6 tanks"]),
        ("1 ta", ["1 tank"]),
        ("6 tanks vs 2 b", ["6 tanks vs 2 bombers", "6 tanks vs 2 battleships"]),
        ("3 car", ["3 aircraft carriers"]),
        ("6bom", ["6bombers"]),
        ("11 ta", ["11 tanks"]),
        ("6 ", []),
        ("6", []),
        ("", []),
        ("6 qq", []),
        ("1942: 6 art", ["1942: 6 artillery"]),
        ("1940: 2 mechanized i", ["1940: 2 mechanized infantry"]),
        ("1 Aircraft c", ["1 aircraft carrier"]),
        ("6 art", []),
        ("6 inf vs 2 acc", ["6 inf vs 2 aircraft carriers"]),
        (" " * 5000, []),
    ],
)
def test_the_last_word_is_completed(typed: str, offered: list[str]) -> None:
    assert completions(typed) == offered


def test_only_units_of_the_edition_are_offered() -> None:
    assert completions("6 ta", "1940") == ["6 tanks", "6 tactical bombers"]
    assert completions("6 c", "1942") == ["6 cruisers", "6 aircraft carriers"]


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
