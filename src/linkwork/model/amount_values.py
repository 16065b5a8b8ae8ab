"""The value of an amount, with numbers, arrays or CasADi expressions for what it depends on."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.expressions import Expression
from linkwork.geometry import Array
from linkwork.geometry.elementary import is_number
from linkwork.model.amounts import Amount, Formula, Steady, Tabulated
from linkwork.model.pieces import held, piecewise


def evaluate(amount: Amount, values: Mapping[str, Any]) -> Any:
    """The value of an amount in SI.

    Parameters
    ----------
    amount : a number, a formula or a table
    values : what each of `amount.names` is, as the amount calls it: floats, arrays of one shape, CasADi expressions;
        there may be more
    """
    match amount:
        case Steady(value):
            return value
        case Formula(text, names, unit):
            return unit * Expression(text, names)(**{name: values[name] for name in names})
        case Tabulated(over, xs):
            x = values[over]
            if isinstance(x, int | list | tuple):
                x = np.asarray(x, dtype=float)
            starts, coefficients = _pieces(amount)
            value = piecewise(held(x, xs[0], xs[-1]), starts, coefficients)
            return value.item() if is_number(x) and np.ndim(x) == 0 else value
    raise AssertionError(amount)  # pragma: no cover - the cases above are all there are


def outside(amount: Amount, values: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Where a table is held: its argument lies beyond its first or its last point. Never of numbers and formulas.

    Parameters
    ----------
    amount : a number, a formula or a table
    values : what each of `amount.names` is, as for `evaluate`: numbers and arrays of one shape

    The answer has the shape of the argument, of a number or a formula that of all `values`.
    """
    if isinstance(amount, Tabulated):
        x = np.asarray(values[amount.over], dtype=float)
        return np.asarray((x < amount.xs[0]) | (x > amount.xs[-1]))
    return np.zeros(np.broadcast_shapes(*(np.shape(value) for value in values.values())), dtype=bool)


@functools.lru_cache(maxsize=256)
def _pieces(table: Tabulated) -> tuple[Array, Array]:
    """Where each piece of a table begins, and its polynomial coefficients by rows, highest power first."""
    xs, ys = np.array(table.xs), np.array(table.ys)
    if not table.smooth or len(xs) == 2:
        return xs[:-1], np.array([np.diff(ys) / np.diff(xs), ys[:-1]])
    from scipy.interpolate import CubicSpline

    return xs[:-1], CubicSpline(xs, ys, bc_type="natural").c
