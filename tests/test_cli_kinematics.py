"""`linkwork mobility`, `motion` and `closures`, as a person and as a script would use them."""

import json
import math
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from typer.testing import CliRunner, Result

import linkwork as lw
from linkwork.cli import app
from linkwork.cli.progress import Work

MM_DEG = "linkwork: 1\nname: {name}\nunits: {{length: mm, angle: deg}}\n"
SLIDE = MM_DEG.format(name="slide") + "bodies: {b: {mass: 1}}\njoints: {S: {prismatic: [ground, b], axis: x}}\n"
UNSOUND = "linkwork: 1\nname: open\nbodies: {a: {}, b: {}}\njoints: {A: {revolute: [a, b], axis: z}}\n"
TWO = (
    MM_DEG.format(name="two")
    + "bodies: {b: {mass: 1}, c: {mass: 1}}\n"
    + "joints: {C: {cylindric: [ground, b], axis: x}, R: {rigid: [b, c]}}\n"
)

NUMBER = {"type": ["number", "null"]}
SI = {"length": "m", "angle": "rad", "time": "s"}
HEAD = {"file": {"type": "string"}, "name": {"type": "string"}, "units": {"const": SI}}
POSTURE = {
    "mobility": {"type": "integer"},
    "independent": {"type": "array", "items": {"type": "string"}},
    "dependent": {"type": "array", "items": {"type": "string"}},
    "redundant": {"type": "integer"},
    "redundancies": {"type": "array", "items": {"required": ["count", "joints", "kind"]}},
    "quality": {"type": "number"},
    "residual": {"type": "number"},
    "values": {"type": "object", "additionalProperties": {"type": "number"}},
}
VARIABLES = {"type": "object", "additionalProperties": {"enum": ["rad", "m", "1"]}}
MOBILITY = HEAD | POSTURE | {"variables": VARIABLES, "four_bars": {"type": "array"}, "travel": {"type": "array"}}
RANGE = {
    "type": "object",
    "properties": {"unit": {"type": "string"}, "least": NUMBER, "greatest": NUMBER},
    "required": ["unit", "least", "greatest"],
    "additionalProperties": False,
}
MOTION = HEAD | {
    "driven": {"type": "object", "additionalProperties": {"type": "string"}},
    "held": {"type": "array", "items": {"type": "string"}},
    "joints": {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": RANGE}},
    "evidence": {"type": "object", "required": ["status", "message", "asked", "reached", "worst_residual", "warnings"]},
    "written": {"type": "array", "items": {"type": "string"}},
}
CLOSURES = HEAD | {
    "variables": VARIABLES,
    "at": {"type": "object"},
    "of": {"type": "array"},
    "starts": {"type": "integer"},
    "converged": {"type": "integer"},
    "complete": {"type": "boolean"},
    "criterion": {"type": "string"},
    "closures": {"type": "array", "items": {"required": ["hits", "name", "values", "poses"]}},
}


def run(*words: str) -> Result:
    """A command; whatever happens, there is no traceback."""
    result = CliRunner().invoke(app, list(words))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def told(*words: str, code: int) -> str:
    """What is told beside the results, with this exit code."""
    result = run(*words)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    return result.stderr


def asked(schema: dict[str, Any], *words: str) -> dict[str, Any]:
    """The answer in JSON, as it is promised."""
    result = run(*words, "--json")
    assert result.exit_code in (0, 1), result.output
    found: dict[str, Any] = json.loads(result.stdout, parse_constant=lambda text: pytest.fail(text))
    wanted = {"type": "object", "properties": schema, "required": list(schema)}
    jsonschema.validate(found, wanted)
    return found


def rows(output: str, title: str) -> list[list[str]]:
    """Rows of a printed table, split at gaps of two blanks."""
    lines = output.splitlines()
    (start,) = [i for i, line in enumerate(lines) if line.startswith(title)]
    table = []
    for line in lines[start + 1 :]:
        if not line.startswith("  "):
            break
        table.append([cell.strip() for cell in line.split("  ") if cell.strip()])
    return table


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# -------------------------------------------------------------------- mobility


def test_mobility_of_a_slider_crank() -> None:
    result = run("mobility", "slider-crank", "--at", "A=90deg", "--travel", "A")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[:6] == [
        "slider-crank",
        "  mobility 1",
        "  specified:   A.angle",
        "  independent: A.angle",
        "  dependent:   B.angle, D.slide, C.angle",
        "  3 redundant constraints: 3 among A, B, C, D (planar)",
    ]
    posture = {row[0]: row[1:] for row in rows(result.output, "posture")}
    slide = math.sqrt(200**2 - 50**2) - 250
    assert posture["A.angle"] == ["90 deg", "given"]
    assert posture["D.slide"] == [f"{slide:.6g} mm", "dependent"]
    assert rows(result.output, "four-bars")[1] == [
        "ground - crank - rod - piston", "A, B, C, D", "slider-crank", "crank, stroke 100 mm, time ratio 1",
    ]  # fmt: skip
    strokes = {row[0]: row[1:] for row in rows(result.output, "travel: A.angle makes full turns")}
    assert strokes["D.slide"] == ["-100 mm", "180 deg", "0 mm", "360 deg", "100 mm"]
    swing = math.degrees(math.asin(50 / 200))
    assert strokes["C.angle"][0] == f"{-swing:.6g} deg" and strokes["C.angle"][2] == f"{swing:.6g} deg"
    assert strokes["B.angle"][-1] == "full turns"
    assert "\x1b" not in result.output


def test_mobility_names_the_limits_of_travel() -> None:
    result = run("mobility", "four-bar", "--travel", "O4")
    assert result.exit_code == 0
    verdict = rows(result.output, "four-bars")[1]
    assert verdict[:3] == ["ground - crank - coupler - rocker", "O2, A, B, O4", "four-bar"]
    assert verdict[3].startswith("crank-rocker, time ratio 1.35")
    (title,) = [line for line in result.output.splitlines() if line.startswith("travel:")]
    least, greatest = (float(word) for word in title.split() if word.replace(".", "").isdigit())
    drawn = run("mobility", "four-bar", "--travel", "O2")
    other = {row[0]: row for row in rows(drawn.output, "travel: O2.angle makes full turns")}["O4.angle"]
    assert (least, greatest) == pytest.approx((float(other[1].split()[0]), float(other[3].split()[0])), abs=2e-4)
    ends = [line for line in result.output.splitlines() if " end: limit of travel" in line]
    assert len(ends) == 2


def test_mobility_of_an_overconstrained_loop() -> None:
    found = asked(MOBILITY, "mobility", "bennett", "--travel", "J1")
    assert found["mobility"] == 1 and found["redundant"] == 3
    assert found["redundancies"] == [{"count": 3, "joints": ["J1", "J2", "J3", "J4"], "kind": ""}]
    assert found["variables"]["J1.angle"] == "rad"
    (travel,) = found["travel"]
    assert travel["full_turn"] is True and set(travel["full_turns"]) == {f"J{k}.angle" for k in range(1, 5)}


def test_mobility_in_json_is_in_si() -> None:
    found = asked(MOBILITY, "mobility", "slider-crank", "--at", "A=90", "--travel", "A", "--travel", "A.angle")
    assert found["values"]["A.angle"] == pytest.approx(math.pi / 2)
    assert found["values"]["D.slide"] == pytest.approx(math.sqrt(0.2**2 - 0.05**2) - 0.25)
    assert found["variables"]["D.slide"] == "m"
    (bar,) = found["four_bars"]
    assert bar["verdict"]["stroke"] == pytest.approx(0.1)
    (travel,) = found["travel"]
    stroke = travel["strokes"]["D.slide"]
    assert (stroke["least"], stroke["greatest"]) == pytest.approx((-0.1, 0.0), abs=1e-12)


def test_limits_that_were_not_met_are_null(here: Path) -> None:
    (here / "slide.yaml").write_text(SLIDE)
    (travel,) = asked(MOBILITY, "mobility", "slide.yaml", "--travel", "S")["travel"]
    assert travel["lower"] is None and travel["upper"] is None
    result = run("mobility", "slide.yaml", "--travel", "S")
    assert "travel: S.slide goes from no limit to no limit" in result.output


# -------------------------------------------------------------------- motion


def test_motion_shows_the_ranges_of_all_joints() -> None:
    result = run("motion", "slider-crank", "--drive", "A=0:360deg", "--speed", "A=3000rpm", "--samples", "721")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[:3] == [
        "slider-crank  complete",
        "  driven: A.angle = 0:360deg @ 3000rpm",
        "  samples: 721, time 0 s to 0.02 s",
    ]
    assert lines[3].startswith("  largest residual: ") and lines[4].startswith("  smallest quality: ")
    table = {row[0]: row[1:] for row in rows(result.output, "joints")}
    assert table["A.angle"] == ["0 .. 360 deg", "18000 deg/s", "0 deg/s^2"]
    assert table["D.slide"][0] == "-100 .. 0 mm"
    w, r, ratio = 2 * math.pi * 50, 50.0, 50.0 / 200.0
    accelerations = f"{-r * w * w * (1 + ratio):.6g} .. {r * w * w * (1 - ratio):.6g} mm/s^2"  # at the dead centres
    assert table["D.slide"][2] == accelerations


def test_motion_in_json_is_in_si() -> None:
    found = asked(MOTION, "motion", "slider-crank", "--drive", "A=0:360deg", "--jerk")
    assert found["driven"] == {"A.angle": "0:360deg"} and found["held"] == [] and found["written"] == []
    slide = found["joints"]["D.slide"]
    assert [slide[level]["unit"] for level in ("value", "rate", "acceleration", "jerk")] == [
        "m",
        "m/s",
        "m/s^2",
        "m/s^3",
    ]
    assert (slide["value"]["least"], slide["value"]["greatest"]) == pytest.approx((-0.1, 0.0), abs=1e-12)
    assert slide["acceleration"]["least"] == pytest.approx(-0.05 * (2 * math.pi) ** 2 * 1.25)
    assert found["evidence"]["status"] == "complete" and found["evidence"]["reached"] == 361
    assert 0.0 < found["evidence"]["worst_residual"] < 1e-12


@pytest.mark.parametrize("name", ["run.nc", "run.csv"])
def test_a_written_run_is_the_run(here: Path, name: str) -> None:
    result = run("motion", "slider-crank", "--drive", "A=10:370deg in 2s", "--out", name)
    assert result.output.splitlines()[-1] == f"wrote {name}"
    loaded = lw.load_run(here / name)
    mine = lw.example("slider-crank").assemble().motion(A=lw.ramp(math.radians(10), math.radians(370), duration=2.0))
    assert loaded.name == "slider-crank" and loaded.time[-1] == 2.0
    np.testing.assert_array_equal(loaded["P.x"].values, mine["P.x"].values)


def test_pictures_are_written_without_a_display(here: Path) -> None:
    result = run("motion", "slider-crank", "--drive", "A=0:360deg", "--plot", "P", "--plot", "A.rate", "--x", "A")
    assert result.output.splitlines()[-1] == "wrote slider-crank-motion.png"
    assert (here / "slider-crank-motion.png").read_bytes().startswith(b"\x89PNG")
    words = ["--path", "P", "--path", "piston", "--plot", "D", "--out", "a.svg", "--out", "b.pdf", "--out", "c.csv"]
    found = asked(MOTION, "motion", "slider-crank", "--drive", "A=0:360deg", *words)
    assert found["written"] == ["c.csv", "a.svg", "b.pdf", "a-path.svg", "b-path.pdf"]
    assert (here / "a-path.svg").read_text().count("<svg") == 1
    assert (here / "b.pdf").read_bytes().startswith(b"%PDF")


def test_pictures_of_other_commands_are_left_alone(here: Path) -> None:
    (here / "slider-crank.png").write_bytes(b"a picture of the layout, say")
    for command, more in (("motion", "--jerk"), ("forces", "--energy")):
        run(command, "slider-crank", "--drive", "A=0:60deg", "--samples", "5", "--plot", "A", more)
    run("simulate", "slider-crank", "--until", "1ms", "--samples", "3", "--plot", "A")
    names = ["slider-crank-forces.png", "slider-crank-motion.png", "slider-crank-simulation.png", "slider-crank.png"]
    assert sorted(p.name for p in here.iterdir()) == names
    assert (here / "slider-crank.png").read_bytes() == b"a picture of the layout, say"


def test_a_picture_of_one_path_is_named_after_the_model(here: Path) -> None:
    run("examples", "four-bar", "--copy")
    result = run("motion", "four-bar.yaml", "--drive", "O2=0:360deg", "--path", "coupler")
    assert result.output.splitlines()[-1] == "wrote four-bar-motion.png"
    assert sorted(p.name for p in here.iterdir()) == ["four-bar-motion.png", "four-bar.yaml"]


def test_a_stopped_motion_is_kept_and_written(here: Path) -> None:
    result = run("motion", "four-bar", "--drive", "O4=90:150deg", "--out", "part.nc")
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[0] == "four-bar  stopped"
    (message,) = [line for line in lines if line.startswith("  stopped: ")]
    assert "O4.angle cannot go beyond 128.682 deg" in message and "150 deg" in message
    assert lines[-1] == "wrote part.nc"
    part = lw.load_run(here / "part.nc")
    assert part.status == "stopped" and 0 < len(part) < 361
    assert math.degrees(part["O4.angle"][-1]) < 128.682
    found = asked(MOTION, "motion", "four-bar", "--drive", "O4=90:150deg")
    assert found["evidence"]["status"] == "stopped" and found["evidence"]["reached"] == len(part)


def test_what_cannot_begin_is_told() -> None:
    text = told("motion", "four-bar", "--drive", "O4=0:10deg", code=1)
    assert text.startswith("linkwork: four-bar: O4.angle cannot go beyond 54.9")
    result = run("motion", "four-bar", "--drive", "O4=0:10deg", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["status"] == "limit of travel"


def test_a_range_lasts_as_long_as_the_motion() -> None:
    long = asked(MOTION, "motion", "slider-crank", "--drive", "A=0:360deg", "--duration", "2s")
    assert long["joints"]["A.angle"]["rate"]["least"] == pytest.approx(math.pi)
    assert long["evidence"]["span"] == [0.0, 2.0]
    own = asked(MOTION, "motion", "slider-crank", "--drive", "A=0:360deg in 1s", "--duration", "500 ms")
    assert own["joints"]["A.angle"]["value"]["greatest"] == pytest.approx(math.pi)


def test_numbers_without_a_unit_are_in_those_of_the_file(here: Path) -> None:
    (here / "slide.yaml").write_text(SLIDE)
    found = asked(MOTION, "motion", "slide.yaml", "--drive", "S=0:100", "--speed", "S=50")
    assert found["joints"]["S.slide"]["value"]["greatest"] == pytest.approx(0.1)
    assert found["evidence"]["span"][1] == pytest.approx(2.0)


def test_start_and_closure_choose_where_a_motion_begins() -> None:
    closed = asked(CLOSURES, "closures", "slider-crank", "--at", "A=20deg")["closures"]
    for closure in closed:
        found = asked(MOTION, "motion", "slider-crank", "--drive", "A=20:60deg", "--closure", closure["name"])
        slide = found["joints"]["D.slide"]["value"]
        assert slide["greatest"] == pytest.approx(closure["values"]["D.slide"])
    slid = asked(MOTION, "motion", "slider-crank", "--drive", "D=-50:-60", "--start", "A=90deg")
    assert slid["joints"]["A.angle"]["value"]["least"] > 0.0


def test_held_variables_are_named() -> None:
    result = run("motion", "double-pendulum", "--drive", "A=0:90deg", "--start", "B=30deg")
    assert result.exit_code == 0
    assert "  held: B.angle" in result.output.splitlines()
    assert {row[0]: row[1] for row in rows(result.output, "joints")}["B.angle"] == "30 deg"


def test_several_drives_laws_and_a_warning() -> None:
    words = ["--drive", "A=harmonic(0, 30deg, 2Hz)", "--drive", "B=0:45deg in 1s; dwell(45deg, 1s)"]
    result = run("motion", "double-pendulum", *words)
    assert result.exit_code == 0
    assert "  driven: A.angle = harmonic(0, 30deg, 2Hz)" in result.output.splitlines()
    assert "warning: the rate of B.angle jumps at 1 s" in result.output


# -------------------------------------------------------------------- closures


def test_closures_of_a_four_bar() -> None:
    result = run("closures", "four-bar", "--at", "O2=40deg")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[:2] == ["four-bar", "  with O2.angle = 40 deg"]
    assert lines[3] == "  complete: every closure found 3 times or more, and 12 closing starts for each"
    table = rows(result.output, "2 closures")
    assert table[0] == ["closure", "found", "O2.angle [deg]", "A.angle [deg]", "O4.angle [deg]", "B.angle [deg]"]
    assert [row[0] for row in table[1:]] == ["1", "2"]
    home = lw.example("four-bar").assemble().at(O2=math.radians(40))
    assert float(table[1][4]) == pytest.approx(math.degrees(home["O4"]), abs=1e-3)
    assert float(table[2][5]) == pytest.approx(-float(table[1][5]), abs=1e-3)  # mirrored about the diagonal


def test_closures_by_the_pose_of_a_body() -> None:
    found = asked(CLOSURES, "closures", "slider-crank", "--at", "A=40deg", "--of", "piston")
    places = sorted(c["poses"]["piston"][0][3] + 0.25 for c in found["closures"])
    half = math.sqrt(0.2**2 - (0.05 * math.sin(math.radians(40))) ** 2)
    middle = 0.05 * math.cos(math.radians(40))
    assert places == pytest.approx([middle - half, middle + half])
    assert found["at"] == {"A.angle": pytest.approx(math.radians(40))}
    text = run("closures", "slider-crank", "--at", "A=40deg", "--of", "piston").output
    assert rows(text, "2 closures, told apart by piston")[0][2] == "piston at x, y, z [mm]"


def test_closures_without_values_are_those_of_the_layout() -> None:
    assert asked(CLOSURES, "closures", "slider-crank")["at"] == {"A.angle": 0.0}
    assert asked(CLOSURES, "closures", "double-pendulum")["criterion"].startswith("an open chain")


def test_closures_of_many_variables_are_columns() -> None:
    output = run("closures", "theo-jansen-leg", "--starts", "64").output
    table = rows(output, "8 closures")  # three loops, each closed in two ways
    assert table[0] == ["closure", *"12345678"]
    assert table[2] == ["O.angle [deg]", *["0"] * 8]
    assert {len(row) for row in table} == {9}


def test_closures_say_whether_they_are_all() -> None:
    lines = run("closures", "four-bar", "--at", "O2=40deg").output.splitlines()
    assert lines[4] == "  proven: 2 closures by formulas: a dyad RRR (rocker, coupler)"
    found = asked(CLOSURES, "closures", "four-bar", "--at", "O2=40deg")
    assert found["complete"] and found["proof"] == "2 closures by formulas: a dyad RRR (rocker, coupler)"
    assert (found["bound"], found["found_once"], found["estimate_unseen"]) == (2, 0, 0)
    words = ["closures", "stewart-platform", "--of", "platform", "--starts", "16"]
    lines = run(*words).output.splitlines()
    assert "  perhaps not all: the search ended with the last of its 16 starts" in lines
    found = asked(CLOSURES, *words)
    assert not found["complete"] and found["proof"] == "" and found["bound"] == 40
    once = sum(c["hits"] == 1 for c in found["closures"])
    assert found["found_once"] == once > 0 and found["estimate_unseen"] > 0
    share = f"({once} of {len(found['closures'])} were found once)"
    told_so = f"  estimate of unseen closures: {found['estimate_unseen']:.3g} {share}"
    assert told_so in lines and "  isolated closures at most: 40" in lines


def test_inputs_out_of_reach_are_1() -> None:
    text = told("closures", "slider-crank", "--at", "D=500mm", code=1)
    assert "no closure was found" in text and "D.slide = 500 mm" in text
    text = told("closures", "slider-crank", "--at", "A=40deg", "--at", "D=-20mm", code=1)
    assert "A.angle and D.slide are driven, but the machine has 1 freedom" in text


# -------------------------------------------------------------------- wrong use


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["mobility", "slider-crank", "--at", "Q=3"], "--at Q: there is no joint 'Q'; there is: A, B, C, D"),
        (
            ["mobility", "slider-crank", "--at", "A"],
            "--at: 'A' is not of the form name=value; for example --at 'A=30deg'",
        ),
        (["mobility", "slider-crank", "--at", "A=3kg"], "--at A: '3kg' is a mass; an angle is wanted"),
        (["mobility", "slider-crank", "--at", "A=3 dge"], "--at A: "),
        (["mobility", "slider-crank", "--at", "A=1", "--at", "A.angle=2"], "--at A.angle: 'A.angle' is given twice"),
        (
            ["mobility", "slider-crank", "--travel", "A.slide"],
            "--travel A.slide: the revolute joint 'A' has no variable 'slide'; there is: A.angle",
        ),
        (["motion", "slider-crank", "--speed", "A=3rpm"], "A.angle has a speed, but is not driven; add --drive 'A"),
        (["motion", "slider-crank", "--drive", "A=0:36 kg"], "--drive A: in '0:36 kg': '0 kg' is a mass"),
        (["motion", "slider-crank", "--drive", "A=harm(0, 1, 2)"], "--drive A: in 'harm(0, 1, 2)': 'harm' is no law"),
        (["motion", "slider-crank", "--drive", "E=0:1"], "--drive E: there is no joint 'E'"),
        (["motion", "slider-crank", "--drive", "A=0:1", "--speed", "A=3 kg"], "--speed A: '3 kg' is a mass"),
        (
            ["motion", "slider-crank", "--drive", "A=0:1", "--speed", "B=3rpm"],
            "--speed B.angle: B.angle has a speed, but",
        ),
        (["motion", "slider-crank", "--drive", "A=30deg", "--speed", "A=3rpm"], "which a speed does not go with"),
        (["motion", "slider-crank", "--drive", "A=0:1", "--duration", "2 kg"], "--duration: '2 kg' is a mass"),
        (["motion", "slider-crank", "--drive", "A=0:1", "--duration", "-2s"], "--duration: a duration of '-2s'"),
        (["motion", "slider-crank", "--drive", "A=0:1", "--samples", "0"], "--samples: 0 samples; give a whole number"),
        (["motion", "slider-crank", "--drive", "A=0:1", "--samples", "99999999999"], "--samples: 99999999999 samples"),
        (["motion", "slider-crank", "--drive", "A=harmonic(0, 1, 2Hz)"], "the laws go on for ever"),
        (["motion", "slider-crank", "--drive", "A=0:1", "--closure", "7"], "no closure '7'; with the first values of"),
        (["motion", "slider-crank", "--drive", "A=0:1", "--plot", "Z"], "--plot Z: there is no signal 'Z'"),
        (
            ["motion", "slider-crank", "--drive", "A=0:1", "--plot", "A", "--x", "P"],
            "--x P: 'P' is not a single signal",
        ),
        (["motion", "slider-crank", "--drive", "A=0:1", "--path", "A"], "--path A: 'A' is not a point, body or frame"),
        (["motion", "slider-crank", "--drive", "A=0:1", "--out", "a.xyz"], "--out a.xyz: '.xyz' is not an ending"),
        (["motion", "slider-crank", "--drive", "A=0:1", "--out", "run"], "--out run: the name has no ending; use .nc"),
        (["motion", "slider-crank", "--drive", "A=0:1", "--out", "no/a.nc"], "--out no/a.nc: there is no folder 'no'"),
        (["motion", "slider-crank", "--drive", "A=0:1", "--out", "folder.nc"], "--out folder.nc: this is a folder"),
        (["closures", "slider-crank", "--at", "A=1", "--starts", "0"], "--starts: 0 starts; give a whole number"),
        (["closures", "slider-crank", "--of", "pistn"], "--of pistn: there is no body 'pistn'; did you mean 'piston'?"),
    ],
    ids=lambda given: " ".join(given[1:]) if isinstance(given, list) else "",
)
def test_wrong_use_is_told(here: Path, words: list[str], message: str) -> None:
    (here / "folder.nc").mkdir()
    text = told(*words, code=2)
    assert message in text
    assert text.startswith("linkwork: ")
    assert [p.name for p in here.iterdir()] == ["folder.nc"]


