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
    from linkwork import drives, errors, geometry, results, topology, units
    from linkwork.analyses import strength
    from linkwork.analyses.check import Check, check
    from linkwork.analyses.equilibrium.equilibria import Equilibria
    from linkwork.analyses.equilibrium.equilibrium import Equilibrium, NoEquilibrium
    from linkwork.analyses.equilibrium.friction import FrictionShare, Interval
    from linkwork.analyses.equilibrium.paths import EquilibriumPath, PathMark
    from linkwork.analyses.equilibrium.stiffness import NothingResists, PlaceStiffness
    from linkwork.analyses.forces.accelerations import Accelerations
    from linkwork.analyses.forces.contact import ContactForce, contact_force
    from linkwork.analyses.forces.drives import TooFewDrives
    from linkwork.analyses.forces.flanks import forces_by_flank
    from linkwork.analyses.forces.statics import Reaction, Statics
    from linkwork.analyses.forces.teeth import ToothForces, tooth_forces
    from linkwork.analyses.kinematics.cam_profiles import CamProfile, cam_profile
    from linkwork.analyses.kinematics.closures import Closures
    from linkwork.analyses.kinematics.failures import (
        CannotClose,
        CannotReach,
        ClosureError,
        DeadCentre,
        LimitOfTravel,
        NoFreedom,
        OverSpecified,
        UnderSpecified,
    )
    from linkwork.analyses.kinematics.four_bars import FourBar
    from linkwork.analyses.kinematics.grashof import Grashof, Toggle, barker_types, grashof, spherical_grashof
    from linkwork.analyses.kinematics.maps import Map
    from linkwork.analyses.kinematics.motion import Sweep
    from linkwork.analyses.kinematics.posture import Posture
    from linkwork.analyses.kinematics.redundancy import Redundancy
    from linkwork.analyses.kinematics.screw_motion import (
        Axode,
        Centrodes,
        FiniteScrew,
        PoleMotion,
        ScrewMotion,
        finite_screw,
        relative_screw,
    )
    from linkwork.analyses.kinematics.slider_cranks import (
        InvertedSliderCrank,
        SliderCrank,
        inverted_slider_crank,
        slider_crank,
    )
    from linkwork.analyses.kinematics.transmission import (
        TransmissionAngle,
        TransmissionExtremes,
        slider_transmission_extremes,
        transmission_extremes,
    )
    from linkwork.analyses.kinematics.travel import Stroke, Travel
    from linkwork.analyses.linear.along import LinearizationAlong
    from linkwork.analyses.linear.first_order import Massless
    from linkwork.analyses.linear.frequency import FrequencyResponse
    from linkwork.analyses.linear.linearization import Linearization, Matrices
    from linkwork.analyses.linear.loci import Crossing, Locus, StabilityLimit
    from linkwork.analyses.linear.modes import Mode, Modes
    from linkwork.analyses.linear.peaks import Peak
    from linkwork.analyses.linear.random_vibration import RandomResponse
    from linkwork.analyses.linear.sensitivities import Sensitivity
    from linkwork.analyses.linear.state_space import StateSpace
    from linkwork.analyses.machine import Machine
    from linkwork.analyses.periodic.branch import Branch, Fold
    from linkwork.analyses.periodic.motion import Periodic
    from linkwork.analyses.periodic.shooting import NotPeriodic
    from linkwork.analyses.robots import goals
    from linkwork.analyses.robots.many import Reaches
    from linkwork.analyses.robots.reached import Reached
    from linkwork.analyses.robots.solutions.branches import Branches
    from linkwork.analyses.robots.solutions.found import Solutions
    from linkwork.analyses.simulation.state import State
    from linkwork.analyses.strength.motors import TorqueSpeed, torque_speed
    from linkwork.analyses.strength.power import DriveEnergy, Energy, drive_energy, energy
    from linkwork.analyses.strength.sections import IBeamSection, RectangleSection, TubeSection
    from linkwork.analyses.strength.segments import stress
    from linkwork.analyses.strength.stresses import Allowable, Stress, WorstStress, segment_stress
    from linkwork.drives import (
        Drive,
        constant,
        cycloidal,
        dwell,
        expression,
        harmonic,
        polynomial345,
        ramp,
        repeat,
        sequence,
        spline,
        table,
        trapezoidal,
    )
    from linkwork.drives.drive_texts import parse_drive
    from linkwork.errors import InputError, LinkworkError, MissingExtra, ModelError, Problem
    from linkwork.files.gallery import example, examples
    from linkwork.files.mesh import mesh_look, read_mesh
    from linkwork.files.read import load, loads
    from linkwork.files.schema import json_schema
    from linkwork.files.write import dumps, save
    from linkwork.kernels import Kernel
    from linkwork.model import events, solids
    from linkwork.model.amounts import tabulated
    from linkwork.model.bodies import Inertia, inertia
    from linkwork.model.event_checks import check_events
    from linkwork.model.events import Actions, At, Stop, When, at, stop, when
    from linkwork.model.import_report import Finding, ImportReport
    from linkwork.model.layout import Layout, lay_out
    from linkwork.model.mechanism import JointOptions, Mechanism
    from linkwork.model.placement import Placement, placement
    from linkwork.model.solids import Box, Cone, Cylinder, RingSector, Sphere, Tube
    from linkwork.model.space_curves import SpaceCurve, space_curve
    from linkwork.model.surfaces import Surface, surface
    from linkwork.results import (
        Evidence,
        ForceEvidence,
        GroupItem,
        Happening,
        IntegrationEvidence,
        JointItem,
        PlaceItem,
        Result,
        Run,
        Signal,
        Simulation,
        SimulationEvidence,
        Simulations,
        StateItem,
        build_result,
        load_result,
        load_run,
    )
    from linkwork.results.view_options import Viewer, ViewOptions
    from linkwork.system import Derivative, EvaluationOptions, System
    from linkwork.topology import graph_of
    from linkwork.views.animate import Movie, animate, animate_closures
    from linkwork.views.draw import draw_closures, draw_layout, draw_posture
    from linkwork.views.graph import draw_graph, text_tree
    from linkwork.views.paint import paint_posture
    from linkwork.views.report import write_report

