"""Numbers by name along named axes, as plain arrays: what results keep, and make labelled datasets of when asked.

They are asked as an xarray.Dataset is, by `variables`, `coords`, `data_vars`, `sizes` and `attrs`, as far as this
program asks. Nobody waits for xarray and pandas who needs the numbers alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import xarray as xr

LETTERS = ("x", "y", "z")


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """An array with the names of its axes.

    dims : names of the axes
    values : the numbers or texts
    attrs : 'units', 'long_name'
    """

    dims: tuple[str, ...]
    values: Any
    attrs: dict[str, Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many numbers along each axis."""
        return tuple(self.values.shape)

    @property
    def ndim(self) -> int:
        """How many axes."""
        return int(self.values.ndim)

    @property
    def size(self) -> int:
        """How many numbers."""
        return int(self.values.size)

    @property
    def dtype(self) -> Any:
        """The kind of the numbers."""
        return self.values.dtype

    def part(self, where: Mapping[str, Any]) -> Variable:
        """The same along parts of its axes: a number takes an axis away, a slice does not."""
        if not any(axis in where for axis in self.dims):
            return self
        left = tuple(axis for axis in self.dims if isinstance(where.get(axis, slice(None)), slice))
        values = np.asarray(self.values[tuple(where.get(axis, slice(None)) for axis in self.dims)])
        return Variable(left, values, dict(self.attrs))


def letters(axis: str) -> Variable:
    """Coordinates x, y, z of an axis inside of vectors and matrices."""
    return _letters(axis)


@cache
def _letters(axis: str) -> Variable:
    return Variable((axis,), _locked(np.array(LETTERS)), {})


def _locked(values: Any) -> Any:
    values.setflags(write=False)
    return values


class Arrays:
    """Variables by name, and what is told of all of them.

    Parameters
    ----------
    data_vars : results by name
    coords : what stands along the axes: the coordinate of each, under its name, and more labels
    attrs : about all of them
    whole : the dataset that they were taken from, if there is one
    """

    __slots__ = ("_whole", "attrs", "coords", "data_vars", "sizes", "variables")

    def __init__(
        self,
        data_vars: Mapping[str, Variable],
        coords: Mapping[str, Variable],
        attrs: dict[str, Any],
        whole: xr.Dataset | None = None,
    ) -> None:
        self.data_vars = dict(data_vars)
        self.coords = dict(coords)
        self.attrs = attrs
        self._whole = whole
        self.variables = {**self.data_vars, **self.coords}
        self.sizes = _sizes(self.variables)

    @classmethod
    def of(cls, data: xr.Dataset) -> Arrays:
        """Of a dataset, which is kept too."""
        every = {
            str(name): Variable(tuple(map(str, v.dims)), v.values, dict(v.attrs)) for name, v in data.variables.items()
        }
        coords = {str(name) for name in data.coords}
        made = cls(
            {name: v for name, v in every.items() if name not in coords},
            {name: v for name, v in every.items() if name in coords},
            data.attrs,
            data,
        )
        return made._in_order(every)

    def _in_order(self, names: Iterable[str]) -> Arrays:
        """The same with its variables in another order."""
        self.variables = {name: self.variables[name] for name in names}
        self.sizes = _sizes(self.variables)
        return self

    @property
    def dims(self) -> tuple[str, ...]:
        """Names of the axes."""
        return tuple(self.sizes)

    def __getitem__(self, name: str) -> Variable:
        return self.variables[name] if name in self.variables else _counted(name, self.sizes)

    def __contains__(self, name: object) -> bool:
        return name in self.variables

    def __iter__(self) -> Iterator[str]:
        return iter(self.data_vars)

    def assign(self, more: Mapping[str, Variable], coords: Mapping[str, Variable] | None = None) -> Arrays:
        """The same with other or more variables, and more coordinates."""
        made = Arrays({**self.data_vars, **more}, {**self.coords, **(coords or {})}, self.attrs)
        return made._in_order({**self.variables, **made.variables})

    def isel(self, **where: Any) -> Arrays:
        """The part at places along its axes, slices: isel(time=slice(0, 5))."""
        results, along = ({n: v.part(where) for n, v in part.items()} for part in (self.data_vars, self.coords))
        return Arrays(results, along, self.attrs)._in_order(self.variables)

    def frozen(self, attrs: dict[str, Any]) -> Arrays:
        """The same whose results cannot be written to; others that can be are copied.

        attrs : in place of those that are there
        """
        kept = {n: v if not v.values.flags.writeable else _copied(v) for n, v in self.data_vars.items()}
        return Arrays(kept, self.coords, attrs)._in_order(self.variables)

    def labelled(self, name: str) -> Labelled:
        """One variable with what stands along its axes."""
        variable = self.variables[name]
        along = {n: c for n, c in self.coords.items() if {*c.dims} <= {*variable.dims}}
        return Labelled(variable, along)

    def dataset(self) -> xr.Dataset:
        """All of it as an xarray.Dataset, made once."""
        if self._whole is None:
            import xarray as xr

            own = {n: xr.Variable(v.dims, v.values, dict(v.attrs), fastpath=True) for n, v in self.data_vars.items()}
            self._whole = xr.Dataset(own, _coordinates(self.coords), dict(self.attrs))
        return self._whole

    def __reduce__(self) -> tuple[Any, ...]:
        return Arrays, (self.data_vars, self.coords, self.attrs)


