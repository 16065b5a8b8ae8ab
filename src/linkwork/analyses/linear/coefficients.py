"""Coefficients of the linearised equations of motion, exact, through the constraints, at one set point or many.

About a set point (y, w, dw, x) the independent coordinates move by ξ, and

    M ξ'' + D ξ' + K ξ + X x = Q u,      x' = f_ψ ξ + f_w ξ' + f_x x

with M = ∂R/∂dw, D = ∂R/∂w, K = ∂R/∂ψ, X = ∂R/∂x of what the equations of motion leave (`equations.balance`), taken with
the loops kept closed. K holds what the static stiffness does not: how inertia forces and rates change with posture.

Rates of joints that turn freely are no derivatives of coordinates. Where they turn at the set point, small changes obey
δω = ξ' + ω × ξ along the axes that turn with the body; so δw = ξ' + Γ ξ, and

    D ← D + M Γ,      K ← K + D Γ,      f_ψ ← f_ψ + f_w Γ.

Uicker, Ravani, Sheth, Matrix Methods, ch. 11 (whose K is the static one).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.equations.balance import motion_balance
from linkwork.equations.loop_solver import Order
from linkwork.equations.total_derivatives import Closure
from linkwork.formulas import Question
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.system import System

BY = ("dw", "w", "y", "effort")


@dataclass(frozen=True, eq=False)
class ManyNumbers:
    """Parameters of a system at each sample of a batch, and its kernels with them.

    values : all parameters by name, those that differ as arrays (count,)
    """

    system: System
    values: Mapping[str, float | Array]
    count: int
    _ready: dict[str, Callable[..., Any]] = field(default_factory=dict)

    def kernel(self, question: Question) -> Callable[..., Any]:
        """A law with the numbers of each sample."""
        if question.name not in self._ready:
            formula, settled = self.system._formulas.settled_all(question, self.values, self.count)

            def asked(*inputs: Any, threads: int | None = None) -> Any:
                return formula.kernel(*inputs, settled, threads=threads)

            self._ready[question.name] = asked
        return self._ready[question.name]


@dataclass(frozen=True, eq=False)
class SetPoint:
    """Where the equations are linearised: a batch of states of all joints, with pivots that serve them all.

    columns : the independent rates, whose derivatives the coefficients are
    y, w, dw : variables, rates and their derivatives of all joints (..., ny or nw); x : named states (..., nx)
    effort : along all rates (..., nw); t : time [s], one or one for each (...)
    numbers : of the model at each sample, where they differ; its own without
    """

    loops: Loops
    order: Order
    columns: NDArray[np.int64]
    y: Array
    w: Array
    dw: Array
    x: Array
    effort: Array
    t: Any
    numbers: ManyNumbers | None = None

    def kernel(self, question: Question) -> Callable[..., Any]:
        """A law with the numbers of each sample."""
        own = self.numbers
        return self.loops.system.bound_kernel(question) if own is None else own.kernel(question)

    @property
    def inputs(self) -> list[Array]:
        """As the kernels of `motion_balance` take them."""
        when = np.broadcast_to(np.asarray(self.t, float)[..., np.newaxis], (*self.y.shape[:-1], 1)).copy()
        return [self.y, self.w, self.dw, self.effort, when, *([self.x] if self.x.shape[-1] else [])]

    @property
    def closure(self) -> Closure:
        """How dependent joints follow."""
        return Closure(self.order, tuple(self.columns.tolist()))


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Matrices of the independent coordinates (..., n, n) and of named states, and what efforts do.

    R : what is left of the forces (..., n); f : changes of states (..., nx); G : Γ (..., n, n)
    X : (..., n, nx); by_effort : ∂R/∂effort (..., n, nw); f_psi, f_w : (..., nx, n); f_x : (..., nx, nx)
    """

    M: Array
    D: Array
    K: Array
    X: Array
    by_effort: Array
    f_psi: Array
    f_w: Array
    f_x: Array
    R: Array
    f: Array
    G: Array


def coefficients(at: SetPoint, threads: int | None = None) -> Coefficients:
    """All coefficients at a set point."""
    plan = at.loops.plan
    law = motion_balance(plan, at.order, at.columns.tolist())
    by = (*BY, "states") if plan.states else BY
    inputs = at.inputs
    values = at.kernel(Question(law))(*inputs, threads=threads)
    found = at.kernel(Question(law, (by,), at.closure))(*inputs, threads=threads)
    n, shape = len(at.columns), at.y.shape[:-1]
    G = turning(at)
    if plan.states:
        R, f = values
        M, D, K, E, X, _, fw, fy, _, fx = found
    else:
        R, f = values, np.zeros((*shape, 0))
        M, D, K, E = found
        X, fw, fy, fx = (np.zeros((*shape, *size)) for size in ((n, 0), (0, n), (0, n), (0, 0)))
    if G.any():
        D, K, fy = D + M @ G, K + D @ G, fy + fw @ G
    return Coefficients(M, D, K, X, E, fy, fw, fx, R, f, G)


def turning(at: SetPoint) -> Array:
    """Γ of δw = ξ' + Γ ξ: zero unless joints that turn freely turn at the set point."""
    loops, n = at.loops, len(at.columns)
    G = np.zeros((*at.y.shape[:-1], n, n))
    turning = [slot for slot in loops.plan.slots if slot.v.stop - slot.v.start - slot.plain == 3]
    own = [s for s in turning if ((at.columns >= s.v.start + s.plain) & (at.columns < s.v.stop)).any()]
    moving = [s for s in own if np.any(at.w[..., s.v.start + s.plain : s.v.stop])]
    if not moving:
        return G
    rates = rates_of_independent(at)
    for slot in moving:
        turns = slice(slot.v.start + slot.plain, slot.v.stop)
        # (..., n, 3): ω × the turn for each coordinate
        change = np.cross(at.w[..., np.newaxis, turns], rates[..., turns])
        for i, column in enumerate(at.columns.tolist()):
            if turns.start <= column < turns.stop:
                G[..., i, :] += change[..., column - turns.start]
    return G


def rates_of_independent(at: SetPoint) -> Array:
    """Rates of all joints (..., n, nw) for a unit of each independent one."""
    loops, n = at.loops, len(at.columns)
    units = np.zeros((n, loops.columns))
    units[np.arange(n), at.columns] = 1.0
    if not loops.count:
        return np.broadcast_to(units, (*at.y.shape[:-1], n, loops.columns)).copy()
    kernel = loops.rates_kernel(at.order, 1)
    y = np.broadcast_to(at.y[..., np.newaxis, :], (*at.y.shape[:-1], n, at.y.shape[-1])).copy()
    found: Array = kernel(y, np.broadcast_to(units, (*y.shape[:-1], loops.columns)).copy())
    return found


def mask_of(loops: Loops, columns: NDArray[np.int64]) -> Mask:
    """Some rates among all."""
    mask: Mask = np.isin(np.arange(loops.columns), columns)
    return mask
