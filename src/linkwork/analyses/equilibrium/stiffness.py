"""How stiff a machine at rest is where one pushes it: stiffness and compliance of bodies, frames and points.

With what is held rigid, the free coordinates ψ answer a small wrench W at a place that moves by d = J ψ:

    K ψ = Jᵀ W        so that        d = C W,    C = J K⁻¹ Jᵀ,    W = C⁻¹ d

Directions in which a place cannot move whatever pushes are rigid; those in which nothing resists are free. Both are
found from J and K, and kept out of the numbers: with N and L, Kᵀ L = K N = 0, a wrench that can be borne has
(J L)ᵀ W = 0, and displacements count but for J N. Uicker, Ravani, Sheth, Matrix Methods, sec. 12.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from linkwork.analyses.linear.coefficients import rates_of_independent
from linkwork.analyses.linear.signals import Input, Output, moving_places
from linkwork.errors import Gathered, InputError, ModelError, Problem
from linkwork.geometry import Array
from linkwork.names import no_such

if TYPE_CHECKING:
    from linkwork.analyses.equilibrium.equilibrium import Equilibrium
    from linkwork.analyses.linear.linearization import Linearization

NOTHING = 1e-9
"""Singular values of scaled matrices below this part of the largest are none."""
NAMED = 0.1
"""Components are named in a direction when they are at least this part of the largest."""
MOVES = ("x", "y", "z", "rx", "ry", "rz")
PUSHES = ("fx", "fy", "fz", "mx", "my", "mz")


class NothingResists(ModelError):
    """A load pushes where nothing holds the machine, so that there is no static deflection."""


@dataclass(frozen=True, eq=False)
class PlaceStiffness:
    """Stiffness or compliance of a body, frame or point in world axes, about its origin; an array to numpy.

    place : its name; kind : "stiffness" or "compliance"
    matrix : 6 x 6, or 3 x 3 of a point: forces over displacements [N/m, N/rad, N m/rad], or the other way round;
        without the directions below
    moves, pushes : names of the displacements and of the loads that are its rows and columns
    rigid : displacements that no load brings about, columns of unit length, lengths beside the machine's size
    free : displacements that nothing resists, likewise
    """

    place: str
    kind: Literal["stiffness", "compliance"]
    matrix: Array
    moves: tuple[str, ...]
    pushes: tuple[str, ...]
    rigid: Array
    free: Array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return np.array(self.matrix, dtype)

    @property
    def regular(self) -> bool:
        """Whether it has neither rigid nor free directions: stiffness and compliance are each other's inverse."""
        return not self.rigid.shape[1] and not self.free.shape[1]

    def __str__(self) -> str:
        rows, columns = (self.pushes, self.moves) if self.kind == "stiffness" else (self.moves, self.pushes)
        lines = [f"{self.kind} of {self.place}, world axes", "  " + " " * 4 + "".join(f"{c:>13}" for c in columns)]
        size = float(np.abs(self.matrix).max(initial=0.0))
        for name, row in zip(rows, self.matrix, strict=True):
            lines.append(f"  {name:<4}" + "".join(f"{0.0 if abs(x) < 1e-13 * size else x:13.5g}" for x in row))
        for kind, found in (("rigid", self.rigid), ("free", self.free)):
            lines += [f"  {kind}: {self._told(v)}" for v in found.T]
        return "\n".join(lines)

    __repr__ = __str__

    def _told(self, v: Array) -> str:
        most = np.abs(v).max()
        kept = [(n, x) for n, x in zip(self.moves, v, strict=True) if abs(x) >= NAMED * most]
        return ", ".join(f"{n} {x:+.3g}" for n, x in kept)


def place_stiffness(rest: Equilibrium, name: str, kind: Literal["stiffness", "compliance"]) -> PlaceStiffness:
    """Stiffness or compliance of a place of a machine at rest."""
    linear = rest._linear
    K, scale = static_matrix(linear), linear.scale
    J = place_jacobian(linear, name)
    size = linear._point.at.loops.length
    units = np.array([size, size, size, 1.0, 1.0, 1.0])[: len(J)]
    found = _answer(K * scale * scale[:, np.newaxis], J * scale / units[:, np.newaxis], linear._point.size)
    if kind == "stiffness":
        matrix = found.push @ found.inverse @ found.move.T / units[:, np.newaxis] / units
    else:
        matrix = found.move @ found.compliance @ found.push.T * units[:, np.newaxis] * units
    turned = len(J)
    return PlaceStiffness(name, kind, matrix, MOVES[:turned], PUSHES[:turned], found.rigid, found.free)


@dataclass(frozen=True, eq=False)
class _Answer:
    """Scaled: bases of wrenches that can be borne and of displacements that are resisted, and what joins them.

    move, push : (m, k); compliance : (k, k) of move by push; inverse : its inverse where the place is not rigid
    rigid, free : directions (m, r)
    """

    move: Array
    push: Array
    compliance: Array
    inverse: Array
    rigid: Array
    free: Array


