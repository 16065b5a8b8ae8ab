"""What tells sizes on the stage: a grid with cells of a round length, the axes of the world with their names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.colours import Theme
from linkwork.geometry import Array
from linkwork.geometry.rotations import to_quaternion
from linkwork.units import LENGTH, UnitSystem, format_quantity
from linkwork.views.scene import Scene

GRID, AXES = "/measures/grid", "/measures/axes"
COLOURS = ((200, 60, 60), (60, 150, 60), (60, 100, 220))
"""Of x, y and z, as everywhere."""
CELLS = 12
"""Cells along the machine, about."""


def cell_of(size: float, units: UnitSystem) -> float:
    """A round length [m] in the units of the page, a twelfth of the machine or so."""
    factor = units.factor(LENGTH)
    wanted = max(size, 1e-12) / CELLS / factor
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(m for m in (1.0, 2.0, 5.0, 10.0) if m * power >= wanted * (1.0 - 1e-9)) * power * factor


class Measures:
    """Grid and axes of a stage.

    Parameters
    ----------
    api : `client.scene`
    """

    def __init__(self, api: Any) -> None:
        self.api = api

    def show(self, scene: Scene, theme: Theme, units: UnitSystem, *, grid: bool, axes: bool) -> str:
        """Draw what is wanted, and nothing else; the size of a cell as text."""
        self.clear()
        unit = 1.0 / scene.size if scene.size > 0.0 else 1.0
        cell = cell_of(scene.size, units)
        if grid:
            self._grid(scene, theme, cell, unit)
        if axes:
            self._axes(scene, unit)
        return format_quantity(cell, LENGTH, units, 4)

    def clear(self) -> None:
        """Take both away."""
        self.api.remove_by_name("/measures")

    def _grid(self, scene: Scene, theme: Theme, cell: float, unit: float) -> None:
        """Behind a planar machine, under a spatial one; its lines run through whole cells from the origin."""
        normal = np.asarray(scene.up if scene.normal is None else scene.normal)
        aside = _aside(normal)
        R = np.stack([aside, np.cross(normal, aside), normal], axis=1)
        box = np.array(np.meshgrid(*np.asarray(scene.corners).T)).reshape(3, -1).T @ R
        low, high = box.min(axis=0), box.max(axis=0)
        middle = (np.round((low + high) / 2 / cell)) * cell
        middle[2] = low[2] - 0.01 * scene.size
        wide = 2.0 * math.ceil(1.5 * float(np.max((high - low)[:2])) / cell + 1.0) * cell
        light = tuple(int(c) for c in theme.rgb("grid"))
        strong = tuple(int(0.75 * a + 0.25 * b) for a, b in zip(light, theme.rgb("stone"), strict=True))
        self.api.add_grid(
            GRID,
            width=wide * unit,
            height=wide * unit,
            plane="xy",
            cell_size=cell * unit,
            section_size=5.0 * cell * unit,
            cell_color=light,
            section_color=strong,
            position=R @ middle * unit,
            wxyz=to_quaternion(R),
            shadow_opacity=0.0,
        )

    def _axes(self, scene: Scene, unit: float) -> None:
        """Lines from the origin of the world with their letters."""
        long = 0.22 * scene.size * unit
        ends = long * np.eye(3)
        points = np.stack([np.zeros((3, 3)), ends], axis=1)
        colours = np.array(COLOURS, np.uint8)
        self.api.add_arrows(f"{AXES}/lines", points, colours, shaft_radius=0.004, head_radius=0.011, head_length=0.03)
        for name, end in zip("xyz", ends, strict=True):
            self.api.add_label(f"{AXES}/{name}", name, position=1.08 * end, font_screen_scale=0.9, depth_test=False)


def _aside(normal: Array) -> Array:
    """A unit vector across the normal, along an axis of the world where that is possible."""
    axis = np.eye(3)[int(np.argmin(np.round(np.abs(normal), 9)))]
    across: Array = axis - (axis @ normal) * normal
    return across / np.linalg.norm(across)
