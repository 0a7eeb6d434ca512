"""Subscripts: `t[a:b, i, ...]` read or written, and items of Python's lists and tuples."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from openpto.lint import integers
from openpto.lint.hooks import Access, Pick, tell
from openpto.lint.integers import Int, Quantity
from openpto.lint.scopes import item
from openpto.lint.values import UNKNOWN, Const, Dim, List, ShapeOf, Tensor, Tuple, Value

if TYPE_CHECKING:
    from openpto.lint.walk import Walk


def access(walk: Walk, node: ast.Subscript, owner: Value, value: Value | None, value_node: ast.expr | None) -> Value:
    """Read `owner[key]`, or store `value` there."""
    if isinstance(owner, Tensor):
        picks, ellipsis = _picks(walk, node.slice)
        seen = Access(node, owner, picks, ellipsis, value, value_node)
        tell(walk, seen)
        return _load(walk, seen) if value is None else _store(walk, seen)
    key = walk.evaluate(node.slice)
    if value is not None:
        walk.lose(value)
        if isinstance(owner, List):
            walk.lose(owner)
        return UNKNOWN
    if isinstance(owner, ShapeOf):
        axis = key.value if isinstance(key, Int) else None
        return UNKNOWN if axis is None else (owner.tensor.extent(axis) or UNKNOWN)
    found = item(owner, key)
    if found is UNKNOWN and isinstance(owner, (Tuple, List)):
        walk.lose(owner)
    return found


def _picks(walk: Walk, key: ast.expr) -> tuple[tuple[Pick, ...] | None, int | None]:
    """The entries of a key without its `...`, and the place of that; None if the key is of another kind."""
    entries = list(key.elts) if isinstance(key, ast.Tuple) else [key]
    picks: list[Pick] = []
    ellipsis = None
    for entry in entries:
        if isinstance(entry, ast.Slice):
            parts = [None if part is None else walk.evaluate(part) for part in (entry.lower, entry.upper, entry.step)]
            picks.append(Pick(entry, None, *(None if part == Const(None) else part for part in parts)))
            continue
        value = walk.evaluate(entry)
        if value == Const(...):
            ellipsis = len(picks)
        else:
            picks.append(Pick(entry, value))
    sure = all(_usable(pick) for pick in picks) and sum(isinstance(e, ast.Starred) for e in entries) == 0
    return (tuple(picks) if sure else None), ellipsis


def _usable(pick: Pick) -> bool:
    """Whether the entry is an index or slice of integers, and not a tensor, a list or something unknown."""
    values = (pick.index, pick.start, pick.stop, pick.step)
    return all(value is None or isinstance(value, Int) for value in values)


def spread(seen: Access) -> tuple[Pick | None, ...] | None:
    """One entry per axis, None for `:` that is left out; None if the number of axes is not known or does not fit."""
    rank = seen.tensor.rank
    if rank is None or seen.picks is None or len(seen.picks) > rank:
        return None
    place = len(seen.picks) if seen.ellipsis is None else seen.ellipsis
    missing: tuple[Pick | None, ...] = (None,) * (rank - len(seen.picks))
    return (*seen.picks[:place], *missing, *seen.picks[place:])


def span_of(pick: Pick, extent: Dim) -> Int | None:
    """The number of elements of a slice, if it can be said."""
    if pick.step not in (None, Int(1)):
        return None
    start = Int(0) if pick.start is None else pick.start
    stop = extent if pick.stop is None else pick.stop
    if not isinstance(start, Int) or not isinstance(stop, Int):
        return None
    size = extent.value if extent is not None else None
    for bound in (start, stop):
        if bound.value is not None and bound.value < 0 and size is None:
            return None
    if size is not None:
        start = Int(start.value + size) if start.value is not None and start.value < 0 else start
        stop = Int(stop.value + size) if stop.value is not None and stop.value < 0 else stop
    return integers.add(stop, start, -1)


def _load(walk: Walk, seen: Access) -> Value:
    tensor = seen.tensor
    if seen.is_whole:
        return tensor  # t[:] is t
    walk.read(tensor, seen.node, "view")
    entries = spread(seen)
    if entries is None or tensor.shape is None:
        if seen.picks is None or all(not pick.is_slice for pick in seen.picks):
            return UNKNOWN  # a scalar, or a window of a tensor with more axes
        return Tensor("window", "", None, node=seen.node, written=True, source=tensor)
    if entries and all(pick is not None and not pick.is_slice for pick in entries):
        key = ("element", id(tensor), tuple(pick.index for pick in entries if pick is not None))
        return integers.of(Quantity(key, True, ast.unparse(seen.node)))
    dims: list[Dim] = []
    full = tensor.full
    for pick, extent in zip(entries, tensor.shape, strict=True):
        if pick is None:
            dims.append(extent)
        elif pick.is_slice:
            size = span_of(pick, extent)
            dims.append(size if size is None or size.value is not None else None)
            full = full and _inside(pick, extent)
    found = Tensor("window", "", tuple(dims), False, tensor.dtype, node=seen.node, full=full, written=True)
    found.source = tensor
    return found


def _inside(pick: Pick, extent: Dim) -> bool:
    """Whether a slice certainly lies inside of its axis."""
    if pick.is_whole:
        return True
    stop = pick.stop.value if isinstance(pick.stop, Int) else None
    start = pick.start.value if isinstance(pick.start, Int) else 0 if pick.start is None else None
    size = None if extent is None else extent.value
    return None not in (stop, start, size) and -(size or 0) <= (start or 0) and (stop or 0) <= (size or 0)


def _store(walk: Walk, seen: Access) -> Value:
    tensor, value = seen.tensor, seen.value
    if isinstance(value, Tensor):
        walk.read(value, seen.value_node or seen.node, "assemble")
    elif value is not None:
        walk.lose(value)
    if seen.is_whole and isinstance(value, Tensor):
        taken = (value.dims, value.open, value.dtype)
        if tensor.kind != "parameter" and taken != (tensor.dims, tensor.open, tensor.dtype):
            tensor.forget()  # a move gives a local another shape and dtype
        tensor.full = value.full
        if walk.certain and isinstance(seen.value_node, ast.Name) and value is not tensor:
            value.moved = seen.node.lineno
    elif tensor.kind != "parameter":
        tensor.full = False
    tensor.mark_written()
    return UNKNOWN
