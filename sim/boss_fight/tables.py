"""Bosses and decks as CSV files, and what everybody has: the traits, bosses, decks.

A file of bosses has a row for each, in the columns `BOSS_COLUMNS`; blank figures are 0, blank flags "no", a blank level
is 1. A deck has a row for each trait, in the columns `DECK_COLUMNS`. Rows with the same `token` are one token; a blank
one continues the row above. Blank figures and flags are those of the game's table for the trait and the token's kind; a
trait that the table doesn't have needs its figures, and its blank flags are "no". The element is in any row of its
token.

What everybody has stands beside this module. `traits.csv` has a row for each trait of each kind of token. Its slips
are corrected; the last column says what was wrong, `also` is the row's former name. A name is unique within one kind;
other kinds of token may have it with different figures. `bosses.csv` has the game's own two bosses and a ladder for
parties to climb, `decks.csv` ready decks. The ladder's bosses are made for three people with ready hands; each falls to
fewer of those who only press the button (`boss-odds`).
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from operator import attrgetter
from types import MappingProxyType

from sim.boss_fight import values as v
from sim.core.names import name_key, nearest
from sim.csv import Fault, Table, TableError, read_table, read_whole, shipped_table, write_table
from sim.csv.columns import Columns, Reader, Record, Sheet, name_of, one_of, read_form, within

FLAG_SIGNS: Mapping[str, str] = MappingProxyType(dict(zip(("PP", "PR", "MP", "MR"), v.FLAGS, strict=True)))
"""The short signs of the four flags, in their order: physical penetration and resistance, then magical ones."""


class Kind(StrEnum):
    """The kind of a token, on which the meaning of a trait's name depends."""

    ATTACK = "attack"
    DEFENSE = "defense"
    SPELL = "spell"
    BUFF = "buff"
    BOSS_DROP = "boss drop"
    HERO = "hero"


KIND_NAMES: Mapping[str, Kind] = MappingProxyType(
    {kind.value: kind for kind in Kind} | {"defence": Kind.DEFENSE, "bossdrop": Kind.BOSS_DROP, "drop": Kind.BOSS_DROP}
)
"""Every way to write a kind, by `name_key`."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table; `mended`: what was wrong with it, or ""."""

    kind: Kind
    group: str
    trait: v.Trait
    also: str
    mended: str


def kind_of(label: str) -> Kind | None:
    """Return the kind that a token's name gives: "hero", "Attack 2", "boss-drop"; None if it gives none."""
    key = name_key(label).replace("-", " ").replace("_", " ").rstrip("0123456789 #.")
    return KIND_NAMES.get(key)


def _row(cells: dict[str, str]) -> Row:
    signs = cells["flags"].split()
    trait = v.Trait(
        name=cells["trait"],
        **{name: int(cells[name]) for name in v.FIGURES},
        **{flag: sign in signs for sign, flag in FLAG_SIGNS.items()},
    )
    return Row(Kind(cells["kind"]), cells["group"], trait, cells["also"], cells["mended"])


_TEXT = shipped_table("sim.boss_fight", "traits.csv").decode("utf-8-sig")

TABLE: tuple[Row, ...] = tuple(map(_row, csv.DictReader(_TEXT.splitlines())))
"""The game's own traits, in order."""

_NAMED = [(name_key(name), row) for row in TABLE for name in (row.trait.name, row.also) if name]
_EVERY = {key: [row for other, row in _NAMED if other == key] for key, _ in _NAMED}
_ROWS: Mapping[Kind | None, Mapping[str, Sequence[Row]]] = {
    kind: {key: own for key, rows in _EVERY.items() if (own := [row for row in rows if kind in {None, row.kind}])}
    for kind in (None, *Kind)
}
"""The rows of each name, for one kind of token or for all."""


def rows_named(name: str, kind: Kind | None = None) -> Sequence[Row]:
    """Return the rows of that name, for one kind or for all."""
    return _ROWS[kind].get(name_key(name), ())


def find_trait(name: str, kind: Kind | None = None) -> v.Trait | None:
    """Return the trait of that name; None if there is none, or if its figures differ between kinds."""
    rows = rows_named(name, kind)
    return rows[0].trait if rows and all(row.trait == rows[0].trait for row in rows[1:]) else None


