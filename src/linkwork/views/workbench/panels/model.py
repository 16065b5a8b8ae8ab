"""The model: its tree, its numbers, its text with errors by line, the scene following."""

from __future__ import annotations

import threading
from typing import Any

from linkwork.errors import Problem
from linkwork.topology import graph_of
from linkwork.units import ACCELERATION, INERTIA, LENGTH, MASS, NUMBER, Dimension
from linkwork.views.graph import text_tree
from linkwork.views.workbench.panels.base import Panel
from linkwork.views.workbench.texts import element_id, note, pre, problems, table, warning

PATIENCE = 0.5
"""Seconds without typing after which the text is read."""
ENDINGS = {
    "mass": MASS,
    "com": LENGTH,
    "at": LENGTH,
    "inertia": INERTIA,
    "gravity": ACCELERATION,
}
"""Dimensions of parameters, by a word of their name."""


class ModelPanel(Panel):
    """Tree, parameters, text."""

    title = "Model"

    def fill(self) -> None:
        """The tree, what was clicked, numbers to change, the text."""
        bench = self.desk.bench
        self.picked = self.gui.add_html(note("click on a part to see what it is"))
        with self.gui.add_folder("Tree", expand_by_default=False):
            self.gui.add_html(pre(_tree(bench.mechanism)))
        with self.gui.add_folder("Numbers", expand_by_default=False):
            self._numbers()
        with self.gui.add_folder("Text"):
            self.text = self.gui.add_text("model", bench.text, multiline=True)
            self.gui.add_html(_editor_style(element_id(self.text)))
            self.errors = self.gui.add_html("")
            save = self.gui.add_button("Save the model", hint="download the text as a file")
        self._timer: threading.Timer | None = None
        self.text.on_update(self._typed)
        save.on_click(lambda _: self.desk.download(f"{bench.mechanism.name}.yaml", self.text.value.encode()))

    # ---------------------------------------------------------------- text

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
        if text == self.desk.bench.text:
            self.errors.content = ""
            return
        found = self.desk.bench.edit(text)
        self.errors.content = problems(found)
        if not found:
            self.desk.model_changed()

    def model_changed(self) -> None:
        """The text stays, with the visitor's cursor in it; numbers are of the new model."""
        self.refill_numbers()

    def assembled(self, trouble: str) -> None:
        """Numbers can be changed now."""
        self.refill_numbers()
        if trouble:
            self.errors.content = problems([Problem(trouble)])

    # ---------------------------------------------------------------- numbers

    def _numbers(self) -> None:
        self.parameter = self.gui.add_dropdown("number", ("...",), hint="every number of the model")
        self.value = self.gui.add_number("value", 0.0, step=None, visible=False)
        self.number_text = self.gui.add_html("")
        self.parameter.on_update(self._parameter_chosen)
        self.value.on_update(self._parameter_changed)
        self.refill_numbers()

    def refill_numbers(self) -> None:
        """The names of the numbers there are."""
        machine = self.desk.bench.machine
        if machine is not None:
            self.parameter.options = ("...", *machine.parameters)
            self.value.visible = False

    def _parameter_chosen(self, event: Any) -> None:
        machine, name = self.desk.bench.machine, self.parameter.value
        if machine is None or name not in machine.parameters:
            self.value.visible = False
            return
        unit = self._unit(name)
        self.value.label = f"value [{unit[0]}]" if unit[0] else "value"
        self.value.value = machine.parameters[name] / unit[1]
        self.value.visible = True

    def _unit(self, name: str) -> tuple[str, float]:
        units, dimension = self.desk.bench.units, dimension_of(name)
        return units.symbol(dimension), units.factor(dimension)

    def _parameter_changed(self, event: Any) -> None:
        if event.client is None:
            return
        name, value = self.parameter.value, float(self.value.value) * self._unit(self.parameter.value)[1]
        self.desk.live.do("parameter", lambda: self._change(name, value))

    def _change(self, name: str, value: float) -> None:
        trouble = self.desk.bench.change({name: value})
        self.number_text.content = warning(trouble) if trouble else ""
        if not trouble:
            self.desk.restage()
            for panel in self.desk.panels:
                if panel is not self:
                    panel.model_changed()

    # ---------------------------------------------------------------- what was clicked

    def selected(self, kind: str, name: str) -> None:
        """Tell what the visitor clicked on."""
        m, bench = self.desk.bench.mechanism, self.desk.bench
        rows = [("kind", kind), ("name", name)]
        if name in m.joints:
            joint = m.joints[name]
            rows = [("joint", name), ("kind", joint.law.kind), ("from", joint.tail), ("to", joint.head)]
            posture = bench.posture
            if posture is not None:
                rows += [(n, text) for n, text in bench.readings(posture) if n.rpartition(".")[0] == name]
        elif name in m.bodies:
            own = [j.name for j in m.joints.values() if name in (j.tail, j.head)]
            rows = [("body", name), ("joints", ", ".join(own))]
            if bench.machine is not None and name in bench.machine.layout.masses:
                rows.append(("mass", bench.shown(bench.machine.layout.masses[name].mass, MASS)))
        elif name in m.points:
            rows = [("point", name), ("on", m.points[name].body)]
        self.picked.content = table(("selected", ""), rows)


def dimension_of(parameter: str) -> Dimension:
    """Dimension of a parameter, told by its name: `crank.mass`, `A.tail.at.x`, `gravity.z`; others are plain, in SI."""
    words = parameter.split(".")
    return next((d for word, d in ENDINGS.items() if word in words), NUMBER)


def _tree(m: Any) -> str:
    return text_tree(graph_of(m), {j.name: j.law.letter for j in m.joints.values()})


def _editor_style(own: str) -> str:
    """The text as wide as the panel, in letters of one width, high enough to read."""
    area = f'label[for="{own}"]'
    return (
        f"<style>div:has(> * > * > {area}) {{display:block}} div:has(> * > {area}) {{width:100% !important}}"
        "textarea {font-family:ui-monospace,monospace !important; font-size:11px !important; white-space:pre;"
        "overflow:auto !important; min-height:45vh !important; line-height:1.4 !important}</style>"
    )
