"""Orders as people give them: as text, or by a button for what an army can do now.

A text is such as `C7-D8 12; D8 found; E5 attack F5`. Semicolons, commas or line ends separate orders. `C7-D8` moves an
army, `C7-D8-E8 12` moves 12 units two tiles, `C7 north` moves to the tile above; all other orders use a word of
`VERBS`. `end` as the last word ends the turn. Buttons are for eight directions and for actions on the army's tile.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from sim.core import Faults, Problem, RuleError, Span, Token, check_length, check_text
from sim.core.names import Habits, nearest
from sim.core.values import Frozen
from sim.mad_killer_agents import battle as v
from sim.mad_killer_agents.battle.board import board_of
from sim.mad_killer_agents.battle.orders import Commander, march_loss
from sim.mad_killer_agents.combat import BattleReport, all_at_once, best_split, fight
from sim.mad_killer_agents.constants import Technology
from sim.mad_killer_agents.terrain import read_tile

EXAMPLE = "C7-D8 12; D8 found; E5 attack F5"

_T = r"[a-z]{1,2}[0-9]+(?![0-9a-z])"
_TO = r"\s*(?:->|[->\u2013\u2192]|\bto\b)\s*"
_HABITS = Habits(
    r"mka(?:\s+orders\b(?!:))?(?:\s+orders:)?",
    (r"\bend\s+(?:(?:the|my)\s+)?turn\b|\bdone\b", "end"),
    (r"\A\s*(?:move|send)\s+(?=[a-z0-9 ]*[0-9])|\bfrom\b(?=.*\bto\b)|\bwith\s+(?=[0-9])", ""),
    (r"\b(north|south)\s+(east|west)\b", r"\1\2"),
    (rf"\b(?:all|everything)(?:\s+(?:units|of))?\s+(?={_T})|(?<=[0-9]\s)all(?:\s+units)?\s*\Z", ""),
    (rf"\A\s*([0-9]+)\s+(?:units?\s+)?({_T}(?:{_TO}{_T})+)\s*\Z", r"\2 \1"),
    (rf"\A\s*({_T})\s+({_T})(?=\s+[0-9]+|\s*\Z)", r"\1-\2"),
    (rf"\A\s*attack\s+({_T})\s+(?:([0-9]+)\s+)?from\s+({_T})", r"\3 * \1 \2"),
    (rf"\A\s*(march|attack)\s+({_T}){_TO}({_T})", r"\2 \1 \3"),
    (rf"\A\s*(found|grow|lower|raise|pass)\s+(?:(?:a\s+)?city\s+)?(?:(?:at|in|on)\s+)?({_T})\s*\Z", r"\2 \1"),
    (rf"({_T})\s*(?:[:=]|[x\u00d7])\s*(?=[0-9]+\s*\Z)", r"\1 "),
    (r"\(\s*([0-9]+)\s*\)\s*\Z", r" \1"),
)
"""What is read as something plainer in one order: `move 12 from C7 to D8`, `found D8`, `end turn`."""

_PIECE = re.compile(r"[^;,\n]+")
_TOKEN = re.compile(r"[A-Za-z]{1,2}[0-9]+(?![0-9A-Za-z])|[^\W\d_]+|[0-9]+|->|\S", re.ASCII)
_MAX_DIGITS = 12

_MOVE_SIGNS = dict.fromkeys(("-", "->", ">", "–", "→", "to"), "move") | dict.fromkeys(("x", "*"), "attack")
VERBS = (*v.DIRECTED_VERBS, *v.TILE_VERBS, "discover")
"""The words for orders."""


class _ParseError(Exception):
    """A problem at a span of the text; it never leaves this module."""

    def __init__(self, span: Span, message: str, suggestion: str | None = None) -> None:
        super().__init__(message)
        self.problem = Problem(span, message, suggestion)


def read_orders(text: str, width: int, height: int) -> list[tuple[v.Order | None, Span]]:
    """Return the orders of a text for a map of that size, None for the end of the turn, and their spans.

    TextError with every problem and its span.
    """
    check_length(text, v.MAX_ORDER_TEXT)
    parsed: list[tuple[v.Order | None, Span]] = []
    problems = Faults[Problem]()
    for piece in _PIECE.finditer(text):
        typed, start = piece[0], piece.start()
        said = _HABITS.cleaned(typed)
        found = _TOKEN.finditer(said)
        tokens = [Token(match[0], Span(start + match.start(), start + match.end())) for match in found]
        if not tokens:
            continue
        begin = piece.end() - len(typed.lstrip())
        whole = Span(begin, begin + len(typed.strip()))
        try:
            orders = _Reader(tokens, width, height).orders(is_over=bool(parsed) and parsed[-1][0] is None)
        except _ParseError as error:  # in what was made plainer, words may have moved
            problems.add(error.problem if said == typed else Problem(whole, error.problem.message))
        else:
            parsed += ((order, whole) for order in orders)
    if not parsed and not problems:
        problems.add(Problem(Span(len(text), len(text)), f"Write at least one order, for example: {EXAMPLE}"))
    check_text(text, problems)
    return parsed


class Direction(StrEnum):
    """The eight neighbors, in reading order."""

    NORTH_WEST = "NW"
    NORTH = "N"
    NORTH_EAST = "NE"
    WEST = "W"
    EAST = "E"
    SOUTH_WEST = "SW"
    SOUTH = "S"
    SOUTH_EAST = "SE"

    @property
    def words(self) -> str:
        """The direction as it is said: northwest."""
        return self.name.replace("_", "").lower()


_OFFSETS = dict(zip(Direction, [(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if x or y], strict=True))
_SAID = {said: way for way in Direction for said in (way.lower(), way.words)}


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

    def orders(self, *, is_over: bool) -> Sequence[v.Order | None]:
        """Return the orders of the tokens, None for the end of the turn; `is_over`: whether it has ended before."""
        first = self.tokens[0]
        if is_over:
            raise _ParseError(first.span, "Your turn has ended here: put 'end' last.")
        if first.word == "end":
            self.at = 1
            self._expect_no_more()
            return [None]
        start = self._tile()
        if self.next_token is not None and self.next_token.word in _SAID:
            verb = "move"
        else:
            verb = self._one_of(VERBS, f"What should the army do? For example: {EXAMPLE}", "an order; use")
        if verb == "discover":
            missing = f"Which technology? Choose from {', '.join(Technology)}."
            tech = Technology(self._one_of(tuple(Technology), missing, "a technology; choose from"))
            orders: list[v.Order] = [v.Discover(at=start, tech=tech)]
        elif verb in v.TILE_VERBS:
            orders = [v.TileOrder(at=start, do=verb)]
        else:
            orders = self._moves(start, verb)
        self._expect_no_more()
        return orders

    def _moves(self, start: int, verb: str) -> list[v.Order]:
        steps = [(verb, start, self._tile(start))]
        while self.next_token is not None and self.next_token.word in _MOVE_SIGNS:
            verb = _MOVE_SIGNS[self.next_token.word]
            self.at += 1
            steps.append((verb, steps[-1][2], self._tile(steps[-1][2])))
        units = self._units()
        return [v.DirectedOrder(at=at, to=to, units=units, do=verb) for verb, at, to in steps]

    def _take(self, missing: str) -> Token:
        """Return the next token and go on behind it; _ParseError, saying what is `missing`, if there is none."""
        token = self.next_token
        if token is None:
            end = self.tokens[-1].span.end
            raise _ParseError(Span(end, end), missing)
        self.at += 1
        return token

    def _tile(self, beside: int | None = None) -> int:
        """Read a tile, which may be a direction from the one that it is `beside`."""
        token = self._take("Name a tile here, such as C7.")
        if beside is not None and token.word in _SAID:
            to = neighbor(beside, _SAID[token.word], self.width, self.height)
            if to is None:
                raise _ParseError(token.span, "The map ends here.")
            return to
        try:
            return read_tile(token.text, self.width, self.height)
        except RuleError as error:
            raise _ParseError(token.span, str(error)) from None

    def _one_of(self, known: Sequence[str], missing: str, wrong: str) -> str:
        """Return the next word or sign, one of those known; `wrong`: what others are not."""
        token = self._take(missing)
        word = _MOVE_SIGNS.get(token.word, token.word)
        if word in known:
            return word
        message = f"{token.text[:20]!r} is not {wrong} {', '.join(known)}."
        raise _ParseError(token.span, message, nearest(word, dict(zip(known, known, strict=True))))

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
            raise _ParseError(self.next_token.span, "Put a semicolon before the next order.")


_MAX_SPLIT_UNITS = 3000
"""The best split is computed for a button only up to this many units."""


def neighbor(at: int, direction: Direction, width: int, height: int) -> int | None:
    """Return the tile next to one on a map of that size; None beyond its edge."""
    right, down = _OFFSETS[direction]
    row, column = divmod(at, width)
    row, column = row + down, column + right
    return row * width + column if 0 <= row < height and 0 <= column < width else None


class MoveOption(Frozen):
    """What an army can do in a direction, on the tile `to`.

    `order`: the move or attack, None if only a forced march gets there. `cost` in halves. `march` and `march_loss`: the
    forced march, if it is allowed and cheaper. `battle`: that of an attack.
    """

    direction: Direction
    to: int
    order: v.DirectedOrder | None = None
    cost: int = 0
    march: v.DirectedOrder | None = None
    march_loss: int = 0
    battle: BattleReport | None = None


class ArmyOptions(Frozen):
    """All that an army, or a part of it, can do. `refused`: of the `tile_orders`, why the others aren't allowed."""

    moves: tuple[MoveOption, ...]
    refused: dict[str, str]


