"""The section of forces of a report, and forces on the workbench: numbers of the page are those of the run."""

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.units import deg, rpm
from linkwork.views.report import subject_of
from linkwork.views.report.page import document
from linkwork.views.report.section import Content
from linkwork.views.report.sections.forces import forces
from linkwork.views.workbench.bench import Bench
from linkwork.views.workbench.charts import charts, choices
from linkwork.views.workbench.opening import Opened
from linkwork.views.workbench.panels.questions import INQUIRIES

PRESS = """
linkwork: 1
name: press
units: {length: mm, angle: deg}
gravity: [0, -9.81 m/s^2, 0]
bodies:
  crank: {mass: 800 g, com: [25, 0, 0]}
  rod: {mass: 550 g, com: [125, 0, 0]}
  ram: {mass: 700 g, com: [250, 0, 0]}
joints:
  A: {revolute: [ground, crank], axis: z}
  B: {revolute: [crank, rod], at: [50, 0, 0], axis: z}
  C: {revolute: [rod, ram], at: [250, 0, 0], axis: z}
  D: {prismatic: [ground, ram], at: [250, 0, 0], axis: x}
points:
  P: {on: ram, at: [270, 0, 0]}
  Q: {on: ground, at: [400, 0, 0]}
springs:
  coil: {between: [P, Q], stiffness: 12 N/mm, free: 150}
motors:
  drive: {joint: A, ratio: 20, rotor_inertia: 2e-4 kg m^2, stall: 2 N m, no_load: 9000 rpm, peak: 1 N m}
forces:
  work: {point: P, along: -x, amount: 200 N}
"""


@pytest.fixture(scope="module")
def run() -> lw.Run:
    s = lw.loads(PRESS).assemble()
    return s.forces(s.motion(A=lw.ramp(0, 360 * deg, speed=300 * rpm), samples=41))


@pytest.fixture(scope="module")
def section(run: lw.Run) -> Content:
    found = forces(subject_of(run))
    assert found is not None
    return found


def rows_of(content: Content, caption: str) -> list[list[str]]:
    (html,) = (b for b in content.blocks if isinstance(b, str) and f"<caption>{caption}" in b)
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def test_tables_have_the_peaks_of_the_run(run: lw.Run, section: Content) -> None:
    effort = run["A"].effort.values
    drive = rows_of(section, "drives")[1]
    peak = effort[np.argmax(np.abs(effort))]
    assert drive[0] == "A.angle"
    assert drive[1] == f"{peak:.6g} N m"
    cost = lw.energy(run)["A"]
    assert drive[3] == f"{cost.rms_effort:.6g} N m"
    assert drive[6] == "0 J"  # once round, and nothing takes energy
    head, *joints = rows_of(section, "joints")
    assert head[-1] == "open"
    by_name = {row[0]: row for row in joints}
    assert by_name["B"][-1] == "fz mx my"
    size = np.linalg.norm(run.data["B.force"].values[:, :2], axis=1)
    assert by_name["B"][1] == f"{size.max():.6g} N"
    assert by_name["D"][-1] == "fy mx mz"
    assert rows_of(section, "energy")[1][3] == f"{cost.drawn:.6g}"
    (note,) = section.warnings
    assert "statically indeterminate: " in note.what
    assert "B.fz" in note.what


def test_plots_are_in_newtons_over_the_time_of_the_page(run: lw.Run, section: Content) -> None:
    plots = {b.title: b for b in section.blocks if not isinstance(b, str)}
    assert list(plots) == [
        "Efforts of the drives",
        "Power of the drives",
        "Forces in the joints",
        "Loads",
        "Energy of the machine",
        "Torque over speed of drive",
    ]
    (panel,) = plots["Efforts of the drives"].panels
    assert (panel.x.name, panel.y.symbol) == ("time", "N m")
    assert np.array_equal(panel.lines[0].y, run["A"].effort.values)
    (panel,) = plots["Forces in the joints"].panels
    assert panel.y.symbol == "N"
    lines = {line.name: line.y for line in panel.lines}
    for joint, open_ in (("A", 2), ("B", 2), ("C", 2), ("D", 1)):  # what is open is not counted
        kept = np.delete(run.data[f"{joint}.force"].values, open_, axis=1)
        assert lines[joint] == pytest.approx(np.linalg.norm(kept, axis=1), rel=1e-14)
    tops = [line.y.max() for line in panel.lines]
    assert tops == sorted(tops, reverse=True)
    (panel,) = plots["Energy of the machine"].panels
    assert panel.y.symbol == "J"
    found = lw.torque_speed(run, "drive")
    (panel,) = plots["Torque over speed of drive"].panels
    assert np.array_equal(panel.lines[0].y, found.torque)
    assert not found.feasible
    assert plots["Torque over speed of drive"].notes == (found.message,)


