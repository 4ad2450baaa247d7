"""The battle rule, without chance, and the best way to split an army into successive attacks, also in words.

A battle as text looks like `5@3 vs 2@1 city 2`, units at tile values, attacker first; it is read as players type it
(.docs/rules/mad_killer_agents.md, "A battle as text").
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, compress, groupby
from typing import Annotated, NamedTuple

from pydantic import Field

from sim.core import Faults, Problem, Span, Token, check_length, check_text
from sim.core.names import ASKED, HEADINGS, VERSUS, Habits
from sim.core.numbers import quantity
from sim.core.values import Frozen, Side
from sim.mad_killer_agents import constants as c


class Clash(NamedTuple):
    """Both sides of a battle: units, tile values, and `city`, the size of the defender's city, 0 for none.

    An undefended city has 0 `defenders` and drafts before the battle. The attacker may have `drill`, the defender
    `masonry`.
    """

    attackers: int
    attacker_tile: int
    defenders: int
    defender_tile: int
    city: int = 0
    drill: bool = False
    masonry: bool = False

    @property
    def attack_bonus(self) -> int:
        """The attacker's strength beyond its units."""
        return self.attacker_tile + c.DRILL_STRENGTH * self.drill

    @property
    def defense_bonus(self) -> int:
        """The defender's strength beyond its units."""
        return self.defender_tile + self.city * (c.MASONRY_FACTOR if self.masonry else 1)


class Result(NamedTuple):
    """Result of a clash. `drafted`: units that the city raised for it. `city_left`: the city's size afterwards."""

    attacker_loss: int
    defender_loss: int
    attacker_left: int
    defender_left: int
    drafted: int
    city_left: int

    @property
    def taken(self) -> bool:
        """Whether surviving attackers move in because defenders and city are gone."""
        return self.attacker_left > 0 and not self.defender_left and not self.city_left


def fight(clash: Clash) -> Result:
    """Return the result of the clash (.docs/rules/mad_killer_agents.md, "Battle").

    If both sides fall at a city, its size falls by 1, the minimum damage; nobody moves in even if that destroys it.
    ValueError if a side has no units and no city to draft one.
    """
    drafted = c.DRAFT_UNITS if clash.city and not clash.defenders else 0
    attackers, defenders = clash.attackers, clash.defenders + drafted
    if attackers < 1 or defenders < 1:
        raise ValueError("nobody to fight")
    ours, theirs = clash.attack_bonus, clash.defense_bonus
    gap = attackers + ours - defenders - theirs
    if attackers >= c.STOMP_FACTOR * defenders:
        lost, killed = 0, defenders
    elif defenders >= c.STOMP_FACTOR * attackers:
        lost, killed = attackers, 0
    else:
        least = min(attackers + ours, defenders + theirs)
        lost = min(attackers, max(0, least - ours))
        killed = min(defenders, max(0, least - theirs))
    damage = min(clash.city, max(1, gap)) if killed == defenders else 0
    return Result(lost, killed, attackers - lost, defenders - killed, drafted, clash.city - damage)


class Split(NamedTuple):
    """Successive attacks and their result.

    `parts`: the units of each attack; all others stay behind. `lost`: the attacker's losses in all parts. `left`: the
    attacker's surviving units, those that did not fight included. `taken`: whether survivors move in.
    """

    parts: tuple[int, ...]
    lost: int
    left: int
    defenders_left: int
    city_left: int
    taken: bool

    @property
    def worth(self) -> tuple[bool, int, int, int]:
        """What decides between two ways, greater if better."""
        return self.taken, -self.city_left, -self.defenders_left, -self.lost


def all_at_once(clash: Clash) -> Split:
    """Return the result of one attack by all units."""
    return _at_once(fight(clash), clash.attackers)


def _at_once(result: Result, part: int, idle: int = 0) -> Split:
    """Return the split that ends with this result of an attack by `part`, while `idle` units stay behind."""
    lost, left = result.attacker_loss, result.attacker_left + idle
    return Split((part,), lost, left, result.defender_left, result.city_left, result.taken)


def _before(part: int, rest: Split) -> Split:
    """Return the split that begins with an attack by `part` that nobody survives, and continues with `rest`."""
    return rest._replace(lost=rest.lost + part, parts=(part, *rest.parts))


