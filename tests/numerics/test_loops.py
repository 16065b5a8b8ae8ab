"""Loops run as machine code and as they are written: the same numbers, and what decides between the two."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.numerics import loops, warming
from linkwork.numerics.kernel_calls import call
from linkwork.numerics.loops import Loop, as_written
from linkwork.numerics.stepping.advance import Samples


def swinging() -> lw.Mechanism:
    m = lw.Mechanism("swing", gravity=(0, -9.81, 0))
    m.body("crank", mass=0.5, com=(0.05, 0, 0), inertia=(1e-4, 4e-4, 4e-4))
    m.body("rod", mass=0.4, com=(0.25, 0, 0), inertia=(1e-4, 3e-3, 3e-3))
    m.body("piston", mass=0.3, com=(0.4, 0, 0))
    m.revolute("A", m.ground, "crank", at=(0, 0, 0), axis="z", value=0.0)
    m.revolute("B", "crank", "rod", at=(0.1, 0, 0), axis="z")
    m.revolute("C", "rod", "piston", at=(0.4, 0, 0), axis="z")
    m.prismatic("D", m.ground, "piston", at=(0.4, 0, 0), axis="x")
    m.spring("coil", joint="A", stiffness=20.0, free=-0.3)
    m.friction("rub", "D", level=0.5, form="exact")
    return m


EVENTS = (lw.stop("A", low=-0.5, high=0.5, restitution=0.5), lw.when("rate(A)", name="turning"))


@pytest.mark.parametrize("method", ["explicit", "radau", "exponential"])
def test_both_ways_give_the_same(method: str) -> None:
    s = swinging().assemble()
    until = 0.3 if method == "explicit" else 0.05
    asked = {"rates": {"A": 6.0}, "events": EVENTS, "samples": 7, "method": method}
    compiled = s.simulate(until, **asked)
    with as_written():
        written = s.simulate(until, **asked)
    assert written.status == compiled.status == "complete"
    assert written.steps == compiled.steps and len(written.events) == len(compiled.events) > 0
    for mine, other in zip(written.events, compiled.events, strict=True):
        assert (mine.kind, mine.name) == (other.kind, other.name)
        assert mine.time == pytest.approx(other.time, rel=1e-12, abs=1e-14)
    np.testing.assert_allclose(written.y, compiled.y, rtol=0, atol=1e-12)
    np.testing.assert_allclose(written.w, compiled.w, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["stewart-platform", "bricard", "double-pendulum", "motor-pump", "free-box"])
def test_machines_of_the_gallery_both_ways(name: str) -> None:
    s = lw.example(name).assemble()
    compiled = s.simulate(0.02, samples=3)
    with as_written():
        written = s.simulate(0.02, samples=3)
    np.testing.assert_allclose(written.y, compiled.y, rtol=0, atol=1e-12)
    np.testing.assert_allclose(written.w, compiled.w, rtol=0, atol=1e-10)


def test_many_runs_both_ways() -> None:
    s = swinging().assemble()
    asked = {"rates": {"A": [1.0, 6.0]}, "events": EVENTS, "samples": 3, "threads": 1}
    compiled = s.simulate_many(0.1, **asked)
    with as_written():
        written = s.simulate_many(0.1, **asked)
    np.testing.assert_allclose(written["A"], compiled["A"], rtol=0, atol=1e-12)


def test_variational_steps_both_ways() -> None:
    s = lw.example("double-pendulum").assemble()
    asked = {"method": "variational-4", "step": 0.01, "samples": 3}
    compiled = s.simulate(0.05, **asked)
    with as_written():
        written = s.simulate(0.05, **asked)
    np.testing.assert_allclose(written.y, compiled.y, rtol=0, atol=1e-13)


# ---------------------------------------------------------------- what decides


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation without machine code, whose loops nobody compiles."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("LINKWORK_LOOPS", "auto")
    monkeypatch.setattr(warming, "begin", lambda: None)
    warming.folder.cache_clear()
    yield tmp_path
    warming.folder.cache_clear()


def counted(x):  # type: ignore[no-untyped-def]
    x[0] += 1.0
    return 1.0 / x[0]


def test_a_new_installation_interprets(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, asked = Loop(counted), []
    monkeypatch.setattr(Loop, "_compiled", lambda self, kind: asked.append(kind.__name__) or self.py_func)
    assert own(np.zeros(1)) == 1.0 and not asked
    monkeypatch.setattr(loops, "ENOUGH", 0.0)  # it took long, and nobody compiles it
    own(np.zeros(1))
    assert asked == ["ndarray"]


def test_kept_code_is_used(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, asked = Loop(counted), []
    monkeypatch.setattr(Loop, "_compiled", lambda self, kind: asked.append(kind.__name__) or self.py_func)
    warming.note_kept(counted, "ndarray")
    own(np.zeros(1))
    own([0.0])  # of another kind
    assert asked == ["ndarray"]
    warming.forget()
    assert not list(fresh.glob("*.loop"))


def test_trouble_in_the_interpreter_is_left_to_machine_code(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What divides by zero goes on with infinity there, from the numbers that it began with."""

    def divided(x):  # type: ignore[no-untyped-def]
        x[0] += 1.0
        return 1 / int(x[0] - 1.0)

    own, seen = Loop(divided), []
    monkeypatch.setattr(Loop, "_compiled", lambda self, kind: lambda x: seen.append(x[0]) or np.inf)
    assert own(np.zeros(1)) == np.inf and seen == [0.0]


