"""A mechanism ready to be asked: its coordinates by name, its equations as kernels, its numbers as parameters.

>>> import linkwork as lw
>>> s = lw.System(lw.example("double-pendulum"))
>>> s.coordinates
('A.angle', 'B.angle')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self, TypedDict, Unpack

import numpy as np

from linkwork.equations.closed_forces import load_state
from linkwork.equations.joint_motion import law_parameters
from linkwork.equations.load_plans import unfit_numbers, with_formulas
from linkwork.equations.plan import Plan, make_plan
from linkwork.equations.quantities import OF_MACHINE, OF_TARGET, QUANTITIES, of_target, with_loads
from linkwork.equations.quantity import Quantity
from linkwork.errors import InputError, ModelError, Problem
from linkwork.formulas import Formula, Formulas, Question
from linkwork.geometry import Array
from linkwork.kernels import Kernel
from linkwork.layouts import FollowedDerivative, Layouts
from linkwork.model.constraint_checks import torn_by
from linkwork.model.joints.lower_pairs import QUATERNION
from linkwork.model.layout import Layout, lay_out
from linkwork.model.measures import parameter_measures
from linkwork.model.mechanism import Mechanism
from linkwork.model.text_values import in_si
from linkwork.names import no_such
from linkwork.results.view_options import Viewer, ViewOptions
from linkwork.topology import Topology, graph_of, ground_problems
from linkwork.units import LENGTH, Dimension

SHORT_CHAIN = 14
"""Freedoms in a row up to which both forms of forward dynamics are traced and the shorter one is taken."""

_FORWARD = {m: f"forward_dynamics by {m} bodies" for m in ("composite", "articulated")}
_NEEDS_OPEN_TREE = frozenset(("inverse_dynamics", "joint_wrenches", *_FORWARD.values()))
_FEELS_LOADS = _NEEDS_OPEN_TREE | {"bias"}


class EvaluationOptions(TypedDict, total=False):
    """Options of every function of a system.

    out : array for the result, float64 of the right shape; a tuple where there are several results
    parameters : numbers of the model that differ in this call, by name; arrays differ from sample to sample
    threads : cores to use at most; all by default
    t : time [s], a number or one for each sample, where loads depend on it; 0 by default
    """

    out: Any
    parameters: Mapping[str, Any] | None
    threads: int | None
    t: Any


class System:
    """The spanning tree of a mechanism: coordinates, equations of motion and parameters.

    Parameters
    ----------
    mechanism : the machine; its layout must be sound
    tree : "shallow" or "declared": how the spanning tree is chosen
    cut : joints that should not be in the tree, where there are loops

    Arrays of q, v, a, tau have the coordinates or rates last and any shape before; all functions take batches, follow
    numpy's broadcasting, and know the options `out`, `parameters` and `threads` (`EvaluationOptions`).
    """

    _more_kernels: tuple[str, ...] = ()

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        tree: Literal["shallow", "declared"] = "shallow",
        cut: Sequence[str] = (),
    ) -> None:
        if not isinstance(mechanism, Mechanism):
            hint = "load it with linkwork.load(file), or take linkwork.example(name)"
            raise InputError(Problem(f"a System is made of a Mechanism, not of {type(mechanism).__name__}", hint=hint))
        cut = (cut,) if isinstance(cut, str) else tuple(cut)
        layout, graph = lay_out(mechanism), graph_of(mechanism, tree, cut)
        errors = [p for p in (*layout.problems, *ground_problems(mechanism, graph)) if p.severity == "error"]
        if errors:
            raise ModelError(errors, mechanism.name)
        self.mechanism = mechanism
        self.layout: Layout = layout
        self.topology: Topology = graph
        self.plan: Plan = make_plan(mechanism, layout, graph)
        self._formulas = Formulas(self.plan)
        self._may_lack_values = bool(with_formulas(self.plan.loads))
        self._choice = (tree, cut)
        self._overrides: dict[str, float] = {}
        self._ready: dict[str, Kernel] = {}
        self._questions: dict[tuple[str, str], Question] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Kernels stay behind when a system is copied or sent to another process; they are there again at first use."""
        return _remade, (self.mechanism, *self._choice, self._overrides)

    # ---------------------------------------------------------------- what it is

    def __repr__(self) -> str:
        p = self.plan
        counts = [(len(p.links), "moving bod", "y", "ies"), (p.nq, "coordinate", "", "s"), (p.nv, "rate", "", "s")]
        sizes = ", ".join(f"{n} {stem}{one if n == 1 else many}" for n, stem, one, many in counts)
        return f"System '{p.name}': {sizes}" + (f"; cut joints: {', '.join(p.chords)}" if p.chords else "")

    @property
    def name(self) -> str:
        """Name of the mechanism."""
        return self.plan.name

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return self.plan.nq

    @property
    def nv(self) -> int:
        """Number of rates."""
        return self.plan.nv

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the entries of q: `joint.variable`, joints in declared order."""
        return self.plan.coordinates

    @property
    def rates(self) -> tuple[str, ...]:
        """Names of the entries of v, a and tau."""
        return self.plan.rates

    @property
    def bodies(self) -> tuple[str, ...]:
        """Moving bodies, from the root of the tree outward."""
        return tuple(link.body for link in self.plan.links)

    @property
    def tree_joints(self) -> tuple[str, ...]:
        """The joint by which each of `bodies` hangs in the tree; a floating body's six freedoms carry its own name."""
        return tuple(link.joint for link in self.plan.links)

    @property
    def cut_joints(self) -> tuple[str, ...]:
        """Joints outside the spanning tree; each closes a loop."""
        return self.plan.chords

    @property
    def parameters(self) -> dict[str, float]:
        """Every number of the model by name, in SI units: `crank.mass`, `A.tail.at.x`, `gravity.z`, ...

        Named dimensions (`dimensions`) are parameters by their names, too, from which some of these follow.
        """
        return {**self.plan.parameters, **self._overrides}

    @property
    def dimensions(self) -> dict[str, float]:
        """Named dimensions of the model (`let`) and their values, SI; those that follow from others are not given."""
        return {let.name: float(let.value) for let in self.mechanism.lets.values() if not let.formula}

    @cached_property
    def _layouts(self) -> Layouts:
        """How parameters follow from dimensions."""
        return Layouts(self)

    def with_parameters(self, parameters: Mapping[str, float]) -> Self:
        """The same system with other numbers. Nothing is compiled again unless a structural zero changes.

        Parameters
        ----------
        parameters : new values by name, SI
        """
        sizes, others = self._layouts.parted(parameters)
        other = self._resized(sizes) if sizes else self
        return other if sizes and not others else other._overridden(others)

    def _overridden(self, parameters: Mapping[str, float]) -> Self:
        """The same system with other numbers, its layout as it is."""
        values = self._checked_parameters(parameters)
        arrays = [n for n, x in values.items() if x.ndim]
        if arrays:
            hint = "give one number each here, or arrays as parameters= of a call"
            raise InputError([Problem(f"{n} is an array", f"parameters.{n}", hint) for n in arrays], self.name)
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.__dict__.pop("_layouts", None)
        other._ready = {}
        other._overrides = {**self._overrides, **{n: float(x) for n, x in values.items()}}
        return other

    def _resized(self, sizes: Mapping[str, Any]) -> Self:
        """The same system with other dimensions; numbers that were set by themselves stay so."""
        mechanism = self.mechanism.resized({name: self._layouts.single(name, x) for name, x in sizes.items()})
        layout, graph, plan = self._layouts.planned(mechanism)
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.__dict__.pop("_layouts", None)
        other.mechanism, other.layout, other.topology, other.plan = mechanism, layout, graph, plan
        other._formulas, other._ready, other._questions = Formulas(plan), {}, {}
        return other

    def view(self, **options: Unpack[ViewOptions]) -> Viewer:
        """Open the workbench in the browser: the machine in three dimensions, its joints to drag, its analyses to run.

        In a script it stays open until Ctrl-C; in a notebook it stands below the cell.

        Parameters
        ----------
        options : port, host, browser, wait, dark, as `lw.ViewOptions` tells
        """
        from linkwork.views.show import view_system

        return view_system(self, **options)

    # ---------------------------------------------------------------- coordinates and rates by name

    def posture(self, values: Mapping[str, Any] | None = None) -> Array:
        """Coordinates q of the layout posture, with some changed by name; arrays give a batch.

        Parameters
        ----------
        values : by coordinate (`A.angle`) or by joint (`A`: a number, or all its variables along the last axis)
        """
        places = {slot.owner: slot.q for slot in self.plan.tree_slots}
        q = self._by_name("coordinate", values, self.coordinates, places, self.plan.layout_q)
        problems = []
        for link in self.plan.links:
            if any(v in QUATERNION for v in link.law.variables):
                length = np.linalg.norm(q[..., link.q.stop - 4 : link.q.stop], axis=-1)
                if np.any(np.abs(length - 1.0) > 1e-6):
                    text = f"the quaternion (qw, qx, qy, qz) has length {float(length.flat[0]):.6g}, not 1"
                    problems.append(Problem(text, link.joint, "give all four of a unit quaternion"))
        if problems:
            raise InputError(problems, self.name)
        return q

    def rates_of(self, values: Mapping[str, Any]) -> Array:
        """Rates v (or accelerations, or joint forces) given by name, the others zero; arrays give a batch.

        Parameters
        ----------
        values : by rate (`A.angle`, `S.wx`) or by joint (`A`: a number, or all its rates along the last axis)
        """
        places = {slot.owner: slot.v for slot in self.plan.tree_slots}
        return self._by_name("rate", values, self.rates, places, np.zeros(self.nv))

    def _by_name(
        self,
        what: str,
        values: Mapping[str, Any] | None,
        names: Sequence[str],
        joints: Mapping[str, slice],
        start: Array,
    ) -> Array:
        places = {name: slice(i, i + 1) for i, name in enumerate(names)} | dict(joints)
        if values is not None and not isinstance(values, Mapping):
            example = "{'" + names[0] + "': 0.1}" if names else "{}"
            raise InputError(Problem(f"{what}s are given by name", hint=f"for example {example}"), self.name)
        problems: list[Problem] = []
        columns: dict[str, Array] = {}
        taken: dict[int, str] = {}
        for name, given in (values or {}).items():
            if name not in places or places[name].start == places[name].stop:
                problems.append(self._unknown(what, name, places))
                continue
            place = places[name]
            size = place.stop - place.start
            column = _numbers(given, name, problems)
            column = column[..., np.newaxis] if size == 1 else column
            if column.ndim == 0 or column.shape[-1] != size:
                text = f"'{name}' has {size} {what}s, the shape given is {column.shape}"
                problems.append(Problem(text, hint=f"they are: {', '.join(names[place])}"))
                continue
            problems += [
                Problem(f"'{name}' and '{taken[i]}' both give '{names[i]}'")
                for i in range(place.start, place.stop)
                if i in taken
            ]
            taken |= dict.fromkeys(range(place.start, place.stop), name)
            columns[name] = column
        if problems:
            raise InputError(problems, self.name)
        shape = broadcast_shape({n: x.shape[:-1] for n, x in columns.items()}, self.name)
        q = np.empty((*shape, len(names)))
        q[...] = start
        for name, column in columns.items():
            q[..., places[name]] = column
        return q

    def _unknown(self, what: str, name: str, places: Mapping[str, Any]) -> Problem:
        if name in self.plan.chords or str(name).partition(".")[0] in self.plan.chords:
            hint = f"the {what}s are: {', '.join(self.coordinates if what == 'coordinate' else self.rates)}"
            return Problem(f"'{name}' belongs to a cut joint, which the tree does not have", hint=hint)
        return no_such(what, name, places)

    @property
    def neutral(self) -> Array:
        """Coordinates at which the two frames of every joint coincide, where that is possible."""
        return self.plan.neutral.copy()

    def flow(self, q: Any, v: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Time derivatives of q at rates v: q' = N(q) v.

        Parameters
        ----------
        q, v : coordinates and rates
        options : see `EvaluationOptions`
        """
        return self._array("flow", (q, v), **options)

    def integrate(self, q: Any, step: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Coordinates after the rates `step` have acted for a unit of time; quaternions stay of length 1.

        Parameters
        ----------
        q, step : coordinates, and rates times time
        options : see `EvaluationOptions`
        """
        return self._array("integrate", (q, step), **options)

    def difference(self, q0: Any, q1: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """The shortest step from q0 to q1: integrate(q0, difference(q0, q1)) is q1.

        Parameters
        ----------
        q0, q1 : coordinates of two postures
        options : see `EvaluationOptions`
        """
        return self._array("difference", (q0, q1), **options)

    # ---------------------------------------------------------------- kinematics

    def poses(self, q: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Poses of all moving bodies in the world, (..., bodies, 4, 4), in the order of `bodies`.

        Parameters
        ----------
        q : coordinates
        options : see `EvaluationOptions`
        """
        return self._array("poses", (q,), **options)

    def pose(self, name: str, q: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Pose of a body or frame in the world, (..., 4, 4); a point has the axes of its body.

        Parameters
        ----------
        name : of a body, point or frame
        q : coordinates
        options : see `EvaluationOptions`
        """
        return self._array("pose", (q,), name, **options)

    def position(self, name: str, q: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Position of a point, or of the origin of a body or frame, in the world [m], (..., 3).

        Parameters
        ----------
        name : of a body, point or frame
        q : coordinates
        options : see `EvaluationOptions`
        """
        return self._array("position", (q,), name, **options)

    def velocity(self, name: str, q: Any, v: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Twist [v; w] of a point, body or frame: velocity of its origin and angular velocity, world axes, (..., 6).

        Parameters
        ----------
        name : of a body, point or frame
        q, v : coordinates and rates
        options : see `EvaluationOptions`
        """
        return self._array("velocity", (q, v), name, **options)

    def acceleration(self, name: str, q: Any, v: Any, a: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Acceleration [dv/dt; dw/dt] of a point, body or frame, world axes, (..., 6).

        Parameters
        ----------
        name : of a body, point or frame
        q, v, a : coordinates, rates and their derivatives
        options : see `EvaluationOptions`
        """
        return self._array("acceleration", (q, v, a), name, **options)

    def jacobian(self, name: str, q: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Geometric Jacobian of a point, body or frame, (..., 6, nv): its twist is J v.

        Parameters
        ----------
        name : of a body, point or frame
        q : coordinates
        options : see `EvaluationOptions`
        """
        return self._array("jacobian", (q,), name, **options)

    # ---------------------------------------------------------------- dynamics

    def inverse_dynamics(self, q: Any, v: Any, a: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Joint forces and torques that a motion takes, gravity and loads included: M(q) a + bias(q, v).

        Parameters
        ----------
        q, v, a : coordinates, rates and their derivatives
        options : see `EvaluationOptions`
        """
        return self._array("inverse_dynamics", (q, v, a), **options)

    def joint_wrenches(self, q: Any, v: Any, a: Any, **options: Unpack[EvaluationOptions]) -> tuple[Array, Array]:
        """Joint forces as in `inverse_dynamics`, and what every tree joint carries.

        The second array, (..., bodies, 6), holds [force; moment] that the first body of the joint exerts on the second,
        along the axes and about the origin of the joint frame on the second body, in the order of `tree_joints`.

        Parameters
        ----------
        q, v, a : coordinates, rates and their derivatives
        options : see `EvaluationOptions`
        """
        tau, wrench = self._evaluate(self._question("joint_wrenches"), (q, v, a), **options)
        return tau, wrench

    def forward_dynamics(
        self,
        q: Any,
        v: Any,
        tau: Any,
        *,
        method: Literal["auto", "composite", "articulated"] = "auto",
        **options: Unpack[EvaluationOptions],
    ) -> Array:
        """Accelerations that joint forces cause.

        Parameters
        ----------
        q, v, tau : coordinates, rates, and joint forces and torques
        method : composite bodies (short chains), articulated bodies (long ones), or the shorter of the two
        options : see `EvaluationOptions`
        """
        return self._array(self._forward(method), (q, v, tau), **options)

    def mass_matrix(self, q: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Mass matrix M(q) of the tree, rotors of motors included, (..., nv, nv), symmetric.

        Parameters
        ----------
        q : coordinates
        options : see `EvaluationOptions`
        """
        return self._array("mass_matrix", (q,), **options)

    def bias(self, q: Any, v: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Joint forces at zero acceleration: centrifugal, Coriolis and weight, less what loads do already.

        Where loads act along joints outside the tree, or depend on them, q and v are those of all joints.

        Parameters
        ----------
        q, v : coordinates and rates
        options : see `EvaluationOptions`
        """
        return self._array("bias", (q, v), **options)

    def gravity_forces(self, q: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Joint forces that hold the machine still against its weight.

        Parameters
        ----------
        q : coordinates
        options : see `EvaluationOptions`
        """
        return self._array("gravity_forces", (q,), **options)

    def kinetic_energy(self, q: Any, v: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Kinetic energy [J], rotors of motors included.

        Where rotors turn with joints outside the tree, q and v are those of all joints.

        Parameters
        ----------
        q, v : coordinates and rates
        options : see `EvaluationOptions`
        """
        return self._array("kinetic_energy", (q, v), **options)

    def potential_energy(self, q: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Potential energy of gravity, zero at the origin of the world, and of the linear part of springs [J].

        Where springs act along joints outside the tree, q are the variables of all joints.

        Parameters
        ----------
        q : coordinates
        options : see `EvaluationOptions`
        """
        return self._array("potential_energy", (q,), **options)

    def momentum(self, q: Any, v: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Linear momentum [kg m/s] and angular momentum about the origin of the world [kg m²/s], (..., 6).

        Parameters
        ----------
        q, v : coordinates and rates
        options : see `EvaluationOptions`
        """
        return self._array("momentum", (q, v), **options)

    def centre_of_mass(self, q: Any, **options: Unpack[EvaluationOptions]) -> Array:
        """Centre of mass of all moving bodies in the world [m], (..., 3).

        Parameters
        ----------
        q : coordinates
        options : see `EvaluationOptions`
        """
        return self._array("centre_of_mass", (q,), **options)

    # ---------------------------------------------------------------- kernels and derivatives

    def kernel(self, quantity: str, of: str = "") -> Kernel:
        """The compiled function behind a quantity, with the parameters of this system bound to it.

        Its `call(q, v, a, out)` costs tens of nanoseconds more than the machine code, its `address` serves compiled
        loops, and printing it tells the number of operations and whether it runs interpreted or compiled.

        Parameters
        ----------
        quantity : name of a function of this class: "inverse_dynamics", "mass_matrix", "pose", ...
        of : name of a body, point or frame, where the function wants one
        """
        return self.bound_kernel(self._question(quantity, of))

    def derivative(
        self, quantity: str, wrt: str | Sequence[str], of: str = "", *, then: str | Sequence[str] = ()
    ) -> Derivative | FollowedDerivative:
        """A function of the same inputs that gives exact derivatives of a quantity.

        The result has the shape of the quantity with one axis more for each derivative: the rates, or the parameters in
        the order given. Derivatives by q are taken along the rates (`∂/∂q N(q)`), so that free rotations have three of
        them. Several inputs give a tuple; a single parameter given as a plain name adds no axis.

        Parameters
        ----------
        quantity : as in `kernel`
        wrt : one or more inputs (q, v, a, tau), or one or more parameters (`crank.mass`, ...)
        of : name of a body, point or frame, where the quantity has one
        then : for second derivatives, what the first are differentiated by: inputs or parameters
        """
        if self._layouts.named((wrt, then)):
            return self._layouts.derivative(lambda wrt, then: self.derivative(quantity, wrt, of, then=then), wrt, then)
        asked = self._question(quantity, of).quantity
        by = tuple(self._group(asked, names, where) for names, where in ((wrt, "wrt"), (then, "then")) if names != ())
        single = tuple(isinstance(x, str) and x not in asked.inputs for x in (wrt, then)[: len(by)])
        return Derivative(self, Question(asked, by), single)

    def _group(self, asked: Quantity, given: str | Sequence[str], where: str) -> tuple[str, ...]:
        """Names to differentiate by, all inputs or all parameters."""
        names = (given,) if isinstance(given, str) else tuple(given)
        if not names:
            hint = f"name inputs ({', '.join(asked.inputs)}) or parameters"
            raise InputError(Problem(f"`{where}` is empty", hint=hint), self.name)
        twice = sorted({str(n) for n in names if names.count(n) > 1})
        if twice:
            raise InputError(Problem(f"{', '.join(twice)} given twice", where), self.name)
        inputs = [n for n in names if n in asked.inputs]
        if 0 < len(inputs) < len(names):
            others = ", ".join(str(n) for n in names if n not in inputs)
            text = f"inputs ({', '.join(inputs)}) and others ({others}) are mixed"
            hint = "ask for derivatives by inputs and by parameters separately"
            raise InputError(Problem(text, where, hint), self.name)
        if not inputs:
            self._assert_known(names, f"input ({', '.join(asked.inputs)}) or parameter")
        return names

    # ---------------------------------------------------------------- inside

    def _array(
        self, quantity: str, arrays: tuple[Any, ...], of: str = "", **options: Unpack[EvaluationOptions]
    ) -> Array:
        result: Array = self._evaluate(self._question(quantity, of), arrays, **options)
        return result

    def _question(self, quantity: str, of: str = "") -> Question:
        known = self._questions.get((quantity, of)) if isinstance(of, str) else None
        if known is None:
            known = self._questions[quantity, of] = self._new_question(quantity, of)
        return known

    def _new_question(self, quantity: str, of: str) -> Question:
        if quantity in OF_TARGET:
            return Question(self._target(quantity, of))
        name = self._forward("auto") if quantity == "forward_dynamics" else quantity
        if name not in QUANTITIES:
            raise InputError(no_such("quantity", quantity, [*OF_MACHINE, *OF_TARGET, *self._more_kernels]), self.name)
        if of:
            raise InputError(Problem(f"'{quantity}' is of the whole machine, not of '{of}'"), self.name)
        if self.plan.chords and name in _NEEDS_OPEN_TREE:
            cut = ", ".join(self.plan.chords)
            text = f"'{quantity.partition(' ')[0]}' of a machine with loops: its cut joints ({cut}) carry forces too"
            hint = "`drive_efforts` and `forces` of the assembled machine count them"
            raise InputError(Problem(text, hint=hint), self.name)
        return Question(with_loads(QUANTITIES[name], self.plan))

    def _target(self, kind: str, name: str) -> Quantity:
        if not isinstance(name, str):
            hint = "the name comes first, then the arrays"
            raise InputError(
                Problem(f"the name of a body, point or frame is text, not {type(name).__name__}", hint=hint)
            )
        plan = self.plan
        known = [*plan.index, *(m.name for m in plan.points), *(m.name for m in plan.frames), plan.ground]
        if not name:
            raise InputError(Problem(f"'{kind}' of what?", hint="say of= a body, point or frame"), self.name)
        if name not in known:
            raise InputError(no_such("body, point or frame", name, known), self.name)
        return of_target(kind, name)

    def _forward(self, method: str) -> str:
        if method == "auto":
            return self._shorter_forward
        if method not in _FORWARD:
            raise InputError(no_such("method", method, ["auto", *_FORWARD], "method"), self.name)
        return _FORWARD[method]

    @cached_property
    def _shorter_forward(self) -> str:
        """Decided by the model's own numbers, so that other parameters do not change the method."""
        in_a_row: list[int] = []
        for link in self.plan.links:
            before = in_a_row[link.parent] if link.parent >= 0 else 0
            in_a_row.append(before + len(link.rates))
        if max(in_a_row, default=0) > SHORT_CHAIN or self.plan.chords:
            return _FORWARD["articulated"]

        def operations(name: str) -> int:
            formula, _ = self._formulas.settled(self._question(name), self.plan.parameters)
            return formula.kernel.operations

        try:
            return min(_FORWARD.values(), key=operations)
        except ModelError:  # without mass in the model, though perhaps not in the call
            return _FORWARD["composite"]

    def bound_kernel(self, question: Question) -> Kernel:
        """The kernel of a law with this system's own numbers bound to it, for the rooms that stand on systems.

        Parameters
        ----------
        question : the law, and how it is asked (`formulas.Question`)
        """
        kernel = self._ready.get(question.name)
        if kernel is None:
            formula, settled = self._settled(question, self.parameters)
            kernel = self._ready[question.name] = formula.kernel.bind(settled)
        return kernel

    def _settled(self, question: Question, values: Mapping[str, float]) -> tuple[Formula, Array]:
        formula, settled = self._formulas.settled(question, values)
        if question.quantity.name in _FORWARD.values():
            self._assert_resisted(values)
        return formula, settled

    def _assert_resisted(self, values: Mapping[str, float]) -> None:
        """ModelError if some freedom moves no mass because of the numbers.

        Where every body has a mass and an inertia about each axis, all freedoms do. Else accelerations must survive
        inverse and forward dynamics.
        """
        if all(_is_solid(values, link.body) for link in self.plan.links):
            return
        rng = np.random.default_rng(1)
        away = rng.uniform(-1.0, 1.0, (8, self.nv)) * self._small_steps()
        q = self.bound_kernel(Question(QUANTITIES["integrate"]))(self.plan.layout_q, away)
        a, still = rng.uniform(0.5, 1.0, (8, self.nv)), np.zeros(self.nv)
        inverse, own = self._formulas.settled(self._question("inverse_dynamics"), values)
        forward, theirs = self._formulas.settled(self._question(self._shorter_forward), values)
        when = [np.zeros(1)] if self.plan.timed else []
        back = forward.kernel(q, still, inverse.kernel(q, still, a, *when, own), *when, theirs)
        finite = np.isfinite(back).all(axis=1)  # a posture may lie beyond what a joint allows
        wrong = (np.abs(back - a)[finite] > 1e-3).all(axis=0) if finite.any() else np.zeros(self.nv, bool)
        if wrong.any():
            names = [r for r, w in zip(self.rates, wrong, strict=True) if w]
            text = f"no mass resists {' and '.join(names)}, so accelerations are not determined"
            hint = "give the bodies that move so a mass off the axis, or an inertia"
            raise ModelError(Problem(text, names[0], hint), self.name)

    def _small_steps(self) -> Array:
        """By rate, steps that stay near the layout posture: parts of a turn, and of the size of the machine."""
        steps = np.ones(self.nv)
        for slot in self.plan.tree_slots:
            plain = [v for v in slot.law.variables if v not in QUATERNION]
            for k, variable in enumerate(plain):
                steps[slot.v.start + k] = {"angle": 1.0, "length": 0.01 * self.layout.size, "number": 0.01}[
                    variable.dimension
                ]
        return steps

    def _evaluate(
        self,
        question: Question,
        arrays: Sequence[Any],
        out: Any = None,
        parameters: Mapping[str, Any] | None = None,
        threads: int | None = None,
        t: Any = 0.0,
    ) -> Any:
        if "t" in question.quantity.inputs:
            arrays = (*arrays, np.asarray(t, float)[..., np.newaxis])
        if parameters:
            found = self._evaluate_with(question, arrays, out, parameters, threads)
        else:
            found = self.bound_kernel(question)(*arrays, out=out, threads=threads)
        if self._may_lack_values and question.quantity.name in _FEELS_LOADS and not question.by:
            self._assert_valued(question, arrays, found[0] if isinstance(found, tuple) else found)
        return found

    def _evaluate_with(
        self,
        question: Question,
        arrays: Sequence[Any],
        out: Any,
        parameters: Mapping[str, Any],
        threads: int | None,
    ) -> Any:
        """With other parameters than the system's own."""
        own = self._checked_parameters(self._layouts.followed(parameters))
        if any(x.ndim for x in own.values()):
            return self._evaluate_each(question, arrays, out, own, threads)
        formula, settled = self._settled(question, {**self.parameters, **{n: float(x) for n, x in own.items()}})
        return formula.kernel.bind(settled)(*arrays, out=out, threads=threads)

    def _assert_valued(self, question: Question, arrays: Sequence[Any], found: Array) -> None:
        """InputError where forces or accelerations are no numbers though all that was given is: for want of a load."""
        if np.isfinite(found).all():
            return
        spread = [np.broadcast_to(x, (*found.shape[:-1], np.shape(x)[-1])) for x in arrays]
        good = np.all([np.isfinite(x).all(axis=-1) for x in spread], axis=0)
        bad = good & ~np.isfinite(found).all(axis=-1)
        if bad.any():
            given = {n: np.atleast_2d(x[bad]) for n, x in zip(question.quantity.inputs, spread, strict=True)}
            y, w = np.zeros((int(bad.sum()), self.plan.ny)), np.zeros((int(bad.sum()), self.plan.nw))
            for whole, own in ((y, given.get("y", given.get("q"))), (w, given.get("w", given.get("v")))):
                assert own is not None
                whole[:, : own.shape[1]] = own  # without the joints outside the tree where no load feels them
            if lacking := self._loads_without_value(y, w, given.get("t", np.zeros((len(y), 1)))):
                raise without_value(lacking, self.name)

    def _loads_without_value(self, y: Array, w: Array, when: Array, x: Array | None = None) -> list[str]:
        """Names of loads that are no finite numbers at some states of all joints (samples, ...).

        x : named states; without, their values at the start
        """
        magnitudes, _ = self._load_state(y, w, when, x)
        finite = np.isfinite(magnitudes).T
        return [load.name for load, good in zip(self.plan.loads, finite, strict=True) if not good.all()]

    def _load_state(self, y: Array, w: Array, when: Array, x: Array | None = None) -> tuple[Array, Array]:
        """Magnitudes and powers of all loads at states of all joints; x : named states, else those of the start."""
        given = [x] if x is not None and self.plan.states else []
        found: tuple[Array, Array] = self.bound_kernel(Question(load_state(bool(given))))(y, w, when, *given)
        return found

    def _evaluate_each(
        self, question: Question, arrays: Sequence[Any], out: Any, own: Mapping[str, Array], threads: int | None
    ) -> Any:
        """Parameters that differ from sample to sample: pieces of samples of one structure, one after the other."""
        every: dict[str, Any] = {**self.parameters, **own}
        one = {n: float(np.ravel(x)[0]) if np.size(x) else self.parameters[n] for n, x in every.items()}
        formula, settled = self._formulas.settled(question, one)
        like = formula.kernel.bind(settled)
        like.room(*arrays)  # tells what is wrong with the arrays alone
        inputs = dict(zip(question.quantity.inputs, (np.asarray(x) for x in arrays), strict=True))
        leading = {n: x.shape[:-1] for n, x in inputs.items()} | {n: x.shape for n, x in own.items()}
        shape = broadcast_shape(leading, self.name)
        spread = [np.broadcast_to(x, (*shape, *x.shape[-1:])) for x in inputs.values()]
        results = like.room(*spread, out=out)
        if out is not None:  # what is written must not be read afterwards
            spread = [x.copy() if any(np.may_share_memory(x, r) for r in results) else x for x in spread]
        count = int(np.prod(shape))
        every |= {n: np.broadcast_to(x, shape).reshape(count) for n, x in own.items() if x.ndim}
        for chosen, formula, settled in self._formulas.settled_rows(question, every, count):
            places = np.unravel_index(chosen, shape)
            piece = formula.kernel(*(x[places] for x in spread), settled, threads=threads)
            for result, part in zip(results, piece if isinstance(piece, tuple) else (piece,), strict=True):
                result[places] = part
        return results[0] if len(results) == 1 else results

    def _in_si(self, name: str, value: Any) -> Any:
        """A parameter that is given as text, or a list of texts: "2 kg"."""
        try:
            return in_si(value, self._measured(name), f"parameters.{name}")
        except ModelError as error:
            raise InputError(error.problems, self.name) from None

    def _measured(self, name: str) -> Dimension | None:
        """What a parameter measures; None where nothing tells."""
        owner, _, rest = name.partition(".")
        if (measured := parameter_measures(self.mechanism, name)) is not None:
            return measured
        slot = next((s for s in self.plan.slots if s.owner == owner), None)
        if slot is not None and rest in slot.law.numbers():
            return slot.law.measure(rest)
        return LENGTH if "at" in rest.split(".") else None

    def _assert_known(self, names: Sequence[str], what: str = "parameter") -> None:
        known = {**self.dimensions, **self.plan.parameters}
        unknown = [n for n in names if n not in self.plan.parameters]
        if unknown:
            owners = {n: [k for k in known if k.partition(".")[0] == n.partition(".")[0]] for n in unknown}
            raise InputError([no_such(what, n, owners[n] or known) for n in unknown], self.name)

    def _checked_parameters(self, parameters: Mapping[str, Any]) -> dict[str, Array]:
        """Parameters as arrays of numbers; InputError with all that is wrong."""
        if not isinstance(parameters, Mapping):
            raise InputError(Problem("parameters are given by name", hint="{'gravity.z': -1.62}"), self.name)
        self._assert_known(list(parameters))
        problems: list[Problem] = []
        values = {n: _numbers(self._in_si(n, x), f"parameters.{n}", problems) for n, x in parameters.items()}
        for slot in self.plan.slots:
            own = {n: values.get(f"{slot.owner}.{n}") for n in law_parameters(slot.law)}
            changed = {n: float(x) for n, x in own.items() if x is not None and x.ndim == 0}
            if not changed:
                continue
            before = {n: x for n in own if (x := self._overrides.get(f"{slot.owner}.{n}")) is not None}
            try:
                slot.law.with_numbers({**before, **changed})
            except ModelError as error:
                problems += [Problem(p.what, f"parameters.{slot.owner}", p.hint) for p in error.problems]
        problems += unfit_numbers(self.plan.loads, values)
        told = {p.where for p in problems}
        for name, array in values.items():
            owner, _, what = name.partition(".")
            body = self.mechanism.bodies.get(owner)
            if (where := f"parameters.{name}") in told or where.rpartition(".")[0] in told:
                continue
            if array.ndim == 0 and not np.isfinite(
                array
            ):  # of many samples, one without a number leaves the others alone
                problems.append(Problem("not a finite number", where))
            elif body is not None and what in NEVER_NEGATIVE and not body.accept_unphysical and np.any(array < 0.0):
                problems.append(Problem(f"negative: {np.min(array):g}", where, "no body has less than 0"))
        problems = problems or torn_by(self.mechanism, self._overrides, values)
        if problems:
            raise InputError(problems, self.name)
        return values


def _remade(mechanism: Mechanism, tree: Any, cut: Sequence[str], overrides: Mapping[str, float]) -> System:
    system = System(mechanism, tree=tree, cut=cut)
    return system.with_parameters(overrides) if overrides else system


@dataclass(frozen=True, eq=False)
class Derivative:
    """Derivatives of a quantity of a system, made by `System.derivative`; call it with the inputs of the quantity."""

    system: System
    question: Question
    single: tuple[bool, ...]
    """By derivative: whether it is by one parameter given as a plain name, whose axis is left out."""

    def __call__(self, *inputs: Any, **options: Unpack[EvaluationOptions]) -> Any:
        """Derivatives at the inputs.

        Parameters
        ----------
        inputs : those of the quantity, q first
        options : see `EvaluationOptions`
        """
        if any(self.single) and options.get("out") is not None:
            hint = "name it in a list, wrt=[...], and give its axis"
            raise InputError(Problem("`out` of a derivative by a single parameter", hint=hint), self.system.name)
        result = self.system._evaluate(self.question, inputs, **options)
        if not any(self.single):
            return result
        last = (..., *(0 if single else slice(None) for single in self.single))
        return tuple(r[last] for r in result) if isinstance(result, tuple) else result[last]

    def __repr__(self) -> str:
        q = self.question
        return f"derivative of {q.name}, a function of {', '.join(q.quantity.inputs)}"

    @property
    def kernel(self) -> Kernel:
        """The compiled function, with the parameters of the system bound to it."""
        return self.system.bound_kernel(self.question)


def without_value(loads: Sequence[str], source: str) -> ModelError:
    """The error of loads whose formulas have no value at a state."""
    hint = "look where its formula or table has no value"
    return ModelError([Problem("the load is not a finite number there", name, hint) for name in loads], source)


def _is_solid(values: Mapping[str, float], body: str) -> bool:
    xx, yy, zz, xy, xz, yz = (values[f"{body}.inertia.{ij}"] for ij in ("xx", "yy", "zz", "xy", "xz", "yz"))
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if not (values[f"{body}.mass"] > 0.0 and np.isfinite(inertia).all()):
        return False
    return bool(np.linalg.eigvalsh(inertia)[0] > 1e-9 * np.trace(inertia))


NEVER_NEGATIVE = ("mass", "inertia.xx", "inertia.yy", "inertia.zz")
"""Numbers of a body that are 0 or more. Moments of inertia are about its origin."""


def _numbers(given: Any, where: str, problems: list[Problem]) -> Array:
    """Real numbers as float64; a problem if they are none."""
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "fiub":
            raise TypeError
        return array.astype(float)
    except (TypeError, ValueError):
        problems.append(Problem(f"{given!r} is not a number or an array of numbers", where))
        return np.zeros(())


def broadcast_shape(shapes: Mapping[str, tuple[int, ...]], source: str) -> tuple[int, ...]:
    """Common shape of a batch; ModelError with all shapes where there is none."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        text = ", ".join(f"{n} {s}" for n, s in shapes.items() if s)
        hint = "give each the shape of the batch, or a single value"
        raise InputError(Problem(f"the shapes do not fit each other: {text}", hint=hint), source) from None
