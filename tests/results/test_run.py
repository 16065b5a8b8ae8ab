"""A run gives the numbers that went in, by every name, by sample, and with its evidence."""

import copy
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_runs import CRANK, ROD, SPEED, slider_crank, tumbling

from linkwork.errors import ModelError
from linkwork.results import (
    ClosureHistory,
    JointItem,
    PlaceHistory,
    PlaceItem,
    Run,
    Signal,
    VariableHistory,
    build_run,
    load_run,
)
from linkwork.units import deg

RUN, TUMBLER = slider_crank(), tumbling()


# -------------------------------------------------------------------- by name


@pytest.mark.parametrize(
    ("name", "variable", "element"),
    [
        ("A.angle", "A.angle", ()),
        ("A.value", "A.angle", ()),
        ("A.rate", "A.angle.rate", ()),
        ("A.angle.rate", "A.angle.rate", ()),
        ("B.acceleration", "B.angle.acceleration", ()),
        ("A.jerk", "A.angle.jerk", ()),
        ("D.value", "D.slide", ()),
        ("P.position", "P.position", ()),
        ("P.x", "P.position", (0,)),
        ("P.position.y", "P.position", (1,)),
        ("P.vx", "P.velocity", (0,)),
        ("P.velocity.z", "P.velocity", (2,)),
        ("P.ay", "P.acceleration", (1,)),
        ("rod.rotation", "rod.rotation", ()),
        ("rod.rotation.xy", "rod.rotation", (0, 1)),
        ("rod.angular_velocity.z", "rod.angular_velocity", (2,)),
        ("closure.residual", "closure.residual", ()),
    ],
)
def test_signals_by_every_kind_of_name(name: str, variable: str, element: tuple[int, ...]) -> None:
    signal = RUN[name]
    assert isinstance(signal, Signal) and signal.name == name and name in RUN
    assert np.array_equal(signal.values, RUN.data[variable].values[(slice(None), *element)])
    assert signal.unit == RUN.data[variable].attrs["units"]
    assert np.array_equal(signal.time, RUN.time)
    assert signal.data.name == name


def test_names_of_joints_that_turn_freely() -> None:
    for name in ("S.qw", "S.wz", "S.wz.acceleration", "S.wz.jerk", "F.vz"):
        assert np.array_equal(TUMBLER[name].values, TUMBLER.data[name].values)
    assert np.array_equal(TUMBLER["F.z.rate"].values, TUMBLER.data["F.vz"].values)
    assert np.array_equal(TUMBLER["F.z.acceleration"].values, TUMBLER.data["F.vz.acceleration"].values)
    assert TUMBLER["S.wz.acceleration"].unit == "rad/s^2" and TUMBLER["S.wz.jerk"].unit == "rad/s^3"
    assert TUMBLER["F.vz.acceleration"].unit == "m/s^2"
    assert np.array_equal(TUMBLER["S.torque.z"].values, TUMBLER.time)


def test_linear_rates_of_free_joints_have_two_names() -> None:
    climb = VariableHistory("m", [0.0, 1.0], [2.0, 3.0], [4.0, 5.0])
    run = build_run([0.0, 1.0], mechanism="m", variables={"F.x": VariableHistory("m", [0, 0]), "F.z": climb})
    assert run["F.vz"][1] == 3.0 and run["F.vz.acceleration"][1] == 5.0 and run["F.z.rate"][0] == 2.0
    assert "F.vx" not in run and "F.vy" not in run and "F.vz.rate" not in run


def test_lengths_of_vectors() -> None:
    assert np.allclose(RUN["rod.speed"].values, CRANK * SPEED, rtol=1e-15)
    assert np.allclose(RUN["rod.acceleration.magnitude"].values, CRANK * SPEED**2, rtol=1e-15)
    assert RUN["rod.speed"].unit == "m/s"
    assert RUN["rod.speed"].data.attrs["long_name"] == "magnitude of velocity of rod"


