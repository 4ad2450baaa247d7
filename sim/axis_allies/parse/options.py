"""Reads and writes what is asked about a battle besides its armies: orders of losses, technologies, and all options.

`| order attacker: inf, tank, bb-life | tech attacker: jets | rounds 3 | retreat below 4 | low luck`. Orders and
technologies are also read by themselves. Source: .docs/rules/axis_allies.md, "Technology" and "In the chat line".
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from sim.axis_allies.army import MAX_COUNT, format_army
from sim.axis_allies.casualties import LIFE_OF, Casualties, Last, Method, Place
from sim.axis_allies.editions import DEFAULT, EDITIONS, Edition
from sim.axis_allies.parse import words as w
from sim.axis_allies.parse.armies import ArmyReader
from sim.axis_allies.question import MAX_ROUNDS, Question, Wave, Withdrawal
from sim.axis_allies.units import Unit, nearest_name
from sim.core import Faults, Problem, Span, TextError, check_length, check_text
from sim.core.names import HEADINGS, QUOTE, nearest
from sim.core.values import Side

MAX_ORDER_TEXT = 300
"""Maximum code points of an order: room for all units by their full names."""

METHODS: tuple[Method, ...] = get_args(Method)

_LIVES = tuple(extra + life for extra in ("", "extra ") for life in ("life", "lives"))
_PLACES: dict[str, Place] = {
    **w.UNIT_NAMES,
    **{f"{name} {life}": LIFE_OF[unit] for name, unit in w.UNIT_NAMES.items() if unit in LIFE_OF for life in _LIVES},
    **dict.fromkeys(_LIVES, LIFE_OF[Unit.BATTLESHIP]),
    **{f"last {name}": last for last in Last for name, unit in w.UNIT_NAMES.items() if unit is last.unit},
}


def parse_casualties(text: str) -> Casualties:
    """Read a casualty method or an order of losses; TextError with every mistake and its position."""
    check_length(text, MAX_ORDER_TEXT)
    problems = Faults[Problem]()
    tokens = w.tokens_of(text)
    named = w.token_at(tokens, 0).word in w.ORDER
    casualties = read_casualties(tokens[named:], len(text), problems)
    if not named and len(text.split()) == 1 and problems:
        message = f"Choose losses by {', '.join(METHODS)}, or list them in order, as in: inf, tank, bb-life."
        raise TextError(text, (Problem(problems.told[0].span, message),))
    check_text(text, problems)
    return casualties


def read_casualties(tokens: Sequence[w.Token], end: int, problems: Faults[Problem]) -> Casualties:
    """Read a method or an order; adds mistakes to `problems`. `end`: where its text ends."""
    plain = "-".join(token.word for token in tokens if not token.is_colon)
    for method in METHODS:
        if plain == method:
            return method
    order: dict[Place, None] = {}
    named = [each for each in w.names_in(tokens, _PLACES) if each[0].word not in {w.THEN, QUOTE, "first"}]
    for token, place, marked in named:
        if place is None:
            near, count = None if problems.full else nearest_name(token.text), token.text.isdecimal()
            wrong = "An order has no counts: name each unit once." if count else "No unit has this name."
            problems.add(Problem(marked, wrong, near))
        elif place in order:
            problems.add(Problem(marked, "Name each unit only once."))
        elif any(isinstance(last, Last) and last.unit is place for last in order):
            problems.add(Problem(marked, f"The last {place} goes after the others: name them before it."))
        else:
            order[place] = None
    if not named:
        problems.add(Problem(Span(end, end), "List the units, first loss first, as in: order: inf, tank, bb-life"))
    return tuple(order)


def order_text(casualties: Casualties) -> str:
    """Return text that `parse_casualties` reads as the same method or order."""
    return casualties if isinstance(casualties, str) else ", ".join(place.value for place in casualties)


TECHNOLOGY_EXAMPLE = "attacker: jets, heavy bombers; defender: radar"

_SHORT_FORMS = {
    "jets": ("jet", "jet fighter", "jet fighters", "jet power"),
    "super-subs": ("super sub", "supersubs", "super submarine", "super submarines"),
    "heavy-bombers": ("heavy bomber", "heavies", "heavy"),
    "improved-artillery": ("improved art", "improved arty", "improved artillery support", "advanced artillery"),
    "improved-mech": ("improved mechs", "improved mech inf", "improved mechanized infantry"),
    "combined-bombardment": ("combined", "combined bombard"),
}


_WORDS = {
    **{name.replace("-", " "): name for edition in EDITIONS.values() for name in edition.technology},
    **{form: name for name, forms in _SHORT_FORMS.items() for form in forms},
}

Technologies = Mapping[Side, tuple[str, ...]]
"""The technologies of both sides, by their names in the edition's file."""