def kinds_with(name: str, kind: Kind | None = None) -> str:
    """Return the kinds of token that have a trait of that name, as text; "" if there are none."""
    return ", ".join(dict.fromkeys(row.kind.value for row in rows_named(name, kind)))


def nearest_trait(name: str, kind: Kind | None = None) -> str | None:
    """Return the name of the trait, of one kind or of all, that `name` most resembles; None if nothing is close."""
    rows = nearest(name_key(name), _ROWS[kind])
    return None if rows is None else rows[0].trait.name


def _with_words(words: Sequence[str], kind: Kind | None) -> list[str]:
    """Return the names of the traits, of one kind or of all, in which each of the words begins one; whole words first.

    `words`: each as `name_key` returns it, in any order.
    """
    found = [
        (sum(word in key.split() for word in words), rows[0].trait.name)
        for key, rows in _ROWS[kind].items()
        if all(f" {word}" in f" {key}" for word in words)
    ]
    return list(dict.fromkeys(name for _, name in sorted(found, key=lambda pair: -pair[0])))


MAX_SUGGESTIONS = 3
_MOST = 100
"""Characters in which a suggestion is looked for: each of hundreds of words would be compared with every trait."""
_SHORT = 2
"""Characters of words such as "of", which alone say nothing."""


def trait_suggestions(typed: str, kind: Kind | None = None) -> list[str]:
    """Return at most `MAX_SUGGESTIONS` texts of traits that `typed` may mean, best first: `attack: Sword @Fire`.

    The kind stands before a trait of another `kind` of token than this, and before one that differs between kinds.
    """
    typed = typed[:_MOST]
    words = name_key(typed).split()
    element = next((v.ELEMENT_NAMES[word] for word in words if word in v.ELEMENT_NAMES), None)
    ending = "" if element is None else f" @{element}"
    words = [word for word in words if word not in v.ELEMENT_NAMES]
    if not words:
        return [ending.strip()] if ending else []
    texts = [] if kind is None else list(_named(words, typed, kind))
    for name in [] if texts else _named(words, typed, None):
        if kind is None and find_trait(name) is not None:
            texts.append(name)
        else:
            texts += [f"{each}: {name}" for each in kinds_with(name).split(", ")]
    return [f"{text}{ending}" for text in texts[:MAX_SUGGESTIONS]]


def _named(words: Sequence[str], typed: str, kind: Kind | None) -> Sequence[str]:
    """Return traits with all the words, else the one that is spelled most alike, else those with one of the words."""
    if every := _with_words(words, kind):
        return every
    if (near := nearest_trait(typed, kind)) is not None:
        return (near,)
    some = (_with_words([word], kind) for word in words if len(word) > _SHORT)
    return list(dict.fromkeys(name for names in some for name in names))


STATS = (*v.FIGURES, *v.FLAGS)
BOSS_COLUMNS = ("name", "level", "element", *STATS, *v.MOMENTS)
"""The columns of bosses; name and health are needed."""

DECK_COLUMNS = ("token", "trait", "element", *STATS)
"""The columns of a deck; the first two are needed."""

MAX_BOSSES = 50
"""Bosses in one file."""

MAX_ROWS = 5_000
"""Rows of a deck below the header: the traits of all tokens."""

_RANGE = "{text} is not from 0 to {high:,}"
_FLAG = one_of(
    {**dict.fromkeys(("y", "yes", "1", "true", "x"), True), **dict.fromkeys(("n", "no", "0", "false", "-"), False)},
    "is neither Y nor N",
)
_read_element: Reader[v.Element | None] = one_of(
    {**v.ELEMENT_NAMES, "none": None, "-": None}, f"is not one of {', '.join(v.Element)}"
)
_STATS: Mapping[str, Reader[object]] = {
    **dict.fromkeys(v.FIGURES, within(read_whole, 0, v.MAX_FIGURE, _RANGE)),
    **dict.fromkeys(v.FLAGS, _FLAG),
}


