"""Quantities of a machine over its numbers and starts: one question asked at every place of a grid.

Simulations are asked together (`Machine.simulate_many`); motions, forces and statics one after the other of a machine
that is compiled once (`with_parameters`). A place at which the machine cannot be asked has no number, and a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.failures import ClosureError
from linkwork.errors import InputError, ModelError, Problem
from linkwork.results.result_build import build_result
from linkwork.results.signals import Signal

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.results import Result

MOST_TOLD = 5
"""Places that failed which are told one by one."""
REDUCTIONS: dict[str, Callable[[Signal], float]] = {
    "max": lambda signal: float(signal.max()),
    "min": lambda signal: float(signal.min()),
    "mean": lambda signal: float(signal.mean()),
    "rms": lambda signal: float(signal.rms()),
    "peak": lambda signal: float(signal.values.ravel()[int(np.nanargmax(np.abs(signal.values)))]),
    "range": lambda signal: float(signal.max() - signal.min()),
    "first": lambda signal: float(signal.values[0]),
    "last": lambda signal: float(signal.values[-1]),
}
"""One number of a signal over time; 'peak' is the largest in size, with its sign."""


@dataclass(frozen=True)
class Over:
    """What is varied: a number of the model, 'rod.mass', or a variable at the start, 'start.A'.

    unit : SI unit of the values
    """

    name: str
    unit: str
    values: tuple[float, ...]

    @property
    def started(self) -> str:
        """The variable whose start is varied; empty of numbers of the model."""
        return self.name.removeprefix("start.") if self.name.startswith("start.") else ""


@dataclass(frozen=True)
class Wanted:
    """A signal, and how it becomes one number: 'A.effort', 'rms'; '' of what is one number as it is."""

    signal: str
    word: str

    @property
    def name(self) -> str:
        """As it stands in the result: 'A.effort.rms'; 'A.effort' of statics."""
        return f"{self.signal}.{self.word}" if self.word else self.signal

    def of(self, run: Any) -> tuple[float, str]:
        """The number of a run, and its unit."""
        signal = run.signal(self.signal)
        if signal.ndim != 1:
            hint = f"ask for a component or the magnitude: {self.signal}.magnitude"
            raise InputError(Problem(f"'{self.signal}' is a vector", "of", hint))
        if not np.isfinite(signal.values).any():
            return np.nan, signal.unit
        return REDUCTIONS[self.word](signal), signal.unit


Ask = Callable[["Machine", dict[str, float]], Any]
"""What is asked of the machine with its numbers set and of the start, by variable: a run, or `Statics`."""


def swept(machine: Machine, over: Sequence[Over], wanted: Sequence[Wanted], ask: Ask, analysis: str,
          progress: Callable[[int, int], None] | None = None) -> Result:  # fmt: skip
    """The wanted numbers of what is asked at every place.

    over : one or several, which make a grid
    wanted : signals of runs; of statics, efforts and components of reactions
    ask : called with the machine at a place, and with the starts that are varied
    """
    places = list(product(*(own.values for own in over)))
    found: dict[str, Any] = {w.name: np.full(len(places), np.nan) for w in wanted}
    units: dict[str, str] = {}
    failed: list[str] = []
    for k, place in enumerate(places):
        numbers = {own.name: x for own, x in zip(over, place, strict=True) if not own.started}
        starts = {own.started: x for own, x in zip(over, place, strict=True) if own.started}
        try:
            answer = ask(machine.with_parameters(numbers) if numbers else machine, starts)
            stopped = getattr(answer, "message", "")
            if stopped:
                failed.append(f"{_told(over, place)}: {stopped}")
        except ClosureError as error:
            failed.append(f"{_told(over, place)}: {error.problem.what}")
            continue
        for w in wanted if not stopped else ():
            found[w.name][k], units[w.name] = of_statics(answer, w) if analysis == "statics" else w.of(answer)
        if progress is not None:
            progress(k + 1, len(places))
    return _result(machine, over, wanted, found, units, failed, analysis)


def swept_together(
    machine: Machine, over: Sequence[Over], wanted: Sequence[Wanted], until: float, shared: Mapping[str, Any],
    progress: Callable[[int, int], None] | None = None,
) -> Result:  # fmt: skip
    """The same of simulations, over all cores at once.

    until : end of each [s]; shared : what else `Machine.simulate` takes, the same for all
    """
    places = np.array(list(product(*(own.values for own in over)))).reshape(-1, len(over))
    parameters = {own.name: places[:, i] for i, own in enumerate(over) if not own.started}
    start = dict(shared.get("start") or {}) | {own.started: places[:, i] for i, own in enumerate(over) if own.started}
    options = {key: value for key, value in shared.items() if key != "start"}
    runs = machine.simulate_many(until, start or None, parameters=parameters or None, progress=progress, **options)
    found: dict[str, Any] = {w.name: np.full(len(runs), np.nan) for w in wanted}
    units: dict[str, str] = {}
    for w in wanted:
        signal = runs.signal(w.signal)
        if signal.ndim != 2:
            hint = f"ask for a component or the magnitude: {w.signal}.magnitude"
            raise InputError(Problem(f"'{w.signal}' is a vector", "of", hint))
        units[w.name] = signal.unit
        for k in np.flatnonzero(runs.complete):
            found[w.name][k] = REDUCTIONS[w.word](signal.isel(run=int(k)))
    failed = [f"{_told(over, places[k])}: {runs.message[k]}" for k in np.flatnonzero(~runs.complete)]
    return _result(machine, over, wanted, found, units, failed, "simulations")


def of_statics(found: Any, wanted: Wanted) -> tuple[float, str]:
    """One number of a machine at rest: an effort, 'A.effort', a load, 'coil', or a reaction, 'B.fx', 'B.force'."""
    name, _, last = wanted.signal.rpartition(".")
    for table in (found.efforts, found.loads, found.constraints):
        for asked in (wanted.signal, name if last in ("effort", "tension", "force", "torque") else ""):
            full = asked if asked in table else next((n for n in table if asked and n.rpartition(".")[0] == asked), "")
            if full:
                return float(table[full]), found.units[full]
    reaction = found.reactions.get(name)
    components = ("fx", "fy", "fz", "mx", "my", "mz")
    if reaction is not None and last in components:
        return float([*reaction.force, *reaction.moment][components.index(last)]), "N" if last[0] == "f" else "N m"
    if reaction is not None and last in ("force", "moment"):
        return float(np.linalg.norm(getattr(reaction, last))), "N" if last == "force" else "N m"
    known = [*(f"{n.rpartition('.')[0]}.effort" for n in found.efforts), *found.loads]
    known += [f"{joint}.{c}" for joint in found.reactions for c in ("force", "moment", *components)]
    from linkwork.names import nothing_called

    raise ModelError([nothing_called(wanted.signal, known)])


def _told(over: Sequence[Over], place: Sequence[float]) -> str:
    return ", ".join(f"{own.name} = {x:.6g}" for own, x in zip(over, place, strict=True))


def _result(
    machine: Machine, over: Sequence[Over], wanted: Sequence[Wanted], found: dict[str, Any], units: dict[str, str],
    failed: list[str], analysis: str,
) -> Result:  # fmt: skip
    shape = tuple(len(own.values) for own in over)
    axes = tuple(own.name for own in over)
    more = [f"and {len(failed) - MOST_TOLD} more places"] if len(failed) > MOST_TOLD else []
    total = int(np.prod(shape))
    return build_result(
        {own.name: (own.unit, own.values) for own in over},
        {w.name: (units.get(w.name, "1"), axes, found[w.name].reshape(shape)) for w in wanted},
        mechanism=machine.name,
        analysis=f"sweep of {analysis}",
        status="complete" if not failed else "stopped",
        message=f"{len(failed)} of {total} places have no answer" if failed else "",
        warnings=[*failed[:MOST_TOLD], *more],
        evidence={"places": total, "answered": total - len(failed)},
        machine=machine,
    )
