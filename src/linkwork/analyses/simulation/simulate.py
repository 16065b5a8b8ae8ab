"""Simulations as users ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linkwork.analyses.simulation.asked import Asked, asked
from linkwork.analyses.simulation.session import Session
from linkwork.analyses.simulation.telling import ended, told
from linkwork.errors import InputError, Problem

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
    sensitive_to: Any = (),
    states: Any = None,
) -> Simulation:
    """What becomes of a machine that is let go."""
    question = asked(
        machine, until, start, rates, drives, efforts, events, controller, rate, samples, times, method, step, rtol,
        atol, states,
    )  # fmt: skip
    if progress is not None and not callable(progress):
        text = f"this is of type {type(progress).__name__}"
        raise InputError(Problem(text, "progress", "give a function (time reached, end)"), machine.name)
    if len(sensitive_to):
        return _sensitive(question, start, rates, sensitive_to, progress, threads)
    if question.method == "ida":
        from linkwork.analyses.simulation.ida import run_ida

        return told(run_ida(question, progress), threads)
    session = Session(question, progress)
    session.run()
    return told(ended(session), threads)


def _sensitive(
    question: Asked, start: Any, rates: Any, sensitive_to: Any, progress: Any, threads: int | None
) -> Simulation:
    """The same with derivatives."""
    from linkwork.analyses.simulation.sensitivity import SensitiveSession
    from linkwork.analyses.simulation.slopes import sensitivities
    from linkwork.results.simulation import Simulation

    session = SensitiveSession(question, start, rates, sensitive_to, progress)
    session.run()
    left = ended(session)
    plain = told(left, threads)
    return Simulation(plain.outcome, plain._make, plain.machine, sensitivities(session, left))
