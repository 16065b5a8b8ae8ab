"""Tests of the equations: laws of `tests/model` within reach, compiled kernels kept in a folder of the session."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "model"))


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    before = os.environ.get("LINKWORK_CACHE")
    os.environ["LINKWORK_CACHE"] = str(tmp_path_factory.mktemp("kernels"))
    yield
    if before is None:
        del os.environ["LINKWORK_CACHE"]
    else:
        os.environ["LINKWORK_CACHE"] = before
