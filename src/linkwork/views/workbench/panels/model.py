"""The model: its tree, its numbers, its text with errors by line, the scene following."""

from __future__ import annotations

import threading
from typing import Any

from linkwork.errors import Problem
from linkwork.files.gallery import example_text, examples
from linkwork.model.mechanism import Mechanism
from linkwork.topology import graph_of
from linkwork.units import ACCELERATION, ANGLE, INERTIA, LENGTH, MASS, NUMBER, Dimension
from linkwork.views.graph import text_tree
from linkwork.views.load_tables import load_rows
from linkwork.views.placed_layout import masses_of
from linkwork.views.workbench.dials import round_step
from linkwork.views.workbench.editor import SAVE, editor, problems_for
from linkwork.views.workbench.fields import QuantityField
from linkwork.views.workbench.panels.base import Panel
from linkwork.views.workbench.texts import note, pre, table

NONE, BLANK = "...", "blank"
FIRST = """linkwork: 1
name: pendulum
units: {length: mm, angle: deg}
gravity: [0, -9.81 m/s^2, 0]
bodies:
  arm: {mass: 1 kg, com: [100, 0, 0]}
joints:
  A: {revolute: [ground, arm], at: [0, 0, 0], axis: z}
points:
  P: {on: arm, at: [200, 0, 0]}
"""
"""The smallest machine, to begin with."""
MANY = 30
"""Dimensions that have sliders."""
PATIENCE = 0.5
"""Seconds without typing after which the text is read."""
DIMENSIONS = {
    "mass": MASS,
    "com.": LENGTH,
    "at.": LENGTH,
    "inertia.": INERTIA,
    "radius": LENGTH,
    "mate": LENGTH,
    "lead": LENGTH,
    "helix_angle": ANGLE,
    "pressure_angle": ANGLE,
    "cone": ANGLE,
}
"""Dimensions of parameters by what follows the name of their body or joint; others are plain numbers."""


