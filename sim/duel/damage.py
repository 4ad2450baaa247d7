"""Damage dice such as `2d6+1`: the value and its parser."""

import re
from itertools import accumulate
from typing import Annotated, Any

from pydantic import Field, model_serializer, model_validator

from sim.core.dice import Dice
from sim.core.errors import Problem, RuleError, Span, TextError
from sim.core.values import Frozen

MAX_DICE = 20
MAX_SIDES = 100
MAX_PLUS = 100
"""Limit of the number added to the dice, plus or minus."""

MAX_TEXT = 40
"""Maximum length of a damage text."""

_SHAPE = re.compile(
    r"\s*(?P<count>[0-9]*)\s*[dD](?P<sides>[0-9]+)\s*(?:(?P<sign>[+\-\u2212\u2013])\s*(?P<plus>[0-9]+))?\s*", re.ASCII
)
# The longest valid start: the text is wrong from its end on.
_VALID_START = re.compile(r"\s*(?:[0-9]*\s*(?:[dD](?:[0-9]+\s*(?:[+\-\u2212\u2013]\s*(?:[0-9]+\s*)?)?)?)?)?", re.ASCII)
_HOW = "Write damage as 2d6+1: number of dice, d, number of sides."


class Damage(Frozen):
    """`count` dice of `sides` sides plus `plus`; a hit deals the sum, but at least 1.

    Serialized as text such as "2d6+1"; TextError marks what can't be read.
    """

    count: Annotated[int, Field(strict=True, ge=1, le=MAX_DICE)] = 1
    sides: Annotated[int, Field(strict=True, ge=1, le=MAX_SIDES)] = 4
    plus: Annotated[int, Field(strict=True, ge=-MAX_PLUS, le=MAX_PLUS)] = 0

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:  # noqa: ANN401  # any JSON value
        return _parse(data) if isinstance(data, str) else data

    @model_serializer
    def _to_text(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return f"{self.count}d{self.sides}{f'{self.plus:+d}' if self.plus else ''}"

    @property
    def minimum(self) -> int:
        """The minimum damage of a hit."""
        return max(1, self.count + self.plus)

    @property
    def maximum(self) -> int:
        """The maximum damage of a hit."""
        return max(1, self.count * self.sides + self.plus)

    @property
    def mean(self) -> float:
        """The approximate mean damage of a hit: too low if some sums below 1 are raised to 1."""
        return max(1.0, self.count * (self.sides + 1) / 2 + self.plus)

    def roll(self, dice: Dice) -> int:
        """Roll die by die and return the damage of a hit."""
        return max(1, sum(dice.roll(self.sides) for _ in range(self.count)) + self.plus)

    def chances(self) -> list[float]:
        """Return the probability of each damage from 0 to `maximum`."""
        total_ways = self.sides**self.count
        return [count / total_ways for count in self.weights()]

    def weights(self) -> tuple[int, ...]:
        """Return the number of ways to roll each damage from 0 to `maximum`."""
        ways = [1]  # the number of ways to roll each sum
        for _ in range(self.count):
            # Another die adds 1 to `sides`: the ways to roll a sum are those of the `sides` sums below it.
            below = list(accumulate(ways + [0] * (self.sides - 1), initial=0))
            ways = [0, *(below[at] - below[max(0, at - self.sides)] for at in range(1, len(below)))]
        dealt = [0] * (self.maximum + 1)
        for total, count in enumerate(ways):
            dealt[max(1, total + self.plus)] += count
        return tuple(dealt)


def parse_damage(text: str) -> Damage:
    """Parse damage such as `2d6+1`, `d8` or `1d4 - 1`; TextError marks what is wrong."""
    return Damage.model_validate(_parse(text))


def _parse(text: str) -> dict[str, int]:
    if len(text) > MAX_TEXT:
        raise RuleError(f"Damage such as 2d6+1 has at most {MAX_TEXT} characters, not {len(text):,}.")
    found = _SHAPE.fullmatch(text)
    if found is None:
        start = _VALID_START.match(text)
        at = start.end() if start else 0
        raise TextError(text, (Problem(Span(at, len(text.rstrip()) if text[at:].strip() else at), _HOW),))
    values = {
        "count": int(found["count"] or 1),
        "sides": int(found["sides"]),
        "plus": int(found["plus"] or 0) * (1 if found["sign"] in {None, "+"} else -1),
    }
    limits = {
        "count": (1, MAX_DICE, f"Use 1 to {MAX_DICE} dice."),
        "sides": (1, MAX_SIDES, f"A die has 1 to {MAX_SIDES} sides."),
        "plus": (-MAX_PLUS, MAX_PLUS, f"Add or subtract at most {MAX_PLUS}."),
    }
    problems = tuple(
        Problem(Span(*found.span(name)), message)
        for name, (least, most, message) in limits.items()
        if not least <= values[name] <= most
    )
    if problems:
        raise TextError(text, problems)
    return values
