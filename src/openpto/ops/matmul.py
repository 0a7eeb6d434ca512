"""Matrix product with optional bias, ReLU and output scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from openpto._records import dataclass
from openpto.diagnostics import T, conversions, fail
from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType, bytes_of
from openpto.ir.enums import ReLuType, TileOpFormat, TransMode
from openpto.ir.expr import Dim
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import arith, shapes
from . import recording as rec
from .dtype_sets import BF16, F3, FP16, FP32, INT8, INT32, INT64, UINT64
from .math.small_floats import CODES, decoded
from .matmul_samples import SAMPLES
from .registry import Dtypes, Named, Pointwise, internal, op

FP8S = frozenset({DataType.DT_FP8E4M3, DataType.DT_FP8E5M2})
OPERANDS = Dtypes(F3 | frozenset({INT8}), FP8S | {DataType.DT_HF8})
# Operand type -> output types without scale.
OUTPUTS: dict[DataType, frozenset[DataType]] = {
    FP16: frozenset({FP16, FP32, BF16}),
    BF16: frozenset({BF16, FP32, FP16}),
    FP32: frozenset({FP32}),
    INT8: frozenset({INT32}),
    **dict.fromkeys((*FP8S, DataType.DT_HF8, DataType.DT_FP4_E2M1), frozenset({FP16, BF16, FP32})),
}
EXTRA_KEYS = ("bias_tensor", "scale", "scale_tensor", "relu_type", "trans_mode")
ONLY_ND = T(
    "Input tensor with DT_FP32/DT_FP8E5M2 must use ND format",
    "Input tensor with DT_FP32/DT_FP8E5M2 must use ND format（这些类型的输入须为 ND 格式）",
)


@dataclass(frozen=True, slots=True)
class Extras:
    """What ``extend_params`` asks for."""

    bias: Var | None = None
    relu: bool = False
    scale: float | None = None
    scale_tensor: Var | None = None
    trans_mode: TransMode = TransMode.CAST_NONE

    @property
    def scales(self) -> bool:
        """Whether the result is scaled."""
        return self.scale is not None or self.scale_tensor is not None

    @property
    def tensors(self) -> list[Var]:
        """The operands after the two matrices."""
        return [x for x in (self.bias, self.scale_tensor) if x is not None]


@op(
    "matmul",
    "M",
    core="cube",
    arithmetic=Named("matmul"),
    dtypes=OPERANDS,
    method=True,
    samples=SAMPLES,
)
def matmul(
    input: Var,
    mat2: Var,
    out_dtype: DataType,
    *,
    a_trans: bool = False,
    b_trans: bool = False,
    c_matrix_nz: bool = False,
    extend_params: dict[str, Any] | None = None,
) -> Var:
    """Matrix product ``input @ mat2``; also ``x @ y`` with the output type of the operands.

    Shapes: both of rank 2, 3 or 4, static; batch axes broadcast from 1. ``a_trans``: input is stored [K, M];
    ``b_trans``: mat2 is stored [N, K]. The valid extents of K must agree; M and N carry theirs over.
    Dtypes: FP32 gives FP32, FP16 and BF16 give FP16, BF16 or FP32, INT8 gives INT32; on the 950 FP8E4M3 and FP8E5M2,
    which may be mixed, and HF8 give FP16, BF16 or FP32; with a scale INT8 gives FP16, and all give INT8.
    ``extend_params``: ``bias_tensor`` [1, N], FP32 or as the operands (INT32 beside INT8, any float type beside FP8);
    ``relu_type``; ``scale``, of which 10 mantissa bits count, or ``scale_tensor`` [1, N], UINT64 or INT64 that hold
    FP32 patterns; ``trans_mode``, which rounds FP32 operands to TF32.
    The sum starts at +0 and adds products for ascending k, each by one fused multiply-add in FP32 (INT8: exact in
    INT32); then, one step each: bias, scale, ReLU, output type (INT8: nearest even, saturating).
    Errors: ranks, K or batch that do not fit; dtypes outside the table; a dynamic operand; NZ with FP32; bias, scale or
    ReLU with split-K.
    """
    a, b = matrix("input", 1, input), matrix("mat2", 2, mat2)
    rank = a.type.rank
    if rank != b.type.rank or rank not in (2, 3, 4):
        fail("PTO270", first=rank, other=b.type.rank)
    out = rec.data_type("matmul", "out_dtype", out_dtype)
    ta, tb = rec.flag("matmul", "a_trans", a_trans), rec.flag("matmul", "b_trans", b_trans)
    check_result("matmul", c_matrix_nz)
    _element_types(a, b)
    check_layouts(a, b)
    extra = {"element_bytes": 1} if a.type.dtype in CODES else {}
    return multiply(widened(a), widened(b), a.type.dtype, out, (ta, tb), extras_of(extend_params), extra)


def multiply(
    a: Var,
    b: Var,
    dtype: DataType,
    out: DataType,
    transposed: tuple[bool, bool],
    extras: Extras,
    attrs: Mapping[str, Any],
) -> Var:
    """Check everything but the element types of the matrices, which the author gave as ``dtype``, and record."""
    _output_type(dtype, out, extras)
    _possible(dtype, out, extras)
    m, n, valid_m, valid_n = _inner(a, b, *transposed)
    batch, valid_batch = _batch(a, b)
    if extras.bias is not None:
        _bias(extras.bias, dtype, a.type.rank, n)
    if extras.scale_tensor is not None:
        _scale_tensor(extras.scale_tensor, n)
    return rec.emit(
        "matmul",
        [a, b, *extras.tensors],
        TileType((*batch, m, n), out),
        (*valid_batch, valid_m, valid_n),
        a_trans=transposed[0],
        b_trans=transposed[1],
        relu=extras.relu,
        scale=extras.scale,
        bias=extras.bias is not None,
        scale_tensor=extras.scale_tensor is not None,
        trans_mode=extras.trans_mode,
        **attrs,
    )


internal(
    "widened_codes",
    "Values of a float type of 8 or 4 bits in FP32, as the matrix unit reads them.",
    core="none",
    arithmetic=Pointwise(general=lambda operands, result, attrs: decoded(arith.var(arith.U8), operands[0])),
)


def widened(operand: Var) -> Var:
    """The operand as the product is computed with it: FP32 for the types that have codes."""
    if operand.type.dtype not in CODES:
        return operand
    return rec.emit("widened_codes", [operand], TileType(rec.ints(operand), FP32, operand.type.fmt), operand.valid)


def product_type(dtype: DataType) -> DataType:
    """The output type of ``x @ y`` (PTO277)."""
    if dtype in F3:
        return dtype
    if dtype is INT8:
        return INT32
    fail("PTO277", dtype=dtype.name)


def matrix(name: str, number: int, value: object) -> Var:
    """A static operand of a product (PTO271)."""
    var = rec.tensor("matmul", name, value)
    for at, extent in enumerate(var.type.shape):
        if not isinstance(extent, int):
            fail("PTO271", name=var.name or name, number=number, axis=at, shape=shapes.shape_text(var.type.shape))
    rec.static_shape("matmul", name, var)
    return var


def _element_types(a: Var, b: Var) -> None:
    first, other = a.type.dtype, b.type.dtype
    for dtype in (first, other):
        rec.element_type("matmul", dtype, OPERANDS, computes=False)
    if first is not other and not {first, other} <= FP8S:
        fail("PTO272", first=first.name, other=other.name, how=conversions.to_one(first.name, other.name))
    plain = first is FP32 or DataType.DT_FP8E5M2 in (first, other)
    if plain and TileOpFormat.TILEOP_NZ in (a.type.fmt, b.type.fmt):
        fail("PTO276", why=ONLY_ND)


MOST_INNER = 65535
"""Elements of the inner axis of an operand in ND that a copy to L1 counts."""


def check_result(op: str, c_matrix_nz: object) -> None:
    """Results are in ND (PTO276)."""
    if rec.flag(op, "c_matrix_nz", c_matrix_nz):
        fail(
            "PTO276",
            why=T(
                "Output tensor do not support NZ currently.",
                "Output tensor do not support NZ currently.（结果暂不支持 NZ 格式）",
            ),
        )


def check_layouts(a: Var, b: Var) -> None:
    """The stored last axis: not too long in ND, whole blocks of 32 bytes and 16 rows in NZ (PTO276, PTO279)."""
    for name, var in (("input", a), ("mat2", b)):
        *_, outer, inner = rec.ints(var)
        if var.type.fmt is TileOpFormat.TILEOP_ND:
            if inner > MOST_INNER:
                fail("PTO279", name=var.name or name, extent=inner, shape=shapes.shape_text(var.type.shape))
        elif inner * bytes_of(var.type.dtype) % 32 or outer % 16:
            shown = shapes.shape_text(var.type.shape)
            fail(
                "PTO276",
                why=T(
                    f"{name} {shown} in NZ needs an inner axis of whole 32 bytes and an outer one of 16",
                    f"NZ 格式的 {name} {shown} 要求内轴为 32 字节的整数倍、外轴为 16 的整数倍",
                ),
            )
        else:
            _matrix_size(name, var)


def _matrix_size(name: str, var: Var) -> None:
    """A fractal operand of more than two axes, or one that was reshaped, needs the true size (PTO276)."""
    size = rec.recorder("matmul").scope.matrix_size
    if size is not None and (len(size) != 3 or min(size) < 1):
        fail(
            "PTO276",
            why=T(
                f"set_matrix_size needs three positive numbers [m, k, n], got {list(size)}",
                f"set_matrix_size 需要三个正数 [m, k, n]，实际为 {list(size)}",
            ),
        )
    if size is not None or (var.type.rank == 2 and rec.made_by(var) != "reshape"):
        return
    many = var.type.rank > 2
    reason = f"with {var.type.rank} axes" if many else "after reshape"
    reason_zh = f"有 {var.type.rank} 个轴" if many else "经过 reshape"
    why = T(
        f"{name} in NZ {reason} needs pypto.set_matrix_size([m, k, n]) before it",
        f"NZ 格式的 {name} {reason_zh}，须先调用 pypto.set_matrix_size([m, k, n])",
    )
    fail("PTO276", why=why)


def _output_type(dtype: DataType, out: DataType, extras: Extras) -> None:
    """The output type is in the table of the operands' type, or in that of scaled products (PTO273, PTO275)."""
    scaled = {INT8, FP16} if dtype is INT8 else {INT8}
    if out not in OUTPUTS[dtype] | scaled:
        allowed = ", ".join(d.short for d in sorted(OUTPUTS[dtype]))
        fail("PTO273", operand=dtype.name, out=out.name, allowed=allowed)
    if extras.scales and out not in scaled:
        fail(
            "PTO275",
            why=T(
                f"scale needs INT8 operands with FP16 output, or INT8 output; the output here is {out.name}",
                f"scale 要求操作数为 INT8 且输出为 FP16，或输出为 INT8；此处输出为 {out.name}",
            ),
        )
    if not extras.scales and out in scaled - OUTPUTS[dtype]:
        fail(
            "PTO275",
            why=T(
                f"{dtype.name} operands with {out.name} output need a scale or a scale_tensor",
                f"操作数为 {dtype.name}、输出为 {out.name} 时需要 scale 或 scale_tensor",
            ),
        )


