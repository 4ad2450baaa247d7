"""What every game has to keep, whatever its rules; see `Example` for what a new one brings."""

import math
import pickle
import re
import sys
from collections import defaultdict
from collections.abc import Callable
from math import sqrt
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from sim.core.battle import (
    ANYONE,
    CLOCK,
    REFEREE,
    AnySystem,
    Codec,
    HiddenInformation,
    IllegalActionError,
    Seat,
    Step,
    standings,
)
from sim.core.dice import ScriptedDice, SeededDice
from sim.core.journal import Kind
from sim.core.journal_file import load
from sim.core.luck import Throw, ThrowsDice, expected, variance
from sim.core.replay import Session, verify
from sim.core.values import canonical, digest
from sim.jobs.battle import Begin, BeginResult
from tests.conformance.example import Example, NoExampleError, Play, example_of, job_of, plays, registered
from tests.conformance.example import play as turns_of
from tests.conformance.playthroughs import file_of, playthrough

NOBODY = "nobody"


@pytest.fixture(params=registered())
def example(request: pytest.FixtureRequest) -> Example:
    return example_of(request.param)


@pytest.fixture
def played(example: Example) -> tuple[Play, ...]:
    return plays(example.system.name)


def test_a_system_without_examples_fails_with_what_to_add() -> None:
    with pytest.raises(NoExampleError, match=r"no examples of the system 'rock-paper'.*examples/rock_paper\.py"):
        example_of("rock-paper")


def expect_round_trip(codec: Codec[Any], value: object) -> None:
    text = canonical(codec.write(value))
    assert codec.read(codec.write(value)) == value
    for read in (codec.read_json(text), codec.read_json(codec.write_json(value)), pickle.loads(pickle.dumps(value))):
        assert read == value
        assert canonical(codec.write(read)) == text


def test_values_survive_json_and_pickling(example: Example, played: tuple[Play, ...]) -> None:
    system = example.system
    for play in played:
        expect_round_trip(system.setups, play.setup)
        for state in play.states:
            expect_round_trip(system.states, state)
        for turn in play.turns:
            expect_round_trip(system.actions, turn.action)
            for event in turn.step.events:
                expect_round_trip(system.events, event)


def test_jobs_can_be_pickled(example: Example, played: tuple[Play, ...]) -> None:
    system = example.system
    for play in played:
        setup_json, state = canonical(system.setups.write(play.setup)), play.states[0]
        begun = pickle.loads(pickle.dumps(Begin(system=system.name, setup_json=setup_json))).run()
        assert begun == BeginResult(setup_json=setup_json, state_json=canonical(system.states.write(state)))
        for turn in play.turns[:3]:
            job = job_of(system, turn.state, turn.action, turn.seat, play.seed, turn.number)
            there = pickle.loads(pickle.dumps(job))
            assert there == job
            result = there.run()
            assert pickle.loads(pickle.dumps(result)) == result
            assert system.states.read_json(result.state_json) == turn.step.state
            assert result.state_hash == digest(system.states.write(turn.step.state))
            assert result.action_json == canonical(system.actions.write(turn.action))
            assert result.events_json == canonical([*map(system.events.write, turn.step.events)])
            assert result.outcome == system.outcome(turn.step.state)


def test_every_kind_of_action_is_tried_and_of_event_met(example: Example, played: tuple[Play, ...]) -> None:
    """Else this file would say nothing of those that are left out."""
    turns = [turn for play in played for turn in play.turns]
    tried = {action.do for turn in turns for _, _, action in turn.options}
    assert tried == {tag for kind in schemas(example.system.actions) for tag in tags(kind["properties"]["do"])}
    met = {type(event).__name__ for turn in turns for event in turn.step.events}
    assert met == {kind["title"] for kind in schemas(example.system.events)} - example.rare


def schemas(codec: Codec[Any]) -> list[dict[str, Any]]:
    """Return the JSON schemas of all types of a tagged union."""
    schema = codec._adapter.json_schema()
    choices = schema.get("oneOf", [schema])
    return [schema["$defs"][choice["$ref"].rpartition("/")[2]] if "$ref" in choice else choice for choice in choices]


def tags(tag: dict[str, Any]) -> list[str]:
    """Return what a type's tag may be: one name, or several."""
    return tag["enum"] if "enum" in tag else [tag["const"]]


