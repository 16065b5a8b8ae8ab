"""The motion of a machine as differential-algebraic equations of index 2, all joints and multipliers unknown.

    y' = N(y) (w + S Jᵀ μ) + q ν      kinematics; μ and ν keep variables on the constraints, and vanish with the steps
    M w' + h - effort + Jᵀ λ = 0      forces
    x' = f(y, w, x, t)                named states
    e(y, t) = 0,   J w + e_t = 0      constraints, in place and in velocity
    |q|² = 1                          quaternions

Constraints are the equations of the loops and the driven variables; of redundant ones independent rows are chosen at a
posture. Everything is scaled as in `Loops`: a length of the machine's size counts like a radian. S are the sizes of the
rates.

Gear, Gupta, Leimkuhler, Automatic integration of Euler-Lagrange equations with constraints, J. Comput. Appl. Math. 12
(1985).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from linkwork.algebra import ca
from linkwork.analyses.kinematics.loops import SINGULAR
from linkwork.analyses.simulation.question import Asked
from linkwork.equations.closed_dynamics import unconstrained
from linkwork.equations.force_balance import OUTPUTS, force_balance
from linkwork.equations.loop_solver import closure_products
from linkwork.equations.tangents import tangent_function
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.kernels import Kernel
from linkwork.numerics.stepping.laws import enter_laws, law_at, together

CLOSING = 20
"""Newton's steps at most."""
ROUNDING = 1e-15
"""Steps of Newton [rad, or parts of the machine's size] that need no further one."""
NONE: Array = np.zeros(0)
"""Named states of a machine that has none."""
WORSE = 0.1
"""Rows are chosen anew when others are this much better."""


@dataclass(frozen=True)
class Places:
    """Where unknowns and equations stand, both in this order: y, w, named states, λ, μ, ν."""

    y: slice
    w: slice
    states: slice
    forces: slice
    strides: slice
    lengths: slice

    @property
    def count(self) -> int:
        """Of all."""
        return int(self.lengths.stop)

    @property
    def algebraic(self) -> NDArray[np.int64]:
        """Unknowns without derivatives."""
        return np.arange(self.forces.start, self.count)


