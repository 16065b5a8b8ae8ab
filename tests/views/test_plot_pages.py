"""Plotly figures show the same numbers, names, units and colours as those on paper."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "results"))

from made_runs import slider_crank, tumbling

from linkwork.colours import DARK, LIGHT, PALETTE
from linkwork.errors import MissingExtra, ModelError
from linkwork.results import Panels, VariableHistory, build_run
from linkwork.results.plots import Axis, Band, Field, Line, Mark, Panel, Plot
from linkwork.units import deg, mm

RUN, TUMBLER = slider_crank(), tumbling()
SHOWN = {"angle": "deg", "length": "mm"}
NARROW = 400


def lines_of(panels: Panels) -> list[object]:
    return [line for ax in panels for line in ax.lines]


@pytest.mark.parametrize(
    "make",
    [
        lambda: RUN.plot("A.angle", "B.angle", "P", "A.rate", units=SHOWN, against={"coarse": slider_crank(31)}),
        lambda: RUN.plot("rod.rotation"),
        lambda: RUN.path("P", "rod", units=SHOWN),
        lambda: RUN["P"].hodograph(),
        lambda: RUN.phase("A", "B"),
        lambda: TUMBLER["tip"].path(),
    ],
)
def test_numbers_names_and_colours_are_those_of_the_paper(make: Callable[[], Panels]) -> None:
    panels = make()
    figure = panels.plotly()
    drawn = lines_of(panels)
    assert len(figure.data) == len(drawn)
    for trace, line in zip(figure.data, drawn, strict=True):
        columns = line.get_data_3d() if hasattr(line, "get_data_3d") else line.get_data()  # type: ignore[attr-defined]
        for letter, values in zip("xyz", columns, strict=False):
            assert np.array_equal(trace[letter], np.asarray(values), equal_nan=True)
        label = line.get_label()  # type: ignore[attr-defined]
        assert (trace.name or "_") == ("_" if label.startswith("_") else label)
        if trace.name:
            assert trace.line.color == line.get_color() and trace.line.color in PALETTE  # type: ignore[attr-defined]
            assert (trace.line.dash == "solid") == (not line.is_dashed())  # type: ignore[attr-defined]


def test_units_stand_on_axes_and_under_the_mouse() -> None:
    figure = RUN.plot("A.angle", "P.x", "P.ax", units=SHOWN).plotly()
    texts = [a.text for a in figure.layout.annotations]
    assert texts == ["A.angle [deg]", "P.x [mm]", "P.ax [mm/s²]"] and figure.layout.title.text == "slider-crank"
    assert figure.layout.xaxis3.title.text == "time [s]" and figure.layout.xaxis.title.text is None
    assert figure.layout.xaxis2.matches == "x" and figure.layout.xaxis3.matches == "x"
    assert figure.data[2].hovertemplate == "P.ax: %{y:.6~g} mm/s²<br>time: %{x:.6~g} s<extra></extra>"
    assert np.array_equal(figure.data[0].y, RUN["A.angle"] / deg) and np.array_equal(figure.data[1].y, RUN["P.x"] / mm)
    path = RUN["P"].path(units=SHOWN).plotly()
    assert path.layout.yaxis.scaleanchor == "x" and path.layout.yaxis.scaleratio == 1
    assert path.data[0].hovertemplate == "P.y: %{y:.6~g} mm<br>P.x: %{x:.6~g} mm<extra></extra>"
    space = TUMBLER["tip"].path().plotly().layout.scene
    assert space.xaxis.title.text == "x [m]"
    sides = np.array([np.ptp(getattr(space, f"{a}axis").range) for a in "xyz"])
    assert np.ptp(sides / [getattr(space.aspectratio, a) for a in "xyz"]) < 1e-9 * sides.max()  # equal axes


def test_light_and_dark() -> None:
    panels = RUN.plot("P")
    for theme in (LIGHT, DARK):
        layout = panels.plotly(theme.name).layout
        assert (layout.paper_bgcolor, layout.font.color, layout.xaxis.gridcolor) == (theme.paper, theme.ink, theme.grid)
    with pytest.raises(ModelError, match="theme: there is no theme 'drak'; did you mean 'dark'"):
        panels.plotly("drak")  # type: ignore[arg-type]


def test_panels_and_legends_do_not_overlap_on_a_narrow_page() -> None:
    """From top to bottom: every legend, with the rows that 400 pixels need, ends above its panel."""
    figure = RUN.plot("rod.rotation", "P", "A.angle", "B.angle", "rod.velocity").plotly()
    layout = figure.layout
    inner = layout.height - layout.margin.t - layout.margin.b
    above = 1.0
    for n in ("", "2", "3", "4"):
        low, high = layout[f"yaxis{n}"].domain
        names = [t.name for t in figure.data if t.yaxis == f"y{n}" and t.showlegend]
        room = NARROW - layout.margin.l - layout.margin.r
        rows = -(-sum(46 + 6.6 * len(name) for name in names) // room)
        top = layout[f"legend{n}"].y
        assert top <= above and (top - high) * inner >= 19 * rows - 1e-6, n
        assert 0.0 <= low < high < above
        above = low
    assert layout.autosize and layout.width is None and not layout.margin.autoexpand


def test_gaps_notes_bands_marks_and_fields() -> None:
    values = np.array([0.0, 1.0, np.nan, 2.0, np.inf, 3.0, 4.0])
    run = build_run(np.arange(7.0), mechanism="m", variables={"A.angle": VariableHistory("rad", values)})
    figure = run.plot("A").plotly()
    trace = figure.data[0]
    assert np.isnan(trace.y[[2, 4]]).all() and not trace.connectgaps
    assert np.array_equal(trace.marker.size, [0, 0, 0, 6, 0, 0, 0])  # alone between two gaps
    assert figure.layout.annotations[0].text == "A.angle: 2 of 7 samples are not finite"
    x = np.arange(4.0)
    grid = Field(x, x[:3], np.where(np.arange(12.0).reshape(3, 4) > 2, 1.0, np.nan), "quality", blank="not reached")
    line = Line("a", x, 10.0**x, breaks=(2,))
    good = Band(1, 9, "good", 2)
    plot = Plot(
        (
            Panel(
                Axis("t", "s"),
                Axis("y", "m", log=True),
                (line,),
                bands=(good,),
                marks=(Mark(2, "stop"),),
            ),
            Panel(Axis("t", "s"), Axis("b", "deg"), field=grid),
        )
    )
    page = plot.plotly("dark")
    assert page.layout.yaxis.type == "log" and np.isnan(page.data[0].x[2]) and len(page.data[0].x) == 5
    assert {(s.type, s.xref, s.yref) for s in page.layout.shapes} == {
        ("rect", "x domain", "y"),
        ("line", "x", "y domain"),
    }
    assert [a.text for a in page.layout.annotations if a.text in ("good", "stop")] == ["good", "stop"]
    assert page.data[1].type == "contour" and np.array_equal(page.data[1].z, grid.values, equal_nan=True)
    assert page.layout.plot_bgcolor == DARK.grid
    plot.draw()._repr_png_()


def test_without_plotly_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    panels = RUN.plot("A")
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(MissingExtra, match=r"a plot for pages needs plotly: pip install 'linkwork\[view\]'"):
        panels.plotly()


def test_plotly_is_imported_when_it_is_needed() -> None:
    import subprocess

    code = "import sys, linkwork as lw; lw.Run; import linkwork.results.plots; sys.exit('plotly' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
