"""Microscaling (MX): 32 elements with one power of two, made by ``quant_mx`` and multiplied by ``scaled_mm``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from openpto.diagnostics import T, conversions, fail
from openpto.ir.dtypes import DataType
from openpto.ir.enums import DequantScaleRoundingMode, TileOpFormat
from openpto.ir.expr import Dim
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from . import shapes
from .arith import F32, U8, U32, Expr, bitcast, const, convert, eq, is_nan, select, var
from .dtype_sets import BF16, F3, FP16, FP32, HALVES
from .lanes import every
from .math import small_floats
from .matmul import ONLY_ND, check_layouts, check_result, extras_of, matrix, multiply
from .registry import Array, Composite, Dtypes, Named, Pointwise, Sample, internal, op
from .reshaping import reordered, reshaped
from .samples import Generator, converted, normal, whole
from .statistics import to_type

E4M3, E5M2, E8M0, E2M1 = DataType.DT_FP8E4M3, DataType.DT_FP8E5M2, DataType.DT_FP8E8M0, DataType.DT_FP4_E2M1
E2M1X2 = DataType.DT_FP4_E2M1X2
GROUP = 32
"""Elements that share a scale."""
DOWN, UP = DequantScaleRoundingMode.ROUND_DOWN, DequantScaleRoundingMode.ROUND_UP
# Exponent and mantissa (as in FP32) of the greatest value of an element type.
GREATEST = {E4M3: (8, 0x600000), E2M1: (2, 0x400000)}


# What is computed for one element


def exponent_code(amax: Expr, element: DataType, mode: DequantScaleRoundingMode) -> Expr:
    """The E8M0 code of a group: floor(log2(amax)) less the exponent of the type's greatest value, or, rounding up, the
    least exponent with which amax does not exceed that value."""
    power, mantissa = GREATEST[element]
    bits = bitcast(amax, U32)
    code = convert(bits >> 23, U32)
    if mode is UP:
        code = code + convert((bits & 0x7FFFFF) > mantissa, U32)
    code = select(code > power, code - power, const(0, U32))
    return select(is_nan(amax), const(255, U8), convert(code, U8))


def scaled_code(x: Expr, code: Expr, element: DataType) -> Expr:
    """``x * 2^(127 - code)`` as a code of the element type: nearest even, saturating."""
    inverse = small_floats.decoded(convert(const(254, U32) - convert(code, U32), U8), E8M0)
    return small_floats.encoded(
        x * select(eq(code, 255), small_floats.decoded(code, E8M0), inverse), element, saturate=True
    )


internal(
    "mx_exponent",
    "The scale of a group from its greatest magnitude.",
    core="vector",
    arithmetic=Pointwise(
        general=lambda operands, result, attrs: exponent_code(var(F32), attrs["element"], attrs["mode"])
    ),
)
internal(
    "mx_element",
    "An element divided by the scale of its group.",
    core="vector",
    arithmetic=Pointwise(general=lambda operands, result, attrs: scaled_code(var(F32), var(U8, 1), result)),
)
internal(
    "mx_widened", "Elements times the scales of their groups, in FP32.", core="none", arithmetic=Named("mx_widened")
)


# Quantisation


def _groups(x: Array, axis: int) -> Array:
    """Groups of 32 on an axis of their own behind ``axis``."""
    at = axis % x.ndim
    return x.reshape(*x.shape[:at], -1, GROUP, *x.shape[at + 1 :])


def _scale(x: Array, axis: int, mode: DequantScaleRoundingMode = DOWN, greatest: float = 448.0) -> Array:
    """Exponents per group, in float64."""
    amax = np.abs(_groups(x, axis)).max(axis % x.ndim + 1)
    power = np.floor(np.log2(greatest))
    exponents: Array = np.floor(np.log2(amax)) - power if mode is DOWN else np.ceil(np.log2(amax / greatest))
    return exponents


def _codes(x: Array, axis: int, mode: DequantScaleRoundingMode = DOWN) -> Array:
    """The E8M0 scales in the layout of the documentation, as float64 values."""
    exponents = 2.0 ** _scale(x, axis, mode)
    at = axis % x.ndim
    paired = exponents.reshape(*exponents.shape[:at], -1, 2, *exponents.shape[at + 1 :])
    return np.moveaxis(paired, at + 1, -1)


def _elements(
    host: Any, axis: int, mode: DequantScaleRoundingMode = DOWN, greatest: float = 448.0
) -> Callable[..., Array]:
    def golden(x: Array) -> Array:
        scale = np.expand_dims(2.0 ** _scale(x, axis, mode, greatest), axis % x.ndim + 1)
        quotient = np.clip(_groups(x, axis) / scale, -greatest, greatest)
        return quotient.astype(np.float32).astype(host).reshape(x.shape).astype(np.float64)

    return golden


def _pairs(x: Array) -> Array:
    codes = _elements(ml_dtypes.float4_e2m1fn, -1, DOWN, 6.0)(x).astype(ml_dtypes.float4_e2m1fn).view(np.uint8) & 15
    return codes[..., ::2] | codes[..., 1::2] << 4


_Q = "pypto.quant_mx(x, {}performance_mode=False)[{}]"


@op(
    "quant_mx",
    "Q",
    arithmetic=Composite(("abs", "amax", "mx_exponent", "mx_element")),
    dtypes=Dtypes(frozenset(), F3),
    method=True,
    only_950=True,
    samples=(
        Sample(
            _Q.format("", 0), {"x": normal(4, 128)}, _elements(ml_dtypes.float8_e4m3fn, -1), tile=(4, 128), result=E4M3,
        ),
        Sample(_Q.format("", 1), {"x": normal(4, 128)}, lambda x: _codes(x, -1), tile=(4, 128), result=E8M0),
        Sample(
            _Q.format("mode=pypto.ROUND_UP, axis=-2, ", 0), {"x": normal(2, 64, 16)},
            _elements(ml_dtypes.float8_e4m3fn, -2, UP), tile=(2, 64, 16), result=E4M3,
        ),
        Sample(
            _Q.format("mode=pypto.ROUND_UP, axis=-2, ", 1), {"x": normal(2, 128, 16)},
            lambda x: _codes(x, -2, UP), tile=(2, 64, 16), result=E8M0,
        ),
        Sample(
            "pypto.view(pypto.quant_mx(x, pypto.DT_FP4_E2M1X2)[0], dtype=pypto.DT_UINT8)",
            {"x": converted(normal(4, 128), BF16)}, lambda x: _pairs(x.astype(np.float64)), tile=(4, 128),
        ),
    ),
)  # fmt: skip
def quant_mx(
    input: Var,
    quant_dtype: DataType = DataType.DT_FP8E4M3,
    mode: DequantScaleRoundingMode = DequantScaleRoundingMode.ROUND_DOWN,
    axis: int = -1,
    performance_mode: bool = True,
) -> list[Var]:
    """Elements in a small float type and one power of two per 32 of them: [quantized, scale].

    With amax the greatest magnitude of a group, the exponent of its scale is floor(log2(amax)) - e with ROUND_DOWN
    (e = 8 for FP8E4M3, 2 for FP4) and ceil(log2(amax / g)) with ROUND_UP (g = 448, 6), limited to what FP8E8M0 holds; a
    NaN makes the scale NaN. Elements are x / scale, to nearest even, saturating.
    Shapes: rank 1-4 (2-4 for axis -2). Axis -1: a multiple of 64, fully valid; the scale is [.., last / 64, 2]. Axis
    -2: likewise, the scale is [.., rows / 64, last, 2]. ``quantized`` has the shape of input; an element of
    FP4_E2M1X2 is two values, so that its last axis is half as long.
    Dtypes: FP16, BF16, FP32 to FP8E4M3; FP16, BF16 to FP4_E2M1X2; the scale is FP8E8M0. On the 950 only.
    Errors: an axis that is neither; extents or vector tiles that are no multiple of 64 there; with
    ``performance_mode`` on axis -1, a last axis of no whole 256 bytes or one that the vector tile cuts.
    """
    source = rec.tile("quant_mx", "input", input, dtypes=Dtypes(F3))
    rank = source.type.rank
    if not isinstance(mode, DequantScaleRoundingMode):
        fail("PTO222", op="quant_mx", why=rec.wrong_kind("mode", "DequantScaleRoundingMode", mode))
    at = rec.axis("quant_mx", axis, rank)
    if at < rank - 2:
        fail("PTO268", op="quant_mx", why=T(f"axis must be -1 or -2, got {axis}", f"axis 须为 -1 或 -2，实际为 {axis}"))
    element = _element_type(source, quant_dtype)
    _check_layout(source, at, element, rec.flag("quant_mx", "performance_mode", performance_mode))
    with rec.tiled(*_tile(source, at)):
        values, code = _quantized(source, at, element, mode)
        scale = reshaped(code, *_split(code, source, at))
        if at == rank - 2:
            *lead, _, _, _ = range(scale.type.rank)
            scale = reordered(scale, (*lead, rank - 2, rank, rank - 1))
        full = shapes.all_full(source.valid, rec.ints(source))
        back = reshaped(values, rec.ints(source), None if full else source.valid)
    if element is E2M1:
        return [rec.pointwise("pair_codes", [every("gathermask", back, n, 2) for n in (0, 1)], E2M1X2), scale]
    return [back, scale]


def _element_type(source: Var, quant_dtype: object) -> DataType:
    kind = rec.data_type("quant_mx", "quant_dtype", quant_dtype)
    if kind is E4M3:
        return E4M3
    if kind is not E2M1X2:
        rec.refuse_choice("quant_dtype of quant_mx", kind.name, "FP8E4M3, FP4_E2M1X2")
    if source.type.dtype not in HALVES:
        rec.refuse_dtype("quant_mx to FP4_E2M1X2", source.type.dtype.name, "FP16, BF16")
    return E2M1


def _check_layout(source: Var, at: int, element: DataType, performance: bool) -> None:
    """What a device demands of extents, valid extents and vector tiles (PTO263, PTO328)."""
    extents, rank = rec.ints(source), source.type.rank
    last_axis = at == rank - 1
    for axis in {at, rank - 1} if element is E2M1 else {at}:
        if extents[axis] % 64 or not shapes.is_full(source.valid[axis], extents[axis]):
            why = T(
                f"axis {axis} must be fully valid and a multiple of 64, it has {extents[axis]} elements",
                f"第 {axis} 轴须全部有效且长度为 64 的倍数，其长度为 {extents[axis]}",
            )
            fail("PTO263", op="quant_mx", why=why)
        tile = rec.vector_tile(axis, rank)
        if not last_axis and tile is not None and tile % 64:
            fail(
                "PTO328",
                op="quant_mx",
                tile=tile,
                rule=T(f"a multiple of 64 on axis {axis}", f"第 {axis} 轴上为 64 的倍数"),
            )
    if not (performance and last_axis):
        return
    size = 4 if source.type.dtype is FP32 else 2
    if extents[-1] * size % 256:
        why = T(
            f"performance_mode needs a last axis of whole 256 bytes, it has {extents[-1] * size}",
            f"performance_mode 要求尾轴为 256 字节的整数倍，实际为 {extents[-1] * size} 字节",
        )
        fail("PTO263", op="quant_mx", why=why)
    tile = rec.vector_tile(-1, rank)
    if tile is not None and tile != extents[-1]:
        fail(
            "PTO328",
            op="quant_mx",
            tile=tile,
            rule=T(
                f"{extents[-1]} on the last axis with performance_mode",
                f"使用 performance_mode 时尾轴上为 {extents[-1]}",
            ),
        )


def _tile(source: Var, at: int) -> list[int]:
    """The author's vector tile over the groups; one that is missing or too short is reported by the first node."""
    rank, scope = source.type.rank, rec.recorder("quant_mx").scope
    tile = list(scope.vec or ())[:rank]
    return _grouped(tile, at) if len(tile) == rank else tile


