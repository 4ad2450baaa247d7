"""The jobs that draw: a fight's health bars, and an uploaded picture made safe.

An uploaded picture is read with tight limits and drawn anew; nothing of the old file is kept.
"""

from typing import Annotated, Self

from pydantic import Field
from typing_extensions import override

from sim.boss_fight.bars import Bar, bars_of, in_words
from sim.boss_fight.battle.values import MAX_MEMBERS, State
from sim.core.errors import RuleError
from sim.core.request import Request

MAX_BYTES = 8 << 20
"""The largest uploaded picture, in bytes."""


class BarsRequest(Request):
    """The picture of a fight: the boss's bar and the members', in the order of play; the job that draws it."""

    max_seconds = 0.5

    boss: Bar
    members: Annotated[tuple[Bar, ...], Field(max_length=MAX_MEMBERS)]

    @classmethod
    def of(cls, state: State) -> Self:
        """Make the request for a fight as it stands."""
        boss, members = bars_of(state)
        return cls(boss=boss, members=members)

    def run(self) -> tuple[bytes, str]:
        """Return the picture, a PNG, and the words for those who can't see it."""
        # Not at the top: who only asks must not load the library.
        from sim.boss_fight.picture import draw  # noqa: PLC0415

        return draw(self.boss, self.members), in_words((self.boss, *self.members))


class PortraitRequest(Request):
    """An uploaded picture; the job that makes it a PNG of at most 512 points a side, without metadata."""

    data: Annotated[bytes, Field(repr=False)]

    @override
    def cost(self) -> float:
        if len(self.data) > MAX_BYTES:
            raise RuleError(f"The picture has {len(self.data):,} bytes; at most {MAX_BYTES >> 20} MiB are taken.")
        return 3.0

    def run(self) -> bytes:
        """Return the new picture; RuleError for what is no picture of the kinds taken, or too large."""
        self.cost()
        # Not at the top: who only asks must not load the library.
        from sim.boss_fight.reencode import reencode  # noqa: PLC0415

        return reencode(self.data)
