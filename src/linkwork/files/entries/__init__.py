"""The entries of a model file, one class each: what may be written, and how it becomes part of a Mechanism.

The same classes check a file, tell editors what is allowed (JSON Schema), and build the model.
"""

from linkwork.files.entries.amounts import AmountText, read_amount
from linkwork.files.entries.base import Entry, Gather, Switch, Text
from linkwork.files.entries.bodies import BodyEntry, InertiaEntry, LookEntry, SolidEntry, inertia_form
from linkwork.files.entries.constraints import CONSTRAINTS
from linkwork.files.entries.inner import INNER
from linkwork.files.entries.joints import JOINTS, variable_limits, variable_values
from linkwork.files.entries.loads import LOADS, LoadEntry
from linkwork.files.entries.parts import ChainEntry, CurveEntry, FrameEntry, PointEntry, RowEntry
from linkwork.files.entries.placements import PlacementEntry, point_as_placement
from linkwork.files.entries.states import StateEntry, state_dimensions

__all__ = [
    "CONSTRAINTS",
    "INNER",
    "JOINTS",
    "LOADS",
    "AmountText",
    "BodyEntry",
    "ChainEntry",
    "CurveEntry",
    "Entry",
    "FrameEntry",
    "Gather",
    "InertiaEntry",
    "LoadEntry",
    "LookEntry",
    "PlacementEntry",
    "PointEntry",
    "RowEntry",
    "SolidEntry",
    "StateEntry",
    "Switch",
    "Text",
    "inertia_form",
    "point_as_placement",
    "read_amount",
    "state_dimensions",
    "variable_limits",
    "variable_values",
]
