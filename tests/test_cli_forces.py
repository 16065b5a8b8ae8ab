"""`linkwork forces` and `linkwork statics`, as a person and as a script would use them."""

import json
import math
import signal
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from typer.testing import CliRunner, Result

import linkwork as lw
from linkwork.cli import app
from linkwork.cli.progress import Work
from linkwork.units import SI, UnitSystem
from linkwork.units.efforts import EffortTexts, effort_units

G = 9.81
R, L = 0.05, 0.2
CRANK = """
linkwork: 1
name: crank
units: {length: mm, angle: deg}
bodies: {crank: {}, rod: {}, piston: {mass: 2, inertia: [1 kg m^2, 1 kg m^2, 1 kg m^2]}}
joints:
  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z}
  B: {revolute: [crank, rod], at: [50, 0, 0], axis: z}
  C: {revolute: [rod, piston], at: [250, 0, 0], axis: z}
  D: {prismatic: [ground, piston], at: [250, 0, 0], axis: x}
points: {P: {on: piston, at: [250, 0, 0]}}
"""
"""A slider-crank whose piston alone has mass; no gravity."""
HOIST = """
linkwork: 1
name: hoist
units: {length: mm, angle: deg, force: N}
gravity: [0, -9.81 m/s^2, 0]
bodies: {arm: {mass: 2, com: [500, 0, 0], inertia: [10000, 10000, 10000]}}
joints: {A: {revolute: [ground, arm], at: [0, 0, 0], axis: z}}
points: {P: {on: arm, at: [1000, 0, 0]}, Q: {on: ground, at: [0, 1000, 0]}}
springs: {coil: {between: [P, Q], stiffness: 0.01 N/mm, free: 500}}
motors: {drive: {joint: A, ratio: 50, rotor_inertia: 2e-5 kg m^2, stall: 0.2 N m, no_load: 3000 rpm}}
"""
LIGHT = "linkwork: 1\nname: light\nbodies: {arm: {}}\njoints: {A: {revolute: [ground, arm], axis: z}}\n"

NUMBER = {"type": ["number", "null"]}
UNITS = {"length": "m", "angle": "rad", "time": "s", "force": "N", "torque": "N m", "power": "W", "energy": "J"}
HEAD = {"file": {"type": "string"}, "name": {"type": "string"}, "units": {"const": UNITS}}
TEXTS = {"type": "array", "items": {"type": "string"}}
LARGEST = {"type": ["object", "null"], "required": ["value", "unit", "at", "sample"]}


def table(**columns: Any) -> dict[str, Any]:
    """A table by name whose rows have these entries and no others."""
    row = {"type": "object", "properties": columns, "required": list(columns), "additionalProperties": False}
    return {"type": "object", "additionalProperties": row}


FORCES = HEAD | {
    "driven": {"type": "object", "additionalProperties": {"type": "string"}},
    "held": TEXTS,
    "drives": table(effort=LARGEST, power=LARGEST, rms=NUMBER, energies={"type": ["object", "null"]}),
    "joints": table(force=LARGEST, moment=LARGEST, indeterminate=TEXTS),
    "loads": table(
        kind={"type": "string"}, quantity={"type": "string"}, unit={"enum": ["N", "N m", "J"]},
        least=NUMBER, greatest=NUMBER, least_power=NUMBER, greatest_power=NUMBER,
    ),
    "motors": table(
        variable={"type": "string"}, feasible={"type": ["boolean", "null"]}, torque=NUMBER, speed=NUMBER,
        margin=NUMBER, violation=NUMBER, message={"type": "string"},
    ),
    "energy": {"type": ["object", "null"]},
    "power_balance": LARGEST,
    "indeterminate": {"type": "object", "additionalProperties": TEXTS},
    "warnings": TEXTS,
    "evidence": {"type": "object", "required": ["status", "forces"]},
    "written": TEXTS,
}  # fmt: skip
VALUE = {"value": NUMBER, "unit": {"enum": ["N", "N m", "J"]}}
SIX = {"type": "array", "items": NUMBER, "minItems": 3, "maxItems": 3}
STATICS = HEAD | {
    "at": {"type": "object"},
    "posture": {"type": "object", "additionalProperties": {"type": "number"}},
    "efforts": table(**VALUE),
    "loads": table(**VALUE),
    "reactions": table(force=SIX, moment=SIX, indeterminate=TEXTS),
    "advantages": {"type": "array", "items": {"required": ["given", "gained", "ratio"]}},
    "warnings": TEXTS,
}


