"""Keys of the page. They work where no field is written in; Ctrl-K lists them all on the page."""

from __future__ import annotations

import html
import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from linkwork.views.workbench.texts import escaped

if TYPE_CHECKING:
    from linkwork.views.workbench.desk import Desk

ECHO = 0.3
"""Seconds in which a second press is an echo: a button that was clicked last takes Space for a click, too."""

KEYS: tuple[tuple[str, str, str], ...] = (
    ("space", "Space", "play or pause"),
    ("arrowright", "→", "one sample on"),
    ("arrowleft", "←", "one sample back"),
    ("pageup", "Page up", "a tenth of the run back"),
    ("pagedown", "Page down", "a tenth of the run on"),
    ("H", "H", "home: as it was assembled"),
    ("F", "F", "see the whole machine"),
    ("N", "N", "names"),
    ("G", "G", "grid"),
    ("A", "A", "axes"),
    ("P", "P", "parallel view"),
    ("D", "D", "dark"),
)
"""Key of viser, as it is shown, and what it does."""


ALSO_THE_CAMERA_S = ("KeyA", "KeyD", "ArrowLeft", "ArrowRight")
"""Keys of the browser by which viser would move its camera at the same time, as far as a slow page takes to draw."""
GUARD = """
const top_ = window.parent.document;
if (!top_.getElementById("lw-keys-guard")) {
  const script = top_.createElement("script");
  script.id = "lw-keys-guard";
  script.textContent = `document.documentElement.addEventListener("keydown",
    event => { if (KEYS.includes(event.code)) event.stopPropagation(); });`.replace("KEYS", JSON.stringify(KEYS));
  top_.head.append(script);
}
"""
"""Commands of the page listen at its root, the camera one step further out: what goes no further is ours alone."""


def key_guard() -> str:
    """What keeps our keys from viser's camera, as HTML: only frames run scripts of a visitor's page."""
    script = f"<script>const KEYS = {json.dumps(ALSO_THE_CAMERA_S)};{GUARD}</script>"
    return f'<iframe hidden title="keys" srcdoc="{html.escape(script, quote=True)}"></iframe>'


def add_keys(desk: Desk) -> None:
    """Let the keys do what they say."""
    desk.gui.add_html(key_guard())
    does: dict[str, Callable[[], None]] = {
        "space": _once(desk.play_or_pause),
        "arrowright": lambda: desk.bar.step(1),
        "arrowleft": lambda: desk.bar.step(-1),
        "pageup": lambda: desk.bar.step(-desk.bar.tenth),
        "pagedown": lambda: desk.bar.step(desk.bar.tenth),
        "H": desk.go_home,
        "F": lambda: desk.live.do("look", desk.look),
        "N": lambda: desk.set_look(names=not desk.names),
        "G": lambda: desk.set_look(grid=not desk.grid),
        "A": lambda: desk.set_look(axes=not desk.axes),
        "P": lambda: desk.set_look(flat=not desk.sight.flat),
        "D": lambda: desk.set_theme(desk.theme.name != "dark"),
    }
    for key, _, what in KEYS:
        command = desk.gui.add_command(what[0].upper() + what[1:], hotkey=key)
        command.on_trigger(lambda _, act=does[key]: act())


def key_list() -> str:
    """All keys as HTML."""
    rows = (f"<kbd>{escaped(shown)}</kbd><span>{escaped(what)}</span>" for _, shown, what in KEYS)
    return f'<div class="lw-keys">{"".join(rows)}</div>'


def _once(act: Callable[[], None]) -> Callable[[], None]:
    last = [-ECHO]

    def guarded() -> None:
        now = time.monotonic()
        if now - last[0] > ECHO:
            last[0] = now
            act()

    return guarded
