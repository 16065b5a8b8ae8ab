"""Compile one emitted block and run it over arrays, for the tests of emitters."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

import llvmlite.binding as llvm
import numpy as np

from linkwork.kernels.lanes import Lanes
from linkwork.kernels.operations import bind_library

Emit = Callable[..., str | tuple[str, ...]]


def machine() -> llvm.TargetMachine:
    """Code generator for this computer."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2, jit=True
    )


def module(emit: Emit, arity: int, width: int, fma: bool) -> tuple[str, int]:
    """A function over tiles [tile][row][lane], as text, and its number of results."""
    lanes = Lanes(width, fma)
    results = emit(lanes, *(lanes.load("%in", row) for row in range(arity)))
    results = (results,) if isinstance(results, str) else results
    for row, value in enumerate(results):
        lanes.store(value, "%out", row)
    text = "\n".join(
        (
            *sorted(lanes.declarations),
            "define void @lw_test(ptr noalias %in0, ptr noalias %out0, i64 %tiles) {",
            "entry:\n  br label %loop",
            "loop:",
            "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
            f"  %in_offset = mul i64 %i, {arity * width}",
            f"  %out_offset = mul i64 %i, {len(results) * width}",
            "  %in = getelementptr double, ptr %in0, i64 %in_offset",
            "  %out = getelementptr double, ptr %out0, i64 %out_offset",
            *lanes.lines,
            "  %next = add i64 %i, 1",
            "  %more = icmp slt i64 %next, %tiles",
            "  br i1 %more, label %loop, label %done",
            "done:\n  ret void\n}",
        )
    )
    return text, len(results)


def compiled(emit: Emit, arity: int, width: int = 1, fma: bool = True) -> Callable[..., np.ndarray]:
    """f(*arrays) -> array [result, sample]; samples are padded to whole tiles."""
    bind_library()
    text, n_out = module(emit, arity, width, fma)
    target = machine()
    parsed = llvm.parse_assembly(text)
    parsed.verify()
    engine = llvm.create_mcjit_compiler(parsed, target)
    engine.finalize_object()
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(
        engine.get_function_address("lw_test")
    )

    def run(*arrays: Sequence[float] | np.ndarray) -> np.ndarray:
        rows = np.atleast_2d(np.stack([np.asarray(a, dtype=float).ravel() for a in arrays]))
        n = rows.shape[1]
        tiles = -(-n // width)
        padded = np.zeros((arity, tiles * width))
        padded[:, :n] = rows
        tiled = np.ascontiguousarray(padded.reshape(arity, tiles, width).transpose(1, 0, 2))
        out = np.zeros((tiles, n_out, width))
        call(tiled.ctypes.data, out.ctypes.data, tiles)
        return np.ascontiguousarray(out.transpose(1, 0, 2).reshape(n_out, -1)[:, :n])

    run.engine = engine  # type: ignore[attr-defined]  # keeps the code alive
    return run


def instructions(emit: Emit, arity: int, width: int) -> list[str]:
    """Machine instructions of the loop body, from its assembly, without labels and directives."""
    text, _ = module(emit, arity, width, True)
    lines = machine().emit_assembly(llvm.parse_assembly(text)).splitlines()
    return [s for line in lines if (s := line.strip()) and line.startswith("\t") and not s.startswith((".", "#"))]


def ordered(x: np.ndarray) -> np.ndarray:
    """Numbers as integers, so that neighbours differ by one and both zeros are 0."""
    n = np.ascontiguousarray(x, dtype=float).view(np.int64)
    return np.where(n < 0, np.int64(-(2**63)) - n, n)


def ulps(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Numbers between found and expected; 0 for NaN at the same places, infinite for NaN at one of them."""
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    a, b = ordered(found), ordered(expected)
    with np.errstate(over="ignore"):
        distance = np.where((a < 0) == (b < 0), np.abs(a - b), np.abs(a.astype(float)) + np.abs(b.astype(float)))
    nan = np.isnan(found), np.isnan(expected)
    return np.where(nan[0] & nan[1], 0.0, np.where(nan[0] != nan[1], np.inf, distance))


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal to the last bit, signs of zeros included; any NaN equals any NaN."""
    nan = np.isnan(a) & np.isnan(b)
    return bool(np.all(nan | (a.view(np.int64) == b.view(np.int64))))
