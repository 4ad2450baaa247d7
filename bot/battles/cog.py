"""The commands for battles of every game: `/battle list`, `show`, `log`, `undo`, `verify`, `clock`, `end` and more.

And the option that names a battle by its number in the channel.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import discord
from discord import AppCommandOptionType, app_commands
from discord.ext import commands
from pydantic import Field

from bot.answers import Queries
from bot.battles import BattleService
from bot.battles.clocks import panel_url
from bot.battles.consent import ConsentService
from bot.battles.endings import Ending, Endings
from bot.battles.events import EventService
from bot.battles.followers import Followers
from bot.battles.items import BATTLE_ITEMS, BranchQuery, FormQuery, ask_branch, open_branch
from bot.battles.journal import LogQuery, answer_check, check_message
from bot.battles.panel import is_referee
from bot.battles.presenter import Position, Presenters, who_fights
from bot.battles.publisher import PanelPublisher
from bot.battles.referee import TIME_UP, TableQuery, expect_referee, set_clock, show_clock, show_referee_actions
from bot.battles.settings import TIME, ZONE, ServerOptions, set_server
from bot.battles.threads import ThreadService
from bot.battles.waiting import set_digest, stop_button, waiting_text
from bot.client import Client, Interaction
from bot.store import DamagedBattleError
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.ui import LAYOUT_TEXT, MAX_CHOICE, MAX_CHOICES, PeopleNames, View, drawn, plain_sentence, shorten, text_view
from bot.ui.interactions import caller_of, channel_of, defer, edit_reply, origin_of, reply, show_view
from bot.ui.options import CompletedBy, Option, Options, Private, as_typed, choices_with, slash
from sim.core import RuleError
from sim.core.cards.coach import CoachCardRequest
from sim.core.journal import MAX_ROWS, active_steps
from sim.core.replay import read_hash
from sim.jobs.luck import CoachBattle, coach_of

MAX_NUMBER = 1_000_000

MAX_SEARCHED = 100
"""How many of a channel's newest battles autocompletion searches."""


async def _numbers(interaction: Interaction, typed: str, *, closed: bool = False) -> Iterable[app_commands.Choice[int]]:
    """Offer the battles of the channel whose numbers begin with what was typed; `closed`: also closed ones."""
    battles, channel_id = interaction.client.services[BattleRepository], channel_of(interaction)
    found = await (battles.latest_in(channel_id, MAX_SEARCHED) if closed else battles.open_in(channel_id))
    digits = typed.strip().lstrip("#")
    matching = [battle for battle in found if str(battle.number).startswith(digits)][:MAX_CHOICES]
    return [
        app_commands.Choice(name=shorten(await battle_label(interaction.client, one), MAX_CHOICE), value=one.number)
        for one in matching
    ]


async def battle_label(bot: Client, battle: Battle) -> str:
    """Return a battle's number, its game and its progress in a few words."""
    title = bot.services[Presenters].of(battle.system).title
    try:
        progress = (await bot.services[BattleService].position(battle)).progress
    except DamagedBattleError:
        progress = "damaged"
    return f"#{battle.number} {title}, {progress}"


_number = partial(CompletedBy, MAX_NUMBER, kind=AppCommandOptionType.integer)
ANY_BATTLE = _number(partial(_numbers, closed=True))
"""What an option takes that is a battle's number, of an open one or a closed one."""

_WHICH = "The battle's number (usually the only open one here)"
OpenBattle = Annotated[int | None, Option(_WHICH, _number(_numbers))]
AnyBattle = Annotated[int | None, Option(_WHICH, ANY_BATTLE)]

_MAX_SENTENCE = 1000

_COACH = (
    "It compares each roll with what was expected and each choice, such as losses, retreats or tokens, with the best"
    " one; all of it adds up to the result minus the start. Where that can't be worked out, it says so. In a terminal:"
    " `python -m sim coach battle-1.jsonl`"
)
_REFEREE = (
    "A referee is a mod (who has Manage Messages) or was made the referee of this battle. They set and stop its clock,"
    " call time, replace a player (even one who has left the server), take over a seat, close joining, take a"
    " player out before it begins, and hand over the role. The panel and the log show it, and no undo takes it back."
)
_DIGEST = (
    "`daily` sends one direct message a day, with links to the panels, and none where no battle waits for you."
    " Its button ends it, and so does closing your direct messages to the bot."
)
_CLOCK = (
    "A referee sets it, such as `/battle clock turn:24 h warning:2 h`, stops it, restarts it and extends turns. With"
    " an hour, turns end at that hour of the server (`/battle settings`), after at least as long as `turn` says."
    " The server's quiet hours apply, too."
)

