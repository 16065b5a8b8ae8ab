"""New model files: small machines whose dimensions are asked for, written as a person would write them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from linkwork.errors import InputError, Problem
from linkwork.names import no_such


@dataclass(frozen=True)
class Template:
    """A machine to start from.

    name, sentence : what it is; planar : whether it moves in a plane
    dimensions : what is asked for by name, [mm], with the value that stands where nothing is said
    write : gives the file from a name and the dimensions
    """

    name: str
    sentence: str
    planar: bool
    dimensions: Mapping[str, float]
    write: Callable[[str, Mapping[str, float]], str]


def template(name: str) -> Template:
    """A template by its name."""
    if name not in TEMPLATES:
        raise InputError(no_such("template", name, TEMPLATES, "template"))
    return TEMPLATES[name]


def new_text(own: Template, name: str, given: Mapping[str, float]) -> str:
    """The file of a machine.

    own : the template; name : of the machine; given : dimensions by name [mm]; the others are those of the template
    """
    problems = [no_such("dimension", n, own.dimensions, own.name) for n in given if n not in own.dimensions]
    wrong = [n for n, x in given.items() if n in own.dimensions and not (math.isfinite(x) and x > 0.0)]
    problems += [Problem(f"a length of {given[n]:g} mm", n, "give one above zero") for n in wrong]
    if problems:
        raise InputError(problems, own.name)
    return own.write(name, {**own.dimensions, **given})


HEAD = """\
# Made by `linkwork new`. Look at it: linkwork view {name}.yaml; check it after each change: linkwork check {name}.yaml
linkwork: 1
name: {name}
units: {{length: mm, angle: deg}}
gravity: {gravity}
"""
PLANAR, SPATIAL = "[0, -9.81 m/s^2, 0]", "[0, 0, -9.81 m/s^2]"


def _head(name: str, planar: bool) -> str:
    return HEAD.format(name=name, gravity=PLANAR if planar else SPATIAL)


def _n(x: float) -> str:
    return f"{round(x, 6) + 0.0:.10g}"


def _at(x: float, y: float, z: float = 0.0) -> str:
    return f"[{_n(x)}, {_n(y)}, {_n(z)}]"


def _four_bar(name: str, d: Mapping[str, float]) -> str:
    """The crank at 60 degrees, or as near to it as the lengths allow; the coupler on the upper side."""
    base, crank, coupler, rocker = (d[k] for k in ("base", "crank", "coupler", "rocker"))
    longest = max(d.values())
    if 2.0 * longest >= sum(d.values()):
        which = next(k for k, x in d.items() if x == longest)
        raise InputError(
            Problem("the four lengths close no loop", which, "make the longest shorter than the other three together")
        )
    low, high = (base**2 + crank**2 - e**2 for e in (coupler + rocker, abs(coupler - rocker)))
    cosine = min(max(math.cos(math.radians(60.0)), low / (2 * base * crank) + 1e-3), high / (2 * base * crank) - 1e-3)
    angle = math.acos(min(1.0, max(-1.0, cosine)))
    bx, by = crank * math.cos(angle), crank * math.sin(angle)
    far = math.hypot(base - bx, by)
    along = (coupler**2 - rocker**2 + far**2) / (2.0 * far)
    off = math.sqrt(max(coupler**2 - along**2, 0.0))
    ux, uy = (base - bx) / far, -by / far
    cx, cy = bx + along * ux - off * uy, by + along * uy + off * ux
    return f"""{_head(name, True)}
# Everything is given where it is in this one posture, the drawing: x to the right, y up, z towards you.
bodies:
  crank:   {{mass: 200 g}}
  coupler: {{mass: 500 g}}
  rocker:  {{mass: 300 g}}
joints:
  A: {{revolute: [ground, crank],   at: {_at(0, 0)}, axis: z}}
  B: {{revolute: [crank, coupler],  at: {_at(bx, by)}, axis: z}}
  C: {{revolute: [coupler, rocker], at: {_at(cx, cy)}, axis: z}}
  D: {{revolute: [ground, rocker],  at: {_at(base, 0)}, axis: z}}
points:
  P: {{on: coupler, at: {_at((bx + cx) / 2 - off * 0.2 * uy, (by + cy) / 2 + off * 0.2 * ux)}}}
"""


def _slider_crank(name: str, d: Mapping[str, float]) -> str:
    crank, rod = d["crank"], d["rod"]
    if rod <= crank:
        raise InputError(Problem("the rod is not longer than the crank", "rod", "the crank could not turn"))
    bx, by = crank * math.cos(math.radians(60.0)), crank * math.sin(math.radians(60.0))
    slide = bx + math.sqrt(rod**2 - by**2)
    return f"""{_head(name, True)}
# Everything is given where it is in this one posture, the drawing: x to the right, y up, z towards you.
bodies:
  crank:  {{mass: 400 g}}
  rod:    {{mass: 500 g}}
  piston: {{mass: 600 g}}
joints:
  A: {{revolute: [ground, crank],   at: {_at(0, 0)}, axis: z}}
  B: {{revolute: [crank, rod],      at: {_at(bx, by)}, axis: z}}
  C: {{revolute: [rod, piston],     at: {_at(slide, 0)}, axis: z}}
  D: {{prismatic: [ground, piston], at: {_at(slide, 0)}, axis: x}}
points:
  P: {{on: rod, at: {_at((bx + slide) / 2, by / 2)}}}
