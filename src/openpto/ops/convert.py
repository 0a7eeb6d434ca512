"""``cast``: conversions between element types, with rounding modes and saturation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

from openpto.diagnostics import T, conversions, fail
from openpto.ir import affine
from openpto.ir.dtypes import DataType, is_float, is_int
from openpto.ir.enums import CastMode, SaturationMode
from openpto.ir.expr import binary
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from . import shapes
from .arith import U8, Expr, lshr, var
from .dtype_sets import BF16, FP16, FP32, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32
from .lanes import every
from .math.conversion import code_cast
from .math.small_floats import PAIRS, code_type
from .registry import Pointwise, Sample, internal, op
from .reshaping import reshaped, widened
from .samples import converted, integral, normal

FP8E4M3, FP8E5M2, HF8 = DataType.DT_FP8E4M3, DataType.DT_FP8E5M2, DataType.DT_HF8
FP4S = tuple(PAIRS)

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
        whole = is_int(target) or target is DataType.DT_INT4
        return CastMode.CAST_TRUNC if is_float(source) and whole else CastMode.CAST_RINT
    return mode


def conversion(operands: tuple[DataType, ...], result: DataType, attrs: Mapping[str, Any]) -> Expr:
    """The scalar expression of a cast; ``nibble`` says which value of a pair it starts from."""
    source, mode, saturate = operands[0], attrs["mode"], attrs["satmode"] is SaturationMode.ON
    x = var(code_type(source))
    if source in PAIRS:
        x, source = lshr(x, 4 * attrs["nibble"]) & 15, PAIRS[source]
    return code_cast(x, source, result, mode, saturate)


internal(
    "pair_codes",
    "Two values of 4 bits as one element, the first in the low bits.",
    core="vector",
    arithmetic=Pointwise(general=lambda operands, result, attrs: var(U8) | var(U8, 1) << 4),
)


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
        Sample(
            "pypto.cast(pypto.cast(x, pypto.DT_FP8E4M3), pypto.DT_FP32)",
            {"x": normal(8, 16)},
            lambda x: x.astype(np.float32).astype(ml_dtypes.float8_e4m3fn).astype(np.float64),
        ),
        Sample(
            "pypto.cast(x, pypto.DT_FP8E5M2, pypto.CastMode.CAST_RINT)",
            {"x": normal(8, 16)},
            lambda x: x.astype(np.float32).astype(ml_dtypes.float8_e5m2).astype(np.float64),
            result=FP8E5M2,
        ),
        Sample(
            "pypto.cast(pypto.cast(x, pypto.DT_HF8), pypto.DT_FP32)",
            {"x": converted(integral(8, 16, low=-15, high=16), FP32)},
            lambda x: x,
        ),
        Sample(
            "pypto.cast(pypto.cast(x, pypto.DT_FP4_E2M1X2), pypto.DT_BF16)",
            {"x": converted(normal(8, 16), BF16)},
            lambda x: x.astype(ml_dtypes.float4_e2m1fn).astype(np.float64),
            result=BF16,
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

    Shapes: rank 1-4, static; the result has the operand's shape and valid shape. An element of FP4_E2M1X2 or
    FP4_E1M2X2 is two values: to them the last axis, which must be even, is halved, from them it doubles.
    Dtypes: the pairs of the table in the documentation. ``mode`` NONE truncates from float to integer and rounds to
    nearest even otherwise; a mode that the pair does not know becomes this default. Out of range ``satmode`` ON clamps,
    OFF keeps the low bits (NaN gives 0, infinities the extremes). FP32 to FP32 with FLOOR, CEIL, TRUNC or ROUND rounds
    to integral values. Too large for FP8E5M2 or HF8 is infinity, for FP8E4M3 NaN, and the greatest value with ON.
    Errors: a pair that no chip has (BOOL cannot be cast).
    """
    var = rec.tensor("cast", "input", input)
    rec.static_shape("cast", "input", var)
    source, target = var.type.dtype, rec.data_type("cast", "dtype", dtype)
    for name, value, kind in (("mode", mode, CastMode), ("satmode", satmode, SaturationMode)):
        if not isinstance(value, kind):
            fail(
                "PTO222",
                op="cast",
                why=T(
                    f"{name} must be a {kind.__name__}, got {rec.type_name(value)}",
                    f"{name} 必须为 {kind.__name__}，实际为 {rec.type_name(value)}",
                ),
            )
    if source is target and mode in (CastMode.CAST_NONE, CastMode.CAST_RINT):
        rec.host_type("cast", source)
        if not 1 <= var.type.rank <= 4:
            fail("PTO232", op="cast", name="input", rank=var.type.rank, low=1, high=4)
        return rec.emit("clone", [var], var.type, var.valid)
    if pair_kind(source, target) is None:
        fail("PTO265", source=source.name, target=target.name, how=conversions.in_steps(source.name, target.name))
    rec.tile("cast", "input", var, computes=False)
    attrs = {"mode": effective_mode(source, target, mode), "satmode": satmode}
    if target in PAIRS:
        return _paired(var, target, attrs)
    if source in PAIRS:
        return _unpaired(var, target, attrs)
    return rec.emit("cast", [var], TileType(var.type.shape, target), var.valid, **attrs)


def _paired(var: Var, target: DataType, attrs: Mapping[str, Any]) -> Var:
    """Neighbours on the last axis as one element."""
    last = rec.ints(var)[-1]
    if last % 2:
        fail(
            "PTO263",
            op="cast",
            why=T(
                f"the last axis has {last} elements, which do not make pairs",
                f"最后一个轴有 {last} 个元素，不能组成数对",
            ),
        )
    codes = rec.emit("cast", [var], TileType(var.type.shape, PAIRS[target]), var.valid, **attrs)
    return rec.pointwise("pair_codes", [every("gathermask", codes, start, 2) for start in (0, 1)], target)


def _unpaired(var: Var, target: DataType, attrs: Mapping[str, Any]) -> Var:
    """Both values of every element, side by side on the last axis."""
    *outer, last = rec.ints(var)
    *outer_valid, extent = var.valid
    rank = len(outer) + 1
    values = [rec.emit("cast", [var], TileType(var.type.shape, target), var.valid, nibble=n, **attrs) for n in (0, 1)]
    with rec.tiled(*(1,) * (rank - 1), last, 2):
        type = TileType((*outer, last, 2), target)
        columns = [widened(v, (rank,)) for v in values]
        both = rec.emit("concat", columns, type, (*var.valid, 2), axis=rank)
    valid = (*outer_valid, affine.simplify(binary("mul", extent, 2)))
    return reshaped(both, (*outer, 2 * last), None if shapes.all_full(valid, (*outer, 2 * last)) else valid)
