"""Model files that are wrong: the text, and the line, the place and a part of the message of every problem."""

from __future__ import annotations

import itertools

from bad_load_documents import BAD_LOADS
from bad_state_documents import BAD_STATES

Finding = tuple[int | None, str, str]

HEAD = "linkwork: 1\nbodies:\n  a: {mass: 1}\n  b: {mass: 1}\n"  # four lines
JOINT = HEAD + "joints:\n  A: "  # a joint in line 6


def joint(entry: str) -> str:
    return f"{JOINT}{{{entry}}}\n"


def body(entry: str) -> str:
    return f"linkwork: 1\nbodies:\n  a: {{{entry}}}\n"


EXTRA: dict[str, tuple[str | bytes, list[Finding]]] = {
    "unknown section": (f"{HEAD}jonits: {{}}\n", [(5, "jonits", "did you mean 'joints'?")]),
    "nothing behind a key": (
        "linkwork: 1\nbodies:\n  a:\n    mass:\n    com: [0, ~, 0]\n    frame: {at: [0, 0, 0], in: }\n",
        [
            (4, "bodies.a.mass", "has no value"),
            (5, "bodies.a.com[1]", "nothing is given"),
            (6, "bodies.a.frame.in", "has no value"),
        ],
    ),
    "two across sections": (
        HEAD + "joints:\n  a: {rigid: [a, b]}\npoints:\n  a: {on: a, at: [0, 0, 0]}\n",
        [(6, "joints.a", "the name 'a' is taken by a body"), (8, "points.a", "the name 'a' is taken by a body")],
    ),
    "names": (
        f"linkwork: 1\nbodies:\n  a b: {{}}\n  a.b: {{}}\n  -x: {{}}\n  '': {{}}\n  {'x' * 70}: {{}}\n",
        [
            (3, "bodies.a b", "'a b' is not a name"),
            (4, "bodies.a.b", "'a.b' is not a name"),
            (5, "bodies.-x", "'-x' is not a name"),
            (6, "bodies.", "'' is not a name"),
            (7, f"bodies.{'x' * 57}...", "is not a name"),
        ],
    ),
    "aliases of aliases": (
        "linkwork: 1\na: &a [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]\n" for a, b in itertools.pairwise("abcdefghi")),
        [(7, "", "it has more than 1000000 entries")],
    ),
    "deep lists": (f"linkwork: 1\nbodies: {'[' * 50}{']' * 50}", [(2, "", "it is nested more than 24 deep")]),
    "deep entries": (
        "linkwork: 1\nbodies:\n" + "".join(f"{' ' * i}a:\n" for i in range(2, 60)),
        [(26, "", "it is nested more than 24 deep")],
    ),
    "latin-1": ("linkwork: 1\nname: Führung\n".encode("latin-1"), [(2, "", "byte 19 is not UTF-8 text")]),
    "utf-16": ("linkwork: 1\n".encode("utf-16"), [(1, "", "byte 0 is not UTF-8 text")]),
    "utf-16 without a mark": ("linkwork: 1\n".encode("utf-16-le"), [(1, "", "the character U+0000 is not text")]),
    "binary": (bytes(range(256)), [(2, "", "byte 128 is not UTF-8 text")]),
    "ten megabytes": (b"#" * 10_000_000, [(None, "", "the file has 10.0 MB; at most 8 MB are read")]),
    "half a surrogate pair": ("linkwork: 1\ndescription: \ud800\n", [(2, "", "is not UTF-8 text")]),
}

