"""Many simulations of one machine, with other starts, inputs or numbers: in compiled loops, over all cores.

Runs that compiled loops alone do not bring to their end are simulated by themselves afterwards, and so are all of them
where a controller takes part, or events that give numbers other values.
"""

from __future__ import annotations

from collections.abc import Iterable

from linkwork.analyses.forces.over_run import effort_names
from linkwork.analyses.simulation.active_set import ActiveSet
from linkwork.analyses.simulation.compiled_runs import run_compiled
from linkwork.analyses.simulation.journey import WAYS
from linkwork.analyses.simulation.run_table import Progress, RunTable
from linkwork.analyses.simulation.session import APART
from linkwork.analyses.simulation.variants import Given
from linkwork.errors import LinkworkError
from linkwork.kernels.threads import available_cores
from linkwork.results.simulations import Simulations


def simulated_many(asked_for: Given, progress: Progress | None, threads: int | None) -> Simulations:
    """All runs; what was reached when Ctrl-C comes is kept."""
    table = RunTable(asked_for, threads or available_cores(), progress)
    _run(table)
    return table.told()


def _run(table: RunTable) -> None:
    """By compiled loops where they will do, the rest one by one."""
    left: Iterable[int] = range(table.given.count)
    try:
        if _is_plain(table):
            left = run_compiled(table)
        _one_by_one(table, list(left))
    except KeyboardInterrupt:
        table.interrupted = True
    for k, status in enumerate(table.status):
        if status == "left out":
            table.message[k] = "interrupted before its turn"


def _is_plain(table: RunTable) -> bool:
    """Whether nothing happens on the way that the compiled loop cannot deal with."""
    asked, active = table.asked, ActiveSet(table.asked, APART)
    alone = all(active.acts_alone(event) for event in active.acting)
    alike = not any(name.endswith(".static") for name in table.varied)  # which kernels do not read
    jumps = active.switches and any(any(own.jumps) for own in table.machine.plan.switched)
    return alone and alike and not jumps and not asked.controller and asked.method in ("auto", *WAYS)


def _one_by_one(table: RunTable, runs: list[int]) -> None:
    """Each by itself, several threads at a time."""

    def alone(k: int) -> int:
        try:
            table.single[k] = found = table.given.single(k)
        except LinkworkError as error:
            table.status[k], table.message[k] = "failed", str(error)
            return 1
        except Exception as error:  # noqa: BLE001 one run must not take the others with it
            table.status[k], table.message[k] = "failed", f"{type(error).__name__}: {error}"
            return 1
        reached = len(found.t)
        table.y[k, :reached], table.w[k, :reached], table.a[k, :reached] = found.y, found.w, found.a
        if table.machine.plan.states:
            table.x[k, :reached], table.dx[k, :reached] = found.outcome.x, found.outcome.dx
        table.status[k], table.message[k] = found.status, found.message
        table.counts[k] = found.nfev, found.steps, found.rejected
        told = found.evidence.simulation
        assert told is not None
        table.balance[k] = told.energy_error, told.energy_scale
        names = effort_names(table.machine.loops)
        for column, name in enumerate(names):
            if f"{name}.effort" in found.arrays:
                table.e[k, :reached, column] = found.arrays[f"{name}.effort"].values
        return 1

    if runs:
        table.in_threads(alone, ((k,) for k in runs))
