"""The result of a motion or a simulation: signals by name, and the evidence."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np

from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.results import report, samples
from linkwork.results.evidence import Evidence, evidence_of
from linkwork.results.happenings import Happening
from linkwork.results.items import GroupItem, JointItem, PlaceItem
from linkwork.results.layout import AXES, complete_attributes, problems_of, results_in
from linkwork.results.marking import lasting, shown
from linkwork.results.names import Names, Reference
from linkwork.results.signals import Signal, Units
from linkwork.results.viewing import Viewer, ViewOptions

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from linkwork.results.plots import Panels

Item = JointItem | PlaceItem | GroupItem | Signal
TIPS = {"position": "", "velocity": "v", "acceleration": "a", "jerk": "j"}
TIPS |= {"angular_velocity": "w", "angular_acceleration": "dw", "angular_jerk": "ddw", "force": "f", "moment": "m"}
"""Vectors of places and of joints, and the letters before x, y and z in their plots."""


class Run:
    """What a machine did, sample by sample. It never changes.

    `run["A"]` is a joint, `run["P"]` a point, frame or body, `run["coil"]` a load, `run["A.rate"]` or `run["P.vx"]` one
    signal.

    Parameters
    ----------
    data : an xarray.Dataset in the layout of a run, as `Run.data` gives it; `build_run` makes one from arrays
    machine : the machine that moved, so that the run can be seen; files do not keep it
    """

    __slots__ = ("_data", "_names", "_shown", "evidence", "machine")

    _data: xr.Dataset
    _shown: xr.Dataset  # without numbers of what is indeterminate
    _names: Names
    evidence: Evidence
    """What was reached, how well the loops closed, and what was noticed."""
    machine: Any
    """The machine that moved; None in a run that was loaded from a file."""

    def __init__(self, data: xr.Dataset, machine: Any = None) -> None:
        problems = problems_of(data)
        if problems:
            raise InputError(problems, str(data.attrs.get("mechanism", "")))
        shapes = {n: v.shape[1:] for n, v in results_in(data)}
        object.__setattr__(self, "_data", _frozen(data))
        object.__setattr__(self, "_shown", shown(self._data))
        object.__setattr__(self, "_names", Names(shapes, self._data.attrs, lasting(self._data)))
        object.__setattr__(self, "evidence", evidence_of(self._data))
        object.__setattr__(self, "machine", machine)

    def __setattr__(self, key: str, value: object) -> None:
        raise AttributeError("a run never changes; build another one")

    def __delattr__(self, key: str) -> None:
        raise AttributeError("a run never changes; build another one")

    def __reduce__(self) -> tuple[Any, ...]:
        return Run, (self.data, self.machine)

    # ---------------------------------------------------------------- what is there

    @property
    def data(self) -> xr.Dataset:
        """The xarray.Dataset, a copy of your own whose numbers are shared and cannot be written to.

        Of what its attribute `indeterminate` names it holds one solution of many.
        """
        own = self._data.copy(deep=False)
        own.attrs = copy.deepcopy(self._data.attrs)
        return own

    @property
    def name(self) -> str:
        """Name of the mechanism."""
        return str(self._data.attrs["mechanism"])

    @property
    def analysis(self) -> str:
        """What was asked: 'motion', 'forces', 'simulation'."""
        return str(self._data.attrs["analysis"])

    @property
    def driven(self) -> dict[str, str]:
        """Laws of the driven variables as text, by full name."""
        return dict(self._data.attrs["driven"])

    @property
    def indeterminate(self) -> dict[str, tuple[str, ...]]:
        """Components of reactions, among fx fy fz mx my mz, that statics leaves open at some sample, by joint."""
        return {joint: tuple(components) for joint, components in self._data.attrs["indeterminate"].items()}

    @property
    def status(self) -> str:
        """'complete', or 'stopped' when only a part of the samples was reached."""
        return self.evidence.status

    @property
    def message(self) -> str:
        """Why the run stopped; empty when it is complete."""
        return self.evidence.message

    @property
    def warnings(self) -> tuple[str, ...]:
        """What you should know."""
        return self.evidence.warnings

    @property
    def events(self) -> tuple[Happening, ...]:
        """Events of a simulation that took place, in order; none of a motion."""
        told = self.evidence.simulation
        return () if told is None else told.events

    @property
    def time(self) -> Any:
        """Time [s] of the samples, a numpy array."""
        return self._data["time"].values

    @property
    def names(self) -> tuple[str, ...]:
        """Joints and places, then every variable by its full name."""
        return self._names.all()

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of all single signals, vectors and matrices taken apart: the columns of tables and of CSV files.

        Without what is indeterminate, which has a column of NaN there.
        """
        return tuple(r.name for r in self._single_signals() if not self._names.is_open(r))

    def __len__(self) -> int:
        return int(self._data.sizes["time"])

    def __bool__(self) -> bool:
        return True  # a run that stopped at once is still a run

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        return name == "time" or self._names.owns(name) or self._names.find(name) is not None

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("a run is asked by name: run['A.angle']; run.names lists the names, run.isel(i) is a sample")

    # ---------------------------------------------------------------- by name

    def __getitem__(self, name: str) -> Any:
        """A `JointItem`, a `PlaceItem`, a `GroupItem` or a `Signal`; InputError for a name that stands for nothing."""
        if isinstance(name, str) and self._names.owns(name):
            return self._item(name)
        return self.signal(name)

    def signal(self, name: str) -> Signal:
        """One signal by name.

        Parameters
        ----------
        name : 'time'; a variable, 'A.angle', 'P.velocity'; an element, 'P.velocity.x', 'rod.rotation.xy'; shorthand:
            'P.x', 'P.vx', 'P.ax', 'P.speed', 'P.acceleration.magnitude'; 'B.fx', 'B.mz' of a reaction; and 'A',
            'A.rate', 'A.effort' of a joint with one variable
        """
        if not isinstance(name, str):
            raise InputError(self._names.unknown(name))
        if name == "time":
            return Signal("time", self._data["time"], self.plot)
        if self._names.owns(name):
            found = self._names.expand(name)
            if self._names.kinds.get(name) != "joint" or len(found) != 1:
                hint = f"ask for one of: {', '.join(r.name for r in found)}"
                raise InputError(Problem(f"'{name}' is not a single signal", hint=hint))
            return self._signal(found[0])
        return self._signal(self._names.resolve(name))

    def _item(self, name: str) -> JointItem | PlaceItem | GroupItem:
        kind = self._names.kinds.get(name, "group")
        own = {v: self._signal(Reference(v, v)) for v in self._names.shapes if v.startswith(f"{name}.")}
        if kind == "joint":
            variables, speeds = (tuple(t.get(name, ())) for t in (self._names.joints, self._names.speeds))
            return JointItem(name, variables, speeds, own, self)
        if kind == "group":
            return GroupItem(name, own, self)
        return PlaceItem(name, kind, own, self)

    def _signal(self, reference: Reference) -> Signal:
        data = self._shown[reference.variable]
        if reference.magnitude:
            whole = data
            data = (whole**2).sum("axis", skipna=False) ** 0.5
            data.attrs = {**whole.attrs, "long_name": f"magnitude of {whole.attrs['long_name']}"}
        elif reference.element:
            letters = "".join(AXES[i] for i in reference.element)
            data = data[(slice(None), *reference.element)]
            data = data.drop_vars([c for c in data.coords if c != "time"])
            data.attrs = {**data.attrs, "long_name": f"{letters} of {data.attrs['long_name']}"}
            if marked := self._names.open_component(reference):
                data.attrs["indeterminate"] = (marked,)
            else:
                data.attrs.pop("indeterminate", None)
        return Signal(reference.name, data.rename(reference.name), self.plot)

    def _single_signals(self) -> list[Reference]:
        return [r for v in self._names.shapes for r in self._names.expand(v)]

    # ---------------------------------------------------------------- by sample

    def at(self, time: float, *, tolerance: float | None = None, interpolate: bool = False) -> dict[str, Any]:
        """The sample at a time, by full name: numbers, vectors and matrices.

        Parameters
        ----------
        time : time [s]
        tolerance : how far [s] the nearest sample may lie; without, only as far as rounding goes
        interpolate : take the straight line between two samples instead (rotations and quaternions stay rotations,
            counts are those of the nearest sample); the tolerance then has no meaning
        """
        return samples.at(self._shown, self._names, time, tolerance, interpolate)

    @overload
    def isel(self, index: int) -> dict[str, Any]: ...
    @overload
    def isel(self, index: slice) -> Run: ...
    def isel(self, index: int | slice) -> dict[str, Any] | Run:
        """One sample by its number, by full name; or a run of some samples.

        Parameters
        ----------
        index : a number, negative from the end; or a slice, such as slice(0, None, 10)
        """
        if isinstance(index, slice):
            return self._part(index)
        return samples.sample(self._shown, index)

    def sel(self, start: float | None = None, stop: float | None = None) -> Run:
        """The run between two times.

        Parameters
        ----------
        start, stop : first and last time [s], both included; None: from the beginning, to the end
        """
        return self._part(samples.between(self.time, start, stop))

    def _part(self, which: slice) -> Run:
        if which.step is not None and which.step < 1:
            raise InputError(Problem("time would run backwards", "isel", "use a step of 1 or more"))
        part = self._data.isel(time=which)
        kept = f"{part.sizes['time']} of {len(self)} samples"
        before = self._data.attrs["part"]
        part.attrs = copy.deepcopy(self._data.attrs) | {"part": f"{kept} of {before}" if before else kept}
        return Run(part, self.machine)

    # ---------------------------------------------------------------- what you see

    def plot(
        self,
        *names: str,
        units: Units = None,
        x: str = "time",
        against: Mapping[str, Run] | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Panels:
        """Plot signals by name, those of one unit in one panel, panels above each other.

        Parameters
        ----------
        names : signals; a place stands for its position, a joint for its variables, a load for all it has; without any,
            the efforts of the drives, else the driven variables
        units : units to show, {"angle": "deg", "length": "mm"}, also of one signal, {"A.rate": "rpm"}; or a UnitSystem
        x : the signal to plot against
        against : other runs to overlay, by the name that tells them apart: {"slow": slow}; their times may differ
        ax : axes to draw into, one a panel; a new figure without
        """
        from linkwork.results.plots import Series, describe_over

        asked = names or self._names.efforts() or tuple(self.driven) or tuple(self._names.joints)
        self._assert_known((*asked, x), {})
        signals = [s for n in asked for s in self._plotted(n)]
        others = self._assert_known([*(s.name for s in signals), x], against, drawn=True)
        series = [Series(signals, self.signal(x))]
        series += [Series([r._drawn(s.name) for s in signals], r.signal(x), label) for label, r in others.items()]
        return describe_over(series, units=units, title=self.name).draw(ax)

    def path(
        self,
        *names: str,
        units: Units = None,
        plane: str | None = None,
        against: Mapping[str, Run] | None = None,
        ax: Axes | None = None,
    ) -> Panels:
        """Plot the paths of points, frames or origins of bodies with equal axes: coupler curves.

        Parameters
        ----------
        names : of places
        units : units of length to show, {"length": "mm"}
        plane : 'xy', 'xz', 'yz' or 'xyz'; without, the plane in which all of them move, space where there is none
        against : other runs to overlay, by the name that tells them apart
        ax : axes to draw into; a new figure without
        """
        return self._tracked("position", names, units, plane, against, ax)

    def hodograph(
        self,
        *names: str,
        of: str = "velocity",
        units: Units = None,
        plane: str | None = None,
        against: Mapping[str, Run] | None = None,
        ax: Axes | None = None,
    ) -> Panels:
        """Plot the way of the tip of a vector that starts in the origin, with equal axes.

        Parameters
        ----------
        names : of places; of joints for their reactions, the polar diagram of a bearing's load
        of : 'velocity', 'acceleration', 'jerk', 'angular_velocity', 'angular_acceleration', 'angular_jerk'; 'force',
            'moment'
        units, plane, against, ax : as of `path`
        """
        return self._tracked(of, names, units, plane, against, ax)

    def phase(
        self,
        *names: str,
        units: Units = None,
        against: Mapping[str, Run] | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Panels:
        """Plot rates over their variables, the phase plane; a ring marks the start.

        Parameters
        ----------
        names : joint variables, 'A.angle', or joints that have one, 'A'; driven variables without any
        units : as of `plot`; the rate is shown in the unit of the variable a second unless it is named
        against : other runs to overlay, by the name that tells them apart
        ax : axes to draw into, one a panel; a new figure without
        """
        from linkwork.results.plots import Pair, describe_phase

        asked = names or tuple(self.driven)
        others = self._assert_known(asked, against)
        problems = []
        pairs = []
        for label, run in {"": self, **others}.items():
            for name in asked:
                value = run.signal(name)
                if f"{value.name}.rate" in run:
                    pairs.append(Pair(value, run.signal(f"{value.name}.rate"), label))
                else:
                    problems.append(
                        Problem(f"'{name}' has no rate", hint="name a variable of a joint, such as A.angle")
                    )
        if problems or not pairs:
            raise InputError(problems or Problem("no joint variable is named", hint="for example run.phase('A')"))
        return describe_phase(pairs, units=units, title=f"{self.name}: phase plane").draw(ax)

    def plot_evidence(
        self, *, units: Units = None, x: str = "time", against: Mapping[str, Run] | None = None
    ) -> Panels:
        """Plot residual, quality, iterations, mobility of the loops, the balance of power; and where the run stopped.

        Parameters
        ----------
        units, x : as of `plot`
        against : other runs to overlay, by the name that tells them apart
        """
        from linkwork.results.plots import describe_evidence

        others = self._assert_known([x], against)
        return describe_evidence(self, units=units, x=x, against=others).draw()

    def _tracked(
        self,
        quantity: str,
        names: Sequence[str],
        units: Units,
        plane: str | None,
        against: Mapping[str, Run] | None,
        ax: Axes | None,
    ) -> Panels:
        """Ways of the tips of one vector of each place or joint."""
        from linkwork.results.plots import Track, describe_paths

        letter = TIPS.get(quantity)
        if letter is None:
            raise InputError(Problem(f"'{quantity}' is no vector of a place", "of", did_you_mean(str(quantity), TIPS)))
        if not names:
            raise InputError(Problem("no place is named", hint="name a point, frame or body"), self.name)
        others = self._assert_known([f"{n}.{quantity}" if isinstance(n, str) else n for n in names], against)
        tracks = [
            Track(name, run.signal(f"{name}.{quantity}"), label)
            for label, run in {"": self, **others}.items()
            for name in names
        ]
        what = "path" if quantity == "position" else quantity.replace("_", " ")
        title = f"{what} of {names[0]}" if len(tracks) == 1 else f"{self.name}: {'paths' if what == 'path' else what}"
        letters = (f"{letter}x", f"{letter}y", f"{letter}z")
        origin = quantity != "position"
        return describe_paths(tracks, units=units, plane=plane, title=title, letters=letters, origin=origin).draw(ax)

    def _assert_known(
        self, names: Sequence[str], against: Mapping[str, Run] | None, drawn: bool = False
    ) -> dict[str, Run]:
        """InputError for every name that this run or another one does not have; the other runs.

        What is drawn may be indeterminate: the legend says so, and there is no line.
        """
        others = {} if against is None else against
        if not isinstance(others, Mapping) or not all(isinstance(r, Run) for r in others.values()):
            raise InputError(Problem("other runs are given by name", "against", 'write against={"slow": slow}'))

        def missing(run: Run) -> list[Problem]:
            absent = [n for n in names if n not in run and not (drawn and run._names.locate(n))]
            return [run._names.unknown(n) for n in absent]

        problems = missing(self)
        for label, run in others.items():
            problems += [replace(p, where=f"against.{label}") for p in missing(run)]
        if problems:
            raise InputError(problems, self.name)
        return {str(label): run for label, run in others.items()}

    def _plotted(self, name: str) -> list[Signal]:
        """Signals of a name; a place that moves in a plane is shown without the axis across it."""
        if name == "time":
            return [self.signal(name)]
        signals = [self._signal(r) for r in self._names.expand(name)]
        finite = [s.values[np.isfinite(s.values)] for s in signals]
        travels = [float(np.ptp(x)) if x.size else 0.0 for x in finite]
        is_place = self._names.kinds.get(name, "joint") != "joint"
        moving = [s for s, t in zip(signals, travels, strict=True) if t > 1e-9 * max(travels)]
        return moving if is_place and moving else signals

    def _drawn(self, name: str) -> Signal:
        """A signal as it is drawn: an indeterminate one has no numbers."""
        found = self._names.locate(name)
        return self.signal(name) if found is None else self._signal(found)

    def view(self, machine: Any = None, **options: Unpack[ViewOptions]) -> Viewer:
        """Open the workbench in the browser, ready to play this run; in a notebook, show it below the cell.

        Parameters
        ----------
        machine : the machine that moved, for a run that was loaded from a file
        options : port, host, browser, wait, dark, as `lw.ViewOptions` tells
        """
        from linkwork.views.show import view_run

        return view_run(self, machine, **options)

    def summary(self) -> str:
        """Name, samples, time, what was driven, status, worst residual, warnings: a few lines."""
        return report.summary(self)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        joints = sum(k == "joint" for k in self._names.kinds.values())
        places = len(self._names.kinds) - joints
        text = f"Run('{self.name}', {self.analysis}: {self.status}, {len(self)} samples)"
        return f"{text}\n  {joints} joints, {places} places, {len(self._names.shapes)} variables"

    def _repr_html_(self) -> str:
        return report.html_page(self)

    # ---------------------------------------------------------------- out

    def save(self, path: str | Path) -> Path:
        """Write a file, NetCDF4 (.nc) or CSV (.csv), that `load_run` reads back to the last bit; gives its path.

        Parameters
        ----------
        path : where to; a file that exists is overwritten, once the new one is written whole
        """
        from linkwork.results.store import save_run

        return save_run(self, path)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with time as its index and every single signal as a column."""
        pd = importlib.import_module("pandas")  # it has no types of its own

        columns = {r.name: self._signal(r).values for r in self._single_signals()}
        return pd.DataFrame(columns, index=pd.Index(self.time, name="time"))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON; numbers that are not finite are None."""
        return report.plain(self)


def _frozen(data: xr.Dataset) -> xr.Dataset:
    """A copy that shares the numbers, which cannot be written to from now on."""
    own = data.copy(deep=False)
    own.attrs = complete_attributes(copy.deepcopy(data.attrs))
    for name, variable in [*results_in(own)]:
        values = variable.values
        if values.flags.writeable:
            values = values.copy()
            values.setflags(write=False)
            own[name] = own[name].copy(data=values)
    return own
