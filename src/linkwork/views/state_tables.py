"""Named states of a model as rows of text."""

from __future__ import annotations

from linkwork.model.mechanism import Mechanism
from linkwork.model.states import unit_dimension
from linkwork.units import SI, TIME, UnitSystem, format_quantity
from linkwork.views.load_tables import Rows, amount_text


def state_rows(m: Mechanism, units: UnitSystem) -> Rows:
    """Every state: how it changes, where it starts, and the numbers of its law in SI."""
    rows = [("name", "rate", "start", "with")]
    for state in m.states.values():
        dimension = unit_dimension(state.unit, "")
        law = amount_text(state.rate, dimension / TIME, units)
        numbers = ", ".join(f"{key} {value:.6g}" for key, value in state.parameters)
        rows.append((state.name, law, format_quantity(state.start, dimension, SI), numbers or "-"))
    return tuple(rows)


def constraint_rows(m: Mechanism) -> Rows:
    """Every coupling and constraint: its equation, and the numbers of it in SI."""
    rows = [("name", "kind", "equation", "with")]
    for c in m.constraints.values():
        equation = f"{c.variable} = {c.text}" if c.variable else f"{c.text} = 0"
        rows.append((c.name, c.kind, equation, ", ".join(f"{k} {x:.6g}" for k, x in c.parameters.items()) or "-"))
    return tuple(rows)
