"""A party's fight: order, rounds, joining, leaving, what ends it (.docs/rules/boss_fight.md, "A party fight").

What holds for every fight, whatever is done in it, comes last.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.boss_fight import battle as v
from sim.boss_fight.battle.rules import ROUNDS_AT_ONCE
from sim.boss_fight.exchange import exchange
from sim.boss_fight.values import Boss, Deck
from sim.core import RuleError
from sim.core.battle import ANYONE, CLOCK, REFEREE, IllegalActionError, Leave, Outcome, Step
from sim.core.values import Ending, Paused
from tests.sim.boss_fight import builders as b
from tests.sim.boss_fight.builders import deck, exchanges, join, step
from tests.tables import kept_table


def seats(state: v.State, name: str) -> tuple[str, ...]:
    """Return who may make a choice, nobody where it isn't there."""
    return next((choice.seats for choice in b.FIGHT.legal(state) if choice.name == name), ())


ANN, BEN, CID = [(name, b.simple(100, 10)) for name in ("Ann", "Ben", "Cid")]


@pytest.mark.parametrize(
    ("state", "ending", "winner", "score"),
    [
        # The party wins when the boss has no health left, even when its last member falls with the boss.
        (step(b.begin(b.boss(10, 5), ANN, BEN)), Ending.ANNIHILATION, "party", 95),
        (step(b.begin(b.boss(10, 500), ANN)), Ending.MUTUAL, "party", 0),
        (step(b.begin(b.boss(10, 500), ANN, ("Ben", b.simple(1)))), Ending.ANNIHILATION, "party", 0),
        # The boss wins when all members are down, or have left.
        (step(step(b.begin(b.boss(1000, 100), ANN, ("Ben", b.simple(50, 10))))), Ending.ANNIHILATION, "boss", 0),
        (b.leave(step(b.begin(b.boss(1000, 100), ANN, BEN)), 2), Ending.ANNIHILATION, "boss", 0),
        # A whole round without a scratch is a stalemate, also one that a leaver completes.
        (step(step(b.begin(b.boss(), ("Ann", b.simple(100)), ("Ben", b.simple(100))))), Ending.STALEMATE, None, 0),
        (b.leave(step(b.begin(b.boss(), ("Ann", b.simple(100)), BEN)), 2), Ending.STALEMATE, None, 0),
    ],
)
def test_how_a_fight_ends(state: v.State, ending: Ending, winner: str | None, score: int) -> None:
    assert b.FIGHT.outcome(state) == Outcome(ending=ending, winner=winner, rounds=1)
    assert [state.score(seat) for seat in v.MEMBERS[:2]] == [score, 0], "it's of the killing blow"


def test_who_fought_and_left_keeps_the_seat_and_comes_back_with_the_losses() -> None:
    """Nobody is healed by leaving; the place in the order is lost."""
    state = step(b.begin(b.boss(1000, 30), ANN, BEN))
    state = b.leave(state, 1)
    assert (b.stepped(state), state.members[-1].away, state.free_seat) == ("Ben", True, "member-3")
    state = b.come_back(state, 1)
    assert [member.name for member in state.members] == ["Ben", "Ann"]
    assert state.members[1].left == 70
    assert state.members[1].dealt == 10
    state = step(state)
    # Ann had her step in the first round before she left.
    assert (state.acted, b.stepped(state)) == ((), "Ben")


def test_when_all_have_left_the_fight_waits() -> None:
    state = b.leave(step(b.begin(b.boss(), ANN)), 1)
    assert (state.ending, b.stepped(state)) == (None, None)
    assert [choice.name for choice in b.FIGHT.legal(state)] == ["join", "return"]
    assert b.stepped(join(state, "Ben")) == "Ben"
    assert b.stepped(b.come_back(state, 1)) == "Ann"


def test_somebody_who_comes_back_alone_after_a_step_begins_the_next_round() -> None:
    state = step(b.begin(b.boss(), ANN, BEN))
    state = b.come_back(b.leave(b.leave(state, 1), 2), 1)
    assert (b.stepped(state), step(state).round) == ("Ann", 2)


