"""How often loops run and how long statements take, as far as the program tells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache

from openpto.ops import arith

from . import loopir as L
from .loopir import Bin, Call, Compute, For, If, Index, Ptr, Region, Set, Slot, Stmt, Vector

MOST = 2**63 - 1

_VECTOR_PART = 0.5
_PRODUCT = 0.02
_CALL = 5_000
"""Nanoseconds of a part of sixteen lanes, of a multiply-add of a matrix product, and of another routine."""
_UNKNOWN_COUNT = 256
_UNKNOWN_TRIPS = 4


def trips(start: Index, stop: Index, step: Index) -> Index | None:
    """Iterations of a loop, exact for all bounds but those of more than 2^63 - 1 iterations, which count as that many;
    None if the step is not known."""
    if not isinstance(step, int) or step == 0:
        return None
    low, high = (start, stop) if step > 0 else (stop, start)
    pace = abs(step)
    if isinstance(low, int) and low >= 0:  # then high - low cannot overflow where it counts
        distance = L.sub(L.sub(high, low), 1)
        count = L.add(L.binary("div", distance, pace), 1)
        if isinstance(high, int):
            return max(0, -(-(high - low) // pace))
        return L.binary("max", high, 0) if pace == 1 and low == 0 else L.Pick(L.binary("lt", low, high), count, 0)
    if pace == 1:
        distance = L.Pick(L.Bin("subover", high, low), MOST, L.sub(high, low))
        return L.Pick(L.binary("lt", low, high), distance, 0)
    last, past = _floor(L.sub(high, 1), pace)
    first, over = _floor(low, pace)
    short = L.binary("lt", past, over)
    later = L.binary("min", L.sub(L.sub(last, first), short), MOST - 1)
    return L.Pick(L.binary("lt", low, high), L.add(later, 1), 0)


def _floor(value: Index, divisor: int) -> tuple[Index, Index]:
    """Floored quotient and remainder."""
    if isinstance(value, int):
        return divmod(value, divisor)
    below = L.binary("lt", L.Bin("mod", value, divisor), 0)
    rest = L.add(L.Bin("mod", value, divisor), L.mul(below, divisor))
    return L.sub(L.Bin("div", value, divisor), below), rest


@cache
def _steps(expr: arith.Expr) -> int:
    """Operations of a scalar expression."""
    return sum(1 for node in arith.postorder(expr) if node.args)


def nanoseconds(body: Iterable[Stmt], outer: Mapping[str, int] | None = None) -> tuple[float, bool]:
    """(estimate, whether all lengths are known). Lengths count as much as they can be, unknown ones as usual; ``outer``
    has upper bounds of slots from outside."""
    found = _Estimate(dict(outer or {}))
    return found.block(body), found.known


class _Estimate:
    def __init__(self, most: dict[str, int]) -> None:
        self.most = most
        self.known = True

    def block(self, body: Iterable[Stmt]) -> float:
        return sum(map(self.statement, body))

    def statement(self, stmt: Stmt) -> float:
        if isinstance(stmt, Vector):
            parts = sum(_steps(p.expr) if isinstance(p, Compute) else 1 for p in stmt.body) + len(stmt.accs)
            return -(-self.extent(stmt.count) // L.LANES) * _VECTOR_PART * parts
        if isinstance(stmt, For):
            return self.runs(stmt) * self.block(stmt.body)
        if isinstance(stmt, Region):
            return self.extent(stmt.count) * self.block(stmt.body)
        if isinstance(stmt, If):
            return max(self.block(stmt.then), self.block(stmt.other))
        if isinstance(stmt, Set):
            learn(stmt, self.most)
        return self.call(stmt) if isinstance(stmt, Call) else 1.0

    def runs(self, stmt: For) -> int:
        start, stop = bound(stmt.start, self.most), bound(stmt.stop, self.most)
        if start is not None and stop is not None:
            known = trips(start, stop, stmt.step)
            if isinstance(known, int):
                return known
        self.known = False
        return _UNKNOWN_TRIPS

    def extent(self, node: Index) -> int:
        known = bound(node, self.most)
        self.known &= known is not None
        return _UNKNOWN_COUNT if known is None else max(known, 0)

    def call(self, stmt: Call) -> float:
        """A matrix product goes by its extents (see ``gemm/driver.py``)."""
        if not stmt.routine.startswith("gemm_"):
            return _CALL
        return math.prod(self.extent(n) for n in stmt.args[6:9] if not isinstance(n, Ptr)) * _PRODUCT


def learn(stmt: Set, most: dict[str, int]) -> None:
    """Note the upper bound of a slot that is set."""
    value = bound(stmt.value, most)
    if value is not None:
        most[stmt.slot] = value
    else:
        most.pop(stmt.slot, None)


def bound(node: Index, most: Mapping[str, int]) -> int | None:
    """An upper bound of an extent, if one is in sight."""
    if isinstance(node, int):
        return node
    if isinstance(node, Slot):
        return most.get(node.name)
    if not isinstance(node, Bin):
        return None
    a, b = bound(node.left, most), bound(node.right, most)
    if node.op == "min":
        known = [n for n in (a, b) if n is not None]
        return min(known) if known else None
    if a is None or b is None:
        return None
    return {"max": max(a, b), "mul": a * b, "add": a + b}.get(node.op)
