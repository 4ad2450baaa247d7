"""Publishes panels: posts and edits the messages that show battles, and retires the old ones.

The panel of a battle that is over links to the site on which anybody can watch it and check its dice
(`bot.replay_site`).
"""

import asyncio
import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import discord

from bot.battles.clocks import Waiting, notes_of, panel_url, remind, waiting_in
from bot.battles.endings import Endings
from bot.battles.followers import EndedBattles, Followers
from bot.battles.panel import LABEL, consent_button, open_buttons, panel_text, table_lines
from bot.battles.presenter import PanelContent, Position, Presenters
from bot.client import UNDELIVERED, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, Client, Interaction, UnreachableError, undelivered
from bot.logging_setup import event
from bot.store import OWN_WORK, BattleError
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.store.database import Database
from bot.store.threads import ThreadRepository
from bot.store.transactions import PanelRepository, UndoRequestRepository
from bot.ui import MAX_BUTTON_LINK, View, plain_view, text_view
from bot.ui.interactions import caller_of, edit_message
from sim.core import RuleError
from sim.core.journal import Journal
from sim.core.journal_file import fragment

_log = logging.getLogger("fracas.display")


LEFT_AT_ONCE = 5
"""How many panels that another process left are shown at the same time."""

ARCHIVED = 50083

# Only answers to interactions are possible here: the channel is gone, or the bot is no member, may not see it or write
# there, or writes to somebody who takes no messages.
_NO_ACCESS = frozenset({UNKNOWN_CHANNEL, 50001, 50007, 50013, 50278})


def lacks_access(error: Exception) -> bool:
    """Return whether a request failed because the bot can't show anything in the channel by itself."""
    return isinstance(error, discord.HTTPException) and error.code in _NO_ACCESS


@dataclass(frozen=True, slots=True)
class RenderedPanel:
    """A battle's panel, ready to be sent."""

    at: Position[Any]
    view: View
    content: PanelContent
    waiting: Waiting | None


