"""A party's fight: order, rounds, joining, leaving, what ends it (.docs/rules/boss_fight.md, "A party fight").

What holds for every fight, whatever is done in it, comes last.
"""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.boss_fight.battle.rules import ROUNDS_AT_ONCE
from sim.boss_fight.battle.values import (
    MAX_MEMBERS,
    MEMBERS,
    BossMoment,
    DeckMember,
    Ended,
    Exchanged,
    Join,
    Moment,
    Return,
    Round,
    Run,
    Setup,
    State,
    TakeStep,
)
from sim.boss_fight.exchange import exchange
from sim.core.battle import ANYONE, CLOCK, REFEREE, IllegalActionError, Leave, Outcome
from sim.core.dice import ScriptedDice, SeededDice
from sim.core.errors import RuleError
from sim.core.replay import Session, verify
from sim.core.values import Ending, Paused
from tests.sim.boss_fight.builders import (
    FIGHT,
    act,
    begin,
    boss,
    come_back,
    deck,
    elements,
    exactly,
    exchanges,
    flags,
    join,
    leave,
    simple,
    step,
    stepped,
    token,
    trait,
)


def ended(state: State) -> tuple[str, str | None, int]:
    outcome = FIGHT.outcome(state)
    assert outcome is not None
    return outcome.ending, outcome.winner, outcome.rounds


def seats(state: State, name: str) -> tuple[str, ...]:
    """Return who may make a choice, nobody where it isn't there."""
    return next((choice.seats for choice in FIGHT.legal(state) if choice.name == name), ())


def test_steps_go_round_in_the_order_of_joining() -> None:
    state = begin(boss(), ("Ann", simple(100, 10)), ("Ben", simple(100, 20)))
    order = []
    for _ in range(4):
        order.append((state.round, stepped(state)))
        state = step(state)
    assert order == [(0, "Ann"), (1, "Ben"), (1, "Ann"), (2, "Ben")]
    assert [member.dealt for member in state.members] == [20, 40]
    assert state.boss_left == 1000 - 60


def test_the_party_wins_when_the_boss_has_no_health_left() -> None:
    state = step(begin(boss(10, 5), ("Ann", simple(100, 10)), ("Ben", simple(100, 10))))
    assert ended(state) == (Ending.ANNIHILATION, "party", 1)
    assert FIGHT.legal(state) == ()
    assert state.score("member-1") == 95
    assert state.score("member-2") == 0


HIT = ("Ann", simple(100, 10))


@pytest.mark.parametrize(
    ("state", "ending"),
    [
        # The party wins even when its last member falls with the boss.
        (step(begin(boss(10, 500), HIT)), (Ending.MUTUAL, "party", 1)),
        (step(begin(boss(10, 500), HIT, ("Ben", simple(1)))), (Ending.ANNIHILATION, "party", 1)),
        # The boss wins when all members are down, or have left.
        (step(step(begin(boss(1000, 100), HIT, ("Ben", simple(50, 10))))), (Ending.ANNIHILATION, "boss", 1)),
        (leave(step(begin(boss(1000, 100), HIT, ("Ben", simple(500, 10)))), 2), (Ending.ANNIHILATION, "boss", 1)),
        # A whole round without a scratch is a stalemate, also one that a leaver completes.
        (step(step(begin(boss(), ("Ann", simple(100)), ("Ben", simple(100))))), (Ending.STALEMATE, None, 1)),
        (leave(step(begin(boss(), ("Ann", simple(100)), ("Ben", simple(100, 10)))), 2), (Ending.STALEMATE, None, 1)),
    ],
)
def test_how_a_fight_ends(state: State, ending: tuple[str, str | None, int]) -> None:
    assert ended(state) == ending


def test_a_member_without_health_has_no_more_steps() -> None:
    state = step(begin(boss(1000, 100), ("Ann", simple(100, 10)), ("Ben", simple(500, 10))))
    assert (stepped(state), state.members[0].fallen) == ("Ben", True)
    assert stepped(step(state)) == "Ben"


def test_the_smallest_scratch_counts() -> None:
    """300 halves leave something of every blow: that is no stalemate."""
    tough = deck(*[token(*[trait(1, flags="PR")] * 10)] * 30)
    state = step(begin(boss(1000, 1), ("Ann", tough)))
    assert (state.ending, state.members[0].left) == (None, 300 - Fraction(1, 2**300))


def test_who_joins_in_mid_fight_is_last_and_has_a_step_in_that_round() -> None:
    state = step(begin(boss(), ("Ann", simple(100, 10)), ("Ben", simple(100, 10))))
    state = step(join(state, "Cid"))
    assert (stepped(state), state.round) == ("Cid", 1)
    state = step(state)
    assert (stepped(state), state.round, state.acted) == ("Ann", 1, ())


def test_who_leaves_before_the_first_exchange_is_forgotten() -> None:
    state = leave(begin(boss(), ("Ann", simple(100, 10)), ("Ben", simple(100, 10))), 1)
    assert [member.seat for member in state.members] == ["member-2"]
    assert join(state, "Cid").members[-1].seat == "member-1"


