"""Efforts as text: a value, a law of time, or arithmetic of time, variables and rates. Nothing is evaluated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from linkwork.drives.drive import Drive
from linkwork.drives.drive_texts import parse_drive
from linkwork.drives.steady import Constant
from linkwork.errors import InputError, ModelError, Problem
from linkwork.expressions import Expression, names_in
from linkwork.expressions.nodes import Number
from linkwork.model.amounts import TIME as CLOCK
from linkwork.model.amounts import Formula, variable_in
from linkwork.model.states import is_state_name, state_numbers
from linkwork.model.variables import find_variable, plain_variables
from linkwork.names import nothing_called
from linkwork.units import SI, Dimension, UnitSystem, parse_quantity

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism

_FORMULA = re.compile(r"expr\s*\((?P<text>.*)\)(?P<unit>[^()]*)", re.DOTALL)
Effort = float | Drive | Formula


def read_effort(m: Mechanism, text: str, dimension: Dimension, units: UnitSystem = SI) -> Effort:
    """The effort that a text means: "5 N m", "harmonic(0, 5 N m, 2Hz)", "-3*A - 0.2*rate(A)", "0:5 N m in 2s".

    m : the machine whose names it speaks of
    dimension : of the effort; units : of bare numbers, save in arithmetic, which is in SI
    """
    try:
        law = parse_drive(text, dimension, "", units)
    except ModelError as error:
        formula = _formula(m, text, dimension, units)
        if formula is None:
            raise _with_formula(error) from None
        return formula
    return law.value if isinstance(law, Constant) else law


def _formula(m: Mechanism, text: str, dimension: Dimension, units: UnitSystem) -> Formula | None:
    """Arithmetic of time, variables and rates; None where the text does not look like it."""
    found = _FORMULA.fullmatch(text)
    plain = " ".join((found["text"] if found else text).split())
    unit = f"1 {found['unit']}" if found else 1.0
    try:
        names = names_in(plain)
        if not names and not found and isinstance(Expression(plain, ()).tree, Number):
            return None  # a number of another kind
        _assert_known(m, names)
        if not found:
            _assert_fits(m, plain, dimension)
        return Formula(plain, names, parse_quantity(unit, dimension, units if found else SI))
    except ModelError:
        if found or re.search(r"\*|\brate\s*\(|\bwhere\s*\(", text):
            raise
        return None


def _assert_fits(m: Mechanism, text: str, dimension: Dimension) -> None:
    """InputError where the units of its numbers make something else of it."""
    from linkwork.model.formula_units import misfits

    if wrong := misfits(m, text, dimension):
        raise InputError(wrong)


def _assert_known(m: Mechanism, names: Sequence[str]) -> None:
    named = (n for n in names if n != CLOCK and not is_state_name(m, n))
    unknown = [n for n in named if find_variable(m.owners, variable_in(n)) is None]
    known = [CLOCK, *(j.name for j in m.owners.values() if len(j.law.variables) == 1)]
    known += [f"{j.name}.{v.name}" for j in m.owners.values() for v in plain_variables(j.law)]
    known += [*m.states, *state_numbers(m)]
    if unknown:
        raise InputError([nothing_called(n, known) for n in unknown])


def _with_formula(error: ModelError) -> InputError:
    """The problems of a law, which might as well have been arithmetic."""
    more = "or arithmetic such as '-3*A - 0.2*rate(A)'"
    return InputError([Problem(p.what, p.where, f"{p.hint}, {more}" if p.hint else more) for p in error.problems])
