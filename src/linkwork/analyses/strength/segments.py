"""Stress in a segment of a body over a run: from the reactions of its joints to both end sections."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork import geometry as geo
from linkwork.analyses.strength.acting_forces import Acting, acting_on, joint_frame, own_place, pose_over
from linkwork.analyses.strength.force_runs import check_run
from linkwork.analyses.strength.sections import Section
from linkwork.analyses.strength.stresses import Allowable, Stress, segment_stress
from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.geometry import Array
from linkwork.model.vectors import direction
from linkwork.names import no_such
from linkwork.system import System

if TYPE_CHECKING:
    from linkwork.results import Run

AT_END = 1e-6
"""Part of the segment's length within which a place counts as at an end."""


def stress(
    run: Run,
    body: str,
    ends: tuple[str, str],
    section: Section,
    allowable: Allowable | None = None,
    *,
    up: Any = None,
    assume_zero: bool = False,
    machine: System | None = None,
) -> Stress:
    """Stress in the straight segment of a body between two of its joints, points or frames, over a run of forces.

    Each end section carries what acts at that end or beyond it, measured along the segment: reactions of joints with
    the efforts that pass through them, forces on points, springs. What acts between the ends, torques on the body, its
    weight and its inertia are in neither; `between` is their sum, and where it matters the segment is not `judged`.
    Nor is it with components of reactions that are statically indeterminate, which are taken as zero and named in
    `assumed`: the true stress may then be greater.

    Parameters
    ----------
    run : forces of a motion, from `s.forces`
    body : name of the body
    ends : names of its lower and its upper end
    section : `TubeSection`, `RectangleSection` or `IBeamSection`
    allowable : what the material may bear
    up : direction of the section's height, along the layout's axes in the layout posture; tubes need none
    assume_zero : whether to judge with statically indeterminate components as zero, as in a machine made without error
    machine : the machine that moved, for a run that was loaded from a file
    """
    check_run(run)
    system = _system(run, machine)
    m = system.mechanism
    if body not in m.bodies:
        raise InputError(no_such("body", body, m.bodies, "body"), system.name)
    if not len(run):
        raise InputError(Problem("the run has no samples", hint="its message says why it stopped"), system.name)
    if isinstance(ends, str) or len(ends) != 2:
        raise InputError(Problem("a segment has two ends", "ends", "write ends=('A', 'B')"), system.name)
    X_BS, length = _segment(system, body, ends, section, up)
    acting = acting_on(system, run, body)
    X_WS = pose_over(system, run, body) @ X_BS
    wrenches, inner, attached = _at_ends(X_WS, length, acting, ends)
    found = segment_stress(wrenches[0], wrenches[1], section, length, allowable, time=run.time)
    assumed = tuple(c for a in acting if a.name in attached["lower"] + attached["upper"] for c in a.assumed)
    found = replace(
        found,
        body=body,
        ends=(ends[0], ends[1]),
        attached=attached,
        inner=inner,
        assumed=assumed,
        assume_zero=bool(assume_zero),
        run=run,
    )
    free = {a.name for a in acting if a.place is None}
    return replace(found, warnings=(*found.warnings, *_warnings(free, found._inner_names, assumed)))


def _system(run: Run, machine: System | None) -> System:
    if machine is not None and not isinstance(machine, System):
        text = f"a {type(machine).__name__} is not a machine"
        raise InputError(Problem(text, "machine", "give what `assemble` of its mechanism gave"), run.name)
    system = run.machine if machine is None else machine
    if not isinstance(system, System):
        hint = "say machine=...: files do not keep it"
        raise InputError(Problem("the run does not know its machine", "machine", hint), run.name)
    return system


