"""The folding trace: replayed functions keep their values at every point, whatever agrees at the samples."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import CASES, NAMES, Case

import linkwork as lw
from linkwork.equations.joint_motion import _template, coordinate_symbols, law_shape
from linkwork.equations.scalars import SAMPLES, Composed, Scalar, Trace, compose, replay

UNARY: list[Callable] = [ca.sin, ca.cos, ca.tan, ca.sqrt, ca.fabs, ca.exp, ca.atan, ca.floor, ca.sign, ca.tanh]
SAFE: dict[Callable, Callable] = {ca.sqrt: lambda x: ca.sqrt(ca.fabs(x)), ca.exp: lambda x: ca.exp(ca.sin(x))}


def replayed(f: ca.Function, settled: int = 0) -> Composed:
    """A function of one vector through a trace; the last `settled` of its inputs are parameters."""
    trace = Trace()
    count = f.size1_in(0) - settled
    x = trace.symbols(count)
    p = trace.symbols(settled, settled=True)
    (outputs,) = replay(f, [[*x, *p]])
    return compose("again", [("x", x, (count,))], p, [("y", outputs, (len(outputs),))])


def run(composed: Composed, x: np.ndarray, p: Sequence[float] = ()) -> np.ndarray:
    return np.array(composed.main.function(x, composed.settle.function(list(p)))).ravel()


def assert_same(f: ca.Function, points: np.ndarray, tol: float = 1e-12, settled: int = 0) -> None:
    composed = replayed(f, settled)
    for x in points:
        expected = np.array(f(x)).ravel()
        n = len(x) - settled
        found = run(composed, x[:n], x[n:])
        scale = np.maximum(np.abs(expected), 1.0)
        both = np.isfinite(expected) | np.isfinite(found)
        assert (np.abs(found - expected)[both] <= tol * scale[both]).all(), (x, found, expected)


@st.composite
def functions(draw: st.DrawFn) -> tuple[ca.Function, int]:
    """A random function of four numbers, with branches that many expressions share."""
    x = ca.SX.sym("x", 4)
    pool = [*ca.vertsplit(x), ca.SX(draw(st.sampled_from([0.0, 1.0, 2.0, 0.5, -1.0, 3.25])))]
    for _ in range(draw(st.integers(3, 25))):
        kind = draw(st.integers(0, 7))
        a, b, c = (pool[draw(st.integers(0, len(pool) - 1))] for _ in range(3))
        if kind == 0:
            pool.append(a + b)
        elif kind == 1:
            pool.append(a - b)
        elif kind == 2:
            pool.append(ca.sin(a) * b)
        elif kind == 3:
            pool.append(ca.if_else(a < b, c, a))
        elif kind == 4:
            f = draw(st.sampled_from(UNARY))
            pool.append(SAFE.get(f, f)(ca.sin(a) if f is ca.tan else a))
        elif kind == 5:
            pool.append(ca.atan2(a, b))
        elif kind == 6:
            pool.append(draw(st.sampled_from([ca.fmin, ca.fmax]))(a, b))
        else:
            pool.append(a / (2.0 + ca.cos(b)))
    outputs = ca.vertcat(*pool[-4:])
    return ca.Function("f", [x], [outputs]), draw(st.integers(0, 2))


@settings(max_examples=120, deadline=None)
@given(functions(), st.integers(0, 2**31))
def test_random_functions_keep_their_values(made: tuple[ca.Function, int], seed: int) -> None:
    f, settled = made
    points = np.random.default_rng(seed).uniform(-2.0, 2.0, (12, 4))
    # Large growth (tan, exp of sums of sums) only makes comparison loose; what grows beyond is left out.
    values = np.array([np.array(f(x)).ravel() for x in points])
    points = points[np.isfinite(values).all(axis=1) & (np.abs(values).max(axis=1) < 1e6)]
    points = points[[_clear_of_branches(f, x) for x in points]]
    assert_same(f, points, 1e-9, settled)


def _clear_of_branches(f: ca.Function, x: np.ndarray) -> bool:
    """No branch is decided by the last digits of x: floor, sign and comparisons may then go either way."""
    near = [np.array(f(x * (1 + e))).ravel() for e in (1e-13, -1e-13)]
    return bool(np.allclose(near[0], near[1], rtol=1e-10, atol=1e-10))


def branches() -> dict[str, Callable[[ca.SX], list[ca.SX]]]:
    """Expressions that agree on one branch, or at one size, and must not be taken for one another."""
    return {
        "|x| is x only where x > 0": lambda x: [ca.fabs(x[0]), x[0], -x[0], ca.fabs(x[0]) - x[0], ca.fabs(x[0]) + x[0]],
        "√x² is |x|": lambda x: [ca.sqrt(x[0] * x[0]), x[0], ca.sqrt(x[0] * x[0]) - x[0]],
        "√x²·√x² is x²": lambda x: [ca.sqrt(x[0] ** 2) * ca.sqrt(x[0] ** 2), x[0] ** 2],
        "max and min": lambda x: [ca.fmax(x[0], x[1]), ca.fmin(x[0], x[1]), ca.fmax(x[0], x[1]) + ca.fmin(x[0], x[1])],
        "if": lambda x: [ca.if_else(x[0] < x[1], x[2], x[3]), x[2], x[3], ca.if_else(x[0] < x[1], x[2], x[3]) - x[2]],
        "a comparison": lambda x: [x[0] < x[1], x[1] < x[0], (x[0] < x[1]) + (x[1] < x[0]), x[0] <= x[1]],
        "atan2": lambda x: [ca.atan2(x[0], x[1]), ca.atan(x[0] / x[1]), ca.atan2(x[0], x[1]) - ca.atan(x[0] / x[1])],
        "sin asin": lambda x: [ca.asin(ca.sin(x[0])), x[0], ca.asin(ca.sin(x[0])) - x[0]],
        "floor": lambda x: [ca.floor(x[0]), x[0] - ca.floor(x[0]), ca.floor(x[0]) + ca.floor(-x[0])],
        "sign": lambda x: [ca.sign(x[0]) * ca.fabs(x[0]), x[0], ca.sign(x[0])],
        "a root met again": lambda x: [(ca.sqrt(ca.fabs(x[0])) + x[1]) - x[1], ca.sqrt(ca.fabs(x[0])) * x[1] / x[1]],
        "a small term": lambda x: [(x[0] + 1e-13 * x[1]) - x[0], x[0] + 1e-13, 1e14 * ((x[0] + 1e-13) - x[0])],
        "a large factor": lambda x: [(1e17 * (x[0] < 0) + x[1]) - 1e17 * (x[0] < 0), 1e17 * (x[0] < 0) + x[1]],
        "large and small steps": lambda x: [x[1] + 1e13 * (x[0] < -1.9), (x[2] + 1e15 * (x[0] < -1.9)) * x[3]],
    }


@pytest.mark.parametrize("name", branches())
def test_what_agrees_on_one_branch_only_stays_apart(name: str) -> None:
    x = ca.SX.sym("x", 4)
    f = ca.Function("f", [x], [ca.vertcat(*branches()[name](x))])
    rng = np.random.default_rng(4)
    points = np.vstack([rng.uniform(-1.8, 1.8, (40, 4)), np.abs(rng.uniform(0.1, 1.8, (10, 4)))])
    assert_same(f, points, 1e-14 if "large factor" not in name else np.inf)
    if "large factor" in name:  # what rounding leaves of it is not told; the second one is
        composed = replayed(f)
        for point in points[points[:, 0] > 0.1]:
            np.testing.assert_allclose(run(composed, point)[1], point[1], rtol=1e-15)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_joint_motions_keep_their_values(case: Case, sign: int) -> None:
    """The trace of every joint kind equals CasADi's own evaluation, all over the range of the joint."""
    f = _template(law_shape(case.law, ()), sign)
    trace = Trace()
    q, v = coordinate_symbols(trace, case.law), trace.symbols(case.law.freedom)
    outputs = replay(f, [q, v, []])
    blocks = [(f"y{i}", x, (len(x),)) for i, x in enumerate(outputs)]
    main = compose("motion", [("q", q, (len(q),)), ("v", v, (len(v),))], [], blocks).main.function
    rng = np.random.default_rng(2)
    for _ in range(20):
        x, rates = case.draw(rng), rng.normal(size=case.law.freedom)
        for expected, found in zip(f(x, rates, []), main(x, rates, []), strict=True):
            expected, found = np.array(expected), np.array(found)
            np.testing.assert_allclose(
                found, expected, rtol=0, atol=2e-14 * max(1.0, np.abs(expected).max(initial=0.0))
            )


