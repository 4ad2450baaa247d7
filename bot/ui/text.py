"""Text for Discord: counted, shortened, escaped."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from sim.core.caret import visible
from sim.core.names import is_mark, name_key, nearest, without_piled_marks

_MAX_NAME = 80

T = TypeVar("T")


def utf16_length(text: str) -> int:
    """Return the length of `text` as Discord counts it: in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def shortened(text: str, limit: int) -> str:
    """Return `text` in at most `limit` UTF-16 units, with an ellipsis for what was cut."""
    if utf16_length(text) <= limit:
        return text
    kept = text[: limit - 1]
    while utf16_length(kept) > limit - 1:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def listed(items: Sequence[T], limit: int = 12, *, markdown: Callable[[T], str] = str) -> str:
    """Return at most `limit` of the items as markdown, and how many more there are."""
    text = " · ".join(map(markdown, items[:limit]))
    return text if len(items) <= limit else f"{text} … and {len(items) - limit:,} more"


def did_you_mean(typed: str, names: Iterable[str]) -> str:
    """Return a blank and the question whether the name most like `typed` was meant, or "" if none is like it."""
    found = nearest(name_key(typed), {name_key(name): name for name in names}, parts=True)
    return "" if found is None else f" Did you mean {plain(found)}?"


def code_block(text: str) -> str:
    """Return `text` in a code block; it must not hold back-ticks (`sim.core.caret.visible` takes them out)."""
    return f"```\n{text}\n```"


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Return `1 round`, `3 rounds`, `1,000 rounds`."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"


# What Discord's markdown, mentions, time stamps, links and bare addresses begin with or need.
_SPECIAL = re.compile(r"[\\*_~|<>#\-\[\]():@./]")
# Letters, signs and arrows that that are visible and no marks; most texts have no others.
_SIMPLE = re.compile(r"[ -~\u00a1-\u00ac\u00ae-\u02ff\u2190-\u21ff]*")


def plain(name: str, limit: int = _MAX_NAME) -> str:
    """Escape a name that a player gave: in markdown it can't ping, link, format, break the line or hide anything.

    `limit`: UTF-16 units before escaping.
    """
    safe = name.replace("`", "'") if _SIMPLE.fullmatch(name) else _harmless(name)
    return _SPECIAL.sub(r"\\\g<0>", shortened(safe, limit))


def _harmless(name: str) -> str:
    """Return a name without what hides, breaks lines or reaches into other lines."""
    composed = without_piled_marks(unicodedata.normalize("NFC", name))
    return "".join(char if is_mark(char) else visible(char) for char in composed)