def best_split(clash: Clash) -> Split:
    """Return the best way to attack with all or some of the attackers, one part after the other.

    Criteria in this order: the tile is taken; the city is smaller; fewer defenders are left; fewer units are lost. Only
    an attack that nobody survives is followed by another one, because survivors would lower the movement points of all
    units that wait on the tile.

    Candidate sizes of an attack: all units; one unit; the fewest that do any harm; the fewest that kill all defenders
    and leave nobody, somebody, or enough to raze the city; 20 times the defenders; and the fewest after which the
    remaining units are 20 times the defenders.
    """
    found: dict[Clash, _Candidates] = {}
    todo = [clash]
    for now in todo:
        if now not in found:
            found[now] = _candidates(now)
            todo += (after for _, after in found[now].openings)
    plans: dict[Clash, Split] = {}
    for now in sorted(found):  # what follows an attack has fewer attackers, and so comes before
        options = found.pop(now)
        begun = (_before(part, plans[after]) for part, after in options.openings)
        splits = chain(options.finals, begun, options.pairs)
        plans[now] = max(splits, key=lambda split: (split.worth, -len(split.parts)))
    return plans[clash]


class _Candidates(NamedTuple):
    """What may be done next: end with an attack, open with one that any other may follow, or end with two of them."""

    finals: list[Split]
    openings: list[tuple[int, Clash]]
    pairs: list[Split]


