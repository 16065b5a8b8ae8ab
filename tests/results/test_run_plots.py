"""Plots show the numbers of the run, in the units that were asked for."""

import csv
from pathlib import Path

import numpy as np
import pytest
from made_runs import slider_crank, tumbling
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from linkwork.errors import MissingExtra, ModelError
from linkwork.results import ClosureHistory, PlaceHistory, Run, VariableHistory, build_run
from linkwork.results.plots import DASHES, PALETTE, Panels, pretty
from linkwork.units import UnitSystem, deg, mm, rpm

RUN, TUMBLER = slider_crank(), tumbling()
SHOWN = {"angle": "deg", "length": "mm"}


def test_signals_of_one_unit_share_a_panel() -> None:
    panels = RUN.plot("A.angle", "P.y", "B.angle", "P", units=SHOWN, x="A.angle")
    assert isinstance(panels, Panels) and len(panels) == 2
    angles, lengths = panels
    assert [line.get_label() for line in angles.lines] == ["A.angle", "B.angle"]
    assert [line.get_label() for line in lengths.lines] == ["P.y", "P.x", "P.y"]
    assert np.array_equal(angles.lines[1].get_ydata(), RUN["B.angle"].values / deg)
    assert np.array_equal(lengths.lines[0].get_ydata(), RUN["P.y"].values / mm)
    assert all(np.array_equal(line.get_xdata(), RUN["A.angle"].values / deg) for line in lengths.lines)
    assert (angles.get_ylabel(), lengths.get_ylabel()) == ("angle [deg]", "length [mm]")
    assert (angles.get_xlabel(), lengths.get_xlabel()) == ("", "A.angle [deg]")
    assert [t.get_text() for t in lengths.get_legend().get_texts()] == ["P.y", "P.x", "P.y"]
    assert angles.get_title(loc="left") == "slider-crank"
    assert [to_hex(line.get_color()).upper() for line in lengths.lines] == list(PALETTE[:3])


def test_one_line_is_named_beside_its_panel() -> None:
    (ax,) = RUN["P.vx"].plot(units={"length": "mm", "time": "ms"})
    assert ax.get_ylabel() == "P.vx [mm/ms]" and ax.get_xlabel() == "time [ms]" and ax.get_legend() is None
    assert np.array_equal(ax.lines[0].get_xdata(), RUN.time / 1e-3)
    assert np.allclose(ax.lines[0].get_ydata(), RUN["P.vx"].values, rtol=1e-15)  # mm/ms is m/s
    (long,) = RUN["rod.angular_acceleration.z"].plot()
    assert long.get_ylabel() == "rod.angular_acceleration.z\n[rad/s²]"
    (plain,) = RUN["closure.quality"].plot()
    assert plain.get_ylabel() == "closure.quality"


def test_one_signal_may_have_its_own_unit() -> None:
    rates, other = RUN.plot("A.rate", "B.rate", units={"A.rate": "rpm", "angle": "deg"})
    assert rates.get_ylabel() == "A.rate [rpm]" and other.get_ylabel() == "B.rate [deg/s]"
    assert np.array_equal(rates.lines[0].get_ydata(), RUN["A.rate"].values / rpm)
    (ax,) = RUN.plot("A", units=UnitSystem(angle="rev"))
    assert np.allclose(ax.lines[0].get_ydata()[-1], 1.0, rtol=1e-15)


def test_without_names_the_driven_variables_are_shown() -> None:
    assert RUN.plot()[0].get_ylabel() == "A.angle [rad]"
    (ax,) = TUMBLER.plot("S")
    assert [line.get_label() for line in ax.lines] == ["S.qw", "S.qx", "S.qy", "S.qz"]
    assert RUN.plot("time")[0].get_ylabel() == "time [s]"


