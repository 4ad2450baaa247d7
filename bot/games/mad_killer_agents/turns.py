"""A player's turn by buttons, in a private message that the panel opens; each press is an order of its own."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import discord

from bot.answers.handler import FormHandler
from bot.battles.battle_modal import BattleForms
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.mad_killer_agents.picking import MOST_PLACE, SelectionQuery, chosen, read_selection, selection_form
from bot.games.mad_killer_agents.selection import FORCED, NOBODY, STEP, Selection
from bot.games.mad_killer_agents.views import attack_view, tech_view, turn_view
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.queries import StoredQuery
from bot.ui.interactions import acknowledged, caller_of
from bot.ui.layout import text_view
from bot.ui.text import plain
from sim.core.errors import RuleError
from sim.core.journal import Kind
from sim.mad_killer_agents.battle.actions import Give
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.move_options import clash
from sim.mad_killer_agents.battle.options import Direction, Options, OptionsRequest, Way, board_of
from sim.mad_killer_agents.battle.orders import Attack, Discover, Found, Grow, Lower, Order, Pass, Raise
from sim.mad_killer_agents.battle.values import Phase, State, seat_of
from sim.mad_killer_agents.constants import Technology

_HERE: dict[str, type[Found | Grow | Lower | Raise | Pass]] = {
    "found": Found,
    "grow": Grow,
    "lower": Lower,
    "raise": Raise,
    "pass": Pass,
}
_CHOICES = frozenset({"undo", "undo-turn", "end-turn"})
_MOST_LINES = 6
_MOST_LINE = 200


class TurnHandler(FormHandler[SelectionQuery]):
    """Shows the private message and does what is pressed in it."""

    kind = "mka-turn"
    query = SelectionQuery

    async def open(self, interaction: Interaction, battle: Battle) -> None:
        """Answer a press on the panel with the private message; RuleError where it isn't the user's turn."""
        state = await self._state(battle)
        _expect_turn(interaction, battle, state)
        await interaction.response.defer(ephemeral=True, thinking=True)
        selection = Selection(battle.id, battle.version).fitting(board_of(state), state.turn, battle.version)
        await self._edit(interaction, battle, state, selection)

    async def press(self, interaction: Interaction, selection: Selection, what: str) -> None:
        """Do what a button says; RuleError where it isn't the user's turn or the rules don't allow it."""
        battle, state, board = await self._now(interaction, selection)
        if what == "form":
            await self._ask(interaction, selection, board)
        elif what == "orders":
            legal = self._bot.services[Presenters].of(battle.system).legal_action(battle, state, "write")
            await self._bot.services[BattleForms].open(interaction, battle, legal)
        elif await acknowledged(interaction):
            if selection.version != battle.version:
                await self._renew(interaction, battle, state, selection)
            elif what in _CHOICES:
                await self._choose(interaction, selection, what)
            elif not await self._look(interaction, battle, state, selection, what):
                await self._order(interaction, state, selection, what)

    async def choose_army(self, interaction: Interaction, selection: Selection, value: str) -> None:
        """Select another army."""
        battle, state, board = await self._now(interaction, selection)
        at = _number(value)
        if at is None or at not in board.armies_of(state.turn):
            at = selection.at
        if await acknowledged(interaction):
            now = replace(selection, at=at, units=0).fitting(board, state.turn, battle.version)
            await self._edit(interaction, battle, state, now)

    async def discover(self, interaction: Interaction, selection: Selection, value: str) -> None:
        """Discover a technology."""
        battle, state, _ = await self._now(interaction, selection)
        tech = next((technology for technology in Technology if technology == value), None)
        if tech is None:
            raise RuleError("This list is of an older version; please press the panel's button again.")
        if not await acknowledged(interaction):
            return
        if selection.version != battle.version:
            await self._renew(interaction, battle, state, selection)
        else:
            await self._give(interaction, selection, [Discover(at=selection.at, tech=tech)])

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Select what the form says: another army, or a part of one."""
        opened = self.read(stored)
        query = opened.model_copy(update={name: values.get(name, "") for name in ("place", "units")})
        if not await acknowledged(interaction):
            return
        try:
            selection = read_selection(query.hand)
            battle, state, board = await self._now(interaction, selection)
            now = chosen(query, selection, state, board)
        except RuleError as error:
            raise await self.rejected(interaction, query, error) from error
        await self._edit(interaction, battle, state, replace(now, version=battle.version))

    async def act(self, interaction: Interaction, stored: StoredQuery, _action: str) -> None:
        """Open the form once more, filled with what was typed."""
        query = self.read(stored)
        await interaction.response.send_modal(selection_form(stored.id, query))

    async def _now(self, interaction: Interaction, selection: Selection) -> tuple[Battle, State, Board]:
        battle = await self._bot.services[BattleService].find(selection.battle_id)
        state = await self._state(battle)
        _expect_turn(interaction, battle, state)
        return battle, state, board_of(state)

    async def _renew(self, interaction: Interaction, battle: Battle, state: State, selection: Selection) -> None:
        """Show how it stands now in the place of an older message, and do nothing."""
        now = selection.fitting(board_of(state), state.turn, battle.version)
        note = "⚠️ Meanwhile the game went on; this is how it stands now. Nothing was done."
        await self._edit(interaction, battle, state, now, [note])

    async def _look(
        self, interaction: Interaction, battle: Battle, state: State, selection: Selection, what: str
    ) -> bool:
        """Show another side of the message where the button asks for that; return whether it does."""
        board = board_of(state)
        if selection.at not in board.armies_of(state.turn):
            raise RuleError("This army is no longer there; please press the panel's button again.")
        every = board.armies[selection.at].units
        turns: dict[str, Callable[[], Selection]] = {
            "all": lambda: replace(selection, units=0),
            "half": lambda: replace(selection, units=every // 2),
            "pace": lambda: replace(selection, pace=STEP if selection.pace == FORCED else FORCED),
            "back": lambda: selection,
        }
        if what in turns:
            await self._edit(interaction, battle, state, turns[what]())
            return True
        if what == "tech":
            options = await self._options(interaction, state, selection)
            await _show(interaction, tech_view(board, state.turn, selection, options))
            return True
        way = await self._way(interaction, state, selection, what, "go")
        if way is None or way.to is None or not isinstance(way.order, Attack):
            return False
        met = clash(board, state.turn, selection.at, way.to, selection.going(board))
        await _show(interaction, attack_view(board, selection, way, met))
        return True

    async def _order(self, interaction: Interaction, state: State, selection: Selection, what: str) -> None:
        if what in _HERE:
            await self._give(interaction, selection, [_HERE[what](at=selection.at)])
            return
        for kind in ("go", "hit", "parts"):
            way = await self._way(interaction, state, selection, what, kind)
            if way is not None:
                await self._give(interaction, selection, _orders(selection, way, kind), way)
                return
        raise RuleError("This button is of an older version; please press the panel's button again.")

    async def _way(
        self, interaction: Interaction, state: State, selection: Selection, what: str, kind: str
    ) -> Way | None:
        """Return the way that a button means, None where it means something else."""
        course = next((direction for direction in Direction if what == f"{kind}-{direction.lower()}"), None)
        if course is None:
            return None
        options = await self._options(interaction, state, selection)
        return next(way for way in options.ways if way.direction is course)

    async def _options(self, interaction: Interaction, state: State, selection: Selection) -> Options:
        request = OptionsRequest(state=state, at=selection.at, units=selection.units or None)
        return await self._bot.simulator.run(request, caller_of(interaction))

    async def _give(
        self, interaction: Interaction, selection: Selection, orders: Sequence[Order], way: Way | None = None
    ) -> None:
        wanted = [] if way is None or way.to is None else [way.to, selection.at]
        await self._choose(interaction, selection, "give", Give(orders=tuple(orders)), wanted)

    async def _choose(
        self,
        interaction: Interaction,
        selection: Selection,
        name: str,
        action: Give | None = None,
        wanted: Sequence[int] = (),
    ) -> None:
        """Make a choice of the battle; the private message tells what came of it before the panel does."""

        async def answered() -> None:
            battle = await self._bot.services[BattleService].find(selection.battle_id)
            state = await self._state(battle)
            notes = await self._told(battle, state)
            if not _is_turn(interaction, battle, state):
                await _show(
                    interaction, text_view(["### 🏁 Your turn is over", *(["\n".join(notes)] if notes else [])])
                )
                return
            now = selection.fitting(board_of(state), state.turn, battle.version, *wanted)
            await self._edit(interaction, battle, state, now, notes)

        await self._bot.services[BattleService].act(
            interaction, selection.battle_id, selection.version, name, action, answered=answered
        )

    async def _told(self, battle: Battle, state: State) -> list[str]:
        entry = await self._bot.services[BattleRepository].last_entry(battle.id)
        if entry is not None and entry.kind is Kind.END:  # the step that ended the game stands before it
            entry = (await self._bot.services[BattleRepository].journal(battle.id))[-2]
        presenter = self._bot.services[Presenters].of(battle.system)
        lines = [] if entry is None else presenter.log_lines(battle, state, presenter.read_events(entry.events))
        return [plain(line.strip(), _MOST_LINE) for line in lines[-_MOST_LINES:]]

    async def _edit(
        self,
        interaction: Interaction,
        battle: Battle,
        state: State,
        selection: Selection,
        notes: Sequence[str] = (),
    ) -> None:
        options = None
        if selection.at != NOBODY:
            try:
                options = await self._options(interaction, state, selection)
            except RuleError as error:  # too busy: what was done is told all the same
                notes = [*notes, f"⚠️ {error}"]
        await _show(interaction, turn_view(battle.number, state, board_of(state), selection, options, notes))

    async def _ask(self, interaction: Interaction, selection: Selection, board: Board) -> None:
        place = "" if selection.at not in board.armies else board.place(selection.at)
        query = SelectionQuery(hand=str(selection), place=place, units=str(selection.units or ""))
        kept = await self.store(interaction, query)
        await interaction.response.send_modal(selection_form(kept.id, query))

    async def _state(self, battle: Battle) -> State:
        state: State = await self._bot.services[Presenters].of(battle.system).read_state(battle)
        return state


def _orders(selection: Selection, way: Way, kind: str) -> list[Order]:
    """Return what a direction's button orders; RuleError where that isn't possible."""
    if kind == "go" and selection.pace == FORCED and way.march is not None:
        return [way.march]
    if way.order is None or way.to is None:
        raise RuleError(way.why or "That can't be done now.")
    if kind != "go" and not isinstance(way.order, Attack):
        raise RuleError("There is no enemy any more.")
    if kind == "parts" and way.split is not None:
        return [Attack(at=selection.at, to=way.to, units=part) for part in way.split.parts]
    return [way.order]


def _is_turn(interaction: Interaction, battle: Battle, state: State) -> bool:
    mine = seat_of(state.turn) in battle.seats_of(interaction.user.id)
    return battle.is_open and state.phase is Phase.PLAYING and mine and state.player(state.turn).played_by is None


def _expect_turn(interaction: Interaction, battle: Battle, state: State) -> None:
    if _is_turn(interaction, battle, state):
        return
    if not battle.is_open or state.phase is Phase.OVER:
        raise RuleError(f"#{battle.number} is over.")
    if state.phase is Phase.LOBBY:
        raise RuleError(f"#{battle.number} has not begun yet.")
    raise RuleError(f"It is {plain(state.player(state.turn).name)}'s turn.")


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_PLACE else None


async def _show(interaction: Interaction, view: discord.ui.LayoutView) -> None:
    await interaction.edit_original_response(view=view)