def test_legal_actions_have_a_name_a_label_and_seats(example: Example, played: tuple[Play, ...]) -> None:
    system = example.system
    for state in (state for play in played for state in play.states):
        offers = system.legal(state)
        assert (system.outcome(state) is None) is bool(offers)
        assert len({offer.name for offer in offers}) == len(offers)
        for offer in offers:
            assert re.fullmatch(r"[a-z]+(-[a-z]+)*", offer.name)
            assert 1 <= len(offer.label) <= 40
            assert offer.seats
            assert {*offer.seats} <= {*system.seats, ANYONE}


def test_every_legal_action_can_be_applied_by_each_of_its_seats(example: Example, played: tuple[Play, ...]) -> None:
    system = example.system
    for turn in (turn for play in played for turn in play.turns):
        before = system.states.write(turn.state)
        for _, seat, action in turn.options:
            step = system.apply(turn.state, action, seat, SeededDice(b"try", turn.number))
            assert step == system.apply(turn.state, action, seat, SeededDice(b"try", turn.number))
            assert not any("\n" in line for line in system.lines(step.events))
        assert system.states.write(turn.state) == before


def test_everything_else_is_refused_before_a_die_is_rolled(example: Example, played: tuple[Play, ...]) -> None:
    system = example.system
    known = {offer.name: action for play in played for turn in play.turns for offer, _, action in turn.options}
    everybody = {*system.seats, ANYONE, NOBODY}
    for state in (state for play in played for state in play.states):
        before = system.states.write(state)
        allowed = {offer.name: {*offer.seats} for offer in system.legal(state)}
        for name, action in known.items():
            for seat in everybody - allowed.get(name, set()):
                with pytest.raises(IllegalActionError) as refused:
                    system.apply(state, action, seat, ScriptedDice([]))
                assert str(refused.value).endswith(".")
        assert system.states.write(state) == before


def fought(example: Example, play: Play) -> Session:
    session = Session(example.system, play.setup, play.seed)
    for turn in play.turns:
        session.act(turn.action, turn.seat)
    return session


