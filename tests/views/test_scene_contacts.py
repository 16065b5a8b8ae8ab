"""What is seen of surfaces and curves in space: closed thin shells and wires where they are, cut by limits."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork import geometry as geo
from linkwork.model.layout import lay_out
from linkwork.model.surfaces import Surface
from linkwork.views.contact_lines import lines_of
from linkwork.views.scene import scene_of
from linkwork.views.scene.shapes import volume

sys.path[:0] = [str(Path(__file__).parents[1] / "model")]
from laws import PATHS, SURFACES  # noqa: E402
from test_scene import assert_closed  # noqa: E402


def carried(shape: Any, **options: Any) -> lw.Mechanism:
    """A rod on a surface or a curve that a turning plate carries."""
    m = lw.Mechanism("carried")
    m.body("plate"), m.body("rod")
    m.revolute("A", m.ground, "plate", at=(0.2, 0, 0), axis=(0.1, 0.2, 1.0))
    frame = lw.placement((0.3, 0.1, 0.2), rpy=(0.4, -0.3, 0.2))
    if isinstance(shape, Surface):
        value = [_inside(span) for span in shape.over()]
        m.on_surface("K", "plate", "rod", surface=shape, frame=frame, value=(*value, 1, 0, 0, 0), **options)
    else:
        value = [_inside(shape.along())]
        m.on_curve("K", "plate", "rod", curve=getattr(shape, "curve", shape), frame=frame, value=(*value, 1, 0, 0, 0))
    m.point("far", "rod", at=(1.0, 1.0, 1.0))
    return m


def _inside(span: Any) -> float:
    return 0.5 * (span.start + span.end) + 0.1 if span.is_finite else 0.6


@pytest.mark.parametrize("name", [*SURFACES, *PATHS])
def test_shells_and_wires(name: str) -> None:
    shape = SURFACES.get(name) or PATHS[name]
    m = carried(shape)
    layout = lay_out(m)
    assert not [p for p in layout.problems if p.severity == "error"]
    scene = scene_of(m, layout)
    assert not scene.notes
    (part,) = [p for p in scene.parts if p.of == "K" and p.body == "plate"]
    assert_closed(part.mesh)
    assert volume(part.mesh) > 0.0
    # Every corner is on the shape, less half the thickness.
    X_FB = geo.inverse(layout.seats["K"].X_TF)
    corners = geo.transform_points(X_FB, part.mesh.vertices)[::37]
    for p in corners:
        q = np.atleast_1d(shape.nearest(p))
        there = np.array([float(c) for c in shape.point(*q)])
        assert np.linalg.norm(there - p) < (0.03 if name != "sphere" else 1e-12) * scene.size
    # The ball is at the point.
    (ball,) = [p for p in scene.parts if p.of == "K" and p.kind == "joint"]
    at = layout.seats["K"].X_HM[:3, 3]
    assert np.linalg.norm(ball.mesh.vertices.mean(axis=0) - at) < 1e-9 * scene.size
    lines = lines_of(m.joints["K"], layout.seats["K"].q, layout.size)
    assert len(lines) == (1 if name in PATHS else 18)
    lw.draw_layout(m).figure.clear()


def test_limits_cut_what_is_shown() -> None:
    m = carried(lw.surface("sphere", radius=0.8), limits={"angle1": (-0.5, 0.7), "angle2": (-0.4, 0.4)})
    layout = lay_out(m)
    (part,) = [p for p in scene_of(m, layout).parts if p.of == "K" and p.body == "plate"]
    assert part.opacity == 1.0
    places = geo.transform_points(geo.inverse(layout.seats["K"].X_TF), part.mesh.vertices)
    angles = np.array([lw.surface("sphere", radius=0.8).nearest(p) for p in places])
    np.testing.assert_allclose(angles.min(axis=0), (-0.5, -0.4), atol=1e-9)
    np.testing.assert_allclose(angles.max(axis=0), (0.7, 0.4), atol=1e-9)


def test_what_is_not_finite_is_noted() -> None:
    m = carried(lw.surface("height", z="sqrt(x)", x=(-1, 1), y=(-1, 1)))
    layout = lay_out(m)
    scene = scene_of(m, layout)
    assert scene.notes == ("what joint 'K' runs on is not drawn: it is not finite over its range",)
