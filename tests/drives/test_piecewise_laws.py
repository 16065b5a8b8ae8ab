"""Laws of time as polynomials: values, rates and accelerations against the laws, corners that are found, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkwork.drives import as_drive
from linkwork.numerics.stepping import law_pieces
from linkwork.numerics.stepping.laws import (
    Laws,
    Pieces,
    breaks_of,
    enter_laws,
    law_at,
    piecewise,
    piecewise_values,
    together,
)

Array = np.ndarray
GOOD = (1e-13, 1e-11, 1e-9)
RNG = np.random.default_rng(7)
CYCLE = lw.sequence(lw.ramp(0, 1, duration=0.5), lw.dwell(1, duration=0.2), lw.cycloidal(1, 0, duration=0.6))
LAWS = {
    "number": 3.0,
    "pair": (0.5, 2.0),
    "ramp": lw.ramp(1, 5, duration=0.7),
    "cycloidal": lw.cycloidal(0, 1, duration=1.3),
    "345": lw.polynomial345(0, 2, duration=0.9),
    "trapezoidal": lw.trapezoidal(0, 1, speed=0.5, acceleration=2),
    "short trapezoidal": lw.trapezoidal(0, 1, speed=50, acceleration=2),
    "harmonic": lw.harmonic(1, 0.3, frequency=1.3, phase=0.4),
    "far harmonic": lw.harmonic(1000, 0.3, frequency=3),
    "spline": lw.spline(np.sort(RNG.uniform(0, 8, 20)), RNG.normal(size=20)),
    "periodic": lw.repeat(lw.spline([0, 0.3, 0.7, 1], [0, 1, -1, 0], ends="periodic"), 5),
    "table": lw.table([0, 1, 2.5], [0, 3, 1]),
    "expression": lw.expression("0.3*sin(2*t**2) + exp(-t)"),
    "degrees": lw.expression("90*cos(t)", unit=math.radians(1)),
    "bump": lw.expression("exp(-((t - 5)/0.05)**2)"),
    "cycle": lw.repeat(CYCLE, 5),
    "tail": lw.sequence(CYCLE, lw.harmonic(0, 1, frequency=2)),
}


def sampled(laws: Laws, k: int, times: Array) -> Array:
    """Value, rate and acceleration of one of the laws: (3, times)."""
    found = np.empty((len(times), 3))
    for row, t in zip(found, times, strict=True):
        law_at(*laws, k, t, row)
    return found.T


def errors(law: object, pieces: Pieces, until: float, rng: np.random.Generator, count: int = 500) -> Array:
    """Largest errors of value, rate and acceleration, in parts of the sizes of the law."""
    drive = as_drive(law, "law")
    times = rng.uniform(0.0, until, count)
    wanted = drive.sample(times)
    size = np.abs(wanted).max(axis=1)
    time_rounding = 8e-16 * until * np.append(size[1:], 0.0)  # the time itself is rounded
    error = np.abs(sampled(together([pieces]), 0, times) - wanted[:3]).max(axis=1)
    return np.maximum(error - time_rounding[:3], 0.0) / np.where(size[:3] > 0.0, size[:3], 1.0)


# ---------------------------------------------------------------- drives


@pytest.mark.parametrize("until", [0.31, 10.0])
@pytest.mark.parametrize("name", LAWS)
def test_every_law_to_round_off(name: str, until: float) -> None:
    pieces = piecewise(LAWS[name], until)
    assert pieces.edges[0] == 0.0
    assert pieces.edges[-1] == until
    assert (np.diff(pieces.edges) > 0.0).all()
    assert (errors(LAWS[name], pieces, until, np.random.default_rng(1)) <= GOOD).all()
    wanted = [t for t in as_drive(LAWS[name], "law").breaks if 0.0 < t < until]
    assert np.allclose(pieces.breaks, wanted, rtol=1e-14, atol=0.0)


def test_few_pieces_where_the_law_is_simple() -> None:
    counts = {name: len(piecewise(LAWS[name], 10.0).coefficients) for name in LAWS}
    assert counts["number"] == 1
    assert counts["pair"] == counts["ramp"] == 2
    assert counts["trapezoidal"] == 4
    assert counts["cycloidal"] <= 5
    assert counts["cycle"] <= 5 * 5 + 1


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.floats(0.05, 2.0), min_size=3, max_size=8),
    st.lists(st.floats(-3.0, 3.0), min_size=8, max_size=8),
    st.sampled_from(["ramp", "cycloidal", "polynomial345", "spline", "table"]),
    st.floats(0.3, 8.0),
)
def test_random_sequences(steps: list[float], values: list[float], kind: str, until: float) -> None:
    times = np.cumsum([0.0, *steps])
    values = values[: len(times)]
    if kind in ("spline", "table"):
        law = getattr(lw, kind)(times[: len(values)], values)
    else:
        ways = [(a, b, d) for a, b, d in zip(values, values[1:], steps, strict=False)]
        law = lw.sequence(
            *(getattr(lw, kind)(a, b, duration=d) if a != b else lw.dwell(a, duration=d) for a, b, d in ways)
        )
    assert (errors(law, piecewise(law, until), until, np.random.default_rng(2), 100) <= GOOD).all()


def test_long_runs_lose_no_more_than_the_time_is_rounded() -> None:
    law = lw.harmonic(0.2, 0.7, frequency=5.0)
    assert (errors(law, piecewise(law, 300.0), 300.0, np.random.default_rng(3)) <= GOOD).all()


def test_corners_of_expressions_are_found() -> None:
    pieces = piecewise(lw.expression("abs(sin(t))"), 100.0)
    assert np.abs(np.array(pieces.breaks) - np.pi * np.arange(1, 32)).max() < 1e-12
    assert (errors(lw.expression("abs(sin(t))"), pieces, 100.0, np.random.default_rng(4)) <= GOOD).all()
    bent = lw.expression("where(t < 1, 0, (t - 1)**2)")
    (corner,) = piecewise(bent, 10.0).breaks
    assert abs(corner - 1.0) < 1e-13
    assert piecewise(lw.expression("max(0, t - 1)**3"), 10.0).breaks == ()  # only its jerk jumps


def test_a_short_event_in_a_long_law_is_not_overlooked() -> None:
    law = lw.expression("exp(-((t - 501.7)/0.1)**2)")
    pieces = piecewise(law, 1000.0)
    times = np.linspace(501.0, 502.4, 401)
    wanted = law.sample(times)
    error = np.abs(sampled(together([pieces]), 0, times) - wanted[:3]).max(axis=1)
    rounding = 8e-13 * np.abs(wanted[1:]).max(axis=1)  # the time itself is rounded
    assert (error <= np.array(GOOD) * np.abs(wanted[:3]).max(axis=1) + rounding).all()


def test_a_step_sees_its_own_side_of_a_break() -> None:
    pieces = [piecewise(lw.ramp(0, 1, duration=0.5), 2.0), piecewise(lw.ramp(0, 1), 2.0)]
    laws = together(pieces)
    assert np.array_equal(breaks_of(pieces), [0.5, 1.0])
    enter_laws(laws.edges, laws.starts, laws.last, 0.0)
    assert np.array_equal(sampled(laws, 0, np.array([0.125, 0.5])), [[0.25, 1.0], [2.0, 2.0], [0.0, 0.0]])
    enter_laws(laws.edges, laws.starts, laws.last, 0.5)
    assert np.array_equal(sampled(laws, 0, np.array([0.5]))[:, 0], [1.0, 0.0, 0.0])
    assert np.array_equal(sampled(laws, 0, np.array([0.7, 0.5]))[:, 1], [1.0, 0.0, 0.0])
    assert np.array_equal(sampled(laws, 1, np.array([0.5]))[:, 0], [0.5, 1.0, 0.0])


def test_any_jump_in_time_finds_its_piece() -> None:
    pieces = [piecewise(law, 8.0) for law in (LAWS["spline"], 2.0, LAWS["harmonic"], LAWS["cycle"])]
    laws = together(pieces)
    times = np.random.default_rng(5).uniform(-0.1, 8.1, 2000)
    for k, law in enumerate((LAWS["spline"], 2.0, LAWS["harmonic"], LAWS["cycle"])):
        wanted = as_drive(law, "law").sample(np.clip(times, 0.0, 8.0))[0]
        assert np.abs(sampled(laws, k, times)[0] - wanted).max() < 1e-13 * 10
        edges = pieces[k].edges
        assert (edges[laws.last[k] - laws.starts[k]] <= max(times[-1], 0.0)).all()
        for t in (edges[0], edges[-1], 0.5 * (edges[0] + edges[-1])):
            enter_laws(laws.edges, laws.starts, laws.last, t)
            i = laws.last[k] - laws.starts[k]
            assert edges[i] <= t
            assert t < edges[i + 1] or i == len(edges) - 2
    assert together([]).starts.tolist() == [0]


# ---------------------------------------------------------------- values alone


def square(t: Array) -> Array:
    return np.sign(np.sin(3.0 * t))


VALUES = {
    "number": (5, lambda t: 5.0 + 0 * t, ()),
    "text": ("3*sin(2*t)", lambda t: 3 * np.sin(2 * t), ()),
    "plain text": ("2*3", lambda t: 6.0 + 0 * t, ()),
    "switch": ("where(t < 1, 0, 5)", lambda t: np.where(t < 1, 0.0, 5.0), (1.0,)),
    "square": (square, square, tuple(np.pi / 3 * np.arange(1, 10))),
    "table": (lw.tabulated([0, 1, 2, 4], [0, 5, 5, 1]), lambda t: np.interp(t, [0, 1, 2, 4], [0, 5, 5, 1]), (1, 2, 4)),
    "drive": (lw.ramp(0, 2, duration=4), lambda t: np.minimum(t / 2, 2.0), (4.0,)),
    "constant function": (lambda t: 2.5, lambda t: 2.5 + 0 * t, ()),
    "steep": (lambda t: np.tanh(50 * (t - 1)), lambda t: np.tanh(50 * (t - 1)), ()),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_of_efforts(name: str) -> None:
    law, wanted, breaks = VALUES[name]
    pieces = piecewise_values(law, 10.0)
    times = np.random.default_rng(6).uniform(0.0, 10.0, 500)
    value, rate, _ = sampled(together([pieces]), 0, times)
    assert np.abs(value - wanted(times)).max() <= 1e-13 * 6.0
    assert len(pieces.breaks) == len(breaks)
    assert np.allclose(pieces.breaks, breaks, rtol=0.0, atol=1e-12)
    if name == "text":
        assert np.abs(rate - 6 * np.cos(2 * times)).max() < 1e-10


def test_a_smooth_table_is_its_spline() -> None:
    from scipy.interpolate import CubicSpline

    x, y = [0.0, 1.0, 2.0, 4.0], [0.0, 5.0, 5.0, 1.0]
    pieces = piecewise_values(lw.tabulated(x, y, smooth=True), 4.0)
    times = np.random.default_rng(6).uniform(0.0, 4.0, 300)
    assert np.abs(sampled(together([pieces]), 0, times)[0] - CubicSpline(x, y, bc_type="natural")(times)).max() < 1e-13
    assert len(pieces.coefficients) == 3


def test_a_root_is_followed_though_its_slope_is_not_finite() -> None:
    pieces = piecewise_values("sqrt(t)", 10.0)
    times = np.random.default_rng(6).uniform(1e-6, 10.0, 500)
    assert np.abs(sampled(together([pieces]), 0, times)[0] - np.sqrt(times)).max() < 1e-13


# ---------------------------------------------------------------- refusals


def test_laws_that_cannot_be_followed_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(law_pieces, "MOST", 5000)
    cases = {
        "where(t < 1, 0, 5)": "jumps at t = 1 s",
        "1/(t - 0.31)": "grows without bound near t = 0.31|is -?inf at",
        "sin(1e7*t)": "no smooth pieces.*changes? more slowly",
        "sqrt(t)": "the rate of expression sqrt",
    }
    for text, message in cases.items():
        with pytest.raises(lw.ModelError, match=message):
            piecewise(lw.expression(text), 2.0)


def test_wrong_laws_and_times_are_told() -> None:
    for law, message in (
        ("text", "text is not a drive"),
        ((1, 2, 3), "a list of 3 is not a drive"),
        (math.nan, "not finite"),
    ):
        with pytest.raises(lw.ModelError, match=message):
            piecewise(law, 1.0, "drives.A")
    for law, message in (
        ("A + t", "depends on A, not on time alone"),
        ("sin(", "breaks off"),
        ("1/t", "is inf at t = 0 s"),
        ("1/(t - 0.31)**2", "grows without bound near t = 0.31"),
        (lambda t: t[:2], "gives .2,. for"),
        (lambda t: "x", "the function fails"),
        (lw.tabulated([0, 1], [0, 1], over="A"), "depends on A"),
        ({}, "of type dict"),
    ):
        with pytest.raises(lw.ModelError, match=message):
            piecewise_values(law, 1.0)
    for until in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(lw.ModelError, match="no end of a law"):
            piecewise(1.0, until)
    assert str(piecewise((0, 1), 3.0)) == "2 pieces until 3 s, 1 breaks"
