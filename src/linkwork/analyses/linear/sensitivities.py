"""How matrices and modes change with the numbers of the model, exactly.

Where nothing but the model itself holds the free coordinates, the set point moves with a parameter p:

    [K, X; f_ψ, f_x] (ψ_p, x_p) = -(R_p, f_p)

and every coefficient changes by its partial derivative and by what the moved set point does to it,

    M' = M_p + M_ψ ψ_p + M_x x_p,       D', K' likewise

all of them second derivatives of the balance law, traced, through the loops. Where efforts hold the set point it stays.
An eigenvalue of A with vectors yᴴ x = 1 changes by λ' = yᴴ A' x; several that are equal by the eigenvalues of
Yᴴ A' X on their space. Vectors: x' = Σ xⱼ (yⱼᴴ A' x)/(λ - λⱼ) over all others, with the entry that is 1 staying 1.
Without damping and states the same of K v = κ M v, with κ' = vᵀ (K' - κ M') v. Nelson, AIAA J. 14 (1976) 1201.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.linear.branches import eigen
from linkwork.analyses.linear.eigenproblem import is_nothing, is_symmetric
from linkwork.equations.balance import motion_balance
from linkwork.equations.total_derivatives import closure_witness
from linkwork.errors import InputError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.names import no_such
from linkwork.results import Result, build_result

if TYPE_CHECKING:
    from linkwork.analyses.linear.linearization import Linearization
    from linkwork.analyses.linear.modes import Mode

EQUAL = 1e-7
"""Eigenvalues nearer than this part of the largest are one."""
NOTHING = 1e-9
"""Singular values below this part of the largest are none."""
BROKEN = 1e-8
"""Loops that miss this part of what a parameter moves do not stay closed."""


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Derivatives by parameters, which are the last axis of every array.

    parameters : their names; moves : whether the set point moves with them (else efforts hold it where it is)
    coordinates : of the free coordinates at the set point (n, p); states : of named states (nx, p)
    M, D, K : of the matrices (n, n, p)
    eigenvalues : of those of the modes (modes, p), complex [1/s per unit]
    shapes : of the shapes of the modes (modes, n, p), the entry that is largest staying 1
    repeated : modes that share an eigenvalue with others; theirs are the slopes of the branches that part there, and
        `shapes` what leaves their common space
    warnings : derivatives that do not exist, which are not a number
    """

    parameters: tuple[str, ...]
    moves: bool
    coordinates: Array
    states: Array
    M: Array
    D: Array
    K: Array
    eigenvalues: Any
    shapes: Any
    repeated: tuple[int, ...]
    warnings: tuple[str, ...]
    _linear: Linearization

    @property
    def frequencies(self) -> Array:
        """Derivatives of the frequencies of the modes (modes, p) [Hz per unit]."""
        found: Array = np.imag(self.eigenvalues) / (2 * np.pi)
        return found

    @property
    def result(self) -> Result:
        """Derivatives of frequencies and decay rates over modes and parameters, as labelled numbers."""
        count = len(self.eigenvalues)
        return build_result(
            {"mode": ("1", np.arange(1, count + 1)), "parameter": list(self.parameters)},
            {
                "frequency": ("1", ("mode", "parameter"), self.frequencies),
                "eigenvalue": ("1", ("mode", "parameter"), self.eigenvalues),
            },
            mechanism=self._linear.machine.name, analysis="sensitivity of modes", warnings=list(self.warnings),
            machine=self._linear.machine,
        )  # fmt: skip

    def __str__(self) -> str:
        modes = self._linear.modes()
        values = self._linear.machine.parameters
        lines = [f"{self._linear.machine.name}: change of frequencies [Hz] for 1% more of each parameter"]
        for i, name in enumerate(self.parameters):
            own = self.frequencies[:, i] * 0.01 * values[name]
            if np.any(own):
                lines.append(f"  {name:<24}" + "".join(f"{x:12.4g}" for x in own))
        lines.insert(1, f"  {'mode':<24}" + "".join(f"{m.number:>12}" for m in modes))
        return "\n".join([*lines, *(f"  warning: {w}" for w in self.warnings)])

    __repr__ = __str__


