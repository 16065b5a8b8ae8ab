"""Random vibration: spectra and effective values of outputs, from spectra of inputs that know nothing of each other.

With one-sided densities G [unit²/Hz], G_y(f) = Σ |H_yu(2πi f)|² G_u(f) and the mean square is ∫ G_y df. White noise of
all frequencies has it exact: C P Cᵀ with A P + P Aᵀ + Σ B Bᵀ G/2 = 0 (Lyapunov). Spectra with ends are straight lines
between their points when both axes are logarithmic; the integral is by Gauss's rule on pieces about all resonances,
halved until it stays. Crandall, Mark, Random Vibration in Mechanical Systems, 1963.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.linear.frequency import enclosed, plain_names, transfer, usual_frequencies
from linkwork.analyses.linear.signals import Input, Output
from linkwork.analyses.linear.state_space import channels
from linkwork.errors import Gathered, InputError, Problem
from linkwork.geometry import Array
from linkwork.results import Result, build_result
from linkwork.results.plots.description import Axis, Line, Panel, Plot

if TYPE_CHECKING:
    from linkwork.analyses.linear.linearization import Linearization

POINTS = 12
"""Of Gauss's rule on a piece."""
EXACT = 1e-9
"""Change of the effective value at which the pieces are fine enough."""
HALVINGS = 7
UNDAMPED = 1e-12
"""Damping below which a resonance has none."""


class RandomResponse(Result):
    """Spectral densities of outputs along the axis `frequency`; `rms` has their effective values."""

    __slots__ = ()
    _word = "random response"

    @property
    def rms(self) -> dict[str, float]:
        """Effective values by output, over all frequencies of the inputs' spectra."""
        return {str(n): float(x) for n, x in self.evidence["rms"].items()}

    def plot(self, *names: str, **options: Any) -> Any:
        """Draw the spectral densities, both axes logarithmic.

        Parameters
        ----------
        names : of outputs; all by default
        options : `ax`, axes to draw into
        """
        asked = names or tuple(str(n) for n in self._data.data_vars)
        problems = [self._names.unknown(n) for n in asked if n not in self._data.data_vars]
        if problems:
            raise InputError(problems, self.name)
        f, panels = self._data["frequency"].values, dict[str, list[Line]]()
        for k, name in enumerate(asked):
            own = self._data[name]
            line = Line(f"{name}, rms {self.rms[name]:.4g}", f, own.values, tint=k)
            panels.setdefault(str(own.attrs["units"]), []).append(line)
        over = Axis("frequency", "Hz", log=True)
        drawn = [Panel(over, Axis("density", unit, kind="density", log=True), tuple(x)) for unit, x in panels.items()]
        return Plot(tuple(drawn), title=f"random vibration of {self.name}").draw(options.pop("ax", None))


