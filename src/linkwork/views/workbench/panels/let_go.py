"""Let the machine go: what acts on it, a case of the model, a run to the end, or live with a hand that pulls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from linkwork.drives import parse_drive
from linkwork.errors import InputError, LinkworkError
from linkwork.results import Run
from linkwork.units import TIME, Dimension, UnitSystem
from linkwork.views.workbench.fields import CountField, Field, QuantityField
from linkwork.views.workbench.panels.acting import add_friction, add_payloads, add_stops
from linkwork.views.workbench.panels.base import Panel
from linkwork.views.workbench.panels.going import Going
from linkwork.views.workbench.releasing import (
    HAPPENINGS,
    Wish,
    effort_of,
    happenings_of,
    place_of_trouble,
)
from linkwork.views.workbench.texts import failure, note, warning

MANY = 12
"""Free coordinates that have fields of their own."""


class LetGoPanel(Panel):
    """Rates, drives, efforts, stops, events, friction, payloads; run, or live."""

    title = "Let go"

    going: Going | None = None

    def rebuild(self) -> None:
        """Another machine: the old one stands still."""
        self.hold()
        super().rebuild()

    def close(self) -> None:
        """The visitor has left."""
        self.hold()

    def fill(self) -> None:
        """The buttons, then what acts."""
        self.wish = Wish()
        self.rates: dict[str, QuantityField] = {}
        self.drives: dict[str, Field[Any]] = {}
        self.efforts: dict[str, Field[Any]] = {}
        self.happenings: dict[str, Field[Any]] = {}
        self.fields: dict[str, QuantityField] = {}
        """Those of the stop, the friction and the payload that are chosen."""
        bench = self.desk.bench
        if bench.machine is None:
            self.gui.add_html(warning(bench.trouble) if bench.trouble else note("closing the loops ..."))
            return
        self.gui.add_html(note("it starts where it stands: see the tab Move"))
        self._buttons()
        self._cases()
        self.until = QuantityField(self.gui, "until", 2.0, TIME, bench.units, above=0.0, hint="how long a run lasts")
        self.samples = CountField(self.gui, "samples", 361, 2, 1_000_000)
        self._along_coordinates()
        add_stops(self.gui, bench, self.wish, self.fields)
        self._events()
        add_friction(self.gui, bench, self.wish, self.fields)
        add_payloads(self.gui, bench, self.wish, self.fields)

    def _buttons(self) -> None:
        self.message = self.gui.add_html("")
        if self.going is None:
            self.going = Going(self.desk, self._wished, self._begins, self._tell, self._stands)
        self.going.add_buttons()
        self.run = self.gui.add_button("Run to the end", color="gray", hint="compute it all, then play and plot it")
        self.bar = self.gui.add_progress_bar(0.0, visible=False)
        self.stop = self.gui.add_button("Stop", visible=False)
        self.run.on_click(lambda _: self.desk.job("simulation", self._run, self.bar, self.stop))
        self.stop.on_click(lambda _: self.desk.cancel())

    def _along_coordinates(self) -> None:
        """A field for each free coordinate, of each kind."""
        bench, dimensions = self.desk.bench, self.desk.bench.dimensions()
        self.variables = tuple(dial.variable for dial in bench.dials()[:MANY])
        with self.gui.add_folder("Rates at the start", expand_by_default=False):
            for name in self.variables:
                self.rates[name] = QuantityField(
                    self.gui, name, 0.0, dimensions[name] / TIME, bench.units,
                    empty=0.0, hint="at rest: 0; 30 rpm, 0.2 m/s, ...",
                )  # fmt: skip
        with self.gui.add_folder("Drives", expand_by_default=False):
            hint = "a law that the coordinate follows: 0:90deg in 2s, harmonic(0, 30deg, 2Hz); empty: it is free"
            for name in self.variables:
                drive = partial(_drive_of, dimension=dimensions[name], units=bench.units)
                self.drives[name] = Field(self.gui, name, "", drive, hint=hint)
        with self.gui.add_folder("Efforts", expand_by_default=False):
            hint = "a force or torque along the coordinate: 5 N m, -0.2*rate(A), harmonic(0, 5 N m, 2Hz); empty: none"
            for name in self.variables:
                own = dimensions[name]
                read = partial(effort_of, bench.mechanism, dimension=own, units=bench.units)
                self.efforts[name] = Field(self.gui, name, "", read, hint=hint)

    def _events(self) -> None:
        """Conditions and times, one a line."""
        bench = self.desk.bench
        machine = bench.machine
        assert machine is not None
        with self.gui.add_folder("Events", expand_by_default=False):
            for kind, hint in HAPPENINGS.items():
                read = partial(happenings_of, kind, machine=machine, units=bench.units)
                self.happenings[kind] = Field(self.gui, kind, "", read, hint=hint, lines=True)

    # ---------------------------------------------------------------- cases of the model

    def _cases(self) -> None:
        """Cases that the model has, each with one click."""
        cases = self.desk.bench.cases()
        if not cases:
            return
        with self.gui.add_folder("Cases"):
            self.case = self.gui.add_dropdown("case", tuple(cases), hint="of the model's text")
            told = self.gui.add_html(note(next(iter(cases.values()))))
            ask = self.gui.add_button(
                "Run the case", color="gray", hint="as it is written; the fields below do not act"
            )
        self.case.on_update(lambda _: setattr(told, "content", note(cases.get(self.case.value, ""))))
        ask.on_click(lambda _: self.desk.job("case", self._run_case, self.bar, self.stop))

    def _run_case(self, progress: Callable[[int, int], None]) -> None:
        self._show(lambda: self.desk.bench.run_case(self.case.value, progress))

    # ---------------------------------------------------------------- what the fields say

    def _wished(self, more: Mapping[str, Field[Any]] | None = None) -> Wish:
        """What the fields say; InputError with all that say nothing sensible, which is told there too.

        more : other fields that must make sense
        """
        bad = []
        read: tuple[tuple[Mapping[str, Field[Any]], dict[str, Any]], ...] = (
            (self.rates, self.wish.rates),
            (self.drives, self.wish.drives),
            (self.efforts, self.wish.efforts),
            (self.happenings, self.wish.happenings),
        )
        for fields, into in read:
            for name, own in fields.items():
                try:
                    into[name] = own.value()
                except LinkworkError as error:
                    bad += [replace(p, where=name) for p in error.problems]
        for name, field in {**(more or {}), **self.fields}.items():
            try:
                field.read_now()
            except LinkworkError as error:
                bad += [replace(p, where=name) for p in error.problems]
        if bad:
            raise InputError(bad)
        return self.wish

    def _tell(self, error: LinkworkError) -> None:
        """What went wrong, at the field that it is about."""
        found = place_of_trouble(error, self.efforts)
        for name, words in found.items():
            if name:
                self.efforts[name].tell(words)
        self.message.content = failure(str(error))

    # ---------------------------------------------------------------- a run to the end

    def _run(self, progress: Callable[[int, int], None]) -> None:
        def asked() -> Run | None:
            wish = self._wished({"until": self.until, "samples": self.samples})
            return self.desk.bench.simulate(wish, self.until.value(), self.samples.value(), progress)

        self._show(asked)

    def _show(self, ask: Callable[[], Run | None]) -> None:
        """Put a run on the play bar, or tell why there is none."""
        self.hold()
        self.message.content = ""
        try:
            run = ask()
        except LinkworkError as error:
            self._tell(error)
            return
        if run is not None:
            self.message.content = "" if run.status == "complete" else warning(run.message)
            self.desk.show_run(run)

    # ---------------------------------------------------------------- live, and what else happens

    def _begins(self) -> None:
        self.message.content = ""
        for panel in self.desk.panels:
            if panel is not self:
                panel.run_begins()

    def _stands(self, trouble: str) -> None:
        self.message.content = warning(trouble) if trouble else ""

    def paused(self) -> bool:
        """Pause the machine, if it goes."""
        if self.going is None or not self.going.on:
            return False
        self.going.toggle()
        return True

    def hold(self) -> None:
        """The visitor moves the machine by hand."""
        if self.going is not None:
            self.going.halt()

    def run_begins(self) -> None:
        """A run takes the stage: the live machine stands still."""
        self.hold()

    def numbers_changed(self) -> None:
        """What was written stays, unless other coordinates are free now."""
        bench = self.desk.bench
        if tuple(dial.variable for dial in bench.dials()[:MANY]) != getattr(self, "variables", None):
            self.model_changed()
        elif self.going is not None:
            self.going.forget()

    def model_changed(self) -> None:
        """Another machine."""
        if self.going is not None:
            self.going.forget()
        self.rebuild()


def _drive_of(text: str, dimension: Dimension, units: UnitSystem) -> Any:
    """A law of time from text; None of an empty one."""
    return parse_drive(text, dimension, "", units) if text.strip() else None