def parse_technology(text: str, edition: str = DEFAULT) -> Technologies:
    """Read both sides' technologies in an edition; TextError with every mistake and its position."""
    check_length(text, w.MAX_TEXT)
    problems = Faults[Problem]()
    technologies = read_technology(w.tokens_of(text), problems, EDITIONS[edition], Span(len(text), len(text)))
    check_text(text, problems)
    return technologies


def read_technology(tokens: Sequence[w.Token], problems: Faults[Problem], book: Edition, end: Span) -> Technologies:
    """Read both sides' technologies; adds mistakes to `problems`. `end`: where the text ends."""
    found: dict[Side, list[str]] = {side: [] for side in Side}
    side: Side | None = None
    for token, name, place in w.names_in(tokens, _WORDS):
        if token.word in HEADINGS:
            side = HEADINGS[token.word]
            continue
        if name is None or name not in book.technology:
            problems.add(Problem(place, *_lacking(token, name, book)))
        elif side is None:
            problems.add(Problem(place, f"Say whose it is, as in: {TECHNOLOGY_EXAMPLE}"))
        elif name in found[side]:
            problems.add(Problem(place, "Name each technology only once for a side."))
        else:
            found[side].append(name)
    if not any(found.values()) and not problems:
        problems.add(Problem(end, f"Name the technologies, as in: {TECHNOLOGY_EXAMPLE}"))
    return {side: tuple(names) for side, names in found.items()}


def _lacking(token: w.Token, name: str | None, book: Edition) -> tuple[str, str | None]:
    """Return what is wrong with a technology that an edition lacks, and what may have been meant."""
    if name is None:
        near = nearest(token.word[:40], {_words(known): known for known in book.technology}, parts=True)
        known = ", ".join(map(_words, book.technology))
        others = f" {book.title} has {known}." if known and near is None else ""
        return f"No technology has this name.{others}", None if near is None else _words(near)
    if not book.technology:
        return f"The rules of {book.title} print no technology.", None
    other = w.nearest_edition(book, lambda edition: name in edition.technology)
    has = f"; {w.add_edition(other)}" if other is not None else ""
    return f"{book.name.capitalize()} has no {_words(name)}{has}", None


def _words(name: str) -> str:
    return name.replace("-", " ")


def technology_text(technologies: Technologies) -> str:
    """Return text that `parse_technology` reads as the same technologies; "" for none."""
    sides = [f"{side}: {', '.join(map(_words, names))}" for side, names in technologies.items() if names]
    return "; ".join(sides)


_MAX_DIGITS = 10


class _Short(NamedTuple):
    """An option of a few words: how it is read, how it is written, and the range of its number if it has one."""

    form: str
    written: str
    least: int = 0
    most: int = 0


_SHORT: dict[str, _Short] = {
    "stop_after": _Short(
        r"(?:rounds?|stop after|retreat after round) ([0-9]+)(?: rounds?)?|(?:(?:retreat after|for) )?([0-9]+) rounds?",
        "rounds {}",
        *(1, MAX_ROUNDS),
    ),
    "below": _Short(r"retreat (?:below|with fewer than) ([0-9]+)(?: units?)?", "retreat below {}", 1, MAX_COUNT),
    "ipc_lost": _Short(
        r"retreat (?:after|over|above)(?: losing)? ([0-9]+) ipc(?: lost)?", "retreat after {} IPC lost", 0, 10**9
    ),
    "only_air": _Short(r"retreat (?:with )?only (?:air|planes)(?: left)?", "retreat with only air left"),
    "last_land": _Short(r"retreat (?:at|with|before) (?:the )?last land(?: units?)?", "retreat at the last land unit"),
    "defenders_below": _Short(
        r"(?:retreat (?:below|with fewer than) ([0-9]+) defenders?|strafe(?: below)? ([0-9]+)(?: defenders?)?)",
        "retreat below {} defenders",
        *(1, MAX_COUNT),
    ),
    "must_take": _Short(r"(?:must )?take(?: territory)?", "take territory"),
    "low_luck": _Short(r"low[ -]?luck|ll", "low luck"),
}
"""By the names of a question's fields, or of the conditions of its withdrawal."""

