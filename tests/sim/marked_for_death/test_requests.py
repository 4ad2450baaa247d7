"""Whole battles in one go and checks of rosters: their reports, files and cards; in the terminal, too."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from sim.core.values import Ending
from sim.marked_for_death.battle import Fell, Setup
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.cards import battle_card, odds_card
from sim.marked_for_death.odds import OddsRequest
from sim.marked_for_death.requests import RunRequest
from sim.marked_for_death.roster import Camp
from sim.marked_for_death.stats import short_line
from sim.marked_for_death.tables import read_roster, sample
from tests.sim.conftest import Terminal
from tests.sim.marked_for_death.builders import HEADER, RIDERS, crowd, fighter, roster, run
from tests.sim.marked_for_death.test_stats import RIDERS_LINES
from tests.tables import kept_texts

ORCS = b"Name,XP\nOrc,4000\nElf,5000\n"


def test_a_battle_from_two_files() -> None:
    report = run(RIDERS.encode(), ORCS, seed=5)
    assert (report.winner, report.ending, len(report.rounds)) == (Camp.HEROES, Ending.ANNIHILATION, 1)
    assert report.heroes.survivors == (("Dragon", 1), ("Summoner", 3), ("Tom", 2))
    assert [(number, fall.name) for number, fall in report.fallen] == [(1, "Orc"), (1, "Elf")]
    assert [sum(f" down {name} " in line for line in report.log()) for name in ("Orc", "Elf")] == [1, 1]
    assert report.heroes.warnings == ("Dragon's ToHit is at its cap of 99% (126% before).",)


def test_the_fallen_in_order_by_whose_hand_and_with_whom() -> None:
    villains = roster(fighter("Boss", hp=1, defend="-1"), fighter("Pet", linked_to="Boss"))
    report = run(roster(fighter("Tom", xp=30_000, hp=50)), villains, seed=1)
    killed, boss = next((number, fall) for number, fall in report.fallen if fall.name == "Boss")
    assert (boss.camp, boss.by, boss.linked_to, boss.hp < 0) == (Camp.VILLAINS, ("Tom",), None, True)
    tied = [fallen for fallen in report.fallen if fallen[1].linked_to]
    assert tied in ([], [(killed, Fell(camp=Camp.VILLAINS, name="Pet", hp=0, linked_to="Boss"))])


def test_the_log_tells_the_whole_battle_once() -> None:
    report = run(crowd(2), crowd(3), max_rounds=2, seed=3)
    titles = [line.split(":")[0] for line in report.log() if not line.startswith(" ")]
    rounds = [f"Round {number}" for number in range(1, len(report.rounds) + 1)]
    assert titles == ["Seed", "The heroes", "The villains", *rounds, report.closing.split(":")[0]]
    assert [lines[0].split(":")[0] for lines in report.rounds] == rounds


def test_who_sat_out_is_told() -> None:
    report = run(roster("Tom", fighter("Ann", hp=0)), crowd(1, hp=0))
    assert (report.heroes.sat_out, report.villains.sat_out) == (("Ann",), ("F1",))
    assert (report.winner, report.rounds) == (Camp.HEROES, ())
    assert report.closing == "The heroes win: Tom (2 HP) stands"


def test_a_limit_that_was_asked_for_stops_the_battle_without_a_word_about_it() -> None:
    report = run(crowd(1, hp=900), crowd(1, hp=900), max_rounds=3)
    assert (report.ending, report.winner, len(report.rounds), report.stopped) == (Ending.ROUND_LIMIT, None, 3, None)


def test_a_battle_without_end_in_sight_is_stopped_after_a_thousand_rounds() -> None:
    report = run(crowd(1, hp=1_000_000), crowd(1, hp=1_000_000))
    assert (report.ending, len(report.rounds)) == (Ending.ROUND_LIMIT, 1000)
    assert report.stopped == "Stopped after 1,000 rounds, the most in one go. Continue with the final files."
    assert report.closing == "Undecided after 1000 rounds, the limit: 1 hero and 1 villain stand"


@pytest.mark.rest
def test_a_battle_of_many_dice_is_stopped_sooner() -> None:
    report = run(crowd(4, xp=9_000_000, hp=1_000_000), crowd(9, xp=1, hp=900_000))
    assert report.stopped is not None
    assert report.stopped.startswith(f"Stopped after {len(report.rounds)} rounds: the battle is too large")
    assert report.ending is Ending.ROUND_LIMIT


def test_its_cost_is_within_a_worker_s_limit() -> None:
    assert RunRequest(heroes=b"", villains=b"").cost() <= 5


def test_the_final_files_hold_the_fallen_too_with_hp_and_exhaustion() -> None:
    report = run(roster("Tom"), crowd(20, xp=20_000))
    (tom,) = report.heroes.final.fighters
    assert tom.hp == report.fallen[0][1].hp <= 0
    assert tom.bonus_to_defend * -10 == len(report.rounds)


CJK = "春野サクラ"


def test_a_battle_in_one_go_ends_with_a_card_of_both_sides() -> None:
    report = run(RIDERS.encode(), roster("Orc", CJK, fighter("Idle", hp=0)), seed=3)
    card = report.card
    assert (card.title, card.aside) == ("Heroes win", "after 1 round")
    rows = {row.name: row for side in card.sides for row in side.rows}
    for camp in Camp:
        for name, hp in report.side(camp).survivors:
            assert rows[name].hp == hp
    for _, fall in report.fallen:
        assert rows[fall.name].is_out
        assert rows[fall.name].fate.startswith(("by ", "with "))
    assert rows["Idle"].fate == "sits out"
    assert rows[CJK].instead == "Villain 2"


def test_a_single_takedown_is_nothing_to_boast_of() -> None:
    assert run(RIDERS.encode(), roster("Orc"), seed=3).card.best is None


def test_the_sample_armies_are_even_and_fight_5_to_8_rounds() -> None:
    sides = {camp.value: read_roster(sample(camp)) for camp in Camp}
    assert not any(checked.warnings for checked in sides.values())
    rosters = {camp: checked.roster for camp, checked in sides.items()}
    odds = OddsRequest(**rosters, battles=4000, seed=1).run()
    assert abs(odds.p_heroes - odds.p_villains) < 0.08
    rounds = [len(run(*rosters.values(), seed=seed).rounds) for seed in range(100)]
    assert sum(5 <= number <= 8 for number in rounds) >= 90
    for side in rosters.values():  # so that it matters who is pulled out, and when
        assert any(one.linked_to for one in side.fighters)
        assert any(one.bodyguard_for for one in side.fighters)


def test_a_fighter_s_line_is_short_in_chats() -> None:
    line = "  Dragon: HP(1), ToHit(99%), ToDefend(42%), AOE(3), Total XP(9), OffenseDice(19), DefenseDice(15), "
    line += "Bodyguarding <no one>, LinkedTo Summoner, sits out"
    shown = "  Dragon: 1 HP · hits 99% (19 dice) · blocks 42% (15 dice) · 3 targets · falls with Summoner, sits out"
    assert (short_line(line), short_line("The heroes:")) == (shown, "The heroes:")


def test_a_name_that_no_font_draws_has_a_word_in_its_place_in_the_odds() -> None:
    card = odds_card(OddsRequest(heroes=roster("Tom"), villains=roster("Orc", CJK), battles=200).run())
    assert card.right is not None
    assert {row.name: row.instead for row in card.right.rows} == {"Orc": "Villain 1", CJK: "Villain 2"}


def test_the_gray_part_of_the_bar_is_named() -> None:
    state = RosterBattle().begin(Setup(heroes=roster("Tom"), villains=roster("Orc")))
    odds = OddsRequest(heroes=roster("Tom"), villains=roster("Orc")).run()
    assert battle_card(state, (), odds).aside == "both fall 9%"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of the test's own, where a battle writes its files."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


FINALS = ("Heroes-final.csv", "Villains-final.csv")


def files(heroes: str, villains: str) -> list[str]:
    """Write both rosters, where they are looked for; return the options that name them."""
    for name, text in (("Heroes.csv", heroes), ("Villains.csv", villains)):
        Path(name).write_text(text, encoding="utf-8")
    return ["--heroes", "Heroes.csv", "--villains", "Villains.csv"]


def rows(*lines: str) -> str:
    return "\n".join([HEADER, *lines, ""])


ORCS_TYPED = "Name;XP;BodyguardFor\nOrc;4000;\nElf;5000;Ork\n"


def test_a_battle_is_printed_and_its_files_written(here: Path, terminal: Terminal) -> None:
    sides, out = files(RIDERS, ORCS_TYPED), here / "new" / "files"
    captured = terminal("mfd", *sides, "-m", "3", "--seed", "5", "--out", str(out))
    assert captured.out.splitlines()[1:3] == ["The heroes:", f"  {RIDERS_LINES[0]}"]
    assert "Note: Villains: Elf guards Ork, who isn't in the file. Did you mean Orc?" in captured.err
    assert (out / "BattleLog.txt").read_text() == captured.out
    finals = [str(out / name) for name in FINALS]
    assert all(Path(name).read_bytes().startswith(b"Name,") for name in finals), "without the mark for spreadsheets"
    terminal("mfd", "--heroes", finals[0], "--villains", finals[1])


def test_files_have_the_names_of_the_seed_program(here: Path, terminal: Terminal) -> None:
    files(RIDERS, ORCS_TYPED)
    rosters = {path.name for path in here.iterdir()}
    log = terminal("mfd", "-m", "1", "--out", "-").out
    assert {path.name for path in here.iterdir()} == rosters
    assert terminal("mfd", "-m", "1").out == log
    assert {path.name for path in here.iterdir()} == rosters | {"BattleLog.txt", *FINALS}
    assert (here / "BattleLog.txt").read_text() == log
    terminal("mfd-odds", "--battles", "500")


def test_no_round_at_all_shows_and_writes_the_sides(here: Path, terminal: Terminal) -> None:
    captured = terminal("mfd", *files(RIDERS, ORCS_TYPED), "--max-rounds", "0")
    lines = captured.out.splitlines()
    assert lines[1:5] == ["The heroes:", *(f"  {line}" for line in RIDERS_LINES)]
    assert lines[-1] == "Undecided: 3 heroes and 2 villains stand"
    assert not any(line.startswith("Round") for line in lines)
    assert "Stopped" not in captured.err
    for name, text in zip(FINALS, (RIDERS, ORCS_TYPED), strict=True):
        assert read_roster((here / name).read_bytes()).roster == read_roster(text.encode()).roster
    fallen = files(RIDERS, "Name,XP,BonusHP\nOrc,1,-5\n")  # a side of which nobody can fight has lost before
    assert "The heroes win: " in terminal("mfd", *fallen, "-m", "0").out


def test_a_check_prints_the_lines_or_json(terminal: Terminal) -> None:
    files(RIDERS, ORCS_TYPED)
    captured = terminal("mfd-check", "Heroes.csv")
    assert captured.out.splitlines() == RIDERS_LINES
    assert captured.err == "Note: Dragon's ToHit is at its cap of 99% (126% before).\n"
    tom = terminal.json("mfd-check", "Heroes.csv")["fighters"][2]
    assert (Decimal(tom.pop("ToHit")), Decimal(tom.pop("ToDefend"))) == (Decimal("0.57"), Decimal("0.45"))
    assert tom == kept_texts(__file__, "tom")


def test_every_fault_has_its_line_with_status_2(terminal: Terminal) -> None:
    bad = "Name,XP\nTom,x\n,3\n"
    sides = files(bad, bad)
    sentences = ["Row 2, XP: 'x' is not a whole number.", "Row 3, Name: The name is missing."]
    both = [f"{side}: {line}" for side in ("Heroes", "Villains") for line in sentences]
    for command, told in (
        (["mfd-check", "Heroes.csv"], sentences),
        (["mfd", *sides], both),
        (["mfd-odds", *sides], both),
        (["mfd-check", "none.csv"], ["none.csv can't be read: No such file or directory."]),
        (["mfd-odds", "--heroes", "none.csv"], ["none.csv can't be read: No such file or directory."]),
    ):
        assert terminal(*command, status=2) == ("", "\n".join([*told, ""]))
    refused = terminal("mfd", *files(RIDERS, RIDERS), "--out", "Heroes.csv", status=2)
    assert "Heroes.csv can't be made: File exists." in refused.err


def test_odds_are_sentences(terminal: Terminal) -> None:
    sides = files(rows("Hero,5000,,-1"), rows("Villain,5000,,-1,,,,Nobody"))
    captured = terminal("mfd-odds", *sides)
    assert captured.out == (
        "Heroes win 35.7% of the time.\n"
        "Heroes 35.7%, villains 35.7%, both fall 28.6%, about 1.5 rounds.\n"
        "Hero survives 35.7% of the time.\n"
        "Villain survives 35.7% of the time.\n"
    )
    assert "Note: Villains: Villain guards Nobody, who isn't in the file." in captured.err
    report = terminal.json("mfd-odds", *sides)
    assert report["p_heroes"] == pytest.approx(0.356971, abs=5e-7)
    assert report["p_both_fall"] == pytest.approx(0.286058, abs=5e-7)
    assert report["mean_rounds"] == pytest.approx(1.517047, abs=5e-7)


def test_the_whole_report(terminal: Terminal) -> None:
    sides = files(rows("A,5000", "B,3000,,,,,2,A"), rows("C,5000", "D,2000,,,,,,,C"))
    said = terminal("mfd-odds", *sides, "-m", "3", "--battles", "700", "--seed", "9", "--json")
    report = json.loads(said.out)
    assert report["max_rounds"] == 3
    assert (report["simulation"]["battles"], report["simulation"]["seed"]) == (700, 9)
    assert [fighter["name"] for fighter in report["fighters"]] == ["A", "B", "C", "D"]
    assert "simulated, 700 battles, seed 9" in said.err
