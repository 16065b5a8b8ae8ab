"""What the options of a machine that is let go say: rates, efforts, until when, and how it is integrated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from linkwork.analyses.simulation.question import FINEST, FIXED, METHODS
from linkwork.model.effort_texts import Effort, read_effort
from linkwork.model.measures import effort_along
from linkwork.names import no_such
from linkwork.units import ANGLE, LENGTH, TIME, Dimension, parse_quantity
from linkwork.units.efforts import effort_units

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.cli.option_values import Problems, Variables

T = TypeVar("T")


@dataclass(frozen=True)
class Stepping:
    """How it is integrated, as the analysis takes it: end, times and longest step [s]."""

    until: float | None
    times: list[float] | None
    method: str
    step: float | None
    rtol: float
    atol: float


class Released:
    """Reads the options of a machine that is let go; problems are noted where the variables note theirs."""

    def __init__(self, machine: Machine, variables: Variables) -> None:
        self.machine, self.variables = machine, variables
        self.problems: Problems = variables.problems
        self.units = effort_units(variables.units)

    # ---------------------------------------------------------------- what acts and moves

    def rates(self, texts: Sequence[str]) -> dict[str, float]:
        """Rates by name from texts such as "A=30rpm"."""
        found: dict[str, float] = {}
        units = self.variables.units
        for name, text, where in self.variables.pairs(texts, "--rate", "A=30rpm"):
            if full := self._rate(name, where):
                dimension = self._measured(full) / TIME
                value = self.problems.reading(where, lambda t=text, d=dimension: parse_quantity(t, d, units))  # type: ignore[misc]
                self._keep(found, full, value, where)
        return found

    def efforts(self, texts: Sequence[str]) -> dict[str, Effort]:
        """Values, laws of time and formulas by name, from texts such as "A=5 N m"."""
        found: dict[str, Effort] = {}
        for name, text, where in self.variables.pairs(texts, "--effort", "A=5 N m"):
            if full := self.variables.full(name, where):
                effort = self.problems.reading(where, lambda f=full, t=text: self._effort(f, t))  # type: ignore[misc]
                self._keep(found, full, effort, where)
        return found

    def _effort(self, full: str, text: str) -> Effort:
        return read_effort(self.machine.mechanism, text, effort_along(self._measured(full)), self.units)

    def _rate(self, name: str, where: str) -> str | None:
        """A joint with one variable, a variable, or a rate of a joint that turns freely."""
        return name if name in self.machine.variable_rates else self.variables.full(name, where)

    def _measured(self, full: str) -> Dimension:
        """What a variable measures; of a rate such as S.wx or F.vx, the angle or length that it is the rate of."""
        known = self.variables.dimensions.get(full)
        return known or (LENGTH if full.rpartition(".")[2].startswith("v") else ANGLE)

    def _keep(self, found: dict[str, T], name: str, value: T | None, where: str) -> None:
        if name in found:
            self.problems.note(f"'{name}' is given twice", where, "give it once")
        elif value is not None:
            found[name] = value

    # ---------------------------------------------------------------- until when, and how

    def stepping(
        self, until: str | None, times: str | None, method: str, step: str | None, rtol: float, atol: float
    ) -> Stepping:
        """End, times of samples, method and tolerances."""
        if until is None:
            self.problems.note("it is not said when the simulation ends", "--until", "for example --until 10s")
        if method not in METHODS:
            self.problems.found.append(no_such("method", method, METHODS, "--method"))
        if method in FIXED and step is None:
            self.problems.note(f"'{method}' takes steps of one length", "--step", "for example --step 1ms")
        for option, value, least in (("--rtol", rtol, FINEST), ("--atol", atol, 0.0)):
            if not least < value < 1.0:
                told = f"give a small number, {least:g} < {option[2:]} < 1, such as {'1e-7' if least else '1e-9'}"
                self.problems.note(f"a tolerance of {value:g}", option, told)
        end = self._span(until, "--until", "10s")
        return Stepping(end, self._times(times, end), method, self._span(step, "--step", "1ms"), rtol, atol)

    def _span(self, text: str | None, option: str, example: str) -> float | None:
        """A time above zero [s]."""
        found = None if text is None else self.variables.time(text, option)
        if found is not None and found <= 0.0:
            self.problems.note(f"a time of '{text}'", option, f"give one above zero, such as {example}")
            return None
        return found

    def _times(self, text: str | None, end: float | None) -> list[float] | None:
        """Times in order from "0, 0.5, 2s"; the unit of the last holds for those that have none."""
        if text is None:
            return None
        parts = [part.strip() for part in text.split(",")]
        unit = parts[-1].lstrip("+-−.0123456789eE ")
        written = [f"{part} {unit}" if part[-1:].isdigit() else part for part in parts]
        units = self.variables.units
        found = self.problems.reading("--times", lambda: [parse_quantity(w, TIME, units) for w in written])
        if found is None:
            return None
        back = next((i for i in range(1, len(found)) if found[i] < found[i - 1]), None)
        if back is not None:
            what = f"the times are out of order: {found[back]:g} s comes after {found[back - 1]:g} s"
            self.problems.note(what, "--times", "sort them")
        if end is not None and (min(found) < 0.0 or max(found) > end):
            what = f"times from {min(found):g} to {max(found):g} s do not lie within 0 and {end:g} s"
            self.problems.note(what, "--times", "change --until, or leave those times out")
        return found
