"""What every battle's panel and log have in common, whatever its rule system."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.answers.document import Document, Page, Picture, room
from bot.answers.lines import lazy_pages
from bot.ui.text import LAYOUT_TEXT, plain, shortened, utf16_length
from sim.core.battle import Seat

MOST_STATE = 1800
"""Units of a panel's text that the state may take; the events get what is left."""

MOST_LINE = 600
"""Units of one line of a log on its pages; the file has all of it."""

_GREY = 0x868E96
_RESERVE = 40  # for what joins the parts


class Place(Protocol):
    """A seat and who has it, as the store keeps it: a person, the bot, or nobody."""

    @property
    def seat(self) -> Seat:
        """The part in the battle."""
        ...

    @property
    def user_id(self) -> int | None:
        """The person."""
        ...

    @property
    def is_bot(self) -> bool:
        """Whether the bot has it."""
        ...


class Fight(Protocol):
    """What of a battle, as the store keeps it, every panel and log tells."""

    @property
    def number(self) -> int:
        """Its name within the channel."""
        ...

    @property
    def places(self) -> Sequence[Place]:
        """The seats in order."""
        ...

    @property
    def seed_hash(self) -> str:
        """The SHA-256 of the seed, in hexadecimal."""
        ...

    @property
    def revealed(self) -> bytes | None:
        """The seed, None as long as it is secret."""
        ...


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


def panel_text(battle: Fight, name: str, shown: PanelContent, *, asks: str | None = None) -> PanelText:
    """Return a panel's parts; `name` is the system's, `asks` the question that somebody has put, if any."""
    places = map(_place, battle.places) if shown.seats else ()
    head = "\n".join([f"### #{battle.number} {name}: {shown.title}", *places])
    foot = "\n".join([*([asks] if asks else []), _seed(battle)])
    state = shortened(shown.state, MOST_STATE)
    left = LAYOUT_TEXT - _RESERVE - sum(map(utf16_length, (head, foot, state)))
    events = ending(shown.events, left)
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


def _seed(battle: Fight) -> str:
    if battle.revealed is None:
        return f"-# Seed's SHA-256 `{battle.seed_hash}`"
    return f"-# Seed `{battle.revealed.hex()}` · `/battle verify number:{battle.number}`"


def log_book(battle: Fight, name: str, lines: Sequence[str], note: str | None) -> Document:
    """Return the log as pages; `note` says what is missing as long as the battle is open."""
    head = [f"### #{battle.number} {name}: the log", _seed(battle), *([f"-# {note}"] if note else [])]
    pages = lazy_pages(lines or ["Nothing has happened yet."], _log_line, MOST_LINE, room("\n".join(head)))
    leaves = [Page(f"Lines {start + 1} to {end}", page) for start, end, page in pages]
    return Document("\n".join(head), _GREY, leaves, long=True)


def _log_line(line: str) -> str:
    return plain(line, MOST_LINE)  # players' names are in it