def run(*words: str) -> Result:
    """A command; whatever happens, there is no traceback."""
    result = CliRunner().invoke(app, list(words))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def printed(*words: str, code: int = 0) -> str:
    result = run(*words)
    assert result.exit_code == code, result.output
    return result.stdout


def told(*words: str, code: int = 2) -> str:
    """What is told beside the results, with this exit code."""
    result = run(*words)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    return result.stderr


def asked(schema: dict[str, Any], *words: str, code: int = 0) -> dict[str, Any]:
    """The answer in JSON, as it is promised."""
    result = run(*words, "--json")
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout, parse_constant=lambda text: pytest.fail(text))
    jsonschema.validate(found, {"type": "object", "properties": schema, "required": list(schema)})
    return found


def rows(output: str, title: str) -> list[list[str]]:
    """Rows of a printed table without its header, split at gaps of two blanks."""
    lines = output.splitlines()
    (start,) = [i for i, line in enumerate(lines) if line.startswith(title)]
    found = []
    for line in lines[start + 2 :]:
        if not line.startswith("  "):
            break
        found.append([cell.strip() for cell in line.split("  ") if cell.strip()])
    return found


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"crank": CRANK, "hoist": HOIST, "light": LIGHT}.items():
        Path(f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def slope(angle: float) -> float:
    """dx/dA of the piston: x = r cos A + sqrt(l² - r² sin² A)."""
    return -R * math.sin(angle) - R**2 * math.sin(angle) * math.cos(angle) / math.sqrt(
        L**2 - (R * math.sin(angle)) ** 2
    )


# -------------------------------------------------------------------- statics


def test_a_pendulum_is_held() -> None:
    output = printed("statics", "pendulum", "--at", "A=30deg")
    assert output.splitlines() == [
        "pendulum  at rest",
        "  at A.angle = 30 deg",
        "held by",
        "  drive    effort",
        "  A.angle  4.905 N m",
        "joints, what the first body does to the second",
        "  joint  fx [N]    fy [N]  fz [N]  mx [N m]  my [N m]  mz [N m]",
        "  A      -8.49571  4.905   0       0         0         4.905",
    ]


@pytest.mark.parametrize("degrees", [20.0, 75.0, 140.0, 250.0])
def test_a_crank_holds_its_piston(degrees: float) -> None:
    """Virtual work: the torque is the force on the piston times dx/dA, and a unit torque gives 1/(dx/dA)."""
    at, angle = ("--at", f"A={degrees}deg"), math.radians(degrees)
    found = asked(STATICS, "statics", "crank.yaml", *at, "--external", "P=-80,0,0 N", "--advantage", "A:D")
    effort = found["efforts"]["A.angle"]
    assert effort["unit"] == "N m" and effort["value"] == pytest.approx(80.0 * slope(angle), rel=1e-10)
    (ratio,) = found["advantages"]
    assert ratio == {"given": "A.angle", "gained": "D.slide", "ratio": pytest.approx(1.0 / slope(angle), rel=1e-10)}
    rod = math.asin(-R / L * math.sin(angle))
    C = found["reactions"]["C"]
    assert C["force"][:2] == pytest.approx([80.0, 80.0 * math.tan(rod)], rel=1e-9)
    assert C["indeterminate"] == ["fz", "mx", "my"] and C["force"][2] is C["moment"][0] is C["moment"][1] is None
    other = asked(STATICS, "statics", "crank.yaml", *at, "--drives", "D", "--effort", f"A={2e3} N mm")
    assert other["efforts"]["D.slide"]["value"] == pytest.approx(-2.0 / slope(angle), rel=1e-10)


def test_units_of_efforts_without_one() -> None:
    """Bare numbers are in what forces are shown in: N and N m, not kg mm/s^2; or in the force of the file."""
    bare = asked(STATICS, "statics", "crank.yaml", "--at", "A=90deg", "--external", "P=-80,0,0")
    assert bare["efforts"]["A.angle"]["value"] == pytest.approx(-80.0 * R, rel=1e-12)
    (held,) = rows(printed("statics", "crank.yaml", "--at", "A=90deg", "--external", "P=-80,0,0"), "held by")
    assert held == ["A.angle", "-4 N m"]
    (held,) = rows(printed("statics", "hoist.yaml", "--external", "arm=0,0,0, 0,0,-1000"), "held by")
    tension = 0.01e3 * (math.sqrt(2.0) - 0.5)
    assert held == ["A.angle", f"{1000 * (2 * G * 0.5 + 1 - tension / math.sqrt(2)):.6g} N mm"]
    with_unit = printed("statics", "hoist.yaml", "--external", "arm=0,0,0 N; 0,0,-1 N m")
    assert rows(with_unit, "held by") == [held]
    assert rows(with_unit, "loads") == [["coil", "spring", f"{tension:.6g} N"]]


def test_a_four_bar_leaves_components_open() -> None:
    output = printed("statics", "four-bar", "--advantage", "O2:O4")
    assert "kg" not in output and "e-1" not in output
    joints = rows(output, "joints, what the first body does to the second (open: statically indeterminate")
    assert [row[0] for row in joints] == ["O2", "A", "B", "O4"]
    for row in joints:
        assert row[3:6] == ["open"] * 3 and (row[6] == "0") == (row[0] != "O2")
    ratio = lw.example("four-bar").assemble().mechanical_advantage("O2", "O4")
    line = f"mechanical advantage: 1 N m along O2.angle gives {ratio:.6g} N m along O4.angle"
    assert output.splitlines()[-1] == line
    at_rest = printed("statics", "slider-crank", "--advantage", "A:D")
    assert at_rest.splitlines()[-1].endswith("1 N m along A.angle gives any effort along D.slide: a dead centre")


def test_statics_in_words() -> None:
    found = lw.load("crank.yaml").assemble().statics(A=math.pi / 2, external={"P": (-80.0, 0.0, 0.0)})
    side, rod = 80.0 * R / math.sqrt(L**2 - R**2), 80.0 * L / math.sqrt(L**2 - R**2)
    assert str(found).splitlines() == [
        "crank at rest",
        "  A.angle is held by -4 N m",
        f"  A carries fx -{side:.6g} N, fy -80 N, mz -4 N m; open: fz mx my",
        f"  B carries fx {rod:.6g} N; open: fz mx my",
        f"  C carries fx 80 N, fy -{side:.6g} N; open: fz mx my",
        f"  D carries fx {side:.6g} N; open: fy mx mz",
        "  open components are statically indeterminate: redundant loops leave them to the fits",
    ]
    still = str(lw.example("pendulum").assemble().statics(A=0.0))  # hanging: torque and side force are rounding
    assert still.splitlines()[1:] == ["  A.angle is held by 0 N m", f"  A carries fx -{G} N"]


def test_several_drives_share() -> None:
    """min Σ w e² with e_O2 + k e_O4 = T: the shares go as (1/w_O2) : (k/w_O4)."""
    machine = lw.example("four-bar").assemble()
    alone = machine.statics(O2=1.0).efforts["O2.angle"]
    k = 1.0 / machine.mechanical_advantage("O2", "O4", O2=1.0)
    words = ("statics", "four-bar", "--at", "O2=1rad", "--drives", "O2, O4", "--weight", "O4=4")
    efforts = {n: e["value"] for n, e in asked(STATICS, *words)["efforts"].items()}
    share = alone / (1.0 + k * k / 4.0)
    assert efforts == pytest.approx({"O2.angle": share, "O4.angle": share * k / 4.0}, rel=1e-9)
    loaded = asked(STATICS, *words, "--preload", "O4=1.5 N m")["efforts"]
    rest = (alone - 1.5 * k) / (1.0 + k * k / 4.0)
    assert loaded["O4.angle"]["value"] == pytest.approx(1.5 + rest * k / 4.0, rel=1e-9)


def test_what_statics_cannot_answer() -> None:
    text = told("statics", "slider-crank", "--drives", "D", code=1)
    assert text.startswith("linkwork: slider-crank: --drives: singular posture: D.slide cannot move A.angle there")
    text = told("statics", "double-pendulum", "--drives", "A")
    assert "--drives: driver count too small: 2 freedoms, and A.angle drives; B.angle would be free" in text
    words = ["--drives", "Q,O2", "--effort", "A=5mm", "--external", "X=1", "--external", "P=1,2", "--weight", "A=x"]
    words += ["--preload", "A", "--advantage", "A", "--time", "3m", "--external", "ground=1,2,3"]
    text = told("statics", "four-bar", *words)
    options = ["--drives Q", "--effort A", "--preload", "--weight A", "--external X", "--external P"]
    options += ["--external ground", "--advantage", "--time"]
    assert "9 problems" in text and all(f". {option}: " in text for option in options)
    assert "--effort O2.angle: 'O2.angle' drives" in told("statics", "four-bar", "--effort", "O2=1")
    assert "more drives than freedoms" in told("statics", "four-bar", "--weight", "O2=1")
    assert "'P' is given twice" in told("statics", "four-bar", "--external", "P=1,0,0", "--external", "P=2,0,0")


def test_what_may_have_been_forgotten() -> None:
    assert "warning: no body has mass" in printed("statics", "light.yaml")
    assert "warning: nothing acts: there is no gravity and no load" in printed("statics", "crank.yaml")
    assert "warning" not in printed("statics", "crank.yaml", "--external", "P=1,0,0")
    assert asked(FORCES, "forces", "light.yaml", "--drive", "A=0:1", "--samples", "3")["warnings"]


def test_a_box_in_the_air() -> None:
    efforts = asked(STATICS, "statics", "free-box")["efforts"]
    assert list(efforts) == ["flight.x", "flight.y", "flight.z", "flight.wx", "flight.wy", "flight.wz"]
    found = asked(FORCES, "forces", "free-box", "--drive", "flight.x=0:1", "--samples", "5")
    assert found["drives"]["flight.z"]["effort"]["value"] == pytest.approx(efforts["flight.z"]["value"], rel=1e-12)


# -------------------------------------------------------------------- forces


def test_a_pendulum_that_swings(here: Path) -> None:
    """T = m l² a + m g l sin A, and the pin carries the weight and what holds the bob on its circle."""
    law = "A=harmonic(10deg, 40deg, 2Hz)"
    found = asked(FORCES, "forces", "pendulum", "--motion", law, "--duration", "1s", "--out", "run.nc")
    saved = lw.load_run(here / "run.nc")
    angle, rate, acceleration = (saved[f"A.angle{part}"].values for part in ("", ".rate", ".acceleration"))
    torque = acceleration + G * np.sin(angle)
    peak = found["drives"]["A.angle"]["effort"]
    k = peak["sample"]
    assert abs(peak["value"]) == pytest.approx(np.abs(torque).max(), rel=1e-12)
    assert peak["value"] == pytest.approx(torque[k], rel=1e-12) and peak["at"] == pytest.approx(saved.time[k])
    force = np.hypot(rate**2 + G * np.cos(angle), torque)
    assert found["joints"]["A"]["force"]["value"] == pytest.approx(force.max(), rel=1e-12)
    assert found["power_balance"]["value"] == pytest.approx(0.0, abs=1e-12 * found["power_balance"]["largest_power"])
    assert found["indeterminate"] == {} and found["written"] == ["run.nc"] and found["loads"] == {}


def test_a_slider_crank_in_words() -> None:
    words = ("forces", "crank.yaml", "--drive", "A=0:360deg @ 600rpm", "--energy", "--recuperation", "0.25")
    output = printed(*words)
    lines = output.splitlines()
    assert lines[:3] == [
        "crank  complete",
        "  driven: A.angle = 0:360deg @ 600rpm",
        "  samples: 361, time 0 s to 0.1 s",
    ]
    assert lines[3].startswith("  largest residual: ") and lines[6].startswith("  power balance: ")
    run_ = lw.load("crank.yaml").assemble().motion(A=lw.ramp(0, 2 * math.pi, speed=20 * math.pi), samples=361)
    acceleration = run_["D.slide.acceleration"].values
    torque = 2.0 * acceleration * np.array([slope(a) for a in run_["A.angle"].values])
    ((name, effort, *_, net),) = rows(output, "drives")
    assert name == "A.angle" and effort.endswith(" N m") and net == "0 J"
    assert abs(float(effort.split()[0])) == pytest.approx(np.abs(torque).max(), rel=1e-5)
    joints = {row[0]: row for row in rows(output, "joints, what the first body does to the second (open: ")}
    assert joints["D"][-1] == "fy mx mz" and joints["B"][-1] == "fz mx my" and joints["B"][3] == "0 N m"
    ((_, _, net_, drawn, returned, _, cost),) = rows(output, "energy; cost: drawn less 25 % of what is returned")
    assert net_ == "0" and drawn == returned and float(cost) == pytest.approx(0.75 * float(drawn), rel=1e-5)


def test_motors_and_energy(here: Path) -> None:
    """At a steady speed the drive puts in what gravity and spring take, whatever the speed; the envelope is not."""
    slow = ("forces", "hoist.yaml", "--drive", "A=0:60deg @ 30rpm", "--motor", "drive", "--strict")
    found = asked(FORCES, *slow)
    length = [math.dist((math.cos(a), math.sin(a)), (0.0, 1.0)) for a in (0.0, math.pi / 3)]
    spring = 0.5 * 10.0 * ((length[1] - 0.5) ** 2 - (length[0] - 0.5) ** 2)
    work = 2.0 * G * 0.5 * math.sin(math.pi / 3) + spring
    assert found["energy"]["net"] == pytest.approx(work, rel=1e-5)
    assert found["loads"]["coil"]["greatest"] == pytest.approx(10.0 * (length[0] - 0.5), rel=1e-12)
    motor = found["motors"]["drive"]
    efforts = lw.load("hoist.yaml").assemble().statics(A=math.pi / 3).efforts
    assert motor["feasible"] is True and motor["torque"] == pytest.approx(efforts["A.angle"] / 50.0, rel=1e-12)
    assert motor["speed"] == pytest.approx(50 * math.pi, rel=1e-12)
    assert motor["margin"] == pytest.approx(0.1 - motor["torque"], rel=1e-9)
    assert (here / "hoist-drive.png").stat().st_size > 1000 and found["written"] == ["hoist-drive.png"]
    fast = ("forces", "hoist.yaml", "--drive", "A=0:60deg @ 50rpm")
    output = printed(*fast)
    ((*_, torque, speed, verdict),) = rows(output, "motors, at their shafts")
    assert torque == f"{motor['torque']:.6g} N m" and speed == "2500 rpm"
    first = asked(FORCES, *fast)["motors"]["drive"]["violation"]
    assert verdict.startswith(f"too much from {first:.6g} s on, ")
    printed(*fast, "--strict", code=1)
    assert "there is no motor 'drvie'; did you mean 'drive'?" in told(*fast, "--motor", "drvie")
    (drive,) = rows(output, "drives")
    assert drive[1].endswith(" N mm"), "the file names N for forces and mm for lengths"


def test_outside_efforts_and_forces() -> None:
    """A force on the piston, and the same one along its joint, ask the same of the crank."""
    motion = ("forces", "crank.yaml", "--drive", "A=10:100deg @ 60rpm", "--samples", "31")
    point = asked(FORCES, *motion, "--external", "P=-80,0,0 N")
    along = asked(FORCES, *motion, "--effort", "D=-80")
    assert point["drives"]["A.angle"]["effort"] == pytest.approx(along["drives"]["A.angle"]["effort"])
    assert point["power_balance"] is None and abs(along["power_balance"]["value"]) < 1e-10
    pushed = asked(FORCES, *motion, "--drives", "D")
    assert list(pushed["drives"]) == ["D.slide"]


def test_a_drive_at_its_dead_centre() -> None:
    """A piston cannot drive its crank at the dead centres; there is no number for these samples, and it is said."""
    words = ("forces", "crank.yaml", "--drive", "A=0:360deg", "--samples", "5", "--drives", "D")
    output = printed(*words, "--energy")
    assert "warning: singular posture at 3 of 5 samples, first at 0 s" in output
    (drive,) = rows(output, "drives")
    assert drive[0] == "D.slide" and drive[3] == "-" and drive[-1] == "-" and "nan" not in output
    found = asked(FORCES, *words)
    assert found["energy"] is None and found["drives"]["D.slide"]["energies"] is None
    effort = found["drives"]["D.slide"]["effort"]
    x = lw.load("crank.yaml").assemble().motion(A=lw.ramp(0, 2 * math.pi, duration=1), samples=5)
    assert effort["value"] == pytest.approx(2.0 * x["D.slide.acceleration"].values[effort["sample"]], rel=1e-9)
    assert effort["sample"] in (1, 3)


def test_a_saved_run(here: Path) -> None:
    run("motion", "four-bar", "--drive", "O2=0:360deg", "--samples", "61", "--out", "moved.nc")
    direct = asked(FORCES, "forces", "four-bar", "--drive", "O2=0:360deg", "--samples", "61", "--out", "forces.nc")
    later = asked(FORCES, "forces", "four-bar", "--run", "moved.nc")
    again = asked(FORCES, "forces", "four-bar", "--run", "forces.nc")
    assert direct["drives"] == again["drives"] and direct["joints"] == again["joints"]
    for part in ("effort", "power"):
        assert later["drives"]["O2.angle"][part] == pytest.approx(direct["drives"]["O2.angle"][part])
    assert later["driven"] == again["driven"] == {"O2.angle": "ramp from 0 to 6.283 in 1 s"}
    other = asked(FORCES, "forces", "four-bar", "--run", "moved.nc", "--drives", "O4")
    assert list(other["drives"]) == ["O4.angle"]
    assert "this run is of another machine, 'four-bar'" in told("forces", "slider-crank", "--run", "moved.nc")
    assert "this run has its forces" in told("forces", "four-bar", "--run", "forces.nc", "--drives", "O4")
    text = told("forces", "four-bar", "--run", "moved.nc", "--drive", "O2=0:1", "--samples", "3")
    assert text.count("a run is given, which has its motion") == 2
    assert "there is no such file" in told("forces", "four-bar", "--run", "nothing.nc")
    assert "--plot Q" in told("forces", "four-bar", "--run", "moved.nc", "--plot", "Q")


def test_plots_and_files(here: Path) -> None:
    motion = ("forces", "four-bar", "--drive", "O2=0:360deg", "--samples", "31")
    words = (*motion, "--plot", "O2.effort", "--plot", "O4.fx", "--x", "O2", "--path", "P")
    assert printed(*words).splitlines()[-2:] == ["wrote four-bar-forces.png", "wrote four-bar-forces-path.png"]
    assert printed(*motion, "--out", "efforts.svg", "--out", "f.csv").splitlines()[-2:] == [
        "wrote f.csv",
        "wrote efforts.svg",
    ]
    assert (here / "efforts.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert lw.load_run(here / "f.csv").analysis == "forces"
    text = told(*motion, "--plot", "Q.z", "--plot", "O4.fz")
    assert "--plot Q.z: there is no signal 'Q.z'" in text
    assert "--plot O4.fz: fz of O4 is statically indeterminate" in text


def test_a_motion_that_stops(here: Path) -> None:
    output = printed("forces", "four-bar", "--drive", "O4=90:150deg", "--out", "part.nc", code=1)
    assert output.splitlines()[0] == "four-bar  stopped" and rows(output, "drives")[0][0] == "O4.angle"
    part = lw.load_run(here / "part.nc")
    assert part.status == "stopped" and part.analysis == "forces" and 0 < len(part) < 361


def test_what_forces_cannot_do() -> None:
    assert "nothing is driven by --drive; flight.x moves: from 0 m to " in run("forces", "free-box").stderr
    assert "--drive X: there is no joint 'X'" in told("forces", "four-bar", "--drive", "X=0:1")
    text = told("forces", "double-pendulum", "--drive", "A=0:1", "--drives", "A,Q", "--samples", "0")
    assert "--drives Q: there is no joint 'Q'" in text and "--samples: 0 samples" in text
    assert run("forces", "four-bar", "--drive", "O2=0:1", "--recuperation", "2").exit_code == 2


def test_ctrl_c_keeps_what_is_done(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Impatient(Work):
        def progress(self, done: int, total: int) -> None:
            if done and total > 1 and not self.done:
                self.done = done
                signal.raise_signal(signal.SIGINT)
            super().progress(self.done, total)

    monkeypatch.setattr("linkwork.cli.progress.Work", Impatient)
    words = ("forces", "crank.yaml", "--drive", "A=0:3600deg", "--samples", "5000", "--out", "part.nc")
    result = run(*words)
    assert result.exit_code == 130 and result.stdout.splitlines()[0] == "crank  stopped"
    part = lw.load_run(here / "part.nc")
    assert part.status == "stopped" and part.analysis == "forces" and np.isfinite(part["A.effort"].values).all()


# -------------------------------------------------------------------- texts of efforts


def test_texts_of_efforts() -> None:
    plain = UnitSystem(length="mm", angle="deg")
    assert effort_units(plain).symbol(lw.units.TORQUE) == "N m" and effort_units(SI).symbol(lw.units.FORCE) == "N"
    own = UnitSystem(length="mm", force="kN")
    assert effort_units(own) == own
    texts = EffortTexts.among(plain, [200.0, -3.0, math.nan], [1e-12], 0.5)
    assert texts.text(1.9e-7, "N") == "0 N" and texts.text(-2.1e-7, "N") == "-2.1e-07 N"
    assert texts.text(0.9e-7, "N m") == "0 N m" and texts.text(1.1e-7, "N m") == "1.1e-07 N m"
    assert texts.text(math.nan, "N") == "not determined"
    assert EffortTexts.among(own, [200.0], [], 1.0).text(1500.0, "N") == "1.5 kN"