def test_the_fallen_neither_leave_nor_come_back() -> None:
    state = step(b.begin(b.boss(1000, 100), ANN, ("Ben", b.simple(500, 10))))
    with pytest.raises(IllegalActionError, match="Only a living member can leave"):
        b.act(state, Leave(), "member-1")
    with pytest.raises(IllegalActionError, match="Nobody has left"):
        b.act(state, v.Return(), "member-1")


def test_a_round_ends_where_the_round_ends() -> None:
    state = b.begin(b.boss(), ANN, BEN, CID)
    assert exchanges(b.act(state, b.ROUND, REFEREE).events) == ["Ann", "Ben", "Cid"]
    assert exchanges(b.act(step(state), b.ROUND, REFEREE).events) == ["Ben", "Cid"]


def test_a_run_pauses_after_a_hundred_rounds() -> None:
    step_ = b.act(b.begin(b.boss(1000), ("Ann", b.simple(100, 1))), b.RUN, REFEREE)
    assert step_.events[-1] == Paused(rounds=ROUNDS_AT_ONCE)
    assert (step_.state.round, step_.state.ending) == (100, None)
    assert b.act(step_.state, b.RUN, REFEREE).state.boss_left == 800


def test_a_step_belongs_to_whose_turn_it_is_and_to_a_referee() -> None:
    """The others have choices of their own, for when the time is up; the clock has one, too."""
    state = b.begin(b.boss(), ANN, BEN, CID)
    assert seats(state, "step") == ("member-1", REFEREE)
    assert seats(state, "step-for") == ("member-2", "member-3", CLOCK)
    assert seats(state, "round") == seats(state, "run") == (REFEREE,)
    assert seats(state, "round-for") == seats(state, "run-for") == ("member-2", "member-3")
    with pytest.raises(IllegalActionError, match="another member's turn"):
        b.act(state, v.Play(), "member-2")
    assert b.stepped(b.act(state, v.Play(late=True), "member-2").state) == "Ben"
    with pytest.raises(IllegalActionError):
        b.act(state, v.Play(late=True), "member-1")


def test_the_fallen_may_go_on_for_the_absent_but_not_those_who_left() -> None:
    state = b.begin(b.boss(1000, 100), ANN, ("Ben", b.simple(500, 10)), ("Cid", b.simple(500, 10)))
    state = step(step(state))
    assert seats(b.leave(state, 2), "step-for") == ("member-1", CLOCK)


def test_anyone_joins_until_the_party_is_full() -> None:
    state = b.begin(b.boss())
    for number in range(v.MAX_MEMBERS):
        assert seats(state, "join") == (ANYONE,)
        state = join(state, f"M{number}")
    assert tuple(member.seat for member in state.members) == v.MEMBERS
    assert seats(state, "join") == ()
    with pytest.raises(IllegalActionError, match="The party is full"):
        join(state, "late")
    with pytest.raises(IllegalActionError, match="Nobody is in the fight yet"):
        step(b.begin(b.boss()))
    with pytest.raises(IllegalActionError, match="You are in this fight already"):
        b.act(b.begin(b.boss()), v.Join(name="Ann", deck=b.simple(1)), "member-1")


def test_a_deck_without_health_or_beyond_measure_is_refused() -> None:
    with pytest.raises(RuleError, match="A deck without health can't fight"):
        join(b.begin(b.boss()), "Ann", b.simple(0, 10))
    large = deck(*[b.token(*[b.trait(1)] * 64)] * 79)
    with pytest.raises(RuleError, match="would have 5,056 traits together; at most 5,000 are allowed"):
        join(b.begin(b.boss()), "Ann", large)


def moments(step: Step[v.State, v.Event]) -> list[tuple[str, str | None]]:
    """Return when the boss is heard in a step, with its words."""
    return [(event.moment, event.words) for event in step.events if isinstance(event, v.BossMoment)]


