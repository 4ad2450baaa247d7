import string
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim.axis_allies.army import MAX_COUNT, Army
from sim.axis_allies.parse import MAX_TEXT, VERSUS, completions, parse_army, parse_battle, swap_sides
from sim.axis_allies.units import WORDS, Unit
from sim.core.errors import RuleError, TextError
from sim.core.values import Side
from tests.sim.axis_allies.builders import armies


def typed(army: Army) -> str:
    """Write an army with every digit."""
    with localcontext(prec=2 * MAX_TEXT):
        return ", ".join(
            f"{digits(group.count)} {group.unit.value if group.count == 1 else group.unit.stats.plural}"
            + (f" ({digits(group.damage)} {'hit' if group.damage == 1 else 'hits'})" if group.damage else "")
            for group in army.groups
        )


def digits(value: Fraction) -> str:
    return f"{Decimal(value.numerator) / value.denominator:f}"


def read(text: str) -> str:
    return typed(parse_army(text))


def complaints(text: str) -> list[tuple[str, str]]:
    """Return (marked stretch, sentence) of everything wrong with a battle text."""
    with pytest.raises(TextError) as caught:
        parse_battle(text)
    return [(text[problem.span.start : problem.span.end], problem.sentence()) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "army"),
    [
        ("6 tanks, 2 inf, 1 bomber", "6 tanks, 2 infantry, 1 bomber"),
        ("6 tanks 2 inf", "6 tanks, 2 infantry"),
        ("6 tanks and 2 inf & 1 b + 1 f", "6 tanks, 2 infantry, 1 bomber, 1 fighter"),
        ("6t", "6 tanks"),
        ("6xtanks", "6 tanks"),
        ("6 x tanks, 2 X inf, 3×t", "9 tanks, 2 infantry"),
        ("tank", "1 tank"),
        ("  3   INFANTRY ,2 Tnk ,, ", "3 infantry, 2 tanks"),
        ("3 aircraft carriers carrier", "4 aircraft carriers"),
        ("2 battle ships", "2 battleships"),
        ("2.5 inf", "2.5 infantry"),
        ("3. inf", "3 infantry"),
        (".5 inf", "0.5 infantry"),
        ("1 inf, 0 tanks", "1 infantry"),
        ("2 inf, 3 tanks, 1 inf", "3 infantry, 3 tanks"),
        ("1000000 inf", "1000000 infantry"),
        ("2 battleships (1 hit)", "2 battleships (1 hit)"),
        ("2 battleships (1 extra life), 1 sub", "2 battleships (1 hit), 1 submarine"),
        ("2 bb (0 hits)", "2 battleships"),
        (
            "subs, carriers, infantries, ftrs, bb, dd, cv, ss",
            "2 submarines, 2 aircraft carriers, 1 infantry, 1 fighter, 1 battleship, 1 destroyer",
        ),
        ("1 inf.", "1 infantry"),
    ],
)
def test_what_players_type(text: str, army: str) -> None:
    assert read(text) == army


@pytest.mark.parametrize("word", sorted(WORDS))
def test_every_word_names_its_unit(word: str) -> None:
    assert parse_army(f"2 {word.upper()}").count(WORDS[word]) == 2


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
        Unit.TRANSPORT: "transport transports tr trn",
    }
    for unit, words in table.items():
        assert {WORDS[word] for word in words.split()} == {unit}
    assert WORDS["aircraft carriers"] is WORDS["aircraft carrier"] is Unit.CARRIER


@pytest.mark.parametrize("versus", sorted(VERSUS))
def test_every_way_to_part_the_sides(versus: str) -> None:
    armies = parse_battle(f"6 tanks {versus.upper()} 10 inf")
    assert (typed(armies[Side.ATTACKER]), typed(armies[Side.DEFENDER])) == ("6 tanks", "10 infantry")


