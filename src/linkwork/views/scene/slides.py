"""What slides: telescopes between two hinges, blocks on rails, sleeves on rods."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkwork import geometry as geo
from linkwork.geometry import Array
from linkwork.model.joints import LineOnCurve, PointOnCurve
from linkwork.model.layout import Seat
from linkwork.model.parts import Joint
from linkwork.model.solids import Cylinder
from linkwork.views.scene.parts import Mesh
from linkwork.views.scene.plan import Plan
from linkwork.views.scene.shapes import box, cylinder, joined, pose_along, thread, tube
from linkwork.views.scene.supports import hatching

BLOCK = (1.5, 0.95, 0.95)  # length and width of a slider's block, in widths of links
POINTS = 61  # of a curve, to tell where it is


@dataclass(frozen=True)
class Telescope:
    """A slide between two hinges on its line: lengths along it [m], from the outer's hinge towards the inner's."""

    outer: str
    inner: str
    barrel: float
    rod: float


def put_slides(plan: Plan) -> None:
    """Draw every prismatic, cylindric and helical joint.

    Parameters
    ----------
    plan : what is drawn
    """
    for joint, seat in plan.seated():
        symbol = joint.law.symbol
        if symbol == "screw":
            _screw(plan, joint, seat)
        elif symbol in ("slide", "sleeve") and not _telescope(plan, joint, seat):
            _guide(plan, joint, seat)


def travel(plan: Plan, joint: Joint, seat: Seat) -> tuple[float, float]:
    """Lowest and highest slide that are to be shown: the limits, or some way to both sides of the posture.

    Parameters
    ----------
    plan : what is drawn
    joint, seat : a joint that slides along w
    """
    X_FM = geo.inverse(seat.X_WF) @ seat.X_WM
    now = float(X_FM[2, 3])
    reach = 0.2 * plan.size
    low, high = now - reach, now + reach
    for variable, least, most in joint.limits:
        if variable == "slide":
            low = least if math.isfinite(least) else min(low, now)
            high = most if math.isfinite(most) else max(high, now)
    return min(low, now), max(high, now)


def _telescope(plan: Plan, joint: Joint, seat: Seat) -> bool:
    """A barrel on the tail and a rod on the head, when both are hinged elsewhere on the line of the slide."""
    if plan.ground in (joint.tail, joint.head) or joint.tail in plan.own or joint.head in plan.own:
        return False
    hinges = []
    for body, X in ((joint.tail, seat.X_TF), (joint.head, seat.X_HM)):
        others = [e.at for e in plan.ends[body] if e.joint is not joint]
        if len(others) != 1:
            return False
        to = others[0] - X[:3, 3]
        along = float(to @ X[:3, 2])
        if float(np.linalg.norm(to - along * X[:3, 2])) > 0.02 * plan.size:
            return False
        hinges.append(along)
    X_FM = geo.inverse(seat.X_WF) @ seat.X_WM
    now = float(X_FM[2, 3])
    length = now + hinges[1] - hinges[0]  # from the tail's hinge to the head's, along w
    w = plan.width(joint.tail, joint.head)
    if abs(length) < 3.0 * w:
        return False
    sense = math.copysign(1.0, length)
    # Limits tell the shortest; else a third of the length may be lost.
    shortest = 0.72 * abs(length)
    low, high = (abs(s + hinges[1] - hinges[0]) for s in travel(plan, joint, seat))
    if any(v == "slide" and math.isfinite(a) and math.isfinite(b) for v, a, b in joint.limits):
        shortest = max(min(low, high), 0.3 * abs(length))
    barrel = rod = shortest - 0.6 * w
    tail = tube(0.42 * w, 0.26 * w, barrel).moved(_slid(hinges[0] + sense * barrel / 2))
    base = cylinder(0.42 * w, 0.2 * w).moved(_slid(hinges[0] + sense * 0.3 * w))
    plan.put(joint.tail, "body", joint.tail, joined([tail, base]).moved(seat.X_TF), plan.tints[joint.tail], smooth=True)
    head = cylinder(0.2 * w, rod).moved(_slid(hinges[1] - sense * rod / 2))
    piston = cylinder(0.25 * w, 0.3 * w).moved(_slid(hinges[1] - sense * (rod - 0.15 * w)))
    plan.put(
        joint.head, "body", joint.head, joined([head, piston]).moved(seat.X_HM), plan.tints[joint.head], smooth=True
    )
    plan.covered |= {joint.tail, joint.head}
    return True


def _slid(z: float) -> Array:
    X = np.eye(4)
    X[2, 3] = z
    return X


def _guide(plan: Plan, joint: Joint, seat: Seat) -> None:
    """A block (or a sleeve) on the body that slides, a rail on the other; ground always carries the rail."""
    low, high = travel(plan, joint, seat)
    rail, slider, X_rail, X_slider, sign = joint.tail, joint.head, seat.X_TF, seat.X_HM, 1.0
    if joint.head == plan.ground:
        # Seen from the head the tail slides the other way.
        rail, slider, X_rail, X_slider, sign = joint.head, joint.tail, seat.X_HM, seat.X_TF, -1.0
    low, high = sorted((sign * low, sign * high))
    w = plan.width(slider) if rail == plan.ground else plan.width(rail, slider)
    round_rod = joint.law.symbol == "sleeve"
    # Along the slide the block stands where there is room for it.
    shift, half = _room(plan, joint, slider, X_slider, w)
    if slider not in plan.own:
        block = _block(plan, w, X_slider @ _slid(shift), slider, rail, round_rod)
        plan.put(slider, "joint", joint.name, block, plan.tints[slider], smooth=round_rod)
        if shift:
            plan.extra.setdefault(slider, []).append(X_slider[:3, 3] + shift * X_slider[:3, 2])
    overhang = 1.3 * w
    length, middle = high - low + 2 * overhang, (high + low) / 2 + shift
    if rail == plan.ground and not round_rod:
        _ground_rail(plan, joint, X_rail, length, middle, w, half, slider)
    elif rail not in plan.own:
        X = _lifted(plan, rail, slider, X_rail) @ _slid(middle)
        mesh = cylinder(0.24 * w, length).moved(X)
        plan.put(rail, "ground" if rail == plan.ground else "joint", joint.name, mesh, plan.tints[rail], smooth=True)
        if rail == plan.ground:
            _end_stands(plan, joint, X_rail, middle - length / 2, middle + length / 2, w)
        elif abs(middle) > length / 2:
            # The body reaches its rail where it begins.
            near = middle - math.copysign(length / 2, middle)
            plan.extra.setdefault(rail, []).append(X_rail[:3, 3] + near * X_rail[:3, 2])


def _room(plan: Plan, joint: Joint, slider: str, X: Array, w: float) -> tuple[float, float]:
    """Where along w the block stands on the slider, and how far its rail is from the line of the slide [m].

    Usually at the joint; behind the follower of a cam, so that the cam is clear; on the far end of a solid.
    """
    half = 0.5 * BLOCK[1] * w
    inverse = geo.inverse(X)
    if slider in plan.own:
        vertices = np.concatenate([m.vertices for m in plan.own[slider]]) @ inverse[:3, :3].T + inverse[:3, 3]
        z = vertices[:, 2]
        far = float(z[np.argmax(np.abs(z))])
        shift = 0.7 * far if abs(far) > 2.0 * w else 0.0
        there = vertices[z * math.copysign(1.0, far) >= 0.5 * abs(far)] if shift else vertices
        return shift, float(np.abs(there[:, :2]).max())
    for end in plan.ends[slider]:
        law = end.joint.law
        if isinstance(law, PointOnCurve | LineOnCurve) and not end.is_tail:
            _, u, v = law.curve.samples(POINTS)
            seat = plan.seat(end.joint)
            if seat is None or not (np.isfinite(u).all() and np.isfinite(v).all()):
                continue
            X_SF = geo.inverse(plan.layout.X_WB[slider]) @ seat.X_WF
            middle = X_SF[:3, 3] + float(np.mean(u)) * X_SF[:3, 0] + float(np.mean(v)) * X_SF[:3, 1]
            towards = float((middle - end.at) @ X[:3, 2])
            return (-math.copysign(2.6 * w, towards) if abs(towards) > 1e-9 * plan.size else 0.0), half
    return 0.0, half


def _lifted(plan: Plan, body: str, like: str, X: Array) -> Array:
    """A frame on a body, moved along the normal into the layer of another body."""
    if not plan.layered or plan.normal is None:
        return X
    moved = X.copy()
    moved[:3, 3] += plan.offsets[like] * plan.to_body(body, plan.normal)
    return moved


def _across(plan: Plan, X_BJ: Array, body: str) -> Array:
    """A direction across the slide, in the body's axes: upward, or in the plane of the machine."""
    w_W = plan.layout.X_WB[body][:3, :3] @ X_BJ[:3, 2]
    if plan.normal is not None:
        return plan.to_body(body, np.cross(plan.normal, w_W))
    up = plan.up - (plan.up @ w_W) * w_W
    if float(np.linalg.norm(up)) < 0.3:
        up = pose_along(np.zeros(3), w_W)[:3, 0]
    return plan.to_body(body, up)


