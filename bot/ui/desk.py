"""A desk answers one kind of calculation; the pager knows desks, not rule systems."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import discord

from bot.render.book import Book
from bot.store.calculations import Calculation
from sim.adapters import Caller
from sim.core.errors import RuleError

if TYPE_CHECKING:
    from bot.app import Fracas


class DraftError(Exception):
    """A request that was refused but kept, so that its player can mend it in a form instead of typing it again."""

    def __init__(self, error: RuleError, calculation_id: str) -> None:
        super().__init__(error, calculation_id)
        self.error = error
        self.calculation_id = calculation_id


class Desk(ABC):
    """Answers one kind of calculation from its stored request, today or after a restart."""

    kind: ClassVar[str]
    """Names the desk in the database and nowhere else."""

    @abstractmethod
    async def book(self, request: str, caller: Caller) -> Book:
        """Work the stored request (JSON) out; RuleError when it can't be done."""

    @abstractmethod
    async def files(self, request: str, caller: Caller) -> dict[str, bytes]:
        """Return the answer's files by name; RuleError when it can't be done."""

    @abstractmethod
    async def act(self, interaction: "discord.Interaction[Fracas]", calculation: Calculation, action: str) -> None:
        """Do what one of the book's actions asks for, or `edit` under a refusal; the interaction is unanswered."""

    @abstractmethod
    async def submit(
        self, interaction: "discord.Interaction[Fracas]", calculation: Calculation, values: dict[str, str]
    ) -> None:
        """Take a form that `act` showed; `values` by the fields' ids. The interaction is unanswered."""
