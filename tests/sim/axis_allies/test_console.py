"""The terminal: `aa-read`, `aa` and losses chosen by hand; `aa-odds`, and `aa-battle` with dice of all editions."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from sim.__main__ import INPUT_ERROR
from sim.axis_allies.parse import parse_question
from sim.axis_allies.requests import RetreatRequest
from tests.sim.axis_allies.test_parse_question import LINE
from tests.sim.conftest import Terminal
from tests.tables import kept_table, kept_texts


def test_everything_that_a_text_may_say(terminal: Terminal) -> None:
    assert terminal.json("aa-read", LINE) == kept_texts(__file__, "all_said")


def test_fractions_and_damage(terminal: Terminal) -> None:
    assert terminal.json("aa-read", "2.5 sub, 2 bb (1 damaged) vs 1 damaged bb") == {
        "edition": "1941",
        "waves": [{"army": {"submarine": 2.5, "battleship": 2}, "bombard": {}, "damaged": {"battleship": 1}}],
        "defender": {"battleship": 1},
        "defender_damaged": {"battleship": 1},
        "options": {},
    }


BATTLE = ["aa", "-a", "6 tanks, 1 bmr", "-d", "5 inf, 2 tanks, 1 ftr"]
BY_HAND = [*BATTLE, "--defender-casualties", "manual", "--stop-after", "1"]
FLEETS = ["aa", "-a", "3 sub, 2 ftr, 1 bb", "-d", "2 bb, 1 dst, 2 ftr"]


def test_losses_by_hand(terminal: Terminal) -> None:
    """The tanks' 3 hits fall on both tanks and an infantry, the bomber's on the usual infantry."""
    terminal.will_read("tank", "inf", "")
    out = terminal(*BY_HAND, "--json")
    groups = json.loads(out.out)["defender_left"]["groups"]
    assert {group["unit"]: Fraction(group["count"]) for group in groups} == {
        "infantry": Fraction(10, 3),
        "fighter": Fraction(1),
    }
    assert out.err == (
        "Round 1: 3 hits by the attacker's tanks.\n"
        "The defender has 5 infantry, 2 tanks, 1 fighter.\n"
        "Lose infantry, tanks or fighters? (Enter: infantry)\n"
        "> Round 1: 1 hit by the attacker's tanks.\n"
        "The defender has 5 infantry, 1 fighter.\n"
        "Lose infantry or fighters? (Enter: infantry)\n"
        "> Round 1: 0.667 hits by the attacker's bombers.\n"
        "The defender has 4 infantry, 1 fighter.\n"
        "Lose infantry or fighters? (Enter: infantry)\n"
        "> "
    )


def test_an_answer_may_be_an_order(terminal: Terminal) -> None:
    terminal.will_read("ftr, tank", "tank")
    assert "the defender was left with 4.333 infantry" in terminal(*BY_HAND).out


def test_both_sides_by_hand(terminal: Terminal) -> None:
    terminal.will_read(*[""] * 99)
    by_hand = terminal(*BATTLE, "--casualties", "manual", "-r").out
    assert by_hand == terminal(*BATTLE, "-r").out
    terminal.will_read(*[""] * 99)
    asked = terminal(*BATTLE, "--casualties", "manual", "--defender-casualties", "score").err
    assert "Lose tanks or bombers? (Enter: tanks)" in asked
    assert "attacker's" not in asked


def test_a_ship_that_is_chosen_loses_its_life_first(terminal: Terminal) -> None:
    by_hand = ["aa", "-a", "6 ftr, 1 btl", "-d", "2 bb, 4 dst", "--defender-casualties", "manual", "--stop-after", "1"]
    terminal.will_read("bb", "")
    out = terminal(*by_hand)
    assert "Lose destroyers, battleship lives or battleships? (Enter: destroyers)" in out.err
    assert "1 battleship (0 extra lives), 3.333 destroyers" in out.out
    terminal.will_read("bb-life", "bb-life", "bb", "bb-life", "bb")
    out = terminal(*by_hand)
    assert "> The defender has no battleship lives.\n> " in out.err
    assert "0.333 battleships (0 extra lives), 4 destroyers" in out.out


@pytest.mark.parametrize(("wrong", "sentence"), [*kept_table(__file__, "wrong"), ("x" * 999, "at most 300 are read")])
def test_a_wrong_answer_is_explained_and_asked_for_again(wrong: str, sentence: str, terminal: Terminal) -> None:
    terminal.will_read(wrong, "inf", "inf")
    out = terminal(*BY_HAND)
    assert sentence in out.err
    assert "left with 1.333 infantry, 2 tanks, 1 fighter" in out.out


def test_what_the_hits_cannot_take_is_explained(terminal: Terminal) -> None:
    terminal.will_read("ftr", "dst", *[""] * 9)
    err = terminal(*FLEETS, "--defender-casualties", "MANUAL", "--stop-after", "1").err
    assert "Round 1: 1 hit by the attacker's submarines." in err
    assert "These hits can't take fighters." in err


@pytest.mark.parametrize("lines", [[], ["tank"], ["tank", "wrong"]])
def test_the_end_of_the_input_is_a_sentence(lines: list[str], terminal: Terminal) -> None:
    terminal.will_read(*lines)
    out = terminal(*BATTLE, "--defender-casualties", "manual", status=INPUT_ERROR)
    assert out.out == ""
    assert out.err.endswith("> The input ended in round 1, before the defender chose all its losses.\n")


@pytest.mark.parametrize("option", ["-h", "--hit-method", "--casualties"])
def test_the_hit_method_has_the_seed_programs_names(option: str, terminal: Terminal) -> None:
    fleets = [*FLEETS, "--stop-after", "1"]
    assert terminal(*fleets, option, "score").out == terminal(*fleets).out
    assert "2 battleships (0 extra lives)" in terminal(*fleets, option, "lives-first").out
    assert terminal(*fleets, option, "bb-life, ftr").out != terminal(*fleets).out
    assert re.search(r", -h\b.*, --hit-method METHOD\n", terminal("aa", "--help").out)
    terminal("aa-odds", "-h")


def test_the_orders_found_are_told(terminal: Terminal) -> None:
    out = terminal(*FLEETS, "--defender-casualties", "thrifty")
    (line,) = out.err.splitlines()
    assert line.startswith("Defender: Lose: battleship lives, ")
    assert terminal(*FLEETS, "--defender-casualties", line.removeprefix("Defender: ").rstrip(".")).out == out.out


FOUGHT = "6 inf, 2 art, 1 tank, 2 ftr + 2 bb bombard vs 5 inf, 1 art, 2 aa, 1 ftr"
ARMIES = dict(zip("ad", FOUGHT.split(" vs "), strict=True))
REPORT = {"p_attacker": 0.9062534885855121, "p_takes": 0.8531701794864088, "att_ipc_lost": 22.057358982877634}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--edition", "1942", "-a", ARMIES["a"], "-d", ARMIES["d"]],
        ["-a", f"1942: {ARMIES['a']}", "-d", ARMIES["d"]],
        [f"1942: {FOUGHT}"],
        ["--battle", FOUGHT, "--edition", "second edition"],
        [f"1942: Attacker:\n{ARMIES['a']}\nDefender:\n{ARMIES['d']}"],
        [f"1940: {FOUGHT}", "--edition", "1942"],
    ],
)
def test_one_question_in_many_forms(arguments: list[str], terminal: Terminal) -> None:
    out = terminal("aa-odds", *arguments, "--json")
    figures = json.loads(out.out)
    assert {name: figures[name] for name in REPORT} == pytest.approx(REPORT, abs=1e-9)
    assert out.err.startswith("Edition: 1942 second edition.\nNote: antiaircraft fire: 2 guns, 2 dice")


@pytest.mark.parametrize(("option", "text"), kept_table(__file__, "options"))
def test_an_option_is_the_same_as_in_the_text(option: list[str], text: str, terminal: Terminal) -> None:
    attacker, defender = "1940: 4 inf, 3 ftr + 2 bb bombard", "4 inf, 2 aa, 1 ftr"
    said = f"{attacker}, landing 1 vs {defender}" if text == "landing" else f"{attacker} vs {defender} | {text}"
    reports = []
    for arguments in (["-a", attacker, "-d", defender, *option], [said], [f"{attacker} vs {defender}"]):
        report = terminal.json("aa-odds", *arguments)
        reports.append({name: value for name, value in report.items() if name not in {"attacker", "defender"}})
    assert reports[0] == reports[1] != reports[2]


def test_waves_and_a_counterattack(terminal: Terminal) -> None:
    """The last figures are of a battle that others calculated (waves, 1941)."""
    waves = ["aa-odds", "-a", "3 inf, 3 ftr, 2 bmr then 1 inf, 2 ftr", "-d", "4 ftr"]
    assert "Wave 2: 1 infantry, 2 fighters, wins 0.6% of the time.\n" in terminal(*waves).out
    figures = terminal.json(*waves)
    assert figures["att_left"]["infantry"] == pytest.approx(sum(wave["left"]["infantry"] for wave in figures["waves"]))
    assert figures["p_wave1"] == pytest.approx(0.9935018217105507, abs=1e-9)
    assert figures["p_wave2"] == pytest.approx(0.005820748181973811, abs=1e-9)
    report = terminal.json("aa-odds", "6 tanks vs 4 inf", "--counter", "5 inf, 2 ftr")
    assert 0 < report["p_holds"] < report["p_takes"] == pytest.approx(report["p_attacker"])


def test_when_to_retreat_with_another_power_behind(terminal: Terminal) -> None:
    battle = ["aa-retreat", "6 inf then 2 tanks vs 8 inf", "--territory", "3"]
    report = RetreatRequest.of(parse_question(battle[1]), 3).run()
    assert terminal.json(*battle) == report.model_dump(mode="json")
    out = terminal(*battle)
    assert out.out.startswith("Don't attack. Even if you retreat in time, you lose ")
    assert "\nBefore the battle: retreat; net IPC to come to the end \N{MINUS SIGN}" in out.out
    assert "2 tanks attack what you leave" in out.err
    refused = terminal(*battle, "--retreat-below", "3", status=INPUT_ERROR)
    assert "Leave out a counterattack and when to retreat" in refused.err


@pytest.mark.parametrize("option", ["--retreat-below", "--seed", "--stop-after", "--retreat-ipc-lost", "--landing"])
@pytest.mark.parametrize("value", ["-1", "x", "²", "9" * 40])
def test_wrong_numbers(option: str, value: str, terminal: Terminal) -> None:
    wrong = f"{option}={value}"
    assert "whole number" in terminal("aa-odds", "-a", "inf", "-d", "inf", wrong, status=INPUT_ERROR).err


def test_the_journal_tells_the_luck_of_its_dice(tmp_path: Path, terminal: Terminal) -> None:
    path = tmp_path / "battle.jsonl"
    terminal("aa-battle", "3 tanks vs 3 inf", "--seed", "3", "--out", str(path))
    state = json.loads(path.read_text().splitlines()[-1])
    assert state["closing"]["seed"] is not None
    attacker, defender = terminal("luck", str(path)).out.splitlines()
    told = r"\d+\.\d (more|fewer) hits than expected, luckier than \d+%, \d+ hits? with \d+ dice, \d+\.\d expected"
    assert re.fullmatch(f"attacker: {told}", attacker)
    assert re.fullmatch(f"defender: {told}", defender)
    path.write_text(path.read_text().replace(state["closing"]["seed"], "00"))
    assert "has other events than the dice lead to" in terminal("luck", str(path), status=INPUT_ERROR).err


def test_the_orders_found_are_told_and_stored(tmp_path: Path, terminal: Terminal) -> None:
    path = tmp_path / "battle.jsonl"
    battle = ["aa-battle", "1942: 2 art vs 4 inf, 3 bmr", "--seed", "3"]
    texts = []
    for method, order in (("smart", "bombers, infantry"), ("thrifty", "infantry, bombers")):
        out = terminal(*battle, "--casualties", method, "--out", str(path))
        assert out.err == f"Defender: Lose: {order}.\n"
        assert json.loads(path.read_text().splitlines()[0])["head"]["setup"]["defender_losses"] == [
            {"bombers": "bomber"}.get(unit, unit) for unit in order.split(", ")
        ]
        terminal("verify", str(path))
        assert terminal(*battle, "--defender-casualties", order).out == out.out
        texts.append(out.out)
    assert texts[0] != texts[1]


def test_in_the_fog_the_orders_found_are_secret(terminal: Terminal) -> None:
    assert terminal("aa-battle", "1942: 2 art vs 4 inf, 3 bmr", "--casualties", "smart", "--seat", "attacker").err == ""