def sensitivity_of(linear: Linearization, names: Sequence[str]) -> Sensitivity:
    """See `Linearization.sensitivity`."""
    chosen = _parameters(linear, names)
    point = linear._point
    if np.any(point.c.G) and point.at.loops.count:
        text = "joints that turn freely turn at the set point, within loops"
        raise InputError(Problem(text, "sensitivity", "take a set point at rest"), linear.machine.name)
    free = ~point.held
    nx, n = point.at.x.shape[-1], int(free.sum())
    first, second = _partial(linear, chosen)
    warnings: list[str] = []
    ways = np.zeros((len(free) + nx, len(chosen)))
    moves = not point.pushed
    if moves and n + nx:
        ways[np.concatenate([free, np.ones(nx, bool)])] = _moved(linear, first, chosen, warnings)
    M, D, K, X, fw, fp, fx = (d + np.einsum("ijk,kp->ijp", along, ways) for d, along in second)
    G = point.c.G
    D, K = D + np.einsum("ijp,jk->ikp", M, G), K + np.einsum("ijp,jk->ikp", D, G)
    K = K + np.einsum("ijp,jk->ikp", np.einsum("ijp,jk->ikp", M, G), G)
    fp = fp + np.einsum("ijp,jk->ikp", fw, G)
    both = np.ix_(free, free)
    own = _Slopes(M[both], D[both], K[both], X[free], fp[:, free], fw[:, free], fx)
    values, shapes, repeated = _modes(linear, own, chosen, warnings)
    at = ways[: len(free)][free], ways[len(free) :]
    return Sensitivity(
        tuple(chosen), moves, *at, own.M, own.D, own.K, values, shapes, tuple(repeated), tuple(warnings), linear
    )


@dataclass(frozen=True, eq=False)
class _Slopes:
    """Derivatives of the matrices, parameters last."""

    M: Array
    D: Array
    K: Array
    X: Array
    f_psi: Array
    f_w: Array
    f_x: Array


# ---------------------------------------------------------------- parameters


def _parameters(linear: Linearization, names: Sequence[str]) -> list[str]:
    """Parameters that are asked for, or all that may change and keep the loops closed."""
    values = linear.machine.parameters
    known = [n for n in values if not n.endswith(".start") and not _turns(n)]
    if problems := [no_such("parameter", n, values, "parameters") for n in names if n not in values]:
        raise InputError(problems, linear.machine.name)
    if problems := [
        Problem(f"'{n}' is no number that small motions could follow", n, "rotations have to stay rotations")
        for n in names
        if n not in known
    ]:
        raise InputError(problems, linear.machine.name)
    wanted = list(dict.fromkeys(names)) or known
    broken = _broken(linear, wanted)
    if broken and names:
        hint = "take parameters that keep the geometry special, as those in the plane of a planar machine"
        text = "it moves joints apart: redundant equations of the loops hold for a special geometry only"
        raise InputError([Problem(text, name, hint) for name in broken], linear.machine.name)
    return [name for name in wanted if name not in broken]


def _turns(name: str) -> bool:
    parts = name.split(".")
    return len(parts) > 2 and parts[-2] in ("u", "v", "w") and parts[-1] in ("x", "y", "z")


def _broken(linear: Linearization, names: Sequence[str]) -> list[str]:
    """Parameters with which redundant rows are missed."""
    at, loops = linear._point.at, linear._point.at.loops
    if not names or len(at.order.pivots) == loops.rows:
        return []
    law = closure_witness()
    errors, moved = loops.system.bound_kernel(Question(law, (tuple(names),), at.closure))(at.y)
    apart, _ = loops.system.bound_kernel(Question(law, (tuple(names),)))(at.y)
    rows, columns = loops.row_scale[:, np.newaxis], loops.variable_scale[:, np.newaxis]
    large = np.abs(moved * columns).max(axis=0, initial=0.0) + np.abs(apart * rows).max(axis=0, initial=0.0)
    missed = np.abs(errors * rows).max(axis=0, initial=0.0) > BROKEN * large
    return [name for name, bad in zip(names, missed, strict=True) if bad]


# ---------------------------------------------------------------- derivatives


