"""How it looks: names, colours, grid, axes, camera; and the keys of the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.views.workbench.keys import key_list
from linkwork.views.workbench.panels.base import Panel
from linkwork.views.workbench.texts import note

SWITCHES = {
    "names": ("Names", None),
    "grid": ("Grid", "lines at round lengths"),
    "axes": ("Axes", "x, y and z of the world"),
    "flat": ("Parallel", "without perspective; a planar machine as on its drawing"),
    "even": ("Even widths", "bars of one width, so that small cranks are seen"),
}


class LooksPanel(Panel):
    """Names, light and dark, grid, axes, views along the axes."""

    title = "Look"

    def fill(self) -> None:
        """Switches and buttons."""
        self.switches: dict[str, Any] = {}
        for key, (label, hint) in SWITCHES.items():
            switch = self.gui.add_checkbox(label, self._wish(key), hint=hint)
            switch.on_update(lambda event, key=key: self._switched(key, event))
            self.switches[key] = switch
        dark = self.gui.add_checkbox("Dark", self._wish("dark"))
        dark.on_update(lambda event: self.desk.set_theme(bool(event.target.value)) if event.client else None)
        self.switches["dark"] = dark
        views = self.gui.add_button_group(
            "View", ("all", "x", "y", "z"), hint="the whole machine; or seen along an axis"
        )
        views.on_click(lambda event: self._look(str(event.target.value)))
        self.cell = self.gui.add_html("")
        for text in self.desk.stage.scene.notes:
            self.gui.add_html(note(text))
        with self.gui.add_folder("Keys", expand_by_default=False):
            self.gui.add_html(key_list())
        self.look_changed()

    def look_changed(self) -> None:
        """Switches follow keys; the grid tells its cells."""
        for key, switch in self.switches.items():
            if switch.value != (wanted := self._wish(key)):
                switch.value = wanted
        self.cell.content = note(f"a cell of the grid is {self.desk.cell}") if self.desk.grid else ""

    def _wish(self, key: str) -> bool:
        if key == "dark":
            return self.desk.theme.name == "dark"
        return bool(getattr(self.desk.sight if key == "flat" else self.desk, key))

    def _switched(self, key: str, event: Any) -> None:
        if event.client is not None:
            self.desk.set_look(**{key: bool(event.target.value)})

    def _look(self, way: str) -> None:
        along: Any = None if way == "all" else np.eye(3)["xyz".index(way)]
        self.desk.live.do("look", _look_along(self.desk.look, along))


def _look_along(look: Callable[..., None], along: Any) -> Callable[[], None]:
    return lambda: look(along=along)
