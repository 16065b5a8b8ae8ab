"""Components of reactions that statics leaves open: kept as one solution of many, shown to nobody as a number.

A loop with more constraints than its motion needs can be stressed in itself: the components of reactions that change
with such a stress cannot be found from rigid bodies. The dataset keeps the numbers of one solution, which satisfies the
equations as well as any other, for analyses that add them up; everything that is read by people has NaN in their place.

A component may be open at some postures and determinate at others. The mark then stands for the whole run, and a vector
beside the reaction, `B.force_open` of `B.force`, tells where: 1 at samples where it is open, 0 where it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import Problem
from linkwork.geometry import Array
from linkwork.results.arrays import Arrays, Variable

REACTIONS = {"fx": ("force", 0), "fy": ("force", 1), "fz": ("force", 2)}
REACTIONS |= {"mx": ("moment", 0), "my": ("moment", 1), "mz": ("moment", 2)}
"""Components of the reaction of a joint: the vector that holds each, and its place in it."""

Marks = Mapping[str, Sequence[str]]
"""Components among fx .. mz by joint."""
SOMETIMES = "_open"
"""What follows the name of a reaction's vector in the name of the one that tells at which samples it is open."""


def carriers(shapes: Mapping[str, tuple[int, ...]], joints: Iterable[str] = ()) -> list[str]:
    """Joints with a reaction: joints that are known to be some, and whatever has both a force and a moment in space.

    A joint that nothing moves, a weld, has no variables: only its reaction tells of it.
    """
    vectors = [v for v, shape in shapes.items() if shape == (3,) and v.partition(".")[2] in ("force", "moment")]
    owners = [v.partition(".")[0] for v in vectors]
    return [o for o in dict.fromkeys(owners) if o in joints or owners.count(o) == 2]


def open_elements(marks: Marks, variable: str) -> dict[int, str]:
    """Marked components of one variable, by their place in it: {2: 'fz'} of 'B.force'."""
    joint, _, quantity = variable.partition(".")
    parts = {c: REACTIONS[c] for c in marks.get(joint, ())}
    return {place: c for c, (vector, place) in parts.items() if vector == quantity}


def lasting(data: Arrays) -> dict[str, tuple[str, ...]]:
    """Marked components by joint without those that are determinate at some samples."""
    marks: Marks = data.attrs["indeterminate"]
    found = {}
    for joint, components in marks.items():
        told = [
            c for c in components if not open_samples(data, f"{joint}.{REACTIONS[c][0]}")[..., REACTIONS[c][1]].all()
        ]
        if left := tuple(c for c in components if c not in told):
            found[joint] = left
    return found


def open_samples(data: Arrays, name: str) -> NDArray[np.bool_]:
    """Where the elements of a reaction's vector are marked, (samples, 3)."""
    places = list(open_elements(data.attrs.get("indeterminate", {}), name))
    found: NDArray[np.bool_] = np.zeros(data.variables[name].shape, bool)
    found[..., places] = True
    when = data.variables.get(f"{name}{SOMETIMES}")
    if when is not None and when.shape == found.shape:
        found &= ~(np.asarray(when.values) == 0.0)
    return found


def sometimes(joints: Sequence[str], open_: NDArray[np.bool_]) -> dict[str, tuple[str, Array]]:
    """Vectors that tell where components are open, (samples, joints, 6), for those that are so at some samples only."""
    varies: NDArray[np.bool_] = np.asarray(open_.any(axis=0) & ~open_.all(axis=0))
    found: dict[str, tuple[str, Array]] = {}
    for j, joint in enumerate(joints):
        for vector, own in (("force", slice(0, 3)), ("moment", slice(3, 6))):
            if varies[j, own].any():
                found[f"{joint}.{vector}{SOMETIMES}"] = ("1", open_[:, j, own].astype(float))
    return found


