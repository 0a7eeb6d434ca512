"""Matrix product with optional bias, ReLU and output scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from openpto.diagnostics import fail
from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType
from openpto.ir.enums import ReLuType, TileOpFormat, TransMode
from openpto.ir.expr import Dim
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from . import shapes
from .dtype_sets import BF16, COMPUTED, F3, FP16, FP32, INT8, INT32
from .registry import Dtypes, Named, Sample, op
from .samples import positive, whole

FP8S = frozenset({DataType.DT_FP8E4M3, DataType.DT_FP8E5M2})
OPERANDS = Dtypes(F3 | frozenset({INT8}), FP8S | {DataType.DT_HF8})
# Operand type -> output types without scale.
OUTPUTS: dict[DataType, frozenset[DataType]] = {
    FP16: frozenset({FP16, FP32}),
    BF16: frozenset({BF16, FP32}),
    FP32: frozenset({FP32}),
    INT8: frozenset({INT32}),
    **dict.fromkeys((*FP8S, DataType.DT_HF8), frozenset({FP16, BF16, FP32})),
}
EXTRA_KEYS = ("bias_tensor", "scale", "scale_tensor", "relu_type", "trans_mode")


@dataclass(frozen=True, slots=True)
class Extras:
    """What ``extend_params`` asks for."""

    bias: Var | None = None
    relu: bool = False
    scale: float | None = None


@op(
    "matmul",
    "M",
    core="cube",
    arithmetic=Named("matmul"),
    dtypes=OPERANDS,
    method=True,
    samples=(
        Sample(
            "pypto.matmul(x, y, pypto.DT_FP32)",
            {"x": positive(16, 32), "y": positive(32, 16)},
            lambda x, y: x.astype("f8") @ y,
            ulp=16,
            cube=True,
        ),
        Sample(
            "pypto.matmul(x, y, pypto.DT_FP32, extend_params={'bias_tensor': b, 'relu_type': pypto.ReLuType.RELU})",
            {"x": whole(16, 32), "y": whole(32, 16), "b": whole(1, 16)},
            lambda x, y, b: np.maximum(x @ y + b, 0),
            cube=True,
        ),
        Sample(
            "x @ y", {"x": whole(2, 16, 32), "y": whole(1, 32, 16)}, lambda x, y: x @ y, tile=(1, 16, 16), cube=True
        ),
        Sample(
            "pypto.matmul(x, y, pypto.DT_FP32, a_trans=True, b_trans=True)",
            {"x": whole(32, 16), "y": whole(16, 32)},
            lambda x, y: x.T @ y.T,
            cube=True,
        ),
    ),
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
    Dtypes: FP32 gives FP32, FP16 and BF16 give themselves or FP32, INT8 gives INT32.
    ``extend_params``: ``bias_tensor`` [1, N], ``relu_type``, ``scale``, ``scale_tensor``, ``trans_mode``.
    The sum starts at +0 and adds products for ascending k, each by one fused multiply-add in FP32; then, one step each:
    bias, scale, ReLU, output type.
    Errors: ranks, K or batch that do not fit; dtypes outside the table; a dynamic operand; NZ with FP32.
    """
    a, b = _operand("input", 1, input), _operand("mat2", 2, mat2)
    rank = a.type.rank
    if rank != b.type.rank or rank not in (2, 3, 4):
        fail("PTO270", first=rank, other=b.type.rank)
    out = rec.data_type("matmul", "out_dtype", out_dtype)
    ta, tb = rec.flag("matmul", "a_trans", a_trans), rec.flag("matmul", "b_trans", b_trans)
    if rec.flag("matmul", "c_matrix_nz", c_matrix_nz):
        fail("PTO276", why="Output tensor do not support NZ currently.")
    _element_types(a, b)
    extras = _extras(extend_params, out)
    _output_type(a.type.dtype, out, extras)
    m, n, valid_m, valid_n = _inner(a, b, ta, tb)
    batch, valid_batch = _batch(a, b)
    if extras.bias is not None:
        _bias(extras.bias, a.type.dtype, rank, n)
    operands = [a, b] if extras.bias is None else [a, b, extras.bias]
    return rec.emit(
        "matmul",
        operands,
        TileType((*batch, m, n), out),
        (*valid_batch, valid_m, valid_n),
        a_trans=ta,
        b_trans=tb,
        relu=extras.relu,
        scale=extras.scale,
        bias=extras.bias is not None,
    )


