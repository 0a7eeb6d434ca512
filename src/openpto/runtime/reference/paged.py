"""Rows that a block table places."""

from __future__ import annotations

import numpy as np

from openpto.ir.nodes import Op, Value
from openpto.runtime.places import shown

from . import regions
from .creation import result_of
from .handlers import impl
from .machine import Machine
from .regions import FULL, Extents, Region
from .tiles import Tile, framed, tile


@impl("paged_rows", "paged_rows_l1")
def paged_rows(m: Machine, op: Op) -> Tile:
    """Token by token: the page in the table, the row in the window or in the tensor below it."""
    window, below = op.operands[0], op.operands[1]
    assert isinstance(window, Value)
    assert isinstance(below, Value)
    source, base = m.read(window), m.source(below)
    index, table = m.read(op.operands[2]), m.read(op.operands[3])
    size: int = op.attrs["block_size"]
    down, right = m.dims(op.attrs["offsets"])
    shape = m.shape(result_of(op).type)
    count = index.valid[0] * index.valid[1]
    columns = min(source.valid[1], shape[1])
    body = np.zeros((count, columns), source.data.dtype)
    mask = np.ones(body.shape, np.bool_)
    marks = [None if t.defined is None else regions.to_mask(t.defined, t.valid) for t in (source, base)]
    beyond = False
    for n in range(count):
        token, row = _row(m, op, index, table, n, size)
        inside = 0 <= row < source.valid[0]
        start = (row, 0) if inside else (row + down, right)
        if not inside:
            beyond = True
            _check_below(m, op, base, n, token, start, columns)
            m.note_read(below, start, (start[0] + 1, start[1] + columns))
        part = (start[0], slice(start[1], start[1] + columns))
        body[n] = (source if inside else base).data[part]
        mark = marks[0 if inside else 1]
        if mark is not None:
            mask[n] = mark[part]
    if beyond:
        m.portability("PTO435", op, op=_public(op))
    defined: Region = FULL if all(mark is None for mark in marks) else regions.from_mask(mask)
    return tile(framed(body, shape), body.shape, defined)


def _public(op: Op) -> str:
    return "gather_in_ub" if op.name == "paged_rows" else "gather_in_l1"


def _row(m: Machine, op: Op, index: Tile, table: Tile, n: int, size: int) -> tuple[int, int]:
    """Token number ``n``, and the row of it, counted from the origin of the window."""
    token = _element(m, index, "indices", n)
    block = token // size
    blocks = table.valid[0] * table.valid[1]
    if not 0 <= block < blocks:
        m.fault("PTO468", op=_public(op), n=n, token=token, what="block", found=block, extent=blocks)
    return token, _element(m, table, "block_table", block) * size + token % size


def _element(m: Machine, source: Tile, name: str, n: int) -> int:
    if not regions.covers(source.defined, (0, n), (1, n + 1)):
        m.fault("PTO402", name=name, index=shown((0, n)))
    return int(source.data[0, n])


def _check_below(m: Machine, op: Op, base: Tile, n: int, token: int, start: Extents, columns: int) -> None:
    for what, found, extent in (
        ("row", start[0], base.valid[0]),
        ("column", start[1] + columns - 1, base.valid[1]),
    ):
        if not 0 <= found < extent:
            m.fault("PTO468", op=_public(op), n=n, token=token, what=what, found=found, extent=extent)
