"""Frequency response: the linearised equations solved at s = 2πi f, for any inputs and outputs, without modes.

    H(s) = s^k (c₀ + s c₁ + s² c₂) P(s)⁻¹ b,      P(s) = [s² M + s D + K, X; -(f_ψ + s f_w), s - f_x]

Unsymmetric damping and stiffness, named states and driven coordinates need nothing special; for a coordinate u that is
driven, P ζ = 0 in the rows of the others with ζ = u in its place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.linear.frequency_plots import bode, plane
from linkwork.analyses.linear.peaks import Pair, Peak, peaks_between, sampled_peaks
from linkwork.analyses.linear.set_points import Held
from linkwork.analyses.linear.signals import Input, Output
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.results import Result, build_result

if TYPE_CHECKING:
    from linkwork.analyses.linear.linearization import Linearization
    from linkwork.results.plots.description import Plot

COARSE = 0.25
"""Change of phase [rad], or of the logarithm of the magnitude, from sample to sample where more are taken."""
FINEST = 1e-4
"""Parts of a frequency nearer than which none are added."""
MOST, ROUNDS = 4000, 10
"""Frequencies, and rounds of halving, after which none are added."""
SAMPLES = 400
"""Frequencies over the whole range, besides those about resonances."""
PIECE = 512
"""Frequencies that are solved at a time."""
CLOSE = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2)
"""Parts of a resonance by which frequencies about it are apart, where it has no damping."""


class FrequencyResponse(Result):
    """Outputs over one or several inputs, complex, along the axis `frequency`; `plot` draws magnitude and phase.

    `H["P.x"]` is a signal over the frequencies, complex; with several inputs over `input` too.
    """

    __slots__ = ("_pairs",)
    _word = "frequency response"
    _pairs: tuple[Pair, ...]

    def __init__(self, data: Any, machine: Any = None, pairs: Sequence[Pair] = ()) -> None:
        super().__init__(data, machine)
        object.__setattr__(self, "_pairs", tuple(pairs))

    @property
    def peaks(self) -> tuple[Peak, ...]:
        """Resonances and antiresonances of all outputs over all inputs, by frequency, within the range of frequencies.

        They are true extremes, found from the equations; of a response that comes from a file, extremes of its samples.
        """
        f = self._data["frequency"].values
        found: list[Peak] = []
        for pair in self._pairs:
            found += peaks_between(pair, float(f[0]), float(f[-1]))
        if not self._pairs:
            found = sampled_peaks(self._data)
        return tuple(sorted(found, key=lambda p: p.frequency))

    def nyquist(self, *names: str, **options: Any) -> Any:
        """Draw the response in the complex plane, for positive and negative frequencies: a Nyquist plot.

        Parameters
        ----------
        names : of outputs; all by default
        options : `ax`, axes to draw into
        """
        ax = options.pop("ax", None)
        return plane(self, self._checked_names(names), True, **options).draw(ax)

    def polar(self, *names: str, **options: Any) -> Any:
        """Draw the response in the complex plane, with its resonances: size is the way from the origin.

        Parameters
        ----------
        names : of outputs; all by default
        options : `ax`, axes to draw into
        """
        ax = options.pop("ax", None)
        return plane(self, self._checked_names(names), False, **options).draw(ax)

    def _checked_names(self, names: Sequence[str]) -> tuple[str, ...]:
        asked = tuple(names) or tuple(str(n) for n in self._data.data_vars)
        problems = [self._names.unknown(n) for n in asked if n not in self._data.data_vars]
        if problems:
            raise InputError(problems, self.name)
        return asked

    def plot(self, *names: str, **options: Any) -> Any:
        """Draw magnitude and phase over the frequency, both frequencies and magnitudes logarithmic: a Bode plot.

        Parameters
        ----------
        names : of outputs; all by default
        options : `ax`, axes to draw into; `phase=False` for the magnitude alone
        """
        ax = options.pop("ax", None)
        return self.description(*names, **options).draw(ax)

    def description(self, *names: str, **options: Any) -> Plot:
        """What `plot` draws, apart from how it is drawn.

        Parameters
        ----------
        names, options : as of `plot`
        """
        return bode(self, self._checked_names(names), **options)


def frequency_response(
    linear: Linearization, inputs: str | Sequence[str], outputs: str | Sequence[str], frequencies: Any
) -> FrequencyResponse:
    """See `Linearization.frequency_response`."""
    given, wanted = linear.asked(inputs, outputs)
    if not given or not wanted:
        raise InputError(Problem("name an input and an output", hint="for example bode('A.effort', 'P.x')"))
    if frequencies is None:
        f = refined(linear._point, given, wanted, usual_frequencies(linear))
    else:
        f = _checked(frequencies, linear.machine.name)
    H = transfer(linear._point, given, wanted, 2j * np.pi * f)
    names = plain_names([w.name for w in wanted])
    several = len(given) > 1
    axes: dict[str, Any] = {"frequency": ("Hz", f)}
    if several:
        axes = {"input": [g.name for g in given], **axes}
    signals: dict[str, tuple[str, Any, Any]] = {}
    for i, (name, own) in enumerate(zip(names, wanted, strict=True)):
        along = ("input", "frequency") if several else "frequency"
        unit = per(own.unit, given[0].unit) if len({g.unit for g in given}) == 1 else own.unit
        signals[name] = (unit, along, H[:, i].T if several else H[:, i, 0])
    at_infinity = int((~np.isfinite(H)).any(axis=(1, 2)).sum())
    warnings = [*linear.warnings]
    if at_infinity:
        warnings.append(f"at {at_infinity} of {len(f)} frequencies an undamped resonance has no finite response")
    built = build_result(
        axes,
        signals,
        mechanism=linear.machine.name,
        analysis="frequency response",
        evidence={"inputs": [g.name for g in given], "outputs": [w.name for w in wanted]},
        warnings=warnings,
    )
    pairs = [Pair(linear._point, g, w, j) for j, g in enumerate(given) for w in wanted]
    return FrequencyResponse(built.arrays, linear.machine, pairs)


def transfer(point: Held, inputs: Sequence[Input], outputs: Sequence[Output], s: Any) -> Any:
    """H (frequencies, outputs, inputs) at complex s (frequencies,)."""
    c, held = point.c, point.held
    n, nx = len(held), point.at.x.shape[-1]
    free = np.concatenate([np.flatnonzero(~held), n + np.arange(nx)])
    H = np.empty((len(s), len(outputs), len(inputs)), complex)
    for start in range(0, len(s), PIECE):
        own = s[start : start + PIECE]
        p = own[:, np.newaxis, np.newaxis]
        P = np.zeros((len(own), n + nx, n + nx), complex)
        P[:, :n, :n] = p * p * c.M + p * c.D + c.K
        P[:, :n, n:] = c.X
        P[:, n:, :n] = -(c.f_psi + p * c.f_w)
        P[:, n:, n:] = p * np.eye(nx) - c.f_x
        right = np.zeros((len(own), n + nx, len(inputs)), complex)
        zeta = np.zeros((len(own), n + nx, len(inputs)), complex)
        for j, given in enumerate(inputs):
            if given.driven >= 0:
                right[:, :, j] = -P[:, :, given.driven]
                zeta[:, given.driven, j] = 1.0
            else:
                right[:, :, j] = given.b
        zeta[:, free] = _solved(P[:, free[:, np.newaxis], free], right[:, free])
        for i, wanted in enumerate(outputs):
            c0, c1, c2 = wanted.c
            row = (c0 + own[:, np.newaxis] * c1 + own[:, np.newaxis] ** 2 * c2) * own[:, np.newaxis] ** wanted.order
            H[start : start + PIECE, i] = np.einsum("fz,fzj->fj", row, zeta)
            at_once = np.array([wanted.at_once(j) for j in range(len(inputs))])
            H[start : start + PIECE, i] += at_once * own[:, np.newaxis] ** wanted.order
            if wanted.effort >= 0:
                for j, given in enumerate(inputs):
                    if given.driven < 0:
                        H[start : start + PIECE, i, j] -= given.b[wanted.effort]
        for j, given in enumerate(inputs):
            if given.order:
                H[start : start + PIECE, :, j] /= own[:, np.newaxis] ** given.order
    return H


def _solved(P: Any, right: Any) -> Any:
    """P⁻¹ right, infinite where P is singular."""
    if not P.shape[1]:
        return right
    with np.errstate(all="ignore"):
        try:
            return np.linalg.solve(P, right)
        except np.linalg.LinAlgError:
            found = np.full_like(right, np.inf)
            for k in range(len(P)):
                try:
                    found[k] = np.linalg.solve(P[k], right[k])
                except np.linalg.LinAlgError:
                    continue
            return found


def usual_frequencies(linear: Linearization) -> Array:
    """From a tenth of the lowest natural frequency to ten times the highest, finer about each of them [Hz]."""
    modes = [m for m in linear.modes() if m.eigenvalue != 0.0] if len(linear.coordinates) or linear.states else []
    natural = np.array([m.natural_frequency for m in modes])
    if not natural.size:
        return np.geomspace(0.01, 100.0, SAMPLES)
    found = [np.geomspace(0.1 * natural.min(), 10.0 * natural.max(), SAMPLES)]
    for mode in modes:
        if not mode.frequency:
            continue
        width = abs(mode.damping)
        parts = np.array(CLOSE) if width < CLOSE[0] else width * np.array([0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0, 3.0])
        parts = parts[parts < 0.5]
        top = mode.natural_frequency * np.sqrt(max(1.0 - 2.0 * width * width, 1e-6))
        found += [top * (1.0 + parts), top * (1.0 - parts)]
        found += [np.array([top])] if width > 1e-9 else []
    return np.unique(np.concatenate(found))


def refined(point: Held, inputs: Sequence[Input], outputs: Sequence[Output], f: Array) -> Array:
    """More frequencies where magnitude or phase changes fast from one to the next."""
    for _ in range(ROUNDS):
        H = transfer(point, inputs, outputs, 2j * np.pi * f).reshape(len(f), -1)
        with np.errstate(all="ignore"):
            change = np.log(H[1:] / H[:-1])
        coarse = (np.abs(change.real) > COARSE) | (np.abs(change.imag) > COARSE)
        between = np.flatnonzero(coarse.any(axis=1) & (np.diff(f) > FINEST * f[1:]))
        if not between.size or len(f) > MOST:
            break
        f = np.unique(np.concatenate([f, np.sqrt(f[between] * f[between + 1])]))
    return f


def _checked(frequencies: Any, source: str) -> Array:
    try:
        f = np.atleast_1d(np.asarray(frequencies, float))
    except (TypeError, ValueError):
        f = np.array([np.nan])
    problems = []
    if f.ndim != 1 or not f.size or not np.isfinite(f).all():
        problems.append(Problem("frequencies are finite numbers in Hz", "frequencies", "np.geomspace(0.1, 100, 400)"))
    elif (f <= 0.0).any():
        text = f"the frequency {f.min():g} Hz is not above zero"
        problems.append(Problem(text, "frequencies", "`step` tells what happens at 0 Hz: its end"))
    elif (np.diff(f) <= 0.0).any():
        problems.append(Problem("frequencies ascend", "frequencies", "sort them, each once"))
    if problems:
        raise InputError(problems, source)
    return f


def plain_names(names: Sequence[str]) -> list[str]:
    """Names that results may have; expressions without their signs."""
    found: list[str] = []
    for name in names:
        plain = re.sub(r"[^\w.-]+", "_", name).strip("_.-") or "output"
        plain = ".".join(part or "_" for part in plain.split("."))
        while plain in found:
            plain += "_"
        found.append(plain)
    return found


def per(unit: str, by: str) -> str:
    """One unit by another: 'rad/N', '(m/s)/(N m)'."""
    return unit if by == "1" else f"{enclosed(unit)}/{enclosed(by)}"


def enclosed(unit: str) -> str:
    """A unit as a factor: 'rad', '(m/s)'."""
    return f"({unit})" if any(c in unit for c in " /^") else unit
