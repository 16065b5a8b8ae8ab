"""What the matter of a body with coordinates of its own takes: moments of its fields at a state (`model.inner`).

With r = Σ ν_α φ_α (ν₀ = 1), S_α = ∫ φ_α dm and J_αβ = ∫ φ_α φ_βᵀ dm, along the body's axes about its origin:

    h = Σ ν_α S_α,  J = Σ ν_α ν_β J_αβ                  moments of the body as it is
    s_k = ∂h/∂η_k,  K_k = ∫ (∂r/∂η_k) rᵀ dm,  m_kl = ∫ ∂r/∂η_k · ∂r/∂η_l dm

A unit rate of η_k has the momentum s_k and the moment of momentum K_kˇ; a motion of the body with acceleration a of its
origin, U as in `inverse_dynamics`, and r' , r'' of the matter in the body takes besides m a + U h and h × a + (U J)ˇ

    f = 2 w × h' + h''        n = (2 [w]× G + ∫ r'' rᵀ dm)ˇ,  G = ∫ r' rᵀ dm
    τ_k = s_k · a + U : K_k + 2 w · (∫ ∂r/∂η_k r'ᵀ dm)ˇ + ∫ ∂r/∂η_k · r'' dm

Book 1984 in the invariants of his eqs 24-29, with all terms (his truncated ones lose energy).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.algebra import ca
from linkwork.equations.scalars import replay
from linkwork.equations.vectors import (
    NOTHING,
    ZERO,
    Matrix,
    Vector,
    add,
    cross,
    dot,
    multiply,
    plus,
    scale,
    skew,
    symmetric,
    transpose,
)
from linkwork.model.inner import FieldMoments, InnerLaw


@dataclass(frozen=True)
class Matter:
    """Fields of a body at coordinates and rates: ν, ∂ν_α/∂η_k, ν', and ν'' at η'' = 0; `dofs` are its rates."""

    dofs: tuple[int, ...]
    moments: FieldMoments
    nu: tuple[Any, ...]
    slopes: tuple[tuple[Any, ...], ...]
    nu_rate: tuple[Any, ...]
    nu_bias: tuple[Any, ...]
    turns: tuple[tuple[Any, ...], ...]
    """∂ν'_α/∂η_k."""

    # ------------------------------------------------------------ moments of combinations of the fields

    def first(self, a: Sequence[Any]) -> Vector:
        """∫ Σ a_α φ_α dm."""
        total = ZERO
        for x, S in zip(a, self.moments.first, strict=True):
            total = add(total, scale(x, S))
        return total

    def second(self, a: Sequence[Any], b: Sequence[Any]) -> Matrix:
        """∫ (Σ a_α φ_α) (Σ b_β φ_β)ᵀ dm."""
        total = NOTHING
        for i, row in enumerate(self.moments.second):
            for j, J in enumerate(row):
                total = plus(total, _times(a[i] * b[j], J))
                if i != j:
                    total = plus(total, _times(a[j] * b[i], transpose(J)))
        return total

    def product(self, a: Sequence[Any], b: Sequence[Any]) -> Any:
        """∫ (Σ a_α φ_α) · (Σ b_β φ_β) dm."""
        total: Any = 0.0
        for i, row in enumerate(self.moments.second):
            for j, J in enumerate(row):
                trace = J[0][0] + J[1][1] + J[2][2]
                total = total + a[i] * b[j] * trace
                if i != j:
                    total = total + a[j] * b[i] * trace
        return total

    # ------------------------------------------------------------ the body as it is

    def h(self) -> Vector:
        """First moments."""
        return self.first(self.nu)

    def J(self) -> Matrix:
        """Second moments."""
        J = self.second(self.nu, self.nu)
        return symmetric(lambda i, j: J[i][j])

    def column(self, k: int) -> tuple[Vector, Vector]:
        """Moment of momentum about the origin, and momentum, of a unit rate of coordinate k."""
        return unskew(self.second(self.slopes[k], self.nu)), self.first(self.slopes[k])

    def mass(self, k: int, l: int) -> Any:  # noqa: E741
        """m_kl."""
        return self.product(self.slopes[k], self.slopes[l])

    def push(self, k: int, force: Vector) -> Any:
        """What a force on every unit of mass does along coordinate k."""
        return dot(self.first(self.slopes[k]), force)

    # ------------------------------------------------------------ motion

    def momenta(self) -> tuple[Vector, Vector]:
        """Momentum and moment of momentum of the matter's motion within the body."""
        return self.first(self.nu_rate), unskew(self.second(self.nu_rate, self.nu))

    def energy(self, slide: Vector, turn: Vector) -> Any:
        """Twice the kinetic energy that the motion within the body adds to that of a rigid one."""
        p, n = self.momenta()
        return 2.0 * (dot(slide, p) + dot(turn, n)) + self.product(self.nu_rate, self.nu_rate)

    def momentum(self, k: int, slide: Vector, turn: Vector) -> Any:
        """∂T/∂η_k' when the body's origin moves by `slide` and it turns by `turn`."""
        n, p = self.column(k)
        return dot(p, slide) + dot(n, turn) + self.product(self.slopes[k], self.nu_rate)

    def drift(self, k: int, slide: Vector, turn: Vector) -> Any:
        """∂T/∂η_k at held rates: ∫ (w × ∂r + ∂r') · (s + w × r + r') dm, ∂ = ∂/∂η_k."""
        d, d_rate, W = self.slopes[k], self.turns[k], skew(turn)
        total = dot(slide, add(cross(turn, self.first(d)), self.first(d_rate)))
        total = total + _inner(multiply(transpose(W), W), self.second(d, self.nu))
        total = total + dot(turn, unskew(self.second(d_rate, self.nu)))
        total = total - dot(turn, unskew(self.second(d, self.nu_rate)))
        return total + self.product(d_rate, self.nu_rate)

    def accelerated(self, a: Sequence[Any]) -> tuple[Any, ...]:
        """ν'' at accelerations a of the coordinates."""
        found = list(self.nu_bias)
        for slopes, own in zip(self.slopes, a, strict=True):
            found = [x + own * s for x, s in zip(found, slopes, strict=True)]
        return tuple(found)

    def wrench(self, w: Vector, nu_acc: Sequence[Any]) -> tuple[Vector, Vector]:
        """Force and moment that the motion within the body adds to those of a rigid one."""
        f = add(scale(2.0, cross(w, self.first(self.nu_rate))), self.first(nu_acc))
        G = multiply(skew(scale(2.0, w)), self.second(self.nu_rate, self.nu))
        return f, unskew(plus(G, self.second(nu_acc, self.nu)))

    def force(self, k: int, a: Vector, w: Vector, U: Matrix, nu_acc: Sequence[Any]) -> Any:
        """τ_k of a motion."""
        d = self.slopes[k]
        total = dot(self.first(d), a) + _inner(U, self.second(d, self.nu))
        total = total + 2.0 * dot(w, unskew(self.second(d, self.nu_rate)))
        return total + self.product(d, nu_acc)


