"""Files of a quarter of a MiB in which every cell is wrong: little is told of them, and little is carried."""

import pickle
from collections.abc import Callable

import pytest

from sim.axis_allies.answers import CheckRequest as ArmyRequest
from sim.boss_fight.requests import BossesRequest, DeckRequest
from sim.boss_fight.tables import DECK_COLUMNS
from sim.core import MAX_FAULTS, FaultsError
from sim.core.staged_job import Job
from sim.csv import MAX_BYTES, MAX_COLUMNS
from sim.duel.requests import RosterRequest as DuelRequest
from sim.mad_killer_agents.requests import ReadMapRequest
from sim.marked_for_death.requests import ChangeRequest, ReadRequest
from sim.marked_for_death.requests import CheckRequest as RosterRequest
from sim.marked_for_death.roster import Camp
from sim.workers.worker import answer, unpack

MOST_BYTES = 128 * 1024
"""Of an answer from a worker: it holds a traceback, and where the file is a text, that text of up to 100,000 bytes."""

Reader = Callable[[bytes], Job[object]]


def table(header: str, row: str) -> bytes:
    """Return a file of at most 2,000 rows that is as large as may be."""
    lines = min(1999, (MAX_BYTES - len(header)) // (len(row) + 1))
    return "\n".join([header, *[row] * lines]).encode()


def refusal(job: Job[object]) -> FaultsError:
    """Return the error with which a worker answers, which is small."""
    answered = answer(pickle.dumps(job))
    assert len(answered) < MOST_BYTES
    with pytest.raises(FaultsError) as caught:
        unpack(answered)
    return caught.value


READERS: dict[str, Reader] = {
    "mfd": lambda data: RosterRequest(source=data),
    # The file is read before the battle's state, which therefore need not be one.
    "mfd change": lambda data: ChangeRequest(state_json="{}", camp=Camp.HEROES, data=data),
    "duel": lambda data: DuelRequest(data=data),
    "deck": lambda data: DeckRequest(deck=data),
    "bosses": lambda data: BossesRequest(data=data),
    "map": lambda data: ReadMapRequest(data=data),
}

CONTROL = table("Name,XP" + ",x" * (MAX_COLUMNS - 2), ",".join(["\x07"] * MAX_COLUMNS))
"""A control character in each of 127,000 cells."""


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_file_of_control_characters_is_refused_in_a_few_sentences(reader: Reader) -> None:
    error = refusal(reader(CONTROL))
    assert len(error.sentences) == MAX_FAULTS
    assert error.more == CONTROL.count(b"\x07") - MAX_FAULTS > 125_000
    assert str(error).endswith(f"… and {error.more:,} more.")
    assert len(str(error)) < 5000


DUEL = "name,side,hp,str,int,wis,dex,con,cha,ac,thac0,damage,attacks,gender,alignment,article"
MFD = "Name,XP,BonusXP,BonusHP,BonusToHit,BonusToDefend,AOE,BodyguardFor,LinkedTo" + (
    ",BuffName,BuffWho,BuffOffense,BuffDefense" * 12
)


@pytest.mark.parametrize(
    ("reader", "data", "least"),
    [
        pytest.param("mfd", table(MFD, ",".join(["x"] * 57)), 15_000, id="mfd"),
        pytest.param("mfd", table("Name,XP", "Tom,x"), 3900, id="mfd: the same name"),
        pytest.param("mfd", table("Name,XP", "Tom,1,2"), 3900, id="mfd: too long"),
        pytest.param("duel", table(DUEL, ",".join(["x"] * 16)), 20_000, id="duel"),
        pytest.param("duel", table("name,side,hp", "Bo,third,3,4"), 3900, id="duel: too long"),
        pytest.param("deck", table(",".join(DECK_COLUMNS), "hero,Asasin,Fier" + ",x" * 7), 9000, id="deck"),
        pytest.param("deck", table(",".join(DECK_COLUMNS), "hero,Asasin"), 1900, id="deck: unknown traits"),
        pytest.param("deck", (b"hero:" + b"Asasin," * 28 + b"@Fier;") * 480, 13_000, id="deck as text"),
        pytest.param("bosses", table(DUEL, "x"), 10, id="bosses: wrong columns"),
        pytest.param("bosses", table("name,health,level,element", "x,x,x,x,x"), 1900, id="bosses: too long"),
        pytest.param("map", table("x" + ",x" * (MAX_COLUMNS - 1), "x" + ",y" * (MAX_COLUMNS - 1)), 120_000, id="map"),
        pytest.param("map", table("1,2,3,4,5,6,1,2", "1,2,3"), 1900, id="map: ragged"),
    ],
)
def test_a_file_wrong_in_every_cell_is_refused_in_a_few_sentences(reader: str, data: bytes, least: int) -> None:
    error = refusal(READERS[reader](data))
    assert len(error.sentences) <= MAX_FAULTS
    assert len(error.sentences) + error.more >= least


def test_of_two_files_each_has_its_sentences() -> None:
    for job in (ReadRequest(heroes=CONTROL, villains=CONTROL), DuelRequest(data=CONTROL, against=CONTROL)):
        error = refusal(job)
        assert len(error.sentences) == 2 * MAX_FAULTS
        assert error.more > 250_000


@pytest.mark.parametrize("words", [50, 250])
def test_an_army_is_told_as_many_mistakes(words: int) -> None:
    error = refusal(ArmyRequest(content=b"$ " * words))
    assert (len(error.sentences), error.more) == (MAX_FAULTS, words - MAX_FAULTS)


@pytest.mark.parametrize("reader", [READERS["deck"], lambda data: ArmyRequest(content=data)], ids=["deck", "army"])
def test_a_text_that_is_too_long_does_not_come_back(reader: Reader) -> None:
    (sentence,) = refusal(reader(b"hero: V, " + b"\x07" * (MAX_BYTES - 10))).sentences
    assert "characters long; at most" in sentence


def test_what_concerns_the_whole_file_comes_before_a_thousand_cells() -> None:
    rows = {"mfd": "Name,XP\n" + "x,x\n" * 1000, "duel": "name,side,hp\n" + "x,x,x\n" * 1000}
    assert "There are 1,000 fighters" in refusal(READERS["mfd"](rows["mfd"].encode())).sentences[0]
    assert "There are 1,000 on side" in refusal(READERS["duel"](rows["duel"].encode())).sentences[0]
