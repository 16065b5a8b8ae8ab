"""The graph of a mechanism, drawn: bodies as boxes in layers above ground, joints as arrows; and as a tree of text.

The layout is a plain rule, the same every time. A body stands as many rows above the reference as the tree is deep
there; bodies in a row are ordered by the mean place of their neighbours, which keeps crossings few, and shifted towards
those neighbours as far as the row allows. Then each joint takes the flattest curve that misses other bodies and labels.
Lengths are inches of paper at natural size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from linkwork.errors import MissingExtra
from linkwork.topology import Topology
from linkwork.views.label_places import path_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = npt.NDArray[np.float64]
Box = tuple[float, float, float, float]
"""x and y of the lower left corner, then of the upper right one."""

# Blue and vermilion of the palette of Okabe and Ito: apart for every kind of colour vision, and in grey.
TREE, CHORD, INK, PAPER, STONE = "#0072B2", "#D55E00", "#222222", "#FFFFFF", "#D9D9D9"

FONT = 10.0  # points
BOX_HEIGHT = 0.36
ROW = 1.15
GAP = 0.5
STRIP = 0.11  # the hatched ground under the ground
HEAD = 0.11  # length of an arrow head
OFFSETS = (0.0, *(s * d for d in (0.12, 0.25, 0.4, 0.55, 0.75, 1.0, 1.3, 1.7, 2.2, 3.0) for s in (1, -1)))
MAX_BEND = 2.4  # twice the offset over the distance
SAMPLES = 25  # points of a curve that is tried
SPOTS = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)


def draw_graph(topology: Topology, kinds: Mapping[str, str] | None = None, ax: Axes | None = None) -> Axes:
    """Draw bodies and joints.

    Parameters
    ----------
    topology : the graph
    kinds : letter or word of every joint, added to its label
    ax : axes to draw into; a new figure without

    Solid blue joints are in the tree, dashed orange ones are cut; arrows run from tail to head. Without `ax` a figure
    of fitting size is made, independent of pyplot: `draw_graph(t).figure.savefig("graph.svg")`. Boxes carry the gid
    `body:NAME`, lines `joint:NAME`, their texts `body-label:NAME` and `joint-label:NAME`, which SVG files keep as ids.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "drawing the graph") from None
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon, Rectangle
    from matplotlib.path import Path

    label = {joint: _label(joint, kinds) for joint in topology.joints}
    label_width = {joint: _text_width(text) + 0.08 for joint, text in label.items()}
    width = {body: max(_text_width(body) + 0.26, 0.5) for body in topology.bodies}
    place, lanes = _layout(topology, width, label_width)
    boxes = {
        b: (x - width[b] / 2, y - BOX_HEIGHT / 2, x + width[b] / 2, y + BOX_HEIGHT / 2) for b, (x, y) in place.items()
    }
    routes = _route(topology, place, boxes, label_width, lanes)

    # The page: everything drawn, with a margin; text shrinks with the page if `ax` is too small for natural size.
    corners = [np.array([[x0, y0 - STRIP], [x1, y1]]) for x0, y0, x1, y1 in boxes.values()]
    corners += [r.points for r in routes.values()] + [np.reshape(r.label_box, (2, 2)) for r in routes.values()]
    low, high = np.vstack(corners).min(axis=0) - 0.12, np.vstack(corners).max(axis=0) + 0.12
    short = max(4.4 - (high - low)[0], 0.0) / 2  # leave room for the legend
    low -= np.array([short, 0.34])
    high += np.array([short, 0.0])
    size = high - low
    if ax is None:
        ax = Figure(figsize=(size[0], size[1])).add_axes((0.0, 0.0, 1.0, 1.0))
        scale = 1.0
    else:
        window, dpi = ax.get_window_extent(), ax.figure.dpi
        scale = min(1.0, window.width / dpi / size[0], window.height / dpi / size[1])
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_aspect("equal")
    ax.set_axis_off()

    chords = set(topology.chords)
    for joint, route in routes.items():
        colour = CHORD if joint in chords else TREE
        line = PathPatch(
            Path(route.curve, [Path.MOVETO, Path.CURVE3, Path.CURVE3]),
            facecolor="none",
            edgecolor=colour,
            linewidth=1.5 * scale,
            linestyle=(0, (4, 2.5)) if joint in chords else "solid",
            zorder=1,
            gid=f"joint:{joint}",
        )
        ax.add_patch(line)
        ax.add_patch(Polygon(route.head, facecolor=colour, edgecolor="none", zorder=2))
        ax.text(
            *route.label_at,
            label[joint],
            color=colour,
            fontsize=FONT * scale,
            ha="center",
            va="center",
            parse_math=False,
            zorder=3,
            gid=f"joint-label:{joint}",
            bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.0 * scale},
        )

    references = {a.reference for a in topology.assemblies}
    for body, (x0, y0, x1, y1) in boxes.items():
        if body == topology.ground:
            ax.add_patch(
                Rectangle((x0, y0 - STRIP), x1 - x0, STRIP, facecolor=PAPER, edgecolor=INK, hatch="/////", linewidth=0)
            )
        shape = FancyBboxPatch(
            (x0, y0),
            x1 - x0,
            y1 - y0,
            boxstyle=f"round,pad=0,rounding_size={0.02 if body == topology.ground else 0.12}",
            facecolor=STONE if body in references else PAPER,
            edgecolor=INK,
            linewidth=1.2 * scale,
            zorder=4,
            gid=f"body:{body}",
        )
        ax.add_patch(shape)
        ax.text(
            *place[body],
            body,
            color=INK,
            fontsize=FONT * scale,
            ha="center",
            va="center",
            parse_math=False,
            zorder=5,
            gid=f"body-label:{body}",
        )
    _legend(ax, topology, scale)
    return ax


