"""Presents games of Pig."""

from functools import partial

from bot.battles.presenter import BattlePresenter, PanelContent, Ranked, Steps
from bot.store.battle import Battle
from bot.store.transactions import TransactionHook
from fracas_pig.bot.wins import write_win
from fracas_pig.cards import panel_card
from fracas_pig.rules import SEATS, Event, Pig, State
from sim.core.battle import Outcome
from sim.workers.queue import Caller

_PINK = 0xF783AC


class PigPresenter(BattlePresenter[State, Event], Ranked):
    """Presents the scores, the points of the turn, and the last roll."""

    title = "Pig"
    system = Pig()
    panel_steps = 1

    async def panel(self, battle: Battle, state: State, steps: Steps, caller: Caller | None) -> PanelContent:
        """Return how the game stands."""
        scores = [f"{seat.capitalize()}: **{score}**" for seat, score in zip(SEATS, state.scores, strict=True)]
        if battle.is_open:
            scores.append(f"The {SEATS[state.player]} to roll, {state.pot} in this turn.")
        read = self.system.events.read_all
        lines = [line for step in steps for line in self.log_lines(battle, state, read(step.events))]
        picture = await self.card(panel_card(state, battle.state_json, ()), caller)
        return PanelContent(f"to {state.setup.goal}", "\n".join(scores), "\n".join(lines), _PINK, picture)

    def progress(self, battle: Battle, state: State) -> str:
        """Say which turn it is."""
        return f"at turn {state.turn + 1}" if battle.is_open else "over"

    def transaction_hook(self, battle: Battle, _state: State, outcome: Outcome) -> TransactionHook | None:
        """Count the win with the step that wins."""
        winner_id = battle.holders.get(outcome.winner or "")
        return None if winner_id is None else partial(write_win, guild_id=battle.guild_id or 0, user_id=winner_id)
