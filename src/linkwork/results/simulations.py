"""Many simulations of one machine: everything by name over runs and time, and each run by its number."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.results.layout import long_name
from linkwork.results.result import Result
from linkwork.results.result_layout import result_attributes
from linkwork.results.signals import Signal, Units

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from linkwork.results.happenings import Happening
    from linkwork.results.plots import Panels
    from linkwork.results.run import Run
    from linkwork.results.simulation import Simulation

LATER = ("_data", "_shown", "_names")
"""What is made when it is first asked for."""
PER_RUN = dict.fromkeys(("nfev", "steps", "rejected", "residual"), "1") | {"energy_error": "J", "energy_scale": "J"}
"""Numbers of a run as a whole, and their units."""
SHOWN = 5
"""Runs that stopped which a summary tells of."""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What came of many simulations, as arrays.

    t : times [s] of the samples
    y, w, a : variables, rates and accelerations of all joints (runs, samples, ...); nan where a run did not come to
    status, message : by run, 'complete', 'stopped', 'failed' (it could not begin) or 'left out' (after an interrupt),
        and why; of a complete one what to beware of
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


def _nothing(run: int) -> tuple[Happening, ...]:
    """Events of runs that have none."""
    return ()


class Simulations(Result):
    """Many simulations of one machine; made by `Machine.simulate_many`.

    `runs["P.x"]` is a `Signal` over runs and time, labelled with what differs between the runs; `runs[7]` is one of
    them as a `Simulation`, with evidence of its own. Signals by name are made when they are first asked for.
    """

    __slots__ = ("_make", "_mechanism", "_records", "_single", "inputs", "outcome")

    inputs: dict[str, Any]
    """What differs between the runs: arrays (runs,) by name, such as `start.A` or `rod.mass`."""
    outcome: Outcomes
    """What came of them, as arrays."""

    def __init__(
        self,
        name: str,
        inputs: Mapping[str, Any],
        outcome: Outcomes,
        whole: Callable[[], Run] | None,
        single: Callable[[int], Simulation],
        machine: Any = None,
        records: Callable[[int], tuple[Happening, ...]] = _nothing,
    ) -> None:
        own = {"_mechanism": name, "inputs": dict(inputs), "outcome": outcome, "_make": whole, "_single": single}
        for key, value in (own | {"machine": machine, "_records": records}).items():
            object.__setattr__(self, key, value)

    def __getattr__(self, name: str) -> Any:
        if name in LATER:
            Result.__init__(self, self._dataset(), self.machine)
            return object.__getattribute__(self, name)
        if name == "evidence":
            return super().__getattr__(name)
        raise AttributeError(f"simulations have no '{name}'")

    def __reduce__(self) -> tuple[Any, ...]:
        if self._make is None:
            from linkwork.results.kept_simulations import simulations_of

            return simulations_of, (self.data,)
        made = (self._make, self._single, self.machine, self._records)
        return Simulations, (self.name, self.inputs, self.outcome, *made)

    @property
    def name(self) -> str:
        """Of the mechanism."""
        return str(self._mechanism)

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
        """By run, why it stopped, or of a complete one what to beware of; usually empty."""
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
        found: tuple[Happening, ...] = self._records(range(len(self))[run])
        return found

    # ---------------------------------------------------------------- by name and by number

    def __getitem__(self, which: Any) -> Any:
        """A signal or a place by name over runs and time, or a run by its number."""
        if isinstance(which, str):
            single = self._names.kinds.get(which) in ("joint", "state") and len(self._names.expand(which)) == 1
            return self.signal(which) if single else super().__getitem__(which)
        if isinstance(which, bool) or not isinstance(which, (int, np.integer)):
            hint = "give the name of a signal, such as 'P.x', or the number of a run"
            raise InputError(Problem(f"runs are not asked for by {type(which).__name__}", hint=hint), self.name)
        if not -len(self) <= which < len(self):
            raise IndexError(f"there are {len(self)} runs, 0 to {len(self) - 1}")
        return self._single(int(which) % len(self))

    def __iter__(self) -> Iterator[Simulation]:
        return (self[k] for k in range(len(self)))

    def signal(self, name: str) -> Signal:
        """A `Signal` of all runs: (run, time), in SI units.

        Parameters
        ----------
        name : as of a single run: 'A', 'A.rate', 'P.x', 'P.speed', 'A.effort'
        """
        return self._named_signal(name)

    def plot(
        self,
        *names: str,
        units: Units = None,
        x: str = "",
        against: Mapping[str, Any] | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Panels:
        """Plot signals of all runs over time: a line a run, and of more than 12 runs how they spread.

        Parameters
        ----------
        names : signals; joints and places stand for their own; the variables of the joints without any
        units, ax : as in `Run.plot`
        x : another axis to plot over; time without
        against : other simulations to overlay, by the name that tells them apart
        """
        from linkwork.results.plots.spread import MOST_RUNS, describe_spread

        asked = names or tuple(f"{j}.{v}" for j, own in self._names.joints.items() for v in own)
        if len(self) <= MOST_RUNS or x not in ("", "time") or against:
            return super().plot(*asked, units=units, x=x or "time", against=against, ax=ax)
        self._assert_known(asked, None)
        signals = [s for n in asked for s in self._plotted(n)]
        return describe_spread(signals, units=units, title=f"{len(self):,} simulations of {self.name}").draw(ax)

    def _dataset(self) -> xr.Dataset:
        """Everything with the axes run and time; names of joints and places are those of a single run."""
        import xarray as xr

        whole, count, samples = self._make().data, len(self), len(self.t)
        variables = {
            name: (("run", *array.dims), array.values.reshape(count, samples, *array.shape[1:]), array.attrs)
            for name, array in whole.data_vars.items()
        }
        beyond = {d: whole[d].values for d in whole.coords if d != "time"}
        time = ("time", self.t, {"units": "s", "long_name": "time"})
        runs = {"run": np.arange(count), "time": time, **{n: ("run", x) for n, x in self.inputs.items()}}
        own = {key: whole.attrs[key] for key in ("linkwork", "joints", "speeds", "bodies", "frames", "points", "state")}
        done = int(self.complete.sum())
        told = {"mechanism": self.name, "analysis": "simulations", "evidence": self._evidence(done)}
        ended = {"status": "complete" if done == count else "stopped"}
        data = xr.Dataset(variables, {**runs, **beyond}, result_attributes(**own, **told, **ended))
        data["status"] = ("run", np.array(self.status, dtype=str))
        data["message"] = ("run", np.array(self.message, dtype=str))
        happened = [json.dumps([event.as_dict() for event in self.events(k)]) for k in range(count)]
        data["events"] = ("run", np.array(happened, dtype=str))
        for key, unit in PER_RUN.items():
            data[key] = ("run", np.asarray(getattr(self.outcome, key)), {"units": unit, "long_name": long_name(key)})
        return data

    def _evidence(self, done: int) -> dict[str, Any]:
        o = self.outcome
        moved = o.energy_scale > 0.0
        return {
            "complete": done,
            "steps": int(np.nansum(o.steps)),
            "evaluations": int(np.nansum(o.nfev)),
            "worst_residual": float(np.nanmax(o.residual, initial=0.0)),
            "worst_energy_share": float(np.max(o.energy_error[moved] / o.energy_scale[moved], initial=0.0)),
        }

    # ---------------------------------------------------------------- telling

    def __str__(self) -> str:
        done = int(self.complete.sum())
        varied = ", ".join(self.inputs)
        lines = [f"{len(self):,} simulations of '{self.name}' ({varied}): {done:,} complete"]
        for k in np.flatnonzero(~self.complete)[:SHOWN]:
            numbers = ", ".join(f"{n} = {x[k]:.6g}" for n, x in self.inputs.items())
            lines.append(f"  run {k} ({numbers}) {self.status[k]}: {self.message[k]}")
        if len(self) - done > SHOWN:
            lines.append(f"  ... and {len(self) - done - SHOWN:,} more")
        doubtful = [k for k in np.flatnonzero(self.complete) if self.message[k]]
        if doubtful:
            first = doubtful[0]
            lines.append(f"  warning: {len(doubtful):,} complete ones, first run {first}: {self.message[first]}")
        if done:
            found = self._evidence(done)
            lines.append(
                f"{len(self.t)} samples to {self.t[-1]:g} s; {found['steps']:,} steps, "
                f"{found['evaluations']:,} evaluations; worst loop error {found['worst_residual']:.1e}, "
                f"worst energy error {found['worst_energy_share']:.1e} of what moved"
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)
