"""From a tape to LLVM assembly: straight-line code for one sample and for tiles of W samples.

Functions of two kinds, compiled apart since each takes its time and often one is enough (all blocks dense, row-major
doubles; inputs and outputs must not overlap). Long tapes are cut into modules, compiled one after the other:

    void    lw_scalar(const double *const *in, double *const *out)
    void    lw_batch(const double *const *in, const int64_t *in_strides, double *const *out, const int64_t *out_strides,
                     int64_t first, int64_t count, double *workspace)
    int64_t lw_rows(void)

Strides count doubles from sample to sample; an input of stride 0 is shared by all samples. The workspace holds
`lw_rows()` rows of W doubles and is aligned to 64 bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from linkwork.algebra import ca
from linkwork.kernels.functions import sincos
from linkwork.kernels.lanes import Lanes
from linkwork.kernels.machine import Machine
from linkwork.kernels.operations import OPERATIONS
from linkwork.kernels.slots import allocate_slots
from linkwork.kernels.tape import Block, Tape
from linkwork.kernels.tiles import special_drive

WHOLE = 4_000
"""Operations up to which a tape is one function; beyond, the time to compile would grow faster than the tape."""
CHUNK = 1_000
"""Operations of one function of a longer tape. Cut so, tapes run as fast as whole, or faster."""
RELOAD = 32
"""Operations after which a value that stands in memory is read again rather than kept: 4 to 8 % less time, since
registers are few and LLVM would store the value a second time to free one."""


@dataclass(frozen=True)
class _Plan:
    """How a tape is cut: chunks of operations, and the spill slot of every value that outlives its chunk."""

    chunks: tuple[range, ...]
    slots: dict[int, int]
    slot_count: int


def scalar_assembly(tape: Tape, machine: Machine, whole: int = WHOLE, chunk: int = CHUNK) -> Iterator[str]:
    """The modules with `lw_scalar`: one a chunk, which may be compiled one by one; the last has the entry."""
    plan = _plan(tape, whole, chunk)
    last = f"""\
define void @lw_scalar(ptr %in, ptr %out) {{
  %spill = alloca [{max(plan.slot_count, 1)} x double], align 64
{_calls(plan, "lw_part")}
  ret void
}}
"""
    return _modules(tape, plan, "lw_part", lambda: _SampleAccess(tape, Lanes(1, machine.fma)), last)


def batch_assembly(tape: Tape, machine: Machine, whole: int = WHOLE, chunk: int = CHUNK) -> Iterator[str]:
    """The modules with `lw_batch` and `lw_rows`, likewise."""
    plan = _plan(tape, whole, chunk)
    rows_in, rows_out = tape.input_size, tape.output_size
    last = f"""\
