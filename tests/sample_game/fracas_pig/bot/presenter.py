"""Shows games of Pig."""

from collections.abc import Sequence
from functools import partial

from pydantic import JsonValue

from bot.battles.presenter import BattlePresenter
from bot.battles.render import PanelContent
from bot.store.battles.battle import Battle
from bot.store.battles.transactions import TransactionHook
from fracas_pig.bot.wins import write_win
from fracas_pig.rules import SEATS, Pig, State
from sim.core.battle import AnySystem, Outcome
from sim.core.journal import Entry
from sim.workers import Caller

_PINK = 0xF783AC


class PigPresenter(BattlePresenter):
    """Shows the scores, the turn's points, and the last roll."""

    title = "Pig"
    system: AnySystem = Pig()
    latest = 1

    async def show(self, battle: Battle, entries: Sequence[Entry], _caller: Caller | None) -> PanelContent:
        """Return how the game stands."""
        state: State = self.state(battle)
        scores = [f"{seat.capitalize()}: **{score}**" for seat, score in zip(SEATS, state.scores, strict=True)]
        if battle.is_open:
            scores.append(f"The {SEATS[state.player]} to roll, {state.pot} in this turn.")
        happened = [line for entry in entries for line in self.lines(battle, entry)]
        title = f"to {state.setup.goal}" if battle.is_open else "over"
        return PanelContent(title, "\n".join(scores), "\n".join(happened), colour=_PINK)

    def progress(self, battle: Battle) -> str:
        """Say whose turn it is."""
        state: State = self.state(battle)
        return f"at turn {state.turn + 1}" if battle.is_open else "over"

    def lines(self, _battle: Battle, entry: Entry) -> list[str]:
        """Return the log of one row."""
        return self.system.lines(tuple(map(self.system.events.read, entry.events)))

    def also(self, battle: Battle, _state: JsonValue, outcome: Outcome | None) -> TransactionHook | None:
        """Count the win with the step that wins."""
        if outcome is None:
            return None
        winner = next((place.user_id for place in battle.places if place.seat == outcome.winner), None)
        return None if winner is None else partial(write_win, guild_id=battle.guild_id or 0, user_id=winner)
