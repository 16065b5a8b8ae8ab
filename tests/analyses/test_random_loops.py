"""Random closed machines of every joint kind, driven: postures, rates and derivatives agree with each other, with
poses and twists worked out by hand, and with themselves in other trees, sizes, places and directions.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

import numpy as np
import pytest
from machines import rssr
from random_loops import (
    BY_NAME,
    CONTACTS,
    KINDS,
    SMOOTH,
    ByHand,
    Recipe,
    many_loops,
    planar_loops,
    reach,
    single_loop,
    spherical_loops,
)

import linkwork as lw
from linkwork import geometry as geo

Array = np.ndarray
STENCIL = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
"""Central differences of eighth order: first derivative."""
CURVATURE = ((0, -205 / 72), (1, 8 / 5), (2, -1 / 5), (3, 8 / 315), (4, -1 / 560))
"""Second derivative."""


def close(actual: object, expected: object, tol: float) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tol)


class Driven:
    """A machine, its equations by hand, and plain variables that determine all others."""

    def __init__(self, recipe: Recipe, seed: int = 0) -> None:
        self.recipe, self.hand = recipe, recipe.hand
        self.machine = recipe.mechanism().assemble()
        self.drives = self.hand.independent(self.hand.layout, np.random.default_rng(seed))
        assert self.drives, "no plain variables to drive"
        self.start = {n: float(self.machine.home[n]) for n in self.drives}
        self.reach = next(x for x in (0.02, 0.01, 5e-3, 2e-3, 5e-4, 1e-4) if self._goes(x) and self._goes(-x))

    def _goes(self, angle: float) -> bool:
        """The drives can go so far by Newton's method by hand, in five steps, and stay as well conditioned."""
        hand, y = self.hand, self.hand.layout.copy()
        fixed = np.isin(hand.rates, self.drives)

        def weakest(y: Array) -> float:
            s = np.linalg.svd(hand.jacobian(y)[:, ~fixed], compute_uv=False)
            return float(s[s > 1e-9 * s[0]][-1])

        before = weakest(y)
        for part in np.linspace(0.2, 1.0, 5):
            for n in self.drives:
                y[hand.variables.index(n)] = self.start[n] + part * self.way(n, angle)
            y = hand.corrected(y, fixed)
            if y is None or not 0.5 * before < weakest(y) < 2.0 * before:
                return False
        return True

    @cached_property
    def moved(self) -> Any:
        """A posture a little away from home."""
        return self.machine.at(
            {n: x + self.way(n, self.reach / (1 + k)) for k, (n, x) in enumerate(self.start.items())}
        )

    def way(self, name: str, angle: float) -> float:
        return reach(self.hand, name, angle)

    def gently(self) -> dict[str, Any]:
        """Harmonic laws of the first two drives, the others standing."""
        laws: dict[str, Any] = dict(self.start)
        for k, name in enumerate(self.drives[:2]):
            laws[name] = lw.harmonic(self.start[name], self.way(name, 0.5 * self.reach), speed=1.0 + 0.7 * k)
        return laws

    def rows(self, run: lw.Run) -> Array:
        """Variables of all joints by sample, in the order of the equations by hand."""
        return np.array([np.asarray(run[n].data) for n in self.hand.variables]).T


@cache
def general(seed: int) -> Driven:
    """Machines with 1 to 4 loops, 1 to 3 freedoms, now and then floating; every joint kind in one of them."""
    loops, mobility = 1 + seed % 4, 1 + seed % 3
    floating = seed % 5 == 4
    for attempt in range(20):
        recipe = many_loops(1000 * attempt + seed, loops, SMOOTH, mobility=mobility, floating=floating)
        if recipe.hand.independent(recipe.hand.layout, np.random.default_rng(seed)):
            return Driven(recipe, seed)
    raise AssertionError("no machine with plain drives")


@cache
def special(seed: int) -> Driven:
    return Driven((planar_loops if seed % 2 == 0 else spherical_loops)(seed, 1 + seed % 3), seed)


