"""Locks that a forked process inherits open."""

from __future__ import annotations

import os
import threading


def fork_safe_lock() -> threading.RLock:
    """A lock that no other thread holds at the moment of a fork: the fork waits for it.

    Otherwise the child would inherit it closed, by a thread that it does not have. Locks that are taken one inside the
    other must be made in the opposite order: the inner one first.
    """
    lock = threading.RLock()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock
