"""``cast``: conversions between element types, with rounding modes and saturation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from openpto.diagnostics import fail
from openpto.ir.dtypes import DataType, is_float, is_int
from openpto.ir.enums import CastMode, SaturationMode
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from .arith import Expr
from .dtype_sets import BF16, COMPUTED, FP16, FP32, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32
from .math.conversion import cast_expression
from .registry import Pointwise, Sample, op
from .samples import integral, normal

FP8E4M3, FP8E5M2, HF8 = DataType.DT_FP8E4M3, DataType.DT_FP8E5M2, DataType.DT_HF8
FP4S = (DataType.DT_FP4_E2M1X2, DataType.DT_FP4_E1M2X2)

# Source -> targets. "round": a rounding mode may be chosen; "exact": nothing to choose; "sat": only saturation matters.
EVERYWHERE: dict[DataType, dict[DataType, str]] = {
    FP32: dict.fromkeys((FP16, FP32, BF16, INT64, INT32, INT16), "round"),
    FP16: {FP32: "exact", **dict.fromkeys((INT32, INT16, INT8, UINT8, DataType.DT_INT4), "round")},
    BF16: {FP32: "exact", INT32: "round"},
    INT64: {FP32: "round", INT32: "sat"},
    INT32: {FP32: "round", INT64: "exact", INT16: "sat", FP16: "round"},
    INT16: {FP32: "round", FP16: "round"},
    INT8: {FP16: "exact"},
    UINT8: {FP16: "exact"},
    DataType.DT_INT4: {FP16: "exact"},
}
ONLY_950: dict[DataType, dict[DataType, str]] = {
    FP32: {FP8E4M3: "round", FP8E5M2: "round", HF8: "exact"},
    FP16: {HF8: "exact"},
    BF16: {FP16: "round", **dict.fromkeys(FP4S, "exact")},
    INT32: {UINT16: "sat", UINT8: "sat"},
    INT16: {INT32: "exact", UINT32: "exact", UINT8: "sat"},
    INT8: {INT16: "exact", INT32: "exact"},
    UINT8: {UINT16: "exact"},
    UINT32: {UINT8: "sat", UINT16: "sat", INT16: "sat"},
    **{source: {FP32: "exact"} for source in (FP8E4M3, FP8E5M2, HF8)},
    **{source: {BF16: "exact"} for source in FP4S},
}


def pair_kind(source: DataType, target: DataType) -> str | None:
    """How a pair converts on some chip, or None if no chip has it."""
    return EVERYWHERE.get(source, {}).get(target) or ONLY_950.get(source, {}).get(target)


def effective_mode(source: DataType, target: DataType, mode: CastMode) -> CastMode:
    """The mode that applies: one that the pair does not know becomes its default."""
    kind = pair_kind(source, target)
    if kind != "round":
        return CastMode.CAST_NONE
    odd_elsewhere = mode is CastMode.CAST_ODD and (source, target) != (FP32, FP16)
    if mode is CastMode.CAST_NONE or odd_elsewhere:
        return CastMode.CAST_TRUNC if is_float(source) and is_int(target) else CastMode.CAST_RINT
    return mode


def conversion(operands: tuple[DataType, ...], result: DataType, attrs: Mapping[str, Any]) -> Expr:
    """The scalar expression of a cast."""
    return cast_expression(operands[0], result, attrs["mode"], attrs["satmode"])


@op(
    "cast",
    "S",
    arithmetic=Pointwise(general=conversion),
    keywords={"CastMode": "mode", "SaturationMode": "satmode"},
    samples=(
        Sample("pypto.cast(x, pypto.DT_INT32)", {"x": normal(8, 16)}, lambda x: np.trunc(x).astype(np.int32)),
        Sample("pypto.cast(x, pypto.DT_FP32)", {"x": integral(8, 16)}, lambda x: x.astype(np.float64)),
        Sample(
            "pypto.cast(x, pypto.DT_INT32, pypto.CastMode.CAST_FLOOR)",
            {"x": normal(8, 16)},
            lambda x: np.floor(x).astype(np.int32),
        ),
    ),
)
def cast(
    input: Var,
    dtype: DataType,
    mode: CastMode = CastMode.CAST_NONE,
    satmode: SaturationMode = SaturationMode.OFF,
) -> Var:
    """Convert to another element type.

    Shapes: rank 1-4, static; the result has the operand's shape and valid shape.
    Dtypes: the pairs of the table in the documentation. ``mode`` NONE truncates from float to integer and rounds to
    nearest even otherwise; a mode that the pair does not know becomes this default. Out of range ``satmode`` ON clamps,
    OFF keeps the low bits (NaN gives 0, infinities the extremes). FP32 to FP32 with FLOOR, CEIL, TRUNC or ROUND rounds
    to integral values.
    Errors: a pair that no chip has (BOOL cannot be cast).
    """
    var = rec.tensor("cast", "input", input)
    rec.static_shape("cast", "input", var)
    source, target = var.type.dtype, rec.data_type("cast", "dtype", dtype)
    for name, value, kind in (("mode", mode, CastMode), ("satmode", satmode, SaturationMode)):
        if not isinstance(value, kind):
            fail("PTO222", op="cast", why=f"{name} must be a {kind.__name__}, got {rec.type_name(value)}")
    if source is target and mode in (CastMode.CAST_NONE, CastMode.CAST_RINT):
        rec.host_type("cast", source)
        if not 1 <= var.type.rank <= 4:
            fail("PTO232", op="cast", name="input", rank=var.type.rank, low=1, high=4)
        return rec.emit("clone", [var], var.type, var.valid)
    if pair_kind(source, target) is None:
        fail("PTO265", source=source.name, target=target.name)
    for dtype in (source, target):
        if dtype not in COMPUTED:
            fail("PTO903", op="cast", dtype=dtype.name)
    rec.tile("cast", "input", var)
    type = TileType(var.type.shape, target)
    chosen = effective_mode(source, target, mode)
    return rec.emit("cast", [var], type, var.valid, mode=chosen, satmode=satmode)
