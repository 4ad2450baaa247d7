"""Names for the arrays that pass between the parts of the odds engine."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Chances, masses, means."""

Ints = NDArray[np.int64]
"""Counts of units or hits, numbers of armies."""

Places = NDArray[np.uint32]
"""Numbers of armies inside the kernels: unsigned, so that no index needs a look at its sign."""

Codes = NDArray[np.int8]
"""Why battles are over: numbers of `codes`."""

Flags = NDArray[np.bool_]
