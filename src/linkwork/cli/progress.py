"""Long work: a bar on a terminal, and Ctrl-C that ends the work where it is, so that what is done can be kept."""

from __future__ import annotations

import signal
import threading
import time
from types import TracebackType
from typing import Any

from linkwork.cli.output import console, tell

PATIENCE = 0.4
"""Seconds of work after which a bar appears."""


class Stopped(KeyboardInterrupt):
    """The user wants no more; raised at the next sign of progress, and taken by work that keeps what is done."""


class Work:
    """Work whose progress is `Work.progress(done, total)`.

    The first Ctrl-C ends it by `Stopped` at its next sign of progress, a second one at once. `stopped` tells so.
    What is done is kept, unless `keeps` is false.
    """

    def __init__(self, what: str, keeps: bool = True) -> None:
        self.what, self.keeps = what, keeps
        self.done = self.total = 0
        self._stop = self.stopped = False
        self._begin = time.monotonic()
        self._bar: Any = None
        self._before: Any = None

    def __enter__(self) -> Work:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._asked_to_stop)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hide()
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def progress(self, done: int, total: int) -> None:
        """So much is done."""
        self.done, self.total = max(self.done, done), total
        if self._stop and not self.stopped:
            self._hide()
            self.stopped = True
            raise Stopped
        if self._bar is None and time.monotonic() - self._begin > PATIENCE:
            self._bar = _bar(self.what, total)
        if self._bar is not None:
            self._bar.update(0, completed=self.done, total=total)

    def restarted(self, what: str) -> None:
        """The next part of the work begins."""
        self.what, self.done = what, 0
        self._hide()

    def _hide(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _asked_to_stop(self, number: int, frame: Any) -> None:
        if self._stop:
            raise KeyboardInterrupt
        self._stop = True
        tell("ending; what is done will be kept (Ctrl-C again drops it)" if self.keeps else "ending")


class _NoBar:
    """Where nobody watches."""

    def update(self, *given: Any, **named: Any) -> None: ...
    def stop(self) -> None: ...


def _bar(what: str, total: int) -> Any:
    """A bar on the terminal behind stderr, which vanishes when the work is done; nothing in a pipe."""
    out = console(stderr=True)
    if not out.is_terminal:
        return _NoBar()
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    bar = Progress(*columns, console=out, transient=True)
    bar.add_task(what, total=total)
    bar.start()
    return bar
