"""One compiled loop that runs any tape: no compile time, every size, and the bits of the compiled kernel.

A tape becomes numbers: five 32-bit words an operation (which, target, three operands). Operands and target are rows of
one workspace, `WIDTH` samples wide:

    inputs | constants | temporaries | outputs

Constants are one more input block that all samples share. The cases of the loop come from the same table as compiled
code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.algebra import ca
from linkwork.kernels.functions import sincos
from linkwork.kernels.lanes import Lanes
from linkwork.kernels.machine import Machine
from linkwork.kernels.operations import OPERATIONS, Operation
from linkwork.kernels.slots import allocate_slots
from linkwork.kernels.tape import Tape
from linkwork.kernels.tiles import general_drive

HALT, COPY, SINCOS, FIRST = 0, 1, 2, 3
"""Words of the code: the end; target = operand; target, second operand = sin, cos of the first; then the table."""

Case = Callable[[Lanes, list[str]], tuple[str, ...]]
WORDS = 5
EFFORT = 2
"""Of the code generator (see `machine.py`): its loops gain by more."""
WIDTH = 16
"""Lanes of a row: several registers, so that the cost of finding the next case is spread over more samples."""


def case_numbers() -> dict[int, int]:
    """The word of every operation of the table."""
    return {int(code): FIRST + k for k, code in enumerate(sorted(OPERATIONS))}


# ------------------------------------------------------------------------------------------------------------ encoding


@dataclass(frozen=True, eq=False)
class Code:
    """A tape as the interpreter reads it: words, sizes of input blocks (constants last) and outputs, rows in all."""

    words: NDArray[np.int32]
    input_sizes: NDArray[np.int64]
    output_sizes: NDArray[np.int64]
    constants: NDArray[np.float64]
    first_output: int
    rows: int


def encode(tape: Tape) -> Code:
    """The code of a tape."""
    base, n = tape.first_operation, len(tape)
    codes, operands, results = tape.codes.tolist(), tape.operands.tolist(), tape.results.tolist()
    partner = _sine_partners(codes, operands)
    birth = {base + k: min(k, partner.get(k, k)) for k in range(n)}
    death = dict(birth)
    for k, row in enumerate(operands):
        for v in row:
            if v >= base:
                death[v] = k
    delivered: dict[int, int] = {}
    copies: list[tuple[int, int]] = []
    for place, v in enumerate(results):
        if v < base or v in delivered:
            copies.append((place, v))
        else:
            delivered[v] = place

    slots, count = allocate_slots({v: (birth[v], death[v]) for v in birth if v not in delivered}, base)
    outputs = base + count
    row_of = [*range(base), *(outputs + delivered[v] if v in delivered else slots[v] for v in range(base, base + n))]

    number = case_numbers()
    words: list[tuple[int, int, int, int, int]] = []
    for k, (code, row) in enumerate(zip(codes, operands, strict=True)):
        rows = [row_of[v] if v >= 0 else 0 for v in row]
        if k not in partner:
            words.append((number[code], row_of[base + k], *rows))
        elif k < partner[k]:
            pair = (row_of[base + k], row_of[base + partner[k]])
            sine, cosine = pair if code == ca.OP_SIN else pair[::-1]
            words.append((SINCOS, sine, rows[0], cosine, 0))
    words += [(COPY, outputs + place, row_of[v], 0, 0) for place, v in copies]
    words.append((HALT, 0, 0, 0, 0))
    table = np.array(words, np.int32).reshape(-1, WORDS)
    table[:, 1:] *= WIDTH
    return Code(
        words=table,
        input_sizes=np.array([*(b.size for b in tape.inputs), len(tape.constants)], np.int64),
        output_sizes=np.array([b.size for b in tape.outputs], np.int64),
        constants=np.ascontiguousarray(tape.constants, np.float64),
        first_output=outputs,
        rows=outputs + tape.output_size,
    )


def _sine_partners(codes: list[int], operands: list[list[int]]) -> dict[int, int]:
    """Sines and cosines of the same angle, each to the other."""
    sines = {row[0]: k for k, (code, row) in enumerate(zip(codes, operands, strict=True)) if code == ca.OP_SIN}
    pairs = [
        (sines[row[0]], k)
        for k, (code, row) in enumerate(zip(codes, operands, strict=True))
        if code == ca.OP_COS and row[0] in sines
    ]
    return dict(pairs) | {b: a for a, b in pairs}


# ------------------------------------------------------------------------------------------------------------ assembly


def _cases() -> Iterator[tuple[int, int, Case]]:
    """Word, number of operands and code of every case."""
    yield COPY, 1, lambda lanes, x: (x[0],)
    yield SINCOS, 1, lambda lanes, x: sincos(lanes, x[0])
    for code, word in case_numbers().items():
        yield word, OPERATIONS[code].arity, _single(OPERATIONS[code])


def _single(operation: Operation) -> Case:
    return lambda lanes, operands: (operation.emit(lanes, *operands),)


def interpreter_assembly(machine: Machine) -> str:
    """The module of the interpreter.

    void lw_interpret(const int32_t *code, int64_t inputs, const int64_t *in_sizes, int64_t outputs,
                      const int64_t *out_sizes, const double *const *in, const int64_t *in_strides, double *const *out,
                      const int64_t *out_strides, int64_t first, int64_t count, double *workspace, int64_t first_output)
    """
    declarations: set[str] = set()
    cases, labels = [], []
    for label, arity, emit_case in _cases():
        lanes = Lanes(WIDTH, machine.fma, prefix=f"c{label}.")
        operands = [lanes.load(f"%p{letter}{label}") for letter in "abc"[:arity]]
        results = emit_case(lanes, operands)
        rows = ["t", "b"][: len(results)]  # a second result goes where a second operand would come from
        pointers = [
            f"  %p{letter}{label} = getelementptr double, ptr %rows, i64 %{letter}"
            for letter in sorted({"t", *"abc"[:arity], *rows})
        ]
        for letter, value in zip(rows, results, strict=True):
            lanes.store(value, f"%p{letter}{label}")
        cases += [f"case{label}:", *pointers, *lanes.lines, "  br label %next"]
        labels.append(f"    i32 {label}, label %case{label}")
        declarations |= lanes.declarations
    fields = []
    for k, letter in enumerate(("op", "t", "a", "b", "c")):
        fields += [
            f"  %{letter}.at = getelementptr i32, ptr %pc, i64 {k}",
            f"  %{letter}.word = load i32, ptr %{letter}.at, align 4",
        ]
        if letter != "op":
            fields.append(f"  %{letter} = sext i32 %{letter}.word to i64")
    tile = [
        "define internal void @lw_tile(ptr %code, ptr %rows, ptr %out, ptr %spill) {",
        "entry:",
        "  br label %fetch",
        "fetch:",
        "  %pc = phi ptr [ %code, %entry ], [ %pc1, %next ]",
        *fields,
        "  switch i32 %op.word, label %halt [",
        *labels,
        "  ]",
        *cases,
        "next:",
        f"  %pc1 = getelementptr i32, ptr %pc, i64 {WORDS}",
        "  br label %fetch",
        "halt:",
        "  ret void",
        "}",
    ]
    entry = f"""\
define void @lw_interpret(ptr %code, i64 %inputs, ptr %in.sizes, i64 %outputs, ptr %out.sizes, ptr %in, ptr %in.strides,
                          ptr %out, ptr %out.strides, i64 %first, i64 %count, ptr %workspace, i64 %first.output) {{
  %offset = mul i64 %first.output, {WIDTH}
  %rows.out = getelementptr double, ptr %workspace, i64 %offset
  call void @lw_drive(ptr @lw_tile, ptr %code, i64 %inputs, ptr %in.sizes, i64 %outputs, ptr %out.sizes,
                      ptr %in, ptr %in.strides, ptr %out, ptr %out.strides, i64 %first, i64 %count,
                      ptr %workspace, ptr %rows.out, ptr null)
  ret void
}}
"""
    return "\n".join((*sorted(declarations), general_drive(WIDTH), *tile, entry))
