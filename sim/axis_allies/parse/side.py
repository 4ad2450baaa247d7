"""The units of one side as they are typed or pasted: `6 tanks, Tank x6, Infantry: 6, six tanks, 2 bb (1 damaged)`.

Source: .docs/rules/axis_allies.md, "Army text" and "In the chat line". A side is a list of units with counts; a unit
without a count is one. Every mistake is added to the problems, with its place.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sim.axis_allies.army import MAX_COUNT, NEGLIGIBLE_COUNT, Army, Group
from sim.axis_allies.casualties import LIFE_OF
from sim.axis_allies.editions import Edition
from sim.axis_allies.parse import words as w
from sim.axis_allies.units import WORDS, Category, Unit, nearest_name
from sim.core import Faults, Problem, Span
from sim.core.names import NUMBER_WORDS
from sim.core.numbers import amount

_DIGITS = re.compile(r"[0-9]+\.?[0-9]*|\.[0-9]+", re.ASCII)
# A count, perhaps with "x" and a unit attached: 6, 2.5, .5, 3., 6t, 6xtanks.
_COUNTED = re.compile(rf"(?P<count>{_DIGITS.pattern})(?P<times>[xX](?=.))?(?P<word>\D*)", re.ASCII)
_TIMES_COUNT = re.compile(rf"[xX](?P<count>{_DIGITS.pattern})", re.ASCII)
_DASH_COUNT = re.compile(r"-(?P<count>[0-9]+)", re.ASCII)
_THOUSANDS = re.compile(r"[0-9]{1,3}(,[0-9]{3})+(?![0-9])", re.ASCII)
_DAMAGE = re.compile(
    rf"\s*(?P<count>{_DIGITS.pattern})\s*(?P<what>hits?|damaged|(?:extra\s+)?(?:life|lives))\s*",
    re.ASCII | re.IGNORECASE,
)
_BRACKET_COUNT = re.compile(rf"\s*[xX]?\s*(?P<count>{_DIGITS.pattern})\s*[xX]?\s*", re.ASCII)
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
        self._totals: dict[Unit, Fraction] = {}
        already = len(problems)
        self._at = 0
        self._segment_end = 0
        # Whether each unit of the segment stands before its count: Infantry 6 Tank 2.
        self._counts_follow = False
        # The last unit, which a bracket or a word after it may damage or make bombard.
        self._last: Item | None = None
        # From "bombard:" on, everything to the end of the side.
        self._all_bombard: Span | None = None
        while self._ahead is not None:
            if self._at >= self._segment_end:
                self._begin_segment()
            self._item(self._take())
        self.readable = len(problems) == already

    def _begin_segment(self) -> None:
        tokens = self.tokens
        end = next((at for at in range(self._at, len(tokens)) if tokens[at].separates), len(tokens))
        last = end - 1
        while last > self._at and tokens[last].word in w.BOMBARD:
            last -= 1
        self._segment_end = max(end, self._at + 1)
        self._counts_follow = not self._number_at(self._at) and last > self._at and self._plain_number(last)

    @property
    def _ahead(self) -> w.Token | None:
        return self.tokens[self._at] if self._at < len(self.tokens) else None

    def _take(self) -> w.Token:
        token = self.tokens[self._at]
        self._at += 1
        return token

    def _plain_number(self, at: int) -> bool:
        """Return whether a token is a count and nothing else."""
        return at < len(self.tokens) and (
            _DIGITS.fullmatch(self.tokens[at].text) is not None or self.tokens[at].word in NUMBER_WORDS
        )

    def _number_at(self, at: int) -> bool:
        """Return whether a token begins with a number, however it is written."""
        return at < len(self.tokens) and (w.starts_number(self.tokens[at]) or self._article_at(at))

    def _unit_at(self, at: int) -> bool:
        return at < len(self.tokens) and w.unit_at(self.tokens, at)[0] is not None

    def _article_at(self, at: int) -> bool:
        """Return whether a token is the one of "a tank", not artillery."""
        return (
            w.word_at(self.tokens, at) in {"a", "an"}
            and at + 1 < len(self.tokens)
            and (w.word_at(self.tokens, at + 1) in w.DAMAGED | w.FULL or self._unit_at(at + 1))
        )

    def _problem(self, span: Span, message: str) -> None:
        self.problems.add(Problem(span, message))

    def _item(self, token: w.Token) -> None:
        if token.separates or token.word in w.COLONS:
            return
        if token.text == "(":
            self._bracket(token)
        elif token.word in w.BOMBARD:
            self._bombard(token)
        elif token.word == w.LANDING:
            self._landing(token)
        elif token.word in w.DAMAGED:
            self._damaged(token)
        elif self._article_at(self._at - 1):
            self._counted(Fraction(1), token)
        elif not w.starts_number(token):
            self._unit(token, None, token)
        else:
            self._number(token)

    def _number(self, token: w.Token) -> None:
        counted = None if _THOUSANDS.match(self.text, token.span.start) else _COUNTED.fullmatch(token.text)
        digits = token
        if counted is not None:
            digits = token.part(0, len(counted["count"]))
        count, word = self._count(digits), "" if counted is None else counted["word"]
        if word and word.casefold() not in w.TIMES:
            self._unit(token.part(len(token.text) - len(word)), count or Fraction(0), digits)
        elif count is not None:
            self._counted(count, digits)
        elif self._unit_at(self._at):  # the unit after a bad count is no second problem
            self._at += w.unit_at(self.tokens, self._at)[1]

    def _count(self, token: w.Token) -> Fraction | None:
        """Read a count; None, and a problem, if it is none."""
        thousands = _THOUSANDS.match(self.text, token.span.start)
        if thousands:
            span = Span(*thousands.span())
            while self._ahead is not None and self._ahead.span.start < span.end:
                self._at += 1
            plain = thousands[0].replace(",", "")
            self._problem(span, f"A comma separates two units: write {w.shortened(plain)} without it.")
            return None
        if token.word in NUMBER_WORDS:
            return Fraction(NUMBER_WORDS[token.word])
        if not _DIGITS.fullmatch(token.text):
            negative = w.NEGATIVE.match(token.text)
            self._problem(
                token.span, "A count can't be negative." if negative else "Put a number before each unit: 6 tanks"
            )
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
        while self._ahead is not None and self._ahead.word in w.TIMES | w.DAMAGED | w.FULL:
            marks.add(self._take().word)
        ahead = self._ahead
        if ahead is None or ahead.separates or ahead.word in _NO_NAMES or w.starts_number(ahead):
            self._problem(number.span, f"{w.shortened(number.text)} of what? Put a unit after the number.")
            return
        self._unit(self._take(), count, number)
        if self._last is not None and marks & w.DAMAGED:
            self._damage(number.span, count, self._last)
        if (full := self._last) is not None and marks & w.FULL:
            if full.unit is Unit.CARRIER:
                self._add(Item(Unit.FIGHTER, full.count * 2, full.span, full.name))
            else:
                self._problem(number.span, "Only carriers can be full: with two fighters each.")

    def _unit(self, name: w.Token, count: Fraction | None, first: w.Token) -> None:
        """Read a unit's name; `name` is the last token or its tail, `first` the first token of the item."""
        before = self.tokens[self._at - 2] if self._at > 1 else name
        previous = None if before.separates or before.word in w.COLONS else self._last
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
        if count is None and (myself or (len(name.word) == 1 and self._number_at(self._at))):  # or the A of "A 5 tanks"
            self.strange.add(Problem(name.span, f"How many {unit.plural}? For one, write: 1 {unit}"))
            return
        if count is None and previous is not None and previous.counted and previous.unit is not unit:
            typed = f"{amount(previous.count)} {previous.unit.named(amount(previous.count))}"
            self._problem(place, f"How many {unit.plural}? For one, write: {typed}, 1 {unit}")
            count = Fraction(1)
        counted = count is not None
        count = Fraction(1) if count is None else count
        span = Span(first.span.start, max(place.end, self.tokens[self._at - 1].span.end))
        self._last = Item(unit, count, span, place, bombard=self._all_bombard, counted=counted)
        self._add(self._last, first.span if first is not name else span)

    def _add(self, item: Item, place: Span | None = None) -> None:
        self.items.append(item)
        self._totals[item.unit] = self._totals.get(item.unit, Fraction(0)) + item.count
        if self._totals[item.unit] > MAX_COUNT:
            message = f"Too many {item.unit.plural} in all: at most {MAX_COUNT:,} of a unit can fight."
            self._problem(place or item.span, message)

    def _count_after(self) -> Fraction | None:
        """Read the count that follows a unit's name: x6, x 6, : 6, - 6, (6), or 6 if all counts follow; else None."""
        ahead = self._ahead
        if ahead is None:
            return None
        attached = _TIMES_COUNT.fullmatch(ahead.text)
        if attached is None and ahead.span.start == self.tokens[self._at - 1].span.end:
            attached = _DASH_COUNT.fullmatch(ahead.text)
        if attached:
            self._at += 1
            return self._count(ahead.part(1)) or Fraction(0)
        if ahead.text == "(" and w.word_at(self.tokens, self._at + 2) == ")":
            inside = _BRACKET_COUNT.fullmatch(self.tokens[self._at + 1].text)
            if inside:
                token = self.tokens[self._at + 1]
                self._at += 3
                return self._count(w.Token(inside["count"], token.span)) or Fraction(0)
        # What separates two items may also stand before a count, if no unit follows: Infantry - 6, Tank - 2.
        bullet = ahead.is_dash or ahead.word == "*"
        joins = ahead.word in w.COLONS or ahead.word in w.TIMES or ahead.is_dash
        if joins and self._plain_number(self._at + 1):
            if bullet and self._unit_at(self._at + 2):
                return None
            self._at += 2
        elif ahead.word in w.COLONS and self._number_at(self._at + 1):
            self._at += 2
        elif self._counts_follow and self._plain_number(self._at):
            self._at += 1
        else:
            return None
        return self._count(self.tokens[self._at - 1]) or Fraction(0)

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
        """Read `(1 damaged)`, `(1 hit)`, `(1 life)` or `(bombarding)` after a unit."""
        closing = next((token for token in self.tokens[self._at :] if token.text == ")"), None)
        if closing is None:
            self._problem(opening.span, "This bracket is never closed.")
            self._at = len(self.tokens)  # the rest was meant to be inside: no further problems
            return
        if self._plain_number(self._at) and w.word_at(self.tokens, self._at + 1) == ")" and self._unit_at(self._at + 2):
            number = self._take()
            self._at += 1
            self._counted(self._count(number) or Fraction(0), number)
            return
        while self._take() is not closing:
            pass
        span = Span(opening.span.start, closing.span.end)
        inside = self.text[span.start + 1 : span.end - 1]
        if inside.strip() and all(word.casefold() in w.BOMBARD for word in re.findall(r"[^\s,]+", inside)):
            self._mark(span)
            return
        found = _DAMAGE.fullmatch(inside)
        last = self._last
        if last is None or last.unit not in self.book.units:
            self._damage(span, Fraction(0), last)
        elif found is None and self.book.lives(last.unit):
            self._problem(span, "Brackets are for damage, as in: 2 battleships (1 damaged)")
        elif found is None or found["what"].casefold().startswith(("hit", "damaged")):
            self._damage(span, Fraction(0) if found is None else Fraction(found["count"]), last)
        else:
            self._damage(span, last.count * self.book.lives(last.unit) - Fraction(found["count"]), last)

    def _damage(self, span: Span, hits: Fraction, item: Item | None) -> None:
        """Add hits that the ships of an item have absorbed."""
        if item is not None and item.unit not in self.book.units:
            return  # that is the problem
        if item is None or not self.book.lives(item.unit):
            ships = " and ".join(unit.plural for unit in LIFE_OF if unit in self.book.units and self.book.lives(unit))
            where = ": put the brackets right after them" if self.text[span.start] == "(" else ""
            none = f"In {self.book.title}, no ship takes two hits."
            self._problem(span, f"Only {ships} can be damaged{where}." if ships else none)
            return
        item.damage += hits
        item.span = Span(min(item.span.start, span.start), max(item.span.end, span.end))
        lives = item.count * self.book.lives(item.unit)
        if not 0 <= item.damage <= lives:
            count, hits_text = amount(item.count), amount(lives)
            word = "hit" if hits_text == "1" else "hits"
            self._problem(span, f"{count} {item.unit.named(count)} can take {hits_text} {word} before one sinks.")

    def _damaged(self, token: w.Token) -> None:
        """Read `damaged bb`, or `damaged` after a unit."""
        if self._unit_at(self._at):
            self._at -= 1
            self._counted(Fraction(1), token)
        elif self._last is not None:
            self._damage(token.span, self._last.count, self._last)
        else:
            self._problem(token.span, "Damaged what? Put a ship after it: 1 damaged battleship")

    def _bombard(self, token: w.Token) -> None:
        """Read a word that makes the ships before it bombard; with a colon, or without ships, everything after it."""
        words = [token]
        while w.word_at(self.tokens, self._at) in w.BOMBARD:
            words.append(self._take())
        colon = w.word_at(self.tokens, self._at) in w.COLONS
        self._at += colon
        ships = self._last is not None and self._last.unit.category is Category.NAVAL
        if colon or (not ships and self._number_at(self._at)):  # 6 inf, bombard 2 bb: it can't be the infantry
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
        self._at += w.word_at(self.tokens, self._at) in w.COLONS
        if not self._plain_number(self._at):
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
        counts: dict[Unit, Fraction] = {}
        damage: dict[Unit, Fraction] = {}
        for item in self.items:
            if (item.bombard is not None) is bombarding:
                counts[item.unit] = counts.get(item.unit, Fraction(0)) + item.count
                damage[item.unit] = damage.get(item.unit, Fraction(0)) + item.damage
        groups = tuple(
            Group(unit=unit, count=count, lives=count * self.book.lives(unit) - damage[unit])
            for unit, count in counts.items()
            if count > NEGLIGIBLE_COUNT
        )
        return Army(groups=groups, edition=self.book.name) if groups or not bombarding else Army()

    def of_category(self, *categories: Category) -> list[Item]:
        """Return the items of these categories that don't bombard, without what the edition lacks or counts zero."""
        return [
            item
            for item in self.items
            if item.unit.category in categories
            and item.unit in self.book.units
            and item.bombard is None
            and item.count > NEGLIGIBLE_COUNT
        ]
