"""The loops of a system as numbers: errors, Jacobians, pivots, and kernels that keep them closed.

Everything is scaled so that a length of the machine's size counts like a radian: one tolerance serves all rows, and
pivots of angles and slides can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.sparse_steps import SparseSteps, steps_of
from linkwork.equations.closed_forces import closed_forces, idle_wrenches
from linkwork.equations.loop_solver import (
    Order,
    closing_rates,
    closing_step,
    closure_products,
    length_rates,
    length_rows,
)
from linkwork.equations.quantities import QUANTITIES
from linkwork.equations.rows import RowGroup, row_groups
from linkwork.errors import LinkworkError
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.kernels.hosted import Evaluator
from linkwork.names import NameBook, joint_names
from linkwork.numerics.elimination import Elimination, eliminate, solve_batch
from linkwork.numerics.row_choice import with_good_rows
from linkwork.numerics.sparse_order import PivotOrder, SparseFactor, Triplets, pivot_order, sparse_factor
from linkwork.numerics.sparse_rank import checked_order
from linkwork.system import System
from linkwork.units import ANGLE, LENGTH, NUMBER, format_quantity

Mask = NDArray[np.bool_]

CLOSURE = Question(QUANTITIES["closure"])
"""Errors of all rows and the entries of their Jacobian."""
CLOSED = 1e-10
"""Largest error of a closed loop [rad, or parts of the machine's size]."""
SINGULAR = 1e-7
"""Pivots below count as none: a posture this near to a singular one is told as singular."""
NOTHING = 1e-12
"""Pivots below are rounding."""
WELL = 1e-2
"""How much of a column must be new for it to depend on the others before a preferred one does."""
LARGE, HUGE = 20_000, 250_000
"""Entries of J from which it is eliminated sparsely, and from which it is never kept dense."""
MOST_PROBLEMS = 64
"""Things of simulations that are kept for the next ones."""
CONVERGED = 1e-10
"""A stride of Newton's method, after which there is nothing left to correct: the next one is its square."""
KEPT = 8
"""Orders of pivots of sparse Jacobians that are kept."""
NEARLY = 1e-2
"""How far pivots may shrink from one posture to another for their order to serve again."""


@dataclass(frozen=True, eq=False)
class Roles:
    """Which rates depend on which at a posture, and which equations say nothing new.

    dependent, pivot_rows : in the order of the pivots; free, specified, redundant_rows : ascending
    pivots : scaled; conflict : > 0 when the specified rates contradict each other, `in_conflict` are those
    """

    dependent: NDArray[np.int64]
    pivot_rows: NDArray[np.int64]
    free: NDArray[np.int64]
    specified: NDArray[np.int64]
    redundant_rows: NDArray[np.int64]
    pivots: Array
    conflict: float
    in_conflict: NDArray[np.int64]

    @property
    def rank(self) -> int:
        """Number of independent equations among the rates that are not specified."""
        return len(self.dependent)

    @property
    def independent(self) -> NDArray[np.int64]:
        """Rates that may be chosen."""
        return np.sort(np.concatenate([self.free, self.specified]))

    @property
    def quality(self) -> float:
        """|product of the pivots|; 1 without loops."""
        return float(np.exp(np.sum(np.log(np.abs(self.pivots)))))

    @property
    def smallest(self) -> float:
        """Smallest |pivot|; infinite without loops."""
        return float(np.abs(self.pivots).min(initial=np.inf))


class Loops:
    """Rows of a system, scaled. y are the variables of all joints, w their rates (tree first, then cut).

    whole : given for its rows of places alone, which postures obey; else all rows, which rates obey
    """

    def __init__(self, system: System, whole: Loops | None = None) -> None:
        self.system = system
        self.whole: Loops = self if whole is None else whole
        self.solvers: dict[tuple[bytes, ...], Any] = {}
        """See `posture_paths.solver_for`."""
        self.efforts: dict[tuple[tuple[str, ...] | None, bytes, str], Any] = {}
        """See `forces.reactions.plain_efforts`."""
        self.problems: dict[Any, Any] = {}
        """See `simulation.engine`: addresses, good in this process alone."""
        self.eliminations: list[Any] = []
        """See `simulation.eliminations`: orders of pivots that serve at some postures."""
        self.known_ranks: list[Any] = []
        """See `simulation.eliminations`: rows at postures where their independence is known."""
        self._orders: dict[Any, PivotOrder] = {}
        self._steps: dict[Order, SparseSteps] = {}
        self._serving: dict[bytes, PivotOrder] = {}
        self.plan = system.plan
        self.ordinary_mobility: int | None = None
        """See `ordinary.ordinary_mobility`."""
        plan = self.plan
        self.length = float(system.layout.size)
        every = row_groups(plan)
        self.groups: tuple[RowGroup, ...] = every if whole is None else tuple(g for g in every if not g.of_rates)
        """Who makes the rows."""
        self.count = len(self.groups)
        self.rows, self.columns = plan.nl if whole is None else plan.nl_places, plan.nw
        self.entry_rows = _concatenated([np.repeat(np.array(g.rows), len(g.rates)) for g in self.groups])
        self.entry_columns = _concatenated([np.tile(g.rates, len(g.rows)) for g in self.groups])
        self.column_scale = np.where(length_rates(plan), self.length, 1.0)
        if whole is None:
            self.row_scale = np.where(length_rows(plan), 1.0 / self.length, 1.0)
            self.row_scale[self.rows - len(plan.constraints) :] = self._constraint_scales()
        else:
            self.row_scale = whole.row_scale[: self.rows]
        self.variable_scale = np.ones(plan.ny)
        self.turning: Mask = np.zeros(plan.nw, bool)
        """Rates of joints that turn freely."""
        self.quaternions: list[int] = []
        for slot in plan.slots:
            for k, variable in enumerate(slot.law.variables):
                if variable.dimension == "length":
                    self.variable_scale[slot.q.start + k] = 1.0 / self.length
            if slot.plain < len(slot.law.variables):
                self.quaternions.append(slot.q.start + slot.plain)
                self.turning[slot.v.start + slot.plain : slot.v.stop] = True

    def keep(self, key: Any, made: Any) -> Any:
        """Keep something in `problems`, which are forgotten when they become many."""
        if len(self.problems) >= MOST_PROBLEMS:
            self.problems.clear()
        self.problems[key] = made
        return made

    @cached_property
    def of_places(self) -> Loops:
        """The rows that restrict places; all of them, unless some restrict rates alone."""
        if self.whole is not self or self.plan.nl_places == self.plan.nl:
            return self
        return Loops(self.system, self)

    @cached_property
    def places(self) -> list[int]:
        """By rate, the place of its variable: of joints that turn freely the first, the second, ... of theirs."""
        places = [0] * self.plan.nw
        for slot in self.plan.slots:
            for column in range(slot.v.start, slot.v.stop):
                places[column] = slot.q.start + column - slot.v.start
        return places

    @property
    def of_rates(self) -> tuple[str, ...]:
        """Constraints that restrict rates alone, by name."""
        return tuple(g.name for g in self.groups if g.of_rates)

    def _constraint_scales(self) -> Array:
        """By constraint, the power of two by which its row has a length near 1 at the layout."""
        plan, first = self.plan, self.rows - len(self.plan.constraints)
        if not plan.constraints:
            return np.zeros(0)
        _, entries = self._closure(plan.layout_y)
        scaled, own = entries * self.column_scale[self.entry_columns], self.entry_rows >= first
        squares = np.bincount(self.entry_rows[own] - first, scaled[own] ** 2, len(plan.constraints))
        known = np.isfinite(squares) & (squares > 0.0)
        scales: Array = np.where(known, 2.0 ** -np.rint(0.5 * np.log2(np.where(known, squares, 1.0))), 1.0)
        return scales

    @property
    def quaternion_parts(self) -> list[int]:
        """Places of all numbers of quaternions among y."""
        return [q + k for q in self.quaternions for k in range(4)]

    @cached_property
    def rows_in_use(self) -> int:
        """Rows of J that are not null at the layout: planar loops have three, and no choice among them."""
        J = self.triplets(self.plan.layout_y)
        return len(np.unique(np.asarray(J.rows)[np.abs(np.asarray(J.values)) > NOTHING]))

    @cached_property
    def tolerance(self) -> float:
        """Largest error of a closed loop [rad, or parts of the machine's size]; rounding far from the origin counts."""
        far = max(self.plan.distances.values(), default=0.0)
        return max(CLOSED, 100.0 * float(np.finfo(float).eps) * far / self.length)

    @property
    def sparse(self) -> bool:
        """Whether J is large enough to be eliminated sparsely."""
        return self.rows * self.columns > LARGE

    @property
    def huge(self) -> bool:
        """Whether J is too large for dense algebra."""
        return self.rows * self.columns > HUGE

    # ---------------------------------------------------------------- numbers at postures

    def errors(self, y: Array) -> Array:
        """Scaled loop errors (..., rows)."""
        e, _ = self._closure(y)
        return np.asarray(e) * self.row_scale

    def residual(self, y: Array) -> Array:
        """Largest scaled error by posture (...)."""
        largest: Array = np.abs(self.errors(y)).max(axis=-1, initial=0.0)
        return largest

    def equations(self, y: Array) -> tuple[Array, Array]:
        """Scaled errors (..., rows) and dense scaled Jacobians (..., rows, columns)."""
        e, entries = self._closure(y)
        J = np.zeros((*np.shape(y)[:-1], self.rows, self.columns))
        J[..., self.entry_rows, self.entry_columns] = entries * self.entry_scale
        return np.asarray(e) * self.row_scale, J

    def triplets(self, y: Array) -> Triplets:
        """The scaled Jacobian at one posture, sparse."""
        _, entries = self._closure(y)
        values = entries * self.entry_scale
        kept = values != 0.0
        shape = (self.rows, self.columns)
        return Triplets(self.entry_rows[kept], self.entry_columns[kept], values[kept], shape)

    def _closure(self, y: Array) -> tuple[Array, Array]:
        e, entries = self.system.bound_kernel(CLOSURE)(y)
        if self.whole is not self:
            return e[..., : self.rows], entries[..., : len(self.entry_rows)]
        return e, entries

    def scaled_entries(self, y: Array) -> Array:
        """Entries of the scaled Jacobian (..., entries); all others are zero."""
        found: Array = self._closure(y)[1] * self.entry_scale
        return found

    @cached_property
    def entry_scale(self) -> Array:
        """By entry of the Jacobian, what scales it."""
        scale: Array = self.row_scale[self.entry_rows] * self.column_scale[self.entry_columns]
        return scale

    def errors_and_entries(self, y: Array) -> tuple[Array, Array]:
        """Scaled errors (..., rows) and the entries of the scaled Jacobian (..., entries)."""
        e, entries = self._closure(y)
        return np.asarray(e) * self.row_scale, np.asarray(entries) * self.entry_scale

    def is_finite(self, y: Array) -> bool:
        """Whether the equations have values at a posture: some joints' laws end somewhere."""
        e, entries = self._closure(y)
        return bool(np.isfinite(e).all() and np.isfinite(entries).all())

    def advanced(self, y: Array, stride: Array) -> Array:
        """Variables after scaled rates have acted for a unit of time."""
        moved: Array = self.system.bound_kernel(Question(QUANTITIES["advance"]))(y, stride * self.column_scale)
        return moved

    def apart(self, y0: Array, y1: Array) -> Array:
        """The scaled step from one posture to another."""
        stride: Array = self.system.bound_kernel(Question(QUANTITIES["apart"]))(y0, y1)
        return stride / self.column_scale

    # ---------------------------------------------------------------- roles and orders

    def roles(self, y: Array, specified: Mask, tolerance: float = SINGULAR) -> Roles:
        """Pivots at a posture: the largest outside the specified columns."""
        if self.sparse:
            return _roles_of_order(self._pivots(y, specified, tolerance))
        return _roles_of(eliminate(self.equations(y)[1], specified, tolerance))

    def roles_and_rates(self, y: Array, specified: Mask, given: Array) -> tuple[Roles, Array]:
        """Roles at a posture, and the rates of all joints for those of specified columns, the other independent ones at
        rest: by one elimination where the equations are dense."""
        if self.sparse:
            roles = self.roles(y, specified)
            independent = specified.copy()
            independent[roles.free] = True
            return roles, self.rates(y, independent, [given])[0]
        J = self.equations(y)[1]
        factor = eliminate(J, specified, SINGULAR)
        own = np.where(specified, given, 0.0) / self.column_scale
        found: Array = (factor.solve(-(J @ own))[0] + own) * self.column_scale
        return _roles_of(factor), found

    def chosen(self, y: Array, specified: Mask, prefer: NDArray[np.int64]) -> Roles:
        """Roles with free columns that suit users: those preferred stay free as long as the rest serves well enough.

        prefer : by column, 0 for an ordinary one, more for one that should rather stay free
        """
        found = self.roles(y, specified)
        if not len(found.free):
            return found
        if self.sparse:
            weights = prefer - np.arange(self.columns) / self.columns  # those declared first stay free
            dependent = self._pivots(y, specified, SINGULAR, weights).columns
        else:
            dependent = _basis(self.equations(y)[1], specified, prefer)
        independent = np.ones(self.columns, bool)
        independent[dependent] = False
        plain = self.roles(y, independent)
        if plain.rank < found.rank:  # the preferred ones do not serve after all
            return found
        is_free = np.setdiff1d(plain.specified, np.flatnonzero(specified))
        given = np.setdiff1d(plain.specified, is_free)
        conflict = (found.conflict, found.in_conflict)
        return Roles(plain.dependent, plain.pivot_rows, is_free, given, plain.redundant_rows, plain.pivots, *conflict)

    def order(self, y: Array, independent: Mask) -> Order:
        """Pivots in an order that costs little, all columns but the independent ones dependent where they can be."""
        J = self.triplets(y)
        found = (
            self._factor_near(J, independent, NOTHING).order
            if self.sparse
            else pivot_order(J, independent, tolerance=NOTHING)
        )
        return Order(tuple(zip(found.rows.tolist(), found.columns.tolist(), strict=True)))

    # ---------------------------------------------------------------- one posture, one factorisation

    def factor(self, y: Array, independent: Mask, tolerance: float = NOTHING) -> Elimination | SparseFactor:
        """The scaled Jacobian at a posture, factorised: `solve` gives dependent rates."""
        if not self.sparse:
            return eliminate(self.equations(y)[1], independent, tolerance)
        return self._factor_near(self.triplets(y), independent, tolerance)

    def _factor_near(self, J: Triplets, independent: Mask, tolerance: float) -> SparseFactor:
        """A sparse Jacobian factorised in an order that served at another posture, if it still does; else in a new one.

        So that one kernel serves many postures.
        """
        key = independent.tobytes()
        known = self._serving.get(key)
        if known is not None:
            with suppress(LinkworkError):
                factor = sparse_factor(J, known)
                if factor.smallest_pivot > max(NEARLY * known.smallest_pivot, tolerance):
                    return factor
        order = with_good_rows(J, pivot_order(J, independent, tolerance=tolerance))
        if order.rank + independent.sum() == self.columns:
            while len(self._serving) >= KEPT:
                self._serving.pop(next(iter(self._serving)))
            self._serving[key] = order
        return sparse_factor(J, order)

    def independent_rows(self, y: Array) -> SparseFactor:
        """The sparse Jacobian split into independent rows and others, which are made of them."""
        J = self.triplets(y)
        return sparse_factor(J, with_good_rows(J, self._pivots(y, np.zeros(self.columns, bool), SINGULAR)))

    def _pivots(self, y: Array, specified: Mask, tolerance: float, prefer: Array | None = None) -> PivotOrder:
        """Pivots of a sparse Jacobian, whose number is checked; the last ones are kept."""
        key = y.tobytes(), specified.tobytes(), tolerance, None if prefer is None else prefer.tobytes()
        if key not in self._orders:
            found, _ = checked_order(self.triplets(y), tolerance, specified, prefer)
            while len(self._orders) >= KEPT:
                self._orders.pop(next(iter(self._orders)))
            self._orders[key] = found
        return self._orders[key]

    def correction(self, y: Array, independent: Mask, tolerance: float = NOTHING) -> Array:
        """Newton's step (scaled): J x = -e, independent rates and pivots below the tolerance left alone."""
        return self.factor(y, independent, tolerance).solve(-self.errors(y))[0]

    def corrected(self, y: Array, independent: Mask, steps: int = 3) -> Array:
        """The posture after some of Newton's steps."""
        for _ in range(steps):
            if not self.is_finite(y):  # a law ends here
                return np.full_like(y, np.nan)
            stride = self.correction(y, independent)
            y = self.advanced(y, stride)
            if self.sparse and np.abs(stride).max() < CONVERGED:
                break
        return y

    def rates(self, y: Array, independent: Mask, given: Sequence[Array]) -> list[Array]:
        """Rates of all joints, accelerations, jerks at one posture, for given independent ones (..., nw) of each level.

        J w = 0,  J w' = -γ(y, w),  J w'' = -δ(y, w, w'), all with the same factors.
        """
        if not self.count:
            return [np.array(g, float) for g in given]
        factor = self.factor(y, independent)
        dependent = np.where(independent, 0.0, 1.0)
        found: list[Array] = []
        for level, rates in enumerate(given):
            own = np.where(independent, rates, 0.0) / self.column_scale
            side = -self._times(y, own)
            if level:
                products = self.system.bound_kernel(Question(closure_products(level)))(y, *found)
                side = side - products * self.row_scale
            x = np.moveaxis(factor.solve(np.moveaxis(side, -1, 0))[0], 0, -1)
            found.append((x * dependent + own) * self.column_scale)
        return found

    def rates_each(self, Y: Array, independent: Mask, given: Sequence[Array]) -> list[Array]:
        """The same at many postures (samples, ny), one set of rates (samples, nw) of each level at each of them."""
        J = self.equations(Y)[1]
        found: list[Array] = []
        for level, rates in enumerate(given):
            own = np.where(independent, rates, 0.0) / self.column_scale
            side = -(J @ own[..., np.newaxis])[..., 0]
            if level:
                products = self.system.bound_kernel(Question(closure_products(level)))(Y, *found)
                side = side - products * self.row_scale
            found.append((self.solved(J, side[..., np.newaxis], independent)[..., 0] + own) * self.column_scale)
        return found

    def solved(self, J: Array, sides: Array, independent: Mask) -> Array:
        """x (samples, columns, k) of J x = sides, zero in independent columns, each with pivots of its own."""
        return solve_batch(J, sides, independent, NOTHING)[0]

    def _times(self, y: Array, stride: Array) -> Array:
        """J times scaled rates (..., nw)."""
        if not self.sparse:
            product: Array = stride @ self.equations(y)[1].T
            return product
        from scipy.sparse import coo_array

        J = self.triplets(y)
        matrix = coo_array((np.asarray(J.values), (np.asarray(J.rows), np.asarray(J.columns))), shape=J.shape).tocsr()
        flat: Array = (matrix @ stride.reshape(-1, self.columns).T).T
        return flat.reshape(*stride.shape[:-1], self.rows)

    # ---------------------------------------------------------------- kernels for many postures

    def factored(self, order: Order) -> SparseSteps | None:
        """Sparse factors by this order, of machines that are large."""
        return steps_of(self, order, self._steps)

    def sparse_steps(self, order: Order) -> SparseSteps | None:
        """Numeric steps, where the elimination fills in too far to be traced."""
        steps = self.factored(order)
        return steps if steps is not None and steps.fills_in else None

    def step_kernel(self, order: Order) -> Evaluator:
        """Newton's step by this order."""
        numeric = self.sparse_steps(order)
        if numeric is not None:
            return numeric.step
        scales = self.whole.row_scale[self.plan.nl - len(self.plan.constraints) :]
        return self.system.bound_kernel(Question(closing_step(order, tuple(scales.tolist()))))

    def rates_kernel(self, order: Order, derivatives: int) -> Evaluator:
        """Rates, accelerations, jerks of all joints by this order."""
        numeric = self.sparse_steps(order)
        if numeric is not None:
            return numeric.rates(derivatives)
        return self.system.bound_kernel(Question(closing_rates(order, derivatives)))

    def forces_kernel(self, order: Order, external: bool, states: bool) -> Evaluator:
        """Efforts and reactions by this order, as `closed_forces` has them."""
        numeric = self.sparse_steps(order)
        if numeric is not None:
            return numeric.forces(external, states)
        return self.system.bound_kernel(Question(closed_forces(order, "reactions", external, states)))

    def idle_kernel(self, order: Order) -> Evaluator:
        """Wrenches of joints in equilibrium by themselves, as `closed_forces.idle_wrenches` has them."""
        numeric = self.sparse_steps(order)
        return (
            numeric.idle_wrenches if numeric is not None else self.system.bound_kernel(Question(idle_wrenches(order)))
        )

    def rates_of(self, variables: NDArray[np.int64]) -> Mask:
        """Rates that belong to variables, all three of a quaternion."""
        mask: Mask = np.zeros(self.columns, bool)
        for slot in self.plan.slots:
            own = variables[(variables >= slot.q.start) & (variables < slot.q.stop)] - slot.q.start
            mask[slot.v.start + own[own < slot.plain]] = True
            if (own >= slot.plain).any():
                mask[slot.v.start + slot.plain : slot.v.stop] = True
        return mask

    def variables_of(self, rates: Mask) -> Mask:
        """Variables whose rates are among some; a whole quaternion, if one of its three is."""
        mask: Mask = np.zeros(self.plan.ny, bool)
        for slot in self.plan.slots:
            own = rates[slot.v]
            mask[slot.q.start : slot.q.start + slot.plain] = own[: slot.plain]
            mask[slot.q.start + slot.plain : slot.q.stop] = own[slot.plain :].any()
        return mask

    # ---------------------------------------------------------------- names

    @cached_property
    def book(self) -> NameBook:
        """Names of joints, their variables and rates, with their places among y and w."""
        slots = self.plan.slots
        joints = {s.owner: (s.law.kind, [v.name for v in s.law.variables], s.plain) for s in slots}
        places = {s.owner: (s.q.start, s.v.start) for s in slots}
        return NameBook(joint_names(joints, places, self.plan.variable_rates))

    def names(self, columns: Sequence[int] | NDArray[np.int64]) -> tuple[str, ...]:
        """Names of rates."""
        return tuple(self.plan.variable_rates[k] for k in columns)

    def shown(self, variable: str, value: float) -> str:
        """A value of a variable as text, in the units of the model's file."""
        joint, _, name = variable.rpartition(".")
        slot = next(s for s in self.plan.slots if s.owner == joint)
        kind = next(v for v in slot.law.variables if v.name == name).dimension
        if abs(value) < 1e-12 * (self.length if kind == "length" else 1.0):
            value = 0.0
        if not np.isfinite(value):
            return "-inf" if value < 0.0 else "inf"
        dimension = {"angle": ANGLE, "length": LENGTH, "number": NUMBER}[kind]
        return format_quantity(value, dimension, self.system.layout.units, 6)

    def drivable(self, columns: Sequence[int] | NDArray[np.int64]) -> tuple[str, ...]:
        """Names of the variables of rates, as drives name them; turns of free joints are left out."""
        places = {slot.v.start + k: slot.q.start + k for slot in self.plan.slots for k in range(slot.plain)}
        return tuple(self.plan.variables[places[int(c)]] for c in columns if int(c) in places)


def _roles_of(found: Elimination) -> Roles:
    return Roles(
        found.pivot_columns,
        found.pivot_rows,
        found.free_columns,
        found.specified_columns,
        found.redundant_rows,
        found.pivots,
        found.conflict,
        found.conflict_columns,
    )


def _roles_of_order(found: PivotOrder) -> Roles:
    return Roles(
        found.columns,
        found.rows,
        found.free_columns,
        found.specified_columns,
        found.redundant_rows,
        found.pivots,
        found.conflict,
        found.conflict_columns,
    )


def _basis(J: Array, specified: Mask, prefer: NDArray[np.int64]) -> NDArray[np.int64]:
    """Columns that span J, least preferred first; a column counts when enough of it is new."""
    rest = J.copy()
    taken: list[int] = []
    for enough in (WELL, SINGULAR):
        for rank in np.unique(prefer):
            group = np.flatnonzero((prefer == rank) & ~specified)
            while group.size:
                lengths = np.linalg.norm(rest[:, group], axis=0)
                if lengths.max() <= enough:
                    break
                k = int(group[lengths >= 0.5 * lengths.max()][-1])  # so that those declared first stay free
                direction = rest[:, k] / np.linalg.norm(rest[:, k])
                rest -= np.outer(direction, direction @ rest)
                taken.append(k)
                group = group[group != k]
    return np.array(taken, np.int64)


def _concatenated(parts: Sequence[Any]) -> NDArray[np.int64]:
    return np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, np.int64)
