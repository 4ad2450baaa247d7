import csv
import io
import json

from sim.axis_allies.average import AverageRequest
from sim.axis_allies.calc_requests import CalcFilesRequest, CalcRequest
from sim.axis_allies.export import battle_table, transcript
from sim.axis_allies.parse import parse_battle, parse_question
from sim.axis_allies.reports import AverageReport
from tests.sim.axis_allies.builders import average


def test_the_three_files() -> None:
    battle = AverageRequest.of(parse_battle("2 submarines vs 1 battleship"))
    files = CalcFilesRequest(calc=CalcRequest(average=battle)).run()
    report = battle.run()
    assert set(files) == {"battle.txt", "battle.csv", "battle.json"}
    assert files["battle.txt"].decode() == transcript(report)
    assert files["battle.csv"].decode() == battle_table(report)
    assert AverageReport.model_validate_json(files["battle.json"]) == report
    assert json.loads(files["battle.json"])["rounds"][0]["volleys"][0]["hits"] == [
        {"by": "submarine", "on": "battleship", "amount": "2/3"}
    ]


def test_editions_without_an_average_battle_have_the_files_of_the_odds() -> None:
    question = parse_question("1942: 6 inf, 2 art vs 5 inf")
    calc = CalcRequest.of(question)
    assert calc.average is None
    assert set(CalcFilesRequest(calc=calc).run()) == {"odds.csv", "odds.json"}
    assert calc.run().average is None


def test_the_files_of_an_answer_follow_its_options() -> None:
    question = parse_question("2 sub, 3 ftr, 1 bb vs 2 bb, 1 dst | order lives-first | retreat below 6 | rounds 2")
    calc = CalcRequest.of(question)
    files = CalcFilesRequest(calc=calc).run()
    assert "2 battleships (0 extra lives)" in files["battle.txt"].decode()
    assert "The attacker retreated!" in files["battle.txt"].decode()
    assert AverageReport.model_validate_json(files["battle.json"]).end == "retreat"
    assert [row["round"] for row in csv.DictReader(io.StringIO(files["battle.csv"].decode()))] == ["1", "end"]


def test_the_table_counts_hits_and_losses_of_every_round() -> None:
    rows = list(csv.DictReader(io.StringIO(battle_table(average("1 submarine, 1 destroyer", "1 fighter")))))
    assert [row["round"] for row in rows] == ["1", "2", "3", "end"]
    first, second, _, end = rows
    assert (first["attacker_submarine"], first["attacker_destroyer"], first["defender_fighter"]) == ("1", "1", "1")
    assert (first["attacker_surprise_hits"], first["attacker_surprise_ineffective"]) == ("0", "0.333333")
    assert (second["defender_hits"], second["defender_ineffective"]) == ("0.333333", "0.111111")
    assert (second["attacker_destroyer_lost"], second["attacker_ipc_lost"]) == ("0.333333", "2.666667")
    assert (end["attacker_submarine"], end["attacker_destroyer"], end["defender_fighter"]) == ("1", "0", "0.555556")
    assert end["attacker_hits"] == ""


def test_battleships_show_their_lives() -> None:
    rows = list(csv.DictReader(io.StringIO(battle_table(average("2 submarines", "1 battleship")))))
    assert [row["defender_battleship_lives"] for row in rows][:3] == ["1", "0.333333", "0"]
