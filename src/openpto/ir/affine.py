"""Proofs about symbolic integers: linear normal form, equality and interval bounds.

Purpose: fold slice extents such as ``(i+1)*8 - i*8`` and decide checks while tracing.
Non-goals: it never changes what is evaluated at run time, so a fault of the written expression is never hidden.
"""

from __future__ import annotations

from collections.abc import Mapping

from . import expr as ex
from .expr import Dim, Expr, Linear

Interval = tuple[int, int]
UNKNOWN: Interval = (ex.INT64_MIN, ex.INT64_MAX)


def linear(node: Expr) -> Linear:
    """``node`` as (terms with coefficients, constant); terms are non-linear nodes, in first-use order."""
    waiting = [node]
    while node.linear is None:  # operands first, without recursion; every node keeps its form
        last = waiting[-1]
        missing = [a for a in last.args if a.linear is None]
        if missing:
            waiting += missing
        else:
            last.linear = _linear(last)
            waiting.pop()
    return node.linear


def _linear(node: Expr) -> Linear:
    known = node.concrete()
    if known is not None:
        return (), known
    parts = [linear(a) for a in node.args]
    if node.op == "add":
        return _combine(parts[0], parts[1], 1)
    if node.op == "sub":
        return _combine(parts[0], parts[1], -1)
    if node.op == "neg":
        return _scale(parts[0], -1)
    if node.op == "mul":
        if not parts[0][0]:
            return _scale(parts[1], parts[0][1])
        if not parts[1][0]:
            return _scale(parts[0], parts[1][1])
    if node.op in ("div", "mod") and not parts[1][0] and parts[1][1] > 0:
        divisor = parts[1][1]
        terms, offset = parts[0]
        if offset % divisor == 0 and all(c % divisor == 0 for _, c in terms):
            quotient = tuple((t, c // divisor) for t, c in terms), offset // divisor
            return quotient if node.op == "div" else ((), 0)
    rebuilt = _rebuild(node, parts)
    known = rebuilt.concrete()
    return ((), known) if known is not None else (((rebuilt, 1),), 0)


def _combine(a: Linear, b: Linear, sign: int) -> Linear:
    if not b[0]:
        return a[0], a[1] + sign * b[1]
    terms = dict(a[0])
    for term, factor in b[0]:
        terms[term] = terms.get(term, 0) + sign * factor
    return tuple((t, c) for t, c in terms.items() if c), a[1] + sign * b[1]


def _scale(a: Linear, factor: int) -> Linear:
    return (tuple((t, c * factor) for t, c in a[0]), a[1] * factor) if factor else ((), 0)


def _rebuild(node: Expr, parts: list[Linear]) -> Expr:
    """``node`` over simplified operands; min and max of provably ordered operands fold."""
    if node.is_leaf:
        return node
    args = [from_linear(p) for p in parts]
    if node.op in ("min", "max"):
        gap = difference(args[0], args[1])
        if gap is not None:
            return args[0] if (gap <= 0) == (node.op == "min") else args[1]
    if node.op == "select":
        return ex.select(args[0], args[1], args[2])
    if node.op in ("loop_begin", "loop_end"):
        return node
    try:
        return ex.unary(node.op, args[0]) if len(args) == 1 else ex.binary(node.op, args[0], args[1])
    except ex.ScalarFault:
        return node


def from_linear(form: Linear) -> Expr:
    """The canonical node of a linear form."""
    total: Expr | None = None
    terms = form[0] if len(form[0]) < 2 else sorted(form[0], key=lambda tc: ex.text(tc[0]))
    for term, factor in terms:
        piece = term if factor == 1 else ex.binary("mul", term, factor)
        total = piece if total is None else ex.binary("add", total, piece)
    if total is None:
        return ex.const(form[1])
    return total if form[1] == 0 else ex.binary("add", total, form[1])


def simplify(node: Dim) -> Dim:
    """Canonical equivalent over the mathematical integers; an int if the value is known."""
    if isinstance(node, int):
        return node
    return ex.as_dim(from_linear(linear(node)))


def difference(a: Dim, b: Dim) -> int | None:
    """``a - b`` if it is the same for every value of the symbols, else None."""
    if isinstance(a, int) and isinstance(b, int):
        return a - b
    terms, offset = _combine(linear(ex.expr(a)), linear(ex.expr(b)), -1)
    return None if terms else offset


def equal(a: Dim, b: Dim) -> bool:
    """Whether ``a == b`` for every value of the symbols (False when unknown)."""
    return a is b or difference(a, b) == 0


def bounds(node: Dim, known: Mapping[Expr, Interval] | None = None) -> Interval:
    """An interval that contains every value of ``node``; ``known`` bounds leaves, run-time extents are >= 0."""
    return (node, node) if isinstance(node, int) else _interval(linear(node), known)


def _interval(form: Linear, known: Mapping[Expr, Interval] | None) -> Interval:
    terms, offset = form
    low = high = offset
    for term, factor in terms:
        lo, hi = _term_bounds(term, known or {})
        if factor < 0:
            lo, hi = hi, lo
        low += lo * factor
        high += hi * factor
    return max(low, ex.INT64_MIN), min(high, ex.INT64_MAX)


def _term_bounds(term: Expr, known: Mapping[Expr, Interval]) -> Interval:
    if term in known:
        return known[term]
    if term.op == "dim":
        return 0, 2**31 - 1
    if term.op in ("eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "loop_begin", "loop_end"):
        return 0, 1
    if term.op in ("min", "max"):
        a, b = (bounds(x, known) for x in term.args)
        pick = min if term.op == "min" else max
        return pick(a[0], b[0]), pick(a[1], b[1])
    if term.op == "select":
        a, b = bounds(term.args[1], known), bounds(term.args[2], known)
        return min(a[0], b[0]), max(a[1], b[1])
    if term.op == "div":
        a, b = bounds(term.args[0], known), bounds(term.args[1], known)
        if a[0] >= 0 and b[0] > 0:
            return a[0] // b[1], a[1] // b[0]
    if term.op == "mod":
        a, b = bounds(term.args[0], known), bounds(term.args[1], known)
        if a[0] >= 0 and b[0] > 0:
            return 0, min(a[1], b[1] - 1)
    if term.op == "mul":
        a, b = bounds(term.args[0], known), bounds(term.args[1], known)
        if a[0] >= 0 and b[0] >= 0:
            return a[0] * b[0], a[1] * b[1]
    return UNKNOWN


def provable_ge(a: Dim, b: Dim, known: Mapping[Expr, Interval] | None = None) -> bool:
    """Whether ``a >= b`` for every value of the symbols (False when unknown)."""
    if isinstance(a, int) and isinstance(b, int):
        return a >= b
    return _interval(_combine(linear(ex.expr(a)), linear(ex.expr(b)), -1), known)[0] >= 0
