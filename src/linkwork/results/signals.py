"""One signal of a result: numbers along named axes with a name and a unit, which behave like an array."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from linkwork.errors import InputError, Problem
from linkwork.names import no_such
from linkwork.results.arrays import Labelled
from linkwork.results.layout import AXES
from linkwork.results.reductions import Reductions
from linkwork.units import UnitSystem, parse_unit

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from linkwork.results.between import Between
    from linkwork.results.plots import Panels

Units = UnitSystem | Mapping[str, str] | None


def length(vectors: Any) -> Any:
    """Lengths of vectors along the last axis."""
    squares = (np.abs(vectors) if vectors.dtype.kind == "c" else vectors) ** 2
    return np.asarray(squares.sum(axis=-1)) ** 0.5


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Signal(Reductions, NDArrayOperatorsMixin):
    """A signal, real or complex. It behaves like an array, and keeps its unit: `run["A.effort"] * run["A.rate"]` [W].

    Parameters
    ----------
    name : as it was asked for
    data : the numbers and what stands along their axes: an xarray.DataArray, or plain arrays
    """

    name: str
    """As it was asked for."""
    labelled: Labelled
    """The numbers and what stands along their axes, as plain arrays."""
    _plot: Callable[..., Panels] | None = None
    _between: Callable[[], Between | None] | None = None

    def __init__(
        self,
        name: str,
        data: xr.DataArray | Labelled,
        _plot: Callable[..., Panels] | None = None,
        _between: Callable[[], Between | None] | None = None,
    ) -> None:
        own: dict[str, Any] = {"name": name, "_plot": _plot, "_between": _between}
        if isinstance(data, Labelled):
            own["labelled"] = data
        else:
            own |= {"labelled": Labelled.of(data), "data": data}
        self.__dict__.update(own)

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "data": self.data, "_plot": self._plot, "_between": self._between}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    @cached_property
    def data(self) -> xr.DataArray:
        """The labelled xarray.DataArray; of a run time is its first axis."""
        return self.labelled.array(self.name)

    @property
    def unit(self) -> str:
        """SI unit of the numbers."""
        return str(self.labelled.variable.attrs.get("units", "1"))

    @property
    def indeterminate(self) -> tuple[str, ...]:
        """Components of a reaction that statics leaves open, ('fz',): their numbers are NaN where it does."""
        return tuple(self.labelled.variable.attrs.get("indeterminate", ()))

    @property
    def values(self) -> Any:
        """The numbers, a numpy array with the samples first."""
        return self.labelled.variable.values

    @property
    def time(self) -> Any:
        """Time [s] of the samples."""
        if "time" not in self.labelled.coords:
            raise AttributeError(
                f"'{self.name}' does not lie along time, but along {', '.join(self.axes) or 'no axis'}"
            )
        return self.labelled.coords["time"].values

    # ---------------------------------------------------------------- as an array

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the axes along which it lies: ('time',), ('mode', 'axis')."""
        return self.labelled.variable.dims

    @property
    def dims(self) -> tuple[str, ...]:
        """The same, as xarray calls it."""
        return self.axes

    @property
    def attrs(self) -> dict[str, Any]:
        """What is told of the numbers: 'units', 'long_name'."""
        return dict(self.labelled.variable.attrs)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many numbers along each axis."""
        return self.labelled.variable.shape

    @property
    def ndim(self) -> int:
        """How many axes."""
        return self.labelled.variable.ndim

    @property
    def size(self) -> int:
        """How many numbers."""
        return self.labelled.variable.size

    @property
    def dtype(self) -> Any:
        """The kind of the numbers."""
        return self.labelled.variable.dtype

    @property
    def x(self) -> Signal:
        """First component of a vector."""
        return self._component(0)

    @property
    def y(self) -> Signal:
        """Second component of a vector."""
        return self._component(1)

    @property
    def z(self) -> Signal:
        """Third component of a vector."""
        return self._component(2)

    @property
    def magnitude(self) -> Signal:
        """Length of a vector."""
        self._component(0)
        name = f"{self.name}.magnitude"
        return Signal(name, self.labelled.without(("axis",), length(self.values), self._named(name)))

    def _component(self, which: int) -> Signal:
        if self.axes[-1:] != ("axis",):
            raise AttributeError(f"'{self.name}' is no vector; it lies along {', '.join(self.axes) or 'no axis'}")
        name = f"{self.name}.{AXES[which]}"
        return Signal(name, self.labelled.without(("axis",), self.values[..., which], self._named(name)))

    def sel(self, **axes: Any) -> Signal:
        """The part at coordinates: sel(axis="x"), sel(run=3).

        Parameters
        ----------
        axes : coordinates by the names of the axes, as of xarray
        """
        return self._like(self.data.sel(**axes), self.name)

    def isel(self, **axes: Any) -> Signal:
        """The part at places that are counted from 0: isel(time=-1).

        Parameters
        ----------
        axes : numbers by the names of the axes, as of xarray
        """
        return self._like(self.data.isel(**axes), self.name)

    def identical(self, other: Signal) -> bool:
        """Whether another one has the same name, numbers, coordinates and unit, NaN where this has NaN.

        Parameters
        ----------
        other : the other one
        """
        return bool(self.data.identical(other.data))

    def _like(self, data: xr.DataArray, name: str) -> Signal:
        data.attrs = self._named(name)
        return Signal(name, data.rename(name))

    def _named(self, name: str) -> dict[str, Any]:
        """What is told of numbers that were taken from these."""
        return {**self.attrs, "long_name": name}

    def to(self, unit: str) -> Any:
        """The numbers in another unit, a numpy array.

        Parameters
        ----------
        unit : 'deg', 'mm/s', 'rpm'
        """
        factor, given = parse_unit(unit)
        wanted = parse_unit(self.unit)[1]
        if not wanted.accepts(given):
            raise InputError(Problem(f"'{unit}' measures {given}, not {wanted}", self.name, f"it is in {self.unit}"))
        return self.values / factor

    # ---------------------------------------------------------------- what you see

    def plot(
        self,
        *,
        units: Units = None,
        x: str = "",
        against: Mapping[str, Any] | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Panels:
        """Plot it; see `Run.plot` and `Result.plot`.

        Parameters
        ----------
        units, x, ax : as there
        against : as there; of a signal that was computed from others, other signals by name
        """
        if self._plot is not None:
            return self._plot(self.name, units=units, x=x, against=against, ax=ax)
        from linkwork.results.plots.along import describe_along

        others = {} if against is None else dict(against)
        if not all(isinstance(other, Signal) for other in others.values()):
            what = "a computed signal is drawn against signals"
            raise InputError(Problem(what, "against", 'write against={"slow": slow["A.effort"] * slow["A.rate"]}'))
        given = {"": [self], **{label: [other] for label, other in others.items()}}
        return describe_along(given, x, units=units, title=self.name).draw(ax)

    def __len__(self) -> int:
        return len(self.values)

    def __float__(self) -> float:
        return float(self.values)

    def __getitem__(self, index: Any) -> Any:
        """Numbers by index; a coordinate by its name: x["time"], x["start.A"]."""
        if not isinstance(index, str):
            return self.values[index]
        if index not in self.labelled.coords:
            raise InputError(no_such("coordinate", index, list(self.labelled.coords), self.name))
        return Signal(index, self.labelled.along(index))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.values, dtype=dtype) if copy else np.asarray(self.values, dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from linkwork.results.arithmetic import applied

        return applied(ufunc, method, inputs, options)

    def __repr__(self) -> str:
        if self.axes[:1] == ("time",):
            text = f"Signal('{self.name}' [{self.unit}]: {' x '.join(map(str, self.values.shape))} samples"
        else:
            sizes = " x ".join(f"{n} {axis}" for axis, n in zip(self.axes, self.values.shape, strict=True))
            text = f"Signal('{self.name}' [{self.unit}]: {sizes or 'one number'}"
        values = self.values[~np.isnan(self.values)] if self.indeterminate else self.values
        if values.size and values.dtype.kind == "c":
            text += f", complex, size {np.abs(values).min():.6g} .. {np.abs(values).max():.6g}"
        elif values.size:
            text += f", {values.min():.6g} .. {values.max():.6g}"
        if self.indeterminate:
            text += f", {', '.join(self.indeterminate)} indeterminate"
        return text + ")"
