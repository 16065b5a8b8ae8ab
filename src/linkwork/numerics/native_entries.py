"""Objects of loops with a way in from Python (`entries`), made by numba.

What numba links to them for memory is replaced by a few functions on `malloc`, so that an object needs nothing of numba
when it is loaded again. They rely on how numba keeps arrays, which is looked at before: where it is another way, no
object is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import Template
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.core.runtime import nrtdynmod
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from linkwork.kernels.machine import put_together
from linkwork.numerics.entries import NAME, name_of
from linkwork.numerics.stepping.native_handles import HandleType

WORD = ir.IntType(64)
_NUMBERS = {types.int64: "q", types.float64: "d", types.boolean: "?"}

_MEMORY = Template("""
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @"$inner"(ptr, ptr, i64, i64)

define i32 @$entry(ptr %given, ptr %results) {
  %value = alloca ptr
  %exception = alloca ptr
  %g = ptrtoint ptr %given to i64
  %r = ptrtoint ptr %results to i64
  %status = call i32 @"$inner"(ptr %value, ptr %exception, i64 %g, i64 %r)
  ret i32 %status
}

define ptr @NRT_Allocate(i64 %size) {
  %p = call ptr @malloc(i64 %size)
  ret ptr %p
}

define void @NRT_Free(ptr %p) {
  call void @free(ptr %p)
  ret void
}

; count of references, destructor, its argument, address, size; then the numbers themselves
define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %wide = zext i32 %align to i64
  %more = add i64 %size, 64
  %total = add i64 %more, %wide
  %p = call ptr @malloc(i64 %total)
  %none = icmp eq ptr %p, null
  br i1 %none, label %end, label %fill
fill:
  %begin = ptrtoint ptr %p to i64
  %behind = add i64 %begin, 63
  %rounded = add i64 %behind, %wide
  %mask = sub i64 0, %wide
  %data = and i64 %rounded, %mask
  store i64 1, ptr %p
  %p1 = getelementptr i64, ptr %p, i64 1
  store i64 0, ptr %p1
  %p2 = getelementptr i64, ptr %p, i64 2
  store i64 0, ptr %p2
  %p3 = getelementptr i64, ptr %p, i64 3
  store i64 %data, ptr %p3
  %p4 = getelementptr i64, ptr %p, i64 4
  store i64 %size, ptr %p4
  br label %end
end:
  ret ptr %p
}

define ptr @NRT_MemInfo_alloc(i64 %size) {
  %p = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 16)
  ret ptr %p
}

define void @NRT_MemInfo_call_dtor(ptr %p) {
  call void @free(ptr %p)
  ret void
}

