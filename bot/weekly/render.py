"""What a week's challenge and its board look like."""

from collections.abc import Mapping, Sequence
from typing import Any

import discord

from bot.ui.text import Picture, plain, plain_sentence, text_view
from bot.weekly.repository import Challenge, Standing
from bot.weekly.weeks import week_title
from sim.core.cards.board import MAX_STANDINGS, BoardCard, BoardRow
from sim.core.cards.emblems import Crest
from sim.core.cards.values import MAX_LINE
from sim.core.challenge import AnyChallenge, QuestionRules
from sim.core.numbers import quantity

_SHOWN = 10
_MAX_TOLD = 300
GOLD = 0xF2B705


def challenge_view(
    challenge: Challenge,
    rules: AnyChallenge[Any],
    told: tuple[str, str],
    board: Sequence[Standing],
    crests: Mapping[int, Crest],
    picture: Picture | None,
    *,
    is_open: bool,
) -> discord.ui.LayoutView:
    """Lay out a week's challenge with its board, and as long as it `is_open` the button for a try.

    The mentions ping nobody.
    """
    name, about = told
    head = [f"### 🗓️ {week_title(challenge.week)}: {plain(name)}", plain_sentence(about, _MAX_TOLD)]
    if is_open:
        head.append(f"{rules.goal}\n-# One try a day; {rules.counts}. Over <t:{challenge.ends_at}:R>.")
    signs = {user_id: f"{crest.sign} " for user_id, crest in crests.items()}
    lines = [
        f"**{one.place}.** {signs.get(one.user_id, '')}<@{one.user_id}> · {plain(one.score.text)}"
        for one in board[:_SHOWN]
    ]
    if len(board) > _SHOWN:
        lines.append(f"-# and {quantity(len(board) - _SHOWN, 'player')} more")
    empty = "Nobody has tried yet." if is_open else "Nobody tried."
    sign = "🧩" if isinstance(rules, QuestionRules) else "⚔️"
    style, custom_id = discord.ButtonStyle.success, f"w1:{challenge.id}"
    enter = discord.ui.Button[Any](label="Try", emoji=sign, style=style, custom_id=custom_id)
    parts = ["\n".join(head), "\n".join(lines) or empty]
    return text_view(parts, colour=GOLD, picture=picture, buttons=[enter] if is_open else ())


def card_text(challenge: Challenge, name: str, board: Sequence[Standing]) -> str:
    """Return the line above a week's card: who won; the mentions ping nobody."""
    first = [f"<@{one.user_id}>" for one in board if one.place == 1]
    who = " and ".join(filter(None, [", ".join(first[:-1][:_SHOWN]), first[-1]]))
    return f"🏆 {who} won {week_title(challenge.week).lower()}: **{plain(name)}**"


def board_card(
    challenge: Challenge, name: str, board: Sequence[Standing], names: Mapping[int, str], crests: Mapping[int, Crest]
) -> BoardCard:
    """Return what the card of a week shows."""
    best = max(1, *(one.score.points for one in board))
    rows = tuple(
        BoardRow(
            place=one.place,
            name=names.get(one.user_id, "A player")[:MAX_LINE],
            crest=crests.get(one.user_id) or Crest.of(one.user_id),
            figures=one.score.text,
            share=one.score.points / best,
        )
        for one in board[:MAX_STANDINGS]
    )
    return BoardCard(title=week_title(challenge.week), aside=name[:MAX_LINE], rows=rows, more=len(board) - len(rows))
