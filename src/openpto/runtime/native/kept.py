"""A compiled kernel as bytes: what a later process needs to run it without its tile IR.

The bytes name object files in the store by key and hold no code and no address. Faults and notes of the program are
described by its source, which is lowered again when they are needed; the key of its code then proves that it is the
same program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.ir import expr as ex
from openpto.ir.expr import Expr
from openpto.ir.nodes import Kernel
from openpto.runtime.report import RunReport

from . import jit, pool
from .engine import Native, Prepared, compile_kernel, run
from .sites import Sites


def described(kernel: Kernel) -> dict[str, Any] | None:
    """A compiled kernel in the types of JSON, None if it cannot be described."""
    native = compile_kernel(kernel)
    sizes = [_leaf(size) for size in native.sizes]
    if None in sizes:
        return None
    return {
        "objects": native.code.objects,
        "names": native.names,
        "sizes": sizes,
        "numbers": native.numbers,
        "scratch": native.scratch,
        "regions": native.regions,
        "shared": native.regions and pool.is_used(),
    }


def restored(image: Mapping[str, Any], kernel: Callable[[], Kernel]) -> Native | None:
    """The compiled kernel of a description, None if its code is not there any more; ``kernel`` traces it."""
    objects = [(str(name), str(key)) for name, key in image["objects"]]
    code = jit.load(objects, jit.target(), pool.extra() if image["shared"] and pool.wanted() > 1 else None)
    if code is None:
        return None

    def places() -> Sites:
        native = compile_kernel(kernel())
        assert native.code.objects[-1] == objects[-1], "another program than the one that runs"
        return native.sites

    sizes = tuple(_expression(size) for size in image["sizes"])
    scratch, regions = int(image["scratch"]), bool(image["regions"])
    return Native(code, tuple(image["names"]), sizes, tuple(image["numbers"]), scratch, regions, places)


def execute(native: Native, buffers: Sequence[NDArray[Any]], env: Mapping[Expr, int]) -> RunReport:
    """Run a restored kernel; ``env`` has the values of the symbols in the types of its parameters."""
    return run(native, buffers, _sizes(native, buffers, env))


def prepared(native: Native, buffers: Sequence[NDArray[Any]], env: Mapping[Expr, int]) -> Prepared:
    """A kernel with the sizes of one call; the arguments are as for :func:`execute`."""
    return Prepared(native, _sizes(native, buffers, env))


def _sizes(native: Native, buffers: Sequence[NDArray[Any]], env: Mapping[Expr, int]) -> dict[Expr, int]:
    sizes = dict(env)
    for name, data in zip(native.names, buffers, strict=True):
        for axis, extent in enumerate(np.shape(data)):
            sizes.setdefault(ex.dim(name, axis), extent)
    return sizes


def _leaf(size: Expr) -> list[Any] | None:
    """A size in the types of JSON: an extent of a parameter or a named symbol."""
    if size.op not in ("dim", "named"):
        return None
    assert isinstance(size.value, tuple)
    return [size.op, *size.value]


def _expression(leaf: Sequence[Any]) -> Expr:
    kind, name, value = leaf
    return ex.dim(str(name), int(value)) if kind == "dim" else ex.named(str(name), value)
