"""Postures of many samples, and what should be known about them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.failures import ClosureError
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.drives import Drive
from linkwork.geometry import Array


@dataclass(frozen=True, eq=False)
class Course:
    """Laws of time of the drives, in their order, with their names, and the times of the samples [s]."""

    laws: tuple[Drive, ...]
    names: tuple[str, ...]
    times: Array


@dataclass(frozen=True)
class Integrated:
    """What only rates determine, and how it was found.

    names : rates that were held; idle : those of them that move nothing else
    tolerance : error of a step [rad, or parts of the machine's size]; steps, rejected : made inside, and taken back
    exchanged : samples from which on other idle rates were held, and their names
    leapt : samples over which a singular posture was leapt
    """

    names: tuple[str, ...]
    idle: tuple[str, ...]
    tolerance: float
    steps: int
    rejected: int
    exchanged: tuple[tuple[int, tuple[str, ...]], ...] = ()
    leapt: tuple[int, ...] = ()


@dataclass(eq=False)
class Swept:
    """Postures of many samples.

    Y : variables (samples, ny); rates : their rates, accelerations, ... (samples, nw) each, as many as were given
    residual, quality, iterations : by sample; singular : samples where the independent rates do not determine the rest
    stop : why the last samples are missing, or None; asked : number of samples asked for
    crossed : samples before which the path ran through a singular posture
    carried, blank : singular samples whose rates were interpolated, and those that have none
    integrated : what only rates determine; None where variables determine all
    """

    loops: Loops
    independent: Mask
    Y: Array
    rates: list[Array]
    residual: Array
    quality: Array
    iterations: NDArray[np.int64]
    singular: NDArray[np.int64]
    asked: int
    stop: ClosureError | None = None
    crossed: list[int] = field(default_factory=list)
    carried: list[int] = field(default_factory=list)
    blank: list[int] = field(default_factory=list)
    integrated: Integrated | None = None

    @property
    def warnings(self) -> list[str]:
        """What else should be known, as texts."""
        texts = []
        for samples, what in (
            (self.carried, "rates there are interpolated from the samples around"),
            (self.blank, "the drives do not determine all rates there, which are left blank (nan)"),
        ):
            if samples:
                more = f" and {len(samples) - 3} more" if len(samples) > 3 else ""
                texts.append(f"singular posture at sample {', '.join(str(k) for k in samples[:3])}{more}: {what}")
        beside = {k + d for k in self.singular.tolist() for d in (-1, 0, 1, 2)}
        crossed = [k for k in self.crossed if k not in beside]
        if crossed:
            more = f" and {len(crossed) - 3} more" if len(crossed) > 3 else ""
            where = ", ".join(f"{k - 1} and {k}" for k in crossed[:3])
            texts.append(f"the path runs through a singular posture between samples {where}{more}")
        if self.integrated is not None:
            for k, names in self.integrated.exchanged:
                texts.append(f"from sample {k} on {', '.join(names)} is held: the idle rate before determines no more")
            if self.integrated.leapt:
                held, where = ", ".join(self.integrated.names), f"sample {self.integrated.leapt[0]}"
                texts.append(f"{held} is held through a singular posture at {where}: what it determines is rough there")
        return texts

    @property
    def reached(self) -> int:
        """Number of samples that are there."""
        return len(self.Y)


def part_of(found: Swept, first: int, count: int) -> Swept:
    """Some samples of a sweep that went further."""
    own = slice(first, first + count)
    singular = found.singular[(found.singular >= first) & (found.singular < first + count)] - first
    stop = None if found.reached >= first + count else found.stop
    result = Swept(
        found.loops, found.independent, found.Y[own], [r[own] for r in found.rates], found.residual[own],
        found.quality[own], found.iterations[own], singular, count, stop,
    )  # fmt: skip
    result.crossed, result.carried, result.blank = (
        [k - first for k in own if first <= k < first + count] for own in (found.crossed, found.carried, found.blank)
    )
    if found.integrated is not None:
        exchanged = tuple((max(k - first, 0), names) for k, names in found.integrated.exchanged if k < first + count)
        leapt = tuple(k - first for k in found.integrated.leapt if first <= k < first + count)
        result.integrated = replace(found.integrated, exchanged=exchanged, leapt=leapt)
    return result


def keep_first(found: Swept, count: int) -> None:
    """Keep the first samples only."""
    found.Y, found.residual, found.quality = found.Y[:count], found.residual[:count], found.quality[:count]
    found.iterations, found.rates = found.iterations[:count], [level[:count] for level in found.rates]
    found.singular = found.singular[found.singular < count]
    found.crossed, found.carried, found.blank = (
        [k for k in own if k < count] for own in (found.crossed, found.carried, found.blank)
    )
