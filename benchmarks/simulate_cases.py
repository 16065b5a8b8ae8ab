"""What `simulate.py` lets go: machines of `closed_machines.py` with start, loads and time, and converged references.

A case names the coordinates in which its error is measured: the largest difference at ten times spread over the run
[rad, or m of sliders]. References come from the equations of `closed_machines.py` in plain numpy, all rates of the tree
integrated by scipy's DOP853 at two tolerances; n four-bars have a closed form, and published numbers stand beside the
rest (Andrews' squeezer at 0.05 s, Bricard at 1 and 3 s).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import atan2, cos, hypot, sin
from pathlib import Path

import closed_machines
import numpy as np
from closed_machines import Index, Loops
from peers import Array
from scipy.integrate import solve_ivp

SAMPLES = 10
"""Times at which a run is compared, the end among them."""
TIGHT, TIGHTER = 3e-12, 1e-13
"""Relative tolerances of the reference; the answers at both must agree."""
REFERENCES = Path(__file__).with_name("simulate_references.json")
AGREE = 3e-9
"""Largest difference between the two, and from closed forms [rad, m]."""


@dataclass(frozen=True)
class Slack:
    """Springs along sliders: -stiffness (slide - free) [N]."""

    links: tuple[str, ...]
    stiffness: float
    free: Array


@dataclass(frozen=True)
class Pull:
    """A spring from a point of ground to a point of a link that a pin about z holds to ground."""

    link: str
    ground: tuple[float, float]
    point: tuple[float, float]
    stiffness: float
    free: float


@dataclass(frozen=True)
class Case:
    """A machine, how it starts, what acts on it, and for how long it runs."""

    name: str
    loops: Loops
    until: float
    """[s]"""
    rates: tuple[float, ...]
    """Of the driven joints at the start, which is home."""
    observed: tuple[str, ...]
    """Links whose coordinates are compared."""
    steps: tuple[float, ...]
    """Of the peers, from coarse to fine [s]."""
    slack: Slack | None = None
    pull: Pull | None = None
    torques: dict[str, float] = field(default_factory=dict)
    """Constant, along coordinates of links [N m]."""
    closed_form: Callable[[Case], Array] | None = None
    published: tuple[tuple[float, dict[str, float], float], ...] = ()
    """Times, coordinates of links at them, and to what they are known."""

    @cached_property
    def times(self) -> Array:
        """At which runs are compared."""
        return np.linspace(0.0, self.until, SAMPLES + 1)[1:]

    @cached_property
    def start(self) -> tuple[Array, Array]:
        """q and v at the start."""
        m = self.loops
        v = self._consistent(m.home, np.array(self.rates))
        return m.home, v

    def _consistent(self, q: Array, driven: Array) -> Array:
        m = self.loops
        still = np.zeros((1, m.nv))
        J = m.closing(m.motion(q[None], still, still))[1][:, m.rows]
        found: Array = m.following(J)[0] @ driven
        return found

    def rate_index(self, name: str) -> int:
        """Of the first rate of a link."""
        return self.loops.starts[1][self.loops.names.index(name)]

    def place_index(self, name: str) -> int:
        """Of the first coordinate of a link."""
        return self.loops.starts[0][self.loops.names.index(name)]

    @cached_property
    def seen(self) -> Index:
        """Where in q the observed coordinates stand."""
        return np.array([self.place_index(name) for name in self.observed])

    def efforts(self, place: Index, tau: Array) -> Callable[[Array], Array]:
        """Efforts of all rates as a function of q, written into tau; place : where links' coordinates begin in q."""
        names = self.loops.names
        for name, torque in self.torques.items():
            tau[self.rate_index(name)] = torque
        if self.slack is not None:
            at = np.array([place[names.index(name)] for name in self.slack.links])
            to = np.array([self.rate_index(name) for name in self.slack.links])
            k, free = self.slack.stiffness, self.slack.free

            def along(q: Array) -> Array:
                tau[to] = k * (free - q[at])
                return tau

            return along
        if self.pull is not None:
            p, i = self.pull, names.index(self.pull.link)
            (x, y), (cx, cy), (ox, oy) = p.point, p.ground, self.loops.links[i].at[:2]
            at_q, at_v = place[i], self.rate_index(p.link)

            def between(q: Array) -> Array:
                c, s = cos(q[at_q]), sin(q[at_q])
                ax, ay = c * x - s * y, s * x + c * y
                dx, dy = cx - ox - ax, cy - oy - ay
                length = hypot(dx, dy)
                tau[at_v] = p.stiffness * (1 - p.free / length) * (ax * dy - ay * dx)
                return tau

            return between
        return lambda q: tau

    # ---------------------------------------------------------------- reference

    def error(self, found: Array) -> float:
        """Largest difference of the observed coordinates (samples, observed) from the reference."""
        return float(np.abs(found - self.reference).max())

    def gap(self, q: Array) -> float:
        """Largest gap of the loops [m] at samples of q."""
        still = np.zeros((len(q), self.loops.nv))
        return float(np.abs(self.loops.closing(self.loops.motion(q, still, still))[0]).max())

    @cached_property
    def reference(self) -> Array:
        """Observed coordinates at `times`, integrated once and kept beside this file."""
        if self.closed_form is not None:
            return self.closed_form(self)
        kept = json.loads(REFERENCES.read_text(encoding="utf-8")) if REFERENCES.exists() else {}
        digest = self._digest()
        if kept.get(self.name, {}).get("digest") != digest:
            found = self._converged()
            kept[self.name] = {"digest": digest, "times": self.times.tolist(), "observed": found.tolist()}
            REFERENCES.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        return np.array(kept[self.name]["observed"])

    def _digest(self) -> str:
        """Of everything that the reference depends on."""
        m = self.loops
        parts = [vars(x) for x in (*m.links, *m.closures, self.slack, self.pull) if x is not None]
        numbers = [self.until, self.rates, self.torques, self.observed, m.gravity, m.guess, parts]
        with np.printoptions(precision=10, suppress=False, floatmode="maxprec"):
            return hashlib.sha256(repr(numbers).encode()).hexdigest()[:16]

    def _converged(self) -> Array:
        """By two tolerances, held to each other and to published numbers."""
        coarse = self._integrated(TIGHT, self.times)
        more = [t for t, _, _ in self.published]
        fine = self._integrated(TIGHTER, np.union1d(self.times, more))
        all_times = np.union1d(self.times, more)
        q = fine[np.searchsorted(all_times, self.times)]
        apart, gap = np.abs(q - coarse).max(), self.gap(q)
        print(f"  reference of {self.name}: tolerances apart {apart:.0e}, loop gap {gap:.0e}", flush=True)
        assert apart < AGREE and gap < AGREE
        for t, known, digits in self.published:
            row = fine[np.searchsorted(all_times, t)]
            off = max(abs(row[self.place_index(name)] - x) for name, x in known.items())
            print(f"    published at {t:g} s: {off:.0e}", flush=True)
            assert off < digits
        return q[:, self.seen]

    def _integrated(self, tolerance: float, times: Array) -> Array:
        """q at times: accelerations of the tree by the judge, twice integrated."""
        m, n = self.loops, self.loops.nq
        effort = self.efforts(np.array(m.starts[0]), np.zeros(m.nv))

        def slope(t: float, z: Array) -> Array:
            q, v = z[None, :n], z[None, n:]
            return np.concatenate([self._place_rates(q[0], v[0]), m.forward(q, v, effort(q[0])[None])[0]])

        z = np.concatenate(self.start)
        done = solve_ivp(
            slope, (0.0, self.until), z, method="DOP853", rtol=tolerance, atol=1e-2 * tolerance, t_eval=times
        )
        assert done.success
        found: Array = done.y[:n].T
        return found

    def _place_rates(self, q: Array, v: Array) -> Array:
        out = np.empty(self.loops.nq)
        for i, link in enumerate(self.loops.links):
            k, r = self.loops.starts[0][i], self.loops.starts[1][i]
            if link.kind == "spheric":
                w, u, spin = q[k], q[k + 1 : k + 4], v[r : r + 3]
                out[k] = -0.5 * u @ spin
                out[k + 1 : k + 4] = 0.5 * (w * spin + np.cross(u, spin))
            else:
                size = self.loops.starts[0][i + 1] - k
                out[k : k + size] = v[r : r + size]
        return out


