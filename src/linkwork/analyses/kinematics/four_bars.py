"""Four-bars and slider-cranks among the loops of a mechanism, with the verdict on each."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from linkwork.analyses.kinematics.grashof import (
    CHANGE_POINT,
    Grashof,
    grashof,
    spherical_grashof,
)
from linkwork.analyses.kinematics.slider_cranks import (
    InvertedSliderCrank,
    SliderCrank,
    inverted_slider_crank,
    slider_crank,
)
from linkwork.errors import InputError, ModelError
from linkwork.geometry.types import Array
from linkwork.geometry.vectors import made_perpendicular, unit
from linkwork.model.joints import Prismatic, Revolute, Rigid
from linkwork.model.layout import Layout
from linkwork.model.mechanism import Mechanism
from linkwork.names import no_such
from linkwork.topology import Topology

FIT = 1e-6
"""Sine, or part of the model's size, within which axes count as parallel or as meeting in one point."""

MOST_ON_A_PIN = 12
"""A line of revolutes through more bodies is a shaft, not a pin: its bodies are not taken for links of four-bars."""


@dataclass(frozen=True)
class FourBar:
    """A loop of four bodies found in a mechanism; made by `four_bars`.

    kind : "four-bar", "spherical four-bar", "slider-crank" or "inverted slider-crank"
    ground, input, coupler, output : its bodies; of a slider-crank: frame, crank, rod, slider; of an inverted one:
        frame, crank, block, guide
    joints : ground-input, input-coupler, coupler-output, output-ground; `E3+E4` where bodies share a pin through others
    axis : unit vector of the input's joint in the layout posture, world
    angles : of input and output at the layout [rad], measured as in the verdict; for a slider-crank the crank's angle
        and the slider's place [m]; for an inverted one those of crank and guide
    verdict : what it can do; `trouble` says why there is none
    """

    kind: Literal["four-bar", "spherical four-bar", "slider-crank", "inverted slider-crank"]
    ground: str
    input: str
    coupler: str
    output: str
    joints: tuple[str, str, str, str]
    axis: Array
    angles: tuple[float, float]
    verdict: Grashof | SliderCrank | InvertedSliderCrank | None
    trouble: str = ""

    @property
    def bodies(self) -> tuple[str, str, str, str]:
        """Ground, input, coupler, output."""
        return self.ground, self.input, self.coupler, self.output

    def __repr__(self) -> str:
        return f"FourBar: {' - '.join(self.bodies)}\n  {self.kind}: {self.trouble or self.verdict}"


@dataclass(frozen=True, eq=False)
class _Pin:
    """A joint of a loop: letter R or P, its place on each of its two bodies and its axis, world, at the layout."""

    rank: int
    name: str
    letter: str
    ends: tuple[str, str]
    at: tuple[Array, Array]
    axis: Array

    def on(self, body: str) -> Array:
        return self.at[self.ends.index(body)]

    def other(self, body: str) -> str:
        return self.ends[1 - self.ends.index(body)]


def four_bars(
    mechanism: Mechanism, layout: Layout, graph: Topology, fixed: str | None = None, driver: str | None = None
) -> list[FourBar]:
    """All loops of four bodies that are planar or spherical four-bars, slider-cranks or inverted slider-cranks.

    Every loop of four joints counts, not only the independent ones. Bodies joined rigidly are one. A pin through more
    than two bodies joins each two of them: its joint is then named by the revolutes between, as `E3+E4`. In a loop
    without the fixed body, the body nearest to that stands still. The input of a four-bar is the driver if that is
    joined to the standing link, else the link whose joint to it was declared first; that of a slider-crank is the
    crank, whatever drives it.

    Parameters
    ----------
    mechanism : the mechanism; layout : its `lay_out`, whose lengths are taken; graph : its `graph_of`
    fixed : the body that stands still; None: the ground
    driver : the body that drives; None: by the order of declaration
    """
    group = _rigid_groups(mechanism, graph)
    _check_names(mechanism, fixed, driver)
    still = group[fixed or mechanism.ground.name]
    pins = _pins(mechanism, layout, graph, group)
    pins += _shared_pins(pins, layout.size)
    distance = _distances(pins, still)
    found = []
    for loop in _loops_of_four(pins):
        bar = _recognised(loop, layout.size, distance, None if driver is None else group[driver])
        if bar is not None:
            found.append(bar)
    return found


