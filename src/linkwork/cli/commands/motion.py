"""`linkwork motion`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.case_options import CaseName, asked_machine
from linkwork.cli.drive_options import (
    Closure,
    Drives,
    Duration,
    Samples,
    Speeds,
    Start,
    begun,
    check_samples,
    moved_by_itself,
)
from linkwork.cli.evidence import print_evidence
from linkwork.cli.models import AsJson, File, asking, head, sound, units_of
from linkwork.cli.output import MOST_ROWS, print_json, print_tables, say, tell
from linkwork.cli.picture_options import Out, Over, Paths, Plots
from linkwork.cli.settings import Sets

if TYPE_CHECKING:
    from linkwork.results import Run
    from linkwork.units import UnitSystem


def motion(
    file: File,
    case: CaseName = None,
    sets: Sets = None,
    drive: Drives = None,
    speed: Speeds = None,
    samples: Samples = None,
    duration: Duration = None,
    start: Start = None,
    closure: Closure = None,
    jerk: Annotated[bool, typer.Option("--jerk", help="Third derivatives of the joints too.")] = False,
    plot: Plots = None,
    x: Over = None,
    path: Paths = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Drive joints through laws of time; show what all joints do, plot it, write it to files.

    A motion that cannot be finished keeps and writes what was reached, with exit code 1; Ctrl-C does the same with 130.

    Example: linkwork motion slider-crank --drive A=0:360deg --speed A=3000rpm --plot D.slide --x A --out run.nc
    """
    m = sound(file, as_json)
    from linkwork.cli.option_values import Problems, Variables
    from linkwork.cli.outputs import outputs
    from linkwork.cli.progress import Work

    units, problems = units_of(m), Problems()
    wanted = outputs(f"{file.stem}-motion", out or (), plot or (), x, path or (), problems)
    with asking(file, m, as_json):
        asked = asked_machine(m, case, sets, problems)
        machine, own = asked.machine, asked.own
        variables = Variables(machine, units, problems)
        seconds = variables.duration(duration)
        given = variables.laws_of_time(drive or (), speed or (), duration if seconds is not None else None)
        begin = variables.values(start or (), "--start")
        check_samples(samples, problems)
        problems.done(m.name)
        laws = asked.laws({name: law for name, (_, law) in given.items()}, seconds, variables)
        begin = asked.starts(laws, begin, variables)
        seconds = asked.seconds(laws, seconds)
        samples = asked.unless("--samples", own.samples, samples)
        told: dict[str, str] = {}
        with Work("motion") as work:
            machine = begun(machine, begin, laws, closure, work)
            if laws and wanted.of_names:  # before long work, the first sample tells the names that there will be
                wanted.check_names(machine.motion(laws, times=[0.0], jerk=jerk), problems)
                problems.done(m.name)
            if laws:
                run = machine.motion(laws, samples=samples, duration=seconds, jerk=jerk, progress=work.progress)
            else:
                run, told = moved_by_itself(machine, samples, seconds, jerk, work)
                wanted.check_names(run, problems)
                problems.done(m.name)
    unwritten: list[str] = []
    written = wanted.write(run, units, unwritten.append)
    texts = asked.texts("drive", variables) | {name: text for name, (text, _) in given.items()} or told
    if as_json:
        print_json({**head(file, m), **asked.as_dict(), **_plain(run, texts), "written": [str(w) for w in written]})
    else:
        _print(m.name, run, texts, units, asked.told)
        for each in written:
            say(f"wrote {each}")
    for text in unwritten:
        tell(text)
    raise typer.Exit(130 if work.stopped else 2 if unwritten else 0 if run.evidence.complete else 1)


def _plain(run: Run, texts: dict[str, str]) -> dict[str, Any]:
    from linkwork.views.ranges import joint_ranges

    ranges = joint_ranges(run)
    return {
        "driven": texts,
        "held": list(run.held),
        "joints": {name: {level: r.as_dict() for level, r in own.items()} for name, own in ranges.items()},
        "evidence": run.evidence.as_dict(),
    }


def _print(name: str, run: Run, texts: dict[str, str], units: UnitSystem, case: str) -> None:
    from linkwork.views.ranges import joint_ranges
    from linkwork.views.tables import range_table

    print_evidence(name, run, texts, units, case=case)
    print_tables([range_table(joint_ranges(run), units)], MOST_ROWS)
