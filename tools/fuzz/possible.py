"""What the declarations of operations say that a statement may do."""

from __future__ import annotations

import functools

from openpto.ir.dtypes import DataType
from openpto.ops.convert import pair_kind
from openpto.ops.registry import OPS, Pointwise


@functools.cache
def takes(op: str, dtype: str) -> bool:
    """Whether some chip has the operation for an element type."""
    dtypes = OPS[op].dtypes
    return dtypes is None or DataType[f"DT_{dtype}"] in dtypes.union


@functools.cache
def converts(source: str, target: str) -> bool:
    """Whether some chip casts from the one to the other."""
    return pair_kind(DataType[f"DT_{source}"], DataType[f"DT_{target}"]) is not None


@functools.cache
def pointwise(operands: int, dtype: str) -> list[str]:
    """Public element by element functions of so many tensors."""
    found = []
    for name, decl in sorted(OPS.items()):
        if isinstance(decl.arithmetic, Pointwise) and decl.public and decl.record is not None and not decl.writes:
            needed = [p for p in decl.signature.parameters.values() if p.default is p.empty]
            if len(needed) == operands and "." not in name and name != "cast" and takes(name, dtype):
                found.append(name)
    return found
