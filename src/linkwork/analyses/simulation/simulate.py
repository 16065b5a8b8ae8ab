"""Simulations as users ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linkwork.analyses.simulation.asked import asked
from linkwork.analyses.simulation.session import Session
from linkwork.analyses.simulation.telling import ended, told

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.results.simulation import Simulation


def simulated(
    machine: Machine,
    until: Any,
    start: Any,
    rates: Any,
    drives: Any,
    efforts: Any,
    events: Any,
    controller: Any,
    rate: Any,
    samples: Any,
    times: Any,
    method: str,
    step: Any,
    rtol: Any,
    atol: Any,
    progress: Any,
    threads: int | None,
) -> Simulation:
    """What becomes of a machine that is let go."""
    question = asked(
        machine, until, start, rates, drives, efforts, events, controller, rate, samples, times, method, step, rtol,
        atol,
    )  # fmt: skip
    if question.method == "ida":
        from linkwork.analyses.simulation.ida import run_ida

        return told(run_ida(question, progress), threads)
    session = Session(question, progress)
    session.run()
    return told(ended(session), threads)
