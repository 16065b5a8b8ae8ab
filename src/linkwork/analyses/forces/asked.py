"""What forces are asked for by name: everything that is wrong with it, before anything is computed, at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.analyses.forces.contact import assert_contact
from linkwork.analyses.forces.drives import as_names, columns_of
from linkwork.analyses.forces.external import external_wrenches
from linkwork.analyses.forces.trajectory import Trajectory
from linkwork.analyses.kinematics.given_values import measured_by
from linkwork.analyses.kinematics.loops import Loops
from linkwork.errors import Gathered, InputError, Problem
from linkwork.geometry import Array
from linkwork.model.measures import effort_along
from linkwork.model.text_values import in_si
from linkwork.units import NUMBER


def check_asked(
    loops: Loops,
    path: Trajectory,
    drives: Sequence[str] | None,
    efforts: Mapping[str, Any] | None,
    preload: Mapping[str, Any] | None,
    weights: Mapping[str, Any] | None,
    external: Mapping[str, Any] | None,
    contact: Mapping[str, Any] | None,
    also: Iterable[Problem] = (),
) -> None:
    """InputError with every name that is not there and every number that is none, and with what was found before."""
    told = Gathered(loops.plan.name, also)
    with told:
        columns_of(loops, as_names(drives or ()))
    with told:
        named_numbers(loops, "efforts", efforts, len(path))
    with told:
        external_wrenches(loops, external, path)
    for name in contact or ():
        with told:
            assert_contact(loops.system, name, f"contact.{name}")
    if told.problems:  # else `sharing` tells of these, and of more that it knows from the drives
        for what, values in (("preload", preload), ("weights", weights)):
            with told:
                named_numbers(loops, what, values, len(path))
    told.tell()


def named_numbers(
    loops: Loops, what: str, values: Mapping[str, Any] | None, samples: int
) -> dict[str, tuple[int, Array]]:
    """Numbers along variables by name, one or (samples,), each with the place of its rate."""
    found: dict[str, tuple[int, Array]] = {}
    problems: list[Problem] = []
    for name, value in (values or {}).items():
        where = f"{what}.{name}"
        try:
            (column,) = columns_of(loops, [name])
            along = measured_by(loops, int(column))
            number = np.asarray(in_si(value, NUMBER if what == "weights" else effort_along(along)), float)
        except InputError as error:
            problems += [Problem(p.what, where, p.hint) for p in error.problems]
            continue
        except (TypeError, ValueError):
            number = np.array(np.nan)
        if not np.isfinite(number).all() or number.shape not in ((), (samples,)):
            wanted = "one finite number is" if samples == 1 else f"a number or {samples} finite numbers are"
            problems.append(Problem(f"{wanted} wanted", where))
        else:
            found[name] = int(column), number
    if problems:
        raise InputError(problems, loops.plan.name)
    return found
