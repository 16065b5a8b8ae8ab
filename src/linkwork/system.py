"""A mechanism ready to be asked: its coordinates by name, its equations as kernels, its numbers as parameters.

>>> import linkwork as lw
>>> s = lw.System(lw.example("double-pendulum"))
>>> s.coordinates
('A.angle', 'B.angle')
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import casadi as ca
import numpy as np

from linkwork.equations import folding
from linkwork.equations.forward_dynamics import Weightless
from linkwork.equations.plan import Plan, constants, make_plan
from linkwork.equations.quantities import QUANTITIES, Quantity, of_target
from linkwork.equations.scalars import Composed
from linkwork.equations.tracing import Numbers, trace, trace_derivative, trace_parameter_derivative
from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.geometry import Array
from linkwork.kernels import ArgumentError, Kernel
from linkwork.model.layout import Layout, lay_out
from linkwork.model.mechanism import Mechanism
from linkwork.topology import Topology, graph_of

KEPT = 1024
"""Equations kept in memory, the longest unused leaving first."""
PARAMETER_SAMPLES = 16_384
"""Samples with parameters of their own that are worked on at a time."""
SHORT_CHAIN = 14
"""Freedoms in a row up to which both forms of forward dynamics are traced and the shorter one is taken."""

Parameters = Mapping[str, Any]


@dataclass(frozen=True)
class _Equation:
    """A traced quantity with its kernel, the shapes of its results, and what settles its constants."""

    numbers: Numbers
    kernel: Kernel
    settle: Kernel
    shapes: tuple[tuple[int, ...], ...]
    from_parameters: bool = False


class System:
    """The spanning tree of a mechanism: coordinates, equations of motion and parameters.

    Parameters
    ----------
    mechanism : the machine; its layout must be sound
    tree : "shallow" or "declared": how the spanning tree is chosen
    cut : joints that should not be in the tree, where there are loops

    Arrays of q, v, a, tau have the coordinates or rates last and any shape before; all functions take batches, follow
    numpy's broadcasting, write into `out` when given and use all cores unless `threads` says otherwise. `parameters`
    replaces numbers of the model by name for that call; its values may differ from sample to sample.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        tree: Literal["shallow", "declared"] = "shallow",
        cut: Sequence[str] = (),
    ) -> None:
        layout = lay_out(mechanism)
        errors = [p for p in layout.problems if p.severity == "error"]
        if errors:
            raise ModelError(errors, mechanism.name)
        self.mechanism = mechanism
        self.layout: Layout = layout
        self.topology: Topology = graph_of(mechanism, tree, tuple(cut))
        self._plan: Plan = make_plan(mechanism, layout, self.topology)
        self._overrides: dict[str, float] = {}
        self._ready: dict[str, tuple[_Equation, Kernel]] = {}

    # ---------------------------------------------------------------- what it is

    def __repr__(self) -> str:
        p = self._plan
        loops = f", {len(p.chords)} cut joint{'s' * (len(p.chords) != 1)}: {', '.join(p.chords)}" if p.chords else ""
        return f"System '{p.name}': {len(p.links)} moving bodies, {p.nq} coordinates, {p.nv} rates{loops}"

    @property
    def name(self) -> str:
        """Name of the mechanism."""
        return self._plan.name

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return self._plan.nq

    @property
    def nv(self) -> int:
        """Number of rates."""
        return self._plan.nv

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the entries of q: `joint.variable`, joints in declared order."""
        return self._plan.coordinates

    @property
    def rates(self) -> tuple[str, ...]:
        """Names of the entries of v, a and tau."""
        return self._plan.rates

    @property
    def bodies(self) -> tuple[str, ...]:
        """Moving bodies, from the root of the tree outward."""
        return tuple(link.body for link in self._plan.links)

    @property
    def tree_joints(self) -> tuple[str, ...]:
        """The joint by which each of `bodies` hangs in the tree; a floating body's six freedoms carry its own name."""
        return tuple(link.joint for link in self._plan.links)

    @property
    def cut_joints(self) -> tuple[str, ...]:
        """Joints outside the spanning tree; each closes a loop."""
        return self._plan.chords

    @property
    def parameters(self) -> dict[str, float]:
        """Every number of the model by name, in SI units: `crank.mass`, `A.tail.at.x`, `gravity.z`, ..."""
        return {**self._plan.parameters, **self._overrides}

    def with_parameters(self, parameters: Mapping[str, float]) -> System:
        """The same system with other numbers. Nothing is compiled again unless a structural zero changes.

        Parameters
        ----------
        parameters : new values by name, SI
        """
        self._assert_known(parameters)
        other = object.__new__(System)
        other.mechanism, other.layout, other.topology = self.mechanism, self.layout, self.topology
        other._plan = self._plan
        other._ready = {}
        other._overrides = {**self._overrides, **{k: float(v) for k, v in parameters.items()}}
        return other

    def posture(self, values: Mapping[str, Any] | None = None) -> Array:
        """Coordinates q of the layout posture, with some changed by name; arrays give a batch.

        Parameters
        ----------
        values : by coordinate (`A.angle`) or, where a joint has one variable, by joint (`A`)
        """
        values = dict(values or {})
        single = {link.joint: link.q.start for link in self._plan.links if link.q.stop - link.q.start == 1}
        index = {name: i for i, name in enumerate(self.coordinates)} | single
        unknown = [name for name in values if name not in index]
        if unknown:
            raise ModelError([Problem(f"no coordinate '{n}'", hint=did_you_mean(n, index)) for n in unknown], self.name)
        columns = {index[name]: np.asarray(x, float) for name, x in values.items()}
        shape = np.broadcast_shapes(*(x.shape for x in columns.values()))
        q = np.empty((*shape, self.nq))
        q[...] = self._plan.layout_q
        for i, x in columns.items():
            q[..., i] = x
        return q

    @property
    def neutral(self) -> Array:
        """Coordinates at which the two frames of every joint coincide, where that is possible."""
        return self._plan.neutral.copy()

    # ---------------------------------------------------------------- moving along the coordinates

    def flow(self, q: Any, v: Any, *, out: Any = None) -> Array:
        """Time derivatives of q at rates v: q' = N(q) v.

        Parameters
        ----------
        q, v : coordinates and rates
        out : array for the result
        """
        result: Array = self._ask("flow", (q, v), out)
        return result

    def integrate(self, q: Any, step: Any, *, out: Any = None) -> Array:
        """Coordinates after the rates `step` have acted for a unit of time; quaternions stay of length 1.

        Parameters
        ----------
        q, step : coordinates, and rates times time
        out : array for the result
        """
        result: Array = self._ask("integrate", (q, step), out)
        return result

    def difference(self, q0: Any, q1: Any, *, out: Any = None) -> Array:
        """The shortest step from q0 to q1: integrate(q0, difference(q0, q1)) is q1.

        Parameters
        ----------
        q0, q1 : coordinates of two postures
        out : array for the result
        """
        result: Array = self._ask("difference", (q0, q1), out)
        return result

    # ---------------------------------------------------------------- kinematics

    def poses(self, q: Any, *, out: Any = None, parameters: Parameters | None = None) -> Array:
        """Poses of all moving bodies in the world, (..., bodies, 4, 4), in the order of `bodies`.

        Parameters
        ----------
        q : coordinates
        out : array for the result
        parameters : numbers of the model that differ in this call
        """
        result: Array = self._ask("poses", (q,), out, parameters)
        return result

    def pose(self, name: str, q: Any, *, out: Any = None, parameters: Parameters | None = None) -> Array:
        """Pose of a body or frame in the world, (..., 4, 4); a point has the axes of its body.

        Parameters
        ----------
        name : of a body, point or frame
        q : coordinates
        out : array for the result
        parameters : numbers of the model that differ in this call
        """
        result: Array = self._of("pose", name, (q,), out, parameters)
        return result

    def position(self, name: str, q: Any, *, parameters: Parameters | None = None) -> Array:
        """Position of a point, or of the origin of a body or frame, in the world [m], (..., 3).

        Parameters
        ----------
        name : of a body, point or frame
        q : coordinates
        parameters : numbers of the model that differ in this call
        """
        X: Array = self._of("pose", name, (q,), None, parameters)
        return X[..., :3, 3]

    def velocity(self, name: str, q: Any, v: Any, *, out: Any = None, parameters: Parameters | None = None) -> Array:
        """Twist [v; w] of a point, body or frame: velocity of its origin and angular velocity, world axes, (..., 6).

        Parameters
        ----------
        name : of a body, point or frame
        q, v : coordinates and rates
        out : array for the result
        parameters : numbers of the model that differ in this call
        """
        result: Array = self._of("twist", name, (q, v), out, parameters)
        return result

    def acceleration(
        self, name: str, q: Any, v: Any, a: Any, *, out: Any = None, parameters: Parameters | None = None
    ) -> Array:
        """Acceleration [dv/dt; dw/dt] of a point, body or frame, world axes, (..., 6).

        Parameters
        ----------
        name : of a body, point or frame
        q, v, a : coordinates, rates and their derivatives
        out : array for the result
        parameters : numbers of the model that differ in this call
        """
        result: Array = self._of("acceleration", name, (q, v, a), out, parameters)
        return result

    def jacobian(self, name: str, q: Any, *, out: Any = None, parameters: Parameters | None = None) -> Array:
        """Geometric Jacobian of a point, body or frame, (..., 6, nv): its twist is J v.

        Parameters
        ----------
        name : of a body, point or frame
        q : coordinates
        out : array for the result
        parameters : numbers of the model that differ in this call
        """
        result: Array = self._of("jacobian", name, (q,), out, parameters)
        return result

    # ---------------------------------------------------------------- dynamics

    def inverse_dynamics(
        self,
        q: Any,
        v: Any,
        a: Any,
        *,
        out: Any = None,
        parameters: Parameters | None = None,
        threads: int | None = None,
    ) -> Array:
        """Joint forces and torques that a motion takes, gravity included: M(q) a + bias(q, v).

        Parameters
        ----------
        q, v, a : coordinates, rates and their derivatives
        out : array for the result
        parameters : numbers of the model that differ in this call
        threads : cores to use at most
        """
        result: Array = self._ask("inverse_dynamics", (q, v, a), out, parameters, threads)
        return result

    def joint_wrenches(
        self, q: Any, v: Any, a: Any, *, parameters: Parameters | None = None, threads: int | None = None
    ) -> tuple[Array, Array]:
        """Joint forces as in `inverse_dynamics`, and what every tree joint carries.

        The second array, (..., bodies, 6), holds [force; moment] that the first body of the joint exerts on the second,
        along the axes and about the origin of the joint frame on the second body, in the order of `tree_joints`.

        Parameters
        ----------
        q, v, a : coordinates, rates and their derivatives
        parameters : numbers of the model that differ in this call
        threads : cores to use at most
        """
        tau, wrench = self._ask("joint_wrenches", (q, v, a), None, parameters, threads)
        return tau, wrench

    def forward_dynamics(
        self,
        q: Any,
        v: Any,
        tau: Any,
        *,
        method: Literal["auto", "composite", "articulated"] = "auto",
        out: Any = None,
        parameters: Parameters | None = None,
        threads: int | None = None,
    ) -> Array:
        """Accelerations that joint forces cause.

        Parameters
        ----------
        q, v, tau : coordinates, rates, and joint forces and torques
        method : composite bodies (short chains), articulated bodies (long ones), or the shorter of the two
        out : array for the result
        parameters : numbers of the model that differ in this call
        threads : cores to use at most
        """
        result: Array = self._ask(self._forward(method), (q, v, tau), out, parameters, threads)
        return result

    def mass_matrix(
        self, q: Any, *, out: Any = None, parameters: Parameters | None = None, threads: int | None = None
    ) -> Array:
        """Mass matrix M(q), (..., nv, nv), symmetric.

        Parameters
        ----------
        q : coordinates
        out : array for the result
        parameters : numbers of the model that differ in this call
        threads : cores to use at most
        """
        result: Array = self._ask("mass_matrix", (q,), out, parameters, threads)
        return result

    def bias(self, q: Any, v: Any, *, out: Any = None, parameters: Parameters | None = None) -> Array:
        """Joint forces at zero acceleration: centrifugal, Coriolis and weight.

        Parameters
        ----------
        q, v : coordinates and rates
        out : array for the result
        parameters : numbers of the model that differ in this call
        """
        result: Array = self._ask("bias", (q, v), out, parameters)
        return result

    def gravity_forces(self, q: Any, *, out: Any = None, parameters: Parameters | None = None) -> Array:
        """Joint forces that hold the machine still against its weight.

        Parameters
        ----------
        q : coordinates
        out : array for the result
        parameters : numbers of the model that differ in this call
        """
        result: Array = self._ask("gravity_forces", (q,), out, parameters)
        return result

    def kinetic_energy(self, q: Any, v: Any, *, parameters: Parameters | None = None) -> Array:
        """Kinetic energy [J].

        Parameters
        ----------
        q, v : coordinates and rates
        parameters : numbers of the model that differ in this call
        """
        result: Array = self._ask("kinetic_energy", (q, v), None, parameters)
        return result

    def potential_energy(self, q: Any, *, parameters: Parameters | None = None) -> Array:
        """Potential energy of gravity [J], zero at the origin of the world.

        Parameters
        ----------
        q : coordinates
        parameters : numbers of the model that differ in this call
        """
        result: Array = self._ask("potential_energy", (q,), None, parameters)
        return result

    def momentum(self, q: Any, v: Any, *, parameters: Parameters | None = None) -> Array:
        """Linear momentum [kg m/s] and angular momentum about the origin of the world [kg m²/s], (..., 6).

        Parameters
        ----------
        q, v : coordinates and rates
        parameters : numbers of the model that differ in this call
        """
        result: Array = self._ask("momentum", (q, v), None, parameters)
        return result

    def centre_of_mass(self, q: Any, *, parameters: Parameters | None = None) -> Array:
        """Centre of mass of all moving bodies in the world [m], (..., 3).

        Parameters
        ----------
        q : coordinates
        parameters : numbers of the model that differ in this call
        """
        result: Array = self._ask("centre_of_mass", (q,), None, parameters)
        return result

    # ---------------------------------------------------------------- kernels and derivatives

    def kernel(self, quantity: str, name: str = "") -> Kernel:
        """The compiled function behind a quantity, with the parameters of this system bound to it.

        Its `call(q, v, a, out)` costs tens of nanoseconds more than the machine code, its `address` serves compiled
        loops, and printing it tells the number of operations and whether it runs interpreted or compiled.

        Parameters
        ----------
        quantity : "inverse_dynamics", "mass_matrix", ... or "pose", "velocity", "acceleration", "jacobian"
        name : of the body, point or frame, for the latter
        """
        return self._own(self._quantity(quantity, name))[1]

    def derivative(
        self, quantity: str, wrt: str | Sequence[str], name: str = "", *, order: Literal[1, 2] = 1
    ) -> Callable[..., Any]:
        """A function of the same inputs that gives exact derivatives of a quantity.

        `wrt` names inputs (q, v, a, tau) or parameters (`crank.mass`, ...). The result has the shape of the quantity
        with one axis more for each derivative: the rates, or the parameters in the order given. Derivatives by q are
        taken along the rates (`∂/∂q N(q)`), so that free rotations have three of them. Several inputs give a tuple.

        Parameters
        ----------
        quantity : as in `kernel`
        wrt : one or more inputs, or one or more parameters
        name : of the body, point or frame, where the quantity has one
        order : 2 for the second derivative by each of `wrt`
        """
        asked = self._quantity(quantity, name)
        names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
        inputs = [n for n in names if n in asked.inputs]
        if not names or 0 < len(inputs) < len(names):
            text = "derivatives by inputs and by parameters are asked for separately"
            raise ModelError(Problem(text, f"wrt {names}"), self.name)
        if not inputs:
            self._assert_known(dict.fromkeys(names, 0.0), f"an input ({', '.join(asked.inputs)}) or a parameter")
        key = _Derivative(asked, names, bool(inputs), order)

        def evaluate(
            *arrays: Any, out: Any = None, parameters: Parameters | None = None, threads: int | None = None
        ) -> Any:
            return self._evaluate(key, arrays, out, parameters, threads)

        evaluate.__name__ = f"d_{asked.name}"
        evaluate.__doc__ = f"Derivative of {asked.name} by {', '.join(names)}; arguments: {', '.join(asked.inputs)}."
        return evaluate

    # ---------------------------------------------------------------- inside

    def _ask(
        self,
        quantity: str,
        arrays: tuple[Any, ...],
        out: Any = None,
        parameters: Parameters | None = None,
        threads: int | None = None,
    ) -> Any:
        return self._evaluate(self._checked(quantity), arrays, out, parameters, threads)

    def _of(self, kind: str, name: str, arrays: tuple[Any, ...], out: Any, parameters: Parameters | None) -> Any:
        return self._evaluate(self._target(kind, name), arrays, out, parameters, None)

    def _quantity(self, quantity: str, name: str) -> Quantity:
        if quantity in ("pose", "velocity", "acceleration", "jacobian"):
            return self._target("twist" if quantity == "velocity" else quantity, name)
        if quantity == "forward_dynamics":
            quantity = self._forward("auto")
        if quantity not in QUANTITIES:
            known = [*(q for q in QUANTITIES), "forward_dynamics", "pose", "velocity", "acceleration", "jacobian"]
            raise ModelError(Problem(f"no quantity '{quantity}'", hint=did_you_mean(quantity, known)), self.name)
        return self._checked(quantity)

    def _checked(self, quantity: str) -> Quantity:
        if self._plan.chords and quantity in _NEEDS_OPEN_TREE:
            cut = ", ".join(self._plan.chords)
            text = f"'{quantity}' of a machine with loops: its cut joints ({cut}) carry forces too"
            hint = "ask an open mechanism, or take the mass matrix and bias of the tree"
            raise ModelError(Problem(text, hint=hint), self.name)
        return QUANTITIES[quantity]

    def _target(self, kind: str, name: str) -> Quantity:
        plan = self._plan
        known = [*plan.index, *(m.name for m in plan.points), *(m.name for m in plan.frames)]
        if name not in known:
            hint = did_you_mean(name, known)
            raise ModelError(Problem(f"no moving body, point or frame '{name}'", hint=hint), self.name)
        return of_target(kind, name)

    def _forward(self, method: str) -> str:
        names = {"composite": "forward_dynamics_composite", "articulated": "forward_dynamics_articulated"}
        if method in names:
            return names[method]
        if method != "auto":
            raise ModelError(Problem(f"no method '{method}'", hint="auto, composite or articulated"), self.name)
        return self._shorter_forward

    @cached_property
    def _shorter_forward(self) -> str:
        depth = 0
        deepest: list[int] = []
        for link in self._plan.links:
            before = deepest[link.parent] if link.parent >= 0 else 0
            deepest.append(before + link.v.stop - link.v.start)
            depth = max(depth, deepest[-1])
        both = ["forward_dynamics_composite", "forward_dynamics_articulated"]
        if depth > SHORT_CHAIN:
            return both[1]
        return min(both, key=lambda q: self._own(self._checked(q))[1].operations)

    def _values(self, parameters: Parameters | None) -> dict[str, Any]:
        if not parameters:
            return self.parameters
        self._assert_known(parameters)
        return {**self.parameters, **parameters}

    def _assert_known(self, parameters: Mapping[str, Any], what: str = "a parameter") -> None:
        unknown = [name for name in parameters if name not in self._plan.parameters]
        if unknown:
            problems = [Problem(f"'{n}' is not {what}", hint=did_you_mean(n, self._plan.parameters)) for n in unknown]
            raise ModelError(problems, self.name)

    def _evaluate(
        self,
        asked: Quantity | _Derivative,
        arrays: Sequence[Any],
        out: Any,
        parameters: Parameters | None,
        threads: int | None,
    ) -> Any:
        if not parameters:
            equation, kernel = self._own(asked)
            return _shaped(equation, kernel(*_given(kernel, arrays), out=_flat(equation, out), threads=threads))
        values = self._values(parameters)
        if any(np.ndim(x) for x in parameters.values()):
            return self._evaluate_each(asked, arrays, out, values, threads)
        equation, settled = self._settled(asked, values)
        kernel = equation.kernel
        return _shaped(
            equation, kernel(*_given(kernel, arrays), settled, out=_flat(equation, out), threads=threads)
        )

    def _evaluate_each(
        self,
        asked: Quantity | _Derivative,
        arrays: Sequence[Any],
        out: Any,
        values: Mapping[str, Any],
        threads: int | None,
    ) -> Any:
        """Parameters that differ from sample to sample: constants are settled for a piece of the batch at a time."""
        given = [np.asarray(x, float) for x in arrays]
        shape = np.broadcast_shapes(
            *(x.shape[:-1] for x in given), *(np.shape(x) for x in values.values() if np.ndim(x))
        )
        count = int(np.prod(shape))
        rows = [np.broadcast_to(x, (*shape, x.shape[-1])).reshape(count, x.shape[-1]) for x in given]
        columns = {n: np.broadcast_to(x, shape).reshape(count) for n, x in values.items() if np.ndim(x)}
        pieces: list[Any] = []
        for start in range(0, max(count, 1), PARAMETER_SAMPLES):
            part = slice(start, start + PARAMETER_SAMPLES)
            local = {**values, **{n: x[part] for n, x in columns.items()}}
            equation, settled = self._settled(asked, local)
            own = _given(equation.kernel, [x[part] for x in rows])
            pieces.append(equation.kernel(*own, settled, threads=threads))
        several = isinstance(pieces[0], tuple)
        blocks = [np.concatenate(p) for p in zip(*pieces, strict=True)] if several else [np.concatenate(pieces)]
        results = [b.reshape(*shape, *s) for b, s in zip(blocks, equation.shapes, strict=True)]
        if out is not None:
            for target, result in zip(out if several else (out,), results, strict=True):
                np.copyto(target, result, casting="no")
            return out
        return tuple(results) if several else results[0]

    def _own(self, asked: Quantity | _Derivative) -> tuple[_Equation, Kernel]:
        """The equation with this system's own numbers bound to its kernel."""
        if asked.name not in self._ready:
            equation, settled = self._settled(asked, self.parameters)
            self._ready[asked.name] = equation, equation.kernel.bind(settled)
        return self._ready[asked.name]

    def _settled(self, asked: Quantity | _Derivative, values: Mapping[str, Any]) -> tuple[_Equation, Array]:
        """The equation that these numbers may run on, and its settled values."""
        quantity = asked.quantity if isinstance(asked, _Derivative) else asked
        kinds, flat = folding.flatten(constants(self._plan, values, quantity.regroups))
        stacked = np.stack(np.broadcast_arrays(*(np.asarray(x, float) for x in flat)), axis=-1)
        found = folding.pattern_of(kinds, stacked)
        equation = _equation(self._plan, asked, found, values)
        if equation.from_parameters:
            stacked = np.stack(np.broadcast_arrays(*(np.asarray(x, float) for x in values.values())), axis=-1)
        settled: Array = equation.settle(stacked, threads=1)
        return equation, settled


