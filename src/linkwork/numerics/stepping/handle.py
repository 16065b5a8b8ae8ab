"""Many arrays behind one pointer: how compiled loops get at the parts of a problem.

A tuple of a hundred arrays would be passed part by part, to every function, with a count of references for each.
A handle is the address of a table instead. `p.y` in compiled code reads an address and a size from it and makes an
array of them that owns nothing; whoever holds the handle in Python keeps the arrays alive.

Compiled loops are kept on disk, by file: one that calls functions of other files would not be made anew when these
change. So the type of a handle, which all of them take, carries a mark of this folder's sources.
"""

from __future__ import annotations

import hashlib
import math
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

    def __init__(self, **values: Any) -> None:
        missing, unknown = self.fields.keys() - values.keys(), values.keys() - self.fields.keys()
        if missing or unknown:
            raise TypeError(f"missing {sorted(missing)}, unknown {sorted(unknown)}")
        self.words = np.zeros(WORDS * len(self.fields), np.int64)
        for k, (name, kind) in enumerate(self.fields.items()):
            value, at = values[name], WORDS * k
            if kind == "integer":
                self.words[at] = value
            elif kind == "float":
                self.words[at : at + 1].view(np.float64)[0] = value
            else:
                expected = KINDS[kind]
                if not (value.flags.c_contiguous and value.ndim == expected.ndim and value.itemsize == 8):
                    raise TypeError(f"'{name}' must be a contiguous array of {expected.ndim} axes")
                self.words[at] = value.ctypes.data
                self.words[at + 1 : at + 1 + value.ndim] = value.shape
            setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        """A number or an array that `fields` names; those of a copy are made when they are first asked for."""
        copied = self.__dict__.get("_copied")
        if copied is None or name not in copied.places:
            raise AttributeError(f"{type(self).__name__} has no '{name}'")
        which, start, shape = copied.places[name]
        flat = self.__dict__[which]
        value = flat[start : start + math.prod(shape)].reshape(shape)
        self.__dict__[name] = value
        return value

    def set_number(self, name: str, value: float) -> None:
        """Give one of the plain numbers another value."""
        at = WORDS * list(self.fields).index(name)
        self.words[at : at + 1].view(np.float64)[0] = value
        self.__dict__[name] = value

    def number(self, name: str) -> int:
        """One of the plain integers as it is now: compiled code may have given it another value."""
        return int(self.words[WORDS * list(self.fields).index(name)])

    @property
    def address(self) -> int:
        """Where the table stands."""
        return int(self.words.ctypes.data)


class Template:
    """A handle that is copied often: all of its arrays in two flat ones, so that a copy takes microseconds.

    Addresses of its own arrays become those of the copy's; others, of kernels and constants, stay.
    """

    def __init__(self, handle: Handle) -> None:
        self.kind = type(handle)
        arrays = {n: getattr(handle, n) for n, k in handle.fields.items() if k not in ("integer", "float")}
        self.numbers = {n: getattr(handle, n) for n in handle.fields if n not in arrays}
        self.places: dict[str, tuple[str, int, tuple[int, ...]]] = {}
        parts: dict[str, list[Any]] = {"_floats": [], "_integers": []}
        sizes = dict.fromkeys(parts, 0)
        for name, value in arrays.items():
            which = "_floats" if value.dtype == np.float64 else "_integers"
            self.places[name] = (which, sizes[which], value.shape)
            parts[which].append(value.ravel())
            sizes[which] += value.size
        self.floats, self.integers = (np.concatenate([np.zeros(0, p[0].dtype), *p]) for p in parts.values())
        begins = {v.ctypes.data: self.places[n][:2] for n, v in arrays.items() if v.size}
        self.words = handle.words.copy()
        own: dict[str, list[int]] = {"_floats": [], "_integers": []}
        for k, (name, kind) in enumerate(handle.fields.items()):
            if name in arrays:
                which, start, _ = self.places[name]
                self.words[WORDS * k] = 8 * start
                own[which].append(WORDS * k)
            if kind == "addresses":
                first = self.places[name][1]
                for i, address in enumerate(arrays[name]):
                    if int(address) in begins:
                        self.integers[first + i] = 8 * begins[int(address)][1]
                        own.setdefault("inner", []).append(first + i)
        self.to_floats, self.to_integers = np.array(own["_floats"]), np.array(own["_integers"])
        self.inner = np.array(own.get("inner", []), np.int64)
        """Among the integers, addresses of the copy's own floats."""

    def copy(self) -> Any:
        """Another handle, as the first one was."""
        made = object.__new__(self.kind)
        floats, integers, words = self.floats.copy(), self.integers.copy(), self.words.copy()
        begin = floats.ctypes.data
        words[self.to_floats] += begin
        words[self.to_integers] += integers.ctypes.data
        integers[self.inner] += begin
        made.__dict__.update(self.numbers, words=words, _floats=floats, _integers=integers, _copied=self)
        return made


class HandleType(types.Type):
    """The type of a handle in compiled code."""

    def __init__(self, owner: type[Handle]) -> None:
        self.owner = owner
        super().__init__(name=f"{owner.__module__}.{owner.__qualname__} {SOURCES}")


@typeof_impl.register(Handle)
def _typeof(value: Handle, context: Any) -> HandleType:
    return HandleType(type(value))


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
    at = WORDS * list(kind.owner.fields).index(name)
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
    fields = signature.args[0].owner.fields
    if fields[name] not in ("integer", "float"):
        raise TypeError(f"'{name}' is no number")
    words = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
    at = cgutils.gep_inbounds(builder, words, ir.Constant(ir.IntType(64), WORDS * list(fields).index(name)))
    value = arguments[1]
    builder.store(value if fields[name] == "integer" else builder.bitcast(value, ir.IntType(64)), at)
