"""Matrix products: routine calls per batch position and block of C, each followed by its epilogue."""

from __future__ import annotations

from collections.abc import Sequence

from openpto._records import dataclass
from openpto.ir.dtypes import DataType
from openpto.ir.enums import TransMode
from openpto.ir.nodes import Op, TileType, Value
from openpto.ops import arith
from openpto.ops.arith import F32
from openpto.runtime.places import REPEATED_BATCH, shown

from . import gemm
from . import loopir as L
from .build import Arr, copy, each, fold_rows, positions
from .elementwise import result_of, warn_undefined
from .epilogue import Rows, factors, finish
from .handlers import lowers
from .loopir import Call, Index, Ptr
from .lower import AND, TRUE, Lowering, Unsupported
from .tiles import NTile
from .waiting import Waiting, may_wait, wait

INT8, INT32 = DataType.DT_INT8, DataType.DT_INT32
BLOCK = 512
"""Rows and columns of a large result that are computed and finished together, while they are in a cache. They depend on
the shape alone, and no block needs another one."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """An operand: elements, capacity and valid extents with the last two axes as (rows, columns) of the product."""

    tile: NTile
    arr: Arr
    shape: tuple[Index, ...]
    valid: tuple[Index, ...]

    @property
    def transposed(self) -> bool:
        """Whether neighbours in memory follow each other down a column."""
        return self.arr.strides[-1] != 1

    @property
    def apart(self) -> Index:
        """Elements from one line of neighbours to the next."""
        return self.arr.strides[-1 if self.transposed else -2]


@lowers("matmul")
def matmul(low: Lowering, op: Op) -> NTile:
    """``a @ b`` with its epilogue; where the valid K extents differ the smaller one counts."""
    type = result_of(op).type
    tiles = [low.read(o) for o in op.operands if isinstance(o, Value)]
    left, right = tiles[0], tiles[1]
    extras = iter(tiles[2:])
    bias = next(extras) if op.attrs.get("bias") else None
    scales = next(extras) if op.attrs.get("scale_tensor") else None
    a = _matrix(left, bool(op.attrs.get("a_trans")))
    b = _matrix(right, bool(op.attrs.get("b_trans")))
    k_a, k_b = a.valid[-1], b.valid[-2]
    k = low.b.hold(L.binary("min", k_a, k_b))
    low.note(
        L.binary("ne", k_a, k_b),
        "PTO433",
        lambda *v: {"a": v[0], "b": v[1], "used": v[2]},
        k_a,
        k_b,
        k,
        kind="portability",
    )
    batch = _batch(low, left, right)
    m, n = a.valid[-2], b.valid[-1]
    for row, name in ((scales, "scale_tensor"), (bias, "bias")):
        if row is not None:
            _check_row(low, row, n, name)
    product = _Product(low, op, a, b, low.shape(type), (*batch, m, n), k, bias, scales)
    masked = any(t.mask is not None for t in tiles)
    if not masked and may_wait(low, op, low.following):
        return wait(low, Waiting(product.compute, tuple(tiles)), type, product.shape, product.valid)
    made = low.fresh(type, product.shape, product.valid, masked)
    product.compute(made.arr)
    if made.mask is not None:
        _join_masks(low, op, made, (left, right, bias, scales), k)
    return made


def _check_row(low: Lowering, row: NTile, n: Index, name: str) -> None:
    """A bias or scales must have as many valid columns as the result."""
    low.check(
        L.binary("ge", row.valid[-1], n),
        "PTO462",
        lambda *v: {"op": "matmul", "shapes": f"{name} {shown(v[:-1])}", "want": f"{v[-1]} valid columns"},
        *row.valid,
        n,
    )


def _matrix(tile: NTile, transposed: bool) -> Matrix:
    strides, shape, valid = tile.arr.strides, tile.shape, tile.valid
    if not transposed:
        return Matrix(tile, tile.arr, shape, valid)
    arr = Arr(tile.arr.at, (*strides[:-2], strides[-1], strides[-2]))
    return Matrix(tile, arr, (*shape[:-2], shape[-1], shape[-2]), (*valid[:-2], valid[-1], valid[-2]))


def _lines(low: Lowering, x: Matrix) -> Matrix:
    """The matrix with neighbours along one of its axes: a copy if it has none."""
    if 1 in x.arr.strides[-2:]:
        return x
    packed = low.fresh(TileType((), x.tile.dtype), x.shape, x.valid)
    copy(low.b, x.valid, x.arr, packed.arr)
    return Matrix(packed, packed.arr, x.shape, x.valid)


def _batch(low: Lowering, left: NTile, right: NTile) -> tuple[Index, ...]:
    """Valid batch extents; they are equal, or the capacity of one is 1; that one has something to repeat."""
    a, b = left.valid, right.valid
    batch: list[Index] = []
    for axis in range(len(a) - 2):
        one_left, one_right = left.shape[axis] == 1, right.shape[axis] == 1
        if not one_left and not one_right:
            _check_extents(low, L.binary("eq", a[axis], b[axis]), "equal batch extents", a, b)
        elif one_left != one_right:
            repeated, other = (a[axis], b[axis]) if one_left else (b[axis], a[axis])
            if repeated != 1:
                some = L.binary("ge", repeated, L.binary("min", 1, other))
                _check_extents(low, some, REPEATED_BATCH, a, b)
        if one_left and one_right:
            batch.append(L.binary("min", a[axis], b[axis]))
        else:
            batch.append(b[axis] if one_left else a[axis])
    return tuple(low.b.hold(n) for n in batch)


def _check_extents(low: Lowering, holds: Index, want: str, a: tuple[Index, ...], b: tuple[Index, ...]) -> None:
    low.check(
        holds,
        "PTO462",
        lambda *v: {
            "op": "matmul",
            "shapes": f"{shown(v[: len(v) // 2])}, {shown(v[len(v) // 2 :])}",
            "want": want,
        },
        *a,
        *b,
    )


@dataclass(frozen=True, slots=True)
class _Product:
    """A product that is still to be computed: capacity and valid extents of the result, the extent of k that counts."""

    low: Lowering
    op: Op
    a: Matrix
    b: Matrix
    shape: tuple[Index, ...]
    valid: tuple[Index, ...]
    k: Index
    bias: NTile | None
    scales: NTile | None

    def compute(self, out: Arr) -> None:
        """Write the result, its last stride 1: all of C at once if it is small, else block by block."""
        low, op = self.low, self.op
        call = _Routine(low, op, _lines(low, self.a), _lines(low, self.b), self.k)
        rows = Rows(self.bias, None if self.scales is None else factors(low, self.scales))
        batch, (m, n) = self.valid[:-2], self.valid[-2:]
        ready = out.dtype is call.sums
        if all(isinstance(extent, int) and extent <= BLOCK for extent in self.shape[-2:]):
            total = out if ready else low.fresh(TileType((), call.sums), self.shape, self.valid).arr
            work = call.workspace()
            with positions(low.b, batch) as at:
                call.emit(total.moved((*at, 0, 0)), at, (0, 0), (m, n), work)
            finish(low, op, total, out, self.valid, rows.over(self.valid))
            return
        with positions(low.b, batch) as at, low.threaded():
            work = call.workspace()
            part = None if ready else low.fresh(TileType((), call.sums), (BLOCK, BLOCK), ()).arr
            with (
                low.b.loop(n, step=BLOCK, hint="column", independent=True) as j,
                low.b.loop(m, step=BLOCK, hint="row", poll=True, independent=True) as i,
            ):
                rows_here, columns = (low.b.hold(L.binary("min", BLOCK, L.sub(*x))) for x in ((m, i), (n, j)))
                home = Arr(out.moved((*at, i, j)).at, out.strides[-2:])
                c = home if part is None else part
                call.emit(c, at, (i, j), (rows_here, columns), work)
                finish(low, op, c, home, (rows_here, columns), rows.over(self.valid, (*at, i, j)))


class _Routine:
    """Calls of the routine for two operands; ``sums`` is the type that it leaves in C."""

    def __init__(self, low: Lowering, op: Op, a: Matrix, b: Matrix, k: Index) -> None:
        self.low, self.a, self.b, self.k = low, a, b, k
        source = a.tile.dtype
        mode = op.attrs.get("trans_mode", TransMode.CAST_NONE)
        name = gemm.routine(source, mode, a.transposed, b.transposed)
        if name is None:
            raise Unsupported(f"a product of {source.short}")
        low.routine(name)
        self.name = name
        self.sums = INT32 if source is INT8 else F32

    def workspace(self) -> Ptr:
        """Memory for packed operands; threads that compute at the same time need one each."""
        return self.low.fresh(TileType((), F32), (gemm.WORKSPACE,), ()).arr.at

    def emit(
        self, c: Arr, at: Sequence[Index], corner: tuple[Index, Index], extents: tuple[Index, Index], work: Ptr
    ) -> None:
        """C from ``corner`` on, at a batch position."""
        x = self.a.arr.moved((*_place(at, self.a.tile), corner[0], 0))
        y = self.b.arr.moved((*_place(at, self.b.tile), 0, corner[1]))
        operands = (c.at, c.strides[-2], x.at, self.a.apart, y.at, self.b.apart)
        self.low.b.add(Call(self.name, (*operands, *extents, self.k, work)))


def _place(position: Sequence[Index], tile: NTile) -> list[Index]:
    return [0 if tile.shape[axis] == 1 else p for axis, p in enumerate(position)]


def _join_masks(
    low: Lowering, op: Op, made: NTile, tiles: tuple[NTile, NTile, NTile | None, NTile | None], k: Index
) -> None:
    """Rows of a and columns of b (of the bias, of the scales) that hold an undefined element make theirs undefined."""
    left, right, *added = tiles
    assert made.mask is not None
    m, n = made.valid[-2], made.valid[-1]
    parts: list[Arr] = []
    for tile, extent, trans, is_left in (
        (left, m, bool(op.attrs.get("a_trans")), True),
        (right, n, bool(op.attrs.get("b_trans")), False),
    ):
        if tile.mask is None:
            continue
        lines = tile.mask.strides
        inner = (lines[-1], lines[-2]) if trans == is_left else (lines[-2], lines[-1])
        lead = tile.shape[:-2]
        capacity = tile.shape[-2] if (not trans) == is_left else tile.shape[-1]
        fed = low.fresh(TileType((), arith.BOOL), (*lead, capacity), ())
        fold_rows(low.b, (*tile.valid[:-2], extent), k, Arr(tile.mask.at, (*lines[:-2], *inner)), fed.arr, AND, TRUE)
        own = [0 if c == 1 else s for c, s in zip(lead, fed.arr.strides[:-1], strict=True)]
        parts.append(Arr(fed.arr.at, (*own, 1, 0) if is_left else (*own, 0, 1)))
    for row in added:
        if row is not None and row.mask is not None:
            own = [0 if c == 1 else s for c, s in zip(row.shape, row.mask.strides, strict=True)]
            parts.append(Arr(row.mask.at, (*(0 for _ in range(len(made.valid) - len(row.shape))), *own)))
    expr = arith.var(arith.BOOL)
    for index in range(1, len(parts)):
        expr = expr & arith.var(arith.BOOL, index)
    each(low.b, made.valid, parts, expr, made.mask)
    warn_undefined(low, op, made)
