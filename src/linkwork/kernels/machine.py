"""The machine that kernels are compiled for, and the way from LLVM assembly to addresses that can be called."""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import llvmlite
import llvmlite.binding as llvm

from linkwork.kernels.locks import fork_safe_lock

log = logging.getLogger(__name__)

_llvm = fork_safe_lock()
"""Held while LLVM works."""

EFFORT = 1
"""Of the code generator, for tapes. 2 would schedule once more after registers are allocated: 60 % more time to compile
straight-line code, which runs no faster."""


@dataclass(frozen=True)
class Machine:
    """A processor as the code generator sees it: name, features, doubles per vector register, fused multiply-add."""

    cpu: str
    features: str
    width: int
    fma: bool
    triple: str

    def __str__(self) -> str:
        return f"{self.cpu or 'portable'}, {self.width} lanes{', fma' if self.fma else ''}"

    @cached_property
    def digest(self) -> str:
        """Names the code generator and its target: objects of equal digests are interchangeable."""
        what = (
            self.cpu,
            self.features,
            self.width,
            self.fma,
            self.triple,
            EFFORT,
            llvm.llvm_version_info,
            llvmlite.__version__,
        )
        return combined_digest(*what)


def combined_digest(*parts: object) -> str:
    """One name for several things."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@cache
def _start_llvm() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def portable_machine() -> Machine:
    """Code that runs on every processor of this family: two lanes, no fused multiply-add."""
    return Machine(cpu="", features="", width=2, fma=False, triple=llvm.get_process_triple())


@cache
def this_machine() -> Machine:
    """The processor under this process; `LINKWORK_TARGET=portable` asks for code that runs on all of its family."""
    wanted = os.environ.get("LINKWORK_TARGET", "native").strip().lower()
    if wanted == "portable":
        return portable_machine()
    if wanted not in ("native", ""):
        log.warning("LINKWORK_TARGET=%s is not known (native, portable); native is used", wanted)
    try:
        return _native_machine()
    except (RuntimeError, ValueError, OSError) as error:
        log.warning("the processor is not known (%s); portable code is used", error)
        return portable_machine()


def _native_machine() -> Machine:
    _start_llvm()
    cpu = llvm.get_host_cpu_name()
    has = llvm.get_host_cpu_features()
    arm = platform.machine().lower() in ("arm64", "aarch64")
    if cpu in ("", "generic") and not arm:
        return portable_machine()
    machine = Machine(
        cpu=cpu,
        features=has.flatten(),
        width=8 if has.get("avx512f") else 4 if has.get("avx") else 2,
        fma=arm or bool(has.get("fma")),
        triple=llvm.get_process_triple(),
    )
    _target(machine)  # raises where LLVM refuses the processor
    return machine


def _target(machine: Machine, effort: int = EFFORT) -> llvm.TargetMachine:
    _start_llvm()
    return llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu, features=machine.features, opt=effort, reloc="default", codemodel="jitdefault", jit=True
    )


def compile_assembly(modules: str | Iterable[str], machine: Machine, effort: int = EFFORT) -> bytes:
    """The object files of modules in LLVM assembly, put together. No passes run on them: tapes come simplified.

    LLVM does one thing at a time in a process: between two modules others have their turn.
    """
    objects = []
    for assembly in [modules] if isinstance(modules, str) else modules:
        with _llvm:
            target = _target(machine, effort)
            context = llvm.create_context()
            with llvm.parse_assembly(assembly, context) as module:
                objects.append(bytes(target.emit_object(module)))
    return put_together(objects)


def put_together(objects: Sequence[bytes]) -> bytes:
    """Object files as one piece of data, as `Loaded` takes it."""
    return struct.pack(f"<{len(objects) + 1}q", len(objects), *map(len, objects)) + b"".join(objects)


def _objects(data: bytes) -> Iterator[bytes]:
    """The object files that were put together."""
    (count,) = struct.unpack_from("<q", data)
    begin = 8 * (count + 1)
    for size in struct.unpack_from(f"<{count}q", data, 8):
        yield data[begin : begin + size]
        begin += size


class Loaded:
    """Object files in memory; the addresses of their functions hold as long as this object lives."""

    def __init__(self, data: bytes, machine: Machine) -> None:
        with _llvm:
            self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target(machine))
            for part in _objects(data):
                self._engine.add_object_file(llvm.ObjectFileRef.from_data(part))
            self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Where the named function starts."""
        with _llvm:
            found = int(self._engine.get_function_address(name))
        if not found:
            raise LookupError(f"the object has no function '{name}'")
        return found

    def __repr__(self) -> str:
        return f"Loaded({self._engine!r})"