def test_everything_wrong_is_told_at_once() -> None:
    words = ["--drive", "A=0:3 kg", "--drive", "Q=1", "--start", "B", "--samples", "0", "--out", "a.xyz"]
    text = told("motion", "slider-crank", *words, code=2)
    assert "5 problems" in text.splitlines()[0] or "6 problems" in text.splitlines()[0]
    for option in ("--drive A", "--drive Q", "--start", "--samples", "--out a.xyz"):
        assert f". {option}: " in text


def test_joints_of_several_variables(here: Path) -> None:
    (here / "two.yaml").write_text(TWO)
    text = told("mobility", "two.yaml", "--at", "C=1", "--travel", "R", code=2)
    assert "'C' has several variables; say which: C.angle, C.slide" in text
    assert "'R' is a rigid joint and does not move" in text
    found = asked(MOBILITY, "mobility", "two.yaml", "--at", "C=90, 5")
    assert found["values"] == {"C.angle": pytest.approx(math.pi / 2), "C.slide": pytest.approx(0.005)}
    assert "give angle, slide" in told("mobility", "two.yaml", "--at", "C=1, 2, 3", code=2)


@pytest.mark.parametrize("command", [["mobility"], ["motion", "--drive", "A=0:1"], ["closures", "--at", "A=1"]])
def test_files_that_are_not_there_or_not_sound(here: Path, command: list[str]) -> None:
    (here / "open.yaml").write_text(UNSOUND)
    for as_json in ([], ["--json"]):
        result = run(command[0], "open.yaml", *command[1:], *as_json)
        assert result.exit_code == 1 and "nothing is joined to the ground" in result.output
        result = run(command[0], "nope.yaml", *command[1:], *as_json)
        assert result.exit_code == 2 and "there is no such file" in result.output
    result = run(command[0], "four-baar", *command[1:])
    assert result.exit_code == 2
    assert "there is neither a file nor an example 'four-baar'; did you mean 'four-bar'?" in result.output


