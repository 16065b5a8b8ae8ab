"""Closing the loops: from a posture that nearly closes by Newton, from a rough guess by damped least squares."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.kinematics.failures import CannotClose
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.errors import Problem
from linkwork.geometry import Array
from linkwork.units import ANGLE, format_quantity

NEAR = 0.1
"""Error below which Newton's method is tried alone."""
ITERATIONS = 30
PIVOT = 1e-9
"""Pivots below are left alone by Newton's method."""
LONGEST = 0.5
"""Longest of Newton's steps [rad, or parts of the machine's size]."""
TRIES = 64
"""Starts around a guess from which least squares are tried."""


def closed(loops: Loops, guess: Array, specified: Mask) -> tuple[Array, int]:
    """A posture near the guess with all loops closed, and the number of steps; CannotClose if none is found.

    Specified rates keep their variables as they are in the guess.
    """
    loops = loops.of_places
    if not loops.count:
        return guess, 0
    if loops.residual(guess) <= NEAR:
        y, steps = _by_newton(loops, guess, specified)
        if loops.residual(y) <= loops.tolerance:
            return y, steps
    if loops.sparse:
        raise _gap(loops, guess, specified)
    return _by_least_squares(loops, guess, specified)


def _by_newton(loops: Loops, guess: Array, specified: Mask) -> tuple[Array, int]:
    """Newton's method with pivots chosen anew at every step; free columns stay."""
    best, least, y = guess, float(loops.residual(guess)), guess
    for steps in range(ITERATIONS):
        if least <= 1e-14:
            return best, steps
        stride = loops.correction(y, specified, PIVOT)
        stride *= min(1.0, LONGEST / max(float(np.abs(stride).max(initial=0.0)), 1e-300))
        y = loops.advanced(y, stride)
        residual = float(loops.residual(y))
        if not np.isfinite(residual) or (residual >= least and least <= loops.tolerance):
            return best, steps
        if residual < least:
            best, least = y, residual
    return best, ITERATIONS


def _by_least_squares(loops: Loops, guess: Array, specified: Mask) -> tuple[Array, int]:
    """Levenberg and Marquardt's method from the guess, then from postures around it, nearer ones first."""
    from linkwork.numerics.least_squares import minimise

    rng = np.random.default_rng(1)
    spread = np.concatenate([[0.0], np.linspace(0.1, 2.0, TRIES - 1)])
    strides = rng.normal(size=(TRIES, loops.columns)) * spread[:, np.newaxis]
    strides[:, specified] = 0.0
    starts = loops.advanced(np.tile(guess, (TRIES, 1)), strides)
    best, gap = guess, np.inf
    for part in (starts[:1], starts[1:]):
        found = minimise(loops.equations, loops.advanced, part, specified, tolerance=loops.tolerance)
        good = found.residual <= loops.tolerance
        if good.any():
            away = np.abs(loops.apart(np.tile(guess, (int(good.sum()), 1)), found.y[good])).max(axis=1)
            nearest = int(away.argmin())
            return found.y[good][nearest], int(found.iterations[good][nearest])
        if found.residual.min() < gap:
            best, gap = found.y[int(found.residual.argmin())], float(found.residual.min())
    raise _gap(loops, best, specified)


def _gap(loops: Loops, y: Array, specified: Mask) -> CannotClose:
    """The error with every loop that stays open, and how far."""
    errors = loops.errors(y)
    by_group = [(errors[g.rows.start : g.rows.stop], g) for g in loops.groups]
    texts = []
    for e, group in sorted(by_group, key=lambda pair: -np.abs(pair[0]).max()):
        if np.abs(e).max() <= loops.tolerance:
            break
        if not group.of_loop:
            left = float(e[0] / loops.row_scale[group.rows.start])
            missed = f"is missed by {left:.4g}" if np.isfinite(left) else "has no value at any posture that was tried"
            texts.append(f"the constraint {group.name} {missed}")
            continue
        apart, turned = float(np.linalg.norm(e[:3])) * loops.length, float(np.linalg.norm(e[3:]))
        joints = ", ".join(j for j, _ in loops.system.topology.loop(group.name).steps)
        turn = format_quantity(turned, ANGLE, loops.system.layout.units, 4)
        texts.append(f"the loop {joints} stays open by {loops.system.layout.length(apart)} and {turn}")
    shown = "; ".join(texts[:3]) + (f"; and {len(texts) - 3} more" if len(texts) > 3 else "")
    held = loops.names(np.flatnonzero(specified))
    given = f" with {', '.join(held)} given" if held else ""
    text = f"the mechanism cannot be assembled{given}: {shown or 'the solution does not converge'}"
    hint = "check lengths and joint positions, or give a guess nearer to the posture you want"
    return CannotClose(Problem(text, hint=hint), loops.plan.name)
