"""From the user's arrays to tiles and back: the loop around every batch, as LLVM assembly.

Samples lie in memory one after the other, element by element. Vector code wants W samples at a time with the W values
of one element side by side: a *row*. A *tile* is all rows of W samples. Here pairs of columns are turned into pairs of
rows in registers, on the way in and out, and a function is called that computes on the rows of one tile:

    tile(context, rows_in, rows_out, spill)        all rows of W doubles, 64-byte aligned

The last tile repeats the last sample in its spare lanes; they are computed and not stored. A block of stride 0 is the
same for all samples and is packed once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

_Mover = Callable[[int, str, Sequence[str], str, str], list[str]]

ALIGN = 64
"""Bytes to which every workspace is aligned."""
UNROLLED = 48
"""Columns up to which the moves of a block are written out; longer blocks go through a loop."""

# A pair of columns, W samples: W loads of two numbers. Loaded side by side they form two vectors, of the even and the
# odd samples; interleaving those gives the two rows:
#
#   even = s0.x s0.y s2.x s2.y     row x = s0.x s1.x s2.x s3.x
#   odd  = s1.x s1.y s3.x s3.y     row y = s0.y s1.y s2.y s3.y


def _indices(numbers: Sequence[int]) -> str:
    return f"<{len(numbers)} x i32> <" + ", ".join(f"i32 {n}" for n in numbers) + ">"


def _joined(tag: str, parts: list[str]) -> tuple[list[str], str]:
    """Lines that put pairs side by side to one vector, and its name."""
    lines, size, level = [], 2, 0
    while len(parts) > 1:
        wider = []
        for k in range(0, len(parts), 2):
            name = f"%{tag}.{level}.{k // 2}"
            kind = f"<{size} x double>"
            lines.append(
                f"  {name} = shufflevector {kind} {parts[k]}, {kind} {parts[k + 1]}, {_indices(range(2 * size))}"
            )
            wider.append(name)
        parts, size, level = wider, 2 * size, level + 1
    return lines, parts[0]


def _interleaved(width: int) -> tuple[list[int], list[int]]:
    """Indices that take the even and the odd elements of two vectors in turn."""
    low = [k for i in range(0, width, 2) for k in (i, width + i)]
    return low, [k + 1 for k in low]


def _pack_pair(width: int, tag: str, samples: Sequence[str], column: str, rows: str) -> list[str]:
    """Lines that move columns `column` and the next of the samples into the two rows at `rows`."""
    lines = []
    for i, sample in enumerate(samples):
        lines += [
            f"  %{tag}.at{i} = getelementptr double, ptr {sample}, i64 {column}",
            f"  %{tag}.v{i} = load <2 x double>, ptr %{tag}.at{i}, align 8",
        ]
    kind = f"<{width} x double>"
    join_even, even = _joined(f"{tag}.e", [f"%{tag}.v{i}" for i in range(0, width, 2)])
    join_odd, odd = _joined(f"{tag}.o", [f"%{tag}.v{i}" for i in range(1, width, 2)])
    lines += join_even + join_odd
    for k, indices in enumerate(_interleaved(width)):
        lines += [
            f"  %{tag}.r{k} = shufflevector {kind} {even}, {kind} {odd}, {_indices(indices)}",
            f"  %{tag}.to{k} = getelementptr double, ptr {rows}, i64 {k * width}",
            f"  store {kind} %{tag}.r{k}, ptr %{tag}.to{k}, align {8 * width}",
        ]
    return lines


def _pack_single(width: int, tag: str, samples: Sequence[str], column: str, row: str) -> list[str]:
    """Lines that move one column of the samples into the row at `row`."""
    lines, kind, value = [], f"<{width} x double>", "poison"
    for i, sample in enumerate(samples):
        lines += [
            f"  %{tag}.at{i} = getelementptr double, ptr {sample}, i64 {column}",
            f"  %{tag}.x{i} = load double, ptr %{tag}.at{i}, align 8",
            f"  %{tag}.r{i} = insertelement {kind} {value}, double %{tag}.x{i}, i32 {i}",
        ]
        value = f"%{tag}.r{i}"
    return [*lines, f"  store {kind} {value}, ptr {row}, align {8 * width}"]


def _unpack_pair(width: int, tag: str, samples: Sequence[str], column: str, rows: str) -> list[str]:
    """Lines that move the two rows at `rows` into columns `column` and the next of the samples."""
    lines, kind = [], f"<{width} x double>"
    for k in range(2):
        lines += [
            f"  %{tag}.from{k} = getelementptr double, ptr {rows}, i64 {k * width}",
            f"  %{tag}.r{k} = load {kind}, ptr %{tag}.from{k}, align {8 * width}",
        ]
    for k, indices in enumerate(_interleaved(width)):
        lines.append(f"  %{tag}.p{k} = shufflevector {kind} %{tag}.r0, {kind} %{tag}.r1, {_indices(indices)}")
    for i, sample in enumerate(samples):
        pair = _indices((i - i % 2, i - i % 2 + 1))
        lines += [
            f"  %{tag}.v{i} = shufflevector {kind} %{tag}.p{i % 2}, {kind} poison, {pair}",
            f"  %{tag}.at{i} = getelementptr double, ptr {sample}, i64 {column}",
            f"  store <2 x double> %{tag}.v{i}, ptr %{tag}.at{i}, align 8",
        ]
    return lines


def _unpack_square(width: int, tag: str, samples: Sequence[str], column: str, rows: str) -> list[str]:
    """Lines that move the W rows at `rows` into W columns of the samples, from `column` on: a W x W transpose.

    Each stage swaps blocks of 1, 2, 4, ... lanes between pairs of vectors.
    """
    lines, kind = [], f"<{width} x double>"
    vectors = []
    for k in range(width):
        lines += [
            f"  %{tag}.from{k} = getelementptr double, ptr {rows}, i64 {k * width}",
            f"  %{tag}.r{k} = load {kind}, ptr %{tag}.from{k}, align {8 * width}",
        ]
        vectors.append(f"%{tag}.r{k}")
    block = 1
    while block < width:
        low = [
            k for i in range(0, width, 2 * block) for k in (*range(i, i + block), *range(width + i, width + i + block))
        ]
        mixed = list(vectors)
        for i in (i for i in range(width) if not i & block):
            for j, indices in ((i, low), (i + block, [k + block for k in low])):
                mixed[j] = f"%{tag}.t{block}.{j}"
                pair = f"{kind} {vectors[i]}, {kind} {vectors[i + block]}"
                lines.append(f"  {mixed[j]} = shufflevector {pair}, {_indices(indices)}")
        vectors, block = mixed, 2 * block
    for i, sample in enumerate(samples):
        lines += [
            f"  %{tag}.at{i} = getelementptr double, ptr {sample}, i64 {column}",
            f"  store {kind} {vectors[i]}, ptr %{tag}.at{i}, align 8",
        ]
    return lines


def _unpack_single(width: int, tag: str, samples: Sequence[str], column: str, row: str) -> list[str]:
    """Lines that move the row at `row` into one column of the samples."""
    kind = f"<{width} x double>"
    lines = [f"  %{tag}.r = load {kind}, ptr {row}, align {8 * width}"]
    for i, sample in enumerate(samples):
        lines += [
            f"  %{tag}.x{i} = extractelement {kind} %{tag}.r, i32 {i}",
            f"  %{tag}.at{i} = getelementptr double, ptr {sample}, i64 {column}",
            f"  store double %{tag}.x{i}, ptr %{tag}.at{i}, align 8",
        ]
    return lines


# ------------------------------------------------------------------------------------------------ blocks of any length


def _pack(width: int) -> str:
    """`lw_pack`: one block of W samples into rows. Lanes after `last` read the sample of lane `last`."""
    samples = [f"%sample{i}" for i in range(width)]
    lines = ["define internal void @lw_pack(ptr %from, i64 %stride, i64 %columns, i64 %last, ptr %rows) {", "entry:"]
    for i in range(width):
        lines += [
            f"  %early{i} = icmp slt i64 {i}, %last",
            f"  %lane{i} = select i1 %early{i}, i64 {i}, i64 %last",
            f"  %offset{i} = mul i64 %lane{i}, %stride",
            f"  %sample{i} = getelementptr double, ptr %from, i64 %offset{i}",
        ]
    lines += [
        *_column_loop(width, _pack_pair(width, "p", samples, "%c", "%to")),
        *_pack_single(width, "s", samples, "%c", "%to"),
        "  br label %done",
        "done:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _unpack(width: int) -> str:
    """`lw_unpack`: rows into the first `last + 1` of W samples of one block."""
    samples = [f"%sample{i}" for i in range(width)]
    lines = ["define internal void @lw_unpack(ptr %to0, i64 %stride, i64 %columns, i64 %last, ptr %rows) {", "entry:"]
    for i in range(width):
        lines += [
            f"  %offset{i} = mul i64 {i}, %stride",
            f"  %sample{i} = getelementptr double, ptr %to0, i64 %offset{i}",
        ]
    lines += [
        f"  %full = icmp eq i64 %last, {width - 1}",
        "  br i1 %full, label %whole, label %lanes",
        "whole:",
        "  br label %square.test",
        "square.test:",
        "  %d = phi i64 [ 0, %whole ], [ %d1, %square ]",
        "  %square.left = sub i64 %columns, %d",
        f"  %square.row = mul i64 %d, {width}",
        "  %square.from = getelementptr double, ptr %rows, i64 %square.row",
        f"  %square.some = icmp sge i64 %square.left, {width}",
        "  br i1 %square.some, label %square, label %rest.begin",
        "square:",
        *_unpack_square(width, "q", samples, "%d", "%square.from"),
        f"  %d1 = add i64 %d, {width}",
        "  br label %square.test",
        "rest.begin:",
        *_column_loop(width, _unpack_pair(width, "p", samples, "%c", "%to"), "rest.begin", "%d"),
        *_unpack_single(width, "s", samples, "%c", "%to"),
        "  br label %done",
        "lanes:",
        "  %i = phi i64 [ 0, %entry ], [ %i1, %after ]",
        "  %o = mul i64 %i, %stride",
        "  %s = getelementptr double, ptr %to0, i64 %o",
        "  %l = getelementptr double, ptr %rows, i64 %i",
        "  br label %narrow",
        "narrow:",
        "  %n = phi i64 [ 0, %lanes ], [ %n1, %column ]",
        "  %left = icmp slt i64 %n, %columns",
        "  br i1 %left, label %column, label %after",
        "column:",
        f"  %place = mul i64 %n, {width}",
        "  %p = getelementptr double, ptr %l, i64 %place",
        "  %x = load double, ptr %p, align 8",
        "  %q = getelementptr double, ptr %s, i64 %n",
        "  store double %x, ptr %q, align 8",
        "  %n1 = add i64 %n, 1",
        "  br label %narrow",
        "after:",
        "  %i1 = add i64 %i, 1",
        "  %again = icmp sle i64 %i1, %last",
        "  br i1 %again, label %lanes, label %done",
        "done:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _column_loop(width: int, pair: list[str], entry: str = "entry", start: str = "0") -> list[str]:
    """A loop over pairs of columns %c, rows at %to; falls through to the last single column, or goes to %done."""
    return [
        "  br label %test",
        "test:",
        f"  %c = phi i64 [ {start}, %{entry} ], [ %c2, %pair ]",
        "  %left2 = sub i64 %columns, %c",
        f"  %row = mul i64 %c, {width}",
        "  %to = getelementptr double, ptr %rows, i64 %row",
        "  %two = icmp sge i64 %left2, 2",
        "  br i1 %two, label %pair, label %rest",
        "pair:",
        *pair,
        "  %c2 = add i64 %c, 2",
        "  br label %test",
        "rest:",
        "  %one = icmp eq i64 %left2, 1",
        "  br i1 %one, label %single, label %done",
        "single:",
    ]


def _blocks() -> str:
    """`lw_blocks`: pack or unpack all blocks of one tile, those that all samples share or those that they do not."""
    return """\
