"""Names for the arrays that pass between the parts of the odds engine."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Chances, masses."""

Ints = NDArray[np.int64]
"""Numbers of fighters, hit points, bonuses in millionths."""

Words = NDArray[np.uint64]
"""States of generators."""

Bytes = NDArray[np.uint8]
"""Small numbers: flags, first places to look."""