class PanelPublisher:
    """Publishes panels of committed changes only."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._battles = bot.services[BattleRepository]
        self._panels = bot.services[PanelRepository]
        self._opening: set[int | None] = set()

    @contextmanager
    def opening(self, answer_id: int | None) -> Iterator[None]:
        """Leave the battle that is opened in the block to who opens it, in that answer: it may still get a thread."""
        self._opening.add(answer_id)
        try:
            yield
        finally:
            self._opening.discard(answer_id)

    async def refresh(
        self, battle_id: int, press: Interaction | None = None, *, aside: bool = False, wait: bool = True
    ) -> None:
        """Update a battle's panel, or post a new one if it is gone or can't be edited.

        `press`: an acknowledged interaction; edits through it don't count toward the rate limit, and are possible where
        the bot has no access to the channel. Where it has none and there is no press, the change isn't pending any
        more: the next press or `/battle show` shows it. `aside`: the pressed message is no panel, and stays.
        Without `wait` it is left to another process that is about it.
        """
        async with self._turn(battle_id, wait=wait) as ours:
            battle = await self._battles.get(battle_id, OWN_WORK) if ours else None
            if battle is None or not self._opening.isdisjoint(battle.panels_retired):
                return
            try:
                await self._show(battle, press, None if aside else _pressed_message(press, battle))
            finally:
                if not battle.is_open:
                    self._bot.services[EndedBattles].wake(battle.id)

    async def _show(self, rendered: Battle, press: Interaction | None, pressed: int | None) -> None:
        panel, battle = await self.render(rendered, press), rendered
        if battle.panel_id is None and pressed is not None:  # the bot stopped before it stored the id
            battle = await self._panels.set_panel(battle.id, pressed)
        try:
            if not await self._edit(battle, press, pressed, panel.view):
                battle = await self._panels.set_panel(battle.id, await self._post(battle, press, pressed, panel.view))
        except discord.HTTPException as error:
            if error.code in {UNKNOWN_CHANNEL, ARCHIVED} and battle.thread_id is not None:  # deleted, or locked for us
                await self._bot.services[ThreadRepository].leave(battle.thread_id)
                if (left := await self._battles.get(battle.id, OWN_WORK)) is not None:
                    await self._show(left, None, None)
                return
            if lacks_access(error):
                await self._panels.mark_published(rendered)
            raise
        await self._shown(rendered, battle, panel, press, pressed)

    async def _shown(
        self, rendered: Battle, battle: Battle, panel: RenderedPanel, press: Interaction | None, pressed: int | None
    ) -> None:
        """Note that a battle is shown as it was rendered, and do what follows from it."""
        await self._panels.mark_published(rendered)  # what was committed since is still pending
        await self._retire(battle, press, pressed)
        # The panel says the same; in servers without the bot nothing else can be posted.
        with undelivered(_log, "not_posted", battle=battle.id):
            await remind(self._bot, battle, panel.waiting)
        if battle.thread_id is not None or battle.has_event:
            self._bot.services[Followers].wake(battle.id)

    async def post(self, battle_id: int, command: Interaction) -> None:
        """Make the answer of a deferred command the battle's panel, and retire the old one."""
        async with self._turn(battle_id):
            if (battle := await self._battles.get(battle_id, OWN_WORK)) is None:
                return
            if battle.thread_id not in {None, command.channel_id}:  # asked for in its channel
                if battle.is_open:
                    await self._show(await self._panels.set_panel(battle.id, None), None, None)
                    battle = await self._battles.get(battle_id, OWN_WORK) or battle  # its thread may have been gone
                await command.edit_original_response(view=plain_view(f"🧵 #{battle.number}: <#{battle.shown_in}>"))
                return
            panel = await self.render(battle, command)
            message = await command.edit_original_response(view=panel.view, attachments=panel.view.files)
            await self._shown(battle, await self._panels.set_panel(battle_id, message.id), panel, None, None)

    async def pending(self, only: Collection[int] | None = None) -> tuple[int, int]:
        """Publish all unpublished changes; return how many battles were shown, and how many are still pending.

        `only`: the ids of the battles that another process left, None for all.
        """
        published = failed = 0
        battles = [battle.id for battle in await self._panels.pending() if only is None or battle.id in only]
        at_once = 1 if only is None else LEFT_AT_ONCE
        for some in discord.utils.as_chunks(battles, at_once):
            for error in await asyncio.gather(*(self.publish(battle, wait=only is None) for battle in some)):
                published += error is None
                failed += error is not None and not lacks_access(error)
        return published, failed

    async def publish(self, battle_id: int, *, wait: bool = True) -> Exception | None:
        """Publish what is pending of a battle, and return why that failed: no battle must block the others."""
        try:
            await self.refresh(battle_id, wait=wait)
        except (*UNDELIVERED, BattleError, RuleError) as error:
            event(_log, "not_shown", level=logging.WARNING, battle=battle_id, error=str(error))
            return error
        return None

    async def repair(self, battle: Battle, press: Interaction) -> None:
        """Update the message that carried a stale button: to the current panel, or to a link to it."""
        if press.message is None or battle.panel_id is None or press.message.id == battle.panel_id:
            await self.refresh(battle.id, press)
        elif _pressed_message(press, battle) is not None:
            await press.edit_original_response(view=self._retired_view(battle), attachments=[])
            await self._panels.mark_cleared(battle.id, press.message.id)

    def _turn(self, battle_id: int, *, wait: bool = True) -> AbstractAsyncContextManager[bool]:
        """Keep an older panel from overwriting a newer one."""
        return self._bot.services[Database].alone(f"panel {battle_id}", wait=wait)

    async def render(
        self, battle: Battle, press: Interaction | None, instead: Sequence[str] | None = None
    ) -> RenderedPanel:
        """Render a battle's panel as it was read; `instead`: of state and events, in the line about its thread."""
        at = await self._bot.services[Presenters].position(battle)
        steps = await self._battles.latest_steps(battle.id, at.presenter.panel_steps)
        content = await at.presenter.panel(battle, at.state, steps, None if press is None else caller_of(press))
        notes = await notes_of(self._bot, battle)
        waiting = await waiting_in(self._bot, at, notes)
        table: Sequence[str] = table_lines(at, waiting, notes, self._bot.clock())
        if instead is not None:
            content, table = replace(content, state="", events=""), instead
        undo_request = await self._bot.services[UndoRequestRepository].pending(battle.id)
        if battle.is_open:
            buttons = [*open_buttons(at, waiting, undo_request)]
            here = self._bot.get_channel(battle.channel_id)
            if battle.asks_thread and not battle.steps and not isinstance(here, discord.Thread):
                buttons.append(consent_button(battle, "thread", "move", "Move to a thread", "🧵"))
        else:
            watch = await self._bot.services[ReplaySite].link(battle, self._battles)
            buttons = [*self._bot.services[Endings].row(at, watch)]
        view = text_view(
            panel_text(at, content, undo_request, table),
            colour=content.colour,
            picture=content.picture,
            portrait=content.portrait,
            rows=[] if content.choice is None else [[content.choice]],
            buttons=buttons,
        )
        return RenderedPanel(at, view, content, waiting)

    async def _edit(self, battle: Battle, press: Interaction | None, pressed: int | None, panel: View) -> bool:
        """Edit the panel; return False if there is none any more, or only a new one can be shown."""
        if battle.panel_id is None:
            return False
        if press is not None and pressed == battle.panel_id:
            try:
                await press.edit_original_response(view=panel, attachments=panel.files)
            except discord.HTTPException as error:
                # It is gone, or the token has expired; the message itself tells.
                event(_log, "not_edited", level=logging.WARNING, battle=battle.id, code=error.code)
            else:
                return True
        try:
            await self._rewrite(battle, battle.panel_id, panel)
        except discord.HTTPException as error:
            if error.code == UNKNOWN_MESSAGE or (press is not None and lacks_access(error)):
                return False
            raise
        return True

    async def _post(self, battle: Battle, press: Interaction | None, pressed: int | None, panel: View) -> int:
        """Post a new panel and return its id."""
        if press is not None and pressed is not None:
            try:
                return await self._follow_up(press, panel)
            except discord.HTTPException as error:
                event(_log, "not_followed_up", level=logging.WARNING, battle=battle.id, code=error.code)
        try:
            return (await self._channel(battle).send(view=panel, files=panel.files)).id
        except discord.HTTPException as no_access:
            if press is None or press.channel_id != battle.shown_in or not lacks_access(no_access):
                raise
            try:
                return await self._follow_up(press, panel)
            except UNDELIVERED as error:
                event(_log, "not_followed_up", level=logging.WARNING, battle=battle.id, error=str(error))
                raise no_access from error

    async def _follow_up(self, press: Interaction, panel: View) -> int:
        if press.response.type is discord.InteractionResponseType.deferred_channel_message:
            # Otherwise the panel would take the place of the answer, and its privacy.
            await press.edit_original_response(view=plain_view("✅ Done."))
        return (await press.followup.send(view=panel, files=panel.files, wait=True)).id

    async def _retire(self, battle: Battle, press: Interaction | None, pressed: int | None) -> None:
        """Remove the buttons of older panels, and of a pressed message that isn't the panel."""
        view = self._retired_view(battle)
        for message_id in dict.fromkeys((*(() if pressed is None else (pressed,)), *battle.panels_retired)):
            if message_id == battle.panel_id:
                continue
            try:
                if message_id == pressed and press is not None:
                    await press.edit_original_response(view=view, attachments=[])
                else:
                    await self._rewrite(battle, message_id, view)
            except UnreachableError as error:
                event(_log, "not_retired", level=logging.WARNING, battle=battle.id, error=str(error))
                continue
            except discord.HTTPException as error:
                if error.code not in {UNKNOWN_MESSAGE, UNKNOWN_CHANNEL}:
                    event(_log, "not_retired", level=logging.WARNING, battle=battle.id, code=error.code)
                    if lacks_access(error):
                        return  # to the others, too
                    continue
            await self._panels.mark_cleared(battle.id, message_id)

    def _retired_view(self, battle: Battle) -> View:
        """Lay out the replacement of an older panel: a link to the new one."""
        title, url = self._bot.services[Presenters].of(battle.system).title, panel_url(battle)
        where = "is elsewhere" if url is None else f"is in [a newer message]({url})"
        return text_view([f"-# The panel of #{battle.number} {title} {where}."])

    async def _rewrite(self, battle: Battle, message_id: int, view: View) -> None:
        message = self._channel(battle).get_partial_message(message_id)
        try:
            await edit_message(message, view)
        except discord.HTTPException as error:
            thread = None if error.code != ARCHIVED else await self._bot.fetch_channel(battle.shown_in)
            if not isinstance(thread, discord.Thread):
                raise
            try:
                await thread.edit(archived=False)
            except discord.Forbidden:  # a moderator locked it
                raise error from None
            await edit_message(message, view)
            if not battle.is_open:
                await thread.edit(archived=True)

    def _channel(self, battle: Battle) -> discord.PartialMessageable:
        return self._bot.get_partial_messageable(battle.shown_in, guild_id=battle.guild_id)