define internal void @lw_blocks(ptr %move, i1 %shared, i64 %count, ptr %sizes, ptr %data, ptr %strides, i64 %sample,
                                i64 %last, i64 %width, ptr %rows) {
entry:
  br label %test
test:
  %b = phi i64 [ 0, %entry ], [ %b1, %next ]
  %row = phi ptr [ %rows, %entry ], [ %row1, %next ]
  %inside = icmp slt i64 %b, %count
  br i1 %inside, label %look, label %done
look:
  %size.at = getelementptr i64, ptr %sizes, i64 %b
  %size = load i64, ptr %size.at, align 8
  %stride.at = getelementptr i64, ptr %strides, i64 %b
  %stride = load i64, ptr %stride.at, align 8
  %zero = icmp eq i64 %stride, 0
  %wanted = icmp eq i1 %zero, %shared
  br i1 %wanted, label %work, label %next
work:
  %data.at = getelementptr ptr, ptr %data, i64 %b
  %base = load ptr, ptr %data.at, align 8
  %offset = mul i64 %sample, %stride
  %from = getelementptr double, ptr %base, i64 %offset
  call void %move(ptr %from, i64 %stride, i64 %size, i64 %last, ptr %row)
  br label %next
next:
  %step = mul i64 %size, %width
  %row1 = getelementptr double, ptr %row, i64 %step
  %b1 = add i64 %b, 1
  br label %test
done:
  ret void
}
"""


def general_drive(width: int) -> str:
    """Function `lw_drive` for any number of blocks of any length."""
    text = f"""\
