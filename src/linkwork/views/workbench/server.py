"""The workbench's server: visitors come and go, each with a desk of their own."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import secrets
import socket
import sys
import threading
import webbrowser
from typing import TYPE_CHECKING, Any

from linkwork.errors import LinkworkError
from linkwork.views.scene import Scene, scene_of
from linkwork.views.stage import LOCALHOST, aim, page_camera, quiet, stop_server, viser_module
from linkwork.views.workbench.opening import Opened

if TYPE_CHECKING:
    from linkwork.views.workbench.bench import Bench
    from linkwork.views.workbench.desk import Desk

PORT, TRIES = 8080, 100
MOST_PARKED = 16
"""Benches of visitors that have left, kept for when they come back: a connection that was cut, a page read anew."""
PATIENCE = 2.0
"""Seconds to wait for what a browser remembers."""


class Workbench:
    """A workbench that is open; `url` is its address.

    Parameters
    ----------
    opened : what to show
    port : to listen on; the next free one if it is taken
    host : address to listen on; this computer only by default
    dark : dark colours
    """

    def __init__(self, opened: Opened, *, port: int = PORT, host: str = LOCALHOST, dark: bool = False) -> None:
        viser = viser_module("the workbench")
        # Visitors that come and go without a word are normal; what matters is told on their page.
        logging.getLogger("websockets").setLevel(logging.CRITICAL)
        self.opened, self.dark = opened, dark
        self.host = host
        self._scene = self._first_scene(opened)
        self.desks: dict[int, Desk] = {}
        self._tokens: dict[int, str] = {}
        self._parked: dict[str, Bench] = {}
        self._closed = threading.Event()
        with quiet():
            self._server = viser.ViserServer(host=host, port=free_port(host, port), verbose=False)
        self._server.request_share_url = _not_shared
        aim(self._server.initial_camera, page_camera(self._scene))
        self._server.scene.set_up_direction(tuple(float(x) for x in self._scene.up))
        self._server.gui.configure_theme(dark_mode=dark, show_share_button=False, show_logo=False)
        self._server.on_client_connect(self._arrived)
        self._server.on_client_disconnect(self._left)
        # The browser needs a second for its part of the page; the analyses are imported meanwhile.
        threading.Thread(target=_desk, name="linkwork import", daemon=True).start()

    @staticmethod
    def _first_scene(opened: Opened) -> Scene:
        if opened.machine is None:
            return scene_of(opened.mechanism, even=True)
        from linkwork.views.placed_layout import layout_at

        return scene_of(opened.mechanism, layout_at(opened.machine), even=True)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.get_port())

    @property
    def url(self) -> str:
        """Address for the browser."""
        here = self.host in (LOCALHOST, "0.0.0.0", "localhost", "::", "::1")
        shown = "localhost" if here else f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{shown}:{self.port}"

    def __repr__(self) -> str:
        return f"Workbench of {self.opened.mechanism.name} at {self.url}"

    def _arrived(self, client: Any) -> None:
        try:
            token, bench = self._known(client)
            desk = _desk()(client, self.opened, self._scene, self.dark, bench)
        except Exception as error:
            if client.client_id in self._server.get_clients():  # else it left while its page was laid out
                client.add_notification("the page cannot be shown", f"{type(error).__name__}: {error}", color="red")
                raise
            return
        self.desks[client.client_id], self._tokens[client.client_id] = desk, token
        if client.client_id not in self._server.get_clients():  # it has left meanwhile
            self._left(client)

    def _left(self, client: Any) -> None:
        desk = self.desks.pop(client.client_id, None)
        token = self._tokens.pop(client.client_id, "")
        if desk is not None:
            desk.close()
            self._parked[token] = desk.bench
            while len(self._parked) > MOST_PARKED:
                del self._parked[next(iter(self._parked))]

    def _known(self, client: Any) -> tuple[str, Bench | None]:
        """A name for a visitor, which the browser keeps, and what they left on the bench when the connection ended."""
        key = f"linkwork-{self.opened.mechanism.name}"
        with contextlib.suppress(TimeoutError, RuntimeError):
            bench = self._parked.pop(client.local_storage.get_item(key, timeout=PATIENCE) or "", None)
            token = secrets.token_hex(8)
            client.local_storage.set_item(key, token)
            return token, bench
        return "", None

    def open_browser(self) -> bool:
        """Open the page in a browser; False where there is no display."""
        return has_display() and webbrowser.open(self.url)

    def wait(self) -> None:
        """Wait until Ctrl-C, or until it is stopped."""
        try:
            while not self._closed.wait(0.5):
                pass
        except KeyboardInterrupt:
            self.stop()

    def stop(self) -> None:
        """Close it."""
        for desk in list(self.desks.values()):
            desk.close()
        self.desks.clear()
        if not self._closed.is_set():
            self._closed.set()
            stop_server(self._server)


def _desk() -> type[Desk]:
    """The page for a visitor, with all analyses behind it."""
    from linkwork.views.workbench.desk import Desk

    return Desk


def free_port(host: str, port: int) -> int:
    """The port, or the next one that is free."""
    if not 0 < port < 65536:
        raise LinkworkError(f"{port} is no port; give one from 1 to 65535")
    for candidate in range(port, min(port + TRIES, 65536)):
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as probe:
            if sys.platform != "win32":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, candidate))
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    continue
                what = f"port {candidate} of '{host}' cannot be listened on: {error.strerror}"
                raise LinkworkError(f"{what}; give another with --host or --port") from None
            return candidate
    raise LinkworkError(f"no free port from {port} on at {host}; give another with --port")


def has_display() -> bool:
    """Whether a browser can be seen here."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _not_shared(*_: Any, **__: Any) -> None:
    """viser can ask a service outside for a public address; a workbench stays where it is."""