def test_a_joint_has_its_variable_and_derivatives() -> None:
    joint = RUN["A"]
    assert isinstance(joint, JointItem) and joint.kind == "joint" and joint.variables == ("angle",)
    assert np.array_equal(joint.value, RUN.data["A.angle"]) and joint.value.attrs["units"] == "rad"
    assert np.array_equal(joint.rate, np.full(181, SPEED)) and joint.rate.attrs["units"] == "rad/s"
    assert joint.acceleration.attrs == {"units": "rad/s^2", "long_name": "acceleration of angle of A"}
    assert joint.jerk.attrs["units"] == "rad/s^3"
    assert np.array_equal(RUN.signal("A").values, joint.value)
    with pytest.raises(ModelError, match=re.escape("B: the run has no jerk; there is: B.angle, B.angle.rate")):
        RUN["B"].jerk


def test_a_joint_with_several_variables_is_asked_for_all() -> None:
    ball = TUMBLER["S"]
    assert list(ball.values) == ["qw", "qx", "qy", "qz"]
    assert list(ball.rates) == ["wx", "wy", "wz"] == list(ball.accelerations)
    assert list(ball.jerks) == ["wz"]
    assert np.array_equal(ball.rates["wz"], np.full(21, 2.0))
    with pytest.raises(ModelError, match=r"S: the joint has 4 variables; ask for \.rates"):
        ball.rate
    with pytest.raises(ModelError, match=r"'S' has several variables; there is: S.qw, "):
        TUMBLER["S.rate"]


def test_places_have_labelled_vectors() -> None:
    point, rod = RUN["P"], RUN["rod"]
    assert isinstance(point, PlaceItem) and (point.kind, rod.kind) == ("point", "body")
    assert point.position.dims == ("time", "axis") and rod.rotation.dims == ("time", "row", "column")
    assert np.array_equal(point.velocity.sel(axis="x"), RUN["P.vx"])
    assert point.acceleration.attrs["units"] == "m/s^2"
    assert rod.angular_velocity.attrs == {"units": "rad/s", "long_name": "angular velocity of rod"}
    assert np.array_equal(rod.angular_acceleration.sel(axis="z"), RUN["rod.angular_acceleration.z"])
    with pytest.raises(ModelError, match=r"P: the run has no rotation; there is: P\.position"):
        point.rotation
    for quantity in ("jerk", "angular_jerk"):
        with pytest.raises(ModelError, match=f"rod: the run has no {quantity}"):
            getattr(rod, quantity)


def test_the_made_run_is_a_motion() -> None:
    """The derivatives of the test's own formulas, by differences of fourth order."""
    run = slider_crank(2001)
    h = run.time[1]
    for value, derivative in (("D.slide", "D.rate"), ("D.rate", "D.acceleration"), ("P.y", "P.vy"), ("P.vx", "P.ax")):
        v, d = run[value].values, run[derivative].values
        slope = (v[:-4] - 8 * v[1:-3] + 8 * v[3:-1] - v[4:]) / (12 * h)
        assert np.allclose(slope, d[2:-2], atol=1e-8 * np.abs(d).max())
    assert np.allclose(
        run["D.slide"], CRANK * np.cos(run["A"].value) + np.sqrt(ROD**2 - (CRANK * np.sin(run["A"].value)) ** 2)
    )


def test_a_floating_body_is_a_body_with_variables() -> None:
    time = np.arange(3.0)
    run = build_run(
        time,
        mechanism="float",
        variables={"b.x": VariableHistory("m", time)},
        speeds={"b.vx": VariableHistory("m/s", time)},
        bodies={"b": PlaceHistory(np.stack([time, time, time], axis=1))},
    )
    assert run["b"].kind == "body" and run["b.x"].data.dims == ("time",)
    assert np.array_equal(run["b.y"].values, time) and np.array_equal(run["b.x.rate"].values, time)


