"""Presents a party's fight, which `/boss start` opens, and answers the list and the buttons on its panel.

Nothing is kept of a choice of tokens: the custom ids of the list and its button hold it whole, as the bits of a hand's
tokens.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import discord

from bot.battles import BattleService
from bot.battles import presenter as p
from bot.battles.endings import HasRematches
from bot.battles.items import FormQuery, position_of
from bot.battles.panel import expect_unseated, latest_events
from bot.battles.timetable import Awaited, HasTurns, Timed
from bot.client import Interaction
from bot.games.boss_fight import questions as q
from bot.games.boss_fight import render as r
from bot.games.boss_fight.repositories import Board, BossRepository, Home, write_records
from bot.rosters import RosterRepository
from bot.rosters.sheets import MAX_LINK
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.store.transactions import TransactionHook
from bot.ui import MAX_CHOICE, MAX_CHOICES, MAX_ENTRY, Button, Style, called, id_button, plain, shorten, text_view
from bot.ui import interactions as ui
from bot.ui import options as o
from bot.ui.error_replies import OUTDATED_BUTTON
from sim.boss_fight import battle as v
from sim.boss_fight.battle.rules import BossFight, damage_text
from sim.boss_fight.cards import panel_card
from sim.boss_fight.form_text import EXAMPLE
from sim.boss_fight.hands import MOST, has_choice
from sim.boss_fight.requests import DeckRequest
from sim.boss_fight.tables import STARTER_DECKS, StarterDeck, known_boss, next_rung, starter_deck
from sim.boss_fight.values import FLAGS, MAX_NAME, Token, points
from sim.core import RuleError
from sim.core.battle import JOIN, Outcome, Seat
from sim.core.journal import seat_name
from sim.core.names import check_name, name_key
from sim.workers.queue import Caller

_MAX_EVENTS = 40
_NO_DECK = "none"
"""The choice of no saved deck in a form; ids of saved ones begin with a #."""


