"""Bounds over boxes: every value that a function takes lies between them, and rounding too."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from linkwork.equations.intervals import Interval, bounds_of, point
from linkwork.expressions import Expression

TEXTS = (
    "sin(x)*cos(y) + x*y",
    "exp(-x**2)/(2 + y**2) - tanh(x)",
    "sqrt(abs(x) + 0.1) - log(1.5 + y**2)",
    "atan2(y, x)",
    "where(x > y, x**3, -2*y)",
    "sign(x - 0.3)*y + min(x, y)*max(x, 0.2)",
    "tan(0.4*x) + asin(0.3*y) - acos(0.2*x)",
    "x**-2 + (x + 3)**1.5 - y/(x + 4)",
    "hypot(x, y)*sinh(y) + cosh(x - y)",
    "abs(x - y) - x**4*y**5",
    "atan(x)/(1 + x*y)",
    "(2.5 + y)**x",
)


def bounds(text: str) -> ca.Function:
    """(low, high of x and y) -> low, high and whether it may jump."""
    z, box = ca.SX.sym("z", 2), ca.SX.sym("box", 2, 2)
    function = ca.Function("f", [z], [Expression(text, ("x", "y"))(x=z[0], y=z[1])])
    ((found,),) = bounds_of(function, [[Interval(box[i, 0], box[i, 1]) for i in range(2)]])
    return ca.Function("bounds", [box], [found.low, found.high, 0.0 if found.jumps is None else found.jumps])


@pytest.mark.parametrize("text", TEXTS)
def test_every_value_lies_between_the_bounds(text: str) -> None:
    """Boxes of all sizes about the plane, and random places in them."""
    rng = np.random.default_rng(7)
    of_box, value = bounds(text), Expression(text, ("x", "y"))
    for _ in range(300):
        middle, half = rng.uniform(-2.0, 2.0, 2), 10.0 ** rng.uniform(-9.0, 0.5, 2)
        low, high, _ = (float(x) for x in of_box(np.stack([middle - half, middle + half], axis=1)))
        places = middle + half * rng.uniform(-1.0, 1.0, (200, 2))
        values = value(x=places[:, 0], y=places[:, 1])
        values = values[np.isfinite(values)]
        assert np.all(values >= low) and np.all(values <= high)


@pytest.mark.parametrize("text", [t for t in TEXTS if "sign" not in t and "where" not in t and "atan2" not in t])
def test_bounds_close_in_as_the_box_does(text: str) -> None:
    """Over a box of half width r the bounds are at most a multiple of r apart, and no wider than rounding at r = 0."""
    of_box = bounds(text)
    for middle in ((0.7, 0.4), (1.3, -0.9)):
        widths = []
        for half in (1e-3, 1e-6, 0.0):
            box = np.array([[m - half, m + half] for m in middle])
            low, high, jumps = (float(x) for x in of_box(box))
            assert jumps == 0.0
            widths.append(high - low)
        assert widths[0] < 0.2 and widths[1] < 2e-4
        assert 0.0 < widths[2] < 1e-13


def test_what_may_jump_says_so() -> None:
    """A comparison, a sign, a pole and the cut of an angle within the box; none of them outside of it."""
    for text, at, beside in (
        ("where(x > 1, 2, 3)", 1.0, 1.1), ("sign(x)", 0.0, 0.1), ("1/x", 0.0, 0.1), ("tan(x)", np.pi / 2, 1.5),
        ("atan2(x, -1)", 0.0, 0.1),
    ):  # fmt: skip
        of_box = bounds(f"{text} + y")
        assert float(of_box(np.array([[at - 0.01, at + 0.01], [0.0, 0.0]]))[2]) != 0.0
        assert float(of_box(np.array([[beside - 0.01, beside + 0.01], [0.0, 0.0]]))[2]) == 0.0


def test_a_number_without_width_is_plain_arithmetic() -> None:
    x = ca.SX.sym("x")
    function = ca.Function("f", [x], [ca.sin(x) * 3.0])
    ((found,),) = bounds_of(function, [[point(ca.SX(0.5))]])
    assert found.is_point and float(found.low) == np.sin(0.5) * 3.0