def _block(plan: Plan, w: float, X: Array, slider: str, rail: str, is_round: bool) -> Mesh:
    """The block about the joint's frame on the slider, in its frame."""
    frame = pose_along(X[:3, 3], X[:3, 2], _across(plan, X, slider))
    if is_round:
        return tube(0.52 * w, 0.25 * w, 1.6 * w).moved(_lifted(plan, slider, slider, frame))
    if rail == plan.ground:
        return box((BLOCK[1] * w, BLOCK[2] * w, BLOCK[0] * w)).moved(_lifted(plan, slider, slider, frame))
    # Hollow, so that the rod is seen to run through.
    return joined(_square_tube(0.5 * w, 0.27 * w, 1.4 * w)).moved(_lifted(plan, slider, slider, frame))


def _square_tube(outer: float, inner: float, length: float) -> list[Mesh]:
    wall, middle = outer - inner, (outer + inner) / 2
    sides = []
    for k in range(2):
        for s in (-1.0, 1.0):
            X = np.eye(4)
            X[k, 3] = s * middle
            sides.append(box((wall, 2 * outer, length) if k == 0 else (2 * inner, wall, length)).moved(X))
    return sides


def _ground_rail(
    plan: Plan, joint: Joint, X: Array, length: float, middle: float, w: float, half: float, slider: str
) -> None:
    """A hatched rail under the block, on the side away from the rest."""
    across = _across(plan, X, plan.ground)
    X_WG = plan.layout.X_WB[plan.ground]
    at = X_WG[:3, :3] @ X[:3, 3] + X_WG[:3, 3]
    up_W = X_WG[:3, :3] @ across
    if abs(float(up_W @ plan.up)) > 0.2:
        flip = float(up_W @ plan.up) < 0.0
    else:  # a standing rail: on the side away from the machine's middle
        places = [s.X_WM[:3, 3] for _, s in plan.seated()]
        flip = float((np.mean(places, axis=0) - at) @ up_W) < -1e-9 * plan.size
    up = -across if flip else across
    z = np.cross(X[:3, 2], up)
    frame = np.eye(4)
    frame[:3, 0], frame[:3, 1], frame[:3, 2], frame[:3, 3] = X[:3, 2], up, z, X[:3, 3]
    frame = _lifted(plan, plan.ground, slider, frame)
    top = np.eye(4)
    top[0, 3], top[1, 3] = middle, -half
    bar, strokes = (mesh.moved(frame @ top) for mesh in hatching(length, 0.95 * w, w))
    plan.put(plan.ground, "ground", joint.name, bar, "stone")
    plan.put(plan.ground, "ground", joint.name, strokes, "ink")


