"""Orders as text: `C7-D8 12; D8 found; E5 attack F5`.

Semicolons, commas or line ends separate orders. `C7-D8` moves an army, `C7-D8-E8 12` moves 12 units two tiles; all
other orders use a word of `VERBS`. `end` as the last word ends the turn.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sim.core.caret import Token
from sim.core.errors import Faults, Problem, RuleError, Span, TextError, check_length, check_text
from sim.core.names import nearest
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.orders import apply_order
from sim.mad_killer_agents.battle.values import (
    DIRECTED_VERBS,
    MAX_ORDER_TEXT,
    TILE_VERBS,
    DirectedOrder,
    Discover,
    Order,
    TileOrder,
)
from sim.mad_killer_agents.constants import Technology
from sim.mad_killer_agents.grid import read_tile

EXAMPLE = "C7-D8 12; D8 found; E5 attack F5"

_PIECE = re.compile(r"[^;,\n]+")
_TOKEN = re.compile(r"[A-Za-z]{1,2}[0-9]+(?![0-9A-Za-z])|[^\W\d_]+|[0-9]+|->|\S", re.ASCII)
_MAX_DIGITS = 12

_MOVE_SIGNS = dict.fromkeys(("-", "->", ">", "–", "→", "to"), "move") | dict.fromkeys(("x", "*"), "attack")
_DISCOVER, _END = "discover", "end"
VERBS = (*DIRECTED_VERBS, *TILE_VERBS, _DISCOVER, _END)
"""The words for orders."""


@dataclass(frozen=True, slots=True)
class ParsedOrder:
    """An order and its span in the text; the order is None for the end of the turn."""

    order: Order | None
    span: Span


class _ParseError(Exception):
    """A problem at a span of the text; it never leaves this module."""

    def __init__(self, span: Span, message: str, suggestion: str | None = None) -> None:
        super().__init__(message)
        self.problem = Problem(span, message, suggestion)


def read_orders(text: str, width: int, height: int) -> tuple[ParsedOrder, ...]:
    """Return the orders of a text for a map of that size; TextError with every problem and its span."""
    check_length(text, MAX_ORDER_TEXT)
    parsed: list[ParsedOrder] = []
    problems = Faults[Problem]()
    for piece in _PIECE.finditer(text):
        tokens = [Token(match[0], Span(*match.span())) for match in _TOKEN.finditer(text, piece.start(), piece.end())]
        if not tokens:
            continue
        try:
            parsed += _Reader(tokens, width, height).orders(after=parsed)
        except _ParseError as error:
            problems.add(error.problem)
    if not parsed and not problems:
        problems.add(Problem(Span(len(text), len(text)), f"Write at least one order, for example: {EXAMPLE}"))
    check_text(text, problems)
    return tuple(parsed)


def apply_order_text(board: Board, player: int, text: str) -> tuple[tuple[Order, ...], bool]:
    """Carry out all orders of a text; return them, and whether the turn ends.

    TextError at the first order that isn't allowed; discard the board then.
    """
    orders: list[Order] = []
    parsed = read_orders(text, board.width, board.height)
    for item in parsed:
        if item.order is None:
            continue
        try:
            apply_order(board, player, item.order)
        except RuleError as error:
            raise TextError(text, (Problem(item.span, str(error)),)) from None
        orders.append(item.order)
    return tuple(orders), parsed[-1].order is None


class _Reader:
    """Reads one order, or a chain of moves, from tokens."""

    def __init__(self, tokens: Sequence[Token], width: int, height: int) -> None:
        self.tokens = tokens
        self.width = width
        self.height = height
        self.at = 0

    @property
    def next_token(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    @property
    def end(self) -> Span:
        """The empty span after the last token, where something is missing."""
        last = self.tokens[-1].span.end
        return Span(last, last)

    def orders(self, after: Sequence[ParsedOrder]) -> list[ParsedOrder]:
        """Return the orders of the tokens, which follow the orders `after`."""
        first = self.tokens[0]
        if after and after[-1].order is None:
            raise _ParseError(first.span, "Your turn has ended here: put 'end' last.")
        if first.word == _END:
            self.at = 1
            self._expect_no_more()
            return [ParsedOrder(None, first.span)]
        start = self._tile()
        verb = self._verb()
        if verb == _DISCOVER:
            orders: list[Order] = [Discover(at=start, tech=self._technology())]
        elif verb in TILE_VERBS:
            orders = [TileOrder(at=start, do=verb)]
        else:
            orders = self._moves(start, verb)
        self._expect_no_more()
        span = Span(first.span.start, self.tokens[-1].span.end)
        return [ParsedOrder(order, span) for order in orders]

    def _moves(self, start: int, verb: str) -> list[Order]:
        steps = [(verb, start, self._tile())]
        while self.next_token is not None and self.next_token.word in _MOVE_SIGNS:
            verb = _MOVE_SIGNS[self.next_token.word]
            self.at += 1
            steps.append((verb, steps[-1][2], self._tile()))
        units = self._units()
        return [DirectedOrder(at=at, to=to, units=units, do=verb) for verb, at, to in steps]

    def _tile(self) -> int:
        token = self.next_token
        if token is None:
            raise _ParseError(self.end, "Name a tile here, such as C7.")
        try:
            tile = read_tile(token.text, self.width, self.height)
        except RuleError as error:
            raise _ParseError(token.span, str(error)) from None
        self.at += 1
        return tile

    def _verb(self) -> str:
        token = self.next_token
        if token is None:
            raise _ParseError(self.end, f"What should the army do? For example: {EXAMPLE}")
        self.at += 1
        verb = _MOVE_SIGNS.get(token.word, token.word)
        if verb in VERBS and verb != _END:
            return verb
        known = ", ".join(VERBS[:-1])
        message = f"{token.text[:20]!r} is not an order; use {known}."
        raise _ParseError(token.span, message, nearest(verb, {verb: verb for verb in VERBS[:-1]}))

    def _technology(self) -> Technology:
        token = self.next_token
        known = [tech.value for tech in Technology]
        if token is None:
            raise _ParseError(self.end, f"Which technology? Choose from {', '.join(known)}.")
        self.at += 1
        if token.word in known:
            return Technology(token.word)
        message = f"{token.text[:20]!r} is not a technology; choose from {', '.join(known)}."
        raise _ParseError(token.span, message, nearest(token.word, {word: word for word in known}))

    def _units(self) -> int | None:
        token = self.next_token
        if token is None:
            return None
        if not (token.text.isascii() and token.text.isdecimal()):
            raise _ParseError(token.span, f"How many units? Write a whole number, not {token.text[:20]!r}.")
        digits = token.text.lstrip("0")
        if not digits:
            raise _ParseError(token.span, "Send at least 1 unit.")
        if len(digits) > _MAX_DIGITS:
            raise _ParseError(token.span, "No army is that large.")
        self.at += 1
        if self.next_token is not None and self.next_token.word in {"unit", "units"}:
            self.at += 1
        return int(digits)

    def _expect_no_more(self) -> None:
        if self.next_token is not None:
            message = "Put a semicolon before the next order."
            raise _ParseError(self.next_token.span, message)
