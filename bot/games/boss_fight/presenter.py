"""Presents a party's fight, which `/boss start` opens."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import discord
from pydantic import JsonValue

from bot.battles import BattleService
from bot.battles import presenter as p
from bot.battles.endings import HasSequel
from bot.battles.items import BattleForms
from bot.battles.panel import expect_unseated
from bot.battles.timetable import Awaited, HasTurns, Timed
from bot.client import Interaction
from bot.games.boss_fight import render as r
from bot.games.boss_fight.items import token_menu
from bot.games.boss_fight.options import KIND, DeckOptions
from bot.games.boss_fight.repositories import Board, BossRepository, Home, write_records
from bot.rosters import RosterRepository
from bot.rosters.sheets import MAX_LINK
from bot.store.battle import Battle
from bot.store.transactions import TransactionHook
from bot.ui import MAX_CHOICES, MAX_ENTRY, Picture, called, plain
from bot.ui.interactions import acknowledge, caller_of
from bot.ui.options import Fields, choice_field, file_field, form_file, text_field
from sim.boss_fight.battle import HANDS, PARTY, Event, HandMember, Join, Joined, Left, State, Struck
from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.cards import panel_card
from sim.boss_fight.form_text import EXAMPLE
from sim.boss_fight.hands import has_choice
from sim.boss_fight.requests import DeckRequest
from sim.boss_fight.tables import STARTER_DECKS, StarterDeck, next_rung, starter_deck
from sim.boss_fight.values import MAX_NAME
from sim.core import RuleError
from sim.core.battle import JOIN, Outcome, Seat
from sim.core.journal import JournalRow, seat_name
from sim.core.names import name_key
from sim.workers.queue import Caller

_MAX_EVENTS = 40
_BLOWS = {"exchange", "struck"}
_NO_DECK = "none"
"""The choice of no saved deck in a form; ids of saved ones begin with a #."""


