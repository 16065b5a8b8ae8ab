"""Implicit and exponential steps on plain equations: orders, stiffness, exactness; the linear algebra below them."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import casadi as ca
import mpmath
import numpy as np
import pytest
import scipy.linalg
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from linkwork.kernels import Kernel, drive
from linkwork.numerics.stepping import exponential, linear, radau
from linkwork.numerics.stepping.problem import Problem, rates

Floats = NDArray[np.float64]
EPS = float(np.finfo(float).eps)
EMPTY = {"floats": (0,), "integers": (0,), "addresses": (0,), "matrix": (0, 0), "table": (0, 4)}


class Method(NamedTuple):
    step: Callable[..., float]
    store_size: Callable[[int], int]
    order: int


RADAU = Method(radau.step, radau.store_size, radau.ORDER)
FULL = Method(exponential.step, exponential.store_size, exponential.ORDER)
STATIC = Method(exponential.static_step, exponential.store_size, exponential.STATIC_ORDER)


class Equation:
    """z' = right(t, z), as a problem of which the last `nw` elements are rates, and as functions for scipy."""

    def __init__(self, right: Callable[[Any, Any], Any], n: int, nw: int = 0, *, rtol: float, atol: float) -> None:
        y, w, t = ca.SX.sym("y", n - nw), ca.SX.sym("w", nw), ca.SX.sym("t")
        along = [ca.SX.sym("dy", n - nw), ca.SX.sym("dw", nw), ca.SX.sym("dt")]
        z = ca.vertcat(y, w)
        f = ca.SX(ca.densify(right(t, z)))
        df = ca.densify(ca.jtimes(f, ca.vertcat(z, t), ca.vertcat(*along)))
        names = [k for k, x in zip(("y", "w", "t"), (y, w, t), strict=True) if x.numel()]
        inputs, directions = ([x for x in xs if x.numel()] for xs in ((y, w, t), along))
        parts = [slice(0, n - nw), slice(n - nw, n)] if nw else [slice(0, n)]
        self.n = n
        self.kernels = [
            Kernel(ca.Function("rates", inputs, [f[s] for s in parts])),
            Kernel(ca.Function("tangent", inputs + directions, [df[s] for s in parts])),
        ]
        self.f = ca.Function("f", [t, z], [f])
        self.df = ca.Function("df", [t, z], [ca.densify(ca.jacobian(f, z))])

        sizes = {"y": n - nw, "w": nw, "t": 1, "dy": n - nw, "a": nw, "effort": nw}
        arrays = {k: np.zeros(m) for k, m in sizes.items()} | {f"tangent_{k}": np.zeros(m) for k, m in sizes.items()}
        values: dict[str, Any] = {
            k: 0
            if kind in ("integer", "float")
            else np.zeros(EMPTY[kind], float if kind in ("floats", "matrix") else int)
            for k, kind in Problem.fields.items()
        }
        values |= {k: v for k, v in arrays.items() if k in Problem.fields}
        values |= {k: np.zeros(1) for k in ("health", "worst")} | {"given_effort": np.zeros(nw)}
        values |= {k: np.zeros(1, int) for k in ("count", "evaluations")}
        outputs = ["dy", "a"][: len(parts)]

        def table(keys: list[str]) -> NDArray[np.int64]:
            return drive.pointers([arrays[k] for k in keys])

        values |= {
            "rates_at": self.kernels[0].address,
            "rates_in": table(names),
            "rates_out": table(outputs),
            "tangent_at": self.kernels[1].address,
            "tangent_in": table(names + [f"tangent_{k}" for k in names]),
            "tangent_out": table([f"tangent_{k}" for k in outputs]),
        }
        values |= {"n": n, "ny": n - nw, "nw": nw, "rtol": rtol, "atol": np.full(n, atol)}
        self.problem = Problem(**values)
        self.arrays = arrays  # which the tables point to

    def reference(self, start: list[float], until: float, method: str = "DOP853", rtol: float = 1e-13) -> Any:
        options = {"jac": lambda t, z: np.array(self.df(t, z))} if method == "Radau" else {}
        return solve_ivp(
            lambda t, z: np.array(self.f(t, z)).ravel(),
            (0.0, until),
            start,
            method=method,
            rtol=rtol,
            atol=1e-14,
            dense_output=True,
            **options,
        ).sol


