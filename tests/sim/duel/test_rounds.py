"""Critters, and rounds of two groups with known dice (.docs/rules/duel.md, "A round" and "Critters")."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sim.core import RuleError
from sim.core.battle import IllegalActionError, Outcome
from sim.core.dice import ScriptedDice, SeededDice
from sim.core.luck import BAGS, expected
from sim.core.luck_odds import Sums
from sim.core.values import Ending, Paused
from sim.duel import critter as c
from sim.duel.battle import Continue, Passed, Run, Setup, State, Struck, Wavered
from sim.duel.battle.campaign import Character, Forces, band_of
from sim.duel.battle.rules import damage_dice
from sim.duel.cards import duel_card
from sim.duel.monsters import MONSTERS_BY_NAME
from sim.duel.requests import EncounterRequest
from sim.duel.tables import read_roster
from sim.duel.words import NARRATED_WORDS
from tests.sim.duel import builders as b
from tests.tables import kept_table


def test_a_character_is_rolled_in_order() -> None:
    """3d6 six times, d8 + Constitution, then what isn't given: gender, name, alignment."""
    dice = ScriptedDice([6, 6, 6, 1, 1, 1, 2, 2, 2, 6, 5, 5, 4, 4, 5, 3, 3, 3, 8, 2, 7, 3])
    rolled = c.roll_critter(dice)
    assert rolled.abilities == c.Abilities(
        strength=18, intelligence=3, wisdom=6, dexterity=16, constitution=13, charisma=9
    )
    assert (rolled.str_mod, rolled.int_mod, rolled.wis_mod) == (3, -3, -1)
    assert (rolled.dex_mod, rolled.con_mod, rolled.cha_mod) == (2, 1, 0)
    assert (rolled.hp, rolled.gender, rolled.name) == (9, c.Gender.SHE, c.NAMES[c.Gender.SHE][6])
    assert rolled.alignment is c.Alignment.CHAOTIC
    assert dice.left == 0


def test_two_characters_have_two_names() -> None:
    taken = c.NAMES[c.Gender.IT][1:]
    assert c.roll_critter(SeededDice(b""), gender=c.Gender.IT, taken=taken).name == c.NAMES[c.Gender.IT][0]
    assert c.roll_critter(SeededDice(b""), gender=c.Gender.IT, taken=c.NAMES[c.Gender.IT]).name in c.NAMES[c.Gender.IT]


@given(st.binary(max_size=8))
def test_rivals_are_lawful_and_chaotic(seed: bytes) -> None:
    lawful, chaotic = c.roll_rivals(SeededDice(seed))
    assert (lawful.alignment, chaotic.alignment) == (c.Alignment.LAWFUL, c.Alignment.CHAOTIC)
    assert lawful.name != chaotic.name
    assert 1 <= lawful.hp <= 11
    assert c.Critter.model_validate_json(lawful.model_dump_json()) == lawful
    assert c.roll_rivals(SeededDice(seed)) == (lawful, chaotic)


def test_the_defaults_are_the_rules() -> None:
    """To-hit 19 against armour class 5: 14 or more, damage d4, one attack."""
    plain = b.critter("Conan")
    assert (plain.to_hit - plain.armour_class, str(plain.damage), plain.attacks) == (14, "1d4", 1)
    assert plain.hit_chance(plain) == pytest.approx(7 / 20)
    assert b.critter("Conan", str_mod=3).hit_chance(plain) == pytest.approx(10 / 20)
    assert plain.hit_chance(b.critter("Tin Man", armour_class=-9)) == 0
    assert plain.hit_chance(b.critter("Barn Door", armour_class=19)) == 1


@given(
    st.lists(b.critters("A"), min_size=1, max_size=3),
    st.lists(b.critters("B"), min_size=1, max_size=3),
    st.integers(-40, 0),
)
def test_whether_anybody_can_hit_anybody(strikers: list[c.Critter], targets: list[c.Critter], worse: int) -> None:
    """The shortcut agrees with comparing every pair."""
    weak = [each.model_copy(update={"str_mod": each.str_mod + worse}) for each in strikers]
    assert c.can_harm(weak, targets) is any(each.hit_chance(other) > 0 for each in weak for other in targets)
    assert not c.can_harm([], targets)
    assert not c.can_harm(strikers, [])


