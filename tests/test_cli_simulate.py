"""`linkwork simulate`, as a person and as a script would use it."""

import json
import math
import re
import signal
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from scipy.special import ellipk
from typer.testing import CliRunner, Result

import linkwork as lw
from linkwork.cli import app
from linkwork.cli.progress import Work
from linkwork.expressions.comparisons import compared
from linkwork.model.measures import parameter_measures

G = 9.81
PERIOD = 2.367841947576237
"""Of the pendulum of the gallery, let go from the horizontal [s]."""
TIGHT = ("--rtol", "1e-12", "--atol", "1e-13")
BLOCK = """
linkwork: 1
name: block
units: {length: mm, angle: deg, mass: g}
bodies: {block: {mass: 1000}}
joints: {S: {prismatic: [ground, block], at: [0, 0, 0], axis: x}}
points: {tip: {on: block, at: [0, 0, 0]}}
"""
"""A kilogram that slides freely: every answer is a formula."""
LIGHT = "linkwork: 1\nname: light\nbodies: {arm: {}}\njoints: {A: {revolute: [ground, arm], axis: z}}\n"
SPRUNG = BLOCK.replace("name: block", "name: sprung") + "springs: {coil: {joint: S, stiffness: 4 N/m, free: 0}}\n"

NUMBER = {"type": ["number", "null"]}
TEXTS = {"type": "array", "items": {"type": "string"}}
TABLE = {"type": "object", "additionalProperties": {"type": "string"}}
ANSWER: dict[str, Any] = {
    "file": {"type": "string"},
    "name": {"type": "string"},
    "units": {"type": "object", "required": ["length", "angle", "time", "force", "energy"]},
    "driven": TABLE,
    "efforts": TABLE,
    "events": TEXTS,
    "joints": {"type": "object", "additionalProperties": {"type": "object", "minProperties": 1}},
    "evidence": {"type": "object", "required": ["status", "message", "warnings", "simulation"]},
    "warnings": TEXTS,
    "written": TEXTS,
}


