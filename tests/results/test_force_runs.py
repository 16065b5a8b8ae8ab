"""Runs that carry forces: more signals, reactions by name, and components that statics leaves open."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from made_runs import SPEED, slider_crank, tumbling

from linkwork import ModelError, energy, load_run
from linkwork.results import GroupItem, JointItem, Run, extended

SAMPLES = 181
MOTION = slider_crank(SAMPLES)
ANGLE = MOTION["A.angle"].values
SECRET = 4321.5
"""The numbers of one solution of many: they must be seen nowhere."""
COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")


def vector(x: Any, y: Any, z: Any) -> Any:
    return np.stack([x + 0 * ANGLE, y + 0 * ANGLE, z + 0 * ANGLE], axis=1)


SIGNALS: dict[str, tuple[str, Any]] = {
    "A.angle.effort": ("N m", 3.0 * np.sin(ANGLE)),
    "A.angle.power": ("W", 3.0 * np.sin(ANGLE) * SPEED),
    "B.force": ("N", vector(40 * np.cos(ANGLE), 30 * np.sin(ANGLE), SECRET)),
    "B.moment": ("N m", vector(SECRET, SECRET, 2 * np.sin(ANGLE))),
    "D.force": ("N", vector(0, 60 * np.sin(ANGLE), 0)),
    "D.moment": ("N m", vector(0, 0, np.cos(ANGLE))),
    "W.force": ("N", vector(1, 2, 2)),
    "W.moment": ("N m", vector(0, 0, 0)),
    "coil.tension": ("N", 5.0 + np.cos(ANGLE)),
    "coil.power": ("W", np.cos(ANGLE)),
    "gas.force": ("N", 7.0 + 0 * ANGLE),
    "machine.kinetic_energy": ("J", 0.5 * SPEED**2 + 0 * ANGLE),
    "machine.momentum": ("N s", vector(np.cos(ANGLE), np.sin(ANGLE), 0)),
    "machine.power_balance": ("W", 3e-12 * np.cos(ANGLE)),
}
MARKS = {"B": ["fz", "mx", "my"]}
FORCES = extended(MOTION, SIGNALS, indeterminate=MARKS, warnings=["B is stiff", "B is stiff"])
OPEN = "statically indeterminate: the loops leave"


# -------------------------------------------------------------------- extended


def test_the_run_with_more_signals() -> None:
    machine = object()
    run = extended(slider_crank(machine=machine), SIGNALS, indeterminate=MARKS, held=["D.slide"])
    assert run.analysis == "forces" and run.machine is machine and run.name == "slider-crank" and len(run) == SAMPLES
    assert run.driven == MOTION.driven == FORCES.driven and run.held == ("D.slide",) and FORCES.held == ()
    assert FORCES.indeterminate == {"B": ("fz", "mx", "my")} and MOTION.indeterminate == {}
    assert FORCES.warnings == ("B is stiff",)
    for name, variable in MOTION.data.data_vars.items():
        assert FORCES.data[name].identical(variable)
    for name, (unit, array) in SIGNALS.items():
        stored = FORCES.data[name]
        assert stored.attrs["units"] == unit and np.array_equal(stored.values, array)  # also what is indeterminate
        assert not stored.values.flags.writeable
    assert "A.angle.effort" not in MOTION and MOTION.analysis == "motion"
    assert FORCES.data["A.angle.effort"].attrs["long_name"] == "effort of angle of A"
    assert FORCES.data["machine.kinetic_energy"].attrs["long_name"] == "kinetic energy of machine"


def test_in_two_steps_it_is_the_same() -> None:
    names = list(SIGNALS)
    first = extended(MOTION, {n: SIGNALS[n] for n in names[:4]}, indeterminate={"B": ["fz"]}, warnings=["B is stiff"])
    both = extended(first, {n: SIGNALS[n] for n in names[4:]}, indeterminate={"B": ["fz", "mx", "my"], "D": []})
    assert both.data.identical(FORCES.data)
    assert extended(MOTION, {}, analysis="statics").analysis == "statics"


def test_a_run_without_vectors_gets_axes() -> None:
    bare = Run(MOTION.data[["A.angle"]].drop_dims(["axis", "row", "column"], errors="ignore"))
    run = extended(bare, {"A.force": ("N", np.ones((SAMPLES, 3)))})
    assert run.data["A.force"].dims == ("time", "axis") and list(run.data["axis"].values) == ["x", "y", "z"]


def test_everything_that_does_not_fit_is_listed() -> None:
    wrong = {
        "B.force": ("N", np.zeros((SAMPLES, 3))),
        "B.power": ("hp", np.zeros(SAMPLES)),
        "C.force": ("N", np.zeros((SAMPLES - 1, 3))),
        "D.moment": ("N m", np.zeros((SAMPLES, 2))),
        "effort": ("N", np.zeros(SAMPLES)),
        "E.effort": ("N", ["a"] * SAMPLES),
        "E.power": ("mW", np.zeros(SAMPLES)),
    }
    run = extended(MOTION, {"B.force": SIGNALS["B.force"]})
    with pytest.raises(ModelError) as caught:
        extended(run, wrong, indeterminate={"B": ["fz", "f", "mx"], "Q": ["my"]})
    found = {(p.where, p.what) for p in caught.value.problems}
    assert ("B.force", "the run has a result of this name") in found
    assert ("E.power", "'mW' is not an SI unit") in found
    assert ("E.effort", "these are not real numbers") in found
    assert ("effort", "this is not the name of a result") in found
    assert ("B.f", "this is no component of a reaction") in found
    assert ("B.mx", "it is marked as indeterminate, but there is no vector 'B.moment'") in found
    assert ("Q.my", "it is marked as indeterminate, but there is no vector 'Q.moment'") in found
    assert {"B.power", "C.force", "D.moment"} <= {p.where for p in caught.value.problems}
    assert len(found) == 10


def test_numbers_that_are_not_finite_are_told_but_not_where_there_are_none() -> None:
    gap = vector(1, np.nan, np.nan)
    run = extended(MOTION, {"B.force": ("N", gap)}, indeterminate={"B": ["fz"]})
    assert run.warnings == ("B.force is not finite at 181 of 181 samples, first at 0 s",)
    assert extended(MOTION, {"B.force": ("N", gap)}, indeterminate={"B": ["fy", "fz"]}).warnings == ()


# -------------------------------------------------------------------- by name


def test_drives() -> None:
    for name in ("A.effort", "A.angle.effort"):
        assert np.array_equal(FORCES[name], 3.0 * np.sin(ANGLE)) and FORCES[name].unit == "N m"
    assert np.array_equal(FORCES["A"].effort, FORCES["A.effort"])
    assert np.array_equal(FORCES["A"].power, FORCES["A.power"]) and FORCES["A"].power.attrs["units"] == "W"
    assert list(FORCES["A"].efforts) == list(FORCES["A"].powers) == ["angle"] and FORCES["B"].efforts == {}
    with pytest.raises(ModelError, match=r"B: the run has no effort; there is: B.angle,"):
        FORCES["B"].effort
    with pytest.raises(ModelError, match=r"A: the run has no force; there is: A.angle,"):
        FORCES["A"].force
    with pytest.raises(ModelError, match=r"no signal 'A.efort'; did you mean 'A.effort'"):
        FORCES["A.efort"]
    for asked, meant in (("A.torque", "A.effort"), ("A.angle.torque", "A.angle.effort"), ("B.velocity", "B.rate")):
        with pytest.raises(ModelError, match=f"no signal '{asked}'; did you mean '{meant}'"):
            FORCES[asked]
    with pytest.raises(ModelError) as caught:
        FORCES["B.torque"]  # it has none
    assert "effort" not in str(caught.value)


def test_drives_of_joints_with_several_variables() -> None:
    still = tumbling()
    run = extended(still, {"F.z.effort": ("N", 6.0 + 0 * still.time), "S.wz.effort": ("N m", still.time)})
    assert list(run["F"].efforts) == ["z"] and list(run["S"].efforts) == ["wz"]
    assert run["F.z.effort"].unit == "N"
    with pytest.raises(ModelError, match=r"F: the joint has 7 variables; ask for \.efforts"):
        run["F"].effort
    for asked in ("F.effort", "F.torque"):
        with pytest.raises(ModelError, match="'F' has several variables"):
            run[asked]


def test_reactions() -> None:
    joint = FORCES["D"]
    assert isinstance(joint, JointItem) and joint.indeterminate == ()
    assert joint.force.dims == ("time", "axis") and joint.moment.attrs["units"] == "N m"
    assert np.array_equal(FORCES["D.fy"], 60 * np.sin(ANGLE)) and FORCES["D.fy"].unit == "N"
    assert np.array_equal(FORCES["D.mz"], FORCES["D.moment.z"]) and FORCES["D.mz"].unit == "N m"
    assert np.array_equal(FORCES["D.force.magnitude"], abs(60 * np.sin(ANGLE)))
    assert FORCES["D.fy"].data.attrs["long_name"] == "y of force of D"
    assert all(f"D.{c}" in FORCES for c in COMPONENTS) and "A.fx" not in FORCES and "gas.fx" not in FORCES
    with pytest.raises(ModelError, match=r"no signal 'D.fw'; did you mean 'D.fx'|'D.fy'|'D.fz'"):
        FORCES["D.fw"]


def test_a_joint_that_nothing_moves() -> None:
    weld = FORCES["W"]
    assert weld.kind == "joint" and weld.variables == weld.speeds == () and "W" in FORCES and "W" in FORCES.names
    assert np.array_equal(FORCES["W.force.magnitude"], np.full(SAMPLES, 3.0))
    assert [line.get_label() for line in weld.plot()[0].lines] == ["W.force.x", "W.force.y", "W.force.z"]
    assert len(FORCES.plot("W")[0].lines) == 3
    with pytest.raises(ModelError, match=r"'W' is not a single signal; ask for one of: W.force.x, W.force.y,"):
        FORCES.signal("W")
    with pytest.raises(ModelError, match="W: the joint has 0 variables"):
        weld.value


def test_loads_and_the_machine() -> None:
    coil = FORCES["coil"]
    assert isinstance(coil, GroupItem) and coil.kind == "group" and coil.name == "coil" and "coil" in FORCES
    assert coil.quantities == ("tension", "power") and list(coil.signals) == ["coil.tension", "coil.power"]
    assert np.array_equal(coil.tension, FORCES["coil.tension"]) and coil.tension.attrs["units"] == "N"
    assert {"tension", "power", "plot"} <= set(dir(coil)) and not hasattr(coil, "force")
    assert repr(coil) == "GroupItem('coil')\n  coil.tension, coil.power"
    assert np.array_equal(FORCES["machine"].momentum, FORCES["machine.momentum"])
    assert FORCES["machine.momentum.y"].unit == "N s" and FORCES["gas"].force.dims == ("time",)
    assert len(coil.plot()) == 2 and len(coil.plot("tension")) == 1
    assert copy.copy(coil).tension is coil.tension
    with pytest.raises(AttributeError, match=r"the run has no stress of coil; there is: coil.tension, coil.power"):
        coil.stress
    with pytest.raises(ModelError, match="'tenson' cannot be plotted; did you mean 'tension'"):
        coil.plot("tenson")
    with pytest.raises(ModelError, match=r"'coil' is not a single signal; ask for one of: coil.tension, coil.power"):
        FORCES.signal("coil")
    with pytest.raises(ModelError, match="no signal 'coill'; did you mean 'coil'"):
        FORCES["coill"]


# -------------------------------------------------------------------- what is indeterminate


@pytest.mark.parametrize("name", ["B.fz", "B.force.z"])
def test_no_number_by_name(name: str) -> None:
    assert name not in FORCES
    with pytest.raises(ModelError, match=f"{name}: fz of B is {OPEN} it open"):
        FORCES[name]
    with pytest.raises(ModelError, match=OPEN):
        FORCES.signal(name)
    with pytest.raises(ModelError, match=OPEN):
        FORCES.plot("A.angle", name)
    with pytest.raises(ModelError, match=OPEN):
        FORCES.plot("A.angle", x=name)


@pytest.mark.parametrize("marked", [["fx", "fz"], ["fz", "mz"], ["fx", "mx", "my"]])
def test_no_magnitude_of_a_vector_that_is_open(marked: list[str]) -> None:
    run = extended(MOTION, SIGNALS, indeterminate={"B": marked})
    which, verb, those = ("fx, fz", "are", "them") if marked[1] == "fz" else (marked[0], "is", "it")
    with pytest.raises(ModelError, match=f"B.force.magnitude: {which} of B {verb} {OPEN} {those} open"):
        run["B.force.magnitude"]
    assert "B.force.magnitude" not in run and "D.force.magnitude" in run


def test_magnitudes_in_the_plane_of_a_planar_machine() -> None:
    force, moment = FORCES["B.force.magnitude"], FORCES["B.moment.magnitude"]
    np.testing.assert_allclose(force.values, np.hypot(40 * np.cos(ANGLE), 30 * np.sin(ANGLE)), rtol=1e-14)
    np.testing.assert_allclose(moment.values, np.abs(2 * np.sin(ANGLE)), rtol=1e-14)
    assert force.data.attrs["long_name"] == "magnitude of force of B in the plane, without fz"
    assert moment.data.attrs["indeterminate"] == ("mx", "my") and "fz indeterminate" in repr(force)
    FORCES.plot("B.force.magnitude")


def test_everything_wrong_with_a_plot_is_told_at_once() -> None:
    with pytest.raises(ModelError) as caught:
        FORCES.plot("B.fz", "B.nonsense", "B.mx")
    assert [p.what.partition(":")[0] for p in caught.value.problems] == [
        "fz of B is statically indeterminate",
        "there is no signal 'B.nonsense'",
        "mx of B is statically indeterminate",
    ]


def test_vectors_have_nan_for_it() -> None:
    joint = FORCES["B"]
    assert joint.indeterminate == ("fz", "mx", "my")
    for found in (joint.force, FORCES["B.force"].data, FORCES["B"].signals["B.force"].data):
        assert np.array_equal(found.values[:, :2], SIGNALS["B.force"][1][:, :2]) and np.isnan(found.values[:, 2]).all()
        assert found.attrs["indeterminate"] == ("fz",)
        assert not found.values.flags.writeable
    assert np.isnan(joint.moment.values[:, :2]).all() and np.array_equal(joint.moment.values[:, 2], 2 * np.sin(ANGLE))
    assert FORCES["B.force"].indeterminate == ("fz",) and FORCES["B.fx"].indeterminate == ()
    assert FORCES["D.force"].indeterminate == () and "indeterminate" not in FORCES["B.fx"].data.attrs
    assert repr(FORCES["B.force"]) == "Signal('B.force' [N]: 181 x 3 samples, -40 .. 40, fz indeterminate)"


def test_samples_and_tables_have_no_number_of_it() -> None:
    middle = 0.5 * (FORCES.time[3] + FORCES.time[4])
    for sample in (FORCES.isel(3), FORCES.at(FORCES.time[3]), FORCES.at(middle, interpolate=True)):
        assert np.isnan(sample["B.force"]).tolist() == [False, False, True]
        assert np.isnan(sample["B.moment"]).tolist() == [True, True, False]
    table = FORCES.to_pandas()
    assert table["B.force.z"].isna().all() and np.array_equal(table["B.force.x"], FORCES["B.fx"])
    assert [n for n in table.columns if n not in FORCES.signals] == ["B.force.z", "B.moment.x", "B.moment.y"]
    assert all(np.isfinite(FORCES[n]).all() for n in FORCES.signals)
    plain = FORCES.to_dict()
    assert plain["indeterminate"] == MARKS and plain["signals"]["B.force"]["values"][0] == [40.0, 0.0, None]
    assert str(SECRET) not in json.dumps(plain, allow_nan=False)


def test_it_is_seen_nowhere(tmp_path: Path) -> None:
    for text in (str(FORCES), repr(FORCES), FORCES._repr_html_(), str(FORCES.evidence.as_dict()), repr(FORCES["B"])):
        assert str(SECRET) not in text
    panels = FORCES.plot("B.force", "B.moment", "A.effort")
    for ending in ("svg", "csv"):
        assert str(SECRET) not in panels.save(tmp_path / f"plot.{ending}").read_text(encoding="utf-8")
    assert str(SECRET) not in FORCES.save(tmp_path / "run.csv").read_text(encoding="utf-8")
    assert str(SECRET) not in panels.plotly().to_json()


def test_parts_and_copies_keep_the_marks() -> None:
    stop = float(FORCES.time[20])
    for part in (FORCES.isel(slice(0, None, 10)), FORCES.sel(0.0, stop), pickle.loads(pickle.dumps(FORCES))):
        assert part.indeterminate == FORCES.indeterminate and part.analysis == "forces" and "B.fz" not in part
        assert (part.data["B.force"].values[:, 2] == SECRET).all()
        assert np.isnan(part["B"].force.values[:, 2]).all()
    assert Run(FORCES.data).indeterminate == FORCES.indeterminate


# -------------------------------------------------------------------- files


def test_netcdf_keeps_everything(tmp_path: Path) -> None:
    again = load_run(FORCES.save(tmp_path / "run.nc"))
    assert again.data.identical(FORCES.data) and again.evidence == FORCES.evidence
    assert again.indeterminate == FORCES.indeterminate and "B.fz" not in again
    assert (again.data["B.force"].values[:, 2] == SECRET).all()


def test_csv_keeps_all_but_the_numbers_that_mean_nothing(tmp_path: Path) -> None:
    path = FORCES.save(tmp_path / "run.csv")
    assert '# indeterminate: {"B": ["fz", "mx", "my"]}' in path.read_text(encoding="utf-8")
    again = load_run(path)
    assert again.evidence == FORCES.evidence and again.warnings == FORCES.warnings  # no warning of what is not finite
    assert again.indeterminate == FORCES.indeterminate
    assert again.data.drop_vars(["B.force", "B.moment"]).identical(FORCES.data.drop_vars(["B.force", "B.moment"]))
    assert again["B"].force.identical(FORCES["B"].force) and again["B"].moment.identical(FORCES["B"].moment)


def test_files_of_earlier_versions(tmp_path: Path) -> None:
    old = MOTION.data
    del old.attrs["indeterminate"]
    assert Run(old).indeterminate == {} and Run(old).data.identical(MOTION.data)
    text = MOTION.save(tmp_path / "new.csv").read_text(encoding="utf-8")
    (tmp_path / "old.csv").write_text(text.replace("# indeterminate: {}\n", ""), encoding="utf-8")
    assert load_run(tmp_path / "old.csv").data.identical(MOTION.data)
    h5py = pytest.importorskip("h5py")
    with h5py.File(MOTION.save(tmp_path / "old.nc"), "a") as file:
        del file.attrs["indeterminate"]
    assert load_run(tmp_path / "old.nc").data.identical(MOTION.data)


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ("[]", "indeterminate: the attribute is not a table"),
        ('{"B": "fz"}', "indeterminate: the attribute is not a table"),
        ('{"B": [3]}', "indeterminate: the attribute is not a table"),
        ('{"B": ["up"]}', "B.up: this is no component of a reaction"),
        ('{"A": ["fz"]}', "A.fz: it is marked as indeterminate, but there is no vector 'A.force'"),
        ('{"gas": ["fz"]}', "gas.fz: it is marked as indeterminate, but there is no vector 'gas.force'"),
    ],
)
def test_marks_that_do_not_fit(tmp_path: Path, marks: str, message: str) -> None:
    path = FORCES.save(tmp_path / "run.csv")
    text = path.read_text(encoding="utf-8").replace('{"B": ["fz", "mx", "my"]}', marks)
    path.write_text(text.replace("nan", "0.0"), encoding="utf-8")
    with pytest.raises(ModelError, match=message):
        load_run(path)
    data = FORCES.data
    data.attrs["indeterminate"] = json.loads(marks)
    with pytest.raises(ModelError, match=message):
        Run(data)


# -------------------------------------------------------------------- evidence


def test_evidence() -> None:
    found = FORCES.evidence.forces
    assert found is not None and MOTION.evidence.forces is None
    (effort,) = found.efforts
    assert (effort.name, effort.unit) == ("A.angle", "N m")
    chords = (2.0 + np.cos(ANGLE[1] - ANGLE[0])) / 3.0  # straight lines have so much of a sine's square
    assert abs(effort.value) == pytest.approx(3.0, rel=1e-12)
    assert effort.rms == pytest.approx(3 * (chords / 2) ** 0.5, rel=1e-12)
    assert effort.rms == pytest.approx(energy(FORCES)["A"].rms_effort, rel=1e-14)
    assert found.largest_force is not None and found.largest_moment is not None
    assert found.largest_force.name == "D" and found.largest_force.value == pytest.approx(60.0, rel=1e-12)
    assert found.largest_force.at == pytest.approx(np.pi / 2 / SPEED, rel=1e-12)
    assert found.largest_moment.name == "B" and found.largest_moment.value == pytest.approx(2.0, rel=1e-12)
    assert found.indeterminate == ("B.fz", "B.mx", "B.my")
    assert found.power_error == pytest.approx(3e-12, rel=1e-12) and found.power_error_at == 0.0
    assert found.largest_power == pytest.approx(3.0 * SPEED, rel=1e-12)
    assert FORCES.evidence.as_dict()["forces"]["efforts"][0]["name"] == "A.angle"
    assert hash(FORCES.evidence) == hash(Run(FORCES.data).evidence)


def test_what_is_printed() -> None:
    lines = str(FORCES).splitlines()
    assert lines[0] == "forces of slider-crank"
    assert "  effort: A.angle, peak 3 N m at 0.15708 s, rms 2.1211 N m" in lines
    assert "  largest force: D, peak 60 N at 0.15708 s" in lines
    assert "  largest moment: B, peak 2 N m at 0.15708 s, without mx, my" in lines
    assert "  indeterminate: B.fz, B.mx, B.my" in lines
    assert "  power balance: 3.00e-12 W off at 0 s, 1.0e-13 of the largest power, 30 W" in lines
    assert "effort" not in str(MOTION) and "indeterminate" not in str(MOTION)
    alone = extended(MOTION, {"machine.power_balance": ("W", 1e-9 + 0 * ANGLE)})
    assert str(alone).splitlines()[-1] == "  power balance: 1.00e-09 W off at 0 s"


@given(st.lists(st.tuples(st.floats(0.001, 1.0), st.floats(-100, 100)), min_size=1, max_size=12))
def test_peak_and_rms_of_uneven_samples(steps: list[tuple[float, float]]) -> None:
    """The rms of straight lines between the samples, by plain sums; the peak is the largest in size."""
    gaps, values = np.array(steps).T
    time = np.cumsum(gaps)
    data = MOTION.isel(slice(0, len(time))).data.assign_coords(time=("time", time, {"units": "s", "long_name": "time"}))
    found = extended(Run(data), {"A.angle.effort": ("N m", values)}).evidence.forces
    assert found is not None
    (effort,) = found.efforts
    square = sum(g * (a**2 + a * b + b**2) / 3 for g, a, b in zip(gaps[1:], values, values[1:], strict=False))
    mean = square / (time[-1] - time[0]) if len(time) > 1 else values[0] ** 2
    assert effort.rms == pytest.approx(mean**0.5, rel=1e-9, abs=1e-12)
    assert abs(effort.value) == max(abs(values)) and values[list(time).index(effort.at)] == effort.value


@given(st.sets(st.sampled_from(COMPONENTS)), st.integers(0, 2**32 - 1))
def test_marks_hide_themselves_and_nothing_else(marks: set[str], seed: int) -> None:
    random = np.random.default_rng(seed)
    short = MOTION.isel(slice(0, 5))
    arrays = {"force": random.normal(size=(5, 3)), "moment": random.normal(size=(5, 3))}
    signals = {"B.force": ("N", arrays["force"]), "B.moment": ("N m", arrays["moment"])}
    run = extended(short, signals, indeterminate={"B": sorted(marks)})
    assert set(run["B"].indeterminate) == marks
    for i, component in enumerate(COMPONENTS):
        name, vector = f"B.{component}", ("force", "moment")[i // 3]
        stored = arrays[vector][:, i % 3]
        assert np.array_equal(run.data[f"B.{vector}"].values[:, i % 3], stored)
        if component in marks:
            assert name not in run and np.isnan(getattr(run["B"], vector)[:, i % 3]).all()
        else:
            assert np.array_equal(run[name], stored) and np.array_equal(getattr(run["B"], vector)[:, i % 3], stored)
    known = [c for c in COMPONENTS[:3] if c not in marks]
    found = run.evidence.forces
    assert found is not None and (found.largest_force is None) == (not known)
    if found.largest_force is not None:
        size = np.linalg.norm([run[f"B.{c}"].values for c in known], axis=0).max()
        assert found.largest_force.value == pytest.approx(size, rel=1e-12)


# -------------------------------------------------------------------- plots


def labels(ax: Any) -> list[str]:
    return [line.get_label() for line in ax.lines]


def test_plots() -> None:
    assert [labels(ax) for ax in FORCES.plot()] == [["A.angle.effort"]]
    assert [labels(ax) for ax in MOTION.plot()] == [["A.angle"]]
    panels = FORCES.plot("A.effort", "B.force", "machine.kinetic_energy", "machine.momentum")
    assert [ax.get_ylabel() for ax in panels] == [
        "A.effort [N m]",
        "force [N]",
        "machine.kinetic_energy\n[J]",
        "momentum [N s]",
    ]
    assert labels(panels[1]) == ["B.force.x", "B.force.y", "B.force.z: indeterminate"]
    assert np.isnan(np.asarray(panels[1].lines[2].get_ydata())).all() and panels.warnings == ()
    inside = FORCES["B"].plot("force", "moment", units={"length": "mm"})
    assert [ax.get_ylabel() for ax in inside] == ["force [N]", "torque [N mm]"]
    whole = FORCES.plot("machine.kinetic_energy", "A.power", units={"length": "mm", "A.power": "kW"})
    assert [ax.get_ylabel() for ax in whole] == ["machine.kinetic_energy\n[J]", "A.power [kW]"]
    assert whole[1].lines[0].get_ydata()[45] == pytest.approx(0.03, rel=1e-12)
    assert FORCES.plot("A.power", units={"length": "mm"})[0].get_ylabel() == "A.power [W]"
    imperial = FORCES.plot("D.fy", "A.power", units={"length": "in", "mass": "lb", "force": "lbf"})
    assert [ax.get_ylabel() for ax in imperial] == ["D.fy [lbf]", "A.power [lbf in/s]"]
    assert FORCES["D"].plot("force", x="A.angle")[0].get_xlabel() == "A.angle [rad]"
    with pytest.raises(ModelError, match="'forse' cannot be plotted; did you mean 'force'"):
        FORCES["B"].plot("forse")
    with pytest.raises(ModelError, match="A: the run has no force and no moment"):
        FORCES["A"].plot("force", "moment")


def test_a_panel_of_nothing_but_open_components() -> None:
    run = extended(MOTION, {"B.force": SIGNALS["B.force"]}, indeterminate={"B": ["fx", "fy", "fz"]})
    panels = run.plot("B.force")
    assert labels(panels[0]) == [f"B.force.{x}: indeterminate" for x in "xyz"] and panels.warnings == ()
    assert [t.name for t in panels.plotly().data if t.showlegend] == labels(panels[0])


def test_overlays_of_runs_with_other_marks() -> None:
    """A component is drawn for the run that has it."""
    other = extended(MOTION, {"B.force": ("N", vector(1, 2, 3))})
    (ax,) = FORCES.plot("B.force", against={"other": other})
    assert labels(ax)[2:] == ["B.force.z: indeterminate", *(f"B.force.{x} (other)" for x in "xyz")]
    assert ax.lines[5].get_ydata()[0] == 3.0
    (ax,) = other.plot("B.force", against={"stiff": FORCES})
    assert labels(ax)[-1] == "B.force.z (stiff): indeterminate" and np.isnan(ax.lines[5].get_ydata()).all()
    with pytest.raises(ModelError, match=r"against.motion: there is no signal 'B.force.x'"):
        FORCES.plot("B.force", against={"motion": MOTION})


def test_polar_diagram_of_a_bearing() -> None:
    (ax,) = FORCES["B"].hodograph()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("fx [N]", "fy [N]")
    assert np.allclose(ax.lines[0].get_xydata(), SIGNALS["B.force"][1][:, :2], rtol=0, atol=0)
    (both,) = FORCES.hodograph("B", "D", of="force", plane="xy")
    assert [t.get_text() for t in both.get_legend().get_texts()] == ["B", "D"]
    with pytest.raises(ModelError, match="B: fz is statically indeterminate; draw another plane"):
        FORCES["B"].hodograph(plane="xz")
    with pytest.raises(ModelError, match=r"no signal 'A.force'"):
        FORCES["A"].hodograph()


def test_the_balance_of_power_is_evidence() -> None:
    panels = FORCES.plot_evidence()
    assert len(panels) == 5 and panels[-1].get_ylabel() == "machine.power_balance\n[W]"
    assert np.array_equal(panels[-1].lines[0].get_ydata(), SIGNALS["machine.power_balance"][1])


def test_the_dataset_is_plain() -> None:
    """The marks are one attribute: a table of lists, as of joints."""
    assert isinstance(FORCES.data, xr.Dataset) and FORCES.data.attrs["indeterminate"] == MARKS
    assert "indeterminate" not in FORCES.data["B.force"].attrs
