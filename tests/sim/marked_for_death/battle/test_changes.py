"""What a referee changes between rounds."""

import re
from decimal import Decimal
from functools import partial

import pytest

from sim.core import RuleError
from sim.core.battle import CLOCK, REFEREE, IllegalActionError
from sim.core.dice import ScriptedDice, SeededDice
from sim.core.values import Ending
from sim.marked_for_death import battle as v
from sim.marked_for_death.battle.rules import roster_changes
from sim.marked_for_death.battle.runner import MAX_ATTACKS, side_cards
from sim.marked_for_death.roster import Camp, Fighter
from tests.sim.marked_for_death import builders as b

HEROES, VILLAINS = Camp.HEROES, Camp.VILLAINS
amend = partial(v.Amend, camp=HEROES)

FOUGHT = b.fight(b.begin(b.roster("Tom", "Bo"), b.DUMMY), [1, b.MISS, b.MISS, b.MISS, b.MISS, b.HIT, b.MISS]).state
"""One round later: Tom is wounded, all have tired."""


def test_a_changed_roster_takes_the_place_of_the_old_one() -> None:
    """Bo is gone, Tom healed, Ann fresh; all fight on as the file says."""
    new = b.roster(b.fighter("Ann"), b.fighter("TOM", hp=3, defend="-0.1"))
    step = b.act(FOUGHT, v.Reinforce(camp=HEROES, roster=new))
    changes = ("Ann joins with 2 HP.", "TOM: written Tom before, healed, HP 1 → 3.", "Bo is gone.")
    assert step.events == (v.Changed(camp=HEROES, changes=changes),)
    assert b.BATTLE.lines(step.events) == ["The referee changes the heroes:", *(f"  {change}" for change in changes)]
    assert b.hp(step.state) == {"Ann": 2, "TOM": 3, "Dummy": 2}
    assert [card.to_defend for card in side_cards(step.state.heroes)] == [Decimal("0.3"), Decimal("0.2")]


def test_a_reinforcement_starts_fresh_while_the_others_are_tired() -> None:
    state = b.act(FOUGHT, amend(fighter=b.fighter("Ann"))).state
    after = b.fight(state, [1, *[b.MISS] * 8]).state
    assert [card.to_defend for card in side_cards(after.heroes)] == [Decimal("0.1"), Decimal("0.1"), Decimal("0.2")]


def test_one_fighter_is_changed_where_it_stands() -> None:
    step = b.act(FOUGHT, amend(fighter=b.fighter("tom", hp=0, hit="0.2")))
    change = "tom: written Tom before, out of the fight, HP 1 → 0, BonusToHit 0 → 0.2, BonusToDefend -0.1 → 0."
    assert step.events == (v.Changed(camp=HEROES, changes=(change,)),)
    assert list(b.hp(step.state)) == ["tom", "Bo", "Dummy"]


def test_a_renamed_fighter_keeps_its_place_and_whoever_named_it_follows() -> None:
    bo = b.fighter("Bo", linked_to="Tom", bodyguard_for="TOM", buffs=(b.buff("Tom,Bo", "0.1"),))
    state = b.begin(b.roster("Ann", b.fighter("Tom", buffs=(b.buff("tom", "0.2"),)), bo), b.DUMMY)
    new = b.fighter("Tim", hp=3, buffs=(b.buff("tom", "0.2"),))
    step = b.act(state, amend(fighter=new, replaces="tom"))
    assert step.events == (v.Changed(camp=HEROES, changes=("Tom is now called Tim: healed, HP 2 → 3.",)),)
    assert b.hp(step.state) == {"Ann": 2, "Tim": 3, "Bo": 2, "Dummy": 2}
    _, tim, bo = (combatant.fighter for combatant in step.state.heroes)
    assert (bo.linked_to, bo.bodyguard_for, bo.buffs[0].who) == ("Tim", "Tim", ("Tim", "Bo"))
    assert tim.buffs[0].who == ("Tim",)
    assert [card.guards for card in side_cards(step.state.heroes)] == [None, None, "Tim"]


def test_a_fighter_s_own_form_changes_it_and_can_write_its_name_otherwise() -> None:
    step = b.act(FOUGHT, amend(fighter=b.fighter("tom", hp=3), replaces="Tom"))
    assert b.hp(step.state) == {"tom": 3, "Bo": 2, "Dummy": 2}


def test_the_dead_are_raised() -> None:
    fallen = b.fight(
        b.begin(b.roster(b.fighter("Tom", hp=1), "Bo"), b.DUMMY), [1, b.MISS, b.MISS, b.MISS, b.MISS, b.HIT, b.MISS]
    ).state
    step = b.act(fallen, amend(fighter=b.fighter("Tom", hp=2)))
    assert b.BATTLE.lines(step.events)[1] == "  Tom: back in the fight, HP 0 → 2, BonusToDefend -0.1 → 0."


def test_who_is_pulled_out_is_gone_and_nobody_falls_by_it() -> None:
    state = b.begin(b.roster("Tom", b.fighter("Bo", linked_to="Tom", bodyguard_for="Tom")), b.DUMMY)
    step = b.act(state, v.PullOut(camp=HEROES, name="TOM"))
    assert step.events == (v.PulledOut(camp=HEROES, name="Tom", hp=2),)
    assert b.hp(step.state) == {"Bo": 2, "Dummy": 2}
    assert b.BATTLE.lines(step.events) == ["The referee takes Tom out of the heroes, with 2 HP."]
    assert [card.guards for card in side_cards(step.state.heroes)] == [None]


