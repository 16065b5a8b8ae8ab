"""Reactions of joints and loads as arrows, over a run of forces: their sizes, where and which way they act."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.machine import Machine
from linkwork.analyses.strength.acting_forces import Acting, acting_on, joint_frame_over, pose_over
from linkwork.colours import FORCE, PULL, PUSH, REACTION
from linkwork.geometry import Array, transform_vectors
from linkwork.geometry.vectors import length
from linkwork.model.loads.load import AlongVariable, BetweenPoints, OnWholeBody
from linkwork.results import Run
from linkwork.results.open_components import open_samples
from linkwork.units import FORCE as NEWTON
from linkwork.units import SI, TORQUE, Dimension, format_quantity
from linkwork.units.efforts import effort_units
from linkwork.views.followers import Follower, follower_of
from linkwork.views.layers.parts import Layer, Segments
from linkwork.views.placed_layout import layout_at

LONGEST = 0.25
"""Length of the longest arrow, in parts of the machine's size."""
BOW = 0.09
"""Radius of the arrow of a torque, in parts of the machine's size."""
WIDEST = 1.5 * math.pi
"""Angle of the largest torque's arrow [rad]; others are shorter in proportion."""
PIECES = 24
TIP = 0.036
"""Length of its head, in parts of the machine's size."""
LEAST = 0.02
"""Part of the largest torque below which there is no head."""
MANY = 6
"""Indeterminate components that a legend names; more are counted."""


@dataclass(frozen=True, eq=False)
class Arrows:
    """Vectors over a run: names, places (samples, n, 3) [m, world] and vectors (samples, n, 3)."""

    names: tuple[str, ...]
    places: Array
    vectors: Array

    @classmethod
    def of(cls, acting: list[Acting]) -> Arrows:
        """Forces where they act."""
        kept = [(a.name, a.place, a.force) for a in acting if a.place is not None]
        names, places, vectors = zip(*kept, strict=True)
        return cls(tuple(names), np.stack(places, axis=1), np.stack(vectors, axis=1))

    def largest(self) -> tuple[float, str]:
        """The largest size, and the name of its owner; 0 where all are."""
        sizes = length(self.vectors)
        tops = np.where(np.isfinite(sizes), sizes, 0.0).max(axis=0, initial=0.0)
        return float(tops.max()), self.names[int(np.argmax(tops))]

    def ends(self, scale: float) -> Array:
        """(samples, n, 2, 3) [m], the tail at the place; arrows are `scale` long for each unit."""
        return np.stack([self.places, self.places + scale * self.vectors], axis=2)


def has_forces(run: Run) -> bool:
    """Whether a run tells the forces that it takes."""
    return run.evidence.forces is not None


def reaction_layer(s: Machine, run: Run) -> Layer | None:
    """The force that the first body of every joint exerts on the second, at the joint's frame on the second.

    Components that are statically indeterminate are left out, and named in the legend.
    """
    marks, data = run.indeterminate, run.arrays
    acting: list[Acting] = []
    for name in s.mechanism.joints:
        if f"{name}.force" in run:
            X_WM = joint_frame_over(s, run, name, "head")
            known = np.array(run.signal(f"{name}.force").values)
            known[open_samples(data, f"{name}.force")] = 0.0
            acting.append(Acting(name, transform_vectors(X_WM, known), known, X_WM[:, :3, 3]))
    if not acting:
        return None
    arrows = Arrows.of(acting)
    largest, owner = arrows.largest()
    if not largest > 0.0:
        return None
    open_ = [f"{j}.{c}" for j in s.mechanism.joints for c in marks.get(j, ()) if c.startswith("f")]
    told = f"{', '.join(open_[:MANY])}{f' and {len(open_) - MANY} more' if len(open_) > MANY else ''}"
    legend = f"the longest arrow is {_shown(s, largest, NEWTON)}, at {owner}"
    legend += f"; indeterminate and not drawn: {told}" if open_ else ""
    ends = arrows.ends(LONGEST * s.layout.size / largest)
    return Layer("reactions", "forces in joints", segments=(Segments("arrows", ends, REACTION),), legend=legend)


def load_layer(s: Machine, run: Run) -> Layer | None:
    """Forces on points, springs on both of their points, and torques on bodies as curved arrows."""
    loads = s.mechanism.loads
    wanted = [f"{n}.{load.magnitude}" for n, load in loads.items() if not isinstance(load.acts, AlongVariable)]
    if not wanted or any(name not in run for name in (*wanted, *_reactions(s))):
        return None
    acting = [a for body in s.mechanism.bodies for a in acting_on(s, run, body) if a.name in loads]
    segments, told = _straight(s, run, [a for a in acting if a.place is not None])
    curved, more = _curved(s, run)
    if not segments and not curved:
        return None
    return Layer("loads", "loads", segments=(*segments, *curved), legend="; ".join([*told, *more]))


