"""Motions that cannot be: every failure has its class, names what it is about, and keeps what was reached."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kinematic_machines import cardan, four_bar, four_bar_angles, pinned_bar, placed, scara, slider_crank, truss

import linkwork as lw
from linkwork.analyses.kinematics.failures import (
    CannotClose,
    ClosureError,
    DeadCentre,
    LimitOfTravel,
    NoFreedom,
    OverSpecified,
    UnderSpecified,
)
from linkwork.errors import ModelError

deg = math.radians
ROCKER = (0.35, 0.3, 0.25, 0.5)
"""A triple rocker: 0.25 + 0.5 > 0.35 + 0.3, no bar can turn all the way round (Grashof)."""
ROCKER_LIMIT = math.acos((0.35**2 + 0.5**2 - 0.55**2) / (2 * 0.35 * 0.5))
"""Coupler and rocker in line: a² + d² - 2 a d cos θ = (b + c)²."""


@pytest.fixture(scope="module")
def rocker() -> lw.Machine:
    return four_bar(*ROCKER, deg(40)).assemble()


@pytest.fixture(scope="module")
def offset() -> lw.Machine:
    """Slider-crank with crank 0.06, rod 0.18, guide 0.02 beside the crank's centre, at 30 deg."""
    return slider_crank(0.06, 0.18, deg(30), offset=0.02).assemble()


@pytest.fixture(scope="module")
def engine() -> lw.Machine:
    """In-line slider-crank at its outer dead centre."""
    return lw.example("slider-crank").assemble()


def failure(ask: Callable[[], object], kind: type[ClosureError]) -> Any:
    """The error that a question ends with; it must be of this very class."""
    with pytest.raises(ClosureError) as caught:
        ask()
    assert type(caught.value) is kind, caught.value
    assert caught.value.problem.hint
    return caught.value


def refused(ask: Callable[[], object]) -> str:
    """The text of the single problem that a question is refused with."""
    with pytest.raises(ModelError) as caught:
        ask()
    assert len(caught.value.problems) == 1
    return str(caught.value)


def told_limit(text: str, name: str) -> float:
    """The limit in a message, in metres or radians."""
    found = re.search(rf"{re.escape(name)} cannot go beyond (\S+) (\w+)", text)
    assert found, text
    return float(found[1]) * {"rad": 1.0, "deg": math.pi / 180, "m": 1.0, "mm": 1e-3}[found[2]]


# --- limits of travel -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [3.0, -3.0])
def test_a_four_bar_driven_beyond_its_limit(rocker: lw.Machine, target: float) -> None:
    limit = math.copysign(ROCKER_LIMIT, target)
    error = failure(lambda: rocker.at(O2=target), LimitOfTravel)
    text = str(error)
    assert text.startswith("four-bar: O2.angle cannot go beyond ")
    assert "B.angle could go either way there" in text  # the coupler and the rocker are in line
    assert f"{target:g} rad cannot be reached" in text
    assert told_limit(text, "O2.angle") == pytest.approx(limit, abs=6e-6)  # six digits
    # the last posture on the way is kept: closed, and at the limit as far as a square root lets it be
    reached = error.reached
    assert isinstance(reached, lw.Posture)
    assert reached.residual < 1e-10
    assert reached["O2"] == pytest.approx(limit, abs=1e-6)
    side = rocker.travel("O2")
    assert (side.lower, side.upper) == pytest.approx((-ROCKER_LIMIT, ROCKER_LIMIT), abs=1e-9)
    assert not side.full_turn


def test_the_error_carries_the_limit_exactly(rocker: lw.Machine) -> None:
    error = failure(lambda: rocker.at(O2=3.0), LimitOfTravel)
    assert error.limit == {"O2.angle": pytest.approx(ROCKER_LIMIT, abs=1e-9)}
    assert error.reached["O2.angle"] == error.limit["O2.angle"]


