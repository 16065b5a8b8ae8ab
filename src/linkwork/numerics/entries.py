"""Ways from Python into the machine code of loops, without numba, which takes long to import.

`native_entries` makes an object of a loop and all that it calls, with one way in:

    int entry(const word* given, word* results)

Numbers are one word, a handle is its address, an array its address and shape; a loop may return several numbers. Which
arguments there are is told by *codes*, kept with the object. Arguments that do not fit them go to numba.
"""

from __future__ import annotations

import ctypes
import json
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwork.kernels.cache import Cache
from linkwork.kernels.machine import Loaded, this_machine
from linkwork.numerics import warming
from linkwork.numerics.stepping.handle import Handle

NAME = "linkwork_entry"
"""The function of an object."""
DTYPES = {"d": np.dtype(np.float64), "q": np.dtype(np.int64), "?": np.dtype(np.bool_)}
"""Numbers in arrays by their codes."""
_address: Any = ctypes.addressof
_byte: Any = ctypes.c_char.from_buffer
_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
_FINE = (0, -2)
"""What numba's functions return when nothing went wrong: a value, or None."""

Words = list[Any]
Code = str | list[Any]
Put = Callable[[Any, Words], None]
"""Adds the words of an argument, or raises `Misfit`."""


class Misfit(TypeError):
    """An argument is not of the kind that an entry takes."""


class Entry:
    """A loop to call: machine code, how arguments become words, and what to do with those that do not fit.

    codes : q, d, ? are a whole number, a float, a bool; d2 an array of floats of two axes; a handle is the name of its
        type, a named tuple a list: the name of its type and the codes of its parts
    results : q, d, ? for each number that comes back; one number is returned as it is, several as a tuple
    """

    def __init__(self, codes: Sequence[Code], results: str, data: bytes, otherwise: Callable[..., Any]) -> None:
        self._code = Loaded(data, this_machine())
        self._call = _ENTRY(self._code.address(NAME))
        self._puts = [_put(code) for code in codes]
        self._pack = struct.Struct("".join(_form(code) for code in codes)).pack
        self._results, self._otherwise = results, otherwise
        self._room = ctypes.c_char * (8 * max(len(results), 1))
        self._unpack = struct.Struct("".join("d" if code == "d" else "q" for code in results)).unpack

    def __call__(self, *arguments: Any) -> Any:
        words: Words = []
        try:
            for put, x in zip(self._puts, arguments, strict=True):
                put(x, words)
            given = self._pack(*words)
        except (Misfit, ValueError, struct.error):
            return self._otherwise(*arguments)
        room = self._room()
        status = self._call(given, ctypes.addressof(room))
        if status not in _FINE:
            raise MemoryError(f"a loop ended with status {status}: there may be no memory left")
        if not self._results:
            return None
        found = self._unpack(room)
        if "?" in self._results:
            found = tuple(bool(x) if code == "?" else x for x, code in zip(found, self._results, strict=True))
        return found if len(found) > 1 else found[0]


def _form(code: Code) -> str:
    """How the words of an argument are packed."""
    if isinstance(code, list):
        return "".join(_form(part) for part in code[1:])
    if code[1:].isdigit():
        return "q" * (1 + int(code[1:]))
    return "d" if code == "d" else "q"


def _put(code: Code) -> Put:
    if isinstance(code, list):
        return _tuple(code[0], [_put(part) for part in code[1:]])
    if code in _KINDS:
        return _number(*_KINDS[code])
    return _array(DTYPES[code[0]], int(code[1:])) if code[1:].isdigit() else _handle(code)


_KINDS = {"q": (int, np.int64), "d": (float, np.float64), "?": (bool, np.bool_)}


def _number(*kinds: type) -> Put:
    def put(x: Any, words: Words) -> None:
        if type(x) not in kinds:
            raise Misfit
        words.append(x)

    return put


def _array(dtype: Any, axes: int) -> Put:
    def put(x: Any, words: Words) -> None:
        if type(x) is not np.ndarray or x.ndim != axes or (x.dtype is not dtype and x.dtype != dtype):
            raise Misfit
        try:
            words.append(_address(_byte(x)))  # refuses what is not contiguous, or cannot be written to
        except TypeError:
            raise Misfit from None
        except ValueError:  # there are no numbers
            words.append(x.ctypes.data)
        words.extend(x.shape)

    return put


def _handle(name: str) -> Put:
    known: type | None = None

    def put(x: Any, words: Words) -> None:
        nonlocal known
        if type(x) is not known:
            if not isinstance(x, Handle) or name_of(type(x)) != name:
                raise Misfit
            known = type(x)
        words.append(x.address)

    return put


def _tuple(name: str, puts: list[Put]) -> Put:
    known: type | None = None

    def put(x: Any, words: Words) -> None:
        nonlocal known
        if type(x) is not known:
            if name_of(type(x)) != name:
                raise Misfit
            known = type(x)
        for own, part in zip(puts, x, strict=True):
            own(part, words)

    return put


def name_of(kind: type) -> str:
    """What codes call a handle or a named tuple."""
    return f"{kind.__module__}.{kind.__qualname__}"


# ---------------------------------------------------------------- on disk


def kept_entry(function: Callable[..., Any], kind: str, otherwise: Callable[..., Any]) -> Entry | None:
    """The entry of a loop that was made before, for a first argument of some type."""
    key, cache = warming.key(function, kind), Cache(warming.folder())
    content = cache.get(key)
    if content is None:
        return None
    head, _, data = content.partition(b"\n")
    about = json.loads(head)
    return entry_of(about, data, otherwise)


def keep(function: Callable[..., Any], kind: str, about: dict[str, Any], data: bytes) -> None:
    """Keep the object of a loop."""
    Cache(warming.folder()).put(warming.key(function, kind), json.dumps(about).encode() + b"\n" + data)


def entry_of(about: dict[str, Any], data: bytes, otherwise: Callable[..., Any]) -> Entry | None:
    """The entry of an object; None where this process lacks something that it calls."""
    import llvmlite.binding as llvm

    if any(llvm.address_of_symbol(name) is None for name in about["needs"]):
        return None
    return Entry(about["codes"], about["results"], data, otherwise)
