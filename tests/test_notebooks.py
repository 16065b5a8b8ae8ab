"""What notebooks show: progress, movies, plots of many runs; and the notebooks of the examples run."""

import json
import os
import re
import time
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork import notebooks
from linkwork.units import deg
from linkwork.views.animate import Movie

NOTEBOOKS = sorted((Path(__file__).parent.parent / "examples" / "notebooks").glob("*.ipynb"))


class Handle:
    def __init__(self, shown: list[dict[str, str]]) -> None:
        self.shown = shown

    def update(self, bundle: dict[str, str], raw: bool) -> None:
        self.shown.append(bundle)


def test_a_bar_appears_when_work_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[dict[str, str]] = []

    def display(bundle: dict[str, str], raw: bool, display_id: bool) -> Handle:
        shown.append(bundle)
        return Handle(shown)

    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    bar = notebooks.Bar("simulation", lambda: "loops are <compiled>", display)
    for done in range(11):
        now[0] = 0.1 * done
        bar(done, 10)
    bar.end()
    assert "40 %" in shown[0]["text/plain"] or "50 %" in shown[0]["text/plain"]
    assert "1 s left" in shown[0]["text/plain"] and "loops are &lt;compiled&gt;" in shown[0]["text/html"]
    assert shown[-1]["text/html"] == "" and len(shown) >= 4
    quick = notebooks.Bar("motion", display=display)
    before = len(shown)
    quick(1, 1)
    quick.end()
    assert len(shown) == before


def test_work_in_a_notebook_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, float]] = []

    class Told(notebooks.Bar):
        def __call__(self, done: float, total: float) -> None:
            asked.append((self.what, done / total))

    s = lw.example("four-bar").assemble()
    s.simulate(0.1, samples=3)
    s.motion(O2=lw.ramp(0, 1.0), samples=5)
    assert not asked  # not in a notebook
    monkeypatch.setattr(notebooks, "in_notebook", lambda: True)
    monkeypatch.setattr(notebooks, "Bar", Told)
    s.simulate(0.1, samples=3)
    s.simulate_many(0.1, {"O2": np.array([0.5, 0.6])}, samples=3)
    s.motion(O2=lw.ramp(0, 1.0), samples=5)
    assert {"simulation", "simulations", "motion"} <= {what for what, _ in asked}
    assert max(share for what, share in asked if what == "motion") == 1.0
    assert notebooks.compiling() in ("", notebooks.compiling())


def test_a_movie_shows_itself(tmp_path: Path) -> None:
    tags = {"m.gif": '<img src="data:image/gif;base64,R0lG', "m.mp4": "<video controls", "m.html": "<iframe srcdoc="}
    for name, tag in tags.items():
        path = tmp_path / name
        path.write_bytes(b"GIF89a" if name.endswith("gif") else b'<p class="x">')
        page = Movie(path, 3, 0.1)._repr_html_()
        assert tag in page and "3 frames" in page
    assert "&quot;x&quot;" in Movie(tmp_path / "m.html", 3, 0.1)._repr_html_()
    assert "No such file" in Movie(tmp_path / "gone.gif", 3, 0.1)._repr_html_()


def test_simulations_are_drawn() -> None:
    s = lw.example("four-bar").assemble()
    few = s.simulate_many(0.1, {"O2": np.array([0.5, 0.6, 0.7])}, samples=11)
    lines = few.plot("O2", units={"angle": "deg"}).description.panels[0].lines
    assert [line.name for line in lines] == [f"O2.angle (start.O2 {a})" for a in (0.5, 0.6, 0.7)]
    assert np.allclose(lines[1].y * deg, few["O2"].values[1])
    many = s.simulate_many(0.1, {"O2": np.linspace(0.5, 0.7, 25)}, samples=11)
    lines = many.plot("O2").description.panels[0].lines
    assert [line.name for line in lines if line.name] == [
        f"O2.angle: {t}" for t in ("median", "10 % and 90 %", "least and greatest")
    ]
    assert np.array_equal(lines[0].y, np.median(many["O2"].values, axis=0))
    assert np.array_equal(lines[3].y, many["O2"].min("run")) and np.array_equal(lines[4].y, many["O2"].max("run"))
    assert len(many.plot()) == len(s.variables)
    (line,) = many["O2"].max("time").plot(x="start.O2").description.panels[0].lines
    assert np.allclose(line.x, np.linspace(0.5, 0.7, 25)) and line.heads[0] == "start.O2"
    assert repr(many) == str(many) and many["O2.rate"].max("time").unit == "rad/s"
    assert many["P"].x.shape == (25, 11) if "P" in many else True


def test_notebooks_have_no_outputs() -> None:
    assert len(NOTEBOOKS) == 3
    for path in NOTEBOOKS:
        own = json.loads(path.read_text(encoding="utf-8"))
        for cell in own["cells"]:
            assert cell.get("outputs", []) == [] and cell.get("execution_count") is None, path.name
        assert not re.search(r"/(home|root|tmp)/", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebooks_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell, in a kernel of its own."""
    monkeypatch.chdir(tmp_path)
    nbclient = pytest.importorskip("nbclient")
    import nbformat

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    where = {"metadata": {"path": tmp_path}}
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources=where)
    client.execute(env={**os.environ})
    outputs = [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]
    assert not any(o.output_type == "error" for o in outputs)
    assert any("image/png" in o.get("data", {}) for o in outputs)


VIEWING = """
import linkwork as lw
from urllib.request import urlopen

s = lw.example("four-bar").assemble()
bench = s.view(port=8731)
bench
---
assert urlopen(bench.url).status == 200
bench.stop()
run = s.motion(O2=(0, 1), samples=5)  # a bar of progress may stand here
---
shown = run.view(port=8731)
shown
---
assert urlopen(shown.url).status == 200 and shown.port == 8731  # the first one has let it go
shown.stop()
"""


def test_the_workbench_stands_below_its_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a machine and of a run: a frame with the page, and not a word besides."""
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("viser")
    import nbformat.v4 as v4

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = v4.new_notebook(cells=[v4.new_code_cell(text.strip()) for text in VIEWING.split("---")])
    where = {"metadata": {"path": tmp_path}}
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources=where).execute(env={**os.environ})
    first, nothing, second, still_nothing = (cell.outputs for cell in notebook.cells)
    assert all(output.output_type == "display_data" for output in nothing)
    assert still_nothing == []
    for outputs in (first, second):
        assert len(outputs) == 1, outputs
        (output,) = outputs
        assert output.output_type == "execute_result"
        assert 'src="http://localhost:8731"' in output.data["text/html"]
