"""The result of a motion or a simulation: signals by name over time, and the evidence."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Unpack, overload

import numpy as np

from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.results import report, samples
from linkwork.results.arrays import Arrays
from linkwork.results.between import Between
from linkwork.results.evidence import Evidence, evidence_of
from linkwork.results.happenings import Happening
from linkwork.results.items import GroupItem, JointItem, PlaceItem, StateItem
from linkwork.results.layout import complete_attributes, general_problems, plain_copy, problems_of
from linkwork.results.names import PLACES, Reference
from linkwork.results.rates import rates_of, values_of
from linkwork.results.result import Result
from linkwork.results.sensitivities import Sensitivities
from linkwork.results.signals import Signal, Units
from linkwork.results.view_options import Viewer, ViewOptions

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from linkwork.geometry import Array
    from linkwork.results.plots import Panels

Item = JointItem | StateItem | PlaceItem | GroupItem | Signal
TIPS = {"position": "", "velocity": "v", "acceleration": "a", "jerk": "j"}
TIPS |= {"angular_velocity": "w", "angular_acceleration": "dw", "angular_jerk": "ddw", "force": "f", "moment": "m"}
"""Vectors of places and of joints, and the letters before x, y and z in their plots."""


class Run(Result):
    """What a machine did, sample by sample. It never changes.

    `run["A"]` is a joint, `run["P"]` a point, frame or body, `run["coil"]` a load, `run["A.rate"]` or `run["P.vx"]` one
    signal.

    Parameters
    ----------
    data : an xarray.Dataset in the layout of a run, as `Run.data` gives it; `build_run` makes one from arrays
    machine : the machine that moved, so that the run can be seen; files do not keep it
    sensitive : derivatives of its signals, if there are any
    """

    __slots__ = ("_sensitive",)

    _word: ClassVar[str] = "run"
    _sensitive: Sensitivities | None
    evidence: Evidence
    """What was reached, how well the loops closed, and what was noticed."""
    machine: Any
    """The machine that moved; None in a run that was loaded from a file."""

    def __init__(self, data: xr.Dataset | Arrays, machine: Any = None, sensitive: Sensitivities | None = None) -> None:
        super().__init__(data, machine)
        object.__setattr__(self, "_sensitive", sensitive)

    @classmethod
    def _of(cls, own: Arrays, machine: Any) -> Run:
        """Of what `make_arrays` has just made of checked arrays."""
        problems = general_problems(own)
        if problems:
            raise InputError(problems, str(own.attrs["mechanism"]))
        made = object.__new__(cls)
        object.__setattr__(made, "_sensitive", None)
        own.attrs = plain_copy(own.attrs)
        made._take(own, machine)
        return made

    @staticmethod
    def _problems(data: Arrays) -> list[Problem]:
        return problems_of(data)

    @staticmethod
    def _complete(attrs: dict[str, Any]) -> dict[str, Any]:
        return complete_attributes(attrs)

    @staticmethod
    def _evidence_of(data: Arrays) -> Evidence:
        return evidence_of(data)

    @classmethod
    def _kind(cls) -> type[Result]:
        return Run

    def __reduce__(self) -> tuple[Any, ...]:
        return Run, (self.data, self.machine, None if self._sensitive is None else self._sensitive.kept())

    # ---------------------------------------------------------------- what is there

    @property
    def driven(self) -> dict[str, str]:
        """Laws of the driven variables as text, by full name."""
        return dict(self._data.attrs["driven"])

    @property
    def held(self) -> tuple[str, ...]:
        """Variables and rates that nothing drove and that were held, by full name."""
        return tuple(self._data.attrs["held"])

    @property
    def free(self) -> tuple[str, ...]:
        """Variables of a simulation that nothing drove; their efforts tell how well the equations of motion are met."""
        return tuple(self._data.attrs["free"])

    @property
    def status(self) -> str:
        """'complete', or 'stopped' when only a part of the samples was reached."""
        return self.evidence.status

    @property
    def message(self) -> str:
        """Why the run stopped; empty when it is complete."""
        return self.evidence.message

    @property
    def events(self) -> tuple[Happening, ...]:
        """Events of a simulation that took place, in order; none of a motion."""
        told = self.evidence.simulation
        return () if told is None else told.events

    @property
    def time(self) -> Any:
        """Time [s] of the samples, a numpy array."""
        return self._data["time"].values

    def __len__(self) -> int:
        return int(self._data.sizes["time"])

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("a run is asked by name: run['A.angle']; run.names lists the names, run.isel(i) is a sample")

    # ---------------------------------------------------------------- the state of all joints

    @property
    def state(self) -> dict[str, tuple[str, ...]]:
        """Names of the signals that `y`, `w` and `dw` are made of, in the order of the machine."""
        return {key: tuple(names) for key, names in self._data.attrs["state"].items()}

    @property
    def y(self) -> Any:
        """Variables of all joints, (samples, variables), in the order of `Machine.variables`."""
        return self._of_all_joints("y")

    @property
    def w(self) -> Any:
        """Rates of all joints, (samples, rates), in the order of `Machine.variable_rates`."""
        return self._of_all_joints("w")

    @property
    def dw(self) -> Any:
        """Accelerations of all joints, (samples, rates): derivatives of `w`."""
        return self._of_all_joints("dw")

    def _of_all_joints(self, key: str) -> Array:
        names = self.state.get(key)
        if names is None:
            text = f"the run does not tell in which order its machine has the joints, so that it has no '{key}'"
            hint = "runs of motions and simulations tell it, build_run takes `state`; run['A.angle'] is there by name"
            raise InputError(Problem(text, key, hint), self.name)
        return self.columns(names)

    def columns(self, names: Sequence[str]) -> Array:
        """Signals side by side, (samples, names); InputError names all that the run does not have.

        Parameters
        ----------
        names : full names of single signals
        """
        missing = [n for n in names if n not in self._names.shapes]
        if missing:
            raise InputError([self._names.unknown(n) for n in missing], self.name)
        found: Array = np.empty((len(self), len(names)))
        for k, name in enumerate(names):
            found[:, k] = self._data.variables[name].values
        return found

    # ---------------------------------------------------------------- by name

    def __getitem__(self, name: Any) -> Any:
        """A joint, state, place or group, or a `Signal`; InputError for a name that stands for nothing."""
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
        found = self._named_signal(name)
        return Signal(name, found.labelled, found._plot, self._clock) if name == "time" else found

    def _clock(self) -> Between | None:
        """Time between the samples."""
        if len(self) < 2:
            return None
        return Between(self.time, (self.time, np.ones(len(self)), np.zeros(len(self))))

    def _item(self, name: str) -> JointItem | StateItem | PlaceItem | GroupItem:
        kind = self._names.kinds.get(name, "group")
        own = {v: self._signal(Reference(v, v)) for v in self._names.shapes if v.startswith(f"{name}.")}
        if kind == "joint":
            variables, speeds = (tuple(t.get(name, ())) for t in (self._names.joints, self._names.speeds))
            return JointItem(name, variables, speeds, own, self)
        if kind == "state":
            return StateItem(name, own, self)
        if kind == "group":
            return GroupItem(name, own, self)
        return PlaceItem(name, kind, own, self)

    def _signal(self, reference: Reference) -> Signal:
        made = super()._signal(reference)
        return Signal(made.name, made.labelled, made._plot, partial(self._between, reference))

    def _between(self, reference: Reference) -> Between | None:
        """What is known of a signal between the samples; None of counts, and of what never changes."""
        variable, element = reference.variable, reference.element
        variables = self._data.variables
        if variable.startswith("closure.") or len(self) < 2:
            return None
        rates = rates_of(variable, variables)
        chain: tuple[str, ...] = ()
        wanted = 0
        if len(rates) < 2:  # what it is a rate of may tell more
            chain, wanted = values_of(variable, variables)
        chain = chain or (variable, *rates)
        whole: list[Any] = [self._shown.variables[n].values for n in chain]
        known = [values[(..., *element)] for values in whole]
        struck = tuple(e.time for e in self.events)
        return Between(self.time, known, wanted, struck, reference.magnitude)

    # ---------------------------------------------------------------- derivatives

    @property
    def sensitivities(self) -> tuple[str, ...]:
        """What the run was differentiated by: parameters, and `start.A` and `rates.A` of the start."""
        return () if self._sensitive is None else tuple(self._sensitive.units)

    def sensitivity(self, signal: str, by: str) -> Signal:
        """The derivative of a signal, at all samples: how it answers to a small change of a parameter or of the start.

        Parameters
        ----------
        signal : name of a signal, as of `signal`: 'P.x', 'A.rate', 'machine.kinetic_energy'
        by : one of `sensitivities`
        """
        none: dict[str, Run] = {}
        return (self._sensitive or Sensitivities({}, none.__getitem__)).of(self, signal, by)

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

    def _part_of(self, part: xr.Dataset) -> Run:
        if "time" not in part.dims:
            raise InputError(Problem("a run without time is a sample", "select", "run.at(time) gives it"), self.name)
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

        x = x or "time"
        asked = names or self._names.efforts() or (*self.driven, *self.held) or tuple(self._names.joints)
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

        asked = names or (*self.driven, *self.held)
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

    def _plotted(self, name: str) -> list[Signal]:
        """Signals of a name; a place that moves in a plane is shown without the axis across it."""
        if name == "time":
            return [self.signal(name)]
        signals = [self._signal(r) for r in self._names.expand(name)]
        finite = [s.values[np.isfinite(s.values)] for s in signals]
        travels = [float(np.ptp(x)) if x.size else 0.0 for x in finite]
        is_place = self._names.kinds.get(name) in PLACES
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

    def _lines(self) -> list[tuple[str, str]]:
        return report.run_lines(self)

    def __repr__(self) -> str:
        joints = sum(k == "joint" for k in self._names.kinds.values())
        places = sum(k in PLACES for k in self._names.kinds.values())
        text = f"Run('{self.name}', {self.analysis}: {self.status}, {len(self)} samples)"
        sizes = f"  {joints} joints, {places} places, {len(self._names.shapes)} variables"
        return "\n".join([text, sizes, *report.indented(self)])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON; numbers that are not finite are None."""
        return report.plain_run(self)
