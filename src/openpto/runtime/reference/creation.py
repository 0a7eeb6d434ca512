"""Operations that make tiles from nothing."""

from __future__ import annotations

import numpy as np

from openpto.ir.dtypes import DataType, numpy_dtype
from openpto.ir.expr import Dim, Expr
from openpto.ir.nodes import Imm, Op, Value
from openpto.ops import arith
from openpto.runtime.places import shown

from . import regions
from .evaluate import evaluate
from .handlers import impl
from .machine import Machine
from .regions import FULL, Extents
from .tiles import Array, Storage, Tile, blank, tile


def result_of(op: Op) -> Value:
    """The tile an op makes."""
    result = op.results[0]
    assert isinstance(result, Value)
    return result


def explicit_valid(m: Machine, shape: Extents, dims: tuple[Dim, ...]) -> Extents:
    """A valid_shape that the author gave; outside of the shape it is a fault."""
    valid = m.dims(dims)
    if any(n < 0 or n > s for n, s in zip(valid, shape, strict=True)):
        m.fault("PTO455", valid=shown(valid), shape=shown(shape))
    return valid


@impl("unset")
def unset(m: Machine, op: Op) -> None:
    """A name without a value: any read is a fault."""


@impl("alloc")
def alloc(m: Machine, op: Op) -> Tile:
    """A declared tensor: zeros, nothing defined, not written."""
    type = result_of(op).type
    shape = m.shape(type)
    data = np.zeros(shape, numpy_dtype(type.dtype))
    region = regions.nothing(len(shape)) if regions.count(shape) else FULL
    return Tile(data, shape, region, Storage(), written=False)


@impl("full")
def full(m: Machine, op: Op) -> Tile:
    """One value in the whole valid region."""
    type = result_of(op).type
    shape = m.shape(type)
    given = op.attrs.get("valid")
    valid = shape if given is None else explicit_valid(m, shape, given)
    data = blank(shape, type.dtype, valid)
    fill = op.operands[0]
    assert not isinstance(fill, Value)
    content = fill.value if isinstance(fill, Imm) else stored(m, fill, type.dtype)
    data[regions.slices((0,) * len(valid), valid)] = content
    return tile(data, valid)


def stored(m: Machine, scalar: Expr, dtype: DataType) -> Array:
    """A run-time integer in the element type of the tensor that takes it (rank 0); one out of range is a fault."""
    value = m.scalars.of(scalar)
    if dtype in arith.INTEGERS:
        low, high = arith.int_range(dtype)
        if not low <= value <= high:
            m.fault("PTO409", value=value, dtype=dtype.name, low=low, high=high)
    return np.asarray(value != 0 if dtype is DataType.DT_BOOL else value).astype(numpy_dtype(dtype))


@impl("arange")
def arange(m: Machine, op: Op) -> Tile:
    """``start + i * step``; for floats the product and the sum are rounded one after the other, FP16 and BF16 are
    computed in FP32 and rounded once."""
    type = result_of(op).type
    (length,) = m.shape(type)
    start, step = op.operands
    assert isinstance(start, Imm)
    assert isinstance(step, Imm)
    dtype = type.dtype
    wide = DataType.DT_FP32 if dtype in arith.HALVES else dtype
    position = np.arange(length, dtype=np.int64).astype(numpy_dtype(wide))
    expression = arith.rounded(arith.build(_progression, wide, wide, wide), dtype)
    return tile(evaluate(expression, [position, start.value, step.value]))


def _progression(i: arith.Expr, start: arith.Expr, step: arith.Expr) -> arith.Expr:
    return start + i * step
