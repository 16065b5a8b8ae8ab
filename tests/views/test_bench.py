"""What a visitor of the workbench works on, without a page."""

import math
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest

import linkwork as lw
from linkwork.units import ACCELERATION, ANGLE, INERTIA, LENGTH, MASS, NUMBER
from linkwork.views.workbench.bench import Bench
from linkwork.views.workbench.charts import MOST_PIECES, pieces
from linkwork.views.workbench.lanes import Lane
from linkwork.views.workbench.opening import Opened
from linkwork.views.workbench.panels.model import dimension_of
from linkwork.views.workbench.server import free_port

ROCKER = """
linkwork: 1
name: rocker
units: {length: mm, angle: deg}
bodies: {a: , b: , c: }
joints:
  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}
  B: {revolute: [a, b], at: [100, 0, 0], axis: z}
  C: {revolute: [b, c], at: [105, 39.68626966596886, 0], axis: z}
  D: {revolute: [ground, c], at: [150, 0, 0], axis: z}
points:
  P: {on: b, at: [105, 20, 0]}
"""


def bench(name: str) -> Bench:
    m = lw.example(name)
    made = Bench(Opened.of(m))
    assert made.assemble() == ""
    return made


def test_a_dial_moves_the_machine_and_the_loops_stay_closed() -> None:
    own = bench("four-bar")
    (dial,) = own.dials()
    assert (dial.variable, dial.unit, dial.low, dial.high) == ("O2.angle", "deg", -180.0, 180.0)
    assert dial.value == pytest.approx(40.0, abs=1e-12)
    found = own.drag("O2.angle", math.radians(75.0))
    assert found.complaint == ""
    assert found.posture["O2"] == pytest.approx(math.radians(75.0), abs=1e-14)
    assert found.posture.residual < 1e-12
    straight = lw.example("four-bar").assemble().at(O2=math.radians(75.0))
    assert np.abs(found.posture.y - straight.y).max() < 1e-12


def test_a_limit_of_travel_is_told_and_the_way_back_is_open() -> None:
    """Links 100, 40, 60 on a base of 150: the last one stops where 100 and 40 are in line, a triangle 140, 60, 150."""
    own = Bench(Opened.of(lw.loads(ROCKER)))
    assert own.assemble() == ""
    (dial,) = own.dials()
    assert dial.variable == "D.angle"
    far = own.drag("D.angle", math.radians(120.0))
    assert "D.angle cannot go beyond 110.241 deg" in far.complaint
    start = math.atan2(39.68626966596886, -45.0)
    end = math.pi + math.acos((60**2 + 150**2 - 140**2) / (2 * 60 * 150))
    assert far.posture["D"] == pytest.approx(end - start, abs=1e-7)
    back = own.drag(dial.variable, 0.05)
    assert back.complaint == ""
    assert back.posture["D"] == pytest.approx(0.05, abs=1e-14)


def test_a_pulled_point_gets_there_or_as_near_as_it_can() -> None:
    own = bench("scara")
    goal = own.machine.at({d.variable: 0.1 for d in own.dials()}).position("tip")  # type: ignore[union-attr]
    found = own.pull("tip", goal)
    assert found.complaint == ""
    assert np.abs(found.posture.position("tip") - goal).max() < 1e-8
    away = np.array([100.0, 0.0, 0.0])
    far = own.pull("tip", goal + away)
    assert "cannot get there" in far.complaint
    # The nearest place lies on the straight line to the goal, at full reach: nothing can be gained sideways.
    gap = goal + away - far.posture.position("tip")
    J = np.array([far.posture.velocity("tip", {d.variable: 1.0})[:3] for d in own.dials()])
    assert np.abs(J @ gap).max() / np.linalg.norm(gap) < 1e-4


def test_nonsense_leaves_the_last_good_model() -> None:
    own = bench("four-bar")
    before, machine = own.mechanism, own.machine
    text = lw.dumps(own.mechanism)
    problems = own.edit(text.replace("revolute", "revolut"))
    assert problems
    assert all(p.line for p in problems)
    assert own.mechanism is before
    assert own.machine is machine
    assert own.edit(": : :") != []
    assert own.edit(text.replace("name: four-bar", "name: another")) == []
    assert own.mechanism.name == "another"
    assert own.run is None


def test_a_model_that_is_no_model_yet_can_be_mended() -> None:
    own = Bench(Opened(lw.Mechanism("broken"), "linkwork: 2", problems=(lw.Problem("version 2"),)))
    assert "version 2" in own.assemble()
    assert own.edit(ROCKER) == []
    assert own.dials()[0].variable == "D.angle"


