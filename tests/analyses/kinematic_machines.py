"""Mechanisms whose motion is known in closed form, built so that their variables are the angles of the books."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import linkwork as lw
from linkwork import geometry as geo
from linkwork.model.joints import Law, Prismatic, Revolute

Pose = np.ndarray
INCH = 0.0254


# --- plane ------------------------------------------------------------------------------------------------------------


def unit(angle: float) -> np.ndarray:
    """(cos, sin, 0)."""
    return np.array([math.cos(angle), math.sin(angle), 0.0])


def dyad(p: np.ndarray, q: np.ndarray, r: float, s: float, side: int) -> np.ndarray:
    """The point at r from p and s from q, on the left (side = 1) or right (-1) of the way from p to q."""
    way = q - p
    d = float(np.hypot(way[0], way[1]))
    x = (d * d + r * r - s * s) / (2 * d)
    y = side * math.sqrt(r * r - x * x)
    e = way / d
    return p + x * e + y * np.array([-e[1], e[0], 0.0])


def angle_of(v: np.ndarray) -> float:
    """Direction of a vector in the plane."""
    return math.atan2(v[1], v[0])


def pin(m: lw.Mechanism, name: str, tail: str, head: str, at: np.ndarray, before: float, after: float) -> None:
    """A revolute about z between a bar of direction `before` and one of direction `after`; it reads after - before."""
    value = math.remainder(after - before, 2 * math.pi)
    m.revolute(name, tail, head, at=at, axis="z", x=unit(before), value=value)


def four_bar_angles(a: float, b: float, c: float, d: float, theta2: float, side: int = 1) -> tuple[float, float]:
    """θ3 and θ4 of  a e(θ2) + b e(θ3) - c e(θ4) - d = 0;  side 1 is the open linkage, -1 the crossed one."""
    A, D = a * unit(theta2), np.array([d, 0.0, 0.0])
    B = dyad(A, D, b, c, side)
    return angle_of(B - A), angle_of(B - D)


def four_bar(a: float, b: float, c: float, d: float, theta2: float, side: int = 1) -> lw.Mechanism:
    """Crank a, coupler b, rocker c, ground d. O2 = θ2, A = θ3 - θ2, B = θ4 - θ3, O4 = θ4."""
    theta3, theta4 = four_bar_angles(a, b, c, d, theta2, side)
    m = lw.Mechanism("four-bar")
    for body in ("crank", "coupler", "rocker"):
        m.body(body)
    A, D = a * unit(theta2), np.array([d, 0.0, 0.0])
    pin(m, "O2", "ground", "crank", np.zeros(3), 0.0, theta2)
    pin(m, "A", "crank", "coupler", A, theta2, theta3)
    pin(m, "B", "coupler", "rocker", A + b * unit(theta3), theta3, theta4)
    pin(m, "O4", "ground", "rocker", D, 0.0, theta4)
    return m


def watt_six_bar(theta2: float) -> lw.Mechanism:
    """Two four-bars in a row: 2, 5, 4.5 on 4; the rocker's arm of 1.5 at -90 deg drives 4 and 3 on a second base of 4.

    All joints run round their loops, as in Zakhariev and Genova: the last of each loop ends at ground.
    """
    theta3, theta4 = four_bar_angles(2, 5, 4.5, 4, theta2)
    A, O4, O6 = 2 * unit(theta2), np.array([4.0, 0, 0]), np.array([8.0, 0, 0])
    E = O4 + 1.5 * unit(theta4 - math.pi / 2)
    F = dyad(E, O6, 4, 3, 1)
    theta5, theta6 = angle_of(F - E), angle_of(F - O6)
    m = lw.Mechanism("watt")
    for body in ("crank", "coupler", "rocker", "rod", "output"):
        m.body(body)
    pin(m, "q1", "ground", "crank", np.zeros(3), 0.0, theta2)
    pin(m, "q2", "crank", "coupler", A, theta2, theta3)
    pin(m, "q3", "coupler", "rocker", A + 5 * unit(theta3), theta3, theta4)
    pin(m, "q4", "rocker", "ground", O4, theta4, 0.0)
    pin(m, "q5", "rocker", "rod", E, theta4, theta5)
    pin(m, "q6", "rod", "output", F, theta5, theta6)
    pin(m, "q7", "output", "ground", O6, theta6, 0.0)
    m.point("E", "rocker", E)
    m.point("F", "rod", F)
    return m


def slider_crank(r: float, rod: float, theta: float, offset: float = 0.0, com: Any = None) -> lw.Mechanism:
    """A = θ; B = φ - θ, C = -φ with the rod's direction φ; D is the piston's x. `com`: point G of the rod, along it."""
    A = r * unit(theta)
    phi = -math.asin((A[1] - offset) / rod)
    P = A + rod * unit(phi)
    m = lw.Mechanism("slider-crank")
    for body in ("crank", "rod", "piston"):
        m.body(body)
    pin(m, "A", "ground", "crank", np.zeros(3), 0.0, theta)
    pin(m, "B", "crank", "rod", A, theta, phi)
    pin(m, "C", "rod", "piston", P, phi, 0.0)
    m.prismatic("D", "ground", "piston", at=(0, offset, 0), axis="x", value=float(P[0]))
    if com is not None:
        m.point("G", "rod", A + com[0] * unit(phi) + com[1] * unit(phi + math.pi / 2))
    return m


# --- machines by their shape matrices ---------------------------------------------------------------------------------


def placed(X: Pose, within: str) -> Any:
    """A frame given by its pose in a body's own frame."""
    return lw.placement(X[:3, 3], matrix=X[:3, :3], within=within)


