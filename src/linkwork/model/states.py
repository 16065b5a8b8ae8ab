"""Named states of a model: a quantity x with a law of its change, x' = f(t, y, w, x), beside the motion of the joints.

A current behind an inductance, the integral of a controller, a pressure, a temperature, a filter. Plain records, SI.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.expressions import names_in
from linkwork.expressions.names import differentiated, is_plain
from linkwork.expressions.parser import CONSTANTS, FUNCTIONS
from linkwork.model.amounts import ELONGATION, ELONGATION_RATE, TIME, Formula, Steady, Tabulated, amount, variable_in
from linkwork.model.parts import checked_name
from linkwork.model.variables import find_variable, no_variable
from linkwork.model.vectors import number
from linkwork.names import nothing_called
from linkwork.units import NUMBER, SI, Dimension, parse_unit

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism

START = "start"
"""The parameter that every state has: its value at the start of a simulation, and wherever no other is known."""
RESERVED = (TIME, ELONGATION, ELONGATION_RATE, "rate", "where", "gravity", "machine", "closure", START)
"""What else formulas and results call by these names."""


@dataclass(frozen=True)
class NamedState:
    """A state of the model.

    rate : the law of its change a second; speaks of t, joint variables, their rates, states, and its own parameters
    start : its value at the start [SI]; unit : SI unit of the value; scale : what counts like a radian in tolerances
    parameters : numbers of the law by name, SI
    """

    name: str
    rate: Formula | Tabulated
    start: float
    unit: str
    scale: float
    parameters: tuple[tuple[str, float], ...]
    description: str = ""


def named_state(
    name: Any, rate: Any, start: Any, unit: Any, scale: Any, parameters: Mapping[str, Any] | None, description: str
) -> NamedState:
    """A state with everything checked that can be seen of it alone; ModelError lists all problems."""
    where = f"states.{name}"
    problems: list[Problem] = []

    def gather(make: Any, *given: Any) -> Any:
        try:
            return make(*given)
        except ModelError as error:
            problems.extend(error.problems)
            return None

    gather(checked_name, name, where)
    if isinstance(name, str) and (name in RESERVED or name in FUNCTIONS or name in CONSTANTS):
        problems.append(Problem(f"'{name}' means something else in formulas or results", where, "choose another name"))
    elif isinstance(name, str) and is_plain(name):
        try:
            names_in(name)
        except ModelError as error:  # such as e
            problems += [Problem(f"formulas cannot use '{name}'", where, p.hint) for p in error.problems]
    law = gather(amount, rate, f"{where}.rate")
    if isinstance(law, Steady):
        law = Formula(repr(law.value), ())
    begin, size = gather(number, start, f"{where}.start"), gather(number, scale, f"{where}.scale")
    if size is not None and size <= 0.0:
        problems.append(Problem(f"the scale is not positive: {size:g}", f"{where}.scale"))
    gather(unit_dimension, unit, f"{where}.unit")
    numbers = []
    if parameters is not None and not isinstance(parameters, Mapping):
        problems.append(Problem("numbers by name are wanted", f"{where}.parameters", "such as {'R': 1.2}"))
    else:
        for key, value in (parameters or {}).items():
            at = f"{where}.parameters.{key}"
            if not isinstance(key, str) or not is_plain(key) or key in RESERVED or key in FUNCTIONS or key in CONSTANTS:
                text = f"{key!r} cannot name a number of a formula"
                problems.append(Problem(text, at, "use letters, digits and _, nothing that has a meaning already"))
            found = gather(number, value, at)
            numbers.append((key, 0.0 if found is None else found))
    if isinstance(law, Formula):
        unused = [key for key, _ in numbers if key not in law.names]
        problems += [
            Problem(f"the rate does not use '{key}'", f"{where}.parameters.{key}", _near(key, law)) for key in unused
        ]
    if problems:
        raise ModelError(problems)
    return NamedState(name, law, begin, unit or "1", size, tuple(numbers), str(description))


def _near(key: str, law: Formula) -> str:
    return did_you_mean(key, law.names) or "leave it out"


def unit_dimension(unit: Any, where: str) -> Dimension:
    """What a unit measures; ModelError unless its factor is 1: inside everything is SI."""
    if not isinstance(unit, str):
        raise ModelError(Problem(f"{unit!r} is no unit", where, "write text such as 'A', 'Pa' or '1'"))
    if unit in ("", "1"):
        return NUMBER
    try:
        factor, dimension = parse_unit(unit)
    except ModelError as error:
        raise ModelError([Problem(p.what, where, p.hint) for p in error.problems]) from None
    if factor != 1.0:
        raise ModelError(Problem(f"'{unit}' is not an SI unit", where, f"write '{SI.symbol(dimension) or 1}'"))
    return dimension


# ---------------------------------------------------------------- in the whole model


def state_problems(m: Mechanism) -> Iterator[Problem]:
    """Names in laws of states that stand for nothing, or for two things."""
    for state in m.states.values():
        where, own = f"states.{state.name}.rate", {key for key, _ in state.parameters}
        for key in sorted(own):
            if key in m.states or find_variable(m.owners, key) is not None:
                what = "state" if key in m.states else "joint"
                yield Problem(
                    f"'{key}' is a number of this state and the name of a {what}", where, "give one another name"
                )
        for name in state.rate.names:
            if name in own or name == TIME or find_variable(m.owners, variable_in(name)) is not None:
                continue
            problem = unknown_state_name(m, name, where)
            if problem is not None:
                yield problem


def is_state_name(m: Mechanism, name: str) -> bool:
    """Whether a name in a formula is that of a state, or of a number of one: i, i.R."""
    return name in m.states or name in state_numbers(m)


def state_numbers(m: Mechanism) -> dict[str, float]:
    """Numbers of all states by the names of their parameters: i.start, i.R."""
    found: dict[str, float] = {}
    for state in m.states.values():
        found[f"{state.name}.{START}"] = state.start
        found |= {f"{state.name}.{key}": value for key, value in state.parameters}
    return found


def unknown_state_name(m: Mechanism, name: str, where: str) -> Problem | None:
    """What is wrong with a name in a formula that is none of a variable; None if it is one of a state."""
    if is_state_name(m, name):
        return None
    of = differentiated(name)
    if of is not None and of in m.states:
        text = f"the rate of the state '{of}' cannot stand in a formula of a load or of another state"
        return Problem(text, where, "write what its own law says")
    called = variable_in(name)
    if called.partition(".")[0] in m.owners:
        return no_variable(m.owners, called, where)
    known = [TIME, *m.owners, *m.states, *state_numbers(m)]
    return nothing_called(called, known, where)
