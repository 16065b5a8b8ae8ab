"""One compiled loop that runs any tape: no compile time, every size, and the bits of the compiled kernel.

It is there twice: for tiles of `WIDTH` samples, and for one sample, with the signature of compiled code but for one
more argument, the *record* of the tape (`entries.py`). What it reads is told in `encoding.py`; the cases of its steps
come from the same table as compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from linkwork.kernels.encoding import HALT, NOTHING, RUN, SINCOS, case_numbers
from linkwork.kernels.functions import sincos
from linkwork.kernels.lanes import Lanes
from linkwork.kernels.machine import Machine
from linkwork.kernels.operations import OPERATIONS, Operation
from linkwork.kernels.tiles import general_drive

Case = Callable[[Lanes, list[str]], tuple[str, ...]]
WORDS = 4
EFFORT = 2
"""Of the code generator (see `machine.py`): its loops gain by more."""
WIDTH = 16
"""Lanes of a row: several registers, so that the cost of finding the next case is spread over more samples."""

RECORD = (
    "entry", "calls", "busy", "words", "workspace", "rows", "inputs", "input_sizes", "outputs", "output_sizes",
    "first_output", "first_constant", "constants", "constant_count",
)  # fmt: skip
"""Words of a record, 64 bits each: what its entry calls; calls counted; whether `workspace` is in use; the code."""


def _cases() -> Iterator[tuple[int, int, Case]]:
    """Word, number of operands and code of every step."""
    yield SINCOS, 1, lambda lanes, x: sincos(lanes, x[0])
    for code, word in case_numbers().items():
        yield word, OPERATIONS[code].arity, _single(OPERATIONS[code])


def _single(operation: Operation) -> Case:
    return lambda lanes, operands: (operation.emit(lanes, *operands),)


def _fields(at: str, names: str, prefix: str) -> list[str]:
    """Load the words of a line."""
    lines = []
    for k, name in enumerate(names):
        lines += [
            f"  %{prefix}{name}.at = getelementptr i32, ptr {at}, i64 {k}",
            f"  %{prefix}{name}.word = load i32, ptr %{prefix}{name}.at, align 4",
            f"  %{prefix}{name} = zext i32 %{prefix}{name}.word to i64",
        ]
    return lines


def _row(width: int, name: str, index: str) -> str:
    return f"  %{name} = getelementptr [{width} x double], ptr %rows, i64 {index}"


def _run(width: int, fused: bool) -> tuple[list[str], set[str]]:
    """The body of a run: target = (+-a) * b + (+-c)."""
    lanes = Lanes(width, fused, prefix="r.v")
    lines = [
        *_fields("%at", "tabc", "r."),
        *(f"  %r.{x}.row = lshr i64 %r.{x}, 1" for x in "ac"),
        *(f"  %r.{x}.sign = shl i64 %r.{x}, 63" for x in "ac"),
        _row(width, "r.pa", "%r.a.row"),
        _row(width, "r.pb", "%r.b"),
        _row(width, "r.pc", "%r.c.row"),
        _row(width, "r.pt", "%r.t"),
    ]

    def turned(value: str, sign: str) -> str:
        wide = sign
        if width > 1:
            number = lanes.emit(f"bitcast i64 {sign} to double")
            wide = lanes.bits(lanes.broadcast(number))
        return lanes.from_bits(lanes.bit_xor(lanes.bits(value), wide))

    a, b, c = (lanes.load(f"%r.p{x}") for x in "abc")
    lanes.store(lanes.fma(turned(a, "%r.a.sign"), b, turned(c, "%r.c.sign")), "%r.pt")
    return [*lines, *lanes.lines], lanes.declarations


def _tape(name: str, width: int, fused: bool) -> tuple[list[str], set[str]]:
    """A function (code, rows, ...) that runs a tape over the rows of a workspace, and what it declares."""
    run, declarations = _run(width, fused)
    cases, labels = [], [f"    i32 {NOTHING}, label %run"]
    for label, arity, emit_case in _cases():
        lanes = Lanes(width, fused, prefix=f"c{label}.")
        operands = [lanes.load(f"%p{letter}{label}") for letter in "ab"[:arity]]
        results = emit_case(lanes, operands)
        rows = ["t", "b"][: len(results)]  # a second result goes where a second operand would come from
        pointers = [_row(width, f"p{letter}{label}", f"%{letter}") for letter in sorted({*"ab"[:arity], *rows})]
        for letter, value in zip(rows, results, strict=True):
            lanes.store(value, f"%p{letter}{label}")
        cases += [f"case{label}:", *pointers, *lanes.lines, "  br label %run"]
        labels.append(f"    i32 {label}, label %case{label}")
        declarations |= lanes.declarations
    lines = [
        f"define internal void @{name}(ptr %code, ptr %rows, ptr %out, ptr %spill) {{",
        "entry:",
        "  br label %step",
        "step:",
        "  %pc = phi ptr [ %code, %entry ], [ %end, %run ], [ %end, %line ]",
        *_fields("%pc", "htab", ""),
        f"  %op = and i32 %h.word, {RUN - 1}",
        f"  %length = udiv i64 %h, {RUN}",
        f"  %begin = getelementptr i32, ptr %pc, i64 {WORDS}",
        f"  %end = getelementptr [{WORDS} x i32], ptr %begin, i64 %length",
        "  switch i32 %op, label %halt [",
        *labels,
        "  ]",
        *cases,
        "run:",
        "  %some = icmp ne i64 %length, 0",
        "  br i1 %some, label %line, label %step",
        "line:",
        "  %at = phi ptr [ %begin, %run ], [ %at1, %line ]",
        *run,
        f"  %at1 = getelementptr i32, ptr %at, i64 {WORDS}",
        "  %more = icmp ne ptr %at1, %end",
        "  br i1 %more, label %line, label %step",
        "halt:",
        "  ret void",
        "}",
    ]
    assert HALT not in {label for label, _, _ in _cases()}
    return lines, declarations


def batch_interpreter(machine: Machine) -> str:
    """The module that runs tiles.

    void lw_interpret(const int32_t *code, int64_t inputs, const int64_t *in_sizes, int64_t outputs,
                      const int64_t *out_sizes, const double *const *in, const int64_t *in_strides, double *const *out,
                      const int64_t *out_strides, int64_t first, int64_t count, double *workspace, int64_t first_output)
    """
    tile, declarations = _tape("lw_tile", WIDTH, machine.fma)
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


_COPY = """\
define internal void @lw_copy(ptr %to, ptr %from, i64 %count) {
entry:
  %wide = and i64 %count, -4
  %any = icmp sgt i64 %wide, 0
  br i1 %any, label %fours, label %rest
fours:
  %i = phi i64 [ 0, %entry ], [ %i1, %fours ]
  %i.from = getelementptr double, ptr %from, i64 %i
  %i.to = getelementptr double, ptr %to, i64 %i
  %four = load <4 x i64>, ptr %i.from, align 8
  store <4 x i64> %four, ptr %i.to, align 8
  %i1 = add i64 %i, 4
  %i.more = icmp slt i64 %i1, %wide
  br i1 %i.more, label %fours, label %rest
rest:
  %some = icmp slt i64 %wide, %count
  br i1 %some, label %ones, label %done
ones:
  %k = phi i64 [ %wide, %rest ], [ %k1, %ones ]
  %k.from = getelementptr double, ptr %from, i64 %k
  %k.to = getelementptr double, ptr %to, i64 %k
  %one = load i64, ptr %k.from, align 8
  store i64 %one, ptr %k.to, align 8
  %k1 = add i64 %k, 1
  %k.more = icmp slt i64 %k1, %count
  br i1 %k.more, label %ones, label %done
done:
  ret void
}
"""


def _blocks(way: str, rows: str) -> str:
    """A function that copies all blocks of a table one after the other to rows, or back."""
    target, source = ("%row", "%block") if way == "in" else ("%block", "%row")
    return f"""\
