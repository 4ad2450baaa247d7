"""Exchanges between a boss and a deck, exactly: what each token does, what they lead to, and the arithmetic as text.

Source: .docs/rules/boss_fight.md, "Modifiers" and "One exchange".

Damage to the boss is summed trait by trait. The modifiers of damage to the player are multiplied over all traits of all
tokens; a token's element counts once for each of its traits.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from operator import attrgetter
from types import MappingProxyType
from typing import Annotated, NamedTuple

from pydantic import Field
from typing_extensions import override

from sim.boss_fight.values import FLAGS, TWO, Boss, Deck, Element, Exact, Token, Trait, readable
from sim.core.numbers import quantity
from sim.core.values import Frozen, Request

MAX_COUNTED = 10**15
"""Exchanges up to which their number is exact."""

SECONDS_PER_TRAIT = 1e-5


class Damage(Frozen):
    """Damage of one exchange, by kind."""

    physical: Exact
    magical: Exact

    @property
    def total(self) -> Fraction:
        """The sum of both kinds."""
        return self.physical + self.magical


class TraitModifiers(NamedTuple):
    """What penetration and resistance do to the damage of one trait and of the boss: 1, or 1/2 where resisted."""

    boss_physical: Exact
    boss_magical: Exact
    player_physical: Exact
    player_magical: Exact


class Stacks(NamedTuple):
    """The products of the modifiers of damage to the player, of a token or of a deck.

    `element`: the elements' modifiers, once for each trait.
    """

    physical: Exact
    magical: Exact
    element: Exact


@dataclass(frozen=True, slots=True)
class Effect:
    """What some tokens do in an exchange.

    `physical_quarters`, `magical_quarters`: their damage to the boss, times 4. `physical_halves`, `magical_halves`: how
    often their traits halve damage to the player; `doublings`: how often their elements double it (halve it, below 0),
    None if one of them makes it 0.
    """

    physical_quarters: int
    magical_quarters: int
    physical_halves: int
    magical_halves: int
    doublings: int | None

    @classmethod
    def of(cls, rows: Sequence["Effect"]) -> "Effect":
        """Return what several do together; nothing for none."""
        doublings = [row.doublings for row in rows if row.doublings is not None]
        return Effect(
            sum(row.physical_quarters for row in rows),
            sum(row.magical_quarters for row in rows),
            sum(row.physical_halves for row in rows),
            sum(row.magical_halves for row in rows),
            sum(doublings) if len(doublings) == len(rows) else None,
        )

    @property
    def to_boss(self) -> Damage:
        """Their damage to the boss."""
        return Damage(physical=Fraction(self.physical_quarters, 4), magical=Fraction(self.magical_quarters, 4))

    @property
    def stacks(self) -> Stacks:
        """The products over their traits."""
        element = Fraction(0) if self.doublings is None else TWO**self.doublings
        return Stacks(TWO**-self.physical_halves, TWO**-self.magical_halves, element)

    def to_player(self, boss: Boss) -> Damage:
        """Return the boss's damage to the player."""
        physical, magical, element = self.stacks
        return Damage(physical=boss.physical_damage * physical, magical=boss.magical_damage * magical * element)


@dataclass(frozen=True, slots=True)
class TokenRow(Effect):
    """What one token does. `distance`: of its element from the boss's; `halved`: by trait, as in `TraitModifiers`."""

    distance: int | None
    halved: tuple["_Flags", ...]

    @property
    def traits(self) -> tuple[TraitModifiers, ...]:
        """The modifiers of each trait, in order."""
        return tuple(TraitModifiers(*(TWO**-half for half in each)) for each in self.halved)


def score(boss_left: Fraction, player_left: Fraction) -> Fraction:
    """Return the score of an exchange from the health that both have left.

    It is 0 unless the boss fell and the player's health didn't drop below 0; otherwise the excess damage plus the
    player's health.
    """
    return Fraction(0) if boss_left > 0 or player_left < 0 else player_left - boss_left


class End(StrEnum):
    """How a fight of one deck against one boss ends."""

    VICTORY = "the boss falls"
    BOTH = "both fall at once, and the player wins"
    DEFEAT = "the player falls"
    STALEMATE = "neither side can hit the other"
    UNFIT = "a deck without health can't fight"


