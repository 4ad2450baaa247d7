"""Seeds that players give or that are drawn for them."""

import secrets
from typing import Annotated

from discord import app_commands
from pydantic import Field

from bot.ui.limits import MAX_INTEGER

SeedOption = app_commands.Range[int, 0, MAX_INTEGER]
"""A command's option for a seed."""

Seed = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
"""A seed in a stored query."""

_DICE_BYTES = 16


def new_seed() -> int:
    """Draw a seed for a caller who gave none."""
    return secrets.randbelow(MAX_INTEGER + 1)


def new_dice_seed() -> bytes:
    """Draw the seed of the dice that make characters and monsters."""
    return secrets.token_bytes(_DICE_BYTES)
