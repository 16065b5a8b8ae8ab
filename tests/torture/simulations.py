"""Short simulations of random machines of all scales, against scipy on accelerations by the null space of the loops.

    python tests/torture/simulations.py --seeds 0:200 --seconds 600

An error beyond 1e3 tolerances without a warning is a failure. `--seeds 26:27` makes one machine again.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

sys.path[:0] = [str(Path(__file__).parent)]
from cases import Case, drawn  # noqa: E402
from forces import recut  # noqa: E402

from linkwork.errors import LinkworkError  # noqa: E402

Array = np.ndarray
RTOL, ATOL = 1e-8, 1e-10
BOUND = 1e3
"""Tolerances by which an end may be off."""
SLOW = 10.0
"""CPU time [s] of a machine that is told."""
SAME = 1e-9
"""Ends may differ by this where another joint is cut."""


def start_of(case: Case, machine: Any, rng: np.random.Generator) -> tuple[dict[str, float], float]:
    """Rates of the drives such that no joint is faster than some rad/s, and how long the machine is let go [s]."""
    loops, units = machine.loops, {}
    for n in case.drives:
        column = machine.variable_rates.index(n if n in machine.variable_rates else f"{n}.{n}")
        units[n] = float(loops.column_scale[column])
    rates = {n: float(0.5 * rng.normal() * unit) for n, unit in units.items()}
    g = float(np.linalg.norm([machine.parameters[f"gravity.{c}"] for c in "xyz"]))
    period = np.sqrt(case.size.length / g) if g else np.inf
    return rates, float(min(0.5, 0.5 * period))


def flow(machine: Any, y: Array, w: Array) -> Array:
    """y' by a small step of the machine's own coordinates: exact for all but quaternions, whose rates are ½ q ∘ w."""
    plan = machine.plan
    dy = np.zeros(plan.ny)
    for slot in plan.slots:
        q, v = y[slot.q], w[slot.v]
        dy[slot.q.start : slot.q.start + slot.plain] = v[: slot.plain]
        if slot.plain < len(q):
            a, b = q[slot.plain], q[slot.plain + 1 :]
            turn = v[slot.plain :]
            dy[slot.q.start + slot.plain : slot.q.stop] = 0.5 * np.array([-(b @ turn), *(a * turn + np.cross(b, turn))])
    return dy


def exact(machine: Any, y: Array, w: Array, until: float) -> Array:
    """The posture at the end."""
    ny, forward = len(y), machine._forward_dynamics

    def rate(t: float, x: Array) -> Array:
        now, rates = x[:ny], x[ny:]
        a, _ = forward._by_null_space(now[None], rates[None], np.zeros((1, len(rates))), np.array([[t]]))
        return np.concatenate([flow(machine, now, rates), a[0]])

    lengths = 1.0 / machine.loops.variable_scale
    speeds = machine.loops.column_scale
    floor = 1e-13 * np.concatenate([lengths, speeds])
    found = solve_ivp(rate, (0.0, until), np.concatenate([y, w]), "DOP853", rtol=1e-11, atol=floor)
    assert found.success, found.message
    return found.y[:ny, -1]


def by_other_cut(case: Case, machine: Any, rates: dict[str, float], until: float, seen: Counter[str]) -> str:
    """What differs at the end where another joint is cut, tolerances as fine as they go."""
    other = recut(case)
    if other is None or case.roots or machine.home.mobility != len(case.drives):
        return ""
    runs = [
        s.simulate(until, rates=rates, samples=3, rtol=1e-12, atol=1e-13, method="explicit") for s in (machine, other)
    ]
    if any(run.status != "complete" or run.warnings for run in runs):
        seen["cut: stopped or warned"] += 1
        return ""
    seen["cut elsewhere"] += 1
    scales = dict(zip(machine.variables, machine.loops.variable_scale, strict=True))
    for n, scale in scales.items():
        if ".q" not in n:
            a, b = (float(run.data[n].values[-1]) for run in runs)
            if abs(a - b) * scale > SAME:
                return f"cut elsewhere, {n} is off by {abs(a - b) * scale:.1e}"
    return ""


def torture(seed: int, seen: Counter[str]) -> str:
    """What is wrong with one machine, or nothing."""
    try:
        case = drawn(seed)
    except (AssertionError, LinkworkError):  # numbers beyond 1e30, too
        seen["not drawn"] += 1
        return ""
    try:
        machine = case.machine
        if not case.drives:
            seen["no plain drives"] += 1
            return ""
        rates, until = start_of(case, machine, np.random.default_rng([seed, 4]))
        run = machine.simulate(until, rates=rates, samples=3, rtol=RTOL, atol=ATOL, method="explicit")
    except LinkworkError as error:
        seen[f"refused: {str(error).splitlines()[-1][:50]}"] += 1
        return ""
    if run.status != "complete":
        seen["stopped"] += 1
        return ""
    y, w = run.y[[0, -1]], run.w[0]
    try:
        end = exact(machine, y[0], w, until)
    except (AssertionError, LinkworkError):
        seen["no reference"] += 1
        return ""
    seen["compared"] += 1
    off = float(np.abs((y[1] - end) * machine.loops.variable_scale).max())
    where = (
        f"seed {seed} ({case.family}, {case.size.length:.1e} m, far {case.size.far:.0f}, spread {case.size.spread:.1f})"
    )
    seen[f"off {int(np.ceil(np.log10(max(off / RTOL, 1e-6))))} decades from rtol"] += 1
    floor = 1e-14 * (1.0 + case.size.far)
    told = by_other_cut(case, machine, rates, until, seen)
    if told:
        return f"{where}: {told}"
    if off > BOUND * (RTOL + floor) and not run.warnings:
        tight = machine.simulate(until, rates=rates, samples=3, rtol=1e-12, atol=1e-13, method="explicit")
        closer = float(np.abs((tight.y[-1] - end) * machine.loops.variable_scale).max())
        return f"{where}: off by {off:.1e} without a warning; by {closer:.1e} with tight tolerances"
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0:50", help="A:B, seeds from A up to B")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after this time")
    asked = parser.parse_args()
    first, last = (int(x) for x in asked.seeds.split(":"))
    seen: Counter[str] = Counter()
    start, wrong = time.time(), 0
    for seed in range(first, last):
        if time.time() - start > asked.seconds:
            break
        begun = time.process_time()
        try:
            told = torture(seed, seen)
        except Exception as error:  # noqa: BLE001, so that the others are seen too
            told = f"seed {seed}: {type(error).__name__} {error}"
            traceback.print_exc(limit=-3)
        wrong += bool(told)
        if told:
            print(told, flush=True)
        if time.process_time() - begun > SLOW:
            print(f"seed {seed}: took {time.process_time() - begun:.0f} s", flush=True)
        if (seed - first) % 20 == 19:
            print(f"... {seed + 1 - first} machines, {wrong} failures, {dict(sorted(seen.items()))}", flush=True)
    print(dict(sorted(seen.items())))
    print(f"{wrong} failures")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
