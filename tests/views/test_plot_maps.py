"""Maps over two variables agree with closed forms: a planar arm, a five-bar."""

import math

import numpy as np
import pytest
from scipy.ndimage import label

import linkwork as lw
from linkwork.units import deg, mm

UPPER, LOWER = 0.5, 0.3


def arm() -> lw.Machine:
    m = lw.Mechanism("arm")
    m.body("upper")
    m.body("lower")
    m.revolute("A", m.ground, "upper", at=(0, 0, 0), axis="z")
    m.revolute("B", "upper", "lower", at=(UPPER, 0, 0), axis="z")
    m.point("P", "lower", at=(UPPER + LOWER, 0, 0))
    return m.assemble()


def five_bar(crank: float, rod: float, base: float) -> lw.Machine:
    """Two cranks that stand upright in the layout, and two rods that meet above them in P."""
    m = lw.Mechanism("five-bar")
    for body in ("left", "right", "left_rod", "right_rod"):
        m.body(body)
    top = (base / 2, crank + math.sqrt(rod**2 - base**2 / 4), 0)
    m.revolute("A", m.ground, "left", at=(0, 0, 0), axis="z")
    m.revolute("E", m.ground, "right", at=(base, 0, 0), axis="z")
    m.revolute("B", "left", "left_rod", at=(0, crank, 0), axis="z")
    m.revolute("D", "right", "right_rod", at=(base, crank, 0), axis="z")
    m.revolute("C", "left_rod", "right_rod", at=top, axis="z")
    m.point("P", "left_rod", at=top)
    return m.assemble()


def test_planar_arm() -> None:
    found = arm().map(("A", -math.pi, math.pi), ("B", -math.pi, math.pi))
    assert isinstance(found, lw.Map) and found.names == ("A.angle", "B.angle") and found.closed.all()
    assert found.quality.shape == (61, 61) and (found.quality == 1.0).all()
    wanted = UPPER * LOWER * np.abs(np.sin(found.y))[:, None]  # det J = l1 l2 sin q2
    assert np.abs(found.manipulability("P") - wanted).max() < 1e-15
    reach = np.linalg.norm(found.position("P"), axis=-1)
    assert math.isclose(reach.max(), UPPER + LOWER, rel_tol=1e-15) and math.isclose(
        reach.min(), UPPER - LOWER, rel_tol=1e-14
    )
    x, y = np.meshgrid(found.x, found.y)
    assert np.allclose(found.position("P")[..., 0], UPPER * np.cos(x) + LOWER * np.cos(x + y), atol=1e-15)
    assert np.array_equal(found.value("B"), y)
    assert repr(found) == "Map of A.angle and B.angle: 61 x 61 samples\n  100.0 % of them close"


@pytest.mark.parametrize(("crank", "rod"), [(0.2, 0.15), (0.1, 0.2)])
def test_five_bar(crank: float, rod: float) -> None:
    base = 0.15
    found = five_bar(crank, rod, base).map(("A", -math.pi, math.pi), ("E", -math.pi, math.pi), samples=(71, 61))
    assert found.closed.shape == (61, 71)
    x, y = np.meshgrid(found.x, found.y)
    tips = 1j * crank * np.exp(1j * x), base + 1j * crank * np.exp(1j * y)
    apart = tips[1] - tips[0]
    can_close = np.abs(apart) < 2 * rod
    pieces, _ = label(can_close)  # what can be reached from home without taking it apart
    home = pieces[np.argmin(np.abs(found.y)), np.argmin(np.abs(found.x))]
    wanted = pieces == home
    missed = wanted & ~found.closed
    assert not (found.closed & ~wanted).any()
    assert (
        np.abs(apart[missed]) < 0.02 * rod
    ).all() and missed.sum() < 5  # both tips in one place: rods may turn freely
    # Home's closure everywhere: P lies to the left of the way from B to D.
    P = (tips[0] + tips[1]) / 2 + 1j * apart / np.abs(apart) * np.sqrt(np.maximum(rod**2 - np.abs(apart) ** 2 / 4, 0))
    places = found.position("P")
    off = np.abs(places[..., 0] + 1j * places[..., 1] - P)
    assert off[found.closed].max() < 1e-9 and np.isnan(off[~found.closed]).all()
    assert found.residual[found.closed].max() < 1e-10 and np.isnan(found.quality[~found.closed]).all()
    # det of the closing equations is that of the rods' directions: |sin of the angle between them|, but for scale.
    angle = np.angle((P - tips[0]) / (P - tips[1]))
    ratio = found.quality / np.abs(np.sin(angle))
    inside = found.closed & (np.abs(np.sin(angle)) > 0.05)
    assert np.ptp(ratio[inside]) < 1e-6 * ratio[inside].max()


