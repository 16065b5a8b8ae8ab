"""A run from plain arrays: what every analysis calls when it is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork._version import __version__
from linkwork.errors import InputError, Problem
from linkwork.results.integration_evidence import IntegrationEvidence, integration_attribute
from linkwork.results.layout import (
    BEYOND,
    COUNTS,
    DERIVATIVES,
    NAME,
    PLACE_UNITS,
    attributes,
    derived_unit,
    make_arrays,
    time_problems,
    unit_problem,
)
from linkwork.results.run import Run
from linkwork.results.simulation_evidence import SimulationEvidence, as_attribute


@dataclass(frozen=True)
class VariableHistory:
    """A joint variable, or a speed of a joint that turns freely, over the samples.

    unit : SI unit of the value: 'rad', 'm' or '1'; of a speed 'rad/s' or 'm/s'
    value : the variable, one number a sample
    rate, acceleration, jerk : its time derivatives; a speed has no rate, and its acceleration is its first derivative
    """

    unit: str
    value: ArrayLike
    rate: ArrayLike | None = None
    acceleration: ArrayLike | None = None
    jerk: ArrayLike | None = None


@dataclass(frozen=True)
class PlaceHistory:
    """A body, frame or point over the samples, in world axes.

    position, velocity, acceleration, jerk : of its origin, (samples, 3) [m, m/s, m/s^2, m/s^3]
    rotation : R_WB, (samples, 3, 3)
    angular_velocity, angular_acceleration, angular_jerk : (samples, 3) [rad/s, rad/s^2, rad/s^3]
    """

    position: ArrayLike | None = None
    velocity: ArrayLike | None = None
    acceleration: ArrayLike | None = None
    jerk: ArrayLike | None = None
    rotation: ArrayLike | None = None
    angular_velocity: ArrayLike | None = None
    angular_acceleration: ArrayLike | None = None
    angular_jerk: ArrayLike | None = None


@dataclass(frozen=True)
class ClosureHistory:
    """How well the loops were closed at every sample.

    residual : what is left of the loop equations, in `unit`
    quality : how far the posture is from a singular one; 0 is singular
    mobility, iterations : whole numbers
    unit : SI unit of the residual
    """

    residual: ArrayLike | None = None
    quality: ArrayLike | None = None
    mobility: ArrayLike | None = None
    iterations: ArrayLike | None = None
    unit: str = "m"


def build_run(
    time: ArrayLike,
    *,
    mechanism: str,
    analysis: str = "motion",
    variables: Mapping[str, VariableHistory] | None = None,
    speeds: Mapping[str, VariableHistory] | None = None,
    bodies: Mapping[str, PlaceHistory] | None = None,
    frames: Mapping[str, PlaceHistory] | None = None,
    points: Mapping[str, PlaceHistory] | None = None,
    signals: Mapping[str, tuple[str, ArrayLike]] | None = None,
    closure: ClosureHistory | None = None,
    driven: Mapping[str, str] | None = None,
    held: Sequence[str] = (),
    state: Mapping[str, Sequence[str]] | None = None,
    status: str = "complete",
    message: str = "",
    asked: int | None = None,
    warnings: Sequence[str] = (),
    simulation: SimulationEvidence | None = None,
    integration: IntegrationEvidence | None = None,
    machine: Any = None,
) -> Run:
    """A run from plain arrays; InputError lists everything that does not fit.

    Parameters
    ----------
    time : time [s] of every sample that was reached, never decreasing
    mechanism, analysis : the name of the machine, and the question: 'motion', 'simulation'
    variables : joint variables by full name, 'A.angle', 'S.qw'
    speeds : speeds that are not rates of variables, by full name: 'S.wx', 'F.vx'
    bodies, frames, points : places by name
    signals : anything else, a unit and an array (samples), (samples, 3) or (samples, 3, 3) by name: 'A.torque'
    closure : evidence of the loops
    driven : laws of the driven variables as text, by full name
    held : variables and rates that nothing drove and that were held, by full name
    state : names of the signals of all joints in the order of the machine: "y" variables, "w" rates, "dw" accelerations
    status, message : 'complete' or 'stopped', and why it stopped
    asked : number of samples that were asked for; without, those that are there
    warnings : what the user should know
    simulation : evidence of a simulation
    integration : evidence of postures that only rates determine
    machine : the machine that moved, so that the run can be seen
    """
    drafts = Drafts(np.size(time))
    clock = drafts.array("time", time, ())
    drafts.problems += [] if clock is None else time_problems(clock)
    for name, history in (variables or {}).items():
        drafts.variable(name, history, speed=False)
    for name, history in (speeds or {}).items():
        drafts.variable(name, history, speed=True)
    for places in (bodies, frames, points):
        for name, place in (places or {}).items():
            drafts.place(name, place)
    if closure is not None:
        for key in ("residual", "quality", "mobility", "iterations"):
            drafts.add(f"closure.{key}", closure.unit if key == "residual" else "1", getattr(closure, key), ())
    for name, (unit, array) in (signals or {}).items():
        drafts.add(name, unit, array, None)
    if drafts.problems or clock is None:
        raise InputError(drafts.problems, mechanism)
    return Run._of(
        make_arrays(
            clock,
            drafts.values,
            attributes(
                mechanism=mechanism,
                analysis=analysis,
                linkwork=__version__,
                driven=dict(driven or {}),
                held=list(held),
                status=status,
                message=message,
                asked=len(clock) if asked is None else int(asked),
                warnings=list(warnings),
                simulation=as_attribute(simulation),
                integration=integration_attribute(integration),
                joints=_grouped(variables or {}),
                speeds=_grouped(speeds or {}),
                bodies=list(bodies or {}),
                frames=list(frames or {}),
                points=list(points or {}),
                state={key: list(names) for key, names in (state or {}).items()},
            ),
        ),
        machine,
    )


def _grouped(names: Mapping[str, Any]) -> dict[str, list[str]]:
    """Variables by joint: {'A': ['angle'], 'S': ['qw', 'qx', 'qy', 'qz']}."""
    groups: dict[str, list[str]] = {}
    for name in names:
        joint, _, variable = name.partition(".")
        groups.setdefault(joint, []).append(variable)
    return groups


class Drafts:
    """Arrays on their way into a dataset, and everything that is wrong with them."""

    def __init__(self, samples: int) -> None:
        self.samples = samples
        self.values: dict[str, tuple[str, Any]] = {}
        self.problems: list[Problem] = []

    def variable(self, name: str, history: VariableHistory, speed: bool) -> None:
        if name.count(".") != 1:
            self.problems.append(Problem("a joint variable is joint.variable", str(name), "write it as in 'A.angle'"))
            return
        self.add(name, history.unit, history.value, ())
        if speed and history.rate is not None:
            self.problems.append(Problem("a speed has no rate", name, "its first derivative is its acceleration"))
        if unit_problem(history.unit, name) is None:
            for key, order in DERIVATIVES.items():
                if (array := getattr(history, key)) is not None:
                    self.add(f"{name}.{key}", derived_unit(history.unit, order - speed), array, ())

    def place(self, name: str, place: PlaceHistory) -> None:
        if "." in name:
            self.problems.append(Problem("the name of a place has no dot", name))
        for quantity, unit in PLACE_UNITS.items():
            if (array := getattr(place, quantity)) is not None:
                self.add(f"{name}.{quantity}", unit, array, (3, 3) if quantity == "rotation" else (3,))

    def add(self, name: str, unit: str, array: Any, shape: tuple[int, ...] | None) -> None:
        if array is None:
            return
        if not NAME.fullmatch(name):
            self.problems.append(Problem("this is not the name of a result", str(name), "write it as in 'A.torque'"))
        if name in self.values:
            self.problems.append(Problem("there are two results of this name", name, "one name, one thing"))
        if problem := unit_problem(unit, name):
            self.problems.append(problem)
        if (kept := self.array(name, array, shape)) is not None:
            self.values[name] = (unit, kept)

    def array(self, name: str, array: Any, shape: tuple[int, ...] | None) -> Any:
        """The array when it fits, None and a problem when it does not; without a shape any of the layout fits."""
        try:
            given = np.asarray(array)
        except ValueError:  # rows of different lengths
            given = np.asarray(None)
        if shape is None:
            shape = given.shape[1:] if given.shape[1:] in BEYOND else ()
        if given.dtype.kind not in "fiu":
            self.problems.append(Problem("these are not real numbers", name))
        elif given.shape != (self.samples, *shape):
            text = f"an array of shape {given.shape} is given, {(self.samples, *shape)} is wanted"
            self.problems.append(Problem(text, name, "the first axis counts the samples"))
        elif name in COUNTS and given.dtype.kind == "f" and not np.array_equal(given, np.rint(given)):
            self.problems.append(Problem("these are not whole numbers", name))
        else:
            return given
        return None
