"""The text form of tile IR: what ``pypto ir`` shows and what ``parser.py`` reads back exactly.

One statement per line, regions closed by ``end``::

    kernel "softmax"
    param "x" %1 v1 : FP32[dim(x, 0), 64] final %1
    loop @4:i from 0 to (dim(x, 0) // 8) step 1 {name: "rows"}
      %7 v5 : FP32[8, 64] valid [min(^3:n, 8), 64] = view(%1) {offsets: ((@4:i * 8), 0), valid: None} scope 0 site 2
    end
    end
    scope 0 {vec: (8, 64)}
    site 2 (("softmax.py", 12, 8, 12, 40), (), (("rows", "i", None),), "softmax")

Values are ``%uid`` (``"name"``, ``v`` and the object's number follow where a value is defined), loop indices
``@uid:name``, other run-time scalars ``^uid:name``, named symbols ``$name``. In attributes a constant expression is
``#5``, to tell it from an int. Scopes and sites are numbered in the order of their first use and stand at the end.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from openpto.diagnostics import Site, Span

from . import dtypes, enums
from .enums import TileOpFormat
from .expr import Dim, Expr
from .nodes import (
    Block,
    Carry,
    CubeTile,
    If,
    Imm,
    Kernel,
    Let,
    Loop,
    Merge,
    Op,
    Operand,
    Result,
    Scope,
    TileType,
    Value,
)

INFIX = {
    "add": "+", "sub": "-", "mul": "*", "div": "//", "mod": "%",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "and": "and", "or": "or",
}  # fmt: skip


def text(kernel: Kernel, *, sites: bool = True, scopes: bool = True) -> str:
    """``kernel`` as text. Without ``sites`` and ``scopes`` it is easier to read, and reads back without them."""
    return "\n".join(_Printer(sites, scopes).kernel(kernel)) + "\n"


class _Printer:
    def __init__(self, sites: bool, scopes: bool) -> None:
        self.with_sites, self.with_scopes = sites, scopes
        self.sites: dict[Site, int] = {}
        self.scopes: dict[str, int] = {}

    def kernel(self, kernel: Kernel) -> Iterator[str]:
        yield f"kernel {json.dumps(kernel.name)}{_attrs(kernel.attrs)}"
        for param in kernel.params:
            yield f"param {json.dumps(param.name)} {definition(param.value)} final {_use(param.final)}"
        yield from self.block(kernel.body, "")
        yield "end"
        yield from (f"scope {number} {shown}" for shown, number in self.scopes.items())
        yield from (f"site {number} {literal(_site(site))}" for site, number in self.sites.items())

    def block(self, block: Block, indent: str) -> Iterator[str]:
        for stmt in block.body:
            if isinstance(stmt, Op):
                yield indent + self.op(stmt)
            elif isinstance(stmt, Let):
                value = "none" if stmt.value is None else expression(stmt.value)
                yield f"{indent}let {expression(stmt.leaf)} = {value}{self.site(stmt.site)}"
            elif isinstance(stmt, Loop):
                yield from self.loop(stmt, indent)
            else:
                yield from self.branch(stmt, indent)

    def op(self, op: Op) -> str:
        results = ", ".join(definition(r) for r in op.results)
        operands = ", ".join(_operand(o) for o in op.operands)
        head = f"{results} = " if op.results else ""
        return f"{head}{op.name}({operands}){_attrs(op.attrs)}{self.scope(op.scope)}{self.site(op.site)}"

    def loop(self, loop: Loop, indent: str) -> Iterator[str]:
        start, stop, step = (expression(b) for b in (loop.start, loop.stop, loop.step))
        head = f"{indent}loop {expression(loop.index)} from {start} to {stop} step {step}"
        yield f"{head}{_attrs(loop.attrs)}{self.scope(loop.scope)}{self.site(loop.site)}"
        yield from (f"{indent}  {_carry(c)}" for c in loop.carries)
        yield from self.block(loop.body, indent + "  ")
        yield f"{indent}end"

    def branch(self, stmt: If, indent: str) -> Iterator[str]:
        yield f"{indent}if {expression(stmt.cond)}{_attrs(stmt.attrs)}{self.site(stmt.site)}"
        yield from self.block(stmt.then, indent + "  ")
        yield f"{indent}else"
        yield from self.block(stmt.other, indent + "  ")
        yield from (f"{indent}  {_merge(m)}" for m in stmt.merges)
        yield f"{indent}end"

    def site(self, site: Site) -> str:
        if not self.with_sites or site == Site(None):
            return ""
        return f" site {self.sites.setdefault(site, len(self.sites))}"

    def scope(self, scope: Scope) -> str:
        shown = _scope(scope) if self.with_scopes else "{}"
        if shown == "{}":
            return ""
        return f" scope {self.scopes.setdefault(shown, len(self.scopes))}"


def _carry(carry: Carry) -> str:
    return (
        f"carry {json.dumps(carry.name)} init {_state(carry.init)} param {definition(carry.param)} "
        f"yield {_state(carry.yielded)} result {definition(carry.result)}"
    )


def _merge(merge: Merge) -> str:
    return (
        f"merge {json.dumps(merge.name)} then {_state(merge.then)} other {_state(merge.other)} "
        f"result {definition(merge.result)}"
    )


def _state(item: Value | Expr | None) -> str:
    if item is None:
        return "none"
    return _use(item) if isinstance(item, Value) else expression(item)


def _use(value: Value) -> str:
    return f"%{value.uid}"


def definition(result: Result) -> str:
    """A value with everything there is to say about it; a scalar is its leaf."""
    if isinstance(result, Expr):
        return expression(result)
    name = f" {json.dumps(result.name)}" if result.name else ""
    valid = "" if result.valid == result.type.shape else f" valid {_extents(result.valid)}"
    return f"{_use(result)}{name} v{result.var} : {type_text(result.type)}{valid}"


def type_text(type: TileType) -> str:
    """``FP32[8, n]``, with ``NZ`` behind it for that layout."""
    layout = "" if type.fmt is TileOpFormat.TILEOP_ND else " NZ"
    return f"{type.dtype.short}{_extents(type.shape)}{layout}"


def _extents(dims: Sequence[Dim | None]) -> str:
    return f"[{', '.join('?' if d is None else _dim(d) for d in dims)}]"


def _dim(dim: Dim) -> str:
    return str(dim) if isinstance(dim, int) else literal(dim)


def _operand(operand: Operand) -> str:
    if isinstance(operand, Value):
        return _use(operand)
    return f"{literal(operand.value)}:{operand.dtype.short}" if isinstance(operand, Imm) else literal(operand)


def _attrs(attrs: Mapping[str, Any]) -> str:
    return f" {{{', '.join(f'{k}: {literal(v)}' for k, v in attrs.items())}}}" if attrs else ""


# Literals

_ENUM_MODULES = (enums.__name__, dtypes.__name__)


def literal(value: Any) -> str:
    """An attribute's value. What has no text form of its own is kept as ``opaque("...")``."""
    if type(value) is int:
        return repr(value)
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, enum.Enum) and type(value).__module__ in _ENUM_MODULES:
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, (int, float)) and type(value) in (int, float):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, Expr):
        return f"#{value.value}" if value.is_const else expression(value)
    if type(value) is tuple:
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{literal(k)}: {literal(v)}' for k, v in value.items())}}}"
    if isinstance(value, CubeTile):
        return f"CubeTile{literal((value.m, value.k, value.n, value.split_k))}"
    return str(value) if isinstance(value, Opaque) else f"opaque({json.dumps(repr(value))})"


