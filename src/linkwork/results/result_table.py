"""A result along one axis as CSV text: attributes and what the columns are as comments, then one line a coordinate.

    # linkwork result 1
    # analysis: "modes"
    ...
    # columns: {"P.position": {"shape": [3], "kind": "c", "long_name": "position of P"}}
    mode [1],frequency [1/s],P.position.x.real [m],P.position.x.imaginary [m],...

Complex numbers have two columns. Texts, and coordinates that are texts, stand in a comment. Floats are written with as
many digits as bring them back to the last bit; whole numbers beyond 2^53 do not fit.
"""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.results.layout import BEYOND
from linkwork.results.result_layout import (
    NUMBERS,
    RESULT_FORMAT,
    axes_of,
    is_number,
    result_attribute_problems,
    result_attributes,
    shape_within,
)
from linkwork.results.table import MAX_REPORTED, header, parts, rows

if TYPE_CHECKING:
    import xarray as xr

    from linkwork.results.arrays import Arrays

PAIR = ("real", "imaginary")
MOST_WHOLE = 2**53


def write(data: Arrays, axis: str, stream: IO[str]) -> None:
    """Write the text of a result whose variables all lie along one axis."""
    texts: dict[str, Any] = {}
    columns: dict[str, Any] = {}
    heads: list[str] = []
    arrays: list[Any] = []
    numbered = is_number(data.variables[axis])
    heads.append(f"{axis} [{data[axis].attrs.get('units', '1') if numbered else '1'}]")
    arrays.append(data[axis].values if numbered else np.arange(data.sizes[axis]))
    for label, variable in data.variables.items():
        name = str(label)
        if axes_of(variable.dims) != (axis,):
            continue  # x, y, z of vectors
        own = {k: v for k, v in variable.attrs.items() if k in ("units", "long_name")}
        role = {"label": True} if name in data.coords and name != axis else {}
        if not is_number(variable):
            texts[name] = {"values": variable.values.tolist(), **own, **role}
            continue
        columns[name] = {"shape": list(shape_within(variable)), "kind": variable.dtype.kind, **own, **role}
        if name == axis:
            continue
        if variable.dtype.kind in "iu" and (np.abs(variable.values) > MOST_WHOLE).any():
            raise InputError(Problem("whole numbers beyond 2^53 do not fit into CSV", name, "use .nc"))
        for part, element in parts(name, shape_within(variable)):
            whole: Any = variable.values
            values = whole[(..., *element)]
            unit = variable.attrs.get("units", "1")
            if variable.dtype.kind == "c":
                heads += [f"{part}.{word} [{unit}]" for word in PAIR]
                arrays += [values.real, values.imag]
            else:
                heads.append(f"{part} [{unit}]")
                arrays.append(values)
    stream.write(f"# {RESULT_FORMAT}\n")
    about = {k: v for k, v in data.attrs.items() if k != "format"} | {"columns": columns, "texts": texts}
    for key, value in about.items():
        stream.write(f"# {key}: {json.dumps(value)}\n")
    stream.write(",".join(heads) + "\n")
    for row in zip(*(a.tolist() for a in arrays), strict=True):
        stream.write(",".join(map(repr, row)) + "\n")


def read(stream: IO[str]) -> xr.Dataset:
    """The dataset of a text whose first line is the format's."""
    stream.readline()
    attrs = result_attributes()
    line, number = stream.readline(), 2
    problems: list[Problem] = []
    tables: dict[str, Any] = {"columns": {}, "texts": {}}
    while line.startswith("#"):
        key, _, text = line[1:].strip().partition(": ")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            problems.append(Problem("the comment is not an attribute and its JSON value", line=number))
        else:
            (tables if key in tables else attrs)[key] = value
        line, number = stream.readline(), number + 1
    problems += result_attribute_problems(attrs)
    names, _ = header(line, number, problems)
    problems += _table_problems(tables, names)
    if problems:
        raise InputError(problems[:MAX_REPORTED])
    columns, texts = tables["columns"], tables["texts"]
    places = _places(columns, names)
    counts = [first for name, first in places.items() if columns[name]["kind"] in "iu"]
    if sum(_width(columns[n]) for n in places) + (names[0] not in places) != len(names):
        raise InputError(Problem("there are columns that the comments do not tell of", line=number))
    table = rows(stream, len(names), counts, number)
    return _dataset(names[0], table, columns, places, texts, {k: attrs[k] for k in result_attributes()})


def _table_problems(tables: dict[str, Any], names: list[str]) -> list[Problem]:
    """Comments about columns and texts that are not what they should be."""
    columns, texts = tables["columns"], tables["texts"]
    if not isinstance(columns, dict) or not isinstance(texts, dict):
        return [Problem("the comments about columns and texts are no tables")]
    problems = []
    for name, own in columns.items():
        fits = isinstance(own, dict) and own.get("kind") in list(NUMBERS) and isinstance(own.get("shape"), list)
        if not fits or tuple(own["shape"]) not in BEYOND:
            problems.append(Problem("the comment does not tell what this column is", name))
        elif any(head not in names for head in _heads(name, own, names[:1])):
            problems.append(Problem("its columns are missing", name))
    for name, own in texts.items():
        values = own.get("values") if isinstance(own, dict) else None
        if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
            problems.append(Problem("these are no texts", name))
    return problems


def _heads(name: str, own: Any, axis: list[str]) -> list[str]:
    found = [part for part, _ in parts(name, tuple(own["shape"]))]
    return [f"{part}.{word}" for part in found for word in PAIR] if own["kind"] == "c" and [name] != axis else found


def _width(own: Any) -> int:
    return int(np.prod(own["shape"], dtype=int)) * (2 if own["kind"] == "c" else 1)


def _places(columns: dict[str, Any], names: list[str]) -> dict[str, int]:
    """The first column of every variable."""
    return {name: names.index(_heads(name, own, names[:1])[0]) for name, own in columns.items()}


def _dataset(
    axis: str, table: Any, columns: dict[str, Any], places: dict[str, int], texts: dict[str, Any], attrs: dict[str, Any]
) -> xr.Dataset:
    import xarray as xr

    coords: dict[str, Any] = {}
    variables: dict[str, Any] = {}
    for name, own in {**columns, **texts}.items():
        if name in columns:
            block = table[:, places[name] : places[name] + _width(own)]
            if own["kind"] == "c":
                block = np.ascontiguousarray(block).view(np.complex128)
            shape = tuple(own["shape"])
            values = block.reshape(len(table), *shape).astype(np.int64 if own["kind"] in "iu" else block.dtype)
        else:
            shape, values = (), np.array(own["values"], dtype=str)
            if len(values) != len(table):
                raise InputError(Problem(f"there are {len(values)} texts for {len(table)} lines", name))
        about = {k: str(own[k]) for k in ("units", "long_name") if k in own}
        target = coords if name == axis or own.get("label") else variables
        target[name] = ((axis, *BEYOND[shape]), values, about)
    within = {d for dims, _, _ in variables.values() for d in dims if d != axis}
    coords |= {d: (d, ["x", "y", "z"]) for d in ("axis", "row", "column") if d in within}
    return xr.Dataset(variables, coords, attrs)
