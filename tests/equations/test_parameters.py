"""Numbers of the model as parameters: changed at run time, per sample, across structural zeros, with one trace each."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from balances import near
from laws import NAMES
from random_trees import grow_tree

import linkwork as lw
import linkwork.formulas
from linkwork.equations.plan import constants
from linkwork.equations.quantities import QUANTITIES
from linkwork.equations.trace import Numbers, trace
from linkwork.formulas import Formulas


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Names of the quantities traced during a test, in order; no equations are known when it starts."""
    names: list[str] = []

    def counting(name: str) -> Callable[..., Any]:
        real = getattr(linkwork.formulas, name)

        def wrapped(plan: Any, numbers: Any, quantity: Any, *rest: Any, **options: Any) -> Any:
            names.append(quantity.name)
            return real(plan, numbers, quantity, *rest, **options)

        return wrapped

    monkeypatch.setattr(linkwork.formulas, "_kept", OrderedDict())
    for name in ("trace", "trace_derivative"):
        monkeypatch.setattr(linkwork.formulas, name, counting(name))
    yield names


def arm(
    *,
    mass: float = 2.0,
    com_y: float = 0.0,
    length: float = 0.5,
    twist: float = 0.0,
    xy: float = 0.0,
    gravity: float = -9.81,
    lead: float = 0.02,
    tip: float = 0.3,
) -> lw.Mechanism:
    """Two revolute joints and a screw; `twist` turns the second axis out of its alignment."""
    m = lw.Mechanism("arm", gravity=(0, 0, gravity))
    m.body("upper", mass=mass, com=(0.2, com_y, 0.0), inertia=(0.01, 0.05, 0.05, xy, 0, 0))
    m.body("fore", mass=1.0, com=(0.1, 0.0, 0.0), inertia=(0.01, 0.02, 0.02), frame=lw.placement((length, 0, 0)))
    m.body("nut", mass=0.3, com=(0.0, 0.0, 0.1), inertia=(0.01, 0.01, 0.01), frame=lw.placement((length, 0, 0)))
    m.revolute("A", "ground", "upper", axis="z")
    second = (0.0, np.cos(twist), np.sin(twist))
    m.revolute("B", "upper", "fore", at=(length, 0, 0), axis=second, x="x")
    m.helical("C", "fore", "nut", lead=lead, at=(length + 0.2, 0, 0), axis="x", x="y")
    m.point("P", "nut", (tip, 0, 0), within="nut")
    return m


STATE = np.random.default_rng(0).normal(size=(3, 5, 3))


def answers(s: lw.System, **options: Any) -> list[np.ndarray]:
    q, v, a = STATE
    return [
        s.inverse_dynamics(q, v, a, **options),
        s.mass_matrix(q, **options),
        s.forward_dynamics(q, v, a, method="composite", **options),
        s.forward_dynamics(q, v, a, method="articulated", **options),
        s.joint_wrenches(q, v, a, **options)[1],
        s.kinetic_energy(q, v, **options),
        s.potential_energy(q, **options),
        s.poses(q, **options),
        s.position("P", q, **options),
        s.jacobian("P", q, **options),
        s.centre_of_mass(q, **options),
    ]


def same(found: list[np.ndarray], expected: list[np.ndarray], tol: float = 1e-13) -> None:
    for x, y in zip(found, expected, strict=True):
        near(x, y, tol)


def differences(a: lw.Mechanism, b: lw.Mechanism) -> dict[str, float]:
    """Parameters of b that differ from those of a."""
    mine, other = lw.System(a).parameters, lw.System(b).parameters
    assert list(mine) == list(other)
    return {name: x for name, x in other.items() if x != mine[name]}


def test_every_number_has_a_name() -> None:
    p = lw.System(arm()).parameters
    assert p["upper.mass"] == 2.0 and p["upper.com.x"] == 0.2 and p["upper.inertia.yy"] == 0.05
    assert (
        p["B.tail.at.x"] == 0.5 and p["C.lead"] == 0.02 and p["gravity.z"] == -9.81 and abs(p["P.at.x"] - 0.3) < 1e-15
    )
    assert [p[f"A.head.w.{c}"] for c in "xyz"] == [0.0, 0.0, 1.0]
    assert all(isinstance(x, float) for x in p.values())


@pytest.mark.parametrize("change", [{"mass": 3.1}, {"length": 0.7}, {"lead": -0.5}, {"gravity": -1.62}, {"tip": 0.9}])
def test_a_changed_number_is_that_of_a_new_machine_and_nothing_is_traced(
    change: dict[str, float], traced: list[str]
) -> None:
    s = lw.System(arm())
    before = answers(s)
    count = len(traced)
    assert count >= 11
    other = s.with_parameters(differences(arm(), arm(**change)))
    same(answers(other), answers(lw.System(arm(**change))), 1e-14)
    same(answers(s), before, 0.0)  # the first system keeps its numbers
    assert len(traced) == count
    assert other.parameters == {**s.parameters, **differences(arm(), arm(**change))}


