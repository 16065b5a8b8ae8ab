"""Efforts and reactions along a motion, by kernels whose pivots suit the postures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.forces.contact_drives import Pressing, pressed_efforts
from linkwork.analyses.forces.drives import Drives, Sharing, as_names, counted, drives_of, retaken, shared_efforts
from linkwork.analyses.forces.finite import loads_must_be_finite
from linkwork.analyses.forces.trajectory import Trajectory
from linkwork.analyses.kinematics.failures import DeadCentre
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.posture import Posture
from linkwork.equations.closed_forces import closed_forces, watched_efforts
from linkwork.equations.loop_solver import Order, Pivot, factorise
from linkwork.errors import InputError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.kernels import Kernel
from linkwork.kernels.hosted import Evaluator

POOR = 1e4
"""Growth of Σ 1/pivot² at which other pivots are looked for."""
SINGULAR = 1e14
"""Σ 1/pivot² at which a posture is singular: efforts are then not determined."""
WATCHED = 1.0
"""Weakness of home's pivots, in parts of what is allowed, at which others are looked for."""
LOOKED_AT = 9
"""Samples at which drives are looked for, where the middle one is singular."""
_START = np.zeros(1)
COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")


@dataclass(frozen=True, eq=False)
class Found:
    """efforts (samples, nw) of all drives; wrenches (samples, joints, 6); multipliers (samples, constraints), which are
    efforts of the model's constraints; samples without an answer:

    singular : the drives cannot move the machine there; powerless : they cannot press on its contacts
    """

    efforts: Array
    wrenches: Array
    multipliers: Array
    singular: NDArray[np.int64]
    powerless: NDArray[np.int64]


def joints_of(loops: Loops) -> list[str]:
    """Joints in the order of wrenches; the freedoms of a floating body are no joint, but hold their place."""
    return [*(link.joint for link in loops.plan.links), *loops.plan.chords]


def orders_along(loops: Loops, independent: Mask, Y: Array) -> Iterator[tuple[NDArray[np.int64], Order, bool]]:
    """Samples with the order of pivots that serves them, and whether it does: it cannot at a singular posture."""
    left = np.arange(len(Y))
    while left.size:
        order = loops.order(Y[left[0]], independent)
        weak = weakness(loops, order, Y[left])
        whole = len(order.pivots) + int(independent.sum()) == loops.columns
        served = whole & (weak <= POOR * max(float(weak[0]), 1.0)) & (weak < SINGULAR)
        if not served[0]:
            yield left[:1], order, False
            left = left[1:]
            continue
        yield left[served], order, True
        left = left[~served]


def weakness(loops: Loops, order: Order, Y: Array) -> Array:
    """Σ 1/pivot² by sample; infinite where a pivot vanishes."""
    _, measures = loops.step_kernel(order)(Y, np.array([loops.length]))
    weak: Array = np.where(np.isfinite(measures[:, 2]), measures[:, 2], np.inf)
    return weak


def forces_along(
    loops: Loops,
    drives: Drives,
    path: Trajectory,
    given: Array,
    how: Sharing,
    external: Array | None,
    threads: int | None,
    pressing: Pressing | None = None,
) -> Found:
    """Efforts of the drives and reactions of all joints.

    given : efforts (samples, nw) that act besides those of the drives; pressing : wanted forces of contacts
    """
    found = _forces_by(loops, drives, path, given, how, external, threads, pressing)
    if not drives.shared:
        return found
    # Where the drives that are taken as independent cannot move the machine, others among them may.
    left, hopeless, powerless = found.singular, [], list(found.powerless)
    while left.size:
        others = retaken(loops, path.y[left[0]], drives)
        if others is None or np.array_equal(others.independent, drives.independent):
            hopeless.append(int(left[0]))
            left = left[1:]
            continue
        drives = others
        part = path.at(left)
        some = _forces_by(
            loops, drives, part, given[left], Sharing(how.preload[left], how.weights),
            None if external is None else external[left], threads, None if pressing is None else pressing.at(left),
        )  # fmt: skip
        found.efforts[left], found.wrenches[left] = some.efforts, some.wrenches
        found.multipliers[left] = some.multipliers
        powerless += left[some.powerless].tolist()
        left = left[some.singular]
    told = found.efforts, found.wrenches, found.multipliers
    return Found(*told, *(np.array(sorted(x), np.int64) for x in (hopeless, powerless)))


