"""The arrays of one call: checked, broadcast, seen as blocks in memory; converted piece by piece where they must be.

An array is used in place if it holds float64, its block is contiguous and its samples lie at a constant distance. All
others are copied piece by piece while the batch runs, so memory stays bounded whatever the batch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import InputError, Problem
from linkwork.kernels.fastcall import address_of
from linkwork.kernels.tape import Block

Array = NDArray[np.float64]
DOUBLE = np.dtype(np.float64)


class ArgumentError(InputError):
    """Arrays that do not fit a kernel."""


class Side(NamedTuple):
    """One block of a call: an array of shape `leading + block shape`, where its sample 0 stands, and the doubles from
    sample to sample; None if the array cannot be used in place."""

    array: NDArray[Any]
    address: int
    stride: int | None
    size: int


class InPlace(NamedTuple):
    """A checked call whose arrays are used where they are: addresses of sample 0, and doubles from sample to sample."""

    samples: int
    results: tuple[Array, ...]
    """What is given back to the caller."""
    sources: list[int]
    source_strides: list[int]
    targets: list[int]
    target_strides: list[int]
    alive: Sequence[Any]
    """The arrays behind the sources: the caller's, or what was made of them."""


class WithCopies(NamedTuple):
    """A checked call of which pieces of some array have to be copied."""

    samples: int
    results: tuple[Array, ...]
    shape: tuple[int, ...]
    inputs: list[Side]
    outputs: list[Side]


Call = InPlace | WithCopies


def prepare(name: str, inputs: Sequence[Block], outputs: Sequence[Block], given: Sequence[Any], out: Any) -> Call:
    """Check the arrays of a call and lay them out. Raises `ArgumentError` with all that is wrong."""
    if len(given) != len(inputs):
        names = ", ".join(b.name for b in inputs)
        raise ArgumentError([Problem(f"takes {len(inputs)} arrays ({names}), {len(given)} given")], name)
    problems: list[Problem] = []
    arrays = [_input(block, x, problems) for block, x in zip(inputs, given, strict=True)]
    if problems:
        raise ArgumentError(problems, name)
    shape = _leading_shape(name, inputs, arrays)
    results = _outputs(name, outputs, shape, out)
    if out is not None:  # a result written over an input that is still to be read: read a copy
        arrays = [a.copy() if any(np.may_share_memory(a, r) for r in results) else a for a in arrays]
    sources = [_side(a, b, shape) for a, b in zip(arrays, inputs, strict=True)]
    targets = [_side(r, b, shape) for r, b in zip(results, outputs, strict=True)]
    samples = math.prod(shape)
    if any(s.stride is None for s in (*sources, *targets)):
        return WithCopies(samples, results, shape, sources, targets)
    read = [s.address for s in sources], [s.stride or 0 for s in sources]
    written = [s.address for s in targets], [s.stride or 1 for s in targets]
    return InPlace(samples, results, *read, *written, arrays)


def _leading_shape(name: str, blocks: Sequence[Block], arrays: Sequence[NDArray[Any]]) -> tuple[int, ...]:
    leading = [a.shape[: a.ndim - len(b.shape)] for a, b in zip(arrays, blocks, strict=True)]
    if not leading:
        return ()
    if leading.count(leading[0]) == len(leading):
        return leading[0]
    try:
        return np.broadcast_shapes(*leading)
    except ValueError:
        text = ", ".join(f"{b.name} {s}" for b, s in zip(blocks, leading, strict=True))
        raise ArgumentError([Problem(f"leading shapes do not broadcast: {text}")], name) from None


def _input(block: Block, given: Any, problems: list[Problem]) -> NDArray[Any]:
    try:
        array = np.asarray(given)
    except ValueError:
        problems.append(Problem("is not a regular array", block.name, "give rows of equal length"))
        return np.empty(block.shape)
    if array.dtype.kind not in "fiub":
        problems.append(Problem(f"holds {array.dtype.name}, not real numbers", block.name, "convert it to float64"))
        return np.empty(block.shape)
    k = len(block.shape)
    if array.ndim < k or array.shape[array.ndim - k :] != block.shape:
        wanted = f"(..., {', '.join(map(str, block.shape))})"
        problems.append(Problem(f"has shape {array.shape}, not {wanted}", block.name))
    return array