def test_parameters_of_a_call_are_those_of_a_system(traced: list[str]) -> None:
    s = lw.System(arm())
    change = {"upper.mass": 4.0, "fore.com.x": 0.33, "B.tail.at.x": 0.6}
    same(answers(s, parameters=change), answers(s.with_parameters(change)), 0.0)


@pytest.mark.parametrize(
    "change", [{"com_y": 0.1}, {"twist": 0.4}, {"xy": 0.003}, {"com_y": -0.2, "twist": 1.1}, {"gravity": 0.0}]
)
def test_a_structural_zero_that_changes_takes_one_trace_and_none_back(
    change: dict[str, float], traced: list[str]
) -> None:
    s = lw.System(arm(gravity=-9.81))
    q, v, a = STATE
    before = s.inverse_dynamics(q, v, a)
    assert traced == ["inverse_dynamics"]
    other = s.with_parameters(differences(arm(), arm(**change)))
    found = other.inverse_dynamics(q, v, a)
    needed = 1 if change != {"gravity": 0.0} else 0  # a number that becomes zero runs on the equations it has
    assert traced == ["inverse_dynamics"] * (1 + needed)
    near(s.inverse_dynamics(q, v, a), before, 0.0)
    near(s.with_parameters({}).inverse_dynamics(q, v, a), before, 1e-13)
    near(other.with_parameters({"upper.mass": 1.0}).inverse_dynamics(q, v, a), other.inverse_dynamics(
        q, v, a, parameters={"upper.mass": 1.0}), 0.0)  # fmt: skip
    assert len(traced) == 1 + needed
    linkwork.formulas._kept.clear()
    near(found, lw.System(arm(**change)).inverse_dynamics(q, v, a), 1e-13)


def test_all_answers_across_a_structural_zero() -> None:
    change = {"com_y": 0.1, "twist": 0.4}
    other = lw.System(arm()).with_parameters(differences(arm(), arm(**change)))
    same(answers(other), answers(lw.System(arm(**change))))


def test_each_set_of_structural_zeros_is_traced_once(traced: list[str]) -> None:
    s = lw.System(arm())
    q, v, a = STATE
    for change in ({"upper.com.y": 0.1}, {"upper.com.z": 0.1}, {"upper.com.y": 0.1, "upper.com.z": 0.2}):
        s.inverse_dynamics(q, v, a, parameters=change)
    assert len(traced) == 3  # the product of both is a new entry of the second moments
    s.inverse_dynamics(q, v, a)
    s.inverse_dynamics(q, v, a, parameters={"upper.com.y": 0.3})
    s.inverse_dynamics(q, v, a, parameters={"upper.com.z": 0.3})
    assert len(traced) == 4  # one more for the model's own numbers


def test_parameters_may_differ_from_sample_to_sample(traced: list[str]) -> None:
    s = lw.System(arm())
    rng = np.random.default_rng(1)
    own = {"upper.mass": rng.uniform(1, 3, 5), "B.tail.at.x": rng.uniform(0.2, 0.9, 5), "C.lead": rng.normal(size=5)}
    found = answers(s, parameters=own)
    for k in range(5):
        one = s.with_parameters({name: float(x[k]) for name, x in own.items()})
        for x, y in zip(found, answers(one), strict=True):
            near(x[k], y[k], 1e-14)


def test_some_samples_are_zero() -> None:
    s = lw.System(arm())
    own = {"upper.com.y": np.array([0.0, 0.1, 0.0, -0.2, 0.0]), "gravity.z": np.array([0.0, -9.81, -1.0, 0.0, 0.0])}
    found = answers(s, parameters=own)
    for k in range(5):
        one = answers(s.with_parameters({name: float(x[k]) for name, x in own.items()}))
        for x, y in zip(found, one, strict=True):
            near(x[k], y[k], 1e-13)
    same(answers(s, parameters={"upper.com.y": np.zeros(5)}), answers(s), 1e-15)


def test_parameters_broadcast_against_states() -> None:
    s = lw.System(arm())
    q, v, a = STATE[:, 0]
    masses = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    found = s.inverse_dynamics(q, v, a, parameters={"fore.mass": masses, "upper.mass": masses[:1]})
    assert found.shape == (2, 3, 3)
    for i in range(2):
        for j in range(3):
            change = {"fore.mass": masses[i, j], "upper.mass": masses[0, j]}
            near(found[i, j], s.inverse_dynamics(q, v, a, parameters=change), 1e-14)
    out = np.empty((2, 3, 3))
    given = s.inverse_dynamics(q, v, a, parameters={"fore.mass": masses, "upper.mass": masses[:1]}, out=out)
    assert given is out
    near(out, found, 0.0)


