"""Many simulations from the dataset that they were saved as: all runs, and each of them by its number."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.results.arrays import Arrays
from linkwork.results.happenings import Happening, happening_of, is_happening
from linkwork.results.layout import STATE, attributes, make_arrays
from linkwork.results.names import STATE_VALUE
from linkwork.results.result import Result
from linkwork.results.simulation import Outcome, Simulation
from linkwork.results.simulations import PER_RUN, Outcomes, Simulations

if TYPE_CHECKING:
    import xarray as xr

    from linkwork.geometry import Array

ANALYSIS = "simulations"
TEXTS = ("status", "message", "events")
"""Texts of every run."""


def are_simulations(data: xr.Dataset) -> bool:
    """Whether a dataset is that of many whole simulations, not of some of them."""
    return data.attrs["analysis"] == ANALYSIS and "state" in data.attrs and not data.attrs["part"]


def simulations_of(data: xr.Dataset) -> Simulations:
    """All runs, without the machine; InputError where the dataset lacks something of them."""
    wanted = [*TEXTS, *PER_RUN, *(n for names in data.attrs["state"].values() for n in names)]
    problems = [Problem("this is missing", name) for name in wanted if name not in data.variables]
    problems += [Problem(f"there is no axis '{axis}'", axis) for axis in ("run", "time") if axis not in data.sizes]
    problems += [Problem("the names are missing", f"state.{key}") for key in STATE if key not in data.attrs["state"]]
    if problems:
        raise InputError(problems, data.attrs["mechanism"])
    events = [_events(text, f"run {k}") for k, text in enumerate(data["events"].values.tolist())]
    y, w, a = (_columns(data, data.attrs["state"][key]) for key in STATE)
    status, message = (tuple(map(str, data[key].values.tolist())) for key in ("status", "message"))
    numbers = {key: data[key].values for key in PER_RUN}
    plain = Arrays.of(data)
    outcome = Outcomes(data["time"].values, y, w, a, status, message, **numbers, x=_columns(data, _states(data)))
    inputs = {str(n): c.values for n, c in data.coords.items() if c.dims == ("run",) and n != "run"}
    single = partial(_run, plain, outcome, events)
    found = Simulations(data.attrs["mechanism"], inputs, outcome, None, single, None, events.__getitem__)
    Result.__init__(found, data)
    return found


def _events(text: str, where: str) -> tuple[Happening, ...]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, list) or not all(is_happening(one) for one in told):
        raise InputError(Problem("this does not tell of events", f"events of {where}"))
    return tuple(happening_of(one) for one in told)


def _states(data: xr.Dataset | Arrays, ending: str = "") -> list[str]:
    """Signals of the named states, or of their rates."""
    return [f"{n}.{STATE_VALUE}{ending}" for n, own in data.attrs["joints"].items() if own == [STATE_VALUE]]


def _columns(data: xr.Dataset | Arrays, names: list[str]) -> Array:
    """Signals side by side, (runs, samples, names)."""
    found = np.empty((data.sizes["run"], data.sizes["time"], len(names)))
    for k, name in enumerate(names):
        found[..., k] = data.variables[name].values
    return found


def _run(data: Arrays, outcome: Outcomes, events: list[tuple[Happening, ...]], run: int) -> Simulation:
    """One of them, as far as it came; how it was integrated is told by the numbers of the run alone."""
    reached = np.flatnonzero(np.isfinite(outcome.y[run]).all(axis=1))
    y, w, a, x = (part[run][reached] for part in (outcome.y, outcome.w, outcome.a, outcome.x))
    dx = _columns(data, _states(data, ".rate"))[run][reached]
    nfev, steps, rejected = (int(np.nan_to_num(n[run])) for n in (outcome.nfev, outcome.steps, outcome.rejected))
    status = "complete" if outcome.status[run] == "complete" else "stopped"
    happened, message = partial(tuple, events[run]), outcome.message[run]
    own = Outcome(outcome.t[reached], y, w, a, happened, status, message, nfev, steps, rejected, (), x, dx)
    return Simulation(own, partial(_arrays, data, own, run, reached), None)


def _arrays(data: Arrays, outcome: Outcome, run: int, reached: Any) -> Arrays:
    values = {
        name: (variable.attrs["units"], variable.values[run][reached])
        for name, variable in data.data_vars.items()
        if variable.dims[:2] == ("run", "time")
    }
    kept = {key: data.attrs[key] for key in ("mechanism", "linkwork", "joints", "speeds", "bodies", "frames", "points")}
    told = {"status": outcome.status, "message": outcome.message, "asked": data.sizes["time"]}
    return make_arrays(outcome.t, values, attributes(**kept, **told, analysis="simulation", state=data.attrs["state"]))
