"""Texts as players type them: what each game reads them as, what is asked about instead, and what is wrong (typed/)."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.axis_allies.parse.options import parse_casualties
from sim.boss_fight.form_text import format_deck, parse_deck
from sim.boss_fight.form_text import read_as as deck_read_as
from sim.boss_fight.tables import read_bosses, read_deck
from sim.core import RuleError, TextError
from sim.core.names import name_key
from sim.csv import TableError
from sim.duel.critter import Damage
from sim.duel.group_text import group_text, parse_group
from sim.duel.group_text import read_as as group_read_as
from sim.duel.tables import read_roster as read_group_roster
from sim.duel.words import Words
from sim.mad_killer_agents.battle.order_input import read_orders
from sim.mad_killer_agents.combat import battle_text, parse_battle
from sim.mad_killer_agents.combat import read_as as clash_read_as
from sim.marked_for_death.tables import read_roster
from tests.sim.duel.builders import critter

OWN = (critter("Brenna", 7, str_mod=1), critter("Old Njal", 5), critter("O'Neill!", 7))
KNOWN = {name_key(one.name): one for one in OWN}


class Kind(NamedTuple):
    """How a kind of text is read, written plainly, and told as it is read."""

    parse: Callable[[str], Any]
    write: Callable[[Any], str]
    read_as: Callable[[str], str | None]


KINDS = {
    "decks": Kind(parse_deck, format_deck, deck_read_as),
    "groups": Kind(
        lambda text: parse_group(text, KNOWN),
        lambda group: group_text(group, KNOWN),
        lambda text: group_read_as(text, KNOWN),
    ),
    "clashes": Kind(parse_battle, battle_text, lambda text: clash_read_as(text, parse_battle(text))),
}
PARSERS: dict[str, Callable[[str], object]] = {
    **{name: kind.parse for name, kind in KINDS.items()},
    "orders": lambda text: [*read_orders(text, 8, 8)],
    "damage": Damage.model_validate,
    "losses": parse_casualties,
    "messages": lambda text: Words.model_validate(dict([text.split(": ", 1)])),
}


def rows(name: str, section: str | None = None, *, blank: bool = False) -> list[str]:
    """Return the lines of a file, or of a section of it; `blank`: also those without anything."""
    text = (Path(__file__).parent / "typed" / f"{name}.txt").read_text(encoding="utf-8")
    if section is not None:
        found = re.search(rf"(?ms)^## {section}\n(.*?)(?=^## |\Z)", text)
        text = found[1] if found else ""
    return [line for line in text.splitlines() if (line or blank) and not line.startswith("# ")]


def repeated(text: str) -> str:
    """Return a text with fifty nines for ⟨9 50⟩."""
    return re.sub(r"⟨(.+?) (\d+)⟩", lambda found: found[1] * int(found[2]), text).replace("¶", "\n")


def readings(section: str) -> Iterator[tuple[Kind, str, str]]:
    """Yield each text with its reading."""
    for name, kind in KINDS.items():
        yield from ((kind, text, reading) for text, reading in read(name, section))


def read(name: str, section: str) -> Iterator[tuple[str, str]]:
    """Yield each text of a file with its reading."""
    reading = ""
    for row in rows(name, section):
        if row.startswith("= "):
            reading = row.removeprefix("= ")
        else:
            yield from ((text.strip().replace("¶", "\n"), reading) for text in row.split(" · "))


@pytest.mark.parametrize(("kind", "text"), [(kind, row) for name, kind in KINDS.items() for row in rows(name, "plain")])
def test_plain_texts(kind: Kind, text: str) -> None:
    assert kind.parse(text)
    assert kind.read_as(text) is None


@pytest.mark.parametrize(("kind", "text", "reading"), [*readings("typed")])
def test_what_players_type(kind: Kind, text: str, reading: str) -> None:
    value = kind.parse(text)
    assert kind.write(value).casefold() == reading.casefold()
    assert kind.read_as(reading) in {reading, None}
    told = kind.read_as(text)
    assert told is None or (told.casefold() == reading.casefold() and kind.parse(told) == value)


@pytest.mark.parametrize(("text", "reading"), [*read("orders", "typed")])
def test_orders_as_people_give_them(text: str, reading: str) -> None:
    said, plain = (read_orders(typed, 8, 8) for typed in (text, reading))
    assert [order for order, _ in said] == [order for order, _ in plain]


@pytest.mark.parametrize(("kind", "text", "reading"), [*readings("told")])
def test_what_is_not_typed_plainly_is_told(kind: Kind, text: str, reading: str) -> None:
    assert kind.read_as(text) == reading


@pytest.mark.parametrize(("name", "text"), [(name, row) for name in KINDS for row in rows(name, "refused")])
def test_what_is_asked_instead_of_guessed(name: str, text: str) -> None:
    with pytest.raises(TextError) as refused:
        KINDS[name].parse(text)
    first, *_ = refused.value.problems
    *_, example = re.split(r"as in:? ", first.message) if "as in" in first.message else first.message.partition(": ")
    if first.suggestion is None and (example or name != "groups"):
        assert KINDS[name].parse(example)


@pytest.mark.parametrize(("name", "row"), [(name, row) for name in PARSERS for row in rows(name, "mistakes")])
def test_mistakes_are_marked(name: str, row: str) -> None:
    text, *expected = (repeated(ast.literal_eval(f'"{part}"')) for part in re.split(r"\s*=>\s*", row))
    with pytest.raises(TextError) as caught:
        PARSERS[name](text)
    typed = text if name != "messages" else text.split(": ", 1)[1]
    for problem, marked, told in zip(caught.value.problems, expected[::2], expected[1::2], strict=True):
        assert typed[problem.span.start : problem.span.end] == marked
        assert told in problem.sentence()


WAYS = {
    "hp": ("{} hp", "hp {}", "HP: {}"),
    "armour_class": ("ac {}", "AC: {}"),
    "to_hit": ("thac0 {}", "to-hit: {}"),
    "str_mod": ("str +{}", "+{} str"),
    "dex_mod": ("dexterity +{}", "+{} dex"),
}


@given(st.dictionaries(st.sampled_from(sorted(WAYS)), st.integers(10, 19)), st.data())
def test_figures_are_read_as_meant_in_any_order_and_either_way_round_or_refused(
    figures: dict[str, int], data: st.DataObject
) -> None:
    """The number before a word may be the one before's: in "ac 4 hp 20", hit points are 20."""
    figures = {"hp": 8} | figures
    words = [data.draw(st.sampled_from(WAYS[name])).format(figure) for name, figure in figures.items()]
    try:
        group = parse_group(" ".join(data.draw(st.permutations([*words, "1d6"]))), {})
    except TextError:
        return
    assert [fighter.model_dump(include={*figures}) for fighter in group] == [figures]


