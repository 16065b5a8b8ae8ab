"""Listings that run others in their course, as flat tapes.

A large machine is a few kinds of cells, many times each. Every kind is read, contracted and ordered once; the tape of
the whole is made of copies of these with other numbers in them, a kind at a time by array arithmetic. What stands
between two calls is a piece like any other, and pieces of the same structure share theirs.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from linkwork.algebra import ca
from linkwork.kernels.tape import NONE, Block, Listed, Tape, make_tape, written_tape

CALL = -2
"""Code of a result of a call: its operands are the call's number and the result's."""
ANGULAR = (ca.OP_SIN, ca.OP_COS)
OPERATIONS = 1 << 40
"""Added to the number of an operation, as long as it is not known how many constants stand before them."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class _Piece:
    """Some operations with one block of inputs and one of outputs: what a tape is made of."""

    name: str
    inputs: tuple[tuple[str, tuple[int, ...]], ...]
    outputs: tuple[tuple[str, tuple[int, ...]], ...]
    constants: tuple[float, ...]
    codes: NDArray[np.int32]
    operands: NDArray[np.int32]
    results: NDArray[np.int32]
    calls: tuple[()] = ()


def unrolled(listing: Listed, fma: bool, name: str | None = None) -> Tape:
    """The tape of a listing with calls."""
    made = _Unrolling(listing, fma)
    made.run()
    return made.tape(name or listing.name)


@dataclass
class _Copies:
    """All places where one tape stands: by copy, the values in the order of the tape's own numbers."""

    tape: Tape
    constants: Numbers
    bases: list[int] = field(default_factory=list)
    taken: list[Numbers] = field(default_factory=list)


class _Unrolling:
    """Goes through a listing, piece by piece.

    Values are numbered: elements of the inputs, constants (`inputs` + place), operations (`OPERATIONS` + place).
    """

    def __init__(self, listing: Listed, fma: bool) -> None:
        self.listing, self.fma = listing, fma
        self.inputs = [Block(*b) for b in listing.inputs]
        self.outputs = [Block(*b) for b in listing.outputs]
        self.size = sum(b.size for b in self.inputs)
        self.first = self.size + len(listing.constants)
        self.constants: dict[float, int] = {}
        self.length = 0
        self.copies: dict[int, _Copies] = {}
        self.new = np.full(self.first + len(listing.codes), NONE, np.int64)
        """By value of the listing, its number."""

    def run(self) -> None:
        listing, new, first = self.listing, self.new, self.first
        new[: self.size] = np.arange(self.size)
        new[self.size : first] = [self._constant(x) for x in listing.constants]
        codes, operands = listing.codes, listing.operands
        count = len(codes)
        called = codes == CALL
        owner = np.where(called, operands[:, 0], NONE) if count else np.zeros(0, np.int64)
        starts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]]) if count else np.zeros(0, np.int64)
        self.last = self._last_uses(called)
        wanted: dict[int, list[int]] = {}
        for row in np.flatnonzero(called).tolist():
            wanted.setdefault(int(owner[row]), []).append(row)
        done: set[int] = set()
        for start, stop in zip(starts.tolist(), [*starts.tolist()[1:], count], strict=True):
            if not called[start]:
                self._between(start, stop)
            elif (k := int(owner[start])) not in done:
                done.add(k)
                self._call(k, np.array(wanted[k]))

    def _last_uses(self, called: NDArray[np.bool_]) -> Numbers:
        """By value, the last row that needs it; one behind all rows for results."""
        listing = self.listing
        last = np.full(len(self.new), -1, np.int64)
        rows = np.flatnonzero(~called)
        for column in (0, 1):
            read = listing.operands[rows, column]
            np.maximum.at(last, read[read >= 0], rows[read >= 0])
        first_row: dict[int, int] = {}
        for row in np.flatnonzero(called).tolist():
            first_row.setdefault(int(listing.operands[row, 0]), row)
        for k, (_, taken) in enumerate(listing.calls):
            if k in first_row:
                np.maximum.at(last, taken, first_row[k])
        last[listing.results] = len(listing.codes)
        return last

    def _constant(self, x: float) -> int:
        return self.size + self.constants.setdefault(x, len(self.constants))

    def _call(self, k: int, rows: Numbers) -> None:
        """A call, of which some results are wanted."""
        listing, taken = self.listing.calls[k]
        places = self.listing.operands[rows, 1]
        tape = _tape_of(listing, tuple(places.tolist()), self.fma)
        self.new[self.first + rows] = self._copied(tape, self.new[taken])

    def _between(self, start: int, stop: int) -> None:
        """Rows between two calls, all of them operations."""
        listing, first = self.listing, self.first
        codes, operands = listing.codes[start:stop], listing.operands[start:stop].astype(np.int64)
        own = first + start
        outside = np.unique(operands[(operands >= 0) & (operands < own)])
        numbers = outside[(outside >= self.size) & (outside < first)]  # constants stay, so that they can fold
        given = outside[(outside < self.size) | (outside >= first)]
        place = np.full(first + stop + 1, NONE, np.int64)  # the last one is for NONE
        place[given] = np.arange(len(given))
        place[numbers] = len(given) + np.arange(len(numbers))
        place[own : first + stop] = len(given) + len(numbers) + np.arange(stop - start)
        results = np.flatnonzero(self.last[own : first + stop] >= stop)
        constants = tuple(listing.constants[i - self.size] for i in numbers.tolist())
        local, wanted = place[operands], place[own + results]
        key = (len(given), constants, codes.tobytes(), local.tobytes(), wanted.tobytes(), self.fma)
        tape = _pieces.get(key)
        if tape is None:
            shape = ((("x", (len(given),)),), (("y", (len(results),)),))
            piece = _Piece("piece", *shape, constants, codes, local.astype(np.int32), wanted.astype(np.int32))
            if len(_pieces) >= KEPT:
                _pieces.clear()
            tape = _pieces[key] = make_tape(piece, self.fma)
        self.new[own + results] = self._copied(tape, self.new[given])

    def _copied(self, tape: Tape, taken: Numbers) -> Numbers:
        """Put a copy of a tape behind the others; the values of its results."""
        copies = self.copies.get(id(tape))
        if copies is None:
            numbers = np.array([self._constant(x) for x in tape.constants.tolist()], np.int64)
            copies = self.copies[id(tape)] = _Copies(tape, numbers)
        base = self.length
        self.length += len(tape)
        copies.bases.append(base)
        copies.taken.append(taken)
        results = tape.results.astype(np.int64)
        found = OPERATIONS + base + results - tape.first_operation
        given = results < tape.input_size
        found[given] = taken[results[given]]
        held = (results < tape.first_operation) & ~given
        found[held] = copies.constants[results[held] - tape.input_size]
        return found

    def tape(self, name: str) -> Tape:
        """All copies together."""
        codes = np.empty(self.length, np.int32)
        operands = np.empty((self.length, 3), np.int64)
        for copies in self.copies.values():
            tape, n = copies.tape, len(copies.bases)
            at = np.array(copies.bases)[:, None] + np.arange(len(tape))
            values = np.empty((n, tape.first_operation + len(tape) + 1), np.int64)
            values[:, : tape.input_size] = np.array(copies.taken).reshape(n, -1)
            values[:, tape.input_size : tape.first_operation] = copies.constants
            values[:, tape.first_operation : -1] = OPERATIONS + at
            values[:, -1] = NONE  # where an operand is not there
            codes[at] = tape.codes
            operands[at] = values[:, tape.operands]
        first = self.size + len(self.constants)
        constants = np.array(list(self.constants), np.float64)
        results = _numbered(self.new[self.listing.results], first)
        blocks = tuple(self.inputs), tuple(self.outputs)
        return _once(Tape(name, *blocks, constants, codes, _numbered(operands, first), results))


