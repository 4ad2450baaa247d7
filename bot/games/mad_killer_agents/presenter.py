"""Presents wars on a map, which `/mka new` opens."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from pydantic import JsonValue

from bot.battles import BattleService
from bot.battles import presenter as p
from bot.battles.endings import HasRematches, Rematch
from bot.battles.items import FormQuery
from bot.battles.panel import action_button, expect_unseated, latest_events
from bot.battles.timetable import MINUTE, Awaited, HasTurns, Timed, Timetable
from bot.client import Interaction
from bot.games.mad_killer_agents.items import OPENED_HERE, TurnService, event_batches
from bot.games.mad_killer_agents.render import AIS, MAX_LINES, round_label, war_content
from bot.games.mad_killer_agents.turn_view import Selection, holders_of, waits_for
from bot.store.battle import Battle
from bot.ui import Button, Style, called, id_button, plain
from bot.ui import options as o
from bot.ui.interactions import acknowledge
from sim.core import RuleError
from sim.core.battle import ANYONE, Seat
from sim.core.journal import JournalRow, active_steps
from sim.mad_killer_agents import battle as v
from sim.mad_killer_agents.battle.events import Event, Joined, Left, TakenOver, ai_name, short_log
from sim.mad_killer_agents.battle.order_input import EXAMPLE
from sim.mad_killer_agents.battle.rules import MapWar
from sim.mad_killer_agents.constants import RULES_VERSION, AiKind
from sim.mad_killer_agents.requests import ExportRequest, FilmRequest, WarCardRequest, board_card
from sim.workers.queue import Caller

_FIELDS = {
    "join": ("name",),
    "write": ("text",),
    "add-ai": ("ai",),
    "remove-ai": ("number",),
    "deputy": ("ai",),
    "replace": ("number", "ai"),
    "take-over": ("number", "name"),
}
"""The fields of each action's form."""
_WHICH = {
    "remove-ai": "Remove which AI?",
    "take-over": "Take over from which AI?",
    "replace": "Replace which player?",
}
_MAX_EVENTS = 100
"""Events that the lines on the panel are made of."""