def text_tree(topology: Topology, kinds: Mapping[str, str] | None = None, ascii_only: bool = False) -> str:
    """The spanning tree with box characters, one body a line, and the cut joints below it.

    Parameters
    ----------
    topology : the graph
    kinds : letter or word of every joint, added to its name
    ascii_only : use no character outside ASCII, except those in names

    The arrow shows how a joint is oriented: `A → crank` runs out to the crank, `A ← crank` comes from it.

    >>> from linkwork.topology import Edge, topology
    >>> t = topology(["ground", "crank", "rod", "piston"],
    ...              [Edge("A", "ground", "crank"), Edge("B", "crank", "rod"),
    ...               Edge("C", "rod", "piston"), Edge("D", "ground", "piston")], "ground")
    >>> print(text_tree(t, dict(A="R", B="R", C="R", D="P"), ascii_only=True))
    ground
    |- A (R) -> crank
    |  `- B (R) -> rod
    `- D (P) -> piston
    cut: C (R): rod -> piston
    """
    tee, corner, bar, right, left = ("|- ", "`- ", "|  ", "->", "<-") if ascii_only else ("├─ ", "└─ ", "│  ", "→", "←")
    children: dict[str, list[str]] = defaultdict(list)
    for body, above in topology.parent.items():
        children[above.body].append(body)
    lines: list[str] = []
    for assembly in topology.assemblies:
        lines.append(assembly.reference)
        # Each entry: a body to be written, what stands before it, and whether it is the last of its siblings.
        stack = _siblings(children[assembly.reference], "")
        while stack:
            body, before, last = stack.pop()
            joint, _, sign = topology.parent[body]
            lines.append(
                f"{before}{corner if last else tee}{_label(joint, kinds)} {right if sign > 0 else left} {body}"
            )
            stack += _siblings(children[body], before + ("   " if last else bar))
    chords = set(topology.chords)
    lines += [f"cut: {_label(e.name, kinds)}: {e.tail} {right} {e.head}" for e in topology.edges if e.name in chords]
    return "\n".join(lines)


def _siblings(bodies: Sequence[str], before: str) -> list[tuple[str, str, bool]]:
    """Siblings as stack entries, the first on top."""
    return [(body, before, i == len(bodies) - 1) for i, body in reversed(list(enumerate(bodies)))]


def _label(joint: str, kinds: Mapping[str, str] | None) -> str:
    return f"{joint} ({kinds[joint]})" if kinds and kinds.get(joint) else joint


def _text_width(text: str) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    if not text.strip():
        return 0.0
    return path_width(TextPath((0, 0), text.replace("$", r"\$"), size=FONT, prop=FontProperties())) / 72


def _legend(ax: Axes, topology: Topology, scale: float) -> None:
    from matplotlib.artist import Artist
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Artist] = [Patch(facecolor=STONE, edgecolor=INK, hatch="/////", label="ground")]
    if len(topology.assemblies) > 1:
        handles.append(Patch(facecolor=STONE, edgecolor=INK, label="reference"))
    if topology.tree:
        handles.append(Line2D([], [], color=TREE, linewidth=1.5 * scale, label="tree joint"))
    if topology.chords:
        handles.append(Line2D([], [], color=CHORD, linewidth=1.5 * scale, linestyle=(0, (4, 2.5)), label="cut joint"))
    ax.legend(
        handles=handles,
        loc="lower center",
        ncol=len(handles),
        frameon=False,
        fontsize=0.9 * FONT * scale,
        borderaxespad=0.2,
        columnspacing=1.5,
    )


