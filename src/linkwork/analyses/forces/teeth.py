"""Forces between the teeth of gears, over a run of forces: tangential, radial, axial; and which flank carries.

A joint with `flank` = 0 rolls only: bearings feel the tangential force and the axial one of a helix, and the radial
force that pushes the gears apart is worked out here alone. With `flank` = ±1 it is in the reactions, as a force along
the line of action; teeth push and never pull, so that the flank must be the one that the load presses on. Where the
load changes its sign the other flank carries: `forces_by_flank` evaluates both and takes the one that pushes.
Uicker, Ravani, Sheth, Matrix Methods, sec. 4.6.9-10; Shigley, Mechanical Engineering Design, ch. 13.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwork import geometry as geo
from linkwork.analyses.forces.meshes import MESHING, Mesh, law_over, mesh_over
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.geometry.types import Bools
from linkwork.model.joints import Bevel, Gear, Rack, a_joint
from linkwork.model.vectors import positive
from linkwork.names import no_such
from linkwork.system import System

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results import Panels, Run
    from linkwork.results.signals import Units

ROUNDING = 1e-9
"""Part of the greatest force that is no more than rounding."""
USUAL = math.radians(20.0)
"""Pressure angle of bevel gears for which none is given."""


@dataclass(frozen=True, eq=False)
class ToothForces:
    """The force of the first gear on the second over a run; made by `tooth_forces`.

    joint : its name
    tangential : [N] (samples,), along the pitch surfaces: across the line of centres, the way that the teeth of the
        first gear go when it turns forwards; along the direction of a rack
    radial : [N], positive where it pushes the gears out of mesh, as teeth do: towards the axis of an external gear
    axial : [N], along the axis of the second gear: the joint's axis; of bevel gears away from the apex
    on_first : tangential, radial and axial force on the first gear, along its own axis
    point : the pitch point (samples, 3) [m], and force : the whole force there [N], both along the axes of the world
    flank : +1, -1 or 0 (samples,), the flank that carries in the model; wrong : samples at which it would have to pull
    felt : what the reactions of the model have of it: "tangential", "radial", "axial"
    warnings : what you should know; time : [s] of the samples; run : of which it was asked
    """

    joint: str
    tangential: Array
    radial: Array
    axial: Array
    on_first: tuple[Array, Array, Array]
    point: Array
    force: Array
    flank: Array
    wrong: Bools
    felt: tuple[str, ...]
    warnings: tuple[str, ...]
    time: Array
    run: Run = field(repr=False)

    @cached_property
    def normal(self) -> Array:
        """Size of the whole force, across the teeth [N]: √(tangential² + radial² + axial²)."""
        return np.sqrt(self.tangential**2 + self.radial**2 + self.axial**2)

    @cached_property
    def worst(self) -> int:
        """Sample with the greatest normal force."""
        return int(np.nanargmax(self.normal))

    @property
    def message(self) -> str:
        """The greatest force in a sentence."""
        k = self.worst
        parts = f"tangential {self.tangential[k]:.4g} N, radial {self.radial[k]:.4g} N, axial {self.axial[k]:.4g} N"
        return f"{self.joint}: at most {self.normal[k]:.4g} N, at {self.time[k]:.4g} s: {parts}"

    def __repr__(self) -> str:
        told = "".join(f"\n  warning: {w}" for w in self.warnings)
        return f"ToothForces('{self.joint}', {len(self.time)} samples)\n  {self.message}{told}"

    def plot(self, *, x: str = "time", units: Units = None, ax: Axes | Sequence[Axes] | None = None) -> Panels:
        """Plot the tangential, radial and axial force on the second gear, and the whole.

        Parameters
        ----------
        x : the signal of the run to plot over
        units : units to show
        ax : axes to draw into; a new figure without
        """
        from linkwork.analyses.strength.plot_units import PLAIN, titled
        from linkwork.results.plots import Quantity, Series, describe_over

        shown = [
            Quantity(f"{name} force", "N", values)
            for name, values in (
                ("tangential", self.tangential),
                ("radial", self.radial),
                ("axial", self.axial),
                ("normal", self.normal),
            )
        ]
        title = titled(f"teeth of {self.joint}", self.run)
        plot = describe_over([Series(shown, self.run.signal(x))], units=units, title=title, default=PLAIN)
        panel = replace(plot.panels[0], y=replace(plot.panels[0].y, kind="force"))
        return replace(plot, panels=(panel, *plot.panels[1:]), notes=self.warnings).draw(ax)


def tooth_forces(
    run: Run, joint: str, *, pressure_angle: float | None = None, radius: float | None = None
) -> ToothForces:
    """Forces between the teeth of two gears over a run of forces.

    Parameters
    ----------
    run : from `s.forces` or `forces_by_flank`
    joint : name of a gear, rack or bevel joint
    pressure_angle : of bevel gears [rad]; 20 deg without. Others have their own
    radius : of bevel gears: mean pitch radius of the first [m], at half the width of its teeth. Others have their own
    """
    system = _machine_of(run)
    law = _assert_meshing(system, run, joint)
    is_bevel = isinstance(law, Bevel)
    _assert_sizes(joint, is_bevel, pressure_angle, radius)
    mesh = mesh_over(system, run, joint, USUAL if pressure_angle is None else pressure_angle, radius or 0.0)
    tangential = -run.signal(f"{joint}.moment").values[:, 2] / mesh.arm
    flank = np.zeros(len(run)) if is_bevel else _flanks(run, joint, getattr(law, "flank", 0))
    wrong = _wrong(flank, mesh, tangential)
    pushing = np.where(flank == 0.0, np.abs(tangential), flank * mesh.carrying * tangential)
    radial, lifted = (share * pushing for share in mesh.separating)
    thrust, lifted_thrust = (share * pushing for share in mesh.thrust)
    twist = mesh.twisting * tangential
    axial = twist + thrust
    parts = ((tangential, mesh.tangent), (radial, mesh.outward), (axial, mesh.axis))
    force: Array = sum((size[:, None] * along for size, along in parts), np.zeros((len(run), 3)))
    felt = ("tangential", *(["radial"] if flank.any() else []), *([] if is_bevel else ["axial"]))
    told = _told(joint, run, felt, wrong, tangential)
    if not is_bevel:  # whose forces all pass through the apex
        told += _own_efforts(run, joint, mesh, parts if flank.any() else parts[::2])
    return ToothForces(
        joint, tangential, radial, axial, (-tangential, lifted, lifted_thrust - twist), mesh.point, force,
        flank, wrong, felt, tuple(told), run.time, run,
    )  # fmt: skip


def _machine_of(run: Run) -> System:
    if run.machine is None:
        hint = "ask the run that `s.forces` gave; files do not keep the machine"
        raise InputError(Problem("the run does not know its machine", hint=hint), run.name)
    machine: System = run.machine
    return machine


def _assert_meshing(system: System, run: Run, joint: str) -> Gear | Rack | Bevel:
    """The law of a joint of gears whose forces are in a run, and determinate."""
    joints = {n: j for n, j in system.mechanism.joints.items() if isinstance(j.law, MESHING)}
    if joint not in joints:
        known = system.mechanism.joints.get(joint)
        unknown = no_such("joint", joint, joints, "joint", none="teeth are in joints of kind gear, rack and bevel")
        other = replace(unknown, what=f"'{joint}' is {a_joint(known.law.kind)}") if known else unknown
        raise InputError(other, run.name)
    if f"{joint}.moment" not in run:
        raise InputError(Problem(f"the run has no forces of '{joint}'", hint="ask s.forces(run)"), run.name)
    if "mz" in run.indeterminate.get(joint, ()):
        text = "its load is statically indeterminate: redundant gears share it in a way that their fits decide"
        hint = "leave gears out until one path is left, and divide its load as you see fit"
        raise InputError(Problem(text, joint, hint), run.name)
    law = law_over(system, joint)
    assert isinstance(law, MESHING)
    return law


def _assert_sizes(joint: str, is_bevel: bool, pressure_angle: float | None, radius: float | None) -> None:
    problems = []
    given = {"pressure_angle": pressure_angle, "radius": radius}
    if not is_bevel:
        hint = "leave it out"
        problems = [Problem(f"{joint} has its own", n, hint) for n, value in given.items() if value is not None]
    elif radius is None:
        hint = "give the mean pitch radius of the first gear [m]"
        problems.append(Problem(f"{joint} has cones and no size", "radius", hint))
    else:
        positive(radius, "radius")
    if is_bevel and pressure_angle is not None and not 0.0 <= pressure_angle < math.radians(60.0):
        text = f"the pressure angle is {math.degrees(pressure_angle):.4g} deg"
        problems.append(Problem(text, "pressure_angle", "usual is 20 deg"))
    if problems:
        raise InputError(problems)


def _flanks(run: Run, joint: str, flank: int) -> Array:
    """The flank that carries by sample: as the run says, or as the model does."""
    if f"{joint}.flank" in run:
        return np.array(run.signal(f"{joint}.flank").values, float)
    return np.full(len(run), float(flank))


def _wrong(flank: Array, mesh: Mesh, tangential: Array) -> Bools:
    """Samples at which the teeth of the flank that carries would have to pull."""
    most = float(np.nanmax(np.abs(tangential), initial=0.0))
    wrong: Bools = flank * mesh.carrying * tangential < -ROUNDING * most
    return wrong


def _told(joint: str, run: Run, felt: Sequence[str], wrong: Bools, tangential: Array) -> list[str]:
    told = []
    if "radial" not in felt:
        why = "bevel joints carry the tangential force alone" if "axial" not in felt else "its flank is 0"
        left = "radial and axial force" if "axial" not in felt else "radial force"
        told.append(f"{joint}: {why}, so that bearings of the model do not feel the {left} told here")
    if wrong.any():
        first = float(run.time[int(np.argmax(wrong))])
        told.append(
            f"{joint}: the other flank carries at {int(wrong.sum())} of {len(run)} samples, first at {first:.6g} s; "
            "lw.forces_by_flank(s, run) takes it there"
        )
    missing = int(np.isnan(tangential).sum())
    if missing:
        told.append(f"{joint}: {missing} of {len(run)} samples have no forces")
    return told


def _own_efforts(run: Run, joint: str, mesh: Mesh, parts: Sequence[tuple[Array, Array]]) -> list[str]:
    """A note where the reaction is more than a tooth force: drives, springs or friction along the joint itself."""
    if np.isnan(run.signal(f"{joint}.force").values).all(axis=0).any():
        return []  # what is open tells nothing
    seen = geo.transform_vectors(mesh.X_WM, run.signal(f"{joint}.force").values)
    scale = float(np.nanmax(np.abs(seen), initial=0.0))
    apart = [np.abs(np.sum(seen * along, axis=1) - size) for size, along in parts]
    if not np.nanmax(apart, initial=0.0) > 1e-6 * scale:
        return []
    return [f"{joint}: drives or loads act along its own variables; the force told here is that of its moment alone"]
