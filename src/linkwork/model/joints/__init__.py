"""The joint kinds, by name. A new kind is one new class with one short function and what it declares about itself."""

from linkwork.model.joints.cams import LineOnCurve, PointOnCurve
from linkwork.model.joints.contacts import OnCurve, OnSurface
from linkwork.model.joints.gears import Bevel, Gear, Rack
from linkwork.model.joints.law import Law, Variable, a_joint, misfit, transform
from linkwork.model.joints.lower_pairs import (
    Cylindric,
    Flat,
    Free,
    Helical,
    Prismatic,
    Revolute,
    Rigid,
    Spheric,
    Universal,
)

KINDS: dict[str, type[Law]] = {
    law.kind: law
    for law in (
        Revolute,
        Prismatic,
        Helical,
        Cylindric,
        Spheric,
        Flat,
        Universal,
        Rigid,
        Free,
        Gear,
        Rack,
        Bevel,
        PointOnCurve,
        LineOnCurve,
        OnSurface,
        OnCurve,
    )
}

__all__ = [
    "KINDS",
    "Bevel",
    "Cylindric",
    "Flat",
    "Free",
    "Gear",
    "Helical",
    "Law",
    "LineOnCurve",
    "OnCurve",
    "OnSurface",
    "PointOnCurve",
    "Prismatic",
    "Rack",
    "Revolute",
    "Rigid",
    "Spheric",
    "Universal",
    "Variable",
    "a_joint",
    "misfit",
    "transform",
]
