"""Convolution in one, two and three dimensions: windows of the input as the columns of a matrix product."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from openpto.diagnostics import T, fail
from openpto.ir.dtypes import DataType, bytes_of
from openpto.ir.enums import ReLuType
from openpto.ir.expr import Dim
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import arith, shapes
from . import recording as rec
from .arith import F32, Expr
from .dtype_sets import BF16, F3, FP16, FP32
from .matmul import Extras, multiply
from .registry import Array, Composite, Dtypes, Named, Pointwise, Sample, internal, op
from .reshaping import reshaped
from .samples import converted, whole
from .statistics import whole_axes

FLOATS = Dtypes(F3)
MOST = {"strides": 63, "dilations": 63, "paddings": 255, "kernel": 255, "groups": 65535, "extent": 1_000_000}
"""Greatest values that the load instruction encodes."""
NAMES = {1: "W", 2: "HW", 3: "DHW"}


class Geometry(NamedTuple):
    """Kernel extents, strides, paddings (before, after) and dilations per spatial axis, and the number of groups."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    paddings: tuple[tuple[int, int], ...]
    dilations: tuple[int, ...]
    groups: int

    def outputs(self, extents: tuple[int, ...]) -> tuple[int, ...]:
        """Extents of the result on the spatial axes."""
        return tuple(
            (n + before + after - d * (k - 1) - 1) // s + 1
            for n, k, s, (before, after), d in zip(
                extents, self.kernel, self.strides, self.paddings, self.dilations, strict=True
            )
        )


def _finish(operands: tuple[DataType, ...], result: DataType, attrs: Mapping[str, Any]) -> Expr:
    """The sum plus its bias, then ReLU."""
    value = arith.var(F32)
    if len(operands) == 2:
        bias = arith.var(operands[1], 1)
        value = value + (bias if operands[1] is F32 else arith.convert(bias, F32))
    return arith.maximum(value, 0.0) if attrs["relu"] else value


internal(
    "windows",
    "Windows of the input under the kernel: [N, groups, channels x kernel, positions].",
    core="none",
    arithmetic=Named("windows"),
)
internal(
    "conv_finish", "Bias, ReLU and output type of a convolution.", core="none", arithmetic=Pointwise(general=_finish)
)


def _convolved(strides: int, before: int, after: int, dilation: int = 1, groups: int = 1) -> Callable[..., Array]:
    """The golden in float64: one number for all axes; from the definition, a kernel position at a time."""

    def golden(x: Array, w: Array, b: Array | None = None) -> Array:
        x, w = x.astype(np.float64), w.astype(np.float64)
        rank = x.ndim - 2
        padded = np.pad(x, [(0, 0), (0, 0), *[(before, after)] * rank])
        spans = [
            (n - dilation * (k - 1) - 1) // strides + 1 for n, k in zip(padded.shape[2:], w.shape[2:], strict=True)
        ]
        result = np.zeros((x.shape[0], w.shape[0], *spans))
        part, step = w.shape[1], w.shape[0] // groups
        for position in product(*map(range, w.shape[2:])):
            at = tuple(
                slice(p * dilation, p * dilation + n * strides, strides) for p, n in zip(position, spans, strict=True)
            )
            for g in range(groups):
                values = padded[(slice(None), slice(g * part, (g + 1) * part), *at)]
                chosen: tuple[Any, ...] = (slice(g * step, (g + 1) * step), slice(None), *position)
                factors = w[chosen]
                result[:, g * step : (g + 1) * step] += np.einsum("nc...,oc->no...", values, factors)
        return result if b is None else result + b.reshape(-1, *[1] * rank)

    return golden


_TILE = "pypto.set_conv_tile_shapes(pypto.pypto_impl.TileL1Info({}, {}, {}, 16, {c}, {c}, 16, 1)) or "


