"""A run as CSV text: comment lines with the attributes, a header of names and units, one line a sample.

    # linkwork run 1
    # mechanism: "slider-crank"
    ...
    # shapes: {"P.position": [3]}
    time [s],A.angle [rad],P.position.x [m],P.position.y [m],P.position.z [m]
    0.0,0.0,0.15,0.02,0.0

Attributes are JSON. `shapes` says which columns belong together. Floats are written with as many digits as bring them
back to the last bit.
"""

from __future__ import annotations

import json
import math
import re
from array import array
from collections.abc import Iterator
from itertools import product
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.results.layout import (
    AXES,
    BEYOND,
    COUNTS,
    FORMAT,
    OPTIONAL,
    RARE,
    attribute_problems,
    attributes,
    complete_attributes,
)

if TYPE_CHECKING:
    from linkwork.results.arrays import Arrays

MAX_REPORTED = 20
_COLUMN = re.compile(r"(?P<name>[^\[\]]+) \[(?P<unit>[^\[\]]+)\]")


def write(data: Arrays, stream: IO[str]) -> None:
    """Write the text of a run."""
    columns: list[str] = ["time [s]"]
    arrays: list[Any] = [data["time"].values]
    shapes = {}
    for label, variable in data.data_vars.items():
        values: Any = variable.values
        shape = values.shape[1:]
        if shape:
            shapes[str(label)] = list(shape)
        for name, element in parts(str(label), shape):
            columns.append(f"{name} [{variable.attrs['units']}]")
            arrays.append(values[(slice(None), *element)])
    stream.write(f"# {FORMAT}\n")
    for key, value in data.attrs.items():
        if key != "format" and (value or key not in RARE):
            stream.write(f"# {key}: {json.dumps(value)}\n")
    stream.write(f"# shapes: {json.dumps(shapes)}\n")
    stream.write(",".join(columns) + "\n")
    for row in zip(*(a.tolist() for a in arrays), strict=True):
        stream.write(",".join(map(repr, row)) + "\n")


def parts(name: str, shape: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Names of the elements of a variable, and where they stand: P.position.x, rod.rotation.xy."""
    if not shape:
        yield name, ()
        return
    for element in product(*(range(n) for n in shape)):
        yield f"{name}.{''.join(AXES[i] for i in element)}", element


def read(stream: IO[str]) -> tuple[Any, dict[str, tuple[str, Any]], dict[str, Any]]:
    """Time, arrays with units by name, and attributes of a text."""
    if stream.readline().rstrip("\n") != f"# {FORMAT}":
        raise InputError(Problem("this is not a result of Linkwork", hint=f"its first line must be '# {FORMAT}'"))
    needed = ("asked", "status")
    attrs: dict[str, Any] = {k: v for k, v in attributes().items() if k not in (*needed, *OPTIONAL)}
    line, number = stream.readline(), 2
    problems: list[Problem] = []
    shapes: Any = {}
    while line.startswith("#"):
        key, _, text = line[1:].strip().partition(": ")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            problems.append(Problem("the comment is not an attribute and its JSON value", line=number))
        else:
            if key == "shapes":
                shapes = value
            elif key != "format":
                attrs[key] = value
        line, number = stream.readline(), number + 1
    attrs = complete_attributes(attrs)
    problems += attribute_problems(attrs)
    names, units = header(line, number, problems)
    if names[:1] != ["time"] or units[:1] != ["s"]:
        problems.append(Problem("the first column is not 'time [s]'", line=number))
    layout = _layout(names, shapes, problems)
    if problems:
        raise InputError(problems[:MAX_REPORTED])
    table = rows(stream, len(names), [i for i, n in enumerate(names) if n in COUNTS], number)
    values = {}
    for name, shape, first, size in layout:
        block = table[:, first : first + size].reshape(len(table), *shape)
        values[name] = (units[first], block.astype(np.int64) if name in COUNTS else block)
    return table[:, 0], values, {k: attrs[k] for k in attributes()}


def header(line: str, number: int, problems: list[Problem]) -> tuple[list[str], list[str]]:
    """Names and units of the columns."""
    names, units = [], []
    for cell in line.rstrip("\r\n").split(","):
        found = _COLUMN.fullmatch(cell)
        if found is None:
            hint = "the header names every column and its unit: A.angle [rad]"
            problems.append(Problem(f"'{cell[:60]}' is not a column", line=number, hint=hint))
        else:
            names.append(found["name"])
            units.append(found["unit"])
    twice = sorted({n for n in names if names.count(n) > 1}) if len(set(names)) < len(names) else []
    problems += [Problem(f"there are two columns '{n}'", line=number) for n in twice]
    return names, units


def _layout(names: list[str], shapes: Any, problems: list[Problem]) -> list[tuple[str, tuple[int, ...], int, int]]:
    """Variables with the shape of a sample, their first column and the number of their columns."""
    known = [list(s) for s in BEYOND if s]
    if not isinstance(shapes, dict) or any(s not in known for s in shapes.values()):
        problems.append(Problem("the shapes are not a table of [3] and [3, 3]", "shapes"))
        return []
    starts = {next(parts(n, tuple(s)))[0]: (n, tuple(s)) for n, s in shapes.items()}
    layout, at = [], 1
    while at < len(names):
        name, shape = starts.pop(names[at], (names[at], ()))
        wanted = [n for n, _ in parts(name, shape)]
        if names[at : at + len(wanted)] != wanted:
            problems.append(Problem(f"the columns are not {', '.join(wanted)}", name))
            return []
        layout.append((name, shape, at, len(wanted)))
        at += len(wanted)
    problems += [Problem("its columns are missing", name) for name, _ in starts.values()]
    return layout


def rows(stream: IO[str], width: int, counts: list[int], number: int) -> Any:
    """The numbers, one row a sample; every line that cannot be read is reported.

    width : number of columns; counts : those that hold whole numbers; number : of the line before the first
    """
    flat, problems = array("d"), []
    for n, line in enumerate(stream, number + 1):
        if not line.strip():
            continue
        cells = line.split(",")
        try:
            row = [float(c) for c in cells]
        except ValueError:
            bad = next(c for c in cells if not _is_number(c))
            problems.append(Problem(f"'{bad.strip()[:40]}' is not a number", line=n))
            row = []
        if row and len(row) != width:
            problems.append(Problem(f"there are {len(row)} numbers, not {width}", line=n, hint="is the file whole?"))
        elif row and any(not math.isfinite(row[i]) or row[i] != int(row[i]) for i in counts):
            problems.append(Problem("a count is not a whole number", line=n))
        flat.extend(row)
        if len(problems) == MAX_REPORTED:
            break
    if problems:
        raise InputError(problems)
    return np.frombuffer(flat, dtype=np.float64).reshape(-1, width) if flat else np.empty((0, width))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
