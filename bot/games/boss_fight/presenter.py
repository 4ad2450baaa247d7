"""Presents a party's fight, which `/boss start` opens."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import discord
from pydantic import JsonValue

from bot.battles.presenter import BattlePresenter, IdleClock
from bot.battles.render import PanelContent
from bot.client import Client, Interaction
from bot.games.boss_fight.bosses import BossRepository, Home
from bot.games.boss_fight.given import KIND, given_deck
from bot.games.boss_fight.records import Figure, RecordEntry, write_deeds
from bot.games.boss_fight.render.battle import fight_content, progress
from bot.games.boss_fight.render.bosses import portrait_of
from bot.rosters.options import MAX_TYPED
from bot.store.battles.battle import Battle
from bot.store.battles.seats import SeatChange
from bot.store.battles.transactions import TransactionHook
from bot.store.battles.turn_reminders import TurnReminderRepository
from bot.store.rosters import RosterRepository
from bot.ui.layout import Picture
from bot.ui.limits import MAX_CHOICES, MAX_ENTRY
from bot.ui.modals import choice_field, file_field, form_file, text_field
from sim.boss_fight.battle import BossFight, Event, Join, Joined, Left, State
from sim.boss_fight.deck_text import EXAMPLE
from sim.boss_fight.exact import readable
from sim.boss_fight.requests import HealthBarsRequest
from sim.boss_fight.values import MAX_NAME
from sim.core.battle import LegalAction, Outcome, Seat
from sim.core.errors import RuleError
from sim.core.journal import JournalRow
from sim.core.names import check_name, name_key
from sim.workers import Caller

_TURN_BEGINS = ("exchange", "left")
ABSENT_SECONDS = 5 * 60
"""Seconds after which any member may take the step of the one whose turn it is."""

_MOST_EVENTS = 40
_LATE = "-for"
_BUTTONS = ("step", "round", "run", "join", "leave", "return")


class PartyClock(IdleClock):
    """Lets others take the step of a member who is absent."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot

    async def opens_at(self, battle: Battle, legal: LegalAction[Any]) -> int:
        """Let five minutes of a member's turn pass before somebody else takes the step; who joins prolongs no turn."""
        if not legal.name.endswith(_LATE):
            return 0
        began = await self._bot.services[TurnReminderRepository].last_at(battle.id, _TURN_BEGINS)
        return (battle.created_at if began is None else began) + ABSENT_SECONDS


