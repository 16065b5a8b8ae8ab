"""Forward dynamics of loops by elimination: every joint kind, cut or not, in every order, axes and hub; massless links,
costs, and what happens near singular postures. Truth is the same dynamics in maximal coordinates.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from balances import near

import linkwork as lw
from linkwork.analyses.forces.forward import SICK
from linkwork.analyses.forces.states import states_around
from linkwork.analyses.kinematics.failures import DeadCentre
from linkwork.equations import closed_dynamics as cd
from linkwork.equations import elimination_search as search
from linkwork.equations.elimination_search import STRATEGIES
from linkwork.equations.loop_rows import ROW_AXES
from linkwork.equations.loop_solver import closure_products
from linkwork.equations.scalars import Trace
from linkwork.formulas import Question
from linkwork.kernels.operations import Fused

sys.path.insert(0, str(Path(__file__).parents[1] / "analyses"))
import dynamics_fixtures as known
from kinematic_machines import four_bar, unit
from maximal import forward
from random_loads import load_at_random, random_loaded_machine
from random_loops import single_loop

Array = np.ndarray
TOL = 1e-9
KINDS = (
    "revolute", "prismatic", "helical_left", "cylindric", "flat", "universal", "spheric", "gear_flank", "bevel",
    "point_on_egg", "on_sphere",
)  # fmt: skip
MORE = (
    "rigid", "free", "gear", "gear_inside_mate", "gear_helical", "rack", "rack_flank", "line_on_ellipse",
    "point_on_slot5", "on_torus", "on_bump", "on_knot", "on_helix",
)  # fmt: skip
OTHERS = ("revolute", "prismatic", "universal", "cylindric", "spheric")


def every_way(
    s: lw.Machine, states: search.States, hubs: tuple[int, ...], third: int | None = None
) -> Iterator[tuple[str, Any]]:
    """Eliminations in every order, along all axes, with all hubs; each with its equations traced anew.

    third : one of three parts of them, each of which has every order with all axes and all hubs, and every hub with all
        axes
    """
    given = (*s._formulas.numbers(s.parameters, True), states)
    for (i, hub), (j, axes), (k, strategy) in product(enumerate(hubs), enumerate(ROW_AXES), enumerate(STRATEGIES)):
        if third is not None and (i + j + k) % 3 != third:
            continue
        way = search.Search(search.Setting(s.plan, *given, Trace()), axes, hub)
        found, _ = way.run(strategy)
        yield f"hub {hub}, {axes}, {strategy}", (way, found)


def accelerations(tried: Any, samples: int) -> Array:
    """Of all joints at the states of a search, (states, rates): values that its trace has there."""
    a = cd.joint_accelerations(tried.system, tried.hub)
    a = [*a, *cd._of_cuts(tried.system.tree, tried.equations.cuts, a)]
    return np.stack([np.broadcast_to(tried.shadow(x), (samples,)) for x in a], axis=1)


def gap(s: lw.Machine, y: Array, w: Array, a: Array) -> float:
    """J a + J' w of the loops, in parts of its largest term."""
    loops = s.loops
    J = loops.equations(y)[1] / loops.column_scale
    rest = s.bound_kernel(Question(closure_products(1)))(y, w) * loops.row_scale
    terms = np.einsum("srk,sk->sr", np.abs(J), np.abs(a)) + np.abs(rest)
    return float((np.abs(np.einsum("srk,sk->sr", J, a) + rest).max(axis=1) / terms.max(axis=1)).max())


def turns() -> Iterator[Any]:
    """Every kind with a third of all ways, kinds by turns with each of them; with all ways, and more kinds, slowly."""
    for i, kind in enumerate(KINDS):
        yield pytest.param(kind, i % 3, id=kind)
    for kind in (*KINDS, *MORE):
        yield pytest.param(kind, None, marks=pytest.mark.slow, id=f"{kind}-all")


@pytest.mark.parametrize("cut", [True, False], ids=["cut", "whole"])
@pytest.mark.parametrize("kind, third", [*turns()])
def test_every_kind_in_every_way(kind: str, third: int | None, cut: bool) -> None:
    """A loop in space with loads of all kinds, rotors at random joints, the joint of this kind cut or another one."""
    m = single_loop(5, kind, 3 if kind == "free" else 1 + len(kind) % 2, OTHERS).mechanism()
    load_at_random(m, np.random.default_rng(len(kind)))
    m.gravity_laws.clear()
    s = m.assemble(cut=["J0"] if cut else [list(m.joints)[-1]])
    assert ("J0" in s.topology.chords) == cut
    states = states_around(s.loops, s.home)
    samples = len(states.y)
    assert samples > 3
    chosen = (0, samples - 1)
    truth = {k: forward(s, states.y[k], states.w[k]).accelerations for k in chosen}
    first: Array | None = None
    for way, (tried, _) in every_way(s, states, (-1, 0, len(s.plan.links) - 1), third):
        a = accelerations(tried, samples)
        for k in chosen:
            near(a[k], truth[k], TOL, what=way)
        assert gap(s, states.y, states.w, a) < TOL, way
        first = a if first is None else first
        for mine, theirs in zip(a, first, strict=True):
            near(mine, theirs, TOL, what=way)


