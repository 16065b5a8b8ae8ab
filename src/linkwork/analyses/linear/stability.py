"""Whether a posture of rest lasts, from the eigenvalues of the linearised machine.

Where loads follow the motion (follower forces, formulas of several coordinates, named states with feedback) the energy
tells nothing: the machine may flutter although its stiffness is positive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from linkwork.analyses.linear.coefficients import SetPoint, coefficients
from linkwork.analyses.linear.first_order import Massless, assert_mass, first_order
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.equilibrium.balance import Balance, Chart

Verdict = Literal["stable", "unstable", "neutral", "undecided"]
GROWS = 1e-6
"""Real part above this part of the largest eigenvalue that counts as growth: below, double ones may have rounding."""


def verdict_of_motion(balance: Balance, chart: Chart, y: Array, x: Array, effort: Array) -> tuple[Verdict, str]:
    """The verdict, and the reason."""
    loops = balance.loops
    (w,), (dw,) = balance.steady(chart, y[np.newaxis])
    c = coefficients(SetPoint(loops, chart.order, chart.columns, y, w, dw, x, effort, balance.t))
    free = np.ix_(chart.free, chart.free)
    scale = loops.column_scale[chart.columns][chart.free]
    names = loops.names(chart.columns[chart.free])
    try:
        assert_mass(c.M[free], scale, names, loops.plan.name)
    except Massless as error:
        return "undecided", f"the loads have no potential, and {error.problems[0].what}"
    A = first_order(
        c.M[free], c.D[free], c.K[free], c.X[chart.free], c.f_psi[:, chart.free], c.f_w[:, chart.free], c.f_x
    )
    values = np.linalg.eigvals(A)
    most = float(np.abs(values).max(initial=0.0))
    fastest = values[int(values.real.argmax())]
    if fastest.real > GROWS * most:
        how = f"at {abs(fastest.imag) / (2 * np.pi):.4g} Hz" if abs(fastest.imag) > GROWS * most else "without swinging"
        return "unstable", f"small motions grow {how}, by a factor e in {1.0 / fastest.real:.4g} s"
    resting = np.abs(values) <= GROWS * most
    if resting.any():
        return "neutral", "small displacements neither grow nor die away"
    if (values.real < -GROWS * most).all():
        return "stable", "small motions die away"
    return "undecided", "small motions neither grow nor die away to first order: there is no damping"
