"""Random CasADi functions: every operation, kept within its domain and away from cancellation."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
from numpy.typing import NDArray

SX = ca.SX

# Operations that keep positive numbers of ordinary size positive and of ordinary size. No two nearly equal numbers are
# ever subtracted, so each operation loses little, and the result can be compared with CasADi's virtual machine closely.
UNARY: dict[str, Callable[[SX], SX]] = {
    "sqrt": ca.sqrt,
    "sq": lambda x: ca.sqrt(x * x + 1),
    "inverse": lambda x: 1 / (0.5 + x),
    "exp": lambda x: ca.exp(-x) + 0.1,
    "log": lambda x: ca.log(1.5 + x),
    "sin": lambda x: 2 + ca.sin(x),
    "cos": lambda x: 2 + ca.cos(x),
    "tan": lambda x: 2 + ca.tan(ca.sin(x)),
    "asin": lambda x: 2 + ca.asin(x / (1 + x)),
    "acos": lambda x: 0.5 + ca.acos(x / (1 + x)),
    "atan": lambda x: 0.1 + ca.atan(x),
    "sinh": lambda x: 0.1 + ca.sinh(x / (1 + x)),
    "cosh": lambda x: ca.cosh(x / (1 + x)),
    "tanh": lambda x: 0.1 + ca.tanh(x),
    "asinh": lambda x: 0.1 + ca.asinh(x),
    "acosh": lambda x: 0.1 + ca.acosh(1.5 + x),
    "atanh": lambda x: 0.1 + ca.atanh(x / (1 + x)),
    "erf": lambda x: 0.1 + ca.erf(x),
    "log1p": lambda x: 0.1 + ca.log1p(x),
    "expm1": lambda x: 0.1 + ca.expm1(x / (1 + x)),
    "fabs": lambda x: 0.1 + ca.fabs(-x),
    "sign": lambda x: 2 + ca.sign(x - 1),
    "floor": lambda x: 1 + ca.floor(x / 3 + 0.123),
    "ceil": lambda x: ca.ceil(x / 3 + 0.123),
    "neg": lambda x: 10 - (-x) / (1 + x),
    "not": lambda x: 1 + ca.logic_not(x),
    "cube": lambda x: 0.1 + (x / (1 + x)) ** 3,
    "power": lambda x: 0.1 + (x / (1 + x)) ** -2.0 / 50 + (1 + x) ** 0.3,
}

BINARY: dict[str, Callable[[SX, SX], SX]] = {
    "add": lambda x, y: x + y,
    "mul": lambda x, y: x * y / (1 + y),
    "div": lambda x, y: x / (0.5 + y),
    "sum of products": lambda x, y: (x * y + x) / (1 + y),
    "difference": lambda x, y: 3 - x * y / ((1 + x) * (1 + y)),
    "atan2": lambda x, y: 0.1 + ca.atan2(x, y),
    "hypot": lambda x, y: ca.hypot(x, y),
    "fmin": ca.fmin,
    "fmax": ca.fmax,
    "fmod": lambda x, y: 0.5 + ca.floor(ca.fmod(x, y + 10)) / 10,
    "remainder": lambda x, y: 6 + ca.remainder(ca.floor(x), 5.0) / 10,
    "copysign": lambda x, y: 4 + ca.copysign(x / (1 + x), 1 - y),
    "pow": lambda x, y: 0.1 + ca.power(1 + x / (1 + x), y / (1 + y)),
    "less": lambda x, y: ca.if_else(x < y, x, 1 + y),
    "less or equal": lambda x, y: ca.if_else(x <= y, 1 + x, y),
    "equal": lambda x, y: x + (x == y) + (x != y),
    "logic": lambda x, y: x + ca.logic_and(x < 2, y < 2) + ca.logic_or(x > 3, y > 3),
}


def random_function(seed: int, size: int = 40, columns: int = 3) -> ca.Function:
    """A function of three blocks (a vector, a matrix, a number) with two results; all operations occur sometimes."""
    rng = np.random.default_rng(seed)
    x, y, z = SX.sym("x", 5), SX.sym("y", 2, columns), SX.sym("z")
    values: list[SX] = [*ca.vertsplit(x), *ca.vertsplit(ca.vec(y)), z]
    unary, binary = list(UNARY.values()), list(BINARY.values())
    for k in range(size):
        near = values[-8:] if k % 3 else values
        a, b = (near[int(rng.integers(len(near)))] for _ in range(2))
        if rng.random() < 0.45:
            values.append(unary[int(rng.integers(len(unary)))](a))
        else:
            values.append(binary[int(rng.integers(len(binary)))](a, b))
    matrix = ca.reshape(ca.vertcat(*values[-6:]), 3, 2)
    return ca.Function(f"random_{seed}", [x, y, z], [ca.vertcat(*values[-4:]), matrix], ["x", "y", "z"], ["u", "w"])


# Further ones, for shallow tapes: what is left to have every operation.
MORE_UNARY: dict[str, Callable[[SX], SX]] = {"erfinv": lambda x: 0.5 + ca.erfinv(x / (2 + x))}
MORE_BINARY: dict[str, Callable[[SX, SX], SX]] = {
    "product less a number": lambda x, y: (1 + x) * (1 + y) - x / 8,
    "number less a product": lambda x, y: 100 - x * y,
}


def shallow_function(seed: int) -> ca.Function:
    """Results that are two steps deep at most: every step of the tables once as the first and once as the last."""
    rng = np.random.default_rng(seed)
    x, y, z = SX.sym("x", 5), SX.sym("y", 2, 3), SX.sym("z")
    inputs = [*ca.vertsplit(x), *ca.vertsplit(ca.vec(y)), z]

    def pick(values: list[SX]) -> SX:
        return values[int(rng.integers(len(values)))]

    unary, binary = [*UNARY.values(), *MORE_UNARY.values()], [*BINARY.values(), *MORE_BINARY.values()]
    first = [step(pick(inputs)) for step in unary] + [step(pick(inputs), pick(inputs)) for step in binary]
    small = first[: len(unary)]
    last = [step(pick(small)) for step in unary] + [step(pick(small), pick(inputs)) for step in binary]
    blocks = [ca.vertcat(*first), ca.vertcat(*last)]
    return ca.Function(f"shallow_{seed}", [x, y, z], blocks, ["x", "y", "z"], ["first", "last"])


def random_arguments(seed: int, count: int, columns: int = 3) -> tuple[NDArray[np.float64], ...]:
    """Positive numbers of ordinary size for a batch of `random_function`."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.3, 3.0, (count, 5)), rng.uniform(0.3, 3.0, (count, 2, columns)), rng.uniform(0.3, 3.0, count)


