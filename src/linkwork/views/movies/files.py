"""Movies in files: GIF and MP4 from pictures one after the other. A file appears whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from linkwork.errors import InputError, MissingExtra, Problem

Picture = npt.NDArray[np.uint8]
"""Red, green and blue (height, width, 3)."""
Show = Callable[[int], Picture]
"""The picture of a frame, by its number."""
Progress = Callable[[int, int], None]

FASTEST_GIF = 50.0
"""Frames a second; a GIF counts in hundredths, and browsers slow down what is seen for less than two."""
COLOURS = 255  # and the paper's
LOOKED_AT = 6
"""Frames from which a GIF takes its colours: all frames share them, so that nothing flickers."""
ENDINGS = (".gif", ".mp4")


def check_ending(path: Path, also: tuple[str, ...] = ()) -> str:
    """The ending of a movie's file, if it is one that can be written there."""
    ending, known = path.suffix.lower(), (*ENDINGS, *also)
    if ending not in known:
        what = f"'{ending}' is not an ending of movies" if ending else "the name has no ending"
        raise InputError(Problem(what, hint=f"use {', '.join(known[:-1])} or {known[-1]}"), str(path))
    if path.is_dir():
        raise InputError(Problem("this is a folder", hint="name a file"), str(path))
    if not path.parent.is_dir():
        raise InputError(Problem(f"there is no folder '{path.parent}'", hint="make it first"), path.name)
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(Problem("it may not be written to", hint="name another file, or another folder"), str(path))
    return ending


def write_movie(path: Path, show: Show, ticks: list[int], fps: float, progress: Progress | None = None) -> None:
    """Write frames 0 to len(ticks) - 1, each seen for so many ticks of 1/fps seconds; progress(done, all) is called."""
    write = {".gif": _write_gif, ".mp4": _write_mp4}[check_ending(path)]
    with whole_file(path) as draft:
        write(draft, show, ticks, fps, progress or (lambda done, total: None))


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A draft to write to, which becomes the file at the end; if anything goes wrong it vanishes."""
    handle, name = tempfile.mkstemp(suffix=path.suffix.lower(), prefix=".linkwork-", dir=path.parent)
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask)  # drafts are private, files are as the user has it
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _write_gif(draft: Path, show: Show, ticks: list[int], fps: float, progress: Progress) -> None:
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtra("pillow", "movie", "writing a GIF") from None
    if fps > FASTEST_GIF:
        hint = f"give fps={FASTEST_GIF:g} or less, or write .mp4"
        raise InputError(Problem(f"{fps:g} frames a second are too many for a GIF", "fps", hint))
    looked_at = np.unique(np.linspace(0, len(ticks) - 1, LOOKED_AT).round().astype(int))
    sheet = Image.fromarray(np.concatenate([show(int(i)) for i in looked_at]))
    palette = sheet.quantize(COLOURS, method=Image.Quantize.MEDIANCUT)
    paper = show(0)[0, 0]
    colours = [*np.resize(np.array(palette.getpalette()), 3 * COLOURS).tolist(), *paper.tolist()]

    def frames() -> Iterator[Any]:
        for i in range(len(ticks)):
            picture = show(i)
            numbers = np.array(Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE))
            numbers[(picture == paper).all(axis=2)] = COLOURS  # white stays white
            frame = Image.fromarray(numbers, "P")
            frame.putpalette(colours)
            yield frame
            progress(i + 1, len(ticks))

    # Hundredths of a second, rounded so that the whole lasts as long as it should.
    ends = np.round(np.cumsum([0, *ticks]) * 100.0 / fps).astype(int)
    durations = [int(d) * 10 for d in np.diff(ends)]
    pictures = frames()
    first = next(pictures)
    how: dict[str, Any] = {"duration": durations, "loop": 0, "optimize": False}
    with draft.open("wb") as file:  # pillow would leave a file of its own open when it is interrupted
        first.save(file, "GIF", save_all=True, append_images=pictures, **how)


def _write_mp4(draft: Path, show: Show, ticks: list[int], fps: float, progress: Progress) -> None:
    try:
        import imageio_ffmpeg
    except ImportError:
        raise MissingExtra("imageio-ffmpeg", "movie", "writing an MP4") from None
    first = show(0)
    height, width, _ = first.shape
    film = imageio_ffmpeg.write_frames(
        str(draft),
        (width, height),
        fps=fps,
        codec="libx264",
        pix_fmt_out="yuv420p",
        quality=None,
        macro_block_size=2,
        ffmpeg_log_level="error",
        output_params=["-crf", "18", "-movflags", "+faststart"],
    )
    try:
        film.send(None)
        for i, count in enumerate(ticks):
            picture = np.ascontiguousarray(show(i) if i else first)
            for _ in range(count):
                film.send(picture)
            progress(i + 1, len(ticks))
    finally:
        film.close()
