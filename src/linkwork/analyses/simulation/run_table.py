"""Results of many runs while they come in, and the labelled result that is made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.forces.over_run import effort_names, effort_units
from linkwork.analyses.kinematics.histories import joint_histories, place_histories, state_histories, state_signals
from linkwork.analyses.simulation.active_set import ActiveSet
from linkwork.analyses.simulation.records import records_of
from linkwork.analyses.simulation.runaway import warnings_of_speed
from linkwork.analyses.simulation.session import APART
from linkwork.analyses.simulation.variants import Given
from linkwork.equations import simulation as equations
from linkwork.errors import InputError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.results.simulations import Outcomes, Simulations

if TYPE_CHECKING:
    from linkwork.results.happenings import Happening
    from linkwork.results.run import Run
    from linkwork.results.simulation import Simulation

Progress = Callable[[int, int], None]


@dataclass
class RunTable:
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
        self.asked = own.first(machine, wrong)
        self.machine = self.asked.machine  # with loads for efforts that depend on the state
        plan, count, samples = self.machine.plan, own.count, len(self.asked.times)
        self.y = np.full((count, samples, plan.ny), np.nan)
        self.w, self.a = (np.full((count, samples, plan.nw), np.nan) for _ in range(2))
        self.e = np.full((count, samples, plan.nw), np.nan)
        self.x, self.dx = (np.full((count, samples, plan.n_states), np.nan) for _ in range(2))
        self.status, self.message = ["left out"] * count, [""] * count
        self.counts = np.zeros((count, 3))
        self.balance = np.full((count, 2), np.nan)

    # ---------------------------------------------------------------- coming in

    def count_done(self, more: int) -> None:
        """Some more are done."""
        self.done += more
        if self.progress is not None:
            self.progress(self.done, self.given.count)

    def in_threads(self, work: Callable[..., int], parts: Iterable[tuple[int, ...]]) -> None:
        """Do all parts of the work, several at a time; Ctrl-C leaves out those that have not begun."""
        with ThreadPoolExecutor(self.threads) as pool:
            futures: list[Future[int]] = [pool.submit(work, *part) for part in parts]
            try:
                for future in as_completed(futures):
                    self.count_done(future.result())
            except KeyboardInterrupt:
                self.interrupted = True
                for future in futures:
                    future.cancel()

    def records(self, run: int) -> tuple[Happening, ...]:
        """Events of a run."""
        if run in self.single:
            return self.single[run].events
        log = self.logs.get(run)
        return () if log is None else tuple(records_of(log, ActiveSet(self.asked, APART), self.machine.loops))

    # ---------------------------------------------------------------- telling

    def told(self) -> Simulations:
        """The result."""
        for k in np.flatnonzero([not told for told in self.message]).tolist():
            self.message[k] = "; ".join(warnings_of_speed(self.machine.loops, [self.w[k]]))
        nfev, steps, rejected = self.counts.astype(np.int64).T
        outcome = Outcomes(
            self.asked.times, self.y, self.w, self.a, tuple(self.status), tuple(self.message), nfev, steps, rejected,
            self.balance[:, 0], self.balance[:, 1], self._residuals(), self.x,
        )  # fmt: skip
        name, inputs = self.machine.name, self.given.inputs
        return Simulations(name, inputs, outcome, self._whole, self._alone, self.machine, self.records)

    def _alone(self, run: int) -> Simulation:
        if run not in self.single:
            self.single[run] = self.given.single(run)
        return self.single[run]

    def flat(self) -> tuple[Array, Array, Array, dict[str, Array]]:
        """Samples of all runs one after the other, and the parameters that they differ by."""
        samples = len(self.asked.times)
        y, w, a = (_samples(x) for x in (self.y, self.w, self.a))
        return y, w, a, {n: np.repeat(x, samples) for n, x in self.varied.items()}

    def _residuals(self) -> Array:
        """Largest loop error by run."""
        loops = self.machine.loops
        if not loops.count:
            return np.zeros(self.given.count)
        y, w, _, varied = self.flat()
        e, _ = self.machine._evaluate(Question(equations.mismatch()), (y, w), parameters=varied or None)
        found: Array = np.abs(e * loops.row_scale).max(axis=1).reshape(self.given.count, -1)
        return np.where(np.isnan(found).all(axis=1), np.nan, np.nanmax(np.nan_to_num(found), axis=1))

    def _whole(self) -> Run:
        from linkwork.results import build_run

        loops = self.machine.loops
        y, w, a, varied = self.flat()
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
        kinetic, potential = self.energies(
            Question(equations.energies(self.machine.plan, frozenset())), times, np.hstack([y, w])
        )
        signals["machine.kinetic_energy"] = ("J", kinetic)
        signals["machine.potential_energy"] = ("J", potential)
        return build_run(
            np.arange(len(y), dtype=float), mechanism=loops.plan.name, analysis="simulation", variables=variables,
            speeds=speeds, **place_histories(loops, y, [w, a], None, varied or None), signals=signals,
            state=state_signals(loops),
        )  # fmt: skip

    def energies(self, question: Question, t: Array, Z: Array) -> tuple[Array, Array]:
        """Kinetic and potential energy at a state of each run, or at several."""
        system, plan = self.machine, self.machine.plan
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


def _samples(x: Array) -> Array:
    """(runs, samples, n) -> (runs · samples, n), where n may be 0."""
    return x.reshape(x.shape[0] * x.shape[1], x.shape[2])
