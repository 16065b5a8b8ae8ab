"""All runs of a table in compiled loops, over all cores.

Starts are found for all runs at once. A run that meets something that the compiled loop alone does not deal with
(stiffness, a singular posture, loops that do not close) is left to be simulated by itself.
"""

from __future__ import annotations

import queue
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.simulation.eliminations import MOST, found_at, keep, lose_rank, others
from linkwork.analyses.simulation.engine import Engine
from linkwork.analyses.simulation.journey import WAYS
from linkwork.analyses.simulation.question import FIXED
from linkwork.analyses.simulation.run_table import RunTable
from linkwork.analyses.simulation.runaway import causes_of, why_ended
from linkwork.analyses.simulation.session import Session
from linkwork.analyses.simulation.starts import efforts_of, held_rows, starts_of
from linkwork.equations import simulation as equations
from linkwork.equations.closed_dynamics import Elimination
from linkwork.errors import LinkworkError
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.results.simulation_evidence import energy_at_work

if TYPE_CHECKING:
    from linkwork.numerics.stepping.active_rows import Active

CHUNKS = 16
"""Parts of the work by thread."""
LARGEST = 64
"""Runs of one part."""
LOGGED_EVENTS = 16384
"""Events that a thread keeps until they are taken over; a run with more is simulated by itself."""