PIECES = {name: sorted({*re.findall(r"\w+|\W", "".join(rows(name)))}) for name in PARSERS}
"""Words and signs of each kind."""


@pytest.mark.parametrize("name", [*KINDS, "orders", "losses"])
@given(st.data())
def test_any_text_is_read_and_written_or_has_its_mistakes_marked(name: str, data: st.DataObject) -> None:
    pieces = st.lists(st.sampled_from(PIECES[name]), max_size=25)
    text = data.draw(st.text(max_size=60) | pieces.map("".join) | pieces.map(" ".join))
    try:
        value = PARSERS[name](text)
    except TextError as error:
        assert all(0 <= problem.span.start <= problem.span.end <= len(text) for problem in error.problems)
        assert not any("\n" in problem.sentence() for problem in error.problems)
    else:
        assert name not in KINDS or KINDS[name].parse(KINDS[name].write(value)) == value


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("decks", "V, " * 100_000, "The text is 300,000 characters long; at most 100,000 are read."),
        ("groups", "8 hp," * 100, "at most 400 characters"),
        ("orders", "x" * 2_001, "2,001 characters"),
        ("clashes", "5" * 201, "at most 200"),
        ("losses", "inf " * 100, "The text is 400 characters long; at most 300 are read."),
    ],
)
def test_a_text_that_is_too_long_is_refused_unread(name: str, text: str, told: str) -> None:
    with pytest.raises(RuleError, match=told):
        PARSERS[name](text)


TABLES: dict[str, Callable[[bytes], object]] = {
    "decks": read_deck,
    "bosses": read_bosses,
    "groups": read_group_roster,
    "rosters": read_roster,
}


@pytest.mark.parametrize("table", re.split(r"(?m)^## ", "\n".join(rows("tables", blank=True)))[1:])
def test_every_fault_of_a_table_is_told_at_once(table: str) -> None:
    name, *lines = table.rstrip("\n").split("\n")
    told = [repeated(line.removeprefix("=> ")) for line in lines if line.startswith("=> ")]
    data = repeated("\n".join(lines[: len(lines) - len(told)])).encode()
    if name == "warnings":
        assert [*read_roster(data).warnings] == told
        return
    with pytest.raises(TableError) as caught:
        TABLES[name](data)
    assert [*caught.value.sentences] == told
