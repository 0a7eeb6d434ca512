"""Elementwise operations that choose or limit values: clip and prelu; and axpy_, which adds in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from openpto.diagnostics import T, fail
from openpto.diagnostics.words import both
from openpto.ir.dtypes import DataType
from openpto.ir.nodes import Imm
from openpto.ir.trace import Var

from . import arith, shapes
from . import recording as rec
from .binary import same_rank
from .dtype_sets import BF16, FP16, FP32, INT16, INT32
from .movement import move
from .registry import Array, Composite, Dtypes, Pointwise, Sample, internal, op
from .reshaping import widened
from .typed_samples import drawn, limits, specials
from .unary import ARITHMETIC, BF16_ONLY, FLOATS

# clip


def _limited(operands: tuple[DataType, ...], result: DataType, attrs: Mapping[str, Any]) -> arith.Expr:
    """``min(max(x, low), high)`` with the bounds that there are."""

    def build(x: arith.Expr, *bounds: arith.Expr) -> arith.Expr:
        rest = list(bounds)
        if attrs["low"]:
            x = arith.maximum(x, rest.pop(0))
        return arith.minimum(x, rest.pop(0)) if attrs["high"] else x

    return arith.on_widened(build)(*(arith.var(dtype, i) for i, dtype in enumerate(operands)))


@op(
    "clip",
    "B",
    arithmetic=Pointwise(general=_limited),
    dtypes=ARITHMETIC,
    samples=(
        Sample("pypto.clip(x, -0.5, 0.5)", {"x": drawn(FP32)}, lambda x: np.clip(x, -0.5, 0.5)),
        Sample("pypto.clip(x, min=0.25)", {"x": specials(FP16)}, lambda x: np.maximum(x, 0.25), result=FP16),
        Sample("pypto.clip(x, None, 1.0)", {"x": specials(BF16)}, lambda x: np.minimum(x, 1.0), result=BF16),
        Sample("pypto.clip(x, 9, -9)", {"x": limits(INT32)}, lambda x: np.full_like(x, -9)),
        Sample("pypto.clip(x, -5, 5)", {"x": limits(INT16)}, lambda x: np.clip(x, -5, 5)),
        Sample(
            "pypto.clip(x, low, high)",
            {"x": specials(FP32), "low": drawn(FP32, shape=(8, 1)), "high": specials(FP32)},
            lambda x, low, high: np.minimum(np.maximum(x, low), high),
        ),
    ),
)
def clip(input: Var, min: Var | int | float | None = None, max: Var | int | float | None = None) -> Var:
    """``min(max(x, low), high)``, element by element; a bound that is None does not limit.

    Shapes: bounds that are tensors broadcast to the input along at most one axis; the result has the input's shape.
    Dtypes: FP16, BF16, FP32, INT16, INT32; bounds have the same or, as plain numbers, take it. NaN in x or in a bound
    gives NaN. Where low > high the result is high.
    Errors: one bound a Tensor and the other a scalar; another dtype; a bound that does not broadcast to the input.
    """
    var = rec.tile("clip", "input", input)
    bounds = {"min": min, "max": max}
    given = {name: bound for name, bound in bounds.items() if bound is not None}
    if not given:
        return var
    if len({isinstance(bound, Var) for bound in given.values()}) > 1:
        fail(
            "PTO222",
            op="clip",
            why=T(
                "min and max must be both Tensor or both scalars",
                "min 和 max 必须同为张量或同为标量（min and max must be both Tensor or both scalars）",
            ),
        )
    operands = [_bound(name, bound, var) for name, bound in given.items()]
    return rec.emit("clip", [var, *operands], var.type, _valid(var, operands), low="min" in given, high="max" in given)


def _bound(name: str, value: object, var: Var) -> Var | Imm:
    if not isinstance(value, Var):
        return rec.scalar("clip", value, var.type.dtype)
    bound = rec.tile("clip", name, value)
    rec.same_dtype("clip", var, bound)
    own, full = rec.ints(bound), rec.ints(var)
    if shapes.broadcast([own, full]) != full:
        fail("PTO229", op="clip", shapes=both(shapes.shape_text(full), shapes.shape_text(own)))
    padded = (1,) * (len(full) - len(own)) + own
    if sum(a != b for a, b in zip(padded, full, strict=True)) > 1:
        why = T(
            f"{name} {shapes.shape_text(own)} would expand along more than one axis of {shapes.shape_text(full)}",
            f"{name} {shapes.shape_text(own)} 会沿 {shapes.shape_text(full)} 的不止一个轴扩展",
        )
        fail("PTO268", op="clip", why=why)
    return bound


def _valid(var: Var, operands: list[Var | Imm]) -> tuple[Any, ...]:
    tiles = [var, *(x for x in operands if isinstance(x, Var))]
    valid, _ = shapes.broadcast_valid([(x.type.shape, x.valid) for x in tiles], var.type.shape)
    return valid


# prelu


def _golden_prelu(x: Array, w: Array) -> Array:
    result: Array = np.where(x >= 0, x, x * w.reshape(-1, *(1,) * (x.ndim - 2)))
    return result


@op(
    "prelu",
    "B",
    arithmetic=Pointwise(float=lambda x, weight: arith.select(x >= 0.0, x, x * weight)),
    dtypes=FLOATS,
    promoted=BF16_ONLY,
    method=True,
    keywords={"self": "input"},
    samples=(
        Sample("pypto.prelu(x, w)", {"x": drawn(FP32), "w": drawn(FP32, shape=(16,))}, _golden_prelu, ulp=0.5),
        Sample(
            "pypto.prelu(x, w)",
            {"x": drawn(FP16, shape=(2, 3, 4, 16)), "w": drawn(FP16, shape=(3,))},
            _golden_prelu,
            ulp=0.5,
            tile=(1, 3, 4, 16),
            result=FP16,
        ),
        Sample(
            "pypto.prelu(x, w)",
            {"x": specials(BF16), "w": drawn(BF16, shape=(16,))},
            _golden_prelu,
            ulp=0.501,
            result=BF16,
        ),
    ),
)
def prelu(input: Var, weight: Var) -> Var:
    """``x if x >= 0 else weight * x``, element by element, with a weight per channel (axis 1).

    Shapes: input of rank 1-4; weight of rank 1, as long as axis 1 of the input (1 for an input of rank 1).
    Dtypes: FP16, BF16, FP32, both the same.
    Errors: a weight of another rank or length; different dtypes; a scalar operand.
    """
    var, slopes = rec.tile("prelu", "input", input), rec.tile("prelu", "weight", weight)
    rec.same_dtype("prelu", var, slopes)
    channels = rec.ints(var)[1] if var.type.rank > 1 else 1
    if slopes.type.shape != (channels,):
        want, got = shapes.shape_text((channels,)), shapes.shape_text(slopes.type.shape)
        fail(
            "PTO268",
            op="prelu",
            why=T(
                f"weight must have the shape {want}, one per channel, got {got}",
                f"weight 的 shape 必须为 {want}，即每个通道一个，实际为 {got}",
            ),
        )
    spread = widened(slopes, tuple(range(1, var.type.rank - 1)))
    return rec.pointwise("prelu", [var, spread])


# axpy_

internal(
    "axpy",
    "``alpha * x + y``: the product and the sum are rounded to FP32 one after the other.",
    core="vector",
    arithmetic=Pointwise(float=lambda y, x, alpha: x * alpha + y),
)
SUMMED = Dtypes(frozenset({FP32, FP16}))


def _axpy(alpha: float) -> Any:
    return lambda y, x: (np.float32(alpha) * x.astype("f4") + y.astype("f4")).astype("f8")


@op(
    "axpy_",
    "B",
    arithmetic=Composite(("axpy", "move")),
    dtypes=SUMMED,
    method=True,
    writes=("y",),
    samples=(
        Sample("pypto.axpy_(pypto.clone(y), x, 0.3)", {"y": drawn(FP32), "x": drawn(FP32)}, _axpy(0.3)),
        Sample("pypto.axpy_(pypto.clone(y), x)", {"y": drawn(FP32), "x": drawn(FP16, shape=(8, 1))}, _axpy(1.0)),
        Sample(
            "pypto.clone(y).axpy_(x, alpha=-2)",
            {"y": specials(FP16), "x": drawn(FP16)},
            _axpy(-2.0),
            ulp=0.501,
            result=FP16,
        ),
    ),
)
def axpy_(y: Var, x: Var, alpha: int | float = 1.0) -> Var:
    """``y += alpha * x`` in place; the result is y itself.

    Shapes: both of one rank (1-4); x broadcasts to y, y never does.
    Dtypes: y and x FP32, or both FP16, or y FP32 and x FP16. Computed in FP32, product and sum each rounded, and
    rounded to y's dtype.
    Errors: an x that does not broadcast to y; different ranks; another pair of dtypes.
    """
    target, addend = rec.tile("axpy_", "y", y), rec.tile("axpy_", "x", x)
    if (target.type.dtype, addend.type.dtype) == (FP16, FP32):
        rec.refuse_two_dtypes("axpy_", FP16.name, FP32.name)
    same_rank("axpy_", [target, addend])
    if shapes.broadcast([rec.ints(target), rec.ints(addend)]) != rec.ints(target):
        shown = both(*(shapes.shape_text(v.type.shape) for v in (target, addend)))
        fail("PTO229", op="axpy_", shapes=shown)
    if not isinstance(alpha, (int, float)):
        fail(
            "PTO225",
            op="axpy_",
            got=rec.type_name(alpha),
            hint=T("alpha is an int or float", "alpha 应为 int 或 float"),
        )
    move(rec.pointwise("axpy", [target, addend, rec.rounded(alpha, FP32)], target.type.dtype), target)
    return target
