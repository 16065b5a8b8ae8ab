"""A run with more signals: what an analysis adds to the motion that it was asked about."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from linkwork.errors import InputError, Problem
from linkwork.results.build import Drafts
from linkwork.results.layout import make_arrays
from linkwork.results.open_components import absence_problems, mark_problems
from linkwork.results.run import Run


def extended(
    run: Run,
    signals: Mapping[str, tuple[str, ArrayLike]],
    *,
    analysis: str = "forces",
    indeterminate: Mapping[str, Sequence[str]] | None = None,
    drives: Mapping[str, str] | None = None,
    held: Sequence[str] = (),
    free: Sequence[str] = (),
    warnings: Sequence[str] = (),
) -> Run:
    """The same run of the same machine with more signals; InputError lists everything that does not fit.

    Parameters
    ----------
    run : the run to start from; it stays as it is
    signals : a unit and an array (samples), (samples, 3) or (samples, 3, 3) by full name: 'A.angle.effort', 'B.force'
    analysis : what was asked
    indeterminate : components fx, fy, fz, mx, my, mz of reactions that statics leaves open, by joint; their numbers are
        one solution of many, kept in the dataset and shown nowhere else. They join those that the run has
    drives : laws of driven variables as text, by full name; they join those that the run has
    held : variables and rates that are held, by full name; they join those that the run has
    free : variables that nothing drives and whose efforts were asked for all the same, by full name
    warnings : what the user should know, after the warnings of the run
    """
    data = run.arrays
    shapes = {name: variable.shape[1:] for name, variable in data.data_vars.items()}
    drafts = Drafts(len(run))
    for name, (unit, array) in signals.items():
        if name in shapes:
            drafts.problems.append(Problem("the run has a result of this name", name, "one name, one thing"))
        drafts.add(name, unit, array, None)
    marked = _joined(run.indeterminate, indeterminate or {})
    shapes |= {name: array.shape[1:] for name, (_, array) in drafts.values.items()}
    problems = [*drafts.problems, *mark_problems(marked), *absence_problems(marked, shapes)]
    if problems:
        raise InputError(problems, run.name)
    changed = {
        "analysis": analysis,
        "indeterminate": marked,
        "driven": run.driven | dict(drives or {}),
        "held": list(dict.fromkeys([*run.held, *held])),
        "free": list(dict.fromkeys([*run.free, *free])),
        "warnings": list(dict.fromkeys([*run.warnings, *warnings])),
    }
    more = make_arrays(run.time, drafts.values, copy.deepcopy(data.attrs) | changed)
    whole = data.assign(more.data_vars, {name: c for name, c in more.coords.items() if name not in data.coords})
    whole.attrs = more.attrs
    return Run(whole, run.machine)


def _joined(before: Mapping[str, Sequence[str]], more: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Components by joint, each once."""
    both = {joint: list(dict.fromkeys([*before.get(joint, ()), *more.get(joint, ())])) for joint in {**before, **more}}
    return {joint: components for joint, components in both.items() if components}
