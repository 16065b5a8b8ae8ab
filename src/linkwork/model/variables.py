"""Variables by name: `C.slide`, or `A` alone where their owner, a joint or a freedom of a body, has a single one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from linkwork.errors import Problem
from linkwork.model.inner import Inner
from linkwork.model.joints import Law, Variable
from linkwork.model.joints.lower_pairs import QUATERNION
from linkwork.model.parts import Joint
from linkwork.names import Name, NameBook, joint_names
from linkwork.units import LENGTH, TORQUE, Dimension

Owner = Joint | Inner
"""What has variables: a joint, a freedom inside a body."""


@dataclass(frozen=True)
class JointVariable:
    """A variable that a load can act along: one with a rate of its own."""

    owner: Owner
    variable: Variable
    index: int

    @property
    def name(self) -> str:
        """Its full name, such as `A.angle`."""
        return f"{self.owner.name}.{self.variable.name}"

    @property
    def quantity(self) -> Dimension:
        """What it measures."""
        return self.variable.quantity

    @property
    def effort(self) -> Dimension:
        """What acts along it: a force along a length, a torque about an angle, an energy along a plain number."""
        return TORQUE if self.quantity != LENGTH else TORQUE / LENGTH


def plain_variables(law: Law) -> tuple[Variable, ...]:
    """The variables with a rate of their own; the four parts of a quaternion have none."""
    return tuple(v for v in law.variables if v not in QUATERNION)


def find_variable(joints: Mapping[str, Owner], called: str) -> JointVariable | None:
    """The variable of this name, or the single variable of the joint of this name."""
    concerned = [name for name in (called, called.rpartition(".")[0]) if name in joints]
    found = NameBook(names_of_joints({name: joints[name] for name in concerned})).find(called, "variable")
    if found is None:
        return None
    joint = joints[found.owner]
    index = [f"{joint.name}.{v.name}" for v in joint.law.variables].index(found.name)
    return JointVariable(joint, joint.law.variables[index], index)


def full_name(joints: Mapping[str, Owner], called: str) -> str:
    """`A.angle` for `A`; the name itself where no such joint is known, or where it has not one variable."""
    found = find_variable(joints, called)
    return called if found is None else found.name


def names_of_joints(joints: Mapping[str, Owner]) -> list[Name]:
    """Joints and their variables, for the book of names."""
    return joint_names(
        {
            name: (joint.law.kind, [v.name for v in joint.law.variables], len(plain_variables(joint.law)))
            for name, joint in joints.items()
        }
    )


def no_variable(joints: Mapping[str, Owner], called: str, where: str, suggest: bool = True) -> Problem:
    """The problem of a name that is no variable: of a joint with several, of one without, or of nothing."""
    instead = "it turns freely in space; act between points, or with a torque on the body"
    book = NameBook(names_of_joints(joints))
    return book.unknown(called, "variable", where=where, suggest=suggest, instead=instead)
