"""The game's own trait table, and how its names are looked up.

The table is `traits.csv` beside this module: a row for each trait of each kind of token. Its slips are corrected; the
last column says what was wrong, `also` is the row's former name. A name is unique within one kind; other kinds of token
may have it with different figures.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import islice
from types import MappingProxyType

from sim.boss_fight.values import ELEMENT_NAMES, FIGURES, FLAGS, Trait
from sim.core.names import name_key, nearest

FLAG_SIGNS: Mapping[str, str] = MappingProxyType(dict(zip(("PP", "PR", "MP", "MR"), FLAGS, strict=True)))
"""The short signs of the four flags, in their order: physical penetration and resistance, then magical ones."""


class Kind(StrEnum):
    """The kind of a token, on which the meaning of a trait's name depends."""

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
    """A row of the table; `mended`: what was wrong with it, or ""."""

    kind: Kind
    group: str
    trait: Trait
    also: str
    mended: str


def kind_of(label: str) -> Kind | None:
    """Return the kind that a token's name gives: "hero", "Attack 2", "boss-drop"; None if it gives none."""
    key = name_key(label).replace("-", " ").replace("_", " ").rstrip("0123456789 #.")
    return KIND_NAMES.get(key)


def _row(cells: dict[str, str]) -> Row:
    signs = cells["flags"].split()
    trait = Trait(
        name=cells["trait"],
        **{name: int(cells[name]) for name in FIGURES},
        **{flag: sign in signs for sign, flag in FLAG_SIGNS.items()},
    )
    return Row(Kind(cells["kind"]), cells["group"], trait, cells["also"], cells["mended"])


_TEXT = (files("sim.boss_fight") / "traits.csv").read_text(encoding="utf-8")

TABLE: tuple[Row, ...] = tuple(map(_row, csv.DictReader(_TEXT.splitlines())))
"""The whole table in order."""


_NAMED = [(name_key(name), row) for row in TABLE for name in (row.trait.name, row.also) if name]
_ROWS = {key: tuple(row for other, row in _NAMED if other == key) for key, _ in _NAMED}


def rows_named(name: str, kind: Kind | None = None) -> tuple[Row, ...]:
    """Return the rows of that name, for one kind or for all."""
    found = _ROWS.get(name_key(name), ())
    return tuple(row for row in found if kind in {None, row.kind})


def find_trait(name: str, kind: Kind | None = None) -> Trait | None:
    """Return the trait of that name; None if there is none, or if its figures differ between kinds."""
    traits = [row.trait for row in rows_named(name, kind)]
    return traits[0] if traits and all(trait == traits[0] for trait in traits) else None


def kinds_with(name: str, kind: Kind | None = None) -> str:
    """Return the kinds of token that have a trait of that name, as text; "" if there are none."""
    return ", ".join(dict.fromkeys(row.kind.value for row in rows_named(name, kind)))


def nearest_trait(name: str, kind: Kind | None = None) -> str | None:
    """Return the name of the trait, of one kind or of all, that `name` most resembles; None if nothing is close."""
    return nearest(name_key(name), _names(kind))


def traits_with_words(words: Sequence[str], kind: Kind | None = None) -> list[str]:
    """Return the names of the traits, of one kind or of all, in which each of the words begins one; whole words first.

    `words`: each as `name_key` returns it, in any order.
    """
    found = [
        (sum(word in parts for word in words), name)
        for key, name in _names(kind).items()
        if (parts := key.split()) and all(any(part.startswith(word) for part in parts) for word in words)
    ]
    return list(dict.fromkeys(name for _, name in sorted(found, key=lambda pair: -pair[0])))


@cache
def _names(kind: Kind | None) -> Mapping[str, str]:
    return {key: rows[0].trait.name for key, rows in _ROWS.items() if any(kind in {None, row.kind} for row in rows)}


def nearest_kind(name: str) -> str | None:
    """Return the kind of token that `name` most resembles; None if nothing is close."""
    return nearest(name_key(name), KIND_NAMES)


MAX_SUGGESTIONS = 3
_SHORT = 2
"""Characters of words such as "of", which alone say nothing."""


def trait_suggestions(typed: str, kind: Kind | None = None) -> list[str]:
    """Return at most `MAX_SUGGESTIONS` texts of traits that `typed` may mean, best first: `attack: Sword @Fire`.

    The kind stands before a trait of another `kind` of token than this, and before one that differs between kinds.
    """
    words = name_key(typed).split()
    element = next((ELEMENT_NAMES[word] for word in words if word in ELEMENT_NAMES), None)
    ending = "" if element is None else f" @{element}"
    words = [word for word in words if word not in ELEMENT_NAMES]
    if not words:
        return [ending.strip()] if ending else []
    names = _named(words, typed, kind)
    labels = kind is None or not names
    texts = (text for name in names or _named(words, typed, None) for text in _texts(name, kind, labels=labels))
    return [f"{text}{ending}" for text in islice(texts, MAX_SUGGESTIONS)]


def _named(words: Sequence[str], typed: str, kind: Kind | None) -> Sequence[str]:
    """Return traits with all the words, else the one that is spelled most alike, else those with one of the words."""
    if every := traits_with_words(words, kind):
        return every
    if (near := nearest_trait(typed, kind)) is not None:
        return (near,)
    some = (traits_with_words([word], kind) for word in words if len(word) > _SHORT)
    return list(dict.fromkeys(name for names in some for name in names))


def _texts(name: str, kind: Kind | None, *, labels: bool) -> list[str]:
    if not labels or (kind is None and find_trait(name) is not None):
        return [name]
    return [f"{each}: {name}" for each in kinds_with(name).split(", ")]