def _check_names(m: Mechanism, fixed: str | None, driver: str | None) -> None:
    problems = [
        no_such("body", name, m.bodies, where)
        for where, name in (("fixed", fixed), ("driver", driver))
        if name is not None and name not in m.bodies
    ]
    if problems:
        raise InputError(problems)


def _rigid_groups(m: Mechanism, graph: Topology) -> dict[str, str]:
    """Every body's representative among those it is rigidly joined to: ground, else the first declared."""
    leader = {body: body for body in graph.bodies}

    def top(body: str) -> str:
        while leader[body] != body:
            body = leader[body]
        return body

    rank = {body: i for i, body in enumerate(graph.bodies)} | {graph.ground: -1}
    for edge in graph.edges:
        if isinstance(m.joints[edge.name].law, Rigid):
            first, second = sorted((top(edge.tail), top(edge.head)), key=rank.__getitem__)
            leader[second] = first
    return {body: top(body) for body in graph.bodies}


def _pins(m: Mechanism, layout: Layout, graph: Topology, group: Mapping[str, str]) -> list[_Pin]:
    """Revolute and prismatic joints that have a seat, between different groups, in declared order.

    Not of bodies with coordinates of their own, which are no bars.
    """
    found = []
    loose = {group[inner.body] for inner in m.inner.values()}
    for rank, edge in enumerate(graph.edges):
        law, seat = m.joints[edge.name].law, layout.seats.get(edge.name)
        ends = group[edge.tail], group[edge.head]
        if isinstance(law, Revolute | Prismatic) and seat is not None and ends[0] != ends[1] and not loose & set(ends):
            at = seat.X_WF[:3, 3], seat.X_WM[:3, 3]
            found.append(_Pin(rank, edge.name, law.letter, ends, at, seat.X_WF[:3, 2]))
    return found


def _distances(pins: Sequence[_Pin], start: str) -> dict[str, int]:
    """Joints between a body and `start`."""
    neighbours: dict[str, list[str]] = {}
    for pin in pins:
        for body in pin.ends:
            neighbours.setdefault(body, []).append(pin.other(body))
    found, queue = {start: 0}, deque([start])
    while queue:
        body = queue.popleft()
        for other in neighbours.get(body, ()):
            if other not in found:
                found[other] = found[body] + 1
                queue.append(other)
    return found


def _shared_pins(pins: Sequence[_Pin], size: float) -> Iterator[_Pin]:
    """A pin through three bodies and more is several revolutes in one line: it joins each two of its bodies."""
    from scipy.spatial import cKDTree  # slow to import, and few ask for four-bars

    turning = [pin for pin in pins if pin.letter == "R"]
    if not turning:
        return
    middle = np.mean([pin.at[0] for pin in turning], axis=0)
    feet = [_across(pin.at[0] - middle, unit(pin.axis)) for pin in turning]
    near: dict[_Pin, list[_Pin]] = {pin: [] for pin in turning}
    for i, j in sorted(cKDTree(np.array(feet)).query_pairs(FIT * size)):
        one, two = turning[i], turning[j]
        if set(one.ends) & set(two.ends) and float(np.linalg.norm(np.cross(one.axis, two.axis))) <= FIT:
            near[one].append(two)
            near[two].append(one)
    done: set[_Pin] = set()
    for pin in turning:
        if pin not in done:
            line = [pin]
            for one in line:  # grows while it is walked
                line.extend(dict.fromkeys(two for two in near[one] if two not in line))
            done.update(line)
            yield from _pairs_on_one_line(sorted(line, key=lambda pin: pin.rank))


def _pairs_on_one_line(line: Sequence[_Pin]) -> Iterator[_Pin]:
    """A joint for every two bodies of one line of revolutes that have none, named by those between, as E3+E4."""
    at = {body: pin.on(body) for pin in line for body in pin.ends}
    if len(at) > MOST_ON_A_PIN:
        return
    order = {body: i for i, body in enumerate(at)}
    for start in at:
        way: dict[str, tuple[_Pin, ...]] = {start: ()}
        queue = deque([start])
        while queue:
            body = queue.popleft()
            for pin in (p for p in line if body in p.ends and p.other(body) not in way):
                way[pin.other(body)] = (*way[body], pin)
                queue.append(pin.other(body))
        for end, through in way.items():
            if len(through) > 1 and order[start] < order[end]:
                name = "+".join(pin.name for pin in through)
                rank = min(pin.rank for pin in through)
                yield _Pin(rank, name, "R", (start, end), (at[start], at[end]), line[0].axis)


