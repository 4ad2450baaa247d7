"""Armies and battles as they are typed, or pasted from a forum or another calculator; what is wrong is marked.

With bombardment, guns and waves, and what is refused in which edition.
"""

import string
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim.axis_allies.army import MAX_COUNT, Army, army_words, format_army
from sim.axis_allies.editions import EDITIONS, NAMES
from sim.axis_allies.parse import (
    can_swap,
    completions,
    decode_text,
    fitting_edition,
    named_edition,
    parse_army,
    parse_question,
    swap_sides,
)
from sim.axis_allies.parse.words import BOMBARD, MAX_TEXT, UNIT_NAMES
from sim.axis_allies.units import WORDS, Unit, forms_of
from sim.core import RuleError, TextError
from sim.core.names import HEADINGS, NUMBER_WORDS, VERSUS
from sim.core.values import Side
from tests.sim.axis_allies.builders import armies, marked, parse_battle
from tests.tables import kept_table, kept_texts


@pytest.mark.parametrize(("edition", "text", "army"), kept_table(__file__, "armies"))
def test_what_players_type(edition: str, text: str, army: str) -> None:
    assert format_army(parse_army(text, edition)) == army


@pytest.mark.parametrize(
    ("edition", "text", "expected"),
    [
        *kept_table(__file__, "mistakes"),
        ("1941", f"1 t vs 1 i | rounds {'9' * 500}", [["rounds " + "9" * 500, "Put a number from 1 to 1,000."]]),
    ],
)
def test_what_is_wrong_is_said_and_marked(edition: str, text: str, expected: list[list[str]]) -> None:
    assert marked(text, parse_question, edition) == expected


def test_every_word_names_its_unit_or_edition_alone() -> None:
    assert len(NAMES) == sum(len({book.name, *book.also}) for book in EDITIONS.values())
    assert len(WORDS) == sum(len(forms_of(unit)) for unit in Unit)
    for word, unit in WORDS.items():
        assert parse_army(f"2 {word.upper()}", "1940").count(unit) == 2, word


@pytest.mark.parametrize(("unit", "words"), kept_table(__file__, "forms"))
def test_every_form_of_the_rules_table_is_taken(unit: str, words: str) -> None:
    assert {UNIT_NAMES[word.replace("-", " ")] for word in words.split()} == {unit}


@pytest.mark.parametrize("versus", sorted(VERSUS))
def test_every_way_to_part_the_sides(versus: str) -> None:
    assert parse_battle(f"6 tanks {versus.upper()} 10 inf") == parse_battle("6 tanks vs 10 inf")


@pytest.mark.parametrize("number", ["1e5", "1_000", "²", "٣", "½", "2.5.1", "nan", "∞", "1e400", "0x10"])
def test_numbers_that_only_programs_like_are_refused(number: str) -> None:
    assert marked(f"{number} tanks vs 1 inf", parse_question) == [[number, "Put a number before each unit: 6 tanks"]]


def test_a_text_over_the_limit_is_refused_before_it_is_read() -> None:
    ((place, sentence),) = marked("1 inf, " * 300, parse_question)
    assert len(place) == 1
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


@pytest.mark.parametrize(("text", "swapped"), kept_table(__file__, "swapped"))
def test_swapping_grows_a_text_by_three_at_most(text: str, swapped: str) -> None:
    assert swap_sides(text) == swapped
    assert len(swapped) <= len(text) + 3


@pytest.mark.parametrize(("text", "sentence"), kept_table(__file__, "not_swapped"))
def test_what_cannot_be_fought_the_other_way_round_is_not_swapped(text: str, sentence: str) -> None:
    with pytest.raises(TextError) as caught:
        swap_sides(text)
    assert str(caught.value) == sentence


def one_of(*tables: str) -> st.SearchStrategy[str]:
    """Draw a text of each table, whose texts bars part; a bar in a text is `@`, a line break `/`."""
    texts = [st.sampled_from(table.split("|")) for table in tables]
    return st.tuples(*texts).map(lambda parts: "".join(parts).replace("@", "|").replace("/", "\n"))


