"""What a motor can give as an effort of its joint, as a formula: its torque-speed line at a throttle, or an effort that
is wanted, within the envelope.

A motor of stall torque T0 and no-load speed n0 that gets the part u of its voltage gives at the speed n of its shaft

    torque = T0 (u - n / n0)     between the torques -peak and peak that its current allows

n = N r with the gear's ratio N and the rate r of the joint. The effort of the joint is η N torque where the motor
drives (torque · n >= 0) and N torque / η where it is driven back. Rotor and bearings are loads of the model, which act
anyhow; the gear's losses are counted on all of the torque, what the rotor takes included.
The envelope of an effort that is wanted is |torque| <= min(T0 (1 - |n| / n0), peak), as `torque_limit` has it.
Vukobratović, Potkonjak, sec. 5.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linkwork.errors import InputError, Problem
from linkwork.expressions import names_in

if TYPE_CHECKING:
    from linkwork.model.loads.motor import Motor


def throttle_law(motor: Motor, throttle: Any = 1.0) -> str:
    """The effort [N m, N] along the joint of a motor at a throttle, -1 to 1: a number or a formula."""
    if motor.stall is None or motor.no_load is None:
        hint = "give the motor stall and no_load; `limited` takes a peak alone"
        raise InputError(Problem("it has no torque-speed line", motor.name, hint))
    given = _formula(throttle, "throttle")
    torque = f"{motor.stall!r}*(min(max({given}, -1), 1) - ({motor.ratio!r})*{_rate(motor)}/{motor.no_load!r})"
    if motor.peak is not None:
        torque = f"min(max({torque}, -{motor.peak!r}), {motor.peak!r})"
    return _at_joint(motor, torque)


def limited_law(motor: Motor, wanted: Any) -> str:
    """An effort [N m, N] along the joint of a motor that is wanted, a number or a formula, as far as it can give it."""
    if motor.stall is None and motor.peak is None:
        hint = "give the motor stall and no_load, or peak"
        raise InputError(Problem("it has no limits", motor.name, hint))
    limit = "" if motor.peak is None else repr(motor.peak)
    if motor.stall is not None and motor.no_load is not None:
        line = f"max({motor.stall!r}*(1 - {abs(motor.ratio)!r}*abs({_rate(motor)})/{motor.no_load!r}), 0)"
        limit = f"min({line}, {limit})" if limit else line
    given, limit = _formula(wanted, "wanted"), f"{abs(motor.ratio)!r}*{limit}"
    if motor.efficiency != 1.0:
        limit += f"*{_losses(motor, given)}"
    return f"min(max({given}, -{limit}), {limit})"


def _at_joint(motor: Motor, torque: str) -> str:
    """The effort of the joint by a torque of the shaft."""
    effort = f"({motor.ratio!r})*{torque}"
    if motor.efficiency == 1.0:
        return effort
    return f"{effort}*{_losses(motor, effort)}"


def _losses(motor: Motor, effort: str) -> str:
    """What the gear makes of the torque: less where the motor drives, more where it is driven back."""
    eta = motor.efficiency
    return f"where({effort}*{_rate(motor)} < 0, {1.0 / eta!r}, {eta!r})"


def _rate(motor: Motor) -> str:
    """The rate of its joint, as formulas name it."""
    name = motor.variable
    plain = all(part.isidentifier() for part in name.split("."))
    return f"rate({name})" if plain else f"rate('{name}')"


def _formula(given: Any, where: str) -> str:
    """A number or a formula as text; InputError if it is neither."""
    if isinstance(given, str):
        names_in(given)  # which tells what is wrong with it
        return f"({given})"
    try:
        return repr(float(given))
    except (TypeError, ValueError):
        text = f"a {type(given).__name__} is neither a number nor a formula"
        raise InputError(Problem(text, where, 'such as 0.5 or "where(t < 1, 1, 0)"')) from None
