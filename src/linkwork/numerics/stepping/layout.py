"""Where the parts of a simulation's state stand: z = (y, w, x), variables and rates of joints, then named states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class StateLayout:
    """Sizes of the parts of z, and where each of them begins.

    ny, nw, nx : variables and rates of all joints, and named states
    """

    ny: int
    nw: int
    nx: int

    @property
    def n(self) -> int:
        """Size of the whole."""
        return self.ny + self.nw + self.nx

    @property
    def y(self) -> slice:
        """Variables."""
        return slice(0, self.ny)

    @property
    def w(self) -> slice:
        """Rates."""
        return slice(self.ny, self.ny + self.nw)

    @property
    def x(self) -> slice:
        """Named states."""
        return slice(self.ny + self.nw, self.n)

    def split(self, z: Floats) -> tuple[Floats, Floats, Floats]:
        """Views of y, w and x along the last axis."""
        return z[..., self.y], z[..., self.w], z[..., self.x]

    def join(self, y: Any, w: Any, x: Any) -> Floats:
        """z of its parts along the last axis."""
        return np.concatenate([y, w, x], axis=-1)


def layout_of(plan: Any) -> StateLayout:
    """The layout of a simulation of a planned machine."""
    return StateLayout(plan.ny, plan.nw, plan.n_states)
