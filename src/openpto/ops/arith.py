"""Scalar expressions: what a pointwise op computes for one element, written once for every engine.

An expression is an immutable, interned graph of typed primitives. Each primitive has one exact meaning, given here,
so an engine that implements the primitives faithfully produces the same bits as any other:

* FP32 and DOUBLE ``ADD SUB MUL DIV SQRT`` and FP32 ``FMA``: IEEE 754, round to nearest even, denormals kept.
* ``NEG ABS`` on floats change the sign bit only; on integers they wrap (``abs(INT_MIN) == INT_MIN``).
* Float ``MIN MAX``: NaN if an operand is NaN; ``max(-0, +0) == +0`` and ``min(-0, +0) == -0``.
* ``RINT FLOOR CEIL TRUNC``: to an integral float (RINT: ties to even), keeping the sign of zero.
* ``EQ NE LT LE GT GE``: IEEE; with a NaN only NE holds. The result is BOOL.
* Integer ``ADD SUB MUL`` wrap. ``SHL LSHR ASHR``: an amount outside [0, bits) gives 0, or all sign bits for ASHR.
* ``AND OR XOR NOT`` are bitwise on integers and logical on BOOL.
* ``BITCAST`` reinterprets bits. The bits of a NaN are unspecified, so expose bits through :func:`bits_of`.
* ``CONVERT``: to a float, round to nearest even; between integers, keep the low bits; from BOOL, 0 or 1; to BOOL,
  ``x != 0``. From a float to an integer: truncate exactly, then keep the low bits (infinities give the type's
  extremes, NaN gives 0), or clamp to the target range if ``saturate`` is set (NaN gives 0).

FP16 and BF16 are storage types: they take part in CONVERT (from and to FP32 only), BITCAST and SELECT, nothing else.
What is computed on them is computed on their FP32 values: :func:`on_widened`, :func:`rounded`.

>>> f = build(lambda x, y: fma(x, y, 1.0), F32, F32)
>>> print(f)
fma(x0, x1, 1.0)
"""

from __future__ import annotations

import enum
import math
import struct
import threading
import weakref
from collections.abc import Callable, Iterator
from functools import lru_cache

from openpto._forks import opened_in_child
from openpto.ir.dtypes import DataType, bytes_of

BOOL = DataType.DT_BOOL
I8, I16, I32, I64 = DataType.DT_INT8, DataType.DT_INT16, DataType.DT_INT32, DataType.DT_INT64
U8, U16, U32, U64 = DataType.DT_UINT8, DataType.DT_UINT16, DataType.DT_UINT32, DataType.DT_UINT64
F16, BF16, F32, F64 = DataType.DT_FP16, DataType.DT_BF16, DataType.DT_FP32, DataType.DT_DOUBLE

SIGNED = frozenset({I8, I16, I32, I64})
UNSIGNED = frozenset({U8, U16, U32, U64})
INTEGERS = SIGNED | UNSIGNED
HALVES = frozenset({F16, BF16})
REALS = frozenset({F32, F64})
TYPES = frozenset({BOOL}) | INTEGERS | HALVES | REALS


class Op(enum.Enum):
    """The primitives; the module's doc string defines each."""

    VAR = "var"
    CONST = "const"
    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    SQRT = "sqrt"
    FMA = "fma"
    NEG = "neg"
    ABS = "abs"
    MIN = "min"
    MAX = "max"
    RINT = "rint"
    FLOOR = "floor"
    CEIL = "ceil"
    TRUNC = "trunc"
    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    SELECT = "select"
    AND = "and"
    OR = "or"
    XOR = "xor"
    NOT = "not"
    SHL = "shl"
    LSHR = "lshr"
    ASHR = "ashr"
    BITCAST = "bitcast"
    CONVERT = "convert"


