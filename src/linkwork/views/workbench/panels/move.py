"""Move the machine by hand: sliders of its free coordinates, a point to pull, closures to choose from."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.geometry.rotations import from_quaternion, to_quaternion
from linkwork.units import LENGTH
from linkwork.views.workbench.dials import Dial
from linkwork.views.workbench.fields import QuantityField
from linkwork.views.workbench.panels.base import Panel
from linkwork.views.workbench.texts import element_id, note, table, warning

NOTHING = "nothing"
HOLD = 0.7
"""Seconds after its last move for which a slider is the visitor's, whatever older answers come in."""
MOST = 200
"""Lines of a table."""
DIGITS = 7
"""Significant digits of a coordinate; the machine has all of them, and all that are typed count."""
MANY = 40
"""Sliders that a page can hold; the rest is told."""


class MovePanel(Panel):
    """Sliders, a point to pull, closures."""

    title = "Move"

    gizmo: Any = None

    def rebuild(self) -> None:
        """The handle on the stage goes with the list that chose it."""
        self._drop_handle()
        super().rebuild()

    def fill(self) -> None:
        """Sliders first, then the rest."""
        self.sliders: dict[str, Any] = {}
        self.fields: dict[str, QuantityField] = {}
        self.dials: dict[str, Dial] = {}
        self.red: str = ""
        self.in_hand = ("", 0.0)
        bench = self.desk.bench
        self.style = self.gui.add_html("")
        if bench.machine is None:
            self.gui.add_html(warning(bench.trouble) if bench.trouble else note("closing the loops ..."))
            return
        dials = bench.dials()
        for dial in dials[:MANY]:
            self._slider(dial)
        self.hint = _hint(len(dials), len(bench.machine.home.independent))
        self.message = self.gui.add_html(self.hint)
        home = self.gui.add_button("Home", hint="back to the posture in which it was assembled")
        home.on_click(lambda _: self.go_home())
        self._pulling()
        self._closures()
        with self.gui.add_folder("All joints and points", expand_by_default=False):
            self.readings = self.gui.add_html("")
        self.desk.watchers[:] = [self._posture_shown]
        if bench.posture is not None:
            self._posture_shown(bench.posture)

    # ---------------------------------------------------------------- sliders

    def _slider(self, dial: Dial) -> None:
        """A field for the exact value, and a slider under it."""
        bench = self.desk.bench
        dimension = bench.dimensions()[dial.variable]
        now = bench.tidy(dial.value * dial.factor, dimension)
        field = QuantityField(
            self.gui, dial.variable, now, dimension, bench.units,
            lambda value: self._ask_for(dial.variable, value, typed=True),
            digits=DIGITS, hint="type a value, with a unit if you like",
        )  # fmt: skip
        slider = self.gui.add_slider("", dial.low, dial.high, dial.step, _stepped(dial.value, dial))
        slider.on_update(lambda event, name=dial.variable: self._dragged(name, event))
        self.fields[dial.variable] = field
        self.sliders[dial.variable], self.dials[dial.variable] = slider, dial

    def _dragged(self, name: str, event: Any) -> None:
        if event.client is None:  # the page itself moved it
            return
        dial, posture = self.dials.get(name), self.desk.bench.posture
        value = float(event.target.value) * self.dials[name].factor
        if dial is not None and dial.endless and posture is not None:  # the turn that is nearest
            value += 2.0 * math.pi * round((float(posture[name]) - value) / (2.0 * math.pi))
        self.fields[name].show_value(value, force=True)
        self._ask_for(name, value)

    def _ask_for(self, name: str, value: float, typed: bool = False) -> None:
        self.in_hand = (name, time.monotonic())
        self.desk.hold()
        self.desk.live.do(f"drag {name}", lambda: self._drag(name, value, typed))

    def ranges_known(self) -> None:
        """The sliders go as far as the machine does."""
        for dial in self.desk.bench.dials()[:MANY]:
            slider = self.sliders.get(dial.variable)
            if slider is not None and (dial.low, dial.high) != (slider.min, slider.max):
                self.dials[dial.variable] = dial
                with self.desk.client.atomic():
                    slider.min, slider.max, slider.step = dial.low, dial.high, dial.step
                    slider.value = _stepped(dial.value, dial)

    def _drag(self, name: str, value: float, typed: bool) -> None:
        found = self.desk.bench.drag(name, value)
        self.fields[name].tell(found.complaint if typed else "")
        self.desk.show(found.posture)
        self._complain(name if found.complaint else "", found.complaint)
        self._follow_gizmo()

    def _complain(self, name: str, complaint: str) -> None:
        """Say why a wish was not met; the slider that cannot go on turns red. Nothing to say clears both."""
        self.message.content = warning(complaint) if complaint else self.hint
        if name != self.red:
            self.red = name
            own = f'[id="{element_id(self.sliders[name])}"]' if name in self.sliders else ""
            rules = ",".join(f"{own} {part}" for part in (".mantine-Slider-bar", ".mantine-Slider-thumb"))
            rule = f"<style>{rules}{{background:{self.desk.theme.warning} !important}}</style>"
            self.style.content = rule if own else ""

    def go_home(self) -> None:
        """Back to the posture in which the machine was assembled."""
        if self.desk.bench.machine is not None:
            self.desk.live.do("home", self._home)

    def _home(self) -> None:
        self.desk.hold()
        self._complain("", "")
        self.desk.show(self.desk.bench.home())
        self._follow_gizmo()

    def _posture_shown(self, posture: Posture) -> None:
        """Sliders and numbers follow what is on the stage; the one in the visitor's hand stays where it is."""
        bench = self.desk.bench
        for name, slider in self.sliders.items():
            dial = self.dials[name]
            value = float(posture[name]) / dial.factor
            held = name == self.in_hand[0] and time.monotonic() - self.in_hand[1] < HOLD
            if not held and name != self.red:
                if abs(slider.value - (shown := _stepped(value, dial))) > 0.51 * dial.step:
                    slider.value = shown
                self.fields[name].show_value(bench.tidy(float(posture[name]), self.fields[name].dimension))
        self._targets_shown(posture)
        joints = table(("joint", "value"), bench.readings(posture)[:MOST])
        points = bench.places(posture)[:MOST]
        self.readings.content = joints + (table(("point", "x", "y", "z"), points) if points else "")

    def _targets_shown(self, posture: Posture, force: bool = False) -> None:
        if self.pulled.value != NOTHING:
            for field, value in zip(self.targets, posture.position(self.pulled.value), strict=True):
                field.show_value(self.desk.bench.tidy(float(value), LENGTH), force)

    # ---------------------------------------------------------------- a point to pull

    def _pulling(self) -> None:
        machine = self.desk.bench.machine
        assert machine is not None
        ground = machine.mechanism.ground.name
        points = [n for n, p in machine.mechanism.points.items() if p.body != ground]
        frames = [n for n, f in machine.mechanism.frames.items() if f.body != ground]
        self.turning = {*frames, *machine.bodies}
        names = (NOTHING, *points, *frames, *machine.bodies)
        hint = "a handle appears on the stage: drag it, and the machine follows as far as it can"
        self.pulled = self.gui.add_dropdown("Pull", names, initial_value=NOTHING, hint=hint)
        self.pulled.on_update(lambda _: self.desk.live.do("handle", self._handle))
        self.turn = self.gui.add_checkbox("and turn", False, visible=False, hint="hold the attitude of the handle too")
        self.turn.on_update(lambda _: self.desk.live.do("handle", self._handle))
        units = self.desk.bench.units
        self.targets = [
            QuantityField(
                self.gui, axis, 0.0, LENGTH, units, partial(self._aim, k), digits=DIGITS,
                visible=False, hint="where it is; type where it shall be, and the machine follows as far as it can",
            )
            for k, axis in enumerate("xyz")
        ]  # fmt: skip

    def _aim(self, axis: int, value: float) -> None:
        """A coordinate of the place was typed: the others stay what their fields say."""
        self.desk.hold()
        self.desk.live.do("pull", lambda: self._go_to(axis, value))

    def _go_to(self, axis: int, value: float) -> None:
        name, posture = self.pulled.value, self.desk.bench.posture
        if name == NOTHING or posture is None:
            return
        place = np.array(posture.position(name))
        place[axis] = value
        found = self.desk.bench.pull(name, place)
        self._complain("", found.complaint)
        self.targets[axis].tell(found.complaint)
        self.desk.show(found.posture)
        self._follow_gizmo()

    def _handle(self) -> None:
        self._drop_handle()
        name, bench = self.pulled.value, self.desk.bench
        self.turn.visible = name in self.turning
        for field, free in zip(self.targets, self._free_axes(), strict=True):
            field.visible = free and name != NOTHING
            field.tell("")
        if bench.posture is not None:
            self._targets_shown(bench.posture, force=True)
        if name == NOTHING or bench.posture is None:
            return
        X = bench.posture.pose(name)
        turns = bool(self.turn.value and name in self.turning)
        self.gizmo = self.desk.client.scene.add_transform_controls(
            "/handle",
            scale=0.25,
            position=X[:3, 3] * self.desk.stage.unit,
            wxyz=to_quaternion(X[:3, :3]) if turns else (1.0, 0.0, 0.0, 0.0),
            disable_rotations=not turns,
            active_axes=self._free_axes() if not turns else (True, True, True),
            depth_test=False,
        )
        self.gizmo.on_update(lambda event: self._pull(name, event, turns))

    def _free_axes(self) -> tuple[bool, bool, bool]:
        """World axes along which the machine can move at all: two of a machine in a plane."""
        normal = self.desk.stage.scene.normal
        if normal is None or np.abs(normal).max() < 1.0 - 1e-9:
            return (True, True, True)
        x, y, z = (bool(abs(c) < 0.5) for c in normal)
        return (x, y, z)

    def _drop_handle(self) -> None:
        if self.gizmo is not None:
            self.gizmo.remove()
            self.gizmo = None

    def run_begins(self) -> None:
        """The run moves the machine now, not the handle."""
        if self.gizmo is not None:
            self._drop_handle()
            self.pulled.value = NOTHING

    def _pull(self, name: str, event: Any, turns: bool) -> None:
        gizmo = event.target
        place = np.array(gizmo.position) / self.desk.stage.unit
        rotation = from_quaternion(np.array(gizmo.wxyz)) if turns else None
        self.desk.hold()

        def go() -> None:
            found = self.desk.bench.pull(name, place, rotation)
            self._complain("", found.complaint)
            self.desk.show(found.posture)

        self.desk.live.do("pull", go)
        if event.phase == "end":
            self.desk.live.do("settle", self._follow_gizmo)

    def _follow_gizmo(self) -> None:
        """The handle goes where the machine could follow."""
        if self.gizmo is not None and self.desk.bench.posture is not None:
            X = self.desk.bench.posture.pose(self.pulled.value)
            self.gizmo.position = X[:3, 3] * self.desk.stage.unit

    # ---------------------------------------------------------------- closures

    def _closures(self) -> None:
        with self.gui.add_folder("Closures", expand_by_default=False):
            find = self.gui.add_button(
                "Find all closures", hint="other ways to assemble it, with the sliders as they are"
            )
            bar = self.gui.add_progress_bar(0.0, visible=False)
            stop = self.gui.add_button("Stop", visible=False)
            self.chosen = self.gui.add_dropdown("Closure", ("1",), visible=False)
        find.on_click(lambda _: self.desk.job("closures", self._search, bar, stop))
        stop.on_click(lambda _: self.desk.cancel())
        self.chosen.on_update(self._choose)

    def _search(self, progress: Callable[[int, int], None]) -> None:
        found = self.desk.bench.closures(progress)
        if found is None:  # of a model that is gone
            return
        self.chosen.options = tuple(p.name for p in found)
        self.chosen.visible = True
        sure = "these are all" if found.complete else "there may be more"
        self.desk.say(f"{len(found)} closure{'s' * (len(found) != 1)}", f"choose one in the list; {sure}")

    def _choose(self, event: Any) -> None:
        found = self.desk.bench.found
        if event.client is None or found is None:
            return

        def stand() -> None:
            posture = found[self.chosen.value]
            self.desk.hold()
            self.desk.bench.stand(posture)
            self._complain("", "")
            self.desk.show(posture)
            self._follow_gizmo()

        self.desk.live.do("choose", stand)


def _stepped(value: float, dial: Dial) -> float:
    """A value as a slider shows it, with the digits of its step; the machine has all of them."""
    if dial.endless:
        turn = 2.0 * math.pi / dial.factor
        value -= turn * math.ceil((value - dial.high) / turn - 1e-9)
    digits = max(0, 1 - math.floor(math.log10(dial.step)))
    return round(float(np.clip(value, dial.low, dial.high)), digits)


def _hint(shown: int, free: int) -> str:
    if not free:
        return note("the machine has no freedom: nothing can be moved")
    if shown > MANY:
        return note(f"sliders of the first {MANY} of {shown} free coordinates")
    if shown < free:
        return note("joints that turn freely have no slider: pull their bodies")
    return ""
