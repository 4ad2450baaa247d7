"""Seals battles: names the beacon's round, posts the seal before it is due, and writes the signature when it comes.

From then on there are dice. Who pressed before waits, and needn't press again.
"""

import asyncio
import logging
from collections import Counter
from contextlib import suppress
from functools import partial

import discord

from bot.battles.followers import EndedBattles, EndedListener
from bot.battles.panel import LATE_SECONDS
from bot.battles.publisher import PanelPublisher
from bot.beacon import BeaconClient
from bot.client import UNDELIVERED, Client, Interaction, undelivered
from bot.logging_setup import event
from bot.result_cache import current_notice
from bot.store import OWN_WORK, BattleGoneError, BattleOverError, StaleError
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.store.transactions import Commit, PanelRepository, house_rows
from bot.ui.error_replies import MarkdownError
from sim.core.journal import Kind
from sim.core.seal import AHEAD_SECONDS, LEAD_SECONDS, PostedSeal, Seal
from sim.core.values import canonical

PATIENCE_SECONDS = 13 * 60
"""How long a press waits; Discord takes answers for 15 minutes."""

_log = logging.getLogger("fracas.beacon")


class SealService(EndedListener):
    """Seals battles that name a chain; the others have their dice from the start."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._battles = bot.services[BattleRepository]
        self._publisher = bot.services[PanelPublisher]
        self._beacon = bot.services[BeaconClient]
        self._work: dict[int, asyncio.Task[None]] = {}
        self._pressed: Counter[int] = Counter()
        bot.services[EndedBattles].add(self)

    def note(self, at: float) -> tuple[Kind, str]:
        """Return the kind and the action of the row that names a round; `at`: when it is named for, in Unix seconds."""
        return Kind.ROUND, canonical({"round": self._beacon.beacon.first_round(at + LEAD_SECONDS)})

    async def name_round(self, battle: Battle, at: float) -> bool:
        """Name the round of a locked battle, as of `note`, if that is still to be done; return whether it was."""
        if battle.chain is None or battle.key is not None:
            return False
        if is_new := battle.seal is None:
            rows = house_rows(battle, [self.note(at)])
            with suppress(StaleError):  # another process was faster
                await self._battles.commit(battle.id, battle.version, None, Commit(rows, battle.state_json))
        self.watch(battle.id)
        return is_new

    def watch(self, battle_id: int) -> asyncio.Task[None]:
        """Seal a battle that has named its round, in a task of its own; there is one for each battle."""
        task = self._work.get(battle_id)
        if task is None:
            task = self._work[battle_id] = asyncio.create_task(self._seal(battle_id))
            task.add_done_callback(partial(self._ended, battle_id))
        return task

    def _ended(self, battle_id: int, task: asyncio.Task[None]) -> None:
        del self._work[battle_id]
        if not task.cancelled() and (error := task.exception()) is not None:  # `resume` begins anew
            event(_log, "sealing_failed", level=logging.ERROR, exc_info=error, battle=battle_id)

    async def resume(self) -> None:
        """Go on with the battles that wait for their round, such as after a restart; other processes have their own."""
        for battle in await self._battles.waiting_for_beacon():
            if self._bot.serves(battle.guild_id or 0):
                self.watch(battle.id)

    async def wait(self, battle_id: int, interaction: Interaction, *, named: bool) -> None:
        """Wait until a battle has its dice; its player reads until when. `named`: the panel doesn't say so yet.

        RuleError if they don't come in time.
        """
        task = self.watch(battle_id)
        if named:
            await self._publisher.refresh(battle_id, interaction)
        battle = await self._battles.get(battle_id, OWN_WORK)
        if battle is None or battle.seal is None or battle.key is not None:
            return
        text = f"🎲 Your press is taken <t:{battle.seal.due + 1}:R>: {_why(battle.seal)}."
        self._pressed[battle_id] += 1
        told: discord.WebhookMessage | None = None
        try:
            with undelivered(_log, "not_answered"):  # the panel says the same
                told = await interaction.followup.send(text, ephemeral=True, wait=True)
            if not await self._has_come(task):
                raise MarkdownError(f"{waiting_text(battle)} It hasn't come yet: please press again later.")
        finally:
            self._pressed[battle_id] -= 1
            if told is not None:
                with undelivered(_log, "not_retired"):
                    await told.delete()

    async def _has_come(self, task: asyncio.Task[None]) -> bool:
        """Wait for the work on a battle for as long as a press may; return whether it was done."""
        await asyncio.wait({task}, timeout=PATIENCE_SECONDS)
        return task.done() and (task.cancelled() or task.exception() is None)

    async def missing(self) -> list[int]:
        """Return the battles that are being sealed."""
        return list(self._work)

    async def ended(self, battle: Battle) -> None:
        """Stop waiting for the dice of a battle that was ended before it had any."""
        self._work[battle.id].cancel()

    async def close(self) -> None:
        """Stop the work; it goes on after the next start."""
        for task in self._work.values():
            task.cancel()
        await asyncio.gather(*self._work.values(), return_exceptions=True)

    async def _seal(self, battle_id: int) -> None:
        current_notice.set(None)  # this work isn't one player's
        battle = await self._battles.get(battle_id, OWN_WORK)
        if battle is None or battle.seal is None or battle.key is not None or not battle.is_open:
            return
        coming = asyncio.ensure_future(self._beacon.signature(battle.seal.beacon, battle.seal.round))
        try:
            left = battle.seal.due - AHEAD_SECONDS - self._bot.clock()
            if battle.seal_id is None and left > 0:
                await self._post(battle, battle.seal, left)
            late = max(0.0, battle.seal.due + LATE_SECONDS - self._bot.clock())
            if not (await asyncio.wait({coming}, timeout=late))[0]:
                await self._publisher.publish(battle_id)
            signature = await coming
        finally:
            coming.cancel()
        while not await self._write(battle_id, signature):
            pass
        if not self._pressed[battle_id]:  # else the press shows the panel with its step
            await self._publisher.publish(battle_id)

    async def _post(self, battle: Battle, seal: Seal, left: float) -> None:
        """Post the seal as a message of its own, in the seconds `left`; who saw it in time can check the dice later."""
        text = (
            f"🔏 The seal of #{battle.number}: `{seal.hash}`\n"
            f"-# Its dice follow from the bot's secret seed and from round {seal.round} of {seal.beacon.name},"
            f" due <t:{seal.due}:T>. Nobody knows both now."
        )
        channel = self._bot.get_partial_messageable(battle.shown_in, guild_id=battle.guild_id)
        why = "the message would be too late"
        try:
            async with asyncio.timeout(left):
                # After a restart in between Discord, which takes 25 characters, returns the message that is there.
                message = await channel.send(text, nonce=seal.hash[:25])
            if PostedSeal(seal.hash, message.id).ahead(seal.due) >= AHEAD_SECONDS:
                await self._bot.services[PanelRepository].set_seal(battle.id, message.id)
                return
        except (TimeoutError, *UNDELIVERED) as error:
            why = str(error) or why
        event(_log, "not_sealed", level=logging.WARNING, battle=battle.id, error=why)

    async def _write(self, battle_id: int, signature: str) -> bool:
        """Write the signature, unless another process did; return False if the battle changed meanwhile."""
        try:
            async with self._battles.locked(battle_id, OWN_WORK) as battle:
                if battle.key is None and battle.is_open:
                    rows = house_rows(battle, [(Kind.BEACON, canonical({"signature": signature}))])
                    await self._battles.commit(battle_id, battle.version, None, Commit(rows, battle.state_json))
        except StaleError:
            return False
        except (BattleOverError, BattleGoneError):  # by another process
            pass
        return True


def _why(seal: Seal) -> str:
    return f"the dice come from round {seal.round} of {seal.beacon.name}, due <t:{seal.due}:R>"


def waiting_text(battle: Battle) -> str:
    """Return why an action that needs dice has to wait, as Markdown."""
    if battle.seal is None:
        return f"#{battle.number} has no dice yet: the first press on its panel brings them."
    return f"#{battle.number} waits: {_why(battle.seal)}."