def _sizes(variables: Mapping[str, Variable]) -> dict[str, int]:
    """How many numbers along each axis, in the order in which they occur; ValueError where an array has other axes."""
    found: dict[str, int] = {}
    for name, variable in variables.items():
        if len(variable.dims) != variable.ndim:
            raise ValueError(f"'{name}' has {variable.ndim} axes, not {', '.join(variable.dims) or 'none'}")
        for axis, n in zip(variable.dims, variable.shape, strict=True):
            found.setdefault(axis, n)
    return found


def _counted(axis: str, sizes: Mapping[str, int]) -> Variable:
    """Coordinates of an axis that has none: 0, 1, 2; KeyError where there is no such axis."""
    return Variable((axis,), np.arange(sizes[axis]), {})


def _copied(variable: Variable) -> Variable:
    return Variable(variable.dims, _locked(variable.values.copy()), variable.attrs)


def _coordinates(coords: Mapping[str, Variable]) -> xr.Coordinates:
    """Coordinates with their indices, which cost the most; those of x, y, z are made once."""
    import xarray as xr

    plain = {n: c for n, c in coords.items() if len(c.dims) != 1 or c is not _letters(c.dims[0])}
    own = xr.Coordinates({n: (c.dims, c.values, dict(c.attrs)) for n, c in plain.items()})
    variables, indices = dict(own.variables), dict(own.xindexes)
    for name in coords:
        if name not in plain:
            made = _letter_coordinates(name)
            variables[name], indices[name] = made.variables[name], made.xindexes[name]
    return xr.Coordinates({n: variables[n] for n in coords}, {n: indices[n] for n in coords if n in indices})


@cache
def _letter_coordinates(axis: str) -> xr.Coordinates:
    import xarray as xr

    return xr.Coordinates({axis: list(LETTERS)})


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """An array and what stands along its axes.

    variable : the array
    coords : what stands along its axes, by name
    """

    variable: Variable
    coords: Mapping[str, Variable]

    @classmethod
    def of(cls, array: xr.DataArray) -> Labelled:
        """Of a labelled array."""
        coords = {str(n): Variable(tuple(map(str, c.dims)), c.values, dict(c.attrs)) for n, c in array.coords.items()}
        return cls(Variable(tuple(map(str, array.dims)), array.values, array.attrs), coords)

    @property
    def sizes(self) -> dict[str, int]:
        """How many numbers along each axis."""
        return dict(zip(self.variable.dims, self.variable.shape, strict=True))

    def __getitem__(self, name: str) -> Variable:
        return self.coords[name] if name in self.coords else _counted(name, self.sizes)

    def like(self, values: Any, attrs: dict[str, Any]) -> Labelled:
        """Other numbers at the same places."""
        return Labelled(Variable(self.variable.dims, np.asarray(values), attrs), self.coords)

    def along(self, name: str) -> Labelled:
        """A coordinate, with what else stands along its axes."""
        own = self.coords[name]
        return Labelled(own, {n: c for n, c in self.coords.items() if {*c.dims} <= {*own.dims}})

    def without(self, axes: tuple[str, ...], values: Any, attrs: dict[str, Any]) -> Labelled:
        """Other numbers, which do not lie along some of the axes any more."""
        left = tuple(axis for axis in self.variable.dims if axis not in axes)
        coords = {n: c for n, c in self.coords.items() if not {*c.dims} & {*axes}}
        return Labelled(Variable(left, np.asarray(values), attrs), coords)

    def array(self, name: str) -> xr.DataArray:
        """As an xarray.DataArray.

        name : of the array
        """
        import xarray as xr

        own = self.variable
        if own is self.coords.get(name):
            return xr.Dataset(coords=_coordinates(self.coords))[name]
        return xr.DataArray(own.values, _coordinates(self.coords), own.dims, name, dict(own.attrs))
