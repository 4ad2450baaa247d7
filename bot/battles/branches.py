"""`/battle branch` and "What if?": opens a battle that goes on from a row of one that is over, with dice of its own.

Its head holds the state at that row, so its file is whole: no seed of the other battle is needed to check it, its dice
are its own alone, and no undo leads behind its beginning. The row's hash ties it to the other battle's journal.
"""

from collections.abc import Awaitable

from bot.answers.handler import FormHandler, Query
from bot.battles.consent import seats_at
from bot.battles.journal import stand_after
from bot.battles.presenter import DropIn, Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.store.database import Connection, cooperative, off_loop
from bot.store.queries import StoredQuery
from bot.ui.interactions import defer, origin_of
from bot.ui.modals import Fields, text_field
from sim.core.battle import REFEREE, Seat
from sim.core.errors import RuleError
from sim.core.journal import Branch, active_steps
from sim.core.numbers import quantity
from sim.core.values import read_strict

_FIELD = "row"
_MAX_ROW = 5


class BranchQuery(Query):
    """A question from which row of a battle to go on."""

    private: bool = True
    battle_id: int
    row: str = ""


class BranchForms(FormHandler[BranchQuery]):
    """Asks from which row to go on, and opens the battle."""

    kind = "battle-branch"
    form_action = "open"

    async def ask(self, interaction: Interaction, battle: Battle) -> None:
        """Open the form; the interaction is unanswered."""
        await self.new_form(interaction, BranchQuery(battle_id=battle.id))

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Open the battle."""
        query = self.read(stored).model_copy(update={"row": values.get(_FIELD, "").strip()})
        async with self.fixable(interaction, query):
            if not (query.row.isascii() and query.row.isdigit()):
                raise RuleError("Type the number of a row, such as 3; 0 is the beginning.")
            await self.open(interaction, await self._find(interaction, query), int(query.row))

    async def open(self, interaction: Interaction, battle: Battle, row: int) -> None:
        """Answer with the battle that goes on after a row; RuleError unless that one is over and was not by then."""
        if battle.is_open:
            raise RuleError(f"#{battle.number} isn't over yet. Once it is, you can try what might have been.")
        if not 0 <= row <= battle.version:
            raise RuleError(f"#{battle.number} has {quantity(battle.version, 'row')}; 0 is the beginning.")
        await defer(interaction, private=False)
        repository, presenter = self._bot.services[BattleRepository], self._bot.services[Presenters].of(battle.system)
        rows = (await repository.journal_rows(battle.id))[:row]
        at = await stand_after(self._bot, battle, rows)
        if at.outcome is not None:
            raise RuleError(f"#{battle.number} was over after row {row}: {at.outcome.why}. Go on from an earlier row.")
        state = await off_loop(len(at.state), read_strict, at.state)
        branch = Branch(hash=rows[-1].hash if rows else battle.head_row.hash, row=row, state=state)
        seats = [place.seat for place in battle.places]
        if isinstance(presenter, DropIn):  # nobody can take a free seat: all who were there are played by one person
            entries = [entry.parse() async for entry in cooperative(rows)]
            seats = [change.seat for change in seats_at(presenter, entries, row)]
        bots = {place.seat: place.character for place in battle.places if place.is_bot and place.seat in seats}
        taken = _taken(battle, interaction.user.id, [seat for seat in seats if seat not in bots])
        own = set(seats) - bots.keys() if isinstance(presenter, DropIn) else taken
        people = {seat: interaction.user.id if seat in own else None for seat in seats}

        def hook(conn: Connection, opened: Battle) -> Awaitable[int]:
            return conn.execute("UPDATE battles SET branch_of = ? WHERE id = ?", [battle.number, opened.id])

        service, setup_json = self._bot.services[BattleService], battle.setup_json
        await service.open(interaction, presenter, setup_json, people, bots, hook=hook, branch=branch)

    async def _find(self, interaction: Interaction, query: BranchQuery) -> Battle:
        return await self._bot.services[BattleService].find(query.battle_id, origin_of(interaction))

    async def layout(self, interaction: Interaction, query: BranchQuery) -> tuple[str, Fields]:
        """Ask for a row, by default the one before the last step."""
        battle = await self._find(interaction, query)
        steps = active_steps(await self._bot.services[BattleRepository].journal_rows(battle.id))
        before = str(steps[-1].n - 1 if steps else 0)
        hint = f"0 is the beginning, {before} just before the last step. /battle log and the replay number the rows."
        field = text_field(_FIELD, "Go on after which row?", query.row or before, max_length=_MAX_ROW, hint=hint)
        return f"#{battle.number}: what if?", [field]


def _taken(battle: Battle, user_id: int, seats: list[Seat]) -> set[Seat]:
    """Return the seats of who asks: the referee's, and their own ones, else the first fighter's."""
    fighters = [seat for seat in seats if seat != REFEREE]
    own = [seat for seat in battle.seats_of(user_id) if seat in fighters]
    return {REFEREE, *(own or fighters[:1])}
