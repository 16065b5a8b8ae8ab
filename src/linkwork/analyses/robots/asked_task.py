"""Tasks as they are asked for: paths, attitudes and laws of joints, read, checked and sampled in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.analyses.kinematics.given_values import given_variables, measured_by
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.motion import times_of
from linkwork.analyses.robots.goal_kinds import Attitude, Goal, Hold, Joints, MovingPlace
from linkwork.analyses.robots.goals import attitude, place, pose_goals
from linkwork.analyses.robots.targets import Target, target_of
from linkwork.analyses.robots.task_motion import PathPlace, Sampled, SplineAttitude, sampled
from linkwork.analyses.robots.task_rows import gathered
from linkwork.drives import Drive, as_drive, spline
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.units import TIME


@dataclass(frozen=True, eq=False)
class Task:
    """A task sampled in time.

    tasks : goals by sample with their targets; values : of given joints, (samples,) each with rates and accelerations
    """

    times: Array
    tasks: tuple[tuple[Sampled, Target], ...]
    values: dict[str, Array]
    held: tuple[str, ...]

    @property
    def goals(self) -> list[Goal]:
        """Goals by sample, joints too."""
        own = {name: np.ascontiguousarray(x[0]) for name, x in self.values.items()}
        return [*(s.goal for s, _ in self.tasks), *([Joints(values=own)] if own else [])]

    def until(self, count: int) -> Task:
        """The first samples."""
        own = tuple(
            (Sampled(cut(s.goal, slice(0, count)), s.first[:count], s.second[:count]), x) for s, x in self.tasks
        )
        return Task(self.times[:count], own, {n: x[:, :count] for n, x in self.values.items()}, self.held)


def laws_asked(
    loops: Loops, goals: Sequence[Any], orientation: Any, hold: str | Sequence[str], duration: Any
) -> tuple[list[Goal], list[str]]:
    """Goals, fixed or moving, and joints that are held; InputError with everything that is wrong."""
    from linkwork.model.text_values import in_si

    problems: list[Problem] = []
    found: list[Goal] = []
    seconds = in_si(duration, TIME, "duration")
    for given in goals:
        with gathered(problems):
            found += _path(given, seconds)
    if orientation is not None:
        with gathered(problems):
            found.append(_orientation(orientation, seconds))
    held = [hold] if isinstance(hold, str) else list(hold)
    held += [n for goal in found if isinstance(goal, Hold) for n in goal.names]
    for k, goal in enumerate(found):
        if isinstance(goal, Joints):
            with gathered(problems):
                found[k] = _joint_laws(loops, goal)
    found = [goal for goal in found if not isinstance(goal, Hold)]
    if not any(not isinstance(goal, Joints) for goal in found) and not problems:
        problems.append(
            Problem("no path is given", "follow", "a goal by laws of time, such as goals.place((law, 0, 0.3))")
        )
    if problems:
        raise InputError(problems, loops.plan.name)
    return found, held


def _path(given: Any, duration: Any) -> list[Goal]:
    if isinstance(given, Goal):
        return [given]
    if isinstance(given, tuple | list) and given and all(isinstance(g, Goal) for g in given):
        return list(given)
    if callable(given):
        return [PathPlace(function=given)]
    if isinstance(given, np.ndarray) and given.ndim == 2 and given.shape[1] == 3 and len(given) > 1:
        nodes = np.linspace(0.0, _seconds(duration, "path"), len(given)).tolist()
        return [MovingPlace(laws=tuple(spline(nodes, given[:, k].tolist(), ends="clamped") for k in range(3)))]
    if isinstance(given, np.ndarray) and given.shape == (4, 4):
        return list(pose_goals(np.asarray(given, float)))
    return [place(given)]


def _orientation(given: Any, duration: Any) -> Goal:
    if isinstance(given, Goal):
        return given
    if isinstance(given, np.ndarray) and given.ndim == 3:
        goal = attitude(given)
        assert isinstance(goal, Attitude)
        return SplineAttitude(R=goal.R, duration=_seconds(duration, "orientation"))
    return attitude(given)


def _seconds(duration: Any, where: str) -> float:
    if duration is None:
        raise InputError(Problem("points on the way say nothing about time", where, "say duration="))
    return float(duration)


def _joint_laws(loops: Loops, goal: Joints) -> Joints:
    """Joints by laws of time."""
    given_variables(loops, dict.fromkeys(goal.values, 0.0))
    laws = {}
    for name, law in goal.values.items():
        found = loops.book.find(name, "variable", "rate")
        assert found is not None
        laws[name] = as_drive(law, name, measured_by(loops, found.column))
    return replace(goal, values=laws)


def times_asked(loops: Loops, laws: Sequence[Goal], samples: int | None, duration: Any, times: Any) -> Array:
    drives = [law for goal in laws for law in getattr(goal, "laws", ())]
    drives += [law for goal in laws if isinstance(goal, Joints) for law in goal.values.values()]
    return times_of([d for d in drives if isinstance(d, Drive)], samples, duration, times, loops.plan.name)


def sampled_task(loops: Loops, name: str, laws: Sequence[Goal], held: Sequence[str], t: Array) -> Task:
    problems: list[Problem] = []
    tasks: list[tuple[Sampled, Target]] = []
    values: dict[str, Array] = {}
    for goal in laws:
        with gathered(problems):
            if isinstance(goal, Joints):
                values |= {n: law.sample(t)[:3] for n, law in goal.values.items()}
            else:
                target = target_of(loops, goal.of or name, goal.at)
                tasks.append((sampled(goal, t), target))
    if problems:
        raise InputError(problems, loops.plan.name)
    return Task(t, tuple(tasks), values, tuple(held))


def given_rates(loops: Loops, task: Task, rows: slice) -> tuple[Array, Array]:
    """Rates and accelerations of given joints (samples, nw)."""
    n = len(task.times[rows])
    levels = np.zeros((n, loops.columns)), np.zeros((n, loops.columns))
    for name, numbers in task.values.items():
        found = loops.book.find(name, "variable", "rate")
        assert found is not None
        for level, own in zip(levels, numbers[1:], strict=True):
            level[:, found.column] = own[rows]
    return levels


def cut(goal: Goal, samples: int | slice) -> Goal:
    """Some samples of a goal by sample, or one of them."""
    for name in ("values", "R", "along"):
        array = getattr(goal, name, None)
        if isinstance(array, np.ndarray):
            changed: dict[str, Any] = {name: array[samples]}
            return replace(goal, **changed)
    assert isinstance(goal, Joints)
    return replace(goal, values={n: x[samples] for n, x in goal.values.items()})


def at_sample(goal: Goal, k: int) -> Goal:
    """One sample of a goal by sample."""
    found = cut(goal, k)
    return replace(found, values={n: float(x) for n, x in found.values.items()}) if isinstance(found, Joints) else found