def shaped(
    name: str, bodies: Mapping[str, Pose], joints: Sequence[tuple[str, Law, str, Pose, str, Pose]]
) -> lw.Mechanism:
    """A machine from the poses of its bodies and the shape matrices S of its joints on both of their bodies."""
    m = lw.Mechanism(name)
    for body, X in bodies.items():
        m.body(body, frame=lw.placement(X[:3, 3], matrix=X[:3, :3]))
    for joint, law, tail, S_tail, head, S_head in joints:
        m.joint(joint, law, tail, head, frame=placed(S_tail, tail), to=placed(S_head, head))
    return m


def matrix(*rows: Sequence[float]) -> Pose:
    """4x4 from its first three rows."""
    return np.array([*rows, (0, 0, 0, 1)], float)


def cardan_angles(psi: float, beta: float) -> tuple[float, float, float]:
    """φA, φB, φC of example 5.1 of Uicker, Ravani, Sheth, with sin φB < 0."""
    phi_a = math.atan2(-math.sin(psi) * math.cos(beta), math.cos(psi))
    phi_b = -math.acos(math.sin(psi) * math.sin(beta))
    return phi_a, phi_b, math.atan2(1.0, math.cos(psi) * math.tan(beta)) % (2 * math.pi)


def cardan(psi: float, beta: float, h: float = 0.7, d1: float = 2.0, d2: float = 3.0) -> lw.Mechanism:
    """Cardan's coupling by its shape matrices (Uicker, Ravani, Sheth, example 5.1); D is the driven shaft ψ."""
    s, c = math.sin(beta), math.cos(beta)
    S4A = matrix((0, 0, 1, d1), (1, 0, 0, h), (0, 1, 0, 0))
    S1A = matrix((0, 0, 1, d1), (0, -1, 0, 0), (1, 0, 0, 0))
    S1B = S2C = matrix((0, 1, 0, 0), (0, 0, 1, 0), (1, 0, 0, 0))
    S3C = matrix((0, 0, 1, 0), (0, -1, 0, 0), (1, 0, 0, 0))
    S3D = matrix((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, d2))
    S4D = matrix((0, -s, c, d2 * c), (1, 0, 0, h), (0, c, s, d2 * s))
    phi_a, phi_b, phi_c = cardan_angles(psi, beta)
    turn = [geo.pose(geo.rot_z(x)) for x in (phi_a, phi_b, phi_c)]
    T1 = S4A @ turn[0] @ np.linalg.inv(S1A)
    T2 = T1 @ S1B @ turn[1]
    T3 = T2 @ S2C @ turn[2] @ np.linalg.inv(S3C)
    return shaped(
        "cardan",
        {"output": T1, "cross": T2, "input": T3},
        [
            ("A", Revolute(), "ground", S4A, "output", S1A),
            ("B", Revolute(), "output", S1B, "cross", np.eye(4)),
            ("C", Revolute(), "cross", S2C, "input", S3C),
            ("D", Revolute(), "input", S3D, "ground", S4D),
        ],
    )


