"""Movies: frames, durations, where things are in them, and what happens when something goes wrong."""

import builtins
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.colours import LIGHT
from linkwork.views.movies.timing import timing

imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")


@pytest.fixture(scope="module")
def crank() -> lw.Machine:
    return lw.example("slider-crank").assemble()


@pytest.fixture(scope="module")
def turn(crank: lw.Machine) -> lw.Run:
    return crank.motion(A=lw.ramp(0.0, 2 * np.pi, duration=1.2), samples=361)


@pytest.fixture(scope="module")
def way(crank: lw.Machine) -> lw.Run:
    """Not back to where it began."""
    return crank.motion(A=lw.ramp(0.3, 2.3, duration=0.8), samples=81)


def frames_of(path: Path) -> tuple[list[np.ndarray], list[int]]:
    """Pictures of a GIF and the milliseconds each is seen."""
    pictures, durations = [], []
    with Image.open(path) as gif:
        for i in range(gif.n_frames):
            gif.seek(i)
            pictures.append(np.asarray(gif.convert("RGB")).astype(int))
            durations.append(int(gif.info["duration"]))
    return pictures, durations


# ---------------------------------------------------------------- time


def test_a_turn_lasts_as_long_as_the_motion(turn: lw.Run, tmp_path: Path) -> None:
    movie = lw.animate(turn, tmp_path / "crank.gif", fps=25, size=(200, 120))
    pictures, durations = frames_of(movie.path)
    assert (movie.frames, len(pictures)) == (30, 30)  # the last posture is the first one: it is not shown twice
    assert movie.seconds == pytest.approx(1.2, abs=1e-12) and sum(durations) == 1200
    assert movie.size == (200, 120) == pictures[0].shape[1::-1]
    assert str(movie).endswith("crank.gif: 30 frames, 1.2 s, 200 x 120 pixels") and os.fspath(movie) == str(movie.path)


def test_hundredths_of_a_second_add_up(turn: lw.Run, tmp_path: Path) -> None:
    """A GIF counts in hundredths: 1/30 s is 3, 3 and 4 of them."""
    _, durations = frames_of(lw.animate(turn, tmp_path / "crank.gif", fps=30, size=(200, 120)).path)
    assert set(durations) == {30, 40} and sum(durations) == 1200 and len(durations) == 36


def test_the_end_of_a_way_is_shown(way: lw.Run, tmp_path: Path) -> None:
    movie = lw.animate(way, tmp_path / "way.gif", fps=25, size=(200, 120))
    assert movie.frames == 21


@pytest.mark.parametrize(("speed", "frames"), [(0.5, 60), (1.0, 30), (2.0, 15)])
def test_speed_is_motion_by_movie(turn: lw.Run, tmp_path: Path, speed: float, frames: int) -> None:
    movie = lw.animate(turn, tmp_path / "crank.mp4", fps=25, speed=speed, size=(128, 96))
    assert imageio_ffmpeg.count_frames_and_secs(str(movie.path)) == (frames, pytest.approx(1.2 / speed, abs=0.011))
    assert movie.seconds == pytest.approx(1.2 / speed, abs=1e-12)


def test_an_mp4_plays_everywhere(turn: lw.Run, tmp_path: Path) -> None:
    movie = lw.animate(turn, tmp_path / "crank.mp4", fps=25, size=(131, 97))
    reader = imageio_ffmpeg.read_frames(str(movie.path))
    about = next(reader)
    reader.close()
    assert about["size"] == (132, 98) == movie.size  # even
    assert about["codec"] == "h264" and about["pix_fmt"].startswith("yuv420p") and about["fps"] == 25.0


def test_frames_are_the_nearest_samples() -> None:
    times = np.array([0.0, 0.1, 0.19, 0.4, 0.5])
    found = timing(times, np.ones(5, bool), fps=10.0, speed=1.0, goes_round=False)
    assert found.samples.tolist() == [0, 1, 2, 3, 3, 4]
    assert found.repeated == 1 and found.gaps == 0
    slow = timing(times, np.ones(5, bool), fps=10.0, speed=0.5, goes_round=False)
    assert len(slow.samples) == 11 and slow.samples[-1] == 4
    one = timing(times[:1], np.ones(1, bool), fps=10.0, speed=1.0, goes_round=False)
    assert one.samples.tolist() == [0]
    with pytest.raises(lw.ModelError, match=r"360001 frames.*at most 3600; give speed=101"):
        timing(np.array([0.0, 36000.0]), np.ones(2, bool), fps=10.0, speed=1.0, goes_round=False)


# ---------------------------------------------------------------- what is seen


