"""What every battle's panel and log have in common, whatever its rule system."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.answers.document import Document, Page, lazy_pages, room
from bot.store.battles.battle import Battle, Place
from bot.ui.layout import Picture
from bot.ui.limits import LAYOUT_TEXT
from bot.ui.text import plain, shortened, utf16_length
from sim.core.battle import Seat

MOST_STATE = 1800
"""Units of a panel's text that the state may take; the events get what is left."""

MOST_LINE = 600
"""Units of one line of a log on its pages; the file has all of it."""

_GREY = 0x868E96
_RESERVE = 40  # for what joins the parts


@dataclass(frozen=True, slots=True)
class PanelContent:
    """What a system shows of a battle: a headline's end, such as "round 2", then the state, then what happened last.

    All text is Discord markdown. `events` that are too long lose their beginning, `state` its end. `portrait`: a small
    picture beside the headline. `seats`: whether the panel lists who has which seat; False where the state does.
    """

    title: str
    state: str
    events: str = ""
    colour: int = _GREY
    picture: Picture | None = None
    portrait: Picture | None = None
    seats: bool = True


@dataclass(frozen=True, slots=True)
class PanelText:
    """The parts of a panel, from top to bottom, all together within a message."""

    parts: tuple[str, ...]


def panel_text(battle: Battle, name: str, content: PanelContent, undo_user_id: int | None = None) -> PanelText:
    """Return a panel's parts; `name` is the system's, `undo_user_id` wants the last step taken back."""
    places = map(_place, battle.places) if content.seats else ()
    head = "\n".join([f"### #{battle.number} {name}: {content.title}", *places])
    asks = [] if undo_user_id is None else [f"↩️ <@{undo_user_id}> asks to take the last step back."]
    foot = "\n".join([*asks, _seed(battle)])
    state = shortened(content.state, MOST_STATE)
    left = LAYOUT_TEXT - _RESERVE - sum(map(utf16_length, (head, foot, state)))
    events = ending(content.events, left)
    return PanelText(tuple(part for part in (head, state, events, foot) if part.strip()))


def ending(text: str, most: int) -> str:
    """Return the last whole lines of `text` that fit into `most` units, an ellipsis first where some are missing."""
    if utf16_length(text) <= most:
        return text
    kept: list[str] = []
    room = most - 2
    for line in reversed(text.split("\n")):
        room -= utf16_length(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join(["…", *reversed(kept)])


def _place(place: Place) -> str:
    return f"{seat_name(place.seat).capitalize()}: {holder(place)}"


def seat_name(seat: Seat) -> str:
    """Return a seat as players read it: "member 2"."""
    return seat.replace("-", " ")


def called(seat: Seat) -> str:
    """Return a seat within a sentence: "the attacker", but "member 2"."""
    name = seat_name(seat)
    return name if name[-1:].isdigit() else f"the {name}"


def holder(place: Place) -> str:
    """Return who has a seat; a mention that pings nobody."""
    if place.is_bot:
        return "🤖 the bot"
    return "*free*" if place.user_id is None else f"<@{place.user_id}>"


def _seed(battle: Battle) -> str:
    if battle.revealed is None:
        return f"-# Seed's SHA-256 `{battle.seed_hash}`"
    return f"-# Seed `{battle.revealed.hex()}` · `/battle verify number:{battle.number}`"


def log_book(battle: Battle, name: str, lines: Sequence[str], note: str | None) -> Document:
    """Return the log as pages; `note` says what is missing as long as the battle is open."""
    head = [f"### #{battle.number} {name}: the log", _seed(battle), *([f"-# {note}"] if note else [])]
    stretches = lazy_pages(lines or ["Nothing has happened yet."], _log_line, MOST_LINE, room("\n".join(head)))
    pages = [Page(f"Lines {start + 1} to {end}", page) for start, end, page in stretches]
    return Document("\n".join(head), _GREY, pages, long=True)


def _log_line(line: str) -> str:
    return plain(line, MOST_LINE)  # players' names are in it
