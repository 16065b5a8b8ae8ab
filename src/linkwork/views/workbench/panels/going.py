"""The machine that goes while one watches: let go, pause, go on, anew; the hand that pulls at it by the mouse."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.errors import InputError, LinkworkError, Problem
from linkwork.geometry.rotations import from_quaternion
from linkwork.views.tracks import tracks_of
from linkwork.views.workbench.energies import EnergyView
from linkwork.views.workbench.fields import add_speeds
from linkwork.views.workbench.live import Grip, Live
from linkwork.views.workbench.releasing import Wish, depends_on_time

if TYPE_CHECKING:
    from linkwork.views.workbench.desk import Desk

AHEAD = 1.5
"""Seconds for which the camera looks ahead."""
DRAWN = 0.2
"""Seconds between two pictures of the energies."""


class Going:
    """Buttons and a plot for a machine on its way.

    Parameters
    ----------
    desk : the page
    wished : what acts on it; InputError with all that is wrong
    begins : called before it goes
    failed : told what went wrong
    stands : told why it stands still, or nothing
    """

    def __init__(
        self,
        desk: Desk,
        wished: Callable[[], Wish],
        begins: Callable[[], None],
        failed: Callable[[LinkworkError], None],
        stands: Callable[[str], None],
    ) -> None:
        self.desk, self.wished, self.begins, self.failed, self.stands = desk, wished, begins, failed, stands
        self.live: Live | None = None
        self.speed = 1.0
        self.last: Posture | None = None
        self._beginning: Posture | None = None
        self._paused_at: Any = None
        self._looked_at: Any = None
        self._drawn = 0.0

    def add_buttons(self) -> None:
        """Lay it out where one is; again for another machine."""
        gui = self.desk.gui
        self.go = gui.add_button("Let go", hint="live; pull at the machine with the mouse")
        self.again = gui.add_button("From the start", visible=False, color="gray", hint="let it go anew")
        add_speeds(gui, self.speed, self._set_speed)
        self.energies = EnergyView(gui, self.desk)
        self.go.on_click(lambda _: self.toggle())
        self.again.on_click(lambda _: self.desk.live.do("let go", self._anew))

    # ---------------------------------------------------------------- go, pause

    @property
    def on(self) -> bool:
        """Whether it is on its way."""
        return self.live is not None and self.live.going

    def toggle(self) -> None:
        """Let it go, or pause it."""
        self.desk.live.do("let go", self._switch)

    def halt(self) -> None:
        """It stands still."""
        if self.live is not None:
            self.live.pause()

    def forget(self) -> None:
        """Another machine is there: this one stands still for good."""
        self.halt()
        self._beginning = self._paused_at = self.last = None

    def _switch(self) -> None:
        if self.live is not None and self.live.going:
            self.live.pause()
        elif self.live is not None and self.live.own is self.desk.bench.machine and self._still_there():
            self._begin(self.live)
        else:
            self._anew()

    def _still_there(self) -> bool:
        """Whether the machine stands where it was paused; else it was moved by hand, and starts anew."""
        posture = self.desk.bench.posture
        return self._paused_at is not None and posture is not None and np.array_equal(posture.y, self._paused_at)

    def _anew(self) -> None:
        self.halt()
        bench = self.desk.bench
        if bench.machine is None or bench.posture is None:
            return
        try:
            wish = self.wished()
            if timed := depends_on_time(bench.machine, wish):
                what = f"{', '.join(timed)} depends on the time, which a hand can stop"
                raise InputError(Problem(what, hint="press 'Run to the end' for laws of time"))
            if self._beginning is None or not self._still_there():
                self._beginning = bench.posture
            live = Live(bench.machine, self._beginning, wish, self._shown, self._stands)
            self._look_ahead(live)
        except LinkworkError as error:
            self.failed(error)
            return
        self.live = live
        self._begin(live)

    def _look_ahead(self, live: Live) -> None:
        """The first time, the camera sees where the machine will go."""
        if self._looked_at is not live.own:
            self._looked_at = live.own
            self.desk.look(tracks=tracks_of(live.foreseen(AHEAD), self.desk.stage.scene.bodies))

    def _begin(self, live: Live) -> None:
        self.desk.player.pause()
        self.desk.forget_overlay()
        self.begins()
        self._handles(True)
        live.speed = self.speed
        self.go.label, self.again.visible = "Pause", True
        live.go()

    def _shown(self, posture: Posture) -> None:
        self.desk.show(posture)
        self.last = posture
        if time.monotonic() - self._drawn > DRAWN and self.live is not None:
            self._drawn = time.monotonic()
            self.energies.show(self.live.energies)

    def _stands(self, trouble: str) -> None:
        """It was paused, or cannot go on."""
        self._handles(False)
        self.go.label = "Go on"
        self.stands(trouble)
        if self.last is not None and self.live is not None and self.live.own is self.desk.bench.machine:
            self.desk.bench.stand(self.last)
            self._paused_at = np.array(self.last.y)
            self.energies.show(self.live.energies)

    def _set_speed(self, speed: float) -> None:
        self.speed = speed
        if self.live is not None:
            self.live.speed = speed

    # ---------------------------------------------------------------- the hand

    def _handles(self, on: bool) -> None:
        """Bodies can be taken by the mouse while the machine is on its way; else the mouse turns the view."""
        with self.desk.drawing:
            stage = self.desk.stage
            for part in stage.scene.parts:
                node = stage.parts[part.name]
                if self.live is not None and part.body in self.live.bodies:
                    if on:
                        node.on_drag("left")(self._dragged_on(part.body))
                    else:
                        node.remove_drag_callback("all")

    def _dragged_on(self, body: str) -> Callable[[Any], Any]:
        async def dragged(event: Any) -> None:
            live, unit = self.live, self.desk.stage.unit
            if live is None or event.phase == "end" or not live.going:
                if live is not None:
                    live.grip = None
                return
            target = np.array(event.end_position) / unit
            if live.grip is None or live.grip.body != body:
                node = self.desk.stage.bodies[body]
                at = np.array(event.start_position) / unit
                R = np.asarray(from_quaternion(np.array(node.wxyz)))
                live.grip = Grip(body, R.T @ (at - np.array(node.position) / unit), target)
            else:
                live.grip.target = target

        return dragged