def test_the_boss_is_heard_when_it_enters_at_half_and_when_it_falls() -> None:
    grim = b.boss(100, entry="Who dares?", half="Ouch.", fall="Argh.")
    entered = b.act(b.begin(grim), v.Join(name="Ann", deck=b.simple(100, 25)), ANYONE)
    assert moments(entered) == [("entry", "Who dares?")]
    assert moments(b.act(entered.state, b.RUN)) == [("half", "Ouch."), ("fall", "Argh.")]
    assert moments(b.act(join(entered.state, "Ben"), b.ROUND)) == [], "nobody enters twice"
    felled = b.begin(b.boss(100, half="Ouch."), ("Ann", b.simple(100, 100)))
    assert moments(b.act(felled, b.STEP)) == [("fall", None)], "at a blow, so there was no half"


def test_the_log_reads_like_a_fight() -> None:
    grim = b.boss(60, 2000, 8, name="Ogre", half="Ouch.", magical_penetration=True)
    entered = b.act(b.begin(grim), v.Join(name="Ann", deck=b.simple(5000, 20, 10)), ANYONE)
    assert b.FIGHT.lines(entered.events) == ["Ogre enters.", "Ann joins with 5,000 health."]
    state = join(entered.state, "Ben", b.simple(10, 30))
    done = b.act(state, b.RUN, REFEREE)
    assert b.FIGHT.lines(done.events) == kept_table(__file__, "log")
    assert isinstance(done.events[-1], v.Ended)
    assert b.FIGHT.outcome(done.state) == Outcome(ending=Ending.ANNIHILATION, winner="party", rounds=1)


def test_the_log_tells_who_comes_and_goes() -> None:
    state = step(b.begin(b.boss(), ANN, BEN))
    assert b.FIGHT.lines(b.act(state, Leave(), "member-1").events) == ["Ann leaves."]
    assert b.FIGHT.lines(b.act(state, Leave(), "member-2").events) == ["Ben leaves before the first exchange."]
    assert b.FIGHT.lines(b.act(b.leave(state, 1), v.Return(), "member-1").events) == ["Ann comes back."]


small_decks = st.builds(b.simple, st.integers(0, 40), st.integers(0, 30), st.integers(0, 30), b.flags, b.elements)
small_bosses = st.builds(b.boss, st.integers(1, 200), st.integers(0, 30), st.integers(0, 30), b.flags, b.elements)
parties = st.lists(small_decks.filter(lambda deck: deck.health > 0), min_size=1, max_size=4)


def begun(foe: Boss, times: int, party: list[Deck]) -> v.State:
    return b.begin(foe, *((f"M{number}", own) for number, own in enumerate(party)), times=times)


def check_sums(state: v.State) -> None:
    """Check that the boss has lost what the members dealt, and that their figures are those of an exchange."""
    assert state.dealt == sum(member.dealt for member in state.members)
    for member in state.members:
        assert isinstance(member, v.DeckMember)
        report = exchange(state.setup.boss, member.deck)
        figures = report.to_boss, report.to_player, report.player_health
        assert (member.to_boss, member.to_player, member.health) == figures
    assert len({member.seat for member in state.members}) == len(state.members)
    assert (state.boss_left <= 0) is (state.winner == "party")


@settings(deadline=None)
@given(small_bosses, st.integers(1, 3), parties)
def test_a_run_is_rounds_and_a_round_is_steps(foe: Boss, times: int, party: list[Deck]) -> None:
    ends = []
    for action in (b.STEP, b.ROUND, b.RUN):
        reached, exchanges = begun(foe, times, party), []
        while reached.ending is None:
            done = b.act(reached, action, REFEREE)
            exchanges += [event for event in done.events if isinstance(event, v.Exchanged)]
            reached = done.state
            assert reached.exchanges == len(exchanges)
            check_sums(reached)
        ends.append((reached, exchanges))
    assert ends[0] == ends[1] == ends[2]
