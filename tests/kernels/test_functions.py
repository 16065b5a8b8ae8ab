"""Elementary functions: distance from the exact value in ulp, special values, equal bits at every width."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest
from jit import Emit, compiled, instructions, same_bits

from linkwork.kernels import functions
from linkwork.kernels.lanes import Lanes

INF, NAN, TINY, HUGE = math.inf, math.nan, 5e-324, 1.7976931348623157e308
N = 1500  # samples of one kind


def ulp_errors(found: np.ndarray, exact: list[mp.mpf]) -> np.ndarray:
    """|found - exact| in units of the last place that numbers of the exact value's size have."""

    def error(f: float, e: mp.mpf) -> float:
        if e == 0 or not math.isfinite(f):
            return 0.0 if f == float(e) else INF
        _, exponent = mp.frexp(e)
        return float(abs(mp.mpf(f) - e) / mp.ldexp(1, max(exponent - 53, -1074)))

    return np.array([error(f, e) for f, e in zip(found.tolist(), exact, strict=True)])


def wide(rng: np.random.Generator, low: float, high: float, n: int = N) -> np.ndarray:
    """Numbers of either sign, evenly spread in the exponent."""
    return rng.choice([-1.0, 1.0], n) * 2.0 ** rng.uniform(low, high, n)


def angles(rng: np.random.Generator) -> np.ndarray:
    near = np.floor(2.0 ** rng.uniform(0, 49, N)) * (math.pi / 2)  # the numbers nearest to multiples of pi/2
    neighbours = np.nextafter(near, 0.0)
    first = np.arange(-200, 201) * (math.pi / 2)
    return np.concatenate([rng.uniform(-10, 10, 4 * N), wide(rng, -1074, 49.99), near, neighbours, first])


def unit(rng: np.random.Generator) -> np.ndarray:
    ends = 1.0 - 2.0 ** rng.uniform(-53, 0, N)
    return np.concatenate([rng.uniform(-1, 1, 5 * N), wide(rng, -1074, 0), ends, -ends, [0.5, -0.5, 1.0, -1.0]])


def slopes(rng: np.random.Generator) -> np.ndarray:
    return np.concatenate([rng.uniform(-3, 3, 5 * N), wide(rng, -1074, 1023)])


def exponents(rng: np.random.Generator) -> np.ndarray:
    return np.concatenate([rng.uniform(-1, 1, 4 * N), rng.uniform(-745, 709.7, 3 * N), wide(rng, -1074, 9)])


def positives(rng: np.random.Generator) -> np.ndarray:
    return np.concatenate([rng.uniform(0.5, 2, 5 * N), np.abs(wide(rng, -1074, 1023)), 1 + wide(rng, -52, -1)])


def sine(lanes: Lanes, x: str) -> str:
    return functions.sincos(lanes, x)[0]


def cosine(lanes: Lanes, x: str) -> str:
    return functions.sincos(lanes, x)[1]


SAMPLES = Callable[[np.random.Generator], np.ndarray]

# emitter, exact function, samples, the bound in ulp; behind it the largest error met in 500,000 samples
UNARY: dict[str, tuple[Emit, Callable[[mp.mpf], mp.mpf], SAMPLES, float]] = {
    "sin": (sine, mp.sin, angles, 1.5),  # 1.44
    "cos": (cosine, mp.cos, angles, 1.5),  # 1.47
    "tan": (functions.tan, mp.tan, angles, 1.45),  # 1.40
    "atan": (functions.atan, mp.atan, slopes, 0.95),  # 0.88
    "asin": (functions.asin, mp.asin, unit, 1.15),  # 1.12
    "acos": (functions.acos, mp.acos, unit, 1.15),  # 1.10
    "exp": (functions.exp, mp.exp, exponents, 0.9),  # 0.85
    "log": (functions.log, mp.log, positives, 0.9),  # 0.83
}


@pytest.fixture(autouse=True)
def two_hundred_bits():
    with mp.workprec(200):
        yield


@pytest.mark.parametrize("name", UNARY)
def test_within_ulps_of_the_exact_value(name):
    emit, exact, samples, bound = UNARY[name]
    x = samples(np.random.default_rng(7))
    errors = ulp_errors(compiled(emit, 1, 4)(x)[0], [exact(mp.mpf(v)) for v in x.tolist()])
    worst = int(np.argmax(errors))
    assert errors[worst] <= bound, f"{name}({x[worst].hex()}) is {errors[worst]:.3f} ulp off"


def test_atan2_within_ulps_of_the_exact_value():
    rng = np.random.default_rng(8)
    spans = ((-1074, 1023, 2 * N), (-2, 2, 4 * N), (-1074, -1000, N), (1000, 1023.9, N))
    y, x = (np.concatenate([wide(rng, *span) for span in spans]) for _ in range(2))
    found = compiled(functions.atan2, 2, 4)(y, x)[0]
    errors = ulp_errors(found, [mp.atan2(mp.mpf(a), mp.mpf(b)) for a, b in zip(y.tolist(), x.tolist(), strict=True)])
    worst = int(np.argmax(errors))
    assert errors[worst] <= 1.5, f"atan2({y[worst].hex()}, {x[worst].hex()}) is {errors[worst]:.3f} ulp off"