_SETTINGS = (
    "A mod (who has Manage Messages) sets them, such as `/battle settings zone:Europe/Berlin quiet_from:23:00"
    " quiet_to:8:00`. New wars keep to these hours; `/battle clock` applies them to a battle that has begun.\n"
    "**Beacon**: Where the bot's host has it (drand), each battle names a round of it that is still to come and posts"
    " its seal. The dice follow from the bot's secret seed and from that round, so nobody can choose them, the host"
    " included.\n"
    "**Mentions**: Write `@Fracas 6 tanks vs 10 inf`, and the odds come as a reply, which follows your edits for a"
    " minute. Discord shows the bot what a message says only where it mentions the bot, or in direct messages; what"
    " isn't a battle is not kept.\n"
    "**Threads**: The thread has the panel and all that the bot says about the battle. A line in the channel shows"
    " how it stands. Commands work in both. When the battle is over, the thread is closed, and the line shows the end."
    " A forum's posts have the tags open and over. `thread:` decides for a single battle."
)

_OFFLINE = (
    "You can check a closed battle without the bot: its final fingerprint is on its panel, `/battle log` has the"
    " journal among its files, and Fracas's rules replay it in a terminal:\n"
    "`python -m sim verify --hash HASH battle-1.jsonl`\n"
    "Sealed dice: add `--seal DIGITS@ID`, the 64 digits, then the id or link of the message with the seal. Check for"
    " yourself that the bot wrote that message here, unedited. It shows that the round was still to come when the seed"
    " was fixed; it doesn't show the draws before a battle, such as an encounter."
)

_BRANCH = (
    "The rows are those of `/battle log` and of the replay. You get your seat back, or the first one; the others are"
    " free, or the bot's, and where people come and go you play them all. A branch has its own journal and seed. Its"
    " head holds the position and the hash of the other battle's row, so `/battle verify` checks it alone. It is never"
    " rated, and no luck, record, campaign or week counts it."
)

MAX_HASH = 80
"""Characters of a hash as a player pastes it."""

_time = partial(Option, takes=TIME)


MAX_AIM = 20


