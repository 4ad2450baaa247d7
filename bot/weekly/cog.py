"""`/weekly`: a challenge a week for a channel, the button of a try, and the form of what is chosen for it."""

from collections.abc import Iterable
from typing import Annotated

from discord import app_commands
from discord.ext import commands

from bot.answers import Queries, Query
from bot.answers.document import form
from bot.battles.followers import EndedBattles
from bot.battles.maintenance import Chores
from bot.battles.panel import is_referee
from bot.client import Client, Interaction
from bot.store.queries import StoredQuery
from bot.ui import find_title, text_view
from bot.ui.interactions import PersistentButton, defer, edit_reply, open_form, show_view
from bot.ui.options import CompletedBy, Entry, Option, Private, Typed, as_typed, choices_with, slash
from bot.weekly import WeeklyService
from bot.weekly.repository import WeeklyRepository
from sim.core import RuleError

_MAX_KIND = 40
_FIELD = "choice"


async def _kinds(interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    return choices_with(interaction.client.services[WeeklyService].kinds.values(), typed)


class EntryQuery(Query):
    """A try that waits for what somebody takes into it."""

    stored_as = "weekly-entry"

    private: bool = True
    challenge_id: int

    async def act(self, interaction: Interaction, _stored: StoredQuery, _action: str) -> None:
        """Open the form again."""
        await self.ask(interaction)

    async def ask(self, interaction: Interaction) -> None:
        """Open the form, or the try where there is nothing to choose; the interaction is unanswered."""
        service = interaction.client.services[WeeklyService]
        challenge, _ = await service.expect_try(interaction, self.challenge_id)
        label, choices = await service.choices(challenge)
        if not choices:
            await service.enter(interaction, self.challenge_id, "")
            return
        stored = await self.store(interaction)
        names = {key: name for key, (name, _) in choices.items()}
        notes = {key: note for key, (_, note) in choices.items()}
        field = Entry(label, choices=names, first=next(iter(names)), notes=notes).field(_FIELD)
        await open_form(interaction, form("Today's try", stored.id, "enter", [field]))

    async def submit(self, interaction: Interaction, _stored: StoredQuery, _action: str, values: Typed) -> None:
        """Open the try."""
        service = interaction.client.services[WeeklyService]
        await service.enter(interaction, self.challenge_id, values.get(_FIELD, ""))


@PersistentButton.matching(r"w1:(?P<challenge>[0-9]{1,18})", "weekly-try")
async def try_button(button: PersistentButton, interaction: Interaction) -> None:
    """Open a try of a week's challenge for the one who presses, once a day."""
    await EntryQuery(challenge_id=int(button.match["challenge"])).ask(interaction)


@PersistentButton.matching(
    r"w2:(?P<challenge>[0-9]{1,18}):(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2}):(?P<choice>[0-3])", "weekly-answer"
)
async def answer_button(button: PersistentButton, interaction: Interaction) -> None:
    """Take an answer to a day's question from the one who presses, once a day."""
    service, given = interaction.client.services[WeeklyService], button.match
    await service.answer(interaction, int(given["challenge"]), given["day"], int(given["choice"]))


class WeeklyCommands(commands.Cog, name="Weekly challenges"):
    """A challenge a week."""

    weekly = app_commands.Group(
        name="weekly", description="A challenge a week: the same for everyone, one try a day", guild_only=True
    )

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._weeklies = bot.services[WeeklyRepository]
        self._service = bot.services[WeeklyService]
        bot.services[Queries].add(EntryQuery)
        bot.add_items(try_button, answer_button)
        bot.services[EndedBattles].add(self._service)
        bot.services[Chores]["weekly"] = self._service.run

    @slash(
        weekly,
        as_typed,
        name="open",
        example="/weekly open",
        more="Everyone gets the same challenge that week, but each try has its own dice. A try counts once it opens:"
        " undo, ending early or a rematch give no second one that day. Questions are answered in private; the same one"
        " in another channel takes the answer you gave. The week ends on Sunday at 20:00, by the time zone of"
        " `/battle settings`, and its card shows who won.",
    )
    async def open_(
        self,
        interaction: Interaction,
        kind: Annotated[
            str | None, Option("What is fought (default: another kind each week)", CompletedBy(_MAX_KIND, _kinds))
        ] = None,
        shared: Annotated[bool, Option("The same challenge as in all servers that share it (default: yes)")] = True,
    ) -> None:
        """Open a challenge each Monday in this channel; needs Manage Messages."""
        guild_id, channel_id = _referee(interaction)
        if not interaction.app_permissions.send_messages:
            raise RuleError("I can't post in this channel by myself: allow me Send Messages here.")
        system = None if kind is None else find_title(self._service.kinds, kind, "There is no such challenge.")
        await defer(interaction, private=False)
        week = await self._service.week(guild_id)
        over = self._bot.clock() >= week.ends_at
        next_at = week.next_at if over else week.ends_at
        weekly = await self._weeklies.open(guild_id, channel_id, system, shared=shared, next_at=next_at)
        if over:
            await edit_reply(interaction, f"🗓️ The first challenge opens here <t:{next_at}:R>.")
            return
        challenge = await self._service.begin(weekly, week)
        message = await show_view(interaction, await self._service.view(challenge))
        await self._service.move(challenge, message.id)
        if system not in {None, challenge.system}:
            text = f"🗓️ This week keeps its challenge; on Monday the kind changes to {self._service.kinds[system]}."
            await interaction.followup.send(view=text_view([text]), ephemeral=True)

    @slash(weekly, example="/weekly close")
    async def close(self, interaction: Interaction) -> None:
        """Stop opening challenges in this channel; needs Manage Messages."""
        _, channel_id = _referee(interaction)
        await defer(interaction, private=False)
        await self._service.close(channel_id)
        await edit_reply(interaction, "🗓️ The weekly challenges here are closed. `/weekly open` starts them again.")

    @slash(weekly, example="/weekly board")
    async def board(self, interaction: Interaction, private: Private = False) -> None:
        """This week's challenge in this channel: who is ahead, and your try for today."""
        challenge = await self._weeklies.latest(interaction.channel_id or 0)
        if challenge is None:
            raise RuleError("This channel has no weekly challenge yet. A mod can open one: /weekly open.")
        await defer(interaction, private=private)
        await show_view(interaction, await self._service.view(challenge))


def _referee(interaction: Interaction) -> tuple[int, int]:
    """Return the server and the channel; RuleError for anybody but a referee."""
    if interaction.guild_id is None or interaction.channel_id is None:
        raise RuleError("Weekly challenges belong to a server; use this in one.")
    if not is_referee(interaction):
        raise RuleError("Only a mod can open or close weekly challenges: it takes Manage Messages.")
    return interaction.guild_id, interaction.channel_id
