"""Jobs that roll characters and monsters and read groups."""

import pickle

import pytest

from sim.core.errors import RuleError
from sim.csv.table import FilesError, TableError
from sim.duel.critter import Alignment, Gender
from sim.duel.monsters import MONSTERS_BY_NAME
from sim.duel.requests import EncounterRequest, GroupsRequest, RivalsRequest, RollRequest, RosterRequest
from sim.duel.tables import example

SEED = b"snow"
ONE, OTHER = b"name,hp\nAlrun,6\n", b"name,hp\nBorri,6\nCaja,5\n"


def test_characters_are_rolled_as_requested() -> None:
    request = RollRequest(seed=SEED, name="Zoë", gender=Gender.SHE, alignment=Alignment.LAWFUL)
    critter = request.run()
    assert (critter.name, critter.gender, critter.alignment) == ("Zoë", Gender.SHE, Alignment.LAWFUL)
    assert critter == request.run() != request.model_copy(update={"seed": b"ice"}).run()
    name = RollRequest(seed=SEED).run().name
    assert RollRequest(seed=SEED, taken=(name,)).run().name != name
    lawful, chaotic = RivalsRequest(seed=SEED).run()
    assert (lawful.alignment, chaotic.alignment) == (Alignment.LAWFUL, Alignment.CHAOTIC)


@pytest.mark.parametrize("level", range(1, 9))
def test_monsters_are_of_the_level(level: int) -> None:
    met = EncounterRequest(seed=SEED, level=level, party=4).run()
    assert MONSTERS_BY_NAME[met.kind].level == level
    assert 1 <= len(met.critters) <= 6


def test_groups_come_from_one_file_or_from_two() -> None:
    first, second = GroupsRequest(data=example()).run()
    assert [critter.name for critter in first] == ["Brenna", "Old Njal"]
    assert len(second) == 2
    first, second = GroupsRequest(data=ONE, against=OTHER).run()
    assert [critter.name for critter in first + second] == ["Alrun", "Borri", "Caja"]
    assert [side.name for side in RosterRequest(data=example()).run().sides] == ["The Watch", "Night"]


def test_faults_of_two_files_name_the_file() -> None:
    with pytest.raises(FilesError) as caught:
        GroupsRequest(data=b"name,hp\nA,x\n", against=b"name,hp\nB,0\n").run()
    error = pickle.loads(pickle.dumps(caught.value))  # our own, as it comes back from a worker
    assert [sentence.split(":")[0] for sentence in error.sentences] == ["First file", "Second file"]
    assert "Row 2, hp" in str(error)
    with pytest.raises(TableError):
        GroupsRequest(data=b"name,hp\nA,x\n").run()


def test_a_file_of_two_sides_stands_alone() -> None:
    with pytest.raises(RuleError, match="First file: it has two sides"):
        GroupsRequest(data=example(), against=ONE).run()
    with pytest.raises(RuleError, match="a fight needs two"):
        GroupsRequest(data=ONE).run()


def test_costs_are_far_below_what_a_worker_may_take() -> None:
    large = b"name,hp\n" + b"x" * (256 * 1024)
    assert GroupsRequest(data=large, against=large).cost() < 5
    assert RosterRequest(data=large).cost() < 5
    assert (
        RollRequest(seed=SEED).cost()
        == RivalsRequest(seed=SEED).cost()
        == EncounterRequest(seed=SEED, level=1, party=1).cost()
    )