# --- what is folded ---------------------------------------------------------------------------------------------------


def test_identities_fold() -> None:
    t = Trace()
    x, y = t.symbols(2)
    c, s = t.operation(ca.OP_COS, [x]), t.operation(ca.OP_SIN, [x])
    assert c * c + s * s == 1.0
    assert (x + y) - y is x
    assert x * y is y * x
    assert x - x == 0.0
    opposite = -x
    assert -opposite is x
    assert x * 0.0 == 0.0 and x * 1.0 is x and x + 0.0 is x
    assert (x * y) / y is x
    assert (c * y) * c + (s * y) * s is y


def test_a_root_is_found_again_after_detours() -> None:
    t = Trace()
    x, y = t.symbols(2)
    root = t.operation(ca.OP_SQRT, [x])
    assert t.operation(ca.OP_SQRT, [x]) is root
    assert (root + y) - y is root
    assert root is not x and len(root.samples) == SAMPLES


def test_without_folding_only_structure_folds() -> None:
    t = Trace(fold=False)
    x = t.symbol()
    c, s = t.operation(ca.OP_COS, [x]), t.operation(ca.OP_SIN, [x])
    assert isinstance(c * c + s * s, Scalar)
    assert x * 0.0 == 0.0


def test_settled_values_are_moved_out() -> None:
    t = Trace()
    x = t.symbols(2)
    p = t.symbols(3, settled=True)
    heavy = t.operation(ca.OP_SIN, [p[0] * p[1]]) + p[2] * p[2]
    y = x[0] * heavy + x[1] * -heavy + heavy
    composed = compose("f", [("x", x, (2,))], p, [("y", [y], ())])
    assert len(composed.settle.results) == 1  # heavy and -heavy are one number of the kernel
    assert ca.OP_SIN not in composed.main.codes
    given_p, given_x = np.array([0.3, 0.7, 1.1]), np.array([2.0, -0.4])
    h = np.sin(0.21) + 1.21
    np.testing.assert_allclose(run(composed, given_x, given_p), [2.0 * h + 0.4 * h + h], rtol=1e-15)


