"""Gears, racks and bevels: toothed wheels whose teeth meet the gaps of their mates in the posture drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from linkwork import geometry as geo
from linkwork.geometry import Array
from linkwork.model.joints import Bevel, Gear, Rack
from linkwork.model.layout import Seat
from linkwork.model.parts import Joint
from linkwork.model.solids import Cylinder, Tube
from linkwork.views.scene.parts import Mesh
from linkwork.views.scene.plan import Plan
from linkwork.views.scene.shapes import extruded, skin
from linkwork.views.scene.slides import travel
from linkwork.views.scene.teeth import DEDENDUM, FEWEST, Teeth, bevel_rings, counts_for, rack_outline, tip_radius

USUAL = math.radians(20.0)  # pressure angle when none is told
SLICES = 5  # of a helical wheel


@dataclass(eq=False)
class Wheel:
    """A toothed wheel of a body: z of `X_BW` along its axis.

    twist : how fast its teeth wind about the axis [rad/m]; width, bore, rim : sizes [m], rim of a ring only
    """

    body: str
    of: str
    X_BW: Array
    radius: float
    internal: bool
    twist: float = 0.0
    count: int = 0
    tip: float = 0.0
    phase: float | None = None
    pressure: float = USUAL
    width: float = 0.0
    bore: float = 0.0
    rim: float = 0.0
    mates: list[tuple[Wheel, float, float]] = field(default_factory=list)

    @property
    def module(self) -> float:
        return 2 * self.radius / self.count


def put_wheels(plan: Plan) -> None:
    """Draw all gears, racks and bevels. Plain solids that stand for a wheel are taken out of the plan's own.

    Parameters
    ----------
    plan : what is drawn
    """
    wheels = _wheels(plan)
    _choose_teeth(wheels)
    _note_misfits(plan, wheels)
    for wheel in wheels:
        if wheel.body in plan.looked:
            continue
        _take_sizes(plan, wheel)
        plan.put(wheel.body, "body", wheel.of, _wheel_mesh(wheel), plan.tints[wheel.body])
    for joint, seat in plan.seated():
        if isinstance(joint.law, Rack):
            _rack(plan, joint, joint.law, seat)
    _put_bevels(plan)


def _wheels(plan: Plan) -> list[Wheel]:
    """One wheel for all meshes of the same size at the same place of a body."""
    wheels: list[Wheel] = []

    def known(new: Wheel) -> Wheel:
        for old in wheels:
            same = old.body == new.body and old.internal == new.internal
            near = abs(old.radius - new.radius) < 1e-3 * new.radius
            if same and near and np.allclose(old.X_BW[:3, 2:], new.X_BW[:3, 2:], rtol=0.0, atol=1e-6 * plan.size):
                return old
        wheels.append(new)
        return new

    for joint, seat in plan.seated():
        law = joint.law
        if not isinstance(law, Gear):
            continue
        X_FM = geo.inverse(seat.X_WF) @ seat.X_WM
        centre = math.hypot(X_FM[0, 3], X_FM[1, 3])
        # Pitch circles that touch at the centre distance of this posture.
        stretch = centre / (law.radius + law.mate)
        scale = stretch if 0.7 < stretch < 1.4 else 1.0
        pressure = law.pressure_angle or USUAL
        pitch = math.tan(law.helix_angle)
        pair = []
        for body, X, radius, mate, hand in (
            (joint.tail, seat.X_TF, law.radius, law.mate, -1.0),
            (joint.head, seat.X_HM, law.mate, law.radius, 1.0),
        ):
            wheel = Wheel(body, joint.name, X.copy(), abs(radius) * scale, mate < 0.0, hand * pitch / radius)
            wheel.pressure = pressure
            pair.append(known(wheel))
        if law.teeth is not None:
            for wheel, count in zip(pair, law.teeth, strict=True):
                wheel.count = wheel.count or count
        first, second = pair
        to_second = _azimuth(plan, first, second)
        to_first = _azimuth(plan, second, first)
        # Inside a ring the point of contact lies beyond the pinion's centre, seen from the ring's.
        if second.internal:
            to_first += 0.0
            to_second += math.pi
        elif first.internal:
            to_first += math.pi
        first.mates.append((second, to_second, to_first))
        second.mates.append((first, to_first, to_second))
    return wheels


def _azimuth(plan: Plan, wheel: Wheel, other: Wheel) -> float:
    """Direction from a wheel's centre to another's, about its own axis [rad]."""
    X_WW = plan.layout.X_WB[wheel.body] @ wheel.X_BW
    to = X_WW[:3, :3].T @ ((plan.layout.X_WB[other.body] @ other.X_BW)[:3, 3] - X_WW[:3, 3])
    return math.atan2(to[1], to[0])


def _choose_teeth(wheels: list[Wheel]) -> None:
    """Numbers of teeth, phases and tip radii, passed on from mate to mate."""
    for start in sorted(wheels, key=lambda w: w.count == 0):
        if start.phase is not None:
            continue
        if not start.count and start.mates:
            start.count = counts_for(start.radius, start.mates[0][0].radius)[0]
        start.count = start.count or FEWEST
        start.phase = 0.0
        waiting = [start]
        while waiting:
            a = waiting.pop()
            assert a.phase is not None
            for b, to_b, to_a in a.mates:
                if b.phase is not None:
                    continue
                b.count = b.count or max(3, round(b.radius / a.radius * a.count))
                # Where the point of contact lies between two teeth of a, in pitches.
                share = (to_b - a.phase) * a.count / (2 * math.pi)
                wanted = share + 0.5 if a.internal or b.internal else 0.5 - share
                b.phase = to_a - wanted * 2 * math.pi / b.count
                waiting.append(b)
    for wheel in wheels:
        tips = [
            tip_radius(wheel.radius, b.radius, wheel.module, wheel.pressure, wheel.internal) for b, _, _ in wheel.mates
        ]
        wheel.tip = (max if wheel.internal else min)(tips)


def _note_misfits(plan: Plan, wheels: list[Wheel]) -> None:
    """Say which pairs of a closed train of wheels cannot mesh with whole teeth in this posture."""
    for i, a in enumerate(wheels):
        for b, to_b, to_a in a.mates:
            if wheels.index(b) < i or a.phase is None or b.phase is None:
                continue
            first = (to_b - a.phase) * a.count / (2 * math.pi)
            second = (to_a - b.phase) * b.count / (2 * math.pi)
            off = (first + 0.5 - second if a.internal or b.internal else 0.5 - first - second) % 1.0
            if min(off, 1.0 - off) > 0.05:
                plan.notes.append(f"the teeth of '{a.body}' and '{b.body}' do not fit each other in this posture")


def _take_sizes(plan: Plan, wheel: Wheel) -> None:
    """Width and bore from a solid that stands for the wheel, or sensible ones."""
    smallest = min([wheel.radius, *(b.radius for b, _, _ in wheel.mates)])
    wheel.width = min(0.6 * smallest, 0.09 * plan.size)
    depth = DEDENDUM * wheel.module
    wheel.bore = min(0.24 * plan.widths[wheel.body], 0.5 * (wheel.radius - depth))
    wheel.rim = wheel.radius + depth + max(2.0 * wheel.module, 0.08 * wheel.radius)
    for k, shape in enumerate(plan.shapes.get(wheel.body, [])):
        if isinstance(shape, Cylinder | Tube) and _stands_for(shape, wheel):
            del plan.shapes[wheel.body][k], plan.own[wheel.body][k]
            pose = shape.frame.pose()
            wheel.width = shape.length
            wheel.X_BW = wheel.X_BW.copy()
            along = float((pose[:3, 3] - wheel.X_BW[:3, 3]) @ wheel.X_BW[:3, 2])
            wheel.X_BW[:3, 3] += along * wheel.X_BW[:3, 2]
            if isinstance(shape, Tube) and wheel.internal:
                wheel.rim = max(shape.outer, wheel.radius + depth + 0.5 * wheel.module)
            elif isinstance(shape, Tube):
                wheel.bore = min(shape.inner, 0.95 * (wheel.radius - depth))
            return


def _stands_for(shape: Cylinder | Tube, wheel: Wheel) -> bool:
    """Whether a cylinder or tube is the plain form of a wheel: coaxial, of about its radius."""
    pose, X = shape.frame.pose(), wheel.X_BW
    offset = pose[:3, 3] - X[:3, 3]
    aside = offset - (offset @ X[:3, 2]) * X[:3, 2]
    if float(np.linalg.norm(aside)) > 0.02 * wheel.radius or abs(float(pose[:3, 2] @ X[:3, 2])) < 0.999:
        return False
    if abs(float(offset @ X[:3, 2])) > shape.length:
        return False
    radius = shape.inner if wheel.internal and isinstance(shape, Tube) else None
    if radius is None:
        radius = shape.outer if isinstance(shape, Tube) else shape.radius
    return abs(radius - wheel.radius) < max(1.5 * wheel.module, 0.1 * wheel.radius)


def _wheel_mesh(wheel: Wheel) -> Mesh:
    """The wheel in its body's frame: a skin from bore (or rim) to teeth, in slices where the teeth wind."""
    depth = DEDENDUM * wheel.module
    root = wheel.radius + depth if wheel.internal else max(wheel.radius - depth, 0.3 * wheel.radius)
    assert wheel.phase is not None
    teeth = Teeth(wheel.count, wheel.radius, wheel.pressure, wheel.tip, root, wheel.phase, wheel.internal)
    outline = teeth.outline()
    plain = np.arctan2(outline[:, 1], outline[:, 0])
    around = (wheel.rim if wheel.internal else wheel.bore) * np.stack([np.cos(plain), np.sin(plain)], axis=1)
    heights = np.linspace(-wheel.width / 2, wheel.width / 2, 2 if wheel.twist == 0.0 else SLICES)
    outer, inner = (around, outline) if wheel.internal else (outline, around)
    rows = [_twisted(outer, z, wheel.twist) for z in heights] + [_twisted(inner, z, wheel.twist) for z in heights[::-1]]
    return skin(np.array(rows)).moved(wheel.X_BW)


