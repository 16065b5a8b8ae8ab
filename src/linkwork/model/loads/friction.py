"""Dry and viscous friction in a joint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from linkwork.errors import Problem
from linkwork.model.amounts import Amount
from linkwork.model.loads.load import (
    Acts,
    AlongVariable,
    Choice,
    Levels,
    Load,
    Much,
    Number,
    OnJoint,
    Section,
    of_damping,
    of_effort,
    of_rate,
)
from linkwork.model.loads.load_makers import started
from linkwork.model.variables import JointVariable, Owner
from linkwork.units import ANGLE, FORCE, LENGTH, NUMBER

FORMS = ("smooth", "exact")


@dataclass(frozen=True)
class Friction(Load):
    """Dry and viscous friction in a joint: it opposes the rate r of a variable.

    force = -level sign(r) - viscous r,   level = forward for r > 0, backward for r < 0

    form : "smooth": sign(r) becomes tanh(r / speed); "exact": at rest it holds with up to `static` times the level
    forward, backward [N, N m] : levels; with a coefficient they are coefficient · radius · |normal| instead
    normal : normal force [N] that a coefficient needs; radius [m] : lever of the friction force, 1 for slides
    """

    name: str
    variable: str
    forward: float = 0.0
    backward: float = 0.0
    static: float = 1.0
    viscous: float = 0.0
    speed: float = 1e-3
    form: Literal["smooth", "exact"] = "smooth"
    coefficient: float = 0.0
    radius: float = 1.0
    normal: Amount | None = None
    description: str = ""

    sections = (Section("friction", "friction", "Friction in a joint: -level sign(rate) - viscous rate."),)
    keys = (
        OnJoint(),
        Levels("level", of_effort, fields=("forward", "backward")),
        Number("static", NUMBER, least=1.0),
        Number("viscous", of_damping, least=0.0),
        Number("speed", of_rate, positive=True),
        Choice("form", FORMS),
        Number("coefficient", NUMBER, least=0.0),
        Number("radius", LENGTH, positive=True),
        Much("normal", FORCE, word="normal"),
    )
    shown = ("form", "static", "coefficient", "radius", "level", "normal", "viscous")
    magnitude = "friction"

    @property
    def acts(self) -> Acts:
        return AlongVariable(self.variable)

    def idle(self) -> str:
        return "" if self.forward or self.backward or self.viscous or self.coefficient else "its levels are zero"

    def concerns(self, along: JointVariable | None) -> Iterator[Problem]:
        if self.coefficient and along is not None:
            if along.quantity == LENGTH and self.radius != 1.0:
                yield Problem("a slide has no radius", "radius", "leave it out")
            if along.quantity == ANGLE and self.radius == 1.0:
                hint = "give the radius of the pin"
                yield Problem("the lever of the friction is 1 m", hint=hint, severity="warning")
        if self.form == "smooth" and self.static != 1.0 and not self.idle():
            hint = "write form: exact, or leave `static` out"
            yield Problem("`static` is not used by smooth friction", hint=hint, severity="warning")

    @classmethod
    def made(
        cls,
        joints: Mapping[str, Owner],
        name: Any,
        joint: Any,
        level: Any,
        static: Any,
        viscous: Any,
        speed: Any,
        form: Any,
        coefficient: Any,
        radius: Any,
        normal: Any,
        description: str,
    ) -> Friction:
        """Friction in a joint with every number checked."""
        part = started("friction", name, cls)
        along = part.variable(joints, joint)
        forward, backward = part.pair(level, "level")
        held = part.number(static, "static")
        drag = part.number(viscous, "viscous")
        smoothing = part.number(speed, "speed")
        if form not in FORMS:
            part.wrong(f"{form!r} is not a form of friction", "form", "write smooth or exact")
        ratio = part.number(coefficient, "coefficient")
        lever = 1.0 if radius is None else part.number(radius, "radius")
        pressing = None if normal is None else part.amount(normal, "normal")
        if ratio and normal is None:
            part.wrong("friction without a normal force", "coefficient", "give `normal`, or `level` instead")
        if ratio and (forward or backward):
            part.wrong("a level besides a coefficient", "level", "keep one of them")
        if not ratio and (normal is not None or radius is not None):
            lost = "normal" if normal is not None else "radius"
            part.wrong(f"a {lost} without a coefficient", lost, "give `coefficient`, or leave it out")
        part.done()
        assert along is not None
        return Friction(
            name, along, forward, backward, held, drag, smoothing, form, ratio, lever, pressing, str(description)
        )
