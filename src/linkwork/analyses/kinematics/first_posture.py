"""The posture that a machine is put together at: near its layout, from a guess, or on to a start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.assembly import closed
from linkwork.analyses.kinematics.failures import CannotClose
from linkwork.analyses.kinematics.given_values import Given, given_variables
from linkwork.analyses.kinematics.measured_machine import measuring_at
from linkwork.analyses.kinematics.motion import reached
from linkwork.analyses.kinematics.posture import Posture
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine


def first_posture(machine: Machine, near: Array, start: Mapping[str, Any], guess: Mapping[str, Any]) -> Posture:
    """A closed posture near some variables; by name, the start's values are kept, those of a guess where that goes.

    Both take coordinates of places (`P.x`) beside variables.
    """
    if guess:
        other = measuring_at(machine, [*guess, *start], near)
        y, steps = _from_guess(other, near if other is machine else other.home.y, start, guess)
        return Posture(machine.loops, y[: machine.plan.ny], iterations=steps)
    y, steps = closed(machine.loops, near, np.zeros(machine.loops.columns, bool))
    home = Posture(machine.loops, y, iterations=steps)
    if not start:
        return home
    other = measuring_at(machine, start, y)
    found = reached(other.loops.of_places, home if other is machine else other.home, start, measured=True)
    return Posture(machine.loops, found.y[: machine.plan.ny], iterations=found.iterations)


def _from_guess(machine: Machine, near: Array, start: Mapping[str, Any], guess: Mapping[str, Any]) -> tuple[Array, int]:
    """Variables as they were guessed, if the rest can follow; else those of the start alone are kept."""
    loops = machine.loops
    rough, exact = _both(machine, guess, start)
    y = np.array(near)
    y[rough.variables], y[exact.variables] = rough.values, exact.values
    kept = np.isin(np.arange(loops.columns), exact.columns)
    try:
        return closed(loops, y, kept | np.isin(np.arange(loops.columns), rough.columns))
    except CannotClose:
        return closed(loops, y, kept)


def _both(machine: Machine, guess: Mapping[str, Any], start: Mapping[str, Any]) -> tuple[Given, Given]:
    """What is guessed and what is kept, as numbers; everything that is wrong about either is told at once."""
    problems: list[Problem] = []
    found: list[Given] = []
    for kind, values in (("guess", guess), ("start", start)):
        try:
            own = given_variables(machine.loops, values, measured=True)
            if own.values.ndim > 1:
                raise InputError(Problem("a posture has one value for each variable"))
            found.append(own)
        except InputError as error:
            problems += [replace(p, where=f"{kind}.{p.where}" if p.where else kind) for p in error.problems]
    if problems:
        raise InputError(problems, machine.name)
    return found[0], found[1]