_NUMBERS = REALS | INTEGERS
_LOGICAL = INTEGERS | {BOOL}
COMPARISONS = frozenset({Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE})
# Operand types of the primitives whose operands all share one type: (number of operands, admissible types).
_UNIFORM: dict[Op, tuple[int, frozenset[DataType]]] = {
    **dict.fromkeys((Op.ADD, Op.SUB, Op.MUL, Op.MIN, Op.MAX), (2, _NUMBERS)),
    **dict.fromkeys((Op.LT, Op.LE, Op.GT, Op.GE), (2, _NUMBERS)),
    **dict.fromkeys((Op.EQ, Op.NE), (2, _NUMBERS | {BOOL})),
    **dict.fromkeys((Op.AND, Op.OR, Op.XOR), (2, _LOGICAL)),
    **dict.fromkeys((Op.SHL, Op.LSHR), (2, INTEGERS)),
    Op.ASHR: (2, SIGNED),
    **dict.fromkeys((Op.RINT, Op.FLOOR, Op.CEIL, Op.TRUNC, Op.SQRT), (1, REALS)),
    **dict.fromkeys((Op.NEG, Op.ABS), (1, _NUMBERS)),
    Op.NOT: (1, _LOGICAL),
    Op.DIV: (2, REALS),
    Op.FMA: (3, frozenset({F32})),
}


class Expr:
    """One interned node: ``op`` applied to ``args``, giving a value of ``dtype``.

    ``attr`` is the index of a VAR, the bit pattern of a CONST, the saturation flag of a CONVERT to an integer, and
    None elsewhere. Nodes are compared by identity; ``==`` is not overloaded, use :func:`eq`.
    """

    __slots__ = ("__weakref__", "args", "attr", "dtype", "op")

    op: Op
    dtype: DataType
    args: tuple[Expr, ...]
    attr: int | bool | None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"expressions are immutable; cannot set {name}")

    def __repr__(self) -> str:
        return f"<{self.dtype.short} {text(self)}>"

    def __str__(self) -> str:
        return text(self)

    def __add__(self, other: Operand) -> Expr:
        return _binary(Op.ADD, self, other)

    def __radd__(self, other: Operand) -> Expr:
        return _binary(Op.ADD, other, self)

    def __sub__(self, other: Operand) -> Expr:
        return _binary(Op.SUB, self, other)

    def __rsub__(self, other: Operand) -> Expr:
        return _binary(Op.SUB, other, self)

    def __mul__(self, other: Operand) -> Expr:
        return _binary(Op.MUL, self, other)

    def __rmul__(self, other: Operand) -> Expr:
        return _binary(Op.MUL, other, self)

    def __truediv__(self, other: Operand) -> Expr:
        return _binary(Op.DIV, self, other)

    def __rtruediv__(self, other: Operand) -> Expr:
        return _binary(Op.DIV, other, self)

    def __neg__(self) -> Expr:
        return make(Op.NEG, self.dtype, (self,))

    def __abs__(self) -> Expr:
        return make(Op.ABS, self.dtype, (self,))

    def __lt__(self, other: Operand) -> Expr:
        return _binary(Op.LT, self, other)

    def __le__(self, other: Operand) -> Expr:
        return _binary(Op.LE, self, other)

    def __gt__(self, other: Operand) -> Expr:
        return _binary(Op.GT, self, other)

    def __ge__(self, other: Operand) -> Expr:
        return _binary(Op.GE, self, other)

    def __and__(self, other: Operand) -> Expr:
        return _binary(Op.AND, self, other)

    def __or__(self, other: Operand) -> Expr:
        return _binary(Op.OR, self, other)

    def __xor__(self, other: Operand) -> Expr:
        return _binary(Op.XOR, self, other)

    def __invert__(self) -> Expr:
        return make(Op.NOT, self.dtype, (self,))

    def __lshift__(self, other: Operand) -> Expr:
        return _binary(Op.SHL, self, other)

    def __rshift__(self, other: Operand) -> Expr:
        """Arithmetic for signed types, logical for unsigned ones; ``lshr`` is logical for both."""
        return _binary(Op.ASHR if self.dtype in SIGNED else Op.LSHR, self, other)

    def __bool__(self) -> bool:
        raise TypeError("a scalar expression has no truth value; use select, & and |")


