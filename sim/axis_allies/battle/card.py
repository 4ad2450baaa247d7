"""The card of a live battle: the odds before it, the dice of a round, and at the end how it went.

Pillow and NumPy are imported in `run` only: the process that asks for a card must not load them.
"""

import json
from collections.abc import Iterable, Sequence

from sim.axis_allies.advice_reports import LuckReport
from sim.axis_allies.army import Army, army_words
from sim.axis_allies.battle.log import log_lines
from sim.axis_allies.battle.rules import DiceBattle, luck_request
from sim.axis_allies.battle.values import Ended, Event, Phase, RoundBegan, State
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.requests import OddsRequest
from sim.core.cards.values import Chances, DrawnCard, decisive_round
from sim.core.errors import RuleError
from sim.core.numbers import amount
from sim.core.values import Request, Side

CARD_SECONDS = 0.1
"""The most for one calculation, estimated; a card leaves out what takes longer."""

_MAX_ROUNDS = 12
"""Rounds at the end of a battle whose chances are worked out."""


class BattleCardRequest(Request):
    """Draws the card of a battle from its stored state and its events, as JSON; nothing of them may be hidden."""

    max_seconds = 2.0

    state_json: str
    events_json: tuple[str, ...]

    def run(self) -> DrawnCard:
        """Return the card."""
        from sim.axis_allies.battle.pictures import result_card, round_card  # noqa: PLC0415
        from sim.axis_allies.odds_card import odds_card  # noqa: PLC0415

        rules = DiceBattle()
        state: State = rules.states.read_json(self.state_json)
        events: list[Event] = [rules.events.read(event) for text in self.events_json for event in json.loads(text)]
        if state.phase is Phase.OVER:
            luck = _luck(state)
            course = _course(state, [event for event in events if isinstance(event, RoundBegan)])
            data = result_card(state, course, luck)
            ended = [event for event in events if isinstance(event, Ended)]
            return DrawnCard(data=data, alt=" ".join(_result_words(state, ended, course, luck)))
        odds = _odds(state, state.attacker, state.defender) if state.phase is Phase.READY else None
        began = next((event for event in reversed(events) if isinstance(event, RoundBegan)), None)
        if began is not None:
            before = None if odds is None else _odds(state, began.attacker, began.defender)
            fought = events[events.index(began) :]
            data = round_card(state, began, fought, _chances(before), _chances(odds))
            return DrawnCard(data=data, alt=" ".join(_round_words(state, fought, odds)))
        if odds is None:
            raise RuleError("These armies are too large for a card of their odds.")
        return DrawnCard(data=odds_card(odds), alt=" ".join([*_army_words(state), f"{odds.chances_text()}."]))


def odds_request(state: State, attacker: Army, defender: Army) -> OddsRequest | None:
    """Return the request for the odds of these armies from here; None if they can't fight on."""
    if not attacker or not defender:
        return None
    try:
        return OddsRequest(
            attacker=attacker,
            defender=defender,
            attacker_casualties=state.setup.casualties_of(Side.ATTACKER),
            defender_casualties=state.setup.casualties_of(Side.DEFENDER),
        )
    except RuleError:
        return None


def _odds(state: State, attacker: Army, defender: Army) -> OddsReport | None:
    request = odds_request(state, attacker, defender)
    return request.run() if request is not None and request.cost() <= CARD_SECONDS else None


def _chances(odds: OddsReport | None) -> Chances | None:
    return None if odds is None else (odds.p_attacker, odds.p_defender)


def _course(state: State, rounds: Sequence[RoundBegan]) -> tuple[Chances, ...]:
    """Return both sides' chances at the beginning of each round and at the end; empty if they take long."""
    if not 0 < len(rounds) <= _MAX_ROUNDS:
        return ()
    known = [_chances(_odds(state, began.attacker, began.defender)) for began in rounds]
    course = tuple(chances for chances in known if chances is not None)
    end = (float(state.winner is Side.ATTACKER), float(state.winner is Side.DEFENDER))
    return (*course, end) if len(course) == len(known) else ()


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
