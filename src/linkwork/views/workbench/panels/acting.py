"""What acts on a machine that is let go, besides efforts: stops, friction and payloads, of one thing at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from linkwork.model.measures import effort_along
from linkwork.units import ANGLE, LENGTH, MASS, NUMBER, TIME
from linkwork.units.efforts import effort_units
from linkwork.views.workbench.bench import Bench
from linkwork.views.workbench.fields import QuantityField
from linkwork.views.workbench.releasing import Ends, Rubbing, Wish
from linkwork.views.workbench.texts import table

Fields = dict[str, QuantityField]


class OneAtATime:
    """A folder with the fields of one thing of a list; what was written for others is kept, and all of it is told.

    Parameters
    ----------
    gui : of the visitor
    title : of the folder
    label : of the list, with its `hint`
    names : what there is to choose from
    make : fields for one of them by label, laid out where one is
    head, rows : of the table of everything that was written
    fields : where the fields are to be found by label
    """

    def __init__(
        self,
        gui: Any,
        title: str,
        label: str,
        hint: str,
        names: Sequence[str],
        make: Callable[[str], Fields],
        head: Sequence[str],
        rows: Callable[[], Iterable[Sequence[str]]],
        fields: Fields,
    ) -> None:
        self.gui, self.make, self.head, self.rows, self.fields = gui, make, head, rows, fields
        self.box: Any = None
        if not names:
            return
        with gui.add_folder(title, expand_by_default=False):
            self.choice = gui.add_dropdown(label, tuple(names), hint=hint)
            self.holder = gui.add_folder(None)
            self.told = gui.add_html("")
        self.choice.on_update(lambda _: self.choose())
        self.choose()

    def choose(self) -> None:
        """The fields of what is chosen."""
        if self.box is not None:
            self.box.remove()
        with self.holder:
            self.box = self.gui.add_folder(None)
        with self.box:
            self.fields.update(self.make(self.choice.value))

    def tell(self) -> None:
        """What was written, of all of them."""
        rows = list(self.rows())
        self.told.content = table(self.head, rows) if rows else ""


def add_stops(gui: Any, bench: Bench, wish: Wish, fields: Fields) -> None:
    """The ends of variables and of coordinates of points."""
    measured = bench.dimensions()
    places = [f"{p}.{c}" for p in bench.mechanism.points for c in "xyz"]

    def change(name: str, key: str, value: float) -> None:
        known = wish.stops.get(name, Ends())
        wish.stops[name] = replace(known, **{key: value if np.isfinite(value) else None})  # type: ignore[arg-type]
        own.tell()

    def make(name: str) -> Fields:
        known, dimension = wish.stops.get(name, Ends()), measured.get(name, LENGTH)
        hint = "where it is stopped; empty: nowhere"
        ends = {
            key: QuantityField(
                gui, key, getattr(known, key), dimension, bench.units, partial(change, name, key),
                empty=np.inf, hint=hint,
            )
            for key in ("low", "high")
        }  # fmt: skip
        return ends | {
            "restitution": QuantityField(
                gui, "restitution", known.restitution, NUMBER, bench.units, partial(change, name, "restitution"),
                least=0.0, most=1.0, hint="rate after the impact by the rate before it: 0 to 1",
            )
        }  # fmt: skip

    def rows() -> Iterable[Sequence[str]]:
        for name, ends in wish.stops.items():
            if ends != Ends():
                dimension = measured.get(name, LENGTH)
                yield (name, *("" if x is None else bench.shown(x, dimension) for x in (ends.low, ends.high)))

    hint = "a joint, or a coordinate of a point"
    head = ("stop", "low", "high")
    own = OneAtATime(gui, "Stops", "of", hint, (*measured, *places), make, head, rows, fields)


def add_friction(gui: Any, bench: Bench, wish: Wish, fields: Fields) -> None:
    """Friction along variables."""
    measured, units = bench.dimensions(), effort_units(bench.units)

    def change(name: str, key: str, value: float) -> None:
        wish.friction[name] = replace(wish.friction.get(name, Rubbing()), **{key: value})
        own.tell()

    def make(name: str) -> Fields:
        known, dry = wish.friction.get(name, Rubbing()), effort_along(measured[name])
        asked = (
            ("dry", known.dry, dry, "against every motion, however slow"),
            ("viscous", known.viscous, dry * TIME / measured[name], "by the rate"),
        )
        return {
            key: QuantityField(
                gui, key, value, dimension, units, partial(change, name, key), least=0.0, empty=0.0, hint=hint
            )
            for key, value, dimension, hint in asked
        }

    def rows() -> Iterable[Sequence[str]]:
        for name, own in wish.friction.items():
            if own != Rubbing():
                dry, viscous = ("N m", "N m s/rad") if measured[name] == ANGLE else ("N", "N s/m")
                yield (name, f"{own.dry:g} {dry}", f"{own.viscous:g} {viscous}")

    head = ("friction", "dry", "viscous")
    own = OneAtATime(gui, "Friction", "in", "a joint", tuple(measured), make, head, rows, fields)


def add_payloads(gui: Any, bench: Bench, wish: Wish, fields: Fields) -> None:
    """Masses on points, frames and bodies."""
    m = bench.mechanism
    ground = m.ground.name
    places = [n for group in (m.points, m.frames) for n, p in group.items() if p.body != ground]
    names = (*places, *(b for b in m.bodies if b != ground))

    def change(name: str, value: float) -> None:
        wish.payloads[name] = value
        own.tell()

    def make(name: str) -> Fields:
        known = wish.payloads.get(name, 0.0)
        field = QuantityField(
            gui, "mass", known, MASS, bench.units, partial(change, name), least=0.0, empty=0.0, hint="of the payload"
        )
        return {"mass": field}

    def rows() -> Iterable[Sequence[str]]:
        return ((name, bench.shown(mass, MASS)) for name, mass in wish.payloads.items() if mass)

    hint = "a point, a frame, or the centre of mass of a body"
    own = OneAtATime(gui, "Payload", "on", hint, names, make, ("payload on", "mass"), rows, fields)
