"""A challenge a week, the same for everyone in a channel. Here: begins it, opens tries, counts, posts board and card.

A week is one of the server's own clock: from Monday's midnight to Sunday evening.
"""

import asyncio
import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import discord

from bot import ui
from bot.battles import BattleService
from bot.battles.clocks import battle_link
from bot.battles.followers import EndedListener
from bot.battles.maintenance import AGAIN_SECONDS, claimed
from bot.battles.presenter import AnyPresenter, Presenters
from bot.battles.timetable import instant
from bot.client import UNDELIVERED, Client, Interaction, undelivered
from bot.logging_setup import event
from bot.store import OWN_WORK
from bot.store.battle import Battle, Place
from bot.store.battles import BattleRepository, ServerHoursRepository
from bot.store.database import off_loop
from bot.store.people import PeopleRepository
from bot.ui.error_replies import OUTDATED_BUTTON, MarkdownError
from bot.ui.interactions import caller_of, defer, edit_message, show_view
from bot.weekly.repository import Challenge, Message, Standing, Weekly, WeeklyRepository
from sim.core import RuleError
from sim.core.cards.people import MAX_STANDINGS, BoardCard, BoardRow, Crest
from sim.core.cards.values import MAX_LINE
from sim.core.challenge import AnyRules, QuestionRules, drawings_of
from sim.core.numbers import quantity
from sim.jobs.battle import DrawChallenge
from sim.jobs.replay_page import panel_card

_log = logging.getLogger("fracas.weekly")

_SHOWN = 10
_MAX_TOLD = 300
GOLD = 0xF2B705

_SUNDAY, _EVENING = 6, 20
"""The day after Monday, and the hour, at which a week's challenge ends."""


@dataclass(frozen=True, slots=True)
class Week:
    """A week by its Monday, in a time zone."""

    monday: date
    zone: str

    @property
    def ends_at(self) -> int:
        """When its challenge is over, in Unix seconds: nobody can open a try from then on."""
        return instant(self.zone, datetime.combine(self.monday + timedelta(days=_SUNDAY), time(_EVENING)))

    @property
    def next_at(self) -> int:
        """When the challenge of the week after opens."""
        return instant(self.zone, datetime.combine(self.monday + timedelta(days=7), time()))

    def __str__(self) -> str:
        return self.monday.strftime("%G-W%V")


def week_title(week: str) -> str:
    """Return a stored week in words: "Week 48"."""
    return f"Week {int(week.rpartition('W')[2])}"


def _day(now: float, zone: str) -> date:
    return datetime.fromtimestamp(now, ZoneInfo(zone)).date()


