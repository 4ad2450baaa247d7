"""Text as Discord counts and shows it."""

import re
import unicodedata

from sim.core.caret import visible
from sim.core.names import is_mark, without_piled_marks

MOST_NAME = 80
"""UTF-16 units of a player-given name that are shown."""


def utf16_length(text: str) -> int:
    """Return the length of `text` as Discord counts it: in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def shortened(text: str, most: int) -> str:
    """Return `text` in at most `most` UTF-16 units, an ellipsis standing for what was cut."""
    if utf16_length(text) <= most:
        return text
    kept = text[: most - 1]
    while utf16_length(kept) > most - 1:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def code_block(text: str) -> str:
    """Return `text` in a code block; it must not hold back-ticks (`sim.core.caret.visible` takes them out)."""
    return f"```\n{text}\n```"


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Return `1 round`, `3 rounds`, `1,000 rounds`."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"


# What Discord's markdown, mentions, time stamps, links and bare addresses begin with or need.
_SPECIAL = re.compile(r"[\\*_~|<>#\-\[\]():@./]")
# Letters, signs and arrows that are seen as they are and hold no mark: most texts consist of them alone.
_SIMPLE = re.compile(r"[ -~\u00a1-\u00ac\u00ae-\u02ff\u2190-\u21ff]*")


def plain(name: str, most: int = MOST_NAME) -> str:
    """Return a name that a player gave, such as a file's, so that in markdown it is that name and nothing else.

    It can't ping, link, format, break the line or hide anything. `most`: units before characters are escaped.
    """
    safe = name.replace("`", "'") if _SIMPLE.fullmatch(name) else _harmless(name)
    return _SPECIAL.sub(r"\\\g<0>", shortened(safe, most))


def _harmless(name: str) -> str:
    """Return a name without what hides, breaks lines or reaches into other lines."""
    composed = without_piled_marks(unicodedata.normalize("NFC", name))
    return "".join(char if is_mark(char) else visible(char) for char in composed)
