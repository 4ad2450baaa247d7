"""The dice and chances of fighters, in exact decimals (.docs/rules/marked_for_death.md, "Numbers"), and warnings.

A warning is about a roster that is legal but odd, such as a misspelled name.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import islice

from sim.core.names import name_key, nearest
from sim.core.numbers import quantity
from sim.core.values import Frozen
from sim.marked_for_death.roster import Fighter, Roster, index_by_key

BASE_CHANCE = Decimal("0.3")
"""ToHit and ToDefend before any bonus."""

EXHAUSTION = Decimal("0.1")
"""How much each round fought lowers a fighter's ToDefend."""

MIN_TO_HIT, MAX_TO_HIT = Decimal("0.05"), Decimal("0.99")
MIN_TO_DEFEND, MAX_TO_DEFEND = Decimal(0), Decimal("0.90")

XP_PER_DIE = 1000

NO_ONE = "<no one>"


@dataclass(frozen=True)
class Roll:
    """Dice that are thrown together, each with a `chance` to succeed."""

    dice: int
    chance: Decimal

    @cached_property
    def die(self) -> tuple[int, int]:
        """The sides of each die, 100 or more, and the highest face that succeeds, for exactly this chance."""
        exponent = self.chance.normalize().as_tuple().exponent
        sides = 10 ** max(2, -exponent if isinstance(exponent, int) else 0)
        return sides, int(self.chance * sides)


@dataclass(frozen=True, slots=True)
class Numbers:
    """A fighter's chances before the caps, and its dice without those for chances above 1."""

    raw_to_hit: Decimal
    raw_to_defend: Decimal
    base_dice: int

    @property
    def offense(self) -> Roll:
        """Each attack: its dice, and their chance to hit."""
        return self._roll(self.raw_to_hit, MIN_TO_HIT, MAX_TO_HIT)

    @property
    def defense(self) -> Roll:
        """The defense against each attack: its dice, and their chance to block a hit."""
        return self._roll(self.raw_to_defend, MIN_TO_DEFEND, MAX_TO_DEFEND)

    def _roll(self, raw: Decimal, least: Decimal, most: Decimal) -> Roll:
        return Roll(math.ceil(self.base_dice * raw) if raw > 1 else self.base_dice, min(max(raw, least), most))


