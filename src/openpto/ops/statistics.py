"""Statistics of whole axes: variance and root mean square, recorded as other ops in FP32."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from openpto.diagnostics import T, fail
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType
from openpto.ir.enums import CastMode, SaturationMode
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from . import shapes
from .dtype_sets import BF16, F3, FP16, FP32
from .registry import Array, Composite, Dtypes, Named, Sample, internal, op
from .reshaping import squeezed
from .samples import converted, normal, positive

FLOATS = Dtypes(F3)

internal("whole", "A tile whose named axes must be valid throughout.", core="none", arithmetic=Named("whole"))


def to_type(var: Var, dtype: DataType) -> Var:
    """The values in another float type, rounded to nearest even; ``var`` itself if it has that type."""
    if var.type.dtype is dtype:
        return var
    mode = CastMode.CAST_NONE if dtype is FP32 else CastMode.CAST_RINT
    return rec.emit("cast", [var], TileType(var.type.shape, dtype), var.valid, mode=mode, satmode=SaturationMode.OFF)


def whole_axes(name: str, var: Var, axes: tuple[int, ...]) -> Var:
    """``var``, whose ``axes`` must not be cut by a valid_shape (PTO465); what is not known now is checked later."""
    extents = rec.ints(var)
    for at in axes:
        if shapes.provably_cut(var.valid[at], extents[at]):
            fail("PTO465", op=name, axis=at, have=ex.text(var.valid[at]), extent=extents[at])
    if all(shapes.is_full(var.valid[at], extents[at]) for at in axes):
        return var
    valid = tuple(extents[i] if i in axes else v for i, v in enumerate(var.valid))
    return rec.emit("whole", [var], var.type, valid, axes=axes, asked=name)


def total(var: Var, axes: tuple[int, ...]) -> Var:
    """Record the sum over ``axes``, which stay with extent 1."""
    shape = tuple(1 if i in axes else n for i, n in enumerate(rec.ints(var)))
    valid = tuple(1 if i in axes else v for i, v in enumerate(var.valid))
    return rec.emit("sum", [var], TileType(shape, var.type.dtype), valid, axes=axes, keepdim=True)


# Variance


def _variance(axes: Any, correction: float, keepdims: bool = False) -> Callable[[Array], Array]:
    """The golden."""

    def golden(x: Array) -> Array:
        return np.atleast_1d(np.var(x, axis=axes, ddof=correction, keepdims=keepdims))

    return golden


@op(
    "var",
    "R",
    arithmetic=Composite(("sum", "div", "sub", "mul", "sum", "div")),
    dtypes=FLOATS,
    method=True,
    samples=(
        Sample("pypto.var(x, -1, keepdim=True)", {"x": normal(8, 64)}, _variance(-1, 1, True), ulp=16, tile=(8, 64)),
        Sample(
            "pypto.var(x, [0, 1], correction=0)", {"x": normal(8, 16, 4)}, _variance((0, 1), 0), ulp=16, tile=(8, 16, 8)
        ),
        Sample("pypto.var(x)", {"x": normal(8, 16)}, _variance(None, 1), ulp=16),
        Sample("pypto.var(x, 1)", {"x": converted(normal(8, 16), FP16)}, _variance(1, 1), ulp=0.51, result=FP16),
    ),
)
def var(
    input: Var,
    dim: int | list[int] | tuple[int, ...] | None = None,
    correction: float = 1,
    keepdim: bool = False,
) -> Var:
    """Variance along one, several or (``dim`` None or empty) all axes: sum((x - mean)^2) / max(0, n - correction).

    Shapes: rank 1-4; n is the product of the reduced extents; ``keepdim`` leaves extent 1, else the axes are dropped
    (if none is left the result has shape [1]).
    Dtypes: FP16, BF16, FP32; computed in FP32 (mean, differences, squares, sum, division, each rounded), then rounded
    to the operand's dtype. Where n <= correction the division by 0 gives inf or NaN.
    Errors: an axis out of range or named twice; an axis that is cut by a valid_shape.
    """
    source = rec.tile("var", "input", input)
    axes = _axes(source.type.rank, dim)
    if isinstance(correction, bool) or not isinstance(correction, (int, float)):
        fail(
            "PTO222",
            op="var",
            why=T(
                f"correction must be a number, got {rec.type_name(correction)}",
                f"correction 必须为数值，实际为 {rec.type_name(correction)}",
            ),
        )
    count = math.prod(rec.ints(source)[at] for at in axes)
    x = to_type(whole_axes("var", source, axes), FP32)
    mean = rec.pointwise("div", [total(x, axes), rec.rounded(count, FP32)])
    centred = rec.pointwise("sub", [x, mean])
    squares = total(rec.pointwise("mul", [centred, centred]), axes)
    spread = rec.pointwise("div", [squares, rec.rounded(max(0, count - correction), FP32)])
    result = to_type(spread, source.type.dtype)
    return result if rec.flag("var", "keepdim", keepdim) else _dropped(result, axes)


def _axes(rank: int, dim: object) -> tuple[int, ...]:
    """The axes to reduce, ascending (PTO263)."""
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return tuple(range(rank))
    listed = dim if isinstance(dim, (list, tuple)) else [dim]
    found = [rec.axis("var", d, rank) for d in listed]
    if len(set(found)) != len(found):
        fail(
            "PTO263",
            op="var",
            why=T(f"dim {list(listed)} names an axis twice", f"dim {list(listed)} 重复列出了同一个轴"),
        )
    return tuple(sorted(found))


def _dropped(var: Var, axes: tuple[int, ...]) -> Var:
    """Without the reduced axes; one axis is left in any case."""
    spare = axes[1:] if len(axes) == var.type.rank else axes
    return squeezed(var, spare) if spare else var


# Root mean square


def _rms(x: Array, gamma: Array | None = None, epsilon: float = 1e-6) -> Array:
    found: Array = x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon)
    return found if gamma is None else found * gamma


@op(
    "rms_norm",
    "P",
    arithmetic=Composite(("mul", "mul", "sum", "add", "sqrt", "div", "mul")),
    dtypes=FLOATS,
    samples=(
        Sample("pypto.rms_norm(x)", {"x": normal(8, 64)}, _rms, ulp=16, tile=(8, 64)),
        Sample(
            "pypto.rms_norm(x, g, 1e-5)", {"x": normal(8, 16), "g": positive(16)}, lambda x, g: _rms(x, g, 1e-5), ulp=16
        ),
        Sample(
            "pypto.rms_norm(x, epsilon=0.0)",
            {"x": converted(normal(8, 16), BF16)},
            lambda x: _rms(x, epsilon=0.0),
            ulp=0.51,
            result=BF16,
        ),
    ),
)
def rms_norm(input: Var, gamma: Var | None = None, epsilon: float = 1e-6) -> Var:
    """``x / sqrt(mean(x^2) + epsilon)`` over the last axis, times ``gamma`` if it is given.

    Shapes: rank 1-4; gamma [C], C the last extent; the result has the operand's shape and valid shape.
    Dtypes: FP16, BF16, FP32, both the same; computed in FP32 and rounded once to the operand's dtype. The mean is the
    sum of x * x * (1/n).
    Errors: a last axis that is cut by a valid_shape; a gamma of another shape or dtype.
    """
    source = rec.tile("rms_norm", "input", input)
    last = source.type.rank - 1
    count = rec.ints(source)[last]
    if not rec.is_number(epsilon):
        fail("PTO225", op="rms_norm", got=rec.type_name(epsilon), hint=T("epsilon is a float", "epsilon 应为 float"))
    x = to_type(whole_axes("rms_norm", source, (last,)), FP32)
    squares = rec.pointwise("mul", [x, x])
    mean = total(rec.pointwise("mul", [squares, rec.rounded(1.0 / count, FP32)]), (last,))
    shifted = rec.pointwise("add", [mean, rec.scalar("rms_norm", epsilon, FP32)])
    result = rec.pointwise("div", [x, rec.pointwise("sqrt", [shifted])])
    if gamma is not None:
        result = rec.pointwise("mul", [result, _weights(gamma, source)])
    return to_type(result, source.type.dtype)


def _weights(gamma: object, source: Var) -> Var:
    """gamma in FP32 (PTO228, PTO263)."""
    found = rec.tensor("rms_norm", "gamma", gamma)
    rec.static_shape("rms_norm", "gamma", found)
    rec.same_dtype("rms_norm", source, found)
    if found.type.shape != source.type.shape[-1:]:
        shown = shapes.shape_text(found.type.shape), shapes.shape_text(source.type.shape)
        fail(
            "PTO263",
            op="rms_norm",
            why=T(
                f"gamma has shape {shown[0]}, input {shown[1]}; gamma is [C], C the last extent",
                f"gamma 的 shape 为 {shown[0]}，input 的为 {shown[1]}；gamma 应为 [C]，C 是最后一个轴的长度",
            ),
        )
    return to_type(found, FP32)
