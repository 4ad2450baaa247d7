"""How often ready hands win, by how they are played: all parties of three against a boss, each with dice of its own."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from itertools import product
from math import inf

from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.battle.values import HANDS, Action, Chosen, HandMember, Join, PutUp, Setup, State, TakeStep
from sim.boss_fight.form_text import parse_deck
from sim.boss_fight.hands import MOST, Attack, set_table
from sim.boss_fight.tables import STARTER_DECKS
from sim.boss_fight.values import Boss, Deck, Token
from sim.core.battle import ANYONE
from sim.core.dice import SeededDice
from sim.core.values import Frozen

_FIGHT = BossFight()


class Way(StrEnum):
    """A way to choose tokens: as many as possible from the first on, by the button, or with the next attack in mind."""

    EVERYTHING = "everything"
    BUTTON = "button"
    AHEAD = "ahead"


class WayReport(Frozen):
    """How many of `fights` were won, and all their exchanges."""

    won: int
    fights: int
    exchanges: int


@cache
def ready_hands() -> tuple[Deck, ...]:
    """Return the ready hands."""
    return tuple(parse_deck(deck.text) for deck in STARTER_DECKS)


def parties(size: int = 3) -> Iterator[tuple[Deck, ...]]:
    """Yield all parties of ready hands, in every order: the first to join begins."""
    return product(ready_hands(), repeat=size)


def measure(boss: Boss, way: Way, decks: Sequence[Sequence[Deck]], seed: bytes = b"") -> WayReport:
    """Return how parties fare against a boss."""
    ends = [fight(boss, way, party, seed + at.to_bytes(4, "big")) for at, party in enumerate(decks)]
    won = sum(end.winner == "party" for end in ends)
    return WayReport(won=won, fights=len(ends), exchanges=sum(end.exchanges for end in ends))


def fight(boss: Boss, way: Way, party: Sequence[Deck], seed: bytes) -> State:
    """Return the end of a fight."""
    state, number = _FIGHT.begin(Setup(boss=boss, edition=HANDS)), 0
    for deck in party:
        number += 1
        state = _FIGHT.apply(state, Join(deck=deck), ANYONE, SeededDice(seed, number)).state
    while isinstance(member := state.turn, HandMember):
        number += 1
        state = _FIGHT.apply(state, _action(way, state, member), member.seat, SeededDice(seed, number)).state
    return state


def _action(way: Way, state: State, member: HandMember) -> Action:
    chosen: Chosen = ()
    if way is Way.EVERYTHING:
        chosen = member.rested[:MOST]
    elif way is Way.AHEAD:
        chosen = _ahead(state, member)
    return PutUp(tokens=chosen) if chosen else TakeStep()


def _ahead(state: State, member: HandMember) -> Chosen:
    """Return the rested tokens with the most worth in this exchange and in the next one, by whatever is rested then.

    Worth is damage dealt less half of that taken: a party has more health than its boss.
    """
    boss, tokens = state.setup.boss, member.deck.tokens
    now, then = (_figures(boss, attack, tokens) for attack in (state.attack_on(member), state.next_attack))
    boss_left, left = float(state.boss_left), float(member.left)
    tired = sum(1 << at for at, token in enumerate(tokens) if token.name in member.tired)
    best, most = 0, -inf
    for bits, deals, takes in now:
        if bits & tired:
            continue
        worth = min(deals, boss_left) - min(takes, left) / 2
        boss_then, left_then = boss_left - deals, left - takes
        if boss_then > 0 and left_then > 0:
            follow = (min(d, boss_then) - min(t, left_then) / 2 for other, d, t in then if not other & bits)
            worth += max(follow, default=0)
        if worth > most:
            best, most = bits, worth
    return tuple(token.name for at, token in enumerate(tokens) if best >> at & 1)


@cache
def _figures(boss: Boss, attack: Attack, tokens: tuple[Token, ...]) -> list[tuple[int, float, float]]:
    """Return the bits of each set, and what it deals and takes."""
    table = set_table(boss, attack, tokens)
    return [(one.bits, one.deals / 4, one.takes / (1 << table.power)) for one in table.sets]