def test_names_and_sizes() -> None:
    assert RUN.names[:6] == ("A", "B", "D", "crank", "rod", "P")
    assert RUN.names[6:8] == ("A.angle", "A.angle.rate") and RUN.names[-1] == "closure.iterations"
    assert all(n in RUN for n in RUN.names) and all(n in RUN for n in RUN.signals)
    assert "P.position.x" in RUN.signals and "rod.rotation.zz" in RUN.signals
    assert "time" in RUN and np.array_equal(RUN["time"], RUN.time)
    assert len(RUN) == 181 and 3 not in RUN and "A.slide" not in RUN
    assert (RUN.name, RUN.analysis, RUN.status, RUN.message, RUN.warnings) == (
        "slider-crank",
        "motion",
        "complete",
        "",
        (),
    )
    assert RUN.driven == {"A.angle": "ramp(0, 6.2832, duration=0.62832)"}
    with pytest.raises(TypeError, match="asked by name"):
        list(RUN)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("A.angel", "there is no signal 'A.angel'; did you mean 'A.angle'?"),
        ("P.positon", "there is no signal 'P.positon'; did you mean 'P.position'?"),
        ("crnk", "there is no signal 'crnk'; did you mean 'crank'?"),
        ("P.w", "there is no signal 'P.w'; did you mean 'P.vx'?"),
        ("P.rotation.xx", "there is no signal 'P.rotation.xx'; did you mean 'P.position.x'?"),
        (3, "a name is wanted, not int; write run['A.angle']"),
        ("closure", "there is no signal 'closure'"),
    ],
)
def test_unknown_names(name: object, text: str) -> None:
    with pytest.raises(ModelError) as caught:
        RUN[name]  # type: ignore[index]
    if name == "P.w":  # any near name will do
        assert "there is: " in str(caught.value) or "did you mean" in str(caught.value)
    else:
        assert str(caught.value).startswith(text)


def test_a_place_is_not_one_signal() -> None:
    with pytest.raises(ModelError, match=r"'P' is not a single signal; ask for one of: P\.x, P.y, P.z"):
        RUN.signal("P")


@given(
    st.text(max_size=12)
    | st.lists(
        st.sampled_from(["A", "P", "rod", "x", "v", "vx", "rate", "xy", "velocity", "", "time"]), max_size=4
    ).map(".".join)
)
@settings(max_examples=150, deadline=None)
def test_any_text_is_a_name_or_an_error(name: str) -> None:
    if name in RUN:
        found = RUN[name]
        assert isinstance(found, JointItem | PlaceItem) or len(found) == 181
    else:
        with pytest.raises(ModelError, match="there is no signal"):
            RUN[name]


words = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,5}", fullmatch=True)