def test_a_motion_beyond_the_limit_keeps_its_samples(rocker: lw.Machine) -> None:
    asked = np.linspace(deg(40), 3.0, 50)
    run = rocker.motion(O2=(deg(40), 3.0), samples=50)
    assert run.status == "stopped"
    assert run.message.startswith("limit of travel: O2.angle cannot go beyond ")
    assert told_limit(run.message, "O2.angle") == pytest.approx(ROCKER_LIMIT, abs=6e-6)
    below = int((asked < ROCKER_LIMIT).sum())
    assert (run.evidence.asked, run.evidence.reached, len(run)) == (50, below, below)
    assert run["O2.angle"].values == pytest.approx(asked[:below], abs=1e-15)
    for k, t2 in enumerate(asked[:below]):
        _, t4 = four_bar_angles(*ROCKER, float(t2))
        assert run["O4.angle"].values[k] == pytest.approx(t4, abs=1e-12)
    assert np.isfinite(run["O4.rate"].values).all()


def test_arrays_beyond_the_limit_keep_their_samples(rocker: lw.Machine) -> None:
    asked = np.linspace(deg(40), 3.0, 1000)
    sweep = rocker.solve({"O2": asked}, {"O2": 1.0})
    assert len(sweep) == int((asked < ROCKER_LIMIT).sum())
    assert isinstance(sweep.stopped, LimitOfTravel)
    assert "O2.angle" in str(sweep.stopped)
    assert sweep.residual.max() < 1e-10
    assert isinstance(failure(lambda: rocker.solve({"O2": [3.0]}), LimitOfTravel), LimitOfTravel)


def test_nothing_is_kept_when_the_first_sample_is_out_of_reach(rocker: lw.Machine) -> None:
    text = str(failure(lambda: rocker.motion(O2=(2.0, 3.0)), LimitOfTravel))
    assert "O2.angle" in text and "2 rad cannot be reached" in text


@pytest.mark.parametrize(("target", "sign"), [(0.3, 1), (0.05, -1)])
def test_a_slider_driven_beyond_its_dead_centres(offset: lw.Machine, target: float, sign: int) -> None:
    # crank and rod in line, stretched or folded
    limit = math.sqrt((0.18 + sign * 0.06) ** 2 - 0.02**2)
    error = failure(lambda: offset.at(D=target), LimitOfTravel)
    assert told_limit(str(error), "D.slide") == pytest.approx(limit, abs=6e-7)
    assert error.reached["D"] == pytest.approx(limit, abs=1e-7)
    travel = offset.travel("D")
    assert (travel.upper if sign > 0 else travel.lower) == pytest.approx(limit, abs=1e-9)
    run = offset.motion(D=(offset.home["D"], target), samples=40)
    assert run.status == "stopped" and "D.slide" in run.message
    asked = np.linspace(offset.home["D"], target, 40)
    assert len(run) == int((sign * asked < sign * limit).sum())


def test_a_crank_longer_than_its_rod() -> None:
    # r sin θ = l
    s = slider_crank(0.3, 0.2, deg(10)).assemble()
    limit = math.asin(0.2 / 0.3)
    assert told_limit(str(failure(lambda: s.at(A=1.5), LimitOfTravel)), "A.angle") == pytest.approx(limit, abs=6e-6)
    travel = s.travel("A")
    assert (travel.lower, travel.upper) == pytest.approx((-limit, limit), abs=1e-9)
    assert all(isinstance(stop, LimitOfTravel) for stop in travel.stops)


def test_strokes_reach_to_the_limit(rocker: lw.Machine) -> None:
    # at the limit coupler and rocker are in line: B = π there, its greatest value
    stroke = rocker.travel("O2").strokes["O2.angle"]
    assert (stroke.least, stroke.greatest) == pytest.approx((-ROCKER_LIMIT, ROCKER_LIMIT), abs=1e-9)


def test_strokes_of_the_others_reach_to_the_limit(rocker: lw.Machine) -> None:
    assert rocker.travel("O2").strokes["B.angle"].greatest == pytest.approx(math.pi, abs=1e-7)


