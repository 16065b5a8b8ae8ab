"""How space gets onto a page: a pin-hole, or parallel rays.

A place p of the world lies, seen by a camera at e with axes right r, up u and forward f, at

    x = c r·(p - e) / f·(p - e),    y = c u·(p - e) / f·(p - e),    c = 1 / tan(fov / 2)

so that y goes from -1 to 1 over the camera's field of view. Parallel rays divide by the distance of the target instead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.geometry import Array
from linkwork.views.scene.camera import Camera

NEAR = 1e-3
"""Nothing is seen that is nearer than this part of the target's distance."""


@dataclass(frozen=True, eq=False)
class Lens:
    """A camera that looks.

    eye : [m]; axes : right, up and forward as rows; distance : of the target [m]; scale : c above
    perspective : whether rays meet in the eye; else they are parallel
    """

    eye: Array
    axes: Array
    distance: float
    scale: float
    perspective: bool = True

    def seen(self, places: Array) -> tuple[Array, Array]:
        """Coordinates on the page (..., 2) and depths (...) [m]; not a number behind the eye."""
        local = (places - self.eye) @ self.axes.T
        depth = local[..., 2]
        if not self.perspective:
            return local[..., :2] * (self.scale / self.distance), depth
        in_front = np.where(depth > NEAR * self.distance, depth, np.nan)
        return local[..., :2] * (self.scale / in_front)[..., None], depth

    def nearness(self, depth: Array) -> Array:
        """A measure of depths that grows towards the eye and is straight along the page, as depth itself is not."""
        return 1.0 / depth if self.perspective else -depth


def lens_of(camera: Camera, perspective: bool = True) -> Lens:
    """The lens of a camera: upright as far as its up allows."""
    forward = np.asarray(camera.target, float) - camera.eye
    distance = float(np.linalg.norm(forward))
    forward = forward / distance
    right = np.cross(forward, camera.up)
    if np.linalg.norm(right) < 1e-9:  # looking along up: any direction of the page may be up
        right = np.cross(forward, np.eye(3)[int(np.argmin(np.abs(forward)))])
    right = right / np.linalg.norm(right)
    axes = np.array([right, np.cross(right, forward), forward])
    return Lens(np.asarray(camera.eye, float), axes, distance, 1.0 / np.tan(camera.fov / 2), perspective)
