"""Forward dynamics of machines with loops: the elimination that was found, watched, with a robust way beside it.

The kernel of an elimination is straight-line code. Where its health shows that pivots have shrunk, the equations of
motion with all rows of all loops are solved by singular values instead, sample by sample; a posture at which even they
do not determine the accelerations is singular, and said to be.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.forces.states import states_around
from linkwork.analyses.kinematics.failures import DeadCentre
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.posture import Posture
from linkwork.equations.closed_dynamics import Elimination, closed_forward_dynamics, find_elimination, unconstrained
from linkwork.equations.closing import closure_products
from linkwork.equations.closure import ROWS
from linkwork.equations.tree import Weightless
from linkwork.errors import ModelError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.kernels import Kernel

SICK = 1e6
"""Growth of Σ (inverse pivot / usual)² at which the robust way is taken: three digits are lost by then."""
RANK = 1e-11
"""Singular values below this part of the largest are none."""
CHUNK = 256
"""Samples that the robust way takes at once."""


@dataclass
class ForwardDynamics:
    """Accelerations of all joints of one machine."""

    loops: Loops
    home: Posture
    eliminations: dict[str, Elimination] = field(default_factory=dict)

    @property
    def elimination(self) -> Elimination:
        """How accelerations are found; looked for when it is first needed."""
        if "" not in self.eliminations:
            system = self.loops.system
            try:
                self.eliminations[""] = find_elimination(
                    self.loops.plan, *system._formulas.numbers(system.parameters, True),
                    states_around(self.loops, self.home),
                )  # fmt: skip
            except Weightless as error:
                raise ModelError(Problem(str(error), error.where, error.hint), self.loops.plan.name) from None
        return self.eliminations[""]

    def kernel(self, efforts: bool, joints: bool) -> Kernel:
        """(y, w, effort, t) -> accelerations, health.

        efforts : joints outside the tree have efforts too; joints : their accelerations are wanted too
        """
        choice: list[Any] = ["all" if x else "tree" for x in (efforts, joints)]
        return self.loops.system._own(Question(closed_forward_dynamics(self.elimination, *choice)))

    def __call__(self, y: Any, w: Any, effort: Any, t: Any, out: Any, threads: int | None) -> Array:
        """Accelerations of all joints (..., nw); DeadCentre where they are not determined."""
        nv = self.loops.plan.nv
        given = np.asarray(effort)
        on_cuts = given.shape[-1:] == (self.loops.columns,) and bool(np.any(given[..., nv:]))
        when = np.asarray(t, float)[..., np.newaxis]
        a, health = self.kernel(on_cuts, True)(y, w, effort, when, out=None if out is None else (out, None), threads=threads)
        sick = ~(health < SICK * max(1, len(self.elimination.usual)))
        if np.any(sick):
            a = np.array(a) if out is None else out
            shape = a.shape[:-1]
            places = np.argwhere(np.broadcast_to(sick, shape))
            spread = [np.broadcast_to(x, (*shape, x.shape[-1])) for x in map(np.asarray, (y, w, effort, when))]
            for start in range(0, len(places), CHUNK):
                index = tuple(places[start : start + CHUNK].T)
                a[index] = self._robust(*(x[index] for x in spread), places[start : start + CHUNK])
        result: Array = a
        return result

    def _robust(self, y: Array, w: Array, effort: Array, when: Array, places: NDArray[np.intp]) -> Array:
        """Least-squares solution of the equations of motion with all rows: [[M, Jᵀ], [J, 0]]."""
        loops, plan = self.loops, self.loops.plan
        system = loops.system
        nw, rows = plan.nw, ROWS * len(plan.cuts)
        system_matrix = np.zeros((len(y), nw + rows, nw + rows))
        right = np.zeros((len(y), nw + rows))
        mass, force = system._own(Question(unconstrained()))(y, w, effort, when)
        J = loops.equations(y)[1]
        scale = loops.column_scale
        system_matrix[:, :nw, :nw] = mass * scale[:, np.newaxis] * scale
        system_matrix[:, nw:, :nw] = J
        system_matrix[:, :nw, nw:] = np.swapaxes(J, 1, 2)
        right[:, :nw] = force * scale
        products = system._own(Question(closure_products(1)))(y, w)
        right[:, nw:] = -products * loops.row_scale
        size = np.abs(system_matrix[:, :nw, :nw]).max(axis=(1, 2), keepdims=True)
        system_matrix[:, :nw, :nw] /= size
        right[:, :nw] /= size[:, 0]
        U, s, Vt = np.linalg.svd(system_matrix)
        kept = s > RANK * s[:, :1]
        loose = np.abs(np.where(kept[:, :, np.newaxis], 0.0, Vt)[:, :, :nw]).max(axis=(1, 2), initial=0.0)
        if (loose > 1e-6).any():
            self._refuse(y[int(np.argmax(loose > 1e-6))], places[int(np.argmax(loose > 1e-6))])
        x = np.einsum("sji,sj->si", U, right) * np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0)
        found: Array = np.einsum("sji,sj->si", Vt, x)[:, :nw] * scale
        return found

    def _refuse(self, y: Array, place: NDArray[np.intp]) -> None:
        where = f" of sample {', '.join(map(str, place))}" if place.size else ""
        text = f"the posture{where} is singular: forces do not determine the accelerations there"
        hint = "start beside it; a machine can go on in several ways from a singular posture"
        raise DeadCentre(Problem(text, hint=hint), self.loops.plan.name, Posture(self.loops, y))
