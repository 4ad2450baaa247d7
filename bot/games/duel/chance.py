"""Seeds for what is rolled before a fight, and for simulations."""

import secrets

MAX_SEED = (1 << 53) - 1
"""The largest whole number that Discord's options take."""

_BYTES = 16


def new_dice() -> bytes:
    """Draw the seed of a character's, or a monster's, dice."""
    return secrets.token_bytes(_BYTES)


def new_seed() -> int:
    """Draw a simulation's seed for somebody who gave none."""
    return secrets.randbelow(MAX_SEED + 1)
