"""A curve of postures of rest: G(z, μ) = 0 for free coordinates and named states z, and one number μ.

G holds the forces F along the free rates and the changes f of named states, with the loops closed; with B = (∂G/∂z,
∂G/∂μ), exact, the curve goes along the null vector t of B. A spot on it is found from a predicted one by Newton's
method with one row more, which says where: at right angles to the tangent (arc length), or at a given value of what
the curve lies over. Keller, in: Applications of Bifurcation Theory, 1977; Uicker, Ravani, Sheth,
Matrix Methods, sec. 12.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from linkwork.analyses.equilibrium.balance import Balance, Chart
from linkwork.analyses.equilibrium.family import Family
from linkwork.analyses.kinematics.joint_limits import JointLimit
from linkwork.analyses.kinematics.loops import Mask
from linkwork.errors import LinkworkError
from linkwork.geometry import Array

ROUNDS = 14
"""Newton's strides to a spot."""
LAST = 1e-9
"""Stride after which another would change nothing: Newton's method squares it."""
FAR = 0.5
"""Longest stride of a correction [rad, or parts of the machine's size]."""
LEFT = 1e-10
"""Part of the forces at hand that may be left where strides become no shorter."""
GROWN = 100.0
"""Growth of Σ 1/pivot² at which other independent rates are looked for."""


@dataclass(frozen=True)
class Over:
    """What the curve lies over: a variable (its place among y and its rate), or the number that moves (place -1).

    name, unit : as users see it; first, last : where the curve begins and where it is to end
    """

    name: str
    unit: str
    first: float
    last: float
    place: int = -1
    column: int = -1

    @property
    def way(self) -> float:
        """1 where it grows from the first value to the last, else -1."""
        return 1.0 if self.last > self.first else -1.0


@dataclass(frozen=True, eq=False)
class Spot:
    """A posture of rest on the curve, in a chart.

    y, x, mu : variables, named states, the number; stops : limits that it rests on, their number and side
    held : rates that do not move; A, b : -∂G/∂z and ∂G/∂μ; over : value of what the curve lies over, and row, its slope
    t : the tangent, of unit length, along the curve; test : sign of det (B; t), which changes where branches meet
    pushes : by stop, positive where it pushes; usual : Σ 1/pivot² where the chart was chosen
    """

    y: Array
    x: Array
    mu: float
    stops: tuple[tuple[int, int], ...]
    held: Mask
    chart: Chart
    A: Array
    b: Array
    over: float
    row: Array
    pushes: Array
    usual: float
    t: Array
    test: float


