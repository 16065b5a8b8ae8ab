"""`linkwork animate`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from linkwork.cli.case_options import CaseName, asked_machine
from linkwork.cli.drive_options import Closure, Drives, Duration, Samples, Speeds, Start, begun, moved_by_itself
from linkwork.cli.models import File, asking, sound, units_of
from linkwork.cli.output import fail, say, tell
from linkwork.cli.saved_runs import SavedRun, check_alone, saved_run
from linkwork.cli.settings import Sets

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.cli.progress import Work
    from linkwork.drives import Drive
    from linkwork.results import Run
    from linkwork.views.animate import Movie

FPS = 25.0


def animate(
    file: File,
    case: CaseName = None,
    sets: Sets = None,
    drive: Drives = None,
    speed: Speeds = None,
    samples: Samples = None,
    duration: Duration = None,
    start: Start = None,
    closure: Closure = None,
    saved: SavedRun = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The movie, --out crank.gif, .mp4, or .html for a page that is turned by hand; FILE.gif here by "
            "default. A file that is there is overwritten.",
            show_default=False,
        ),
    ] = None,
    trace: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Draw the path of this point, frame or body, --trace P; again for others. All points by default.",
            show_default=False,
        ),
    ] = None,
    layer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Draw velocity, acceleration, screws, centrodes, reactions (forces in joints) or loads over it, "
            "--layer velocity; again for others.",
            show_default=False,
        ),
    ] = None,
    fps: Annotated[float, typer.Option(metavar="NUMBER", help="Frames in a second, --fps 30.")] = FPS,
    playback: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="Seconds of motion in a second of the movie, --playback 0.1 for slow motion. By default 1, but what "
            "takes less than 2 s is slowed down and what takes more than 20 s is hurried.",
            show_default=False,
        ),
    ] = None,
    line: Annotated[bool, typer.Option("--line", help="A line drawing instead of solid shapes.")] = False,
    dark: Annotated[bool, typer.Option("--dark", help="Dark colours.")] = False,
    names: Annotated[bool, typer.Option("--names", help="Write names beside joints, points and bodies.")] = False,
    all_closures: Annotated[
        bool,
        typer.Option(
            "--closures", help="Show all closures instead of a motion, a second each; --start gives the values."
        ),
    ] = False,
) -> None:
    """Write a movie of a motion or of a run that was saved, as GIF, MP4 or a page for the browser.

    Without --drive the first independent variable makes a turn, or goes to the ends of its travel and back.
    Ctrl-C ends the work and leaves no file.

    Example: linkwork animate slider-crank --drive 'A=0:360deg in 2s' --layer velocity --out crank.gif
    """
    m = sound(file, False)
    from linkwork.cli.option_values import Problems, Variables
    from linkwork.cli.progress import Work
    from linkwork.views.animate import animate_closures
    from linkwork.views.layers import OF_FORCES
    from linkwork.views.movies.files import check_ending

    path = Path(f"{file.stem}.gif") if out is None else out
    check_ending(path, () if all_closures else (".html",))
    problems = Problems()
    style: Literal["solid", "line"] = "line" if line else "solid"
    with asking(file, m, False), Work("motion", keeps=False) as work:
        asked = asked_machine(m, case, sets, problems)
        machine = asked.machine
        variables = Variables(machine, units_of(m), problems)
        seconds = variables.duration(duration)
        given = variables.laws_of_time(drive or (), speed or (), duration if seconds is not None else None)
        begin = variables.values(start or (), "--start")
        if all_closures and (drive or closure or trace or layer or names):
            hint = "leave out --drive, --closure, --trace, --layer and --names"
            problems.note("closures stand still", "--closures", hint)
        if saved is not None:
            told = {"--drive": drive, "--speed": speed, "--samples": samples, "--duration": duration, "--start": start}
            check_alone(told | {"--closure": closure, "--closures": all_closures}, problems)
        problems.done(m.name)
        theme = "dark" if dark else "light"
        if all_closures:
            begin = asked.starts({}, begin, variables)
            values = begin or {n: machine.home[n] for n in machine.home.independent if n in variables.dimensions}
            work.restarted("closures")
            found = machine.closures(values, progress=work.progress)
            _stop_if_asked(work)
            work.restarted("movie")
            how: dict[str, Any] = {"style": style, "fps": fps, "theme": theme}
            with _writing(path):
                movie = animate_closures(machine, found, path, progress=work.progress, **how)
            say(f"wrote {_told(movie)}")
            return
        laws = asked.laws({name: law for name, (_, law) in given.items()}, seconds, variables)
        begin = asked.starts(laws, begin, variables)
        moved = None if saved is not None or closure else asked.moved(laws, samples, seconds, begin, work)
        if moved is not None:
            run = moved
        elif saved is None:
            machine = begun(machine, begin, laws, closure, work)
            run = _moved(machine, laws, samples, seconds, work)
        else:
            run = saved_run(saved, machine)
        _stop_if_asked(work)
        if set(layer or ()) & set(OF_FORCES) and len(run) and run.analysis != "forces":
            run = machine.forces(run)
        work.restarted("movie")
        movie = _written(run, path, playback, work, machine=machine, style=style, traces=trace, layers=layer or (),
                         fps=fps, theme=theme, names=names)  # fmt: skip
    say(f"wrote {_told(movie)}" + (f", case {asked.told}" if asked.told else ""))
    if not run.evidence.complete:
        tell(f"the motion stopped: {run.message}")
        raise typer.Exit(1)


def _moved(machine: Machine, laws: dict[str, Drive], samples: int | None, seconds: float | None, work: Work) -> Run:
    if laws:
        return machine.motion(laws, samples=samples, duration=seconds, progress=work.progress)
    return moved_by_itself(machine, samples, seconds, False, work)[0]


def _written(run: Run, path: Path, playback: float | None, work: Work, **how: object) -> Movie:
    """The movie; what it warns of is told."""
    from linkwork.views.animate import animate as write
    from linkwork.views.tracks import slowing

    lasts = float(run.time[-1] - run.time[0]) if len(run) else 0.0
    rate = 1.0 / slowing(lasts) if playback is None else playback
    with warnings.catch_warnings(), _writing(path):
        warnings.simplefilter("ignore", UserWarning)
        movie = write(run, path, speed=rate, progress=work.progress, **how)  # type: ignore[arg-type]
    for note in movie.notes:
        tell(note)
    return movie


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """A disk that is full, and the like, is told."""
    try:
        yield
    except OSError as error:
        fail(f"cannot write {path}: {error.strerror or error}")


def _stop_if_asked(work: Work) -> None:
    if work.stopped:
        raise KeyboardInterrupt


def _told(movie: Movie) -> str:
    pace = "" if movie.speed == 1.0 else f", at {movie.speed:.3g} times its speed"
    return f"{movie}, {movie.path.stat().st_size / 1000:.0f} kB{pace}"