def _possible(dtype: DataType, out: DataType, extras: Extras) -> None:
    """What the types and split-K exclude (PTO275)."""
    if extras.trans_mode is not TransMode.CAST_NONE and dtype is not FP32:
        fail(
            "PTO275",
            why=T(
                "The param of trans_mode is only supported when input data type is DT_FP32",
                "The param of trans_mode is only supported when input data type is DT_FP32（仅支持 FP32 输入）",
            ),
        )
    if extras.trans_mode is not TransMode.CAST_NONE and out is not FP32:
        fail(
            "PTO275",
            why=T(
                f"trans_mode keeps FP32 results, the output here is {out.name}",
                f"trans_mode 的结果为 FP32，此处输出为 {out.name}",
            ),
        )
    if extras.scale is not None and extras.scale_tensor is not None:
        fail("PTO275", why=T("scale and scale_tensor exclude each other", "scale 与 scale_tensor 不能同时使用"))
    cube = rec.recorder("matmul").scope.cube
    if cube is not None and cube.split_k and (extras.tensors or extras.relu or extras.scales):
        fail(
            "PTO275",
            why=T(
                "ReLU is not supported in split-k scenarios, nor are bias and scale",
                "ReLU is not supported in split-k scenarios（split-K 下不支持 ReLU、bias 和 scale）",
            ),
        )


