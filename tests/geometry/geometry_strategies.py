"""Random rotations, poses, points and directions for the property tests, and the settings they share."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from linkwork.geometry import from_quaternion, pose

quick = settings(max_examples=60, deadline=None, derandomize=True)

angles = st.floats(-3.1, 3.1)
lengths = st.floats(-10.0, 10.0)
points = st.tuples(lengths, lengths, lengths).map(np.array)
_component = st.floats(-1.0, 1.0)
directions = st.tuples(_component, _component, _component).map(np.array).filter(lambda v: bool(np.linalg.norm(v) > 0.1))
quaternions = (
    st.tuples(_component, _component, _component, _component)
    .map(np.array)
    .filter(lambda q: bool(np.linalg.norm(q) > 0.1))
    .map(lambda q: q / np.linalg.norm(q))
)
rotations = quaternions.map(from_quaternion)
poses = st.builds(pose, rotations, points)


def assert_close(actual: object, expected: object, tol: float = 1e-12) -> None:
    """Every number within `tol`, absolutely."""
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tol)
