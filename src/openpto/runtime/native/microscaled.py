"""Elements times the scales of their groups."""

from __future__ import annotations

from openpto.ir.nodes import Op, Value
from openpto.ops import arith
from openpto.ops.math.small_floats import E8M0, decoded
from openpto.ops.scaled import GROUP
from openpto.runtime.places import shown

from . import loopir as L
from .build import Arr, count, each
from .elementwise import result_of
from .handlers import lowers
from .loopir import Index
from .lower import AND, Lowering
from .movement import all_of
from .tiles import NTile


@lowers("mx_widened")
def mx_widened(low: Lowering, op: Op) -> NTile:
    """One FP32 product per element, a group of K after the other."""
    operand = op.operands[0]
    assert isinstance(operand, Value)
    b, source, scale = low.b, low.read(operand), low.read(op.operands[1])
    rank = len(source.shape)
    k_axis: int = op.attrs["k_axis"] % rank
    row_axis = rank - 1 if k_axis == rank - 2 else rank - 2
    depth, rows = source.valid[k_axis], source.valid[row_axis]
    pairs = b.hold(L.Bin("div", L.add(depth, 2 * GROUP - 1), 2 * GROUP))
    need: tuple[Index, ...] = (rows, pairs, 2) if op.attrs["rows_first"] else (pairs, rows, 2)
    fits = all_of(*(L.binary("le", n, have) for n, have in zip(need, scale.valid, strict=True)))
    empty = L.binary("eq", b.hold(count(source.valid)), 0)
    low.check(
        L.binary("or", empty, fits),
        "PTO462",
        lambda *v: {"op": "scaled_mm", "shapes": shown(v[:3]), "want": shown(v[3:])},
        *scale.valid,
        *need,
    )
    type = result_of(op).type
    masked = source.mask is not None or scale.mask is not None
    made = low.fresh(type, low.shape(type), source.valid, masked)
    product = decoded(arith.var(arith.U8), operand.type.dtype) * decoded(arith.var(arith.U8, 1), E8M0)
    row_stride, pair_stride = (0, 1) if op.attrs["rows_first"] else (1, 0)

    def group_of(arr: Arr, group: Index) -> Arr:
        """The factors of a group over the axes of the matrix."""
        steps: list[Index] = [0] * rank
        steps[row_axis] = arr.strides[row_stride]
        pair = L.mul(L.Bin("div", group, 2), arr.strides[pair_stride])
        return Arr(L.shifted(arr.at, L.add(pair, L.mul(L.Bin("mod", group, 2), arr.strides[2]))), tuple(steps))

    groups = b.hold(L.Bin("div", L.add(depth, GROUP - 1), GROUP))
    with b.loop(groups, hint="group") as group:
        start = b.hold(L.mul(group, GROUP))
        size = b.hold(L.binary("min", GROUP, L.sub(depth, start)))
        extents = tuple(size if axis == k_axis else n for axis, n in enumerate(source.valid))
        at = [start if axis == k_axis else 0 for axis in range(rank)]
        each(b, extents, [source.arr.moved(at), group_of(scale.arr, group)], product, made.arr.moved(at))
        if made.mask is not None:
            marks = [source.mask.moved(at)] if source.mask is not None else []
            marks += [group_of(scale.mask, group)] if scale.mask is not None else []
            both = AND if len(marks) == 2 else arith.var(arith.BOOL)
            each(b, extents, marks, both, made.mask.moved(at))
    return made