def _twisted(loop: Array, z: float, twist: float) -> Array:
    c, s = math.cos(twist * z), math.sin(twist * z)
    x, y = loop.T
    return np.stack([c * x - s * y, s * x + c * y, np.full(len(x), z)], axis=1)


# ---------------------------------------------------------------- racks


def _rack(plan: Plan, joint: Joint, law: Rack, seat: Seat) -> None:
    """A toothed bar on the first body and its pinion on the second."""
    radius = abs(law.radius)
    count = law.teeth or 18
    module, pressure = 2 * radius / count, law.pressure_angle or USUAL
    pitch = math.pi * module
    side = math.copysign(1.0, law.radius)
    X_FM = geo.inverse(seat.X_WF) @ seat.X_WM
    x, gap = float(X_FM[0, 3]), side * float(X_FM[1, 3]) - radius
    # The pinion: contact lies on the side of the rack.
    to_rack = X_FM[:3, :3].T @ np.array([0.0, -side, 0.0])
    contact = math.atan2(to_rack[1], to_rack[0])
    wheel = Wheel(joint.head, joint.name, seat.X_HM, radius, False, math.tan(law.helix_angle) / law.radius, count)
    wheel.pressure, wheel.phase = pressure, contact
    wheel.tip = min(radius + 0.9 * module, radius + module)
    wheel.width = min(1.2 * radius, 0.12 * plan.size)
    wheel.bore = min(0.24 * plan.widths[joint.head], 0.45 * radius)
    if joint.head not in plan.looked:
        plan.put(joint.head, "body", joint.name, _wheel_mesh(wheel), plan.tints[joint.head])
    if joint.tail in plan.looked:
        return
    # The rack has a gap where the pinion has a tooth. Teeth reach no further than the pinion's involute begins.
    addendum = min(0.9 * module, radius * math.sin(pressure) ** 2)
    low, high = _rack_span(plan, joint, seat, radius, x)
    phase = x + pitch / 2
    first, last = math.floor((low - phase) / pitch), math.ceil((high - phase) / pitch)
    depth = DEDENDUM * module + max(1.2 * module, 0.35 * radius)
    outline = rack_outline(pitch, pressure, addendum, depth, first, last, phase)
    outline[:, 1] += gap
    frame = seat.X_TF.copy()
    if side < 0.0:
        # The same bar seen from behind: v and w turn about u.
        frame[:3, 1:3] *= -1.0
    X = frame
    z = side * float(X_FM[2, 3])
    shear = math.tan(law.helix_angle)
    mesh = extruded(outline, z - wheel.width / 2, z + wheel.width / 2)
    if shear:
        mesh.vertices[:, 0] += shear * (mesh.vertices[:, 2] - z) * side
    plan.put(joint.tail, "body", joint.name, mesh.moved(X), plan.tints[joint.tail])
    back = seat.X_TF[:3, 3] + seat.X_TF[:3, 1] * (-side * (depth - gap) * 0.7)
    plan.extra.setdefault(joint.tail, []).append(back)