SCARA = {"x0": -12.0, "d2": 12.0, "d3": 10.0, "h1": 8.0, "h4": 1.0, "h5": 1.0}
"""Inches; Uicker, Ravani, Sheth, example 5.4."""


def scara(values: Sequence[float], task: bool = False) -> lw.Mechanism:
    """The SCARA robot of examples 5.3 and 5.4 by its shape matrices; its own unit, the inch, counts as a metre.

    With a task, a second chain prescribes where the tool is: `height` is its z; `plane` its x, its y (counted the other
    way) and the angle of its x axis, about an axis that points down as the tool's z does.
    """
    k = SCARA
    S1A = matrix((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, k["h1"]))
    S2B = matrix((-1, 0, 0, k["d2"]), (0, -1, 0, 0), (0, 0, 1, 0))
    S3B = matrix((-1, 0, 0, -k["d3"]), (0, -1, 0, 0), (0, 0, 1, 0))
    along_u = [1, 2, 0, 3]  # the book slides along u, Linkwork along w
    S3C = matrix((0, -1, 0, 0), (0, 0, 1, 0), (-1, 0, 0, 0))[:, along_u]
    S4C = matrix((0, 1, 0, 0), (0, 0, 1, 0), (1, 0, 0, 0))[:, along_u]
    S4D = matrix((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, k["h4"]))
    S5D = matrix((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, -k["h5"]))
    motions = [geo.pose(geo.rot_z(x)) for x in values]
    motions[2] = geo.pose(np.eye(3), np.array([0, 0, values[2]]))
    T1 = matrix((1, 0, 0, k["x0"]), (0, 1, 0, 0), (0, 0, 1, 0))
    T2 = T1 @ S1A @ motions[0]
    T3 = T2 @ S2B @ motions[1] @ np.linalg.inv(S3B)
    T4 = T3 @ S3C @ motions[2] @ np.linalg.inv(S4C)
    T5 = T4 @ S4D @ motions[3] @ np.linalg.inv(S5D)
    m = shaped(
        "scara",
        {"upper": T2, "fore": T3, "quill": T4, "tool": T5},
        [
            ("A", Revolute(), "ground", T1 @ S1A, "upper", np.eye(4)),
            ("B", Revolute(), "upper", S2B, "fore", S3B),
            ("C", Prismatic(), "fore", S3C, "quill", S4C),
            ("D", Revolute(), "quill", S4D, "tool", S5D),
        ],
    )
    m.point("tip", "tool", T5[:3, 3] + 4 * T5[:3, 2])
    if task:
        m.body("carriage")
        m.prismatic("height", "ground", "carriage", at=(0, 0, 0), axis="z", value=float(T5[2, 3]))
        down = lw.placement((0, 0, T5[2, 3]), axis="-z", x="x")
        m.flat("plane", "carriage", "tool", frame=down, to=placed(np.eye(4), "tool"))
    return m


STANFORD = {"h": 0.5, "a": 0.15}


def stanford(values: Sequence[float], pose: bool = False) -> lw.Mechanism:
    """Stanford manipulator (example 5.6), h = 0.5, a = 0.15; a free joint `pose` from ground to the hand if asked."""
    q, h, a, right = values, STANFORD["h"], STANFORD["a"], math.pi / 2
    m = lw.Mechanism("stanford")
    m.dh_chain(
        [
            {"joint": "J1", "body": "b1", "theta": q[0], "d": h, "alpha": -right},
            {"joint": "J2", "body": "b2", "theta": q[1], "d": a, "alpha": right},
            {"joint": "J3", "body": "b3", "kind": "prismatic", "d": q[2]},
            {"joint": "J4", "body": "b4", "theta": q[3], "alpha": -right},
            {"joint": "J5", "body": "b5", "theta": q[4], "alpha": right},
            {"joint": "J6", "body": "hand", "theta": q[5]},
        ]
    )
    if pose:
        m.free("pose", "ground", "hand", to=placed(np.eye(4), "hand"))
    return m


