"""Runs in files: NetCDF4 for programs, CSV for people. Both come back to the last bit.

A result is data: nothing in a file is evaluated, and a NetCDF file may not point to other files.
"""

from __future__ import annotations

import importlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError, LinkworkError, ModelError, Problem
from linkwork.results import table
from linkwork.results.layout import BEYOND, FORMAT, attribute_problems, attributes, complete_attributes, make_dataset
from linkwork.results.marking import shown
from linkwork.results.run import Run

if TYPE_CHECKING:
    import xarray as xr

MAX_SIZE = 2**30
"""Bytes of a file, and of the numbers in it, that are read without being told to."""

ENDINGS = (".nc", ".csv")
JSON_ATTRIBUTES = tuple(k for k, v in attributes().items() if isinstance(v, list | dict))


def save_run(run: Run, path: str | Path) -> Path:
    """Write a run; the file appears whole or not at all, and replaces one that exists."""
    target = Path(path)
    return _saved(run.data, target, {".nc": _write_netcdf, ".csv": _write_csv}[_ending(target)])


def save_dataset(data: xr.Dataset, path: str | Path) -> Path:
    """Write a dataset of many runs to a .nc file, likewise."""
    target = Path(path)
    if target.suffix.lower() != ".nc":
        hint = "use .nc (NetCDF4); single runs have .csv too"
        raise InputError(Problem(f"many runs do not go into '{target.suffix}'", hint=hint), target.name)
    return _saved(data, target, _write_netcdf)


def _saved(data: xr.Dataset, target: Path, write: Callable[[xr.Dataset, Path], None]) -> Path:
    if not target.parent.is_dir():
        raise InputError(Problem(f"there is no folder '{target.parent}'", hint="make it first"), target.name)
    handle, draft = tempfile.mkstemp(suffix=target.suffix, prefix=".linkwork-", dir=target.parent)
    os.close(handle)
    try:
        write(data, Path(draft))
        _give_usual_rights(Path(draft))
        Path(draft).replace(target)
    finally:
        Path(draft).unlink(missing_ok=True)
    return target


def load_run(path: str | Path, *, max_size: int = MAX_SIZE) -> Run:
    """Read a run that `Run.save` wrote.

    Parameters
    ----------
    path : a .nc or .csv file
    max_size : bytes that the file, and the numbers in it, may have
    """
    source = Path(path)
    read = {".nc": _read_netcdf, ".csv": _read_csv}[_ending(source)]
    if not source.is_file():
        near = sorted(p.name for p in source.parent.glob("*") if p.suffix in ENDINGS) if source.parent.is_dir() else []
        hint = f"in that folder there is: {', '.join(near[:12])}" if near else "is the path right?"
        raise InputError(Problem("there is no such file", hint=hint), str(source))
    try:
        _assert_size(source.stat().st_size, max_size, "the file")
        time, values, attrs = read(source, max_size)
        return Run(make_dataset(time, values, attrs))
    except ModelError as error:
        raise InputError(error.problems, str(source)) from None


