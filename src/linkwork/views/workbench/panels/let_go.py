"""Let the machine go: what acts, a run to the end, or live in real time with a hand that pulls."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.errors import InputError, LinkworkError, Problem
from linkwork.model.measures import effort_along
from linkwork.results import Run
from linkwork.units import ANGLE, LENGTH, MASS, NUMBER, TIME
from linkwork.units.efforts import effort_units
from linkwork.views.tracks import tracks_of
from linkwork.views.workbench.energies import EnergyView
from linkwork.views.workbench.fields import CountField, Field, QuantityField
from linkwork.views.workbench.live import Grip, Live
from linkwork.views.workbench.panels.base import Panel
from linkwork.views.workbench.releasing import (
    Ends,
    Rubbing,
    Wish,
    depends_on_time,
    effort_of,
    place_of_trouble,
)
from linkwork.views.workbench.texts import failure, note, table, warning

MANY = 12
"""Free coordinates that have fields of their own."""
AHEAD = 1.5
"""Seconds for which the camera looks ahead."""
DRAWN = 0.2
"""Seconds between two pictures of the energies."""
SPEEDS = {"1/8": 0.125, "1/4": 0.25, "1/2": 0.5, "1": 1.0, "2": 2.0, "4": 4.0}


class LetGoPanel(Panel):
    """Rates, efforts, stops, friction, payloads; run, or live."""

    title = "Let go"

    live: Live | None = None

    def rebuild(self) -> None:
        """Another machine: the old one stands still."""
        self._halt()
        super().rebuild()

    def close(self) -> None:
        """The visitor has left."""
        self._halt()

    def fill(self) -> None:
        """What acts, then the buttons."""
        self.wish = Wish()
        self.efforts: dict[str, Field[Any]] = {}
        self.rates: dict[str, QuantityField] = {}
        self.fields: dict[str, QuantityField] = {}
        """Those of the stop, the friction and the payload that are chosen."""
        bench = self.desk.bench
        if bench.machine is None:
            self.gui.add_html(warning(bench.trouble) if bench.trouble else note("closing the loops ..."))
            return
        units = bench.units
        self.gui.add_html(note("it starts where it stands: see the tab Move"))
        self._buttons()
        self._cases()
        self.until = QuantityField(self.gui, "until", 2.0, TIME, units, above=0.0, hint="how long a run lasts")
        self.samples = CountField(self.gui, "samples", 361, 2, 1_000_000)
        dials = bench.dials()[:MANY]
        dimensions = bench.dimensions()
        with self.gui.add_folder("Rates at the start", expand_by_default=False):
            for dial in dials:
                dimension = dimensions[dial.variable] / TIME
                self.rates[dial.variable] = QuantityField(
                    self.gui, dial.variable, 0.0, dimension, units, empty=0.0, hint="at rest: 0; 30 rpm, 0.2 m/s, ..."
                )
        with self.gui.add_folder("Efforts", expand_by_default=False):
            hint = "a force or torque along the coordinate: 5 N m, -0.2*rate(A), harmonic(0, 5 N m, 2Hz); empty: none"
            for dial in dials:
                own = dimensions[dial.variable]
                read = partial(effort_of, bench.mechanism, dimension=own, units=bench.units)
                self.efforts[dial.variable] = Field(self.gui, dial.variable, "", read, hint=hint)
        self._stops()
        self._friction()
        self._payload()

    def _buttons(self) -> None:
        self.message = self.gui.add_html("")
        self.go = self.gui.add_button("Let go", hint="live; pull at the machine with the mouse")
        self.again = self.gui.add_button("From the start", visible=False, color="gray", hint="let it go anew")
        speed = self.gui.add_dropdown("speed", tuple(SPEEDS), initial_value="1")
        speed.on_update(lambda event: self._set_speed(SPEEDS[event.target.value]))
        self.speed = 1.0
        self.energies = EnergyView(self.gui, self.desk)
        self.run = self.gui.add_button("Run to the end", color="gray", hint="compute it all, then play and plot it")
        self.bar = self.gui.add_progress_bar(0.0, visible=False)
        self.stop = self.gui.add_button("Stop", visible=False)
        self.go.on_click(lambda _: self._toggle())
        self.again.on_click(lambda _: self.desk.live.do("let go", self._anew))
        self.run.on_click(lambda _: self.desk.job("simulation", self._run, self.bar, self.stop))
        self.stop.on_click(lambda _: self.desk.cancel())

    def _cases(self) -> None:
        """Cases that the model has, each with one click."""
        cases = self.desk.bench.cases()
        if not cases:
            return
        with self.gui.add_folder("Cases"):
            self.case = self.gui.add_dropdown("case", tuple(cases), hint="of the model's text")
            told = self.gui.add_html(note(next(iter(cases.values()))))
            ask = self.gui.add_button("Run the case", color="gray")
        self.case.on_update(lambda _: setattr(told, "content", note(cases.get(self.case.value, ""))))
        ask.on_click(lambda _: self.desk.job("case", self._run_case, self.bar, self.stop))

    def _run_case(self, progress: Callable[[int, int], None]) -> None:
        self._halt()
        try:
            self._shown_run(self.desk.bench.run_case(self.case.value, progress))
        except LinkworkError as error:
            self._tell(error)

    # ---------------------------------------------------------------- what acts

    def _stops(self) -> None:
        """The ends of one variable or coordinate at a time; those of others are kept."""
        bench = self.desk.bench
        places = [f"{p}.{c}" for p in bench.mechanism.points for c in "xyz"]
        names = (*bench.dimensions(), *places)
        with self.gui.add_folder("Stops", expand_by_default=False):
            choice = self.gui.add_dropdown("of", names or ("...",), hint="a joint, or a coordinate of a point")
            box: dict[str, Any] = {"folder": None}
            told = self.gui.add_html("")
            holder = self.gui.add_folder(None)

        def change(**ends: Any) -> None:
            name = choice.value
            self.wish.stops[name] = replace(self.wish.stops.get(name, Ends()), **ends)
            tell()

        def limit(key: str, value: float) -> None:
            change(**{key: value if np.isfinite(value) else None})

        def tell() -> None:
            rows = [(n, end(e.low, n), end(e.high, n)) for n, e in self.wish.stops.items() if e != Ends()]
            told.content = table(("stop", "low", "high"), rows) if rows else ""

        def end(value: float | None, name: str) -> str:
            return "" if value is None else bench.shown(value, bench.dimensions().get(name, LENGTH))

        def choose() -> None:
            name = choice.value
            known = self.wish.stops.get(name, Ends())
            dimension = bench.dimensions().get(name, LENGTH)
            if box["folder"] is not None:
                box["folder"].remove()
            with holder:
                box["folder"] = self.gui.add_folder(None)
            with box["folder"]:
                for key in ("low", "high"):
                    self.fields[key] = QuantityField(
                        self.gui, key, getattr(known, key), dimension, bench.units,
                        partial(limit, key),
                        empty=np.inf, hint="where it is stopped; empty: nowhere",
                    )  # fmt: skip
                self.fields["restitution"] = QuantityField(
                    self.gui, "restitution", known.restitution, NUMBER, bench.units,
                    lambda value: change(restitution=value), least=0.0, most=1.0,
                    hint="rate after the impact by the rate before it: 0 to 1",
                )  # fmt: skip

        choice.on_update(lambda _: choose())
        if names:
            choose()

    def _friction(self) -> None:
        """Friction along one variable at a time; that of others is kept."""
        bench = self.desk.bench
        names = tuple(bench.dimensions())
        with self.gui.add_folder("Friction", expand_by_default=False):
            choice = self.gui.add_dropdown("in", names or ("...",), hint="a joint")
            told = self.gui.add_html("")
            holder = self.gui.add_folder(None)
        box: list[Any] = []

        def change(**own: float) -> None:
            name = choice.value
            self.wish.friction[name] = replace(self.wish.friction.get(name, Rubbing()), **own)
            rows = [
                (n, f"{r.dry:g} {_symbol(n, 'dry')}", f"{r.viscous:g} {_symbol(n, 'viscous')}")
                for n, r in self.wish.friction.items()
                if r != Rubbing()
            ]
            told.content = table(("friction", "dry", "viscous"), rows) if rows else ""

        def _symbol(name: str, what: str) -> str:
            turns = bench.dimensions()[name] == ANGLE
            return {"dry": ("N", "N m"), "viscous": ("N s/m", "N m s/rad")}[what][turns]

        def choose() -> None:
            name = choice.value
            known = self.wish.friction.get(name, Rubbing())
            dry = effort_along(bench.dimensions()[name])
            while box:
                box.pop().remove()
            with holder:
                box.append(self.gui.add_folder(None))
            units = effort_units(bench.units)
            with box[0]:
                self.fields["dry"] = QuantityField(
                    self.gui, "dry", known.dry, dry, units, lambda v: change(dry=v), least=0.0, empty=0.0,
                    hint="against every motion, however slow",
                )  # fmt: skip
                self.fields["viscous"] = QuantityField(
                    self.gui, "viscous", known.viscous, dry * TIME / bench.dimensions()[name], units,
                    lambda v: change(viscous=v), least=0.0, empty=0.0, hint="by the rate",
                )  # fmt: skip

        choice.on_update(lambda _: choose())
        if names:
            choose()

    def _payload(self) -> None:
        """A mass on a point, a frame or a body."""
        m = self.desk.bench.mechanism
        ground = m.ground.name
        places = [n for group in (m.points, m.frames) for n, p in group.items() if p.body != ground]
        names = (*places, *(b for b in m.bodies if b != ground))
        if not names:
            return
        with self.gui.add_folder("Payload", expand_by_default=False):
            choice = self.gui.add_dropdown("on", names, hint="a point, a frame, or the centre of mass of a body")
            mass = QuantityField(
                self.gui,
                "mass",
                0.0,
                MASS,
                self.desk.bench.units,
                lambda v: change(v),
                least=0.0,
                empty=0.0,
                hint="of the payload",
            )
            told = self.gui.add_html("")
        self.fields["mass"] = mass

        def change(value: float) -> None:
            self.wish.payloads[choice.value] = value
            rows = [(n, self.desk.bench.shown(x, MASS)) for n, x in self.wish.payloads.items() if x]
            told.content = table(("payload on", "mass"), rows) if rows else ""

        choice.on_update(lambda _: mass.show_value(self.wish.payloads.get(choice.value, 0.0), force=True))

    def _wished(self, more: Mapping[str, Field[Any]] | None = None) -> Wish:
        """What the fields say; InputError with all that say nothing sensible, which is told there too.

        more : other fields that must make sense
        """
        bad = []
        for fields, into in ((self.rates, self.wish.rates), (self.efforts, self.wish.efforts)):
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
        self._halt()
        self.message.content = ""
        try:
            wish = self._wished({"until": self.until, "samples": self.samples})
            run = self.desk.bench.simulate(wish, self.until.value(), self.samples.value(), progress)
        except LinkworkError as error:
            self._tell(error)
            return
        self._shown_run(run)

    def _shown_run(self, run: Run | None) -> None:
        if run is not None:
            self.message.content = "" if run.status == "complete" else warning(run.message)
            self.desk.show_run(run)

    # ---------------------------------------------------------------- live

    def _toggle(self) -> None:
        self.desk.live.do("let go", self._switch)

    def _switch(self) -> None:
        if self.live is not None and self.live.going:
            self.live.pause()
        elif self.live is not None and self.live.own is self.desk.bench.machine and self._still_there():
            self._begin()
        else:
            self._anew()

    def _still_there(self) -> bool:
        """Whether the machine stands where it was paused; else it was moved by hand, and starts anew."""
        posture = self.desk.bench.posture
        return self._paused_at is not None and posture is not None and np.array_equal(posture.y, self._paused_at)

    def _anew(self) -> None:
        self._halt()
        self.message.content = ""
        bench = self.desk.bench
        if bench.machine is None or bench.posture is None:
            return
        try:
            wish = self._wished()
            if timed := depends_on_time(bench.machine, wish):
                what = f"{', '.join(timed)} depends on the time, which a hand can stop"
                raise InputError(Problem(what, hint="press 'Run to the end' for laws of time"))
            if self._beginning is None or not self._still_there():
                self._beginning = bench.posture
            self.live = Live(bench.machine, self._beginning, wish, self._shown, self._stands)
            self._look_ahead()
        except LinkworkError as error:
            self._tell(error)
            return
        self._begin()

    def _look_ahead(self) -> None:
        """The first time, the camera sees where the machine will go."""
        assert self.live is not None
        if self._looked_at is not self.live.own:
            self._looked_at = self.live.own
            run = self.live.foreseen(AHEAD)
            self.desk.look(tracks=tracks_of(run, self.desk.stage.scene.bodies))

    _looked_at: Any = None
    _beginning: Posture | None = None
    _paused_at: Any = None
    _drawn = 0.0

    def _begin(self) -> None:
        assert self.live is not None
        self.desk.player.pause()
        self.desk.forget_overlay()
        for panel in self.desk.panels:
            if panel is not self:
                panel.run_begins()
        self._handles(True)
        self.live.speed = self.speed
        self.go.label, self.again.visible = "Pause", True
        self.live.go()

    def _shown(self, posture: Posture) -> None:
        self.desk.show(posture)
        self._last = posture
        if time.monotonic() - self._drawn > DRAWN and self.live is not None:
            self._drawn = time.monotonic()
            self.energies.show(self.live.energies)

    _last: Posture | None = None

    def _stands(self, trouble: str) -> None:
        """It was paused, or cannot go on."""
        self._handles(False)
        self.go.label = "Go on"
        self.message.content = warning(trouble) if trouble else ""
        if self._last is not None and self.live is not None and self.live.own is self.desk.bench.machine:
            self.desk.bench.stand(self._last)
            self._paused_at = np.array(self._last.y)
            self.energies.show(self.live.energies)

    def paused(self) -> bool:
        """Pause the machine, if it goes."""
        if self.live is None or not self.live.going:
            return False
        self._toggle()
        return True

    def hold(self) -> None:
        """The visitor moves the machine by hand."""
        self._halt()

    def _halt(self) -> None:
        if self.live is not None:
            self.live.pause()

    def _set_speed(self, speed: float) -> None:
        self.speed = speed
        if self.live is not None:
            self.live.speed = speed

    # ---------------------------------------------------------------- the hand

    def _handles(self, on: bool) -> None:
        """Bodies can be taken by the mouse while the machine is on its way; else the mouse turns the view."""
        with self.desk.drawing:
            stage = self.desk.stage
            for part in stage.scene.parts:
                node = stage.parts[part.name]
                if self.live is not None and part.body in self.live.bodies:
                    if on:
                        node.on_drag("left")(self._dragged_on(part.body))
                    else:
                        node.remove_drag_callback("all")

    def _dragged_on(self, body: str) -> Callable[[Any], Any]:
        async def dragged(event: Any) -> None:
            live, unit = self.live, self.desk.stage.unit
            if live is None or event.phase == "end" or not live.going:
                if live is not None:
                    live.grip = None
                return
            target = np.array(event.end_position) / unit
            if live.grip is None or live.grip.body != body:
                node = self.desk.stage.bodies[body]
                at = np.array(event.start_position) / unit
                live.grip = Grip(body, _inverse(node.wxyz) @ (at - np.array(node.position) / unit), target)
            else:
                live.grip.target = target

        return dragged

    # ---------------------------------------------------------------- what else happens

    def run_begins(self) -> None:
        """A run takes the stage: the live machine stands still."""
        self._halt()

    def model_changed(self) -> None:
        """Another machine."""
        self._beginning = self._paused_at = self._last = None
        self.rebuild()


def _inverse(wxyz: Sequence[float]) -> Any:
    from linkwork.geometry.rotations import from_quaternion

    return np.asarray(from_quaternion(np.array(wxyz))).T
