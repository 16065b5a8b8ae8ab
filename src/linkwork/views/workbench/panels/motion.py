"""Drive the machine through laws of time, play what came out, plot it, take it home."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkwork.results import Run
from linkwork.results.evidence_words import closing_lines, samples_text
from linkwork.views.default_motion import law_text
from linkwork.views.layers import LAYERS
from linkwork.views.workbench.charts import ChartView, charts, choices
from linkwork.views.workbench.dials import Dial
from linkwork.views.workbench.fields import CountField
from linkwork.views.workbench.panels.base import Panel
from linkwork.views.workbench.texts import escaped, note, warning

if TYPE_CHECKING:
    from linkwork.views.workbench.desk import Desk

WIDTH = 360  # of the plots [pixel]
MANY = 40  # laws that a page can hold
FOLLOW = 0.1
"""Seconds between two moves of the marks in the plots while it plays."""


class MotionPanel(Panel):
    """Laws, a run, its play bar, its layers, its plots."""

    title = "Motion"

    def fill(self) -> None:
        """Laws and a button; the rest appears with a run."""
        self.laws: dict[str, Any] = {}
        self.views: list[ChartView] = []
        self.pickers: list[Any] = []
        self.layer_box: Any = None
        self.plots: Any = getattr(self, "plots", None)
        self._drop_plots()
        self._marked = 0.0
        bench = self.desk.bench
        if bench.machine is None:
            self.gui.add_html(warning(bench.trouble) if bench.trouble else note("closing the loops ..."))
            return
        dials = bench.dials()
        if len(dials) > MANY:
            self.gui.add_html(note(f"laws of the first {MANY} of {len(dials)} free coordinates"))
        for i, dial in enumerate(dials[:MANY]):
            hint = "a range 0:360deg in 2s, a value 30deg, harmonic(0, 30deg, 2Hz), ...; empty: it stays"
            self.laws[dial.variable] = self.gui.add_text(dial.variable, _law(dial) if i == 0 else "", hint=hint)
        if dials:
            self.desk.live.do("law", lambda: self._propose(dials[0]))
        self.samples = CountField(self.gui, "samples", 361, 2, 1_000_000)
        hint = "efforts of the drives, reactions of the joints, loads and energy too"
        self.with_forces = self.gui.add_checkbox("with forces", bool(bench.mechanism.loads), hint=hint)
        self.go = self.gui.add_button("Run", hint="from the posture in which it stands")
        self.bar = self.gui.add_progress_bar(0.0, visible=False)
        self.stop = self.gui.add_button("Stop", visible=False)
        self.evidence = self.gui.add_html("")
        self.go.on_click(lambda _: self.desk.job("motion", self._move, self.bar, self.stop))
        self.stop.on_click(lambda _: self.desk.cancel())

    def _propose(self, dial: Dial) -> None:
        """A law that the machine can follow, where the visitor has not written another one yet."""
        machine = self.desk.bench.machine
        field: Any = self.laws.get(dial.variable)
        if machine is None or field is None:
            return
        better = law_text(machine, dial.variable, self.desk.bench.units)
        is_there = self.laws.get(dial.variable) is field
        if better and is_there and field.value == _law(dial):
            field.value = better

    def _move(self, progress: Callable[[int, int], None]) -> None:
        texts = {name: field.value for name, field in self.laws.items()}
        samples = self.samples.value()
        run = self.desk.bench.move(texts, samples, progress, bool(self.with_forces.value))
        if run is not None:
            self.desk.show_run(run)

    def numbers_changed(self) -> None:
        """Laws that were written stay, unless other coordinates are free now; the run is gone."""
        if [dial.variable for dial in self.desk.bench.dials()[:MANY]] != list(self.laws):
            self.model_changed()
            return
        self._drop_plots()
        self.evidence.content = ""
        if self.layer_box is not None:
            self.layer_box.remove()
            self.layer_box = None

    # ---------------------------------------------------------------- what is shown of it

    def run_shown(self, run: Run) -> None:
        """Switches for the layers, plots, files."""
        gaps = self.desk.player.tracks.gaps if self.desk.player.tracks is not None else 0
        self.evidence.content = _evidence(run, gaps)
        if self.layer_box is not None:
            self.layer_box.remove()
        with self.box:
            self.layer_box = self.gui.add_folder("Shown and saved")
        with self.layer_box:
            self.desk.bar.pace()
            self._layers()
            self._files()
        self._plot_panel(run)

    def sample_shown(self, sample: int) -> None:
        """The marks in the plots follow."""
        tracks = self.desk.player.tracks
        if tracks is None or not self.views or not len(tracks):
            return
        if time.monotonic() - self._marked < FOLLOW and self.desk.player.playing:
            return
        self._marked = time.monotonic()
        now = float(tracks.times[min(sample, len(tracks) - 1)])
        for view in self.views:
            view.to_time(now)

    def _layers(self) -> None:
        overlay = self.desk.overlay
        for layer in overlay.layers if overlay is not None else ():
            switch = self.gui.add_checkbox(layer.title, layer.name not in self.desk.hidden, hint=layer.legend or None)
            switch.on_update(lambda event, name=layer.name: self._switch(name, bool(event.target.value)))

    def _switch(self, name: str, visible: bool) -> None:
        (self.desk.hidden.discard if visible else self.desk.hidden.add)(name)
        if self.desk.overlay is not None and name in LAYERS:
            self.desk.overlay.show(name, visible)

    # ---------------------------------------------------------------- plots

    def _plot_panel(self, run: Run) -> None:
        """Two plots in a window of their own, each with a list of what it can show."""
        self._drop_plots()
        known = choices(run)
        if not known:
            return
        self.plots = self.gui.add_panel()
        with self.plots.add_tab("Plots"):
            first = ("joints", "efforts", "energies", *known)
            wanted = list(dict.fromkeys(title for title in first if title in known))[:2]
            for title in wanted:
                picker = self.gui.add_dropdown("plot", tuple(known), initial_value=title)
                picker.on_update(lambda _: self.desk.live.do("plots", lambda: self._draw(run)))
                self.pickers.append(picker)
            self.sheet = self.gui.add_folder(None)
        if self.desk.is_narrow:
            self.plots.dock_below(self.gui.main_panel)
        else:
            self.plots.dock_left()
            self.plots.set_width(WIDTH)
        self._draw(run)

    def _draw(self, run: Run) -> None:
        old, self.views = self.views, []
        for view in old:
            view.remove()
        known = choices(run)
        with self.sheet:
            for picker in self.pickers:
                for chart in charts(run, picker.value, known[picker.value], self.desk.bench.units):
                    self.views.append(ChartView(self.gui, chart, self.desk.theme))

    def _drop_plots(self) -> None:
        self.views, self.pickers = [], []  # first: the player must not move marks of what is going
        if self.plots is not None:
            self.plots.remove()
            self.plots = None

    # ---------------------------------------------------------------- files

    def _files(self) -> None:
        names = ("run.nc", "run.csv", "page.html", "report.html")
        save = self.gui.add_button_group("save", names, hint="download the run, its animation or a report")
        save.on_click(lambda event: self.desk.jobs.do("save", lambda: self._save(str(event.target.value))))

    def _save(self, name: str) -> None:
        run = self.desk.bench.run
        if run is None:
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            _write(run, path, self.desk)
            self.desk.download(f"{self.desk.bench.mechanism.name}-{name}", path.read_bytes())


def _write(run: Run, path: Path, desk: Desk) -> None:
    if path.name == "report.html":
        from linkwork.views.report import write_report

        write_report(run, path, dark=desk.theme.name == "dark")
    elif path.name == "page.html":
        from linkwork.views.record import run_page

        shown = [layer for layer in desk.overlay.layers if layer.name not in desk.hidden] if desk.overlay else []
        text, _ = run_page(run.machine, run, layers=shown, theme=desk.theme, names=desk.names)
        path.write_text(text, encoding="utf-8")
    else:
        run.save(path)


def _law(dial: Dial) -> str:
    """A first law to try: a turn of an angle, a little way of a length."""
    if dial.unit in ("deg", "rad"):
        turn = 360.0 if dial.unit == "deg" else 2 * math.pi
        return f"{dial.value:.6g}:{dial.value + turn:.6g}{dial.unit} in 2s"
    return f"{dial.value:.6g}:{dial.value + 0.1 * (dial.high - dial.low):.6g}{dial.unit} in 2s"


def _evidence(run: Run, gaps: int) -> str:
    found = run.evidence
    lines = [f"samples: {samples_text(found)}", f"status: {found.status}"]
    lines += [f"{key}: {text}" for key, text in closing_lines(found)]
    text = f"<div style='padding:0 0.9em;font-size:0.85em'>{'<br>'.join(map(escaped, lines))}</div>"
    told = [found.message, *found.warnings, f"{gaps} samples are not finite and are left out" if gaps else ""]
    return text + "".join(warning(w) for w in told if w)
