"""`/help` and `/about`: the games to choose from, a page for each game and each part of the bot, every command.

A server that has just added the bot gets the first page as a message.
"""

import asyncio
import logging
import math
import re
import secrets
from collections.abc import Iterable
from datetime import timedelta
from typing import Annotated, Any
from weakref import WeakValueDictionary

import discord
from discord import app_commands
from discord.ext import commands

from bot.battles.presenter import Presenters
from bot.client import Client, Interaction, undelivered
from bot.games import Game, Games
from bot.store.battles import BattleRepository
from bot.store.database import Database
from bot.store.personal_data import GuildRepository
from bot.ui import LAYOUT_TEXT, MAX_CHOICES, Picture, View, id_button, plain_view, shorten, text_view, utf16_length
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.interactions import PersistentButton, PersistentSelect, caller_of, defer, defer_in_place, reply, show_view
from bot.ui.options import CompletedBy, Option, as_typed, slash
from sim.core import RuleError
from sim.core.cards.draw import TilesCard
from sim.core.cards.figures import ICON
from sim.core.cards.values import Tile
from sim.core.names import nearest
from sim.core.numbers import quantity
from sim.jobs.release import version
from sim.workers.queue import Caller

AnyCommand = app_commands.Command[Any, ..., Any]

_OWN = "Fracas itself"
_SURPRISE = "Surprise me"
_NONE = "-"
"""In place of a page: the first one, or any example."""

_MAX_SLUG = 60
_PAGE = rf"(?P<page>[a-z0-9-]{{1,{_MAX_SLUG}}})"
_MAX_TILES = 20  # a message has at most 40 parts
_IN_A_ROW = 2  # as in the picture
_MAX_TILE_TITLE, _MAX_TILE_LINE = 40, 80
_log = logging.getLogger("fracas.app")


@PersistentSelect.matching(r"h1", "help")
async def help_list(menu: PersistentSelect, interaction: Interaction) -> None:
    """Turn to the chosen page: the first one, or that of a section; privately, or in place of a private help page."""
    await defer_in_place(interaction, 0)  # nobody's: a tour stays as it is
    await show_page(interaction, menu.chosen)


@PersistentButton.matching(rf"h2:{_PAGE}", "help")
async def page_button(button: PersistentButton, interaction: Interaction) -> None:
    """Turn to a game's page, or back to all games, in the same place."""
    await defer_in_place(interaction, 0)
    await show_page(interaction, button.match["page"])


@PersistentButton.matching(rf"h3:{_PAGE}", "try")
async def try_button(button: PersistentButton, interaction: Interaction) -> None:
    """Open something of a game to play, or surprise with any game."""
    page = _current(interaction.client, button.match["page"])
    if page == _NONE:
        await interaction.client.services[Surprises].open(interaction)
        return
    games = {_slug(title): game for title, game in games_by_title(interaction.client).items()}
    if page not in games or (example := games[page].example) is None:
        raise RuleError(OUTDATED_BUTTON)
    await example(interaction)