BAD: dict[str, tuple[str | bytes, list[Finding]]] = {
    **EXTRA,
    **BAD_LOADS,
    **BAD_STATES,
    "unknown key": (body("mas: 1 kg"), [(3, "bodies.a.mas", "did you mean 'mass'?")]),
    "unknown key deeper": (
        body("solids: [{cylinder: {radus: 1, length: 1}}]"),
        [
            (3, "bodies.a.solids[0].cylinder", "'radius' is missing"),
            (3, "bodies.a.solids[0].cylinder.radus", "did you mean 'radius'?"),
        ],
    ),
    "unknown key lines": (
        "linkwork: 1\nbodies:\n  a:\n    mass: 1\n    frame:\n      at: [0, 0, 0]\n      axs: z\n",
        [(7, "bodies.a.frame.axs", "did you mean 'axis'?")],
    ),
    "key with a dot": (
        "linkwork: 1\nbodies:\n  a:\n    mass: 1\n    ma.ss: 1\n",
        [(5, "bodies.a.ma.ss", "did you mean 'mass'?")],
    ),
    "alias of in": (joint("revolute: [a, b], within: a"), [(6, "joints.A.within", "did you mean 'in'?")]),
    "unknown unit": (body("mass: 1 kgg"), [(3, "bodies.a.mass", "did you mean 'kg'?")]),
    "unknown unit header": (
        "linkwork: 1\nunits:\n  length: mmm\n  lenght: mm\n  angle: kg\n  mass: 3\n",
        [
            (3, "units.length", "did you mean 'mm'?"),
            (4, "units.lenght", "did you mean 'length'?"),
            (5, "units.angle", "'kg' is a mass, not an angle"),
            (6, "units.mass", "3 is not the name of one unit"),
        ],
    ),
    "units not table": ("linkwork: 1\nunits: mm\n", [(2, "units", "the units must be a table")]),
    "wrong dimension": (
        body("mass: 1 m, com: [0, 1 kg, 0]"),
        [(3, "bodies.a.mass", "'1 m' is a length"), (3, "bodies.a.com[1]", "'1 kg' is a mass")],
    ),
    "wrong dimension values": (
        joint("revolute: [a, b], value: 1 mm, limits: [0, 1 mm]"),
        [(6, "joints.A.value", "'1 mm' is a length"), (6, "joints.A.limits", "'1 mm' is a length")],
    ),
    "not a number": (body("mass: heavy"), [(3, "bodies.a.mass", "'heavy' does not begin with a")]),
    "true for a number": (body("mass: true"), [(3, "bodies.a.mass", "true is not a quantity")]),
    "missing body": (joint("revolute: [ground, bb]"), [(6, "joints.A", "did you mean 'b'?")]),
    "missing both": (
        joint("revolute: [ground1, bb]"),
        [(6, "joints.A", "did you mean 'ground'?"), (6, "joints.A", "did you mean 'b'?")],
    ),
    "self": (joint("revolute: [a, a]"), [(6, "joints.A", "it joins 'a' to itself")]),
    "in nobody": (joint("revolute: [a, b], in: c"), [(6, "joints.A", "there is no body 'c'")]),
    "point on nobody": (
        HEAD + "points:\n  P: {on: c, at: [0, 0, 0]}\n  Q: {on: a}\n",
        [(6, "points.P", "there is no body 'c'"), (7, "points.Q", "'at' is missing")],
    ),
    "two in a section": (HEAD + "  a: {mass: 2}\n", [(5, "bodies", "there are two entries named 'a'")]),
    "zero axis": (joint("revolute: [a, b], axis: [0, 0, 0]"), [(6, "joints.A.axis", "the axis has zero length")]),
    "axis name": (joint("revolute: [a, b], axis: w"), [(6, "joints.A.axis", "'w' is not an axis")]),
    "axis units": (joint("revolute: [a, b], axis: [1 mm, 0, 0]"), [(6, "joints.A.axis", "this is not a direction")]),
    "parallel x": (joint("revolute: [a, b], axis: z, x: -z"), [(6, "joints.A", "x direction is parallel to the")]),
    "collinear": (
        joint("revolute: [a, b], points: [[0, 0, 0], [0, 0, 1], [0, 0, 2]]"),
        [(6, "joints.A.points", "points 1, 2, 3 lie on one line")],
    ),
    "axes twice": (
        joint("revolute: [a, b], axis: z, rpy: [0, 0, 0]"),
        [(6, "joints.A", "the axes are given twice: rpy and")],
    ),
    "quaternion": (joint("revolute: [a, b], quaternion: [1, 1, 0, 0]"), [(6, "joints.A", "the quaternion has length")]),
    "matrix": (
        joint("revolute: [a, b], matrix: [[1, 0, 0], [0, 1, 0]]"),
        [(6, "joints.A.matrix", "are wanted, 2 are given")],
    ),
    "matrix again": (
        joint("revolute: [a, b], matrix: [[1, 0, 0], [0, 1, 0], [0, 0, 2]]"),
        [(6, "joints.A", "the matrix is not a rotation: its")],
    ),
    "nan": (
        body("mass: .nan, com: [.inf, 0, 1e400]"),
        [
            (3, "bodies.a.mass", "nan is not a number"),
            (3, "bodies.a.com[0]", "inf is not finite"),
            (3, "bodies.a.com[2]", "inf is not finite"),
        ],
    ),
    "huge": (body("mass: 1e308 tonne"), [(3, "bodies.a.mass", "'1e308 tonne' is too large")]),
    "negative mass": (body("mass: -1"), [(3, "bodies.a.mass", "the mass is negative")]),
    "few numbers": (body("com: [1, 2]"), [(3, "bodies.a.com", "are wanted, 2 are given")]),
    "many numbers": (body("com: [1, 2, 3, 4]"), [(3, "bodies.a.com", "3 are wanted, 4 are given")]),
    "null body in joint": (joint("revolute: [a, ]"), [(6, "joints.A.revolute", "are wanted, 1 is given")]),
    "float name": (joint("revolute: [a, 1e5]"), [(6, "joints.A.revolute[1]", "100000.0 is not a name")]),
    "bool name": (joint("revolute: [a, true]"), [(6, "joints.A.revolute[1]", "true is not a name")]),
    "no kind": (joint("revolut: [a, b]"), [(6, "joints.A", "did you mean 'revolute'?")]),
    "two kinds": (joint("revolute: [a, b], rigid: [a, b]"), [(6, "joints.A", "it is revolute and rigid at once")]),
    "joint list": (HEAD + "joints:\n  - A\n", [(5, "joints", "names with their entries are")]),
    "joint text": (HEAD + "joints:\n  A: revolute\n", [(6, "joints.A", "a joint is wanted")]),
    "section text": (HEAD + "points: none\n", [(5, "points", "names with their entries are")]),
    "variables": (
        joint("cylindric: [a, b], value: {angel: 1}, limits: [0, 1]"),
        [(6, "joints.A.value", "did you mean 'angle'?"), (6, "joints.A.limits", "a cylindric joint has 2 variables")],
    ),
    "variables again": (
        joint("revolute: [a, b], value: [1, 2]"),
        [(6, "joints.A.value", "2 values for 1 variables (angle)")],
    ),
    "limits": (
        joint("revolute: [a, b], limits: [1, 0]"),
        [(6, "joints.A.limits", "the limits 1 and 0 leave no room")],
    ),
    "limits again": (joint("revolute: [a, b], limits: 1"), [(6, "joints.A.limits", "a pair [low, high] is wanted")]),
    "value and to": (
        joint("revolute: [a, b], value: 1, to: [0, 0, 0]"),
        [(6, "joints.A", "`value` and `to` are both given")],
    ),
    "many in one joint": (
        joint("revolute: [a, c], at: [0, 0], axis: q, to: [0, x, 0], value: 1 mm, limits: [0, deg], colour: red"),
        [
            (6, "joints.A.axis", "'q' is not an axis"),
            (6, "joints.A.at", "are wanted, 2 are given"),
            (6, "joints.A.to.at[1]", "'x' does not begin with a number"),
            (6, "joints.A.value", "'1 mm' is a length"),
            (6, "joints.A.limits", "'deg' does not begin with a"),
            (6, "joints.A.colour", "unknown key 'colour'"),
            (6, "joints.A", "there is no body 'c'"),
        ],
    ),
    "lead": (joint("helical: [a, b]"), [(6, "joints.A", "'lead' is missing")]),
    "lead0": (joint("helical: [a, b], lead: 0"), [(6, "joints.A", "the lead is 0")]),
    "gear axes": (
        joint("gear: [a, b], at: [0, 0, 0], to: {at: [1, 0, 0], axis: x}, radii: [0.5, 0.5]"),
        [(6, "joints.A", "the gear axes are not parallel:")],
    ),
    "gear no radii": (
        joint("gear: [a, b], at: [0, 0, 0], to: [1, 0, 0]"),
        [(6, "joints.A", "neither radii nor teeth are given")],
    ),
    "gear teeth": (
        joint("gear: [a, b], at: [0, 0, 0], to: [1, 0, 0], teeth: [20.5, 10]"),
        [(6, "joints.A.teeth[0]", "20.5 is not a whole number")],
    ),
    "gear flank": (
        joint("gear: [a, b], at: [0, 0, 0], to: [1, 0, 0], teeth: [20, 10], flank: 2"),
        [(6, "joints.A.flank", "flank is 2")],
    ),
    "universal": (
        joint("universal: [a, b], axes: [x, [1, 1, 0]]"),
        [(6, "joints.A.axes", "the two axes of a universal joint")],
    ),
    "universal again": (
        joint("universal: [a, b], axes: [x, y], rpy: [0, 0, 0]"),
        [(6, "joints.A", "`axes` is given besides rpy")],
    ),
    "bevel": (joint("bevel: [a, b], at: [0, 0, 0], axes: [x]"), [(6, "joints.A.axes", "are wanted, 1 is given")]),
    "bevel again": (
        joint("bevel: [a, b], at: [0, 0, 0], axes: [x, y]"),
        [(6, "joints.A", "one of `cones` and `teeth` is")],
    ),
    "no curve": (joint("point_on_curve: [a, b], curve: c"), [(6, "joints.A.curve", "there is no curve 'c'")]),
    "bad curve": (
        joint("point_on_curve: [a, b], curve: c") + "curves:\n  c: {fourier: {u1: 3}}\n",
        [(8, "curves.c.fourier.u1", "unknown key 'u1'")],
    ),
    "surface none": (joint("on_surface: [a, b]"), [(6, "joints.A", "'surface' is missing")]),
    "surface empty": (
        joint("on_surface: [a, b], surface: {}"),
        [(6, "joints.A.surface", "the kind of surface is missing")],
    ),
    "surface two": (
        joint("on_surface: [a, b], surface: {plane: {}, sphere: {radius: 1}}"),
        [(6, "joints.A.surface", "it is plane and sphere at once")],
    ),
    "surface unknown": (
        joint("on_surface: [a, b], surface: {ball: {radius: 1}}, limits: {angle1: [0, 1]}"),
        [(6, "joints.A.surface.ball", "unknown key 'ball'")],
    ),
    "surface text": (joint("on_surface: [a, b], surface: plane"), [(6, "joints.A.surface", "is not an entry")]),
    "surface size": (
        joint("on_surface: [a, b], surface: {sphere: {radius: -1}}, value: {angle: 3}"),
        [(6, "joints.A.surface", "-1 is not positive")],
    ),
    "surface key": (
        joint("on_surface: [a, b], surface: {torus: {radius: 1 kg, tub: 2}}"),
        [
            (6, "joints.A.surface.torus.radius", "kg"),
            (6, "joints.A.surface.torus", "'tube' is missing"),
            (6, "joints.A.surface.torus.tub", "unknown key 'tub'"),
        ],
    ),
    "surface arithmetic": (
        joint("on_surface: [a, b], surface: {height: {z: x + t, x: [0, 1], y: [0, 1]}}"),
        [(6, "joints.A.surface.height.z", "'t'")],
    ),
    "surface variable": (
        joint("on_surface: [a, b], surface: {cylinder: {radius: 1}}, value: {angle1: 1}, limits: {slyde: [0, 1]}"),
        [
            (6, "joints.A.value", "an on_surface joint has no variable 'angle1'"),
            (6, "joints.A.limits", "an on_surface joint has no variable 'slyde'"),
        ],
    ),
    "surface unit": (
        joint("on_surface: [a, b], surface: {cylinder: {radius: 1}}, value: {angle: 1 kg}"),
        [(6, "joints.A.value.angle", "kg")],
    ),
    "space curve none": (
        joint("on_curve: [a, b], curve: {}"),
        [(6, "joints.A.curve", "the kind of curve is missing")],
    ),
    "space curve unknown": (joint("on_curve: [a, b], curve: c"), [(6, "joints.A.curve", "there is no curve 'c'")]),
    "space curve bad": (
        joint("on_curve: [a, b], curve: c") + "curves:\n  c: {fourier: {u1: 3}}\n",
        [(8, "curves.c.fourier.u1", "unknown key 'u1'")],
    ),
    "space curve spline": (
        joint("on_curve: [a, b], curve: {spline: {points: [[0, 0, 0], [1, 1, 1]]}}"),
        [(6, "joints.A.curve", "2 points are too few for degree 5")],
    ),
    "space curve lead": (
        joint("on_curve: [a, b], curve: {helix: {radius: 1, lead: 0}}"),
        [(6, "joints.A.curve", "the lead is 0")],
    ),
    "curve none": ("linkwork: 1\ncurves:\n  c: {closed: true}\n", [(3, "curves.c", "one of fourier, expression,")]),
    "curve two": (
        "linkwork: 1\ncurves:\n  c: {spline: [[0, 0]], expression: {u: t, v: t}}\n",
        [(3, "curves.c", "one of fourier, expression,")],
    ),
    "curve lost": (
        "linkwork: 1\ncurves:\n  c: {fourier: {u_cos: [1]}, degree: 3}\n",
        [(3, "curves.c", "degree besides fourier")],
    ),
    "curve few": (
        "linkwork: 1\ncurves:\n  c: {spline: [[0, 0], [1, 1]]}\n",
        [(3, "curves.c", "2 points are too few for degree")],
    ),
    "expression call": (
        "linkwork: 1\ncurves:\n  c: {expression: {u: t, v: \"__import__('os').system('ls')\"}}\n",
        [(3, "curves.c.expression.v", "a string is not allowed")],
    ),
    "expression name": (
        "linkwork: 1\ncurves:\n  c: {expression: {u: x + 1, v: t.real}}\n",
        [
            (3, "curves.c.expression.u", "'x' is not known"),
            (3, "curves.c.expression.v", "a '.' after a name is not allowed"),
        ],
    ),
    "expression lambda": (
        'linkwork: 1\ncurves:\n  c: {expression: {u: "lambda: 1", v: "[1, 2]"}}\n',
        [
            (3, "curves.c.expression.u", "a ':' is not allowed"),
            (3, "curves.c.expression.v", "a '[' is not allowed"),
        ],
    ),
    "inertia forms": (
        body("mass: 1, inertia: {moments: [1, 1, 1], xx: 1}"),
        [(3, "bodies.a.inertia", "2 forms of inertia are given")],
    ),
    "inertia four": (
        body("mass: 1, inertia: [1, 1, 1, 1]"),
        [(3, "bodies.a.inertia", "3 or 6 numbers or a 3x3 tensor")],
    ),
    "inertia skew": (
        body("mass: 1, inertia: [[1, 2, 0], [1, 1, 0], [0, 0, 1]]"),
        [(3, "bodies.a.inertia", "the inertia tensor is not")],
    ),
    "inertia products": (
        body("mass: 1, inertia: {tensor: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], products: positive}"),
        [(3, "bodies.a.inertia", "`products: positive` with a")],
    ),
    "inertia about": (
        body("mass: 1, inertia: {moments: [1, 1, 1], about: centre}"),
        [(3, "bodies.a.inertia.about", "'centre' is not known here")],
    ),
    "solids": (
        body(
            "solids: [{box: [1, 1]}, {sphere: {radius: -1}}, {}, {sphere: {radius: 1}, box: [1, 1, 1]}, {sphere: {}}]"
        ),
        [
            (3, "bodies.a.solids[0].box", "are wanted, 2 are given"),
            (3, "bodies.a.solids[1].sphere", "-1 is not a positive radius"),
            (3, "bodies.a.solids[2]", "0 shapes are given"),
            (3, "bodies.a.solids[3]", "2 shapes are given"),
            (3, "bodies.a.solids[4].sphere", "'radius' is missing"),
        ],
    ),
    "solids again": (
        body(
            "solids: [{sphere: {radius: -1}}, {tube: {inner: 2, outer: 1, length: 1}}, "
            "{box: [1, 1, 1], units: mm}, {box: [1, 1, 1], minus: 1}, {}]"
        ),
        [
            (3, "bodies.a.solids[0].sphere", "-1 is not a positive radius"),
            (3, "bodies.a.solids[1].tube", "the inner radius 2 is not smaller"),
            (3, "bodies.a.solids[2]", "`units` is for meshes"),
            (3, "bodies.a.solids[3].minus", "1 is not true or false"),
            (3, "bodies.a.solids[4]", "0 shapes are given"),
        ],
    ),
    "solids once more": (
        body(
            "solids: [{sphere: {radius: -1}}, {tube: {inner: 2, outer: 1, length: 1}}, {box: [1, 1, 1], units: mm}, "
            "{}], frame: {rpy: [0, 0, 0], axis: z}, inertia: {}"
        ),
        [
            (3, "bodies.a.solids[0].sphere", "-1 is not a positive radius"),
            (3, "bodies.a.solids[1].tube", "the inner radius 2 is not smaller"),
            (3, "bodies.a.solids[2]", "`units` is for meshes"),
            (3, "bodies.a.solids[3]", "0 shapes are given"),
            (3, "bodies.a.inertia", "0 forms of inertia are given"),
            (3, "bodies.a.frame", "the axes are given twice: rpy and"),
        ],
    ),
    "mass and solid": (body("mass: 1, solids: [{sphere: {radius: 1}}]"), [(3, "bodies.a", "mass besides solids")]),
    "density": (body("density: 1"), [(3, "bodies.a", "a density without solids")]),
    "looks": (
        body("looks: [{box: [1, 1]}, {}, {box: [1, 1, 1], density: 3}, {sphere: {radius: 0}}]"),
        [
            (3, "bodies.a.looks[0].box", "are wanted, 2 are given"),
            (3, "bodies.a.looks[1]", "0 shapes are given"),
            (3, "bodies.a.looks[2].density", "unknown key 'density'"),
            (3, "bodies.a.looks[3].sphere", "0 is not a positive radius"),
        ],
    ),
    "colour": (body("colour: '#12345'"), [(3, "bodies.a.colour", "'#12345' is not a colour")]),
    "colour again": (body("colour: 5"), [(3, "bodies.a.colour", "5 is not text")]),
    "mesh w/o folder": (
        body("density: 1, solids: [{mesh: a.stl, units: mm}]"),
        [(3, "bodies.a.solids[0].mesh", "the mesh 'a.stl' cannot be looked")],
    ),
    "chain": (
        "linkwork: 1\nchains:\n  arm:\n    rows:\n      - {joint: J1, body: L1, theta: 1 m}\n"
        "      - {joint: J2, body: L2, beta: 1}\n      - {joint: J3}\n"
        "      - {joint: J4, body: L4, value: [1, 2], frame: {at: [0, 0, 0]}}\n",
        [
            (5, "chains.arm.rows[0].theta", "'1 m' is a length"),
            (6, "chains.arm.rows[1]", "did you mean 'theta'?"),
            (7, "chains.arm.rows[2]", "'body' is missing"),
            (8, "chains.arm.rows[3]", "`frame` in a row"),
        ],
    ),
    "chain again": (
        "linkwork: 1\nchains:\n  arm:\n    base: stand\n    rows:\n      - {joint: J1, body: L1, mass: -1}\n"
        "      - {joint: J2, body: L2, beta: 1}\n      - {joint: J1, body: L3, value: 1}\n"
        "points:\n  P: {on: L1, at: [0, 0, 0]}\n",
        [
            (6, "chains.arm.rows[0].mass", "the mass is negative"),
            (7, "chains.arm.rows[1]", "did you mean 'theta'?"),
            (8, "chains.arm.rows[2]", "`value` besides a table"),
        ],
    ),
    "chain once more": (
        "linkwork: 1\nchains:\n  arm:\n    convention: dhh\n    rows: []\n",
        [(4, "chains.arm.convention", "'dhh' is not known here")],
    ),
    "frame broken": (
        "linkwork: 1\nbodies:\n  a: {frame: {rpy: [1]}}\n  b:\n"
        "joints:\n  A: {revolute: [a, bb], in: a, axis: z, to: {at: [9, 9, 9], axis: x}}\n",
        [(3, "bodies.a.frame.rpy", "are wanted, 1 is given"), (6, "joints.A", "did you mean 'b'?")],
    ),
    "header": (
        "linkwork: 2\nname: [1]\ndescription: 12\nground: a b\nfloating: 1\ngravity: [0, 1]\nexpect: 3\n",
        [
            (1, "linkwork", "version 2 is not known"),
            (2, "name", "this is not a name"),
            (3, "description", "12 is not text"),
            (4, "ground", "'a b' is not a name"),
            (5, "floating", "1 is not true or false"),
            (6, "gravity", "three numbers are wanted"),
            (7, "expect", "names with their numbers are"),
        ],
    ),
    "header again": (
        "name: true\ngravity: [0, 1 m, x]\ndescription:\nexpect: {P.x: 1 kg, mobility: one}\n",
        [
            (1, "", "the version is missing"),
            (1, "name", "true is not a name"),
            (2, "gravity[1]", "'1 m' is a length"),
            (2, "gravity[2]", "gravity depends on x; it may depend on the time t only"),
            (3, "description", "nothing is given"),
            (4, "expect.P.x", "'1 kg' is a mass"),
            (4, "expect.mobility", "'one' does not begin with a"),
        ],
    ),
    "list": ("- linkwork: 1\n", [(1, "", "this is not a model file")]),
    "text": ("hello\n", [(1, "", "this is not a model file")]),
    "empty": ("", [(1, "", "this is not a model file")]),
    "comment": ("# nothing\n", [(1, "", "this is not a model file")]),
    "documents": ("linkwork: 1\n---\nlinkwork: 1\n", [(2, "", "there is more than one document")]),
    "tabs": ("linkwork: 1\nbodies:\n\ta: {}\n", [(3, "", "this is not YAML: while scanning")]),
    "not yaml": ("linkwork: 1\nbodies: {a: {mass: 1\njoints: [\n", [(3, "", "this is not YAML: while parsing a")]),
    "colon": ("linkwork: 1\nname: a: b\n", [(2, "", "this is not YAML: mapping values")]),
    "tag": ("linkwork: 1\nname: !!python/object/apply:os.system ['ls']\n", [(2, "", "the YAML tag")]),
    "tag again": ("linkwork: 1\nname: !!str 12\n", [(2, "", "the YAML tag")]),
    "recursive": ("linkwork: 1\nbodies: &b\n  a: *b\n", [(3, "", "the alias '*b' has no anchor")]),
    "no anchor": ("linkwork: 1\nbodies: *b\n", [(2, "", "the alias '*b' has no anchor")]),
    "alias name": ("linkwork: 1\nname: &x a\nbodies:\n  *x : {}\n", [(4, "", "a name must be plain text, not an")]),
    "list name": ("linkwork: 1\nbodies:\n  [a]: {}\n", [(3, "", "a name must be plain text, not a")]),
    "merge": ("linkwork: 1\nbodies:\n  a: &a {mass: 1}\n  b: {<<: *a}\n", [(4, "bodies.b.<<", "unknown key '<<'")]),
    "control": ("linkwork: 1\nname: a\x07\n", [(2, "", "the character U+0007 is not text")]),
}
"""What the loader or, where it takes the whole model, the check finds."""

