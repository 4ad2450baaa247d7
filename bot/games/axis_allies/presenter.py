"""Presents live battles with dice, and reads their setups."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.battles.presenter import BattlePresenter
from bot.battles.render import PanelContent
from bot.client import Interaction
from bot.games.axis_allies.casualty_picker import casualty_view
from bot.games.axis_allies.render.battle import battle_panel, event_lines, own_army
from bot.store.battles.battle import Battle
from sim.axis_allies.battle.rules import DiceBattle, luck_request
from sim.axis_allies.battle.values import MANUAL, CasualtyPolicy, Event, Phase, Setup, State
from sim.axis_allies.parse import parse_battle
from sim.axis_allies.reports import LuckReport, OddsReport
from sim.axis_allies.requests import OddsRequest
from sim.core.battle import ANYONE, AnySystem, LegalAction, Seat
from sim.core.errors import RuleError
from sim.core.journal import Entry
from sim.core.outcomes import Side
from sim.workers import Caller

POLICY_NAMES: dict[CasualtyPolicy, str] = {
    "score": "By score: the lowest first",
    "smart": "Smart: lives, then the cheapest loss; keeps what is needed",
    MANUAL: "By hand: each side chooses, hidden until both have",
}

RULES = DiceBattle()


class DiceBattlePresenter(BattlePresenter):
    """Shows live battles with dice."""

    title = "Axis & Allies"
    bot_plays = frozenset({"fire", "run-out"})
    system: AnySystem = RULES

    async def show(self, battle: Battle, entries: Sequence[Entry], caller: Caller | None) -> PanelContent:
        """Return armies and dice, with the odds from here while it goes on and the luck of both sides at the end."""
        state = self._visible(battle)
        odds = await self._odds(battle, state, caller)
        luck = await self._luck(battle, state, caller)
        events = [event for entry in entries for event in self._events(battle, entry)]
        content = battle_panel(state, events, odds, luck)
        if battle.is_open or state.phase is Phase.OVER:
            return content
        return replace(content, title=f"ended, {content.title}")

    def progress(self, battle: Battle) -> str:
        """Say which round it is."""
        state = self._state(battle)
        if not battle.is_open:
            return "over"
        return f"at round {state.round}" if state.round else "before round 1"

    def lines(self, battle: Battle, entry: Entry) -> list[str]:
        """Return a row's log; in the fog without units and dice."""
        events = self._events(battle, entry)
        if self._visible(battle).hidden:
            return [line.replace("*", "") for line in event_lines(events)]
        return RULES.lines(events)

    def withheld(self, battle: Battle, entries: Sequence[Entry]) -> int | None:
        """Hold back the choices that are hidden still, in the fog everything."""
        actions = (None if entry.action is None else RULES.actions.read(entry.action) for entry in reversed(entries))
        return RULES.hidden_rows(self._state(battle), actions)

    async def ask(self, interaction: Interaction, battle: Battle, _choice: LegalAction[Any], seat: Seat) -> bool:
        """Let a side choose its losses."""
        view = casualty_view(battle, self._state(battle), Side(seat), None)
        await interaction.response.send_message(view=view, ephemeral=True)
        return True

    def secret(self, battle: Battle, seats: Sequence[Seat]) -> str | None:
        """Return the own army in the fog."""
        if not self._visible(battle).hidden:
            return None
        own = [own_army(self._visible(battle, side), side) for side in Side if side in seats]
        return "\n".join(own) or None

    def _state(self, battle: Battle) -> State:
        state: State = self.state(battle)
        return state

    def _visible(self, battle: Battle, seat: Seat = ANYONE) -> State:
        """Return what `seat` may see: of a closed battle everything."""
        state = self._state(battle)
        return RULES.visible_state(state, seat) if battle.is_open else state

    def _events(self, battle: Battle, entry: Entry) -> tuple[Event, ...]:
        events = tuple(map(RULES.events.read, entry.events))
        return RULES.visible_events(self._state(battle), events, ANYONE) if battle.is_open else events

    async def _odds(self, battle: Battle, state: State, caller: Caller | None) -> OddsReport | None:
        if state.phase is not Phase.READY or not battle.is_open or state.hidden:
            return None
        try:
            request = OddsRequest(
                attacker=state.attacker,
                defender=state.defender,
                attacker_casualties=_by_rule(state.setup.attacker_losses),
                defender_casualties=_by_rule(state.setup.defender_losses),
            )
            return await self._bot.simulator.run(request, caller)
        except RuleError:
            return None  # too busy, or too large: the battle is shown without them

    async def _luck(self, battle: Battle, state: State, caller: Caller | None) -> LuckReport | None:
        if battle.is_open or (request := luck_request(state)) is None:
            return None
        try:
            return await self._bot.simulator.run(request, caller)
        except RuleError:
            return None  # the same; the dice are counted anyway


def read_setup(text: str, casualties: str, bots: Sequence[Side], *, fog: bool) -> Setup:
    """Read a battle's setup; RuleError, TextError with the position. The bot's losses are by score."""
    policy = next((method for method in POLICY_NAMES if method == casualties), None)
    if policy is None:
        raise RuleError(f"Losses are chosen by one of these: {', '.join(map(str, POLICY_NAMES))}.")
    armies = parse_battle(text)
    methods = {side: "score" if side in bots and policy == MANUAL else policy for side in Side}
    return Setup(
        attacker=armies[Side.ATTACKER],
        defender=armies[Side.DEFENDER],
        attacker_losses=methods[Side.ATTACKER],
        defender_losses=methods[Side.DEFENDER],
        fog=fog,
    )


def _by_rule(policy: CasualtyPolicy) -> Any:  # noqa: ANN401  # a method or an order, as the odds have it
    return "score" if policy == MANUAL else policy
