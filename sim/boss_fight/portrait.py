"""Pictures that people upload, made safe: read with tight limits, drawn anew, nothing of the old file kept."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from pydantic import Field

from sim.core.errors import RuleError
from sim.core.frozen import Frozen

MAX_BYTES = 8 << 20
"""The largest file, in bytes."""

MAX_POINTS: Mapping[str, int] = MappingProxyType(
    {"PNG": 8_000_000, "JPEG": 16_000_000, "WEBP": 8_000_000, "GIF": 8_000_000}
)
"""The kinds of files that are read; of each the largest picture, in points: width x height.

A decoder keeps a picture twice or three times, and a worker has little memory; JPEG can be decoded smaller at once.
"""

MAX_SIDE = 512
"""Points of the longer side of what comes out."""


class PortraitRequest(Frozen):
    """An uploaded picture; the job that makes it a PNG of at most `MAX_SIDE` points a side, without metadata."""

    data: Annotated[bytes, Field(repr=False)]

    def cost(self) -> float:
        """Return a rough upper figure for its seconds; RuleError for too large a file."""
        if len(self.data) > MAX_BYTES:
            raise RuleError(f"The picture has {len(self.data):,} bytes; at most {MAX_BYTES >> 20} MiB are taken.")
        return 3.0

    def run(self) -> bytes:
        """Return the new picture; RuleError for what is no picture of the kinds taken, or too large."""
        self.cost()
        # Not at the top: who only asks must not load the library.
        from sim.boss_fight.reencode import reencode  # noqa: PLC0415

        return reencode(self.data)
