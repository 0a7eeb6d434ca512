"""Execution of tile IR: one interface, engines by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.diagnostics import fail, warn
from openpto.ir.expr import Expr
from openpto.ir.nodes import Kernel
from openpto.ir.trace import TOp

from . import reference
from .report import RunReport

Engine = Callable[[Kernel, Sequence[NDArray[Any]], Mapping[Expr, int]], RunReport]


@cache
def native_available() -> bool:
    """Whether llvmlite can be loaded here: it has no wheel for every interpreter and machine."""
    try:
        import_module("llvmlite.binding")
    except (ImportError, OSError):  # OSError: LLVM's library does not load
        return False
    return True


def _native(kernel: Kernel, buffers: Sequence[NDArray[Any]], env: Mapping[Expr, int]) -> RunReport:
    """Compiled code; a kernel that it does not cover runs as a whole on the reference, with a warning."""
    from . import native  # loads LLVM

    try:
        return native.execute(kernel, buffers, env)
    except native.Unsupported as missing:
        warn("PTO443", site=missing.site, what=missing.what)
    return reference.execute(kernel, buffers, env)


ENGINES: dict[str, Engine] = {"reference": reference.execute, "native": _native}
"""The engines of this installation by name."""

__all__ = ["ENGINES", "Engine", "RunReport", "chosen", "execute", "follower", "native_available"]


def chosen(engine: str) -> str:
    """The name of the engine that runs: "auto" is the native one where llvmlite can be loaded, else the reference.

    Raises:
        ValueError: PTO440, there is no such engine. RuntimeError: PTO444, llvmlite cannot be loaded.
    """
    if engine == "auto":
        return "native" if native_available() else "reference"
    if engine not in ENGINES:
        fail("PTO440", engine=engine, known=", ".join(ENGINES))
    if engine == "native" and not native_available():
        fail("PTO444")
    return engine


def follower(engine: str) -> Callable[[TOp], None] | None:
    """Who wants to know what a kernel records that ``engine`` is going to run."""
    if engine != "native":
        return None
    from .native.foresee import follow  # loads LLVM

    return follow


def execute(
    kernel: Kernel,
    buffers: Sequence[np.ndarray[Any, Any]],
    env: Mapping[Expr, int] | None = None,
    *,
    engine: str = "reference",
) -> RunReport:
    """Run ``kernel`` on the caller's memory.

    Args:
        kernel: verified tile IR.
        buffers: one C-contiguous array per parameter, of its shape and dtype; written in place. Parameters that are
            one tensor share one array.
        env: values of the symbols in the kernel's shapes; extents that are plain symbols are taken from the buffers.
        engine: name of the engine (see :func:`chosen`).

    Raises:
        PyptoError: PTO4xx. Those found while the kernel ran have ``fault`` set; outputs are unspecified then.
    """
    return ENGINES[chosen(engine)](kernel, buffers, env or {})
