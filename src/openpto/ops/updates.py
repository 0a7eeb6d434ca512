"""Updates of a tensor at positions that index tensors or offsets name: add, put, paged rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from openpto.diagnostics import T, fail
from openpto.diagnostics.words import both
from openpto.ir import affine
from openpto.ir.dtypes import DataType
from openpto.ir.expr import Dim
from openpto.ir.nodes import Imm
from openpto.ir.trace import Var

from . import movement, shapes
from . import recording as rec
from .dtype_sets import BF16, F3, FP16, FP32, HALVES, INT8, INT16, INT32, INT64, INTS
from .indexing import index_list
from .registry import Array, Dtypes, Named, Sample, op
from .reshaping import clone
from .samples import converted, integral, normal, whole

ADDED = Dtypes(F3 | frozenset({INT8, INT16, INT32}))
ADDED_IN_UB = Dtypes(F3 | frozenset({INT16, INT32}))
PUT = Dtypes(F3 | INTS)
PAGED = Dtypes(F3 | frozenset({INT16, INT32}))


# index_add and its kin


def _add(name: str, target: Var, dim: object, index: object, source: object, alpha: object, dtypes: Dtypes) -> None:
    """Check and record ``target[index[i]] += alpha * source[i]`` along an axis."""
    rec.plain(name, "input", target)
    if not 1 <= target.type.rank <= 5:
        fail("PTO232", op=name, name="input", rank=target.type.rank, low=1, high=5)
    rec.element_type(name, target.type.dtype, dtypes)
    at = rec.axis(name, dim, target.type.rank)
    places = index_list(name, index)
    values = rec.plain(name, "source", source)
    rec.same_dtype(name, target, values)
    _same_slices(name, target, values, at)
    if rec.ints(places)[0] != rec.ints(values)[at]:
        why = T(
            f"index has {rec.ints(places)[0]} elements, source {rec.ints(values)[at]} on axis {at}",
            f"index 有 {rec.ints(places)[0]} 个元素，而 source 在第 {at} 轴上有 {rec.ints(values)[at]} 个",
        )
        fail("PTO263", op=name, why=why)
    if dtypes is ADDED_IN_UB:
        rec.whole_axis(name, at, target.type.rank, max(rec.ints(target)[at], rec.ints(values)[at]))
    factor = _factor(name, alpha, target)
    rec.emit_into("index_add_", [places, values, factor, target], target, axis=at)


def _same_slices(name: str, target: Var, values: Var, at: int) -> None:
    """Both have one rank and the same extents on the other axes (PTO230, PTO263)."""
    if values.type.rank != target.type.rank:
        fail("PTO230", op=name, ranks=both(target.type.rank, values.type.rank))
    for i, (n, m) in enumerate(zip(rec.ints(values), rec.ints(target), strict=True)):
        if i != at and n != m:
            fail(
                "PTO263",
                op=name,
                why=T(
                    f"source has extent {n} on axis {i}, input {m}",
                    f"source 在第 {i} 轴上的长度为 {n}，而 input 为 {m}",
                ),
            )


def _factor(name: str, alpha: object, target: Var) -> Imm:
    """alpha in the dtype of the tensor, which must be able to hold it (PTO268)."""
    dtype = target.type.dtype
    factor = rec.strict_scalar(name, alpha, dtype)
    number = alpha.value if isinstance(alpha, Imm) else alpha
    assert isinstance(number, (int, float))
    infinite = isinstance(number, float) and not math.isfinite(number)
    held = math.isfinite(factor.value) or infinite if dtype in F3 else factor.value == int(number)
    if not held:
        fail(
            "PTO268",
            op=name,
            why=T(f"alpha {number} is out of the range of {dtype.short}", f"alpha {number} 超出 {dtype.short} 的范围"),
        )
    return factor


def _added(axis: int = 0, alpha: float = 1) -> Callable[[Array, Array, Array], Array]:
    """The golden: one slice after the other."""

    def golden(x: Array, i: Array, s: Array) -> Array:
        found = x.copy()
        total, parts = np.moveaxis(found, axis, 0), np.moveaxis(s, axis, 0)
        for number, place in enumerate(i):
            total[place] += (alpha * parts[number]).astype(x.dtype)
        return found

    return golden


def _sample(call: str, dtype: DataType = FP32, golden: Callable[..., Array] | None = None) -> Sample:
    arrays = {
        "x": converted(whole(8, 16), dtype),
        "i": integral(12, low=0, high=8),
        "s": converted(whole(12, 16), dtype),
    }
    return Sample(call, arrays, golden or _added(), ulp=0.5, tile=(12, 16), result=dtype)


@op(
    "index_add_",
    "I",
    arithmetic=Named("index_add_"),
    dtypes=ADDED,
    promoted=HALVES,
    method=True,
    writes=("input",),
    samples=(
        _sample("pypto.index_add_(pypto.clone(x), 0, i, s)"),
        _sample("pypto.index_add_(pypto.clone(x), 0, i, s, alpha=-2)", INT16, _added(alpha=-2)),
        _sample("pypto.index_add_(pypto.clone(x), 0, i, s, alpha=0.5)", FP16, _added(alpha=0.5)),
    ),
)
def index_add_(input: Var, dim: int, index: Var, source: Var, *, alpha: int | float = 1) -> Var:
    """Add slices in place: for dim 0 ``input[index[i], :] += alpha * source[i, :]``.

    Shapes: input and source have one rank (1-5), static, and equal extents except along ``dim``; the index is a list as
    long as source there. Equal indices add up, in the order of the index.
    Dtypes: FP16, BF16, FP32, INT8, INT16, INT32, both the same; index INT32 or INT64. FP16 and BF16 are added up in
    FP32 and rounded once; integers wrap.
    Errors: ranks or extents that do not fit; an alpha outside the dtype. While running: an index out of range.
    """
    target = rec.tensor("index_add_", "input", input)
    _add("index_add_", target, dim, index, source, alpha, ADDED)
    return target


@op(
    "index_add",
    "I",
    arithmetic=Named("index_add_"),
    dtypes=ADDED,
    promoted=HALVES,
    method=True,
    samples=(
        _sample("pypto.index_add(x, 0, i, s)"),
        _sample("pypto.index_add(x, 0, i, s, alpha=3)", BF16, _added(alpha=3)),
        Sample(
            "pypto.index_add(x, -1, i, s)",
            {"x": integral(8, 16), "i": integral(4, low=0, high=16, dtype=np.int64), "s": integral(8, 4)},
            _added(1),
        ),
    ),
)
def index_add(input: Var, dim: int, index: Var, source: Var, *, alpha: int | float = 1) -> Var:
    """A copy of ``input`` with slices added: for dim 0 ``input[index[i], :] + alpha * source[i, :]``.

    Shapes: as index_add_. Dtypes: as index_add_. The input keeps its contents.
    Errors: as index_add_.
    """
    copy = clone(rec.tensor("index_add", "input", input))
    _add("index_add", copy, dim, index, source, alpha, ADDED)
    return copy


@op(
    "index_add__ub",
    "I",
    arithmetic=Named("index_add_"),
    dtypes=ADDED_IN_UB,
    promoted=HALVES,
    writes=("input",),
    samples=(_sample("pypto.index_add__ub(pypto.clone(x), 0, i, s)"),),
)
def index_add__ub(input: Var, dim: int, index: Var, source: Var, *, alpha: int | float = 1) -> Var:
    """As index_add_, in on-chip memory.

    Shapes: as index_add_. Dtypes: as index_add_, without INT8.
    Errors: as index_add_.
    """
    target = rec.tensor("index_add__ub", "input", input)
    _add("index_add__ub", target, dim, index, source, alpha, ADDED_IN_UB)
    return target


@op(
    "index_add_ub",
    "I",
    arithmetic=Named("index_add_"),
    dtypes=ADDED_IN_UB,
    promoted=HALVES,
    samples=(_sample("pypto.index_add_ub(x, 0, i, s, alpha=2)", INT32, _added(alpha=2)),),
)
def index_add_ub(input: Var, dim: int, index: Var, source: Var, *, alpha: int | float = 1) -> Var:
    """As index_add, in on-chip memory.

    Shapes: as index_add_. Dtypes: as index_add_, without INT8.
    Errors: as index_add_.
    """
    copy = clone(rec.tensor("index_add_ub", "input", input))
    _add("index_add_ub", copy, dim, index, source, alpha, ADDED_IN_UB)
    return copy


# index_put_


def _put(x: Array, i: Array, j: Array, v: Array) -> Array:
    found = x.copy()
    for a, b, value in zip(i, j, v, strict=True):
        found[a, b] = value
    return found


@op(
    "index_put_",
    "I",
    arithmetic=Named("index_put_"),
    dtypes=PUT,
    writes=("input",),
    samples=(
        Sample(
            "pypto.index_put_(out, (i,), v)",
            {"i": lambda rng: np.array([3, 0, 2, 1], np.int32), "v": normal(4, 16)},
            lambda i, v: v[[1, 3, 2, 0]],
            tile=(4, 16),
        ),
        Sample(
            "out[:] = x\n    pypto.index_put_(out, (i, j), v)",
            {
                "x": integral(8, 16),
                "i": integral(6, low=0, high=8, dtype=np.uint8),
                "j": integral(6, low=0, high=16, dtype=np.int64),
                "v": integral(6),
            },
            _put,
        ),
        Sample(
            "out[:] = x\n    pypto.index_put_(out, (i,), v, True)",
            {"x": converted(whole(8, 16), FP16), "i": integral(12, low=0, high=8), "v": converted(whole(12, 16), FP16)},
            _added(),
            tile=(12, 16),
            result=FP16,
        ),
    ),
)
def index_put_(input: Var, indices: tuple[Var, ...], values: Var, accumulate: bool = False) -> None:
    """Write in place: ``input[i0[k], i1[k], ...] = values[k]``, or add with ``accumulate``.

    Shapes: 1-4 index lists of one length L; rank(input) + 1 = number of lists + rank(values); values [L, ...] with the
    trailing extents of the input, whose indexed axes may be dynamic. Where indices meet the last one stays; with
    ``accumulate`` all add up, in order.
    Dtypes: FP16, BF16, FP32, all INT and UINT; with ``accumulate`` FP16, BF16, FP32, INT8, INT16, INT32 (FP16 and BF16
    are added up in FP32 and rounded once). Indices of any INT or UINT.
    Errors: ranks, extents or dtypes that do not fit. While running: an index out of range.
    """
    target = rec.tensor("index_put_", "input", input)
    rec.row_major("index_put_", "input", target)
    adds = rec.flag("index_put_", "accumulate", accumulate)
    rec.element_type("index_put_", target.type.dtype, ADDED if adds else PUT, computes=adds)
    lists = [rec.tensor("index_put_", "indices", i) for i in rec.sequence("index_put_", "indices", indices)]
    if not 1 <= len(lists) <= 4:
        fail(
            "PTO263",
            op="index_put_",
            why=T(
                f"takes 1 to 4 index tensors, got {len(lists)}", f"需要 1 到 4 个索引 Tensor，实际为 {len(lists)} 个"
            ),
        )
    source = rec.plain("index_put_", "values", values)
    rec.same_dtype("index_put_", target, source)
    for places in lists:
        _check_list(places, rec.ints(source)[0])
    if target.type.rank + 1 != len(lists) + source.type.rank:
        have, total = target.type.rank + 1, len(lists) + source.type.rank
        why = T(
            f"rank(input) + 1 is {have}, {len(lists)} indices + rank(values) is {total}",
            f"rank(input) + 1 为 {have}，而 {len(lists)} 个索引 + rank(values) 为 {total}",
        )
        fail("PTO263", op="index_put_", why=why)
    _fits("index_put_", target.type.shape[len(lists) :], source.type.shape[1:])
    rec.emit_into("index_put_", [*lists, source, target], target, accumulate=adds)


def _check_list(places: Var, length: int) -> None:
    rec.plain("index_put_", "indices", places)
    if places.type.dtype not in INTS:
        fail("PTO262", op="index_put_", dtype=places.type.dtype.name)
    if places.type.shape != (length,):
        shown = shapes.shape_text(places.type.shape)
        fail(
            "PTO263",
            op="index_put_",
            why=T(
                f"an index has shape {shown}, values have {length} entries",
                f"有一个索引的 shape 为 {shown}，而 values 有 {length} 项",
            ),
        )


def _fits(name: str, target: tuple[Dim, ...], source: tuple[Dim, ...]) -> None:
    """Trailing extents agree as far as is known now; symbolic ones are compared while running (PTO263)."""
    if len(target) != len(source) or any(
        affine.difference(a, b) not in (0, None) for a, b in zip(target, source, strict=True)
    ):
        shown = shapes.shape_text(source), shapes.shape_text(target)
        fail(
            "PTO263",
            op=name,
            why=T(
                f"entries have shape {shown[0]}, the input has {shown[1]} there",
                f"每项的 shape 为 {shown[0]}，而 input 在该处为 {shown[1]}",
            ),
        )


# Paged rows


def _rows(x: Array, i: Array, s: Array) -> Array:
    found = x.copy()
    found[i.reshape(-1)] = s
    return found


@op(
    "scatter_update",
    "I",
    arithmetic=Named("scatter_update"),
    dtypes=PAGED,
    method=True,
    writes=("input",),
    samples=(
        Sample(
            "pypto.scatter_update(pypto.clone(x), -2, i, s)",
            {"x": normal(8, 16), "i": lambda rng: np.array([[6, 1, 0], [3, 7, 2]], np.int64), "s": normal(6, 16)},
            _rows,
            tile=(3, 16),
        ),
        Sample(
            "pypto.scatter_update(pypto.clone(x), -2, i, s)",
            {
                "x": converted(normal(2, 4, 1, 16), BF16),
                "i": lambda rng: np.array([[6, 1], [3, 4]], np.int32),
                "s": converted(normal(2, 2, 1, 16), BF16),
            },
            lambda x, i, s: _rows(x.reshape(8, 16), i, s.reshape(4, 16)).reshape(x.shape),
            tile=(2, 2, 1, 16),
            result=BF16,
        ),
    ),
)
def scatter_update(input: Var, dim: int = -2, index: Var | None = None, src: Var | None = None) -> Var:
    """Write rows of a paged store in place: write ``x = scatter_update(x, -2, index, src)``.

    Shapes: input [rows, d], index [b, s], src [b * s, d]: ``input[index[i, j]] = src[i * s + j]``; or input
    [blocks, size, 1, d], src [b, s, 1, d]: row index[i, j] counts through the blocks. The rows may be dynamic. Where
    indices meet the last one stays.
    Dtypes: FP16, BF16, FP32, INT16, INT32, both the same; index INT16, INT32 or INT64.
    Errors: another dim; ranks or extents that do not fit; a first vector tile that does not divide s. While running: an
    index out of range.
    """
    target = rec.tensor("scatter_update", "input", input)
    if rec.integer("scatter_update", "dim", dim) != -2:
        fail(
            "PTO268",
            op="scatter_update",
            why=T(
                "scatter currection only support the case where dim = -2.",
                "scatter currection only support the case where dim = -2.（仅支持 dim = -2）",
            ),
        )
    rec.row_major("scatter_update", "input", target)
    rec.element_type("scatter_update", target.type.dtype, PAGED, computes=False)
    places, source = rec.plain("scatter_update", "index", index), rec.plain("scatter_update", "src", src)
    rec.same_dtype("scatter_update", target, source)
    _check_pages(target, places, source)
    rec.emit_into("scatter_update", [places, source, target], target)
    return target


def _check_pages(target: Var, places: Var, source: Var) -> None:
    """The two forms (PTO262, PTO263, PTO328)."""
    if places.type.dtype not in (INT16, INT32, INT64):
        fail("PTO262", op="scatter_update", dtype=places.type.dtype.name)
    if target.type.rank not in (2, 4):
        fail(
            "PTO263",
            op="scatter_update",
            why=T(
                f"dim must be 2 or 4, the input is {target.type.rank}-D",
                f"input 须为 2 或 4 维，实际为 {target.type.rank} 维",
            ),
        )
    if places.type.rank != 2:
        fail(
            "PTO263",
            op="scatter_update",
            why=T(
                f"index must be [b, s], it is {places.type.rank}-D", f"index 须为 [b, s]，实际为 {places.type.rank} 维"
            ),
        )
    b, s = rec.ints(places)
    last = target.type.shape[-1]
    wanted: tuple[Dim, ...] = (b * s, last) if target.type.rank == 2 else (b, s, 1, last)
    _fits("scatter_update", wanted, source.type.shape)
    if target.type.rank == 4:
        _fits("scatter_update", (1,), target.type.shape[2:3])
    rec.whole_axis("scatter_update", source.type.rank - 1, source.type.rank, rec.ints(source)[-1])
    if target.type.rank == 4:
        return
    first = rec.vector_tile(0, 2)
    if first is not None and s % first and first < b * s:
        fail(
            "PTO328",
            op="scatter_update",
            tile=first,
            rule=T(f"a divisor of {s}, the columns of the index, on axis 0", f"第 0 轴上为 index 列数 {s} 的因数"),
        )


# Blocks


@op(
    "atomic_add",
    "S",
    arithmetic=Named("atomic_add"),
    writes=("dst",),
    samples=(
        Sample(
            "out[:] = x\n    pypto.atomic_add(y, [2, 0], out)",
            {"x": whole(8, 16), "y": whole(4, 16)},
            lambda x, y: x + np.pad(y, ((2, 2), (0, 0))),
        ),
    ),
)
def atomic_add(src: Var, offsets: list[Any], dst: Var) -> None:
    """Add a block in place: ``dst[offsets : offsets + shape] += src``, over the valid region of ``src``.

    Shapes: src, offsets and dst have one rank; src is static, dst may be dynamic. Blocks are added in program order; a
    device adds blocks of parallel iterations in any order.
    Dtypes: FP16, BF16, FP32, INT8, INT16, INT32, both the same; every addition is rounded to the dtype.
    Errors: ranks, dtypes or formats that differ. While running: a block that reaches past the end of ``dst``.
    """
    source, target = rec.tensor("atomic_add", "src", src), rec.tensor("atomic_add", "dst", dst)
    rec.static_shape("atomic_add", "src", source)
    rec.element_type("atomic_add", target.type.dtype, ADDED)
    movement.writable(source, target)
    starts = rec.dims("atomic_add", "offsets", offsets)
    if len(starts) != target.type.rank:
        fail("PTO249", offsets=len(starts), rank=target.type.rank)
    rec.emit_into("atomic_add", [source, target], target, offsets=starts)