@cache
def of_kind(kind: str) -> Driven:
    for seed in range(20):
        recipe = single_loop(100 * seed + KINDS.index(kind), kind)
        if recipe.hand.independent(recipe.hand.layout, np.random.default_rng(seed)):
            return Driven(recipe, seed)
    raise AssertionError(kind)


def slow(case: Any) -> Any:
    return pytest.param(case, marks=pytest.mark.slow)


ONCE_MORE = ("flat", "free", "on_sphere", "on_height", "on_helix", "on_ring")
"""Kinds that general machines seldom have, in single loops."""
GENERAL = range(8)
SPECIAL = range(3)
MACHINES = [
    *(pytest.param(general, seed, id=f"general{seed}") for seed in GENERAL),
    *(pytest.param(special, seed, id=f"special{seed}") for seed in SPECIAL),
]


def poses_of(d: Driven, posture: Any) -> dict[str, Array]:
    ground = d.machine.mechanism.ground.name
    return {ground: d.hand.X_WB[ground]} | {b: posture.pose(b) for b in d.machine.bodies}


def test_every_kind_is_met() -> None:
    """The machines below have every joint kind; gears, bevels and helices also cut or walked in both directions."""
    joints = [j for d in (*map(general, GENERAL), *map(of_kind, ONCE_MORE)) for j in d.recipe.joints]
    assert {j.law.kind for j in joints} == {case.law.kind for case in BY_NAME.values()}
    walked: dict[str, set[int]] = {}
    for d in map(general, GENERAL):
        signs = {p.joint: p.sign for p in d.machine.topology.parent.values()}
        for j in d.recipe.joints:
            walked.setdefault(j.law.kind, set()).add(signs.get(j.name, 0))
    assert {"gear", "bevel"} <= {kind for kind, signs in walked.items() if signs == {-1, 0, 1}}
    assert {"revolute", "prismatic", "helical", "universal", "spheric"} <= {
        k for k, x in walked.items() if x >= {-1, 1}
    }


# ---------------------------------------------------------------- at home


@pytest.mark.parametrize(("make", "seed"), MACHINES)
def test_mobility_is_what_world_twists_say(make: Any, seed: int) -> None:
    d = make(seed)
    home, hand = d.machine.home, d.hand
    floats = 6 * sum(d.machine.topology.ground not in a.bodies for a in d.machine.topology.assemblies)
    for y, posture in ((hand.layout, home), (hand.from_values(d.moved.values), d.moved)):
        J = hand.jacobian(y)
        rank = int(np.linalg.matrix_rank(J, tol=1e-9 * np.linalg.norm(J, 2)))
        assert posture.rank == rank
        assert posture.mobility == hand.nv - rank + floats
        assert posture.redundant == J.shape[0] - rank
        assert sum(r.count for r in posture.redundancies) == posture.redundant
        assert len(posture.independent) == posture.mobility
        assert len(posture.dependent) == rank
    if make is general:
        assert home.redundant == 0
    else:
        assert home.mobility == 1
        assert home.redundant == 3 * hand.jacobian(hand.layout).shape[0] // 6
    # The layout closes to rounding, and so does every joint, tree or cut.
    assert home.residual <= 1e-13
    assert d.hand.misfits(hand.from_values(home.values), poses_of(d, home)).max() <= 1e-13


@pytest.mark.parametrize(("make", "seed"), MACHINES)
def test_a_posture_is_that_of_equations_by_hand(make: Any, seed: int) -> None:
    d = make(seed)
    hand, p = d.hand, d.moved
    assert p.residual <= 1e-12
    assert hand.misfits(hand.from_values(p.values), poses_of(d, p)).max() <= 1e-11
    y = hand.layout.copy()
    fixed = np.isin(hand.rates, d.drives)
    for part in np.linspace(0.1, 1.0, 10):  # in ten steps of Newton's method by hand
        for n in d.drives:
            y[hand.variables.index(n)] = d.start[n] + part * (p[n] - d.start[n])
        y = hand.corrected(y, fixed)
        assert y is not None
    # Both close to 1e-14; the condition of the dependent columns, below 1e3, is between.
    apart = np.abs(y - hand.from_values(p.values))
    same_turns = [
        min(apart[s].max(), np.abs(y[s] + hand.from_values(p.values)[s]).max() if "qw" in _names(hand, s) else np.inf)
        for s in hand.q.values()
        if s.stop > s.start
    ]
    assert max(same_turns) <= 1e-10 * (1 + hand.size)