def _segment(system: System, body: str, ends: tuple[str, str], section: Section, up: Any) -> tuple[Array, float]:
    """Pose of the segment in its body (origin at the lower end, x along, z up), and its length [m]."""
    lower, upper = (_place(system, body, end) for end in ends)
    along = upper - lower
    length = float(np.linalg.norm(along))
    problems = []
    if length <= 1e-9 * system.layout.size:
        problems.append(Problem(f"'{ends[0]}' and '{ends[1]}' are at one place", "ends", "name two places apart"))
    if up is None and not section.round:
        hint = "say up='z', or another direction across the segment"
        problems.append(Problem(f"the height of the {section.kind} has no direction", "up", hint))
    if problems:
        raise InputError(problems, system.name)
    x = along / length
    if up is None:
        z = geo.frame_from_axis([0.0, 0.0, 0.0], x)[:3, 0]
    else:
        own = system.layout.X_WB[body][:3, :3].T @ np.array(direction(up, "up"))
        own /= np.linalg.norm(own)
        if np.linalg.norm(np.cross(own, x)) < 1e-6:
            raise InputError(Problem("the height lies along the segment", "up", "give a direction across it"))
        z = own - (own @ x) * x
        z /= np.linalg.norm(z)
    return geo.pose(np.stack([x, np.cross(z, x), z], axis=-1), lower), length


def _place(system: System, body: str, name: str) -> Array:
    """A joint, point or frame of a body, in the body's frame [m]."""
    m = system.mechanism
    if name in m.joints and body in (m.joints[name].tail, m.joints[name].head):
        return joint_frame(system, name, "tail" if m.joints[name].tail == body else "head")[:3, 3]
    if (name in m.points and m.points[name].body == body) or (name in m.frames and m.frames[name].body == body):
        return own_place(system, name)
    own = [j.name for j in m.joints.values() if body in (j.tail, j.head)]
    own += [part.name for parts in (m.points, m.frames) for part in parts.values() if part.body == body]
    what = f"'{body}' has no joint, point or frame '{name}'"
    raise InputError(Problem(what, "ends", did_you_mean(name, own)), system.name)


def _at_ends(
    X_WS: Array, length: float, acting: list[Acting], ends: tuple[str, str]
) -> tuple[tuple[Array, Array], dict[str, Array], dict[str, tuple[str, ...]]]:
    """Force and moment on both ends along the segment's axes (samples, 6), those between by name, who acts where."""
    X_SW = geo.inverse(X_WS)
    samples = len(X_WS)
    sums = (np.zeros((samples, 6)), np.zeros((samples, 6)))
    inner: dict[str, Array] = {}
    names: dict[str, list[str]] = {"lower": [], "upper": [], "between": []}
    for one in acting:
        force, moment = (geo.transform_vectors(X_SW, v) for v in (one.force, one.moment))
        masks = [np.zeros(samples, bool)] * 2
        at = np.zeros((samples, 3))  # a torque acts anywhere
        if one.place is not None:
            at = geo.transform_points(X_SW, one.place)
            masks = [at[:, 0] <= AT_END * length, at[:, 0] >= (1.0 - AT_END) * length]
            if one.name in ends:  # what an end is named after acts there, wherever a slide carries it
                masks = [np.full(samples, one.name == end) for end in ends]
            for total, mask, where in zip(sums, masks, (0.0, length), strict=True):
                lever = at - np.array([where, 0.0, 0.0])
                total += mask[:, None] * np.concatenate([force, moment + np.cross(lever, force)], axis=1)
        masks.append(~(masks[0] | masks[1]))
        if masks[2].any():
            wrench = masks[2][:, None] * np.concatenate([force, moment + np.cross(at, force)], axis=1)
            inner[one.name] = inner.get(one.name, 0.0) + wrench
        for key, mask in zip(names, masks, strict=True):
            names[key] += [one.name] if mask.any() and one.name not in names[key] else []
    return sums, inner, {key: tuple(found) for key, found in names.items()}


def _warnings(free: set[str], inner: tuple[str, ...], assumed: tuple[str, ...]) -> tuple[str, ...]:
    """What was assumed, and what is not counted: loads between the ends, among them torques, free of any place."""
    texts = []
    if assumed:
        are = "is" if len(assumed) == 1 else "are"
        texts.append(f"{', '.join(assumed)} {are} statically indeterminate, taken as zero: the stress may be greater")
    placed = [n for n in inner if n not in free]
    if placed:
        act = "acts" if len(placed) == 1 else "act"
        texts.append(f"{', '.join(placed)} {act} between the ends, where more may be carried than at both ends")
    texts += [f"the torque {n} has no place on the body and is counted at neither end" for n in inner if n in free]
    return tuple(texts)
