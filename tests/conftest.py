"""No test reads or writes the user's compiled kernels; loops are machine code where a test does not say otherwise."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

os.environ.setdefault("LINKWORK_LOOPS", "compile")


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    before = os.environ.get("LINKWORK_CACHE")
    os.environ["LINKWORK_CACHE"] = str(tmp_path_factory.mktemp("kernels"))
    yield
    if before is None:
        del os.environ["LINKWORK_CACHE"]
    else:
        os.environ["LINKWORK_CACHE"] = before