SPECIAL = {
    "sin": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN), (TINY, TINY), (-TINY, -TINY)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (NAN, NAN), (TINY, 1.0), (math.pi / 2, math.cos(math.pi / 2))],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (NAN, NAN), (-TINY, -TINY)],
    "atan": [
        (0.0, 0.0),
        (-0.0, -0.0),
        (INF, math.pi / 2),
        (-INF, -math.pi / 2),
        (NAN, NAN),
        (-TINY, -TINY),
        (1.0, math.pi / 4),
        (HUGE, math.pi / 2),
    ],
    "asin": [
        (0.0, 0.0),
        (-0.0, -0.0),
        (1.0, math.pi / 2),
        (-1.0, -math.pi / 2),
        (1.0000000000000002, NAN),
        (-2.0, NAN),
        (INF, NAN),
        (-INF, NAN),
        (NAN, NAN),
        (-TINY, -TINY),
    ],
    "acos": [
        (1.0, 0.0),
        (-1.0, math.pi),
        (0.0, math.pi / 2),
        (-0.0, math.pi / 2),
        (1.0000000000000002, NAN),
        (-1.0000000000000002, NAN),
        (INF, NAN),
        (NAN, NAN),
    ],
    "exp": [
        (0.0, 1.0),
        (-0.0, 1.0),
        (INF, INF),
        (-INF, 0.0),
        (NAN, NAN),
        (1000.0, INF),
        (-1000.0, 0.0),
        (709.782712893384, 1.7976931348622732e308),
        (709.7827128933841, INF),
        (-745.0, TINY),
        (-745.2, 0.0),
        (HUGE, INF),
        (-HUGE, 0.0),
        (TINY, 1.0),
    ],
    "log": [
        (1.0, 0.0),
        (0.0, -INF),
        (-0.0, -INF),
        (-1.0, NAN),
        (-TINY, NAN),
        (-INF, NAN),
        (INF, INF),
        (NAN, NAN),
        (TINY, -744.4400719213812),
        (HUGE, 709.782712893384),
        (2.2250738585072014e-308, -708.3964185322641),
    ],
}


@pytest.mark.parametrize("fma", [True, False])
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name, fma):
    x, expected = np.array(SPECIAL[name]).T.copy()
    found = compiled(UNARY[name][0], 1, 4, fma)(x)[0]
    assert same_bits(found, expected), [*zip(x, found, expected, strict=True)]


@pytest.mark.parametrize("fma", [True, False])
def test_special_values_of_atan2(fma):
    values = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, TINY, -TINY, HUGE, -HUGE]
    y, x = (a.ravel() for a in np.meshgrid(values, values))
    expected = np.array([math.atan2(a, b) for a, b in zip(y, x, strict=True)])
    found = compiled(functions.atan2, 2, 4, fma)(y, x)[0]
    assert same_bits(found, expected), [*zip(y, x, found, expected, strict=True)]


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_an_angle_that_ran_away_is_nan(name):
    run = compiled(UNARY[name][0], 1)
    edge = 2.0**50
    assert np.isnan(run([edge, -edge, 1e100, -HUGE])).all()
    assert np.isfinite(run([np.nextafter(edge, 0), -np.nextafter(edge, 0)])).all()


@pytest.mark.parametrize("fma", [True, False])
@pytest.mark.parametrize("name", UNARY)
def test_equal_bits_at_every_width(name, fma):
    emit, _, samples, _ = UNARY[name]
    x = np.concatenate([samples(np.random.default_rng(9)), np.array(SPECIAL[name])[:, 0], [1e300, -1e300]])
    one, four, eight = (compiled(emit, 1, width, fma)(x) for width in (1, 4, 8))
    assert same_bits(one, four)
    assert same_bits(one, eight)


@pytest.mark.parametrize("fma", [True, False])
def test_atan2_has_equal_bits_at_every_width(fma):
    rng = np.random.default_rng(10)
    y, x = (np.concatenate([wide(rng, -1074, 1023), wide(rng, -3, 3), [INF, NAN, 0.0]]) for _ in range(2))
    one, four, eight = (compiled(functions.atan2, 2, width, fma)(y, x) for width in (1, 4, 8))
    assert same_bits(one, four)
    assert same_bits(one, eight)


def test_sine_and_cosine_share_one_short_reduction():
    lanes = Lanes(4, True)
    functions.sincos(lanes, "%x")
    working = [line for line in lanes.lines if "bitcast" not in line]
    assert len(working) == 34  # of which the comparison of a sign bit costs nothing
    names = [line.split()[0] for line in instructions(functions.sincos, 1, 4)]
    assert "call" not in names and "callq" not in names


def test_without_fused_operations_the_library_is_called():
    lanes = Lanes(2, False)
    functions.sincos(lanes, "%x")
    assert sum("call double @sin(" in line for line in lanes.lines) == 2
    assert sum("call double @cos(" in line for line in lanes.lines) == 2
    assert not any("llvm.fma" in text for text in lanes.declarations)
