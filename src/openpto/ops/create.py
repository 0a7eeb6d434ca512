"""Tensors made from nothing: full, zeros, ones, arange; and one_hot."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from openpto.diagnostics import T, conversions, fail
from openpto.ir.dtypes import DataType
from openpto.ir.expr import Dim, Expr
from openpto.ir.nodes import Imm, TileType
from openpto.ir.trace import Var

from . import recording as rec
from .dtype_sets import BF16, BOOL, F3, FP16, FP32, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64
from .registry import Array, Dtypes, Named, Sample, op
from .samples import converted, integral

FILLED = Dtypes(F3 | frozenset({INT8, INT16, INT32, UINT8, UINT16, UINT32, BOOL}))
UNSIGNED = frozenset({UINT8, UINT16, UINT32, UINT64})
SEQUENCES = F3 | frozenset({INT16, INT32})
INT_RANGES = {INT16: range(-(2**15), 2**15), INT32: range(-(2**31), 2**31)}


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
            why = T(
                f"{name}() does not support negative fill_value for unsigned integer dtype",
                f"不能用负值填充（{name}() does not support negative fill_value for unsigned integer dtype）",
            )
            fail("PTO268", op=name, why=why)
        content = rec.represented(name, number, dtype)
    else:
        fail(
            "PTO225",
            op=name,
            got=rec.type_name(value),
            hint=T("use an int, float, bool, Element or symbol", "请使用 int、float、bool、Element 或符号"),
        )
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
        Sample(
            "pypto.concat([pypto.full([8, 16], 65520.0, pypto.DT_FP16), x])",
            {"x": converted(lambda rng: np.zeros((8, 16)), FP16)},
            lambda x: np.concatenate([np.full((8, 16), np.inf), x]),
            result=FP16,
        ),
        Sample(
            "pypto.concat([pypto.full([8, 16], 300, pypto.DT_INT16), x])",
            {"x": integral(8, 16, dtype=np.int16)},
            lambda x: np.concatenate([np.full((8, 16), 300, np.int16), x]),
        ),
    ),
)
def full(size: list[int], fill_value: int | float, dtype: DataType, *, valid_shape: list[int] | None = None) -> Var:
    """A tensor whose elements all are ``fill_value``.

    Shapes: ``size`` are plain ints, rank 1-4; ``valid_shape`` (ints or symbols) marks the meaningful part.
    Dtypes: FP16, BF16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32, BOOL. The value (int, float, bool, Element or
    symbol) is rounded to the dtype; a float too large for it gives inf.
    Errors: a negative value for an unsigned dtype; infinity or NaN for an integer dtype; a symbolic or negative size.
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
    rec.bounded(name, shape)
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
        Sample(
            "pypto.concat([pypto.arange(pypto.Element(pypto.DT_BF16, 16)), x])",
            {"x": converted(lambda rng: np.ones(16), BF16)},
            lambda x: np.concatenate([np.arange(16.0), x]),
            tile=(32,),
            result=BF16,
        ),
    ),
)
def arange(*bounds: int | float) -> Var:
    """A sequence: ``arange(end)``, ``arange(start, end)`` or ``arange(start, end, step)``; element k is start + k·step.

    Shapes: one axis of ceil((end - start) / step) elements. Dtypes: FP32 if any argument is a float, else INT32; the
    dtype of the Elements among the arguments, which share one of FP16, BF16, FP32, INT16, INT32. FP16 and BF16 are
    computed in FP32 and rounded once.
    Errors: no or more than three arguments; step 0; an empty range; ints outside the dtype; symbols.
    """
    if not 1 <= len(bounds) <= 3:
        fail(
            "PTO268",
            op="arange",
            why=T(
                f"The length of args should in [1, 2, 3], got {len(bounds)}",
                f"参数应为 1 至 3 个（The length of args should in [1, 2, 3], got {len(bounds)}）",
            ),
        )
    dtype = _sequence_type(bounds)
    numbers = [_bound(value) for value in bounds]
    floating = dtype in F3
    numbers = [rec.double(n) for n in numbers] if floating else numbers
    start, end, step = numbers if len(numbers) == 3 else (*((0,) if len(numbers) == 1 else ()), *numbers, 1)
    if not floating and not all(isinstance(v, int) and v in INT_RANGES[dtype] for v in (start, end, step)):
        fail(
            "PTO268",
            op="arange",
            why=T(f"int arguments must fit into {dtype.short}", f"int 参数必须在 {dtype.short} 的范围内"),
        )
    if step == 0 or (floating and abs(step) <= 1e-8):
        fail("PTO268", op="arange", why=T("step must not be 0", "step 不能为 0"))
    if not all(math.isfinite(v) for v in (start, end, step)) or (end - start) / step <= 0:
        fail(
            "PTO268",
            op="arange",
            why=T(
                f"the range from {start} to {end} by {step} is empty", f"从 {start} 到 {end}、步长为 {step} 的范围为空"
            ),
        )
    length = math.ceil((end - start) / step) if floating else -(-(end - start) // step)
    operands = [rec.rounded(start, dtype), rec.rounded(step, dtype)]
    return rec.emit("arange", operands, TileType((int(length),), dtype), (int(length),))


def _sequence_type(bounds: tuple[Any, ...]) -> DataType:
    """The dtype of a sequence with these arguments (PTO225, PTO228, PTO231)."""
    given = [value.dtype for value in bounds if isinstance(value, Imm)]
    for dtype in given:
        if dtype not in SEQUENCES:
            taken = ", ".join(d.short for d in sorted(SEQUENCES))
            fail("PTO231", op="arange", dtype=dtype.name, taken=taken, how=conversions.element_of(given[0].name))
        if dtype is not given[0]:
            fail(
                "PTO228", op="arange", first=given[0].name, other=dtype.name, how=conversions.element_of(given[0].name)
            )
    for value in bounds:
        if isinstance(value, Expr):
            rec.integer("arange", "every argument", value)
        elif not rec.is_number(value):
            fail("PTO225", op="arange", got=rec.type_name(value), hint=T("use ints or floats", "请使用 int 或 float"))
    if given:
        return given[0]
    return FP32 if any(isinstance(v, float) for v in bounds) else INT32


def _bound(value: Any) -> int | float:
    if isinstance(value, Expr):
        return rec.integer("arange", "every argument", value)
    number = value.value if isinstance(value, Imm) else value
    assert isinstance(number, (int, float))
    return number


CLASSES = Dtypes(frozenset({INT8, INT16, INT32, INT64}))


def _one_hot(x: Array) -> Array:
    found: Array = (x[..., None] == np.arange(8)).astype(np.int64)
    return found


@op(
    "one_hot",
    "K",
    arithmetic=Named("one_hot"),
    dtypes=CLASSES,
    samples=(
        Sample("pypto.one_hot(x, 8)", {"x": integral(16, low=0, high=8)}, _one_hot, tile=(16, 8)),
        Sample("pypto.one_hot(x, 8)", {"x": integral(4, 6, low=0, high=8, dtype=np.int8)}, _one_hot, tile=(4, 6, 8)),
    ),
)
def one_hot(input: Var, num_classes: int) -> Var:
    """INT64 one-hot encoding: at (i, c) 1 where ``input[i]`` is c, else 0.

    Shapes: rank 1-3; the result has ``num_classes`` as a further, last axis. The last vector tile is num_classes.
    Dtypes: INT8, INT16, INT32, INT64; the result is INT64.
    Errors: a num_classes that is no positive int. While running: an element outside [0, num_classes).
    """
    if not isinstance(input, Var):
        fail(
            "PTO222",
            op="one_hot",
            why=T(
                f"input must be a `Tensor`, got {rec.type_name(input)}",
                f"input 的类型有误（input must be a `Tensor`, got {rec.type_name(input)}）",
            ),
        )
    var = rec.tile("one_hot", "input", input, ranks=(1, 3))
    if isinstance(num_classes, bool) or not isinstance(num_classes, int):
        fail(
            "PTO222",
            op="one_hot",
            why=T(
                f"num_classes must be an `int`, got {rec.type_name(num_classes)}",
                f"num_classes 的类型有误（num_classes must be an `int`, got {rec.type_name(num_classes)}）",
            ),
        )
    if num_classes == -1:
        fail(
            "PTO268",
            op="one_hot",
            why=T(
                "num_classes must be specified, -1 does not stand for the greatest class",
                "必须给出 num_classes，-1 不代表最大的类别（num_classes must be specified）",
            ),
        )
    if num_classes <= 0:
        fail(
            "PTO268",
            op="one_hot",
            why=T(
                f"num_classes must be a positive integer, got {num_classes}",
                f"类别数必须为正整数（num_classes must be a positive integer, got {num_classes}）",
            ),
        )
    type = TileType((*var.type.shape, num_classes), INT64)
    last = rec.vector_tile(-1, type.rank)
    if last is not None and last != num_classes:
        fail(
            "PTO328",
            op="one_hot",
            tile=last,
            rule=T(f"{num_classes}, the number of classes", f"{num_classes}，即类别数"),
        )
    return rec.emit("one_hot", [var], type, (*var.valid, num_classes))
