"""A mechanism put together: closed at a posture, ready to be asked.

>>> import linkwork as lw
>>> s = lw.example("slider-crank").assemble()
>>> s.home.mobility, s.home.independent
(1, ('A.angle',))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack, overload

import numpy as np

from linkwork.analyses.kinematics.assembly import closed
from linkwork.analyses.kinematics.given_values import given_variables, merged
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.measured_machine import measuring
from linkwork.analyses.kinematics.posture import Posture
from linkwork.equations.closed_quantities import NAMED
from linkwork.equations.scalars import undisturbed
from linkwork.errors import Gathered, InputError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.layouts import FollowedDerivative
from linkwork.model.mechanism import Mechanism
from linkwork.model.states import START
from linkwork.notebooks import compiling, shown
from linkwork.system import Derivative, EvaluationOptions, System

if TYPE_CHECKING:
    from linkwork.analyses.cases import MachineCase
    from linkwork.analyses.equilibrium.equilibria import Equilibria
    from linkwork.analyses.equilibrium.equilibrium import Equilibrium
    from linkwork.analyses.equilibrium.paths import EquilibriumPath
    from linkwork.analyses.forces.accelerations import Accelerations
    from linkwork.analyses.forces.forward import ForwardDynamics
    from linkwork.analyses.forces.statics import Statics
    from linkwork.analyses.kinematics.closures import Closures
    from linkwork.analyses.kinematics.four_bars import FourBar
    from linkwork.analyses.kinematics.maps import Map
    from linkwork.analyses.kinematics.motion import Sweep
    from linkwork.analyses.kinematics.screw_motion import Centrodes, PoleMotion, ScrewMotion
    from linkwork.analyses.kinematics.transmission import TransmissionAngle
    from linkwork.analyses.kinematics.travel import Travel
    from linkwork.analyses.linear.along import LinearizationAlong
    from linkwork.analyses.linear.linearization import Linearization
    from linkwork.analyses.linear.loci import Locus
    from linkwork.analyses.periodic.branch import Branch
    from linkwork.analyses.periodic.motion import Periodic
    from linkwork.analyses.robots.directions import Directions
    from linkwork.analyses.robots.many import Reaches
    from linkwork.analyses.robots.reached import Reached
    from linkwork.analyses.robots.singularities import Singularities
    from linkwork.analyses.robots.solutions.branches import Branches
    from linkwork.analyses.robots.solutions.found import Solutions
    from linkwork.analyses.robots.workspace import Workspace
    from linkwork.analyses.simulation.question import Controller
    from linkwork.equations.closed_dynamics import Elimination
    from linkwork.kernels import Kernel
    from linkwork.model.cases import Case
    from linkwork.model.events import Event
    from linkwork.results import Run, Simulation, Simulations

Progress = Callable[[int, int], None]


class Machine(System):
    """A system with its loops closed; made by `Mechanism.assemble`.

    Parameters
    ----------
    mechanism : the machine; its layout must be sound
    start : variables by name (`A`, `C.slide`) at the posture to start from, reached from the layout without changing
        the closure; coordinates of points, frames and bodies in the world (`P.x`) too
    guess : values by name, likewise, that are only roughly known; the loops are then closed by least squares from there
    tree, cut : as of `System`
    """

    _more_kernels = ("drive_efforts", "reactions", *NAMED)

    @undisturbed()
    def __init__(
        self,
        mechanism: Mechanism,
        start: Mapping[str, Any] | None = None,
        guess: Mapping[str, Any] | None = None,
        *,
        tree: Literal["shallow", "declared"] = "shallow",
        cut: Sequence[str] = (),
    ) -> None:
        super().__init__(mechanism, tree=tree, cut=cut)
        self._start, self._guess = merged(start, {}, mechanism.name), merged(guess, {}, mechanism.name)
        self._near: Array = self.plan.layout_y
        self._elimination: Elimination | None = None
        self._measuring: dict[tuple[str, ...], Machine] = {}
        """See `measuring`: machines at this home whose measures are variables."""
        _ = self.home

    def __reduce__(self) -> tuple[Any, ...]:
        return remade, (self.mechanism, *self._choice, self._overrides, self.home.y, self.home.name)

    def with_parameters(self, parameters: Mapping[str, float]) -> Self:
        """The same machine with other numbers, closed anew near the posture it had.

        Parameters
        ----------
        parameters : new values by name, SI
        """
        other = super().with_parameters(parameters)
        other._elimination = self._found_elimination
        for name in ("home", "loops", "_forward_dynamics"):
            other.__dict__.pop(name, None)
        other._start, other._guess, other._near, other._measuring = {}, {}, self.home.y, {}
        _ = other.home
        return other

    def starting_from(self, posture: Posture | Mapping[str, Any]) -> Self:
        """The same machine with another home: a closure that was chosen, or a posture reached from here.

        Parameters
        ----------
        posture : one that `at` or `closures` gave, or values of variables by name
        """
        chosen = posture if isinstance(posture, Posture) else self.at(posture)
        if chosen.loops.plan.variables != self.plan.variables:
            raise InputError(Problem("the posture is of another machine"), self.name)
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        y, steps = closed(self.loops, chosen.y, np.zeros(self.loops.columns, bool))  # of other numbers, perhaps
        other._elimination, other._measuring = self._found_elimination, {}
        other.__dict__.pop("_forward_dynamics", None)
        other.__dict__["home"] = Posture(self.loops, y, name=chosen.name, iterations=chosen.iterations + steps)
        return other

    # ---------------------------------------------------------------- what it is

    @cached_property
    def loops(self) -> Loops:
        """The rows of its loops and constraints as numbers, for the rooms that stand on machines."""
        return Loops(self)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables of all joints: coordinates of the tree, then variables of the cut joints."""
        return self.plan.variables

    @property
    def variable_rates(self) -> tuple[str, ...]:
        """Names of the rates of all joints, in the same order."""
        return self.plan.variable_rates

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states beside the joints, in the order in which they were declared."""
        return tuple(plan.name for plan in self.plan.states)

    @cached_property
    def home(self) -> Posture:
        """The posture from which everything starts."""
        from linkwork.analyses.kinematics.first_posture import first_posture

        return first_posture(self, self._near, self._start, self._guess)

    def __str__(self) -> str:
        t, report = self.topology, self.home.report()
        counts = [(len(t.bodies), "bod", "y", "ies"), (len(t.joints), "joint", "", "s"), (t.n_loops, "loop", "", "s")]
        sizes = ", ".join(f"{n} {stem}{one if n == 1 else many}" for n, stem, one, many in counts)
        return "\n".join([f"{self.name}: {sizes}, {report[0]}", *report[1:]])

    # ---------------------------------------------------------------- questions

    def at(self, values: Mapping[str, Any] | None = None, **named: float) -> Posture:
        """The posture with given values of some variables, reached from home without changing the closure.

        Raises LimitOfTravel, DeadCentre, OverSpecified or NoFreedom when it cannot be reached; the error's `reached`
        is the last posture on the way.

        Parameters
        ----------
        values : by variable or joint name, radians and metres; a joint that turns freely takes a unit quaternion;
            coordinates of points, frames and bodies in the world (`P.x`) too
        named : the same as keywords
        """
        from linkwork.analyses.kinematics.motion import reached

        given = merged(values, named, self.name)
        other = measuring(self, given)
        found = reached(other.loops.of_places, other.home, given, measured=True)
        return found if other is self else found.of(self.loops)

    @overload
    def reach(
        self,
        name: str,
        place: Any = None,
        *goals: Any,
        rotation: Any = None,
        hold: str | Sequence[str] = (),
        start: Posture | Mapping[str, Any] | None = None,
        prefer: Any = None,
        limits: bool = True,
        nearest: bool = False,
        all: Literal[False] = False,
    ) -> Reached: ...
    @overload
    def reach(
        self,
        name: str,
        place: Any = None,
        *goals: Any,
        rotation: Any = None,
        hold: str | Sequence[str] = (),
        start: Posture | Mapping[str, Any] | None = None,
        prefer: Any = None,
        limits: bool = True,
        nearest: bool = False,
        all: Literal[True],
    ) -> Solutions: ...
    def reach(
        self,
        name: str,
        place: Any = None,
        *goals: Any,
        rotation: Any = None,
        hold: str | Sequence[str] = (),
        start: Posture | Mapping[str, Any] | None = None,
        prefer: Any = None,
        limits: bool = True,
        nearest: bool = False,
        all: bool = False,
    ) -> Reached | Solutions:
        """Inverse kinematics: the posture at which a target is where and as it is wanted, loops closed, limits kept.

        The way there starts at home and takes the shortest steps that help; where the target leaves freedoms, the
        others move as little as they can. Raises CannotReach, whose `reached` is the nearest posture found.

        Parameters
        ----------
        name : of a point, frame or body; `body.com`, or "centre of mass" of the machine
        place : wanted place [m] of the point, or of the origin of the frame or body, world; a pose (4, 4); a goal of
            `lw.goals`; any without
        goals : more goals, of this target or of others
        rotation : wanted attitude of the frame or body, a 3x3 rotation matrix, world; any without
        hold : joints that stay as they are at the start
        start : posture to start from instead of home, or values by name; without, a search that fails begins again
            elsewhere
        prefer : what surplus freedoms do once the goal is met: a rest posture or values by name to be near to,
            "limits" to keep away from them, "manipulability", or a formula to make small; "least motion" by default
        limits : whether limits of joints are kept
        nearest : give the nearest posture found instead of raising; its `converged` tells
        all : every posture that does it, those beyond limits flagged; whether these are all is told. Of one target, its
            whole place, and an attitude or a direction; `goals.joints` with an array sweeps a joint
        """
        asked = (() if place is None else (place,)) + goals
        if all:
            from linkwork.analyses.robots.solutions.asked import reach_all

            if prefer is not None:
                raise InputError(Problem("`prefer` chooses among postures, `all` gives every one", "reach"), self.name)
            return reach_all(self.loops.of_places, self.home, name, asked, rotation, hold, start, limits, nearest)
        from linkwork.analyses.robots.reach import reach

        return reach(
            self.loops.of_places, self.home, name, asked, rotation, hold, start, prefer, limits, nearest
        )  # fmt: skip

    def branches(self, name: str, *, hold: str | Sequence[str] = ()) -> Branches:
        """All branches of an arm's closed form as one kernel, microseconds a pose; `reach` with `all=True` tells more.

        Parameters
        ----------
        name : of a point, frame or body, whose pose is wanted
        hold : joints that stay as they are at home
        """
        from linkwork.analyses.robots.solutions.branches import branches

        return branches(self.loops.of_places, self.home, name, hold)

    def reach_many(
        self,
        name: str,
        place: Any = None,
        *goals: Any,
        rotation: Any = None,
        hold: str | Sequence[str] = (),
        start: Posture | Mapping[str, Any] | Array | None = None,
        path: bool = False,
        restarts: int | None = None,
        limits: bool = True,
        seed: int = 1,
        threads: int | None = None,
    ) -> Reaches:
        """Inverse kinematics of thousands of goals at once, in compiled loops; nothing is raised for those that fail.

        Parameters
        ----------
        name : of a point, frame or body; `body.com`, or "centre of mass" of the machine
        place : places (samples, 3) [m], poses (samples, 4, 4), or a goal of `lw.goals` with arrays; any without
        goals : more goals, with arrays or one for all samples
        rotation : attitudes (samples, 3, 3), or one
        hold : joints that stay as they are at the start
        start : posture to start from, values by name, or all variables by sample; home by default
        path : the samples lie along a path: each starts where the last ones lead
        restarts : random postures from which a sample that fails begins again, at most; 100 by default, none on a path
        limits : whether limits of joints are kept
        seed : of the random postures
        threads : cores to use at most; all by default
        """
        from linkwork.analyses.robots.many import reach_many

        asked = (() if place is None else (place,)) + goals
        return reach_many(
            self.loops.of_places, self.home, name, asked, rotation, hold, start, path, restarts, limits, seed, threads
        )  # fmt: skip

    def follow(
        self,
        name: str,
        path: Any = None,
        *goals: Any,
        orientation: Any = None,
        hold: str | Sequence[str] = (),
        start: Posture | Mapping[str, Any] | None = None,
        samples: int | None = None,
        duration: Any = None,
        times: Any = None,
        correction: str = "newton",
        limits: bool = True,
        threads: int | None = None,
    ) -> Run:
        """Task motion to joint motion: a target follows a path; joints come out with rates and accelerations.

        A task that cannot be followed to its end keeps what was reached: `run.status` is then "stopped", and
        `run.message` says why.

        Parameters
        ----------
        name : of a point, frame or body; `body.com`, or "centre of mass" of the machine
        path : three laws of x, y, z [m] (drives, pairs, texts, numbers); places (n, 3) to pass at even times; a
            function of times (n,) that gives places (n, 3), or places, velocities and accelerations; a goal of
            `lw.goals` whose numbers may be laws; any without
        goals : more goals, of this target or of others, and laws of joints: `goals.joints(flange=law)`
        orientation : a rotation matrix that is kept, matrices (n, 3, 3) to pass at even times, or a goal
        hold : joints that stay as they are at the start
        start : where to begin the search of the first posture, as of `reach`; home by default
        samples : how many, evenly spaced over the duration; 361 by default
        duration : [s]; by default that of the longest law
        times : [s] instead of samples and duration, ascending
        correction : "newton": each posture is put on the task, so that nothing drifts; "none": accelerations alone are
            integrated, to compare with
        limits : whether limits of joints are kept
        threads : cores to use at most; all by default
        """
        from linkwork.analyses.robots.follow import follow

        asked = (() if path is None else (path,)) + goals
        return follow(
            self.loops.of_places, self.home, name, asked, orientation, hold, start, samples, duration, times,
            correction, limits, threads,
        )  # fmt: skip

    def motion(
        self,
        drives: Mapping[str, Any] | None = None,
        *,
        samples: int | None = None,
        duration: float | None = None,
        times: Any = None,
        jerk: bool = False,
        progress: Progress | None = None,
        threads: int | None = None,
        **named: Any,
    ) -> Run:
        """Drive joint variables through laws of time; all joints, bodies, points and frames come out.

        Variables that are neither driven nor dependent stay as they are at home. A motion that cannot be finished keeps
        what was reached: `run.status` is then "stopped", and `run.message` says why.

        Parameters
        ----------
        drives : laws by variable or joint name, or by coordinate of a point, frame or body (`P.x`): `lw.ramp(...)`, a
            pair (from, to) for a ramp of a second, a number
        samples : how many, evenly spaced over the duration; 361 by default
        duration : [s]; by default that of the longest law
        times : [s] instead of samples and duration, ascending
        jerk : third derivatives of the joints too
        progress : function (samples done, samples) called now and then
        threads : cores to use at most; all by default
        named : drives as keywords
        """
        from linkwork.analyses.kinematics.motion import driven_motion

        given = merged(drives, named, self.name)
        other = measuring(self, given)
        with shown("motion", progress) as told:
            asked = (given, samples, duration, times, jerk, told, threads)
            return driven_motion(other.loops, other.home, self.loops, *asked)

    def solve(
        self,
        values: Mapping[str, Any],
        rates: Mapping[str, Any] | None = None,
        accelerations: Mapping[str, Any] | None = None,
        *,
        path: bool = True,
        threads: int | None = None,
    ) -> Sweep:
        """Postures for arrays of values, and rates and accelerations of all joints; as plain arrays, fast.

        Parameters
        ----------
        values : numbers or arrays (samples,) by variable or joint name, or by coordinate of a place (`P.x`)
        rates, accelerations : of the same variables; zero where they are not given
        path : the samples lie along a path, which is followed from home; else each one is solved by itself from home
        threads : cores to use at most; all by default
        """
        from linkwork.analyses.kinematics.motion import solved

        other = measuring(self, values)
        return solved(other.loops, other.home, self.loops, values, rates, accelerations, path, threads)

    def closures(
        self,
        values: Mapping[str, Any] | None = None,
        *,
        of: str | Sequence[str] = (),
        starts: int | None = None,
        seed: int = 1,
        progress: Progress | None = None,
        **named: float,
    ) -> Closures:
        """All ways to assemble the machine with given values of its independent variables, as far as a search finds.

        Parameters
        ----------
        values : of the independent variables, by variable or joint name
        of : bodies whose poses tell closures apart; by default all bodies do, so that a leg that is turned about itself
            by half a turn counts as another closure
        starts : random starts at most
        seed : of the random starts
        progress : function (starts done, starts at most) called now and then
        named : values as keywords
        """
        from linkwork.analyses.kinematics.closures import all_closures

        given = merged(values, named, self.name)
        with shown("closures", progress) as told:
            return all_closures(self.loops.of_places, self.home, given, of, starts, seed, told)

    def travel(self, variable: str, *, largest: float | None = None) -> Travel:
        """How far a variable can be driven from home in both directions, and what the others do meanwhile.

        Parameters
        ----------
        variable : by variable or joint name
        largest : way in each direction after which the search ends; a full turn for angles, 10 times the machine's
            size for lengths by default
        """
        from linkwork.analyses.kinematics.travel import travel_of

        return travel_of(self.loops.of_places, self.home, variable, largest)

    def map(
        self,
        x: tuple[str, float, float],
        y: tuple[str, float, float],
        *,
        samples: tuple[int, int] = (61, 61),
        threads: int | None = None,
    ) -> Map:
        """Postures over a grid of two variables: where it closes, how far from singular, and where points go.

        The map is that of home's closure; other free variables stay as they are at home.

        Parameters
        ----------
        x, y : variable or joint name, lowest and highest value [rad, m]
        samples : along x and along y
        threads : cores to use at most; all by default
        """
        from linkwork.analyses.kinematics.maps import map_of

        return map_of(self.loops.of_places, self.home, x, y, samples, threads)

    def workspace(
        self,
        target: str,
        plane: str | None = None,
        *,
        at: Any = None,
        step: Any = None,
        limits: bool = True,
        past_singular: bool = False,
        progress: Progress | None = None,
        threads: int | None = None,
    ) -> Workspace:
        """Where a target can be brought: a region of a plane or of space, its size, and a posture for each place.

        A machine with loops keeps to home's closure and to the side that its legs are on.

        Parameters
        ----------
        target : point, frame or body
        plane : 'xy', 'xz', 'yz' for a section along these axes, 'xyz' for all of space; by default all that it moves in
        at : place of the section across its plane [m]; that of home by default
        step : between places that are asked [m]; islands and holes smaller than this may be missed. By default a
            sixtieth (in space a twenty-fourth) of what random postures reach, less for regions smaller than the machine
        limits : whether limits of joints are kept
        past_singular : whether a machine with loops goes on where drives lose their hold, and with legs on other sides
        progress : called with the number of places reached so far, and 0: nobody knows how many there are
        threads : cores to use at most; all by default
        """
        from linkwork.analyses.robots.workspace import workspace_of

        with shown("workspace", progress) as told:
            return workspace_of(
                self.loops.of_places, self.home, target, plane, at, step, limits, past_singular, told, threads
            )

    def directions(
        self,
        target: str,
        place: Any = None,
        *,
        axis: Any = "z",
        count: int = 500,
        restarts: int = 20,
        threads: int | None = None,
    ) -> Directions:
        """Which directions of the world an axis of a target can take at one place.

        Parameters
        ----------
        target : point, frame or body
        place : x, y, z [m]; where it is at home by default
        axis : of the target, in its own frame: x, y, z, -x, ... or three numbers
        count : directions asked, spread evenly
        restarts : random postures from which a direction is sought again that does not come at once
        threads : cores to use at most; all by default
        """
        from linkwork.analyses.robots.directions import directions_of

        return directions_of(self.loops.of_places, self.home, target, place, axis, count, restarts, threads)

    def singularities(
        self,
        target: str,
        over: Sequence[str] | None = None,
        *,
        drives: Sequence[str] | None = None,
        stride: float = 0.15,
        progress: Progress | None = None,
    ) -> Singularities:
        """Curves of singular postures: where a target cannot be moved one way, and where its drives do not hold it.

        Parameters
        ----------
        target : point, frame or body that is to be moved; it moves in as many ways as the machine has freedoms
        over : two of the drives, which move while the others are held as at home; a machine with two needs none
        drives : that hold the machine, one for each freedom; by default those that home names as independent
        stride : between the postures looked through [rad, or parts of the machine's size]; curves that come nearer to
            each other may be missed
        progress : called with postures looked through, and how many at most
        """
        from linkwork.analyses.robots.singularities import singularities_of

        with shown("singular postures", progress) as told:
            return singularities_of(self.loops.of_places, self.home, target, over, drives, stride, told)

    inverse_kinematics, assembly_modes, range_of_motion = reach, closures, travel
    """The same questions by their other names."""

    # ---------------------------------------------------------------- forces

    @property
    def _found_elimination(self) -> Elimination | None:
        """How accelerations are found, if that has been looked for: a start for machines made from this one."""
        known: ForwardDynamics | None = self.__dict__.get("_forward_dynamics")
        return known.__dict__.get("elimination", self._elimination) if known is not None else self._elimination

    @cached_property
    def _forward_dynamics(self) -> ForwardDynamics:
        from linkwork.analyses.forces.forward import ForwardDynamics

        return ForwardDynamics(self.loops, self.home, self._elimination)

    def forces(
        self,
        run: Run,
        drives: Sequence[str] | None = None,
        *,
        efforts: Mapping[str, Any] | None = None,
        preload: Mapping[str, Any] | None = None,
        weights: Mapping[str, float] | None = None,
        external: Mapping[str, Any] | None = None,
        contact: Mapping[str, Any] | None = None,
        states: Mapping[str, Any] | None = None,
        threads: int | None = None,
    ) -> Run:
        """What a motion takes: efforts of the drives, reactions of all joints, loads, power, energy and momentum.

        The result is the run with more signals: `A.angle.effort` and `A.angle.power` of every drive, `B.force` and
        `B.moment` of every joint (of its first body on its second, at the joint's frame on the second, along its axes),
        the tension, force or torque of every load, energies and momentum of the machine, and the balance of power as
        evidence. Components that redundant loops leave open are marked in `run.indeterminate`.

        Parameters
        ----------
        run : a motion of this machine
        drives : variables that drive; by default those of the run. More than there are freedoms share the work with
            the least sum of squares
        efforts : forces and torques [N, N m] that act along other variables, by name; numbers or one for each sample
        preload : of drives that share the work: efforts from which they depart as little as they can
        weights : of drives that share the work: what a departure of each costs; 1 by default
        external : forces on points (3,), forces or forces and moments (6,) on bodies and frames [N, N m], world axes,
            by name; one for all samples or one for each
        contact : of drives that share the work: wanted forces of contacts by joint [N], along the normal of a surface
            or of a cam's curve; two across a curve in space; one for all samples or one for each
        states : named states of the model along a motion, by name [SI]: numbers or one for each sample; the others are
            taken at their start. A simulation has its own
        threads : cores to use at most; all by default
        """
        from linkwork.analyses.forces.of_simulation import simulation_forces
        from linkwork.analyses.forces.over_run import forces_over
        from linkwork.analyses.forces.trajectory import check_run

        check_run(self.loops, run)
        given = (run, drives, efforts, preload, weights, external, contact, states, threads)
        return simulation_forces(self, *given) if run.analysis == "simulation" else forces_over(self.loops, *given)

    def reaction(self, run: Run, joint: str, frame: str = "second") -> Array:
        """Force and moment [N, N m] that the first body of a joint exerts on the second, in any frame, (samples, 6).

        Components that are statically indeterminate along these axes are not numbers.

        Parameters
        ----------
        run : a run that `forces` gave
        joint : its name
        frame : about whose origin and along whose axes: "second" or "first" for the joint's frame on that body, "world"
            for the joint's place along the world's axes, or the name of a body or frame
        """
        from linkwork.analyses.forces.frames import reaction_in

        return reaction_in(self.loops, run, joint, frame)

    def constraint_jacobian(self, y: Any, *, threads: int | None = None) -> Array:
        """Jacobian J of all loops, (..., 6 loops, rates): rates w of all joints keep them closed when J w = 0.

        Its rows are three of position and three of direction for each cut joint.

        Parameters
        ----------
        y : variables of all joints
        threads : cores to use at most; all by default
        """
        J: Array = self.kernel("constraint_jacobian")(y, threads=threads)
        return J

    def statics(
        self,
        values: Mapping[str, Any] | Posture | None = None,
        drives: Sequence[str] | None = None,
        *,
        efforts: Mapping[str, Any] | None = None,
        preload: Mapping[str, Any] | None = None,
        weights: Mapping[str, float] | None = None,
        external: Mapping[str, Any] | None = None,
        contact: Mapping[str, Any] | None = None,
        states: Mapping[str, float] | None = None,
        t: float = 0.0,
        **named: float,
    ) -> Statics:
        """Forces at rest: what holds a posture, and what its joints carry.

        Parameters
        ----------
        values : of variables by name, or a posture; home by default
        drives : variables that hold the machine; by default the independent ones of the posture
        efforts, preload, weights, external, contact : as in `forces`
        states : named states of the model by name [SI]; as at the start where none is given
        t : time [s] at which loads are taken
        named : values as keywords
        """
        from linkwork.analyses.forces.statics import statics_at

        other, posture, wrong = self._asked(states, values, named)
        return statics_at(other.loops, posture, drives, efforts, preload, weights, external, contact, t, wrong)

    def accelerations(
        self,
        values: Mapping[str, Any] | Posture | None = None,
        rates: Mapping[str, Any] | None = None,
        efforts: Mapping[str, Any] | None = None,
        *,
        external: Mapping[str, Any] | None = None,
        states: Mapping[str, float] | None = None,
        t: float = 0.0,
        **named: float,
    ) -> Accelerations:
        """What forces make of the machine: the accelerations of all joints, loops kept closed.

        Parameters
        ----------
        values : of variables by name, or a posture; home by default
        rates : of independent variables by name [rad/s, m/s]; at rest where none is given
        efforts : forces and torques [N, N m] along variables, by name
        external : as in `forces`
        states : named states of the model by name [SI]; as at the start where none is given
        t : time [s] at which loads are taken
        named : values as keywords
        """
        from linkwork.analyses.forces.accelerations import accelerations_at

        other, posture, wrong = self._asked(states, values, named)
        return accelerations_at(other.loops, other._forward_dynamics, posture, rates, efforts, external, t, wrong)

    def mechanical_advantage(
        self, given: str, gained: str, values: Mapping[str, Any] | Posture | None = None, **named: float
    ) -> float:
        """Force along one variable that a unit of force along another holds; infinite at a dead centre.

        Parameters
        ----------
        given : variable or joint along which the force is given
        gained : variable or joint along which it is gained
        values : of variables by name, or a posture; home by default
        named : values as keywords
        """
        from linkwork.analyses.forces.statics import advantage

        return advantage(self.loops, self._posture(values, named), given, gained)

    def _with_states(self, states: Mapping[str, float]) -> Self:
        """The same machine whose named states begin at other values, which is where loads take them."""
        from linkwork.analyses.forces.trajectory import given_states, states_at_start

        given = merged(states, {}, self.name)
        x = given_states(self.loops, given, states_at_start(self.loops, 1))[0]
        names = [plan.name for plan in self.plan.states]
        return self.with_parameters({f"{name}.{START}": float(x[names.index(name)]) for name in given})

    def _asked(
        self, states: Mapping[str, Any] | None, values: Mapping[str, Any] | Posture | None, named: Mapping[str, Any]
    ) -> tuple[Self, Posture, list[Problem]]:
        """The machine with named states, at a posture; at home, with what is wrong about both, where something is."""
        told, other = Gathered(self.name), self
        with told:
            other = self._with_states(states) if states else self
        if not isinstance(values, Posture):
            with told:
                given = merged(values, named, self.name)
                given_variables(measuring(self, given).loops, given, measured=True)
        return other, self.home if told.problems else other._posture(values, named), told.problems

    def _posture(self, values: Mapping[str, Any] | Posture | None, named: Mapping[str, Any]) -> Posture:
        if isinstance(values, Posture):
            if named:
                raise InputError(Problem("a posture and values are both given", hint="give one of them"), self.name)
            if values.loops is self.loops:
                return values
            if values.loops.plan.variables != self.plan.variables:
                raise InputError(Problem("the posture is of another machine"), self.name)
            y, steps = closed(self.loops, values.y, np.zeros(self.loops.columns, bool))  # of other numbers
            return Posture(self.loops, y, name=values.name, iterations=steps)
        given = merged(values, named, self.name)
        return self.at(given) if given else self.home

    def forward_dynamics(
        self,
        q: Any,
        v: Any,
        tau: Any,
        *,
        method: Literal["auto", "composite", "articulated"] = "auto",
        **options: Unpack[EvaluationOptions],
    ) -> Array:
        """Accelerations that joint forces cause; with loops those of all joints, loops kept closed.

        In a machine with loops q, v and tau are the variables, rates and efforts of all joints (`variables`,
        `variable_rates`), as `home.y` and `solve` give them, and so is the result. DeadCentre tells singular postures.

        Parameters
        ----------
        q, v, tau : coordinates, rates, and joint forces and torques
        method : of machines without loops: composite bodies, articulated bodies, or the shorter of the two
        options : see `EvaluationOptions`
        """
        if not self.loops.count:
            return super().forward_dynamics(q, v, tau, method=method, **options)
        if method != "auto":
            raise InputError(Problem(f"method '{method}' is for machines without loops"), self.name)
        if options.get("parameters"):
            hint = "use with_parameters(...), whose loops are closed with them"
            raise InputError(Problem("other parameters of a machine with loops", "parameters", hint), self.name)
        given = options.get("t", 0.0), options.get("out"), options.get("threads")
        return self._forward_dynamics(q, v, tau, *given)

    def kernel(self, quantity: str, of: str = "") -> Kernel:
        """The compiled function behind a quantity, with the parameters of this machine bound to it.

        With loops, "forward_dynamics" is a function of all variables, rates and efforts, and of time (y, w, effort, t);
        efforts act on the joints of the tree, whose accelerations it gives, along with the health of its pivots.
        "drive_efforts" is one of (y, w, dw, effort, t) that gives efforts of all joints, zero where nothing drives.

        Parameters
        ----------
        quantity : name of a function of this class: "inverse_dynamics", "mass_matrix", "pose", "drive_efforts", ...
        of : name of a body, point or frame, where the function wants one; of "drive_efforts" the drives, with commas
        """
        if quantity == "drive_efforts":
            from linkwork.analyses.forces.reactions import effort_kernel

            drives = tuple(name.strip() for name in of.split(",")) if of else None
            return effort_kernel(self.loops, self.home, drives)[0]
        if quantity == "forward_dynamics" and not of and self.loops.count:
            return self._forward_dynamics.kernel(False, False)
        if quantity in NAMED or quantity == "reactions":
            from linkwork.analyses.closed_quantities import closed_quantity, home_order

            asked = closed_quantity(self, quantity, of, None)
            return self.bound_kernel(Question(asked.law(home_order(self, asked))))
        return super().kernel(quantity, of)

    def derivative(
        self,
        quantity: str,
        wrt: str | Sequence[str],
        of: str = "",
        *,
        then: str | Sequence[str] = (),
        through: Literal["", "closure"] = "",
        independent: str | Sequence[str] | None = None,
    ) -> Derivative | FollowedDerivative:
        """A function of the same inputs that gives exact derivatives of a quantity.

        Of machines with loops these are quantities of all joints too: "drive_efforts", "forward_dynamics", "reactions",
        "constraint_jacobian", "closure_errors", "variables", "variable_rates", "variable_accelerations",
        "load_magnitudes" and "load_powers", functions of y, w, dw, effort. Partial derivatives hold everything else.
        Through the closure the dependent joints follow: derivatives by y, w and dw then have one axis of the
        independent rates, and those by parameters count that the loops close anew, rates and accelerations too.

        Parameters
        ----------
        quantity : as in `kernel`
        wrt : one or more inputs (y, w, dw, effort, t; q, v, a, tau of the tree), or one or more parameters
        of : name of a body, point or frame, of drives (with commas), of a joint or a load, where the quantity has one
        then : for second derivatives, what the first are differentiated by: inputs or parameters
        through : "closure" for total derivatives with the loops kept closed
        independent : variables that others follow, and that drive; those of home by default
        """
        from linkwork.analyses.closed_quantities import is_closed_quantity

        if self._layouts.named((wrt, then)):
            return self._layouts.derivative(
                lambda wrt, then: self.derivative(
                    quantity, wrt, of, then=then, through=through, independent=independent
                ),
                wrt,
                then,
            )
        if not through and independent is None and not is_closed_quantity(self, quantity):
            return super().derivative(quantity, wrt, of, then=then)
        from linkwork.analyses.closed_derivatives import closed_derivative

        return closed_derivative(self, quantity, wrt, of, then, through, independent)

    def drive_efforts(
        self,
        y: Any,
        w: Any,
        dw: Any,
        drives: Sequence[str] | None = None,
        *,
        t: Any = 0.0,
        threads: int | None = None,
    ) -> Array:
        """Efforts of the drives for a motion of all joints, as plain arrays, fast; (..., drives).

        The pivots are those of home as long as they serve; `forces` tells what else there is to know.

        Parameters
        ----------
        y, w, dw : variables, rates and their derivatives of all joints, loops closed
        drives : as many variables as there are freedoms; by default the independent ones of home
        t : time [s], where loads depend on it
        threads : cores to use at most; all by default
        """
        from linkwork.analyses.forces.reactions import plain_efforts

        return plain_efforts(self.loops, self.home, y, w, dw, drives, t, threads)

    # ---------------------------------------------------------------- rest and small motions

    def equilibrium(
        self,
        hold: Mapping[str, Any] | str | Sequence[str] | None = None,
        *,
        efforts: Mapping[str, Any] | None = None,
        start: Mapping[str, Any] | Posture | None = None,
        kind: Literal["stable", "nearest", "stay"] = "stable",
        states: Mapping[str, float] | None = None,
        t: float | None = None,
        rates: Mapping[str, Any] | None = None,
    ) -> Equilibrium:
        """Where the machine rests under gravity, loads and given efforts, and whether it stays there.

        Newton's method on the forces along the independent coordinates, loops closed at every step, with steps that
        lead down in energy and away from unstable postures. It rests on a limit of travel where it is pushed against
        one. Named states rest too. Raises NoEquilibrium, whose `reached` is the last posture, where none is found.

        Parameters
        ----------
        hold : variables that are held, by name with their values (coordinates of places too), or names alone, which
            are held where they are; their efforts come out
        efforts : forces and torques [N, N m] that act along variables, by name
        start : variables by name, or a posture, to start from; home by default
        kind : "stable" looks for a posture that lasts, "nearest" takes what lies nearest, unstable ones too; both count
            no friction. "stay" asks whether exact friction holds the machine where it starts
        states : named states to start from, by name [SI]
        t : time [s] at which loads that depend on time are taken; without it such loads are refused
        rates : steady rates [rad/s, m/s] of variables, which are held otherwise: where the others rest beside them
        """
        from linkwork.analyses.equilibrium.equilibrium import equilibrium_of

        return equilibrium_of(self, hold, efforts, start, kind, states, t, rates)

    def equilibria(
        self,
        hold: Mapping[str, Any] | str | Sequence[str] | None = None,
        *,
        efforts: Mapping[str, Any] | None = None,
        states: Mapping[str, float] | None = None,
        t: float | None = None,
        starts: int = 64,
        seed: int = 1,
    ) -> Equilibria:
        """All postures at which the machine rests, stable or not, as far as searches from many starts find.

        The starts are reached from home, so that the closure is home's wherever the loops do not pass to another.

        Parameters
        ----------
        hold, efforts, states, t : as of `equilibrium`
        starts : random postures to start from, twice each: downhill, and to what lies nearest
        seed : of the random postures
        """
        from linkwork.analyses.equilibrium.equilibria import equilibria_of

        return equilibria_of(self, hold, efforts, states, t, starts, seed)

    def equilibrium_path(
        self,
        over: str,
        first: Any,
        last: Any,
        *,
        balanced_by: str | None = None,
        samples: int = 61,
        branches: bool = False,
        hold: Mapping[str, Any] | str | Sequence[str] | None = None,
        efforts: Mapping[str, Any] | None = None,
        start: Mapping[str, Any] | Posture | None = None,
        kind: Literal["stable", "nearest"] = "stable",
        states: Mapping[str, float] | None = None,
        t: float | None = None,
    ) -> EquilibriumPath:
        """Postures of rest over a coordinate that is held at one value after the other, or over a number of the model.

        The curve is followed by its length, past folds, where what it lies over turns back and the machine would snap.
        Folds, branch points, stops and changes of stability are found to rounding and named. Where it ends, what was
        reached is kept: `path.status` is then "stopped", and `path.message` says why.

        Parameters
        ----------
        over : a variable or a coordinate of a place, which is held, so that its effort comes out; a number of the model
            ("coil.stiffness", "W.amount"), an effort ("A.effort"), or "t", the time of the loads
        first, last : its values, numbers in SI or texts with units
        balanced_by : a number of the model or an effort that is found instead, so that the machine rests at the values
            of a variable which nothing holds
        samples : evenly spaced values at which there is a posture, beside those that the curve needs
        branches : whether other curves are followed where they branch off
        hold, efforts, start, kind, states, t : as of `equilibrium`; where the path begins
        """
        from linkwork.analyses.equilibrium.path_making import path_of

        own = over, first, last, balanced_by, samples, branches
        return path_of(self, *own, hold, efforts, start, kind, states, t)

    def linearize(
        self,
        at: Equilibrium | Posture | Mapping[str, Any] | None = None,
        *,
        hold: Mapping[str, Any] | str | Sequence[str] | None = None,
        rates: Mapping[str, Any] | None = None,
        efforts: Mapping[str, Any] | None = None,
        states: Mapping[str, float] | None = None,
        t: float | None = None,
    ) -> Linearization:
        """Small motions about a set point, exact through the constraints: named matrices, modes, responses.

        A posture that is not at rest is held there by constant efforts along its independent coordinates, which
        `efforts` of the result tells.

        Parameters
        ----------
        at : an equilibrium, a posture, or variables by name; home by default
        hold : variables that are held, as of `equilibrium`; their motion may be an input, their efforts outputs
        rates : of independent variables, for a steady motion [rad/s, m/s]; at rest by default
        efforts : forces and torques [N, N m] that act along variables, by name
        states : named states at the set point, by name [SI]
        t : time [s] at which loads that depend on time are taken
        """
        from linkwork.analyses.linear.linearization import linearization_of

        return linearization_of(self, at, hold, rates, efforts, states, t)

    def linearize_along(
        self,
        run: Run,
        *,
        hold: str | Sequence[str] | None = None,
        efforts: Mapping[str, Any] | None = None,
        states: Mapping[str, Any] | None = None,
        threads: int | None = None,
    ) -> LinearizationAlong:
        """Small motions about every sample of a run, in one call: matrices by sample and their eigenvalues.

        Parameters
        ----------
        run : a motion or simulation of this machine
        hold : variables that are held to their motion, by name; all independent ones are free by default
        efforts : that act along variables [N, N m], by name: numbers, or one for each sample. What else is needed acts
            along the independent variables, and comes out
        states : named states by name [SI], where they are not those of the run
        threads : cores to use at most; all by default
        """
        from linkwork.analyses.linear.along import linearized_along

        return linearized_along(self, run, hold, efforts, states, threads)

    def campbell(
        self,
        rate: str,
        low: float,
        high: float,
        *,
        samples: int = 61,
        at: Equilibrium | Posture | Mapping[str, Any] | None = None,
        hold: str | Sequence[str] | None = None,
        orders: Sequence[float] = (1.0,),
        t: float | None = None,
    ) -> Locus:
        """Frequencies over the speed of a steady motion, with critical speeds and limits of stability.

        The other coordinates find their steady place at every speed, all speeds in one batch.

        Parameters
        ----------
        rate : the variable that turns or slides at constant speed, which is held; or the rate of a free turn (`S.wz`)
        low, high : speeds [rad/s, m/s]; samples : how many, with more where branches are not told apart for certain
        at : posture to start from, as of `linearize`
        hold : other variables that are held where they are
        orders : multiples of the speed whose crossings with the frequencies are looked for
        t : time [s] at which loads that depend on time are taken
        """
        from linkwork.analyses.linear.steady_family import campbell_of

        return campbell_of(self, rate, low, high, samples, at, hold, orders, t)

    def root_locus(
        self,
        parameter: str,
        low: float,
        high: float,
        *,
        samples: int = 61,
        at: Equilibrium | Posture | Mapping[str, Any] | None = None,
        hold: str | Sequence[str] | None = None,
        rates: Mapping[str, Any] | None = None,
        efforts: Mapping[str, Any] | None = None,
        t: float | None = None,
        log: bool = False,
    ) -> Locus:
        """Eigenvalues over a number of the model, about the equilibrium that goes with it, with limits of stability.

        Parameters
        ----------
        parameter : its name, `coil.stiffness`
        low, high : values [SI]; samples : how many, with more where branches are not told apart for certain
        at : a posture or values to stay at; by default, or from a given equilibrium on, the machine rests at each value
        hold : variables that are held
        rates : of a steady motion, as of `linearize`
        efforts, t : as of `linearize`
        log : values by equal ratios
        """
        from linkwork.analyses.linear.steady_family import root_locus_of

        return root_locus_of(self, parameter, low, high, samples, at, hold, rates, efforts, t, log)

    def periodic(
        self,
        period: float,
        start: Mapping[str, Any] | None = None,
        rates: Mapping[str, Any] | None = None,
        *,
        drives: Mapping[str, Any] | None = None,
        efforts: Mapping[str, Any] | None = None,
        states: Mapping[str, float] | None = None,
        samples: int = 361,
        rtol: float = 1e-10,
        atol: float = 1e-12,
    ) -> Periodic:
        """Steady vibration of the machine as it is: a motion that repeats itself, with Floquet's multipliers.

        Newton's method on one period of a simulation, whose exact derivatives by the start it takes. Raises NotPeriodic
        where none is found from the start that is given.

        Parameters
        ----------
        period : after which it repeats itself [s]: that of what forces it, or a multiple
        start, rates : variables and rates by name, to search from; home and at rest by default
        drives, efforts : as of `simulate`
        states : named states to search from, by name [SI]; as the model has them by default
        samples : of the motion
        rtol, atol : tolerated errors of the simulation
        """
        from linkwork.analyses.periodic.motion import periodic_motion

        return periodic_motion(self, period, start, rates, states, drives, efforts, samples, rtol, atol)

    def periodic_sweep(
        self,
        frequencies: Any,
        start: Mapping[str, Any] | None = None,
        rates: Mapping[str, Any] | None = None,
        *,
        drives: Mapping[str, Any] | Callable[[float], Mapping[str, Any]] | None = None,
        efforts: Mapping[str, Any] | Callable[[float], Mapping[str, Any]] | None = None,
        parameters: Mapping[str, Any] | Callable[[float], Mapping[str, Any]] | None = None,
        states: Mapping[str, float] | None = None,
        samples: int = 361,
    ) -> Branch:
        """Steady vibration over the frequency of what forces it: a branch of motions, each found from those before.

        Parameters
        ----------
        frequencies : [Hz], growing or falling: the branch that is met depends on it
        start, rates, states : to search the first motion from, as of `periodic`
        drives, efforts : as of `simulate`, or functions of the frequency [Hz] that give them
        parameters : numbers of the model by name, or a function of the frequency that gives them: what a load follows
        samples : of every motion
        """
        from linkwork.analyses.periodic.branch import periodic_sweep

        given = drives, efforts, parameters
        return periodic_sweep(self, frequencies, start, rates, states, *given, samples)

    def periodic_branch(
        self,
        first: float,
        last: float,
        start: Mapping[str, Any] | None = None,
        rates: Mapping[str, Any] | None = None,
        *,
        drives: Mapping[str, Any] | Callable[[float], Mapping[str, Any]] | None = None,
        efforts: Mapping[str, Any] | Callable[[float], Mapping[str, Any]] | None = None,
        parameters: Mapping[str, Any] | Callable[[float], Mapping[str, Any]] | None = None,
        states: Mapping[str, float] | None = None,
        samples: int = 181,
        most: int = 200,
    ) -> Branch:
        """The branch of periodic motions from one frequency to another, round its folds: `folds` tells where they are.

        It is followed by arc length, in steps that suit its curvature, until a frequency leaves the range.

        Parameters
        ----------
        first, last : frequencies [Hz]: where it begins, and whither it sets out
        start, rates, states : to search the first motion from, as of `periodic`
        drives, efforts, parameters : as of `periodic_sweep`
        samples : of every motion
        most : motions at most
        """
        from linkwork.analyses.periodic.branch import periodic_branch

        given = drives, efforts, parameters
        return periodic_branch(self, first, last, start, rates, states, *given, samples, most)

    # ---------------------------------------------------------------- simulation

    def simulate(
        self,
        until: float,
        start: Mapping[str, Any] | Posture | Array | None = None,
        rates: Mapping[str, Any] | Array | None = None,
        *,
        drives: Mapping[str, Any] | None = None,
        efforts: Mapping[str, Any] | None = None,
        events: Event | Sequence[Event] = (),
        controller: Controller | None = None,
        rate: float | None = None,
        samples: int | None = None,
        times: Any = None,
        method: str = "auto",
        step: float | None = None,
        rtol: float = 1e-7,
        atol: float = 1e-9,
        progress: Callable[[float, float], None] | None = None,
        threads: int | None = None,
        sensitive_to: str | Sequence[str] = (),
        states: Mapping[str, float] | Array | None = None,
    ) -> Simulation:
        """Let the machine go, from any state, under gravity, loads, drives and inputs; loops stay closed.

        A simulation that cannot be finished keeps what was reached: `status` is then "stopped", and `message` says why.

        Parameters
        ----------
        until : end [s]; it begins at 0
        start : variables by name, a posture, or all variables as an array; home by default
        rates : of independent variables by name [rad/s, m/s], or all of them as an array; at rest by default
        drives : laws of time by variable, as in `motion`; these variables follow them, and their efforts come out
        efforts : forces and torques along variables [N, N m]: numbers, laws of time, formulas of time, variables and
            rates as text, or `lw.tabulated`
        events : `lw.stop`, `lw.when`, `lw.at`
        controller : function (t, state) that gives efforts by name; they are held until its next call
        rate : how often the controller is called [Hz]
        samples : how many, evenly spaced from 0 to the end; 361 by default
        times : [s] instead of samples, ascending; the samples are exactly there
        method : "auto" (explicit, and implicit once it turns out to be stiff), "explicit" (Runge-Kutta of order 8),
            "radau" (implicit, of order 5), "exponential" (local-linear, of order 2), "exponential-static",
            "variational" and "variational-4" (fixed steps that keep energy and momentum for long), "ida" (by
            scikit-sundae, slow, to compare with)
        step : longest step [s]; of the variational methods every step
        rtol, atol : tolerated error of a step, relative to the numbers and absolute [rad, parts of the machine's size]
        progress : function (time reached, end) called now and then
        threads : cores to use at most for the results; all by default
        sensitive_to : names by which all results are differentiated: parameters (`rod.mass`), variables and rates of
            the start (`start.A`, `rates.A`, `start.i` of a named state); see `Simulation.sensitivity`
        states : named states at the start by name [SI], or all of them as an array, in the order of `Machine.states`;
            as the model has them by default
        """
        from linkwork.analyses.simulation.simulate import simulated

        with shown("simulation", progress, compiling) as told:
            return simulated(
                self, until, start, rates, drives, efforts, events, controller, rate, samples, times, method, step,
                rtol, atol, told, threads, sensitive_to, states,
            )  # fmt: skip

    def simulate_many(
        self,
        until: float,
        start: Mapping[str, Any] | None = None,
        rates: Mapping[str, Any] | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        efforts: Mapping[str, Any] | None = None,
        drives: Mapping[str, Any] | None = None,
        events: Event | Sequence[Event] = (),
        controller: Controller | None = None,
        rate: float | None = None,
        samples: int | None = None,
        times: Any = None,
        method: str = "auto",
        step: float | None = None,
        rtol: float = 1e-7,
        atol: float = 1e-9,
        progress: Callable[[int, int], None] | None = None,
        threads: int | None = None,
        states: Mapping[str, Any] | None = None,
    ) -> Simulations:
        """Let the machine go many times, with other starts, inputs or numbers each time; over all cores.

        Arrays (runs,) stand where runs differ: in `start`, `rates`, `efforts`, `states` and `parameters`. A run that
        cannot be finished says so, and the others go on; Ctrl-C keeps the runs that are done.

        Parameters
        ----------
        until : end of every run [s]
        start, rates : variables and rates by name at the beginning: numbers, or one for each run
        parameters : numbers of the model by name, SI: numbers, or one for each run
        efforts : forces and torques along variables [N, N m]: as of `simulate`, or one number for each run
        drives, events, controller, rate, samples, times, method, step, rtol, atol : as of `simulate`, for all runs.
            With a controller, or events that set numbers, the runs are made one by one; a controller is then called by
            several threads
        progress : function (runs done, runs in all) called now and then
        threads : cores to use at most; all by default
        states : named states at the beginning by name: numbers, or one for each run
        """
        from linkwork.analyses.simulation.many import simulated_many
        from linkwork.analyses.simulation.variants import given

        laid = self._layouts.followed(parameters)
        differing = {"start": start, "rates": rates, "efforts": efforts, "parameters": laid, "states": states}
        shared = {
            "until": until, "drives": drives, "events": events, "controller": controller, "rate": rate,
            "samples": samples, "times": times, "method": method, "step": step, "rtol": rtol, "atol": atol,
        }  # fmt: skip
        sizes = {name: self._layouts.numbers(name, x) for name, x in self._layouts.parted(parameters)[0].items()}
        with shown("simulations", progress, compiling) as told:
            return simulated_many(given(self, differing, shared, sizes), told, threads)

    # ---------------------------------------------------------------- cases

    def case(self, name: str | Case) -> MachineCase:
        """The machine in one of the cases of its model, ready to move, to be simulated, to be held.

        Parameters
        ----------
        name : of a case of the model, or a case
        """
        from linkwork.analyses.cases import in_case

        return in_case(self, name)

    # ---------------------------------------------------------------- four-bars, screws

    def four_bars(self, driver: str | None = None) -> list[FourBar]:
        """Four-bars and slider-cranks among the loops, with Grashof's verdict on each.

        Parameters
        ----------
        driver : body or joint that drives; by default the link that was declared first
        """
        from linkwork.analyses.kinematics.four_bars import four_bars

        if self._overrides:
            hint = "build the mechanism with these numbers, and ask that"
            raise InputError(Problem("four-bars are judged by the numbers of the model, not by others", hint=hint))
        return four_bars(self.mechanism, self.layout, self.topology, driver=driver)

    def transmission(self, run: Run, output: str = "") -> TransmissionAngle:
        """Transmission angle of a planar four-bar over a run: between coupler and output link.

        Parameters
        ----------
        run : a motion of this machine
        output : body of the output link, where there are several four-bars
        """
        from linkwork.analyses.kinematics.relative_motion import transmission_over

        return transmission_over(self, run, output)

    def screw(self, run: Run, body: str, seen_from: str = "ground") -> ScrewMotion:
        """Instantaneous screws of a body over a run: axis, pitch, speeds, and the axodes they sweep in both bodies.

        Parameters
        ----------
        run : a motion of this machine
        body : the moving body or frame
        seen_from : the body or frame against which it moves
        """
        from linkwork.analyses.kinematics.relative_motion import screw_over

        return screw_over(self, run, body, seen_from)

    def centrodes(self, run: Run, body: str, seen_from: str = "ground", normal: Any = None) -> Centrodes:
        """Instant centres of a body that moves in a plane, over a run; fixed and moving centrode.

        Parameters
        ----------
        run : a motion of this machine
        body : the moving body or frame
        seen_from : the body or frame against which it moves
        normal : of the plane, in the axes of `seen_from`; found from the motion if it is not given
        """
        from linkwork.analyses.kinematics.relative_motion import centrodes_over

        return centrodes_over(self, run, body, seen_from, normal)

    def pole(self, run: Run, body: str, seen_from: str = "ground", normal: Any = None) -> PoleMotion:
        """How the instant centre itself moves, over a run: pole velocity, inflection circle, acceleration pole.

        Parameters
        ----------
        run : a motion of this machine
        body : the moving body or frame
        seen_from : the body or frame against which it moves
        normal : of the plane, in the axes of `seen_from`; found from the motion if it is not given
        """
        from linkwork.analyses.kinematics.relative_motion import pole_over

        return pole_over(self, run, body, seen_from, normal)


def remade(
    mechanism: Mechanism,
    tree: Literal["shallow", "declared"],
    cut: Sequence[str],
    overrides: Mapping[str, float],
    y: Array,
    name: str,
) -> Machine:
    """A machine from what it was made of, at a posture that it had."""
    machine = Machine(mechanism, tree=tree, cut=cut)
    machine = machine.with_parameters(overrides) if overrides else machine
    return machine.starting_from(Posture(machine.loops, y, name=name))
