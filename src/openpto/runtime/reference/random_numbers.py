"""Random tensors: every element is a function of its position."""

from __future__ import annotations

import math

import numpy as np

from openpto.ir.nodes import Op
from openpto.ops import arith
from openpto.ops.math import philox

from .creation import result_of
from .evaluate import evaluate
from .handlers import impl
from .machine import Machine
from .tiles import Tile, tile


@impl("uniform", "normal")
def drawn(m: Machine, op: Op) -> Tile:
    """The stream of the key and the counter, row-major."""
    type = result_of(op).type
    shape = m.shape(type)
    number = philox.uniform if op.name == "uniform" else philox.normal
    expression = number(arith.var(arith.I64), op.attrs["key"], op.attrs["counter"], type.dtype)
    positions = np.arange(math.prod(shape), dtype=np.int64)
    return tile(evaluate(expression, [positions]).reshape(shape))
