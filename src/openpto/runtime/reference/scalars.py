"""Run-time scalars: the values of leaves, and fast evaluation of the small expressions that sizes are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from openpto.ir import expr as ex
from openpto.ir.expr import Dim, Expr, ScalarFault

_SHALLOW = 6
"""Expressions up to this depth are evaluated recursively; deeper ones by the iterative evaluator."""


class Scalars:
    """The environment of leaves. A leaf that is None has no value: reading it is a fault of kind ``unset``."""

    __slots__ = ("values",)

    def __init__(self, values: Mapping[Expr, int | None]) -> None:
        self.values: dict[Expr, int | None] = dict(values)

    def set(self, leaf: Expr, value: int | None) -> None:
        """Give a leaf its value."""
        self.values[leaf] = value

    def of(self, node: Dim) -> int:
        """The value of an int or expression.

        Raises:
            ScalarFault: overflow, division by zero, a quotient without one meaning, or a leaf without a value.
        """
        if isinstance(node, int):
            return node
        found = self.values.get(node)
        if found is not None:
            return found
        if node.depth > _SHALLOW:
            return ex.evaluate(node, self.values)
        return self._of(node)

    def _of(self, node: Expr) -> int:
        op = node.op
        if op == "const":
            assert isinstance(node.value, int)
            return node.value
        if op in ex.LEAVES:
            return self._leaf(node)
        args = node.args
        if op == "select":
            return self._of(args[1] if self._of(args[0]) else args[2])
        if op in ("loop_begin", "loop_end"):
            return ex.evaluate(node, self.values)
        return ex.fold(op, tuple([self._of(a) for a in args]), node)

    def _leaf(self, node: Expr) -> int:
        known = node.concrete()
        if known is not None:
            return known
        value = self.values[node]
        if value is None:
            raise ScalarFault("unset", node)
        return value

    def many(self, nodes: Iterable[Dim]) -> tuple[int, ...]:
        """The values of several dims."""
        return tuple([n if isinstance(n, int) else self.of(n) for n in nodes])

    def copy(self, node: Expr | None) -> int | None:
        """The value of an expression, or None if it is a bare leaf that has none."""
        if node is None or (node.is_leaf and node in self.values and self.values[node] is None):
            return None
        return self.of(node)
