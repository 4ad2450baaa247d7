"""The turn message: a private message with buttons that the panel opens. Each press is one order."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.answers.handler import FormHandler
from bot.battles.battle_modal import BattleForms
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.mad_killer_agents.map_view import map_picture, show_view
from bot.games.mad_killer_agents.turn_view import (
    FORCED,
    MAX_TILE_NAME,
    NO_ARMY,
    STEP,
    Selection,
    SelectionQuery,
    apply_selection,
    attack_view,
    read_selection,
    tech_view,
    turn_view,
)
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.queries import StoredQuery
from bot.ui.error_replies import error_text
from bot.ui.interactions import acknowledge, caller_of, defer, origin_of
from bot.ui.text import Picture, plain, text_view
from sim.core.errors import RuleError
from sim.core.journal import Kind
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.events import short_log
from sim.mad_killer_agents.battle.options import ArmyOptions, Direction, MoveOption, board_of
from sim.mad_killer_agents.battle.orders import attack_clash
from sim.mad_killer_agents.battle.values import (
    TILE_VERBS,
    DirectedOrder,
    Discover,
    Give,
    Order,
    Phase,
    State,
    TileOrder,
    seat_of,
)
from sim.mad_killer_agents.cards.map import Part
from sim.mad_killer_agents.constants import Technology
from sim.mad_killer_agents.requests import OptionsRequest, PictureRequest

_TURN_ACTIONS = frozenset({"undo", "undo-turn", "end-turn"})
_MAX_LINES = 6
_MAX_LINE = 200


class TurnHandler(FormHandler[SelectionQuery]):
    """Shows the turn message and acts on its buttons, lists and form."""

    kind = "mka-turn"
    query = SelectionQuery
    form_title = "Choose an army"

    async def open(self, interaction: Interaction, battle: Battle) -> None:
        """Answer a press on the panel with the turn message; RuleError if it isn't the user's turn."""
        state = await self._state(battle)
        _expect_turn(interaction, battle, state)
        await defer(interaction, private=True)
        selection = Selection(battle.id, battle.version).refreshed(board_of(state), state.turn, battle.version)
        await self._edit(interaction, battle, state, selection)

    async def press(self, interaction: Interaction, selection: Selection, what: str) -> None:
        """Act on a button; RuleError if it isn't the user's turn or the rules don't allow it."""
        battle, state, board = await self._load(interaction, selection)
        if what == "form":
            await self._open_form(interaction, selection, board)
        elif what == "orders":
            legal = self._bot.services[Presenters].of(battle.system).legal_action(battle, state, "write")
            await self._bot.services[BattleForms].open(interaction, battle, legal)
        else:
            await acknowledge(interaction)
            if selection.version != battle.version:
                await self._refresh(interaction, battle, state, selection)
            elif what in _TURN_ACTIONS:
                await self._choose(interaction, selection, what)
            elif not await self._show_view(interaction, battle, state, selection, what):
                await self._order(interaction, state, selection, what)

    async def choose_army(self, interaction: Interaction, selection: Selection, value: str) -> None:
        """Select another army."""
        battle, state, board = await self._load(interaction, selection)
        at = _number(value)
        if at is None or at not in board.armies_of(state.turn):
            at = selection.at
        await acknowledge(interaction)
        now = replace(selection, at=at, units=0).refreshed(board, state.turn, battle.version)
        await self._edit(interaction, battle, state, now)

    async def discover(self, interaction: Interaction, selection: Selection, value: str) -> None:
        """Discover a technology."""
        battle, state, _ = await self._load(interaction, selection)
        tech = next((technology for technology in Technology if technology == value), None)
        if tech is None:
            raise RuleError("This list is out of date: press Your turn on the panel again.")
        await acknowledge(interaction)
        if selection.version != battle.version:
            await self._refresh(interaction, battle, state, selection)
        else:
            await self._give(interaction, selection, [Discover(at=selection.at, tech=tech)])

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Select the army and units typed into the form."""
        query = self.read(stored).filled(values)
        await acknowledge(interaction)
        try:
            selection = read_selection(query.hand)
            battle, state, board = await self._load(interaction, selection)
            now = apply_selection(query, selection, state, board)
        except RuleError as error:
            raise await self.reject(interaction, query, error) from error
        await self._edit(interaction, battle, state, replace(now, version=battle.version))

    async def act(self, interaction: Interaction, stored: StoredQuery, _action: str) -> None:
        """Open the form again, filled with the typed values."""
        await self.send_form(interaction, stored, self.read(stored))

    async def _load(self, interaction: Interaction, selection: Selection) -> tuple[Battle, State, Board]:
        battle = await self._bot.services[BattleService].find(selection.battle_id, origin_of(interaction))
        state = await self._state(battle)
        _expect_turn(interaction, battle, state)
        return battle, state, board_of(state)

    async def _refresh(self, interaction: Interaction, battle: Battle, state: State, selection: Selection) -> None:
        """Update a stale turn message without acting on the press."""
        now = selection.refreshed(board_of(state), state.turn, battle.version)
        note = "⚠️ The game has moved on; this is how it stands now. Nothing was done."
        await self._edit(interaction, battle, state, now, [note])

    async def _show_view(
        self, interaction: Interaction, battle: Battle, state: State, selection: Selection, what: str
    ) -> bool:
        """Show another view of the message if the button only does that; return whether it does."""
        board = board_of(state)
        if selection.at not in board.armies_of(state.turn):
            raise RuleError("This army is gone: press Your turn on the panel again.")
        army_units = board.armies[selection.at].units
        selections: dict[str, Callable[[], Selection]] = {
            "all": lambda: replace(selection, units=0),
            "half": lambda: replace(selection, units=army_units // 2),
            "pace": lambda: replace(selection, pace=STEP if selection.pace == FORCED else FORCED),
            "back": lambda: selection,
        }
        if what in selections:
            await self._edit(interaction, battle, state, selections[what]())
            return True
        if what == "tech":
            options = await self._options(interaction, state, selection)
            await show_view(interaction, tech_view(board, state.turn, selection, options))
            return True
        option = await self._move_option(interaction, state, selection, what, "go")
        if option is None or option.to is None or option.result is None:
            return False
        clash = attack_clash(board, state.turn, selection.at, option.to, selection.going(board))
        picture = await self._picture(interaction, state, selection)
        await show_view(interaction, attack_view(board, selection, option, clash, picture), picture)
        return True

    async def _order(self, interaction: Interaction, state: State, selection: Selection, what: str) -> None:
        if what in TILE_VERBS:
            await self._give(interaction, selection, [TileOrder(at=selection.at, do=what)])
            return
        for kind in ("go", "hit", "parts"):
            option = await self._move_option(interaction, state, selection, what, kind)
            if option is not None:
                await self._give(interaction, selection, _orders(selection, option, kind), option)
                return
        raise RuleError("This button is out of date: press Your turn on the panel again.")

    async def _move_option(
        self, interaction: Interaction, state: State, selection: Selection, what: str, kind: str
    ) -> MoveOption | None:
        """Return the option of a direction button of that kind; None for any other button."""
        pressed = next((direction for direction in Direction if what == f"{kind}-{direction.lower()}"), None)
        if pressed is None:
            return None
        options = await self._options(interaction, state, selection)
        return next(option for option in options.moves if option.direction is pressed)

    async def _options(self, interaction: Interaction, state: State, selection: Selection) -> ArmyOptions:
        request = OptionsRequest(state=state, at=selection.at, units=selection.units or None)
        return await self._bot.simulator.run(request, caller_of(interaction))

    async def _give(
        self, interaction: Interaction, selection: Selection, orders: Sequence[Order], option: MoveOption | None = None
    ) -> None:
        preferred = [] if option is None or option.to is None else [option.to, selection.at]
        await self._choose(interaction, selection, "give", Give(orders=tuple(orders)), preferred)

    async def _choose(
        self,
        interaction: Interaction,
        selection: Selection,
        name: str,
        action: Give | None = None,
        preferred: Sequence[int] = (),
    ) -> None:
        """Take an action of the battle and answer in the turn message before the panel is updated."""

        async def answered() -> None:
            battle = await self._bot.services[BattleService].find(selection.battle_id, origin_of(interaction))
            state = await self._state(battle)
            notes = await self._last_step_lines(battle)
            if not _is_turn(interaction, battle, state):
                await show_view(
                    interaction, text_view(["### 🏁 Your turn is over", *(["\n".join(notes)] if notes else [])])
                )
                return
            now = selection.refreshed(board_of(state), state.turn, battle.version, *preferred)
            await self._edit(interaction, battle, state, now, notes)

        await self._bot.services[BattleService].act(
            interaction, selection.battle_id, selection.version, name, action, answered=answered
        )

    async def _last_step_lines(self, battle: Battle) -> list[str]:
        entry = await self._bot.services[BattleRepository].last_entry(battle.id)
        if entry is not None and entry.kind is Kind.END:  # the step that ended the game precedes it
            entry = (await self._bot.services[BattleRepository].journal(battle.id))[-2]
        presenter = self._bot.services[Presenters].of(battle.system)
        lines = [] if entry is None else short_log(presenter.read_events(entry.events))
        return [plain(line.strip(), _MAX_LINE) for line in lines[-_MAX_LINES:]]

    async def _edit(
        self,
        interaction: Interaction,
        battle: Battle,
        state: State,
        selection: Selection,
        notes: Sequence[str] = (),
    ) -> None:
        options = None
        if selection.at != NO_ARMY:
            try:
                options = await self._options(interaction, state, selection)
            except RuleError as error:  # too busy: still show what happened
                notes = [*notes, error_text(error)]
        picture = await self._picture(interaction, state, selection)
        view = turn_view(battle.number, state, board_of(state), selection, options, notes, picture)
        await show_view(interaction, view, picture)

    async def _picture(self, interaction: Interaction, state: State, selection: Selection) -> Picture | None:
        """Return the map around the selected army, or at the front without one."""
        selected = None if selection.at == NO_ARMY else selection.at
        request = PictureRequest(state=state, part=Part.FRONT, player=state.turn, selected=selected)
        return await map_picture(self._bot, request, caller_of(interaction))

    async def _open_form(self, interaction: Interaction, selection: Selection, board: Board) -> None:
        tile = "" if selection.at not in board.armies else board.tile_name(selection.at)
        query = SelectionQuery(hand=str(selection), place=tile, units=str(selection.units or ""))
        await self.send_form(interaction, await self.store(interaction, query), query)

    async def _state(self, battle: Battle) -> State:
        state: State = await self._bot.services[Presenters].of(battle.system).read_state(battle)
        return state


def _orders(selection: Selection, option: MoveOption, kind: str) -> list[Order]:
    """Return the orders of a direction button; RuleError if they aren't possible."""
    if kind == "go" and selection.pace == FORCED and option.march is not None:
        return [option.march]
    if option.order is None or option.to is None:
        raise RuleError(option.why or "You can't do that now.")
    if kind != "go" and option.result is None:
        raise RuleError("The enemy is gone.")
    if kind == "parts" and option.split is not None:
        return [DirectedOrder(at=selection.at, to=option.to, units=part, do="attack") for part in option.split.parts]
    return [option.order]


def _is_turn(interaction: Interaction, battle: Battle, state: State) -> bool:
    holds_seat = seat_of(state.turn) in battle.seats_of(interaction.user.id)
    return battle.is_open and state.phase is Phase.PLAYING and holds_seat and state.player(state.turn).played_by is None


def _expect_turn(interaction: Interaction, battle: Battle, state: State) -> None:
    if _is_turn(interaction, battle, state):
        return
    if not battle.is_open or state.phase is Phase.OVER:
        raise RuleError(f"#{battle.number} is over.")
    if state.phase is Phase.LOBBY:
        raise RuleError(f"#{battle.number} hasn't begun yet.")
    raise RuleError(f"It is {state.player(state.turn).name}'s turn.")


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_TILE_NAME else None