def run_compiled(table: RunTable) -> list[int]:
    """All runs in compiled loops; those that need more are returned."""
    from linkwork.numerics.stepping import many as loop
    from linkwork.numerics.stepping import methods
    from linkwork.numerics.stepping.active_rows import ENDED
    from linkwork.numerics.stepping.advance import DONE, REJECTED, STATES, STEPS, TIME, WEAKENS, WORK, Samples
    from linkwork.numerics.stepping.layout import layout_of
    from linkwork.numerics.stepping.runaway import ENDLESS, RUNAWAY

    question, loops, count, nsample = table.asked, table.machine.loops, table.given.count, len(table.asked.times)
    efforts = efforts_of(table.given, loops, question.efforts)
    session = Session(replace(question, efforts=np.abs(efforts).max(axis=0)))  # what any of the runs needs
    first, needs = _elimination(table), replace(session.needs(), jumps=False)
    engine = Engine(loops, first, needs, table.varied or None, _known(table, first))
    starts, lost = starts_of(table.given, question)
    held, held_rates = held_rows(table.given, question)
    modes = session.modes
    rows = max(len(held), len(held_rates), modes.most_rows)
    times = np.array([event.time for event in modes.ats if event.time <= question.until])
    corners = {float(t) for t in (*question.corners, *times) if 0.0 < t < question.until}
    shared = {
        "starts": starts, "efforts": efforts, "stops": np.array([*sorted(corners), question.until]), "held": held,
        "times": times, "held_rates": held_rates, "Z": np.full((count, nsample * starts.shape[1]), np.nan),
        "A": np.full((count, table.a[0].size), np.nan), "E": np.full((count, table.e[0].size), np.nan),
        "D": np.full((count, table.dx[0].size), np.nan),
        "ends": np.full(starts.shape, np.nan), "reports": np.full((count, loop.OF_STATE + STATES), -2.0),
        "bars": np.zeros(count),
    }  # fmt: skip
    run_some: Any = loop.run_some
    benches: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def prepare() -> None:
        while not benches.empty():
            benches.get()
        for _ in range(min(table.threads, count)):
            p = engine.problem(
                question.rtol, question.atol, question.laws, question.pushed, rows, question.efforts, modes.elastic
            )
            stepper, size = methods.method_of(getattr(methods, WAYS[session.method]), p.n)
            sizes = {"Z": p.n, "A": p.nw, "E": p.nw, "P": len(modes.gaps), "H": len(modes.grips), "D": p.layout.nx}
            samples = Samples(times=question.times, **{k: np.empty((nsample, n)) for k, n in sizes.items()})
            settled = engine.settled_of_runs if table.varied else np.zeros((count, 0))
            batch = loop.Batch(**shared, settled=np.ascontiguousarray(settled), room=engine.room)
            benches.put((stepper, p, modes.arrays(p.n, LOGGED_EVENTS, False), np.zeros(size), samples, batch))

    longest = question.step if question.step is not None else question.until

    def some(first: int, last: int) -> int:
        bench = benches.get()
        try:
            begun = first
            while begun < last:
                done = run_some(*bench, begun, last, longest, session.method in FIXED)
                _take_logs(table, bench[2], shared["reports"][begun:done], begun)
                begun = done
        finally:
            benches.put(bench)
        return last - first

    reports, state = shared["reports"], shared["reports"][:, loop.OF_STATE :]
    parts_of_work = _parts(count, table.threads)
    for _ in range(MOST + 2):  # runs whose pivots weaken go on with others, or as they are where rows lose rank
        prepare()
        table.in_threads(some, parts_of_work)
        weak = np.flatnonzero(reports[:, loop.REASON] == WEAKENS)
        if table.interrupted or not weak.size:
            break
        lose = lose_rank(table.machine, shared["ends"][weak, : table.machine.plan.ny])
        shared["bars"][weak[lose]] = np.inf
        more = () if lose.all() else _stronger(table, engine, int(weak[~lose][0]), shared["ends"])
        if not (more or lose.any()):
            break
        engine = replace(engine, others=(*engine.others, *more), _rows={})
        chosen = weak if more else weak[lose]
        parts_of_work = iter([(k, k + 1) for k in chosen.tolist()])
        table.done -= len(chosen)
    stopped, astray = (np.isin(reports[:, loop.REASON], own) & ~lost for own in ([ENDED], [RUNAWAY, ENDLESS]))
    finished = ((reports[:, loop.REASON] == DONE) & ~lost) | stopped | astray
    parts = layout_of(table.machine.plan).split(shared["Z"].reshape(count, nsample, -1)[finished])
    table.y[finished], table.w[finished], table.x[finished] = parts
    table.dx[finished] = shared["D"].reshape(table.dx.shape)[finished]
    table.a[finished] = shared["A"].reshape(table.a.shape)[finished]
    table.e[finished] = shared["E"].reshape(table.e.shape)[finished]
    table.counts[finished] = np.column_stack([reports[:, loop.EVALUATIONS], state[:, [STEPS, REJECTED]]])[finished]
    jumps = reports[:, loop.JUMPED_BY]
    gains = reports[:, loop.GAINED] if engine.needs.energies else None
    _balance(table, engine, starts, shared["ends"], state[:, WORK] + jumps, gains, finished)
    _tell_astray(table, astray, reports[:, loop.REASON], state, shared["ends"])
    for k in np.flatnonzero(finished):
        table.status[k] = "stopped" if astray[k] else "complete"
        if stopped[k]:
            last = table.records(int(k))[-1].name
            table.status[k], table.message[k] = "stopped", f"{last} at {state[k, TIME]:.6g} s"
    if table.interrupted:
        return []
    left = np.flatnonzero(~finished).tolist()
    table.done -= len(left)
    return left


def _tell_astray(table: RunTable, astray: Any, reasons: Array, state: Array, ends: Array) -> None:
    """Why runs ended that led nowhere."""
    from linkwork.numerics.stepping.advance import TIME
    from linkwork.numerics.stepping.layout import layout_of

    chosen = np.flatnonzero(astray)
    if not chosen.size:
        return
    y, w, x = (np.ascontiguousarray(part) for part in layout_of(table.machine.plan).split(ends[chosen]))
    numbers = {name: own[chosen] for name, own in table.varied.items()}
    causes = causes_of(table.asked, table.machine, y, w, state[chosen, TIME], x, numbers)
    for k, told in zip(chosen.tolist(), causes, strict=True):
        table.message[k] = why_ended(table.asked, int(reasons[k]), state[k], ends[k], told)


