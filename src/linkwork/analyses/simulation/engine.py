"""The kernels of a simulation, and the arrays that compiled loops share with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.loops import Loops
from linkwork.equations import simulation as equations
from linkwork.equations.closed_dynamics import Elimination, Joints
from linkwork.equations.tangents import tangent_function
from linkwork.equations.variational import momentum_and_drift
from linkwork.formulas import Formula, Question
from linkwork.geometry import Array
from linkwork.kernels import Kernel
from linkwork.kernels.drive import pointers

if TYPE_CHECKING:
    from linkwork.numerics.stepping.laws import Laws, Pieces
    from linkwork.numerics.stepping.problem import Problem

ALONG = ("y", "w", "effort", "t", "settled")
"""Inputs along which the rates have tangents."""
NOTHING = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Equipment:
    """What a simulation needs of the machine besides its motion.

    efforts : of which joints there are efforts; switched : names of loads that are switched
    watched : expressions whose zeros are events; gaps : expressions that are kept from falling below zero
    tangents : derivatives are needed; momenta : so are momenta; counted : work is to be counted
    """

    efforts: Joints = "tree"
    switched: frozenset[str] = frozenset()
    watched: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    tangents: bool = False
    momenta: bool = False
    counted: bool = False


@dataclass
class Engine:
    """Kernels of one machine for one elimination."""

    loops: Loops
    elimination: Elimination
    needs: Equipment
    _held: list[Any] = field(default_factory=list)

    def _bound(self, question: Question) -> Kernel:
        kernel = self.loops.system._own(question)
        kernel.compile()
        return kernel

    @cached_property
    def rates_question(self) -> Question:
        """Which kernel gives the rates."""
        return Question(equations.rates(self.elimination, self.needs.efforts, self.needs.switched))

    @cached_property
    def rates(self) -> Kernel:
        """(y, w, effort, t, slip, switch) -> dy, a, health."""
        return self._bound(self.rates_question)

    @cached_property
    def response(self) -> Kernel:
        """(y, effort, mismatch) -> x."""
        return self._bound(Question(equations.response(self.elimination)))

    @cached_property
    def mismatch(self) -> Kernel:
        """(y, w) -> e, de."""
        return self._bound(Question(equations.mismatch()))

    @cached_property
    def energies(self) -> Kernel:
        """(y, w, t, slip, switch) -> kinetic, potential, power."""
        return self._bound(Question(equations.energies(self.needs.switched)))

    @cached_property
    def tangent(self) -> Kernel:
        """(y, w, effort, t, slip, switch, settled, directions...) -> dy', a'."""
        formula, _ = self.settled
        kernel = tangent_kernel(formula)
        kernel.compile()
        return kernel

    @cached_property
    def settled(self) -> tuple[Formula, Array]:
        """The formula of the rates, and its settled values."""
        system = self.loops.system
        return system._settled(self.rates_question, system.parameters)

    def _asked(self, kind: str, expressions: tuple[str, ...]) -> Kernel | None:
        if not expressions:
            return None
        from linkwork.equations import conditions

        return self._bound(Question(getattr(conditions, kind)(expressions)))

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
        from linkwork.numerics.stepping.laws import together
        from linkwork.numerics.stepping.problem import Problem

        loops, plan, needs = self.loops, self.loops.plan, self.needs
        ny, nw, nl = plan.ny, plan.nw, plan.nl
        zeros = np.zeros
        given = zeros(nw) if effort is None else np.array(effort, float)
        a: dict[str, Array] = {
            "y": zeros(ny), "w": zeros(nw), "effort": given.copy(), "t": zeros(1), "slip": zeros(plan.n_slips),
            "switch": np.ones(plan.n_loads), "dy": zeros(ny), "a": zeros(nw), "health": zeros(1),
            "e": zeros(nl), "de": zeros(nl), "push": zeros(nw), "missing": zeros(nl), "x": zeros(nw),
            "tangent_y": zeros(ny), "tangent_w": zeros(nw), "tangent_effort": zeros(nw), "tangent_t": zeros(1),
            "tangent_settled": zeros(0), "tangent_dy": zeros(ny), "tangent_a": zeros(nw),
            "g": zeros(len(needs.gaps)), "dg": zeros(len(needs.gaps)), "G": zeros((len(needs.gaps), nw)),
            "gamma": zeros(len(needs.gaps)), "watched": zeros(len(needs.watched)),
            "kinetic": zeros(1), "potential": zeros(1), "power": zeros(1),
            "momentum": zeros(nw), "drift": zeros(nw),
        }  # fmt: skip
        wiring: dict[str, Any] = {}

        def wire(name: str, kernel: Kernel | None, inputs: str, outputs: str, first: Sequence[Array] = ()) -> None:
            if kernel is None:
                wiring.update({f"{name}_at": 0, f"{name}_in": NOTHING, f"{name}_out": NOTHING})
                return
            own = [a[k] for k in inputs.split()]
            middle = [*first] if first else [*kernel.bound]
            split = len(own) if not first else inputs.split().index("tangent_y")
            wiring[f"{name}_at"] = kernel.address
            wiring[f"{name}_in"] = pointers([*own[:split], *middle, *own[split:]])
            wiring[f"{name}_out"] = pointers([a[k] for k in outputs.split()])
            self._held += [kernel, *middle]

        wire("rates", self.rates, "y w effort t slip switch", "dy a health")
        wire("mismatch", self.mismatch if loops.count else None, "y w", "e de")
        wire("response", self.response if loops.count or rows or needs.momenta else None, "y push missing", "x")
        tangent = None
        settled: list[Array] = []
        if needs.tangents:
            tangent, settled = self.tangent, [np.ascontiguousarray(self.settled[1])]
            a["tangent_settled"] = zeros(settled[0].size)
        wire(
            "tangent", tangent,
            "y w effort t slip switch tangent_y tangent_w tangent_effort tangent_t tangent_settled",
            "tangent_dy tangent_a", settled,
        )  # fmt: skip
        wire("gaps", self._asked("gaps", needs.gaps), "y w t", "g dg G gamma")
        wire("watched", self._asked("conditions", needs.watched), "y w t", "watched")
        wire("energies", self.energies if needs.counted else None, "y w t slip switch", "kinetic potential power")
        wire(
            "momentum",
            self._optional(needs.momenta, momentum_and_drift(needs.switched)),
            "y w effort t slip switch",
            "momentum drift",
        )
        plain = [(s.q.start + k, s.v.start + k) for s in plan.slots for k in range(s.plain)]
        turning = [(s.q.start + s.plain, s.v.start + s.plain) for s in plan.slots if s.plain < len(s.law.variables)]
        laws_: Laws = together(laws)
        scales = np.concatenate([self._sizes(), loops.column_scale])
        return Problem(
            ny=ny, nw=nw, n=ny + nw, rtol=float(rtol), atol=atol * scales, size=float(loops.length), loops=loops.count,
            **wiring, **a,
            plain_y=_integers([p for p, _ in plain]), plain_w=_integers([p for _, p in plain]),
            turning_y=_integers([p for p, _ in turning]), turning_w=_integers([p for _, p in turning]),
            law_edges=laws_.edges, law_coefficients=laws_.coefficients, law_starts=laws_.starts,
            last=laws_.last, law=zeros(3), given_effort=given,
            pushed=_integers([c for c, _ in pushed]), pushed_law=_integers([k for _, k in pushed]),
            rows=np.zeros((rows, 4), np.int64), hold=zeros(rows), count=np.zeros(1, np.int64), force=zeros(rows),
            X=zeros((rows, nw)), S=zeros((rows, rows + 1)), wanted=zeros(rows),
            evaluations=np.zeros(1, np.int64), worst=zeros(1), touch=zeros(len(needs.gaps)),
            soft=np.array([s[:2] for s in soft], np.int64).reshape(-1, 2),
            soft_numbers=np.array([s[2:] for s in soft], float).reshape(-1, 3),
        )  # fmt: skip

    def _sizes(self) -> Array:
        """By variable, what counts like a radian."""
        sizes = np.ones(self.loops.plan.ny)
        for slot in self.loops.plan.slots:
            for k in range(slot.plain):
                sizes[slot.q.start + k] = self.loops.column_scale[slot.v.start + k]
        return sizes


def tangent_kernel(formula: Formula) -> Kernel:
    """Directional derivatives of rates, compiled once a formula."""
    known = _tangents.get(id(formula))
    if known is None or known[0] is not formula:
        known = _tangents[id(formula)] = (formula, Kernel(tangent_function(formula.composed.main, ALONG, ("dy", "a"))))
    return known[1]


_tangents: dict[int, tuple[Formula, Kernel]] = {}


def _integers(values: Sequence[int]) -> Any:
    return np.array(values, np.int64)
