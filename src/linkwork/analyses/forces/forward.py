"""Forward dynamics of machines with loops: the elimination that was found, watched, with a robust way beside it.

The kernel of an elimination is straight-line code. Where its health shows that pivots have shrunk, the equations of
motion are solved in the null space of the loops instead, by singular values, sample by sample; a posture at which even
they do not determine the accelerations is singular, and said to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.forces.finite import loads_must_be_finite
from linkwork.analyses.forces.net_dynamics import by_independent_rates
from linkwork.analyses.forces.states import states_around
from linkwork.analyses.kinematics.failures import DeadCentre
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.kinematics.weak_rows import singular_values
from linkwork.equations.closed_dynamics import Elimination, TracedMachine, closed_forward_dynamics, unconstrained
from linkwork.equations.elimination_search import States, find_elimination
from linkwork.equations.loop_solver import closure_products
from linkwork.equations.scalars import undisturbed
from linkwork.equations.simulation import rates_as_traced
from linkwork.equations.tree import Weightless
from linkwork.errors import ModelError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.kernels import Kernel

SICK = 1e6
"""Growth of Σ (inverse pivot / usual)² at which the robust way is taken: three digits are lost by then."""
SERVES = 1e3
"""The same for an elimination that was found for other numbers."""
KEPT = 1e-9
"""Part of the accelerations by which they may miss the loops."""
WEIGHTLESS = 1e-15
"""Part of the largest inertia below which none resists a freedom."""
ACCURATE = 1e-9
"""Part of the accelerations by which an elimination that was found for other numbers may be off."""
_START = np.zeros(1)
LOST = 1e-6
"""Singular values of the loops' equations below this part of the largest are lost to a singular posture."""
FEW = 4
"""States at which large machines are asked how independent their rows are."""
CHUNK = 256
"""Samples that the robust way takes at once."""