def _forces_by(
    loops: Loops,
    drives: Drives,
    path: Trajectory,
    given: Array,
    how: Sharing,
    external: Array | None,
    threads: int | None,
    pressing: Pressing | None,
) -> Found:
    """Efforts and reactions with one choice of independent drives."""
    plan, samples = loops.plan, len(path)
    efforts = np.full((samples, plan.nw), np.nan)
    wrenches = np.full((samples, len(joints_of(loops)), 6), np.nan)
    multipliers = np.full((samples, len(plan.constraints)), np.nan)
    singular: list[int] = []
    powerless: list[int] = []
    when = np.ascontiguousarray(path.t[:, np.newaxis])
    for rows, order, serves in orders_along(loops, drives.independent, path.y):
        if not serves:
            singular += rows.tolist()
            continue
        kernel = loops.forces_kernel(order, external is not None, bool(path.states))
        y, w, dw, t = (np.ascontiguousarray(x[rows]) for x in (path.y, path.w, path.dw, when))
        more = [] if external is None else [np.ascontiguousarray(external[rows])]
        more += [np.ascontiguousarray(own[rows]) for own in path.states]
        own = np.ascontiguousarray(given[rows])
        driven = partial(_driven, kernel, (y, w, dw), (t, *more), threads)
        found, carried_, own_ = driven(own)
        if drives.shared:
            independent = np.flatnonzero(drives.independent)
            B = unit_rates(loops, order, y, independent)[:, :, drives.columns].transpose(0, 2, 1)
            shared = shared_efforts(B, found[:, independent], Sharing(how.preload[rows], how.weights))
            pushed = partial(_pushed, own, drives)
            if pressing is not None:
                shared, weak = pressed_efforts(pressing.at(rows), B, how.weights, shared, pushed, driven, loops.length)
                powerless += rows[weak].tolist()
            found, carried_, own_ = driven(pushed(shared))
            others = ~drives.independent[drives.columns]
            found[:, drives.columns[others]] = shared[:, others]
        efforts[rows], wrenches[rows], multipliers[rows] = found, carried_, own_
    for array in (efforts, wrenches, multipliers):
        array[powerless] = np.nan
    return Found(efforts, wrenches, multipliers, *(np.array(sorted(x), np.int64) for x in (singular, powerless)))


def _driven(
    kernel: Evaluator, state: Sequence[Array], rest: Sequence[Array], threads: int | None, own: Array
) -> tuple[Array, Array, Array]:
    """Efforts of the independent drives, reactions, and efforts of constraints, when efforts act besides."""
    efforts, wrenches, *more = kernel(*state, own, *rest, threads=threads)
    return efforts, wrenches, more[0] if more else np.empty((len(efforts), 0))


def _pushed(own: Array, drives: Drives, efforts: Array) -> Array:
    """What acts besides the independent drives, when all drives give these efforts (samples, drives)."""
    others = ~drives.independent[drives.columns]
    pushed = own.copy()
    pushed[:, drives.columns[others]] += efforts[:, others]
    return pushed


def plain_efforts(
    loops: Loops, home: Posture, y: Any, w: Any, dw: Any, named: Sequence[str] | None, t: Any, threads: int | None
) -> Array:
    """Efforts of the drives by one kernel, with the pivots of home; with others where those are weak."""
    own = _watched_kernel(loops, home, None if named is None else tuple(as_names(named)))
    when = _START if type(t) is float and t == 0.0 else np.asarray(t, float)[..., np.newaxis]
    state = (y, w, dw, when, own.weights)
    found, weak = own.kernel(*state) if threads is None else own.kernel(*state, threads=threads)
    single = found.ndim == 1
    if not (weak if single else weak.max(initial=0.0)) <= WATCHED:
        found = _by_other_pivots(loops, own, found, weak, (y, w, dw, when))
    efforts: Array = found[..., own.columns]
    # Their square is found in a third of the time, and tells.
    if not (isfinite(efforts.dot(efforts)) if single else np.isfinite(efforts).all()):
        _explain(loops, efforts, y, w, dw, when)
    return efforts


def _by_other_pivots(loops: Loops, own: _Watched, found: Array, weak: Array, state: Sequence[Any]) -> Array:
    """Efforts of all joints, found anew where pivots are weak and others serve."""
    shape = found.shape[:-1]
    y, w, dw, t = (np.broadcast_to(x, (*shape, np.shape(x)[-1])).reshape(-1, np.shape(x)[-1]) for x in state)
    efforts = found.reshape(-1, found.shape[-1]).copy()
    left = np.flatnonzero(~(np.reshape(weak, -1) <= WATCHED) & np.isfinite(y).all(axis=1))
    for rows, order, serves in orders_along(loops, own.independent, y[left]) if left.size else ():
        if serves:
            samples = left[rows]
            kernel = loops.system.bound_kernel(Question(closed_forces(order, "efforts", False)))
            some = (np.ascontiguousarray(x[samples]) for x in (y, w, dw))
            efforts[samples] = kernel(*some, np.zeros(loops.columns), np.ascontiguousarray(t[samples]))
    return efforts.reshape(found.shape)


