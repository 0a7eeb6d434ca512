"""Single elements, and gathers by index tensors."""

from __future__ import annotations

from collections.abc import Sequence

from openpto.ir.expr import Expr
from openpto.ir.nodes import Op, Value
from openpto.runtime.places import shown

from . import loopir as L
from . import races
from .build import Arr, copy, fill, positions
from .elementwise import result_of
from .handlers import lowers
from .loopir import Index
from .lower import TRUE, Lowering
from .movement import FALSE, all_of
from .tiles import NTile, zero


def checked_index(low: Lowering, index: Sequence[Index], extents: Sequence[Index], var: int) -> tuple[Index, ...]:
    """``index`` if it lies inside ``extents``; else a fault."""
    rank = len(index)
    shown_name = low.name_of(var)
    for axis, (i, n) in enumerate(zip(index, extents, strict=True)):
        inside = L.binary("and", L.binary("ge", i, 0), L.binary("lt", i, n))

        def fields(*v: int, axis: int = axis) -> dict[str, object]:
            return {"name": shown_name, "index": shown(v[:rank]), "axis": axis, "extent": v[rank]}

        low.check(inside, "PTO408", fields, *index, n)
    return tuple(index)


@lowers("read_scalar")
def read_scalar(low: Lowering, op: Op) -> None:
    """One element as a run-time integer; it must be defined."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source = low.source(value)
    wanted = [low.b.hold(low.scalar(o)) for o in op.operands[1:] if isinstance(o, Expr)]
    index = checked_index(low, wanted, source.valid, value.var)
    name = low.name_of(value.var)
    if source.mask is not None:
        defined = L.Peek(source.mask.moved(index).at)
        low.check(defined, "PTO402", lambda *i: {"name": name, "index": shown(i)}, *index)
    races.touch(low, value.var, index, [L.add(i, 1) for i in index], False)
    leaf = op.results[0]
    assert isinstance(leaf, Expr)
    low.set_leaf(leaf, L.Peek(source.arr.moved(index).at))


@lowers("valid_of")
def valid_of(low: Lowering, op: Op) -> None:
    """The valid extent of an axis; of a name without a value there is none."""
    value = op.operands[0]
    assert isinstance(value, Value)
    tile = low.env[value]
    leaf = op.results[0]
    assert isinstance(leaf, Expr)
    low.set_leaf(leaf, tile.valid[op.attrs["axis"]], tile.alive)


@lowers("gather")
def gather(low: Lowering, op: Op) -> NTile:
    """``out[i, j, k] = x[..index[i, j, k]..]`` along one axis, for the valid extents of the index."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source, index = low.read(value), low.read(op.operands[1])
    axis: int = op.attrs["axis"]
    type = result_of(op).type
    shape, valid = low.shape(type), index.valid
    beyond = all_of(
        *(L.binary("le", n, have) for a, (n, have) in enumerate(zip(valid, source.valid, strict=True)) if a != axis)
    )
    masked = source.mask is not None or beyond != 1
    made = low.fresh(type, shape, valid, masked)
    checked_positions(low, index, axis, source.valid[axis], value.var)
    with positions(low.b, valid) as at:
        where = low.b.hold(L.Peek(index.arr.moved(at).at), "where")
        origin = [p if a != axis else where for a, p in enumerate(at)]
        inside = all_of(*(L.binary("lt", p, n) for p, n in zip(origin, source.valid, strict=True)))
        inside = 1 if beyond == 1 else low.b.hold(inside)
        if inside != 1:
            with low.b.when(L.binary("eq", inside, 0)):
                _set_undefined(low, made, at)
        with low.b.when(inside):
            copy(low.b, (), Arr(source.arr.moved(origin).at, ()), Arr(made.arr.moved(at).at, ()))
            if made.mask is not None:
                mark = Arr(made.mask.moved(at).at, ())
                if source.mask is None:
                    fill(low.b, (), TRUE, mark)
                else:
                    copy(low.b, (), Arr(source.mask.moved(origin).at, ()), mark)
    return made


def _set_undefined(low: Lowering, made: NTile, at: Sequence[Index]) -> None:
    """The element counts as zero and is not defined."""
    assert made.mask is not None
    fill(low.b, (), zero(made.dtype), Arr(made.arr.moved(at).at, ()))
    fill(low.b, (), FALSE, Arr(made.mask.moved(at).at, ()))


def checked_positions(low: Lowering, index: NTile, axis: int, extent: Index, var: int) -> None:
    """The valid elements of an index tensor must be defined and lie in [0, extent)."""
    rank = len(index.valid)
    shown_name = low.name_of(var)
    if index.mask is not None:
        with positions(low.b, index.valid) as at:
            defined = L.Peek(index.mask.moved(at).at)
            low.check(defined, "PTO402", lambda *i: {"name": "the index tensor", "index": shown(i)}, *at)
    with positions(low.b, index.valid) as at:
        value = low.b.hold(L.Peek(index.arr.moved(at).at), "where")
        inside = L.binary("and", L.binary("ge", value, 0), L.binary("lt", value, extent))

        def fields(*v: int) -> dict[str, object]:
            return {
                "value": v[0],
                "at": shown(v[2 : 2 + rank]),
                "axis": axis,
                "extent": v[1],
                "name": shown_name,
            }

        low.check(inside, "PTO454", fields, value, extent, *at)
