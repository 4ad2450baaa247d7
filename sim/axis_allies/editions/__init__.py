"""Axis & Allies by edition: a file of units, rules and technologies for each, and what reads them.

An edition is a TOML file in this folder; adding one is adding a file. Source: .docs/rules/axis_allies.md, "Editions".
"""

import tomllib
from importlib.resources import files
from typing import Annotated

from pydantic import AfterValidator

from sim.axis_allies.editions.values import Edition, Guns, Lift, Row, Rules, Strikes, Technology
from sim.core.errors import RuleError

DEFAULT = "1941"
"""The edition until somebody sets another."""


def _read() -> dict[str, Edition]:
    editions = {}
    for file in files("sim.axis_allies.editions").iterdir():
        if file.name.endswith(".toml"):
            name = file.name.removesuffix(".toml")
            editions[name] = Edition.model_validate({"name": name, **tomllib.loads(file.read_text(encoding="utf-8"))})
    return dict(sorted(editions.items(), key=lambda item: (item[1].year, item[0])))


EDITIONS: dict[str, Edition] = _read()
"""All editions by name, the oldest first."""


def _names() -> dict[str, Edition]:
    names: dict[str, Edition] = {}
    for edition in EDITIONS.values():
        for name in (edition.name, *edition.also):
            if names.setdefault(name, edition) is not edition:
                raise ValueError(f"two editions claim the name {name!r}")
    return names


NAMES: dict[str, Edition] = _names()
"""Every name of an edition, in lower case."""


def edition_named(name: str) -> Edition:
    """Return the edition that players call `name`; RuleError if none has this name."""
    edition = NAMES.get(" ".join(name.casefold().split()))
    if edition is None:
        raise RuleError(f"There is no edition {name[:40]!r}. Choose {', '.join(EDITIONS)}.")
    return edition


def _known(name: str) -> str:
    if name not in EDITIONS:
        raise ValueError(f"no edition is called {name!r}")
    return name


EditionName = Annotated[str, AfterValidator(_known)]
"""The name of an edition."""


__all__ = [
    "DEFAULT",
    "EDITIONS",
    "Edition",
    "EditionName",
    "Guns",
    "Lift",
    "Row",
    "Rules",
    "Strikes",
    "Technology",
    "edition_named",
]
