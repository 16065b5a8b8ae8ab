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
# Another dimension: linkwork motion {name}.yaml --set {first}=...
linkwork: 1
name: {called}
{planar}units: {{length: mm, angle: deg}}
gravity: {gravity}
"""
PLANE, SPACE = "[0, -9.81 m/s^2]", "[0, 0, -9.81 m/s^2]"


def _head(name: str, planar: bool, d: Mapping[str, float]) -> str:
    head = HEAD.format(
        name=name, called=_in_yaml(name), first=next(iter(d)), planar="planar: true\n" if planar else "",
        gravity=PLANE if planar else SPACE,
    )  # fmt: skip
    return head + "let:\n" + "".join(f"  {n}: {_n(x)}\n" for n, x in d.items())


def _in_yaml(name: str) -> str:
    """A name as YAML has it: what would be read as something else stands in quotes."""
    import yaml

    return name if yaml.safe_load(name) == name else f'"{name}"'


def _n(x: float) -> str:
    return f"{round(x, 6) + 0.0:.10g}"


def _four_bar(name: str, d: Mapping[str, float]) -> str:
    """The crank at 60 degrees, or as near to it as the lengths allow; the coupler on the upper side."""
    base, crank, coupler, rocker = (d[k] for k in ("base", "crank", "coupler", "rocker"))
    longest, shortest = max(d.values()), min(d.values())
    if 2.0 * longest >= sum(d.values()):
        which = next(k for k, x in d.items() if x == longest)
        raise InputError(
            Problem("the four lengths close no loop", which, "make the longest shorter than the other three together")
        )
    low, high = (base**2 + crank**2 - e**2 for e in (coupler + rocker, abs(coupler - rocker)))
    cosine = min(max(math.cos(math.radians(60.0)), low / (2 * base * crank) + 1e-3), high / (2 * base * crank) - 1e-3)
    tilt = math.degrees(math.acos(min(1.0, max(-1.0, cosine))))
    turns = 2.0 * (longest + shortest) < sum(d.values()) and min(base, crank) == shortest
    turn = """\
  turn: {drive: {A: "0:360 @ 60 rpm"}, description: one turn of the crank in a second}
"""
    return f"""{_head(name, True, d)}\
  tilt: {{value: {_n(tilt)}, description: angle of the crank in the drawing}}
  reach: sqrt(base**2 + crank**2 - 2*base*crank*cos(tilt))
  lean: acos((coupler**2 + reach**2 - rocker**2)/(2*coupler*reach)) - atan2(crank*sin(tilt), base - crank*cos(tilt))
# Everything is given where it is in this one posture, the drawing: x to the right, y up, towards you.
places:
  A: [0, 0]
  B: [crank*cos(tilt), crank*sin(tilt)]
  C: [crank*cos(tilt) + coupler*cos(lean), crank*sin(tilt) + coupler*sin(lean)]
  D: [base, 0]
bodies:
  crank:   {{mass: 200 g, bar: [A, B]}}
  coupler: {{mass: 500 g, bar: [B, C]}}
  rocker:  {{mass: 300 g, bar: [D, C]}}
joints:
  A: {{revolute: [ground, crank], at: A}}
  B: {{revolute: [crank, coupler], at: B}}
  C: {{revolute: [coupler, rocker], at: C}}
  D: {{revolute: [ground, rocker], at: D}}
points:
  P:
    on: coupler
    at:
      - crank*cos(tilt) + 0.5*coupler*cos(lean) - 0.2*coupler*sin(lean)
      - crank*sin(tilt) + 0.5*coupler*sin(lean) + 0.2*coupler*cos(lean)
cases:
{turn if turns else ""}\
  fall: {{until: 1 s, description: let go without a drive}}
"""


def _slider_crank(name: str, d: Mapping[str, float]) -> str:
    if d["rod"] <= d["crank"]:
        raise InputError(Problem("the rod is not longer than the crank", "rod", "the crank could not turn"))
    return f"""{_head(name, True, d)}\
  tilt: {{value: 60, description: angle of the crank in the drawing}}
  slide: crank*cos(tilt) + sqrt(rod**2 - (crank*sin(tilt))**2)
# Everything is given where it is in this one posture, the drawing: x to the right, y up, towards you.
places:
  A: [0, 0]
  B: [crank*cos(tilt), crank*sin(tilt)]
  C: [slide, 0]
bodies:
  crank:  {{mass: 400 g, bar: [A, B]}}
  rod:    {{mass: 500 g, bar: [B, C]}}
  piston: {{mass: 600 g, com: C, inertia: 200}}
joints:
  A: {{revolute: [ground, crank], at: A}}
  B: {{revolute: [crank, rod], at: B}}
  C: {{revolute: [rod, piston], at: C}}
  D: {{prismatic: [ground, piston], at: C, axis: x}}
