"""Families of linearised machines: steady motions at many speeds in one batch; equilibria over a number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.equilibrium.equilibrium import Equilibrium, NoEquilibrium
from linkwork.analyses.kinematics.failures import ClosureError
from linkwork.analyses.kinematics.joint_limits import joint_limits
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.linear.coefficients import ManyNumbers, mask_of
from linkwork.analyses.linear.loci import Locus, checked_range, locus
from linkwork.analyses.linear.set_points import Held, set_point
from linkwork.analyses.linear.steady_batch import STEPS, SteadyBatch
from linkwork.analyses.parameter_units import parameter_unit
from linkwork.errors import InputError, LinkworkError, ModelError, Problem
from linkwork.geometry import Array
from linkwork.names import no_such

if TYPE_CHECKING:
    from linkwork.analyses.linear.linearization import Linearization
    from linkwork.analyses.machine import Machine

PIECES = 12
"""Strides in which a number goes from one end of a range to the other."""
FEW = 6
"""Newton's strides after each of them but the last."""
JUMP = 0.1
"""How far samples next to each other may lie apart [rad, or parts of the machine's size], beside what is usual."""


def campbell_of(
    machine: Machine, rate: str, low: Any, high: Any, samples: int, at: Any, hold: Any, orders: Sequence[float],
    t: float | None,
) -> Locus:  # fmt: skip
    """See `Machine.campbell`."""
    speeds = checked_range(low, high, samples, machine.name)
    names = [hold] if isinstance(hold, str) else list(hold or ())
    found = machine.loops.book.find(rate, "variable")
    if found is None and machine.loops.book.find(rate, "rate") is None:
        known = machine.loops.book.known("variable")
        raise InputError(no_such("variable", rate, known, "rate"), machine.name)
    own = [rate] if found is not None else []
    where = at.posture if isinstance(at, Equilibrium) else at
    more: dict[str, Any] = {"efforts": None, "states": None, "t": t}
    point = set_point(machine, where, [*names, *own] or None, {rate: float(speeds[-1])}, **more)
    family = _OverSpeed(point, rate)
    return locus(machine, rate, family.unit, speeds, family, tuple(orders), ())


class _OverSpeed:
    """Steady motions at speeds of one rate, all at once: matrices in first order, scaled."""

    def __init__(self, point: Held, rate: str) -> None:
        self.batch, self.rate = SteadyBatch(point, pushed=False), rate
        loops = point.at.loops
        self.column = next(
            own.column for own in (loops.book.find(rate, "rate"), loops.book.find(rate, "variable")) if own is not None
        )
        from linkwork.analyses.forces.over_run import effort_units

        self.unit = {"N": "m/s"}.get(effort_units(loops)[self.column], "rad/s")

    def __call__(self, speeds: Array) -> Array:
        at, count = self.batch.point.at, len(speeds)
        w = np.zeros((count, at.loops.columns))
        w[:, self.column] = speeds
        found = self.batch.settled(np.tile(at.y, (count, 1)), np.tile(at.x, (count, 1)), w)
        A = np.full((count, *[len(self.batch.lengths)] * 2), np.nan)
        A[found.arrived] = self.batch.matrices(found)[found.arrived]
        return A

    def lost(self, value: float) -> LinkworkError:
        """What is said where there is none."""
        text = f"no steady motion was found at {self.rate} = {value:.6g}"
        hint = "start from a posture near it (at=), or hold what is pushed away (hold=)"
        return ModelError(Problem(text, self.rate, hint), self.batch.point.machine.name)


