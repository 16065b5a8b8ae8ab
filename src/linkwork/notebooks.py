"""Notebooks: whether a cell runs this, and how far long work has come, without anything but IPython."""

from __future__ import annotations

import html
import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 0.4
"""Seconds of work after which a bar appears."""
OFTEN = 0.1
"""Seconds from one look of the bar to the next."""


def in_notebook() -> bool:
    """Whether a notebook's kernel runs this."""
    module: Any = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


@contextmanager
def shown(
    what: str, progress: Callable[..., None] | None, note: Callable[[], str] = str
) -> Iterator[Callable[..., None] | None]:
    """The function to call with what is done and what there is in all: the user's, or a bar in a notebook."""
    if progress is not None or not in_notebook():
        yield progress
        return
    bar = Bar(what, note)
    try:
        yield bar
    finally:
        bar.end()


def compiling() -> str:
    """That loops are compiled meanwhile, where they are."""
    warming = sys.modules.get("linkwork.numerics.warming")  # what has not been imported compiles nothing
    if warming is None or not warming.is_going_on():
        return ""
    return "loops through time are compiled in the background, once for this installation, and interpreted until then"


class Bar:
    """A bar below the cell, which appears when work takes long and vanishes when it is done.

    what : the work; note : gives what is told beside it
    display : function of IPython that shows something and gives a handle to change it
    """

    def __init__(self, what: str, note: Callable[[], str] = str, display: Callable[..., Any] | None = None) -> None:
        self.what, self.note, self.display = what, note, display
        self.began = self.looked = time.monotonic()
        self.handle: Any = None

    def __call__(self, done: float, total: float) -> None:
        now = time.monotonic()
        if now - self.began < PATIENCE or now - self.looked < OFTEN:
            return
        self.looked = now
        share = min(1.0, max(0.0, done / total)) if total else 0.0
        left = (now - self.began) * (1.0 - share) / share if share > 0.01 else None
        told = f"{html.escape(self.what)}: {100.0 * share:.0f} %" + (f", {left:.0f} s left" if left is not None else "")
        if note := self.note():
            told += f"; {html.escape(note)}"
        self._show(f"<div><progress value='{share:.4f}' max='1'></progress> {told}</div>", told)

    def _show(self, page: str, text: str) -> None:
        bundle = {"text/html": page, "text/plain": text}
        if self.handle is not None:
            self.handle.update(bundle, raw=True)
            return
        if self.display is None:
            found: Any = importlib.import_module("IPython.display")
            self.display = found.display
        self.handle = self.display(bundle, raw=True, display_id=True)

    def end(self) -> None:
        """Nothing is left of it."""
        if self.handle is not None:
            self.handle.update({"text/html": "", "text/plain": ""}, raw=True)