def open_at(joints: Sequence[str], marks: Marks, signals: Mapping[str, tuple[str, Array]]) -> NDArray[np.bool_]:
    """Where components are open, (samples, joints, 6), by marks and what `sometimes` gave among signals."""
    masks = []
    for joint in joints:
        for vector in ("force", "moment"):
            values = signals[f"{joint}.{vector}"][1]
            mask = np.zeros(values.shape, bool)
            mask[:, list(open_elements(marks, f"{joint}.{vector}"))] = True
            when = signals.get(f"{joint}.{vector}{SOMETIMES}")
            masks.append(mask if when is None else mask & (when[1] != 0.0))
    return np.concatenate(masks, axis=1).reshape(len(masks[0]), len(joints), 6)


def is_open(marks: Marks, variable: str, element: tuple[int, ...], magnitude: bool) -> bool:
    """Whether an element of a variable, or its length, is marked; a whole vector is not.

    Of a planar machine a length is that in the plane.
    """
    found = open_elements(marks, variable)
    if magnitude:
        return bool(found) and not is_planar(marks.get(variable.partition(".")[0], ()))
    return element[:1] != () and element[0] in found


def is_planar(marked: Sequence[str]) -> bool:
    """Whether all that is open of a joint is across one plane: a force along its normal, moments in the plane."""
    return any({*marked} <= {f"f{n}", *(f"m{axis}" for axis in "xyz" if axis != n)} for n in "xyz")


def open_problem(marks: Marks, name: str, variable: str, element: tuple[int, ...]) -> Problem:
    """What to say to someone who asks for the number."""
    found = open_elements(marks, variable)
    joint = variable.partition(".")[0]
    which = [found[element[0]]] if element else list(found.values())
    verb, those = ("is", "it") if len(which) == 1 else ("are", "them")
    what = f"{', '.join(which)} of {joint} {verb} statically indeterminate: the loops leave {those} open"
    return Problem(what, name, "a joint with more freedom makes a loop determinate")


def mark_problems(marks: Marks) -> list[Problem]:
    """Components that are none."""
    wrong = [f"{joint}.{c}" for joint, components in marks.items() for c in components if c not in REACTIONS]
    hint = f"components are {', '.join(REACTIONS)}"
    return [Problem("this is no component of a reaction", where, hint) for where in wrong]


def absence_problems(marks: Marks, shapes: Mapping[str, tuple[int, ...]]) -> list[Problem]:
    """Marked components of vectors that are not there."""
    marked = [(joint, c) for joint, components in marks.items() for c in components if c in REACTIONS]
    vectors = {f"{joint}.{c}": f"{joint}.{REACTIONS[c][0]}" for joint, c in marked}
    return [
        Problem(f"it is marked as indeterminate, but there is no vector '{vector}'", where)
        for where, vector in vectors.items()
        if shapes.get(vector) != (3,)
    ]


def shown(data: Arrays) -> Arrays:
    """The arrays as people read them: NaN for marked components, which an attribute of the variable names."""
    hidden = {}
    for name, places in _marked(data):
        variable = data.variables[name]
        values: Array = np.array(variable.values)
        values[open_samples(data, name)] = np.nan
        values.setflags(write=False)
        attrs = {**variable.attrs, "indeterminate": tuple(places.values())}
        hidden[name] = Variable(variable.dims, values, attrs)
    return data.assign(hidden) if hidden else data


def known(data: Arrays, name: str) -> Array:
    """The numbers of a variable without its marked components, open all along or not: samples compare alike."""
    values: Array = data.variables[name].values
    places = open_elements(data.attrs.get("indeterminate", {}), name)
    return np.delete(values, list(places), axis=1) if places and values.ndim == 2 else values


def _marked(data: Arrays) -> Iterator[tuple[str, dict[int, str]]]:
    marks: Marks = data.attrs.get("indeterminate", {})
    for joint in marks:
        for name in (f"{joint}.force", f"{joint}.moment"):
            if places := open_elements(marks, name):
                yield name, places
