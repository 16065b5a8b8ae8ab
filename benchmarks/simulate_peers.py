"""The cases of `simulate_cases.py` in MuJoCo, Pinocchio and Exudyn: whole runs at a fixed step.

Each peer runs as its makers mean it to be run, and stops ten times on the way to be looked at:

- MuJoCo: `mj_step` with its Runge-Kutta of fourth order, many steps a call. Loops are `connect` constraints, as stiff
  as it allows (`solimp` 0.9999); their time constant is scanned, in steps.
- Pinocchio: `constraintDynamics`, Runge-Kutta of fourth order in a loop in Python on coordinates without quaternions,
  and Baumgarte's gains, which are scanned. *calls alone* is the time of its four calls a step, which is what a loop
  in C++ would leave at best.
- Exudyn (its build without checks): generalised-alpha of index 3 at several spectral radii, and trapezoidal of index
  2. Planar machines have bodies of three coordinates each, every joint a constraint; others are kinematic trees with
  the platform a body of its own. Sensors read it at the ten times.

For every step the setting with the smallest error is kept.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from closed_dynamics import STIFF, mjcf
from peers import AXES, Array
from simulate_cases import SAMPLES, Case


@dataclass(frozen=True)
class Outcome:
    """One run: what it cost and how far it is off."""

    cpu: float
    """[s]"""
    error: float
    """[rad, m]"""
    gap: float
    """Of the loops [m]."""
    calls: float | None = None
    """CPU time of the library's own calls alone [s], where a loop in Python goes round them."""


def steps_of(case: Case, step: float) -> int:
    """A number of steps near `step` that stops at all samples."""
    return SAMPLES * max(1, round(case.until / step / SAMPLES))


class MuJoCo:
    """A case in MuJoCo."""

    name = "MuJoCo"
    module = "mujoco"

    def __init__(self, case: Case) -> None:
        self.mujoco = mujoco = importlib.import_module("mujoco")
        mujoco.set_mju_user_warning(lambda text: None)  # steps that are too long show in the error
        self.case = case
        spec = mujoco.MjSpec.from_string(mjcf(case.loops))
        if case.pull is not None:
            p = case.pull
            spec.worldbody.add_site(name="fixed", pos=[*p.ground, 0])
            spec.body(p.link).add_site(name="moving", pos=[*p.point, 0])
            spring = spec.add_tendon(name="spring", springlength=[p.free, p.free])
            spring.stiffness = [p.stiffness, *[0] * (np.size(spring.stiffness) - 1)]
            spring.wrap_site("fixed")
            spring.wrap_site("moving")
        self.model = model = spec.compile()
        pairs = [p for c in case.loops.closures for p in c.points(case.loops.planar)]
        for k, (tail, head) in enumerate(pairs):  # anchors are taken at q = 0, where the loops are open: set both
            model.eq_data[k, :6] = [*tail, *head]
        if case.slack is not None:
            for link, free in zip(case.slack.links, case.slack.free, strict=True):
                rate = case.rate_index(link)
                model.jnt_stiffness[model.dof_jntid[rate]] = case.slack.stiffness
                model.qpos_spring[case.place_index(link)] = free
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_REFSAFE  # time constants below two steps are allowed
        model.eq_solimp[:, :2] = STIFF

    def settings(self) -> Iterator[Any]:
        """Time constants of the constraints in steps."""
        yield from (1.0, 1.4, 2.0, 4.0)

    def run(self, steps: int, setting: Any) -> Outcome:
        """A whole run."""
        mj, model, case = self.mujoco, self.model, self.case
        model.opt.timestep = case.until / steps
        model.eq_solref[:] = (setting * model.opt.timestep, 1.0)
        data = mj.MjData(model)
        data.qpos[:], data.qvel[:] = case.start
        for link, torque in case.torques.items():
            data.qfrc_applied[case.rate_index(link)] = torque
        q = np.empty((SAMPLES, case.loops.nq))
        cpu, many = 0.0, steps // SAMPLES
        for k in range(SAMPLES):
            began = time.process_time()
            mj.mj_step(model, data, nstep=many)
            cpu += time.process_time() - began
            q[k] = data.qpos
        return Outcome(cpu, case.error(q[:, case.seen]), case.gap(q))


