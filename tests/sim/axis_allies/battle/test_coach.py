"""The coach: luck and decisions add up to the result, and each is what a plain program says."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.axis_allies.battle import (
    MANUAL,
    Action,
    Fire,
    Loss,
    Pending,
    Phase,
    PickLosses,
    Retreat,
    RunOut,
    Setup,
    State,
    TimeUp,
    coach,
)
from sim.axis_allies.battle.dice import Share, Tally, Throw
from sim.axis_allies.battle.runner import placement
from sim.axis_allies.units import Category
from sim.core import RuleError
from sim.core.battle import IllegalActionError
from sim.core.dice import Dice
from sim.core.journal_file import dump
from sim.core.replay import Session
from sim.core.staged_job import answer
from sim.core.values import Side, canonical
from sim.jobs.luck import CoachBattle
from tests.sim.axis_allies.battle.builders import BATTLE, losses, setup, setups
from tests.sim.branching import FaceDice, branches
from tests.sim.conftest import Terminal, coached_in_parts, expect_the_whole, printed
from tests.tables import kept_text


def _picks(state: State, due: Pending) -> Iterator[PickLosses]:
    """Yield every legal choice of losses."""
    placed = placement(state, due.side)
    many = sum(loss.count for loss in placed.by_method(due.hits))
    for counts in product(*(range(min(many, left) + 1) for left in placed.left.values())):
        if sum(counts) == many:
            lost = tuple(Loss(slot=slot, count=count) for slot, count in zip(placed.left, counts, strict=True) if count)
            with suppress(IllegalActionError):
                yield PickLosses(side=due.side, losses=placed.by_choice(due.hits, lost))


def _awaited(state: State) -> Pending | None:
    return next((due for due in state.pending if due.awaited), None)


def _play(start: Setup, random: Random, *, retreats: float = 0.1) -> Session:
    """Play a battle at random, the attacker choosing its losses first."""
    session = Session(BATTLE, start, random.randbytes(32))
    for _ in range(60):
        if session.outcome is not None:
            break
        state = session.state
        if (due := _awaited(state)) is not None:
            if random.random() < 0.05:
                session.act(TimeUp(), "referee")
            else:
                session.act(random.choice([*_picks(state, due)]), due.side.value)
        elif state.round and random.random() < retreats:
            session.act(Retreat(), "attacker")
        else:
            session.act(RunOut() if random.random() < 0.1 else Fire(), "attacker")
            if random.random() < 0.1:
                session.undo(len(session.entries) - 1, "attacker")
    session.end("referee")
    return session


def _result(state: State, aim: str) -> Fraction | None:
    """Return what a battle that is over is worth to the attacker."""
    if state.phase is not Phase.OVER:
        return None
    if aim == "chance":
        lands = not state.setup.must_take or state.attacker.has(Category.LAND)
        return Fraction(state.winner is Side.ATTACKER and lands)
    lost = {side: state.setup.army(side).fighters.ipc - state.army(side).ipc for side in Side}
    return lost[Side.DEFENDER] - lost[Side.ATTACKER]


@pytest.mark.parametrize("battles", [30, pytest.param(2000, marks=pytest.mark.statistics)])
def test_luck_and_decisions_add_up_to_the_result(battles: int) -> None:
    @settings(max_examples=battles)
    @given(start=setups(), seed=st.integers(0, 1 << 30), aim=st.sampled_from(["chance", "ipc"]))
    def check(start: Setup, seed: int, aim: str) -> None:
        session = _play(start, Random(seed))
        report = answer(CoachBattle.of(session.journal(), aim))
        expect_the_whole(report)
        for row in report.rows:
            assert row.kind == "roll" or (row.share <= 0 if row.seat == "attacker" else row.share >= 0)
        if (result := _result(session.state, aim)) is not None:
            assert report.result == float(result)
        other = report.seen_by("defender")
        assert abs(other.luck + report.luck) + abs(other.decisions + report.decisions) < 1e-12

    check()


def _thrown(share: Share, dice: FaceDice) -> Throw:
    """Throw dice that fork in two: whether they hit."""
    chance = Fraction(share.score, 6)
    many = share.number * share.dice * share.best_of
    faces = tuple(1 if dice.fork((chance, 1 - chance)) == 0 else 6 for _ in range(many))
    return Throw(**{name: value for name, value in share if name != "number"}, faces=faces)


def _apply(state: State, action: Action, seat: str, dice: Dice) -> State:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Share, "throw", _thrown)
        return BATTLE.apply(state, action, seat, dice).state


def _plain_worth(aim: str) -> Callable[[State], Fraction]:
    """Return what states are worth by the rules alone, played under every fall of the dice and every choice."""
    known: dict[State, Fraction] = {}

    def key(state: State) -> State:
        more = {"attacker_fire": Tally(), "defender_fire": Tally(), "round": min(1, state.round)}
        return state.model_copy(update=more)

    def after(state: State, action: Action, seat: str) -> tuple[Fraction, Fraction]:
        """Return the mean without the chance that nothing changes, and that chance."""
        total = stays = Fraction(0)
        for chance, later in branches(lambda dice: _apply(state, action, seat, dice)):
            if key(later) == key(state):
                stays += chance
            else:
                total += chance * worth(later)
        return total, stays

    def worth(state: State) -> Fraction:
        result = _result(state, aim)
        if result is not None:
            return result
        here = key(state)
        if here not in known:
            if (due := _awaited(state)) is not None:
                choose = max if due.side is Side.ATTACKER else min
                known[here] = choose(after(state, each, due.side.value)[0] for each in _picks(state, due))
            else:
                total, stays = after(state, Fire(), "attacker")
                fought = total / (1 - stays)
                known[here] = max(fought, after(state, Retreat(), "attacker")[0]) if state.round else fought
        return known[here]

    return worth


SMALL = kept_text(__file__, "small").strip().splitlines()


@pytest.mark.parametrize("battle", SMALL)
@pytest.mark.parametrize("aim", ["chance", "ipc"])
def test_every_share_is_that_of_a_plain_program(battle: str, aim: str) -> None:
    for attacker, defender in product(("manual", "score"), repeat=2):
        start = Setup.model_validate({**dict(setup(battle)), "attacker_losses": attacker, "defender_losses": defender})
        worth = _plain_worth(aim)
        for seed in range(4):
            session = Session(BATTLE, start, bytes([seed]))
            states = [session.state]
            random = Random(seed)
            while session.outcome is None:
                if (due := _awaited(session.state)) is not None:
                    session.act(random.choice([*_picks(session.state, due)]), due.side.value)
                else:
                    leaves = session.state.round and random.random() < 0.2
                    session.act(Retreat() if leaves else Fire(), "attacker")
                states.append(session.state)
            session.end("referee")
            job = CoachBattle.of(session.journal(), aim)
            report = answer(job)
            assert report.start == pytest.approx(float(worth(states[0])), abs=1e-12)
            for row, state in enumerate(states[1:], 1):
                after = [each.after for each in report.rows if each.row <= row]
                assert (after or [report.start])[-1] == pytest.approx(float(worth(state)), abs=1e-12), row
                if state.phase is Phase.OVER:
                    break
                branch = canonical({"state": BATTLE.states.write(state)})
                rest = answer(replace(job, steps=job.steps[row:], branch_json=branch))
                assert rest.start == pytest.approx(float(worth(state)), abs=1e-12), row
                assert abs(rest.luck + rest.decisions - (rest.result - rest.start)) < 1e-12
                assert rest.result == report.result


@pytest.mark.parametrize(
    ("battle", "policy"),
    [
        ("4 inf, 3 tanks vs 5 inf, 3 ftr", MANUAL),
        ("4 sub, 3 dd vs 4 sub, 4 dd", MANUAL),
        ("2 sub, 2 dd vs 3 dd", "score"),
    ],
)
def test_a_long_search_goes_on_in_parts(monkeypatch: pytest.MonkeyPatch, battle: str, policy: str) -> None:
    start = Setup.model_validate({**dict(setup(battle)), "attacker_losses": policy, "defender_losses": policy})
    question = CoachBattle.of(_play(start, Random(1)).journal())
    at_once = question.run()
    monkeypatch.setattr(coach, "_PART", 2e-7)
    report, shares = coached_in_parts(question)
    assert report == at_once
    assert len(shares) > 2


@pytest.mark.process
def test_a_damaged_fleet_may_come_to_more_than_a_whole_one() -> None:
    positions = "from sim.axis_allies.odds.positions import Positions"
    battle = "from tests.sim.axis_allies.battle.builders import setup; at = setup('1942: 2 bb, 1 dd vs 2 sub').battle"
    program = f"{positions}; {battle}; Positions.begin(at, ('attacker',), 'chance').weigh()"
    assert not printed(program, compiled=False)  # indexes are checked where kernels aren't compiled


def test_planted_blunders_are_found_and_priced(tmp_path: Path, terminal: Terminal) -> None:
    start = setup("1942: 3 inf, 1 tank vs 2 inf", "score", attacker=MANUAL)
    session = Session(BATTLE, start, bytes([3]))
    for action in (Fire(), PickLosses(side=Side.ATTACKER, losses=losses(tank=1)), Retreat()):
        session.act(action, "attacker")
    session.end("attacker")
    path = tmp_path / "battle.jsonl"
    path.write_text(dump(session.journal()))

    told = terminal.json("coach", str(path))
    _, tank, retreat = told["rows"]
    assert [row["kind"] for row in told["rows"]] == ["roll", "choice", "choice"]
    assert (tank["words"], tank["instead"]) == ("losing 1 tank", "1 infantry")
    assert (retreat["words"], retreat["instead"]) == ("retreating", "going on")

    assert terminal("coach", str(path)).out.startswith("The attacker gave away 98.6%; the dice gave it 4.1%.\n")
    lines = terminal("coach", str(path), "--seat", "defender").out.splitlines()
    assert lines[:2] == ["The defender played perfectly; the dice took 4.1%.", "The other side gave away 98.6%."]
    assert lines[-2] == "row 2, round 1: losing 1 tank instead of 1 infantry: +8.7%"


@pytest.mark.parametrize(
    ("start", "why"),
    [
        (setup("1 inf vs 1 inf", version=1), "earlier rules"),
        (setup("1942: 40 inf, 40 art, 40 tanks vs 1 inf", attacker=MANUAL), "too large"),
    ],
)
def test_it_says_where_it_cannot_tell(start: Setup, why: str) -> None:
    job = CoachBattle("aa-battle", json.dumps(BATTLE.setups.write(start)), [])
    with pytest.raises(RuleError, match=why):
        job.run()
