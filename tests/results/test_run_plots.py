"""Plots show the numbers of the run, in the units that were asked for."""

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
    assert np.array_equal(np.array(ax.lines[0].get_data_3d()).T, TUMBLER["tip"].position.values)
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
