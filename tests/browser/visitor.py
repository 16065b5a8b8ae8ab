"""A visitor of the workbench: the page in the browser, the desk behind it, and what the page complained of."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np
import pytest

from linkwork.views.workbench.desk import Desk
from linkwork.views.workbench.server import Workbench

Image = pytest.importorskip("PIL.Image")

HARMLESS = (
    "GPU stall",
    "THREE.Clock",
    "KHR_parallel_shader_compile",
    "Software WebGL",
    "Unable to preventDefault inside passive",
)


class Visit:
    """A visitor: the page in the browser, the desk behind it, and what the page complained of."""

    def __init__(self, page: Any, workbench: Workbench) -> None:
        self.page, self.workbench, self.complaints = page, workbench, []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._console)
        known = set(workbench.desks)
        page.goto(workbench.url)
        page.wait_for_selector("canvas")
        page.get_by_role("button", name="Home", exact=True).wait_for()
        self.wait(lambda: bool(set(workbench.desks) - known))
        (own,) = set(workbench.desks) - known
        self.desk: Desk = workbench.desks[own]
        assert self.desk.live.idle(120.0)

    def _console(self, message: Any) -> None:
        if message.type == "error" and not any(text in message.text for text in HARMLESS):
            self.complaints.append(message.text)

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name, exact=True).click()

    def panel(self, title: str) -> Any:
        """The panel behind a tab."""
        return next(p for p in self.desk.panels if p.title == title)

    def button(self, name: str) -> Any:
        """A button that is seen."""
        return self.page.get_by_role("button", name=name, exact=True).first

    def fill(self, field: Any, text: str) -> None:
        """Write into a field, and wait until that was read and done."""
        self.input(field).fill(text)
        self.wait(lambda: field.settled == text)
        assert self.desk.live.idle(120.0)

    def input(self, field: Any) -> Any:
        """The box of a field of the page, by the label beside it."""
        handle = getattr(field, "input", field)
        own = f'label[for="{handle._impl.uuid}"]'
        return self.page.locator(f"div:has(> * > * > {own}) :is(input, textarea)").first

    def field(self, index: int = 0) -> Any:
        """The field beside a slider."""
        return self.input(list(self.desk.panels[0].fields.values())[index])  # type: ignore[attr-defined]

    def type(self, value: str, index: int = 0) -> None:
        """Write a value above a slider, and wait until the machine has taken it.

        A field is read when the visitor pauses: to wait for an idle lane alone may look before that.
        """
        live, dragged = self.desk.live, threading.Event()
        given = live.do

        def do(key: str, work: Callable[[], None]) -> None:
            given(key, work)
            if key.startswith("drag "):
                dragged.set()

        there = self.field(index).input_value() == value
        live.do = do  # type: ignore[method-assign]
        try:
            self.field(index).fill(value)
            if not there:  # the same text again is no news
                self.wait(dragged.is_set)
        finally:
            live.do = given  # type: ignore[method-assign]
        assert live.idle(120.0)

    def comes(self, done: Callable[[], bool], seconds: float) -> bool:
        """Whether it is so within some time."""
        end = time.monotonic() + seconds
        while not done() and time.monotonic() < end:
            self.page.wait_for_timeout(50)
        return done()

    def wait(self, done: Callable[[], bool], seconds: float = 120.0) -> None:
        """Until it is so; the time is only for what never comes: on a busy machine all is slow."""
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, "it takes too long"
            self.page.wait_for_timeout(50)

    def drawn(self) -> None:
        """Until the page has got everything that was sent to it, and has drawn it.

        Messages keep their order: once it has answered a question, it knows all that was sent before.
        """
        self.desk.client.local_storage.get_item("linkwork-nothing", timeout=120.0)
        self.page.evaluate(
            "async () => { for (let k = 0; k < 4; k++) await new Promise(done => requestAnimationFrame(done)); }"
        )

    def picture(self) -> np.ndarray:
        """Pixels of the scene, once they stand still."""
        canvas = self.page.locator("canvas").first
        before: bytes = b""
        for _ in range(50):
            self.drawn()
            now: bytes = canvas.screenshot()
            if now == before:
                return np.asarray(Image.open(BytesIO(now)).convert("RGB")).astype(int)
            before = now
        raise AssertionError("the picture does not come to rest")

    def pixel_of(self, place: np.ndarray, picture: np.ndarray) -> tuple[int, int]:
        """Row and column at which a place [m] is seen: a pinhole camera."""
        camera = self.desk.client.camera
        eye, target, up = (np.array(x) for x in (camera.position, camera.look_at, camera.up_direction))
        back = (eye - target) / np.linalg.norm(eye - target)
        right = np.cross(up, back)
        right /= np.linalg.norm(right)
        seen = np.array([right, np.cross(back, right), back]) @ (place * self.desk.stage.unit - eye)
        high, wide = picture.shape[:2]
        scale = high / 2 / math.tan(camera.fov / 2) / -seen[2]
        return int(high / 2 - seen[1] * scale), int(wide / 2 + seen[0] * scale)

    def colour_at(self, place: np.ndarray, picture: np.ndarray) -> np.ndarray:
        row, column = self.pixel_of(place, picture)
        return np.median(picture[row - 2 : row + 3, column - 2 : column + 3].reshape(-1, 3), axis=0)
