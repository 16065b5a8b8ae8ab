"""The linearised machine as z' = A z + B u, y = C z + D u, with inputs that may bring their derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.linear.first_order import assert_mass
from linkwork.analyses.linear.set_points import Held
from linkwork.analyses.linear.signals import Input, Output
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.linear.linearization import Matrices

CHANNELS = 4
"""An input u and its derivatives u', u'', u'''."""


@dataclass(frozen=True, eq=False)
class StateSpace:
    """z' = A z + B u, y = C z + D u, SI.

    coordinates : names of z: free coordinates, their rates, named states
    inputs, outputs : names; those of inputs with "'" and "''" are derivatives of a motion, independent columns here
    """

    A: Array
    B: Array
    C: Array
    D: Array
    coordinates: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def scipy(self) -> object:
        """The same as `scipy.signal.StateSpace`."""
        from scipy.signal import StateSpace as System

        return System(self.A, self.B, self.C, self.D)


@dataclass(frozen=True, eq=False)
class Channels:
    """The same with a place for every derivative of every input.

    A : (N, N); B : (N, inputs, channels); C : (outputs, N); D : (outputs, inputs, channels)
    """

    A: Array
    B: Array
    C: Array
    D: Array


def channels(m: Matrices, point: Held, inputs: Sequence[Input], outputs: Sequence[Output]) -> Channels:
    """Rows and columns of inputs and outputs in first order, the masses inverted."""
    c, held = point.c, point.held
    scale = point.at.loops.column_scale[point.at.columns][~held]
    assert_mass(m.M, scale, m.coordinates, point.machine.name)
    n, nx, free = len(m.M), len(m.f_x), np.flatnonzero(~held)
    total = len(held)
    A = m.A
    B = np.zeros((2 * n + nx, len(inputs), CHANNELS))
    for j, given in enumerate(inputs):
        if given.driven < 0:
            force, change = given.b[free, np.newaxis], given.b[total:, np.newaxis]
        else:
            k = given.driven
            force = -np.stack([c.K[free, k], c.D[free, k], c.M[free, k]], axis=1)
            change = np.stack([c.f_psi[:, k], c.f_w[:, k]], axis=1)
        if n:
            B[n : 2 * n, j, : force.shape[1]] = np.linalg.solve(m.M, force)
        B[2 * n :, j, : change.shape[1]] = change
    C = np.zeros((len(outputs), 2 * n + nx))
    D = np.zeros((len(outputs), len(inputs), CHANNELS))
    for i, wanted in enumerate(outputs):
        c0, c1, c2 = wanted.c
        row = np.concatenate([c0[:total][free], c1[:total][free], c0[total:]])
        through = np.zeros((len(inputs), CHANNELS))
        for j, given in enumerate(inputs):
            through[j, 0] += wanted.at_once(j)
            if given.driven >= 0:
                through[j, :3] += [c0[given.driven], c1[given.driven], c2[given.driven]]
            elif wanted.effort >= 0:
                through[j, 0] -= given.b[wanted.effort]
        faster = c2[:total][free]
        if n and faster.any():
            row = row + faster @ A[n : 2 * n]
            through += np.einsum("k,kjc->jc", faster, B[n : 2 * n])
        for _ in range(wanted.order):
            row, through = _differentiated(row, through, A, B, wanted.name)
        C[i], D[i] = row, through
    return _of_rates(Channels(A, B, C, D), inputs)


def _of_rates(found: Channels, inputs: Sequence[Input]) -> Channels:
    """Velocities and accelerations as inputs: what is driven, and its rate, become states."""
    A, B, C, D = found.A, found.B, found.C, found.D
    for j, given in enumerate(inputs):
        if not given.order:
            continue
        old, q = len(A), given.order
        wide = np.zeros((old + q, old + q))
        wide[:old, :old], wide[:old, old:] = A, B[:, j, :q]
        wide[old : old + q - 1, old + 1 :] = np.eye(q - 1)
        A, C = wide, np.hstack([C, D[:, j, :q]])
        B = np.concatenate([B, np.zeros((q, *B.shape[1:]))])
        for own in (B, D):
            own[:, j, : CHANNELS - q] = own[:, j, q:].copy()
            own[:, j, CHANNELS - q :] = 0.0
        B[old + q - 1, j, 0] = 1.0
    return Channels(A, B, C, D)


def driven_states(inputs: Sequence[Input]) -> tuple[str, ...]:
    """Names of the states that velocities and accelerations as inputs bring with them."""
    names = []
    for given in inputs:
        owner = given.name.rpartition(".")[0]
        names += [owner, f"{owner}.rate"][: given.order]
    return tuple(names)


def _differentiated(row: Array, through: Array, A: Array, B: Array, name: str) -> tuple[Array, Array]:
    """y' of y = row z + through (u, u', ...)."""
    if through[:, -1].any():
        raise InputError(Problem("it needs the fourth derivative of a motion", name, "ask for its rate"))
    moved = np.einsum("k,kjc->jc", row, B)
    moved[:, 1:] += through[:, :-1]
    return row @ A, moved


def state_space(m: Matrices, point: Held, inputs: Sequence[Input], outputs: Sequence[Output]) -> StateSpace:
    """The same as plain matrices; derivatives of motions are inputs of their own."""
    found = channels(m, point, inputs, outputs)
    used = [
        (j, k)
        for j in range(len(inputs))
        for k in range(CHANNELS)
        if k == 0 or found.B[:, j, k].any() or found.D[:, j, k].any()
    ]
    B = np.stack([found.B[:, j, k] for j, k in used], axis=1) if used else np.zeros((len(found.A), 0))
    D = np.stack([found.D[:, j, k] for j, k in used], axis=1) if used else np.zeros((len(outputs), 0))
    names = tuple(inputs[j].name + "'" * k for j, k in used)
    return StateSpace(
        found.A,
        B,
        found.C,
        D,
        (*m.coordinates, *(f"{name}.rate" for name in m.coordinates), *m.states, *driven_states(inputs)),
        names,
        tuple(wanted.name for wanted in outputs),
    )
