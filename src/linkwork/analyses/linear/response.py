"""Small motions in time, exact: z' = A z + B u by matrix exponentials, which need no eigenvectors.

Constants and harmonics are solutions of equations of their own, e' = S e, which are joined to the machine's. All other
laws are polynomials from piece to piece (`numerics.stepping.law_pieces`): with u(τ) = Σ u_k τ^k / k! on a step h,

    z(h) = e^{A h} z + Σ G_k u_k,      [e^{A h}, G_0, G_1, ...] from the exponential of [A, B; 0, shift] h.

Zero, repeated and defective eigenvalues are like all others. Uicker, Ravani, Sheth, Matrix Methods, 14.3 get the same
from Jordan's form. A driven coordinate whose rate jumps gives the others the jump that goes with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.linear.frequency import plain_names
from linkwork.analyses.linear.input_laws import Own, Pieced, ahead, coefficients_at, first_derivatives, law_of
from linkwork.analyses.linear.signals import Input
from linkwork.analyses.linear.state_space import CHANNELS, Channels, channels
from linkwork.errors import Gathered, InputError, Problem, did_you_mean
from linkwork.geometry import Array
from linkwork.results import Result, build_result

if TYPE_CHECKING:
    from linkwork.analyses.linear.linearization import Linearization

JUMP = 1e-9
"""Part of the size of a law by which it jumps, and is not only rounded."""


def usual_duration(linear: Linearization) -> float:
    """Until the slowest motion has died away, or has swung five times [s]."""
    slow = [0.0]
    for mode in linear.modes():
        if mode.eigenvalue.real < -1e-9 * abs(mode.eigenvalue):
            slow.append(min(5.0 * mode.decay, 200.0 / abs(mode.eigenvalue)))
        elif mode.frequency:
            slow.append(5.0 / mode.frequency)
        elif mode.eigenvalue:
            slow.append(3.0 / abs(mode.eigenvalue))
    return max(slow) or 1.0


# ---------------------------------------------------------------- responses


def response(
    linear: Linearization,
    inputs: Mapping[str, Any],
    outputs: str | Sequence[str],
    until: float,
    samples: int,
    start: Mapping[str, float],
    rates: Mapping[str, float],
) -> Result:
    """See `Linearization.response`."""
    names = _outputs(linear, outputs)
    told = Gathered(linear.machine.name)
    z0 = np.zeros(0)
    with told:
        _check_end(until, samples)
    with told:
        z0 = _start(linear, start, rates)
    with told:
        linear.asked(list(inputs), names)
    told.tell()
    given, wanted = linear.asked(list(inputs), names)
    laws: list[Own | Pieced] = []
    with told:
        laws = [law_of(law, own, until) for law, own in zip(inputs.values(), given, strict=True)]
    told.tell()
    system = channels(linear.matrices, linear._point, given, wanted)
    t = np.linspace(0.0, until, samples)
    z0 = np.concatenate([z0, np.zeros(len(system.A) - len(z0))])  # what velocities and accelerations drive starts at 0
    Y, U = _solved(system, given, laws, z0, t)
    return _result(linear, t, names, wanted, Y, given, U, "response", _too_coarse(given, laws, t))


def _too_coarse(given: Sequence[Input], laws: Sequence[Own | Pieced], t: Array) -> list[str]:
    """Harmonics of which the samples, right as they are, show another frequency: those above Nyquist's."""
    most = 0.5 * (len(t) - 1) / t[-1]
    told = []
    for own, law in zip(given, laws, strict=True):
        f = law.frequency if isinstance(law, Own) else 0.0
        if f > most * (1.0 + 1e-9):
            needed = int(np.ceil(20.0 * f * t[-1])) + 1
            text = (
                f"{own.name} swings at {f:.6g} Hz, which samples every {t[1]:.4g} s cannot show (up to {most:.6g} Hz)"
            )
            told.append(f"{text}: samples={needed} have ten in each half of its periods")
    return told


