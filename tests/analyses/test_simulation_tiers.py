"""Kernels interpreted, compiled, and changed from the one to the other on the way: the same simulation, bit by bit."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import engine
from linkwork.kernels.engine import Engine
from linkwork.kernels.tiers import ScalarCode, make_code

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]
from random_loads import random_loaded_machine  # noqa: E402
from random_trees import grow_tree  # noqa: E402

TREES = ("revolute", "prismatic", "helical", "cylindric", "flat", "universal", "spheric", "free")


@pytest.fixture(autouse=True)
def nothing_is_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """By itself, and nothing is there. Kernels may be older than this file, and are looked for below."""
    gc.unfreeze()
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    monkeypatch.setenv("LINKWORK_KERNELS", "auto")
    monkeypatch.setattr(engine, "COMPILE_FIXED", np.inf)
    yield


def machine(kind: str, seed: int) -> Any:
    if kind == "loops":
        return random_loaded_machine(seed).machine
    if kind == "tree":
        return grow_tree(seed, TREES, bodies=5, massless=False).mechanism.assemble()
    return lw.example(kind).assemble()


def calls_of(known: list[Engine]) -> dict[Engine, int]:
    return {e: e._entry.calls for e in known if e._entry is not None}


def same(one: lw.Run, other: lw.Run) -> None:
    assert (one.status, one.message, one.steps) == (other.status, other.message, other.steps)
    for mine, theirs in zip((one.t, one.y, one.w), (other.t, other.y, other.w), strict=True):
        assert np.array_equal(mine, theirs)
    assert [(e.kind, e.name, e.time) for e in one.events] == [(e.kind, e.name, e.time) for e in other.events]


@pytest.mark.parametrize(
    ("kind", "seed"), [*(("loops", 9001 + k) for k in range(5)), *(("tree", 9001 + k) for k in range(3))]
)
def test_a_change_of_tiers_on_the_way_changes_nothing(kind: str, seed: int) -> None:
    s = machine(kind, seed)
    w = 0.3 * np.random.default_rng(seed).normal(size=len(s.variable_rates))
    asked: dict[str, Any] = {"samples": 11, "rtol": 1e-9, "method": "explicit"}
    if kind == "tree":
        asked["rates"] = w
    first = s.simulate(0.5, **asked)
    before = calls_of([e for e in gc.get_objects() if type(e) is Engine and e._scalar is None])
    again = s.simulate(0.5, **asked)
    one_run = {e: n - before[e] for e, n in calls_of(list(before)).items() if n > before[e]}
    hot = max(one_run, key=lambda e: one_run[e])
    assert one_run[hot] > 20
    codes = {e: make_code(ScalarCode, e.tape, e.machine)[0] for e in one_run}
    begin = hot.entry().calls

    def change() -> None:
        while hot.entry().calls < begin + one_run[hot] // 3:
            pass
        for e, code in codes.items():
            e.entry().switch(code.address)

    thread = threading.Thread(target=change)
    thread.start()
    changed = s.simulate(0.5, **asked)
    thread.join()
    assert begin < hot.entry().calls <= begin + one_run[hot]
    compiled = s.simulate(0.5, **asked)
    for other in (again, changed, compiled):
        same(first, other)


@pytest.mark.parametrize("name", ["slider-crank", "stewart-platform"])
def test_nothing_of_a_simulation_waits_for_the_compiler(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Motion, forces and simulations are there with the interpreter alone."""
    from linkwork.kernels import tiers

    asked: list[str] = []
    make = tiers.compile_assembly
    monkeypatch.setattr(tiers, "compile_assembly", lambda *given: asked.append("kernel") or make(*given))
    m = lw.example(name)
    m.body("more", mass=1.0, com=(0.1, 0.3, 0.2), inertia=(0.1, 0.2, 0.2))  # nobody has asked for this machine before
    m.revolute("M", m.ground, "more", at=(0, 0, 0), axis="z")
    s = m.assemble()
    s.simulate(0.02, samples=3)
    if name == "slider-crank":
        s.forces(s.motion(A=lw.ramp(0.1, 0.4, duration=1.0), M=lw.ramp(0.0, 1.0, duration=1.0)))
    assert len(asked) <= 3  # the interpreter, for single samples and batches, and entries