def random_response(
    linear: Linearization, inputs: Mapping[str, Any], outputs: str | Sequence[str], frequencies: Any
) -> RandomResponse:
    """See `Linearization.random`."""
    told = Gathered(linear.machine.name)
    spectra: list[float | tuple[Array, Array]] = []
    if not isinstance(inputs, Mapping) or not inputs:
        text = "name inputs with their spectra"
        raise InputError(Problem(text, "inputs", "for example {'wind': 0.1}"), linear.machine.name)
    for name, given in inputs.items():
        with told:
            spectra.append(_spectrum(given, f"inputs.{name}"))
    with told:
        linear.asked(list(inputs), outputs)
    told.tell()
    given, wanted = linear.asked(list(inputs), outputs)
    lowest, highest = _range(spectra)
    f = usual_frequencies(linear) if frequencies is None else np.atleast_1d(np.asarray(frequencies, float))
    if frequencies is None and np.isfinite(highest):
        ends = [x for own in spectra if not isinstance(own, float) for x in own[0]]
        f = np.unique(np.concatenate([np.geomspace(lowest, highest, 400), f, ends]))
        f = f[(f >= lowest) & (f <= highest)]
    if not (np.isfinite(f).all() and (f > 0.0).all() and (np.diff(f) > 0.0).all()):
        raise InputError(Problem("frequencies ascend and are above zero", "frequencies"), linear.machine.name)
    density = _density(linear, given, wanted, spectra, f)
    names, rms = plain_names([w.name for w in wanted]), np.zeros(len(wanted))
    error = 0.0
    for j, own in enumerate(spectra):
        if isinstance(own, float):
            rms += _white(linear, given[j], wanted, own)
        else:
            part, change = _tabulated(linear, given[j], wanted, own)
            rms, error = rms + part, max(error, change)
    effective = dict(zip(names, np.sqrt(rms).tolist(), strict=True))
    signals = {
        name: (f"{enclosed(own.unit)}^2/Hz", "frequency", density[:, i])
        for i, (name, own) in enumerate(zip(names, wanted, strict=True))
    }
    built = build_result(
        {"frequency": ("Hz", f)}, signals, mechanism=linear.machine.name, analysis="random vibration",
        evidence={"rms": effective, "integration": error}, warnings=list(linear.warnings),
    )  # fmt: skip
    return RandomResponse(built.data, linear.machine)


def _spectrum(given: Any, where: str) -> float | tuple[Array, Array]:
    """A number, of white noise; or frequencies and densities."""
    if isinstance(given, int | float | np.number):
        if not (np.isfinite(given) and given >= 0.0):
            raise InputError(Problem(f"{given!r} is no density", where, "give unit²/Hz, zero or more"))
        return float(given)
    try:
        f, G = (np.atleast_1d(np.asarray(x, float)) for x in given)
    except (TypeError, ValueError):
        hint = "a number for white noise, or ([10, 100], [0.1, 0.1]): frequencies and densities"
        raise InputError(Problem("no spectrum", where, hint)) from None
    problems = []
    if f.shape != G.shape or f.ndim != 1 or len(f) < 2:
        problems.append(Problem("as many frequencies as densities, two at least", where))
    elif not (np.isfinite(f).all() and (f > 0.0).all() and (np.diff(f) > 0.0).all()):
        problems.append(Problem("frequencies ascend and are above zero", where))
    elif not (np.isfinite(G).all() and (G > 0.0).all()):
        problems.append(
            Problem("densities are above zero", where, "the spectrum ends with its first and last frequency")
        )
    if problems:
        raise InputError(problems)
    return f, G


def _range(spectra: Sequence[float | tuple[Array, Array]]) -> tuple[float, float]:
    if any(isinstance(own, float) for own in spectra):
        return 0.0, np.inf
    tables = [own for own in spectra if not isinstance(own, float)]
    return min(float(f[0]) for f, _ in tables), max(float(f[-1]) for f, _ in tables)


def _values(own: float | tuple[Array, Array], f: Array) -> Array:
    """The density at frequencies; none beyond its ends."""
    if isinstance(own, float):
        return np.full_like(f, own)
    inside = (f >= own[0][0]) & (f <= own[0][-1])
    found: Array = np.where(inside, np.exp(np.interp(np.log(f), np.log(own[0]), np.log(own[1]))), 0.0)
    return found


def _density(
    linear: Linearization, inputs: Sequence[Input], outputs: Sequence[Output], spectra: Sequence[Any], f: Array
) -> Array:
    H = transfer(linear._point, inputs, outputs, 2j * np.pi * f)
    G = np.stack([_values(own, f) for own in spectra], axis=1)
    found: Array = np.einsum("foi,fi->fo", np.abs(H) ** 2, G)
    return found