@given(st.lists(words, min_size=2, max_size=6, unique=True), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_every_name_of_any_run_gives_its_own_numbers(names: list[str], random: object) -> None:
    """Names may be words of the layout, such as 'time' or 'x': each still finds its own array."""
    half = len(names) // 2
    joints, points = names[:half], names[half:]
    number = iter(range(1000))
    variables = {f"{j}.angle": VariableHistory("rad", [next(number)] * 2, [next(number)] * 2) for j in joints}
    places = {
        p: PlaceHistory([[next(number) for _ in range(3)]] * 2, [[next(number) for _ in range(3)]] * 2) for p in points
    }
    run = build_run([0.0, 1.0], mechanism="any", variables=variables, points=places)
    for joint in joints:
        assert run[joint].value[0] == variables[f"{joint}.angle"].value[0]  # type: ignore[index]
        assert run[f"{joint}.rate"][1] == variables[f"{joint}.angle"].rate[1]  # type: ignore[index]
    for point in points:
        for i, x in enumerate("xyz"):
            assert run[f"{point}.{x}"][0] == run[f"{point}.position.{x}"][0] == places[point].position[0][i]  # type: ignore[index]
            assert run[f"{point}.v{x}"][0] == places[point].velocity[0][i]  # type: ignore[index]


# -------------------------------------------------------------------- signals are arrays


def test_a_signal_stands_for_an_array() -> None:
    angle = RUN["A.angle"]
    assert np.array_equal(angle / deg, angle.values / deg) and np.array_equal(2 - angle, 2 - angle.values)
    assert np.max(angle) == 2 * np.pi and np.sum(angle) == angle.values.sum()
    assert np.array_equal(np.sin(angle), np.sin(angle.values)) and len(angle) == 181 and angle[-1] == 2 * np.pi
    assert np.array_equal(angle > 1.0, angle.values > 1.0)
    assert np.asarray(angle) is angle.values and np.array(angle, copy=True) is not angle.values
    assert angle.to("deg")[-1] == 360.0 and RUN["A.rate"].to("rpm")[0] == pytest.approx(SPEED * 30 / np.pi, rel=1e-15)
    with pytest.raises(ModelError, match=r"A\.angle: 'mm' measures length, not angle; it is in rad"):
        angle.to("mm")
    assert repr(angle) == "Signal('A.angle' [rad]: 181 samples, 0 .. 6.28319)"
    assert repr(RUN["P"]).startswith("PlaceItem('P', point)\n  P.position, ")
    assert repr(RUN["A"]).startswith("JointItem('A')\n  A.angle, ")


# -------------------------------------------------------------------- samples


def test_one_sample() -> None:
    sample = RUN.isel(45)
    assert sample["time"] == RUN.time[45] and sample["A.angle"] == RUN["A.angle"][45]
    assert type(sample["A.angle"]) is float and type(sample["closure.iterations"]) is int
    assert np.array_equal(sample["P.position"], RUN["P"].position[45]) and sample["rod.rotation"].shape == (3, 3)
    assert RUN.isel(-1)["A.angle"] == 2 * np.pi
    with pytest.raises(ModelError, match="there is no sample 181; they go from 0 to 180"):
        RUN.isel(181)


def test_a_sample_at_a_time() -> None:
    t = RUN.time
    assert RUN.at(t[7])["A.angle"] == RUN["A.angle"][7]
    assert RUN.at(float(np.nextafter(t[7], 1)))["time"] == t[7]
    between = 0.75 * t[7] + 0.25 * t[8]
    with pytest.raises(ModelError, match=r"at: there is no sample at 0.0253.* s; the nearest is at 0.0244.* s; give a"):
        RUN.at(between)
    assert RUN.at(between, tolerance=t[1])["time"] == t[7]
    with pytest.raises(ModelError, match="tolerance"):
        RUN.at(between, tolerance=-1.0)
    with pytest.raises(ModelError, match="a time is a finite number"):
        RUN.at(float("nan"))


def test_the_line_between_two_samples() -> None:
    t = RUN.time
    sample = RUN.at(0.75 * t[7] + 0.25 * t[8], interpolate=True)
    assert sample["A.angle"] == pytest.approx(0.75 * RUN["A.angle"][7] + 0.25 * RUN["A.angle"][8], rel=1e-14)
    assert sample["closure.iterations"] == RUN["closure.iterations"][7]
    R = sample["rod.rotation"]
    assert np.allclose(R @ R.T, np.eye(3), atol=1e-15)
    assert np.array_equal(RUN.at(t[7], interpolate=True)["rod.rotation"], RUN["rod.rotation"][7])
    with pytest.raises(ModelError, match=r"at: 9 s is outside of the run; it goes from 0 s to 0.628318531 s"):
        RUN.at(9.0, interpolate=True)


def test_quaternions_between_samples_are_rotations_whatever_their_sign() -> None:
    half = 0.3
    first, second = np.array([1.0, 0, 0, 0]), -np.array([np.cos(half), 0, 0, np.sin(half)])
    rows = np.stack([first, second])
    variables = {f"S.{c}": VariableHistory("1", rows[:, i]) for i, c in enumerate(("qw", "qx", "qy", "qz"))}
    sample = build_run([0.0, 1.0], mechanism="ball", variables=variables).at(0.5, interpolate=True)
    assert sample["S.qw"] == pytest.approx(np.cos(half / 2), rel=1e-15)
    assert sample["S.qz"] == pytest.approx(np.sin(half / 2), rel=1e-15)


def test_of_two_samples_at_one_time_the_later_counts() -> None:
    run = build_run([0.0, 1.0, 1.0, 2.0], mechanism="hit", variables={"A.angle": VariableHistory("rad", [0, 1, 5, 6])})
    assert run.at(1.0)["A.angle"] == 5.0
    assert run.at(0.5, interpolate=True)["A.angle"] == 0.5
    assert run.at(1.5, interpolate=True)["A.angle"] == 5.5


def test_parts_of_a_run() -> None:
    part = RUN.sel(0.1, 0.2)
    inside = (RUN.time >= 0.1) & (RUN.time <= 0.2)
    assert np.array_equal(part.time, RUN.time[inside]) and np.array_equal(part["P.x"], RUN["P.x"].values[inside])
    assert "(a part: 29 of 181 samples)" in str(part)
    tenth = RUN.isel(slice(None, None, 10))
    assert len(tenth) == 19 and tenth.evidence.asked == 181
    assert len(RUN.sel(stop=-1.0)) == 0 and len(RUN.sel()) == 181
    assert "2 of 29 samples of 29 of 181 samples" in part.isel(slice(0, 2)).summary()
    with pytest.raises(ModelError, match="time would run backwards"):
        RUN.isel(slice(None, None, -1))


# -------------------------------------------------------------------- it never changes


def test_a_run_never_changes() -> None:
    with pytest.raises(AttributeError, match="never changes"):
        RUN.evidence = None  # type: ignore[assignment, misc]
    with pytest.raises(AttributeError, match="never changes"):
        del RUN.evidence
    for array in (RUN["A.angle"].values, RUN["P"].position.values, RUN.time, RUN.data["P.position"].values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    own = RUN.data
    own["A.angle"] = own["A.angle"] * 2
    own.attrs["warnings"].append("mine")
    own.attrs["joints"]["A"].append("mine")
    assert RUN["A.angle"][-1] == 2 * np.pi and RUN.warnings == () and RUN.data.attrs["joints"]["A"] == ["angle"]
    given = np.arange(2.0)
    run = build_run(given, mechanism="m", variables={"A.angle": VariableHistory("rad", given)})
    given[0] = 7.0
    assert run["A.angle"][0] == 0.0


def test_a_dataset_of_the_user_becomes_a_run() -> None:
    own = RUN.data
    own["A.torque"] = ("time", np.arange(181.0), {"units": "N m"})
    assert Run(own)["A.torque"][3] == 3.0
    own["A.torque"].values[3] = 9.0
    for again in (copy.deepcopy(RUN), copy.copy(RUN), pickle.loads(pickle.dumps(RUN))):
        assert again.data.identical(RUN.data)


def test_a_dataset_that_departs_from_the_layout_is_refused() -> None:
    own = RUN.data
    own["torque"] = ("time", np.arange(181.0), {"units": "N mm"})
    own["A.word"] = ("time", ["a"] * 181, {"units": "1"})
    own["A.more"] = ("other", [1.0], {"units": "1"})
    own.attrs |= {"status": 3, "asked": True, "warnings": "none"}
    del own.attrs["driven"]
    with pytest.raises(ModelError) as caught:
        Run(own)
    text = str(caught.value)
    for part in (
        "torque: this is not the name of a result",
        "torque: 'N mm' is not an SI unit; results are kept in 'N m'",
        "A.word: these are not real numbers",
        "A.more: the dimensions ('other',) do not fit",
        "status: the attribute is not plain text",
        "asked: the attribute is not a whole number",
        "warnings: the attribute is not a list of texts",
        "driven: the attribute is missing",
    ):
        assert part in text
    with pytest.raises(ModelError, match="not a run of Linkwork"):
        Run(own.drop_attrs())


# -------------------------------------------------------------------- evidence and words


def test_evidence() -> None:
    found = RUN.evidence
    assert found.complete and (found.asked, found.reached) == (181, 181)
    assert found.span == (0.0, RUN.time[-1])
    assert found.worst_residual == 2e-16 and found.worst_residual_at == RUN.time[45]
    assert found.smallest_quality == pytest.approx(np.sqrt(1 - (CRANK / ROD) ** 2), rel=1e-14)
    assert found.smallest_quality_at in (RUN.time[45], RUN.time[135])
    assert found.iterations == sum(i % 4 for i in range(181)) and found.most_iterations == 3
    assert found.mobility == (1,) and found.residual_unit == "m"


def test_a_stopped_run_keeps_what_it_reached() -> None:
    run = slider_crank(40, status="stopped", message="the loop cannot close beyond 1.2 rad", asked=181)
    assert not run.evidence.complete and run.evidence.asked == 181 and run.evidence.reached == len(run) == 40
    assert "  status: stopped after 40 of 181 samples: the loop cannot close beyond 1.2 rad" in run.summary()


def test_a_run_may_have_reached_nothing() -> None:
    run = build_run(
        [],
        mechanism="m",
        variables={"A.angle": VariableHistory("rad", [])},
        closure=ClosureHistory([], [], [], []),
        points={"P": PlaceHistory(np.zeros((0, 3)))},
        status="stopped",
        message="it does not assemble",
        asked=10,
    )
    assert len(run) == 0 and run and run.evidence.span is None and run.evidence.worst_residual is None
    assert run.evidence.iterations is None
    assert (
        "samples: 0 of 10\n" in str(run) and "not assemble" in str(run) and repr(run["A.angle"]).endswith("0 samples)")
    )
    with pytest.raises(ModelError, match="the run has no samples"):
        run.at(0.0)
    with pytest.raises(ModelError, match="there is no sample 0; the run reached none"):
        run.isel(0)


def test_numbers_that_are_not_finite_are_kept_and_reported() -> None:
    values = np.array([0.0, np.nan, np.inf])
    run = build_run(
        [0.0, 0.5, 1.0],
        mechanism="m",
        variables={"A.angle": VariableHistory("rad", values)},
        closure=ClosureHistory(residual=[0.0, np.nan, 1.0]),
        warnings=["mine"],
    )
    assert run.warnings == (
        "mine",
        "A.angle is not finite at 2 of 3 samples, first at 0.5 s",
        "closure.residual is not finite at 1 of 3 samples, first at 0.5 s",
    )
    assert np.isnan(run["A.angle"][1]) and np.isnan(run.evidence.worst_residual)
    plain = run.to_dict()
    assert plain["signals"]["A.angle"]["values"] == [0.0, None, None]
    assert plain["evidence"]["worst_residual"] is None
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain


def test_summary() -> None:
    assert str(RUN) == RUN.summary()
    assert RUN.summary().splitlines() == [
        "motion of slider-crank",
        "  samples: 181, time 0 s to 0.628319 s",
        "  driven: A.angle = ramp(0, 6.2832, duration=0.62832)",
        "  status: complete",
        "  largest residual: 2.00e-16 m at 0.15708 s",
        f"  smallest quality: 0.968 at {RUN.evidence.smallest_quality_at:.6g} s",
        "  iterations: 270, at most 3 a sample",
    ]
    head = "Run('slider-crank', motion: complete, 181 samples)\n  3 joints, 3 places, 29 variables"
    assert repr(RUN).splitlines() == [*head.splitlines(), *RUN.summary().splitlines()[1:]]
    noisy = slider_crank(5, warnings=[f"w{i}" for i in range(20)], closure=ClosureHistory(mobility=[1, 1, 2, 1, 1]))
    assert "  mobility: changes: 1, 2" in str(noisy) and "  warning: and 8 more" in str(noisy)


def test_html_is_escaped() -> None:
    text = slider_crank(5, mechanism="<script>", warnings=["a & <b>"])._repr_html_()
    assert "<script>" not in text and "&lt;script&gt;" in text and "a &amp; &lt;b&gt;" in text


def test_plain_data_and_table() -> None:
    plain = RUN.to_dict()
    assert plain["mechanism"] == "slider-crank" and plain["time"] == RUN.time.tolist()
    assert plain["signals"]["P.position"] == {"units": "m", "values": RUN["P.position"].values.tolist()}
    assert plain["evidence"]["worst_residual"] == 2e-16
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    frame = RUN.to_pandas()
    assert tuple(frame.columns) == RUN.signals and frame.index.name == "time" and len(frame) == 181
    assert all(np.array_equal(frame[name], RUN[name]) for name in RUN.signals)


# -------------------------------------------------------------------- building


def test_everything_wrong_is_reported_at_once() -> None:
    with pytest.raises(ModelError) as caught:
        build_run(
            [0.0, 2.0, 1.0],
            mechanism="bad",
            variables={
                "A.angle": VariableHistory("deg", [0, 0, 0]),
                "A": VariableHistory("rad", [0, 0, 0]),
                "B.angle": VariableHistory("rad", [0, 0], ["a", "b", "c"]),
            },
            speeds={"S.wx": VariableHistory("rad/s", [0, 0, 0], rate=[0, 0, 0])},
            bodies={"P": PlaceHistory(np.zeros((3, 3)))},
            points={"P": PlaceHistory(np.zeros((3, 3))), "Q": PlaceHistory([[0, 0], [0], [0, 0, 0]])},
            signals={
                "A torque": ("N m", [0, 0, 0]),
                "A.power": ("frob", [[0], [0, 0], 0]),
                "A.x": ("m", np.zeros((3, 2))),
            },
            closure=ClosureHistory(iterations=[1.5, 2, 3]),
        )
    text = str(caught.value)
    for part in (
        "bad: ",
        "time: time runs backwards after sample 1; sort the samples by time",
        "A.angle: 'deg' is not an SI unit; results are kept in 'rad'",
        "A: a joint variable is joint.variable",
        "B.angle: an array of shape (2,) is given, (3,) is wanted; the first axis counts the samples",
        "B.angle.rate: these are not real numbers",
        "S.wx: a speed has no rate",
        "P.position: there are two results of this name",
        "Q.position: these are not real numbers",
        "A torque: this is not the name of a result",
        "A.power: there is no unit 'frob'",
        "A.x: an array of shape (3, 2) is given",
        "closure.iterations: these are not whole numbers",
    ):
        assert part in text, part


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"status": "done"}, "status: 'done' is no status; it is complete or stopped"),
        ({"message": "a\0b"}, "message: the attribute is not plain text"),
        ({"asked": -1}, "asked: the number of samples is negative"),
        ({"warnings": [3]}, "warnings: the attribute is not a list of texts"),
        ({"driven": {"A": 3}}, "driven: the attribute is not a table of texts"),
    ],
)
def test_wrong_attributes(change: dict[str, object], text: str) -> None:
    with pytest.raises(ModelError, match=re.escape(text)):
        slider_crank(3, **change)


def test_time_must_be_finite() -> None:
    with pytest.raises(ModelError, match="time: there are numbers that are not finite"):
        build_run([0.0, np.nan], mechanism="m")


def test_both_kinds_of_files_can_be_written(tmp_path: Path) -> None:
    for ending in ("nc", "csv"):
        assert load_run(RUN.save(tmp_path / f"run.{ending}")).data.identical(RUN.data)


def test_importing_results_is_quick() -> None:
    code = "import sys, linkwork.results; print({'xarray', 'pandas', 'matplotlib', 'h5py'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
