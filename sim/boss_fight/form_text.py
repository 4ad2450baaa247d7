"""Decks and bosses as the texts of forms: read, with all mistakes at once, written, completed.

A deck is a text such as `hero: V, Assassin, Elixir, Epic, Fairy @Fire; attack: X, Sword`. Semicolons or line breaks
separate tokens; `kind:` names a token, commas separate its traits, `@Element` ends it. The meaning of a trait's name
depends on the kind; another name before the colon is fine if the traits' names are clear without it. A trait that the
game's table doesn't have comes with its figures: `Fang (500/1000/0 PP MR)`, that is health, physical and magical
damage, flags.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import count

from sim.boss_fight import tables as t
from sim.boss_fight import values as v
from sim.boss_fight.tables import read_boss
from sim.core import Faults, Problem, Span, TextError, check_length, check_text
from sim.core import Token as Piece
from sim.core.names import Habits, check_name, name_key, nearest
from sim.csv import quote

MAX_TEXT = 100_000
"""Code points of the longest deck text."""

MAX_COMPLETIONS = 25

EXAMPLE = "hero: V, Assassin, Elixir, Epic, Fairy @Fire; attack: X, Sword"

_MAX_TYPED = 2_000  # characters that somebody types; what is longer was written by a program

_KIND = r"(?:boss[\s-]*drop|bossdrop|drop|attack|defen[cs]e|spell|buff|hero)"
_ELEMENT = rf"(?:{'|'.join(v.Element)})"
_NO_ELEMENT = "".join(rf"(?<![^@]{element})(?<!\A{element})" for element in v.Element)
_NUMBERED = rf"{_KIND}(?:\s*[0-9]+)?"
_OWNED = rf"(?:{_ELEMENT}\s+)?{_NUMBERED}"
_TRAIT = "|".join(
    sorted({re.escape(name) for row in t.TABLE for name in (row.trait.name, row.also) if name}, key=len, reverse=True)
)
_HABITS = Habits(
    r"boss(?:\s+(?:deck|what-if)\b(?!:))?(?:\s+deck:)?",
    (r"(?m)^[^\S\n]*(?:[-*,]|[0-9]{1,2}[.)])\s+", ""),  # a list's bullets and numbers
    (rf"(\A|[;\n,])\s*({_OWNED})(?:\s*[=\u2013\u2014-]+>?\s*|\s+(?={_TRAIT}))(?![^;,\n]*:)", r"\1\2:"),
    # Another token begins; the element between two tokens may belong to either.
    (rf"(?<=[^\s;,])(?<!boss){_NO_ELEMENT}(?:\s*[,.&+]\s*|\s+)(?:(?:and|plus)\s+)?(?={_NUMBERED}\s*:)", ";"),
    (rf"(\A|[;\n])\s*({_ELEMENT})\s+({_NUMBERED})\s*:([^;\n@]*)", r"\1\3:\4@\2"),
    (rf"({_NUMBERED})\s*(?:@|\()\s*({_ELEMENT})\s*\)?\s*:([^;\n@]*)", r"\1:\3@\2"),
    (r"\n(?![^\n:]*:)", ","),  # a line for each trait
    (r"(?:\s*,)?\s+(?:and|plus)\s+|\s*[&+|]\s*|\s+/\s+", ","),
    (rf"\(\s*({_ELEMENT})\s*\)", r"@\1"),
    (rf"(?<=[^\s@])[\s,]+(?:element\s*[:=]?\s*|of\s+)?({_ELEMENT})(?:\s+element)?\s*(?=[;\n]|\Z)", r"@\1"),
    (rf"\b({_TRAIT})\s+(?=(?:{_TRAIT})\b)", r"\1,"),
)

_FEW = {**dict(zip("23456789", range(2, 10), strict=True)), "two": 2, "three": 3, "four": 4, "five": 5}
_COUNTED = re.compile(
    rf"\b({'|'.join(_FEW)})\s*[x\u00d7]?\s+({_TRAIT})s?\b|({_TRAIT})\s*[x\u00d7]\s*([2-9])\b", re.IGNORECASE
)

_NO_LABEL = "token"
_TOKENS = re.compile(r"[^;\n]+")
_ITEMS = re.compile(r"[^,]+")
_FIGURES = re.compile(r"(?P<figures>[0-9]+\s*/\s*[0-9]+\s*/\s*[0-9]+)(?P<flags>(?:\s+[A-Za-z]{2})*)", re.ASCII)


def parse_deck(text: str) -> v.Deck:
    """Read a deck; TextError with the position of every mistake that it tells.

    What isn't typed plainly is read as something plainer, if that is a deck.
    """
    check_length(text, MAX_TEXT)
    try:
        return _plain_deck(text)
    except TextError:
        if len(text) <= _MAX_TYPED:
            with suppress(TextError):
                return _plain_deck(_HABITS.cleaned(_COUNTED.sub(_one_by_one, text)))
        raise


def read_as(text: str) -> str | None:
    """Return how a deck is read, in one line as it is typed plainly; None for a text that is as plain."""
    try:
        _plain_deck(text)
    except TextError:
        return format_deck(parse_deck(text))
    return None


def _one_by_one(found: re.Match[str]) -> str:
    return ", ".join([found[2] or found[3]] * _FEW[(found[1] or found[4]).casefold()])


def _plain_deck(text: str) -> v.Deck:
    reader = _Reader()
    drafts = reader.tokens(Piece(text, Span(0, len(text))).split(_TOKENS))
    if not drafts and not reader.problems:
        reader.problem(Piece("", Span(len(text), len(text))), f"Write the tokens of your deck, as in: {EXAMPLE}")
    check_text(text, reader.problems)
    return v.Deck(tokens=tuple(v.Token(name=name, element=element, traits=traits) for name, element, traits in drafts))


class _Reader:
    """Reads tokens from left to right; adds every mistake to `problems`."""

    def __init__(self) -> None:
        self.problems = Faults[Problem]()

    def problem(self, piece: Piece, message: str, suggestion: str | None = None) -> None:
        self.problems.add(Problem(piece.span, message, suggestion))

    def tokens(self, pieces: list[Piece]) -> list[tuple[str, v.Element | None, list[v.Trait]]]:
        """Return the names, elements and traits of tokens, as far as they can be read."""
        if len(pieces) > v.MAX_TOKENS:
            self.problem(pieces[v.MAX_TOKENS], f"A deck has at most {v.MAX_TOKENS} tokens; here are {len(pieces):,}.")
            return []
        labels = [self._label(piece) for piece in pieces]
        named = zip(pieces, labels, distinct(labels), strict=True)
        return [(name, *self._token(piece, label)) for piece, label, name in named]

    def _label(self, piece: Piece) -> str:
        """Return the text before the colon."""
        label, colon, _ = piece.text.partition(":")
        label = " ".join(label.split())
        if not colon:
            return _NO_LABEL
        wrong = check_name(label, v.MAX_NAME)
        if any(mark in label for mark in ",@()"):
            wrong = "can't hold , @ ( or )"
        if wrong is not None:
            self.problem(piece.part(0, piece.text.index(":")), f"The token's name {wrong}.")
            return _NO_LABEL
        return label

    def _token(self, piece: Piece, label: str) -> tuple[v.Element | None, list[v.Trait]]:
        rest = piece.part(piece.text.find(":") + 1)
        traits_text, at, _ = rest.text.partition("@")
        element = self._element(rest.part(len(traits_text) + 1)) if at else None
        items = rest.part(0, len(traits_text)).split(_ITEMS)
        if not items:
            self.problem(rest, "This token needs a trait.")
        if len(items) > v.MAX_TRAITS:
            self.problem(
                items[v.MAX_TRAITS], f"A token has at most {v.MAX_TRAITS} traits; this one has {len(items):,}."
            )
            items = []
        kind = t.kind_of(label)
        # A name that is no kind may be a misspelled one.
        key = name_key(label.rstrip("0123456789 "))
        similar_kind = None if kind or self.problems.full else nearest(key, t.KIND_NAMES)
        return element, [trait for item in items if (trait := self._trait(item, kind, similar_kind)) is not None]

    def _element(self, piece: Piece) -> v.Element | None:
        key = name_key(piece.text)
        if key in v.ELEMENT_NAMES or key == "none":
            return v.ELEMENT_NAMES.get(key)
        message = f"Put an element after @: {', '.join(v.Element)}."
        self.problem(piece, message, None if self.problems.full else nearest(key, v.ELEMENT_NAMES))
        return None

    def _trait(self, piece: Piece, kind: t.Kind | None, similar_kind: str | None) -> v.Trait | None:
        name = piece.text
        if "(" in name:
            own = _custom_trait(piece)
            if isinstance(own, v.Trait):
                return own
            self.problems.add(own)
        elif ":" in name:
            self.problem(piece, f"A token has one colon; put a semicolon between two, as in: {EXAMPLE}")
        elif (trait := t.find_trait(name, kind)) is not None:
            return trait
        elif kinds := t.kinds_with(name, kind):
            as_in = f"{kinds.rpartition(', ')[2]}: {name}"
            message = f"This trait differs between tokens ({kinds}): begin with the kind and a colon, as in {as_in}"
            self.problem(piece, message, None if similar_kind is None else f"{similar_kind}:")
        elif kinds := t.kinds_with(name):
            self.problem(piece, f"This trait belongs to {kinds} tokens.")
        else:
            guesses = [] if self.problems.full else t.trait_suggestions(name, kind)
            hint = "" if guesses else " Make your own: Fang (500/1000/0 PP MR)"
            which = f"such {kind.value} trait" if kind else "such trait"
            self.problem(piece, f"No {which}.{hint}", " or ".join(guesses) or None)
        return None


def _custom_trait(piece: Piece) -> v.Trait | Problem:
    """Read `Name (health/physical/magical FLAGS)`."""
    at = piece.text.index("(")
    name, tail = piece.part(0, at), piece.part(at + 1)
    stray = next((mark for mark in ":)" if mark in name.text), None)
    wrong = check_name(name.text, v.MAX_NAME) if stray is None else f"can't hold a {stray}"
    if wrong is not None:
        return Problem(piece.span, f"The trait's name {wrong}.")
    found = _FIGURES.fullmatch(tail.text[:-1].strip()) if tail.text.endswith(")") else None
    if found is None:
        form = "health/physical/magical and flags, as in: Fang (500/1000/0 PP MR)"
        return Problem(tail.span, f"The brackets hold {form}")
    figures = [part.strip().lstrip("0") or "0" for part in found["figures"].split("/")]
    if any(len(figure) > len(str(v.MAX_FIGURE)) or int(figure) > v.MAX_FIGURE for figure in figures):
        return Problem(tail.span, f"A figure is at most {v.MAX_FIGURE:,}.")
    signs = found["flags"].upper().split()
    unknown = next((sign for sign in signs if sign not in t.FLAG_SIGNS), None)
    if unknown is not None:
        flags = "PP, PR, MP, MR (physical or magical, penetration or resistance)"
        return Problem(tail.span, f"The flag {quote(unknown)} is none of {flags}.")
    values = dict(zip(v.FIGURES, map(int, figures), strict=True)) | {t.FLAG_SIGNS[sign]: True for sign in signs}
    return v.Trait.model_validate({"name": name.text, **values})


def distinct(labels: list[str]) -> Iterator[str]:
    """Return the labels with numbers for those that occur again: attack, attack 2, attack 3."""
    taken = set(map(name_key, labels))
    seen: set[str] = set()
    numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: count(2))
    for label in labels:
        name = label
        if name_key(label) in seen:
            base = label[: v.MAX_NAME - 5].strip()  # room for a number
            name = next(name for number in numbers[base] if name_key(name := f"{base} {number}") not in taken)
            taken.add(name_key(name))
        seen.add(name_key(name))
        yield name


def format_deck(deck: v.Deck) -> str:
    """Return text that `parse_deck` reads back as the same deck."""
    texts = []
    for token in deck.tokens:
        kind = t.kind_of(token.name)
        traits = ", ".join(_trait_text(trait, kind) for trait in token.traits)
        texts.append(f"{token.name}: {traits}" + (f" @{token.element}" if token.element else ""))
    return "; ".join(texts)


def _trait_text(trait: v.Trait, kind: t.Kind | None) -> str:
    """Return a trait's name, with its figures unless the table has them under this name."""
    if t.find_trait(trait.name, kind) == trait:
        return trait.name
    figures = "/".join(str(getattr(trait, name)) for name in v.FIGURES)
    signs = [sign for sign, flag in t.FLAG_SIGNS.items() if getattr(trait, flag)]
    return f"{trait.name} ({' '.join([figures, *signs])})"


