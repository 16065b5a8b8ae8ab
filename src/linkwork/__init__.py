"""Linkwork: mechanisms, robots and multibody systems. One model, every analysis.

>>> import linkwork as lw
>>> m = lw.example("slider-crank")
>>> print(lw.check(m).summary())
4 bodies, 4 joints, 1 loop, mobility 1, 3 redundant constraints
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from linkwork._version import __version__

if TYPE_CHECKING:
    from linkwork import geometry, topology, units
    from linkwork.analyses.check import Check, check
    from linkwork.errors import LinkworkError, MissingExtra, ModelError, Problem
    from linkwork.files.gallery import example, examples
    from linkwork.files.mesh import read_mesh
    from linkwork.files.read import load, loads
    from linkwork.files.schema import json_schema
    from linkwork.files.write import dumps, save
    from linkwork.kernels import Kernel
    from linkwork.model.bodies import Inertia, inertia
    from linkwork.model.layout import Layout, lay_out
    from linkwork.model.mechanism import JointOptions, Mechanism
    from linkwork.model.placement import Placement, placement
    from linkwork.model.solids import Box, Cone, Cylinder, RingSector, Sphere, Tube
    from linkwork.system import Derivative, EvaluationOptions, System
    from linkwork.topology import graph_of
    from linkwork.views.draw import draw_layout
    from linkwork.views.graph import draw_graph, text_tree

# Each public name and the module it comes from; modules are imported when first asked for.
_HOME = {
    "Check": "analyses.check",
    "check": "analyses.check",
    "graph_of": "topology",
    "LinkworkError": "errors",
    "MissingExtra": "errors",
    "ModelError": "errors",
    "Problem": "errors",
    "example": "files.gallery",
    "examples": "files.gallery",
    "read_mesh": "files.mesh",
    "load": "files.read",
    "loads": "files.read",
    "json_schema": "files.schema",
    "dumps": "files.write",
    "save": "files.write",
    "Inertia": "model.bodies",
    "inertia": "model.bodies",
    "Layout": "model.layout",
    "lay_out": "model.layout",
    "JointOptions": "model.mechanism",
    "Mechanism": "model.mechanism",
    "Placement": "model.placement",
    "placement": "model.placement",
    "Box": "model.solids",
    "Cone": "model.solids",
    "Cylinder": "model.solids",
    "RingSector": "model.solids",
    "Sphere": "model.solids",
    "Tube": "model.solids",
    "Kernel": "kernels",
    "Derivative": "system",
    "EvaluationOptions": "system",
    "System": "system",
    "draw_layout": "views.draw",
    "draw_graph": "views.graph",
    "text_tree": "views.graph",
}
_MODULES = ("geometry", "units", "topology")

__all__ = [
    "Box",
    "Check",
    "Cone",
    "Cylinder",
    "Derivative",
    "EvaluationOptions",
    "Inertia",
    "JointOptions",
    "Kernel",
    "Layout",
    "LinkworkError",
    "Mechanism",
    "MissingExtra",
    "ModelError",
    "Placement",
    "Problem",
    "RingSector",
    "Sphere",
    "System",
    "Tube",
    "__version__",
    "check",
    "draw_graph",
    "draw_layout",
    "dumps",
    "example",
    "examples",
    "geometry",
    "graph_of",
    "inertia",
    "json_schema",
    "lay_out",
    "load",
    "loads",
    "placement",
    "read_mesh",
    "save",
    "text_tree",
    "topology",
    "units",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"linkwork.{_HOME[name]}"), name)
    if name in _MODULES:
        return importlib.import_module(f"linkwork.{name}")
    raise AttributeError(f"module 'linkwork' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
