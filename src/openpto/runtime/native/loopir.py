"""Loop IR: what the machine runs.

A program is a list of statements over mutable 64-bit slots and typed pointers. Vector statements do sixteen elements
at a time with the scalar expressions of ``ops/arith.py``; sixteen lanes are part of the contract's reduction order,
so every instruction set computes the same bits.

Grammar::

    Index = int | Slot | Bin | Pick | Peek               a 64-bit integer, wrapping arithmetic
    Stmt  = Set | Point | Poke | For | Region | If | Check | Vector | Call | Reserve | Note | Out | Comment

``Check`` ends the program with a fault: the site number and further integers go into the fault record.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence

from openpto._records import dataclass
from openpto.ir.dtypes import DataType
from openpto.ops import arith

LANES = 16

RECORD = 64
"""Integers in a fault record or note: the site, the values of the message, the indices of the loops around."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The present content of an integer slot or loop variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Bin:
    """``op`` in add sub mul div mod min max and or xor, and (0 or 1) eq ne lt le gt ge addover subover mulover; signed;
    div truncates; ``over`` tells whether the exact result leaves 64 bits."""

    op: str
    left: Index
    right: Index


@dataclass(frozen=True, slots=True)
class Pick:
    """``then if cond else other``; both sides are computed, so neither may fault."""

    cond: Index
    then: Index
    other: Index


@dataclass(frozen=True, slots=True)
class Peek:
    """The element at a pointer, an integer type or BOOL, widened to 64 bits."""

    at: Ptr


Index = int | Slot | Bin | Pick | Peek


@dataclass(frozen=True, slots=True)
class Ptr:
    """Pointer slot ``base`` plus ``offset`` elements of ``dtype``. Pointers of different ``owner`` never meet; -1 may
    be any memory."""

    base: str
    offset: Index
    dtype: DataType
    owner: int = -1


@dataclass(frozen=True, slots=True)
class Set:
    """``slot = value``."""

    slot: str
    value: Index


@dataclass(frozen=True, slots=True)
class Point:
    """Pointer slot ``slot`` = address."""

    slot: str
    to: Ptr


@dataclass(frozen=True, slots=True)
class Poke:
    """The element at a pointer, of an integer type, takes the low bits of ``value``."""

    at: Ptr
    value: Index


@dataclass(frozen=True, slots=True)
class For:
    """``for var in range(start, stop, step)``; bounds are evaluated once. ``interruptible`` loops poll for Ctrl-C; the
    iterations of ``independent`` ones may run in any order; those of ``releasing`` ones leave nothing in memory that
    they reserved."""

    var: str
    start: Index
    stop: Index
    step: Index
    body: tuple[Stmt, ...]
    interruptible: bool = False
    independent: bool = False
    releasing: bool = False


@dataclass(frozen=True, slots=True)
class Region:
    """``for var in range(count)`` in chunks of ``grain`` iterations, which threads run at once if ``shared``.

    A chunk has slots of its own: it starts with the ``slots`` and ``pointers`` of the program that its body takes, and
    what it sets ends with it, but for ``counters``, to which all chunks add. The pointer slot ``local`` is ``scratch``
    bytes of the thread's. Of several faults the first in order counts, and notes are handed over in order.
    """

    var: str
    count: Index
    grain: Index
    shared: Index
    body: tuple[Stmt, ...]
    slots: tuple[str, ...] = ()
    pointers: tuple[str, ...] = ()
    counters: tuple[str, ...] = ()
    scratch: int = 0


