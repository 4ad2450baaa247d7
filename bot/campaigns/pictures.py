"""The picture of a campaign: how each fighter fared, battle by battle."""

from collections import defaultdict
from collections.abc import Sequence

from bot.campaigns.render import AnyRules, deed_parts
from bot.store.campaigns import Campaign, CampaignRow
from sim.core.campaign import CampaignSide, Veteran
from sim.core.cards.values import MAX_FARED_BATTLES, MAX_FARED_ROWS, FaredCard, FaredRow, FaredSide
from sim.core.numbers import quantity

Key = tuple[str, str]


def fared_card(campaign: Campaign, rules: AnyRules, rows: Sequence[CampaignRow]) -> FaredCard | None:
    """Return what the picture shows; None before the first battle is over."""
    battles = [(number, row) for number, row in enumerate((row for row in rows if row.is_battle), start=1)]
    over = [(number, row) for number, row in battles if not row.is_open]
    if not over:
        return None
    totals: defaultdict[Key, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    latest: dict[Key, Veteran] = {}
    for row in rows:
        if row.is_open:  # what enters a battle may be hidden
            continue
        latest |= {(one.side, one.name): one for one in row.veterans}
        for deed in row.deeds:
            sums = totals[deed.side, deed.name]
            for at, value in enumerate((deed.kills, deed.damage, deed.lost, deed.worth)):
                sums[at] += value
    shown = over[-MAX_FARED_BATTLES:]
    courses = [{(one.side, one.name): _share(one) for one in row.veterans} for _, row in shown]
    sides = [_side(side, rules, totals, latest, courses) for side in rules.sides]
    return FaredCard(
        title=campaign.name,
        instead="A campaign",
        aside=quantity(len(battles), "battle"),
        battles=tuple(str(number) for number, _ in shown),
        sides=tuple(side for side in sides if side.rows)[:2],
    )


def _side(
    side: CampaignSide,
    rules: AnyRules,
    totals: dict[Key, list[int]],
    latest: dict[Key, Veteran],
    courses: Sequence[dict[Key, float]],
) -> FaredSide:
    keys = [key for key in latest if key[0] == side.name and any(key in course for course in courses)]
    keys.sort(key=lambda key: (-totals[key][1], -totals[key][0]))
    rows = [
        FaredRow(
            name=key[1],
            instead=f"{side.title} {number}",
            figures=_figures(rules, totals[key], latest[key]),
            course=tuple(course.get(key) for course in courses),
        )
        for number, key in enumerate(keys[:MAX_FARED_ROWS], start=1)
    ]
    return FaredSide(title=side.title, rows=tuple(rows), more=max(0, len(keys) - MAX_FARED_ROWS))


def _figures(rules: AnyRules, sums: Sequence[int], now: Veteran) -> str:
    kills, damage, lost, worth = sums
    parts = deed_parts(kills, damage, rules.harm)
    if worth:
        parts.append(f"lost {lost:,}, {worth:,} {rules.money}")
    if now.level:
        parts.append(f"level {now.level}")
    if now.experience:
        parts.append(f"{now.experience:,} XP")
    return " · ".join(parts) or "unscathed"


def _share(one: Veteran) -> float:
    return min(1.0, max(0.0, one.left / one.most))