class Surprises:
    """Opens something to play, of another game than those that a person opened last."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def open(self, interaction: Interaction) -> None:
        """Answer the press with it, in the channel."""
        user_id = interaction.user.id
        await defer(interaction, private=False)
        async with self._locks.setdefault(user_id, asyncio.Lock()):  # two presses at once don't open the same, either
            games = self._bot.services[Games]
            playable = [(loaded, opens) for loaded in games if (opens := loaded.game.example) is not None]
            if not playable:
                raise RuleError(OUTDATED_BUTTON)
            opened = await self._bot.services[BattleRepository].opened_by(user_id, len(playable) // 2)
            presenters = self._bot.services[Presenters]
            last = [type(presenters[system]) for system in opened if system in presenters]
            others = [opens for loaded, opens in playable if not any(map(loaded.owns, last))]
            await others[secrets.randbelow(len(others))](interaction)


def sections(bot: Client) -> dict[str, list[AnyCommand]]:
    """Return the commands by the name of their cog: a game, or a part of the bot; those outside of groups first."""
    found: dict[str, list[AnyCommand]] = {title: [] for title in bot.cogs}
    for command in sorted(all_commands(bot).values(), key=lambda command: command.parent is not None):
        cog = command.binding
        found.setdefault(cog.qualified_name if isinstance(cog, commands.Cog) else "Others", []).append(command)
    return {title: listed for title, listed in found.items() if listed}


def games_by_title(bot: Client) -> dict[str, Game]:
    """Return the games by the titles of their first pages."""
    titles = sections(bot)
    found: dict[str, Game] = {}
    for loaded in bot.services[Games]:
        own = (title for title in titles if title in bot.cogs and loaded.owns(type(bot.cogs[title])))
        if (title := next(own, None)) is not None:
            found[title] = loaded.game
    return found


async def show_page(interaction: Interaction, page: str = _NONE) -> None:
    """Answer the deferred interaction with a page, the first one by default, or if there is no such page."""
    bot = interaction.client
    page = _current(bot, page)
    title = next((title for title in sections(bot) if _slug(title) == page), None)
    if title is None:
        view = tiles_view(bot, await tiles_picture(bot, caller_of(interaction)))
    else:
        view = _section_view(bot, title)
    pages = [None, *list(sections(bot))[: MAX_CHOICES - 1]]
    options = [
        discord.SelectOption(label=each or "All games", value=_slug(each), default=each == title) for each in pages
    ]
    view.add_item(discord.ui.ActionRow(discord.ui.Select(custom_id="h1", placeholder="More about …", options=options)))
    await show_view(interaction, view)


async def tiles_picture(bot: Client, caller: Caller | None = None) -> Picture | None:
    """Draw the games; None if that can't be done now, since the buttons say the same."""
    listed = list(games_by_title(bot).items())[:_MAX_TILES]
    tiles = [
        Tile(
            icon=game.icon,
            color=game.color,
            title=shorten(title, _MAX_TILE_TITLE),
            line=shorten(game.line, _MAX_TILE_LINE),
        )
        for title, game in listed
    ]
    tiles.append(Tile(icon=ICON, color="#f2f3f5", title=_SURPRISE, line="Let the dice decide."))
    try:
        drawn = await bot.simulator.run(TilesCard(title="Pick a fight", tiles=tuple(tiles)), caller)
    except RuleError:
        return None
    return Picture("games.png", drawn.data, " ".join(f"{tile.title}: {tile.line}" for tile in tiles))


def tiles_view(bot: Client, picture: Picture | None) -> View:
    """Lay out the games to choose from, a button for each."""
    buttons = [id_button(f"h2:{_slug(title)}", title) for title in list(games_by_title(bot))[:_MAX_TILES]]
    buttons.append(id_button(f"h3:{_NONE}", _SURPRISE, "🎲", discord.ButtonStyle.primary))
    welcome = "### Fracas fights your battles\nPick a game and press Try it, or type `/` and choose a command."
    return text_view([welcome], picture=picture, rows=discord.utils.as_chunks(buttons, _IN_A_ROW))


def _section_view(bot: Client, title: str) -> View:
    """Lay out the commands of a section, below the button that tries a game; only the first one has its example."""
    game = games_by_title(bot).get(title)
    intro = [] if game is None else list(filter(None, (game.line, game.guide)))
    head = "\n".join([f"### {title}", *intro])
    first, *others = sections(bot)[title]
    pasted = [f"`{example(first)}`"] if " " in example(first).removeprefix(f"/{first.qualified_name}") else []
    menus = menu_lines(bot) if title == _OWN else []
    more = "-# `/help command:` explains one of them, with an example to paste."
    listed = "\n".join([summary(first), *pasted, *map(summary, others), *menus, more])
    view = text_view([head], colour=None if game is None else int(game.color[1:], 16))
    if game is not None and game.example is not None:
        view.add_item(discord.ui.ActionRow(id_button(f"h3:{_slug(title)}", "Try it", "▶️", discord.ButtonStyle.success)))
    view.add_item(discord.ui.TextDisplay(shorten(listed, LAYOUT_TEXT - utf16_length(head))))
    view.add_item(discord.ui.ActionRow(id_button(f"h2:{_NONE}", "All games", "◀️")))
    return view


def all_commands(bot: Client) -> dict[str, AnyCommand]:
    """Return every slash command by its name, those of groups too."""
    found = (each for each in bot.tree.walk_commands() if isinstance(each, app_commands.Command))
    return {command.qualified_name: command for command in found}


def summary(command: AnyCommand) -> str:
    """Return what a command does, on one line."""
    return f"**/{command.qualified_name}** {command.description}"


