"""How many digits of forces a posture leaves: near singular ones small errors of the numbers make large ones of forces.

Forces of the loops solve Jᵀ λ = r along the dependent rates, at a posture and with accelerations that the same J
determines. Rounding of its entries, and what the loops are not quite closed, move the dependent variables by that much
over the least singular value σᵣ, J with them, and forces by the change of J over σᵣ; next to a dead centre they go with
its powers up to the fourth:

    error / largest force  ≈  4 (ε (1 + distance from the origin / size) σ₁ + error of the loops) / σᵣ²

with lengths in units of the size. No other method would know more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.forces.reactions import weakness
from linkwork.analyses.forces.trajectory import Trajectory
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.geometry import Array
from linkwork.numerics.sparse_rank import extreme_values, matrix_of

POWER = 4.0
"""Of 1/σ with which forces grow towards a dead centre, at most."""
TOLD = 1e-8
"""Part of the largest force from which its error is told."""
MARGIN = 1e-2
"""Singular values are looked at where Σ 1/pivot² is this part of what would be told."""
CHUNK = 1024


def few_digits(loops: Loops, path: Trajectory, independent: Mask, lost: NDArray[np.bool_], times: bool) -> list[str]:
    """A warning where forces have few digits. lost : samples without forces, which have their own."""
    if not loops.count:
        return []
    errors = relative_errors(loops, path.y, independent)
    errors[lost] = 0.0
    bad = np.flatnonzero(errors > TOLD)
    if not bad.size:
        return []
    worst = int(bad[np.argmax(errors[bad])])
    digits = max(0, int(np.floor(-np.log10(errors[worst]))))
    known = f"{digits} digit{'' if digits == 1 else 's'}" if digits else "no digit"
    when = f" at {len(bad)} of {len(path)} samples, worst at {path.t[worst]:.6g} s" if times else ""
    return [f"close to a singular posture{when}: forces are known to about {known} of the largest"]


def relative_errors(loops: Loops, Y: Array, independent: Mask) -> Array:
    """Errors to expect by sample, in parts of the largest force; 0 where they are not worth a look."""
    errors = np.zeros(len(Y))
    rank = loops.columns - int(independent.sum())
    if not rank or not len(Y):
        return errors
    order = loops.order(Y[len(Y) // 2], independent)
    far = max(loops.plan.distances.values(), default=0.0)
    rounding = float(np.finfo(float).eps) * (1.0 + far / loops.length)
    doubtful = np.flatnonzero(weakness(loops, order, Y) > MARGIN * TOLD / (POWER * rounding))
    if loops.sparse:
        for k in doubtful.tolist():
            rows, columns, values, shape = loops.triplets(Y[k])
            largest, least = extreme_values(matrix_of(rows, columns, values, shape)[:, ~independent])
            gap = float(loops.residual(Y[k]))
            errors[k] = POWER * (rounding * largest + gap) / max(least, 1e-300) ** 2
        return errors
    for start in range(0, len(doubtful), CHUNK):
        some = doubtful[start : start + CHUNK]
        missed, J = loops.equations(Y[some])
        s = np.linalg.svd(J[:, :, ~independent], compute_uv=False)[:, :rank]
        least = np.maximum(s[:, -1], 1e-300)
        errors[some] = POWER * (rounding * s[:, 0] + np.abs(missed).max(axis=1)) / least**2
    return errors
