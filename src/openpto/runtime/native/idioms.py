"""The steps of a scalar expression on a processor, where it has one instruction for several of them.

Purpose: ``x * 2**n`` as the elementary functions write it takes nine operations; AVX-512 has an instruction for it.
Precondition: what the patterns' own functions say of their operands. Postcondition: the same bits.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import repeat

from openpto.ops import arith
from openpto.ops.arith import F32, Expr, Op
from openpto.ops.math.exponential import MAGIC, scale_by_power

Step = tuple[Expr, tuple[Expr, ...]]
_SCALED = scale_by_power(arith.var(F32, 0), arith.var(F32, 1))


@lru_cache(maxsize=1024)
def steps(root: Expr, has_scale: bool) -> tuple[Step, ...]:
    """Every node with its operands, operands first. With ``has_scale`` an ``x * 2**n`` stands for the steps that it
    consists of; its operands are ``x`` and ``n`` then and not the node's own."""

    def operands(node: Expr) -> tuple[Expr, ...]:
        found = scaled(node) if has_scale and node.op is Op.MUL else None
        return node.args if found is None else found

    return tuple((node, operands(node)) for node in arith.postorder(root, operands))


def scaled(node: Expr) -> tuple[Expr, Expr] | None:
    """``(x, n)`` of a node that :func:`openpto.ops.math.exponential.scale_by_power` made, n an integral FP32."""
    found: dict[int, Expr] = {}
    return (found[0], found[1] - MAGIC) if _matches(_SCALED, node, found) else None


def _matches(pattern: Expr, node: Expr, found: dict[int, Expr]) -> bool:
    """Whether ``node`` is ``pattern`` with expressions for its variables, which are added to ``found``."""
    if pattern.op is Op.VAR:
        return pattern.dtype is node.dtype and found.setdefault(int(pattern.attr or 0), node) is node
    if pattern.op is not node.op or pattern.dtype is not node.dtype or pattern.attr != node.attr:
        return False
    return len(pattern.args) == len(node.args) and all(map(_matches, pattern.args, node.args, repeat(found)))