def completions(text: str) -> list[str]:
    """Return the text with its last, unfinished word completed in up to `MAX_COMPLETIONS` ways, best first.

    The words are elements after `@`; otherwise traits of the token's kind (of every kind if it has none), and kinds at
    the beginning of a token. Those that start with the word come first, then those in which a later word does; if there
    are none, traits that it may mean, of which one of another kind can only begin a token.
    """
    part = re.split(r"[;\n]", text)[-1]
    label, colon, rest = part.rpartition(":")
    at = max(text.rfind(mark) for mark in ",;:@\n") + 1
    head, word = text[:at], text[at:]
    kind = t.kind_of(label)
    beginnings = [] if colon or "," in part else [f"{kind}:" for kind in t.Kind]
    names = [*v.Element] if "@" in rest else [*beginnings, *_trait_names(kind)]
    blank = " " if head and not head.endswith(("@", "\n")) else ""
    key = name_key(word)
    found = [name for name in names if f" {key}" in f" {name_key(name)}"]
    matching = sorted(found, key=lambda name: not name_key(name).startswith(key))
    if not matching and "@" not in part:
        guesses = t.trait_suggestions(word, kind)
        matching = [text for text in guesses if ":" not in text or not (colon or "," in part)]
    return [f"{head}{blank}{name}" for name in matching][:MAX_COMPLETIONS]