def test_a_motion_beyond_the_limits_of_joints_is_told() -> None:
    # the steering column is limited to 540 deg = 9.42 rad, the rack to 75 mm = 9.375 rad of 8 mm
    run = lw.example("rack-steering").assemble().motion(column=(0.0, 11.0), samples=12)
    assert run.status == "complete"
    limits = {"column.angle": "-540 deg ... 540 deg", "housing.slide": "-75 mm ... 75 mm"}
    for name, own in limits.items():
        (text,) = [w for w in run.warnings if name in w]
        assert text == f"{name} goes beyond its limits {own} at 2 of 12 samples, first at 0.909091 s"  # 10 and 11 rad
    assert lw.example("rack-steering").assemble().motion(column=(0.0, 9.0), samples=12).warnings == ()


# --- drivers that contradict each other -------------------------------------------------------------------------------


def test_two_drivers_on_one_freedom(engine: lw.Machine) -> None:
    for ask in (
        lambda: engine.at(A=0.1, B=0.2),
        lambda: engine.motion(A=(0, 1), B=(0, 1)),
        lambda: engine.solve({"A": [0.1], "B": [0.2]}),
        lambda: engine.home.velocities({"A": 1.0, "B": 1.0}),
    ):
        error = failure(ask, OverSpecified)
        assert str(error).startswith("slider-crank: A.angle and B.angle are driven, but the machine has 1 freedom;")
        assert error.problem.hint == "drive at most 1 of them"


def test_three_drivers_on_two_freedoms() -> None:
    s = lw.example("planetary-set").assemble()
    three = {"sun_shaft": (0, 1), "ring_shaft": (0, 1), "carrier_shaft": (0, 1)}
    text = str(failure(lambda: s.motion(three), OverSpecified))
    assert (
        "sun_shaft.angle, ring_shaft.angle and carrier_shaft.angle are driven, but the machine has 2 freedoms" in text
    )


def test_two_drivers_on_the_same_one_of_two_freedoms() -> None:
    s = lw.example("planetary-set").assemble()
    text = str(failure(lambda: s.at(pin1=0.1, pin2=0.1), OverSpecified))
    assert "pin1.angle and pin2.angle are driven, but depend on each other" in text


def test_the_hint_for_two_drivers_that_depend_on_each_other() -> None:
    s = lw.example("planetary-set").assemble()
    hint = failure(lambda: s.at(pin1=0.1, pin2=0.1), OverSpecified).problem.hint
    assert "at most 2" not in hint


def test_a_driver_of_a_variable_that_never_moves() -> None:
    s = lw.example("ferguson").assemble()
    text = str(failure(lambda: s.at({"C.stretch": 0.001}), OverSpecified))
    assert "C.stretch cannot be driven: it does not move" in text


def test_the_hint_for_a_variable_that_never_moves() -> None:
    s = lw.example("ferguson").assemble()
    assert s.home.independent == ("B.angle",)
    assert failure(lambda: s.at({"C.stretch": 0.001}), OverSpecified).problem.hint == "drive B.angle"


def test_a_pose_of_six_for_an_arm_of_four() -> None:
    m = scara((0.6, -1.4, 6.0, 2.3))
    m.free("pose", "ground", "tool", to=placed(np.eye(4), "tool"))
    s = m.assemble()
    error = failure(lambda: s.at({"pose": s.home["pose"]}), OverSpecified)
    assert "the machine has 4 freedoms" in str(error)
    assert "pose.vx" in str(error) and "pose.wz" in str(error)


def test_a_piston_cannot_start_from_its_dead_centre(engine: lw.Machine) -> None:
    for ask in (
        lambda: engine.at(D=-0.01),
        lambda: engine.motion(D=(0, -0.01)),
        lambda: engine.solve({"D": [-0.01]}),
        lambda: engine.home.velocities({"D": 1.0}),
        lambda: engine.travel("D"),
    ):
        error = failure(ask, DeadCentre)
        assert str(error).startswith("slider-crank: D.slide cannot move the machine at this posture, a dead centre")
        assert "drive A.angle" in error.problem.hint
    # from another posture it can
    moved = engine.starting_from({"A": 0.7})
    c, s = math.cos(0.5), math.sin(0.5)
    x = 0.05 * c + math.sqrt(0.2**2 - (0.05 * s) ** 2) - 0.25
    assert moved.at(D=x)["A"] == pytest.approx(0.5, abs=1e-12)