define internal void @lw_all_{way}(i64 %blocks, ptr %sizes, ptr %table, ptr %{rows}) {{
entry:
  %any = icmp sgt i64 %blocks, 0
  br i1 %any, label %loop, label %done
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %row = phi ptr [ %{rows}, %entry ], [ %row1, %loop ]
  %block.at = getelementptr ptr, ptr %table, i64 %k
  %block = load ptr, ptr %block.at, align 8
  %size.at = getelementptr i64, ptr %sizes, i64 %k
  %size = load i64, ptr %size.at, align 8
  call void @lw_copy(ptr {target}, ptr {source}, i64 %size)
  %row1 = getelementptr double, ptr %row, i64 %size
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %blocks
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def single_interpreter(machine: Machine) -> str:
    """The module that runs one sample: void lw_single(const double *const *in, double *const *out, int64_t *record).

    The workspace of the record serves one call at a time; a call that finds it in use gets memory of its own.
    """
    tape, declarations = _tape("lw_sample", 1, machine.fma)
    fields = []
    for k, name in enumerate(RECORD):
        kind = "ptr" if name in ("words", "workspace", "input_sizes", "output_sizes", "constants") else "i64"
        fields.append(f"  %{name}.at = getelementptr i64, ptr %record, i64 {k}")
        if name not in ("entry", "busy"):
            fields.append(f"  %{name} = load {kind}, ptr %{name}.at, align 8")
    loads = "\n".join(fields)
    entry = f"""\
declare ptr @malloc(i64)
declare void @free(ptr)
define void @lw_single(ptr %in, ptr %out, ptr %record) {{
entry:
{loads}
  %calls1 = add i64 %calls, 1
  store i64 %calls1, ptr %calls.at, align 8
  br label %try
try:
  %took = cmpxchg ptr %busy.at, i64 0, i64 1 acquire monotonic
  %free = extractvalue {{ i64, i1 }} %took, 1
  br i1 %free, label %ready, label %other
other:
  %bytes = mul i64 %rows, 8
  %own = call ptr @malloc(i64 %bytes)
  %none = icmp eq ptr %own, null
  br i1 %none, label %try, label %fill
fill:
  %own.constants = getelementptr double, ptr %own, i64 %first_constant
  call void @lw_copy(ptr %own.constants, ptr %constants, i64 %constant_count)
  br label %ready
ready:
  %room = phi ptr [ %workspace, %try ], [ %own, %fill ]
  call void @lw_all_in(i64 %inputs, ptr %input_sizes, ptr %in, ptr %room)
  call void @lw_sample(ptr %words, ptr %room, ptr null, ptr null)
  %results = getelementptr double, ptr %room, i64 %first_output
  call void @lw_all_out(i64 %outputs, ptr %output_sizes, ptr %out, ptr %results)
  br i1 %free, label %release, label %return
release:
  store atomic i64 0, ptr %busy.at release, align 8
  ret void
return:
  call void @free(ptr %room)
  ret void
}}
"""
    return "\n".join((*sorted(declarations), _COPY, _blocks("in", "rows"), _blocks("out", "rows"), *tape, entry))
