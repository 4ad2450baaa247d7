"""Short ways to say an army and a battle, strategies that draw them, and tables of cases as text."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any, TypedDict, Unpack

from hypothesis import strategies as st

from sim.axis_allies.army import MAX_COUNT, Army, Group
from sim.axis_allies.average import AverageRequest
from sim.axis_allies.casualties import Casualties, Last, Place
from sim.axis_allies.editions import DEFAULT, EDITIONS
from sim.axis_allies.parse import parse_army
from sim.axis_allies.reports import AverageReport
from sim.axis_allies.units import Unit
from sim.axis_allies.withdrawal import Withdrawal


class Options(TypedDict, total=False):
    """What may be asked about an average battle."""

    casualties: Casualties
    attacker_casualties: Casualties
    defender_casualties: Casualties
    stop_after: int | None
    withdrawal: Withdrawal
    must_take: bool


def average(attacker: str, defender: str, **options: Unpack[Options]) -> AverageReport:
    """Fight an average battle between two armies as typed."""
    return AverageRequest(attacker=parse_army(attacker), defender=parse_army(defender), **options).run()


counts = st.one_of(
    st.integers(1, MAX_COUNT).map(Fraction),
    st.decimals(min_value="0.001", max_value=1000, places=3).map(Fraction),
)


@st.composite
def groups(draw: st.DrawFn, unit: Unit, lives: int) -> Group:
    """Draw a group, damaged at times; `lives`: hits that one of its units absorbs."""
    count = draw(counts)
    damage = count * lives * draw(st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)]))
    return Group(unit=unit, count=count, lives=count * lives - damage)


@st.composite
def armies(draw: st.DrawFn, edition: str = DEFAULT) -> Army:
    """Draw an army of one to nine unit types of an edition in any order."""
    book = EDITIONS[edition]
    units = draw(st.lists(st.sampled_from(list(book.units)), min_size=1, max_size=9, unique=True))
    return Army(groups=tuple(draw(groups(unit, book.lives(unit))) for unit in units), edition=edition)


def is_an_order(places: tuple[Place, ...]) -> bool:
    """Return whether the last unit of each kind goes after the others."""
    return not any(isinstance(last, Last) and last.unit in places[at:] for at, last in enumerate(places))


def rows(table: str) -> list[tuple[str, ...]]:
    """Return the columns of each row of a table: a row a line, its columns parted by `=>`.

    A line that begins with `=>` goes on with the row above; one that begins with `#` says what follows.
    """
    whole = re.sub(r"\n\s*=>", " =>", re.sub(r"(?m)^#.*", "", table))
    return [tuple(re.split(r"\s*=>\s*", line.strip())) for line in whole.splitlines() if line.strip()]


def cases(name: str) -> list[tuple[str, ...]]:
    """Return the rows of a file beside this one."""
    return rows(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def mistakes(table: str, before: int = 1) -> list[tuple[Any, ...]]:
    """Return the first columns of each row of a table or of a file, and a list of the pairs that follow them."""
    found = cases(table) if table.endswith(".txt") else rows(table)
    return [(*row[:before], list(zip(row[before::2], row[before + 1 :: 2], strict=True))) for row in found]