def _trait_names(kind: t.Kind | None) -> list[str]:
    return list(dict.fromkeys(row.trait.name for row in t.TABLE if kind in {None, row.kind}))


_LABELS = {name: name.replace("_", " ").capitalize() for name in ("level", *v.FIGURES)}
_BY_LABEL = {name_key(label): name for name, label in _LABELS.items()}


def read_boss_form(values: Mapping[str, str]) -> v.Boss:
    """Return the boss of a form's texts; TableError with the mistakes.

    `values`: its "name"; "figures", that is level, health and both damages; "nature", element and flags; its "words".
    """
    mistakes: list[str] = []
    cells = {"name": values.get("name", "")}
    for field, reader in (("figures", _figures), ("nature", _nature), ("words", _words)):
        cells |= reader(values.get(field, ""), mistakes)
    return read_boss(cells, mistakes)


def boss_form(boss: v.Boss) -> dict[str, str]:
    """Return the texts that `read_boss_form` reads back as the same boss."""
    flags = [sign for sign, flag in t.FLAG_SIGNS.items() if getattr(boss, flag)]
    spoken = [f"{moment}: {words}" for moment in v.MOMENTS if (words := getattr(boss, moment))]
    return {
        "name": boss.name,
        "figures": "\n".join(f"{label}: {getattr(boss, name)}" for name, label in _LABELS.items()),
        "nature": " ".join([boss.element or "none", *flags]),
        "words": "\n".join(spoken),
    }


