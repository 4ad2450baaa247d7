"""Presents duels and dungeons."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from bot.battles import presenter as p
from bot.battles.endings import HasRematches, Rematch
from bot.battles.panel import expect_unseated
from bot.battles.timetable import Awaited, HasTurns, Timed, Timetable
from bot.client import Interaction
from bot.games.duel.characters import FIELD, CharacterService
from bot.games.duel.render import duel_content, dungeon_content, with_card
from bot.games.duel.repositories import ScoreEntry, write_scores
from bot.store.battle import Battle, Place
from bot.store.battles import BattleRepository
from bot.store.database import cooperative, off_loop
from bot.store.transactions import TransactionHook
from bot.ui import plain
from bot.ui.options import Fields, Typed
from sim.core import RuleError
from sim.core.battle import JOIN, EventT, Outcome, Seat
from sim.core.cards.values import MAX_ROWS
from sim.core.journal import seat_name
from sim.duel import battle as v
from sim.duel.battle import dungeon_values as dungeon
from sim.duel.battle.dungeon_rules import Dungeon
from sim.duel.battle.log import MOMENTS, moments
from sim.duel.battle.rules import Duel
from sim.duel.cards import panel_card
from sim.duel.tables import MAX_NAMES
from sim.jobs.battle import Narrate
from sim.workers.queue import Caller

TaleT = TypeVar("TaleT", bound=v.State | dungeon.State)

_FEW_EVENTS = 500
"""Events that the event loop can narrate in a few milliseconds."""


class StoryPresenter(p.BattlePresenter[TaleT, EventT], Timed, HasRematches, p.HasHeroes):
    """Presents a story page by page: each step of the journal is a page."""

    panel_steps = 1
    clock = Timetable()  # no limit: a story waits for its readers

    async def expect_free(self, state: TaleT, seats: Mapping[Seat, int | None]) -> None:
        """Raise RuleError if a player's character is in another fight."""
        for seat, user_id in seats.items():
            if user_id is not None:
                await self._bot.services[CharacterService].expect_free(user_id, state.fighters_of(seat))

    async def page(self, battle: Battle, state: TaleT, steps: p.Steps, caller: Caller | None) -> Sequence[str]:
        """Return the last page, of a fight to the end its moments; nothing before the first."""
        if not steps:
            return ()
        last = steps[-1]
        told = await off_loop(len(last.events_json), lambda: moments(self.system.events.read_all(last.events)))
        return told or (await self.narrate(battle, state, steps, caller))[-1]

    async def narrate(
        self, battle: Battle, state: TaleT, steps: p.Steps, caller: Caller | None
    ) -> Sequence[Sequence[str]]:
        """Return the log of steps; a worker writes long ones."""
        events = tuple([tuple(step.events) async for step in cooperative(steps)])
        if sum(map(len, events)) > _FEW_EVENTS:
            with suppress(RuleError):  # too busy: better late than never
                return await self._bot.simulator.once(Narrate(system=self.system.name, steps=events), caller)
        return await super().narrate(battle, state, steps, caller)

    async def events_json(self, battle: Battle, steps: p.Steps, *, over: bool) -> tuple[str, ...]:
        """Return the events that the card needs: those of the last page, at the end those of all pages."""
        if over:
            steps = await self._bot.services[BattleRepository].latest_steps(battle.id)
        return tuple(step.events_json for step in steps)


def leaves_out(at: p.Position[Any]) -> bool:
    """Return whether the panel of a battle that is over tells less than the whole story."""
    is_short = isinstance(at.state, v.State) and at.battle.steps == 1 and at.state.round <= MOMENTS
    is_whole = is_short and all(len(group) == 1 for group in at.state.setup.groups.values())
    return isinstance(at.presenter, StoryPresenter) and not is_whole


class DuelPresenter(StoryPresenter[v.State, v.Event], p.PlayedByBot):
    """Presents duels of two, and of two groups."""

    title = "B/X duel"
    sides = (v.GROUP_1, v.GROUP_2)
    time_up = "the page turns"
    system = Duel()

    async def panel(self, battle: Battle, state: v.State, steps: p.Steps, caller: Caller | None) -> p.PanelContent:
        """Return both sides and the last page of the story."""
        content = duel_content(state, await self.page(battle, state, steps, caller))
        events = await self.events_json(battle, steps, over=state.ending is not None)
        card = await self.card(panel_card(state, battle.state_json, events), caller, battle)
        many = max(map(len, state.setup.groups.values())) > MAX_ROWS
        return with_card(content, card, many=many)

    def fighters(self, battle: Battle, state: v.State) -> str:
        """Return both groups by name, with their players."""
        names = {seat: state.setup.side_name(seat, MAX_NAMES) for seat in v.GROUPS}
        return " vs ".join(_with_players(battle, names))

    def progress(self, battle: Battle, state: v.State) -> str:
        """Return the round, and before the first one the opening."""
        opening = "at the opening" if state.site else "before the opening"
        return super().progress(battle, state) if state.round or not battle.is_open else opening


