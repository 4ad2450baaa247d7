"""`/profile`: a card of what a person can be proud of, its words, and the form of what they choose for themselves."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import discord
from pydantic import Field

from bot.answers import Query
from bot.battles.presenter import game_titles
from bot.client import Interaction
from bot.stats import Moment, Rival, Span, StatsRepository, Tally
from bot.store.people import PeopleRepository
from bot.store.queries import StoredQuery
from bot.ui import PeopleNames, called, drawn, id_button, numbered_link, plain, text_view
from bot.ui.interactions import PersistentButton, caller_of, defer, show_view
from bot.ui.options import Entry, Typed
from sim.core.cards.people import CREST_COLORS, EMBLEMS, Crest, TrophyCard
from sim.core.cards.values import MAX_LINE, Fact
from sim.core.journal import seat_phrase
from sim.core.luck import Stroke
from sim.core.numbers import quantity

_NO, _YES = "no", "yes"
_SHOWN, _WEIGHED = 5, 100
"""Rivals that are listed, and from how many the nemesis is found."""

_UNLIKELY = 0.5
_ENOUGH = 5
"""Battles with a result from which on a share of them says something."""
_MOMENTS = ("🍀", "Luckiest"), ("🌧️", "Unluckiest")


class CrestQuery(Query):
    """An emblem and a color as they are chosen, and whether positions of their battles may be shown."""

    stored_as = "crest"
    form_title = "Your profile"

    private: bool = True
    emblem: Annotated[str, Entry("Emblem", choices={key: f"{one.sign} {one.title}" for key, one in EMBLEMS.items()})]
    color: Annotated[
        str, Entry("Color", choices={key: f"{sign} {key.capitalize()}" for key, (_, sign) in CREST_COLORS.items()})
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

    async def submit(self, interaction: Interaction, _stored: StoredQuery, _action: str, values: Typed) -> None:
        """Store what was chosen, and show the profile with it."""
        chosen, user, services = self.filled(values), interaction.user, interaction.client.services
        await defer(interaction, private=True)
        crest = Crest.of(user.id, chosen.emblem, chosen.color)
        await services[PeopleRepository].choose(user.id, crest, positions=chosen.positions == _YES)
        await show_profile(interaction, user)


async def show_profile(interaction: Interaction, person: discord.User | discord.Member) -> None:
    """Answer the deferred interaction with a profile; to its owner with the button that changes it."""
    services, span, titles = interaction.client.services, Span(interaction.guild_id), game_titles()
    tallies = await services[StatsRepository].tallies(span, person.id)
    rivals = await services[StatsRepository].rivals(span, person.id, _WEIGHED)
    moments = await services[StatsRepository].moments(span, person.id)
    parts = [
        f"🏅 **{plain(called(person))}** · battles of {'this server' if interaction.guild_id else 'all servers'}",
        "\n".join(tally_line(tally, titles.get(tally.system, tally.system)) for tally in tallies),
        "\n".join(["**Against**", *map(rival_line, rivals[:_SHOWN])]) if rivals else "",
        "\n".join(moment_lines(moments, titles, names=False)),
    ]
    trophies = []
    nemesis = max(rivals, key=lambda rival: (rival.lost - rival.won, rival.lost), default=None)
    if nemesis is not None and nemesis.lost > nemesis.won:
        names = await services[PeopleNames].of(span.guild_id, [nemesis.user_id])
        figure = f"{names.get(nemesis.user_id, 'A player')}: {rival_counts(nemesis)}"[:MAX_LINE]
        trophies.append(("skull", Fact(label="Nemesis", figure=figure)))
    if moments and moments[0].stroke.odds < 1:
        luckiest = stroke_text(moments[0].stroke, moments[0].unit)
        trophies.append(("clover", Fact(label="Luckiest roll", figure=luckiest)))
    if tallies and tallies[0].fought:
        game = titles.get(tallies[0].system, tallies[0].system)
        trophies.append(("heart", Fact(label="Signature game", figure=game)))
    crest, name = await services[PeopleRepository].crest(person.id), called(person)[:MAX_LINE]
    card = TrophyCard(name=name, crest=crest, record=record_text(tallies), trophies=tuple(trophies))
    picture = await drawn(interaction.client, card, "profile.png", caller_of(interaction))
    buttons = [id_button("n1:crest", "Emblem, color, puzzles", "🎨")] if person.id == interaction.user.id else []
    await show_view(interaction, text_view([*filter(None, parts)], picture=picture, buttons=buttons))


@PersistentButton.matching(r"n1:crest", "crest")
async def crest_button(_button: PersistentButton, interaction: Interaction) -> None:
    """Open the form, of who presses the button below their profile."""
    people, user_id = interaction.client.services[PeopleRepository], interaction.user.id
    crest, positions = await people.crest(user_id), _YES if await people.allows_positions(user_id) else _NO
    await CrestQuery(emblem=crest.emblem, color=crest.color, positions=positions).send_form(interaction)


def moment_lines(
    moments: Sequence[Moment], titles: Mapping[str, str], *, names: bool, single: bool = False
) -> Iterator[str]:
    """Yield a line for the luckiest and the unluckiest moment, but none that was certain.

    `names`: say whose they were. `single`: they are of one battle, whose game is known.
    """
    same = len({(each.id, each.seat, each.unit, each.stroke.row, each.stroke.moment) for each in moments}) == 1
    for moment, (icon, what) in zip(moments[: 1 if same else 2], _MOMENTS, strict=False):
        if moment.stroke.odds >= 1:
            continue
        holder = seat_phrase(moment.seat) if moment.user_id is None else f"<@{moment.user_id}>"
        whose = f" by {holder}" if names else ""
        game = "" if single else f"{titles.get(moment.system, moment.system)} "
        link = numbered_link(moment.number, moment.guild_id, moment.channel_id, moment.panel_id)
        place = f"{game}{link}, {moment.stroke.moment}"
        yield f"{icon} {what}{whose}: {stroke_text(moment.stroke, moment.unit)} ({place})"


def stroke_text(stroke: Stroke, unit: str) -> str:
    """Return what was rolled, and how likely that was."""
    shown = unit.removesuffix("s") if stroke.rolled == 1 else unit
    odds = f"1 in {1 / stroke.odds:,.0f}" if 0 < stroke.odds < _UNLIKELY else f"{100 * stroke.odds:.1f}% chance"
    return f"{stroke.rolled:,} {shown} with {quantity(stroke.dice, 'die', 'dice')}, {odds}"


def tally_line(tally: Tally, title: str) -> str:
    """Return a line of `/profile`: how often somebody played something, and how often they won."""
    fought = quantity(tally.fought, "battle") if tally.fought else ""
    lost = tally.decided - tally.won - tally.tied
    others = {"tied": tally.tied, "lost": lost, "on both sides": tally.alone, "ended early": tally.undecided}
    run = f"{quantity(tally.refereed, 'battle')} run as referee" if tally.refereed else ""
    parts = (fought, won_text(tally.won, tally.decided, tally.fought), counts_text(**others), run)
    return f"**{title}**: {', '.join(filter(None, parts))}"


def record_text(tallies: Sequence[Tally]) -> str:
    """Return a person's record in all games: "12 battles, 7 won (58%)"."""
    fought = sum(tally.fought for tally in tallies)
    if not fought:
        return "No battles yet"
    won = won_text(sum(tally.won for tally in tallies), sum(tally.decided for tally in tallies), fought)
    return ", ".join(filter(None, [quantity(fought, "battle"), won]))


def won_text(won: int, decided: int, fought: int) -> str:
    """Return how many were won, "" for none; their share where they are enough for one, and of how many it is."""
    if not won:
        return ""
    if decided < _ENOUGH:
        return f"{won:,} won"
    return f"{won:,}{f' of {decided:,}' if decided < fought else ''} won ({won / decided:.0%})"


def rival_line(rival: Rival) -> str:
    """Return a line of `/profile`: an opponent, and how it went."""
    return f"<@{rival.user_id}>: {', '.join(filter(None, [quantity(rival.fought, 'battle'), rival_counts(rival)]))}"


def rival_counts(rival: Rival) -> str:
    """Return how it went against an opponent: "2 won, 5 lost"."""
    return counts_text(won=rival.won, lost=rival.lost, tied=rival.fought - rival.won - rival.lost)


def counts_text(**counts: int) -> str:
    """Return how often something went some way, without zeros."""
    return ", ".join(f"{count:,} {how}" for how, count in counts.items() if count)
