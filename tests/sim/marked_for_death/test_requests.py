"""Whole battles in one go and checks of rosters: their reports, files and cards."""

import pickle

import pytest

from sim.core.values import Ending
from sim.csv.table import Fault, FilesError
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.battle.values import Fell, Setup
from sim.marked_for_death.cards import battle_card, odds_card
from sim.marked_for_death.odds.requests import OddsRequest
from sim.marked_for_death.requests import CheckRequest, RunFilesRequest, RunRequest, battle_files
from sim.marked_for_death.roster import Camp
from sim.marked_for_death.stats import short_line
from sim.marked_for_death.tables import read_roster, sample
from tests.sim.marked_for_death.builders import RIDERS, crowd, fighter, roster

ORCS = b"Name,XP\nOrc,4000\nElf,5000\n"


def test_a_battle_from_two_files() -> None:
    report = RunRequest(heroes=RIDERS.encode(), villains=ORCS, seed=5).run()
    assert (report.winner, report.ending, len(report.rounds)) == (Camp.HEROES, Ending.ANNIHILATION, 1)
    assert report.heroes.survivors == (("Dragon", 1), ("Summoner", 3), ("Tom", 2))
    assert [(number, fall.name) for number, fall in report.fallen] == [(1, "Orc"), (1, "Elf")]
    assert report.heroes.warnings == ("Dragon's ToHit is at its cap of 99% (126% before).",)


def test_the_fallen_in_order_by_whose_hand_and_with_whom() -> None:
    villains = roster(fighter("Boss", hp=1, defend="-1"), fighter("Pet", linked_to="Boss"))
    report = RunRequest(heroes=roster(fighter("Tom", xp=30_000, hp=50)), villains=villains, seed=1).run()
    killed, boss = next((number, fall) for number, fall in report.fallen if fall.name == "Boss")
    assert (boss.camp, boss.by, boss.linked_to, boss.hp < 0) == (Camp.VILLAINS, ("Tom",), None, True)
    tied = [fallen for fallen in report.fallen if fallen[1].linked_to]
    assert tied in ([], [(killed, Fell(camp=Camp.VILLAINS, name="Pet", hp=0, linked_to="Boss"))])


def test_the_log_tells_the_whole_battle_once() -> None:
    report = RunRequest(heroes=crowd(2), villains=crowd(3), max_rounds=2, seed=3).run()
    titles = [line.split(":")[0] for line in report.log() if not line.startswith(" ")]
    rounds = [f"Round {number}" for number in range(1, len(report.rounds) + 1)]
    assert titles == ["Seed", "The heroes", "The villains", *rounds, report.closing.split(":")[0]]
    assert [lines[0].split(":")[0] for lines in report.rounds] == rounds


def test_who_sat_out_is_told() -> None:
    report = RunRequest(heroes=roster("Tom", fighter("Ann", hp=0)), villains=crowd(1, hp=0)).run()
    assert (report.heroes.sat_out, report.villains.sat_out) == (("Ann",), ("F1",))
    assert (report.winner, report.rounds) == (Camp.HEROES, ())
    assert report.closing == "The heroes win: Tom (2 HP) stands"


def test_a_limit_that_was_asked_for_stops_the_battle_without_a_word_about_it() -> None:
    report = RunRequest(heroes=crowd(1, hp=900), villains=crowd(1, hp=900), max_rounds=3).run()
    assert (report.ending, report.winner, len(report.rounds), report.stopped) == (Ending.ROUND_LIMIT, None, 3, None)


def test_a_battle_without_end_in_sight_is_stopped_after_a_thousand_rounds() -> None:
    report = RunRequest(heroes=crowd(1, hp=1_000_000), villains=crowd(1, hp=1_000_000)).run()
    assert (report.ending, len(report.rounds)) == (Ending.ROUND_LIMIT, 1000)
    assert report.stopped == "Stopped after 1,000 rounds, the most in one go. Continue with the final files."
    assert report.closing == "Undecided after 1000 rounds, the limit: 1 hero and 1 villain stand"


@pytest.mark.rest
def test_a_battle_of_many_dice_is_stopped_sooner() -> None:
    report = RunRequest(heroes=crowd(4, xp=9_000_000, hp=1_000_000), villains=crowd(9, xp=1, hp=900_000)).run()
    assert report.stopped is not None
    assert report.stopped.startswith(f"Stopped after {len(report.rounds)} rounds: the battle is too large")
    assert report.ending is Ending.ROUND_LIMIT


def test_its_cost_is_within_a_worker_s_limit() -> None:
    assert RunRequest(heroes=crowd(500), villains=crowd(500)).cost() <= 5


def test_the_files() -> None:
    request = RunRequest(heroes=RIDERS.encode(), villains=ORCS, max_rounds=1, seed=8)
    written, report = RunFilesRequest(battle=request).run(), request.run()
    assert list(written) == ["BattleLog.txt", "Heroes-final.csv", "Villains-final.csv"]
    assert written["BattleLog.txt"].decode().splitlines() == report.log()
    assert written == battle_files(report)
    for camp, name in ((Camp.HEROES, "Heroes-final.csv"), (Camp.VILLAINS, "Villains-final.csv")):
        assert read_roster(written[name]).roster == report.side(camp).final


def test_the_final_files_hold_the_fallen_too_with_hp_and_exhaustion() -> None:
    report = RunRequest(heroes=roster("Tom"), villains=crowd(20, xp=20_000)).run()
    (tom,) = report.heroes.final.fighters
    assert tom.hp == report.fallen[0][1].hp <= 0
    assert tom.bonus_to_defend * -10 == len(report.rounds)


def test_faults_of_both_files_are_told_at_once() -> None:
    with pytest.raises(FilesError) as caught:
        RunRequest(heroes=b"Name,XP\nTom,x", villains=b"Name\nTom").run()
    back = pickle.loads(pickle.dumps(caught.value))
    assert back.sentences == (
        "Heroes: Row 2, XP: 'x' is not a whole number.",
        "Villains: Row 1: The column XP is missing.",
    )
    assert str(back) == " ".join(back.sentences)
    assert back.errors["Heroes"].faults == (Fault(2, "XP", "'x' is not a whole number."),)


def test_a_check_gives_cards_and_warnings() -> None:
    report = CheckRequest(source=RIDERS.encode()).run()
    assert [card.name for card in report.cards] == ["Dragon", "Summoner", "Tom"]
    assert len(report.warnings) == 1
    assert CheckRequest(source=report.roster).run() == report


CJK = "春野サクラ"


def test_a_battle_in_one_go_ends_with_a_card_of_both_sides() -> None:
    report = RunRequest(heroes=RIDERS.encode(), villains=roster("Orc", CJK, fighter("Idle", hp=0)), seed=3).run()
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
    assert RunRequest(heroes=RIDERS.encode(), villains=roster("Orc"), seed=3).run().card.best is None


def test_the_sample_armies_are_even_and_fight_5_to_8_rounds() -> None:
    sides = {camp.value: read_roster(sample(camp)) for camp in Camp}
    assert not any(checked.warnings for checked in sides.values())
    rosters = {camp: checked.roster for camp, checked in sides.items()}
    odds = OddsRequest(**rosters, battles=4000, seed=1).run()
    assert abs(odds.p_heroes - odds.p_villains) < 0.08
    rounds = [len(RunRequest(**rosters, seed=seed).run().rounds) for seed in range(100)]
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