class Outlook(Frozen):
    """How a fight of one deck against one boss ends.

    `exchanges`: the number until the end; None if there is no end or the number is too large to be exact. `about`: the
    same as text, "" if there is no end.
    """

    end: End
    exchanges: Annotated[int, Field(ge=0)] | None
    about: str

    @property
    def sentence(self) -> str:
        """How a fight would end, and when, for players: "The boss falls in 3 exchanges"."""
        yours = {End.DEFEAT: "You go down", End.BOTH: "You win as both go down"}
        ending = yours.get(self.end, f"{self.end[:1].upper()}{self.end[1:]}")
        if not self.about or self.end is End.UNFIT:
            return ending
        return f"{ending} in {self.about} {'exchange' if self.exchanges == 1 else 'exchanges'}"


class ExchangeResult(Frozen):
    """What a boss and a deck do to each other. The health that is left may be below 0."""

    boss: Boss
    player_health: int
    to_boss: Damage
    to_player: Damage

    @cached_property
    def boss_left(self) -> Fraction:
        """The boss's health after the exchange."""
        return self.boss.health - self.to_boss.total

    @cached_property
    def player_left(self) -> Fraction:
        """The player's health after the exchange."""
        return self.player_health - self.to_player.total

    @property
    def score(self) -> Fraction:
        """The score as the game counts it."""
        return score(self.boss_left, self.player_left)


class ExchangeReport(ExchangeResult):
    """An exchange with all modifiers: `tokens` row by row in the deck's order, `stacks` of all of them together."""

    deck: Deck
    tokens: tuple[TokenRow, ...]
    stacks: Stacks

    @property
    def outlook(self) -> Outlook:
        """How the fight ends: every exchange deals the same damage."""
        if self.player_health <= 0:
            return Outlook(end=End.UNFIT, exchanges=0, about="0")
        boss_falls = exchanges_to_fall(self.boss.health, self.to_boss.total)
        player_falls = exchanges_to_fall(self.player_health, self.to_player.total)
        count = min((falls for falls in (boss_falls, player_falls) if falls is not None), default=None)
        if count is None:
            return Outlook(end=End.STALEMATE, exchanges=None, about="")
        end = End.DEFEAT if boss_falls != count else End.BOTH if player_falls == count else End.VICTORY
        if count > MAX_COUNTED:
            return Outlook(end=end, exchanges=None, about=readable(count))
        return Outlook(end=end, exchanges=count, about=f"{count:,}")


