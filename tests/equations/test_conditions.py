"""Conditions and gaps: exact cases, every joint kind against differences along the motion and CasADi's derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from laws import CASES, NAMES, Case
from random_trees import grow_tree, single_joint

import linkwork as lw
from linkwork.equations.conditions import conditions, gaps
from linkwork.equations.quantities import QUANTITIES
from linkwork.expressions.names import written
from linkwork.formulas import Question

Array = np.ndarray
FIRST = np.array([-1 / 60, 3 / 20, -3 / 4, 0.0, 3 / 4, -3 / 20, 1 / 60])
SECOND = np.array([1 / 90, -3 / 20, 3 / 2, -49 / 18, 3 / 2, -3 / 20, 1 / 90])
"""Differences of sixth order at -3h ... 3h."""


def kernel(s: lw.System, quantity: object) -> Callable[..., tuple[Array, ...]]:
    return s.bound_kernel(Question(quantity))  # type: ignore[arg-type]


def along(s: lw.System, values: Callable[[Array, Array], Array], y: Array, w: Array, t: float, h: float) -> Array:
    """First and second derivative of values of (y, t) at constant rates w, by differences."""
    advance = kernel(s, QUANTITIES["advance"])
    rows = np.array([values(advance(y, k * h * w), np.array([t + k * h])) for k in range(-3, 4)])
    return np.array([FIRST @ rows / h, SECOND @ rows / h**2])


def check_gaps(s: lw.System, texts: list[str], y: Array, w: Array, t: float, h: float = 8e-3) -> None:
    """Values, rates, gradients and biases against differences, and the gradients against CasADi's."""
    nw = len(w)
    found, values = kernel(s, gaps(texts)), kernel(s, conditions(texts))
    when = np.array([t])
    g, rate, G, gamma = found(y, w, when)
    assert G.shape == (len(texts), nw)
    assert np.array_equal(g, values(y, w, when)) or np.allclose(g, values(y, w, when), rtol=1e-14, atol=1e-14)

    def value(y: Array, t: Array) -> Array:
        return values(y, np.zeros(nw), t)

    first, second = along(s, value, y, w, t, h)
    scale = 1.0 + np.abs(second)
    assert np.abs(rate - first).max() < 1e-7 * scale.max()
    assert (np.abs(gamma - second) < 1e-7 * scale).all()
    by_y, by_t = s.bound_kernel(Question(conditions(texts), (("y", "t"),)))(y, w, when)
    size = 1.0 + np.abs(by_y).max()
    assert np.abs(G - by_y).max() < 1e-12 * size
    assert np.abs(rate - by_y @ w - by_t[:, 0]).max() < 1e-12 * size * (1.0 + np.abs(w).max())


# ---------------------------------------------------------------- exact cases


def pendulum(length: float = 0.7) -> lw.Mechanism:
    m = lw.Mechanism("pendulum", gravity=(0, 0, -9.81))
    m.body("rod", mass=1.0, com=(0, 0, -length))
    m.revolute("A", "ground", "rod", axis="y")
    m.point("tip", "rod", (0, 0, -length))
    m.point("peg", "ground", (0.1, 0.2, 0.3))
    return m


def test_a_pendulum_above_a_floor() -> None:
    length, q, w, t = 0.7, 0.4, -1.3, 0.8
    s = pendulum(length).assemble()
    texts = ["tip.z + 0.5*t**2", "A - 1", "tip.x*tip.z", "tip.x - peg.x", "sin(3*A) + t"]
    g, rate, G, gamma = kernel(s, gaps(texts))(np.array([q]), np.array([w]), np.array([t]))
    x, z, dx, dz = -length * math.sin(q), -length * math.cos(q), -length * math.cos(q), length * math.sin(q)
    assert np.abs(g - [z + 0.5 * t**2, q - 1, x * z, x - 0.1, math.sin(3 * q) + t]).max() < 1e-14
    slopes = [dz, 1.0, dx * z + x * dz, dx, 3 * math.cos(3 * q)]
    assert np.abs(G[:, 0] - slopes).max() < 1e-14
    assert np.abs(rate - np.array(slopes) * w - [t, 0, 0, 0, 1]).max() < 1e-14
    bends = [-z * w**2 + 1.0, 0.0, (2 * dx * dz - 2 * x * z) * w**2, -x * w**2, -9 * math.sin(3 * q) * w**2]
    assert np.abs(gamma - bends).max() < 1e-13


def test_conditions_of_rates() -> None:
    length, q, w, t = 0.7, 0.4, -1.3, 0.8
    s = pendulum(length).assemble()
    texts = [
        "rate(A)",
        "rate(A.angle)**2 + t",
        "rate(tip.z) - 0.1",
        "rod.x + peg.z",
        "rate(peg.x)",
        "where(A > 0, 2, 3)",
    ]
    g = kernel(s, conditions(texts))(np.array([q]), np.array([w]), np.array([t]))
    assert np.abs(g - [w, w**2 + t, length * math.sin(q) * w - 0.1, 0.3, 0.0, 2.0]).max() < 1e-14


