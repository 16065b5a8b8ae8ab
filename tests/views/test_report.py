"""The page as text: the same bytes every time, small, complete, closed to the outside."""

import base64
import dataclasses
import gzip
import json
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.errors import Problem
from linkwork.files.generators import n_four_bar
from linkwork.results.plots import Axis, Line, Panel, Plot, Track, describe_evidence, describe_paths
from linkwork.results.plots.page import data_of, figure_of
from linkwork.units import deg, mm
from linkwork.views.default_motion import shown_motion
from linkwork.views.report import subject_of
from linkwork.views.report.base85 import packed, packed_plotly
from linkwork.views.report.figures import Columns, figure_data
from linkwork.views.report.page import document
from linkwork.views.report.section import Content, Section
from linkwork.views.report.sections import SECTIONS

LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#]%:()*+-;.=,?@^_[{|}~"
USUAL = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"


def unpacked(text: str) -> str:
    return gzip.decompress(base64.b85decode(text.encode().translate(bytes.maketrans(LETTERS, USUAL)))).decode()


def block_of(page: str, key: str) -> str:
    found = re.search(rf'<script type="[a-z/]+" id="{key}-data">(.*?)</script>', page, re.DOTALL)
    assert found, key
    return found[1]


def outside_of_data(page: str) -> str:
    """The page without the blocks that hold libraries and numbers."""
    return re.sub(r'(<script type="[a-z/]+" id="[a-z]+-data">).*?</script>', r"\1</script>", page, flags=re.DOTALL)


def column(data: dict, number: int) -> np.ndarray:
    found = data["columns"][number]
    if isinstance(found, list):
        return np.array(found, float)
    return np.cumsum(np.cumsum(found["seconds"])) * found["step"]


def figures_of(page: str) -> dict:
    return json.loads(unpacked(block_of(page, "figures")))


