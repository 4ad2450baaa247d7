"""The parts of a battle text, and its armies with what can be wrong about them in their edition.

The parts are its edition, the waves of the attacker, the defender, and the options after them:
`1942: 6 inf then 3 ftr vs 10 inf | rounds 3`, or with headings: `Attacker: 6 inf Defender: 5 inf`. Source:
.docs/rules/axis_allies.md, "Words" and "In the chat line": what is refused.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, groupby, pairwise
from operator import attrgetter

from sim.axis_allies.army import Army
from sim.axis_allies.editions import DEFAULT, EDITIONS, NAMES, Edition, edition_named
from sim.axis_allies.parse import words as w
from sim.axis_allies.parse.parting import parted
from sim.axis_allies.parse.side import Item, SideReader
from sim.axis_allies.question import MAX_WAVES, Wave
from sim.axis_allies.units import Category, Unit
from sim.core import Faults, Problem, RuleError, Span
from sim.core.names import HEADINGS, QUOTE, VERSUS, nearest
from sim.core.values import Side

_ROUNDS = frozenset({"round", "rounds"})
_YEAR_DIGITS = 4
_MAX_NAME = 40
_BEFORE_SEGMENTS = VERSUS | HEADINGS.keys() | w.COLONS
_LIKENESS = 75.0
"""Minimum likeness (0 to 100) of a word before a colon with an edition's name."""


@dataclass(slots=True)
class Part:
    """The tokens of one army; `start`: where its text begins."""

    start: int = 0
    tokens: list[w.Token] = field(default_factory=list)