def test_items_plot_themselves() -> None:
    value, rate = RUN["A"].plot("value", "rate", units=SHOWN)
    assert (value.get_ylabel(), rate.get_ylabel()) == ("A.angle [deg]", "A.angle.rate [deg/s]")
    assert len(TUMBLER["S"].plot("value", "rate", "acceleration")) == 3
    (ax,) = RUN["P"].plot(units=SHOWN)
    assert [line.get_label() for line in ax.lines] == ["P.position.x", "P.position.y", "P.position.z"]
    assert np.array_equal(ax.lines[1].get_ydata(), RUN["P.y"].values / mm)
    assert len(RUN["rod"].plot("velocity", "angular_velocity", x="A")) == 2
    with pytest.raises(ModelError, match="P: 'speeed' cannot be plotted"):
        RUN["P"].plot("speeed")
    with pytest.raises(ModelError, match=r"B: the run has no jerk; there is: B\.angle"):
        RUN["B"].plot("jerk")
    with pytest.raises(ModelError, match="P: the run has no rotation"):
        RUN["P"].plot("rotation")


def test_more_lines_than_colours_are_dashed() -> None:
    (ax,) = RUN["rod.rotation"].plot()
    assert len(ax.lines) == 9
    assert len({(line.get_color(), str(line.get_linestyle())) for line in ax.lines}) == 9
    assert len(PALETTE) * len(DASHES) >= 27


def test_axes_of_the_user() -> None:
    ax = Figure().add_subplot()
    assert RUN.plot("A", ax=ax)[0] is ax
    RUN["B.angle"].plot(ax=ax)
    assert len(ax.lines) == 2 and ax.lines[0].get_color() != ax.lines[1].get_color()
    assert ax.get_ylabel() == "angle [rad]" and ax.get_title(loc="left") == ""
    with pytest.raises(ModelError, match=r"ax: the plot has 2 panels \(rad, m\), not 1; give as many axes"):
        RUN.plot("A", "P.x", ax=ax)


def test_constant_lines_are_flat() -> None:
    values = 10.0 + 1e-14 * np.sin(np.arange(50.0))
    run = build_run(np.arange(50.0), mechanism="m", variables={"A.angle": VariableHistory("rad", values)})
    low, high = run.plot("A")[0].get_ylim()
    assert high - low > 0.5


def test_everything_wrong_with_a_plot() -> None:
    with pytest.raises(ModelError) as caught:
        RUN.plot("A.angel", "P.q", x="tme")
    assert len(caught.value.problems) == 3 and "did you mean 'A.angle'?" in str(caught.value)
    with pytest.raises(ModelError) as caught:
        RUN.plot("A.rate", "P.x", units={"angel": "deg", "A.rate": "mm", "length": "kg"})
    text = str(caught.value)
    assert "units: 'angel' is neither a dimension nor a signal of this plot; did you mean 'angle'?" in text
    assert "A.rate: 'mm' measures length, not angular speed" in text and "units.length: 'kg' is a mass" in text
    with pytest.raises(ModelError, match="units are a table"):
        RUN.plot("A", units="deg")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="no samples to plot"):
        RUN.sel(stop=-1.0).plot("A")


def moving(x: object, y: object, z: object) -> Run:
    points = {"P": PlaceHistory(np.stack([x, y, z], axis=1))}  # type: ignore[arg-type]
    return build_run(np.arange(50.0), mechanism="m", points=points)


def test_a_path_is_drawn_in_the_plane_in_which_it_moves() -> None:
    (ax,) = RUN["P"].path(units=SHOWN)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_aspect()) == ("x [mm]", "y [mm]", 1.0)
    assert np.array_equal(ax.lines[0].get_xydata(), RUN["P"].position.values[:, :2] / mm)
    assert np.array_equal(ax.lines[1].get_xydata(), RUN["P"].position.values[:1, :2] / mm)
    assert ax.get_title(loc="left") == "path of P"
    t = np.linspace(0, 6, 50)
    c, s, still, noise = np.cos(t), np.sin(t), np.full(50, 0.3), 1e-16 * t
    for track, letters in (
        ((c, still, s), "xz"),
        ((noise, c, s), "yz"),
        ((c, still, still), "xy"),
        ((still, c, still), "xy"),
        ((still, still, c), "xz"),
        ((still, still, still), "xy"),
    ):
        (ax,) = moving(*track)["P"].path()
        assert (ax.get_xlabel(), ax.get_ylabel()) == (f"{letters[0]} [m]", f"{letters[1]} [m]")