def test_motion_by_texts_equals_motion_by_laws() -> None:
    own = bench("slider-crank")
    run = own.move({"A.angle": "0:360deg in 2s"}, 91)
    straight = lw.example("slider-crank").assemble().motion(A=lw.ramp(0.0, 2 * math.pi, duration=2.0), samples=91)
    assert np.array_equal(run["D.slide"].values, straight["D.slide"].values)
    with pytest.raises(lw.ModelError) as error:
        own.move({"A.angle": "0:360furlong in 2s"}, 10)
    assert error.value.problems[0].where == "A.angle"
    with pytest.raises(lw.ModelError, match="nothing is driven"):
        own.move({"A.angle": " "}, 10)


def test_other_numbers_close_the_loops_anew() -> None:
    own = bench("four-bar")
    crank = own.machine.parameters["A.tail.at.x"]  # type: ignore[union-attr]
    assert own.change({"A.tail.at.x": 1.1 * crank}) == ""
    assert own.posture is not None
    assert own.posture.residual < 1e-12
    scene = own.scene()
    assert scene.poses["crank"].shape == (4, 4)
    assert "A.tail.att.x" in own.change({"A.tail.att.x": 1.0})
    assert own.change({"A.tail.at.x": 1000.0}) != ""
    assert own.posture.residual < 1e-12


def test_of_many_wishes_the_last_counts() -> None:
    done: list[int] = []
    failed: list[BaseException] = []
    lane = Lane("test", failed.append)
    try:
        import threading

        gate = threading.Event()
        lane.do("first", gate.wait)
        for i in range(100):
            lane.do("drag", lambda i=i: done.append(i))  # type: ignore[misc]
        gate.set()
        assert lane.idle()
        assert done == [99]
    finally:
        lane.close()


def test_a_run_of_a_model_that_is_gone_is_dropped() -> None:
    own = bench("slider-crank")
    text = lw.dumps(lw.example("four-bar"))

    def meanwhile(done: int, total: int) -> None:
        assert own.edit(text) == [] or own.mechanism.name == "four-bar"

    assert own.move({"A.angle": "0:90deg in 1s"}, 2000, meanwhile) is None
    assert own.mechanism.name == "four-bar"
    assert own.run is None


def test_standing_at_a_sample_is_standing_there() -> None:
    own = bench("slider-crank")
    run = own.move({"A.angle": "0:90deg in 1s"}, 11)
    assert run is not None
    posture = own.stand_at(7)
    assert posture is not None
    assert posture["D"] == run["D.slide"].values[7]
    assert own.posture is posture
    assert own.stand_at(11) is None


def test_a_loaded_run_is_given_its_machine(tmp_path: Path) -> None:
    s = lw.example("slider-crank").assemble()
    s.motion(A=(0.0, 1.0), samples=5).save(tmp_path / "run.nc")
    loaded = lw.load_run(tmp_path / "run.nc")
    own = Bench(Opened.of(s.mechanism, s, loaded))
    assert own.run is not None
    assert own.run.machine is s


def test_numbers_of_a_model_have_their_units() -> None:
    wanted = {
        "crank.mass": MASS, "crank.com.x": LENGTH, "mass.com.x": LENGTH, "at.inertia.xx": INERTIA,
        "A.tail.at.x": LENGTH, "G.radius": LENGTH, "G.helix_angle": ANGLE, "gravity.y": ACCELERATION,
        "A.tail.u.x": NUMBER, "P.at.x": LENGTH,
    }  # fmt: skip
    assert {name: dimension_of(name) for name in wanted} == wanted


def test_a_wrong_option_of_view_is_told() -> None:
    with pytest.raises(TypeError, match="no option 'darkk'; there is: port"):
        lw.example("pendulum").assemble().view(darkk=True)  # type: ignore[call-arg]


def test_ports(tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert free_port("127.0.0.1", port) > port
    with pytest.raises(lw.LinkworkError, match="99999 is no port"):
        free_port("127.0.0.1", 99999)
    with pytest.raises(lw.LinkworkError, match="cannot be listened on"):
        free_port("203.0.113.7", 8080)


def test_a_line_with_gaps_is_drawn_in_pieces() -> None:
    y = np.arange(10.0)
    assert [p.tolist() for p in pieces(y)] == [y.tolist()]
    y[[0, 4, 5]] = np.nan
    first, second = pieces(y)
    assert np.flatnonzero(np.isfinite(first)).tolist() == [1, 2, 3]
    assert np.flatnonzero(np.isfinite(second)).tolist() == [6, 7, 8, 9]
    many = np.where(np.arange(200) % 2, np.nan, 1.0)
    found = pieces(many)
    assert len(found) == MOST_PIECES
    assert sum(np.isfinite(p).sum() for p in found) == 100  # nothing is lost


def test_a_workbench_opens_and_closes_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    bench = lw.example("pendulum").assemble().view(wait=False, browser=False, port=8650)
    assert urlopen(bench.url).status == 200
    bench.stop()
    assert "".join(capfd.readouterr()) == ""