def _rack_span(plan: Plan, joint: Joint, seat: Seat, radius: float, x: float) -> tuple[float, float]:
    """From where to where along the rack teeth are wanted: the travel of its slide, or a turn of the pinion."""
    low, high = x - math.pi * radius, x + math.pi * radius
    for end in plan.ends[joint.tail]:
        other = plan.seat(end.joint)
        if end.joint.law.symbol == "slide" and other is not None and end.joint.limits:
            least, most = travel(plan, end.joint, other)
            now = float((geo.inverse(other.X_WF) @ other.X_WM)[2, 3])
            reach = max(most - now, now - least)
            return min(low, x - reach), max(high, x + reach)
    return low, high


# ---------------------------------------------------------------- bevels


@dataclass(frozen=True, eq=False)
class _Cone:
    """A bevel wheel: the frame at its apex (z along its axis), its half angle and whether it is the outer one."""

    body: str
    of: str
    X_BA: Array
    angle: float
    internal: bool


def _put_bevels(plan: Plan) -> None:
    """Bevel wheels, with one cone distance for all that share an apex and a wheel."""
    cones: list[_Cone] = []
    pairs: list[tuple[int, int]] = []

    def index(new: _Cone) -> int:
        for i, old in enumerate(cones):
            same = old.body == new.body and abs(old.angle - new.angle) < 1e-6 and old.internal == new.internal
            if same and np.allclose(old.X_BA[:3, 2:], new.X_BA[:3, 2:], rtol=0.0, atol=1e-6):
                return i
        cones.append(new)
        return len(cones) - 1

    for joint, seat in plan.seated():
        law = joint.law
        if isinstance(law, Bevel):
            a = index(_Cone(joint.tail, joint.name, seat.X_TF, abs(law.cone), law.mate < 0.0))
            b = index(_Cone(joint.head, joint.name, seat.X_HM, abs(law.mate), law.cone < 0.0))
            pairs.append((a, b))
    group = list(range(len(cones)))
    for a, b in pairs:
        group = [group[a] if g == group[b] else g for g in group]
    far = {g: _cone_distance(plan, [c for c, h in zip(cones, group, strict=True) if h == g]) for g in set(group)}
    counts, phases = _bevel_teeth(plan, cones, pairs)
    for i, cone in enumerate(cones):
        if cone.body in plan.looked:
            continue
        outer = far[group[i]]
        mesh, middle = _bevel_mesh(cone, counts[i], phases[i], outer)
        plan.put(cone.body, "body", cone.of, mesh.moved(cone.X_BA), plan.tints[cone.body])
        plan.extra.setdefault(cone.body, []).append(cone.X_BA[:3, 3] + middle * cone.X_BA[:3, 2])


