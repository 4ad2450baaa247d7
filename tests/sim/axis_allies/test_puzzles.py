"""Puzzles: one clear best choice, found twice: the plain recursion agrees with the engines."""

from pathlib import Path

import pytest

from sim.axis_allies.army import Army
from sim.axis_allies.battle import Event, Fired, Hits, RoundBegan, RunOut, Setup, puzzles
from sim.axis_allies.battle.puzzles import (
    BEHIND,
    EDITION,
    MARGIN,
    Kind,
    Option,
    Puzzle,
    drawn,
    positions,
)
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.parse import parse_army
from sim.axis_allies.units import Unit
from sim.core.dice import SeededDice, seed_bytes
from sim.core.replay import Session
from sim.core.values import Side
from tests.sim.axis_allies.builders import parse_battle
from tests.sim.conftest import Terminal


def test_puzzles_of_all_kinds_have_one_clear_answer_and_are_different() -> None:
    found: dict[Puzzle, None] = {}
    for number in (*range(400), 834):  # at 834 nobody attacks yet
        if (puzzle := drawn(SeededDice(b"puzzles", number))) is not None:
            found[puzzle] = None
    assert {puzzle.kind for puzzle in found} == {*Kind}
    assert len(found) == 101, "in others the two opinions differ"
    for puzzle in found:
        worths = sorted((option.worth for option in puzzle.options), reverse=True)
        assert 2 <= len(worths) <= 4
        assert worths[0] - worths[1] >= BEHIND
        assert worths[0] - worths[-1] >= MARGIN
        assert puzzle.options[puzzle.best].worth == worths[0]
        assert len({option.text for option in puzzle.options}) == len(puzzle.asked.options) == len(worths)


def test_the_card_of_an_answer_has_the_units_of_each_choice_the_best_first() -> None:
    options = (Option(text="Lose 1 tank", worth=40), Option(text="Lose 2 infantry", worth=60))
    puzzle = Puzzle(kind=Kind.LOSE, attacker=Army(), defender=Army(), options=options)
    card = puzzle.answer_card(0)
    assert [each.units for each in card.choices] == [parse_army("2 infantry", EDITION), parse_army("1 tank", EDITION)]
    assert card.words.endswith("B Lose 2 infantry: 60.0%. A Lose 1 tank: 40.0%, your answer.")
    assert [puzzle.answer_card(at).title for at in (0, 1)] == ["Not this time", "You found it"]


def events_of(text: str, seed: int = 0) -> list[tuple[int, Event]]:
    """Fight a battle to its end, and return its events, each with its row."""
    rules = DiceBattle()
    session = Session(rules, Setup(**parse_battle(text), version=2), seed_bytes(seed))
    session.act(RunOut(), Side.ATTACKER)
    return [(entry.n, rules.events.read(event)) for entry in session.entries for event in entry.events]


def test_the_positions_of_a_battle_are_armies_as_a_round_begins_and_hits_to_take() -> None:
    two, one = (Army.of({Unit.TANK: count}, "1942") for count in (2, 1))
    three, left = (Army.of({Unit.INFANTRY: count}, "1942") for count in (3, 2))
    events: list[Event] = [
        RoundBegan(number=1, attacker=two, defender=three),
        Fired(side=Side.ATTACKER, surprise=False, throws=(), hits=Hits(rest=1)),
        Fired(side=Side.DEFENDER, surprise=False, throws=(), hits=Hits(rest=1)),
        RoundBegan(number=2, attacker=one, defender=left),
    ]
    tanks, inf = (0, 0, 2, 0, 0), (3, 0, 0, 0, 0)
    rest = (0, 0, 1, 0, 0), (2, 0, 0, 0, 0)
    assert [*positions(enumerate(events, 1))] == [
        *((1, kind, tanks, inf, None) for kind in (Kind.BUY, Kind.RETREAT)),
        (4, Kind.LOSE, tanks, rest[1], 1),
        *((4, kind, *rest, None) for kind in (Kind.BUY, Kind.RETREAT)),
    ]


@pytest.mark.parametrize(
    "text", ["4 inf, 1 sub vs 4 inf, 1 destroyer", "classic: 4 tanks vs 6 inf", "9 inf, 4 tanks vs 3 inf"]
)
def test_other_units_other_prices_and_large_armies_are_no_positions_of_puzzles(text: str) -> None:
    (first, *_) = events_of(text)
    assert [*positions(iter([first]))] == []


def test_the_terminal_finds_puzzles_in_journals_by_the_same_double_check(
    tmp_path: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [str(tmp_path / f"{seed}.jsonl") for seed in range(1, 4)]
    for seed, file in enumerate(files, 1):
        terminal("aa-battle", "6 inf, 2 tanks, 1 ftr vs 5 inf, 2 tanks", "--seed", f"{seed}", "--out", file)
    found = terminal("puzzles", *files).out
    assert found.count("The position is from a battle that was played.") >= 4
    assert f"{files[1]}, row 1: You attack, and the defender has scored 5 hits." in found
    assert "6 infantry, 2 tanks, 1 fighter attack 3 infantry, 2 tanks." in found
    monkeypatch.setattr(puzzles, "_exact", lambda *choice: puzzles._plain(*choice) + 2e-9)
    assert terminal("puzzles", *files).out.splitlines() == [f"{file}: no puzzle" for file in files]
