"""Where the camera of a page stands: the whole machine and its motion in the room that the panels leave free."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.views.record import swept_corners
from linkwork.views.scene import Scene
from linkwork.views.stage import lifted, page_camera, parallel

if TYPE_CHECKING:
    from linkwork.views.tracks import Tracks
    from linkwork.views.workbench.desk import Desk

WIDTH = 360
"""Of the control panel [pixel]."""
SETTLING, LOOKS = 0.5, 8
"""Seconds between two looks whether a window has its new shape, of which there are so many at most."""
NEAR = 1e-3
"""Of the distance of the camera: what it may be off before it was the visitor who moved it."""
NARROW, ROOMY = 768, 1100
"""Of a window in which panels lie below the scene, and of one that has room for a panel on both sides [pixel]."""


class Sight:
    """The camera of a page.

    Parameters
    ----------
    desk : the page
    flat : without perspective
    """

    def __init__(self, desk: Desk, flat: bool) -> None:
        self.desk, self.camera = desk, desk.client.camera
        self.flat = flat
        self._canvas: tuple[int, int] = (self.camera.image_width, self.camera.image_height)
        self._window: int = self._canvas[0]
        self._arriving = True
        self._until = 0.0
        """Until when [s] the scene's new size is due to plots that were put beside it: it shrinks in several steps."""
        self._last: tuple[Any, Any, tuple[int, int]] | None = None
        """Where the camera was put, what it was pointed at, for which size of the scene."""

    def arrived(self) -> None:
        """The panel is there; from now on the window tells its own size."""
        self._arriving = False
        self.camera.on_update(self._resized)

    def look(self, scene: Scene | None = None, along: Any = None, tracks: Tracks | None = None) -> None:
        """Point the camera at the whole machine and its motion, perhaps along a direction."""
        desk = self.desk
        shown = desk.stage.scene if scene is None else scene
        if tracks is None and desk.overlay is not None:
            tracks = desk.player.tracks
        camera = page_camera(shown, swept_corners(shown, tracks) if tracks else None, self._aspect())
        if along is None and self.flat and shown.normal is not None:
            along = shown.normal
        if along is not None:
            way = np.asarray(along, float)
            distance = float(np.linalg.norm(camera.eye - camera.target))
            up = shown.up if abs(float(way @ shown.up)) < 0.9 else np.roll(np.asarray(shown.up), 1)
            camera = type(camera)(camera.target + distance * way, camera.target, up, camera.fov)
        camera = parallel(camera) if self.flat else camera
        camera = lifted(camera) if self.is_phone else camera
        with desk.client.atomic():
            self.camera.fov = camera.fov
            self.camera.near, self.camera.far = (1.0, 400.0) if self.flat else (0.01, 1000.0)
            self.camera.up_direction = camera.up
            self.camera.position = camera.eye
            self.camera.look_at = camera.target
        size = (self.camera.image_width, self.camera.image_height)
        self._last = (np.array(camera.eye, float), np.array(camera.target, float), size)

    def look_soon(self) -> None:
        """Now, and again as often as the window makes room for the plots, however long that takes."""
        self._until = time.monotonic() + (LOOKS + 1) * SETTLING
        self.desk.live.do("look", self.look)
        for k in range(1, LOOKS + 1):
            timer = threading.Timer(k * SETTLING, lambda: self.desk.live.do("nudge", self._nudge))
            timer.daemon = True
            timer.start()

    def _nudge(self) -> None:
        """A window tells its new size when the camera moves: it moves by a hair, wherever it is."""
        if self.desk.is_open and not self._in_hand():
            eye, target = np.array(self.camera.position), np.array(self.camera.look_at)
            self.camera.position = eye + 1e-5 * (target - eye)
            self._fit()

    def _fit(self) -> None:
        """Look again where the scene has got another size since, unless the visitor has moved the camera."""
        size = (self.camera.image_width, self.camera.image_height)
        if self._last is not None and size != self._last[2] and not self._in_hand():
            self.desk.live.do("look", self.look)

    def _in_hand(self) -> bool:
        """Whether the camera is elsewhere than it was put: moved by the visitor, or its message is on the way."""
        if self._last is None:
            return False
        eye, target, _ = self._last
        size = NEAR * float(np.linalg.norm(eye - target))
        moved = (self.camera.position - eye, self.camera.look_at - target)
        return bool(max(np.linalg.norm(way) for way in moved) > size)

    def _aspect(self) -> float:
        """Width by height of the part of the window that the panels leave free; none float on a narrow one."""
        wide, high = self.camera.image_width, self.camera.image_height
        docked = WIDTH if self._arriving and not self.is_phone else 0  # the panel is only on its way
        return float(max(wide - docked, 100) / max(high / 2 if self.is_phone else high, 100))

    @property
    def is_phone(self) -> bool:
        """Whether the window is so narrow that the panel lies in its lower half."""
        return self._window < NARROW

    @property
    def is_narrow(self) -> bool:
        """Whether there is no room for a panel on both sides, as on a tablet."""
        return self._window < ROOMY

    def _resized(self, camera: Any) -> None:
        """Another window, or a tablet that was turned: the machine is brought into view again."""
        before, self._canvas = self._canvas, (camera.image_width, camera.image_height)
        if before[1] == self._canvas[1]:  # panels took or left room: those are as high as the window
            if time.monotonic() < self._until:
                self._fit()
            return
        self._window = self._canvas[0] if self._window < NARROW else self._window + self._canvas[0] - before[0]
        self.desk.live.do("look", self.look)
