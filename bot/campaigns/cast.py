"""Who is behind the fighters of a campaign: people have their names instead of their seats', and their emblems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from bot.campaigns.render import AnyRules
from bot.campaigns.repository import Campaign, CampaignRepository, CampaignRow
from bot.client import Client
from bot.store.people import PeopleRepository
from bot.ui.people import PeopleNames
from sim.core.campaign import Deed, Veteran
from sim.core.cards.emblems import Crest

Key = tuple[str, str]
"""A fighter's side and name."""

OneT = TypeVar("OneT", Veteran, Deed)


@dataclass(frozen=True, slots=True)
class Cast:
    """What happened, told with people's names; whose emblem a fighter has, and who won each battle, by its row."""

    rows: Sequence[CampaignRow]
    crests: Mapping[Key, Crest]
    winners: Mapping[int, Crest]


async def cast_of(bot: Client, campaign: Campaign, rules: AnyRules, rows: Sequence[CampaignRow]) -> Cast:
    """Return the rows with the names of those who had the fighters' seats, as far as they are still known."""
    holders = await bot.services[CampaignRepository].holders(campaign.id)
    chosen = await bot.services[PeopleRepository].chosen({*holders.values()})
    at_seats = _people(rules, rows, holders)
    names = await bot.services[PeopleNames].of(campaign.guild_id, at_seats.values())
    crests: dict[Key, Crest] = {}
    known: dict[Key, int] = {}
    told = []
    for row in rows:
        if row.is_battle:
            known = {}
        known |= {key[1:]: user_id for key, user_id in at_seats.items() if key[0] == row.n}
        called = _called(rules, row.forces.veterans, known, names)
        named = (_named(row.forces.veterans, called), _named(row.deeds, called))
        told.append(replace(row, forces=row.forces.model_copy(update={"veterans": named[0]}), deeds=named[1]))
        for key, name in called.items():
            if (user_id := known.get(key)) is not None:
                crests[key[0], name] = chosen.get(user_id) or Crest.of(user_id)
    won = {row.n: holders.get((row.battle_id or 0, row.winner or "")) for row in rows}
    winners = {n: chosen.get(user_id) or Crest.of(user_id) for n, user_id in won.items() if user_id is not None}
    return Cast(told, crests, winners)


def _people(
    rules: AnyRules, rows: Sequence[CampaignRow], holders: Mapping[tuple[int, str], int]
) -> Mapping[tuple[int, str, str], int]:
    """Return who stands behind the fighters that have no name of their own, by row, side and the seat's name."""
    return {
        (row.n, one.side, one.name): holders[row.battle_id, seat]
        for row in rows
        if row.battle_id is not None
        for one in row.forces.veterans
        if (seat := rules.seat_of(one)) is not None and (row.battle_id, seat) in holders
    }


def _called(
    rules: AnyRules, veterans: Sequence[Veteran], known: Mapping[Key, int], names: Mapping[int, str]
) -> dict[Key, str]:
    """Return what the fighters without names of their own are called; two of the same name are told apart."""
    called: dict[Key, str] = {}
    for one in veterans:
        if (seat := rules.seat_of(one)) is not None:
            number = seat.rpartition("-")[2]
            name = names.get(known.get((one.side, one.name), 0), f"Player {number}")
            called[one.side, one.name] = f"{name} ({number})" if name in called.values() else name
    return called


def _named(some: Sequence[OneT], called: Mapping[Key, str]) -> tuple[OneT, ...]:
    return tuple(one.model_copy(update={"name": called.get((one.side, one.name), one.name)}) for one in some)
