"""Model files whose states are wrong: the text, and the line, the place and a part of the message of every problem."""

from __future__ import annotations

Finding = tuple[int | None, str, str]

HEAD = """\
linkwork: 1
units: {length: mm, angle: deg}
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, com: [0, 0, 0]}}
joints:
  A: {revolute: [ground, a], axis: z}
  C: {cylindric: [a, b], axis: x, at: [10, 0, 0]}
"""  # six lines


def states(*entries: str, more: str = "") -> str:
    return f"{HEAD}states:\n" + "".join(f"  {entry}\n" for entry in entries) + more


BAD_STATES: dict[str, tuple[str | bytes, list[Finding]]] = {
    "states": (
        states(
            "i: {start: 2 A, unit: A}",
            "j: {rate: 3, unit: mA}",
            "k: {rate: 3, unit: A, start: 2 V, scale: 3 K}",
            "l: {rate: 3 A, unit: A}",
            "m: {rate: 3*, unit: A}",
            "n: {rate: -R*n, parameters: {R: 3 blub, Q: 2}}",
            "o: {rate: -R*o, parameters: {R: 3, Q: 2}}",
            "p: {rate: 1, scale: 0}",
            "q: {rate: 1, rat: 2}",
            "r: {rate: 1, unit: 3}",
            "s: {rate: {table: [[0, 0], [1 V, 1]], over: t}}",
            "u: {rate: {table: [[0, 0], [1, 1]], over: B}}",
            "sin: {rate: 1}",
            "t: {rate: 1}",
            "A: {rate: 1}",
            "v: 3",
            "w: {rate: 2*w, start: 1e40}",
            "z: {rate: 1, parameters: {sin: 3}}",
        ),
        [
            (8, "states.i", "'rate' is missing"),
            (9, "states.j.unit", "'mA' is not an SI unit; write 'A'"),
            (10, "states.k.start", "'2 V' is a voltage; a current is wanted"),
            (10, "states.k.scale", "'3 K' is a temperature; a current is wanted"),
            (11, "states.l.rate", "'3 A' is a current; a quantity of dimension current/time is wanted"),
            (12, "states.m.rate", "it breaks off or goes wrong"),
            (13, "states.n.parameters.R", "there is no unit 'blub'"),
            (14, "states.o.parameters.Q", "the rate does not use 'Q'"),
            (15, "states.p.scale", "the scale is not positive"),
            (16, "states.q.rat", "did you mean 'rate'?"),
            (17, "states.r.unit", "put it in quotes"),
            (18, "states.s.rate.table[1][0]", "'1 V' is a voltage; a time is wanted"),
            (19, "states.u.rate.over", "there is nothing called 'B'"),
            (20, "states.sin", "'sin' means something else in formulas or results"),
            (21, "states.t", "'t' means something else in formulas or results"),
            (22, "states.A", "the name 'A' is taken by a joint"),
            (23, "states.v", "3 is not an entry"),
            (24, "states.w.start", "the number is too large"),
            (25, "states.z.parameters.sin", "cannot name a number of a formula"),
            (25, "states.z.parameters.sin", "the rate does not use 'sin'"),
        ],
    ),
    "names in laws of states": (
        states(
            "i: {rate: -R*u + rate(B) + k.R, parameters: {R: 3}}",
            "current: {rate: curent + rate(i)}",
            "k: {rate: C + C.slid + rate(C.slide)}",
            more="loads: {L: {joint: A, amount: curren + rate(current) + i.R + i.S}}\n",
        ),
        [
            (8, "states.i.rate", "there is nothing called 'u'"),
            (8, "states.i.rate", "there is nothing called 'B'"),
            (8, "states.i.rate", "there is nothing called 'k.R'"),
            (9, "states.current.rate", "did you mean 'current'?"),
            (9, "states.current.rate", "the rate of the state 'i' cannot stand in a formula"),
            (10, "states.k.rate", "has several variables; say which: C.angle, C.slide"),
            (10, "states.k.rate", "has no variable 'slid'; did you mean 'C.slide'?"),
            (11, "loads.L.amount", "did you mean 'current'?"),
            (11, "loads.L.amount", "the rate of the state 'current' cannot stand in a formula"),
            (11, "loads.L.amount", "there is nothing called 'i.S'"),
        ],
    ),
    "what follows from a bad state is not told": (
        states(
            "i: {rate: -h}",
            "h: {rate: -k}",
            "k: {rate: 3*}",
            more="loads: {L: {joint: A, amount: 2*i}, M: {joint: A, amount: 2*k}}\n",
        ),
        [(10, "states.k.rate", "it breaks off or goes wrong")],
    ),
    "states that are no entries": (f"{HEAD}states: [1]\n", [(7, "states", "names with their entries are wanted")]),
}
