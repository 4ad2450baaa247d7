"""Decks as CSV: a row for each trait, in the columns `COLUMNS`.

Rows with the same `token` are one token; a blank one continues the row above. Blank figures and flags are those of the
game's table for this trait, as the token's kind has it; a trait that the table doesn't have needs its figures, and its
blank flags are "no". The element stands in any row of its token.
"""

from collections.abc import Iterator

from sim.boss_fight.columns import FIGHTING, Columns, element, written
from sim.boss_fight.traits import kind_of, nearest_trait, one_meaning, rows_named
from sim.boss_fight.values import FIGURES, FLAGS, MAX_NAME, MAX_TOKENS, MAX_TRAITS, Deck, Element, Token, Trait
from sim.core.names import check_name, name_key
from sim.core.table import Fault, Row, TableError, read_table, write_table

COLUMNS = ("token", "trait", "element", *FIGHTING)
"""The columns of a deck; the first two are needed."""

MOST_ROWS = 5_000
"""Rows below the header: traits of all tokens."""

_MARKS = ",;:@()"


class _Draft:
    """A token while its rows are read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.element: Element | None = None
        self.element_told = False
        self.traits: list[Trait] = []


def read_deck(data: bytes) -> Deck:
    """Read a deck from a CSV file; TableError with every row that is wrong."""
    table = read_table(data, MOST_ROWS)
    columns = Columns(table, COLUMNS, ("token", "trait"))
    drafts: dict[str, _Draft] = {}
    current = ""
    for row in table.rows:
        label = columns.text(row, "token")
        if label:
            current = name_key(label)
            wrong = _wrong_name(label)
            if wrong is not None:
                columns.fault(row, "token", f"The name {wrong}.")
            drafts.setdefault(current, _Draft(" ".join(label.split())))
        if current in drafts:
            _read_row(columns, row, drafts[current])
        else:
            columns.fault(row, "token", "The first row has to name its token.")
    if not table.rows:
        columns.faults.append(Fault(None, None, "The deck has no tokens: there is no row below the header."))
    columns.check()
    if len(drafts) > MAX_TOKENS:
        raise TableError((Fault(None, None, f"A deck has at most {MAX_TOKENS} tokens; here are {len(drafts):,}."),))
    return Deck(
        tokens=tuple(Token(name=draft.name, element=draft.element, traits=draft.traits) for draft in drafts.values())
    )


def _read_row(columns: Columns, row: Row, draft: _Draft) -> None:
    already = len(columns.faults)
    token_element = columns.read(row, "element", element)
    if columns.text(row, "element") and len(columns.faults) == already:
        if draft.element_told and draft.element is not token_element:
            columns.fault(row, "element", f"The token {draft.name} has another element in a row above.")
        draft.element, draft.element_told = token_element, True
    if len(draft.traits) == MAX_TRAITS:
        columns.fault(row, None, f"The token {draft.name} has more than {MAX_TRAITS} traits.")
    trait = _trait(columns, row, draft)
    if trait is not None:
        draft.traits.append(trait)


def _trait(columns: Columns, row: Row, draft: _Draft) -> Trait | None:
    name = columns.text(row, "trait")
    already = len(columns.faults)
    wrong = _wrong_name(name) if name else "is missing"
    if wrong is not None:
        columns.fault(row, "trait", f"The trait's name {wrong}.")
    given = columns.fighting(row)
    blank = [field for field in FIGHTING if field not in given]
    known = _looked_up(columns, row, draft, needed=any(field in FIGURES for field in blank)) if blank and name else None
    if len(columns.faults) > already:
        return None
    values = {} if known is None else {field: getattr(known, field) for field in blank}
    return Trait.model_validate({"name": name if known is None else known.name, **given, **values})


def _looked_up(columns: Columns, row: Row, draft: _Draft, *, needed: bool) -> Trait | None:
    """Return the table's trait; where there is none although it is needed, that is noted."""
    name, kind = columns.text(row, "trait"), kind_of(draft.name)
    rows = rows_named(name, kind)
    known = one_meaning(rows)
    if known is None and needed:
        if rows:
            kinds = ", ".join(dict.fromkeys(trait_row.kind.value for trait_row in rows))
            columns.fault(row, "token", f"{name} differs between tokens ({kinds}): name the token by its kind.")
        else:
            message = "The game's table has no such trait for this token: fill in health and damages."
            columns.fault(row, "trait", message, nearest_trait(name, kind))
    return known


def _wrong_name(name: str) -> str | None:
    if any(mark in name for mark in _MARKS):
        return f"has one of {' '.join(_MARKS)} in it"
    return check_name(name, MAX_NAME)


def write_deck(deck: Deck) -> bytes:
    """Return a CSV file that `read_deck` reads back as the same deck, every figure in it."""
    return write_table(COLUMNS, _rows(deck))


def _rows(deck: Deck) -> Iterator[list[str | int]]:
    for token in deck.tokens:
        for trait in token.traits:
            figures = [getattr(trait, name) for name in FIGURES]
            flags = [written(getattr(trait, name)) for name in FLAGS]
            yield [token.name, trait.name, token.element or "", *figures, *flags]