def _loops_of_four(pins: Sequence[_Pin]) -> list[tuple[_Pin, _Pin, _Pin, _Pin]]:
    """Each loop of four different bodies once, in declared order.

    Two ways of two joints from a hub to one body make a loop; then the hub is taken out. With the busiest hubs first,
    the cost stays near that of the joints alone (Chiba, Nishizeki, SIAM J. Comput. 14, 1985).
    """
    at_body: dict[str, list[_Pin]] = {}
    for pin in pins:
        for body in pin.ends:
            at_body.setdefault(body, []).append(pin)
    gone: set[str] = set()
    found = []
    for hub in sorted(at_body, key=lambda body: -len(at_body[body])):
        gone.add(hub)
        ways: dict[str, list[tuple[str, _Pin, _Pin]]] = {}
        for first in at_body[hub]:
            middle = first.other(hub)
            if middle not in gone:
                for second in at_body[middle]:
                    end = second.other(middle)
                    if end not in gone:
                        ways.setdefault(end, []).append((middle, first, second))
        for between in ways.values():
            found += [(a, b, c, d) for (one, a, b), (two, d, c) in combinations(between, 2) if one != two]
    return sorted(found, key=lambda loop: sorted((pin.rank, pin.name) for pin in loop))


def _recognised(
    loop: tuple[_Pin, _Pin, _Pin, _Pin], size: float, distance: Mapping[str, int], driver: str | None
) -> FourBar | None:
    turning = [pin for pin in loop if pin.letter == "R"]
    if len(turning) < 3:
        return None
    axis = turning[0].axis
    parallel = all(float(np.linalg.norm(np.cross(axis, pin.axis))) <= FIT for pin in turning)
    bodies = list(dict.fromkeys(body for pin in loop for body in pin.ends))
    far = max(distance.values(), default=0) + 1
    ground = min(bodies, key=lambda body: distance.get(body, far))
    first, last = sorted((pin for pin in loop if ground in pin.ends), key=lambda pin: pin.rank)
    if len(turning) == 4:
        if driver == last.other(ground):
            first, last = last, first
        walk = _walk(loop, ground, first)
        return _planar_bar(walk, size) if parallel else _spherical_bar(walk, size)
    slide = next(pin for pin in loop if pin.letter == "P")
    if not parallel or abs(float(slide.axis @ axis)) > FIT:
        return None
    if slide in (first, last):
        return _slider_bar(_walk(loop, ground, first if slide is last else last), size)
    # The crank is the neighbour of ground that carries no slide.
    crank_first = first.other(ground) not in slide.ends
    return _guide_bar(_walk(loop, ground, first if crank_first else last), size)


class _Walk(NamedTuple):
    """A loop in order, from ground along the input."""

    pins: tuple[_Pin, _Pin, _Pin, _Pin]
    bodies: tuple[str, str, str, str]

    @property
    def names(self) -> tuple[str, str, str, str]:
        a, b, c, d = (pin.name for pin in self.pins)
        return a, b, c, d

    def span(self, i: int) -> Array:
        """From the pin before body i to the pin after it, as they sit on that body."""
        return self.pins[i].on(self.bodies[i]) - self.pins[i - 1].on(self.bodies[i])


def _walk(loop: Sequence[_Pin], ground: str, first: _Pin) -> _Walk:
    pins, bodies = [first], [ground, first.other(ground)]
    while len(pins) < 4:
        following = next(pin for pin in loop if pin not in pins and bodies[-1] in pin.ends)
        pins.append(following)
        bodies.append(following.other(bodies[-1]))
    return _Walk((pins[0], pins[1], pins[2], pins[3]), (bodies[0], bodies[1], bodies[2], bodies[3]))


def _planar_bar(walk: _Walk, size: float) -> FourBar | None:
    n = unit(walk.pins[0].axis)
    spans = [_across(walk.span(i), n) for i in range(4)]
    lengths = [float(np.linalg.norm(s)) for s in spans]
    if min(lengths) <= FIT * size:  # two pins in one line: three links at most
        return None
    ahead = -spans[0]
    angles = _angle(ahead, spans[1], n), _angle(ahead, -spans[3], n)
    return _judged("four-bar", walk, n, angles, lambda: grashof(*lengths))