def turning(case: Case) -> Array:
    """n four-bars that stay parallelograms: a phi'' = b g sin phi from upright; all uprights turn alike."""
    n = len(case.loops.closures)
    ratio = ((n + 1) / 2 + n) / ((n + 1) / 3 + n) * 9.81

    def slope(t: float, z: Array) -> list[float]:
        return [z[1], ratio * sin(z[0])]

    phi = [
        solve_ivp(slope, (0.0, case.until), [0.0, 1.0], method="DOP853", rtol=r, atol=r, t_eval=case.times).y[0]
        for r in (TIGHT, TIGHTER)
    ]
    assert np.abs(phi[1] - phi[0]).max() < AGREE
    return np.pi / 2 - np.repeat(phi[1][:, None], len(case.observed), axis=1)


# ---------------------------------------------------------------------------------------------------------------- cases


def slider_crank() -> Case:
    """Turns over the top, five seconds."""
    loops = closed_machines.slider_crank()
    return Case(loops.name, loops, 5.0, (4.0,), ("crank",), (1e-2, 4e-3, 2e-3, 1e-3, 5e-4, 2e-4))


def four_bar() -> Case:
    """Turns over the top, five seconds."""
    loops = closed_machines.four_bar()
    return Case(loops.name, loops, 5.0, (4.0,), ("crank",), (1e-2, 4e-3, 2e-3, 1e-3, 5e-4, 2e-4))