def test_who_fought_and_left_keeps_the_seat_and_comes_back_with_the_losses() -> None:
    """Nobody is healed by leaving; the place in the order is lost."""
    state = step(begin(boss(1000, 30), ("Ann", simple(100, 10)), ("Ben", simple(100, 10))))
    state = leave(state, 1)
    assert (stepped(state), state.members[-1].away, state.free_seat) == ("Ben", True, "member-3")
    state = come_back(state, 1)
    assert [member.name for member in state.members] == ["Ben", "Ann"]
    assert (state.members[1].left, state.members[1].dealt) == exactly(70, 10)
    state = step(state)
    # Ann had her step in the first round before she left.
    assert (state.acted, stepped(state)) == ((), "Ben")


def test_when_all_have_left_the_fight_waits() -> None:
    state = leave(step(begin(boss(), ("Ann", simple(100, 10)))), 1)
    assert (state.ending, stepped(state)) == (None, None)
    assert [choice.name for choice in FIGHT.legal(state)] == ["join", "return"]
    assert stepped(join(state, "Ben")) == "Ben"
    assert stepped(come_back(state, 1)) == "Ann"


def test_somebody_who_comes_back_alone_after_a_step_begins_the_next_round() -> None:
    state = step(begin(boss(), ("Ann", simple(100, 10)), ("Ben", simple(100, 10))))
    state = come_back(leave(leave(state, 1), 2), 1)
    assert (stepped(state), step(state).round) == ("Ann", 2)


def test_the_fallen_neither_leave_nor_come_back() -> None:
    state = step(begin(boss(1000, 100), ("Ann", simple(100, 10)), ("Ben", simple(500, 10))))
    with pytest.raises(IllegalActionError, match="Only a living member can leave"):
        act(state, Leave(), "member-1")
    with pytest.raises(IllegalActionError, match="Nobody has left"):
        act(state, Return(), "member-1")


def test_a_round_ends_where_the_round_ends() -> None:
    state = begin(boss(), ("Ann", simple(100, 10)), ("Ben", simple(100, 10)), ("Cid", simple(100, 10)))
    assert exchanges(act(state, Round(), REFEREE).events) == ["Ann", "Ben", "Cid"]
    assert exchanges(act(step(state), Round(), REFEREE).events) == ["Ben", "Cid"]


def test_a_run_pauses_after_a_hundred_rounds() -> None:
    step_ = act(begin(boss(1000), ("Ann", simple(100, 1))), Run(), REFEREE)
    assert step_.events[-1] == Paused(rounds=ROUNDS_AT_ONCE)
    assert (step_.state.round, step_.state.ending) == (100, None)
    assert act(step_.state, Run(), REFEREE).state.boss_left == 800


def test_a_step_belongs_to_whose_turn_it_is_and_to_a_referee() -> None:
    """The others have choices of their own, for when the time is up; the clock has one, too."""
    state = begin(boss(), ("Ann", simple(100, 10)), ("Ben", simple(100, 10)), ("Cid", simple(100, 10)))
    assert seats(state, "step") == ("member-1", REFEREE)
    assert seats(state, "step-for") == ("member-2", "member-3", CLOCK)
    assert seats(state, "round") == seats(state, "run") == (REFEREE,)
    assert seats(state, "round-for") == seats(state, "run-for") == ("member-2", "member-3")
    with pytest.raises(IllegalActionError, match="another member's turn"):
        act(state, TakeStep(), "member-2")
    assert stepped(act(state, TakeStep(late=True), "member-2").state) == "Ben"
    with pytest.raises(IllegalActionError):
        act(state, TakeStep(late=True), "member-1")


def test_the_fallen_may_go_on_for_the_absent_but_not_those_who_left() -> None:
    state = begin(boss(1000, 100), ("Ann", simple(100, 10)), ("Ben", simple(500, 10)), ("Cid", simple(500, 10)))
    state = step(step(state))
    assert seats(leave(state, 2), "step-for") == ("member-1", CLOCK)


def test_who_fights_alone_may_run_on() -> None:
    state = begin(boss(), ("Ann", simple(100, 10)))
    assert seats(state, "run") == seats(state, "round") == ("member-1", REFEREE)
    assert seats(state, "step-for") == (CLOCK,)
    assert seats(state, "run-for") == ()


def test_anyone_joins_until_the_party_is_full() -> None:
    state = begin(boss())
    for number in range(MAX_MEMBERS):
        assert seats(state, "join") == (ANYONE,)
        state = join(state, f"M{number}")
    assert tuple(member.seat for member in state.members) == MEMBERS
    assert seats(state, "join") == ()
    with pytest.raises(IllegalActionError, match="The party is full"):
        join(state, "late")
    with pytest.raises(IllegalActionError, match="Nobody is in the fight yet"):
        step(begin(boss()))
    with pytest.raises(IllegalActionError, match="You are in this fight already"):
        act(begin(boss()), Join(name="Ann", deck=simple(1)), "member-1")


def test_a_deck_without_health_or_beyond_measure_is_refused() -> None:
    with pytest.raises(RuleError, match="A deck without health can't fight"):
        join(begin(boss()), "Ann", simple(0, 10))
    large = deck(*[token(*[trait(1)] * 64)] * 79)
    with pytest.raises(RuleError, match="would have 5,056 traits together; at most 5,000 are allowed"):
        join(begin(boss()), "Ann", large)


