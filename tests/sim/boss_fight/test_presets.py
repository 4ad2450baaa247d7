"""The ladder of bosses, fought by every party of three with starter decks: no die is rolled, so it is exact."""

from functools import cache
from itertools import product

import pytest

from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.battle.values import PARTY, Join, Run, Setup, State
from sim.boss_fight.deck_text import parse_deck
from sim.boss_fight.presets import KNOWN_BOSSES, LADDER, STARTER_DECKS, known_boss, next_rung
from sim.boss_fight.values import Boss, Deck
from sim.core.battle import ANYONE, REFEREE
from sim.core.dice import ScriptedDice
from tests.sim.boss_fight.builders import boss

FIGHT = BossFight()
PARTIES = list(product(STARTER_DECKS, repeat=3))
"""All 216 in every order: the first to join begins."""

OWN_DECK = (
    "hero: X, God, Dragon, Mythic, Staff, Master; attack: X, Staff, Mythril, Mythic, Excellent; "
    "defense: X, Full Plate, Mythril, Mythic, Excellent; buff: X, Cornucopia, Mythic, Beginning of Time"
)


def fought(foe: Boss, decks: list[Deck]) -> State:
    state = FIGHT.begin(Setup(boss=foe))
    for deck in decks:
        state = FIGHT.apply(state, Join(deck=deck), ANYONE, ScriptedDice(())).state
    return FIGHT.apply(state, Run(), REFEREE, ScriptedDice(())).state


@cache
def fights(foe: Boss) -> list[State]:
    decks = {starter.key: parse_deck(starter.text) for starter in STARTER_DECKS}
    return [fought(foe, [decks[starter.key] for starter in party]) for party in PARTIES]


def exchanges(state: State) -> int:
    return sum(member.hits for member in state.members)


def test_the_first_fight_of_three_lasts_5_to_10_exchanges_and_is_won() -> None:
    states = fights(LADDER[0])
    assert len(states) == 216
    assert {state.winner for state in states} == {PARTY}
    assert (min(map(exchanges, states)), max(map(exchanges, states))) == (5, 10)
    falls = sum(any(member.fallen for member in state.members) for state in states)
    assert 0 < falls < len(states), "some fall, most don't"


def test_every_rung_falls_to_fewer_parties() -> None:
    won = [sum(state.winner == PARTY for state in fights(foe)) for foe in LADDER]
    assert won == [216, 215, 175, 88, 32, 0, 0]


@pytest.mark.parametrize("foe", LADDER[-2:])
def test_the_last_rungs_fall_to_decks_of_ones_own(foe: Boss) -> None:
    assert fought(foe, [parse_deck(OWN_DECK)] * 3).winner == PARTY


def test_starter_decks_deal_alike_to_a_plain_boss() -> None:
    dealt = [fought(boss(1), [parse_deck(starter.text)]).members[0].to_boss.total for starter in STARTER_DECKS]
    assert all(1000 <= damage <= 2000 for damage in dealt)


def test_starter_decks_fit_into_a_list() -> None:
    assert len({starter.key for starter in STARTER_DECKS}) == len(STARTER_DECKS) <= 25
    assert all(max(len(starter.name), len(starter.line)) <= 100 for starter in STARTER_DECKS)


def test_every_boss_is_found_by_name_and_speaks() -> None:
    assert all(known_boss(foe.name.upper()) is foe for foe in KNOWN_BOSSES)
    assert known_boss("Moss") is None
    assert all(foe.entry and foe.half and foe.fall for foe in LADDER if foe.name != "Axieom Asmodeus")


def test_the_ladder_goes_up() -> None:
    assert [foe.level for foe in LADDER] == list(range(1, len(LADDER) + 1))
    assert [next_rung(foe) for foe in LADDER] == [*LADDER[1:], None]
    assert next_rung(KNOWN_BOSSES[-1]) is None, "Inu Dogemon isn't on it"
