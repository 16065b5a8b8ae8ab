"""One module a kind of load: its plan and its rule, which says what it does to links and joints and with which power.

Uicker, Ravani, Sheth, Matrix Methods, sec. 9.6-9.11.
"""

from linkwork.equations.load_kinds.force import ForcePlan
from linkwork.equations.load_kinds.friction import FrictionPlan
from linkwork.equations.load_kinds.joint_load import PushPlan
from linkwork.equations.load_kinds.motor import MotorPlan
from linkwork.equations.load_kinds.plans import LoadPlan
from linkwork.equations.load_kinds.spring import SpringPlan
from linkwork.equations.load_kinds.torque import TorquePlan
from linkwork.model.loads import Load

PLANS: dict[type[Load], type[LoadPlan]] = {
    plan.record: plan
    for plan in (SpringPlan, FrictionPlan, MotorPlan, ForcePlan, TorquePlan, PushPlan)
    if plan.record is not None
}
"""The plan of each kind of load."""