def one_step(method: Method, e: Equation, start: Any, h: float, t: float = 0.0) -> tuple[Floats, Floats, float]:
    """The state after one step, its interpolant, its error."""
    z, f, z_new = np.array(start, float), np.zeros(e.n), np.zeros(e.n)
    C = np.full((8, e.n), np.nan)
    rates(e.problem, t, z, f)
    error = method.step(e.problem, np.zeros(method.store_size(e.n)), t, h, z, f, z_new, C)
    return z_new, C, error


def fixed(method: Method, e: Equation, start: list[float], until: float, count: int) -> Floats:
    """The state after `count` equal steps."""
    z, f, z_new, C = np.array(start), np.zeros(e.n), np.zeros(e.n), np.zeros((8, e.n))
    store = np.zeros(method.store_size(e.n))
    h = until / count
    for k in range(count):
        rates(e.problem, k * h, z, f)
        assert math.isfinite(method.step(e.problem, store, k * h, h, z, f, z_new, C))
        z[:] = z_new
    return z


class Course(NamedTuple):
    z: Floats
    times: list[float]
    lengths: list[float]
    interpolants: list[Floats]
    rejected: int

    def at(self, x: float) -> Floats:
        """States at the part x of each step."""
        return np.array([x ** np.arange(8) @ C for C in self.interpolants])


def adaptive(method: Method, e: Equation, start: list[float], until: float, h: float = 1e-4) -> Course:
    """Steps controlled by their errors."""
    z, f, z_new, C = np.array(start), np.zeros(e.n), np.zeros(e.n), np.zeros((8, e.n))
    store = np.zeros(method.store_size(e.n))
    t, course = 0.0, Course(z, [], [], [], 0)
    while t < until:
        h = min(h, until - t)
        rates(e.problem, t, z, f)
        error = method.step(e.problem, store, t, h, z, f, z_new, C)
        if error <= 1.0:
            course.times.append(t)
            course.lengths.append(h)
            course.interpolants.append(C.copy())
            z[:] = z_new
            t = until if until - t == h else t + h
        else:
            course = course._replace(rejected=course.rejected + 1)
        assert h > 1e-12 * max(t, 1e-3)
        h *= 0.25 if error == math.inf else min(5.0, max(0.2, 0.9 * max(error, 1e-9) ** (-1.0 / method.order)))
    return course


def slopes(errors: list[float]) -> list[float]:
    """Orders that errors show from halving to halving."""
    return [math.log2(a / b) for a, b in pairwise(errors)]


def forced_pendulum(t: Any, z: Any) -> Any:
    return ca.vertcat(z[1], -ca.sin(z[0]) + 0.3 * ca.cos(2 * t) * z[1])


def heavy_crank(t: Any, z: Any) -> Any:
    """m(y) y'' + m'(y) y'² / 2 + sin(y) = 0 with a mass that depends on the posture."""
    y, w = z[0], z[1]
    mass, growth = 1 + 0.6 * ca.sin(y) ** 2, 0.6 * ca.sin(2 * y)
    return ca.vertcat(w, -(growth * w**2 / 2 + ca.sin(y)) / mass)


def van_der_pol(stiffness: float) -> Callable[[Any, Any], Any]:
    return lambda t, z: ca.vertcat(z[1], stiffness * (1 - z[0] ** 2) * z[1] - z[0])


def prothero_robinson(decay: float) -> Callable[[Any, Any], Any]:
    """z' = -decay (z - g(t)) + g'(t), g = sin(t + 1), which is the solution."""
    return lambda t, z: -decay * (z - ca.sin(t + 1)) + ca.cos(t + 1)


def robertson(t: Any, z: Any) -> Any:
    a, b, c = 0.04 * z[0], 1e4 * z[1] * z[2], 3e7 * z[1] ** 2
    return ca.vertcat(b - a, a - b - c, c)


# ---------------------------------------------------------------- linear algebra


