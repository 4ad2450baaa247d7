"""What a campaign shows: people by their names and emblems, a column for each battle, and how both ranks stand."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from bot.campaigns.render import AnyRules
from bot.campaigns.repository import Campaign, CampaignRepository, CampaignRow
from bot.client import Client
from bot.store.people import PeopleRepository
from bot.ui.people import PeopleNames
from sim.core.campaign import CampaignSide, Deed, Veteran
from sim.core.cards.diary import MAX_BANNERS, MAX_TOKENS, Banner, DiaryCard, Fighter, Rank
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


def campaign_card(campaign: Campaign, rules: AnyRules, cast: Cast) -> DiaryCard | None:
    """Return what the picture shows; None before the first battle is over."""
    battles = [(number, row) for number, row in enumerate((row for row in cast.rows if row.is_battle), start=1)]
    over = [(number, row) for number, row in battles if not row.is_open]
    if not over:
        return None
    done: Counter[Key] = Counter()
    latest: dict[Key, Veteran] = {}
    for row in cast.rows:
        if row.is_open:  # what enters a battle may be hidden
            continue
        latest |= {(one.side, one.name): one for one in row.forces.veterans}
        for deed in row.deeds:
            done[deed.side, deed.name] += deed.damage + deed.kills
    number, last = over[-1]
    most = MAX_TOKENS if len({side for side, _ in latest}) > 1 else 2 * MAX_TOKENS
    return DiaryCard(
        title=campaign.name,
        instead="A campaign",
        aside=f"after battle {number}",
        banners=tuple(_banner(at, row, rules, cast) for at, row in over[-MAX_BANNERS:]),
        ranks=tuple(rank for side in rules.sides if (rank := _rank(side, latest, done, cast, most)).tokens)[:2],
        caption=_caption(rules, last, over[-2][1] if len(over) > 1 else None),
    )


def _banner(number: int, row: CampaignRow, rules: AnyRules, cast: Cast) -> Banner:
    side = next((side for side in rules.sides if side.name == row.winner), None)
    if side is None:
        return Banner(label=str(number))
    emblem = _emblem(cast.winners.get(row.n))
    return Banner(label=str(number), winner=side.title, color=side.color, emblem=emblem)


def _emblem(crest: Crest | None) -> str | None:
    return None if crest is None else crest.emblem


def _rank(side: CampaignSide, latest: Mapping[Key, Veteran], done: Mapping[Key, int], cast: Cast, most: int) -> Rank:
    """Return a side's tokens, `most` of them: the living first, then who did most."""
    keys = [key for key in latest if key[0] == side.name]
    keys.sort(key=lambda key: (latest[key].fallen, -done.get(key, 0)))
    tokens = [
        Fighter(
            name=key[1],
            instead=f"{side.title} {number}",
            left=min(1.0, max(0.0, one.left / one.most)),
            level=one.level,
            emblem=_emblem(cast.crests.get(key)),
        )
        for number, key in enumerate(keys[:most], start=1)
        for one in [latest[key]]
    ]
    return Rank(title=side.title, color=side.color, tokens=tuple(tokens), more=len(keys) - len(tokens))


def _caption(rules: AnyRules, last: CampaignRow, before: CampaignRow | None) -> str:
    """Return a sentence about the last battle: whom the sides lost, else who did most."""
    down = {} if before is None else before.fallen
    losses = []
    for side in rules.sides:
        if names := [name for of, name in last.fallen if of == side.name and (of, name) not in down]:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            losses.append((side.name == last.winner, f"{side.title} lost {names[0]}{more}."))
    if losses:
        return min(losses)[1]
    best = last.best
    return "Everyone came back." if best is None else f"{best.name[:1].upper()}{best.name[1:]} did most."