def _names(hand: ByHand, s: slice) -> list[str]:
    return [n.split(".")[1] for n in hand.variables[s]]


# ---------------------------------------------------------------- along a motion


def differentiated(values: Array, step: float, weights: tuple[tuple[int, float], ...], power: int) -> Array:
    """Derivatives at samples 4 ... -4 of evenly spaced samples, along the first axis."""
    n = len(values)
    total = np.zeros_like(values[4 : n - 4])
    for k, weight in weights:
        ahead, behind = values[4 + k : n - 4 + k], values[4 - k : n - 4 - k]
        total += weight * (values[4 : n - 4] if k == 0 else ahead + (behind if power == 2 else -behind))
    return total / step**power


def along_a_motion(d: Driven) -> None:
    """Eighth-order differences over steps of 0.01 s. Postures close to 1e-13, which counts up to 1e-12 in variables
    where the equations are worst conditioned: 1e-12/h and 1e-12/h² of the machine's size; the rest lies below 1e-9.
    """
    step = 0.01
    noise = 1e-12 * (1.0 + d.hand.size)
    run = d.machine.motion(d.gently(), times=0.3 + step * np.arange(61), jerk=True)
    assert run.status == "complete", run.message
    assert not run.warnings
    hand = d.hand
    assert np.abs(run.data["closure.residual"].values).max() <= 1e-12
    for k in (0, 17, 60):
        sample = run.isel(k)
        y = hand.from_values({n: float(sample[n]) for n in hand.variables})
        X = dict(hand.X_WB)
        for b in d.machine.bodies:
            X[b] = geo.pose(sample[f"{b}.rotation"], sample[f"{b}.position"])
        assert hand.misfits(y, X).max() <= 1e-11
    inner = slice(4, 57)

    def check(value: Array, rate: Array, acceleration: Array, jerk: Array | None = None) -> None:
        size, rough = max(np.abs(rate).max(), np.abs(acceleration).max()), noise + 1e-14 * np.abs(value).max()
        close(differentiated(value, step, STENCIL, 1), rate[inner], 1e-9 * size + rough / step)
        close(differentiated(value, step, CURVATURE, 2), acceleration[inner], 1e-9 * size + 4 * rough / step**2)
        changes(rate, acceleration)
        if jerk is not None:
            changes(acceleration, jerk)

    def changes(rate: Array, acceleration: Array) -> None:
        size = max(np.abs(rate).max(), np.abs(acceleration).max())
        close(differentiated(rate, step, STENCIL, 1), acceleration[inner], 1e-9 * size + noise / step)

    for n in hand.rates:
        if n in hand.variables:
            check(*(np.asarray(run[f"{n}{x}"].data) for x in ("", ".rate", ".acceleration", ".jerk")))
        else:
            speed, acceleration, jerk = (np.asarray(run[f"{n}{x}"].data) for x in ("", ".acceleration", ".jerk"))
            changes(speed, acceleration)
            changes(acceleration, jerk)
    for place in (*d.machine.bodies, *d.machine.mechanism.points):
        x, v, a = (np.asarray(run[f"{place}.{what}"].data) for what in ("position", "velocity", "acceleration"))
        for axis in range(3):
            check(x[:, axis], v[:, axis], a[:, axis])
    for b in d.machine.bodies:
        R, w, dw = (np.asarray(run[f"{b}.{x}"].data) for x in ("rotation", "angular_velocity", "angular_acceleration"))
        spin = differentiated(R.reshape(-1, 9), step, STENCIL, 1).reshape(-1, 3, 3) @ R[inner].transpose(0, 2, 1)
        spun = np.array([geo.unskew(S) for S in spin])
        close(spun, w[inner], 1e-9 * max(np.abs(w).max(), np.abs(dw).max()) + noise / step)
        changes(w, dw)
    assert_quaternions_turn(d, run, step, inner)


