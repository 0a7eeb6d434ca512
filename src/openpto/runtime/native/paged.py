"""Rows that a block table places."""

from __future__ import annotations

from openpto.ir.nodes import Op, Value
from openpto.runtime.places import shown

from . import loopir as L
from . import races
from .build import Arr, copy, fill
from .elementwise import result_of
from .handlers import lowers
from .loopir import Index, Peek, Pick, Set, Slot
from .lower import TRUE, Lowering
from .tiles import NTile


@lowers("paged_rows", "paged_rows_l1")
def paged_rows(low: Lowering, op: Op) -> NTile:
    """Token by token: the page in the table, the row in the window or in the tensor below it."""
    b = low.b
    window, below = op.operands[0], op.operands[1]
    assert isinstance(window, Value)
    assert isinstance(below, Value)
    source, base = low.read(window), low.source(below)
    index, table = low.read(op.operands[2]), low.read(op.operands[3])
    down, right = low.dims(op.attrs["offsets"])
    type = result_of(op).type
    shape = low.shape(type)
    count = b.hold(L.mul(index.valid[0], index.valid[1]))
    columns = b.hold(L.binary("min", source.valid[1], shape[1]))
    made = low.fresh(type, shape, (count, columns), source.mask is not None or base.mask is not None)
    beyond = b.name("beyond")
    b.add(Set(beyond, 0))
    with b.loop(count, hint="n") as n:
        token, row = _row(low, op, index, table, n)
        inside = b.hold(L.binary("and", L.binary("ge", row, 0), L.binary("lt", row, source.valid[0])), "inside")
        with b.when(inside):
            _take(low, source, [row, 0], made, n, columns)
        with b.when(L.binary("eq", inside, 0)):
            b.add(Set(beyond, 1))
            start = [b.hold(L.add(row, down)), right]
            _check_below(low, op, base, n, token, start, columns)
            races.touch(low, below.var, start, [L.add(start[0], 1), L.add(right, columns)], False)
            _take(low, base, start, made, n, columns)
    name = _public(op)
    low.note(Slot(beyond), "PTO435", lambda: {"op": name}, kind="portability")
    return made


def _public(op: Op) -> str:
    return "gather_in_ub" if op.name == "paged_rows" else "gather_in_l1"


def _take(low: Lowering, source: NTile, start: list[Index], made: NTile, n: Index, columns: Index) -> None:
    """Row ``n`` of the result takes a row of ``source``."""
    have, goal = source.arr.moved(start), made.arr.moved((n, 0))
    copy(low.b, (columns,), Arr(have.at, source.arr.strides[1:]), Arr(goal.at, made.arr.strides[1:]))
    if made.mask is None:
        return
    mark = Arr(made.mask.moved((n, 0)).at, made.mask.strides[1:])
    if source.mask is None:
        fill(low.b, (columns,), TRUE, mark)
    else:
        copy(low.b, (columns,), Arr(source.mask.moved(start).at, source.mask.strides[1:]), mark)


def _row(low: Lowering, op: Op, index: NTile, table: NTile, n: Index) -> tuple[Index, Index]:
    """Token number ``n``, and the row of it, counted from the origin of the window."""
    b, size, name = low.b, op.attrs["block_size"], _public(op)
    token = b.hold(_element(low, index, "indices", n), "token")
    # The division truncates: a token below 0 must not become block 0.
    block = b.hold(Pick(L.binary("lt", token, 0), _floor(token, size), L.Bin("div", token, size)), "block")
    blocks = b.hold(L.mul(table.valid[0], table.valid[1]))
    low.check(
        L.binary("and", L.binary("ge", block, 0), L.binary("lt", block, blocks)),
        "PTO468",
        lambda *v: {"op": name, "n": v[0], "token": v[1], "what": "block", "found": v[2], "extent": v[3]},
        n,
        token,
        block,
        blocks,
    )
    page = _element(low, table, "block_table", block)
    return token, b.hold(L.add(L.mul(page, size), L.Bin("mod", token, size)), "row")


def _floor(value: Index, size: int) -> Index:
    return L.sub(L.Bin("div", L.add(value, 1), size), 1)


def _element(low: Lowering, source: NTile, name: str, n: Index) -> Index:
    if source.mask is not None:
        defined = Peek(source.mask.moved((0, n)).at)
        low.check(defined, "PTO402", lambda at: {"name": name, "index": shown((0, at))}, n)
    return Peek(source.arr.moved((0, n)).at)


def _check_below(
    low: Lowering, op: Op, base: NTile, n: Index, token: Index, start: list[Index], columns: Index
) -> None:
    name = _public(op)
    last = L.sub(L.add(start[1], columns), 1)
    for what, found, extent in (("row", start[0], base.valid[0]), ("column", last, base.valid[1])):

        def fields(*v: int, what: str = what) -> dict[str, object]:
            return {"op": name, "n": v[0], "token": v[1], "what": what, "found": v[2], "extent": v[3]}

        ok = L.binary("and", L.binary("ge", found, 0), L.binary("lt", found, extent))
        low.check(ok, "PTO468", fields, n, token, found, extent)