@pytest.mark.parametrize("seed", [0, 1, 11, pytest.param(6, marks=pytest.mark.slow)])
def test_kernels_of_every_way(seed: int) -> None:
    """Machine code of every elimination, with efforts at all joints, away from the states it was found at."""
    case = random_loaded_machine(seed)
    s, state = case.machine, case.state(np.random.default_rng(seed))
    efforts = 4.0 * np.random.default_rng([seed, 5]).normal(size=len(state.w))
    there = forward(s, state.y, state.w, dict(zip(s.variable_rates, efforts, strict=True)), state.t).accelerations
    hubs = search._hubs(s.plan)
    for way, (_, found) in every_way(s, states_around(s.loops, s.home), hubs):
        kernel = s.bound_kernel(Question(cd.closed_forward_dynamics(found, "all", "all")))
        a, health = kernel(state.y, state.w, efforts, np.array([state.t]))
        assert health < SICK * len(found.usual), way
        near(a, there, TOL, what=way)
        assert gap(s, state.y[np.newaxis], state.w[np.newaxis], a[np.newaxis]) < TOL, way


@pytest.mark.parametrize("joint", ["O2", "A", "O4"])
def test_a_hub_with_a_motor_at_its_joint(joint: str) -> None:
    """A rotor in the joint that holds the hub resists as anywhere else."""
    m = light_four_bar("crank coupler rocker")
    m.motor("drive", joint, ratio=20.0, rotor_inertia=1e-3)
    m.load("push", joint, amount=3.0)
    s = m.assemble(cut=["B"])
    states = states_around(s.loops, s.home)
    truth = forward(s, states.y[2], states.w[2]).accelerations
    for way, (tried, _) in every_way(s, states, (-1, 0, 1, 2)):
        near(accelerations(tried, len(states.y))[2], truth, TOL, what=way)


def test_a_hub_of_many_loops_with_a_motor_at_its_joint() -> None:
    case = random_loaded_machine(20)
    s = case.mechanism.assemble(cut=["J0"])
    _, hub = search._hubs(s.plan)
    assert s.plan.links[hub].joint in {m.variable.split(".")[0] for m in s.mechanism.motors.values()}
    states = states_around(s.loops, s.home)
    truth = forward(s, states.y[4], states.w[4]).accelerations
    for way, (tried, _) in every_way(s, states, (hub,)):
        near(accelerations(tried, len(states.y))[4], truth, TOL, what=way)
    near(s.forward_dynamics(states.y[4], states.w[4], 0.0 * states.w[4]), truth, TOL, what="as found")


# ---------------------------------------------------------------- bodies without mass, rotors and loads on cut joints


def light_four_bar(massive: str) -> lw.Mechanism:
    m = four_bar(0.1, 0.3, 0.25, 0.35, 1.0)
    m.gravity = (0.0, -9.81, 0.0)
    for name in massive.split():
        m.bodies.pop(name), m.body(name, mass=1.5, com=(0.2, 0.15, 0), inertia=(0.01, 0.02, 0.02))
    return m


def light_engine() -> lw.Mechanism:
    """A slider-crank of which only the piston has mass."""
    m = known.slider_crank_dyn()
    for name in ("crank", "rod"):
        frame = m.bodies.pop(name).frame
        m.body(name, frame=frame)
    return m


def rotor_on(joint: str, massive: str = "coupler") -> lw.Mechanism:
    """A four-bar without any mass but that of its coupler and of a rotor."""
    m = light_four_bar(massive)
    m.motor("drive", joint, ratio=20.0, rotor_inertia=1e-3)
    m.load("push", joint, amount=0.7)
    m.load("pull", "O4", amount=-0.4)
    return m


