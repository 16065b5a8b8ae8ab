"""A real browser for tests: one a worker, offline pages, and everything that a page complains of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from chromium import MISSING, find_chromium, launch_options

HARMLESS = ("GPU stall due to ReadPixels", "THREE.Clock: This module has been deprecated")
"""Remarks of the graphics driver and of the viewer's own libraries."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests in the browser go to one worker, so that only one browser starts."""
    here = str(Path(__file__).parent)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium; the tests are skipped with a plain message where there is none."""
    program = find_chromium()
    if program is None:
        pytest.skip(MISSING)
    sync_api = pytest.importorskip("playwright.sync_api", reason="the tests in the browser need playwright")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=launch_options())
        yield chromium
        chromium.close()


@dataclass
class Page:
    """A page of the browser, and what it complained of."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def listen(self) -> None:
        """Note errors, warnings and requests."""
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("requestfailed", lambda request: self.complaints.append(f"failed: {request.url[:200]}"))
        self.page.on("request", lambda request: self.requests.append(request.url[:200]))

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning") and not any(text in message.text for text in HARMLESS):
            self.complaints.append(f"{message.type}: {message.text}")


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Page]]:
    """A function that opens a file offline: `open_page(path, width=1280, scheme="light")`."""
    contexts = []

    def opened(path: Path, width: int = 1280, scheme: str = "light", ready: str = "html[data-ready=true]") -> Page:
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme, offline=True)
        contexts.append(context)
        context.set_default_timeout(60_000)
        found = Page(context.new_page())
        found.listen()
        found.page.goto(path.resolve().as_uri())
        if ready:
            found.page.wait_for_selector(ready)
        return found

    yield opened
    for context in contexts:
        context.close()