class WeeklyService(EndedListener):
    """Finds, begins and ends weekly challenges."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._weeklies = bot.services[WeeklyRepository]
        self._battles = bot.services[BattleRepository]
        self.missing = self._weeklies.missing
        self._showing = asyncio.Lock()

    @property
    def kinds(self) -> dict[str, str]:
        """The kinds of challenges by their systems, in order."""
        presenters = self._bot.services[Presenters]
        offered = {name: presenters[name].system.challenge for name in sorted(presenters)}
        return {name: challenge.title for name, challenge in offered.items() if challenge is not None}

    async def week(self, guild_id: int) -> Week:
        """Return the week that it is in a server."""
        hours = await self._bot.services[ServerHoursRepository].get(guild_id)
        day = _day(self._bot.clock(), hours.zone)
        return Week(day - timedelta(days=day.weekday()), hours.zone)

    async def begin(self, weekly: Weekly, week: Week) -> Challenge:
        """Draw a week's challenge, unless that was done; RuleError if no game here offers any."""
        kinds = [*self.kinds]
        if not kinds:
            raise RuleError("No game here offers challenges.")
        weeks = week.monday.toordinal() // 7  # since the first one of the calendar
        system = weekly.system if weekly.system in kinds else kinds[weeks % len(kinds)]
        drawn_for = "shared" if weekly.shared else weekly.guild_id
        seed = hashlib.sha256(f"fracas weekly {week} {system} {drawn_for}".encode()).digest()
        setup_json = await self._bot.simulator.once(DrawChallenge(system=system, seed=seed))
        return await self._weeklies.begin(weekly, str(week), system, setup_json, week.ends_at)

    async def close(self, channel_id: int) -> None:
        """End a channel's challenges; RuleError if there are none."""
        if not await self._weeklies.close(channel_id):
            raise RuleError("This channel has no weekly challenge.")
        if (challenge := await self._weeklies.latest(channel_id)) is not None:
            await self._refresh(challenge)

    async def view(self, challenge: Challenge) -> ui.View:
        """Lay out a challenge as it stands with its board, while it is open with the button for a try.

        The mentions ping nobody.
        """
        presenter, rules, drawn = await self._read(challenge)
        board, is_open = await self._weeklies.board(challenge, rules.total), self.is_open(challenge)
        crests = await self._bot.services[PeopleRepository].chosen({one.user_id for one in board})
        name, about = rules.told(drawn)
        head = [f"### 🗓️ {week_title(challenge.week)}: {ui.plain(name)}", ui.plain_sentence(about, _MAX_TOLD)]
        if is_open:
            head.append(f"{rules.goal}\n-# One try a day; {rules.counts}. Ends <t:{challenge.ends_at}:R>.")
        signs = {user_id: f"{crest.sign} " for user_id, crest in crests.items()}
        lines = [
            f"**{one.place}.** {signs.get(one.user_id, '')}<@{one.user_id}> · {ui.plain(one.score.text)}"
            for one in board[:_SHOWN]
        ]
        if len(board) > _SHOWN:
            lines.append(f"-# and {quantity(len(board) - _SHOWN, 'player')} more")
        empty = "Nobody has tried yet." if is_open else "Nobody tried."
        is_question = isinstance(rules, QuestionRules)
        picture = None if is_question else await self._picture(presenter, drawn)
        enter = ui.id_button(f"w1:{challenge.id}", "Try", "🧩" if is_question else "⚔️", ui.Style.success)
        parts = ["\n".join(head), "\n".join(lines) or empty]
        return ui.text_view(parts, colour=GOLD, picture=picture, buttons=[enter] if is_open else ())

    async def _picture(self, presenter: AnyPresenter, setup: object, *, engines: bool = True) -> ui.Picture | None:
        """Return the picture of a battle as it begins; without `engines` it tells no odds."""
        system = presenter.system
        card = panel_card(system.name, system.begin(setup), ())
        return await presenter.card(None if card is None else card.model_copy(update={"engines": engines}), None)

    def is_open(self, challenge: Challenge) -> bool:
        """Return whether tries can be opened."""
        return challenge.weekly.next_at is not None and self._bot.clock() < challenge.ends_at

    async def _read(self, challenge: Challenge) -> tuple[AnyPresenter, AnyRules, Any]:
        """Return the game of a challenge, how it is one, and its setup; RuleError if this version has none."""
        presenter = self._bot.services[Presenters].of(challenge.system)
        if presenter.system.challenge is None:
            raise RuleError(OUTDATED_BUTTON)
        given, read = challenge.setup_json, drawings_of(presenter.system).read_json
        return presenter, presenter.system.challenge, await off_loop(len(given), read, given)

    async def expect_try(self, interaction: Interaction, challenge_id: int) -> tuple[Challenge, str]:
        """Return a challenge of this channel, and the day, such as "2026-11-24".

        RuleError if it is over, or the user had today's try.
        """
        challenge = await self._weeklies.find(challenge_id, interaction.channel_id)
        if challenge is None:
            raise RuleError("This challenge is no longer kept.")
        if challenge.weekly.next_at is None:
            raise RuleError("The weekly challenges here are closed.")
        if not self.is_open(challenge):
            raise RuleError(f"{week_title(challenge.week)} is over. A new challenge opens every Monday.")
        zone = (await self.week(challenge.weekly.guild_id)).zone
        today, monday = _day(self._bot.clock(), zone), date.fromisoformat(challenge.week)
        # The nearest day of a week that began in another zone.
        day = min(max(today, monday), monday + timedelta(days=_SUNDAY)).isoformat()
        if await self._weeklies.carry_over(challenge, interaction.user.id, day):
            await self._refresh(challenge)
        had = await self._weeklies.had(challenge, interaction.user.id, day)
        if had is not None:
            where, result = "", "" if had.score is None else f": {ui.plain(had.score.text)}"
            if had.battle_id is not None:
                battle = await self._battles.get(had.battle_id, OWN_WORK)
                where = f", #{had.number}" if battle is None else f", {battle_link(battle)}"
            again = instant(zone, datetime.combine(today + timedelta(days=1), time()))
            more = f"The next one opens <t:{again}:R>." if again < challenge.ends_at else "See you on Monday."
            raise MarkdownError(f"You have had today's try{where}{result}. {more}")
        return challenge, day

    async def choices(self, challenge: Challenge) -> tuple[str, dict[str, tuple[str, str]]]:
        """Return what is chosen before a try, and from what; nothing where there is no choice."""
        _, rules, setup = await self._read(challenge)
        return ("", {}) if isinstance(rules, QuestionRules) else (rules.ask, dict(rules.choices(setup)))

    async def enter(self, interaction: Interaction, challenge_id: int, choice: str) -> None:
        """Open a try as the answer to a press or a form; it counts from then on, a question from its answer on."""
        challenge, day = await self.expect_try(interaction, challenge_id)
        presenter, rules, setup = await self._read(challenge)
        if isinstance(rules, QuestionRules):
            place = date.fromisoformat(day).weekday()
            question = rules.question(setup, place)
            await defer(interaction, private=True)
            picture = await self._picture(presenter, question.position, engines=False)
            head = f"### 🧩 {week_title(challenge.week)}, day {place + 1}"
            ids = [f"w2:{challenge.id}:{day}:{at}" for at in range(len(question.options))]
            await show_view(interaction, ui.question_view(head, question, ids, picture, GOLD))
            return
        entry = rules.enter(setup, choice, ui.called(interaction.user))
        user_id = interaction.user.id
        places, hook = [Place(seat, user_id) for seat in entry.seats], self._weeklies.opening(challenge, user_id, day)
        service = self._bot.services[BattleService]
        await service.open(interaction, challenge.system, entry.setup, places, hook=hook, first=entry.first)

    async def answer(self, interaction: Interaction, challenge_id: int, day: str, choice: int) -> None:
        """Take an answer, and tell the one who gave it what it was worth; RuleError unless it is today's first one."""
        challenge, today = await self.expect_try(interaction, challenge_id)
        _, rules, drawn = await self._read(challenge)
        if not isinstance(rules, QuestionRules):
            raise RuleError(OUTDATED_BUTTON)
        if day != today:
            raise RuleError("This was another day's question. The challenge's button shows today's.")
        place = date.fromisoformat(day).weekday()
        told = rules.answer(drawn, place, choice)
        await defer(interaction, private=True)
        if not await self._weeklies.answer(challenge, interaction.user.id, day, told.score):
            raise RuleError("You have had your try today.")
        picture = ui.Picture.of("answer.png", await self._bot.simulator.once(told.card, caller_of(interaction)))
        note = f"🗓️ {ui.plain(told.score.text)}: it counts for the week."
        await show_view(interaction, ui.answer_view(rules.question(drawn, place), choice, told, note, picture, GOLD))
        await self._refresh(challenge)

    async def ended(self, battle: Battle) -> None:
        """Count a try that is over, and show the board; the second time without effect."""
        challenge = await self._count(battle)
        if challenge is not None and self.is_open(challenge):
            await self._refresh(challenge)

    async def _count(self, battle: Battle) -> Challenge | None:
        """Note what a try achieved as it stands, nothing if somebody else has a part in it; return its challenge."""
        found = await self._weeklies.of_battle(battle.id)
        if found is None:
            return None
        own, challenge = found
        presenter, rules, _ = await self._read(challenge)
        if not isinstance(rules, QuestionRules):
            alone = {*battle.holders.values()} == {own.user_id}
            score = rules.score(await presenter.states.read(battle.state_json)) if alone else None
            await self._weeklies.score(battle.id, score)
        return challenge

    async def move(self, challenge: Challenge, post_id: int) -> None:
        """Note which message shows a challenge from now on; the one before says where it is."""
        before = await self._weeklies.find(challenge.id, challenge.weekly.channel_id) or challenge
        await self._weeklies.sent(challenge, "post", post_id)
        url = f"{self._channel(challenge.weekly).jump_url}/{post_id}"
        async with self._showing:
            await self._edit(before, ui.text_view([f"-# {week_title(challenge.week)} is in [a newer message]({url})."]))

    async def _refresh(self, challenge: Challenge) -> None:
        """Bring the post up to date, if there is one that the bot can still edit."""
        async with self._showing:  # an older board must not overwrite a newer one
            await self._edit(challenge, await self.view(challenge))

    async def _edit(self, challenge: Challenge, view: ui.View) -> None:
        if challenge.post_id is None:
            return
        message = self._channel(challenge.weekly).get_partial_message(challenge.post_id)
        with undelivered(_log, "board_not_shown", challenge=challenge.id):
            await edit_message(message, view)

    async def run(self) -> None:
        """Post what is due: the cards of weeks that are over, and the challenge of the week that it is."""
        for weekly in await self._weeklies.due():
            try:
                await self._weeklies.plan(weekly, await self._turn(weekly))
            except (*UNDELIVERED, RuleError) as error:
                event(_log, "week_not_posted", level=logging.WARNING, weekly=weekly.id, error=str(error))
                await self._weeklies.plan(weekly, int(self._bot.clock()) + AGAIN_SECONDS)

    async def _turn(self, weekly: Weekly) -> int:
        """Post what is due in a channel, and return when something is due next."""
        for over in await self._weeklies.unfinished(weekly):
            await self._finish(over)
        week = await self.week(weekly.guild_id)
        if self._bot.clock() < week.ends_at:
            challenge = await self.begin(weekly, week)
            if challenge.post_id is None:
                await self._send(challenge, "post", await self.view(challenge))
            else:  # somebody's data were deleted
                await self._refresh(challenge)
            if self.is_open(challenge):
                return challenge.ends_at
        return week.next_at

    async def _finish(self, challenge: Challenge) -> None:
        """Count the tries that go on as they stand, and post the card of a week in which somebody tried."""
        for battle_id in await self._weeklies.going_on(challenge):
            if (battle := await self._battles.get(battle_id, OWN_WORK)) is not None:
                await self._count(battle)
        _, rules, setup = await self._read(challenge)
        board = await self._weeklies.board(challenge, rules.total)
        await self._refresh(challenge)
        if not board:
            await self._weeklies.claim(challenge, "card")
            return
        name, _ = rules.told(setup)
        people = [one.user_id for one in board[:MAX_STANDINGS]]
        crests = await self._bot.services[PeopleRepository].chosen(people)
        names = await self._bot.services[ui.PeopleNames].of(challenge.weekly.guild_id, people)
        drawn = await self._bot.simulator.once(board_card(challenge, name, board, names, crests))
        picture = ui.Picture.of("week.png", drawn)
        first = [f"<@{one.user_id}>" for one in board if one.place == 1]  # the mentions ping nobody
        who = " and ".join(filter(None, [", ".join(first[:-1][:_SHOWN]), first[-1]]))
        told = f"🏆 {who} won {week_title(challenge.week).lower()}: **{ui.plain(name)}**"
        await self._send(challenge, "card", ui.text_view([told], colour=GOLD, picture=picture))

    async def _send(self, challenge: Challenge, what: Message, view: ui.View) -> None:
        """Post a message once, also if the bot is killed meanwhile; where it may not post, it doesn't try again."""
        if await self._weeklies.claim(challenge, what):
            channel = self._channel(challenge.weekly)
            close = partial(self._weeklies.close, channel.id)
            async with claimed(partial(self._weeklies.unclaim, challenge, what), close):
                # After a restart in between Discord returns the message that is there.
                message = await channel.send(view=view, files=view.files, nonce=f"weekly {challenge.id} {what}")
            await self._weeklies.sent(challenge, what, message.id)

    def _channel(self, weekly: Weekly) -> discord.PartialMessageable:
        return self._bot.get_partial_messageable(weekly.channel_id, guild_id=weekly.guild_id)


def board_card(
    challenge: Challenge, name: str, board: Sequence[Standing], names: Mapping[int, str], crests: Mapping[int, Crest]
) -> BoardCard:
    """Return what the card of a week shows."""
    best = max(1, *(one.score.points for one in board))
    rows = tuple(
        BoardRow(
            place=one.place,
            name=names.get(one.user_id, "A player")[:MAX_LINE],
            crest=crests.get(one.user_id) or Crest.of(one.user_id),
            figures=one.score.text,
            share=one.score.points / best,
        )
        for one in board[:MAX_STANDINGS]
    )
    return BoardCard(title=week_title(challenge.week), aside=name[:MAX_LINE], rows=rows, more=len(board) - len(rows))
