"""Methods by type: loops are compiled for each of them when it is first used.

`take` makes a step, `refine` completes the interpolant after it. Which functions stand behind them is decided by the
type of the method, so that a loop holds the machine code of one method only.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple


class Explicit(NamedTuple):
    """Runge-Kutta 8(5,3) by Dormand and Prince."""

    order: float


class Radau(NamedTuple):
    """Radau IIA of order 5, for stiff machines."""

    order: float


class Exponential(NamedTuple):
    """Local-linear steps with the full Jacobian."""

    order: float


class Static(NamedTuple):
    """Local-linear steps with the stiffness at rest."""

    order: float


class Variational(NamedTuple):
    """Discrete mechanics by the midpoint rule, fixed steps."""

    order: float


class Composed(NamedTuple):
    """Variational steps in a row that make a step of order 4."""

    order: float


WHERE: dict[type, tuple[str, str, str]] = {
    Explicit: ("explicit", "step", "ORDER"),
    Radau: ("radau", "step", "ORDER"),
    Exponential: ("exponential", "step", "ORDER"),
    Static: ("exponential", "static_step", "STATIC_ORDER"),
    Variational: ("variational", "step", "ORDER"),
    Composed: ("variational", "composed_step", "COMPOSED_ORDER"),
}
"""Module of a method, its step and its order."""


@lru_cache(maxsize=256)
def method_of(kind: type, n: int) -> tuple[Any, int]:
    """A method for n unknowns, and how many numbers it stores."""
    module, _, order = WHERE[kind]
    own = import_module(f"linkwork.numerics.stepping.{module}")
    return kind(float(getattr(own, order))), own.store_size(n)


MADE_APART = (Explicit, Variational, Composed)
"""Methods whose interpolant is made apart; the steps of others make it."""


def _module(method: Any) -> Any:
    return import_module(f"linkwork.numerics.stepping.{WHERE[type(method)][0]}")


def take(method, p, store, t, h, z, f, z_new, C):  # type: ignore[no-untyped-def]
    """One step of a method; see the package."""
    return getattr(_module(method), WHERE[type(method)][1])(p, store, t, h, z, f, z_new, C)


def refine(method, p, store, t, h, z, f, z_new, f_new, C):  # type: ignore[no-untyped-def]
    """Make the interpolant of the last step ready in C."""
    if type(method) in MADE_APART:
        _module(method).interpolant(p, store, t, h, z, f, z_new, f_new, C)


def is_stiff(method, p, store, h, z_new, f_new):  # type: ignore[no-untyped-def]
    """Whether the last step was as long as stability allows."""
    own = _module(method)
    return type(method) is Explicit and own.stiffness(p, store, h, z_new, f_new) > own.STABLE


def is_fresh(method):  # type: ignore[no-untyped-def]
    """Whether a step owes nothing to the one before it, so that another may be made beside it."""
    return type(method) is Explicit
