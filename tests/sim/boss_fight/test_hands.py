"""Fights with hands (.docs/rules/boss_fight.md, "Hands"): which tokens, against what, and what resting does."""

import re
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.boss_fight import battle as v
from sim.boss_fight.battle.campaign import LadderCampaign
from sim.boss_fight.console import Way, measure, parties, ready_hands
from sim.boss_fight.exchange import damages
from sim.boss_fight.form_text import parse_deck
from sim.boss_fight.hands import HAND, IDLE_ROUNDS, MOST, Attack, attacking
from sim.boss_fight.tables import STARTER_DECKS, known_boss
from sim.boss_fight.values import Boss, Deck, Element
from sim.core import RuleError
from sim.core.battle import ANYONE, CLOCK, REFEREE, IllegalActionError, Leave, Step
from sim.core.dice import SeededDice
from sim.core.values import Ending
from tests.sim.boss_fight.builders import FIGHT, ROUND, RUN, act, boss, bosses, deck, decks, simple, token, trait

READY = {ready.key: parse_deck(ready.text) for ready in STARTER_DECKS}
BLADE, SPELL, FURY = 1, 2, 3
ANN, BEN = "member-1", "member-2"
OGRE = boss(5000, 40, 30, name="Ogre")


def ladder(name: str) -> Boss:
    found = known_boss(name)
    assert found is not None
    return found


def begun(foe: Boss, *party: Deck, rolls: tuple[int, ...] = (BLADE, BLADE)) -> v.State:
    state = FIGHT.begin(v.Setup(boss=foe, edition=v.HANDS))
    for at, own in enumerate(party):
        state = act(state, v.Join(deck=own), ANYONE, *(() if at else rolls)).state
    return state


def hand(state: v.State, seat: str = ANN) -> v.HandMember:
    member = state.member(seat)
    assert isinstance(member, v.HandMember)
    return member


def blow(step: Step[v.State, v.Event]) -> v.Struck:
    (found,) = [event for event in step.events if isinstance(event, v.Struck)]
    return found


def figures(event: v.Struck) -> tuple[int, int]:
    """Return what an exchange dealt and took, in whole points."""
    assert event.to_boss.total.denominator == event.to_player.total.denominator == 1
    return int(event.to_boss.total), int(event.to_player.total)


def many(count: int) -> Deck:
    return deck(*(token(trait(100, 10 * at)) for at in range(1, count + 1)))


def test_the_knight_puts_up_three_then_what_is_rested() -> None:
    state = begun(ladder("Mossback"), READY["knight"], rolls=(BLADE, SPELL))
    first = act(state, v.PutUp(tokens=("hero", "attack", "buff")), ANN, FURY)
    assert figures(blow(first)) == (1500, 250)
    assert hand(first.state).tired == ("hero", "attack", "buff")
    with pytest.raises(IllegalActionError, match="Choose 1 to 5 different tokens that have rested"):
        act(first.state, v.PutUp(tokens=("hero",)), ANN)
    second = act(first.state, v.PutUp(tokens=("attack 2", "spell", "defense 2")), ANN, BLADE)
    assert figures(blow(second)) == (500, 400)
    assert hand(second.state).tired == ("attack 2", "spell", "defense 2"), "the first three are rested again"


@pytest.mark.parametrize(
    ("foe", "own", "tokens", "attack", "expected"),
    [
        ("Axieom Asmodeus", "knight", ("attack", "spell"), SPELL, (500, 0)),
        ("Axieom Asmodeus", "knight", ("attack",), SPELL, (500, 4500)),
        ("Axieom Asmodeus", "mage", ("hero", "spell"), SPELL, (750, 18_000)),
        ("Axieom Asmodeus", "mage", ("hero", "spell"), BLADE, (1500, 3500)),
        ("Tin Colossus", "monk", ("hero", "hero 2", "defense"), FURY, (750, 550)),
    ],
)
def test_worked_exchanges(foe: str, own: str, tokens: tuple[str, ...], attack: int, expected: tuple[int, int]) -> None:
    state = begun(ladder(foe), READY[own], rolls=(attack, BLADE))
    event = v.struck(state, hand(state), tokens)
    assert figures(event) == expected
    assert event == blow(FIGHT.apply(state, v.PutUp(tokens=tokens), ANN, SeededDice(b"")))


