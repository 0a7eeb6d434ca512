"""Symbolic integers: interned expression nodes over run-time sizes, indices and scalars read from tensors.

A node is immutable and interned, so equality is identity. Construction folds constants and nothing else, because
the printed form is part of the API; ``simplify`` (see ``affine.py``) is for proofs. Values are int64; comparisons
and logical nodes give 0 or 1.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from openpto._forks import opened_in_child

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1

BINARY = ("add", "sub", "mul", "div", "mod", "eq", "ne", "lt", "le", "gt", "ge", "min", "max", "and", "or")
UNARY = ("neg", "not")
LEAVES = ("const", "named", "dim", "index", "ref")


class ScalarFault(Exception):
    """Evaluation of a scalar has no meaning: ``kind`` is overflow, div_zero, negative_div or unset."""

    def __init__(self, kind: str, expr: Expr | None, values: tuple[int, ...] = (), op: str = "") -> None:
        super().__init__(kind)
        self.kind = kind
        self.expr = expr
        self.values = values
        self.op = op


class Expr:
    """One interned node. ``op`` is a leaf kind or an operator, ``args`` its operands, ``value`` a leaf's payload;
    ``linear`` is its normal form once somebody asked for it (``affine.py``)."""

    __slots__ = ("__weakref__", "_leaves", "args", "depth", "linear", "op", "value")

    op: str
    args: tuple[Expr, ...]
    value: object
    depth: int
    _leaves: frozenset[Expr] | None
    linear: Linear | None

    def __repr__(self) -> str:
        return f"Expr({text(self)})"

    @property
    def is_const(self) -> bool:
        """Whether the node is a literal integer."""
        return self.op == "const"

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no operands and is not a literal."""
        return self.op in LEAVES and self.op != "const"

    @property
    def leaves(self) -> frozenset[Expr]:
        """All symbols the expression depends on."""
        if self._leaves is None:
            for node in postorder(self):
                if node._leaves is None:
                    own = frozenset((node,)) if node.is_leaf else frozenset()
                    node._leaves = own.union(*(a._leaves or frozenset() for a in node.args))
        assert self._leaves is not None
        return self._leaves

    def concrete(self) -> int | None:
        """The value if it is known while tracing, else None."""
        if self.op == "const":
            assert isinstance(self.value, int)
            return self.value
        if self.op == "named":
            assert isinstance(self.value, tuple)
            known = self.value[1]
            return known if isinstance(known, int) else None
        return None


Dim = int | Expr
Linear = tuple[tuple[tuple[Expr, int], ...], int]
"""Terms with their coefficients, and a constant."""

_table: weakref.WeakValueDictionary[tuple[object, ...], Expr] = weakref.WeakValueDictionary()
_lock = opened_in_child(threading.Lock())


def _make(op: str, args: tuple[Expr, ...] = (), value: object = None) -> Expr:
    key = (op, args, value)
    with _lock:
        node = _table.get(key)
        if node is None:
            node = object.__new__(Expr)
            node.op, node.args, node.value = op, args, value
            node.depth = 1 + max((a.depth for a in args), default=0)
            node._leaves = node.linear = None
            _table[key] = node
        return node


@lru_cache(maxsize=1024)
def const(value: int) -> Expr:
    """A literal."""
    return _make("const", (), int(value))


def named(name: str, value: int | None = None) -> Expr:
    """A symbol the author named; with ``value`` it is concrete."""
    return _make("named", (), (name, value))


@lru_cache(maxsize=1024)
def dim(param: str, axis: int) -> Expr:
    """The run-time extent of ``axis`` of a parameter; never negative."""
    return _make("dim", (), (param, axis))


def index(uid: int, name: str) -> Expr:
    """A loop index; ``uid`` is unique in its trace."""
    return _make("index", (), (uid, name))


def ref(uid: int, label: str = "") -> Expr:
    """A scalar that an IR node defines at run time (tensor read, carried or merged scalar, valid extent)."""
    return _make("ref", (), (uid, label))


def expr(value: Dim | bool) -> Expr:
    """Lift an int to a node."""
    return value if isinstance(value, Expr) else const(int(value))


def as_dim(value: Dim) -> Dim:
    """Lower a node with a known value to an int."""
    if type(value) is int:
        return value
    if isinstance(value, Expr):
        known = value.concrete()
        return value if known is None else known
    return int(value)


def fold(op: str, values: tuple[int, ...], node: Expr | None = None) -> int:
    """Apply an operator to known int64 values.

    Raises:
        ScalarFault: overflow, division by zero, or a quotient whose floor and truncated values differ.
    """
    a = values[0]
    b = values[1] if len(values) > 1 else 0
    if op in ("div", "mod"):
        if b == 0:
            raise ScalarFault("div_zero", node, values, op)
        quotient, rest = divmod(a, b)
        if rest != 0 and (a < 0) != (b < 0):
            raise ScalarFault("negative_div", node, values, op)
        result = quotient if op == "div" else rest
    else:
        result = int(_SIMPLE[op](a, b))
    if not INT64_MIN <= result <= INT64_MAX:
        raise ScalarFault("overflow", node, values, op)
    return result