def exchanges_to_fall(health: int | Fraction, damage: Fraction) -> int | None:
    """Return the number of hits of `damage` after which no `health` is left; None for never."""
    return -(-health // damage) if damage else None


_DOUBLINGS: Mapping[int | None, int | None] = MappingProxyType({None: 0, 0: None, 1: 1, 2: 0, 3: 0, 4: -1})
"""By distance along the circle: how often damage to the player is doubled and to the boss halved; None: it is 0."""


@cache
def distance(boss: Element | None, token: Element | None) -> int | None:
    """Return the steps along the circle from a boss's element to a token's, 0 to 4; None if either has none."""
    circle = list(Element)
    return None if boss is None or token is None else (circle.index(token) - circle.index(boss)) % len(circle)


def element_modifiers(distance: int | None) -> tuple[Fraction, Fraction]:
    """Return what a token's element at that distance does to magical damage to the boss and to the player."""
    doublings = _DOUBLINGS[distance]
    return (Fraction(0),) * 2 if doublings is None else (TWO**-doublings, TWO**doublings)


_Flags = tuple[bool, bool, bool, bool]
"""A trait's flags, in the order of `FLAGS`, or which of its `TraitModifiers` are 1/2."""


@cache
def _halved_by(boss: _Flags) -> Mapping[_Flags, _Flags]:
    """Return what each of the sixteen kinds of traits halves: large decks ask for thousands."""
    pierces, resists, pierces_magic, resists_magic = boss
    return {
        (p, r, m, s): (resists and not p, resists_magic and not m, r and not pierces, s and not pierces_magic)
        for p, r, m, s in product((False, True), repeat=4)
    }


_flags: Callable[[Boss | Trait], _Flags] = attrgetter(*FLAGS)


def exchange(boss: Boss, deck: Deck) -> ExchangeReport:
    """Return one exchange with every modifier, so that it can be checked by hand."""
    rows = token_rows(boss, deck.tokens)
    whole = Effect.of(rows)
    return ExchangeReport.model_construct(  # every value is valid already, and validating a long deck takes time
        boss=boss,
        player_health=deck.health,
        to_boss=whole.to_boss,
        to_player=whole.to_player(boss),
        deck=deck,
        tokens=rows,
        stacks=whole.stacks,
    )


def damages(boss: Boss, tokens: Iterable[Token]) -> tuple[Damage, Damage]:
    """Return the damage to the boss and to the player; without tokens the boss's modifiers are all 1."""
    whole = Effect.of(token_rows(boss, tokens))
    return whole.to_boss, whole.to_player(boss)


def token_rows(boss: Boss, tokens: Iterable[Token]) -> tuple[TokenRow, ...]:
    """Return what each token does in an exchange, in order."""
    halved_by = _halved_by(_flags(boss))
    return tuple(_row(boss.element, halved_by, token) for token in tokens)


def _row(boss: Element | None, halved_by: Mapping[_Flags, _Flags], token: Token) -> TokenRow:
    steps = distance(boss, token.element)
    physical = magical = halves = magical_halves = 0
    every = []
    for trait in token.traits:
        halved = halved_by[_flags(trait)]
        every.append(halved)
        physical += trait.physical_damage * (2 - halved[0])
        magical += trait.magical_damage * (2 - halved[1])
        halves += halved[2]
        magical_halves += halved[3]
    doubling = _DOUBLINGS[steps]
    return TokenRow(
        2 * physical,
        # An element that doubles damage to the player halves damage to the boss: the powers are opposite.
        0 if doubling is None else magical << (1 - doubling),
        halves,
        magical_halves,
        None if doubling is None else doubling * len(every),
        steps,
        tuple(every),
    )


class ExchangeRequest(Request):
    """One exchange between a boss and a deck."""

    boss: Boss
    deck: Deck

    @override
    def cost(self) -> float:
        return 0.02 + SECONDS_PER_TRAIT * self.deck.size

    def run(self) -> ExchangeReport:
        """Return the exchange."""
        return exchange(self.boss, self.deck)


class TranscriptRequest(Request):
    """The arithmetic of an exchange as text: thousands of lines for a long deck."""

    exchange: ExchangeRequest

    @override
    def cost(self) -> float:
        return 0.02 + 2e-4 * self.exchange.deck.size

    def run(self) -> str:
        """Return the text."""
        return transcript(self.exchange.run())


def transcript(report: ExchangeReport) -> str:
    """Return the whole arithmetic, token by token, then both sides; it ends with a newline."""
    lines = [
        f"{report.boss.name} ({report.boss.element or 'no element'}) against {quantity(len(report.tokens), 'token')}"
    ]
    for token, row in zip(report.deck.tokens, report.tokens, strict=True):
        lines += _token_lines(token, row)
    boss, dealt, taken = report.boss, report.to_boss, report.to_player
    physical, magical, element = map(readable, report.stacks)
    to_boss = f"{readable(dealt.physical)} physical + {readable(dealt.magical)} magical"
    to_you = f"{readable(boss.physical_damage)} x {physical} + {readable(boss.magical_damage)} x {magical} x {element}"
    parts = f"{readable(taken.physical)} + {readable(taken.magical)} = " if taken.physical and taken.magical else ""
    lines += [
        "",
        f"Damage to the boss: {to_boss} = {readable(dealt.total)}",
        f"Boss's health: {readable(boss.health)} - {readable(dealt.total)} = {readable(report.boss_left)}",
        f"Stacked over all tokens: {_stacks_text(report.stacks)}",
        f"Damage to the player: {to_you} = {parts}{readable(taken.physical + taken.magical)}",
        f"Player's health: {readable(report.player_health)} - {readable(taken.total)} = {readable(report.player_left)}",
        f"Score: {readable(report.score)}",
    ]
    return "".join(f"{line}\n" for line in lines)


def _token_lines(token: Token, row: TokenRow) -> Iterator[str]:
    yield ""
    yield f"{token.name} ({token.element or 'no element'})"
    on_boss, on_player = element_modifiers(row.distance)
    for trait, modifiers in zip(token.traits, row.traits, strict=True):
        physical = trait.physical_damage * modifiers.boss_physical
        magical = trait.magical_damage * modifiers.boss_magical * on_boss
        yield (
            f"  {trait.name}: to the boss {readable(trait.physical_damage)} x {readable(modifiers.boss_physical)} = "
            f"{readable(physical)} physical, {readable(trait.magical_damage)} x {readable(modifiers.boss_magical)} x "
            f"{readable(on_boss)} = {readable(magical)} magical; "
            f"to the player x {readable(modifiers.player_physical)} physical, "
            f"x {readable(modifiers.player_magical)} magical, x {readable(on_player)} element"
        )
    yield f"  to the boss: {readable(row.to_boss.physical)} physical, {readable(row.to_boss.magical)} magical"
    yield f"  stacked: {_stacks_text(row.stacks)}"


def _stacks_text(stacks: Stacks) -> str:
    return ", ".join(f"x {readable(stack)} {kind}" for kind, stack in stacks._asdict().items())
