"""Quantisation to integers with a scale per row or per column, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from openpto.diagnostics import T, fail
from openpto.ir.dtypes import DataType
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from . import shapes
from .arith import F32, Expr, convert, rint, var
from .dtype_sets import FP32, INT8, INT16, UINT8
from .registry import Array, Dtypes, Pointwise, Sample, op
from .reshaping import widened
from .samples import integral, normal, positive

FLOATS = Dtypes(frozenset({FP32}))
CODES = Dtypes(frozenset({INT8, INT16}))


def _to_codes(operands: tuple[DataType, ...], result: DataType, attrs: Mapping[str, Any]) -> Expr:
    value = var(F32) * var(F32, 1)
    if len(operands) == 3:
        value = value + var(F32, 2)
    return convert(rint(value), result, saturate=True)


def _from_codes(operands: tuple[DataType, ...], result: DataType, attrs: Mapping[str, Any]) -> Expr:
    value = convert(var(operands[0]), F32)
    if len(operands) == 3:
        value = value + var(F32, 2)
    return value * var(F32, 1)


def _rounded(x: Array, low: int, high: int) -> Array:
    return np.clip(np.rint(x.astype(np.float32)), low, high)


def _recorded(name: str, source: Var, scale: object, axis: object, zero_points: object, result: DataType) -> Var:
    """Check scales and zero points, give them the axis they lack, and record."""
    rank = source.type.rank
    at = rec.axis(name, axis, rank, "axis")
    if at < rank - 2:
        fail(
            "PTO268",
            op=name,
            why=T(
                f"axis must be -1 (a scale per row) or -2 (per column), got {axis}",
                f"axis 必须为 -1（每行一个 scale）或 -2（每列一个），实际为 {axis}",
            ),
        )
    operands = [source]
    for what, value in (("scale", scale), ("zero_points", zero_points)):
        if value is not None or what == "scale":
            operands.append(_spread(name, what, value, source, at))
    valid, _ = shapes.broadcast_valid([(x.type.shape, x.valid) for x in operands], source.type.shape)
    return rec.emit(name, operands, TileType(rec.ints(source), result), valid)


def _spread(name: str, what: str, value: object, source: Var, at: int) -> Var:
    """Scales or zero points as a tensor that broadcasts to the source."""
    found = rec.tile(name, what, value, dtypes=FLOATS)
    extents = rec.ints(source)
    want = extents[:at] + extents[at + 1 :] or (1,)
    if rec.ints(found) != want:
        shown = shapes.shape_text(want), shapes.shape_text(found.type.shape)
        fail(
            "PTO263",
            op=name,
            why=T(
                f"{what} must have the shape {shown[0]} for this axis, got {shown[1]}",
                f"对于该轴，{what} 的 shape 必须为 {shown[0]}，实际为 {shown[1]}",
            ),
        )
    return found if source.type.rank == 1 else widened(found, (at,))


@op(
    "quantize",
    "Q",
    arithmetic=Pointwise(general=_to_codes),
    dtypes=FLOATS,
    samples=(
        Sample(
            "pypto.quantize(x, s, pypto.DT_INT8, -1)",
            {"x": normal(8, 16), "s": positive(8)},
            lambda x, s: _rounded(x * s[:, None], -128, 127).astype(np.int8),
        ),
        Sample(
            "pypto.quantize(x, s, pypto.DT_UINT8, axis=-2, zero_points=z)",
            {"x": normal(4, 8, 16), "s": positive(4, 16), "z": lambda rng: np.full((4, 16), 100, np.float32)},
            lambda x, s, z: _rounded((x * s[:, None]).astype(np.float32) + z[:, None], 0, 255).astype(np.uint8),
            tile=(4, 8, 16),
        ),
    ),
)
def quantize(input: Var, scale: Var, otype: DataType, axis: int, zero_points: Var | None = None) -> Var:
    """Integers ``round(input * scale)``, or ``round(input * scale + zero_points)``: nearest even, saturating.

    Shapes: input rank 1-4; scale and zero_points lack one axis: with axis -1 there is one per row, [.., rows], with
    axis -2 one per column, [.., columns]. A 1-D input takes axis -1 and a scale [1].
    Dtypes: FP32; ``otype`` INT8 without zero_points, UINT8 with them. Product and sum are rounded in FP32; NaN gives 0.
    Errors: another axis or otype; shapes that do not fit.
    """
    source = rec.tile("quantize", "input", input)
    kind = rec.data_type("quantize", "otype", otype)
    want = INT8 if zero_points is None else UINT8
    if kind is not want:
        given = "without" if zero_points is None else "with"
        rec.refuse_choice(f"otype of quantize {given} zero_points", kind.name, want.short)
    return _recorded("quantize", source, scale, axis, zero_points, kind)


@op(
    "dequantize",
    "Q",
    arithmetic=Pointwise(general=_from_codes),
    dtypes=CODES,
    samples=(
        Sample(
            "pypto.dequantize(x, s, pypto.DT_FP32, -1)",
            {"x": integral(8, 16, low=-128, high=128, dtype=np.int8), "s": positive(8)},
            lambda x, s: x * s[:, None].astype(np.float64),
            ulp=0.51,
        ),
        Sample(
            "pypto.dequantize(x, s, pypto.DT_FP32, axis=-2, zero_points=z)",
            {
                "x": integral(8, 16, dtype=np.int16),
                "s": positive(16),
                "z": lambda rng: rng.integers(-9, 9, 16).astype("f4"),
            },
            lambda x, s, z: (x + z[None].astype(np.float64)) * s[None],
            ulp=0.51,
        ),
    ),
)
def dequantize(input: Var, scale: Var, otype: DataType, axis: int, zero_points: Var | None = None) -> Var:
    """Floats ``(input + zero_points) * scale``, or ``input * scale``.

    The documentation's formula; other sources of the toolchain subtract the zero points, before or after the product.
    Shapes: as for ``quantize``.
    Dtypes: INT8, INT16; ``otype`` FP32; scale and zero_points FP32. Sum and product are rounded in FP32.
    Errors: another axis or otype; shapes that do not fit.
    """
    source = rec.tile("dequantize", "input", input)
    kind = rec.data_type("dequantize", "otype", otype)
    if kind is not FP32:
        rec.refuse_choice("otype of dequantize", kind.name, "FP32")
    return _recorded("dequantize", source, scale, axis, zero_points, kind)
