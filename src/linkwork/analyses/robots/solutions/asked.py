"""All solutions for a machine: its chain to the target, the goal, joints that are held or swept, and what is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from linkwork.analyses.kinematics.failures import CannotReach
from linkwork.analyses.kinematics.given_values import place_of
from linkwork.analyses.kinematics.joint_limits import SLACK, JointLimit, joint_limits
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.robots.goals import Attitude, Goal, Place, Pointing
from linkwork.analyses.robots.reach import reach, start_of
from linkwork.analyses.robots.solutions.found import Note, Solutions
from linkwork.analyses.robots.solutions.otherwise import by_legs, by_search, note_of, spare_freedoms
from linkwork.analyses.robots.solutions.problems import FREE_TURNS, Freedom, made
from linkwork.analyses.robots.solutions.serial_chains import Chain, NoChain, depends_on_loops, serial_chain
from linkwork.analyses.robots.solutions.singular import singular_ones
from linkwork.analyses.robots.solutions.solver import Solver
from linkwork.analyses.robots.targets import Target
from linkwork.analyses.robots.task_rows import Wanted, wanted_of
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array, inverse
from linkwork.geometry.rotations import from_axis_angle, to_rotvec
from linkwork.units import ANGLE

DOUBLE = 2e-4
"""Singular solutions nearer to each other than this are one: rounding tears a double root apart by its square root."""
_solvers: WeakKeyDictionary[Loops, dict[Any, Solver]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Whole:
    """What one target is to be.

    place : [m]; rotation : 3x3, or None; axis, along : an axis of the target and its direction in the world, or None
    fixed : values of variables that do not take part, by name; arrays (samples,) sweep
    """

    target: Target
    place: Array
    rotation: Array | None
    axis: Array | None
    along: Array | None
    fixed: Mapping[str, Any]

    @property
    def freedom(self) -> Freedom:
        """What kind of goal it is."""
        if self.rotation is not None:
            return "pose"
        return "place" if self.along is None else "place and direction"


def reach_all(
    loops: Loops,
    home: Posture,
    name: str,
    goals: Sequence[Any],
    rotation: Any = None,
    hold: str | Sequence[str] = (),
    start: Posture | Mapping[str, Any] | None = None,
    limits: bool = True,
    nearest: bool = False,
) -> Solutions:
    """Every posture at which a target of a machine is as it is wanted; see `Machine.reach`."""
    begin = start_of(loops, home, start, {})
    wanted = _whole(loops, wanted_of(loops, name, goals, rotation, hold, many=True), begin)
    swept = {n: np.asarray(v, float) for n, v in wanted.fixed.items() if np.ndim(v)}
    count = max((len(v) for v in swept.values()), default=1)
    parts = []
    for at in range(count):
        y = begin.y.copy()
        for variable, value in wanted.fixed.items():
            y[loops.plan.variables.index(variable)] = value[at] if np.ndim(value) else value
        parts.append(_one(loops, wanted, Posture(loops, y), limits, at))
    found = _together(loops, wanted, parts, swept)
    if not len(found) and not nearest:
        hold = tuple(wanted.fixed)  # given joints stand where the nearest posture has them
        goals = [g for g, _ in wanted_of(loops, name, goals, rotation, (), many=True).tasks]
        where = reach(
            loops, home, name, goals, hold=hold, start=parts[0].nearest, limits=False, nearest=True
        )  # fmt: skip
        if where.converged and not parts[0].complete:  # beside a singular goal, whose branches were missed
            target, R = wanted.target, wanted.rotation
            note = note_of(loops, begin, where.y, target, wanted.place, R, joint_limits(loops) if limits else [], 0)
            part = replace(parts[0], postures=[Posture(loops, where.y)], notes=[note])
            return _together(loops, wanted, [part], swept)
        raise _unreachable(loops, wanted, parts[0], where)
    return found


def _whole(loops: Loops, wanted: Wanted, start: Posture) -> Whole:
    """A question for all solutions: one target, its whole place, an attitude or a direction, joints held."""
    problems = []
    targets = {(t.base, *t.offset.tolist()): t for _, t in wanted.tasks}
    places = [g for g, _ in wanted.tasks if isinstance(g, Place)]
    turns = [g for g, _ in wanted.tasks if not isinstance(g, Place)]
    hint = "leave out `all` for other goals"
    if len(targets) > 1:
        problems.append(Problem("all solutions are looked for of one target", "reach", hint))
    if len(places) != 1 or not places[0].is_whole:
        problems.append(Problem("all solutions are looked for of a whole place x, y, z", "reach", hint))
    if len(turns) > 1:
        problems.append(Problem("all solutions are looked for of one attitude or direction", "reach", hint))
    if any(g.samples is not None for g, _ in wanted.tasks):
        problems.append(Problem("all solutions are looked for of one goal at a time", "reach", "ask for one by one"))
    fixed: dict[str, Any] = {}
    held, unknown = held_values(loops, start, wanted.held)
    fixed |= held
    problems += unknown
    for name, value in wanted.values.items():
        found = place_of(loops, name)
        if found is None:
            problems.append(loops.book.unknown(name, "variable"))
            continue
        fixed[loops.plan.variables[found[0].q.start + found[1]]] = np.asarray(value, float)[()]
    if len({len(v) for v in fixed.values() if np.ndim(v)}) > 1:
        problems.append(Problem("joints that are swept together need as many values", "reach"))
    if problems:
        raise InputError(problems, loops.plan.name)
    turn = turns[0] if turns else None
    R = turn.R if isinstance(turn, Attitude) else None
    axis, along = (turn.axis, turn.along) if isinstance(turn, Pointing) else (None, None)
    return Whole(next(iter(targets.values())), places[0].xyz, R, axis, along, fixed)


def held_values(loops: Loops, start: Posture, names: Sequence[str]) -> tuple[dict[str, Any], list[Problem]]:
    """Variables of held joints with their values, and what is wrong with the names."""
    fixed: dict[str, Any] = {}
    problems = []
    for name in names:
        slot = next((s for s in loops.plan.slots if s.owner == name), None)
        found = place_of(loops, name)
        if slot is not None:
            fixed |= {loops.plan.variables[k]: float(start.y[k]) for k in range(slot.q.start, slot.q.stop)}
        elif found is not None:
            k = found[0].q.start + found[1]
            fixed[loops.plan.variables[k]] = float(start.y[k])
        else:
            problems.append(loops.book.unknown(name, "variable"))
    return fixed, problems


@dataclass(frozen=True, eq=False)
class _Part:
    """What was found for one set of held values."""

    postures: list[Posture]
    notes: list[Note]
    variables: tuple[str, ...]
    method: str
    complete: bool
    reason: str
    nearest: Posture


def solver_of(loops: Loops, chain: Chain, freedom: Freedom, direction: Array | None) -> Solver:
    """The solver of a chain, made once for each posture of what does not move in it."""
    known = _solvers.setdefault(loops, {})
    moving = {j.place for j in chain.joints}
    still = tuple(x for k, x in enumerate(chain.base.tolist()) if k not in moving)
    toward = None if direction is None else tuple(direction.tolist())
    key = (chain.variables, tuple(chain.target.ravel().tolist()), still, freedom, toward)
    if key not in known:
        if len(known) > 64:
            known.clear()
        known[key] = Solver(made(chain, freedom, direction))
    return known[key]


def chain_at_home(loops: Loops, base: Array, target: Target, fixed: frozenset[str]) -> Chain | NoChain:
    """The chain with its axes where they are while its own joints stand at zero: the same for any start."""
    first = serial_chain(loops, base, target, fixed)
    if isinstance(first, NoChain):
        return first
    zero = base.copy()
    for joint in first.joints:
        zero[joint.place] = 0.0
    return serial_chain(loops, zero, target, fixed)


def _one(loops: Loops, wanted: Whole, base: Posture, limits: bool, at: int) -> _Part:
    target = wanted.target
    chain = chain_at_home(loops, base.y, target, frozenset(wanted.fixed))
    if isinstance(chain, NoChain) or depends_on_loops(loops, base.y, chain):
        return _without_chain(loops, wanted, base, limits, at)
    freedom = wanted.freedom
    _assert_few(loops, target.name, chain, freedom)
    direction = None if wanted.axis is None else chain.target[:3, :3] @ wanted.axis
    solver = solver_of(loops, chain, freedom, direction)
    goal = goal_of(chain, wanted)
    found = solver(goal[None])
    x = found.x[0, : found.count[0]]
    singular, free = singular_ones(solver, x, np.repeat(goal[None], len(x), axis=0))
    keep = _apart(solver, x, singular)
    known = joint_limits(loops) if limits else []
    postures, notes = [], []
    for k in keep:
        y, note = _posture(loops, chain, solver, base, x[k], known)
        names = tuple(chain.joints[j].variable for j in free[k])
        branch = _branch(solver, chain, int(found.branch[0, k]))
        postures.append(Posture(loops, y))
        notes.append(Note(float(found.error[0, k]), *note[:2], bool(singular[k]), names, branch, note[2], at))
    y, _ = _posture(loops, chain, solver, base, found.nearest[0], known)
    complete, reason = _proof(solver, chain, bool(found.sure[0]), notes)
    return _Part(postures, notes, chain.variables, solver.method, complete, reason, Posture(loops, y))


def _without_chain(loops: Loops, wanted: Whole, base: Posture, limits: bool, at: int) -> _Part:
    target, place, R = wanted.target, wanted.place, wanted.rotation
    found = None
    if wanted.along is None and not wanted.fixed:
        found = by_legs(loops, base, target, place, R)
    if found is None:
        others: list[Goal] = []
        if wanted.axis is not None and wanted.along is not None:
            others.append(Pointing(target.base, axis=wanted.axis, along=wanted.along))
        held = tuple(wanted.fixed)
        spare = spare_freedoms(loops, base, target, R, wanted.along) - len(held)
        if spare > 0:
            names = ", ".join(n for n in base.independent if n in loops.plan.variables)
            left = "1 freedom is" if spare == 1 else f"{spare} freedoms are"
            text = f"{left} left by a {wanted.freedom} of '{target.name}'"
            hint = f"hold {spare} of {names} by lw.goals.joints(...)"
            raise InputError(Problem(text, "reach", hint), loops.plan.name)
        found = by_search(loops, base, target.base, target, place, R, others, held)
    known = joint_limits(loops) if limits else []
    notes = [note_of(loops, base, y, target, place, R, known, at) for y in found.Y]
    own = [n for n in base.independent if n in loops.plan.variables]
    postures = [Posture(loops, y) for y in found.Y]
    return _Part(postures, notes, tuple(own), found.method, found.complete, found.reason, Posture(loops, found.nearest))


def goal_of(chain: Chain, wanted: Whole) -> Array:
    """The goal as a motion from the base pose, lengths scaled."""
    X = np.eye(4)
    if wanted.rotation is not None:
        X[:3, :3] = wanted.rotation
    elif wanted.along is not None and wanted.axis is not None:
        X[:3, :3] = _turning_to(chain.target[:3, :3] @ wanted.axis, wanted.along) @ chain.target[:3, :3]
    else:
        X[:3, :3] = chain.target[:3, :3]
    X[:3, 3] = wanted.place
    G = X @ inverse(chain.target)
    G[:3, 3] /= chain.size
    return np.asarray(G)


def _turning_to(a: Array, b: Array) -> Array:
    """A rotation that takes one direction to another."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    axis = np.cross(a, b)
    if np.linalg.norm(axis) < 1e-12:
        axis = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
    axis = axis / np.linalg.norm(axis)
    return from_axis_angle(axis, np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))


