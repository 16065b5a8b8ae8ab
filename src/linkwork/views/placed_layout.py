"""A machine's layout at any posture and with any parameters, so that what draws a layout draws every posture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.machine import Machine
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.model.bodies import ELEMENTS, MassProperties
from linkwork.model.layout import Layout, Seat
from linkwork.results import Run

AXES = ("u", "v", "w")


def layout_at(s: Machine, posture: Posture | None = None) -> Layout:
    """The layout as it would be if the machine had been laid out in a posture, with its parameters.

    Parameters
    ----------
    s : the machine
    posture : one of its postures; home without
    """
    at = s.home if posture is None else posture
    m, known = s.mechanism, s.layout
    X_WB: dict[str, Array] = {m.ground.name: known.X_WB[m.ground.name]}
    X_WB |= {body: at.poses[body] for body in m.bodies if body != m.ground.name}
    seats, given = {}, s.parameters
    for name, seat in known.seats.items():
        joint = m.joints[name]
        X_TF, X_HM = _frame(given, f"{name}.tail", seat.X_TF), _frame(given, f"{name}.head", seat.X_HM)
        seats[name] = Seat(X_WB[joint.tail] @ X_TF, X_WB[joint.head] @ X_HM, X_TF, X_HM, seat.q)
    points = {name: at.poses[name][:3, 3] for name in known.points}
    frames = {name: at.poses[name] for name in known.frames}
    return replace(known, X_WB=X_WB, seats=seats, points=points, frames=frames, masses=masses_of(s))


def masses_of(s: Machine) -> dict[str, MassProperties]:
    """Mass properties of every body, with the machine's parameters."""
    given = s.parameters
    found = dict(s.layout.masses)
    for body in found:
        if f"{body}.mass" in given:
            com = np.array([given[f"{body}.com.{c}"] for c in "xyz"])
            xx, yy, zz, xy, xz, yz = (given[f"{body}.inertia.{e}"] for e in ELEMENTS)
            inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            found[body] = MassProperties(given[f"{body}.mass"], com, inertia)
    return found


def machine_of(run: Run, machine: Machine | None, how: str) -> Machine:
    """The machine of a run; a run from a file does not know it, and another machine does not fit.

    Parameters
    ----------
    run : a run
    machine : the machine that moved, if the run does not know it
    how : what to write to give it, for the message
    """
    found = run.machine if machine is None else machine
    if found is None:
        what = "the run does not know its machine: it was loaded from a file"
        hint = f"write {how}, with machine = lw.load(...).assemble()"
        raise InputError(Problem(what, "machine", hint), run.name)
    if not isinstance(found, Machine):
        hint = "a mechanism is assembled first: m.assemble()"
        raise InputError(Problem(f"a Machine is wanted, not {type(found).__name__}", "machine", hint), run.name)
    missing = [b for b in found.bodies if f"{b}.position" not in run]
    if missing:
        what = f"the run knows nothing of {', '.join(missing[:6])}: it is of another machine"
        raise InputError(Problem(what, "machine", f"give the machine that moved, '{run.name}'"), found.name)
    return found


def _frame(given: Mapping[str, float], place: str, known: Array) -> Array:
    """A joint's frame on a body, by the machine's parameters where they differ from the layout's."""
    names = [[f"{place}.{axis}.{c}" for axis in (*AXES, "at")] for c in "xyz"]
    if names[0][0] not in given:
        return known
    X = np.eye(4)
    X[:3] = [[given[n] for n in row] for row in names]
    return X