class BossFightPresenter(
    p.BattlePresenter[v.State, v.Event], Timed, HasTurns, p.DropIn, p.HasForms, HasRematches, p.Ranked
):
    """Presents parties' fights against bosses."""

    title = "Boss fight"
    chance = p.NO_CHANCE
    buttons = ("step", "round", "run", "join", "leave", "return")
    lasting_actions = frozenset({"join"})
    turn_events = frozenset({"exchange", "struck", "left"})
    leaving = "leave"
    seat_events = (v.Joined, v.Left)
    time_up = "Fracas plays it"
    undo_note = "A fight with an undo doesn't count for `/boss top`."
    end_note = "None of it counts for `/boss top`."
    system = BossFight()

    def chance_in(self, state: v.State) -> p.Chance:
        """Return dice where a boss has a choice of attacks."""
        return p.DICE if state.setup.edition == v.HANDS and has_choice(state.setup.boss) else p.NO_CHANCE

    async def panel(self, battle: Battle, state: v.State, steps: p.Steps, caller: Caller | None) -> p.PanelContent:
        """Return the health bars, the members in the order of play, and the latest events."""
        shown = r.shown_state(battle, state)
        state_json = battle.state_json if shown is state else self.system.states.write_json(shown)
        picture = await self.card(panel_card(shown, state_json, ()), caller, battle)
        blows = {"exchange", "struck"}  # what is shown begins with the last one; joins and such follow
        latest = latest_events(steps, lambda kinds: len(kinds) >= _MAX_EVENTS or not blows.isdisjoint(kinds))
        events = r.shown_events(battle, self.system.events.read_all(latest[-_MAX_EVENTS:]))
        bosses, boss = self._bot.services[BossRepository], state.setup.boss
        forged = await bosses.find(Home(battle.guild_id, battle.starter_id or 0), boss.name)
        portrait = None if forged is None else r.portrait_of(boss, await bosses.picture(forged))
        content = replace(r.fight_content(shown, events, battle.holders, picture), portrait=portrait)
        turn = shown.turn if battle.is_open else None
        if not isinstance(turn, v.HandMember) or not turn.rested or turn.seat not in battle.holders:
            return content
        return replace(content, choice=token_menu(battle, turn))

    def log_lines(self, battle: Battle, _state: v.State, events: tuple[v.Event, ...]) -> list[str]:
        """Return the log of a step's events."""
        return self.system.lines(r.shown_events(battle, events))

    def progress(self, _battle: Battle, state: v.State) -> str:
        """Return the progress of the fight."""
        where = r.progress(state)
        return f"at {where}" if where.startswith("round") else where

    def fighters(self, battle: Battle, state: v.State) -> str:
        """Return the members and the boss."""
        members = [p.holder_text(place) for place in battle.places if place.user_id is not None]
        boss = plain(state.setup.boss.name)
        return f"{p.names_text(members)} vs {boss}" if members else f"{boss}, open to join"

    def awaited(self, battle: Battle, state: v.State) -> Awaited | None:
        """Return the member whose turn it is."""
        turn = state.turn
        if not battle.is_open or turn is None:
            return None
        return Awaited(f"{state.round}:{turn.seat}", (turn.seat,), r.progress(state))

    def may_unseat(self, state: v.State, seat: Seat) -> bool:
        """Return whether a member has not fought yet."""
        return any(member.seat == seat and not member.hits for member in state.members)

    def seat_label(self, battle: Battle, state: v.State, seat: Seat) -> str:
        """Return the member's name."""
        members = r.shown_state(battle, state).members
        return next((member.name for member in members if member.seat == seat), seat_name(seat).capitalize())

    def extra_buttons(self, battle: Battle, state: v.State) -> Sequence[Button]:
        """Return the buttons to join otherwise, for the arithmetic of the members, and for the traits."""
        joins = battle.is_open and not battle.joining_closed and state.free_seat is not None
        buttons: list[Button] = []
        if joins and state.setup.edition == v.HANDS:
            buttons.append(id_button(f"bo1:{battle.id}", "Join with your own", "🖐️"))
        if not state.members and battle.is_open:
            buttons.append(id_button("bt1:traits", "Hands and traits", "🃏"))
        fought = not isinstance(state.last, v.Struck) or bool(state.last.tokens)
        if state.members and (fought if state.last is not None else state.setup.edition is None):
            buttons.append(id_button(f"ba1:{battle.id}", "Arithmetic", "🧮"))
        return buttons

    def sequel(self, _battle: Battle, state: v.State) -> Button | None:
        """Return the button for the next fight on the ladder."""
        following = next_rung(state.setup.boss) if state.winner == v.PARTY and not state.setup.alone else None
        if following is None:
            return None  # the same boss again is a rematch
        label, slug = f"Next: {following.name}, level {following.level}", name_key(following.name).replace(" ", "-")
        return id_button(f"bn1:{slug}", label, "👹", Style.primary)

    def transaction_hook(self, battle: Battle, state: v.State, _outcome: Outcome) -> TransactionHook | None:
        """Return the hook that stores the records of a fight in a server."""
        # A boss that came wounded is no record, nor is one whose figures are a challenge's, nor attacks rolled again.
        if battle.guild_id is None or state.setup.dealt or state.setup.alone or battle.was_undone:
            return None
        entries = [
            (user_id, state.score(member.seat), member.dealt)
            for member in state.members
            if member.hits and (user_id := battle.holders.get(member.seat)) is not None
        ]
        board = Board(state.setup.boss.name, state.setup.times, state.setup.edition == v.HANDS)
        return partial(write_records, guild_id=battle.guild_id, board=board, entries=entries)

    async def ask(self, interaction: Interaction, offer: p.Offer[v.State], _seat: Seat) -> bool:
        """Join with the first ready hand that nobody has yet; to choose tokens, point to their list.

        Where whole decks fight, open the form, as earlier versions did.
        """
        battle = offer.battle
        if offer.legal.name != JOIN.name:
            raise RuleError("Choose your tokens in the list on the panel.")
        expect_unseated(battle, interaction.user.id)
        if offer.state.setup.edition is None:
            name = r.suggested_name(called(interaction.user), offer.state)
            await FormQuery.of(offer, {"name": name}).send_form(interaction)
            return True
        await ui.acknowledge(interaction)
        join = ready_join(called(interaction.user), offer.state)
        await self._bot.services[BattleService].act(interaction, battle.id, None, JOIN.name, join)
        return True

    async def fields(self, offer: p.Offer[v.State], values: o.Typed, user_id: int) -> o.Fields:
        """Return the fields for a ready deck, one's own in one of three ways, and a name."""
        rosters, chosen, server = self._bot.services[RosterRepository], _saved(values), offer.battle.guild_id
        shared = [] if server is None else await rosters.shared(server, q.KIND.name)
        decks = {f"#{deck.id}": deck.name for deck in (*await rosters.own(user_id, q.KIND.name), *shared)}
        saved = {}
        if 1 <= len(decks) < MAX_CHOICES:
            options = {_NO_DECK: "None of these"} | decks
            saved["saved"] = o.Entry("Or a saved deck", choices=options, first=_NO_DECK)
        elif decks or chosen:  # typed: there are too many for a list, or none any more
            chosen = None if (chosen or "").startswith("#") else chosen  # an id is from an earlier list
            saved["saved"] = o.Entry("Or a saved deck, or a sheet's link", MAX_LINK)
        hands, notes = {deck.key: deck.name for deck in STARTER_DECKS}, {deck.key: deck.line for deck in STARTER_DECKS}
        entries = {
            "ready": o.Entry("A ready hand", choices=hands, notes=notes, first=_recommended(offer.state).key),
            "deck": o.Entry("Or write your own", MAX_ENTRY, f"as in: {EXAMPLE}", long=True),
            **saved,
            "file": o.Entry("Or your own as a CSV file", is_file=True),
            "name": o.Entry("Display name (optional)", MAX_NAME, "It stays in the fight's log"),
        }
        return o.entry_fields(entries, {**values, "saved": chosen or ""})

    async def read_form(self, interaction: Interaction, offer: p.Offer[v.State], values: o.Typed) -> v.Join:
        """Read the deck and the name; a deck of one's own goes before a ready one."""
        suggested = r.suggested_name(called(interaction.user), offer.state)
        name = " ".join((values.get("name", "") or suggested).split())
        if name and (wrong := check_name(name, MAX_NAME)) is not None:
            raise RuleError(f"The name {wrong}.")
        if name and any(name_key(member.name) == name_key(name) for member in offer.state.members):
            raise RuleError(f"A member of this fight is called {name} already.")
        text, saved = values.get("deck", "").strip() or None, _saved(values)
        file = o.form_file(interaction, "file")
        if text is None and saved is None and file is None:
            ready = starter_deck(values.get("ready", ""))
            if ready is None:
                raise RuleError("Pick a ready hand, or give a deck of your own.")
            text = ready.text
        source = await q.DeckOptions(deck=text, deck_file=file, deck_saved=saved).source(interaction)
        return v.Join(name=name or None, deck=await source.read(self._bot, ui.caller_of(interaction)))


