"""Line drawings show what the layout and the posture say."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.units import deg, mm
from linkwork.views.draw import PALETTE, draw_closures, draw_layout, draw_posture, plane_normal


def drawn_texts(ax: object) -> set[str]:
    return {t.get_text().strip() for t in ax.texts} - {"", "/////"}  # type: ignore[attr-defined]


def test_a_planar_mechanism_is_drawn_in_its_plane_and_units() -> None:
    m = lw.example("four-bar")
    ax = draw_layout(m)
    assert ax.name == "rectilinear"
    assert ax.get_xlabel() == "x [mm]" and ax.get_ylabel() == "y [mm]"
    layout = lw.lay_out(m)
    wanted = {tuple(np.round(s.X_WM[:2, 3] / mm, 6)) for s in layout.seats.values()}
    drawn = {tuple(np.round(line.get_xydata()[0], 6)) for line in ax.lines if line.get_marker() == "o"}
    assert wanted == drawn
    names = {name for text in drawn_texts(ax) for name in text.split(", ")}
    assert set(m.joints) | set(m.points) | (set(m.bodies) - {"ground"}) <= names


def test_coinciding_joints_share_their_label() -> None:
    assert "C, D" in drawn_texts(draw_layout(lw.example("slider-crank")))


def test_names_can_be_left_out() -> None:
    assert drawn_texts(draw_layout(lw.example("four-bar"), names=False)) == set()


def test_a_spatial_mechanism_is_drawn_in_space() -> None:
    ax = draw_layout(lw.example("bricard"))
    assert ax.name == "3d"
    colours = {line.get_color() for line in ax.lines}
    assert set(PALETTE[:5]) <= colours


@pytest.mark.parametrize("angle", [0.0, 30 * deg, 90 * deg])
def test_the_plane_is_found_in_any_orientation(angle: float) -> None:
    m = lw.Mechanism()
    axis = (0.0, -np.sin(angle), np.cos(angle))
    m.body("a")
    m.body("b")
    m.revolute("A", m.ground, "a", axis=axis)
    m.revolute("B", "a", "b", at=(1, 0, 0), axis=axis)
    m.prismatic("C", m.ground, "b", at=(1, 0, 0), axis="x")
    normal = plane_normal(m, lw.lay_out(m))
    assert normal is not None
    assert np.allclose(np.abs(normal @ np.array(axis)), 1.0, atol=1e-14)
    m.prismatic("D", m.ground, "b", at=(1, 0, 0), axis=axis)
    assert plane_normal(m, lw.lay_out(m)) is None


def test_gears_are_drawn_as_pitch_circles() -> None:
    m = lw.example("ferguson")
    ax = draw_layout(m, names=False)
    factor = m.source.units.factor(lw.units.LENGTH) if m.source else 1.0
    rings = [line.get_xydata() for line in ax.lines if len(line.get_xydata()) == 181]
    radii = sorted(float(np.ptp(ring[:, 0])) / 2 for ring in rings)
    wanted = sorted(
        abs(r) / factor
        for j in m.joints.values()
        if j.law.kind == "gear"
        for r in (j.law.radius, j.law.mate)  # type: ignore[attr-defined]
    )
    assert np.allclose(radii, wanted, rtol=1e-3)


@pytest.mark.parametrize("name", sorted(lw.examples()))
def test_every_example_can_be_drawn(name: str) -> None:
    m = lw.example(name)
    ax = draw_layout(m)
    assert ax.get_title() == m.name
    data = [np.array(line.get_data_3d() if ax.name == "3d" else line.get_xydata()) for line in ax.lines]
    assert data and all(np.isfinite(d).all() for d in data)


# ---------------------------------------------------------------- postures


def pins(ax: object) -> set[tuple[float, ...]]:
    """Places of round pins that are not faint."""
    own = [x for x in ax.lines if x.get_marker() == "o" and x.get_markersize() == 8 and x.get_alpha() == 1.0]  # type: ignore[attr-defined]
    return {tuple(np.round(x.get_xydata()[0], 9)) for x in own}


def test_joints_are_drawn_where_the_posture_has_them() -> None:
    s = lw.example("four-bar").assemble()
    posture = s.at(O2=2.0)
    places = [posture.pose(s.mechanism.joints[n].head) @ s.layout.seats[n].X_HM for n in s.mechanism.joints]
    wanted = {tuple(np.round(X[:2, 3] / mm, 9)) for X in places}
    assert pins(draw_posture(s, posture)) == wanted
    assert pins(draw_posture(s)) == {tuple(np.round(x.X_WM[:2, 3] / mm, 9)) for x in s.layout.seats.values()}


def test_several_postures_share_a_page_and_only_the_last_is_full() -> None:
    s = lw.example("four-bar").assemble()
    postures = [s.at(O2=x) for x in (1.0, 2.0, 3.0)]
    ax = draw_posture(s, postures)
    assert pins(ax) == pins(draw_posture(s, postures[-1]))
    assert len([x for x in ax.lines if x.get_marker() == "o"]) == 3 * 4
    assert len([t for t in ax.texts if t.get_text() == "P"]) == 1
    (low, high), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    for p in postures:
        x, y, _ = p.position("P") / mm
        assert low < x < high and bottom < y < top


def test_one_drawing_goes_over_another() -> None:
    s = lw.example("four-bar").assemble()
    ax = draw_posture(s, s.at(O2=1.0), faint=True)
    assert pins(ax) == set() and drawn_texts(ax) == set()
    assert draw_posture(s, s.at(O2=2.0), ax) is ax
    assert len(pins(ax)) == 4 and "P" in drawn_texts(ax)


def test_spatial_machines_are_drawn_at_postures_too() -> None:
    s = lw.example("rssr").assemble()
    posture = s.at(A=1.0)
    ax = draw_posture(s, posture)
    unit = s.layout.units.factor(lw.units.LENGTH)
    X = posture.pose("crank") @ s.layout.seats["A"].X_HM
    markers = [np.array(x.get_data_3d()).T[0] for x in ax.lines if x.get_marker() == "o"]
    assert min(np.abs(p - X[:3, 3] / unit).max() for p in markers) < 1e-12


def test_wrong_axes_and_arguments_are_refused() -> None:
    from matplotlib.figure import Figure

    four, rssr = (lw.example(n).assemble() for n in ("four-bar", "rssr"))
    with pytest.raises(lw.ModelError, match="the machine is spatial, the axes are not; give three-dimensional"):
        draw_posture(rssr, ax=Figure().add_subplot())
    with pytest.raises(lw.ModelError, match="the machine is planar, the axes are not; give plain axes"):
        draw_posture(four, ax=Figure().add_subplot(projection="3d"))
    with pytest.raises(lw.ModelError, match="there is no posture to draw"):
        draw_posture(four, [])
    with pytest.raises(TypeError, match="assembled first"):
        draw_posture(four.mechanism)  # type: ignore[arg-type]


def test_closures_are_drawn_side_by_side_on_equal_axes() -> None:
    s = lw.example("four-bar").assemble()
    figure = draw_closures(s, s.closures(O2=0.7))
    assert [ax.get_title() for ax in figure.axes] == ["1", "2"]
    assert len({(ax.get_xlim(), ax.get_ylim()) for ax in figure.axes}) == 1
    assert figure.get_suptitle() == "four-bar: 2 closures"
    figure.draw_without_rendering()
    for ax in figure.axes:  # nothing is cut
        points = np.vstack([line.get_xydata() for line in ax.lines])
        (low, high), (bottom, top) = ax.get_xlim(), ax.get_ylim()
        assert low < points[:, 0].min() and points[:, 0].max() < high
        assert bottom < points[:, 1].min() and points[:, 1].max() < top
    assert len(draw_closures(s, s.closures(O2=0.7), most=1).axes) == 1


@pytest.mark.parametrize(
    "name", ["stewart-platform", "excavator-arm", "bevel-differential", "planetary-set", "four-bar"]
)
def test_names_do_not_cover_each_other(name: str) -> None:
    """Names are where they were placed, so their boxes are known: they lie apart, and on the page."""
    ax = draw_layout(lw.example(name))
    figure = ax.figure
    figure.draw_without_rendering()
    notes = [t for t in ax.texts if t.get_text() not in ("", "/////")]
    boxes = np.array([t.get_window_extent().extents for t in notes])
    assert len(boxes) > 5
    shared = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:]) - np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    overlap = np.prod(np.maximum(shared, 0.0), axis=2)
    np.fill_diagonal(overlap, 0.0)
    area = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    assert (overlap / area[:, None]).max() < 0.1
    assert boxes.min() > -1.0 and (boxes[:, 2:] < np.array(figure.bbox.size) + 1.0).all()


def test_names_keep_beside_their_places_when_space_is_turned() -> None:
    from mpl_toolkits.mplot3d.proj3d import proj_transform

    ax = draw_layout(lw.example("rssr"))
    note = next(t for t in ax.texts if t.get_text() == "A")
    before = note.xy
    ax.view_init(elev=60.0, azim=10.0)
    ax.figure.draw_without_rendering()
    assert note.xy != before
    assert np.allclose(note.xy, proj_transform(0.0, 0.0, 0.0, ax.get_proj())[:2], atol=1e-12)


@pytest.mark.parametrize("name", ["slider-crank", "bennett", "rack-steering", "screw-jack"])
def test_spatial_pages_have_no_empty_strips_and_few_ticks(name: str) -> None:
    ax = draw_layout(lw.example(name))
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    ink = np.argwhere(np.asarray(canvas.buffer_rgba())[:, :, :3].min(axis=2) < 250)
    share = np.ptp(ink, axis=0) / canvas.get_width_height()[::-1]
    assert share.min() > 0.75


# ---------------------------------------------------------------- the command


def test_show_draws_postures(tmp_path: Path) -> None:
    out = tmp_path / "a.svg"
    words = ["show", "four-bar", "--layout", str(out), "--at", "O2=60deg", "--at", "O2=120deg"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0 and out.read_text(encoding="utf-8").startswith("<?xml"), result.output
    result = CliRunner().invoke(app, ["show", "four-bar", "--solid", str(tmp_path / "b.png"), "--at", "O2=60deg"])
    assert result.exit_code == 0 and (tmp_path / "b.png").stat().st_size > 5000


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["--at", "O2=60deg"], 2, "name its file too"),
        (["--layout", "a.svg", "--at", "O9=60deg"], 2, "there is no joint 'O9'"),
        (["--layout", "layout"], 2, "no ending"),
        (["--layout", "a.svg", "--at", "O4=0deg"], 1, "O4"),
    ],
)
def test_show_says_what_is_wrong(
    words: list[str], code: int, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["show", "four-bar", *words])
    assert result.exit_code == code and text in result.output, result.output
    assert not list(tmp_path.iterdir())


def test_closures_are_drawn_by_the_command(tmp_path: Path) -> None:
    words = ["closures", "four-bar", "--at", "O2=40deg"]
    result = CliRunner().invoke(app, [*words, "--draw", str(tmp_path / "a.png")])
    assert result.exit_code == 0 and (tmp_path / "a.png").stat().st_size > 5000, result.output
    assert CliRunner().invoke(app, [*words, "--draw", str(tmp_path / "a")]).exit_code == 2


def test_what_is_no_posture_is_told() -> None:
    s = lw.example("four-bar").assemble()
    with pytest.raises(lw.ModelError, match="a str is no posture"):
        lw.draw_posture(s, {"O2": 1.0})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["polishing-arm", "stewart-platform", "chain"])
def test_all_poses_at_once_are_those_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a drawing asks for no other kernel."""
    from linkwork.files.generators import chain
    from linkwork.system import System
    from linkwork.views.placed_layout import layout_at

    s = (chain(60) if name == "chain" else lw.example(name)).assemble()
    posture = s.home if name == "stewart-platform" else s.at({s.home.independent[0]: 0.2})
    few = [*list(posture.poses)[:3], *list(posture.poses)[-3:]]
    for part in few:
        np.testing.assert_allclose(posture.poses[part], posture.pose(part), rtol=0, atol=1e-13)
    asked: list[str] = []
    usual = System.bound_kernel
    monkeypatch.setattr(System, "bound_kernel", lambda self, q: asked.append(q.name) or usual(self, q))
    found = layout_at(s, posture)
    assert len(asked) <= 1
    for part in few:
        X = found.X_WB.get(part, found.frames.get(part))
        if X is not None:
            assert np.array_equal(X, posture.poses[part])