def test_an_output_that_is_settled_or_constant() -> None:
    t = Trace()
    x, p = t.symbol(), t.symbol(settled=True)
    composed = compose("f", [("x", [x], (1,))], [p], [("y", [p, -p, 2.0, 0.0, p * p, x], (6,))])
    np.testing.assert_allclose(run(composed, np.array([5.0]), [3.0]), [3, -3, 2, 0, 9, 5])


@pytest.mark.parametrize("R", [1e3, 1e6, 6.371e6])
def test_a_curve_of_any_size(R: float) -> None:
    m = lw.Mechanism("rail")
    m.body("car", mass=1.0, com=(0, R, 0), inertia=(1, 1, 1))
    m.curve("c", expression=(f"{R}*sin(t/{R})", f"{R}*cos(t/{R})"), span=(-R, R))
    m.point_on_curve("J", "ground", "car", curve="c", at=(0, 0, 0), axis="z", x=(1, 0, 0), to=(0, R, 0))
    s = lw.System(m)
    found = s.velocity("car", s.posture({"J.parameter": 0.5 * R}), [1, 0, 0])
    body = s.pose("car", s.posture({"J.parameter": 0.5 * R}))
    assert np.isfinite(body).all()
    np.testing.assert_allclose(found[:2], [np.cos(0.5), -np.sin(0.5)], rtol=1e-12)


def test_derivatives_by_any_entries_of_an_axis() -> None:
    m = lw.Mechanism("a2")
    m.body("b", mass=1.0, com=(0.3, 0.2, 0.1), inertia=(0.1, 0.2, 0.25))
    m.point("p", "b", at=(0.3, 0.4, 0.5))
    m.revolute("A", "ground", "b", at=(0, 0, 0), axis="x")
    s = lw.System(m)
    names = [f"A.tail.{a}.{c}" for a in "uvw" for c in "xyz"]
    whole = s.derivative("position", names, of="p")([0.3])
    step = 1e-3
    for k, name in enumerate(names):
        x = s.parameters[name]
        ends = [s.position("p", [0.3], parameters={name: x + h}) for h in (step, -step)]
        np.testing.assert_allclose(whole[:, k], (ends[0] - ends[1]) / (2 * step), rtol=0, atol=1e-12)
    for chosen in itertools.combinations(range(9), 4):
        part = s.derivative("position", [names[k] for k in chosen], of="p")([0.3])
        np.testing.assert_allclose(part, whole[:, chosen], rtol=0, atol=1e-15)