@dataclass(frozen=True, slots=True)
class Bonds:
    """The `fighters` of a side, and who guards, follows and buffs whom, by index.

    `guarded`, `linked`: whom each fighter guards and is linked to. `guards`, `followers`: who guards each fighter, and
    who falls with it. `helped`: who adds how much to each fighter's ToHit and ToDefend.
    """

    fighters: Sequence[Fighter]
    guarded: tuple[int | None, ...]
    linked: tuple[int | None, ...]
    guards: tuple[tuple[int, ...], ...]
    followers: tuple[tuple[int, ...], ...]
    helped: tuple[tuple[tuple[int, Decimal, Decimal], ...], ...]

    @classmethod
    def of(cls, fighters: Sequence[Fighter]) -> "Bonds":
        """Look up the names of a side; unknown names mean nobody."""
        found = index_by_key(fighters)

        def index_of(name: str | None) -> int | None:
            return None if name is None else found.get(name_key(name))

        guarded = tuple(index_of(fighter.bodyguard_for) for fighter in fighters)
        linked = tuple(index_of(fighter.linked_to) for fighter in fighters)
        helped: list[list[tuple[int, Decimal, Decimal]]] = [[] for _ in fighters]
        for at, fighter in enumerate(fighters):
            for buff in fighter.buffs:
                # A name counts once per buff, in the order of the names, so that sums are deterministic.
                for friend in dict.fromkeys(map(index_of, buff.who)):
                    if friend is not None:
                        helped[friend].append((at, buff.offense, buff.defense))
        return cls(fighters, guarded, linked, _inverted(guarded), _inverted(linked), tuple(map(tuple, helped)))

    def numbers(self, at: int, alive: Sequence[bool] | None = None, fought: int = 0) -> Numbers:
        """Return the numbers of the fighter at `at` after `fought` rounds, with the buffs of those `alive`, if any."""
        fighter = self.fighters[at]
        hit, defend = BASE_CHANCE + fighter.bonus_to_hit, BASE_CHANCE + fighter.bonus_to_defend - EXHAUSTION * fought
        for friend, offense, defense in self.helped[at]:
            if alive is not None and alive[friend]:
                hit += offense
                defend += defense
        return Numbers(hit, defend, -(-fighter.total_xp // XP_PER_DIE))


def _inverted(pointers: Sequence[int | None]) -> tuple[tuple[int, ...], ...]:
    found: list[list[int]] = [[] for _ in pointers]
    for at, target in enumerate(pointers):
        if target is not None:
            found[target].append(at)
    return tuple(map(tuple, found))


class FighterCard(Frozen):
    """A fighter's current numbers, for players and referees.

    `guards` and `linked_to` are names of fighters in the roster, or None.
    """

    name: str
    hp: int
    to_hit: Decimal
    to_defend: Decimal
    aoe: int
    total_xp: int
    offense_dice: int
    defense_dice: int
    guards: str | None = None
    linked_to: str | None = None

    def line(self) -> str:
        """Return the fighter's line (.docs/rules/marked_for_death.md, "Numbers")."""
        chances = {"to_hit": percent(self.to_hit), "to_defend": percent(self.to_defend)}
        bonds = {"guards": self.guards or NO_ONE, "linked_to": self.linked_to or NO_ONE}
        return _LINE.format_map(dict(self) | chances | bonds)


_LINE = (
    "{name}: HP({hp}), ToHit({to_hit}), ToDefend({to_defend}), AOE({aoe}), Total XP({total_xp}), "
    "OffenseDice({offense_dice}), DefenseDice({defense_dice}), Bodyguarding {guards}, LinkedTo {linked_to}"
)
_WRITTEN = re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.*)", re.escape(_LINE)))
SITS_OUT = ", sits out"
"""What a line ends with if the fighter takes no part."""


def short_line(line: str) -> str:
    """Return a fighter's line as chats show it, without what says nothing; any other line as it is."""
    found = _WRITTEN.fullmatch(line.removesuffix(SITS_OUT))
    if found is None:
        return line
    hits, blocks = (quantity(int(found[dice]), "die", "dice") for dice in ("offense_dice", "defense_dice"))
    parts = [f"{found['hp']} HP", f"hits {found['to_hit']} ({hits})", f"blocks {found['to_defend']} ({blocks})"]
    parts += [f"{found['aoe']} targets"] if found["aoe"] != "1" else []
    parts += [f"guards {found['guards']}"] if found["guards"] != NO_ONE else []
    parts += [f"falls with {found['linked_to']}"] if found["linked_to"] != NO_ONE else []
    return f"{found['name']}: {' · '.join(parts)}{SITS_OUT if line.endswith(SITS_OUT) else ''}"


def percent(chance: Decimal) -> str:
    """Return an exact chance, such as 15.5%."""
    return f"{(chance * 100).normalize():f}%"


MAX_WARNINGS = 2_000
"""The most warnings listed for one roster; more are only counted."""

MAX_HINTS = 200
"""The most different unknown names for which a similar name is looked up."""


def roster_warnings(roster: Roster) -> tuple[str, ...]:
    """Return a sentence for each thing that a referee should look at again, at most `MAX_WARNINGS`.

    These are unknown names, fighters that guard or are linked to themselves, bodyguard circles, fighters who sit out,
    buffs for nobody, and chances at a cap.
    """
    found = _warnings(roster.fighters)
    listed = tuple(islice(found, MAX_WARNINGS))
    more = sum(1 for _ in found)
    return (*listed, f"There are {more:,} more warnings of this kind.") if more else listed


def _warnings(fighters: Sequence[Fighter]) -> Iterator[str]:
    bonds = Bonds.of(fighters)
    yield from _unknown_names(fighters)
    empty = ((fighter, buff) for fighter in fighters for buff in fighter.buffs if not buff.who)
    for fighter, buff in empty:
        yield f"{fighter.name}'s buff {buff.name or 'without a name'} is for nobody: BuffWho is blank."
    yield from _circles(fighters, bonds.guarded)
    for at, fighter in enumerate(fighters):
        if bonds.linked[at] == at:
            yield f"{fighter.name} is linked to itself, which does nothing."
        if fighter.hp <= 0:
            yield f"{fighter.name} has {fighter.hp} HP and sits out."
    alive = [fighter.hp > 0 for fighter in fighters]
    for at, fighter in enumerate(fighters):
        numbers = bonds.numbers(at, alive)
        yield from _cap(f"{fighter.name}'s ToHit", numbers.raw_to_hit, MIN_TO_HIT, MAX_TO_HIT)
        yield from _cap(f"{fighter.name}'s ToDefend", numbers.raw_to_defend, MIN_TO_DEFEND, MAX_TO_DEFEND)


def _unknown_names(fighters: Sequence[Fighter]) -> Iterator[str]:
    known = index_by_key(fighters)
    hints: dict[str, str] = {}
    for fighter in fighters:
        meant = [("guards", fighter.bodyguard_for), ("is linked to", fighter.linked_to)]
        meant += [("has a buff for", name) for buff in fighter.buffs for name in buff.who]
        for what, name in dict.fromkeys(meant):
            key = None if name is None else name_key(name)
            if key is None or key in known:
                continue
            if key not in hints and len(hints) < MAX_HINTS:
                at = nearest(key, known)
                hints[key] = "" if at is None else f" Did you mean {fighters[at].name}?"
            yield f"{fighter.name} {what} {name}, who isn't in the file.{hints.get(key, '')}"


def _circles(fighters: Sequence[Fighter], guarded: Sequence[int | None]) -> Iterator[str]:
    """Yield a warning for each circle of guards."""
    done: set[int] = set()
    for start in range(len(fighters)):
        path: list[int] = []
        at: int | None = start
        while at is not None and at not in done:
            done.add(at)
            path.append(at)
            at = guarded[at]
        if at is None or at not in path:
            continue
        circle = [fighters[number].name for number in path[path.index(at) :]]
        if len(circle) == 1:
            yield f"{circle[0]} is its own bodyguard, which does nothing."
        else:
            yield f"Bodyguards in a circle: {' guards '.join([*circle, circle[0]])}; only one steps in for an attack."


def _cap(what: str, raw: Decimal, least: Decimal, most: Decimal) -> Iterator[str]:
    if raw >= most:
        yield f"{what} is at its cap of {percent(most)} ({percent(raw)} before)."
    elif raw <= least:
        yield f"{what} is at its floor of {percent(least)} ({percent(raw)} before)."
