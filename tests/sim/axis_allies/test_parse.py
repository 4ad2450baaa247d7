import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim.axis_allies.army import MAX_COUNT, Army, format_army
from sim.axis_allies.editions import EDITIONS, NAMES
from sim.axis_allies.parse import MAX_TEXT, VERSUS, completions, parse_army, parse_battle, swap_sides
from sim.axis_allies.parse.words import BOMBARD, HEADINGS, NUMBER_WORDS
from sim.axis_allies.units import WORDS, Unit
from sim.core.errors import RuleError, TextError
from sim.core.values import Side
from tests.sim.axis_allies.builders import armies


def read(text: str) -> str:
    return format_army(parse_army(text))


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


@pytest.mark.parametrize(
    ("text", "army"),
    [
        ("2 mech inf", "2 mechanized infantry"),
        ("2 mech, inf", "2 mechanized infantry, 1 infantry"),
        ("2 mech. inf. and 1 inf", "2 mechanized infantry, 1 infantry"),
        ("1 tac bomber 1 bomber", "1 tactical bomber, 1 bomber"),
        ("2 aa guns, 1 anti-aircraft gun, 1 anti aircraft gun, 1 AAGun", "5 antiaircraft guns"),
        ("3 tactical_bombers, 2 half tracks", "3 tactical bombers, 2 mechanized infantry"),
        ("2 strategic bombers", "2 bombers"),
    ],
)
def test_names_of_two_words_come_before_those_of_one(text: str, army: str) -> None:
    assert format_army(parse_army(text, "1940")) == army


@pytest.mark.parametrize(
    ("text", "army"),
    [
        ("six tanks", "6 tanks"),
        ("a tank", "1 tank"),
        ("an inf and a tank", "1 infantry, 1 tank"),
        ("ten inf, twenty-five tanks, dozen ftr", "10 infantry, 25 tanks, 12 fighters"),
        ("Tank x6", "6 tanks"),
        ("tank x 6, inf * 2, ftr\u00d73", "6 tanks, 2 infantry, 3 fighters"),
        ("6x tank, 2X inf", "6 tanks, 2 infantry"),
        ("Infantry: 6 Tank: 2", "6 infantry, 2 tanks"),
        ("Infantry = 6, Tank = two", "6 infantry, 2 tanks"),
        ("Infantry (6) Tank (x2)", "6 infantry, 2 tanks"),
        ("Infantry - 6, Tank - 2", "6 infantry, 2 tanks"),
        ("Infantry 6 Tank 2", "6 infantry, 2 tanks"),
        ("infantry six, tank ten", "6 infantry, 10 tanks"),
        ("inf 2 tanks", "1 infantry, 2 tanks"),
        ("- 6 inf - 2 tanks", "6 infantry, 2 tanks"),
    ],
)
def test_ways_to_count(text: str, army: str) -> None:
    assert read(text) == army


def test_an_article_before_a_unit_is_one_and_artillery_elsewhere() -> None:
    assert format_army(parse_army("2 a, a, a tank", "1942")) == "3 artillery, 1 tank"


@pytest.mark.parametrize(
    ("text", "army"),
    [
        ("1 damaged bb", "1 battleship (1 hit)"),
        ("2 damaged battleships, 1 bb", "3 battleships (2 hits)"),
        ("two damaged bb", "2 battleships (2 hits)"),
        ("damaged bb", "1 battleship (1 hit)"),
        ("a damaged bb", "1 battleship (1 hit)"),
        ("2 bb damaged", "2 battleships (2 hits)"),
        ("2 bb (1 damaged)", "2 battleships (1 hit)"),
        ("3 BB (2 Extra Lives)", "3 battleships (1 hit)"),
    ],
)
def test_damage(text: str, army: str) -> None:
    assert read(text) == army


def test_carriers_are_damaged_in_1940_only() -> None:
    assert format_army(parse_army("2 damaged cv", "1940")) == "2 aircraft carriers (2 hits)"
    with pytest.raises(TextError, match="Only battleships can be damaged"):
        parse_army("2 damaged cv", "1942")
    with pytest.raises(TextError, match=r"In Classic, no ship takes two hits\."):
        parse_army("2 damaged bb", "classic")


@pytest.mark.parametrize("versus", sorted(VERSUS))
def test_every_way_to_part_the_sides(versus: str) -> None:
    armies = parse_battle(f"6 tanks {versus.upper()} 10 inf")
    assert (format_army(armies[Side.ATTACKER]), format_army(armies[Side.DEFENDER])) == ("6 tanks", "10 infantry")


def test_the_sign_needs_no_blanks() -> None:
    assert format_army(parse_battle("6t>10i")[Side.DEFENDER]) == "10 infantry"


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
        ("2 bb (3 hits) vs 1 dd", [("(3 hits)", "2 battleships can take 2 hits before one sinks.")]),
        ("1 bb (2 damaged) vs 1 dd", [("(2 damaged)", "1 battleship can take 1 hit before one sinks.")]),
        ("2 bb (3 lives) vs 1 dd", [("(3 lives)", "2 battleships can take 2 hits before one sinks.")]),
        ("2 damaged tanks vs 1 i", [("2", "Only battleships can be damaged.")]),
        ("1 i vs damaged", [("damaged", "Damaged what? Put a ship after it: 1 damaged battleship")]),
        (
            "tank x-3 vs 1 i",
            [
                (
                    "x-3",
                    (
                        "No unit has this name. The units: infantry, tanks, fighters, bombers, submarines, "
                        "destroyers, aircraft carriers, battleships, transports."
                    ),
                )
            ],
        ),
        ("tank: -3 vs 1 i", [("-3", "A count can't be negative.")]),
        ("tank: 1,000 vs 1 i", [("1,000", "A comma separates two units: write 1000 without it.")]),
        ("1 i vs 1 tank vs", [("vs", "Only two sides can fight: use 'vs' once.")]),
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
    [
        ("6t>10i", "10i > 6t"),
        ("1942:6t>10i", "1942: 10i > 6t"),
        ("v5: 6 t, vs 10 art;", "v5: 10 art vs 6 t"),
        ("6 art vs 5 inf edition:1942", "1942: 5 inf vs 6 art"),
        ("Attacker: Infantry: 6 Defender: Tank: 2", "Tank: 2 vs Infantry: 6"),
        (
            "1940: 6 inf vs 5 inf | order attacker: inf | tech defender: jets | retreat below 2 defenders",
            "1940: 5 inf vs 6 inf | order defender: inf | tech attacker: jets | retreat below 2 defenders",
        ),
    ],
)
def test_swapping_grows_a_text_by_three_at_most(text: str, swapped: str) -> None:
    assert swap_sides(text) == swapped
    assert len(swapped) <= len(text) + 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1942: 6 inf vs 5 inf, 2 aa", "Antiaircraft guns never attack."),
        ("1942: 6 inf, 1 bb bombard vs 5 inf", "Ships bombard only for the attacker."),
        ("6 inf then 1 tank vs 5 inf", "Only the attacker comes in waves: put commas between units."),
        ("1942: 6 inf landing 2 vs 5 inf", "Land units come by sea only for the attacker."),
    ],
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
