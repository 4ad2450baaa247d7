"""The errors of the store."""


class StoreError(Exception):
    """A database that can't be used.

    `str(error)` is one plain sentence for whoever runs the bot: the file and what is wrong with it.
    """


class BattleError(Exception):
    """Something that can't be done to a battle now; nothing was changed."""


class BattleGoneError(BattleError):
    """There is no such battle, or none any more."""

    def __init__(self, battle_id: int) -> None:
        super().__init__(f"there is no battle {battle_id}")
        self.battle_id = battle_id


class BattleOverError(BattleError):
    """The battle is closed: its journal takes no row and its seats don't change."""

    def __init__(self, battle_id: int) -> None:
        super().__init__(f"battle {battle_id} is over")
        self.battle_id = battle_id


class StaleError(BattleError):
    """The battle has gone on meanwhile; `version` is where it stands now."""

    def __init__(self, battle_id: int, version: int) -> None:
        super().__init__(f"battle {battle_id} is already at version {version}")
        self.battle_id = battle_id
        self.version = version


class AlreadyAppliedError(BattleError):
    """This very interaction was applied before: Discord delivered it twice."""

    def __init__(self, interaction_id: int) -> None:
        super().__init__(f"interaction {interaction_id} was applied before")
        self.interaction_id = interaction_id


class SeatTakenError(BattleError):
    """Somebody else has the seat: the person `user_id`, or the bot when it is None."""

    def __init__(self, seat: str, user_id: int | None) -> None:
        super().__init__(f"the seat {seat} is taken")
        self.seat = seat
        self.user_id = user_id


class JournalFullError(BattleError):
    """The journal has room for the closing row alone."""

    def __init__(self, battle_id: int) -> None:
        super().__init__(f"the journal of battle {battle_id} is full")
        self.battle_id = battle_id
