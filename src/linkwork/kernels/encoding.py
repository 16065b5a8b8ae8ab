"""A tape as the interpreter reads it: numbers in a table, made without a Python object an operation.

Sums, products, their fused forms and changes of sign are all one operation, to the bit:

    (+-a) * b + (+-c)      x + y = x * 1 + y,   x - y = -y * 1 + x,   x * y = x * y + (-0),   -x = -x * 1 + (-0)

So a tape is runs of this one, without anything to decide, between the few steps that are something else. A line of the
table has four 32-bit words:

    step   which + 256 * (length of the run that follows), target, first operand, second operand
    run    target, 2 a + (1 for -a), b, 2 c + (1 for -c)

Operands and targets are rows of one workspace: inputs | constants, 1, -0 | temporaries | outputs. Constants are one
more input block that all samples share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.algebra import ca
from linkwork.kernels.operations import OPERATIONS, Fused
from linkwork.kernels.slots import slots_by_stretch
from linkwork.kernels.tape import Tape

Integers = NDArray[np.int64]

HALT, NOTHING, SINCOS, FIRST = 0, 1, 2, 3
"""Steps: the end; none, for a run to follow; target, second operand = sin, cos of the first; then the table."""
RUN = 256
"""Factor of the length of a run in the first word of a step."""
STRETCH = 64
"""Operations after which the rows of values that have died are used again."""

_ONE, _ZERO = 3, 4  # in place of an operand: 1, and zero with a minus
_FORMS: dict[int, tuple[tuple[int, int, int], tuple[int, int]]] = {
    ca.OP_ADD: ((0, _ONE, 1), (0, 0)),
    ca.OP_SUB: ((1, _ONE, 0), (1, 0)),
    ca.OP_MUL: ((0, 1, _ZERO), (0, 0)),
    ca.OP_NEG: ((0, _ONE, _ZERO), (1, 0)),
    ca.OP_SQ: ((0, 0, _ZERO), (0, 0)),
    ca.OP_TWICE: ((0, _ONE, 0), (0, 0)),
    ca.OP_ASSIGN: ((0, _ONE, _ZERO), (0, 0)),
    ca.OP_LIFT: ((0, _ONE, _ZERO), (0, 0)),
    ca.OP_PRINTME: ((0, _ONE, _ZERO), (0, 0)),
    Fused.FMA: ((0, 1, 2), (0, 0)),
    Fused.FMS: ((0, 1, 2), (0, 1)),
    Fused.FNMA: ((0, 1, 2), (1, 0)),
}
"""By operation, which operands are a, b, c, and whether a and c change their sign."""


def case_numbers() -> dict[int, int]:
    """The word of every operation of the table that is a step."""
    return {int(code): FIRST + k for k, code in enumerate(sorted(set(OPERATIONS) - set(_FORMS)))}


def _tables() -> tuple[int, Integers, Integers, Integers]:
    """The least code; by code from there on, the word of the step (0 for runs), places of a, b, c, and their signs."""
    least = int(min(OPERATIONS))
    count = int(max(OPERATIONS)) - least + 1
    words, places, signs = np.zeros(count, np.int64), np.zeros((count, 3), np.int64), np.zeros((count, 2), np.int64)
    for code, word in case_numbers().items():
        words[code - least] = word
    for code, (abc, turned) in _FORMS.items():
        places[code - least], signs[code - least] = abc, turned
    return least, words, places, signs


_LEAST, _WORDS, _PLACES, _SIGNS = _tables()


@dataclass(frozen=True, eq=False)
class Code:
    """A tape as the interpreter reads it: lines, sizes of input blocks (constants last) and outputs, rows in all."""

    words: NDArray[np.int32]
    input_sizes: Integers
    output_sizes: Integers
    constants: NDArray[np.float64]
    first_output: int
    rows: int


def encode(tape: Tape) -> Code:
    """The code of a tape."""
    base, n = tape.first_operation, len(tape)
    codes, operands, results = (a.astype(np.int64) for a in (tape.codes, tape.operands, tape.results))
    operands = operands.reshape(n, 3)
    sines, cosines = _pairs(codes, operands)
    both = np.stack((sines, cosines), axis=1).reshape(-1, 2)
    times = np.arange(n)
    birth = times.copy()
    birth[both.max(axis=1)] = both.min(axis=1)

    # where values stand: those that are results in the place of the first of them
    delivered, first = np.unique(results, return_index=True)
    delivered, first = delivered[delivered >= base], first[delivered >= base]
    kept = np.ones(n, bool)
    kept[delivered - base] = False
    slots, count = slots_by_stretch(birth[kept], _last_uses(birth, operands, base)[kept], STRETCH)
    one, outputs = base, base + 2 + count
    row_of = np.concatenate((np.arange(base), np.zeros(n, np.int64), (one, one + 1)))
    row_of[base : base + n][kept] = base + 2 + slots
    row_of[delivered] = outputs + first

    # lines: a step at the beginning, operations, copies of further results, the end
    ends = np.broadcast_to((base + n, base + n + 1), (n, 2))
    rows = row_of[np.concatenate((np.maximum(operands, 0), ends), axis=1)]
    steps, places, signs = (table[codes - _LEAST] for table in (_WORDS, _PLACES, _SIGNS))
    a, b, c = np.take_along_axis(rows, places, axis=1).T
    own = row_of[base : base + n]
    runs = np.stack((own, 2 * a + signs[:, 0], b, 2 * c + signs[:, 1]), axis=1)
    lines = np.where((steps > 0)[:, None], np.stack((steps, own, rows[:, 0], rows[:, 1]), axis=1), runs)
    at = both.min(axis=1)
    lines[at] = np.stack((np.full(len(at), SINCOS), own[sines], rows[sines, 0], own[cosines]), axis=1)
    present = np.ones(n, bool)
    present[both.max(axis=1)] = False
    copied = np.ones(len(results), bool)
    copied[first] = False
    copies = row_of[results[copied]]
    fill = np.full(len(copies), one)
    table = np.concatenate(
        (
            [[NOTHING, 0, 0, 0]],
            lines[present],
            np.stack((outputs + np.flatnonzero(copied), 2 * copies, fill, 2 * (fill + 1)), axis=1),
            [[HALT, 0, 0, 0]],
        )
    )
    is_step = np.concatenate(([True], (steps > 0)[present], np.zeros(len(copies), bool), [True]))
    where = np.flatnonzero(is_step)
    table[where[:-1], 0] += RUN * (np.diff(where) - 1)
    constants = np.array([*tape.constants, 1.0, -0.0], np.float64)
    return Code(
        words=np.ascontiguousarray(table, np.int32),
        input_sizes=np.array([*(b.size for b in tape.inputs), len(constants)], np.int64),
        output_sizes=np.array([b.size for b in tape.outputs], np.int64),
        constants=constants,
        first_output=outputs,
        rows=outputs + tape.output_size,
    )


def _pairs(codes: Integers, operands: Integers) -> tuple[Integers, Integers]:
    """Sines and cosines of the same angle, as many of the one as of the other."""
    sines, cosines = np.flatnonzero(codes == ca.OP_SIN), np.flatnonzero(codes == ca.OP_COS)
    _, own, other = np.intersect1d(operands[sines, 0], operands[cosines, 0], return_indices=True)
    return sines[own], cosines[other]


def _last_uses(birth: Integers, operands: Integers, base: int) -> Integers:
    """The operation that reads a value last."""
    last = birth.copy()
    for column in operands.T:
        readers = np.flatnonzero(column >= base)
        np.maximum.at(last, column[readers] - base, readers)
    return last
