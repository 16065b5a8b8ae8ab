"""Many simulations of one machine: everything by name over runs and time, and each run by its number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError, Problem

if TYPE_CHECKING:
    import xarray as xr

    from linkwork.results.happenings import Happening
    from linkwork.results.run import Run
    from linkwork.results.simulation import Simulation

SHOWN = 5
"""Runs that stopped which a summary tells of."""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What came of many simulations, as arrays.

    t : times [s] of the samples
    y, w, a : variables, rates and accelerations of all joints (runs, samples, ...); nan where a run did not come to
    status, message : by run, 'complete', 'stopped', 'failed' (it could not begin) or 'left out' (after an interrupt),
        and why
    nfev, steps, rejected : by run, evaluations, steps, and steps that were taken back
    energy_error, energy_scale [J] : by run, what is missing in the balance of energy at the end, and how much moved
    residual : by run, largest loop error of a sample [rad, parts of the machine's size]
    x : named states (runs, samples, states)
    """

    t: Any
    y: Any
    w: Any
    a: Any
    status: tuple[str, ...]
    message: tuple[str, ...]
    nfev: Any
    steps: Any
    rejected: Any
    energy_error: Any
    energy_scale: Any
    residual: Any
    x: Any = None


class Simulations:
    """Many simulations of one machine; made by `Machine.simulate_many`.

    `runs["P.x"]` is an xarray.DataArray over runs and time, labelled with what differs between the runs; `runs[7]` is
    one of them as a `Simulation`, with evidence of its own.
    """

    def __init__(
        self,
        name: str,
        inputs: Mapping[str, Any],
        outcome: Outcomes,
        whole: Callable[[], Run],
        single: Callable[[int], Simulation],
        records: Callable[[int], tuple[Happening, ...]] = lambda run: (),
    ) -> None:
        self.name = name
        """Of the mechanism."""
        self.inputs = dict(inputs)
        """What differs between the runs: arrays (runs,) by name, such as `start.A` or `rod.mass`."""
        self.outcome = outcome
        """What came of them, as arrays."""
        self._make, self._single, self._records = whole, single, records
        self._whole: Run | None = None

    # ---------------------------------------------------------------- how they went

    def __len__(self) -> int:
        return len(self.outcome.status)

    @property
    def t(self) -> Any:
        """Time [s] of the samples, a numpy array."""
        return self.outcome.t

    @property
    def y(self) -> Any:
        """Variables of all joints, (runs, samples, variables), in the order of `Machine.variables`."""
        return self.outcome.y

    @property
    def w(self) -> Any:
        """Rates of all joints, (runs, samples, rates), in the order of `Machine.variable_rates`."""
        return self.outcome.w

    @property
    def status(self) -> tuple[str, ...]:
        """By run: 'complete', 'stopped', 'failed' (it could not begin), or 'left out' (after an interrupt)."""
        return self.outcome.status

    @property
    def message(self) -> tuple[str, ...]:
        """By run, why it stopped; empty when it is complete."""
        return self.outcome.message

    @property
    def complete(self) -> Any:
        """By run, whether it came to its end; a numpy array."""
        return np.array([s == "complete" for s in self.outcome.status])

    def events(self, run: int) -> tuple[Happening, ...]:
        """Events that took place in a run, in order.

        Parameters
        ----------
        run : its number
        """
        return self._records(range(len(self))[run])

    # ---------------------------------------------------------------- by name and by number

    def __getitem__(self, which: str | int) -> Any:
        """A signal by name over runs and time, or a run by its number."""
        if isinstance(which, str):
            return self.signal(which)
        if isinstance(which, bool) or not isinstance(which, (int, np.integer)):
            hint = "give the name of a signal, such as 'P.x', or the number of a run"
            raise InputError(Problem(f"runs are not asked for by {type(which).__name__}", hint=hint), self.name)
        if not -len(self) <= which < len(self):
            raise IndexError(f"there are {len(self)} runs, 0 to {len(self) - 1}")
        return self._single(int(which) % len(self))

    def __iter__(self) -> Iterator[Simulation]:
        return (self[k] for k in range(len(self)))

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that may be asked for by name."""
        return self._run.names

    def signal(self, name: str) -> xr.DataArray:
        """A signal of all runs: (run, time), in SI units.

        Parameters
        ----------
        name : as of a single run: 'A', 'A.rate', 'P.x', 'P.speed', 'A.effort'
        """
        import xarray as xr

        found = self._run.signal(name)
        values = np.asarray(found.values).reshape(len(self), len(self.t), *np.shape(found.values)[1:])
        beyond = [str(d) for d in found.data.dims[1:]]
        labels = {d: list(found.data[d].values) for d in beyond}
        coordinates = {**self._coordinates(), **labels}
        return xr.DataArray(values, coordinates, ("run", "time", *beyond), name, dict(found.data.attrs))

    @property
    def data(self) -> xr.Dataset:
        """Everything as one xarray.Dataset with the dimensions run and time."""
        import xarray as xr

        whole, count, samples = self._run.data, len(self), len(self.t)
        variables = {
            name: (("run", *array.dims), array.values.reshape(count, samples, *array.shape[1:]), array.attrs)
            for name, array in whole.data_vars.items()
        }
        beyond = {d: whole[d].values for d in whole.coords if d != "time"}
        own = {"mechanism": self.name, "analysis": "simulations"}
        data = xr.Dataset(variables, {**self._coordinates(), **beyond}, own)
        data["status"] = ("run", np.array(self.status, dtype=str))
        data["message"] = ("run", np.array(self.message, dtype=str))
        for key in ("nfev", "steps", "rejected", "energy_error", "energy_scale", "residual"):
            data[key] = ("run", np.asarray(getattr(self.outcome, key)))
        return data

    def _coordinates(self) -> dict[str, Any]:
        time = ("time", self.t, {"units": "s", "long_name": "time"})
        return {"run": np.arange(len(self)), "time": time, **{n: ("run", x) for n, x in self.inputs.items()}}

    @property
    def _run(self) -> Run:
        """All runs one after the other, as one: what names mean is settled there."""
        if self._whole is None:
            self._whole = self._make()
        return self._whole

    def save(self, path: str | Path) -> Path:
        """Write everything to a NetCDF file, which xarray reads.

        Parameters
        ----------
        path : ends in .nc
        """
        from linkwork.results.store import save_dataset

        return save_dataset(self.data, path)

    # ---------------------------------------------------------------- telling

    def __str__(self) -> str:
        o = self.outcome
        done = int(self.complete.sum())
        varied = ", ".join(self.inputs)
        lines = [f"{len(self):,} simulations of '{self.name}' ({varied}): {done:,} complete"]
        for k in np.flatnonzero(~self.complete)[:SHOWN]:
            numbers = ", ".join(f"{n} = {x[k]:.6g}" for n, x in self.inputs.items())
            lines.append(f"  run {k} ({numbers}) {self.status[k]}: {self.message[k]}")
        if len(self) - done > SHOWN:
            lines.append(f"  ... and {len(self) - done - SHOWN:,} more")
        if done:
            moved = o.energy_scale > 0.0
            share = np.max(o.energy_error[moved] / o.energy_scale[moved], initial=0.0)
            lines.append(
                f"{len(self.t)} samples to {self.t[-1]:g} s; {int(np.nansum(o.steps)):,} steps, "
                f"{int(np.nansum(o.nfev)):,} evaluations; worst loop error {np.nanmax(o.residual, initial=0.0):.1e}, "
                f"worst energy error {share:.1e} of what moved"
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Simulations of '{self.name}': {len(self)} runs, {len(self.t)} samples"
