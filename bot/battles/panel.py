"""The panel of a battle: its state, the latest events, and buttons that work after a restart.

The custom id of an action is `b1:<battle>:<version>:<action>`, of a shared button `b2:<battle>:<version>:<what>:<of>`.
Everything else is read from the database at each press.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import discord

from bot.battles.fairness import LABEL
from bot.battles.presenter import BattlePresenter
from bot.battles.render import PanelContent, panel_text
from bot.store.battles.battle import Battle
from bot.store.battles.undo import UndoRequest
from bot.ui.layout import button_rows, text_view
from bot.ui.text import MAX_LABEL, shorten
from sim.core.battle import LegalAction, StateT
from sim.core.narration import seat_name


def panel_view(
    battle: Battle,
    presenter: BattlePresenter[StateT, Any],
    state: StateT,
    content: PanelContent,
    undo_request: UndoRequest | None,
    *,
    table: Sequence[str] = (),
    answers: Sequence[discord.ui.Button[Any]] = (),
    watch: str | None = None,
) -> discord.ui.LayoutView:
    """Lay out a panel with all its buttons.

    `table`: lines about the clock and the seats. `answers`: the buttons for what they ask. `watch`: the link to the
    battle's replay.
    """
    asker_id = None if undo_request is None else undo_request.user_id
    parts = panel_text(battle, presenter.title, content, asker_id, presenter.undo_note, table)
    view = text_view(parts, colour=content.colour, picture=content.picture, portrait=content.portrait)
    for row in button_rows([*answers, *_buttons(battle, presenter, state, undo_request, watch)]):
        view.add_item(row)
    view.stop()  # the buttons work by their ids alone
    return view


def retired_view(battle: Battle, name: str) -> discord.ui.LayoutView:
    """Lay out the replacement of an older panel: a link to the new one."""
    place = battle.guild_id or "@me"
    link = f"https://discord.com/channels/{place}/{battle.channel_id}/{battle.panel_id}"
    where = f"is in [a newer message]({link})" if battle.panel_id else "is elsewhere"
    return text_view([f"-# The panel of #{battle.number} {name} {where}."])


def _buttons(
    battle: Battle,
    presenter: BattlePresenter[StateT, Any],
    state: StateT,
    undo_request: UndoRequest | None,
    watch: str | None,
) -> Iterator[discord.ui.Button[Any]]:
    if battle.is_open:
        yield from _open_buttons(battle, presenter, state, undo_request)
    else:
        yield consent_button(battle, "rematch", "same", "Rematch", "🔁")
        if presenter.may_swap(battle):
            yield consent_button(battle, "rematch", "swap", "Rematch, sides swapped", "🔄")
    yield from presenter.extra_buttons(battle, state)
    if watch is not None:
        yield discord.ui.Button(label=LABEL, emoji="🎬", url=watch)
    yield consent_button(battle, "fair", "dice", presenter.chance.question, presenter.chance.icon)


def _open_buttons(
    battle: Battle, presenter: BattlePresenter[StateT, Any], state: StateT, undo_request: UndoRequest | None
) -> Iterator[discord.ui.Button[Any]]:
    free = [] if presenter.drop_in else [place.seat for place in battle.places if place.is_open]
    for seat in () if battle.joining_closed else free:
        yield consent_button(battle, "join", seat, f"Join as {seat_name(seat)}", "🙋", discord.ButtonStyle.success)
    if not free:
        for at, legal in enumerate(presenter.panel_actions(battle, state)):
            yield action_button(battle, legal, first=at == 0)
    if undo_request is not None and undo_request.version == battle.version:
        yield consent_button(battle, "agree", "undo", "Agree", "✅")
        yield consent_button(battle, "refuse", "undo", "Refuse", "✖️")
    if any(presenter.private_text(battle, state, [place.seat]) is not None for place in battle.places):
        yield consent_button(battle, "look", "own", "Your army", "👁️")


def action_button(battle: Battle, legal: LegalAction[Any], *, first: bool = False) -> discord.ui.Button[Any]:
    """Build the button of an action; the first one stands out."""
    style = discord.ButtonStyle.primary if first else discord.ButtonStyle.secondary
    return discord.ui.Button(
        label=shorten(legal.label, MAX_LABEL),
        style=style,
        custom_id=f"b1:{battle.id}:{battle.version}:{legal.name}",
    )


def consent_button(
    battle: Battle,
    what: str,
    of: str,
    label: str,
    emoji: str,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
) -> discord.ui.Button[Any]:
    """Build a button that every battle has."""
    custom_id = f"b2:{battle.id}:{battle.version}:{what}:{of}"
    return discord.ui.Button(label=label, emoji=emoji, style=style, custom_id=custom_id)
