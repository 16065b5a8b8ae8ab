"""Forces at rest and their stiffness for many postures at once, each with pivots that serve it.

Scaled like the loops: a length of the machine's size counts like a radian, so that forces and moments compare.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.failures import DeadCentre
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.kinematics.preference import preference
from linkwork.equations.balance import motion_balance, static_balance
from linkwork.equations.loop_solver import Order
from linkwork.equations.total_derivatives import Closure
from linkwork.errors import Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.kernels import Kernel
from linkwork.kernels.hosted import Evaluator

POOR = 1e3
"""Growth of Σ 1/pivot² over the best that is known at which other independent rates are looked for."""
STEPS = 25
"""Newton's steps that may close the loops after a stride."""
FINE = 1e-13
"""Error of the loops below which another step changes nothing [rad, or parts of the machine's size]."""


@dataclass(frozen=True, eq=False)
class Chart:
    """Independent rates, those of them that may move, and the kernels that belong to them.

    columns : the independent rates, held ones too; free : places of the free ones among these
    """

    order: Order
    columns: NDArray[np.int64]
    free: NDArray[np.int64]
    force: Kernel
    stiffness: Kernel
    step: Evaluator | None
    rates: Evaluator | None


@dataclass(frozen=True, eq=False)
class Forces:
    """What is left of the forces at some postures, scaled, along the free rates of each one's chart.

    F : (samples, n); K : -∂F/∂ψ (samples, n, n); f : changes of named states; by : ∂F/∂x, ∂f/∂ψ, ∂f/∂x
    """

    F: Array
    K: Array
    f: Array
    by: tuple[Array, Array, Array]


