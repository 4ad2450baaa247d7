"""Monsters and the dungeon, with known dice."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core import RuleError
from sim.core.battle import ANYONE, CLOCK, REFEREE, IllegalActionError, Outcome
from sim.core.dice import ScriptedDice, SeededDice
from sim.core.replay import Session
from sim.core.values import Ending
from sim.duel.battle import Continue, Run
from sim.duel.battle import dungeon_values as v
from sim.duel.battle.log import MOMENTS, moments
from sim.duel.critter import RULES_VERSION, Critter, roll_critter
from sim.duel.monsters import MAX_LEVEL, MONSTERS, Company, count_text, roll_encounter
from sim.duel.words import NARRATED_WORDS
from tests.sim.duel.builders import DUNGEON, Enter, Leave, StepOut, act, critter, critters

ANN, BO = critter("Ann", 8), critter("Bo", 3)


def begin(*heroes: Critter, **terms: object) -> v.State:
    return DUNGEON.begin(v.Setup.model_validate({"heroes": heroes, **terms}))


def test_there_are_monsters_of_every_level() -> None:
    assert len(MONSTERS) >= 40
    assert len({monster.name for monster in MONSTERS}) == len(MONSTERS)
    means = []
    for level in range(1, MAX_LEVEL + 1):
        here = [monster for monster in MONSTERS if monster.level == level]
        assert len(here) == 5
        means.append(sum(monster.experience for monster in here) / len(here))
    assert means == sorted(means)
    assert all(2 <= monster.morale <= 12 and monster.experience >= 5 for monster in MONSTERS)


def test_a_monster_has_figures_by_its_hit_dice() -> None:
    figures = {monster.name: (monster.to_hit, monster.experience) for monster in MONSTERS}
    known = {"goblin": (19, 5), "orc": (19, 10), "hobgoblin": (19, 15), "ogre": (16, 125), "vampire": (12, 650)}
    assert figures | known == figures


def test_an_encounter_is_thrown_die_by_die() -> None:
    """Kind, number (of a pack: up to the party's size), then hit points; one of several has an ordinal."""
    met = roll_encounter(1, ScriptedDice([3, 2, 8, 1]), party=3)
    assert [(creature.name, creature.proper, creature.hp) for creature in met.critters] == [
        ("first goblin", False, 7),
        ("second goblin", False, 1),
    ]
    [rat] = roll_encounter(1, ScriptedDice([1, 1, 5])).critters
    assert (rat.name, rat.hp, rat.armour_class, rat.to_hit, str(rat.damage)) == ("giant rat", 1, 7, 19, "1d3")
    assert [company.max_count(4) for company in Company] == [1, 3, 6]
    assert Company.SWARM.max_count(1) == 2
    texts = [count_text(MONSTERS[at], count) for at, count in ((6, 1), (5, 1), (14, 3))]
    assert texts == ["a hobgoblin", "an orc", "3 wolves"]


def test_anyone_joins_before_the_first_room() -> None:
    state = begin(ANN)
    assert [(choice.name, choice.seats) for choice in DUNGEON.legal(state)] == [
        ("join", ("anyone",)),
        ("enter", ("hero-1", "referee", "clock")),
    ]
    step = act(state, v.Join(critter=BO), seat="anyone")
    assert DUNGEON.lines(step.events) == ["Bo joins the party."]
    with pytest.raises(RuleError, match="Another hero is called bo"):
        act(step.state, v.Join(critter=critter("bo")), seat="anyone")
    assert act(step.state, Enter(), [1, 1, 3, 1, 5], seat="hero-2").state.phase is v.Phase.FIGHT


def room(state: v.State, faces: Sequence[int]) -> v.State:
    inside: v.State = act(state, Enter(), faces).state
    return inside


def test_the_living_heroes_take_turns_where_the_setup_says_so() -> None:
    state = room(begin(ANN, BO, critter("Cy", 5), turns=True), [1, 2, 4, 1, 2])
    dead = state.heroes[1].model_copy(update={"hp": 0})
    bereaved = state.model_copy(update={"heroes": (state.heroes[0], dead, state.heroes[2])})
    for party, turns in ((state, [0, 1, 2, 0]), (bereaved, [0, 2, 2, 0])):
        assert [party.model_copy(update={"rounds": rounds}).turn for rounds in range(4)] == [
            v.HEROES[at] for at in turns
        ]
    by_name = {choice.name: choice.seats for choice in DUNGEON.legal(bereaved)}
    assert by_name["continue"] == ("hero-1", REFEREE, CLOCK)
    assert (by_name["run"], by_name["continue-for"]) == ((REFEREE,), ("hero-3",)), "the dead step in for nobody"
    with pytest.raises(IllegalActionError, match="It's Ann's turn"):
        act(state, Continue(), seat="hero-2")
    assert room(begin(ANN, turns=True), [1, 2, 4, 1, 2]).turn is None
    written = DUNGEON.setups.write_json(v.Setup()) + DUNGEON.actions.write_json(Continue())
    assert not {"turns", "late"} & set(written.split('"')), "as earlier versions wrote them"


def test_a_room_is_entered_and_won() -> None:
    """The monster falls, and its experience is shared by those who stand."""
    step = act(begin(ANN, BO), Enter(), [1, 2, 4, 1, 2])
    assert DUNGEON.lines(step.events) == [
        "Room 1 of 6",
        "A guardroom with an overturned table. Somebody has written RUN on the wall.",
        "A skeleton!",
        "",
    ]
    # Ann strikes it down before its turn; Bo has nobody left, and the skeleton, dead, draws.
    step = act(step.state, Continue(), [6, 5, 1, 1, 1, 1, 1, 20, 2, 1])
    [cleared] = [event for event in step.events if isinstance(event, v.Cleared)]
    assert (cleared.total, cleared.each) == (10, 5)
    assert DUNGEON.lines(step.events)[-1] == "Room 1 won: 10 XP, 5 for each survivor."
    assert [hero.experience for hero in step.state.heroes] == [5, 5]
    assert [choice.name for choice in DUNGEON.legal(step.state)] == ["enter", "leave"]


def cleared() -> v.State:
    """Ann with 2 of 8 hit points, Bo dead, after a room."""
    state = begin(ANN, BO, rooms=2)
    heroes = tuple(
        hero.model_copy(update={"hp": hp, "experience": gained})
        for hero, hp, gained in zip(state.heroes, (2, 0), (15, 5), strict=True)
    )
    return state.model_copy(update={"heroes": heroes, "room": 1, "phase": v.Phase.CLEARED, "rounds": 4})


def test_a_rest_between_rooms_heals_up_to_the_maximum() -> None:
    """A die of six for each who is alive; the dead stay dead. The last room is a level deeper."""
    step = act(cleared(), Enter(), [4, 1, 1, 1, 1, 3])
    assert DUNGEON.lines(step.events)[:2] == ["Ann rests and heals 4: 6 hit points now.", "Room 2 of 2"]
    assert "An orc!" in DUNGEON.lines(step.events)
    well = cleared().model_copy(update={"heroes": (cleared().heroes[0].model_copy(update={"hp": 7}),)})
    assert act(well, Enter(), [4, 1, 1, 1, 1, 3]).state.heroes[0].hp == 8


def test_the_last_room_ends_it_and_the_heroes_win() -> None:
    state = room(cleared(), [4, 1, 1, 1, 1, 2])
    step = act(state, Continue(), [6, 1, 1, 1, 1, 20, 2, 1])
    assert DUNGEON.outcome(step.state) == Outcome(ending=Ending.ANNIHILATION, winner=v.PARTY, rounds=5)
    assert v.scores(step.state) == (
        v.Score(seat="hero-1", name="Ann", experience=25, alive=True),
        v.Score(seat="hero-2", name="Bo", experience=5, alive=False),
    )
    assert DUNGEON.lines(step.events)[-3:] == [
        "The dungeon is empty: 2 rooms won!",
        "Ann: 25 XP.",
        "Bo: 5 XP, dead.",
    ]


def test_it_ends_when_all_are_down() -> None:
    state = room(cleared(), [1, 1, 1, 1, 1, 8])
    step = act(state, Continue(), [1, 6, 1, 1, 1, 20, 6])
    assert DUNGEON.outcome(step.state) == Outcome(ending=Ending.ANNIHILATION, winner=None, rounds=5)
    assert "Nobody comes back: 1 room won." in DUNGEON.lines(step.events)
    assert DUNGEON.legal(step.state) == ()
    with pytest.raises(IllegalActionError, match="is over"):
        act(step.state, Continue())


def test_the_heroes_may_leave_between_rooms() -> None:
    step = act(cleared(), Leave(), seat="hero-1")
    assert DUNGEON.outcome(step.state) == Outcome(ending=Ending.RETREAT, winner=None, rounds=4)
    assert DUNGEON.lines(step.events)[1] == "Ann goes home: 1 room won."


ALONE, INSIDE = begin(ANN), room(begin(ANN), [1, 1, 3, 1, 5])
FULL = begin(*(critter(name) for name in "ABCD"))
JOINED = act(begin(ANN), v.Join(critter=BO), seat=ANYONE).state


@pytest.mark.parametrize(
    ("state", "action", "seat", "sentence"),
    [
        (INSIDE, v.Join(critter=critter("Cay")), ANYONE, "already inside"),
        (FULL, v.Join(critter=BO), ANYONE, "at most 4 heroes"),
        (begin(), Enter(), REFEREE, "A hero is needed"),
        (ALONE, Enter(), "hero-2", "Only this dungeon's heroes"),
        (INSIDE, Enter(), REFEREE, "fight in this room comes first"),
        (INSIDE, Leave(), REFEREE, "only between rooms"),
        (ALONE, Run(), REFEREE, "nobody to fight"),
        (JOINED, StepOut(), "hero-1", "who joined"),
        (JOINED, StepOut(), "hero-3", "who joined"),
        (ALONE, StepOut(), "hero-1", "Nobody has joined"),
        (INSIDE, StepOut(), "hero-1", "already inside"),
    ],
)
def test_what_may_not_be_done_now(state: v.State, action: v.Action, seat: str, sentence: str) -> None:
    with pytest.raises(IllegalActionError, match=sentence):
        act(state, action, seat=seat)


def goblins() -> v.State:
    """Two strong heroes against two goblins of 1 hit point."""
    heroes = [critter(name, 20, str_mod=10) for name in ("Ann", "Bo")]
    return room(begin(*heroes), [1, 1, 3, 2, 2, 2])


# Ann kills the first goblin, Bo misses, the second goblin misses; the dead one draws from group 1.
FIRST_FALLS = [6, 5, 3, 4, 1, 1, 1, 1, 1, 10, 1, 1, 1, 1, 1, 2]


@pytest.mark.parametrize(("dice", "flees"), [([4, 4], True), ([4, 3], False)])
def test_morale_is_tested_when_the_first_or_half_of_them_fall(dice: list[int], flees: bool) -> None:
    """2d6 over the morale of 7 puts them to flight at the end of the round; who fled is overcome, too."""
    step = act(goblins(), Continue(), [*FIRST_FALLS, *dice])
    [tested] = [event for event in step.events if isinstance(event, v.Morale)]
    assert (tested.roll, tested.morale, tested.fled) == (sum(dice), 7, int(flees))
    assert step.state.phase is (v.Phase.CLEARED if flees else v.Phase.FIGHT)
    assert [hero.experience for hero in step.state.heroes] == ([5, 5] if flees else [0, 0])
    said = "The last one turns and runs!" if flees else "They fight on."
    assert any(line.endswith(said) for line in DUNGEON.lines(step.events))


def test_morale_is_tested_once_for_each_reason() -> None:
    """The first fall was half of them already: no other test while the last one lives."""
    state = act(goblins(), Continue(), [*FIRST_FALLS, 1, 1]).state
    assert state.foes is not None
    assert state.foes.tested == ("first", "half")
    act(state, Continue(), [6, 5, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1])


def test_who_cannot_hurt_each_other_part() -> None:
    """Nothing is gained by it, but the way on is free."""
    ghost = critter("Ghost", 5, armour_class=-20, str_mod=-20)
    step = act(room(begin(ghost), [1, 1, 3, 1, 5]), Continue())
    assert step.state.phase is v.Phase.CLEARED
    assert step.state.heroes[0].experience == 0
    assert any("neither side can hit" in line for line in DUNGEON.lines(step.events))


@pytest.mark.rest
@settings(deadline=None)
@given(
    st.lists(st.sampled_from("ABCDE"), min_size=1, max_size=4, unique=True).flatmap(
        lambda names: st.tuples(*(critters(name, 40) for name in names))
    ),
    st.integers(1, MAX_LEVEL),
    st.binary(max_size=8),
    st.data(),
)
def test_every_dungeon_comes_to_an_end(
    heroes: tuple[Critter, ...], level: int, seed: bytes, data: st.DataObject
) -> None:
    """Whatever is done: hit points stay within bounds, and experience never shrinks."""
    start = v.Setup(heroes=heroes, level=level, rooms=3, words=NARRATED_WORDS)
    play = Session(DUNGEON, start, seed)
    while play.outcome is None:
        before: v.State = play.state
        choices = [choice for choice in DUNGEON.legal(before) if choice.action is not None]
        choice = data.draw(st.sampled_from(choices))
        assert choice.action is not None
        assert 0 < DUNGEON.cost(before, choice.action) < 4
        assert play.act(choice.action, choice.seats[0])
        after: v.State = play.state
        for old, new in zip(before.heroes, after.heroes, strict=True):
            assert 0 <= new.hp <= new.critter.hp
            assert new.experience >= old.experience
            assert new.hp == 0 or old.hp > 0
    assert [score.seat for score in v.scores(play.state)] == list(v.HEROES[: len(heroes)])


def test_who_joined_may_step_out_and_the_others_keep_their_seats() -> None:
    state = begin(ANN)
    for name in ("Bo", "Cy", "Di"):
        state = act(state, v.Join(critter=critter(name)), seat=ANYONE).state
    step = act(state, StepOut(), seat="hero-2")
    assert step.events[1:] == (v.SteppedOut(seat="hero-2", name="Bo"),)
    assert DUNGEON.lines(step.events)[-1] == "Bo steps out."
    assert [hero.critter.name for hero in step.state.heroes] == ["Ann", "Cy", "Di"]
    assert step.state.seats == ("hero-1", "hero-3", "hero-4")
    assert DUNGEON.states.read(DUNGEON.states.write(step.state)) == step.state
    again = act(step.state, v.Join(critter=critter("Bo")), seat=ANYONE)
    assert again.events[1] == v.Joined(seat="hero-2", name="Bo"), "the free seat is taken first"
    assert [score.seat for score in v.scores(again.state)] == ["hero-1", "hero-3", "hero-4", "hero-2"]
    back = act(act(again.state, StepOut(), seat="hero-3").state, StepOut(), seat="hero-4").state
    assert DUNGEON.states.write(back) == DUNGEON.states.write(
        act(begin(ANN), v.Join(critter=critter("Bo")), seat=ANYONE).state
    )


DUNGEONS = 600


def comes_through(seed: bytes, edition: int) -> bool:
    """Play a dungeon of four rooms with four heroes of level 1 to its end; nobody ever goes home."""
    heroes: list[Critter] = []
    for number in range(4):
        heroes.append(roll_critter(SeededDice(seed, number), taken=[hero.name for hero in heroes]))
    state = begin(*heroes, rooms=4, level=1, edition=edition)
    step = 10
    while state.ending is None:
        action = Run() if state.phase is v.Phase.FIGHT else Enter()
        state = DUNGEON.step(state, action, "referee", SeededDice(seed, step)).state
        step += 1
    return bool(state.alive)


def share(edition: int, dungeons: int) -> float:
    """Return the share of dungeons that the heroes win."""
    return sum(comes_through(number.to_bytes(4, "big"), edition) for number in range(dungeons)) / dungeons


@pytest.mark.statistics
def test_four_heroes_of_level_1_come_through_four_rooms_in_more_than_half_of_the_dungeons() -> None:
    assert 0.54 < share(RULES_VERSION, DUNGEONS) < 0.70
    assert share(1, DUNGEONS) < 0.52, "packs were as large as the party"


def test_a_long_fight_is_told_in_three_moments_and_what_came_of_it() -> None:
    play = Session(DUNGEON, v.Setup(heroes=(critter("Disa", hp=30), critter("Vidar", hp=30)), level=2), b"long")
    play.act(Enter(), v.HEROES[0])
    events = DUNGEON.step(play.state, Run(), REFEREE, SeededDice(b"long" * 8, 2)).events
    told, whole = ([line for line in lines if line] for lines in (moments(events), DUNGEON.lines(events)))
    rounds = [sum(line.startswith("Round ") for line in lines) for lines in (told, whole)]
    assert rounds[0] == MOMENTS < rounds[1]
    assert told[-1] == whole[-1]
    assert "XP" in told[-1]
