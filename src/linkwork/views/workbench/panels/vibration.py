"""How the machine swings where it rests: modes to play, and the response from any input to any output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.colours import PALETTE
from linkwork.errors import LinkworkError
from linkwork.views.vibration_tables import frequency_text
from linkwork.views.workbench.charts import axes_of
from linkwork.views.workbench.panels.base import Panel
from linkwork.views.workbench.texts import failure, note, pre, table, warning

if TYPE_CHECKING:
    from linkwork.analyses.linear.frequency import FrequencyResponse
    from linkwork.analyses.linear.linearization import Linearization
    from linkwork.analyses.linear.modes import Modes

WHERE = ("where it rests", "where it stands")
MOST = 60
"""Inputs and outputs that a list offers."""
PEAKS = 8
"""Peaks that are told."""
LOW = 1e-12
"""Part of the largest magnitude below which nothing is drawn."""
TALL = 1e3
"""How far above and below the middle magnitude the curve is shown: undamped resonances go on for ever."""


class VibrationPanel(Panel):
    """Find the posture, play its modes, look at its frequency response."""

    title = "Vibration"

    linear: Linearization | None = None
    modes: Modes | None = None

    def fill(self) -> None:
        """A question; the rest appears with the answer."""
        self.linear = self.modes = None
        self.found: Any = None
        bench = self.desk.bench
        if bench.machine is None:
            self.gui.add_html(warning(bench.trouble) if bench.trouble else note("closing the loops ..."))
            return
        hint = "it goes from here to where it rests, or efforts hold it where it stands"
        self.where = self.gui.add_dropdown("about", WHERE, hint=hint)
        self.go = self.gui.add_button("Linearise", hint="small motions about that posture: modes, frequency response")
        self.go.on_click(lambda _: self.desk.jobs.do("vibration", self._linearise))
        self.text = self.gui.add_html("")

    def _linearise(self) -> None:
        bench = self.desk.bench
        machine, posture = bench.machine, bench.posture
        if machine is None or posture is None:
            return
        self._forget()
        self.text.content = note("looking for it ...")
        try:
            rest = machine.starting_from(posture).equilibrium() if self.where.value == WHERE[0] else None
            linear = machine.linearize(posture if rest is None else rest)
            modes = linear.modes()
        except LinkworkError as error:
            self.text.content = failure(str(error))
            return
        if bench.machine is not machine:
            return
        if rest is not None:
            bench.stand(rest.posture)
            self.desk.show(rest.posture)
        self.linear, self.modes = linear, modes
        held = ", ".join(linear.efforts) if rest is None else ""
        told = str(rest) if rest is not None else "stands" + (f", held by efforts along {held}" if held else " at rest")
        self.text.content = pre(told) + "".join(warning(w) for w in linear.warnings)
        with self.box:
            self.found = self.gui.add_folder("Modes and response")
        with self.found:
            self._modes(modes)
            self._response(linear)

    def _forget(self) -> None:
        if self.found is not None:
            self.found.remove()
        self.found = self.linear = self.modes = None

    # ---------------------------------------------------------------- modes

    def _modes(self, modes: Modes) -> None:
        names = [f"{mode.number}: {frequency_text(mode)}" for mode in modes if mode.moves]
        if not names:
            return
        self.choice = self.gui.add_dropdown("mode", names)
        self.moves = self.gui.add_html("")
        self.play = self.gui.add_button("Play mode", hint="one period, as large as can be seen well")
        self.choice.on_update(lambda _: self.desk.live.do("mode", self._tell_mode))
        self.play.on_click(lambda _: self.desk.jobs.do("mode", self._play))
        self._tell_mode()

    @property
    def number(self) -> int:
        """The mode that is chosen."""
        return int(str(self.choice.value).partition(":")[0])

    def _tell_mode(self) -> None:
        if self.modes is None:
            return
        mode = self.modes[self.number - 1]
        rows = [("moves", ", ".join(mode.moves[:6])), ("damping ratio", f"{mode.damping:.4g}")]
        for what in ("kinetic", "elastic"):
            shares = sorted(getattr(mode, what).items(), key=lambda own: -own[1])[:3]
            rows += [(f"{what} energy", ", ".join(f"{n} {x:.0%}" for n, x in shares))] if shares else []
        self.moves.content = table(("", ""), rows)

    def _play(self) -> None:
        if self.modes is None:
            return
        try:
            run = self.modes.run(self.number)
        except LinkworkError as error:
            self.desk.say("no such motion", str(error), bad=True)
            return
        self.desk.bench.run = run
        self.desk.show_run(run)
        self.desk.player.play()

    # ---------------------------------------------------------------- frequency response

    def _response(self, linear: Linearization) -> None:
        inputs, outputs = linear.inputs[:MOST], linear.outputs[:MOST]
        if not inputs or not outputs:
            return
        self.source = self.gui.add_dropdown("input", inputs)
        self.output = self.gui.add_dropdown("output", outputs)
        for picker in (self.source, self.output):
            picker.on_update(lambda _: self.desk.live.do("bode", self._draw))
        self.sheet = self.gui.add_folder(None)
        self.charts: list[Any] = []
        self._draw()

    def _draw(self) -> None:
        if self.linear is None:
            return
        for chart in self.charts:
            chart.remove()
        self.charts = []
        with self.sheet:
            try:
                found = self.linear.bode(self.source.value, self.output.value)
            except LinkworkError as error:
                self.charts.append(self.gui.add_html(warning(str(error))))
                return
            self._curves(found)

    def _curves(self, found: FrequencyResponse) -> None:
        (name,) = (str(n) for n in found.data.data_vars)
        f, values = found["frequency"].values, found[name].values
        size = np.abs(values)
        seen = np.isfinite(size) & (size > LOW * np.max(size[np.isfinite(size)], initial=0.0))
        if not seen.any():
            self.charts.append(self.gui.add_html(note("the output does not answer this input")))
            return
        f, values, size = f[seen], values[seen], size[seen]
        phase = np.degrees(np.unwrap(np.angle(values)))
        low, high = float(phase.min()), float(phase.max())
        unit = found[name].unit
        across = {"time": False, "distr": 3, "range": (float(f[0]), float(f[-1]))}
        middle = float(np.median(size))
        lowest, highest = max(float(size.min()), middle / TALL), min(float(size.max()), middle * TALL)
        up = {"distr": 3, "range": (0.7 * lowest, 1.4 * highest)}
        flat = {"range": (low - 15.0, high + 15.0)}
        for title, line, scale in ((f"magnitude [{unit}]", size, up), ("phase [deg]", phase, flat)):
            chart = self.gui.add_uplot(
                (f, line),
                ({"label": "frequency [Hz]"}, {"label": title, "stroke": PALETTE[0], "width": 1.6}),
                title=title,
                scales={"x": across, "y": scale},
                axes=axes_of(self.desk.theme, "frequency [Hz]"),
                legend={"show": False},
                padding=(12, 20, 0, 4),
                height=190,
            )
            self.charts.append(chart)
        rows = [(p.kind, f"{p.frequency:.6g} Hz", f"{p.magnitude:.4g}") for p in found.peaks[:PEAKS]]
        told = table(("", "frequency", "magnitude"), rows) if rows else ""
        told += "".join(note(w) for w in found.warnings)
        self.charts.append(self.gui.add_html(told))
