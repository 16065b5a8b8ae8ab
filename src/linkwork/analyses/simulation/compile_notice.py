"""Loops through time are compiled once an installation, which takes a while: it is said, so that nobody wonders."""

from __future__ import annotations

import sys

from linkwork.kernels.cache import user_cache

_said: set[str] = set()


def say_once(method: str) -> None:
    """A line on the terminal before the loops of a method are compiled for the first time."""
    if method in _said:
        return
    _said.add(method)
    if not sys.stderr.isatty():
        return
    from linkwork.numerics.stepping.handle import SOURCES

    cache, key = user_cache(), f"loops-{method}-{SOURCES}"
    if cache.get(key) is None:
        text = f"linkwork: compiling the loops of method '{method}', once for this installation (up to half a minute)"
        print(text, file=sys.stderr, flush=True)
        cache.put(key, b"said")
