"""To and fro for ever."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from linkwork.drives.checks import Checks, plain
from linkwork.drives.drive import Array, Drive


@dataclass(frozen=True, repr=False)
class Harmonic(Drive):
    """mean + amplitude sin(speed t + phase), speed and phase in radians."""

    mean: float
    amplitude: float
    speed: float
    phase: float = 0.0
    duration: None = field(default=None, init=False)

    def _sample(self, t: Array) -> Array:
        w = self.speed
        angle = w * t + self.phase
        sine, cosine = self.amplitude * np.sin(angle), self.amplitude * np.cos(angle)
        return np.array([self.mean + sine, w * cosine, -(w**2) * sine, -(w**3) * cosine])

    def __str__(self) -> str:
        text = (
            f"harmonic about {plain(self.mean)}, amplitude {plain(self.amplitude)}, {plain(self.speed / math.tau)} Hz"
        )
        return f"{text}, phase {plain(self.phase)}" if self.phase else text


def harmonic(
    mean: float, amplitude: float, *, frequency: float | None = None, speed: float | None = None, phase: float = 0.0
) -> Drive:
    """mean + amplitude sin(2 pi frequency t + phase), before t = 0 as well.

    mean : middle value [rad or m]
    amplitude : largest deviation from it [rad or m]
    frequency : oscillations per second [Hz]; either it or the speed is given
    speed : the same as an angular speed [rad/s], 2 pi times the frequency
    phase : angle at t = 0 [rad]; pi/2 begins at the top
    """
    checks = Checks("harmonic")
    middle, size = checks.number("mean", mean), checks.number("amplitude", amplitude)
    if size == 0.0:
        checks.problem("the amplitude is 0", f"to stay, use constant({middle:g})")
    w = 1.0
    hint = "give one above zero; a phase of pi turns the direction round"
    if frequency is not None:
        w = math.tau * checks.positive("frequency", frequency, "Hz", hint)
    if speed is not None:
        w = checks.positive("speed", speed, "rad/s", hint)
    if (frequency is None) == (speed is None):
        what = "neither a frequency nor a speed is given" if speed is None else "both a frequency and a speed are given"
        checks.problem(what, "give frequency=... in Hz or speed=... in rad/s")
    angle = checks.number("phase", phase)
    checks.done()
    return Harmonic(middle, size, w, angle)