def _end_stands(plan: Plan, joint: Joint, X: Array, low: float, high: float, w: float) -> None:
    """Brackets at both ends of a rod on ground."""
    up = _across(plan, X, plan.ground)
    stands, strokes = [], []
    for z in (low, high):
        frame = pose_along(X[:3, 3] + z * X[:3, 2], X[:3, 2], np.cross(up, X[:3, 2]))
        post = np.eye(4)
        post[1, 3] = -0.6 * w
        stands.append(box((0.9 * w, 1.8 * w, 0.3 * w)).moved(frame @ post))
        foot = np.eye(4)
        foot[1, 3] = -1.5 * w
        bar, under = (mesh.moved(frame @ foot) for mesh in hatching(1.6 * w, 0.6 * w, w))
        stands.append(bar)
        strokes.append(under)
    plan.put(plan.ground, "ground", joint.name, joined(stands), "stone")
    plan.put(plan.ground, "ground", joint.name, joined(strokes), "ink")


def _screw(plan: Plan, joint: Joint, seat: Seat) -> None:
    """A threaded rod on the head through a nut on the tail."""
    lead = float(getattr(joint.law, "lead"))  # noqa: B009  # helical only
    w = plan.width(joint.tail, joint.head)
    X_FM = geo.inverse(seat.X_WF) @ seat.X_WM
    now = float(X_FM[2, 3])
    shaft = _shaft(plan, joint.head, seat.X_HM)
    radius, low, high = shaft or (0.3 * w, min(0.0, -now) - 2.5 * w, max(0.0, -now) + 2.5 * w)
    # A fine thread is drawn coarser by a whole number, a steep one with several starts.
    coarser = max(1, math.ceil(0.45 * radius / abs(lead)))
    starts = max(1, math.floor(abs(lead) / (1.2 * radius)))
    ridges = thread(radius, 0.25 * radius, lead * coarser, 0.94 * (high - low), starts).moved(_slid((low + high) / 2))
    core = [] if shaft else [cylinder(radius, high - low).moved(_slid((low + high) / 2))]
    if joint.head not in plan.looked:
        plan.put(joint.head, "joint", joint.name, joined([*core, ridges]).moved(seat.X_HM), "metal")
    if joint.tail not in plan.own:
        nut = tube(max(0.75 * w, 1.7 * radius), 1.05 * radius, 1.1 * w, 6).moved(seat.X_TF)
        plan.put(joint.tail, "joint", joint.name, nut, plan.tints[joint.tail])


def _shaft(plan: Plan, body: str, X: Array) -> tuple[float, float, float] | None:
    """Radius and ends along w of a round solid about a screw's axis."""
    inverse = geo.inverse(X)
    for shape in plan.shapes.get(body, []):
        if isinstance(shape, Cylinder):
            pose = inverse @ shape.frame.pose()
            if abs(pose[2, 2]) > 0.999 and math.hypot(pose[0, 3], pose[1, 3]) < 0.1 * shape.radius:
                return shape.radius, pose[2, 3] - shape.length / 2, pose[2, 3] + shape.length / 2
    return None
