"""Arithmetic of signals: the numbers as numpy has them, with the unit that the result has.

Beside a length or a mass a radian is a plain one, as in v = r ω and P = M ω. Numbers and arrays without a unit are
taken in that of the signal that they are added to or compared with. A signal that is divided by a unit, `angle / deg`,
gives plain numbers in that unit (of a rate, `rate / deg`, those a second).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.results.result_layout import axes_of
from linkwork.units import ANGLE, NUMBER, SI, Dimension, parse_unit
from linkwork.units.scales import Scale

if TYPE_CHECKING:
    from linkwork.results.arrays import Variable
    from linkwork.results.signals import Signal

ALIKE = {"add": "+", "subtract": "-", "maximum": "max", "minimum": "min", "fmax": "max", "fmin": "min",
         "hypot": "hypot", "fmod": "%", "remainder": "%"}  # fmt: skip
"""What needs two of one kind and gives one of it, and its sign."""
COMPARED = frozenset(["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"])
SAME = frozenset(["negative", "positive", "absolute", "fabs", "conjugate", "rint", "floor", "ceil", "trunc"])
"""What leaves the unit as it is."""
POWERS = {"square": 2.0, "reciprocal": -1.0, "sqrt": 0.5, "cbrt": 1.0 / 3.0}
OF_ANGLES = frozenset(["sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "exp2", "expm1"])
OF_NUMBERS = frozenset(["log", "log2", "log10", "log1p"])
TO_ANGLES = frozenset(["arcsin", "arccos", "arctan"])
SIGNS = {"negative": "-{}", "positive": "{}", "absolute": "|{}|", "square": "{}²", "reciprocal": "1/{}"}
LONGEST = 48
"""Letters of a name that is made of others."""


def applied(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What a function of numpy gives for signals: a signal where the result has a unit, else plain numbers."""
    if method != "__call__" or options or ufunc.nout != 1:
        return getattr(ufunc, method)(*map(_plain, inputs), **options)
    name = ufunc.__name__
    if name in ("divide", "true_divide") and isinstance(inputs[1], Scale):
        return _in_unit(inputs[0], inputs[1])
    if name in COMPARED:
        _assert_alike(inputs, name)
        return ufunc(*_numbers(inputs))
    unit = _unit_of(name, inputs)
    if unit is None:
        return ufunc(*map(_plain, inputs))
    return _made(ufunc, inputs, unit, _name_of(name, inputs))


def _unit_of(name: str, inputs: tuple[Any, ...]) -> str | None:
    """The unit of a result; None for what has none."""
    first = inputs[0]
    if name in ALIKE:
        return _assert_alike(inputs, name)
    if name in SAME:
        return str(first.unit)
    if name in POWERS:
        return _power(first, POWERS[name])
    if name in ("multiply", "divide", "true_divide"):
        return _product(inputs, name)
    if name in ("power", "float_power"):
        return _raised(*inputs)
    if name in OF_ANGLES | OF_NUMBERS | TO_ANGLES:
        allowed = (NUMBER, ANGLE) if name in OF_ANGLES else (NUMBER,)
        if (dimension := _dimension(first)) not in allowed:
            what = f"there is no {name} of a {dimension}"
            raise InputError(
                Problem(what, first.name, "divide by a unit first, such as '/ mm'; .values has the numbers")
            )
        return "rad" if name in TO_ANGLES else "1"
    if name == "arctan2":
        _assert_alike(inputs, name)
        return "rad"
    return None


def _assert_alike(inputs: tuple[Any, ...], name: str) -> str:
    """The unit that all signals have but those that are plain numbers; InputError where they differ."""
    signals = [i for i in inputs if _is_signal(i)]
    of_something = [s for s in signals if _dimension(s) not in (NUMBER, ANGLE)]
    plain = [s for s in signals if _dimension(s) in (NUMBER, ANGLE)]
    lead = of_something[0] if of_something else next((s for s in plain if _dimension(s) == ANGLE), signals[0])
    wanted = _without_angle(_dimension(lead))
    for other in of_something:
        if _without_angle(_dimension(other)) != wanted:
            _differ(lead, other, name)
    for other in plain:
        if of_something and _dimension(other) == ANGLE:
            _differ(lead, other, name)
    for scale in (i for i in inputs if isinstance(i, Scale)):
        if _without_angle(scale.dimension) != wanted:
            what = f"'{lead.name}' is in {lead.unit}, and the number is a {scale.dimension}"
            raise InputError(Problem(what, ALIKE.get(name, name), "bring both to one kind first"))
    return str(lead.unit)


def _differ(one: Signal, other: Signal, name: str) -> None:
    what = f"'{one.name}' is in {one.unit} and '{other.name}' in {other.unit}"
    hint = "a plain number has no unit: write signal * (m / s**2) * 9.81, or take the numbers alone, .values"
    raise InputError(Problem(what, ALIKE.get(name, name.replace("_", " ")), hint))


def _product(inputs: tuple[Any, ...], name: str) -> str:
    one, other = (_dimension(i) for i in inputs)
    if name == "multiply":
        if other == NUMBER and _is_signal(inputs[0]):
            return str(inputs[0].unit)
        if one == NUMBER and _is_signal(inputs[1]):
            return str(inputs[1].unit)
        return _symbol(one * other)
    if other == NUMBER and _is_signal(inputs[0]):
        return str(inputs[0].unit)
    return _symbol(one / other)


