"""`/boss forge`: a server's own bosses, from a form or a CSV file, with a redrawn picture."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import discord

from bot.answers.document import EDIT_ACTION
from bot.answers.handler import FormHandler, Query, form
from bot.battles.permissions import is_referee
from bot.client import Interaction
from bot.games.boss_fight.options import find_forged, home_of
from bot.games.boss_fight.render import RED, boss_text, portrait_of
from bot.games.boss_fight.repositories import BossRepository, ForgedBoss
from bot.store.queries import StoredQuery
from bot.ui.error_replies import mark_done
from bot.ui.interactions import caller_of, defer, open_form
from bot.ui.modals import choice_field, file_field, form_file, text_field
from bot.ui.options import read_attachment
from bot.ui.text import text_view
from sim.boss_fight.boss_form import boss_form, read_boss_form
from sim.boss_fight.presets import known_boss
from sim.boss_fight.requests import MAX_UPLOAD, BossesRequest, PortraitRequest
from sim.boss_fight.values import MAX_NAME, MAX_WORDS, Boss, Element
from sim.core.errors import RuleError
from sim.core.numbers import quantity

_MAX_FIGURES = 200
_FIRST_FIGURES = "Level: 1\nHealth: 10000\nPhysical damage: 1500\nMagical damage: 0"
_NATURES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "Water": ("Water", "Beats Fire, fears Earth"),
        "Fire": ("Fire", "Beats Air, fears Water"),
        "Air": ("Air", "Beats Lightning, fears Fire"),
        "Lightning": ("Lightning", "Beats Earth, fears Air"),
        "Earth": ("Earth", "Beats Water, fears Lightning"),
        "PP": ("Pierces physical", "Resistance doesn't halve its physical damage"),
        "PR": ("Resists physical", "Halves physical damage that doesn't pierce"),
        "MP": ("Pierces magical", "Resistance doesn't halve its magical damage"),
        "MR": ("Resists magical", "Halves magical damage that doesn't pierce"),
    }
)
"""The menu of elements and strengths: a name and a note by the words that `read_boss_form` reads."""
_MAX_WORDS_FIELD = 3 * (MAX_WORDS + 10)
_MAX_LISTED = 15


class ForgeQuery(Query):
    """The texts typed into the form; `editing`: the name of the boss that it changes."""

    values: dict[str, str]
    editing: str | None = None

    def fields(self) -> Sequence[discord.ui.Label[Any]]:
        """Return the form's fields."""
        typed = self.values.get
        return [
            text_field("name", "Name", typed("name"), max_length=MAX_NAME),
            text_field(
                "figures",
                "Its numbers",
                typed("figures") or _FIRST_FIGURES,
                max_length=_MAX_FIGURES,
                hint="Change the numbers. Three ready decks deal about 10,000 in six exchanges",
                long=True,
            ),
            choice_field(
                "nature",
                "Element and strengths",
                {value: name for value, (name, _) in _NATURES.items()},
                _chosen_natures(typed("nature") or ""),
                hint="One element or none, and any of the strengths",
                required=False,
                notes={value: note for value, (_, note) in _NATURES.items()},
                most=len(_NATURES) + 1 - len(Element),
            ),
            text_field(
                "words",
                "What it says",
                typed("words"),
                max_length=_MAX_WORDS_FIELD,
                hint="Optional, a line each: entry: Who dares? · half: Ouch! · fall: Farewell.",
                long=True,
            ),
            file_field("picture", "Its picture", hint="PNG, JPEG, WEBP or GIF; leave it empty to keep the old one"),
        ]


