"""Results that wait until it is known where they go.

Purpose: a product whose only reader is the store right after it is computed in the memory that is stored to.
Precondition: the reader is the next statement, so nothing can change in between; operands stay pinned until then.
Postcondition: what is stored is the same; where the destination's memory is also read, it is computed elsewhere first.
Non-goals: results that pass through further operations on their way; those share loops (see ``nests.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from openpto._records import dataclass
from openpto.ir.nodes import Op, Stmt, TileType, Value

from . import nests
from .build import Arr, compact, copy
from .loopir import Index, Ptr
from .tiles import Memory, NTile, stored_type

if TYPE_CHECKING:
    from .lower import Lowering

STORES = frozenset({"assemble", "move"})


@dataclass(frozen=True, slots=True)
class Waiting:
    """``compute`` writes the result to an array whose last stride is 1; it reads ``operands``, which are pinned."""

    compute: Callable[[Arr], None]
    operands: tuple[NTile, ...]


def may_wait(low: Lowering, op: Op, following: Stmt | None) -> bool:
    """Whether the next statement stores the whole result of ``op``, and nobody else reads it."""
    if not isinstance(following, Op) or following.name not in STORES:
        return False
    result, stored = op.results[0], following.operands[0]
    if stored is not result or not isinstance(result, Value) or result not in low.deaths[following].after:
        return False
    target = following.operands[-1]
    if target is result or not isinstance(target, Value):
        return False
    return following.name == "assemble" or target.type.shape == result.type.shape


def wait(low: Lowering, waiting: Waiting, type: TileType, shape: Sequence[Index], valid: Sequence[Index]) -> NTile:
    """A tile without memory, for the next statement only."""
    memory = Memory()
    low.waiting_results[memory.owner] = waiting
    for tile in waiting.operands:
        low.pin(tile)
    at = Ptr("nowhere", 0, stored_type(type.dtype), memory.owner)
    return NTile(Arr(at, compact(shape)), tuple(shape), tuple(valid), None, memory)


def _may_meet(a: NTile, b: NTile) -> bool:
    """Whether two tiles may share memory; that of late ones can have another name."""
    return a.late or b.late or nests.may_meet(a.arr, b.arr)


def put(low: Lowering, source: NTile, target: NTile, into: Arr) -> None:
    """The valid region of ``source`` at the beginning of ``into``, a part of ``target``."""
    waiting = low.waiting_results.pop(source.memory.owner, None)
    if waiting is None:
        copy(low.b, source.valid, source.arr, into)
        return
    if into.strides[-1] != 1 or any(_may_meet(tile, target) for tile in waiting.operands):
        made = low.fresh(TileType((), source.dtype), source.shape, source.valid)
        waiting.compute(made.arr)
        copy(low.b, source.valid, made.arr, into)
    else:
        held = tuple(s if isinstance(s, int) else low.b.hold(s) for s in into.strides)
        waiting.compute(Arr(low.b.point(into.at), held))
    for tile in waiting.operands:
        low.unpin(tile)
