"""The layout drawing shows what the layout says."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.units import deg, mm
from linkwork.views.draw import PALETTE, draw_layout, plane_normal


def drawn_texts(ax: object) -> set[str]:
    return {t.get_text().strip() for t in ax.texts} - {"", "/////"}  # type: ignore[attr-defined]


def test_a_planar_mechanism_is_drawn_in_its_plane_and_units() -> None:
    m = lw.example("four-bar")
    ax = draw_layout(m)
    assert ax.name == "rectilinear"
    assert ax.get_xlabel() == "x [mm]" and ax.get_ylabel() == "y [mm]"
    layout = lw.lay_out(m)
    wanted = {tuple(np.round(s.X_WM[:2, 3] / mm, 6)) for s in layout.seats.values()}
    drawn = {tuple(np.round(line.get_xydata()[0], 6)) for line in ax.lines if line.get_marker() == "o"}
    assert wanted == drawn
    names = {name for text in drawn_texts(ax) for name in text.split(", ")}
    assert set(m.joints) | set(m.points) | (set(m.bodies) - {"ground"}) <= names


def test_coinciding_joints_share_their_label() -> None:
    assert "C, D" in drawn_texts(draw_layout(lw.example("slider-crank")))


def test_names_can_be_left_out() -> None:
    assert drawn_texts(draw_layout(lw.example("four-bar"), names=False)) == set()


def test_a_spatial_mechanism_is_drawn_in_space() -> None:
    ax = draw_layout(lw.example("bricard"))
    assert ax.name == "3d"
    colours = {line.get_color() for line in ax.lines}
    assert set(PALETTE[:5]) <= colours


@pytest.mark.parametrize("angle", [0.0, 30 * deg, 90 * deg])
def test_the_plane_is_found_in_any_orientation(angle: float) -> None:
    m = lw.Mechanism()
    axis = (0.0, -np.sin(angle), np.cos(angle))
    m.body("a")
    m.body("b")
    m.revolute("A", m.ground, "a", axis=axis)
    m.revolute("B", "a", "b", at=(1, 0, 0), axis=axis)
    m.prismatic("C", m.ground, "b", at=(1, 0, 0), axis="x")
    normal = plane_normal(m, lw.lay_out(m))
    assert normal is not None
    assert np.allclose(np.abs(normal @ np.array(axis)), 1.0, atol=1e-14)
    m.prismatic("D", m.ground, "b", at=(1, 0, 0), axis=axis)
    assert plane_normal(m, lw.lay_out(m)) is None


def test_gears_are_drawn_as_pitch_circles() -> None:
    m = lw.example("ferguson")
    ax = draw_layout(m, names=False)
    factor = m.source.units.factor(lw.units.LENGTH) if m.source else 1.0
    rings = [line.get_xydata() for line in ax.lines if len(line.get_xydata()) == 181]
    radii = sorted(float(np.ptp(ring[:, 0])) / 2 for ring in rings)
    wanted = sorted(
        abs(r) / factor
        for j in m.joints.values()
        if j.law.kind == "gear"
        for r in (j.law.radius, j.law.mate)  # type: ignore[attr-defined]
    )
    assert np.allclose(radii, wanted, rtol=1e-3)


@pytest.mark.parametrize("name", sorted(lw.examples()))
def test_every_example_can_be_drawn(name: str) -> None:
    m = lw.example(name)
    ax = draw_layout(m)
    assert ax.get_title() == m.name
    data = [np.array(line.get_data_3d() if ax.name == "3d" else line.get_xydata()) for line in ax.lines]
    assert data and all(np.isfinite(d).all() for d in data)
