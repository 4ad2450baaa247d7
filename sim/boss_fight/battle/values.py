"""The values of a party's fight: how it is set up, how it stands, what players do, what happens."""

from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

from sim.boss_fight.exact import Exact
from sim.boss_fight.exchange import Damage, score
from sim.boss_fight.values import Boss, Deck, Name
from sim.core.battle import Seat
from sim.core.frozen import Frozen
from sim.core.outcomes import Ending

MAX_MEMBERS = 12
"""Members of a party: living, fallen and away."""

MAX_TIMES = 1_000
"""What a boss's health may be multiplied by."""

MAX_PARTY_TRAITS = 5_000
"""Traits of all decks of a party together: the fight is kept at every step, and a deck is one line of its journal."""

PARTY: Literal["party"] = "party"
BOSS: Literal["boss"] = "boss"

MemberSeat = Annotated[Seat, Field(pattern=r"^member-(1[0-2]|[1-9])$")]
Number = Annotated[int, Field(ge=0)]


class Setup(Frozen):
    """Whom the party fights; `times`: what the boss's health is multiplied by."""

    boss: Boss
    times: Annotated[int, Field(ge=1, le=MAX_TIMES, strict=True)] = 1

    @property
    def health(self) -> int:
        """The boss's health at the start."""
        return self.boss.health * self.times


class Member(Frozen):
    """Somebody in the fight.

    `hits`: exchanges fought. `to_boss`, `to_player`: the damage of each of them; it never changes, for neither the boss
    nor the deck does. `away`: has left, and may come back.
    """

    seat: MemberSeat
    name: Name
    deck: Deck
    health: Annotated[int, Field(ge=1)]
    to_boss: Damage
    to_player: Damage
    hits: Number = 0
    away: bool = False

    @property
    def left(self) -> Fraction:
        """The health that is left, 0 or less once fallen."""
        return self.health - self.hits * self.to_player.total

    @property
    def dealt(self) -> Fraction:
        """Damage dealt to the boss so far."""
        return self.hits * self.to_boss.total

    @property
    def fallen(self) -> bool:
        """Whether no health is left."""
        return self.left <= 0

    @property
    def fights(self) -> bool:
        """Whether this member lives and is there."""
        return not self.away and not self.fallen


class Exchanged(Frozen):
    """A member's exchange with the boss.

    `hits`: which of the member's exchanges it was; `boss_left`: the boss's health after it.
    """

    event: Literal["exchange"] = "exchange"
    seat: MemberSeat
    name: Name
    health: Number
    hits: Annotated[int, Field(ge=1)]
    to_boss: Damage
    to_player: Damage
    boss_left: Exact

    @property
    def left(self) -> Fraction:
        """The member's health after it."""
        return self.health - self.hits * self.to_player.total

    @property
    def score(self) -> Fraction:
        """The score as the game counts it, from what both had before: above 0 only for the blow that ends the fight."""
        return score(self.boss_left, self.left)


class State(Frozen):
    """How a fight stands.

    `members`: in the order of play: by joining, who came back last. `dealt`: damage to the boss so far. `round`: rounds
    begun. `acted`: who has had a step in this round. `harmed`: whether anybody lost health in it. `entered`, `halved`:
    whether the boss's words were told. `last`: the last exchange. `ending` is None until then.
    """

    setup: Setup
    members: Annotated[tuple[Member, ...], Field(max_length=MAX_MEMBERS)] = ()
    dealt: Exact = Fraction(0)
    round: Number = 0
    acted: Annotated[tuple[MemberSeat, ...], Field(max_length=MAX_MEMBERS)] = ()
    harmed: bool = False
    entered: bool = False
    halved: bool = False
    last: Exchanged | None = None
    ending: Ending | None = None
    winner: Literal["party", "boss"] | None = None

    @property
    def boss_left(self) -> Fraction:
        """The boss's health."""
        return self.setup.health - self.dealt

    @property
    def turn(self) -> Member | None:
        """Whose step is next; None when nobody is there to take it, and when the fight is over."""
        if self.ending is not None:
            return None
        return next((member for member in self.members if member.fights and member.seat not in self.acted), None)

    def member(self, seat: Seat) -> Member | None:
        """Return who has that seat, if anybody."""
        return next((member for member in self.members if member.seat == seat), None)

    def score(self, seat: Seat) -> Fraction:
        """Return the best score of that member's exchanges so far: above 0 only for whoever felled the boss."""
        return self.last.score if self.last is not None and self.last.seat == seat else Fraction(0)

    @property
    def free_seat(self) -> Seat | None:
        """The lowest seat that nobody has; None when the party is full."""
        taken = {member.seat for member in self.members}
        return next((seat for seat in MEMBERS if seat not in taken), None)


