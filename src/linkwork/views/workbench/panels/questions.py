"""Every question with a text for an answer, one click away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from linkwork.analyses.check import check
from linkwork.analyses.machine import Machine
from linkwork.errors import LinkworkError
from linkwork.views.workbench.panels.base import Panel
from linkwork.views.workbench.texts import note, pre, warning


@dataclass(frozen=True)
class Inquiry:
    """A question: what the button says, what it does, and how the machine answers."""

    title: str
    hint: str
    answer: Callable[[Machine], str]


def _mobility(s: Machine) -> str:
    return str(s)


def _posture(s: Machine) -> str:
    return str(s.home)


def _check(s: Machine) -> str:
    found = check(s.mechanism)
    return "\n".join([str(found), *(str(p) for p in found.warnings), *(str(p) for p in found.notes)])


def _travel(s: Machine) -> str:
    return "\n".join(str(s.travel(name)) for name in s.home.independent if name in s.variables) or "nothing moves"


def _four_bars(s: Machine) -> str:
    return "\n".join(map(str, s.four_bars())) or "there are no four-bars and no slider-cranks among the loops"


def _forces(s: Machine) -> str:
    return str(s.statics())


def _rest(s: Machine) -> str:
    return str(s.equilibrium())


INQUIRIES: tuple[Inquiry, ...] = (
    Inquiry("Mobility", "freedoms, redundant constraints, quality", _mobility),
    Inquiry("Posture", "where everything is", _posture),
    Inquiry("Check", "is the model sound", _check),
    Inquiry("Travel", "how far each free coordinate can go", _travel),
    Inquiry("Four-bars", "Grashof's verdict", _four_bars),
    Inquiry("Forces", "what holds it here at rest, and what its joints carry", _forces),
    Inquiry("Rest", "where it comes to rest from here, and whether it stays there", _rest),
)
"""A new analysis whose answer is a text adds a line here."""


class AskPanel(Panel):
    """A button for every question."""

    title = "Ask"

    def fill(self) -> None:
        """Buttons, then the answer."""
        for inquiry in INQUIRIES:
            button = self.gui.add_button(inquiry.title, hint=inquiry.hint)
            button.on_click(lambda _, own=inquiry: self.desk.jobs.do("ask", lambda: self._ask(own)))
        self.text = self.gui.add_html("")

    def _ask(self, inquiry: Inquiry) -> None:
        bench = self.desk.bench
        if bench.machine is None or bench.posture is None:
            self.text.content = warning("the machine is not assembled")
            return
        self.text.content = note("asking ...")
        try:
            self.text.content = pre(inquiry.answer(bench.machine.starting_from(bench.posture)))
        except LinkworkError as error:
            self.text.content = warning(str(error))
