"""Long simulations of a hanging chain of many bodies, at equal error, beside MuJoCo and Pinocchio.

    python benchmarks/long_runs.py [--bodies 300] [--until 5] [--steps 8e-3 4e-3 ...] [--peers MuJoCo Pinocchio]

The chain is that of `kernels.py` (axes x, y and z by turns, all inertias different), hung from its first joint and let
go a little beside the vertical. A row of 400 four-bars stands in `simulate.py`. Peers take steps of Runge-Kutta's
fourth order: MuJoCo by `mj_step`, many a call; Pinocchio by `aba` in a loop in Python, of which *calls* are its own.
Errors are the largest difference of any joint from a reference at ten times spread over the run [rad]: `aba` integrated
by scipy's DOP853 to 1e-12, by which no candidate is favoured. CPU time of one pinned core, the median of a few runs;
candidates take turns, and *ratio* is a peer's time by that of our cheapest run whose error is not larger.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from functools import cached_property
from math import pi

import numpy as np
import peers
from dynamics import versions
from peers import Array, Machine
from scipy.integrate import solve_ivp
from simulate import HEAD, Row, compare, timed
from simulate_peers import Outcome

from kernels import one_core

SAMPLES = 10
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
TIGHT = 1e-12
BESIDE = 0.2
"""Angle of the chain to the vertical at the start [rad]."""


class Case:
    """The chain, where it starts, and how long it runs."""

    def __init__(self, machine: Machine, until: float) -> None:
        self.machine, self.until = machine, until
        self.times = np.linspace(0.0, until, SAMPLES + 1)
        self.start = np.zeros(machine.nv)
        self.start[0] = pi - BESIDE

    def error(self, q: Array) -> float:
        """Largest difference from the reference."""
        return float(np.abs(q - self.reference).max())

    @cached_property
    def reference(self) -> Array:
        """Coordinates at all times but the first."""
        accelerations, n = _aba(self.machine), self.machine.nv

        def slope(t: float, z: Array) -> Array:
            return np.concatenate([z[n:], accelerations(z[:n], z[n:])])

        z = np.concatenate([self.start, np.zeros(n)])
        done = solve_ivp(
            slope, (0.0, self.until), z, method="DOP853", rtol=TIGHT, atol=1e-2 * TIGHT, t_eval=self.times[1:]
        )
        assert done.success
        found: Array = done.y[:n].T
        return found


def _aba(machine: Machine) -> Callable[[Array, Array], Array]:
    """Accelerations by Pinocchio."""
    peer = peers.Pinocchio(machine)
    data, none = peer.timed.createData(), np.zeros(machine.nv)

    def accelerations(q: Array, v: Array) -> Array:
        found: Array = peer.pin.aba(peer.timed, data, q, v, none).copy()  # the next call writes over it
        return found

    return accelerations


class Linkwork:
    """The chain in Linkwork; a setting is a relative tolerance."""

    name = "Linkwork"

    def __init__(self, case: Case) -> None:
        self.case = case
        self.machine = peers.mechanism(case.machine).assemble()
        joints = [name.split(".")[0] for name in self.machine.variables]
        self.places = [joints.index(f"J{i}") for i in range(case.machine.nv)]
        self.y = np.zeros(case.machine.nv)
        self.y[self.places] = case.start

    def run(self, tolerance: float) -> Outcome:
        """A whole call."""
        began = time.process_time()
        done = self.machine.simulate(
            self.case.until, self.y, times=self.case.times, method="explicit", rtol=tolerance, atol=1e-2 * tolerance
        )
        cpu = time.process_time() - began
        assert done.status == "complete", done.message
        return Outcome(cpu, self.case.error(np.asarray(done.outcome.y)[1:, self.places]), 0.0)


class MuJoCo:
    """The chain in MuJoCo; a setting is a step."""

    name = "MuJoCo"

    def __init__(self, case: Case) -> None:
        import mujoco

        mujoco.set_mju_user_warning(lambda text: None)  # steps that are too long show in the error
        self.mujoco, self.case = mujoco, case
        self.model = mujoco.MjModel.from_xml_string(peers.mjcf(case.machine))
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4

    def run(self, step: float) -> Outcome:
        """A whole run."""
        many = max(1, round(self.case.until / step / SAMPLES))
        self.model.opt.timestep = self.case.until / SAMPLES / many
        data = self.mujoco.MjData(self.model)
        data.qpos[:] = self.case.start
        q = np.empty((SAMPLES, self.case.machine.nv))
        began = time.process_time()
        for k in range(SAMPLES):
            self.mujoco.mj_step(self.model, data, nstep=many)
            q[k] = data.qpos
        return Outcome(time.process_time() - began, self.case.error(q), 0.0)


class Pinocchio:
    """The chain in Pinocchio; a setting is a step."""

    name = "Pinocchio"

    def __init__(self, case: Case) -> None:
        self.case, self.accelerations = case, _aba(case.machine)

    def run(self, step: float) -> Outcome:
        """A whole run."""
        f, calls = self.accelerations, 0.0
        many = max(1, round(self.case.until / step / SAMPLES))
        h = self.case.until / SAMPLES / many
        q, v = self.case.start.copy(), np.zeros(self.case.machine.nv)
        found = np.empty((SAMPLES, len(q)))
        began = time.process_time()
        for k in range(SAMPLES):
            for _ in range(many):
                a = f(q, v)
                v2 = v + 0.5 * h * a
                b = f(q + 0.5 * h * v, v2)
                v3 = v + 0.5 * h * b
                c = f(q + 0.5 * h * v2, v3)
                v4 = v + h * c
                d = f(q + h * v3, v4)
                q, v = q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a + 2 * b + 2 * c + d)
            found[k] = q
        cpu = time.process_time() - began
        if np.isfinite(found).all():
            began = time.process_time()
            for _ in range(20):
                f(q, v)
            calls = 4 * many * SAMPLES * (time.process_time() - began) / 20
        return Outcome(cpu, self.case.error(found), 0.0, calls)


def rows_of(case: Case, one: Linkwork | MuJoCo | Pinocchio, settings: tuple[float, ...]) -> list[Row]:
    """A program at all its settings; runs that blow up are told and not timed."""
    rows = []
    for setting in settings:
        row = Row(case.machine.name, one.name, setting, "explicit" if one.name == Linkwork.name else "Runge-Kutta 4")
        rows.append(row)
        one.run(setting)
        outcome = one.run(setting)
        if not np.isfinite(outcome.error):
            row.note = "blows up"
            continue
        cpu, calls = timed(lambda x=setting: one.run(x), outcome, quick=False)  # type: ignore[misc]
        row.milliseconds, row.error, row.gap = 1e3 * cpu / case.until, outcome.error, outcome.gap
        row.calls = None if calls is None else 1e3 * calls / case.until
    return rows


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bodies", type=int, default=300)
    parser.add_argument("--until", type=float, default=5.0, help="length of the run [s]")
    parser.add_argument("--steps", type=float, nargs="+", default=[8e-3, 4e-3, 2e-3, 1e-3])
    parser.add_argument("--tolerances", type=float, nargs="+", default=list(TOLERANCES))
    parser.add_argument("--peers", nargs="*", default=["MuJoCo", "Pinocchio"])
    asked = parser.parse_args()
    os.environ.setdefault("LINKWORK_KERNELS", "compile")  # what is measured here is what is hot
    print(", ".join(f"{k}: {v}" for k, v in versions().items()))
    case = Case(peers.chain(asked.bodies), asked.until)
    print(f"\n{case.machine.name}, hanging, {case.until:g} s\n{HEAD}", flush=True)
    with one_core():
        rows = rows_of(case, Linkwork(case), tuple(asked.tolerances))
        for peer in (MuJoCo, Pinocchio):
            if peer.name in asked.peers:
                rows += rows_of(case, peer(case), tuple(asked.steps))
    compare(rows)
    print(*(row.text() for row in rows), sep="\n")


if __name__ == "__main__":
    main()
