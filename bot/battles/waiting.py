"""Whose turn it is: the answer of `/battle waiting`, and the digest, one direct message a day for who wants it."""

import logging
from dataclasses import dataclass

import discord

from bot.battles import BattleService
from bot.battles.clocks import battle_link, clock_text, read_hour, waiting_in
from bot.battles.panel import people_text
from bot.battles.publisher import lacks_access
from bot.battles.settings import read_zone
from bot.battles.timetable import next_daily
from bot.client import UNDELIVERED, Client, Interaction
from bot.logging_setup import event
from bot.store import BattleError
from bot.store.battle import Battle
from bot.store.battles import BattleRepository, ServerHoursRepository
from bot.store.people import Digest, DigestRepository
from bot.ui import LAYOUT_TEXT, id_button, plain_sentence, shorten, text_view
from bot.ui.interactions import PersistentButton, channel_of, reply
from sim.core import RuleError

MAX_BATTLES = 100
"""Open battles of a server that are looked at: those in which people did something last."""
MAX_LINES = 20
_MAX_WHERE = 200
_log = logging.getLogger("fracas.keeper")


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A line of the list; `due_at`: when the time is up, None for never."""

    text: str
    is_own: bool
    due_at: int | None
    battle: Battle


async def waiting_text(interaction: Interaction) -> str:
    """Return who is waited for in all channels of the server that the user may see, as markdown.

    What waits for the user comes first, then what is due first.
    """
    bot, user_id = interaction.client, interaction.user.id
    battles = bot.services[BattleRepository]
    if interaction.guild_id is None:
        found = await battles.open_in(channel_of(interaction))
    else:
        found = await battles.open_in_server(interaction.guild_id, MAX_BATTLES)
    seen = [battle for battle in found if _may_see(interaction, battle)]
    lines = [line for battle in seen if (line := await _waiting(bot, user_id, battle)) is not None]
    note = _digest_text(await bot.services[DigestRepository].of(user_id))
    if not lines:
        return f"No battle is waiting here. `/battle list` shows those of this channel.\n{note}"
    return _list_text(lines, [note])


def _list_text(lines: list[_Waiting], notes: list[str]) -> str:
    lines.sort(key=lambda line: (not line.is_own, line.due_at is None, line.due_at or 0))
    own = sum(line.is_own for line in lines)
    more = [f"-# and {len(lines) - MAX_LINES:,} more"] if len(lines) > MAX_LINES else []
    head = {0: "No battle waits for you", 1: "A battle waits for you"}.get(own, f"{own} battles wait for you")
    parts = [f"### ⏳ {head}", *(line.text for line in lines[:MAX_LINES]), *more, *notes]
    return shorten("\n".join(parts), LAYOUT_TEXT)


async def _waiting(bot: Client, user_id: int, battle: Battle) -> _Waiting | None:
    """Return the line of a battle; None if it waits for nobody, or is damaged."""
    try:
        at = await bot.services[BattleService].position(battle)
        waiting = await waiting_in(bot, at)
    except (BattleError, RuleError):
        return None
    if waiting is None:
        return None
    clock = waiting.clock
    due = clock.due_at if waiting.is_shown else None
    is_own = user_id in waiting.user_ids
    where = plain_sentence(waiting.awaited.where, _MAX_WHERE)
    parts = [f"{'👉' if is_own else '▫️'} **{battle_link(battle)} {at.presenter.title}**"]
    if battle.guild_id is not None:
        parts.append(f"in <#{battle.shown_in}>,")
    parts.append(f"{where}: {people_text(waiting)}")
    if clock.is_paused:
        parts.append("⏸️")
    elif clock.asked:
        parts.append("⏰ the referee decides")
    elif due is not None:
        parts.append(f"⏰ <t:{due}:R>")
    return _Waiting(" ".join(parts), is_own, due, battle)


def _may_see(interaction: Interaction, battle: Battle) -> bool:
    """Return whether the user may see a battle's channel, a private thread only from inside it."""
    if interaction.channel_id in {battle.channel_id, battle.thread_id}:
        return True
    guild, user = interaction.guild, interaction.user
    channel = None
    if guild is not None:  # an archived thread isn't known, but who sees its channel sees it
        channel = guild.get_channel_or_thread(battle.shown_in) or guild.get_channel_or_thread(battle.channel_id)
    if channel is None or not isinstance(user, discord.Member):
        return False
    allowed = channel.permissions_for(user)
    if isinstance(channel, discord.Thread) and channel.is_private() and not allowed.manage_threads:
        return False
    return allowed.view_channel