def test_an_interruption_leaves_numbers_as_they_were(fresh: Path) -> None:
    def interrupted(x, samples):  # type: ignore[no-untyped-def]
        x[0] = samples.Z[0, 0] = 5.0
        raise KeyboardInterrupt

    x = np.zeros(1)
    samples = Samples(times=np.zeros(1), **{name: np.zeros((1, 1)) for name in "ZAEPHD"})
    with pytest.raises(KeyboardInterrupt):
        Loop(interrupted)(x, samples)
    assert x[0] == 0.0 and samples.Z[0, 0] == 0.0


def test_numbers_of_a_handle_are_those_of_its_table() -> None:
    s = lw.example("pendulum").assemble()
    samples = Samples(times=np.zeros(1), **{name: np.zeros((1, 1)) for name in "ZAEPHD"})
    with pytest.raises(TypeError, match="'Z' is no number"):
        samples.Z = np.zeros((1, 1))
    assert s.simulate(0.01).status == "complete"


def test_kernels_by_address() -> None:
    import casadi as ca

    x = ca.SX.sym("x", 2)
    kernel = lw.Kernel(ca.Function("f", [x], [ca.vertcat(x[0] + x[1], x[0] * x[1])]))
    given, out = np.array([3.0, 4.0]), np.empty(2)
    call(kernel.address, *(np.array([a.ctypes.data], np.int64) for a in (given, out)))
    assert out.tolist() == [7.0, 12.0]


def test_a_first_simulation_does_without_numba(tmp_path: Path) -> None:
    """In a new installation a simulation is there within seconds, and another process is asked to compile."""
    code = (
        "import sys, json; from linkwork.numerics import warming; asked = [];"
        "warming.begin = lambda: asked.append(1);"
        "import linkwork as lw; run = lw.example('slider-crank').assemble().simulate(0.05);"
        "print(json.dumps([run.status, 'numba' in sys.modules, len(asked) > 0]))"
    )
    environment = {**os.environ, "LINKWORK_LOOPS": "auto", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["complete", False, True]


class Helper:
    """A process that was started, and whether it has ended."""

    pid, ended = 4321, None

    def poll(self) -> int | None:
        return self.ended


def test_who_was_killed_while_he_compiled_is_no_obstacle(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """His mark tells who he is: his own process and others on the machine find that he is no more."""
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True)
    monkeypatch.undo()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(fresh))
    warming.folder.cache_clear()
    helper = Helper()
    monkeypatch.setattr(warming.subprocess, "Popen", lambda words, **_: helper)
    monkeypatch.setattr(warming, "_helpers", [])
    warming.begin.cache_clear()
    warming.begin()
    assert warming.is_going_on()
    helper.ended = -9
    assert not warming.is_going_on()
    warming._helpers.clear()
    mark, node = warming._busy(fresh), warming.platform.node()
    for who, goes_on in ((f"{ended.stdout.strip()} {node}", False), (f"{os.getpid()} {node}", True), ("1 else", True)):
        mark.write_text(who)
        assert warming.is_going_on() is goes_on
    warming.end(done=False)
    warming.begin.cache_clear()


def test_who_compiles_is_alone(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(fresh))
    warming.folder.cache_clear()
    begun: list[list[str]] = []
    monkeypatch.setattr(warming.subprocess, "Popen", lambda words, **_: begun.append(words) or Helper())
    monkeypatch.setattr(warming, "_helpers", [])
    for _ in range(2):
        warming.begin.cache_clear()
        warming.begin()
    assert len(begun) == 1 and begun[0][1:] == ["-m", "linkwork", "warm", "--nice"] and warming.is_going_on()
    warming.end(done=False)
    assert not warming.is_going_on()
    warming.begin.cache_clear()
    warming.begin()  # that one was ended before it was done
    assert len(begun) == 2
    warming.end(done=True)
    warming.begin.cache_clear()
    warming.begin()
    assert len(begun) == 2
    warming.begin.cache_clear()


def test_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "folder", lambda: None)
    warming.begin.cache_clear()
    warming.begin()
    warming.note_kept(counted, "ndarray")
    assert not warming.is_kept(counted, "ndarray") and not warming.is_going_on()
    warming.end(done=True)
    warming.begin.cache_clear()