def _saved(values: o.Typed) -> str | None:
    given = values.get("saved", "").strip()
    return None if given in {"", _NO_DECK} else given


def ready_join(display_name: str, state: v.State) -> v.Join:
    """Return how a player joins a fight with hands by one press."""
    name = r.suggested_name(display_name, state) or None
    return v.Join(name=name, deck=DeckRequest(deck=_recommended(state).text).run())


def _recommended(state: v.State) -> StarterDeck:
    """Return the first ready hand that nobody has yet."""
    taken = [member.deck for member in state.members]
    free = (deck for deck in STARTER_DECKS if DeckRequest(deck=deck.text).run() not in taken)
    return next(free, STARTER_DECKS[len(taken) % len(STARTER_DECKS)])


@ui.PersistentButton.matching(r"ba1:(?P<battle>[0-9]{1,18})", "arithmetic")
async def arithmetic_button(button: ui.PersistentButton, interaction: Interaction) -> None:
    """Show every product behind a fight's exchanges, starting with the member of the last exchange."""
    await ui.defer(interaction, private=True)
    battle, state = await q.find_fight(interaction.client, int(button.match["battle"]), ui.origin_of(interaction))
    seats = [member.seat for member in state.members]
    if not seats:
        raise RuleError("Nobody is in this fight yet.")
    last = None if state.last is None else state.last.seat
    if state.setup.edition == v.HANDS:  # only the last exchange has its tokens
        if last is None:
            raise RuleError("Nobody has struck yet.")
        seats = [last]
    first = seats.index(last) if last in seats else 0
    query = q.ArithmeticQuery(battle_id=battle.id, seats=tuple(seats), at=first, private=True)
    await query.ask(interaction)


