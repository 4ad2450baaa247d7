"""Rematches: a closed battle is opened again, from its setup in the database, with the same people and a new seed."""

from bot.battles.presenter import AnyPresenter, DropIn, HasRematches, Presenters, Rematch, mixin_of
from bot.battles.service import BattleService
from bot.client import Client, Interaction
from bot.cooperative import off_loop
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.ui.interactions import channel_of, origin_of
from sim.core.errors import RuleError


class RematchService:
    """Opens rematches."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._service = bot.services[BattleService]
        self._battles = bot.services[BattleRepository]

    async def open(self, interaction: Interaction, battle_id: int, *, swap: bool) -> None:
        """Answer a press with a new battle; RuleError for anybody but its players, and while a rematch is open."""
        # Under the lock two presses at the same time open one rematch.
        async with (
            self._service.explain_conflicts(interaction),
            self._battles.locked(battle_id, origin_of(interaction)) as battle,
        ):
            _expect_part(battle, interaction.user.id)
            presenter = self._bot.services[Presenters].of(battle.system)
            again = await _rematch(presenter, battle, swap=swap)
            if (found := await self._open_already(channel_of(interaction), presenter, battle, again)) is not None:
                raise RuleError(f"The rematch is open already: #{found.number}.")
            await self._service.open(interaction, presenter, again.setup, again.seats, again.bots)

    async def _open_already(
        self, channel_id: int, presenter: AnyPresenter, battle: Battle, again: Rematch
    ) -> Battle | None:
        """Return an open battle of the same people, or of anybody who joins, with the setup of the rematch."""
        people = set(again.seats.values()) - {None}
        for other in await self._battles.open_in(channel_id):
            if other.system != battle.system or other.created_at < battle.updated_at:
                continue
            same_people = isinstance(presenter, DropIn) or people == {place.user_id for place in other.places} - {None}
            if same_people and await _setup_of(presenter, other) == again.setup:
                return other
        return None


async def _setup_of(presenter: AnyPresenter, battle: Battle) -> object:
    return await off_loop(len(battle.setup_json), presenter.system.setups.read_json, battle.setup_json)


async def _rematch(presenter: AnyPresenter, battle: Battle, *, swap: bool) -> Rematch:
    """Return the rematch of a battle: the same setup, the same people in their seats, unless its game differs."""
    own = mixin_of(presenter, HasRematches)
    other = dict(zip(own.sides, reversed(own.sides), strict=True)) if swap else {}
    holders = {} if isinstance(presenter, DropIn) else {place.seat: place for place in battle.places}
    seats = {seat: holders[other.get(seat, seat)] for seat in holders}
    again = Rematch(
        await _setup_of(presenter, battle),
        {seat: place.user_id for seat, place in seats.items()},
        [seat for seat, place in seats.items() if place.is_bot],
    )
    return own.rematch(again, battle, await presenter.read_state(battle), swap=swap)


def _expect_part(battle: Battle, user_id: int) -> None:
    if battle.is_open:
        raise RuleError(f"#{battle.number} isn't over yet.")
    if not battle.seats_of(user_id) and user_id != battle.starter_id:
        raise RuleError(f"Only those who fought in #{battle.number}, or opened it, can start a rematch.")