class Opaque:
    """An attribute's value that only its text is known of."""

    __slots__ = ("shown",)

    def __init__(self, shown: str) -> None:
        self.shown = shown

    def __str__(self) -> str:
        return f"opaque({json.dumps(self.shown)})"

    __repr__ = __str__


def _scope(scope: Scope) -> str:
    default = Scope()
    fields = ("vec", "cube", "conv", "matrix_size", "label", "options")
    given = {f: getattr(scope, f) for f in fields if getattr(scope, f) != getattr(default, f)}
    return f"{{{', '.join(f'{k}: {literal(v)}' for k, v in given.items())}}}"


def _site(site: Site) -> tuple[Any, ...]:
    chain = tuple((name, _span(span)) for name, span in site.chain)
    loops = tuple((f.name, f.index_name, f.value) for f in site.loops)
    return (_span(site.span), chain, loops, site.kernel)


def _span(span: Span | None) -> tuple[Any, ...] | None:
    return None if span is None else (span.file, span.line, span.col, span.end_line, span.end_col)


# Expressions


def expression(root: Expr) -> str:
    """An expression with every leaf's identity; parentheses around every infix operation."""
    if not root.args:
        return _leaf(root)
    out: list[str] = []
    todo: list[Expr | str] = [root]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            out.append(item)
        elif item.op in INFIX:
            todo += [")", item.args[1], f" {INFIX[item.op]} ", item.args[0], "("]
        elif item.args:
            pieces: list[Expr | str] = [f"{item.op}("]
            for position, arg in enumerate(item.args):
                pieces += [", ", arg] if position else [arg]
            todo += [")", *reversed(pieces)]
        else:
            out.append(_leaf(item))
    return "".join(out)


def _leaf(node: Expr) -> str:
    if node.op == "const":
        return str(node.value)
    assert isinstance(node.value, tuple)
    first, second = node.value
    if node.op == "dim":
        return f"dim({word(first)}, {second})"
    if node.op == "named":
        return f"${word(first)}" if second is None else f"${word(first)}={second}"
    mark = "@" if node.op == "index" else "^"
    return f"{mark}{first}:{word(second)}" if second else f"{mark}{first}"


def word(name: str) -> str:
    """A name as it is if it is a plain identifier, else quoted."""
    return name if name.isidentifier() and name.isascii() else json.dumps(name)