_columns = partial(
    Columns,
    missing="There is no column {}.",
    unknown="There is no column of this name.",
    twice="The column {} is there twice.",
    key=lambda header: name_key(header.replace("_", " ").replace("-", " ")),
)
_OTHERS = {"hp": "health", "physical": "physical_damage", "magical": "magical_damage"}
_BOSSES = _columns(
    {
        "name": name_of(v.MAX_NAME),
        "level": within(read_whole, 0, v.MAX_LEVEL, _RANGE),
        "element": _read_element,
        **_STATS,
        **dict.fromkeys(v.MOMENTS, v.read_words),
    },
    needed=("name", "health"),
    others=_OTHERS,
)
_DECK = _columns(
    {"token": str, "trait": str, "element": _read_element, **_STATS},
    needed=("token", "trait"),
    others={**_OTHERS, "deck token": "token"},
)


def _read_sheet(columns: Columns, table: Table) -> Sheet:
    """Return a table under its columns; TableError with what is wrong with its header and its width."""
    sheet = columns.of(table)
    sheet.faults.extend(table.overlong())
    sheet.check()
    return sheet


def _stat_cells(stats: v.Stats) -> list[str | int]:
    flags = ["Y" if getattr(stats, name) else "N" for name in v.FLAGS]
    return [*(getattr(stats, name) for name in v.FIGURES), *flags]


def read_bosses(data: bytes) -> tuple[v.Boss, ...]:
    """Read bosses from a CSV file; TableError with every row that is wrong."""
    sheet = _read_sheet(_BOSSES, read_table(data))
    rows = sheet.table.rows
    if not 0 < len(rows) <= MAX_BOSSES:
        raise TableError((Fault(None, None, f"The file has {len(rows):,} bosses; it may have 1 to {MAX_BOSSES}."),))
    bosses: dict[str, v.Boss] = {}
    for row in sheet.records():
        boss = _read_boss(row)
        if boss is None:
            continue
        if name_key(boss.name) in bosses:
            row.add_fault("name", f"A row above has a boss called {boss.name} already.")
        bosses[name_key(boss.name)] = boss
    sheet.check()
    return tuple(bosses.values())


def _read_boss(row: Record) -> v.Boss | None:
    values = row.values()
    if not row.text("name"):
        row.add_fault("name", "The name is missing.")
    if not values.get("health") and row.right:
        row.add_fault("health", "A boss needs a health of 1 or more.")
    return v.Boss.model_validate(values) if row.right else None


def read_boss(cells: Mapping[str, str], mistakes: Iterable[str]) -> v.Boss:
    """Return the boss of a form's texts by column; TableError with what is wrong, `mistakes` in the form first."""
    texts = {name.replace("_", " ").capitalize(): cells.get(name, "") for name in BOSS_COLUMNS}
    return read_form(_BOSSES, texts, _read_boss, mistakes)


def write_bosses(bosses: tuple[v.Boss, ...]) -> bytes:
    """Return a CSV file that `read_bosses` reads back as the same bosses."""
    rows = []
    for boss in bosses:
        words = [getattr(boss, moment) or "" for moment in v.MOMENTS]
        rows.append([boss.name, boss.level, boss.element or "", *_stat_cells(boss), *words])
    return write_table(BOSS_COLUMNS, rows)


def read_deck(data: bytes) -> v.Deck:
    """Read a deck from a CSV file; TableError with every row that is wrong."""
    sheet = _read_sheet(_DECK, read_table(data, MAX_ROWS))
    names: dict[str, str] = {}
    elements: dict[str, v.Element | None] = {}
    traits: dict[str, list[v.Trait]] = {}
    key = ""
    for row in sheet.records():
        if label := row.text("token"):
            key = name_key(label)
            row.read("token", v.read_label)
            names.setdefault(key, " ".join(label.split()))
            traits.setdefault(key, [])
        if key not in names:
            row.add_fault("token", "The first row must name its token.")
            continue
        row.right = True  # whatever its token's name is
        element = row.read("element", _read_element)
        if row.text("element") and row.right:
            if elements.get(key, element) is not element:
                row.add_fault("element", f"The token {names[key]} has another element in a row above.")
            elements[key] = element
        if len(traits[key]) == v.MAX_TRAITS:
            row.add_fault(None, f"The token {names[key]} has more than {v.MAX_TRAITS} traits.")
        if (trait := _read_trait(row, kind_of(names[key]))) is not None:
            traits[key].append(trait)
    if not sheet.table.rows:
        sheet.faults.add(Fault(None, None, "The deck has no tokens: add rows below the header."))
    sheet.check()
    if len(names) > v.MAX_TOKENS:
        raise TableError((Fault(None, None, f"A deck has at most {v.MAX_TOKENS} tokens; here are {len(names):,}."),))
    return v.Deck(
        tokens=tuple(v.Token(name=name, element=elements.get(key), traits=traits[key]) for key, name in names.items())
    )