def _candidates(clash: Clash) -> _Candidates:
    units, facing = clash.attackers, clash.defenders or c.DRAFT_UNITS
    ours, theirs = clash.attack_bonus, clash.defense_bonus
    uphill, even = max(0, theirs - ours), facing + theirs - ours
    least = max(facing // c.STOMP_FACTOR, uphill) + 1
    stomping = c.STOMP_FACTOR * facing
    # The kills after which the remaining units are 20 times the remaining defenders.
    fewer = -(-(stomping - units + uphill) // (c.STOMP_FACTOR - 1))

    def attacks(sizes: set[int]) -> Iterator[tuple[int, Result]]:
        for part in sorted(sizes):
            if 1 <= part <= units:
                yield part, fight(clash._replace(attackers=part))

    def followed(sizes: set[int]) -> Iterator[tuple[int, Clash]]:
        for part, (_, _, survivors, defenders, _, city) in attacks(sizes):
            if not survivors and part < units and (defenders or city):
                yield part, clash._replace(attackers=units - part, defenders=defenders, city=city)

    return _Candidates(
        finals=[
            _at_once(result, part, units - part)
            for part, result in attacks({1, units, even, even + 1, even + clash.city, stomping})
        ],
        openings=list(followed({least, even} if clash.city else {least})),
        pairs=[_before(part, all_at_once(after)) for part, after in followed({max(1, fewer) + uphill})],
    )


MAX_UNITS = 100_000
"""Units of one side."""
MAX_CITY = 99

_MAX_PARTS = 12  # runs of equal parts that are told


class SplitAdvice(NamedTuple):
    """How to split, such as "2, then 8 x 1"; what comes of it; and who need not fight, None if all fight."""

    parts: str
    outcome: str
    idle: str | None


class BattleReport(Frozen):
    """The result of an attack by all units at once, and the best way to split them; as JSON without the `clash`."""

    clash: Annotated[Clash, Field(exclude=True)]
    result: Result
    split: Split

    @property
    def advice(self) -> SplitAdvice | None:
        """How to split best, in words; None if an attack by all at once is as good."""
        result, split = self.result, self.split
        if split.worth <= _at_once(result, self.clash.attackers).worth:
            return None
        end = "tile taken" if split.taken else f"{quantity(split.defenders_left, 'defender')} left"
        city = f", city {split.city_left}" if split.city_left else ""
        idle = self.clash.attackers - sum(split.parts)
        runs = [(part, len(list(equal))) for part, equal in groupby(split.parts)]
        parts = [f"{part:,}" if times == 1 else f"{times:,} x {part:,}" for part, times in runs[:_MAX_PARTS]]
        parts += [quantity(len(runs) - _MAX_PARTS, "more run")] if len(runs) > _MAX_PARTS else []
        return SplitAdvice(
            ", then ".join(parts),
            f"{split.lost:,} lost, {f'{split.left:,} left' if split.left else 'none left'}; {end}{city}",
            f"{quantity(idle, 'unit')} can stay out of it." if idle else None,
        )


BATTLE_EXAMPLE = "5@3 vs 2@1 city 2"
MAX_BATTLE_TEXT = 200

BATTLE_TECHS = (c.Technology.DRILL, c.Technology.MASONRY, c.Technology.MOUNTAINEERING)
"""The technologies that a text may name."""
_CITY = "city"
_KNOWLEDGE = rf"(?:{'|'.join(BATTLE_TECHS)})"
_VALUE = r"(?:tile\s+values?|tiles?|tv|value)"
# 5 units on TV 3, 5 at 3, 5 (TV 3); not the end of 5@3 on 2@1
_UNITS = r"(?<![@0-9.,])([0-9]+)\s*(?:units?|u|men)?"
_STANDING = rf"(?:(?:on|at|@)\s*(?:an?\s+|the\s+)?{_VALUE}?|{_VALUE})"
_HABITS = Habits(
    r"mka(?:\s+battle\b(?!:))?(?:\s+battle:)?",
    *ASKED,
    (rf"([0-9]+)\s*@\s*(?:{_VALUE}\s*)?([0-9]+)", r"\1@\2"),
    (r"(?<![@0-9])([0-9]{1,3}),([0-9]{3})(?=\s*@)", r"\1\2"),
    (rf"{_UNITS}\s*[(\[]?\s*{_STANDING}\s*:?\s*(?:of\s+)?([0-9]+)(?![0-9@])(?:\s*[)\]])?", r"\1@\2"),
    (r"\A\s*(?:i\s+)?(?:attack|beat|take)\s+([0-9]+@[0-9]+)(.*?)\bwith\s+([0-9]+@[0-9]+)", r"\3 vs \1\2"),
    (rf"\b({_KNOWLEDGE}|{_CITY})\s*[:=]\s*(?:true|yes|on)\b", r"\1"),
    (rf"\b(?:{_KNOWLEDGE}|{_CITY})\s*[:=]\s*(?:false|no|off|none)\b", ""),
    (rf"\b(?:no|without)\s+{_KNOWLEDGE}(?:\s*(?:and|or|nor|&)\s*{_KNOWLEDGE})*", ""),
    (rf"\b(?:no|without(?:\s+an?)?)\s+{_CITY}\b", ""),
    (rf"\bsize[\s-]*([0-9]+)\s+{_CITY}\b", rf"{_CITY} \1"),
    numbers=True,
)
_VERBS = frozenset({"attack", "attacks", "attacking", "beat", "beats", "take", "takes", "on", "into", "to"})
_LETTERS = {"a": Side.ATTACKER, "d": Side.DEFENDER}
_DROPPED = VERSUS | {"and", "with", "plus", "the", "a", "an", "in", "of", "size", "has", "have", "knows", "know", ":"}
_TOKEN = re.compile(
    r"[0-9]+@[0-9]+(?![0-9@]|\.[0-9])|v\.s\.|v/s|[^\W\d_]+\.?|:"
    r"|[-=]*[>\u2192\u27a1\u2694\U0001f19a]\ufe0f?|(?<=\w)[-/\u2013\u2014](?=\w)|(?<!\S)[-/\u2013\u2014](?!\S)"
    r"|[^\s,;:=()\[\]+&|]+",
    re.IGNORECASE,
)
_SIGN = re.compile(r"[-=]*[>\u2192\u27a1\u2694\U0001f19a]\ufe0f?|[-/\u2013\u2014]")
_SIDE = re.compile(r"[0-9]+@[0-9]+")
_WORDS = re.compile(r"[^\s,;]+")


def parse_battle(text: str, *, climbing: bool = False) -> Clash:
    """Return the battle in a text; TextError with every mistake and its span.

    `city` and its size may follow the defender, who may then have 0 units. The words `drill` (the attacker's),
    `masonry` (the defender's) and `mountaineering` may appear anywhere; without the last one or `climbing`, nobody can
    be on a mountain.
    """
    check_length(text, MAX_BATTLE_TEXT)
    reader = _Reader(text, climbing=climbing)
    found = reader.read()
    check_text(text, reader.problems)
    return found


def add_options(battle: str, city: int | None, techs: Iterable[c.Technology]) -> str:
    """Return the text of a battle with a city's size (None for no city) and technologies added to it."""
    words = [battle] if city is None else [battle, f"{_CITY} {city}"]
    return " ".join((*words, *techs))


def battle_text(clash: Clash) -> str:
    """Return one line that `parse_battle` reads as the same battle."""
    sides = f"{clash.attackers}@{clash.attacker_tile} vs {clash.defenders}@{clash.defender_tile}"
    climbing = c.MOUNTAIN in {clash.attacker_tile, clash.defender_tile}
    techs = compress(BATTLE_TECHS, (clash.drill, clash.masonry, climbing))
    return add_options(sides, clash.city or None, techs)


def read_as(text: str, clash: Clash) -> str | None:
    """Return how a text was read as a battle, in one line as it is typed plainly; None for a text that is as plain."""
    told = battle_text(clash)
    asides = VERSUS | {c.Technology.MOUNTAINEERING}
    plain = ([word for word in _WORDS.findall(one.casefold()) if word not in asides] for one in (text, told))
    return None if sorted(next(plain)) == sorted(next(plain)) else told


class _Reader:
    """Reads a battle and collects its `problems`."""

    def __init__(self, text: str, *, climbing: bool) -> None:
        self.text = text
        self.climbing = climbing
        self.end = Span(len(text), len(text))  # where something is missing
        self.problems = Faults[Problem]()

    def read(self) -> Clash:
        tokens = Token(_HABITS.cleaned(self.text), Span(0, len(self.text))).split(_TOKEN)
        known = {token.word for token in tokens}.intersection(BATTLE_TECHS)
        self.climbing |= c.Technology.MOUNTAINEERING in known
        city, plain = self._city([token for token in tokens if token.word not in known])
        sides, owners = self._sides(plain)
        if len(sides) < len(Side):
            if not self.problems:
                self.problems.add(Problem(self.end, f"Write two armies, as in: {BATTLE_EXAMPLE}"))
            return Clash(1, c.MIN_VALUE, 1, c.MIN_VALUE)
        third = f"Only two armies can fight, as in: {BATTLE_EXAMPLE}"
        self.problems.extend(Problem(token.span, third) for token in sides[2:])
        if owners[0] is not None and owners[0] is owners[1]:
            self.problems.add(Problem(sides[1].span, f"The {owners[0]} is there twice, not as in: {BATTLE_EXAMPLE}"))
        if owners[0] is Side.DEFENDER or owners[1] is Side.ATTACKER:
            sides.reverse()
        attackers, attacker_tile = self._side(sides[0])
        defenders, defender_tile = self._side(sides[1], minimum=0 if city else 1)
        drill, masonry = c.Technology.DRILL in known, c.Technology.MASONRY in known
        return Clash(attackers, attacker_tile, defenders, defender_tile, city, drill, masonry)

    def _sides(self, tokens: list[Token]) -> tuple[list[Token], list[Side | None]]:
        """Return the armies, and whose each one is by a heading before it."""
        sides: list[Token] = []
        owners: list[Side | None] = []
        owner: Side | None = None
        for at, token in enumerate(tokens):
            colon = at + 1 < len(tokens) and tokens[at + 1].text == ":"
            heading = (_LETTERS | HEADINGS if colon else HEADINGS).get(token.word)
            ahead = tokens[at + 1 + colon] if at + 1 + colon < len(tokens) else None
            heads = heading is not None and ahead is not None and _SIDE.fullmatch(ahead.text) is not None
            # Without a colon it may also belong to the army before it, unless that one has its own.
            if heads and (colon or (token.word not in _VERBS and (not owners or owners[0] is not None))):
                owner = heading
            elif _SIDE.fullmatch(token.text):
                sides.append(token)
                owners.append(owner)
                owner = None
            elif not self._means_nothing(token, len(sides)):
                message = f"Write an army as units@tile value, not {token.text[:20]!r}, as in: {BATTLE_EXAMPLE}"
                self.problems.add(Problem(token.span, message))
        return sides, owners

    def _means_nothing(self, token: Token, sides: int) -> bool:
        """Return whether a word or sign says nothing after this many armies; a verb does between two."""
        if token.word in _VERBS:
            return sides == 1
        return token.word in _DROPPED or _SIGN.fullmatch(token.text) is not None

    def _city(self, tokens: list[Token]) -> tuple[int, list[Token]]:
        """Return the city's size, 0 for none, and the other tokens."""
        at = next((number for number, token in enumerate(tokens) if token.word == _CITY), None)
        if at is None:
            return 0, tokens
        end = at + 1
        while end < len(tokens) and tokens[end].word in {":", "of", "size"}:
            end += 1
        rest = tokens[:at] + tokens[end + 1 :]
        if end == len(tokens):
            self.problems.add(Problem(self.end, f"How large is the city? Put its size after it: {BATTLE_EXAMPLE}"))
            return 0, rest
        return self._number(tokens[end], "The city's size", 0, MAX_CITY), rest

    def _side(self, token: Token, minimum: int = 1) -> tuple[int, int]:
        at = token.text.index("@")
        units = self._number(token.part(0, at), "The number of units", minimum, MAX_UNITS)
        value = token.part(at + 1)
        tile = self._number(value, "The tile value", c.MIN_VALUE, c.MAX_VALUE)
        if tile == c.MOUNTAIN and not self.climbing:
            short = token.text[:20]
            message = f"{short} is on a mountain; armies there need Mountaineering: say mountaineering if they know it."
            self.problems.add(Problem(value.span, message))
        return units, tile

    def _number(self, token: Token, what: str, minimum: int, maximum: int) -> int:
        short = token.text.lstrip("0") or "0"
        plain = short.isascii() and short.isdecimal() and len(short) <= len(str(maximum))
        if not (plain and minimum <= int(short) <= maximum):
            message = f"{what} must be a whole number from {minimum} to {maximum:,}, not {token.text[:20]!r}."
            self.problems.add(Problem(token.span, message))
            return minimum or 1
        return int(short)