_NO_OPTION = "There is no such option. Options: order, tech, rounds, retreat, take territory, low luck, counter."


def read_options(options: Iterable[Sequence[w.Token]], armies: ArmyReader) -> dict[str, Any]:
    """Return the fields of a `Question` besides its armies; adds mistakes to the problems of `armies`."""
    found: dict[str, Any] = {}
    for tokens in options:
        for name, value in _fields(tokens, armies):
            if name in found:
                armies.problems.add(Problem(w.span_of(tokens), "Say this only once."))
            found[name] = value
    conditions = {name: found.pop(name) for name in Withdrawal.model_fields if name in found}
    return {**found, "withdrawal": Withdrawal(**conditions)}


def _fields(tokens: Sequence[w.Token], armies: ArmyReader) -> Iterator[tuple[str, object]]:
    """Yield what one option sets."""
    first, span, problems = tokens[0].word, w.span_of(tokens), armies.problems
    if first in w.ORDER:
        side = HEADINGS.get(w.token_at(tokens, 1).word)
        casualties = read_casualties(tokens[1 if side is None else 2 :], span.end, problems)
        yield from ((f"{one}_casualties", casualties) for one in (Side if side is None else [side]))
    elif first in w.TECHNOLOGY:
        technology = read_technology(tokens[1:], problems, armies.book, Span(span.end, span.end))
        yield from ((f"{side}_technology", names) for side, names in technology.items() if names)
    elif first in {"counter", "counterattack"}:
        yield "counter", armies.wave(tokens[1:], span.end, "The counterattack")
    else:
        yield from _short_field(tokens, problems)


def _short_field(tokens: Sequence[w.Token], problems: Faults[Problem]) -> Iterator[tuple[str, object]]:
    """Yield what an option of a few words sets, with a number or without one."""
    words = " ".join(token.word for token in tokens if not token.is_colon)
    if words in {"no retreat", "no ll", "no low luck", "no lowluck"}:  # what holds anyway
        return
    for name, short in _SHORT.items():
        if (found := re.fullmatch(short.form, words)) is None:
            continue
        digits = next(filter(None, found.groups()), None)
        number = digits is None or int(digits[: _MAX_DIGITS + 1])
        if digits is None or short.least <= number <= short.most:
            yield name, number
        else:
            problems.add(Problem(w.span_of(tokens), f"Put a number from {short.least:,} to {short.most:,}."))
        return
    forms = ", ".join(short.written.format(3) for short in _SHORT.values() if tokens[0].word in short.form)
    problems.add(Problem(w.span_of(tokens), f"Write it as: {forms}" if forms else _NO_OPTION))


def option_texts(question: Question) -> Iterator[str]:
    """Yield each option of a question as it is typed."""
    values: dict[str, Any] = dict(question) | dict(question.withdrawal)
    for side in Side:
        if (casualties := values[f"{side}_casualties"]) is not None:
            yield f"order {side}: {order_text(casualties)}"
    if technology := technology_text({side: values[f"{side}_technology"] for side in Side}):
        yield f"tech {technology}"
    for name, short in _SHORT.items():
        if values[name] is not None and values[name] is not False:
            yield short.written.format(values[name])
    if question.counter is not None:
        yield f"counter {wave_text(question.counter)}"


def wave_text(wave: Wave) -> str:
    """Return text that is read as the same attacker."""
    ships = (wave.bombard.with_groups([group]) for group in wave.bombard.groups)
    parts = [format_army(wave.army), *(f"{format_army(ship)} bombard" for ship in ships)]
    if wave.landing is not None:
        parts.append(f"landing {wave.landing}")
    return ", ".join(parts)
