"""Loops called without numba: what an entry takes and returns, and what goes to numba."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest

import linkwork as lw
from linkwork.numerics import entries, warming
from linkwork.numerics.entries import Entry, entry_of
from linkwork.numerics.loops import Loop
from linkwork.numerics.native import dispatched, inner
from linkwork.numerics.native_entries import object_of
from linkwork.numerics.stepping.advance import Samples
from linkwork.numerics.stepping.driver import go, turn
from linkwork.numerics.stepping.methods import Explicit


class Parts(NamedTuple):
    weight: float
    whole: int
    table: np.ndarray


def mixed(x, k, on, parts, samples, places):  # type: ignore[no-untyped-def]
    total = 0.0
    own = np.zeros(x.size)
    for i in range(x.size):
        own[i] = x[i] * parts.weight if on else x[i]
        total += own[i]
    places[k] += parts.whole
    samples.Z[0, 0] = total
    shaped = parts.table.reshape(2, 3)
    return total, places[k], shaped[1, 2] > 5.0


def silent(x):  # type: ignore[no-untyped-def]
    x[0] += 1.0


def given() -> tuple[object, ...]:
    samples = Samples(times=np.zeros(1), **{name: np.zeros((1, 1)) for name in "ZAEPHD"})
    return np.arange(4.0), 2, True, Parts(0.1, 7, np.arange(6.0)), samples, np.zeros(3, np.int64)


def refused(*arguments: object) -> object:
    return "numba"


def made(function, arguments):  # type: ignore[no-untyped-def]
    found = object_of(inner(Loop(function)), [numba.typeof(x) for x in arguments])
    assert found is not None
    entry = entry_of(*found, otherwise=refused)
    assert isinstance(entry, Entry)
    return entry, found


def test_an_entry_does_what_the_loop_does() -> None:
    arguments, others = given(), given()
    entry, (about, _) = made(mixed, arguments)
    assert entry(*arguments) == mixed(*others) == (pytest.approx(0.6), 7, False)
    assert [type(x) for x in entry(*arguments)] == [float, int, bool]
    assert arguments[4].Z[0, 0] == others[4].Z[0, 0] == pytest.approx(0.6)
    assert about["results"] == "dq?" and about["codes"][:3] == ["d1", "q", "?"]
    assert not [name for name in about["needs"] if name.startswith(("NRT", "numba"))]


def test_an_entry_may_return_nothing() -> None:
    x = np.zeros(1)
    entry, _ = made(silent, (x,))
    assert entry(x) is None and x[0] == 1.0


def doubled(x):  # type: ignore[no-untyped-def]
    return 2.0 * x


def test_what_returns_arrays_is_left_to_numba() -> None:
    assert object_of(inner(Loop(doubled)), [numba.typeof(np.ones(2))]) is None


@pytest.mark.parametrize(
    "place, other",
    [
        (0, np.arange(8.0)[::2]),
        (0, np.arange(4)),
        (0, np.zeros((2, 2))),
        (0, [1.0, 2.0]),
        (1, 2.0),
        (1, True),
        (2, 1),
        (3, (0.1, 7, np.arange(6.0))),
        (3, Parts(1, 7, np.arange(6.0))),
        (4, None),
        (5, np.zeros(3, np.int32)),
    ],
)
def test_what_does_not_fit_goes_to_numba(place: int, other: object) -> None:
    entry = shared()
    arguments = list(given())
    arguments[place] = other
    assert entry(*arguments) == "numba"
    assert entry(*arguments[:-1]) == "numba"


def test_arrays_that_cannot_be_written_go_to_numba() -> None:
    arguments = given()
    arguments[0].setflags(write=False)
    assert shared()(*arguments) == "numba"


_entries: list[Entry] = []


def shared() -> Entry:
    if not _entries:
        _entries.append(made(mixed, given())[0])
    return _entries[0]


def test_kept_objects_are_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "folder", lambda: tmp_path)
    _, found = made(silent, (np.zeros(1),))
    entries.keep(silent, "ndarray", *found)
    entry = entries.kept_entry(silent, "ndarray", refused)
    x = np.zeros(1)
    assert entry is not None and entry(x) is None and x[0] == 1.0
    assert entries.kept_entry(silent, "Problem", refused) is None
    (file,) = tmp_path.glob("*.kernel")
    file.write_bytes(file.read_bytes()[:-1])
    assert entries.kept_entry(silent, "ndarray", refused) is None  # damaged


def test_what_a_process_lacks_is_not_loaded() -> None:
    _, (about, data) = made(silent, (np.zeros(1),))
    assert entry_of(about | {"needs": ["no_such_function_at_all"]}, data, refused) is None


def test_simulations_are_the_same_to_the_bit_as_by_numba() -> None:
    s = lw.example("slider-crank").assemble()
    asked = {"start": {"A": 0.5}, "rates": {"A": 4.0}, "samples": 7, "method": "explicit"}
    own = s.simulate(0.2, **asked)
    kept = [(loop, dict(loop.entries)) for loop in (go, turn)]
    try:
        for loop, found in kept:
            for kind in found:
                loop.entries[kind] = dispatched(loop)
        assert Explicit in go.entries
        other = s.simulate(0.2, **asked)
    finally:
        for loop, found in kept:
            loop.entries.update(found)
    assert np.array_equal(own.y, other.y) and np.array_equal(own.w, other.w) and own.steps == other.steps
