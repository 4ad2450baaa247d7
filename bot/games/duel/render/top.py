"""The list of the best."""

from collections.abc import Sequence
from typing import Protocol

from bot.games.duel.render.signs import EXPERIENCE
from bot.ui.text import plain

_MEDALS = ("🥇", "🥈", "🥉")


class Listed(Protocol):
    """A score as the store keeps it."""

    @property
    def user_id(self) -> int:
        """Whose it is."""
        ...

    @property
    def name(self) -> str:
        """The hero."""
        ...

    @property
    def points(self) -> int:
        """Experience."""
        ...

    @property
    def told(self) -> str:
        """How it came about."""
        ...


def top_text(scores: Sequence[Listed], where: str) -> str:
    """Return the list, the best first."""
    if not scores:
        return f"Nobody has brought experience out of a dungeon {where} yet. `/duel dungeon` begins one."
    lines = [f"### 🏆 The best of the dungeons {where}"]
    for at, score in enumerate(scores):
        place = _MEDALS[at] if at < len(_MEDALS) else f"{at + 1}\\."
        lines.append(f"{place} **{plain(score.name)}** {EXPERIENCE} {score.points:,} XP")
        lines.append(f"-# {plain(score.told)} · <@{score.user_id}>")
    return "\n".join(lines)