COUNTS, UNITS = "|6 |2 |six |0 |1.5 |.000001 |3 x |1942 ", "inf|inf|tanks|ftr|bb|subs|transports|aa|aa gun|inf x2"
MARKS, JOINS = "|||| bombard| (1 damaged)| landing 1| (bombarding)", ", |, | and | - |/> |, edition:1942 | then "
SIDE = "|||, |: |> |**|1942 |1942: |- ", COUNTS, UNITS, MARKS, JOINS, COUNTS, UNITS, MARKS
HEADS = "||1942: |1940 |edition 1942: |classic: |Attacker: |> |@ "
BETWEEN = " vs | vs | v | > | vs. | Defender: |, vs: |/> vs/> | -vs "
OPTIONS = (
    "||| edition:1942|,|/|: -|**| @| @ rounds 3| @ low luck @| @ counter 3 inf| @ retreat below 1 defender|@ order inf"
    "| @ order attackers: inf @ order attacker: tank| @ counter 2 inf, 1 bb bombard| @ order attacker: inf, tank"
)
BATTLES = one_of(HEADS, *SIDE, BETWEEN, *SIDE, OPTIONS)


def works(read: Callable[[str, str], object], text: str, edition: str) -> bool:
    try:
        return bool(read(text, edition))
    except TextError:
        return False


@given(
    BATTLES | BATTLES.map(lambda text: text.ljust(MAX_TEXT - 1)) | st.lists(pieces, max_size=25).map(" ".join),
    st.sampled_from(list(EDITIONS)),
)
@example("> 6 inf\n> 2 tanks\n> vs\n> 5 inf", "1942")
@example("6 inf vs .000001 aa, .000001 aa, 1 inf", "1942")
@example("6 inf, 0 bb bombard vs 5 inf", "1942")
def test_a_swap_is_known_to_be_possible_without_swapping(text: str, edition: str) -> None:
    if works(parse_question, text, edition):
        assert can_swap(text, edition) is works(swap_sides, text, edition)


@pytest.mark.parametrize(("edition", "typed", "offered"), kept_table(__file__, "completed"))
def test_the_last_word_is_completed_to_units_of_the_edition(edition: str, typed: str, offered: list[str]) -> None:
    assert completions(typed, edition) == offered
    assert completions(typed + " " * 5000) == []


LISTS = kept_texts(__file__, "lists")


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_a_list_is_read_pasted_into_a_form_or_into_a_command_or_from_a_file(text: str) -> None:
    """An option of a command has no line breaks: pasted ones become blanks."""
    for read in (text, " ".join(text.split()), decode_text(text.encode())):
        armies = parse_question(read).armies
        assert tuple(map(army_words, armies.values())) == ("6 infantry, 2 tanks", "5 infantry, 1 fighter"), read


BATTLE = "6 inf vs 5 inf"


@pytest.mark.parametrize(("name", "edition"), kept_table(__file__, "editions"))
def test_every_name_of_an_edition_begins_a_text(name: str, edition: str) -> None:
    assert named_edition(f"{name}: 6 inf vs 5 inf") == edition
    begun = (f"{name}: {BATTLE}", f" {name} :{BATTLE}", f"edition:{name} {BATTLE}", f"{name} {BATTLE}")
    for text in begun:
        assert parse_question(text, "1940").edition == edition
    assert parse_question(f"{BATTLE} edition:{name}", "1940").edition == edition
    assert parse_army(f"{name}: 6 inf").edition == edition


def test_the_edition_chosen_besides_the_text_wins_and_the_default_comes_last() -> None:
    assert parse_question("1942: 6 inf vs 5 inf", "classic", "1940").edition == "1940"
    assert parse_question("1942: 6 inf vs 5 inf", "classic").edition == "1942"
    assert parse_question("6 inf vs 5 inf", "classic").edition == "classic"
    assert named_edition("6 inf vs 5 inf") is None


@pytest.mark.parametrize(("text", "expected"), kept_table(__file__, "ships"))
def test_ships_beside_land_units_are_asked_about_with_the_text_to_paste(text: str, expected: list[list[str]]) -> None:
    assert marked(text, parse_question, "1942") == expected
    paste = expected[0][1].partition("paste: ")[2] or expected[0][1].partition("them: ")[2]
    if len(expected) == 1:
        parse_question(paste, "1942")


@pytest.mark.parametrize(("text", "sentence"), kept_table(__file__, "no_army"))
def test_one_army_is_not_read_from_what_says_more(text: str, sentence: str) -> None:
    with pytest.raises(TextError) as caught:
        parse_army(text, "1942")
    assert str(caught.value) == sentence


@pytest.mark.parametrize(("text", "edition"), kept_table(__file__, "fitting"))
def test_the_edition_that_fits_a_text(text: str, edition: str) -> None:
    assert fitting_edition(text) == edition