class ForgeHandler(FormHandler[ForgeQuery]):
    """Handles the form that makes or changes a boss."""

    kind = "boss-forge"
    query = ForgeQuery

    async def open(self, interaction: Interaction, forged: ForgedBoss | None) -> None:
        """Open the form, empty or filled with a forged boss; the interaction is unanswered."""
        if forged is None:
            query = ForgeQuery(values={}, private=True)
        else:
            query = ForgeQuery(values=boss_form(forged.boss), editing=forged.boss.name, private=True)
        await self._send_form(interaction, await self.store(interaction, query), query)

    async def act(self, interaction: Interaction, stored: StoredQuery, _action: str) -> None:
        """Open the form again, filled with the typed texts."""
        await self._send_form(interaction, stored, self.read(stored))

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Save the boss of the form; if it is rejected, store the typed texts to be fixed."""
        opened = self.read(stored)
        query = opened.model_copy(update={"values": opened.values | values})
        await defer(interaction, private=True)
        try:
            boss = read_boss_form(query.values)
            picture = await redraw(interaction, form_file(interaction, "picture"))
            await save_bosses(interaction, [boss], picture, await self._edited_boss(interaction, query))
        except RuleError as error:
            raise await self.reject(interaction, query, error) from error
        await reply_forged(interaction, [boss], picture)

    async def _edited_boss(self, interaction: Interaction, query: ForgeQuery) -> ForgedBoss | None:
        if query.editing is None:
            return None
        return await find_forged(self._bot, home_of(interaction), query.editing)

    async def _send_form(self, interaction: Interaction, stored: StoredQuery, query: ForgeQuery) -> None:
        title = "Forge a boss" if query.editing is None else "Change a boss"
        await open_form(interaction, form(title, stored.id, EDIT_ACTION, query.fields()))


def _chosen_natures(typed: str) -> str:
    """Return the choices of the menu among words that were typed or chosen before."""
    words = {word.upper() for word in re.split(r"[\s,]+", typed)}
    return " ".join(value for value in _NATURES if value.upper() in words)


async def redraw(interaction: Interaction, attachment: discord.Attachment | None) -> bytes | None:
    """Return an uploaded picture redrawn by a worker, None without one; RuleError if it isn't a picture."""
    if attachment is None:
        return None
    upload = await read_attachment(attachment, max_bytes=MAX_UPLOAD)
    return await interaction.client.simulator.once(PortraitRequest(data=upload.data), caller_of(interaction))


async def read_bosses_file(interaction: Interaction, attachment: discord.Attachment) -> tuple[Boss, ...]:
    """Return the bosses of a CSV file; TableError with every mistake."""
    upload = await read_attachment(attachment)
    return await interaction.client.simulator.once(BossesRequest(data=upload.data), caller_of(interaction))


async def save_bosses(
    interaction: Interaction,
    bosses: Sequence[Boss],
    picture: bytes | None,
    editing: ForgedBoss | None = None,
) -> None:
    """Save bosses for the interaction's home; RuleError for too many, the game's own, or somebody else's."""
    for boss in bosses:
        if (known := known_boss(boss.name)) is not None:
            raise RuleError(f"{known.name} is a built-in boss: choose another name.")
    await interaction.client.services[BossRepository].save(
        home_of(interaction), bosses, referee=is_referee(interaction), editing=editing, picture=picture
    )


async def reply_forged(interaction: Interaction, bosses: Sequence[Boss], picture: bytes | None) -> None:
    """Show the forged bosses; the interaction is deferred."""
    mark_done(interaction)
    where = "here" if interaction.guild_id is None else "for this server"
    head = f"🔨 Forged {where}: {quantity(len(bosses), 'boss', 'bosses')}" if len(bosses) > 1 else f"🔨 Forged {where}"
    lines = [head, *map(boss_text, bosses[:_MAX_LISTED])]
    if len(bosses) > _MAX_LISTED:
        lines.append(f"-# … and {len(bosses) - _MAX_LISTED} more")
    portrait = portrait_of(bosses[0], picture)
    files = [] if portrait is None else [portrait.file()]
    view = text_view(["\n".join(lines)], colour=RED, portrait=portrait)
    await interaction.edit_original_response(view=view, attachments=files)
