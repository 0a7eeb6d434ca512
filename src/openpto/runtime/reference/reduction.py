"""Reductions over the valid region."""

from __future__ import annotations

from collections.abc import Callable

from openpto.ir.nodes import Op
from openpto.ops.registry import OPS, Reduce

from . import regions
from .creation import result_of
from .handlers import impl
from .machine import Machine
from .reduce import reduce_amax, reduce_amin, reduce_prod, reduce_sum
from .regions import FULL, Region
from .tiles import Array, Tile, framed, tile, whole

_FOLDS: dict[str, Callable[..., Array]] = {
    "sum": reduce_sum,
    "prod": reduce_prod,
    "amax": reduce_amax,
    "amin": reduce_amin,
}


@impl("reduce")
def reduce(m: Machine, op: Op) -> Tile:
    """A fold over axes; an axis without valid elements gives the identity."""
    arithmetic = OPS[op.name].arithmetic
    assert isinstance(arithmetic, Reduce)
    source = m.read(op.operands[0])
    axes: tuple[int, ...] = op.attrs["axes"]
    keepdim: bool = op.attrs["keepdim"]
    shape = m.shape(result_of(op).type)
    body = _FOLDS[arithmetic.kind](source.body, axes, keepdim)
    defined: Region = FULL
    if source.defined is not None and not whole(source):
        m.warn("PTO431", op, op=op.called)
        defined = regions.reduced(source.defined, source.valid, axes)
        if not keepdim:
            defined = regions.without_axes(defined, axes)
    return tile(framed(body, shape), body.shape, defined)
