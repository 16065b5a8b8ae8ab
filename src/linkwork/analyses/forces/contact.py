"""Forces of contacts: a point on a surface or on a curve, a follower on a cam.

A surface pushes along its normal, across both of its tangents; a curve pushes in the plane across its tangent. The
normal of a surface is ∂p/∂u × ∂p/∂v of its parameters in their order: out of spheres, cylinders, cones and tubes, up
from planes and heights. Across a curve with tangent t the directions are n = z × t, to the left of the way along it and
towards the middle of a circle or a helix, and b = t × n; where a curve runs along its z they are x and y. Across a
cam's curve in its plane it is n alone. Vukobratović, Potkonjak, sec. 2.10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwork import geometry as geo
from linkwork.analyses.forces.meshes import law_over
from linkwork.analyses.strength.acting_forces import joint_frame_over
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.geometry.types import Bools
from linkwork.geometry.vectors import length
from linkwork.model.joints import Law, LineOnCurve, OnCurve, OnSurface, PointOnCurve, a_joint, transform
from linkwork.model.nearest_places import STEP
from linkwork.names import no_such
from linkwork.system import System

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results import Panels, Run
    from linkwork.results.signals import Units

CONTACTS = (OnSurface, OnCurve, PointOnCurve, LineOnCurve)
ALONG = 1e-9
"""Sine of the angle to z below which a curve runs along it."""
ROUNDING = 1e-9
"""Part of the greatest force that is no more than rounding."""


def contact_directions(law: Law, q: Array) -> Array:
    """Directions of the contact's force by sample, along the axes of its first frame F; (samples, 1 or 2, 3).

    q : variables of the joint (samples, variables)
    """
    if isinstance(law, OnSurface):
        first, second = _tangents(law, q)
        normal: Array = np.cross(first, second)
        return normal[:, None] / length(normal)[:, None, None]
    curve = law.curve  # type: ignore[attr-defined]
    slope = curve.derivatives(q[:, 0], 1)[1]
    flat = [np.broadcast_to(np.asarray(c, float), (len(q),)) for c in (*slope, 0.0)[:3]]
    tangent = np.stack(flat, axis=-1)
    tangent = tangent / length(tangent)[:, None]
    across = np.stack([-tangent[:, 1], tangent[:, 0], np.zeros(len(q))], axis=-1)
    size = length(across)[:, None]
    aside: Array = np.where(size > ALONG, across / np.where(size > ALONG, size, 1.0), [1.0, 0.0, 0.0])
    if not isinstance(law, OnCurve):
        return aside[:, None]
    return np.stack([aside, np.cross(tangent, aside)], axis=1)


def _tangents(law: OnSurface, q: Array) -> list[Array]:
    """∂p/∂u and ∂p/∂v (samples, 3), exact by a complex step."""
    found = []
    for k in range(2):
        shifted = [q[:, i] + (1j * STEP if i == k else 0.0) for i in range(2)]
        place = [np.broadcast_to(np.imag(c) / STEP, (len(q),)) for c in law.surface.point(*shifted)]
        found.append(np.stack(place, axis=-1))
    return found


def assert_contact(system: System, joint: str, where: str) -> None:
    """InputError unless a joint is a contact."""
    joints = {n: j for n, j in system.mechanism.joints.items() if isinstance(j.law, CONTACTS)}
    if joint not in joints:
        known = system.mechanism.joints.get(joint)
        none = "contacts are on_surface, on_curve, point_on_curve, line_on_curve"
        unknown = no_such("joint", joint, joints, where, none=none)
        other = replace(unknown, what=f"'{joint}' is {a_joint(known.law.kind)}") if known else unknown
        raise InputError(other, system.name)


@dataclass(frozen=True, eq=False)
class ContactForce:
    """The force of a surface or a curve on the body that it guides, over a run; made by `contact_force`.

    joint : its name
    normal : [N] (samples, 1 or 2), along `directions`: the normal of a surface or of a cam; n and b of a curve
    directions : unit vectors (samples, 1 or 2, 3); force : the whole force (samples, 3) [N]; point : where it acts [m];
        all along the axes of the world
    along : size of what acts along the surface or curve [N]: drives, springs and friction of the joint's own variables
    side : +1 where the body is on the side to which the normal points, -1 on the other
    one_sided : whether the contact can push only
    warnings : what you should know; time : [s] of the samples; run : of which it was asked
    """

    joint: str
    normal: Array
    directions: Array
    force: Array
    point: Array
    along: Array
    side: int
    one_sided: bool
    warnings: tuple[str, ...]
    time: Array
    run: Run = field(repr=False)

    @cached_property
    def pressing(self) -> Array:
        """How hard it presses [N] (samples,), below 0 where it would pull; across a curve in space the whole."""
        return self.side * self.normal[:, 0] if self.normal.shape[1] == 1 else length(self.normal)

    @cached_property
    def pulling(self) -> Bools:
        """Samples at which it pulls, or would have to."""
        most = float(np.nanmax(np.abs(self.pressing), initial=0.0))
        pulled: Bools = self.pressing < -ROUNDING * most
        return pulled

    @property
    def lifted(self) -> Bools:
        """Samples at which a one-sided contact would have to pull: it lifts off there."""
        found: Bools = self.one_sided & self.pulling
        return found

    @property
    def lift_off(self) -> float | None:
        """Time [s] of the first sample at which it lifts off; None where it stays."""
        return float(self.time[int(np.argmax(self.lifted))]) if self.lifted.any() else None

    @property
    def worst(self) -> int:
        """Sample at which it presses most."""
        return int(np.nanargmax(self.pressing))

    @property
    def message(self) -> str:
        """The verdict in a sentence."""
        low, high = float(np.nanmin(self.pressing)), float(self.pressing[self.worst])
        text = f"{self.joint}: presses with {low:.4g} N to {high:.4g} N, most at {self.time[self.worst]:.4g} s"
        if not self.pulling.any():
            return text
        count = f"at {int(self.pulling.sum())} of {len(self.time)} samples"
        first = f"first at {self.time[int(np.argmax(self.pulling))]:.6g} s"
        if self.lift_off is not None:
            return f"{text}; lifts off {count}, {first}"
        return f"{text}; pulls {count}, {first}"

    def __repr__(self) -> str:
        told = "".join(f"\n  warning: {w}" for w in self.warnings)
        return f"ContactForce('{self.joint}', {len(self.time)} samples)\n  {self.message}{told}"

    def plot(self, *, x: str = "time", units: Units = None, ax: Axes | Sequence[Axes] | None = None) -> Panels:
        """Plot how hard the contact presses; the two components of a curve in space besides.

        Parameters
        ----------
        x : the signal of the run to plot over
        units : units to show
        ax : axes to draw into; a new figure without
        """
        from linkwork.analyses.strength.plot_units import PLAIN, titled
        from linkwork.results.plots import Mark, Quantity, Series, describe_over

        shown = [Quantity("pressing force", "N", self.pressing)]
        if self.normal.shape[1] == 2:
            shown += [Quantity(f"force along {n}", "N", self.normal[:, k]) for k, n in enumerate("nb")]
        title = titled(f"contact {self.joint}", self.run)
        plot = describe_over([Series(shown, self.run.signal(x))], units=units, title=title, default=PLAIN)
        panel = replace(plot.panels[0], y=replace(plot.panels[0].y, kind="force"))
        if self.lifted.any():
            panel = replace(panel, marks=(Mark(0.0, "lift-off", along="y"),))
        return replace(plot, panels=(panel, *plot.panels[1:]), notes=self.warnings).draw(ax)


def contact_force(run: Run, joint: str, *, side: int = 1, one_sided: bool = False) -> ContactForce:
    """How hard a contact presses over a run of forces.

    Parameters
    ----------
    run : from `s.forces`
    joint : name of an on_surface, on_curve, point_on_curve or line_on_curve joint
    side : of the surface or cam on which the guided body is: +1 where the normal points, -1 on the other
    one_sided : True when the contact can push only, so that it lifts off where it would have to pull
    """
    if run.machine is None:
        hint = "ask the run that `s.forces` gave; files do not keep the machine"
        raise InputError(Problem("the run does not know its machine", hint=hint), run.name)
    system: System = run.machine
    assert_contact(system, joint, "joint")
    law = law_over(system, joint)
    problems = []
    if side not in (1, -1):
        problems.append(Problem(f"side is {side!r}", "side", "write 1 or -1"))
    if isinstance(law, OnCurve) and (one_sided or side != 1):
        problems.append(Problem(f"'{joint}' is a curve in space, which holds on all sides", joint, "leave `side` out"))
    if f"{joint}.force" not in run:
        problems.append(Problem(f"the run has no forces of '{joint}'", hint="ask s.forces(run)"))
    elif open_ := open_components(law, run.indeterminate.get(joint, ())):
        text = f"its force is statically indeterminate ({', '.join(open_)})"
        problems.append(Problem(text, joint, "redundant loops leave it to the fits; take some of them away"))
    if problems:
        raise InputError(problems, run.name)
    q = np.stack([run.signal(f"{joint}.{v.name}").values for v in law.variables], axis=-1)
    X_WF = joint_frame_over(system, run, joint, "tail")
    X_WM = joint_frame_over(system, run, joint, "head")
    carried = np.where(list(_used(law).values()), run.signal(f"{joint}.force").values, 0.0)
    force = geo.transform_vectors(X_WM, carried)
    directions = np.einsum("sij,skj->ski", X_WF[:, :3, :3], contact_directions(law, q))
    normal = np.einsum("ski,si->sk", directions, force)
    along = length(force - np.einsum("sk,ski->si", normal, directions))
    place = np.stack(np.broadcast_arrays(*_place(law, q), 0.0)[:3], axis=-1)
    found = ContactForce(
        joint, normal, directions, force, geo.transform_points(X_WF, place), along, side, one_sided, (), run.time, run
    )
    return replace(found, warnings=tuple(_told(found)))


def _used(law: Law) -> dict[str, bool]:
    """Components of the reaction that the force of a contact is made of: a cam's lies in its plane."""
    return {"fx": True, "fy": True, "fz": isinstance(law, OnSurface | OnCurve)}


