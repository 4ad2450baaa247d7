"""`/boss forge`: a server's own bosses, from a form or a CSV file, with a redrawn picture."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated

import discord

from bot.answers import UPLOADED, Entry, FormHandler, Query
from bot.answers.items import Confirmations, Deed, find_stored
from bot.battles.panel import is_referee
from bot.battles.presenter import names_text
from bot.client import Client, Interaction, mark_done
from bot.games.boss_fight.questions import find_forged, home_of
from bot.games.boss_fight.render import RED, boss_text, portrait_of
from bot.games.boss_fight.repositories import BossRepository, ForgedBoss, RecordsLostError
from bot.store.queries import MAX_BYTES, QueryRepository, StoredQuery, UploadRepository
from bot.ui import plain, text_view
from bot.ui.interactions import caller_of, defer, show_view
from bot.ui.options import Fields, form_file, read_attachment
from sim.boss_fight.form_text import boss_form, read_boss_form
from sim.boss_fight.requests import MAX_UPLOAD, PortraitRequest
from sim.boss_fight.tables import known_boss
from sim.boss_fight.values import MAX_NAME, MAX_WORDS, Boss, Element
from sim.core import RuleError
from sim.core.numbers import quantity

_FORGET = "boss-forge"
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
    """The texts typed into the form; `editing`: the name of the boss that it changes.

    `bosses`: those that wait for the answer to a question; `picture`: theirs, in pieces that uploads have room for.
    """

    values: Annotated[dict[str, str], _ENTRIES]
    editing: str | None = None
    bosses: tuple[Boss, ...] = ()
    picture: Annotated[tuple[str, ...], UPLOADED] = ()


class ForgeHandler(FormHandler[ForgeQuery]):
    """Handles the form that makes or changes a boss."""

    kind = "boss-forge"

    def __init__(self, bot: Client) -> None:
        super().__init__(bot)
        bot.services[Confirmations].add(_FORGET, Deed("Forge anyway", self._forge_anyway))

    async def open(self, interaction: Interaction, forged: ForgedBoss | None) -> None:
        """Open the form, empty or filled with a forged boss; the interaction is unanswered."""
        values, editing = ({}, None) if forged is None else (boss_form(forged.boss), forged.boss.name)
        await self.send_form(interaction, ForgeQuery(values=values, editing=editing, private=True))

    async def layout(self, _interaction: Interaction, query: ForgeQuery) -> tuple[str, Fields]:
        """Say what the form is for."""
        return "Forge a boss" if query.editing is None else "Change a boss", query.fields()

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Save the boss of the form; if it is rejected, store the typed texts to be fixed."""
        query = await self.filled(interaction, stored, values)
        await defer(interaction, private=True)
        async with self.fixable(interaction, query):
            boss = read_boss_form(query.values)
            picture = await redraw(interaction, form_file(interaction, "picture"))
            await self.forge(interaction, [boss], picture, query.editing)

    async def forge(
        self,
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
        home = home_of(interaction)
        forged = None if editing is None else await find_forged(interaction, editing)
        save = partial(self._bot.services[BossRepository].save, home, bosses, referee=is_referee(interaction))
        try:
            await save(editing=forged, picture=picture, forget=forget)
        except RecordsLostError as error:
            keep, data = self._bot.services[UploadRepository].keep, picture or b""
            pieces = [keep(data[start : start + MAX_BYTES]) for start in range(0, len(data), MAX_BYTES)]
            query = ForgeQuery(values={}, editing=editing, bosses=tuple(bosses), picture=tuple(pieces), private=True)
            stored = await self.store(interaction, query)
            who = names_text([f"**{plain(name)}**" for name in error.names])
            text = f"This gives {who} other figures or another name, and deletes all records against "
            text += "it." if len(error.names) == 1 else "them."
            await self._bot.services[Confirmations].ask(interaction, _FORGET, stored.id, text)
        else:
            await _reply_forged(interaction, bosses, picture)

    async def _forge_anyway(self, interaction: Interaction, query_id: str) -> None:
        query = self.read(await find_stored(interaction, query_id))
        read = self._bot.services[UploadRepository].read
        picture = b"".join([await read(piece) for piece in query.picture])
        await self.forge(interaction, query.bosses, picture or None, query.editing, forget=True)
        await self._bot.services[QueryRepository].take(query_id)


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
