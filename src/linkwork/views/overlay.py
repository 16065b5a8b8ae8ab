"""Layers on a stage: their curves once, their arrows at any sample; each layer switched on and off as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.geometry import Array
from linkwork.views.layers.parts import Curve, Layer, Segments
from linkwork.views.scene.parts import Scene
from linkwork.views.stage import Stage

WIDTH = 2.5  # pixels
SHAFT, HEAD, LENGTH = 0.006, 0.015, 0.034  # of an arrow, in parts of the machine's size
SHORTEST = LENGTH / 3
"""Arrows shorter than this are not shown: on the page their heads would stay."""


class Overlay:
    """Layers over a stage.

    Parameters
    ----------
    stage : where the machine is
    layers : what to draw over it
    hidden : names of layers that are switched off at first
    """

    def __init__(self, stage: Stage, layers: Sequence[Layer], hidden: Sequence[str] = ()) -> None:
        self.stage, self.layers = stage, tuple(layers)
        self._shift = _to_the_front(stage.scene)
        self.roots: dict[str, list[Any]] = {layer.name: [] for layer in layers}
        self.moving: list[tuple[str, Segments, Any]] = []
        self.hidden: set[str] = set()
        self._blank: set[str] = set()
        """Nodes that have nothing to show at this sample."""
        for layer in layers:
            for curve in layer.curves:
                self.roots[layer.name].append(self._curve(layer, curve))
            for segments in layer.segments:
                node = self._segments(layer, segments)
                self.roots[layer.name].append(node)
                self.moving.append((layer.name, segments, node))
        for name in hidden:
            self.show(name, False)

    def _curve(self, layer: Layer, curve: Curve) -> Any:
        own = self.stage.scene.poses.get(curve.body, np.eye(4))[:3, :3].T @ self._shift
        pieces = np.stack([curve.points[:-1], curve.points[1:]], axis=1) + own
        pieces = pieces[np.isfinite(pieces).all(axis=(1, 2))]  # a gap stays a gap
        pieces = (pieces * self.stage.unit).astype(np.float32)
        name = f"{self.stage.root}/{curve.body}/{layer.name}-{curve.name}"
        return self._lines(name, pieces, self.stage.theme.rgb(curve.tint))

    def _lines(self, name: str, pieces: Array, colour: tuple[int, int, int]) -> Any:
        return self.stage.api.add_line_segments(name, pieces, colour, thickness=WIDTH, thickness_units="screen")

    def _segments(self, layer: Layer, segments: Segments) -> Any:
        name = f"{self.stage.root}/{layer.name}-{segments.name}"
        points = self._points(segments, 0)
        colour = self.stage.theme.rgb(segments.tint)
        if points is None:
            self._blank.add(name)
            points = np.zeros((segments.ends.shape[1], 2, 3), np.float32)
        if not segments.arrows:
            node = self._lines(name, points, colour)
        else:
            sizes = {"shaft_radius": SHAFT, "head_radius": HEAD, "head_length": LENGTH}
            node = self.stage.api.add_arrows(name, points, colour, **sizes)
        node.visible = name not in self._blank
        return node

    def _points(self, segments: Segments, sample: int) -> Array | None:
        """Ends at a sample, None where nothing is seen. What is not finite or too short lies upon what is seen."""
        ends: Array = (np.asarray(segments.ends[sample]) + self._shift) * self.stage.unit
        long = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        seen = np.flatnonzero(long > SHORTEST if segments.arrows else np.isfinite(long))
        if not seen.size:
            return None
        chosen = np.full(len(ends), seen[0])
        chosen[seen] = seen
        points: Array = ends[chosen].astype(np.float32)
        return points

    def to_sample(self, sample: int) -> None:
        """Move all arrows and lines to a sample."""
        for _, segments, node in self.moving:
            points = self._points(segments, sample)
            (self._blank.add if points is None else self._blank.discard)(node.name)
            if points is not None:
                node.points = points
        self.show_moving(True)

    def show(self, name: str, visible: bool) -> None:
        """Switch a layer on or off; one that has nothing to draw is not there."""
        (self.hidden.discard if visible else self.hidden.add)(name)
        for node in self.roots.get(name, ()):
            node.visible = visible and node.name not in self._blank

    def show_moving(self, visible: bool) -> None:
        """Show what belongs to a sample, where its layer is switched on; hide it where no sample is seen."""
        for name, _, node in self.moving:
            wanted = visible and name not in self.hidden and node.name not in self._blank
            if node.visible != wanted:
                node.visible = wanted

    def remove(self) -> None:
        """Take all layers away."""
        for nodes in self.roots.values():
            for node in nodes:
                node.remove()


def _to_the_front(scene: Scene) -> Array:
    """From the plane of a planar machine to before its parts, so that nothing is hidden inside a plate [m]."""
    if scene.normal is None:
        return np.zeros(3)
    joints = [label.at @ scene.poses[label.body][:3, :3].T + scene.poses[label.body][:3, 3] for label in scene.labels]
    plane = np.median([float(scene.normal @ p) for p in joints]) if joints else 0.0
    front = max(float(scene.normal @ np.where(scene.normal > 0.0, scene.corners[1], scene.corners[0])), float(plane))
    shift: Array = scene.normal * (front - plane + 0.01 * scene.size)
    return shift