class Layout:
    """A text as its parts; `problems`: what is wrong with them.

    `edition`: the one that the text names, if any, and `edition_text` as it does; `edition_places`: where it does.
    `versus`: the word that separates the sides, if one does; `again`: the first that would do so once more. `waves`:
    the attacker's. `defender`: None if nothing separates the sides. `end`: where the armies end. `options`: tokens of
    each option; `luck_first`: whether the first one stands before the armies. `plain`: whether every part is marked as
    such. `signs`: whether a sign may separate the sides.
    """

    def __init__(self, text: str, *, signs: bool = True) -> None:
        self.problems = Faults[Problem]()
        self.edition: Edition | None = None
        self.edition_text: str | None = None
        self.edition_places: list[Span] = []
        self.versus: w.Token | None = None
        self.again: w.Token | None = None
        self.waves = [Part()]
        self.defender: Part | None = None
        self.luck_first = False
        runs = groupby(w.tokens_of(text), lambda token: token.text == w.OPTION)
        sections = [[*run] for bar, run in runs if not bar] or [[]]
        self.options = sections[1:]
        tokens = parted(text, sections[0], signs=signs)
        self.plain = tokens is sections[0]
        armies = self._cut_options(tokens)
        self._read(text, armies)
        ends = [place.end for place in (*(token.span for token in armies[-1:]), *self.edition_places)]
        self.end = max(ends) if self.options and ends else len(text)

    def side_text(self, text: str, side: Side) -> str:
        """Return the part of the text about `side`, "" if there is none."""
        parts = self.waves if side is Side.ATTACKER else [self.defender] if self.defender is not None else []
        tokens = [token for part in parts for token in part.tokens if not token.separates]
        return text[tokens[0].span.start : tokens[-1].span.end] if tokens else ""

    def book(self, chosen: str | None, default: str = DEFAULT) -> Edition:
        """Return the edition: the one chosen, else that of the text, else the default."""
        return EDITIONS[chosen] if chosen is not None else self.edition or EDITIONS[default]

    def _cut_options(self, tokens: list[w.Token]) -> list[w.Token]:
        """Return the tokens of the armies; those of options without a bar after them become options."""
        vs = next((at for at, token in enumerate(tokens) if token.word in w.PARTING), len(tokens))
        starts = [at for at in range(vs + 1, len(tokens)) if _begins_option(tokens, at)]
        options = [_stripped(tokens[start:end]) for start, end in pairwise([*starts, len(tokens)])]
        words = tuple(token.word for token in tokens[:2])
        first = max((len(luck) for luck in w.LOW_LUCK if words[: len(luck)] == luck), default=0)
        self.luck_first = first > 0
        self.options = [*([tokens[:first]] if first else []), *options, *self.options]
        self.plain = self.plain and not (starts or first)
        first += self.luck_first and w.token_at(tokens, first).is_colon
        return _stripped(tokens[first : starts[0]]) if starts else tokens[first:]

    def _read(self, text: str, tokens: list[w.Token]) -> None:
        part: Part | None = self.waves[0]
        # Beside headings, this sign is left from a quote whose line breaks are gone.
        headed = {HEADINGS[token.word] for token in tokens if token.word in HEADINGS} == set(Side)
        parted = headed or any(token.word in VERSUS for token in tokens)
        at = 0
        while at < len(tokens):
            token, end = tokens[at], at + 1
            begins, follows = part is not None and not part.tokens, w.token_at(tokens, end)
            # A word parts two sides unless others do; an "attack" with a colon is a heading.
            verb = not parted and self.defender is None and token.word in w.VERBS and not follows.is_colon
            verb &= not (token.word.startswith("attack") and follows.word in w.WITH)  # with what is left to say
            if (begins and token.separates) or (headed and token.text == QUOTE):
                pass
            elif named := self._edition(tokens, at, begins=begins):
                end = named
                self.edition_places.append(w.typed_place(text, w.span_of(tokens[at:end])))
                if part is not None and begins:
                    part.start = self.edition_places[-1].end
            elif token.word in VERSUS or (verb and not begins) or (token.word == "or" and self.versus is not None):
                part = self._cut(token, part)
            elif token.word in HEADINGS:
                end = _after_heading(tokens, at)
                part = self._head(token, tokens[end - 1].span.end)
            elif token.word == w.THEN:
                part = self._wave(token, part)
            elif part is not None:
                part.tokens.append(token)
            at = end

    def _cut(self, versus: w.Token, part: Part | None) -> Part | None:
        """Begin the other side."""
        if self.versus is not None:
            self.again = self.again or versus
            return None
        self.versus = versus
        self.plain = self.plain and versus.word in VERSUS
        defended = part is not None and part is self.defender
        return self._begin(Side.ATTACKER if defended else Side.DEFENDER, versus.span.end)

    def _head(self, heading: w.Token, start: int) -> Part | None:
        """Begin the side that a heading names."""
        side = HEADINGS[heading.word]
        own = self.waves[0] if side is Side.ATTACKER else self.defender
        if own is not None and own.tokens:
            self.problems.add(Problem(heading.span, f"The {side} is there twice: put all its units in one place."))
            return None
        return self._begin(side, start)

    def _begin(self, side: Side, start: int) -> Part:
        part = self.waves[-1]
        if side is Side.DEFENDER:
            self.defender = part = self.defender or Part()
        part.start = start
        return part

    def _wave(self, then: w.Token, part: Part | None) -> Part | None:
        """Begin the attacker's next wave."""
        if part is not self.waves[-1]:
            if part is not None:
                self.problems.add(Problem(then.span, "Only the attacker comes in waves: put commas between units."))
            return part
        if len(self.waves) == MAX_WAVES:
            self.problems.add(Problem(then.span, f"An attacker comes in at most {MAX_WAVES} waves."))
            return None
        self.waves.append(Part(then.span.end))
        return self.waves[-1]

    def _edition(self, tokens: list[w.Token], at: int, *, begins: bool) -> int:
        """Read an edition's name; return where it ends, 0 if there is none. `begins`: nothing of this side was read.

        It is `edition:1942`, `1942:`, `1942` before a count, or what ends a battle.
        """
        start = at + (tokens[at].word == "edition")
        said = start > at and w.token_at(tokens, start).is_colon
        start += said
        if start == len(tokens):
            return 0
        found, length = w.longest_name(tokens, start, w.EDITION_NAMES)
        end = start + length
        follows = w.token_at(tokens, end)
        colon, counted = follows.is_colon, follows.word[:1].isdecimal()
        if start > at:
            named = said or found is not None
        elif found is None:
            named = begins and colon and self._looks_like_edition(tokens, at)
        else:
            named = colon or counted if begins else self._is_last(tokens, at, end)
        if not named:
            return 0
        self._name(tokens[start:end], found)
        return end + colon

    def _is_last(self, tokens: list[w.Token], at: int, end: int) -> bool:
        """Return whether an edition's name ends a battle; a year is none where counts follow their units."""
        if end < len(tokens) or self.defender is None or w.unit_at(tokens, at)[0] is not None:
            return False
        ends = (number for number in range(at) if tokens[number].separates or tokens[number].word in _BEFORE_SEGMENTS)
        first = tokens[max(ends, default=-1) + 1].text
        word = tokens[at].word
        return not word.isdecimal() or (len(word) == _YEAR_DIGITS and first[0].isdecimal())

    def _looks_like_edition(self, tokens: list[w.Token], at: int) -> bool:
        """Return whether the word before a colon is meant as an edition: a year, or nearly a name."""
        word = tokens[at].word
        if word[:_YEAR_DIGITS].isdecimal() and len(word) >= _YEAR_DIGITS:
            return True
        known = word in HEADINGS or w.unit_at(tokens, at)[0] is not None
        return not known and nearest(word[:_MAX_NAME], NAMES, least=_LIKENESS) is not None

    def _name(self, tokens: list[w.Token], found: Edition | None) -> None:
        name = " ".join(token.text for token in tokens)
        try:
            edition = found or edition_named(name)
        except RuleError as error:
            word = name[:_MAX_NAME].casefold()
            near = None if word[:1].isdecimal() else nearest(word, NAMES, least=_LIKENESS)
            self.problems.add(Problem(w.span_of(tokens), str(error), None if near is None else near.name))
            return
        if self.edition is not None and self.edition is not edition:
            self.problems.add(Problem(w.span_of(tokens), "A battle is of one edition: name only one."))
        if self.edition is None:
            self.edition, self.edition_text = edition, name