Operand = Expr | int | float
_Key = tuple[Op, DataType, tuple[Expr, ...], int | bool | None]
_interned: weakref.WeakValueDictionary[_Key, Expr] = weakref.WeakValueDictionary()
_lock = opened_in_child(threading.Lock())


def make(op: Op, dtype: DataType, args: tuple[Expr, ...] = (), attr: int | bool | None = None) -> Expr:
    """The interned node with these fields, after a check of its types.

    Raises:
        TypeError: the operand types do not fit the primitive.
    """
    _check(op, dtype, args, attr)
    key = (op, dtype, args, attr)
    with _lock:
        node = _interned.get(key)
        if node is None:
            node = object.__new__(Expr)
            for name, value in (("op", op), ("dtype", dtype), ("args", args), ("attr", attr)):
                object.__setattr__(node, name, value)
            _interned[key] = node
    return node


def _check(op: Op, dtype: DataType, args: tuple[Expr, ...], attr: int | bool | None) -> None:
    types = tuple(a.dtype for a in args)
    if op in _UNIFORM:
        count, admissible = _UNIFORM[op]
        fits = len(args) == count and len(set(types)) == 1 and types[0] in admissible
        fits = fits and dtype == (BOOL if op in COMPARISONS else types[0])
    elif op is Op.SELECT:
        fits = types == (BOOL, dtype, dtype)
    elif op is Op.BITCAST:
        fits = len(args) == 1 and BOOL not in (types[0], dtype) and bytes_of(types[0]) == bytes_of(dtype)
    elif op is Op.CONVERT:
        fits = len(args) == 1 and types[0] is not dtype and _convertible(types[0], dtype)
        fits = fits and (attr is not None) == (types[0] in REALS and dtype in INTEGERS)
    else:
        fits = not args and isinstance(attr, int)
    if not fits or dtype not in TYPES:
        shown = ", ".join(t.short for t in types)
        raise TypeError(f"{op.value}({shown}) -> {dtype.short} is not a primitive")


def _convertible(source: DataType, target: DataType) -> bool:
    if source in HALVES or target in HALVES:
        return F32 in (source, target)
    return True


# Leaves


def var(dtype: DataType, index: int = 0) -> Expr:
    """Operand number ``index`` of the op."""
    return make(Op.VAR, dtype, (), index)


def const(value: float | bool, dtype: DataType) -> Expr:
    """A literal. FP32 literals are rounded to nearest even; integers must be in range.

    Raises:
        TypeError: a float that is no integer for an integer type.
        OverflowError: an integer out of range.
    """
    if dtype in REALS:
        return const_bits(_float_bits(float(value), dtype), dtype)
    if dtype is BOOL:
        return const_bits(int(bool(value)), BOOL)
    if dtype not in INTEGERS or int(value) != value:
        raise TypeError(f"{value!r} is not a {dtype.short} literal")
    low, high = int_range(dtype)
    if not low <= value <= high:
        raise OverflowError(f"{value!r} is out of range for {dtype.short}")
    return const_bits(int(value) & (2 ** width(dtype) - 1), dtype)


def const_bits(pattern: int, dtype: DataType) -> Expr:
    """The literal whose bit pattern, read as an unsigned integer, is ``pattern``."""
    return make(Op.CONST, dtype, (), pattern)


def nan(dtype: DataType = F32) -> Expr:
    """The canonical quiet NaN: positive, only the top mantissa bit set."""
    return const_bits(0x7FC00000 if dtype is F32 else 0x7FF8000000000000, dtype)


def inf(dtype: DataType = F32) -> Expr:
    """Plus infinity."""
    return const(math.inf, dtype)


def width(dtype: DataType) -> int:
    """Bits of the type; BOOL counts as one."""
    return 1 if dtype is BOOL else 8 * bytes_of(dtype)


