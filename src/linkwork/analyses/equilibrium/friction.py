"""What exact friction holds at rest: how much of it is used, how far loads and positions may change before it slips.

A machine stays at a posture if forces h of its exact frictions, within -static forward <= h <= static backward,
efforts e of what is held and pushes p >= 0 of stops balance all others along every independent rate:

    F + Wᵀ h + e + p = 0,      W : rates of the joints with friction for unit independent ones

That is a set, so every answer is an interval, found by linear programming: exactly where F is linear (efforts, amounts,
masses), by repeating it with new slopes where it is not (positions). Smooth friction holds nothing at rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.equilibrium.balance import Balance, Chart
from linkwork.analyses.equilibrium.family import Family
from linkwork.analyses.kinematics.joint_limits import joint_limits
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.equations.closed_forces import load_state
from linkwork.equations.load_plans import exact_frictions
from linkwork.errors import InputError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.equilibrium.equilibrium import Equilibrium

CREEP = 1e-12
"""Rate that is as good as none, but shows what friction there is."""
ROUNDS = 60
"""Linear programs that may follow each other."""
WAY, LONGEST = 0.1, 0.8
"""First and longest stride of a position between two of them [rad, or parts of the machine's size]."""
LAST = 1e-11
"""Change after which another program would change nothing."""
ENDLESS = 1e9
"""Times its size at which a number is taken to have no bound."""
FULL = 1e-9
"""Part of its level by which a friction may miss it and count as used up."""


@dataclass(frozen=True)
class FrictionShare:
    """What one exact friction does at rest.

    name, variable : its name, and along what it acts
    force : that it exerts [N, N m], of all ways to hold the machine that which uses the frictions most evenly
    low, high : what it can exert; share : force by what it can exert that way
    least, most : between which its force lies, whichever way they share; the same where there is one way only
    """

    name: str
    variable: str
    force: float
    low: float
    high: float
    share: float
    least: float
    most: float


@dataclass(frozen=True)
class Interval:
    """Between which values of something a machine stays at rest; `x in interval` asks for one.

    name, unit : of what; low, high : the ends, infinite where there is none
    low_by, high_by : frictions that are used up there, and stops that are left
    """

    name: str
    unit: str
    low: float
    high: float
    low_by: tuple[str, ...]
    high_by: tuple[str, ...]

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        unit = "" if self.unit == "1" else f" {self.unit}"
        ends = [
            f"{x:.6g}{unit}" + (f" ({', '.join(by)})" if by else "")
            for x, by in ((self.low, self.low_by), (self.high, self.high_by))
        ]
        return f"{self.name} from {ends[0]} to {ends[1]}"


@dataclass(frozen=True, eq=False)
class Grips:
    """Exact frictions at a posture: names, rates along which they act, and what they can exert."""

    names: tuple[str, ...]
    columns: Any
    low: Array
    high: Array


def grips_at(loops: Loops, y: Array, x: Array, t: float) -> Grips:
    """Exact frictions and what they can exert at rest."""
    plan, p = loops.plan, loops.system.parameters
    own = exact_frictions(plan.loads)
    columns = np.array([f.along.w for f in own], np.int64)
    forward, backward = (np.array([p.get(f"{f.name}.{way}", 0.0) for f in own]) for way in ("forward", "backward"))
    if any(f.normal is not None for f in own):
        creeping = np.zeros((1, plan.nw))
        creeping[0, columns] = CREEP
        given = [np.ascontiguousarray(y[np.newaxis, : plan.ny]), creeping, np.array([[t]])]
        magnitudes, _ = loops.system.bound_kernel(Question(load_state(bool(plan.states))))(
            *given, *([np.ascontiguousarray(x[np.newaxis])] if plan.states else [])
        )
        for k, f in enumerate(own):
            if f.normal is not None:
                level = -float(magnitudes[0][plan.loads.index(f)]) - p[f"{f.name}.viscous"] * CREEP
                forward[k] = backward[k] = level
    static = np.array([p[f"{f.name}.static"] for f in own])
    return Grips(tuple(f.name for f in own), columns, -static * forward, static * backward)


class Holding:
    """A posture and everything that may hold it, ready for linear programs.

    Unknowns are forces of frictions, efforts of what is held, pushes of stops, scaled; rows the independent rates.
    """

    def __init__(self, loops: Loops, y: Array, x: Array, effort: Array, t: float, held: Mask, stops: dict[int, int]):
        self.loops, self.y, self.x, self.effort, self.t = loops, y, x, effort, t
        self.held, self.stops = held, stops
        fixed = held.copy()
        fixed[list(stops)] = True
        self.balance = Balance(loops, fixed, t)
        self.chart: Chart = self.balance.charts[self.balance.chart_at(y)]
        self.grips = grips_at(loops, y, x, t)
        self.scale = loops.column_scale[self.chart.columns]
        self.F = self.balance.along_all(self.chart, y, x, effort) * self.scale
        levels = np.maximum(np.abs(self.grips.low), np.abs(self.grips.high))
        self.unit = max(float(np.abs(self.F).max(initial=0.0)), float(np.abs(levels).max(initial=0.0)), 1e-300)
        self.W = self.rates(self.grips.columns)

    def rates(self, columns: Any) -> Array:
        """Rates of some columns for unit independent rates (independent, columns), both scaled."""
        loops, n = self.loops, len(self.chart.columns)
        W = np.zeros((n, loops.columns))
        W[np.arange(n), self.chart.columns] = self.scale
        if self.chart.rates is not None:
            W = self.chart.rates(np.broadcast_to(self.y, (n, len(self.y))).copy(), W)
        found: Array = W[:, np.asarray(columns, np.int64)]
        return found

    def matrix(self) -> tuple[Array, list[tuple[float | None, float | None]]]:
        """Columns of all unknowns, in units of `unit`, and their bounds."""
        rows = {int(c): k for k, c in enumerate(self.chart.columns)}
        parts, bounds = [self.W], [
            (float(a) / self.unit, float(b) / self.unit) for a, b in zip(self.grips.low, self.grips.high, strict=True)
        ]  # fmt: skip
        more: list[tuple[float | None, float | None]] = [*bounds]
        for column in np.flatnonzero(self.held).tolist():
            parts.append(np.eye(len(rows))[:, [rows[column]]] * self.scale[rows[column]])
            more.append((None, None))
        for column, side in self.stops.items():
            parts.append(-side * np.eye(len(rows))[:, [rows[column]]] * self.scale[rows[column]])
            more.append((0.0, None))
        return np.hstack(parts), more

    def solved(
        self, more: Array, objective: Array, bounds: Sequence[tuple[float | None, float | None]],
        extra: tuple[Array, Array] | None = None,
    ) -> Array | None:  # fmt: skip
        """The best of all ways; `more` are columns of unknowns beyond those of `matrix`. None where there is none."""
        from scipy.optimize import linprog

        A, own = self.matrix()
        right = -self.F / self.unit
        options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        up = {} if extra is None else {"A_ub": extra[0], "b_ub": extra[1]}
        found = linprog(
            objective,
            A_eq=np.hstack([A, more]),
            b_eq=right,
            bounds=[*own, *bounds],
            method="highs",
            options=options,
            **up,
        )
        if found.status == 3:
            return np.full(len(objective), np.inf)
        return np.asarray(found.x) if found.status == 0 else None


# ---------------------------------------------------------------- shares


def shares_of(holding: Holding) -> tuple[dict[str, FrictionShare], float]:
    """What each friction does, and the part of all that is used; infinite where they cannot hold it."""
    own = holding.grips
    count = len(own.names)
    if not count:
        return {}, 0.0
    A, bounds = holding.matrix()
    force, share = _evenly(holding, A, bounds)
    if force is None:
        return {}, np.inf
    names = _variables(holding.loops)
    found = {}
    for k, name in enumerate(own.names):
        ends = []
        for sign in (1.0, -1.0):
            objective = np.zeros(A.shape[1])
            objective[k] = sign
            best = holding.solved(np.zeros((len(A), 0)), objective, [])
            ends.append(force[k] if best is None else float(best[k]) * holding.unit)
        least, most = (force[k], force[k]) if abs(ends[1] - ends[0]) <= 1e-8 * holding.unit else ends
        able = own.high[k] if force[k] > 0.0 else -own.low[k]
        part = float(abs(force[k]) / able) if able > 0.0 else 0.0
        bounds_of = float(own.low[k]), float(own.high[k])
        found[name] = FrictionShare(name, names[own.columns[k]], force[k], *bounds_of, part, least, most)
    return found, share


def _evenly(holding: Holding, A: Array, bounds: Any) -> tuple[list[float] | None, float]:
    """Forces of all frictions with the smallest part of what each can do, and that part."""
    from scipy.optimize import linprog

    own, count, total = holding.grips, len(holding.grips.names), A.shape[1]
    low, high = own.low / holding.unit, own.high / holding.unit
    able = [(None, None) if b > a else (0.0, 0.0) for a, b in zip(low, high, strict=True)]
    rows = np.zeros((2 * count, total + 1))
    rows[np.arange(count), np.arange(count)] = 1.0
    rows[np.arange(count), -1] = -high
    rows[count + np.arange(count), np.arange(count)] = -1.0
    rows[count + np.arange(count), -1] = low
    objective = np.zeros(total + 1)
    objective[-1] = 1.0
    found = linprog(
        objective, A_eq=np.hstack([A, np.zeros((len(A), 1))]), b_eq=-holding.F / holding.unit, A_ub=rows,
        b_ub=np.zeros(2 * count), bounds=[*able, *bounds[count:], (0.0, None)], method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    if found.status != 0:
        return None, np.inf
    forces = np.asarray(found.x)[:count] * holding.unit
    return [0.0 if abs(f) <= 1e-12 * holding.unit else float(f) for f in forces], float(found.x[-1])


def _variables(loops: Loops) -> list[str]:
    from linkwork.analyses.forces.over_run import effort_names

    return effort_names(loops)


# ---------------------------------------------------------------- intervals


def interval_of(rest: Equilibrium, name: str) -> Interval:
    """See `Equilibrium.interval`."""
    from linkwork.analyses.equilibrium.path_asked import path_problem, quantity_named

    machine, loops = rest._machine, rest._asked.loops
    found = quantity_named(loops, machine, name)
    if found is None or found[0] == "time":
        raise InputError(path_problem(machine, name, "interval"), machine.name)
    kind, full, unit, column = found
    holding = rest._holding
    if kind == "effort":
        ends = [_end_of_effort(rest, holding, column, sign) for sign in (-1.0, 1.0)]
    elif kind == "variable":
        ends = [_end_of_position(rest, holding, full, column, sign) for sign in (-1.0, 1.0)]
    else:
        ends = [_end_of_number(rest, holding, full, sign) for sign in (-1.0, 1.0)]
    (low, low_by), (high, high_by) = ends
    return Interval(full, unit, low, high, low_by, high_by)


def _used_up(holding: Holding, solution: Array) -> tuple[str, ...]:
    """Frictions at their ends, and stops that no longer push."""
    own, unit = holding.grips, holding.unit
    names = []
    for k, name in enumerate(own.names):
        force, size = float(solution[k]) * unit, max(abs(own.low[k]), abs(own.high[k]))
        if size > 0.0 and min(abs(force - own.low[k]), abs(force - own.high[k])) <= FULL * size:
            names.append(name)
    first = len(own.names) + int(holding.held.sum())
    variables = _variables(holding.loops)
    for k, column in enumerate(holding.stops):
        if solution[first + k] <= FULL:
            names.append(f"stop of {variables[column]}")
    return tuple(names)


def _end_of_effort(rest: Equilibrium, holding: Holding, column: int, sign: float) -> tuple[float, tuple[str, ...]]:
    """The largest (or least) effort along a rate with which it stays."""
    total = holding.matrix()[0].shape[1]
    if holding.held[column]:
        more, bounds = np.zeros((len(holding.F), 0)), []
        place = len(holding.grips.names) + np.flatnonzero(holding.held).tolist().index(column)
        given = 0.0
    else:
        more, bounds = holding.rates([column]), [(None, None)]
        place, given = total, float(holding.effort[column])
    objective = np.zeros(total + more.shape[1])
    objective[place] = -sign
    found = holding.solved(more, objective, bounds)
    if found is None:
        raise _slipping(rest)
    if np.isinf(found).all():
        return sign * np.inf, ()
    return given + float(found[place]) * holding.unit, _used_up(holding, found)


def _end_of_number(rest: Equilibrium, holding: Holding, name: str, sign: float) -> tuple[float, tuple[str, ...]]:
    """The largest (or least) number of the model with which it stays where it is."""
    machine = rest._machine
    if name in machine.dimensions:
        text = f"{name} changes the machine's shape, and so its posture"
        raise InputError(Problem(text, "interval", "ask for loads, masses, springs and efforts"), machine.name)
    begin = value = float(machine.parameters[name])
    size, before = abs(value) or 1.0, holding
    given = replace(rest._asked, held=holding.held)
    for _ in range(ROUNDS):
        family = Family(machine, given, "parameter", name, "1", -1, _places(rest), size)
        slope = _slope_of_number(family, before, value)
        step = 1e-6 * size
        near = _with_number(rest, holding, name, value + step) or _with_number(rest, holding, name, value - step)
        if near is None:
            raise InputError(Problem(f"the model cannot have another {name}", "interval"), machine.name)
        if float(near.loops.residual(near.y) if near.loops.count else 0.0) > 1e3 * near.loops.tolerance:
            text = f"{name} moves joints apart, and so the posture"
            raise InputError(Problem(text, "interval", "ask for loads, masses, springs and efforts"), machine.name)
        way = step if near.value > value else -step
        found = _linear_end(before, slope, (near.grips.low - before.grips.low) / way,
                            (near.grips.high - before.grips.high) / way, sign)  # fmt: skip
        if found is None:
            raise _slipping(rest)
        change = float(found[-1])
        if not np.isfinite(change) or abs(change) > ENDLESS * size:
            return _without_end(rest, holding, name, value, sign, size)
        after = None
        while after is None:
            after = _with_number(rest, holding, name, value + change)
            if after is None:
                change *= 0.5
                if abs(change) <= 1e-9 * size:
                    return (0.0 if abs(value) <= 1e-8 * size else value), (f"the model has no {name} beyond",)
        value, before = value + change, after
        if abs(change) <= LAST * max(size, abs(value)):
            return value, _used_up(before, found)
    raise InputError(Problem(f"no end was found for {name} from {begin:.6g}", "interval"), machine.name)


def _without_end(
    rest: Equilibrium, holding: Holding, name: str, value: float, sign: float, size: float
) -> tuple[float, tuple[str, ...]]:
    """No end, or the last number that the model can have."""
    if _with_number(rest, holding, name, value + sign * ENDLESS * size) is not None:
        return sign * np.inf, ()
    good, bad = 0.0, ENDLESS * size
    while bad - good > 1e-10 * size:
        middle = 0.5 * (good + bad)
        good, bad = (middle, bad) if _with_number(rest, holding, name, value + sign * middle) else (good, middle)
    last = value + sign * good
    return (0.0 if abs(last) <= 1e-8 * size else last), (f"the model has no {name} beyond",)


def _slope_of_number(family: Family, holding: Holding, value: float) -> Array:
    """∂F/∂p along all independent rates, scaled."""
    n = len(holding.chart.columns)
    everything = replace(holding.chart, free=np.arange(n))
    slope = family.slope(holding.balance, everything, value, holding.y, holding.x)
    return slope[:n]


def _linear_end(holding: Holding, slope: Array, low: Array, high: Array, sign: float) -> Array | None:
    """The farthest change of a number when forces and levels change by slopes; the change is the last unknown."""
    count, unit = len(holding.grips.names), holding.unit
    A, bounds = holding.matrix()
    objective = np.zeros(A.shape[1] + 1)
    objective[-1] = -sign
    rows = np.zeros((2 * count, A.shape[1] + 1))
    rows[np.arange(count), np.arange(count)], rows[np.arange(count), -1] = 1.0, -high / unit
    rows[count + np.arange(count), np.arange(count)], rows[count + np.arange(count), -1] = -1.0, low / unit
    limits = np.concatenate([holding.grips.high, -holding.grips.low]) / unit
    from scipy.optimize import linprog

    found = linprog(
        objective, A_eq=np.hstack([A, slope[:, np.newaxis] / unit]), b_eq=-holding.F / unit, A_ub=rows, b_ub=limits,
        bounds=[*[(None, None)] * count, *bounds[count:], (None, None)], method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    if found.status == 3:
        return np.full(len(objective), np.inf)
    return np.asarray(found.x) if found.status == 0 else None


class _Numbered(Holding):
    """A posture with another number of the model."""

    value: float


def _with_number(rest: Equilibrium, holding: Holding, name: str, value: float) -> _Numbered | None:
    from linkwork.errors import LinkworkError

    family = Family(rest._machine, rest._asked, "parameter", name, "1", -1, _places(rest), 1.0)
    try:
        loops = family.loops(value)
        found = _Numbered(loops, holding.y, holding.x, holding.effort, holding.t, holding.held, holding.stops)
    except LinkworkError:
        return None
    found.value = value
    return found


def _places(rest: Equilibrium) -> list[str]:
    own = rest._machine.plan.variables
    return [name for name in rest._asked.loops.plan.variables if name not in own]


def _end_of_position(
    rest: Equilibrium, holding: Holding, name: str, column: int, sign: float
) -> tuple[float, tuple[str, ...]]:
    """The farthest position of a variable at which the machine stays, the others where they are best for that."""
    loops = holding.loops
    place = loops.plan.variables.index(name)
    if holding.held[column] or column in holding.stops:
        return float(holding.y[place]), ()
    y, force = holding.y, np.zeros(len(holding.grips.names))
    way = WAY
    begin = float(y[place])
    limits = [x for x in joint_limits(loops) if np.isfinite(x.low) or np.isfinite(x.high)]
    for _ in range(10 * ROUNDS):
        effort = holding.effort.copy()
        np.add.at(effort, holding.grips.columns, force)
        now = Holding(loops, y, holding.x, effort, holding.t, holding.held, holding.stops)
        own = now.chart
        fixed = ~np.isin(np.arange(len(own.columns)), own.free)
        everything = replace(own, free=np.arange(len(own.columns)))
        K = now.balance.forces(everything, y[np.newaxis], now.x[np.newaxis], effort).K[0]
        # unknowns beyond those of the holding: scaled strides of the free coordinates
        free = np.flatnonzero(~fixed)
        rows = now.rates(np.arange(loops.columns))[free] / loops.column_scale  # scaled rates of all joints
        now.grips = replace(now.grips, low=now.grips.low - force, high=now.grips.high - force)
        total = now.matrix()[0].shape[1]
        objective = np.zeros(total + len(free))
        objective[total:] = -sign * rows[:, column]
        bounded = _limit_rows(loops, limits, y, rows, total)
        found = now.solved(-K[:, free] / now.unit, objective, [(-way, way)] * len(free), extra=bounded)
        if found is None:
            if way < 1e-6:
                raise _slipping(rest)
            way *= 0.25
            continue
        stride = found[total:]
        Y, closed = now.balance.moved(own, y[np.newaxis], stride[np.newaxis])
        if not closed.all():
            way *= 0.25
            if way < 1e-9:
                return float(y[place]), ("limit of travel",)
            continue
        y, force = Y[0], force + found[: len(force)] * now.unit
        way = min(LONGEST, 2.0 * way)
        if abs(float(y[place]) - begin) * float(loops.variable_scale[place]) > 100.0:
            return sign * np.inf, ()
        if np.abs(stride).max(initial=0.0) <= LAST:
            used = _used_up(now, found)
            at = [f"limit of {x.variable}" for x in limits if _at_limit(loops, x, y)]
            return float(y[place]), (*used, *at)
    return float(y[place]), ("not found to rounding",)


def _limit_rows(loops: Loops, limits: Any, y: Array, rows: Array, total: int) -> tuple[Array, Array] | None:
    """Limits of travel as rows of a linear program in the strides."""
    columns = {slot.q.start + k: slot.v.start + k for slot in loops.plan.slots for k in range(slot.plain)}
    left, right = [], []
    for limit in limits:
        scale = float(loops.variable_scale[limit.place])
        own = np.concatenate([np.zeros(total), rows[:, columns[limit.place]]])
        for side, bound in ((1.0, limit.high), (-1.0, limit.low)):
            if np.isfinite(bound):
                left.append(side * own)
                right.append(side * (bound - y[limit.place]) * scale)
    return (np.array(left), np.maximum(np.array(right), 0.0)) if left else None


def _at_limit(loops: Loops, limit: Any, y: Array) -> bool:
    value, scale = float(y[limit.place]), float(loops.variable_scale[limit.place])
    return bool(min(abs(limit.high - value), abs(value - limit.low)) * scale <= 1e-9)


def _slipping(rest: Equilibrium) -> InputError:
    text = "it does not stay there: no forces of its frictions balance it"
    return InputError(Problem(text, "interval", "ask where it rests"), rest._machine.name)
