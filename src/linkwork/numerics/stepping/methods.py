"""Methods by type: compiled loops are made for each of them when it is first used.

`take` makes a step, `refine` completes the interpolant after it. Which functions stand behind them is decided by the
type of the method, so that a loop holds the machine code of one method only.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from numba import types
from numba.extending import overload


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


def take(method, p, store, t, h, z, f, z_new, C):  # type: ignore[no-untyped-def]
    """One step of a method; see the package."""
    raise NotImplementedError


def refine(method, p, store, t, h, z, f, z_new, f_new, C):  # type: ignore[no-untyped-def]
    """Make the interpolant of the last step ready in C."""
    raise NotImplementedError


def is_stiff(method, p, store, h, z_new, f_new):  # type: ignore[no-untyped-def]
    """Whether the last step was as long as stability allows."""
    raise NotImplementedError


def is_fresh(method):  # type: ignore[no-untyped-def]
    """Whether a step owes nothing to the one before it, so that another may be made beside it."""
    raise NotImplementedError


def _kind(method: Any) -> type:
    assert isinstance(method, types.NamedTuple | types.NamedUniTuple)
    found: type = method.instance_class
    return found


@overload(take)
def _take(method, p, store, t, h, z, f, z_new, C):  # type: ignore[no-untyped-def]
    module, name, _ = WHERE[_kind(method)]
    step = getattr(import_module(f"linkwork.numerics.stepping.{module}"), name)

    def implementation(method, p, store, t, h, z, f, z_new, C):  # type: ignore[no-untyped-def]
        return step(p, store, t, h, z, f, z_new, C)

    return implementation


@overload(refine)
def _refine(method, p, store, t, h, z, f, z_new, f_new, C):  # type: ignore[no-untyped-def]
    if _kind(method) in (Explicit, Variational, Composed):  # the steps of others make it
        interpolant = import_module(f"linkwork.numerics.stepping.{WHERE[_kind(method)][0]}").interpolant

        def completed(method, p, store, t, h, z, f, z_new, f_new, C):  # type: ignore[no-untyped-def]
            interpolant(p, store, t, h, z, f, z_new, f_new, C)

        return completed

    def ready(method, p, store, t, h, z, f, z_new, f_new, C):  # type: ignore[no-untyped-def]
        pass

    return ready


@overload(is_stiff)
def _is_stiff(method, p, store, h, z_new, f_new):  # type: ignore[no-untyped-def]
    if _kind(method) is Explicit:
        from linkwork.numerics.stepping.explicit import STABLE, stiffness

        def judged(method, p, store, h, z_new, f_new):  # type: ignore[no-untyped-def]
            return stiffness(p, store, h, z_new, f_new) > STABLE

        return judged

    def never(method, p, store, h, z_new, f_new):  # type: ignore[no-untyped-def]
        return False

    return never


@overload(is_fresh)
def _is_fresh(method):  # type: ignore[no-untyped-def]
    fresh = _kind(method) is Explicit

    def told(method):  # type: ignore[no-untyped-def]
        return fresh

    return told
