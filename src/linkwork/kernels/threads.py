"""A batch in pieces, on as many cores as are wanted."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

Work = Callable[[int, int], None]
"""Computes samples `first` to `first + count - 1`, given (first, count)."""


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_pieces(work: Work, count: int, piece: int, threads: int) -> None:
    """Run `work` over `count` samples, `piece` at a time. An error or an interrupt stops it at the next piece."""
    if count <= piece:
        work(0, count)
        return
    starts = list(range(0, count, piece))[::-1]
    lock = threading.Lock()

    def worker() -> None:
        while True:
            with lock:
                if not starts:
                    return
                first = starts.pop()
            work(first, min(piece, count - first))

    helpers = [_pool().submit(worker) for _ in range(min(threads, len(starts)) - 1)]
    try:
        worker()  # this thread works too, and sees Ctrl-C between pieces
    except BaseException:
        with lock:
            starts.clear()
        raise
    finally:
        wait(helpers)
    for helper in helpers:
        helper.result()


_pools: dict[int, ThreadPoolExecutor] = {}


def _pool() -> ThreadPoolExecutor:
    """Threads that wait for work, made at first use, anew in a forked process."""
    process = os.getpid()
    if process not in _pools:
        _pools.clear()
        _pools[process] = ThreadPoolExecutor(max(available_cores(), 8), thread_name_prefix="linkwork")
    return _pools[process]
