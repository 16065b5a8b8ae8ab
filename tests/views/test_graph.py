"""The drawing measured, not looked at: places, gaps, labels, dashes, arrows; and the tree of text."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.textpath import TextPath
from matplotlib.transforms import Bbox

from linkwork.errors import MissingExtra
from linkwork.topology import Edge, Topology, topology
from linkwork.views import graph
from linkwork.views.graph import CHORD, TREE, draw_graph, text_tree
from linkwork.views.label_places import path_width


def make(text: str, ground: str, low: str = "", **options: object) -> Topology:
    """A topology from `A ground>crank, ...`; joints named in `low` are the first to be cut."""
    edges = []
    for item in text.split(","):
        name, ends = item.split()
        edges.append(Edge(name, *ends.split(">"), keep=0 if name in low.split() else 1))
    bodies = list(dict.fromkeys(b for e in edges for b in (e.tail, e.head)))
    return topology(bodies, edges, ground, **options)  # type: ignore[arg-type]


FOUR_BAR = make("A ground>crank, B crank>rod, C rod>rocker, D ground>rocker", "ground")
STEWART = make(
    ", ".join(f"S{i} platform>cylinder{i}, P{i} cylinder{i}>piston{i}, U{i} piston{i}>base" for i in range(1, 7)),
    "base",
)
FERGUSON = make(
    "A carrier>planet, B ground>carrier, C sun1>planet, D ground>sun1, E sun2>planet, F ground>sun2, G ground>planet",
    "ground",
    low="C E G",
)
TWO = make("A 1>2, B 3>1, C 3>2, D 4>5, E 6>5, F 7>4, G 7>6", "7")
CLAMP = make("A 6>3, B 3>5, C 3>4, D 1>4, E 2>5, F 6>1, G 2>6", "6", tree="declared")
RAILS = make("rail1 ground>table, rail2 ground>table, rail3 table>ground, rail4 ground>table, arm table>hand", "ground")
ARM = make("A 0>1, B 1>2, C 2>3, D 3>4, E 4>5, F 5>6", "0")
LONE = topology(["ground", "lone"], [], "ground")
NAMES = make("J$1$ base_frame>long$x$name, a-very-long-joint-name long$x$name>B&c_2, K base_frame>B&c_2", "base_frame")

EVERY = {
    "four-bar": FOUR_BAR,
    "stewart": STEWART,
    "ferguson": FERGUSON,
    "two": TWO,
    "clamp": CLAMP,
    "rails": RAILS,
    "arm": ARM,
    "lone": LONE,
    "names": NAMES,
}
every = pytest.mark.parametrize("t", EVERY.values(), ids=EVERY.keys())


def patches(ax: Axes, prefix: str) -> dict[str, Patch]:
    return {str(p.get_gid())[len(prefix) :]: p for p in ax.patches if str(p.get_gid()).startswith(prefix)}


def texts(ax: Axes, prefix: str) -> dict[str, Text]:
    return {str(p.get_gid())[len(prefix) :]: p for p in ax.texts if str(p.get_gid()).startswith(prefix)}


def boxes(ax: Axes) -> dict[str, Bbox]:
    """Extents of the bodies in inches of the layout."""
    return {name: p.get_path().get_extents(p.get_patch_transform()) for name, p in patches(ax, "body:").items()}


def curve(patch: Patch) -> npt.NDArray[np.float64]:
    """Points along a drawn joint."""
    a, c, b = patch.get_path().vertices
    u = np.linspace(0, 1, 101)[:, None]
    return np.asarray((1 - u) ** 2 * a + 2 * u * (1 - u) * c + u**2 * b)


def rendered(ax: Axes, text: Text) -> Bbox:
    """What a text really covers, in inches of the layout."""
    figure = ax.figure
    assert isinstance(figure, Figure)
    if not isinstance(figure.canvas, FigureCanvasAgg):
        FigureCanvasAgg(figure).draw()  # settles the places of axes and legend
    extent = Text.get_window_extent(text, figure.canvas.get_renderer())  # type: ignore[attr-defined]
    return extent.transformed(ax.transData.inverted())


@cache
def drawn(t: Topology) -> Axes:
    return draw_graph(t)


def overlap(a: Bbox, b: Bbox) -> bool:
    return bool(a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1)


@every
def test_bodies_keep_their_distance(t: Topology) -> None:
    ax = drawn(t)
    found = boxes(ax)
    assert set(found) == set(t.bodies)
    for a, b in combinations(found.values(), 2):
        apart = max(a.x0 - b.x1, b.x0 - a.x1, a.y0 - b.y1, b.y0 - a.y1)
        assert apart > 0.3
    for body, depth in t.depth.items():  # a row for each depth
        assert found[body].y0 == pytest.approx(1.15 * depth - 0.18)


@every
def test_every_label_can_be_read(t: Topology) -> None:
    ax = drawn(t)
    found = boxes(ax)
    bodies, joints = texts(ax, "body-label:"), texts(ax, "joint-label:")
    assert {name: text.get_text() for name, text in bodies.items()} == {b: b for b in t.bodies}
    assert {name: text.get_text() for name, text in joints.items()} == {j: j for j in t.joints}
    for name, text in bodies.items():
        inner, box = rendered(ax, text), found[name]
        assert box.x0 < inner.x0 and inner.x1 < box.x1 and box.y0 < inner.y0 and inner.y1 < box.y1
    covers = {name: rendered(ax, text) for name, text in joints.items()}
    for (n, a), (m, b) in combinations(covers.items(), 2):
        assert not overlap(a, b), (n, m)
    for name, a in covers.items():
        assert not any(overlap(a, box) for box in found.values()), name
        # On its own line, and on no other.
        assert any(a.contains(*p) for p in curve(patches(ax, "joint:")[name]))
        for other, line in patches(ax, "joint:").items():
            assert other == name or not any(a.contains(*p) for p in curve(line)), (name, other)


@every
def test_joints_run_from_tail_to_head_past_all_others(t: Topology) -> None:
    ax = drawn(t)
    found, lines = boxes(ax), patches(ax, "joint:")
    assert set(lines) == set(t.joints)
    for e in t.edges:
        points = curve(lines[e.name])
        for body, at in ((e.tail, points[0]), (e.head, points[-1])):
            box = found[body]
            gap = np.maximum([box.x0 - at[0], box.y0 - at[1]], [at[0] - box.x1, at[1] - box.y1]).max()
            assert abs(gap) < 0.03
        for body in set(t.bodies) - {e.tail, e.head}:
            assert not any(found[body].contains(*p) for p in points), (e.name, body)
        # One arrow head, with its tip where the curve ends, and its base before that.
        heads = [p.get_xy() for p in ax.patches if hasattr(p, "get_closed") and np.allclose(p.get_xy()[0], points[-1])]
        assert any(np.dot(points[-1] - points[-8], h[0] - 0.5 * (h[1] + h[2])) > 0 for h in heads)


@every
def test_cut_joints_are_dashed_and_orange(t: Topology) -> None:
    ax = drawn(t)
    for name, line in patches(ax, "joint:").items():
        dashed = line.get_linestyle() not in ("solid", "-")
        assert dashed == (name in t.chords)
        assert to_hex(line.get_edgecolor()).upper() == (CHORD if name in t.chords else TREE)


@every
def test_all_is_on_the_page(t: Topology) -> None:
    ax = drawn(t)
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    covers = [*boxes(ax).values(), *(rendered(ax, text) for text in ax.texts)]
    points = np.vstack([*(c.get_points() for c in covers), *(curve(p) for p in patches(ax, "joint:").values())])
    assert (points > [x0, y0]).all() and (points < [x1, y1]).all()
    # The legend stands below everything, within the page.
    legend = ax.get_legend()
    assert legend is not None
    extent = legend.get_window_extent().transformed(ax.transData.inverted())
    assert x0 <= extent.x0 and extent.x1 <= x1 and extent.y0 >= y0
    assert extent.y1 < min(box.y0 for box in boxes(ax).values())


def crossings(ax: Axes) -> int:
    total = 0
    for a, b in combinations([curve(p) for p in patches(ax, "joint:").values()], 2):
        d, e = np.diff(a, axis=0)[:, None], np.diff(b, axis=0)[None]
        r = b[None, :-1] - a[:-1, None]
        det = d[..., 0] * e[..., 1] - d[..., 1] * e[..., 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            s = (r[..., 0] * e[..., 1] - r[..., 1] * e[..., 0]) / det
            u = (r[..., 0] * d[..., 1] - r[..., 1] * d[..., 0]) / det
        total += int(((s >= 0) & (s < 1) & (u >= 0) & (u < 1)).any())
    return total


@pytest.mark.parametrize("t", [FOUR_BAR, STEWART, FERGUSON, TWO, CLAMP, RAILS], ids=lambda t: t.ground)
def test_planar_graphs_are_drawn_without_crossings(t: Topology) -> None:
    assert crossings(drawn(t)) == 0


def test_parallel_joints_are_apart() -> None:
    lines = patches(drawn(RAILS), "joint:")
    middles = [curve(lines[f"rail{i}"])[50] for i in range(1, 5)]
    assert min(np.hypot(*(a - b)) for a, b in combinations(middles, 2)) > 0.3


def test_the_same_graph_is_drawn_the_same() -> None:
    def numbers() -> Iterator[npt.NDArray[np.float64]]:
        ax = draw_graph(FERGUSON)
        for patch in [*patches(ax, "body:").values(), *patches(ax, "joint:").values()]:
            yield np.asarray(patch.get_path().vertices)

    for a, b in zip(numbers(), numbers(), strict=True):
        assert np.array_equal(a, b)


def crowded(seed: int) -> Topology:
    """A tree of 8 bodies and 8 joints across it."""
    rng = np.random.default_rng(seed)
    tree = [f"T{i} b{rng.integers(i)}>b{i}" for i in range(1, 8)]
    across = ["C{} b{}>b{}".format(i, *rng.choice(8, 2, replace=False)) for i in range(8)]
    return make(", ".join(tree + across), "b0")


@pytest.mark.parametrize("t", [FERGUSON, RAILS, *map(crowded, range(2))])
def test_no_joint_has_a_better_way(t: Topology, monkeypatch: pytest.MonkeyPatch) -> None:
    # Curves that cannot win are not measured to the end; the choice is the same as if all were.
    chosen: list[tuple[tuple[int, int], tuple[int, int]]] = []

    def best(choices: graph._Choices, others: Sequence[graph._Route]) -> tuple[int, int]:
        found = pruned(choices, others)
        chosen.append((found, exhaustive(choices, others)))
        return found

    pruned = graph._best
    monkeypatch.setattr(graph, "_best", best)
    draw_graph(t)
    assert len(chosen) >= 2 * len(t.edges)
    assert all(found == wanted for found, wanted in chosen)


def exhaustive(choices: graph._Choices, others: Sequence[graph._Route]) -> tuple[int, int]:
    """The first of the cheapest choices, every one measured by itself."""
    lowest, best = np.inf, (0, 0)
    for k, points in enumerate(choices.points):
        step = np.hypot(*np.diff(points, axis=0).T).sum() / (len(points) - 1)
        of_line = 0.0
        for other in others:
            of_line += 12.0 * within(points, other.label_box).any()
            apart = np.hypot(*(points[5:-5, None] - other.points).transpose(2, 0, 1)).min(axis=1)
            along = (apart < 0.1).sum() * step
            of_line += 1.5 * (along > 0) + 8.0 * (along > 0.45)
        for s, box in enumerate(choices.label_boxes[k]):
            cost = choices.cost[k, s] + of_line
            for other in others:
                apart = np.maximum(box[:2] - other.label_box[2:], other.label_box[:2] - box[2:]).max()
                cost += 40.0 * (apart < 0.03) + 15.0 * within(other.head, box).sum()
                cost += 12.0 * within(other.points, box).any()
            if cost < lowest:
                lowest, best = cost, (k, s)
    return best


def within(points: npt.NDArray[np.float64], box: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Which points are in a box or nearly so."""
    return np.asarray((points > box[:2] - 0.03).all(axis=1) & (points < box[2:] + 0.03).all(axis=1))


