"""The panel of a battle: its state, the latest events, and buttons that work after a restart.

The custom id of an action is `b1:<battle>:<version>:<action>`, of a shared button `b2:<battle>:<version>:<what>:<of>`.
Everything else is read from the database at each press.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import discord

from bot.battles.fairness import LABEL, foot_line
from bot.battles.permissions import may_swap
from bot.battles.presenter import BattlePresenter, DropIn, HidesInformation, PanelContent, Ranked, holder_text, mixin_of
from bot.store.battles.battle import Battle, Place
from bot.store.battles.repository import UndoRequest
from bot.ui.text import LAYOUT_TEXT, MAX_LABEL, button_rows, shorten, text_view, utf16_length
from sim.core.battle import LegalAction, StateT
from sim.core.narration import seat_name

MAX_STATE = 1800
"""UTF-16 units of the state in a panel; the events get the rest."""

_RESERVE = 40  # for the separators


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
    parts = panel_text(battle, presenter.title, content, asker_id, mixin_of(presenter, Ranked).undo_note, table)
    view = text_view(parts, colour=content.colour, picture=content.picture, portrait=content.portrait)
    for row in button_rows([*answers, *_buttons(battle, presenter, state, undo_request, watch)]):
        view.add_item(row)
    view.stop()  # the buttons work by their ids alone
    return view


def panel_url(battle: Battle) -> str | None:
    """Return the address of a battle's panel; None if it has none."""
    if battle.panel_id is None:
        return None
    return f"https://discord.com/channels/{battle.guild_id or '@me'}/{battle.channel_id}/{battle.panel_id}"


def retired_view(battle: Battle, name: str) -> discord.ui.LayoutView:
    """Lay out the replacement of an older panel: a link to the new one."""
    url = panel_url(battle)
    where = "is elsewhere" if url is None else f"is in [a newer message]({url})"
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
        if may_swap(presenter, battle):
            yield consent_button(battle, "rematch", "swap", "Rematch, sides swapped", "🔄")
    yield from presenter.extra_buttons(battle, state)
    if watch is not None:
        yield discord.ui.Button(label=LABEL, emoji="🎬", url=watch)
    yield consent_button(battle, "fair", "dice", presenter.chance.question, presenter.chance.icon)


def _open_buttons(
    battle: Battle, presenter: BattlePresenter[StateT, Any], state: StateT, undo_request: UndoRequest | None
) -> Iterator[discord.ui.Button[Any]]:
    free = [] if isinstance(presenter, DropIn) else [place.seat for place in battle.places if place.is_open]
    for seat in () if battle.joining_closed else free:
        yield consent_button(battle, "join", seat, f"Join as {seat_name(seat)}", "🙋", discord.ButtonStyle.success)
    if not free:
        for at, legal in enumerate(presenter.panel_actions(battle, state)):
            yield action_button(battle, legal, first=at == 0)
    if undo_request is not None and undo_request.version == battle.version:
        yield consent_button(battle, "agree", "undo", "Agree", "✅")
        yield consent_button(battle, "refuse", "undo", "Refuse", "✖️")
    hidden = mixin_of(presenter, HidesInformation)
    if any(hidden.private_text(battle, state, [place.seat]) is not None for place in battle.places):
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


def panel_text(
    battle: Battle,
    name: str,
    content: PanelContent,
    undo_user_id: int | None = None,
    undo_note: str = "",
    table: Sequence[str] = (),
) -> list[str]:
    """Return a panel's parts, together within a message; `name`: the system's; `undo_user_id`: who requests an undo.

    `undo_note`: what an undo costs. `table`: lines about the clock and the seats.
    """
    places = map(_seat_line, battle.places) if content.seats else ()
    early = "" if battle.is_open or battle.outcome is not None else "ended, "
    head = "\n".join([f"### #{battle.number} {name}: {early}{content.title}", *places])
    asks = (
        [] if undo_user_id is None else [f"↩️ <@{undo_user_id}> wants to take the last step back. {undo_note}".strip()]
    )
    foot = "\n".join([*asks, foot_line(battle)]).strip()
    state = "\n".join([shorten(content.state, MAX_STATE), *table]).strip()
    left = LAYOUT_TEXT - _RESERVE - sum(map(utf16_length, (head, foot, state)))
    events = last_lines(content.events, left)
    return [part for part in (head, state, events, foot) if part.strip()]


def last_lines(text: str, limit: int) -> str:
    """Return the last whole lines of `text` that fit into `limit` units, after an ellipsis if lines are missing."""
    if utf16_length(text) <= limit:
        return text
    kept: list[str] = []
    room = limit - 2
    for line in reversed(text.split("\n")):
        room -= utf16_length(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join(["…", *reversed(kept)])


def _seat_line(place: Place) -> str:
    return f"{seat_name(place.seat).capitalize()}: {holder_text(place)}"
