"""From where many runs begin, found for all of them at once, and what is held while their loops are closed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.forces.drives import columns_of
from linkwork.analyses.kinematics.failures import ClosureError
from linkwork.analyses.kinematics.given_values import place_of
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.simulation.question import Asked
from linkwork.analyses.simulation.variants import Given
from linkwork.geometry import Array
from linkwork.model.states import START

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine


def starts_of(own: Given, question: Asked) -> tuple[Array, Mask]:
    """States from which the runs begin (runs, n), and which of them could not be found.

    Positions are solved for all runs at once; loops are closed with the numbers of each run in the compiled loop.
    """
    machine, loops, count = question.machine, question.loops, own.count
    y, w = np.tile(question.y, (count, 1)), np.tile(question.w, (count, 1))
    lost: Mask = np.zeros(count, bool)
    start, rates = own.kinds["start"], own.kinds["rates"]
    if any(np.ndim(x) == 1 for x in start.values()):
        values = {d.name: float(d.drive.sample(0.0)[0]) for d in question.driven}
        wanted = {n: x for n, x in start.items() if _full(loops, n) not in values} | values
        y = _followed(machine, wanted, count) if loops.count else _set(loops, wanted, y)
        lost |= ~np.isfinite(y).all(axis=1)
        y[lost] = question.y
    if start or any(np.ndim(x) == 1 for x in rates.values()):
        w = _rates(own, question, y)
    return np.ascontiguousarray(np.hstack([y, w, _states(own, question)])), lost


def _states(own: Given, question: Asked) -> Array:
    """Named states at the beginning of the runs, (runs, states): given by name, or by the parameter of their start."""
    x = np.tile(question.x, (own.count, 1))
    for k, plan in enumerate(question.machine.plan.states):
        given = own.kinds["parameters"].get(f"{plan.name}.{START}", x[:, k])
        x[:, k] = own.kinds["states"].get(plan.name, given)
    return x


def _set(loops: Loops, wanted: Mapping[str, Any], y: Array) -> Array:
    """Variables of a machine without loops as they are given."""
    for name, x in wanted.items():
        slot, k = place_of(loops, name) or (None, 0)
        assert slot is not None
        y[:, slot.q.start + k] = x
    return y


def _followed(machine: Machine, wanted: Mapping[str, Any], count: int) -> Array:
    """Postures with these variables, each followed from home, so that none is of another closure; nan if it is not
    reached.

    Along a single variable all are followed at once, upward and downward from home.
    """
    found = np.full((count, machine.plan.ny), np.nan)
    differing = {n: np.asarray(x) for n, x in wanted.items() if np.ndim(x) == 1}
    shared = {n: x for n, x in wanted.items() if n not in differing}
    if len(differing) > 1:
        for k in range(count):
            with suppress(ClosureError):
                found[k] = machine.at({**shared, **{n: float(x[k]) for n, x in differing.items()}}).y
        return found
    base = machine.starting_from(shared) if shared else machine
    ((name, values),) = differing.items()
    here = base.home[name]
    for way in (1.0, -1.0):
        chosen = np.flatnonzero(way * (values - here) >= 0.0)
        order = chosen[np.argsort(way * values[chosen], kind="stable")]
        with suppress(ClosureError):
            if order.size:
                reached = base.solve({name: np.concatenate([[here], values[order]])}).variables[1:]
                found[order[: len(reached)]] = reached
    return found


def _full(loops: Loops, name: str) -> str:
    place = place_of(loops, name)
    return "" if place is None else loops.plan.variables[place[0].q.start + place[1]]


def _rates(own: Given, question: Asked, y: Array) -> Array:
    """Rates of all joints (runs, nw): those given, the other independent ones at rest."""
    loops, count = question.loops, own.count
    w = np.zeros((count, loops.columns))
    for name, x in own.kinds["rates"].items():
        w[:, columns_of(loops, [name])[0]] = x
    for d in question.driven:
        w[:, d.column] = float(d.drive.sample(0.0)[1])
    if not loops.count:
        return w
    independent = _independent(own, question, "rates")
    J = loops.equations(y)[1]  # (runs, rows, columns), of scaled columns
    scaled = w / loops.column_scale
    missed = np.einsum("krc,kc->kr", J[:, :, independent], scaled[:, independent])
    scaled[:, ~independent] = -np.einsum("kcr,kr->kc", np.linalg.pinv(J[:, :, ~independent], rcond=1e-9), missed)
    found: Array = scaled * loops.column_scale
    return found


def _independent(own: Given, question: Asked, kind: str) -> Mask:
    """Columns that are given, and others that are then free."""
    loops = question.loops
    names = list(own.kinds[kind]) + [d.name for d in question.driven]
    columns = columns_of(loops, list(dict.fromkeys(_full(loops, n) or n for n in names)))
    specified: Mask = np.isin(np.arange(loops.columns), columns)
    if loops.count:
        specified[loops.roles(question.y, specified).free] = True
    return specified


def held_rows(own: Given, question: Asked) -> tuple[Any, Any]:
    """Rows that hold plain independent variables, and rates, while a start is closed."""
    loops = question.loops
    tables = []
    for kind in ("start", "rates"):
        kept = _independent(own, question, kind)
        rows = [
            (0, s.v.start + k, s.q.start + k, -1)
            for s in loops.plan.slots
            for k in range(s.plain)
            if kept[s.v.start + k]
        ]
        tables.append(np.array(rows, np.int64).reshape(-1, 4))
    return tables[0], tables[1]


def efforts_of(own: Given, loops: Loops, steady: Array) -> Array:
    """Efforts that do not change, by run."""
    found = np.tile(steady, (own.count, 1))
    for name, x in own.kinds["efforts"].items():
        if np.ndim(x) == 1:
            found[:, columns_of(loops, [name])[0]] = x
    return np.ascontiguousarray(found)
