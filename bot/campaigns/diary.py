"""What the card of a campaign shows: a column for each battle, and how both ranks stand."""

from collections import Counter
from collections.abc import Mapping

from bot.campaigns.cast import Cast, Key
from bot.campaigns.render import AnyRules
from bot.campaigns.repository import Campaign, CampaignRow
from sim.core.campaign import CampaignSide, Veteran
from sim.core.cards.diary import MAX_BANNERS, MAX_TOKENS, Banner, DiaryCard, Fighter, Rank
from sim.core.cards.emblems import Crest


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
    """Return a side's tokens, `most` of them or one more: the living first, then who did the most."""
    keys = [key for key in latest if key[0] == side.name]
    most += len(keys) == most + 1  # "and 1 more" would take its place
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
    """Return a sentence about the last battle: whom the sides lost, else who did the most."""
    down = {} if before is None else before.fallen
    losses = []
    for side in rules.sides:
        if names := [name for of, name in last.fallen if of == side.name and (of, name) not in down]:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            gone = more and all(one.fallen for one in last.forces.veterans if one.side == side.name)
            losses.append((side.name == last.winner, f"{side.title} lost {'everyone' if gone else names[0] + more}."))
    if losses:
        return min(losses)[1]
    best = last.best
    return "Everyone came back." if best is None else f"{best.name[:1].upper()}{best.name[1:]} did the most."
