"""The arithmetic behind the exchanges of a fight, and the button that opens it."""

from bot.answers.document import Action, Document
from bot.answers.handler import QueryHandler
from bot.answers.query import Query
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.boss_fight.handlers import exchange_files
from bot.games.boss_fight.render.arithmetic import arithmetic_book
from bot.ui.items import PersistentButton
from bot.ui.progress import Progress
from sim.boss_fight.battle import Member, State
from sim.boss_fight.csv_files import write_deck
from sim.boss_fight.reports import ExchangeReport
from sim.boss_fight.requests import ExchangeRequest
from sim.core.errors import RuleError
from sim.workers import Caller

_NEXT = Action("next", "Next member", "⏩")


class ArithmeticQuery(Query):
    """The exchanges of a fight's member: the one at place `at` of `seats`."""

    battle_id: int
    seats: tuple[str, ...]
    at: int = 0


class ArithmeticHandler(QueryHandler[ArithmeticQuery]):
    """Shows every product behind the exchanges of a fight."""

    kind = "boss-arithmetic"
    query = ArithmeticQuery
    has_form = False

    async def check(self, _query: ArithmeticQuery, _caller: Caller) -> None:
        """Nothing is typed."""

    async def build_document(self, query: ArithmeticQuery, caller: Caller, _progress: Progress) -> Document:
        """Return the pages of one member."""
        number, state, member = await self._member(query)
        report = await self._report(state, member, caller)
        return arithmetic_book(number, state, member, report, (_NEXT,) if len(query.seats) > 1 else ())

    async def build_files(self, query: ArithmeticQuery, caller: Caller) -> dict[str, bytes]:
        """Return the exchange as text, and the deck."""
        _, state, member = await self._member(query)
        report = await self._report(state, member, caller)
        return {"deck.csv": write_deck(member.deck), **await exchange_files(self._bot, report, caller)}

    def apply_action(self, query: ArithmeticQuery, action: str) -> ArithmeticQuery | None:
        """Turn to the next member."""
        at = (query.at + 1) % len(query.seats)
        return query.model_copy(update={"at": at}) if action == _NEXT.action else None

    async def _member(self, query: ArithmeticQuery) -> tuple[int, State, Member]:
        battle = await self._bot.services[BattleService].find(query.battle_id)
        state: State = await self._bot.services[Presenters].of(battle.system).read_state(battle)
        member = state.member(query.seats[query.at])
        if member is None:
            raise RuleError("This member is no longer in the fight.")
        return battle.number, state, member

    async def _report(self, state: State, member: Member, caller: Caller) -> ExchangeReport:
        return await self._bot.simulator.run(ExchangeRequest(boss=state.setup.boss, deck=member.deck), caller)


class ArithmeticButton(PersistentButton, template=r"ba1:(?P<battle>[0-9]{1,18})"):
    """The way to every product behind a fight's exchanges."""

    kind = "arithmetic"

    async def pressed(self, interaction: Interaction) -> None:
        """Show the arithmetic to whoever pressed, from the last exchange's member on."""
        battle = await interaction.client.services[BattleService].find(int(self.match["battle"]))
        state: State = await interaction.client.services[Presenters].of(battle.system).read_state(battle)
        seats = [member.seat for member in state.members]
        if not seats:
            raise RuleError("Nobody has joined this fight yet.")
        first = seats.index(state.last.seat) if state.last is not None and state.last.seat in seats else 0
        query = ArithmeticQuery(battle_id=battle.id, seats=tuple(seats), at=first, private=True)
        await interaction.client.services[ArithmeticHandler].ask(interaction, query)
