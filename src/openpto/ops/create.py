"""Tensors made from nothing: full, zeros, ones, arange."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from openpto.diagnostics import fail
from openpto.ir.dtypes import DataType
from openpto.ir.expr import Dim, Expr
from openpto.ir.nodes import Imm, TileType
from openpto.ir.trace import Var

from . import recording as rec
from .dtype_sets import BOOL, F3, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32, UINT64
from .registry import Dtypes, Named, Sample, op

FILLED = Dtypes(F3 | frozenset({INT8, INT16, INT32, UINT8, UINT16, UINT32, BOOL}))
UNSIGNED = frozenset({UINT8, UINT16, UINT32, UINT64})
INT32_RANGE = range(-(2**31), 2**31)


def filled(name: str, shape: tuple[Dim, ...], value: object, dtype: DataType, valid: tuple[Dim, ...] | None) -> Var:
    """Record a tensor whose every element is ``value``; symbolic extents are for stores only."""
    rec.host_type(name, dtype)
    content: Imm | Expr
    if isinstance(value, Expr):
        content = value
    elif rec.is_number(value):
        number = value.value if isinstance(value, Imm) else value
        assert isinstance(number, (int, float))
        if dtype in UNSIGNED and number < 0:
            why = f"{name}() does not support negative fill_value for unsigned integer dtype"
            fail("PTO268", op=name, why=why)
        content = rec.rounded(number, dtype)
    else:
        fail("PTO225", op=name, got=rec.type_name(value), hint="use an int, float, bool, Element or symbol")
    return rec.emit("full", [content], TileType(shape, dtype), valid or shape, valid=valid)


@op(
    "full",
    "K",
    arithmetic=Named("full"),
    dtypes=FILLED,
    samples=(
        Sample(
            "pypto.full([8, 16], 1.5, pypto.DT_FP32) + x", {"x": lambda rng: np.zeros((8, 16), "f4")}, lambda x: x + 1.5
        ),
    ),
)
def full(size: list[int], fill_value: int | float, dtype: DataType, *, valid_shape: list[int] | None = None) -> Var:
    """A tensor whose elements all are ``fill_value``.

    Shapes: ``size`` are plain ints, rank 1-4; ``valid_shape`` (ints or symbols) marks the meaningful part.
    Dtypes: FP16, BF16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32, BOOL. The value (int, float, bool, Element or
    symbol) is rounded to the dtype; a float too large for it gives inf.
    Errors: a negative value for an unsigned dtype; a symbolic or negative size.
    """
    shape = _size("full", size)
    kind = rec.data_type("full", "dtype", dtype)
    rec.element_type("full", kind, FILLED, computes=False)
    return filled("full", shape, fill_value, kind, rec.valid_shape("full", valid_shape, shape))


def _size(name: str, size: object) -> tuple[int, ...]:
    shape = rec.extents(name, "size", size)
    if not 1 <= len(shape) <= 4:
        fail("PTO232", op=name, name="size", rank=len(shape), low=1, high=4)
    if 0 in shape:
        fail("PTO235", op=name, extent=0, shape=list(shape))
    return shape


def _constant(name: str, value: int, size: tuple[Any, ...], dtype: object) -> Var:
    listed = size[0] if len(size) == 1 and isinstance(size[0], (list, tuple)) else list(size)
    shape = _size(name, listed)
    kind = FP32 if dtype is None else rec.data_type(name, "dtype", dtype)
    return filled(name, shape, value, kind, None)


@op(
    "zeros",
    "K",
    arithmetic=Named("full"),
    samples=(Sample("pypto.zeros(8, 16) + x", {"x": lambda rng: np.ones((8, 16), "f4")}, lambda x: x),),
)
def zeros(*size: int, dtype: DataType | None = None) -> Var:
    """A tensor of zeros: ``zeros(8, 16)`` or ``zeros([8, 16])``.

    Shapes: plain ints, rank 1-4. Dtypes: any with a host type; FP32 unless the keyword ``dtype`` says otherwise.
    Errors: a symbolic or negative size; a dtype given by position (it is taken as an extent).
    """
    return _constant("zeros", 0, size, dtype)


@op(
    "ones",
    "K",
    arithmetic=Named("full"),
    samples=(Sample("pypto.ones([8, 16]) * x", {"x": lambda rng: np.ones((8, 16), "f4")}, lambda x: x),),
)
def ones(*size: int, dtype: DataType | None = None) -> Var:
    """A tensor of ones: ``ones(8, 16)`` or ``ones([8, 16])``.

    Shapes: plain ints, rank 1-4. Dtypes: any with a host type; FP32 unless the keyword ``dtype`` says otherwise.
    Errors: a symbolic or negative size; a dtype given by position (it is taken as an extent).
    """
    return _constant("ones", 1, size, dtype)


@op(
    "arange",
    "K",
    arithmetic=Named("arange"),
    samples=(
        Sample(
            "pypto.arange(16) + x",
            {"x": lambda rng: np.zeros(16, "i4")},
            lambda x: np.arange(16, dtype=np.int32),
            tile=(16,),
        ),
        Sample(
            "pypto.arange(0.0, 8.0, 0.5) + x",
            {"x": lambda rng: np.zeros(16, "f4")},
            lambda x: np.arange(0, 8, 0.5),
            tile=(16,),
        ),
    ),
)
def arange(*bounds: int | float) -> Var:
    """A sequence: ``arange(end)``, ``arange(start, end)`` or ``arange(start, end, step)``; element k is start + k·step.

    Shapes: one axis of ceil((end - start) / step) elements. Dtypes: FP32 if any argument is a float, else INT32.
    Errors: no or more than three arguments; step 0; an empty range; ints outside INT32; symbols.
    """
    if not 1 <= len(bounds) <= 3:
        fail("PTO268", op="arange", why=f"The length of args should in [1, 2, 3], got {len(bounds)}")
    for value in bounds:
        if isinstance(value, Expr):
            rec.integer("arange", "every argument", value)
        elif not isinstance(value, (int, float)):
            fail("PTO225", op="arange", got=rec.type_name(value), hint="use ints or floats")
    start, end, step = bounds if len(bounds) == 3 else (*((0,) if len(bounds) == 1 else ()), *bounds, 1)
    floating = any(isinstance(v, float) for v in bounds)
    if step == 0 or (floating and abs(step) <= 1e-8):
        fail("PTO268", op="arange", why="step must not be 0")
    if not all(math.isfinite(v) for v in (start, end, step)) or (end - start) / step <= 0:
        fail("PTO268", op="arange", why=f"the range from {start} to {end} by {step} is empty")
    if not floating and not all(v in INT32_RANGE for v in (start, end, step)):
        fail("PTO268", op="arange", why="int arguments must fit into INT32")
    length = math.ceil((end - start) / step) if floating else -(-(end - start) // step)
    dtype = FP32 if floating else INT32
    operands = [rec.rounded(start, dtype), rec.rounded(step, dtype)]
    return rec.emit("arange", operands, TileType((int(length),), dtype), (int(length),))
