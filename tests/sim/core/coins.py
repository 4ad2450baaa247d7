"""A tiny game for tests of what all battles share: a coin a step, over at three heads."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from sim.core.battle import LegalAction, Outcome, RuleBook, Step
from sim.core.dice import Dice
from sim.core.values import Ending

HEADS = 3


class Table(BaseModel, frozen=True, extra="forbid"):
    coins: Annotated[int, Field(ge=1, le=10)] = 1


class Heap(BaseModel, frozen=True, extra="forbid"):
    table: Table
    heads: int = 0


class Toss(BaseModel, frozen=True, extra="forbid"):
    do: Literal["toss"] = "toss"


class Tossed(BaseModel, frozen=True, extra="forbid"):
    event: Literal["tossed"] = "tossed"
    faces: tuple[int, ...]


class Coins(RuleBook[Table, Heap, Toss, Tossed]):
    name = "coins"
    rules = 1
    seats = ("player",)
    over = "Three heads are up."

    def begin(self, setup: Table) -> Heap:
        return Heap(table=setup)

    def legal(self, state: Heap) -> tuple[LegalAction[Toss], ...]:
        return () if self.outcome(state) else (LegalAction("toss", "Toss", self.seats, Toss()),)

    def cost(self, state: Heap, action: Toss) -> float:
        del action
        return state.table.coins * 1e-6

    def step(self, state: Heap, action: Toss, seat: str, dice: Dice) -> Step[Heap, Tossed]:
        del action, seat
        faces = tuple(dice.roll(2) for _ in range(state.table.coins))
        return Step(state.model_copy(update={"heads": state.heads + faces.count(1)}), (Tossed(faces=faces),))

    def outcome(self, state: Heap) -> Outcome | None:
        done = state.heads >= HEADS
        return Outcome(ending=Ending.ANNIHILATION, winner="player", rounds=state.heads) if done else None

    def lines(self, events: tuple[Tossed, ...]) -> list[str]:
        return [f"Tossed {event.faces}" for event in events]
