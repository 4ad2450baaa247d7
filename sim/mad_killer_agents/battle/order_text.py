"""Orders as text, for the quick: `C7-D8 12; D8 found; E5 attack F5`.

Orders stand between semicolons, commas or line ends. `C7-D8` moves, `C7-D8-E8 12` takes 12 units two tiles far; the
words in `VERBS` and their short forms do the rest; `end` may stand last and ends the turn.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sim.core.errors import Problem, RuleError, Span, TextError
from sim.core.suggestions import nearest
from sim.mad_killer_agents.battle.apply_order import apply_order
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.orders import Attack, Discover, Found, Grow, Lower, March, Move, Order, Pass, Raise
from sim.mad_killer_agents.constants import Technology
from sim.mad_killer_agents.tile_names import read_place

MAX_TEXT = 2000
"""Characters of the longest text taken."""
EXAMPLE = "C7-D8 12; D8 found; E5 attack F5"

_PIECE = re.compile(r"[^;,\n]+")
_TOKEN = re.compile(r"[A-Za-z]{1,2}[0-9]+(?![0-9A-Za-z])|[^\W\d_]+|[0-9]+|->|\S", re.ASCII)
_MOST_DIGITS = 12

_GOES = {"-": "move", "->": "move", ">": "move", "–": "move", "→": "move", "to": "move", "x": "attack", "*": "attack"}
_WAYS: dict[str, type[Move | March | Attack]] = {"move": Move, "march": March, "attack": Attack}
_HERE: dict[str, type[Found | Grow | Lower | Raise | Pass]] = {
    "found": Found,
    "grow": Grow,
    "lower": Lower,
    "raise": Raise,
    "pass": Pass,
}
_DISCOVER, _END = "discover", "end"
VERBS = (*_WAYS, *_HERE, _DISCOVER, _END)
"""The words that say what to do."""


@dataclass(frozen=True, slots=True)
class Written:
    """An order and where it stands in the text; None for the end of the turn."""

    order: Order | None
    span: Span


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    span: Span

    @property
    def word(self) -> str:
        return self.text.lower()


class _Wrong(Exception):  # noqa: N818  # it never leaves this module
    """Something wrong at a place in the text."""

    def __init__(self, span: Span, message: str, suggestion: str | None = None) -> None:
        super().__init__(message)
        self.problem = Problem(span, message, suggestion)


def read_orders(text: str, width: int, height: int) -> tuple[Written, ...]:
    """Read orders for a map of that size; TextError with everything that can't be read, each with its place."""
    if len(text) > MAX_TEXT:
        message = f"The text is {len(text):,} characters long; at most {MAX_TEXT:,} are read."
        raise TextError(text, (Problem(Span(MAX_TEXT, MAX_TEXT + 1), message),))
    written: list[Written] = []
    problems: list[Problem] = []
    for piece in _PIECE.finditer(text):
        tokens = [_Token(match[0], Span(*match.span())) for match in _TOKEN.finditer(text, piece.start(), piece.end())]
        if not tokens:
            continue
        try:
            written += _Reader(tokens, width, height).orders(after=written)
        except _Wrong as wrong:
            problems.append(wrong.problem)
    if not written and not problems:
        problems.append(Problem(Span(len(text), len(text)), f"There are no orders yet. An example: {EXAMPLE}"))
    if problems:
        raise TextError(text, tuple(problems))
    return tuple(written)


def apply_order_text(board: Board, player: int, text: str) -> tuple[tuple[Order, ...], bool]:
    """Carry out all orders of a text; return them, and whether the turn is to end.

    TextError at the first order that isn't allowed; the board is of no more use then.
    """
    orders: list[Order] = []
    written = read_orders(text, board.width, board.height)
    for written_order in written:
        if written_order.order is None:
            continue
        try:
            apply_order(board, player, written_order.order)
        except RuleError as error:
            raise TextError(text, (Problem(written_order.span, str(error)),)) from None
        orders.append(written_order.order)
    return tuple(orders), written[-1].order is None


class _Reader:
    """Reads one order, or a chain of moves, from its tokens."""

    def __init__(self, tokens: Sequence[_Token], width: int, height: int) -> None:
        self.tokens = tokens
        self.width = width
        self.height = height
        self.at = 0

    @property
    def ahead(self) -> _Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    @property
    def end(self) -> Span:
        """The gap behind the last token, where something is missing."""
        last = self.tokens[-1].span.end
        return Span(last, last)

    def orders(self, after: Sequence[Written]) -> list[Written]:
        """Return what the tokens say, behind other orders."""
        first = self.tokens[0]
        if after and after[-1].order is None:
            raise _Wrong(first.span, "Nothing can be ordered after the end of the turn.")
        if first.word == _END:
            self.at = 1
            self._expect_no_more()
            return [Written(None, first.span)]
        start = self._place()
        verb = self._verb()
        if verb == _DISCOVER:
            orders: list[Order] = [Discover(at=start, tech=self._technology())]
        elif verb in _HERE:
            orders = [_HERE[verb](at=start)]
        else:
            orders = self._ways(start, verb)
        self._expect_no_more()
        span = Span(first.span.start, self.tokens[-1].span.end)
        return [Written(order, span) for order in orders]

    def _ways(self, start: int, verb: str) -> list[Order]:
        places = [(verb, start, self._place())]
        while self.ahead is not None and self.ahead.word in _GOES:
            verb = _GOES[self.ahead.word]
            self.at += 1
            places.append((verb, places[-1][2], self._place()))
        units = self._units()
        return [_WAYS[verb](at=at, to=to, units=units) for verb, at, to in places]

    def _place(self) -> int:
        token = self.ahead
        if token is None:
            raise _Wrong(self.end, "A tile is missing here, such as C7.")
        try:
            place = read_place(token.text, self.width, self.height)
        except RuleError as error:
            raise _Wrong(token.span, str(error)) from None
        self.at += 1
        return place

    def _verb(self) -> str:
        token = self.ahead
        if token is None:
            raise _Wrong(self.end, f"What is the army to do? An example: {EXAMPLE}")
        self.at += 1
        verb = _GOES.get(token.word, token.word)
        if verb in VERBS and verb != _END:
            return verb
        known = ", ".join(VERBS[:-1])
        message = f"{token.text[:20]!r} is no order; there are {known}."
        raise _Wrong(token.span, message, nearest(verb, {verb: verb for verb in VERBS[:-1]}))

    def _technology(self) -> Technology:
        token = self.ahead
        known = [tech.value for tech in Technology]
        if token is None:
            raise _Wrong(self.end, f"Which technology? There are {', '.join(known)}.")
        self.at += 1
        if token.word in known:
            return Technology(token.word)
        message = f"{token.text[:20]!r} is no technology; there are {', '.join(known)}."
        raise _Wrong(token.span, message, nearest(token.word, {word: word for word in known}))

    def _units(self) -> int | None:
        token = self.ahead
        if token is None:
            return None
        if not (token.text.isascii() and token.text.isdecimal()):
            raise _Wrong(token.span, f"How many units? A whole number is needed here, not {token.text[:20]!r}.")
        digits = token.text.lstrip("0")
        if not digits:
            raise _Wrong(token.span, "At least 1 unit has to go.")
        if len(digits) > _MOST_DIGITS:
            raise _Wrong(token.span, "No army has so many units.")
        self.at += 1
        if self.ahead is not None and self.ahead.word in {"unit", "units"}:
            self.at += 1
        return int(digits)

    def _expect_no_more(self) -> None:
        if self.ahead is not None:
            message = "One order ends here: put a semicolon before the next."
            raise _Wrong(self.ahead.span, message)
