"""The coach of fights alone: luck and decisions add up, and each share is what a plain program says."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from sim.boss_fight import search
from sim.boss_fight.battle import HANDS, HandMember, Join, Play, PutUp, Setup, State
from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.console import ready_hands
from sim.boss_fight.hands import MOST
from sim.boss_fight.tables import LADDER
from sim.boss_fight.values import Boss, Deck, Element
from sim.core import RuleError, TooMuchError
from sim.core.battle import ANYONE, REFEREE
from sim.core.journal import active_steps
from sim.core.journal_file import dump
from sim.core.replay import Session
from sim.core.staged_job import answer
from sim.core.values import Ending, canonical
from sim.jobs.luck import CoachBattle
from tests.sim.boss_fight.builders import boss, deck, token, trait
from tests.sim.branching import branches
from tests.sim.conftest import Terminal, coached_in_parts, expect_the_whole

FIGHT, ME = BossFight(), "member-1"

ELEMENTS = st.sampled_from([None, *Element])
FLAG_SIGNS = st.sampled_from(["", "PR", "MR", "PP MR", "PR MR", "MP"])
TRAITS = st.builds(
    trait, st.sampled_from([100, 300, 500]), st.sampled_from([0, 0, 100, 300]), st.sampled_from([0, 200]), FLAG_SIGNS
)
HANDS_OF_FEW = st.lists(st.builds(token, TRAITS, element=ELEMENTS), min_size=1, max_size=4).map(lambda few: deck(*few))
BOSSES = st.builds(
    boss,
    st.sampled_from([400, 900, 1500]),
    st.sampled_from([0, 200, 600]),
    st.sampled_from([0, 300, 500]),
    FLAG_SIGNS,
    ELEMENTS,
)


def _choices(member: HandMember) -> Iterator[PutUp | Play]:
    for size in range(1, MOST + 1):
        for tokens in combinations(member.rested, size):
            yield PutUp(tokens=tokens)
    if not member.rested:
        yield Play()


def _play(foe: Boss, hand: Deck, random: Random) -> tuple[Session, list[State]]:
    """Play a fight at random, some of it by the button; also return the state after each step."""
    session = Session(FIGHT, Setup(boss=foe, edition=HANDS), random.randbytes(32))
    session.act(Join(deck=hand), ANYONE)
    states = [session.state]
    while isinstance(member := session.state.turn, HandMember) and len(states) < 40:
        session.act(Play() if random.random() < 0.2 else random.choice([*_choices(member)]), ME)
        if random.random() < 0.1:
            session.undo(len(session.entries) - 1, ME)
        else:
            states.append(session.state)
    session.end(REFEREE)
    return session, states


@pytest.mark.parametrize("fights", [20, pytest.param(500, marks=[pytest.mark.rest, pytest.mark.statistics])])
def test_luck_and_decisions_add_up_to_the_result(fights: int) -> None:
    @settings(max_examples=fights, deadline=None)
    @given(foe=BOSSES, hand=HANDS_OF_FEW, seed=st.integers(0, 1 << 30))
    def check(foe: Boss, hand: Deck, seed: int) -> None:
        session, _ = _play(foe, hand, Random(seed))
        try:
            report = answer(CoachBattle.of(session.journal()))
        except TooMuchError:  # a fight of many rounds that hardly hurt
            reject()
        expect_the_whole(report)
        assert all(row.kind == "roll" or row.share < 1e-12 for row in report.rows)
        if session.state.ending is not None:
            assert report.result == (session.state.winner == "party")

    check()


def _plain_worth() -> tuple[Callable[[State], Fraction], Callable[..., Fraction]]:
    """Return the chance to win, and that after an action, by the rules alone."""
    known: dict[object, Fraction] = {}

    def mean(state: State, act: Join | PutUp | Play, seat: str = ME) -> Fraction:
        after = branches(lambda dice: FIGHT.apply(state, act, seat, dice).state)
        return sum((chance * worth(each) for chance, each in after), Fraction(0))

    def worth(state: State) -> Fraction:
        member = state.turn
        if not isinstance(member, HandMember):
            return Fraction(state.winner == "party")
        here = state.boss_left, member.left, member.tired, state.attacks, state.idle
        if here not in known:
            known[here] = max(mean(state, act) for act in _choices(member))
        return known[here]

    return worth, mean


@given(foe=BOSSES, hand=HANDS_OF_FEW.filter(lambda hand: len(hand.tokens) < 4), seed=st.integers(0, 1 << 30))
@example(  # both tokens at once, so that the weak one needn't be put up against the spell
    foe=boss(400, 200, 300, element=Element.WATER),
    hand=deck(token(trait(100), element=Element.FIRE), token(trait(500, 0, 200))),
    seed=0,
)
@settings(max_examples=10, deadline=None)
def test_every_share_is_that_of_a_plain_program(foe: Boss, hand: Deck, seed: int) -> None:
    session, states = _play(foe, hand, Random(seed))
    job, (worth, mean) = CoachBattle.of(session.journal()), _plain_worth()
    report = answer(job)
    start = FIGHT.begin(Setup(boss=foe, edition=HANDS))
    assert report.start == pytest.approx(float(mean(start, Join(deck=hand), ANYONE)), abs=1e-12)
    steps = active_steps(session.journal().entries)
    for at, (entry, state) in enumerate(zip(steps, states, strict=True), 1):
        after = [each.after for each in report.rows if each.row <= entry.n]
        assert (after or [report.start])[-1] == pytest.approx(float(worth(state)), abs=1e-12), entry.n
        if state.ending is None:  # else nothing goes on from it
            branch = canonical({"state": FIGHT.states.write(state)})
            rest = answer(replace(job, steps=job.steps[at:], branch_json=branch))
            assert [rest.start, rest.result] == pytest.approx([float(worth(state)), report.result], abs=1e-12), entry.n


def test_a_planted_blunder_is_found_and_priced(tmp_path: Path, terminal: Terminal) -> None:
    blade, shield = token(trait(300, 400)), token(trait(300, flags="PR"))
    foe, hand, (worth, mean) = boss(1100, 200, 300), deck(blade, blade, shield), _plain_worth()
    session = Session(FIGHT, Setup(boss=foe, edition=HANDS), bytes([2]))
    session.act(Join(deck=hand), ANYONE)
    before = session.state
    session.act(PutUp(tokens=("token 3",)), ME)
    session.end(REFEREE)
    price = float(mean(before, PutUp(tokens=("token 3",))) - worth(before))
    path = tmp_path / "battle.jsonl"
    path.write_text(dump(session.journal()))

    blunder = next(row for row in terminal.json("coach", str(path))["rows"] if row["kind"] == "choice")
    assert price < -0.05
    assert blunder["share"] == pytest.approx(price, abs=1e-12)
    assert blunder["words"] == "striking with token 3"
    assert blunder["instead"].startswith("token 1")


def test_a_long_search_goes_on_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    session, _ = _play(LADDER[1], ready_hands()[1], Random(3))
    question = CoachBattle.of(session.journal())
    monkeypatch.setattr(search, "PART_LOOKS", search.MAX_LOOKS)
    at_once = question.run()
    monkeypatch.setattr(search, "PART_LOOKS", 5_000_000)
    report, shares = coached_in_parts(question)
    assert report == at_once
    assert len(shares) > 3


def test_it_says_where_it_cannot_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    foe, hand = LADDER[0], ready_hands()[0]
    whole = Session(FIGHT, Setup(boss=foe), bytes(1))
    party = Session(FIGHT, Setup(boss=foe, edition=HANDS), bytes(1))
    alone, _ = _play(foe, hand, Random(1))
    party.act(Join(deck=hand), ANYONE)
    party.act(Join(deck=hand), ANYONE)
    jobs = [CoachBattle.of(session.journal()) for session in (whole, party, alone)]
    still, states = _play(boss(500, 0, 0), deck(token(trait(100))), Random(1))
    assert still.state.ending is Ending.STALEMATE
    begins = canonical({"state": FIGHT.states.write(states[-1])})
    jobs.append(replace(CoachBattle.of(still.journal()), steps=(), branch_json=begins))
    monkeypatch.setattr(search, "MAX_REGIONS", 1000)
    whys = "the whole deck", "a party has too many choices", "too many ways", "where another one was over"
    for job, why in zip(jobs, whys, strict=True):
        with pytest.raises(RuleError, match=why):
            job.run()
