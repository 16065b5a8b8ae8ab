"""Fields for what people type: read as text, with units, so that no digit is dropped and nothing typed is lost.

viser's own boxes for numbers keep the digits of their first value, and drop what does not look like a number yet.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from linkwork.errors import InputError, LinkworkError, Problem
from linkwork.units import Dimension, UnitSystem, format_quantity, parse_quantity
from linkwork.units.quantities import MAX_QUANTITY_LENGTH
from linkwork.views.workbench.texts import element_id, field_error

PAUSE = 0.35
"""Seconds without typing after which a field is read."""
HOLD = 1.5
"""Seconds after its last key for which a field is the visitor's, whatever older answers come in."""
DIGITS = 12
"""Significant digits of a number of the model: those that people wrote, without the rounding of their units."""
SPEEDS = {"1/8": 0.125, "1/4": 0.25, "1/2": 0.5, "1": 1.0, "2": 2.0, "4": 4.0}

T = TypeVar("T")


class Field(Generic[T]):
    """A line of text that means something.

    Parameters
    ----------
    gui : of the visitor
    label : what stands beside it
    text : what stands in it at first
    read : the meaning of a text; raises LinkworkError with what is wrong
    take : called with each new meaning in the field's own thread; what it returns is told at the field
    hint : shown while the mouse rests on it
    visible : whether it is seen
    lines : whether there is room for several lines
    """

    def __init__(
        self,
        gui: Any,
        label: str,
        text: str,
        read: Callable[[str], T],
        take: Callable[[T], str | None] | None = None,
        hint: str | None = None,
        visible: bool = True,
        lines: bool = False,
    ) -> None:
        self.input = gui.add_text(label, text, hint=hint, visible=visible, multiline=lines)
        self.message = gui.add_html("", visible=False)
        self._read, self._take = read, take
        self.settled = text
        """The last text that was typed and read, whether it made sense or not."""
        self._typed = -HOLD
        self._timer: threading.Timer | None = None
        self.input.on_update(self._changed)

    @property
    def text(self) -> str:
        """What stands in it."""
        return str(self.input.value)

    @property
    def visible(self) -> bool:
        """Whether it is seen."""
        return bool(self.input.visible)

    @visible.setter
    def visible(self, seen: bool) -> None:
        self.input.visible = seen
        self.message.visible = seen and bool(self.message.content)

    @property
    def in_hand(self) -> bool:
        """Whether the visitor is writing in it, or has left something in it that is wrong."""
        return time.monotonic() - self._typed < HOLD or bool(self.message.content)

    def value(self) -> T:
        """The meaning of what stands in it; LinkworkError, told at the field too, if it has none."""
        try:
            meaning = self._read(self.text)
        except LinkworkError as error:
            self.tell(_words(error))
            raise
        self.tell("")
        return meaning

    def read_now(self) -> None:
        """Take what was typed at once, if it still waits; LinkworkError if it has no meaning."""
        if self._timer is not None:
            self._timer.cancel()
        meaning = self.value()
        if self.settled != self.text and self._take is not None:
            self.tell(self._take(meaning))
        self.settled = self.text

    def show(self, text: str, force: bool = False) -> None:
        """Write into it, unless the visitor does; `force`: whatever stands there."""
        if force:
            self._typed = -HOLD
            self.tell("")
        if not self.in_hand and self.text != text:
            self.input.value = text

    def tell(self, trouble: str | None) -> None:
        """Say under the field what is wrong with it; nothing is wrong if that is empty."""
        told = field_error(trouble, element_id(self.input)) if trouble else ""
        if told != self.message.content:
            self.message.content = told
            self.message.visible = bool(told) and self.visible

    def _changed(self, event: Any) -> None:
        if event.client is None:  # the page itself wrote it
            return
        self._typed = time.monotonic()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(PAUSE, self._settled)
        self._timer.daemon = True
        self._timer.start()

    def _settled(self) -> None:
        text = self.text
        with contextlib.suppress(RuntimeError):  # of viser: the field is gone by now, another model is there
            self._pass_on()
        self.settled = text

    def _pass_on(self) -> None:
        try:
            meaning = self.value()
        except LinkworkError:
            return
        if self._take is not None:
            self.tell(self._take(meaning))


class QuantityField(Field[float]):
    """A number with a unit, in SI inside.

    Parameters
    ----------
    dimension : what it measures; `units` : of bare numbers and of what is shown
    least, most : bounds [SI], both allowed
    empty : what an empty field means; an error without
    """

    def __init__(
        self,
        gui: Any,
        label: str,
        value: float | None,
        dimension: Dimension,
        units: UnitSystem,
        take: Callable[[float], str | None] | None = None,
        *,
        least: float | None = None,
        most: float | None = None,
        above: float | None = None,
        empty: float | None = None,
        digits: int = DIGITS,
        hint: str | None = None,
        visible: bool = True,
    ) -> None:
        self.dimension, self.units, self.digits = dimension, units, digits
        self.least, self.most, self.above, self.empty = least, most, above, empty
        text = "" if value is None else self.written(value)
        super().__init__(gui, label, text, self._parsed, take, hint, visible)

    def written(self, value: float) -> str:
        """A number in SI as the field shows it."""
        return format_quantity(value, self.dimension, self.units, self.digits)

    def show_value(self, value: float, force: bool = False) -> None:
        """Write a number in SI into it, unless the visitor does, or has written this very number in their own way."""
        try:
            said = self.written(self._parsed(self.text))
        except LinkworkError:
            said = ""
        text = self.written(value)
        self.show(self.text if said == text else text, force)

    def _parsed(self, text: str) -> float:
        if self.empty is not None and not text.strip():
            return self.empty
        value = parse_quantity(text, self.dimension, self.units)
        if self.above is not None and not value > self.above:
            raise InputError(Problem(f"'{text.strip()}' is not above {self.written(self.above)}"))
        if self.least is not None and value < self.least:
            raise InputError(Problem(f"'{text.strip()}' is below {self.written(self.least)}, the least"))
        if self.most is not None and value > self.most:
            raise InputError(Problem(f"'{text.strip()}' is above {self.written(self.most)}, the most"))
        return value


class CountField(Field[int]):
    """A whole number within bounds.

    Parameters
    ----------
    least, most : bounds, both allowed
    """

    def __init__(self, gui: Any, label: str, value: int, least: int, most: int, hint: str | None = None) -> None:
        self.least, self.most = least, most
        super().__init__(gui, label, str(value), self._parsed, hint=hint)

    def _parsed(self, text: str) -> int:
        wanted = f"write a whole number from {self.least} to {self.most}"
        shown = f"'{text.strip()[:MAX_QUANTITY_LENGTH]}'" if text.strip() else "nothing"
        try:
            value = float(text.strip().replace("−", "-"))
        except ValueError:
            raise InputError(Problem(f"{shown} is not a whole number", hint=wanted)) from None
        if value != round(value, 0) or not self.least <= value <= self.most:  # nan and infinities too
            raise InputError(Problem(f"{shown} is not a whole number from {self.least} to {self.most}"))
        return int(value)


def add_speeds(gui: Any, speed: float, take: Callable[[float], None]) -> None:
    """A list of how many times as fast something shall be seen."""
    name = next((name for name, known in SPEEDS.items() if known == speed), "1")
    chosen = gui.add_dropdown("speed", tuple(SPEEDS), initial_value=name)
    chosen.on_update(lambda event: take(SPEEDS[event.target.value]))


def _words(error: LinkworkError) -> str:
    """What is wrong, without the place: the field is the place."""
    return "; ".join(f"{p.what}; {p.hint}" if p.hint else p.what for p in error.problems)