class IndexTwo:
    """The equations of a simulation, with rows that `choose` takes."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.loops = asked, asked.loops
        loops, system = self.loops, self.loops.system
        self.size = loops.column_scale
        self.rows: NDArray[np.int64] = np.zeros(0, np.int64)
        self.held = asked.efforts
        """Efforts that follow no law."""
        self.lost: tuple[float, Array, Array, Array] | None = None
        """Time, variables, rates and named states at which the residual last was no number."""
        self._laws = together(asked.laws)
        self._columns = np.array([d.column for d in asked.driven], np.int64)
        self._of_variables = np.array([d.place for d in asked.driven], np.int64)
        self._quaternions = np.array(loops.quaternion_parts, np.int64).reshape(-1, 4)
        formula, self._settled = system._settled(Question(force_balance()), system.parameters)
        self._balance = formula.kernel.bind(self._settled)
        along = ("y", "w", "dw", "states")
        self._tangents = _of_columns(tangent_function(formula.composed.main.function, along, OUTPUTS))
        self._open = system.bound_kernel(Question(unconstrained(bool(loops.plan.states))))
        self._products = system.bound_kernel(Question(closure_products(1))) if loops.count else None

    @property
    def places(self) -> Places:
        """Of unknowns and equations, with the rows that are chosen."""
        plan, rows = self.loops.plan, len(self.rows)
        sizes = (plan.ny, plan.nw, plan.n_states, rows, rows, len(self._quaternions))
        ends = np.cumsum([0, *sizes]).tolist()
        return Places(*(slice(a, b) for a, b in pairwise(ends)))

    # ---------------------------------------------------------------- laws of time

    def enter(self, t: float) -> None:
        """Take the pieces of the laws that begin at t."""
        enter_laws(self._laws.edges, self._laws.starts, self._laws.last, t)

    def _law(self, k: int, t: float) -> Array:
        """Value, rate and acceleration."""
        found = np.zeros(3)
        law_at(self._laws.edges, self._laws.coefficients, self._laws.starts, self._laws.last, k, t, found)
        return found

    def efforts(self, t: float) -> Array:
        """Along all rates [N, N m]."""
        effort = self.held.copy()
        for column, law in self.asked.pushed:
            effort[column] += self._law(law, t)[0]
        return effort

    def _wanted(self, t: float) -> Array:
        """Value, rate and acceleration of driven variables, scaled, (driven, 3)."""
        found = np.array([self._law(d.law, t) for d in self.asked.driven]).reshape(-1, 3)
        scaled: Array = found / self.size[self._columns, np.newaxis]
        return scaled

    # ---------------------------------------------------------------- constraints

    def _jacobian(self, y: Array) -> Array:
        """J of all rows, those of the loops first."""
        driven = np.zeros((len(self._columns), self.loops.columns))
        driven[np.arange(len(self._columns)), self._columns] = 1.0
        return np.vstack([self.loops.equations(y)[1], driven]) if self.loops.count else driven

    def errors(self, t: float, y: Array) -> Array:
        """e of all rows."""
        driven = y[self._of_variables] / self.size[self._columns] - self._wanted(t)[:, 0]
        return np.concatenate([self.loops.errors(y), driven]) if self.loops.count else driven

    def _speeds(self, t: float, J: Array, w: Array) -> Array:
        """J w + e_t of all rows."""
        found: Array = J @ (w / self.size)
        found[self.loops.rows :] -= self._wanted(t)[:, 1]
        return found

    def choose(self, y: Array) -> None:
        """Take independent rows at a posture."""
        self.rows = np.sort(_independent(self._jacobian(y)))

    def fits(self, y: Array) -> bool:
        """Whether the chosen rows still serve: no others are missing, or much better."""
        J = self._jacobian(y)
        best = _independent(J)
        if len(best) < len(self.rows):  # a singular posture, which no choice cures
            return True
        return len(best) == len(self.rows) and _margin(J[self.rows]) > WORSE * _margin(J[best])

    def margin(self, y: Array) -> float:
        """How far the chosen rows are from depending on each other: their smallest singular value."""
        return _margin(self._jacobian(y)[self.rows])

    def closed(self, t: float, y: Array, w: Array) -> tuple[Array, Array]:
        """The state next to a given one that obeys all constraints, by shortest steps."""
        for _ in range(CLOSING):
            J, e = self._jacobian(y), self.errors(t, y)
            stride = _shortest(J, -e)
            y = self.loops.advanced(y, stride)
            if not np.abs(stride).max(initial=0.0) > ROUNDING:
                break
        J = self._jacobian(y)
        stride = _shortest(J, -self._speeds(t, J, w))
        return y, w + stride * self.size

    # ---------------------------------------------------------------- forces

    def _solved(self, M: Array, J: Array, force: Array, right: Array) -> tuple[Array, Array]:
        """M x + Jᵀ λ = force,  J x = right, for x of all rates and λ of the chosen rows."""
        weight = float(np.abs(M).max(initial=0.0)) or 1.0
        K = np.block([[M / weight, J.T], [J, np.zeros((len(J), len(J)))]])
        side = np.concatenate([force / weight, right])
        try:
            found = np.linalg.solve(K, side)
        except np.linalg.LinAlgError:
            found = np.linalg.lstsq(K, side, rcond=None)[0]
        return found[: len(M)], found[len(M) :] * weight

    def _masses(self, t: float, y: Array, w: Array, states: Array) -> tuple[Array, Array]:
        M, force = self._open(y, w, self.efforts(t), np.array([t]), *([states] if states.size else []))
        return M * self.size * self.size[:, np.newaxis], force * self.size

    def accelerations(self, t: float, y: Array, w: Array, states: Array = NONE) -> tuple[Array, Array]:
        """w', and λ of the chosen rows: J w' = -γ."""
        M, force = self._masses(t, y, w, states)
        right = np.zeros(self.loops.rows + len(self._columns))
        if self._products is not None:
            right[: self.loops.rows] = -self._products(y, w) * self.loops.row_scale
        right[self.loops.rows :] = self._wanted(t)[:, 2]
        a, multipliers = self._solved(M, self._jacobian(y)[self.rows], force, right[self.rows])
        return a * self.size, multipliers

    def jumped(self, t: float, y: Array, w: Array, states: Array = NONE) -> Array:
        """Rates after an impulse that makes them what the drives want: M Δw + Jᵀ Λ = 0,  J Δw = -(J w + e_t)."""
        J, (M, _) = self._jacobian(y), self._masses(t, y, w, states)
        right = -self._speeds(t, J, w)[self.rows]
        jump, _ = self._solved(M, J[self.rows], np.zeros(self.loops.columns), right)
        return w + jump * self.size

    def driving(self, multipliers: Array) -> Array:
        """Efforts of the drives along all rates [N, N m], from λ of the chosen rows."""
        whole = np.zeros(self.loops.rows + len(self._columns))
        whole[self.rows] = multipliers
        effort = np.zeros(self.loops.columns)
        effort[self._columns] = -whole[self.loops.rows :] / self.size[self._columns]
        return effort

    # ---------------------------------------------------------------- residual and its slopes

    def start(self, t: float, y: Array, w: Array, states: Array = NONE) -> tuple[Array, Array]:
        """All unknowns and their derivatives at a closed state."""
        at = self.places
        a, multipliers = self.accelerations(t, y, w, states)
        x, dx = np.zeros(at.count), np.zeros(at.count)
        x[at.y], x[at.w], x[at.states], x[at.forces] = y, w, states, multipliers
        none = np.zeros(self.loops.plan.nl)
        found = self._balance(y, w, a, self.efforts(t), np.array([t]), none, np.zeros_like(w), states)
        dx[at.y], dx[at.w], dx[at.states] = found[0], a, found[-1]
        return x, dx

    def changes(self, t: float, y: Array, w: Array, states: Array) -> Array:
        """Derivatives of named states."""
        still, none = np.zeros_like(w), np.zeros(self.loops.plan.nl)
        found: Array = self._balance(y, w, still, self.efforts(t), np.array([t]), none, still, states)[-1]
        return found

    def _wrench(self, multipliers: Array) -> Array:
        """λ of all rows of the loops, as the forces have it."""
        wrench = np.zeros(self.loops.rows)
        own = self.rows < self.loops.rows
        wrench[self.rows[own]] = multipliers[own]
        scaled: Array = wrench * self.loops.row_scale
        return scaled

    def residual(self, t: float, x: Array, dx: Array, out: Array) -> None:
        """What the equations miss, into out."""
        at, size, rows = self.places, self.size, self.rows
        y, w, states, multipliers = np.array(x[at.y]), np.array(x[at.w]), np.array(x[at.states]), x[at.forces]
        J, when = self._jacobian(y), np.array([t])
        stride = size * (J[rows].T @ x[at.strides])
        wrench = self._wrench(multipliers)
        moving = (y, w, np.array(dx[at.w]), self.efforts(t), when, wrench, stride, states)
        dy, left, _, _, changes = self._balance(*moving)
        out[at.y] = dx[at.y] - dy
        out[at.states] = dx[at.states] - changes
        out[at.w] = (left - self.driving(multipliers)) * size
        out[at.forces] = self.errors(t, y)[rows]
        out[at.strides] = self._speeds(t, J, w)[rows]
        for k, q in enumerate(self._quaternions):
            out[q] -= y[q] * x[at.lengths.start + k]
            out[at.lengths.start + k] = 0.5 * (y[q] @ y[q] - 1.0)
        if not np.isfinite(out).all():
            self.lost = (t, y, w, states)

    def slopes(self, t: float, x: Array, dx: Array, c: float, out: Array) -> None:
        """∂/∂x + c ∂/∂x' of the residual, into out; μ and ν, which nearly vanish, are left out of ∂/∂y."""
        at, size, rows, loops = self.places, self.size, self.rows, self.loops
        ny, nw, count = loops.plan.ny, loops.plan.nw, at.states.stop
        y, w = np.array(x[at.y]), np.array(x[at.w])
        ways = np.eye(count)
        by_y, by_w, by_x = (np.ascontiguousarray(ways[:, own]) for own in (at.y, at.w, at.states))
        wrench, states = self._wrench(x[at.forces]), np.array(x[at.states])
        state = (y, w, np.array(dx[at.w]), self.efforts(t), np.array([t]), wrench, np.zeros(nw), states)
        found = self._tangents(*state, self._settled, by_y, by_w, c * by_w, by_x)
        dy, left, e, de, changes = (f.T for f in found)
        J = self._jacobian(y)[rows]
        unknown = slice(0, count)
        out[:, :] = 0.0
        out[at.y, unknown] = -dy
        out[np.arange(ny), np.arange(ny)] += c
        out[at.w, unknown] = left * size[:, np.newaxis]
        out[at.states, unknown] = c * ways[at.states] - changes
        own = rows < loops.rows
        places, speeds = np.zeros((2, len(rows), count))
        places[own] = (e * loops.row_scale[:, np.newaxis])[rows[own]]
        speeds[own] = (de * loops.row_scale[:, np.newaxis])[rows[own]]
        driven = rows[~own] - loops.rows
        places[np.flatnonzero(~own), self._of_variables[driven]] = 1.0 / size[self._columns[driven]]
        speeds[np.flatnonzero(~own), ny + self._columns[driven]] = 1.0 / size[self._columns[driven]]
        out[at.forces, unknown], out[at.strides, unknown] = places, speeds
        out[at.w, at.forces] = J.T
        out[at.y, at.strides] = -dy[:, ny : ny + nw] @ (size[:, np.newaxis] * J.T)
        for k, q in enumerate(self._quaternions):
            out[q, at.lengths.start + k] = -y[q]
            out[at.lengths.start + k, q] = y[q]


def _of_columns(function: ca.Function) -> Kernel:
    """A kernel that takes a column of one as a column, too."""
    inputs = [(function.size1_in(i),) for i in range(function.n_in())]
    outputs = [(function.size1_out(i),) for i in range(function.n_out())]
    return Kernel(function, input_shapes=inputs, output_shapes=outputs)


def _shortest(J: Array, right: Array) -> Array:
    """The shortest x with J x = right, as well as it can be."""
    x: Array = np.linalg.lstsq(J, right, rcond=SINGULAR)[0].astype(float)
    return x


def _margin(J: Array) -> float:
    """The smallest singular value; 1 without rows."""
    return float(np.linalg.svd(J, compute_uv=False)[-1]) if len(J) else 1.0


def _independent(J: Array) -> NDArray[np.int64]:
    """As many rows as the rank, the best first."""
    if not len(J):
        return np.zeros(0, np.int64)
    _, R, order = qr(J.T, pivoting=True, mode="economic")
    pivots = np.abs(np.diag(R))
    return np.asarray(order[: int((pivots > SINGULAR * pivots[0]).sum())], np.int64)