# --- where bodies stand --------------------------------------------------------------------------


def _layout(
    topology: Topology, width: Mapping[str, float], label_width: Mapping[str, float]
) -> tuple[dict[str, tuple[float, float]], dict[str, list[tuple[float, float]]]]:
    """Centres of the boxes, every assembly in layers and assemblies side by side; and lanes for joints that pass rows.

    A joint that passes rows takes a seat in each of them, as if it were a chain of narrow bodies.
    """
    depth = topology.depth
    edge_room: dict[frozenset[str], float] = defaultdict(float)
    near: dict[str, list[str]] = defaultdict(list)
    seats: dict[str, list[tuple[str, int]]] = {}  # of a joint: stand-in name and row
    wide = dict(width)
    for e in topology.edges:
        pair = frozenset((e.tail, e.head))
        edge_room[pair] = max(edge_room[pair], label_width[e.name] + 0.55)
        low, high = sorted((e.tail, e.head), key=lambda b: depth[b])
        passed = range(depth[low] + 1, depth[high])
        seats[e.name] = [(f"{e.name}\0{r}", r) for r in passed]
        wide |= {seat: label_width[e.name] for seat, _ in seats[e.name]}
        for a, b in pairwise([low, *(seat for seat, _ in seats[e.name]), high]):
            near[a].append(b)
            near[b].append(a)

    place: dict[str, tuple[float, float]] = {}
    start = 0.0
    for assembly in topology.assemblies:
        bodies = _rows(topology, assembly.reference)
        taken = [[s for joint in assembly.joints for s, at in seats[joint] if at == r] for r in range(len(bodies))]
        # Start with the passing joints at the right, at the left, and on both sides in turn.
        starts = [
            [row + pass_by for row, pass_by in zip(bodies, taken, strict=True)],
            [pass_by + row for row, pass_by in zip(bodies, taken, strict=True)],
            [pass_by[::2] + row + pass_by[1::2] for row, pass_by in zip(bodies, taken, strict=True)],
        ]
        rows = min((_order(start, near) for start in starts[: 3 if any(taken) else 1]), key=lambda o: o[1])[0]
        xs = _columns(rows, near, wide, edge_room)
        left = min(xs[b] - wide[b] / 2 for b in xs)
        for r, row in enumerate(rows):
            place |= {b: (start + xs[b] - left, ROW * r) for b in row}
        start += max(xs[b] + wide[b] / 2 for b in xs) - left + 2 * GAP
    lanes = {joint: [place[seat] for seat, _ in chain] for joint, chain in seats.items()}
    return {b: place[b] for b in topology.bodies}, lanes


def _rows(topology: Topology, reference: str) -> list[list[str]]:
    """Bodies of an assembly by depth; subtrees stay side by side."""
    children: dict[str, list[str]] = defaultdict(list)
    for body, above in topology.parent.items():
        children[above.body].append(body)
    rows: list[list[str]] = []
    stack = [reference]
    while stack:
        body = stack.pop()
        if topology.depth[body] == len(rows):
            rows.append([])
        rows[topology.depth[body]].append(body)
        stack += reversed(children[body])
    return rows


def _order(rows: list[list[str]], near: Mapping[str, Sequence[str]]) -> tuple[list[list[str]], int]:
    """Sort rows by the mean place of neighbours in the row below, then above; the best order met, and its tangle."""
    row_of = {b: r for r, row in enumerate(rows) for b in row}
    best, fewest = rows, _tangle(rows, row_of, near)
    for sweep in range(8):
        if fewest == 0:
            return best, fewest
        upward = sweep % 2 == 0
        rows = [list(row) for row in rows]
        for r in range(1, len(rows)) if upward else range(len(rows) - 2, -1, -1):
            seat = {b: (i + 0.5) / len(row) for row in rows for i, b in enumerate(row)}

            def mean(b: str, r: int = r, seat: Mapping[str, float] = seat, upward: bool = upward) -> float:
                ahead = [seat[c] for c in near[b] if (row_of[c] < r if upward else row_of[c] > r)]
                # Neighbours in the same row count half: they like to sit side by side.
                beside = [seat[c] for c in near[b] if row_of[c] == r]
                weight = len(ahead) + 0.5 * len(beside)
                return (sum(ahead) + 0.5 * sum(beside)) / weight if weight else seat[b]

            rows[r].sort(key=mean)
        tangle = _tangle(rows, row_of, near)
        if tangle < fewest:
            best, fewest = rows, tangle
    return _swap(best, fewest, row_of, near) if len(row_of) <= 200 else (best, fewest)