def _ending(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        what = f"'{ending}' is not an ending of results" if ending else "the name has no ending"
        raise InputError(Problem(what, hint="use .nc (NetCDF4) or .csv"), str(path))
    return ending


def _assert_size(size: int, most: int, what: str) -> None:
    if size > most:
        raise InputError(
            Problem(
                f"{what} has {size} bytes, {most} are allowed", hint=f"if you trust it: load_run(..., max_size={size})"
            )
        )


def _give_usual_rights(path: Path) -> None:
    """Temporary files are for the owner's eyes only; results get the rights of any new file."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)


# -------------------------------------------------------------------- CSV


def _write_csv(data: xr.Dataset, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        table.write(shown(data), stream)


def _read_csv(path: Path, max_size: int) -> tuple[Any, dict[str, tuple[str, Any]], dict[str, Any]]:
    try:
        with path.open(encoding="utf-8-sig") as stream:
            return table.read(stream)
    except UnicodeDecodeError:
        raise InputError(Problem("the file is not text", hint="is it a CSV file?")) from None


# -------------------------------------------------------------------- NetCDF


def _write_netcdf(data: xr.Dataset, path: Path) -> None:
    """Write HDF5 in the way of NetCDF4: every dimension is a scale, attached to the variables that have it.

    Everything that is read back has a checksum, so that damage is found, and found before HDF5 stumbles over it: the
    headers by the format of HDF5 1.10, texts because they have a fixed length and so lie in the headers, numbers by a
    filter.
    """
    h5py = _h5py()

    def describe(entry: Any, attrs: Mapping[Any, Any]) -> None:
        for key, value in attrs.items():
            given = json.dumps(value) if key in JSON_ATTRIBUTES else value
            if isinstance(given, str):
                raw = given.encode()
                entry.attrs.create(key, raw, dtype=h5py.string_dtype("utf-8", max(len(raw), 1)))
            else:
                entry.attrs[key] = given

    with h5py.File(path, "w", libver=("v110", "v110"), track_order=True) as file:
        describe(file, data.attrs)
        for i, dimension in enumerate(map(str, data.sizes)):
            labels = data[dimension].values
            if labels.dtype.kind in "fi":
                scale = file.create_dataset(dimension, data=labels, fletcher32=labels.size > 0)
            else:
                scale = file.create_dataset(dimension, data=labels.astype(object), dtype=h5py.string_dtype())
            scale.make_scale(dimension)
            scale.attrs["_Netcdf4Dimid"] = np.int32(i)
            describe(scale, data[dimension].attrs)
        labels_too = [name for name in data.coords if name not in data.sizes]
        for name in [*labels_too, *data.data_vars]:
            variable = data[name]
            if variable.dtype.kind == "U":
                entry = file.create_dataset(
                    str(name), data=variable.values.astype(object), dtype=h5py.string_dtype(), track_order=True
                )
            else:
                entry = file.create_dataset(str(name), data=variable.values, fletcher32=variable.size > 0)
            describe(entry, variable.attrs)
            for i, dimension in enumerate(map(str, variable.dims)):
                entry.dims[i].attach_scale(file[dimension])


def _read_netcdf(path: Path, max_size: int) -> tuple[Any, dict[str, tuple[str, Any]], dict[str, Any]]:
    """Read raw numbers and texts: nothing is taken for dates, masked or scaled."""
    with path.open("rb") as stream:
        if stream.read(8) != b"\x89HDF\r\n\x1a\n":
            raise InputError(Problem("this is not a NetCDF4 file"))
    h5py = _h5py()
    try:
        with h5py.File(path, "r") as file:
            if _text(file.attrs.get("format")) != FORMAT:
                hint = f"its attribute 'format' must be '{FORMAT}'"
                raise InputError(Problem("this is not a result of Linkwork", hint=hint))
            return _from_hdf5(h5py, file, max_size)
    except ModelError:
        raise
    except (OSError, ValueError, LookupError, TypeError, RuntimeError, AttributeError, OverflowError) as error:
        raise InputError(Problem(f"the file is damaged: {error}", hint="is it whole?")) from error


def _from_hdf5(h5py: Any, file: Any, max_size: int) -> tuple[Any, dict[str, tuple[str, Any]], dict[str, Any]]:
    attrs = _attributes(file.attrs)
    problems = attribute_problems(attrs)
    entries: dict[str, Any] = {}
    for name in file:
        if problem := _foreign(h5py, file, name):
            problems.append(problem)
        elif name not in ("axis", "row", "column"):
            entries[name] = file[name]
    if not problems and "time" not in entries:
        problems.append(Problem("there is no coordinate 'time'", "time"))
    if problems:
        raise InputError(problems)
    # Chunks that were never written take no room in a file, but all of it in memory.
    _assert_size(sum(e.size * 8 for e in entries.values()), max_size, "what the file describes")
    time = entries.pop("time")
    for name, entry in entries.items():
        if entry.shape[:1] != time.shape or entry.shape[1:] not in BEYOND:
            problems.append(Problem(f"the shape {entry.shape} does not fit", name))
    if problems:
        raise InputError(problems)
    return time[()], {n: (_text(e.attrs.get("units")), e[()]) for n, e in entries.items()}, attrs


def _attributes(found: Any) -> dict[str, Any]:
    attrs: dict[str, Any] = {}
    for key in attributes():
        if key in found:
            value = found[key]
            if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.size == 1):
                value = value.item()  # some writers make lists of single numbers
            value = _text(value) if isinstance(value, bytes) else value
            if key in JSON_ATTRIBUTES:
                try:
                    value = json.loads(value)
                except (ValueError, TypeError, RecursionError):
                    value = None  # reported as of another kind
            attrs[key] = value
    return complete_attributes(attrs)


def _text(value: Any) -> str:
    """Text, which other writers keep as bytes; '' for anything else."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""


def _foreign(h5py: Any, file: Any, name: str) -> Problem | None:
    """Links, external storage and virtual data, by which an HDF5 file reads other files; and all but real numbers."""
    if not isinstance(file.get(name, getlink=True), h5py.HardLink):
        return Problem("the file points to other files", name)
    entry = file[name]
    if not isinstance(entry, h5py.Dataset) or entry.external or entry.is_virtual:
        return Problem("this is not plain numbers", name)
    if entry.dtype.kind not in "fiu" and name not in ("axis", "row", "column"):
        return Problem("these are not real numbers", name)
    return None


def _h5py() -> Any:
    try:
        return importlib.import_module("h5py")
    except ImportError:
        raise LinkworkError("NetCDF files need h5py: pip install h5py; or use .csv") from None
