"""The five messages of a fight, each in one or several variants, each replaceable (rules: Words)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from sim.core.frozen import Frozen
from sim.duel.critter import Figure
from sim.duel.names import Gender
from sim.duel.words.template import Shape, checked_template, compile_template

MAX_VARIANTS = 20


class Message(StrEnum):
    """What a fight says of what happens."""

    INITIATIVE = "initiative"
    ATTACK = "attack"
    HIT = "hit"
    MISS = "miss"
    DEATH = "death"


SHAPES: Mapping[Message, Shape] = {
    Message.INITIATIVE: Shape(actors=1, number=True),
    Message.ATTACK: Shape(),
    Message.HIT: Shape(number=True),
    Message.MISS: Shape(),
    Message.DEATH: Shape(),
}
"""What each message may speak of: actor 0 acts, actor 1 is struck; the number is initiative or damage."""


def _several(value: object) -> object:
    return (value,) if isinstance(value, str) else value


Variants = Annotated[tuple[str, ...], BeforeValidator(_several), Field(min_length=1, max_length=MAX_VARIANTS)]
"""One text, or several of which chance takes one each time."""


class Words(Frozen):
    """The messages of a fight, the rules' own where nothing else is given; TextError for a bad one."""

    initiative: Variants = ("$Name$0 rolls %d for initiative.",)
    attack: Variants = ("$Name$0 attacks $name$1!",)
    hit: Variants = ("$Name$0 hits $name$1 for %d points!",)
    miss: Variants = ("$Name$0 misses!",)
    death: Variants = ("$Name$1 is dead!",)

    @model_validator(mode="after")
    def _usable(self) -> Self:
        for message in Message:
            for text in self.variants(message):
                checked_template(text, SHAPES[message])
        return self

    def variants(self, message: Message) -> tuple[str, ...]:
        """Return the texts of a message."""
        found: tuple[str, ...] = getattr(self, message.value)
        return found

    @property
    def varied(self) -> bool:
        """Whether any message has more than one text."""
        return any(len(self.variants(message)) > 1 for message in Message)

    def replaced(self, message: Message, text: str) -> "Words":
        """Return these words with one message replaced; TextError for a bad one."""
        return Words.model_validate(self.model_dump() | {message.value: (text,)})


DEFAULT_WORDS = Words()
"""What a plain fight says."""

_SAMPLE = (
    Figure(name="Brenna", gender=Gender.SHE),
    Figure(name="goblin", gender=Gender.IT, proper=False),
)
_SAMPLE_NUMBER = 4


def preview(message: Message, text: str) -> str:
    """Return a message as it would be said of Brenna and a goblin, with the number 4; TextError for a bad one."""
    shape = SHAPES[message]
    return compile_template(checked_template(text, shape), shape).render(_SAMPLE, _SAMPLE_NUMBER)
