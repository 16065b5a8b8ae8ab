"""A mode as a motion that can be played: a small periodic run about the posture, with its loops closed.

The free coordinates follow ξ(t) = a Re(v e^{iωt}) for one period; all other joints follow them. Joints that turn
freely turn by the vector ξ, so that their rates are J(ξ) ξ' with the right Jacobian of the rotation group. A mode that
does not swing is shown going there and back, ξ = a v sin(2πt), once a second.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.histories import joint_histories, place_histories, state_signals
from linkwork.analyses.linear.coefficients import mask_of
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.results import ClosureHistory, Run, build_run

if TYPE_CHECKING:
    from linkwork.analyses.linear.modes import Mode, Modes
    from linkwork.views.animate import Movie

LARGE = 0.15
"""Amplitude of the joint that moves most [rad, parts of the machine's size], unless another one is asked for."""
SMALLER = 24
"""How often the amplitude may be halved until the loops close all the way."""
STEPS = 12
"""Newton's steps that close the loops at a sample."""


def mode_run(modes: Modes, number: int, amplitude: float | None, samples: int, turns: int = 1) -> Run:
    """One period of a mode, or several; see `Modes.run`."""
    linear = modes.linear
    mode = mode_numbered(modes, number)
    problems = []
    if amplitude is not None and not (np.isfinite(amplitude) and amplitude > 0.0):
        problems.append(Problem(f"{amplitude!r} is no amplitude", "amplitude", "give radians, or metres, above zero"))
    if not (isinstance(samples, int | np.integer) and samples >= 5):
        problems.append(Problem(f"{samples!r} samples", "samples", "five at least"))
    if not np.abs(mode.shape).max(initial=0.0) > 0.0:
        text = f"in mode {number} nothing moves: it is one of the named states"
        problems.append(Problem(text, "number", "its eigenvalue tells how fast it decays"))
    if problems:
        raise InputError(problems, linear.machine.name)
    at, held = linear._point.at, linear._point.held
    loops, own = at.loops, linear.machine.loops
    free = at.columns[~held]
    independent = mask_of(loops, at.columns)
    shape = np.asarray(mode.shape, complex)
    sizes = np.abs(np.array([*mode.joints.values()]) / loops.column_scale)
    most = int(sizes.argmax())
    warnings, w = list(linear.warnings), _angular(mode)
    size = (
        LARGE / float(sizes[most]) if amplitude is None else amplitude / float(sizes[most] * loops.column_scale[most])
    )
    t = np.linspace(0.0, 2.0 * np.pi / w, samples)
    if at.w.any():
        warnings.append("the set point moves steadily; the mode is shown about the posture where it is linearised")
    first, Y = size, None
    for _ in range(SMALLER):
        Y = _closed(linear, _course(mode, shape, size, w, t)[0], free, independent)
        if Y is not None:
            break
        size *= 0.5
    if Y is None:
        text = f"the loops do not close beside the posture along mode {number}"
        raise InputError(Problem(text, "number", "the posture is singular; give another one"), linear.machine.name)
    if size < first and amplitude is not None:
        text = f"at the amplitude {amplitude:.4g} the loops do not close; shown at {amplitude * size / first:.4g}"
        warnings.append(text)
    levels = _levels(linear, _course(mode, shape, size, w, t), Y, free, independent)
    ny, nw = own.plan.ny, own.plan.nw
    places = np.append(np.tile(np.arange(samples - 1), turns), samples - 1)
    t, Y, levels = np.linspace(0.0, turns * t[-1], len(places)), Y[places], [x[places] for x in levels]
    Y, levels = np.ascontiguousarray(Y[:, :ny]), [np.ascontiguousarray(x[:, :nw]) for x in levels]
    variables, speeds = joint_histories(own, Y, levels)
    closure = ClosureHistory(own.residual(Y), unit="1") if own.count else None
    return build_run(
        t, mechanism=own.plan.name, analysis="mode", variables=variables, speeds=speeds,
        **place_histories(own, Y, levels, None), closure=closure, held=linear.held, state=state_signals(own),
        message="", warnings=warnings, machine=own.system,
    )  # fmt: skip


def mode_movie(
    modes: Modes,
    number: int,
    path: str | Path | None,
    amplitude: float | None,
    period: float,
    turns: int,
    options: dict[str, Any],
) -> Movie:
    """A movie of a mode; see `Modes.animate`."""
    from linkwork.views.animate import animate

    source = modes.linear.machine.name
    fps = options.get("fps", 30.0)
    problems = [
        Problem(f"{x!r} is not a number above zero", n, f"for example {n}=1")
        for n, x in (("period", period), ("turns", turns), ("fps", fps))
        if not (isinstance(x, int | float | np.number) and 0.0 < x < np.inf)
    ]
    problems += [Problem(f"a mode has no '{n}'", n, "say period=") for n in ("speed", "machine") if n in options]
    if problems:
        raise InputError(problems, source)
    target = Path(f"{source}-mode-{number}.gif" if path is None else path)
    turns = 1 if target.suffix.lower() in (".gif", ".html") else max(1, turns)
    run = mode_run(modes, number, amplitude, max(13, round(period * fps) + 1), turns)
    own = float(2.0 * np.pi / _angular(mode_numbered(modes, number)))
    return animate(run, target, speed=own / period, **options)


def mode_numbered(modes: Modes, number: int) -> Mode:
    """A mode by its number, which begins at 1."""
    if not isinstance(number, int | np.integer) or isinstance(number, bool) or not 1 <= number <= len(modes):
        text = f"there is no mode {number!r}"
        raise InputError(Problem(text, "number", f"1 to {len(modes)}"), modes.linear.machine.name)
    found: Mode = modes[int(number) - 1]
    return found


def _angular(mode: Mode) -> float:
    """Angular speed at which it is played [rad/s]: its own, one turn a second where it does not swing."""
    return abs(mode.eigenvalue.imag) or 2.0 * np.pi


def _course(mode: Mode, shape: Any, size: float, w: float, t: Array) -> list[Array]:
    """Displacements of the free coordinates and their first two derivatives (samples, free)."""
    swing = -1j if mode.kind != "oscillating" else 1.0  # what does not swing starts at the posture
    circle = size * swing * np.exp(1j * w * t)[:, np.newaxis] * shape
    return [circle.real, (1j * w * circle).real, (-w * w * circle).real]


def _closed(linear: Any, xi: Array, free: Any, independent: Any) -> Array | None:
    """Postures (samples, ny) with the free coordinates moved; None where loops do not close beside the posture."""
    at = linear._point.at
    loops = at.loops
    stride = np.zeros((len(xi), loops.columns))
    stride[:, free] = xi
    Y = np.empty((len(xi), at.y.shape[-1]))
    y = at.y
    if not loops.count:
        return np.asarray(loops.advanced(np.broadcast_to(y, Y.shape).copy(), stride / loops.column_scale))
    order = loops.rates_kernel(at.order, 1)
    follows = order(np.broadcast_to(y, Y.shape).copy(), stride)  # all joints, to first order
    for k, moved in enumerate(np.asarray(follows)):
        near = loops.corrected(loops.advanced(y, moved / loops.column_scale), independent, STEPS)
        if not np.isfinite(near).all() or loops.residual(near) > loops.tolerance:
            return None
        way = loops.apart(y, near)
        if np.abs(way).max() > 4.0 * max(np.abs(moved / loops.column_scale).max(), 1e-9):
            return None  # another closure
        Y[k] = near
    return Y


def _levels(linear: Any, course: list[Array], Y: Array, free: Any, independent: Any) -> list[Array]:
    """Rates and their derivatives of all joints (samples, nw)."""
    loops = linear._point.at.loops
    xi, first, second = course
    given = [np.zeros((len(xi), loops.columns)) for _ in range(2)]
    given[0][:, free], given[1][:, free] = first, second
    stride = np.zeros((len(xi), loops.columns))
    stride[:, free] = xi
    for slot in loops.plan.slots:
        if slot.v.stop - slot.v.start - slot.plain == 3:
            turn = slice(slot.v.start + slot.plain, slot.v.stop)
            given[0][:, turn], given[1][:, turn] = _turning(*(x[:, turn] for x in (stride, given[0], given[1])))
    if not loops.count:
        return given
    found: list[Array] = loops.rates_each(Y, independent, given)
    return found


def _turning(turn: Array, rate: Array, change: Array) -> tuple[Array, Array]:
    """Angular velocity and acceleration in the turning body's axes, for a rotation vector and its derivatives.

    ω = θ' - b θ×θ' + c θ×(θ×θ'),  b = (1 - cos|θ|)/|θ|²,  c = (|θ| - sin|θ|)/|θ|³
    """
    s = (turn * turn).sum(axis=1)
    ds = 2.0 * (turn * rate).sum(axis=1)
    b, db = _series(s, 2), _series(s, 2, True) * ds
    c, dc = _series(s, 3), _series(s, 3, True) * ds
    one = np.cross(turn, rate)
    two = np.cross(turn, one)
    omega = rate - b[:, np.newaxis] * one + c[:, np.newaxis] * two
    d_one = np.cross(turn, change)
    d_two = np.cross(rate, one) + np.cross(turn, d_one)
    alpha = change - db[:, np.newaxis] * one - b[:, np.newaxis] * d_one
    return omega, alpha + dc[:, np.newaxis] * two + c[:, np.newaxis] * d_two


def _series(s: Array, first: int, derivative: bool = False) -> Array:
    """Σ (-s)^k / (2k + first)!, entire in s = |θ|²; its derivative by s."""
    from math import factorial

    found = np.zeros_like(s)
    for k in range(14):
        sign = (-1.0) ** k / factorial(2 * k + first)
        found += (k * s ** (k - 1) if k else 0.0) * sign if derivative else s**k * sign
    return found