UNKNOWN_KEYS = ("unknown section", "unknown key", "unknown key deeper", "unknown key lines", "key with a dot")
"""A text with a misspelt key is also wrong for editors."""

MANY = """\
linkwork: 2
nmae: everything-wrong
units: {length: mm, angel: deg}
gravity: [0, -9.81 kg, 0]
curves:
  cam: {spline: [[0, 0], [1, 1]]}
  slot: {expression: {u: open('x'), v: t}}
bodies:
  crank: {mass: 1 m}
  rod: {mas: 1, com: [0, 0]}
  piston:
    mass: -2
    inertia: [1, 1]
    frame: {points: [[0, 0, 0], [0, 0, 1], [0, 0, 3]]}
  crank: {mass: 2}
  heavy: {mass: 1, inertia: [1, 1, 9]}
  block:
    density: 1000
    solids:
      - {box: [1, 1, 0]}
      - {ball: {radius: 1}}
chains:
  arm:
    rows:
      - {joint: J1, body: L1, theta: 10 mm}
      - {joint: J2, body: L2, gamma: 1}
joints:
  A: {revolute: [ground, crnk], at: [0, 0, 0], axis: [0, 0, 0]}
  B: {revolute: [crank, crank], at: [0, .nan, 0]}
  C: {revolut: [rod, piston]}
  D: {prismatic: [rod, L1], value: 3 deg, limits: [1, 0]}
  E: {gear: [rod, crank], at: [0, 0, 0], to: {at: [9, 0, 0], axis: x}, radii: [4, 5]}
  F: {point_on_curve: [rod, crank], curve: cam}
  G: {helical: [rod, crank]}
  H: {rigid: [rod, nobody]}
points:
  A: {on: rod, at: [0, 0, 0]}
  P: {on: rodd, at: [0, 0, 0]}
frames:
  F: {on: rod, quaternion: [1, 2, 3, 4]}
  Q: {on: rod, axis: z, x: z}
expect: {mobility: one, D.slide: 3 mm}
"""

