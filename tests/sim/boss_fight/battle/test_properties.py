"""What holds for every fight, whatever is done in it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sim.boss_fight.battle.values import (
    MEMBERS,
    Action,
    Exchanged,
    Join,
    Return,
    Round,
    Run,
    Setup,
    State,
    TakeStep,
)
from sim.boss_fight.exchange import exchange
from sim.core.battle import ANYONE, IllegalActionError, Leave
from sim.core.dice import ScriptedDice, SeededDice
from sim.core.errors import RuleError
from sim.core.replay import verify
from sim.core.session import Session
from tests.sim.boss_fight.battle.builders import FIGHT
from tests.sim.boss_fight.builders import boss, elements, flags, simple

small_decks = st.builds(simple, st.integers(0, 40), st.integers(0, 30), st.integers(0, 30), flags, elements)
small_bosses = st.builds(boss, st.integers(1, 200), st.integers(0, 30), st.integers(0, 30), flags, elements)
setups = st.builds(Setup, boss=small_bosses, times=st.integers(1, 3))
joins = st.builds(Join, name=st.sampled_from(["Ann", "Ben", "Цид"]), deck=small_decks)
others = st.one_of(
    st.builds(TakeStep, late=st.booleans()),
    st.builds(Round, late=st.booleans()),
    st.sampled_from([Run(), Run(late=True), Leave(), Leave(), Return()]),
)
actions: st.SearchStrategy[Action] = st.one_of(joins, others)
seats = st.sampled_from([*MEMBERS[:4], "member-12", "referee", "clock", ANYONE, "attacker"])
tries = st.lists(st.one_of(st.tuples(joins, st.just(ANYONE)), st.tuples(actions, seats)), max_size=25)


def check_sums(state: State) -> None:
    """Check that the boss has lost what the members dealt, and that their figures are those of an exchange."""
    assert state.dealt == sum(member.dealt for member in state.members)
    for member in state.members:
        report = exchange(state.setup.boss, member.deck)
        assert (member.to_boss, member.to_player, member.health) == (
            report.to_boss,
            report.to_player,
            report.player_health,
        )
    assert len({member.seat for member in state.members}) == len(state.members)
    assert (state.boss_left <= 0) is (state.winner == "party")


@settings(deadline=None)
@given(setups, tries)
def test_any_actions_are_legal_or_change_nothing(start: Setup, done: list[tuple[Action, str]]) -> None:
    state = FIGHT.begin(start)
    for action, seat in done:
        before = FIGHT.states.write(state)
        legal = FIGHT.legal(state)
        may = {(choice.action, legal_seat) for choice in legal for legal_seat in choice.seats}
        may_join = seat == ANYONE and any(choice.name == "join" for choice in legal)
        assert FIGHT.cost(state, action) < 2
        try:
            step = FIGHT.apply(state, action, seat, ScriptedDice([]))
        except IllegalActionError:
            assert (action, seat) not in may
            assert not (isinstance(action, Join) and may_join)
            continue
        except RuleError:
            assert isinstance(action, Join)
            assert not action.deck.health
            continue
        assert FIGHT.states.write(state) == before
        assert (action, seat) in may or (isinstance(action, Join) and may_join)
        state = step.state
        check_sums(state)
        assert len(FIGHT.lines(step.events)) == len(step.events)
        assert (FIGHT.outcome(state) is None) is bool(FIGHT.legal(state))


@settings(deadline=None)
@given(setups, st.lists(small_decks.filter(lambda deck: deck.health > 0), min_size=1, max_size=4))
def test_every_fight_can_be_fought_to_its_end_and_its_journal_matches(start: Setup, party: list[object]) -> None:
    play = Session(FIGHT, start, b"seed")
    for number, deck in enumerate(party):
        play.act(Join.model_validate({"name": f"M{number}", "deck": deck}), ANYONE)
    while play.outcome is None:
        before = play.state
        play.act(TakeStep(), "referee")
        hits = [event for event in before.members if event.seat == before.turn.seat]
        assert play.state.last.hits == hits[0].hits + 1
    play.end("referee")
    report = verify(FIGHT, play.journal())
    assert (report.match, report.outcome) == (True, play.outcome)


@settings(deadline=None)
@given(setups, st.lists(small_decks.filter(lambda deck: deck.health > 0), min_size=1, max_size=4))
def test_a_run_is_rounds_and_a_round_is_steps(start: Setup, party: list[object]) -> None:
    state = FIGHT.begin(start)
    for number, deck in enumerate(party):
        join = Join.model_validate({"name": f"M{number}", "deck": deck})
        state = FIGHT.apply(state, join, ANYONE, ScriptedDice([])).state
    ends = []
    for action in (TakeStep(), Round(), Run()):
        reached, exchanges = state, []
        while reached.ending is None:
            step = FIGHT.apply(reached, action, "referee", SeededDice(b""))
            exchanges += [event for event in step.events if isinstance(event, Exchanged)]
            reached = step.state
        ends.append((reached, exchanges))
    assert ends[0] == ends[1] == ends[2]
