"""The editions of the rules of duels and dungeons: battles from before an edition keep theirs, to the last hash.

The second edition uses up the texts of a message before it repeats one, knows more stories and rooms, and sends smaller
packs of monsters.
"""

from typing import Annotated

from pydantic import Field

EDITION = 2
"""The edition that new battles are fought by."""

Edition = Annotated[int, Field(ge=1, le=EDITION, strict=True, exclude_if=lambda edition: edition == 1)]
"""An edition in a setup; the first one isn't written: it had no such field."""


def is_unset(value: object) -> bool:
    """Return whether to leave out a field that the first edition didn't have: its battles keep their hashes."""
    return not value