def test_a_hand_is_the_first_eight_tokens() -> None:
    state = begun(OGRE, many(HAND + 2))
    assert (len(hand(state).deck.tokens), hand(state).health) == (HAND, 800)
    with pytest.raises(RuleError, match="A deck without health"):
        begun(OGRE, deck(*(token(trait(0, 1)) for _ in range(HAND)), token(trait(9))))


def test_without_a_rested_token_one_deals_nothing_and_takes_it_all() -> None:
    state = act(begun(OGRE, simple(900, 10, flags="PR")), v.Play(), ANN, FURY).state
    assert "put-up" not in {legal.name for legal in FIGHT.legal(state)}
    nothing = act(state, v.Play(), ANN, SPELL)
    assert (blow(nothing).tokens, figures(blow(nothing))) == ((), (0, 40))
    assert hand(nothing.state).rested == ("token 1",)


def test_attacks_are_rolled_a_round_ahead_when_a_round_ends() -> None:
    joined = act(FIGHT.begin(v.Setup(boss=OGRE, edition=v.HANDS)), v.Join(deck=many(4)), ANYONE, SPELL, FURY)
    assert [event.attack for event in joined.events if isinstance(event, v.Foretold)] == [Attack.SPELL, Attack.FURY]
    state = act(joined.state, v.Join(deck=many(4)), ANYONE).state
    state = act(state, v.Play(), ANN).state
    assert state.attacks == (Attack.SPELL, Attack.FURY)
    turned = act(state, v.Play(), BEN, BLADE)
    assert turned.state.attacks == (Attack.FURY, Attack.BLADE)
    assert FIGHT.lines(turned.events)[-1] == "Round 3: Blade."
    assert blow(act(turned.state, v.Play(), ANN)).attack is Attack.FURY


def test_three_rounds_without_a_scratch_are_a_stalemate() -> None:
    state = begun(boss(), simple(100), rolls=())
    for _ in range(IDLE_ROUNDS - 1):
        state = act(state, v.Play(), ANN).state
        assert state.ending is None
    assert act(state, v.Play(), ANN).state.ending is Ending.STALEMATE
    hurting = begun(boss(10**6), simple(100, 1), rolls=())
    assert act(hurting, RUN, ANN).state.ending is None, "every other round hurts"


def test_who_is_away_for_a_round_comes_back_to_fury() -> None:
    """Else a member would leave before a Fury that is seen coming, and return after it."""
    state = act(begun(OGRE, many(6), many(6), rolls=(BLADE, FURY)), v.Play(), ANN).state
    state = act(state, v.Play(), BEN, SPELL).state
    state = act(act(state, Leave(), ANN).state, v.Return(), ANN).state
    assert not hand(state).missed, "no round went by"
    away = act(act(state, Leave(), BEN).state, v.Play(), ANN, BLADE).state
    back = act(act(away, v.Return(), BEN).state, v.Play(), ANN).state
    assert (back.attacks[0], back.attack_on(back.turn)) == (Attack.SPELL, Attack.FURY)
    met = act(back, v.Play(), BEN, BLADE)
    assert (blow(met).attack, hand(met.state, BEN).missed) == (Attack.FURY, False)


def test_tokens_rest_by_exchanges_and_not_by_time_away() -> None:
    state = act(begun(OGRE, many(3), many(6)), v.PutUp(tokens=("token 3",)), ANN).state
    state = act(state, Leave(), ANN).state
    for _ in range(2):
        state = act(state, v.Play(), BEN, BLADE).state
    assert hand(act(state, v.Return(), ANN).state).tired == ("token 3",)


def test_who_may_choose() -> None:
    state = begun(OGRE, many(6), many(6))
    seats = {legal.name: legal.seats for legal in FIGHT.legal(state)}
    assert seats["put-up"] == (ANN,)
    assert seats["step"] == (ANN, REFEREE)
    assert seats["round"] == seats["run"] == (REFEREE,)
    for tokens in (("token 1", "token 1"), ("token 7",)):
        with pytest.raises(IllegalActionError):
            act(state, v.PutUp(tokens=tokens), ANN)
    with pytest.raises(IllegalActionError, match="another member's turn"):
        act(state, v.PutUp(tokens=("token 1",)), BEN)
    alone = {legal.name: legal.seats for legal in FIGHT.legal(begun(OGRE, many(6)))}
    assert (alone["round"], alone["run"]) == ((REFEREE,), (ANN, REFEREE)), "alone, a step is a round"