def _read_trait(row: Record, kind: Kind | None) -> v.Trait | None:
    row.right = True  # whatever its element is
    name = row.text("trait")
    if name:
        row.read("trait", v.read_label)
    else:
        row.add_fault("trait", "The trait's name is missing.")
    given = row.values(STATS)
    blank = [field for field in STATS if field not in given]
    known = find_trait(name, kind) if blank and name else None
    if known is None and name and any(field in v.FIGURES for field in blank):
        if kinds := kinds_with(name, kind):
            row.add_fault("token", f"{name} differs between tokens ({kinds}): name the token by its kind.")
        else:
            message = "The game's table has no such trait for this token: fill in its health and damage."
            row.add_fault("trait", message, None if row.sheet.faults.full else nearest_trait(name, kind))
    if not row.right:
        return None
    values = {} if known is None else {field: getattr(known, field) for field in blank}
    return v.Trait.model_validate({"name": name if known is None else known.name, **given, **values})


def write_deck(deck: v.Deck) -> bytes:
    """Return a CSV file that `read_deck` reads back as the same deck, with every figure."""
    rows = ((token, trait) for token in deck.tokens for trait in token.traits)
    return write_table(
        DECK_COLUMNS, ([one.name, trait.name, one.element or "", *_stat_cells(trait)] for one, trait in rows)
    )


def write_traits() -> bytes:
    """Return a CSV file of the game's traits, each as a row of a deck."""
    return write_table(DECK_COLUMNS, ([row.kind, row.trait.name, "", *_stat_cells(row.trait)] for row in TABLE))


KNOWN_BOSSES: tuple[v.Boss, ...] = read_bosses(shipped_table("sim.boss_fight", "bosses.csv"))
"""The built-in bosses; the name and figures of two are on record (.docs/rules/boss_fight.md, "What fights")."""

LADDER = KNOWN_BOSSES[:-1]
"""The ladder, from the easiest to the hardest: all but the last."""


def known_boss(name: str) -> v.Boss | None:
    """Return the built-in boss of that name, ignoring case; None if there is none."""
    return next((boss for boss in KNOWN_BOSSES if name_key(boss.name) == name_key(name)), None)


def rung_of(boss: v.Boss) -> int | None:
    """Return a boss's place on the ladder, from 0, also of one as it was before its figures changed; else None.

    Name, level and words tell: a boss of somebody's own may have the same name.
    """
    told = attrgetter("name", "level", *v.MOMENTS)
    return next((at for at, rung in enumerate(LADDER) if told(rung) == told(boss)), None)


def next_rung(boss: v.Boss) -> v.Boss | None:
    """Return the boss after this one on the ladder; None for the last, and for a boss that isn't on it."""
    at = rung_of(boss)
    return None if at is None or at + 1 == len(LADDER) else LADDER[at + 1]


@dataclass(frozen=True, slots=True)
class StarterDeck:
    """A ready hand for people who have no deck yet: what it is called, what it is like in one line, and its text.

    `key` is stored in forms, and never changes.
    """

    key: str
    name: str
    line: str
    text: str


STARTER_DECKS = tuple(StarterDeck(*row.cells) for row in read_table(shipped_table("sim.boss_fight", "decks.csv")).rows)


def starter_deck(key: str) -> StarterDeck | None:
    """Return the starter deck with that key; None if there is none."""
    return next((deck for deck in STARTER_DECKS if deck.key == key), None)
