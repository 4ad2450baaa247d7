"""A party's fight against a boss. Here: its setup, state, actions and events."""

from abc import abstractmethod
from fractions import Fraction
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from sim.boss_fight.exchange import Damage, damages, score
from sim.boss_fight.hands import MOST, Attack, attacking, set_table
from sim.boss_fight.values import Boss, Deck, Exact, Label, Moment, Name
from sim.core import RuleError
from sim.core.battle import Leave, Seat, SeatEvent
from sim.core.values import Ending, Frozen, Number, Paused, is_unset

MAX_MEMBERS = 12
"""Members of a party, whether alive, fallen or away."""

MAX_TIMES = 1_000
"""The highest factor of a boss's health."""

MAX_PARTY_TRAITS = 5_000
"""Traits in all decks of a party together: every step stores the state, and a deck is one row of the journal."""

PARTY: Literal["party"] = "party"
BOSS: Literal["boss"] = "boss"

MemberSeat = Annotated[Seat, Field(pattern=r"^member-(1[0-2]|[1-9])$")]


HANDS: Literal["hands"] = "hands"
"""The edition in which tokens rest; fights of earlier versions have none."""

Chosen = Annotated[tuple[Label, ...], Field(max_length=MOST)]
"""Names of tokens of a hand."""


class Setup(Frozen):
    """The boss that the party fights; `times`: the factor of its health; `dealt`: damage that it has from before.

    `edition`: `HANDS`, or None where every exchange puts up the whole deck. `alone`: one member fights, nobody else.
    """

    boss: Boss
    times: Annotated[int, Field(ge=1, le=MAX_TIMES, strict=True)] = 1
    dealt: Annotated[Exact, Field(ge=0, exclude_if=is_unset)] = Fraction(0)
    edition: Annotated[Literal["hands"] | None, Field(exclude_if=is_unset)] = None
    alone: Annotated[bool, Field(exclude_if=is_unset)] = False

    @model_validator(mode="after")
    def _check_dealt(self) -> Self:
        if self.dealt >= self.health:
            raise RuleError(f"{self.boss.name} has no health left.")
        return self

    @property
    def health(self) -> int:
        """The boss's health at the start."""
        return self.boss.health * self.times


class Member(Frozen):
    """A member of the party; `hits`: exchanges fought. `away`: has left and may come back."""

    seat: MemberSeat
    name: Name
    deck: Deck
    health: Annotated[int, Field(ge=1)]
    hits: Number = 0
    away: bool = False

    @property
    @abstractmethod
    def left(self) -> Fraction:
        """The health left, 0 or less once fallen."""

    @property
    @abstractmethod
    def dealt(self) -> Fraction:
        """Damage dealt to the boss so far."""

    @property
    def fallen(self) -> bool:
        """Whether no health is left."""
        return self.left <= 0

    @property
    def fights(self) -> bool:
        """Whether this member is alive and present."""
        return not self.away and not self.fallen


class DeckMember(Member):
    """A member whose whole deck fights; `to_boss`, `to_player`: the damage of each exchange, which never changes."""

    to_boss: Damage
    to_player: Damage

    @property
    def left(self) -> Fraction:
        """The health left, 0 or less once fallen."""
        return self.health - self.hits * self.to_player.total

    @property
    def dealt(self) -> Fraction:
        """Damage dealt to the boss so far."""
        return self.hits * self.to_boss.total


class HandMember(Member):
    """A member whose `deck` is a hand.

    `damage`: dealt to the boss so far, `lost`: taken. `tired`: the tokens put up in the last exchange. `missed`: a
    round went by while away, so that the next exchange is against Fury.
    """

    damage: Exact = Fraction(0)
    lost: Exact = Fraction(0)
    tired: Chosen = ()
    missed: bool = False

    @property
    def left(self) -> Fraction:
        """The health left, 0 or less once fallen."""
        return self.health - self.lost

    @property
    def dealt(self) -> Fraction:
        """Damage dealt to the boss so far."""
        return self.damage

    @property
    def rested(self) -> tuple[str, ...]:
        """The tokens that can be put up."""
        return tuple(token.name for token in self.deck.tokens if token.name not in self.tired)


class _MemberEvent(Frozen):
    """Base of what happens to a member."""

    seat: MemberSeat
    name: Name