def _explain(loops: Loops, efforts: Array, y: Any, w: Any, dw: Any, when: Array) -> None:
    """Refuse efforts that are no numbers though the motion is: a load without a value, or a singular posture."""
    shape = efforts.shape[:-1]
    spread = [np.broadcast_to(x, (*shape, np.shape(x)[-1])) for x in (y, w, dw, when)]
    bad = ~np.isfinite(efforts).all(axis=-1)
    for x in spread:
        bad = bad & np.isfinite(x).all(axis=-1)
    if np.any(bad):
        Y, W, _, T = (np.atleast_2d(x[bad]) for x in spread)
        loads_must_be_finite(loops, Y, W, T)
        hint = "`forces` tells where; name other drives there"
        text = "the drives cannot move the machine at a singular posture, so efforts are not determined"
        raise DeadCentre(Problem(text, "drives", hint), loops.plan.name, Posture(loops, Y[0]))


@dataclass(frozen=True, eq=False)
class _Watched:
    """(y, w, dw, t, weight) -> efforts of all joints, weakness of the pivots; and what it takes.

    columns : of the drives; weights : by row, with which pivots as weak as may be make a weakness of 1
    """

    kernel: Kernel
    columns: NDArray[np.int64]
    independent: Mask
    weights: Array


def _watched_kernel(loops: Loops, home: Posture, chosen: tuple[str, ...] | None) -> _Watched:
    """Efforts by the pivots of home that tell how weak they are; kept."""
    kept, key = loops.efforts, (chosen, home.y.tobytes(), "watched")
    if key not in kept:
        drives, order = _drives_at_home(loops, home, chosen)
        kernel = loops.system.bound_kernel(Question(watched_efforts(order)))
        weights, at_home = np.zeros(loops.plan.nl), 0.0
        for pivot in pivots_at(loops, order, home.y):
            weights[pivot.row] = 1.0 / (loops.row_scale[pivot.row] * loops.column_scale[pivot.column])
            at_home += pivot.inverse**2
        limit = min(POOR * max(at_home, 1.0), SINGULAR)
        kept[key] = _Watched(kernel, drives.columns, drives.independent, weights / limit**0.5)
    found: _Watched = kept[key]
    return found


def pivots_at(loops: Loops, order: Order, y: Array) -> list[Pivot]:
    """The scaled pivots of an order at a posture."""
    J = loops.triplets(y)
    rows: dict[int, dict[int, float]] = {r: {} for r in range(loops.rows)}
    for r, c, value in zip(*(np.asarray(x) for x in (J.rows, J.columns, J.values)), strict=True):
        rows[int(r)][int(c)] = float(value)
    return factorise(rows, order)


def effort_kernel(
    loops: Loops, home: Posture, chosen: tuple[str, ...] | None
) -> tuple[Kernel, NDArray[np.int64], Array]:
    """(y, w, dw, effort, t) -> efforts of all joints, the columns of the drives, and efforts of none; kept."""
    kept, key = loops.efforts, (chosen, home.y.tobytes(), "plain")
    if key not in kept:
        drives, order = _drives_at_home(loops, home, chosen)
        kernel = loops.system.bound_kernel(Question(closed_forces(order, "efforts", False)))
        kept[key] = kernel, drives.columns, np.zeros(loops.columns)
    found: tuple[Kernel, NDArray[np.int64], Array] = kept[key]
    return found


def _drives_at_home(loops: Loops, home: Posture, chosen: tuple[str, ...] | None) -> tuple[Drives, Order]:
    """As many drives as there are freedoms, and the pivots of home for them."""
    names = tuple(loops.names(home._roles.independent)) if chosen is None else chosen
    drives = drives_of(loops, home.y, names, ())
    if drives.shared:
        text = f"{len(drives.columns)} drives for {counted(int(drives.independent.sum()), 'freedom')}"
        raise InputError(Problem(text, "drives", "`forces` lets them share the work"), loops.plan.name)
    return drives, loops.order(home.y, drives.independent)


def unit_rates(loops: Loops, order: Order, Y: Array, independent: NDArray[np.int64]) -> Array:
    """Rates of all joints for a unit of each independent rate, (samples, independent, nw)."""
    units = np.zeros((len(independent), loops.columns))
    units[np.arange(len(independent)), independent] = 1.0
    if not loops.count:
        return np.broadcast_to(units, (len(Y), *units.shape)).copy()
    rates: Array = loops.rates_kernel(order, 1)(Y[:, np.newaxis], units)
    return rates
