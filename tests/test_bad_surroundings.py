"""Answers come where nothing can be kept, where others ended in the middle, and on old processors; with one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ASK = """
import json, sys
from pathlib import Path
from linkwork.numerics import warming
{before}
import linkwork as lw
run = lw.example("double-pendulum").assemble().simulate(0.05, samples=3)
kernel = lw.System(lw.example("double-pendulum")).kernel("forward_dynamics").compile("batch")
print(json.dumps([run.y.tolist(), kernel([0.1, 0.2], [0.3, 0.4], [0.5, 0.6]).tolist()]))
"""
NO_ROOM = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))"
"""A file may not have a single byte: what a full disk answers."""
NO_SOURCES = "warming.SOURCES = Path('/dev/null')"
"""Nothing may be kept beside the sources either, as in an installation of the system's."""


def environment(**own: str) -> dict[str, str]:
    """That of these tests, with nothing told of caches but `own`."""
    told = ("LINKWORK_CACHE", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LINKWORK_TARGET", "LINKWORK_KERNELS")
    return {k: v for k, v in os.environ.items() if k not in told} | own


def answer(before: str = "", **own: str) -> tuple[list[Any], list[str]]:
    """Of a process of its own, and the lines that it complained with."""
    words = [sys.executable, "-W", "default", "-c", ASK.format(before=before)]
    done = subprocess.run(words, env=environment(**own), capture_output=True, text=True, check=True)
    return json.loads(done.stdout), done.stderr.strip().splitlines()


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    folder = tmp_path_factory.mktemp("usual")
    found, told = answer(LINKWORK_CACHE=str(folder), NUMBA_CACHE_DIR=str(folder), LINKWORK_LOOPS="interpret")
    assert not told
    return found


def same(found: list[Any], usual: list[Any]) -> None:
    for mine, other in zip(found, usual, strict=True):
        np.testing.assert_allclose(mine, other, rtol=0, atol=1e-12)


@pytest.mark.skipif(sys.platform == "win32", reason="files of limited size")
def test_no_room_for_a_cache(usual: list[Any], tmp_path: Path) -> None:
    kept = {"LINKWORK_CACHE": str(tmp_path / "kernels"), "NUMBA_CACHE_DIR": str(tmp_path / "loops")}
    found, told = answer(NO_ROOM, LINKWORK_LOOPS="interpret", **kept)
    same(found, usual)
    assert len(told) <= 1
    assert not [file for file in tmp_path.rglob("*.o*") if file.is_file()]


@pytest.mark.skipif(sys.platform == "win32", reason="a home that is no folder")
def test_a_home_that_cannot_be_written(usual: list[Any]) -> None:
    """Neither kernels nor loops are kept, and nobody is asked to compile loops that would be lost."""
    found, told = answer(NO_SOURCES, HOME="/dev/null", LINKWORK_LOOPS="auto")
    same(found, usual)
    assert len(told) == 1 and "kept in memory only" in told[0]


def test_an_old_processor(usual: list[Any], tmp_path: Path) -> None:
    """Code for all processors of the family, in a cache of its own or shared with code for this one."""
    kept = {"LINKWORK_CACHE": str(tmp_path), "LINKWORK_LOOPS": "interpret"}
    for target in ("portable", "native", "portable"):
        found, told = answer(LINKWORK_TARGET=target, **kept)
        same(found, usual)
        assert not told


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("later", [0.0, 0.05])
def test_who_is_killed_while_he_compiles_leaves_nothing_wrong(usual: list[Any], tmp_path: Path, later: float) -> None:
    kept = {"LINKWORK_CACHE": str(tmp_path), "LINKWORK_LOOPS": "interpret"}
    words = [sys.executable, "-c", ASK.format(before="print('begun', flush=True)")]
    process = subprocess.Popen(words, env=environment(**kept), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    begin = time.monotonic()
    while not list(tmp_path.rglob("*")) and time.monotonic() < begin + 60.0:  # it begins to keep what it made
        time.sleep(0.002)
    time.sleep(later)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    found, told = answer(**kept)
    same(found, usual)
    assert not told


def test_several_that_start_at_once(usual: list[Any], tmp_path: Path) -> None:
    words = [sys.executable, "-c", ASK.format(before="")]
    own = environment(LINKWORK_CACHE=str(tmp_path), LINKWORK_LOOPS="interpret")
    processes = [subprocess.Popen(words, env=own, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    answers = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert len(set(answers)) == 1
    same(json.loads(answers[0]), usual)