def test_the_boss_is_heard_when_it_enters_at_half_and_when_it_falls() -> None:
    grim = boss(100, entry="Who dares?", half="Ouch.", fall="Argh.")
    entered = act(begin(grim), Join(name="Ann", deck=simple(100, 25)), ANYONE)
    assert entered.events[0] == BossMoment(name="Troll", moment=Moment.ENTRY, words="Who dares?")
    moments = [
        [event.moment for event in act(entered.state, Run(), REFEREE).events if isinstance(event, BossMoment)],
        [
            event.moment
            for event in act(join(entered.state, "Ben"), Round(), REFEREE).events
            if hasattr(event, "moment")
        ],
    ]
    assert moments == [[Moment.HALF, Moment.FALL], []]


def test_a_boss_felled_at_a_blow_is_not_heard_at_half() -> None:
    state = begin(boss(100, half="Ouch."), ("Ann", simple(100, 100)))
    said = [event for event in act(state, TakeStep(), "member-1").events if isinstance(event, BossMoment)]
    assert said == [BossMoment(name="Troll", moment=Moment.FALL, words=None)]


def test_the_log_reads_like_a_fight() -> None:
    grim = boss(60, 2000, 8, name="Ogre", half="Ouch.", magical_penetration=True)
    entered = act(begin(grim), Join(name="Ann", deck=simple(5000, 20, 10)), ANYONE)
    assert FIGHT.lines(entered.events) == ["Ogre enters.", "Ann joins with 5,000 health."]
    state = join(entered.state, "Ben", simple(10, 30))
    done = act(state, Run(), REFEREE)
    assert FIGHT.lines(done.events) == [
        "Round 1",
        (
            "  Ann: 20 physical + 10 magical = 30 to the boss, 30 left; "
            "2,000 physical + 8 magical = 2,008 back, 2,992 of 5,000 left."
        ),
        "Ogre is down to half its health. Ouch.",
        "  Ben: 30 physical to the boss, which falls; 2,000 physical + 8 magical = 2,008 back, none of 10 left.",
        "  Ben is down.",
        "Ogre falls.",
        "The party wins after 1 round, with 1 still standing.",
    ]
    assert isinstance(done.events[-1], Ended)
    assert FIGHT.outcome(done.state) == Outcome(ending=Ending.ANNIHILATION, winner="party", rounds=1)


def test_the_log_tells_who_comes_and_goes() -> None:
    state = step(begin(boss(), ("Ann", simple(100, 10)), ("Ben", simple(100, 10))))
    assert FIGHT.lines(act(state, Leave(), "member-1").events) == ["Ann leaves."]
    assert FIGHT.lines(act(state, Leave(), "member-2").events) == ["Ben leaves before the first exchange."]
    assert FIGHT.lines(act(leave(state, 1), Return(), "member-1").events) == ["Ann comes back."]


small_decks = st.builds(simple, st.integers(0, 40), st.integers(0, 30), st.integers(0, 30), flags, elements)
small_bosses = st.builds(boss, st.integers(1, 200), st.integers(0, 30), st.integers(0, 30), flags, elements)
setups = st.builds(Setup, boss=small_bosses, times=st.integers(1, 3))


def check_sums(state: State) -> None:
    """Check that the boss has lost what the members dealt, and that their figures are those of an exchange."""
    assert state.dealt == sum(member.dealt for member in state.members)
    for member in state.members:
        assert isinstance(member, DeckMember)
        report = exchange(state.setup.boss, member.deck)
        assert (member.to_boss, member.to_player, member.health) == (
            report.to_boss,
            report.to_player,
            report.player_health,
        )
    assert len({member.seat for member in state.members}) == len(state.members)
    assert (state.boss_left <= 0) is (state.winner == "party")


@settings(deadline=None)
@given(setups, st.lists(small_decks.filter(lambda deck: deck.health > 0), min_size=1, max_size=4))
def test_every_fight_can_be_fought_to_its_end_and_its_journal_matches(start: Setup, party: list[object]) -> None:
    play = Session(FIGHT, start, b"seed")
    for number, own in enumerate(party):
        play.act(Join.model_validate({"name": f"M{number}", "deck": own}), ANYONE)
    while play.outcome is None:
        before = play.state
        play.act(TakeStep(), "referee")
        hits = [event for event in before.members if event.seat == before.turn.seat]
        assert play.state.last.hits == hits[0].hits + 1
        check_sums(play.state)
    play.end("referee")
    report = verify(FIGHT, play.journal())
    assert (report.match, report.outcome) == (True, play.outcome)


@settings(deadline=None)
@given(setups, st.lists(small_decks.filter(lambda deck: deck.health > 0), min_size=1, max_size=4))
def test_a_run_is_rounds_and_a_round_is_steps(start: Setup, party: list[object]) -> None:
    state = FIGHT.begin(start)
    for number, own in enumerate(party):
        join = Join.model_validate({"name": f"M{number}", "deck": own})
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
