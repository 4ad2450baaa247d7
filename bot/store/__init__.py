"""Storage: one writer at a time, reads beside it. Knows no game, and no feature but by its table of personal data.

Whatever ids a request names, it reaches only what is where it comes from: its `Origin`.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Origin:
    """The user, the channel and the server of a command or a press, as Discord tells them; never what an id says.

    Outside servers `guild_id` is None, and only its people are in the channel.
    """

    user_id: int
    channel_id: int | None
    guild_id: int | None


OWN_WORK: Final = Origin(0, None, None)
"""The origin of what the bot does by itself, or of what was checked before: it reaches everything."""
