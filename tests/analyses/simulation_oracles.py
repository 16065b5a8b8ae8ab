"""Simulation a second, a third and a fourth time, slowly, with other people's integrators and other equations.

`maximal_motion` : accelerations from maximal coordinates (`maximal.forward`: Newton and Euler of every body, all joints
    at once, loads of every kind), integrated by scipy's DOP853
`kane_motion` : accelerations from `kane`, integrated likewise; quicker
`least_squares_motion` : masses, forces and all rows of all loops as one system, solved by singular values where rows
    are redundant: nothing is eliminated in any order; quicker still
`ida_motion` : the equations of Gear, Gupta and Leimkuhler, positions and velocities both closed, by SUNDIALS' IDA:
        y' = N(y) (w + Jᵀ μ),   M w' + h + Jᵀ λ = 0,   e(y) = 0,   J w = 0

Each takes variables y and rates w of all joints at the start, and times of which the first is the start, and gives
variables and rates at the times, (times, variables) and (times, rates). Loops drift by no more than the tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from kane import Closing, Kane
from maximal import forward
from scipy.integrate import solve_ivp

from linkwork.equations.closed_dynamics import unconstrained
from linkwork.equations.coordinates import flow
from linkwork.equations.loop_solver import closure_products
from linkwork.formulas import Question

Array = np.ndarray
Motion = tuple[Array, Array]


def started(machine: Any, rates: Mapping[str, float] | None = None) -> Motion:
    """Variables and rates of all joints at home, from rates of independent variables by name."""
    home, given = machine.home, dict(rates or {})
    names = list(given) or list(home.independent)
    found = machine.solve({n: [home[n]] for n in names}, {n: [given.get(n, 0.0)] for n in names})
    return found.variables[0], found.rates[0]


def states(run: Any, machine: Any) -> Motion:
    """Variables and rates of all joints of a run, in the machine's order."""
    rates = [f"{n}.rate" if n in machine.variables else n for n in machine.variable_rates]
    y, w = (np.column_stack([np.asarray(run.signal(n)) for n in names]) for names in (machine.variables, rates))
    return y, w


def apart(one: Motion, other: Motion) -> float:
    """The largest difference of two motions, variables or rates, in units of the largest of each, or of 1."""
    return max(
        float((np.abs(a - b) / np.maximum(1.0, np.abs(b).max(axis=0))).max()) for a, b in zip(one, other, strict=True)
    )


def _integrated(f: Callable[[float, Array], Array], y: Array, w: Array, times: Array, rtol: float) -> Motion:
    start = np.concatenate([y, w])
    found = solve_ivp(f, (times[0], times[-1]), start, "DOP853", t_eval=times, rtol=rtol, atol=rtol / 10)
    assert found.success, found.message
    return found.y[: len(y)].T, found.y[len(y) :].T


def maximal_motion(machine: Any, y: Array, w: Array, times: Array, rtol: float = 1e-12) -> Motion:
    """By maximal coordinates."""
    ny, loops = len(y), Closing(machine, y)

    def rates(t: float, z: Array) -> Array:
        y, w = loops.closed(z[:ny], z[ny:])  # stages lie beside the loops, where what is redundant need not be
        answer = forward(machine, y, w, t=t)
        assert not answer.unsettled
        return np.concatenate([np.array(loops.flow(y, w))[:, 0], answer.accelerations])

    return _integrated(rates, y, w, times, rtol)


def kane_motion(machine: Any, y: Array, w: Array, times: Array, rtol: float = 1e-12) -> Motion:
    """By Kane's equations."""
    ny, kane = len(y), Kane(machine, y)
    return _integrated(lambda t, z: np.concatenate(kane.accelerations(z[:ny], z[ny:])[:2]), y, w, times, rtol)


def least_squares_motion(machine: Any, y: Array, w: Array, times: Array, rtol: float = 3e-14) -> Motion:
    """By the least-squares solution of [[M, Jᵀ], [J, 0]] (w', λ) = (f, -γ)."""
    loops, plan = machine.loops, machine.plan
    ny, nw, nl, scale = plan.ny, plan.nw, plan.nl, machine.loops.column_scale
    free, products = (machine.bound_kernel(Question(q)) for q in (unconstrained(), closure_products(1)))
    still, K, right = np.zeros(nw), np.zeros((nw + nl, nw + nl)), np.zeros(nw + nl)
    redundant = np.linalg.matrix_rank(loops.equations(y)[1], tol=1e-8) < nl
    unit = float(np.abs(free(y, w, still, np.zeros(1))[0] * scale[:, np.newaxis] * scale).max())

    def rates(t: float, z: Array) -> Array:
        y, w = z[:ny], z[ny:]
        M, force = free(y, w, still, np.array([t]))
        J = loops.equations(y)[1]
        K[:nw, :nw], K[nw:, :nw], K[:nw, nw:] = M * scale[:, np.newaxis] * scale / unit, J, J.T
        right[:nw], right[nw:] = force * scale / unit, -products(y, w) * loops.row_scale
        x = np.linalg.lstsq(K, right, rcond=1e-9)[0] if redundant else np.linalg.solve(K, right)
        return np.concatenate([flow(plan.slots, y, w), x[:nw] * scale])

    return _integrated(rates, y, w, times, rtol)


def ida_motion(machine: Any, y: Array, w: Array, times: Array, rtol: float = 1e-12) -> Motion:
    """By IDA."""
    from sksundae.ida import IDA

    kane = Kane(machine, y)
    dy, dw, multipliers = kane.accelerations(y, w)
    m, n = len(multipliers), len(y) + len(w)

    def fill(t: float, x: Array, dx: Array, out: Array) -> None:
        out[:] = np.array(kane.residual(x, dx))[:, 0]

    def slopes(t: float, x: Array, dx: Array, r: Array, cj: float, JJ: Array) -> None:
        JJ[:, :] = np.array(kane.slopes(x, dx, cj))

    start, slope = np.concatenate([y, w, multipliers, np.zeros(m)]), np.concatenate([dy, dw, np.zeros(2 * m)])
    algebraic = np.arange(n, n + 2 * m)
    atol = np.full(n + 2 * m, rtol / 10)
    atol[algebraic] = 1e9  # multipliers are of index 2: no measure of the step
    solver = IDA(fill, rtol=rtol, atol=atol, algebraic_idx=algebraic, max_num_steps=200_000, jacfn=slopes)
    found = solver.solve(np.asarray(times, float), start, slope)
    assert found.success, found.message
    return found.y[:, : len(y)], found.y[:, len(y) : n]
