"""Where stability, not accuracy, holds the steps short: other methods, there and back."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.simulation.journey import Journey
from linkwork.numerics.stepping import advance as loop
from linkwork.numerics.stepping.problem import jacobian

EASY, SELDOM = 3.0, 10
"""Length of a step times the largest eigenvalue up to which explicit steps of this length are stable; implicit steps
after which that is looked at."""


def stiffen(journey: Journey) -> None:
    """The steps are held short by stability: implicit ones from here on, or it is told."""
    if journey.listener is not None and journey.listener.explicit:
        if not any("stiff" in text for text in journey.warnings):
            text = f"stiff at {journey.t:.4g} s: stability, not accuracy, holds the steps short"
            journey.warnings.append(f"{text}; with sensitivities the steps stay explicit")
    elif journey.asked.method == "auto":
        journey.warnings.append(f"stiff from {journey.t:.4g} s on: the steps are implicit there (radau)")
        change_method(journey, "radau")
    elif not any("stiff" in text for text in journey.warnings):
        text = f"stiff at {journey.t:.4g} s: stability, not accuracy, holds the steps short; method='radau' is quicker"
        journey.warnings.append(text)


def ease(journey: Journey) -> None:
    """Explicit steps again, where they can be as long as the implicit ones are; looked at every few steps."""
    if journey.method != "radau" or journey.asked.method != "auto":
        return
    if journey.state[loop.STEPS] < journey.judged + SELDOM:
        return
    journey.judged = journey.state[loop.STEPS]
    J = np.empty((journey.p.n, journey.p.n))
    jacobian(journey.p, journey.t, journey.z, J)
    if np.isfinite(J).all() and journey.state[loop.STEP] * np.abs(np.linalg.eigvals(J)).max(initial=0.0) < EASY:
        journey.warnings.append(f"no longer stiff from {journey.t:.4g} s on: the steps are explicit again")
        change_method(journey, "explicit")


def change_method(journey: Journey, method: str) -> None:
    """Go on from here with other steps."""
    journey.method = method
    journey.engage()
    journey.refresh()
    journey.state[loop.STEP] = 0.0
    journey.judged = journey.state[loop.STEPS]