class _Exchange(_MemberEvent):
    """Base of a member's exchanges with the boss.

    `hits`: the number of the member's exchange, from 1; `boss_left`: the boss's health after it.
    """

    health: Number
    hits: Annotated[int, Field(ge=1)]
    to_boss: Damage
    to_player: Damage
    boss_left: Exact

    @classmethod
    def of(cls, state: "State", member: Member, to_boss: Damage, to_player: Damage, **more: Any) -> Self:  # noqa: ANN401
        """Return the exchange that `member` fights next; `more`: fields of a subclass."""
        return cls(
            seat=member.seat,
            name=member.name,
            health=member.health,
            hits=member.hits + 1,
            to_boss=to_boss,
            to_player=to_player,
            boss_left=state.boss_left - to_boss.total,
            **more,
        )


class Exchanged(_Exchange):
    """A member's exchange with the boss by the whole deck."""

    event: Literal["exchange"] = "exchange"

    @property
    def left(self) -> Fraction:
        """The member's health after it."""
        return self.health - self.hits * self.to_player.total

    @property
    def score(self) -> Fraction:
        """The score as the game counts it: above 0 only for the hit that defeats the boss."""
        return score(self.boss_left, self.left)


class Struck(_Exchange):
    """A member's exchange with the boss by some tokens of the hand, `tokens`, maybe none.

    `left`: the member's health after it. `absent`: another member had it struck.
    """

    event: Literal["struck"] = "struck"
    attack: Attack
    tokens: Chosen
    left: Exact
    absent: Annotated[bool, Field(exclude_if=is_unset)] = False

    @property
    def score(self) -> Fraction:
        """The score as the game counts it: above 0 only for the hit that defeats the boss."""
        return score(self.boss_left, self.left)


Blow = Annotated[Exchanged | Struck, Field(discriminator="event")]
"""An exchange, in either edition."""

AnyMember = Annotated[DeckMember | HandMember, Field(union_mode="left_to_right")]
"""A member, in either edition."""


class State(Frozen):
    """The state of a fight.

    `members`: in the order of play: by joining; a member who comes back goes last. `dealt`: damage to the boss so far.
    `round`: rounds begun. `acted`: who has taken a step in this round. `harmed`: whether anybody lost health in it.
    `entered`, `halved`: whether the boss has spoken at that moment. `last`: the last exchange. `ending`: None while the
    fight goes on.

    With hands: `attacks`, the boss's in the round of the next step and in the one after, none where it knows Fury only.
    `idle`: whole rounds in a row in which nobody lost health.
    """

    setup: Setup
    members: Annotated[tuple[AnyMember, ...], Field(max_length=MAX_MEMBERS)] = ()
    dealt: Exact = Fraction(0)
    round: Number = 0
    acted: Annotated[tuple[MemberSeat, ...], Field(max_length=MAX_MEMBERS)] = ()
    harmed: bool = False
    entered: bool = False
    halved: bool = False
    last: Blow | None = None
    ending: Ending | None = None
    winner: Literal["party", "boss"] | None = None
    attacks: Annotated[tuple[Attack, ...], Field(max_length=2, exclude_if=is_unset)] = ()
    idle: Annotated[Number, Field(exclude_if=is_unset)] = 0

    @property
    def boss_left(self) -> Fraction:
        """The boss's health."""
        return self.setup.health - self.dealt

    @property
    def exchanges(self) -> int:
        """The number of exchanges so far."""
        return sum(member.hits for member in self.members)

    @property
    def turn(self) -> DeckMember | HandMember | None:
        """The member whose step is next; None if nobody can take it, or if the fight is over."""
        if self.ending is not None:
            return None
        return next((member for member in self.members if member.fights and member.seat not in self.acted), None)

    @property
    def next_round(self) -> int:
        """The round of the next step."""
        return self.round if self.acted else self.round + 1

    def member(self, seat: Seat) -> DeckMember | HandMember | None:
        """Return the member in that seat, if any."""
        return next((member for member in self.members if member.seat == seat), None)

    def attack_on(self, member: Member | None) -> Attack:
        """Return what the boss attacks a member with who is next, or the others (None)."""
        missed = isinstance(member, HandMember) and member.missed
        return Attack.FURY if missed or not self.attacks else self.attacks[0]

    @property
    def next_attack(self) -> Attack:
        """What the boss attacks with in the round after that of the next step."""
        return self.attacks[-1] if self.attacks else Attack.FURY

    def score(self, seat: Seat) -> Fraction:
        """Return the best score of that member's exchanges: above 0 only for the one who defeated the boss."""
        return self.last.score if self.last is not None and self.last.seat == seat else Fraction(0)

    @property
    def free_seat(self) -> Seat | None:
        """The lowest free seat; None if the party is full."""
        if self.setup.alone and self.members:
            return None
        taken = {member.seat for member in self.members}
        return next((seat for seat in MEMBERS if seat not in taken), None)


