"""Mad Killer Agents in a terminal."""

import json
import re
from itertools import product

import pytest

from sim.__main__ import main
from sim.mad_killer_agents.combat import Clash, fight
from sim.mad_killer_agents.constants import MapKind
from sim.mad_killer_agents.requests import MapRequest
from sim.mad_killer_agents.tables import read_map
from sim.mad_killer_agents.terrain import Drawing


def test_a_battle(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mka-battle", "20@2", "5@4", "--city", "3"]) == 0
    output = capsys.readouterr().out
    assert output == (
        "The attacker takes the tile, 10 units left.\n"
        "The attacker loses 10 of 20 units.\n"
        "The defender loses 5 of 5 units.\n"
        "The city is destroyed.\n"
    )
    assert main(["mka-battle", "5@1", "0@1", "--city", "5", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures == {"attacker_loss": 5, "defender_loss": 0, "attacker_left": 0, "defender_left": 1, "city_left": 5}


def test_a_battle_has_the_options_and_the_advice_of_the_bot(capsys: pytest.CaptureFixture[str]) -> None:
    """The advice stands on stderr, so that the figures stay what they are for whoever reads them by program."""
    assert main(["mka-battle", "10@5", "12@1"]) == 0
    plain = capsys.readouterr()
    assert plain.out.startswith("The attacker takes the tile, 2 units left.\n")
    assert "city" not in plain.out
    assert plain.err == "Note: Best in parts: 3 x 1: 2 lost, 8 left; tile taken\nNote: 7 units can stay out of it.\n"
    found = []
    for drill, masonry in product([False, True], repeat=2):
        options = ["--drill"] * drill + ["--masonry"] * masonry
        assert main(["mka-battle", "20@2", "15@4", "--city", "3", *options, "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
        result = fight(Clash(20, 2, 15, 4, 3, drill, masonry))
        assert found[-1] == {name: getattr(result, name) for name in found[-1]}
    assert len(set(map(str, found))) > 2


def test_an_army_on_a_mountain_is_refused_unless_it_knows_mountaineering(capsys: pytest.CaptureFixture[str]) -> None:
    for sides in (["5@6", "2@1"], ["5@3", "2@6"]):
        assert main(["mka-battle", *sides]) != 0
        refused = capsys.readouterr()
        assert (refused.out, "is on a mountain; armies there need Mountaineering" in refused.err) == ("", True)
        assert main(["mka-battle", *sides, "--mountaineering", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["defender_loss"] == 2


@pytest.mark.parametrize(
    ("battle", "sentence"),
    [
        ("5@1 0@1 --city 5", "The city keeps its size, 5."),
        ("5@1 0@1 --city 5", "The defender loses 0 of 1 unit, drafted by the city."),
        ("6@1 4@1 --city 2", "The city shrinks from size 2 to 1."),
        ("5@3 2@1 --city 1", "The city is destroyed."),
    ],
)
def test_what_is_left_of_a_city(battle: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mka-battle", *battle.split()]) == 0
    assert sentence in capsys.readouterr().out.splitlines()


def test_a_map_is_the_one_of_the_seed_and_can_be_imported(capsys: pytest.CaptureFixture[str]) -> None:
    for kind in MapKind:
        assert main(["mka-map", "--size", "12x9", "--kind", kind, "--seed", "5"]) == 0
        output = capsys.readouterr().out
        drawing = Drawing(width=12, height=9, kind=kind)
        assert read_map(output.encode()) == MapRequest(drawing=drawing, seed=5).draw()
        assert len(output.splitlines()) == 9


def test_a_war_of_ais(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["mka-simulate", "marshal", "random", "--games", "2", "--size", "8x8", "--rounds", "12"]
    assert main(command) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0].split() == ["player", "wins", "shared", "score"]
    assert table[-1].startswith("2 games, ")
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("mka-battle 5@7 2@1", "from 1 to 6"),
        ("mka-battle 5 2@1", "Write an army as"),
        ("mka-battle 5@1 0@1", "from 1 to 100,000"),
        ("mka-map --size 7x20", "8 to 40 tiles each way, not 7 x 20"),
        ("mka-map --size 20x99999", "such as 20x20"),
        ("mka-map --size 20", "such as 20x20"),
        ("mka-map --kind hills", "invalid choice"),
        ("mka-map --without 3", "Only plateaus"),
        ("mka-map --seed -1", "whole number"),
        ("mka-simulate marshal barbarian", "more than 2 players"),
        ("mka-simulate" + 9 * " random", "has at most 8 players"),
        ("mka-simulate marshal", "at least 2 players"),
    ],
)
def test_wrong_input_has_status_2(command: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main(command.split())
    except SystemExit as ended:
        status = int(str(ended.code))
    assert status == 2
    assert re.search(message, capsys.readouterr().err)
