"""Forces of random machines of all scales, against Newton and Euler in maximal coordinates.

    python tests/torture/forces.py --seeds 0:1000 --seconds 600

Prints every failure with its seed, and how many checks passed. A check is one machine with one set of numbers at one
posture. See README.md.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

sys.path[:0] = [
    str(Path(__file__).parent),
    *(str(Path(__file__).parents[1] / f) for f in ("analyses", "model", "equations")),
]
from balance import EPS, Balance, Solved  # noqa: E402
from cases import Case, drawn  # noqa: E402

import linkwork as lw  # noqa: E402
from linkwork.analyses.forces.trajectory import Trajectory, trajectory_of  # noqa: E402
from linkwork.errors import LinkworkError  # noqa: E402

Array = np.ndarray
ALLOWED = 1e3
"""Errors may be this many times what rounding of the data makes, by the condition of the equilibrium."""
WARNED = 1e-6
"""Part of the largest force from which an error must be told."""
SETS, SAMPLES = 4, 60


@dataclass
class Tally:
    """What was seen."""

    checks: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    worst: dict[str, float] = field(default_factory=dict)
    last: Seen | None = None
    seed: int = 0
    worst_seed: dict[str, int] = field(default_factory=dict)

    def error(self, what: str, ratio: float) -> None:
        """Keep the largest part of what is allowed, and its machine."""
        if ratio >= self.worst.get(what, 0.0):
            self.worst[what], self.worst_seed[what] = ratio, self.seed


@dataclass
class Seen:
    """A run with its forces, the samples it reached, what forces are allowed, the condition of the loops."""

    forces: lw.Run
    rows: Array
    allowed: Array
    condition: Array


def motion_of(case: Case, machine: Any, rng: np.random.Generator, samples: int = SAMPLES) -> lw.Run:
    """A sweep of all drives at once, small or large."""
    laws = {}
    for n in case.drives:
        joint, _, which = n.partition(".")
        law = case.mechanism.joints[joint].law
        long = next(v for v in law.variables if v.name == (which or law.variables[0].name)).dimension == "length"
        unit = 0.3 * case.size.length if long else 1.0
        a, phase = float(unit * 10.0 ** rng.uniform(-1.3, 0.5)), float(rng.uniform(-1.5, 1.5))
        home = float(machine.home[n])
        laws[n] = lw.expression(f"{home!r} + ({a!r})*(sin(2*t + {phase!r}) - sin({phase!r}))")
    return machine.motion(laws, samples=samples, duration=float(rng.uniform(0.3, 2.0)))


def finite(path: Trajectory) -> Array:
    """Samples that a motion reached."""
    return np.flatnonzero(np.isfinite(path.y).all(1) & np.isfinite(path.w).all(1) & np.isfinite(path.dw).all(1))


def check_forces(case: Case, k: int, machine: Any, run: lw.Run, path: Trajectory, tally: Tally) -> Iterator[str]:
    """Efforts, reactions, and which of them are open."""
    forces = machine.forces(run)
    rows = finite(path)
    drivers = (*case.drives, *[n for n, law in run.driven.items() if law == "held"])
    drivers = tuple(dict.fromkeys((*drivers, *case.roots)))
    own = (np.ascontiguousarray(x[rows]) for x in (path.y, path.w, path.dw))
    balance = Balance(machine, *own, couples=case.couples)
    names = [n if n in machine.variable_rates else f"{n}.{n}" for n in drivers]
    there = balance.inverse(names)
    yield from compare(case, machine, forces, rows, balance, there, names, tally)
    yield from check_forward(case, machine, path, rows, balance, there, names, tally)


def compare(
    case: Case,
    machine: Any,
    forces: lw.Run,
    rows: Array,
    balance: Balance,
    there: Solved,
    names: list[str],
    tally: Tally,
) -> Iterator[str]:
    unit = np.array([1.0] * 3 + [balance.size] * 3)
    joints = [j.name for j in balance.joints]
    own = [i for i, n in enumerate(joints) if n in case.mechanism.joints]
    six = np.stack(
        [np.concatenate([forces.data[f"{joints[i]}.{x}"].values for x in ("force", "moment")], axis=1) for i in own],
        axis=1,
    )[rows] / unit  # fmt: skip
    signals = {str(n) for n in forces.data}
    efforts = np.stack(
        [
            forces.data[f"{n}.effort"].values[rows] if f"{n}.effort" in signals else np.full(len(rows), np.nan)
            for n in names
        ],
        1,
    )
    efforts = efforts / there.units
    told = np.isfinite(six).all(axis=(1, 2)) | np.isfinite(efforts).all(axis=1)
    open_ = open_of(machine, forces, [joints[i] for i in own])[rows]
    misfit = np.max(list(balance.misfits.values()), axis=0)
    # Motions must close as well as rounding and the loops' own condition allow.
    for what, own_misfit in balance.misfits.items():
        limit = ALLOWED * balance.eps * (there.first / there.last)
        tally.error(what, float((own_misfit / limit).max(initial=0.0)))
        bad = np.flatnonzero(own_misfit > limit)
        if bad.size and not forces.warnings:
            i = bad[np.argmax((own_misfit / limit)[bad])]
            yield f"{what} misfit {own_misfit[i]:.1e} (allowed {limit[i]:.1e}) at sample {rows[i]}, {bad.size} samples"
    allowed = ALLOWED * there.known_within(balance.eps + 0.1 * misfit)
    unsettled = (there.loose_efforts > 1e-7).any(axis=1)
    known = there.clear & ~unsettled
    tally.last = Seen(forces, rows, np.where(known & told, allowed, np.nan), there.first / there.last)
    tally.skipped["rank in doubt"] += int((~there.clear).sum())
    tally.skipped["drives cannot"] += int((there.clear & unsettled).sum())
    good = known & ~told & (there.last > 1e-6 * there.first)
    if good.any():
        i = np.flatnonzero(good)[0]
        yield f"withheld at sample {rows[i]} though σ {there.last[i]:.1e}, {good.sum()} samples; {forces.warnings}"
    wild = told & there.clear & unsettled
    if wild.any():
        first = rows[np.flatnonzero(wild)[0]]
        yield f"told at sample {first} though the drives do not determine efforts, {wild.sum()} samples"
    wrong = (there.loose[:, own] > 1e-6) & ~open_ | (there.loose[:, own] < 1e-8) & open_
    wrong &= (known & told & (there.last > 1e-4 * there.first))[:, None, None]
    if wrong.any():
        i, j, c = np.argwhere(wrong)[0]
        yield (
            f"{joints[own[j]]} component {c} at sample {rows[i]} is {'open' if open_[i, j, c] else 'told'}, "
            f"null part {there.loose[i, own[j], c]:.1e}, σ {there.last[i]:.1e}; {wrong.sum()} components"
        )
    pulls = np.array([forces.data[f"{own.name}.effort"].values[rows] for own in case.couples]).reshape(-1, len(rows)).T
    at = [balance.rates.index(own.follower) for own in case.couples]
    unit_of_pull = balance.size * np.linalg.norm(balance.matrices()[1], axis=1)[:, at]
    loose = there.loose_multipliers > 1e-7
    untold = np.isnan(pulls) & (there.loose_multipliers < 1e-8) | ~np.isnan(pulls) & (there.loose_multipliers > 1e-6)
    untold &= (known & told & (there.last > 1e-4 * there.first))[:, None]
    if untold.any():
        i, k = np.argwhere(untold)[0]
        part = there.loose_multipliers[i, k]
        yield f"{case.couples[k].name} at sample {rows[i]}: effort {pulls[i, k]}, null part {part:.1e}"
    for what, mine, right, skip in (
        ("couplings", pulls / unit_of_pull, there.multipliers / unit_of_pull, loose | np.isnan(pulls)),
        ("reactions", six, there.wrenches[:, own], open_ | (there.loose[:, own] > 1e-7)),
        ("efforts", efforts, there.efforts, np.zeros(efforts.shape, bool)),
    ):
        error = np.where(skip, 0.0, np.abs(mine - right))
        error = np.nan_to_num(error.reshape(len(rows), -1).max(axis=1, initial=0.0), nan=0.0)
        ratio = np.where(known & told, error / allowed, 0.0)
        tally.error(what, float(ratio.max(initial=0.0)))
        tally.error(f"{what}, of the largest", float(np.where(known & told, error / there.scale, 0.0).max(initial=0.0)))
        bad = np.flatnonzero(ratio > 1.0)
        if bad.size:
            i = bad[np.argmax(ratio[bad])]
            yield (
                f"{what} off by {error[i] / there.scale[i]:.1e} of the largest "
                f"(allowed {allowed[i] / there.scale[i]:.1e}, "
                f"cond {there.first[i] / there.last[i]:.1e}) at sample {rows[i]}, {bad.size} samples; {forces.warnings}"
            )
        silent = np.flatnonzero(known & told & (error > WARNED * there.scale))
        if silent.size and not forces.warnings:
            i = silent[np.argmax(error[silent])]
            yield (
                f"{what} off by {error[i] / there.scale[i]:.1e} of the largest without a warning, "
                f"cond {there.first[i] / there.last[i]:.1e}, sample {rows[i]}"
            )
    tally.checks["forces"] += int((known & told).sum())


def open_of(machine: Any, forces: lw.Run, joints: list[str]) -> Array:
    """Components that a run leaves open (samples, joints, 6)."""
    return np.stack(
        [np.isnan(np.concatenate([forces[j].force.values, forces[j].moment.values], axis=1)) for j in joints], axis=1
    )


def check_forward(
    case: Case,
    machine: Any,
    path: Trajectory,
    rows: Array,
    balance: Balance,
    there: Solved,
    names: list[str],
    tally: Tally,
) -> Iterator[str]:
    """Forward dynamics undoes inverse dynamics."""
    known = there.clear & ~(there.loose_efforts > 1e-7).any(axis=1)
    y, w, dw = (np.ascontiguousarray(x[rows][known]) for x in (path.y, path.w, path.dw))
    if not len(y):
        return
    columns = [machine.variable_rates.index(n) for n in names]
    when = path.t[rows][known]
    tau = np.zeros_like(w)
    tau[:, columns] = (there.efforts * there.units)[known]
    most, cond, reach = (x[known] for x in balance.freedom())
    misfit = np.max(list(balance.misfits.values()), axis=0)[known]
    eps = balance.eps[known] + 0.1 * misfit
    try:
        a = machine.forward_dynamics(y, w, tau, t=when)
    except LinkworkError as error:
        if cond.max() < 1e5:
            yield f"forward dynamics refused: {error}"
        return
    scaled = np.abs((a - dw) * reach).max(axis=1)
    usual = np.abs(dw * reach).max(axis=1)
    allowed = ALLOWED * eps * cond * (usual + most * there.terms[known])
    ratio = scaled / np.maximum(allowed, 1e-300)
    tally.error("forward", float(ratio.max(initial=0.0)))
    bad = np.flatnonzero(~(ratio < 1.0))
    if bad.size:
        i = bad[np.argmax(ratio[bad])]
        yield (
            f"forward dynamics off by {scaled[i] / usual[i]:.1e} of the largest (allowed {allowed[i] / usual[i]:.1e}, "
            f"cond {cond[i]:.1e}) at sample {rows[known][i]}, {bad.size} samples"
        )
    tally.checks["forward"] += len(y)
    try:
        back = machine.drive_efforts(y, w, dw, names, t=when)
    except LinkworkError as error:
        if there.last[known].min() > 1e-5 * there.first[known].max():
            yield f"drive_efforts refused: {error}"
        return
    off = np.abs(back / there.units[known] - there.efforts[known]).max(axis=1)
    allowed = ALLOWED * there.known_within(balance.eps + 0.1 * np.max(list(balance.misfits.values()), axis=0))[known]
    ratio = off / allowed
    tally.error("drive_efforts", float(ratio.max(initial=0.0)))
    bad = np.flatnonzero(~(ratio < 1.0))
    if bad.size:
        i = bad[np.argmax(ratio[bad])]
        yield (
            f"drive_efforts off by {off[i] / there.scale[known][i]:.1e} of the largest (allowed "
            f"{allowed[i] / there.scale[known][i]:.1e}) at sample {rows[known][i]}, {bad.size} samples"
        )
    tally.checks["drive_efforts"] += len(y)


def recut(case: Case) -> Any:
    """The same machine with another joint cut, or nothing where there is no choice."""
    graph = case.machine.topology
    inside = sorted({j for loop in graph.loops for j, _ in loop.steps if j not in graph.chords})
    if not inside:
        return None
    return case.mechanism.assemble(cut=[str(np.random.default_rng([case.seed, 11]).choice(inside))])


def compare_cuts(case: Case, one: Seen, other: Seen, tally: Tally) -> Iterator[str]:
    """Places, efforts and reactions do not depend on which joint is cut."""
    held = [{n for n, law in seen.forces.driven.items() if law == "held"} for seen in (one, other)]
    if held[0] != held[1] or case.roots:
        tally.skipped["cut: another motion"] += len(one.rows)
        return
    rows, first, second = np.intersect1d(one.rows, other.rows, return_indices=True)
    allowed = one.allowed[first] + other.allowed[second]
    known, condition = np.isfinite(allowed), one.condition[first]
    a, b = one.forces.data, other.forces.data
    size = case.machine.layout.size
    for name in case.mechanism.joints:
        law = case.mechanism.joints[name].law
        for v in law.variables:
            if v.dimension == "number":
                continue
            n = f"{name}.{v.name}"
            unit = size if v.dimension == "length" else 1.0
            off = np.abs(a[n].values - b[n].values)[rows] / unit
            limit = ALLOWED * EPS * (1.0 + case.size.far) * condition
            ratio = np.where(known, off / limit, 0.0)
            tally.error("cut, places", float(ratio.max(initial=0.0)))
            if (ratio > 1.0).any():
                i = int(np.argmax(ratio))
                yield f"{n} off by {off[i]:.1e} (allowed {limit[i]:.1e}) at sample {rows[i]}"
                return
        for x, arm in (("force", 1.0), ("moment", size)):  # what is open is compared by `open_of`
            values = [getattr(own.forces[name], x).values[rows] for own in (one, other)]
            off = np.nan_to_num(np.abs(values[0] - values[1])).max(1) / arm
            ratio = np.where(known, off / np.where(known, allowed, 1.0), 0.0)
            tally.error("cut, reactions", float(ratio.max(initial=0.0)))
            if (ratio > 1.0).any():
                i = int(np.argmax(ratio))
                yield f"{name}.{x} off by {ratio[i]:.1e} of what is allowed at sample {rows[i]}"
    tally.checks["cuts"] += int(known.sum())


def check_cuts(case: Case, one: Seen, tally: Tally, samples: int) -> Iterator[str]:
    """The first motion once more, with another joint cut: all checks, and the same results."""
    machine = recut(case)
    if machine is None:
        return
    tally.last = None
    run = motion_of(case, machine, np.random.default_rng([case.seed, 0, 9]), samples)
    told = [*check_forces(case, 0, machine, run, trajectory_of(machine.loops, run), tally)]
    if tally.last is not None:
        told += compare_cuts(case, one, tally.last, tally)
    yield from (f"cut elsewhere: {x}" for x in told)


def torture(seed: int, tally: Tally, sets: int = SETS, samples: int = SAMPLES) -> None:
    """All checks of one machine."""
    tally.seed = seed
    try:
        case = drawn(seed)
        machine = case.machine
    except (AssertionError, LinkworkError) as error:
        tally.skipped[f"not drawn: {type(error).__name__}"] += 1
        if isinstance(error, LinkworkError) and "has a number beyond" not in str(error):  # 1e30 kg m² and more
            tally.failures.append(f"seed {seed}: does not assemble: {str(error)[:300]}")
            print(tally.failures[-1], flush=True)
        return
    except Exception as error:  # noqa: BLE001, so that the others are seen too
        tally.failures.append(f"seed {seed}: not assembled, {type(error).__name__} {error}")
        print(tally.failures[-1], flush=True)
        traceback.print_exc(limit=-3)
        return
    if not case.drives:
        tally.skipped["no plain drives"] += 1
        return
    for k in range(sets):
        rng = np.random.default_rng([seed, k, 9])
        kind = f"{case.family}, {case.size.length:.1e} m, far {case.size.far:.0f}, spread {case.size.spread:.1f}"
        where = f"seed {seed} set {k} ({kind})"
        try:
            numbers = case.numbers(k)
            one = machine.with_parameters(numbers) if numbers else machine
            run = motion_of(case, one, rng, samples)
            path = trajectory_of(one.loops, run)
        except LinkworkError as error:
            tally.skipped[f"no motion: {str(error).splitlines()[-1][:60]}"] += 1
            continue
        except Exception as error:  # noqa: BLE001, so that the others are seen too
            tally.failures.append(f"{where}: no motion, {type(error).__name__} {error}")
            print(tally.failures[-1], flush=True)
            traceback.print_exc(limit=-3)
            continue
        tally.last = None
        gathered(where, check_forces(case, k, one, run, path, tally), tally)
        if k == 0 and tally.last is not None:
            gathered(where, check_cuts(case, tally.last, tally, samples), tally)


def gathered(where: str, told: Iterator[str], tally: Tally) -> None:
    """Print and keep what goes wrong."""
    try:
        for failure in told:
            tally.failures.append(f"{where}: {failure}")
            print(tally.failures[-1], flush=True)
    except Exception as error:  # noqa: BLE001, so that the others are seen too
        tally.failures.append(f"{where}: {type(error).__name__} {error}")
        print(tally.failures[-1], flush=True)
        if not isinstance(error, LinkworkError):
            traceback.print_exc(limit=-3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0:100", help="A:B, seeds from A up to B")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after this time")
    parser.add_argument("--sets", type=int, default=SETS, help="sets of numbers a machine")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="postures a set of numbers")
    asked = parser.parse_args()
    first, last = (int(x) for x in asked.seeds.split(":"))
    tally, start, done = Tally(), time.time(), 0
    for seed in range(first, last):
        if time.time() - start > asked.seconds:
            break
        torture(seed, tally, asked.sets, asked.samples)
        done += 1
        if done % 20 == 0:
            print(
                f"... {done} machines, {tally.checks['forces']} checks ({sum(tally.checks.values())} comparisons), "
                f"{len(tally.failures)} failures, "
                f"{time.time() - start:.0f} s",
                flush=True,
            )
    print(
        f"{done} machines, {tally.checks['forces']} checks, comparisons {dict(tally.checks)}; "
        f"skipped {dict(tally.skipped)}"
    )
    worst = (f"{n} {x:.1e} (seed {tally.worst_seed[n]})" for n, x in tally.worst.items())
    print(f"largest parts of what is allowed: {', '.join(worst)}")
    print(f"{len(tally.failures)} failures; rounding {EPS:.1e}, allowed {ALLOWED:.0f} times rounding and condition")
    sys.exit(bool(tally.failures))


if __name__ == "__main__":
    main()