def _take_logs(table: RunTable, active: Active, reports: Array, first: int) -> None:
    """What happened in runs from the first on, out of the log that they share."""
    from linkwork.numerics.stepping.active_rows import LOGGED
    from linkwork.numerics.stepping.many import FIRST, LAST

    for k, report in enumerate(reports):
        table.logs[first + k] = active.log[int(report[FIRST]) : int(report[LAST])].copy()
    active.counts[LOGGED] = 0


def _elimination(table: RunTable) -> Elimination:
    """One that serves all runs: it is found for numbers between theirs, so that nothing is ignored by chance.

    A run whose own numbers are special, such as those of a planar machine among spatial ones, may then find its
    pivots vanish, and is simulated by ittable.
    """
    if not (table.varied and table.machine.loops.count):
        return table.machine._forward_dynamics.elimination
    rng = np.random.default_rng(1)
    between = {n: float(x.min() + rng.uniform(0.3, 0.7) * np.ptp(x)) for n, x in table.varied.items()}
    try:
        return table.machine.with_parameters(between)._forward_dynamics.elimination
    except LinkworkError:
        return table.machine._forward_dynamics.elimination


def _known(table: RunTable, first: Elimination) -> tuple[Elimination, ...]:
    """Others that are known; they may ignore what counts for other numbers."""
    return () if table.varied else others(table.machine.loops, first)


def _stronger(table: RunTable, engine: Engine, run: int, ends: Array) -> tuple[Elimination, ...]:
    """An elimination for where the pivots of a run weaken, if there is another one.

    Where runs have numbers of their own it is found a little beside those of the run: nothing is ignored by chance.
    """
    machine, y = table.machine, ends[run, : table.machine.plan.ny]
    if table.varied:
        rng = np.random.default_rng(run)
        own = {n: float(x[run] + rng.uniform(0.02, 0.05) * (x.mean() - x[run])) for n, x in table.varied.items()}
        try:
            machine = machine.with_parameters(own)
            machine = machine.starting_from(Posture(machine.loops, y.copy()))
        except LinkworkError:
            return ()
        y = machine.home.y
    orders = {own.order for own in (engine.elimination, *engine.others)}
    for lasting in (True, False):
        found = found_at(machine.loops, y, lasting)
        if found is not None and found.order not in orders:
            if not table.varied:
                keep(machine.loops, found)
            return (found,)
    return ()


def _balance(
    table: RunTable, engine: Engine, starts: Array, ends: Array, work: Array, gains: Array | None, rows: Any
) -> None:
    """What is missing in the balance of energy between start and end, and how much moved [J].

    work : done, with jumps at events; gains : of energy by run, where loads may have been switched
    """
    question = Question(equations.energies(table.machine.plan, engine.needs.switched))
    k0, p0 = table.energies(question, np.zeros(len(starts)), starts)
    k1, p1 = table.energies(question, np.full(len(starts), table.asked.until), ends)
    counted = work if engine.needs.counted or engine.needs.energies else np.zeros(len(work))
    gained = k1 + p1 - k0 - p0 if gains is None else gains
    table.balance[rows, 0] = np.abs(gained - counted)[rows]
    times = np.tile(table.asked.times, len(starts))
    y, w, _, _ = table.flat()
    along = [x.reshape(len(starts), -1)[rows] for x in table.energies(question, times, np.hstack([y, w]))]
    moved = np.stack([np.nanmax(x, axis=1) - np.nanmin(x, axis=1) for x in along] + [np.abs(counted)[rows]])
    rounding = 1e-13 * np.stack([np.nanmax(np.abs(x), axis=1) for x in along]).max(axis=0)
    table.balance[rows, 1] = energy_at_work(moved.max(axis=0), rounding, np.nanmax(along[0], axis=1))


def _parts(count: int, threads: int) -> Iterator[tuple[int, int]]:
    size = max(1, min(LARGEST, count // (CHUNKS * threads)))
    return ((k, min(k + size, count)) for k in range(0, count, size))
