"""``and``, ``or``, ``not``, chained comparisons, ``in`` and the ternary on values known only at run time.

Rewritten expressions keep Python's evaluation order: ``a and b`` becomes ``join(left_and(a) and right(b))``. For a
symbolic ``a`` the machine answers so that Python evaluates ``b`` too, and records it where it runs only if reached.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import numpy as np

from openpto.diagnostics import Site, T, fail, portability
from openpto.ir import expr as ex
from openpto.ir.expr import Expr
from openpto.language.symbolic import SymbolicScalar

from .branches import Fork
from .context import Context
from .sites import span_of, user_frames
from .state import plain
from .values import Path, Poison, is_scalar, is_symbolic, is_tensor, kind_of, scalar_expr

_NO_MEMBERS = T(
    "'in' needs a container, and a SymbolicScalar is one integer", "'in' 需要容器，而 SymbolicScalar 是一个整数"
)
_COMPARE = T("compare: i == 3, or 0 <= i < n", "请用比较：i == 3，或 0 <= i < n")
_BOOLEAN = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "loop_begin", "loop_end"})
_HARMLESS = _BOOLEAN | {"const", "named", "dim", "index"}
"""Operators and leaves whose evaluation cannot stop the run."""


class _Frame:
    """One ``and``, ``or`` or ternary being evaluated."""

    __slots__ = ("after", "before", "first", "fork", "kept", "names", "op", "second", "site", "taken")

    def __init__(self, op: str, first: Any, kept: Any) -> None:
        self.op, self.first, self.kept = op, first, kept
        self.second: Any = None
        self.taken = False
        self.fork: Fork | None = None
        self.site: Site | None = None
        self.names: tuple[str, ...] = ()  # what := binds in the second operand, and what they hold before and after it
        self.before: dict[str, Any] = {}
        self.after: dict[str, Any] = {}


class Logic(Context):
    """The part of the machine that evaluates conditions."""

    def __init__(self, *state: Any) -> None:
        super().__init__(*state)
        self.logic: list[_Frame] = []
        self._kept: Any = None
        self._bindings: dict[str, Any] = {}

    def depth(self) -> tuple[int, int]:
        """Where the machine's own stacks stand; see ``back_to``."""
        return len(self.loops), len(self.logic)

    def back_to(self, depth: tuple[int, int]) -> None:
        """Drop what code that was abandoned half-way left on the stacks."""
        del self.loops[depth[0] :]
        del self.logic[depth[1] :]

    # -- conditions ----------------------------------------------------------------------------------------------

    def truth(self, value: Any, what: str) -> bool:
        """The truth of a value that must be known now; ``what`` names the statement that asks."""
        value = plain(value)
        if isinstance(value, bool):
            return value
        if isinstance(value, Poison):
            value.refuse()
        if is_tensor(value) or type(value).__name__ in ("Element", "LoopRange"):
            fail("PTO130", got=type(value).__name__)
        if is_symbolic(value):
            fail("PTO131", what=what, expr=str(value))
        if what == "if" and not isinstance(value, SymbolicScalar):
            self._plain_condition(value)
        return bool(value)

    def _plain_condition(self, value: Any) -> None:
        """The test of an ``if`` is a known value that is no bool."""
        frame = next(user_frames(sys._getframe(1), self.kernel_code), None)
        if frame is not None and self.kind_of_code(frame.f_code) != "helper":
            portability("PTO666", site=self.site(span_of(frame)), got=type(value).__name__)

    def not_(self, value: Any) -> Any:
        """``not value``."""
        if not is_symbolic(value):
            return not self.truth(value, "not")
        portability("PTO669", site=self.site(), op="not")
        return ~value

    def contains(self, item: Any, container: Any) -> bool:
        """``item in container``."""
        if is_tensor(item) or is_tensor(container):
            fail("PTO130", got="Tensor")
        if is_symbolic(container):
            fail("PTO258", why=_NO_MEMBERS, instead=_COMPARE)
        members = container if isinstance(container, (list, tuple, set, frozenset, range)) else ()
        if is_symbolic(item) or any(is_symbolic(member) for member in members):
            fail("PTO132", expr=str(item))
        return item in container

    # -- and, or -------------------------------------------------------------------------------------------------

    def left_and(self, value: Any, *names: str) -> bool:
        """The first operand of ``and``; whether Python shall evaluate the second, which binds ``names``."""
        return self._left("and", value, names, sys._getframe(1))

    def left_or(self, value: Any, *names: str) -> bool:
        """The first operand of ``or``; False if Python shall evaluate the second, which binds ``names``."""
        return self._left("or", value, names, sys._getframe(1))

    def _left(self, op: str, value: Any, names: tuple[str, ...], frame: FrameType) -> bool:
        value = plain(value)
        entry = _Frame(op, value, self._kept)
        entry.names, entry.before = names, _values(frame, names)
        self.logic.append(entry)
        if not is_symbolic(value):
            return self.truth(value, op)
        entry.site = self.site()
        cond = value.expr if op == "and" else ex.unary("not", value.expr)
        entry.fork = Fork(self, cond, entry.site, frame)
        return op == "and"

    def right(self, value: Any) -> bool:
        """The second operand."""
        entry = self.logic[-1]
        entry.second, entry.taken = plain(value), True
        entry.after = _values(sys._getframe(1), entry.names)
        return True

    def bound(self, name: str) -> Any:
        """What a name holds after the ``and`` or ``or`` that was just joined."""
        return self.value_of(name, self._bindings)

    def first(self, value: Any, *_: Any) -> Any:
        """``value``; the other arguments bound names."""
        return value

    def keep(self, value: Any) -> Any:
        """Remember the middle operand of a chained comparison."""
        self._kept = value
        return value

    def kept(self) -> Any:
        """The middle operand of the chained comparison whose second half is evaluated."""
        return self.logic[-1].kept

    # -- ternary -------------------------------------------------------------------------------------------------

    def when(self, test: Any) -> bool:
        """The condition of ``x if test else y``; whether Python shall evaluate ``x``."""
        test = plain(test)
        entry = _Frame("if", test, self._kept)
        self.logic.append(entry)
        if not is_symbolic(test):
            return self.truth(test, "conditional expression")
        entry.site = self.site()
        entry.fork = Fork(self, test.expr, entry.site, sys._getframe(1))
        return True

    def yes(self, value: Any) -> bool:
        """The value of ``x``; True if it is the result."""
        entry = self.logic[-1]
        entry.first = plain(value)
        if entry.fork is None:
            entry.taken = True
            return True
        entry.fork.turn({"": entry.first})
        return False

    def no(self, value: Any) -> bool:
        """The value of ``y``."""
        entry = self.logic[-1]
        entry.second = plain(value)
        return True

    def join(self, _: Any) -> Any:
        """The value of the whole expression."""
        entry = self.logic.pop()
        self._bindings = entry.after if entry.taken else entry.before
        if entry.fork is not None:
            value = self._join_ternary(entry) if entry.op == "if" else self._join_logic(entry)
            refusing = ("0.2", "0.3") if entry.op == "if" else ("0.2",)
            portability("PTO669", refusing, site=entry.site, op="x if test else y" if entry.op == "if" else entry.op)
            return value
        if entry.op == "if":
            return entry.first if entry.taken else entry.second
        return entry.second if entry.taken else entry.first

    def _join_logic(self, entry: _Frame) -> Any:
        fork, first, second = entry.fork, entry.first, entry.second
        assert fork is not None
        if not is_scalar(second):
            fail("PTO130", site=entry.site, got=_type_name(second))
        fork.turn({"": second, **entry.after})
        if fork.is_empty and not entry.names:
            return SymbolicScalar.of(fork.joined(_short_circuit(entry.op, first.expr, scalar_expr(second))))
        names = frozenset(entry.names)
        self._bindings = fork.close({"": first, **entry.before}, self._refuse_operand(entry), first_only=names)
        return self._bindings.pop("")

    def _join_ternary(self, entry: _Frame) -> Any:
        fork, first, second = entry.fork, entry.first, entry.second
        assert fork is not None
        if fork.is_empty and is_scalar(first) and is_scalar(second):
            return SymbolicScalar.of(fork.joined(ex.select(fork.node.cond, scalar_expr(first), scalar_expr(second))))
        return fork.close({"": second}, self._refuse_operand(entry))[""]

    def _refuse_operand(self, entry: _Frame) -> Any:
        def refuse(name: str, path: Path, a: Any, b: Any) -> Any:
            fail("PTO133", site=entry.site, op=entry.op, a=kind_of(a), b=kind_of(b))

        return refuse


def _short_circuit(op: str, a: Expr, b: Expr) -> Expr:
    """``a and b`` or ``a or b`` as one expression that evaluates ``b`` only if it is reached."""
    if a.op in _BOOLEAN and b.op in _BOOLEAN and all(node.op in _HARMLESS for node in ex.postorder(b)):
        return ex.binary(op, a, b)
    if op == "and":
        return ex.select(a, b, ex.const(0) if a.op in _BOOLEAN else a)
    return ex.select(a, ex.const(1) if a.op in _BOOLEAN else a, b)


def _values(frame: FrameType, names: tuple[str, ...]) -> dict[str, Any]:
    space = frame.f_locals if names else {}
    return {name: space[name] for name in names if name in space}


def _type_name(value: object) -> str:
    return "float" if isinstance(value, np.floating) else type(value).__name__