def open_components(law: Law, indeterminate: Sequence[str]) -> list[str]:
    """Statically indeterminate components of the force of a contact."""
    return [c for c in indeterminate if _used(law).get(c, False)]


def _place(law: Law, q: Array) -> tuple[Array, ...]:
    """Where the contact is, in the first frame [m]."""
    if isinstance(law, OnSurface | OnCurve):
        return law.place([q[:, k] for k in range(q.shape[1] - 4)])
    u, v = law.curve.point(q[:, 0])  # type: ignore[attr-defined]
    return u, v, q[:, 2]


def _told(found: ContactForce) -> list[str]:
    told, samples = [], len(found.time)
    if found.lift_off is not None:
        count = int(found.lifted.sum())
        told.append(
            f"{found.joint} would have to pull at {count} of {samples} samples, first at {found.lift_off:.6g} s: it "
            "lifts off, and the motion after that is another"
        )
    elif found.pulling.any():
        told.append(
            f"{found.joint} pulls at {int(found.pulling.sum())} of {samples} samples: a groove or a second flank can, "
            f"a contact that can push only lifts off there; say one_sided=True of it, or side={-found.side} where the "
            "body is on the other side"
        )
    missing = int(np.isnan(found.normal).any(axis=1).sum())
    if missing:
        told.append(f"{found.joint}: {missing} of {samples} samples have no forces")
    return told


def rows_in_second(law: Law, q: Array) -> Array:
    """Directions of the contact's force along the axes of its second frame M, (samples, 1 or 2, 3)."""
    R_FM = transform(law, [q[:, k] for k in range(q.shape[1])])[..., :3, :3]
    rows: Array = np.einsum("sij,ski->skj", np.broadcast_to(R_FM, (len(q), 3, 3)), contact_directions(law, q))
    return rows