def test_a_large_batch_of_parameters_is_worked_on_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    s = lw.System(arm())
    q, v, a = STATE[:, 0]
    masses = np.linspace(0.0, 2.0, 23)
    whole = s.inverse_dynamics(q, v, a, parameters={"upper.mass": masses})
    monkeypatch.setattr(linkwork.formulas, "PIECE", 5)
    np.testing.assert_array_equal(s.inverse_dynamics(q, v, a, parameters={"upper.mass": masses}), whole)


def test_no_samples_of_parameters() -> None:
    s = lw.System(arm())
    q, v, a = STATE[:, 0]
    assert s.inverse_dynamics(q, v, a, parameters={"upper.mass": np.zeros(0)}).shape == (0, 3)


def test_unknown_names_are_told() -> None:
    s = lw.System(arm())
    with pytest.raises(lw.ModelError, match=r"'uper\.mass'.*upper\.mass"):
        s.with_parameters({"uper.mass": 1.0})
    with pytest.raises(lw.ModelError, match=r"'C\.led'.*C\.lead"):
        s.mass_matrix(np.zeros(3), parameters={"C.led": 1.0})
    with pytest.raises(lw.ModelError, match="nonsense"):
        s.derivative("mass_matrix", ["nonsense"])


def test_a_small_body_beside_a_huge_one_keeps_its_inertia() -> None:
    """Zeros are judged body by body: a watch on a ship is not a rounding error."""
    m = lw.Mechanism("watch-on-a-ship", gravity=(0, 0, -9.81))
    m.body("ship", mass=1e8, com=(1, 2, 0), inertia=(1e10, 2e10, 2e10))
    m.body("wheel", mass=1e-4, com=(1e-4, 0, 0), inertia=(1e-10, 1e-10, 1.5e-10))
    m.revolute("heel", "ground", "ship", axis="x")
    m.revolute("balance", "ship", "wheel", axis="z")
    s = lw.System(m)
    M = s.mass_matrix([0.0, 0.3])
    expected = 1.5e-10 + 1e-4 * 1e-8
    assert abs(M[1, 1] - expected) <= 1e-12 * expected
    tau = 1e-9
    a = s.forward_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, tau])
    assert np.isfinite(a).all() and abs(a[1]) > 1.0


@pytest.mark.parametrize("seed", range(6))
def test_regrouped_inertias_give_the_same_answers(seed: int) -> None:
    kinds = [NAMES[(3 * seed + 4 * k) % len(NAMES)] for k in range(2)] + ["revolute", "prismatic", "rigid"]
    grown = grow_tree(seed, kinds, bodies=4, aligned=seed % 2 == 0, floating=seed == 3)
    s = grown.system
    plan = s.plan
    q, v, a = grown.state(np.random.default_rng(seed))
    given = {"q": q, "v": v, "a": a, "tau": a}
    regrouping = [quantity for quantity in QUANTITIES.values() if quantity.regroups]
    assert len(regrouping) >= 6
    for quantity in regrouping:
        found = {}
        for regrouped in (False, True):
            pattern, values = Formulas(plan)._found(s.parameters, regrouped)
            composed = trace(plan, Numbers(constants(plan, s.parameters, regrouped), pattern), quantity)
            settled = composed.settle.function(values)
            found[regrouped] = np.array(composed.main.function(*[given[n] for n in quantity.inputs], settled))
        tol = 1e-13 * np.linalg.cond(s.mass_matrix(q)) if "tau" in quantity.inputs else 0.0
        near(found[True], found[False], tol + 1e-12, what=quantity.name)


# --- bits and structure -----------------------------------------------------------------------------------------------


def test_a_sample_has_the_same_bits_whatever_stands_beside_it() -> None:
    s = lw.System(arm())
    rng = np.random.default_rng(5)
    for _ in range(10):
        q, v, a = rng.normal(size=(3, 3))
        for name, values in {"upper.com.y": [0.0, 0.1], "upper.mass": [1.3, 2.0], "B.tail.w.x": [0.0, 0.3]}.items():
            both = s.inverse_dynamics(q, v, a, parameters={name: values})
            for k, x in enumerate(values):
                np.testing.assert_array_equal(both[k], s.inverse_dynamics(q, v, a, parameters={name: [x]})[0])
                np.testing.assert_array_equal(both[k], s.inverse_dynamics(q, v, a, parameters={name: x}))
                np.testing.assert_array_equal(both[k], s.with_parameters({name: x}).inverse_dynamics(q, v, a))


