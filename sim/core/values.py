"""Values that games share: immutable models, requests, sides, endings; and the one JSON text that a value has."""

import hashlib
import json
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, NoReturn, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

Probability = Annotated[float, Field(ge=0, le=1)]
"""A probability in a report; `numbers.probability` clips the rounding of a computed one."""


Number = Annotated[int, Field(ge=0)]
"""A count or a position from 0."""


def is_unset(value: object) -> bool:
    """Return whether to leave out a field that earlier versions didn't have: what they stored keeps its hashes."""
    return not value


def is_one(value: int) -> bool:
    """Return the same where earlier versions had one."""
    return value == 1


def is_none(value: object) -> bool:
    """Return the same where 0 says something."""
    return value is None


@cache
def _fields_of(model: type[BaseModel]) -> set[str]:
    return set(model.model_fields)


# Setters of what a model consists of, past its own `__setattr__`.
_put_values, _put_fields_set, _put_extra, _put_private = (
    vars(BaseModel)[slot].__set__
    for slot in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)


class Frozen(BaseModel):
    """An immutable model that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def trusted(cls, values: dict[str, Any]) -> Self:
        """Return a model with these valid values of all its fields, unchecked, as checking takes longer than a battle.

        Pydantic's `model_construct` fills in defaults, which takes most of its time.
        """
        made = object.__new__(cls)
        _put_values(made, values)
        _put_fields_set(made, _fields_of(cls))  # copies get one of their own
        _put_extra(made, None)
        _put_private(made, None)
        return made


class Summed(Frozen):
    """Base of counts that add up field by field, tuples place by place."""

    def __add__(self, other: Self) -> Self:
        fields = type(self).model_fields
        return type(self)(**{name: _sum(getattr(self, name), getattr(other, name)) for name in fields})


def _sum(first: Any, second: Any) -> Any:  # noqa: ANN401  # numbers, tuples or `Summed`
    if isinstance(first, tuple):
        return tuple(_sum(one, other) for one, other in zip(first, second, strict=True))
    return first + second


class Request(Frozen):
    """A calculation as a value: `run`, which a subclass adds, does it and returns its report.

    A subclass sets `max_seconds`, and `character_seconds` for each character or byte of its fields; or it overrides
    `cost` if its cost depends on more.
    """

    max_seconds: ClassVar[float]
    character_seconds: ClassVar[float] = 0.0

    def cost(self) -> float:
        """Return a rough upper bound on the seconds that `run` takes; RuleError if the request is out of bounds."""
        if not self.character_seconds:
            return self.max_seconds
        values = (one for _, value in self for one in (value if isinstance(value, tuple) else (value,)))
        size = sum(len(one) for one in values if isinstance(one, str | bytes))
        return self.max_seconds + self.character_seconds * size


class Side(StrEnum):
    """The two sides of a battle; the attacker moves first wherever the order matters."""

    ATTACKER = "attacker"
    DEFENDER = "defender"

    @property
    def other(self) -> "Side":
        """The opposing side."""
        return Side.DEFENDER if self is Side.ATTACKER else Side.ATTACKER


class Ending(StrEnum):
    """Why a battle ended."""

    ANNIHILATION = "one side is gone"
    MUTUAL = "both sides are gone"
    STALEMATE = "neither side can hurt the other"
    RETREAT = "the attacker retreated"
    ROUND_LIMIT = "the round limit was reached"
    QUIET = "nothing happened for too long"

    @property
    def words(self) -> str:
        """What players read; the values are in stored battles."""
        return "neither side can hit the other" if self is Ending.STALEMATE else self.value


class Paused(Frozen):
    """The event of a run of many rounds that paused; the battle may go on."""

    event: Literal["paused"] = "paused"
    rounds: Number


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def canonical(value: JsonValue) -> str:
    """Return the one text of a JSON value: keys in order, no blanks, ASCII only.

    A float is the shortest text that reads back as the same number, and never a whole number's: 1.0 is not 1.
    ValueError for NaN and infinities.
    """
    return _ENCODER.encode(value)


def digest(value: JsonValue) -> str:
    """Return the SHA-256 of the canonical text, in hexadecimal."""
    return text_digest(canonical(value))


def text_digest(text: str) -> str:
    """Return the SHA-256 of a canonical text, in hexadecimal: quick even for a large value."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def read_strict(text: str) -> Any:  # noqa: ANN401  # as json.loads
    """Return the value of a JSON text; ValueError also for NaN, infinities and a name twice in an object."""
    return json.loads(text, object_pairs_hook=_no_twins, parse_constant=_no_number)


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


_NEEDED = {
    "tuple_type": "Input should be a list",
    **dict.fromkeys(("model_type", "dataclass_type"), "Input should be an object in braces"),
    "unexpected_keyword_argument": "Extra inputs are not permitted",
}
"""What pydantic tells by the names of types."""


def first_flaw(error: ValidationError, *within: str) -> str:
    """Return a sentence with the place of the first mistake and what is wrong there; `within`: where the value stands.

    A place leaves out what names a type, such as `str-enum[Ending]`.
    """
    first = error.errors(include_url=False)[0]
    place = ".".join(str(at) for at in (*within, *first["loc"]) if not str(at).endswith("]"))
    return f"{place or 'The value'}: {_NEEDED.get(first['type'], first['msg'])}."