class DungeonPresenter(StoryPresenter[dungeon.State, dungeon.Event], HasTurns, p.DropIn, p.HasForms, p.Ranked):
    """Presents dungeons; heroes join before the first room."""

    title = "B/X dungeon"
    buttons = ("join", "enter", "step-out", "continue", "run", "flee", "leave")
    lasting_actions = frozenset({JOIN.name})
    undo_note = "A dungeon with an undo isn't ranked in `/duel characters`."
    end_note = "The heroes' experience isn't ranked in `/duel characters`."
    leaving = "step-out"
    seat_events = (dungeon.Joined, dungeon.SteppedOut)
    turn_events = frozenset({"joined", "stepped-out", "entered", "round", "ended"})
    time_up = "the heroes go on"
    system = Dungeon()

    async def panel(
        self, battle: Battle, state: dungeon.State, steps: p.Steps, caller: Caller | None
    ) -> p.PanelContent:
        """Return the heroes, the monsters, and the last page of the story."""
        content = dungeon_content(state, await self.page(battle, state, steps, caller), is_open=battle.is_open)
        if state.heroes:
            whole = state.ending is not None or len(state.alive) < len(state.heroes)  # who slew the fallen
            events = await self.events_json(battle, steps, over=whole)
            card = await self.card(panel_card(state, battle.state_json, events), caller, battle)
            content = with_card(content, card)
        lines = [content.state]
        if state.turn in battle.holders:
            # A mention alone where there is but one hero, who may be called as the player is.
            hero = f"**{plain(state.party[state.turn].critter.name)}** " if len(state.party) > 1 else ""
            lines.append(f"▶️ {hero}<@{battle.holders[state.turn]}> is next")
        if battle.was_undone:
            lines.append("-# ↩️ Not ranked: a step was taken back")
        return replace(content, state="\n".join(lines).strip())

    def fighters(self, battle: Battle, state: dungeon.State) -> str:
        """Return the heroes with their players."""
        names = {seat: hero.critter.name for seat, hero in state.party.items()}
        return p.names_text(_with_players(battle, names)) or "nobody yet"

    def rematch(self, again: Rematch, battle: Battle, state: dungeon.State, *, swap: bool) -> Rematch:
        """Return the same dungeon with all heroes as they came, in new rooms."""
        del swap
        if again.setup.plan:  # the same rooms and heroes again
            return replace(again, places=[Place(seat, battle.holders.get(seat)) for seat in dungeon.HEROES[:1]])
        party = [(player, hero.critter) for seat, hero in state.party.items() if (player := battle.holders.get(seat))]
        places = [Place(seat, player) for seat, (player, _) in zip(dungeon.HEROES, party, strict=False)]
        setup = again.setup.model_copy(update={"heroes": tuple(hero for _, hero in party), "hp": ()})
        return replace(again, setup=setup, places=places)

    def progress(self, battle: Battle, state: dungeon.State) -> str:
        """Return the room."""
        if not battle.is_open:
            return "over"
        match state.phase:
            case dungeon.Phase.FIGHT:
                return f"in room {state.room}, {f'at round {state.round}' if state.round else 'before round 1'}"
            case dungeon.Phase.CLEARED:
                return f"past room {state.room}"
            case _:
                return "before the first room"

    def awaited(self, battle: Battle, state: dungeon.State) -> Awaited | None:
        """Return the hero whose turn it is, else all of them; nobody in particular before the first room."""
        if not battle.is_open:
            return None
        seats = () if state.phase is dungeon.Phase.GATHERING else tuple(battle.holders)
        return Awaited(str(battle.moved), (state.turn,) if state.turn else seats, self.progress(battle, state))

    def may_unseat(self, state: dungeon.State, seat: Seat) -> bool:
        """Return whether a hero joined, and the party hasn't set out."""
        return state.phase is dungeon.Phase.GATHERING and seat in state.joined

    def seat_label(self, _battle: Battle, state: dungeon.State, seat: Seat) -> str:
        """Return the hero's name."""
        hero = state.party.get(seat)
        return seat_name(seat).capitalize() if hero is None else hero.critter.name

    def transaction_hook(self, battle: Battle, state: dungeon.State, _outcome: Outcome) -> TransactionHook | None:
        """Return the write of the heroes' scores; None if a step was undone: its dice were rolled again."""
        if battle.was_undone or state.setup.plan:  # the heroes of a challenge are nobody's own
            return None
        rooms = f"{state.rooms_won} of {state.setup.rooms} rooms, level {state.setup.level}"
        entries = [
            ScoreEntry(user_id, score.name, score.experience, f"{rooms}{'' if score.alive else ', died there'}")
            for score in dungeon.scores(state)
            if score.experience and (user_id := battle.holders.get(score.seat)) is not None
        ]
        return partial(write_scores, battle_id=battle.id, entries=entries, now=int(self._bot.clock()))

    async def fields(self, offer: p.Offer[dungeon.State], values: Typed, user_id: int) -> Fields:
        """Return the field that selects the hero."""
        expect_unseated(offer.battle, user_id)
        return [await self._bot.services[CharacterService].select_field(user_id, values.get(FIELD))]

    async def read_form(self, interaction: Interaction, offer: p.Offer[dungeon.State], values: Typed) -> dungeon.Join:
        """Return the action with the selected hero."""
        expect_unseated(offer.battle, interaction.user.id)  # before it rolls a new character
        characters, heroes = self._bot.services[CharacterService], [hero.critter for hero in offer.state.heroes]
        return dungeon.Join(critter=await characters.read_selection(interaction, values.get(FIELD, ""), heroes))


def _with_players(battle: Battle, names: Mapping[Seat, str]) -> list[str]:
    """Return the fighters of each seat, with who plays them."""
    players = {place.seat: f" ({p.holder_text(place)})" for place in battle.places}
    return [f"{plain(named)}{players.get(seat, '')}" for seat, named in names.items()]
