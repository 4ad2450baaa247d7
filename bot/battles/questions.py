"""Questions before a step is taken back or a battle is ended, with what that costs."""

from collections.abc import Sequence
from typing import Any

import discord

from bot.battles.panel import consent_button
from bot.battles.presenter import AnyPresenter
from bot.store.battles.battle import Battle
from bot.ui.layout import text_view
from bot.ui.text import MAX_CHOICE, plain_sentence, shorten
from sim.core.battle import Seat
from sim.core.journal import JournalRow
from sim.core.narration import seat_phrase
from sim.core.numbers import quantity

_MAX_PROGRESS = 200

STARTER = "starter"
"""Stands for a seat where somebody without one, who started the battle, asks to end it."""


def undo_confirmation(
    battle: Battle, presenter: AnyPresenter, state: object, last: JournalRow
) -> discord.ui.LayoutView:
    """Lay out the question to a referee whether to take back the `last` step of a battle that others fight."""
    lines = [
        f"### Undo step {last.n} of #{battle.number}?",
        f"{presenter.title}, {_progress(battle, presenter, state)}: {presenter.fighters(battle, state)}",
        f"-# Made by {seat_phrase(last.seat)}. {presenter.undo_note}".strip(),
    ]
    undo = consent_button(battle, "undo", "referee", "Undo", "↩️", discord.ButtonStyle.danger)
    return _view(lines, undo, consent_button(battle, "keep", "undo", "Keep", "✖️"))


def undo_choice(labels: Sequence[tuple[Battle, str]]) -> discord.ui.LayoutView:
    """Lay out the question in which of these battles, each with its label, a step is to be taken back."""
    options = [
        discord.SelectOption(label=shorten(label, MAX_CHOICE), value=f"{battle.id}:{battle.version}")
        for battle, label in labels
    ]
    return _view(
        ["Take back the last step of which battle?"],
        discord.ui.Select(custom_id="b3:undo", placeholder="Choose a battle", options=options),
    )


def end_confirmation(battle: Battle, presenter: AnyPresenter, state: object) -> discord.ui.LayoutView:
    """Lay out the question to somebody who may end a battle alone."""
    lines = [f"### End #{battle.number} now?", presenter.fighters(battle, state), *_lost(battle, presenter, state)]
    end = consent_button(battle, "close", "alone", "End it", "🏁", discord.ButtonStyle.danger)
    return _view(lines, end, consent_button(battle, "keep", "end", "Keep playing", "✖️"))


def end_query(battle: Battle, presenter: AnyPresenter, state: object, asker: Seat) -> discord.ui.LayoutView:
    """Lay out the question whether to end a battle, with a button for the others; `asker`: a seat or `STARTER`.

    It names nobody, so the message can stay when a person's data is deleted.
    """
    who = "The player who opened it" if asker == STARTER else seat_phrase(asker).capitalize()
    lines = [f"{who} wants to end #{battle.number} as it stands. Does the other side agree?"]
    lines += _lost(battle, presenter, state)
    return _view(lines, consent_button(battle, "end", asker, "Agree to end", "🏁"))


def _progress(battle: Battle, presenter: AnyPresenter, state: object) -> str:
    return plain_sentence(presenter.progress(battle, state), _MAX_PROGRESS)  # it may hold a player's name


def _lost(battle: Battle, presenter: AnyPresenter, state: object) -> list[str]:
    """Return what ending a battle loses, without anybody's name."""
    people = quantity(len({place.user_id for place in battle.places} - {None}), "person", "people")
    return [
        f"{presenter.title}, {_progress(battle, presenter, state)}: {quantity(battle.steps, 'step')}, {people}.",
        f"Nobody wins, and it can't go on later. {presenter.end_note}".strip(),
        f"-# Its log and files stay in `/battle log number:{battle.number}`.",
    ]


def _view(lines: Sequence[str], *items: discord.ui.Button[Any] | discord.ui.Select[Any]) -> discord.ui.LayoutView:
    view = text_view(["\n".join(lines)])
    view.add_item(discord.ui.ActionRow(*items))
    view.stop()
    return view
