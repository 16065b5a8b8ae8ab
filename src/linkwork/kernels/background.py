"""Work beside the program: threads that stop at the next piece when it ends, and a watch over what gets hot."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

SHORTEST, LONGEST = 0.02, 1.0
"""Time from one look to the next [s]: longer each time that nothing has happened."""
LONGER = 1.5


class Watched(Protocol):
    """What is looked at from time to time."""

    def look(self) -> bool | None:
        """Do what is due. Whether something has happened since; None to be looked at no more."""


class Ending(Exception):
    """The program ends, what goes on beside it stops."""


_ends = threading.Event()
_threads: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
_watched: weakref.WeakSet[Watched] = weakref.WeakSet()
_new = threading.Event()
_lock = threading.Lock()
_watch: threading.Thread | None = None


def begin(work: Callable[[], None], name: str) -> threading.Thread:
    """Start a thread that does not keep the program from ending."""
    thread = threading.Thread(target=work, name=name, daemon=True)
    _threads.add(thread)
    thread.start()
    return thread


def until_the_end(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces one after the other. Raises Ending when the program ends, in threads that do not matter then."""
    for piece in pieces:
        if _ends.is_set() and threading.current_thread().daemon:
            raise Ending
        yield piece


def watch(what: Watched) -> None:
    """Look at something from time to time, for as long as it lives and wants it."""
    global _watch
    with _lock:
        _watched.add(what)
        if _watch is None or not _watch.is_alive():
            _watch = begin(_look, "linkwork watch")
    _new.set()


def _look() -> None:
    pause = SHORTEST
    while not _ends.is_set():
        if _new.wait(pause):
            _new.clear()
            pause = SHORTEST
            if _ends.wait(pause):
                return
        moved = False
        with _lock:
            present = list(_watched)
        for what in present:
            found = what.look()
            if found is None:
                _watched.discard(what)
            moved = moved or bool(found)
        del present
        pause = SHORTEST if moved else min(LONGER * pause, LONGEST)
        with _lock:
            global _watch
            if not _watched:
                _watch = None
                return


def _end() -> None:
    """Machine code is not made any longer: LLVM is put away while the program ends."""
    _ends.set()
    _new.set()
    for thread in list(_threads):
        thread.join(10.0)


def _in_a_child() -> None:
    """A forked process has no threads but one, and nobody who would open what another one has closed."""
    global _watch, _lock, _new, _ends
    _watch, _lock, _new, _ends = None, threading.Lock(), threading.Event(), threading.Event()
    _threads.clear()


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_a_child)