def impulse_response(
    linear: Linearization, inputs: str, outputs: str | Sequence[str], until: float, samples: int
) -> Result:
    """See `Linearization.impulse`."""
    names = _outputs(linear, outputs)
    given, wanted = linear.asked(inputs, names)
    _check_end(until, samples)
    if given[0].driven >= 0 and not given[0].order:
        hint = "an impulse is of an effort or a load"
        raise InputError(Problem(f"'{inputs}' is a motion, which cannot jump", "inputs", hint), linear.machine.name)
    system = channels(linear.matrices, linear._point, given, wanted)
    t = np.linspace(0.0, until, samples)
    Y, _ = _solved(system, [], [], system.B[:, 0, 0], t)
    return _result(linear, t, names, wanted, Y, [], np.zeros((samples, 0)), "impulse response")


def _outputs(linear: Linearization, outputs: str | Sequence[str]) -> list[str]:
    if isinstance(outputs, str):
        return [outputs]
    return list(outputs) or [*linear.coordinates, *linear.states]


def _check_end(until: Any, samples: Any) -> None:
    problems = []
    if not (isinstance(until, int | float | np.number) and 0.0 < float(until) < np.inf):
        problems.append(Problem(f"{until!r} is no end of a response", "until", "give seconds above zero"))
    if not (isinstance(samples, int | np.integer) and samples >= 2):
        problems.append(Problem(f"{samples!r} samples", "samples", "two at least"))
    if problems:
        raise InputError(problems)


def _start(linear: Linearization, start: Mapping[str, float], rates: Mapping[str, float]) -> Array:
    """z at the beginning: small displacements, rates and states by name."""
    names, n = linear.coordinates, len(linear.coordinates)
    places = {name: k for k, name in enumerate(names)}
    places |= {name.rpartition(".")[0]: k for k, name in enumerate(names) if _alone(name, names)}
    z = np.zeros(2 * n + len(linear.states))
    problems = []
    for what, values, first in (("start", start, 0), ("rates", rates, n)):
        known = dict(places) | ({s: 2 * n + k for k, s in enumerate(linear.states)} if what == "start" else {})
        for name, value in values.items():
            if name not in known:
                text = f"'{name}' is no free coordinate" + (" or state" if what == "start" else "")
                problems.append(Problem(text, f"{what}.{name}", did_you_mean(str(name), known)))
            elif not np.isfinite(value):
                problems.append(Problem("one finite number is wanted", f"{what}.{name}"))
            else:
                k = known[name]
                z[k if k >= 2 * n else k + first] = float(value)
    if problems:
        raise InputError(problems, linear.machine.name)
    return z


def _alone(name: str, names: Sequence[str]) -> bool:
    owner = name.rpartition(".")[0]
    return sum(other.rpartition(".")[0] == owner for other in names) == 1


