"""The state of a simulation on its way, as data: where it is, what was sampled, and which steps were taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from linkwork.analyses.simulation.trail import Trail
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.numerics.stepping.advance import Samples
    from linkwork.numerics.stepping.problem import Problem


@dataclass
class Course:
    """Arrays that the compiled loop reads and writes.

    p : kernels and their arrays; state : numbers of the loop (`numerics.stepping.advance`)
    z, f : state (y, w, x) and its rate; samples : what was sampled so far
    trails : what is kept of the steps
    """

    p: Problem = field(init=False)
    state: Array = field(init=False)
    z: Array = field(init=False)
    f: Array = field(init=False)
    samples: Samples = field(init=False)
    trails: Trail = field(init=False)

    @property
    def t(self) -> float:
        """Time reached [s]."""
        return float(self.state[0])

    @property
    def reached(self) -> int:
        """Samples that were written."""
        return int(self.state[3])
