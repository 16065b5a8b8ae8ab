"""What acts on a machine besides gravity: springs, dampers, friction, motors, forces and torques. Plain records, SI.

Joints are named by their variable (`A.angle`); points, bodies and joints by their names in the mechanism. A new kind is
one module here, and one in `equations/load_kinds/`.
"""

from linkwork.model.loads.directions import Direction, InSpace, OnBody, Toward
from linkwork.model.loads.force import Force
from linkwork.model.loads.friction import Friction
from linkwork.model.loads.joint_load import JointLoad
from linkwork.model.loads.load import Load
from linkwork.model.loads.motor import Motor
from linkwork.model.loads.spring import Spring
from linkwork.model.loads.torque import Torque

KINDS: tuple[type[Load], ...] = (Spring, Friction, Motor, Force, Torque, JointLoad)
"""All kinds, in the order of their sections in model files."""

__all__ = [
    "KINDS",
    "Direction",
    "Force",
    "Friction",
    "InSpace",
    "JointLoad",
    "Load",
    "Motor",
    "OnBody",
    "Spring",
    "Torque",
    "Toward",
]