_SMALL = "-# "


async def set_digest(interaction: Interaction, hour: str | None, zone: str | None) -> str:
    """Set what is given of when a user gets the digest, and return it as markdown; RuleError for no hour or zone."""
    bot, user_id = interaction.client, interaction.user.id
    repository = bot.services[DigestRepository]
    digest = await repository.of(user_id)
    minute = digest.minute if digest is not None and digest.zone else None
    if hour is not None and (minute := read_hour(hour, "Hour")) is None:
        await repository.forget(user_id)
        return "🔕 You get no daily message. `/battle waiting daily:18:00` starts it again."
    if minute is not None:
        before = (await bot.services[ServerHoursRepository].get(interaction.guild_id)).zone
        name = read_zone(zone) if zone is not None else before if digest is None else digest.zone or before
        sent_at = None if digest is None else digest.sent_at
        next_at = next_daily(name, minute, int(bot.clock()), sent_at)
        digest = Digest(user_id, minute, name, next_at, sent_at)
        await repository.put(digest)
    return _digest_text(digest).removeprefix(_SMALL)


def _digest_text(digest: Digest | None) -> str:
    if digest is None or not digest.zone:
        return f"{_SMALL}Once a day as a direct message, from all servers: `/battle waiting daily:18:00`"
    if digest.next_at is None:
        return (
            "📭 Your daily message has stopped: Discord doesn't let me write to you. `/battle waiting daily:18:00`"
            " starts it again."
        )
    return (
        f"{_SMALL}📬 Every day at **{clock_text(digest.minute)}** ({digest.zone}) I send you the battles that wait for"
        f" you, next <t:{digest.next_at}:R>; when none does, nothing. `/battle waiting daily:none` ends that."
    )


async def send_digests(bot: Client) -> None:
    """Send each person's digest that is due, one direct message a day at most; it may be called at any time."""
    repository = bot.services[DigestRepository]
    for digest in await repository.due():
        try:
            await (_send(bot, digest) if digest.zone else repository.forget(digest.user_id))
        except (*UNDELIVERED, BattleError, RuleError) as error:
            code = error.code if isinstance(error, discord.HTTPException) else 0
            if stopped := lacks_access(error) or code in {10013, 50033}:  # there is no such user
                await repository.stop(digest.user_id)
            event(_log, "digest_not_sent", level=logging.WARNING, stopped=stopped, error=str(error))


async def _send(bot: Client, digest: Digest) -> None:
    """Send a digest if anything waits, and plan the next one before: nothing sends it again then."""
    user_id, found = digest.user_id, await bot.services[BattleRepository].open_of(digest.user_id)
    told = [line for battle in found if (line := await _waiting(bot, user_id, battle)) is not None]
    lines = [line for line in told if line.is_own and await _sees(bot, user_id, line.battle)]
    now = int(bot.clock())
    sent_at = now if lines else digest.sent_at
    next_at = next_daily(digest.zone, digest.minute, now, sent_at)
    if await bot.services[DigestRepository].plan(digest, next_at, sent_at) and lines:
        channel = await bot.create_dm(discord.Object(user_id))
        stop = id_button("w1:off", "Stop these messages", "🔕")
        await channel.send(view=text_view([_list_text(lines, [])], buttons=[stop]))


async def _sees(bot: Client, user_id: int, battle: Battle) -> bool:
    """Return whether somebody still sees a battle's channel, as far as this process knows its server."""
    guild = None if battle.guild_id is None else bot.get_guild(battle.guild_id)
    if guild is None:
        return True
    try:
        member = guild.get_member(user_id) or await guild.fetch_member(user_id)
        channel = guild.get_channel_or_thread(battle.channel_id) or await guild.fetch_channel(battle.channel_id)
    except (discord.NotFound, discord.Forbidden):
        return False
    return channel.permissions_for(member).view_channel


@PersistentButton.matching(r"w1:off", "digest")
async def stop_button(_button: PersistentButton, interaction: Interaction) -> None:
    """End the digests of who presses the button below one."""
    await interaction.client.services[DigestRepository].forget(interaction.user.id)
    await reply(
        interaction, text_view(["🔕 You get no more of these. `/battle waiting daily:18:00` brings them back."])
    )