def _inner(a: Var, b: Var, a_trans: bool, b_trans: bool) -> tuple[int, int, Dim, Dim]:
    """M and N with their valid extents; K must agree (PTO274)."""
    rows, depth = (-1, -2) if a_trans else (-2, -1)
    depth_b, cols = (-1, -2) if b_trans else (-2, -1)
    gap = affine.difference(a.valid[depth], b.valid[depth_b])
    if gap not in (0, None):
        fail(
            "PTO274",
            first=shapes.shape_text(a.valid),
            other=shapes.shape_text(b.valid),
            a=ex.text(a.valid[depth]),
            b=ex.text(b.valid[depth_b]),
        )
    return rec.ints(a)[rows], rec.ints(b)[cols], a.valid[rows], b.valid[cols]


def _batch(a: Var, b: Var) -> tuple[tuple[int, ...], tuple[Dim, ...]]:
    outer_a, outer_b = rec.ints(a)[:-2], rec.ints(b)[:-2]
    if not outer_a:
        return (), ()
    common = shapes.broadcast([outer_a, outer_b])
    if common is None:
        fail("PTO278", first=shapes.shape_text(a.type.shape), other=shapes.shape_text(b.type.shape))
    valid, _ = shapes.broadcast_valid([(outer_a, a.valid[:-2]), (outer_b, b.valid[:-2])], common)
    return common, valid


