"""What every panel is: a tab that is told what happens on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from linkwork.results import Run

if TYPE_CHECKING:
    from linkwork.views.workbench.desk import Desk


class Panel:
    """A tab of the page. A new analysis is a subclass, listed in `PANELS`; it changes nothing else.

    Parameters
    ----------
    desk : the page
    """

    title: ClassVar[str]
    icon: ClassVar[Any] = None

    def __init__(self, desk: Desk) -> None:
        self.desk, self.gui = desk, desk.gui
        self.tab: Any = None
        self.box: Any = None

    def build(self) -> None:
        """Put the content into the tab; called once, and again after `clear`."""
        with self.tab:
            self.box = self.gui.add_folder(None)
        with self.box:
            self.fill()

    def fill(self) -> None:
        """The content."""

    def rebuild(self) -> None:
        """Take everything out and put it in again."""
        if self.box is not None:
            self.box.remove()
        self.build()

    def close(self) -> None:
        """The visitor has left: end what goes on."""

    # What happens on the page; most panels care for little of it.

    def assembled(self, trouble: str) -> None:
        """The loops are closed, or cannot be."""
        self.rebuild()

    def model_changed(self) -> None:
        """Another model, assembled."""
        self.rebuild()

    def numbers_changed(self) -> None:
        """The same model with other numbers."""
        self.model_changed()

    def look_changed(self) -> None:
        """Names, grid, colours or the like are others."""

    def ranges_known(self) -> None:
        """It was found out how far the dials go."""

    def paused(self) -> bool:
        """Asked to pause what goes on: whether there was something."""
        return False

    def hold(self) -> None:
        """The visitor moves the machine by hand: what goes on by itself stops."""

    def go_home(self) -> None:
        """Back to the posture in which the machine was assembled."""

    def run_begins(self) -> None:
        """A run is about to take the stage."""

    def run_shown(self, run: Run) -> None:
        """A run is on the play bar."""

    def sample_shown(self, sample: int) -> None:
        """A sample of the run is on the stage."""

    def selected(self, kind: str, name: str) -> None:
        """The visitor clicked on a body, joint or point."""
