"""A scene on a viser page: one node a body, its parts and names below it. Moving a body moves what it carries.

Springs and forces ride on nodes of their own, which follow the bodies.
"""

from __future__ import annotations

import atexit
import contextlib
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import rich

from linkwork.colours import LIGHT, Theme
from linkwork.errors import MissingExtra
from linkwork.geometry import Array
from linkwork.geometry.rotations import to_quaternion
from linkwork.views.scene.camera import ASPECT, Camera, camera_for
from linkwork.views.scene.parts import Part, Scene

MACHINE = "/machine"
PICKED = "#FFC83D"
"""Of what was selected: bright on light and on dark pages, and no colour of a body."""
LONG_LENS = math.radians(2.5)
"""Angle of view that counts as parallel: what is a tenth of the machine nearer looks larger by 0.4 %."""
LOCALHOST = "127.0.0.1"


class Stage:
    """A machine on a page.

    Parameters
    ----------
    api : `server.scene` for all visitors, `client.scene` for one
    scene : what is seen
    theme : colours of the page
    root : name of the node that holds the machine
    """

    def __init__(self, api: Any, scene: Scene, theme: Theme = LIGHT, root: str = MACHINE) -> None:
        self.api, self.scene, self.theme, self.root = api, scene, theme, root
        self.unit = 1.0 / scene.size if scene.size > 0.0 else 1.0
        """Lengths of the page per metre: a page shows machines of 1 µm and of 1 km alike, near and far planes fit."""
        self.parts: dict[str, Any] = {}
        self.labels: list[Any] = []
        self._highlighted = ""
        self._light()
        api.add_frame(root, show_axes=False)
        self.bodies = {body: api.add_frame(f"{root}/{body}", show_axes=False) for body in scene.bodies}
        for part in scene.parts:
            self.parts[part.name] = self._add(part)
        for i, label in enumerate(scene.labels):
            node = api.add_label(
                f"{root}/{label.body}/name-{i}",
                label.text,
                position=label.at * self.unit,
                font_screen_scale=0.9,
                depth_test=False,
                anchor="bottom-left",
            )
            self.labels.append(node)
        self._poses: dict[str, Array] = dict(scene.poses)
        self._following = {f.name: (f, *self._on(f.name)) for f in scene.followers if f.name in self.bodies}
        self.place(scene.poses)

    def _on(self, carrier: str) -> tuple[list[Any], list[tuple[Array, Any]]]:
        """Parts, and labels with their places, that a body or follower carries."""
        labels = zip(self.scene.labels, self.labels, strict=True)
        parts = [self.parts[part.name] for part in self.scene.parts if part.body == carrier]
        return parts, [(label.at, node) for label, node in labels if label.body == carrier]

    def _light(self) -> None:
        """Plain lights without reflections and shadows, which take most of the time where there is no graphics card."""
        self.api.configure_environment_map(None)
        self.api.configure_default_lights(enabled=True, cast_shadow=False)
        sky = (255, 255, 255)
        ground = (150, 150, 150) if self.theme.name == "light" else (90, 90, 100)
        self.api.add_light_hemisphere("/light", sky_color=sky, ground_color=ground, intensity=2.2)

    def _add(self, part: Part) -> Any:
        return self.api.add_mesh_simple(
            f"{self.root}/{part.body}/{part.name}",
            (part.mesh.vertices * self.unit).astype(np.float32),
            part.mesh.faces.astype(np.uint32),
            color=self.theme.rgb(part.tint),
            opacity=None if part.opacity >= 1.0 else part.opacity,
            flat_shading=not part.smooth,
            side="front" if part.mesh.closed else "double",
            cast_shadow=False,
            receive_shadow=False,
        )

    def place(self, poses: Mapping[str, Array]) -> None:
        """Move bodies to poses X_WB, and what follows them; those that are not named stay."""
        finite = {body: X for body, X in poses.items() if np.isfinite(X).all()}
        for body, X in finite.items():
            node = self.bodies.get(body)
            if node is not None and body not in self._following:
                node.position = X[:3, 3] * self.unit
                node.wxyz = to_quaternion(X[:3, :3])
        self.follow(finite)

    def follow(self, poses: Mapping[str, Array]) -> None:
        """Move what follows bodies to where it is when they are at poses X_WB, and stretch it to its length."""
        self._poses |= poses
        for name, (follower, parts, labels) in self._following.items():
            X = follower.pose(self._poses)
            long = float(np.linalg.norm(X[:3, 2]))
            node = self.bodies[name]
            node.position = X[:3, 3] * self.unit
            if long > 0.0:
                node.wxyz = to_quaternion(X[:3, :3] / [1.0, 1.0, long])
            if follower.stretched:
                for part in parts:
                    part.scale = (1.0, 1.0, long)
                for at, label in labels:
                    label.position = at * [1.0, 1.0, long] * self.unit

    def highlight(self, name: str) -> None:
        """Draw the parts of a body, joint or point in a bright colour; the others as they are."""
        for part in self.scene.parts:
            if part.of in (name, self._highlighted):
                self.parts[part.name].color = self.theme.rgb(PICKED if part.of == name else part.tint)
        self._highlighted = name

    def show_names(self, visible: bool) -> None:
        """Show or hide all names."""
        for label in self.labels:
            label.visible = visible

    def on_click(self, answer: Callable[[Part], None]) -> None:
        """Call a function with the part that a visitor clicks."""
        for part in self.scene.parts:
            self.parts[part.name].on_click(lambda _, part=part: answer(part))

    def remove(self) -> None:
        """Take everything away."""
        self.api.remove_by_name(self.root)


def page_camera(scene: Scene, corners: Array | None = None, aspect: float = ASPECT) -> Camera:
    """The camera for a scene in lengths of the page; `corners` of the space that must be seen, by default the scene."""
    unit = 1.0 / scene.size if scene.size > 0.0 else 1.0
    own = camera_for(scene, corners, aspect)
    return Camera(own.eye * unit, own.target * unit, own.up, own.fov)


def parallel(camera: Camera) -> Camera:
    """The same picture through a lens so long that there is next to no perspective."""
    back = camera.eye - camera.target
    longer = math.tan(camera.fov / 2) / math.tan(LONG_LENS / 2)
    return Camera(camera.target + longer * back, camera.target, camera.up, LONG_LENS)


def lifted(camera: Camera) -> Camera:
    """The same picture in the upper half of the window; a panel covers the lower one."""
    back = 2.0 * (camera.eye - camera.target)
    down = -0.5 * math.tan(camera.fov / 2) * float(np.linalg.norm(back)) * camera.axes()[1]
    return Camera(camera.target + down + back, camera.target + down, camera.up, camera.fov)


def aim(camera_handle: Any, camera: Camera) -> None:
    """Point a client's camera, or the one with which a page opens."""
    camera_handle.up = camera.up
    camera_handle.position = camera.eye
    camera_handle.look_at = camera.target
    camera_handle.fov = camera.fov


def viser_module(purpose: str) -> Any:
    """viser, or a line that says what to install."""
    try:
        import viser
    except ImportError:
        raise MissingExtra("viser", "view", purpose) from None
    return viser


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """viser announces itself on the screen, and in notebooks; Linkwork speaks for itself."""
    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


def stop_server(server: Any) -> None:
    """Close a server of viser for good, without a word, now or when the program ends."""
    with quiet():
        server.stop()
    atexit.unregister(server.stop)
