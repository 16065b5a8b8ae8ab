"""Addresses for loops: there at once, the same whatever runs the tape, and compiled code once there is enough to do."""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tapes import arm, random_arguments, random_function, same_bits

from linkwork.kernels import Kernel, background, engine, tiers
from linkwork.kernels.drive import repeat
from linkwork.kernels.engine import LARGE
from linkwork.kernels.entries import POOL

Arrays = tuple[np.ndarray, ...]


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache where nothing is, and nobody else's kernels to be looked at."""
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    monkeypatch.setattr(background, "_watched", weakref.WeakSet())
    return tmp_path


def one_by_one(kernel: Kernel, arrays: Arrays, address: int | None = None) -> list[np.ndarray]:
    results = [np.full((len(arrays[0]), *block.shape), np.nan) for block in kernel.outputs]
    flat = [a.reshape(len(a), -1) for a in (*arrays, *results)]
    repeat(address or kernel.address, flat[: len(arrays)], flat[len(arrays) :], len(arrays[0]))
    return results


def wait_for(what: Callable[[], bool]) -> bool:
    end = time.monotonic() + 60.0
    while not what() and time.monotonic() < end:
        time.sleep(0.01)
    return what()


def test_nothing_is_compiled_for_an_address(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _ = Kernel(arm()).address  # the interpreter and entries
    monkeypatch.setattr(tiers, "compile_assembly", None)
    new = Kernel(random_function(2000, 40))
    assert new.address
    assert (new.tier, new.reason) == ("interpreted", "compiled when there is more to do")
    one_by_one(new, random_arguments(0, 100))
    assert new.call(*(a[0] for a in random_arguments(0, 1)))[0].shape == (4,)


def test_an_entry_goes_over_to_compiled_code(empty: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    """In the background, at the same address, with the same bits; only code for single samples is made."""
    monkeypatch.setattr(engine, "COMPILE_FIXED", 1e-3)
    new = Kernel(random_function(2001, 60))
    arrays = random_arguments(0, 2000)
    address = new.address
    before = one_by_one(new, arrays, address)
    with caplog.at_level(logging.INFO):
        assert wait_for(lambda: one_by_one(new, arrays, address) is not None and new._engine._scalar is not None)
    assert "scalar code compiled in" in caplog.text
    assert "batch code compiled" not in caplog.text
    assert new.reason.startswith("code for single samples compiled in")
    calls = new._engine.entry().calls
    after = one_by_one(new, arrays, address)
    assert new._engine.entry().calls == calls  # the interpreter has nothing to do with it
    for a, b, c in zip(before, after, new(*arrays), strict=True):
        assert same_bits(a, b)
        assert same_bits(a, c)
    assert Kernel(random_function(2001, 60)).address != address  # compiled code, which is there


def test_code_in_the_cache_is_used_at_once(empty: Path) -> None:
    first = Kernel(random_function(2002, 30)).compile(only="scalar")
    expected = one_by_one(first, random_arguments(0, 3))
    del first
    gc.collect()
    again = Kernel(random_function(2002, 30))
    assert all(same_bits(a, b) for a, b in zip(one_by_one(again, random_arguments(0, 3)), expected, strict=True))
    assert again._engine._entry is None
    assert again._engine._scalar is not None


@pytest.mark.parametrize(("mode", "is_entry"), [("compile", False), ("interpret", True)])
def test_the_way_can_be_forced(empty: Path, mode: str, is_entry: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "COMPILE_FIXED", 0.0)
    monkeypatch.setattr(engine, "COMPILE_SINGLE", 0.0)
    forced = Kernel(random_function(2003, 30), mode=mode)
    one_by_one(forced, random_arguments(0, 5000))
    time.sleep(3 * background.SHORTEST)
    assert (forced._engine._entry is not None) == is_entry
    assert (forced._engine._scalar is None) == is_entry


def test_very_long_tapes_stay_as_they_are(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "COMPILE_FIXED", 0.0)
    monkeypatch.setattr(engine, "COMPILE_SINGLE", 0.0)
    monkeypatch.setattr(engine, "LARGE", 10)
    long = Kernel(random_function(2004, 30))
    one_by_one(long, random_arguments(0, 5000))
    time.sleep(3 * background.SHORTEST)
    assert long._engine._scalar is None
    assert long.reason == "more than 10 operations; compile() if it is worth it"
    assert LARGE == 200_000


def test_a_failing_compiler_is_told_once(empty: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    _ = Kernel(arm()).address

    def fail(*_: Any) -> bytes:
        raise RuntimeError("out of registers")

    monkeypatch.setattr(engine, "COMPILE_FIXED", 0.0)
    monkeypatch.setattr(engine, "COMPILE_SINGLE", 0.0)
    monkeypatch.setattr(tiers, "compile_assembly", fail)
    new = Kernel(random_function(2005, 30))
    arrays = random_arguments(0, 50)
    address = new.address
    before = one_by_one(new, arrays, address)
    assert wait_for(lambda: new._engine._failed)
    assert new.reason == "compilation failed: out of registers"
    assert new.address == address
    assert all(same_bits(a, b) for a, b in zip(one_by_one(new, arrays, address), before, strict=True))
    assert caplog.text.count("stays interpreted") == 1


def test_threads_share_an_entry(empty: Path) -> None:
    """Its workspace serves one call at a time, others get memory of their own."""
    shared = Kernel(random_function(2006, 300), mode="interpret")
    arrays = random_arguments(1, 3000)
    expected, failures = one_by_one(shared, arrays), []

    def use() -> None:
        for _ in range(10):
            if not all(same_bits(a, b) for a, b in zip(one_by_one(shared, arrays), expected, strict=True)):
                failures.append(1)

    users = [threading.Thread(target=use) for _ in range(4)]
    for thread in users:
        thread.start()
    for thread in users:
        thread.join()
    assert not failures


def test_entries_are_given_back(empty: Path) -> None:
    kernels = [Kernel(random_function(2100 + k, 3), mode="interpret") for k in range(POOL + 3)]
    addresses = {k.address for k in kernels}
    assert len(addresses) == len(kernels)
    arrays = random_arguments(0, 3)
    for kernel in kernels[:: POOL // 3]:
        assert all(same_bits(a, b) for a, b in zip(one_by_one(kernel, arrays), kernel(*arrays), strict=True))
    free = sum(len(pool.free) for pools in tiers._pools.values() for pool in pools)
    del kernels, kernel
    gc.collect()
    assert sum(len(pool.free) for pools in tiers._pools.values() for pool in pools) >= free + POOL


PROGRAM = """
import sys, time
sys.path.insert(0, sys.argv[1])
import numpy as np
from tapes import random_arguments, random_function
from linkwork.kernels import Kernel, engine
from linkwork.kernels.drive import repeat
kernel = Kernel(random_function(1, 2000))
arrays = random_arguments(0, 200)
out = [np.zeros((200, b.size)) for b in kernel.outputs]
repeat(kernel.address, [a.reshape(200, -1) for a in arrays], out, 200)
engine.COMPILE_FIXED = engine.COMPILE_SINGLE = 0.0
while kernel.reason == "compiled when there is more to do":
    time.sleep(0.001)
time.sleep(float(sys.argv[2]))
print("ends", kernel.reason)
"""


@pytest.mark.parametrize("later", [0.0, 0.1])
def test_a_program_may_end_while_code_is_made(empty: Path, later: float) -> None:
    arguments = [sys.executable, "-c", PROGRAM, str(Path(__file__).parent), str(later)]
    done = subprocess.run(arguments, capture_output=True, text=True, env=os.environ, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "ends being compiled" in done.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_goes_on(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "COMPILE_FIXED", 1e-3)
    parent = Kernel(random_function(2007, 60))
    arrays = random_arguments(0, 2000)
    expected = one_by_one(parent, arrays)
    child = os.fork()
    if child == 0:
        try:
            own = Kernel(random_function(2008, 60))
            address = own.address
            right = all(same_bits(a, b) for a, b in zip(one_by_one(parent, arrays), expected, strict=True))
            hot = wait_for(lambda: one_by_one(own, arrays, address) is not None and own._engine._scalar is not None)
            os._exit(0 if right and hot else 3)
        except BaseException:  # noqa: BLE001 - nothing of pytest goes on in here
            os._exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
