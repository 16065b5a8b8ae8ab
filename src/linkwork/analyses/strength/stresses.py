"""Stress at both ends of a straight segment, from the force and moment that act on each end.

Of a rigid body only its ends are known: what its own mass and other loads take lies somewhere between them. So the
sections at the two ends are judged, and the greater counts (Vukobratović, Potkonjak, sec. 3.5): the moment at each end
is split into torsion along the segment and bending across it, and

    normal = |N| / A + bending,   shear = |M_t| / W_t,   von Mises = √(normal² + 3 shear²)

with bending = √(My² + Mz²) / W of tubes and |My| / Wy + |Mz| / Wz of others. The greatest normal and the greatest
shear stress are taken together, as if in one fibre: never less than the truth. Stress of the shear forces is left out:
it vanishes in the outermost fibres, and is small unless a segment is as short as it is high. So are notches, buckling
and oscillation.

Between the ends more may be carried than at both: a beam on two pins has no bending at its ends. So a segment is called
safe only where no load acts between them, no component is merely assumed, and weight and inertia are next to nothing
(`NEGLIGIBLE`) and could not bend it too far; else it is not judged. A load of sum F and moment M about the middle whose
direction changes no more than once along the segment bends it by at most 3/4 F L + M beyond what its ends carry.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from linkwork.analyses.strength.sections import Section
from linkwork.errors import InputError, ModelError, Problem
from linkwork.geometry import Array
from linkwork.geometry.types import ArrayLike
from linkwork.geometry.vectors import as_vectors, length
from linkwork.model.vectors import positive

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results import Panels, Run
    from linkwork.results.signals import Units

SIDES: tuple[Literal["lower"], Literal["upper"]] = ("lower", "upper")
ROUNDING = 1e-9
"""Utilisation beyond 1 that is no more than rounding."""
NEGLIGIBLE = 0.05
"""Share that weight and inertia may have of the loads at the ends."""
LITTLE = 1e5
"""A strength [Pa] that no material of machines is as weak as: most likely given in MPa."""
CRITERIA = ("normal stress", "shear stress", "von Mises stress")


@dataclass(frozen=True)
class Allowable:
    """What a material may bear: a strength, such as its yield point, over a safety factor.

    normal : strength in tension and compression [Pa]
    shear : strength in shear [Pa]; without, normal / √3, as von Mises has it
    safety : factor by which both are divided
    """

    normal: float
    shear: float | None = None
    safety: float = 1.0

    def __post_init__(self) -> None:
        problems: list[Problem] = []
        for name, value in (("normal", self.normal), ("shear", self.shear), ("safety", self.safety)):
            try:
                if value is not None:
                    positive(value, f"allowable.{name}")
            except ModelError as error:
                problems += error.problems
        if problems:
            raise InputError(problems)

    @property
    def normal_stress(self) -> float:
        """Allowed normal and von Mises stress [Pa]: normal / safety."""
        return self.normal / self.safety

    @property
    def shear_stress(self) -> float:
        """Allowed shear stress [Pa]: shear / safety."""
        return (self.normal / math.sqrt(3.0) if self.shear is None else self.shear) / self.safety


@dataclass(frozen=True)
class WorstStress:
    """The sample and the end at which a segment is used most.

    sample, time : its number, and its time [s] (None where there is none)
    end : name of the end; side : "lower" or "upper"
    normal, shear, von_mises : stresses there [Pa]
    utilisation : stress over allowable there; None without an allowable
    criterion : which stress comes nearest to what is allowed: one of `CRITERIA`
    """

    sample: int
    time: float | None
    end: str
    side: Literal["lower", "upper"]
    normal: float
    shear: float
    von_mises: float
    utilisation: float | None
    criterion: str


@dataclass(frozen=True, eq=False)
class Stress:
    """Stress in a segment of a body; made by `stress` from a run and by `segment_stress` from arrays.

    Axes of the segment: x from the lower to the upper end, z up the height of the section. Arrays of stress and of
    load have a row for each sample and a column for each end, lower and upper.

    lower, upper : force and moment on the segment at its ends (samples, 6) [N, N m], along its axes
    section, length : cross section, and distance of the ends [m]
    allowable : what the material may bear; None if none was given
    body, ends : names
    attached : names of joints and loads counted at the "lower" and the "upper" end, and those "between"
    inner : by name, force and moment about the lower end of what acts between the ends (samples, 6) [N, N m]
    assumed : components of reactions that are statically indeterminate and were taken as zero: "A.fz"
    assume_zero : whether it is judged with them as zero
    warnings : what you should know
    time : [s] of the samples; None of plain arrays without
    run : the run of which it was asked; None of plain arrays
    """

    lower: Array
    upper: Array
    section: Section
    length: float
    allowable: Allowable | None = None
    body: str = "segment"
    ends: tuple[str, str] = SIDES
    attached: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inner: Mapping[str, Array] = field(default_factory=dict, repr=False)
    assumed: tuple[str, ...] = ()
    assume_zero: bool = False
    warnings: tuple[str, ...] = ()
    time: Array | None = None
    run: Run | None = field(default=None, repr=False)

    @cached_property
    def loads(self) -> Array:
        """N, Vy, Vz, M_t, My, Mz inside both end sections (samples, 2, 6): what the upper side does to the lower."""
        return np.stack([-self.lower, self.upper], axis=1)

    @property
    def axial(self) -> Array:
        """Normal force N [N]; tension is positive."""
        return self.loads[..., 0]

    @property
    def shear_force(self) -> Array:
        """Size of the force across the segment [N]."""
        return length(self.loads[..., 1:3])

    @property
    def torsion(self) -> Array:
        """Moment along the segment [N m]."""
        return self.loads[..., 3]

    @property
    def bending(self) -> Array:
        """Size of the moment across the segment [N m]."""
        return length(self.loads[..., 4:6])

    @cached_property
    def normal_stress(self) -> Array:
        """Greatest normal stress [Pa]: |N| / A and that of bending."""
        bent = self.section.bending_stress(self.loads[..., 4], self.loads[..., 5])
        return np.abs(self.axial) / self.section.area + bent

    @cached_property
    def shear_stress(self) -> Array:
        """Greatest shear stress [Pa]: |M_t| / W_t."""
        return np.abs(self.torsion) / self.section.torsion_modulus

    @cached_property
    def von_mises(self) -> Array:
        """√(normal² + 3 shear²) [Pa]."""
        return np.hypot(self.normal_stress, math.sqrt(3.0) * self.shear_stress)

    @cached_property
    def utilisation(self) -> Array:
        """Greatest of the three stresses over what is allowed; more than 1 is too much."""
        greatest: Array = self._ratios.max(axis=0)
        return greatest

    @cached_property
    def _ratios(self) -> Array:
        """Stress over allowable, by criterion."""
        if self.allowable is None:
            raise InputError(Problem("no allowable stress is given", self.body, "say allowable=lw.Allowable(...)"))
        allowed = (self.allowable.normal_stress, self.allowable.shear_stress, self.allowable.normal_stress)
        found = (self.normal_stress, self.shear_stress, self.von_mises)
        return np.stack([stress / limit for stress, limit in zip(found, allowed, strict=True)])

    @cached_property
    def worst(self) -> WorstStress:
        """Where it is used most; without an allowable, where the von Mises stress is greatest."""
        measure = self.von_mises if self.allowable is None else self.utilisation
        sample, side = (int(i) for i in np.unravel_index(np.argmax(measure), measure.shape))
        used = None if self.allowable is None else float(measure[sample, side])
        nearest = 2 if self.allowable is None else int(np.argmax(self._ratios[:, sample, side]))
        return WorstStress(
            sample=sample,
            time=None if self.time is None else float(self.time[sample]),
            end=self.ends[side],
            side=SIDES[side],
            normal=float(self.normal_stress[sample, side]),
            shear=float(self.shear_stress[sample, side]),
            von_mises=float(self.von_mises[sample, side]),
            utilisation=used,
            criterion=CRITERIA[nearest],
        )

    @property
    def safe(self) -> bool:
        """Whether all is known that matters, and stays within what is allowed; False also where it is not `judged`."""
        return self.judged and not self._too_much

    @property
    def judged(self) -> bool:
        """Whether there is a verdict: an end bears too much, or nothing is `uncounted`."""
        return self._too_much or not self.uncounted

    @property
    def _too_much(self) -> bool:
        """Whether an end bears more than allowed. What is uncounted never makes that less."""
        return bool(self.utilisation.max() > 1.0 + ROUNDING)

    @cached_property
    def uncounted(self) -> tuple[str, ...]:
        """What matters and is not in the stress at the ends, in words; none where the ends tell all."""
        parts = list(self._inner_names)
        share, bent = self._share(self._own), self._hidden_bending
        if share > NEGLIGIBLE:
            parts.append(f"weight and inertia, {100.0 * share:.3g} % of the loads at the ends")
        elif bent > 0.0 and self.utilisation.max() + bent > 1.0:
            parts.append(f"weight and inertia, which may bend it by up to {100.0 * bent:.3g} % of what is allowed")
        texts = [f"what acts between the ends ({'; '.join(parts)})"] if parts else []
        if self.assumed and not self.assume_zero:
            texts.append(f"what is statically indeterminate ({', '.join(self.assumed)})")
        return tuple(texts)

    @cached_property
    def _inner_names(self) -> tuple[str, ...]:
        """Loads between the ends that are more than rounding."""
        return tuple(name for name, wrench in self.inner.items() if self._share(wrench) > ROUNDING)

    @cached_property
    def _own(self) -> Array:
        """Force and moment about the lower end that weight and inertia take (samples, 6)."""
        own: Array = self.between + sum(self.inner.values())
        return own

    @cached_property
    def _hidden_bending(self) -> float:
        """Bending stress that weight and inertia may add over what is allowed, from 3/4 F L + M; 0 if none is given."""
        if self.allowable is None:
            return 0.0
        force, moment = self._about_middle(self._own)
        about_z, about_y = (0.75 * self.length * np.abs(force[:, 1:]) + np.abs(moment[:, :0:-1])).T
        return float(self.section.bending_stress(about_y, about_z).max()) / self.allowable.normal_stress

    def _about_middle(self, wrench: Array) -> tuple[Array, Array]:
        """Force, and the moment about the middle of the segment, from that about its lower end."""
        return wrench[:, :3], wrench[:, 3:] - 0.5 * self.length * np.cross([1.0, 0.0, 0.0], wrench[:, :3])

    def _share(self, wrench: Array) -> float:
        """Size of a force and a moment about the lower end relative to the greatest that act on the segment."""
        every = (self.lower, self.upper, *self.inner.values())
        most = max(float(length(w[:, :3]).max()) for w in every)
        turn = most * self.length + max(float(length(w[:, 3:]).max()) for w in every)
        if turn == 0.0:
            return 0.0
        force, moment = self._about_middle(wrench)
        pushed = float(length(force).max()) / most if most > 0.0 else 0.0
        return max(pushed, float(length(moment).max()) / turn)

    @cached_property
    def between(self) -> Array:
        """Force and moment about the lower end that are taken between the ends (samples, 6) [N, N m].

        The sum of what acts on both ends: 0 of a segment without mass that nothing else acts on. Its weight, its
        inertia and loads between the ends take it up, in a way that a rigid body does not tell.
        """
        lever = self.length * np.cross([1.0, 0.0, 0.0], self.upper[:, :3])
        whole: Array = self.lower + self.upper + np.concatenate([np.zeros_like(lever), lever], axis=1)
        return whole

    @property
    def unbalanced(self) -> float:
        """Greatest force taken between the ends over the greatest that acts; or the same of moments, if that is more.

        Of moments: about the middle, over the greatest moment that acts and the greatest force times the length.
        """
        return self._share(self.between)

    @property
    def message(self) -> str:
        """The verdict in a sentence."""
        w = self.worst
        at = f"sample {w.sample}" if w.time is None else f"{w.time:.4g} s"
        text = f"{self.body}: at its ends at most {w.von_mises / 1e6:.4g} MPa (von Mises), at {w.end}, {at}"
        left = f"; {' and '.join(self.uncounted)} is not counted" if self.uncounted else ""
        if w.utilisation is None:
            return text + left
        text += f"; {w.criterion} is {100.0 * w.utilisation:.3g} % of what is allowed"
        if not self.judged:
            return f"{text}{left}: not judged"
        if self._too_much:
            return f"{text}: too much"
        return text + (": safe, with what is indeterminate taken as zero" if self.assumed else ": safe")

    def __repr__(self) -> str:
        head = f"Stress('{self.body}', {self.section}, {len(self.lower)} samples)\n  {self.message}"
        return "\n".join([head, *(f"  warning: {text}" for text in self.warnings)])

    def plot(self, *, x: str = "time", units: Units = None, ax: Axes | Sequence[Axes] | None = None) -> Panels:
        """Plot the greater of both ends: the three stresses and, with an allowable, the utilisation.

        Parameters
        ----------
        x : the signal of the run to plot over
        units : units to show; without, N/mm^2
        ax : axes to draw into, one a panel; a new figure without
        """
        from linkwork.analyses.strength.plot_units import DRAWING, abscissa, titled
        from linkwork.results.plots import Mark, Quantity, Series, describe_over

        found = (self.normal_stress, self.shear_stress, self.von_mises)
        shown = [Quantity(name, "Pa", values.max(axis=1)) for name, values in zip(CRITERIA, found, strict=True)]
        if self.allowable is not None:
            shown.append(Quantity("utilisation", "1", self.utilisation.max(axis=1)))
        over = abscissa(self.run, x, self.time, len(self.lower))
        title = titled(f"stress in {self.body}", self.run)
        plot = describe_over([Series(shown, over)], units=units, title=title, default=DRAWING)
        panels = [replace(plot.panels[0], y=replace(plot.panels[0].y, kind="stress")), *plot.panels[1:]]
        if self.allowable is not None:
            panels[1] = replace(panels[1], marks=(Mark(1.0, "allowed", along="y"),))
        return replace(plot, panels=tuple(panels), notes=self.warnings).draw(ax)


def segment_stress(
    lower: ArrayLike,
    upper: ArrayLike,
    section: Section,
    length: float,
    allowable: Allowable | None = None,
    *,
    time: ArrayLike | None = None,
) -> Stress:
    """Stress at both ends of a segment from the force and moment on each.

    Parameters
    ----------
    lower, upper : (samples, 6) force [N] and moment [N m] on the segment at each end, along its axes: x from the lower
        to the upper end, z up the height of the section
    section : `TubeSection`, `RectangleSection` or `IBeamSection`
    length : distance of the ends [m]
    allowable : what the material may bear
    time : of the samples [s]
    """
    given = {"lower": as_vectors(lower, "lower", 6), "upper": as_vectors(upper, "upper", 6)}
    problems = []
    for name, wrench in given.items():
        if wrench.ndim != 2 or wrench.shape != given["lower"].shape or not wrench.size:
            problems.append(Problem(f"its shape is {wrench.shape}", name, "give (samples, 6) at both ends"))
        elif not np.isfinite(wrench).all():
            sample = int(np.argmin(np.isfinite(wrench).all(axis=1)))
            problems.append(Problem(f"sample {sample} is not finite", name, "leave such samples out"))
    clock = None if time is None else np.asarray(time, dtype=np.float64)
    if clock is not None and clock.shape != given["lower"].shape[:1]:
        problems.append(Problem(f"its shape is {clock.shape}", "time", "give one time a sample"))
    if not isinstance(section, Section):
        hint = "use lw.TubeSection, lw.RectangleSection or lw.IBeamSection"
        problems.append(Problem(f"{section!r} is not a cross section", "section", hint))
    if problems:
        raise InputError(problems)
    span = positive(length, "length")
    warnings = _doubts(section, span, allowable)
    return Stress(given["lower"], given["upper"], section, span, allowable, warnings=warnings, time=clock)


def _doubts(section: Section, length: float, allowable: Allowable | None) -> tuple[str, ...]:
    """Numbers that look like those of another unit."""
    texts = []
    across = 2.0 * max(section.reach)
    if across > length:
        texts.append(f"the section, {across:.4g} m across, is wider than the segment is long, {length:.4g} m")
    for name in ("normal", "shear"):
        value = None if allowable is None else getattr(allowable, name)
        if value is not None and value < LITTLE:
            texts.append(f"the {name} strength, {value:.4g} Pa, is very little: is it {value:.4g}*MPa?")
    return tuple(texts)
