"""Rows of a store that a block table divides into pages, picked by the numbers of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from openpto.diagnostics import T, fail
from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.expr import Dim
from openpto.ir.nodes import TileType
from openpto.ir.trace import Region, TAssign, TOp, Var

from . import recording as rec
from . import shapes
from .dtype_sets import BF16, FP16, FP32, INT8, INT32, INT64
from .registry import Array, Composite, Dtypes, Named, Sample, internal, op
from .samples import Generator, converted, integral, normal

TO_UB = Dtypes(frozenset({FP16, FP32}))
TO_L1 = Dtypes(frozenset({FP16, BF16, FP32, INT8}))

for _name, _core in (("paged_rows", "vector"), ("paged_rows_l1", "move")):
    internal(_name, "Rows that a block table places.", core=_core, arithmetic=Named("paged_rows"))  # type: ignore[arg-type]


def _rows(x: Array, i: Array, table: Array, size: int) -> Array:
    """Row by row, as the documentation says."""
    return np.stack([x[table[0, t // size] * size + t % size] for t in i[0]])


def _table(*blocks: int) -> Generator:
    return lambda rng: np.array([blocks], np.int32)


def looked_up(name: str, core: str, src: Var, indices: object, table: object, block_size: object, size: int) -> Var:
    """Check the shapes that both forms share and record the rows, ``size`` columns of each."""
    picked, blocks = rec.tensor(name, "indices", indices), rec.tensor(name, "block_table", table)
    for what, var, kinds in (
        ("indices", picked, (INT32, INT64) if core == "paged_rows_l1" else (INT32,)),
        ("block_table", blocks, (INT32,)),
    ):
        shape = rec.static_shape(name, what, var)
        if len(shape) != 2 or shape[0] != 1:
            fail(
                "PTO263",
                op=name,
                why=T(
                    f"{what} must have the shape [1, n], got {shapes.shape_text(shape)}",
                    f"{what} 的 shape 须为 [1, n]，实际为 {shapes.shape_text(shape)}",
                ),
            )
        if var.type.dtype not in kinds:
            taken = ", ".join(k.short for k in kinds)
            rec.refuse_dtype(f"{what} of {name}", var.type.dtype.name, taken)
    page = rec.integer(name, "block_size", block_size)
    if page < 1:
        fail(
            "PTO268",
            op=name,
            why=T(f"block_size must be at least 1, got {page}", f"block_size 至少为 1，实际为 {page}"),
        )
    base, offsets = base_of(src)
    count = affine.simplify(ex.binary("mul", picked.valid[0], picked.valid[1]))
    valid = (count, shapes.smaller(src.valid[1], size))
    type = TileType((rec.ints(picked)[1], size), src.type.dtype)
    return rec.emit(core, [src, base, picked, blocks], type, valid, block_size=page, offsets=offsets)


def store(name: str, what: str, value: object, dtypes: Dtypes) -> tuple[Var, int]:
    """The tensor that rows are taken from, of which the number of rows may be dynamic, and its columns."""
    src = rec.tensor(name, what, value)
    if src.type.rank != 2:
        fail("PTO232", op=name, name=what, rank=src.type.rank, low=2, high=2)
    columns = src.type.shape[1]
    if not isinstance(columns, int):
        fail("PTO224", op=name, name=src.name or what, shape=shapes.shape_text(src.type.shape))
    rec.element_type(name, src.type.dtype, dtypes, computes=False)
    return src, columns


def base_of(src: Var) -> tuple[Var, tuple[Dim, ...]]:
    """The tensor that ``src`` is a window of, through windows of windows, and where the window begins; ``src`` itself
    at the origin if it is none."""
    base = src
    offsets: tuple[Dim, ...] = (0,) * src.type.rank
    while (view := _window(base)) is not None:
        source = view.operands[0]
        assert isinstance(source, Var)
        starts: tuple[Dim, ...] = view.attrs["offsets"]
        offsets = tuple(
            ex.as_dim(ex.binary("add", start, offset)) for start, offset in zip(starts, offsets, strict=True)
        )
        base = source
    return base, offsets


def _window(var: Var) -> TOp | None:
    """The view that made ``var``, unless it has taken over something else since."""
    for item in _nodes(var.region):
        if isinstance(item, TAssign) and item.dst is var:
            return None
    made = (item for item in var.region.body if isinstance(item, TOp) and var in item.results)
    first = next(made, None)
    return first if first is not None and first.name == "view" else None


def _nodes(region: Region) -> Iterator[object]:
    """Everything recorded in a region so far and inside of it."""
    for item in region.body:
        yield item
        for part in ("region", "then", "other"):
            inner = getattr(item, part, None)
            if isinstance(inner, Region):
                yield from _nodes(inner)


def _picked(size: int) -> Callable[[Array, Array, Array], Array]:
    return lambda x, i, table: _rows(x, i, table, size)


@op(
    "experimental.gather_in_ub",
    "E",
    arithmetic=Composite(("paged_rows",)),
    dtypes=TO_UB,
    samples=(
        Sample(
            "pypto.experimental.gather_in_ub(x, i, t, 4, -2)",
            {"x": normal(16, 16), "i": integral(1, 6, low=0, high=12), "t": _table(3, 0, 2)},
            _picked(4),
        ),
        Sample(
            "pypto.experimental.gather_in_ub(x, i, t, 5, axis=-2)",
            {"x": converted(normal(20, 8), FP16), "i": integral(1, 9, low=0, high=15), "t": _table(1, 3, 0)},
            _picked(5),
            result=FP16,
        ),
    ),
)
def gather_in_ub(param: Var, indices: Var, block_table: Var, block_size: int, axis: int) -> Var:
    """Rows of a paged store: for token t row ``block_table[0, t // block_size] * block_size + t % block_size``.

    Shapes: param [tokens, hidden], of which the tokens may be dynamic; indices [1, k], block_table [1, T]; the result
    is [k, hidden], valid as far as the indices and the columns are. ``axis`` is -2. A row counts from the origin of
    param; if param is a window, it may lie outside of the window and inside the tensor below, with a warning.
    Dtypes: FP16, FP32; indices and block_table INT32.
    Errors: shapes, dtypes or an axis that do not fit. While running: a token outside of the table, a row outside of the
    store.
    """
    name = "experimental.gather_in_ub"
    src, columns = store(name, "param", param, TO_UB)
    if rec.integer(name, "axis", axis) != -2:
        fail("PTO268", op=name, why=T(f"axis must be -2, got {axis}", f"axis 须为 -2，实际为 {axis}"))
    return looked_up(name, "paged_rows", src, indices, block_table, block_size, columns)


@op(
    "experimental.gather_in_l1",
    "E",
    core="move",
    arithmetic=Composite(("paged_rows_l1",)),
    dtypes=TO_L1,
    samples=(
        Sample(
            "pypto.experimental.gather_in_l1(x, i, t, 4, 8, True, False)",
            {"x": normal(16, 16), "i": integral(1, 6, low=0, high=12, dtype=np.int64), "t": _table(3, 0, 2)},
            lambda x, i, t: _rows(x, i, t, 4)[:, :8],
        ),
        Sample(
            "pypto.matmul(x, pypto.experimental.gather_in_l1(x, i, t, 8, 16, True, True), pypto.DT_FP32, b_trans=True)",
            {"x": converted(integral(32, 16, low=-9, high=9), BF16), "i": integral(1, 16, low=0, high=32),
             "t": _table(1, 3, 0, 2)},
            lambda x, i, t: x @ _rows(x, i, t, 8).T,
            tile=(32, 16),
        ),
    ),
)  # fmt: skip
def gather_in_l1(
    src: Var, indices: Var, block_table: Var, block_size: int, size: int, is_b_matrix: bool, is_trans: bool
) -> Var:
    """Rows of a paged store as an operand of ``matmul``; the rows are those of ``gather_in_ub``.

    Shapes: src [tokens, columns], of which the tokens may be dynamic; indices [1, n], block_table [1, T]; the result
    is [n, size], the first ``size`` columns. ``is_b_matrix`` and ``is_trans`` say how the product will use it; they
    choose the place of the elements in L1, not their values.
    Dtypes: FP32, FP16, BF16, INT8; indices INT32 or INT64, block_table INT32.
    Errors: shapes or dtypes that do not fit; a size beyond the columns. While running: as for ``gather_in_ub``.
    """
    name = "experimental.gather_in_l1"
    var, columns = store(name, "src", src, TO_L1)
    width = rec.integer(name, "size", size)
    if not 1 <= width <= columns:
        fail(
            "PTO268",
            op=name,
            why=T(
                f"size must be in [1, {columns}], the columns of src, got {width}",
                f"size 须在 [1, {columns}]（src 的列数）内，实际为 {width}",
            ),
        )
    rec.flag(name, "is_b_matrix", is_b_matrix)
    rec.flag(name, "is_trans", is_trans)
    return looked_up(name, "paged_rows_l1", var, indices, block_table, block_size, width)
