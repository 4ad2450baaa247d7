"""`/boss forge`: a server's own bosses, from a form or a CSV file, with a redrawn picture."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Self

import discord

from bot.answers import UPLOADED, Query
from bot.answers.items import Confirmations, find_stored
from bot.battles.panel import is_referee
from bot.battles.presenter import names_text
from bot.client import Interaction, mark_done
from bot.games.boss_fight.questions import find_forged, home_of
from bot.games.boss_fight.render import RED, boss_text, portrait_of
from bot.games.boss_fight.repositories import BossRepository, ForgedBoss, RecordsLostError
from bot.store.queries import MAX_BYTES, QueryRepository, StoredQuery, UploadRepository
from bot.ui import plain, text_view
from bot.ui.interactions import caller_of, defer, show_view
from bot.ui.options import Entry, Fields, Typed, form_file, read_attachment
from sim.boss_fight.form_text import boss_form, read_boss_form
from sim.boss_fight.requests import MAX_UPLOAD, PortraitRequest
from sim.boss_fight.tables import known_boss
from sim.boss_fight.values import MAX_NAME, MAX_WORDS, Boss, Element
from sim.core import RuleError
from sim.core.numbers import quantity

FORGET_DEED = "boss-forge"
_NATURES: Mapping[str, tuple[str, str]] = {
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
"""The menu of elements and strengths: a name and a note by the words that `read_boss_form` reads."""
_MAX_LISTED = 15

_ENTRIES = {
    "name": Entry("Name", MAX_NAME),
    "figures": Entry(
        "Its numbers",
        200,
        "Change the numbers. Three ready decks deal about 10,000 in two rounds",
        long=True,
        first="Level: 1\nHealth: 10000\nPhysical damage: 1500\nMagical damage: 0",
    ),
    "nature": Entry(
        "Element and strengths",
        hint="One element or none, and any of the strengths",
        choices={value: name for value, (name, _) in _NATURES.items()},
        notes={value: note for value, (_, note) in _NATURES.items()},
        most=len(_NATURES) + 1 - len(Element),
    ),
    "words": Entry(
        "What it says",
        3 * (MAX_WORDS + 10),
        "Optional, a line each: entry: Who dares? · half: Ouch! · fall: Farewell.",
        long=True,
    ),
    "picture": Entry("Its picture", hint="PNG, JPEG, WEBP or GIF; leave it empty to keep the old one", is_file=True),
}


class ForgeQuery(Query):
    """The form that makes or changes a boss, as typed; `editing`: the name of the one that it changes.

    `bosses`: those that wait for the answer to a question; `picture`: theirs, in pieces that uploads have room for.
    """

    stored_as = "boss-forge"

    values: Annotated[dict[str, str], _ENTRIES]
    editing: str | None = None
    bosses: tuple[Boss, ...] = ()
    picture: Annotated[tuple[str, ...], UPLOADED] = ()

    @classmethod
    def of(cls, forged: ForgedBoss | None) -> Self:
        """Return the form, empty or filled with a forged boss."""
        values, editing = ({}, None) if forged is None else (boss_form(forged.boss), forged.boss.name)
        return cls(values=values, editing=editing, private=True)

    async def layout(self, _interaction: Interaction) -> tuple[str, Fields]:
        """Say what the form is for."""
        return "Forge a boss" if self.editing is None else "Change a boss", self.fields()

    async def submit(self, interaction: Interaction, _stored: StoredQuery, _action: str, values: Typed) -> None:
        """Save the boss of the form; if it is rejected, store the typed texts to be fixed."""
        query = await self.read_form(interaction, values)
        await defer(interaction, private=True)
        async with query.fixable(interaction):
            boss = read_boss_form(query.values)
            picture = await redraw(interaction, form_file(interaction, "picture"))
            await forge(interaction, [boss], picture, query.editing)


async def forge(
    interaction: Interaction,
    bosses: Sequence[Boss],
    picture: bytes | None,
    editing: str | None,
    *,
    forget: bool = False,
) -> None:
    """Save bosses for the interaction's home and show them; the interaction is deferred.

    Ask first if they would lose records, unless these may be forgotten. RuleError for too many, the game's own, or
    somebody else's.
    """
    for boss in bosses:
        if (known := known_boss(boss.name)) is not None:
            raise RuleError(f"{known.name} is a built-in boss: choose another name.")
    home, services = home_of(interaction), interaction.client.services
    forged = None if editing is None else await find_forged(interaction, editing)
    save = partial(services[BossRepository].save, home, bosses, referee=is_referee(interaction))
    try:
        await save(editing=forged, picture=picture, forget=forget)
    except RecordsLostError as error:
        keep, data = services[UploadRepository].keep, picture or b""
        pieces = [keep(data[start : start + MAX_BYTES]) for start in range(0, len(data), MAX_BYTES)]
        query = ForgeQuery(values={}, editing=editing, bosses=tuple(bosses), picture=tuple(pieces), private=True)
        stored = await query.store(interaction)
        who = names_text([f"**{plain(name)}**" for name in error.names])
        text = f"This gives {who} other figures or another name, and deletes all records against "
        text += "it." if len(error.names) == 1 else "them."
        await services[Confirmations].ask(interaction, FORGET_DEED, stored.id, text)
    else:
        await _reply_forged(interaction, bosses, picture)


async def forge_anyway(interaction: Interaction, query_id: str) -> None:
    """Save the bosses of a query whose records may be forgotten."""
    services, stored = interaction.client.services, await find_stored(interaction, query_id)
    query = ForgeQuery.model_validate_json(stored.request)
    picture = b"".join([await services[UploadRepository].read(piece) for piece in query.picture])
    await forge(interaction, query.bosses, picture or None, query.editing, forget=True)
    await services[QueryRepository].take(query_id)


async def redraw(interaction: Interaction, attachment: discord.Attachment | None) -> bytes | None:
    """Return an uploaded picture redrawn by a worker, None without one; RuleError if it isn't a picture."""
    if attachment is None:
        return None
    upload = await read_attachment(attachment, max_bytes=MAX_UPLOAD)
    return await interaction.client.simulator.once(PortraitRequest(data=upload.data), caller_of(interaction))


async def _reply_forged(interaction: Interaction, bosses: Sequence[Boss], picture: bytes | None) -> None:
    """Show the forged bosses; the interaction is deferred."""
    mark_done(interaction)
    where = "here" if interaction.guild_id is None else "for this server"
    count = f": {quantity(len(bosses), 'boss', 'bosses')}" if len(bosses) > 1 else ""
    lines = [f"🔨 Forged {where}{count}", *map(boss_text, bosses[:_MAX_LISTED])]
    if len(bosses) > _MAX_LISTED:
        lines.append(f"-# … and {len(bosses) - _MAX_LISTED} more")
    portrait = portrait_of(bosses[0], picture)
    await show_view(interaction, text_view(["\n".join(lines)], colour=RED, portrait=portrait))
