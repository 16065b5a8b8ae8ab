"""Verdicts on four-bars against brute force: every posture of a sweep is closed by a solver of its own."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from machines import Builder, four_bar, hooke, slider_crank

import linkwork as lw
from linkwork import geometry as geo
from linkwork.analyses.kinematics import four_bars as fb
from linkwork.analyses.kinematics import grashof as gr
from linkwork.analyses.kinematics import slider_cranks as sc

side = st.floats(0.1, 10.0)
sides = st.tuples(side, side, side, side)
SWEEP = np.linspace(-math.pi, math.pi, 721)


def solve(g, a, h, b, theta, way=1):
    """Output angle of a planar four-bar at input angles; NaN where it cannot be closed. Circle meets circle."""
    A = np.stack([a * np.cos(theta), a * np.sin(theta)], axis=-1)
    to = np.array([g, 0.0]) - A
    d = np.linalg.norm(to, axis=-1)
    along = (d * d + h * h - b * b) / (2 * d)
    with np.errstate(invalid="ignore"):
        across = np.sqrt(h * h - along**2)
    u = to / d[..., None]
    B = A + along[..., None] * u + way * across[..., None] * np.stack([-u[..., 1], u[..., 0]], axis=-1)
    return np.arctan2(B[..., 1], B[..., 0] - g)


def closes(g, a, h, b, theta):
    """Whether input angles can be reached: the coupler's and the output's circles meet."""
    d = np.hypot(a * np.cos(theta) - g, a * np.sin(theta))
    return (abs(h - b) <= d) & (d <= h + b)


def inside(ranges, angle, slip=0.0):
    """Whether angles lie in any of the ranges, modulo full turns."""
    found = np.zeros(np.shape(angle), bool)
    for low, high in ranges:
        for turn in (-2 * math.pi, 0.0, 2 * math.pi):
            found |= (low - slip <= angle + turn) & (angle + turn <= high + slip)
    return found


def proper(links):
    """Closable, and not so near a change point that a sweep could not tell."""
    s, p, q, longest = sorted(links)
    return longest < 0.999 * (s + p + q) and abs(s + longest - p - q) > 1e-3 * longest


# --- planar four-bars -------------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(sides)
def test_the_verdict_is_that_of_a_sweep(links) -> None:
    assume(proper(links))
    g, a, h, b = links
    v = gr.grashof(*links)
    # A joint turns fully if it does so with either of its links standing: four sweeps of an inversion each.
    expected = [closes(*turned, SWEEP).all() for turned in ((g, a, h, b), (a, h, b, g), (h, b, g, a), (b, g, a, h))]
    assert list(v.turns) == expected
    crank, rocker = v.turns[0], v.turns[3]
    names = {(1, 1): "double-crank", (1, 0): "crank-rocker", (0, 1): "rocker-crank"}
    none = "double-rocker" if any(v.turns) else "triple-rocker"
    assert v.kind == names.get((crank, rocker), none)
    assert (v.margin > 0) == any(v.turns)
    assert v.barker == gr.barker_types(*links)
    assert gr.BARKER[v.barker - 1].split(",")[0].endswith(v.kind)


@settings(max_examples=150, deadline=None)
@given(sides)
def test_ranges_hold_exactly_the_angles_that_can_be_reached(links) -> None:
    assume(proper(links))
    g, a, h, b = links
    v = gr.grashof(*links)
    for ranges, reached in (
        (v.input_ranges, closes(g, a, h, b, SWEEP)),
        (v.output_ranges, closes(g, b, h, a, math.pi - SWEEP)),
    ):
        sure = inside(ranges, SWEEP, -1e-9) | ~inside(ranges, SWEEP, 1e-9)
        np.testing.assert_array_equal(inside(ranges, SWEEP)[sure], reached[sure])
    if v.swing:
        own, driven = v.swing.split("-")
        for end, at in (("0", 0.0), ("pi", math.pi)):
            assert (own == end) == bool(closes(g, a, h, b, at))
            assert (driven == end) == bool(closes(g, b, h, a, math.pi - at))
    assert bool(v.swing) == (v.kind == "triple-rocker")


@settings(max_examples=100, deadline=None)
@given(sides)
def test_at_a_toggle_two_links_lie_in_line(links) -> None:
    assume(proper(links))
    g, a, h, b = links
    v = gr.grashof(*links)
    for t in v.toggles:
        first, second = {"output": (h, b), "input": (h, a)}[t.in_line[1]]
        far = first + second if t.how == "stretched" else abs(first - second)
        if t.driven == "input":
            d = math.hypot(a * math.cos(t.angle) - g, a * math.sin(t.angle))
        else:
            d = math.hypot(g + b * math.cos(t.angle), b * math.sin(t.angle))
        assert d == pytest.approx(far, abs=1e-7 * max(links))


def test_crank_rocker_of_the_gallery_in_numbers() -> None:
    """Limits of the rocker from the triangles (100, 80, 160) and (100, 80, 80); the same from a fine sweep."""
    links = (100, 40, 120, 80)
    v = gr.grashof(*links)
    assert (v.kind, v.barker, v.margin) == ("crank-rocker", 2, 20)
    assert v.turns == (True, True, False, False) and v.input_ranges == gr.FULL_TURN
    inner = [math.acos((100**2 + 80**2 - d**2) / (2 * 100 * 80)) for d in (160, 80)]
    np.testing.assert_allclose(v.output_ranges[1], [math.pi - t for t in inner], rtol=1e-14)
    np.testing.assert_allclose(v.output_ranges[0], [t - math.pi for t in reversed(inner)], rtol=1e-14)
    theta = np.linspace(0, 2 * math.pi, 200_001)
    psi = solve(*links, theta)
    np.testing.assert_allclose([psi.min(), psi.max()], v.output_ranges[1], atol=1e-8)
    assert v.time_ratio == pytest.approx(ratio_of_a_sweep(theta, psi), abs=1e-3)
    assert str(v) == "crank-rocker"
    swapped = gr.grashof(100, 80, 120, 40)
    assert swapped.kind == "rocker-crank" and swapped.time_ratio == pytest.approx(v.time_ratio, rel=1e-14)


def crank_rockers(verdict, low, high, margin, n):
    """Random crank-rockers that are not close to a change point."""
    rng = np.random.default_rng(5)
    while n:
        links = tuple(float(x) for x in rng.uniform(low, high, 4))
        try:
            v = verdict(*links)
        except lw.ModelError:
            continue
        if v.kind == "crank-rocker" and abs(v.margin) > margin:
            n -= 1
            yield links, v


def ratio_of_a_sweep(theta, psi):
    """Slower over quicker stroke, from the crank angles at the ends of the swing."""
    forth = (theta[np.argmin(psi)] - theta[np.argmax(psi)]) % (2 * math.pi)
    return max(forth, 2 * math.pi - forth) / min(forth, 2 * math.pi - forth)


def test_one_way_of_assembly_keeps_to_one_range_and_has_the_time_ratio() -> None:
    theta = np.linspace(0, 2 * math.pi, 20_001)
    for links, v in crank_rockers(gr.grashof, 0.1, 10.0, 0.3, 60):
        psi = solve(*links, theta)
        np.testing.assert_allclose([psi.min(), psi.max()], v.output_ranges[1], atol=1e-5)
        assert v.time_ratio == pytest.approx(ratio_of_a_sweep(theta, psi), rel=5e-3)


@pytest.mark.parametrize(
    ("links", "barker", "kind", "more"),
    [
        ((2, 3, 4, 4), 1, "double-crank", ""),
        ((4, 2, 4, 3), 2, "crank-rocker", ""),
        ((4, 3, 2, 4), 3, "double-rocker", ""),
        ((4, 3, 4, 2), 4, "rocker-crank", ""),
        ((9, 3, 4, 5), 5, "triple-rocker", "0-pi"),
        ((3, 9, 4, 5), 6, "triple-rocker", "0-0"),
        ((3, 4, 9, 5), 7, "triple-rocker", "pi-0"),
        ((3, 4, 5, 9), 8, "triple-rocker", "pi-pi"),
        ((1, 2, 4, 3), 9, "change-point", ""),
        ((4, 1, 3, 2), 10, "change-point", ""),
        ((2, 4, 1, 3), 11, "change-point", ""),
        ((2, 4, 3, 1), 12, "change-point", ""),
        ((3, 1, 3, 1), 13, "change-point", "parallelogram"),
        ((3, 3, 1, 1), 13, "change-point", "kite"),
        ((3, 1, 1, 3), 13, "change-point", "kite"),
        ((1, 1, 1, 1), 14, "change-point", "rhombus"),
    ],
)
def test_barkers_fourteen_types(links, barker: int, kind: str, more: str) -> None:
    for scale in (1e-9, 1.0, 1e9):
        v = gr.grashof(*(scale * x for x in links))
        assert (v.barker, v.kind, v.special or v.swing) == (barker, kind, more)
    assert len(gr.BARKER) == 14
    nearly = gr.grashof(*(x * (1 + 1e-13 * i) for i, x in enumerate(links)))
    assert nearly.barker == barker


def test_change_points_turn_through() -> None:
    v = gr.grashof(3, 1, 3, 1)
    assert v.turns == (True,) * 4 and v.input_ranges == v.output_ranges == gr.FULL_TURN and not v.toggles
    # A change-point crank-rocker: at input pi all links lie in line, and the output's two ranges meet there.
    v = gr.grashof(4, 1, 3, 2)
    assert v.turns == (True, True, False, False) and len(v.output_ranges) == 1


def test_barker_types_of_many_and_of_none() -> None:
    ground, coupler = np.array([[4.0], [2.5]]), np.array([4.0, 2.5])
    found = gr.barker_types(ground, 2.0, coupler, 3.0)
    assert found.tolist() == [[int(gr.barker_types(g, 2, h, 3)) for h in coupler] for g in ground[:, 0]]
    odd = gr.barker_types([10, 1, 0, -1, np.nan, 6], 1, [1, 1, 1, 1, 1, 2], [1, 1, 1, 1, 1, 3])
    assert odd.tolist() == [0, 14, 0, 0, 0, 0]


def test_errors_of_lengths_come_together() -> None:
    with pytest.raises(lw.ModelError) as caught:
        gr.grashof(-1, 0, math.nan, 2)
    assert [p.where for p in caught.value.problems] == ["ground", "input", "coupler"]
    with pytest.raises(lw.ModelError, match="cannot be closed"):
        gr.grashof(10, 1, 2, 3)
    with pytest.raises(lw.ModelError, match="one posture only"):
        gr.grashof(6, 1, 2, 3)
    with pytest.raises(lw.ModelError, match="between 0 and pi"):
        gr.spherical_grashof(4, 1, 1, 1)
    with pytest.raises(lw.ModelError, match="cannot be closed"):
        gr.spherical_grashof(3.0, 3.0, 3.0, 1.0)


# --- on the sphere ----------------------------------------------------------------------------------------------------

arc = st.floats(0.1, 3.04)


def on_sphere(g, a, h, b, theta):
    """Pin A, pin D on the unit sphere and the arc between them, at input angles; ground along the great circle to x."""
    theta = np.asarray(theta, float)
    A = np.stack([math.sin(a) * np.cos(theta), math.sin(a) * np.sin(theta), np.full(theta.shape, math.cos(a))], axis=-1)
    D = np.array([math.sin(g), 0.0, math.cos(g)])
    return A, D, np.arctan2(np.linalg.norm(np.cross(A, D), axis=-1), A @ D)


def sphere_closes(g, a, h, b, theta):
    d = on_sphere(g, a, h, b, theta)[2]
    return (abs(h - b) <= d) & (d <= math.pi - abs(math.pi - h - b))


def sphere_output(g, a, h, b, theta):
    """Output angle of one way of assembly, measured about D from the continued ground arc."""
    A, D, d = on_sphere(g, a, h, b, theta)
    corner = np.arccos(np.clip((math.cos(h) - math.cos(b) * np.cos(d)) / (math.sin(b) * np.sin(d)), -1, 1))
    ahead = np.cross(np.cross(D, [math.sin(g - 0.1), 0, math.cos(g - 0.1)]), D)
    ahead = -ahead / np.linalg.norm(ahead)
    left = np.cross(D, ahead)
    to_A = np.arctan2(A @ left, A @ ahead)
    return to_A - corner


@settings(max_examples=150, deadline=None)
@given(st.tuples(arc, arc, arc, arc))
def test_spherical_verdicts_are_those_of_a_sweep(links) -> None:
    g, a, h, b = links
    try:
        v = gr.spherical_grashof(*links)
    except lw.ModelError:
        assert not sphere_closes(*links, SWEEP).any()
        return
    assume(abs(v.margin) > 1e-3)
    sweeps = [sphere_closes(*turned, SWEEP) for turned in ((g, a, h, b), (a, h, b, g), (h, b, g, a), (b, g, a, h))]
    assume(all(s.any() for s in sweeps))
    assert list(v.turns) == [bool(s.all()) for s in sweeps]
    for ranges, reached in (
        (v.input_ranges, sweeps[0]),
        (v.output_ranges, sphere_closes(g, b, h, a, math.pi - SWEEP)),
    ):
        sure = inside(ranges, SWEEP, -1e-6) | ~inside(ranges, SWEEP, 1e-6)
        np.testing.assert_array_equal(inside(ranges, SWEEP)[sure], reached[sure])


def test_spherical_time_ratio() -> None:
    theta = np.linspace(0, 2 * math.pi, 20_001)
    for links, v in crank_rockers(gr.spherical_grashof, 0.1, 3.04, 0.05, 60):
        psi = np.unwrap(sphere_output(*links, theta))
        low, high = float(psi.min()), float(psi.max())
        assert any(inside([r], low, 1e-5) and inside([r], high, 1e-5) for r in v.output_ranges)
        assert high - low == pytest.approx(v.output_ranges[0][1] - v.output_ranges[0][0], abs=1e-5)
        assert v.time_ratio == pytest.approx(ratio_of_a_sweep(theta, psi), rel=1e-2)


def test_small_spherical_four_bars_are_planar() -> None:
    for links in ((100, 40, 120, 80), (9, 3, 4, 5), (3, 9, 4, 5), (4, 3, 2, 4)):
        flat, round_ = gr.grashof(*links), gr.spherical_grashof(*(1e-5 * x for x in links))
        assert (flat.kind, flat.turns, flat.swing) == (round_.kind, round_.turns, round_.swing)
        np.testing.assert_allclose(flat.input_ranges, round_.input_ranges, atol=1e-5)
        np.testing.assert_allclose(flat.output_ranges, round_.output_ranges, atol=1e-5)


# --- slider-cranks ----------------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(side, side, st.floats(-10, 10))
def test_slider_cranks_are_those_of_a_sweep(a: float, c: float, e: float) -> None:
    assume(abs(e) < 0.999 * (a + c) and abs(abs(c - a) - abs(e)) > 1e-3 * max(a, c))
    v = sc.slider_crank(a, c, e)
    rise = a * np.sin(SWEEP) - e
    reached = np.abs(rise) <= c
    sure = inside(v.crank_ranges, SWEEP, -1e-9) | ~inside(v.crank_ranges, SWEEP, 1e-9)
    np.testing.assert_array_equal(inside(v.crank_ranges, SWEEP)[sure], reached[sure])
    assert v.turns[0] == bool(reached.all())
    # The rod's lean likewise: |c sin(lean) + e| <= a.
    assert v.turns[2] == bool((np.abs(c * np.sin(SWEEP) + e) <= a).all())
    fine = np.concatenate([np.linspace(low, high, 10_001) for low, high in v.crank_ranges])
    x = a * np.cos(fine) + np.sqrt(np.maximum(c * c - (a * np.sin(fine) - e) ** 2, 0.0))
    assert x.max() == pytest.approx(v.slider_ranges[-1][1], rel=1e-5)
    if v.kind == "crank":
        assert v.stroke == pytest.approx(np.ptp(x), rel=1e-4)
        assert x.min() == pytest.approx(v.slider_ranges[-1][0], rel=1e-3, abs=1e-4)
        outer, inner = v.dead_centres
        np.testing.assert_allclose(
            np.mod([outer, inner] - fine[[np.argmax(x), np.argmin(x)]] + 1, 2 * math.pi) - 1, 0, atol=2e-2
        )
        forth = (inner - outer) % (2 * math.pi)
        assert v.time_ratio == pytest.approx(
            max(forth, 2 * math.pi - forth) / min(forth, 2 * math.pi - forth), rel=1e-12
        )
    else:
        assert v.time_ratio is None and v.dead_centres is None


def test_offset_slider_crank_of_the_gallery() -> None:
    v = sc.slider_crank(60, 180, 20)
    outer, inner = math.sqrt(240**2 - 20**2), math.sqrt(120**2 - 20**2)
    assert (v.kind, v.stroke) == ("crank", pytest.approx(outer - inner, rel=1e-14))
    lag = math.asin(20 / 120) - math.asin(20 / 240)
    assert v.time_ratio == pytest.approx((math.pi + lag) / (math.pi - lag), rel=1e-14)
    assert sc.slider_crank(60, 180, -20).time_ratio == v.time_ratio
    assert sc.slider_crank(60, 180).time_ratio == 1.0 and sc.slider_crank(60, 180).stroke == 120.0
    both = sc.slider_crank(1, 1)
    assert (both.kind, both.stroke, both.time_ratio, both.turns) == ("change-point", 4.0, None, (True, True, True))
    assert "stroke" in str(v)
    with pytest.raises(lw.ModelError, match="cannot be closed"):
        sc.slider_crank(1, 1, 3)
    with pytest.raises(lw.ModelError) as caught:
        sc.slider_crank(0, -1, math.inf)
    assert len(caught.value.problems) == 3


@settings(max_examples=100, deadline=None)
@given(side, side, st.floats(-10, 10))
def test_inverted_slider_cranks_are_those_of_a_sweep(g: float, a: float, e: float) -> None:
    assume(abs(e) < 0.98 * (g + a) and abs(abs(g - a) - abs(e)) > 0.02 * max(g, a))
    v = sc.inverted_slider_crank(g, a, e)
    fine = np.linspace(0, 2 * math.pi, 40_001)
    dx, dy = a * np.cos(fine) - g, a * np.sin(fine)
    d = np.hypot(dx, dy)
    sure = inside(v.crank_ranges, fine, -1e-9) | ~inside(v.crank_ranges, fine, 1e-9)
    np.testing.assert_array_equal(inside(v.crank_ranges, fine)[sure], (d >= abs(e))[sure])
    if v.kind == "rocker":
        # Both ways of assembly in one go: there along one, back along the other.
        t = np.linspace(*v.crank_ranges[0], 20_001)
        dx, dy = a * np.cos(t) - g, a * np.sin(t)
        to_pin, lag = np.unwrap(np.arctan2(dy, dx)), np.arcsin(np.clip(e / np.hypot(dx, dy), -1, 1))
        psi = np.concatenate([to_pin - lag, (to_pin + lag - np.copysign(math.pi, e))])
        assert np.ptp(psi) == pytest.approx(v.swing, abs=1e-4) and v.time_ratio is None
        assert inside(v.guide_ranges, psi, 1e-6).all()
        return
    psi = np.unwrap(np.arctan2(dy, dx) - np.arcsin(e / d))
    if v.kind == "turning guide":
        assert abs(psi[-1] - psi[0]) == pytest.approx(2 * math.pi) and v.swing == 2 * math.pi and v.time_ratio is None
    else:
        assert np.ptp(psi) == pytest.approx(v.swing, abs=1e-5) and inside(v.guide_ranges, psi, 1e-9).all()
        assert v.time_ratio == pytest.approx(ratio_of_a_sweep(fine, psi), rel=1e-2)


# --- in mechanisms ----------------------------------------------------------------------------------------------------


def found_in(m, **options):
    return fb.four_bars(m, lw.lay_out(m), lw.graph_of(m), **options)


ANYWHERE = geo.pose(geo.from_rpy([0.4, -1.1, 2.0]), [3.0, -2.0, 5.0])


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_four_bar_is_found_anywhere(scale: float) -> None:
    (bar,) = found_in(four_bar(ANYWHERE, scale))
    assert bar.kind == "four-bar" and bar.bodies == ("ground", "crank", "coupler", "rocker")
    assert bar.joints == ("A", "B", "C", "D")
    lengths = [1.0, math.hypot(0.1, 0.4), math.hypot(1.0, 0.4), math.hypot(0.1, 0.8)]
    v = bar.verdict
    np.testing.assert_allclose([v.ground, v.input, v.coupler, v.output], scale * np.array(lengths), rtol=1e-12)
    np.testing.assert_allclose(bar.angles, [math.atan2(0.4, 0.1), math.atan2(0.8, 0.1)], atol=1e-12)
    np.testing.assert_allclose(bar.axis, ANYWHERE[:3, 2], atol=1e-12)
    assert inside(v.input_ranges, bar.angles[0]) and inside(v.output_ranges, bar.angles[1])
    assert "crank-rocker" in repr(bar)


def test_the_layout_angles_belong_together() -> None:
    for name in ("four-bar", "andrews-squeezer", "wiper-linkage", "theo-jansen-leg"):
        for bar in found_in(lw.example(name)):
            v = bar.verdict
            links = v.ground, v.input, v.coupler, v.output
            both = [float(solve(*links, np.array(bar.angles[0]), way)) for way in (1, -1)]
            assert min(abs(math.remainder(psi - bar.angles[1], 2 * math.pi)) for psi in both) < 1e-6, (name, bar)


def test_another_body_stands_still_and_another_drives() -> None:
    m = lw.example("four-bar")
    kinds = {body: found_in(m, fixed=body)[0].verdict.kind for body in ("ground", "crank", "coupler", "rocker")}
    # Inversions of one Grashof chain: by what the shortest link, the crank, becomes.
    assert kinds == {
        "ground": "crank-rocker",
        "crank": "double-crank",
        "coupler": "crank-rocker",
        "rocker": "double-rocker",
    }
    (bar,) = found_in(m, driver="rocker")
    assert bar.bodies == ("ground", "rocker", "coupler", "crank") and bar.verdict.kind == "rocker-crank"
    with pytest.raises(lw.ModelError) as caught:
        found_in(m, fixed="rockr", driver="x")
    assert [p.where for p in caught.value.problems] == ["fixed", "driver"]


def test_slider_cranks_and_their_inversions() -> None:
    (bar,) = found_in(slider_crank(ANYWHERE))
    assert bar.kind == "slider-crank" and bar.bodies == ("ground", "crank", "rod", "piston")
    assert (bar.verdict.crank, bar.verdict.offset) == (
        pytest.approx(math.hypot(0.05, 0.03)),
        pytest.approx(0.0, abs=1e-12),
    )
    assert bar.angles == (pytest.approx(math.atan2(0.03, 0.05)), pytest.approx(0.25))
    m = lw.example("slider-crank-offset")
    v = found_in(m)[0].verdict
    np.testing.assert_allclose([v.crank, v.rod, v.offset], [0.06, 0.18, 0.02], rtol=1e-9)
    inverted = found_in(m, fixed="crank")[0]
    assert inverted.kind == "inverted slider-crank"
    assert inverted.bodies == ("crank", "rod", "slider", "ground")
    v = inverted.verdict
    assert v.kind == "turning guide"
    np.testing.assert_allclose([v.ground, v.crank, abs(v.offset)], [0.06, 0.18, 0.02], rtol=1e-9)
    swinging = found_in(m, fixed="rod")[0]
    for bar in (inverted, swinging):
        assert inside(bar.verdict.crank_ranges, bar.angles[0]) and inside(bar.verdict.guide_ranges, bar.angles[1])
        v, (turn, guide) = bar.verdict, bar.angles  # the layout closes at these angles
        across = (v.crank * math.cos(turn) - v.ground) * -math.sin(guide) + v.crank * math.sin(turn) * math.cos(guide)
        assert across == pytest.approx(v.offset, rel=1e-6)
    assert swinging.verdict.kind == "swinging guide" and swinging.bodies == ("rod", "crank", "ground", "slider")
    # The slider as frame: the same chain the other way round.
    assert found_in(m, fixed="slider")[0].verdict.crank == pytest.approx(0.18)


def test_hookes_joint_is_a_spherical_double_crank() -> None:
    (bar,) = found_in(hooke(ANYWHERE))
    assert bar.kind == "spherical four-bar" and bar.verdict.kind == "double-crank"
    assert bar.verdict.ground == pytest.approx(math.radians(150))
    v = bar.verdict
    links = v.ground, v.input, v.coupler, v.output
    # The layout closes at these angles: the arc between the two moving pins is the coupler.
    a, b = bar.angles
    A = on_sphere(*links, a)[0]
    D = np.array([math.sin(v.ground), 0, math.cos(v.ground)])
    ahead, left = np.array([math.cos(v.ground), 0, -math.sin(v.ground)]), np.array([0.0, 1.0, 0.0])
    B = math.cos(v.output) * D + math.sin(v.output) * (math.cos(b) * ahead + math.sin(b) * left)
    assert math.acos(float(A @ B)) == pytest.approx(v.coupler, abs=1e-9)


def test_shared_pins_rigid_bodies_and_what_is_none() -> None:
    andrews = found_in(lw.example("andrews-squeezer"))
    assert [bar.joints for bar in andrews] == [
        ("O", "F", "E3", "B"),
        ("B", "E3+E4", "G", "A5"),
        ("B", "E3+E6", "H", "A7"),
        ("A5+A7", "H", "E4+E6", "G"),
    ]
    rhombus = [bar for bar in found_in(lw.example("peaucellier")) if bar.verdict.special == "rhombus"]
    assert len(rhombus) == 1 and set(rhombus[0].bodies) == {"bar_ap", "bar_at", "bar_bt", "bar_bp"}
    for name in ("bennett", "rssr", "scotch-yoke", "pendulum", "planar-3rpr"):
        assert found_in(lw.example(name)) == []

    b = Builder("welded")
    b.bodies("crank", "coupler", "plate", "rocker")
    b.add("revolute", "A", "ground", "crank", (0, 0, 0))
    b.add("revolute", "B", "crank", "coupler", (0.1, 0.4, 0.3))  # pins may be at any height
    b.m.rigid("W", "coupler", "plate")
    b.add("revolute", "C", "plate", "rocker", (1.1, 0.8, 0.2))
    b.add("revolute", "D", "ground", "rocker", (1, 0, 0))
    (bar,) = found_in(b.m)
    assert bar.bodies == ("ground", "crank", "coupler", "rocker")
    assert bar.verdict.coupler == pytest.approx(math.hypot(1.0, 0.4))


def test_many_loops_are_found_quickly() -> None:
    m = lw.example("n-four-bar")
    bars = found_in(m)
    assert len(bars) == 40 and {bar.verdict.special for bar in bars} == {"rhombus"}
    assert [bar.input for bar in bars] == [f"upright{i}" for i in range(40)]
