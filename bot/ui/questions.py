"""What a question with lettered options looks like, and what an answer was worth."""

from collections.abc import Sequence
from typing import Any

import discord

from bot.ui.text import Picture, text_view
from sim.core.challenge import LETTERS, Answer, Question


def question_view(
    head: str,
    question: Question[Any],
    ids: Sequence[str],
    picture: Picture | None,
    colour: int,
) -> discord.ui.LayoutView:
    """Lay out a question with a button for each option, whose ids are `ids`."""
    text = f"{head}\n{question.text}\n-# {question.note}"
    lines = [f"**{letter}** {option}" for letter, option in zip(LETTERS, question.options, strict=False)]
    labels = LETTERS[: len(question.options)]
    buttons = [discord.ui.Button[Any](label=label, custom_id=each) for label, each in zip(labels, ids, strict=False)]
    return text_view([text, "\n".join(lines)], colour=colour, picture=picture, buttons=buttons)


def answer_view(
    question: Question[Any], choice: int, answer: Answer, note: str, picture: Picture, colour: int
) -> discord.ui.LayoutView:
    """Lay out what an answer was worth."""
    option = question.options[choice]
    mark = "✅ Right:" if answer.right else "❌ Not"
    head = f"### {mark} {LETTERS[choice]}, {option[:1].lower()}{option[1:]}"
    return text_view([f"{head}\n{answer.text}", note], colour=colour, picture=picture)
