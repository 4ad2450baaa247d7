"""Who won and why a fight ended."""

from enum import StrEnum


class Side(StrEnum):
    """The two sides of a battle; the attacker moves first wherever the order matters."""

    ATTACKER = "attacker"
    DEFENDER = "defender"

    @property
    def other(self) -> "Side":
        """The opposing side."""
        return Side.DEFENDER if self is Side.ATTACKER else Side.ATTACKER


class Ending(StrEnum):
    """Why a battle ended."""

    ANNIHILATION = "one side is gone"
    MUTUAL = "both sides are gone"
    STALEMATE = "neither side can hurt the other"
    RETREAT = "the attacker retreated"
    ROUND_LIMIT = "the round limit was reached"