class Curve:
    """Spots of one family over one quantity.

    weight : by which a change of μ counts in the length of the curve, 0 where coordinates alone do
    idle : rates that nothing resists, which stay where they are as long as nothing pushes them
    """

    idle: Mask

    def __init__(
        self, family: Family, over: Over, limits: Sequence[JointLimit], weight: float, size: float, held: Mask
    ) -> None:
        self.family, self.over, self.limits, self.weight, self.size = family, over, list(limits), weight, size
        self.held, self.idle = held, np.zeros_like(held)
        loops = family.given.loops
        self.columns = {slot.q.start + k: slot.v.start + k for slot in loops.plan.slots for k in range(slot.plain)}
        self.over_scale = 1.0 / float(loops.variable_scale[over.place]) if over.place >= 0 else family.size
        """By which slopes of what the curve lies over are measured."""

    # ---------------------------------------------------------------- numbers

    def masked(self, stops: Sequence[tuple[int, int]]) -> Mask:
        """Rates that do not move: those that are held, and those on stops."""
        held = self.held | self.idle
        held[[self.columns[self.limits[k].place] for k, _ in stops]] = True
        return held

    def numbers(self, y: Array, x: Array, mu: float, chart: Chart, held: Mask) -> tuple[Balance, Chart, Array, Array]:
        """The balance, the chart of this number, what is left (F, f), and A = -∂(F, f)/∂z."""
        balance = self.family.balance(mu, held)
        own = self.family.chart(balance, mu, chart)
        forces = balance.forces(own, y[np.newaxis], x[np.newaxis], self.family.effort(mu))
        FX, fY, fX = (part[0] for part in forces.by)
        A = np.block([[forces.K[0], -FX], [-fY, -fX]])
        return balance, own, np.concatenate([forces.F[0], forces.f[0]]), A

    def moved(
        self, y: Array, x: Array, mu: float, chart: Chart, held: Mask, stride: Array
    ) -> tuple[Array, Array, float] | None:
        """The posture, states and number after a stride (z, μ), loops closed; None where they do not close."""
        n, after = len(chart.free), mu + float(stride[-1])
        balance = self.family.balance(after, held)
        Y, closed = balance.moved(self.family.chart(balance, after, chart), y[np.newaxis], stride[np.newaxis, :n])
        return (Y[0], x + stride[n:-1], after) if closed.all() else None

    def row(self, balance: Balance, chart: Chart, y: Array, x: Array) -> Array:
        """∂over/∂(z, μ)."""
        if self.over.place < 0:
            return np.append(np.zeros(len(chart.free) + len(x)), 1.0)
        rates = balance.all_rates(chart, y, np.eye(len(chart.free)))[:, self.over.column]
        return np.concatenate([rates * balance.loops.column_scale[self.over.column], np.zeros(len(x) + 1)])

    def value(self, y: Array, mu: float) -> float:
        """Of what the curve lies over."""
        return float(y[self.over.place]) if self.over.place >= 0 else mu

    def border(self, t: Array) -> Array:
        """The row that says how far along the tangent a stride goes."""
        return np.append(t[:-1], self.weight**2 * t[-1])

    def length(self, t: Array) -> float:
        """Length of a stride (z, μ)."""
        return float(np.sqrt(t @ self.border(t)))

    # ---------------------------------------------------------------- spots

    def corrected(self, spot: Spot, stride: Array, target: float | None = None, far: float = FAR) -> Spot | None:
        """The spot near a stride from another one: as far along its tangent, or where over has a value."""
        try:
            return self._corrected(spot, stride, target, far)
        except (LinkworkError, np.linalg.LinAlgError):  # a number that a model cannot have, a posture without a value
            return None

    def _corrected(self, spot: Spot, stride: Array, target: float | None, far: float) -> Spot | None:
        chart, held, unit = spot.chart, spot.held, self.family.size
        place = self.moved(spot.y, spot.x, spot.mu, chart, held, stride)
        if place is not None and self.family.kind == "effort" and not self.weight:
            place = self._best_effort(*place, chart, held)
        before = np.inf
        for _ in range(ROUNDS):
            if place is None:
                return None
            y, x, mu = place
            balance, own, left, A = self.numbers(y, x, mu, chart, held)
            b = self.family.slope(balance, own, mu, y, x)
            if target is None:
                last, gap = self.border(spot.t), 0.0
            else:
                last, gap = self.row(balance, own, y, x), target - self.value(y, mu)
            if not (np.isfinite(left).all() and np.isfinite(A).all() and np.isfinite(b).all()):
                return None
            J = np.vstack([np.column_stack([A, -b * unit]), np.append(last[:-1], last[-1] * unit)])
            found = np.linalg.lstsq(J, np.append(left, gap), rcond=1e-14)[0]
            long = float(np.abs(found).max(initial=0.0))
            quiet = np.abs(left).max(initial=0.0) <= LEFT * self.size
            if long > far or (long > 0.5 * before and not quiet and before < 1e-3):
                return None
            found[-1] *= unit
            place = self.moved(y, x, mu, chart, held, found)
            if long <= LAST or (quiet and long >= 0.5 * before):
                return None if place is None else self.spot(*place, spot.stops, chart, spot.usual, spot.t)
            before = long
        return None

    def _best_effort(self, y: Array, x: Array, mu: float, chart: Chart, held: Mask) -> tuple[Array, Array, float]:
        """The same with the effort that leaves least: near a limit of travel it changes beyond all tangents."""
        balance, own, left, _ = self.numbers(y, x, mu, chart, held)
        b = self.family.slope(balance, own, mu, y, x)
        square = float(b @ b)
        return y, x, mu - float(b @ left) / square if square > 0.0 else mu

    def spot(
        self,
        y: Array,
        x: Array,
        mu: float,
        stops: tuple[tuple[int, int], ...],
        chart: Chart,
        usual: float,
        along: Array,
    ) -> Spot | None:
        """Everything about a spot; its tangent goes along another one."""
        held = self.masked(stops)
        balance, own, left, A = self.numbers(y, x, mu, chart, held)
        b = self.family.slope(balance, own, mu, y, x)
        if not (np.isfinite(A).all() and np.isfinite(b).all()):
            return None
        unit, m = self.family.size, len(left)
        J = np.vstack([np.column_stack([A, -b * unit]), np.append(along[:-1], along[-1] / unit)])
        t = np.linalg.lstsq(J, np.append(np.zeros(m), 1.0), rcond=1e-13)[0]
        t[-1] *= unit
        long = self.length(t)
        if not np.isfinite(long) or long <= 1e-12 * float(np.abs(t).max(initial=1e-300)):
            return None
        t = t / long
        border = self.border(t)
        J[-1] = np.append(border[:-1], border[-1] * unit)
        rows = np.abs(J).max(axis=1, keepdims=True)
        sign, _ = np.linalg.slogdet(J / np.where(rows > 0.0, rows, 1.0))
        pushes = np.zeros(0)
        if stops:
            F = balance.along_all(own, y, x, self.family.effort(mu)) * balance.loops.column_scale[own.columns]
            along_columns = dict(zip(own.columns.tolist(), F.tolist(), strict=True))
            pushes = np.array([side * along_columns[self.columns[self.limits[k].place]] for k, side in stops])
        row = self.row(balance, own, y, x)
        return Spot(y, x, mu, stops, held, chart, A, b, self.value(y, mu), row, pushes, usual, t, float(sign))

    def charted(
        self, y: Array, x: Array, mu: float, stops: tuple[tuple[int, int], ...], along: Array | None
    ) -> Spot | None:
        """A spot in a chart that suits it; its tangent goes along rates of all joints, states and μ, if given."""
        held = self.masked(stops)
        balance = self.family.balance(mu, held)
        chart = balance.charts[balance.chart_at(y)]
        usual = max(balance._weakness(chart, y), 1.0)
        columns = chart.columns[chart.free]
        if along is None:
            _, _, _, A = self.numbers(y, x, mu, chart, held)
            b = self.family.slope(balance, chart, mu, y, x)
            *_, Vt = np.linalg.svd(np.column_stack([A, -b * self.family.size]))
            t = np.append(Vt[-1][:-1], Vt[-1][-1] * self.family.size)
        else:
            t = np.concatenate([along[columns], along[len(balance.loops.column_scale) :]])
        return self.spot(y, x, mu, stops, chart, usual, t)

    def recharted(self, spot: Spot) -> Spot:
        """The same spot in a chart that suits it, where its own has become poor."""
        balance = self.family.balance(spot.mu, spot.held)
        own = self.family.chart(balance, spot.mu, spot.chart)
        if balance._weakness(own, spot.y) <= GROWN * spot.usual:
            return spot
        n = len(own.free)
        along = np.concatenate([balance.all_rates(own, spot.y, spot.t[np.newaxis, :n])[0], spot.t[n:]])
        try:
            found = self.charted(spot.y, spot.x, spot.mu, spot.stops, along)
        except LinkworkError:
            found = None
        return replace(spot, usual=np.inf) if found is None else found

    def without_neutral(self, spot: Spot) -> Spot | None:
        """The same spot with as many rates as nothing resists left where they are."""
        _, own, _, A = self.numbers(spot.y, spot.x, spot.mu, spot.chart, spot.held)
        n = len(own.free)
        values, V = np.linalg.eigh(0.5 * (A[:n, :n] + A[:n, :n].T))
        flat = V[:, np.abs(values) <= 1e-8 * max(float(np.abs(values).max(initial=0.0)), self.size)]
        for _ in range(flat.shape[1]):
            k = int(np.abs(flat).max(axis=1).argmax())
            self.idle[own.columns[own.free[k]]] = True
            j = int(np.abs(flat[k]).argmax())
            flat = np.delete(flat - np.outer(flat[:, j], flat[k] / flat[k, j]), j, axis=1)
        return self.charted(spot.y, spot.x, spot.mu, spot.stops, None)

    def pushed(self, spot: Spot) -> tuple[str, ...]:
        """Rates that nothing resists, and that are pushed all the same."""
        if not self.idle.any():
            return ()
        balance = self.family.balance(spot.mu, spot.held)
        own = self.family.chart(balance, spot.mu, spot.chart)
        F = (
            balance.along_all(own, spot.y, spot.x, self.family.effort(spot.mu))
            * balance.loops.column_scale[own.columns]
        )
        return balance.loops.names(
            [c for c, f in zip(own.columns, F, strict=True) if self.idle[c] and abs(f) > 1e-8 * self.size]
        )

    def turned(self, spot: Spot) -> Spot:
        """The same spot, looking back."""
        return replace(spot, t=-spot.t, test=-spot.test)


def way_between(curve: Curve, a: Spot, b: Spot) -> Array:
    """Differences of the free coordinates of the first spot's chart, scaled."""
    loops = curve.family.given.loops
    places = [loops.places[c] for c in a.chart.columns[a.chart.free]]
    found: Array = (b.y[places] - a.y[places]) * loops.variable_scale[places]
    return found