def _figures(text: str, mistakes: list[str]) -> dict[str, str]:
    """Return the text of each figure: of lines with labels, or of four figures with slashes."""
    found: dict[str, str] = {}
    if ":" in text:
        lines = [line.partition(":") for line in filter(str.strip, text.splitlines())]
        found = {_BY_LABEL.get(name_key(label), label): part for label, _, part in lines}
        whole = len(lines) == len(found) and found.keys() == _LABELS.keys()
    else:
        parts = text.split("/")
        whole = len(parts) == len(_LABELS)
        found = dict(zip(_LABELS, parts, strict=False))
    if whole:
        return found
    mistakes.append("Write level, health, physical and magical damage, a line each, or as in: 4 / 6500 / 3500 / 4500")
    return {}


def _nature(text: str, mistakes: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in re.split(r"[\s,]+", text.strip()):
        if word.upper() in t.FLAG_SIGNS:
            found[t.FLAG_SIGNS[word.upper()]] = "Y"
        elif "element" in found:
            flags = ", ".join(t.FLAG_SIGNS)
            mistakes.append(f"A boss has one element; {quote(word)} is one too many, or no flag ({flags}).")
        elif word:
            found["element"] = word
    return found


def _words(text: str, mistakes: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in filter(str.strip, text.splitlines()):
        moment, colon, words = line.partition(":")
        moment = moment.strip().lower()
        if not colon or moment not in v.MOMENTS:
            mistakes.append(f"Begin the line {quote(line)} with entry:, half: or fall:")
        elif moment in found:
            mistakes.append(f"You wrote {moment}: twice.")
        else:
            found[moment] = words
    return found
