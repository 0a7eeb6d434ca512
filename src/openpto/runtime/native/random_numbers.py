"""Random tensors: every element is a function of its position."""

from __future__ import annotations

from openpto.ir.nodes import Op
from openpto.ops import arith
from openpto.ops.math import philox

from .build import count
from .elementwise import result_of
from .handlers import lowers
from .loopir import Compute, Lane, Store, Vector
from .lower import Lowering
from .tiles import NTile


@lowers("uniform", "normal")
def drawn(low: Lowering, op: Op) -> NTile:
    """The stream of the key and the counter, row-major."""
    type = result_of(op).type
    shape = low.shape(type)
    made = low.fresh(type, shape, shape)
    number = philox.uniform if op.name == "uniform" else philox.normal
    expression = number(arith.var(arith.I64), op.attrs["key"], op.attrs["counter"], type.dtype)
    low.b.add(Vector(count(shape), (Lane("i"), Compute("y", expression, ("i",)), Store(made.arr.at, 1, "y"))))
    return made