define internal void @lw_drive(ptr %tile, ptr %context, i64 %inputs, ptr %in.sizes, i64 %outputs, ptr %out.sizes,
                               ptr %in, ptr %in.strides, ptr %out, ptr %out.strides, i64 %first, i64 %count,
                               ptr %rows.in, ptr %rows.out, ptr %spill) {{
entry:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %begin, label %done
begin:
  %end = add i64 %first, %count
  call void @lw_blocks(ptr @lw_pack, i1 true, i64 %inputs, ptr %in.sizes, ptr %in, ptr %in.strides, i64 0, i64 0,
                       i64 {width}, ptr %rows.in)
  br label %loop
loop:
  %sample = phi i64 [ %first, %begin ], [ %sample1, %loop ]
  %left = sub i64 %end, %sample
  %left1 = sub i64 %left, 1
  %ragged = icmp slt i64 %left, {width}
  %last = select i1 %ragged, i64 %left1, i64 {width - 1}
  call void @lw_blocks(ptr @lw_pack, i1 false, i64 %inputs, ptr %in.sizes, ptr %in, ptr %in.strides, i64 %sample,
                       i64 %last, i64 {width}, ptr %rows.in)
  call void %tile(ptr %context, ptr %rows.in, ptr %rows.out, ptr %spill)
  call void @lw_blocks(ptr @lw_unpack, i1 false, i64 %outputs, ptr %out.sizes, ptr %out, ptr %out.strides, i64 %sample,
                       i64 %last, i64 {width}, ptr %rows.out)
  %sample1 = add i64 %sample, {width}
  %more = icmp slt i64 %sample1, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""
    return _pack(width) + _unpack(width) + _blocks() + text


# --------------------------------------------------------------------------------------------- blocks of known lengths


def special_drive(width: int, inputs: Sequence[int], outputs: Sequence[int]) -> str:
    """Function `lw_drive` for blocks of known lengths, its moves written out: half the work of the general one.

    void lw_drive(const double *const *in, const int64_t *in_strides, double *const *out, const int64_t *out_strides,
                  int64_t first, int64_t count, double *rows_in, double *rows_out, double *spill)
    """
    lines = [
        "define internal void @lw_drive(ptr %in, ptr %in.strides, ptr %out, ptr %out.strides, i64 %first, i64 %count,",
        "                               ptr %rows.in, ptr %rows.out, ptr %spill) {",
        "entry:",
        *_block_tables(width, "in", inputs),
        *_block_tables(width, "out", outputs),
        "  %end = add i64 %first, %count",
        "  %some = icmp sgt i64 %count, 0",
        "  br i1 %some, label %begin, label %done",
        "begin:",
        *_pack_shared(inputs),
        "  br label %loop",
        "loop:",
        f"  %sample = phi i64 [ %first, %{f'ready{len(inputs) - 1}' if inputs else 'begin'} ], [ %sample1, %next ]",
        "  %left = sub i64 %end, %sample",
        "  %left1 = sub i64 %left, 1",
        f"  %ragged = icmp slt i64 %left, {width}",
        f"  %last = select i1 %ragged, i64 %left1, i64 {width - 1}",
        *_pack_tile(width, inputs),
        "  call void @lw_tile(ptr null, ptr %rows.in, ptr %rows.out, ptr %spill)",
        "  br i1 %ragged, label %some.lanes, label %all.lanes",
        "all.lanes:",
        *_unpack_tile(width, outputs),
        "  br label %next",
        "some.lanes:",
        *_unpack_some(outputs),
        "  br label %next",
        "next:",
        f"  %sample1 = add i64 %sample, {width}",
        "  %more = icmp slt i64 %sample1, %end",
        "  br i1 %more, label %loop, label %done",
        "done:",
        "  ret void",
        "}",
    ]
    return _pack(width) + _unpack(width) + "\n".join(lines) + "\n"


def _block_tables(width: int, side: str, sizes: Sequence[int]) -> list[str]:
    """Lines that load address, stride and first row of every block: %in0, %in0.stride, %in0.rows..."""
    lines, row = [], 0
    for b, size in enumerate(sizes):
        lines += [
            f"  %{side}{b}.at = getelementptr ptr, ptr %{side}, i64 {b}",
            f"  %{side}{b} = load ptr, ptr %{side}{b}.at, align 8",
            f"  %{side}{b}.stride.at = getelementptr i64, ptr %{side}.strides, i64 {b}",
            f"  %{side}{b}.stride = load i64, ptr %{side}{b}.stride.at, align 8",
            f"  %{side}{b}.shared = icmp eq i64 %{side}{b}.stride, 0",
            f"  %{side}{b}.rows = getelementptr double, ptr %rows.{side}, i64 {row * width}",
        ]
        row += size
    return lines


def _pack_shared(inputs: Sequence[int]) -> list[str]:
    """Lines that pack, once, the blocks that all samples share."""
    lines = []
    for b, size in enumerate(inputs):
        lines += [
            f"  br i1 %in{b}.shared, label %once{b}, label %ready{b}",
            f"once{b}:",
            f"  call void @lw_pack(ptr %in{b}, i64 0, i64 {size}, i64 0, ptr %in{b}.rows)",
            f"  br label %ready{b}",
            f"ready{b}:",
        ]
    return lines


def _pack_tile(width: int, inputs: Sequence[int]) -> list[str]:
    """Lines that pack the other blocks of one tile."""
    lines = []
    for i in range(1, width):
        lines += [f"  %early{i} = icmp slt i64 {i}, %last", f"  %lane{i} = select i1 %early{i}, i64 {i}, i64 %last"]
    for b, size in enumerate(inputs):
        if size <= UNROLLED:
            moves = _written_out(f"in{b}", width, size, _pack_pair, _pack_single, None)
        else:
            moves = [f"  call void @lw_pack(ptr %in{b}.s0, i64 %in{b}.stride, i64 {size}, i64 %last, ptr %in{b}.rows)"]
        lines += [
            f"  br i1 %in{b}.shared, label %packed{b}, label %pack{b}",
            f"pack{b}:",
            *_block_samples(f"in{b}", width, clamped=True),
            *moves,
            f"  br label %packed{b}",
            f"packed{b}:",
        ]
    return lines


def _unpack_tile(width: int, outputs: Sequence[int]) -> list[str]:
    """Lines that unpack a whole tile."""
    lines = []
    for b, size in enumerate(outputs):
        lines += _block_samples(f"out{b}", width, clamped=False)
        if size <= UNROLLED:
            lines += _written_out(f"out{b}", width, size, _unpack_pair, _unpack_single, _unpack_square)
        else:
            move = f"ptr %out{b}.s0, i64 %out{b}.stride, i64 {size}, i64 {width - 1}, ptr %out{b}.rows"
            lines.append(f"  call void @lw_unpack({move})")
    return lines


def _unpack_some(outputs: Sequence[int]) -> list[str]:
    """Lines that unpack the first lanes of the last tile."""
    lines = []
    for b, size in enumerate(outputs):
        lines += [
            f"  %out{b}.offset = mul i64 %sample, %out{b}.stride",
            f"  %out{b}.from = getelementptr double, ptr %out{b}, i64 %out{b}.offset",
            f"  call void @lw_unpack(ptr %out{b}.from, i64 %out{b}.stride, i64 {size}, i64 %last, ptr %out{b}.rows)",
        ]
    return lines


def _block_samples(block: str, width: int, clamped: bool) -> list[str]:
    """Lines for the addresses %block.s0 ... of the samples of this tile."""
    lines = [
        f"  %{block}.start = mul i64 %sample, %{block}.stride",
        f"  %{block}.s0 = getelementptr double, ptr %{block}, i64 %{block}.start",
    ]
    for i in range(1, width):
        lane = f"%lane{i}" if clamped else str(i)
        lines += [
            f"  %{block}.o{i} = mul i64 {lane}, %{block}.stride",
            f"  %{block}.s{i} = getelementptr double, ptr %{block}.s0, i64 %{block}.o{i}",
        ]
    return lines


def _written_out(block: str, width: int, size: int, pair: _Mover, single: _Mover, square: _Mover | None) -> list[str]:
    """The moves of one block, column by column, without a loop; W columns at once where there is a way."""
    samples = [f"%{block}.s{i}" for i in range(width)]
    lines, c = [], 0
    while c < size:
        tag = f"{block}.c{c}"
        lines.append(f"  %{tag}.row = getelementptr double, ptr %{block}.rows, i64 {c * width}")
        if square is not None and c + width <= size:
            move, step = square, width
        else:
            move, step = (pair, 2) if c + 1 < size else (single, 1)
        lines += move(width, tag, samples, str(c), f"%{tag}.row")
        c += step
    return lines