def assert_quaternions_turn(d: Driven, run: lw.Run, step: float, inner: slice) -> None:
    """q' = q w / 2."""
    for joint, law in d.hand.laws.items():
        if law.kind not in ("spheric", "free"):
            continue
        q = np.array([np.asarray(run[f"{joint}.q{x}"].data) for x in "wxyz"]).T
        w = np.array([np.asarray(run[f"{joint}.w{x}"].data) for x in "xyz"]).T
        close(np.linalg.norm(q, axis=1), 1.0, 1e-15 * 4)
        rate = differentiated(q, step, STENCIL, 1)
        wanted = np.array([0.5 * geo.quaternion_product(a, [0.0, *b]) for a, b in zip(q[inner], w[inner], strict=True)])
        close(rate / max(1.0, np.abs(w).max()), wanted / max(1.0, np.abs(w).max()), 1e-9)


@pytest.mark.parametrize(("make", "seed"), MACHINES)
def test_rates_are_derivatives_along_a_motion(make: Any, seed: int) -> None:
    along_a_motion(make(seed))


@pytest.mark.parametrize("kind", [k if k in ONCE_MORE else slow(k) for k in (*SMOOTH, *CONTACTS)])
def test_rates_are_derivatives_along_a_motion_with_every_kind(kind: str) -> None:
    along_a_motion(of_kind(kind))


# ---------------------------------------------------------------- geometric derivatives


@pytest.mark.parametrize("seed", [0, 1, slow(2), 4, slow(7)])
def test_geometric_derivatives(seed: int) -> None:
    """Against rates, accelerations and jerks along straight motions, and against differences of postures."""
    d = general(seed)
    p = d.moved
    assert set(p.independent) >= set(d.drives)
    found = p.derivatives(3)
    rng = np.random.default_rng(seed)
    v, a, j = ({n: rng.normal() * d.way(n, 1.0) for n in d.drives} for _ in range(3))
    V, A, J = (np.array([x.get(n, 0.0) for n in found["by"].values]) for x in (v, a, j))
    first, second, third = (found[n].values for n in ("first", "second", "third"))
    velocity, acceleration, jerk = p.velocities(v), p.accelerations(v, a), p.jerks(v, a, j)
    names = list(found["rate"].values)

    def by_name(x: Mapping[str, float]) -> Array:
        return np.array([x[n] for n in names])

    def same(actual: Array, expected: Array, tol: float = 1e-11) -> None:
        size = np.abs(expected).max()
        close(actual / size, expected / size, tol)

    bent = np.einsum("iab,a,b->i", second, V, V)
    same(first @ V, by_name(velocity))
    same(first @ A + bent, by_name(acceleration))
    thrice = np.einsum("iabc,a,b,c->i", third, V, V, V)
    same(thrice, by_name(p.jerks(v)))
    plain = np.isin(names, d.machine.variables)
    full = first @ J + 3 * np.einsum("iab,a,b->i", second, V, A) + thrice
    same(full[plain], by_name(jerk)[plain])
    # A straight line of the drives, by the postures at its samples: eighth-order differences of positions.
    size = max(np.abs(first @ V).max(), np.abs(bent).max() ** 0.5, np.abs(thrice).max() ** (1 / 3))
    h = min(0.02 / max(1.0, size), 0.05 * d.reach)  # inside what is known to be smooth
    noise = 1e-12 * (1.0 + d.hand.size)  # as above
    steps = h * np.arange(-4, 5)
    sweep = d.machine.starting_from(p).solve({n: p[n] + v[n] * steps for n in d.drives}, v)
    for n in names:
        if n in d.machine.variables:
            i, values = names.index(n), sweep.value(n)[:, np.newaxis]
            rough = noise + 1e-14 * np.abs(values).max()
            close(differentiated(values, h, STENCIL, 1)[0, 0], (first @ V)[i], 1e-9 * size + rough / h)
            close(differentiated(values, h, CURVATURE, 2)[0, 0], bent[i], 1e-9 * size**2 + 4 * rough / h**2)


