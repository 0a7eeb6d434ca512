"""Arithmetic of run-time loop bounds."""

from __future__ import annotations

from openpto._records import dataclass
from openpto.diagnostics import fail
from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.expr import Expr


@dataclass(frozen=True, slots=True)
class Range:
    """``range(start, stop, step)`` whose parts may be known only at run time; ``step`` is never a known 0."""

    start: Expr
    stop: Expr
    step: Expr

    def count(self) -> int | None:
        """The number of iterations if it is known."""
        step = self.step.concrete()
        if step is None:
            return None
        distance = affine.difference(self.stop, self.start)
        return None if distance is None else max(0, -(-distance // step))

    def not_empty(self) -> Expr:
        """Whether there is an iteration at all, as an expression."""
        step = self.step.concrete()
        if step is None:
            forward = ex.binary("lt", self.start, self.stop)
            return ex.select(ex.binary("gt", self.step, 0), forward, ex.binary("gt", self.start, self.stop))
        return ex.binary("lt" if step > 0 else "gt", self.start, self.stop)

    def surely_runs(self) -> bool:
        """Whether there is an iteration for every value of the symbols."""
        return affine.bounds(self.not_empty())[0] == 1 or self._gap_is_positive()

    def _gap_is_positive(self) -> bool:
        step = self.step.concrete()
        if step is None:
            return False
        low, high = (self.start, self.stop) if step > 0 else (self.stop, self.start)
        return affine.provable_ge(high, ex.binary("add", low, 1))

    def rest(self) -> Range:
        """Everything after the first iteration."""
        return Range(ex.binary("add", self.start, self.step), self.stop, self.step)

    def unrolled(self, factors: tuple[int, ...]) -> list[tuple[Range, int]]:
        """The ranges of ``loop_unroll`` for descending factors: as many steps as fit per factor, the rest for 1."""
        pieces = []
        current = self.start
        for factor in factors:
            if factor == 1:
                pieces.append((Range(current, self.stop, self.step), 1))
                continue
            stride = ex.binary("mul", self.step, factor)
            end = self._end(current, stride)
            pieces.append((Range(current, end, stride), factor))
            current = end
        return pieces

    def _end(self, current: Expr, stride: Expr) -> Expr:
        """Where whole strides from ``current`` end."""
        step = stride.concrete()
        if step is None:
            fail("PTO156", step=ex.text(self.step))
        if step > 0:
            distance = ex.binary("max", ex.binary("sub", self.stop, current), 0)
            return ex.binary("sub", ex.binary("add", current, distance), ex.binary("mod", distance, step))
        distance = ex.binary("max", ex.binary("sub", current, self.stop), 0)
        return ex.binary("add", ex.binary("sub", current, distance), ex.binary("mod", distance, -step))
