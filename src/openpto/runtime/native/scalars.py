"""Author's integers to loop IR: every operation checked as the contract says, operands of a choice only where chosen.

Checks that interval bounds prove away are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.expr import Expr

from . import loopir as L
from .loopir import Index, Set, Slot

if TYPE_CHECKING:
    from .lower import Lowering

DEEP = 64
_OVER = {"add": "addover", "sub": "subover", "mul": "mulover"}


def evaluate(low: Lowering, root: Expr) -> Index:
    """The value of ``root``; nodes that occur twice are computed once."""
    memo: dict[Expr, Index] = {}
    return _of(low, root, memo) if root.depth < DEEP else _deep(low, root, memo)


def _deep(low: Lowering, root: Expr, memo: dict[Expr, Index]) -> Index:
    """Long chains without recursion: operands first. A choice inside is reached from its own node."""
    guarded: set[Expr] = set()
    for node in ex.postorder(root):
        if node.op == "select":
            guarded.update(n for side in node.args[1:] for n in ex.postorder(side))
    for node in ex.postorder(root):
        if node not in guarded:
            _of(low, node, memo)
    return _of(low, root, memo)


def _of(low: Lowering, node: Expr, memo: dict[Expr, Index]) -> Index:
    if node not in memo:
        known = low.b.value(node)
        if known is None:
            known = _node(low, node, memo)
            if not node.is_leaf:
                known = low.b.hold(known)
                low.b.values[-1][node] = known
        memo[node] = known
    return memo[node]


def _node(low: Lowering, node: Expr, memo: dict[Expr, Index]) -> Index:
    known = node.concrete()
    if known is not None:
        return known
    if node.op in ex.LEAVES:
        return _leaf(low, node)
    if node.op == "select":
        return _select(low, node, memo)
    args = [low.b.hold(_of(low, a, memo)) for a in node.args]
    if node.op == "loop_begin":
        return L.binary("eq", args[0], args[1])
    if node.op == "loop_end":
        return _loop_end(*args)
    return _apply(low, node, args)


def _loop_end(index: Index, start: Index, stop: Index, step: Index) -> Index:
    """Whether no iteration follows. A following index that 64 bits cannot hold is past the end."""
    over, following = L.binary("addover", index, step), L.add(index, step)
    up = L.binary("and", L.binary("gt", step, 0), L.binary("or", over, L.binary("ge", following, stop)))
    down = L.binary("and", L.binary("le", step, 0), L.binary("or", over, L.binary("le", following, stop)))
    return L.binary("or", up, down)


def _leaf(low: Lowering, node: Expr) -> Index:
    for loop, index in low.loops:
        if loop.index is node:
            return index
    found = low.leaves.get(node)
    if found is None:
        return low.size(node)
    value, alive = found
    name = ex.text(node)
    low.check(alive, "PTO404", lambda: {"name": name})
    return value


def _select(low: Lowering, node: Expr, memo: dict[Expr, Index]) -> Index:
    cond = low.b.hold(_of(low, node.args[0], memo))
    slot = low.b.name("choice")
    bodies = []
    for side in node.args[1:]:
        with low.b.nested() as inner:
            low.b.add(Set(slot, _of(low, side, dict(memo))))
        bodies.append(tuple(inner))
    low.b.add(L.If(cond, bodies[0], bodies[1]))
    return Slot(slot)


def _apply(low: Lowering, node: Expr, args: list[Index]) -> Index:
    op = node.op
    if op == "neg":
        if _bounds(low, node.args[0])[0] <= ex.INT64_MIN:
            low.check(L.binary("ne", args[0], ex.INT64_MIN), "PTO405", _fields(node), args[0])
        return L.sub(0, args[0])
    if op == "not":
        return L.binary("eq", args[0], 0)
    if op in ("and", "or"):
        return L.binary(op, L.binary("ne", args[0], 0), L.binary("ne", args[1], 0))
    if op in ("div", "mod"):
        return _divide(low, node, args)
    if op in _OVER:
        bounds = _bounds(low, node)
        if bounds[0] <= ex.INT64_MIN or bounds[1] >= ex.INT64_MAX:
            over = L.Bin(_OVER[op], args[0], args[1])
            low.check(L.binary("eq", over, 0), "PTO405", _fields(node), *args)
    return L.binary(op, args[0], args[1])


def _bounds(low: Lowering, node: Expr) -> affine.Interval:
    """What is known of a value; of a deep expression nothing, because every node of it would be walked from anew."""
    return affine.bounds(node, low.known) if node.depth < DEEP else (ex.INT64_MIN, ex.INT64_MAX)


def _divide(low: Lowering, node: Expr, args: list[Index]) -> Index:
    a, b = args
    fields = _fields(node)
    if not (isinstance(b, int) and b != 0):
        low.check(L.binary("ne", b, 0), "PTO406", fields, a, b)
    # the least integer divided by -1 traps in the machine, remainder and quotient alike
    negates = L.binary("eq", b, -1)
    safe = low.b.hold(L.pick(negates, 1, b))
    rest = low.b.hold(L.Bin("mod", a, safe))
    top, bottom = _bounds(low, node.args[0]), _bounds(low, node.args[1])
    if top[0] < 0 or bottom[0] < 0:
        differs = L.binary("and", L.binary("ne", rest, 0), L.binary("ne", L.binary("lt", a, 0), L.binary("lt", b, 0)))
        low.check(L.binary("eq", differs, 0), "PTO407", fields, a, b)
    if node.op == "mod":
        return rest
    if top[0] <= ex.INT64_MIN and bottom[0] < 0:
        fits = L.binary("or", L.binary("ne", a, ex.INT64_MIN), L.binary("ne", b, -1))
        low.check(fits, "PTO405", fields, a, b)
    return L.pick(negates, L.sub(0, a), L.Bin("div", a, safe))


def _fields(node: Expr) -> Any:
    return lambda *values: {"expr": ex.text(node), "values": ", ".join(map(str, values))}