# Each public name and the module it comes from; modules are imported when first asked for.
_HOME = {
    "Check": "analyses.check",
    "check": "analyses.check",
    "graph_of": "topology",
    "InputError": "errors",
    "LinkworkError": "errors",
    "MissingExtra": "errors",
    "ModelError": "errors",
    "Problem": "errors",
    "example": "files.gallery",
    "examples": "files.gallery",
    "mesh_look": "files.mesh",
    "read_mesh": "files.mesh",
    "load": "files.read",
    "loads": "files.read",
    "json_schema": "files.schema",
    "dumps": "files.write",
    "save": "files.write",
    "tabulated": "model.amounts",
    "Inertia": "model.bodies",
    "inertia": "model.bodies",
    "check_events": "model.event_checks",
    "Actions": "model.events",
    "At": "model.events",
    "Stop": "model.events",
    "When": "model.events",
    "at": "model.events",
    "stop": "model.events",
    "when": "model.events",
    "Finding": "model.import_report",
    "ImportReport": "model.import_report",
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
    "SpaceCurve": "model.space_curves",
    "space_curve": "model.space_curves",
    "Surface": "model.surfaces",
    "surface": "model.surfaces",
    "Kernel": "kernels",
    "Machine": "analyses.machine",
    "Posture": "analyses.kinematics.posture",
    "Redundancy": "analyses.kinematics.redundancy",
    "Closures": "analyses.kinematics.closures",
    "Travel": "analyses.kinematics.travel",
    "Stroke": "analyses.kinematics.travel",
    "Sweep": "analyses.kinematics.motion",
    "Map": "analyses.kinematics.maps",
    "Equilibria": "analyses.equilibrium.equilibria",
    "FrictionShare": "analyses.equilibrium.friction",
    "Interval": "analyses.equilibrium.friction",
    "Equilibrium": "analyses.equilibrium.equilibrium",
    "EquilibriumPath": "analyses.equilibrium.paths",
    "Massless": "analyses.linear.first_order",
    "FrequencyResponse": "analyses.linear.frequency",
    "Crossing": "analyses.linear.loci",
    "Locus": "analyses.linear.loci",
    "StabilityLimit": "analyses.linear.loci",
    "Sensitivity": "analyses.linear.sensitivities",
    "LinearizationAlong": "analyses.linear.along",
    "Peak": "analyses.linear.peaks",
    "RandomResponse": "analyses.linear.random_vibration",
    "Branch": "analyses.periodic.branch",
    "Fold": "analyses.periodic.branch",
    "NotPeriodic": "analyses.periodic.shooting",
    "Periodic": "analyses.periodic.motion",
    "Linearization": "analyses.linear.linearization",
    "Matrices": "analyses.linear.linearization",
    "Mode": "analyses.linear.modes",
    "Modes": "analyses.linear.modes",
    "StateSpace": "analyses.linear.state_space",
    "NoEquilibrium": "analyses.equilibrium.equilibrium",
    "NothingResists": "analyses.equilibrium.stiffness",
    "PathMark": "analyses.equilibrium.paths",
    "PlaceStiffness": "analyses.equilibrium.stiffness",
    "Accelerations": "analyses.forces.accelerations",
    "TooFewDrives": "analyses.forces.drives",
    "Reaction": "analyses.forces.statics",
    "Statics": "analyses.forces.statics",
    "ContactForce": "analyses.forces.contact",
    "contact_force": "analyses.forces.contact",
    "forces_by_flank": "analyses.forces.flanks",
    "ToothForces": "analyses.forces.teeth",
    "tooth_forces": "analyses.forces.teeth",
    "ClosureError": "analyses.kinematics.failures",
    "CannotClose": "analyses.kinematics.failures",
    "CannotReach": "analyses.kinematics.failures",
    "Viewer": "results.view_options",
    "ViewOptions": "results.view_options",
    "LimitOfTravel": "analyses.kinematics.failures",
    "DeadCentre": "analyses.kinematics.failures",
    "OverSpecified": "analyses.kinematics.failures",
    "NoFreedom": "analyses.kinematics.failures",
    "UnderSpecified": "analyses.kinematics.failures",
    "Drive": "drives",
    "constant": "drives",
    "cycloidal": "drives",
    "dwell": "drives",
    "expression": "drives",
    "harmonic": "drives",
    "polynomial345": "drives",
    "ramp": "drives",
    "repeat": "drives",
    "sequence": "drives",
    "spline": "drives",
    "table": "drives",
    "trapezoidal": "drives",
    "parse_drive": "drives.drive_texts",
    "Result": "results",
    "Run": "results",
    "build_result": "results",
    "load_result": "results",
    "Happening": "results",
    "IntegrationEvidence": "results",
    "Simulation": "results",
    "SimulationEvidence": "results",
    "Simulations": "results",
    "Reached": "analyses.robots.reached",
    "Reaches": "analyses.robots.many",
    "Branches": "analyses.robots.solutions.branches",
    "Solutions": "analyses.robots.solutions.found",
    "State": "analyses.simulation.state",
    "load_run": "results",
    "Evidence": "results",
    "ForceEvidence": "results",
    "GroupItem": "results",
    "JointItem": "results",
    "PlaceItem": "results",
    "StateItem": "results",
    "Signal": "results",
    "CamProfile": "analyses.kinematics.cam_profiles",
    "FourBar": "analyses.kinematics.four_bars",
    "cam_profile": "analyses.kinematics.cam_profiles",
    "Grashof": "analyses.kinematics.grashof",
    "SliderCrank": "analyses.kinematics.slider_cranks",
    "InvertedSliderCrank": "analyses.kinematics.slider_cranks",
    "Toggle": "analyses.kinematics.grashof",
    "grashof": "analyses.kinematics.grashof",
    "spherical_grashof": "analyses.kinematics.grashof",
    "barker_types": "analyses.kinematics.grashof",
    "slider_crank": "analyses.kinematics.slider_cranks",
    "inverted_slider_crank": "analyses.kinematics.slider_cranks",
    "ScrewMotion": "analyses.kinematics.screw_motion",
    "Axode": "analyses.kinematics.screw_motion",
    "FiniteScrew": "analyses.kinematics.screw_motion",
    "Centrodes": "analyses.kinematics.screw_motion",
    "PoleMotion": "analyses.kinematics.screw_motion",
    "finite_screw": "analyses.kinematics.screw_motion",
    "relative_screw": "analyses.kinematics.screw_motion",
    "TransmissionAngle": "analyses.kinematics.transmission",
    "TransmissionExtremes": "analyses.kinematics.transmission",
    "transmission_extremes": "analyses.kinematics.transmission",
    "slider_transmission_extremes": "analyses.kinematics.transmission",
    "IBeamSection": "analyses.strength.sections",
    "RectangleSection": "analyses.strength.sections",
    "TubeSection": "analyses.strength.sections",
    "Allowable": "analyses.strength.stresses",
    "Stress": "analyses.strength.stresses",
    "WorstStress": "analyses.strength.stresses",
    "segment_stress": "analyses.strength.stresses",
    "stress": "analyses.strength.segments",
    "TorqueSpeed": "analyses.strength.motors",
    "torque_speed": "analyses.strength.motors",
    "DriveEnergy": "analyses.strength.power",
    "Energy": "analyses.strength.power",
    "drive_energy": "analyses.strength.power",
    "energy": "analyses.strength.power",
    "Derivative": "system",
    "EvaluationOptions": "system",
    "System": "system",
    "Movie": "views.animate",
    "animate": "views.animate",
    "animate_closures": "views.animate",
    "draw_closures": "views.draw",
    "draw_layout": "views.draw",
    "draw_posture": "views.draw",
    "paint_posture": "views.paint",
    "draw_graph": "views.graph",
    "text_tree": "views.graph",
    "write_report": "views.report",
}
_MODULES = {
    "drives": "drives",
    "errors": "errors",
    "events": "model.events",
    "geometry": "geometry",
    "goals": "analyses.robots.goals",
    "results": "results",
    "solids": "model.solids",
    "strength": "analyses.strength",
    "topology": "topology",
    "units": "units",
}
"""Families of names, each a module: `lw.drives.ramp` is `lw.ramp`."""

