"""From where a machine is looked at."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkwork.geometry import Array
from linkwork.views.line_drawing import page_rows
from linkwork.views.scene.parts import Scene

FOV = math.radians(32.0)  # a long lens: parallel bars stay nearly parallel
ASPECT = 4 / 3
MARGIN = 0.08
CENTRED = 4  # steps in which the target settles
TILT = math.radians(14.0)  # from the normal of a planar machine, so that its depth shows
AZIMUTH, ELEVATION = math.radians(-58.0), math.radians(24.0)  # of the corner from which a spatial one is seen


@dataclass(frozen=True, eq=False)
class Camera:
    """A camera: eye and target [m], the direction that is up in the picture, the vertical angle of view [rad]."""

    eye: Array
    target: Array
    up: Array
    fov: float

    def axes(self) -> Array:
        """Rows: right, up and backward (from target to eye) of the picture."""
        return _axes(_unit(self.eye - self.target), self.up)

    def project(self, places: Array, aspect: float = ASPECT) -> Array:
        """Places (n, 3) in the picture (n, 2): -1 to 1 from left to right and from bottom to top.

        Parameters
        ----------
        places : in the world [m], before the camera
        aspect : width of the picture by its height
        """
        x, y, back = self.axes() @ (places - self.eye).T
        scale = -back * math.tan(self.fov / 2)
        return np.stack([x / (scale * aspect), y / scale], axis=1)


def camera_for(scene: Scene, corners: Array | None = None, aspect: float = ASPECT) -> Camera:
    """A camera from which a scene fills a picture, with 8 % of margin.

    A planar machine is seen nearly along its normal, a spatial one from a corner.

    Parameters
    ----------
    scene : what is seen
    corners : lowest and highest x, y, z [m] of what must be in view, as rows, such as of a whole motion; of the
        scene without
    aspect : width of the picture by its height
    """
    box = scene.corners if corners is None else np.asarray(corners, dtype=float)
    back = _direction(scene)
    target = box.mean(axis=0)
    grid = np.array(np.meshgrid(*box.T)).reshape(3, -1).T
    axes = _axes(back, scene.up)
    for _ in range(CENTRED):
        distance, seen = _distance(axes @ (grid - target).T, aspect, scene.size)
        # Near corners look larger than far ones: the target moves until the picture is centred.
        target = target + distance * (seen.max(axis=1) + seen.min(axis=1)) / 2 @ axes[:2]
    distance, _ = _distance(axes @ (grid - target).T, aspect, scene.size)
    return Camera(target + distance * back, target, scene.up, FOV)


def _distance(places: Array, aspect: float, size: float) -> tuple[float, Array]:
    """From how far places (right, up, towards the eye) are all in view, and where they are seen then (right, up)."""
    right, up, depth = places
    # A corner at (x, y, d) is in view from the distance D when |x| <= (D - d) tan(fov/2) aspect, and y likewise.
    reach = math.tan(FOV / 2) * (1 - MARGIN)
    distance = float(np.max(np.maximum(np.abs(right) / aspect, np.abs(up)) / reach + depth))
    distance = max(distance, 1e-3 * size + float(depth.max()))
    return distance, np.stack([right, up]) / (distance - depth)


def _direction(scene: Scene) -> Array:
    """From the machine to the eye."""
    up = scene.up
    if scene.normal is not None:
        right = np.cross(up, scene.normal)
        return _unit(scene.normal + math.tan(TILT) * (0.8 * up + 0.6 * right))
    # Azimuth about up, measured from the axis that is x of the layout where that is level.
    level = page_rows(up)[0]
    side = np.cross(up, level)
    flat = math.cos(AZIMUTH) * level + math.sin(AZIMUTH) * side
    return _unit(math.cos(ELEVATION) * flat + math.sin(ELEVATION) * up)


def _axes(back: Array, up: Array) -> Array:
    """Rows: right, up and backward of a picture."""
    right = _unit(np.cross(up, back))
    return np.array([right, np.cross(back, right), back])


def _unit(v: Array) -> Array:
    return np.asarray(v / np.linalg.norm(v))