def test_a_path_in_space() -> None:
    (ax,) = TUMBLER["tip"].path()
    assert ax.name == "3d" and ax.get_zlabel() == "z [m]"
    drawn = np.array(ax.lines[0].get_data_3d()).T  # a smooth curve through 21 samples
    assert len(drawn) == 361 and np.allclose(drawn[::18], TUMBLER["tip"].position.values, rtol=0, atol=1e-15)
    sides = [np.ptp(limits) for limits in (ax.get_xlim3d(), ax.get_ylim3d(), ax.get_zlim3d())]
    # Equal axes: the margins that matplotlib adds are the same part of every side.
    assert np.ptp(np.array(sides) / ax._box_aspect) < 1e-9 * max(sides)
    (flat,) = TUMBLER["tip"].path(plane="zx")
    assert (flat.get_xlabel(), flat.get_ylabel()) == ("z [m]", "x [m]")


def test_several_paths_on_one_page() -> None:
    panels = RUN["P"].path()
    RUN["rod"].path(ax=panels[0])
    assert [t.get_text() for t in panels[0].get_legend().get_texts()] == ["P", "rod"]
    assert panels[0].lines[0].get_color() != panels[0].lines[2].get_color()
    with pytest.raises(ModelError, match="ax: the axes are flat, the plot is in xyz"):
        RUN["P"].path(ax=panels[0], plane="xyz")
    with pytest.raises(ModelError, match="'xx' is not a plane; write 'xy'"):
        RUN["P"].path(plane="xx")
    with pytest.raises(ModelError, match="no samples to plot"):
        RUN.sel(stop=-1.0)["P"].path()


