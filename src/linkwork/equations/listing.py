"""What a trace leaves behind: operations one after the other, as plain numbers.

A listing is what kernels are made of. CasADi's function of it is only made where somebody differentiates it, since
that takes as long as the trace itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linkwork.algebra import ca

Shapes = tuple[tuple[str, tuple[int, ...]], ...]
"""Names and shapes of blocks."""
NONE = -1
CALL = -2
"""In the place of an operation's code: a result of a call; its operands are the call's number and the result's."""


@dataclass(frozen=True, eq=False)
class Listing:
    """Operations in single-assignment form.

    Values are numbered: the elements of the inputs, row by row, then the constants, then one value an operation.

    inputs, outputs : names and shapes of blocks; constants : their numbers
    codes : CasADi's code of every operation; operands : the values that it reads, two columns, NONE where there is none
    results : values of all elements of the outputs
    calls : listings that are run in the course of this one, each with one block of inputs and one of outputs, and the
        values that they take; a call stands where the first of its results does
    written : nothing in it folds or stands there twice, and a product that only a difference or a change of sign reads
        stands just before that
    """

    name: str
    inputs: Shapes
    outputs: Shapes
    constants: tuple[float, ...]
    codes: NDArray[np.int32]
    operands: NDArray[np.int32]
    results: NDArray[np.int32]
    calls: tuple[tuple[Listing, NDArray[np.int32]], ...] = ()
    written: bool = False

    @cached_property
    def function(self) -> ca.Function:
        """The same as a function of CasADi; outputs of more than two axes are rows of the last one."""
        blocks = [ca.SX.sym(name, math.prod(shape)) for name, shape in self.inputs]
        values = [x for block in blocks for x in ca.vertsplit(block)] + [ca.SX(x) for x in self.constants]
        done: dict[int, Sequence[ca.SX]] = {}
        for code, (a, b) in zip(self.codes.tolist(), self.operands.tolist(), strict=True):
            if code == CALL:
                if a not in done:
                    listing, taken = self.calls[a]
                    given = ca.vertcat(*[values[v] for v in taken.tolist()])
                    done[a] = ca.vertsplit(listing.function(given))
                values.append(done[a][b])
            elif b == NONE:
                values.append(ca.SX.unary(code, values[a]))
            elif code == ca.OP_MUL and a == b:
                values.append(ca.SX.unary(ca.OP_SQ, values[a]))
            else:
                values.append(ca.SX.binary(code, values[a], values[b]))
        results, start, places = [], 0, self.results.tolist()
        for _, shape in self.outputs:
            size = math.prod(shape)
            results.append(_shaped([values[v] for v in places[start : start + size]], shape))
            start += size
        names = [name for name, _ in self.inputs], [name for name, _ in self.outputs]
        return ca.Function(self.name, blocks, results, *names, {"allow_duplicate_io_names": True})


def _shaped(values: Sequence[ca.SX], shape: tuple[int, ...]) -> ca.SX:
    """Row-major values as a CasADi matrix (column-major)."""
    if len(shape) < 2:
        return ca.vertcat(*values) if values else ca.SX(0, 1)
    rows, columns = math.prod(shape[:-1]), shape[-1]
    ordered = [values[i * columns + j] for j in range(columns) for i in range(rows)]
    return ca.reshape(ca.vertcat(*ordered), rows, columns) if ordered else ca.SX(rows, columns)