# --- names and numbers ------------------------------------------------------------------------------------------------


def test_no_such_joint() -> None:
    s = lw.example("rack-steering").assemble()
    for ask in (
        lambda: s.at(colum=1.0),
        lambda: s.motion(colum=(0, 1)),
        lambda: s.solve({"colum": [1.0]}),
        lambda: s.closures(colum=1.0),
        lambda: s.travel("colum"),
    ):
        assert refused(ask) == "rack-steering: there is no joint 'colum'; did you mean 'column'?"
    assert "did you mean 'column'?" in refused(lambda: s.home["colum"])
    assert "there is no joint 'colum'; did you mean 'column'?" in refused(lambda: s.home.velocities({"colum": 1.0}))


def test_no_such_variable(engine: lw.Machine) -> None:
    for ask in (lambda: engine.at({"A.slide": 1.0}), lambda: engine.motion({"A.slide": (0, 1)})):
        assert (
            refused(ask) == "slider-crank: A.slide: the revolute joint 'A' has no variable 'slide'; there is: A.angle"
        )


def test_a_ball_is_not_driven_by_a_number() -> None:
    s = lw.example("rssr").assemble()
    assert "'B' has 4 variables: qw, qx, qy, qz" in refused(lambda: s.at(B=1.0))
    assert "a joint that turns freely has no single variable to drive" in refused(lambda: s.motion(B=(0, 1)))
    assert "the quaternion has length 1.41421, not 1" in refused(lambda: s.at(B=[1, 1, 0, 0]))


def test_a_part_of_a_quaternion_is_refused_with_its_reason() -> None:
    s = lw.example("rssr").assemble()
    for ask in (lambda: s.at({"B.qw": 0.5}), lambda: s.motion({"B.qw": (0, 1)})):
        text = refused(ask)
        assert "has no variable 'qw'" not in text
        assert "B" in text


def test_a_gear_has_several_variables() -> None:
    s = lw.example("helical-gears").assemble()
    text = refused(lambda: s.motion(mesh=(0, 1)))
    assert "'mesh' has several variables; say which: mesh.angle, mesh.stretch, mesh.axial" in text


def test_the_same_variable_twice(engine: lw.Machine) -> None:
    assert "'A.angle' and 'A' both give 'A.angle'" in refused(lambda: engine.at({"A": 1, "A.angle": 1}))
    assert "A: given twice" in refused(lambda: engine.at({"A": 1}, A=1))
    assert "are the same variable" in refused(lambda: engine.motion({"A": (0, 1), "A.angle": (0, 1)}))


def test_the_same_variable_twice_is_told_by_the_names_that_were_given(engine: lw.Machine) -> None:
    text = refused(lambda: engine.motion({"A": (0, 1), "A.angle": (0, 1)}))
    assert "'A.angle' and 'A' are the same variable" in text


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"samples": 0}, "samples: 0 samples; give a whole number, at least 1"),
        ({"samples": -3}, "samples: -3 samples"),
        ({"samples": 2.5}, "samples: 2.5 samples"),
        ({"samples": True}, "samples: True samples"),
        ({"duration": -1.0}, "duration: a duration of -1.0 s"),
        ({"duration": math.nan}, "duration: a duration of nan s"),
        ({"duration": math.inf}, "duration: a duration of inf s"),
        ({"times": []}, "times are finite and ascending, at least one"),
        ({"times": [1.0, 0.0]}, "times are finite and ascending"),
        ({"times": [0.0, math.nan]}, "times are finite and ascending"),
        ({"times": [0.0], "samples": 3}, "`times` stands instead of `samples` and `duration`"),
    ],
    ids=str,
)
def test_samples_that_cannot_be(engine: lw.Machine, options: dict[str, Any], text: str) -> None:
    found = refused(lambda: engine.motion(A=(0, 1), **options))
    assert found.startswith("slider-crank: ")
    assert text in found


