"""What every file of a robot says, whatever its format: links, joints, relations between joints, frames.

Names are those of the file; `build` makes them names of a mechanism. Places are relative to links, in the layout.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from linkwork.model.bodies import Inertia
from linkwork.model.placement import HERE, Placement
from linkwork.model.solids import Shape
from linkwork.model.vectors import ZERO, Vector

WORLD = "world"


@dataclass
class Link:
    """A body: where its frame is in that of another link (`place.within`), what it weighs, how it looks.

    Mass properties that no real body has are taken, with a warning.
    """

    name: str
    place: Placement = HERE
    mass: float | None = None
    com: Vector = ZERO
    inertia: Inertia | None = None
    looks: list[Shape] = field(default_factory=list)
    colour: str = ""
    line: int = 0


@dataclass
class Hinge:
    """A joint of any kind from `tail` to `head`, with what acts in it.

    kind : as `KINDS` of the model calls it; lead : of a screw [m]
    frame : w is the axis; to : where the frame on the head is another; value : of its variables in the layout
    limits, effort [N m, N], speed [rad/s, m/s] : of a single variable; None where there is none
    damping, friction, stiffness, rest (value without tension), rotor (inertia along the variable) : likewise
    tuned : time constant [s] and damping ratio of a spring for the mass that it carries in the layout
    """

    name: str
    kind: str
    tail: str
    head: str
    frame: Placement = HERE
    to: Placement | None = None
    value: tuple[float, ...] | None = None
    limits: tuple[float | None, float | None] | None = None
    effort: float | None = None
    speed: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    rotor: float = 0.0
    lead: float = 0.0
    tuned: tuple[float, float] | None = None
    line: int = 0


@dataclass
class Relation:
    """Variables of joints that belong together: `law` has {0}, {1}, ... for `joints`.

    follower : the joint whose variable the law gives; "" where the law is zero
    """

    name: str
    law: str
    joints: tuple[str, ...]
    follower: str = ""
    line: int = 0


@dataclass
class SamePlace:
    """Two places of two links that stay at one point."""

    name: str
    first: str
    second: str
    line: int = 0


@dataclass
class Mark:
    """A frame on a link."""

    name: str
    link: str
    place: Placement
    line: int = 0


@dataclass
class Robot:
    """A machine as its file says it; `ground` is the link that stands still."""

    name: str
    ground: str
    gravity: Vector = (0.0, 0.0, -9.81)
    description: str = ""
    links: dict[str, Link] = field(default_factory=dict)
    hinges: dict[str, Hinge] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)
    same: list[SamePlace] = field(default_factory=list)
    marks: dict[str, Mark] = field(default_factory=dict)
