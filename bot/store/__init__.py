"""Storage: one writer at a time, reads beside it. Knows no game, and no feature but by its table of personal data.

Whatever ids a request names, it reaches only what is where it comes from: its `Origin`.
"""

from dataclasses import dataclass
from typing import Final

from bot.config import OperatorError
from sim.core import RuleError


@dataclass(frozen=True, slots=True)
class Origin:
    """The user, the channel and the server of a command or a press, as Discord tells them; never what an id says.

    Outside servers `guild_id` is None, and only its people are in the channel.
    """

    user_id: int
    channel_id: int | None
    guild_id: int | None


DAY: Final = 24 * 60 * 60
"""In seconds."""

OWN_WORK: Final = Origin(0, None, None)
"""The origin of what the bot does by itself, or of what was checked before: it reaches everything."""


class StoreError(OperatorError):
    """A database that can't be used: the file and what is wrong with it."""


class UnavailableError(StoreError):
    """A database that can't be used for a while; it is told once when that begins, so nobody else need log it.

    Nothing was changed, unless `may_be_done`: the transaction was to be committed, and there was no answer.
    """

    def __init__(self, message: str, *, may_be_done: bool = False) -> None:
        super().__init__(message)
        self.may_be_done = may_be_done


class DatabaseLostError(UnavailableError):
    """The server can't be reached now, or the connection to it broke."""


class DiskFullError(UnavailableError):
    """There is no room for what was to be written."""


class ConstraintError(Exception):
    """A row that its table refuses: its key is taken, what it points to is missing, or a value is none of its kind."""


class BattleError(Exception):
    """A change to a battle that isn't possible now; nothing was changed."""


class BattleGoneError(BattleError):
    """There is no such battle, or no longer."""

    def __init__(self, battle_id: int) -> None:
        super().__init__(f"there is no battle {battle_id}")


class BattleOverError(BattleError):
    """The battle is closed: its journal and its seats can't change."""

    def __init__(self, battle_id: int) -> None:
        super().__init__(f"battle {battle_id} is over")
        self.battle_id = battle_id


class JournalFullError(BattleError):
    """The journal only has room for the closing row."""

    def __init__(self, battle_id: int) -> None:
        super().__init__(f"the journal of battle {battle_id} is full")


class StaleError(BattleError):
    """The battle has moved on; `version` is its current one."""

    def __init__(self, battle_id: int, version: int) -> None:
        super().__init__(f"battle {battle_id} is already at version {version}")
        self.battle_id = battle_id
        self.version = version


class AlreadyAppliedError(BattleError):
    """This interaction was already applied: Discord delivered it twice."""


class SeatTakenError(BattleError):
    """Somebody else holds the seat: `user_id`, or the bot if None."""

    def __init__(self, seat: str, user_id: int | None) -> None:
        super().__init__(f"the seat {seat} is taken")
        self.seat = seat
        self.user_id = user_id


class DamagedBattleError(RuleError):
    """What the database holds of a battle isn't what was written; nothing else is affected.

    `reason` is for the operator.
    """

    def __init__(self, battle_id: int, number: int, reason: str) -> None:
        super().__init__(
            f"#{number} is damaged in the database and can't be used; all other battles go on. The people who run this"
            " bot can restore a backup."
        )
        self.battle_id = battle_id
        self.reason = reason
