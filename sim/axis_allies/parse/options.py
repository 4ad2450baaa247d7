"""The options after the armies of a question: `| order attacker: inf, tank | rounds 3 | retreat below 4 | low luck`."""

import re
from collections.abc import Sequence
from typing import Any

from sim.axis_allies.army import MAX_COUNT
from sim.axis_allies.parse.armies import ArmyReader
from sim.axis_allies.parse.order import read_casualties
from sim.axis_allies.parse.technology import read_technology
from sim.axis_allies.parse.tokens import COLONS, HEADINGS, ORDER, TECHNOLOGY, Token, span_of
from sim.axis_allies.withdrawal import MAX_ROUNDS, Withdrawal
from sim.core.errors import Problem, Span
from sim.core.values import Side

_MAX_IPC = 1_000_000_000
_MAX_DIGITS = 10

_COUNTER = frozenset({"counter", "counterattack"})

_NUMBERS: dict[str, tuple[str, int, int]] = {
    "stop_after": (r"(?:rounds?|stop after) ([0-9]+)(?: rounds?)?", 1, MAX_ROUNDS),
    "below": (r"retreat (?:below|with fewer than) ([0-9]+)(?: units?)?", 1, MAX_COUNT),
    "ipc_lost": (r"retreat (?:after|over|above)(?: losing)? ([0-9]+) ipc(?: lost)?", 0, _MAX_IPC),
    "defenders_below": (
        r"(?:retreat (?:below|with fewer than) ([0-9]+) defenders?|strafe(?: below)? ([0-9]+)(?: defenders?)?)",
        *(1, MAX_COUNT),
    ),
}
_FLAGS: dict[str, str] = {
    "only_air": r"retreat (?:with )?only (?:air|planes)(?: left)?",
    "last_land": r"retreat (?:at|with|before) (?:the )?last land(?: units?)?",
    "must_take": r"(?:must )?take(?: territory)?",
    "low_luck": r"low[ -]luck|ll",
}

_OFFERED = "order, tech, rounds, retreat, take territory, low luck, counter"


class OptionReader:
    """Reads options one by one; adds mistakes to the problems of `armies`.

    `fields`: what a `Question` is made of besides its armies.
    """

    def __init__(self, armies: ArmyReader) -> None:
        self._armies = armies
        self._problems = armies.problems
        self._found: dict[str, Any] = {}

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a question that were read."""
        conditions = {name: value for name, value in self._found.items() if name in Withdrawal.model_fields}
        others = {name: value for name, value in self._found.items() if name not in conditions}
        return {**others, "withdrawal": Withdrawal(**conditions)}

    def read(self, tokens: Sequence[Token]) -> None:
        """Read the tokens of one option."""
        first = tokens[0].word
        if first in ORDER:
            self._order(tokens)
        elif first in TECHNOLOGY:
            self._technology(tokens)
        elif first in _COUNTER:
            wave = self._armies.wave(_after_colon(tokens, 1), tokens[-1].span.end, "The counterattack")
            self._put("counter", wave, span_of(tokens))
        else:
            self._short(tokens)

    def _put(self, name: str, value: object, span: Span) -> None:
        if name in self._found:
            self._problems.add(Problem(span, "Say this only once."))
        self._found[name] = value

    def _order(self, tokens: Sequence[Token]) -> None:
        at = 1
        sides = list(Side)
        if at < len(tokens) and tokens[at].word in HEADINGS:
            sides = [HEADINGS[tokens[at].word]]
            at += 1
        end = tokens[-1].span.end
        rest = _after_colon(tokens, at)
        casualties = read_casualties(self._armies.text, Span(rest[0].span.start if rest else end, end), self._problems)
        for side in sides:
            self._put(f"{side}_casualties", casualties, span_of(tokens))

    def _technology(self, tokens: Sequence[Token]) -> None:
        end = Span(tokens[-1].span.end, tokens[-1].span.end)
        found = read_technology(_after_colon(tokens, 1), self._problems, self._armies.book, end)
        for side, names in found.items():
            if names:
                self._put(f"{side}_technology", names, span_of(tokens))

    def _short(self, tokens: Sequence[Token]) -> None:
        """Read an option of a few words, with a number or without one."""
        words = " ".join(token.word for token in tokens if token.word not in COLONS)
        span = span_of(tokens)
        for name, form in _FLAGS.items():
            if re.fullmatch(form, words):
                self._put(name, True, span)  # noqa: FBT003
                return
        for name, (form, least, most) in _NUMBERS.items():
            found = re.fullmatch(form, words)
            if found is not None:
                digits = next(group for group in found.groups() if group is not None)
                number = int(digits[: _MAX_DIGITS + 1])
                if least <= number <= most:
                    self._put(name, number, span)
                else:
                    self._problems.add(Problem(span, f"Put a number from {least:,} to {most:,}."))
                return
        self._problems.add(Problem(span, f"No option reads like this. Options: {_OFFERED}."))


def _after_colon(tokens: Sequence[Token], at: int) -> Sequence[Token]:
    return tokens[at + 1 :] if at < len(tokens) and tokens[at].word in COLONS else tokens[at:]