@dataclass(frozen=True)
class _Derivative:
    quantity: Quantity
    wrt: tuple[str, ...]
    by_inputs: bool
    order: int

    @property
    def name(self) -> str:
        return f"d{self.order} {self.quantity.name} by {', '.join(self.wrt)}"


_NEEDS_OPEN_TREE = frozenset(
    ("inverse_dynamics", "joint_wrenches", "forward_dynamics_composite", "forward_dynamics_articulated")
)

_equations: OrderedDict[tuple[Any, ...], list[_Equation]] = OrderedDict()


def _equation(
    plan: Plan, asked: Quantity | _Derivative, found: folding.Pattern, values: Mapping[str, Any]
) -> _Equation:
    """An equation whose folded constants agree with the numbers found; traced if there is none yet."""
    key = (plan.signature, asked.name)
    known = _equations.setdefault(key, [])
    _equations.move_to_end(key)
    while len(_equations) > KEPT:
        _equations.popitem(last=False)
    for equation in known:
        if folding.fits(equation.numbers.pattern, found):
            return equation
    # The newest first: a study that leaves a structural zero meets the loosened equation at once.
    pattern = folding.loosened(known[0].numbers.pattern, found) if known else found
    equation = _trace(plan, asked, pattern, values)
    known.insert(0, equation)
    return equation


