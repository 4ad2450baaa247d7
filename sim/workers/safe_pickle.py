"""Pickles from other machines: they may name our own types and a few plain ones, nothing else."""

import builtins
import io
import pickle
import re
from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from importlib import import_module
from operator import attrgetter
from typing import Any

from typing_extensions import override

Packages = Sequence[str]
"""The packages whose types may travel."""

_PLAIN = {
    "builtins": {"complex", "frozenset", "set"},
    "collections": {"Counter", "OrderedDict", "defaultdict", "deque"},
    "datetime": {"date", "datetime", "timedelta"},
    "decimal": {"Decimal"},
    "pathlib": {"PosixPath"},
}


_RATIO = re.compile(r"-?[0-9]+(/[0-9]+)?")


class ForeignTypeError(pickle.UnpicklingError):
    """A pickle that names something that isn't ours."""


class _SafeUnpickler(pickle.Unpickler):
    """Finds classes of values of some packages where they are defined, built-in exceptions, and plain containers.

    A function is never found, nor a class that does things, so a pickle can call nothing but the making of a value; and
    none that is larger than its pickle.
    """

    def __init__(self, data: bytes, packages: Packages) -> None:
        super().__init__(io.BytesIO(data))
        self._packages = packages

    @override
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if global_name in _PLAIN.get(module_name, ()):
            return getattr(import_module(module_name), global_name)
        if (module_name, global_name) == (Fraction.__module__, Fraction.__name__):
            return _fraction
        if module_name == builtins.__name__:
            found = getattr(builtins, global_name, None)
            if isinstance(found, type) and issubclass(found, Exception):
                return found
        elif any(f"{module_name}.".startswith(f"{package}.") for package in self._packages):
            found = attrgetter(global_name)(import_module(module_name))
            # What a module has imported is not its own.
            if _is_value(found) and (found.__module__, found.__qualname__) == (module_name, global_name):
                return found
        raise ForeignTypeError(f"{module_name}.{global_name} is no type of ours")


def _is_value(found: object) -> bool:
    """Return whether this is a class of what requests and reports are made of: frozen, or an error."""
    if not isinstance(found, type):
        return False
    if issubclass(found, Exception | Enum | tuple):
        return True
    parameters = getattr(found, "__dataclass_params__", None)
    frozen = parameters.frozen if parameters else getattr(found, "model_config", {}).get("frozen")
    return bool(frozen)


def _fraction(numerator: Any, denominator: int | None = None) -> Fraction:  # noqa: ANN401 - as the pickle has it
    """Make a fraction of what one is pickled as; "1e999999999" would be one, too."""
    if isinstance(numerator, str) and not _RATIO.fullmatch(numerator):
        raise ForeignTypeError("this is no fraction")
    return Fraction(numerator, denominator)


def loads(data: bytes, packages: Packages | None) -> Any:  # noqa: ANN401 - whatever was pickled
    """Return the pickled value; ForeignTypeError if it names what isn't ours. None: written by our own process."""
    if packages is None:
        return pickle.loads(data)  # noqa: S301 - as said
    return _SafeUnpickler(data, packages).load()


def dumps(value: object) -> bytes:
    """Pickle a value as Python does by itself; a library in this process may have taught `pickle` another way."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer)
    pickler.dispatch_table = {}
    pickler.dump(value)
    return buffer.getvalue()