@pytest.mark.parametrize("text", ["slider_12", "SO&@QC(s)8%", "θ.rate", "if", "|", "-", "çÄ°§ß"])
def test_widths_are_those_of_the_letters(text: str) -> None:
    path = TextPath((0, 0), text, size=10)
    assert path_width(path) == pytest.approx(path.get_extents().width, abs=1e-12)
    wave = Path([(0, 0), (3, 1), (-1, 1), (1, 0)], [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    assert path_width(wave) == wave.get_extents().width > 1.0
    bulge = Path([(0, 0), (2, 1), (0, 2)], [Path.MOVETO, Path.CURVE3, Path.CURVE3])
    assert path_width(bulge) == 1.0  # half way to the control point


def test_ground_and_references_stand_out() -> None:
    ax = drawn(TWO)
    grey = {name for name, p in patches(ax, "body:").items() if to_hex(p.get_facecolor()) == "#d9d9d9"}
    assert grey == {"7", "1"}
    (strip,) = [p for p in ax.patches if p.get_hatch()]
    ground = boxes(ax)["7"]
    extent = strip.get_path().get_extents(strip.get_patch_transform())
    assert (extent.x0, extent.x1, extent.y1) == pytest.approx((ground.x0, ground.x1, ground.y0))
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["ground", "reference", "tree joint", "cut joint"]
    alone = drawn(ARM).get_legend()
    assert alone is not None
    assert [text.get_text() for text in alone.get_texts()] == ["ground", "tree joint"]


def test_kinds_are_on_the_labels() -> None:
    ax = draw_graph(FOUR_BAR, dict(zip("ABCD", "RRRP", strict=True)))
    assert {n: text.get_text() for n, text in texts(ax, "joint-label:").items()} == {
        "A": "A (R)",
        "B": "B (R)",
        "C": "C (R)",
        "D": "D (P)",
    }


def test_a_small_axes_gets_small_letters() -> None:
    figure = Figure(figsize=(4, 3), dpi=300)
    ax = figure.add_subplot(1, 2, 1)
    assert draw_graph(STEWART, ax=ax) is ax
    found = boxes(ax)
    for name, text in texts(ax, "body-label:").items():
        inner = rendered(ax, text)
        assert inner.width < found[name].width and inner.height < found[name].height
        assert text.get_fontsize() < 4
    big = Figure(figsize=(30, 30)).add_subplot()
    assert {text.get_fontsize() for text in draw_graph(FOUR_BAR, ax=big).texts} == {10.0}


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"drawing the graph needs matplotlib: pip install 'linkwork\[plot\]'"):
        draw_graph(FOUR_BAR)
    assert text_tree(FOUR_BAR).startswith("ground")


def test_matplotlib_is_loaded_late_and_pyplot_never() -> None:
    program = (
        "import sys; from linkwork.views.graph import draw_graph; from linkwork.topology import *\n"
        "assert 'matplotlib' not in sys.modules\n"
        "draw_graph(topology(['g', 'a'], [Edge('A', 'g', 'a')], 'g'))\n"
        "assert 'matplotlib.patches' in sys.modules and 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_text_tree() -> None:
    assert text_tree(CLAMP).splitlines() == [
        "6",
        "└─ A → 3",
        "   ├─ B → 5",
        "   │  └─ E ← 2",
        "   └─ C → 4",
        "      └─ D ← 1",
        "cut: F: 6 → 1",
        "cut: G: 2 → 6",
    ]
    assert text_tree(TWO, dict.fromkeys("ABCDEFG", "R"), ascii_only=True).splitlines() == [
        "7",
        "|- F (R) -> 4",
        "|  `- D (R) -> 5",
        "`- G (R) -> 6",
        "1",
        "|- A (R) -> 2",
        "`- B (R) <- 3",
        "cut: C (R): 3 -> 2",
        "cut: E (R): 6 -> 5",
    ]
    assert text_tree(STEWART, ascii_only=True).isascii()
    assert text_tree(LONE) == "ground\nlone"


def test_a_deep_tree_needs_no_recursion() -> None:
    bodies = [str(i) for i in range(3000)]
    chain = topology(bodies, [Edge(f"j{i}", bodies[i], bodies[i + 1]) for i in range(2999)], "0")
    assert text_tree(chain).splitlines()[-1].endswith("└─ j2998 → 2999")