def tile_orders(at: int) -> dict[str, v.Order]:
    """Return the orders for an army on its own tile, by their verbs and technologies."""
    orders: dict[str, v.Order] = {verb: v.TileOrder(at=at, do=verb) for verb in v.TILE_VERBS}
    return orders | {tech: v.Discover(at=at, tech=tech) for tech in Technology}


def army_options(state: v.State, at: int, units: int | None = None) -> ArmyOptions:
    """Return what `units` of the army on a tile can do, None for all; RuleError if the player on turn has none."""
    board = board_of(state)
    army = board.army(state.turn, at)
    commander, going = Commander(board, state.turn), army.units if units is None else units
    ways = ((way, neighbor(at, way, board.width, board.height)) for way in Direction)
    moves = (_option(commander, at, way, to, going) for way, to in ways if to is not None)
    flaws = ((what, commander.obey.flaw(order)) for what, order in tile_orders(at).items())
    refused = {what: why for what, why in flaws if why is not None}
    return ArmyOptions(moves=tuple(filter(None, moves)), refused=refused)


def _option(commander: Commander, at: int, way: Direction, to: int, units: int) -> MoveOption | None:
    """Return what the units can do on the tile `to`, in the direction `way`; None for nothing."""
    found: dict[str, Any] = {}
    going = {"at": at, "to": to, "units": units}
    rule, verb = (commander.attack, "attack") if commander.is_enemy(to) else (commander.move, "move")
    if rule.allows(at, to, units):
        found |= {"order": v.DirectedOrder(**going, do=verb), "cost": commander.step_cost(to)}
        if verb == "attack":
            clash = commander.clash(at, to, units)
            small = max(clash.attackers, clash.defenders) <= _MAX_SPLIT_UNITS
            split = best_split(clash) if small else all_at_once(clash)
            found["battle"] = BattleReport(clash=clash, result=fight(clash), split=split)
    if commander.march.allows(at, to, units):
        loss = march_loss(commander.board.tiles[to], units)
        found |= {"march": v.DirectedOrder(**going, do="march"), "march_loss": loss}
    return MoveOption(direction=way, to=to, **found) if found else None
