"""The armies of one text, with what can be wrong about them in their edition.

Source: .docs/rules/axis_allies.md, "Words" and "In the chat line": what is refused.
"""

from collections.abc import Collection, Iterable, Sequence

from sim.axis_allies.army import Army
from sim.axis_allies.editions import Edition
from sim.axis_allies.parse.side import Item, SideReader
from sim.axis_allies.parse.words import Token, add_edition, called, edition_with, span_of
from sim.axis_allies.question import Wave
from sim.axis_allies.units import Category, Unit
from sim.core.errors import Faults, Problem, Span


class ArmyReader:
    """Reads the armies of a text; adds mistakes to `problems`.

    `loose`: ships beside land units that nothing says bombard.
    """

    def __init__(self, text: str, problems: Faults[Problem], book: Edition) -> None:
        self.text = text
        self.problems = problems
        self.book = book
        self.loose: list[Item] = []
        self._items: list[Item] = []

    @property
    def bombarding(self) -> Collection[Unit]:
        """What may bombard in the edition, with any technology."""
        technologies = (technology.bombarding for technology in self.book.technology.values())
        return [*self.book.rules.bombarding, *(unit for unit in technologies if unit is not None)]

    def army(self, tokens: Sequence[Token], end: int, who: str) -> Army:
        """Read an army by itself, empty after any mistake; `end`: where its text ends."""
        reader = self._read(tokens)
        self._forbid(reader, "only in a battle")
        return self._army(reader, end, who)

    def defender(self, tokens: Sequence[Token], end: int) -> Army:
        """Read the defender, empty after any mistake."""
        reader = self._read(tokens)
        self._forbid(reader, "only for the attacker")
        land, ships = reader.of_category(Category.LAND), reader.of_category(Category.NAVAL)
        if land and ships and self.bombarding:
            self._refuse(ships, "Ships don't fight on land: leave them out, or the land units.")
        army = self._army(reader, end, "The defender")
        if army and not army.fighters:
            self._refuse(land, "There is nothing to fight but an antiaircraft gun.")
        return army

    def wave(self, tokens: Sequence[Token], end: int, who: str) -> Wave | None:
        """Read an attacker, None after any mistake."""
        already = len(self.problems)
        reader = self._read(tokens)
        land, ships = reader.of_category(Category.LAND), reader.of_category(Category.NAVAL)
        self._refuse([item for item in land if item.unit is Unit.GUN], "Antiaircraft guns never attack.")
        marked = [item for item in reader.items if item.bombard is not None]
        for item in marked:
            if item.unit in self.book.units and item.unit not in self.bombarding:
                self._refuse([item], self._cannot_bombard(item.unit))
        if land and self.bombarding:
            self.loose += ships
        elif marked and not land and len(self.problems) == already and self._in_edition(reader):
            self._refuse(marked[:1], "Ships bombard for land units that come ashore, and there are none.")
        if len(self.problems) > already or not (army := self._army(reader, end, who)):
            return None
        return Wave(army=army, bombard=reader.army(bombarding=True), landing=reader.landing)

    def finish(self) -> None:
        """Name the edition that has what this one lacks: one for all units of the text, if possible."""
        together = edition_with(self.book, (item.unit for item in self._items))
        for item in self._items:
            if item.unit in self.book.units:
                continue
            other = together or edition_with(self.book, (item.unit,))
            if other is not None:
                message = f"{called(self.book)} has no {item.unit.plural}; {add_edition(other)}"
                self.problems.add(Problem(item.name, message))

    def _read(self, tokens: Sequence[Token]) -> SideReader:
        reader = SideReader(self.text, tokens, self.problems, self.book)
        self._items += reader.items
        return reader

    def _in_edition(self, reader: SideReader) -> bool:
        return all(item.unit in self.book.units for item in reader.items)

    def _army(self, reader: SideReader, end: int, who: str) -> Army:
        if not reader.readable or not self._in_edition(reader):
            return Army(edition=self.book.name)
        army = reader.army()
        if not army:
            if not reader.items:
                self.problems.add(Problem(Span(end, end), f"{who} has no units yet."))
            elif all(item.bombard is None for item in reader.items):
                none = "0.000001 or less, which counts as zero" if any(item.count for item in reader.items) else "zero"
                message = f"{who} has no units: every count is {none}."
                self.problems.add(Problem(span_of(reader.tokens), message))
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