def _cone_distance(plan: Plan, cones: list[_Cone]) -> float:
    """How far from the apex the wheels reach along their cones [m]: up to the nearest bearing, and not too far."""
    found = []
    for cone in cones:
        for end in plan.ends[cone.body]:
            along = float((end.at - cone.X_BA[:3, 3]) @ cone.X_BA[:3, 2])
            if end.joint.law.symbol == "pin" and along > 1e-3 * plan.size and abs(math.cos(cone.angle)) > 0.05:
                found.append(0.75 * along / abs(math.cos(cone.angle)))
    return min([0.25 * plan.size, *found])


def _bevel_teeth(plan: Plan, cones: list[_Cone], pairs: list[tuple[int, int]]) -> tuple[list[int], list[float]]:
    counts, phases = [0] * len(cones), [math.nan] * len(cones)
    for start, _ in pairs:
        if counts[start]:
            continue
        phases[start] = 0.0
        waiting = [start]
        while waiting:
            i = waiting.pop()
            for a, b in pairs:
                if i not in (a, b):
                    continue
                j = b if i == a else a
                if not counts[i]:
                    counts[i], counts[j] = counts_for(math.sin(cones[i].angle), math.sin(cones[j].angle))
                if not math.isnan(phases[j]):
                    continue
                ratio = math.sin(cones[j].angle) / math.sin(cones[i].angle)
                counts[j] = counts[j] or max(3, round(ratio * counts[i]))
                to_j, to_i = _contact(plan, cones[i], cones[j]), _contact(plan, cones[j], cones[i])
                share = (to_j - phases[i]) * counts[i] / (2 * math.pi)
                inner = cones[i].internal or cones[j].internal
                phases[j] = to_i - (share + 0.5 if inner else 0.5 - share) * 2 * math.pi / counts[j]
                waiting.append(j)
    return counts, phases