def test_third_derivatives_of_turning_joints() -> None:
    """Their rates are no derivatives of coordinates: the third form is that of straight motions."""
    d = general(4)
    p, rng = d.moved, np.random.default_rng(4)
    found = p.derivatives(3)
    v = {n: rng.normal() * d.way(n, 1.0) for n in d.drives}
    V = np.array([v.get(n, 0.0) for n in found["by"].values])
    jerk = p.jerks(v)
    full = np.einsum("iabc,a,b,c->i", found["third"].values, V, V, V)
    for i, n in enumerate(found["rate"].values):
        close(full[i], jerk[n], 1e-10 * max(abs(x) for x in jerk.values()))


def test_geometric_derivatives_of_places() -> None:
    for seed in (1, 3):
        d = general(seed)
        p = d.moved
        rng = np.random.default_rng(seed)
        v, a = ({n: rng.normal() * d.way(n, 1.0) for n in d.drives} for _ in range(2))
        for name in (d.machine.bodies[-1], next(iter(d.machine.mechanism.points))):
            found = p.derivatives(2, of=name)
            V, A = (np.array([x.get(n, 0.0) for n in found["by"].values]) for x in (v, a))
            twist = found["first"].values @ V
            bent = np.einsum("iab,a,b->i", found["second"].values, V, V)
            size = max(np.abs(bent).max(), 1.0)
            close(twist / size, p.velocity(name, v) / size, 1e-12)
            close((found["first"].values @ A + bent) / size, p.acceleration(name, v, a) / size, 1e-12)


# ---------------------------------------------------------------- the same motion, asked in other ways


def samples(d: Driven, count: int) -> dict[str, Array]:
    t = np.linspace(0.0, 1.0, count)
    return {n: x + d.way(n, d.reach) * np.sin((1.0 + k) * t) / (1 + k) for k, (n, x) in enumerate(d.start.items())}


@pytest.mark.parametrize("seed", [0, 1, 4, 5])
def test_path_by_samples_one_by_one_and_dense(seed: int) -> None:
    d = general(seed)
    s = d.machine
    sparse = samples(d, 51)
    rates = {n: np.gradient(x) for n, x in sparse.items()}
    path = s.solve(sparse, rates)
    assert path.stopped is None
    scale = 1 + np.abs(path.variables).max()
    assert path.residual.max() <= 1e-12
    dense = s.solve(samples(d, 5001))
    assert dense.residual.max() <= 1e-12
    # Each sample is closed to rounding; the condition of the dependent columns, below 1e3, is between.
    close(dense.variables[::100] / scale, path.variables / scale, 1e-11)
    few = s.solve({n: x[:8] for n, x in sparse.items()}, {n: x[:8] for n, x in rates.items()}, path=False)
    close(few.variables / scale, path.variables[:8] / scale, 1e-11)
    close(few.rates, path.rates[:8], 1e-11 * np.abs(path.rates).max())
    there = s.at({n: x[-1] for n, x in sparse.items()})
    close(there.y / scale, path.variables[-1] / scale, 1e-11)
    back = s.starting_from(there).solve({n: x[::-1] for n, x in sparse.items()})
    close(back.variables[::-1] / scale, path.variables / scale, 1e-11)
    t = np.linspace(0.0, 1.0, 51)
    laws = {n: lw.spline(t, x) for n, x in sparse.items()}
    run = s.motion(laws, times=t)
    for n in d.hand.variables:
        close(np.asarray(run[n].data) / scale, path.value(n) / scale, 1e-11)