def menu_lines(bot: Client) -> list[str]:
    """Return a line of markdown for each entry in the menus of messages and people."""
    menus = [each for each in bot.tree.get_commands() if isinstance(each, app_commands.ContextMenu)]
    on = {discord.AppCommandType.message: "a message", discord.AppCommandType.user: "a person"}
    return [f"**{menu.name}** in the Apps menu of {on[menu.type]}: {menu.extras['says']}" for menu in menus]


def example(command: AnyCommand) -> str:
    """Return what can be pasted; a game may give none."""
    return str(command.extras.get("example", f"/{command.qualified_name}"))


def _current(bot: Client, page: str) -> str:
    """Return what a page is called now; games' pages have been renamed."""
    former = {_slug(old): title for title, game in games_by_title(bot).items() for old in game.former_titles}
    return _slug(former[page]) if page in former else page


def _slug(title: str | None) -> str:
    return _NONE if title is None else re.sub(r"[^a-z0-9]+", "-", title.casefold())[:_MAX_SLUG]


async def greet(bot: Client, guild: discord.Guild) -> None:
    """Post the games in a new server's channel for such messages, if there is one and the bot may write there."""
    channel = guild.system_channel
    if channel is None:
        return
    may = channel.permissions_for(guild.me)
    if may.view_channel and may.send_messages:
        await post_tour(bot, channel, pictured=may.attach_files)


async def post_tour(bot: Client, channel: discord.abc.Messageable, *, pictured: bool = True) -> None:
    """Post the games; a failure is only logged, since nobody has asked."""
    view = tiles_view(bot, await tiles_picture(bot) if pictured else None)
    with undelivered(_log, "tour_not_posted"):
        await channel.send(view=view, files=view.files)


_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Many")


async def _command_names(interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    """Offer the commands with this in their names."""
    key = typed.strip().lstrip("/").casefold()
    found = [name for name in sorted(all_commands(interaction.client)) if key in name]
    return [app_commands.Choice(name=f"/{name}", value=name) for name in found]


class Help(commands.Cog, name=_OWN):
    """What the bot says about itself."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        bot.add_items(help_list, page_button, try_button)

    @slash(None, as_typed, name="help", example="/help command:aacalc")
    async def help_(
        self,
        interaction: Interaction,
        command: Annotated[
            str | None, Option("Explain one command and all its options", CompletedBy(None, _command_names))
        ] = None,
    ) -> None:
        """The games, ready to try, and every command in a line."""
        wanted = (command or "").strip().lstrip("/").casefold()
        known = all_commands(self._bot)
        pages = {"": _NONE} | {
            found.root_parent.name: _slug(title)
            for title, listed in sections(self._bot).items()
            for found in listed
            if found.root_parent is not None
        }
        if wanted in pages:
            await defer(interaction, private=True)
            await show_page(interaction, pages[wanted])
        elif (found := known.get(wanted)) is not None:
            options = [
                f"- **{option.display_name}** {'(required) ' if option.required else ''}{option.description}"
                for option in found.parameters
            ]
            more = filter(None, [found.extras.get("more"), f"Try it:\n`{example(found)}`"])
            lines = [f"### /{found.qualified_name}", found.description, *options, "", *more]
            await reply(interaction, plain_view(shorten("\n".join(lines), LAYOUT_TEXT)))
        else:
            near = nearest(wanted, known)
            hint = "" if near is None else f" Did you mean /{near.qualified_name}?"
            raise RuleError(f"There is no such command; /help shows them all.{hint}")

    @slash(None)
    async def about(self, interaction: Interaction) -> None:
        """Version, latency, uptime, privacy."""
        uptime = timedelta(seconds=int(self._bot.monotonic() - self._bot.started_at))
        latency = self._bot.latency
        number = _NUMBERS[min(len(self._bot.services[Games]), len(_NUMBERS) - 1)]
        servers = len(self._bot.guilds)
        if self._bot.services[Database].is_shared:  # each process sees its own servers alone
            servers = await self._bot.services[GuildRepository].number()
        lines = [
            f"### Fracas {version()}",
            f"{number} games, one table. `/help` shows what it can do.",
            f"Latency {'not measured yet' if not math.isfinite(latency) else f'{latency * 1000:.0f} ms'}",
            f"Up for {uptime}",
            f"In {quantity(servers, 'server')}",
            " · ".join([*self._bot.settings.links, "`/privacy show`: what is kept about you"]),
        ]
        await reply(interaction, plain_view(shorten("\n".join(lines), LAYOUT_TEXT)))
