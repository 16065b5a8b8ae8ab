"""Every test has a cache folder of its own; all share one cache for what is expensive to build."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cache folder of this run, never the user's."""
    return str(tmp_path_factory.mktemp("linkwork-cache"))


@pytest.fixture(autouse=True)
def kernel_environment(monkeypatch: pytest.MonkeyPatch, shared_cache: str) -> None:
    """No setting of the user reaches a test."""
    monkeypatch.setenv("LINKWORK_CACHE", shared_cache)
    monkeypatch.delenv("LINKWORK_KERNELS", raising=False)
