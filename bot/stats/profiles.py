"""`/profile`: a card of what a person can be proud of, and the form of what they choose for themselves."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Annotated, Any

import discord
from pydantic import Field

from bot.answers.handler import Entry, FormHandler, Query
from bot.battles.presenter import game_titles
from bot.client import Client, Interaction, Named
from bot.stats.render import moment_lines, record_text, rival_counts, rival_line, stroke_text, tally_line
from bot.stats.repository import Moment, Rival, Span, StatsRepository
from bot.store.people import PeopleRepository
from bot.store.queries import StoredQuery
from bot.ui.interactions import PersistentButton, caller_of, defer, show_view
from bot.ui.people import PeopleNames, called
from bot.ui.text import plain, text_view
from sim.core.cards.board import MAX_TROPHIES, TrophyCard
from sim.core.cards.emblems import COLORS, EMBLEMS, Crest
from sim.core.cards.values import MAX_LINE, Fact

_NO, _YES = "no", "yes"
_SHOWN, _WEIGHED = 5, 100
"""Rivals that are listed, and from how many the nemesis is found."""

Trophy = Callable[[Span, int], Awaitable[str]]
"""What a feature tells of a person in a span, "" for nothing."""


class Trophies(Named[tuple[str, Trophy]]):
    """What features tell on profiles, by its label there, each with an emblem."""

    def __init__(self, _bot: Client) -> None:
        super().__init__("a label on profiles")


class CrestQuery(Query):
    """An emblem and a color as they are chosen, and whether positions of their battles may be shown."""

    private: bool = True
    emblem: Annotated[str, Entry("Emblem", choices={key: f"{one.sign} {one.title}" for key, one in EMBLEMS.items()})]
    color: Annotated[
        str, Entry("Color", choices={key: f"{sign} {key.capitalize()}" for key, (_, sign) in COLORS.items()})
    ]
    positions: Annotated[
        str,
        Field(exclude_if=_NO.__eq__),
        Entry(
            "May positions of your battles be puzzles?",
            hint="Without names, and only if all who fought there allow it",
            choices={_NO: "No", _YES: "Yes"},
        ),
    ] = _NO


class ProfilePages(FormHandler[CrestQuery]):
    """Shows profiles, and takes what somebody chose."""

    kind = "crest"
    form_title = "Your profile"

    def __init__(self, bot: Client) -> None:
        super().__init__(bot)
        self._people = bot.services[PeopleRepository]
        self._stats = bot.services[StatsRepository]

    async def ask(self, interaction: Interaction) -> None:
        """Open the form; the interaction is unanswered."""
        crest = await self._people.crest(interaction.user.id)
        positions = _YES if await self._people.allows_positions(interaction.user.id) else _NO
        await self.new_form(interaction, CrestQuery(emblem=crest.emblem, color=crest.color, positions=positions))

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Store what was chosen, and show the profile with it."""
        chosen = self.read(stored).filled(values)
        await defer(interaction, private=True)
        crest = Crest.of(interaction.user.id, chosen.emblem, chosen.color)
        await self._people.choose(interaction.user.id, crest, positions=chosen.positions == _YES)
        await self.show(interaction, interaction.user)

    async def show(self, interaction: Interaction, person: discord.User | discord.Member) -> None:
        """Answer the deferred interaction with a profile; to its owner with the button that changes it."""
        span, titles = Span(interaction.guild_id), game_titles()
        tallies = await self._stats.tallies(span, person.id)
        rivals = await self._stats.rivals(span, person.id, _WEIGHED)
        moments = await self._stats.moments(span, person.id)
        where = "this server" if interaction.guild_id else "all servers"
        parts = [f"🏅 **{plain(called(person))}** · battles of {where}"]
        if tallies:
            parts.append("\n".join(tally_line(tally, titles.get(tally.system, tally.system)) for tally in tallies))
        if rivals:
            parts.append("\n".join(["**Against**", *map(rival_line, rivals[:_SHOWN])]))
        if told := list(moment_lines(moments, titles, names=False)):
            parts.append("\n".join(told))
        trophies = [trophy async for trophy in self._trophies(span, person.id, rivals, moments)]
        if tallies and tallies[0].fought:
            game = titles.get(tallies[0].system, tallies[0].system)
            trophies.append(("heart", Fact(label="Signature game", figure=game)))
        crest = await self._people.crest(person.id)
        card = TrophyCard(
            name=called(person)[:MAX_LINE],
            crest=crest,
            record=record_text(tallies),
            trophies=tuple(trophies[:MAX_TROPHIES]),
        )
        picture = await self.draw(card, "profile.png", caller_of(interaction))
        buttons = [_CHANGE] if person.id == interaction.user.id else []
        await show_view(interaction, text_view(parts, picture=picture, buttons=buttons), picture)

    async def _trophies(
        self, span: Span, user_id: int, rivals: Sequence[Rival], moments: Sequence[Moment]
    ) -> AsyncIterator[tuple[str, Fact]]:
        """Yield what else there is to be proud of, and the nemesis."""
        nemesis = max(rivals, key=lambda rival: (rival.lost - rival.won, rival.lost), default=None)
        if nemesis is not None and nemesis.lost > nemesis.won:
            names = await self._bot.services[PeopleNames].of(span.guild_id, [nemesis.user_id])
            name = names.get(nemesis.user_id, "A player")
            yield "skull", Fact(label="Nemesis", figure=f"{name}: {rival_counts(nemesis)}"[:MAX_LINE])
        if moments and moments[0].stroke.odds < 1:
            yield "clover", Fact(label="Luckiest roll", figure=stroke_text(moments[0].stroke, moments[0].unit))
        for label, (emblem, trophy) in self._bot.services[Trophies].items():
            if told := await trophy(span, user_id):
                yield emblem, Fact(label=label, figure=told[:MAX_LINE])


_CHANGE: discord.ui.Button[Any] = discord.ui.Button(label="Emblem, color, puzzles", emoji="🎨", custom_id="n1:crest")


class CrestButton(PersistentButton, template=r"n1:crest"):
    """The button below one's own profile."""

    kind = "crest"

    async def pressed(self, interaction: Interaction) -> None:
        """Open the form, of who presses."""
        await interaction.client.services[ProfilePages].ask(interaction)
