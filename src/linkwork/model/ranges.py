"""Where a parameter of a curve or a surface runs: from, to, and whether it begins anew at its end."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from linkwork.geometry.elementary import floor


@dataclass(frozen=True)
class Range:
    """From `start` to `end`, either of which may be infinite; a `closed` one repeats."""

    start: float = -math.inf
    end: float = math.inf
    closed: bool = False

    @property
    def is_finite(self) -> bool:
        """Whether both ends are."""
        return math.isfinite(self.start) and math.isfinite(self.end)

    def wrapped(self, t: Any) -> Any:
        """The parameter within a closed range; itself where the range is open."""
        if not self.closed:
            return t
        period = self.end - self.start
        return t - period * floor((t - self.start) / period)