async def aim_names(interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    """Offer what a coach of any game may count."""
    coaches = [each.system.coach for each in interaction.client.services[Presenters].values()]
    aims = {aim: what for coach in coaches if coach is not None for aim, what in coach.aims.items()}
    return choices_with(aims, typed)


async def show_coach(interaction: Interaction, battle: Battle, aim: str | None = None, *, private: bool = True) -> None:
    """Show what luck and decisions have done in a battle that is over; RuleError if its game has no coach."""
    if battle.is_open:
        await reply(interaction, text_view([f"#{battle.number} isn't over yet: ask the coach at the end."]))
        return
    coach = coach_of(battle.system)
    job = CoachBattle(battle.system, battle.head.setup_json, (), aim, branch_json=battle.branch)
    job.cost()  # a refusal is private
    await defer(interaction, private=private)
    bot, caller = interaction.client, caller_of(interaction)
    rows = active_steps(await bot.services[BattleRepository].journal(battle.id))
    steps = tuple((row.n, row.action_json, row.events_json) for row in rows)
    job = replace(job, steps=steps)
    report = await bot.simulator.in_parts(job, caller)
    own = [side for side in coach.sides if side in battle.seats_of(interaction.user.id)]
    card = CoachCardRequest(
        title="The coach",
        aside=f"#{battle.number}, {coach.aims[report.aim]}",
        report=report.seen_by(own[0] if own else coach.sides[0]),
        you=len(own) == 1,
    )
    picture = await drawn(bot, card, "coach.png", caller)
    told = f"### 🎓 The coach on #{battle.number}"
    note = "-# Luck and decisions add up to the result minus the start: `/help command:battle coach`"
    await show_view(interaction, text_view([told, note], picture=picture))


def _has_coach(at: Position[Any]) -> bool:
    coach = at.presenter.system.coach
    return coach is not None and bool(coach.knows(at.state))


class ClockOptions(Options):
    """What is to be set of a battle's clock, as typed."""

    turn: Annotated[str | None, _time("Time for a turn, such as 24 h, 90 min or 2 days (none: no limit)")] = None
    hour: Annotated[str | None, _time("The hour of the day at which turns end, such as 20:00 (none: at any)")] = None
    warning: Annotated[str | None, _time("How long before the end players are warned, such as 2 h")] = None
    grace: Annotated[str | None, _time("Grace after the end of a turn, such as 30 min")] = None
    time_up: Annotated[str | None, Option("What happens when time is up", choices=TIME_UP)] = None


class BattleCommands(commands.Cog, name="Battles in channels"):
    """The commands of every battle."""

    battle = app_commands.Group(name="battle", description="The battles of this channel")

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        bot.services[Queries].add(LogQuery, FormQuery, BranchQuery, TableQuery)
        bot.services[Endings]["branch"] = Ending("What if?", "🌿", ask_branch)
        bot.services[Endings]["coach"] = Ending("The coach", "🎓", show_coach, _has_coach)
        bot.add_items(*BATTLE_ITEMS, stop_button)
        bot.add_menu("Check this battle", "replays it from its panel, or from its journal as a file", check_message)
        bot.services[Followers].add(bot.services[ThreadService], bot.services[EventService])

    @slash(battle, name="list")
    async def list_(self, interaction: Interaction) -> None:
        """The open battles of this channel, with who fights."""
        battles = await self._bot.services[BattleRepository].open_in(channel_of(interaction))
        lines = []
        for battle in battles[:MAX_CHOICES]:
            label, url = plain_sentence(await battle_label(self._bot, battle), _MAX_SENTENCE), panel_url(battle)
            try:
                at = await self._bot.services[BattleService].position(battle)
                fighters = await self._bot.services[PeopleNames].said_once(battle.guild_id, at.fighters)
            except DamagedBattleError:
                fighters = who_fights(battle)
            line = f"**{label}**: {fighters}"
            lines.append(line if url is None else f"{line} [panel]({url})")
        text = "\n".join(lines or ["No battle is open here. `/help` shows how to start one."])
        await reply(interaction, text_view([shorten(text, LAYOUT_TEXT)]))

    @slash(battle, example="/battle show number:1")
    async def show(self, interaction: Interaction, number: OpenBattle = None) -> None:
        """Post a battle's panel again at the end of the channel."""
        battle = await self._bot.services[BattleService].in_channel(interaction, number)
        await defer(interaction, private=False)
        await self._bot.services[PanelPublisher].post(battle.id, interaction)

    @slash(battle, example="/battle log number:1")
    async def log(
        self,
        interaction: Interaction,
        number: AnyBattle = None,
        private: Annotated[bool, Option("Show the log only to you")] = False,
    ) -> None:
        """What happened in a battle, with files."""
        battle = await self._bot.services[BattleService].in_channel(interaction, number, closed=True)
        await LogQuery(battle_id=battle.id, private=private).ask(interaction)

    @slash(battle, as_typed, example="/battle coach number:1", more=_COACH)
    async def coach(
        self,
        interaction: Interaction,
        number: Annotated[
            int | None, Option("The battle's number (usually the latest here that is over)", ANY_BATTLE)
        ] = None,
        aim: Annotated[
            str | None,
            Option("What counts: chance (to win) or ipc (usually the chance)", CompletedBy(MAX_AIM, aim_names)),
        ] = None,
        private: Private = False,
    ) -> None:
        """A battle that is over, split into luck and your decisions, exactly."""
        battle = await self._bot.services[BattleService].over_in_channel(interaction, number)
        await show_coach(interaction, battle, aim, private=private)

    @slash(battle, example="/battle undo number:1")
    async def undo(self, interaction: Interaction, number: OpenBattle = None) -> None:
        """Take your last step back, if the other side agrees."""
        services = self._bot.services
        if number is None and (choice := await self._undo_choice(interaction)) is not None:
            await reply(interaction, choice)
            return
        battle = await services[BattleService].in_channel(interaction, number)
        await defer(interaction, private=True)
        view = await services[ConsentService].ask_undo(interaction, battle, battle.version)
        await interaction.edit_original_response(view=view)

    async def _undo_choice(self, interaction: Interaction) -> View | None:
        """Lay out in which open battle a step is to be taken back, if there are several.

        RuleError if none concerns the user.
        """
        battles = await self._bot.services[BattleRepository].open_in(channel_of(interaction))
        if len(battles) <= 1:
            return None
        user_id = interaction.user.id
        own = [battle for battle in battles if battle.seats_of(user_id) or is_referee(interaction, battle)]
        if not own:
            raise RuleError("Only players in a battle or a mod can do that.")
        begun = [battle for battle in own if battle.steps] or own
        options = [
            discord.SelectOption(
                label=shorten(await battle_label(self._bot, battle), MAX_CHOICE), value=f"{battle.id}:{battle.version}"
            )
            for battle in begun[-MAX_CHOICES:]
        ]
        which = discord.ui.Select[Any](custom_id="b3:undo", placeholder="Choose a battle", options=options)
        return text_view(["Take back the last step of which battle?"], rows=[[which]])

    @slash(battle, as_typed, example="/battle verify number:1", more=_OFFLINE)
    @app_commands.rename(noted="hash")
    async def verify(
        self,
        interaction: Interaction,
        number: AnyBattle = None,
        noted: Annotated[
            str | None,
            Option("The final fingerprint as you noted it, or its first digits", app_commands.Range[str, 1, MAX_HASH]),
        ] = None,
    ) -> None:
        """Replay a whole battle from its seed and compare."""
        digits = None if noted is None else read_hash(noted)
        battle = await self._bot.services[BattleService].in_channel(interaction, number, closed=True)
        await answer_check(interaction, battle, digits)

    @slash(battle, example="/battle referee number:1", more=_REFEREE)
    async def referee(self, interaction: Interaction, number: OpenBattle = None) -> None:
        """For referees: the clock, the seats, calling time."""
        battle = await self._bot.services[BattleService].in_channel(interaction, number)
        await show_referee_actions(interaction, battle)

    @slash(battle, example="/battle clock number:1", more=_CLOCK)
    async def clock(self, interaction: Interaction, number: OpenBattle = None, *, settings: ClockOptions) -> None:
        """Show or set a battle's clock: how much time a turn has."""
        battle = await self._bot.services[BattleService].in_channel(interaction, number)
        await defer(interaction, private=True)
        if given := settings.model_dump(exclude_none=True):
            expect_referee(interaction, battle)
            await set_clock(interaction, battle, given)
            battle = await self._bot.services[BattleService].find(battle.id, origin_of(interaction))
        await show_clock(interaction, battle)

    @slash(battle, as_typed, more=_DIGEST)
    async def waiting(
        self,
        interaction: Interaction,
        daily: Annotated[
            str | None,
            _time("Send me what waits for me, everywhere, each day at an hour such as 18:00 (none: no more)"),
        ] = None,
        zone: Annotated[str | None, Option("Your time zone, for the daily message (usually as here)", ZONE)] = None,
    ) -> None:
        """Whose turn it is, and until when, in all channels here that you can see; also as a daily message."""
        await defer(interaction, private=True)
        lists = daily is None and zone is None
        text = await (waiting_text(interaction) if lists else set_digest(interaction, daily, zone))
        await edit_reply(interaction, text)

    @slash(battle, more=_SETTINGS)
    async def settings(self, interaction: Interaction, given: ServerOptions) -> None:
        """Show or set this server's hours, dice, mentions and threads."""
        await defer(interaction, private=True)
        await edit_reply(interaction, await set_server(interaction, given))

    @slash(battle, example="/battle branch number:1 row:0", more=_BRANCH)
    async def branch(
        self,
        interaction: Interaction,
        number: Annotated[int, Option("The battle's number", ANY_BATTLE)],
        row: Annotated[
            int | None, Field(ge=0, le=MAX_ROWS), Option("The row after which to go on (0: the beginning)")
        ] = None,
    ) -> None:
        """What if? Go on from any row of a battle that is over, with new dice; it counts for nothing."""
        battle = await self._bot.services[BattleService].in_channel(interaction, number, closed=True)
        await (ask_branch(interaction, battle) if row is None else open_branch(interaction, battle, row))

    @slash(battle, example="/battle end number:1")
    async def end(self, interaction: Interaction, number: OpenBattle = None) -> None:
        """End a battle before it is decided; once others have played, they have to agree."""
        battle = await self._bot.services[BattleService].in_channel(interaction, number)
        await self._bot.services[ConsentService].ask_end(interaction, battle)
