"""Matrix products."""

from __future__ import annotations

import numpy as np

from openpto.ir.enums import TransMode
from openpto.ir.nodes import Op, Value
from openpto.runtime.places import REPEATED_BATCH, shown

from . import regions
from .creation import result_of
from .epilogue import Product, product, scales
from .handlers import impl
from .machine import Machine
from .regions import FULL, Extents, Mask, Region
from .tiles import Array, Tile, framed, tile


@impl("matmul")
def matmul(m: Machine, op: Op) -> Tile:
    """``a @ b`` with its epilogue; where the valid K extents differ the smaller one counts."""
    tiles = [m.read(o) for o in op.operands if isinstance(o, Value)]
    left, right = tiles[0], tiles[1]
    extras = iter(tiles[2:])
    bias = next(extras) if op.attrs.get("bias") else None
    factors = next(extras) if op.attrs.get("scale_tensor") else None
    a_trans, b_trans = bool(op.attrs.get("a_trans")), bool(op.attrs.get("b_trans"))
    type = result_of(op).type
    a, b = left.body, right.body
    k_a, k_b = a.shape[-2 if a_trans else -1], b.shape[-1 if b_trans else -2]
    k = min(k_a, k_b)
    if k_a != k_b:
        m.portability("PTO433", op, a=k_a, b=k_b, used=k)
        a = _cut(a, -2 if a_trans else -1, k)
        b = _cut(b, -1 if b_trans else -2, k)
    _check_batch(m, left, right)
    n = b.shape[-2] if b_trans else b.shape[-1]
    scale: float | Array | None = op.attrs.get("scale")
    if factors is not None:
        scale = scales(_row(m, factors, n, "scale_tensor"))
    how = Product(
        type.dtype, a_trans, b_trans, bool(op.attrs.get("relu")), op.attrs.get("trans_mode", TransMode.CAST_NONE)
    )
    body = product(a, b, how, None if bias is None else _row(m, bias, n, "bias"), scale)
    defined = _defined(m, op, (left, right, bias, factors), (a_trans, b_trans), k, body.shape)
    return tile(framed(body, m.shape(type)), body.shape, defined)


def _cut(x: Array, axis: int, extent: int) -> Array:
    index = [slice(None)] * x.ndim
    index[axis] = slice(extent)
    return x[tuple(index)]


def _check_batch(m: Machine, left: Tile, right: Tile) -> None:
    """Batch extents are equal, or the capacity of one is 1; that one has something to repeat."""
    for axis in range(len(left.valid) - 2):
        a, b = left.valid[axis], right.valid[axis]
        one_left, one_right = left.data.shape[axis] == 1, right.data.shape[axis] == 1
        want = ""
        if not one_left and not one_right and a != b:
            want = "equal batch extents"
        elif one_left != one_right and (a if one_left else b) < min(1, b if one_left else a):
            want = REPEATED_BATCH
        if want:
            m.fault("PTO462", op="matmul", shapes=f"{shown(left.valid)}, {shown(right.valid)}", want=want)


def _row(m: Machine, row: Tile, n: int, name: str) -> Array:
    """The valid columns of a bias or of scales: as many as the result has."""
    if row.valid[-1] < n:
        m.fault("PTO462", op="matmul", shapes=f"{name} {shown(row.valid)}", want=f"{n} valid columns")
    return row.body[..., :n]


def _defined(
    m: Machine,
    op: Op,
    tiles: tuple[Tile, Tile, Tile | None, Tile | None],
    trans: tuple[bool, bool],
    k: int,
    out: Extents,
) -> Region:
    """Rows of a and columns of b (of the bias, of the scales) that hold an undefined element make theirs undefined."""
    if all(t is None or t.defined is None for t in tiles) or not regions.count(out):
        return FULL
    left, right, *added = tiles
    rows = _fed(left, -2 if trans[0] else -1, k)
    columns = _fed(right, -1 if trans[1] else -2, k)
    mask: Mask = rows[..., :, np.newaxis] & columns[..., np.newaxis, :]
    for row in added:
        if row is not None:
            mask = mask & regions.to_mask(row.defined, row.valid)[..., : out[-1]]
    region = regions.from_mask(np.broadcast_to(mask, out).copy())
    if region is not None:
        m.warn("PTO431", op, op=op.called)
    return region


def _fed(x: Tile, k_axis: int, k: int) -> Mask:
    mask = regions.to_mask(x.defined, x.valid)
    return np.asarray(_cut(mask, k_axis, k).all(axis=k_axis))