def _answer(K: Array, J: Array, forces: float) -> _Answer:
    U, s, Vt = np.linalg.svd(K)
    none = s <= NOTHING * max(float(s.max(initial=0.0)), 1e-3 * forces)
    solved = (Vt[~none].T / s[~none]) @ U[:, ~none].T
    size = float(np.abs(J).max(initial=0.0))
    possible, rigid = _split(J, size)
    free, move = _split(J @ Vt[none].T, size)
    _, push = _split(J @ U[:, none], size)
    C = move.T @ J @ solved @ J.T @ push
    P, t, Qt = np.linalg.svd(C)
    k = min(possible.shape[1] - free.shape[1], len(t))
    return _Answer(move, push, C, (Qt[:k].T / t[:k]) @ P[:, :k].T, rigid, free)


def _split(A: Array, size: float) -> tuple[Array, Array]:
    """Orthonormal columns that span the columns of A, and their complement; entries are compared with a size."""
    U, s, _ = np.linalg.svd(A)
    rank = int((s > NOTHING * size).sum())
    return U[:, :rank], U[:, rank:]


def static_matrix(linear: Linearization) -> Array:
    """Stiffness of the free coordinates (n, n) with named states at their rest."""
    m = linear.matrices
    if not m.states:
        return m.K
    return np.asarray(m.K - m.X @ np.linalg.pinv(m.f_x, rcond=1e-12) @ m.f_psi)


def place_jacobian(linear: Linearization, name: str) -> Array:
    """Displacement and turn (6, n) of a body or frame, displacement (3, n) of a point, by the free coordinates."""
    at, machine = linear._point.at, linear.machine
    assert_place(linear, name)
    plan = at.loops.plan
    rates = rates_of_independent(at)[~linear._point.held][:, : plan.nv]
    J: Array = (rates @ machine.jacobian(name, at.y[: plan.nq]).T).T
    return J[:3] if name in machine.mechanism.points else J


def assert_place(linear: Linearization, name: str) -> None:
    """InputError for what is neither a body nor a frame nor a point that moves."""
    known = moving_places(linear._point.at.loops.plan)
    if name not in known:
        raise InputError(no_such("body, frame or point that moves", name, known), linear.machine.name)


# ---------------------------------------------------------------- deflection


def deflection(rest: Equilibrium, loads: Mapping[str, float], outputs: str | Sequence[str]) -> dict[str, float]:
    """How much outputs change when loads change by given amounts, to first order; see `Equilibrium.deflection`."""
    linear, told = rest._linear, Gathered(rest._machine.name)
    amounts: list[float] = []
    for name, value in loads.items():
        with told:
            amounts.append(_number(name, value))
    names = [outputs] if isinstance(outputs, str) else list(outputs)
    wanted = names or list(linear._point.at.loops.plan.variables[: rest._machine.plan.ny])
    asked: list[tuple[list[Input], list[Output]]] = []
    with told:
        asked.append(linear.asked(list(loads), wanted))
    told.tell()
    given, outs = asked[0]
    point = linear._point
    n, held, scale = len(point.held), point.held, linear.scale
    free, nx = np.flatnonzero(~held), point.at.x.shape[-1]
    b, zeta = np.zeros(n + nx), np.zeros(n + nx)
    for own, amount in zip(given, amounts, strict=True):
        if own.driven >= 0:
            zeta[own.driven] += amount
            b -= amount * np.concatenate([point.c.K[:, own.driven], point.c.f_psi[:, own.driven]])
        else:
            b += amount * own.b
    zeta[free], zeta[n:] = _deflected(linear, b[free], b[n:], scale)
    answers: dict[str, float] = {}
    for name, out in zip(wanted, outs, strict=True):
        if out.order:  # a rate or an acceleration
            answers[name] = 0.0
            continue
        value = float(out.c[0] @ zeta) + sum(out.at_once(j) * amount for j, amount in enumerate(amounts))
        if out.effort >= 0:
            value -= sum(float(g.b[out.effort]) * x for g, x in zip(given, amounts, strict=True) if g.driven < 0)
        answers[name] = value
    return answers


def _deflected(linear: Linearization, force: Array, change: Array, scale: Array) -> tuple[Array, Array]:
    """Free coordinates and named states under forces along these, K ψ + X x = force, f_psi ψ + f_x x = -change."""
    m = linear.matrices
    inverse = np.linalg.pinv(m.f_x, rcond=1e-12)
    K = static_matrix(linear) * scale * scale[:, np.newaxis]
    right = (force + m.X @ inverse @ change) * scale
    U, s, Vt = np.linalg.svd(K)
    none = s <= NOTHING * max(float(s.max(initial=0.0)), 1e-3 * linear._point.size)
    pushed = np.abs(U[:, none].T @ right) > NOTHING * float(np.abs(right).max(initial=0.0))
    if pushed.any():
        problems = []
        for v in Vt[none][pushed]:
            names = [n for n, x in zip(linear.coordinates, np.abs(v), strict=True) if x >= NAMED * np.abs(v).max()]
            text = f"the loads push along {', '.join(names)}, and nothing resists that"
            problems.append(Problem(text, "loads", "hold it in the equilibrium, or ask for loads that do not push it"))
        raise NothingResists(problems, linear.machine.name)
    psi = ((Vt[~none].T / s[~none]) @ (U[:, ~none].T @ right)) * scale
    return psi, -inverse @ (change + m.f_psi @ psi)


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise InputError(Problem(f"one finite number is wanted, not {value!r}", name))
    return number