def _assert_few(loops: Loops, target: str, chain: Chain, freedom: Freedom) -> None:
    spare = len(chain.joints) + FREE_TURNS[freedom] - 6
    if not chain.joints:
        raise InputError(Problem(f"no joint moves '{target}'"), loops.plan.name)
    if spare > 0:
        text = f"{len(chain.joints)} joints for a {freedom} of '{target}': {spare} "
        text += "freedom is left, so solutions form a curve" if spare == 1 else "freedoms are left"
        names = ", ".join(chain.variables)
        hint = f"hold {spare} of {names} by lw.goals.joints(...), or give one of them an array to sweep"
        raise InputError(Problem(text, "reach", hint), loops.plan.name)


def _posture(
    loops: Loops, chain: Chain, solver: Solver, base: Posture, x: Array, known: Sequence[JointLimit]
) -> tuple[Array, tuple[tuple[str, ...], tuple[str, ...], float]]:
    """All variables, each angle with as many turns as limits and nearness to the start say; what is outside."""
    y = base.y.copy()
    limit_of = {limit.place: limit for limit in known}
    outside, beyond, away = [], [], 0.0
    for k, joint in enumerate(chain.joints):
        value = float(chain.base[joint.place] + (x[k] if joint.turns else x[k] * chain.size))
        limit = limit_of.get(joint.place)
        if joint.turns:
            value = _counted(value, float(base.y[joint.place]), limit)
        y[joint.place] = value
        scale = float(loops.variable_scale[joint.place])
        away = max(away, abs(value - float(base.y[joint.place])) * scale)
        if limit is not None and limit.beyond(loops, np.array(value)) > SLACK:
            text = f"{limit.variable} = {loops.shown(limit.variable, value)}, limits {limit.text(loops)}"
            outside.append(text)
            beyond.append(limit.variable)
    return y, (tuple(outside), tuple(beyond), away)