def test_abilities_decide_the_modifiers() -> None:
    scores = dict.fromkeys(c.Abilities.model_fields, 10) | {"strength": 17}
    assert b.critter("Conan", abilities=scores).str_mod == 2
    with pytest.raises(RuleError, match=r"Conan's strength of 17 gives \+2, not \+1"):
        b.critter("Conan", abilities=scores, str_mod=1)


@pytest.mark.parametrize("name", ["Zoë d'Été", "O’Brien the 3rd", "Þórdís", "李", "Old  One", "Zoe\u0308"])
def test_names_of_all_kinds(name: str) -> None:
    assert b.critter(f" {name} ").name == name.replace("e\u0308", "ë")


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a\u202eb", "\u200b", "x" * 41])
def test_names_that_cannot_be_displayed(name: str) -> None:
    with pytest.raises(RuleError, match="A fighter's name"):
        b.critter(name)


@pytest.mark.parametrize(("text", "least", "most", "expected"), kept_table(__file__, "damage_read"))
def test_damage_is_read(text: str, least: int, most: int, expected: str) -> None:
    damage = c.Damage.model_validate(text)
    dealt = [amount for amount, ways in enumerate(damage.weights()) if ways]
    assert (dealt[0], dealt[-1], damage.maximum, str(damage)) == (least, most, most, expected)
    assert c.Damage.model_validate_json(damage.model_dump_json()) == damage
    with pytest.raises(RuleError, match="at most 40"):
        c.Damage.model_validate("9" * 41)


@given(st.builds(c.Damage, count=st.integers(1, 4), sides=st.integers(1, 8), plus=st.integers(-9, 9)), st.binary())
@example(c.Damage(count=20, sides=100, plus=-100), b"")
def test_damage_is_thrown_as_its_chances_say_and_so_is_its_luck(damage: c.Damage, seed: bytes) -> None:
    chances = damage.chances()
    assert sum(chances) == pytest.approx(1)
    assert chances[damage.roll(SeededDice(seed))] > 0
    assert len(chances) == damage.maximum + 1
    mean = sum(amount * chance for amount, chance in enumerate(chances))
    assert damage.mean <= mean + 1e-9
    bag = BAGS.validate_json(BAGS.dump_json(damage_dice(damage)))
    assert float(expected(bag)) == pytest.approx(mean)
    for dealt in (1, round(damage.mean), damage.maximum):
        assert Sums.of(bag).at_most(dealt) == pytest.approx(sum(chances[: dealt + 1]), abs=1e-9)


CONAN, GRENDEL = b.critter("Conan"), b.critter("Grendel")


def test_a_killed_fighter_draws_but_does_not_strike() -> None:
    """The dead of either group draw a target from group 1."""
    weak = [b.critter("A", 1), b.critter("B", 9)]
    # Grendel kills A; in A's turn a die draws the one fighter left in group 1.
    step = b.first_round(weak, [GRENDEL], [1, 2, 6, 1, 1, 1, 1, 14, 1, 1, 1, 1])
    assert [type(event) for event in step.events][2:] == [Struck, Struck, Passed]
    assert step.state.hp == (0, 9, 5)
    assert b.DUEL.outcome(step.state) is None


def test_14_hits_and_13_does_not() -> None:
    for roll, strength, hits in ((14, 0, True), (13, 0, False), (13, 1, True), (20, -7, False), (20, -6, True)):
        fighter = b.critter("Conan", str_mod=strength)
        dice = [6, 1, 1, 1, 1, roll, *([2] if hits else []), 1, 1]
        blow = b.first_round([fighter], [GRENDEL], dice).events[2]
        assert isinstance(blow, Struck)
        assert (blow.damage, blow.left) == ((2, 3) if hits else (0, 5))