def _swap(
    rows: list[list[str]], tangle: int, row_of: Mapping[str, int], near: Mapping[str, Sequence[str]]
) -> tuple[list[list[str]], int]:
    """Exchange neighbours in a row for as long as that untangles anything."""
    better = True
    while better and tangle:
        better = False
        for row in rows:
            for i in range(len(row) - 1):
                row[i], row[i + 1] = row[i + 1], row[i]
                now = _tangle(rows, row_of, near)
                if now < tangle:
                    tangle, better = now, True
                else:
                    row[i], row[i + 1] = row[i + 1], row[i]
    return rows, tangle


def _tangle(rows: Sequence[Sequence[str]], row_of: Mapping[str, int], near: Mapping[str, Sequence[str]]) -> int:
    """Crossings between rows, and bodies jumped over within a row."""
    seat = {b: i for row in rows for i, b in enumerate(row)}
    total = 0
    for r, row in enumerate(rows):
        ends = np.array([(seat[b], seat[c]) for b in row for c in near[b] if row_of[c] == r + 1]).reshape(-1, 2)
        a, b = ends[:, :1] - ends[:, 0], ends[:, 1:] - ends[:, 1]
        total += int((a * b < 0).sum()) // 2
        total += sum(abs(seat[body] - seat[c]) - 1 for body in row for c in near[body] if row_of[c] == r) // 2
    return total


def _columns(
    rows: Sequence[Sequence[str]],
    near: Mapping[str, Sequence[str]],
    width: Mapping[str, float],
    edge_room: Mapping[frozenset[str], float],
) -> dict[str, float]:
    """Shift bodies towards the middle of their neighbours, in order and without touching."""
    row_of = {b: r for r, row in enumerate(rows) for b in row}
    room = [
        np.array(
            [0.5 * (width[a] + width[b]) + max(GAP, edge_room.get(frozenset((a, b)), 0.0)) for a, b in pairwise(row)]
        )
        for row in rows
    ]
    xs: dict[str, float] = {}
    for row, gaps in zip(rows, room, strict=True):
        at = np.concatenate([[0.0], np.cumsum(gaps)])
        xs |= zip(row, (at - at.mean()).tolist(), strict=True)
    for sweep in range(12):
        upward = sweep % 2 == 0
        for r in range(1, len(rows)) if upward else range(len(rows) - 2, -1, -1):
            wish = []
            for b in rows[r]:
                others = [xs[c] for c in near[b] if (row_of[c] < r if upward else row_of[c] > r)]
                wish.append(sum(others) / len(others) if others else xs[b])
            xs |= zip(rows[r], _spread(np.array(wish), room[r]).tolist(), strict=True)
    return xs


def _spread(wish: Array, gaps: Array) -> Array:
    """The places nearest to `wish` (least squares) that keep the order and the gaps: pool adjacent violators."""
    offset = np.concatenate([[0.0], np.cumsum(gaps)])
    pools: list[tuple[float, int]] = []  # mean of the wishes, number of bodies
    for value in wish - offset:
        mean, n = float(value), 1
        while pools and pools[-1][0] > mean:
            m, k = pools.pop()
            mean, n = (mean * n + m * k) / (n + k), n + k
        pools.append((mean, n))
    return np.asarray(np.repeat([mean for mean, _ in pools], [n for _, n in pools]) + offset)


# --- how joints run ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Route:
    """A joint on paper: a parabola by its three points, samples of it, its arrow head, its label."""

    curve: Array
    points: Array
    head: Array
    label_at: tuple[float, float]
    label_box: Array


@dataclass(frozen=True)
class _Choices:
    """All the ways a joint may run: k curves, with the label at s spots of each.

    curves : (k, 3, 2), points : (k, SAMPLES, 2), heads : (k, 3, 2), labels : (k, s, 2), label_boxes : (k, s, 4)
    cost : (k, s), of the bend and of a label off the middle, wherever other joints are
    """

    curves: Array
    points: Array
    heads: Array
    labels: Array
    label_boxes: Array
    cost: Array

    def route(self, k: int, s: int) -> _Route:
        x, y = self.labels[k, s].tolist()
        return _Route(self.curves[k], self.points[k], self.heads[k], (x, y), self.label_boxes[k, s])


