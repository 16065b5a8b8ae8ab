"""How it looks: names, colours, camera, files to take home."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.views.workbench.panels.base import Panel
from linkwork.views.workbench.texts import note


class LooksPanel(Panel):
    """Names, light and dark, views along the axes."""

    title = "Look"

    def fill(self) -> None:
        """Switches and buttons."""
        names = self.gui.add_checkbox("Names", self.desk.names)
        names.on_update(lambda event: self._names(bool(event.target.value)))
        dark = self.gui.add_checkbox("Dark", self.desk.theme.name == "dark")
        dark.on_update(lambda event: self.desk.set_theme(bool(event.target.value)))
        views = self.gui.add_button_group(
            "View", ("all", "x", "y", "z"), hint="the whole machine; or seen along an axis"
        )
        views.on_click(lambda event: self._look(str(event.target.value)))
        for text in self.desk.stage.scene.notes:
            self.gui.add_html(note(text))

    def _names(self, visible: bool) -> None:
        self.desk.names = visible
        self.desk.stage.show_names(visible)

    def _look(self, way: str) -> None:
        along: Any = None if way == "all" else np.eye(3)["xyz".index(way)]
        self.desk.live.do("look", _look_along(self.desk.look, along))


def _look_along(look: Callable[..., None], along: Any) -> Callable[[], None]:
    return lambda: look(along=along)
