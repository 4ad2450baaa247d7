"""The parts of a battle text: its edition, the waves of the attacker, the defender, and the options after them.

`1942: 6 inf then 3 ftr vs 10 inf | rounds 3`, or with headings: `Attacker: 6 inf Defender: 5 inf`.
"""

from dataclasses import dataclass, field

from sim.axis_allies.editions import DEFAULT, EDITIONS, NAMES, Edition, edition_named
from sim.axis_allies.parse.words import (
    COLONS,
    HEADING_FILLERS,
    HEADINGS,
    OPTION,
    QUOTE,
    THEN,
    VERSUS,
    Token,
    longest_name,
    span_of,
    tokens_of,
    unit_at,
)
from sim.axis_allies.question import MAX_WAVES
from sim.core.errors import Faults, Problem, RuleError, Span
from sim.core.names import nearest
from sim.core.values import Side

_EDITION = "edition"
_YEAR_DIGITS = 4
_MAX_NAME = 40
_LIKENESS = 75.0
"""Minimum likeness (0 to 100) of a word before a colon with an edition's name."""


@dataclass(slots=True)
class Part:
    """The tokens of one army; `end`: where its text ends."""

    end: int
    tokens: list[Token] = field(default_factory=list)


class Layout:
    """A text as its parts; adds mistakes to `problems`.

    `edition`: the one that the text names, if any, and `edition_text` as it does; `edition_places`: where it does.
    `versus`: the word that separates the sides, if one does. `waves`: the attacker's. `defender`: None if nothing
    separates the sides. `end`: where the armies end. `options`: tokens of each option.
    """

    def __init__(self, text: str, problems: Faults[Problem]) -> None:
        self.problems = problems
        self.edition: Edition | None = None
        self.edition_text: str | None = None
        self.edition_places: list[Span] = []
        self.versus: Token | None = None
        self.waves = [Part(len(text))]
        self.defender: Part | None = None
        self._seen: set[Side] = set()
        sections: list[list[Token]] = [[]]
        for token in tokens_of(text):
            if token.text == OPTION:
                sections.append([])
            else:
                sections[-1].append(token)
        sections = [section for section in sections if section] or [[]]
        self.end = sections[0][-1].span.end if len(sections) > 1 else len(text)
        self.options = sections[1:]
        self._read(sections[0])

    @property
    def tokens(self) -> list[Token]:
        """The tokens of both sides."""
        parts = [*self.waves, *([] if self.defender is None else [self.defender])]
        return [token for part in parts for token in part.tokens]

    @property
    def separate(self) -> bool:
        """Whether something separates two sides."""
        return self.defender is not None

    def side_text(self, text: str, side: Side) -> str:
        """Return the part of the text about `side`, "" if there is none."""
        parts = self.waves if side is Side.ATTACKER else [self.defender] if self.defender is not None else []
        tokens = [token for part in parts for token in part.tokens if not token.separates]
        return text[tokens[0].span.start : tokens[-1].span.end] if tokens else ""

    def book(self, chosen: str | None, default: str = DEFAULT) -> Edition:
        """Return the edition: the one chosen, else that of the text, else the default."""
        return EDITIONS[chosen] if chosen is not None else self.edition or EDITIONS[default]

    def _read(self, tokens: list[Token]) -> None:
        self.waves[0].end = self.end
        part: Part | None = self.waves[0]
        # Beside headings, this sign is left from a quote whose line breaks are gone.
        headed = {HEADINGS[token.word] for token in tokens if token.word in HEADINGS} == set(Side)
        at = 0
        while at < len(tokens):
            token = tokens[at]
            begins = part is not None and not part.tokens
            if token.separates and begins:
                at += 1
            elif named := self._edition(tokens, at, begins=begins):
                self.edition_places.append(span_of(tokens[at : at + named]))
                at += named
            elif token.text == QUOTE and headed:
                at += 1
            elif token.word in VERSUS:
                part = self._cut(token, part)
                at += 1
            elif token.word in HEADINGS:
                at = _after_heading(tokens, at)
                part = self._head(token, part)
            elif token.word == THEN:
                part = self._wave(token, part)
                at += 1
            else:
                if part is not None:
                    part.tokens.append(token)
                at += 1

    def _cut(self, versus: Token, part: Part | None) -> Part | None:
        """Begin the other side."""
        if self.versus is not None:
            message = f"Only two sides can fight: use {self.versus.text!r} once."
            self.problems.add(Problem(versus.span, message))
            return None
        self.versus = versus
        return self._begin(Side.ATTACKER if part is not None and part is self.defender else Side.DEFENDER, versus, part)

    def _head(self, heading: Token, part: Part | None) -> Part | None:
        """Begin the side that a heading names."""
        side = HEADINGS[heading.word]
        own = self.waves[0] if side is Side.ATTACKER else self.defender
        if side in self._seen or (own is not None and own.tokens):
            self.problems.add(Problem(heading.span, f"The {side} is there twice: put all its units in one place."))
            return None
        self._seen.add(side)
        return self._begin(side, heading, part)

    def _begin(self, side: Side, at: Token, before: Part | None) -> Part:
        if before is not None:
            before.end = at.span.start
        if side is Side.ATTACKER:
            self.waves[-1].end = self.end
            return self.waves[-1]
        if self.defender is None:
            self.defender = Part(self.end)
        self.defender.end = self.end
        return self.defender

    def _wave(self, then: Token, part: Part | None) -> Part | None:
        """Begin the attacker's next wave."""
        if part is not self.waves[-1]:
            if part is not None:
                self.problems.add(Problem(then.span, "Only the attacker comes in waves: put commas between units."))
            return part
        if len(self.waves) == MAX_WAVES:
            self.problems.add(Problem(then.span, f"An attacker comes in at most {MAX_WAVES} waves."))
            return None
        self.waves[-1].end = then.span.start
        self.waves.append(Part(self.end))
        return self.waves[-1]

    def _edition(self, tokens: list[Token], at: int, *, begins: bool) -> int:
        """Read an edition's name; return how many tokens that takes. `begins`: nothing of this side was read yet."""
        if tokens[at].word == _EDITION:
            return self._edition_option(tokens, at)
        return self._edition_before(tokens, at) if begins else 0

    def _edition_option(self, tokens: list[Token], at: int) -> int:
        """Read `edition:1942`."""
        start = at + 1
        colon = start < len(tokens) and tokens[start].word in COLONS
        start += colon
        if start == len(tokens):
            return 0
        found, length = longest_name(tokens, start, _NAMES)
        if found is None and not colon:
            return 0
        self._name(tokens[start : start + length], found)
        end = start + length
        return end + (end < len(tokens) and tokens[end].word in COLONS) - at

    def _edition_before(self, tokens: list[Token], at: int) -> int:
        """Read `1942:`, or `1942` before a count."""
        found, length = longest_name(tokens, at, _NAMES)
        end = at + length
        colon = end < len(tokens) and tokens[end].word in COLONS
        counted = end < len(tokens) and tokens[end].text[0].isdecimal()
        if not (colon or (counted and found is not None)):
            return 0
        if found is None and not self._looks_like_edition(tokens, at):
            return 0
        self._name(tokens[at:end], found)
        return length + colon

    def _looks_like_edition(self, tokens: list[Token], at: int) -> bool:
        """Return whether the word before a colon is meant as an edition: a year, or nearly a name."""
        word = tokens[at].word
        if word[:_YEAR_DIGITS].isdecimal() and len(word) >= _YEAR_DIGITS:
            return True
        known = word in HEADINGS or unit_at(tokens, at)[0] is not None
        return not known and nearest(word[:_MAX_NAME], NAMES, least=_LIKENESS) is not None

    def _name(self, tokens: list[Token], found: Edition | None) -> None:
        name = " ".join(token.text for token in tokens)
        try:
            edition = found or edition_named(name)
        except RuleError as error:
            word = name[:_MAX_NAME].casefold()
            near = None if word[:1].isdecimal() else nearest(word, NAMES, least=_LIKENESS)
            self.problems.add(Problem(span_of(tokens), str(error), None if near is None else near.name))
            return
        if self.edition is not None and self.edition is not edition:
            self.problems.add(Problem(span_of(tokens), "A battle is of one edition: name only one."))
        if self.edition is None:
            self.edition, self.edition_text = edition, name


_NAMES = {" ".join(name.replace("-", " ").split()): edition for name, edition in NAMES.items()}


def _after_heading(tokens: list[Token], at: int) -> int:
    """Return where the units begin after a heading such as `Attacking units (Germany):`."""
    at += 1
    while at < len(tokens) and tokens[at].word in HEADING_FILLERS:
        at += 1
    if at < len(tokens) and tokens[at].text == "(":
        closing = next((end for end in range(at, len(tokens)) if tokens[end].text == ")"), None)
        at = at if closing is None else closing + 1
    if at < len(tokens) and (tokens[at].word in COLONS or tokens[at].is_dash):
        at += 1
    return at