def int_range(dtype: DataType) -> tuple[int, int]:
    """Least and greatest value of an integer type."""
    bits = width(dtype)
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if dtype in SIGNED else (0, 2**bits - 1)


def _float_bits(value: float, dtype: DataType) -> int:
    if math.isnan(value):
        return 0x7FC00000 if dtype is F32 else 0x7FF8000000000000
    if dtype is F64:
        return int(struct.unpack("<Q", struct.pack("<d", value))[0])
    try:
        return int(struct.unpack("<I", struct.pack("<f", value))[0])
    except OverflowError:
        return 0xFF800000 if value < 0 else 0x7F800000


def const_value(node: Expr) -> float | int | bool:
    """The value of a CONST node."""
    assert node.op is Op.CONST
    assert node.attr is not None
    pattern = int(node.attr)
    if node.dtype is F32:
        return float(struct.unpack("<f", struct.pack("<I", pattern))[0])
    if node.dtype is F64:
        return float(struct.unpack("<d", struct.pack("<Q", pattern))[0])
    if node.dtype is BOOL:
        return bool(pattern)
    signed = node.dtype in SIGNED and pattern >= 2 ** (width(node.dtype) - 1)
    return pattern - 2 ** width(node.dtype) if signed else pattern


# Operations


def _lift(value: Operand, dtype: DataType) -> Expr:
    return value if isinstance(value, Expr) else const(value, dtype)


def _binary(op: Op, left: Operand, right: Operand) -> Expr:
    pivot = left if isinstance(left, Expr) else right
    assert isinstance(pivot, Expr)
    dtype = BOOL if op in COMPARISONS else pivot.dtype
    return make(op, dtype, (_lift(left, pivot.dtype), _lift(right, pivot.dtype)))


def fma(x: Operand, y: Operand, z: Operand) -> Expr:
    """``x * y + z`` with one rounding (FP32)."""
    return make(Op.FMA, F32, (_lift(x, F32), _lift(y, F32), _lift(z, F32)))


def sqrt(x: Expr) -> Expr:
    """Correctly rounded square root; NaN below zero, ``sqrt(-0) == -0``."""
    return make(Op.SQRT, x.dtype, (x,))


def minimum(x: Operand, y: Operand) -> Expr:
    """The lesser operand; NaN if either is NaN, and -0 is less than +0."""
    return _binary(Op.MIN, x, y)


def maximum(x: Operand, y: Operand) -> Expr:
    """The greater operand; NaN if either is NaN, and +0 is greater than -0."""
    return _binary(Op.MAX, x, y)


def rint(x: Expr) -> Expr:
    """Nearest integral float, ties to even."""
    return make(Op.RINT, x.dtype, (x,))


def floor(x: Expr) -> Expr:
    """Greatest integral float that is not above ``x``."""
    return make(Op.FLOOR, x.dtype, (x,))


def ceil(x: Expr) -> Expr:
    """Least integral float that is not below ``x``."""
    return make(Op.CEIL, x.dtype, (x,))


def trunc(x: Expr) -> Expr:
    """Nearest integral float towards zero."""
    return make(Op.TRUNC, x.dtype, (x,))


def eq(x: Operand, y: Operand) -> Expr:
    """``x == y`` as BOOL."""
    return _binary(Op.EQ, x, y)


def ne(x: Operand, y: Operand) -> Expr:
    """``x != y`` as BOOL; true if an operand is NaN."""
    return _binary(Op.NE, x, y)


def select(condition: Expr, x: Operand, y: Operand) -> Expr:
    """``x`` where the BOOL ``condition`` holds, else ``y``; both are evaluated."""
    pivot = x if isinstance(x, Expr) else y
    if not isinstance(pivot, Expr):
        raise TypeError("select needs at least one typed operand")
    return make(Op.SELECT, pivot.dtype, (condition, _lift(x, pivot.dtype), _lift(y, pivot.dtype)))


