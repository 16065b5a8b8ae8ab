"""The play bar's clock: which sample of a run is seen at which moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np

from linkwork.results import Run
from linkwork.views.stage import Stage
from linkwork.views.tracks import Tracks, slowing, tracks_of

RATE = 30.0  # pictures a second


class Player:
    """Plays a run on a stage.

    Parameters
    ----------
    show : called with the sample to show, in the player's own thread while it plays
    failed : called with an error that showing let through; it then pauses
    """

    def __init__(self, show: Callable[[int], None], failed: Callable[[BaseException], None]) -> None:
        self._show, self._failed = show, failed
        self.run: Run | None = None
        self.tracks: Tracks | None = None
        self.stage: Stage | None = None
        self.sample = 0
        self.speed = 1.0
        """Times the speed at which the motion can be watched."""
        self.loop = True
        self._playing = threading.Event()
        self._open = True
        self.changed: Callable[[bool], None] = lambda playing: None
        """Called when playing begins or ends."""
        self._thread = threading.Thread(target=self._run, name="linkwork player", daemon=True)
        self._thread.start()

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._playing.is_set()

    def load(self, run: Run, stage: Stage) -> None:
        """Play this run from now on."""
        self.pause()
        self.run, self.tracks, self.stage, self.sample = run, tracks_of(run, stage.scene.bodies), stage, 0

    def unload(self) -> None:
        """There is nothing to play any more."""
        self.pause()
        self.run = self.tracks = None

    def place(self, sample: int) -> None:
        """Put the bodies where they are at a sample."""
        tracks, stage = self.tracks, self.stage
        if tracks is None or stage is None or not len(tracks):
            return
        self.sample = min(max(sample, 0), len(tracks) - 1)
        for body, position in tracks.positions.items():
            node = stage.bodies.get(body)
            if node is not None:
                node.position = position[self.sample] * stage.unit
                node.wxyz = tracks.quaternions[body][self.sample]
        stage.follow(tracks.poses(self.sample, stage.scene.followed_bodies))

    def seek(self, sample: int) -> None:
        """Show a sample."""
        self.sample = sample
        self._show(sample)

    def play(self) -> None:
        """Begin to play; from the start, if it stands at the end."""
        if self.tracks is not None and len(self.tracks) > 1:
            if self.sample >= len(self.tracks) - 1:
                self.sample = 0
            self._playing.set()
            self.changed(True)

    def pause(self) -> None:
        """Stop playing."""
        if self._playing.is_set():
            self._playing.clear()
            self.changed(False)

    def close(self) -> None:
        """End for good."""
        self._open = False
        self._playing.set()

    def _run(self) -> None:
        while self._open:
            self._playing.wait()
            if not self._open:
                return
            try:
                self._play_on()
            except Exception as error:  # noqa: BLE001  # a picture that fails must not end the play bar
                self._playing.clear()
                self._failed(error)

    def _play_on(self) -> None:
        """Until paused, or at the end. The clock decides what is shown, so that slow pages skip pictures, not time."""
        tracks = self.tracks
        if tracks is None or len(tracks) < 2:
            self.pause()
            return
        times = np.asarray(tracks.times)
        rate = slowing(float(times[-1] - times[0]))
        at, before = float(times[self.sample]), time.monotonic()
        while self._open and self._playing.is_set() and tracks is self.tracks:
            now = time.monotonic()
            at += (now - before) / rate * self.speed
            before = now
            if at >= times[-1]:
                if not self.loop:
                    self.seek(len(times) - 1)
                    self.pause()
                    return
                at = float(times[0]) + (at - float(times[-1])) % float(times[-1] - times[0])
            self.seek(int(np.searchsorted(times, at, side="right")) - 1)
            time.sleep(max(0.0, 1.0 / RATE - (time.monotonic() - now)))