@pytest.mark.parametrize("seed", [0, 1, slow(2), slow(3), 4, slow(5)])
def test_neither_size_nor_place_matter(seed: int) -> None:
    """The machine in millimetres (1000 times as large a number) and 100 m away: the same angles, scaled lengths."""
    d = general(seed)
    p = d.moved
    X = geo.pose(geo.from_rotvec([0.3, -1.1, 0.4]), [60.0, -70.0, 40.0])
    rng = np.random.default_rng(seed)
    v, a = ({n: rng.normal() * d.way(n, 1.0) for n in d.drives} for _ in range(2))
    for scale, moved_by, tol in ((1e3, np.eye(4), 1e-11), (1e-3, np.eye(4), 1e-11), (1.0, X, 1e-9)):
        other = d.recipe.mechanism(scale, moved_by).assemble()
        grown = np.where(d.hand.is_length, scale, 1.0)
        factor = dict(zip(d.hand.rates, grown, strict=True))
        length = {n: factor.get(n, 1.0) for n in d.hand.variables}
        there = other.at({n: p[n] * length[n] for n in d.drives})
        size = 1 + max(abs(x) for x in p.values.values())
        # 100 m away rounding is 1e-14 m, over a condition below 1e3 and a size near 1 m.
        for n in d.hand.variables:
            close(there[n] / length[n] / size, p[n] / size, tol)
        for one, same in (
            (p.velocities(v), there.velocities({n: x * length[n] for n, x in v.items()})),
            (
                p.accelerations(v, a),
                there.accelerations(*({n: x * length[n] for n, x in w.items()} for w in (v, a))),
            ),
        ):
            largest = max(abs(x) for x in one.values())
            for n in d.hand.rates:
                close(same[n] / factor[n] / largest, one[n] / largest, 10 * tol)
        assert there.mobility == p.mobility


@pytest.mark.parametrize("seed", [0, 1, slow(2), slow(3), 4, slow(5)])
def test_the_tree_does_not_matter(seed: int) -> None:
    """Other cut joints, another tree: the same variables, poses, rates, accelerations and jerks by name."""
    d = general(seed)
    p = d.moved
    rng = np.random.default_rng(seed)
    v, a, j = ({n: rng.normal() * d.way(n, 1.0) for n in d.drives} for _ in range(3))
    target = {n: p[n] for n in d.drives}
    wanted = [p.velocities(v), p.accelerations(v, a), p.jerks(v, a, j)]
    floating = d.recipe.floating
    for choice in ({"tree": "declared"}, {"cut": _another_cut(d, rng)}):
        other = d.recipe.mechanism().assemble(**choice)
        q = other.at(target)
        scale = 1 + max(abs(x) for x in p.values.values())
        if not floating:  # another body carries the six freedoms then
            for n in d.hand.variables:
                close(_signed(q, p, n) / scale, p[n] / scale, 1e-10)
            for b in d.machine.bodies:
                close(q.pose(b) / scale, p.pose(b) / scale, 1e-10)
        for one, same in zip(wanted, [q.velocities(v), q.accelerations(v, a), q.jerks(v, a, j)], strict=True):
            largest = max(abs(x) for x in one.values())
            for n in d.hand.rates:
                close(same[n] / largest, one[n] / largest, 1e-10)


def _signed(q: Any, p: Any, name: str) -> float:
    """q and -q are one turn."""
    joint, _, variable = name.partition(".")
    if variable in ("qw", "qx", "qy", "qz"):
        one, other = (np.array([x[f"{joint}.q{k}"] for k in "wxyz"]) for x in (q, p))
        return float(q[name]) * (-1.0 if one @ other < 0.0 else 1.0)
    return float(q[name])


def _another_cut(d: Driven, rng: np.random.Generator) -> list[str]:
    """A joint of the tree that lies in a loop, to be cut instead."""
    graph = d.machine.topology
    inside = [j for loop in graph.loops for j, _ in loop.steps if j not in graph.chords]
    return [str(rng.choice(inside))]


# ---------------------------------------------------------------- far, and to the end


@pytest.mark.parametrize("seed", range(5))
def test_a_motion_ends_only_where_the_curve_of_postures_does(seed: int) -> None:
    ends_where_it_must(many(seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5, 60))
def test_more_motions_end_only_where_the_curve_of_postures_does(seed: int) -> None:
    ends_where_it_must(many(seed), seed)


