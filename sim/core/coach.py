"""Splits the result of a battle into luck and decisions, exactly: what each roll and each choice was worth.

Games tell it by an optional part of their rules, `coach`. V is what a position is worth to a seat under the best
play from there. A roll's share is V after it minus its expectation, which is V before it; a choice's is V of what was
chosen minus V of the best. So all shares add up to the result minus the start.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from typing import Any, Generic, Literal, NamedTuple, Self

from sim.core.battle import ActionT, EventT, Seat, SetupT, StateT
from sim.core.numbers import amount, percent
from sim.core.values import Frozen

NOTHING = 5e-4
"""Smaller shares are none, in what players read."""
_FAR = 0.25
"""The chance to win that was given away, from which play wasn't within anything of perfect."""


class CoachRow(Frozen):
    """A roll or a choice: the row of the journal, when it was, and V before and after it.

    `before`: of a roll its expectation, of a choice the best one's. `seat`: who chose, None for a roll. `words`: what
    was rolled or done; `instead`: what would have been best, "" if this was.
    """

    row: int
    kind: Literal["roll", "choice"]
    moment: str
    before: float
    after: float
    seat: Seat | None = None
    words: str = ""
    instead: str = ""

    @property
    def share(self) -> float:
        """What it changed."""
        return self.after - self.before

    @property
    def sentence(self) -> str:
        """What was rolled or done, and what would have been better."""
        return f"{self.words} instead of {self.instead}" if self.instead else self.words


class CoachReport(Frozen):
    """What a battle's rolls and choices were worth to `seat`: `luck` + `decisions` = `result` - `start`.

    `aim`: what V counts, `unit` of it: "" for chances. `total`: what both sides' V add up to.
    """

    aim: str
    unit: str
    seat: Seat
    total: float
    start: float
    result: float
    luck: float
    decisions: float
    rows: tuple[CoachRow, ...]

    @classmethod
    def of(cls, start: float, rows: Sequence[CoachRow], **scale: Any) -> Self:  # noqa: ANN401  # its first fields
        """Add up the rows of a battle that began with `start`."""
        luck, decisions = (fsum(row.share for row in rows if row.kind == kind) for kind in ("roll", "choice"))
        result = rows[-1].after if rows else start
        return cls(start=start, result=result, luck=luck, decisions=decisions, rows=tuple(rows), **scale)

    def seen_by(self, seat: Seat) -> Self:
        """Return the report as that side sees it."""
        if seat == self.seat:
            return self
        rows = [
            row.model_copy(update={"before": self.total - row.before, "after": self.total - row.after})
            for row in self.rows
        ]
        return self.of(self.total - self.start, rows, aim=self.aim, unit=self.unit, seat=seat, total=self.total)

    def size(self, share: float) -> str:
        """Return the size of a share: "3.1%", "4.25 IPC"."""
        return f"{amount(round(abs(share), 2))} {self.unit}" if self.unit else f"{100 * abs(share):.1f}%"

    def signed(self, share: float) -> str:
        """Return a share with its sign: "+3.1%"."""
        return f"{'-' if share < 0 else '+'}{self.size(share)}"

    def standing(self, value: float) -> str:
        """Return V as text: "62.5%", "-4 IPC"."""
        return self.signed(value) if self.unit else percent(value, certain=value >= 1)

    def sentences(self, *, you: bool) -> Iterator[str]:
        """Yield how it went, in one or two sentences; `you`: the reader had the seat."""
        choices = [row for row in self.rows if row.kind == "choice"]
        # What the choices of the own side cost it, and what the other side's gave.
        cost, gift = (fsum(row.share for row in choices if (row.seat == self.seat) is own) for own in (True, False))
        name = self.seat.replace("-", " ")
        who, whom = ("You", "you") if you else (f"The {name}" if name.isalpha() else name.capitalize(), "it")
        turned = "took" if self.luck < 0 else f"gave {whom}"
        dice = "were even" if abs(self.luck) < NOTHING else f"{turned} {self.size(self.luck)}"
        played = "played perfectly" if -cost < NOTHING else f"played within {self.size(cost)} of perfect"
        if not self.unit and -cost > _FAR:
            played = f"gave away {self.size(cost)}"
        yield f"{who} {played}; the dice {dice}."
        if gift >= NOTHING:
            yield f"The other side gave away {self.size(gift)}."


class SoFar(NamedTuple):
    """A search for the best play that takes long: the share that is done (0 to 1), and what has been found."""

    share: float
    kept: tuple[bytes, ...]


class CoachStep(NamedTuple, Generic[ActionT, EventT]):
    """A step that was not undone: its row of the journal, what was done, and what happened."""

    row: int
    action: ActionT
    events: Sequence[EventT]


class CoachRules(ABC, Generic[SetupT, StateT, ActionT, EventT]):
    """How one game's battles are coached.

    `aims`: what V may count, with what that is for players; the first one is usual. `sides`: the seats that are told,
    the first one first.
    """

    aims: Mapping[str, str]
    sides: tuple[Seat, ...]

    @abstractmethod
    def seconds(self, setup: SetupT) -> float:
        """Return a rough upper bound on the seconds to the report; RuleError with why best play can't be found."""

    @abstractmethod
    def knows(self, state: StateT) -> bool:
        """Return whether a battle that ended like this can be coached, as far as that is cheap to say."""

    @abstractmethod
    def report(
        self, start: StateT, steps: Sequence[CoachStep[ActionT, EventT]], aim: str, so_far: SoFar | None = None
    ) -> CoachReport | SoFar:
        """Return the shares of a battle to the first seat, or what was found in about a second; RuleError as `seconds`.

        `start`: how it began, in the middle of another one too. `so_far`: what has been found before.
        """
