"""Model files whose loads are wrong: the text, and the line, the place and a part of the message of every problem."""

from __future__ import annotations

Finding = tuple[int | None, str, str]

HEAD = """\
linkwork: 1
units: {length: mm, angle: deg, force: N}
bodies: {a: {mass: 1, com: [0, 0, 0]}, b: {mass: 1, com: [0, 0, 0]}}
joints:
  A: {revolute: [ground, a], axis: z}
  C: {cylindric: [a, b], axis: x, at: [10, 0, 0]}
points: {P: {on: a, at: [10, 0, 0]}, Q: {on: b, at: [20, 0, 0]}, R: {on: ground, at: [10, 0, 0]}}
"""  # seven lines


def load(section: str, *entries: str) -> str:
    return f"{HEAD}{section}:\n" + "".join(f"  L{i}: {{{entry}}}\n" for i, entry in enumerate(entries))


BAD_LOADS: dict[str, tuple[str | bytes, list[Finding]]] = {
    "springs": (
        load(
            "springs",
            "between: [P, Q], stiffness: 3 N m/rad, free: 3 N, damping: 2 N/m, preload: 1 m",
            "joint: A, stiffness: 3 N/m, free: 3 mm, damping: 2 N s/m, preload: 1 N",
            "joint: C, stiffness: 1",
            "between: [P, Q], joint: A, stiffness: 1",
            "stiffness: 1",
            "between: [P, P], stiffness: 1",
            "between: [P, Q], stiffness: 1, free: -5",
            "between: [P, Q], damping: -5",
            "joint: D, stiffness: 1",
            "joint: C.slid, stiffness: 1",
            "between: [P], stifness: 1",
            "between: [P, Q], law: 2 N/m",
            "between: [P, Q], law: 2*",
        ),
        [
            (9, "springs.L0.stiffness", "'3 N m/rad' is a torsional stiffness; a stiffness is wanted"),
            (9, "springs.L0.free", "'3 N' is a force; a length is wanted"),
            (9, "springs.L0.damping", "'2 N/m' is a stiffness; a damping is wanted"),
            (9, "springs.L0.preload", "'1 m' is a length; a force is wanted"),
            (10, "springs.L1.stiffness", "'3 N/m' is a stiffness; a torsional stiffness is wanted"),
            (10, "springs.L1.free", "'3 mm' is a length; an angle is wanted"),
            (10, "springs.L1.damping", "'2 N s/m' is a damping; a torsional damping is wanted"),
            (10, "springs.L1.preload", "'1 N' is a force; a torque or energy is wanted"),
            (11, "springs.L2.joint", "has several variables; say which: C.angle, C.slide"),
            (12, "springs.L3", "points and a joint are both given"),
            (13, "springs.L4", "it is tied to nothing"),
            (14, "springs.L5", "both ends are the point 'P'"),
            (15, "springs.L6.free", "the free length is negative"),
            (16, "springs.L7.damping", "the damping is negative"),
            (17, "springs.L8.joint", "there is no joint 'D'; there is: A, C"),
            (18, "springs.L9.joint", "has no variable 'slid'; did you mean 'C.slide'?"),
            (19, "springs.L10.between", "2 are wanted, 1 is given"),
            (19, "springs.L10.stifness", "did you mean 'stiffness'?"),
            (20, "springs.L11.law", "'2 N/m' is a stiffness; a force is wanted"),
            (21, "springs.L12.law", "it breaks off or goes wrong"),
        ],
    ),
    "dampers": (
        load("dampers", "between: [P, Q], stiffness: 1", "joint: A, damping: -1", "joint: A, damping: 1 N s/m"),
        [
            (9, "dampers.L0.stiffness", "unknown key 'stiffness'"),
            (10, "dampers.L1.damping", "the damping is negative"),
            (11, "dampers.L2.damping", "'1 N s/m' is a damping; a torsional damping is wanted"),
        ],
    ),
    "friction": (
        load(
            "friction",
            "joint: A, coefficient: 0.1, radius: 5",
            "joint: A, coefficient: 0.1, normal: 3, level: 2",
            "joint: A, normal: 3 N",
            "joint: A, level: [1, 2, 3]",
            "joint: A, level: [1, -2]",
            "joint: A, level: 1 N",
            "joint: A, level: 1, static: 0.5, speed: 0, form: rough",
            "joint: A, level: 1, static: 0.5, speed: 0",
            "level: 1",
            "joint: A, radius: 5, level: 1",
        ),
        [
            (9, "friction.L0.coefficient", "friction without a normal force"),
            (10, "friction.L1.level", "a level besides a coefficient"),
            (11, "friction.L2.normal", "a normal without a coefficient"),
            (12, "friction.L3.level", "3 levels are given"),
            (13, "friction.L4.level", "the level is negative"),
            (14, "friction.L5.level", "'1 N' is a force; a torque or energy is wanted"),
            (15, "friction.L6.form", "write 'smooth' or 'exact'"),
            (16, "friction.L7.static", "the static is below 1"),
            (16, "friction.L7.speed", "the speed is not positive"),
            (17, "friction.L8", "'joint' is missing"),
            (18, "friction.L9.radius", "a radius without a coefficient"),
        ],
    ),
    "motors": (
        load(
            "motors",
            "joint: A, ratio: 0",
            "joint: A, ratio: 3 rad/m, rotor_inertia: -1, damping: -1, friction: [0, -1], efficiency: 120 %",
            "joint: A, rotor_inertia: -1, damping: -1, friction: [0, -1], efficiency: 120 %",
            "joint: A, stall: 3",
            "joint: A, stall: 0, no_load: 3 Hz, peak: 1 N",
        ),
        [
            (9, "motors.L0.ratio", "the ratio is zero"),
            (10, "motors.L1.ratio", "a plain number is wanted"),
            (11, "motors.L2.rotor_inertia", "the rotor inertia is negative"),
            (11, "motors.L2.damping", "the damping is negative"),
            (11, "motors.L2.friction", "the friction is negative"),
            (11, "motors.L2.efficiency", "the efficiency is 1.2"),
            (12, "motors.L3", "`stall` alone makes no line"),
            (13, "motors.L4.no_load", "'3 Hz' is a frequency; an angular speed is wanted"),
            (13, "motors.L4.peak", "'1 N' is a force"),
        ],
    ),
    "forces": (
        load(
            "forces",
            "point: P, amount: 3 N",
            "point: P, amount: 3 N, along: x, toward: [P, Q]",
            "point: P, amount: 3 N, toward: [P, P]",
            "point: P, amount: 3 N, toward: [P, Q], on: a",
            "point: P, amount: 3 N m, along: x",
            "point: P, amount: 3 N, along: [0, 0, 0]",
            "point: P, along: x",
            "amount: 3 N, along: x",
            "point: P, along: x, amount: [1, 2]",
            "point: P, along: x, amount: {formla: t}",
            "point: P, along: x, amount: {formula: t, table: [[0, 0], [1, 1]]}",
            "point: P, along: x, amount: {formula: t, over: t}",
            "point: P, along: x, amount: {formula: t, unit: mm}",
            "point: P, along: x, amount: {formula: t, unit: -1 N}",
            "point: P, along: x, amount: {formula: [t]}",
            "point: P, along: x, amount: {table: [[0, 0], [1]]}",
            "point: P, along: x, amount: {table: [[0 mm, 0], [1, 1 m]]}",
            "point: P, along: x, amount: {table: [[1, 0], [0, 1]]}",
            "point: P, along: x, amount: {table: [[1, 0]]}",
            "point: P, along: x, amount: {table: [[1, 0], [2, 0]], over: rate(C), smooth: 1}",
            "point: P, along: x, amount: __import__('os')",
        ),
        [
            (9, "forces.L0", "no direction is given"),
            (10, "forces.L1", "`along` and `toward` are both given"),
            (11, "forces.L2.toward", "both points are 'P'"),
            (12, "forces.L3.on", "`on` besides `toward`"),
            (13, "forces.L4.amount", "'3 N m' is a torque or energy; a force is wanted"),
            (14, "forces.L5.along", "the axis has zero length"),
            (15, "forces.L6", "'amount' is missing"),
            (16, "forces.L7", "'point' is missing"),
            (17, "forces.L8.amount", "a list is not a quantity"),
            (18, "forces.L9.amount", "neither a formula nor a table"),
            (19, "forces.L10.amount", "a formula and a table at once"),
            (20, "forces.L11.amount.over", "unknown key 'over'"),
            (21, "forces.L12.amount.unit", "is a length; a force is wanted"),
            (22, "forces.L13.amount.unit", "the unit is not positive"),
            (23, "forces.L14.amount.formula", "an expression must be text"),
            (24, "forces.L15.amount.table", "a list of pairs is wanted"),
            (25, "forces.L16.amount.table[0][0]", "'0 mm' is a length; a time is wanted"),
            (25, "forces.L16.amount.table[1][1]", "'1 m' is a length; a force is wanted"),
            (26, "forces.L17.amount.table", "x does not increase: 1 is followed by 0"),
            (27, "forces.L18.amount.table", "two points at least make a table"),
            (28, "forces.L19.amount.smooth", "1 is not true or false"),
            (28, "forces.L19.amount.over", "has several variables; say which: C.angle, C.slide"),
            (29, "forces.L20.amount", "'__import__' is not known"),
        ],
    ),
    "what the whole tells": (
        HEAD
        + """\
springs:
  S: {between: [P, R], stiffness: 1}
  T: {between: [P, W], stiffness: 1}
  U: {between: [P, Q], law: y + rate(B) + C + x + v + t}
dampers:
  D: {between: [P, R], damping: 1}
friction:
  F: {joint: C.slide, coefficient: 0.1, normal: 2, radius: 3}
motors:
  M: {joint: A}
  N: {joint: A.angle}
forces:
  G: {point: W, along: x, on: c, amount: 3}
  H: {point: P, toward: [P, R], amount: x}
torques:
  I: {body: d, about: z, amount: A.angel}
loads:
  J: {joint: A, amount: rate(c)}
""",
        [
            (9, "springs.S", "a spring of no length: P and R coincide in the layout posture"),
            (10, "springs.T", "there is no point 'W'"),
            (11, "springs.U.law", "there is nothing called 'y'; there is: t, x, v, A, C"),
            (11, "springs.U.law", "there is nothing called 'B'"),
            (11, "springs.U.law", "the cylindric joint 'C' has several variables; say which: C.angle, C.slide"),
            (13, "dampers.D", "a spring of no length"),
            (15, "friction.F.radius", "a slide has no radius"),
            (20, "forces.G", "there is no point 'W'"),
            (20, "forces.G.along", "there is no body 'c'"),
            (21, "forces.H.along", "it points nowhere: P and R coincide"),
            (21, "forces.H.amount", "there is nothing called 'x'"),
            (23, "torques.I", "there is no body 'd'"),
            (23, "torques.I.amount", "has no variable 'angel'; did you mean 'A.angle'?"),
            (25, "loads.J.amount", "there is nothing called 'c'"),
            (18, "motors.N", "'M' and 'N' both drive A.angle"),
        ],
    ),
    "one name, one thing": (
        HEAD + "springs:\n  A: {between: [P, Q], stiffness: 1}\nmotors:\n  P: {joint: A}\n  M: {joint: A}\n"
        "loads:\n  M: {joint: A, amount: 1}\n",
        [
            (9, "springs.A", "the name 'A' is taken by a joint"),
            (11, "motors.P", "the name 'P' is taken by a point"),
            (14, "loads.M", "the name 'M' is taken by a motor"),
        ],
    ),
    "nothing is told of what hangs on the bad": (
        """\
linkwork: 1
bodies: {a: {mass: 1}, b: {mass: 1}}
joints:
  A: {revolute: [ground, a], axes: z}
points: {P: {on: a, at: [10, 0]}, Q: {on: a, at: [1, 1, 1]}}
chains:
  arm: {rows: [{joint: J, body: c, thta: 1}]}
springs:
  S: {joint: A, stiffness: 1}
  T: {between: [P, Q], stiffness: 1 m}
  U: {between: [P, Q], stiffness: 1}
motors:
  M: {joint: J, ratio: 2}
loads:
  L: {joint: K, amount: 2}
forces:
  F: {point: Q, along: x, amount: 2*A}
""",
        [
            (4, "joints.A.axes", "unknown key 'axes'"),
            (5, "points.P.at", "3 are wanted, 2 are given"),
            (7, "chains.arm.rows[0].thta", "unknown key 'thta'"),
            (10, "springs.T.stiffness", "'1 m' is a length; a stiffness is wanted"),
            (15, "loads.L.joint", "there is no joint 'K'"),
        ],
    ),
    "gravity over time": (
        "linkwork: 1\ngravity: [2*A, {table: [[0, 0], [1, 1]], over: A}, 3 m]\n",
        [
            (2, "gravity[0]", "gravity depends on A; it may depend on the time t only"),
            (2, "gravity[1].over", "gravity depends on A"),
            (2, "gravity[2]", "'3 m' is a length"),
        ],
    ),
}