def test_examples_go_by_name_in_every_command(here: Path) -> None:
    for command in ("check", "show", "equations", "mobility", "closures"):
        result = run(command, "slider-crank")
        assert result.exit_code == 0 and result.output.startswith("slider-crank")
    (here / "slider-crank").mkdir()  # a folder is no file
    assert run("check", "slider-crank").exit_code == 0
    run("examples", "slider-crank", "--copy")
    assert "did you mean 'slider-crank.yaml'?" not in run("check", "slider-crank").output


def test_help_has_an_example_for_every_option() -> None:
    for command, options in {
        "mobility": ["at", "travel"],
        "motion": ["drive", "speed", "samples", "duration", "start", "closure", "x", "path", "out"],
        "closures": ["at", "of", "starts", "seed"],
    }.items():
        done = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200", "NO_COLOR": "1"})
        text = " ".join(done.output.replace("│", " ").split())
        assert f"Example: linkwork {command} " in text
        for option in options:
            assert text.count(f"--{option} ") >= 2, option


# -------------------------------------------------------------------- Ctrl-C


class _Impatient(Work):
    """A user who presses Ctrl-C when the first samples are done."""

    def progress(self, done: int, total: int) -> None:
        if done and not self.done:
            self.done = done
            signal.raise_signal(signal.SIGINT)
        super().progress(self.done, total)


