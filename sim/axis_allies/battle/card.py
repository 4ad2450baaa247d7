"""The card of a live battle: the odds before it, the dice of a round, and at the end how it went.

Pillow and NumPy are imported in `run` only: the process that asks for a card must not load them.
"""

import json
from collections.abc import Sequence
from itertools import pairwise

from sim.axis_allies.army import Army
from sim.axis_allies.battle.rules import DiceBattle, luck_request
from sim.axis_allies.battle.values import Event, Phase, RoundBegan, State
from sim.axis_allies.reports import LuckReport, OddsReport
from sim.axis_allies.requests import OddsRequest
from sim.core.cards.values import DrawnCard
from sim.core.errors import RuleError
from sim.core.values import Request, Side

_ODDS_SECONDS = 0.1
"""The most for one calculation of odds, estimated; where they take longer, the card is drawn without."""

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
            chances = _course(state, [event for event in events if isinstance(event, RoundBegan)])
            decisive = decisive_round(chances)
            data = result_card(state, chances, decisive, luck)
            return DrawnCard(data=data, alt=_result_alt(state, decisive, luck))
        odds = _odds(state, state.attacker, state.defender) if state.phase is Phase.READY else None
        began = next((event for event in reversed(events) if isinstance(event, RoundBegan)), None)
        if began is not None:
            before = None if odds is None else _odds(state, began.attacker, began.defender)
            data = round_card(state, began, events[events.index(began) :], _chance(before), _chance(odds))
            return DrawnCard(data=data, alt=f"Round {began.number}. {'' if odds is None else _odds_alt(odds)}".strip())
        if odds is None:
            raise RuleError("These armies are too large for a card of their odds.")
        return DrawnCard(data=odds_card(odds), alt=_odds_alt(odds))


def _odds(state: State, attacker: Army, defender: Army) -> OddsReport | None:
    """Return the odds of these armies from here; None if there are none, or if they take long."""
    if not attacker or not defender:
        return None
    try:
        request = OddsRequest(
            attacker=attacker,
            defender=defender,
            attacker_casualties=state.setup.casualties_of(Side.ATTACKER),
            defender_casualties=state.setup.casualties_of(Side.DEFENDER),
        )
        return request.run() if request.cost() <= _ODDS_SECONDS else None
    except RuleError:
        return None


def _chance(odds: OddsReport | None) -> float | None:
    return None if odds is None else odds.p_attacker


def _course(state: State, rounds: Sequence[RoundBegan]) -> list[float]:
    """Return the attacker's chance at the beginning of each round and at the end; empty if they take long."""
    if not 0 < len(rounds) <= _MAX_ROUNDS:
        return []
    chances = [_chance(_odds(state, began.attacker, began.defender)) for began in rounds]
    known = [chance for chance in chances if chance is not None]
    return [*known, 1.0 if state.winner is Side.ATTACKER else 0.0] if len(known) == len(chances) else []


def decisive_round(chances: Sequence[float]) -> int:
    """Return the number of the round that moved the chances most; 0 if they aren't known."""
    moves = [abs(after - before) for before, after in pairwise(chances)]
    return moves.index(max(moves)) + 1 if moves else 0


def _luck(state: State) -> LuckReport | None:
    try:
        request = luck_request(state)
        return request.run() if request is not None and request.cost() <= _ODDS_SECONDS else None
    except RuleError:
        return None


def _odds_alt(odds: OddsReport) -> str:
    return ", ".join(f"{name} {odds.percent(name)}" for name in odds.outcomes_by_name) + "."


def _result_alt(state: State, decisive: int, luck: LuckReport | None) -> str:
    who = "Nobody wins" if state.winner is None else f"The {state.winner} wins"
    parts = [f"{who} after {state.round} rounds."]
    if luck is not None:
        parts.append(f"The attacker had more luck than in {luck.attacker_luck:.0f}% of such battles.")
    if decisive:
        parts.append(f"Round {decisive} decided it.")
    return " ".join(parts)