def many(seed: int) -> Driven:
    if seed % 8 == 7:
        return Driven(planar_loops(seed, 2), seed)
    for attempt in range(20):
        kinds = [k for k in SMOOTH if "flank" not in k and not k.endswith(("_inside_mate", "_around_mate"))]
        recipe = many_loops(5000 + 100 * attempt + seed, 1 + seed % 2, kinds, mobility=1 + seed % 3 // 2)
        if recipe.hand.independent(recipe.hand.layout, np.random.default_rng(seed)):
            return Driven(recipe, seed)
    raise AssertionError("no machine with plain drives")


def ends_where_it_must(d: Driven, seed: int) -> None:
    """Walked by arc length with numpy: the same end, the same limit, the same posture."""
    hand, name, held = d.hand, d.drives[0], d.drives[1:]
    target = d.start[name] + d.way(name, 0.7 if seed % 2 else -0.7)
    laws: dict[str, Any] = {n: d.start[n] for n in held}
    run = d.machine.motion({name: (d.start[name], target), **laws}, samples=101)
    _, limit, end = hand.traced(hand.layout, name, held, target, step=2e-2)
    assert (run.status == "complete") == (end == "reached"), (run.message, end, limit)
    last = run.isel(len(run) - 1)
    if run.status == "stopped":
        spacing = abs(target - d.start[name]) / 100
        assert "limit of travel" in run.message
        # The last sample lies within one of the limit; the secant knows that to about a thousandth of a step.
        assert -1e-2 * spacing <= abs(limit - float(last[name])) <= 1.01 * spacing
    y, _, landed = hand.traced(hand.layout, name, held, float(last[name]), step=2e-2)
    assert landed == "reached" or end == "turned"
    if landed == "reached":
        y = y.copy()
        y[hand.variables.index(name)] = float(last[name])
        y = hand.corrected(y, np.isin(hand.rates, d.drives))
        assert y is not None
        X, ours = hand.poses(y), hand.poses(hand.from_values({n: float(last[n]) for n in hand.variables}))
        for b in X:
            close(ours[b][:3, :3], X[b][:3, :3], 1e-7)  # near a limit, where rounding grows by its root


def test_a_motion_ends_where_involutes_jam() -> None:
    """Gears whose involutes no longer touch: the motion keeps what was reached, as at any other limit."""
    recipe = many_loops(3, 3, mobility=2)
    s, hand = recipe.mechanism().assemble(), recipe.hand
    start = s.home["J5.angle"]
    _, limit, end = hand.traced(hand.layout, "J5.angle", ["J0.angle"], start + 0.05)
    assert end == "ended"
    run = s.motion({"J5.angle": (start, start + 0.05), "J0.angle": s.home["J0.angle"]}, samples=300)
    assert run.status == "stopped"
    close(np.asarray(run["J5.angle"].data)[-1], limit, 0.05 / 299)


# ---------------------------------------------------------------- freedoms of joints that turn freely


def test_an_idle_spin_does_not_depend_on_the_samples() -> None:
    s = rssr().assemble()
    target = s.home["A"] + 1.0
    ends = [s.solve({"A": np.linspace(s.home["A"], target, n)}).variables[-1] for n in (2, 5, 101, 5001)]
    for end in ends[1:]:
        close(end, ends[0], 1e-9)


def test_an_idle_spin_comes_back_with_the_crank() -> None:
    s = rssr().assemble()
    back = s.starting_from(s.at(A=s.home["A"] + 1.0)).at(A=s.home["A"])
    close(back.y, s.home.y, 1e-9)


def test_the_rate_of_an_idle_spin_is_that_of_the_poses() -> None:
    s = rssr().assemble()
    run = s.motion({"A": (s.home["A"], s.home["A"] + 1.0)}, samples=1001)
    R, w = (np.asarray(run[f"rod.{x}"].data) for x in ("rotation", "angular_velocity"))
    spin = differentiated(R.reshape(-1, 9), 1e-3, STENCIL, 1).reshape(-1, 3, 3) @ R[4:-4].transpose(0, 2, 1)
    close(np.array([geo.unskew(S) for S in spin]), w[4:-4], 1e-8)