def inked(picture: np.ndarray, tint: int) -> np.ndarray:
    """Pixels (x, y) whose colour is that of a tint, in light or shade."""
    rgb = np.array(LIGHT.rgb(tint), float)
    length = np.linalg.norm(picture, axis=2)
    along = (picture @ rgb) / (np.where(length > 0, length, 1.0) * np.linalg.norm(rgb))
    return np.argwhere((along > 0.985) & (picture.min(axis=2) < 150))[:, ::-1]


def test_the_piston_is_where_the_run_says(crank: lw.Machine, turn: lw.Run, tmp_path: Path) -> None:
    """Pixels of the piston follow its position in every frame, to a pixel."""
    movie = lw.animate(turn, tmp_path / "crank.gif", fps=10, traces=(), size=(640, 300))
    pictures, _ = frames_of(movie.path)
    tints = {b: i for i, b in enumerate(b for b in crank.mechanism.bodies if b != "ground")}
    pixels = [float(inked(p, tints["piston"])[:, 0].mean()) for p in pictures]
    times = np.arange(12) / 10
    slides = [turn.at(t, tolerance=0.01)["D.slide"] for t in times]
    line = np.polyfit(slides, pixels, 1)
    assert abs(line[0]) * np.ptp(slides) > 100  # it moves far, and ...
    assert np.abs(np.polyval(line, slides) - pixels).max() < 1.5  # ... each pixel of the way is right


@pytest.mark.parametrize("style", ["solid", "line"])
def test_the_page_stands_still(turn: lw.Run, tmp_path: Path, style: Any) -> None:
    """The ground is on the same pixels in all frames, and the machine never leaves the page."""
    movie = lw.animate(turn, tmp_path / "crank.gif", fps=10, style=style, traces=(), size=(400, 240))
    pictures, _ = frames_of(movie.path)
    band = np.array(pictures)[:, :-34]
    assert (band[:, [0, -1]] == 255).all() and (band[:, :, [0, -1]] == 255).all()
    still = (band == band[0]).all(axis=0) & (band[0] < 200)
    assert still.all(axis=2).sum() > 100


def test_line_movies_place_joints_as_the_run_does(crank: lw.Machine, turn: lw.Run) -> None:
    from linkwork.views.movies.actors import layout_with
    from linkwork.views.movies.timing import poses_over
    from linkwork.views.placed_layout import layout_at

    m = crank.mechanism
    known = layout_at(crank)
    poses, good = poses_over(turn, m.bodies, known.X_WB)
    assert good.all()
    carriers = {n: p.body for n, p in m.points.items()}
    for i in (0, 100, 250):
        layout = layout_with(known, m.joints, carriers, {b: X[i] for b, X in poses.items()})
        assert np.allclose(layout.points["P"], turn["P"].position.values[i], rtol=0, atol=1e-14)
        for seat in (layout.seats["B"], layout.seats["C"]):
            assert np.allclose(seat.X_WF[:3, 3], seat.X_WM[:3, 3], rtol=0, atol=1e-12)


def test_traces_and_layers_are_switched(turn: lw.Run, tmp_path: Path) -> None:
    def first(**how: Any) -> np.ndarray:
        return frames_of(lw.animate(turn, tmp_path / "a.gif", fps=10, size=(320, 200), **how).path)[0][3]

    without, traced, arrows = first(traces=()), first(traces=["P"]), first(traces=(), layers=["velocity"])
    assert (without != traced).any() and (without != arrows).any()
    assert (first() == traced).all()  # P is the only point
    with pytest.raises(lw.ModelError, match=r"(?s)'Q' has no path"):
        first(traces=["Q"])
    with pytest.raises(lw.ModelError, match="no layer 'velocty'; did you mean 'velocity'"):
        first(layers=["velocty"])


def test_the_same_run_is_the_same_file(turn: lw.Run, tmp_path: Path) -> None:
    files = [lw.animate(turn, tmp_path / f"{i}.gif", fps=10, size=(200, 120)).path for i in range(2)]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_paper_is_white_and_dark_pages_are_dark(turn: lw.Run, tmp_path: Path) -> None:
    for theme, paper in (("light", [255, 255, 255]), ("dark", [0x14, 0x17, 0x1A])):
        pictures, _ = frames_of(lw.animate(turn, tmp_path / "a.gif", fps=10, size=(200, 120), theme=theme).path)
        assert pictures[5][0, 0].tolist() == paper


def test_closures_are_held_one_after_the_other(tmp_path: Path) -> None:
    s = lw.example("four-bar").assemble()
    closures = s.closures(O2=0.7)
    movie = lw.animate_closures(s, closures, tmp_path / "closures.gif", hold=0.5, size=(240, 200))
    pictures, durations = frames_of(movie.path)
    assert durations == [500, 500] and (movie.frames, movie.seconds) == (2, 1.0)
    assert (pictures[0] != pictures[1]).any()
    film = lw.animate_closures(s, closures, tmp_path / "closures.mp4", hold=0.5, fps=20, size=(240, 200), style="line")
    assert imageio_ffmpeg.count_frames_and_secs(str(film.path)) == (20, pytest.approx(1.0, abs=0.011))
    with pytest.raises(lw.ModelError, match="no closure to show"):
        lw.animate_closures(s, [], tmp_path / "none.gif")


