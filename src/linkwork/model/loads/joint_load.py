"""Forces and torques along joint variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from linkwork.model.amounts import Amount
from linkwork.model.loads.load import Acts, AlongVariable, Load, Much, OnJoint, Section, of_effort
from linkwork.model.loads.load_makers import started
from linkwork.model.variables import Owner


@dataclass(frozen=True)
class JointLoad(Load):
    """A force [N] or torque [N m] that acts with a joint variable: positive, it tends to increase it."""

    name: str
    variable: str
    amount: Amount
    description: str = ""

    sections = (
        Section("loads", "load", "A force or torque along a joint's variable: positive, it tends to increase it."),
    )
    keys = (OnJoint(), Much("amount", of_effort))
    magnitude = "effort"

    @property
    def acts(self) -> Acts:
        return AlongVariable(self.variable)

    @classmethod
    def made(cls, joints: Mapping[str, Owner], name: Any, joint: Any, size: Any, description: str) -> JointLoad:
        """A force or torque along a joint variable with every number checked."""
        part = started("loads", name, cls)
        along = part.variable(joints, joint)
        much = part.amount(size, "amount")
        part.done()
        assert along is not None
        return JointLoad(name, along, much, str(description))