def bennett(alpha: float, beta: float, a: float, b: float, q: Sequence[float]) -> lw.Mechanism:
    """Four skew revolutes with links (a, α), (b, β), (a, α), (b, β); the variables are the D-H angles."""
    m = lw.Mechanism("bennett")
    X = np.eye(4)
    bodies = ["ground", "link1", "link2", "link3", "ground"]
    for body in bodies[1:4]:
        m.body(body)
    for i, (length, twist) in enumerate([(a, alpha), (b, beta)] * 2):
        frame = lw.placement(X[:3, 3], axis=X[:3, 2], x=X[:3, 0])
        m.revolute(f"J{i + 1}", bodies[i], bodies[i + 1], frame=frame, value=float(q[i]))
        X = X @ geo.dh_standard(q[i], 0.0, length, twist)
    if not np.allclose(X, np.eye(4), atol=1e-9):
        raise AssertionError("the linkage of the test does not close")
    return m


def cam(e: float, psi: float = 1.0) -> lw.Mechanism:
    """Flat-faced follower beside the cam's centre by e (Uicker, Ravani, Sheth, example 5.2; R0 = 2 m, L = 1 m)."""
    rise, fall = "(2*t - sin(2*t))/(2*pi)", "(4*pi - 2*t + sin(2*t))/(2*pi)"
    slope = "(1 - cos(2*t))/pi"
    m = lw.Mechanism("cam")
    m.curve(
        "profile",
        expression=(
            f"where(t < pi, (2 + {rise})*sin(t) + {slope}*cos(t), (2 + {fall})*sin(t) - {slope}*cos(t))",
            f"where(t < pi, (2 + {rise})*cos(t) - {slope}*sin(t), (2 + {fall})*cos(t) + {slope}*sin(t))",
        ),
        span=(0, 2 * math.pi),
        closed=True,
    )
    g, _ = cam_lift(psi)
    m.body("cam", frame=lw.placement(rpy=(0, 0, psi)))
    m.body("follower")
    m.revolute("A", "ground", "cam", at=(0, 0, 0), axis="z", x="x", value=psi)
    own, face = lw.placement(within="cam"), lw.placement((e, 2 + g, 0), axis="z", x="x")
    m.line_on_curve("B", "cam", "follower", curve="profile", frame=own, to=face)
    m.prismatic("C", "ground", "follower", at=(e, 2, 0), axis="y", value=g)
    return m


def cam_lift(psi: float) -> tuple[float, float]:
    """g and g' of the cycloid with L = 1."""
    if psi < math.pi:
        return (2 * psi - math.sin(2 * psi)) / (2 * math.pi), (1 - math.cos(2 * psi)) / math.pi
    return (4 * math.pi - 2 * psi + math.sin(2 * psi)) / (2 * math.pi), -(1 - math.cos(2 * psi)) / math.pi


def stewart(posed: bool = True) -> lw.Mechanism:
    """The gallery's platform (radii 1 and 0.6, 0.9 high) with a free joint `pose` that prescribes where it is."""
    m = lw.example("stewart-platform")
    if posed:
        m.free("pose", "ground", "platform", to=placed(np.eye(4), "platform"))
    return m


# --- machines that do not move ----------------------------------------------------------------------------------------


def truss() -> lw.Mechanism:
    """Two bars on two pins: a triangle with ground."""
    m = lw.Mechanism("truss")
    m.body("left"), m.body("right")
    m.revolute("A", "ground", "left", at=(0, 0, 0))
    m.revolute("B", "left", "right", at=(0.5, 0.8, 0))
    m.revolute("C", "ground", "right", at=(1, 0, 0))
    return m


def pinned_bar() -> lw.Mechanism:
    """A bar with three pins to ground."""
    m = lw.Mechanism("pinned")
    m.body("bar")
    for name, x in (("A", 0.0), ("B", 0.4), ("C", 1.0)):
        m.revolute(name, "ground", "bar", at=(x, 0, 0))
    return m