def _tabulated(
    linear: Linearization, given: Input, outputs: Sequence[Output], own: tuple[Array, Array]
) -> tuple[Array, float]:
    """Mean squares, and how much the last halving changed them."""
    low, high = float(own[0][0]), float(own[0][-1])
    edges = [own[0], np.geomspace(low, high, 60)]
    for mode in linear.modes() if linear.coordinates or linear.states else ():
        own_f, width = mode.natural_frequency, abs(mode.damping) * mode.natural_frequency
        if low <= mode.frequency <= high and mode.frequency and abs(mode.damping) <= UNDAMPED:
            _must_be_silent(linear, given, outputs, mode.number, mode.frequency)
            continue
        spread = width * np.array([0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
        edges += [own_f + spread, own_f - spread]
    every = np.unique(np.concatenate(edges))
    every = every[(every >= low) & (every <= high)]
    x, weights = np.polynomial.legendre.leggauss(POINTS)
    before = None
    for _ in range(HALVINGS):
        half = 0.5 * np.diff(every)
        f = (every[:-1, np.newaxis] + half[:, np.newaxis] * (1.0 + x)).ravel()
        G = _density(linear, [given], outputs, [own], f)
        total = np.einsum("fo,f->o", G, (half[:, np.newaxis] * weights).ravel())
        change = np.inf if before is None else float(np.abs(total - before).max() / max(np.abs(total).max(), 1e-300))
        if change < EXACT:
            break
        before = total
        every = np.sort(np.concatenate([every, 0.5 * (every[1:] + every[:-1])]))
    return total, change


def _must_be_silent(linear: Linearization, given: Input, outputs: Sequence[Output], number: int, f: float) -> None:
    with np.errstate(all="ignore"):
        far, near = np.abs(
            transfer(linear._point, [given], outputs, 2j * np.pi * f * np.array([1.0 + 1e-5, 1.0 + 1e-7]))
        )
    if (near > 10.0 * far).any():
        text = f"mode {number} at {f:.5g} Hz has no damping: the effective value has no bound"
        raise InputError(Problem(text, f"inputs.{given.name}", "give a damper"), linear.machine.name)


def _white(linear: Linearization, given: Input, outputs: Sequence[Output], G: float) -> Array:
    """Mean squares under white noise, exact."""
    from scipy.linalg import solve_continuous_lyapunov

    where, source = f"inputs.{given.name}", linear.machine.name
    own = channels(linear.matrices, linear._point, [given], outputs)
    if own.B[:, 0, 1:].any() or own.D[:, 0, 1:].any():
        hint = f"say '{given.name}.acceleration', or give a spectrum with ends"
        raise InputError(Problem("white noise of a motion has no finite rate", where, hint), source)
    loud = [wanted.name for wanted, through in zip(outputs, own.D[:, 0, 0], strict=True) if through]
    if loud:
        text = f"{', '.join(loud)} follows white noise at once: its effective value has no bound"
        raise InputError(Problem(text, where, "give a spectrum with ends: ([1, 100], [0.1, 0.1])"), source)
    A, B, C = own.A, own.B[:, 0, 0], own.C
    kept = np.ones(len(A), bool)
    while True:  # what no output and no other state sees may drift
        unseen = kept & ~C.any(axis=0) & ~np.where(np.eye(len(A), dtype=bool), 0.0, A)[kept].any(axis=0)
        if not unseen.any():
            break
        kept &= ~unseen
    A, B, C = A[np.ix_(kept, kept)], B[kept], C[:, kept]
    if not len(A):
        return np.zeros(len(outputs))
    values = np.linalg.eigvals(A)
    worst = values[int(values.real.argmax())]
    if worst.real > -UNDAMPED * np.abs(values).max():
        what = (
            f"the mode at {abs(worst.imag) / (2 * np.pi):.5g} Hz" if worst.imag else "a motion that nothing brings back"
        )
        text = f"{what} does not die away: white noise makes it grow without bound"
        raise InputError(Problem(text, where, "give dampers, or a spectrum with ends"), source)
    P = solve_continuous_lyapunov(A, -0.5 * G * np.outer(B, B))
    found: Array = np.maximum(np.einsum("oi,ij,oj->o", C, P, C), 0.0)
    return found
