"""Inputs and outputs of the linearised machine by name, as rows and columns of its equations.

With ζ = (ψ, x), all independent coordinates and named states,

    P(s) ζ = b u,    P(s) = [s² M + s D + K, X; -(f_ψ + s f_w), s - f_x],      y = s^k (c₀ + s c₁ + s² c₂) ζ - e u

An input is an effort, a load, a number of a load or state, a force on a point, or a coordinate that is held and driven.
An output is whatever a run has of places and motion, an expression of these, a load, a named state, the effort that
holds a coordinate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.analyses.forces.over_run import effort_names, effort_units
from linkwork.analyses.linear import joint_reactions
from linkwork.analyses.linear.coefficients import rates_of_independent
from linkwork.analyses.linear.joint_reactions import Component
from linkwork.analyses.linear.set_points import Held
from linkwork.analyses.parameter_units import parameter_unit
from linkwork.equations.balance import motion_balance
from linkwork.equations.closed_forces import load_state
from linkwork.equations.conditions import conditions
from linkwork.equations.measures import measured_places
from linkwork.equations.plan import Plan
from linkwork.equations.quantity import Quantity
from linkwork.errors import InputError, ModelError, Problem, did_you_mean
from linkwork.expressions import names_in
from linkwork.expressions.names import written
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.model.name_book import MachineNames

AXES = ("x", "y", "z")
DERIVED = {"rate": 1, "speed": 1, "velocity": 1, "acceleration": 2}
PUSHES = {"fx": 0, "fy": 1, "fz": 2, "mx": 3, "my": 4, "mz": 5}
BASE = ("ground.ax", "ground.ay", "ground.az")
"""Accelerations of the base; all motions are against the base."""
UNITS = {"angle": "rad", "length": "m", "number": "1"}


@dataclass(frozen=True, eq=False)
class Input:
    """An input: a column b of the equations, or a coordinate that is driven (its place among the independent ones).

    number : the parameter that it is, where it is one; column : the rate along which it is an effort
    push : the place on which it is a force or a moment, and which component
    order : 1 where the velocity of what is driven is the input, 2 where its acceleration is
    """

    name: str
    unit: str
    b: Array
    driven: int = -1
    number: str = ""
    column: int = -1
    push: tuple[str, int] | None = None
    order: int = 0


@dataclass(frozen=True, eq=False)
class Output:
    """An output: rows c₀, c₁, c₂ over ζ, how often it is differentiated, and the place of the effort that it is.

    component : of a reaction, where it is one
    source : the law whose result it is, and its place there, where numbers of the model may be part of it
    direct : by input, what it does to the output at once
    """

    name: str
    unit: str
    c: tuple[Array, Array, Array]
    order: int = 0
    effort: int = -1
    source: tuple[Quantity, int] | None = None
    direct: tuple[float, ...] = ()
    component: Component | None = None

    def at_once(self, j: int) -> float:
        """What an input does to it without the machine moving."""
        return self.direct[j] if self.direct else 0.0


class Signals:
    """Names of one linearised machine."""

    def __init__(self, point: Held) -> None:
        self.point, self.at, self.c = point, point.at, point.c
        self.loops, self.plan = point.at.loops, point.at.loops.plan
        self.n, self.nx = len(point.at.columns), point.at.x.shape[-1]
        self.book = MachineNames(self.loops.system.mechanism)

    # ---------------------------------------------------------------- inputs

    def inputs(self, names: str | Sequence[str]) -> list[Input]:
        """Inputs by name; InputError lists all that are none."""
        return self._all(names, self._input, "input")

    def _input(self, name: str) -> Input:
        owner, _, last = name.rpartition(".")
        units = effort_units(self.loops)
        if last in ("effort", "force", "torque") and (column := self._column(owner)) is not None:
            if column in self.at.columns[self.point.held]:
                hint = f"its motion is an input: '{owner}'"
                raise InputError(Problem(f"'{owner}' is held, so no effort moves it", name, hint))
            return Input(name, units[column], self._column_of(-self.c.by_effort[:, column]), column=column)
        column = self._column(name)
        if column is not None and column in self.at.columns[self.point.held]:
            place = int(np.flatnonzero(self.at.columns == column)[0])
            return Input(name, self._unit_of(column), self._still, place)
        driven = self._column(owner) if last in DERIVED else None
        if driven is not None and driven in self.at.columns[self.point.held]:
            place, order = int(np.flatnonzero(self.at.columns == driven)[0]), DERIVED[last]
            unit = f"{self._unit_of(driven)}/s" + ("^2" if order == 2 else "")
            return Input(name, unit.replace("1/s", "Hz") if unit == "1/s" else unit, self._still, place, order=order)
        push = PUSHES.get(last, -1)
        if push >= 0 and owner in moving_places(self.plan) and (push < 3 or owner not in self._points):
            J = self.loops.system.jacobian(owner, self.at.y[: self.plan.nq])[push]
            force = rates_of_independent(self.at)[:, : self.plan.nv] @ J
            return Input(name, "N" if push < 3 else "N m", self._column_of(force), push=(owner, push))
        if name in BASE:
            number = f"gravity.{last[1]}"
            return Input(name, "m/s^2", -self._by_number(number), number=f"-{number}")
        number = name if name in self.loops.system.parameters else f"{name}.amount"
        if number in self._numbers:
            return Input(name, self._unit_of_number(name, number), self._by_number(number), -1, number)
        if any(load.name == name for load in self.plan.loads):
            numbers = [n for n in self._numbers if n.startswith(f"{name}.")]
            hint = f"take one of its numbers: {', '.join(numbers)}" if numbers else "take an effort along its joint"
            raise InputError(Problem(f"'{name}' has no constant amount that could be an input", name, hint))
        if column is not None:
            hint = f"say '{name}.effort', or linearise with hold=['{name}'], which makes its motion an input"
            raise InputError(Problem(f"'{name}' is not held, so that its motion is no input", name, hint))
        raise InputError(Problem(f"there is no input '{name}'", name, did_you_mean(name, self.known_inputs)))

    @property
    def _still(self) -> Array:
        return np.zeros(self.n + self.nx)

    @property
    def known_inputs(self) -> list[str]:
        """What may be an input, the most usual first."""
        names = effort_names(self.loops)
        free = [f"{names[c]}.effort" for c in range(self.loops.columns) if c not in self.at.columns[self.point.held]]
        driven = [names[c] for c in self.at.columns[self.point.held]]
        short = [name.rpartition(".")[0] for name in driven]
        loads = [n.removesuffix(".amount") for n in self._numbers if n.endswith(".amount")]
        places = [
            f"{p}.{c}" for p in moving_places(self.plan) for c, k in PUSHES.items() if k < 3 or p not in self._points
        ]
        return [
            *driven,
            *short,
            *(f"{name}.{what}" for name in short for what in ("rate", "acceleration")),
            *loads,
            *free,
            *(f"{n.rpartition('.')[0]}.effort" for n in names),
            *self._numbers,
            *places,
            *BASE,
        ]

    @cached_property
    def _points(self) -> set[str]:
        return {point.name for point in self.plan.points}

    @cached_property
    def _numbers(self) -> list[str]:
        """Parameters that change forces and states alone, and no place of a joint."""
        owners = {load.name for load in self.plan.loads} | {own.name for own in self.plan.states} | {"gravity"}
        kept = [n for n in self.loops.system.parameters if n.partition(".")[0] in owners and not n.endswith(".start")]
        return [n for n in kept if not n.endswith((".along.x", ".along.y", ".along.z"))]

    def _unit_of_number(self, name: str, number: str) -> str:
        if number.startswith("gravity."):
            return "m/s^2"
        if number.endswith(".amount"):
            load = next((x for x in self.plan.loads if x.name == number.partition(".")[0]), None)
            if load is not None and load.acts_along is not None:
                return effort_units(self.loops)[load.acts_along.w]
            return "N m" if load is not None and type(load).__name__.startswith("Torque") else "N"
        return parameter_unit(self.loops, number)

    def _by_number(self, number: str) -> Array:
        law = motion_balance(self.plan, self.at.order, self.at.columns.tolist())
        question = Question(law, ((number,),), self.at.closure)
        found = self.loops.system.bound_kernel(question)(*self.at.inputs)
        parts = found if isinstance(found, tuple) else (found,)
        R = np.asarray(parts[0])[..., 0]
        f = np.asarray(parts[1])[..., 0] if len(parts) > 1 else np.zeros(0)
        return np.concatenate([-R, f])

    def _column_of(self, force: Array) -> Array:
        return np.concatenate([force, np.zeros(self.nx)])

    def _column(self, name: str) -> int | None:
        found = self.loops.book.find(name, "variable", "rate")
        return None if found is None else int(found.column)

    def _unit_of(self, column: int) -> str:
        return {"N": "m", "N m": "rad"}.get(effort_units(self.loops)[column], "1")

    # ---------------------------------------------------------------- outputs

    def outputs(self, names: str | Sequence[str]) -> list[Output]:
        """Outputs by name; InputError lists all that are none."""
        return self._all(names, self._output, "output")

    def _output(self, name: str) -> Output:
        owner, _, last = name.rpartition(".")
        zero = np.zeros(self.n + self.nx)
        if last in ("effort", "force", "torque") and (column := self._column(owner)) is not None:
            places = np.flatnonzero((self.at.columns == column) & self.point.held)
            if not places.size:
                hint = f"linearise with hold=['{owner}']"
                raise InputError(Problem(f"'{owner}' is not held, so no effort holds it", name, hint))
            k, c = int(places[0]), self.c
            rows = np.concatenate([c.K[k], c.X[k]]), self._wide(c.D[k]), self._wide(c.M[k])
            return Output(name, effort_units(self.loops)[column], rows, 0, k)
        if any(own.name == name for own in self.plan.states):
            k = [own.name for own in self.plan.states].index(name)
            row = zero.copy()
            row[self.n + k] = 1.0
            unit = next(s.unit for s in self.loops.system.mechanism.states.values() if s.name == name)
            return Output(name, unit, (row, zero, zero))
        if any(load.name == name for load in self.plan.loads):
            return self._load(name)
        if (component := joint_reactions.component(self.at, name)) is not None:
            rows = joint_reactions.rows_of(self.at, component, self.c.G)
            return Output(name, component.unit, rows, component=component)
        base, order = name, 0
        if last in DERIVED and self._column(owner) is not None:
            base, order = owner, DERIVED[last]
        column = self._column(base)
        if column is not None:
            return self._of_joint(name, base, column, order)
        text, order, unit = self._of_place(name)
        if not text:
            text, unit = name, "1"
        source = (self._conditions(text if not order else f"rate({text})"), 0)
        return Output(name, unit, *self._differentiated(text, order), source=source)

    def _of_joint(self, name: str, base: str, column: int, order: int) -> Output:
        unit = (
            ("{}", "{}/s", "{}/s^2")[order].format(self._unit_of(column)).replace("1/s", "Hz" if order == 1 else "1/s")
        )
        found = self.loops.book.find(base, "variable")
        if found is None:  # a turn of a joint that turns freely has a rate alone
            rates = rates_of_independent(self.at)[..., column]
            c1 = self._wide(rates)
            c0 = self._wide(rates @ self.c.G)
            unit = "rad/s" if order < 2 else "rad/s^2"
            return Output(name, unit, (c0, c1, np.zeros_like(c0)), max(order - 1, 0))
        full = self.plan.variables[found.place]
        names = effort_names(self.loops)
        if names[column] in {n for slot in self.plan.measured for n in self.plan.variables[slot.q]}:
            text = written(full)  # a coordinate of a place that is held
            return Output(name, unit, *self._differentiated(text, order))
        return Output(name, unit, *self._differentiated(written(full), order))

    def _of_place(self, name: str) -> tuple[str, int, str]:
        """The expression of a coordinate of a place, how often it is differentiated, and the unit."""
        places = measured_places(self.plan)
        owner, _, last = name.rpartition(".")
        for prefix, order in (("", 0), ("v", 1), ("a", 2)):
            if owner in places and last in [f"{prefix}{a}" for a in AXES]:
                return written(f"{owner}.{last[-1]}"), order, ("m", "m/s", "m/s^2")[order]
        base, _, kind = owner.rpartition(".")
        words = ("position", "velocity", "acceleration")
        if base in places and kind in words and last in AXES:
            order = words.index(kind)
            return written(f"{base}.{last}"), order, ("m", "m/s", "m/s^2")[order]
        return "", 0, ""

    def _differentiated(self, text: str, order: int) -> tuple[tuple[Array, Array, Array], int]:
        """Rows of an expression or of its rate, and how often these are still to be differentiated."""
        if not order:
            return self._expression(text), 0
        return self._expression(f"rate({text})"), order - 1

    def _expression(self, text: str) -> tuple[Array, Array, Array]:
        try:
            names = names_in(text)
        except ModelError as error:
            raise InputError([Problem(p.what, text, p.hint) for p in error.problems]) from None
        problems = list(self.book.problems(names, text))
        if problems:
            hints = did_you_mean(text, self.known_outputs)
            raise InputError([Problem(p.what, text, hints if len(names) == 1 and hints else p.hint) for p in problems])
        law = self._conditions(text)
        by = ("y", "w", "states") if self.plan.states else ("y", "w")
        at = self.at
        given = [at.y, at.w, np.array([at.t]), *([at.x] if self.nx else [])]
        found = self.loops.system.bound_kernel(Question(law, (by,), at.closure))(*given)
        psi, w = found[0][0], found[1][0]
        x = found[2][0] if self.nx else np.zeros(0)
        return np.concatenate([psi + w @ self.c.G, x]), self._wide(w), np.zeros(self.n + self.nx)

    def _conditions(self, text: str) -> Quantity:
        return conditions([text], bool(self.plan.states))

    def with_direct(self, inputs: Sequence[Input], outputs: Sequence[Output]) -> list[Output]:
        """Outputs with what numbers among the inputs do to them at once, as the free length to a spring's tension."""
        return [replace(wanted, direct=tuple(self._direct(given, wanted) for given in inputs)) for wanted in outputs]

    def _direct(self, given: Input, wanted: Output) -> float:
        at = self.at
        sign, number = (-1.0, given.number[1:]) if given.number.startswith("-") else (1.0, given.number)
        if wanted.component is not None:
            if number:
                return sign * joint_reactions.by_number(at, wanted.component, number)
            if given.push is not None:
                return joint_reactions.by_push(at, wanted.component, *given.push)
            return joint_reactions.by_effort(at, wanted.component, given.column) if given.column >= 0 else 0.0
        if wanted.source is None or not number:
            return 0.0
        arguments = [at.y, at.w, np.array([at.t]), *([at.x] if self.nx else [])]
        law, place = wanted.source
        slopes = self.loops.system.bound_kernel(Question(law, ((number,),)))(*arguments)
        first = slopes[0] if isinstance(slopes, tuple) else slopes
        return sign * float(np.asarray(first)[place, 0])

    @cached_property
    def _load_slopes(self) -> Any:
        """Derivatives of what all loads do by ψ, w and x."""
        at, nx = self.at, self.nx
        given = [at.y, at.w, np.array([at.t]), *([at.x] if nx else [])]
        by = ("y", "w", "states") if nx else ("y", "w")
        return self.loops.system.bound_kernel(Question(load_state(bool(nx)), (by,), at.closure))(*given)

    def _load(self, name: str) -> Output:
        k = [load.name for load in self.plan.loads].index(name)
        nx, found = self.nx, self._load_slopes
        psi, w, x = found[0][k], found[1][k], found[2][k] if nx else np.zeros(0)
        load = self.plan.loads[k]
        unit = effort_units(self.loops)[load.acts_along.w] if load.acts_along is not None else "N"
        if type(load).__name__.startswith("Torque"):
            unit = "N m"
        rows = np.concatenate([psi + w @ self.c.G, x]), self._wide(w), np.zeros(self.n + nx)
        return Output(name, unit, rows, source=(load_state(bool(nx)), k))

    def _wide(self, row: Array) -> Array:
        return np.concatenate([row, np.zeros(self.nx)])

    @property
    def known_outputs(self) -> list[str]:
        """What may be an output, the most usual first."""
        own = self.loops.book.known("variable")
        places = [f"{p}.{a}" for p in measured_places(self.plan) for a in AXES]
        return [
            *own,
            *(f"{n}.rate" for n in own),
            *places,
            *(x.name for x in self.plan.loads),
            *(x.name for x in self.plan.states),
            *joint_reactions.known_components(self.at),
        ]

    def _all(self, names: str | Sequence[str], one: Any, what: str) -> list[Any]:
        listed = [names] if isinstance(names, str) else list(names)
        found, problems = [], list[Problem]()
        for name in listed:
            if not isinstance(name, str):
                problems.append(Problem(f"{name!r} is not the name of an {what}"))
                continue
            try:
                found.append(one(name))
            except InputError as error:
                problems += error.problems
        if problems:
            raise InputError(problems, self.plan.name)
        return found


def moving_places(plan: Plan) -> list[str]:
    """Bodies, points and frames that forces may act on."""
    return [
        n for n in (*plan.index, *(m.name for m in plan.points), *(m.name for m in plan.frames)) if n != plan.ground
    ]


def by_name(found: Sequence[Any]) -> Mapping[str, Any]:
    """Signals by their names."""
    return {own.name: own for own in found}
