"""What happens to a product after its sums: + bias, x scale, ReLU, the type of the result, one rounding each.

All of it is one expression of an element, a bias and a factor, so a block of C is read and written once.
"""

from __future__ import annotations

from collections.abc import Sequence

from openpto._records import dataclass
from openpto.ir.dtypes import DataType
from openpto.ir.enums import CastMode
from openpto.ir.nodes import Op, TileType
from openpto.ops import arith
from openpto.ops.arith import F32
from openpto.ops.math.conversion import cast, kept_of_scale

from .build import Arr, Input, each
from .elementwise import literal
from .loopir import Index
from .lower import Lowering
from .tiles import NTile

INT32 = DataType.DT_INT32


@dataclass(frozen=True, slots=True)
class Rows:
    """What is added to and multiplied into every row of the result."""

    bias: NTile | None
    scales: NTile | None

    def over(self, valid: Sequence[Index], position: Sequence[Index] | None = None) -> tuple[Arr | None, Arr | None]:
        """Bias and factors in front of every element of the result; with ``position``, of the block that begins
        there."""
        return _over(self.bias, valid, position), _over(self.scales, valid, position)


def _over(row: NTile | None, valid: Sequence[Index], position: Sequence[Index] | None) -> Arr | None:
    if row is None:
        return None
    own = [0 if c == 1 else s for c, s in zip(row.shape, row.arr.strides, strict=True)]
    spread = Arr(row.arr.at, (*(0 for _ in range(len(valid) - len(own))), *own))
    return spread if position is None else Arr(spread.moved(position).at, spread.strides[-2:])


def factors(low: Lowering, tensor: NTile) -> NTile:
    """FP32 patterns in the low halves of 64-bit integers, of which the device keeps the upper 19 bits."""
    plain = low.fresh(TileType((), F32), tensor.shape, tensor.valid)
    low_half = arith.convert(arith.var(tensor.dtype), arith.U32)
    each(low.b, tensor.valid, [tensor.arr], arith.bitcast(low_half, F32), plain.arr)
    each(low.b, tensor.valid, [plain.arr], kept_of_scale(), plain.arr)
    return plain


def finish(
    low: Lowering, op: Op, total: Arr, out: Arr, extents: Sequence[Index], rows: tuple[Arr | None, Arr | None]
) -> None:
    """Write ``out`` from the sums ``total`` (the same memory if the type is the same)."""
    bias, scales = rows
    scale, relu = op.attrs.get("scale"), bool(op.attrs.get("relu"))
    inputs: list[Input] = [total]
    x = arith.var(total.dtype)
    if bias is not None:
        added = arith.var(bias.dtype, len(inputs))
        inputs.append(bias)
        x = x + (added if added.dtype is x.dtype else arith.convert(added, F32))
    if x.dtype is INT32 and (scale is not None or scales is not None):
        x = arith.convert(x, F32)
    if scales is not None:
        x = x * arith.var(F32, len(inputs))
        inputs.append(scales)
    elif scale is not None:
        x = x * literal(scale, F32)
    if relu:
        x = arith.maximum(x, arith.const(0, x.dtype))
    if x.dtype is not out.dtype:
        x = cast(x, out.dtype, CastMode.CAST_RINT, saturate=True)
    if x.op is not arith.Op.VAR:
        each(low.b, extents, inputs, x, out)
