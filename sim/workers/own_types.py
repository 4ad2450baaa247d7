"""Pickles from other machines: they may name our own types and a few plain ones, nothing else."""

import builtins
import io
import pickle
from collections.abc import Sequence
from typing import Any

from typing_extensions import override

Packages = Sequence[str]
"""The packages whose types may travel."""

_PLAIN = {
    "builtins": {"bytearray", "complex", "frozenset", "set"},
    "collections": {"Counter", "OrderedDict", "defaultdict", "deque"},
    "datetime": {"date", "datetime", "timedelta"},
    "fractions": {"Fraction"},
    "pathlib": {"PosixPath"},
}


class ForeignTypeError(pickle.UnpicklingError):
    """A pickle that names something that isn't ours."""


class _OwnTypes(pickle.Unpickler):
    """Finds classes of some packages where they are defined, built-in exceptions, and plain containers.

    A function is never found, so a pickle can call nothing but the making of such a value.
    """

    def __init__(self, data: bytes, packages: Packages) -> None:
        super().__init__(io.BytesIO(data))
        self._packages = packages

    @override
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if global_name in _PLAIN.get(module_name, ()):
            return super().find_class(module_name, global_name)
        if module_name == builtins.__name__:
            found = getattr(builtins, global_name, None)
            if isinstance(found, type) and issubclass(found, Exception):
                return found
        elif any(f"{module_name}.".startswith(f"{package}.") for package in self._packages):
            found = super().find_class(module_name, global_name)
            # What a module has imported is not its own.
            if isinstance(found, type) and (found.__module__, found.__qualname__) == (module_name, global_name):
                return found
        raise ForeignTypeError(f"{module_name}.{global_name} is no type of ours")


def loads(data: bytes, packages: Packages | None) -> Any:  # noqa: ANN401 - whatever was pickled
    """Return the pickled value; ForeignTypeError if it names what isn't ours. None: written by our own process."""
    if packages is None:
        return pickle.loads(data)  # noqa: S301 - as said
    return _OwnTypes(data, packages).load()


def dumps(error: object) -> bytes:
    """Pickle an error as Python does by itself; a library in this process may have taught `pickle` another way."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer)
    pickler.dispatch_table = {}
    pickler.dump(error)
    return buffer.getvalue()