"""


def _pendulum(name: str, d: Mapping[str, float]) -> str:
    one, two = d["first"], d["second"]
    return f"""{_head(name, True)}
# Two rods that hang from a pin. Let go of them: linkwork simulate {name}.yaml --until 5s --start A=90deg --plot P
bodies:
  first:  {{mass: 1 kg, com: {_at(0, -one / 2)}}}
  second: {{mass: 1 kg, com: {_at(0, -one - two / 2)}}}
joints:
  A: {{revolute: [ground, first],  at: {_at(0, 0)}, axis: z}}
  B: {{revolute: [first, second],  at: {_at(0, -one)}, axis: z}}
points:
  P: {{on: second, at: {_at(0, -one - two)}}}
"""


def _arm(name: str, d: Mapping[str, float]) -> str:
    base, upper, fore = d["base"], d["upper"], d["fore"]
    return f"""{_head(name, False)}
# An arm of three turning joints, stretched out along x. z is up.
bodies:
  column: {{mass: 4 kg, com: {_at(0, 0, base / 2)}}}
  upper:  {{mass: 2 kg, com: {_at(upper / 2, 0, base)}}}
  fore:   {{mass: 1 kg, com: {_at(upper + fore / 2, 0, base)}}}
joints:
  waist:    {{revolute: [ground, column], at: {_at(0, 0)}, axis: z}}
  shoulder: {{revolute: [column, upper],  at: {_at(0, 0, base)}, axis: -y}}
  elbow:    {{revolute: [upper, fore],    at: {_at(upper, 0, base)}, axis: -y}}
points:
  tip: {{on: fore, at: {_at(upper + fore, 0, base)}}}
"""


def _rssr(name: str, d: Mapping[str, float]) -> str:
    crank, rocker, rod, apart = d["crank"], d["rocker"], d["rod"], d["apart"]
    # The crank turns about z at the origin, the rocker about x; the rod between two balls closes the loop.
    bx, by = 0.0, crank
    need = rod**2 - (apart - bx) ** 2
    reach = rocker**2 + by**2
    cosine = (reach - need) / (2.0 * rocker * by) if by else 0.0
    if need <= 0.0 or abs(cosine) >= 1.0:
        hint = (
            f"with these, one from {_n(math.hypot(apart, abs(rocker - by)))} to {_n(math.hypot(apart, rocker + by))} mm"
        )
        raise InputError(Problem(f"a rod of {rod:g} mm does not reach", "rod", hint))
    cy, cz = rocker * cosine, rocker * math.sqrt(1.0 - cosine**2)
    return f"""{_head(name, False)}
# A crank about z, a rocker about x, and a rod with a ball at each end. z is up.
bodies:
  crank:  {{mass: 300 g}}
  rod:    {{mass: 200 g}}
  rocker: {{mass: 400 g}}
joints:
  A: {{revolute: [ground, crank],  at: {_at(0, 0)}, axis: z}}
  B: {{spheric: [crank, rod],      at: {_at(bx, by)}}}
  C: {{spheric: [rod, rocker],     at: {_at(apart, cy, cz)}}}
  D: {{revolute: [ground, rocker], at: {_at(apart, 0)}, axis: x}}
points:
  P: {{on: rod, at: {_at((bx + apart) / 2, (by + cy) / 2, cz / 2)}}}
"""


def _link(name: str, d: Mapping[str, float]) -> str:
    return f"""{_head(name, True)}
# One link on a pin: add bodies and joints. Everything is given where it is in this one posture, the drawing.
bodies:
  link: {{mass: 1 kg, com: {_at(d["length"] / 2, 0)}}}
joints:
  A: {{revolute: [ground, link], at: {_at(0, 0)}, axis: z}}
points:
  P: {{on: link, at: {_at(d["length"], 0)}}}
"""


def _floating(name: str, d: Mapping[str, float]) -> str:
    return f"""{_head(name, False)}
# One body on a ball: add bodies and joints. Everything is given where it is in this one posture, the drawing.
bodies:
  body: {{mass: 1 kg, com: {_at(0, 0, -d["length"] / 2)}}}
joints:
  S: {{spheric: [ground, body], at: {_at(0, 0)}}}
points:
  P: {{on: body, at: {_at(0, 0, -d["length"])}}}
"""


TEMPLATES = {
    own.name: own
    for own in (
        Template("four-bar", "a crank that turns, a coupler, a rocker", True,
                 {"base": 200.0, "crank": 60.0, "coupler": 180.0, "rocker": 120.0}, _four_bar),
        Template("slider-crank", "a crank, a rod, a piston", True, {"crank": 50.0, "rod": 160.0}, _slider_crank),
        Template("pendulum", "two rods that hang from a pin", True, {"first": 300.0, "second": 200.0}, _pendulum),
        Template("link", "one link on a pin, to go on from", True, {"length": 100.0}, _link),
        Template("arm", "an arm of three turning joints", False,
                 {"base": 300.0, "upper": 400.0, "fore": 300.0}, _arm),
        Template("rssr", "a crank and a rocker about crossed axes, a rod with two balls", False,
                 {"crank": 40.0, "rod": 200.0, "rocker": 120.0, "apart": 150.0}, _rssr),
        Template("ball", "one body on a ball, to go on from", False, {"length": 100.0}, _floating),
    )
}  # fmt: skip
