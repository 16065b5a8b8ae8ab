"""Between which bounds an expression of the state and its change are while the state moves within a box.

    z in [z], z' in [z']        g(z, t) in [g],        g' = ∂g/∂z z' + ∂g/∂t t' in [g']

Where g may jump within the box nothing bounds its change: [g'] is then all numbers.
"""

from __future__ import annotations

from linkwork.algebra import ca
from linkwork.equations.intervals import Interval, bounds_of, point

LOW, HIGH, SLOPE_LOW, SLOPE_HIGH = 0, 1, 2, 3
"""Columns of a box, and of the bounds of expressions over it."""
ORDER = ("y", "w", "states", "t")
"""Inputs in the order of the rows of a box."""


def bounds_function(main: ca.Function, of: str, sizes: dict[str, int]) -> ca.Function:
    """(box (n, 4), settled) -> bounds (m, 4) of the output `of`, as LOW ... SLOPE_HIGH say.

    main : inputs among `ORDER`, and last what has been settled
    sizes : of all inputs, also those that `main` does not have
    """
    names = [main.name_in(i) for i in range(main.n_in())]
    settled = ca.SX.sym("settled", main.size1_in(len(names) - 1))
    parts = {name: ca.SX.sym(name, sizes[name]) for name in ORDER}
    slopes = {name: ca.SX.sym(f"d_{name}", sizes[name]) for name in ORDER}
    found = main.call([*(parts[name] for name in names[:-1]), settled])
    g = found[[main.name_out(i) for i in range(main.n_out())].index(of)]
    z, dz = ca.vertcat(*parts.values()), ca.vertcat(*slopes.values())
    both = ca.Function("both", [z, dz, settled], [ca.densify(g), ca.densify(ca.jtimes(g, z, dz))])
    n = sum(sizes.values())
    box = ca.SX.sym("box", n, 4)
    values = [Interval(box[i, LOW], box[i, HIGH]) for i in range(n)]
    changes = [Interval(box[i, SLOPE_LOW], box[i, SLOPE_HIGH]) for i in range(n)]
    given = [point(settled[i]) for i in range(settled.size1())]
    value, change = bounds_of(both, [values, changes, given])
    rows = []
    for own, slope in zip(value, change, strict=True):
        low, high = slope.low, slope.high
        if own.jumps is not None:
            low, high = ca.if_else(own.jumps, -ca.inf, low), ca.if_else(own.jumps, ca.inf, high)
        rows.append(ca.horzcat(own.low, own.high, low, high))
    bounds = ca.vertcat(*rows) if rows else ca.SX(0, 4)
    return ca.Function("bounds", [box, settled], [bounds], ["box", "settled"], ["bounds"])