points:
  P: {{on: rod, at: [(crank*cos(tilt) + slide)/2, crank*sin(tilt)/2]}}
cases:
  turn: {{drive: {{A: "0:360 @ 600 rpm"}}, description: one turn at speed}}
  fall: {{until: 1 s, description: let go without a drive}}
"""


def _pendulum(name: str, d: Mapping[str, float]) -> str:
    return f"""{_head(name, True, d)}\
# Two rods that hang from a pin. Let go of them: linkwork simulate {name}.yaml --case fall --plot P
places: {{A: [0, 0], B: [0, -first], C: [0, -first - second]}}
bodies:
  first:  {{mass: 1 kg, bar: [A, B]}}
  second: {{mass: 1 kg, bar: [B, C]}}
joints:
  A: {{revolute: [ground, first], at: A}}
  B: {{revolute: [first, second], at: B}}
points:
  P: {{on: second, at: C}}
cases:
  fall: {{start: {{A: 90, B: 0}}, until: 5 s, description: let go from the side}}
  swing: {{start: {{A: 10, B: 0}}, until: 5 s, description: let go from nearly below}}
"""


def _arm(name: str, d: Mapping[str, float]) -> str:
    return f"""{_head(name, False, d)}\
# An arm of three turning joints, stretched out along x. z is up.
bodies:
  column: {{mass: 4 kg, com: [0, 0, base/2]}}
  upper:  {{mass: 2 kg, com: [upper/2, 0, base]}}
  fore:   {{mass: 1 kg, com: [upper + fore/2, 0, base]}}
joints:
  waist:    {{revolute: [ground, column], at: [0, 0, 0], axis: z}}
  shoulder: {{revolute: [column, upper],  at: [0, 0, base], axis: -y}}
  elbow:    {{revolute: [upper, fore],    at: [upper, 0, base], axis: -y}}
points:
  tip: {{on: fore, at: [upper + fore, 0, base]}}
cases:
  lift: {{drive: {{shoulder: "345(0, 60 deg, 1 s)", elbow: "345(0, -40 deg, 1 s)"}}, description: a smooth lift}}
  load: {{external: {{tip: [0, 0, -50 N]}}, description: a weight at the tip}}
"""


def _rssr(name: str, d: Mapping[str, float]) -> str:
    crank, rocker, rod, apart = d["crank"], d["rocker"], d["rod"], d["apart"]
    # The crank turns about z at the origin, the rocker about x; the rod between two balls closes the loop.
    need = rod**2 - apart**2
    cosine = (rocker**2 + crank**2 - need) / (2.0 * rocker * crank)
    if need <= 0.0 or abs(cosine) >= 1.0:
        ends = (_n(math.hypot(apart, abs(rocker - crank))), _n(math.hypot(apart, rocker + crank)))
        hint = f"with these, one from {ends[0]} to {ends[1]} mm"
        raise InputError(Problem(f"a rod of {rod:g} mm does not reach", "rod", hint))
    return f"""{_head(name, False, d)}\
  tilt: acos((rocker**2 + crank**2 - rod**2 + apart**2)/(2*rocker*crank))
# A crank about z, a rocker about x, and a rod with a ball at each end. z is up.
places:
  A: [0, 0, 0]
  B: [0, crank, 0]
  C: [apart, rocker*cos(tilt), rocker*sin(tilt)]
  D: [apart, 0, 0]
bodies:
  crank:  {{mass: 300 g, bar: [A, B]}}
  rod:    {{mass: 200 g, bar: [B, C]}}
  rocker: {{mass: 400 g, bar: [D, C]}}
joints:
  A: {{revolute: [ground, crank],  at: A, axis: z}}
  B: {{spheric: [crank, rod],      at: B}}
  C: {{spheric: [rod, rocker],     at: C}}
  D: {{revolute: [ground, rocker], at: D, axis: x}}
points:
  P: {{on: rod, at: [apart/2, (crank + rocker*cos(tilt))/2, rocker*sin(tilt)/2]}}
"""


def _link(name: str, d: Mapping[str, float]) -> str:
    return f"""{_head(name, True, d)}\
# One link on a pin: add bodies and joints. Everything is given where it is in this one posture, the drawing.
bodies:
  link: {{mass: 1 kg, com: [length/2, 0]}}
joints:
  A: {{revolute: [ground, link], at: [0, 0]}}
points:
  P: {{on: link, at: [length, 0]}}
cases:
  fall: {{until: 1 s, description: let go from the drawing}}
"""


def _floating(name: str, d: Mapping[str, float]) -> str:
    return f"""{_head(name, False, d)}\
# One body on a ball: add bodies and joints. Everything is given where it is in this one posture, the drawing.
bodies:
  body: {{mass: 1 kg, com: [0, 0, -length/2]}}
joints:
  S: {{spheric: [ground, body], at: [0, 0, 0]}}
points:
  P: {{on: body, at: [0, 0, -length]}}
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