def _numbered(values: Numbers, first: int) -> NDArray[np.int32]:
    """Final numbers: operations stand behind the constants."""
    return np.where(values >= OPERATIONS, values - OPERATIONS + first, values).astype(np.int32)


def _once(tape: Tape) -> Tape:
    """The same tape with every sine and cosine of an angle once: several cells may ask for those of one joint."""
    first = tape.first_operation
    turns = np.flatnonzero(np.isin(tape.codes, ANGULAR))
    key = tape.codes[turns].astype(np.int64) * (first + len(tape)) + tape.operands[turns, 0]
    _, earliest, which = np.unique(key, return_index=True, return_inverse=True)
    new = np.arange(first + len(tape))
    new[first + turns] = first + turns[earliest[which]]
    kept = new[first:] == np.arange(first, first + len(tape))
    if kept.all():
        return tape
    place = np.r_[np.arange(first), first + np.cumsum(kept) - 1, NONE]  # the last one is for NONE
    new = np.r_[place[new], NONE]
    return replace(
        tape,
        codes=tape.codes[kept],
        operands=new[tape.operands[kept]].astype(np.int32),
        results=new[tape.results].astype(np.int32),
    )


def _tape_of(listing: Any, places: tuple[int, ...], fma: bool) -> Tape:
    """The tape of a listing that is called, for some of its results."""
    known = _called.setdefault(listing, {})
    key = (places, fma)
    tape = known.get(key)
    if tape is None:
        shape = (listing.inputs, (("y", (len(places),)),))
        results = listing.results[list(places)]
        if listing.written:
            tape = known[key] = written_tape(listing, results, fma)
            return tape
        tape = make_tape(_Piece(listing.name, *shape, listing.constants, listing.codes, listing.operands, results), fma)
        known[key] = tape
    return tape


KEPT = 20_000
"""Pieces kept in memory."""
_pieces: dict[Hashable, Tape] = {}
_called: WeakKeyDictionary[Any, dict[tuple[tuple[int, ...], bool], Tape]] = WeakKeyDictionary()
