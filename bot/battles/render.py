"""The text of panels and logs, for battles of every system."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.answers.document import Document, Page, lazy_pages, room
from bot.battles.fairness import foot_line
from bot.store.battles.battle import Battle, Place
from bot.ui.layout import Picture
from bot.ui.text import LAYOUT_TEXT, plain, shorten, utf16_length
from sim.core.narration import seat_name

MAX_STATE = 1800
"""UTF-16 units of the state in a panel; the events get the rest."""

MAX_LINE = 600
"""UTF-16 units of a log line on a page; the file has the whole line."""

_GREY = 0x868E96
_RESERVE = 40  # for the separators


@dataclass(frozen=True, slots=True)
class PanelContent:
    """What a system shows on a panel: the end of the headline, such as "round 2", the state and the latest events.

    All text is Discord markdown. `events` that are too long lose their beginning, `state` its end. `portrait`: a small
    picture beside the headline. `seats`: whether the panel lists the seats; False if the state does.
    """

    title: str
    state: str
    events: str = ""
    colour: int = _GREY
    picture: Picture | None = None
    portrait: Picture | None = None
    seats: bool = True


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
    head = "\n".join([f"### #{battle.number} {name}: {content.title}", *places])
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


def holder_text(place: Place) -> str:
    """Return who holds a seat; the mention pings nobody."""
    if place.is_bot:
        return "🤖 the bot"
    return "*free*" if place.user_id is None else f"<@{place.user_id}>"


def who_fights(battle: Battle) -> str:
    """Return who has which seat: "Ann (attacker) v Ben (defender)"."""
    seats = [f"{holder_text(place)} ({seat_name(place.seat)})" for place in battle.places]
    return " v ".join(seats) or "nobody has a seat"


def names_text(names: Sequence[str], most: int = 6) -> str:
    """Return the first names on one line, each of them markdown, and how many more there are."""
    text = ", ".join(names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most:,} more"


def log_document(battle: Battle, name: str, lines: Sequence[str], note: str | None, watch: str = "") -> Document:
    """Return the log as pages; `note` says what an open battle hides, `watch` links to the replay."""
    more = [watch, foot_line(battle), f"-# {note}" if note else ""]
    head = [f"### #{battle.number} {name}: the log", *filter(None, more)]
    ranges = lazy_pages(lines or ["Nothing has happened yet."], _log_line, MAX_LINE, room("\n".join(head)))
    pages = [Page(f"Lines {start + 1} to {end}", page) for start, end, page in ranges]
    return Document("\n".join(head), _GREY, pages)


def _log_line(line: str) -> str:
    return plain(line, MAX_LINE)  # players' names are in it
