"""Codes of why a battle is over, and the array types of the kernels."""

import numpy as np
from numpy.typing import NDArray

GOES_ON = 0
ATTACKER = 1
"""Only the attacker is left."""
DEFENDER = 2
"""Only the defender is left."""
TIE = 3
"""Nobody is left."""
STALEMATE = 4
"""Both are left and neither can ever hit the other."""
RETREAT = 5
"""The attacker has left the battle."""
ROUND_LIMIT = 6
"""Both are left at the round limit."""

Codes = NDArray[np.int8]
"""The codes above."""

Floats = NDArray[np.float64]
"""Chances, probability masses, means."""

Ints = NDArray[np.int64]
"""Counts of units or hits, numbers of armies."""

ArmyNumbers = NDArray[np.uint32]
"""Numbers of armies inside the kernels; unsigned, so that indexing skips the sign check."""

Flags = NDArray[np.bool_]
