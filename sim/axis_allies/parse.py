"""Army text (`6 tanks, 2 inf vs 10 infantry`) and casualty orders (`order: inf, tank, bb-life`).

Grammar (rules page, "Army text"): a side is a list of `[count] [x] unit [(damage)]`, separated by commas, "and", "&",
"+", or blanks; one of the words in `VERSUS` separates the two sides, the attacker first. Errors list every mistake with
its position.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import get_args

from sim.axis_allies.army import MAX_COUNT, NEGLIGIBLE_COUNT, Army, Group
from sim.axis_allies.casualties import LIFE, Casualties, Method, Slot
from sim.axis_allies.units import STATS, WORDS, Unit, nearest_name
from sim.core.caret import Token
from sim.core.errors import Faults, Problem, RuleError, Span, TextError, check_length, check_text
from sim.core.values import Side

VERSUS = frozenset({"vs", "vs.", "v", "v.", "versus", "against", ">"})
EXAMPLE = "6 tanks vs 10 inf"

MAX_TEXT = 500
"""Maximum code points of a battle text: room for all nine units on both sides with every digit."""

_SEPARATORS = frozenset({",", ";", "&", "+", "and"})
_TIMES = frozenset({"x", "\u00d7", "*"})
_TOKEN = re.compile(r"[,;&+>()]|[^\s,;&+>()]+")
# A count, perhaps with "x" and a unit attached: 6, 2.5, .5, 3., 6t, 6xtanks.
_COUNTED = re.compile(r"(?P<count>[0-9]+\.?[0-9]*|\.[0-9]+)(?P<times>[xX\u00d7*](?=.))?(?P<word>\D*)", re.ASCII)
# Numbers in other programs, except "inf": that is infantry.
_NO_NUMBERS = frozenset({"nan", "infinity", "\u221e"})
_NEGATIVE = re.compile(r"[-\u2212\u2013]\.?[0-9]", re.ASCII)
_THOUSANDS = re.compile(r"[0-9]{1,3}(,[0-9]{3})+(?![0-9])", re.ASCII)
_DAMAGE = re.compile(
    r"\s*(?P<count>[0-9]+\.?[0-9]*|\.[0-9]+)\s*(?P<what>hits?|damaged|(?:extra\s+)?(?:life|lives))\s*", re.ASCII
)

MAX_ORDER_TEXT = 300
"""Maximum code points of an order: room for all units by their full names."""

METHODS: tuple[Method, ...] = get_args(Method)

_ORDER_PREFIX = re.compile(r"\s*order\s*:?\s*", re.IGNORECASE)
_ORDER_WORD = re.compile(r"[^\s,;>:]+")
_LIFE_WORDS = re.compile(r"(?:extra[ -])?(?:life|lives)")
_ORDER_FILLERS = frozenset({"then", "and", "->", "-"})


def parse_army(text: str) -> Army:
    """Read one army; TextError with every mistake and its position."""
    check_length(text, MAX_TEXT)
    problems = Faults[Problem]()
    army = _SideReader(text, _tokens(text), problems).read("The army", len(text))
    check_text(text, problems)
    return army


def parse_battle(text: str) -> dict[Side, Army]:
    """Read `attacker vs defender`; TextError with every mistake of both sides and its position."""
    check_length(text, MAX_TEXT)
    tokens = _tokens(text)
    problems = Faults[Problem]()
    cuts = [at for at, token in enumerate(tokens) if token.word in VERSUS]
    if not cuts:
        if tokens:
            _SideReader(text, tokens, problems).read("The army", len(text))
        problems.add(Problem(Span(len(text), len(text)), f"Put vs between the two armies, as in: {EXAMPLE}"))
        raise TextError(text, problems.told, problems.more)
    first, second = cuts[0], cuts[1] if len(cuts) > 1 else len(tokens)
    problems.extend(
        Problem(tokens[at].span, f"Only two sides can fight: use {tokens[first].text!r} once.") for at in cuts[1:]
    )
    attacker = _SideReader(text, tokens[:first], problems).read("The attacker", tokens[first].span.start)
    defender = _SideReader(text, tokens[first + 1 : second], problems).read("The defender", len(text))
    check_text(text, problems)
    return {Side.ATTACKER: attacker, Side.DEFENDER: defender}


def is_battle(text: str) -> bool:
    """Return whether a text has a word that separates two sides."""
    return any(token.word in VERSUS for token in _tokens(text))


def _tokens(text: str) -> list[Token]:
    return [Token(match[0], Span(*match.span())) for match in _TOKEN.finditer(text)]


class _SideReader:
    """Reads the tokens of one side from left to right; adds mistakes to `problems`."""

    def __init__(self, text: str, tokens: Sequence[Token], problems: Faults[Problem]) -> None:
        self.text = text
        self.tokens = tokens
        self.problems = problems
        self.at = 0
        self.counts: dict[Unit, Fraction] = {}
        self.damage: dict[Unit, Fraction] = {}
        # The last group, which a bracket after it may damage.
        self.last: tuple[Unit, Fraction] | None = None

    def read(self, who: str, end: int) -> Army:
        """Return the army, or an empty one after any mistake; the side's text ends at `end`."""
        already = len(self.problems)
        while self.at < len(self.tokens):
            self._item(self._take())
        if len(self.problems) > already:
            return Army()
        groups = [
            Group(unit=unit, count=count, lives=count * unit.lives - self.damage.get(unit, Fraction(0)))
            for unit, count in self.counts.items()
            if count > NEGLIGIBLE_COUNT
        ]
        if not groups:
            self._problem(*self._empty_problem(who, end))
        return Army(groups=tuple(groups))

    def _empty_problem(self, who: str, end: int) -> tuple[Span, str]:
        if not self.counts:
            return Span(end, end), f"{who} has no units yet."
        none = "0.000001 or less, which counts as zero" if any(self.counts.values()) else "zero"
        whole = Span(self.tokens[0].span.start, self.tokens[-1].span.end)
        return whole, f"{who} has no units: every count is {none}."

    def _take(self) -> Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    @property
    def _ahead(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _problem(self, span: Span, message: str, suggestion: str | None = None) -> None:
        self.problems.add(Problem(span, message, suggestion))

    def _item(self, token: Token) -> None:
        if token.word in _SEPARATORS:
            return
        if token.text == "(":
            self._bracket(token)
        elif thousands := _THOUSANDS.match(self.text, token.span.start):
            self._thousands(Span(*thousands.span()))
        elif not _starts_number(token):
            self._unit(token, Fraction(1), token.span)
        elif counted := _COUNTED.fullmatch(token.text):
            self._counted(token, counted)
        elif _NEGATIVE.match(token.text):
            self._bad_number(token.span, "A count can't be negative.")
        else:
            self._bad_number(token.span, "Put a number before each unit: 6 tanks")

    def _counted(self, token: Token, counted: re.Match[str]) -> None:
        digits, word = counted["count"], counted["word"]
        span = Span(token.span.start, token.span.start + len(digits))
        count = self._count(digits, span)
        if word and word.casefold() not in _TIMES:
            self._unit(Token(word, Span(token.span.end - len(word), token.span.end)), count, span)
            return
        if not word and self._ahead is not None and self._ahead.word in _TIMES:
            self.at += 1
        ahead = self._ahead
        if ahead is None or ahead.word in _SEPARATORS or ahead.text == "(" or _starts_number(ahead):
            self._problem(span, f"{_shortened(digits)} of what? Put a unit after the number.")
        else:
            self._unit(self._take(), count, span)

    def _count(self, digits: str, span: Span) -> Fraction:
        whole = digits.partition(".")[0].lstrip("0")
        # Check the length first: hundreds of digits must not cost anything.
        if len(whole) > len(str(MAX_COUNT)) or Fraction(digits) > MAX_COUNT:
            self._problem(span, f"At most {MAX_COUNT:,} of a unit can fight.")
            return Fraction(0)
        return Fraction(digits)

    def _unit(self, name: Token, count: Fraction, count_span: Span) -> None:
        """Read a unit's name of one word or two; `name` is the last token or its tail."""
        unit = None
        if self._ahead is not None:
            unit = WORDS.get(f"{name.word} {self._ahead.word.rstrip('.')}")
        if unit is not None:
            self.at += 1
        else:
            unit = WORDS.get(name.word.rstrip("."))
        if unit is None:
            self._unknown(name)
            self.last = None
            return
        total = self.counts.get(unit, Fraction(0)) + count
        if total > MAX_COUNT:
            message = f"Too many {unit.stats.plural} in all: at most {MAX_COUNT:,} of a unit can fight."
            self._problem(count_span, message)
        self.counts[unit] = total
        self.last = unit, count

    def _unknown(self, name: Token) -> None:
        near = nearest_name(name.text)
        if name.text == ")":
            self._problem(name.span, "This bracket was never opened.")
        elif near is None:
            known = ", ".join(stats.plural for stats in STATS.values())
            self._problem(name.span, f"No unit has this name. The units: {known}.")
        else:
            self._problem(name.span, "No unit has this name.", near)

    def _bracket(self, opening: Token) -> None:
        """Read `(1 damaged)`, `(1 hit)` or `(1 life)` after a unit."""
        closing = next((token for token in self.tokens[self.at :] if token.text == ")"), None)
        if closing is None:
            self._problem(opening.span, "This bracket is never closed.")
            self.at = len(self.tokens)  # the rest was meant to be inside: no further problems
            return
        while self._take() is not closing:
            pass
        span = Span(opening.span.start, closing.span.end)
        found = _DAMAGE.fullmatch(self.text[span.start + 1 : span.end - 1].casefold())
        last, self.last = self.last, None
        if last is None or not last[0].lives:
            self._problem(span, "Only battleships can be damaged: put the brackets right after them.")
        elif found is None:
            self._problem(span, "Brackets are for damage, as in: 2 battleships (1 damaged)")
        else:
            self._damage(span, found, *last)

    def _damage(self, span: Span, found: re.Match[str], unit: Unit, count: Fraction) -> None:
        lives = count * unit.lives
        number = Fraction(found["count"])
        hits = number if found["what"].startswith(("hit", "damaged")) else lives - number
        if 0 <= hits <= lives:
            self.damage[unit] = self.damage.get(unit, Fraction(0)) + hits
        else:
            self._problem(span, f"A {unit.value} takes {unit.lives} hit before the one that sinks it.")

    def _bad_number(self, span: Span, message: str) -> None:
        self._problem(span, message)
        # The unit after a bad count is no second problem.
        if self._ahead is not None and self._ahead.word in WORDS:
            self.at += 1

    def _thousands(self, span: Span) -> None:
        while self._ahead is not None and self._ahead.span.start < span.end:
            self.at += 1
        plain = self.text[span.start : span.end].replace(",", "")
        self._bad_number(span, f"A comma separates two units: write {_shortened(plain)} without it.")


def _starts_number(token: Token) -> bool:
    first = token.text[0]
    return first == "." or first.isnumeric() or token.word in _NO_NUMBERS or _NEGATIVE.match(token.text) is not None


def _shortened(digits: str, limit: int = 12) -> str:
    return digits if len(digits) <= limit else f"{digits[:limit]}…"


def swap_sides(text: str) -> str:
    """Return a battle text with its sides swapped, otherwise as typed; it grows by at most 2 characters.

    TextError if it can't be read.
    """
    parse_battle(text)
    versus = next(token for token in _tokens(text) if token.word in VERSUS)
    return f"{text[versus.span.end :].strip()} {versus.text} {text[: versus.span.start].strip()}"


def completions(text: str) -> list[str]:
    """Return the text with its last word completed to each unit name that starts with it, best first.

    Empty if the text ends in a blank, in a count, or in a word that starts no unit name.
    """
    found = re.search(r"[^\W\d_]+\Z", text)
    if found is None:
        return []
    beginning = found[0].casefold()
    head = text[: found.start()]
    plural = not re.search(r"(?<![0-9.])1\s*\Z", head, re.ASCII)
    names = {stats.plural if plural else unit.value: unit for unit, stats in STATS.items()}
    by_name = [name for name in names if any(part.startswith(beginning) for part in name.split())]
    by_word = [name for name, unit in names.items() if name not in by_name and WORDS.get(beginning) is unit]
    return [head + name for name in by_word + by_name]


def parse_casualties(text: str) -> Casualties:
    """Read a casualty method or an order of losses; TextError with every mistake and its position."""
    check_length(text, MAX_ORDER_TEXT)
    plain = text.strip().casefold()
    for method in METHODS:
        if plain.replace(" ", "-") == method:
            return method
    prefix = _ORDER_PREFIX.match(text)
    words = [
        match for match in _ORDER_WORD.finditer(text, prefix.end() if prefix else 0) if match[0] not in _ORDER_FILLERS
    ]
    order: list[Slot] = []
    problems = Faults[Problem]()
    at = 0
    while at < len(words):
        slot, length = _slot([word[0].casefold() for word in words[at : at + 3]])
        span = Span(words[at].start(), words[at + length - 1].end())
        if slot is None:
            problems.add(Problem(span, "No unit has this name.", nearest_name(words[at][0])))
        elif slot in order:
            problems.add(Problem(span, "Name each unit only once."))
        else:
            order.append(slot)
        at += length
    if prefix is None and len(words) == 1 and problems:
        message = f"Choose losses by {', '.join(METHODS)}, or list them in order, as in: inf, tank, bb-life."
        raise TextError(text, (Problem(problems.told[0].span, message),))
    if not words:
        end = Span(len(text), len(text))
        problems.add(Problem(end, "List the units, first loss first, as in: order: inf, tank, bb-life"))
    check_text(text, problems)
    return tuple(order)


def _slot(words: list[str]) -> tuple[Slot | None, int]:
    """Return the slot at the start of `words` (None if there is none) and its number of words."""
    for length in range(len(words), 0, -1):
        name = " ".join(words[:length])
        if _LIFE_WORDS.fullmatch(name):
            return LIFE, length
        for cut in re.finditer(r"[ -]", name):
            owner, rest = name[: cut.start()], name[cut.end() :]
            if WORDS.get(owner) is Unit.BATTLESHIP and _LIFE_WORDS.fullmatch(rest):
                return LIFE, length
        for form in (name, name.replace("-", " ")):
            if form in WORDS:
                return WORDS[form], length
    return None, 1


def decode_text(content: bytes) -> str:
    """Return a file's text as one line; RuleError if it is not UTF-8."""
    try:
        return " ".join(content.decode("utf-8-sig").split())
    except UnicodeDecodeError:
        raise RuleError("An army is plain text in UTF-8, such as: 6 tanks, 2 inf") from None
