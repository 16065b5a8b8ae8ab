"""Handles as numba sees them: one pointer, from which fields are loaded.

A handle is the address of its table. `p.y` in compiled code reads an address and a size from it and makes an array of
them that owns nothing.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic, lower_setattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox
from numba.np.arrayobj import populate_array

from linkwork.numerics.stepping.handle import NUMBERS, SOURCES, Handle

KINDS: dict[str, Any] = {
    "integer": types.int64,
    "float": types.float64,
    "floats": types.Array(types.float64, 1, "C"),
    "matrix": types.Array(types.float64, 2, "C"),
    "integers": types.Array(types.int64, 1, "C"),
    "addresses": types.Array(types.int64, 1, "C"),
    "table": types.Array(types.int64, 2, "C"),
}


class HandleType(types.Type):
    """The type of a handle in compiled code."""

    def __init__(self, owner: type[Handle]) -> None:
        self.owner = owner
        super().__init__(name=f"{owner.__module__}.{owner.__qualname__} {SOURCES}")


_types: dict[type[Handle], HandleType] = {}


@typeof_impl.register(Handle)
def _typeof(value: Handle, context: Any) -> HandleType:
    owner = type(value)
    if owner not in _types:
        _types[owner] = HandleType(owner)
    return _types[owner]


@register_model(HandleType)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: HandleType) -> None:
        super().__init__(manager, kind, ir.IntType(64))


@unbox(HandleType)
def _unbox(kind: HandleType, value: Any, c: Any) -> NativeValue:
    own = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_longlong(own)
    c.pyapi.decref(own)
    return NativeValue(address, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@infer_getattr
class _Attributes(AttributeTemplate):
    key = HandleType

    def generic_resolve(self, kind: HandleType, name: str) -> Any:  # type: ignore[override]
        """The type of a field."""
        field = kind.owner.fields.get(name)
        return KINDS[field] if field else None


@lower_getattr_generic(HandleType)
def _get(context: Any, builder: Any, kind: HandleType, value: Any, name: str) -> Any:
    """Load a field: the number itself, or an array over an address."""
    at = kind.owner.offsets[name]
    words = builder.inttoptr(value, ir.IntType(64).as_pointer())

    def word(k: int) -> Any:
        return builder.load(cgutils.gep_inbounds(builder, words, ir.Constant(ir.IntType(64), at + k)))

    field = kind.owner.fields[name]
    first = word(0)
    if field == "integer":
        return first
    if field == "float":
        return builder.bitcast(first, ir.DoubleType())
    array_type = KINDS[field]
    array = context.make_array(array_type)(context, builder)
    shape = [word(1 + k) for k in range(array_type.ndim)]
    eight = ir.Constant(ir.IntType(64), 8)
    strides = [eight] if array_type.ndim == 1 else [builder.mul(shape[1], eight), eight]
    element = context.get_data_type(array_type.dtype)
    populate_array(
        array, builder.inttoptr(first, element.as_pointer()), shape, strides, eight, meminfo=None, parent=None
    )
    return array._getvalue()


@lower_setattr_generic(HandleType)
def _set(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
    """Store a number; arrays stay where they are."""
    owner = signature.args[0].owner
    fields = owner.fields
    if fields[name] not in NUMBERS:
        raise TypeError(f"'{name}' is no number")
    words = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
    at = cgutils.gep_inbounds(builder, words, ir.Constant(ir.IntType(64), owner.offsets[name]))
    value = arguments[1]
    builder.store(value if fields[name] == "integer" else builder.bitcast(value, ir.IntType(64)), at)
