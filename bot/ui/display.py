"""Shows what is stored: posts and edits the panels of battles, and retires the old ones."""

import asyncio
import io
import logging
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import discord

from bot.logs import event
from bot.render.battle import Shown, panel_text
from bot.store.battle import Battle
from bot.store.panels import Panels
from bot.store.undo import UndoRequests
from bot.ui.faces import Face
from bot.ui.panel import panel_view, retired_view
from bot.ui.presses import caller_of
from sim.core.errors import RuleError
from sim.history import standing

if TYPE_CHECKING:
    from bot.app import Fracas

_log = logging.getLogger("fracas.display")

UNKNOWN_CHANNEL, UNKNOWN_MESSAGE = 10003, 10008
# The interaction can't be answered any more, but the channel's message may still be edited.
_SPENT = frozenset({10015, 10062, 40060, 50027})

Press = "discord.Interaction[Fracas] | None"


class Display:
    """The panels in the channels; every change shown is one that the database holds."""

    def __init__(self, bot: "Fracas", panels: Panels, undo: UndoRequests) -> None:
        self._bot = bot
        self._panels = panels
        self._undo = undo
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def refresh(self, battle_id: int, press: "discord.Interaction[Fracas] | None" = None) -> None:
        """Show how a battle stands now: in its panel, or in a fresh one where that is gone.

        `press`: an interaction that is acknowledged; what it can answer costs no rate limit.
        """
        async with self._turn(battle_id):
            battle = await self._bot.battles.get(battle_id)
            if battle is None:
                return
            view, files, face = await self._view(battle, press)
            if not await self._edit(battle, press, view, files):
                battle = await self._post(battle, press, view, files)
            await self._panels.shown(battle)
            await self._retire(battle, face, press)

    async def post(self, battle_id: int, command: "discord.Interaction[Fracas]") -> None:
        """Make the answer of a deferred command the battle's panel; the one before retires."""
        async with self._turn(battle_id):
            battle = await self._bot.battles.get(battle_id)
            if battle is None:
                return
            view, files, face = await self._view(battle, command)
            message = await command.edit_original_response(view=view, attachments=files)
            battle = await self._panels.set_panel(battle_id, message.id)
            await self._panels.shown(battle)
            await self._retire(battle, face, None)

    async def pending(self) -> int:
        """Show everything that was stored but not shown, and return how many battles that were."""
        battles = await self._panels.pending()
        shown = 0
        for battle in battles:
            try:
                await self.refresh(battle.id)
                shown += 1
            except (discord.HTTPException, RuleError) as error:
                # One channel that can't be reached must not keep the others from being shown.
                event(_log, "not_shown", level=logging.WARNING, battle=battle.id, error=str(error))
        return shown

    def _turn(self, battle_id: int) -> asyncio.Lock:
        # One at a time: an older picture of a battle must not overtake a newer one.
        return self._locks.setdefault(battle_id, asyncio.Lock())

    async def _view(
        self, battle: Battle, press: "discord.Interaction[Fracas] | None"
    ) -> tuple[discord.ui.LayoutView, list[discord.File], Face]:
        face = self._bot.face(battle.system)
        entries = standing(await self._bot.battles.journal(battle.id))
        shown = await face.show(battle, entries, None if press is None else caller_of(press))
        asked = await self._undo.asked(battle.id)
        asks = None if asked is None else f"↩️ <@{asked.user_id}> asks to take the last step back."
        view = panel_view(battle, face, shown, panel_text(battle, face.title, shown, asks=asks), asked)
        return view, _files(shown), face

    async def _edit(
        self,
        battle: Battle,
        press: "discord.Interaction[Fracas] | None",
        view: discord.ui.LayoutView,
        files: list[discord.File],
    ) -> bool:
        """Edit the panel and return True, or False when there is none any more."""
        if battle.panel_id is None:
            return False
        try:
            if press is not None and press.message is not None and press.message.id == battle.panel_id:
                try:
                    await press.edit_original_response(view=view, attachments=files)
                except discord.HTTPException as error:
                    if error.code not in _SPENT:
                        raise
                    await self._message(battle, battle.panel_id).edit(view=view, attachments=files)
            else:
                await self._message(battle, battle.panel_id).edit(view=view, attachments=files)
        except discord.NotFound as error:
            if error.code != UNKNOWN_MESSAGE:
                raise
            return False
        return True

    async def _post(
        self,
        battle: Battle,
        press: "discord.Interaction[Fracas] | None",
        view: discord.ui.LayoutView,
        files: list[discord.File],
    ) -> Battle:
        """Post a fresh panel; `files` were not sent yet, or are read again from their beginning."""
        for file in files:
            file.reset()
        # After a command's defer a further message would take the place, and the privacy, of the one that thinks.
        if press is not None and press.message is not None and not press.message.flags.ephemeral:
            message: discord.Message = await press.followup.send(view=view, files=files, wait=True)
        else:
            message = await self._channel(battle).send(view=view, files=files)
        return await self._panels.set_panel(battle.id, message.id)

    async def _retire(self, battle: Battle, face: Face, press: "discord.Interaction[Fracas] | None") -> None:
        """Take the buttons away from the older panels, and from the pressed message if it is none of them."""
        pressed = None if press is None or press.message is None else press.message.id
        for message_id in battle.panels_retired:
            view = retired_view(battle, face.title)
            try:
                if message_id == pressed and press is not None:
                    await press.edit_original_response(view=view, attachments=[])
                else:
                    await self._message(battle, message_id).edit(view=view, attachments=[])
            except discord.HTTPException as error:
                if error.code not in {UNKNOWN_MESSAGE, UNKNOWN_CHANNEL}:
                    event(_log, "not_retired", level=logging.WARNING, battle=battle.id, code=error.code)
                    continue
            await self._panels.cleared(battle.id, message_id)

    async def repair(self, battle: Battle, press: "discord.Interaction[Fracas]") -> None:
        """Bring the message whose old button was pressed up to date: the panel as it is now, or a link to it."""
        if press.message is None or battle.panel_id is None or press.message.id == battle.panel_id:
            await self.refresh(battle.id, press)
            return
        if press.message.flags.ephemeral:
            return
        view = retired_view(battle, self._bot.face(battle.system).title)
        await press.edit_original_response(view=view, attachments=[])
        await self._panels.cleared(battle.id, press.message.id)

    def _channel(self, battle: Battle) -> discord.PartialMessageable:
        return self._bot.get_partial_messageable(battle.channel_id, guild_id=battle.guild_id)

    def _message(self, battle: Battle, message_id: int) -> discord.PartialMessage:
        return self._channel(battle).get_partial_message(message_id)


def _files(shown: Shown) -> list[discord.File]:
    return [] if shown.picture is None else [discord.File(io.BytesIO(shown.picture.data), shown.picture.name)]
