"""How a fight uses up its texts: each text of a message once, in a random order, before the first one comes again."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Self, TypeVar

from pydantic import Field

from sim.core.dice import Dice, Seed, SeededDice, seed_bytes
from sim.core.values import Frozen
from sim.duel.words import Message, Words

_VOICES = 1 << 32
_MESSAGES = tuple(Message)

T = TypeVar("T")

Used = Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=len(_MESSAGES), max_length=len(_MESSAGES))]


def draw_voice(dice: Dice) -> int:
    """Draw what seeds the choice of texts, with one die."""
    return dice.roll(_VOICES) - 1


class Telling(Frozen):
    """How far a fight has got in its texts: `voice` seeds their order, `used` counts the sentences of each message."""

    voice: Seed
    used: Used = (0,) * len(_MESSAGES)

    @classmethod
    def begin(cls, dice: Dice) -> Self:
        """Draw the order."""
        return cls(voice=draw_voice(dice))

    def deal(self, words: Words, counts: Mapping[Message, int]) -> tuple[Words, Self]:
        """Return the next texts of each message, in the order in which to use them, and the telling after them.

        `counts`: how many sentences are needed. Once all texts were used, they come again in the same order.
        """
        dealt, used = {}, list(self.used)
        for at, message in enumerate(_MESSAGES):
            texts = self.shuffled(words.variants(message), at)
            count = counts.get(message, 0)
            dealt[message.value] = tuple(
                texts[(used[at] + number) % len(texts)] for number in range(min(len(texts), max(1, count)))
            )
            used[at] += count
        return words.model_copy(update=dealt), self.model_copy(update={"used": tuple(used)})

    def shuffled(self, texts: Sequence[T], pack: int) -> list[T]:
        """Return the texts in this fight's order; `pack` numbers the lists, so that each has an order of its own."""
        dice = SeededDice(seed_bytes(self.voice), pack)
        left = list(texts)
        return [left.pop(dice.roll(len(left)) - 1) for _ in texts]