LIGHT: dict[str, Callable[[], lw.Mechanism]] = {
    "massless coupler": lambda: light_four_bar("crank rocker"),
    "massless crank and rocker": lambda: light_four_bar("coupler"),
    "only a crank": lambda: light_four_bar("crank"),
    "only a piston": light_engine,
    "spring scale": lambda: known.spring_scale(weight=50.0),
    "massless legs": lambda: known.stewart_dyn(heavy=False),
    "a rotor at O2": lambda: rotor_on("O2"),
    "a rotor at B": lambda: rotor_on("B"),
}


@pytest.mark.parametrize("name", LIGHT)
def test_links_without_mass(name: str) -> None:
    m = LIGHT[name]()
    for cut in ["S1"] if "stewart" in m.name else list(m.joints)[::2]:
        s = m.assemble(cut=[cut])
        states = states_around(s.loops, s.home)
        efforts = np.linspace(-1.0, 1.0, len(s.variable_rates))
        a = s.forward_dynamics(states.y, states.w, efforts)
        assert gap(s, states.y, states.w, a) < TOL
        for k in (0, len(a) // 2):
            push = dict(zip(s.variable_rates, efforts, strict=True))
            there = forward(s, states.y[k], states.w[k], push)
            assert not there.unsettled
            near(a[k], there.accelerations, TOL, what=f"{cut} cut")


def test_a_rotor_alone_by_hand() -> None:
    """Rotor 20² · 1e-3 along O2; what acts at O4 counts by the ratio of the rates."""
    s = rotor_on("O2", massive="").assemble(cut=["O2"])
    ratio = s.mechanical_advantage("O4", "O2")  # of the rates, O4 to O2
    near(s.accelerations()["O2"], (0.7 - 0.4 * ratio) / 0.4, 1e-12)


# ---------------------------------------------------------------- costs


def four_bar_row(n: int, angle: float = math.pi / 2) -> lw.Mechanism:
    """N four-bars in a row: n + 1 rods of 1 m and 1 kg on ground, n rods that join their ends; gravity along -y."""
    e, x = unit(angle), np.array([1.0, 0.0, 0.0])
    m = lw.Mechanism(f"row-{n}", gravity=(0, -9.81, 0))
    for k in range(n + 1):
        m.body(f"v{k}", mass=1.0, com=k * x + e / 2, inertia=(0.01, 1 / 12, 1 / 12))
        m.revolute(f"A{k}", "ground", f"v{k}", at=k * x, axis="z")
    for k in range(n):
        m.body(f"h{k}", mass=1.0, com=(k + 0.5) * x + e, inertia=(0.01, 1 / 12, 1 / 12))
        m.revolute(f"B{k}", f"v{k}", f"h{k}", at=k * x + e, axis="z")
        m.revolute(f"C{k}", f"h{k}", f"v{k + 1}", at=(k + 1) * x + e, axis="z")
    return m


def cost(m: lw.Mechanism, fused: int = 1) -> int:
    """Operations of the kernel that gives the accelerations of the tree; fused : what a multiply-add counts."""
    kernel = m.assemble()._forward_dynamics.kernel(False, False)
    counts = kernel._engine.tape.counts()
    return kernel.operations + (fused - 1) * sum(counts.get(f.name.lower(), 0) for f in Fused)


@pytest.mark.parametrize(
    ("machine", "most", "unfused"),
    [
        (known.stewart_dyn, 3000, 3300),
        (lambda: lw.example("stewart-platform"), 3000, 3100),
        (lambda: light_four_bar("crank coupler rocker"), 170, 170),
        (lambda: lw.example("four-bar"), 170, 170),
        (known.slider_crank_dyn, 100, 120),
        (known.andrews, 520, 520),
    ],
    ids=["stewart", "stewart of the gallery", "four-bar", "four-bar of the gallery", "slider-crank", "andrews"],
)
def test_costs(machine: Callable[[], lw.Mechanism], most: int, unfused: int) -> None:
    """Machine instructions, and the same where a multiply-add counts as two."""
    assert cost(machine()) <= most
    assert cost(machine(), fused=2) <= unfused


def test_a_row_costs_the_same_per_cell() -> None:
    counts = {n: cost(four_bar_row(n)) for n in (2, 10, 20)}
    assert max(c / n for n, c in counts.items()) / min(c / n for n, c in counts.items()) < 1.05
    assert (counts[20] - counts[10]) == pytest.approx((counts[10] - counts[2]) * 10 / 8, rel=0.02)


def test_a_row_falls_as_one() -> None:
    """All uprights turn alike: (n+1) rods about their ends and n rods that only shift. At 30° from the ground."""
    n, angle = 10, math.radians(30)
    s = four_bar_row(n, angle).assemble()
    inertia = (n + 1) * (1 / 12 + 1 / 4) + n
    torque = -9.81 * math.cos(angle) * ((n + 1) / 2 + n)
    found = s.accelerations()
    near([found[f"A{k}"] for k in range(n + 1)], np.full(n + 1, torque / inertia), 1e-12)


# ---------------------------------------------------------------- near singular postures


def lowered(s: lw.Machine, by: float) -> tuple[Array, Array]:
    """Variables and rates of a row whose uprights turn by an angle, at one radian a second."""
    signs = {"A": 1.0, "B": -1.0, "C": 1.0}
    return tuple(np.array([x * signs[n[0]] for n in s.variables]) for x in (by, 1.0))  # type: ignore[return-value]


def test_health_grows_towards_a_flat_row() -> None:
    """Flat, every rod could turn alone. On the way there the robust way takes over and stays exact."""
    home, n = 1.2, 3
    s = four_bar_row(n, home).assemble()
    dynamics = s._forward_dynamics
    kernel, limit = dynamics.kernel(False, True), SICK * len(dynamics.elimination.usual)
    inertia = (n + 1) * (1 / 12 + 1 / 4) + n
    before, sick = 0.0, 0
    for angle in (1.0, 0.5, 0.1, 0.03, 1e-2, 1e-3, 1e-4):
        y, w = lowered(s, angle - home)
        _, health = kernel(y, w, 0.0 * w, np.zeros(1))
        assert health > before
        before, sick = float(health), sick + (health > limit)
        expected = -9.81 * math.cos(angle) * ((n + 1) / 2 + n) / inertia
        a = s.forward_dynamics(y, w, 0.0 * w)
        near([a[s.variable_rates.index(f"A{k}.angle")] for k in range(n + 1)], np.full(n + 1, expected), 1e-8)
        assert gap(s, y[np.newaxis], w[np.newaxis], a[np.newaxis]) < 1e-9
        if angle >= 1e-3:
            near(a, forward(s, y, w).accelerations, TOL, what=str(angle))
    assert 2 <= sick <= 4


@pytest.mark.parametrize("angle", [1e-5, 1e-7, 1e-9, 0.0])
def test_a_flat_row_is_refused(angle: float) -> None:
    """In a batch too, where the sample is told."""
    s = four_bar_row(3, 1.2).assemble()
    y, w = lowered(s, angle - 1.2)
    with pytest.raises(DeadCentre, match=r"singular.*B0.angle.*4 freedoms instead of 1") as caught:
        s.forward_dynamics(y, w, 0.0 * w)
    assert caught.value.reached is not None and caught.value.problem.hint
    good = lowered(s, -0.3)
    with pytest.raises(DeadCentre, match="sample 2 is singular"):
        s.forward_dynamics(np.stack([good[0], good[0], y]), np.stack([good[1], good[1], w]), 0.0 * w)


def test_through_the_dead_centres_of_an_engine() -> None:
    """Where crank and rod are in line nothing is singular for forces: a whole turn, dead centres among its samples."""
    s = known.slider_crank_dyn(0.0).assemble()
    turn = np.linspace(0.0, 2 * math.pi, 25)
    path = s.solve({"A": turn}, {"A": np.full(25, 40.0)})
    a = s.forward_dynamics(path.variables, path.rates, np.zeros(4))
    for y, w, found in zip(path.variables, path.rates, a, strict=True):
        near(found, forward(s, y, w).accelerations, 1e-10)


def test_a_four_bar_folds_flat() -> None:
    """A parallelogram in line can go on in two ways; just before, it cannot."""
    m = four_bar(0.2, 0.3, 0.2, 0.3, 0.7)
    for name, at in (("crank", 0.1 * unit(0.7)), ("coupler", 0.2 * unit(0.7)), ("rocker", (0.4, 0.05, 0))):
        m.bodies.pop(name), m.body(name, mass=1.0, com=at, inertia=(0.01, 0.01, 0.02))
    s = m.assemble()
    signs = np.array([{"O2": 1.0, "A": -1.0, "B": 1.0, "O4": 1.0}[n.split(".")[0]] for n in s.variables])
    for left in (0.1, 1e-2, 1e-3):
        y = s.home.y + signs * (left - 0.7)
        there = forward(s, y, signs, dict(zip(s.variable_rates, 0.1 * signs, strict=True)))
        near(s.forward_dynamics(y, signs, 0.1 * signs), there.accelerations, TOL)
    with pytest.raises(DeadCentre, match="2 freedoms instead of 1"):
        s.forward_dynamics(s.home.y - 0.7 * signs, signs, 0.1 * signs)