_SIMPLE: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "min": min,
    "max": max,
    "and": lambda a, b: bool(a) and bool(b),
    "or": lambda a, b: bool(a) or bool(b),
    "neg": lambda a, b: -a,
    "not": lambda a, b: not a,
}


def binary(op: str, left: Dim, right: Dim) -> Expr:
    """``left op right``; two known operands fold.

    Raises:
        ScalarFault: the known operands have no meaning together.
    """
    if isinstance(left, int) and isinstance(right, int):
        return const(fold(op, (left, right)))
    a, b = expr(left), expr(right)
    known = (a.concrete(), b.concrete())
    if known[0] is not None and known[1] is not None:
        return const(fold(op, (known[0], known[1])))
    return _make(op, (a, b))


def unary(op: str, operand: Dim) -> Expr:
    """``op operand`` for neg and not."""
    a = expr(operand)
    known = a.concrete()
    return _make(op, (a,)) if known is None else const(fold(op, (known,)))


def select(cond: Dim, then: Dim, other: Dim) -> Expr:
    """``then if cond else other``; only the chosen side is evaluated."""
    c = expr(cond)
    known = c.concrete()
    if known is not None:
        return expr(then if known else other)
    return _make("select", (c, expr(then), expr(other)))


def loop_begin(idx: Expr, start: Dim) -> Expr:
    """Whether ``idx`` is at the first iteration of its loop."""
    return _make("loop_begin", (idx, expr(start)))


def loop_end(idx: Expr, start: Dim, stop: Dim, step: Dim) -> Expr:
    """Whether ``idx`` is at the last iteration of its loop (either direction of ``step``)."""
    return _make("loop_end", (idx, expr(start), expr(stop), expr(step)))


def postorder(root: Expr) -> Iterator[Expr]:
    """Every node once, operands first, without recursion."""
    seen: set[Expr] = set()
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if node in seen:
            continue
        if ready:
            seen.add(node)
            yield node
        else:
            stack.append((node, True))
            stack.extend((a, False) for a in node.args if a not in seen)


def evaluate(root: Dim, env: Mapping[Expr, int | None]) -> int:
    """The value of ``root`` where ``env`` gives every leaf; a leaf that is None was never set.

    Raises:
        ScalarFault: see :func:`fold`; ``unset`` for a leaf without a value.
    """
    if isinstance(root, int):
        return root
    memo: dict[Expr, int] = {}
    stack = [root]
    while stack:
        node = stack[-1]
        if node in memo:
            stack.pop()
            continue
        if node.op in LEAVES:
            memo[node] = _leaf(node, env)
            stack.pop()
            continue
        if node.op == "select":
            wanted: tuple[Expr, ...] = (node.args[0],)
            if node.args[0] in memo:
                wanted = (node.args[1] if memo[node.args[0]] else node.args[2],)
                if wanted[0] in memo:
                    memo[node] = memo[wanted[0]]
                    continue
        else:
            wanted = node.args
        missing = [a for a in reversed(wanted) if a not in memo]
        if missing:
            stack.extend(missing)
        elif node.op != "select":
            memo[node] = _apply(node, tuple(memo[a] for a in node.args))
    return memo[root]


def _leaf(node: Expr, env: Mapping[Expr, int | None]) -> int:
    known = node.concrete()
    if known is not None:
        return known
    value = env[node]
    if value is None:
        raise ScalarFault("unset", node)
    return value


def _apply(node: Expr, values: tuple[int, ...]) -> int:
    if node.op == "loop_begin":
        return int(values[0] == values[1])
    if node.op == "loop_end":
        idx, _, stop, step = values
        return int(idx + step >= stop if step > 0 else idx + step <= stop)
    return fold(node.op, values, node)


_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_CALL = {"eq": "RUNTIME_Eq", "ne": "RUNTIME_Ne", "min": "RUNTIME_Min", "max": "RUNTIME_Max"}
_CALL |= {"and": "RUNTIME_And", "or": "RUNTIME_Or", "select": "RUNTIME_Select"}


def text(root: Dim) -> str:
    """The documented text of an expression, e.g. ``((n*2)+3)`` and ``RUNTIME_Max(n, 3)``."""
    if isinstance(root, int):
        return str(root)
    memo: dict[Expr, str] = {}
    for node in postorder(root):
        memo[node] = _text(node, [memo[a] for a in node.args])
    return memo[root]


def _text(node: Expr, args: list[str]) -> str:
    op, value = node.op, node.value
    if op == "const":
        return str(value)
    if op in ("named", "dim", "index", "ref"):
        assert isinstance(value, tuple)
        if op == "dim":
            return f"RUNTIME_GetInputShapeDim(ARG_{value[0]},{value[1]})"
        return str(value[0]) if op == "named" else (value[1] or f"s{value[0]}")
    if op in _INFIX:
        return f"({args[0]}{_INFIX[op]}{args[1]})"
    if op in _CALL:
        return f"{_CALL[op]}({', '.join(args)})"
    if op == "loop_begin":
        return f"RUNTIME_IsLoopBegin({args[0]},{args[1]})"
    if op == "loop_end":
        return f"RUNTIME_IsLoopEnd({args[0]},{args[2]})"
    return f"({'-' if op == 'neg' else '!'}{args[0]})"