def lshr(x: Expr, amount: Operand) -> Expr:
    """Right shift that fills with zeros."""
    return _binary(Op.LSHR, x, amount)


def bitcast(x: Expr, dtype: DataType) -> Expr:
    """The same bits read as ``dtype``."""
    return x if x.dtype is dtype else make(Op.BITCAST, dtype, (x,))


def convert(x: Expr, dtype: DataType, saturate: bool = False) -> Expr:
    """``x`` as a value of another type; ``saturate`` matters from float to integer only."""
    if x.dtype is dtype:
        return x
    to_int = x.dtype in REALS and dtype in INTEGERS
    return make(Op.CONVERT, dtype, (x,), saturate if to_int else None)


def is_nan(x: Expr) -> Expr:
    """Whether a float is NaN."""
    return ne(x, x)


def bits_of(x: Expr, dtype: DataType) -> Expr:
    """The bits of a float as an integer, every NaN as the canonical one."""
    return bitcast(select(is_nan(x), nan(x.dtype), x), dtype)


def copysign(magnitude: Expr, sign: Expr) -> Expr:
    """FP32 ``magnitude`` with the sign bit of ``sign``; both NaN signs count as unspecified."""
    high = const_bits(0x80000000, U32)
    body = bitcast(magnitude, U32) & const_bits(0x7FFFFFFF, U32)
    return bitcast(body | (bitcast(sign, U32) & high), F32)


# Building, walking, printing


@lru_cache(maxsize=4096)
def build(fn: Callable[..., Expr], *dtypes: DataType) -> Expr:
    """The expression ``fn`` gives for operands of these types; cached by function and types."""
    return fn(*(var(dtype, index) for index, dtype in enumerate(dtypes)))


@lru_cache(maxsize=4096)
def on_widened(fn: Callable[..., Expr]) -> Callable[..., Expr]:
    """``fn`` on operands of which the FP16 and BF16 ones are converted to FP32 first."""

    def widened(*operands: Expr) -> Expr:
        return fn(*(convert(x, F32) if x.dtype in HALVES else x for x in operands))

    return widened


def rounded(x: Expr, dtype: DataType) -> Expr:
    """An FP32 ``x`` rounded to nearest even if ``dtype`` is FP16 or BF16; else ``x`` itself."""
    return convert(x, dtype) if dtype in HALVES and x.dtype is F32 else x


def _args(node: Expr) -> tuple[Expr, ...]:
    return node.args


def postorder(root: Expr, operands: Callable[[Expr], tuple[Expr, ...]] = _args) -> Iterator[Expr]:
    """Every node once, operands before users, without recursion. ``operands`` gives the operands of a node."""
    seen: set[Expr] = set()
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((arg, False) for arg in reversed(operands(node)))


def text(root: Expr) -> str:
    """One formula; values used more than once are named first: ``t0 = ...; result``."""
    order = list(postorder(root))
    uses: dict[Expr, int] = {}
    for node in order:
        for arg in node.args:
            uses[arg] = uses.get(arg, 0) + 1
    shown: dict[Expr, str] = {}
    lines: list[str] = []
    for node in order:
        body = _node_text(node, shown)
        if node.args and uses.get(node, 0) > 1:
            name = f"t{len(lines)}"
            lines.append(f"{name} = {body}")
            body = name
        shown[node] = body
    return "; ".join([*lines, shown[root]])


def _node_text(node: Expr, shown: dict[Expr, str]) -> str:
    if node.op is Op.VAR:
        return f"x{node.attr}"
    if node.op is Op.CONST:
        return repr(const_value(node))
    inner = ", ".join(shown[a] for a in node.args)
    if node.op is Op.BITCAST:
        return f"bitcast_{node.dtype.short.lower()}({inner})"
    if node.op is Op.CONVERT:
        suffix = "_sat" if node.attr else ""
        return f"convert_{node.dtype.short.lower()}{suffix}({inner})"
    return f"{node.op.value}({inner})"