def matter_at(law: InnerLaw, dofs: Sequence[int], moments: FieldMoments, q: Sequence[Any], v: Sequence[Any]) -> Matter:
    """The matter of a body at coordinates q and rates v."""
    n = len(dofs)
    nu, slopes, rate, bias, turns = replay(_weights(law), [q, v])
    count = len(nu)
    still = (0.0,)
    return Matter(
        tuple(dofs),
        moments,
        (1.0, *nu),
        tuple((*still, *slopes[count * k : count * k + count]) for k in range(n)),
        (*still, *rate),
        (*still, *bias),
        tuple((*still, *turns[count * k : count * k + count]) for k in range(n)),
    )


@functools.lru_cache(maxsize=256)
def _weights(law: InnerLaw) -> ca.Function:
    """ν, its gradient, ν', ν'' at η'' = 0, and the gradient of ν', as a function of coordinates and rates."""
    n = len(law.variables)
    q, v = ca.SX.sym("q", n), ca.SX.sym("v", n)
    nu = ca.SX(ca.vertcat(*law.weights(ca.vertsplit(q))))
    rate = ca.jtimes(nu, q, v)
    outputs = [nu, ca.vec(ca.jacobian(nu, q)), rate, ca.jtimes(rate, q, v), ca.vec(ca.jacobian(rate, q))]
    return ca.Function("weights", [q, v], [ca.densify(x) for x in outputs])


def unskew(B: Matrix) -> Vector:
    """Bˇ: ∫ r × a dm where B = ∫ a rᵀ dm."""
    return (B[2][1] - B[1][2], B[0][2] - B[2][0], B[1][0] - B[0][1])


def _inner(A: Matrix, B: Matrix) -> Any:
    """A : B, the sum of products of entries."""
    return dot(A[0], B[0]) + dot(A[1], B[1]) + dot(A[2], B[2])


def _times(x: Any, A: Matrix) -> Matrix:
    a, b, c = (scale(x, row) for row in A)
    return (a, b, c)
