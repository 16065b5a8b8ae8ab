"""What is saved comes back to the last bit; what is not a result is refused with a reason."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from made_runs import slider_crank, tumbling

import linkwork as lw
from linkwork.errors import LinkworkError, ModelError
from linkwork.results import ClosureHistory, PlaceHistory, Run, VariableHistory, build_run, load_run

h5py = pytest.importorskip("h5py")  # that it is there, test_run.py asserts

RUN = slider_crank(11)


def same(one: Run, other: Run) -> bool:
    """Identical to the bit: names, dimensions, units, attributes, order, signs of zero."""
    a, b = one.data, other.data
    return (
        a.identical(b)
        and list(a.variables) == list(b.variables)
        and list(a.attrs.items()) == list(b.attrs.items())
        and all(a[n].dtype == b[n].dtype and a[n].values.tobytes() == b[n].values.tobytes() for n in a.data_vars)
        and a["time"].values.tobytes() == b["time"].values.tobytes()
        and one.evidence == other.evidence
    )


@pytest.mark.parametrize("ending", ["nc", "csv", "CSV"])
@pytest.mark.parametrize(
    "run",
    [
        RUN,
        tumbling(),
        slider_crank(3, status="stopped", message='beyond "1.2" rad,\n# é', asked=9, warnings=["a\nb", "", "ö, ü"]),
        slider_crank(7).sel(0.1, 0.3),
        build_run(
            [], mechanism="", closure=ClosureHistory([], [], [], []), points={"P": PlaceHistory(np.zeros((0, 3)))}
        ),
        build_run([0.0], mechanism="nothing"),
    ],
    ids=["slider-crank", "tumbler", "stopped", "part", "empty", "bare"],
)
def test_round_trip(run: Run, ending: str, tmp_path: Path) -> None:
    path = run.save(tmp_path / f"run.{ending}")
    assert path == tmp_path / f"run.{ending}"
    assert same(load_run(path), run)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]  # no drafts are left behind


@pytest.mark.parametrize("ending", ["nc", "csv"])
@given(
    values=hnp.arrays(np.float64, (3, 4), elements=st.floats(width=64)),
    name=st.from_regex(r"\w[\w-]{0,8}", fullmatch=True),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_numbers_and_names_come_back(values: np.ndarray, name: str, ending: str, tmp_path: Path) -> None:
    """Denormals, signs of zero, infinities; NaN comes back as NaN and warnings are not doubled."""
    run = build_run(
        [0.0, 1.0, 2.0],
        mechanism="any",
        variables={f"{name}.angle": VariableHistory("rad", values[:, 0])},
        points={f"{name}2": PlaceHistory(values[:, 1:])},
    )
    again = load_run(run.save(tmp_path / f"any.{ending}"))
    assert again.warnings == run.warnings
    for n in run.data.data_vars:
        a, b = again.data[n].values, run.data[n].values
        assert np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a)[b == 0], np.signbit(b)[b == 0])


def test_the_text_of_a_csv_file(tmp_path: Path) -> None:
    run = build_run(
        [0.0, 0.1],
        mechanism="m",
        variables={"A.angle": VariableHistory("rad", [0.0, 1 / 3], [1e-300, -0.0])},
        points={"P": PlaceHistory([[1.0, 2.0, 3.0], [4.0, 5.0, np.nan]])},
        closure=ClosureHistory(iterations=[2, 3]),
        driven={"A.angle": "ramp(0, 1)"},
    )
    lines = run.save(tmp_path / "m.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# linkwork run 1" and lines[1] == '# mechanism: "m"'
    assert '# driven: {"A.angle": "ramp(0, 1)"}' in lines and '# shapes: {"P.position": [3]}' in lines
    assert '# warnings: ["P.position is not finite at 1 of 2 samples, first at 0.1 s"]' in lines
    assert lines[-3:] == [
        "time [s],A.angle [rad],A.angle.rate [rad/s],P.position.x [m],P.position.y [m],P.position.z [m],"
        "closure.iterations [1]",
        "0.0,0.0,1e-300,1.0,2.0,3.0,2",
        "0.1,0.3333333333333333,-0.0,4.0,5.0,nan,3",
    ]


def test_windows_text_is_read(tmp_path: Path) -> None:
    path = RUN.save(tmp_path / "run.csv")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n")
    assert same(load_run(path), RUN)


def test_a_file_is_overwritten_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.csv"
    path.write_text("old", encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr("linkwork.results.table.json.dumps", lambda value: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            RUN.save(path)
    assert path.read_text(encoding="utf-8") == "old" and len(list(tmp_path.iterdir())) == 1
    assert same(load_run(RUN.save(path)), RUN)
    if os.name == "posix":
        (tmp_path / "new").touch()
        assert path.stat().st_mode == (tmp_path / "new").stat().st_mode


def refusal(path: Path, **options: int) -> str:
    with pytest.raises(ModelError) as caught:
        load_run(path, **options)
    return str(caught.value)


def test_paths_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=re.escape("'.txt' is not an ending of results; use .nc (NetCDF4) or .csv")):
        RUN.save(tmp_path / "run.txt")
    with pytest.raises(ModelError, match="the name has no ending"):
        load_run("run")
    with pytest.raises(ModelError, match="there is no folder"):
        RUN.save(tmp_path / "none" / "run.nc")
    RUN.save(tmp_path / "run.csv")
    assert "there is no such file; in that folder there is: run.csv" in refusal(tmp_path / "rum.csv")
    assert "there is no such file; is the path right?" in refusal(tmp_path / "none" / "rum.csv")


def test_large_files_are_refused_until_told(tmp_path: Path) -> None:
    for path in (RUN.save(tmp_path / "run.csv"), RUN.save(tmp_path / "run.nc")):
        size = path.stat().st_size
        assert refusal(path, max_size=100).endswith(
            f"the file has {size} bytes, 100 are allowed; if you trust it: load_run(..., max_size={size})"
        )
        assert same(load_run(path, max_size=size), RUN)


def test_a_small_file_that_describes_much_is_refused(tmp_path: Path) -> None:
    path = RUN.save(tmp_path / "run.nc")
    with h5py.File(path, "a") as file:
        for name in list(file):
            if file[name].ndim != 1 or name in ("axis", "row", "column"):
                del file[name]
        file.create_dataset("A.huge", shape=(11, 10**8), dtype="f8", chunks=(1, 10**5))
    assert path.stat().st_size < 10**6
    assert "what the file describes has 88" in refusal(path)


CSV = "# linkwork run 1\n"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda t: t.replace("# linkwork run 1\n", ""), "this is not a result of Linkwork; its first line must be"),
        (lambda t: "", "this is not a result of Linkwork"),
        (lambda t: t.replace('# status: "complete"', '# status: "fine"'), "status: 'fine' is no status"),
        (lambda t: t.replace('# status: "complete"\n', ""), "status: the attribute is missing"),
        (lambda t: t.replace("# asked: 11", "# asked: [["), "line 8: the comment is not an attribute"),
        (lambda t: t.replace("# warnings: []", "# warnings: {}"), "warnings: the attribute is not a list of texts"),
        (lambda t: t.replace("A.angle [rad]", "A.angle"), "'A.angle' is not a column; the header names every"),
        (lambda t: t.replace("A.angle [rad]", "A.angle [deg]"), "A.angle: 'deg' is not an SI unit"),
        (lambda t: t.replace("B.angle [rad]", "A.angle [rad]"), "there are two columns 'A.angle'"),
        (lambda t: t.replace("time [s]", "A.time [s]"), "the first column is not 'time [s]'"),
        (lambda t: t.replace("P.position.y [m]", "P.position.q [m]"), "P.position: the columns are not P.position.x, "),
        (lambda t: t.replace('"P.position": [3]', '"Q.position": [3]'), "Q.position: its columns are missing"),
        (lambda t: t.replace('"P.position": [3]', '"P.position": 3'), "shapes: the shapes are not a table"),
        (lambda t: t[:-30], "numbers, not 72; is the file whole?"),
        (lambda t: t.replace("\n0.0,0.0,", "\n0.0,import os,"), "line 21: 'import os' is not a number"),
        (lambda t: t.rsplit(",", 1)[0] + ",2.5\n", "line 31: a count is not a whole number"),
        (lambda t: t + "-1.0" + ",0" * 71 + "\n", "time: time runs backwards after sample 10"),
        (lambda t: t + "nan" + ",0" * 71 + "\n", "time: there are numbers that are not finite"),
    ],
)
def test_damaged_csv_files(change: object, text: str, tmp_path: Path) -> None:
    path = RUN.save(tmp_path / "run.csv")
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")  # type: ignore[operator]
    found = refusal(path)
    assert found.startswith(str(path)) and text in found


def test_a_csv_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(RUN.save(tmp_path / "run.nc").read_bytes())
    assert "the file is not text" in refusal(path)
    path.write_text(CSV + '# "deep": ' + "[" * 10**5 + "\n", encoding="utf-8")
    assert "line 2: the comment is not an attribute" in refusal(path)


def test_every_bad_line_is_reported_up_to_a_number(tmp_path: Path) -> None:
    path = RUN.save(tmp_path / "run.csv")
    with path.open("a", encoding="utf-8") as stream:
        stream.write("x\n" * 50)
    with pytest.raises(ModelError) as caught:
        load_run(path)
    assert [p.line for p in caught.value.problems] == list(range(32, 52))


def test_files_that_are_no_results(tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    path.write_text("hello", encoding="utf-8")
    assert "this is not a NetCDF4 file" in refusal(path)
    with h5py.File(path, "w") as file:
        file["x"] = [1.0]
    assert "this is not a result of Linkwork; its attribute 'format' must be" in refusal(path)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_damaged(part: float, tmp_path: Path) -> None:
    path = RUN.save(tmp_path / "run.nc")
    whole = path.read_bytes()
    path.write_bytes(whole[: int(part * len(whole))])
    assert "the file is damaged" in refusal(path)


def test_netcdf_files_that_depart_from_the_layout(tmp_path: Path) -> None:
    path = RUN.save(tmp_path / "run.nc")
    with h5py.File(path, "a") as file:
        file.attrs["warnings"] = "["
        del file.attrs["asked"]
        file["A.text"] = ["a"] * 11
        file["A.angle"].attrs["units"] = "deg"
    found = refusal(path)
    assert "warnings: the attribute is not a list of texts" in found and "asked: the attribute is missing" in found
    assert "A.text: these are not real numbers" in found
    with h5py.File(RUN.save(path), "a") as file:
        file["A.angle"].attrs["units"] = "deg"
    assert "A.angle: 'deg' is not an SI unit" in refusal(path)


def test_netcdf_files_may_not_point_elsewhere(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(bytes(88))
    path = RUN.save(tmp_path / "run.nc")
    with h5py.File(path, "a") as file:
        file.create_dataset("A.external", (11,), "f8", external=[(str(secret), 0, 88)])
    assert "A.external: this is not plain numbers" in refusal(path)
    with h5py.File(RUN.save(path), "a") as file:
        file["A.link"] = h5py.ExternalLink(str(secret), "/x")
    assert "A.link: the file points to other files" in refusal(path)
    with h5py.File(RUN.save(path), "a") as file:
        file.create_group("A.group")
    assert "A.group: this is not plain numbers" in refusal(path)


@given(data=st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_flipped_byte_gives_a_run_or_a_reason(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / data.draw(st.sampled_from(["run.csv", "run.nc"]))
    whole = bytearray(RUN.save(path).read_bytes())
    whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(whole)
    try:
        assert isinstance(load_run(path), Run)
    except ModelError as error:
        assert str(error).startswith(str(path))


def test_netcdf_is_what_other_programs_read(tmp_path: Path) -> None:
    import xarray as xr

    path = RUN.save(tmp_path / "run.nc")
    with xr.open_dataset(path, engine="h5netcdf", decode_timedelta=False) as plain:
        assert plain["P.position"].dims == ("time", "axis") and plain["axis"].values.tolist() == ["x", "y", "z"]
        assert plain["A.angle"].attrs["units"] == "rad" and plain.attrs["mechanism"] == "slider-crank"
        assert json.loads(plain.attrs["driven"]) == RUN.driven


def test_attributes_as_other_programs_write_them(tmp_path: Path) -> None:
    path = RUN.save(tmp_path / "run.nc")
    with h5py.File(path, "a") as file:
        for owner in (file, *file.values()):
            for key, value in list(owner.attrs.items()):
                if isinstance(value, bytes) and key not in ("CLASS", "NAME"):
                    owner.attrs[key] = value.decode()  # of any length
        file.attrs["asked"] = np.array([11])
    assert same(load_run(path), RUN)


def test_numbers_have_checksums(tmp_path: Path) -> None:
    path = RUN.save(tmp_path / "run.nc")
    whole, number = path.read_bytes(), RUN["P.x"].values[3].tobytes()
    assert whole.count(number) >= 1
    path.write_bytes(whole.replace(number, np.float64(1.25).tobytes()))
    assert "the file is damaged" in refusal(path)


def test_without_h5py_the_message_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    with pytest.raises(LinkworkError, match=r"pip install h5py; or use \.csv"):
        RUN.save(tmp_path / "run.nc")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_cut_off_is_not_complete(tmp_path: Path) -> None:
    run = lw.example("double-pendulum").assemble().motion(A=(0, 1), samples=11)
    path = run.save(tmp_path / "run.csv")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:-3]), encoding="utf-8")
    with pytest.raises(ModelError, match="there are 8 samples, not 11"):
        load_run(path)
