"""Technologies as text: `attacker: jets, heavy bombers; defender: radar`.

Source: .docs/rules/axis_allies.md, "Technology" and "In the chat line".
"""

from collections.abc import Mapping, Sequence

from sim.axis_allies.editions import DEFAULT, EDITIONS, Edition
from sim.axis_allies.parse.tokens import COLONS, HEADINGS, MAX_TEXT, Token, span_of, tokens_of
from sim.axis_allies.parse.words import add_edition, called, longest_name, nearest_edition
from sim.core.errors import Faults, Problem, Span, check_length, check_text
from sim.core.names import nearest
from sim.core.values import Side

TECHNOLOGY_EXAMPLE = "attacker: jets, heavy bombers; defender: radar"

_SHORT_FORMS = {
    "jets": ("jet", "jet fighter", "jet fighters", "jet power"),
    "super-subs": ("super sub", "supersubs", "super submarine", "super submarines"),
    "heavy-bombers": ("heavy bomber", "heavies", "heavy"),
    "improved-artillery": ("improved art", "improved arty", "improved artillery support", "advanced artillery"),
    "improved-mech": ("improved mechs", "improved mech inf", "improved mechanized infantry"),
    "combined-bombardment": ("combined", "combined bombard"),
}


def _vocabulary() -> dict[str, str]:
    names = {name for edition in EDITIONS.values() for name in edition.technology}
    forms = {form: name for name, forms in _SHORT_FORMS.items() for form in forms}
    return {name.replace("-", " "): name for name in names} | forms


_WORDS = _vocabulary()

Technologies = Mapping[Side, tuple[str, ...]]
"""The technologies of both sides, by their names in the edition's file."""


def parse_technology(text: str, edition: str = DEFAULT) -> Technologies:
    """Read both sides' technologies in an edition; TextError with every mistake and its position."""
    check_length(text, MAX_TEXT)
    problems = Faults[Problem]()
    technologies = read_technology(tokens_of(text), problems, EDITIONS[edition], Span(len(text), len(text)))
    check_text(text, problems)
    return technologies


def read_technology(tokens: Sequence[Token], problems: Faults[Problem], book: Edition, end: Span) -> Technologies:
    """Read both sides' technologies; adds mistakes to `problems`. `end`: where the text ends."""
    found: dict[Side, list[str]] = {side: [] for side in Side}
    side: Side | None = None
    at = 0
    while at < len(tokens):
        token = tokens[at]
        name, length = longest_name(tokens, at, _WORDS)
        place = span_of(tokens[at : at + length])
        if token.word in HEADINGS:
            side = HEADINGS[token.word]
        elif not (token.separates or token.word in COLONS):
            message, suggestion = _mistake(token, name, side, book)
            if not message and side is not None and name is not None:
                if name in found[side]:
                    message = "Name each technology only once for a side."
                else:
                    found[side].append(name)
            if message:
                problems.add(Problem(place, message, suggestion))
        at += length
    if not any(found.values()) and not problems:
        problems.add(Problem(end, f"Name the technologies, as in: {TECHNOLOGY_EXAMPLE}"))
    return {side: tuple(names) for side, names in found.items()}


def _mistake(token: Token, name: str | None, side: Side | None, book: Edition) -> tuple[str, str | None]:
    """Return what is wrong with a technology, "" for nothing, and what may have been meant."""
    if name is None:
        near = nearest(token.word[:40], {_words(known): known for known in book.technology}, parts=True)
        known = ", ".join(map(_words, book.technology))
        others = f" {book.title} has {known}." if known and near is None else ""
        return f"No technology has this name.{others}", None if near is None else _words(near)
    if not book.technology:
        return f"The rules of {book.title} print no technology.", None
    if name not in book.technology:
        other = nearest_edition(book, lambda edition: name in edition.technology)
        has = f"; {add_edition(other)}" if other is not None else ""
        return f"{called(book)} has no {_words(name)}{has}", None
    if side is None:
        return f"Say whose it is, as in: {TECHNOLOGY_EXAMPLE}", None
    return "", None


def _words(name: str) -> str:
    return name.replace("-", " ")


def technology_text(technologies: Technologies) -> str:
    """Return text that `parse_technology` reads as the same technologies; "" for none."""
    sides = [f"{side}: {', '.join(map(_words, names))}" for side, names in technologies.items() if names]
    return "; ".join(sides)