def product_type(dtype: DataType) -> DataType:
    """The output type of ``x @ y`` (PTO277)."""
    if dtype in F3:
        return dtype
    if dtype is INT8:
        return INT32
    fail("PTO277", dtype=dtype.name)


def _operand(name: str, number: int, value: object) -> Var:
    var = rec.tensor("matmul", name, value)
    for at, extent in enumerate(var.type.shape):
        if not isinstance(extent, int):
            fail("PTO271", name=var.name or name, number=number, axis=at, shape=shapes.shape_text(var.type.shape))
    rec.static_shape("matmul", name, var)
    return var


def _element_types(a: Var, b: Var) -> None:
    first, other = a.type.dtype, b.type.dtype
    for var in (a, b):
        rec.element_type("matmul", var.type.dtype, OPERANDS, computes=False)
    if first is not other and not {first, other} <= FP8S:
        fail("PTO272", first=first.name, other=other.name)
    nz = TileOpFormat.TILEOP_NZ
    if first is FP32 and nz in (a.type.fmt, b.type.fmt):
        fail("PTO276", why="Input tensor with DT_FP32/DT_FP8E5M2 must use ND format")
    if first not in COMPUTED:
        fail("PTO903", op="matmul", dtype=first.name)


def _output_type(dtype: DataType, out: DataType, extras: Extras) -> None:
    if extras.scale is not None and out is INT8:
        fail("PTO903", op="matmul with scale", dtype=out.name)
    if out not in OUTPUTS[dtype]:
        allowed = ", ".join(d.short for d in sorted(OUTPUTS[dtype]))
        fail("PTO273", operand=dtype.name, out=out.name, allowed=allowed)
    if extras.scale is not None:
        fail("PTO275", why=f"scale needs INT8 operands with FP16 output, or INT8 output; the output here is {out.name}")


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


def _extras(params: object, out: DataType) -> Extras:
    """Check ``extend_params`` (PTO222, PTO275)."""
    if params is None:
        return Extras()
    if not isinstance(params, Mapping):
        fail("PTO222", op="matmul", why=f"extend_params must be a dict, got {rec.type_name(params)}")
    for key in params:
        if key not in EXTRA_KEYS:
            fail("PTO275", why=f"extend_params has no key {key!r}; it knows {', '.join(EXTRA_KEYS)}")
    bias = params.get("bias_tensor")
    relu = params.get("relu_type", ReLuType.NO_RELU)
    scale = params.get("scale", 0.0)
    if not isinstance(relu, ReLuType):
        fail("PTO275", why=f"relu_type must be a ReLuType, got {rec.type_name(relu)}")
    if not isinstance(scale, (int, float)):
        fail("PTO275", why=f"scale must be a float, got {rec.type_name(scale)}")
    if params.get("scale_tensor") is not None:
        fail("PTO903", op="matmul with scale_tensor", dtype=out.name)
    if params.get("trans_mode", TransMode.CAST_NONE) is not TransMode.CAST_NONE:
        fail("PTO902", op="matmul(extend_params={'trans_mode': ...})")
    tensor = None if bias is None else rec.tensor("matmul", "bias_tensor", bias)
    return Extras(tensor, relu is ReLuType.RELU, float(scale) or None)


def _bias(bias: Var, dtype: DataType, rank: int, n: int) -> None:
    shape = rec.static_shape("matmul", "bias_tensor", bias)
    ranks = (2, 3) if rank == 3 else (2,)
    if len(shape) not in ranks:
        fail("PTO275", why=f"Bias tensor dimension mismatch for {rank}D: it has {len(shape)} axes")
    if shape[-1] != n or shape[-2] != 1:
        fail("PTO275", why=f"bias_tensor must have the shape [1, {n}], got {shapes.shape_text(shape)}")
    if dtype is FP32 and bias.type.dtype is not FP32:
        fail("PTO275", why=f"bias_tensor must be DT_FP32 beside DT_FP32 operands, got {bias.type.dtype.name}")