MEMBERS: tuple[Seat, ...] = tuple(f"member-{number}" for number in range(1, MAX_MEMBERS + 1))
"""The seats of the members."""


def default_name(seat: Seat) -> str:
    """Return what somebody is called who gave no name: "Member 2"."""
    return seat.replace("-", " ").capitalize()


class Join(Frozen):
    """Somebody joins, last in the order of play, by default called as `default_name` says."""

    do: Literal["join"] = "join"
    name: Name | None = None
    deck: Deck


class Return(Frozen):
    """A member who left comes back with the same deck and health, last in the order of play."""

    do: Literal["return"] = "return"


class Play(Frozen):
    """The exchange of the member whose turn it is, those until the end of the round, or until that of the fight.

    `late`: had by somebody else after the time has run out.
    """

    do: Literal["step", "round", "run"] = "step"
    late: bool = False


class PutUp(Frozen):
    """The exchange of the member whose turn it is, with these rested tokens of the hand."""

    do: Literal["put-up"] = "put-up"
    tokens: Annotated[Chosen, Field(min_length=1)]


Action = Annotated[Join | Leave | Return | Play | PutUp, Field(discriminator="do")]


class Joined(_MemberEvent, SeatEvent):
    """Somebody joined in this seat."""

    event: Literal["joined"] = "joined"
    health: Number

    def seat_change(self) -> tuple[Seat, bool]:
        """Return the seat, taken."""
        return self.seat, True


class Left(_MemberEvent, SeatEvent):
    """A member left; `forgotten`: before the first exchange, so the seat is free again."""

    event: Literal["left"] = "left"
    forgotten: bool

    def seat_change(self) -> tuple[Seat, bool] | None:
        """Return the seat if it is free again."""
        return (self.seat, False) if self.forgotten else None


class Returned(_MemberEvent):
    """A member came back."""

    event: Literal["returned"] = "returned"


class RoundBegan(Frozen):
    """A round began."""

    event: Literal["round"] = "round"
    number: Annotated[int, Field(ge=1)]


class Foretold(Frozen):
    """The boss showed what it attacks with in the round of that `number`."""

    event: Literal["foretold"] = "foretold"
    number: Annotated[int, Field(ge=1)]
    attack: Attack


class Fell(_MemberEvent):
    """A member has no health left."""

    event: Literal["fell"] = "fell"


class BossMoment(Frozen):
    """The boss entered, dropped to half its health or less, or fell; `words`: what it says."""

    event: Literal["boss"] = "boss"
    name: Name
    moment: Moment
    words: str | None


class Ended(Frozen):
    """The fight is over; `winner` is None for a stalemate, `standing` the number of survivors."""

    event: Literal["ended"] = "ended"
    ending: Ending
    winner: Literal["party", "boss"] | None
    rounds: Number
    standing: Number


Event = Annotated[
    Joined | Left | Returned | RoundBegan | Foretold | Exchanged | Struck | Fell | BossMoment | Paused | Ended,
    Field(discriminator="event"),
]


def best_tokens(state: State, member: HandMember) -> Chosen:
    """Return the rested tokens that "Strike with the best" puts up for a member who is next; none if all are tired."""
    tokens = member.deck.tokens
    table = set_table(state.setup.boss, state.attack_on(member), tokens)
    rested = sum(1 << at for at, token in enumerate(tokens) if token.name not in member.tired)
    best = table.best(rested, state.boss_left, member.left)
    return tuple(token.name for at, token in enumerate(tokens) if best >> at & 1)


def struck(state: State, member: HandMember, chosen: Chosen, *, absent: bool = False) -> Struck:
    """Return the exchange that `member` fights next with these tokens."""
    attack = state.attack_on(member)
    tokens = [token for token in member.deck.tokens if token.name in chosen]
    to_boss, to_player = damages(attacking(state.setup.boss, attack), tokens)
    names, left = tuple(token.name for token in tokens), member.left - to_player.total
    return Struck.of(state, member, to_boss, to_player, attack=attack, tokens=names, left=left, absent=absent)