def _outputs(name: str, blocks: Sequence[Block], shape: tuple[int, ...], out: Any) -> tuple[Array, ...]:
    """The arrays for the results: new ones, or the caller's."""
    if out is None:
        try:
            return tuple([np.empty(shape + b.shape) for b in blocks])
        except (MemoryError, ValueError):
            size = 8 * math.prod(shape) * sum(b.size for b in blocks) / 2**30
            raise MemoryError(
                f"{name}: the results of {math.prod(shape):,} samples take {size:,.1f} GiB, which is not there; "
                "evaluate in parts, or give out=numpy.memmap(...)"
            ) from None
    given = out if isinstance(out, tuple | list) else (out,)
    if len(given) != len(blocks):
        names = ", ".join(b.name for b in blocks)
        raise ArgumentError([Problem(f"out needs {len(blocks)} arrays ({names}), {len(given)} given")], name)
    problems = []
    for block, array in zip(blocks, given, strict=True):
        where = f"out {block.name}"
        if not isinstance(array, np.ndarray):
            problems.append(Problem(f"is a {type(array).__name__}, not a numpy array", where))
            continue
        if array.dtype != DOUBLE:
            problems.append(Problem(f"holds {array.dtype}, not float64 of this machine", where))
        if array.shape != shape + block.shape:
            problems.append(Problem(f"has shape {array.shape}, not {shape + block.shape}", where))
        if not array.flags.writeable:
            problems.append(Problem("cannot be written to", where))
    if not problems:
        for i, (a, block) in enumerate(zip(given, blocks, strict=True)):
            if _overlaps_itself(a) or any(_overlap(a, b) for b in given[:i]):
                problems.append(Problem("shares memory with itself or another result", f"out {block.name}"))
    if problems:
        raise ArgumentError(problems, name)
    return tuple(given)


def _overlap(a: NDArray[Any], b: NDArray[Any]) -> bool:
    try:
        return bool(np.shares_memory(a, b, max_work=10_000))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def _overlaps_itself(a: NDArray[Any]) -> bool:
    return a.size > 0 and any(stride == 0 and n > 1 for stride, n in zip(a.strides, a.shape, strict=True))


def _side(array: NDArray[Any], block: Block, shape: tuple[int, ...]) -> Side:
    full = shape + block.shape
    if array.shape != full:
        array = np.broadcast_to(array, full)
    return Side(array, address_of(array), _sample_stride(array, block), block.size)


def _sample_stride(array: NDArray[Any], block: Block) -> int | None:
    """Doubles from sample to sample, or None if the array cannot be used in place."""
    flags = array.flags
    if array.dtype != DOUBLE or not flags.aligned:
        return None
    split = array.ndim - len(block.shape)
    if flags.c_contiguous:
        return block.size if split else 0
    expected = 8
    for n, stride in zip(reversed(array.shape[split:]), reversed(array.strides[split:]), strict=True):
        if n != 1 and stride != expected:
            return None
        expected *= n
    step: int | None = None
    span = 0
    for n, stride in zip(reversed(array.shape[:split]), reversed(array.strides[:split]), strict=True):
        if n == 1:
            continue
        if step is None:
            step, span = stride, stride * n
        elif stride != span:
            return None
        else:
            span *= n
    if step is None:
        return 0  # one sample
    return step // 8 if step % 8 == 0 else None


def gathered(side: Side, shape: tuple[int, ...], first: int, count: int) -> Array:
    """A copy of some samples, as float64, contiguous."""
    piece = side.array[_places(shape, first, count)]
    return np.ascontiguousarray(piece, np.float64).reshape(count, side.size)


def scatter(side: Side, shape: tuple[int, ...], first: int, count: int, values: Array) -> None:
    """Write some samples of a result."""
    block = side.array.shape[len(shape) :]
    side.array[_places(shape, first, count)] = values.reshape(count, *block)


def _places(shape: tuple[int, ...], first: int, count: int) -> Any:
    if len(shape) == 1:
        return slice(first, first + count)
    return np.unravel_index(np.arange(first, first + count), shape) if shape else (np.newaxis,)
