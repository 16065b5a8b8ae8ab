"""A machine at rest with one number that moves: a number of the model, an effort, the time of its loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from linkwork.analyses.equilibrium.asked import Asked
from linkwork.analyses.equilibrium.balance import Balance, Chart
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.measured_machine import measuring
from linkwork.equations.balance import static_balance
from linkwork.equations.total_derivatives import Closure
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.system import System

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

Kind = Literal["parameter", "effort", "time"]
KEPT = 6
"""Machines of other numbers that are kept with their kernels."""
STEP = 1e-6
"""Part of its size by which a dimension is moved for a difference."""


@dataclass(eq=False)
class Family:
    """One machine, what is asked of it, and the number μ that moves.

    kind, name, column : a parameter, or the effort along the rate `column`, or the time; unit : of μ
    places : coordinates of places that are among the variables; size : by which μ is measured
    """

    machine: Machine
    given: Asked
    kind: Kind
    name: str
    unit: str
    column: int
    places: Sequence[str]
    size: float
    _loops: dict[float, Loops] = field(default_factory=dict)
    _charts: dict[tuple[float, bytes, bytes], Chart] = field(default_factory=dict)

    def loops(self, mu: float) -> Loops:
        """Rows of the machine with that number."""
        if self.kind != "parameter":
            return self.given.loops
        found = self._loops.get(mu)
        if found is None:
            if self.name in self.machine.mechanism.lets:
                found = measuring(self.machine.with_parameters({self.name: mu}), self.places).loops
            else:  # the same layout: nothing needs to be closed anew
                found = Loops(System.with_parameters(measuring(self.machine, self.places), {self.name: mu}))
            while len(self._loops) >= KEPT:
                old = next(iter(self._loops))
                del self._loops[old]
                self._charts = {key: chart for key, chart in self._charts.items() if key[0] != old}
            self._loops[mu] = found
        return found

    def asked(self, mu: float) -> Asked:
        """What is asked of the machine with that number."""
        given = self.given
        if self.kind == "time":
            return replace(given, t=mu)
        if self.kind == "effort":
            effort = given.effort.copy()
            effort[self.column] += mu
            return replace(given, effort=effort)
        return replace(given, loops=self.loops(mu))

    def balance(self, mu: float, held: Mask) -> Balance:
        """Forces at rest with that number."""
        return Balance(self.loops(mu), held, mu if self.kind == "time" else self.given.t)

    def effort(self, mu: float) -> Array:
        """Efforts along all rates."""
        return self.asked(mu).effort if self.kind == "effort" else self.given.effort

    def chart(self, balance: Balance, mu: float, chart: Chart) -> Chart:
        """The same chart with kernels of the number that counts now."""
        if self.kind != "parameter":
            return chart
        key = mu, chart.columns.tobytes(), np.packbits(balance.held).tobytes() + chart.order.key.encode()
        found = self._charts.get(key)
        if found is None:
            found = self._charts[key] = balance._made(chart.order, chart.columns)
        return found

    # ---------------------------------------------------------------- slopes

    def slope(self, balance: Balance, chart: Chart, mu: float, y: Array, x: Array) -> Array:
        """∂(F, f)/∂μ with the loops closed, scaled as `Forces` are; forces along the free rates."""
        loops, n = balance.loops, len(chart.free)
        scale = loops.column_scale[chart.columns][chart.free]
        if self.kind == "effort":
            rates = balance.all_rates(chart, y, np.eye(n))[:, self.column] * loops.column_scale[self.column]
            return np.concatenate([rates, np.zeros(len(x))])
        if self.name in self.machine.mechanism.lets:
            return self._difference(chart, mu, y, x, balance.held)
        by = "t" if self.kind == "time" else self.name
        law = static_balance(loops.plan, chart.order, chart.columns.tolist())
        question = Question(law, ((by,),), Closure(chart.order, tuple(chart.columns.tolist())))
        found = loops.system.bound_kernel(question)(*balance.inputs(y[np.newaxis], x[np.newaxis], self.effort(mu)))
        parts = found if isinstance(found, tuple) else (found,)
        F = np.asarray(parts[0]).reshape(-1)[chart.free] * scale
        return np.concatenate([F, *(np.asarray(f).reshape(-1) for f in parts[1:])])

    def _difference(self, chart: Chart, mu: float, y: Array, x: Array, held: Mask) -> Array:
        """The slope along a dimension, whose layout is built anew, by a difference."""
        h = STEP * max(self.size, abs(mu))
        ends = []
        for other in (mu + h, mu - h):
            balance = self.balance(other, held)
            own = self.chart(balance, other, chart)
            Y, _ = balance.moved(own, y[np.newaxis], np.zeros((1, len(chart.free))))
            forces = balance.forces(own, Y, x[np.newaxis], self.effort(other))
            ends.append(np.concatenate([forces.F[0], forces.f[0]]))
        return np.asarray((ends[0] - ends[1]) / (2.0 * h))