def _counted(value: float, near: float, limit: JointLimit | None) -> float:
    """An angle's count of whole turns: within limits, nearest to a value; in (-π, π] where limits allow none."""
    turn = 2.0 * np.pi
    nearest = value + turn * np.round((near - value) / turn)
    low, high = (limit.low, limit.high) if limit is not None else (-np.inf, np.inf)
    some = [nearest + turn * k for k in (0, -1, 1, -2, 2)]
    inside = [v for v in some if low - SLACK <= v <= high + SLACK]
    if inside:
        return float(min(inside, key=lambda v: abs(v - near)))
    return float(value - turn * np.ceil(value / turn - 0.5))


def _apart(solver: Solver, x: Array, singular: Array) -> list[int]:
    """Solutions, double ones once."""
    keep: list[int] = []
    turning, own = solver.turning, solver.problem.own
    for k in range(len(x)):
        same = False
        for other in keep:
            gap = np.abs(x[k] - x[other])
            gap = np.where(turning, np.minimum(gap, 2.0 * np.pi - gap), gap)[:own].max()
            same |= bool(gap < DOUBLE and singular[k] and singular[other])
        if not same:
            keep.append(k)
    return keep


def _branch(solver: Solver, chain: Chain, branch: int) -> str:
    """Which way each root went, by the joints that it decides."""
    form = solver.problem.closed
    if branch < 0 or form is None or not form.ways[branch]:
        return ""
    owner = [j.variable.rpartition(".")[0] or j.variable for j in chain.joints]
    return " ".join(f"{owner[k]}{'+' if way > 0 else '-'}" for k, way in form.ways[branch] if k < len(owner))


