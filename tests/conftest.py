"""No test reads or writes the user's compiled kernels; loops are machine code where a test does not say otherwise.

Kernels that tests compile are kept with the cache of pytest, for all workers and for the next time: they are found by
all that they depend on.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest

os.environ.setdefault("LINKWORK_LOOPS", "compile")


@pytest.fixture(scope="session", autouse=True)
def _own_cache(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    before = os.environ.get("LINKWORK_CACHE")
    kept = getattr(request.config, "cache", None)  # none with `-p no:cacheprovider`
    folder = tmp_path_factory.mktemp("kernels") if kept is None else kept.mkdir("kernels")
    os.environ["LINKWORK_CACHE"] = str(folder)
    yield
    if before is None:
        del os.environ["LINKWORK_CACHE"]
    else:
        os.environ["LINKWORK_CACHE"] = before


@pytest.fixture(scope="module", autouse=True)
def _what_is_old_stays() -> Iterator[None]:
    """What a file leaves behind is looked through for garbage once: thousands of tests leave gigabytes of traces and
    kernels, in which every later search would take seconds."""
    yield
    gc.collect()
    gc.freeze()
