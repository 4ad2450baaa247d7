"""The card of a live battle: the odds before it, the dice of a round, and at the end how it went."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from typing_extensions import override

from sim.axis_allies.advice_reports import LuckReport
from sim.axis_allies.army import Army, army_words
from sim.axis_allies.battle.log import log_lines
from sim.axis_allies.battle.pictures import result_card, round_card
from sim.axis_allies.battle.rules import DiceBattle, luck_request
from sim.axis_allies.battle.values import Ended, Event, Phase, RoundBegan, State
from sim.axis_allies.cards import odds_card
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.units import Category
from sim.axis_allies.withdrawal import NEVER, Withdrawal
from sim.core.cards.card import Card
from sim.core.cards.requests import CardRequest
from sim.core.cards.values import Chances, decisive_round
from sim.core.errors import RuleError
from sim.core.numbers import amount
from sim.core.values import Side

if TYPE_CHECKING:
    from sim.axis_allies.odds.terms import Terms

CARD_SECONDS = 0.1
"""The most for one calculation, estimated; a card leaves out what takes longer."""

_MAX_ROUNDS = 12
"""Rounds at the end of a battle whose chances are worked out."""


class BattleCardRequest(CardRequest):
    """Draws the card of a battle from its stored state and its events, as JSON; nothing of them may be hidden."""

    max_seconds = 2.0

    state_json: str
    events_json: tuple[str, ...]

    @override
    def draw(self) -> Card:
        rules = DiceBattle()
        state: State = rules.states.read_json(self.state_json)
        events: list[Event] = [rules.events.read(event) for text in self.events_json for event in json.loads(text)]
        if state.phase is Phase.OVER:
            return self._result(state, events)
        odds = self._odds(odds_from_here(state))
        began = next((event for event in reversed(events) if isinstance(event, RoundBegan)), None)
        fought = events if began is None or began.number == 1 else events[events.index(began) :]
        if odds is None and not fought and self.engines:
            raise RuleError("These armies are too large for a card of their odds.")
        if odds is None or fought:
            before = None if odds is None or began is None else self._odds(_odds_before(state, began))
            card = round_card(state, began, fought, _chances(before), _chances(odds))
            card.alt = " ".join(_round_words(state, fought, odds))
        else:
            card = odds_card(odds)
            card.alt = " ".join([*_army_words(state), f"{odds.chances_text()}."])
        return card

    def _result(self, state: State, events: Sequence[Event]) -> Card:
        luck = _luck(state) if self.engines else None
        course = self._course(state, [event for event in events if isinstance(event, RoundBegan)])
        card = result_card(state, course, luck)
        ended = [event for event in events if isinstance(event, Ended)]
        card.alt = " ".join(_result_words(state, ended, course, luck))
        return card

    def _course(self, state: State, rounds: Sequence[RoundBegan]) -> tuple[Chances, ...]:
        """Return both sides' chances at the beginning of each round and at the end; empty if they take long."""
        if not 0 < len(rounds) <= _MAX_ROUNDS:
            return ()
        known = [_chances(self._odds(_odds_before(state, began))) for began in rounds]
        course = tuple(chances for chances in known if chances is not None)
        end = (float(state.winner is Side.ATTACKER), float(state.winner is Side.DEFENDER))
        return (*course, end) if len(course) == len(known) else ()

    def _odds(self, request: OddsRequest | None) -> OddsReport | None:
        """Return the odds; None if they take long, or if there is no engine to find them."""
        return request.run() if self.engines and request is not None and request.cost() <= CARD_SECONDS else None


def panel_card(_state: State, state_json: str, events_json: Sequence[str]) -> BattleCardRequest:
    """Return the card of a battle, see `sim.jobs.battle`."""
    return BattleCardRequest(state_json=state_json, events_json=tuple(events_json))


class OddsFromHere(OddsRequest):
    """The odds in the middle of a battle: antiaircraft guns and ships have fired."""

    @override
    def terms(self, stop_after: int | None = None, withdrawal: Withdrawal = NEVER) -> "Terms":
        return replace(super().terms(stop_after, withdrawal), guns=0, bombardment=())


def odds_from_here(state: State) -> OddsRequest | None:
    """Return the request for the odds from here; None while losses are due, and if the armies can't fight on."""
    if state.phase is not Phase.READY:
        return None
    return _later(state, state.attacker, state.defender) if state.round else _first(state)


def _odds_before(state: State, began: RoundBegan) -> OddsRequest | None:
    """Return the same before a round, of the first before everything that comes before it."""
    return _first(state) if began.number == 1 else _later(state, began.attacker, began.defender)


def _first(state: State) -> OddsRequest | None:
    setup = state.setup
    try:
        return OddsRequest(attacker=setup.attacker, defender=setup.defender, **setup.terms)
    except RuleError:
        return None


def _later(state: State, attacker: Army, defender: Army) -> OddsRequest | None:
    terms = state.setup.terms
    terms |= {"bombard": Army(), "landing": None, "must_take": terms["must_take"] and attacker.has(Category.LAND)}
    try:
        return OddsFromHere(attacker=attacker, defender=defender, **terms) if attacker and defender else None
    except RuleError:
        return None


def _chances(odds: OddsReport | None) -> Chances | None:
    return None if odds is None else (odds.p_attacker, odds.p_defender)


def _luck(state: State) -> LuckReport | None:
    try:
        request = luck_request(state)
        return request.run() if request is not None and request.cost() <= CARD_SECONDS else None
    except RuleError:
        return None


def _army_words(state: State) -> Iterable[str]:
    """Yield both armies, for people who can't see the card."""
    for side in Side:
        yield f"{side.capitalize()}: {army_words(state.army(side)) or 'nobody left'}."


def _round_words(state: State, fought: Sequence[Event], odds: OddsReport | None) -> Iterable[str]:
    if odds is not None:
        yield f"From here: {odds.chances_text()}."
    yield from _army_words(state)
    yield from (f"{line.strip().rstrip('.')}." for line in log_lines(fought))


def _result_words(
    state: State, ended: Sequence[Ended], course: Sequence[Chances], luck: LuckReport | None
) -> Iterable[str]:
    yield from log_lines(ended[-1:]) or ["Stalemate: neither side can hit the other."]
    for side in Side:
        lost = state.setup.army(side).ipc - state.army(side).ipc
        if lost:
            yield f"The {side} lost {amount(lost, 1)} IPC."
    if luck is not None:
        yield f"{luck.words()}."
    if decisive := decisive_round(course):
        yield f"Round {decisive} decided it."