def _grouped(items: list[Any], at: int) -> list[Any]:
    """Extents with the axis of the groups split off; extents of a tile are taken as they are."""
    return [*items[:at], max(1, items[at] // GROUP), min(items[at], GROUP), *items[at + 1 :]]


def _quantized(source: Var, at: int, element: DataType, mode: DequantScaleRoundingMode) -> tuple[Var, Var]:
    """Elements and exponents over the groups: [.., groups, 32, ..] and [.., groups, 1, ..]."""
    wide = to_type(source, FP32)
    shape, valid = _grouped([*rec.ints(source)], at), _grouped([*_valid_ints(source, at)], at)
    groups = reshaped(wide, tuple(shape), None if shapes.all_full(valid, shape) else tuple(valid))
    size = rec.emit("abs", [groups], groups.type, groups.valid)
    kept = tuple(1 if axis == at + 1 else n for axis, n in enumerate(shape))
    kept_valid = tuple(1 if axis == at + 1 else n for axis, n in enumerate(groups.valid))
    amax = rec.emit("amax", [size], TileType(kept, FP32), kept_valid, axes=(at + 1,), keepdim=True)
    code = rec.emit("mx_exponent", [amax], TileType(kept, E8M0), kept_valid, element=element, mode=mode)
    return rec.emit("mx_element", [groups, code], TileType(tuple(shape), element), groups.valid), code


def _valid_ints(source: Var, at: int) -> list[Dim]:
    """Valid extents; that of the grouped axis is full."""
    return [n if axis == at else v for axis, (n, v) in enumerate(zip(rec.ints(source), source.valid, strict=True))]


def _split(code: Var, source: Var, at: int) -> tuple[tuple[int, ...], tuple[Dim, ...] | None]:
    """Shape and valid extents of the exponents with pairs of groups on an axis behind that of the groups."""
    outer, inner = rec.ints(source)[:at], rec.ints(source)[at + 1 :]
    groups = rec.ints(source)[at] // GROUP
    shape = (*outer, groups // 2, 2, *inner)
    valid = (*source.valid[:at], groups // 2, 2, *source.valid[at + 1 :])
    return shape, None if shapes.all_full(valid, shape) else valid


# Products


def _scales(*shape: int) -> Generator:
    return lambda rng: (2.0 ** rng.integers(-3, 4, shape)).astype(ml_dtypes.float8_e8m0fnu)


def _spread(scale: Array, depth: int) -> Array:
    """[rows, K] factors from [rows, groups, 2]."""
    return np.repeat(scale.astype(np.float64).reshape(scale.shape[0], -1), GROUP, 1)[:, :depth]


def _product(x: Array, y: Array, sx: Array, sy: Array) -> Array:
    """Of x [M, K] and y [N, K]."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    result: Array = (x * _spread(sx, x.shape[-1])) @ (y * _spread(sy, y.shape[-1])).T
    return result


_MX = {
    "x": converted(whole(16, 96), E4M3),
    "y": converted(whole(32, 96), E5M2),
    "sx": _scales(16, 2, 2),
    "sy": _scales(32, 2, 2),
}
_FP4 = {
    "x": converted(whole(16, 64), E2M1),
    "y": converted(whole(64, 32), E2M1),
    "sx": _scales(1, 16, 2),
    "sy": _scales(1, 32, 2),
}
_CUBE = "pypto.set_cube_tile_shapes([16, 16], [64, 64], [32, 32]) or "


@op(
    "scaled_mm",
    "M",
    core="cube",
    arithmetic=Composite(("mx_widened", "matmul")),
    dtypes=Dtypes(frozenset(), frozenset({E4M3, E5M2, E2M1})),
    only_950=True,
    samples=(
        Sample(
            _CUBE + "pypto.scaled_mm(x, y, pypto.DT_FP32, sx, sy, b_trans=True, scale_b_trans=True)",
            _MX, _product, cube=True,
        ),
        Sample(
            _CUBE + "pypto.scaled_mm(x, y, pypto.DT_BF16, sx, sy, scale_a_trans=True)",
            _FP4,
            lambda x, y, sx, sy: _product(x, y.T, np.moveaxis(sx, 0, 1), np.moveaxis(sy, 0, 1)),
            ulp=0.51, cube=True, result=BF16,
        ),
        Sample(
            _CUBE + "pypto.scaled_mm(x, y, pypto.DT_FP16, sx, sy, b_trans=True, scale_b_trans=True, "
            "extend_params={'bias_tensor': b, 'relu_type': pypto.ReLuType.RELU})",
            {**_MX, "b": whole(1, 32)},
            lambda x, y, sx, sy, b: np.maximum(_product(x, y, sx, sy) + b, 0),
            ulp=0.51, cube=True, result=FP16,
        ),
    ),
)  # fmt: skip
def scaled_mm(
    mat_a: Var,
    mat_b: Var,
    out_dtype: DataType,
    scale_a: Var,
    scale_b: Var,
    *,
    a_trans: bool = False,
    b_trans: bool = False,
    scale_a_trans: bool = False,
    scale_b_trans: bool = False,
    c_matrix_nz: bool = False,
    extend_params: dict[str, Any] | None = None,
) -> Var:
    """Matrix product of microscaled operands: every 32 elements of K have one power of two as their factor.

    Shapes: matrices as for ``matmul``, rank 2-4; with G = K / 64 rounded up, scale_a is [M, G, 2], or [G, M, 2] with
    ``scale_a_trans``, and scale_b is [G, N, 2], or [N, G, 2] with ``scale_b_trans``; all batches share them. Element
    [m, g, h] belongs to K from 64 g + 32 h on.
    Dtypes: FP8E4M3 and FP8E5M2, which may be mixed, or FP4_E2M1; the scales FP8E8M0; the result FP16, BF16 or FP32, or
    INT8 with a scale. On the 950 only. An element times its factor is one product in FP32; then as ``matmul``.
    ``extend_params`` are those of ``matmul``, except ``trans_mode``; ``scale_tensor`` with 2-D matrices only.
    Errors: ranks, shapes or dtypes that do not fit; FP4 with an odd inner axis; NZ with FP8E5M2; a cube tile whose kL0
    is no multiple of 64.
    """
    a, b = matrix("mat_a", 1, mat_a), matrix("mat_b", 2, mat_b)
    rank = a.type.rank
    if rank != b.type.rank or rank not in (2, 3, 4):
        fail("PTO270", first=rank, other=b.type.rank)
    out = rec.data_type("scaled_mm", "out_dtype", out_dtype)
    ta, tb = rec.flag("scaled_mm", "a_trans", a_trans), rec.flag("scaled_mm", "b_trans", b_trans)
    check_result("scaled_mm", c_matrix_nz)
    _check_matrices(a, b)
    check_layouts(a, b)
    extras = extras_of(extend_params)
    cube = rec.recorder("scaled_mm").scope.cube
    if cube is not None and cube.split_k and rank != 2:
        fail(
            "PTO275",
            why=T(
                f"split-K of scaled_mm needs matrices of rank 2, they have {rank}",
                f"scaled_mm 的 split-K 要求矩阵为 2 维，实际为 {rank} 维",
            ),
        )
    if extras.scale_tensor is not None and rank != 2:
        fail(
            "PTO275",
            why=T(
                f"scale_tensor of scaled_mm needs matrices of rank 2, they have {rank}",
                f"scaled_mm 的 scale_tensor 要求矩阵为 2 维，实际为 {rank} 维",
            ),
        )
    wide_a = _widened("scale_a", a, -2 if ta else -1, scale_a, scale_a_trans, rows_first=True)
    wide_b = _widened("scale_b", b, -1 if tb else -2, scale_b, scale_b_trans, rows_first=False)
    attrs = {"element_bytes": 0.5 if a.type.dtype is E2M1 else 1, "microscaled": True}
    return multiply(wide_a, wide_b, a.type.dtype, out, (ta, tb), extras, attrs)


def _check_matrices(a: Var, b: Var) -> None:
    """Element types, layouts and even inner axes (PTO231, PTO263, PTO272, PTO276)."""
    first, other = a.type.dtype, b.type.dtype
    for what in (a, b):
        rec.element_type("scaled_mm", what.type.dtype, None, computes=False)
        if what.type.dtype not in (E4M3, E5M2, E2M1):
            rec.refuse_dtype("scaled_mm", what.type.dtype.name, "FP8E4M3, FP8E5M2, FP4_E2M1")
        if what.type.dtype is E5M2 and what.type.fmt is TileOpFormat.TILEOP_NZ:
            fail("PTO276", why=ONLY_ND)
        if what.type.dtype is E2M1 and rec.ints(what)[-1] % 2:
            why = T(
                f"the inner axis of FP4 operands must be even, it has {rec.ints(what)[-1]} elements",
                f"FP4 操作数的内轴长度须为偶数，实际为 {rec.ints(what)[-1]}",
            )
            fail("PTO263", op="scaled_mm", why=why)
    if (first is E2M1) is not (other is E2M1):
        fail("PTO272", first=first.name, other=other.name, how=conversions.to_one(first.name, other.name))


def _widened(name: str, matrix: Var, k_axis: int, scale: object, transposed: object, *, rows_first: bool) -> Var:
    """The matrix in FP32, its elements multiplied by their factors."""
    rows_first = rows_first is not rec.flag("scaled_mm", f"{name}_trans", transposed)
    found = rec.plain("scaled_mm", name, scale)
    extents = rec.ints(matrix)
    rows, depth = extents[-1 if k_axis == -2 else -2], extents[k_axis]
    groups = -(-depth // 64)
    want = (rows, groups, 2) if rows_first else (groups, rows, 2)
    if found.type.dtype is not E8M0:
        rec.refuse_dtype(f"{name} of scaled_mm", found.type.dtype.name, "FP8E8M0")
    if rec.ints(found) != want:
        shown = shapes.shape_text(want), shapes.shape_text(found.type.shape)
        fail(
            "PTO263",
            op="scaled_mm",
            why=T(
                f"{name} must have the shape {shown[0]}, got {shown[1]}",
                f"{name} 的 shape 须为 {shown[0]}，实际为 {shown[1]}",
            ),
        )
    type = TileType(extents, FP32, matrix.type.fmt)
    return rec.emit("mx_widened", [matrix, found], type, matrix.valid, k_axis=k_axis, rows_first=rows_first)
