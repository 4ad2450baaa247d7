"""The buttons of panels, whose custom ids keep them working after a restart, and the forms and replies of some.

A rejected form is kept, so that its player can fix it. "What if?", also as `/battle branch`, is one of the forms.
"""

import re
from collections.abc import Awaitable
from typing import Any, Self

import discord
from discord import app_commands
from pydantic import Field

from bot.answers import Query
from bot.battles import BattleService
from bot.battles.clocks import panel_url
from bot.battles.consent import ConsentService, open_rematch, seats_at
from bot.battles.endings import Endings
from bot.battles.journal import LogQuery, fairness_text, stand_after
from bot.battles.panel import panel_text, seat_for
from bot.battles.presenter import DropIn, HasForms, HidesInformation, Offer, Position, Presenters, mixin_of
from bot.battles.publisher import PanelPublisher
from bot.battles.referee import table_button
from bot.battles.threads import ThreadService
from bot.client import UNDELIVERED, Interaction
from bot.store.battle import Battle, Place
from bot.store.battles import BattleRepository
from bot.store.database import Connection, off_loop
from bot.store.queries import StoredQuery
from bot.ui import MAX_TITLE, shorten, text_view
from bot.ui import interactions as ui
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.options import Entry, Fields, Typed
from sim.core import RuleError
from sim.core.battle import REFEREE, Seat
from sim.core.journal import Branch, active_steps
from sim.core.numbers import quantity
from sim.core.values import read_strict


class FormQuery(Query):
    """The form of an action; `values` has what was typed by the fields' ids.

    The presenter of the battle's system defines the fields. Values without a field are passed through.
    """

    stored_as = "battle-form"

    private: bool = True
    battle_id: int
    version: int
    choice: str
    values: dict[str, str] = Field(default_factory=dict)

    @classmethod
    def of(cls, offer: Offer[Any], values: Typed | None = None) -> Self:
        """Return the form of an action, filled with `values`."""
        battle = offer.battle
        return cls(battle_id=battle.id, version=battle.version, choice=offer.legal.name, values=dict(values or {}))

    async def act(self, interaction: Interaction, _stored: StoredQuery, _action: str) -> None:
        """Reopen the form, filled with what was typed, for the battle's current version."""
        offer = await self._offer(interaction)
        seat_for(offer, interaction)
        await self.model_copy(update={"version": offer.battle.version}).send_form(interaction)

    async def submit(self, interaction: Interaction, _stored: StoredQuery, _action: str, values: Typed) -> None:
        """Take the action with what was typed."""
        await ui.acknowledge(interaction)
        await self.model_copy(update={"values": {**self.values, **values}}).take(interaction)

    async def take(self, interaction: Interaction) -> None:
        """Take the action, with what was typed here or elsewhere, such as into a command; the interaction is deferred.

        A rejected action is kept, so that its player can fix it in the form.
        """
        service = interaction.client.services[BattleService]
        async with self.fixable(interaction):
            offer = await self._offer(interaction)
            forms = mixin_of(offer.presenter, HasForms)
            version = None if self.choice in forms.lasting_actions else self.version
            async with service.explain_conflicts(interaction):
                found = await service.resolve(interaction, offer.battle, version, self.choice)
                action = await forms.read_form(interaction, found, self.values)
            # Reading may take long, so that the action is resolved again.
            shown = forms.answered(interaction, self.battle_id, self.values)
            await service.act(interaction, self.battle_id, version, self.choice, action, answered=shown)

    async def _offer(self, interaction: Interaction) -> Offer[Any]:
        return (await position_of(interaction, self.battle_id)).offer(self.choice)

    async def layout(self, interaction: Interaction) -> tuple[str, Fields]:
        """Ask for an action's details."""
        offer = await self._offer(interaction)
        fields = await mixin_of(offer.presenter, HasForms).fields(offer, self.values, interaction.user.id)
        return shorten(f"#{offer.battle.number} {offer.legal.label}", MAX_TITLE), fields


async def position_of(interaction: Interaction, battle_id: int) -> Position[Any]:
    """Return how a battle of the interaction's channel stands; RuleError as of `BattleService.find`."""
    battle = await interaction.client.services[BattleService].find(battle_id, ui.origin_of(interaction))
    return await interaction.client.services[Presenters].position(battle)