def _route(
    topology: Topology,
    place: Mapping[str, tuple[float, float]],
    boxes: Mapping[str, Box],
    label_width: Mapping[str, float],
    lanes: Mapping[str, Sequence[tuple[float, float]]],
) -> dict[str, _Route]:
    """For every joint the flattest curve, and the most central label, that are in nobody's way.

    One joint is moved at a time while all others stay; later rounds mend what the first could not foresee.
    """
    chords = set(topology.chords)
    order = sorted(topology.edges, key=lambda e: e.name in chords)  # tree joints choose first
    obstacles = np.array([boxes[b] for b in topology.bodies])
    obstacles[topology.bodies.index(topology.ground), 1] -= STRIP
    row = {b: i for i, b in enumerate(topology.bodies)}
    choices = {}
    for e in order:
        a, b = np.array(place[e.tail]), np.array(place[e.head])
        own = [row[e.tail], row[e.head]]
        found = _choices(a, b, np.array([boxes[e.tail], boxes[e.head]]), label_width[e.name], lanes[e.name])
        choices[e.name] = replace(found, cost=found.cost + _fixed_trouble(found, obstacles, own))
    routes: dict[str, _Route] = {}
    chosen: dict[str, tuple[int, int]] = {}
    for _ in range(3 if len(order) <= 100 else 1):
        before = dict(chosen)
        for e in order:
            others = [r for name, r in routes.items() if name != e.name]
            chosen[e.name] = _best(choices[e.name], others)
            routes[e.name] = choices[e.name].route(*chosen[e.name])
        if chosen == before:
            break  # another round would find the same
    return {e.name: routes[e.name] for e in topology.edges}


def _choices(a: Array, b: Array, own: Array, label: float, lane: Sequence[tuple[float, float]]) -> _Choices:
    """Curves from centre to centre, clipped to the boxes of both ends, the flattest first."""
    distance = float(np.hypot(*(b - a)))
    normal = np.array([b[1] - a[1], a[0] - b[0]]) / distance
    # The furthest seat of a joint that passes rows is where its curve would best run.
    reserved = sorted((float(normal @ (np.array(seat) - a)) for seat in lane), key=abs)
    offsets = np.array([*reserved[-1:], *OFFSETS])
    offsets = offsets[2 * np.abs(offsets) / distance <= MAX_BEND]
    bent = np.where(np.isin(offsets, reserved), 1.0, 2.5) * np.abs(offsets) + 2 * np.abs(offsets) / distance
    controls = 0.5 * (a + b) + 2 * offsets[:, None] * normal
    whole = np.stack([np.broadcast_to(a, controls.shape), controls, np.broadcast_to(b, controls.shape)], axis=1)
    t = np.linspace(0, 1, 201)
    free = np.asarray(~_inside(_parabola(whole, t), own, 0.0).any(axis=2))
    first, last = np.argmax(free, axis=1), len(t) - 1 - np.argmax(free[:, ::-1], axis=1)
    some = free.sum(axis=1) > 1
    curves = _part(whole, np.where(some, t[first], 0.4), np.where(some, t[last], 0.6))
    points = _parabola(curves, np.linspace(0, 1, SAMPLES))
    # The arrow head covers the last stretch of the curve.
    covered = np.minimum(HEAD / np.maximum(_lengths(points), HEAD), 0.9)
    tips = curves[:, 2]
    along = tips - _parabola(curves, (1 - covered)[:, None])[:, 0]
    along = HEAD * along / np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)[:, None]
    across = 0.42 * np.column_stack([-along[:, 1], along[:, 0]])
    heads = np.stack([tips, tips - along + across, tips - along - across], axis=1)
    labels = _parabola(curves, np.array(SPOTS))
    half = np.array([label / 2, 0.1])
    label_boxes = np.concatenate([labels - half, labels + half], axis=2)
    cost = bent[:, None] + 1.5 * np.abs(np.array(SPOTS) - 0.5)
    return _Choices(curves, points, heads, labels, label_boxes, cost)


