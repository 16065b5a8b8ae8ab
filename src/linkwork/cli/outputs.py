"""Files that a motion is written to: its numbers, a plot of signals, paths of points."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.cli.option_values import Problems
from linkwork.cli.output import fail, say, tell
from linkwork.errors import LinkworkError, MissingExtra

if TYPE_CHECKING:
    from linkwork.results import Run
    from linkwork.units import UnitSystem

NUMBERS = (".nc", ".csv")
PICTURES = (".png", ".svg", ".pdf")
MOST_LINES = 7
"""Variables that are plotted where none is named."""


@dataclass(frozen=True)
class Outputs:
    """What to write.

    numbers, pictures : files, by their endings
    plot, x : signals to plot, and over which; paths : places whose paths are drawn
    """

    numbers: tuple[Path, ...]
    pictures: tuple[Path, ...]
    plot: tuple[str, ...]
    x: str
    paths: tuple[str, ...]

    @property
    def of_names(self) -> bool:
        """Whether anything is asked for by name."""
        return bool(self.plot or self.paths or self.x != "time")

    def check_names(self, run: Run, problems: Problems) -> None:
        """Notes names that a run of this machine does not have."""
        for name in dict.fromkeys([*self.plot, self.x]):
            option = f"--plot {name}" if name in self.plot else f"--x {name}"
            if name not in run:
                problems.reading(option, lambda name=name: run.signal(name))  # type: ignore[misc]
            elif name == self.x:
                problems.reading(f"--x {name}", lambda name=name: run.signal(name))  # type: ignore[misc]
        for name in self.paths:
            if name not in run.names or getattr(run[name], "kind", "joint") == "joint":
                places = [n for n in run.names if "." not in n and run[n].kind != "joint"]
                hint = f"there is: {', '.join(places[:12])}{', ...' * (len(places) > 12)}" if places else ""
                problems.note(f"'{name}' is not a point, body or frame", f"--path {name}", hint)

    def write(self, run: Run, units: UnitSystem, failed: Callable[[str], None]) -> list[Path]:
        """Writes all that can be written; what cannot is told to `failed`."""
        written: list[Path] = []

        def attempt(path: Path, save: Callable[[Path], object]) -> None:
            try:
                save(path)
                written.append(path)
            except OSError as error:
                failed(f"cannot write {path}: {error.strerror or error}")
            except LinkworkError as error:
                failed(f"cannot write {path}: {error}")

        for path in self.numbers:
            attempt(path, run.save)
        if len(run):
            for number, draw in enumerate(self._figures(run, units)):
                for path in self.pictures:
                    attempt(path if number == 0 else path.with_stem(f"{path.stem}-path"), draw)
        return written

    def _figures(self, run: Run, units: UnitSystem) -> list[Callable[[Path], object]]:
        figures: list[Callable[[Path], object]] = []
        if self.plot or self.x != "time" or not self.paths:
            names = self.plot or (() if run.analysis == "forces" else tuple(_moving(run)))  # () plots the efforts
            figures.append(lambda path: run.plot(*names, x=self.x, units=units).save(path))
        if self.paths:
            figures.append(lambda path: _drawn_paths(run, self.paths, units).save(path))
        return figures


def outputs(
    stem: str, out: Sequence[Path], plot: Sequence[str], x: str | None, paths: Sequence[str], problems: Problems
) -> Outputs:
    """What to write; endings and folders are looked at before the work begins.

    stem : name of the picture where none is named, which says of what it is: other commands write pictures too
    """
    unique = list(dict.fromkeys(out))
    for path in unique:
        check_output(path, problems)
    numbers = tuple(p for p in unique if p.suffix.lower() in NUMBERS)
    pictures = tuple(p for p in unique if p.suffix.lower() in PICTURES)
    if (plot or paths or x is not None) and not pictures:
        pictures = (Path(f"{stem}.png"),)
        check_output(pictures[0], problems)
    if pictures and importlib.util.find_spec("matplotlib") is None:
        raise MissingExtra("matplotlib", "plot", "plotting a motion")
    return Outputs(numbers, pictures, tuple(plot), "time" if x is None else x, tuple(paths))


def check_output(path: Path, problems: Problems) -> None:
    """Notes a file that cannot be written."""
    where, ending = f"--out {path}", path.suffix.lower()
    hint = "use .nc or .csv for the numbers; .png, .svg or .pdf for a picture"
    if ending not in (*NUMBERS, *PICTURES):
        what = f"'{ending}' is not an ending that can be written" if ending else "the name has no ending"
        problems.note(what, where, hint)
    elif path.is_dir():
        problems.note("this is a folder", where, "name a file")
    elif not path.parent.is_dir():
        problems.note(f"there is no folder '{path.parent}'", where, "make it first")
    elif not os.access(path if path.exists() else path.parent, os.W_OK):
        problems.note("it may not be written to", where, "name another file, or another folder")


def check_picture(path: Path | None) -> None:
    """Stops where a picture cannot be written by its name."""
    if path is not None and not path.suffix:
        fail(f"'{path}' has no ending that tells the format; try {path}.svg")


def save_picture(path: Path, figure: Any, as_json: bool, tight: bool = False) -> None:
    """Writes a figure, cut to what is on it if `tight`, and says so; beside the JSON if there is one."""
    try:
        figure.savefig(path, dpi=150, bbox_inches="tight" if tight else None, pad_inches=0.1)
    except (OSError, ValueError) as error:
        fail(f"cannot write {path}: {error}")
    (tell if as_json else say)(f"wrote {path}")


def _moving(run: Run) -> list[str]:
    """Variables of joints that move, the first ones."""
    names = [f"{joint}.{v}" for joint, own in run.arrays.attrs["joints"].items() for v in own]
    moving = [n for n in names if np.ptp(run.signal(n).values) > 1e-9]
    return (moving or names)[:MOST_LINES]


def _drawn_paths(run: Run, names: Sequence[str], units: UnitSystem) -> Any:
    """Paths on one page, in the plane that holds them all."""
    travel = np.array([np.ptp(run[n].position.values, axis=0) for n in names])
    moving = (travel > 1e-9 * travel.max()).any(axis=0)
    plane = "".join(axis for axis, moves in zip("xyz", moving, strict=True) if moves)
    drawn = run[names[0]].path(units=units, plane=plane if len(plane) > 1 else None)
    for name in names[1:]:
        run[name].path(units=units, plane=plane if len(plane) > 1 else None, ax=drawn[0])
    if len(names) > 1:
        drawn[0].set_title(f"{run.name}: paths", fontsize=11, loc="left")
        _fit_page(drawn)
    return drawn


def _fit_page(drawn: Any) -> None:
    """The page was made for the first path; a flat one gets the shape that holds them all."""
    if drawn[0].name == "3d":
        return
    lines = [np.column_stack(line.get_data()) for line in drawn[0].get_lines()]
    wide, high = np.ptp(np.vstack(lines), axis=0)
    shape = float(np.clip((high + 0.15 * wide) / (wide + 0.15 * high), 0.35, 1.3))
    width = 6.0 if shape <= 1.0 else 6.0 / shape
    drawn.figure.set_size_inches(width + 0.6, width * shape + 0.9)
