"""Presents live battles with dice, and reads their setups."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from bot.battles.clock.timetable import Timed, Timetable
from bot.battles.presenter import (
    BattlePresenter,
    HasForms,
    HasRematches,
    HidesInformation,
    Offer,
    PanelContent,
    PlayedByBot,
    Rematch,
)
from bot.client import Interaction
from bot.games.axis_allies.casualty_picker import casualty_view
from bot.games.axis_allies.render.battle import battle_content, event_lines, own_army
from bot.store.battles.battle import Battle
from bot.ui.interactions import reply
from bot.ui.text import Picture
from sim.axis_allies.advice_reports import LuckReport
from sim.axis_allies.battle.cards import CARD_SECONDS, panel_card
from sim.axis_allies.battle.requests import luck_request, odds_from_here
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import MANUAL, CasualtyPolicy, Event, Phase, Setup, State
from sim.axis_allies.editions import DEFAULT
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.parse import parse_question
from sim.core.battle import ANYONE, Seat
from sim.core.errors import RuleError
from sim.core.journal import NOTES, Entry, JournalRow
from sim.core.values import Side
from sim.workers import Caller, Job

POLICY_NAMES: dict[CasualtyPolicy, str] = {
    "score": "Lowest score first",
    "lives-first": "Damage ships first, then lowest score",
    "smart": "Smart: the order that wins most often",
    "thrifty": "Thrifty: the order with the best IPC swing",
    MANUAL: "By hand: both sides choose in secret",
}

RULES = DiceBattle()
R = TypeVar("R")


class DiceBattlePresenter(
    BattlePresenter[State, Event],
    Timed[State],
    HasForms[State],
    HasRematches[State],
    HidesInformation[State],
    PlayedByBot,
):
    """Presents live battles with dice."""

    title = "Axis & Allies"
    sides = (Side.ATTACKER.value, Side.DEFENDER.value)
    bot_actions = frozenset({"fire", "run-out"})
    time_up = "the losses are chosen by default"
    system = RULES

    async def panel(
        self, battle: Battle, state: State, steps: Sequence[JournalRow], caller: Caller | None
    ) -> PanelContent:
        """Return armies and dice, with the odds from here while it goes on and the luck of both sides at the end."""
        visible = _visible(battle, state)
        picture = await self._card(battle, visible, steps, caller)
        odds = await self._odds(battle, visible, picture, caller)
        luck = await self._luck(battle, visible, picture, caller)
        events = [event for step in steps for event in _visible_events(battle, state, self.read_events(step.events))]
        return battle_content(visible, events, odds, luck, picture)

    async def _card(
        self, battle: Battle, visible: State, steps: Sequence[JournalRow], caller: Caller | None
    ) -> Picture | None:
        if visible.hidden:
            return None
        events = [step.events_json for step in steps]
        return await self.card(panel_card(visible, battle.state_json, events), caller)

    def timetable(self, state: State) -> Timetable | None:
        """Return the usual time to choose losses, and no limit for a round to begin."""
        return Timetable() if state.phase is Phase.READY else None

    def time_up_text(self, state: State) -> str:
        """Return that the next round begins, or who chooses the losses."""
        return "the next round is fought" if state.phase is Phase.READY else self.time_up

    def progress(self, battle: Battle, state: State) -> str:
        """Say which round it is."""
        if not battle.is_open:
            return "over"
        return f"at round {state.round}" if state.round else "before round 1"

    def log_lines(self, battle: Battle, state: State, events: tuple[Event, ...]) -> list[str]:
        """Return a step's log; in the fog without units and dice."""
        visible = _visible_events(battle, state, events)
        if _visible(battle, state).hidden:
            return [line.replace("*", "") for line in event_lines(visible)]
        return RULES.lines(visible)

    def hidden_rows(self, _battle: Battle, state: State, entries: Sequence[Entry]) -> int | None:
        """Hide the picked losses until both sides have picked, in the fog everything."""
        moves = [entry for entry in entries if entry.kind not in NOTES]
        actions = (None if entry.action is None else RULES.actions.read(entry.action) for entry in reversed(moves))
        hidden = RULES.hidden_rows(state, actions)
        return len(entries) - moves[-hidden].n + 1 if hidden else hidden  # with the notes in between

    def rematch(self, again: Rematch, _battle: Battle, _state: State, *, swap: bool) -> Rematch:
        """Swap how losses are chosen together with the sides, as the bot never chooses; by today's rules."""
        setup: Setup = again.setup
        return replace(again, setup=setup.renewed(swap=swap))

    async def ask(self, interaction: Interaction, offer: Offer[State], seat: Seat) -> bool:
        """Let a side choose its losses."""
        view = casualty_view(offer.battle, offer.state, Side(seat), None)
        await reply(interaction, view)
        return True

    def private_text(self, battle: Battle, state: State, seats: Sequence[Seat]) -> str | None:
        """Return the own army in the fog."""
        if not _visible(battle, state).hidden:
            return None
        own = [own_army(_visible(battle, state, side), side) for side in Side if side in seats]
        return "\n".join(own) or None

    async def _odds(
        self, battle: Battle, state: State, picture: Picture | None, caller: Caller | None
    ) -> OddsReport | None:
        """Return the odds from here, unless the picture shows them."""
        if not battle.is_open or state.hidden:
            return None
        return await self._answer(odds_from_here(state), picture, caller)

    async def _luck(
        self, battle: Battle, state: State, picture: Picture | None, caller: Caller | None
    ) -> LuckReport | None:
        """Return the luck of a result, unless the picture shows it."""
        return None if battle.is_open else await self._answer(luck_request(state), picture, caller)

    async def _answer(self, request: Job[R] | None, picture: Picture | None, caller: Caller | None) -> R | None:
        if request is None or (picture is not None and request.cost() <= CARD_SECONDS):
            return None
        try:
            return await self._bot.simulator.run(request, caller)
        except RuleError:
            return None  # too busy, or too large: the battle is shown without it


def read_setup(
    text: str,
    casualties: str | None,
    bots: Sequence[Side],
    *,
    fog: bool,
    default: str = DEFAULT,
    edition: str | None = None,
) -> Setup:
    """Read a battle's setup; RuleError, TextError with the position.

    `casualties`: how both sides lose, None as the text or else the edition says; the bot never chooses by hand.
    `default`, `edition`: as in `parse_question`.
    """
    policy = next((method for method in POLICY_NAMES if method == casualties), None)
    if policy is None and casualties is not None:
        raise RuleError(f"Choose losses by one of these: {', '.join(map(str, POLICY_NAMES))}.")
    question = parse_question(text, default, edition)
    policies: dict[Side, CasualtyPolicy | None] = dict.fromkeys(Side, policy)
    if policy == MANUAL:
        policies |= dict.fromkeys(bots, question.book.rules.casualties)
    return Setup.of(question, policies, fog=fog)


def _visible(battle: Battle, state: State, seat: Seat = ANYONE) -> State:
    """Return what `seat` may see: of a closed battle everything."""
    return RULES.visible_state(state, seat) if battle.is_open else state


def _visible_events(battle: Battle, state: State, events: tuple[Event, ...]) -> tuple[Event, ...]:
    return RULES.visible_events(state, events, ANYONE) if battle.is_open else events
