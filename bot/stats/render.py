"""The words of luck, profiles and ladders."""

from collections.abc import Iterator, Mapping, Sequence

from bot.stats.repository import Moment, Rival, Tally
from bot.ui.text import numbered_link
from sim.core.cards.values import MAX_LUCK_ROWS
from sim.core.luck import Stroke
from sim.core.numbers import quantity
from sim.jobs.luck import Rating, Weighed, luck_figures

_UNLIKELY = 0.5
HOW = "-# Counts every roll, even undone ones."
_ENOUGH = 5
"""Battles with a result from which on a share of them says something."""
_MOMENTS = ("🍀", "Luckiest"), ("🌧️", "Unluckiest")
EVEN = "-# A percentage counts two rounds' worth of dice, however long the battle; its seed adds what is missing."
SUMS = "-# Where only the expected hits are given, the dice are taken to be as alike as those allow."


def luck_text(
    title: str, labels: Sequence[str], hands: Sequence[Weighed], moments: Sequence[str], notes: Sequence[str]
) -> list[str]:
    """Return the answer of `/luck` as markdown; `labels`: of the hands, the first of which the card shows."""
    lines = [
        f"{label}: **{hand.surplus}**{'' if at < MAX_LUCK_ROWS else f' · {hand.luck} · {luck_figures(hand)}'}"
        for at, (label, hand) in enumerate(zip(labels, hands, strict=True))
    ]
    body = "\n".join([*lines, *(["", *moments] if moments else [])])
    return [f"### 🎲 {title}", body, *(["\n".join(notes)] if notes else [])]


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
        whose = ""
        if names:
            whose = f" by {moment.seat.replace('-', ' ')}" if moment.user_id is None else f" by <@{moment.user_id}>"
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


def ladder_line(rank: int, rating: Rating) -> str:
    """Return a line of `/ladder`."""
    went = counts_text(won=rating.won, lost=rating.games - rating.won - rating.tied, tied=rating.tied)
    games = ", ".join(filter(None, [quantity(rating.games, "game"), went]))
    return f"**{rank}.** <@{rating.player}> · **{rating.points:,}** points · {games}"
