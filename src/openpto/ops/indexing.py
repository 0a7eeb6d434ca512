"""Gather, selection and scatter along one axis by an index tensor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from openpto.diagnostics import T, fail
from openpto.diagnostics.words import both
from openpto.ir.dtypes import DataType
from openpto.ir.nodes import Imm, TileType
from openpto.ir.trace import Var

from . import recording as rec
from . import shapes
from .dtype_sets import BF16, BOOL, F3, FP8, FP16, FP32, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32
from .registry import Dtypes, Named, Sample, op
from .reshaping import clone
from .samples import converted, integral, normal, whole

GATHERED = Dtypes(frozenset({INT16, INT32, UINT16, UINT32, FP16, FP32, BF16}))
SCATTERED = Dtypes(frozenset({FP32, FP16, BF16, INT8, UINT8, INT16, INT32}))
SELECTED = Dtypes(
    F3 | frozenset({INT8, INT16, INT32, UINT8, UINT16, UINT32}), FP8 - {DataType.DT_HF8} | frozenset({BOOL})
)
REDUCTIONS = (None, "add", "multiply")


def _rank(name: str, var: Var, high: int) -> None:
    """The rank of the data (PTO232)."""
    if not 1 <= var.type.rank <= high:
        fail("PTO232", op=name, name="input", rank=var.type.rank, low=1, high=high)


def _index(name: str, index: object, var: Var, at: int) -> Var:
    """The index tensor: INT32 or INT64, the rank of the data, within its extents on the other axes."""
    found = rec.plain(name, "index", index)
    if found.type.dtype not in (INT32, INT64):
        fail("PTO262", op=name, dtype=found.type.dtype.name)
    if found.type.rank != var.type.rank:
        fail("PTO230", op=name, ranks=both(var.type.rank, found.type.rank))
    for i, (n, limit) in enumerate(zip(rec.ints(found), rec.ints(var), strict=True)):
        if i != at and n > limit:
            fail(
                "PTO263",
                op=name,
                why=T(
                    f"index has extent {n} on axis {i}, the tensor only {limit}",
                    f"index 在轴 {i} 上的长度为 {n}，而张量只有 {limit}",
                ),
            )
    return found


@op(
    "gather",
    "I",
    arithmetic=Named("gather"),
    dtypes=GATHERED,
    method=True,
    samples=(
        Sample(
            "pypto.gather(x, 0, i)",
            {"x": normal(8, 16), "i": integral(4, 16, low=0, high=8)},
            lambda x, i: np.take_along_axis(x, i, 0),
        ),
        Sample(
            "pypto.gather(x, -1, i)",
            {"x": converted(normal(8, 16), BF16), "i": integral(8, 24, low=0, high=16, dtype=np.int64)},
            lambda x, i: np.take_along_axis(x, i, 1),
            tile=(8, 24),
            result=BF16,
        ),
    ),
)
def gather(input: Var, dim: int, index: Var) -> Var:
    """Elements picked along ``dim``: at (i, j) ``input[index[i, j], j]`` for dim 0; also written ``x[dim:index]``.

    Shapes: input and index have one rank (1-5), static; the result has the index's shape and valid shape; on the other
    axes the index is not longer than the input.
    Dtypes: INT16, INT32, UINT16, UINT32, FP16, FP32, BF16; index INT32 or INT64.
    Errors: ranks or extents that do not fit; another index dtype. While running: an index outside the valid extent.
    """
    var = rec.plain("gather", "input", input)
    _rank("gather", var, 5)
    rec.element_type("gather", var.type.dtype, GATHERED, computes=False)
    at = rec.axis("gather", dim, var.type.rank)
    picked = _index("gather", index, var, at)
    rec.whole_axis("gather", at, var.type.rank, max(rec.ints(var)[at], rec.ints(picked)[at]))
    return rec.emit("gather", [var, picked], TileType(picked.type.shape, var.type.dtype), picked.valid, axis=at)


@op(
    "index_select",
    "I",
    arithmetic=Named("index_select"),
    dtypes=SELECTED,
    samples=(
        Sample(
            "pypto.index_select(x, 0, i)",
            {"x": normal(8, 16), "i": integral(12, low=0, high=8)},
            lambda x, i: x[i],
            tile=(12, 16),
        ),
        Sample(
            "pypto.index_select(x, -1, i)",
            {"x": integral(8, 16, dtype=np.int8), "i": integral(3, 4, low=0, high=16, dtype=np.int64)},
            lambda x, i: x[:, i],
            tile=(8, 3, 4),
        ),
    ),
)
def index_select(input: Var, dim: int, index: Var) -> Var:
    """Slices along ``dim``: for dim 0 ``input[index[i], :]``.

    Shapes: input rank 1-4, static; the axes of the index (rank 1 or 2) and its valid extents replace axis ``dim``.
    Dtypes: FP16, BF16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32 (BOOL, FP8E4M3, FP8E5M2, FP8E8M0 on the 950);
    index INT32 or INT64.
    Errors: another rank or index dtype. While running: an index outside the valid extent.
    """
    var = rec.plain("index_select", "input", input)
    extents = rec.ints(var)
    _rank("index_select", var, 4)
    rec.element_type("index_select", var.type.dtype, SELECTED, computes=False)
    at = rec.axis("index_select", dim, var.type.rank)
    picked = index_list("index_select", index, ranks=(1, 2))
    shape = (*extents[:at], *rec.ints(picked), *extents[at + 1 :])
    valid = (*var.valid[:at], *picked.valid, *var.valid[at + 1 :])
    return rec.emit("index_select", [var, picked], TileType(shape, var.type.dtype), valid, axis=at)


def index_list(name: str, index: object, *, ranks: tuple[int, int] = (1, 1)) -> Var:
    """A static index tensor of INT32 or INT64 (PTO232, PTO262)."""
    found = rec.plain(name, "index", index)
    if found.type.dtype not in (INT32, INT64):
        fail("PTO262", op=name, dtype=found.type.dtype.name)
    if not ranks[0] <= found.type.rank <= ranks[1]:
        fail("PTO232", op=name, name="index", rank=found.type.rank, low=ranks[0], high=ranks[1])
    return found


def scattered(name: str, target: Var, dim: object, index: object, src: object, reduce: object) -> None:
    """Record writes of ``src`` at the indices along ``dim``, in row-major order of the index."""
    rec.plain(name, "input", target)
    _rank(name, target, 4)
    rec.element_type(name, target.type.dtype, SCATTERED, computes=False)
    if reduce not in REDUCTIONS:
        fail(
            "PTO268",
            op=name,
            why=T(
                f"scatter reduce only support 'add', 'multiply', got {reduce!r}",
                f"reduce 的取值有误（scatter reduce only support 'add', 'multiply', got {reduce!r}）",
            ),
        )
    at = rec.axis(name, dim, target.type.rank)
    places = _index(name, index, target, at)
    _scatter_tile(name, target, places, at)
    values = _values(name, src, target, places)
    rec.emit_into("scatter", [places, values, target], target, axis=at, reduce=reduce)


def _scatter_tile(name: str, target: Var, places: Var, at: int) -> None:
    """The axis is whole in a vector tile; the others are cut into as many blocks as those of the index (PTO328)."""
    data, index = rec.ints(target), rec.ints(places)
    rank = target.type.rank
    rec.whole_axis(name, at, rank, max(data[at], index[at]))
    for axis, (n, m) in enumerate(zip(data, index, strict=True)):
        tile = rec.vector_tile(axis, rank)
        if axis != at and tile is not None and -(-n // tile) != -(-m // tile):
            rule = T(
                f"one that cuts axis {axis} of input and index, {n} and {m} long, into as many blocks",
                f"把 input 和 index 的轴 {axis}（长度分别为 {n} 和 {m}）切成相同数量的块",
            )
            fail("PTO328", op=name, tile=tile, rule=rule)


def _values(name: str, src: object, target: Var, places: Var) -> Var | Imm:
    if not isinstance(src, Var):
        if not rec.is_number(src):
            why = T(
                f"Expected src to be int, float, Element, or Tensor, got {rec.type_name(src)}",
                f"src 的类型有误（Expected src to be int, float, Element, or Tensor, got {rec.type_name(src)}）",
            )
            fail("PTO222", op=name, why=why)
        if isinstance(src, Imm) and not math.isfinite(src.value):
            fail(
                "PTO268",
                op=name,
                why=T(
                    f"an Element as src must be finite, got {src.value}",
                    f"作为 src 的 Element 必须为有限值，实际为 {src.value}",
                ),
            )
        return rec.scalar(name, src, target.type.dtype)
    rec.plain(name, "src", src)
    rec.same_dtype(name, target, src)
    if src.type.rank != places.type.rank or any(n > m for n, m in zip(rec.ints(places), rec.ints(src), strict=True)):
        shown = shapes.shape_text(places.type.shape), shapes.shape_text(src.type.shape)
        fail(
            "PTO263",
            op=name,
            why=T(f"index {shown[0]} reaches beyond src {shown[1]}", f"index {shown[0]} 超出 src {shown[1]}"),
        )
    return src


@op(
    "scatter_",
    "I",
    arithmetic=Named("scatter"),
    dtypes=SCATTERED,
    method=True,
    writes=("input",),
    samples=(
        Sample(
            "pypto.scatter_(pypto.clone(x), 0, i, x, reduce='add')",
            {"x": whole(8, 16), "i": lambda rng: np.full((2, 16), 5, np.int32)},
            lambda x, i: np.where(np.arange(8)[:, None] == 5, x + x[0] + x[1], x),
        ),
        Sample(
            "pypto.scatter_(pypto.clone(x), 0, i, x, reduce='multiply')",
            {"x": converted(whole(8, 16), FP16), "i": lambda rng: np.full((1, 16), 5, np.int32)},
            lambda x, i: np.where(np.arange(8)[:, None] == 5, x * x[0], x),
            result=FP16,
        ),
    ),
)
def scatter_(input: Var, dim: int, index: Var, src: Any, *, reduce: str | None = None) -> Var:
    """Write ``src`` at the indices along ``dim`` into ``input`` itself; see ``scatter``."""
    target = rec.tensor("scatter_", "input", input)
    scattered("scatter_", target, dim, index, src, reduce)
    return target


@op(
    "scatter",
    "I",
    arithmetic=Named("scatter"),
    dtypes=SCATTERED,
    method=True,
    samples=(
        Sample(
            "pypto.scatter(x, 1, i, 2.0)",
            {"x": normal(8, 16), "i": lambda rng: np.tile(np.array([3, 1], np.int32), (8, 1))},
            lambda x, i: np.where(np.isin(np.arange(16), [1, 3]), 2.0, x),
        ),
    ),
)
def scatter(input: Var, dim: int, index: Var, src: Any, *, reduce: str | None = None) -> Var:
    """A copy of ``input`` in which ``src`` is written at the indices: at (index[i, j], j) for dim 0.

    Shapes: input, index and a tensor ``src`` have one rank (1-4), static; on the other axes the index is not longer
    than the input, and nowhere longer than src. Where indices meet, the last one in row-major order stays.
    Dtypes: FP32, FP16, BF16, INT8, UINT8, INT16, INT32; index INT32 or INT64. ``reduce`` None, "add" or "multiply".
    Errors: ranks or extents that do not fit; another index dtype or reduce. While running: an index out of range.
    """
    copy = clone(rec.tensor("scatter", "input", input))
    scattered("scatter", copy, dim, index, src, reduce)
    return copy