def test_plots_are_shown_and_saved(tmp_path: object) -> None:
    panels = RUN.plot("A", "P")
    path = panels.save(f"{tmp_path}/plot.png", dpi=40)
    assert path.read_bytes()[:4] == b"\x89PNG" == panels._repr_png_()[:4]
    assert panels.save(f"{tmp_path}/plot.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert panels.figure is panels[0].figure


def test_files_are_the_same_to_the_last_byte(tmp_path: Path) -> None:
    for ending in (".svg", ".pdf", ".png"):
        panels = [RUN.plot("A", "P"), RUN.plot("A", "P")]
        first, second = (p.save(tmp_path / f"{n}{ending}").read_bytes() for n, p in zip("ab", panels, strict=True))
        assert first == second == panels[0].save(tmp_path / f"c{ending}").read_bytes(), ending
    assert b"<dc:date>" not in (tmp_path / "a.svg").read_bytes()
    for name, what in (("plot.jpeg", "'.jpeg' is not an ending of plots"), ("plot", "the name has no ending")):
        with pytest.raises(ModelError, match=f"{what}; use .png, .svg, .pdf, or .csv for the numbers"):
            RUN.plot("A").save(tmp_path / name)
        assert not (tmp_path / name).exists()


def table(path: Path) -> tuple[list[str], list[list[str]]]:
    with path.open(encoding="utf-8", newline="") as stream:
        head, *rows = csv.reader(stream)
    return head, rows


def test_numbers_of_a_plot(tmp_path: Path) -> None:
    head, rows = table(RUN.plot("A.angle", "P", units=SHOWN).save(tmp_path / "plot.csv"))
    assert head == ["time [s]", "A.angle [deg]", "P.x [mm]", "P.y [mm]"] and len(rows) == 181
    columns = np.array(rows, float).T
    for column, wanted in zip(columns, (RUN.time, RUN["A"].value / deg, RUN["P.x"] / mm, RUN["P.y"] / mm), strict=True):
        assert np.array_equal(column, wanted)  # to the last bit
    short = slider_crank(samples=31)
    head, rows = table(RUN.plot("P.x", against={"coarse, 31": short}).save(tmp_path / "both.csv"))
    assert head == ["time [s]", "P.x [m]", "time (coarse, 31) [s]", "P.x (coarse, 31) [m]"]
    assert [float(r[3]) for r in rows[:31]] == short["P.x"].values.tolist() and rows[31][2:] == ["", ""]
    head, rows = table(RUN.path("P", "rod").save(tmp_path / "paths.csv"))
    assert head == ["P.x [m]", "P.y [m]", "rod.x [m]", "rod.y [m]"]
    assert [float(r[2]) for r in rows] == RUN["rod.x"].values.tolist()
    head, _ = table(TUMBLER["tip"].path().save(tmp_path / "space.csv"))
    assert head == ["tip.x [m]", "tip.y [m]", "tip.z [m]"]


def test_several_runs() -> None:
    slow = slider_crank(samples=77, driven={})
    both = RUN.plot("A.rate", "P.x", units=SHOWN, against={"slow": slow})
    assert len(both) == 2
    for ax, name, unit in ((both[0], "A.rate", deg), (both[1], "P.x", mm)):
        first, second = ax.lines
        assert [first.get_label(), second.get_label()] == [name, f"{name} (slow)"]
        assert np.array_equal(second.get_xdata(), slow.time) and np.array_equal(second.get_ydata(), slow[name] / unit)
        # A panel of one signal: colours are runs.
        assert [to_hex(line.get_color()).upper() for line in ax.lines] == list(PALETTE[:2])
        assert ax.get_ylabel().startswith(name)
    (ax,) = RUN.plot("P", against={"slow": slow})
    assert [line.get_label() for line in ax.lines] == ["P.x", "P.y", "P.x (slow)", "P.y (slow)"]
    colours = [to_hex(line.get_color()).upper() for line in ax.lines]  # colours are signals, dashes are runs
    assert colours == [*PALETTE[:2], *PALETTE[:2]] and ax.get_ylabel() == "length [m]"
    assert [line.is_dashed() for line in ax.lines] == [False, False, True, True]
    assert RUN["P.x"].plot(against={"slow": slow})[0].lines[1].get_label() == "P.x (slow)"
    assert len(RUN["A"].plot("value", against={"slow": slow})[0].lines) == 2
    assert len(RUN["P"].plot("velocity", against={"slow": slow})[0].lines) == 6
    with pytest.raises(ModelError) as caught:
        RUN.plot("A.rate", "A.jerk", against={"other": TUMBLER})
    assert len(caught.value.problems) == 2 and "against.other: there is no signal 'A.rate'" in str(caught.value)
    for wrong in (slow, {"slow": 3}):
        with pytest.raises(ModelError, match="against: other runs are given by name"):
            RUN.plot("A", against=wrong)  # type: ignore[arg-type]


def test_paths_of_several_places_and_runs() -> None:
    slow = slider_crank(samples=77)
    (ax,) = RUN.path("P", "rod", units=SHOWN, against={"slow": slow})
    named = [line for line in ax.lines if not line.get_label().startswith("_")]
    assert [line.get_label() for line in named] == ["P", "rod", "P (slow)", "rod (slow)"]
    assert np.array_equal(named[3].get_xydata(), slow["rod"].position.values[:, :2] / mm)
    assert named[0].get_color() == named[2].get_color() and named[2].is_dashed()
    assert ax.get_title(loc="left") == "slider-crank: paths"
    with pytest.raises(ModelError, match="no place is named"):
        RUN.path()
    with pytest.raises(ModelError, match=r"there is no signal 'A\.position'"):
        RUN.path("A")


def test_what_the_user_set_stays() -> None:
    ax = Figure().add_subplot(xlim=(-1, 1), ylim=(-2, 2), xlabel="mine", ylabel="also mine", title="title")
    ticks = ax.get_xticks().tolist()
    RUN["P"].path(ax=ax)
    ax.figure.canvas.draw()
    assert (ax.get_xlim(), ax.get_ylim()) == ((-1, 1), (-2, 2)) and ax.get_aspect() == 1.0
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("mine", "also mine", "title")
    assert ax.get_xticks().tolist() == ticks and ax.spines["top"].get_visible()
    skew = Figure().add_subplot(aspect=3.0)
    RUN["P"].path(ax=skew)
    assert skew.get_aspect() == 3.0
    page = Figure()
    top, low = page.subplots(2)
    top.set(ylim=(0, 9), ylabel="angle")
    assert RUN.plot("A", "P.x", ax=[top, low])[1] is low
    assert top.get_ylim() == (0, 9) and top.get_ylabel() == "angle" and low.get_ylabel() == "P.x [m]"
    space = Figure().add_subplot(projection="3d", xlim=(-9, 9), ylim=(-9, 9), zlim=(-9, 9), zlabel="up")
    TUMBLER["tip"].path(ax=space)
    assert space.get_xlim() == (-9, 9) and space.get_zlabel() == "up" and space.get_xlabel() == "x [m]"


def test_styles_of_the_user() -> None:
    import matplotlib.style
    from matplotlib import rc_context

    plain = RUN.plot("A", "P.x")[0]
    assert to_hex(plain.xaxis.label.get_color()) == "#222222" and not plain.spines["top"].get_visible()
    assert plain.xaxis.get_gridlines()[0].get_visible() and plain.lines[0].get_linewidth() == 1.7
    with matplotlib.style.context("dark_background"):
        dark = RUN.plot("A", "P.x")
    for text in (dark[0].yaxis.label, dark[0].title, dark[0]._left_title, dark[1].xaxis.get_ticklabels()[0]):
        assert to_hex(text.get_color()) == "#ffffff"
    assert to_hex(dark.figure.get_facecolor()) == to_hex(dark[0].get_facecolor()) == "#000000"
    assert dark[0].xaxis.get_gridlines()[0].get_alpha() == 0.35
    own = {"font.size": 15.0, "xtick.labelsize": 13.0, "lines.linewidth": 4.0, "axes.spines.top": True,
           "figure.figsize": [4.0, 3.0], "grid.linestyle": ":", "legend.edgecolor": "red"}  # fmt: skip
    with rc_context(own):
        mine = RUN.plot("P")
    assert mine[0].lines[0].get_linewidth() == 4.0 and mine[0].xaxis.label.get_fontsize() == 15.0
    ticks = [axis.get_ticklabels()[0].get_fontsize() for axis in (mine[0].xaxis, mine[0].yaxis)]
    assert ticks == [13.0, 15.0]
    assert mine.figure.get_size_inches().tolist() == [4.0, 3.0]
    assert mine[0].xaxis.get_gridlines()[0].get_linestyle() == ":"


def test_hodograph() -> None:
    (ax,) = RUN["P"].hodograph(units=SHOWN)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_aspect()) == ("vx [mm/s]", "vy [mm/s]", 1.0)
    line, start, origin = ax.lines
    assert np.array_equal(line.get_xydata(), RUN["P"].velocity.values[:, :2] / mm)
    assert np.array_equal(start.get_xydata()[0], line.get_xydata()[0]) and origin.get_xydata().tolist() == [[0.0, 0.0]]
    assert ax.get_title(loc="left") == "velocity of P"
    (both,) = RUN.hodograph("P", "rod", of="acceleration")
    assert both.get_xlabel() == "ax [m/s²]" and both.get_title(loc="left") == "slider-crank: acceleration"
    (turning,) = RUN.hodograph("rod", of="angular_velocity", plane="xz")
    assert turning.get_ylabel() == "wz [rad/s]"
    with pytest.raises(ModelError, match="of: 'velocty' is no vector of a place; did you mean 'velocity'"):
        RUN["P"].hodograph("velocty")
    with pytest.raises(ModelError, match=r"there is no signal 'tip\.velocity'"):
        TUMBLER["tip"].hodograph()


