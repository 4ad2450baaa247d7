"""Text as Discord counts and shows it."""

LAYOUT_TEXT = 4000
"""UTF-16 units that all text of one message may take together (Components V2)."""


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
    """Return `text` in a code block; it must not hold back-ticks (`sim.core.excerpt.visible` takes them out)."""
    return f"```\n{text}\n```"


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Return `1 round`, `3 rounds`, `1,000 rounds`."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"