def _spherical_bar(walk: _Walk, size: float) -> FourBar | None:
    axes = [unit(pin.axis) for pin in walk.pins]
    places = [p for pin in walk.pins for p in pin.at]
    if not _meet(places, [axis for axis in axes for _ in range(2)], FIT * size):
        return None
    arcs = [_arc(axes[i - 1], axes[i]) for i in range(4)]
    if min(arcs) <= FIT or max(arcs) >= math.pi - FIT:
        return None
    w1, w2, w3, w4 = axes
    angles = _angle(_across(w4, w1), _across(w2, w1), w1), _angle(-_across(w1, w4), _across(w3, w4), w4)
    return _judged("spherical four-bar", walk, w1, angles, lambda: spherical_grashof(*arcs))


def _slider_bar(walk: _Walk, size: float) -> FourBar | None:
    n, along, left = _slide_frame(walk.pins[0], walk.pins[3])
    ground, slider = walk.bodies[0], walk.bodies[3]
    bearing, wrist, slide = walk.pins[0], walk.pins[2], walk.pins[3]
    crank, rod = (_across(walk.span(i), n) for i in (1, 2))
    lengths = float(np.linalg.norm(crank)), float(np.linalg.norm(rod))
    if min(lengths) <= FIT * size:
        return None
    to_wrist = (slide.on(ground) - bearing.on(ground)) + (wrist.on(slider) - slide.on(slider))
    place = float((wrist.on(slider) - bearing.on(ground)) @ along)
    offset = _clean(float(to_wrist @ left), size)
    return _judged("slider-crank", walk, n, (_angle(along, crank, n), place), lambda: slider_crank(*lengths, offset))


def _guide_bar(walk: _Walk, size: float) -> FourBar | None:
    n, along, left = _slide_frame(walk.pins[0], walk.pins[2])
    block, guide = walk.bodies[2], walk.bodies[3]
    _, pin, slide, pivot = walk.pins
    base, crank = (_across(walk.span(i), n) for i in (0, 1))
    lengths = float(np.linalg.norm(base)), float(np.linalg.norm(crank))
    if min(lengths) <= FIT * size:
        return None
    to_pin = (slide.on(guide) - pivot.on(guide)) + (pin.on(block) - slide.on(block))
    offset = _clean(float(to_pin @ left), size)
    angles = _angle(-base, crank, n), _angle(-base, along, n)
    return _judged("inverted slider-crank", walk, n, angles, lambda: inverted_slider_crank(*lengths, offset))


def _judged(
    kind: Literal["four-bar", "spherical four-bar", "slider-crank", "inverted slider-crank"],
    walk: _Walk,
    axis: Array,
    angles: tuple[float, float],
    judge: Callable[[], Grashof | SliderCrank | InvertedSliderCrank],
) -> FourBar:
    try:
        return FourBar(kind, *walk.bodies, walk.names, axis, angles, judge())
    except ModelError as error:
        return FourBar(kind, *walk.bodies, walk.names, axis, angles, None, str(error))


def _slide_frame(turn: _Pin, slide: _Pin) -> tuple[Array, Array, Array]:
    """Axis of turning, direction of sliding and the direction to its left."""
    n = unit(turn.axis)
    along = made_perpendicular(unit(slide.axis), n)
    return n, along, np.cross(n, along)


def _clean(offset: float, size: float) -> float:
    """An offset of rounding size is none."""
    return 0.0 if abs(offset) <= CHANGE_POINT * size else offset


def _across(v: Array, n: Array) -> Array:
    return v - float(v @ n) * n


def _angle(start: Array, end: Array, n: Array) -> float:
    """From one vector to another about n [rad], in (-pi, pi]."""
    return math.atan2(float(n @ np.cross(start, end)), float(start @ end))


def _arc(w1: Array, w2: Array) -> float:
    return math.atan2(float(np.linalg.norm(np.cross(w1, w2))), float(w1 @ w2))


def _meet(places: Sequence[Array], axes: Sequence[Array], tol: float) -> bool:
    """Whether lines meet in one point: the least-squares one is no farther than `tol` [m] from any."""
    across = [np.eye(3) - np.outer(w, w) for w in axes]
    centre = np.linalg.lstsq(sum(across), sum(P @ p for P, p in zip(across, places, strict=True)), rcond=None)[0]
    return all(float(np.linalg.norm(P @ (centre - p))) <= tol for P, p in zip(across, places, strict=True))
