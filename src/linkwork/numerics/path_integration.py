"""What only rates determine, integrated along a path of the drives: Runge-Kutta of order 8 on closed postures.

Some freedoms of joints that turn freely have no variable: a component of an angular velocity may be zero, yet no number
tells where the joint stands because of it. Postures then depend on the way of the drives u(s), and obey

    J(y) w = 0,   w = u'(s) in driven columns,   w = 0 in held ones,   y' = N(y) w

which is integrated by the method of Dormand and Prince. After each step driven variables are put to their values,
quaternions to length one, and Newton's method closes the loops, along which the held columns stay at rest: so the error
of a step lies in what the rates alone determine. Steps are as long as the tolerance allows, wherever samples lie; those
are taken from the interpolant of the step, which is of order 7.

Hairer, Lubich, Wanner, Geometric Numerical Integration, sec. IV.4; Hairer, Norsett, Wanner, Solving Ordinary
Differential Equations I, sec. II.10.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.geometry import Array
from linkwork.numerics.kernel_calls import call
from linkwork.numerics.loops import light
from linkwork.numerics.stepping.dormand_prince import ERRORS, NODES, WEIGHTS
from linkwork.numerics.stepping.explicit import LAST, STAGES, powers
from linkwork.numerics.stepping.laws import Laws, enter_laws, law_at, reach
from linkwork.numerics.walk import APART, LONGEST, SHORTEST, copy, correct, largest, remember

DONE, STUCK, WEAK, MORE = 0, 1, 2, 3
"""Why it came back: at the end; no step leads on; the pivots are poor at the next posture; the budget is spent."""

AT, STEP, SAMPLE, BREAK, STEPS, REJECTED, KNOWN, STATES = 0, 1, 2, 3, 4, 5, 6, 7
"""State: s, length of the next step, next sample and break, steps taken and taken back, postures kept for leaps."""

MISS = 1e-5
"""How far closing the loops may lead from the end of a step [rad, or parts of the machine's size]; far more than the
error of a sound step."""
SAFETY, SLOWEST, FASTEST = 0.9, 0.2, 6.0
TINY = 1e-14
"""Part of the whole path below which no step is made."""


class Rates(NamedTuple):
    """Kernels for rates and for Newton's step, and where variables and rates stand.

    y, y_next, measures, w, w_all : what the kernels read and write
    plain, plain_columns : places of variables and of their rates; turns, turn_columns : first of quaternions, likewise
    driven : places of the driven variables, in the order of the laws
    own, own_columns : laws that drive plain variables and columns of their rates; whole, whole_columns : first of four
        laws that drive a quaternion, and first of three columns
    scale : of variables; quaternions : as `turns`, what Newton's method takes
    """

    rates_address: int
    rates_in: NDArray[np.int64]
    rates_out: NDArray[np.int64]
    step_address: int
    step_in: NDArray[np.int64]
    step_out: NDArray[np.int64]
    y: Array
    y_next: Array
    measures: Array
    w: Array
    w_all: Array
    plain: NDArray[np.int64]
    plain_columns: NDArray[np.int64]
    turns: NDArray[np.int64]
    turn_columns: NDArray[np.int64]
    driven: NDArray[np.int64]
    own: NDArray[np.int64]
    own_columns: NDArray[np.int64]
    whole: NDArray[np.int64]
    whole_columns: NDArray[np.int64]
    scale: Array


class Progress(NamedTuple):
    """Where an integration is.

    state : see AT ...; y, f : posture and its derivative by s; ahead : the posture that was not taken
    store : stages of a step; C : powers of its interpolant; far, far_at : three postures that lie apart, and their s
    """

    state: Array
    y: Array
    f: Array
    ahead: Array
    store: Array
    C: Array
    far: Array
    far_at: Array


def progress_of(y0: Array, start: float, step: float) -> Progress:
    """An integration that has not begun."""
    n = len(y0)
    state = np.zeros(STATES)
    state[[AT, STEP, KNOWN]] = start, step, 1.0
    far = np.tile(y0, (3, 1))
    return Progress(
        state, np.array(y0), np.zeros(n), np.array(y0), np.zeros((STAGES + 1) * n), np.zeros((8, n)), far,
        np.full(3, start),
    )  # fmt: skip


@light
def derivative(m, laws, s, y, out):  # type: ignore[no-untyped-def]
    """y' by s, at a posture that need not be quite closed; False where it is not finite."""
    law = np.empty((m.driven.size, 3))
    for j in range(m.driven.size):
        law_at(laws.edges, laws.coefficients, laws.starts, laws.last, j, s, law[j])
    for i in range(m.own.size):
        m.w[m.own_columns[i]] = law[m.own[i], 1]
    for k in range(m.whole.size):  # w = 2 q* q' / |q|²
        j, c = m.whole[k], m.whole_columns[k]
        a, x, y_, z = law[j, 0], law[j + 1, 0], law[j + 2, 0], law[j + 3, 0]
        da, dx, dy, dz = law[j, 1], law[j + 1, 1], law[j + 2, 1], law[j + 3, 1]
        twice = 2.0 / (a * a + x * x + y_ * y_ + z * z)
        m.w[c] = twice * (a * dx - x * da - y_ * dz + z * dy)
        m.w[c + 1] = twice * (a * dy - y_ * da - z * dx + x * dz)
        m.w[c + 2] = twice * (a * dz - z * da - x * dy + y_ * dx)
    copy(y, m.y)
    call(m.rates_address, m.rates_in, m.rates_out)
    w = m.w_all
    total = 0.0
    for i in range(w.size):
        total += w[i]
    for i in range(m.plain.size):
        out[m.plain[i]] = w[m.plain_columns[i]]
    for k in range(m.turns.size):  # q' = ½ q (0, w)
        q, c = m.turns[k], m.turn_columns[k]
        a, x, y_, z = y[q], y[q + 1], y[q + 2], y[q + 3]
        out[q] = -0.5 * (x * w[c] + y_ * w[c + 1] + z * w[c + 2])
        out[q + 1] = 0.5 * (a * w[c] + y_ * w[c + 2] - z * w[c + 1])
        out[q + 2] = 0.5 * (a * w[c + 1] + z * w[c] - x * w[c + 2])
        out[q + 3] = 0.5 * (a * w[c + 2] + x * w[c + 1] - y_ * w[c])
    return math.isfinite(total)


@light
def stage(m, laws, p, k, s, h, stop):  # type: ignore[no-untyped-def]
    """Stage k of a step into the store; False where it is not finite."""
    n = p.y.size
    at = p.store[STAGES * n :]
    for i in range(n):
        at[i] = 0.0
    for j in range(k):
        weight = WEIGHTS[k, j]
        if weight != 0.0:
            K = p.store[j * n : (j + 1) * n]
            for i in range(n):
                at[i] += weight * K[i]
    for i in range(n):
        at[i] = p.y[i] + h * at[i]
    return derivative(m, laws, min(s + NODES[k] * h, stop), at, p.store[k * n : (k + 1) * n])


@light
def step(m, laws, p, s, h, stop, tolerance, y_new):  # type: ignore[no-untyped-def]
    """One step; its error in parts of the tolerance."""
    n = p.y.size
    copy(p.f, p.store[:n])
    for k in range(1, LAST + 1):
        if not stage(m, laws, p, k, s, h, stop):
            return math.inf
    fifth, third = 0.0, 0.0
    for i in range(n):
        total, e5, e3 = 0.0, 0.0, 0.0
        for k in range(LAST + 1):
            K = p.store[k * n + i]
            total += WEIGHTS[LAST + 1, k] * K
            e5 += ERRORS[0, k] * K
            e3 += ERRORS[1, k] * K
        y_new[i] = p.y[i] + h * total
        fifth += (e5 * m.scale[i]) ** 2
        third += (e3 * m.scale[i]) ** 2
    if fifth == 0.0 and third == 0.0:
        return 0.0
    error = h * fifth / math.sqrt(fifth + 0.01 * third) / tolerance
    return error if math.isfinite(error) else math.inf


@light
def fill(m, laws, p, s, h, stop, y_new, f_new, samples, Y):  # type: ignore[no-untyped-def]
    """Postures at the samples of a step, from its interpolant."""
    first = int(p.state[SAMPLE])
    if first >= samples.size or samples[first] > s + h:
        return
    n = p.y.size
    copy(f_new, p.store[(LAST + 1) * n : (LAST + 2) * n])
    for k in range(LAST + 2, STAGES):
        stage(m, laws, p, k, s, h, stop)
    powers(p.store, h, p.y, p.f, y_new, f_new, p.C)
    k = first
    while k < samples.size and samples[k] <= s + h:
        x = (samples[k] - s) / h
        for i in range(n):
            value = p.C[7, i]
            for j in range(6, -1, -1):
                value = value * x + p.C[j, i]
            Y[k, i] = value
        k += 1
    p.state[SAMPLE] = k


@light
def begin(m, laws, p, samples, Y):  # type: ignore[no-untyped-def]
    """Enter the laws where the integration is; samples that lie there get its posture."""
    s = p.state[AT]
    enter_laws(laws.edges, laws.starts, laws.last, s)
    derivative(m, laws, s, p.y, p.f)
    k = int(p.state[SAMPLE])
    while k < samples.size and samples[k] <= s:
        copy(p.y, Y[k])
        k += 1
    p.state[SAMPLE] = k


@light
def integrate(m, laws, breaks, end, tolerance, weak, budget, p, samples, Y):  # type: ignore[no-untyped-def]
    """Integrate to s = end, or until the budget of steps is spent; postures at `samples` (ascending) go to Y.

    breaks : at which u' jumps; steps end there
    weak : largest Σ 1/pivot²; a posture beyond is not taken but left in p.ahead
    Returns one of DONE, STUCK, WEAK, MORE.
    """
    n, state = p.y.size, p.state
    y_new, f_new, moved = np.empty(n), np.empty(n), np.empty(n)
    here, there = np.empty(3), np.empty(3)
    values = np.empty(m.driven.size)
    begin(m, laws, p, samples, Y)
    for _ in range(budget):
        s = state[AT]
        if s >= end:
            return DONE
        while state[BREAK] < breaks.size and breaks[int(state[BREAK])] <= s:
            state[BREAK] += 1
        stop = end
        if state[BREAK] < breaks.size:
            stop = min(end, breaks[int(state[BREAK])])
        wanted = reach(laws.edges, laws.starts, laws.last, s, state[STEP])
        lands = s + 1.01 * wanted >= stop
        h = stop - s if lands else wanted
        error = step(m, laws, p, s, h, stop, tolerance, y_new)
        s_new = stop if lands else s + h
        good = error <= 1.0
        if good:
            for j in range(m.driven.size):
                law_at(laws.edges, laws.coefficients, laws.starts, laws.last, j, s_new, there)
                values[j] = there[0]
            good = (
                correct(
                    m.step_address, m.step_in, m.step_out, m.y, m.y_next, m.measures, y_new, moved, m.driven, values,
                    m.turns,
                )
                > 0
            )  # fmt: skip
            copy(m.y, y_new)
            good = good and largest(y_new, moved, m.scale) <= MISS and largest(y_new, p.y, m.scale) <= LONGEST
            if good and m.measures[2] > weak:
                copy(y_new, p.ahead)
                state[STEP] = h
                return WEAK
            good = good and derivative(m, laws, s_new, y_new, f_new)
        if not good:
            state[REJECTED] += 1
            shorter = SAFETY * error ** (-1.0 / 8.0) if 1.0 < error < math.inf else 0.0
            state[STEP] = h * min(max(shorter, SLOWEST), 0.5)
            way = 0.0
            for j in range(m.driven.size):
                law_at(laws.edges, laws.coefficients, laws.starts, laws.last, j, s, here)
                law_at(laws.edges, laws.coefficients, laws.starts, laws.last, j, s + state[STEP], there)
                way = max(way, abs(there[0] - here[0]) * m.scale[m.driven[j]])
            if way < SHORTEST or state[STEP] < TINY * end:
                return STUCK
            continue
        fill(m, laws, p, s, h, stop, y_new, f_new, samples, Y)
        longer = SAFETY * max(error, 1e-16) ** (-1.0 / 8.0)
        state[STEP] = h * min(max(longer, SLOWEST), FASTEST)
        state[AT] = s_new
        state[STEPS] += 1
        copy(y_new, p.y)
        copy(f_new, p.f)
        if largest(y_new, p.far[2], m.scale) > APART:
            remember(p.far, p.far_at, y_new, s_new)
            state[KNOWN] = min(state[KNOWN] + 1, 3)
        if lands and s_new < end:  # what comes after a break
            enter_laws(laws.edges, laws.starts, laws.last, s_new)
            derivative(m, laws, s_new, p.y, p.f)
    return MORE


@light
def integrate_rays(m, laws, tolerance, weak, first, budget, y0, goals, p, Y):  # type: ignore[no-untyped-def]
    """Integrate from y0 along a straight line of the drives to each of some goals (count, drives), into Y.

    laws : a straight line for each drive, which is put to each goal; first : way of the drives in the first step
    Returns how many steps were made. Rows that are not reached are left as they are.
    """
    end, none, samples, nothing = 0.0, np.empty(0), np.empty(0), np.empty((0, y0.size))
    steps = 0
    for k in range(goals.shape[0]):
        end = 0.0
        for j in range(m.driven.size):
            end = max(end, abs(goals[k, j] - y0[m.driven[j]]) * m.scale[m.driven[j]])
        if end == 0.0:
            copy(y0, Y[k])
            continue
        for j in range(m.driven.size):
            u0, u1 = y0[m.driven[j]], goals[k, j]
            laws.coefficients[j, 0] = 0.5 * (u1 + u0)
            laws.coefficients[j, 1] = 0.5 * (u1 - u0)
            laws.edges[2 * j] = 0.0
            laws.edges[2 * j + 1] = end
        for i in range(STATES):
            p.state[i] = 0.0
        p.state[STEP] = min(first, end)
        p.state[KNOWN] = 1.0
        copy(y0, p.y)
        for i in range(3):
            copy(y0, p.far[i])
            p.far_at[i] = 0.0
        if integrate(m, laws, none, end, tolerance, weak, budget, p, samples, nothing) == DONE:
            copy(p.y, Y[k])
        steps += int(p.state[STEPS])
    return steps


def straight(start: Array, end: Array, length: float) -> Laws:
    """Laws along a straight line of the drives, 0 <= s <= length."""
    return polyline(np.vstack([start, end]), np.array([0.0, length]))


def polyline(vertices: Array, at: Array) -> Laws:
    """Laws along straight lines between vertices (count, drives), at s = at (count,) that grows."""
    from linkwork.numerics.stepping.law_pieces import DEGREE, Pieces
    from linkwork.numerics.stepping.laws import together

    laws: list[Any] = []
    for values in vertices.T:
        coefficients = np.zeros((len(at) - 1, DEGREE + 1))
        coefficients[:, 0] = 0.5 * (values[1:] + values[:-1])
        coefficients[:, 1] = 0.5 * (values[1:] - values[:-1])
        laws.append(Pieces(np.array(at), coefficients, ()))
    return together(laws)
