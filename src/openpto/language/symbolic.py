"""``SymbolicScalar``: an integer that may be known only when the kernel runs.

It wraps an interned ``ir.expr.Expr``. Arithmetic builds expressions; anything that needs the number while the kernel
is traced (``int()``, ``range()``, a Python list index) works only if the value is concrete.
"""

from __future__ import annotations

from typing import Any, NoReturn

from openpto._records import dataclass
from openpto.diagnostics import T, current_site, fail, portability, user_boundary
from openpto.ir import affine, trace
from openpto.ir import expr as ex
from openpto.ir.enums import SatStatus
from openpto.ir.expr import Dim, Expr
from openpto.ops import recording as rec

from .instead import integer_instead

_FAULTS = {"div_zero": "PTO202", "negative_div": "PTO203", "overflow": "PTO204"}
_SIGNS = {
    "div": "//", "mod": "%", "add": "+", "sub": "-", "mul": "*", "neg": "-", "and": "&", "or": "|",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
_ARITHMETIC = frozenset({"add", "sub", "mul", "div", "mod"})
_LOOP_TESTS = {"loop_begin": "is_loop_begin", "loop_end": "is_loop_end"}
_TRUTH = T("Python asked whether it is true", "Python 询问它是否为真")
_INT = T("int() needs a number now", "int() 此刻就需要数值")
_FLOAT = T("float() needs a number now", "float() 此刻就需要数值")
_INDEX = T(
    "Python needs an int here (range(), an index, a static extent)", "Python 需要 int（range()、下标、静态长度）"
)


@dataclass(frozen=True, slots=True)
class LoopInfo:
    """The loop a symbol is the index of; ``first`` overrides the begin test where it is known (peeled loops)."""

    start: Expr
    stop: Expr
    step: Expr
    first: bool | None = None


class SymbolicScalar:
    """A symbolic integer.

    ``SymbolicScalar(3)``, ``SymbolicScalar("n")``, ``SymbolicScalar("n", 3)`` (named and concrete) or a copy.

    Raises:
        ValueError: other arguments ("Invalid arguments").

    >>> n = SymbolicScalar("n")
    >>> str(n * 2 + 3)
    '((n*2)+3)'
    """

    __slots__ = ("_expr", "loop")
    __hash__ = None  # type: ignore[assignment]

    _expr: Expr
    loop: LoopInfo | None

    @user_boundary()
    def __init__(self, value: int | str | SymbolicScalar, concrete: int | None = None) -> None:
        self.loop = None
        if isinstance(value, SymbolicScalar) and concrete is None:
            self._expr = value._expr
        elif isinstance(value, str) and (concrete is None or isinstance(concrete, int)):
            self._expr = ex.named(value, None if concrete is None else int(concrete))
        elif isinstance(value, int) and concrete is None:
            self._expr = ex.const(value)
        else:
            got = ", ".join(type(v).__name__ for v in (value, concrete) if v is not None) or "None"
            fail("PTO206", got=got)

    @classmethod
    def of(cls, value: Dim, loop: LoopInfo | None = None) -> SymbolicScalar:
        """Wrap an expression (or an int)."""
        self = object.__new__(cls)
        self._expr, self.loop = ex.expr(value), loop
        return self

    @property
    def expr(self) -> Expr:
        """The wrapped expression."""
        return self._expr

    # -- what it is ----------------------------------------------------------------------------------------------

    def is_concrete(self) -> bool:
        """Whether the value is known now."""
        return self._expr.concrete() is not None

    def is_symbol(self) -> bool:
        """Whether this is a single symbol (a named one may be concrete too)."""
        return self._expr.is_leaf

    def is_immediate(self) -> bool:
        """Whether this is a literal."""
        return self._expr.is_const

    def is_expression(self) -> bool:
        """Whether operators were applied."""
        return not (self._expr.is_leaf or self._expr.is_const)

    def concrete(self) -> int:
        """The value.

        Raises:
            ValueError: it is not known while the kernel is traced ("Not concrete value").
        """
        value = self._expr.concrete()
        if value is None:
            why = T("its value was asked for while the kernel is traced", "在追踪 kernel 时请求了它的值")
            not_concrete(self._expr, why)
        return value

    def as_variable(self) -> None:
        """Turn the expression into a run-time variable: it is evaluated here, once. Needs a kernel being traced."""
        recording = trace.current()
        if recording is not None and not self.is_concrete():
            self._expr = recording.let(self._expr, current_site())

    def simplify(self) -> SymbolicScalar:
        """An equal expression in canonical form."""
        return SymbolicScalar.of(affine.simplify(self._expr))

    def check(self) -> SatStatus:
        """Whether the condition can hold: SAT if it is always true, UNSAT if never, UNKNOWN otherwise."""
        low, high = affine.bounds(self._expr)
        if low > 0 or high < 0:
            return SatStatus.SAT
        return SatStatus.UNSAT if low == high == 0 else SatStatus.UNKNOWN

    @staticmethod
    def tenary(cond: SymInt, then: SymInt, other: SymInt) -> SymbolicScalar:
        """``then if cond else other``; only the chosen side is evaluated at run time."""
        return SymbolicScalar.of(ex.select(to_expr(cond), to_expr(then), to_expr(other)))

    def base(self) -> Expr:
        """The underlying expression."""
        return self._expr

    @classmethod
    def from_base(cls, base: Expr) -> SymbolicScalar:
        """Wrap an underlying expression."""
        return cls.of(base)

    def min(self, other: SymInt) -> SymbolicScalar:
        """The smaller of the two."""
        return SymbolicScalar.of(ex.binary("min", self._expr, to_expr(other)))

    def max(self, other: SymInt) -> SymbolicScalar:
        """The larger of the two."""
        return SymbolicScalar.of(ex.binary("max", self._expr, to_expr(other)))

    def __str__(self) -> str:
        return ex.text(self._expr)

    __repr__ = __str__

    # -- Python's questions --------------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        return bool(self._known(_TRUTH))

    def __int__(self) -> int:
        return self._known(_INT)

    def __index__(self) -> int:
        return self._known(_INDEX)

    def __float__(self) -> float:
        return float(self._known(_FLOAT))

    def _known(self, why: T) -> int:
        value = self._expr.concrete()
        if value is None:
            not_concrete(self._expr, why)
        return value

    # -- operators -----------------------------------------------------------------------------------------------

    def _binary(self, op: str, other: Any, *, swap: bool = False) -> Any:
        if getattr(type(other), "_is_pypto_tensor", False):
            return NotImplemented
        if not isinstance(other, (int, SymbolicScalar)):
            fail("PTO205", op=_SIGNS.get(op, op), got=type(other).__name__, value=repr(other)[:40])
        a, b = (to_expr(other), self._expr) if swap else (self._expr, to_expr(other))
        if a.op in _LOOP_TESTS or b.op in _LOOP_TESTS:
            test = _LOOP_TESTS.get(a.op) or _LOOP_TESTS[b.op]
            portability("PTO673", test=test, op=_SIGNS.get(op, op))
        if op in _ARITHMETIC:
            for number in (e.concrete() for e in (a, b) if e.is_const):
                if number is not None:
                    rec.scalar_in_range(number)
        if op in ("div", "mod") and b.concrete() == 0:
            fail("PTO202", values=f"{ex.text(a)} {_SIGNS[op]} 0")
        try:
            result = ex.binary(op, a, b)
        except ex.ScalarFault as fault:
            scalar_fault(fault)
        if op in ("div", "mod") and not b.is_const:
            _check_divisor(b, result)
        return SymbolicScalar.of(result)

    def __add__(self, other: Any) -> Any:
        return self._binary("add", other)

    def __radd__(self, other: Any) -> Any:
        return self._binary("add", other, swap=True)

    def __sub__(self, other: Any) -> Any:
        return self._binary("sub", other)

    def __rsub__(self, other: Any) -> Any:
        return self._binary("sub", other, swap=True)

    def __mul__(self, other: Any) -> Any:
        return self._binary("mul", other)

    def __rmul__(self, other: Any) -> Any:
        return self._binary("mul", other, swap=True)

    def __floordiv__(self, other: Any) -> Any:
        return self._binary("div", other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._binary("div", other, swap=True)

    __truediv__ = __floordiv__
    __rtruediv__ = __rfloordiv__

    def __mod__(self, other: Any) -> Any:
        return self._binary("mod", other)

    def __rmod__(self, other: Any) -> Any:
        return self._binary("mod", other, swap=True)

    def _logical(self, op: str, other: Any, *, swap: bool = False) -> Any:
        portability("PTO674", op=_SIGNS[op], suggest="(a > 0) * (b > 0)" if op == "and" else "(a > 0) + (b > 0)")
        return self._binary(op, other, swap=swap)

    def __and__(self, other: Any) -> Any:
        return self._logical("and", other)

    def __rand__(self, other: Any) -> Any:
        return self._logical("and", other, swap=True)

    def __or__(self, other: Any) -> Any:
        return self._logical("or", other)

    def __ror__(self, other: Any) -> Any:
        return self._logical("or", other, swap=True)

    def __eq__(self, other: object) -> Any:
        return self._binary("eq", other)

    def __ne__(self, other: object) -> Any:
        return self._binary("ne", other)

    def __lt__(self, other: Any) -> Any:
        return self._binary("lt", other)

    def __le__(self, other: Any) -> Any:
        return self._binary("le", other)

    def __gt__(self, other: Any) -> Any:
        return self._binary("gt", other)

    def __ge__(self, other: Any) -> Any:
        return self._binary("ge", other)

    def __neg__(self) -> SymbolicScalar:
        try:
            return SymbolicScalar.of(ex.unary("neg", self._expr))
        except ex.ScalarFault as fault:
            scalar_fault(fault)

    def __pos__(self) -> SymbolicScalar:
        return self

    def __invert__(self) -> SymbolicScalar:
        return SymbolicScalar.of(ex.unary("not", self._expr))


SymInt = int | SymbolicScalar
# Shipped files use the class through its older names, also as an importable submodule.
SymbolicScalar.SymbolicScalar = SymbolicScalar  # type: ignore[attr-defined]


def not_concrete(node: Expr, why: T) -> NoReturn:
    """Stop: the value of ``node`` is known only at run time (PTO200)."""
    fail("PTO200", expr=ex.text(node), why=why)


def scalar_fault(fault: ex.ScalarFault) -> NoReturn:
    """Stop: known integers have no meaning together (PTO202, PTO203, PTO204)."""
    shown = f" {_SIGNS.get(fault.op, fault.op)} ".join(str(v) for v in fault.values)
    fail(_FAULTS[fault.kind], values=shown)


def _check_divisor(divisor: Expr, quotient: Expr) -> None:
    """Let a division by zero stop the run where it is written, also if nothing uses the quotient."""
    recording = trace.current()
    low, high = affine.bounds(divisor)
    if recording is not None and low <= 0 <= high:
        recording.check(quotient, current_site())


def refuse_no_value(value: object) -> None:
    """Stop if ``value`` stands for a name or slot that has no value here: it knows the rule and the lines."""
    refuse = getattr(type(value), "_refuse_no_value", None)
    if refuse is not None:
        refuse(value)


def to_expr(value: object) -> Expr:
    """An int, bool or SymbolicScalar as an expression.

    Raises:
        ValueError: anything else ("Invalid value type").
    """
    if isinstance(value, SymbolicScalar):
        return value.expr
    if isinstance(value, int):
        return ex.const(int(value))
    if isinstance(value, Expr):
        return value
    index = getattr(type(value), "__index__", None)  # numpy integers
    if index is not None:
        return ex.const(index(value))
    got = type(value).__name__
    fail("PTO201", got=got, value=repr(value)[:60], instead=integer_instead(got))


def to_dim(value: object) -> Dim:
    """Like :func:`to_expr`, but a known value comes as an int."""
    return ex.as_dim(to_expr(value))


@user_boundary()
def to_sym(value: object) -> SymbolicScalar:
    """Lift an int to a SymbolicScalar.

    >>> str(to_sym(4))
    '4'
    """
    return value if isinstance(value, SymbolicScalar) else SymbolicScalar.of(to_expr(value))


@user_boundary()
def to_syms(values: Any) -> list[SymbolicScalar]:
    """:func:`to_sym` over a list or tuple."""
    if not isinstance(values, (list, tuple)):
        fail("PTO215", got=type(values).__name__)
    return [to_sym(v) for v in values]


@user_boundary("min")
def sym_min(a: SymInt, b: SymInt) -> SymbolicScalar:
    """The smaller of two integers or symbols (``pypto.min``); not for tensors."""
    return SymbolicScalar.of(ex.binary("min", to_expr(a), to_expr(b)))


@user_boundary("max")
def sym_max(a: SymInt, b: SymInt) -> SymbolicScalar:
    """The larger of two integers or symbols (``pypto.max``); not for tensors."""
    return SymbolicScalar.of(ex.binary("max", to_expr(a), to_expr(b)))


@user_boundary()
def ceildiv(a: SymInt, b: SymInt) -> Any:
    """``(a + b - 1) // b``: how many blocks of ``b`` cover ``a`` (both non-negative). Ints give an int.

    >>> ceildiv(7, 2)
    4
    """
    return (a + b - 1) // b
