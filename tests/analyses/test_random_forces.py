"""Random machines with loops and loads of every kind, against the same dynamics in maximal coordinates."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from maximal import Answer, Instant, forward, inverse

import linkwork as lw
from linkwork.analyses.forces.over_run import effort_names, forces_of
from linkwork.analyses.forces.trajectory import Trajectory, trajectory_of
from linkwork.errors import ModelError

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]
from balances import near  # noqa: E402
from random_loads import Loaded, plain_variables, random_loaded_machine  # noqa: E402

Array = np.ndarray
COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")
FEW = 8
"""Planar, spherical, general and single loops in turn; some float."""
SEEDS = [*range(FEW), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(FEW, 60))]
TOL = 1e-10


@dataclass(frozen=True)
class Taken:
    """A machine, a motion of it, its forces, the motion as arrays, and what maximal coordinates say at both ends."""

    case: Loaded
    motion: lw.Run
    run: lw.Run
    path: Trajectory
    answers: Mapping[int, Answer]


def motion_of(machine: lw.Machine, case: Loaded, seed: int) -> lw.Run:
    """From home with constant accelerations of the drives, for as long as it goes."""
    rates, accelerations = case.draw(np.random.default_rng(seed))
    laws = {
        n: lw.expression(f"{float(machine.home[n])!r} + ({rates[n]!r})*t + ({accelerations[n] / 2!r})*t**2")
        for n in case.drives
    }
    for end in (0.1, 0.03, 0.01, 0.003):
        run = machine.motion(laws, times=[0.0, 0.5 * end, end])
        if run.status == "complete":
            return run
    raise AssertionError("no motion")


@cache
def taken(seed: int) -> Taken:
    case = random_loaded_machine(seed)
    s = case.machine
    motion = motion_of(s, case, seed)
    path = trajectory_of(s.loops, motion)
    answers = {k: inverse(s, path.y[k], path.w[k], path.dw[k], case.drivers, float(path.t[k])) for k in (0, 2)}
    assert all(not a.unsettled and a.residual < 1e-11 for a in answers.values())
    return Taken(case, motion, s.forces(motion), path, answers)


def largest(answer: Answer) -> float:
    return float(np.abs(list(answer.wrenches.values())).max())


def carried(run: lw.Run, joint: str, sample: int) -> Array:
    """Force and moment of a joint; not a number where indeterminate."""
    return np.concatenate([run[joint].force.values[sample], run[joint].moment.values[sample]])


# ---------------------------------------------------------------- a motion takes forces


@pytest.mark.parametrize("seed", SEEDS)
def test_efforts_and_reactions(seed: int) -> None:
    found = taken(seed)
    joints = found.case.mechanism.joints
    for k, answer in found.answers.items():
        efforts = [found.run[f"{n}.effort"].values[k] for n in found.case.drivers]
        near(efforts, list(answer.efforts.values()), TOL, largest(answer), "efforts")
        for joint in joints:
            six, open_ = carried(found.run, joint, k), answer.indeterminate[joint]
            assert found.run.indeterminate.get(joint, ()) == tuple(
                c for c, o in zip(COMPONENTS, open_, strict=True) if o
            )
            np.testing.assert_array_equal(np.isnan(six), open_)
            near(six[~open_], answer.wrenches[joint][~open_], TOL, largest(answer), joint)


@pytest.mark.parametrize("seed", SEEDS)
def test_power(seed: int) -> None:
    """Drives and loads give what masses take; joints add nothing: W · twist = what acts along them · rate."""
    found = taken(seed)
    s, path = found.case.machine, found.path
    powers = [found.run.data[n].values for n in found.run.data if str(n).endswith(".power")]
    near(found.run["machine"].power_balance.values, np.zeros(3), 1e-11, np.abs(powers).sum(), "balance")
    signals, *_ = forces_of(s.loops, path, found.case.drives, found.case.roots, *[None] * 5, True)
    for k in found.answers:
        now = Instant(s, path.y[k], path.w[k], float(path.t[k]))
        along = now.applied(None)[1] - now.rotors * path.dw[k]
        for name in found.case.drivers:
            column = now.rates.index(name)
            along[column] += signals[f"{effort_names(s.loops)[column]}.effort"][1][k]
        size = largest(found.answers[k]) * np.abs(list(now.V.values())).max()
        for j in (j for j in now.joints if j.name in s.mechanism.joints):
            J_T, J_H = now.J[j.name]
            twist = (J_H @ now.V[j.head] - J_T @ now.V[j.tail]).reshape(2, 3) @ now.X_WM[j.name][:3, :3]
            six = [signals[f"{j.name}.{part}"][1][k] for part in ("force", "moment")]
            near((six * twist).sum(), along[j.v] @ path.w[k][j.v], 1e-11, size, j.name)


@pytest.mark.parametrize("seed", SEEDS)
def test_energy_and_momentum(seed: int) -> None:
    found = taken(seed)
    s, path = found.case.machine, found.path
    for k in found.answers:
        now = Instant(s, path.y[k], path.w[k], float(path.t[k]))
        machine = found.run["machine"]
        near(machine.kinetic_energy.values[k], now.kinetic_energy, 1e-12)
        near([*machine.momentum.values[k], *machine.angular_momentum.values[k]], now.momentum, 1e-11)
        for name, load in now.loads.items():
            power = found.run.data[f"{name}.power"].values[k]
            near(power, load.power, 1e-10, max(1.0, np.abs(now.w).max()), f"power of {name}")


# ---------------------------------------------------------------- forces make a motion


@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations(seed: int) -> None:
    """Forward dynamics with efforts at every joint, cut ones too; floating machines move as a whole meanwhile."""
    case = random_loaded_machine(seed)
    s, state = case.machine, case.state(np.random.default_rng(seed))
    efforts = 3.0 * np.random.default_rng([seed, 1]).normal(size=len(state.w))
    there = forward(s, state.y, state.w, dict(zip(s.variable_rates, efforts, strict=True)), state.t)
    near(s.forward_dynamics(state.y, state.w, efforts, t=state.t), there.accelerations, TOL, what="all joints push")
    driven = inverse(s, state.y, state.w, state.dw, case.drivers, state.t)
    pushes = np.zeros(len(state.w))
    pushes[[s.variable_rates.index(n) for n in case.drivers]] = list(driven.efforts.values())
    near(s.forward_dynamics(state.y, state.w, pushes, t=state.t), state.dw, TOL, 1.0, "back")


@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_of_forward(seed: int) -> None:
    """ID(FD(τ)) = τ for any τ at the drives, in a batch."""
    case = random_loaded_machine(seed)
    s, state = case.machine, case.state(np.random.default_rng(seed))
    columns = [s.variable_rates.index(n) for n in case.drivers]
    tau = np.zeros((4, len(state.w)))
    tau[:, columns] = 5.0 * np.random.default_rng([seed, 2]).normal(size=(4, len(columns)))
    a = s.forward_dynamics(state.y, state.w, tau, t=state.t)
    y, w = (np.broadcast_to(x, (4, len(x))).copy() for x in (state.y, state.w))
    back = s.drive_efforts(y, w, a, case.drivers, t=np.full(4, state.t))
    there = inverse(s, state.y, state.w, a[0], case.drivers, state.t)
    near(back, tau[:, columns], TOL, largest(there))


# ---------------------------------------------------------------- forces from outside


@pytest.mark.parametrize("seed", [*SEEDS[2:6], *SEEDS[FEW : FEW + 8]])
def test_external_wrenches(seed: int) -> None:
    """On a body at its origin, on a point, one for each sample."""
    found = taken(seed)
    s, rng = found.case.machine, np.random.default_rng([seed, 3])
    bodies = [b for b in s.mechanism.bodies if b != s.mechanism.ground.name]
    first, last = bodies[0], bodies[-1]
    wrench, force, push = 5.0 * rng.normal(size=6), 5.0 * rng.normal(size=(3, 3)), 5.0 * rng.normal(size=3)
    run = s.forces(found.motion, external={first: wrench, f"at_{last}": force, last: push})
    assert "machine.power_balance" not in run.data
    for k in found.answers:
        y, w, dw, t = found.path.y[k], found.path.w[k], found.path.dw[k], float(found.path.t[k])
        now = Instant(s, y, w, t)
        arm = now.place(f"at_{last}")[1] - now.X[last][:3, 3]
        outside = {b: np.zeros(6) for b in (first, last)}
        outside[first] = outside[first] + wrench
        outside[last] = outside[last] + [*(force[k] + push), *np.cross(arm, force[k])]
        there = inverse(s, y, w, dw, found.case.drivers, t, outside)
        near(
            [run[f"{n}.effort"].values[k] for n in found.case.drivers],
            list(there.efforts.values()),
            TOL,
            largest(there),
        )
        for joint in s.mechanism.joints:
            told = ~there.indeterminate[joint]
            near(carried(run, joint, k)[told], there.wrenches[joint][told], TOL, largest(there), joint)


# ---------------------------------------------------------------- more drives than freedoms


def unit_rates(case: Loaded, names: list[str]) -> Array:
    """Rates of some variables for a unit rate of each drive, at home; (names, drives)."""
    s = case.machine
    columns = [s.variable_rates.index(n) for n in names]
    return np.stack([case.along({n: 1.0}, {}, [0.0]).rates[0][columns] for n in case.drives], axis=1)


@pytest.mark.parametrize("seed", SEEDS)
def test_drives_that_share_the_work(seed: int) -> None:
    """Least norm of what departs from a preload, by weights; any such efforts make the same motion."""
    found = taken(seed)
    case, s, rng = found.case, found.case.machine, np.random.default_rng([seed, 4])
    others = [n for n in plain_variables(case.mechanism) if n not in case.drives]
    if not others:
        pytest.skip("all variables drive")
    names = [*case.drives, *(str(n) for n in rng.permutation(others)[:3])]
    B = unit_rates(case, names)
    needed = np.array([found.answers[0].efforts[n] for n in case.drives])
    weights, preload = rng.uniform(0.2, 5.0, len(names)), 4.0 * rng.normal(size=len(names))
    root = np.sqrt(weights)
    eased = root * preload + np.linalg.pinv(B.T / root) @ (needed - B.T @ preload)
    for options, expected in (
        ({}, np.linalg.pinv(B.T) @ needed),
        (
            {"weights": dict(zip(names, weights, strict=True)), "preload": dict(zip(names, preload, strict=True))},
            eased / root,
        ),
    ):
        run = s.forces(found.motion, drives=names, **options)
        efforts = {n: float(run[f"{n}.effort"].values[0]) for n in (*names, *case.roots)}
        size = max(largest(found.answers[0]), np.abs(expected).max())
        near([efforts[n] for n in names], expected, 1e-9, size, "shared")
        there = forward(s, found.path.y[0], found.path.w[0], efforts, 0.0)
        near(there.accelerations, found.path.dw[0], TOL, 1.0, "motion")
        for joint in s.mechanism.joints:
            told = ~there.indeterminate[joint]
            near(carried(run, joint, 0)[told], there.wrenches[joint][told], 1e-9, size, joint)
        near(run["machine"].power_balance.values, np.zeros(3), 1e-9, size * np.abs(found.path.w).max(), "balance")


# ---------------------------------------------------------------- other trees


def other_trees(case: Loaded) -> list[dict[str, Any]]:
    """The tree as declared; the drives cut; and other joints cut as far as that leaves a tree."""
    joints = list(case.mechanism.joints)
    cuts = [[n] for n in dict.fromkeys(d.rpartition(".")[0] for d in case.drives)]
    cuts += [[joints[0]], [joints[-1]]]
    return [{"tree": "declared"}, *({"cut": cut} for cut in cuts)]


@pytest.mark.parametrize("seed", [*SEEDS[:4], *SEEDS[FEW : FEW + 16]])
def test_any_tree_tells_the_same(seed: int) -> None:
    """Both ways round a loop carry the same, whichever joint is cut, and forward dynamics does the same."""
    found = taken(seed)
    case, answer, tried = found.case, found.answers[2], 0
    efforts = {n: float(x) for n, x in answer.efforts.items()}
    for choice in other_trees(case):
        try:
            s = case.mechanism.assemble(**choice)
        except ModelError as error:  # a joint that is in no loop
            assert "cannot be cut" in str(error)
            continue
        if set(s.topology.chords) == set(case.machine.topology.chords) or set(case.roots) - set(s.variable_rates):
            continue
        tried += 1
        run = s.forces(motion_of(s, case, seed))
        assert run.indeterminate.keys() == found.run.indeterminate.keys()
        for n in case.drivers:
            near(run[f"{n}.effort"].values[2], efforts[n], TOL, largest(answer), n)
        for joint in case.mechanism.joints:
            assert run.indeterminate.get(joint) == found.run.indeterminate.get(joint)
            told = ~answer.indeterminate[joint]
            near(carried(run, joint, 2)[told], answer.wrenches[joint][told], TOL, largest(answer), joint)
        path = trajectory_of(s.loops, run)
        pushes = np.array([efforts.get(n, 0.0) for n in s.variable_rates])
        near(s.forward_dynamics(path.y[2], path.w[2], pushes, t=path.t[2]), path.dw[2], TOL, 1.0, str(choice))
    assert tried
