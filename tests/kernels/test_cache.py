"""The cache on disk: damaged, full, closed or shared, it never does harm."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tapes import arm

from linkwork.kernels import Kernel, cache
from linkwork.kernels.cache import MARK, SUFFIX, Cache, user_cache

KEY = "k" * 64


def test_what_is_put_is_found_again(tmp_path: Path) -> None:
    store = Cache(tmp_path / "deep" / "kernels")
    assert store.get(KEY) is None
    assert store.put(KEY, b"object")
    assert store.get(KEY) == b"object"
    assert store.put(KEY, b"newer")
    assert store.get(KEY) == b"newer"
    assert [p.name for p in (tmp_path / "deep" / "kernels").iterdir()] == [KEY + SUFFIX]


@pytest.mark.skipif(sys.platform == "win32", reason="rights of POSIX")
def test_the_folder_is_for_the_user_alone(tmp_path: Path) -> None:
    Cache(tmp_path / "kernels").put(KEY, b"object")
    assert stat.S_IMODE((tmp_path / "kernels").stat().st_mode) == 0o700


@pytest.mark.skipif(sys.platform == "win32", reason="rights of POSIX")
def test_code_from_a_folder_open_to_all_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_told", set())
    store = Cache(tmp_path / "kernels")
    store.put(KEY, b"object")
    (tmp_path / "kernels").chmod(0o777)
    assert store.get(KEY) is None
    assert not store.put(KEY, b"other")


@pytest.mark.parametrize(
    "content",
    [b"", b"linkwork", MARK, MARK + b"\0" * 31, MARK + b"\0" * 32 + b"object", b"other mark 12345678" + b"\0" * 60],
)
def test_a_damaged_entry_is_removed(tmp_path: Path, content: bytes) -> None:
    store = Cache(tmp_path / "kernels")
    store.put(KEY, b"object")
    path = tmp_path / "kernels" / (KEY + SUFFIX)
    path.write_bytes(content)
    assert store.get(KEY) is None
    assert not path.exists()


def test_a_truncated_entry_is_removed(tmp_path: Path) -> None:
    store = Cache(tmp_path / "kernels")
    store.put(KEY, b"object" * 1000)
    path = tmp_path / "kernels" / (KEY + SUFFIX)
    path.write_bytes(path.read_bytes()[:-1])
    assert store.get(KEY) is None


def test_the_entries_not_used_for_longest_go_first(tmp_path: Path) -> None:
    store = Cache(tmp_path / "kernels", limit=10_000)
    for k in range(6):
        store.put(f"{k}", b"x" * 1000)
        os.utime(tmp_path / "kernels" / f"{k}{SUFFIX}", (1000 + k, 1000 + k))
    assert store.get("0") is not None  # read: now the youngest
    store.put("big", b"x" * 6000)
    left = {p.name.removesuffix(SUFFIX) for p in (tmp_path / "kernels").iterdir()}
    assert "big" in left
    assert "0" in left
    assert "1" not in left
    assert sum(p.stat().st_size for p in (tmp_path / "kernels").iterdir()) <= 10_000


def test_entries_are_listed_and_cleared(tmp_path: Path) -> None:
    store = Cache(tmp_path / "kernels")
    assert store.entries() == {}
    assert store.clear() == 0
    store.put("b", b"object")
    store.put("a", b"larger object")
    (tmp_path / "kernels" / "other").write_text("not an entry")
    files = store.entries()
    assert [file.name for file in files] == [f"a{SUFFIX}", f"b{SUFFIX}"]
    assert list(files.values()) == [file.stat().st_size for file in files]
    assert store.clear() == 2
    assert store.entries() == {}
    assert [file.name for file in (tmp_path / "kernels").iterdir()] == ["other"]
    assert Cache(None).entries() == {}
    assert Cache(None).clear() == 0


def test_abandoned_pieces_are_cleared(tmp_path: Path) -> None:
    store = Cache(tmp_path / "kernels")
    store.put(KEY, b"object")
    old, young = tmp_path / "kernels" / ".part-old", tmp_path / "kernels" / ".part-young"
    old.write_bytes(b"")
    young.write_bytes(b"")
    os.utime(old, (1000, 1000))
    store.clear_to_limit()
    assert not old.exists()
    assert young.exists()


def test_a_folder_that_cannot_be_written_warns_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cache, "_told", set())
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path / "file"))
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert not user_cache().put(KEY, b"object")
            assert user_cache().get(KEY) is None
    assert caplog.text.count("kept in memory only") == 1
    kernel = Kernel(arm(), mode="compile")
    assert kernel([0.1] * 6, [0.2] * 6, [1, 2, 3, 4]).shape == (6,)


@pytest.mark.parametrize("word", ["off", "OFF", "0", "none"])
def test_the_cache_can_be_switched_off(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setenv("LINKWORK_CACHE", word)
    assert user_cache().folder is None
    assert not user_cache().put(KEY, b"object")


def test_the_folder_follows_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LINKWORK_CACHE")
    monkeypatch.setattr(cache.sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache().folder == tmp_path / "linkwork" / "kernels"
    monkeypatch.setattr(cache.sys, "platform", "darwin")
    assert user_cache().folder == Path.home() / "Library" / "Caches" / "linkwork" / "kernels"
    monkeypatch.setattr(cache.sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert user_cache().folder == tmp_path / "local" / "linkwork" / "kernels"


def test_a_kernel_survives_a_damaged_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a fresh process each: build, damage every entry, build again, with the same answer."""
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    first = _answer()
    files = list((tmp_path / "kernels").glob(f"*{SUFFIX}"))
    assert files
    for path in files:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert _answer() == first
    assert all(path.stat().st_size > 1000 for path in files)


PROGRAM = """
import sys; sys.path.insert(0, {folder!r})
import numpy as np
from tapes import arm
from linkwork.kernels import Kernel
q = np.linspace(0, 1, 600).reshape(100, 6)
print(Kernel(arm(), mode="compile")(q, 1 - q, [1.0, 2.0, 3.0, 4.0]).tobytes().hex()[:4000])
"""


def _answer() -> str:
    return _wait(_start())


def _start() -> subprocess.Popen[str]:
    program = PROGRAM.format(folder=str(Path(__file__).parent))
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _wait(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert not err
    return out


def test_several_processes_share_one_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    answers = {_wait(process) for process in [_start() for _ in range(4)]}
    assert len(answers) == 1
    names = [p.name for p in (tmp_path / "kernels").iterdir()]
    assert names
    assert all(name.endswith(SUFFIX) for name in names)