@ui.PersistentButton.matching(r"bo1:(?P<battle>[0-9]{1,18})", "own-hand")
async def own_hand_button(button: ui.PersistentButton, interaction: Interaction) -> None:
    """Open the form to join with another ready hand, or with a deck of one's own."""
    at = await position_of(interaction, int(button.match["battle"]))
    expect_unseated(at.battle, interaction.user.id)
    await FormQuery.of(at.offer(JOIN.name)).send_form(interaction)


@ui.PersistentButton.matching(r"bt1:traits", "traits")
async def traits_button(_button: ui.PersistentButton, interaction: Interaction) -> None:
    """Show the ready decks and the traits to the player who pressed."""
    await q.TraitsQuery(private=True).ask(interaction)


@ui.PersistentButton.matching(r"bn1:(?P<boss>[a-z-]{1,40})", "next-fight")
async def next_fight_button(button: ui.PersistentButton, interaction: Interaction) -> None:
    """Open a fight against a boss of the ladder in a new message, unless one against it is open already."""
    boss = known_boss(button.match["boss"].replace("-", " "))
    if boss is None:
        raise RuleError(OUTDATED_BUTTON)
    services, setup = interaction.client.services, v.Setup(boss=boss, edition=v.HANDS)
    presenter = services[p.Presenters].of(BossFight.name)
    for battle in await services[BattleRepository].open_in(ui.channel_of(interaction)):
        if battle.system == BossFight.name and (await presenter.states.read(battle.state_json)).setup == setup:
            raise RuleError(f"#{battle.number} against {boss.name} is open already: join it.")
    await services[BattleService].open(interaction, BossFight.name, setup)


_AT = r"(?P<battle>[0-9]{1,18}):(?P<version>[0-9]{1,6})"
_ACTION = "put-up"


def token_menu(
    battle: Battle, member: v.HandMember, chosen: v.Chosen = (), *, own: bool = False
) -> discord.ui.Select[Any]:
    """Return the list of a member's rested tokens; `own`: in the private answer, where some are chosen already."""
    options = [
        discord.SelectOption(
            label=shorten(f"{token.name}: {', '.join(trait.name for trait in token.traits)}", MAX_CHOICE),
            value=str(at),
            description=shorten(token_text(token), MAX_CHOICE),
            emoji=r.ELEMENTS[token.element],
            default=token.name in chosen,
        )
        for at, token in enumerate(member.deck.tokens)
        if token.name in member.rested
    ]
    most = min(MOST, len(options))
    custom_id = f"bh1:{battle.id}:{battle.version}:{'own' if own else 'panel'}"
    told = shorten(f"{member.name}: put up {f'1 to {most} tokens' if most > 1 else '1 token'}", MAX_CHOICE)
    return discord.ui.Select(custom_id=custom_id, options=options, max_values=most, placeholder=told)


def token_text(token: Token) -> str:
    """Return what a token brings to an exchange: "500 physical, resists magical, Water"."""
    parts = [f"{points(dealt)} {kind}" for kind in ("physical", "magical") if (dealt := token.total(f"{kind}_damage"))]
    for flag in FLAGS:
        kind, _, what = flag.partition("_")
        if count := token.total(flag):
            times = f" {count} times" if count > 1 else ""
            parts.append(f"{'pierces' if what == 'penetration' else 'resists'} {kind}{times}")
    return ", ".join([*parts, *([token.element] if token.element else [])]) or "health only"


