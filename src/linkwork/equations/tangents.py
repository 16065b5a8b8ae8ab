"""Directional derivatives of a traced function: how its outputs change along directions of its inputs.

    f(x, settled),  f' = ∂f/∂x x' + ∂f/∂settled settled'

One forward pass costs a small multiple of the function itself, whatever the number of inputs; the columns of a Jacobian
and sensitivities to parameters are made of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.algebra import ca


def tangent_function(main: ca.Function, along: Sequence[str], of: Sequence[str]) -> ca.Function:
    """(inputs..., settled, directions of `along`...) -> derivatives of the outputs `of`.

    The last input of `main` is what has been settled; it counts as "settled" among `along`.
    """
    names = [main.name_in(i) for i in range(main.n_in())]
    inputs = [ca.SX.sym(name, main.size1_in(i)) for i, name in enumerate(names)]
    results = dict(zip([main.name_out(i) for i in range(main.n_out())], main.call(inputs), strict=True))
    seeds = {name: ca.SX.sym(f"d_{name}", main.size1_in(names.index(name))) for name in along}
    x = ca.vertcat(*[inputs[names.index(name)] for name in along])
    found = ca.jtimes(ca.vertcat(*[ca.vec(results[name]) for name in of]), x, ca.vertcat(*seeds.values()))
    edges, outputs = 0, []
    for name in of:
        size = results[name].numel()
        outputs.append(ca.densify(ca.reshape(found[edges : edges + size], *results[name].shape)))
        edges += size
    return ca.Function("tangent", [*inputs, *seeds.values()], outputs)
