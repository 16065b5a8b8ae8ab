"""`linkwork forces`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.case_options import CaseName, asked_machine
from linkwork.cli.drive_options import (
    LAWS,
    Closure,
    Duration,
    Samples,
    Speeds,
    Start,
    begun,
    check_samples,
    moved_by_itself,
)
from linkwork.cli.evidence import print_evidence
from linkwork.cli.load_options import (
    DriveNames,
    EffortTexts,
    ExternalTexts,
    PreloadTexts,
    StateTexts,
    WeightTexts,
    acting,
    as_options,
    idle_problems,
)
from linkwork.cli.models import FORCES, AsJson, File, asking, head, sound, units_of
from linkwork.cli.output import MOST_ROWS, print_json, print_problems, print_tables, say, tell
from linkwork.cli.picture_options import Out, Over, Paths
from linkwork.cli.saved_runs import SavedRun, check_alone, saved_run
from linkwork.cli.settings import Sets

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.cli.load_options import Acting
    from linkwork.cli.option_values import Problems
    from linkwork.cli.outputs import Outputs
    from linkwork.drives import Drive
    from linkwork.results import Run
    from linkwork.units import UnitSystem
    from linkwork.views.force_peaks import ForcePeaks


def forces(
    file: File,
    case: CaseName = None,
    sets: Sets = None,
    drive: Annotated[
        list[str] | None,
        typer.Option("--drive", "--motion", metavar="NAME=LAW", help=LAWS, show_default=False),
    ] = None,
    speed: Speeds = None,
    samples: Samples = None,
    duration: Duration = None,
    start: Start = None,
    closure: Closure = None,
    run: SavedRun = None,
    drives: DriveNames = None,
    effort: EffortTexts = None,
    preload: PreloadTexts = None,
    weight: WeightTexts = None,
    external: ExternalTexts = None,
    state: StateTexts = None,
    energy: Annotated[
        bool, typer.Option("--energy", help="Energy of the drives too: drawn, returned, and what it costs.")
    ] = False,
    recuperation: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Of the returned energy that is recovered, 0 to 1; shows the energy too.",
            min=0.0,
            max=1.0,
        ),
    ] = 0.0,
    motor: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Draw torque over speed of this motor in its envelope, to FILE-NAME.png; again for others.",
            show_default=False,
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit code 1 where a motor must give more than it can.")
    ] = False,
    plot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIGNAL",
            help="Plot this signal: A.effort, A.power of a drive, B.force, B.fx, B.mz of a joint, a load, or a signal "
            "of the motion; again for others. Written to NAME-forces.png here unless --out names a picture.",
            show_default=False,
        ),
    ] = None,
    x: Over = None,
    path: Paths = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """What a motion takes: efforts, power and energy of the drives, what every joint carries, loads and motors.

    The motion is given as in `linkwork motion`, or as a run that was saved. Components of reactions that redundant
    loops leave open are named, never shown as a number. A motion that cannot be finished is taken as far as it came,
    with exit code 1; Ctrl-C does the same with 130.

    Example: linkwork forces slider-crank --drive A=0:360deg --speed A=3000rpm --plot A.effort --out run.nc
    """
    m = sound(file, as_json)
    from linkwork.cli.option_values import Problems, Variables
    from linkwork.cli.outputs import outputs
    from linkwork.cli.progress import Work
    from linkwork.views.force_peaks import force_peaks

    units, problems = units_of(m), Problems()
    wanted = outputs(f"{file.stem}-forces", out or (), plot or (), x, path or (), problems)
    pictures = _motor_pictures(file.stem, motor or [], list(m.motors), problems)
    with asking(file, m, as_json):
        asked = asked_machine(m, case, sets, problems)
        machine, own = asked.machine, asked.own
        variables = Variables(machine, units, problems)
        seconds = variables.duration(duration)
        given = variables.laws_of_time(drive or (), speed or (), duration if seconds is not None else None)
        begin = variables.values(start or (), "--start")
        acts = acting(machine, variables, drives, effort, preload, weight, external, state).under(asked, variables)
        if run is not None:
            told = {"--drive": drive, "--speed": speed, "--samples": samples, "--duration": duration}
            check_alone(told | {"--start": start, "--closure": closure}, problems)
        check_samples(samples, problems)
        problems.done(m.name)
        laws = {name: law for name, (_, law) in given.items()}
        if run is None:
            laws = asked.laws(laws, seconds, variables)
            begin = asked.starts(laws, begin, variables)
            seconds = asked.seconds(laws, seconds)
            samples = asked.unless("--samples", own.samples, samples)
        driven: dict[str, str] = {}
        with Work("motion") as work:
            if run is None:
                machine = begun(machine, begin, laws, closure, work)
                if laws:
                    _check_names(machine, laws, acts, wanted, problems, m.name)
                    moved = machine.motion(laws, samples=samples, duration=seconds, progress=work.progress)
                else:
                    moved, driven = moved_by_itself(machine, samples, seconds, False, work)
            else:
                moved = _loaded(run, machine, acts)
        with as_options():
            found = moved if not len(moved) or moved.analysis == "forces" else machine.forces(moved, **acts.said)
        if (run is not None or not laws) and wanted.of_names:
            wanted.check_names(found, problems)
            problems.done(m.name)
    peaks = force_peaks(found, m, recuperation)
    unwritten: list[str] = []
    written = wanted.write(found, units, unwritten.append)
    written += _draw_motors(pictures, found, m.motors, unwritten) if len(found) else []
    texts = {name: text for name, (text, _) in given.items()}
    texts = ({} if run is not None else asked.texts("drive", variables)) | texts or driven or found.driven
    idle = idle_problems(m, acts, moving=True)
    if as_json:
        plain = {"driven": texts, "held": list(found.held), **peaks.as_dict(), "indeterminate": found.indeterminate}
        more = {"warnings": [str(p) for p in idle], "evidence": found.evidence.as_dict()}
        print_json({**head(file, m, FORCES), **asked.as_dict(), **plain, **more, "written": [str(w) for w in written]})
    else:
        print_evidence(m.name, found, texts, units, case=asked.told)
        print_problems(idle)
        _print(peaks, units, machine.layout.size, energy or recuperation > 0.0)
        for each in written:
            say(f"wrote {each}")
    for text in unwritten:
        tell(text)
    done = found.evidence.complete and (peaks.feasible or not strict)
    raise typer.Exit(130 if work.stopped else 2 if unwritten else 0 if done else 1)


def _check_names(
    machine: Machine, laws: Mapping[str, Drive], acts: Acting, wanted: Outputs, problems: Problems, source: str
) -> None:
    """Before long work, the first sample tells what is wrong with the options and which names there will be."""
    from linkwork.analyses.kinematics.failures import DeadCentre

    first = machine.motion(laws, times=[0.0])
    if not len(first):
        return
    try:
        with as_options():
            found = machine.forces(first, **acts.said)
    except DeadCentre:  # it may be so at the first sample alone
        return
    wanted.check_names(found, problems)
    problems.done(source)


def _loaded(path: Path, machine: Machine, acts: Acting) -> Run:
    """A run of a file; one that has its forces is taken as it is."""
    from linkwork.errors import InputError, Problem

    found = saved_run(path, machine)
    if found.analysis == "forces" and acts.said:
        hint = "give the run of `linkwork motion`, or ask for the forces as they are"
        raise InputError(Problem("this run has its forces, with the drives that it was asked for", "--run", hint))
    return found


def _motor_pictures(stem: str, asked: list[str], known: list[str], problems: Problems) -> dict[str, Path]:
    """Where to draw motors."""
    import importlib.util

    from linkwork.errors import MissingExtra
    from linkwork.names import no_such

    for name in asked:
        if name not in known:
            problems.found.append(no_such("motor", name, known, f"--motor {name}", none="the model has no motors"))
    if asked and importlib.util.find_spec("matplotlib") is None:
        raise MissingExtra("matplotlib", "plot", "plotting a motor")
    return {name: Path(f"{stem}-{name}.png") for name in dict.fromkeys(asked)}


def _draw_motors(pictures: dict[str, Path], run: Run, motors: Mapping[str, Any], unwritten: list[str]) -> list[Path]:
    from linkwork.analyses.strength.motors import torque_speed
    from linkwork.errors import LinkworkError

    written = []
    for name, path in pictures.items():
        try:
            torque_speed(run, motors[name]).plot(units={"motor speed": "rpm"}).save(path)
            written.append(path)
        except (OSError, LinkworkError) as error:
            unwritten.append(f"cannot write {path}: {error}")
    return written


def _print(peaks: ForcePeaks, units: UnitSystem, length: float, energy: bool) -> None:
    from linkwork.views.force_tables import energy_table, force_tables

    print_tables(force_tables(peaks, units, length), MOST_ROWS)
    if energy and peaks.energy is not None:
        print_tables([energy_table(peaks.energy)], MOST_ROWS)