def _trace(plan: Plan, asked: Quantity | _Derivative, pattern: folding.Pattern, values: Mapping[str, Any]) -> _Equation:
    quantity = asked.quantity if isinstance(asked, _Derivative) else asked
    shape = constants(plan, plan.parameters, quantity.regroups)
    from_parameters = False
    try:
        if isinstance(asked, Quantity):
            numbers = Numbers(shape, pattern)
            composed = trace(plan, numbers, quantity)
        elif asked.by_inputs:
            numbers = Numbers(shape, pattern)
            composed = trace_derivative(plan, numbers, quantity, asked.wrt, asked.order)
        else:
            numbers, composed = _by_parameters(plan, quantity, asked, pattern)
            from_parameters = True
    except Weightless as error:
        text = f"no mass resists '{error.rate}', so its acceleration is not determined"
        hint = "give the bodies that it moves a mass or an inertia, or lock the joint"
        raise ModelError(Problem(text, error.rate, hint), plan.name) from None
    kernel = Kernel(composed.main)
    return _Equation(numbers, kernel, Kernel(composed.settle), composed.shapes, from_parameters)


def _by_parameters(
    plan: Plan, quantity: Quantity, asked: _Derivative, pattern: folding.Pattern
) -> tuple[Numbers, Composed]:
    """Derivatives by parameters; constants that depend on them must not be folded."""
    symbols = {name: ca.SX.sym(name) for name in plan.parameters}
    expressions = constants(plan, symbols, quantity.regroups)
    _, flat = folding.flatten(expressions)
    everything, constant_vector = ca.vertcat(*symbols.values()), ca.vertcat(*flat)
    order = list(plan.parameters)
    chosen = [order.index(n) for n in asked.wrt]
    moved = ca.jacobian_sparsity(constant_vector, ca.vertcat(*[symbols[n] for n in asked.wrt]))
    touched = set(moved.row())
    loose = tuple(None if i in touched else x for i, x in enumerate(pattern))
    numbers = Numbers(constants(plan, plan.parameters, quantity.regroups), loose)
    return numbers, trace_parameter_derivative(
        plan, numbers, quantity, everything, constant_vector, chosen, asked.order
    )