def test_everybody_may_have_own_figures() -> None:
    """The needed roll is to-hit - armour class; damage dice are rolled one by one; each attack draws its target."""
    hydra = b.critter("hydra", 30, to_hit=15, damage="2d6+1", attacks=3, proper=False)
    targets = [b.critter("A", 20, armour_class=7), b.critter("B", 4, armour_class=2)]
    # Hydra: A hit by 8 for 2+3+1; B missed by 12, then hit by 13 and dead.
    dice = [6, 1, 2, 1, 1, 1, 1, 8, 2, 3, 2, 12, 2, 13, 1, 2, 1, 1, 1]
    step = b.first_round([hydra], targets, dice)
    blows = [(blow.target, blow.damage, blow.again) for blow in step.events if isinstance(blow, Struck)]
    assert blows == [(1, 6, False), (2, 0, True), (2, 4, True), (0, 0, False)]
    assert step.state.hp == (30, 14, 0)
    assert "The hydra attacks A!" in b.DUEL.lines(step.events)


def test_a_hopeless_fight_is_refused() -> None:
    ghost = b.critter("Ghost", armour_class=-9, str_mod=-10)
    with pytest.raises(RuleError, match="This fight would never end"):
        b.DUEL.begin(b.setup([CONAN], [ghost]))


def test_a_fight_that_becomes_hopeless_is_over() -> None:
    """Nobody wins if the only fighter who could hit the ghost is dead, and the ghost can't hit the others."""
    ghost = b.critter("Ghost", armour_class=-9, to_hit=19)
    priest, knight = b.critter("Priest", 1, to_hit=11), b.critter("Knight", armour_class=-9)
    # The ghost acts first and kills the priest, who draws; the knight misses.
    step = b.first_round([priest, knight], [ghost], [1, 2, 6, 1, 1, 1, 1, 20, 1, 1, 20, 1])
    assert b.DUEL.outcome(step.state) == Outcome(ending=Ending.STALEMATE, winner=None, rounds=1)
    assert b.DUEL.lines(step.events)[-1].startswith("Stalemate: neither side")


def test_a_very_long_fight_pauses() -> None:
    tough = [b.critter(name, 1000, str_mod=-6) for name in ("A", "B")]
    step = b.DUEL.apply(b.DUEL.begin(b.setup(tough[:1], tough[1:])), Run(), "group-1", SeededDice(b"long"))
    assert isinstance(step.events[-1], Paused)
    assert b.DUEL.lines(step.events)[-1] == "After 200 rounds the fight goes on."
    assert b.DUEL.outcome(step.state) is None


def test_others_do_not_turn_the_page_and_after_the_last_one_nobody_does() -> None:
    start = b.DUEL.begin(b.setup([CONAN], [GRENDEL]))
    with pytest.raises(IllegalActionError, match="Only the fighters or a referee may turn the page"):
        b.act(start, Continue(), seat="anyone")
    over = b.DUEL.apply(start, Run(), "group-1", SeededDice(b"")).state
    with pytest.raises(IllegalActionError, match="The duel is over"):
        b.act(over, Continue(), seat="group-1")


def test_a_step_stays_small_enough_to_keep() -> None:
    """A run pauses after about 1,500 events."""
    groups = (tuple(b.critter(f"{side}{number}", 40) for number in range(50)) for side in "AB")
    start = b.DUEL.begin(Setup(group1=next(groups), group2=next(groups)))
    step = b.DUEL.apply(start, Run(), "group-1", SeededDice(b"small"))
    assert isinstance(step.events[-1], Paused)
    assert 1500 <= len(step.events) < 1500 + 110


