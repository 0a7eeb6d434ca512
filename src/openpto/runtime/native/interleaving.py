"""How many groups of sixteen lanes a vector loop takes on at once.

Purpose: a long expression is a chain, each step of which waits some cycles for the one before. The steps of several
groups side by side fill the waiting; the processor itself looks ahead over one or two groups at most.
Precondition: the length is a multiple of as many lanes, so no group of the loop is left over; there is no code for one.
Postcondition: accumulators still take in group after group, so no bit changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

from openpto.ops import arith

from .loopir import LANES, Bin, Compute, Index, Load, VStmt

LEAST_STEPS = 12
"""Steps of a body whose waiting is worth it."""
MOST_STEPS = ((64, 4), (160, 2))
"""Steps of a body up to which so many groups are taken: beyond them code grows and registers do not suffice."""
MOST = 4 * LANES


def unit(count: Index, body: Iterable[VStmt]) -> int:
    """What ``count`` certainly is a multiple of, as far as a loop over ``body`` can use it."""
    return gcd(divisor(count), LANES * groups(body))


def groups(body: Iterable[VStmt]) -> int:
    """Groups of lanes that are worth taking at once."""
    body = tuple(body)
    steps = steps_of(body)
    if steps < LEAST_STEPS or any(isinstance(part, Load) and part.stride not in (0, 1) for part in body):
        return 1
    return next((copies for most, copies in MOST_STEPS if steps <= most), 1)


def steps_of(body: Iterable[VStmt]) -> int:
    """Operations on a group of lanes."""
    exprs = [part.expr for part in body if isinstance(part, Compute)]
    return sum(1 for expr in exprs for node in arith.postorder(expr) if node.args)


def divisor(node: Index) -> int:
    """A power of two up to :data:`MOST` that an integer certainly is a multiple of."""
    if isinstance(node, int):
        return gcd(node, MOST)
    if not isinstance(node, Bin):
        return 1
    if node.op == "mul":
        return min(MOST, divisor(node.left) * divisor(node.right))
    return min(divisor(node.left), divisor(node.right)) if node.op in ("add", "sub", "min", "max") else 1