def rows_of(page: str, caption: str) -> list[list[str]]:
    """Cells of a table by its caption."""
    found = re.search(rf"<caption>{re.escape(caption)}</caption>(.*?)</table>", page, re.DOTALL)
    assert found, caption
    rows = re.findall(r"<tr>(.*?)</tr>", found[1], re.DOTALL)
    return [[unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]


@pytest.fixture(scope="module")
def crank() -> lw.Machine:
    return lw.example("slider-crank").assemble()


@pytest.fixture(scope="module")
def page(crank: lw.Machine) -> str:
    return document(subject_of(crank))


# ---------------------------------------------------------------- what is on it


def test_sections_and_anchors(page: str) -> None:
    wanted = ["summary", "warnings", "motion", "paths", "evidence", "mobility", "vibration"]
    wanted += ["drawings", "model", "making"]
    assert re.findall(r'<section id="(\w+)">', page) == wanted
    nav = re.search(r"<nav.*?</nav>", page)
    assert nav and re.findall(r'href="#(\w+)"', nav[0]) == wanted
    assert "<title>slider-crank</title>" in page


def test_tables_of_the_model(page: str) -> None:
    assert [row[0] for row in rows_of(page, "bodies")] == ["name", "ground", "crank", "rod", "piston"]
    assert [row[:4] for row in rows_of(page, "joints")][1:] == [
        ["A", "revolute", "ground", "crank"],
        ["B", "revolute", "crank", "rod"],
        ["C", "revolute", "rod", "piston"],
        ["D", "prismatic", "ground", "piston"],
    ]
    assert rows_of(page, "points")[1][:2] == ["P", "rod"]
    assert rows_of(page, "travel: A.angle makes full turns")[1][:2] == ["D.slide", "-100 mm"]


def test_numbers_of_the_plots_are_those_of_the_run(crank: lw.Machine, page: str) -> None:
    run = subject_of(crank).run
    assert run is not None
    data = figures_of(page)
    assert column(data, data["time"]) == pytest.approx(run.time, abs=2e-6)
    variables = data["figures"][0]
    assert [v["name"] for v in variables["values"]] == ["A.angle", "B.angle", "C.angle", "D.slide"]
    for value, unit in zip(variables["values"], (deg, deg, deg, mm), strict=True):
        exact = run.signal(value["name"]).values / unit
        assert column(data, value["columns"][0]) == pytest.approx(exact, abs=2e-6 * np.abs(exact).max())
        assert value["unit"] == ("deg" if unit == deg else "mm")
        trace = variables["data"][value["trace"]]
        assert trace["name"] == value["name"] and trace["y"]["column"] == value["columns"][0]
    (path,) = [f for f in data["figures"] if f["kind"] == "path"]
    x, y = (column(data, c) for c in path["values"][0]["columns"])
    place = run["P"].position.values / mm
    assert x == pytest.approx(place[:, 0], abs=3e-4) and y == pytest.approx(place[:, 1], abs=3e-4)
    assert path["layout"]["yaxis"]["scaleanchor"] == "x" and path["layout"]["yaxis"]["scaleratio"] == 1


def test_movie_has_the_positions_of_the_run(crank: lw.Machine, page: str) -> None:
    """Recorded places and turns are those of the run, to the step in which they are written."""
    import msgspec
    import zstandard

    movie = json.loads(block_of(page, "movie"))
    assert movie["rate"] == 2.0 and movie["start"] == 0.0 and movie["factor"] == 1.0
    embedded = re.search(r'__VISER_EMBED_DATA__="([^"]*)"', movie["page"])
    assert embedded
    raw = zstandard.ZstdDecompressor().decompress(base64.b64decode(embedded[1])[8:], max_output_size=10**8)
    recording = msgspec.msgpack.decode(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    run = subject_of(crank).run
    assert run is not None
    unit, seen = 1.0 / crank.layout.size, 0
    for time, message in recording["messages"]:
        if message["type"] == "SetPositionMessage" and message["name"] == "/machine/piston" and time > 0.0:
            sample = int(np.argmin(np.abs(run.time - time / movie["rate"])))
            assert abs(run.time[sample] - time / movie["rate"]) < 1e-9
            assert message["position"] == pytest.approx(run["piston"].position.values[sample] * unit, abs=2.0**-17)
            seen += 1
    assert seen > 300


def test_nothing_comes_from_outside(page: str) -> None:
    shell = outside_of_data(page)
    for address in re.findall(r"""(?:src|href|url|xlink:href)\s*[=(]\s*["']?([^"')\s>]+)""", shell):
        assert address.startswith(("#", "data:image/svg+xml,")), address
    assert set(re.findall(r"https?://[^\s\"'<>)]+", shell)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert "default-src 'none'" in shell


def test_packed_text_comes_back_and_cannot_end_its_element() -> None:
    for n in range(9):
        text = "</script><!-- é" * n + "x" * n
        assert unpacked(packed(text)) == text
    letters = packed_plotly()
    assert not set(letters) & set("<>&`\"'\\/")
    assert unpacked(letters).lstrip().startswith("/**")


def test_drawings_have_no_ids_of_the_model(page: str) -> None:
    layout, topology = re.findall(r"<svg.*?</svg>", outside_of_data(page), re.DOTALL)[-2:]
    ids = re.findall(r' id="([^"]+)"', layout + topology)
    assert len(ids) == len(set(ids))
    assert all(name.startswith(("layout-", "topology-")) for name in ids)
    assert set(re.findall(r"#((?:layout|topology)-[\w.-]+)", layout + topology)) <= set(ids)
    assert "<style" not in layout + topology and "metadata" not in layout + topology
    assert "piston" in topology


# ---------------------------------------------------------------- the same every time


def test_same_bytes_in_this_process_and_in_another(crank: lw.Machine, page: str, tmp_path: Path) -> None:
    once = lw.write_report(crank, tmp_path / "once.html").read_bytes()
    assert once == lw.write_report(lw.example("slider-crank"), tmp_path / "twice.html").read_bytes()
    program = "import sys, linkwork as lw; lw.write_report(lw.example('slider-crank'), sys.argv[1])"
    for number, seed in enumerate(("1", "2")):
        other = tmp_path / f"other-{number}.html"
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", program, str(other)], check=True, env=environment)
        assert other.read_bytes() == once


def test_a_thousand_frames_of_ten_bodies_are_below_three_megabytes(tmp_path: Path) -> None:
    m = n_four_bar(4)
    assert len(m.bodies) == 10
    path = lw.write_report(m, tmp_path / "ten.html", samples=1000)
    assert path.stat().st_size < 3_000_000
    assert "<dt>samples</dt><dd>1000</dd>" in path.read_text(encoding="utf-8")


# ---------------------------------------------------------------- what is shown where nothing is asked


def test_a_full_turn_where_there_is_one(crank: lw.Machine) -> None:
    shown = shown_motion(crank, 5)
    assert shown.run is not None and shown.run.driven.keys() == {"A.angle"}
    assert shown.run["A.angle"].values == pytest.approx(np.linspace(0, 2 * np.pi, 5))
    assert shown.told == {"A.angle": "one turn from 0 deg to 360 deg, evenly"}


def test_there_and_back_within_the_travel() -> None:
    s = lw.example("peaucellier").assemble()
    shown = shown_motion(s, 401)
    assert shown.run is not None and shown.run.evidence.complete and shown.travel is not None
    q = shown.run["Q.angle"].values
    assert q[0] == pytest.approx(s.home["Q"], abs=1e-12) and q[-1] == pytest.approx(s.home["Q"], abs=1e-12)
    assert q.max() == pytest.approx(0.98 * shown.travel.upper, rel=1e-3)
    assert q.min() == pytest.approx(0.98 * shown.travel.lower, rel=1e-3)


def test_the_limits_of_the_model_are_kept() -> None:
    """The waist of the PUMA has limits of 160 degrees in its model, which it reaches and keeps."""
    shown = shown_motion(lw.example("puma-560").assemble(), 401)
    assert shown.run is not None and shown.run.warnings == ()
    q = shown.run["waist.angle"].values / deg
    assert (q.min(), q.max()) == (pytest.approx(-160.0, abs=1e-3), pytest.approx(160.0, abs=1e-3))


def test_a_floating_body_moves_along_its_first_axis() -> None:
    s = lw.example("free-box").assemble()
    shown = shown_motion(s, 201)
    assert shown.run is not None
    assert np.ptp(shown.run["flight.x"].values) == pytest.approx(s.layout.size, rel=1e-3)


@pytest.mark.parametrize("name", lw.examples())
def test_every_example_has_a_motion_to_show(name: str) -> None:
    shown = shown_motion(lw.example(name).assemble(), 31)
    assert shown.run is not None and shown.run.evidence.complete, shown.why_still


def frame() -> lw.Mechanism:
    """A triangle of bars that cannot move."""
    m = lw.Mechanism("frame")
    m.body("a", mass=1.0)
    m.body("b", mass=1.0)
    m.revolute("A", "ground", "a", at=(0, 0, 0))
    m.revolute("B", "ground", "b", at=(1, 0, 0))
    m.revolute("C", "a", "b", at=(0.5, 0.8, 0))
    return m


def test_a_machine_that_cannot_move_says_so(tmp_path: Path) -> None:
    page = lw.write_report(frame(), tmp_path / "frame.html").read_text(encoding="utf-8")
    why = "Nothing can move: the machine has no freedom in this posture."
    assert f"<p>{why}</p>" in page
    assert ["warning", "motion", why, ""] in rows_of(page, "What was noticed")
    assert '<section id="paths">' not in page and '<section id="evidence">' not in page
    assert 'id="movie-data"' in page and 'id="plotly-data"' not in page  # a still picture, and nothing to plot


def test_a_motion_that_stops_is_shown_as_far_as_it_got(tmp_path: Path) -> None:
    s = lw.example("peaucellier").assemble()
    page = lw.write_report(s, tmp_path / "p.html", drives={"Q": (0.0, 3.0)}, samples=101).read_text(encoding="utf-8")
    run = s.motion(Q=(0.0, 3.0), samples=101)
    assert not run.evidence.complete and 10 < len(run) < 101
    (told,) = [row for row in rows_of(page, "What was noticed") if row[1] == "motion" and "stopped after" in row[2]]
    assert told[2] == f"it stopped after {len(run)} of 101 samples: {run.message}"
    data = figures_of(page)
    assert column(data, data["time"]) == pytest.approx(run.time, abs=2e-6)


def test_gaps_stay_gaps_and_are_told(crank: lw.Machine, tmp_path: Path) -> None:
    data = crank.motion(A=(0, 1), samples=101).data
    broken = data["B.angle"].values.copy()
    broken[40:43] = np.nan
    data["B.angle"] = data["B.angle"].copy(data=broken)
    place = data["rod.position"].values.copy()
    place[40:43] = np.nan
    data["rod.position"] = data["rod.position"].copy(data=place)
    page = lw.write_report(crank, tmp_path / "gap.html", run=lw.Run(data)).read_text(encoding="utf-8")
    warnings = [row[2] for row in rows_of(page, "What was noticed")]
    assert "B.angle: 3 of 101 samples are not finite" in warnings
    assert "3 samples are not finite and are not in the 3-D view" in warnings
    found = figures_of(page)
    (angle,) = [v for v in found["figures"][0]["values"] if v["name"] == "B.angle"]
    assert found["columns"][angle["columns"][0]][40:43] == [None] * 3
    assert np.isnan(column(found, angle["columns"][0])).sum() == 3


def test_warnings_of_all_kinds_are_there(tmp_path: Path) -> None:
    page = lw.write_report(lw.example("puma-560"), tmp_path / "p.html", samples=11).read_text(encoding="utf-8")
    found = rows_of(page, "What was noticed")
    for problem in lw.check(lw.example("puma-560")).problems:
        assert any(row[0] == problem.severity and row[2] == problem.what for row in found), problem


def test_other_numbers_than_the_model_are_told(crank: lw.Machine) -> None:
    name = next(n for n in crank.parameters if n.endswith(".mass"))
    page = document(subject_of(crank.with_parameters({name: 7.0}), samples=11))
    assert any(name in row[2] for row in rows_of(page, "What was noticed"))


# ---------------------------------------------------------------- hostile texts


def test_texts_cannot_become_markup(tmp_path: Path) -> None:
    evil = "</title></script><script>window.hacked = 1</script><img src=x onerror=alert(1)>\"'&"
    m = lw.Mechanism("hostile", description=evil)
    m.body("bar", mass=1.0, description=evil)
    m.revolute("A", "ground", "bar", at=(0, 0, 0), description=evil)
    m.point("P", "bar", at=(1, 0, 0))
    page = lw.write_report(m, tmp_path / "h.html", title=evil, samples=11).read_text(encoding="utf-8")
    assert "<script>window.hacked" not in page and "<img" not in outside_of_data(page)
    assert page.count("<script") == 4 and page.count("</script>") == 4  # figures, plotly, movie, and the page's own
    assert unescape(re.search(r"<title>(.*?)</title>", page)[1]) == evil  # type: ignore[index]
    assert "&lt;script&gt;window.hacked" in page


# ---------------------------------------------------------------- new sections, new plots


def test_a_section_is_added_without_touching_the_rest(crank: lw.Machine) -> None:
    plot = Plot((Panel(Axis("frequency", "Hz"), Axis("gain"), (Line("G", np.arange(3.0), np.arange(3.0)),)),), "Bode")
    told = Problem("it hums", "forces", severity="warning")
    forces = Section("forces", "Forces", lambda subject: Content((f"<p>{subject.title}</p>", plot), (told,)))
    nothing = Section("modes", "Modes", lambda subject: None)
    page = document(subject_of(crank, samples=11), (*SECTIONS, forces, nothing))
    assert '<section id="forces"><h2>Forces' in page and 'id="modes"' not in page
    assert ["warning", "forces", "it hums", ""] in rows_of(page, "What was noticed")
    last = figures_of(page)["figures"][-1]
    assert last["kind"] == "still" and last["values"] == [] and last["data"][0]["y"] == [0.0, 1.0, 2.0]


def test_columns_are_written_once_and_well() -> None:
    t = np.linspace(0.0, 1.0, 200)
    rough = 10.0 ** np.linspace(-12, -3, 200)
    panels = [
        Panel(Axis("time", "s"), Axis("y"), (Line("a", t, np.sin(9 * t) + 5.0), Line("b", t, np.sin(9 * t) + 5.0))),
        Panel(Axis("time", "s"), Axis("e", log=True), (Line("e", t, rough),)),
    ]
    columns = Columns()
    data = figure_data(Plot(tuple(panels)), columns, 200, False)
    assert len(columns.texts) == 3
    found = {"columns": [json.loads(text) for text in columns.texts]}
    values = {v["name"]: column(found, v["columns"][0]) for v in data["values"]}
    assert values["a"] == pytest.approx(np.sin(9 * t) + 5.0, abs=6.0 * 2.0**-20)
    assert values["e"] == pytest.approx(rough, rel=1e-5)  # every decade of a logarithmic axis keeps its digits


def test_plain_figures_are_those_of_plotly(crank: lw.Machine) -> None:
    """What the page gets without plotly's checks passes them unchanged."""
    pytest.importorskip("plotly")
    run = crank.motion(A=(0, 6.0), samples=5)
    tracks = [Track("P", run.signal("P.position"))]
    for plot in (describe_evidence(run, against={}), describe_paths(tracks), describe_paths(tracks, plane="xyz")):
        checked, plain = figure_of(plot, "dark"), data_of(plot, "dark")
        assert len(checked.data) == len(plain["data"]) > 0
        for one, other in zip(checked.data, plain["data"], strict=True):
            assert set(one.to_plotly_json()) == set(other) and one.type == other["type"]
            assert np.asarray(one.y).tolist() == other["y"].tolist()
        assert set(checked.layout.to_plotly_json()) == {key for key, value in plain["layout"].items() if value != []}


# ---------------------------------------------------------------- wrong use, and the command


def test_what_cannot_be_reported(crank: lw.Machine, tmp_path: Path) -> None:
    run = crank.motion(A=(0, 1), samples=5)
    run.save(tmp_path / "run.csv")
    with pytest.raises(lw.ModelError, match=r"does not know its machine.*run=run"):
        lw.write_report(lw.load_run(tmp_path / "run.csv"), tmp_path / "r.html")
    with pytest.raises(lw.ModelError, match="of another machine: it has the bodies piston, rod"):
        lw.write_report(lw.example("four-bar"), tmp_path / "r.html", run=run)
    with pytest.raises(lw.ModelError, match="shown as it is"):
        lw.write_report(crank, tmp_path / "r.html", run=run, samples=7)
    with pytest.raises(TypeError, match="not str"):
        lw.write_report("slider-crank", tmp_path / "r.html")  # type: ignore[arg-type]
    assert not (tmp_path / "r.html").exists()


def test_a_run_alone_is_enough(crank: lw.Machine, tmp_path: Path) -> None:
    run = crank.motion(A=(0, 1), samples=21)
    page = lw.write_report(run, tmp_path / "r.html").read_text(encoding="utf-8")
    data = figures_of(page)
    assert column(data, data["time"]) == pytest.approx(run.time, abs=1e-6)
    assert "lw.write_report(machine, &#x27;slider-crank-report.html&#x27;, run=run)" in page


def test_command_writes_the_page_and_tells_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["report", "slider-crank", "--drive", "A=0:90deg @ 3000rpm", "--samples", "31", "--dark"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "wrote slider-crank-report.html" in result.output
    page = (tmp_path / "slider-crank-report.html").read_text(encoding="utf-8")
    again = "linkwork report slider-crank --drive 'A=0:90deg @ 3000rpm' --samples 31 --dark"
    assert f"<code>{again.replace(chr(39), '&#x27;')}</code>" in page
    assert "<dt>driven: A.angle</dt><dd>0:90deg @ 3000rpm</dd>" in page
    assert "color-scheme:dark" in page and "prefers-color-scheme:dark" not in page
    # 90 degrees at 3000 rpm are 5 ms, played in 2 s
    assert "Played 400 times slower than real time." in page


def test_command_tells_what_is_wrong_all_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["report", "slider-crank", "--out", "page.pdf", "--samples", "0", "--drive", "Z=1:2"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    for text in ("let the name end in .html", "0 samples", "there is no joint 'Z'"):
        assert text in result.output
    stopped = CliRunner().invoke(app, ["report", "peaucellier", "--drive", "Q=0:170deg", "--samples", "31"])
    assert stopped.exit_code == 1 and (tmp_path / "peaucellier-report.html").is_file()
    assert "wrote peaucellier-report.html" in stopped.output


def test_subject_is_plain_data(crank: lw.Machine) -> None:
    subject = subject_of(crank, samples=5, title="T")
    assert dataclasses.replace(subject, title="U").title == "U"
    assert subject.dimensions.keys() == {"A.angle", "B.angle", "C.angle", "D.slide"}


def test_a_report_is_a_page_of_html(tmp_path: Path) -> None:
    with pytest.raises(lw.ModelError, match=r"let the name end in \.html"):
        lw.write_report(lw.example("pendulum"), tmp_path / "report.pdf")