class ModelPanel(Panel):
    """Tree, parameters, text."""

    title = "Model"

    def fill(self) -> None:
        """The tree, what was clicked, numbers to change, the text."""
        bench = self.desk.bench
        names = _selectable(bench.mechanism)
        self.choice = self.gui.add_dropdown("Select", ("...", *names), hint="or click on a part")
        self.choice.on_update(lambda event: self.selected("", str(event.target.value)))
        self.picked = self.gui.add_html(note("click on a part to see what it is"))
        with self.gui.add_folder("Text"):
            hint = "another machine in place of this one; Undo in the editor brings the text back"
            self.template = self.gui.add_dropdown("New from", (NONE, BLANK, *examples()), hint=hint)
            self.text = self.gui.add_text("model", bench.text, multiline=True)
            self.gui.add_html(editor(self.text))
            self.errors = self.gui.add_html(problems_for(self.text, bench.problems))
            save = self.gui.add_button(SAVE, hint="download the text as a file; Ctrl-S in the editor")
        self.dimension_box = self.gui.add_folder("Dimensions", visible=False)
        self.number_box = self.gui.add_folder("Numbers", expand_by_default=False)
        with self.number_box:
            self._numbers()
        with self.gui.add_folder("Tree", expand_by_default=False):
            self.tree = self.gui.add_html(pre(_tree(bench.mechanism)))
        self.template.on_update(self._from_template)
        self._timer: threading.Timer | None = None
        self.text.on_update(self._typed)
        save.on_click(lambda _: self.desk.download(f"{self.desk.bench.mechanism.name}.yaml", self.text.value.encode()))

    # ---------------------------------------------------------------- text

    def _from_template(self, event: Any) -> None:
        """A machine of the gallery, or the smallest one, to begin with."""
        name = self.template.value
        if event.client is None or name == NONE:
            return
        self.text.value = FIRST if name == BLANK else example_text(name)
        self.template.value = NONE
        self.desk.live.do("edit", self._edit)

    def _typed(self, event: Any) -> None:
        """Read the text once the visitor pauses."""
        if event.client is None:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(PATIENCE, lambda: self.desk.live.do("edit", self._edit))
        self._timer.daemon = True
        self._timer.start()

    def _edit(self) -> None:
        text = self.text.value
        if text == self.desk.bench.text and self.desk.bench.machine is not None:
            self.errors.content = problems_for(self.text, ())
            return
        found = self.desk.bench.edit(text)
        self.errors.content = problems_for(self.text, found)
        if not found:
            self.desk.model_changed()

    def model_changed(self) -> None:
        """The text stays, with the visitor's cursor in it; names and numbers are of the new model."""
        m = self.desk.bench.mechanism
        self.choice.options = ("...", *_selectable(m))
        self.tree.content = pre(_tree(m))
        self.refill_numbers()

    def assembled(self, trouble: str) -> None:
        """Numbers can be changed now."""
        self.refill_numbers()
        if trouble:
            self.errors.content = problems_for(self.text, self.desk.bench.problems or [Problem(trouble)])

    # ---------------------------------------------------------------- numbers

    def _numbers(self) -> None:
        self.parameter = self.gui.add_dropdown("number", ("...",), hint="every number of the model")
        self.value_box = self.gui.add_folder(None, visible=False)
        self.shown_number = ""
        self.dimension_handles: list[Any] = []
        self.dimension_fields: dict[str, QuantityField] = {}
        self.number_text = self.gui.add_html("")
        self.parameter.on_update(self._parameter_chosen)
        self.refill_numbers()

    def refill_numbers(self) -> None:
        """The names of the numbers there are."""
        machine = self.desk.bench.machine
        self._dimensions()
        if machine is not None:
            self.parameter.options = ("...", *machine.parameters)
            self.value_box.visible = False

    def _dimensions(self) -> None:
        """A field and a slider for every dimension that the model names (`let:`), from half of it to twice."""
        bench = self.desk.bench
        for handle in self.dimension_handles:
            handle.remove()
        self.dimension_handles, self.dimension_fields = [], {}
        found = bench.named_dimensions()
        self.dimension_box.visible = bool(found)
        with self.dimension_box:
            for name, value, dimension in found[:MANY]:
                box = self.gui.add_folder(None)
                self.dimension_handles.append(box)
                with box:
                    self._dimension(name, value, dimension)

    def _dimension(self, name: str, value: float, dimension: Dimension) -> None:
        units = self.desk.bench.units
        factor = units.factor(dimension)
        low, high = sorted((0.5 * value / factor, 2.0 * value / factor)) if value else (-1.0, 1.0)
        step = max(round_step((high - low) / 200.0), 1e-12)
        field: QuantityField
        slider: Any

        def typed(number: float) -> None:
            slider.value = min(max(number / factor, low), high)
            self._parameter_typed(name, number, field)

        field = QuantityField(self.gui, name, value, dimension, units, typed)
        slider = self.gui.add_slider("", low, high, step, value / factor)

        def slid(event: Any) -> None:
            if event.client is not None:
                number = float(event.target.value) * factor
                field.show_value(number, force=True)
                self._parameter_typed(name, number, field)

        slider.on_update(slid)
        self.dimension_fields[name] = field

    def _parameter_chosen(self, event: Any) -> None:
        """A field for the number, with its own unit."""
        machine, name = self.desk.bench.machine, self.parameter.value
        self.value_box.remove()
        with self.number_box:
            self.value_box = self.gui.add_folder(None, visible=machine is not None and name in machine.parameters)
        if machine is None or name not in machine.parameters:
            return
        with self.value_box:
            value = QuantityField(
                self.gui, "value", machine.parameters[name], dimension_of(name), self.desk.bench.units,
                lambda number: self._parameter_typed(name, number, value), hint="with a unit, if you like",
                least=0.0 if dimension_of(name) == MASS else None,
            )  # fmt: skip
        self.value, self.shown_number = value, name

    def _parameter_typed(self, name: str, value: float, field: QuantityField) -> None:
        self.desk.live.do("parameter", lambda: self._change(name, value, field))

    def _change(self, name: str, value: float, field: QuantityField) -> None:
        trouble = self.desk.bench.change({name: value})
        kept = "the text keeps its own numbers: reading it again forgets this one"
        field.tell(trouble)
        self.number_text.content = "" if trouble else note(kept)
        if not trouble:
            self._numbers_shown(name)
            self.desk.numbers_changed(self)

    def _numbers_shown(self, changed: str) -> None:
        """Other numbers may follow from the one that was changed."""
        machine, chosen = self.desk.bench.machine, self.shown_number
        if machine is not None and chosen != changed and chosen in machine.parameters:
            self.value.show_value(machine.parameters[chosen])

    # ---------------------------------------------------------------- what was clicked

    def selected(self, kind: str, name: str) -> None:
        """Tell what the visitor clicked on."""
        m, bench = self.desk.bench.mechanism, self.desk.bench
        if name not in (*_selectable(m), *m.frames):
            self.desk.stage.highlight("")
            self.picked.content = note("click on a part to see what it is")
            return
        self.desk.stage.highlight(name)
        rows = [("kind", kind or "frame"), ("name", name)]
        if name in m.joints:
            joint = m.joints[name]
            rows = [("joint", name), ("kind", joint.law.kind), ("from", joint.tail), ("to", joint.head)]
            posture = bench.posture
            if posture is not None:
                rows += [(n, text) for n, text in bench.readings(posture) if n.rpartition(".")[0] == name]
        elif name in m.bodies:
            own = [j.name for j in m.joints.values() if name in (j.tail, j.head)]
            rows = [("body", name), ("joints", ", ".join(own))]
            if bench.machine is not None and (mass := masses_of(bench.machine).get(name)) is not None:
                rows.append(("mass", bench.shown(mass.mass, MASS)))
        elif name in m.points:
            rows = [("point", name), ("on", m.points[name].body)]
        elif name in m.loads:
            head, *found = load_rows(m, bench.units)
            rows = [pair for row in found if row[0] == name for pair in zip(head, row, strict=True)]
        self.picked.content = table(("selected", ""), rows)


def dimension_of(parameter: str) -> Dimension:
    """Dimension of a parameter: `crank.mass`, `A.tail.at.x`, `G.radius`, `gravity.z`."""
    owner, _, what = parameter.partition(".")
    what = what.removeprefix("tail.").removeprefix("head.")
    if owner == "gravity":
        return ACCELERATION
    first = what.partition(".")[0]
    return DIMENSIONS.get(what) or DIMENSIONS.get(f"{first}.") or NUMBER


def _selectable(m: Mechanism) -> tuple[str, ...]:
    """What can be selected by name."""
    return (*m.bodies, *m.joints, *m.points, *m.loads)


def _tree(m: Any) -> str:
    return text_tree(graph_of(m), {j.name: j.law.letter for j in m.joints.values()})
