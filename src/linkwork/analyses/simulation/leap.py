"""Past a singular posture: the motion is smooth there, but forces do not determine it, so it is carried on as it was.

Hermite's polynomial of degree 7 through the last four steps, with their slopes, runs on to where the machine is well
determined again. It obeys the loops to the accuracy of the run there, or it is not taken: another branch of the
mechanism never is.
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.simulation.course import Course
from linkwork.analyses.simulation.trail import RECENT
from linkwork.geometry import Array

NODES = 4
TRAILS = RECENT
"""Parts of the way that are looked at for them: the compiled loop comes back where pivots weaken."""
LONGEST = 24
"""Doublings of the length that are tried, from the last step on."""
REACH = 4.0
"""A leap is no longer than so many times the way from the first of the steps it rests on."""
CLEAR = 4.0
"""How much better than before the leap the pivots must be after it."""
OFF = 1e-6
"""Gap of the loops after a leap [rad, or parts of the machine's size] from which on it is none."""


def leapt(session: Course, target: float, passes: bool, since: float) -> bool:
    """Carry the motion past the singular posture ahead; False if nothing well determined is in reach.

    target : where the loop is bound for [s]; passes : whether the run ends there, so that the leap may lead past it,
    and tell what was there; since : time of the last event or corner [s]
    """
    from linkwork.numerics.stepping import advance as loop
    from linkwork.numerics.stepping.problem import rates, settle
    from linkwork.numerics.stepping.watches import state_at

    p, t = session.p, session.t
    times, Z, slopes = _last_steps(session, since)
    if len(times) < NODES:
        return False
    before = rates(p, t, session.z.copy(), session.f)
    h = times[-1] - times[-2]
    z, slope = np.empty(p.n), np.empty(p.n)
    for _ in range(LONGEST):
        far = t + h if passes else min(t + h, target)
        chosen = _spread(times, h)
        if far - t > REACH * (t - times[chosen[0]]):
            return False
        C = _hermite(times[chosen] - t, Z[chosen], slopes[chosen], far - t)
        state_at(p, C, 1.0, z)
        gap = settle(p, far, z)
        health = rates(p, far, z, slope) if 0.0 <= gap < OFF else np.inf
        if health * CLEAR < before or (far == target and health < loop.FAILS):
            ends = (session.z, slopes[-1], z, slope)
            loop.through_steps(t, far - t, times[chosen[:2]], Z[chosen[:2]], slopes[chosen[:2]], *ends, C)
            _land(session, far, min(far, target), C, z, slope)
            session.state[loop.GAP] = max(session.state[loop.GAP], gap)
            return True
        if far == target:
            return False
        h *= 2.0
    return False


def _last_steps(session: Course, since: float) -> tuple[Array, Array, Array]:
    """Times, states and slopes of the steps since the last event or corner."""
    from linkwork.numerics.stepping.problem import rates

    p = session.p
    trails = [own for own in session.trails.last(TRAILS) if own[0].size]
    t = np.concatenate([np.zeros(0), *(own for own, _ in trails)])
    rows = np.vstack([np.zeros((0, 2 * p.n - p.ny + 1)), *(own for _, own in trails)])
    kept = np.flatnonzero(t > since)[-64:]
    slopes = np.empty((len(kept), p.n))
    for k, row in enumerate(rows[kept]):
        rates(p, t[kept[k]], row[: p.n].copy(), slopes[k])
        slopes[k, p.ny :] = row[p.n : 2 * p.n - p.ny]  # as they were when the step was judged
    return t[kept], rows[kept, : p.n], slopes


def _spread(times: Array, h: float) -> list[int]:
    """Four steps, the last one among them, about h apart as far as there are such."""
    chosen = [len(times) - 1]
    for _ in range(NODES - 1):
        left = np.arange(chosen[0])
        needed = NODES - len(chosen)
        left = left[left >= needed - 1]
        chosen.insert(0, int(left[np.argmin(np.abs(times[left] - (times[chosen[0]] - h)))]))
    return chosen


def _hermite(times: Array, Z: Array, slopes: Array, length: float) -> Array:
    """Coefficients by powers of x = time / length, (8, n): Σ C_k x^k passes through Z with its slopes."""
    x = times / length
    powers = np.arange(2 * NODES)
    values = x[:, None] ** powers
    rising = powers * x[:, None] ** np.maximum(powers - 1, 0)
    found: Array = np.linalg.solve(np.vstack([values, rising]), np.vstack([Z, length * slopes]))
    return np.ascontiguousarray(found)


def _land(session: Course, far: float, end: float, C: Array, z: Array, slope: Array) -> None:
    """Write down what lies on the way, and go on from the far side; or end on the way, where the run does."""
    from linkwork.numerics.stepping import advance as loop
    from linkwork.numerics.stepping.problem import rates

    p, t, state = session.p, session.t, session.state
    times = session.samples.times
    between, bent = np.empty(p.n), np.empty(p.n)
    while session.reached < len(times) and (times[session.reached] < far and times[session.reached] <= end):
        k = session.reached
        loop.between(p, C, t, far - t, times[k], between, bent)
        if not p.health[0] < loop.FAILS:
            rates(p, far, z, slope)  # efforts have no limit there; those of the far side stand for them
        loop.note(p, session.samples, k, between, bent)
        state[loop.NEXT] += 1.0
    if end < far:
        C = C * ((end - t) / (far - t)) ** np.arange(len(C))[:, np.newaxis]
        loop.between(p, C, t, end - t, end, z, slope)
    if p.counting:
        state[loop.WORK] += loop.work(p, t, end - t, C, between, bent)
    session.z[:], session.f[:] = z, slope
    row = np.concatenate([z, slope[p.ny :], [state[loop.WORK]]])
    session.trails.append(np.array([end]), row[np.newaxis])
    state[loop.TIME], state[loop.FRESH] = end, 0.0
    if state[loop.FIXED] == 0.0:
        state[loop.STEP] = 0.0
    state[loop.STEPS] += 1.0