def test_an_empty_range(engine: lw.Machine) -> None:
    assert "slider-crank: A: the range is empty: it starts and ends at 0.3" in refused(
        lambda: engine.motion(A=(0.3, 0.3))
    )
    assert "A: a list of 0 is not a drive" in refused(lambda: engine.motion(A=()))
    assert "there are no samples" in refused(lambda: engine.solve({"A": []}))


def test_one_sample_is_a_motion(engine: lw.Machine) -> None:
    run = engine.motion(A=(0.2, 1.0), samples=1)
    assert (len(run), run["A.angle"].values[0], run.status) == (1, 0.2, "complete")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_targets_that_are_not_finite(engine: lw.Machine, value: float) -> None:
    assert refused(lambda: engine.at(A=value)).startswith("slider-crank: A: not a finite number")
    assert "A: not a finite number" in refused(lambda: engine.solve({"A": [0.1, value]}))
    assert "A: not a finite number" in refused(lambda: engine.closures(A=value))
    assert "slider-crank: A: the end is" in refused(lambda: engine.motion(A=(0, value)))
    assert "is not a finite number" in refused(lambda: engine.home.velocities({"A": value}))


@pytest.mark.parametrize("value", ["x", None, 1j, True, {}])
def test_targets_that_are_not_numbers(engine: lw.Machine, value: Any) -> None:
    assert "is not a number or an array of numbers" in refused(lambda: engine.at(A=value))


def test_rates_that_are_not_numbers(engine: lw.Machine) -> None:
    assert "A" in refused(lambda: engine.home.velocities({"A": "x"}))


def test_arrays_where_one_value_is_wanted(engine: lw.Machine) -> None:
    assert "a posture has one value for each variable" in refused(lambda: engine.at(A=[1.0, 2.0]))
    s = lw.example("planetary-set").assemble()
    text = refused(lambda: s.solve({"sun_shaft": [1.0, 2.0], "ring_shaft": [1.0, 2.0, 3.0]}))
    assert "the shapes do not fit each other: sun_shaft (2,), ring_shaft (3,)" in text


def test_a_law_that_is_not_a_number_somewhere(engine: lw.Machine) -> None:
    text = refused(lambda: engine.motion(A=lw.expression("sqrt(0.5 - t)"), duration=1.0, samples=11))
    assert "sqrt(0.5 - t) is nan at t = 0.6 s" in text


def test_a_law_that_is_not_a_number_is_told_with_its_joint() -> None:
    s = lw.example("planetary-set").assemble()
    drives = {"sun_shaft": lw.expression("sqrt(0.5 - t)"), "ring_shaft": lw.expression("t")}
    assert "sun_shaft" in refused(lambda: s.motion(drives, duration=1.0, samples=11))


def test_nothing_is_driven(engine: lw.Machine) -> None:
    assert refused(lambda: engine.motion()) == "slider-crank: nothing is driven; for example motion(A=(0, 6.28))"
    assert "nothing is given" in refused(lambda: engine.solve({}))
    assert engine.at().values == engine.home.values  # nothing moves
    assert "the laws go on for ever (A.angle: constant 0.5); say duration=" in refused(lambda: engine.motion(A=0.5))


def test_rates_of_what_is_not_driven(engine: lw.Machine) -> None:
    assert "'D' is not driven; driven are: A.angle" in refused(lambda: engine.solve({"A": [0.1]}, {"D": 1.0}))


def test_a_posture_of_another_machine(engine: lw.Machine, rocker: lw.Machine) -> None:
    assert "the posture is of another machine" in refused(lambda: engine.starting_from(rocker.home))


# --- machines that do not close ---------------------------------------------------------------------------------------


