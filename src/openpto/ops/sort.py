"""Sorting: the greatest or least elements of rows, and the order of elements."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from openpto.diagnostics import T, fail, portability
from openpto.ir.enums import TopKAlgo
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from .dtype_sets import BF16, F3, FP16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32
from .registry import Array, Dtypes, Named, Sample, internal, op
from .samples import converted, integral, normal, whole

ELEMENTS = Dtypes(frozenset({FP32}), F3 - {FP32} | {INT8, INT16, INT32, UINT8, UINT16, UINT32})
MERGE_LIMIT = 22 * 1024
"""Bytes of the last vector tile that a merge sort stays below."""

SORTED_ON_CHIP = 6144
"""Elements of the rows of one tile that are sorted without a way through global memory; argsort only."""
MOST_PIECES = 128
"""Tiles along the axis that a sort through global memory stays below."""

internal(
    "topk_indices", "Positions of the k greatest or least elements of rows.", core="vector", arithmetic=Named("topk")
)


def _top(x: Array, k: int, largest: bool = True) -> Array:
    order = np.argsort(-x if largest else x, -1, kind="stable")[..., :k]
    return np.take_along_axis(x, order, -1)


def _top_positions(x: Array, k: int) -> Array:
    return np.argsort(-x, -1, kind="stable")[..., :k].astype(np.int32)


@op(
    "topk",
    "T",
    arithmetic=Named("topk"),
    dtypes=ELEMENTS,
    method=True,
    samples=(
        Sample("pypto.topk(x, 4)[0]", {"x": normal(8, 16)}, lambda x: _top(x, 4)),
        Sample("pypto.topk(x, 12, -1, True)[1]", {"x": whole(8, 32)}, lambda x: _top_positions(x, 12), tile=(8, 32)),
        Sample(
            "pypto.topk(x, 5, largest=False, algo=pypto.TopKAlgo.RADIX_SELECT)[0]",
            {"x": integral(4, 2, 32, dtype=np.int16)},
            lambda x: _top(x, 5, False),
            tile=(4, 2, 32),
        ),
        Sample(
            "pypto.topk(x, 5, algo=pypto.TopKAlgo.RADIX_SELECT)[0]",
            {"x": converted(whole(8, 16), BF16)},
            lambda x: _top(x, 5),
            result=BF16,
        ),
    ),
)
def topk(
    input: Var,
    k: int,
    dim: int | None = None,
    largest: bool = True,
    algo: TopKAlgo = TopKAlgo.MERGE_SORT,
) -> list[Var]:
    """The ``k`` greatest (or least) elements of each row, sorted, and their positions: [values, indices].

    Shapes: rank 1-4; along the last axis, over its valid extent; the results have k there. k is at most the extent and
    the last vector tile. Equal elements keep their order; a NaN counts as the greatest; -0 and +0 are equal.
    Dtypes: FP32 with MERGE_SORT; also FP16, BF16, INT and UINT of 8, 16, 32 bits with RADIX_SELECT (950 only, the axis
    whole in the vector tile). Values keep the dtype, indices are INT32.
    Errors: another axis; k out of range; a dtype outside these lists; a vector tile that does not fit. While running:
    a k above the valid extent.
    """
    var = rec.tile("topk", "input", input)
    rank = var.type.rank
    if dim is not None and rec.axis("topk", dim, rank) != rank - 1:
        fail(
            "PTO263",
            op="topk",
            why=T(f"works along the last axis only, got dim={dim}", f"只能沿最后一个轴计算，实际为 dim={dim}"),
        )
    if not isinstance(algo, TopKAlgo):
        fail(
            "PTO222",
            op="topk",
            why=T(
                f"algo must be a TopKAlgo, got {rec.type_name(algo)}",
                f"algo 必须为 TopKAlgo，实际为 {rec.type_name(algo)}",
            ),
        )
    count, extent = rec.integer("topk", "k", k), rec.ints(var)[-1]
    if not 1 <= count <= extent:
        fail(
            "PTO268",
            op="topk",
            why=T(
                f"k must be in [1, {extent}], the extent of the last axis, got {count}",
                f"k 必须在 [1, {extent}] 范围内（上限为最后一个轴的长度），实际为 {count}",
            ),
        )
    if algo is TopKAlgo.MERGE_SORT and var.type.dtype is not FP32:
        rec.refuse_dtype("topk with MERGE_SORT", var.type.dtype.name, "FP32")
    _check_tile(var, count, algo)
    attrs = {"k": count, "largest": rec.flag("topk", "largest", largest), "algo": algo}
    valid = (*var.valid[:-1], count)
    shape = (*var.type.shape[:-1], count)
    values = rec.emit("topk", [var], TileType(shape, var.type.dtype), valid, **attrs)
    return [values, rec.emit("topk_indices", [var], TileType(shape, INT32), valid, **attrs)]


def _check_tile(var: Var, count: int, algo: TopKAlgo) -> None:
    """What a device demands of the last vector tile (PTO328); a tile that is missing is reported elsewhere."""
    last = rec.vector_tile(-1, var.type.rank)
    if last is None:
        return
    if algo is TopKAlgo.MERGE_SORT and last * 4 >= MERGE_LIMIT:
        fail(
            "PTO328",
            op="topk",
            tile=last,
            rule=T(f"less than {MERGE_LIMIT // 4} for MERGE_SORT", f"MERGE_SORT 时小于 {MERGE_LIMIT // 4}"),
        )
    if algo is TopKAlgo.RADIX_SELECT and last < rec.ints(var)[-1]:
        fail(
            "PTO328",
            op="topk",
            tile=last,
            rule=T(
                f"at least {rec.ints(var)[-1]}, the whole axis, for RADIX_SELECT",
                f"RADIX_SELECT 时至少为 {rec.ints(var)[-1]}，即整个轴",
            ),
        )
    if count > last:
        fail(
            "PTO328",
            op="topk",
            tile=last,
            rule=T(f"at least {count}, the number of elements to find", f"至少为 {count}，即要查找的元素个数"),
        )


def _check_pieces(var: Var, at: int) -> None:
    """Rows that do not fit on the chip are merged from at most 127 tiles (PTO328)."""
    extents = rec.ints(var)
    tiles = [rec.vector_tile(axis, len(extents)) or n for axis, n in enumerate(extents)]
    rows = math.prod(tiles) // tiles[at]
    pieces = -(-extents[at] // tiles[at])
    if rows * (-(-extents[at] // 32) * 32) >= SORTED_ON_CHIP and pieces >= MOST_PIECES:
        least = -(-extents[at] // (MOST_PIECES - 1))
        rule = T(
            f"at least {-(-least // 32) * 32} on axis {at}, so that fewer than {MOST_PIECES} tiles are merged",
            f"轴 {at} 上至少为 {-(-least // 32) * 32}，使要归并的 tile 少于 {MOST_PIECES} 个",
        )
        fail("PTO328", op="argsort", tile=tiles[at], rule=rule)


def _order(axis: int, descending: bool) -> Callable[[Array], Array]:
    def golden(x: Array) -> Array:
        return np.argsort(-x if descending else x, axis, kind="stable").astype(np.int32)

    return golden


@op(
    "argsort",
    "T",
    arithmetic=Named("argsort"),
    dtypes=Dtypes(frozenset({FP32, FP16})),
    samples=(
        Sample("pypto.argsort(x, -1, True)", {"x": whole(8, 32)}, _order(-1, True), tile=(8, 32)),
        Sample("pypto.argsort(x, 0, descending=False)", {"x": normal(32, 16)}, _order(0, False), tile=(32, 16)),
        Sample(
            "pypto.argsort(x, descending=True)", {"x": converted(whole(8, 32), FP16)}, _order(-1, True), tile=(8, 32)
        ),
    ),
)
def argsort(input: Var, dim: int | None = None, descending: bool | None = None) -> Var:
    """Positions of the elements in sorted order along ``dim`` (None: the last axis), over the valid extent.

    Shapes: rank 1-4, any axis except the first of rank 4; the result has the operand's shape and valid shape. The
    vector tile of the axis is a multiple of 32.
    Dtypes: FP32, FP16; the result is INT32. The sort is stable; a NaN counts as the greatest; -0 and +0 are equal.
    Without ``descending`` it is descending, as the documentation says, with a warning: the toolchains sort ascending.
    Errors: an axis out of range; a vector tile that does not fit; a dtype outside this list.
    """
    var = rec.tile("argsort", "input", input)
    rank = var.type.rank
    at = rec.axis("argsort", -1 if dim is None else dim, rank)
    if rank == 4 and at == 0:
        fail("PTO263", op="argsort", why=T("cannot sort along axis 0 of a 4-D tensor", "4 维张量不能沿轴 0 排序"))
    if descending is None:
        portability("PTO654")
    order = True if descending is None else rec.flag("argsort", "descending", descending)
    tile = rec.vector_tile(at, rank)
    if tile is not None and tile % 32:
        fail("PTO328", op="argsort", tile=tile, rule=T(f"a multiple of 32 on axis {at}", f"轴 {at} 上为 32 的倍数"))
    _check_pieces(var, at)
    return rec.emit("argsort", [var], TileType(var.type.shape, INT32), var.valid, axis=at, descending=order)