; strides of an array that is contiguous before and after
define i32 @numba_attempt_nocopy_reshape(i64 %nd, ptr %dims, ptr %strides, i64 %newnd, ptr %newdims, ptr %newstrides,
    i64 %itemsize, i32 %fortran) {
entry:
  br label %test
test:
  %k = phi i64 [ %newnd, %entry ], [ %next, %body ]
  %stride = phi i64 [ %itemsize, %entry ], [ %longer, %body ]
  %done = icmp eq i64 %k, 0
  br i1 %done, label %end, label %body
body:
  %next = sub i64 %k, 1
  %to = getelementptr i64, ptr %newstrides, i64 %next
  store i64 %stride, ptr %to
  %from = getelementptr i64, ptr %newdims, i64 %next
  %length = load i64, ptr %from
  %longer = mul i64 %stride, %length
  br label %test
end:
  ret i32 1
}
""")


def object_of(loop: Any, kinds: Sequence[Any]) -> tuple[dict[str, Any], bytes] | None:
    """What is told of a loop's object, and the object; None where its arguments, what it
    returns, or numba are of a kind unknown here.

    loop : the function that numba calls; kinds : numba's types of its arguments
    """
    codes = [_code(kind) for kind in kinds]
    if None in codes or not _is_known():
        return None
    loop.compile(tuple(kinds))
    parts = _parts(loop.overloads[tuple(kinds)].signature.return_type)
    if any(part not in _NUMBERS for part in parts):
        return None
    words = types.int64
    enter = _entering(types.Dispatcher(loop), tuple(kinds))

    def face(given, results):  # type: ignore[no-untyped-def]
        enter(given, results)

    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "error_model": "numpy"}
    made = numba.njit(types.void(words, words), **options)(face)
    result: Any = next(iter(made.overloads.values()))
    library = result.library
    module = llvm.parse_bitcode(library._final_module.as_bitcode())
    module.link_in(llvm.parse_assembly(_MEMORY.substitute(entry=NAME, inner=result.fndesc.llvm_func_name)))
    module.verify()
    functions = {f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")}
    needs = functions | {g.name for g in module.global_variables if g.is_declaration}
    if any(name.startswith(("NRT_", "numba_")) for name in needs):
        return None
    about = {"codes": codes, "results": "".join(_NUMBERS[part] for part in parts), "needs": sorted(needs)}
    return about, put_together([bytes(library.codegen._tm.emit_object(module))])


def _is_known() -> bool:
    """Whether numba keeps arrays the way `_MEMORY` does."""
    pointer = str(ir.PointerType(ir.IntType(8)))
    debugging = any(getattr(config, name, 0) for name in ("DEBUG_NRT", "NRT_STATS"))
    head = [str(part) for part in nrtdynmod._meminfo_struct_type.elements]
    return config.MACHINE_BITS == 64 and not debugging and head == ["i64", pointer, pointer, pointer, "i64"]


def _code(kind: Any) -> Any:
    if kind in _NUMBERS:
        return _NUMBERS[kind]
    if isinstance(kind, HandleType):
        return name_of(kind.owner)
    if isinstance(kind, types.Array):
        plain = kind.layout == "C" and kind.mutable and kind.aligned and kind.dtype in _NUMBERS
        return f"{_NUMBERS[kind.dtype]}{kind.ndim}" if plain else None
    if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
        parts = [_code(part) for part in kind]
        return None if None in parts else [name_of(kind.instance_class), *parts]
    return None


def _parts(kind: Any) -> list[Any]:
    """Kinds of the values that a loop returns."""
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        return list(parts)
    return [] if kind == types.none else [kind]


def _entering(target: Any, kinds: tuple[Any, ...]) -> Any:
    """Numba's function of two addresses: read the arguments, call the loop, write what it returns."""

    @intrinsic
    def enter(typing: Any, given: Any, results: Any) -> Any:
        signature = typing.resolve_function_type(target, kinds, {})

        def emit(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
            words = _Words(context, builder, arguments[0])
            value = context.get_function(target, signature)(builder, [words.next(kind) for kind in kinds])
            _write(builder, arguments[1], signature.return_type, value)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), emit

    return enter


class _Words:
    """Values read from words, one after the other."""

    def __init__(self, context: Any, builder: Any, address: Any) -> None:
        self.context, self.builder, self.at = context, builder, 0
        self.table = builder.inttoptr(address, WORD.as_pointer())

    def word(self) -> Any:
        place = cgutils.gep_inbounds(self.builder, self.table, ir.Constant(WORD, self.at))
        self.at += 1
        return self.builder.load(place)

    def next(self, kind: Any) -> Any:
        """The next value, of a kind that has a code."""
        if kind == types.float64:
            return self.builder.bitcast(self.word(), ir.DoubleType())
        if kind == types.boolean:
            return self.builder.trunc(self.word(), ir.IntType(1))
        if isinstance(kind, types.BaseTuple):
            return self.context.make_tuple(self.builder, kind, [self.next(part) for part in _parts(kind)])
        return self._array(kind) if isinstance(kind, types.Array) else self.word()

    def _array(self, kind: Any) -> Any:
        array = self.context.make_array(kind)(self.context, self.builder)
        element = self.context.get_data_type(kind.dtype)
        data = self.builder.inttoptr(self.word(), element.as_pointer())
        shape = [self.word() for _ in range(kind.ndim)]
        size = ir.Constant(WORD, self.context.get_abi_sizeof(element))
        strides = [size]
        for length in shape[:0:-1]:
            strides.insert(0, self.builder.mul(strides[0], length))
        populate_array(array, data, shape, strides, size, meminfo=None, parent=None)
        return array._getvalue()


def _write(builder: Any, address: Any, kind: Any, value: Any) -> None:
    """Write what a loop returns."""
    table = builder.inttoptr(address, WORD.as_pointer())
    for k, part in enumerate(_parts(kind)):
        x = builder.extract_value(value, k) if isinstance(kind, types.BaseTuple) else value
        word = builder.zext(x, WORD) if part == types.boolean else builder.bitcast(x, WORD)
        builder.store(word, cgutils.gep_inbounds(builder, table, ir.Constant(WORD, k)))
