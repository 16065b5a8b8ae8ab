"""Simulations as users ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linkwork.analyses.simulation.outcome import ended, told
from linkwork.analyses.simulation.question import Asked, asked
from linkwork.analyses.simulation.session import Session
from linkwork.errors import InputError, Problem
from linkwork.results.request import Request
from linkwork.results.simulation import Simulation

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine


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
    wrong = []
    if progress is not None and not callable(progress):
        text = f"this is of type {type(progress).__name__}"
        wrong.append(Problem(text, "progress", "give a function (time reached, end)"))
    try:
        question = asked(
            machine, until, start, rates, drives, efforts, events, controller, rate, samples, times, method, step,
            rtol, atol, states, wrong,
        )  # fmt: skip
    except InputError as error:
        from linkwork.analyses.simulation.directions import unknown_directions

        raise InputError([*error.problems, *unknown_directions(machine, sensitive_to)], machine.name) from None
    request = Request(
        until, start, rates, drives, efforts, events, controller, rate, samples, times, method, step, rtol, atol,
        sensitive_to, states,
    )  # fmt: skip
    if len(sensitive_to):
        return _sensitive(question, request, progress, threads)
    if question.method == "ida":
        from linkwork.analyses.simulation.ida import run_ida

        return told(run_ida(question, progress), threads, request)
    session = Session(question, progress)
    session.run()
    return told(ended(session), threads, request)


def _sensitive(question: Asked, request: Request, progress: Any, threads: int | None) -> Simulation:
    """The same with derivatives."""
    from linkwork.analyses.simulation.sensitivity import Sensitivity
    from linkwork.analyses.simulation.slopes import sensitivities

    listener = Sensitivity(question, request.start, request.rates, request.sensitive_to)
    session = Session(question, progress, listener)
    session.run()
    left = ended(session)
    return told(left, threads, request, sensitivities(listener, left))
