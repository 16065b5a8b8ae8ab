"""One visitor's page: the machine on its stage, the panels beside it, and the work that goes on."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from linkwork.analyses.kinematics.posture import Posture
from linkwork.colours import DARK, LIGHT, Theme
from linkwork.errors import LinkworkError
from linkwork.results import Run
from linkwork.views.layers import layers_of
from linkwork.views.overlay import Overlay
from linkwork.views.scene import Part, Scene
from linkwork.views.stage import Stage
from linkwork.views.tracks import Tracks
from linkwork.views.workbench.bench import Bench
from linkwork.views.workbench.keys import add_keys
from linkwork.views.workbench.lanes import Cancelled, Lane
from linkwork.views.workbench.measures import Measures
from linkwork.views.workbench.opening import Opened
from linkwork.views.workbench.panels import PANELS, Panel
from linkwork.views.workbench.playbar import PlayBar
from linkwork.views.workbench.player import Player
from linkwork.views.workbench.sheet import style_sheet
from linkwork.views.workbench.sight import WIDTH, Sight

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine


class Desk:
    """A page for one visitor.

    Parameters
    ----------
    client : the visitor, of viser
    opened : what the workbench was opened with
    scene : of the layout, made once for all visitors
    dark : whether the page begins dark
    bench : what the visitor left when the connection ended; a new one without
    """

    def __init__(
        self, client: Any, opened: Opened, scene: Scene, dark: bool = False, bench: Bench | None = None
    ) -> None:
        self.client, self.gui = client, client.gui
        self.bench = Bench(opened) if bench is None else bench
        scene = scene if bench is None else bench.scene(even=True)
        self.theme: Theme = DARK if dark else LIGHT
        self.live = Lane("linkwork live", self._trouble)
        self.jobs = Lane("linkwork jobs", self._trouble)
        self.overlay: Overlay | None = None
        self.drawing = threading.RLock()
        """Held while nodes of the stage are made, moved or taken away: the player has a thread of its own."""
        self.hidden: set[str] = {"velocity", "acceleration", "screws", "centrodes"}
        self.names, self.grid, self.axes, self.even = True, False, False, True
        self.sight = Sight(self, flat=scene.normal is not None)
        """Planar machines are seen as on their drawings."""
        self._drawn: Machine | None = None
        """Another machine than the one on the bench that is seen: that of a run."""
        self.cell = ""
        self.measures = Measures(client.scene)
        self.is_open = True
        self._cancel = threading.Event()
        self._looked_at_motion = False
        self.panels: list[Panel] = []
        self.watchers: list[Callable[[Posture], None]] = []
        """Called with every new posture on the stage."""
        self.player = Player(self.to_sample, self._trouble)
        try:
            self._lay_out(scene)
        except BaseException:
            self.close()
            raise

    def _lay_out(self, scene: Scene) -> None:
        self.stage = self._staged(scene)
        self.look(scene)
        self.sight.arrived()
        self._dress()
        self.gui.add_html(style_sheet())
        self.bar = PlayBar(self)
        self.tabs = self.gui.add_tab_group()
        self.panels = [make(self) for make in PANELS]
        for panel in self.panels:
            panel.tab = self.tabs.add_tab(panel.title, panel.icon)
            panel.build()
        add_keys(self)
        for text in scene.notes:
            self.say("not all is shown", text)
        self.live.do("assemble", self._assemble)

    # ---------------------------------------------------------------- the stage

    def _dress(self) -> None:
        self.gui.configure_theme(dark_mode=self.theme.name == "dark", show_share_button=False, show_logo=False)
        self.gui.set_panel_label(self.bench.mechanism.name)
        self.gui.main_panel.dock_right()
        self.gui.main_panel.set_width(WIDTH)
        self._measured()

    def _measured(self) -> None:
        """Grid and axes, as they are wished."""
        scene = self.stage.scene
        self.cell = self.measures.show(scene, self.theme, self.bench.units, grid=self.grid, axes=self.axes)

    def set_look(self, **wishes: bool) -> None:
        """Names, grid, axes, flat, even: on or off."""
        for key, value in wishes.items():
            setattr(self.sight if key == "flat" else self, key, value)
        self.stage.show_names(self.names)
        if "even" in wishes:
            self.live.do("restage", self._recolour)
        elif "flat" in wishes:
            self.live.do("look", self.look)
        self._measured()
        for panel in self.panels:
            panel.look_changed()

    def play_or_pause(self) -> None:
        """The machine that was let go, if it goes; else the run."""
        if not any(panel.paused() for panel in self.panels):
            self.bar.toggle()

    def hold(self) -> None:
        """The visitor takes the machine in hand: nothing moves it but they."""
        self.player.pause()
        for panel in self.panels:
            panel.hold()

    def go_home(self) -> None:
        """Back to the posture in which it was assembled."""
        for panel in self.panels:
            panel.go_home()

    def _staged(self, scene: Scene) -> Stage:
        stage = Stage(self.client.scene, scene, self.theme)
        stage.show_names(self.names)
        stage.on_click(self._picked)
        return stage

    def restage(self, look: bool = False) -> None:
        """Draw the machine anew: another model, other numbers, other colours; `look`: point the camera at it."""
        self.player.pause()
        self._draw(None)
        if look:
            self.look()

    def _draw(self, machine: Machine | None) -> None:
        """Draw the machine on the bench, or another one: that of a run with other lengths."""
        with self.drawing:
            self._drop_overlay()
            self.stage.remove()
            self.stage = self.player.stage = self._staged(self.bench.scene(self.even, machine))
            self._drawn = machine
            self._measured()

    @property
    def is_narrow(self) -> bool:
        """Whether there is no room for a panel on both sides, as on a tablet."""
        return self.sight.is_narrow

    def look(self, scene: Scene | None = None, along: Any = None, tracks: Tracks | None = None) -> None:
        """Point the camera at the whole machine and its motion, perhaps along a direction."""
        self.sight.look(scene, along, tracks)

    def show(self, posture: Posture) -> None:
        """Put the machine into a posture; arrows of a run belong to its samples and go."""
        with self.drawing, self.client.atomic():  # one message, one picture
            if self._drawn is not None:
                self._draw(None)
            self.stage.place(self.bench.poses(posture))
            if self.overlay is not None:
                self.overlay.show_moving(False)
            for watch in self.watchers:
                watch(posture)

    def _picked(self, part: Part) -> None:
        for panel in self.panels:
            panel.selected(part.kind, part.of)

    # ---------------------------------------------------------------- runs

    def show_run(self, run: Run) -> None:
        """Put a run on the play bar, with its layers."""
        for panel in self.panels:
            panel.run_begins()
        with self.drawing:
            self.forget_overlay()
            self.player.load(run, self.stage)
            self._draw_run(run)
        self.bar.run_shown(run)
        for panel in self.panels:
            panel.run_shown(run)
        self.to_sample(0)
        self.live.do("stand", self.bar.stand)
        if not self._looked_at_motion:  # later the camera is the visitor's
            self._looked_at_motion = True
            self.sight.look_soon()

    def _draw_run(self, run: Run) -> None:
        """The machine of the run as it is, with its layers."""
        seen = self.bench.seen_in(run)
        if seen is not self._drawn:
            self._draw(seen)
        machine = self.bench.machine if seen is None else seen
        if self.overlay is None and machine is not None:
            self.overlay = Overlay(self.stage, layers_of(machine, run), tuple(self.hidden))

    def to_sample(self, sample: int) -> None:
        """Put the machine where the run has it at a sample."""
        with self.drawing, self.client.atomic():
            if self.player.run is not None:
                self._draw_run(self.player.run)
            self.player.place(sample)
            if self.overlay is not None and self.player.tracks is not None and len(self.player.tracks):
                self.overlay.to_sample(int(self.player.tracks.samples[self.player.sample]))
            self.marks_to(sample)

    def marks_to(self, sample: int) -> None:
        """The clock and all marks tell a sample."""
        self.bar.sample_shown(sample)
        for panel in self.panels:
            panel.sample_shown(sample)

    def forget_overlay(self) -> None:
        """Take a run's arrows and traces away."""
        self.player.pause()
        with self.drawing:
            self._drop_overlay()

    def _drop_overlay(self) -> None:
        if self.overlay is not None:
            self.overlay.remove()
            self.overlay = None

    # ---------------------------------------------------------------- work

    def _assemble(self) -> None:
        trouble = self.bench.assemble()
        self.bench.trouble = trouble
        for panel in self.panels:
            panel.assembled(trouble)
        if self.bench.run is not None and not trouble:
            self.show_run(self.bench.run)
        elif not trouble and self.bench.posture is not None:
            self._warm()
        if not trouble:
            self.jobs.do("explore", self._explore)

    def _explore(self) -> None:
        """Sliders learn how far the machine goes."""
        if self.bench.explore():
            self.live.do("ranges", self._ranges)

    def _ranges(self) -> None:
        for panel in self.panels:
            panel.ranges_known()

    def _warm(self) -> None:
        """Ask for the posture it is in: what must be compiled for the first drag is compiled now."""
        dials = self.bench.dials()
        if dials:
            self.bench.drag(dials[0].variable, dials[0].value * dials[0].factor)

    def job(self, title: str, work: Callable[[Callable[[int, int], None]], None], bar: Any, stop: Any) -> None:
        """Do long work with a progress bar and a button that ends it; troubles are told to the visitor."""

        def progress(done: int, total: int) -> None:
            if self._cancel.is_set():
                raise Cancelled
            bar.value = 100.0 * done / max(total, 1)

        def whole() -> None:
            self._cancel.clear()
            bar.visible, bar.value, stop.visible = True, 0.0, True
            try:
                work(progress)
            except LinkworkError as error:
                self.say(title, str(error), bad=True)
            finally:
                with contextlib.suppress(RuntimeError):  # the panel was built anew meanwhile
                    bar.visible = stop.visible = False

        self.jobs.do(title, whole)

    def cancel(self) -> None:
        """End the work that goes on; what is done is kept."""
        self._cancel.set()

    def say(self, title: str, text: str = "", *, bad: bool = False) -> None:
        """A message that the visitor sees."""
        seconds = None if bad else 4.0
        self.client.add_notification(title, text, color="red" if bad else None, auto_close_seconds=seconds)

    def _trouble(self, error: BaseException) -> None:
        self.say("something went wrong", f"{type(error).__name__}: {error}", bad=True)

    def download(self, name: str, content: bytes) -> None:
        """Give the visitor a file."""
        self.client.send_file_download(name, content, save_immediately=True)

    def set_theme(self, dark: bool) -> None:
        """Light or dark."""
        self.theme = DARK if dark else LIGHT
        self._dress()
        self.live.do("restage", self._recolour)
        for panel in self.panels:
            panel.look_changed()

    def _recolour(self) -> None:
        run, shown = self.bench.run, self.player.sample
        self.restage()
        if run is not None:
            self.show_run(run)
            self.player.seek(shown)

    def model_changed(self) -> None:
        """Another model is on the bench."""
        self._looked_at_motion = False
        self.cancel()
        self._run_is_gone()
        self.restage(look=True)
        self.gui.set_panel_label(self.bench.mechanism.name)
        for panel in self.panels:
            panel.model_changed()
        self.jobs.do("explore", self._explore)

    def numbers_changed(self, told: Panel) -> None:
        """The model has other numbers, which a panel knows already."""
        self._run_is_gone()
        self.restage()
        for panel in self.panels:
            if panel is not told:
                panel.numbers_changed()

    def _run_is_gone(self) -> None:
        self.player.unload()
        self.bar.hide()

    def close(self) -> None:
        """The visitor has left."""
        self.is_open = False
        for panel in self.panels:
            panel.close()
        self.player.close()
        self._cancel.set()
        self.live.close()
        self.jobs.close()
