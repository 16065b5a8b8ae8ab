"""Any mechanism that can be written can be drawn, also one that makes no sense."""

from __future__ import annotations

import numpy as np
from file_machines import mechanisms
from hypothesis import HealthCheck, given, settings

import linkwork as lw
from linkwork.views.scene import camera_for, scene_of


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(mechanisms())
def test_any_mechanism_can_be_drawn(m: lw.Mechanism) -> None:
    """What can be placed is shown, and all numbers are finite."""
    scene = scene_of(m, lw.lay_out(m))
    assert all(np.isfinite(p.mesh.vertices).all() for p in scene.parts)
    assert len({p.name for p in scene.parts}) == len(scene.parts)
    assert np.isfinite(camera_for(scene).eye).all()