def _partial(linear: Linearization, chosen: Sequence[str]) -> tuple[Array, list[tuple[Array, Array]]]:
    """(R_p, f_p), and of M, D, K, X, f_w, f_psi, f_x the derivatives by parameters and by (ψ, x)."""
    at, loops = linear._point.at, linear._point.at.loops
    nx, n, count = at.x.shape[-1], len(at.columns), len(chosen)
    law = motion_balance(loops.plan, at.order, at.columns.tolist())
    kernel, inputs = loops.system.bound_kernel, at.inputs
    by = ("dw", "w", "y", "states") if nx else ("dw", "w", "y")
    along = ("y", "states") if nx else ("y",)

    def listed(found: Any) -> list[Array]:
        return [np.asarray(x) for x in (found if isinstance(found, tuple) else (found,))]

    if count:
        first = np.concatenate(listed(kernel(Question(law, (tuple(chosen),), at.closure))(*inputs)))
        by_p = listed(kernel(Question(law, (by, tuple(chosen)), at.closure))(*inputs))
    else:
        first, by_p = np.zeros((n + nx, 0)), [np.zeros((0, 0, 0))] * (2 * len(by))
    by_z = listed(kernel(Question(law, (by, along), at.closure))(*inputs))
    by_z = [np.concatenate(by_z[k : k + len(along)], axis=-1) for k in range(0, len(by_z), len(along))]
    pairs = list(zip(by_p, by_z, strict=True))
    M, D, K = pairs[:3]
    if nx:
        X, (_, fw, fp, fx) = pairs[3], pairs[4:]
        return first, [M, D, K, X, fw, fp, fx]
    shapes = ((n, 0), (0, n), (0, n), (0, 0))
    return first, [M, D, K, *((np.zeros((*s, count)), np.zeros((*s, n))) for s in shapes)]


def _moved(linear: Linearization, first: Array, chosen: Sequence[str], warnings: list[str]) -> Array:
    """(ψ_p, x_p) of the free coordinates and named states."""
    point, m, scale = linear._point, linear.matrices, linear.scale
    free = np.concatenate([~point.held, np.ones(len(m.f_x), bool)])
    P = np.block([[m.K, m.X], [m.f_psi, m.f_x]])
    lengths = np.concatenate([scale, np.ones(len(m.f_x))])
    P = P * lengths * lengths[:, np.newaxis]
    right = -first[free] * lengths[:, np.newaxis]
    U, s, Vt = np.linalg.svd(P)
    none = s <= NOTHING * max(float(s.max(initial=0.0)), 1e-3 * point.size)
    found = (Vt[~none].T / s[~none]) @ (U[:, ~none].T @ right) * lengths[:, np.newaxis]
    size = np.abs(right).max(axis=0, initial=0.0)
    lost = (np.abs(U[:, none].T @ right) > NOTHING * size).any(axis=0)
    if lost.any():
        names = ", ".join(name for name, bad in zip(chosen, lost, strict=True) if bad)
        warnings.append(f"nothing resists what {names} would move, so that there are no derivatives by it")
        found[:, lost] = np.nan
    return np.asarray(found)


# ---------------------------------------------------------------- modes


