"""Methods as numba sees them: which functions stand behind a step is decided by the type of the method."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from numba import types
from numba.extending import overload

from linkwork.numerics.stepping.methods import (
    MADE_APART,
    WHERE,
    Explicit,
    is_fresh,
    is_stiff,
    refine,
    take,
)


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
    if _kind(method) in MADE_APART:
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