def _fixed_trouble(choices: _Choices, obstacles: Array, own: Sequence[int]) -> Array:
    """What every choice (k, s) costs for the bodies in its way, and for a label on its own arrow head."""
    foreign = np.delete(obstacles, own, axis=0)
    curves = 60.0 * _inside(choices.points, foreign, 0.07).any(axis=1).sum(axis=1)
    labels = 40.0 * _overlap(choices.label_boxes, obstacles, 0.02).sum(axis=2)
    heads = 40.0 * _inside(choices.heads, choices.label_boxes, 0.01).any(axis=1)
    return np.asarray(curves[:, None] + labels + heads)


def _best(choices: _Choices, others: Sequence[_Route]) -> tuple[int, int]:
    """Curve and spot of the choice that costs least beside the other joints; the first of equals."""
    cost = choices.cost.copy()
    if others:
        labels = np.array([r.label_box for r in others])
        points = np.array([r.points for r in others])
        heads = np.array([r.head for r in others]).reshape(-1, 2)
        cost += 12.0 * _inside(choices.points, labels, 0.03).any(axis=1).sum(axis=1)[:, None]
        cost += 40.0 * _overlap(choices.label_boxes, labels, 0.03).sum(axis=2)
        cost += 15.0 * _inside(heads, choices.label_boxes, 0.03).sum(axis=1)
        # Lines against lines is the long part; a curve that is dearer already than the best one is spared it.
        lowest = np.inf
        for k in np.argsort(cost.min(axis=1), kind="stable"):
            if cost[k].min() <= lowest:
                cost[k] += _line_trouble(choices.points[k], choices.label_boxes[k], points)
                lowest = min(lowest, float(cost[k].min()))
            else:
                cost[k] = np.inf
    k, s = np.unravel_index(int(np.argmin(cost)), cost.shape)
    return int(k), int(s)


def _line_trouble(line: Array, label_boxes: Array, others: Array) -> Array:
    """What one curve costs beside the lines of other joints, by the spot of its label."""
    covered = _inside(others, label_boxes, 0.03).any(axis=1).sum(axis=0)
    # To cross another joint is a pity; to run along it is worse.
    inner = line[5:-5]  # joints on one body meet near it, and may
    away = inner[:, None] - others[:, None]
    near = (away[..., 0] ** 2 + away[..., 1] ** 2).min(axis=2) < 0.1**2
    along = near.sum(axis=1) * _lengths(line) / (len(line) - 1)
    clash = 1.5 * np.count_nonzero(along > 0) + 8.0 * np.count_nonzero(along > 0.45)
    return np.asarray(12.0 * covered + clash)


def _parabola(curve: Array, t: Array) -> Array:
    """Points (..., n, 2) of parabolas (..., 3, 2) at parameters (n,) or (..., n)."""
    u = t[..., None]
    a, control, b = (curve[..., i : i + 1, :] for i in range(3))
    return np.asarray((1 - u) ** 2 * a + 2 * u * (1 - u) * control + u**2 * b)


def _part(curves: Array, t0: Array, t1: Array) -> Array:
    """The three points of the pieces of parabolas between two parameters (their blossom)."""
    ends = _parabola(curves, np.column_stack([t0, t1]))
    u, v = t0[:, None], t1[:, None]
    middle = (1 - u) * (1 - v) * curves[:, 0] + (u * (1 - v) + v * (1 - u)) * curves[:, 1] + u * v * curves[:, 2]
    return np.stack([ends[:, 0], middle, ends[:, 1]], axis=1)


def _lengths(points: Array) -> Array:
    """Lengths (...) of polylines (..., n, 2)."""
    steps = np.diff(points, axis=-2)
    return np.asarray(np.hypot(steps[..., 0], steps[..., 1]).sum(axis=-1))


def _inside(points: Array, boxes: Array, margin: float) -> npt.NDArray[np.bool_]:
    """Which of the points (..., n, 2) lies in which of the boxes (..., m, 4): (..., n, m)."""
    x, y = points[..., None, 0], points[..., None, 1]
    x0, y0, x1, y1 = (boxes[..., None, :, i] for i in range(4))
    return np.asarray((x > x0 - margin) & (x < x1 + margin) & (y > y0 - margin) & (y < y1 + margin))


def _overlap(boxes: Array, others: Array, margin: float) -> npt.NDArray[np.bool_]:
    """Which of the boxes (..., 4) meets which of the others (m, 4): (..., m)."""
    x0, y0, x1, y1 = (boxes[..., None, i] for i in range(4))
    return np.asarray(
        (x0 < others[:, 2] + margin)
        & (x1 > others[:, 0] - margin)
        & (y0 < others[:, 3] + margin)
        & (y1 > others[:, 1] - margin)
    )
