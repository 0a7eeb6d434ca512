"""LLVM's library, and the code paths that it compiles for.

``PYPTO_CPU`` chooses the code path for tests: ``native`` (default), ``avx512``, ``avx2`` or ``generic``.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from openpto._forks import awaited_by_fork
from openpto._records import dataclass

from .once import once

_AVX2 = "+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt,+sse4.2,+movbe"
_PATHS = {
    "generic": ("x86-64", ""),
    "avx2": ("haswell", _AVX2),
    "avx512": ("skylake-avx512", f"{_AVX2},+avx512f,+avx512dq,+avx512bw,+avx512vl,+avx512cd"),
}


@dataclass(frozen=True, slots=True)
class Target:
    """A code path: LLVM's triple, CPU name and feature string, and the features as a set."""

    triple: str
    cpu: str
    attributes: str
    features: frozenset[str]

    @property
    def is_x86(self) -> bool:
        """Whether the control word is MXCSR."""
        return self.triple.startswith(("x86_64", "i"))

    @property
    def is_near(self) -> bool:
        """Whether an object file is linked into one piece of memory, so that its parts reach each other by short
        distances: the linker for this format does that, the general one promises nothing. Calls and constants are
        less code then, and the fast code generator need not leave every call to the slow one."""
        return self.triple.startswith("x86_64") and "linux" in self.triple


@once
def binding() -> Any:
    """llvmlite's binding layer, initialised."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    # Each call of LLVM takes this lock, also one that frees the code of a kernel that nobody has any more: whenever the
    # last reference goes, in any thread, and under no lock of ours.
    awaited_by_fork(llvm.ffi.lib._lock._lock)
    return llvm


def target(path: str | None = None) -> Target:
    """The code path in force (argument, else ``PYPTO_CPU``, else this machine's)."""
    return _target(path or os.environ.get("PYPTO_CPU", "native"))


@cache
def _target(path: str) -> Target:
    llvm = binding()
    triple = llvm.get_process_triple()
    if path in _PATHS and triple.startswith("x86_64"):
        cpu, attributes = _PATHS[path]
    else:
        cpu = llvm.get_host_cpu_name()
        attributes = llvm.get_host_cpu_features().flatten()
    names = frozenset(a[1:] for a in attributes.split(",") if a.startswith("+"))
    return Target(triple, cpu, attributes, names)