@dataclass(eq=False)
class Balance:
    """Forces at rest of one machine, with some rates held.

    held : rates that do not move; t : time at which loads are taken
    rates : of what is held where that moves steadily (nw); without, everything is at rest
    """

    loops: Loops
    held: Mask
    t: float = 0.0
    charts: list[Chart] = field(default_factory=list)
    rates: Array | None = None

    # ---------------------------------------------------------------- charts

    def chart_at(self, y: Array) -> int:
        """The number of the chart that suits a posture; DeadCentre where what is held contradicts the loops."""
        loops = self.loops
        roles = loops.chosen(y, self.held, preference(loops))
        if roles.conflict:
            names = ", ".join(loops.names(np.flatnonzero(self.held)))
            text = f"singular posture: {names} cannot be held there"
            raise DeadCentre(
                Problem(text, "hold", "hold them at other values, or hold others"), loops.plan.name, Posture(loops, y)
            )
        columns = roles.independent
        usual = POOR * max(float(np.sum(roles.pivots**-2.0)), 1.0)
        for number, chart in enumerate(self.charts):
            if np.array_equal(chart.columns, columns) and self._weakness(chart, y) <= usual:
                return number
        independent: Mask = np.isin(np.arange(loops.columns), columns)
        self.charts.append(self._made(loops.order(y, independent), columns))
        return len(self.charts) - 1

    def _made(self, order: Order, columns: NDArray[np.int64]) -> Chart:
        loops, plan = self.loops, self.loops.plan
        law = (static_balance if self.rates is None else motion_balance)(plan, order, columns.tolist())
        by = ("y", "states") if plan.states else ("y",)
        bound = loops.system.bound_kernel
        return Chart(
            order,
            columns,
            np.flatnonzero(~self.held[columns]),
            bound(Question(law)),
            bound(Question(law, (by,), Closure(order, tuple(columns.tolist())))),
            loops.step_kernel(order) if loops.count else None,
            loops.rates_kernel(order, 1) if loops.count else None,
        )

    def _weakness(self, chart: Chart, y: Array) -> float:
        if chart.step is None:
            return 0.0
        _, measures = chart.step(y, np.array([self.loops.length]))
        return float(measures[2]) if np.isfinite(measures[2]) else np.inf

    # ---------------------------------------------------------------- numbers

    def steady(self, chart: Chart, Y: Array) -> tuple[Array, Array]:
        """Rates of all joints and their derivatives at postures, when what is held moves steadily."""
        loops = self.loops
        W, dW = np.zeros((2, len(Y), loops.columns))
        if self.rates is None:
            return W, dW
        W[:, chart.columns] = self.rates[chart.columns]
        if not loops.count:
            return W, dW
        independent: Mask = np.isin(np.arange(loops.columns), chart.columns)
        W, dW = loops.rates_each(Y, independent, [W, dW])
        return W, dW

    def inputs(self, Y: Array, X: Array, effort: Array) -> list[Array]:
        """Inputs of the kernels at postures (samples, ny), states (samples, nx), efforts (samples or 1, nw)."""
        count = len(Y)
        effort = np.ascontiguousarray(np.broadcast_to(effort, (count, self.loops.columns)))
        when = np.full((count, 1), self.t)
        return [np.ascontiguousarray(Y), effort, when, *([np.ascontiguousarray(X)] if X.shape[1] else [])]

    def forces(self, chart: Chart, Y: Array, X: Array, effort: Array, threads: int | None = None) -> Forces:
        """Forces and stiffness along the free rates."""
        given, nx = self._given(chart, Y, X, effort), X.shape[1]
        scale = self.loops.column_scale[chart.columns][chart.free]
        F, f, K, FX, fY, fX = self._raw(chart, given, nx, threads)
        free = chart.free
        K = -K[:, free[:, np.newaxis], free] * (scale[:, np.newaxis] * scale)
        by = FX[:, free] * scale[:, np.newaxis], fY[:, :, free] * scale, fX
        return Forces(F[:, free] * scale, K, f, by)

    def _raw(self, chart: Chart, given: list[Array], nx: int, threads: int | None) -> tuple[Array, ...]:
        count, n = len(given[0]), len(chart.columns)
        sign = 1.0 if self.rates is None else -1.0  # what the equations of motion leave is no force
        if nx:
            F, f = chart.force(*given, threads=threads)
            K, FX, fY, fX = chart.stiffness(*given, threads=threads)
            return sign * F, f, sign * K, sign * FX, fY, fX
        F, K = sign * chart.force(*given, threads=threads), sign * chart.stiffness(*given, threads=threads)
        return F, np.zeros((count, 0)), K, np.zeros((count, n, 0)), np.zeros((count, 0, n)), np.zeros((count, 0, 0))

    def along_all(self, chart: Chart, y: Array, x: Array, effort: Array) -> Array:
        """Forces at one posture along all independent rates, held ones too, not scaled."""
        found = chart.force(*self._given(chart, y[np.newaxis], x[np.newaxis], effort))
        F: Array = np.asarray(found[0] if isinstance(found, tuple) else found)[0]
        return F if self.rates is None else -F

    def _given(self, chart: Chart, Y: Array, X: Array, effort: Array) -> list[Array]:
        given = self.inputs(Y, X, effort)
        return given if self.rates is None else [given[0], *self.steady(chart, given[0]), *given[1:]]

    def moved(
        self, chart: Chart, Y: Array, strides: Array, threads: int | None = None
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Postures after scaled strides (samples, free) of the free rates, loops closed; and where they are closed."""
        loops = self.loops
        W = np.zeros((len(Y), loops.columns))
        columns = chart.columns[chart.free]
        W[:, columns] = strides * loops.column_scale[columns]
        if chart.rates is not None:
            W = chart.rates(np.ascontiguousarray(Y), W, threads=threads)
        with np.errstate(all="ignore"):
            moved = loops.advanced(Y, W / loops.column_scale)
        if chart.step is None:
            return moved, np.asarray(np.isfinite(moved).all(axis=1))
        size, before = np.array([loops.length]), np.inf
        for _ in range(STEPS):
            after, measures = chart.step(moved, size, threads=threads)
            error = measures[:, 0]
            wanting = np.isfinite(error) & (error > FINE**2) & (error < 1e4)
            worst = float(error[wanting].max(initial=0.0))
            if not wanting.any() or before <= worst <= loops.tolerance**2:
                break
            before = worst
            moved = np.where(wanting[:, np.newaxis], after, moved)
        with np.errstate(invalid="ignore"):
            closed = np.isfinite(moved).all(axis=1) & (measures[:, 0] <= loops.tolerance**2)
        return moved, closed

    def weak(self, chart: Chart, Y: Array) -> Array:
        """Σ 1/pivot² by posture."""
        if chart.step is None:
            return np.zeros(len(Y))
        _, measures = chart.step(np.ascontiguousarray(Y), np.array([self.loops.length]))
        found: Array = np.where(np.isfinite(measures[:, 2]), measures[:, 2], np.inf)
        return found

    def all_rates(self, chart: Chart, y: Array, strides: Array) -> Array:
        """Scaled rates of all joints for scaled strides (k, free) of the free ones at one posture."""
        loops = self.loops
        W = np.zeros((len(strides), loops.columns))
        columns = chart.columns[chart.free]
        W[:, columns] = strides * loops.column_scale[columns]
        if chart.rates is not None:
            W = chart.rates(np.broadcast_to(y, (len(strides), len(y))).copy(), W)
        return W / loops.column_scale
