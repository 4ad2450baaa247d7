"""Bosses as CSV: a row for each, in the columns `COLUMNS`. Blank figures are 0, blank flags "no", a blank level 1."""

from functools import partial

from sim.boss_fight.columns import FIGHTING, Columns, boss_level, element, written
from sim.boss_fight.values import FIGURES, FLAGS, MAX_NAME, MAX_WORDS, Boss
from sim.core.names import check_name, name_key
from sim.core.table import Fault, Row, TableError, read_table, write_table

MOMENTS = ("entry", "half", "fall")
COLUMNS = ("name", "level", "element", *FIGHTING, *MOMENTS)
"""The columns of bosses; name and health are needed."""

MAX_BOSSES = 50
"""Bosses of one file."""


def read_bosses(data: bytes) -> tuple[Boss, ...]:
    """Read bosses from a CSV file; TableError with every row that is wrong."""
    table = read_table(data)
    columns = Columns(table, COLUMNS, ("name", "health"))
    if not 0 < len(table.rows) <= MAX_BOSSES:
        message = f"There are {len(table.rows):,} bosses in the file; 1 to {MAX_BOSSES} are read."
        raise TableError((Fault(None, None, message),))
    bosses: dict[str, Boss] = {}
    for row in table.rows:
        boss = _boss(columns, row)
        if boss is None:
            continue
        if name_key(boss.name) in bosses:
            columns.fault(row, "name", f"A boss called {boss.name} stands in a row above.")
        bosses[name_key(boss.name)] = boss
    columns.check()
    return tuple(bosses.values())


def _boss(columns: Columns, row: Row) -> Boss | None:
    already = len(columns.faults)
    name = columns.text(row, "name")
    wrong = check_name(name, MAX_NAME)
    if wrong is not None:
        columns.fault(row, "name", f"The name {wrong}.")
    values: dict[str, object] = dict(columns.fighting(row))
    if not values.get("health") and len(columns.faults) == already:
        columns.fault(row, "health", "A boss has a health of 1 or more.")
    level = columns.read(row, "level", boss_level)
    values |= {"name": name, "level": 1 if level is None else level, "element": columns.read(row, "element", element)}
    values |= {moment: columns.read(row, moment, partial(_words, moment)) for moment in MOMENTS}
    return Boss.model_validate(values) if len(columns.faults) == already else None


def _words(moment: str, text: str) -> str:
    if len(text) > MAX_WORDS:
        raise ValueError(f"the words for {moment} have {len(text):,} characters; at most {MAX_WORDS} are allowed")
    return text


def write_bosses(bosses: tuple[Boss, ...]) -> bytes:
    """Return a CSV file that `read_bosses` reads back as the same bosses."""
    return write_table(COLUMNS, map(_row, bosses))


def _row(boss: Boss) -> list[str | int]:
    figures = [getattr(boss, name) for name in FIGURES]
    flags = [written(getattr(boss, name)) for name in FLAGS]
    words = [getattr(boss, moment) or "" for moment in MOMENTS]
    return [boss.name, boss.level, boss.element or "", *figures, *flags, *words]
