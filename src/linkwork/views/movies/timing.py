"""Which samples of a run are the frames of a movie, and how long each is seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.results import Run

MOST_FRAMES = 3600
"""Two minutes at 30 frames a second."""
SAME = 1e-6
"""A motion whose end is so near to its beginning (parts of the machine's size, rad) goes round without a pause."""


@dataclass(frozen=True, eq=False)
class Timing:
    """Frames of a movie.

    samples : number of the sample that each frame shows
    gaps : frames that were left out because the posture there is not finite
    repeated : frames that show the same sample as the one before
    """

    samples: npt.NDArray[np.int64]
    gaps: int
    repeated: int


def poses_over(run: Run, bodies: Iterable[str], known: Mapping[str, Array]) -> tuple[dict[str, Array], Array]:
    """Poses (samples, 4, 4) by body, those that the run does not tell as known; and which samples are finite."""
    n = len(run)
    poses: dict[str, Array] = {}
    good = np.ones(n, bool)
    for body in bodies:
        X = np.tile(np.asarray(known[body], float), (n, 1, 1))
        if f"{body}.position" in run and f"{body}.rotation" in run:
            X[:, :3, 3] = run.signal(f"{body}.position").values
            X[:, :3, :3] = run.signal(f"{body}.rotation").values
        poses[body] = X
        good &= np.isfinite(X).all(axis=(1, 2))
    return poses, good


def timing(times: Array, good: Array, *, fps: float, speed: float, goes_round: bool) -> Timing:
    """Frames every 1/fps seconds of the movie, each the nearest sample.

    Parameters
    ----------
    times : of the samples [s]; good : which of them can be shown
    fps : frames in a second of the movie; speed : seconds of motion in a second of the movie
    goes_round : whether the end is where the beginning is: the last frame would then be seen twice
    """
    duration = float(times[-1] - times[0])
    steps = duration * fps / speed
    count = int(np.floor(steps + 1e-6)) + 1
    if goes_round and count > 1 and abs(steps - round(steps)) < 1e-6:
        count -= 1
    if count > MOST_FRAMES:
        longer = duration * fps / (MOST_FRAMES - 1)
        what = f"{count} frames, for {duration:.6g} s of motion at {speed:g} times its speed; at most {MOST_FRAMES}"
        raise InputError(
            Problem(what, "speed", f"give speed={_rounded_up(longer)}, or a part of the run: run.sel(...)")
        )
    moments = times[0] + np.arange(count) * (speed / fps)
    after = np.clip(np.searchsorted(times, moments), 1, max(len(times) - 1, 1))
    before = after - 1
    after = np.minimum(after, len(times) - 1)
    nearest = np.where(moments - times[before] <= times[after] - moments, before, after)
    shown = nearest[good[nearest]]
    return Timing(shown, count - len(shown), int((np.diff(nearest) == 0).sum()))


def _rounded_up(x: float) -> str:
    """Three figures, upward."""
    step = 10.0 ** (np.floor(np.log10(x)) - 2)
    return f"{np.ceil(x / step - 1e-9) * step:.6g}"


def goes_round(poses: Mapping[str, Array], good: Array, size: float) -> bool:
    """Whether the motion ends where it began."""
    which = np.flatnonzero(good)
    if len(which) < 2:
        return False
    first, last = which[0], which[-1]
    scale = np.ones((4, 4))
    scale[:3, 3] = 1.0 / size
    return all(float(np.abs((X[last] - X[first]) * scale).max()) < SAME for X in poses.values())