def _begins_option(tokens: list[w.Token], at: int) -> bool:
    """Return whether an option without a bar begins at `at`: `low luck`, `for 3 rounds`, `no retreat`."""
    before = tokens[at - 1].word
    if before in {"no", "must", "for", "after"} or (before.isdecimal() and tokens[at].word in _ROUNDS):
        return False
    at += tokens[at].word == "for"
    word = w.token_at(tokens, at).word
    return word in w.UNBARRED or (word.isdecimal() and w.token_at(tokens, at + 1).word in _ROUNDS)


def _stripped(tokens: list[w.Token]) -> list[w.Token]:
    """Return tokens without separators at their end."""
    return [*dropwhile(attrgetter("separates"), reversed(tokens))][::-1]


def _after_heading(tokens: list[w.Token], at: int) -> int:
    """Return where the units begin after a heading such as `Attacking units (Germany):`."""
    at += 1
    while w.token_at(tokens, at).word in w.HEADING_FILLERS:
        at += 1
    if w.token_at(tokens, at).word == "(":
        closing = next((end for end in range(at, len(tokens)) if tokens[end].text == ")"), None)
        at = at if closing is None else closing + 1
    mark = w.token_at(tokens, at)
    return at + (mark.is_colon or mark.is_dash)


class ArmyReader:
    """Reads the armies of a text; adds mistakes to `problems`.

    `loose`: ships beside land units that nothing says bombard; they are read as if they did where they can, else left
    out. `strange`: what is wrong with words without a count that name nothing.
    """

    def __init__(self, text: str, problems: Faults[Problem], book: Edition) -> None:
        self.text = text
        self.problems = problems
        self.book = book
        self.loose: list[Item] = []
        self.strange = Faults[Problem]()
        self._items: list[Item] = []

    @property
    def bombarding(self) -> Collection[Unit]:
        """What may bombard in the edition, with any technology."""
        technologies = (technology.bombarding for technology in self.book.technology.values())
        return [*self.book.rules.bombarding, *(unit for unit in technologies if unit is not None)]

    def army(self, tokens: Sequence[w.Token], place: int, who: str) -> Army:
        """Read an army by itself, empty after any mistake; `place`: where it should be if there is none."""
        reader = self._read(tokens)
        self._forbid(reader, "only in a battle")
        return self._army(reader, place, who)

    def defender(self, tokens: Sequence[w.Token], place: int) -> Army:
        """Read the defender, empty after any mistake."""
        reader = self._read(tokens, plurals=False)
        self._forbid(reader, "only for the attacker")
        land, ships = reader.of_category(Category.LAND), reader.of_category(Category.NAVAL)
        if land and ships and self.bombarding:
            self._refuse(ships, "Ships don't fight on land: leave them out, or the land units.")
        elif ships and any(item.bombard is not None for item in self._items):
            self._refuse(ships[:1], "Ships bombard a territory, and these are at sea: leave one or the other out.")
        army = self._army(reader, place, "The defender")
        if army and not army.fighters:
            self._refuse(land, "There is nothing to fight but an antiaircraft gun.")
        return army

    def wave(self, tokens: Sequence[w.Token], place: int, who: str) -> Wave | None:
        """Read an attacker, None after any mistake."""
        already = len(self.problems)
        reader = self._read(tokens, plurals=False)
        land, ships = reader.of_category(Category.LAND), reader.of_category(Category.NAVAL)
        self._refuse([item for item in land if item.unit is Unit.GUN], "Antiaircraft guns never attack.")
        marked = [item for item in reader.items if item.bombard is not None]
        for item in marked:
            if item.unit in self.book.units and item.unit not in self.bombarding:
                self._refuse([item], self._cannot_bombard(item.unit))
        if land and self.bombarding:
            self.loose += ships
            for ship in ships:
                ship.bombard = ship.span
            reader.items = [item for item in reader.items if item not in ships or item.unit in self.bombarding]
        elif marked and not land and len(self.problems) == already and self._in_edition(reader):
            self._refuse(marked[:1], "Ships bombard for land units that come ashore, and there are none.")
        if len(self.problems) > already or not (army := self._army(reader, place, who)):
            return None
        return Wave(army=army, bombard=reader.army(bombarding=True), landing=reader.landing)

    def finish(self) -> None:
        """Name the edition that has what this one lacks: one for all units of the text, if possible."""
        together = w.edition_with(self.book, (item.unit for item in self._items))
        for item in self._items:
            if item.unit in self.book.units:
                continue
            other = together or w.edition_with(self.book, (item.unit,))
            if other is not None:
                message = f"{self.book.name.capitalize()} has no {item.unit.plural}; {w.add_edition(other)}"
                self.problems.add(Problem(item.name, message))

    def _read(self, tokens: Sequence[w.Token], *, plurals: bool = True) -> SideReader:
        """Read a side; `plurals`: several units without a count, such as "tanks", are one."""
        reader = SideReader(self.text, tokens, self.problems, self.book)
        for item in reader.items:
            name = w.plain_name(self.text[item.name.start : item.name.end].casefold())
            plural = name.endswith("s") and w.UNIT_NAMES.get(name[:-1]) is item.unit  # "infs", not "ss"
            if plural and not (plurals or item.counted):
                message = f"How many {item.unit.plural}? Put a number before the unit: 6 {item.unit.plural}"
                self.problems.add(Problem(item.name, message))
        self._items += reader.items
        self.strange.extend(reader.strange.told)
        return reader

    def _in_edition(self, reader: SideReader) -> bool:
        return all(item.unit in self.book.units for item in reader.items)

    def _army(self, reader: SideReader, place: int, who: str) -> Army:
        if not reader.readable or not self._in_edition(reader):
            return Army(edition=self.book.name)
        army = reader.army()
        if not army:
            if not reader.items:
                self.problems.add(Problem(Span(place, place), f"{who} has no units yet."))
            elif all(item.bombard is None for item in reader.items):
                none = "0.000001 or less, which counts as zero" if any(item.count for item in reader.items) else "zero"
                message = f"{who} has no units: every count is {none}."
                self.problems.add(Problem(w.span_of(reader.tokens), message))
        return army

    def _refuse(self, items: Iterable[Item], message: str) -> None:
        self.problems.extend(Problem(item.span, message) for item in items)

    def _forbid(self, reader: SideReader, where: str) -> None:
        """Refuse what only an attacker does."""
        for item in reader.items:
            if item.bombard is not None:
                self.problems.add(Problem(item.bombard, f"Ships bombard {where}."))
        if reader.landing_span is not None:
            self.problems.add(Problem(reader.landing_span, f"Land units come by sea {where}."))

    def _cannot_bombard(self, unit: Unit) -> str:
        able = " and ".join(ship.plural for ship in self.book.rules.bombarding)
        if unit.category is not Category.NAVAL:
            return "Only ships bombard: put the word right after them."
        if not able:
            return f"In {self.book.title}, no ships bombard."
        return f"In {self.book.title}, only {able} bombard."