def _proof(solver: Solver, chain: Chain, sure: bool, notes: Sequence[Note]) -> tuple[bool, str]:
    curve = sorted({v for n in notes for v in n.free})
    if solver.method == "search":
        return False, "random starts; no closed form and no elimination serves this chain"
    if curve:
        return (
            False,
            f"the goal is singular: {', '.join(curve)} move along a curve of solutions, of which some are shown",
        )
    if solver.method == "closed form" and not sure:
        return False, "the goal is singular: an angle may be any, of which some were tried"
    if solver.method == "closed form":
        form = solver.problem.closed
        assert form is not None
        text, which = form.reason
        names = [chain.variables[k].rpartition(".")[0] for k in which if k < len(chain.joints)]
        return True, f"closed form, {text}: {', '.join(names)}" if len(names) == 3 else "closed form"
    if not sure:
        return False, "two solutions share an eigenvalue of the elimination, and no other order of it serves"
    return True, f"elimination of {len(chain.variables)} joints, all real eigenvalues"


def _unreachable(loops: Loops, wanted: Whole, part: _Part, nearest: Posture) -> CannotReach:
    layout, target = loops.system.layout, wanted.target
    X = nearest.pose(target.base)
    gaps = [layout.length(float(np.linalg.norm(X[:3, :3] @ target.offset + X[:3, 3] - wanted.place)))]
    if wanted.rotation is not None:
        gaps.append(layout.quantity(float(np.linalg.norm(to_rotvec(wanted.rotation @ X[:3, :3].T))), ANGLE))
    if wanted.axis is not None and wanted.along is not None:
        a, b = X[:3, :3] @ wanted.axis, wanted.along
        gaps.append(layout.quantity(float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)), ANGLE))
    sure = f"there is no solution ({part.reason})" if part.complete else "no solution was found"
    text = f"'{target.name}' cannot get there, {sure}: at the nearest posture found {' and '.join(gaps)} are missing"
    hint = "another goal; `reached` is the nearest posture"
    return CannotReach(Problem(text, hint=hint), loops.plan.name, nearest)


def _together(loops: Loops, wanted: Whole, parts: Sequence[_Part], samples: Mapping[str, Array]) -> Solutions:
    rows = [(p, n) for part in parts for p, n in zip(part.postures, part.notes, strict=True)]
    rows.sort(key=lambda r: (r[1].at, bool(r[1].outside), r[1].away))
    postures = tuple(Posture(loops, p.y, name=str(k + 1)) for k, (p, _) in enumerate(rows))
    some = next((p for p in parts if p.postures), parts[0])
    doubt = next((p for p in parts if not p.complete), None)
    worst = some if doubt is None else doubt
    notes = tuple(n for _, n in rows)
    name = wanted.target.name
    return Solutions(
        name, some.variables, postures, notes, worst.method, doubt is None, worst.reason, samples, parts[0].nearest
    )  # fmt: skip
