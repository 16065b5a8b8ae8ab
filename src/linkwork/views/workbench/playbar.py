"""The play bar above the tabs: a clock, play and pause, a step to and fro; there as long as there is a run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.results import Run
from linkwork.units import TIME
from linkwork.views.workbench.fields import QuantityField, add_speeds

if TYPE_CHECKING:
    from linkwork.views.workbench.desk import Desk

FOLLOW = 0.1
"""Seconds between two moves of the clock while it plays."""


class PlayBar:
    """The play bar of a page.

    Parameters
    ----------
    desk : the page
    """

    def __init__(self, desk: Desk) -> None:
        self.desk, self.gui = desk, desk.gui
        self.holder = self.gui.add_folder(None, visible=False)
        self.box: Any = None
        self._marked = 0.0

    def run_shown(self, run: Run) -> None:
        """Another run to play."""
        if self.box is not None:
            self.box.remove()
        self.holder.visible = True
        last = max(float(run.time[-1]), 1e-12) if len(run) else 1.0
        first = float(run.time[0]) if len(run) else 0.0
        player = self.desk.player
        with self.holder:
            self.box = self.gui.add_folder(None)
        with self.box:
            self.play = self.gui.add_button("Play", hint="Space")
            units = self.desk.bench.units
            self.now = QuantityField(self.gui, "time", first, TIME, units, self._go, digits=6, hint="type a time")
            step = max(last - first, 1e-12) / 1000
            self.clock = self.gui.add_slider("", first, max(last, first + 1e-12), step, first)
        self.clock.on_update(self._seek)
        self.play.on_click(lambda _: self.toggle())
        player.changed = self._played

    def pace(self) -> None:
        """How fast and how often it is played; put where there is room."""
        player = self.desk.player
        add_speeds(self.gui, player.speed, lambda speed: setattr(player, "speed", speed))
        loop = self.gui.add_checkbox("repeat", player.loop, hint="again and again")
        loop.on_update(lambda event: setattr(player, "loop", bool(event.target.value)))

    def hide(self) -> None:
        """There is no run any more."""
        self.holder.visible = False

    def toggle(self) -> None:
        """Play or pause."""
        player = self.desk.player
        player.pause() if player.playing else player.play()

    @property
    def tenth(self) -> int:
        """A tenth of the samples."""
        tracks = self.desk.player.tracks
        return max(1, len(tracks) // 10) if tracks is not None else 1

    def step(self, by: int) -> None:
        """So many samples on or back."""
        tracks = self.desk.player.tracks
        if tracks is not None and len(tracks) and self.holder.visible:
            self._show((self.desk.player.sample + by) % len(tracks))

    def _played(self, playing: bool) -> None:
        self.play.label = "Pause" if playing else "Play"
        if not playing:
            self.desk.marks_to(self.desk.player.sample)  # the last one may have been passed over
            self.desk.live.do("stand", self.stand)

    def stand(self) -> None:
        """What is seen is where the machine stands: sliders, questions and the next motion go on from there."""
        player = self.desk.player
        if player.tracks is not None and len(player.tracks) and not player.playing:
            posture = self.desk.bench.stand_at(int(player.tracks.samples[player.sample]))
            if posture is not None:
                for watch in self.desk.watchers:
                    watch(posture)

    def _seek(self, event: Any) -> None:
        if event.client is not None:
            self._go(float(event.target.value))

    def _go(self, now: float) -> None:
        """Show the sample nearest to a time [s]."""
        tracks = self.desk.player.tracks
        if tracks is not None and len(tracks):
            self._show(int(np.argmin(np.abs(np.asarray(tracks.times) - now))))

    def _show(self, sample: int) -> None:
        self.desk.player.pause()
        self.desk.live.do("seek", lambda: self.desk.player.seek(sample))
        self.desk.live.do("stand", self.stand)

    def sample_shown(self, sample: int) -> None:
        """The clock follows."""
        tracks = self.desk.player.tracks
        if tracks is None or self.box is None or not len(tracks):
            return
        if time.monotonic() - self._marked < FOLLOW and self.desk.player.playing:
            return
        self._marked = time.monotonic()
        now = float(tracks.times[min(sample, len(tracks) - 1)])
        if abs(float(self.clock.value) - now) > 0.51 * float(self.clock.step):
            self.clock.value = now
        self.now.show_value(now)