MEMBERS: tuple[Seat, ...] = tuple(f"member-{number}" for number in range(1, MAX_MEMBERS + 1))
"""The seats of members."""


class Join(Frozen):
    """Somebody enters the fight, last in the order of play; without a name, as the seat is called: "Member 2"."""

    do: Literal["join"] = "join"
    name: Name | None = None
    deck: Deck


class Leave(Frozen):
    """The member whose seat it is leaves."""

    do: Literal["leave"] = "leave"


class Return(Frozen):
    """A member who left comes back, with the deck and the health of then, last in the order of play."""

    do: Literal["return"] = "return"


class Step(Frozen):
    """The exchange of the member whose turn it is; `late`: not by this member, who has let the time pass."""

    do: Literal["step"] = "step"
    late: bool = False


class Round(Frozen):
    """Steps to the end of the round."""

    do: Literal["round"] = "round"
    late: bool = False


class Run(Frozen):
    """Round after round, to the end."""

    do: Literal["run"] = "run"
    late: bool = False


Action = Annotated[Join | Leave | Return | Step | Round | Run, Field(discriminator="do")]


class Joined(Frozen):
    """Somebody entered, in this seat."""

    event: Literal["joined"] = "joined"
    seat: MemberSeat
    name: Name
    health: Number


class Left(Frozen):
    """A member left; `forgotten`: before the first exchange, so that the seat is free again."""

    event: Literal["left"] = "left"
    seat: MemberSeat
    name: Name
    forgotten: bool


class Returned(Frozen):
    """A member came back."""

    event: Literal["returned"] = "returned"
    seat: MemberSeat
    name: Name


class RoundBegan(Frozen):
    """The first step of a round is about to be taken."""

    event: Literal["round"] = "round"
    number: Annotated[int, Field(ge=1)]


class Fell(Frozen):
    """A member has no health left."""

    event: Literal["fell"] = "fell"
    seat: MemberSeat
    name: Name


class Moment(StrEnum):
    """When a boss is heard."""

    ENTRY = "entry"
    HALF = "half"
    FALL = "fall"


class BossMoment(Frozen):
    """The boss entered, has half its health or less for the first time, or fell; `words`: what is told then."""

    event: Literal["boss"] = "boss"
    name: Name
    moment: Moment
    words: str | None


class Paused(Frozen):
    """Running on stopped after many rounds; it may go on."""

    event: Literal["paused"] = "paused"
    rounds: Number


class Ended(Frozen):
    """The fight is over; `winner` is None for a stalemate."""

    event: Literal["ended"] = "ended"
    ending: Ending
    winner: Literal["party", "boss"] | None
    rounds: Number
    standing: Number


Event = Annotated[
    Joined | Left | Returned | RoundBegan | Exchanged | Fell | BossMoment | Paused | Ended,
    Field(discriminator="event"),
]


def exchanged(state: State, member: Member) -> Exchanged:
    """Return the exchange that `member` fights now."""
    return Exchanged(
        seat=member.seat,
        name=member.name,
        health=member.health,
        hits=member.hits + 1,
        to_boss=member.to_boss,
        to_player=member.to_player,
        boss_left=state.boss_left - member.to_boss.total,
    )