def _raised(base: Any, power: Any) -> str:
    dimension = _dimension(base)
    if dimension == NUMBER and _dimension(power) in (NUMBER, ANGLE):
        return "1"
    if not isinstance(power, Number) or isinstance(power, complex):
        what = f"{getattr(base, 'unit', 'a number')} to the power of something that varies"
        raise InputError(Problem(what, getattr(base, "name", ""), "give a plain number as the power"))
    return _power(base, float(power))  # type: ignore[arg-type]


def _power(signal: Any, power: float) -> str:
    """The unit of a power, which must have whole powers of its own."""
    raised = [p * power for p in _dimension(signal).powers()]
    whole = [round(p) for p in raised]
    if any(abs(p - w) > 1e-9 for p, w in zip(raised, whole, strict=True)):
        what = f"{signal.unit} to the power of {power:.3g} is no unit"
        raise InputError(Problem(what, signal.name, "divide by a unit first, such as '/ mm'"))
    return _symbol(Dimension(*whole))


def _symbol(dimension: Dimension) -> str:
    """SI unit of a dimension; a radian beside a length or a mass is a plain one."""
    if dimension.angle > 0 and (dimension.length or dimension.mass):
        dimension = _without_angle(dimension)
    return SI.symbol(dimension) or "1"


def _without_angle(dimension: Dimension) -> Dimension:
    return replace(dimension, angle=0) if dimension.powers() != ANGLE.powers() else dimension


def _dimension(one: Any) -> Dimension:
    if _is_signal(one):
        return parse_unit(one.unit)[1]
    return one.dimension if isinstance(one, Scale) else NUMBER


def _in_unit(signal: Any, unit: Scale) -> Any:
    if not _is_signal(signal):
        return np.true_divide(signal, float(unit))
    wanted = _dimension(signal)
    parts = zip(unit.dimension.powers(), wanted.powers(), strict=True)
    if not wanted.accepts(unit.dimension) and any(part * whole <= 0 for part, whole in parts if part):
        what = f"it is in {signal.unit}, and the unit that it is divided by measures {unit.dimension}"
        raise InputError(Problem(what, signal.name, f".to('{signal.unit}') gives the numbers"))
    return signal.values / float(unit)


def _made(ufunc: Any, inputs: tuple[Any, ...], unit: str, name: str) -> Any:
    from linkwork.results.signals import Signal

    lead = next(i for i in inputs if _is_signal(i))
    if any(not _is_signal(i) and np.ndim(i) for i in inputs):
        numbers = ufunc(*map(_plain, inputs))
        if numbers.shape != lead.values.shape:
            return numbers
    elif _alike_placed([i for i in _on_same_samples(inputs) if _is_signal(i)]):
        numbers = ufunc(*map(_plain, inputs))
    else:
        numbers = None  # they are broadcast along the axes that only one of them has
    marks = dict.fromkeys(c for i in inputs if _is_signal(i) for c in i.indeterminate)
    attrs = {"units": unit, "long_name": name} | ({"indeterminate": tuple(marks)} if marks else {})
    if numbers is not None:
        return Signal(name, lead.labelled.like(numbers, attrs))
    data = ufunc(*(i.data if _is_signal(i) else i for i in inputs))
    data.attrs = attrs
    return Signal(name, data.rename(name))


def _alike_placed(signals: list[Signal]) -> bool:
    """Whether they lie along the same axes, and the same stands along these."""
    first, *others = (s.labelled for s in signals)
    return all(
        one.variable.dims == first.variable.dims
        and [*one.coords] == [*first.coords]
        and all(c is first.coords[n] or _same(c, first.coords[n]) for n, c in one.coords.items())
        for one in others
    )


def _same(one: Variable, other: Variable) -> bool:
    return one.dims == other.dims and one.attrs == other.attrs and np.array_equal(one.values, other.values)


def _numbers(inputs: tuple[Any, ...]) -> list[Any]:
    """The numbers, those along several axes beside each other."""
    signals = [i for i in inputs if _is_signal(i)]
    if len(signals) < 2 or signals[0].axes == signals[1].axes:
        return [_plain(i) for i in _on_same_samples(inputs)]
    import xarray as xr

    return [array.values for array in xr.broadcast(*(s.data for s in _on_same_samples(tuple(signals))))]


def _on_same_samples(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """InputError where two signals lie on other samples."""
    signals = [i for i in inputs if _is_signal(i)]
    for one, other in pairwise(signals):
        for axis in set(axes_of(one.axes)) & set(axes_of(other.axes)):
            if not np.array_equal(one.labelled[axis].values, other.labelled[axis].values):
                what = f"'{one.name}' and '{other.name}' lie on different samples of {axis}"
                hint = "ask for the same samples, or np.interp(t, b.time, b.values) brings one to the other"
                raise InputError(Problem(what, hint=hint))
    return inputs


def _name_of(name: str, inputs: tuple[Any, ...]) -> str:
    texts = [_told(i) for i in inputs]
    if len(texts) == 1:
        made = SIGNS.get(name, f"{name}({{}})").format(texts[0])
    else:
        sign = {"multiply": "*", "divide": "/", "true_divide": "/", "power": "**", **ALIKE}.get(name, name)
        inner = [f"({t})" if " " in t else t for t in texts]
        made = f"{sign}({', '.join(texts)})" if sign.isalpha() or name == "arctan2" else f" {sign} ".join(inner)
    return made if len(made) <= LONGEST else f"{made[: LONGEST - 3]}..."


def _told(one: Any) -> str:
    if _is_signal(one):
        return str(one.name)
    return f"{float(one):.6g}" if np.ndim(one) == 0 and not np.iscomplexobj(one) else "..."


def _plain(one: Any) -> Any:
    return one.values if _is_signal(one) else one


def _is_signal(one: Any) -> bool:
    from linkwork.results.signals import Signal

    return isinstance(one, Signal)
