"""Results on any axes: modes with complex shapes, a frequency response, runs over parameters; asked, drawn, kept."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import InputError
from linkwork.results import Result, build_result, load_result, load_run


def modes() -> Result:
    """Three damped modes of a machine with a place P and a joint A: eigenvalues and complex shapes."""
    eigenvalue = np.array([-0.1 + 3.0j, -0.2 + 7.0j, -1.0 / 3.0 + 11.0j])
    shape = np.array([[1.0 + 2.0j, 3.0, 0.0], [0.5j, -1.0, 1e-300], [np.pi, np.e * 1j, -0.0]])
    return build_result(
        {"mode": ("1", np.arange(1, 4))},
        {
            "eigenvalue": ("1/s", "mode", eigenvalue),
            "frequency": ("Hz", "mode", np.abs(eigenvalue) / (2.0 * np.pi)),
            "damping": ("1", ["mode"], -eigenvalue.real / np.abs(eigenvalue)),
            "A.angle": ("rad", "mode", np.array([1.0, 1j, 0.1 + 0.2j])),
            "P.position": ("m", "mode", shape),
            "rod.rotation": ("1", "mode", np.tile(np.eye(3), (3, 1, 1)) * 1j),
            "count": ("1", "mode", np.array([1, 2, 2**53])),
        },
        mechanism="slider-crank",
        analysis="modes",
        labels={"kind": ("mode", ["swing", "whirl, slow", "whirl"])},
        joints={"A": ["angle"]},
        points=["P"],
        bodies=["rod"],
        warnings=["the second mode is nearly double"],
        evidence={"largest_residual": 1.5e-13, "balanced": True, "methods": ["qz"]},
    )


def response() -> Result:
    """A frequency response, outputs by inputs: 1 / (k - m w^2 + i c w)."""
    f = np.logspace(-1, 2, 31)
    w = 2.0 * np.pi * f
    whole = np.stack([[1.0 / (k - w**2 + 0.1j * w) for k in (100.0, 400.0)], [w * 1j for _ in range(2)]])
    return build_result(
        {"frequency": ("Hz", f), "output": ["P.x", "A.angle"], "input": ["B.torque", "D.force"]},
        {"response": ("1", ("frequency", "output", "input"), np.moveaxis(whole, -1, 0)), "gain": ("1", "frequency", w)},
        mechanism="arm",
        analysis="frequency response",
    )


def study() -> Result:
    """Runs over two parameters: a table of peaks, and a path at every place of it."""
    length, mass = np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0])
    peak = length[:, None] * mass
    path = peak[:, :, None, None] * np.stack([np.ones(5), np.arange(5.0), np.zeros(5)], axis=1)
    return build_result(
        {"rod.length": ("m", length), "rod.mass": ("kg", mass), "time": ("s", np.linspace(0.0, 1.0, 5))},
        {"peak.power": ("W", ["rod.length", "rod.mass"], peak),
         "P.position": ("m", ["rod.length", "rod.mass", "time"], path),
         "total": ("J", (), 7.5)},
        mechanism="study", analysis="study", points=["P"],
    )  # fmt: skip


def test_a_mode_table_is_asked_by_name() -> None:
    found = modes()
    assert found.axes == {"mode": 3} and found.name == "slider-crank" and found.analysis == "modes"
    assert np.array_equal(found["mode"], [1, 2, 3]) and found["mode"].unit == "1"
    assert found["eigenvalue"].values.dtype == complex and found["eigenvalue"][1] == -0.2 + 7.0j
    assert found["P.x"][0] == 1.0 + 2.0j and found["P.position.y"][2] == np.e * 1j and found["P.x"].axes == ("mode",)
    assert found["P.position.magnitude"][0] == pytest.approx(np.sqrt(14.0), rel=1e-15)
    assert (
        found.signal("A")[1] == 1j
        and found["rod.rotation.xx"][0] == 1j
        and found["rod.rotation"].values.shape == (3, 3, 3)
    )
    assert found["P"].position.dims == ("mode", "axis") and found["P"].kind == "group"
    assert found["frequency"].to("1/min")[0] == pytest.approx(60.0 * abs(-0.1 + 3.0j) / (2 * np.pi), rel=1e-15)
    assert np.abs(found["P.x"])[1] == 0.5 and np.angle(found["A.angle"])[1] == pytest.approx(np.pi / 2)
    assert "P.x" in found and "mode" in found and "kind" not in found and "Q" not in found
    assert found.warnings == ("the second mode is nearly double",) and found.evidence["largest_residual"] == 1.5e-13
    assert found.status == "complete" and found.message == ""
    with pytest.raises(InputError, match=r"there is no signal 'eigenvalues'; did you mean 'eigenvalue'"):
        found["eigenvalues"]
    with pytest.raises(AttributeError, match="does not lie along time, but along mode"):
        found["damping"].time
    with pytest.raises(AttributeError, match="never changes"):
        found.machine = 3
    with pytest.raises(ValueError, match="read-only"):
        found["damping"].values[0] = 1.0


def test_words() -> None:
    found = modes()
    assert repr(found).splitlines() == [
        "Result('slider-crank', modes: complete, 3 mode)",
        "  eigenvalue, frequency, damping, A.angle, P.position, rod.rotation, ...",
        *str(found).splitlines()[1:],
    ]
    assert str(found).splitlines() == [
        "modes of slider-crank",
        "  mode: 3, 1 to 3",
        "  status: complete",
        "  largest residual: 1.5e-13",
        "  balanced: True",
        "  methods: qz",
        "  warning: the second mode is nearly double",
    ]
    assert "  output: 2, P.x, A.angle" in str(response()) and "  frequency: 31, 0.1 to 100 Hz" in str(response())
    assert repr(found["eigenvalue"]) == "Signal('eigenvalue' [1/s]: 3 mode, complex, size 3.00167 .. 11.005)"
    assert repr(study()["P.x"]) == "Signal('P.x' [m]: 3 rod.length x 2 rod.mass x 5 time, 0.1 .. 0.6)"
    assert "&lt;" not in found._repr_html_() and "nearly double" in found._repr_html_()


@pytest.mark.parametrize("make", [modes, response, study])
def test_files_and_pickles_to_the_last_bit(make: object, tmp_path: Path) -> None:
    found: Result = make()  # type: ignore[operator]
    again = load_result(found.save(tmp_path / "result.nc"))
    for other in (again, pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert type(other) is Result and other.data.identical(found.data) and other.evidence == found.evidence
        for name, variable in found.data.data_vars.items():
            assert other.data[name].values.tobytes() == variable.values.tobytes()  # -0 too
            assert other.data[name].dtype == variable.dtype
    json.dumps(found.to_dict(), allow_nan=False)


def test_one_axis_in_csv(tmp_path: Path) -> None:
    found = modes()
    path = found.save(tmp_path / "modes.csv")
    again = load_result(path)
    assert again.data.identical(found.data)
    assert again["eigenvalue"].values.tobytes() == found["eigenvalue"].values.tobytes()
    head = next(line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    assert head.startswith("mode [1],eigenvalue.real [1/s],eigenvalue.imaginary [1/s],frequency [Hz]")
    names = build_result({"joint": ["A", "B"]}, {"peak": ("N", "joint", [1.5, np.nan])}, mechanism="m")
    kept = load_result(names.save(tmp_path / "names.csv"))
    assert kept.data.identical(names.data) and kept.data["joint"].values.tolist() == ["A", "B"]
    with pytest.raises(InputError, match="a CSV file has one axis; this result has frequency, output, input"):
        response().save(tmp_path / "response.csv")
    with pytest.raises(InputError, match=r"'peak.power' lies along rod.length, rod.mass"):
        study().save(tmp_path / "study.csv")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("3.0,", "three,"), encoding="utf-8")
    with pytest.raises(InputError, match="'three' is not a number"):
        load_result(path)
    path.write_text(text.replace('"kind": "c"', '"kind": "x"'), encoding="utf-8")
    with pytest.raises(InputError, match="the comment does not tell what this column is"):
        load_result(path)


def test_tables(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    table = modes().to_pandas()
    assert table.index.name == "mode" and table["P.position.x"].iloc[0] == 1.0 + 2.0j
    with pytest.raises(InputError, match="a table has one axis"):
        study().to_pandas()


def test_a_file_of_runs_is_a_run_and_another_is_not(tmp_path: Path) -> None:
    path = modes().save(tmp_path / "modes.nc")
    with pytest.raises(InputError, match="this is a result over mode, not a run; load_result reads it"):
        load_run(path)
    raw = bytearray(path.read_bytes())
    refused = 0
    for place in range(600, len(raw), 997):  # a damaged file is refused, or is what it was
        broken = bytearray(raw)
        broken[place] ^= 0xFF
        (tmp_path / "broken.nc").write_bytes(broken)
        try:
            again = load_result(tmp_path / "broken.nc")
        except InputError:
            refused += 1
        else:
            assert again["eigenvalue"].values.tobytes() == modes()["eigenvalue"].values.tobytes()
    assert refused > 0


def test_xarray_reads_pairs(tmp_path: Path) -> None:
    import xarray as xr

    with xr.open_dataset(response().save(tmp_path / "r.nc"), engine="h5netcdf") as data:
        pairs = data["response"].values
        assert data["response"].dims == ("frequency", "output", "input", "complex")
        assert np.array_equal(pairs[..., 0] + 1j * pairs[..., 1], response()["response"].values)


def test_parts_by_coordinates() -> None:
    found = study().select({"rod.length": 0.1 + 0.2, "rod.mass": [2.0]})
    assert found.axes == {"rod.mass": 1, "time": 5} and found["P.y"].values[0, 4] == pytest.approx(2.4, rel=1e-15)
    assert "part: rod.length 0.30000000000000004 of 3, 1 of 2 along rod.mass" in str(found)
    low = response().select(frequency=slice(None, 1.0), output="P.x")
    assert low.axes == {"frequency": 11, "input": 2} and low["response"].axes == ("frequency", "input")
    with pytest.raises(InputError) as caught:
        study().select({"rod.length": 0.15}, weight=2.0)
    text = str(caught.value)
    assert "there is no rod.length 0.15; the nearest is" in text and "there is no axis 'weight'; " in text
    with pytest.raises(InputError, match=r"there is no output 'P.y'; did you mean 'P.x'"):
        response().select(output="P.y")


def test_plots() -> None:
    pytest.importorskip("matplotlib")
    panels = response().select(output="P.x").plot("response", "gain").description.panels
    (panel,) = panels
    assert [line.name for line in panel.lines] == ["|response| (input B.torque)", "|response| (input D.force)", "gain"]
    assert np.array_equal(panel.lines[0].y, np.abs(response()["response"].values[:, 0, 0]))
    assert panel.x.label() == "frequency [1/s]" and panel.lines[0].x[-1] == pytest.approx(100.0)
    (first, second) = modes().plot("frequency", "damping").description.panels
    assert np.array_equal(first.lines[0].x, [1, 2, 3]) and second.lines[0].y[1] == modes()["damping"][1]
    (named,) = build_result({"joint": ["A", "B"]}, {"peak": ("N", "joint", [1.5, 2.0])}).plot().description.panels
    assert named.x.places == ("A", "B") and named.lines[0].style == "dots"
    (over,) = study().plot("peak.power", x="rod.length").description.panels
    assert [line.name for line in over.lines] == ["peak.power (rod.mass 1)", "peak.power (rod.mass 2)"]
    other = modes()
    (both,) = modes().plot("damping", against={"again": other}).description.panels
    assert [line.name for line in both.lines] == ["damping", "damping (again)"]
    assert len(modes()["damping"].plot().description.panels) == 1 and len(modes()["P"].plot().description.panels) == 1
    whole = response().plot("response").description.panels[0]
    assert len(whole.lines) == 4 and whole.lines[3].name == "|response| (output A.angle, input D.force)"
    with pytest.raises(InputError, match="these are 31 lines, 24 can be told apart; select a part first"):
        response().select(input="B.torque").plot("response", x="output")
    with pytest.raises(InputError, match=r"it does not lie along 'time'; it lies along rod.length, rod.mass"):
        study().plot("peak.power", x="time")


def test_everything_that_does_not_fit_at_once() -> None:
    with pytest.raises(InputError) as caught:
        build_result(
            {"mode": ("1", [1, 2]), "axis": ("1", [1.0]), "bad": ("deg", [1.0]), "none": 3.0},
            {
                "P": ("m", "mod", [1.0, 2.0]),
                "Q": ("furlongs", "mode", [1.0, 2.0]),
                "R": ("m", "mode", [1.0, 2.0, 3.0]),
                "S": ("m", "mode", ["a", "b"]),
                "T": ("m", "mode", np.zeros((2, 4))),
                "mode": ("1", "mode", [1.0, 2.0]),
            },
            labels={"L": ("mode", ["one"])},
            evidence={"what": object()},
        )
    text = str(caught.value)
    for part in (
        "axis: this is not the name of a result", "bad: 'deg' is not an SI unit", "none: these are no coordinates",
        "P: there is no axis 'mod'; did you mean 'mode'?", "R: an array of shape (3,) is given, (2,) is wanted",
        "S: these are not numbers, real or complex", "T: an array of shape (2, 4) is given", "Q: ",
        "mode: there are two results of this name", "L: an array of shape (1,) is given, (2,) is wanted",
        "evidence.what: this is not plain data",
    ):  # fmt: skip
        assert part in text
    data = modes().data
    data["P.position"] = data["P.position"].transpose("axis", "mode")
    data["damping"].attrs = {}
    with pytest.raises(InputError) as caught:
        Result(data)
    assert "P.position: the axes ('axis', 'mode') do not fit" in str(caught.value) and "damping" in str(caught.value)
    with pytest.raises(InputError, match="the dataset is not a result of Linkwork"):
        Result(data.drop_attrs())
    assert issubclass(lw.Run, Result) and issubclass(lw.Simulations, Result)
