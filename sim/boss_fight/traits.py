"""The game's own trait table, and how its names are looked up.

The table is `traits.csv` beside this module: a row for each trait of each kind of token. Its slips are mended; the last
column says what was wrong, `also` is a name that the row went by. A name may stand for several kinds of token, with
other figures; within one kind it stands once.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from sim.boss_fight.values import FIGURES, FLAGS, Trait
from sim.core.names import name_key
from sim.core.suggestions import nearest

FLAG_SIGNS: Mapping[str, str] = MappingProxyType(dict(zip(("PP", "PR", "MP", "MR"), FLAGS, strict=True)))
"""The short signs of the four flags, in their order: physical penetration and resistance, magical likewise."""


class Kind(StrEnum):
    """What a token is: it decides what a trait's name means."""

    ATTACK = "attack"
    DEFENSE = "defense"
    SPELL = "spell"
    BUFF = "buff"
    BOSS_DROP = "boss drop"
    HERO = "hero"


_OTHER_SPELLINGS = {"defence": Kind.DEFENSE, "bossdrop": Kind.BOSS_DROP, "drop": Kind.BOSS_DROP}
KIND_NAMES: Mapping[str, Kind] = MappingProxyType({kind.value: kind for kind in Kind} | _OTHER_SPELLINGS)
"""Every way to write a kind, by `name_key`."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table; `mended`: what was wrong with it, "" where nothing was."""

    kind: Kind
    group: str
    trait: Trait
    also: str
    mended: str


def kind_of(label: str) -> Kind | None:
    """Return the kind that a token's name tells: "hero", "Attack 2", "boss-drop"; None when it tells none."""
    key = name_key(label).replace("-", " ").replace("_", " ").rstrip("0123456789 #.")
    return KIND_NAMES.get(key)


def _read_table() -> tuple[Row, ...]:
    text = (files("sim.boss_fight") / "traits.csv").read_text(encoding="utf-8")
    return tuple(map(_row, csv.DictReader(text.splitlines())))


def _row(cells: dict[str, str]) -> Row:
    signs = cells["flags"].split()
    trait = Trait(
        name=cells["trait"],
        **{name: int(cells[name]) for name in FIGURES},
        **{flag: sign in signs for sign, flag in FLAG_SIGNS.items()},
    )
    return Row(Kind(cells["kind"]), cells["group"], trait, cells["also"], cells["mended"])


TABLE: tuple[Row, ...] = _read_table()
"""The whole table in its order."""


def _by_name() -> dict[str, tuple[Row, ...]]:
    found: dict[str, list[Row]] = {}
    for row in TABLE:
        for name in filter(None, (row.trait.name, row.also)):
            found.setdefault(name_key(name), []).append(row)
    return {key: tuple(rows) for key, rows in found.items()}


_ROWS = _by_name()


def rows_named(name: str, kind: Kind | None = None) -> tuple[Row, ...]:
    """Return the rows of that name, of one kind or of all: nothing when there are none."""
    found = _ROWS.get(name_key(name), ())
    return tuple(row for row in found if kind in {None, row.kind})


def one_meaning(rows: Sequence[Row]) -> Trait | None:
    """Return the trait when all `rows` have the same figures; None when they differ or there is none."""
    return rows[0].trait if rows and all(row.trait == rows[0].trait for row in rows) else None


def nearest_trait(name: str, kind: Kind | None = None) -> str | None:
    """Return the trait's name, of one kind or of all, that `name` most resembles; None when nothing is near."""
    return nearest(name_key(name), _names(kind))


@cache
def _names(kind: Kind | None) -> Mapping[str, str]:
    return {key: rows[0].trait.name for key, rows in _ROWS.items() if any(kind in {None, row.kind} for row in rows)}


def nearest_kind(name: str) -> str | None:
    """Return the kind of token whose name `name` most resembles; None when nothing is near."""
    return nearest(name_key(name), KIND_NAMES)