def test_undo_returns_to_the_same_state_and_rolls_other_dice(example: Example, played: tuple[Play, ...]) -> None:
    for play in played:
        session = fought(example, play)
        assert session.state == play.states[-1]
        for back_to in {0, len(play.turns) // 2}:
            session.undo(back_to, NOBODY)
            assert session.state == play.states[back_to]
            turn = play.turns[back_to]
            number = 1 + sum(entry.kind is Kind.STEP for entry in session.entries)
            session.act(turn.action, turn.seat)
            dice = SeededDice(play.seed, number)
            assert session.state == example.system.apply(turn.state, turn.action, turn.seat, dice).state
        session.end(NOBODY)
        report = verify(example.system, session.journal())
        assert report.match, report


def test_cost_rises_with_size(example: Example, played: tuple[Play, ...]) -> None:
    costs = [example.system.cost(state, action) for state, action in example.sizes]
    assert len(costs) >= 3
    assert costs == sorted(set(costs))
    for turn in (turn for play in played for turn in play.turns):
        for _, _, action in turn.options:
            cost = example.system.cost(turn.state, action)
            assert cost > 0
            assert math.isfinite(cost)


def instructions(work: Callable[[], object]) -> int:
    """Return how many instructions of Python `work` takes."""
    count = 0

    def trace(frame: FrameType, event: str, _argument: object) -> Any:  # noqa: ANN401 - itself
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def test_cost_is_cheap(example: Example) -> None:
    """To work out how long a step takes is far less work than the step."""
    system = example.system
    state, action = example.sizes[-1]
    (offer,) = [offer for offer in system.legal(state) if offer.action == action]
    step = instructions(lambda: system.apply(state, action, offer.seats[0], SeededDice(b"cost")))
    assert instructions(lambda: system.cost(state, action)) <= max(1000, step / 5)


def test_the_cost_of_a_job_needs_no_state(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    """The event loop asks for it: to read a large state would hold it up."""
    jobs = [job_of(example.system, state, action, REFEREE, b"seed", 1) for state, action in example.sizes]
    with monkeypatch.context() as patch:
        for way in ("read", "read_json"):
            patch.setattr(Codec, way, None)
        costs = [job.cost() for job in jobs]
    assert costs == sorted(set(costs))
    assert costs[-1] < 1
    assert instructions(jobs[-1].cost) == instructions(jobs[0].cost)


def everybody(system: AnySystem) -> set[Seat]:
    return {*system.seats, ANYONE, REFEREE, CLOCK}


def test_who_may_not_see_a_secret_sees_the_same_whatever_it_is(example: Example) -> None:
    system = example.system
    assert bool(example.secrets) is isinstance(system, HiddenInformation)
    for secret in example.secrets:
        first, second = secret.steps
        assert first.state != second.state
        for seat in everybody(system):
            same = view(system, first, seat) == view(system, second, seat)
            assert same is (seat not in secret.seeing), f"{secret.what} as the {seat} sees it"


def view(system: AnySystem, step: Step[object, object], seat: Seat) -> tuple[object, ...]:
    """Return all that a seat sees of a step."""
    assert isinstance(system, HiddenInformation)
    events = system.visible_events(step.state, step.events, seat)
    return system.visible_state(step.state, seat), events, system.lines(events)


def test_a_view_hides_nothing_more_when_it_is_viewed_again(example: Example) -> None:
    system = example.system
    for turn in (turn for play in plays(system.name) for turn in play.turns):
        if isinstance(system, HiddenInformation):
            for seat in everybody(system):
                seen = system.visible_state(turn.state, seat)
                assert system.visible_state(seen, seat) == seen


WITH_DICE = ("aa-battle", "mfd-battle", "duel", "dungeon")
BATTLES = 40

with_dice = pytest.mark.parametrize("example", [example_of(name) for name in WITH_DICE], ids=WITH_DICE)


def thrown(example: Example, played: Play) -> list[Throw]:
    assert isinstance(example.system, ThrowsDice)
    return [throw for turn in played.turns for throw in example.system.throws(turn.state, turn.step.events)]


@with_dice
def test_dice_show_what_they_can_show(example: Example) -> None:
    found = [throw for played in plays(example.system.name) for throw in thrown(example, played)]
    assert found
    for throw in found:
        least = sum(count * next(value for value, weight in enumerate(die) if weight) for die, count in throw.dice)
        assert least <= throw.rolled <= sum(count * (len(die) - 1) for die, count in throw.dice)


@pytest.mark.statistics
@with_dice
def test_dice_are_as_good_as_games_tell(example: Example) -> None:
    """What is thrown less what is expected is fair at every throw, so its sum is, however a battle goes on."""
    totals: dict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for name, setup in example.setups.items():
        for number in range(BATTLES):
            seed = f"{name} {number}".encode()
            played = Play(setup, seed, tuple(turns_of(example, setup, seed, most=12)))
            for throw in thrown(example, played):
                total, spread = totals[throw.unit]
                more = float(throw.rolled - expected(throw.dice))
                totals[throw.unit] = (total + more, spread + float(variance(throw.dice)))
    for unit, (total, spread) in totals.items():
        assert spread > 50, f"{unit}: too few dice to tell"
        assert abs(total) < 4 * sqrt(spread), unit


@pytest.mark.parametrize("name", registered())
def test_teams_are_known_when_a_battle_is_decided(name: str) -> None:
    system = example_of(name).system
    for played in plays(name):
        for state in played.states:
            teams, outcome = standings(system, state, ("attacker", "defender")), system.outcome(state)
            assert outcome is not None or teams == ()
            seats = [seat for team in teams for seat in team.seats]
            assert len(seats) == len(set(seats))
            if outcome is not None and outcome.winner in seats:
                assert [team.seats for team in teams if team.place == 1] == [(outcome.winner,)]


@pytest.mark.parametrize("system", registered())
def test_a_play_goes_as_it_did(system: str) -> None:
    kept = file_of(system).read_text(encoding="utf-8")
    assert playthrough(system) == kept, "if this is meant, run `python -m tests.conformance.playthroughs`"


def test_every_playthrough_is_one_of_a_registered_game() -> None:
    assert {file.stem for file in file_of("any").parent.glob("*.txt")} == {*registered()}


OLD = sorted((Path(__file__).parent / "old").glob("*.jsonl"))
"""Journals of earlier editions, with what later ones do otherwise: undone orders, starts far apart, other mountains."""


@pytest.mark.parametrize("file", OLD, ids=lambda file: file.stem)
def test_an_old_journal_verifies(file: Path) -> None:
    journal = load(file.read_text())
    system = example_of(journal.head.system).system
    assert file.stem == f"{system.name}-{getattr(system.setups.read(journal.head.setup), 'edition', 1)}"
    report = verify(system, journal)
    assert report.match, report.mismatch
    assert report.outcome == journal.outcome