def test_phase_plane() -> None:
    (ax,) = RUN.phase("B", units=SHOWN)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("B.angle [deg]", "B.angle.rate [deg/s]")
    assert np.array_equal(ax.lines[0].get_xdata(), RUN["B.angle"] / deg)
    assert np.array_equal(ax.lines[0].get_ydata(), RUN["B.rate"] / deg)
    (rpms,) = RUN["B"].phase(units={"B.angle.rate": "rpm"})
    assert rpms.get_ylabel() == "B.angle.rate [rpm]" and rpms.get_xlabel() == "B.angle [rad]"
    assert np.array_equal(rpms.lines[0].get_ydata(), RUN["B.rate"] / rpm)
    angles, slide = RUN.phase("A", "B", "D")
    assert (angles.get_xlabel(), angles.get_ylabel()) == ("angle [rad]", "angular speed [rad/s]")
    assert slide.get_xlabel() == "D.slide [m]" and RUN.phase()[0].get_xlabel() == "A.angle [rad]"
    assert TUMBLER.phase("F.z")[0].get_ylabel() == "F.z.rate [m/s]"
    with pytest.raises(ModelError, match=r"'S\.qw' has no rate"):
        TUMBLER.phase("S.qw")
    with pytest.raises(ModelError, match="no joint variable is named"):
        TUMBLER.phase()