@settings(deadline=None)
@given(st.one_of(b.setups(), b.setups(narrated=True, words=NARRATED_WORDS)), st.binary(max_size=8), st.booleans())
def test_every_fight_comes_to_an_end(start: Setup, seed: bytes, at_once: bool) -> None:
    """Hit points never rise or fall below 0, and exactly one group is left."""
    state = b.DUEL.begin(start)
    action = Run() if at_once else Continue()
    number = 0
    while b.DUEL.outcome(state) is None:
        number += 1
        before = state
        step = b.DUEL.apply(state, action, "group-1", SeededDice(seed, number))
        state = step.state
        assert all(0 <= now <= was for now, was in zip(state.hp, before.hp, strict=True))
        assert b.DUEL.lines(step.events)
        assert 0 < b.DUEL.cost(before, action) < 4
    assert sum(map(bool, state.living)) == 1
    assert b.DUEL.legal(state) == ()


HERO = b.critter("Ann", 20, str_mod=10)
# Ann acts first and kills the first of three; the other two miss, the dead one draws from group 1.
ROUND = [6, 1, 1, 1, 1, 3, 2, 1, 1, 20, 4, 1, 1, 1, 1, 1]


def begin(*morale: int | None, on: bool = True) -> State:
    gang = [
        b.critter(f"goblin {number}", 4, proper=False, morale=value) for number, value in enumerate(morale, start=1)
    ]
    return b.DUEL.begin(b.setup([HERO], gang, morale=on))


@pytest.mark.parametrize(
    ("morale", "fled", "said"),
    [
        ((7, 7, 12), (2,), "The goblin 2 turns and runs!"),
        ((7, 7, 7), (2, 3), "The goblin 2 and the goblin 3 turn and run!"),
        ((8, 8, 8), (), "Nobody runs!"),
    ],
)
def test_those_with_less_flee_and_others_fight_on(morale: tuple[int, ...], fled: tuple[int, ...], said: str) -> None:
    step = b.act(begin(*morale), Continue(), [*ROUND, 4, 4])
    [wavered] = [event for event in step.events if isinstance(event, Wavered)]
    assert (wavered.group, wavered.roll, wavered.fled) == (2, 8, fled)
    assert (step.state.fled, step.state.tested) == (fled, (0, 1))
    assert step.state.winner == ("group-1" if len(fled) == 2 else None)
    assert b.DUEL.lines(step.events)[-1] == f"Group 2 tests its morale: 2d6 show 8. {said}"
    right = duel_card(step.state, [step.events]).right
    assert right is not None
    left = ["fled" if number in fled else "4 / 4" for number in (2, 3)]
    assert [row.figures for row in right.rows] == ["fell to Ann", *left]


@pytest.mark.parametrize("state", [begin(2, 2, 2, on=False), begin(None, None, None)])
def test_nobody_tests_without_the_option_or_without_a_morale(state: State) -> None:
    step = b.act(state, Continue(), ROUND)
    assert (step.state.fled, step.state.tested) == ((), ())


def test_a_group_tests_at_most_twice() -> None:
    state, tests = begin(*[11] * 9), 0
    state = state.model_copy(update={"hp": (500, *state.hp[1:])})
    for number in range(100):
        step = b.DUEL.apply(state, Run(), "referee", SeededDice(b"morale", number))
        found = [event for event in step.events if isinstance(event, Wavered)]
        assert len([event for event in found if event.group == 2]) <= 2
        tests = max(tests, len(found))
    assert tests == 2


def test_monsters_bring_their_morale_and_files_may_have_one() -> None:
    met = EncounterRequest(seed=b"x", level=1, party=4).run()
    assert {creature.morale for creature in met.critters} == {MONSTERS_BY_NAME[met.kind].morale}
    [side] = read_roster(b"name,hp,morale\nAnn,5,\nBo,5,7\n").sides
    assert [creature.morale for creature in side.critters] == [None, 7]


def test_the_fallen_stay_down_in_a_campaign_though_a_foe_has_their_name() -> None:
    fallen = Character.of(b.critter("Brenna", 8)).model_copy(update={"hp": 0})
    forces = Forces(group1=(fallen, *band_of([CONAN])), group2=band_of([b.critter("Brenna", 6)]))
    state = b.DUEL.begin(b.DUEL.campaign.setup(forces, None))
    after = b.DUEL.campaign.after(forces, state, SeededDice(b""))
    assert [one.hp for one in (*after.group1, *after.group2)] == [0, 5, 6]