# ---------------------------------------------------------------- what goes wrong


def with_gaps(run: lw.Run, gaps: slice) -> lw.Run:
    data = run.data.copy(deep=True)
    values = data["rod.position"].values.copy()
    values[gaps] = np.nan
    data["rod.position"] = (data["rod.position"].dims, values, data["rod.position"].attrs)
    return lw.Run(data, run.machine)


def test_postures_that_are_not_finite_are_left_out_and_counted(turn: lw.Run, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="8 of 30 frames are left out"):
        movie = lw.animate(with_gaps(turn, slice(60, 145)), tmp_path / "a.gif", fps=25, size=(200, 120))
    assert movie.frames == 22 and "not finite" in movie.notes[0]
    with pytest.raises(lw.ModelError, match="nothing to show"):
        lw.animate(with_gaps(turn, slice(None)), tmp_path / "b.gif")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.gif"]


def test_a_dwell_lasts_as_long_as_it_should(crank: lw.Machine, tmp_path: Path) -> None:
    """Equal pictures may be one in the file, seen for longer."""
    law = lw.sequence(lw.ramp(0.0, 1.0, duration=0.5), lw.dwell(1.0, duration=0.5))
    run = crank.motion(A=law, samples=101)
    movie = lw.animate(run, tmp_path / "a.gif", fps=20, size=(200, 120))
    assert (movie.frames, sum(frames_of(movie.path)[1])) == (21, 1050)


