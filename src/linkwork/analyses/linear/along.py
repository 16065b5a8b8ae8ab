"""The machine linearised all along a run, in one call: matrices by sample, and how they change.

Every sample (y, w, dw) is a set point, held there by efforts along the independent rates, as a perfect control would
hold it. The equations in between hold for as long as they change little: eigenvalues are those of the equations as they
stand at an instant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.forces.asked import named_numbers
from linkwork.analyses.forces.drives import as_names, columns_of
from linkwork.analyses.forces.over_run import effort_units
from linkwork.analyses.forces.reactions import orders_along
from linkwork.analyses.forces.trajectory import Trajectory, check_run, given_states, trajectory_of
from linkwork.analyses.kinematics.failures import NoFreedom
from linkwork.analyses.kinematics.loops import Mask
from linkwork.analyses.kinematics.preference import preference
from linkwork.analyses.linear.coefficients import Coefficients, SetPoint, coefficients, mask_of
from linkwork.analyses.linear.first_order import assert_masses, first_order
from linkwork.analyses.linear.set_points import held_at
from linkwork.errors import Gathered, InputError, Problem
from linkwork.geometry import Array
from linkwork.results import Result, build_result

if TYPE_CHECKING:
    from linkwork.analyses.linear.linearization import Linearization
    from linkwork.analyses.machine import Machine
    from linkwork.results import Run

PARTS = ("M", "D", "K", "X", "f_psi", "f_w", "f_x")


@dataclass(frozen=True, eq=False)
class LinearizationAlong:
    """Small motions about every sample of a run; `at(k)` is the linearisation at one of them.

    time : of the samples [s]
    coordinates : free independent rates, rows and columns of M, D, K; states : named states
    M, D, K, X, f_psi, f_w, f_x : by sample (samples, ...), as of `Matrices`
    efforts : what holds the free coordinates at each sample (samples, n) [N, N m]
    warnings : what should be known; samples at singular postures have no numbers, and a warning
    """

    time: Array
    coordinates: tuple[str, ...]
    states: tuple[str, ...]
    M: Array
    D: Array
    K: Array
    X: Array
    f_psi: Array
    f_w: Array
    f_x: Array
    efforts: Array
    warnings: tuple[str, ...]
    _machine: Machine
    _path: Trajectory
    _effort: Array
    _held: Mask
    _scale: Array
    _units: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.time)

    def at(self, sample: int) -> Linearization:
        """The linearisation at one sample, with modes and responses.

        Parameters
        ----------
        sample : its number, from 0; negative ones count from the end
        """
        from linkwork.analyses.linear.linearization import Linearization

        count, path = len(self), self._path
        if not isinstance(sample, int | np.integer) or not -count <= sample < count:
            problem = Problem(f"there is no sample {sample!r}", "sample", f"0 to {count - 1}")
            raise InputError(problem, self._machine.name)
        machine, effort, t = self._machine, self._effort[sample], float(path.t[sample])
        y, w, dw, x = (own[sample] for own in (path.y, path.w, path.dw, path.x))
        return Linearization(held_at(machine, machine.loops, y, w, self._held, effort, x, t, dw))

    @cached_property
    def A(self) -> Array:
        """Of z' = A z with z = (ξ, ξ', x), by sample."""
        finite = np.isfinite(self.M).all(axis=(1, 2))
        size = 2 * len(self.coordinates) + len(self.states)
        found = np.full((len(self), size, size), np.nan)
        assert_masses(self.M[finite], self._scale, self.coordinates, self._machine.name)
        found[finite] = first_order(*(getattr(self, part)[finite] for part in PARTS))
        return found

    @cached_property
    def eigenvalues(self) -> Any:
        """Eigenvalues of A by sample (samples, 2 n + states) [1/s], each following itself from sample to sample."""
        from linkwork.analyses.linear.branches import followed

        finite = np.isfinite(self.A).all(axis=(1, 2))
        found = np.full(self.A.shape[:2], np.nan, complex)
        if finite.any():
            lengths = np.concatenate([self._scale, self._scale, np.ones(len(self.states))])
            found[finite] = followed(self.A[finite] * lengths / lengths[:, np.newaxis]).values
        return found

    @cached_property
    def result(self) -> Result:
        """Matrices by entry (`K.A.angle.B.angle`), efforts and frequencies as labelled numbers along `time`."""
        signals: dict[str, tuple[str, Any, Any]] = {}
        for part in ("M", "D", "K"):
            for i, row in enumerate(self.coordinates):
                for j, column in enumerate(self.coordinates):
                    signals[f"{part}.{row}.{column}"] = ("1", "time", getattr(self, part)[:, i, j])
        for i, row in enumerate(self.coordinates):
            signals[f"{row}.effort"] = (self._units[i], "time", self.efforts[:, i])
        values = self.eigenvalues
        swinging = [k for k in range(values.shape[1]) if (values[:, k].imag > 0.0).any()]
        for number, k in enumerate(swinging, 1):
            signals[f"frequency.{number}"] = ("Hz", "time", np.abs(values[:, k].imag) / (2 * np.pi))
        return build_result(
            {"time": ("s", self.time)}, signals, mechanism=self._machine.name, analysis="linearisation along a run",
            warnings=list(self.warnings), machine=self._machine,
        )  # fmt: skip

    def __str__(self) -> str:
        lines = [f"{self._machine.name} linearised at {len(self)} samples: {', '.join(self.coordinates)}"]
        return "\n".join([*lines, *(f"  warning: {w}" for w in self.warnings)])

    __repr__ = __str__


def linearized_along(
    machine: Machine,
    run: Run,
    hold: str | Sequence[str] | None,
    efforts: Mapping[str, Any] | None,
    states: Mapping[str, Any] | None,
    threads: int | None,
) -> LinearizationAlong:
    """See `Machine.linearize_along`."""
    loops = machine.loops
    check_run(loops, run)
    path = trajectory_of(loops, run)
    told = Gathered(machine.name)
    held = np.zeros(loops.columns, bool)
    with told:
        held[columns_of(loops, [] if hold is None else as_names(hold))] = True
    effort = np.zeros((len(path), loops.columns))
    with told:
        for column, numbers in named_numbers(loops, "efforts", efforts, len(path)).values():
            effort[:, column] = numbers
    x = path.x
    with told:
        x = given_states(loops, states, path.x)
    told.tell()
    path = Trajectory(path.t, path.y, path.w, path.dw, x)
    finite = np.flatnonzero(np.isfinite(np.concatenate([path.y, path.w, path.dw], axis=1)).all(axis=1))
    first = path.y[finite[0]]
    roles = loops.chosen(first, held, preference(loops))
    if roles.conflict:
        names = ", ".join(loops.names(roles.in_conflict))
        raise InputError(Problem(f"{names} contradict each other: they cannot all be held", "hold"), machine.name)
    columns = roles.independent
    free = ~held[columns]
    if not free.any() and not loops.plan.states:
        raise NoFreedom(Problem("nothing is free to move", "hold", "hold fewer variables"), machine.name, None)
    shapes = _shapes(len(path), int(free.sum()), x.shape[1])
    found = {part: np.full(shapes[part], np.nan) for part in shapes}
    lost: list[int] = [k for k in range(len(path)) if k not in set(finite.tolist())]
    for rows, order, serves in orders_along(loops, mask_of(loops, columns), path.y[finite]):
        rows = finite[rows]
        if not serves:
            lost += rows.tolist()
            continue
        part = path.at(rows)
        acting = np.ascontiguousarray(effort[rows])
        c = coefficients(SetPoint(loops, order, columns, part.y, part.w, part.dw, part.x, acting, part.t), threads)
        for name, numbers in _free(c, free).items():
            found[name][rows] = numbers
    warnings = []
    if lost:
        times = ", ".join(f"{path.t[k]:.4g}" for k in sorted(lost)[:5]) + (", ..." if len(lost) > 5 else "")
        names = ", ".join(loops.names(columns))
        warnings.append(f"at {times} s {names} do not tell the motion (singular, or no number): there are no matrices")
    own = columns[free]
    units = [effort_units(loops)[c] for c in own]
    M, D, K, X, f_psi, f_w, f_x = (found[part] for part in PARTS)
    return LinearizationAlong(
        path.t, loops.names(own), machine.states, M, D, K, X, f_psi, f_w, f_x, found["efforts"], tuple(warnings),
        machine, path, effort, held, loops.column_scale[own], tuple(units),
    )  # fmt: skip


def _shapes(count: int, n: int, nx: int) -> dict[str, tuple[int, ...]]:
    own = {"M": (n, n), "D": (n, n), "K": (n, n), "X": (n, nx), "f_psi": (nx, n), "f_w": (nx, n), "f_x": (nx, nx)}
    return {name: (count, *shape) for name, shape in {**own, "efforts": (n,)}.items()}


def _free(c: Coefficients, free: Array) -> dict[str, Array]:
    """The part of the free coordinates."""
    k = np.flatnonzero(free)
    both = (slice(None), k[:, np.newaxis], k)
    return {
        "M": c.M[both], "D": c.D[both], "K": c.K[both], "X": c.X[:, k],
        "f_psi": c.f_psi[:, :, k], "f_w": c.f_w[:, :, k], "f_x": c.f_x, "efforts": c.R[:, k],
    }  # fmt: skip
