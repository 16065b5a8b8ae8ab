"""Movies of a machine: its motion, or its closures one after the other, as GIF, MP4 or a page for the browser."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.machine import Machine
from linkwork.colours import Theme
from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.geometry import Array
from linkwork.results import Run
from linkwork.views.layers import Curve, Layer, layers_of
from linkwork.views.movies.actors import Actor, Lines, Poses, Solid
from linkwork.views.movies.files import Picture, check_ending, whole_file, write_movie
from linkwork.views.movies.page import Page
from linkwork.views.movies.timing import Timing, goes_round, poses_over, timing
from linkwork.views.painting.painter import theme_of
from linkwork.views.placed_layout import machine_of

Progress = Callable[[int, int], None]
Style = Literal["solid", "line"]

LOOKED_AT = 60
"""Postures of a motion by which the page is chosen."""
LEAST = 12
"""Frames below which a movie is hardly one."""
LARGEST = 4000
"""Pixels of a side."""


@dataclass(frozen=True)
class Movie:
    """A file that was written; it can be given wherever a path is wanted.

    path : the file; frames : pictures in it; seconds : how long it plays; size : width and height [pixels], None
    for a page; speed : seconds of motion in a second of the movie; notes : what you should know, as it was warned of
    """

    path: Path
    frames: int
    seconds: float
    size: tuple[int, int] | None = None
    speed: float = 1.0
    notes: tuple[str, ...] = ()

    def __fspath__(self) -> str:
        return str(self.path)

    def _repr_html_(self) -> str:
        """The movie itself, below the cell of a notebook."""
        from linkwork.views.movies.shown import movie_html

        return movie_html(self.path, str(self))

    def __str__(self) -> str:
        pixels = f", {self.size[0]} x {self.size[1]} pixels" if self.size else ""
        return f"{self.path}: {self.frames} frames, {self.seconds:.3g} s{pixels}"


def animate(
    run: Run,
    path: str | Path,
    *,
    machine: Machine | None = None,
    style: Style = "solid",
    traces: Sequence[str] | None = None,
    layers: Sequence[str] = (),
    fps: float = 30.0,
    speed: float = 1.0,
    size: tuple[int, int] | None = None,
    theme: str | Theme = "light",
    names: bool = False,
    progress: Progress | None = None,
) -> Movie:
    """Write a movie of a motion: one second of motion is one second of the movie, seen by a camera that stands still.

    Parameters
    ----------
    run : the motion
    path : the file, .gif, .mp4, or .html for a page that is turned by hand; one that exists is overwritten, once the
        new one is written whole
    machine : the machine that moved, for a run that was loaded from a file
    style : 'solid' for shapes, 'line' for a line drawing
    traces : points, frames or bodies whose paths are drawn; all points without, () for none
    layers : what else is drawn over it: 'velocity', 'acceleration', 'screws', 'centrodes', and of a run of forces
        'reactions', 'loads'
    fps : frames in a second of the movie; each shows the nearest sample
    speed : seconds of motion in a second of the movie, 0.1 for slow motion
    size : width and height [pixels]; 640 wide and as high as the machine is without
    theme : 'light', 'dark', or colours of your own
    names : whether to write names (of the solid style)
    progress : function (frames done, frames) called after every frame
    """
    target = Path(path)
    ending = check_ending(target, also=(".html",))
    s = machine_of(run, machine, "animate(run, path, machine=machine)")
    _check_numbers(run, fps, speed, size, style)
    colours = theme_of(theme)
    drawn = [*_traces(s, run, traces), *layers_of(s, run, layers)]
    bodies = [*s.mechanism.bodies]
    poses, good = poses_over(run, bodies, s.layout.X_WB)
    if not good.any():
        raise InputError(Problem("no posture of the run is finite; there is nothing to show"), run.name)
    if ending == ".html":
        return _page_for_browser(s, run, target, drawn, colours, speed, names)
    found = timing(run.time, good, fps=fps, speed=speed, goes_round=goes_round(poses, good, s.layout.size))
    notes = _notes(run, found, fps, speed)
    postures = [_at(poses, int(i)) for i in _some(np.flatnonzero(good))]
    page, actor = _stage(s, style, postures, drawn, colours, size, names)
    scaled = [y for y in drawn if any(piece.arrows for piece in y.segments)]
    page.note("; ".join(f"{y.name}: {y.legend.partition(';')[0]}" for y in scaled))  # there is room for the scale only
    digits = max(0, math.ceil(-math.log10(speed / fps)))

    def show(frame: int) -> Picture:
        sample = int(found.samples[frame])
        actor.place(_at(poses, sample), sample)
        page.left.set_text(f"{run.name}   t = {run.time[sample]:.{digits}f} s")
        return page.picture()

    write_movie(target, show, [1] * len(found.samples), fps, progress)
    return Movie(target, len(found.samples), len(found.samples) / fps, page.size, speed, (*notes, *actor.notes))


def animate_closures(
    s: Machine,
    closures: Sequence[Posture],
    path: str | Path,
    *,
    hold: float = 1.0,
    style: Style = "solid",
    fps: float = 30.0,
    size: tuple[int, int] | None = None,
    theme: str | Theme = "light",
    progress: Progress | None = None,
) -> Movie:
    """Write a movie that shows closures one after the other, each with its name.

    Parameters
    ----------
    s : the machine
    closures : what `s.closures` gave, or any postures
    path : the file, .gif or .mp4
    hold : how long each is seen [s]
    style : 'solid' for shapes, 'line' for a line drawing
    fps : frames in a second
    size : width and height [pixels]; 640 wide and as high as the machine is without
    theme : 'light', 'dark', or colours of your own
    progress : function (closures done, closures) called after every closure
    """
    target, shown = Path(path), list(closures)
    check_ending(target)
    problems = _number_problems(fps=fps, hold=hold) + _size_problems(size) + _style_problems(style)
    if not shown:
        problems.append(Problem("there is no closure to show", "closures"))
    if problems:
        raise InputError(problems, s.name)
    ground = s.mechanism.ground.name
    bodies = [b for b in s.mechanism.bodies if b != ground]
    postures = [{ground: s.layout.X_WB[ground]} | {b: p.poses[b] for b in bodies} for p in shown]
    page, actor = _stage(s, style, postures, (), theme_of(theme), size, False)

    def show(frame: int) -> Picture:
        actor.place(postures[frame], frame)
        own = shown[frame].name
        page.left.set_text(f"{s.name}   closure {own}" if own else s.name)
        page.note(f"{frame + 1} of {len(shown)}")
        return page.picture()

    ticks = max(1, round(hold * fps))
    write_movie(target, show, [ticks] * len(shown), fps, progress)
    return Movie(target, len(shown), len(shown) * ticks / fps, page.size)


# ---------------------------------------------------------------- what was asked for


def _check_numbers(run: Run, fps: float, speed: float, size: tuple[int, int] | None, style: str) -> None:
    problems = _number_problems(fps=fps, speed=speed) + _size_problems(size) + _style_problems(style)
    if not len(run):
        problems.append(Problem("the run has no samples", hint=run.message))
    if problems:
        raise InputError(problems, run.name)


def _number_problems(**numbers: float) -> list[Problem]:
    wrong = {n: x for n, x in numbers.items() if not (isinstance(x, (int, float, np.number)) and 0.0 < x < np.inf)}
    return [Problem(f"{x!r} is not a number above zero", n, f"for example {n}=1") for n, x in wrong.items()]


def _size_problems(size: Any) -> list[Problem]:
    if size is None:
        return []
    sides = size if isinstance(size, (tuple, list)) and len(size) == 2 else (0, 0)
    if all(isinstance(n, (int, np.integer)) and 64 <= n <= LARGEST for n in sides):
        return []
    hint = f"give width and height as whole numbers from 64 to {LARGEST}: size=(640, 480)"
    return [Problem(f"{size!r} is not a size in pixels", "size", hint)]


def _style_problems(style: str) -> list[Problem]:
    return [] if style in ("solid", "line") else [Problem(f"no style '{style}'", "style", "use 'solid' or 'line'")]


def _traces(s: Machine, run: Run, names: Sequence[str] | None) -> list[Layer]:
    if names is None:
        return layers_of(s, run, ["traces"])
    asked = [names] if isinstance(names, str) else list(names)
    places = [n for n in run.names if f"{n}.position" in run]
    problems = [Problem(f"'{n}' has no path", "traces", did_you_mean(n, places)) for n in asked if n not in places]
    if problems:
        raise InputError(problems, run.name)
    ground = s.mechanism.ground.name
    back = np.linalg.inv(s.layout.X_WB[ground])
    paths = [run.signal(f"{n}.position").values @ back[:3, :3].T + back[:3, 3] for n in asked]
    curves = tuple(Curve(n, ground, p, i) for i, (n, p) in enumerate(zip(asked, paths, strict=True)))
    return [Layer("traces", "traces", curves)] if curves else []


def _notes(run: Run, found: Timing, fps: float, speed: float) -> tuple[str, ...]:
    """What you should know of a movie; it is warned of too."""
    notes, frames = [], len(found.samples)
    duration = float(run.time[-1] - run.time[0])
    if not frames:
        raise InputError(Problem("no frame of the movie has a finite posture", hint="give a higher fps"), run.name)
    if found.gaps:
        notes.append(f"{found.gaps} of {frames + found.gaps} frames are left out: the posture there is not finite")
    if frames < LEAST and duration > 0.0:
        slow = f"{duration / 4.0:.2g}"
        notes.append(f"{duration:.3g} s of motion are {frames} frames; speed={slow} makes a movie of 4 s")
    elif found.repeated > 0.05 * frames and frames > 1:
        more = round(duration * fps / speed) + 1
        notes.append(f"the run has fewer samples than the movie has frames; {more} samples would move smoothly")
    for note in notes:
        warnings.warn(f"{run.name}: {note}", stacklevel=3)
    return tuple(notes)


# ---------------------------------------------------------------- how it is shown


def _stage(
    s: Machine,
    style: Style,
    postures: Sequence[Poses],
    layers: Sequence[Layer],
    theme: Theme,
    size: tuple[int, int] | None,
    names: bool,
) -> tuple[Page, Actor]:
    """A page on which the machine can be moved."""
    page = Page(theme)
    actor: Actor
    if style == "solid":
        actor = solid = Solid(s, page, postures, layers, _reach(layers), theme)
        page.resize(size)
        solid.place(postures[0], 0)
        if names:
            solid.painter.write_names()
    else:
        actor = Lines(s, page, postures, layers, _reach(layers), theme)
        page.resize(size)
    return page, actor


def _reach(layers: Sequence[Layer]) -> Array:
    """Ends of all arrows, which the page must hold."""
    ends = [
        np.asarray(piece.ends, float).reshape(-1, 3) for layer in layers for piece in layer.segments if piece.arrows
    ]
    places = np.vstack([*ends, np.zeros((0, 3))])
    finite: Array = places[np.isfinite(places).all(axis=1)]
    return finite


def _some(samples: Any) -> Any:
    """Some samples, evenly spaced, the first and last among them."""
    return samples[np.unique(np.linspace(0, len(samples) - 1, LOOKED_AT).round().astype(int))]


def _at(poses: Poses, sample: int) -> dict[str, Array]:
    return {body: X[sample] for body, X in poses.items()}


def _page_for_browser(
    s: Machine, run: Run, path: Path, layers: Sequence[Layer], theme: Theme, speed: float, names: bool
) -> Movie:
    """A page that plays the motion and can be turned by hand."""
    from linkwork.views.record import run_page

    text, tracks = run_page(s, run, layers=layers, theme=theme, names=names, rate=1.0 / speed)
    with whole_file(path) as draft:
        draft.write_text(text, encoding="utf-8")
    notes = (f"{tracks.gaps} of {len(run)} samples are left out: they are not finite",) if tracks.gaps else ()
    for note in notes:
        warnings.warn(f"{run.name}: {note}", stacklevel=3)
    seconds = float(run.time[-1] - run.time[0]) / speed
    return Movie(path, len(tracks), seconds, None, speed, notes)