def test_what_may_not_be_written_is_told_before_the_work(
    turn: lw.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("linkwork.views.movies.files.os.access", lambda *given: False)
    with pytest.raises(lw.ModelError, match="it may not be written to"):
        lw.animate(turn, tmp_path / "a.gif")


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: Any, **named: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("linkwork.views.animate.write_movie", full)
    result = command("slider-crank", "--drive", "A=0:90deg", "--out", str(tmp_path / "a.gif"))
    assert result.exit_code == 2 and "No space left on device" in result.output


@pytest.mark.parametrize("ending", [".gif", ".mp4"])
def test_an_interrupt_leaves_no_file_and_keeps_the_old_one(turn: lw.Run, tmp_path: Path, ending: str) -> None:
    def stop(done: int, total: int) -> None:
        assert total == 30
        if done == 5:
            raise KeyboardInterrupt

    old = tmp_path / f"old{ending}"
    old.write_bytes(b"old")
    for path in (old, tmp_path / f"new{ending}"):
        with pytest.raises(KeyboardInterrupt):
            lw.animate(turn, path, fps=25, size=(128, 96), progress=stop)
    assert [p.name for p in tmp_path.iterdir()] == [old.name] and old.read_bytes() == b"old"


def test_progress_counts_every_frame(turn: lw.Run, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    lw.animate(turn, tmp_path / "a.gif", fps=10, size=(128, 96), progress=lambda *x: seen.append(x))
    assert seen == [(i, 12) for i in range(1, 13)]


def test_fast_and_coarse_motions_are_warned_of(crank: lw.Machine, tmp_path: Path) -> None:
    fast = crank.motion(A=lw.ramp(0.0, 2 * np.pi, duration=0.02))
    with pytest.warns(UserWarning, match="0.02 s of motion are 1 frames; speed=0.005 makes a movie of 4 s"):
        lw.animate(fast, tmp_path / "a.gif", size=(128, 96))
    coarse = crank.motion(A=lw.ramp(0.0, 1.0, duration=2.0), samples=11)
    with pytest.warns(UserWarning, match="fewer samples than the movie has frames; 61 samples"):
        lw.animate(coarse, tmp_path / "a.gif", size=(128, 96))


def test_wrong_use_is_told_at_once(turn: lw.Run, tmp_path: Path) -> None:
    with pytest.raises(lw.ModelError) as found:
        lw.animate(turn, tmp_path / "a.gif", fps=0, speed=-1.0, size=(10, 10), style="wire")  # type: ignore[arg-type]
    assert {p.where for p in found.value.problems} == {"fps", "speed", "size", "style"}
    for path, text in (("a.avi", "'.avi' is not an ending of movies; use .gif, .mp4 or .html"), ("a", "no ending")):
        with pytest.raises(lw.ModelError, match=text):
            lw.animate(turn, tmp_path / path)
    with pytest.raises(lw.ModelError, match="there is no folder"):
        lw.animate(turn, tmp_path / "no" / "a.gif")
    with pytest.raises(lw.ModelError, match="too many for a GIF; give fps=50 or less"):
        lw.animate(turn, tmp_path / "a.gif", fps=60)
    folder = tmp_path / "folder.gif"
    folder.mkdir()
    with pytest.raises(lw.ModelError, match="this is a folder; name a file"):
        lw.animate(turn, folder)
    assert [p.name for p in tmp_path.iterdir()] == ["folder.gif"]


def test_a_loaded_run_needs_its_machine(crank: lw.Machine, turn: lw.Run, tmp_path: Path) -> None:
    loaded = lw.load_run(turn.save(tmp_path / "run.nc"))
    with pytest.raises(lw.ModelError, match=r"does not know its machine.*write animate\(run, path, machine="):
        lw.animate(loaded, tmp_path / "a.gif")
    same = [lw.animate(r, tmp_path / "a.gif", machine=crank, fps=10, size=(128, 96)).path for r in (loaded,)]
    assert same[0].is_file()
    with pytest.raises(lw.ModelError, match="knows nothing of rocker, coupler"):
        lw.animate(loaded, tmp_path / "a.gif", machine=lw.example("four-bar").assemble())


@pytest.mark.parametrize(("module", "ending"), [("PIL", ".gif"), ("imageio_ffmpeg", ".mp4")])
def test_missing_extras_say_what_to_install(
    turn: lw.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, ending: str
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name == module and rest and rest[0] and rest[0].get("__name__") == "linkwork.views.movies.files":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(lw.MissingExtra, match=r"pip install 'linkwork\[movie\]'"):
        lw.animate(turn, tmp_path / f"a{ending}", size=(128, 96))
    assert not list(tmp_path.iterdir())


def test_a_page_for_the_browser(turn: lw.Run, tmp_path: Path) -> None:
    pytest.importorskip("viser")
    movie = lw.animate(turn, tmp_path / "crank.html", layers=["velocity"])
    text = movie.path.read_text(encoding="utf-8")
    assert text.lstrip().lower().startswith("<!doctype html>") and movie.frames == 361 and movie.seconds == 1.2


# ---------------------------------------------------------------- the command


def command(*words: str) -> Any:
    return CliRunner().invoke(app, ["animate", *words])


def test_the_command_writes_what_is_asked(tmp_path: Path) -> None:
    out = tmp_path / "crank.gif"
    words = ["--drive", "A=0:360deg in 2s", "--layer", "velocity", "--trace", "P", "--fps", "5", "--line", "--dark"]
    result = command("slider-crank", *words, "--out", str(out))
    assert result.exit_code == 0, result.output
    assert "10 frames, 2 s" in result.output and " kB" in result.output
    assert len(frames_of(out)[0]) == 10


def test_the_command_moves_what_can_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = command("four-bar", "--fps", "5")
    assert result.exit_code == 0, result.output
    assert "O2.angle moves" in result.output and "at 0.5 times its speed" in result.output
    assert (tmp_path / "four-bar.gif").is_file()


def test_the_command_shows_closures(tmp_path: Path) -> None:
    out = tmp_path / "closures.gif"
    result = command("four-bar", "--closures", "--start", "O2=40deg", "--out", str(out))
    assert result.exit_code == 0 and "2 frames, 2 s" in result.output, result.output
    assert command("four-bar", "--closures", "--layer", "velocity", "--out", str(out)).exit_code == 2


def test_the_command_refuses_wrong_use(tmp_path: Path) -> None:
    for words, text in (
        (["--out", str(tmp_path / "a.avi")], "not an ending of movies"),
        (["--drive", "Q=0:1", "--out", str(tmp_path / "a.gif")], "there is no joint 'Q'"),
        (["--fps", "0", "--out", str(tmp_path / "a.gif")], "not a number above zero"),
    ):
        result = command("slider-crank", *words)
        assert result.exit_code == 2 and text in result.output, result.output
    assert not list(tmp_path.iterdir())


def test_the_command_leaves_nothing_when_it_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from linkwork.cli.progress import Stopped, Work

    def stop(self: Work, done: int, total: int) -> None:
        if self.what == "movie" and done == 3:
            self.stopped = True
            raise Stopped

    monkeypatch.setattr(Work, "progress", stop)
    result = command("slider-crank", "--drive", "A=0:360deg in 2s", "--out", str(tmp_path / "a.gif"))
    assert result.exit_code == 130 and "nothing was kept" in result.output
    assert not list(tmp_path.iterdir())


def test_no_warning_is_left_over(turn: lw.Run, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lw.animate(turn, tmp_path / "a.gif", fps=25, size=(128, 96))
