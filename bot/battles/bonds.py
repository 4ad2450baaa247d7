"""What binds a battle to a feature that opened it: a sentence on its panel, and no undo."""

from collections.abc import Awaitable, Callable

from bot.client import Client
from bot.store.battle import Battle
from sim.core.errors import RuleError

Bond = Callable[[Battle], Awaitable[str]]
"""Returns a sentence about a battle whose steps stand, "" for one that isn't the feature's."""


class Bonds:
    """The bonds of features."""

    def __init__(self, _bot: Client) -> None:
        self._bonds: list[Bond] = []

    def add(self, bond: Bond) -> None:
        """Ask a feature from now on."""
        self._bonds.append(bond)

    async def line(self, battle: Battle) -> str:
        """Return what binds a battle, "" for nothing."""
        return " ".join(filter(None, [await bond(battle) for bond in self._bonds]))

    async def expect_undo(self, battle: Battle) -> None:
        """Raise RuleError if the steps of a battle stand."""
        if line := await self.line(battle):
            raise RuleError(line)
