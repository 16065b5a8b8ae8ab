"""Where the bodies of a machine are over a run, ready to be played: poses by body, and times of frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from linkwork.geometry import Array, pose
from linkwork.geometry.rotations import from_quaternion, to_quaternion
from linkwork.results import Run

SHORTEST, LONGEST = 2.0, 20.0
"""Seconds that a motion is played at least and at most: what is faster is slowed down, what is slower is hurried."""


@dataclass(frozen=True, eq=False)
class Tracks:
    """Poses of bodies over time.

    times : [s], (samples,); positions : [m], (samples, 3), and quaternions : w, x, y, z, (samples, 4), by body
    samples : which samples of the run these are; gaps : how many are not finite and were left out
    """

    times: Array
    positions: Mapping[str, Array]
    quaternions: Mapping[str, Array]
    samples: npt.NDArray[np.int64]
    gaps: int = 0

    def __len__(self) -> int:
        return len(self.times)

    def poses(self, sample: int, bodies: Iterable[str]) -> dict[str, Array]:
        """Poses X_WB of some of the bodies at a sample; those that are not told are left out."""
        known = [b for b in bodies if b in self.positions]
        return {b: pose(from_quaternion(self.quaternions[b][sample]), self.positions[b][sample]) for b in known}

    def at_most(self, most: int) -> Tracks:
        """Some of them, evenly spaced, first and last among them, where there are more than `most`."""
        if len(self) <= most:
            return self
        kept = np.unique(np.linspace(0, len(self) - 1, most).round().astype(np.int64))
        positions = {body: p[kept] for body, p in self.positions.items()}
        quaternions = {body: q[kept] for body, q in self.quaternions.items()}
        return Tracks(self.times[kept], positions, quaternions, self.samples[kept], self.gaps)


def tracks_of(run: Run, bodies: Iterable[str]) -> Tracks:
    """The bodies' poses in a run; bodies that the run does not tell (ground) are left out, samples with gaps too."""
    known = [b for b in bodies if f"{b}.position" in run and f"{b}.rotation" in run]
    positions = {b: np.asarray(run.signal(f"{b}.position").values) for b in known}
    rotations = {b: np.asarray(run.signal(f"{b}.rotation").values) for b in known}
    good = np.ones(len(run), bool)
    for b in known:
        good &= np.isfinite(positions[b]).all(axis=1) & np.isfinite(rotations[b]).all(axis=(1, 2))
    quaternions = {b: _steady(to_quaternion(rotations[b][good])) for b in known}
    places = {b: p[good] for b, p in positions.items()}
    return Tracks(run.time[good], places, quaternions, np.flatnonzero(good), int((~good).sum()))


def _steady(q: Array) -> Array:
    """q and -q are one turn: each sample takes the sign nearer to the one before, so that nothing flips between."""
    flips = np.sum(q[1:] * q[:-1], axis=1) < 0.0
    sign = np.concatenate([[1.0], np.where(np.cumsum(flips) % 2, -1.0, 1.0)])[: len(q)]
    steady: Array = q * sign[:, None]
    return steady


def slowing(duration: float) -> float:
    """Seconds of playing per second of motion: 1 where that can be watched."""
    if not duration > 0.0:
        return 1.0
    return float(np.clip(duration, SHORTEST, LONGEST)) / duration
