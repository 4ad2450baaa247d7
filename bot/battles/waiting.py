"""Who is waited for: `/battle waiting` over a whole server, and the clock of one battle."""

from dataclasses import dataclass

import discord

from bot.battles.clock_text import people_text
from bot.battles.clocks import ClockService, Waiting
from bot.battles.duration import duration_text
from bot.battles.notes import timetable_text
from bot.battles.presenter import Presenters
from bot.battles.reminders import battle_link
from bot.battles.table_forms import TIME_UP, clock_buttons
from bot.battles.timetable import Timetable, acts_at
from bot.client import Client, Interaction
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.errors import BattleError
from bot.ui.interactions import channel_of
from bot.ui.layout import button_rows, text_view
from bot.ui.text import LAYOUT_TEXT, plain_sentence, shorten
from sim.core.errors import RuleError

MAX_BATTLES = 100
"""Open battles of a server that are looked at: those in which people did something last."""
MAX_LINES = 20
_MAX_SENTENCE = 200


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the list; `due_at`: when the time is up, None for never."""

    text: str
    is_own: bool
    due_at: int | None


async def waiting_text(interaction: Interaction) -> str:
    """Return who is waited for in all channels of the server that the user may see, as markdown.

    What waits for the user comes first, then what is due first.
    """
    battles = interaction.client.services[BattleRepository]
    if interaction.guild_id is None:
        found = await battles.open_in(channel_of(interaction))
    else:
        found = await battles.open_in_server(interaction.guild_id, MAX_BATTLES)
    lines = [line for battle in found if _may_see(interaction, battle) and (line := await _line(interaction, battle))]
    lines.sort(key=lambda line: (not line.is_own, line.due_at is None, line.due_at or 0))
    if not lines:
        return "No battle waits for anybody here. `/battle list` shows those of this channel."
    own = sum(line.is_own for line in lines)
    more = [f"-# and {len(lines) - MAX_LINES:,} more"] if len(lines) > MAX_LINES else []
    head = {0: "No battle waits for you", 1: "A battle waits for you"}.get(own, f"{own} battles wait for you")
    return shorten("\n".join([f"### ⏳ {head}", *(line.text for line in lines[:MAX_LINES]), *more]), LAYOUT_TEXT)


async def clock_view(bot: Client, battle: Battle, *, referee: bool) -> discord.ui.LayoutView:
    """Lay out how a battle's clock is set and how it runs, for a referee with buttons."""
    presenter = bot.services[Presenters].of(battle.system)
    state = await presenter.read_state(battle)
    waiting = await bot.services[ClockService].waiting(battle, presenter, state)
    timetable = await bot.services[ClockService].timetable(battle, presenter, state)
    lines = [f"### ⏱️ The clock of #{battle.number} {presenter.title}", *_clock_lines(timetable, waiting)]
    if not referee:
        lines.append("-# A referee may set it: somebody who may manage messages, or was made this battle's referee.")
    view = text_view(["\n".join(lines)])
    for row in button_rows(clock_buttons(battle, waiting) if referee else ()):
        view.add_item(row)
    return view


def _clock_lines(timetable: Timetable, waiting: Waiting | None) -> list[str]:
    table = timetable_text(timetable)
    lines = [f"{table[:1].upper()}{table[1:]}"]
    if timetable.limits:
        lines.append(f"When time is up: {TIME_UP[timetable.time_up].lower()}")
    if waiting is None:
        return [*lines, "Nobody's turn now: the battle waits for people to join, or to begin."]
    clock = waiting.clock
    who = f"Waiting for {people_text(waiting)}"
    if clock.is_paused:
        left = "" if clock.left is None else f": {duration_text(clock.left)} left"
        lines.append(f"{who}. ⏸️ Stopped{left}")
    elif clock.asked:
        lines.append(f"{who}. ⏰ Time is up, and the referee is asked")
    elif (due := clock.due_at) is not None:
        ends = acts_at(clock.timetable, clock.turn, due)
        grace = f", and {duration_text(ends - due)} of grace" if ends > due else ""
        lines.append(f"{who} until <t:{due}:f> (<t:{due}:R>){grace}")
    else:
        lines.append(who)
    return lines


async def _line(interaction: Interaction, battle: Battle) -> _Line | None:
    """Return the line of a battle; None if it waits for nobody, or is damaged."""
    bot = interaction.client
    try:
        await bot.services[BattleRepository].expect_sealed(battle)
        presenter = bot.services[Presenters].of(battle.system)
        state = await presenter.read_state(battle)
        waiting = await bot.services[ClockService].waiting(battle, presenter, state)
    except (BattleError, RuleError):
        return None
    if waiting is None:
        return None
    clock = waiting.clock
    due = clock.due_at if waiting.is_shown else None
    is_own = interaction.user.id in waiting.user_ids
    where = plain_sentence(waiting.awaited.where, _MAX_SENTENCE)
    parts = [f"{'👉' if is_own else '▫️'} **{battle_link(battle)} {presenter.title}**"]
    if interaction.guild_id is not None:
        parts.append(f"in <#{battle.channel_id}>,")
    parts.append(f"{where}: {people_text(waiting)}")
    if clock.is_paused:
        parts.append("⏸️")
    elif clock.asked:
        parts.append("⏰ the referee decides")
    elif due is not None:
        parts.append(f"⏰ <t:{due}:R>")
    return _Line(" ".join(parts), is_own, due)


def _may_see(interaction: Interaction, battle: Battle) -> bool:
    """Return whether the user may see a battle's channel, a private thread only from inside it."""
    if battle.channel_id == interaction.channel_id:
        return True
    guild, user = interaction.guild, interaction.user
    channel = None if guild is None else guild.get_channel_or_thread(battle.channel_id)
    if channel is None or not isinstance(user, discord.Member):
        return False
    allowed = channel.permissions_for(user)
    if isinstance(channel, discord.Thread) and channel.is_private() and not allowed.manage_threads:
        return False
    return allowed.view_channel
