"""Pairs of a value and its position in neighbouring words: what the sorting instructions of a device work on."""

from __future__ import annotations

import numpy as np

from openpto.diagnostics import T, fail
from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from .dtype_sets import FP32
from .registry import Array, Dtypes, Named, Sample, op
from .samples import normal, whole

GROUP = 32
"""Elements that one instruction sorts."""
WAYS = 4
"""Runs that one merge joins."""
FIRST_NAN = 0x7F800001
"""The least bit pattern that no position may have: every NaN is one and the same."""
SORTED = Dtypes(frozenset({FP32}))


def _order(x: Array) -> Array:
    return np.argsort(-x, -1, kind="stable")


def _words(values: Array, positions: Array) -> Array:
    """Values and positions in turn; a position is the bit pattern of an INT32."""
    bits = positions.astype(np.int32).view(np.float32)
    return np.stack([values.astype(np.float32), bits], -1).reshape(*values.shape[:-1], -1).astype(np.float64)


def _sorted_groups(x: Array, first: int = 0, run: int = GROUP) -> Array:
    groups = x.reshape(*x.shape[:-1], -1, min(run, x.shape[-1]))
    order = _order(groups)
    starts = np.arange(groups.shape[-2])[:, None] * groups.shape[-1]
    values = np.take_along_axis(groups, order, -1)
    return _words(values.reshape(x.shape), (order + starts + first).reshape(x.shape))


@op(
    "sort32",
    "T",
    arithmetic=Named("sort32"),
    dtypes=SORTED,
    method=True,
    keywords={"self": "input", "input_tensor": "input"},
    samples=(
        Sample("pypto.sort32(x)", {"x": whole(4, 64)}, _sorted_groups, tile=(4, 128)),
        Sample("pypto.sort32(x, 100)", {"x": normal(2, 3, 32)}, lambda x: _sorted_groups(x, 100), tile=(2, 3, 64)),
        Sample(
            "pypto.view(pypto.gathermask(pypto.sort32(x), 2), dtype=pypto.DT_INT32)",
            {"x": normal(8, 32)},
            lambda x: _order(x).astype(np.int32),
            tile=(8, 64),
        ),
    ),
)
def sort32(input: Var, index: int | None = None) -> Var:
    """Groups of 32 elements of the last axis, each sorted from the greatest down, as pairs of value and position.

    Shapes: rank 1-4; the last axis, a multiple of 32, doubles: value, position, value, position, ... A group that the
    valid extent cuts is sorted over its valid elements; the valid extent doubles too. The position, counted along the
    whole axis from ``index`` (None: 0), is stored as the bits of an INT32: ``view(gathermask(p, 2), dtype=DT_INT32)``.
    Dtypes: FP32. The sort is stable; a NaN counts as the greatest; -0 and +0 are equal.
    Errors: a last axis that is no multiple of 32; an index below 0 or so great that a position
    would read as a NaN; another dtype.
    """
    var = rec.tile("sort32", "input", input)
    *outer, last = rec.ints(var)
    if last % GROUP:
        fail(
            "PTO263",
            op="sort32",
            why=T(
                f"the last axis has {last} elements, which is no multiple of {GROUP}",
                f"最后一个轴有 {last} 个元素，不是 {GROUP} 的倍数",
            ),
        )
    first = 0 if index is None else rec.integer("sort32", "index", index)
    if not 0 <= first <= FIRST_NAN - last:
        fail(
            "PTO268",
            op="sort32",
            why=T(
                f"index must be in [0, {FIRST_NAN - last}], got {first}",
                f"index 必须在 [0, {FIRST_NAN - last}] 范围内，实际为 {first}",
            ),
        )
    *outer_valid, extent = var.valid
    valid = (*outer_valid, affine.simplify(ex.binary("mul", extent, 2)))
    return rec.emit("sort32", [var], TileType((*outer, 2 * last), FP32), valid, index=first)


def _merged_runs(x: Array) -> Array:
    """Of all sorted groups of 32 of a row that has at most four."""
    return _sorted_groups(x, run=WAYS * GROUP)


@op(
    "mrgsort",
    "T",
    arithmetic=Named("mrgsort"),
    dtypes=SORTED,
    method=True,
    keywords={"self": "input", "input_tensor": "input"},
    samples=(
        Sample("pypto.mrgsort(pypto.sort32(x), 32)", {"x": whole(4, 128)}, _merged_runs, tile=(4, 256)),
        Sample("pypto.mrgsort(pypto.sort32(x), 32)", {"x": normal(2, 256)}, _merged_runs, tile=(2, 512)),
        Sample(
            "pypto.mrgsort(pypto.mrgsort(pypto.sort32(x), 32), 128)",
            {"x": normal(2, 256)},
            lambda x: _words(np.take_along_axis(x, _order(x), -1), _order(x)),
            tile=(2, 512),
        ),
        Sample(
            "pypto.view(pypto.gathermask(pypto.mrgsort(pypto.sort32(x), 32), 2), dtype=pypto.DT_INT32)",
            {"x": whole(4, 96)},
            lambda x: _order(x).astype(np.int32),
            tile=(4, 192),
        ),
    ),
)
def mrgsort(input: Var, mergesize: int) -> Var:
    """Sorted runs of pairs merged: each four neighbouring runs of ``mergesize`` pairs become one.

    Shapes: rank 1-4; the last axis holds pairs as ``sort32`` makes them, so it is even; the last run, and the last
    four, may be shorter. The result has the operand's shape; its valid extent is that of the whole pairs.
    Dtypes: FP32. Greatest first; of equal values the one of the earlier run comes first; a NaN counts as the greatest.
    Runs that are not sorted are sorted as well, where a device gives no promise.
    Errors: an odd last axis; a mergesize below 1; another dtype.
    """
    var = rec.tile("mrgsort", "input", input)
    *outer_valid, extent = var.valid
    last = rec.ints(var)[-1]
    if last % 2:
        fail(
            "PTO263",
            op="mrgsort",
            why=T(
                f"the last axis has {last} words, which do not make pairs", f"最后一个轴有 {last} 个字，不能组成数对"
            ),
        )
    size = rec.integer("mrgsort", "mergesize", mergesize)
    if size < 1:
        fail(
            "PTO268",
            op="mrgsort",
            why=T(f"mergesize must be at least 1, got {size}", f"mergesize 至少为 1，实际为 {size}"),
        )
    pairs = ex.binary("mul", ex.binary("div", extent, 2), 2)
    valid = (*outer_valid, affine.simplify(pairs))
    return rec.emit("mrgsort", [var], var.type, valid, mergesize=size)