def n_four_bar(n: int) -> Case:
    """IFToMM A02: from upright, the top at 1 m/s; passes postures in which all bars lie in one line."""
    loops = closed_machines.n_four_bar(n)
    uprights = tuple(name for name in loops.names if name.startswith("A"))
    until, steps = {
        2: (10.0, (1e-2, 4e-3, 2e-3, 1e-3, 5e-4)),
        40: (2.0, (1e-2, 4e-3, 2e-3, 1e-3)),
        400: (1.0, (1e-2, 4e-3)),
    }[n]
    return Case(loops.name, loops, until, (-1.0,), uprights, steps, closed_form=turning)


def andrews() -> Case:
    """IFToMM A03, to 0.05 s."""
    loops = closed_machines.andrews()
    pull = Pull(
        "K3", tuple(closed_machines.C), tuple(closed_machines.D), closed_machines.STIFFNESS, closed_machines.FREE
    )
    end = {"K1": 33.82586776695452, "K2": -33.58343151746387, "K3": 0.113395073812599, "K7": 1.056902429434963}
    return Case(
        loops.name, loops, 0.05, (0.0,), ("K1",), (1e-4, 4e-5, 2e-5, 1e-5, 5e-6, 2e-6), pull=pull,
        torques={"K1": closed_machines.TORQUE}, published=((0.05, end, 1e-8),),
    )  # fmt: skip


def bricard() -> Case:
    """IFToMM A04, the first five seconds."""
    loops = closed_machines.bricard()
    # The end of rod 2 is R(J1, y) (1 + sin J2, -cos J2, 0).
    ends = {1.0: (0.274481319, -0.462330003), 3.0: (-0.77128136, -0.20256253), 5.0: (0.999932742, -0.000067256)}
    known = tuple((t, {"J1": atan2(-z, x)}, 1e-7) for t, (x, z) in ends.items())
    return Case(loops.name, loops, 5.0, (0.0,), ("J1",), (1e-2, 4e-3, 2e-3, 1e-3, 5e-4), published=known)


def stewart() -> Case:
    """On springs in its legs, two seconds."""
    loops = closed_machines.stewart()
    legs = tuple(f"P{i + 1}" for i in range(6))
    lengths = np.array([loops.home[loops.starts[0][loops.names.index(name)]] for name in legs])
    # Rates of the legs when the platform moves by V and turns by W about its centre [m/s, rad/s].
    V, W = np.array([0.2, 0.1, 0.1]), np.array([0.5, 0.3, 0.4])
    base, top = np.deg2rad([-15, 15, 105, 135, 225, 255]), np.deg2rad([-45, 45, 75, 165, 195, 285])
    B = 0.6 * np.stack([np.cos(base), np.sin(base), 0 * base], axis=1)
    P = 0.35 * np.stack([np.cos(top), np.sin(top), 0 * top], axis=1)
    d = P + np.array([0, 0, 0.7]) - B
    rates = np.sum(d * (V + np.cross(W, P)), axis=1) / lengths
    slack = Slack(legs, 5000.0, lengths + 0.01)
    return Case(loops.name, loops, 2.0, tuple(rates), legs, (1e-2, 4e-3, 2e-3, 1e-3, 5e-4), slack=slack)


CASES: dict[str, Callable[[], Case]] = {
    "slider-crank": slider_crank,
    "four-bar": four_bar,
    "2-four-bars": partial(n_four_bar, 2),
    "40-four-bars": partial(n_four_bar, 40),
    "400-four-bars": partial(n_four_bar, 400),
    "andrews-squeezer": andrews,
    "bricard": bricard,
    "stewart": stewart,
}
