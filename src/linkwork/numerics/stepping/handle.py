"""Many arrays behind one pointer: how compiled loops get at the parts of a problem.

A tuple of a hundred arrays would be passed part by part, to every function, with a count of references for each.
A handle is the address of a table instead. `p.y` in compiled code reads an address and a size from it and makes an
array of them that owns nothing; whoever holds the handle in Python keeps the arrays alive.

Compiled loops are kept on disk, by file: one that calls functions of other files would not be made anew when these
change. So the type of a handle, which all of them take, carries a mark of this folder's sources.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic, lower_setattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox
from numba.np.arrayobj import populate_array

SOURCES = hashlib.sha256(b"".join(f.read_bytes() for f in sorted(Path(__file__).parent.glob("*.py")))).hexdigest()[:16]
"""A mark of all files of this folder."""
WORDS = 3
"""Of eight bytes, by field: a number, or an address and two sizes."""
_AS_FLOAT, _AS_INTEGER = struct.Struct("d"), struct.Struct("q")
KINDS: dict[str, Any] = {
    "integer": types.int64,
    "float": types.float64,
    "floats": types.Array(types.float64, 1, "C"),
    "matrix": types.Array(types.float64, 2, "C"),
    "integers": types.Array(types.int64, 1, "C"),
    "addresses": types.Array(types.int64, 1, "C"),
    "table": types.Array(types.int64, 2, "C"),
}


class Handle:
    """Numbers and arrays by name; subclasses name them in `fields`, in order, with their kinds."""

    fields: ClassVar[Mapping[str, str]] = {}
    offsets: ClassVar[Mapping[str, int]] = {}
    """By field, where it stands in the table."""
    address: int
    """Where the table stands."""

    def __init_subclass__(cls) -> None:
        cls.offsets = {name: WORDS * k for k, name in enumerate(cls.fields)}

    def __init__(self, **values: Any) -> None:
        missing, unknown = self.fields.keys() - values.keys(), values.keys() - self.fields.keys()
        if missing or unknown:
            raise TypeError(f"missing {sorted(missing)}, unknown {sorted(unknown)}")
        words: list[int] = []
        for name, kind in self.fields.items():
            value = values[name]
            if kind == "integer":
                words += (value, 0, 0)
            elif kind == "float":
                words += (*_AS_INTEGER.unpack(_AS_FLOAT.pack(value)), 0, 0)
            else:
                axes = KINDS[kind].ndim
                if not (value.flags.c_contiguous and value.ndim == axes and value.itemsize == 8):
                    raise TypeError(f"'{name}' must be a contiguous array of {axes} axes")
                words += (value.ctypes.data, *value.shape, *(0,) * (WORDS - 1 - axes))
        self.words = np.array(words, np.int64)
        self.__dict__.update(values)
        self.address = int(self.words.ctypes.data)

    def __getattr__(self, name: str) -> Any:
        """A number or an array that `fields` names; those of a copy are made when they are first asked for."""
        copied = self.__dict__.get("_copied")
        if copied is None or name not in copied.arrays:
            raise AttributeError(f"{type(self).__name__} has no '{name}'")
        begin, end, shape, dtype = copied.arrays[name]
        value = self.__dict__["_room"][begin:end].view(dtype).reshape(shape)
        self.__dict__[name] = value
        return value

    def set_number(self, name: str, value: float) -> None:
        """Give one of the plain numbers another value."""
        at = self.offsets[name]
        self.words[at : at + 1].view(np.float64)[0] = value
        self.__dict__[name] = value

    def number(self, name: str) -> int:
        """One of the plain integers as it is now: compiled code may have given it another value."""
        return int(self.words[self.offsets[name]])


class Template:
    """A handle that is copied often: its table and all of its arrays in one piece, so that a copy takes microseconds.

    Addresses of its own arrays become those of the copy's; others, of kernels and constants, stay.
    """

    def __init__(self, handle: Handle) -> None:
        self.kind = type(handle)
        own = {n: getattr(handle, n) for n, k in handle.fields.items() if k not in ("integer", "float")}
        self.numbers = {n: getattr(handle, n) for n in handle.fields if n not in own}
        self.arrays: dict[str, tuple[int, int, tuple[int, ...], Any]] = {}
        """By name, where an array begins and ends in the room, its shape and type."""
        self.size = len(handle.words)
        parts, begin = [handle.words], self.size
        for name, value in own.items():
            self.arrays[name] = (begin, begin + value.size, value.shape, value.dtype)
            parts.append(value.ravel().view(np.int64))
            begin += value.size
        self.room = np.concatenate(parts)
        begins = {value.ctypes.data: 8 * self.arrays[name][0] for name, value in own.items() if value.size}
        moved: list[int] = []
        for name, kind in handle.fields.items():
            if name not in own:
                continue
            first, end, _, _ = self.arrays[name]
            self.room[handle.offsets[name]] = 8 * first
            moved.append(handle.offsets[name])
            if kind == "addresses":
                for k in range(first, end):
                    if int(self.room[k]) in begins:
                        self.room[k] = begins[int(self.room[k])]
                        moved.append(k)
        self.moved = np.array(moved, np.int64)
        """Places of addresses within the room."""

    def copy(self) -> Any:
        """Another handle, as the first one was."""
        made, room = object.__new__(self.kind), self.room.copy()
        address = int(room.ctypes.data)
        room[self.moved] += address
        made.__dict__.update(self.numbers, words=room[: self.size], address=address, _room=room, _copied=self)
        return made


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
    if fields[name] not in ("integer", "float"):
        raise TypeError(f"'{name}' is no number")
    words = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
    at = cgutils.gep_inbounds(builder, words, ir.Constant(ir.IntType(64), owner.offsets[name]))
    value = arguments[1]
    builder.store(value if fields[name] == "integer" else builder.bitcast(value, ir.IntType(64)), at)