MANY_FINDINGS: list[Finding] = [
    (1, "linkwork", "version 2 is not known"),
    (2, "nmae", "did you mean 'name'?"),
    (3, "units.angel", "did you mean 'angle'?"),
    (4, "gravity[1]", "'-9.81 kg' is a mass"),
    (6, "curves.cam", "2 points are too few for degree 5"),
    (7, "curves.slot.expression.u", "a string is not allowed"),
    (9, "bodies.crank.mass", "'1 m' is a length"),
    (10, "bodies.rod.com", "are wanted, 2 are given"),
    (10, "bodies.rod.mas", "did you mean 'mass'?"),
    (12, "bodies.piston.mass", "the mass is negative"),
    (13, "bodies.piston.inertia", "3 or 6 numbers or a 3x3 tensor are wanted"),
    (14, "bodies.piston.frame.points", "points 1, 2, 3 lie on one line"),
    (15, "bodies", "there are two entries named 'crank'"),
    (16, "bodies.heavy", "break the triangle inequality"),
    (20, "bodies.block.solids[0].box", "0 is not a positive size"),
    (21, "bodies.block.solids[1].ball", "unknown key 'ball'"),
    (25, "chains.arm.rows[0].theta", "'10 mm' is a length"),
    (26, "chains.arm.rows[1]", "unknown key 'gamma'"),
    (28, "joints.A.axis", "the axis has zero length"),
    (28, "joints.A", "did you mean 'crank'?"),
    (29, "joints.B.at[1]", "nan is not a number"),
    (29, "joints.B", "it joins 'crank' to itself"),
    (30, "joints.C", "did you mean 'revolute'?"),
    (31, "joints.D.value", "'3 deg' is an angle"),
    (31, "joints.D.limits", "the limits 0.001 and 0 leave no room"),
    (32, "joints.E", "the gear axes are not parallel"),
    (34, "joints.G", "'lead' is missing"),
    (35, "joints.H", "there is no body 'nobody'"),
    (37, "points.A", "the name 'A' is taken by a joint"),
    (38, "points.P", "did you mean 'rod'?"),
    (40, "frames.F", "the name 'F' is taken by a joint"),
    (41, "frames.Q", "x direction is parallel to the axis"),
    (42, "expect.mobility", "'one' does not begin with a number"),
]
"""Everything that is wrong with MANY, and nothing that only follows from it."""