def test_a_start_out_of_reach() -> None:
    m = four_bar(*ROCKER, deg(40))
    assert "O2.angle cannot go beyond 1.36944 rad" in str(failure(lambda: m.assemble(start={"O2": 3.0}), LimitOfTravel))
    guess = {"A": 0.0, "B": 0.1, "O4": 0.3}
    text = str(failure(lambda: m.assemble(start={"O2": 3.0}, guess=guess), CannotClose))
    assert "four-bar: the mechanism cannot be assembled with O2.angle given" in text
    # the coupler and the rocker, stretched, are too short by this much
    gap = math.dist((0.35 * math.cos(3.0), 0.35 * math.sin(3.0)), (0.5, 0.0)) - 0.55
    assert f"the loop O4, B, A, O2 stays open by {gap:.4g} m" in text


def test_a_guess_alone_may_be_left() -> None:
    # O2 = 3 is out of reach; a guess says only where to look
    home = four_bar(*ROCKER, deg(40)).assemble(guess={"O2": 3.0}).home
    assert home.residual < 1e-12
    assert abs(math.remainder(home["O2"], 2 * math.pi)) < ROCKER_LIMIT


def test_parameters_that_pull_a_machine_apart(rocker: lw.Machine) -> None:
    text = str(failure(lambda: rocker.with_parameters({"O4.tail.at.x": 1.5}).home, CannotClose))
    # 1.5 - (0.35 + 0.3 + 0.25)
    assert "the loop O4, B, A, O2 stays open by 0.6 m" in text
    assert rocker.home.residual < 1e-12  # the machine itself stays as it was
    moved = rocker.with_parameters({"O4.tail.at.x": 0.52})
    t3, t4 = four_bar_angles(0.35, 0.3, 0.25, 0.52, moved.home["O2"])
    assert moved.home["O4"] == pytest.approx(t4, abs=1e-9)
    assert moved.home["O2"] + moved.home["A"] == pytest.approx(t3, abs=1e-9)


def test_a_coupling_whose_shafts_miss_each_other() -> None:
    # Uicker, Ravani, Sheth, example 5.1: with other lengths in frame and shaft the position cannot close
    s = cardan(deg(40), deg(150)).assemble()
    text = str(failure(lambda: s.with_parameters({"D.tail.at.z": 3.1}).home, CannotClose))
    assert "the loop D, C, B, A stays open by 0.1 m" in text


def test_a_coupling_whose_shafts_hardly_miss_each_other() -> None:
    s = cardan(deg(40), deg(150)).assemble()
    text = str(failure(lambda: s.with_parameters({"D.tail.at.z": 3.0 + 1e-8}).home, CannotClose))
    assert "the loop D, C, B, A stays open by" in text


def test_bennett_with_a_wrong_length_does_not_close() -> None:
    s = lw.example("bennett").assemble()
    wrong = {"J2.tail.at.x": 1.01 * s.parameters["J2.tail.at.x"]}
    text = str(failure(lambda: s.with_parameters(wrong).home, CannotClose))
    assert "the loop J4, J3, J2, J1 stays open by" in text


@pytest.mark.parametrize(("build", "name"), [(truss, "truss"), (pinned_bar, "pinned")])
def test_machines_that_cannot_move(build: Callable[[], lw.Mechanism], name: str) -> None:
    s = build().assemble()
    assert s.home.mobility == 0
    assert s.home.independent == ()
    for ask in (
        lambda: s.at(A=0.1),
        lambda: s.motion(A=(0, 1)),
        lambda: s.solve({"A": [0.1]}),
        lambda: s.home.velocities({"A": 1.0}),
        lambda: s.travel("A"),
    ):
        text = str(failure(ask, NoFreedom))
        assert text.startswith(f"{name}: nothing can move: mobility 0, yet A.angle should be driven")


def test_a_truss_can_be_put_together_in_two_ways() -> None:
    found = truss().assemble().closures()
    assert len(found) == 2
    # mirrored in the base: the left bar at -atan(0.8 / 0.5) instead, turned by twice that
    assert found[1]["A"] == pytest.approx(-2 * math.atan2(0.8, 0.5), abs=1e-10)


# --- more freedoms than drives, and fewer -----------------------------------------------------------------------------


