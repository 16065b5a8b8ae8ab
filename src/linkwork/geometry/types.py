"""The array types that the geometry functions share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

__all__ = ["Array", "ArrayLike", "Bools"]
