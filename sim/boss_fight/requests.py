"""What the bot asks the workers about decks and bosses: to read them, to try a deck, to draw."""

import io
import warnings
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field
from typing_extensions import override

from sim.boss_fight.exchange import SECONDS_PER_TRAIT, Damage, End, ExchangeResult, Outlook, Stacks, exchange
from sim.boss_fight.form_text import parse_deck
from sim.boss_fight.tables import read_bosses, read_deck
from sim.boss_fight.values import Boss, Deck, Element
from sim.core import RuleError
from sim.core.values import Frozen, Request

MAX_DECK_TRAITS = 5_000
"""Traits of a whole deck that the bot reads: it has to show them, page by page."""

MAX_BOSSES_TRIED = 100
"""Bosses that one request tries a deck against: more than anybody has."""

MAX_UPLOAD = 8 << 20
"""The largest uploaded picture, in bytes."""

_MAX_PIXELS: Mapping[str, int] = {"PNG": 8_000_000, "JPEG": 16_000_000, "WEBP": 8_000_000, "GIF": 8_000_000}
"""The kinds of files that are read, with the largest picture of each in pixels.

A decoder keeps two or three copies of a picture, and a worker has little memory; JPEG can be decoded smaller at once.
"""

MAX_SIDE = 512
"""Pixels of the longer side of a redrawn picture."""


class _Reading(Request):
    """Base of what reads a text or a file; the bound is for one in which every name is misspelled."""

    max_seconds = 0.05
    character_seconds = 1e-5


class DeckRequest(_Reading):
    """A deck as text, or as the content of a file."""

    deck: Annotated[str | bytes, Field(repr=False)]

    def run(self) -> Deck:
        """Return the deck; TextError or TableError with every mistake, RuleError for too many traits."""
        deck = parse_deck(self.deck) if isinstance(self.deck, str) else _deck_of_file(self.deck)
        if deck.size > MAX_DECK_TRAITS:
            raise RuleError(f"A deck has at most {MAX_DECK_TRAITS:,} traits; here are {deck.size:,}.")
        return deck


def _deck_of_file(data: bytes) -> Deck:
    """Read a CSV file, or a deck's text: that has a colon and no "trait" in its first line."""
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return read_deck(data)  # which knows other encodings
    first = text.partition("\n")[0]
    return parse_deck(text) if ":" in first and "trait" not in first.lower() else read_deck(data)


class AgainstElement(Frozen):
    """A deck against a boss of one element (None: without one) that neither pierces nor resists."""

    element: Element | None
    stacks: Stacks
    to_boss: Damage


class DeckSheet(Frozen):
    """A deck, and how it fares against each element, against none first."""

    deck: Deck
    elements: tuple[AgainstElement, ...]


class DeckSheetRequest(Request):
    """The sheet of a deck."""

    deck: Deck

    @override
    def cost(self) -> float:
        return 0.02 + SECONDS_PER_TRAIT * self.deck.size * (len(Element) + 1)

    def run(self) -> DeckSheet:
        """Return the sheet."""
        foes = (Boss(name="Anyone", element=element, health=1) for element in (None, *Element))
        reports = [exchange(foe, self.deck) for foe in foes]
        elements = (AgainstElement(element=one.boss.element, stacks=one.stacks, to_boss=one.to_boss) for one in reports)
        return DeckSheet.model_construct(deck=self.deck, elements=tuple(elements))


class BossesRequest(_Reading):
    """Bosses as the content of a CSV file."""

    data: Annotated[bytes, Field(repr=False)]

    def run(self) -> tuple[Boss, ...]:
        """Return the bosses; TableError with every mistake."""
        return read_bosses(self.data)


class BossRow(ExchangeResult):
    """What one boss and the deck do to each other, and how the fight ends."""

    outlook: Outlook


class EveryBossReport(Frozen):
    """The bosses, in the order of the request."""

    rows: tuple[BossRow, ...]

    @property
    def beaten(self) -> int:
        """How many of them the deck defeats."""
        return sum(row.outlook.end in {End.VICTORY, End.BOTH} for row in self.rows)


class EveryBossRequest(Request):
    """One deck against several bosses."""

    bosses: Annotated[tuple[Boss, ...], Field(min_length=1, max_length=MAX_BOSSES_TRIED)]
    deck: Deck

    @override
    def cost(self) -> float:
        return 0.02 + SECONDS_PER_TRAIT * self.deck.size * len(self.bosses)

    def run(self) -> EveryBossReport:
        """Return a row for each boss."""
        reports = (exchange(boss, self.deck) for boss in self.bosses)
        return EveryBossReport(rows=tuple(BossRow.model_validate(one, from_attributes=True) for one in reports))


class PortraitRequest(Request):
    """An uploaded picture, to be redrawn as a PNG of at most 512 pixels a side, without metadata.

    A hostile file reaches a decoder only here, within a worker's limits; nothing of it but its pixels is kept.
    """

    max_seconds = 3.0

    data: Annotated[bytes, Field(repr=False, max_length=MAX_UPLOAD)]

    def run(self) -> bytes:
        """Return its first frame; RuleError for a file that is too large or no picture of a supported kind."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # a file that makes the decoder warn is refused
                return _redraw(self.data)
        except (RuleError, MemoryError):
            raise
        except Exception:  # noqa: BLE001 - a decoder may raise anything for a broken file
            *kinds, last = _MAX_PIXELS
            message = f"I can't read this file as a picture; send a {', '.join(kinds)} or {last}."
            raise RuleError(message) from None


def _redraw(data: bytes) -> bytes:
    from PIL import Image, ImageOps  # noqa: PLC0415  # the process that asks must not load it

    with Image.open(io.BytesIO(data), formats=tuple(_MAX_PIXELS)) as image:
        width, height = image.size
        most = _MAX_PIXELS[image.format or "PNG"]
        if width * height > most:
            size_text = f"The picture has {width:,} x {height:,} pixels"
            raise RuleError(f"{size_text}; a {image.format} may have at most {most // 1_000_000} million.")
        image.draft("RGB", (2 * MAX_SIDE, 2 * MAX_SIDE))  # a large JPEG is decoded smaller at once
        has_alpha = "A" in image.getbands() or "transparency" in image.info
        mode = "RGBA" if has_alpha else "RGB"
        # Shrunk before anything else if possible: each copy of a large picture costs memory.
        small = image if image.mode == mode else image.convert(mode)
        small.thumbnail((MAX_SIDE, MAX_SIDE))
        plain = ImageOps.exif_transpose(small)
    fresh = Image.new(plain.mode, plain.size)
    fresh.paste(plain)
    out = io.BytesIO()
    fresh.save(out, format="PNG", optimize=True)
    return out.getvalue()
