"""Exact derivatives of quantities of machines with loops: partial ones, and total ones through the closure.

Partial derivatives take the laws as they stand, with the pivots of home. Total ones have a meaning of their own, so
any pivots serve: each sample takes those that suit its posture, as efforts along a motion do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.closed_quantities import Asked, closed_quantity, free_columns, home_order, is_closed_quantity
from linkwork.analyses.forces.finite import loads_must_be_finite
from linkwork.analyses.forces.forward import SICK
from linkwork.analyses.forces.reactions import POOR, SINGULAR, weakness
from linkwork.analyses.forces.self_stress import left_open
from linkwork.analyses.kinematics.failures import DeadCentre
from linkwork.analyses.kinematics.posture import Posture
from linkwork.equations.closed_dynamics import closed_forward_dynamics
from linkwork.equations.closed_quantities import ELIMINATED, part_of
from linkwork.equations.loop_solver import Order
from linkwork.equations.total_derivatives import Closure, closure_witness, of_all_joints
from linkwork.errors import InputError, ModelError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.system import Derivative, EvaluationOptions, broadcast_shape

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

KEPT = 1e-7
"""Part of the movement by which redundant equations may be missed when a parameter moves: far above rounding."""
THROUGH = ("", "closure")


def closed_derivative(
    machine: Machine,
    quantity: str,
    wrt: str | Sequence[str],
    of: str,
    then: str | Sequence[str],
    through: str,
    independent: str | Sequence[str] | None,
) -> Derivative:
    """Derivatives of a quantity of a machine with loops; see `Machine.derivative`."""
    if through not in THROUGH:
        hint = 'through="closure" lets the dependent joints follow; leave it out for partial derivatives'
        raise InputError(Problem(f"through={through!r}", "through", hint), machine.name)
    if independent is not None and not through and quantity not in ELIMINATED:
        text = "nothing follows the independent variables in partial derivatives"
        raise InputError(Problem(text, "independent", 'say through="closure"'), machine.name)
    if is_closed_quantity(machine, quantity):
        asked = closed_quantity(machine, quantity, of, independent)
    else:
        plain = machine._question(quantity, of).quantity
        tree = of_all_joints(plain)
        asked = Asked(lambda order: tree, free_columns(machine, independent))
    order = home_order(machine, asked)
    law = asked.law(order)
    by = tuple(machine._group(law, names, where) for names, where in ((wrt, "wrt"), (then, "then")) if names != ())
    single = tuple(isinstance(x, str) and x not in law.inputs for x in (wrt, then)[: len(by)])
    if not through:
        if quantity == "forward_dynamics":
            whole = closed_forward_dynamics(machine._forward_dynamics.elimination, "all", "all")
            law = part_of(whole, "a")
        return ClosedDerivative(machine, Question(law, by), single, asked, None, [])

    if machine.loops.of_rates:
        verb = "restricts" if len(machine.loops.of_rates) == 1 else "restrict"
        text = f"{', '.join(machine.loops.of_rates)} {verb} rates alone, so that places do not follow each other"
        raise InputError(Problem(text, "through", "leave it out for partial derivatives"), machine.name)

    def at(pivots: Order) -> Question:
        return Question(asked.law(pivots), by, Closure(pivots, asked.free))

    usual = float(weakness(machine.loops, order, machine.home.y[np.newaxis])[0])
    return ClosedDerivative(machine, at(order), single, asked, at, [(order, usual)])


@dataclass(frozen=True, eq=False)
class ClosedDerivative(Derivative):
    """Derivatives of a quantity of a machine with loops, made by `Machine.derivative`."""

    system: Machine
    asked: Asked
    at: Callable[[Order], Question] | None
    """The question by order of pivots, for total derivatives."""
    orders: list[tuple[Order, float]]
    """Orders that have been needed, that of home first, and how weak their pivots are where they were found."""

    @property
    def independent(self) -> tuple[str, ...]:
        """The independent rates: the axis of total derivatives by y, w and dw."""
        return self.system.loops.names(self.asked.free)

    def __call__(self, *inputs: Any, **options: Unpack[EvaluationOptions]) -> Any:
        """Derivatives at the inputs; efforts may be left out where there are none.

        Parameters
        ----------
        inputs : those of the quantity, y first
        options : see `EvaluationOptions`
        """
        machine, names = self.system, self.question.quantity.inputs
        if options.get("parameters"):
            hint = "use with_parameters(...), whose loops are closed with them"
            raise InputError(Problem("other parameters of a machine with loops", "parameters", hint), machine.name)
        if any(self.single) and options.get("out") is not None:
            hint = "name it in a list, wrt=[...], and give its axis"
            raise InputError(Problem("`out` of a derivative by a single parameter", hint=hint), machine.name)
        wanted = [name for name in names if name != "t"]
        if wanted[-1] == "effort" and len(inputs) == len(wanted) - 1:
            inputs = (*inputs, np.zeros(machine.plan.nw))
        if len(inputs) != len(wanted):
            text = f"{len(inputs)} inputs for ({', '.join(wanted)})"
            raise InputError(Problem(text, hint=f"give {', '.join(wanted)} as arrays, in this order"), machine.name)
        arrays = [np.asarray(x, float) for x in inputs]
        if "t" in names:
            arrays.append(np.asarray(options.get("t", 0.0), float)[..., np.newaxis])
        shape = broadcast_shape({n: x.shape[:-1] for n, x in zip(names, arrays, strict=True)}, machine.name)
        flat = [
            np.ascontiguousarray(np.broadcast_to(x, (*shape, x.shape[-1])).reshape(-1, x.shape[-1])) for x in arrays
        ]
        found = (
            self._partial(flat, options.get("threads"))
            if self.at is None
            else self._total(flat, options.get("threads"))
        )
        self._must_be_finite(found, flat)
        if self.asked.joint is not None:
            self._leave_open(found, flat[0])
        results = [x.reshape(*shape, *x.shape[1:]) for x in found]
        if any(self.single):
            last = (..., *(0 if single else slice(None) for single in self.single))
            results = [x[last] for x in results]
        return _given_out(results, options.get("out"))

    # ---------------------------------------------------------------- numbers

    def _partial(self, flat: list[Array], threads: int | None) -> list[Array]:
        machine = self.system
        if "closed forward dynamics" in self.question.quantity.name:
            forward = machine._forward_dynamics
            _, health = forward.kernel(True, True)(*flat)
            if np.any(health >= SICK * max(1, len(forward.elimination.usual))):
                text = "the pivots that serve at home have shrunk at this posture"
                hint = 'through="closure" takes others; or start from a posture nearer by (starting_from)'
                raise ModelError(Problem(text, hint=hint), machine.name)
        return _as_list(machine.bound_kernel(self.question)(*flat, threads=threads))

    def _total(self, flat: list[Array], threads: int | None) -> list[Array]:
        assert self.at is not None
        whole: list[Array] | None = None
        for rows, order in self._orders_for(flat[0]):
            self._must_stay_closed(order, flat[0][rows])
            part = _as_list(self.system.bound_kernel(self.at(order))(*(x[rows] for x in flat), threads=threads))
            if len(rows) == len(flat[0]):
                return part
            whole = whole or [np.empty((len(flat[0]), *x.shape[1:])) for x in part]
            for x, own in zip(whole, part, strict=True):
                x[rows] = own
        return whole or _as_list(self.system.bound_kernel(self.question)(*flat, threads=threads))  # no samples at all

    def _orders_for(self, Y: Array) -> Iterator[tuple[NDArray[np.intp], Order]]:
        """Samples with pivots that serve them: those known first, then others as they are needed."""
        loops, independent = self.system.loops, self.asked.independent(self.system.loops)
        left = np.arange(len(Y))
        if not loops.count:
            yield left, self.orders[0][0]
            return
        known = 0
        while left.size:
            if known == len(self.orders):
                order = loops.order(Y[left[0]], independent)
                usual = float(weakness(loops, order, Y[left[:1]])[0])
                if len(order.pivots) + len(self.asked.free) != loops.columns or not usual < SINGULAR:
                    text = f"{', '.join(self.independent)} cannot move the machine there, so nothing follows them"
                    hint = "name other independent variables, or a posture beside this one"
                    raise DeadCentre(Problem(text, "independent", hint), loops.plan.name, Posture(loops, Y[left[0]]))
                self.orders.append((order, usual))
            order, usual = self.orders[known]
            weak = weakness(loops, order, Y[left])
            served = (weak <= POOR * max(usual, 1.0)) & (weak < SINGULAR)
            if served.any():
                yield left[served], order
            left = left[~served]
            known += 1

    # ---------------------------------------------------------------- what has no derivative

    def _must_stay_closed(self, order: Order, Y: Array) -> None:
        """InputError for parameters that would break loops whose redundant equations must stay fulfilled."""
        loops, inputs = self.system.loops, self.question.quantity.inputs
        groups = [group for group in self.question.by if group[0] not in inputs]
        if len(order.pivots) == loops.rows or not groups:
            return
        asked: list[tuple[tuple[str, ...], ...]] = [(group,) for group in groups]
        if len(self.question.by) == 2:
            both = tuple(group if group[0] not in inputs else ("y",) * ("y" in group) for group in self.question.by)
            asked += [both] if all(both) else []
        broken: dict[str, set[str]] = {}
        for by in asked:
            for name, rows in self._missed(order, by, Y):
                broken.setdefault(name, set()).update(g.name for g in loops.groups for r in rows if r in g.rows)
        if broken:
            hint = "take parameters that keep the geometry special, as those in the plane of a planar machine"
            text = "moves joints apart: redundant equations of the loop of {} hold for a special geometry only"
            problems = [Problem(text.format(", ".join(sorted(joints))), name, hint) for name, joints in broken.items()]
            raise InputError(problems, self.system.name)

    def _missed(
        self, order: Order, by: tuple[tuple[str, ...], ...], Y: Array
    ) -> Iterator[tuple[str, NDArray[np.intp]]]:
        """Parameters with which redundant equations are missed, and those rows."""
        machine, loops, law = self.system, self.system.loops, closure_witness()
        errors, moved = machine.bound_kernel(Question(law, by, Closure(order, self.asked.free)))(Y)
        apart, _ = machine.bound_kernel(Question(law, by))(Y)
        axes = (1,) * len(by)
        rows, columns = (x.reshape(-1, *axes) for x in (loops.row_scale, loops.variable_scale))
        errors = np.abs(errors * rows)
        size = np.abs(moved * columns).max(axis=1, initial=0.0)
        for k, group in enumerate(by):
            if group == ("y",):
                continue
            others = tuple(i for i in range(1, len(by) + 1) if i != k + 1)  # of (samples, *groups)
            large = size.max(axis=others, initial=0.0)
            large = large + np.abs(apart * rows).max(axis=(1, *(i + 1 for i in others)), initial=0.0)
            small = errors.max(axis=tuple(i + 1 for i in others), initial=0.0)
            for j, name in enumerate(group):
                missed = np.flatnonzero((small[:, :, j] > KEPT * large[:, np.newaxis, j]).any(axis=0))
                if missed.size:
                    yield name, missed

    def _leave_open(self, found: list[Array], Y: Array) -> None:
        """Components of reactions that redundant loops leave open are no numbers."""
        loops = self.system.loops
        independent = np.isin(np.arange(loops.columns), self.asked.free)
        open_ = left_open(loops, Y, independent)
        for x in found:
            own = open_ if self.asked.joint == -1 else open_[:, self.asked.joint or 0]
            x[own] = np.nan

    def _must_be_finite(self, found: list[Array], flat: list[Array]) -> None:
        """Refuse derivatives that are no numbers though all that was given is."""
        bad = ~np.all([np.isfinite(x).reshape(len(x), -1).all(axis=1) for x in found], axis=0)
        bad &= np.all([np.isfinite(x).all(axis=1) for x in flat], axis=0)
        if not bad.any():
            return
        loops, plan = self.system.loops, self.system.plan
        given = dict(zip(self.question.quantity.inputs, (x[bad] for x in flat), strict=True))
        count = int(bad.sum())
        w, t = given.get("w", np.zeros((count, plan.nw))), given.get("t", np.zeros((count, 1)))
        loads_must_be_finite(loops, given["y"], w, t)
        text = "the derivatives are not finite numbers there: a singular posture, or a law that has none"
        raise DeadCentre(
            Problem(text, hint="look beside this posture"), self.system.name, Posture(loops, given["y"][0])
        )


def _as_list(found: Any) -> list[Array]:
    return list(found) if isinstance(found, tuple) else [found]


def _given_out(results: list[Array], out: Any) -> Any:
    if out is None:
        return tuple(results) if len(results) > 1 else results[0]
    for x, own in zip(out if isinstance(out, tuple) else (out,), results, strict=True):
        x[...] = own
    return out
