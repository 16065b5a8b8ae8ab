"""The kernels of a simulation, and the arrays that compiled loops share with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.given_values import place_of
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.simulation.compiled_bounds import bounds_kernel
from linkwork.analyses.simulation.runaway import pace_of
from linkwork.analyses.simulation.tangents import tangent_kernel
from linkwork.equations import conditions
from linkwork.equations import simulation as equations
from linkwork.equations.closed_dynamics import Elimination, Joints
from linkwork.equations.load_plans import exact_frictions
from linkwork.equations.quantities import QUANTITIES
from linkwork.equations.scalars import undisturbed
from linkwork.equations.variational import momentum_and_drift
from linkwork.expressions import names_in
from linkwork.formulas import Formula, Question
from linkwork.geometry import Array
from linkwork.kernels import Kernel
from linkwork.kernels.drive import pointers
from linkwork.model.amounts import TIME
from linkwork.numerics.stepping.fields import COUNTERS, KERNELS, ROOM, shape_of
from linkwork.numerics.stepping.handle import Template
from linkwork.numerics.stepping.laws import together
from linkwork.numerics.stepping.layout import layout_of
from linkwork.numerics.stepping.problem import Problem

if TYPE_CHECKING:
    from linkwork.numerics.stepping.laws import Laws, Pieces
    from linkwork.numerics.stepping.problem import Problem

ALONG = ("y", "w", "effort", "t", "states", "settled")
"""Inputs along which the rates have tangents; named states where the machine has some."""
OF_STATES = ("states", "dstates", "tangent_dstates")
"""Arrays of named states."""
GAPS_ALONG = ("y", "w", "t")
"""Inputs along which gaps have tangents."""
KNOWN, ROOM_FOR_KNOWN = 16, 1 << 15
"""Postures at which the independence of rows is kept at most, and entries of these rows in all."""
TEMPLATES = 24
"""Arrays that a machine keeps at most, to be copied."""
NOTHING, NONE = np.zeros(0, np.int64), np.zeros(0)


@dataclass(frozen=True)
class Equipment:
    """What a simulation needs of the machine besides its motion.

    efforts : of which joints there are efforts; switched : names of loads that are switched
    watched : expressions whose zeros are events; gaps : expressions that are kept from falling below zero
    tangents : derivatives are needed; momenta : so are momenta; counted : work is to be counted
    jumps : what decides the jumps of formulas is watched; energies : energies are needed besides, at events
    """

    efforts: Joints = "tree"
    switched: frozenset[str] = frozenset()
    watched: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    tangents: bool = False
    momenta: bool = False
    counted: bool = False
    jumps: bool = False
    energies: bool = False


EXCHANGED = ("rates", "response", "tangent")
"""Kernels that rest on an elimination."""
DERIVED = {"tangent": "rates", "gaps_tangent": "gaps", "watched_bounds": "watched", "gaps_bounds": "gaps"}
"""By kernel that tells derivatives or bounds, of which other one."""


@dataclass
class Engine:
    """Kernels of one machine for one elimination, and for others that compiled loops may change to.

    varied : of many runs with parameters of their own, those parameters by name, (runs,)
    """

    loops: Loops
    elimination: Elimination
    needs: Equipment
    varied: Mapping[str, Array] | None = None
    others: tuple[Elimination, ...] = ()
    _rows: dict[int, Array] = field(default_factory=dict)
    """By kernel, settled values of all runs."""
    room: Array = field(default_factory=lambda: np.zeros(0))
    """Of many runs: where all kernels find settled values."""
    settled_of_runs: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """What belongs into `room`, (runs, ...)."""
    _templates: dict[tuple[float, float, int], tuple[Template, Problem]] = field(default_factory=dict, init=False)
    """Problems to be copied, by tolerances and rows, and the first of them."""

    def _bound(self, question: Question) -> Kernel:
        if self.varied is None:
            kernel = self.loops.system.bound_kernel(question)
        else:
            formula, settled = self._settled_of_all(question)
            kernel = formula.kernel.bind(settled[0])
            self._rows[id(kernel)] = settled
        return kernel

    def _settled_of_all(self, question: Question) -> tuple[Formula, Array]:
        assert self.varied is not None
        system = self.loops.system
        count = len(next(iter(self.varied.values())))
        return system._formulas.settled_all(question, {**system.parameters, **self.varied}, count)

    @cached_property
    def rates_question(self) -> Question:
        """Which kernel gives the rates."""
        return Question(equations.rates(self.loops.plan, self.elimination, self.needs.efforts, self.needs.switched))

    @cached_property
    def rates(self) -> Kernel:
        """(y, w, effort, t, slip, switch, states, side) -> dy, a, health, dstates."""
        return self._bound(self.rates_question)

    @cached_property
    def response(self) -> Kernel:
        """(y, effort, mismatch) -> x."""
        return self._bound(Question(equations.response(self.elimination)))

    def response_by(self, active: int) -> Kernel:
        """The same by one of the eliminations."""
        return (self, *self._alternatives)[active].response

    @cached_property
    def mismatch(self) -> Kernel:
        """(y, w) -> e, de."""
        return self._bound(Question(equations.mismatch()))

    def _closure(self) -> Kernel | None:
        """y -> errors of the rows, entries of their Jacobian."""
        return self._bound(Question(QUANTITIES["closure"]))

    @staticmethod
    def _known(closure: Kernel | None) -> dict[str, int]:
        """Numbers of errors and entries of the rows, and of postures at which their independence may be known."""
        if closure is None:
            return {"open": 0, "entries": 0, "known": 0}
        errors, entries = (own.size for own in closure.outputs)
        return {"open": errors, "entries": entries, "known": max(1, min(KNOWN, ROOM_FOR_KNOWN // max(entries, 1)))}

    @cached_property
    def energies(self) -> Kernel:
        """(y, w, t, slip, switch, states) -> kinetic, potential, power."""
        return self._bound(Question(equations.energies(self.loops.plan, self.needs.switched)))

    @cached_property
    def tangent(self) -> Kernel:
        """(y, w, effort, t, slip, switch, states, side, settled, directions...) -> dy', a', dstates'."""
        return tangent_kernel(self.settled[0], self._present(ALONG), self._present(("dy", "a", "dstates")))

    def _present(self, names: Sequence[str]) -> tuple[str, ...]:
        """Arrays that this machine has: those of named states and of formulas that jump only where there are some."""
        plan = self.loops.plan
        left_out = (*(() if plan.states else OF_STATES), *(() if plan.n_sides else ("side",)))
        return tuple(name for name in names if name not in left_out)

    def _gaps_tangent(self) -> Kernel | None:
        """(y, w, t, settled, directions...) -> g', dg', G', γ'."""
        if not self.needs.gaps:
            return None
        formula, _ = self._settled(self.gaps_question)
        return tangent_kernel(formula, GAPS_ALONG, ("g", "rate", "G", "gamma"))

    @cached_property
    def settled(self) -> tuple[Formula, Array]:
        """The formula of the rates, and its settled values."""
        return self._settled(self.rates_question)

    def _settled(self, question: Question) -> tuple[Formula, Array]:
        if self.varied is not None:
            formula, settled = self._settled_of_all(question)
            return formula, settled[0]
        system = self.loops.system
        return system._settled(question, system.parameters)

    def _gaps(self) -> Kernel | None:
        """(y, w, t) -> g, dg, G, γ."""
        return self._bound(self.gaps_question) if self.needs.gaps else None

    @property
    def gaps_question(self) -> Question:
        """Which kernel gives the gaps that are kept open."""
        return Question(conditions.gaps(self.needs.gaps))

    @property
    def watched_question(self) -> Question:
        """Which kernel gives the conditions that are watched."""
        return Question(conditions.conditions(self.needs.watched, bool(self.loops.plan.states), self.needs.jumps))

    @property
    def n_watched(self) -> int:
        """Number of conditions that are watched, and of switches of formulas that jump."""
        return len(self.needs.watched) + (self.loops.plan.n_sides if self.needs.jumps else 0)

    def _watched(self) -> Kernel | None:
        """(y, w, t, states) -> watched."""
        return self._bound(self.watched_question) if self.n_watched else None

    def _bounds(self, wanted: bool, question: Question) -> Kernel | None:
        """box -> bounds of watched expressions and of their change."""
        return bounds_kernel(self._settled(question)[0], self.loops.plan) if wanted else None

    def _optional(self, wanted: bool, quantity: Any) -> Kernel | None:
        return self._bound(Question(quantity)) if wanted else None

    def problem(
        self,
        rtol: float,
        atol: float,
        laws: Sequence[Pieces] = (),
        pushed: Sequence[tuple[int, int]] = (),
        rows: int = 0,
        effort: Array | None = None,
        soft: Sequence[tuple[int, int, float, float, float]] = (),
    ) -> Problem:
        """Everything that compiled loops need, in fresh arrays.

        atol : [rad], lengths in parts of the machine's size
        laws : of time; pushed : (column, law) of efforts that follow laws; rows : how many may be active at once
        effort : what does not follow laws, by rate
        soft : elastic stops: gap, side, limit, stiffness, damping
        """
        if laws or pushed or soft or self.varied is not None:
            return self._made(rtol, atol, laws, pushed, rows, effort, soft)
        key = (rtol, atol, rows)
        known = self._templates.get(key)
        if known is None:
            if len(self._templates) >= TEMPLATES:
                self._templates.clear()
            first = self._made(rtol, atol, (), (), rows, None, ())
            known = self._templates[key] = Template(first), first
        made: Problem = known[0].copy()
        made.__dict__.update(kernels=known[1].kernels, layout=known[1].layout)
        if effort is not None:
            made.given_effort[:] = made.effort[:] = effort
        return made

    def _made(
        self,
        rtol: float,
        atol: float,
        laws: Sequence[Pieces],
        pushed: Sequence[tuple[int, int]],
        rows: int,
        effort: Array | None,
        soft: Sequence[tuple[int, int, float, float, float]],
    ) -> Problem:
        """All arrays one by one, and the kernels wired to them."""
        loops, plan, needs = self.loops, self.loops.plan, self.needs
        ny, nw, nl, layout = plan.ny, plan.nw, plan.nl, layout_of(plan)
        with undisturbed():
            kernels = self._kernels(rows)
        sizes = {
            "ny": ny, "nw": nw, "nl": nl, "n": layout.n, "slips": plan.n_slips, "loads": plan.n_loads,
            "states": plan.n_states, "sides": plan.n_sides, "gaps": len(needs.gaps), "conditions": self.n_watched,
            "rows": rows, **self._known(kernels["closure"][0]),
            "settled": max(own.size for _, own in kernels.values()) if needs.tangents else 0,
        }  # fmt: skip
        a: dict[str, Array] = {name: np.zeros(shape_of(own, sizes)) for name, own in ROOM.items()}
        counters = {name: np.zeros(shape_of(own, sizes), np.int64) for name, own in COUNTERS.items()}
        a["switch"][:] = 1.0
        if effort is not None:
            a["given_effort"][:] = a["effort"][:] = effort
        wiring: dict[str, Any] = {}
        for name, (kernel, settled) in kernels.items():
            if name not in KERNELS:
                continue
            if kernel is None:
                wiring.update({f"{name}_at": 0, f"{name}_in": NOTHING, f"{name}_out": NOTHING})
                continue
            inputs, outputs, along = (self._present(own.split()) for own in KERNELS[name])
            after = [a[f"tangent_{k}"] for k in along]
            wiring[f"{name}_at"] = kernel.address
            wiring[f"{name}_in"] = pointers([*(a[k] for k in inputs), settled, *after])
            wiring[f"{name}_out"] = pointers([a[k] for k in outputs])
        plain = [(s.q.start + k, s.v.start + k) for s in plan.slots for k in range(s.plain)]
        turning = [(s.q.start + s.plain, s.v.start + s.plain) for s in plan.slots if s.plain < len(s.law.variables)]
        laws_: Laws = together(laws)
        scales = layout.join(self._sizes(), loops.column_scale, [own.scale for own in plan.states])
        made = Problem(
            ny=ny, nw=nw, n=layout.n, rtol=float(rtol), atol=atol * scales, size=float(loops.length), loops=loops.count,
            counting=int(needs.counted), past=0, **wiring, **a, **counters, **self._exchange(kernels),
            plain_y=_integers([p for p, _ in plain]), plain_w=_integers([p for _, p in plain]),
            turning_y=_integers([p for p, _ in turning]), turning_w=_integers([p for _, p in turning]),
            law_edges=laws_.edges, law_coefficients=laws_.coefficients, law_starts=laws_.starts, last=laws_.last,
            pushed=_integers([c for c, _ in pushed]), pushed_law=_integers([k for _, k in pushed]),
            static=self._static(), rate_sizes=np.array(loops.column_scale, float), gap_sizes=self._gap_sizes(),
            row_scale=np.array(loops.row_scale, float), lent=self._lent(), pace=pace_of(loops),
            soft=np.array([[*s[:2], 0] for s in soft], np.int64).reshape(-1, 3),
            soft_numbers=np.array([s[2:] for s in soft], float).reshape(-1, 3),
        )  # fmt: skip
        made.kernels = kernels  # which stay as long as their addresses are in use
        return made

    def _lent(self) -> Array:
        """By rate, the inertia that it has been lent."""
        found = np.zeros(self.loops.plan.nw)
        for k, inertia in self.loops.plan.lent:
            found[k] = inertia
        return found

    def _kernels(self, rows: int) -> dict[str, tuple[Kernel | None, Array]]:
        """Kernels by name, each with its settled values; None where there is no need of one."""
        needs, count = self.needs, self.loops.count
        found: dict[str, Kernel | None] = {
            "rates": self.rates,
            "mismatch": self.mismatch if count else None,
            "closure": self._closure() if count else None,
            "response": self.response if count or rows or needs.momenta else None,
            "gaps": self._gaps(),
            "watched": self._watched(),
            "energies": self.energies if needs.counted or needs.energies else None,
            "momentum": self._optional(needs.momenta, momentum_and_drift(needs.switched, bool(self.loops.plan.states))),
            "grips": self._optional(self.loops.plan.n_slips > 0, equations.grips(self.loops.plan)),
            "tangent": self.tangent if needs.tangents else None,
            "gaps_tangent": self._gaps_tangent() if needs.tangents else None,
            "watched_bounds": self._bounds(self.n_watched > 0, self.watched_question),
            "gaps_bounds": self._bounds(bool(needs.gaps), self.gaps_question),
        }
        derived = dict(DERIVED)
        for k, other in enumerate(self._alternatives, 1):
            found |= {f"{name} {k}": getattr(other, name) for name in EXCHANGED if found[name]}
            derived[f"tangent {k}"] = f"rates {k}"
        settled = {name: kernel.bound[0] for name, kernel in found.items() if kernel is not None and kernel.bound}
        present = {name: of for name, of in derived.items() if found.get(name)}
        settled |= {name: np.ascontiguousarray(settled.get(of, NONE)) for name, of in present.items()}
        if self.varied is not None:
            of_runs = [self._rows[id(found[derived.get(name, name)])] for name in settled]
            edges = np.cumsum([0, *(x.size for x in settled.values())])
            self.room, self.settled_of_runs = np.concatenate(list(settled.values())), np.hstack(of_runs)
            settled = {name: self.room[a:b] for name, a, b in zip(settled, edges[:-1], edges[1:], strict=True)}
        return {name: (kernel, settled.get(name, np.zeros(0))) for name, kernel in found.items()}

    @cached_property
    def _alternatives(self) -> list[Engine]:
        """The same for the other eliminations."""
        return [replace(self, elimination=own, others=()) for own in self.others]

    def _exchange(self, kernels: Mapping[str, tuple[Kernel | None, Array]]) -> dict[str, Any]:
        """What compiled loops need to change from one elimination to another."""
        eliminations = (self.elimination, *self.others)
        table = np.zeros((len(eliminations), 2 * len(EXCHANGED)), np.int64)
        for k in range(len(eliminations)):
            for i, name in enumerate(EXCHANGED):
                kernel, settled = kernels.get(f"{name} {k}" if k else name, (None, NONE))
                if kernel is not None:
                    table[k, 2 * i : 2 * i + 2] = kernel.address, *pointers([settled])
        places = [len(self._present(KERNELS[name][0].split())) for name in EXCHANGED]
        parts = np.array([max(1, len(own.usual)) for own in eliminations], float)
        return {"active": 0, "eliminations": table, "parts": parts, "settled_places": _integers(places)}

    def _static(self) -> Array:
        """By exact friction, what it holds in parts of what it slides with."""
        numbers = self.loops.system.parameters
        return np.array([numbers[f"{load.name}.static"] for load in exact_frictions(self.loops.plan.loads)])

    def _gap_sizes(self) -> Array:
        """By gap, what counts like a radian: the machine's size, unless it depends on angles and time alone."""
        sizes = np.ones(len(self.needs.gaps))
        for k, text in enumerate(self.needs.gaps):
            places = [place_of(self.loops, name) for name in names_in(text) if name != TIME]
            if any(p is None or self.loops.column_scale[p[0].v.start + p[1]] != 1.0 for p in places):
                sizes[k] = self.loops.length
        return sizes

    def _sizes(self) -> Array:
        """By variable, what counts like a radian."""
        sizes = np.ones(self.loops.plan.ny)
        for slot in self.loops.plan.slots:
            for k in range(slot.plain):
                sizes[slot.q.start + k] = self.loops.column_scale[slot.v.start + k]
        return sizes


def engine_of(loops: Loops, elimination: Elimination, needs: Equipment, others: tuple[Elimination, ...]) -> Engine:
    """The engine of a machine: one for all simulations that need the same."""
    key = ("engine", elimination.key, *[own.key for own in others], needs)
    known: Engine | None = loops.problems.get(key)
    if known is None:
        known = loops.keep(key, Engine(loops, elimination, needs, others=others))
    return known


def _integers(values: Sequence[int]) -> Any:
    return np.array(values, np.int64)
