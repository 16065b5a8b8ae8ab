"""`linkwork simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from linkwork.cli.case_options import CaseName, asked_machine
from linkwork.cli.drive_options import Closure, Drives, Samples, Speeds, Start, begun, check_samples
from linkwork.cli.evidence import print_evidence
from linkwork.cli.load_options import as_options
from linkwork.cli.models import FORCES, AsJson, File, asking, head, sound, units_of
from linkwork.cli.output import MOST_ROWS, print_json, print_problems, print_tables, say, tell
from linkwork.cli.picture_options import Out, Over, Paths, Plots
from linkwork.cli.settings import Sets
from linkwork.cli.simulation_options import (
    OPTIONS,
    AbsoluteError,
    Ats,
    Efforts,
    Method,
    Rates,
    RelativeError,
    States,
    Step,
    Stops,
    Times,
    Until,
    Whens,
)

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.cli.option_values import Problems
    from linkwork.cli.outputs import Outputs
    from linkwork.errors import Problem
    from linkwork.model.mechanism import Mechanism
    from linkwork.results import Run
    from linkwork.units import UnitSystem

GLIMPSE = 1e-9
"""Part of a simulation that is enough to know its signals."""


def simulate(
    file: File,
    case: CaseName = None,
    sets: Sets = None,
    until: Until = None,
    start: Start = None,
    rate: Rates = None,
    drive: Drives = None,
    speed: Speeds = None,
    effort: Efforts = None,
    state: States = None,
    stop: Stops = None,
    when: Whens = None,
    at: Ats = None,
    closure: Closure = None,
    samples: Samples = None,
    times: Times = None,
    method: Method = "auto",
    step: Step = None,
    rtol: RelativeError = 1e-7,
    atol: AbsoluteError = 1e-9,
    plot: Plots = None,
    x: Over = None,
    path: Paths = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Let a machine go: how it moves under gravity, loads, drives and efforts, and what it runs into.

    Joints with a --drive follow their laws, all others move freely. A simulation that ends before its time, by itself
    or by an event, keeps and writes what was reached, with exit code 1; Ctrl-C does the same with 130.

    Example: linkwork simulate pendulum --until 10s --start A=30deg --plot A --out run.nc
    """
    m = sound(file, as_json)
    from linkwork.analyses.simulation.question import SAMPLES
    from linkwork.cli.option_values import Problems, Variables
    from linkwork.cli.outputs import outputs
    from linkwork.cli.progress import Work
    from linkwork.cli.simulation_values import Released
    from linkwork.model.event_texts import Happenings

    units, problems = units_of(m), Problems()
    wanted = outputs(f"{file.stem}-simulation", out or (), plot or (), x, path or (), problems)
    with asking(file, m, as_json):
        situated = asked_machine(m, case, sets, problems)
        machine, own = situated.machine, situated.own
        variables = Variables(machine, units, problems)
        read = Released(machine, variables)
        if situated.case is not None:
            situated.case.assert_simulates()
        until = situated.unless("--until", None if own.until is None else f"{own.until:.17g} s", until)
        how = read.stepping(until, times, method, step, rtol, atol)
        given = variables.laws_of_time(drive or (), speed or (), until if how.until is not None else None)
        laws = situated.laws({n: law for n, (_, law) in given.items()}, how.until, variables)
        if times is None:
            samples = situated.unless("--samples", own.samples, samples)
        asked: dict[str, Any] = {
            "start": situated.starts(laws, variables.values(start or (), "--start"), variables),
            "rates": situated.under("--rate", own.rates, read.rates(rate or ()), variables),
            "drives": laws,
            "efforts": situated.under("--effort", own.efforts, read.efforts(effort or ()), variables),
            "states": situated.under("--state", own.states, variables.states(state or ()), variables),
            "samples": samples, "times": how.times, "method": how.method, "step": how.step, "rtol": how.rtol,
            "atol": how.atol,
        }  # fmt: skip
        happening = Happenings(m, tuple(machine.parameters), units)
        happening.read(stop or (), when or (), at or (), how.until)
        problems.found += happening.problems
        check_samples(samples, problems, least=2)
        if samples is not None and times is not None:
            problems.note("samples and times are both given", "--times", "give one of them")
        problems.done(m.name)
        assert how.until is not None
        asked["events"] = [*own.events, *happening.events]
        with Work("simulation") as work, as_options(OPTIONS):
            if closure is not None:
                machine = begun(machine, asked["start"], asked["drives"], closure, work)
                asked["start"] = None
            if wanted.of_names:  # before long work, a glimpse tells the names that there will be
                _check_names(machine, how.until, asked, wanted, problems)
                problems.done(m.name)
            count = len(how.times) if how.times else samples or SAMPLES
            run = machine.simulate(
                how.until, **asked, progress=lambda t, end: work.progress(round(count * t / end), count)
            )
    unwritten: list[str] = []
    written = wanted.write(run, units, unwritten.append)
    texts = situated.texts("drive", variables) | {name: text for name, (text, _) in given.items()}
    acting = {name.strip(): text.strip() for name, _, text in (each.partition("=") for each in effort or ())}
    given_too = {variables.known_as(name) for name in acting}
    efforts = {n: text for n, text in situated.texts("efforts", variables).items() if n not in given_too} | acting
    doubts = _idle(m, any(asked[key] for key in ("rates", "drives", "efforts")))
    if as_json:
        plain = _plain(run, texts, efforts, [str(event) for event in asked["events"]])
        more = {"warnings": [str(p) for p in [*happening.doubts, *doubts]], "written": [str(w) for w in written]}
        print_json({**head(file, m, FORCES), **situated.as_dict(), **plain, **more})
    else:
        print_evidence(m.name, run, texts, units, efforts, happening.told, situated.told)
        print_problems(doubts)
        _print_ranges(run, units)
        for each in written:
            say(f"wrote {each}")
    for text in unwritten:
        tell(text)
    raise typer.Exit(130 if work.stopped else 2 if unwritten else 0 if run.evidence.complete else 1)


def _check_names(machine: Machine, until: float, asked: dict[str, Any], wanted: Outputs, problems: Problems) -> None:
    """Notes names that the simulation will not have; of events, stops alone bring signals."""
    from linkwork.model.events import Stop

    stops = [event for event in asked["events"] if isinstance(event, Stop)]
    glimpse = asked | {"samples": 2, "times": None, "method": "explicit", "step": None, "events": stops}
    wanted.check_names(machine.simulate(GLIMPSE * until, **glimpse), problems)


def _idle(m: Mechanism, moved: bool) -> list[Problem]:
    """What makes nothing happen, and may have been forgotten.

    moved : whether rates, drives or efforts are given
    """
    from linkwork.errors import Problem

    if moved or any(m.gravity) or m.gravity_laws or m.loads:
        return []
    hint = "give --rate, --effort or --drive; or gravity or loads in the file"
    return [Problem("nothing acts, and it starts at rest", hint=hint, severity="warning")]


def _plain(run: Run, texts: dict[str, str], efforts: dict[str, str], events: list[str]) -> dict[str, Any]:
    from linkwork.views.ranges import joint_ranges

    ranges = joint_ranges(run)
    return {
        "driven": texts,
        "efforts": efforts,
        "events": events,
        "joints": {name: {level: r.as_dict() for level, r in own.items()} for name, own in ranges.items()},
        "evidence": run.evidence.as_dict(),
    }


def _print_ranges(run: Run, units: UnitSystem) -> None:
    from linkwork.views.ranges import joint_ranges
    from linkwork.views.tables import range_table

    print_tables([range_table(joint_ranges(run), units)], MOST_ROWS)