@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 20, 61])
def test_factors_solve(kind: type, n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(10):
        a = rng.normal(size=(n, n)).astype(kind)
        if kind is complex:
            a += 1j * rng.normal(size=(n, n))
        a[rng.random((n, n)) < 0.3] = 0.0
        a[np.arange(n), rng.permutation(n)] += 1.0  # regular, with zeros on the diagonal
        x = rng.normal(size=n).astype(kind)
        many = rng.normal(size=(n, 3)).astype(kind)
        expected, expected_many = np.linalg.solve(a, x), np.linalg.solve(a, many)
        lu, rows = a.copy(), np.zeros(n, np.int64)
        assert linear.factorise(lu, rows)
        linear.solve(lu, rows, x)
        condition = np.linalg.cond(a)
        assert np.abs(x - expected).max() <= 20 * EPS * condition * np.abs(expected).max()
        if kind is float:
            linear.solve_all(lu, rows, many)
            assert np.abs(many - expected_many).max() <= 20 * EPS * condition * np.abs(expected_many).max()


@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_singular_and_infinite_matrices_are_refused(bad: float) -> None:
    a = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 7.0], [bad, bad, bad]])
    assert not linear.factorise(a.copy(), np.zeros(3, np.int64))
    assert not linear.factorise(a.astype(complex), np.zeros(3, np.int64))


def exponential_of(a: Any) -> Floats:
    a = np.array(a, float)
    n = len(a)
    work = np.full((linear.SCRATCH, n, n), np.nan)
    work[0] = a
    assert linear.exponential(work, np.zeros(n, np.int64), np.zeros(n))
    return work[0]


def relative(a: Floats, b: Floats) -> float:
    return float(np.linalg.norm(a - b, 1) / np.linalg.norm(b, 1))


def precise(a: Floats) -> Floats:
    """The exponential in fifty digits."""
    with mpmath.workdps(50):
        return np.array(mpmath.expm(mpmath.matrix(a.tolist()), method="taylor").tolist(), float)


def test_exponential_of_random_matrices() -> None:
    rng = np.random.default_rng(5)
    for norm in (1e-9, 1e-3, 0.1, 0.5, 2.0, 5.0):
        for n in (1, 2, 5, 12, 40):
            a = rng.normal(size=(n, n))
            a *= norm / np.linalg.norm(a, 1)
            assert relative(exponential_of(a), scipy.linalg.expm(a)) < 1e-13
            assert relative(exponential_of(a) @ exponential_of(-a), np.eye(n)) < 1e-12
    for norm in (1.0, 12.0, 60.0):
        for n in (2, 4):
            a = rng.normal(size=(n, n))
            a *= norm / np.linalg.norm(a, 1)
            assert relative(exponential_of(a), precise(a)) < 1e-13


def test_exponential_of_special_matrices() -> None:
    zero = np.zeros((4, 4))
    assert np.array_equal(exponential_of(zero), np.eye(4))
    for size in (1e-3, 1.0, 1e3):  # a Jordan block: four times the same eigenvalue, couplings as large as you like
        block = -0.7 * np.eye(4) + size * np.eye(4, k=1)
        expected = math.exp(-0.7) * sum(size**k / math.factorial(k) * np.eye(4, k=k) for k in range(4))
        assert np.all(np.abs(exponential_of(block) - expected) <= 1e-13 * expected)
    turn = exponential_of([[0.0, 40.0], [-40.0, 0.0]])
    expected = np.array([[math.cos(40.0), math.sin(40.0)], [-math.sin(40.0), math.cos(40.0)]])
    assert np.abs(turn - expected).max() < 1e-13
    decay = exponential_of(np.diag([-1e4, -1.0, 0.0]))
    assert np.abs(decay - np.diag([0.0, math.exp(-1.0), 1.0])).max() < 1e-12


@pytest.mark.parametrize("frequency", [1e2, 1e6])
def test_exponential_of_a_stiff_machine(frequency: float) -> None:
    """Balanced, each column is exact by its own size though positions and rates differ by the frequency."""
    rng = np.random.default_rng(3)
    k = rng.normal(size=(3, 3))
    k = k @ k.T + np.eye(3)
    a = np.block([[np.zeros((3, 3)), np.eye(3)], [-k * frequency**2, -0.02 * frequency * k]]) * (3.0 / frequency)
    expected = precise(a)
    assert (np.abs(exponential_of(a) - expected).max(axis=0) / np.abs(expected).max(axis=0)).max() < 2e-14


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200, 1000.0])
def test_exponentials_that_are_not_finite_are_refused(bad: float) -> None:
    work = np.zeros((linear.SCRATCH, 2, 2))
    work[0] = [[bad, 1.0], [0.5, 0.0]]
    assert not linear.exponential(work, np.zeros(2, np.int64), np.zeros(2))


# ---------------------------------------------------------------- Radau


def test_radau_has_order_5() -> None:
    e = Equation(forced_pendulum, 2, rtol=1e-12, atol=1e-12)
    expected = e.reference([1.0, 0.5], 2.0)(2.0)
    errors = [float(np.abs(fixed(RADAU, e, [1.0, 0.5], 2.0, count) - expected).max()) for count in (5, 10, 20)]
    assert errors[-1] < 1e-9
    assert min(slopes(errors)) > 4.7


