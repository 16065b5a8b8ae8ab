"""What a joint does to its outer body: pose, velocity and acceleration, from the one function q -> motion of its law.

For a joint walked from an inner frame A to an outer frame B (F to M along the joint, M to F against it):

    X_AB = (R, p)                                     R turns B's axes into A's, p in A's axes
    w_AB = Sw v        along B's axes                 [w]× = Rᵀ R'
    p'   = Sp v        along A's axes
    w'   = Sw a + dw,  p'' = Sp a + dp                dw = Sw' v, dp = Sp' v

Angular rates along the outer and linear rates along the inner axes are constant for every lower pair, so that `dw` and
`dp` vanish there. CasADi differentiates the law; folding the samples leaves the short forms of the textbook.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from linkwork.algebra import ca
from linkwork.equations.scalars import SAMPLES, Scalar, Trace, replay
from linkwork.equations.vectors import IDENTITY, ZERO, Matrix, Vector, apply_t, neg, transpose
from linkwork.model.joints import Law
from linkwork.model.joints.lower_pairs import QUATERNION


@dataclass(frozen=True)
class JointMotion:
    """Relative motion of the outer frame of a joint, see the module."""

    R: Matrix
    p: Vector
    Sw: tuple[Vector, ...]
    Sp: tuple[Vector, ...]
    dw: Vector
    dp: Vector


def law_parameters(law: Law) -> dict[str, float]:
    """Numbers of a law that are run-time parameters (a curve and an expression belong to the structure)."""
    return law.numbers()


def coordinate_symbols(trace: Trace, law: Law) -> list[Scalar]:
    """New symbols for the variables of a joint.

    The samples of a quaternion have length 1, those of a parameter of a curve or a surface lie in its range.
    """
    q = []
    ranges = law.ranges()
    for variable in law.variables:
        span = ranges.get(variable.name)
        if span is not None and span.is_finite:
            q.append(trace.symbol([trace.random.uniform(span.start, span.end) for _ in range(SAMPLES)]))
        elif variable not in QUATERNION:
            q.append(trace.symbol())
    if len(q) < len(law.variables):
        parts = [[trace.random.gauss(0.0, 1.0) for _ in range(4)] for _ in range(SAMPLES)]
        unit = [[x / sum(y * y for y in row) ** 0.5 for x in row] for row in parts]
        q += [trace.symbol([row[i] for row in unit]) for i in range(4)]
    return q


def joint_motion(law: Law, sign: int, q: Sequence[Any], v: Sequence[Any], parameters: Sequence[Any]) -> JointMotion:
    """Motion of a joint walked along (sign +1) or against (-1) its direction, at scalars q, v and parameters."""
    shape, free = shaped(law, parameters)
    return shaped_motion(shape, sign, q, v, free)


def shaped_motion(shape: LawShape, sign: int, q: Sequence[Any], v: Sequence[Any], free: Sequence[Any]) -> JointMotion:
    """The same for a law whose numbers are settled but for those that are free."""
    law = shape.law
    R, p, Sw, Sp, dw, dp = replay(_template(shape, sign), [q, v, free])
    return JointMotion(
        (_three(R, 0), _three(R, 3), _three(R, 6)),
        _three(p, 0),
        tuple(_three(Sw, 3 * k) for k in range(law.freedom)),
        tuple(_three(Sp, 3 * k) for k in range(law.freedom)),
        _three(dw, 0),
        _three(dp, 0),
    )


def rate_gradient(
    law: Law, sign: int, q: Sequence[Any], v: Sequence[Any], parameters: Sequence[Any], n: Vector, f: Vector
) -> list[Any]:
    """By rate of a joint, how n · (Sw v) + f · (Sp v) changes when that rate moves q while v is held.

    Nothing changes where Sw and Sp are constant, as in every lower pair.
    """
    shape, values = shaped(law, parameters)
    return replay(_gradient(shape, sign), [q, v, values, n, f])[0]


def shaped(law: Law, parameters: Sequence[Any]) -> tuple[LawShape, list[Any]]:
    """The shape of a law at parameters, and the values of those that are free."""
    folded = tuple(None if isinstance(x, Scalar) else x for x in parameters)
    return _folded_shape(law, folded), [x for x in parameters if isinstance(x, Scalar)]


@functools.lru_cache(maxsize=4096)
def _folded_shape(law: Law, folded: tuple[Any, ...]) -> LawShape:
    """The shape of a law at numbers that are folded, or None."""
    values = dict(zip(law_parameters(law), folded, strict=True))
    fixed = law.with_numbers({n: x for n, x in values.items() if x is not None})
    return law_shape(fixed, tuple(name for name, x in values.items() if x is None))


def unmoved(freedom: int) -> JointMotion:
    """A joint that stays as it is."""
    return JointMotion(IDENTITY, ZERO, (ZERO,) * freedom, (ZERO,) * freedom, ZERO, ZERO)


def _three(values: Sequence[Any], start: int) -> Vector:
    x, y, z = values[start : start + 3]
    return (x, y, z)


@dataclass(frozen=True)
class LawShape:
    """A law up to the values of its free parameters; equal shapes have equal equations."""

    law: Law = field(compare=False)
    free: tuple[str, ...]
    fixed: Law


def law_shape(law: Law, free: tuple[str, ...]) -> LawShape:
    """Shape of a law with some of its numbers free."""
    return LawShape(law, free, law.with_numbers(dict.fromkeys(free)))


@functools.lru_cache(maxsize=256)
def _template(shape: LawShape, sign: int) -> ca.Function:
    """The joint motion as a CasADi function of q, v and the free parameters."""
    count = len(shape.law.variables)
    q, v, parameters = ca.SX.sym("q", count), ca.SX.sym("v", shape.law.freedom), ca.SX.sym("p", len(shape.free))
    law = shape.law.with_numbers(dict(zip(shape.free, ca.vertsplit(parameters), strict=False)))
    variables, rates = _parts(q), _parts(v)
    R, p = law.motion(variables)
    if sign < 0:
        R, p = transpose(R), neg(apply_t(R, p))
    rotation = ca.vertcat(*[e for row in R for e in row])
    position = ca.vertcat(*p)
    qdot = ca.SX(ca.vertcat(*law.flow(variables, rates))) if count else ca.SX(0, 1)
    Sw, Sp = [], []
    for k in range(law.freedom):
        unit = [float(i == k) for i in range(law.freedom)]
        direction = ca.vertcat(*law.flow(variables, unit))
        spin = ca.mtimes(ca.reshape(rotation, 3, 3), ca.reshape(ca.jtimes(rotation, q, direction), 3, 3).T)
        Sw.append(ca.vertcat(spin[2, 1], spin[0, 2], spin[1, 0]))
        Sp.append(ca.jtimes(position, q, direction))
    w = sum((column * rates[k] for k, column in enumerate(Sw)), ca.SX.zeros(3))
    velocity = sum((column * rates[k] for k, column in enumerate(Sp)), ca.SX.zeros(3))
    outputs = [rotation, position, ca.vertcat(*Sw), ca.vertcat(*Sp)]
    outputs += [ca.jtimes(w, q, qdot) if count else w, ca.jtimes(velocity, q, qdot) if count else velocity]
    dense = [ca.densify(ca.SX(x)) if x.numel() else ca.SX(0, 1) for x in outputs]
    return ca.Function("joint", [q, v, parameters], dense)


@functools.lru_cache(maxsize=256)
def _gradient(shape: LawShape, sign: int) -> ca.Function:
    """`rate_gradient` as a CasADi function of q, v, the free parameters, n and f."""
    law, template = shape.law, _template(shape, sign)
    q, v, parameters = (ca.SX.sym(name, template.size1_in(i)) for i, name in enumerate("qvp"))
    n, f = ca.SX.sym("n", 3), ca.SX.sym("f", 3)
    _, _, Sw, Sp, *_ = template(q, v, parameters)
    total = ca.SX(0.0)
    for k, rate in enumerate(_parts(v)):
        total += rate * (ca.dot(n, Sw[3 * k : 3 * k + 3]) + ca.dot(f, Sp[3 * k : 3 * k + 3]))
    units = [[float(i == k) for i in range(law.freedom)] for k in range(law.freedom)]
    changes = [ca.jtimes(total, q, ca.vertcat(*law.flow(_parts(q), unit))) for unit in units]
    result = ca.densify(ca.vertcat(*changes)) if changes else ca.SX(0, 1)
    return ca.Function("gradient", [q, v, parameters, n, f], [result])


def _parts(x: Any) -> list[Any]:
    return ca.vertsplit(x) if x.numel() else []