def _reactions(s: Machine) -> list[str]:
    return [f"{joint}.{part}" for joint in s.mechanism.joints for part in ("force", "moment")]


def _straight(s: Machine, run: Run, acting: list[Acting]) -> tuple[list[Segments], list[str]]:
    """Arrows of forces and of springs; those of springs that push have a colour of their own."""
    if not acting:
        return [], []
    arrows = Arrows.of(acting)
    largest, owner = arrows.largest()
    if not largest > 0.0:
        return [], []
    ends = arrows.ends(LONGEST * s.layout.size / largest)
    springs = np.array([isinstance(s.mechanism.loads[n].acts, BetweenPoints) for n in arrows.names])
    told = [f"the longest arrow is {_shown(s, largest, NEWTON)}, of {owner}"]
    if not springs.any():
        return [Segments("forces", ends, FORCE)], told
    pushing = np.column_stack(
        [run.signal(f"{n}.{s.mechanism.loads[n].magnitude}").values < 0.0 if own else np.zeros(len(run), bool)
         for n, own in zip(arrows.names, springs, strict=True)]
    )  # fmt: skip
    found = [Segments("forces", ends[:, ~springs], FORCE)] if not springs.all() else []
    found.append(Segments("pulling", np.where(pushing[:, springs, None, None], np.nan, ends[:, springs]), PULL))
    found.append(Segments("pushing", np.where(pushing[:, springs, None, None], ends[:, springs], np.nan), PUSH))
    return found, [*told, "springs that pull are green, those that push are orange"]


def _curved(s: Machine, run: Run) -> tuple[list[Segments], list[str]]:
    """Arrows along circles about torques, as far round as they are large."""
    layout = layout_at(s)
    found: list[tuple[str, Follower]] = []
    for name, load in s.mechanism.loads.items():
        if isinstance(load.acts, OnWholeBody) and (own := follower_of(s.mechanism, layout, load, None)) is not None:
            found.append((name, own))
    amounts = [np.asarray(run.signal(f"{name}.{s.mechanism.loads[name].magnitude}").values) for name, _ in found]
    finite = [np.abs(np.where(np.isfinite(a), a, 0.0)) for a in amounts]
    peaks = [float(a.max(initial=0.0)) for a in finite]
    if not max(peaks, default=0.0) > 0.0:
        return [], []
    most = int(np.argmax(peaks))
    bodies = {p.body for _, own in found for p in (own.origin, own.start, own.end)}
    poses = {body: pose_over(s, run, body) for body in bodies}
    bows = np.empty((len(run), len(found), PIECES + 1, 3))
    tips = np.empty((len(run), len(found), 2, 3))
    for k, ((_, own), amount) in enumerate(zip(found, amounts, strict=True)):
        bow, tip = _bow(amount / peaks[most])
        for i in range(len(run)):
            X = own.pose({body: X[i] for body, X in poses.items()})
            bows[i, k], tips[i, k] = (s.layout.size * own_[i] @ X[:3, :3].T + X[:3, 3] for own_ in (bow, tip))
    pieces = np.stack([bows[:, :, :-1], bows[:, :, 1:]], axis=3).reshape(len(run), -1, 2, 3)
    told = f"the largest torque is {_shown(s, peaks[most], TORQUE)}, of {found[most][0]}"
    return [Segments("bows", pieces, FORCE, arrows=False), Segments("bow-tips", tips, FORCE)], [told]


def _bow(share: Array) -> tuple[Array, Array]:
    """A curved arrow about z for each share of the largest torque, in parts of the machine's size.

    Places of the bow (samples, pieces + 1, 3), and both ends (samples, 2, 3) of the head, which is tangent to it.
    """
    angle = WIDEST * share[:, None] * np.linspace(0.0, 1.0, PIECES + 1)
    bow = BOW * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=2)
    last = angle[:, -1]
    way = np.sign(share)[:, None] * np.stack([-np.sin(last), np.cos(last), 0.0 * last], axis=1)
    tip = np.stack([bow[:, -1] - TIP * way, bow[:, -1]], axis=1)
    return bow, np.where(np.abs(share)[:, None, None] > LEAST, tip, np.nan)


def _shown(s: Machine, value: float, dimension: Dimension) -> str:
    units = SI if s.mechanism.source is None else s.mechanism.source.units
    return format_quantity(value, dimension, effort_units(units), 3)
