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
    from linkwork.results.run import Run

Units = UnitSystem | Mapping[str, str] | None


@dataclass(frozen=True, eq=False, repr=False)
class Signal(NDArrayOperatorsMixin):
    """A signal. It stands wherever numpy wants an array: `np.max(run["P.y"])`, `run["A.angle"] / deg`.

    name : as it was asked for
    data : the labelled xarray.DataArray, time first
    """

    name: str
    data: xr.DataArray
    _plot: Callable[..., Panels]

    @property
    def unit(self) -> str:
        """SI unit of the numbers."""
        return str(self.data.attrs["units"])

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
        return self.data["time"].values

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
        x: str = "time",
        against: Mapping[str, Run] | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Panels:
        """Plot it; see `Run.plot`.

        Parameters
        ----------
        units, x, against, ax : as in `Run.plot`
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
        shape = " x ".join(str(n) for n in self.values.shape)
        text = f"Signal('{self.name}' [{self.unit}]: {shape} samples"
        values = self.values[~np.isnan(self.values)] if self.indeterminate else self.values
        if values.size:
            text += f", {values.min():.6g} .. {values.max():.6g}"
        if self.indeterminate:
            text += f", {', '.join(self.indeterminate)} indeterminate"
        return text + ")"
