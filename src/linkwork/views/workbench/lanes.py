"""Work of one visitor, one thing after the other: of many moves of a slider only the last one matters."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)

Work = Callable[[], None]


class Cancelled(KeyboardInterrupt):
    """The visitor wants no more; raised at the next sign of progress, and taken by work that keeps what is done."""


class Lane:
    """A thread that does what it is given. New work with the key of work that still waits takes its place.

    Parameters
    ----------
    name : of the thread
    failed : called with an error that the work let through
    """

    def __init__(self, name: str, failed: Callable[[BaseException], None]) -> None:
        self._waiting: dict[str, Work] = {}
        self._failed = failed
        self._changed = threading.Condition()
        self._open, self._busy = True, False
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    def do(self, key: str, work: Work) -> None:
        """Do this next; what waits under the same key is forgotten."""
        with self._changed:
            self._waiting.pop(key, None)
            self._waiting[key] = work
            self._changed.notify_all()

    def close(self) -> None:
        """Do nothing more."""
        with self._changed:
            self._open = False
            self._waiting.clear()
            self._changed.notify_all()

    def idle(self, timeout: float = 10.0) -> bool:
        """Wait until everything is done; False if it is not in time."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._busy, timeout)

    def _loop(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or not self._open)
                if not self._open:
                    return
                work = self._waiting.pop(next(iter(self._waiting)))
                self._busy = True
            try:
                work()
            except Cancelled:
                pass
            except Exception as error:  # one visitor's trouble must not end the page
                log.exception("in the workbench")
                self._failed(error)
            finally:
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()