def _solved(
    system: Channels, inputs: Sequence[Input], laws: Sequence[Own | Pieced], z0: Array, t: Array
) -> tuple[Array, Array]:
    """Outputs (samples, outputs) and inputs (samples, inputs)."""
    from scipy.linalg import expm

    N = len(system.A)
    own = [(j, law) for j, law in enumerate(laws) if isinstance(law, Own)]
    pieced = [(j, law) for j, law in enumerate(laws) if isinstance(law, Pieced)]
    size = N + sum(len(law.start) for _, law in own)
    A, C = np.zeros((size, size)), np.zeros((len(system.C), size))
    A[:N, :N], C[:, :N] = system.A, system.C
    z, at = np.zeros(size), N
    z[:N] = z0
    U_rows = np.zeros((len(laws), size))
    for j, law in own:
        part = slice(at, at + len(law.start))
        A[:N, part] = system.B[:, j] @ law.rows
        A[part, part] = law.S
        C[:, part] = system.D[:, j] @ law.rows
        U_rows[j, part] = law.rows[0]
        z[part] = law.start
        at = part.stop
        z[:N] += _jump(system, inputs[j], j, law.rows @ law.start)
    edges = np.unique(np.concatenate([t, *(law.edges[law.edges <= t[-1]] for _, law in pieced)]))
    edges = edges[np.concatenate([[True], np.diff(edges) > 1e-13 * t[-1]])]
    degree = max((law.taylor.shape[1] for _, law in pieced), default=0)
    columns = np.concatenate([system.B[:, j, :] for j, _ in pieced], axis=1) if pieced else np.zeros((N, 0))
    wide = np.zeros((size, columns.shape[1]))
    wide[:N] = columns
    steps: dict[float, tuple[Array, list[Array]]] = {}

    def step_of(h: float) -> tuple[Array, list[Array]]:
        key = float(f"{h:.12e}")
        if key not in steps:
            m = wide.shape[1]
            big = np.zeros((size + m * degree, size + m * degree))
            big[:size, :size] = A
            if m:
                big[:size, size : size + m] = wide
                for k in range(degree - 1):
                    rows = slice(size + m * k, size + m * (k + 1))
                    big[rows, rows.stop : rows.stop + m] = np.eye(m)
            E = expm(big * h)
            steps[key] = E[:size, :size], [E[:size, size + m * k : size + m * (k + 1)] for k in range(degree)]
        return steps[key]

    Y, U = np.zeros((len(t), len(C))), np.zeros((len(t), len(laws)))
    before = {j: np.zeros(CHANNELS) for j, _ in pieced}
    sample = 0
    for e, now in enumerate(edges):
        taylor = {j: coefficients_at(law, now, now == edges[-1]) for j, law in pieced}
        for j, _ in pieced:
            c = np.concatenate([taylor[j], np.zeros(CHANNELS)])[:CHANNELS]
            if now < edges[-1]:
                z[:N] += _jump(system, inputs[j], j, c - before[j])
        if sample < len(t) and abs(now - t[sample]) <= 1e-12 * t[-1]:
            Y[sample] = C @ z + sum(
                (system.D[:, j] @ first_derivatives(taylor[j]) for j, _ in pieced), np.zeros(len(C))
            )
            U[sample] = U_rows @ z
            for j, _ in pieced:
                U[sample, j] = taylor[j][0]
            sample += 1
        if e + 1 == len(edges):
            break
        h = float(edges[e + 1] - now)
        E, G = step_of(h)
        z = E @ z
        if pieced:
            # u and its derivatives are channels of their own, each a polynomial
            for k in range(degree):
                z = z + G[k] @ np.concatenate([first_derivatives(taylor[j][k:])[:CHANNELS] for j, _ in pieced])
        for j, _ in pieced:
            before[j] = ahead(taylor[j], h)
    return Y, U


def _jump(system: Channels, own: Input, j: int, change: Array) -> Array:
    """What a jump of an input and of its rate makes of z at once."""
    if own.driven < 0:
        return np.zeros(len(system.A))
    if own.order:  # a velocity may jump, and pushes the others as it does
        pushed: Array = system.B[:, j, 1] * change[0]
        return pushed
    if abs(change[0]) > JUMP * max(1.0, abs(change[0])) and (system.B[:, j, 1].any() or system.B[:, j, 2].any()):
        hint = "begin at zero, with a ramp or a smoother law"
        raise InputError(Problem("the motion jumps, which takes forces without end", f"inputs.{own.name}", hint))
    found: Array = system.B[:, j, 2] * change[1]
    return found


def _result(
    linear: Linearization, t: Array, names: Sequence[str], wanted: Sequence[Any], Y: Array, given: Sequence[Input],
    U: Array, analysis: str, warnings: Sequence[str] = (),
) -> Result:  # fmt: skip
    signals: dict[str, tuple[str, str, Any]] = {}
    for name, own, column in zip(plain_names(list(names)), wanted, Y.T, strict=True):
        signals[name] = (own.unit, "time", column)
    for own, column in zip(given, U.T, strict=True):
        if own.name not in signals:
            signals[own.name] = (own.unit, "time", column)
    return build_result(
        {"time": ("s", t)}, signals, mechanism=linear.machine.name, analysis=analysis,
        warnings=[*linear.warnings, *warnings], machine=linear.machine,
    )  # fmt: skip
