"""Families of linearised machines: steady motions at many speeds in one batch; equilibria over a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.equilibrium.equilibrium import Equilibrium
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.linear.coefficients import Coefficients, SetPoint, coefficients, mask_of
from linkwork.analyses.linear.first_order import assert_mass, first_order
from linkwork.analyses.linear.loci import Locus, checked_range, locus
from linkwork.analyses.linear.set_points import Held, set_point
from linkwork.errors import InputError, ModelError, Problem
from linkwork.geometry import Array
from linkwork.names import no_such

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

STEPS = 30
"""Newton's steps to a steady motion."""
DONE = 1e-12
"""Part of the forces at hand that may be left of a steady motion."""


def campbell_of(
    machine: Machine, rate: str, low: Any, high: Any, samples: int, at: Any, hold: Any, orders: Sequence[float]
) -> Locus:
    """See `Machine.campbell`."""
    speeds = checked_range(low, high, samples, machine.name)
    names = [hold] if isinstance(hold, str) else list(hold or ())
    found = machine.loops.book.find(rate, "variable")
    if found is None and machine.loops.book.find(rate, "rate") is None:
        known = machine.loops.book.known("variable")
        raise InputError(no_such("variable", rate, known, "rate"), machine.name)
    own = [rate] if found is not None else []
    where = at.posture if isinstance(at, Equilibrium) else at
    more = {"efforts": None, "states": None, "t": None}
    point = set_point(machine, where, [*names, *own] or None, {rate: float(speeds[-1])}, **more)
    family = _Steady(point, rate)
    return locus(machine, rate, family.unit, speeds, family, tuple(orders), ())


class _Steady:
    """Steady motions at speeds of one rate, all at once: matrices in first order, scaled."""

    def __init__(self, point: Held, rate: str) -> None:
        self.point, self.rate = point, rate
        loops = point.at.loops
        self.column = next(
            own.column for own in (loops.book.find(rate, "rate"), loops.book.find(rate, "variable")) if own is not None
        )
        from linkwork.analyses.forces.over_run import effort_units

        self.unit = {"N": "m/s"}.get(effort_units(loops)[self.column], "rad/s")
        self.free = np.flatnonzero(~point.held)
        scale = loops.column_scale[point.at.columns][self.free]
        self.lengths = np.concatenate([scale, scale, np.ones(point.at.x.shape[-1])])
        self.scale = scale

    def __call__(self, speeds: Array) -> Array:
        at, k = self.point.at, self.free
        c = self._settled(speeds)
        free = (slice(None), k[:, np.newaxis], k)
        names = at.loops.names(at.columns[k])
        assert_mass(c.M[free][0], self.scale, names, self.point.machine.name)
        parts = c.M[free], c.D[free], c.K[free], c.X[:, k], c.f_psi[:, :, k], c.f_w[:, :, k], c.f_x
        A = np.stack([first_order(*(part[i] for part in parts)) for i in range(len(speeds))])
        return np.asarray(A * self.lengths / self.lengths[:, np.newaxis])

    def _settled(self, speeds: Array) -> Coefficients:
        """Coefficients at the steady motions, found by Newton's method on what is left along the free coordinates."""
        at, loops, k = self.point.at, self.point.at.loops, self.free
        count = len(speeds)
        y, effort, x = (np.tile(own, (count, 1)) for own in (at.y, at.effort, at.x))
        effort[:, at.columns[k]] = 0.0
        independent = mask_of(loops, at.columns)
        size = max(self.point.size, 1e-300)
        c = None
        for _ in range(STEPS):
            w, dw = np.zeros((2, count, loops.columns))
            w[:, self.column] = speeds
            if loops.count:
                w, dw = loops.rates_each(y, independent, [w, dw])
            c = coefficients(SetPoint(loops, at.order, at.columns, y, w, dw, x, effort, at.t))
            free = (slice(None), k[:, np.newaxis], k)
            R = c.R[:, k] * self.scale
            if x.shape[1]:
                rest = np.linalg.pinv(c.f_x, rcond=1e-12) @ c.f[..., np.newaxis]
                x = x - rest[..., 0]
            forces = size + np.abs(c.K[free]).max(axis=(1, 2), initial=0.0)
            if not k.size or (np.abs(R).max(axis=1) <= DONE * forces).all():
                return c
            K = c.K[free] * self.scale * self.scale[:, np.newaxis]
            stride = -(np.linalg.pinv(K, rcond=1e-10) @ R[..., np.newaxis])[..., 0]
            if np.abs(stride).max() <= 1e-13:
                return c
            stride *= np.minimum(1.0, 0.3 / np.maximum(np.abs(stride).max(axis=1, keepdims=True), 1e-300))
            move = np.zeros((count, loops.columns))
            move[:, at.columns[k]] = stride * loops.column_scale[at.columns[k]]
            if loops.count:
                (move,) = loops.rates_each(y, independent, [move])
            y = loops.advanced(y, move / loops.column_scale)
            if loops.count:
                y = np.stack([loops.corrected(own, independent, 6) for own in y])
        left = np.abs(R).max(axis=1) / forces
        worst = int(left.argmax())
        text = f"no steady motion was found at {self.rate} = {speeds[worst]:.6g}"
        hint = "start from a posture near it (at=), or hold what is pushed away (hold=)"
        raise ModelError(Problem(text, self.rate, hint), self.point.machine.name)


def root_locus_of(
    machine: Machine, parameter: str, low: Any, high: Any, samples: int, at: Any, hold: Any,
    rates: Mapping[str, Any] | None, log: bool,
) -> Locus:  # fmt: skip
    """See `Machine.root_locus`."""
    values = checked_range(low, high, samples, machine.name)
    if parameter not in machine.parameters:
        raise InputError(no_such("parameter", parameter, machine.parameters, "parameter"), machine.name)
    if log:
        if values[0] <= 0.0:
            hint = "give a range above zero, or log=False"
            raise InputError(Problem("values at and below zero have no logarithm", "log", hint), machine.name)
        values = np.geomspace(values[0], values[-1], len(values))
    from linkwork.analyses.parameter_units import parameter_unit

    unit = parameter_unit(machine.loops, parameter)
    return locus(machine, parameter, unit, values, _OverNumber(machine, parameter, at, hold, rates))


class _OverNumber:
    """Equilibria, or the steady motions and postures that are asked for, at values of a number of the model."""

    def __init__(self, machine: Machine, parameter: str, at: Any, hold: Any, rates: Mapping[str, Any] | None) -> None:
        self.machine, self.parameter, self.at, self.hold, self.rates = machine, parameter, at, hold, rates
        self.known: list[tuple[float, Posture]] = []

    def __call__(self, values: Array) -> Array:
        return np.stack([self._matrix(float(value)) for value in values])

    def _matrix(self, value: float) -> Array:
        own = self.machine.with_parameters({self.parameter: value})
        if self.rates or (self.at is not None and not isinstance(self.at, Equilibrium)):
            linear = own.linearize(self.at, hold=self.hold, rates=self.rates)
        else:
            start = self.at.posture if isinstance(self.at, Equilibrium) else None
            if self.known:
                start = min(self.known, key=lambda known: abs(known[0] - value))[1]
            kind: Any = "stable" if start is None else "nearest"
            rest = own.equilibrium(self.hold, start=start, kind=kind)
            self.known.append((value, rest.posture))
            linear = own.linearize(rest)
        linear.assert_mass()
        lengths = np.concatenate([linear.scale, linear.scale, np.ones(len(linear.states))])
        return np.asarray(linear.matrices.A * lengths / lengths[:, np.newaxis])