def preview_view(battle: Battle, state: v.State, member: v.HandMember, chosen: v.Chosen) -> discord.ui.LayoutView:
    """Return what some tokens would deal and take, with the button that puts them up."""
    blow, boss = v.struck(state, member, chosen), plain(state.setup.boss.name)
    boss += " falls" if blow.boss_left <= 0 else f" has {points(blow.boss_left)} left"
    you = "go down" if blow.left <= 0 else f"have {points(blow.left)} left"
    rested = [token.name for token in member.deck.tokens if token.name not in chosen]
    lines = [
        f"### {plain(', '.join(chosen), r.MAX_NAMES)}",
        f"{r.attack_text(state, blow.attack)} now",
        f"⚔️ You deal {damage_text(blow.to_boss, mark='**')}: {boss}",
        f"🩸 You take {damage_text(blow.to_player, mark='**')}: you {you}",
        f"-# Rested for {r.attack_text(state, state.next_attack)} next: {plain(', '.join(rested), r.MAX_NAMES)}",
    ]
    bits = sum(1 << at for at, token in enumerate(member.deck.tokens) if token.name in chosen)
    strike = id_button(f"bh2:{battle.id}:{battle.version}:{bits}", "Strike", "⚔️", Style.danger)
    return text_view(["\n".join(lines)], rows=[[token_menu(battle, member, chosen, own=True)], [strike]])


@ui.PersistentSelect.matching(rf"bh1:{_AT}:(?P<where>panel|own)", "tokens")
async def token_list(menu: ui.PersistentSelect, interaction: Interaction) -> None:
    """Show what the chosen tokens would do, to the member whose turn it is."""
    battle, state, member = await _resolve(interaction, menu.match)
    chosen = _chosen(member, sum(1 << at for at in range(len(member.deck.tokens)) if str(at) in menu.item.values))
    view = preview_view(battle, state, member, chosen)
    if menu.match["where"] == "panel":
        await ui.reply(interaction, view)
    else:
        await ui.acknowledge(interaction)
        await interaction.edit_original_response(view=view)


@ui.PersistentButton.matching(rf"bh2:{_AT}:(?P<bits>[0-9]{{1,3}})", "strike")
async def strike_button(button: ui.PersistentButton, interaction: Interaction) -> None:
    """Put up the chosen tokens."""
    battle, _, member = await _resolve(interaction, button.match)
    chosen = _chosen(member, int(button.match["bits"]))
    await ui.acknowledge(interaction)
    service = interaction.client.services[BattleService]
    await service.act(interaction, battle.id, int(button.match["version"]), _ACTION, v.PutUp(tokens=chosen))
    await ui.edit_reply(interaction, f"✅ #{battle.number}: you put up {plain(', '.join(chosen), r.MAX_NAMES)}.")


def _chosen(member: v.HandMember, bits: int) -> v.Chosen:
    chosen = tuple(token.name for at, token in enumerate(member.deck.tokens) if bits >> at & 1)
    if not 1 <= len(chosen) <= MOST or not {*chosen} <= {*member.rested}:
        raise RuleError(OUTDATED_BUTTON)
    return chosen


async def _resolve(interaction: Interaction, match: re.Match[str]) -> tuple[Battle, v.State, v.HandMember]:
    """Return the fight and the member whose turn it is, who must be the user's own."""
    services = interaction.client.services
    battle = await services[BattleService].find(int(match["battle"]), ui.origin_of(interaction))
    async with services[BattleService].explain_conflicts(interaction):
        found = await services[BattleService].resolve(interaction, battle, int(match["version"]), _ACTION)
    state: v.State = r.shown_state(battle, found.state)
    if not isinstance(state.turn, v.HandMember):
        raise RuleError(OUTDATED_BUTTON)
    return battle, state, state.turn


FIGHT_ITEMS = (arithmetic_button, traits_button, next_fight_button, own_hand_button, token_list, strike_button)
