"""Bombardment, guns, editions and waves as typed, and what is refused in which edition."""

import pytest

from sim.axis_allies.army import army_words
from sim.axis_allies.parse import fitting_edition, is_battle, named_edition, parse_army, parse_battle, parse_question
from sim.axis_allies.question import Question
from sim.core.errors import TextError
from tests.sim.axis_allies.builders import marked, mistakes, rows
from tests.tables import kept_table, kept_text

BATTLE = "6 inf vs 5 inf"


def attackers(question: Question) -> list[tuple[str, str, int | None]]:
    return [(army_words(wave.army), army_words(wave.bombard), wave.landing) for wave in question.waves]


def test_the_line_of_the_rules_page() -> None:
    question = parse_question("1942: 6 inf, 2 art, 1 tank, 2 ftr + 2 bb bombard vs 5 inf, 1 art, 2 aa, 1 ftr")
    assert question.edition == "1942"
    assert attackers(question) == [("6 infantry, 2 artillery, 1 tank, 2 fighters", "2 battleships", None)]
    assert army_words(question.defender) == "5 infantry, 1 artillery, 2 antiaircraft guns, 1 fighter"


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


@pytest.mark.parametrize(
    ("text", "army", "bombard", "landing"),
    [(*row, None)[:4] for row in kept_table(__file__, "bombarding")],
)
def test_ships_that_bombard(text: str, army: str, bombard: str, landing: int | None) -> None:
    assert attackers(parse_question(f"1942: {text} vs 5 inf")) == [(army, bombard, landing)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *mistakes(kept_text(__file__, "ships")),
        (
            "Attacker:\n6 Infantry\n2 Battleships\n\nDefender:\n5 Infantry",
            [
                (
                    "2 Battleships",
                    (
                        "Do these ships bombard? Then paste: "
                        "Attacker: 6 Infantry 2 Battleships bombard Defender: 5 Infantry"
                    ),
                )
            ],
        ),
    ],
)
def test_ships_beside_land_units_are_asked_about_with_the_text_to_paste(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert marked(text, parse_question, "1942") == expected
    paste = expected[0][1].partition("paste: ")[2] or expected[0][1].partition("them: ")[2]
    if len(expected) == 1:
        parse_question(paste, "1942")


def test_in_1941_ships_beside_land_units_are_a_matter_of_a_note() -> None:
    assert attackers(parse_question("6 inf, 2 bb vs 5 inf, 1 bb")) == [("6 infantry, 2 battleships", "", None)]


def test_guns_alone_fight_where_they_are_units() -> None:
    assert army_words(parse_question("1942: 6 ftr vs 2 aa").defender) == "2 antiaircraft guns"


def test_destroyers_bombard_in_the_edition_that_has_the_technology() -> None:
    assert attackers(parse_question("revised: 6 inf, 2 dd bombard vs 5 inf")) == [("6 infantry", "2 destroyers", None)]


def test_waves() -> None:
    question = parse_question("6 inf, 2 tanks then 3 ftr, 1 bmr vs 10 inf")
    assert attackers(question) == [("6 infantry, 2 tanks", "", None), ("3 fighters, 1 bomber", "", None)]
    assert not question.one_battle


def test_each_wave_has_its_own_bombardment() -> None:
    question = parse_question("1942: 6 inf, bombard: 2 bb then 2 inf, 1 cru shore landing 1 THEN 3 tank vs 10 inf")
    assert attackers(question) == [
        ("6 infantry", "2 battleships", None),
        ("2 infantry", "1 cruiser", 1),
        ("3 tanks", "", None),
    ]


def test_five_waves_are_read() -> None:
    assert len(parse_question(" then ".join(["1 t"] * 5) + " vs 1 i").waves) == 5


@pytest.mark.parametrize(
    "text",
    ["6 inf then 2 t vs 1 i", "1942: 6 inf, 1 bb bombard vs 1 i", "6 inf vs 1 i | rounds 2", "6 inf landing 2 vs 1 i"],
)
def test_two_armies_are_not_read_from_what_says_more(text: str) -> None:
    with pytest.raises(TextError, match="Only two armies fit here"):
        parse_battle(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        *rows(kept_text(__file__, "no_army")),
        ("", "The army has no units yet."),
    ],
)
def test_one_army_is_not_read_from_what_says_more(text: str, sentence: str) -> None:
    with pytest.raises(TextError) as caught:
        parse_army(text, "1942")
    assert str(caught.value) == sentence


@pytest.mark.parametrize(("text", "edition"), rows(kept_text(__file__, "fitting")))
def test_the_edition_that_fits_a_text(text: str, edition: str) -> None:
    assert fitting_edition(text) == edition


@pytest.mark.parametrize(
    ("text", "battle"),
    [("6 inf", False), ("6 inf v 5", True), ("Attacker: 6 inf", False), ("Attacker: 6 inf Defender: 5 inf", True)],
)
def test_what_is_a_battle(text: str, *, battle: bool) -> None:
    assert is_battle(text) is battle