class MapWarPresenter(
    p.BattlePresenter[v.State, Event], Timed, HasTurns, p.DropIn, p.HasForms, p.HasFiles, HasRematches
):
    """Presents wars on a map."""

    title = "Mad Killer Agents"
    chance = p.DRAW
    buttons = ("join", "leave", "add-ai", "remove-ai", "begin", "go-on")  # all others are in private messages
    lasting_actions = frozenset({"join", "add-ai", "remove-ai", "deputy", "replace", "take-over"})
    panel_steps = MAX_LINES  # every step has at least one event
    turn_events = frozenset({"turn"})
    is_timed = True
    leaving = "leave"
    seat_events = (Joined, Left, TakenOver)
    joining = frozenset({"join", "take-over"})
    passing = frozenset({"end-turn"})
    system = MapWar()

    async def panel(self, battle: Battle, state: v.State, steps: p.Steps, caller: Caller | None) -> p.PanelContent:
        """Return the map, the standings and the last events."""
        skipped = set() if state.phase is v.Phase.LOBBY else {"joined", "left"}
        events = latest_events(steps, lambda kinds: sum(kind not in skipped for kind in kinds) >= _MAX_EVENTS)
        told = [event for event in events if isinstance(event, dict) and event["event"] not in skipped]
        lines = short_log(self.system.events.read_all(told[-_MAX_EVENTS:]))[-MAX_LINES:]
        picture = None
        if state.phase is v.Phase.OVER:
            request = WarCardRequest(state=state, event_batches=await event_batches(self._bot, battle.id))
            picture = await p.draw(self._bot, request, "war.png", caller)
        if picture is None and (board := board_card(state, ended=not battle.is_open)) is not None:
            picture = await p.draw(self._bot, board, "map.png", caller)
        return war_content(state, holders_of(battle), lines, picture, ended=not battle.is_open)

    def fighters(self, battle: Battle, state: v.State) -> str:
        """Return the players: people by their names in the game, and AIs."""
        holders = holders_of(battle)
        names = []
        for player in state.players:
            held = f"<@{holders[player.number]}>" if player.number in holders else "nobody"
            names.append(f"{plain(player.name)} ({held if player.ai is None else 'AI'})")
        return p.names_text(names) or "nobody yet"

    def rematch(self, again: Rematch, battle: Battle, state: v.State, *, swap: bool) -> Rematch:
        """Return a game on the same kind of map by the current rules: everybody joins again.

        One that a person opened to fight AIs alone begins at once.
        """
        del swap
        setup = again.setup.model_copy(update={"edition": RULES_VERSION})
        people = [player for player in state.players if player.ai is None]
        if [battle.holders.get(v.seat_of(player.number)) for player in people] != [battle.starter_id]:
            return replace(again, setup=setup)
        ais = [player.ai for player in state.players if player.ai is not None]
        return replace(again, setup=setup, first=opening(people[0].name, ais, begins=bool(ais)))

    def progress(self, battle: Battle, state: v.State) -> str:
        """Return the current round and player."""
        if not battle.is_open or state.phase is v.Phase.LOBBY:
            return "before the beginning" if battle.is_open else "over"
        return f"at {round_label(state)}, {state.player(state.turn).name}'s turn"

    async def files(
        self, _battle: Battle, state: v.State, entries: Sequence[JournalRow], caller: Caller | None
    ) -> p.Files:
        """Return the map and everything on it as CSV and, once the game has begun, its film."""
        files = await self._bot.simulator.once(ExportRequest(state=state), caller)
        if state.world is None:
            return files
        steps = [entry.events_json for entry in active_steps(entries)]
        try:
            film = await self._bot.simulator.once(FilmRequest(event_batches=tuple(steps), rounds=state.round), caller)
        except RuleError:
            return files  # too busy, or too long a game for a film; the journal has everything
        return files | {"film.gif": film.data}

    def awaited(self, battle: Battle, state: v.State) -> Awaited | None:
        """Return the person on turn."""
        number = waits_for(battle, state)
        if number is None:
            return None
        return Awaited(f"{state.round}:{number}", (v.seat_of(number),), round_label(state))

    def timetable(self, state: v.State) -> Timetable:
        """Return the time limit that the game began with."""
        minutes = state.setup.turn_minutes
        return Timetable(turn=None if minutes is None else minutes * MINUTE)

    def turn_action(self, state: v.State) -> tuple[str, Seat] | None:
        """Return the comeback of the player on turn, for whom an AI would have played."""
        return "back", v.seat_of(state.turn)

    def is_due(self, battle: Battle, state: v.State) -> bool:
        """Return whether AIs paused in their turns."""
        return battle.is_open and state.phase is v.Phase.PLAYING and waits_for(battle, state) is None

    def is_contest(self, state: v.State) -> bool:
        """Return whether no AI has played."""
        return all(player.ai is None and not player.was_ai for player in state.players)

    def may_unseat(self, state: v.State, _seat: Seat) -> bool:
        """Return whether the game hasn't begun."""
        return state.phase is v.Phase.LOBBY

    def seat_label(self, _battle: Battle, state: v.State, seat: Seat) -> str:
        """Return the player's name in the game."""
        return next((player.name for player in state.players if v.seat_of(player.number) == seat), seat)

    def time_up_text(self, state: v.State) -> str:
        """Return which AI plays the turn."""
        player = state.player(state.turn)
        return f"{ai_name(player.deputy)} moves for {plain(player.name)}"

    def extra_buttons(self, battle: Battle, state: v.State) -> Sequence[Button]:
        """Return the buttons that open other messages."""
        rules = _button(battle, "rules", "How it works")
        if not battle.is_open:
            return () if state.world is None else (_button(battle, "film", "Film"), *_maps(battle))
        if state.phase is not v.Phase.PLAYING:
            return (rules,)
        legal = () if battle.joining_closed else self.system.legal(state)
        joins = [action_button(battle, each, "🙋") for each in legal if each.name == "take-over"]
        buttons = [*_maps(battle), rules, *joins]
        if any(player.ai is None for player in state.players):
            buttons.insert(0, _button(battle, "place", "Manage seat", "⚙️"))
        if waits_for(battle, state) is not None:
            buttons.insert(0, _button(battle, "turn", "Your turn", "▶️", Style.success))
        return buttons

    async def ask(self, interaction: Interaction, offer: p.Offer[v.State], _seat: Seat) -> bool:
        """Open the turn message for orders, or the form to join with a suggested name."""
        battle, legal = offer.battle, offer.legal
        if legal.name == "give":
            await self._bot.services[TurnService].open(interaction, offer)
        elif legal.name in self.joining:
            expect_unseated(battle, interaction.user.id)
            name = offer.state.available_name(called(interaction.user))
            ais = _ais_left(offer.state)
            if legal.name == "join" or len(ais) > 1:
                await FormQuery.of(offer, {"name": name}).send_form(interaction)
            else:
                await acknowledge(interaction)
                action = v.TakeOver(number=ais[0].number, name=name)
                await self._bot.services[BattleService].act(interaction, battle.id, None, legal.name, action)
        else:
            return False
        return True

    async def fields(self, offer: p.Offer[v.State], values: o.Typed, user_id: int) -> o.Fields:
        """Return the form of an action."""
        players, action = offer.state.players, offer.legal.name
        own = next((player for player in players if v.seat_of(player.number) in offer.battle.seats_of(user_id)), None)
        people = [player for player in players if player.ai is None]
        listed = {str(one.number): one.name for one in (people if action == "replace" else _ais_left(offer.state))}
        deputy = own.deputy if own is not None and action == "deputy" else AiKind.MARSHAL
        hint = "It stays in the log, and your cities are named after it"
        entries = {
            "name": o.Entry("Your name in this war", v.MAX_NAME, hint),
            "text": o.Entry("Your orders", v.MAX_ORDER_TEXT, f"such as: {EXAMPLE}", long=True),
            "number": o.Entry(_WHICH.get(action, ""), choices=listed, first=str(own.number) if own in people else None),
            "ai": o.Entry("Which AI?", choices=AIS, first=deputy),
        }
        shown = ("number",) if action == "take-over" else _FIELDS[action]  # by the name that was suggested
        return o.entry_fields({field: entries[field] for field in shown}, values)

    async def read_form(self, _interaction: Interaction, offer: p.Offer[v.State], values: o.Typed) -> v.Action:
        """Read the form of an action."""
        state, legal = offer.state, offer.legal
        typed: dict[str, JsonValue] = {field: values.get(field, "") for field in _FIELDS[legal.name]}
        if "number" in typed:
            chosen = values.get("number")
            typed["number"] = next((player.number for player in state.players if str(player.number) == chosen), None)
        if "name" in typed:
            name = values.get("name", "")
            blank = f"Player {len(state.players) + 1}"
            typed["name"] = v.player_name(name) if name.strip() else state.available_name(blank)
        return self.system.actions.read({"do": legal.name, **typed})

    def answered(
        self, interaction: Interaction, battle_id: int, values: o.Typed
    ) -> Callable[[], Awaitable[None]] | None:
        """Return what brings the turn message up to date, if that opened the form."""
        selection = Selection(battle_id, 0)
        turns = self._bot.services[TurnService]
        return partial(turns.show_result, interaction, selection) if OPENED_HERE in values else None


def _ais_left(state: v.State) -> list[v.Player]:
    return [player for player in state.players if player.ai and not (state.world and state.is_out(player.number))]


def opening(name: str, ais: Iterable[AiKind], *, begins: bool) -> list[tuple[v.Action, Seat]]:
    """Return how the person who opens a game joins it, adds these AIs, and begins it if it `begins` at once."""
    own = v.seat_of(1)
    first: list[tuple[v.Action, Seat]] = [(v.Join(name=name), ANYONE), *((v.AddAi(ai=ai), own) for ai in ais)]
    return [*first, (v.PlainAction(do="begin"), own)] if begins else first


def _maps(battle: Battle) -> Sequence[Button]:
    return _button(battle, "map", "Map", "🗺️"), _button(battle, "text", "Map as text", "📄")


def _button(battle: Battle, what: str, label: str, emoji: str | None = None, style: Style = Style.secondary) -> Button:
    return id_button(f"k0:{battle.id}:{what}", label, emoji, style)
