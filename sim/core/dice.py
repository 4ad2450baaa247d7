"""The only source of chance: dice from a seed or a script."""

import hashlib
import struct
from collections.abc import Iterable, Iterator
from itertools import chain, count, islice
from typing import Annotated, Protocol, TypeVar

from pydantic import Field

T = TypeVar("T")

MAX_SEED = (1 << 64) - 1
"""The largest seed given as a number."""

Seed = Annotated[int, Field(ge=0, le=MAX_SEED, strict=True)]
"""A seed given as a number."""


def seed_bytes(seed: int) -> bytes:
    """Return the key of the dice for a seed given as a number."""
    return seed.to_bytes(8, "big")


class Dice(Protocol):
    """Anything that rolls dice."""

    def roll(self, sides: int) -> int:
        """Return a whole number from 1 to `sides`, each equally likely."""


def shuffled(items: Iterable[T], dice: Dice) -> list[T]:
    """Return the items in an order that the dice draw, each equally likely."""
    left = list(items)
    return [left.pop(dice.roll(len(left)) - 1) for _ in range(len(left))]


class SeededDice:
    """Dice keyed by a battle's seed and a step's number.

    The n-th step's rolls depend on (seed, step) alone: a crash or an undo can't re-roll them. The stream is SHA-256 in
    counter mode, cut into 64-bit words, with rejection so that no face is favoured; anyone can recompute it anywhere.

    `seed` is any bytes; `step` is 0 or more. `drawn`: words of the stream that were drawn before, to go on from there.
    """

    def __init__(self, seed: bytes, step: int = 0, drawn: int = 0) -> None:
        if step < 0:
            raise ValueError("a step's number is 0 or more")
        self._words = _words(seed, step, drawn)
        self.drawn = drawn

    def roll(self, sides: int) -> int:
        """Return a whole number from 1 to `sides` (1 to 2**32)."""
        if not 1 <= sides <= 1 << 32:
            raise ValueError(f"a die has 1 to 2**32 sides, not {sides}")
        fair = (1 << 64) // sides * sides
        for word in self._words:
            self.drawn += 1
            if word < fair:
                return word % sides + 1
        raise AssertionError("the stream of words never ends")


def _words(seed: bytes, step: int, drawn: int) -> Iterator[int]:
    key = hashlib.sha256(len(seed).to_bytes(8, "big") + seed + step.to_bytes(8, "big")).digest()
    blocks = (hashlib.sha256(key + counter.to_bytes(8, "big")).digest() for counter in count(drawn // 4))
    return islice(chain.from_iterable(map(struct.Struct(">4Q").unpack, blocks)), drawn % 4, None)


class ScriptedDice:
    """Dice that show prepared numbers in order.

    IndexError when the script is over, ValueError for a number that the die doesn't have.
    """

    def __init__(self, rolls: Iterable[int]) -> None:
        self._rolls = list(rolls)
        self._next = 0

    def roll(self, sides: int) -> int:
        """Return the next number of the script."""
        if self._next == len(self._rolls):
            raise IndexError(f"the script ends after {self._next} rolls")
        face = self._rolls[self._next]
        if not 1 <= face <= sides:
            raise ValueError(f"roll {self._next + 1} of the script is {face}, but the die has {sides} sides")
        self._next += 1
        return face

    @property
    def left(self) -> int:
        """How many prepared rolls have not been used."""
        return len(self._rolls) - self._next