def _pressed_message(press: Interaction | None, battle: Battle) -> int | None:
    """Return the id of the pressed message; None if there is none, or it is private and not the panel."""
    if press is None or press.message is None:
        return None
    # Discord may keep from others what an app shows that is no member.
    private = press.message.flags.ephemeral and press.message.id != battle.panel_id
    return None if private else press.message.id


MAX_LINK = 1500
"""Characters of a link in a text."""

_MAX_ROWS = 64  # longer battles never fit into a link
_MAX_TEXT = 1 << 14


class ReplaySite:
    """The site's address, such as "https://example.org/replay/"; None where there is none."""

    def __init__(self, address: str | None = None) -> None:
        self.address = address

    async def link(self, battle: Battle, battles: BattleRepository, most: int = MAX_BUTTON_LINK) -> str | None:
        """Return a link of at most `most` characters that holds the battle, or if it is too large the site's address.

        None without a site, and while the battle is open.
        """
        if self.address is None or battle.is_open:
            return None
        if battle.version > _MAX_ROWS or len(battle.setup_json) > _MAX_TEXT:
            return self.address
        rows = await battles.journal(battle.id)
        if sum(len(row.action_json) for row in rows) > _MAX_TEXT:
            return self.address
        journal = Journal(battle.head, rows, battle.revealed, battle.outcome)
        link = f"{self.address}#j={fragment(journal)}&n={battle.number}"
        return link if len(link) <= most else self.address

    async def line(self, battle: Battle, battles: BattleRepository) -> str:
        """Return a line for a log, as Markdown; empty where there is no link."""
        link = await self.link(battle, battles, MAX_LINK)
        if link is None:
            return ""
        how = "" if "#j=" in link else f": drop `battle-{battle.number}.jsonl` there"
        return f"🎬 [{LABEL} this battle]({link}){how}"
