"""What `.view()` takes and gives; the picture itself is made in `linkwork.views`."""

from __future__ import annotations

from typing import Protocol, TypedDict


class ViewOptions(TypedDict, total=False):
    """How to open the workbench.

    port : to listen on; the next free one if it is taken
    host : address to listen on; this computer only by default
    browser : whether to open a browser; by default if there is a display
    wait : whether to wait until Ctrl-C; by default in scripts, not where you go on typing
    dark : dark colours
    """

    port: int
    host: str
    browser: bool
    wait: bool
    dark: bool


class Viewer(Protocol):
    """A workbench that is open."""

    @property
    def url(self) -> str:
        """Address for the browser."""

    def wait(self) -> None:
        """Wait until Ctrl-C, or until it is stopped."""

    def stop(self) -> None:
        """Close it."""