def test_the_log_says_who_struck_for_whom_with_what() -> None:
    state = begun(OGRE, many(2), many(2))
    late = act(state, v.Play(late=True), BEN)
    assert FIGHT.lines(late.events)[1] == (
        "  Member 1 (token 1, token 2; away, so the party strikes): 30 physical to the boss, 4,970 left;"
        " 40 physical back, 160 of 200 left."
    )
    assert not blow(act(state, v.Play(late=True), CLOCK)).absent, "of the clock there is a note"
    assert [event.absent for event in act(state, ROUND, REFEREE, BLADE).events if isinstance(event, v.Struck)] == [
        False
    ] * 2


def plainly_best(state: v.State, member: v.HandMember) -> tuple[str, ...]:
    """Return what the button should put up, as the rules say it."""
    foe = attacking(state.setup.boss, state.attack_on(member))
    by_name = {one.name: one for one in member.deck.tokens}

    def worth(chosen: Iterable[str]) -> Fraction:
        deals, takes = (damage.total for damage in damages(foe, [by_name[name] for name in chosen]))
        return min(deals, state.boss_left) - min(takes, member.left)

    sets = [chosen for size in range(1, MOST + 1) for chosen in combinations(member.rested, size)]
    return max(sets, key=worth, default=())


@settings(deadline=None, max_examples=60)
@given(bosses, decks(most=6).filter(lambda one: one.health > 0), st.integers(1, 3), st.integers(1, 3))
def test_the_button_is_the_best_of_all_sets(foe: Boss, own: Deck, now: int, then: int) -> None:
    rolls = (now, then) if foe.physical_damage and foe.magical_damage else ()
    state = begun(foe, own, rolls=rolls)
    for number in range(3):
        member = state.turn
        if not isinstance(member, v.HandMember):
            break
        assert v.best_tokens(state, member) == plainly_best(state, member)
        state = FIGHT.apply(state, v.Play(), ANN, SeededDice(b"", number)).state


def test_an_edition_is_left_out_where_there_is_none() -> None:
    """Else the hashes of what earlier versions stored would change."""
    assert "edition" not in FIGHT.setups.write_json(v.Setup(boss=OGRE))
    assert not re.search("attacks|idle|edition", FIGHT.states.write_json(FIGHT.begin(v.Setup(boss=OGRE))))


def test_a_campaign_goes_on_with_hands_and_todays_figures() -> None:
    rules = LadderCampaign()
    before = ladder("Gale Wyrm").model_copy(update={"health": 14_000})
    fresh = rules.setup(rules.from_setup(v.Setup(boss=before)), None)
    assert (fresh.boss, fresh.edition) == (ladder("Gale Wyrm"), v.HANDS)
    wounded = rules.setup(rules.from_setup(v.Setup(boss=before, dealt=Fraction(9))), None)
    assert wounded.boss == before, "a wounded one keeps its figures"


def test_ready_hands_have_eight_tokens_that_fit_into_one() -> None:
    assert all(len(own.tokens) == HAND for own in ready_hands())
    assert {token.element for own in ready_hands() for token in own.tokens} == {None, *Element}


def test_three_who_only_press_the_button_beat_the_first_boss_in_7_or_8_exchanges() -> None:
    won, exchanges = measure(ladder("Mossback"), Way.BUTTON, [*parties()][::8])
    assert won == 27
    assert 6.5 < exchanges / won < 8.5


@pytest.mark.statistics
def test_the_ladder_is_harder_rung_by_rung_and_thinking_pays() -> None:
    some = [*parties()][::5]
    button = {name: measure(ladder(name), Way.BUTTON, some)[0] for name in ("Cinder Hound", "Gale Wyrm", "Hollow King")}
    assert button["Cinder Hound"] > button["Gale Wyrm"] > button["Hollow King"] > 0
    assert measure(ladder("Hollow King"), Way.AHEAD, some)[0] > button["Hollow King"]
