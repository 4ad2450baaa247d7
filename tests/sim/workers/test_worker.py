"""Which pickles are read that come from other machines."""

import os
import pickle
from collections import Counter, deque
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path

import pytest

from sim.core import Problem, RuleError, Span, TextError
from sim.core.staged_job import Continue
from sim.core.values import Side, canonical
from sim.duel.battle.rules import Fight
from sim.workers.pool import PoolSimulator
from sim.workers.worker import ForeignTypeError, dumps, loads
from tests.sim.workers import jobs

PACKAGES = ("sim", "tests.sim.workers")


class Call:
    """Pickled, it is a call of a function."""

    def __init__(self, function: object, *arguments: object) -> None:
        self._call = function, arguments

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return self._call


@dataclass(frozen=True, slots=True)
class Slotted:
    number: int


class Kind(Enum):
    ONE = 1


@pytest.mark.parametrize(
    "value",
    [
        {"a": (1, 2.5, None, b"x", "é"), "b": [True, frozenset({1}), {2}]},
        (Counter("aab"), deque([1]), Fraction(1, 3), Decimal("0.5"), timedelta(seconds=1), complex(1, 2), Path("a")),
        jobs.Double(number=4),
        Continue(jobs.Costly(1.0)),
        Side.ATTACKER,
        Slotted(3),
        Kind.ONE,
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_of_ours_travel(value: object) -> None:
    assert loads(pickle.dumps(value), PACKAGES) == value


@pytest.mark.parametrize("error", [RuleError("No."), TextError("x", (Problem(Span(0, 1), "No."),)), ValueError(3)])
def test_errors_travel(error: Exception) -> None:
    read = loads(dumps(error), PACKAGES)
    assert (type(read), str(read)) == (type(error), str(error))


@pytest.mark.parametrize(
    "value",
    [
        Call(os.system, "true"),
        Call(eval, "1"),
        Call(getattr, "a", "join"),
        Call(canonical, {}),
        Call(jobs.write_pid, Path("pid")),
        Call(pickle.Unpickler, deque()),
        Call(SystemExit),
        Call(bytearray, 1 << 50),
        Call(PoolSimulator),
        Call(Fight, ()),
        os.system,
        type,
    ],
    ids=lambda value: getattr(value, "_call", [value])[0].__name__,
)
def test_nothing_else_does_not_even_a_function_or_a_doer_of_ours(value: object) -> None:
    with pytest.raises(ForeignTypeError, match="is no type of ours"):
        loads(pickle.dumps(value), PACKAGES)


@pytest.mark.parametrize("text", ["1e999999999", "1/3e9", "0x1", "9" * 10_000])
def test_no_value_is_larger_than_its_pickle(text: str) -> None:
    with pytest.raises(ValueError if text.isdigit() else ForeignTypeError):
        loads(pickle.dumps(Call(Fraction, text)), PACKAGES)


@pytest.mark.parametrize("name", ["jobs os.system", "jobs os", "jobs BaseModel", "jobs.os system", "jobs Far.run"])
def test_what_a_module_of_ours_has_imported_is_not_ours(name: str) -> None:
    module, what = name.split()
    data = b"\x80\x04\x8c" + bytes([len(text := f"tests.sim.workers.{module}".encode())]) + text
    data += b"\x8c" + bytes([len(what)]) + what.encode() + b"\x93."
    with pytest.raises((ForeignTypeError, ImportError)):
        loads(data, PACKAGES)


def test_a_package_with_a_longer_name_is_another() -> None:
    with pytest.raises(ForeignTypeError):
        loads(pickle.dumps(jobs.Double(number=1)), ("tests.sim.work",))