def test_ctrl_c_keeps_what_is_done(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linkwork.cli.progress.Work", _Impatient)
    before = signal.getsignal(signal.SIGINT)
    result = run("motion", "slider-crank", "--drive", "A=0:3600deg", "--samples", "5000", "--out", "part.nc")
    assert result.exit_code == 130, result.output
    assert "what is done will be kept" in result.stderr
    assert result.stdout.splitlines()[0] == "slider-crank  stopped"
    assert "  stopped: interrupted: ended by the user" in result.stdout
    part = lw.load_run(here / "part.nc")
    assert part.status == "stopped" and part.evidence.asked == 5000 and 0 < len(part) <= 5000
    whole = lw.example("slider-crank").assemble().motion(A=(0.0, 20 * math.pi), samples=5000)
    np.testing.assert_allclose(part["D.slide"].values, whole["D.slide"].values[: len(part)], atol=1e-12)
    assert signal.getsignal(signal.SIGINT) is before
    result = run("closures", "four-bar", "--at", "O2=40deg")
    assert result.exit_code == 130 and "stopped by Ctrl-C after" in result.stderr
    assert "closure" in result.stdout


def test_a_second_ctrl_c_drops_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hasty(Work):
        def progress(self, done: int, total: int) -> None:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("linkwork.cli.progress.Work", Hasty)
    text = told("motion", "slider-crank", "--drive", "A=0:360deg", code=130)
    assert text.splitlines()[-1] == "linkwork: stopped by Ctrl-C; nothing was kept"


# -------------------------------------------------------------------- the program


def test_the_program_itself(here: Path) -> None:
    words = [sys.executable, "-m", "linkwork", "motion", "four-bar", "--drive", "O4=90:150deg", "--out", "part.csv"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=here)
    assert done.returncode == 1 and "Traceback" not in done.stderr and "\x1b" not in done.stdout + done.stderr
    assert lw.load_run(here / "part.csv").status == "stopped"
    done = subprocess.run([*words[:5], "--drive", "O4=x"], capture_output=True, text=True, cwd=here)
    assert done.returncode == 2 and done.stderr.startswith("linkwork: four-bar: --drive O4: ")


def test_help_imports_nothing_heavy(here: Path) -> None:
    code = (
        "import sys; from linkwork.cli import app\n"
        "try: app(['motion', '--help'])\nexcept SystemExit: pass\n"
        "print([m for m in ('numpy', 'xarray', 'scipy', 'llvmlite', 'numba', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=here)
    assert done.stdout.splitlines()[-1] == "[]"


# ---------------------------------------------------------------- coordinates of points

ARM = """\
linkwork: 1
name: arm
units: {length: mm}
gravity: [0, -9.81 m/s^2, 0]
bodies:
  upper: {mass: 1, com: [200, 0, 0], inertia: [1e4, 1e4, 1e4]}
  fore: {mass: 0.6, com: [400, 200, 0], inertia: [1e4, 1e4, 1e4]}
joints:
  A: {revolute: [ground, upper], at: [0, 0, 0], axis: z}
  B: {revolute: [upper, fore], at: [400, 0, 0], axis: z}
points:
  P: {on: fore, at: [400, 300, 0]}
"""


def test_points_are_driven_along_their_coordinates(here: Path) -> None:
    (here / "arm.yaml").write_text(ARM)
    drives = ("--drive", "P.x=400:300", "--drive", "P.y=0.3m:350mm")
    data = json.loads(run("motion", "arm.yaml", *drives, "--json").stdout)
    angles = data["joints"]["A.angle"]["value"], data["joints"]["B.angle"]["value"]
    reach, lift = 0.4, 0.3  # law of cosines at the end: |P|² = a² + b² + 2ab cos(inner)
    inner = math.acos((0.3**2 + 0.35**2 - reach**2 - lift**2) / (2 * reach * lift))
    assert angles[1]["greatest"] == pytest.approx(inner - math.pi / 2, abs=1e-9)
    data = json.loads(run("simulate", "arm.yaml", "--until", "0.2s", "--drive", "P.x=400:390", "--json").stdout)
    assert data["evidence"]["status"] == "complete" and list(data["driven"]) == ["P.x"]
    wrong = run("motion", "arm.yaml", "--drive", "Q.x=0:1")
    assert wrong.exit_code != 0 and "--drive Q.x" in wrong.output
