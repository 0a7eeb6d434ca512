"""What an operation reads and writes, for the passes of this room."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from openpto.ir import affine
from openpto.ir.expr import binary
from openpto.ir.nodes import Block, If, Kernel, Loop, Op, Value

VIEWS = frozenset({"view", "reshape", "unsqueeze", "squeeze", "transpose", "permute", "valid_of"})
"""Operations that only look at data from another side: a value without contents stays one."""

PURE_STORES = frozenset({"assemble", "move", "fill", "fill_", "store_scalar", "write_scalar"})
"""In-place operations that keep what they do not overwrite and read nothing of it."""


@dataclass(frozen=True, slots=True)
class Access:
    """The tiles an operation reads, and the tile whose new state is its result (None if it makes a new object)."""

    reads: tuple[Value, ...]
    target: Value | None


def access(op: Op) -> Access:
    """Split the tile operands of an operation into those it reads and the one it writes into."""
    tiles = [operand for operand in op.operands if isinstance(operand, Value)]
    target = _target(op, tiles)
    if target is None:
        return Access(tuple(tiles), None)
    others = list(tiles)
    if op.name in PURE_STORES:
        del others[len(others) - 1 - others[::-1].index(target)]
    return Access(tuple(others), target)


def _target(op: Op, tiles: list[Value]) -> Value | None:
    """The last operand that is an earlier state of the object the result belongs to."""
    if not op.attrs.get("inplace") or not op.results:
        return None
    result = op.results[0]
    if not isinstance(result, Value) or not tiles or tiles[-1].var != result.var:
        return None
    return tiles[-1]


def operations(block: Block) -> Iterator[Op]:
    """All operations in program order, those in loops and branches included."""
    stack = [iter(block.body)]
    while stack:
        for stmt in stack[-1]:
            if isinstance(stmt, Op):
                yield stmt
            elif isinstance(stmt, Loop):
                stack.append(iter(stmt.body.body))
                break
            elif isinstance(stmt, If):
                stack += [iter(stmt.other.body), iter(stmt.then.body)]
                break
        else:
            stack.pop()


def blocks(block: Block) -> Iterator[Block]:
    """The block and all blocks inside it."""
    waiting = [block]
    while waiting:
        current = waiting.pop()
        yield current
        for stmt in reversed(current.body):
            if isinstance(stmt, Loop):
                waiting.append(stmt.body)
            elif isinstance(stmt, If):
                waiting += [stmt.other, stmt.then]


def runs_at_least_once(loop: Loop) -> bool:
    """True if the loop has an iteration for every value of the symbols in its bounds."""
    step = loop.step.concrete()
    if step is None or step == 0:
        return False
    low, high = (loop.start, loop.stop) if step > 0 else (loop.stop, loop.start)
    gap = affine.difference(high, low)
    return gap > 0 if gap is not None else affine.bounds(binary("sub", high, low))[0] > 0


def written_parameters(kernel: Kernel) -> set[str]:
    """Names of the parameters that some statement writes."""
    return {param.name for param in kernel.params if param.final is not param.value}
