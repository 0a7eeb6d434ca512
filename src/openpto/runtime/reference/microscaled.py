"""Elements times the scales of their groups."""

from __future__ import annotations

import numpy as np

from openpto.ir.nodes import Op, Value
from openpto.ops import arith
from openpto.ops.math.small_floats import E8M0, decoded
from openpto.ops.scaled import GROUP
from openpto.runtime.places import shown

from . import regions
from .creation import result_of
from .evaluate import evaluate
from .handlers import impl
from .machine import Machine
from .regions import FULL, Region
from .tiles import Array, Tile, framed, tile


@impl("mx_widened")
def mx_widened(m: Machine, op: Op) -> Tile:
    """One FP32 product per element; the factor of a group of K stands at [row, group / 2, group % 2], or with the
    first two axes exchanged."""
    operand = op.operands[0]
    assert isinstance(operand, Value)
    source, scale = m.read(operand), m.read(op.operands[1])
    k_axis: int = op.attrs["k_axis"]
    rows, depth = source.valid[-1 if k_axis == -2 else -2], source.valid[k_axis]
    pairs = -(-depth // (2 * GROUP))
    need = (rows, pairs, 2) if op.attrs["rows_first"] else (pairs, rows, 2)
    if regions.count(source.valid) and any(n > have for n, have in zip(need, scale.valid, strict=True)):
        m.fault("PTO462", op="scaled_mm", shapes=shown(scale.valid), want=shown(need))

    def factors(x: Array) -> Array:
        """A factor per element of the two inner axes."""
        cut = x[tuple([slice(n) for n in need])]
        by_row = cut if op.attrs["rows_first"] else np.moveaxis(cut, 0, 1)
        spread = np.repeat(by_row.reshape(rows, 2 * pairs), GROUP, 1)[:, :depth]
        return spread.T if k_axis == -2 else spread

    x = decoded(arith.var(arith.U8), operand.type.dtype)
    product = x * decoded(arith.var(arith.U8, 1), E8M0)
    shape = m.shape(result_of(op).type)
    codes = np.ascontiguousarray(factors(scale.data.view(np.uint8)))
    body = evaluate(product, [source.body.view(np.uint8), codes])
    defined: Region = FULL
    if source.defined is not None or scale.defined is not None:
        mask = np.zeros(scale.data.shape, np.bool_)
        mask[tuple([slice(n) for n in scale.valid])] = regions.to_mask(scale.defined, scale.valid)
        defined = regions.from_mask(regions.to_mask(source.defined, source.valid) & factors(mask))
    return tile(framed(body, shape), body.shape, defined)