@dataclass(frozen=True, slots=True)
class If:
    """Branch on a 64-bit truth value."""

    cond: Index
    then: tuple[Stmt, ...]
    other: tuple[Stmt, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """Fault ``site`` with ``values`` unless ``ok``."""

    ok: Index
    site: int
    values: tuple[Index, ...] = ()


@dataclass(frozen=True, slots=True)
class Load:
    """Lane l of ``name`` = element ``l * stride`` at the pointer (stride 0: the same element in every lane)."""

    name: str
    at: Ptr
    stride: Index


@dataclass(frozen=True, slots=True)
class Splat:
    """Every lane of ``name`` = a 64-bit integer converted to ``dtype`` (an integer type, keeps the low bits)."""

    name: str
    value: Index
    dtype: DataType


@dataclass(frozen=True, slots=True)
class Lane:
    """Lane l of ``name`` = position in the vector loop, INT64."""

    name: str


@dataclass(frozen=True, slots=True)
class Compute:
    """``name`` = a scalar expression of other lanes; VAR number i of it is ``args[i]``."""

    name: str
    expr: arith.Expr
    args: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Store:
    """Elements ``l * stride`` at the pointer = lanes of ``name``. Where ``stream`` is not 0, whole groups in aligned
    memory go around the caches."""

    at: Ptr
    stride: Index
    name: str
    stream: Index = 0


@dataclass(frozen=True, slots=True)
class Fetch:
    """A hint: element ``l`` at the pointer will be read soon. The memory need not exist."""

    at: Ptr


@dataclass(frozen=True, slots=True)
class Fold:
    """Accumulate: lanes of ``acc`` = ``step``(acc, name) for the lanes that are in the loop."""

    acc: str
    step: arith.Expr
    name: str


@dataclass(frozen=True, slots=True)
class Acc:
    """An accumulator of a vector loop: starts at the constant ``init`` in all lanes; after the loop the lanes are
    joined by the halving tree of ``join`` and the result is stored at the pointer, through ``finish`` if given."""

    name: str
    init: arith.Expr
    join: arith.Expr
    out: Ptr
    finish: arith.Expr | None = None


VStmt = Load | Splat | Lane | Compute | Store | Fetch | Fold


@dataclass(frozen=True, slots=True)
class Vector:
    """``for p in range(count)``, sixteen lanes at a time, the tail masked; ``count`` certainly is a multiple of
    ``unit``."""

    count: Index
    body: tuple[VStmt, ...]
    accs: tuple[Acc, ...] = ()
    unit: int = 1


@dataclass(frozen=True, slots=True)
class Call:
    """Call a routine of the module. Arguments are pointers and integers; routines never fault."""

    routine: str
    args: tuple[Ptr | Index, ...]


@dataclass(frozen=True, slots=True)
class Reserve:
    """Pointer slot ``slot`` = ``size`` bytes of scratch, released at the end of the program, or of the iteration of the
    ``releasing`` loop around. Fault ``site`` if there is no memory."""

    slot: str
    size: Index
    site: int


@dataclass(frozen=True, slots=True)
class Note:
    """Hand site ``site``, ``values`` and the addresses ``memory`` to the host, which may stop the program. It may use
    what is there. Of notes with ``once`` the host needs the first of every site only. Slot ``answer``, if there is one,
    takes what the host leaves in the record after the site."""

    site: int
    values: tuple[Index, ...] = ()
    once: bool = False
    memory: tuple[Ptr, ...] = ()
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Out:
    """Result number ``number`` of the program = ``value``."""

    number: int
    value: Index


@dataclass(frozen=True, slots=True)
class Comment:
    """A line for people who read the program."""

    text: str


Stmt = Set | Point | Poke | For | Region | If | Check | Vector | Call | Reserve | Note | Out | Comment


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled kernel before code generation.

    ``params`` are the pointer slots of the kernel's tensors, ``sizes`` the slots that the caller fills (run-time
    extents), ``scratch`` the bytes of the arena at pointer slot ``arena``. The largest of its ``regions`` needs
    ``local`` bytes of each thread; those of the caller follow the arena.
    """

    name: str
    params: tuple[str, ...]
    sizes: tuple[str, ...]
    scratch: int
    body: tuple[Stmt, ...]
    routines: tuple[str, ...] = ()
    regions: int = 0
    local: int = 0


# -- building integers, with the obvious folding ---------------------------------------------------------------------

_FOLD: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "min": min,
    "max": max,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}


_REFLEXIVE = {"eq": 1, "le": 1, "ge": 1, "ne": 0, "lt": 0, "gt": 0, "sub": 0}
_EQUAL = frozenset({*_REFLEXIVE, "min", "max", "and", "or"})
"""Operations that fold for equal operands."""


def is_truth(node: Index) -> bool:
    """Whether an expression certainly is 0 or 1."""
    if isinstance(node, int):
        return node in (0, 1)
    if not isinstance(node, Bin):
        return False
    if node.op in ("and", "or"):
        return is_truth(node.left) and is_truth(node.right)
    return node.op in ("eq", "ne", "lt", "le", "gt", "ge", "addover", "subover", "mulover")


def binary(op: str, a: Index, b: Index) -> Index:
    """``a op b``, folded where the operands allow."""
    if isinstance(a, int):
        if isinstance(b, int):  # most are
            fold = _FOLD.get(op)
            if fold is not None:
                return int(fold(a, b))
            return a if op == "div" and b == 1 else Bin(op, a, b)
        folded, other = _NUMBER_FIRST.get((op, a)), b
    elif isinstance(b, int):
        folded, other = _NUMBER_SECOND.get((op, b)), a
    elif op in _EQUAL and a == b:
        return _REFLEXIVE.get(op, a)
    else:
        return Bin(op, a, b)
    if folded is None:
        return Bin(op, a, b)
    if isinstance(folded, int):
        return folded
    return folded(other) or Bin(op, a, b)


def _same(other: Index) -> Index:
    return other


def _same_truth(other: Index) -> Index | None:
    return other if is_truth(other) else None


def _true(other: Index) -> Index | None:
    return 1 if is_truth(other) else None


_Fold = int | Callable[[Index], Index | None]
_NUMBER_FIRST: dict[tuple[str, int], _Fold] = {
    ("add", 0): _same, ("or", 0): _same, ("xor", 0): _same, ("mul", 0): 0, ("and", 0): 0,
    ("mul", 1): _same, ("and", 1): _same_truth, ("or", 1): _true,
}  # fmt: skip
_NUMBER_SECOND = {**_NUMBER_FIRST, ("sub", 0): _same, ("div", 1): _same}
"""What an operation with this number as its first or second operand is, or makes of the other one."""


def pick(cond: Index, then: Index, other: Index) -> Index:
    """``then if cond else other``, folded where the condition is known or the sides are equal."""
    if isinstance(cond, int):
        return then if cond else other
    return then if then == other else Pick(cond, then, other)


def add(a: Index, b: Index) -> Index:
    """Sum."""
    return a + b if isinstance(a, int) and isinstance(b, int) else binary("add", a, b)


def sub(a: Index, b: Index) -> Index:
    """Difference."""
    return a - b if isinstance(a, int) and isinstance(b, int) else binary("sub", a, b)


def mul(a: Index, b: Index) -> Index:
    """Product."""
    return a * b if isinstance(a, int) and isinstance(b, int) else binary("mul", a, b)


def shifted(at: Ptr, offset: Index) -> Ptr:
    """The pointer moved by ``offset`` elements."""
    return Ptr(at.base, add(at.offset, offset), at.dtype, at.owner)


def parts_of(node: Index) -> Sequence[Index]:
    """An integer expression and everything in it, the addresses that it looks at included; each before its operands."""
    kind = type(node)
    if kind is Slot or kind is int:
        return (node,)
    found: list[Index] = []
    waiting = [node]
    while waiting:
        part = waiting.pop()
        found.append(part)
        kind = type(part)
        if kind is Slot or kind is int:
            continue
        if isinstance(part, Bin):
            waiting += (part.right, part.left)
        elif isinstance(part, Pick):
            waiting += (part.other, part.then, part.cond)
        elif isinstance(part, Peek):
            waiting.append(part.at.offset)
    return found


# -- text ------------------------------------------------------------------------------------------------------------

_SIGN = {"add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_SIGN |= {"eq": "==", "ne": "!=", "and": "&", "or": "|", "xor": "^"}


def index_text(node: Index) -> str:
    """An integer expression as people write it."""
    if isinstance(node, int):
        return str(node)
    if isinstance(node, Slot):
        return node.name
    if isinstance(node, Pick):
        return f"({index_text(node.cond)} ? {index_text(node.then)} : {index_text(node.other)})"
    if isinstance(node, Peek):
        return ptr_text(node.at)
    a, b = index_text(node.left), index_text(node.right)
    return f"({a} {_SIGN[node.op]} {b})" if node.op in _SIGN else f"{node.op}({a}, {b})"


def ptr_text(at: Ptr) -> str:
    """A typed address."""
    return f"{at.base}.{at.dtype.short}[{index_text(at.offset)}]"


def text(program: Program) -> str:
    """The program, a statement a line."""
    head = f"program {program.name}({', '.join(program.params)}; {', '.join(program.sizes)}) scratch {program.scratch}"
    return "\n".join([head, *(f"  {line}" for s in program.body for line in lines(s))]) + "\n"


def lines(stmt: Stmt) -> Iterator[str]:
    """The lines of one statement."""
    if isinstance(stmt, Set):
        yield f"{stmt.slot} = {index_text(stmt.value)}"
    elif isinstance(stmt, Point):
        yield f"{stmt.slot} = &{ptr_text(stmt.to)}"
    elif isinstance(stmt, Poke):
        yield f"{ptr_text(stmt.at)} = {index_text(stmt.value)}"
    elif isinstance(stmt, For):
        bounds = ", ".join(map(index_text, (stmt.start, stmt.stop, stmt.step)))
        yield f"for {stmt.var} in range({bounds}):"
        yield from (f"  {line}" for s in stmt.body for line in lines(s))
    elif isinstance(stmt, Region):
        counts = f" counting {', '.join(stmt.counters)}" if stmt.counters else ""
        head = f"region {stmt.var} in range({index_text(stmt.count)}) by {index_text(stmt.grain)}"
        yield f"{head} shared {index_text(stmt.shared)} scratch {stmt.scratch}{counts}:"
        yield from (f"  {line}" for s in stmt.body for line in lines(s))
    elif isinstance(stmt, If):
        yield f"if {index_text(stmt.cond)}:"
        yield from (f"  {line}" for s in stmt.then for line in lines(s))
        if stmt.other:
            yield "else:"
            yield from (f"  {line}" for s in stmt.other for line in lines(s))
    elif isinstance(stmt, Check):
        values = "".join(f", {index_text(v)}" for v in stmt.values)
        yield f"check {index_text(stmt.ok)} else fault {stmt.site}{values}"
    elif isinstance(stmt, Vector):
        yield f"vector {index_text(stmt.count)}:"
        yield from (f"  acc {a.name} = {a.init} -> {ptr_text(a.out)}" for a in stmt.accs)
        yield from (f"  {_vector_line(v)}" for v in stmt.body)
    elif isinstance(stmt, Call):
        args = ", ".join(f"&{ptr_text(a)}" if isinstance(a, Ptr) else index_text(a) for a in stmt.args)
        yield f"call {stmt.routine}({args})"
    elif isinstance(stmt, Reserve):
        yield f"{stmt.slot} = reserve {index_text(stmt.size)} else fault {stmt.site}"
    elif isinstance(stmt, Note):
        told = "".join(f", {index_text(v)}" for v in stmt.values) + "".join(f", &{ptr_text(p)}" for p in stmt.memory)
        yield f"{stmt.answer and stmt.answer + ' = '}note {stmt.site}{told}"
    elif isinstance(stmt, Out):
        yield f"out {stmt.number} = {index_text(stmt.value)}"
    else:
        yield f"# {stmt.text}"


def _vector_line(stmt: VStmt) -> str:
    if isinstance(stmt, Load):
        return f"{stmt.name} = {ptr_text(stmt.at)} step {index_text(stmt.stride)}"
    if isinstance(stmt, Splat):
        return f"{stmt.name} = splat {stmt.dtype.short} {index_text(stmt.value)}"
    if isinstance(stmt, Lane):
        return f"{stmt.name} = lane"
    if isinstance(stmt, Compute):
        return f"{stmt.name} = {stmt.expr.dtype.short} {stmt.expr} of ({', '.join(stmt.args)})"
    if isinstance(stmt, Store):
        around = f" around caches if {index_text(stmt.stream)}" if stmt.stream != 0 else ""
        return f"{ptr_text(stmt.at)} step {index_text(stmt.stride)} = {stmt.name}{around}"
    if isinstance(stmt, Fetch):
        return f"fetch {ptr_text(stmt.at)}"
    return f"{stmt.acc} = {stmt.step} of ({stmt.acc}, {stmt.name})"