class BossFightPresenter(BattlePresenter[State, Event]):
    """Presents parties' fights against bosses."""

    title = "Boss fight"
    drop_in = True
    lasting_actions = frozenset({"join"})
    system = BossFight()

    def __init__(self, bot: Client) -> None:
        super().__init__(bot)
        self.clock = PartyClock(bot)

    async def panel(
        self, battle: Battle, state: State, steps: Sequence[JournalRow], caller: Caller | None
    ) -> PanelContent:
        """Return the bars, everybody's health in the order of play, and what happened last."""
        holders = {place.seat: place.user_id for place in battle.places if place.user_id is not None}
        picture = await self._bars(state, caller)
        content = fight_content(state, self._latest(steps), holders, picture, await self._portrait(battle, state))
        decided = battle.is_open or state.ending is not None
        return content if decided else replace(content, title=f"ended, {content.title}")

    def progress(self, _battle: Battle, state: State) -> str:
        """Say where the fight is."""
        where = progress(state)
        return f"at {where}" if where.startswith("round") else where

    def seat_changes(self, events: Sequence[JsonValue], user_id: int | None) -> Sequence[SeatChange]:
        """Return who joined, and who left before the first exchange, whose seat is free again."""
        changes = []
        for event in self.read_events([event for event in events if _names(event, "joined", "left")]):
            if isinstance(event, Joined):
                changes.append(SeatChange(event.seat, user_id))
            elif isinstance(event, Left) and event.forgotten:
                changes.append(SeatChange(event.seat, here=False))
        return changes

    def panel_actions(self, battle: Battle, state: State) -> Sequence[LegalAction[Any]]:
        """Return the actions with a button of their own: Step is the same for whoever may press it."""
        by_name = {legal.name: legal for legal in self.legal_actions(battle, state)}
        return [by_name[name] for name in _BUTTONS if name in by_name]

    def resolve_action(
        self, battle: Battle, state: State, name: str, seats: Sequence[Seat], *, referee: bool
    ) -> LegalAction[Any]:
        """Return the step for the absent where a member presses Step whose turn it isn't."""
        legal = self.legal_action(battle, state, name)
        if referee or set(seats) & set(legal.seats):
            return legal
        late = (other for other in self.legal_actions(battle, state) if other.name == f"{name}{_LATE}")
        return next((other for other in late if set(seats) & set(other.seats)), legal)

    def extra_buttons(self, battle: Battle, state: State) -> Sequence[discord.ui.Button[Any]]:
        """Return the button to the arithmetic, once there is any."""
        if not state.members:
            return ()
        return [discord.ui.Button(label="Arithmetic", emoji="🧮", custom_id=f"ba1:{battle.id}")]

    def transaction_hook(self, battle: Battle, state: State, _outcome: Outcome) -> TransactionHook | None:
        """Return what each member achieved, to be noted with the last step of a fight in a server."""
        if battle.guild_id is None:
            return None
        holders = {place.seat: place.user_id for place in battle.places}
        deeds = [
            RecordEntry(user_id, _figure(state.score(member.seat)), _figure(member.dealt))
            for member in state.members
            if member.hits and (user_id := holders.get(member.seat)) is not None
        ]
        boss, times = state.setup.boss.name, state.setup.times
        return partial(write_deeds, guild_id=battle.guild_id, boss=boss, times=times, deeds=deeds)

    async def fields(
        self, battle: Battle, _state: State, _legal: LegalAction[Any], values: Mapping[str, str], user_id: int
    ) -> Sequence[discord.ui.Label[Any]]:
        """Ask for a deck, in one of three ways, and for a name."""
        return [
            text_field(
                "deck", "Your deck", values.get("deck"), max_length=MAX_ENTRY, hint=f"as in: {EXAMPLE}", long=True
            ),
            await self._saved(battle, user_id, values.get("saved")),
            file_field("file", "Or the deck as a CSV file"),
            text_field(
                "name",
                "What the fight calls you",
                values.get("name"),
                max_length=MAX_NAME,
                hint="It stays in the fight's log; left empty, you are a member with a number",
            ),
        ]

    async def _saved(self, battle: Battle, user_id: int, chosen: str | None) -> discord.ui.Label[Any]:
        """Return the field for saved decks: a list of all that the player may use, or where it is long their names."""
        rosters = self._bot.services[RosterRepository]
        shared = [] if battle.guild_id is None else await rosters.shared(battle.guild_id, KIND.name)
        own = await rosters.own(user_id, KIND.name)
        decks = {f"#{roster.id}": roster.name for roster in (*own, *shared)}
        if 1 <= len(decks) <= MAX_CHOICES:
            return choice_field("saved", "Or a saved deck", decks, chosen, required=False)
        typed = None if (chosen or "").startswith("#") else chosen  # it was chosen from a list that is gone
        return text_field("saved", "Or the name of a saved deck", typed, max_length=MAX_TYPED)

    async def read_form(
        self,
        interaction: Interaction,
        _battle: Battle,
        state: State,
        _legal: LegalAction[Any],
        values: Mapping[str, str],
    ) -> Join:
        """Read the deck and the name."""
        name = _checked_name(state, values.get("name", ""))
        text, saved = values.get("deck", "").strip() or None, values.get("saved", "").strip() or None
        source = await given_deck(interaction, text, form_file(interaction, "file"), saved)
        deck = await self._bot.simulator.run(
            await source.request(self._bot), Caller(interaction.user.id, interaction.guild_id)
        )
        return Join(name=name, deck=deck)

    def _latest(self, steps: Sequence[JournalRow]) -> Sequence[Event]:
        """Read what the panel tells of: the last step, and before it what made no exchange, such as joins."""
        latest: list[JsonValue] = []
        for step in reversed(steps):
            events = step.events
            latest = [*events, *latest]
            if any(_names(event, "exchange") for event in events) or len(latest) >= _MOST_EVENTS:
                break
        return self.read_events(latest[-_MOST_EVENTS:])

    async def _bars(self, state: State, caller: Caller | None) -> Picture | None:
        try:
            data, words = await self._bot.simulator.run(HealthBarsRequest.of(state), caller)
        except RuleError:
            return None  # too busy: the figures stand below anyway
        return Picture("bars.png", data, words)

    async def _portrait(self, battle: Battle, state: State) -> Picture | None:
        if battle.guild_id is None and battle.starter_id is None:
            return None
        home = Home(battle.guild_id, battle.starter_id or 0)
        forged = await self._bot.services[BossRepository].find(home, state.setup.boss.name)
        return (
            None
            if forged is None
            else portrait_of(state.setup.boss, await self._bot.services[BossRepository].picture(forged))
        )


def _checked_name(state: State, typed: str) -> str | None:
    name = " ".join(typed.split())
    if not name:
        return None
    if (wrong := check_name(name, MAX_NAME)) is not None:
        raise RuleError(f"The name {wrong}.")
    if any(name_key(member.name) == name_key(name) for member in state.members):
        raise RuleError("Somebody in this fight has this name already.")
    return name


def _figure(value: Fraction) -> Figure:
    return Figure(readable(value), float(value))


def _names(event: JsonValue, *kinds: str) -> bool:
    return isinstance(event, dict) and event.get("event") in kinds
