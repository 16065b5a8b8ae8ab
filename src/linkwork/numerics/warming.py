"""Which loops are compiled and kept on disk, and who compiles them.

numba keeps machine code beside the sources, where `NUMBA_CACHE_DIR` says, or in the user's cache folder. A mark next to
it tells what is there without asking numba, which takes long to import.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent
CALLS = SOURCES.parent / "kernels" / "drive.py"
PATIENCE = 0.25
"""Time after which it is looked again whether loops have been compiled [s]."""
ABANDONED = 1800.0
"""Age at which somebody's word that he compiles no longer counts [s]."""
MARK = ".loop"


@cache
def version() -> str:
    """A mark of all that machine code of loops depends on."""
    import llvmlite.binding as llvm

    found = hashlib.sha256(b"".join(f.read_bytes() for f in [*sorted(SOURCES.rglob("*.py")), CALLS]))
    asked = sorted(x for x in os.environ.items() if x[0].startswith("NUMBA_") and x[0] != "NUMBA_CACHE_DIR")
    processor = (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), llvm.llvm_version_info)
    found.update(repr((sys.version, processor, _version_of_numba(), asked)).encode())
    return found.hexdigest()[:16]


def _version_of_numba() -> bytes:
    """What tells numba's version without importing it, or a list of all packages."""
    own = find_spec("numba")
    file = Path(own.origin).with_name("_version.py") if own is not None and own.origin else None
    if file is not None and file.exists():
        return file.read_bytes()
    from importlib.metadata import version

    return version("numba").encode()


@cache
def folder() -> Path | None:
    """Where marks are kept; None where nothing can be."""
    from linkwork.kernels.cache import user_cache  # LLVM comes with it, and a check does without

    asked, users = os.environ.get("NUMBA_CACHE_DIR"), user_cache().folder
    for place in (Path(asked) if asked else None, SOURCES / "__pycache__", users):
        if place is not None:
            with contextlib.suppress(OSError):
                place.mkdir(parents=True, exist_ok=True)
                if os.access(place, os.W_OK):
                    return place
    return None


def key(function: Callable[..., Any], kind: str) -> str:
    """Names the machine code of a loop for a first argument of some type."""
    own = hashlib.sha256(f"{function.__module__}.{function.__qualname__}({kind})".encode()).hexdigest()[:16]
    return f"{own}-{version()}"


def _mark(function: Callable[..., Any], kind: str) -> Path | None:
    place = folder()
    return None if place is None else place / f"{key(function, kind)}{MARK}"


_looked: dict[Path, float] = {}
"""When it was looked last whether a mark is there [s]; for ever where it is."""


def is_kept(function: Callable[..., Any], kind: str) -> bool:
    """Whether machine code of a loop is on disk, for a first argument of some type."""
    mark, now = _mark(function, kind), time.monotonic()
    if mark is None or now - _looked.get(mark, -PATIENCE) < PATIENCE:
        return False
    is_there = mark.exists()
    if not is_there:
        _looked[mark] = now
    return is_there


def note_kept(function: Callable[..., Any], kind: str) -> None:
    """Machine code of a loop has been made, or was found."""
    mark = _mark(function, kind)
    if mark is not None:
        with contextlib.suppress(OSError):
            mark.touch()


def forget() -> None:
    """Remove all marks: loops are compiled anew, or found by numba."""
    place = folder()
    for file in [] if place is None else place.glob(f"*{MARK}"):
        file.unlink(missing_ok=True)


# ---------------------------------------------------------------- another process


@cache
def begin() -> None:
    """Let another process compile all loops, unless one does or has done so, or could keep nothing."""
    place = folder()
    if place is None or not sys.executable or _done(place).exists():
        return
    with contextlib.suppress(OSError):
        if not is_going_on():
            _busy(place).unlink()  # left behind by one that was ended
    try:
        os.close(os.open(_busy(place), os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except OSError:  # somebody does, or nothing can be written
        return
    quiet: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    try:
        helper = subprocess.Popen([sys.executable, "-m", "linkwork", "warm", "--nice"], start_new_session=True, **quiet)
    except OSError:
        _busy(place).unlink(missing_ok=True)
        return
    _helpers.append(helper)
    with contextlib.suppress(OSError):
        _busy(place).write_text(f"{helper.pid} {platform.node()}")
    if sys.stderr.isatty():
        text = "linkwork: loops through time are compiled in the background, once for this installation; until then"
        print(f"{text} simulations are interpreted (`linkwork warm` does it beforehand)", file=sys.stderr, flush=True)


def is_going_on() -> bool:
    """Whether another process compiles right now."""
    place = folder()
    if place is None:
        return False
    try:
        age, who = time.time() - _busy(place).stat().st_mtime, _busy(place).read_text()
    except OSError:
        return False
    return age < ABANDONED and not _has_ended(who)


_helpers: list[subprocess.Popen[bytes]] = []
"""Processes that were started here."""


def _has_ended(who: str) -> bool:
    """Whether a process is no more, from its number and its machine: killed, perhaps, before it could say so."""
    number, _, machine = who.partition(" ")
    if os.name != "posix" or not number.isdigit() or machine != platform.node():
        return False  # nobody can tell from here
    for helper in _helpers:
        if helper.pid == int(number):
            return helper.poll() is not None
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:  # of another user
        return False
    return False


def end(done: bool) -> None:
    """All loops have been compiled, or not: nobody is busy with it any more."""
    place = folder()
    if place is not None:
        with contextlib.suppress(OSError):
            if done:
                _done(place).touch()
            _busy(place).unlink(missing_ok=True)


def _busy(place: Path) -> Path:
    return place / f"loops-{version()}.busy"


def _done(place: Path) -> Path:
    return place / f"loops-{version()}{MARK}"
