"""From a tape to LLVM assembly: straight-line code for one sample and for tiles of W samples.

Functions of a compiled object (all blocks dense, row-major doubles; inputs and outputs must not overlap):

    void    lw_scalar(const double *const *in, double *const *out)
    void    lw_batch(const double *const *in, const int64_t *in_strides, double *const *out, const int64_t *out_strides,
                     int64_t first, int64_t count, double *workspace)
    int64_t lw_rows(void)

Strides count doubles from sample to sample; an input of stride 0 is shared by all samples. The workspace holds `lw_rows()`
rows of W doubles and is aligned to 64 bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import casadi as ca

from linkwork.kernels.functions import sincos
from linkwork.kernels.lanes import Lanes
from linkwork.kernels.machine import Machine
from linkwork.kernels.operations import OPERATIONS
from linkwork.kernels.slots import allocate_slots
from linkwork.kernels.tape import Tape
from linkwork.kernels.tiles import special_drive

FORMAT = 1
"""Changes whenever the assembly of an unchanged tape does: part of the key of every cached object."""
WHOLE = 4_000
"""Operations up to which a tape is one function; beyond, the time to compile would grow faster than the tape."""
CHUNK = 1_000
"""Operations of one function of a longer tape. Cut so, tapes run as fast as whole, or faster."""


@dataclass(frozen=True)
class _Plan:
    """How a tape is cut: chunks of operations, and the spill slot of every value that outlives its chunk."""

    chunks: tuple[range, ...]
    slots: dict[int, int]
    slot_count: int


def program_assembly(tape: Tape, machine: Machine, whole: int = WHOLE, chunk: int = CHUNK) -> str:
    """The module of a tape for a machine."""
    plan = _plan(tape, whole, chunk)
    declarations: set[str] = set()
    scalar = _scalar(tape, plan, machine, declarations)
    tile = _tile(tape, plan, machine, declarations)
    drive = special_drive(machine.width, [b.size for b in tape.inputs], [b.size for b in tape.outputs])
    return "\n".join((*sorted(declarations), *scalar, *tile, drive, _batch(tape, plan, machine.width)))


# ----------------------------------------------------------------------------------------------------------------- pieces


def _plan(tape: Tape, whole: int, chunk: int) -> _Plan:
    n, base = len(tape), tape.first_operation
    if n <= whole:
        return _Plan((range(n),), {}, 0)
    born = {base + k: k // chunk for k in range(n)}
    last: dict[int, int] = {}
    for k, row in enumerate(tape.operands.tolist()):
        for v in row:
            if v >= base and k // chunk > born[v]:
                last[v] = k // chunk
    slots, count = allocate_slots({v: (born[v], end) for v, end in last.items()})
    return _Plan(tuple(range(k, min(k + chunk, n)) for k in range(0, n, chunk)), slots, count)


def _operations(
    tape: Tape, lanes: Lanes, part: range, fetch: Callable[[int], str], done: Callable[[int, str], None]
) -> None:
    """Emit a range of operations. `fetch` gives a value from elsewhere, `done` is told each new one."""
    base = tape.first_operation
    codes = tape.codes[part.start : part.stop].tolist()
    rows = tape.operands[part.start : part.stop].tolist()
    sines = {row[0] for code, row in zip(codes, rows, strict=True) if code == ca.OP_SIN}
    pairs = {row[0] for code, row in zip(codes, rows, strict=True) if code == ca.OP_COS and row[0] in sines}
    computed: dict[int, tuple[str, str]] = {}
    names: dict[int, str] = {}

    for k, (code, row) in enumerate(zip(codes, rows, strict=True), part.start):
        operands = []
        for v in row:
            if v >= 0:
                name = names.get(v)
                if name is None:
                    name = names[v] = fetch(v)
                operands.append(name)
        if row[0] in pairs and code in (ca.OP_SIN, ca.OP_COS):
            if row[0] not in computed:
                computed[row[0]] = sincos(lanes, operands[0])
            name = computed[row[0]][code == ca.OP_COS]
        else:
            name = OPERATIONS[code].emit(lanes, *operands)
        names[base + k] = name
        done(base + k, name)


def _functions(
    tape: Tape,
    plan: _Plan,
    lanes: Callable[[], Lanes],
    name: str,
    read: Callable[[Lanes, int], str],
    write: Callable[[Lanes, int, str], None],
    declarations: set[str],
) -> list[str]:
    """Internal functions `name0`, `name1`... (in, out, spill), one a chunk."""
    places: dict[int, list[int]] = {}
    for place, v in enumerate(tape.results.tolist()):
        places.setdefault(v, []).append(place)
    texts = []
    for number, part in enumerate(plan.chunks):
        emit = lanes()

        def fetch(v: int, emit: Lanes = emit) -> str:
            if v < tape.input_size:
                return read(emit, v)
            if v < tape.first_operation:
                return emit.constant(float(tape.constants[v - tape.input_size]))
            return emit.load("%spill", plan.slots[v])

        def done(v: int, value: str, emit: Lanes = emit) -> None:
            for place in places.get(v, ()):
                write(emit, place, value)
            if v in plan.slots:
                emit.store(value, "%spill", plan.slots[v])

        if number == 0:  # outputs that are an input or a number
            for v in [v for v in places if v < tape.first_operation]:
                value = fetch(v)
                for place in places[v]:
                    write(emit, place, value)
        _operations(tape, emit, part, fetch, done)
        declarations |= emit.declarations
        head = f"define internal void @{name}{number}(ptr noalias %in, ptr noalias %out, ptr noalias %spill) {{"
        texts.append("\n".join((head, *emit.lines, "  ret void", "}")))
    return texts


def _calls(plan: _Plan, name: str) -> Iterable[str]:
    return (f"  call void @{name}{k}(ptr %in, ptr %out, ptr %spill)" for k in range(len(plan.chunks)))


def _scalar(tape: Tape, plan: _Plan, machine: Machine, declarations: set[str]) -> list[str]:
    sources = [(b, e) for b, block in enumerate(tape.inputs) for e in range(block.size)]
    targets = [(b, e) for b, block in enumerate(tape.outputs) for e in range(block.size)]
    bases: dict[tuple[int, str, int], str] = {}

    def base(emit: Lanes, array: str, block: int) -> str:
        """The pointer to a block, loaded once a function."""
        key = (id(emit), array, block)
        if key not in bases:
            at = emit.emit(f"getelementptr ptr, ptr {array}, i64 {block}")
            bases[key] = emit.emit(f"load ptr, ptr {at}, align 8")
        return bases[key]

    def read(emit: Lanes, v: int) -> str:
        block, element = sources[v]
        return emit.load(base(emit, "%in", block), element)

    def write(emit: Lanes, place: int, value: str) -> None:
        block, element = targets[place]
        emit.store(value, base(emit, "%out", block), element)

    keep: list[Lanes] = []  # alive, so that their ids stay different

    def lanes() -> Lanes:
        keep.append(Lanes(1, machine.fma))
        return keep[-1]

    functions = _functions(tape, plan, lanes, "lw_part", read, write, declarations)
    entry = [
        "define void @lw_scalar(ptr %in, ptr %out) {",
        f"  %spill = alloca [{max(plan.slot_count, 1)} x double], align 64",
        *_calls(plan, "lw_part"),
        "  ret void",
        "}",
    ]
    return [*functions, "\n".join(entry)]


def _tile(tape: Tape, plan: _Plan, machine: Machine, declarations: set[str]) -> list[str]:
    functions = _functions(
        tape,
        plan,
        lambda: Lanes(machine.width, machine.fma),
        "lw_tile_part",
        lambda emit, v: emit.load("%in", v),
        lambda emit, place, value: emit.store(value, "%out", place),
        declarations,
    )
    entry = [
        "define internal void @lw_tile(ptr %context, ptr %in, ptr %out, ptr %spill) {",
        *_calls(plan, "lw_tile_part"),
        "  ret void",
        "}",
    ]
    return [*functions, "\n".join(entry)]


def _batch(tape: Tape, plan: _Plan, width: int) -> str:
    rows_in, rows_out = tape.input_size, tape.output_size
    return f"""\
define i64 @lw_rows() {{
  ret i64 {rows_in + rows_out + plan.slot_count}
}}
define void @lw_batch(ptr %in, ptr %in.strides, ptr %out, ptr %out.strides, i64 %first, i64 %count, ptr %workspace) {{
  %results = getelementptr double, ptr %workspace, i64 {rows_in * width}
  %spill = getelementptr double, ptr %workspace, i64 {(rows_in + rows_out) * width}
  call void @lw_drive(ptr %in, ptr %in.strides, ptr %out, ptr %out.strides, i64 %first, i64 %count,
                      ptr %workspace, ptr %results, ptr %spill)
  ret void
}}
"""
