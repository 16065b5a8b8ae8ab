"""Many arrays behind one pointer: how compiled loops get at the parts of a problem.

A tuple of a hundred arrays would be passed part by part, to every function, with a count of references for each.
A handle is the address of a table instead. `p.y` in compiled code reads an address and a size from it and makes an
array of them that owns nothing; whoever holds the handle in Python keeps the arrays alive.

Compiled loops are kept on disk, by file: one that calls functions of other files would not be made anew when these
change. So the type of a handle, which all of them take, carries a mark of this folder's sources.
"""

from __future__ import annotations

import ctypes
import hashlib
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

SOURCES = hashlib.sha256(b"".join(f.read_bytes() for f in sorted(Path(__file__).parent.glob("*.py")))).hexdigest()[:16]
"""A mark of all files of this folder."""
WORDS = 3
"""Of eight bytes, by field: a number, or an address and two sizes."""
_AS_FLOAT, _AS_INTEGER = struct.Struct("d"), struct.Struct("q")
NUMBERS = ("integer", "float")
AXES = {"floats": 1, "matrix": 2, "integers": 1, "addresses": 1, "table": 2}
"""Kinds of fields, and how many axes those have that are arrays."""


def address_of(array: Any) -> int:
    """Where the numbers of a contiguous array stand that can be written to: sooner told than by `ctypes.data`."""
    return ctypes.addressof(ctypes.c_char.from_buffer(array))


class Handle:
    """Numbers and arrays by name; subclasses name them in `fields`, in order, with their kinds."""

    fields: ClassVar[Mapping[str, str]] = {}
    offsets: ClassVar[Mapping[str, int]] = {}
    """By field, where it stands in the table."""
    shared: ClassVar[bool] = False
    """Whether several threads write to its arrays, each to places of its own."""
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
                axes = AXES[kind]
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
        begin, _, shape, dtype = copied.arrays[name]
        value = np.ndarray(shape, dtype, self.__dict__["_room"], 8 * begin)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        """Give one of the plain numbers another value, or the handle one more name; arrays stay where they are."""
        kind = self.fields.get(name)
        if kind in AXES:
            raise TypeError(f"'{name}' is no number")
        if kind is not None:
            at = self.offsets[name]
            self.words[at : at + 1].view(np.float64 if kind == "float" else np.int64)[0] = value
        self.__dict__[name] = value

    def own_arrays(self) -> list[Any]:
        """All numbers behind the handle, in pieces; none where threads share it."""
        if self.shared:
            return []
        if "_room" in self.__dict__:
            return [self.__dict__["_room"]]
        return [self.words, *(getattr(self, name) for name, kind in self.fields.items() if kind in AXES)]

    def number(self, name: str) -> int:
        """One of the plain integers as it is now: compiled code may have given it another value."""
        return int(self.words[self.offsets[name]])


class Template:
    """A handle that is copied often: its table and all of its arrays in one piece, so that a copy takes microseconds.

    Addresses of its own arrays become those of the copy's; others, of kernels and constants, stay.
    """

    def __init__(self, handle: Handle) -> None:
        self.kind = type(handle)
        own = {n: getattr(handle, n) for n, k in handle.fields.items() if k in AXES}
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
        address = address_of(room)
        room[self.moved] += address
        made.__dict__.update(self.numbers, words=room[: self.size], address=address, _room=room, _copied=self)
        return made