@dataclass
class ForwardDynamics:
    """Accelerations of all joints of one machine."""

    loops: Loops
    home: Posture
    inherited: Elimination | None = None
    """Of the same machine with other numbers or another home: taken as long as its pivots serve."""
    _kernels: dict[tuple[bool, bool], Kernel] = field(default_factory=dict)

    @cached_property
    @undisturbed()
    def elimination(self) -> Elimination:
        """How accelerations are found; looked for when it is first needed."""
        system = self.loops.system
        inherited = self.inherited
        if inherited is not None and inherited.basis is not None and self._is_sound(inherited, self._at_rest):
            return inherited
        of_net = by_independent_rates(self.loops, self.home)
        if of_net is not None:
            return of_net
        states = states_around(self.loops, self.home)
        if self.inherited is not None and self._serves(self.inherited, states):
            return self.inherited
        numbers, constants = system._formulas.numbers(system.parameters, True)
        try:
            links = system._formulas.links(system.parameters)

            def also(found: Elimination, machine: TracedMachine, a: Sequence[Any], health: Any) -> None:
                of_rates = rates_as_traced(found, machine, a, health)
                if of_rates is not None:
                    system._formulas.foreseen(of_rates[0], numbers, of_rates[1])

            return find_elimination(self.loops.plan, numbers, constants, states, links=links, also=also)
        except Weightless as error:
            raise ModelError(error.problems, self.loops.plan.name) from None

    def _serves(self, elimination: Elimination, states: States) -> bool:
        """Whether the pivots of an elimination are sound at some states, and its accelerations right there."""
        if not self._is_sound(elimination, states):
            return False
        if not self.loops.count:
            return True
        kernel = self.loops.system.bound_kernel(Question(closed_forward_dynamics(elimination, "tree", "all")))
        a, _ = kernel(states.y, states.w, np.zeros(self.loops.columns), _START)
        none, scale = np.zeros_like(states.w), self.loops.column_scale
        right, singular = self._by_null_space(states.y, states.w, none, np.zeros((len(a), 1)))
        error = np.abs((a - right) / scale).max(axis=1)
        return bool((singular | (error <= ACCURATE * np.abs(right[~singular] / scale).max(initial=0.0))).all())

    @property
    def _at_rest(self) -> States:
        """Home alone."""
        return States(self.home.y[np.newaxis], np.zeros((1, self.loops.columns)), self.loops.length)

    def _is_sound(self, elimination: Elimination, states: States) -> bool:
        """Whether pivots keep their size at some states, and accelerations the loops (those by a basis always do)."""
        kernel = self.loops.system.bound_kernel(Question(closed_forward_dynamics(elimination, "tree", "all")))
        a, health = kernel(states.y, states.w, np.zeros(self.loops.columns), _START)
        sound = health < SERVES * max(1, len(elimination.usual))
        if not (sound.all() and np.isfinite(a).all()):
            return False
        return elimination.basis is not None or self._keeps_loops(states, a)

    def _keeps_loops(self, states: States, a: Array) -> bool:
        """Whether accelerations obey J a + γ = 0: what was ignored for other numbers may count for these."""
        loops = self.loops
        if not loops.count:
            return True
        gamma = loops.system.bound_kernel(Question(closure_products(1)))(states.y, states.w) * loops.row_scale
        moved = np.array([loops._times(y, own) for y, own in zip(states.y, a / loops.column_scale, strict=True)])
        usual = np.abs(moved).max(initial=0.0) + np.abs(a / loops.column_scale).max(initial=0.0)
        return bool(np.abs(moved + gamma).max(initial=0.0) <= KEPT * usual)

    def kernel(self, efforts: bool, joints: bool) -> Kernel:
        """(y, w, effort, t) -> accelerations, health.

        efforts : joints outside the tree have efforts too; joints : their accelerations are wanted too
        """
        if (efforts, joints) not in self._kernels:
            choice: list[Any] = ["all" if x else "tree" for x in (efforts, joints)]
            question = Question(closed_forward_dynamics(self.elimination, *choice))
            self._kernels[efforts, joints] = self.loops.system.bound_kernel(question)
        return self._kernels[efforts, joints]

    def __call__(self, y: Any, w: Any, effort: Any, t: Any, out: Any, threads: int | None) -> Array:
        """Accelerations of all joints (..., nw); DeadCentre where they are not determined."""
        nv = self.loops.plan.nv
        given = np.asarray(effort)
        kernel = self.kernel(bool(given[..., nv:].any()), True)
        when = _START if type(t) is float and t == 0.0 else np.asarray(t, float)[..., np.newaxis]
        if out is None and threads is None:
            a, health = kernel(y, w, effort, when)
        else:
            room = None if out is None else (out, np.empty(np.shape(out)[:-1]))
            a, health = kernel(y, w, effort, when, out=room, threads=threads)
        limit = SICK * max(1, len(self.elimination.usual))
        healthy = health < limit
        if not (healthy if np.ndim(healthy) == 0 else healthy.all()):
            a = self._mended(a, ~healthy, [np.asarray(x) for x in (y, w, effort, when)])
        result: Array = a
        if not np.isfinite(result).all():
            self._explain(result, [np.asarray(x) for x in (y, w, effort, when)])
        return result

    def _explain(self, a: Array, given: list[Array]) -> None:
        """Refuse accelerations that are no numbers though all that was given is; a load must be at fault."""
        shape = a.shape[:-1]
        spread = [np.broadcast_to(x, (*shape, x.shape[-1])) for x in given]
        bad = ~np.isfinite(a).all(axis=-1)
        for x in spread:
            bad = bad & np.isfinite(x).all(axis=-1)
        if np.any(bad):
            y, w, _, when = (np.atleast_2d(x[bad]) for x in spread)
            loads_must_be_finite(self.loops, y, w, when)
            text = "the accelerations are not determined: masses or loads give numbers without bound"
            raise ModelError(
                Problem(text, hint="look at bodies without mass that must accelerate"), self.loops.plan.name
            )

    def _mended(self, a: Array, sick: NDArray[np.bool_], given: list[Array]) -> Array:
        """Accelerations with those of sick samples found the robust way."""
        shape = a.shape[:-1]
        places = np.argwhere(np.broadcast_to(sick, shape))
        spread = [np.broadcast_to(x, (*shape, x.shape[-1])) for x in given]
        for start in range(0, len(places), CHUNK):
            part = places[start : start + CHUNK]
            index = tuple(part.T)
            y, w, effort, when = (np.atleast_2d(x[index]) for x in spread)
            self._check_finite([y, w, effort, when], part)
            a[index] = self._robust(y, w, effort, when, part).reshape(a[index].shape)
        return a

    def _check_finite(self, given: list[Array], places: NDArray[np.intp]) -> None:
        """Refuse variables, rates, efforts or times that are not numbers."""
        plan = self.loops.plan
        for what, names, x in zip(
            ("value", "rate", "effort", "time"),
            (plan.variables, plan.variable_rates, plan.variable_rates, ("t",)),
            given,
            strict=True,
        ):
            if not np.isfinite(x).all():
                sample, column = np.argwhere(~np.isfinite(x))[0]
                where = f" in sample {', '.join(map(str, places[sample]))}" if places.size else ""
                raise ModelError(Problem(f"the {what} of {names[column]}{where} is not a finite number"), plan.name)

    def _robust(self, y: Array, w: Array, effort: Array, when: Array, places: NDArray[np.intp]) -> Array:
        """Accelerations by the null space of the loops' equations: what loops, masses and loads allow, and no less."""
        found, singular = self._by_null_space(y, w, effort, when)
        if singular.any():
            first = int(np.argmax(singular))
            self._refuse(y[first], places[first])
        return found

    def _by_null_space(self, y: Array, w: Array, effort: Array, when: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Accelerations of all joints (samples, nw), and which samples are singular.

        a = Z u + g,   J Z = 0,   J g = -γ,   Zᵀ M Z u = Zᵀ (f - M g),   with lengths in units of the machine's size
        """
        loops, system, scale = self.loops, self.loops.system, self.loops.column_scale
        mass, force = system.bound_kernel(Question(unconstrained()))(y, w, effort, when)
        M, f = mass * scale[:, np.newaxis] * scale, force * scale
        size = np.maximum(np.abs(M).max(axis=(1, 2)), 1e-300)
        M, f = M / size[:, np.newaxis, np.newaxis], f / size[:, np.newaxis]
        gamma = system.bound_kernel(Question(closure_products(1)))(y, w) * loops.row_scale
        U, s, Vt = np.linalg.svd(loops.equations(y)[1])
        r = self.rank
        lost = (s > LOST * s[:, :1]).sum(axis=1) < r
        across = np.einsum("sij,si->sj", U[:, :, :r], -gamma) / np.where(lost[:, np.newaxis], 1.0, s[:, :r])
        g = np.einsum("sji,sj->si", Vt[:, :r], across)
        Z = np.swapaxes(Vt[:, r:], 1, 2)
        Zt = Vt[:, r:]
        H, push = Zt @ M @ Z, np.einsum("sji,si->sj", Zt, f - np.einsum("sij,sj->si", M, g))
        values = np.linalg.eigvalsh(0.5 * (H + np.swapaxes(H, 1, 2)))
        singular = lost | (values <= WEIGHTLESS).any(axis=1)
        unit = 1.0 / np.sqrt(np.maximum(np.einsum("sii->si", H), WEIGHTLESS))
        scaled = H * unit[:, :, np.newaxis] * unit[:, np.newaxis]
        scaled[singular] = np.eye(H.shape[1])
        u = unit * np.linalg.solve(scaled, (unit * push)[:, :, np.newaxis])[:, :, 0]
        a: Array = np.einsum("sij,sj->si", Z, u) + g
        return a * scale, singular

    @cached_property
    def _values(self) -> Array:
        """Singular values of the loops' equations at states around home."""
        loops, y = self.loops, states_around(self.loops, self.home).y
        if loops.sparse:
            at, shape = (loops.entry_rows, loops.entry_columns), (loops.rows, loops.columns)
            return np.array([singular_values(own, at, shape) for own in loops.scaled_entries(y[:FEW])])
        J = loops.equations(y)[1]
        return np.linalg.svd(J, compute_uv=False).astype(float)

    @cached_property
    def rank(self) -> int:
        """Equations of the loops that say something of their own, away from singular postures."""
        return int((self._values > LOST * self._values[:, :1]).sum(axis=1).max(initial=0))

    @cached_property
    def margin(self) -> float:
        """The least of so many singular values, as it usually is."""
        return float(np.median(self._values[:, self.rank - 1])) if self.rank else 1.0

    def _refuse(self, y: Array, place: NDArray[np.intp]) -> None:
        loops = self.loops
        where = f" of sample {', '.join(map(str, place))}" if place.size else ""
        loose = loops.names(loops.roles(y, np.zeros(loops.columns, bool), 10.0 * LOST).free)
        usual = loops.columns - self.rank
        ways = f": {', '.join(loose)} move by themselves there, {len(loose)} freedoms instead of {usual}"
        text = f"the posture{where} is singular, forces do not determine the accelerations"
        text += ways if len(loose) > usual else ""
        hint = "start beside it; a machine can go on in several ways from a singular posture"
        raise DeadCentre(Problem(text, hint=hint), self.loops.plan.name, Posture(self.loops, y))