def test_manipulability_is_the_area_of_small_steps() -> None:
    s = five_bar(0.1, 0.2, 0.15)
    fine = s.map(("A", 0.4, 0.402), ("E", -0.3, -0.298), samples=(3, 3))
    p, step = fine.position("P"), fine.x[1] - fine.x[0]
    along, up = (p[1, 2] - p[1, 0]) / (2 * step), (p[2, 1] - p[0, 1]) / (2 * step)
    assert math.isclose(np.linalg.norm(np.cross(along, up)), fine.manipulability("P")[1, 1], rel_tol=1e-6)


def test_maps_are_drawn() -> None:
    found = five_bar(0.2, 0.15, 0.15).map(("A", -math.pi, math.pi), ("E", -math.pi, math.pi), samples=(31, 31))
    panels = found.plot(units={"angle": "deg", "length": "mm"})
    field = panels.description.panels[0].field
    assert field is not None and np.array_equal(field.values, found.quality, equal_nan=True)
    assert np.array_equal(field.x, found.x / deg) and panels[0].get_xlabel() == "A.angle [deg]"
    assert panels[0].patch.get_hatch() == "////" and panels[0].get_legend().get_texts()[0].get_text() == "not reached"
    other = found.plot("P", units={"length": "mm"}).description.panels[0].field
    assert other is not None and other.symbol == "mm^2/rad^2"
    assert np.allclose(other.values, found.manipulability("P") / mm**2, rtol=1e-14, equal_nan=True)
    (ax,) = found.plot_workspace("P")
    names = [t.get_text() for t in ax.get_legend().get_texts()]
    assert ax.get_aspect() == 1.0 and names == ["E.angle constant", "A.angle constant"]
    for line, cells in zip(ax.lines, (found.position("P"), found.position("P").swapaxes(0, 1)), strict=False):
        drawn = line.get_xydata()
        assert np.array_equal(drawn[np.isfinite(drawn[:, 0])], cells[np.isfinite(cells[..., 0])][:, :2])
        # The pen goes from a cell to its neighbour in the row only.
        rows, columns = np.nonzero(np.isfinite(cells[..., 0]))
        joined = (np.diff(rows) == 0) & (np.diff(columns) == 1)
        finite = np.isfinite(drawn[:, 0])
        assert (finite[1:] & finite[:-1]).sum() == joined.sum() and (~finite).sum() == (~joined).sum()
    assert found.plot().plotly().data[0].type == "contour"


def test_everything_wrong_with_a_map() -> None:
    s = arm()
    with pytest.raises(lw.ModelError) as caught:
        s.map(("A", 1.0, 0.0), ("C", 0, 1), samples=(1, 5))
    text = str(caught.value)
    assert "(1, 5) samples" in text and "x.A: it cannot go from 1.0 to 0.0" in text and "'C'" in text
    with pytest.raises(lw.ModelError, match="x and y are the same variable"):
        s.map(("A", 0, 1), ("A.angle", 0, 1))
    with pytest.raises(lw.ModelError, match="y: 'B' is not a range"):
        s.map(("A", 0, 1), "B")  # type: ignore[arg-type]
    with pytest.raises(lw.OverSpecified):
        lw.example("four-bar").assemble().map(("O2", 0, 1), ("O4", 0, 1))
    with pytest.raises(lw.ClosureError):  # nothing of it can be reached
        lw.example("planar-3rpr").assemble().map(("cylinder1", 50.0, 60.0), ("cylinder2", 50.0, 60.0), samples=(3, 3))