def extras_of(params: object) -> Extras:
    """Check ``extend_params`` (PTO222, PTO275)."""
    if params is None:
        return Extras()
    if not isinstance(params, Mapping):
        fail("PTO222", op="matmul", why=rec.wrong_kind("extend_params", "dict", params))
    for key in params:
        if key not in EXTRA_KEYS:
            fail(
                "PTO275",
                why=T(
                    f"extend_params has no key {key!r}; it knows {', '.join(EXTRA_KEYS)}",
                    f"extend_params 没有键 {key!r}；可用的键为 {', '.join(EXTRA_KEYS)}",
                ),
            )
    relu = params.get("relu_type", ReLuType.NO_RELU)
    scale = params.get("scale", 0.0)
    if not isinstance(relu, ReLuType):
        fail("PTO275", why=rec.wrong_kind("relu_type", "ReLuType", relu))
    if not isinstance(scale, (int, float)):
        fail("PTO275", why=rec.wrong_kind("scale", "float", scale))
    mode = params.get("trans_mode", TransMode.CAST_NONE)
    if not isinstance(mode, TransMode):
        fail("PTO275", why=rec.wrong_kind("trans_mode", "TransMode", mode))
    tensors = {key: params.get(key) for key in ("bias_tensor", "scale_tensor")}
    found = {key: None if x is None else rec.tensor("matmul", key, x) for key, x in tensors.items()}
    return Extras(found["bias_tensor"], relu is ReLuType.RELU, _kept(scale), found["scale_tensor"], mode)


def _kept(scale: float) -> float | None:
    """What the device keeps of a scale: FP32 with its low 13 bits cleared. 0 means that there is none."""
    bits = np.asarray(rec.rounded(scale, FP32).value, np.float32).view(np.uint32) & np.uint32(0xFFFFE000)
    return float(bits.view(np.float32)) or None


BIASES: dict[DataType, frozenset[DataType]] = {
    FP16: frozenset({FP16, FP32}),
    BF16: frozenset({BF16, FP32}),
    FP32: frozenset({FP32}),
    INT8: frozenset({INT32}),
    **dict.fromkeys((*FP8S, DataType.DT_HF8, DataType.DT_FP4_E2M1), F3),
}


def _bias(bias: Var, dtype: DataType, rank: int, n: int) -> None:
    ranks = (2, 3) if rank == 3 else (2,)
    _one_row("bias_tensor", bias, n)
    if bias.type.rank not in ranks:
        fail(
            "PTO275",
            why=T(
                f"Bias tensor dimension mismatch for {rank}D: it has {bias.type.rank} axes",
                f"Bias tensor dimension mismatch for {rank}D（bias_tensor 有 {bias.type.rank} 个轴）",
            ),
        )
    if bias.type.dtype not in BIASES[dtype]:
        allowed, got = [d.name for d in sorted(BIASES[dtype])], bias.type.dtype.name
        why = T(
            f"bias_tensor must be {' or '.join(allowed)} beside {dtype.name} operands, got {got}",
            f"操作数为 {dtype.name} 时 bias_tensor 须为 {' 或 '.join(allowed)}，实际为 {got}",
        )
        fail("PTO275", why=why)


def _scale_tensor(scales: Var, n: int) -> None:
    _one_row("scale_tensor", scales, n)
    if scales.type.dtype not in (UINT64, INT64):
        fail(
            "PTO275",
            why=T(
                f"scale_tensor must be DT_UINT64 or DT_INT64, got {scales.type.dtype.name}",
                f"scale_tensor 须为 DT_UINT64 或 DT_INT64，实际为 {scales.type.dtype.name}",
            ),
        )


def _one_row(name: str, row: Var, n: int) -> None:
    shape = rec.ints(rec.plain("matmul", name, row))
    if len(shape) < 2 or shape[-1] != n or shape[-2] != 1:
        fail(
            "PTO275",
            why=T(
                f"{name} must have the shape [1, {n}], got {shapes.shape_text(shape)}",
                f"{name} 的 shape 须为 [1, {n}]，实际为 {shapes.shape_text(shape)}",
            ),
        )
