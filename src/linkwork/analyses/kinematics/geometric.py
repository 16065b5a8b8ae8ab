"""Geometric derivatives: how all joints, bodies and points change with the independent coordinates, without time.

For a straight motion ψ = ψ0 + d t of the independent coordinates, the rates at t = 0 are the forms

    φ' = K d,   φ'' = B(d, d),   φ''' = C(d, d, d)

which are linear, quadratic and cubic in d. Their coefficients follow from values at a few directions d (polarisation):

    B(a, b) = ½ [B(a+b) - B(a) - B(b)],    6 C(a, b, c) = C(a+b+c) - C(a+b) - C(a+c) - C(b+c) + C(a) + C(b) + C(c)

All directions are evaluated in one batch, with the one factorisation of the posture (Uicker, Ravani, Sheth, ch. 7, 8).
"""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    import xarray as xr

    from linkwork.analyses.kinematics.posture import Posture

NAMES = ("first", "second", "third")
COMPONENTS = ("x", "y", "z", "wx", "wy", "wz")


def geometric_derivatives(posture: Posture, order: int, of: str) -> xr.Dataset:
    """Derivatives up to `order` of all joints, or of a body, point or frame, labelled."""
    import xarray as xr

    if order not in (1, 2, 3):
        raise InputError(Problem(f"derivatives of order {order}", hint="there are 1, 2 and 3"))
    loops, plan = posture.loops, posture.loops.plan
    by = posture._roles.independent
    directions = _directions(len(by), order)
    given = np.zeros((order, len(directions), loops.columns))
    given[0][:, by] = directions
    independent = np.isin(np.arange(loops.columns), by)
    levels = loops.rates(posture.y, independent, list(given))
    if of:
        levels = _of_target(posture, of, levels)
    forms = [_polarised(level, k + 1, len(by), directions) for k, level in enumerate(levels)]
    rows = COMPONENTS if of else plan.variable_rates
    label = "component" if of else "rate"
    axes = ("by", "by2", "by3")
    coords = {label: list(rows)} | {axis: [plan.variable_rates[k] for k in by] for axis in axes[:order]}
    data = {NAMES[k]: ((label, *axes[: k + 1]), form) for k, form in enumerate(forms)}
    return xr.Dataset(data, coords=coords, attrs={"mechanism": plan.name, "of": of or "all joints"})


def _of_target(posture: Posture, of: str, levels: list[Array]) -> list[Array]:
    """The same of a body, point or frame: its twist, and the twist's derivatives in time."""
    system, nv = posture.loops.system, posture.loops.plan.nv
    q, joints = posture.q, [level[:, :nv] for level in levels]
    found = [system.velocity(of, q, joints[0])]
    if len(levels) > 1:
        found.append(system.acceleration(of, q, joints[0], joints[1]))
    if len(levels) > 2:
        along_q = system.derivative("acceleration", "q", of)(q, joints[0], joints[1])
        along_v = system.derivative("acceleration", "v", of)(q, joints[0], joints[1])
        change = np.einsum("...ij,...j->...i", along_q, joints[0]) + np.einsum("...ij,...j->...i", along_v, joints[1])
        found.append(change + np.einsum("ij,...j->...i", system.jacobian(of, q), joints[2]))
    return found


def _directions(count: int, order: int) -> Array:
    """Sums of up to `order` unit vectors, repeated ones too."""
    sums = [c for n in range(1, order + 1) for c in combinations_with_replacement(range(count), n)]
    table = np.zeros((len(sums), count))
    for row, members in zip(table, sums, strict=True):
        for k in members:
            row[k] += 1.0
    return table


def _polarised(values: Array, degree: int, count: int, directions: Array) -> Array:
    """Symmetric coefficients (outputs, count, ...) of a form of a degree, from its values at `directions`."""
    place = {tuple(d): i for i, d in enumerate(directions.tolist())}
    form = np.zeros((values.shape[1], *(count,) * degree))
    factorial = {1: 1.0, 2: 2.0, 3: 6.0}[degree]
    for members in np.ndindex(*(count,) * degree):
        if list(members) != sorted(members):
            form[(slice(None), *members)] = form[(slice(None), *sorted(members))]
            continue
        total = np.zeros(values.shape[1])
        for size in range(1, degree + 1):
            for chosen in combinations(members, size):
                d = [0.0] * count
                for k in chosen:
                    d[k] += 1.0
                total += (-1.0) ** (degree - size) * values[place[tuple(d)]]
        form[(slice(None), *members)] = total / factorial
    return form
