"""Operations under ``pypto.experimental`` that are recorded as others: attention pieces, predicates."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from openpto.diagnostics import T, fail
from openpto.ir.dtypes import DataType
from openpto.ir.trace import Var

from . import recording as rec
from . import shapes
from .create import filled
from .dtype_sets import BF16, FP16, FP32, HALVES, INT32
from .matmul import matmul
from .reduce import fold
from .registry import Array, Composite, Dtypes, Sample, op
from .reshaping import reordered
from .samples import converted, normal, positive, whole
from .statistics import to_type

ONLY_FP32 = Dtypes(frozenset({FP32}))


def _matrix(name: str, what: str, value: object) -> Var:
    return rec.tile(name, what, value, ranks=(2, 2), dtypes=ONLY_FP32)


def _whole_axis(name: str, var: Var) -> None:
    """The first axis lies in one vector tile (PTO328)."""
    tile, extent = rec.vector_tile(0, 2), rec.ints(var)[0]
    if tile is not None and tile < extent:
        fail(
            "PTO328",
            op=name,
            tile=tile,
            rule=T(f"at least {extent} on axis 0, the whole of it", f"轴 0 上至少为 {extent}，即整个轴"),
        )


# Attention


def _weights(x: Array) -> Array:
    weights: Array = np.exp(x * 0.5 - (x * 0.5).max(0))
    return weights


@op(
    "experimental.online_softmax",
    "E",
    arithmetic=Composite(("mul", "amax", "sub", "exp", "sum", "cast")),
    dtypes=ONLY_FP32,
    only_950=True,
    samples=(
        Sample(
            "pypto.experimental.online_softmax(x, 0.5)[0]", {"x": normal(8, 16)}, _weights, ulp=0.51, result=BF16
        ),
        Sample(
            "pypto.experimental.online_softmax(x, scale=0.5)[1]", {"x": normal(8, 16)},
            lambda x: (x * 0.5).max(0, keepdims=True),
        ),
        Sample(
            "pypto.experimental.online_softmax(x, scale=0.5)[2]", {"x": normal(8, 16)},
            lambda x: _weights(x).sum(0, keepdims=True), ulp=4,
        ),
    ),
)  # fmt: skip
def online_softmax(scores: Var, scale: float) -> list[Var]:
    """Weights and statistics of a block of scores along axis 0: [weights, column_max, column_sum].

    With s = scores * scale: column_max is the greatest s, the weights are exp(s - column_max), and column_sum is their
    sum in FP32, before the weights are rounded.
    Shapes: scores [k_len, q_len], whole on axis 0 of the vector tile; weights [k_len, q_len], the others [1, q_len].
    Dtypes: FP32; the weights are BF16. On the 950 only.
    Errors: another rank or dtype; a scale that is no number; a vector tile that cuts axis 0.
    """
    name = "experimental.online_softmax"
    var = _matrix(name, "scores", scores)
    _whole_axis(name, var)
    factor = rec.scalar(name, scale, FP32)
    scaled = rec.pointwise("mul", [var, factor])
    greatest = fold("amax", scaled, 0, True)
    weights = rec.pointwise("exp", [rec.pointwise("sub", [scaled, greatest])])
    return [to_type(weights, BF16), greatest, fold("sum", weights, 0, True)]


def _merge(pm: Array, ps: Array, po: Array, cm: Array, cs: Array, co: Array) -> tuple[Array, Array, Array]:
    m = np.maximum(pm, cm)
    return m, ps * np.exp(pm - m) + cs * np.exp(cm - m), po * np.exp(pm - m) + co * np.exp(cm - m)


_STATES = {
    "pm": normal(1, 16),
    "ps": positive(1, 16),
    "po": positive(8, 16),
    "cm": normal(1, 16),
    "cs": positive(1, 16),
    "co": positive(8, 16),
}
_UPDATE = "pypto.experimental.online_softmax_update(pm, ps, po, cm, cs, co)"


@op(
    "experimental.online_softmax_update",
    "E",
    arithmetic=Composite(("maximum", "sub", "exp", "mul", "add")),
    dtypes=ONLY_FP32,
    only_950=True,
    samples=tuple(
        Sample(f"{_UPDATE}[{n}]", _STATES, lambda *a, n=n: _merge(*a)[n], ulp=4 if n else 0) for n in range(3)
    ),
)
def online_softmax_update(
    previous_max: Var,
    previous_sum: Var,
    previous_output: Var,
    current_max: Var,
    current_sum: Var,
    current_output: Var,
) -> list[Var]:
    """Two states of a blockwise softmax merged: [max, sum, output], the output not divided by the sum.

    With m the greater maximum, sum = previous_sum exp(previous_max - m) + current_sum exp(current_max - m), and the
    output likewise.
    Shapes: maxima and sums [1, q_len], outputs [head_dim, q_len], whole on axis 0 of the vector tile, whose last value
    is a multiple of 8.
    Dtypes: FP32. On the 950 only.
    Errors: ranks, shapes or dtypes that do not fit; a vector tile that cuts axis 0 or is no multiple of 8.
    """
    name = "experimental.online_softmax_update"
    given = (previous_max, previous_sum, previous_output, current_max, current_sum, current_output)
    names = ("previous_max", "previous_sum", "previous_output", "current_max", "current_sum", "current_output")
    pm, ps, po, cm, cs, co = parts = [_matrix(name, what, x) for what, x in zip(names, given, strict=True)]
    _check_states(name, names, parts)
    greatest = rec.pointwise("maximum", [pm, cm])
    before, now = (rec.pointwise("exp", [rec.pointwise("sub", [x, greatest])]) for x in (pm, cm))

    def merged(x: Var, y: Var) -> Var:
        return rec.pointwise("add", [rec.pointwise("mul", [x, before]), rec.pointwise("mul", [y, now])])

    return [greatest, merged(ps, cs), merged(po, co)]


def _check_states(name: str, names: tuple[str, ...], parts: list[Var]) -> None:
    head, queries = rec.ints(parts[2])
    for what, var in zip(names, parts, strict=True):
        want = (head if what.endswith("output") else 1, queries)
        if rec.ints(var) != want:
            shown = shapes.shape_text(var.type.shape)
            fail(
                "PTO263",
                op=name,
                why=T(
                    f"{what} must have the shape {shapes.shape_text(want)}, got {shown}",
                    f"{what} 的 shape 必须为 {shapes.shape_text(want)}，实际为 {shown}",
                ),
            )
    _whole_axis(name, parts[2])
    last = rec.vector_tile(-1, 2)
    if last is not None and last % 8:
        fail("PTO328", op=name, tile=last, rule=T("a multiple of 8 on the last axis", "最后一个轴上为 8 的倍数"))


# Products


@op(
    "experimental.transposed_batchmatmul",
    "E",
    core="cube",
    arithmetic=Composite(("permute", "matmul", "permute")),
    dtypes=Dtypes(HALVES),
    samples=(
        Sample(
            "pypto.experimental.transposed_batchmatmul(x, y, pypto.DT_FP16)",
            {"x": converted(whole(8, 2, 16), FP16), "y": converted(whole(2, 16, 32), FP16)},
            lambda x, y: np.einsum("mbk,bkn->mbn", x, y),
            tile=(8, 2, 32),
            cube=True,
            result=FP16,
        ),
        Sample(
            "pypto.experimental.transposed_batchmatmul(x, y, out_dtype=pypto.DT_BF16)",
            {"x": converted(whole(5, 3, 16), BF16), "y": converted(whole(3, 16, 16), BF16)},
            lambda x, y: np.einsum("mbk,bkn->mbn", x, y).astype(ml_dtypes.bfloat16).astype(np.float64),
            tile=(8, 4, 16),
            cube=True,
            result=BF16,
        ),
    ),
)
def transposed_batchmatmul(tensor_a: Var, tensor_b: Var, out_dtype: DataType) -> Var:
    """Product per batch of operands whose batch is the second axis of the left one: [M, B, K] x [B, K, N] -> [M, B, N].

    Shapes: rank 3, both with one B and one K. Arithmetic and cube tiles are those of ``matmul``; the rows are moved by
    vector tiles of [1, 128, 128], whatever is set.
    Dtypes: FP16 or BF16, both the same; the result FP16 or BF16 like them.
    Errors: another rank or dtype; B or K that differ.
    """
    name = "experimental.transposed_batchmatmul"
    dtypes = Dtypes(HALVES)
    a = rec.tile(name, "tensor_a", tensor_a, ranks=(3, 3), dtypes=dtypes)
    b = rec.tile(name, "tensor_b", tensor_b, ranks=(3, 3), dtypes=dtypes)
    rec.same_dtype(name, a, b)
    rec.element_type(f"the result of {name}", rec.data_type(name, "out_dtype", out_dtype), dtypes)
    if (rec.ints(a)[1], rec.ints(a)[2]) != rec.ints(b)[:2]:
        shown = shapes.shape_text(a.type.shape), shapes.shape_text(b.type.shape)
        fail(
            "PTO263",
            op=name,
            why=T(
                f"shapes {shown[0]} and {shown[1]} do not have one B and one K",
                f"shape {shown[0]} 和 {shown[1]} 的 B 或 K 不一致",
            ),
        )
    with rec.tiled(1, 128, 128):
        return reordered(matmul(reordered(a, (1, 0, 2)), b, out_dtype), (1, 0, 2))


# Predicates


def predicate() -> Var:
    """What an operation returns that only orders others: INT32 [1, 1]."""
    return filled("full", (1, 1), 1, INT32, None)


@op(
    "experimental.nop",
    "E",
    arithmetic=Composite(("full",)),
    samples=(
        Sample(
            "x + pypto.cast(pypto.experimental.nop([x, x * 2.0]), pypto.DT_FP32)", {"x": whole(8, 16)}, lambda x: x + 1
        ),
    ),
)
def nop(in_tensors: list[Any]) -> Var:
    """One predicate that stands for several: what needs it comes after all that made them.

    Operations run in program order here, so that a predicate orders nothing more; its element is 1.
    Shapes: any; the result is [1, 1], and the vector tile in force must have two values.
    Dtypes: any; the result is INT32.
    Errors: no list of tensors, or an empty one.
    """
    given = rec.sequence("experimental.nop", "in_tensors", in_tensors)
    if not given:
        fail("PTO268", op="experimental.nop", why=T("in_tensors must not be empty", "in_tensors 不能为空"))
    for item in given:
        rec.tensor("experimental.nop", "in_tensors", item)
    return predicate()
