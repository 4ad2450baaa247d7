"""The faces of duels and dungeons."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import discord
from pydantic import JsonValue

from bot.battles.presenter import BattlePresenter, Seating
from bot.battles.render import PanelContent
from bot.client import Client, Interaction
from bot.games.duel.people import FIELD, People
from bot.games.duel.render.battle import duel_shown, dungeon_shown
from bot.store.battles.battle import Battle
from bot.store.battles.transactions import TransactionHook
from bot.store.scores import ScoreEntry, write_gains
from sim.core.battle import AnySystem, LegalAction, Outcome
from sim.core.errors import RuleError
from sim.core.journal import Entry
from sim.core.outcomes import Ending
from sim.duel.battle.rules import Duel
from sim.duel.battle.values import State as DuelState
from sim.duel.dungeon.rules import Dungeon
from sim.duel.dungeon.values import Join, Joined, Phase, scores
from sim.duel.dungeon.values import State as DungeonState
from sim.jobs.battle import Tell
from sim.workers import Caller

JOIN = "join"

_FEW_EVENTS = 500
"""Events that are told at once in a few milliseconds."""


class TalePresenter(BattlePresenter):
    """Shows a tale page by page: each step of the journal is one."""

    def lines(self, _battle: Battle, entry: Entry) -> list[str]:
        """Return a row's log."""
        return self.system.lines(tuple(self.system.events.read(event) for event in entry.events))

    async def page(self, battle: Battle, entries: Sequence[Entry], caller: Caller | None) -> Sequence[str]:
        """Return the end of the page that was turned last, none before the first."""
        if not entries:
            return ()
        (lines,) = await self.told(battle, entries[-1:], caller)
        return lines

    async def told(self, battle: Battle, entries: Sequence[Entry], caller: Caller | None) -> Sequence[Sequence[str]]:
        """Return the log of rows; long ones are told by a worker, for every line is put together from its parts."""
        if sum(len(entry.events) for entry in entries) <= _FEW_EVENTS:
            return await super().told(battle, entries, caller)
        job = Tell(system=self.system.name, steps=tuple(entry.events for entry in entries))
        try:
            return await self._bot.simulator.once(job, caller)
        except RuleError:
            return await super().told(battle, entries, caller)  # too busy: it is better told late than not


class DuelPresenter(TalePresenter):
    """Shows duels of two, and of two groups."""

    title = "B/X duel"
    system: AnySystem = Duel()

    async def show(self, battle: Battle, entries: Sequence[Entry], caller: Caller | None) -> PanelContent:
        """Return both sides and the last page of the tale."""
        state: DuelState = self.state(battle)
        content = duel_shown(state, await self.page(battle, entries, caller))
        return (
            content if battle.is_open or state.ending is not None else replace(content, title=f"ended, {content.title}")
        )

    def progress(self, battle: Battle) -> str:
        """Say which round it is."""
        if not battle.is_open:
            return "over"
        state: DuelState = self.state(battle)
        if state.round:
            return f"at round {state.round}"
        return "at the opening" if state.site else "before the opening"


class DungeonPresenter(TalePresenter):
    """Shows dungeons, which heroes join before the first room."""

    title = "B/X dungeon"
    party = True
    lasting = frozenset({JOIN})
    system: AnySystem = Dungeon()

    def __init__(self, bot: Client, people: People) -> None:
        super().__init__(bot)
        self._people = people

    async def show(self, battle: Battle, entries: Sequence[Entry], caller: Caller | None) -> PanelContent:
        """Return the heroes, the monsters, and the last page of the tale."""
        state: DungeonState = self.state(battle)
        content = dungeon_shown(state, await self.page(battle, entries, caller))
        return (
            content if battle.is_open or state.ending is not None else replace(content, title=f"ended, {content.title}")
        )

    def progress(self, battle: Battle) -> str:
        """Say where the heroes are."""
        if not battle.is_open:
            return "over"
        state: DungeonState = self.state(battle)
        match state.phase:
            case Phase.FIGHT:
                return f"in room {state.room}, at round {state.round}"
            case Phase.CLEARED:
                return f"behind room {state.room}"
            case _:
                return "before the first room"

    def seatings(self, events: Sequence[JsonValue]) -> Sequence[Seating]:
        """Return who joined."""
        joined = Joined.model_fields["event"].default
        return [Seating(str(event["seat"])) for event in events if isinstance(event, dict) and event["event"] == joined]

    def also(self, battle: Battle, state: JsonValue, outcome: Outcome | None) -> TransactionHook | None:
        """Return what every hero brings to the list of the best, to be written with the last step."""
        if outcome is None:
            return None
        end: DungeonState = self.system.states.read(state)
        players = {place.seat: place.user_id for place in battle.places}
        rooms = f"{_rooms_won(end)} of {end.setup.rooms} rooms, level {end.setup.level}"
        gains = [
            ScoreEntry(user_id, score.name, score.experience, f"{rooms}{'' if score.alive else ', fell there'}")
            for score in scores(end)
            if score.experience and (user_id := players.get(score.seat)) is not None
        ]
        return partial(write_gains, battle_id=battle.id, gains=gains, now=int(self._bot.clock()))

    async def fields(
        self, _battle: Battle, _choice: LegalAction[Any], values: Mapping[str, str], user_id: int
    ) -> Sequence[discord.ui.Label[Any]]:
        """Ask who joins."""
        return [await self._people.field(user_id, values.get(FIELD))]

    async def read(
        self,
        interaction: Interaction,
        battle: Battle,
        _choice: LegalAction[Any],
        values: Mapping[str, str],
    ) -> Join:
        """Read who joins."""
        if set(battle.seats_of(interaction.user.id)):
            raise RuleError("You take part already.")  # said before a new character is rolled for it
        state: DungeonState = self.state(battle)
        heroes = [hero.critter for hero in state.heroes]
        return Join(critter=await self._people.chosen(interaction, values.get(FIELD, ""), heroes))


def _rooms_won(state: DungeonState) -> int:
    lost = state.ending is not Ending.RETREAT and not state.alive
    return state.room - lost