class BranchQuery(Query):
    """Asks from which row of a battle to go on, and opens a battle there."""

    stored_as = "battle-branch"
    form_action = "open"

    private: bool = True
    battle_id: int
    row: str = ""

    async def submit(self, interaction: Interaction, _stored: StoredQuery, _action: str, values: Typed) -> None:
        """Open the battle."""
        query = self.model_copy(update={"row": values.get("row", "").strip()})
        async with query.fixable(interaction):
            if not (query.row.isascii() and query.row.isdigit()):
                raise RuleError("Type the number of a row, such as 3; 0 is the beginning.")
            battle = await interaction.client.services[BattleService].find(query.battle_id, ui.origin_of(interaction))
            await open_branch(interaction, battle, int(query.row))

    async def layout(self, interaction: Interaction) -> tuple[str, Fields]:
        """Ask for a row, by default the one before the last step."""
        services = interaction.client.services
        battle = await services[BattleService].find(self.battle_id, ui.origin_of(interaction))
        steps = active_steps(await services[BattleRepository].journal(battle.id))
        before = str(steps[-1].n - 1 if steps else 0)
        hint = f"0 is the beginning, {before} just before the last step. /battle log and the replay number the rows."
        field = Entry("Go on after which row?", 5, hint, first=before).field("row", self.row)
        return f"#{battle.number}: what if?", [field]


async def ask_branch(interaction: Interaction, battle: Battle) -> None:
    """Ask from which row of a battle to go on; the interaction is unanswered."""
    await BranchQuery(battle_id=battle.id).send_form(interaction)


async def open_branch(interaction: Interaction, battle: Battle, row: int) -> None:
    """Answer with a battle that goes on after a row, with dice of its own; RuleError unless the other is over.

    Its head holds the state at that row, so its file is whole: no seed of the other battle is needed to check it, its
    dice are its own alone, and no undo leads behind its beginning. The row's hash ties it to the other's journal.
    """
    if battle.is_open:
        raise RuleError(f"#{battle.number} isn't over yet. Once it is, you can try what might have been.")
    if not 0 <= row <= battle.version:
        raise RuleError(f"#{battle.number} has {quantity(battle.version, 'row')}; 0 is the beginning.")
    await ui.defer(interaction, private=False)
    bot = interaction.client
    repository, presenter = bot.services[BattleRepository], bot.services[Presenters].of(battle.system)
    rows = (await repository.journal(battle.id))[:row]
    at = await stand_after(bot, battle, rows)
    if at.outcome is not None:
        raise RuleError(f"#{battle.number} was over after row {row}: {at.outcome.why}. Go on from an earlier row.")
    state = await off_loop(len(at.state), read_strict, at.state)
    branch = Branch(hash=rows[-1].hash if rows else battle.head.hash, row=row, state=state)
    seats = [place.seat for place in battle.places]
    if isinstance(presenter, DropIn):  # nobody can take a free seat: all who were there are played by one person
        seats = [change.seat for change in await seats_at(presenter, rows, row)]
    bots = {place.seat: place for place in battle.places if place.is_bot}
    people = [seat for seat in seats if seat not in bots]
    own = {*people} if isinstance(presenter, DropIn) else _taken(battle, interaction.user.id, people)
    taken = bots | {seat: Place(seat, interaction.user.id) for seat in own}
    places = [taken.get(seat, Place(seat)).moved(seat) for seat in seats]

    def hook(conn: Connection, opened: Battle) -> Awaitable[int]:
        return conn.change("battles", {"id": opened.id}, branch_of=battle.number)

    service, setup_json = bot.services[BattleService], battle.setup_json
    await service.open(interaction, battle.system, setup_json, places, hook=hook, branch=branch)


def _taken(battle: Battle, user_id: int, seats: list[Seat]) -> set[Seat]:
    """Return the seats of who asks: the referee's, and their own ones, else the first fighter's."""
    fighters = [seat for seat in seats if seat != REFEREE]
    own = [seat for seat in battle.seats_of(user_id) if seat in fighters]
    return {REFEREE, *(own or fighters[:1])}


_MAX_PRIVATE = 3500
_MAX_REASON = 100

_BATTLE = r"(?P<battle>[0-9]{1,18}):(?P<version>[0-9]{1,6})"


async def show_log(interaction: Interaction, battle: Battle) -> None:
    """Show the log with its files, as `/battle log` does, to who asks alone."""
    await LogQuery(battle_id=battle.id, private=True).ask(interaction)


async def _show(interaction: Interaction, battle: Battle, what: str) -> None:
    """Show what a button asks for that changes nothing, in private; RuleError if there is no such thing."""
    at = await interaction.client.services[Presenters].position(battle)
    match what:
        case "look":  # what only the user's seats may see
            own = battle.seats_of(interaction.user.id)
            text = mixin_of(at.presenter, HidesInformation).private_text(battle, at.state, own)
            if text is None:
                raise RuleError("There is nothing here that only you may see.")
            view = text_view([shorten(text, _MAX_PRIVATE)])
        case "fair":  # the seed, or its hash, and how to check the battle
            view = text_view([fairness_text(battle, at.presenter.chance_in(at.state))])
        case "more":  # the other buttons of a battle that is over
            buttons = [*interaction.client.services[Endings].more(at)]
            view = text_view([f"**#{battle.number} {at.presenter.title}**"], buttons=buttons)
        case _:  # "share": in which channel its end is to be shown
            where = discord.ui.ChannelSelect[Any](
                custom_id=f"b5:{battle.id}", placeholder="Where to?", channel_types=_SHARED_IN
            )
            view = text_view([f"Share how #{battle.number} ended"], rows=[[where]])
    await ui.reply(interaction, view)