def test_evidence() -> None:
    panels = RUN.plot_evidence()
    names = ["closure.residual", "closure.quality", "closure.iterations", "closure.mobility"]
    assert [ax.get_ylabel().partition("\n")[0] for ax in panels] == names
    for ax, name in zip(panels, names, strict=True):
        assert np.array_equal(ax.lines[0].get_ydata(), RUN[name].values)
    assert panels[1].lines[1].get_ydata()[0] == RUN.evidence.smallest_quality  # a ring at the worst
    stopped = build_run(
        [0, 1, 2],
        mechanism="m",
        closure=ClosureHistory([1e-16, 0.0, 1e-9], [1.0, 0.1, 1e-6]),
        status="stopped",
        message="limit of travel",
        asked=9,
    )
    residual, quality = stopped.plot_evidence()
    assert residual.get_yscale() == quality.get_yscale() == "log" and residual.get_ylim() == (1e-16, 1e-9)
    assert [t.get_text() for t in residual.texts] == ["stopped"] and residual.lines[-1].get_xdata() == [2.0, 2.0]
    zero = "closure.residual: 1 of 3 samples is zero or less, which a logarithmic scale cannot show"
    assert stopped.plot_evidence().warnings == ("stopped: limit of travel", zero)
    assert len(RUN.plot_evidence(x="A", against={"again": RUN})[0].lines) == 4
    with pytest.raises(ModelError, match="no evidence of its loops"):
        TUMBLER.plot_evidence()


def test_what_is_not_finite_leaves_a_gap_and_a_note() -> None:
    values = np.sin(np.linspace(0.0, 6.0, 61))
    values[[10, 11, 13]], values[30] = np.nan, np.inf
    given = {"A.angle": VariableHistory("rad", values), "B.angle": VariableHistory("rad", -values)}
    run = build_run(np.linspace(0, 1, 61), mechanism="m", variables=given)
    panels = run.plot("A", "B")
    text = "A.angle, B.angle: 4 of 61 samples are not finite"
    assert panels.warnings == (text,) and panels.figure.get_supxlabel() == text
    assert np.array_equal(np.flatnonzero(np.isnan(panels[0].lines[0].get_ydata())), [10, 11, 13, 30])
    alone = [line for line in panels[0].lines if line.get_linestyle() == "None"]
    assert alone[0].get_xydata().tolist() == [[run.time[12], values[12]]]  # between two gaps no line would show it
    ax = Figure().add_subplot()
    run.plot("A", ax=ax)
    assert [t.get_text() for t in ax.texts] == ["A.angle: 4 of 61 samples are not finite"]
    assert RUN.plot("A").warnings == () and RUN.plot("A").figure.get_supxlabel() == ""


def test_gaps_and_single_samples_are_drawn() -> None:
    values = np.array([0.0, np.nan, 1.0])
    run = build_run(
        [0, 1, 2],
        mechanism="m",
        variables={"A.angle": VariableHistory("rad", values)},
        closure=ClosureHistory([0, 0, 0]),
    )
    assert np.array_equal(run.plot("A", units=SHOWN)[0].lines[0].get_ydata(), values / deg, equal_nan=True)
    assert run.isel(slice(0, 1)).plot("A")[0].lines[0].get_marker() == "o"
    nothing = build_run([0.0], mechanism="m", variables={"A.angle": VariableHistory("rad", [np.nan])})
    nothing.plot("A", units=SHOWN)._repr_png_()
    moving(*np.full((3, 50), np.nan))["P"].path()._repr_png_()


def test_units_are_written_as_in_books() -> None:
    assert pretty("rad/s^2") == "rad/s²" and pretty("kg m^2") == "kg m²" and pretty("mm") == "mm"


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match="plotting needs matplotlib"):
        RUN.plot("A")