def arm() -> ca.Function:
    """Something like the dynamics of an arm: sines and cosines, sums of products that cancel, a division."""
    q, v, p = SX.sym("q", 6), SX.sym("v", 6), SX.sym("p", 4)
    w, tau = SX.zeros(3), []
    for i in range(6):
        s, c = ca.sin(q[i]), ca.cos(q[i])
        turn = ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(0, 0, -1), ca.horzcat(s, c, 0))
        w = turn.T @ w + ca.vertcat(0, 0, v[i])
        tau.append(ca.dot(w, ca.cross(p[:3], w)) + p[3] * w[0] * w[1] - s / (2 + c))
    return ca.Function("arm", [q, v, p], [ca.vertcat(*tau)], ["q", "v", "p"], ["tau"])


def casadi_values(function: ca.Function, arrays: tuple[NDArray[np.float64], ...]) -> list[NDArray[np.float64]]:
    """CasADi's virtual machine, sample by sample."""
    rows = []
    for sample in zip(*arrays, strict=True):
        results = function(*[ca.DM(np.asarray(a)) for a in sample])
        results = results if isinstance(results, tuple) else (results,)
        rows.append([np.array(r) for r in results])
    shapes = [(s if s[1] != 1 else s[:1] if s[0] != 1 else ()) for s in (r.shape for r in rows[0])]
    return [np.array([row[k].reshape(shapes[k]) for row in rows]) for k in range(len(shapes))]


def same_bits(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    """Equal to the last bit; a NaN equals every NaN (what a NaN carries beside being one is left open by IEEE 754)."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return a.shape == b.shape and bool(np.all((a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))))
