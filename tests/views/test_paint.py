"""Solid pictures: what is where on the page, what hides what, how bright it is."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.colours import DARK, LIGHT
from linkwork.views.layers.parts import Layer, Segments
from linkwork.views.paint import paint, paint_posture
from linkwork.views.painting.lens import lens_of
from linkwork.views.painting.picture import picture_of
from linkwork.views.painting.surface import TOWARDS_LIGHT, Seen, corner_normals, is_closed, shaded, surface_of
from linkwork.views.scene import Label, Mesh, Part, Scene, scene_of
from linkwork.views.scene.camera import Camera

CAMERA = Camera(np.array([0.0, 0.0, 10.0]), np.zeros(3), np.array([0.0, 1.0, 0.0]), 2 * math.atan(0.5))
"""Looks down the z axis from 10 m; half the height of its field of view is 5 m at the origin."""


def box(low: tuple[float, ...], high: tuple[float, ...]) -> Mesh:
    corners = np.array([[(low, high)[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return Mesh(corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]))


def scene(*parts: Part) -> Scene:
    poses = {p.body: np.eye(4) for p in parts} | {"ground": np.eye(4)}
    corners = np.array([[-3.0, -3.0, -3.0], [3.0, 3.0, 3.0]])
    label = Label("here", "ground", np.array([1.0, 0.0, 0.0]), "point")
    return Scene("boxes", "ground", parts, (label,), poses, corners, None, np.array([0.0, 1.0, 0.0]), 1.0)


def part(name: str, mesh: Mesh, tint: int, opacity: float = 1.0) -> Part:
    return Part(name, name, "body", name, mesh, tint, opacity)


def pixels(ax: object) -> np.ndarray:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(ax.figure)  # type: ignore[attr-defined]
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].astype(int)


def colour_at(ax: object, place: tuple[float, float, float]) -> np.ndarray:
    """The colour of the pixel on which a place of the world falls."""
    picture = pixels(ax)
    page = lens_of(CAMERA).seen(np.array(place))[0]
    x, y = ax.transData.transform(page)  # type: ignore[attr-defined]
    return picture[picture.shape[0] - 1 - int(y), int(x)]


def shows(ax: object, place: tuple[float, float, float], tint: int) -> bool:
    """Whether a face of this tint that looks at the reader is seen there."""
    colour = np.array([*LIGHT.rgb(tint), 255.0]) / 255.0
    wanted = 255.0 * shaded(colour, np.array([0.0, 0.0, -1.0]))[:3]
    return bool(np.abs(colour_at(ax, place) - wanted).max() <= 1.0)


# ---------------------------------------------------------------- the pin-hole


def test_places_fall_where_a_pin_hole_puts_them() -> None:
    page, depth = lens_of(CAMERA).seen(np.array([[1.0, 2.0, 0.0], [1.0, 2.0, 6.0], [0.0, 5.0, 0.0], [0.0, 0.0, -90.0]]))
    # c = 1 / tan(fov / 2) = 2; x = 2 * 1 / 10, and 2 * 1 / 4 where the depth is 4
    assert np.allclose(page, [[0.2, 0.4], [0.5, 1.0], [0.0, 1.0], [0.0, 0.0]], rtol=0, atol=1e-15)
    assert depth.tolist() == [10.0, 4.0, 10.0, 100.0]


def test_parallel_rays_keep_sizes() -> None:
    page, _ = lens_of(CAMERA, perspective=False).seen(np.array([[1.0, 2.0, 0.0], [1.0, 2.0, 6.0]]))
    assert np.allclose(page, [[0.2, 0.4], [0.2, 0.4]], rtol=0, atol=1e-15)


def test_what_is_behind_the_eye_is_not_a_number() -> None:
    page, depth = lens_of(CAMERA).seen(np.array([0.0, 1.0, 10.5]))
    assert np.isnan(page).all() and depth == -0.5


def test_the_lens_agrees_with_the_camera_of_the_scene() -> None:
    camera = Camera(np.array([3.0, -4.0, 2.0]), np.array([0.2, 0.1, 0.3]), np.array([0.0, 0.0, 1.0]), 0.6)
    places = np.random.default_rng(1).uniform(-0.5, 0.5, (50, 3))
    assert np.allclose(lens_of(camera).seen(places)[0], camera.project(places, aspect=1.0), rtol=1e-13, atol=1e-14)


def test_looking_along_up_is_possible() -> None:
    lens = lens_of(Camera(np.array([0.0, 0.0, 5.0]), np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.5))
    assert np.allclose(lens.axes @ lens.axes.T, np.eye(3), atol=1e-15)


# ---------------------------------------------------------------- what hides what


def test_a_near_box_hides_a_far_one_in_any_order() -> None:
    near, far = box((-1, -1, 1), (1, 1, 2)), box((-2, -2, -2), (2, 2, -1))
    for parts in ([("near", near, 0), ("far", far, 1)], [("far", far, 1), ("near", near, 0)]):
        shown = scene(*(part(*p) for p in parts))
        ax = paint(shown, camera=CAMERA, names=False)
        assert shows(ax, (0, 0, 2), 0)
        assert shows(ax, (1.8, 1.8, -1), 1)
        assert np.abs(colour_at(ax, (2.6, 0, -1)) - 255).max() == 0  # paper


def test_crossing_boxes_hide_each_other_in_turn() -> None:
    """No order of whole triangles is right here: each box is before the other somewhere."""
    shown = scene(
        part("a", box((-2, -0.3, -0.5), (2, 0.3, 0.5)), 0), part("b", box((-0.4, -0.4, -2), (0.4, 0.4, 0.0)), 1)
    )
    poses = {"b": np.array([[1, 0, 0, 1], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], float)}  # b lies along y
    ax = paint(shown, poses, camera=CAMERA, names=False)
    assert shows(ax, (1.0, 0.0, 0.5), 0)
    assert shows(ax, (1.0, -1.5, 0.4), 1)


def test_a_body_is_painted_where_its_pose_says() -> None:
    shown = scene(
        part("a", box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)), 0), part("b", box((-3, -3, -3), (-2.5, -2.5, -2.5)), 1)
    )
    X = np.eye(4)
    X[:3, 3] = 2.0, 1.0, 0.0
    ax = paint(shown, {"a": X}, camera=CAMERA, names=False)
    assert shows(ax, (2.0, 1.0, 0.5), 0)
    assert np.abs(colour_at(ax, (0.0, 0.0, 0.5)) - 255).max() == 0


def test_what_is_behind_shines_through_what_is_see_through() -> None:
    clear, far = part("clear", box((-1, -1, 1), (1, 1, 2)), 0, 0.5), part("far", box((-2, -2, -2), (2, 2, -1)), 1)
    ax = paint(scene(clear, far), camera=CAMERA, names=False)
    through, alone = colour_at(ax, (0, 0, 2)), colour_at(ax, (1.8, 1.8, -1))
    front = shaded(np.array([*np.array(LIGHT.rgb(0)) / 255.0, 0.5]), np.array([0.0, 0.0, -1.0]))[:3] * 255.0
    assert np.abs(through - (front + alone) / 2).max() < 1.5


def test_triangles_cover_the_pixels_whose_middles_they_hold() -> None:
    corners = np.array([[[1.0, 1.0], [7.0, 1.0], [1.0, 5.0]]])
    seen = Seen(corners, np.ones((1, 3)), np.ones((1, 3, 4)), np.zeros(1, np.int64))
    opacity = picture_of(seen, (8, 6), np.ones(2), np.zeros(2))[:, :, 3] / 255.0
    assert abs(opacity.sum() - 12.0) < 1.5  # half of 6 x 4 pixels
    assert opacity[0].sum() == 0.0 and opacity[1, 1] == 1.0 and opacity[5].sum() == 0.0


def test_open_and_inverted_surfaces_are_seen_from_both_sides() -> None:
    whole = box((-1, -1, -1), (1, 1, 1))
    inverted = Mesh(whole.vertices, whole.faces[:, ::-1])
    opened = Mesh(whole.vertices, whole.faces[[i for i in range(12) if i not in (2, 3)]])  # without its front
    assert [is_closed(m) for m in (whole, inverted, opened)] == [True, False, False]
    assert shows(paint(scene(part("a", whole, 0)), camera=CAMERA, names=False), (0, 0, 1), 0)
    assert shows(paint(scene(part("a", inverted, 0)), camera=CAMERA, names=False), (0, 0, 1), 0)
    assert shows(paint(scene(part("a", opened, 0)), camera=CAMERA, names=False), (0, 0, -1), 0)  # the back, from inside


def test_shapes_of_machines_are_closed() -> None:
    for name in ("slider-crank", "stewart-platform", "planetary-set", "bevel-differential", "screw-jack"):
        for p in scene_of(lw.example(name)).parts:
            assert is_closed(p.mesh), f"{name}: {p.name}"


# ---------------------------------------------------------------- light


def test_faces_are_bright_by_their_angle_to_the_light() -> None:
    grey = np.array([0.5, 0.5, 0.5, 1.0])
    towards, away, aside = (shaded(grey, n)[0] for n in (TOWARDS_LIGHT, -TOWARDS_LIGHT, np.array([0.0, 0.0, -1.0])))
    assert away < 0.32 < aside < towards
    assert shaded(grey, TOWARDS_LIGHT)[3] == 1.0


def test_normals_point_outward_and_are_smooth_where_asked() -> None:
    mesh = box((-1, -1, -1), (1, 1, 1))
    flat = corner_normals(mesh, False)
    middles = mesh.vertices[mesh.faces].mean(axis=1)
    assert (np.einsum("fi,fi->f", flat[:, 0], middles) > 0.6).all()
    assert np.allclose(np.linalg.norm(flat, axis=2), 1.0, atol=1e-15)
    smooth = corner_normals(mesh, True)
    assert (np.einsum("fki,fki->fk", smooth, mesh.vertices[mesh.faces]) > 1.6).all()  # along the diagonals


# ---------------------------------------------------------------- layers, names, themes


def test_traces_and_arrows_lie_on_the_page_where_they_are_in_space() -> None:
    path = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 0.0], [1.0, 2.0, 6.0]])
    ends = np.array([[[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]]])
    arrows = Layer("velocity", "velocity", (), (Segments("arrows", ends, 2),))
    ax = paint(scene(part("a", box((-1, -1, -1), (1, 1, 1)), 0)), camera=CAMERA, traces={"P": path}, layers=[arrows])
    (line,) = ax.lines
    assert np.allclose(line.get_xydata(), [[0.0, 0.0], [0.2, 0.4], [0.5, 1.0]], atol=1e-15)
    heads = [c.get_paths()[0].vertices for c in ax.collections if c.get_paths() and len(c.get_paths()[0].vertices) == 4]
    assert np.allclose(heads[0][0], [0.2, 0.0], atol=1e-15)  # the tip
    low, high = ax.get_ylim()
    assert low < 0.0 and high > 1.0  # the page holds the trace


def test_names_are_written_beside_their_places() -> None:
    ax = paint(scene(part("a", box((-1, -1, -1), (1, 1, 1)), 0)), camera=CAMERA)
    (note,) = ax.texts
    assert note.get_text() == "here" and np.allclose(note.xy, (0.2, 0.0), atol=1e-15)
    assert not paint(scene(part("a", box((-1, -1, -1), (1, 1, 1)), 0)), camera=CAMERA, names=False).texts


def test_dark_pages_are_dark() -> None:
    ax = paint(scene(part("a", box((-1, -1, -1), (1, 1, 1)), 0)), camera=CAMERA, theme="dark", names=False)
    assert pixels(ax)[2, 2].tolist() == [int(DARK.paper[i : i + 2], 16) for i in (1, 3, 5)]
    with pytest.raises(lw.ModelError, match="no theme 'blue'; there is: light, dark"):
        paint(scene(), theme="blue")


def test_a_scene_without_parts_is_an_empty_page() -> None:
    assert (pixels(paint(scene(), names=False)) == 255).all()


def test_pictures_are_as_fine_as_the_file() -> None:
    from io import BytesIO

    from PIL import Image

    ax = paint(scene(part("a", box((-1, -1, -1), (1, 1, 1)), 0)), camera=CAMERA, names=False)
    shares = []
    for dpi in (40, 160):
        file = BytesIO()
        ax.figure.savefig(file, dpi=dpi, format="png")
        picture = np.asarray(Image.open(file).convert("RGB")).astype(int)
        shares.append(float((picture.min(axis=2) < 200).mean()))
    assert shares[0] == pytest.approx(shares[1], rel=0.01)
    for kind in ("svg", "pdf"):
        file = BytesIO()
        ax.figure.savefig(file, format=kind)
        assert file.tell() > 1000


@pytest.mark.parametrize("name", ["slider-crank", "stewart-platform", "planetary-set", "bennett", "screw-jack"])
def test_machines_fill_the_page(name: str) -> None:
    s = lw.example(name).assemble()
    ax = paint_posture(s, names=False)
    inked = np.argwhere(pixels(ax).min(axis=2) < 250)
    height, width = pixels(ax).shape[:2]
    share = np.ptp(inked, axis=0) / (height, width)
    assert share.max() > 0.85
    assert (inked.min(axis=0) > 0).all() and (inked.max(axis=0) < (height - 1, width - 1)).all()


def test_another_posture_is_painted_elsewhere() -> None:
    s = lw.example("slider-crank").assemble()
    assert (pixels(paint_posture(s)) != pixels(paint_posture(s, s.at(A=1.0)))).any()
    with pytest.raises(TypeError, match="assembled first"):
        paint_posture(s.mechanism)  # type: ignore[arg-type]


def test_the_surface_moves_as_the_bodies_do() -> None:
    s = lw.example("four-bar").assemble()
    shown = scene_of(s.mechanism)
    surface = surface_of(shown, LIGHT)
    posture = s.at(O2=2.0)
    poses = dict(shown.poses) | {b: posture.pose(b) for b in s.bodies}
    places = surface.moved(poses)
    for i, body in enumerate(surface.bodies):
        own = surface.vertices[surface.owners == i]
        X = poses[body]
        assert np.allclose(places[surface.owners == i], own @ X[:3, :3].T + X[:3, 3], rtol=0, atol=1e-15)
