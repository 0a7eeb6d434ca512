"""Execution of tile IR: one interface, engines by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.diagnostics import fail, warn
from openpto.ir.expr import Expr
from openpto.ir.nodes import Kernel

from . import reference
from .report import RunReport

Engine = Callable[[Kernel, Sequence[NDArray[Any]], Mapping[Expr, int]], RunReport]


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

__all__ = ["ENGINES", "Engine", "RunReport", "execute"]


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
        engine: name of the engine.

    Raises:
        PyptoError: PTO4xx. Those found while the kernel ran have ``fault`` set; outputs are unspecified then.
    """
    chosen = ENGINES.get(engine)
    if chosen is None:
        fail("PTO440", engine=engine, known=", ".join(ENGINES))
    return chosen(kernel, buffers, env or {})
