"""The units of one side as they are typed or pasted: `6 tanks, Tank x6, Infantry: 6, six tanks, 2 bb (1 damaged)`.

Source: .docs/rules/axis_allies.md, "Army text" and "In the chat line". A side is a list of units with counts; a unit
without a count is one. Every mistake is added to the problems, with its place.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile

from sim.axis_allies.army import MAX_COUNT, NEGLIGIBLE_COUNT, Army, Group
from sim.axis_allies.casualties import LIFE_OF
from sim.axis_allies.editions import Edition
from sim.axis_allies.parse import words as w
from sim.axis_allies.units import WORDS, Category, Unit, nearest_name
from sim.core import Faults, Problem, Span
from sim.core.names import NUMBER_WORDS
from sim.core.numbers import amount

_N = w.COUNT.pattern
# A count, perhaps with "x" and a unit attached: 6, 2.5, .5, 3., 6t, 6xtanks.
_COUNTED = re.compile(rf"(?P<count>{_N})(?P<times>[xX](?=.))?(?P<word>\D*)", re.ASCII)
_TIMES_COUNT = re.compile(rf"[xX](?P<count>{_N})", re.ASCII)
_DASH_COUNT = re.compile(r"-(?P<count>[0-9]+)", re.ASCII)
_THOUSANDS = re.compile(r"[0-9]{1,3}(,[0-9]{3})+(?![0-9])", re.ASCII)
_DAMAGE = re.compile(
    rf"\s*(?:(?P<hits>{_N})\s*(?:hits?|damaged)|(?P<lives>{_N})\s*(?:extra\s+)?(?:life|lives))\s*",
    re.ASCII | re.IGNORECASE,
)
_BRACKET_COUNT = re.compile(rf"\s*[xX]?\s*(?P<count>{_N})\s*[xX]?\s*", re.ASCII)
_NO_NAMES = w.BOMBARD | w.COLONS | {"(", ")"}
_MAX_SHORT = 4  # letters of a word that resembles too much


@dataclass(slots=True)
class Item:
    """A unit with its count, as typed in one place; `name`: the place of its name.

    `damage`: hits that its ships have absorbed. `bombard`: the word that makes them bombard; None where there is none.
    `counted`: whether it has a count, else it is one.
    """

    unit: Unit
    count: Fraction
    span: Span
    name: Span
    damage: Fraction = Fraction(0)
    bombard: Span | None = None
    counted: bool = True


class SideReader:
    """Reads the tokens of one side from left to right.

    `items`: what was read, also units that the edition lacks. `strange`: what is wrong with words without a count that
    name nothing, apart from the other problems. `landing`: how many land units come by sea.
    """

    def __init__(self, text: str, tokens: Sequence[w.Token], problems: Faults[Problem], book: Edition) -> None:
        self.text = text
        self.tokens = tokens
        self.problems = problems
        self.book = book
        self.items: list[Item] = []
        self.strange = Faults[Problem]()
        self.landing: int | None = None
        self.landing_span: Span | None = None
        self._totals: defaultdict[Unit, Fraction] = defaultdict(Fraction)
        already = len(problems)
        self._at = 0
        self._segment_end = 0
        # Whether each unit of the segment stands before its count: Infantry 6 Tank 2.
        self._counts_follow = False
        # The last unit, which a bracket or a word after it may damage or make bombard.
        self._last: Item | None = None
        # From "bombard:" on, everything to the end of the side.
        self._all_bombard: Span | None = None
        while self._at < len(tokens):
            if self._at >= self._segment_end:
                self._begin_segment()
            self._item(self._take())
        self.readable = len(problems) == already

    def _begin_segment(self) -> None:
        segment = [*takewhile(lambda token: not token.separates, self.tokens[self._at :])]
        self._segment_end = self._at + max(len(segment), 1)
        while len(segment) > 1 and segment[-1].word in w.BOMBARD:
            segment.pop()
        self._counts_follow = len(segment) > 1 and segment[-1].is_count and not self._number_ahead()

    def _ahead(self, more: int = 0) -> w.Token:
        """Return the next token, or one after it."""
        return w.token_at(self.tokens, self._at + more)

    def _take(self) -> w.Token:
        self._at += 1
        return self.tokens[self._at - 1]

    def _take_colon(self) -> bool:
        colon = self._ahead().is_colon
        self._at += colon
        return colon

    def _unit_ahead(self, more: int = 0) -> bool:
        return w.unit_at(self.tokens, self._at + more)[0] is not None

    def _number_ahead(self, more: int = 0) -> bool:
        """Return whether a token begins with a number, however it is written."""
        return self._ahead(more).starts_number or self._article_ahead(more)

    def _article_ahead(self, more: int = 0) -> bool:
        """Return whether a token is the one of "a tank", not artillery."""
        return self._ahead(more).word in {"a", "an"} and (
            self._ahead(more + 1).word in w.DAMAGED | w.FULL or self._unit_ahead(more + 1)
        )

    def _problem(self, span: Span, message: str) -> None:
        self.problems.add(Problem(span, message))

    def _item(self, token: w.Token) -> None:
        if token.separates or token.is_colon:
            return
        if token.text == "(":
            self._bracket(token)
        elif token.word in w.BOMBARD:
            self._bombard(token)
        elif token.word == w.LANDING:
            self._landing(token)
        elif token.word in w.DAMAGED:
            self._damaged(token)
        elif self._article_ahead(-1):
            self._counted(Fraction(1), token)
        elif token.starts_number:
            self._number(token)
        else:
            self._unit(token, None, token)

    def _number(self, token: w.Token) -> None:
        counted = None if _THOUSANDS.match(self.text, token.span.start) else _COUNTED.fullmatch(token.text)
        digits, word = (token, "") if counted is None else (token.part(0, len(counted["count"])), counted["word"])
        count = self._count(digits)
        if word and word.casefold() not in w.TIMES:
            self._unit(token.part(len(token.text) - len(word)), count or Fraction(0), digits)
        elif count is not None:
            self._counted(count, digits)
        elif self._unit_ahead():  # the unit after a bad count is no second problem
            self._at += w.unit_at(self.tokens, self._at)[1]

    def _count(self, token: w.Token) -> Fraction | None:
        """Read a count; None, and a problem, if it is none."""
        if thousands := _THOUSANDS.match(self.text, token.span.start):
            while self._at < len(self.tokens) and self._ahead().span.start < thousands.end():
                self._at += 1
            plain = w.shortened(thousands[0].replace(",", ""))
            self._problem(Span(*thousands.span()), f"A comma separates two units: write {plain} without it.")
            return None
        if token.word in NUMBER_WORDS:
            return Fraction(NUMBER_WORDS[token.word])
        if not token.is_count:
            negative = w.NEGATIVE.match(token.text)
            wrong = "A count can't be negative." if negative else "Put a number before each unit: 6 tanks"
            self._problem(token.span, wrong)
            return None
        whole = token.text.partition(".")[0].lstrip("0")
        # Check the length first: hundreds of digits must not cost anything.
        if len(whole) > len(str(MAX_COUNT)) or Fraction(token.text) > MAX_COUNT:
            self._problem(token.span, f"At most {MAX_COUNT:,} of a unit can fight.")
            return Fraction(0)
        return Fraction(token.text)

    def _counted(self, count: Fraction, number: w.Token) -> None:
        """Read the unit after its count."""
        marks = set[str]()
        while self._ahead().word in w.TIMES | w.DAMAGED | w.FULL:
            marks.add(self._take().word)
        ahead = self._ahead()
        if ahead is w.END or ahead.separates or ahead.word in _NO_NAMES or ahead.starts_number:
            self._problem(number.span, f"{w.shortened(number.text)} of what? Put a unit after the number.")
            return
        self._unit(self._take(), count, number)
        if self._last is None:
            return
        if marks & w.DAMAGED:
            self._damage(number.span, count, self._last)
        if marks & w.FULL and self._last.unit is Unit.CARRIER:
            self._add(Item(Unit.FIGHTER, self._last.count * 2, self._last.span, self._last.name))
        elif marks & w.FULL:
            self._problem(number.span, "Only carriers can be full: with two fighters each.")

    def _unit(self, name: w.Token, count: Fraction | None, first: w.Token) -> None:
        """Read a unit's name; `name` is the last token or its tail, `first` the first token of the item."""
        before = self.tokens[self._at - 2] if self._at > 1 else name
        previous = None if before.separates or before.is_colon else self._last
        unit, length = w.unit_at(self.tokens, self._at - 1, name.word)
        if unit is None:
            self._last = None
            self._unknown(name, counted=count is not None)
            return
        self._at += length - 1
        place = Span(name.span.start, self.tokens[self._at - 1].span.end)
        if count is None:
            count = self._count_after()
        myself = name.word == "i" and len(self.tokens) > 1  # "i" alone is an army, as in "i vs t"
        if count is None and (myself or (len(name.word) == 1 and self._number_ahead())):  # or the A of "A 5 tanks"
            self.strange.add(Problem(name.span, f"How many {unit.plural}? For one, write: 1 {unit}"))
            return
        counted = count is not None
        if not counted and previous is not None and previous.counted and previous.unit is not unit:
            typed = f"{amount(previous.count)} {previous.unit.named(amount(previous.count))}"
            self._problem(place, f"How many {unit.plural}? For one, write: {typed}, 1 {unit}")
            counted = True
        span = Span(first.span.start, max(place.end, self.tokens[self._at - 1].span.end))
        one = Fraction(1) if count is None else count
        self._last = Item(unit, one, span, place, bombard=self._all_bombard, counted=counted)
        self._add(self._last, first.span if first is not name else span)

    def _add(self, item: Item, place: Span | None = None) -> None:
        self.items.append(item)
        self._totals[item.unit] += item.count
        if self._totals[item.unit] > MAX_COUNT:
            message = f"Too many {item.unit.plural} in all: at most {MAX_COUNT:,} of a unit can fight."
            self._problem(place or item.span, message)

    def _count_after(self) -> Fraction | None:
        """Read the count that follows a unit's name: x6, x 6, : 6, - 6, (6), or 6 if all counts follow; else None."""
        ahead, second = self._ahead(), self._ahead(1)
        joined = ahead.span.start == self.tokens[self._at - 1].span.end
        if _TIMES_COUNT.fullmatch(ahead.text) or (joined and _DASH_COUNT.fullmatch(ahead.text)):
            number, length = ahead.part(1), 1
        elif ahead.text == "(" and self._ahead(2).text == ")" and (inside := _BRACKET_COUNT.fullmatch(second.text)):
            number, length = w.Token(inside["count"], second.span), 3
        elif second.is_count and (ahead.is_colon or ahead.is_dash or ahead.word in w.TIMES):
            # What separates two items may also stand before a count, if no unit follows: Infantry - 6, Tank - 2.
            if (ahead.is_dash or ahead.word == "*") and self._unit_ahead(2):
                return None
            number, length = second, 2
        elif ahead.is_colon and self._number_ahead(1):
            number, length = second, 2
        elif self._counts_follow and ahead.is_count:
            number, length = ahead, 1
        else:
            return None
        self._at += length
        return self._count(number) or Fraction(0)

    def _unknown(self, name: w.Token, *, counted: bool) -> None:
        if name.text == ")":
            self._problem(name.span, "This bracket was never opened.")
            return
        if name.word in w.OPTION_WORDS:
            self._problem(name.span, f"Options go after a bar: {w.OPTION} {name.word} …")
            self._at = len(self.tokens)  # the rest belongs to it: no further problems
            return
        near = None if self.problems.full or self.strange.full else nearest_name(name.text)
        message = "No unit has this name."
        if near is None:
            message += f" The units: {', '.join(unit.plural for unit in self.book.units)}."
        elif (unit := WORDS[near]) not in self.book.units:
            message, near = f"No unit has this name, and {self.book.name.capitalize()} has no {unit.plural}.", None
        typo = counted or (near is not None and len(name.text) > _MAX_SHORT)
        alone = not typo and name.text.isalnum() and name.text[0].isalpha() and name.word not in w.TELLING
        (self.strange if alone else self.problems).add(Problem(name.span, message, near))

    def _bracket(self, opening: w.Token) -> None:
        """Read `(1 damaged)`, `(1 hit)`, `(1 life)` or `(bombarding)` after a unit, or `(1) tank`."""
        end = next((at for at in range(self._at, len(self.tokens)) if self.tokens[at].text == ")"), None)
        if end is None:
            self._problem(opening.span, "This bracket is never closed.")
            self._at = len(self.tokens)  # the rest was meant to be inside: no further problems
            return
        number = self._ahead()
        if number.is_count and end == self._at + 1 and self._unit_ahead(2):
            self._at = end + 1
            self._counted(self._count(number) or Fraction(0), number)
            return
        self._at = end + 1
        span = Span(opening.span.start, self.tokens[end].span.end)
        inside, last = self.text[span.start + 1 : span.end - 1], self._last
        if inside.strip() and all(word.casefold() in w.BOMBARD for word in re.findall(r"[^\s,]+", inside)):
            self._mark(span)
        elif last is None or not self._lives(last.unit):
            self._damage(span, Fraction(0), last)
        elif found := _DAMAGE.fullmatch(inside):
            left = found["lives"]
            whole = last.count * self._lives(last.unit)
            self._damage(span, whole - Fraction(left) if left else Fraction(found["hits"]), last)
        else:
            self._problem(span, "Brackets are for damage, as in: 2 battleships (1 damaged)")

    def _lives(self, unit: Unit) -> int:
        """Return how many hits a unit absorbs, 0 if the edition lacks it."""
        return self.book.lives(unit) if unit in self.book.units else 0

    def _damage(self, span: Span, hits: Fraction, item: Item | None) -> None:
        """Add hits that the ships of an item have absorbed."""
        if item is not None and item.unit not in self.book.units:
            return  # that is the problem
        if item is None or not self._lives(item.unit):
            ships = " and ".join(unit.plural for unit in LIFE_OF if self._lives(unit))
            where = ": put the brackets right after them" if self.text[span.start] == "(" else ""
            none = f"In {self.book.title}, no ship takes two hits."
            self._problem(span, f"Only {ships} can be damaged{where}." if ships else none)
            return
        item.damage += hits
        item.span = Span(min(item.span.start, span.start), max(item.span.end, span.end))
        lives = item.count * self._lives(item.unit)
        if not 0 <= item.damage <= lives:
            count, most = amount(item.count), amount(lives)
            word = "hit" if most == "1" else "hits"
            self._problem(span, f"{count} {item.unit.named(count)} can take {most} {word} before one sinks.")

    def _damaged(self, token: w.Token) -> None:
        """Read `damaged bb`, or `damaged` after a unit."""
        if self._unit_ahead():
            self._at -= 1
            self._counted(Fraction(1), token)
        elif self._last is not None:
            self._damage(token.span, self._last.count, self._last)
        else:
            self._problem(token.span, "Damaged what? Put a ship after it: 1 damaged battleship")

    def _bombard(self, token: w.Token) -> None:
        """Read a word that makes the ships before it bombard; with a colon, or without ships, everything after it."""
        words = [token]
        while self._ahead().word in w.BOMBARD:
            words.append(self._take())
        ships = self._last is not None and self._last.unit.category is Category.NAVAL
        if self._take_colon() or (not ships and self._number_ahead()):  # 6 inf, bombard 2 bb: it can't be the infantry
            self._all_bombard = w.span_of(words)
        else:
            self._mark(w.span_of(words))

    def _mark(self, span: Span) -> None:
        if self._last is None:
            self._problem(span, "Put bombard right after the ships, as in: 2 battleships bombard")
            return
        self._last.bombard = span
        self._last.span = Span(self._last.span.start, max(self._last.span.end, span.end))

    def _landing(self, token: w.Token) -> None:
        """Read `landing 3`."""
        self._take_colon()
        if not self._ahead().is_count:
            self._problem(token.span, "How many land units come by sea? Put the number after it: landing 3")
            return
        number = self._take()
        count, span = self._count(number), Span(token.span.start, number.span.end)
        if count is None:
            return
        if self.landing_span is not None:
            self._problem(span, "Say only once how many units land.")
        elif count.denominator != 1:
            self._problem(span, "Only whole units can land.")
        else:
            self.landing, self.landing_span = int(count), span

    def army(self, *, bombarding: bool = False) -> Army:
        """Return the army, or the ships that bombard; empty if there are none. Only for what was readable."""
        counts: defaultdict[Unit, Fraction] = defaultdict(Fraction)
        damage: defaultdict[Unit, Fraction] = defaultdict(Fraction)
        for item in self.items:
            if (item.bombard is not None) is bombarding:
                counts[item.unit] += item.count
                damage[item.unit] += item.damage
        groups = tuple(
            Group(unit=unit, count=count, lives=count * self.book.lives(unit) - damage[unit])
            for unit, count in counts.items()
            if count > NEGLIGIBLE_COUNT
        )
        return Army(groups=groups, edition=self.book.name) if groups or not bombarding else Army()

    def of_category(self, category: Category) -> list[Item]:
        """Return the items of a category that don't bombard, without what the edition lacks or counts zero."""
        own = [item for item in self.items if item.unit.category is category and item.bombard is None]
        return [item for item in own if item.unit in self.book.units and item.count > NEGLIGIBLE_COUNT]