__all__ = [
    "Accelerations",
    "Actions",
    "Allowable",
    "At",
    "Axode",
    "Box",
    "Branch",
    "Branches",
    "CamProfile",
    "CannotClose",
    "CannotReach",
    "Centrodes",
    "Check",
    "ClosureError",
    "Closures",
    "Cone",
    "ContactForce",
    "Crossing",
    "Cylinder",
    "DeadCentre",
    "Derivative",
    "Drive",
    "DriveEnergy",
    "Energy",
    "Equilibria",
    "Equilibrium",
    "EquilibriumPath",
    "EvaluationOptions",
    "Evidence",
    "Finding",
    "FiniteScrew",
    "Fold",
    "ForceEvidence",
    "FourBar",
    "FrequencyResponse",
    "FrictionShare",
    "Grashof",
    "GroupItem",
    "Happening",
    "IBeamSection",
    "ImportReport",
    "Inertia",
    "InputError",
    "IntegrationEvidence",
    "Interval",
    "InvertedSliderCrank",
    "JointItem",
    "JointOptions",
    "Kernel",
    "Layout",
    "LimitOfTravel",
    "Linearization",
    "LinearizationAlong",
    "LinkworkError",
    "Locus",
    "Machine",
    "Map",
    "Massless",
    "Matrices",
    "Mechanism",
    "MissingExtra",
    "Mode",
    "ModelError",
    "Modes",
    "Movie",
    "NoEquilibrium",
    "NoFreedom",
    "NotPeriodic",
    "NothingResists",
    "OverSpecified",
    "PathMark",
    "Peak",
    "Periodic",
    "PlaceItem",
    "PlaceStiffness",
    "Placement",
    "PoleMotion",
    "Posture",
    "Problem",
    "RandomResponse",
    "Reached",
    "Reaches",
    "Reaction",
    "RectangleSection",
    "Redundancy",
    "Result",
    "RingSector",
    "Run",
    "ScrewMotion",
    "Sensitivity",
    "Signal",
    "Simulation",
    "SimulationEvidence",
    "Simulations",
    "SliderCrank",
    "Solutions",
    "SpaceCurve",
    "Sphere",
    "StabilityLimit",
    "State",
    "StateItem",
    "StateSpace",
    "Statics",
    "Stop",
    "Stress",
    "Stroke",
    "Surface",
    "Sweep",
    "System",
    "Toggle",
    "TooFewDrives",
    "ToothForces",
    "TorqueSpeed",
    "TransmissionAngle",
    "TransmissionExtremes",
    "Travel",
    "Tube",
    "TubeSection",
    "UnderSpecified",
    "ViewOptions",
    "Viewer",
    "When",
    "WorstStress",
    "__version__",
    "animate",
    "animate_closures",
    "at",
    "barker_types",
    "build_result",
    "cam_profile",
    "check",
    "check_events",
    "constant",
    "contact_force",
    "cycloidal",
    "draw_closures",
    "draw_graph",
    "draw_layout",
    "draw_posture",
    "drive_energy",
    "drives",
    "dumps",
    "dwell",
    "energy",
    "errors",
    "events",
    "example",
    "examples",
    "expression",
    "finite_screw",
    "forces_by_flank",
    "geometry",
    "goals",
    "graph_of",
    "grashof",
    "harmonic",
    "inertia",
    "inverted_slider_crank",
    "json_schema",
    "lay_out",
    "load",
    "load_result",
    "load_run",
    "loads",
    "mesh_look",
    "paint_posture",
    "parse_drive",
    "placement",
    "polynomial345",
    "ramp",
    "read_mesh",
    "relative_screw",
    "repeat",
    "results",
    "save",
    "segment_stress",
    "sequence",
    "slider_crank",
    "slider_transmission_extremes",
    "solids",
    "space_curve",
    "spherical_grashof",
    "spline",
    "stop",
    "strength",
    "stress",
    "surface",
    "table",
    "tabulated",
    "text_tree",
    "tooth_forces",
    "topology",
    "torque_speed",
    "transmission_extremes",
    "trapezoidal",
    "units",
    "when",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"linkwork.{_HOME[name]}"), name)
    if name in _MODULES:
        return importlib.import_module(f"linkwork.{_MODULES[name]}")
    raise AttributeError(f"module 'linkwork' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