def test_bits_stay_when_a_kernel_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    q, v, a = STATE[:, 0]
    own = {"upper.mass": 1.7, "upper.com.y": 0.1, "B.tail.at.x": 0.61}
    plain = lw.System(arm()).inverse_dynamics(q, v, a, parameters=own)
    monkeypatch.setattr(linkwork.formulas, "SELDOM", 0)
    np.testing.assert_array_equal(lw.System(arm()).inverse_dynamics(q, v, a, parameters=own), plain)


def test_one_sample_with_nan_leaves_the_others_alone() -> None:
    s = lw.System(arm())
    q, v, a = STATE[:, 0]
    found = s.inverse_dynamics(q, v, a, parameters={"upper.com.y": [0.1, np.nan, 0.0]})
    assert np.isnan(found[1]).any() and np.isfinite(found[[0, 2]]).all()


def test_a_small_length_beside_a_large_one_is_not_lost() -> None:
    s = lw.System(arm())
    q, v, a = STATE[:, 0]
    alone = s.inverse_dynamics(q, v, a, parameters={"upper.com.y": [0.1]})
    beside = s.inverse_dynamics(q, v, a, parameters={"upper.com.y": [0.1, 0.1], "B.tail.at.x": [0.5, 1e14]})
    np.testing.assert_array_equal(beside[0], alone[0])


def test_a_far_point_does_not_move_a_near_joint() -> None:
    m = lw.Mechanism("near-and-far")
    m.body("a", mass=1.0, com=(0.1, 0, 0), inertia=(1, 1, 1))
    m.revolute("A", "ground", "a", at=(1e-3, 0, 0), axis="z")
    m.point("far", "ground", at=(1.5e11, 0, 0))
    m.point("p", "a", at=(0.5, 0, 0))
    s = lw.System(m)
    near(s.position("p", [0.3]), [1e-3 + 0.499 * np.cos(0.3), 0.499 * np.sin(0.3), 0.0], 1e-15)


def test_out_and_arguments_are_checked_with_parameters_too() -> None:
    s = lw.System(arm())
    q, v, a = STATE[:, 0]
    own = {"upper.mass": [1.0, 2.0]}
    with pytest.raises(lw.LinkworkError, match="takes 3 arrays"):
        s.derivative("inverse_dynamics", "q")(q, v, a, q, parameters=own)
    for out in (np.empty((5, 2, 3)), np.empty((2, 3), np.float32), [0.0]):
        with pytest.raises(lw.LinkworkError, match="out"):
            s.inverse_dynamics(q, v, a, parameters=own, out=out)
    out = np.empty((2, 3))
    assert s.inverse_dynamics(q, v, a, parameters=own, out=out) is out
    np.testing.assert_array_equal(out, s.inverse_dynamics(q, v, a, parameters=own))
    with pytest.raises(lw.ModelError, match="shapes"):
        s.inverse_dynamics(q, v, a, parameters={"upper.mass": [1.0, 2.0], "fore.mass": [1.0, 2.0, 3.0]})


def test_out_may_be_an_input() -> None:
    s = lw.System(arm())
    rng = np.random.default_rng(3)
    q, v, a = rng.normal(size=(3, 4, 3))
    own = {"upper.com.y": [0.0, 0.1, 0.0, 0.2]}  # two structures, one after the other
    expected = s.inverse_dynamics(q, v, a, parameters=own)
    room = np.vstack([q, np.zeros((1, 3))])
    found = s.inverse_dynamics(room[:4], v, a, parameters=own, out=room[1:])
    np.testing.assert_array_equal(found, expected)


def test_broadcasting_of_parameters() -> None:
    s = lw.System(arm())
    q, v, a = STATE[:, 0]
    masses, places = np.array([[1.0], [2.0]]), np.array([0.0, 0.1, 0.2])
    found = s.inverse_dynamics(q, v, a, parameters={"upper.mass": masses, "upper.com.y": places})
    assert found.shape == (2, 3, 3)
    for i in range(2):
        for j in range(3):
            own = {"upper.mass": masses[i, 0], "upper.com.y": places[j]}
            np.testing.assert_array_equal(found[i, j], s.inverse_dynamics(q, v, a, parameters=own))


def test_numbers_of_a_law_are_checked() -> None:
    s = lw.System(arm())
    with pytest.raises(lw.ModelError, match="lead"):
        s.with_parameters({"C.lead": 0.0})
    with pytest.raises(lw.ModelError, match="not a number"):
        s.with_parameters({"upper.mass": "heavy"})