_SHARED_IN = [discord.ChannelType[name] for name in ("text", "news", "public_thread", "private_thread")]


@ui.PersistentItem[discord.ui.ChannelSelect[Any]].matching(r"b5:(?P<battle>[0-9]{1,18})", "share")
async def share_list(menu: ui.PersistentItem[discord.ui.ChannelSelect[Any]], interaction: Interaction) -> None:
    """Post the card of a battle that is over in the chosen channel, if the user may write there, too."""
    bot = interaction.client
    battle = await bot.services[BattleService].find(int(menu.match["battle"]), ui.origin_of(interaction))
    if not menu.item.values:
        raise RuleError(OUTDATED_BUTTON)
    channel = menu.item.values[0]
    in_thread = isinstance(channel, app_commands.AppCommandThread)
    allowed = channel.permissions
    if not (allowed.send_messages_in_threads if in_thread else allowed.send_messages):
        raise RuleError(f"You can't write in #{channel.name}.")
    await ui.acknowledge(interaction)
    if battle.is_open:
        raise RuleError(f"#{battle.number} isn't over yet.")
    panel = await bot.services[PanelPublisher].render(battle, interaction)
    told = panel_text(panel.at, panel.content)[:1]
    if (url := panel_url(battle)) is not None:
        told.append(f"-# From {url}")
    view = text_view(told, colour=panel.content.colour, picture=panel.content.picture, portrait=panel.content.portrait)
    try:
        await bot.get_partial_messageable(channel.id, guild_id=battle.guild_id).send(view=view, files=view.files)
    except UNDELIVERED as error:
        raise RuleError(f"I can't post in #{channel.name}: {shorten(str(error), _MAX_REASON)}") from error
    await ui.edit_reply(interaction, f"📣 Shared in <#{channel.id}>.")


@ui.PersistentButton.matching(rf"b1:{_BATTLE}:(?P<action>[a-z0-9-]{{1,40}})", "battle")
async def battle_button(button: ui.PersistentButton, interaction: Interaction) -> None:
    """Take an action in a battle, or open its form."""
    services = interaction.client.services
    battle_id, version = int(button.match["battle"]), int(button.match["version"])
    wanted = await services[BattleService].press(interaction, battle_id, version, button.match["action"])
    if wanted is not None:
        await FormQuery.of(wanted).send_form(interaction)


@ui.PersistentButton.matching(rf"b2:{_BATTLE}:(?P<what>[a-z]{{1,20}}):(?P<of>[a-z0-9-]{{1,40}})", "{what}")
async def shared_button(button: ui.PersistentButton, interaction: Interaction) -> None:
    """Handle a button of every battle: join, the bot's seats, agree, refuse, look, fair; what one that is over has."""
    services = interaction.client.services
    battle_id, what, of = int(button.match["battle"]), button.match["what"], button.match["of"]
    if what == "rematch":
        await open_rematch(interaction, battle_id, swap=of == "swap")
    elif what in {"look", "fair", "more", "share"}:
        await _show(interaction, await services[BattleService].find(battle_id, ui.origin_of(interaction)), what)
    elif what == "log":
        await show_log(interaction, await services[BattleService].find(battle_id, ui.origin_of(interaction)))
    elif what == "over" and (ending := services[Endings].get(of)) is not None:
        await ending.answer(interaction, await services[BattleService].find(battle_id, ui.origin_of(interaction)))
    elif what == "thread":
        async with services[BattleService].explain_conflicts(interaction):
            await services[ThreadService].move(interaction, battle_id)
    else:
        await services[ConsentService].press(interaction, battle_id, int(button.match["version"]), what, of)


@ui.PersistentSelect.matching(r"b3:undo", "undo")
async def undo_list(menu: ui.PersistentSelect, interaction: Interaction) -> None:
    """Ask for the undo in the chosen battle; a value is a battle and its version."""
    services = interaction.client.services
    chosen = re.fullmatch(_BATTLE, menu.chosen)
    if chosen is None:
        raise RuleError(OUTDATED_BUTTON)
    await ui.acknowledge(interaction)
    battle = await services[BattleService].find(int(chosen["battle"]), ui.origin_of(interaction))
    view = await services[ConsentService].ask_undo(interaction, battle, int(chosen["version"]))
    await interaction.edit_original_response(view=view)


BATTLE_ITEMS = (battle_button, shared_button, undo_list, share_list, table_button)
