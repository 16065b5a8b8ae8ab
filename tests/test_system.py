"""System, the user's door to the equations: names, shapes, batches, errors, and every example of the gallery."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import LinkworkError

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def pendulum() -> lw.System:
    return lw.System(lw.example("double-pendulum"))


@pytest.fixture(scope="module")
def turner() -> lw.System:
    """A revolute joint and a ball: nq is not nv."""
    m = lw.Mechanism("turner", gravity=(0, 0, -9.81))
    m.body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.body("head", mass=0.5, com=(1, 0.1, 0), inertia=(0.01, 0.02, 0.02))
    m.revolute("A", "ground", "arm", axis="y")
    m.spheric("S", "arm", "head", at=(1, 0, 0))
    m.point("P", "head", (1.2, 0, 0))
    m.frame("T", "head", (1.2, 0, 0), rpy=(0.1, 0.2, 0.3))
    m.point("G", "ground", (0, 0, 1))
    return lw.System(m)


def one_joint() -> lw.Mechanism:
    m = lw.Mechanism("bar", gravity=(0, -9.81, 0))
    m.body("bar", mass=2.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    m.revolute("A", "ground", "bar", axis="z")
    m.point("P", "bar", (1, 0, 0))
    return m


# --- what it is -------------------------------------------------------------------------------------------------------


def test_names(turner: lw.System) -> None:
    assert turner.name == "turner" and (turner.nq, turner.nv) == (5, 4)
    assert turner.coordinates == ("A.angle", "S.qw", "S.qx", "S.qy", "S.qz")
    assert turner.rates == ("A.angle", "S.wx", "S.wy", "S.wz")
    assert turner.bodies == ("arm", "head") and turner.tree_joints == ("A", "S") and turner.cut_joints == ()
    assert list(turner.neutral) == [0, 1, 0, 0, 0]


def test_coordinates_follow_the_declaration_not_the_tree() -> None:
    m = lw.Mechanism()
    for body in ("a", "b"):
        m.body(body, mass=1.0, com=(1, 0, 0))
    m.prismatic("outer", "a", "b")
    m.revolute("inner", "ground", "a")
    s = lw.System(m)
    assert s.coordinates == ("outer.slide", "inner.angle") and s.bodies == ("a", "b")
    M = s.mass_matrix([0.2, 0.3])
    assert M[0, 0] == 1.0 and abs(M[1, 1] - 2.0) < 1e-14


def test_repr() -> None:
    assert repr(lw.System(lw.example("double-pendulum"))) == (
        "System 'double-pendulum': 2 moving bodies, 2 coordinates, 2 rates"
    )
    assert "; cut joints: " in repr(lw.System(lw.example("four-bar")))
    squeezer = lw.System(lw.example("andrews-squeezer"))
    assert f"; cut joints: {', '.join(squeezer.cut_joints)}" in repr(squeezer)


def test_an_unsound_mechanism_is_refused() -> None:
    m = lw.Mechanism()
    m.body("a", mass=1.0, com=(0, 0, 0))
    m.revolute("A", "ground", "b")
    with pytest.raises(lw.ModelError, match="no body 'b'"):
        lw.System(m)


def test_a_chosen_cut() -> None:
    m = lw.example("four-bar")
    for joint in m.joints:
        s = lw.System(m, cut=[joint])
        assert s.cut_joints == (joint,) and len(s.bodies) == 3
    with pytest.raises(lw.ModelError):
        lw.System(m, cut=["nonsense"])


# --- posture ----------------------------------------------------------------------------------------------------------


def test_posture(turner: lw.System, pendulum: lw.System) -> None:
    assert list(turner.posture()) == [0, 1, 0, 0, 0]
    assert list(turner.posture({"A": 0.3})) == [0.3, 1, 0, 0, 0]
    assert list(turner.posture({"A.angle": 0.3, "S.qw": 0.0, "S.qz": 1.0})) == [0.3, 0, 0, 0, 1]
    q = pendulum.posture({"A": np.array([[0.1], [0.2]]), "B.angle": np.arange(3.0)})
    assert q.shape == (2, 3, 2) and q[1, 2, 0] == 0.2 and q[1, 2, 1] == 2.0
    with pytest.raises(lw.ModelError, match=r"no coordinate 'A\.angel'.*A\.angle"):
        turner.posture({"A.angel": 1.0})
    with pytest.raises(lw.ModelError, match=r"'S' has 4 coordinates.*S.qw, S.qx"):
        turner.posture({"S": 1.0})
    assert list(turner.posture({"S": [0, 0, 0, 1]})) == [0, 0, 0, 0, 1]
    with pytest.raises(lw.ModelError, match="both give"):
        turner.posture({"A": 1.0, "A.angle": 2.0})
    with pytest.raises(lw.ModelError, match="length 2"):
        turner.posture({"S.qw": 2.0})
    with pytest.raises(lw.ModelError, match="cut joint"):
        lw.System(lw.example("four-bar")).posture({"B": 1.0})
    assert list(turner.rates_of({"A": 2.0, "S.wy": 3.0})) == [2, 0, 3, 0]
    with pytest.raises(lw.ModelError, match=r"no rate 'S.qw'"):
        turner.rates_of({"S.qw": 3.0})
    q = turner.neutral
    q[0] = 7.0
    assert turner.neutral[0] == 0.0


# --- shapes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lead", [(), (1,), (7,), (2, 3), (0,), (3, 0, 2), (40,)])
def test_any_leading_shape(turner: lw.System, lead: tuple[int, ...]) -> None:
    q = turner.integrate(turner.neutral, RNG.normal(size=(*lead, 4)))
    v, a = RNG.normal(size=(2, *lead, 4))
    results = {
        (4,): [turner.inverse_dynamics(q, v, a), turner.forward_dynamics(q, v, a), turner.bias(q, v)],
        (4, 4): [turner.mass_matrix(q)],
        (2, 4, 4): [turner.poses(q)],
        (): [turner.kinetic_energy(q, v), turner.potential_energy(q)],
        (6,): [turner.momentum(q, v), turner.velocity("P", q, v), turner.acceleration("T", q, v, a)],
        (3,): [turner.position("P", q), turner.centre_of_mass(q)],
        (6, 4): [turner.jacobian("P", q)],
        (2, 6): [turner.joint_wrenches(q, v, a)[1]],
        (5,): [q, turner.flow(q, v)],
    }
    for shape, arrays in results.items():
        for array in arrays:
            assert array.shape == (*lead, *shape) and array.dtype == np.float64


def test_batches_equal_loops_to_the_bit(turner: lw.System) -> None:
    q = turner.integrate(turner.neutral, RNG.normal(size=(50, 4)))
    v, a = RNG.normal(size=(2, 50, 4))
    whole = turner.inverse_dynamics(q, v, a)
    loop = np.array([turner.inverse_dynamics(*x) for x in zip(q, v, a, strict=True)])
    np.testing.assert_array_equal(whole, loop)
    np.testing.assert_array_equal(turner.inverse_dynamics(q, v, a, threads=1), whole)
    np.testing.assert_array_equal(turner.inverse_dynamics(q[::-1], v[::-1], a[::-1])[::-1], whole)


def test_broadcasting(turner: lw.System) -> None:
    q = turner.integrate(turner.neutral, RNG.normal(size=(3, 1, 4)))
    v, a = RNG.normal(size=(2, 4)), np.zeros(4)
    found = turner.inverse_dynamics(q, v, a)
    assert found.shape == (3, 2, 4)
    np.testing.assert_array_equal(found[2, 1], turner.inverse_dynamics(q[2, 0], v[1], a))


def test_a_single_coordinate_keeps_its_axis() -> None:
    s = lw.System(one_joint())
    for lead in ((), (3,), (2, 3), (1,)):
        q, v, a = RNG.normal(size=(3, *lead, 1))
        tau = 0.6 * a + 2 * 9.81 * 0.5 * np.cos(q)
        assert s.inverse_dynamics(q, v, a).shape == (*lead, 1)
        np.testing.assert_allclose(s.inverse_dynamics(q, v, a), tau, rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(s.forward_dynamics(q, v, tau), a, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(s.mass_matrix(q), np.full((*lead, 1, 1), 0.6), rtol=1e-15)
        assert s.jacobian("P", q).shape == (*lead, 6, 1)
        assert s.poses(q).shape == (*lead, 1, 4, 4)
        assert s.joint_wrenches(q, v, a)[0].shape == (*lead, 1)
        assert s.joint_wrenches(q, v, a)[1].shape == (*lead, 1, 6)
        assert s.kinetic_energy(q, v).shape == lead
        assert s.integrate(q, v).shape == s.difference(q, v).shape == s.flow(q, v).shape == (*lead, 1)
        assert s.derivative("inverse_dynamics", "q")(q, v, a).shape == (*lead, 1, 1)
        assert s.derivative("mass_matrix", "bar.mass")(q).shape == (*lead, 1, 1)
        assert s.derivative("mass_matrix", ["bar.mass"])(q).shape == (*lead, 1, 1, 1)
        out = np.empty((*lead, 1, 1))
        assert s.mass_matrix(q, out=out) is out and (out == s.mass_matrix(q)).all()
        out = np.empty((*lead, 6, 1))
        assert s.jacobian("P", q, out=out) is out and (out == s.jacobian("P", q)).all()
    found = s.inverse_dynamics([0.0], [0.0], [0.0], parameters={"bar.mass": np.array([1.0, 2.0, 4.0])})
    np.testing.assert_allclose(found, 9.81 * 0.5 * np.array([[1.0], [2.0], [4.0]]))
    for wrong in (0.3, np.zeros(2), np.zeros((3, 2))):
        with pytest.raises(LinkworkError, match="q"):
            s.mass_matrix(wrong)


def test_a_machine_that_cannot_move() -> None:
    m = lw.Mechanism(gravity=(0, 0, -9.81))
    m.body("plate", mass=2.0, com=(1, 2, 3), inertia=(1, 1, 1))
    m.rigid("weld", "ground", "plate")
    s = lw.System(m)
    q = np.zeros(0)
    assert s.nq == s.nv == 0 and s.posture().shape == (0,)
    assert s.mass_matrix(q).shape == (0, 0) and s.inverse_dynamics(q, q, q).shape == (0,)
    _, wrench = s.joint_wrenches(q, q, q)
    np.testing.assert_allclose(wrench, [[0, 0, 19.62, 39.24, -19.62, 0]], rtol=1e-14)
    np.testing.assert_allclose(s.potential_energy(q), 2 * 9.81 * 3)
    assert s.poses(np.zeros((4, 0))).shape == (4, 1, 4, 4)


# --- out --------------------------------------------------------------------------------------------------------------


def test_out(turner: lw.System) -> None:
    q = turner.integrate(turner.neutral, RNG.normal(size=(6, 4)))
    v, a = RNG.normal(size=(2, 6, 4))
    for call, arrays, shape in (
        (turner.inverse_dynamics, (q, v, a), (6, 4)),
        (turner.forward_dynamics, (q, v, a), (6, 4)),
        (turner.mass_matrix, (q,), (6, 4, 4)),
        (turner.poses, (q,), (6, 2, 4, 4)),
        (turner.integrate, (q, v), (6, 5)),
    ):
        out = np.full(shape, np.nan)
        given = call(*arrays, out=out)  # type: ignore[operator]
        assert given is out
        np.testing.assert_array_equal(out, call(*arrays))  # type: ignore[operator]
    strided = np.full((6, 8), np.nan)
    turner.inverse_dynamics(q, v, a, out=strided[:, ::2])
    np.testing.assert_array_equal(strided[:, ::2], turner.inverse_dynamics(q, v, a))
    assert np.isnan(strided[:, 1::2]).all()
    same = a.copy()
    turner.inverse_dynamics(q, v, same, out=same)
    np.testing.assert_array_equal(same, turner.inverse_dynamics(q, v, a))


def test_out_of_the_wrong_form_is_refused(turner: lw.System) -> None:
    q, v = turner.neutral, np.zeros(4)
    for wrong in (np.zeros(5), np.zeros((2, 4)), np.zeros(4, np.float32), np.zeros(4, int), [0.0] * 4):
        with pytest.raises(LinkworkError, match="out"):
            turner.inverse_dynamics(q, v, v, out=wrong)
    with pytest.raises(LinkworkError, match="out"):
        turner.poses(q, out=np.zeros((4, 4)))
    frozen = np.zeros(4)
    frozen.setflags(write=False)
    with pytest.raises((LinkworkError, ValueError)):
        turner.inverse_dynamics(q, v, v, out=frozen)


# --- wrong arguments --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("q", "v", "a", "name"),
    [
        (np.zeros(4), np.zeros(4), np.zeros(4), "q"),
        (np.zeros(5), np.zeros(5), np.zeros(4), "v"),
        (np.zeros(5), np.zeros(4), np.zeros((3, 2)), "a"),
        (0.0, np.zeros(4), np.zeros(4), "q"),
        (np.zeros((2, 5)), np.zeros((3, 4)), np.zeros(4), "v"),
        (np.zeros(5, complex), np.zeros(4), np.zeros(4), "q"),
        (np.zeros(5), ["a", "b", "c", "d"], np.zeros(4), "v"),
        (np.zeros(5), [[1, 2, 3, 4], [1, 2]], np.zeros(4), "v"),
        (None, np.zeros(4), np.zeros(4), "q"),
        (np.zeros(5), np.zeros(4), np.array([object()] * 4), "a"),
    ],
)
def test_wrong_arrays_are_named(turner: lw.System, q: object, v: object, a: object, name: str) -> None:
    with pytest.raises(LinkworkError, match=rf"inverse_dynamics.*\b{name}\b") as caught:
        turner.inverse_dynamics(q, v, a)
    assert isinstance(caught.value, ValueError | lw.ModelError)


def test_lists_and_integers_are_welcome(turner: lw.System) -> None:
    found = turner.inverse_dynamics([0, 1, 0, 0, 0], (0, 0, 0, 0), np.zeros(4, int))
    np.testing.assert_array_equal(found, turner.inverse_dynamics(turner.neutral, np.zeros(4), np.zeros(4)))
    np.testing.assert_array_equal(
        turner.mass_matrix(turner.neutral.astype(np.float32)), turner.mass_matrix(turner.neutral)
    )


def test_wrong_names_get_a_suggestion(turner: lw.System) -> None:
    q = turner.neutral
    with pytest.raises(lw.ModelError, match=r"'haed'.*head"):
        turner.pose("haed", q)
    with pytest.raises(lw.ModelError, match=r"'mass_matrx'.*mass_matrix"):
        turner.kernel("mass_matrx")
    with pytest.raises(lw.ModelError, match=r"'fast'.*composite"):
        turner.forward_dynamics(q, np.zeros(4), np.zeros(4), method="fast")  # type: ignore[arg-type]


def test_nan_stays_in_its_sample(turner: lw.System) -> None:
    q = turner.integrate(turner.neutral, RNG.normal(size=(37, 4)))
    v, a = RNG.normal(size=(2, 37, 4))
    good = turner.inverse_dynamics(q, v, a), turner.forward_dynamics(q, v, a), turner.mass_matrix(q)
    q[5, 2], v[9, 2], a[36, 1] = np.nan, np.nan, np.inf
    bad = turner.inverse_dynamics(q, v, a), turner.forward_dynamics(q, v, a), turner.mass_matrix(q)
    for k, (x, y) in enumerate(zip(bad, good, strict=True)):
        spoiled = [5] if k == 2 else [5, 9, 36]
        rest = np.setdiff1d(np.arange(37), spoiled)
        np.testing.assert_array_equal(x[rest], y[rest])
        for row in spoiled:
            assert not np.isfinite(x[row]).all()


# --- questions without an answer --------------------------------------------------------------------------------------


def test_loops_are_refused_where_cut_joints_carry_force() -> None:
    s = lw.System(lw.example("four-bar"))
    q, v = s.posture(), np.zeros(s.nv)
    for ask in (
        lambda: s.inverse_dynamics(q, v, v),
        lambda: s.joint_wrenches(q, v, v),
        lambda: s.forward_dynamics(q, v, v),
        lambda: s.forward_dynamics(q, v, v, method="articulated"),
        lambda: s.derivative("inverse_dynamics", "q"),
        lambda: s.kernel("inverse_dynamics"),
    ):
        with pytest.raises(lw.ModelError, match=rf"loops.*{s.cut_joints[0]}"):
            ask()
    assert np.isfinite(s.mass_matrix(q)).all() and np.isfinite(s.bias(q, v)).all()


def test_a_freedom_without_mass_is_named() -> None:
    m = lw.Mechanism("light")
    m.body("a", mass=1.0, com=(1, 0, 0))
    m.body("b")
    m.revolute("A", "ground", "a")
    m.prismatic("B", "a", "b", axis="x")
    s = lw.System(m)
    for method in ("auto", "composite", "articulated"):
        with pytest.raises(lw.ModelError, match=r"B\.slide"):
            s.forward_dynamics(np.zeros(2), np.zeros(2), np.zeros(2), method=method)  # type: ignore[arg-type]
    np.testing.assert_allclose(s.mass_matrix(np.zeros(2)), [[1, 0], [0, 0]])
    heavy = s.with_parameters({"b.mass": 2.0, "b.com.x": 1.0})
    np.testing.assert_allclose(heavy.forward_dynamics(np.zeros(2), np.zeros(2), [0.0, 4.0]), [0.0, 2.0], atol=1e-15)


@pytest.mark.parametrize("axis", [(0, 0, 1), (0.3, 0.4, 0.5)])
def test_a_point_mass_on_its_own_axis_has_no_acceleration_either(axis: tuple[float, float, float]) -> None:
    m = lw.Mechanism("top")
    m.body("a", mass=1.0, com=axis)
    m.revolute("A", "ground", "a", axis=axis)
    with pytest.raises(lw.ModelError, match=r"A\.angle"):
        lw.System(m).forward_dynamics([0.0], [0.0], [1.0])


def test_a_freedom_without_mass_is_named_whatever_was_asked_before() -> None:
    def machine(mass: float) -> lw.System:
        m = lw.Mechanism("bar")
        m.body("a", mass=mass, com=(0.3, 0, 0))
        m.revolute("only", "ground", "a")
        return lw.System(m)

    assert np.isfinite(machine(1.0).forward_dynamics([0.0], [0.0], [1.0])).all()
    with pytest.raises(lw.ModelError, match=r"only\.angle"):
        machine(0.0).forward_dynamics([0.0], [0.0], [1.0])
    with pytest.raises(lw.ModelError, match=r"only\.angle"):
        machine(1.0).forward_dynamics([0.0], [0.0], [1.0], parameters={"a.mass": 0.0})


# --- kernels ----------------------------------------------------------------------------------------------------------


def test_kernels_carry_the_numbers_of_their_system(turner: lw.System) -> None:
    q, v, a = turner.neutral, RNG.normal(size=4), RNG.normal(size=4)
    kernel = turner.kernel("inverse_dynamics")
    assert kernel.input_names == ("q", "v", "a")
    np.testing.assert_array_equal(kernel(q, v, a), turner.inverse_dynamics(q, v, a))
    heavy = turner.with_parameters({"head.mass": 5.0})
    np.testing.assert_array_equal(heavy.kernel("inverse_dynamics")(q, v, a), heavy.inverse_dynamics(q, v, a))
    np.testing.assert_array_equal(kernel(q, v, a), turner.inverse_dynamics(q, v, a))
    np.testing.assert_array_equal(turner.kernel("velocity", "P")(q, v), turner.velocity("P", q, v))


def test_points_and_frames(turner: lw.System) -> None:
    q = turner.posture({"A": 0.4})
    c, s = np.cos(0.4), np.sin(0.4)
    np.testing.assert_allclose(turner.position("P", q), [1.2 * c, 0, -1.2 * s], atol=1e-15)
    np.testing.assert_allclose(turner.pose("P", q)[:3, :3], turner.pose("head", q)[:3, :3], atol=1e-15)
    np.testing.assert_allclose(turner.position("G", q), [0, 0, 1])
    np.testing.assert_array_equal(turner.velocity("G", q, np.ones(4)), np.zeros(6))
    np.testing.assert_array_equal(turner.jacobian("G", q), np.zeros((6, 4)))


# --- the gallery ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(lw.examples()))
def test_every_example(name: str) -> None:
    s = lw.System(lw.example(name))
    q, v = s.posture(), np.ones(s.nv)
    X = s.poses(q)
    for body, pose in zip(s.bodies, X, strict=True):
        np.testing.assert_allclose(pose, s.layout.X_WB[body], rtol=0, atol=1e-9 * s.layout.size)
    M = s.mass_matrix(q)
    assert M.shape == (s.nv, s.nv) and np.isfinite(M).all() and (M == M.T).all()
    scale = np.abs(M).max(initial=0.0)
    assert np.linalg.eigvalsh(M).min(initial=0.0) >= -1e-12 * scale
    T = s.kinetic_energy(q, v)
    np.testing.assert_allclose(0.5 * v @ M @ v, T, rtol=1e-11, atol=1e-13 * scale)
    assert np.isfinite(s.bias(q, v)).all() and np.isfinite(s.potential_energy(q))
    if not s.cut_joints and s.nv and np.linalg.cond(M) < 1e12:
        tau = s.inverse_dynamics(q, v, v)
        np.testing.assert_allclose(s.forward_dynamics(q, v, tau), v, rtol=1e-14 * np.linalg.cond(M) + 1e-10)


def test_a_copy_and_a_pickle_answer_alike(turner: lw.System) -> None:
    changed = turner.with_parameters({"gravity.z": -1.62})
    q, v, a = turner.neutral, np.ones(4), np.ones(4)
    for other in (pickle.loads(pickle.dumps(changed)), copy.deepcopy(changed)):
        np.testing.assert_array_equal(other.inverse_dynamics(q, v, a), changed.inverse_dynamics(q, v, a))
        assert other.parameters == changed.parameters


@pytest.mark.parametrize("method", ["composite", "articulated"])
def test_a_mass_matrix_that_is_singular_by_its_numbers_is_refused(method: str) -> None:
    m = lw.Mechanism("ball", gravity=(0, 0, -9.81))
    m.body("b", mass=1.0, com=(0.3, 0.2, 0.1), inertia=(0, 0, 0))
    m.spheric("S", "ground", "b", at=(0, 0, 0))
    s = lw.System(m)
    with pytest.raises(lw.ModelError, match="no mass resists S"):
        s.forward_dynamics(s.posture(), np.zeros(3), np.zeros(3), method=method)
    m = lw.Mechanism("pin")
    m.body("y", mass=1.0, com=(0.1, 0.2, 0.3))
    m.revolute("V", "ground", "y", at=(0.1, 0.2, 0.3), axis=(1, 2, 3))
    with pytest.raises(lw.ModelError, match=r"V\.angle"):
        lw.System(m).forward_dynamics([0.3], [0.0], [1.0], method=method)


def test_a_system_is_made_of_a_mechanism() -> None:
    with pytest.raises(lw.ModelError, match="Mechanism"):
        lw.System("four-bar")  # type: ignore[arg-type]
    assert lw.System(lw.example("four-bar"), cut="O4").cut_joints == ("O4",)