def test_a_body_that_flies() -> None:
    """Along no forces a corner of a spinning box goes round: γ = ω × (ω × r)."""
    s = lw.example("free-box").assemble()
    rng = np.random.default_rng(3)
    y, w = rng.normal(size=7), rng.normal(size=6)
    y[3:] /= np.linalg.norm(y[3:])
    _, rate, G, gamma = kernel(s, gaps(["corner.x", "corner.y", "corner.z"]))(y, w, np.zeros(1))
    X = s.pose("box", y)
    r = s.position("corner", y) - X[:3, 3]
    velocity = s.velocity("box", y, w)
    spin = velocity[3:]
    assert np.abs(gamma - np.cross(spin, np.cross(spin, r))).max() < 1e-13
    assert np.abs(rate - s.velocity("corner", y, w)[:3]).max() < 1e-13
    assert np.abs(G - s.jacobian("corner", y)[:3]).max() < 1e-14
    check_gaps(s, ["corner.z - flight.z", "hypot(corner.x, corner.y)*t", "box.x"], y, w, 0.3)


def test_variables_called_as_coordinates_are() -> None:
    """`J.x` of a flat joint is its variable; that of a floating body is both its variable and its coordinate."""
    m = lw.Mechanism("table", gravity=(0, 0, -9.81), floating=True)
    m.body("plate", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.flat("J", "ground", "plate", axis="z", at=(1.0, 2.0, 0.0), value={"x": 0.3, "y": 0.4, "angle": 0.5})
    m.body("stone", mass=1.0, com=(0.1, 0.2, 0.3), inertia=(1.0, 1.0, 1.0), frame=lw.placement((0.4, 0.5, 0.6)))
    s = m.assemble()
    y, w = s.plan.layout_y, np.arange(1.0, 10.0)
    g, rate, G, gamma = kernel(s, gaps(["J.x", "stone.z"]))(y, w, np.zeros(1))
    assert g[0] == 0.3
    assert abs(g[1] - s.position("stone", y)[2]) < 1e-15
    assert rate[1] == s.velocity("stone", y, w)[2]
    assert np.abs(G).sum() == 2.0
    assert not gamma.any()


# ---------------------------------------------------------------- differences


def test_joints_that_close_loops() -> None:
    for name in ("theo-jansen-leg", "excavator-arm", "slider-crank"):
        s = lw.example(name).assemble()
        rng = np.random.default_rng(5)
        plan = s.plan
        y, w = plan.layout_y + 0.1 * rng.normal(size=plan.ny), rng.normal(size=plan.nw)
        cut, first, place = plan.variables[-1], plan.variables[0], plan.points[0].name
        texts = [
            f"{written(cut)}*{written(f'{place}.x')} + cos({written(first)}*t)",
            f"{written(f'{place}.y')}**2 - 0.3*t",
            f"hypot(1 + {written(cut)}, {written(first)})",
        ]
        check_gaps(s, texts, y, w, 0.6)


FIRST_OF_KIND = {case.law.kind: case.name for case in reversed(CASES)}
KINDS = [
    pytest.param(case, id=case.name, marks=() if FIRST_OF_KIND[case.law.kind] == case.name else pytest.mark.slow)
    for case in CASES
]


@pytest.mark.parametrize("case", KINDS)
def test_every_joint_kind(case: Case) -> None:
    grown = single_joint(case, 1)
    s = grown.system
    y, w, _ = grown.state(np.random.default_rng(2))
    check_gaps(s, ["P.x + 0.5*T.y*T.z", "exp(-tip.z)*t + R"], y, 0.5 * w, 0.4)


@pytest.mark.parametrize("seed", range(3))
def test_random_trees(seed: int) -> None:
    grown = grow_tree(seed, NAMES[:8], bodies=5, floating=seed % 2)
    s = grown.system
    y, w, _ = grown.state(np.random.default_rng(seed))
    places = [*s.bodies, *(m.name for m in s.plan.points), *(m.name for m in s.plan.frames)]
    rng = np.random.default_rng(seed)
    texts = [f"{a}.{c} - {b}.{d}*t" for a, b, c, d in zip(places, places[::-1], "xyzxyz", "zxyzxy", strict=False)]
    check_gaps(s, texts, y, 0.4 * w, rng.uniform(0.0, 1.0))


# ---------------------------------------------------------------- problems


def test_unknown_names_are_told() -> None:
    s = pendulum().assemble()
    for text, hint in (("tap.z", "tip.z"), ("B", "A"), ("tip.w", "tip.z"), ("rate(tipp.z)", "tip.z")):
        with pytest.raises(lw.ModelError, match=f"nothing called.*{hint}"):
            kernel(s, conditions([text]))
    with pytest.raises(lw.ModelError, match=r"positions and time, not on rate\(A\)"):
        gaps(["A", "rate(A) + 1"])


def test_names_that_arithmetic_cannot_say_stand_in_quotes() -> None:
    m = lw.Mechanism("lift", gravity=(0, 0, -9.81))
    m.body("car", mass=1.0)
    m.prismatic("up-down", "ground", "car", axis="z")
    m.point("car-floor", "car", (0, 0, -1.0))
    s = m.assemble()
    texts = ["'car-floor.z' - 2*'up-down.slide'", "rate('car-floor.z') + rate('up-down')"]
    g = kernel(s, conditions(texts))(np.array([0.25]), np.array([0.5]), np.zeros(1))
    assert np.array_equal(g, [-1.25, 1.0])


def test_quantities_are_told_apart_by_their_texts() -> None:
    assert conditions(["A + 1"]).name == conditions(["A  +  1"]).name
    names = [conditions(["A"]), conditions(["A", "A"]), conditions(["A*1"]), gaps(["A"])]
    assert len({quantity.name for quantity in names}) == 4
