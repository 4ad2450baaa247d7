"""`/mfd start`: the face of battles between two rosters."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import discord

from bot.battles.presenter import BattlePresenter
from bot.battles.render import PanelContent
from bot.client import Client, Interaction
from bot.games.marked_for_death.changing import ChangeHandler
from bot.games.marked_for_death.fighters import AMEND, PULL_OUT, fighter_fields, fighter_lists, read_amend
from bot.games.marked_for_death.render.battle import MOST_ROUNDS as MOST_SHOWN_ROUNDS
from bot.games.marked_for_death.render.battle import battle_shown
from bot.store.battles.battle import Battle
from bot.ui.modals import text_field
from sim.core.battle import AnySystem, LegalAction, Seat
from sim.core.csv_cells import read_whole
from sim.core.errors import RuleError
from sim.core.journal import Entry
from sim.marked_for_death.battle import MAX_ROUNDS, Amend, Event, RosterBattle, Run, State, current_roster
from sim.marked_for_death.export import roster_csv
from sim.marked_for_death.run import FINAL_FILES
from sim.workers import Caller

_MOST_DIGITS = 6


class RosterBattlePresenter(BattlePresenter):
    """Shows battles between rosters."""

    title = "Marked for Death"
    system: AnySystem = RosterBattle()

    def __init__(self, bot: Client, change: ChangeHandler) -> None:
        super().__init__(bot)
        self._change = change

    async def show(self, battle: Battle, entries: Sequence[Entry], _caller: Caller | None) -> PanelContent:
        """Return both sides and what happened last."""
        state = self._state(battle)
        content = battle_shown(state, self._latest(entries))
        return (
            content if battle.is_open or state.ending is not None else replace(content, title=f"ended, {content.title}")
        )

    def progress(self, battle: Battle) -> str:
        """Say which round it is."""
        if not battle.is_open:
            return "over"
        state = self._state(battle)
        return f"at round {state.round}" if state.round else "before round 1"

    def lines(self, _battle: Battle, entry: Entry) -> list[str]:
        """Return a row's log."""
        return self.system.lines(tuple(self.system.events.read(event) for event in entry.events))

    async def files(self, battle: Battle, _entries: Sequence[Entry], _caller: Caller | None) -> dict[str, bytes]:
        """Return both rosters as they stand, to go on from."""
        state = self._state(battle)
        return {name: roster_csv(current_roster(state, camp)) for camp, name in FINAL_FILES.items()}

    async def ask(self, interaction: Interaction, battle: Battle, choice: LegalAction[Any], _seat: Seat) -> bool:
        """Ask for a changed roster, or which fighter; the number of rounds is asked for in a form."""
        match choice.name:
            case "reinforce":
                await self._change.open(interaction, battle)
            case name if name in {AMEND, PULL_OUT}:
                view = fighter_lists(battle, self._state(battle), choice.name)
                await interaction.response.send_message(view=view, ephemeral=True)
            case _:
                return False
        return True

    async def fields(
        self, _battle: Battle, choice: LegalAction[Any], values: Mapping[str, str], _user_id: int
    ) -> Sequence[discord.ui.Label[Any]]:
        """Ask how many rounds are to be fought, or for a fighter."""
        if choice.name == AMEND:
            return fighter_fields(values)
        hint = f"1 to {MAX_ROUNDS}; it stops earlier when a side is gone"
        return [text_field("rounds", "Rounds", values.get("rounds"), max_length=_MOST_DIGITS, hint=hint)]

    async def read(
        self,
        _interaction: Interaction,
        _battle: Battle,
        choice: LegalAction[Any],
        values: Mapping[str, str],
    ) -> Run | Amend:
        """Read how many rounds are to be fought, or the fighter."""
        if choice.name == AMEND:
            return read_amend(values)
        try:
            rounds = read_whole(values.get("rounds", "").strip())
        except ValueError as error:
            raise RuleError(f"Rounds: {error}.") from None
        if not 1 <= rounds <= MAX_ROUNDS:
            raise RuleError(f"Rounds: from 1 to {MAX_ROUNDS} can be fought at once.")
        return Run(rounds=rounds)

    def _latest(self, entries: Sequence[Entry]) -> list[Event]:
        """Read what the panel tells of: the events of the last rounds, not those of a whole war."""
        events = [event for entry in entries for event in entry.events if isinstance(event, dict)]
        starts = [at for at, event in enumerate(events) if event.get("event") == "round"][-MOST_SHOWN_ROUNDS:]
        return [self.system.events.read(event) for event in events[starts[0] if starts else 0 :]]

    def _state(self, battle: Battle) -> State:
        state: State = self.state(battle)
        return state
