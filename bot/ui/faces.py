"""A face shows the battles of one system and asks its players; panels and commands know faces, not rule systems."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import discord

from bot.render.battle import Shown
from bot.store.battle import Battle
from sim.adapters import Caller
from sim.core.battle import AnySystem, Choice, Seat
from sim.core.errors import RuleError
from sim.core.journal import Entry

if TYPE_CHECKING:
    from bot.app import Fracas

REFEREE: Seat = "referee"
"""The seat of whoever may manage messages."""

CLOCK: Seat = "clock"
"""The seat in which time that is up is called."""


class Face(ABC):
    """Shows the battles of one system.

    `title` is what players call the system. `bot_plays`: the choices that somebody may press for a seat of the bot.
    """

    title: ClassVar[str]
    bot_plays: ClassVar[frozenset[str]] = frozenset()
    system: AnySystem

    def __init__(self, bot: "Fracas") -> None:
        self._bot = bot

    @abstractmethod
    async def show(self, battle: Battle, entries: Sequence[Entry], caller: Caller | None) -> Shown:
        """Return how the battle stands; `entries` are the steps that count."""

    @abstractmethod
    def progress(self, battle: Battle) -> str:
        """Say where the battle is, such as "at round 4"."""

    @abstractmethod
    def lines(self, battle: Battle, entry: Entry) -> list[str]:
        """Return the log of one row as plain text, nothing in it that is hidden now."""

    def withheld(self, _battle: Battle, _entries: Sequence[Entry]) -> int | None:
        """Return how many of the last rows are hidden while the battle is open; None for the whole journal."""
        return 0

    async def ask(
        self, _interaction: "discord.Interaction[Fracas]", _battle: Battle, _choice: Choice[Any], _seat: Seat
    ) -> None:
        """Ask the player privately for what a choice without an action needs; the interaction is unanswered."""
        raise RuleError("This needs a newer version of the bot.")

    def secret(self, _battle: Battle, _seats: Sequence[Seat]) -> str | None:
        """Return what only those in `seats` may see; None where nothing is secret."""
        return None

    def state(self, battle: Battle) -> Any:  # noqa: ANN401  # whatever the system's states are
        """Return the state as the system's value."""
        return self.system.states.read(battle.state)

    def choices(self, battle: Battle) -> tuple[Choice[Any], ...]:
        """Return what may be done now; nothing in a closed battle."""
        return self.system.legal(self.state(battle)) if battle.is_open else ()

    def choice(self, battle: Battle, name: str) -> Choice[Any]:
        """Return the choice of that name; RuleError when it isn't among those of now."""
        for one in self.choices(battle):
            if one.name == name:
                return one
        raise RuleError(f"That can't be done now: #{battle.number} is {self.progress(battle)}.")
