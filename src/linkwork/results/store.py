"""Results in files: NetCDF4 for programs, CSV for people. Both come back to the last bit.

A result is data: nothing in a file is evaluated, and a NetCDF file may not point to other files.
"""

from __future__ import annotations

import importlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError, LinkworkError, ModelError, Problem
from linkwork.results import report, result_table, table
from linkwork.results.arrays import Arrays, Variable
from linkwork.results.kept_simulations import are_simulations, simulations_of
from linkwork.results.layout import (
    BEYOND,
    FORMAT,
    attribute_problems,
    attributes,
    complete_attributes,
    make_arrays,
    unit_problem,
)
from linkwork.results.open_components import shown
from linkwork.results.result import Result
from linkwork.results.result_layout import (
    RESULT_FORMAT,
    STATE,
    WITHIN,
    result_attribute_problems,
    result_attributes,
)
from linkwork.results.run import Run
from linkwork.results.sensitivities import Sensitivities

if TYPE_CHECKING:
    import xarray as xr

MAX_SIZE = 2**30
"""Bytes of a file, and of the numbers in it, that are read without being told to."""

ENDINGS = (".nc", ".csv")
JSON_ATTRIBUTES = tuple(k for k, v in (attributes() | result_attributes()).items() if isinstance(v, list | dict))
COMPLEX = "complex"
"""The axis of real and imaginary parts in a NetCDF file, which has no complex numbers."""
SLOPES = "sensitivities"
"""The group of derivatives in a NetCDF file."""
ROLES = ("axis", "label", "signal", "complex signal")


def save_result(result: Result, path: str | Path) -> Path:
    """Write a result; the file appears whole or not at all, and replaces one that exists."""
    target = Path(path)
    if _ending(target) == ".nc":
        slopes = result._sensitive if isinstance(result, Run) else None
        return _saved(result.arrays, target, partial(_write_netcdf, slopes=slopes))
    if isinstance(result, Run):
        return _saved(result.arrays, target, _write_csv)
    axis = report.only_axis(result, "a CSV file")

    def write(data: Arrays, path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="\n") as stream:
            result_table.write(shown(data), axis, stream)

    return _saved(result.arrays, target, write)


def _saved(data: Arrays, target: Path, write: Callable[[Arrays, Path], None]) -> Path:
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
    found = load_result(path, max_size=max_size)
    if not isinstance(found, Run):
        text = f"this is a result over {', '.join(found.axes) or 'no axis'}, not a run"
        raise InputError(Problem(text, hint="load_result reads it"), str(path))
    return found