def run(*words: str) -> Result:
    """The command; whatever happens, there is no traceback."""
    result = CliRunner().invoke(app, ["simulate", *words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def printed(*words: str, code: int = 0) -> list[str]:
    """Lines of the answer."""
    result = run(*words)
    assert result.exit_code == code, result.output
    return result.stdout.splitlines()


def told(*words: str, code: int = 2) -> str:
    """What is told beside the results, with this exit code."""
    result = run(*words)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    return result.stderr


def simulated(*words: str, code: int = 0) -> tuple[dict[str, Any], lw.Run]:
    """The answer in JSON, as it is promised, and the run that was written."""
    result = run(*words, "--out", "answer.nc", "--json")
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout, parse_constant=lambda text: pytest.fail(text))
    jsonschema.validate(found, {"type": "object", "properties": ANSWER, "required": list(ANSWER)})
    assert list(found) == list(ANSWER) and found["written"][0] == "answer.nc"
    return found, lw.load_run("answer.nc")


def happened(found: dict[str, Any]) -> list[tuple[float, str, str]]:
    """Time, name and what, of every event."""
    return [(e["time"], e["name"], e["what"]) for e in found["evidence"]["simulation"]["events"]]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"block": BLOCK, "sprung": SPRUNG, "light": LIGHT}.items():
        Path(f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


# -------------------------------------------------------------------- motion


def test_a_pendulum_swings_with_its_period() -> None:
    quarters = ",".join(repr(k * PERIOD / 4) for k in range(5))
    found, swing = simulated("pendulum", "--until", f"{PERIOD!r}s", "--times", f"{quarters}s", *TIGHT)
    fast = math.sqrt(2.0 * G)
    assert swing["A.angle"].values == pytest.approx(np.array([-1, 0, 1, 0, -1]) * math.pi / 2, abs=1e-9)
    assert swing["A.angle.rate"].values == pytest.approx([0.0, fast, 0.0, -fast, 0.0], abs=1e-9)
    simulation = found["evidence"]["simulation"]
    assert simulation["energy_error"] < 1e-10 * simulation["energy_scale"]
    assert simulation["energy_scale"] == pytest.approx(G, rel=1e-2)  # no step need end at the very bottom
    assert found["evidence"]["status"] == "complete" and simulation["methods"] == ["explicit"]
    reach = found["joints"]["A.angle"]["value"]
    assert (reach["least"], reach["greatest"]) == pytest.approx((-math.pi / 2, math.pi / 2), abs=1e-9)


def test_a_pendulum_in_words() -> None:
    lines = printed("pendulum", "--until", "10s", "--start", "A=30deg")
    assert lines[:2] == ["pendulum  complete", "  samples: 361, time 0 s to 10 s"]
    assert re.fullmatch(r"  steps: \d+, \d+ taken back, \d+ evaluations \(explicit\)", lines[2])
    energy = re.fullmatch(r"  energy: balances to (\S+) J, (\S+) of the (\S+) J that moved", lines[3])
    assert energy is not None
    error, share, moved = map(float, energy.groups())
    assert moved == pytest.approx(G * (1.0 - math.cos(math.pi / 6)), rel=1e-2)
    assert 0.0 < error < 1e-5 and share == pytest.approx(error / moved, rel=0.1)
    assert lines[4:6] == [
        "joints, least .. greatest of the samples",
        "  variable  value               rate                      acceleration",
    ]
    assert re.fullmatch(r"  A\.angle   -29\.99\d+ \.\. 30 deg  -92\.8\d+ \.\. 92\.8\d+ deg/s  .*deg/s\^2", lines[6])
    assert len(lines) == 7


def test_where_it_starts_and_how_fast() -> None:
    _, swing = simulated("pendulum", "--until", "1s", "--start", "A=20", "--rate", "A=30rpm", "--samples", "3")
    assert swing["A.angle"].values[0] == pytest.approx(math.radians(20.0), rel=1e-15)
    assert swing["A.angle.rate"].values[0] == pytest.approx(math.pi, rel=1e-15)
    assert swing.time == pytest.approx([0.0, 0.5, 1.0])
    words = ("free-box", "--until", "0.5s", "--rate", "flight.vz=3m/s", "--rates", "flight.wx=60rpm", "--start")
    _, flight = simulated(*words, "flight.z=1", *TIGHT)
    assert flight["flight.z"].values[-1] == pytest.approx(1.0 + 3.0 * 0.5 - 0.5 * 9.8 * 0.25, rel=1e-9)
    assert flight["flight.wx"].values == pytest.approx(2.0 * math.pi, rel=1e-9)  # about a principal axis it stays


def test_another_closure() -> None:
    closures = lw.example("four-bar").assemble().closures(O2=math.radians(40.0))
    _, moved = simulated("four-bar", "--until", "10ms", "--start", "O2=40deg", "--closure", "2", "--samples", "2")
    for name in ("O2.angle", "A.angle", "B.angle", "O4.angle"):
        assert moved[name].values[0] == pytest.approx(closures["2"][name], abs=1e-12)
    assert "there is no closure '9'" in told("four-bar", "--until", "1s", "--start", "O2=40deg", "--closure", "9")


def test_loops_stay_closed() -> None:
    lines = printed("slider-crank", "--until", "0.2s", "--start", "A=30deg", "--rate", "A=600rpm")
    closing = re.fullmatch(r"  largest residual: (\S+) at \S+ s", lines[2])
    assert closing is not None and float(closing[1]) < 1e-13
    correction = re.fullmatch(r"  largest correction: (\S+)", lines[4])
    assert correction is not None and 0.0 < float(correction[1]) < 1e-6


@pytest.mark.parametrize("method", ["auto", "explicit", "radau", "exponential", "variational-4"])
def test_methods_agree(method: str) -> None:
    """A spring of 4 N/m under a kilogram: x = x0 cos 2t."""
    step = () if method in ("auto", "explicit", "radau") else ("--step", "1ms")
    words = ("sprung.yaml", "--until", "3s", "--start", "S=100mm", "--method", method, *step)
    found, swing = simulated(*words, "--rtol", "1e-10", "--atol", "1e-12")
    assert swing["S.slide"].values == pytest.approx(0.1 * np.cos(2.0 * swing.time), abs=1e-8)
    assert found["evidence"]["simulation"]["methods"] == ["explicit" if method == "auto" else method]


# -------------------------------------------------------------------- what acts


@pytest.mark.parametrize(
    ("effort", "position"),
    [
        ("S=3", lambda t: 1.5 * t**2),
        ("S = 0.003 kN", lambda t: 1.5 * t**2),
        ("S=expr(6*t)", lambda t: t**3),
        ("S=6*t", lambda t: t**3),
        ("S=0:6N in 1s", lambda t: np.where(t < 1.0, t**3, 1.0 + 3.0 * (t - 1.0) + 3.0 * (t - 1.0) ** 2)),
        ("S=expr(0.003 + 0*S) kN", lambda t: 1.5 * t**2),
        ("S=harmonic(0, 2N, 1rad/s)", lambda t: 2.0 * (t - np.sin(t))),
        ("S=2 - rate(S)", lambda t: 2.0 * (t - 1.0 + np.exp(-t))),
        ("S.slide=4*(0.5 - S)", lambda t: 0.5 - 0.5 * np.cos(2.0 * t)),
    ],
)  # fmt: skip
def test_efforts(effort: str, position: Any) -> None:
    """Values, laws and arithmetic move a kilogram as they should."""
    found, moved = simulated("block.yaml", "--until", "2s", "--effort", effort, *TIGHT)
    assert moved["S.slide"].values == pytest.approx(position(moved.time), abs=1e-9)
    assert list(found["efforts"].values()) == [effort.partition("=")[2].strip()]


def test_some_joints_follow_laws() -> None:
    """The upper rod is held hanging: the lower one swings about a pin that stands, and the drive takes its pull."""
    words = ("double-pendulum", "--until", "3s", "--drive", "A=0deg", "--start", "B=30deg", *TIGHT)
    found, swing = simulated(*words, "--when", "B = 0: name bottom")
    quarter = float(ellipk(math.sin(math.radians(15.0)) ** 2)) / math.sqrt(G)
    assert [e[0] for e in happened(found)] == pytest.approx([quarter, 3.0 * quarter, 5.0 * quarter], abs=1e-9)
    assert found["driven"] == {"A.angle": "0deg"} and {e[1] for e in happened(found)} == {"bottom"}
    angle, rate = swing["B.angle"].values, swing["B.angle.rate"].values
    pull = G * np.cos(angle) + rate**2
    assert np.abs(swing["A.effort"].values) == pytest.approx(np.abs(pull * np.sin(angle)), abs=1e-8)
    lines = printed(*words, "--effort", "B=0.1*rate(A)")
    assert lines[1:3] == ["  driven: A.angle = 0deg", "  effort: B = 0.1*rate(A)"]


def test_a_range_lasts_until_the_end() -> None:
    found, moved = simulated("double-pendulum", "--until", "2s", "--drive", "A=90deg:0")
    assert found["driven"] == {"A.angle": "90deg:0 in 2s"}
    assert moved["A.angle"].values == pytest.approx(math.pi / 2 * (1.0 - moved.time / 2.0), abs=1e-12)
    found, moved = simulated("double-pendulum", "--until", "2s", "--drive", "A=90deg:0", "--speed", "A=90deg/s")
    assert moved["A.angle"].values == pytest.approx(math.pi / 2 * np.maximum(1.0 - moved.time, 0.0), abs=1e-12)


# -------------------------------------------------------------------- what happens


@pytest.mark.parametrize("limit", ["A <= 0", "0deg >= A", "-180deg <= A <= 0", "0 > 1*A"])
def test_a_rigid_stop(limit: str) -> None:
    """It falls a quarter of its period, strikes with v = sqrt(2 g l), and rises to where 1 - cos A = e²."""
    words = ("pendulum", "--until", "1.15s", "--stop", f"{limit}; restitution 0.5", *TIGHT)
    found, swing = simulated(*words)
    ((time, name, what),) = happened(found)
    assert time == pytest.approx(PERIOD / 4, abs=1e-10) and name.endswith("A")
    assert what.startswith(f"struck at {math.sqrt(2.0 * G):.6g}")
    simulation = found["evidence"]["simulation"]
    assert simulation["impact_loss"] == pytest.approx(0.75 * G, rel=1e-9)
    assert simulation["energy_error"] < 1e-9 * simulation["energy_scale"]
    angle, rate = (swing[name].values[swing.time > time] for name in ("A.angle", "A.angle.rate"))
    assert 0.5 * rate**2 + G * (1.0 - np.cos(angle)) == pytest.approx(0.25 * G, rel=1e-9)
    assert swing["A.angle"].values.max() <= 1e-12 and angle.min() == pytest.approx(-math.acos(0.75), abs=1e-4)


def test_an_elastic_stop(here: Path) -> None:
    """A kilogram at 1 m/s into 100 N/mm: half a period of sqrt(k/m) long, v sqrt(m/k) deep."""
    stop = ("--stop", "tip.x <= 100mm; stiffness 100 N/mm; name wall", "--plot", "wall.push")
    found, moved = simulated("block.yaml", "--until", "0.2s", "--rate", "S=1m/s", *stop, "--samples", "2001", *TIGHT)
    contact, depth = math.pi / math.sqrt(1e5), 1.0 / math.sqrt(1e5)
    (touch, *_), (leave, *_) = happened(found)
    assert (touch, leave) == pytest.approx((0.1, 0.1 + contact), abs=1e-10)
    assert [e[1:] for e in happened(found)] == [("wall", "touches the stop"), ("wall", "leaves the stop")]
    assert moved["S.slide"].values.max() == pytest.approx(0.1 + depth, rel=1e-5)
    assert moved["S.slide.rate"].values[-1] == pytest.approx(-1.0, rel=1e-9)
    deep = np.maximum(moved["S.slide"].values - 0.1, 0.0)
    assert np.abs(moved["wall.push"].values) == pytest.approx(1e5 * deep, abs=1e-6)
    assert (here / "block-simulation.png").stat().st_size > 1000 and found["written"] == [
        "answer.nc",
        "block-simulation.png",
    ]
    damped, _ = simulated("block.yaml", "--until", "0.2s", "--rate", "S=1000", "--stop",
                          "S <= 100; stiffness 100 N/mm; damping 100 N s/m")  # fmt: skip
    assert damped["evidence"]["simulation"]["work"] < -0.1


def test_a_stop_in_words() -> None:
    lines = printed("slider-crank", "--until", "1s", "--start", "A=30deg", "--stop", "D >= -80mm; restitution 0.5")
    (count,) = [k for k, line in enumerate(lines) if re.fullmatch(r"  events: \d+", line)]
    assert re.fullmatch(r"  impacts: took \S+ J", lines[count - 1])
    assert all(re.match(r"    \S+ s  D: struck at ", line) for line in lines[count + 1 : count + 7])
    assert re.fullmatch(r"    \.\.\. \d+ more \(see --json\)", lines[count + 7])
    assert "D: comes to rest after" in lines[count + 8] and lines[count + 9].startswith("joints, ")


@pytest.mark.parametrize(
    ("condition", "way"),
    [("S > 250mm", 1.0), ("250 < S", 1.0), ("S = 0.25m", 1.0), ("S - 0.25", 1.0), ("tip.x >= 25cm", 1.0),
     ("S + tip.x > 0.5", 1.0), ("2*S > 500mm", 1.0), ("t > 250ms", 1.0), ("S < -250mm", -1.0), ("-0.25m > S", -1.0)],
)  # fmt: skip
def test_a_condition_becomes_true(condition: str, way: float) -> None:
    """A kilogram at 1 m/s is held after a quarter of a second, and stays where it was when it is let go."""
    words = ("block.yaml", "--until", "1s", "--rate", f"S={way:g}m/s", "--when", f"{condition}: lock S; once")
    found, moved = simulated(*words, "--at", "0.5s: release S", "--samples", "5")
    (time, _, what), (later, name, freed) = happened(found)
    assert time == pytest.approx(0.25, abs=1e-12) and what == "lock S"
    assert (later, name, freed) == (0.5, "at 0.5 s", "release S")
    assert moved["S.slide"].values == pytest.approx(way * np.array([0.0, 0.25, 0.25, 0.25, 0.25]), abs=1e-12)
    assert found["evidence"]["simulation"]["impact_loss"] == pytest.approx(0.5, rel=1e-12)
    lines = printed(*words)
    assert f"    0.25 s  {condition}: lock S" in lines, "conditions are told as they were written"
    assert "    0.5 s  release S" in printed(*words, "--at", "0.5s: release S")


def test_conditions_count_one_way() -> None:
    words = ("sprung.yaml", "--until", "6.5s", "--start", "S=100mm", *TIGHT)
    quarter = math.pi / 4.0
    expected = {"S < 0": [1, 5], "S > 0": [3, 7], "S = 0": [1, 3, 5, 7], "rate(S) > 0mm/s": [2, 6]}
    for condition, quarters in expected.items():
        found, _ = simulated(*words, "--when", f"{condition}: name seen")
        assert [e[0] for e in happened(found)] == pytest.approx([k * quarter for k in quarters], abs=1e-9), condition
    first, _ = simulated(*words, "--when", "S = 0: name seen; once")
    assert len(happened(first)) == 1
    lines = printed(*words, "--when", "S < 0: name seen")
    assert "    0.785398 s  seen" in lines


def test_an_end_by_a_condition(here: Path) -> None:
    lines = printed("pendulum", "--until", "10s", "--when", "A > 0: stop", "--out", "part.nc", code=1)
    assert lines[0] == "pendulum  stopped" and re.match(r"  samples: \d+ of 361, time 0 s to ", lines[1])
    assert f"    {PERIOD / 4:.6g} s  A > 0: end" in lines
    assert f"  stopped: A > 0 at {PERIOD / 4:.6g} s" in lines and lines[-1] == "wrote part.nc"
    part = lw.load_run(here / "part.nc")
    assert part.status == "stopped" and 0 < len(part) < 361 and part.time[-1] <= PERIOD / 4
    found, _ = simulated("pendulum", "--until", "1s", "--at", "0.5s: stop; name enough", "--samples", "5", code=1)
    assert found["evidence"]["message"].startswith("enough at 0.5 s") and happened(found) == [(0.5, "enough", "end")]


def test_masses_and_loads_change() -> None:
    """What was at rest takes its share of the momentum; what moves along already does not."""
    words = ("block.yaml", "--until", "2s", "--rate", "S=2m/s", "--samples", "3")
    _, caught = simulated(*words, "--at", "1s: set block.mass = 4kg; from rest")
    assert caught["S.slide"].values == pytest.approx([0.0, 2.0, 2.5], rel=1e-12)
    _, along = simulated(*words, "--at", "1s: set block.mass = 4000")
    assert along["S.slide"].values == pytest.approx([0.0, 2.0, 4.0], rel=1e-12)
    quarter = math.pi / 4.0
    words = ("sprung.yaml", "--until", "1s", "--start", "S=100mm", "--samples", "2", *TIGHT)
    _, freed = simulated(*words, "--when", "S < 0: off coil; once")
    assert freed["S.slide"].values[-1] == pytest.approx(-0.2 * (1.0 - quarter), abs=1e-10)
    _, soft = simulated(*words, "--at", f"{quarter!r}s: set coil.stiffness = 0.001 N/mm, coil.free = -200mm")
    assert soft["S.slide"].values[-1] == pytest.approx(-0.2 + 0.2 * math.sqrt(2.0) * math.cos(1.0), abs=1e-10)
    lines = printed(*words, "--at", "0.5s: on coil")
    assert any("warning: events: 'coil' acts from the start, and nothing switches it off" in line for line in lines)
    found, _ = simulated(*words, "--at", "0.5s: on coil")
    assert len(found["warnings"]) == 1


def test_what_events_are_in_words() -> None:
    events = simulated("sprung.yaml", "--until", "1s", "--stop", "-1m <= S <= 1m", "--when", "rate(S) > 2m/s: end",
                       "--at", "0.5s: off coil; lock S.slide")[0]["events"]  # fmt: skip
    assert events == [
        "stop -1 <= S <= 1, restitution 0",
        "when rate(S) - 2.0 rises above zero: end",
        "at 0.5 s: lock S.slide; off coil",
    ]


# -------------------------------------------------------------------- files and pictures


def test_plots_and_files(here: Path) -> None:
    words = ("double-pendulum", "--until", "1s", "--samples", "31", "--out", "run.csv", "--out", "run.nc")
    lines = printed(*words, "--plot", "A", "--plot", "P2.speed", "--x", "B", "--path", "P2")
    assert lines[-4:] == [
        "wrote run.csv",
        "wrote run.nc",
        "wrote double-pendulum-simulation.png",
        "wrote double-pendulum-simulation-path.png",
    ]
    table, saved = lw.load_run(here / "run.csv"), lw.load_run(here / "run.nc")
    assert table.analysis == saved.analysis == "simulation"
    assert table["B.angle"].values == pytest.approx(saved["B.angle"].values, rel=1e-14)
    assert saved.evidence.simulation is not None and saved.evidence.simulation.steps > 0
    text = told(*words, "--plot", "Q", "--path", "A", "--x", "P1")
    assert "3 problems" in text and all(f". --{option}: " in text for option in ("plot Q", "x P1", "path A"))
    text = told("pendulum", "--until", "1s", "--out", "run.xyz", "--out", "nowhere/run.nc")
    assert "--out run.xyz: '.xyz' is not an ending" in text and "there is no folder 'nowhere'" in text


def test_forces_of_a_simulation() -> None:
    """Nothing drives a crank that runs by itself, and its joints carry what its motion takes."""
    simulated("slider-crank", "--until", "50ms", "--start", "A=30deg", "--rate", "A=600rpm", "--samples", "31", *TIGHT)
    result = CliRunner().invoke(app, ["forces", "slider-crank", "--run", "answer.nc", "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    largest = max(joint["force"]["value"] for joint in found["joints"].values())
    assert largest > 1.0
    for drive in found["drives"].values():
        assert abs(drive["effort"]["value"]) < 1e-9 * largest
    assert abs(found["power_balance"]["value"]) < 1e-9 * found["power_balance"]["largest_power"]


def test_a_simulation_is_shown(here: Path) -> None:
    """Movies, pages and the workbench take the run; one of another machine is refused by all."""
    simulated("double-pendulum", "--until", "0.5s", "--samples", "13", "--stop", "P2.y >= -0.2; restitution 1")

    def shown(*words: str) -> Result:
        return CliRunner().invoke(app, list(words))

    saved = ("--run", "answer.nc")
    movie = shown("animate", "double-pendulum", *saved, "--out", "swing.gif", "--fps", "10", "--line")
    assert movie.exit_code == 0 and (here / "swing.gif").read_bytes().startswith(b"GIF"), movie.output
    page = shown("report", "double-pendulum", *saved, "--forces", "--out", "swing.html")
    assert page.exit_code == 0, page.output
    text = (here / "swing.html").read_text(encoding="utf-8")
    assert "--run answer.nc --forces" in text and "evaluations (explicit)" in text and "P2.y: struck at " in text
    for command in (["animate"], ["report"], ["forces"]):
        wrong = shown(*command, "slider-crank", *saved)
        assert wrong.exit_code == 2 and "this run is of another machine, 'double-pendulum'" in wrong.stderr
        both = shown(*command, "double-pendulum", *saved, "--drive", "A=0:1", "--samples", "3")
        assert both.exit_code == 2 and both.stderr.count("a run is given, which has its motion") == 2


def test_ctrl_c_keeps_what_is_done(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Impatient(Work):
        def progress(self, done: int, total: int) -> None:
            if done and not self._stop:
                signal.raise_signal(signal.SIGINT)
            super().progress(done, total)

    monkeypatch.setattr("linkwork.cli.progress.Work", Impatient)
    result = run("pendulum", "--until", "1000s", "--samples", "1001", "--out", "part.nc")
    assert result.exit_code == 130 and result.stdout.splitlines()[0] == "pendulum  stopped"
    assert "  stopped: interrupted at " in result.stdout
    part = lw.load_run(here / "part.nc")
    assert part.status == "stopped" and 1 < len(part) < 1001 and np.isfinite(part["A.angle"].values).all()


# -------------------------------------------------------------------- wrong use


def test_until_is_wanted() -> None:
    assert "--until: it is not said when the simulation ends; for example --until 10s" in told("pendulum")
    assert "--until: a time of '-1s'; give one above zero, such as 10s" in told("pendulum", "--until", "-1s")
    assert "--until: '2kg' is a mass; a time is wanted" in told("pendulum", "--until", "2kg")
    assert "--until: a time of '0'" in told("pendulum", "--until", "0")


def test_everything_wrong_is_told_at_once() -> None:
    words = ["--until", "0s", "--method", "radua", "--step", "0s", "--rtol", "5", "--atol", "0", "--samples", "1"]
    words += ["--start", "Q=3", "--rate", "A=3mm/s", "--effort", "A=5 mm", "--drive", "B=3", "--out", "run.xyz"]
    words += ["--stop", "A", "--when", "A > 30deg", "--at", "x: stop"]
    text = told("pendulum", *words)
    assert "14 problems" in text
    expected = [
        "--out run.xyz: ", "--until: a time of '0s'", "--method: there is no method 'radua'; did you mean 'radau'?",
        "--step: a time of '0s'", "--rtol: a tolerance of 5", "--atol: a tolerance of 0", "--samples: 1 samples",
        "--start Q: there is no joint 'Q'; there is: A", "--rate A: '3mm/s' is a speed; an angular speed is wanted",
        "--effort A: in '5 mm': '5 mm' is a length; a torque or energy is wanted", "--drive B: there is no joint 'B'",
        "--stop 'A': this is no limit; write '0 <= A <= 60deg'", "--when 'A > 30deg': it does not say what to do",
        "--at 'x: stop': 'x' does not begin with a number",
    ]  # fmt: skip
    for part in expected:
        assert part in text, part


def test_times_out_of_order() -> None:
    text = told("pendulum", "--until", "2s", "--times", "1,0.5,3s", "--samples", "4")
    assert "--times: the times are out of order: 0.5 s comes after 1 s; sort them" in text
    assert "--times: times from 0.5 to 3 s do not lie within 0 and 2 s" in text
    assert "--times: samples and times are both given" in text and "3 problems" in text
    assert "'x' does not begin with a number" in told("pendulum", "--until", "2s", "--times", "0,x,1s")


@pytest.mark.parametrize(
    ("stop", "problems"),
    [
        ("A <= 3mm", ["'3mm' is a length; an angle is wanted"]),
        ("0 >= A <= 3", ["the comparisons go both ways"]),
        ("A = 3", ["this is no limit"]),
        ("0 <= <= 3", ["this is no limit"]),
        ("A <= P.y", ["neither 'A' nor 'P.y' is a number; write the difference"]),
        ("rate(A) <= 2", ["a stop limits positions, not rate(A)"]),
        ("t <= 2", ["time cannot be stopped"]),
        ("Q <= 2", ["there is nothing called 'Q'"]),
        ("ground.x <= 2", ["they belong to ground and never change"]),
        ("A <= 3deg; damping 3 N m s/rad", ["damping without stiffness"]),
        ("A <= 3deg; stiffness 3 N/m", ["'3 N/m' is a stiffness; a torsional stiffness is wanted"]),
        ("A <= 3deg; restitution 1; restitution 0", ["restitution is given twice"]),
        ("A <= 3deg; bounce 1", ["'bounce 1' says nothing of a stop; there is: restitution"]),
        ("A <= 3deg;", ["a clause is empty"]),
        ("__import__('os') <= 3", ["'__import__' is not known"]),
        ("60deg <= A <= 0; restitution 2", ["low must be below high", "the restitution is 2; write a number from 0"]),
    ],
)
def test_nonsense_of_stops(stop: str, problems: list[str]) -> None:
    text = told("pendulum", "--until", "1s", "--stop", stop)
    assert f"--stop '{stop}': " in text
    for problem in problems:
        assert problem in text


@pytest.mark.parametrize(
    ("option", "text", "problems"),
    [
        ("--when", "A > 30deg", ["it does not say what to do; write 'tip.z < 100mm: stop'"]),
        ("--when", ": stop", ["there is no condition"]),
        ("--when", "A < B < 3: stop", ["'A < B < 3' is no condition"]),
        ("--when", "A > 3kg: stop", ["'3kg' is a mass; an angle is wanted"]),
        ("--when", "tup.y: stop", ["there is nothing called 'tup.y'"]),
        ("--when", "P.y < 3: freeze", ["'freeze' is no action; there is: stop, end, lock"]),
        ("--when", "A: stop now", ["'now' after 'stop' is out of place; part actions with ';'"]),
        ("--when", "A: once", ["nothing is to be done"]),
        ("--when", "A: lock A; release A", ["'A' under lock and under release"]),
        ("--when", "A: name two words", ["'two words' is not a name"]),
        ("--at", "1s", ["it does not say what to do; write '2.5s: off coil'"]),
        ("--at", ": stop", ["there is no time"]),
        ("--at", "3s: stop", ["3 s never comes: the simulation ends at 2 s"]),
        ("--at", "-1s: stop", ["the time is -1 s; a simulation begins at 0 s"]),
        ("--at", "1mm: stop", ["'1mm' is a length; a time is wanted"]),
        ("--at", "1s: once; stop", ["'once' is no action"]),
        ("--at", "1s: lock", ["'lock' names nothing; write 'lock B', for example"]),
        ("--at", "1s: lock A stop", ["'A stop' is not a name; part names with ',' and actions with ';'"]),
        ("--at", "1s: ; lock Q", ["an action is empty", "there is no joint 'Q'"]),
        ("--at", "1s: off coil", ["there is no load 'coil'; the mechanism has no loads"]),
        ("--at", "1s: from rest; stop", ["nothing is set that could come from rest"]),
        ("--at", "1s: set bob.mass 3", ["'bob.mass 3' sets nothing; write 'set tool.mass = 2kg'"]),
        ("--at", "1s: set bob.mas = 3, bob.com.x = 3kg, A.tail.at.x = 1", ["did you mean 'bob.mass'?",
         "'3kg' is a mass; a length is wanted", "'A.tail.at.x' tells where parts are, and they would jump"]),
    ],
)  # fmt: skip
def test_nonsense_of_conditions_and_times(option: str, text: str, problems: list[str]) -> None:
    answer = told("pendulum", "--until", "2s", option, text)
    assert f"{option} '{text}': " in answer
    for problem in problems:
        assert problem in answer


def test_nonsense_of_efforts_and_rates() -> None:
    words = ("pendulum", "--until", "2s")
    assert "'rat' is not known; did you mean 'rate'?" in told(*words, "--effort", "A=-3*rat(A)")
    assert "--effort A: there is nothing called 'B'; there is: t, A" in told(*words, "--effort", "A=-3*B")
    assert "or arithmetic such as '-3*A - 0.2*rate(A)'" in told(*words, "--effort", "A=much")
    assert "--effort P: there is no joint 'P'" in told(*words, "--effort", "P=3")
    assert "a torque or energy is wanted" in told(*words, "--effort", "A=expr(A) mm")
    assert "'A.angle' is given twice" in told(*words, "--effort", "A=1", "--effort", "A.angle=2")
    assert "'A.angle' is given twice" in told(*words, "--rate", "A=1", "--rate", "A=2")
    assert "'A' is not of the form name=value" in told(*words, "--rate", "A")
    assert "2 events are called 'x'" in told(*words, "--at", "1s: stop; name x", "--at", "2s: stop; name x")


def test_starts_that_cannot_be() -> None:
    text = told("slider-crank", "--until", "1s", "--rate", "A=30rpm", "--rate", "D=1m/s")
    assert "--rate: the rates of D.slide contradict the loops" in text
    text = told("slider-crank", "--until", "1s", "--stop", "D <= -10mm")
    assert "--start: the start is beyond the stop 'D' by 0.01" in text
    text = told("double-pendulum", "--until", "1s", "--drive", "A=0:1rad", "--start", "A=20deg")
    assert "--start A.angle: starts at 0.349066, but its law begins at 0" in text
    text = told("slider-crank", "--until", "1s", "--start", "D=30mm", code=1)
    assert "D.slide cannot move the machine at this posture, a dead centre" in text


def test_what_may_have_been_forgotten() -> None:
    lines = printed("block.yaml", "--until", "1s")
    assert "  energy: none moved" in lines
    warning = "nothing acts, and it starts at rest; give --rate, --effort or --drive; or gravity or loads in the file"
    assert f"  warning: {warning}" in lines
    assert simulated("block.yaml", "--until", "1s")[0]["warnings"] == [warning]
    assert simulated("block.yaml", "--until", "1s", "--rate", "S=1")[0]["warnings"] == []
    assert "no mass resists A.angle" in told("light.yaml", "--until", "1s")


# -------------------------------------------------------------------- texts


def test_comparisons_outside_of_brackets() -> None:
    assert compared("where(A < 1, 2, 3) <= 'a<b' ") == (["where(A < 1, 2, 3)", "'a<b'"], ["<="])
    assert compared("0 ≤ A < 3") == (["0", "A", "3"], ["≤", "<"])
    assert compared("max(A, (B > 1)) == 2") == (["max(A, (B > 1))", "2"], ["=="])
    assert compared("A") == (["A"], [])


def test_what_parameters_measure() -> None:
    m = lw.Mechanism("all", gravity=(0, 0, -9.81))
    m.body("arm", mass=1.0, com=(0, 0, -1))
    m.body("slide", mass=1.0)
    m.revolute("A", "ground", "arm", axis="y")
    m.prismatic("S", "arm", "slide", axis="z")
    m.point("tip", "arm", (0, 0, -1))
    m.spring("coil", joint="A", stiffness=1.0, damping=1.0)
    m.friction("rub", "S", level=1.0, viscous=1.0)
    m.force("pull", "tip", along=(0, 0, 1), amount=1.0)
    m.torque("turn", "arm", about=(0, 1, 0), amount=1.0)
    m.load("push", "S", amount=1.0)
    m.motor("screw", "S", ratio=1.0, rotor_inertia=1.0, damping=1.0, friction=1.0)
    expected = {
        "gravity.z": "m/s^2", "arm.mass": "kg", "arm.com.x": "m", "arm.inertia.xy": "kg m^2", "coil.free": "rad",
        "coil.stiffness": "N m/rad", "coil.damping": "N m s/rad", "coil.preload": "N m", "rub.forward": "N",
        "rub.viscous": "N s/m", "rub.speed": "m/s", "pull.amount": "N", "turn.amount": "N m", "push.amount": "N",
        "screw.ratio": "rad/m", "screw.rotor_inertia": "kg m^2", "screw.friction_forward": "N m",
    }  # fmt: skip
    known = m.assemble().parameters
    for name, unit in expected.items():
        assert name in known and parameter_measures(m, name) == lw.units.parse_unit(unit)[1], name
    assert parameter_measures(m, "A.tail.at.x") is None and parameter_measures(m, "arm.masses") is None
