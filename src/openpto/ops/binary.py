"""Elementwise operations of two operands, and the choice ``where``."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np

from openpto.diagnostics import T, fail
from openpto.ir.dtypes import DataType, is_float
from openpto.ir.enums import PrecisionType
from openpto.ir.nodes import Imm
from openpto.ir.trace import Var

from . import arith, shapes
from . import math as functions
from . import recording as rec
from .dtype_sets import BF16, BOOL, F3, FP32, HALVES, I2, INT8, INT32, UINT8, UINT16, UINT32
from .registry import Array, Dtypes, Pointwise, Sample, op
from .samples import normal, positive, truth
from .typed_samples import any_values
from .unary import ARITHMETIC, BF16_ONLY, FLOATS, precise, result_ulp

ADDITIVE = Dtypes(F3 | I2, frozenset({INT8, UINT8}))
EXTREME = Dtypes(F3 | I2, frozenset({INT8, UINT8, UINT16, UINT32}))
PROMOTED = HALVES


def binary(name: str, x: object, y: object, *, strict: bool = True, result: DataType | None = None) -> Var:
    """Record a tensor with a tensor or scalar of one dtype; ``strict``: no float scalar beside integers."""
    first = rec.tile(name, "input", x)
    other = beside(name, y, first, strict=strict)
    return rec.pointwise(name, [first, other], result)


def beside(name: str, value: object, first: Var, *, strict: bool) -> Var | Imm:
    """The second operand: a tensor of the same dtype, or a scalar that takes it."""
    if isinstance(value, Var):
        rec.static_shape(name, "other", value)
        rec.same_dtype(name, first, value)
        return rec.tile(name, "other", value)
    take = rec.strict_scalar if strict else rec.scalar
    return take(name, value, first.type.dtype)


def binary_samples(
    call: str,
    dtypes: Dtypes,
    golden: Callable[..., Array],
    *,
    ulp: float = 0.0,
    from_int: DataType | None = None,
    tile: tuple[int, ...] = (8, 16),
) -> tuple[Sample, ...]:
    """One sample per type, with its special values; ``from_int`` is the result type of integers."""
    return tuple(
        Sample(
            call,
            {"x": any_values(dtype), "y": _mixed(dtype)},
            golden,
            ulp=result_ulp(dtype, ulp),
            result=dtype if is_float(dtype) else from_int or dtype,
            tile=tile,
        )
        for dtype in sorted(dtypes.union)
    )


def _mixed(dtype: DataType) -> Callable[[np.random.Generator], Array]:
    """The special values in another order, so that they meet each other."""
    values = any_values(dtype)

    def generate(rng: np.random.Generator) -> Array:
        mixed: Array = values(rng).copy()
        rng.shuffle(mixed.reshape(-1)[:32])
        return mixed

    return generate


@op(
    "add",
    "B",
    arithmetic=Pointwise(float=lambda x, y: x + y, int=lambda x, y: x + y),
    dtypes=ADDITIVE,
    promoted=PROMOTED,
    keywords={"input_tensor": "input"},
    method=True,
    samples=(
        Sample("pypto.add(x, y)", {"x": normal(8, 16), "y": normal(8, 16)}, lambda x, y: x + y, ulp=0.5),
        Sample("pypto.add(x, y)", {"x": normal(8, 16), "y": normal(1, 16)}, lambda x, y: x + y, ulp=0.5),
        Sample("pypto.add(x, 3)", {"x": any_values(INT32)}, lambda x: x + 3),
        *binary_samples("pypto.add(x, y)", ADDITIVE, lambda x, y: x + y, ulp=0.5),
    ),
)
def add(input: Var, other: Var | int | float) -> Var:
    """Sum, element by element.

    Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
    Dtypes: FP16, BF16, FP32, INT16, INT32 (INT8, UINT8 on the 950), both the same; integers wrap.
    Errors: a float scalar beside an integer tensor; different dtypes; shapes that do not broadcast.
    """
    return binary("add", input, other)


@op(
    "sub",
    "B",
    arithmetic=Pointwise(float=lambda x, y: x - y, int=lambda x, y: x - y),
    dtypes=ADDITIVE,
    promoted=PROMOTED,
    keywords={"input_tensor": "input"},
    method=True,
    samples=(
        Sample("pypto.sub(x, y)", {"x": normal(8, 16), "y": normal(8, 1)}, lambda x, y: x - y, ulp=0.5),
        Sample("x - 2.5", {"x": normal(8, 16)}, lambda x: x - 2.5, ulp=0.5),
        Sample("2.5 - x", {"x": normal(8, 16)}, lambda x: 2.5 - x, ulp=0.5),
        *binary_samples("pypto.sub(x, y)", ADDITIVE, lambda x, y: x - y, ulp=0.5),
    ),
)
def sub(input: Var, other: Var | int | float) -> Var:
    """Difference, element by element.

    Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
    Dtypes: FP16, BF16, FP32, INT16, INT32 (INT8, UINT8 on the 950), both the same; integers wrap.
    Errors: a float scalar beside an integer tensor; different dtypes; shapes that do not broadcast.
    """
    return binary("sub", input, other)


@op(
    "mul",
    "B",
    arithmetic=Pointwise(float=lambda x, y: x * y, int=lambda x, y: x * y),
    dtypes=ARITHMETIC,
    promoted=PROMOTED,
    keywords={"input_tensor": "input"},
    method=True,
    samples=(
        Sample("pypto.mul(x, y)", {"x": normal(8, 16), "y": normal(8, 16)}, lambda x, y: x * y, ulp=0.5),
        Sample("x * 3", {"x": any_values(INT32)}, lambda x: x * 3),
        *binary_samples("pypto.mul(x, y)", ARITHMETIC, lambda x, y: x * y, ulp=0.5),
    ),
)
def mul(input: Var, other: Var | int | float) -> Var:
    """Product, element by element.

    Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
    Dtypes: FP16, BF16, FP32, INT16, INT32, both the same; integers wrap.
    Errors: a float scalar beside an integer tensor; different dtypes; shapes that do not broadcast.
    """
    return binary("mul", input, other)


@op(
    "div",
    "B",
    arithmetic=Pointwise(
        float=lambda x, y: x / y,
        int=lambda x, y: arith.convert(x, FP32) / arith.convert(y, FP32),
    ),
    dtypes=ARITHMETIC,
    promoted=BF16_ONLY,
    method=True,
    samples=(
        Sample("pypto.div(x, y)", {"x": normal(8, 16), "y": positive(8, 16)}, lambda x, y: x / y, ulp=0.5),
        *binary_samples("x / y", FLOATS, lambda x, y: x / y, ulp=0.5),
        *binary_samples("x / y", Dtypes(I2), lambda x, y: x / y, ulp=1.6, from_int=FP32),
    ),
)
def div(input: Var, other: Var | int | float, precision_type: PrecisionType = PrecisionType.HIGH_PRECISION) -> Var:
    """Quotient, element by element, correctly rounded; integers are converted to FP32 first and give FP32.

    Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
    Dtypes: FP16, BF16, FP32, INT16, INT32, both the same. ``x / 0`` is ±inf, ``0 / 0`` NaN.
    Errors: a float scalar beside an integer tensor; different dtypes; shapes that do not broadcast.
    """
    precise("div", precision_type)
    first = rec.tile("div", "input", input)
    return binary("div", first, other, result=FP32 if first.type.dtype in I2 else None)


def no_tensor(name: str) -> NoReturn:
    """Refuse two scalars (PTO222)."""
    fail(
        "PTO222",
        op=name,
        why=T(
            "one of `input` and `other` should be `Tensor`",
            "至少有一个操作数必须为张量（one of `input` and `other` should be `Tensor`）",
        ),
    )


def _extreme(name: str, x: object, y: object) -> Var:
    """maximum and minimum: either operand may be the scalar."""
    if not isinstance(x, Var):
        if not isinstance(y, Var):
            no_tensor(name)
        x, y = y, x
    if not isinstance(y, Var):
        rec.element_type(f"{name} with a scalar", rec.tile(name, "input", x).type.dtype, ARITHMETIC)
    return binary(name, x, y, strict=False)


@op(
    "maximum",
    "B",
    arithmetic=Pointwise(float=arith.maximum, int=arith.maximum),
    dtypes=EXTREME,
    promoted=BF16_ONLY,
    method=True,
    samples=(
        Sample("pypto.maximum(x, y)", {"x": normal(8, 16), "y": normal(8, 16)}, lambda x, y: np.maximum(x, y)),
        Sample("pypto.maximum(0, x)", {"x": any_values(INT32)}, lambda x: np.maximum(x, 0)),
        *binary_samples("pypto.maximum(x, y)", EXTREME, np.maximum),
    ),
)
def maximum(input: Var | int | float, other: Var | int | float) -> Var:
    """The greater of the two, element by element; NaN if either is NaN, and +0 is greater than -0.

    Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
    Dtypes: FP16, BF16, FP32, INT16, INT32 (INT8, UINT8, UINT16, UINT32 on the 950), both the same.
    Either operand may be a scalar, which takes the tensor's dtype; beside a scalar FP16, BF16, FP32, INT16, INT32 only.
    Errors: two scalars; different dtypes; shapes that do not broadcast.
    """
    return _extreme("maximum", input, other)


@op(
    "minimum",
    "B",
    arithmetic=Pointwise(float=arith.minimum, int=arith.minimum),
    dtypes=EXTREME,
    promoted=BF16_ONLY,
    samples=(
        Sample("pypto.minimum(x, y)", {"x": normal(8, 16), "y": normal(8, 16)}, lambda x, y: np.minimum(x, y)),
        Sample("pypto.minimum(x, 0.5)", {"x": normal(8, 16)}, lambda x: np.minimum(x, 0.5)),
        *binary_samples("pypto.minimum(x, y)", EXTREME, np.minimum),
    ),
)
def minimum(input: Var | int | float, other: Var | int | float) -> Var:
    """The lesser of the two, element by element; NaN if either is NaN, and -0 is less than +0.

    Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
    Dtypes: FP16, BF16, FP32, INT16, INT32 (INT8, UINT8, UINT16, UINT32 on the 950), both the same.
    Either operand may be a scalar, which takes the tensor's dtype; beside a scalar FP16, BF16, FP32, INT16, INT32 only.
    Errors: two scalars; different dtypes; shapes that do not broadcast.
    """
    return _extreme("minimum", input, other)


# Two tensors


def two_tensors(name: str, x: object, y: object, *, result: DataType | None = None, first: str = "input") -> Var:
    """Record an op that takes no scalar; both operands have one dtype and one rank."""
    tiles = [rec.tile(name, first, x), rec.tile(name, "other", y)]
    rec.same_dtype(name, *tiles)
    return rec.pointwise(name, tiles, result)


@op(
    "atan2",
    "B",
    arithmetic=Pointwise(float=functions.atan2),
    dtypes=FLOATS,
    samples=binary_samples("pypto.atan2(x, y)", FLOATS, np.arctan2, ulp=0.51),
)
def atan2(y: Var, x: Var) -> Var:
    """The angle of the point (x, y), in [-pi, pi], element by element.

    Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
    Dtypes: FP16, BF16, FP32, both the same. Zeros and infinities as in IEEE 754: ``atan2(0, -0) == pi``.
    Errors: a scalar operand; different dtypes; shapes that do not broadcast.
    """
    return two_tensors("atan2", y, x, first="y")


@op(
    "hypot",
    "B",
    arithmetic=Pointwise(float=functions.hypot),
    dtypes=FLOATS,
    method=True,
    keywords={"self": "input"},
    samples=binary_samples("pypto.hypot(x, y)", FLOATS, np.hypot, ulp=0.51),
)
def hypot(input: Var, other: Var) -> Var:
    """``sqrt(x**2 + y**2)``, element by element, without overflow in between.

    Shapes: both of one rank (1-4), broadcast; valid extents are the least of the operands that have the full extent.
    Dtypes: FP16, BF16, FP32, both the same. Infinite if an operand is, even beside NaN.
    Errors: a scalar operand; different dtypes or ranks; shapes that do not broadcast.
    """
    same_rank("hypot", [rec.tile("hypot", "input", input), rec.tile("hypot", "other", other)])
    return two_tensors("hypot", input, other)


@op(
    "expand_exp_dif",
    "B",
    arithmetic=Pointwise(float=lambda x, y: functions.exp(x - y)),
    dtypes=FLOATS,
    promoted=BF16_ONLY,
    samples=(
        Sample(
            "pypto.expand_exp_dif(x, y)",
            {"x": normal(8, 16), "y": normal(8, 1)},
            lambda x, y: np.exp((x.astype("f4") - y.astype("f4")).astype("f8")),
            ulp=1,
        ),
        *binary_samples(
            "pypto.expand_exp_dif(x, y)",
            FLOATS,
            lambda x, y: np.exp((x.astype("f4") - y.astype("f4")).astype("f8")),
            ulp=1,
        ),
    ),
)
def expand_exp_dif(input: Var, other: Var) -> Var:
    """``exp(x - y)``, element by element; the difference is rounded to FP32.

    Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
    Dtypes: FP16, BF16, FP32, both the same.
    Errors: a scalar operand; different dtypes; shapes that do not broadcast.
    """
    return two_tensors("expand_exp_dif", input, other)


@op(
    "copysign",
    "B",
    arithmetic=Pointwise(
        float=lambda x, y: arith.copysign(x, arith.select(arith.is_nan(y), arith.nan(), y)),
        int=lambda x, y: arith.copysign(arith.convert(x, FP32), arith.convert(y, FP32)),
    ),
    dtypes=ARITHMETIC,
    promoted=BF16_ONLY,
    samples=(
        *binary_samples("pypto.copysign(x, y)", FLOATS, np.copysign),
        *binary_samples("pypto.copysign(x, y)", Dtypes(I2), np.copysign, ulp=0.5, from_int=FP32),
    ),
)
def copysign(input: Var, other: Var) -> Var:
    """The magnitude of ``input`` with the sign of ``other``, element by element; integers give FP32.

    Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
    Dtypes: FP16, BF16, FP32, INT16, INT32, both the same. The sign of NaN is plus, that of -0 minus.
    Errors: a scalar operand; different dtypes; shapes that do not broadcast.
    """
    first = rec.tile("copysign", "input", input)
    return two_tensors("copysign", first, other, result=FP32 if first.type.dtype in I2 else None)


_CONDITION = Dtypes(frozenset({BOOL}))


@op(
    "where",
    "B",
    arithmetic=Pointwise(float=arith.select, int=arith.select, pivot=1),
    dtypes=ADDITIVE,
    promoted=frozenset({BF16}),
    samples=(
        Sample(
            "pypto.where(c, x, y)",
            {"c": truth(8, 16), "x": normal(8, 16), "y": normal(8, 16)},
            lambda c, x, y: np.asarray(np.where(c, x, y)),
        ),
        Sample("pypto.where(x > 0.0, x, -1.0)", {"x": normal(8, 16)}, lambda x: np.where(x > 0, x, -1.0)),
        *(
            Sample(
                "pypto.where(c, x, y)",
                {"c": truth(8, 16), "x": any_values(dtype), "y": any_values(dtype)},
                lambda c, x, y: np.asarray(np.where(c, x, y)),
                result=dtype,
            )
            for dtype in sorted(ADDITIVE.union)
        ),
    ),
)
def where(condition: Var, input: Var | float, other: Var | float) -> Var:
    """``input`` where the condition holds, else ``other``, element by element.

    Shapes: all tensors of one rank (1-4), broadcast, each along one axis at most; two scalars take the condition's
    shape.
    Dtypes: condition BOOL; values FP16, BF16, FP32, INT16, INT32 (INT8, UINT8 on the 950), both the same. A float
    counts as FP32, an ``Element`` has its own dtype, an int takes the other value's dtype.
    Errors: a condition of another dtype; values of different dtypes; tensors of different ranks.
    """
    cond = rec.tensor("where", "condition", condition)
    rec.static_shape("where", "condition", cond)
    if cond.type.dtype is not BOOL:
        fail("PTO267", dtype=cond.type.dtype.name)
    dtype = _choice_dtype(input, other)
    values = [_choice(name, value, dtype) for name, value in (("input", input), ("other", other))]
    tiles = [x for x in (cond, *values) if isinstance(x, Var)]
    same_rank("where", tiles)
    _expand_one_axis(tiles)
    return rec.pointwise("where", [rec.tile("where", "condition", cond, dtypes=_CONDITION), *values], dtype)


def _expand_one_axis(tiles: list[Var]) -> None:
    """Each operand of ``where`` is repeated along one axis at most (PTO268); others are refused by the result."""
    common = shapes.broadcast([rec.ints(x) for x in tiles])
    for var in tiles if common is not None else ():
        if sum(a != b for a, b in zip(rec.ints(var), common or (), strict=True)) > 1:
            own, full = shapes.shape_text(var.type.shape), shapes.shape_text(common or ())
            fail(
                "PTO268",
                op="where",
                why=T(
                    f"a tensor of shape {own} would expand along more than one axis of {full}",
                    f"shape 为 {own} 的张量会沿 {full} 的不止一个轴扩展",
                ),
            )


def same_rank(name: str, tiles: list[Var]) -> None:
    """Ops that do not pad ranks (PTO230)."""
    ranks = [x.type.rank for x in tiles]
    if len(set(ranks)) > 1:
        fail("PTO230", op=name, ranks=" and ".join(str(r) for r in ranks))


def _choice_dtype(*values: object) -> DataType:
    """The one dtype of the two values of ``where``."""
    found: list[DataType] = []
    for value in values:
        if isinstance(value, Var):
            found.append(value.type.dtype)
        elif isinstance(value, Imm):
            found.append(value.dtype)
        elif isinstance(value, float):
            found.append(FP32)
    if len(set(found)) > 1:
        fail("PTO266", first=found[0].name, other=found[1].name)
    return found[0] if found else FP32


def _choice(name: str, value: object, dtype: DataType) -> Var | Imm:
    if isinstance(value, Var):
        return rec.tile("where", name, value)
    rec.element_type("where", dtype, ADDITIVE)
    number = value.value if isinstance(value, Imm) else value
    if isinstance(number, (int, float)) and number < 0 and dtype is UINT8:
        fail(
            "PTO268",
            op="where",
            why=T(
                f"where() does not support negative scalar for unsigned {dtype.name}",
                f"无符号类型不能使用负的标量（where() does not support negative scalar for unsigned {dtype.name}）",
            ),
        )
    return rec.scalar("where", value, dtype)