def test_a_change_that_leaves_nobody_standing_ends_the_battle() -> None:
    step = b.act(b.begin(b.roster("Tom"), b.DUMMY), amend(fighter=b.fighter("Tom", hp=0)))
    assert step.state.ending is Ending.ANNIHILATION
    assert step.events[-1] == v.Ended(
        ending=Ending.ANNIHILATION, winner=VILLAINS, rounds=0, heroes=(), villains=(("Dummy", 2),)
    )


def test_dice_are_bounded_even_when_a_harmful_buff_ends() -> None:
    """Tom throws 1,000 dice while Bo holds him back, and 999,300 once Bo has fallen."""
    tom = b.fighter("Tom", xp=1_000_000, hit="999")
    with pytest.raises(RuleError, match="A round has up to 1,000,304 dice, too many to throw each one"):
        b.begin(b.roster(tom, b.fighter("Bo", buffs=(b.buff("Tom", "-1000"),))), b.DUMMY)


ALONE = b.begin(b.roster("Tom", b.fighter("Ann", hp=0)), b.DUMMY)
TOO_LARGE = f"A round has 20,001 attacks, too many to show each one; at most {MAX_ATTACKS:,} are fought out."


@pytest.mark.parametrize(
    ("state", "action", "expected"),
    [
        (FOUGHT, v.Reinforce(camp=HEROES, roster=v.current_roster(FOUGHT, HEROES)), "This roster changes nothing."),
        (FOUGHT, amend(fighter=b.fighter("bo"), replaces="Tom"), "The heroes already have a fighter called bo."),
        (FOUGHT, amend(fighter=b.fighter("Tim"), replaces="Max"), "The heroes have no fighter called Max."),
        (b.begin(b.crowd(500), b.DUMMY), amend(fighter=b.fighter("Tom")), "The heroes already have 500 fighters"),
        (b.begin(b.DUMMY, b.DUMMY), v.Reinforce(camp=HEROES, roster=b.crowd(40, aoe=500)), TOO_LARGE),
        (ALONE, v.PullOut(camp=HEROES, name="Max"), "Nobody among the heroes is called Max."),
        (ALONE, v.PullOut(camp=HEROES, name="Ann"), "Ann isn't standing."),
        (ALONE, v.PullOut(camp=HEROES, name="Tom"), "Tom is the last of the heroes standing."),
    ],
)
def test_what_can_not_be_changed(state: v.State, action: v.Action, expected: str) -> None:
    with pytest.raises(RuleError, match=re.escape(expected)):
        b.act(state, action)


def test_a_round_that_would_be_too_large_is_refused_from_the_start() -> None:
    with pytest.raises(RuleError, match=TOO_LARGE):
        b.begin(b.crowd(40, aoe=500), b.DUMMY)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (b.fighter("A"), b.fighter("A"), []),
        (b.fighter("A", hp=1), b.fighter("A", hp=3), ["A: healed, HP 1 → 3."]),
        (b.fighter("A", hp=3), b.fighter("A", hp=1), ["A: weakened, HP 3 → 1."]),
        (
            b.fighter("A", hit="0.1", linked_to="Dragon"),
            b.fighter("A", 2000, hit="0.2", aoe=2),
            ["A: XP 1000 → 2000, BonusToHit 0.1 → 0.2, AOE 1 → 2, LinkedTo Dragon → no one."],
        ),
        (
            b.fighter("A"),
            b.fighter("A", buffs=(b.buff("B,C", "0.1", "-0.2", "Team"), b.buff("D"))),
            ["A: buffs none → Team for B, C (+0.1, -0.2); without a name for D (+0, +0)."],
        ),
    ],
)
def test_the_difference_between_two_rosters_in_words(before: Fighter, after: Fighter, expected: list[str]) -> None:
    assert list(roster_changes(b.roster(before, "Z"), b.roster("Z", after))) == expected


def test_leaders_fight_and_pull_out_their_own() -> None:
    state = b.BATTLE.begin(v.Setup(heroes=b.roster("Tom", "Bo"), villains=b.DUMMY, led=True))
    by_name = {choice.name: set(choice.seats) for choice in b.BATTLE.legal(state)}
    leaders = {HEROES.value, VILLAINS.value, REFEREE}
    assert by_name["next-round"] == leaders | {CLOCK}
    assert by_name["run-out"] == by_name["pull-out"] == leaders
    assert by_name["reinforce"] == by_name["amend"] == by_name["run"] == {REFEREE}
    pull = v.PullOut(camp=HEROES, name="Bo")
    with pytest.raises(IllegalActionError, match="You lead the villains"):
        b.BATTLE.apply(state, pull, VILLAINS, ScriptedDice([]))
    step = b.BATTLE.apply(state, pull, HEROES, ScriptedDice([]))
    assert list(b.hp(step.state)) == ["Tom", "Dummy"]
    assert b.BATTLE.lines(step.events) == ["Bo leaves the heroes, with 2 HP."]
    assert b.BATTLE.outcome(b.BATTLE.apply(state, v.Run(), HEROES, SeededDice(b"run", 1)).state)
    with pytest.raises(IllegalActionError, match="Only the referee"):
        b.BATTLE.apply(state, v.Run(rounds=1), HEROES, ScriptedDice([]))


def test_setups_and_states_of_earlier_versions_are_written_as_they_were() -> None:
    assert "led" not in b.BATTLE.states.write_json(FOUGHT) + b.BATTLE.setups.write_json(
        v.Setup(heroes=b.DUMMY, villains=b.DUMMY)
    )


def test_every_fighter_needs_its_own_name() -> None:
    with pytest.raises(RuleError, match="Tom and Tom are the same name"):
        b.roster("Tom", "Tom")
