"""Bounds of watched expressions over a box of states, compiled once a formula and let go with it."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from linkwork.equations.bounds import bounds_function
from linkwork.equations.plan import Plan
from linkwork.formulas import Formula
from linkwork.kernels import Kernel


def bounds_kernel(formula: Formula, plan: Plan) -> Kernel:
    """(box, settled) -> bounds of the output g and of its change, one expression a row."""
    if formula not in _kernels:
        main = formula.composed.main.function
        sizes = {"y": plan.ny, "w": plan.nw, "states": plan.n_states, "t": 1}
        function = bounds_function(main, "g", sizes)
        count = main.size1_out([main.name_out(i) for i in range(main.n_out())].index("g"))
        given = [(sum(sizes.values()), 4), (function.size1_in(1),)]
        _kernels[formula] = Kernel(function, input_shapes=given, output_shapes=[(count, 4)])
    return _kernels[formula]


_kernels: WeakKeyDictionary[Formula, Kernel] = WeakKeyDictionary()