def test_the_sign_needs_no_blanks() -> None:
    assert typed(parse_battle("6t>10i")[Side.DEFENDER]) == "10 infantry"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("6 tonks vs 10 inf", [("tonks", "No unit has this name. Did you mean tanks?")]),
        ("6 fihgter vs 10 inf", [("fihgter", "No unit has this name. Did you mean fighter?")]),
        ("6 vs 10 inf", [("6", "6 of what? Put a unit after the number.")]),
        ("-3 tanks vs 10 inf", [("-3", "A count can't be negative.")]),
        ("\u22123 tanks vs 10 inf", [("\u22123", "A count can't be negative.")]),
        ("0 tanks vs 10 inf", [("0 tanks", "The attacker has no units: every count is zero.")]),
        (
            "0.0000001 tanks vs 1 inf",
            [("0.0000001 tanks", "The attacker has no units: every count is 0.000001 or less, which counts as zero.")],
        ),
        ("999999999999 tanks vs 1 inf", [("999999999999", "At most 1,000,000 of a unit can fight.")]),
        ("1000000.1 tanks vs 1 inf", [("1000000.1", "At most 1,000,000 of a unit can fight.")]),
        (
            "600000 t, 600000 t vs 1 inf",
            [("600000", "Too many tanks in all: at most 1,000,000 of a unit can fight.")],
        ),
        ("1,000 tanks vs 1 inf", [("1,000", "A comma separates two units: write 1000 without it.")]),
        ("6 tanks vs", [("", "The defender has no units yet.")]),
        ("vs 6 tanks", [("", "The attacker has no units yet.")]),
        ("6 tanks", [("", "Put vs between the two armies, as in: 6 tanks vs 10 inf")]),
        ("", [("", "Put vs between the two armies, as in: 6 tanks vs 10 inf")]),
        ("1 t vs 1 t vs 1 t", [("vs", "Only two sides can fight: use 'vs' once.")]),
        (
            "2 tanks (1 hit) vs 1 inf",
            [("(1 hit)", "Only battleships can be damaged: put the brackets right after them.")],
        ),
        ("2 bb (3 hits) vs 1 dd", [("(3 hits)", "A battleship takes 1 hit before the one that sinks it.")]),
        ("2 bb (x) vs 1 dd", [("(x)", "Brackets are for damage, as in: 2 battleships (1 damaged)")]),
        ("2 bb (1 hit vs 1 dd", [("(", "This bracket is never closed.")]),
        ("2 bb) vs 1 dd", [(")", "This bracket was never opened.")]),
    ],
)
def test_what_is_wrong_is_said_and_marked(text: str, expected: list[tuple[str, str]]) -> None:
    assert complaints(text) == expected


@pytest.mark.parametrize("number", ["1e5", "1_000", "６", "٣", "½", "2.5.1", "nan", "∞", "1e400", "0x10"])
def test_numbers_that_only_programs_like_are_refused(number: str) -> None:
    assert complaints(f"{number} tanks vs 1 inf") == [(number, "Put a number before each unit: 6 tanks")]


def test_inf_is_infantry_not_infinity() -> None:
    assert read("inf inf") == "2 infantry"


def test_a_word_like_nothing_gets_the_whole_list() -> None:
    (only,) = complaints("6 qqqq vs 10 inf")
    assert only[1].startswith("No unit has this name. The units: infantry, tanks, ")


def test_all_problems_of_both_sides_at_once_in_order() -> None:
    assert [marked for marked, _ in complaints("3 tonks, -2 inf vs 5, 9999999 subs")] == ["tonks", "-2", "5", "9999999"]


def test_a_text_over_the_limit_is_refused_before_it_is_read() -> None:
    ((marked, sentence),) = complaints("1 inf, " * 100)
    assert len(marked) == 1
    assert sentence == f"The text is 700 characters long; at most {MAX_TEXT} are read."


@given(armies())
def test_what_is_written_is_read_back(army: Army) -> None:
    assert parse_army(typed(army)) == army


pieces = st.sampled_from(
    [*WORDS, *VERSUS, *"0123456789", *string.punctuation, " ", " ", "x", "1e9", "½", "\u202e", "nan"]
)


@given(
    st.one_of(
        st.text(max_size=60), st.lists(pieces, max_size=25).map("".join), st.lists(pieces, max_size=25).map(" ".join)
    )
)
@example("9" * MAX_TEXT)
@example("." + "9" * (MAX_TEXT - 1))
@example("2 bb (" + "9" * 400 + " hits) v i")
def test_any_text_gives_armies_or_errors_with_a_place_in_it(text: str) -> None:
    try:
        armies = parse_battle(text)
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
        assert parse_army(typed(army)) == army


@given(armies(), armies())
def test_swapping_twice_changes_nothing(attacker: Army, defender: Army) -> None:
    text = f"{typed(attacker)} vs {typed(defender)}"
    if len(text) > MAX_TEXT:
        return
    once = parse_battle(swap_sides(text))
    assert once == {Side.ATTACKER: defender, Side.DEFENDER: attacker}
    assert swap_sides(swap_sides(text)) == text


def test_swapping_grows_a_text_by_two_at_most() -> None:
    assert swap_sides("6t>10i") == "10i > 6t"


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
    ],
)
def test_the_last_word_is_completed(typed: str, offered: list[str]) -> None:
    assert completions(typed) == offered
