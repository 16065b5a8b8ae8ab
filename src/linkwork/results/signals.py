"""One signal of a run: numbers over time with a name and a unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from linkwork.errors import InputError, Problem
from linkwork.units import UnitSystem, parse_unit

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from linkwork.results.plots import Panels

Units = UnitSystem | Mapping[str, str] | None


@dataclass(frozen=True, eq=False, repr=False)
class Signal(NDArrayOperatorsMixin):
    """A signal, real or complex. It stands wherever numpy wants an array: `np.max(run["P.y"])`, `run["A.angle"] / deg`.

    name : as it was asked for
    data : the labelled xarray.DataArray; of a run time is its first axis
    """

    name: str
    data: xr.DataArray
    _plot: Callable[..., Panels]

    @property
    def unit(self) -> str:
        """SI unit of the numbers."""
        return str(self.data.attrs.get("units", "1"))

    @property
    def indeterminate(self) -> tuple[str, ...]:
        """Components of a reaction that statics leaves open, ('fz',): their numbers are NaN where it does."""
        return tuple(self.data.attrs.get("indeterminate", ()))

    @property
    def values(self) -> Any:
        """The numbers, a numpy array with the samples first."""
        return self.data.values

    @property
    def time(self) -> Any:
        """Time [s] of the samples."""
        if "time" not in self.data.coords:
            raise AttributeError(
                f"'{self.name}' does not lie along time, but along {', '.join(self.axes) or 'no axis'}"
            )
        return self.data["time"].values

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the axes along which it lies: ('time',), ('mode', 'axis')."""
        return tuple(str(d) for d in self.data.dims)

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
        units, x, against, ax : as there
        """
        return self._plot(self.name, units=units, x=x, against=against, ax=ax)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.values, dtype=dtype) if copy else np.asarray(self.values, dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = (i.values if isinstance(i, Signal) else i for i in inputs)
        return getattr(ufunc, method)(*plain, **options)

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
