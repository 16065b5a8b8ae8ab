"""Energy that springs hold, laws by formula and table among them: ½ k x² + p x + ∫ law dx, x = ℓ - ℓ0.

A law that knows more than its spring's elongation (other coordinates, states, the time) has no energy of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from linkwork.analyses.kinematics.loops import Loops
from linkwork.equations.balance import energy_at_rest
from linkwork.equations.load_kinds.spring import SpringPlan
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.model.amount_values import evaluate
from linkwork.model.amounts import Tabulated
from linkwork.model.loads.load import AlongVariable, BetweenPoints

SAMPLES = 65
"""Between no elongation and that of the layout, at which a law must have a value to be summed from no elongation on."""


@dataclass(frozen=True, eq=False)
class SpringStore:
    """One spring as a store of energy.

    stiffness, free, preload : its numbers; law : of the elongation, or None; known : whether its law has an energy
    layout : elongation in the layout
    """

    name: str
    stiffness: float
    free: float
    preload: float
    law: Callable[[Any], Any] | None
    known: bool
    kinks: tuple[float, ...]
    layout: float

    def tension(self, x: Any) -> Any:
        """At an elongation, at rest."""
        own = self.preload + self.stiffness * x
        return own if self.law is None else own + self.law(x)

    @cached_property
    def begin(self) -> float:
        """The elongation from which its law is summed: none, or that of the layout where the law has no value there."""
        assert self.law is not None
        with np.errstate(all="ignore"):
            values = np.asarray(self.law(np.linspace(0.0, self.layout, SAMPLES)), float)
        return 0.0 if np.isfinite(values).all() else self.layout

    def energy(self, x: float) -> float:
        """At an elongation [J]; of its law since `begin`."""
        own = (0.5 * self.stiffness * x + self.preload) * x
        return own if self.law is None else own + self.summed(self.begin, x)

    def summed(self, first: float, last: float) -> float:
        """∫ law dx."""
        from scipy.integrate import quad

        assert self.law is not None
        inner = [k for k in self.kinks if min(first, last) < k < max(first, last)]
        ends = sorted([first, *inner, last], reverse=bool(last < first))
        total = 0.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the integral of rough laws can be known to is good enough
            for a, b in pairwise(ends):
                total += quad(lambda s: float(self.law(s)), a, b, epsabs=0.0, epsrel=1e-12, limit=200)[0]
        return total


def springs_of(loops: Loops) -> list[SpringStore]:
    """All springs that store energy."""
    system = loops.system
    p, records = system.parameters, system.mechanism.loads
    laid = stretches(loops, np.asarray(loops.plan.layout_y)[np.newaxis])[0]
    found = []
    springs = [load for load in loops.plan.loads if isinstance(load, SpringPlan)]
    for load, long in zip(springs, laid, strict=True):
        free, law, known = p[f"{load.name}.free"], None, True
        kinks: tuple[float, ...] = ()
        if load.law is not None and load.law.law is None:
            constant = p[f"{load.name}.amount"]
            law = _constant(constant)
        elif load.law is not None and load.law.law is not None:
            known = {kind for kind, _ in load.law.sources} <= {"x", "v", "size"}
            own = load.law.law
            if known:
                law = _of_elongation(own, load.law.sources, [p[f"{load.name}.let.{size}"] for size in load.law.sizes])
                kinks = tuple(own.xs) if isinstance(own, Tabulated) else ()
        assert load.name in records
        found.append(
            SpringStore(
                load.name, p[f"{load.name}.stiffness"], free, p[f"{load.name}.preload"], law, known, kinks, long - free
            )
        )
    return found


def _constant(value: float) -> Callable[[Any], Any]:
    return lambda x: value + 0.0 * x


def _of_elongation(law: Any, sources: Any, sizes: list[float]) -> Callable[[Any], Any]:
    def value(x: Any) -> Any:
        given = {"x": x, "v": 0.0 * x}
        own = [given[kind] if kind in given else sizes[k] for kind, k in sources]
        return evaluate(law, dict(zip(law.names, own, strict=True)))

    return value


def stretches(loops: Loops, Y: Array) -> Array:
    """Lengths, or variables, of all springs at postures (samples, springs)."""
    system, plan = loops.system, loops.plan
    q = np.ascontiguousarray(Y[:, : plan.nq])
    columns: list[Array] = []
    for load in plan.loads:
        if not isinstance(load, SpringPlan):
            continue
        acts = system.mechanism.loads[load.name].acts
        if isinstance(acts, BetweenPoints):
            ends = [np.broadcast_to(system.position(name, q), (len(Y), 3)) for name in (acts.first, acts.second)]
            columns.append(np.linalg.norm(ends[1] - ends[0], axis=1))
        else:
            assert isinstance(acts, AlongVariable) and load.pulled.along is not None
            columns.append(Y[:, load.pulled.along.y])
    return np.stack(columns, axis=1) if columns else np.zeros((len(Y), 0))


def potential_energies(loops: Loops, y: Array, x: Array, t: float) -> dict[str, float]:
    """Energy of "gravity" and of "springs" at rest [J]."""
    plan = loops.plan
    inputs = [y, np.array([t]), *([x] if x.size else [])]
    gravity, linear = (float(e) for e in loops.system.bound_kernel(Question(energy_at_rest(plan)))(*inputs))
    if any(isinstance(load, SpringPlan) and load.law is not None for load in plan.loads):
        lengths = stretches(loops, y[np.newaxis])[0]
        own = zip(springs_of(loops), lengths, strict=True)
        linear += sum(s.summed(s.begin, float(long) - s.free) for s, long in own if s.law is not None)
    return {"gravity": gravity, "springs": linear}


def without_energy(loops: Loops) -> list[str]:
    """Springs whose law knows more than their elongation."""
    return [spring.name for spring in springs_of(loops) if not spring.known]