class BossFightPresenter(
    p.BattlePresenter[State, Event],
    Timed[State],
    HasTurns[State],
    p.DropIn[State],
    p.HasForms[State],
    HasSequel[State],
    p.Ranked[State],
):
    """Presents parties' fights against bosses."""

    title = "Boss fight"
    chance = p.NO_CHANCE
    buttons = ("step", "round", "run", "join", "leave", "return")
    lasting_actions = frozenset({"join"})
    turn_events = frozenset({"exchange", "struck", "left"})
    leaving = "leave"
    seat_events = (Joined, Left)
    time_up = "Fracas plays it"
    undo_note = "A fight with an undo doesn't count for `/boss top`."
    end_note = "None of it counts for `/boss top`."
    system = BossFight()

    def chance_in(self, state: State) -> p.Chance:
        """Return dice where a boss has a choice of attacks."""
        return p.DICE if state.setup.edition == HANDS and has_choice(state.setup.boss) else p.NO_CHANCE

    async def panel(
        self, battle: Battle, state: State, steps: Sequence[JournalRow], caller: Caller | None
    ) -> p.PanelContent:
        """Return the health bars, the members in the order of play, and the latest events."""
        shown = r.shown_state(battle, state)
        state_json = battle.state_json if shown is state else self.system.states.write_json(shown)
        picture = await self.card(panel_card(shown, state_json, ()), caller, battle)
        events = r.shown_events(battle, self._latest(steps))
        content = r.fight_content(shown, events, battle.holders, picture, await self._portrait(battle, state))
        turn = shown.turn if battle.is_open else None
        if not isinstance(turn, HandMember) or not turn.rested or turn.seat not in battle.holders:
            return content
        return replace(content, choice=token_menu(battle, turn))

    def log_lines(self, battle: Battle, _state: State, events: tuple[Event, ...]) -> list[str]:
        """Return the log of a step's events."""
        return self.system.lines(r.shown_events(battle, events))

    def progress(self, _battle: Battle, state: State) -> str:
        """Return the progress of the fight."""
        where = r.progress(state)
        return f"at {where}" if where.startswith("round") else where

    def fighters(self, battle: Battle, state: State) -> str:
        """Return the members and the boss."""
        members = [p.holder_text(place) for place in battle.places if place.user_id is not None]
        boss = plain(state.setup.boss.name)
        return f"{p.names_text(members)} vs {boss}" if members else f"{boss}, open to join"

    def awaited(self, battle: Battle, state: State) -> Awaited | None:
        """Return the member whose turn it is."""
        turn = state.turn
        if not battle.is_open or turn is None:
            return None
        return Awaited(f"{state.round}:{turn.seat}", (turn.seat,), r.progress(state))

    def may_unseat(self, state: State, seat: Seat) -> bool:
        """Return whether a member has not fought yet."""
        return any(member.seat == seat and not member.hits for member in state.members)

    def seat_label(self, battle: Battle, state: State, seat: Seat) -> str:
        """Return the member's name."""
        members = r.shown_state(battle, state).members
        return next((member.name for member in members if member.seat == seat), seat_name(seat).capitalize())

    def extra_buttons(self, battle: Battle, state: State) -> Sequence[discord.ui.Button[Any]]:
        """Return the buttons to join otherwise, for the arithmetic of the members, and for the traits."""
        joins = battle.is_open and not battle.joining_closed and state.free_seat is not None
        buttons: list[discord.ui.Button[Any]] = []
        if joins and state.setup.edition == HANDS:
            buttons.append(discord.ui.Button(label="Join with your own", emoji="🖐️", custom_id=f"bo1:{battle.id}"))
        if not state.members and battle.is_open:
            buttons.append(discord.ui.Button(label="Hands and traits", emoji="🃏", custom_id="bt1:traits"))
        fought = not isinstance(state.last, Struck) or bool(state.last.tokens)
        if state.members and (fought if state.last is not None else state.setup.edition is None):
            buttons.append(discord.ui.Button(label="Arithmetic", emoji="🧮", custom_id=f"ba1:{battle.id}"))
        return buttons

    def sequel(self, _battle: Battle, state: State) -> discord.ui.Button[Any] | None:
        """Return the button for the next fight on the ladder."""
        following = next_rung(state.setup.boss) if state.winner == PARTY and not state.setup.alone else None
        if following is None:
            return None  # the same boss again is a rematch
        label, slug = f"Next: {following.name}, level {following.level}", name_key(following.name).replace(" ", "-")
        style = discord.ButtonStyle.primary
        return discord.ui.Button(label=label, emoji="👹", style=style, custom_id=f"bn1:{slug}")

    def transaction_hook(self, battle: Battle, state: State, _outcome: Outcome) -> TransactionHook | None:
        """Return the hook that stores the records of a fight in a server."""
        # A boss that came wounded is no record, nor is one whose figures are a challenge's, nor attacks rolled again.
        if battle.guild_id is None or state.setup.dealt or state.setup.alone or battle.was_undone:
            return None
        entries = [
            (user_id, state.score(member.seat), member.dealt)
            for member in state.members
            if member.hits and (user_id := battle.holders.get(member.seat)) is not None
        ]
        board = Board(state.setup.boss.name, state.setup.times, state.setup.edition == HANDS)
        return partial(write_records, guild_id=battle.guild_id, board=board, entries=entries)

    async def ask(self, interaction: Interaction, offer: p.Offer[State], _seat: Seat) -> bool:
        """Join with the first ready hand that nobody has yet; to choose tokens, point to their list.

        Where whole decks fight, open the form, as earlier versions did.
        """
        battle = offer.battle
        if offer.legal.name != JOIN.name:
            raise RuleError("Choose your tokens in the list on the panel.")
        expect_unseated(battle, interaction.user.id)
        if offer.state.setup.edition is None:
            name = r.suggested_name(called(interaction.user), offer.state)
            await self._bot.services[BattleForms].open(interaction, offer, {"name": name})
            return True
        await acknowledge(interaction)
        join = ready_join(called(interaction.user), offer.state)
        await self._bot.services[BattleService].act(interaction, battle.id, None, JOIN.name, join)
        return True

    async def fields(self, offer: p.Offer[State], values: Mapping[str, str], user_id: int) -> Fields:
        """Return the fields for a ready deck, one's own in one of three ways, and a name."""
        ready = _recommended(offer.state).key
        hint = f"as in: {EXAMPLE}"
        return [
            choice_field(
                "ready",
                "A ready hand",
                {deck.key: deck.name for deck in STARTER_DECKS},
                values.get("ready", ready),
                notes={deck.key: deck.line for deck in STARTER_DECKS},
            ),
            text_field("deck", "Or write your own", values.get("deck"), max_length=MAX_ENTRY, hint=hint, long=True),
            *await self._saved_deck_field(offer.battle, user_id, _saved(values)),
            file_field("file", "Or your own as a CSV file"),
            text_field(
                "name",
                "Display name (optional)",
                values.get("name"),
                max_length=MAX_NAME,
                hint="It stays in the fight's log",
            ),
        ]

    async def _saved_deck_field(
        self, battle: Battle, user_id: int, chosen: str | None
    ) -> Sequence[discord.ui.Label[Any]]:
        """Return the field for saved decks: a list of all that the player may use, or a name if they are too many."""
        rosters = self._bot.services[RosterRepository]
        shared = [] if battle.guild_id is None else await rosters.shared(battle.guild_id, KIND.name)
        own = await rosters.own(user_id, KIND.name)
        decks = {f"#{roster.id}": roster.name for roster in (*own, *shared)}
        if not decks and not chosen:
            return []
        if 1 <= len(decks) < MAX_CHOICES:
            return [choice_field("saved", "Or a saved deck", {_NO_DECK: "None of these"} | decks, chosen or _NO_DECK)]
        typed = None if (chosen or "").startswith("#") else chosen  # chosen from a list that is now empty or too long
        return [text_field("saved", "Or a saved deck, or a sheet's link", typed, max_length=MAX_LINK)]

    async def read_form(self, interaction: Interaction, offer: p.Offer[State], values: Mapping[str, str]) -> Join:
        """Read the deck and the name; a deck of one's own goes before a ready one."""
        suggested = r.suggested_name(called(interaction.user), offer.state)
        name = r.checked_name(values.get("name", "") or suggested, offer.state)
        text, saved = values.get("deck", "").strip() or None, _saved(values)
        file = form_file(interaction, "file")
        if text is None and saved is None and file is None:
            ready = starter_deck(values.get("ready", ""))
            if ready is None:
                raise RuleError("Pick a ready hand, or give a deck of your own.")
            text = ready.text
        source = await DeckOptions(deck=text, deck_file=file, deck_saved=saved).source(interaction)
        deck = await self._bot.simulator.run(await source.request(self._bot), caller_of(interaction))
        return Join(name=name, deck=deck)

    def _latest(self, steps: Sequence[JournalRow]) -> Sequence[Event]:
        """Read the events for the panel: the last exchange, and everything since, such as joins."""
        latest: list[JsonValue] = []
        for step in reversed(steps):
            events = step.events
            latest = [*events, *latest]
            exchanged = any(isinstance(event, dict) and event.get("event") in _BLOWS for event in events)
            if exchanged or len(latest) >= _MAX_EVENTS:
                break
        return self.system.events.read_all(latest[-_MAX_EVENTS:])

    async def _portrait(self, battle: Battle, state: State) -> Picture | None:
        home, bosses = Home(battle.guild_id, battle.starter_id or 0), self._bot.services[BossRepository]
        forged = await bosses.find(home, state.setup.boss.name)
        return None if forged is None else r.portrait_of(state.setup.boss, await bosses.picture(forged))


def _saved(values: Mapping[str, str]) -> str | None:
    given = values.get("saved", "").strip()
    return None if given in {"", _NO_DECK} else given


def ready_join(display_name: str, state: State) -> Join:
    """Return how a player joins a fight with hands by one press."""
    name = r.suggested_name(display_name, state) or None
    return Join(name=name, deck=DeckRequest(deck=_recommended(state).text).run())


def _recommended(state: State) -> StarterDeck:
    """Return the first ready hand that nobody has yet."""
    taken = [member.deck for member in state.members]
    free = (deck for deck in STARTER_DECKS if DeckRequest(deck=deck.text).run() not in taken)
    return next(free, STARTER_DECKS[len(taken) % len(STARTER_DECKS)])
