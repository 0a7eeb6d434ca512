"""What an operation reads and writes, in SSA form and in the recorded trace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from openpto._records import dataclass
from openpto.diagnostics import Site, T
from openpto.diagnostics.words import line
from openpto.ir import affine
from openpto.ir.expr import binary
from openpto.ir.nodes import Block, If, Loop, Op, Value
from openpto.ir.trace import TAssign, TOp, Var
from openpto.ops import OPS

Tile = TypeVar("Tile", Value, Var)

PURE_STORES = frozenset({"assemble", "move", "write_scalar", "scatter", "index_put_", "scatter_update"})
"""In-place operations that keep what they do not overwrite and compute with nothing of it."""


@dataclass(frozen=True, slots=True)
class Access(Generic[Tile]):
    """The tiles an operation reads, and the one whose new state is its result (None if it makes a new object)."""

    reads: tuple[Tile, ...]
    target: Tile | None


def access(op: Op) -> Access[Value]:
    """What an SSA operation touches."""
    return _split(op, [operand for operand in op.operands if isinstance(operand, Value)])


def recorded_access(op: TOp) -> Access[Var]:
    """What a recorded operation touches."""
    return _split(op, [operand for operand in op.operands if type(operand) is Var])


def _split(op: Op | TOp, tiles: list[Tile]) -> Access[Tile]:
    if op.name == "valid_of":  # asks for a size, not for data
        return Access((), None)
    if not op.attrs.get("inplace") or not tiles:
        return Access(tuple(tiles), None)
    kept = tiles[:-1] if op.name in PURE_STORES else tiles
    return Access(tuple(kept), tiles[-1])


def looks_only(name: str) -> bool:
    """True for an operation that shows data from another side: a tensor without contents stays one."""
    return core(name) == "move" and name not in PURE_STORES


def core(name: str) -> str:
    """The unit that runs an operation: vector, cube, move (data movement) or none (control core)."""
    return OPS[name].core if name in OPS else "none"


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


def is_move(node: TOp | TAssign) -> bool:
    """True for what `o[:] = x` and `o.move(x)` record (carried and merged names are assigned too, to carry cells)."""
    if isinstance(node, TOp):
        return node.name == "move"
    return isinstance(node.dst, Var) and node.dst.kind != "carry" and isinstance(node.src, Var)


def line_of(site: Site) -> T:
    """The line of a site in words."""
    return line(site.span.line) if site.span is not None else T("an earlier line", "前面的一行")
