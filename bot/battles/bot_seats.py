"""Gives free seats to the bot, and lets people take over from it."""

from bot.battles.opponents import CHARACTERS
from bot.battles.panel import expect_unseated, invites_bot
from bot.battles.presenter import JOINING_CLOSED, Presenters
from bot.battles.service import BattleService
from bot.battles.table_service import when_text
from bot.battles.timetable import Reseat
from bot.client import Client, Interaction
from bot.store.battles import BattleRepository
from bot.store.transactions import put_in_seat
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.interactions import acknowledge, origin_of
from sim.core.battle import REFEREE, Seat
from sim.core.errors import RuleError


class BotSeats:
    """Handles the buttons about the bot's seats."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._service = bot.services[BattleService]
        self._battles = bot.services[BattleRepository]

    async def press(self, interaction: Interaction, battle_id: int, what: str, of: str) -> None:
        """Handle a press on a button that gives free seats to a character, or the seat of one to the user."""
        await acknowledge(interaction)
        async with self._service.explain_conflicts(interaction):
            await (self._fight if what == "bot" else self._relieve)(interaction, battle_id, of)
            await self._service.publish(battle_id, interaction)

    async def _fight(self, interaction: Interaction, battle_id: int, character: str) -> None:
        """Give the free seats to a character of the bot, but the first to a user who has none."""
        battle, user_id = await self._service.find(battle_id, origin_of(interaction)), interaction.user.id
        if character not in CHARACTERS or not invites_bot(await self._bot.services[Presenters].position(battle)):
            raise RuleError(OUTDATED_BUTTON)
        free = [place for place in battle.places if place.is_open]
        if len(free) == 1 and not set(battle.seats_of(user_id)) - {REFEREE}:
            raise RuleError(f"Only players in #{battle.number} can choose the bot: press Join to fight yourself.")
        battle = await self._battles.seat_bot(battle_id, character, user_id, interaction.id)
        await self._service.seated(interaction, battle)

    async def _relieve(self, interaction: Interaction, battle_id: int, seat: Seat) -> None:
        """Let a user without a seat take over the bot's."""
        user_id = interaction.user.id
        async with self._battles.locked(battle_id, origin_of(interaction)) as battle:
            place = battle.place(seat)
            if not battle.is_open or place is None or not place.is_bot:
                raise RuleError("The bot doesn't have that seat any more.")
            if battle.joining_closed:
                raise RuleError(JOINING_CLOSED.format(battle.number))
            expect_unseated(battle, user_id)
            when = when_text(await self._bot.services[Presenters].position(battle))
            note = Reseat(at=int(self._bot.clock()), seat=seat, when=when)
            hook = put_in_seat(battle.id, seat, user_id, left_at=battle.version + 1)
            await self._service.note(battle, note, seat, actor_id=user_id, interaction=interaction, hook=hook)