def _modes(
    linear: Linearization, own: _Slopes, chosen: Sequence[str], warnings: list[str]
) -> tuple[Any, Any, list[int]]:
    """Derivatives of eigenvalues (modes, p) and shapes (modes, n, p), and numbers of modes that are repeated."""
    m, scale, n = linear.matrices, linear.scale, len(linear.coordinates)
    modes, count = linear.modes(), len(chosen)
    values = np.full((len(modes), count), np.nan, complex)
    shapes = np.full((len(modes), n, count), np.nan, complex)
    S = scale[:, np.newaxis] * scale
    plain = not m.states and is_nothing(m.D * S, m.M * S, m.K * S) and is_symmetric(m.K * S)
    plain = plain and not np.any(np.abs(np.nan_to_num(own.D)) > 0.0)
    if plain:
        from scipy.linalg import eigh

        kappa, V = eigh(0.5 * (m.K + m.K.T) * S, 0.5 * (m.M + m.M.T) * S)
        change = own.K * S[..., np.newaxis], own.M * S[..., np.newaxis]
        slope = [np.einsum("ia,ijp,jb->abp", V, d, V) for d in change]
        right, left, all_values = V.astype(complex), V.astype(complex), kappa.astype(complex)
    else:
        A, dA, lengths = _first_order(linear, own)
        (all_values,), (right,), (left,) = eigen((A * lengths / lengths[:, np.newaxis])[np.newaxis])
        dA = dA * (lengths / lengths[:, np.newaxis])[..., np.newaxis]
        T = np.einsum("ia,ijp,jb->abp", left.conj(), dA, right)
    size = float(np.abs(all_values).max(initial=0.0))
    repeated: list[int] = []
    taken: dict[int, int] = {}
    for k, mode in enumerate(modes):
        wanted = -(mode.eigenvalue**2) if plain else mode.eigenvalue
        near = np.flatnonzero(np.abs(all_values - wanted) <= EQUAL * size)
        if mode.defective or not near.size or (not plain and mode.kind == "rigid"):
            warnings.append(f"mode {mode.number} is defective: its eigenvalue has no derivatives")
            continue
        if len(near) > 1:
            repeated.append(mode.number)
        place = taken[near[0]] = taken.get(int(near[0]), -1) + 1
        others = np.setdiff1d(np.arange(len(all_values)), near)
        value = complex(all_values[near].mean())
        if plain:
            T = slope[0] - value * slope[1]
        own_slopes = _branches(T[np.ix_(near, near)], place)
        values[k] = _root_slopes(mode, own_slopes, warnings) if plain else own_slopes
        c = _coordinates_of(mode, right, near, scale)
        leaving = np.einsum("ja,ap,a->jp", right[:, others], np.einsum("abp,b->ap", T[np.ix_(others, near)], c),
                            1.0 / (value - all_values[others]))  # fmt: skip
        turned = leaving[:n] * scale[:, np.newaxis]
        if len(near) == 1:
            shape = np.asarray(mode.shape, complex)
            largest = int(np.abs(shape / scale).argmax())
            turned = turned - np.outer(shape, turned[largest]) / shape[largest]
        shapes[k] = turned
    if not np.any(np.abs(np.imag(shapes)) > 0.0):
        shapes = np.real(shapes)
    return values, shapes, repeated


def _first_order(linear: Linearization, own: _Slopes) -> tuple[Array, Array, Array]:
    """A, its derivatives, and by what lengths compare."""
    m, n, count = linear.matrices, len(linear.coordinates), own.M.shape[-1]
    A = m.A
    dA = np.zeros((*A.shape, count))
    row = A[n : 2 * n]
    forces = np.concatenate([own.K, own.D, own.X], axis=1)
    change = np.einsum("ijp,jk->ikp", own.M, row) + forces
    if n:
        dA[n : 2 * n] = -np.linalg.solve(m.M, change.reshape(n, -1)).reshape(change.shape)
    dA[2 * n :] = np.concatenate([own.f_psi, own.f_w, own.f_x], axis=1)
    lengths = np.concatenate([linear.scale, linear.scale, np.ones(len(m.states))])
    return A, dA, lengths


def _branches(T: Any, place: int) -> Any:
    """Slopes of one of several branches that start from one eigenvalue, by parameter; those that rise least first."""
    if T.shape[0] == 1:
        return T[0, 0]
    found = np.full(T.shape[2], np.nan, complex)
    for p in range(T.shape[2]):
        if np.isfinite(T[..., p]).all():
            slopes = np.linalg.eigvals(T[..., p])
            found[p] = slopes[np.lexsort((slopes.real, slopes.imag))][place]
    return found


def _root_slopes(mode: Mode, curvatures: Any, warnings: list[str]) -> Any:
    """λ' of λ = √-κ from κ'; at κ = 0 there is none unless κ' is zero."""
    if mode.eigenvalue:
        return -curvatures / (2.0 * mode.eigenvalue)
    nothing = np.abs(curvatures) <= 1e-9 * max(float(np.nanmax(np.abs(curvatures), initial=0.0)), 1e-300)
    if not nothing.all():
        warnings.append(f"mode {mode.number} is rigid, and its frequency has a vertical tangent")
    return np.where(nothing, 0.0, np.nan + 0j)


def _coordinates_of(mode: Mode, right: Any, near: Any, scale: Array) -> Any:
    """The mode's shape by the vectors of its eigenvalue."""
    shape = np.asarray(mode.shape, complex) / scale
    found, *_ = np.linalg.lstsq(right[: len(shape), near], shape, rcond=None)
    return found
