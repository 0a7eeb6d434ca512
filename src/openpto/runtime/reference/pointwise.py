"""Element by element operations: the declared scalar expression on the valid region."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from openpto.ir import affine
from openpto.ir.dtypes import DataType, numpy_dtype
from openpto.ir.expr import Expr
from openpto.ir.nodes import Imm, Op, TileType, Value
from openpto.ops import arith
from openpto.ops.math.small_floats import CODES
from openpto.ops.promotion import CONVERT
from openpto.ops.registry import OPS, Pointwise
from openpto.runtime.places import shown

from . import regions
from .evaluate import evaluate
from .handlers import impl
from .machine import Machine
from .regions import FULL, Extents, Region
from .tiles import Array, Tile, blank, tile, whole, zero_padded


@impl("pointwise")
def pointwise(m: Machine, op: Op) -> Tile:
    """The valid extent per axis is the least of the operands that span the axis; a broadcast operand repeats."""
    result = op.results[0]
    assert isinstance(result, Value)
    shape = m.shape(result.type)
    tiles = [m.read(o) for o in op.operands if isinstance(o, Value)]
    if all(t.data.shape == shape and t.valid == shape for t in tiles):
        valid = shape
    else:
        valid = _valid(m, op, shape, tiles)
    inputs = [_input(m, o, shape, valid) for o in op.operands]
    data = blank(shape, result.type.dtype, valid)
    if regions.count(valid):
        body = data if valid == shape else data[tuple([slice(n) for n in valid])]
        evaluate(expression_of(op, result.type), inputs, _codes(body, result.type.dtype))
    return tile(data, valid, _defined(m, op, tiles, valid))


def _codes(data: Array, dtype: DataType) -> Array:
    """The same memory as expressions see it."""
    return data.view(np.uint8) if dtype in CODES else data


def expression_of(op: Op, type: TileType) -> arith.Expr:
    """The scalar expression of a pointwise op with these operands."""
    dtypes = tuple([_dtype(o) for o in op.operands])
    attrs = tuple(sorted(op.attrs.items())) if op.attrs else ()
    return _expression(op.name, dtypes, type.dtype, attrs)


@lru_cache(maxsize=4096)
def _expression(
    name: str, dtypes: tuple[DataType, ...], result: DataType, attrs: tuple[tuple[str, Any], ...]
) -> arith.Expr:
    arithmetic = OPS[name].arithmetic
    assert isinstance(arithmetic, Pointwise)
    return arithmetic.expression(dtypes, result, dict(attrs))


def _dtype(operand: Value | Imm | Expr) -> DataType:
    if isinstance(operand, Value):
        return operand.type.dtype
    return operand.dtype if isinstance(operand, Imm) else DataType.DT_INT64


def _valid(m: Machine, op: Op, shape: Extents, tiles: list[Tile]) -> Extents:
    """The valid extents of the result; run-time shapes that do not broadcast are a fault."""
    valid = list(shape)
    differ = False
    for axis in range(1, len(shape) + 1):
        spanning = []
        for t in tiles:
            if axis > len(t.valid):
                continue
            capacity = t.data.shape[-axis]
            if capacity == shape[-axis]:
                spanning.append(t.valid[-axis])
            elif capacity != 1:
                m.fault("PTO462", op=op.called, shapes=", ".join(shown(x.data.shape) for x in tiles), want=shown(shape))
        valid[-axis] = min(spanning, default=shape[-axis])
        differ = differ or len(set(spanning)) > 1
    if differ and not said_while_tracing(op):
        m.portability("PTO432", op, op=op.called, extents=", ".join(shown(t.valid) for t in tiles), used=shown(valid))
    return tuple(valid)


def said_while_tracing(op: Op) -> bool:
    """Whether the extents differ for every size: then the same was said while the kernel was traced."""
    hints = [o.valid for o in op.operands if isinstance(o, Value)]
    for first, second in pairwise(hints):
        for a, b in zip(first[::-1], second[::-1], strict=False):
            if a is not None and b is not None and affine.difference(a, b) not in (0, None):
                return True
    return False


def _input(m: Machine, operand: Value | Imm | Expr, shape: Extents, valid: Extents) -> Any:
    """The part of an operand that the valid region of the result needs, as numpy broadcasts it."""
    if isinstance(operand, Value):
        found = m.env[operand]
        assert found is not None
        data = _codes(found.data, operand.type.dtype)
        if found.valid == data.shape and valid == shape:
            return data
        lead = len(valid) - data.ndim
        extents = tuple([v if c == s else 1 for v, c, s in zip(valid[lead:], data.shape, shape[lead:], strict=True)])
        if any(n > v for n, v in zip(extents, found.valid, strict=True)):
            data = _codes(
                zero_padded(found), operand.type.dtype
            )  # a repeated operand without valid elements counts as zero
        return data[tuple([slice(n) for n in extents])]
    if isinstance(operand, Imm):
        return operand.value
    return np.asarray(m.scalars.of(operand), numpy_dtype(DataType.DT_INT64))


def _defined(m: Machine, op: Op, tiles: list[Tile], valid: Extents) -> Region:
    region: Region = FULL
    for t in tiles:
        if 0 in t.valid and regions.count(valid):
            region = regions.nothing(len(valid))
        elif t.defined is not None and not whole(t):
            region = regions.intersect(region, regions.spread(t.defined, t.valid, valid), valid)
    if region is not None and op.name != CONVERT:
        m.warn("PTO431", op, op=op.called)
    return region
