"""What every game has to keep, whatever its rules; see `Example` for what a new one brings."""

import math
import pickle
import re
from typing import Any

import pytest

from sim.core.battle import ANYONE, REFEREE, Codec, IllegalActionError
from sim.core.canonical_json import canonical
from sim.core.dice import ScriptedDice, SeededDice
from sim.core.journal import Kind
from sim.core.replay import verify
from sim.core.session import Session
from sim.jobs.battle import Advance
from tests.conformance.example import Example, NoExampleError, example_of, registered
from tests.conformance.plays import Play, plays
from tests.conformance.work import instructions

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
    for play in played:
        for turn in play.turns[:3]:
            job = Advance.of(example.system, turn.state, turn.action, turn.seat, play.seed, turn.number)
            there = pickle.loads(pickle.dumps(job))
            assert there == job
            result = there.run()
            assert pickle.loads(pickle.dumps(result)) == result
            assert example.system.states.read_json(result.state_json) == turn.step.state
            assert result.outcome == example.system.outcome(turn.step.state)


def test_every_kind_of_action_is_tried_and_of_event_met(example: Example, played: tuple[Play, ...]) -> None:
    """Else this file would say nothing of those that are left out."""
    turns = [turn for play in played for turn in play.turns]
    tried = {type(action).__name__ for turn in turns for _, _, action in turn.options}
    assert tried == kinds(example.system.actions)
    met = {type(event).__name__ for turn in turns for event in turn.step.events}
    assert met == kinds(example.system.events) - example.rare


def kinds(codec: Codec[Any]) -> set[str]:
    """Return the names of all types of a tagged union."""
    schema = codec._adapter.json_schema()
    choices = schema.get("oneOf", [schema])
    return {choice["$ref"].rpartition("/")[2] if "$ref" in choice else choice["title"] for choice in choices}


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


def test_replay_from_the_seed_gives_the_same_rows(example: Example, played: tuple[Play, ...]) -> None:
    for play in played:
        session = fought(example, play)
        assert session.state == play.states[-1]
        assert session.entries == fought(example, play).entries
        session.end(NOBODY)
        report = verify(example.system, session.journal())
        assert report.match, report


def test_undo_returns_to_the_same_state_and_rolls_other_dice(example: Example, played: tuple[Play, ...]) -> None:
    for play in played:
        session = fought(example, play)
        for back_to in {0, len(play.turns) // 2}:
            session.undo(back_to, NOBODY)
            assert session.state == play.states[back_to]
            turn = play.turns[back_to]
            number = 1 + sum(entry.kind is Kind.STEP for entry in session.entries)
            session.act(turn.action, turn.seat)
            dice = SeededDice(play.seed, number)
            assert session.state == example.system.apply(turn.state, turn.action, turn.seat, dice).state
        session.end(NOBODY)
        assert verify(example.system, session.journal()).match


def test_cost_rises_with_size(example: Example, played: tuple[Play, ...]) -> None:
    costs = [example.system.cost(state, action) for state, action in example.sizes]
    assert len(costs) >= 3
    assert costs == sorted(set(costs))
    for turn in (turn for play in played for turn in play.turns):
        for _, _, action in turn.options:
            cost = example.system.cost(turn.state, action)
            assert cost > 0
            assert math.isfinite(cost)


def test_cost_is_cheap(example: Example) -> None:
    """To work out how long a step takes is far less work than the step."""
    system = example.system
    state, action = example.sizes[-1]
    (offer,) = [offer for offer in system.legal(state) if offer.action == action]
    step = instructions(lambda: system.apply(state, action, offer.seats[0], SeededDice(b"cost")))
    assert instructions(lambda: system.cost(state, action)) <= max(1000, step / 5)


def test_the_cost_of_a_job_needs_no_state(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    """The event loop asks for it: to read a large state would hold it up."""
    jobs = [Advance.of(example.system, state, action, REFEREE, b"seed", 1) for state, action in example.sizes]
    with monkeypatch.context() as patch:
        for way in ("read", "read_json"):
            patch.setattr(Codec, way, None)
        costs = [job.cost() for job in jobs]
    assert costs == sorted(set(costs))
    assert instructions(jobs[-1].cost) == instructions(jobs[0].cost)