def _given(kernel: Kernel, arrays: Sequence[Any]) -> Sequence[Any]:
    """Arrays as the kernel takes them: a block of one number has no axis of its own there."""
    blocks = kernel.inputs
    if all(block.shape for block in blocks[: len(arrays)]):
        return arrays
    result = []
    for array, block in zip(arrays, blocks, strict=False):
        if not block.shape:
            array = np.asarray(array)
            if not array.shape or array.shape[-1] != 1:
                raise ArgumentError(kernel.name, [Problem(f"has shape {array.shape}, not (..., 1)", block.name)])
            array = array[..., 0]
        result.append(array)
    return result


def _flat(equation: _Equation, out: Any) -> Any:
    """Results as the kernel writes them: matrices of more than two axes as rows of the last one."""
    if out is None:
        return None
    several = isinstance(out, tuple | list)
    arrays = []
    for array, shape, block in zip(out if several else (out,), equation.shapes, equation.kernel.outputs, strict=False):
        if isinstance(array, np.ndarray) and block.shape != shape and array.shape[array.ndim - len(shape) :] == shape:
            lead = array.shape[: array.ndim - len(shape)]
            array = array.view()
            array.shape = (*lead, *block.shape)
        arrays.append(array)
    return tuple(arrays) if several else arrays[0]


def _shaped(equation: _Equation, results: Any) -> Any:
    several = isinstance(results, tuple)
    arrays = []
    for array, shape, block in zip(
        results if several else (results,), equation.shapes, equation.kernel.outputs, strict=True
    ):
        lead = array.shape[: array.ndim - len(block.shape)]
        arrays.append(array if block.shape == shape else array.reshape(*lead, *shape))
    return tuple(arrays) if several else arrays[0]