def test_the_page_has_the_section_and_is_the_same_every_time(run: lw.Run, tmp_path: Path) -> None:
    page = document(subject_of(run))
    assert page == document(subject_of(run))
    assert '<section id="forces">' in page
    assert "Arrows of forces in joints: the longest arrow is" in page
    assert "Arrows of loads: the longest arrow is" in page
    plain = run.machine.motion(A=lw.ramp(0, 1.0, duration=1.0), samples=3)
    assert '<section id="forces">' not in document(subject_of(plain))
    asked = subject_of(run.machine, samples=3, forces=True)
    assert asked.run is not None
    assert asked.run.analysis == "forces"
    assert "forces=True" in asked.command
    assert subject_of(run, forces=True).run is run


def test_singular_samples_are_told_and_the_page_still_made() -> None:
    """An ideal toggle: at its dead centre the drive cannot move it."""
    s = lw.loads(PRESS).assemble()
    run = s.forces(s.motion(A=lw.ramp(0, 1.0, duration=1.0), samples=5))
    data = run.data.copy(deep=True)
    data["A.angle.effort"].values[2] = np.nan
    content = forces(subject_of(lw.Run(data, s)))
    assert content is not None
    assert rows_of(content, "drives")[1][3] == "-"
    assert rows_of(content, "motors")[1][-1] == "its torque is not determined at singular postures"


def test_the_command_line_asks_for_forces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("press.yaml").write_text(PRESS, encoding="utf-8")
    done = CliRunner().invoke(app, ["report", "press.yaml", "--samples", "5", "--forces"])
    assert done.exit_code == 0, done.output
    page = Path("press-report.html").read_text(encoding="utf-8")
    assert '<section id="forces">' in page
    assert "linkwork report press.yaml --samples 5 --forces" in page


def test_the_workbench_runs_with_forces_and_charts_them_in_newtons() -> None:
    own = Bench(Opened.of(lw.loads(PRESS)))
    assert own.assemble() == ""
    run = own.move({"A.angle": "0:360deg in 1s"}, 21, forces=True)
    assert run is not None
    known = choices(run)
    assert known["efforts"] == ("A.angle.effort",)
    assert known["powers"] == ("A.angle.power",)
    assert known["B force"] == ("B.force.x", "B.force.y")  # fz is open
    assert known["loads"] == ("coil.tension", "work.force")
    assert known["energies"] == ("machine.kinetic_energy", "machine.potential_energy")
    units = {title: [c.unit for c in charts(run, title, known[title], own.units)] for title in known}
    assert units["efforts"] == ["N m"]
    assert units["B force"] == ["N"]
    assert units["loads"] == ["N"]
    assert units["powers"] == ["W"]
    assert units["energies"] == ["J"]
    assert units["P position"] == ["mm"]
    (chart,) = charts(run, "efforts", known["efforts"], own.units)
    assert np.array_equal(chart.values[0], run["A"].effort.values)
    assert "efforts" not in choices(own.move({"A.angle": "0:90deg in 1s"}, 5))  # type: ignore[arg-type]


def test_asking_for_forces_answers_with_statics_where_the_machine_stands() -> None:
    own = Bench(Opened.of(lw.loads(PRESS)))
    assert own.assemble() == ""
    own.drag("A.angle", 0.5)
    assert own.machine is not None
    assert own.posture is not None
    (ask,) = (i for i in INQUIRIES if i.title == "Forces")
    text = ask.answer(own.machine.starting_from(own.posture))
    found = own.machine.starting_from(own.posture).statics()
    assert f"{found.efforts['A.angle']:.6g} N m" in text
    assert "open: fz mx my" in text