class Pinocchio:
    """A case in Pinocchio."""

    name = "Pinocchio"
    module = "pinocchio"
    proximal = (1e-12, 1e-10, 10)
    """Accuracy, mu and most iterations."""

    def __init__(self, case: Case) -> None:
        self.pin = pin = importlib.import_module("pinocchio")
        self.case = case
        self.model = model = pin.Model()
        model.gravity.linear = np.array(case.loops.gravity)
        for i, link in enumerate(case.loops.links):
            if link.kind == "universal":
                law = pin.JointModelUniversal(AXES[link.axis][:, 2].copy(), AXES[link.axis][:, 0].copy())
            elif link.kind == "spheric":
                law = pin.JointModelSphericalZYX()  # three angles: the plain Runge-Kutta keeps its order
            else:
                law = getattr(pin, f"JointModel{link.kind[0].upper()}{link.axis.upper()}")()
            model.addJoint(link.parent + 1, law, pin.SE3(link.turn, link.at), case.loops.names[i])
            model.appendBodyToJoint(i + 1, pin.Inertia(link.mass, link.com, link.inertia), pin.SE3.Identity())
        self.start = self._start()

    def _start(self) -> tuple[Array, Array]:
        """q and v with angles for quaternions."""
        case = self.case
        q, v = case.start
        place, rate = np.zeros(case.loops.nv), v.copy()
        for i, link in enumerate(case.loops.links):
            k, r = case.loops.starts[0][i], case.loops.starts[1][i]
            if link.kind == "spheric":
                place[r : r + 3], rate[r : r + 3] = zyx(q[k : k + 4], v[r : r + 3])
            else:
                size = case.loops.starts[1][i + 1] - r
                place[r : r + size] = q[k : k + size]
        return place, rate

    def settings(self) -> Iterator[Any]:
        """Frequencies of Baumgarte's gains in parts of a step: Kp = (x / step)², critically damped."""
        yield from (0.0, 0.03, 0.1, 0.3)

    def run(self, steps: int, setting: Any) -> Outcome:
        """A whole run: the loop in Python."""
        case, h = self.case, self.case.until / steps
        accelerations = self._dynamics((setting / h) ** 2)
        q, v = (x.copy() for x in self.start)
        found = np.empty((SAMPLES, len(q)))
        began = time.process_time()
        half, sixth, third = h / 2, h / 6, h / 3
        for k in range(SAMPLES):
            for _ in range(steps // SAMPLES):
                a = accelerations(q, v)
                v2 = v + half * a
                b = accelerations(q + half * v, v2)
                v3 = v + half * b
                c = accelerations(q + half * v2, v3)
                v4 = v + h * c
                d = accelerations(q + h * v3, v4)
                q = q + sixth * (v + v4) + third * (v2 + v3)
                v = v + sixth * (a + d) + third * (b + c)
            found[k] = q
        cpu = time.process_time() - began
        seen = [case.rate_index(name) for name in case.observed]
        calls = 4 * steps * self._call_time(accelerations, q, v) if np.isfinite(found).all() else None
        return Outcome(cpu, case.error(found[:, seen]), case.gap(self._quaternions(found)), calls)

    def _dynamics(self, gain: float) -> Callable[[Array, Array], Array]:
        pin, model, case = self.pin, self.model, self.case
        models, stores = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for c in case.loops.closures:
            for tail, head in c.points(case.loops.planar):
                ends = [c.tail + 1, pin.SE3(np.eye(3), tail), c.head + 1, pin.SE3(np.eye(3), head)]
                made = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *ends, pin.LOCAL)
                made.m_baumgarte_parameters.Kp = float(gain)
                made.m_baumgarte_parameters.Kd = float(2 * math.sqrt(gain))
                models.append(made)
                assert models[len(models) - 1].m_baumgarte_parameters.Kp == gain
                stores.append(made.createData())
        data = model.createData()
        pin.initConstraintDynamics(model, data, models, stores)
        settings = pin.ProximalSettings(*self.proximal)
        effort = case.efforts(np.array(case.loops.starts[1]), np.zeros(case.loops.nv))
        solve = pin.constraintDynamics

        def accelerations(q: Array, v: Array) -> Array:
            found: Array = solve(model, data, q, v, effort(q), models, stores, settings)
            return found.copy()  # the next call writes over it

        return accelerations

    @staticmethod
    def _call_time(accelerations: Callable[[Array, Array], Array], q: Array, v: Array) -> float:
        count, began = 0, time.process_time()
        while time.process_time() - began < 0.02:
            for _ in range(10):
                accelerations(q, v)
            count += 10
        return (time.process_time() - began) / count

    def _quaternions(self, found: Array) -> Array:
        """q as `Loops` has it."""
        loops = self.case.loops
        q = np.empty((len(found), loops.nq))
        for i, link in enumerate(loops.links):
            k, r = loops.starts[0][i], loops.starts[1][i]
            if link.kind == "spheric":
                half = 0.5 * found[:, r : r + 3]
                (cz, cy, cx), (sz, sy, sx) = np.cos(half).T, np.sin(half).T
                q[:, k] = cz * cy * cx + sz * sy * sx
                q[:, k + 1] = cz * cy * sx - sz * sy * cx
                q[:, k + 2] = cz * sy * cx + sz * cy * sx
                q[:, k + 3] = sz * cy * cx - cz * sy * sx
            else:
                size = loops.starts[1][i + 1] - r
                q[:, k : k + size] = found[:, r : r + size]
        return q


def zyx(quaternion: Array, spin: Array) -> tuple[Array, Array]:
    """Angles about z, then y, then x, and their rates, of a turn and its angular velocity along the axes turned."""
    w, x, y, z = quaternion
    angles = np.array(
        [
            math.atan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z)),
            math.asin(2 * (w * y - x * z)),
            math.atan2(2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        ]
    )
    _, b, c = angles
    # spin = E(b, c) (rates about z, y, x)
    E = np.array(
        [
            [-math.sin(b), 0, 1],
            [math.cos(b) * math.sin(c), math.cos(c), 0],
            [math.cos(b) * math.cos(c), -math.sin(c), 0],
        ]
    )
    rates: Array = np.linalg.solve(E, spin)
    return angles, rates