def root_locus_of(
    machine: Machine, parameter: str, low: Any, high: Any, samples: int, at: Any, hold: Any,
    rates: Mapping[str, Any] | None, efforts: Mapping[str, Any] | None, t: float | None, log: bool,
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
    more = {"efforts": efforts, "t": t}
    unit = parameter_unit(machine.loops, parameter)
    return locus(machine, parameter, unit, values, _OverNumber(machine, parameter, at, hold, rates, more))


class _OverNumber:
    """Equilibria, or the steady motions and postures that are asked for, at values of a number of the model.

    All values go the way from one that is known together, in a few strides; those that do not arrive, that jump, or
    that come to a limit of travel, and numbers that change how loops close, are asked one by one.
    """

    def __init__(
        self, machine: Machine, parameter: str, at: Any, hold: Any, rates: Mapping[str, Any] | None,
        more: dict[str, Any],
    ) -> None:  # fmt: skip
        self.machine, self.parameter, self.at, self.hold, self.rates = machine, parameter, at, hold, rates
        self.more = more
        self.stays = bool(rates) or (at is not None and not isinstance(at, Equilibrium))
        self.batch: SteadyBatch | None = None
        self.values: Array = np.zeros(0)
        self.y: Array = np.zeros((0, 0))
        self.x: Array = np.zeros((0, 0))
        self.trouble: LinkworkError | None = None
        self.failed: list[float] = []
        self._rest: Equilibrium | None = None

    def __call__(self, values: Array) -> Array:
        if not self.values.size:
            value, linear = self._first(values)
            point = linear._point
            self._keep(np.array([value]), point.at.y[np.newaxis], point.at.x[np.newaxis])
            if self._together(values, linear):
                given = None if self.stays or self._rest is None else self._rest._asked.effort
                self.batch = SteadyBatch(point, self.stays, given)
        found = self._batched(values) if self.batch is not None else np.full((len(values), 0, 0), np.nan)
        rows: list[Array | None] = [None if A.size == 0 or np.isnan(A).any() else A for A in found]
        missing = [k for k, row in enumerate(rows) if row is None]
        for k in sorted(missing, key=lambda k: float(np.abs(self.values - values[k]).min())):  # the nearest first
            rows[k] = self._single(float(values[k]))
        size = next(len(row) for row in rows if row is not None) if any(r is not None for r in rows) else 0
        return np.stack([np.full((size, size), np.nan) if row is None else row for row in rows])

    def lost(self, value: float) -> LinkworkError:
        """What is said where there is none."""
        return self.trouble or ModelError(Problem(f"no answer at {value:.6g}", self.parameter), self.machine.name)

    # ---------------------------------------------------------------- all at once

    def _together(self, values: Array, linear: Linearization) -> bool:
        """Whether one set of coordinates and the closure at hand serve all values."""
        loops, y = linear._point.at.loops, linear._point.at.y
        if self.parameter not in loops.system.plan.parameters or loops.sparse:
            return False
        if not self.stays:
            rest = self._rest
            if rest is None or rest.stops:
                return False
        ends = [self.machine.with_parameters({self.parameter: float(x)}) for x in (values.min(), values.max())]
        n = self.machine.plan.ny
        errors = [np.abs(own.loops.errors(y[:n])).max(initial=0.0) for own in ends]
        return bool(max(errors) <= 10.0 * loops.tolerance)

    def _batched(self, values: Array) -> Array:
        batch = self.batch
        assert batch is not None
        near = np.abs(values[:, np.newaxis] - self.values).argmin(axis=1)
        begun, y, x = self.values[near], self.y[near], self.x[near]
        w = None
        if self.rates:
            w = np.tile(batch.point.at.w * mask_of(batch.point.at.loops, batch.point.at.columns), (len(values), 1))
        apart = float(np.abs(values - begun).max(initial=0.0))
        span = float(np.ptp(self.values)) or apart
        pieces = 1 if self.stays else max(1, math.ceil(PIECES * min(apart / span, 1.0))) if span else 1
        system = batch.point.at.loops.system
        for piece in range(1, pieces + 1):
            on_the_way = begun + (values - begun) * (piece / pieces)
            own = ManyNumbers(system, {**system.parameters, self.parameter: on_the_way}, len(values))
            found = batch.settled(y, x, w, own, STEPS if piece == pieces else FEW)
            y, x = found.at.y, found.at.x
        good = found.arrived & ~self._jumping(values, y) & self._within(y)
        self._keep(values[good], y[good], x[good])
        A = np.full((len(values), *[len(batch.lengths)] * 2), np.nan)
        if good.any():
            A[good] = batch.matrices(found)[good]
        return A

    def _jumping(self, values: Array, y: Array) -> Any:
        """Samples that lie far from those that are next to them, beside the others: another branch."""
        loops = self.machine.loops
        order = np.argsort(values)
        n = min(y.shape[1], len(loops.variable_scale))
        far = np.abs(np.diff(y[order, :n] * loops.variable_scale[:n], axis=0)).max(axis=1, initial=0.0)
        jump = far > np.maximum(JUMP, 20.0 * np.median(far)) if len(far) else np.zeros(0, bool)
        found = np.zeros(len(values), bool)
        found[order[1:]] = np.cumsum(jump) > 0  # what lies beyond a jump was reached another way
        return found

    def _within(self, y: Array) -> Any:
        loops = self.machine.loops
        good = np.ones(len(y), bool)
        for limit in joint_limits(loops) if not self.stays else ():
            good &= limit.beyond(loops, y[:, limit.place]) <= 0.0
        return good

    def _keep(self, values: Array, y: Array, x: Array) -> None:
        self.values = np.concatenate([self.values, values])
        self.y = np.concatenate([self.y.reshape(len(self.y), y.shape[1]), y])
        self.x = np.concatenate([self.x.reshape(len(self.x), x.shape[1]), x])

    # ---------------------------------------------------------------- one by one

    def _first(self, values: Array) -> tuple[float, Linearization]:
        """A value that has a set point: an end, or the middle."""
        trouble: LinkworkError | None = None
        for value in (values[0], values[-1], values[len(values) // 2]):
            try:
                return float(value), self._linear(float(value))
            except (NoEquilibrium, ClosureError) as error:
                trouble = trouble or error
        assert trouble is not None
        raise trouble

    def _single(self, value: float) -> Array | None:
        near = float(self.values[int(np.abs(self.values - value).argmin())])
        if any(min(near, value) <= x <= max(near, value) for x in self.failed):
            return None  # what lies on the way is lost already
        try:
            linear = self._linear(value)
        except (NoEquilibrium, ClosureError) as error:
            self.trouble = error
            self.failed.append(value)
            return None
        linear.assert_mass()
        at = linear._point.at
        self._keep(np.array([value]), at.y[np.newaxis], at.x[np.newaxis])
        lengths = np.concatenate([linear.scale, linear.scale, np.ones(len(linear.states))])
        return np.asarray(linear.matrices.A * lengths / lengths[:, np.newaxis])

    def _linear(self, value: float) -> Linearization:
        own = self.machine.with_parameters({self.parameter: value})
        if self.stays:
            return own.linearize(self.at, hold=self.hold, rates=self.rates, **self.more)
        start = self.at.posture if isinstance(self.at, Equilibrium) else None
        if self.values.size:
            y = self.y[int(np.abs(self.values - value).argmin()), : self.machine.plan.ny]
            start = Posture(self.machine.loops, y)
        kind: Any = "stable" if start is None else "nearest"
        self._rest = own.equilibrium(self.hold, start=start, kind=kind, **self.more)
        return own.linearize(self._rest)
