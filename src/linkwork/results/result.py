"""Labelled numbers on any axes, by name: over time, frequency, modes, runs or parameters."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from linkwork.errors import InputError, Problem
from linkwork.results import report, result_selection
from linkwork.results.arrays import Arrays
from linkwork.results.items import GroupItem
from linkwork.results.layout import AXES
from linkwork.results.names import Names, Reference
from linkwork.results.open_components import lasting, shown
from linkwork.results.result_layout import WITHIN, axes_of, is_number, result_problems, shape_within
from linkwork.results.signals import Signal, Units, length

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from linkwork.results.plots import Panels


class Result:
    """Signals by name along named axes, real or complex, with units and evidence. It never changes.

    `modes["frequency"]` is a signal over the modes, `modes["P.x"]` a component of a vector, `modes["P"]` everything of
    a place, `modes["mode"]` the axis itself.

    Parameters
    ----------
    data : an xarray.Dataset in the layout of a result, as `Result.data` gives it; `build_result` makes one from arrays
    machine : the machine that was asked; files do not keep it
    """

    __slots__ = ("_data", "_names", "_shown", "evidence", "machine")

    _word: ClassVar[str] = "result"
    _data: Arrays
    _shown: Arrays  # without numbers of what is indeterminate
    _names: Names
    evidence: Any
    """How far it can be trusted, by name: plain data that the analysis gave."""
    machine: Any
    """The machine that was asked; None in a result that was loaded from a file."""

    def __init__(self, data: xr.Dataset | Arrays, machine: Any = None) -> None:
        problems = self._problems(data if isinstance(data, Arrays) else Arrays.of(data))
        if problems:
            raise InputError(problems, str(data.attrs.get("mechanism", "")))
        attrs = self._complete(copy.deepcopy(data.attrs))
        self._take(data.frozen(attrs) if isinstance(data, Arrays) else Arrays.of(_frozen(data, attrs)), machine)

    def _take(self, own: Arrays, machine: Any) -> None:
        """Be about arrays that nobody else has."""
        shapes = {n: shape_within(v) for n, v in own.data_vars.items() if is_number(v)}
        object.__setattr__(self, "_data", own)
        object.__setattr__(self, "_shown", shown(own))
        object.__setattr__(self, "_names", Names(shapes, own.attrs, lasting(own)))
        object.__setattr__(self, "machine", machine)

    def __getattr__(self, name: str) -> Any:
        """Evidence, which is collected when it is first asked for."""
        if name == "evidence":
            object.__setattr__(self, name, self._evidence_of(self._data))
            return object.__getattribute__(self, name)
        raise AttributeError(f"a {self._word} has no '{name}'")

    @staticmethod
    def _problems(data: Arrays) -> list[Problem]:
        return result_problems(data)

    @staticmethod
    def _complete(attrs: dict[str, Any]) -> dict[str, Any]:
        """Attributes with what earlier versions did not write."""
        return attrs

    @staticmethod
    def _evidence_of(data: Arrays) -> Any:
        return copy.deepcopy(data.attrs["evidence"])

    def __setattr__(self, key: str, value: object) -> None:
        raise AttributeError(f"a {self._word} never changes; build another one")

    def __delattr__(self, key: str) -> None:
        raise AttributeError(f"a {self._word} never changes; build another one")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.data, self.machine)

    # ---------------------------------------------------------------- what is there

    @property
    def data(self) -> xr.Dataset:
        """The xarray.Dataset, a copy of your own whose numbers are shared and cannot be written to.

        Of what its attribute `indeterminate` names it holds one solution of many.
        """
        own = self._data.dataset().copy(deep=False)
        own.attrs = copy.deepcopy(self._data.attrs)
        return own

    @property
    def arrays(self) -> Arrays:
        """The same without xarray: plain arrays by name, with their axes and units, of which nothing may be changed."""
        return self._data

    @property
    def name(self) -> str:
        """Name of the mechanism."""
        return str(self._data.attrs["mechanism"])

    @property
    def analysis(self) -> str:
        """What was asked: 'motion', 'simulation', 'modes'."""
        return str(self._data.attrs["analysis"])

    @property
    def axes(self) -> dict[str, int]:
        """Names of the axes, and how many coordinates each has."""
        return {str(d): int(n) for d, n in self._data.sizes.items() if d not in WITHIN}

    @property
    def status(self) -> Any:
        """'complete', or 'stopped' when only a part was reached; of many runs, by run."""
        return str(self._data.attrs["status"])

    @property
    def message(self) -> Any:
        """Why it stopped; empty when it is complete."""
        return str(self._data.attrs["message"])

    @property
    def warnings(self) -> tuple[str, ...]:
        """What you should know."""
        return tuple(self._data.attrs["warnings"])

    @property
    def indeterminate(self) -> dict[str, tuple[str, ...]]:
        """Components of reactions, among fx fy fz mx my mz, that statics leaves open somewhere, by joint."""
        return {joint: tuple(components) for joint, components in self._data.attrs["indeterminate"].items()}

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

    def __bool__(self) -> bool:
        return True  # one that stopped at once is still one

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        return self._is_axis(name) or self._names.owns(name) or self._names.find(name) is not None

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(f"a {self._word} is asked by name; {self._word}.names lists the names")

    def _is_axis(self, name: str) -> bool:
        """Whether it is the coordinate of an axis, or a label along one, in numbers."""
        return name in self._data.coords and name not in WITHIN and is_number(self._data.variables[name])

    # ---------------------------------------------------------------- by name

    def _ipython_key_completions_(self) -> list[str]:
        return [*(str(c) for c in self._data.coords if self._is_axis(str(c))), *self._names.keys()]

    def __getitem__(self, name: Any) -> Any:
        """A `Signal`, or a `GroupItem` of everything that an owner has; InputError for a name that is none."""
        if isinstance(name, str) and self._names.owns(name):
            own = {v: self._signal(Reference(v, v)) for v in self._names.shapes if v.startswith(f"{name}.")}
            return GroupItem(name, own, self)
        return self.signal(name)

    def signal(self, name: str) -> Any:
        """One `Signal` by name.

        Parameters
        ----------
        name : an axis, or a label along one; a variable, 'frequency', 'P.position'; an element, 'P.position.x', or
            shorthand for it as of a run, 'P.x'
        """
        return self._named_signal(name)

    def _named_signal(self, name: Any) -> Signal:
        if not isinstance(name, str):
            raise InputError(self._names.unknown(name))
        if self._is_axis(name):
            return Signal(name, self._data.labelled(name), self.plot)
        if self._names.owns(name):
            found = self._names.expand(name)
            if self._names.kinds.get(name) not in ("joint", "state") or len(found) != 1:
                hint = f"ask for one of: {', '.join(r.name for r in found)}"
                raise InputError(Problem(f"'{name}' is not a single signal", hint=hint))
            return self._signal(found[0])
        return self._signal(self._names.resolve(name))

    def _signal(self, reference: Reference) -> Signal:
        data = self._shown.labelled(reference.variable)
        values, attrs = data.variable.values, {**data.variable.attrs}
        if reference.magnitude:
            attrs["long_name"] = f"magnitude of {attrs['long_name']}"
            if marked := attrs.get("indeterminate"):
                attrs["long_name"] += f" in the plane, without {', '.join(marked)}"
            data = data.without(("axis",), length(values[..., self._names.in_plane(reference)]), attrs)
        elif reference.element:
            attrs["long_name"] = f"{''.join(AXES[i] for i in reference.element)} of {attrs['long_name']}"
            if marked := self._names.open_component(reference):
                attrs["indeterminate"] = (marked,)
            else:
                attrs.pop("indeterminate", None)
            data = data.without(WITHIN, values[(..., *reference.element)], attrs)
        return Signal(reference.name, data, self.plot)

    def _single_signals(self) -> list[Reference]:
        return [r for v in self._names.shapes for r in self._names.expand(v)]

    def select(self, where: Mapping[str, Any] | None = None, **named: Any) -> Result:
        """A part of it, by coordinates: select(mode=2), select(frequency=slice(1.0, 10.0)), select(run=[0, 3]).

        Parameters
        ----------
        where : by axis, a coordinate (numbers may be off by rounding), several of them, or a slice, both ends included;
            an axis with a single coordinate is gone from the part
        named : the same as keywords
        """
        part, kept = result_selection.selected(self._data.dataset(), {**(where or {}), **named})
        before = self._data.attrs["part"]
        part.attrs = copy.deepcopy(self._data.attrs) | {"part": f"{kept} of {before}" if before else kept}
        return self._part_of(part)

    def _part_of(self, part: xr.Dataset) -> Result:
        return Result(part, self.machine)

    # ---------------------------------------------------------------- what you see

    def plot(
        self,
        *names: str,
        units: Units = None,
        x: str = "",
        against: Mapping[str, Any] | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Panels:
        """Plot signals by name over an axis, those of one unit in one panel; complex numbers by their magnitude.

        Parameters
        ----------
        names : signals; without any, all that are single numbers along the axis
        units : units to show, {"angle": "deg", "length": "mm"}, also of one signal; or a UnitSystem
        x : the axis to plot over; without, the last one of numbers that all of them have. Of other axes every
            coordinate is a line
        against : other results to overlay, by the name that tells them apart
        ax : axes to draw into, one a panel; a new figure without
        """
        from linkwork.results.plots.along import describe_along

        asked = names or tuple(
            n for n, v in self._data.data_vars.items() if is_number(v) and axes_of(v.dims) == v.dims != ()
        )
        if not asked:
            raise InputError(Problem("no signal is named, and none lies along an axis alone"), self.name)
        others = self._assert_known([*asked, *([x] if x else [])], against, drawn=True)
        given = {label: [s for n in asked for s in r._plotted(n)] for label, r in {"": self, **others}.items()}
        return describe_along(given, x, units=units, title=f"{self.analysis} of {self.name}").draw(ax)

    def _plotted(self, name: str) -> list[Signal]:
        if self._is_axis(name):
            return [self._named_signal(name)]
        return [self._signal(r) for r in self._names.expand(name)]

    def _assert_known(
        self, names: Sequence[Any], against: Mapping[str, Any] | None, drawn: bool = False
    ) -> dict[str, Any]:
        """InputError for every name that this result or another one does not have; the other ones.

        What is drawn may be indeterminate: the legend says so, and there is no line.
        """
        others = {} if against is None else against
        kind = type(self)._kind()
        if not isinstance(others, Mapping) or not all(isinstance(r, kind) for r in others.values()):
            raise InputError(
                Problem(f"other {self._word}s are given by name", "against", 'write against={"slow": slow}')
            )

        def missing(other: Result) -> list[Problem]:
            absent = [n for n in names if not other._has(n) and not (drawn and other._names.locate(n))]
            return [other._names.unknown(n) for n in absent]

        problems = missing(self)
        for label, other in others.items():
            problems += [replace(p, where=f"against.{label}") for p in missing(other)]
        if problems:
            raise InputError(problems, self.name)
        return {str(label): other for label, other in others.items()}

    @classmethod
    def _kind(cls) -> type[Result]:
        """What may be overlaid."""
        return Result

    def _has(self, name: Any) -> bool:
        return name in self or name in self._data.dims

    def summary(self) -> str:
        """Name, axes, status, evidence, warnings: a few lines."""
        return report.summary(self)

    def _lines(self) -> list[tuple[str, str]]:
        """What a summary tells, each with its title."""
        return report.result_lines(self)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        sizes = " x ".join(f"{n} {axis}" for axis, n in self.axes.items()) or "no axes"
        text = f"{type(self).__name__}('{self.name}', {self.analysis}: {self.status}, {sizes})"
        names = ", ".join(list(self._names.shapes)[:6]) + (", ..." if len(self._names.shapes) > 6 else "")
        return "\n".join([f"{text}", f"  {names or 'no signals'}", *report.indented(self)])

    def _repr_html_(self) -> str:
        return report.html_page(self)

    # ---------------------------------------------------------------- out

    def save(self, path: str | Path) -> Path:
        """Write a file that `load_result` reads back to the last bit; gives its path.

        Parameters
        ----------
        path : where to: NetCDF4 (.nc), complex numbers as pairs; or CSV (.csv) where everything lies along one axis; a
            file that exists is overwritten, once the new one is written whole
        """
        from linkwork.results.store import save_result

        return save_result(self, path)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with its one axis as the index and every single signal as a column."""
        pd = importlib.import_module("pandas")  # it has no types of its own

        axis = report.only_axis(self, "a table")
        columns = {r.name: self._signal(r).values for r in self._single_signals()}
        return pd.DataFrame(columns, index=pd.Index(self._data[axis].values, name=axis))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON; numbers that are not finite are None, complex ones pairs of lists."""
        return report.plain(self)


def _frozen(data: xr.Dataset, attrs: dict[str, Any]) -> xr.Dataset:
    """A copy that shares the numbers, which cannot be written to from now on."""
    own = data.copy(deep=False)
    own.attrs = attrs
    for name in [*own.data_vars]:
        variable = own.variables[name]
        values = variable.values
        if values.flags.writeable:
            values = values.copy()
            values.setflags(write=False)
            own[name] = own[name].copy(data=values)
    return own