def _contact(plan: Plan, cone: _Cone, other: _Cone) -> float:
    """Where about its axis a cone touches another [rad]: towards the other's axis, or away from it inside a ring."""
    mine = plan.layout.X_WB[cone.body] @ cone.X_BA
    axis = mine[:3, :3].T @ (plan.layout.X_WB[other.body] @ other.X_BA)[:3, 2]
    return math.atan2(axis[1], axis[0]) + (math.pi if other.internal else 0.0)


def _bevel_mesh(cone: _Cone, count: int, phase: float, far: float) -> tuple[Mesh, float]:
    """A toothed frustum in the frame of its apex, and where along the axis its middle is."""
    module = 2 * math.sin(cone.angle) / count
    near = 0.72 * far
    back, front = bevel_rings(count, cone.angle, module, far, near, phase, cone.internal)
    plain = np.arctan2(back[:, 1], back[:, 0])
    flat = np.stack([np.cos(plain), np.sin(plain)], axis=1)
    hubs = []
    for ring, size in ((front, near), (back, far)):
        hub = ring.copy()
        radius = size * math.sin(cone.angle)
        hub[:, :2] = flat * (1.35 * radius if cone.internal else 0.3 * near * math.sin(cone.angle))
        hub[:, 2] = ring[:, 2].min() if cone.internal else ring[:, 2].mean()
        hubs.append(hub)
    rows = [hubs[0], hubs[1], back, front] if cone.internal else [front, back, hubs[1], hubs[0]]
    if math.cos(cone.angle) < 0.0:
        rows = rows[::-1]  # the far end of so wide a cone is the lower one
    mesh = skin(np.array(rows))
    middle = (far + near) / 2 * math.cos(cone.angle)
    return mesh, middle
