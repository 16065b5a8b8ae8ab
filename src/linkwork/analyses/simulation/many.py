"""Many simulations of one machine, with other starts, inputs or numbers: in compiled loops, over all cores.

Starts are found for all runs at once. A run that meets something that the compiled loop alone does not deal with
(stiffness, a singular posture, loops that do not close) is simulated by itself afterwards, and so are all of them where
a controller takes part, or events that give numbers other values.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.forces.drives import columns_of
from linkwork.analyses.forces.over_run import effort_names, effort_units
from linkwork.analyses.kinematics.failures import ClosureError
from linkwork.analyses.kinematics.given import merged, place_of
from linkwork.analyses.kinematics.histories import joint_histories, place_histories, state_histories, state_signals
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.simulation.active_set import ActiveSet
from linkwork.analyses.simulation.asked import FIXED, Asked, asked
from linkwork.analyses.simulation.eliminations import MOST, found_at, keep, lose_rank, others
from linkwork.analyses.simulation.engine import Engine
from linkwork.analyses.simulation.records import records_of
from linkwork.analyses.simulation.session import APART, WAYS, Session
from linkwork.equations import simulation as equations
from linkwork.equations.closed_dynamics import Elimination
from linkwork.errors import InputError, LinkworkError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.kernels.threads import available_cores
from linkwork.model.states import START
from linkwork.results.simulations import Outcomes, Simulations

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.numerics.stepping.active import Active
    from linkwork.results.happenings import Happening
    from linkwork.results.run import Run
    from linkwork.results.simulation import Simulation

Progress = Callable[[int, int], None]
CHUNKS = 16
"""Parts of the work by thread."""
GIVEN = ("start", "rates", "efforts", "states")
"""What `Machine.simulate` takes, and may differ from run to run."""
LARGEST = 64
"""Runs of one part."""
LOGGED_EVENTS = 16384
"""Events that a thread keeps until they are taken over; a run with more is simulated by itself."""


@dataclass(frozen=True, eq=False)
class Given:
    """What is asked for, with arrays (runs,) where runs differ.

    kinds : start, rates, efforts, parameters, states; each by name
    shared : what else `Machine.simulate` takes, the same for all
    """

    machine: Machine
    kinds: dict[str, dict[str, Any]]
    shared: dict[str, Any]
    count: int

    @property
    def inputs(self) -> dict[str, Array]:
        """What differs, by name."""
        found: dict[str, Array] = {}
        for kind, own in self.kinds.items():
            for name, value in own.items():
                if np.ndim(value) == 1:
                    found[name if kind == "parameters" else f"{kind}.{name}"] = np.asarray(value, float)
        return found

    def of(self, kind: str, run: int) -> dict[str, Any]:
        """The values of a run."""
        return {n: float(x[run]) if np.ndim(x) == 1 else x for n, x in self.kinds[kind].items()}

    def single(self, run: int) -> Simulation:
        """One of them by itself."""
        changed = self.of("parameters", run)
        machine = self.machine.with_parameters(changed) if changed else self.machine
        own: dict[str, Any] = {kind: self.of(kind, run) for kind in GIVEN}
        return machine.simulate(**own, **self.shared)


def given(machine: Machine, kinds: Mapping[str, Mapping[str, Any] | None], shared: dict[str, Any]) -> Given:
    """Checked: arrays are of one length, and finite."""
    named = {kind: dict(merged(own, {}, machine.name)) for kind, own in kinds.items()}
    problems: list[Problem] = []
    lengths: dict[str, int] = {}
    for kind, own in named.items():
        for name, value in own.items():
            where = f"{kind}.{name}"
            if isinstance(value, (list, tuple, np.ndarray)):
                own[name] = value = np.asarray(value, float)
                if value.ndim != 1 or not value.size or not np.isfinite(value).all():
                    problems.append(Problem("one finite number for each run is wanted", where))
                else:
                    lengths[where] = len(value)
    if not problems and not lengths:
        hint = "give an array somewhere, such as start={'A': np.linspace(0, 1, 100)}"
        problems.append(Problem("nothing differs between the runs", hint=hint))
    if len(set(lengths.values())) > 1:
        text = "arrays of different lengths: " + ", ".join(f"{n} has {k}" for n, k in lengths.items())
        problems.append(Problem(text, hint="one number for each run everywhere"))
    if problems:
        raise InputError(problems, machine.name)
    return Given(machine, named, shared, next(iter(lengths.values())))


def simulated_many(asked_for: Given, progress: Progress | None, threads: int | None) -> Simulations:
    """All runs; what was reached when Ctrl-C comes is kept."""
    table = _Table(asked_for, threads or available_cores(), progress)
    table.run()
    return table.told()


@dataclass
class _Table:
    """Results of all runs while they come in."""

    given: Given
    threads: int
    progress: Progress | None
    done: int = 0
    interrupted: bool = False
    single: dict[int, Simulation] = field(default_factory=dict)
    """Runs that were simulated by themselves."""
    logs: dict[int, Array] = field(default_factory=dict)
    """What happened in the others, as numbers."""

    def __post_init__(self) -> None:
        own = self.given
        fixed = {n: x for n, x in own.kinds["parameters"].items() if np.ndim(x) == 0}
        self.varied = {n: x for n, x in own.kinds["parameters"].items() if np.ndim(x) == 1}
        machine, wrong = own.machine, list[Problem]()
        try:
            machine._checked_parameters(own.kinds["parameters"])
            machine = machine.with_parameters(fixed) if fixed else machine
        except InputError as error:
            wrong += [replace(p, where=p.where or "parameters") for p in error.problems]
        self.asked = self._first(machine, wrong)
        self.machine = self.asked.machine  # with loads for efforts that depend on the state
        plan, count, samples = self.machine._plan, own.count, len(self.asked.times)
        self.y = np.full((count, samples, plan.ny), np.nan)
        self.w, self.a = (np.full((count, samples, plan.nw), np.nan) for _ in range(2))
        self.e = np.full((count, samples, plan.nw), np.nan)
        self.x, self.dx = (np.full((count, samples, plan.n_states), np.nan) for _ in range(2))
        self.status, self.message = ["left out"] * count, [""] * count
        self.counts = np.zeros((count, 3))
        self.balance = np.full((count, 2), np.nan)

    def _first(self, machine: Machine, wrong: list[Problem]) -> Asked:
        """What is asked, with the start of the first run that can begin; whatever else is wrong is raised."""
        own, unreached = self.given, None
        for k in range(own.count):
            first = {kind: own.of(kind, k) for kind in GIVEN}
            try:
                return asked(machine, **{**_ASKED, **own.shared, **first}, also=wrong)
            except ClosureError as error:
                unreached = unreached or error
        assert unreached is not None
        raise unreached

    # ---------------------------------------------------------------- running

    def run(self) -> None:
        """By compiled loops where they will do, the rest one by one."""
        left: Iterable[int] = range(self.given.count)
        try:
            if self._is_plain():
                left = self._compiled()
            self._one_by_one(list(left))
        except KeyboardInterrupt:
            self.interrupted = True
        for k, status in enumerate(self.status):
            if status == "left out":
                self.message[k] = "interrupted before its turn"

    def _is_plain(self) -> bool:
        """Whether nothing happens on the way that the compiled loop cannot deal with."""
        asked, active = self.asked, ActiveSet(self.asked, APART)
        alone = all(active.acts_alone(event) for event in active.acting)
        alike = not any(name.endswith(".static") for name in self.varied)  # which kernels do not read
        jumps = active.switches and any(any(own.jumps) for own in self.machine._plan.switched)
        return alone and alike and not jumps and not asked.controller and asked.method in ("auto", *WAYS)

    def _told(self, more: int) -> None:
        self.done += more
        if self.progress is not None:
            self.progress(self.done, self.given.count)

    def _compiled(self) -> list[int]:
        """All runs in compiled loops; those that need more are returned."""
        from linkwork.numerics.stepping import many as loop
        from linkwork.numerics.stepping import methods
        from linkwork.numerics.stepping.active import ENDED
        from linkwork.numerics.stepping.advance import DONE, REJECTED, STATES, STEPS, TIME, WEAKENS, WORK, Samples
        from linkwork.numerics.stepping.laws import breaks_of
        from linkwork.numerics.stepping.layout import layout_of

        question, loops, count, nsample = self.asked, self.machine._loops, self.given.count, len(self.asked.times)
        efforts = _efforts(self.given, loops, question.efforts)
        session = Session(replace(question, efforts=np.abs(efforts).max(axis=0)))  # what any of the runs needs
        first, needs = self._elimination(), replace(session._needs(), jumps=False)
        engine = Engine(loops, first, needs, self.varied or None, self._known(first))
        starts, lost = _starts(self.given, question)
        held, held_rates = _held(self.given, question)
        modes = session.modes
        rows = max(len(held), len(held_rates), modes.most_rows)
        times = np.array([event.time for event in modes.ats if event.time <= question.until])
        corners = {float(t) for t in (*breaks_of(question.laws), *times) if 0.0 < t < question.until}
        shared = {
            "starts": starts, "efforts": efforts, "stops": np.array([*sorted(corners), question.until]), "held": held,
            "times": times, "held_rates": held_rates, "Z": np.full((count, nsample * starts.shape[1]), np.nan),
            "A": np.full((count, self.a[0].size), np.nan), "E": np.full((count, self.e[0].size), np.nan),
            "D": np.full((count, self.dx[0].size), np.nan),
            "ends": np.full(starts.shape, np.nan), "reports": np.full((count, loop.OF_STATE + STATES), -2.0),
            "bars": np.zeros(count),
        }  # fmt: skip
        run_some: Any = loop.run_some
        benches: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def prepare() -> None:
            while not benches.empty():
                benches.get()
            for _ in range(min(self.threads, count)):
                p = engine.problem(
                    question.rtol, question.atol, question.laws, question.pushed, rows, question.efforts, modes.elastic
                )
                stepper, size = methods.method_of(getattr(methods, WAYS[session.method]), p.n)
                sizes = {"Z": p.n, "A": p.nw, "E": p.nw, "P": len(modes.gaps), "H": len(modes.grips), "D": p.layout.nx}
                samples = Samples(times=question.times, **{k: np.empty((nsample, n)) for k, n in sizes.items()})
                settled = engine.settled_of_runs if self.varied else np.zeros((count, 0))
                batch = loop.Batch(**shared, settled=np.ascontiguousarray(settled), room=engine.room)
                benches.put((stepper, p, modes.arrays(p.n, LOGGED_EVENTS, False), np.zeros(size), samples, batch))

        longest = question.step if question.step is not None else question.until

        def some(first: int, last: int) -> int:
            bench = benches.get()
            try:
                begun = first
                while begun < last:
                    done = run_some(*bench, begun, last, longest, session.method in FIXED)
                    self._take_logs(bench[2], shared["reports"][begun:done], begun)
                    begun = done
            finally:
                benches.put(bench)
            return last - first

        reports, state = shared["reports"], shared["reports"][:, loop.OF_STATE :]
        parts_of_work = _parts(count, self.threads)
        for _ in range(MOST + 2):  # runs whose pivots weaken go on with others, or as they are where rows lose rank
            prepare()
            self._in_threads(some, parts_of_work)
            weak = np.flatnonzero(reports[:, loop.REASON] == WEAKENS)
            if self.interrupted or not weak.size:
                break
            lose = lose_rank(self.machine, shared["ends"][weak, : self.machine._plan.ny])
            shared["bars"][weak[lose]] = np.inf
            more = () if lose.all() else self._stronger(engine, int(weak[~lose][0]), shared["ends"])
            if not (more or lose.any()):
                break
            engine = replace(engine, others=(*engine.others, *more), _held=[], _rows={})
            chosen = weak if more else weak[lose]
            parts_of_work = iter([(k, k + 1) for k in chosen.tolist()])
            self.done -= len(chosen)
        stopped = (reports[:, loop.REASON] == ENDED) & ~lost
        finished = ((reports[:, loop.REASON] == DONE) & ~lost) | stopped
        parts = layout_of(self.machine._plan).split(shared["Z"].reshape(count, nsample, -1)[finished])
        self.y[finished], self.w[finished], self.x[finished] = parts
        self.dx[finished] = shared["D"].reshape(self.dx.shape)[finished]
        self.a[finished] = shared["A"].reshape(self.a.shape)[finished]
        self.e[finished] = shared["E"].reshape(self.e.shape)[finished]
        self.counts[finished] = np.column_stack([reports[:, loop.EVALUATIONS], state[:, [STEPS, REJECTED]]])[finished]
        jumps = reports[:, loop.JUMPED_BY]
        gains = reports[:, loop.GAINED] if engine.needs.energies else None
        self._balance(engine, starts, shared["ends"], state[:, WORK] + jumps, gains, finished)
        for k in np.flatnonzero(finished):
            self.status[k] = "complete"
            if stopped[k]:
                last = self._records(int(k))[-1].name
                self.status[k], self.message[k] = "stopped", f"{last} at {state[k, TIME]:.6g} s"
        if self.interrupted:
            return []
        left = np.flatnonzero(~finished).tolist()
        self.done -= len(left)
        return left

    def _take_logs(self, active: Active, reports: Array, first: int) -> None:
        """What happened in runs from the first on, out of the log that they share."""
        from linkwork.numerics.stepping.active import LOGGED
        from linkwork.numerics.stepping.many import FIRST, LAST

        for k, report in enumerate(reports):
            self.logs[first + k] = active.log[int(report[FIRST]) : int(report[LAST])].copy()
        active.counts[LOGGED] = 0

    def _records(self, run: int) -> tuple[Happening, ...]:
        """Events of a run."""
        if run in self.single:
            return self.single[run].events
        log = self.logs.get(run)
        return () if log is None else tuple(records_of(log, ActiveSet(self.asked, APART), self.machine._loops))

    def _elimination(self) -> Elimination:
        """One that serves all runs: it is found for numbers between theirs, so that nothing is ignored by chance.

        A run whose own numbers are special, such as those of a planar machine among spatial ones, may then find its
        pivots vanish, and is simulated by itself.
        """
        if not (self.varied and self.machine._loops.count):
            return self.machine._forward_dynamics.elimination
        rng = np.random.default_rng(1)
        between = {n: float(x.min() + rng.uniform(0.3, 0.7) * np.ptp(x)) for n, x in self.varied.items()}
        try:
            return self.machine.with_parameters(between)._forward_dynamics.elimination
        except LinkworkError:
            return self.machine._forward_dynamics.elimination

    def _known(self, first: Elimination) -> tuple[Elimination, ...]:
        """Others that are known; they may ignore what counts for other numbers."""
        return () if self.varied else others(self.machine._loops, first)

    def _stronger(self, engine: Engine, run: int, ends: Array) -> tuple[Elimination, ...]:
        """An elimination for where the pivots of a run weaken, if there is another one.

        Where runs have numbers of their own it is found a little beside those of the run: nothing is ignored by chance.
        """
        machine, y = self.machine, ends[run, : self.machine._plan.ny]
        if self.varied:
            rng = np.random.default_rng(run)
            own = {n: float(x[run] + rng.uniform(0.02, 0.05) * (x.mean() - x[run])) for n, x in self.varied.items()}
            try:
                machine = machine.with_parameters(own)
                machine = machine.starting_from(Posture(machine._loops, y.copy()))
            except LinkworkError:
                return ()
            y = machine.home.y
        orders = {own.order for own in (engine.elimination, *engine.others)}
        for lasting in (True, False):
            found = found_at(machine._loops, y, lasting)
            if found is not None and found.order not in orders:
                if not self.varied:
                    keep(machine._loops, found)
                return (found,)
        return ()

    def _in_threads(self, work: Callable[..., int], parts: Iterable[tuple[int, ...]]) -> None:
        with ThreadPoolExecutor(self.threads) as pool:
            futures: list[Future[int]] = [pool.submit(work, *part) for part in parts]
            try:
                for future in as_completed(futures):
                    self._told(future.result())
            except KeyboardInterrupt:
                self.interrupted = True
                for future in futures:
                    future.cancel()

    def _balance(self, engine: Engine, starts: Array, ends: Array, work: Array, gains: Array | None, rows: Any) -> None:
        """What is missing in the balance of energy between start and end, and how much moved [J].

        work : done, with jumps at events; gains : of energy by run, where loads may have been switched
        """
        question = Question(equations.energies(self.machine._plan, engine.needs.switched))
        k0, p0 = self._energies(question, np.zeros(len(starts)), starts)
        k1, p1 = self._energies(question, np.full(len(starts), self.asked.until), ends)
        counted = work if engine.needs.counted or engine.needs.energies else np.zeros(len(work))
        gained = k1 + p1 - k0 - p0 if gains is None else gains
        self.balance[rows, 0] = np.abs(gained - counted)[rows]
        times = np.tile(self.asked.times, len(starts))
        y, w, _, _ = self._flat()
        along = [x.reshape(len(starts), -1)[rows] for x in self._energies(question, times, np.hstack([y, w]))]
        moved = np.stack([np.nanmax(x, axis=1) - np.nanmin(x, axis=1) for x in along] + [np.abs(counted)[rows]])
        rounding = 1e-13 * np.stack([np.nanmax(np.abs(x), axis=1) for x in along]).max(axis=0)
        self.balance[rows, 1] = np.where(moved.max(axis=0) > rounding, moved.max(axis=0), 0.0)

    def _energies(self, question: Question, t: Array, Z: Array) -> tuple[Array, Array]:
        """Kinetic and potential energy at a state of each run, or at several."""
        system, plan = self.machine, self.machine._plan
        y, w = (np.ascontiguousarray(Z[:, k : k + n]) for k, n in ((0, plan.ny), (plan.ny, plan.nw)))
        more = [np.zeros(plan.n_slips), np.ones(plan.n_loads)]
        more += [self.asked.x] if plan.states else []  # which have a part in the power alone
        repeats = len(Z) // self.given.count
        varied = {n: np.repeat(x, repeats) for n, x in self.varied.items()}
        formula, settled = (
            system._formulas.settled_all(question, {**system.parameters, **varied}, len(Z))
            if varied
            else system._settled(question, system.parameters)
        )
        kinetic, potential, _ = formula.kernel(y, w, t[:, np.newaxis], *more, settled)
        return kinetic, potential

    def _one_by_one(self, runs: list[int]) -> None:
        """Each by itself, several threads at a time."""

        def alone(k: int) -> int:
            try:
                self.single[k] = found = self.given.single(k)
            except LinkworkError as error:
                self.status[k], self.message[k] = "failed", str(error)
                return 1
            except Exception as error:  # noqa: BLE001 one run must not take the others with it
                self.status[k], self.message[k] = "failed", f"{type(error).__name__}: {error}"
                return 1
            reached = len(found.t)
            self.y[k, :reached], self.w[k, :reached], self.a[k, :reached] = found.y, found.w, found.a
            if self.machine._plan.states:
                self.x[k, :reached], self.dx[k, :reached] = found.outcome.x, found.outcome.dx
            self.status[k], self.message[k] = found.status, found.message
            self.counts[k] = found.nfev, found.steps, found.rejected
            told = found.evidence.simulation
            assert told is not None
            self.balance[k] = told.energy_error, told.energy_scale
            names = effort_names(self.machine._loops)
            for column, name in enumerate(names):
                if f"{name}.effort" in found.data:
                    self.e[k, :reached, column] = found.data[f"{name}.effort"].values
            return 1

        if runs:
            self._in_threads(alone, ((k,) for k in runs))

    # ---------------------------------------------------------------- telling

    def told(self) -> Simulations:
        """The result."""
        nfev, steps, rejected = self.counts.astype(np.int64).T
        outcome = Outcomes(
            self.asked.times, self.y, self.w, self.a, tuple(self.status), tuple(self.message), nfev, steps, rejected,
            self.balance[:, 0], self.balance[:, 1], self._residuals(), self.x,
        )  # fmt: skip
        name, inputs = self.machine.name, self.given.inputs
        return Simulations(name, inputs, outcome, self._whole, self._alone, self.machine, self._records)

    def _alone(self, run: int) -> Simulation:
        if run not in self.single:
            self.single[run] = self.given.single(run)
        return self.single[run]

    def _flat(self) -> tuple[Array, Array, Array, dict[str, Array]]:
        """Samples of all runs one after the other, and the parameters that they differ by."""
        samples = len(self.asked.times)
        y, w, a = (_samples(x) for x in (self.y, self.w, self.a))
        return y, w, a, {n: np.repeat(x, samples) for n, x in self.varied.items()}

    def _residuals(self) -> Array:
        """Largest loop error by run."""
        loops = self.machine._loops
        if not loops.count:
            return np.zeros(self.given.count)
        y, w, _, varied = self._flat()
        e, _ = self.machine._evaluate(Question(equations.mismatch()), (y, w), parameters=varied or None)
        found: Array = np.abs(e * loops.row_scale).max(axis=1).reshape(self.given.count, -1)
        return np.where(np.isnan(found).all(axis=1), np.nan, np.nanmax(np.nan_to_num(found), axis=1))

    def _whole(self) -> Run:
        from linkwork.results import build_run

        loops = self.machine._loops
        y, w, a, varied = self._flat()
        variables, speeds = joint_histories(loops, y, [w, a])
        variables |= state_histories(loops, _samples(self.x), _samples(self.dx))
        names, units = effort_names(loops), effort_units(loops)
        E = _samples(self.e)
        acting = {d.column for d in self.asked.driven} | set(np.flatnonzero(np.nan_to_num(E).any(axis=0)).tolist())
        signals: dict[str, tuple[str, Any]] = {}
        for column in sorted(acting):
            signals[f"{names[column]}.effort"] = (units[column], E[:, column])
            signals[f"{names[column]}.power"] = ("W", E[:, column] * w[:, column])
        times = np.tile(self.asked.times, self.given.count)
        kinetic, potential = self._energies(
            Question(equations.energies(self.machine._plan, frozenset())), times, np.hstack([y, w])
        )
        signals["machine.kinetic_energy"] = ("J", kinetic)
        signals["machine.potential_energy"] = ("J", potential)
        return build_run(
            np.arange(len(y), dtype=float), mechanism=loops.plan.name, analysis="simulation", variables=variables,
            speeds=speeds, **place_histories(loops, y, [w, a], None, varied or None), signals=signals,
            state=state_signals(loops),
        )  # fmt: skip


_ASKED: dict[str, Any] = dict.fromkeys(("drives", "events", "controller", "rate", "samples", "times", "step"), None) | {
    "events": (),
    "method": "auto",
    "rtol": 1e-7,
    "atol": 1e-9,
}
"""What `asked` takes besides, unless it is given."""


def _parts(count: int, threads: int) -> Iterator[tuple[int, int]]:
    size = max(1, min(LARGEST, count // (CHUNKS * threads)))
    return ((k, min(k + size, count)) for k in range(0, count, size))


# ---------------------------------------------------------------- starts


def _starts(own: Given, question: Asked) -> tuple[Array, Mask]:
    """States from which the runs begin (runs, n), and which of them could not be found.

    Positions are solved for all runs at once; loops are closed with the numbers of each run in the compiled loop.
    """
    machine, loops, count = question.machine, question.loops, own.count
    y, w = np.tile(question.y, (count, 1)), np.tile(question.w, (count, 1))
    lost: Mask = np.zeros(count, bool)
    start, rates = own.kinds["start"], own.kinds["rates"]
    if any(np.ndim(x) == 1 for x in start.values()):
        values = {d.name: float(d.drive.sample(0.0)[0]) for d in question.driven}
        wanted = {n: x for n, x in start.items() if _full(loops, n) not in values} | values
        y = _followed(machine, wanted, count) if loops.count else _set(loops, wanted, y)
        lost |= ~np.isfinite(y).all(axis=1)
        y[lost] = question.y
    if start or any(np.ndim(x) == 1 for x in rates.values()):
        w = _rates(own, question, y)
    return np.ascontiguousarray(np.hstack([y, w, _states(own, question)])), lost


def _states(own: Given, question: Asked) -> Array:
    """Named states at the beginning of the runs, (runs, states): given by name, or by the parameter of their start."""
    x = np.tile(question.x, (own.count, 1))
    for k, plan in enumerate(question.machine._plan.states):
        given = own.kinds["parameters"].get(f"{plan.name}.{START}", x[:, k])
        x[:, k] = own.kinds["states"].get(plan.name, given)
    return x


def _set(loops: Loops, wanted: Mapping[str, Any], y: Array) -> Array:
    """Variables of a machine without loops as they are given."""
    for name, x in wanted.items():
        slot, k = place_of(loops, name) or (None, 0)
        assert slot is not None
        y[:, slot.q.start + k] = x
    return y


def _followed(machine: Machine, wanted: Mapping[str, Any], count: int) -> Array:
    """Postures with these variables, each followed from home, so that none is of another closure; nan if it is not
    reached.

    Along a single variable all are followed at once, upward and downward from home.
    """
    found = np.full((count, machine._plan.ny), np.nan)
    differing = {n: np.asarray(x) for n, x in wanted.items() if np.ndim(x) == 1}
    shared = {n: x for n, x in wanted.items() if n not in differing}
    if len(differing) > 1:
        for k in range(count):
            with suppress(ClosureError):
                found[k] = machine.at({**shared, **{n: float(x[k]) for n, x in differing.items()}}).y
        return found
    base = machine.starting_from(shared) if shared else machine
    ((name, values),) = differing.items()
    here = base.home[name]
    for way in (1.0, -1.0):
        chosen = np.flatnonzero(way * (values - here) >= 0.0)
        order = chosen[np.argsort(way * values[chosen], kind="stable")]
        with suppress(ClosureError):
            if order.size:
                reached = base.solve({name: np.concatenate([[here], values[order]])}).variables[1:]
                found[order[: len(reached)]] = reached
    return found


def _full(loops: Loops, name: str) -> str:
    place = place_of(loops, name)
    return "" if place is None else loops.plan.variables[place[0].q.start + place[1]]


def _rates(own: Given, question: Asked, y: Array) -> Array:
    """Rates of all joints (runs, nw): those given, the other independent ones at rest."""
    loops, count = question.loops, own.count
    w = np.zeros((count, loops.columns))
    for name, x in own.kinds["rates"].items():
        w[:, columns_of(loops, [name])[0]] = x
    for d in question.driven:
        w[:, d.column] = float(d.drive.sample(0.0)[1])
    if not loops.count:
        return w
    independent = _independent(own, question, "rates")
    J = loops.equations(y)[1]  # (runs, rows, columns), of scaled columns
    scaled = w / loops.column_scale
    missed = np.einsum("krc,kc->kr", J[:, :, independent], scaled[:, independent])
    scaled[:, ~independent] = -np.einsum("kcr,kr->kc", np.linalg.pinv(J[:, :, ~independent], rcond=1e-9), missed)
    found: Array = scaled * loops.column_scale
    return found


def _independent(own: Given, question: Asked, kind: str) -> Mask:
    """Columns that are given, and others that are then free."""
    loops = question.loops
    names = list(own.kinds[kind]) + [d.name for d in question.driven]
    columns = columns_of(loops, list(dict.fromkeys(_full(loops, n) or n for n in names)))
    specified: Mask = np.isin(np.arange(loops.columns), columns)
    if loops.count:
        specified[loops.roles(question.y, specified).free] = True
    return specified


def _held(own: Given, question: Asked) -> tuple[Any, Any]:
    """Rows that hold plain independent variables, and rates, while a start is closed."""
    loops = question.loops
    tables = []
    for kind in ("start", "rates"):
        kept = _independent(own, question, kind)
        rows = [
            (0, s.v.start + k, s.q.start + k, -1)
            for s in loops.plan.slots
            for k in range(s.plain)
            if kept[s.v.start + k]
        ]
        tables.append(np.array(rows, np.int64).reshape(-1, 4))
    return tables[0], tables[1]


def _efforts(own: Given, loops: Loops, steady: Array) -> Array:
    """Efforts that do not change, by run."""
    found = np.tile(steady, (own.count, 1))
    for name, x in own.kinds["efforts"].items():
        if np.ndim(x) == 1:
            found[:, columns_of(loops, [name])[0]] = x
    return np.ascontiguousarray(found)


def _samples(x: Array) -> Array:
    """(runs, samples, n) -> (runs · samples, n), where n may be 0."""
    return x.reshape(x.shape[0] * x.shape[1], x.shape[2])