define internal void @lw_tile(ptr %context, ptr %in, ptr %out, ptr %spill) {{
{_calls(plan, "lw_tile_part")}
  ret void
}}
{special_drive(machine.width, [b.size for b in tape.inputs], [b.size for b in tape.outputs])}
define i64 @lw_rows() {{
  ret i64 {rows_in + rows_out + plan.slot_count}
}}
define void @lw_batch(ptr %in, ptr %in.strides, ptr %out, ptr %out.strides, i64 %first, i64 %count, ptr %workspace) {{
  %results = getelementptr double, ptr %workspace, i64 {rows_in * machine.width}
  %spill = getelementptr double, ptr %workspace, i64 {(rows_in + rows_out) * machine.width}
  call void @lw_drive(ptr %in, ptr %in.strides, ptr %out, ptr %out.strides, i64 %first, i64 %count,
                      ptr %workspace, ptr %results, ptr %spill)
  ret void
}}
"""
    return _modules(tape, plan, "lw_tile_part", lambda: _TileAccess(Lanes(machine.width, machine.fma)), last)


def _modules(tape: Tape, plan: _Plan, name: str, access: Callable[[], _Access], last: str) -> Iterator[str]:
    """All in one, or one a chunk and what calls them."""
    parts = _functions(tape, plan, name, access)
    if len(plan.chunks) == 1:
        yield next(parts).replace("define void", "define internal void", 1) + last
        return
    yield from parts
    yield "\n".join(f"declare void @{name}{k}(ptr, ptr, ptr)" for k in range(len(plan.chunks))) + "\n" + last


# ----------------------------------------------------------------------------------------------------------- in and out


class _Access(Protocol):
    """How one function reads inputs and writes results, by their numbers among all of the tape."""

    lanes: Lanes

    def read(self, v: int) -> str:
        """The value of an input."""

    def write(self, place: int, value: str) -> None:
        """Store a result."""


class _TileAccess:
    """Inputs and results are rows."""

    def __init__(self, lanes: Lanes) -> None:
        self.lanes = lanes

    def read(self, v: int) -> str:
        return self.lanes.load("%in", v)

    def write(self, place: int, value: str) -> None:
        self.lanes.store(value, "%out", place)


class _SampleAccess:
    """Inputs and results are elements of blocks, whose addresses stand in two tables."""

    def __init__(self, tape: Tape, lanes: Lanes) -> None:
        self.lanes = lanes
        self._sources = _elements(tape.inputs)
        self._targets = _elements(tape.outputs)
        self._blocks: dict[tuple[str, int], str] = {}

    def read(self, v: int) -> str:
        block, element = self._sources[v]
        return self.lanes.load(self._block("%in", block), element)

    def write(self, place: int, value: str) -> None:
        block, element = self._targets[place]
        self.lanes.store(value, self._block("%out", block), element)

    def _block(self, table: str, block: int) -> str:
        """The address of a block, loaded once."""
        if (table, block) not in self._blocks:
            at = self.lanes.emit(f"getelementptr ptr, ptr {table}, i64 {block}")
            self._blocks[table, block] = self.lanes.emit(f"load ptr, ptr {at}, align 8")
        return self._blocks[table, block]


def _elements(blocks: Sequence[Block]) -> list[tuple[int, int]]:
    """Block and place in it of every element."""
    return [(b, e) for b, block in enumerate(blocks) for e in range(block.size)]


# ----------------------------------------------------------------------------------------------------------- operations


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
    used: dict[int, int] = {}  # where a value from elsewhere was read last

    for k, (code, row) in enumerate(zip(codes, rows, strict=True), part.start):
        operands = []
        for v in row:
            if v >= 0:
                if v < base + part.start:
                    if v not in used or k - used[v] > RELOAD:
                        names[v] = fetch(v)
                    used[v] = k
                operands.append(names[v])
        if row[0] in pairs and code in (ca.OP_SIN, ca.OP_COS):
            if row[0] not in computed:
                computed[row[0]] = sincos(lanes, operands[0])
            name = computed[row[0]][code == ca.OP_COS]
        else:
            name = OPERATIONS[code].emit(lanes, *operands)
        names[base + k] = name
        done(base + k, name)


def _functions(tape: Tape, plan: _Plan, name: str, access: Callable[[], _Access]) -> Iterator[str]:
    """Functions `name0`, `name1`... (in, out, spill), one a chunk, each with what it declares."""
    places: dict[int, list[int]] = {}
    for place, v in enumerate(tape.results.tolist()):
        places.setdefault(v, []).append(place)
    for number, part in enumerate(plan.chunks):
        here = access()
        lanes = here.lanes

        def fetch(v: int, here: _Access = here) -> str:
            if v < tape.input_size:
                return here.read(v)
            if v < tape.first_operation:
                return here.lanes.constant(float(tape.constants[v - tape.input_size]))
            return here.lanes.load("%spill", plan.slots[v])

        def done(v: int, value: str, here: _Access = here) -> None:
            for place in places.get(v, ()):
                here.write(place, value)
            if v in plan.slots:
                here.lanes.store(value, "%spill", plan.slots[v])

        if number == 0:  # results that are an input or a number
            for v in [v for v in places if v < tape.first_operation]:
                done(v, fetch(v))
        _operations(tape, lanes, part, fetch, done)
        head = f"define void @{name}{number}(ptr noalias %in, ptr noalias %out, ptr noalias %spill) {{"
        yield "\n".join((*sorted(lanes.declarations), head, *lanes.lines, "  ret void", "}\n"))


def _calls(plan: _Plan, name: str) -> str:
    return "\n".join(f"  call void @{name}{k}(ptr %in, ptr %out, ptr %spill)" for k in range(len(plan.chunks)))
