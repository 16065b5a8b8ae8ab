"""Motors that drive a joint through a gear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from linkwork.model.loads.load import Acts, AlongVariable, Levels, Load, Number, OnJoint, Scope, Section
from linkwork.model.loads.load_makers import started
from linkwork.model.variables import Owner
from linkwork.model.vectors import number
from linkwork.units import ANGLE, ANGULAR_SPEED, INERTIA, NUMBER, TORQUE, TORSIONAL_DAMPING, Dimension


def _of_ratio(scope: Scope) -> Dimension:
    return ANGLE / scope.quantity


@dataclass(frozen=True)
class Motor(Load):
    """A motor on a joint variable, through a gear: motor speed = ratio · rate.

    Its rotor resists with ratio² · rotor_inertia, its bearings with ratio² · damping · rate and |ratio| · friction.

    ratio : [1], or [rad/m] on a slide; may be negative
    rotor_inertia [kg m²], damping [N m s/rad], friction_forward, friction_backward [N m] : at the motor shaft;
        forward is where the joint variable grows
    efficiency : of the gear, 0 to 1
    stall [N m], no_load [rad/s] : ends of its straight torque-speed line; peak [N m] : torque that its current allows
    top_speed [rad/s] : that it must not exceed, whatever its torque
    """

    name: str
    variable: str
    ratio: float = 1.0
    rotor_inertia: float = 0.0
    damping: float = 0.0
    friction_forward: float = 0.0
    friction_backward: float = 0.0
    efficiency: float = 1.0
    stall: float | None = None
    no_load: float | None = None
    peak: float | None = None
    top_speed: float | None = None
    description: str = ""

    sections = (
        Section(
            "motors",
            "motor",
            "A motor that drives a joint through a gear; its numbers are those at its own shaft.",
        ),
    )
    keys = (
        OnJoint(),
        Number("ratio", _of_ratio, never_zero="a gear of ratio 0 moves nothing"),
        Number("rotor_inertia", INERTIA, word="inertia", least=0.0),
        Number("damping", TORSIONAL_DAMPING, least=0.0),
        Levels("friction", TORQUE, fields=("friction_forward", "friction_backward"), word="friction"),
        Number("efficiency", NUMBER),
        Number("stall", TORQUE, positive=True),
        Number("no_load", ANGULAR_SPEED, word="no load", positive=True),
        Number("peak", TORQUE, positive=True),
        Number("top_speed", ANGULAR_SPEED, word="top speed", positive=True),
    )
    shown = ("rotor_inertia", "damping", "stall", "no_load", "peak", "top_speed", "friction", "efficiency")
    magnitude = "drag"
    table = "motors"

    @property
    def acts(self) -> Acts:
        return AlongVariable(self.variable)

    def at_throttle(self, throttle: Any = 1.0) -> str:
        """Its torque-speed line as an effort of its joint, for `efforts` of simulations and amounts of loads.

        Parameters
        ----------
        throttle : part of its voltage, -1 to 1; a number, or a formula of t, variables, rates and states
        """
        from linkwork.model.motor_laws import throttle_law

        return throttle_law(self, throttle)

    def limited(self, wanted: Any) -> str:
        """An effort of its joint as far as the motor can give it, for `efforts` of simulations and amounts of loads.

        Parameters
        ----------
        wanted : effort [N m, N]; a number, or a formula of t, variables, rates and states
        """
        from linkwork.model.motor_laws import limited_law

        return limited_law(self, wanted)

    @classmethod
    def made(
        cls,
        joints: Mapping[str, Owner],
        name: Any,
        joint: Any,
        ratio: Any,
        rotor_inertia: Any,
        damping: Any,
        friction: Any,
        efficiency: Any,
        stall: Any,
        no_load: Any,
        peak: Any,
        top_speed: Any,
        description: str,
    ) -> Motor:
        """A motor with every number checked."""
        part = started("motors", name, cls)
        along = part.variable(joints, joint)
        gear = part(number, ratio, f"{part.where}.ratio")
        if gear == 0.0:
            part.wrong("the ratio is zero: it would not turn", "ratio", "give motor speed over joint speed")
        rotor = part.number(rotor_inertia, "rotor_inertia")
        drag = part.number(damping, "damping")
        forward, backward = part.pair(friction, "friction")
        gain = part(number, efficiency, f"{part.where}.efficiency")
        if gain is not None and not 0.0 < gain <= 1.0:
            part.wrong(f"the efficiency is {gain:g}", "efficiency", "write a number above 0, up to 1")
        ends = {"stall": stall, "no_load": no_load, "peak": peak, "top_speed": top_speed}
        limits = {key: None if value is None else part.number(value, key) for key, value in ends.items()}
        if (stall is None) != (no_load is None):
            alone = "stall" if no_load is None else "no_load"
            part.wrong(f"`{alone}` alone makes no line", hint="give stall and no_load")
        part.done()
        assert along is not None and gear is not None and gain is not None
        return Motor(name, along, gear, rotor, drag, forward, backward, gain, **limits, description=str(description))