@op(
    "conv",
    "M",
    core="cube",
    arithmetic=Composite(("windows", "matmul", "conv_finish")),
    dtypes=FLOATS,
    keywords={"input": "input_conv"},
    samples=(
        Sample(
            _TILE.format(3, 1, 16, c=16) + "pypto.conv(x, w, pypto.DT_FP16, [1, 1], [1, 1, 1, 1], [1, 1])",
            {"x": converted(whole(2, 16, 9, 16), FP16), "w": converted(whole(16, 16, 3, 3), FP16)},
            _convolved(1, 1, 1), ulp=0.51, result=FP16,
        ),
        Sample(
            _TILE.format(1, 1, 16, c=8) + "pypto.conv(x, w, pypto.DT_FP32, [2], [1, 2], [2], groups=2, "
            "extend_params={'bias_tensor': b})",
            {"x": whole(2, 16, 40), "w": whole(32, 8, 5), "b": whole(32)},
            _convolved(2, 1, 2, 2, 2),
        ),
        Sample(
            _TILE.format(2, 1, 5, c=16) + "pypto.conv(x, w, pypto.DT_BF16, [1, 1, 1], [0, 0, 0, 0, 0, 0], [1, 1, 1], "
            "extend_params={'relu_type': pypto.ReLuType.RELU})",
            {"x": converted(whole(1, 16, 3, 4, 5), BF16), "w": converted(whole(16, 16, 2, 2, 2), BF16)},
            lambda x, w: np.maximum(_convolved(1, 0, 0)(x, w), 0), ulp=0.51, result=BF16,
        ),
    ),
)  # fmt: skip
def conv(
    input_conv: Var,
    weight: Var,
    out_dtype: DataType,
    strides: list[int],
    paddings: list[int],
    dilations: list[int],
    *,
    groups: int = 1,
    transposed: bool = False,
    output_paddings: list[int] | None = None,
    extend_params: dict[str, Any] | None = None,
) -> Var:
    """Convolution (cross-correlation) in one, two or three dimensions, by the rank of the operands.

    Shapes: input [N, Cin, L], [N, Cin, H, W] or [N, Cin, D, H, W], static; weight [Cout, Cin / groups, ...]; lists with
    a number per spatial axis (``strides``, ``dilations``) or a pair (``paddings``: before and after). An axis of the
    result has (n + before + after - dilation (k - 1) - 1) / stride + 1 elements, rounded down. N, and Cout without
    groups, may be cut by valid_shape; the other axes are whole.
    Dtypes: FP16, BF16, FP32, the same for input, weight and result.
    ``extend_params``: ``bias_tensor`` [Cout] of that dtype, or FP32 beside BF16; ``relu_type``.
    The sum starts at +0 and adds products for ascending channel, then kernel position (row-major), each by one fused
    multiply-add in FP32; padding adds products with +0. Then, one FP32 step each: bias, ReLU, output type.
    Errors: ranks, channels or dtypes that do not fit; numbers out of range; a tuple instead of a list; ``transposed``;
    a scale; a convolution tile that is missing or does not suit.
    """
    x, w = (rec.tile("conv", name, value, ranks=(3, 5), dtypes=FLOATS) for name, value in
            (("input_conv", input_conv), ("weight", weight)))  # fmt: skip
    _check_operands(x, w, rec.data_type("conv", "out_dtype", out_dtype))
    if rec.flag("conv", "transposed", transposed):
        fail(
            "PTO268",
            op="conv",
            why=T(
                "Conv transpose true is not supported yet.",
                "Conv transpose true is not supported yet.（暂不支持转置卷积）",
            ),
        )
    if output_paddings:
        fail(
            "PTO268",
            op="conv",
            why=T(
                "output_paddings belong to transposed convolution, which is not supported",
                "output_paddings 属于转置卷积，暂不支持",
            ),
        )
    shape = _geometry(x, w, strides, paddings, dilations, groups)
    bias, relu = _extras(extend_params, x, w)
    rank = x.type.rank
    x = whole_axes("conv", x, tuple(range(1, rank)))
    w = whole_axes("conv", w, tuple(range(1 if shape.groups == 1 else 0, rank)))
    return _recorded(x, w, bias, relu, shape)