def test_radau_interpolates_with_order_4_and_its_estimate_falls_with_the_fourth_power() -> None:
    e = Equation(forced_pendulum, 2, rtol=1e-10, atol=1e-10)
    truth = e.reference([1.0, 0.5], 1.0)
    defects, estimates = [], []
    for h in (0.2, 0.1, 0.05):
        z, C, error = one_step(RADAU, e, [1.0, 0.5], h)
        powers = np.linspace(0, 1, 11)[:, None] ** np.arange(8)
        defects.append(float(np.abs(powers @ C - truth(np.linspace(0, h, 11)).T).max()))
        estimates.append(error)
        assert np.array_equal(C[0], [1.0, 0.5])
        assert np.abs(C.sum(axis=0) - z).max() < 1e-15
        assert not C[5:].any()
    assert min(slopes(defects)) > 4.7  # local: order 4 and one
    assert min(slopes(estimates)) > 3.8


def collocated(decay: float, z: float, t: float, h: float) -> float:
    """Radau's step for Prothero and Robinson's equation from its tableau, which makes it three linear equations."""
    r = math.sqrt(6.0)
    A = np.array(
        [
            [(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225],
            [(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225],
            [(16 - r) / 36, (16 + r) / 36, 1 / 9],
        ]
    )
    times = t + h * A.sum(axis=1)
    forcing = decay * (np.sin(times + 1) - z) + np.cos(times + 1)
    return float(z + np.linalg.solve(np.eye(3) + h * decay * A, h * A @ forcing)[2])


@pytest.mark.parametrize("decay", [1.0, 1e2, 1e4, 1e6, 1e9])
def test_radau_follows_slow_solutions_however_stiff(decay: float) -> None:
    """Each step is that of the tableau; with decay to infinity it lands on the solution itself."""
    e = Equation(prothero_robinson(decay), 1, rtol=1e-12, atol=1e-12)
    expected, h = math.sin(1.0), 0.5
    for k in range(20):
        expected = collocated(decay, expected, k * h, h)
    found = fixed(RADAU, e, [math.sin(1.0)], 10.0, 20)[0]
    assert found == pytest.approx(expected, abs=2e-13)
    assert abs(found - math.sin(11.0)) < 2e-3 / decay
    disturbed, _, _ = one_step(RADAU, e, [math.sin(1.0) + 1.0], 0.5)
    assert disturbed[0] == pytest.approx(collocated(decay, math.sin(1.0) + 1.0, 0.0, 0.5), abs=2e-13)
    assert abs(disturbed[0] - math.sin(1.5)) < 10.0 / decay  # a disturbance is gone after one step


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_radau_is_the_rational_function_of_its_theory(share: float) -> None:
    """z' = λ z: R(x) = (1 + 2/5 x + x²/20) / (1 - 3/5 x + 3/20 x² - x³/60), |R| <= 1 in the left half plane."""
    for size in (0.1, 1.0, 10.0, 1e3, 1e6):
        x = size * complex(-share, 1.0)
        turn = ca.DM([[x.real, -x.imag], [x.imag, x.real]])
        e = Equation(lambda t, z, turn=turn: turn @ z, 2, rtol=1e-12, atol=1e-12)
        z, _, _ = one_step(RADAU, e, [1.0, 0.0], 1.0)
        expected = (1 + 2 / 5 * x + x**2 / 20) / (1 - 3 / 5 * x + 3 / 20 * x**2 - x**3 / 60)
        assert abs(complex(*z) - expected) < 1e-11
        assert abs(expected) <= 1.0


@pytest.mark.parametrize(
    ("right", "start", "until"),
    [(van_der_pol(30.0), [2.0, 0.0], 50.0), (robertson, [1.0, 0.0, 0.0], 1e3)],
    ids=["van der Pol", "Robertson"],
)
def test_radau_agrees_with_scipy(right: Callable[[Any, Any], Any], start: list[float], until: float) -> None:
    rtol = 1e-7
    e = Equation(right, len(start), rtol=rtol, atol=1e-10)
    course = adaptive(RADAU, e, start, until)
    expected = e.reference(start, until, "Radau", 1e-9)(until)
    assert (np.abs(course.z - expected) / (1e-3 + np.abs(expected))).max() < 20 * rtol
    assert len(course.times) < 400


def test_errors_of_radau_fall_with_the_tolerance() -> None:
    start, until = [0.5, 0.0, 0.0, math.sqrt(3.0)], 2 * math.pi
    errors, between, steps = [], [], []
    for rtol in (1e-4, 1e-6, 1e-8):

        def right(t: Any, z: Any) -> Any:  # an orbit of eccentricity 1/2
            r = (z[0] ** 2 + z[1] ** 2) ** 1.5
            return ca.vertcat(z[2], z[3], -z[0] / r, -z[1] / r)

        e = Equation(right, 4, 2, rtol=rtol, atol=rtol)
        truth = e.reference(start, until)
        course = adaptive(RADAU, e, start, until)
        errors.append(float(np.abs(course.z - start).max()))
        middles = np.array(course.times) + 0.37 * np.array(course.lengths)
        between.append(float(np.abs(course.at(0.37) - truth(middles).T).max()))
        steps.append(len(course.times))
    for error, inside, rtol in zip(errors, between, (1e-4, 1e-6, 1e-8), strict=True):
        assert error < 30 * rtol
        assert inside < 30 * rtol
    assert steps[-1] < 250


def test_radau_keeps_its_jacobian_while_newton_converges_quickly() -> None:
    """A linear equation needs one Jacobian and, once the rate is known, about one of Newton's steps a step."""
    e = Equation(lambda t, z: ca.vertcat(z[1], -100 * z[0] - 2 * z[1]), 2, rtol=1e-6, atol=1e-6)
    before = int(e.problem.evaluations[0])
    fixed(RADAU, e, [1.0, 0.0], 1.0, 100)
    # 100 of the driver, one of the Jacobian, three stages in each of Newton's steps
    assert int(e.problem.evaluations[0]) - before <= 100 + 1 + 3 * 115


def test_a_repeated_step_gives_the_same_as_a_fresh_one() -> None:
    e = Equation(van_der_pol(30.0), 2, rtol=1e-9, atol=1e-9)
    for method in (RADAU, FULL, STATIC):
        z, f, z_new, C = np.array([2.0, 0.0]), np.zeros(2), np.zeros(2), np.zeros((8, 2))
        store = np.zeros(method.store_size(2))
        rates(e.problem, 0.0, z, f)
        for h in (0.05, 0.01, 0.002):
            assert math.isfinite(method.step(e.problem, store, 0.0, h, z, f, z_new, C))
        fresh, _, _ = one_step(method, e, [2.0, 0.0], 0.002)
        assert np.abs(z_new - fresh).max() < 1e-11


def test_steps_into_nowhere_are_refused() -> None:
    """z'' = -1 / √z breaks off where z = 0."""
    e = Equation(lambda t, z: ca.vertcat(z[1], -1 / ca.sqrt(z[0])), 2, 1, rtol=1e-6, atol=1e-6)
    for method in (RADAU, FULL, STATIC):
        _, _, error = one_step(method, e, [0.01, -1.0], 1.0)
        assert error == math.inf
        _, _, error = one_step(method, e, [0.01, -1.0], 1e-6)
        assert error < 1.0


# ---------------------------------------------------------------- exponential


LINEAR = {
    "oscillator": [[0.0, 1.0], [-400.0, -0.3]],
    "free mass": [[0.0, 1.0], [0.0, 0.0]],
    "critically damped": [[0.0, 1.0], [-25.0, -10.0]],
    "defective zero": [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]],
    "zero and stiff": [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [-1e4, 1e4, -1.0, 1.0], [1e4, -1e4, 1.0, -1.0]],
    "nothing": [[0.0]],
}


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("method", [FULL, STATIC], ids=["full", "static"])
def test_exponential_steps_are_exact_for_linear_machines(name: str, method: Method) -> None:
    """z' = A z + b + c t in one long step, against the exponential of mpmath."""
    A = np.array(LINEAR[name])
    n = len(A)
    rng = np.random.default_rng(n)
    b, c, start = rng.normal(size=(3, n))
    e = Equation(lambda t, z: ca.DM(A) @ z + b + c * t, n, n // 2, rtol=1e-9, atol=1e-9)
    whole = np.zeros((n + 2, n + 2))
    whole[:n, :n], whole[:n, n], whole[:n, n + 1], whole[n, n + 1] = A, c, b, 1.0
    for h in (1e-3, 0.7, 3.0):
        with mpmath.workdps(60):
            flow = mpmath.expm(mpmath.matrix((whole * h).tolist()), method="taylor")
            expected = np.array((flow * mpmath.matrix([*start, 0.0, 1.0])).tolist(), float).ravel()[:n]
        z, _, error = one_step(method, e, start, h)
        size = np.linalg.norm(A * h, 1) ** 0.5 + 1.0
        assert np.abs(z - expected).max() < 50 * EPS * size * np.abs(expected).max()
        assert error < 1e-2


def test_orders_of_exponential_steps() -> None:
    """2 with the full Jacobian; 1 with stiffness at rest where masses depend on posture, else 2."""
    crank = Equation(heavy_crank, 2, 1, rtol=1e-6, atol=1e-6)
    pendulum = Equation(forced_pendulum, 2, 1, rtol=1e-6, atol=1e-6)

    def errors(method: Method, e: Equation) -> list[float]:
        expected = e.reference([0.4, 2.0], 2.0)(2.0)
        return [float(np.abs(fixed(method, e, [0.4, 2.0], 2.0, k) - expected).max()) for k in (80, 160, 320)]

    assert slopes(errors(FULL, crank)) == pytest.approx([2.0, 2.0], abs=0.1)
    assert slopes(errors(STATIC, crank)) == pytest.approx([1.0, 1.0], abs=0.1)
    assert slopes(errors(FULL, pendulum)) == pytest.approx([2.0, 2.0], abs=0.1)
    assert slopes(errors(STATIC, pendulum)) == pytest.approx([2.0, 2.0], abs=0.1)
    assert errors(STATIC, crank)[-1] > 20 * errors(FULL, crank)[-1]


@pytest.mark.parametrize("method", [FULL, STATIC], ids=["full", "static"])
def test_the_estimate_is_the_error_of_an_exponential_step(method: Method) -> None:
    """e against truth on short steps; with atol = 1 and rtol = 0 the measure is the root of its mean square."""
    e = Equation(heavy_crank, 2, 1, rtol=0.0, atol=1.0)
    truth = e.reference([0.4, 2.0], 1.0)
    for h in (0.02, 0.005):
        z, _, error = one_step(method, e, [0.4, 2.0], h)
        actual = float(np.sqrt(np.mean((z - truth(h)) ** 2)))
        assert error == pytest.approx(actual, rel=5 * h)


def test_exponential_steps_are_not_limited_by_the_frequency() -> None:
    """A stiff spring, ω = 1e4, on a slow pendulum: the steps follow the pendulum."""
    stiff = 1e8

    def right(t: Any, z: Any) -> Any:
        return ca.vertcat(z[2], z[3], -ca.sin(z[0]), -stiff * z[1] - 100 * z[3] + ca.cos(z[0]))

    start = [1.0, math.cos(1.0) / stiff, 0.0, 0.0]
    e = Equation(right, 4, 2, rtol=1e-5, atol=1e-7)
    course = adaptive(FULL, e, start, 5.0)
    slow = Equation(lambda t, z: ca.vertcat(z[1], -ca.sin(z[0])), 2, rtol=1e-6, atol=1e-6)
    expected = slow.reference([1.0, 0.0], 5.0)
    assert len(course.times) < 400
    assert np.abs(course.z[[0, 2]] - expected(5.0)).max() < 1e-3
    assert course.z[1] == pytest.approx(math.cos(course.z[0]) / stiff, abs=0.05 / stiff)
    middles = np.array(course.times) + 0.5 * np.array(course.lengths)
    assert np.abs(course.at(0.5)[:, [0, 2]] - expected(middles).T).max() < 1e-3
    assert np.abs(course.at(0.5)[:, 1]).max() < 1.5 / stiff  # no overshoot between the ends


def test_exponential_interpolant_is_cubic_and_of_fourth_order() -> None:
    e = Equation(forced_pendulum, 2, 1, rtol=1e-6, atol=1e-6)
    start = [1.0, 0.5]
    defects = []
    for h in (0.1, 0.05, 0.025):
        z, C, _ = one_step(FULL, e, start, h)
        assert np.array_equal(C[0], start)
        assert np.abs(C.sum(axis=0) - z).max() < 1e-15
        assert not C[4:].any()
        f = np.array(e.f(0.0, start)).ravel()
        defects.append(float(np.abs(C[1] / h - f).max()))
    assert min(slopes(defects)) > 2.7  # slopes at the ends are off by O(h³): the damping of slow parts