def load_result(path: str | Path, *, max_size: int = MAX_SIZE) -> Result:
    """Read a result that `Result.save` wrote; what `Run.save` wrote is a `Run`.

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
        return read(source, max_size)
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


def _write_csv(data: Arrays, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        table.write(shown(data), stream)


def _read_csv(path: Path, max_size: int) -> Result:
    try:
        with path.open(encoding="utf-8-sig") as stream:
            if stream.readline().rstrip("\n") == f"# {RESULT_FORMAT}":
                stream.seek(0)
                return Result(result_table.read(stream))
            stream.seek(0)
            return Run(make_arrays(*table.read(stream)))
    except UnicodeDecodeError:
        raise InputError(Problem("the file is not text", hint="is it a CSV file?")) from None


# -------------------------------------------------------------------- NetCDF


def _write_netcdf(data: Arrays, path: Path, slopes: Sensitivities | None = None) -> None:
    """Write a dataset, and derivatives of its signals in groups of their own."""
    h5py = _h5py()
    with h5py.File(path, "w", libver=("v110", "v110"), track_order=True) as file:
        used = _fill(h5py, file, data)
        for k, (by, unit) in enumerate(slopes.units.items() if slopes is not None else ()):
            group = file.create_group(f"{SLOPES}/{k}", track_order=True)
            assert slopes is not None
            used += _fill(h5py, group, slopes.slopes(by).arrays, used)
            _describe(h5py, group, {"by": by, "by_unit": unit})


def _describe(h5py: Any, entry: Any, attrs: Mapping[Any, Any]) -> None:
    for key, value in attrs.items():
        given = json.dumps(value) if key in JSON_ATTRIBUTES else value
        if isinstance(given, str):
            raw = given.encode()
            entry.attrs.create(key, raw, dtype=h5py.string_dtype("utf-8", max(len(raw), 1)))
        else:
            entry.attrs[key] = given


def _fill(h5py: Any, file: Any, data: Arrays, first: int = 0) -> int:
    """Write HDF5 in the way of NetCDF4: every dimension is a scale, attached to the variables that have it.

    Everything that is read back has a checksum, so that damage is found, and found before HDF5 stumbles over it: the
    headers by the format of HDF5 1.10, texts because they have a fixed length and so lie in the headers, numbers by a
    filter.

    file : or a group of it; first : number of the first of its dimensions in the file. Gives how many there are
    """
    own = data.attrs.get("format") == RESULT_FORMAT
    data, pairs = _with_pairs(data)

    def role(name: Any) -> dict[str, str]:
        """What a variable is, in words that a checksum protects: links to dimensions have none."""
        if not own or name in (*WITHIN, COMPLEX):
            return {}
        kind = "axis" if name in data.sizes else "label" if name in data.coords else "signal"
        return {"role": "complex signal" if name in pairs else kind, "dimensions": json.dumps(data[name].dims)}

    _describe(h5py, file, data.attrs)
    for i, dimension in enumerate(map(str, data.sizes)):
        labels = data[dimension].values
        if labels.dtype.kind in "fi":
            scale = file.create_dataset(dimension, data=labels, fletcher32=labels.size > 0)
        else:
            scale = file.create_dataset(dimension, data=labels.astype(object), dtype=h5py.string_dtype())
        scale.make_scale(dimension)
        scale.attrs["_Netcdf4Dimid"] = np.int32(first + i)
        _describe(h5py, scale, {**data[dimension].attrs, **role(dimension)})
    labels_too = [name for name in data.coords if name not in data.sizes]
    for name in [*labels_too, *data.data_vars]:
        variable = data[name]
        if variable.dtype.kind == "U":
            entry = file.create_dataset(
                str(name), data=variable.values.astype(object), dtype=h5py.string_dtype(), track_order=True
            )
        else:
            protect = variable.size > 0 and variable.ndim > 0
            entry = file.create_dataset(str(name), data=variable.values, fletcher32=protect)
        _describe(h5py, entry, {**variable.attrs, **role(name)})
        for i, dimension in enumerate(map(str, variable.dims)):
            entry.dims[i].attach_scale(file[dimension])
    return len(data.sizes)


def _with_pairs(data: Arrays) -> tuple[Arrays, tuple[str, ...]]:
    """The dataset with real and imaginary parts along a last axis of complex numbers, and the names of these."""
    names = tuple(str(n) for n, v in data.data_vars.items() if v.dtype.kind == "c")
    pairs = {}
    for name in names:
        variable = data.variables[name]
        parts = np.ascontiguousarray(variable.values).view(np.float64).reshape(*variable.shape, 2)
        pairs[name] = Variable((*variable.dims, COMPLEX), parts, variable.attrs)
    ends = Variable((COMPLEX,), np.array(result_table.PAIR), {})
    return (data.assign(pairs, {COMPLEX: ends}) if names else data), names


def _read_netcdf(path: Path, max_size: int) -> Result:
    """Read raw numbers and texts: nothing is taken for dates, masked or scaled."""
    with path.open("rb") as stream:
        if stream.read(8) != b"\x89HDF\r\n\x1a\n":
            raise InputError(Problem("this is not a NetCDF4 file"))
    h5py = _h5py()
    try:
        with h5py.File(path, "r") as file:
            if _text(file.attrs.get("format")) == RESULT_FORMAT:
                data = _result_from_hdf5(h5py, file, max_size)
                return simulations_of(data) if are_simulations(data) else Result(data)
            if _text(file.attrs.get("format")) != FORMAT:
                hint = f"its attribute 'format' must be '{FORMAT}'"
                raise InputError(Problem("this is not a result of Linkwork", hint=hint))
            return Run(make_arrays(*_from_hdf5(h5py, file, max_size)), None, _slopes(h5py, file, max_size))
    except ModelError:
        raise
    except (OSError, ValueError, LookupError, TypeError, RuntimeError, AttributeError, OverflowError) as error:
        raise InputError(Problem(f"the file is damaged: {error}", hint="is it whole?")) from error


def _result_from_hdf5(h5py: Any, file: Any, max_size: int) -> xr.Dataset:
    """A dataset from what the variables tell of themselves."""
    import xarray as xr

    attrs = _attributes(file.attrs, {**result_attributes(), "state": STATE})
    problems = result_attribute_problems(attrs)
    told: dict[str, tuple[str, tuple[str, ...]]] = {}
    for name in file:
        if problem := _foreign(h5py, file, name, texts=True):
            problems.append(problem)
        elif name not in (*WITHIN, COMPLEX):
            own = file[name].attrs
            dims = json.loads(_text(own.get("dimensions")) or "null")
            kind = _text(own.get("role"))
            if kind not in ROLES or not isinstance(dims, list) or len(dims) != file[name].ndim:
                problems.append(Problem("the file does not tell what this is", name))
            else:
                told[name] = (kind, tuple(map(str, dims)))
    if problems:
        raise InputError(problems)
    _assert_size(sum(file[n].size * 8 for n in told), max_size, "what the file describes")
    sizes = dict.fromkeys(WITHIN, 3) | {COMPLEX: 2}
    sizes |= {n: file[n].size for n, (kind, _) in told.items() if kind == "axis"}
    coords: dict[str, Any] = {}
    variables: dict[str, Any] = {}
    for name, (kind, dims) in told.items():
        entry = file[name]
        if entry.shape != tuple(sizes.get(d, -1) for d in dims) or (kind == "complex signal") != (COMPLEX in dims[-1:]):
            problems.append(Problem(f"the shape {entry.shape} does not fit", name))
            continue
        values = np.array(entry.asstr()[()], dtype=str) if entry.dtype.kind == "O" else entry[()]
        if kind == "complex signal":
            values, dims = np.ascontiguousarray(values).view(np.complex128)[..., 0], dims[:-1]
        about = {key: _text(entry.attrs[key]) for key in ("units", "long_name") if key in entry.attrs}
        (coords if kind in ("axis", "label") else variables)[name] = (dims, np.asarray(values), about)
    if problems:
        raise InputError(problems)
    within = {d for dims, _, _ in variables.values() for d in dims}
    coords |= {d: (d, ["x", "y", "z"]) for d in WITHIN if d in within}
    return xr.Dataset(variables, coords, attrs)


def _slopes(h5py: Any, file: Any, max_size: int) -> Sensitivities | None:
    """Derivatives that a file has, each a run in a group of its own."""
    if SLOPES not in file:
        return None
    problems = []
    for name in file[SLOPES]:
        if not _is_group(h5py, file[SLOPES], name):
            problems.append(Problem("these are no derivatives", f"{SLOPES}.{name}"))
    if problems:
        raise InputError(problems)
    groups = list(file[SLOPES].values())
    numbers = sum(entry.size * 8 for group in groups for entry in group.values() if isinstance(entry, h5py.Dataset))
    _assert_size(numbers, max_size, "what the file describes")
    units = {_text(group.attrs.get("by")): _text(group.attrs.get("by_unit")) for group in groups}
    for by, unit in units.items():
        if problem := unit_problem(unit, f"{SLOPES}.{by}"):
            raise InputError(problem)
    runs = (Run(make_arrays(*_from_hdf5(h5py, group, max_size))) for group in groups)
    return Sensitivities(units, dict(zip(units, runs, strict=True)).__getitem__)


def _from_hdf5(h5py: Any, file: Any, max_size: int) -> tuple[Any, dict[str, tuple[str, Any]], dict[str, Any]]:
    attrs = complete_attributes(_attributes(file.attrs, attributes()))
    problems = attribute_problems(attrs)
    entries: dict[str, Any] = {}
    for name in file:
        if (
            name == SLOPES
            and isinstance(file.get(name, getlink=True), h5py.HardLink)
            and isinstance(file[name], h5py.Group)
        ):
            continue
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


def _attributes(found: Any, known: Mapping[str, Any]) -> dict[str, Any]:
    attrs: dict[str, Any] = {}
    for key in known:
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
    return attrs


def _text(value: Any) -> str:
    """Text, which other writers keep as bytes; '' for anything else."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""


def _is_group(h5py: Any, file: Any, name: str) -> bool:
    """Whether it is a group of the very file."""
    return isinstance(file.get(name, getlink=True), h5py.HardLink) and isinstance(file[name], h5py.Group)


def _foreign(h5py: Any, file: Any, name: str, texts: bool = False) -> Problem | None:
    """Links, external storage and virtual data, by which an HDF5 file reads other files; and all but real numbers.

    texts : whether variables may be texts
    """
    if not isinstance(file.get(name, getlink=True), h5py.HardLink):
        return Problem("the file points to other files", name)
    entry = file[name]
    if not isinstance(entry, h5py.Dataset) or entry.external or entry.is_virtual:
        return Problem("this is not plain numbers", name)
    is_text = texts and h5py.check_string_dtype(entry.dtype) is not None
    if entry.dtype.kind not in "fiu" and not is_text and name not in ("axis", "row", "column"):
        return Problem("these are not real numbers", name)
    return None


def _h5py() -> Any:
    try:
        return importlib.import_module("h5py")
    except ImportError:
        raise LinkworkError("NetCDF files need h5py: pip install h5py; or use .csv") from None