def _recorded(x: Var, w: Var, bias: Var | None, relu: bool, shape: Geometry) -> Var:
    batch, _, *extents = rec.ints(x)
    outer, depth, parts = rec.ints(w)[0], rec.ints(w)[1] * prod(shape.kernel), shape.groups
    spatial = shape.outputs(tuple(extents))
    positions = prod(spatial)
    type = TileType((batch, parts, depth, positions), x.type.dtype)
    windows = rec.emit("windows", [x], type, (x.valid[0], parts, depth, positions), shape=tuple(shape), spatial=spatial)
    factors = _as(w, (1, parts, outer // parts, depth), (1, parts, _per_group(w.valid[0], parts, outer), depth))
    attrs = {"convolution": (tuple(shape), (outer, tuple(extents), spatial))}
    sums = multiply(factors, windows, x.type.dtype, FP32, (False, False), Extras(), attrs)
    rows = _as(sums, (batch, outer, positions), (x.valid[0], w.valid[0], positions))
    finish = [rows]
    if bias is not None:
        finish.append(_as(bias, (1, outer, 1), (1, bias.valid[0], 1)))
    valid, _ = shapes.broadcast_valid([(v.type.shape, v.valid) for v in finish], rows.type.shape)
    done = rec.emit("conv_finish", finish, TileType(rec.ints(rows), x.type.dtype), valid, relu=relu)
    return _as(done, (batch, outer, *spatial), (*valid[:2], *spatial))


def _per_group(valid: Dim, groups: int, outer: int) -> Dim:
    return valid if groups == 1 else outer // groups


def _as(var: Var, shape: tuple[int, ...], valid: tuple[Dim, ...]) -> Var:
    """The elements in another shape, with the valid extents that this gives."""
    return reshaped(var, shape, None if shapes.all_full(var.valid, rec.ints(var)) else valid)


# Checks


def _check_operands(x: Var, w: Var, out: DataType) -> None:
    if x.type.rank != w.type.rank:
        fail(
            "PTO263",
            op="conv",
            why=T(
                f"Expect input_dim == weight_dim and both in [3, 4, 5], got {x.type.rank} and {w.type.rank}",
                f"Expect input_dim == weight_dim and both in [3, 4, 5]，实际为 {x.type.rank} 和 {w.type.rank}",
            ),
        )
    rec.same_dtype("conv", x, w)
    if out is not x.type.dtype:
        rec.refuse_choice("the result of conv", out.name, f"{x.type.dtype.short}, as its operands")
    for name, var in (("input", x), ("weight", w)):
        for extent in rec.ints(var):
            if extent > MOST["extent"]:
                fail(
                    "PTO268",
                    op="conv",
                    why=T(
                        f"an axis of {name} has {extent} elements, at most {MOST['extent']} fit",
                        f"{name} 有一个轴的长度为 {extent}，最大为 {MOST['extent']}",
                    ),
                )


def _numbers(name: str, values: object, count: int, low: int) -> tuple[int, ...]:
    """A list of so many ints in range."""
    if not isinstance(values, list):
        fail("PTO222", op="conv", why=rec.wrong_kind(name, "list", values))
    found = rec.integers("conv", name, values)
    if len(found) != count:
        fail(
            "PTO268",
            op="conv",
            why=T(
                f"{name} must have {count} numbers for these ranks, got {len(found)}",
                f"在此维数下 {name} 须有 {count} 个数，实际为 {len(found)} 个",
            ),
        )
    for value in found:
        if not low <= value <= MOST[name]:
            fail(
                "PTO268",
                op="conv",
                why=T(
                    f"{name} must be in [{low}, {MOST[name]}], got {value}",
                    f"{name} 须在 [{low}, {MOST[name]}] 内，实际为 {value}",
                ),
            )
    return found


def _geometry(x: Var, w: Var, strides: object, paddings: object, dilations: object, groups: object) -> Geometry:
    rank = x.type.rank - 2
    kernel = rec.ints(w)[2:]
    steps, gaps = _numbers("strides", strides, rank, 1), _numbers("dilations", dilations, rank, 1)
    edges = _numbers("paddings", paddings, 2 * rank, 0)
    pairs = tuple(zip(edges[::2], edges[1::2], strict=True))
    parts = rec.integer("conv", "groups", groups)
    for name, k, pair in zip(NAMES[rank], kernel, pairs, strict=True):
        if k > MOST["kernel"] and name in "HW":
            fail(
                "PTO268",
                op="conv",
                why=T(
                    f"the kernel has {k} elements on {name}, at most {MOST['kernel']} fit",
                    f"卷积核在 {name} 轴上的长度为 {k}，最大为 {MOST['kernel']}",
                ),
            )
        if max(pair) >= k:
            why = T(
                f"paddings {list(pair)} on {name} must be less than the kernel, which has {k} elements",
                f"{name} 轴上的 paddings {list(pair)} 须小于卷积核的长度 {k}",
            )
            fail("PTO268", op="conv", why=why)
    if prod(kernel[-2:]) * (32 // bytes_of(x.type.dtype)) > 65535:
        fail(
            "PTO268",
            op="conv",
            why=T(
                f"the kernel {list(kernel[-2:])} is too large: Kh * Kw * C0 must not exceed 65535",
                f"卷积核 {list(kernel[-2:])} 过大：Kh * Kw * C0 不得超过 65535",
            ),
        )
    _check_groups(x, w, parts)
    shape = Geometry(kernel, steps, pairs, gaps, parts)
    spatial = shape.outputs(rec.ints(x)[2:])
    if min(spatial) < 1:
        fail(
            "PTO263",
            op="conv",
            why=T(
                f"the kernel reaches beyond the padded input: the result would be {list(spatial)}",
                f"卷积核超出填充后的输入：结果将为 {list(spatial)}",
            ),
        )
    return shape


def _check_groups(x: Var, w: Var, groups: int) -> None:
    channels, outer, inner = rec.ints(x)[1], rec.ints(w)[0], rec.ints(w)[1]
    if not 1 <= groups <= MOST["groups"] or channels % groups or outer % groups:
        fail(
            "PTO268",
            op="conv",
            why=T(
                f"groups must divide Cin {channels} and Cout {outer}, got {groups}",
                f"groups 须整除 Cin {channels} 和 Cout {outer}，实际为 {groups}",
            ),
        )
    if inner * groups != channels:
        why = T(
            f"weight has {inner} channels, and input {channels} in {groups} group{'s' * (groups > 1)}",
            f"weight 有 {inner} 个通道，而 input 的 {channels} 个通道分为 {groups} 组",
        )
        fail("PTO263", op="conv", why=why)


def _extras(params: object, x: Var, w: Var) -> tuple[Var | None, bool]:
    """Bias and ReLU of ``extend_params``."""
    if not params:
        return None, False
    if not isinstance(params, Mapping):
        fail("PTO222", op="conv", why=rec.wrong_kind("extend_params", "dict", params))
    for key, value in params.items():
        if key in ("scale", "scale_tensor"):
            if value is not None and (isinstance(value, Var) or value != 0):
                fail(
                    "PTO268",
                    op="conv",
                    why=T(
                        "quantised convolution is not supported: scale and scale_tensor must be left out",
                        "不支持量化卷积：请去掉 scale 和 scale_tensor",
                    ),
                )
        elif key not in ("bias_tensor", "relu_type"):
            fail(
                "PTO268",
                op="conv",
                why=T(
                    f"extend_params has no key {key!r}; it knows bias_tensor, relu_type",
                    f"extend_params 没有键 {key!r}；可用的键为 bias_tensor, relu_type",
                ),
            )
    relu = params.get("relu_type", ReLuType.NO_RELU)
    if not isinstance(relu, ReLuType):
        fail("PTO222", op="conv", why=rec.wrong_kind("relu_type", "ReLuType", relu))
    given = params.get("bias_tensor")
    return None if given is None else _bias(given, x, w), relu is ReLuType.RELU


def _bias(value: object, x: Var, w: Var) -> Var:
    bias = rec.plain("conv", "bias_tensor", value)
    outer = rec.ints(w)[0]
    if rec.ints(bias) != (outer,):
        shown = shapes.shape_text(bias.type.shape)
        fail(
            "PTO263",
            op="conv",
            why=T(
                f"bias_tensor must have the shape [{outer}], got {shown}",
                f"bias_tensor 的 shape 须为 [{outer}]，实际为 {shown}",
            ),
        )
    allowed = {x.type.dtype, FP32} if x.type.dtype is BF16 else {x.type.dtype}
    if bias.type.dtype not in allowed:
        taken = ", ".join(d.short for d in sorted(allowed))
        rec.refuse_dtype("bias_tensor of conv", bias.type.dtype.name, taken)
    return bias
