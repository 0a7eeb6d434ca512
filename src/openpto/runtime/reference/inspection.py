"""Prints and dumps of a verified call."""

from __future__ import annotations

import numpy as np

from openpto.ir.expr import Expr
from openpto.ir.nodes import Op, Value
from openpto.runtime import verification

from .handlers import impl
from .machine import Machine
from .tiles import Tile, tile


def _done() -> Tile:
    return tile(np.ones((1, 1), np.int32))


@impl("verify_print")
def verify_print(m: Machine, op: Op) -> Tile:
    """The valid region of tensors, the values of symbols, and texts, in one line or more."""
    if not m.dims(op.attrs["cond"])[0]:
        return _done()
    words = []
    for operand in op.operands:
        if isinstance(operand, Value):
            words.append(verification.shown(m.read(operand).body, operand.type.dtype, op.attrs["shown"]))
        else:
            assert isinstance(operand, Expr)
            words.append(str(m.scalars.of(operand)))
    verification.tell(op.attrs["texts"], words)
    return _done()


@impl("verify_save")
def verify_save(m: Machine, op: Op) -> Tile:
    """The valid region of a tensor goes to files."""
    if m.dims(op.attrs["cond"])[0]:
        operand = op.operands[0]
        assert isinstance(operand, Value)
        name = "".join(p if isinstance(p, str) else str(m.scalars.of(p)) for p in op.attrs["name"])
        verification.current().save(name, m.read(operand).body, operand.type.dtype)
    return _done()
