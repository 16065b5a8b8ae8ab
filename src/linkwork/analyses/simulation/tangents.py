"""Directional derivatives of formulas, compiled once a formula and let go with it."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from linkwork.equations.tangents import tangent_function
from linkwork.formulas import Formula
from linkwork.kernels import Kernel


def tangent_kernel(formula: Formula, along: Sequence[str], of: Sequence[str]) -> Kernel:
    """(inputs..., settled, directions of `along`) -> derivatives of the outputs `of`."""
    known = _kernels.setdefault(formula, {})
    key = (*along, "->", *of)
    if key not in known:
        main = formula.composed.main
        shapes = dict(main.outputs)
        function = tangent_function(main.function, along, of)
        given = [(function.size1_in(i),) for i in range(function.n_in())]
        known[key] = Kernel(function, input_shapes=given, output_shapes=[shapes[name] for name in of])
    return known[key]


_kernels: WeakKeyDictionary[Formula, dict[tuple[str, ...], Kernel]] = WeakKeyDictionary()