def test_what_is_neither_driven_nor_dependent_is_held() -> None:
    s = lw.example("planetary-set").assemble()
    run = s.motion(sun_shaft=(0.0, 1.0), samples=5)
    assert run.driven == {"sun_shaft.angle": "ramp from 0 to 1 in 1 s"} and run.held == ("ring_shaft.angle",)
    assert run.data.attrs["held"] == ["ring_shaft.angle"]
    assert np.abs(run["ring_shaft.angle"].values).max() == 0.0
    # Willis, ring held: 24 / 84
    assert run["carrier_shaft.angle"].values == pytest.approx(np.linspace(0, 1, 5) * 24 / 84, abs=1e-13)
    arm = scara((0.6, -1.4, 6.0, 2.3)).assemble().motion(A=(0.6, 1.0), samples=3)
    assert set(arm.held) == {"B.angle", "C.slide", "D.angle"} and not set(arm.driven) & set(arm.held)
    assert (arm["C.slide"].values == 6.0).all()


def test_closures_want_every_freedom() -> None:
    s = lw.example("stewart-platform").assemble()
    text = str(failure(lambda: s.closures({"P1": 1.1}), UnderSpecified))
    assert "closures need values for all freedoms; P2.slide, P3.slide, P4.slide, P5.slide, P6.slide are free" in text
    text = str(failure(lambda: lw.example("four-bar").assemble().closures(), UnderSpecified))
    assert "O2.angle is free" in text


def test_closures_of_gears_want_every_freedom() -> None:
    s = lw.example("planetary-set").assemble()
    assert "ring_shaft.angle" in str(failure(lambda: s.closures(sun_shaft=0.1, starts=64), UnderSpecified))


def test_closures_of_gears_have_centre_distances_above_zero() -> None:
    s = lw.example("helical-gears").assemble()
    found = s.closures(input=0.2, starts=64)
    assert min(p["mesh.stretch"] for p in found) > -0.130  # the centres are 130 mm apart


def test_closures_out_of_reach(rocker: lw.Machine) -> None:
    text = str(failure(lambda: rocker.closures(O2=3.0), CannotClose))
    assert "no closure was found" in text and "O2.angle = 3" in text
    assert "starts: 0 starts" in refused(lambda: rocker.closures(O2=1.0, starts=0))
    assert "did you mean 'crank'?" in refused(lambda: rocker.closures(O2=1.0, of="crnk"))


# --- interruptions ----------------------------------------------------------------------------------------------------


def test_an_interrupted_motion_stops(rocker: lw.Machine) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rocker.motion(O2=(deg(40), 1.0), samples=2000, progress=stop)
    run = rocker.motion(O2=(deg(40), 1.0), samples=5)  # and nothing is left behind
    assert run.status == "complete"


def test_an_error_of_the_progress_function_is_not_swallowed(rocker: lw.Machine) -> None:
    def wrong(done: int, total: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rocker.motion(O2=(deg(40), 1.0), progress=wrong)
    with pytest.raises(ZeroDivisionError):
        rocker.closures(O2=1.0, progress=wrong)


def test_an_interrupted_search_for_closures_stops(rocker: lw.Machine) -> None:
    calls = []

    def stop(done: int, total: int) -> None:
        calls.append(done)
        raise KeyboardInterrupt

    try:
        found = rocker.closures(O2=1.0, progress=stop)
    except KeyboardInterrupt:
        pass
    else:
        assert not found.complete
        assert found.starts < 4096
    assert len(calls) == 1


def test_progress_counts_to_the_end(rocker: lw.Machine) -> None:
    calls: list[tuple[int, int]] = []
    rocker.motion(O2=(deg(40), 1.0), samples=500, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (500, 500)
    assert all(a[0] <= b[0] for a, b in itertools.pairwise(calls))


def test_progress_is_told_on_the_way(rocker: lw.Machine) -> None:
    calls: list[int] = []
    swing = lw.harmonic(deg(40), 0.3, frequency=50.0)
    rocker.motion(O2=swing, duration=1.0, samples=3000, progress=lambda done, _: calls.append(done))
    assert sum(0 < done < 3000 for done in calls) > 10
