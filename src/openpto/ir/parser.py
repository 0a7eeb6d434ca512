"""Reads the text form of tile IR (see printer.py) back: ``text(parse(text(k))) == text(k)`` for every kernel."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from openpto.diagnostics import LoopFrame, Site, Span

from . import enums
from . import expr as ex
from .dtypes import DataType
from .enums import TileOpFormat
from .expr import Dim, Expr
from .nodes import (
    EMPTY,
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
    Param,
    Result,
    Scope,
    Stmt,
    TileType,
    Value,
)
from .printer import INFIX, Opaque

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<number>-?(?:inf|nan)\b|-?\d+(?:\.\d*)?(?:e[+-]?\d+)?)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<mark>//|==|!=|<=|>=|[][(){}:,=%@^$\#.?+\-*<>])
    )""",
    re.VERBOSE,
)
_OPERATORS = {shown: op for op, shown in INFIX.items()}
_FUNCTIONS = {"min": 2, "max": 2, "neg": 1, "not": 1, "select": 3, "loop_begin": 2, "loop_end": 4}
_ENUMS: dict[str, type[enum.Enum]] = {"DataType": DataType} | {
    name: item for name, item in vars(enums).items() if isinstance(item, type) and issubclass(item, enum.Enum)
}


class TextError(ValueError):
    """The text is not tile IR; says the line."""


def parse(source: str) -> Kernel:
    """The kernel that ``source`` shows.

    Raises:
        TextError: the text is not in the form of printer.py.
    """
    return _Parser(source).kernel()


class _Line:
    """The tokens of one line, read from left to right."""

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.text = text
        self.tokens: list[tuple[str, str]] = []
        position = 0
        while position < len(text.rstrip()):
            found = _TOKEN.match(text, position)
            if found is None:
                raise self.error(f"unexpected {text[position:].strip()[:20]!r}")
            self.tokens.append((found.lastgroup or "", found.group(found.lastgroup or 0)))
            position = found.end()
        self.at = 0

    def error(self, why: str) -> TextError:
        return TextError(f"line {self.number}: {why} in {self.text.strip()!r}")

    @property
    def peek(self) -> str:
        """The next token, or nothing at the end."""
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    @property
    def kind(self) -> str:
        """Kind of the next token."""
        return self.tokens[self.at][0] if self.at < len(self.tokens) else "end"

    def next(self) -> str:
        """Take a token."""
        if self.at == len(self.tokens):
            raise self.error("unexpected end")
        self.at += 1
        return self.tokens[self.at - 1][1]

    def take(self, token: str) -> bool:
        """Take the token if it comes next."""
        if self.peek == token and self.kind != "string":
            self.at += 1
            return True
        return False

    def expect(self, token: str) -> None:
        """Take a token that must come."""
        if not self.take(token):
            raise self.error(f"expected {token!r}, found {self.peek!r}")

    def integer(self) -> int:
        """Take an integer."""
        token = self.next()
        try:
            return int(token)
        except ValueError:
            raise self.error(f"expected an integer, found {token!r}") from None

    def string(self) -> str:
        """Take a quoted string."""
        if self.kind != "string":
            raise self.error(f"expected a string, found {self.peek!r}")
        return str(json.loads(self.next()))

    def word(self) -> str:
        """Take a name, plain or quoted."""
        return self.string() if self.kind == "string" else self.next()

    def done(self) -> None:
        """Nothing may follow."""
        if self.at != len(self.tokens):
            raise self.error(f"unexpected {self.peek!r}")

    def sequence(self, item: Callable[[], Any], close: str) -> list[Any]:
        """Items separated by commas up to a closing mark; a comma may follow the last one."""
        items = []
        while not self.take(close):
            items.append(item())
            if not self.take(","):
                self.expect(close)
                break
        return items


# Expressions and literals


def _expression(line: _Line) -> Expr:
    """An expression, without recursion."""
    frames: list[tuple[str, list[Expr]]] = []  # ("(" or an operator or a function, operands so far)
    while True:
        if line.take("("):
            frames.append(("(", []))
            continue
        if line.peek in _FUNCTIONS and line.kind == "word":
            frames.append((line.next(), []))
            line.expect("(")
            continue
        value = _leaf(line)
        while frames:
            head, operands = frames[-1]
            operands.append(value)
            if head == "(":
                operator = line.next()
                if operator not in _OPERATORS:
                    raise line.error(f"unknown operator {operator!r}")
                frames[-1] = (operator, operands)
                break
            if head in _FUNCTIONS and line.take(","):
                break
            line.expect(")")
            frames.pop()
            value = _applied(line, head, operands)
        else:
            return value


def _applied(line: _Line, head: str, args: list[Expr]) -> Expr:
    if head in _FUNCTIONS and len(args) != _FUNCTIONS[head]:
        raise line.error(f"{head} takes {_FUNCTIONS[head]} operands")
    if head == "select":
        return ex.select(*args)
    if head == "loop_begin":
        return ex.loop_begin(*args)
    if head == "loop_end":
        return ex.loop_end(*args)
    return ex.unary(head, args[0]) if len(args) == 1 else ex.binary(_OPERATORS.get(head, head), args[0], args[1])


def _leaf(line: _Line) -> Expr:
    line.take("#")
    if line.kind == "number":
        return ex.const(line.integer())
    if line.take("dim"):
        line.expect("(")
        name = line.word()
        line.expect(",")
        axis = line.integer()
        line.expect(")")
        return ex.dim(name, axis)
    if line.take("$"):
        name = line.word()
        return ex.named(name, line.integer() if line.take("=") else None)
    if line.peek in ("@", "^"):
        make = ex.index if line.next() == "@" else ex.ref
        uid = line.integer()
        return make(uid, line.word() if line.take(":") else "")
    raise line.error(f"expected an expression, found {line.peek!r}")


def _literal(line: _Line) -> Any:
    if line.kind == "string":
        return line.string()
    if line.kind == "number":
        return _number(line)
    if line.peek == "(":
        return _tuple_or_expression(line)
    if line.take("["):
        return line.sequence(lambda: _literal(line), "]")
    if line.take("{"):
        return _mapping(line)
    if line.kind != "word" or line.peek in _FUNCTIONS or line.peek == "dim":
        return _expression(line)
    return _named_literal(line)


def _number(line: _Line) -> int | float:
    token = line.next()
    return int(token) if token.lstrip("-").isdigit() else float(token)


def _tuple_or_expression(line: _Line) -> Any:
    """``(a + b)`` is an expression; a comma of its own makes a tuple."""
    if not _has_comma(line):
        return _expression(line)
    line.expect("(")
    return tuple(line.sequence(lambda: _literal(line), ")"))


def _has_comma(line: _Line) -> bool:
    """Whether the parentheses that open here are empty or hold a comma that no inner ones enclose."""
    depth = 0
    for position in range(line.at, len(line.tokens)):
        kind, token = line.tokens[position]
        if kind == "mark" and token in "([{":
            depth += 1
        elif kind == "mark" and token in ")]}":
            depth -= 1
            if depth == 0:
                return position == line.at + 1
        elif token == "," and depth == 1:
            return True
    raise line.error("unclosed parenthesis")


def _named_literal(line: _Line) -> Any:
    name = line.next()
    if name in ("None", "True", "False"):
        return {"None": None, "True": True, "False": False}[name]
    if name in ("inf", "nan"):
        return float(name)
    if name == "opaque":
        line.expect("(")
        shown = line.string()
        line.expect(")")
        return Opaque(shown)
    if name == "CubeTile":
        return CubeTile(*_literal(line))
    if name in _ENUMS and line.take("."):
        member = line.next()
        if member in _ENUMS[name].__members__:
            return _ENUMS[name][member]
    raise line.error(f"unknown literal {name!r}")


def _mapping(line: _Line) -> dict[Any, Any]:
    def item() -> tuple[Any, Any]:
        plain = line.kind == "word" and line.peek not in _ENUMS
        key = line.next() if plain else _literal(line)
        line.expect(":")
        return key, _literal(line)

    return dict(line.sequence(item, "}"))


def _dtype(line: _Line) -> DataType:
    name = line.next()
    try:
        return DataType[f"DT_{name}"]
    except KeyError:
        raise line.error(f"unknown element type {name!r}") from None


# Statements


class _Parser:
    def __init__(self, source: str) -> None:
        lines = [_Line(n, t) for n, t in enumerate(source.splitlines(), 1) if t.strip()]
        tables = [line for line in lines if line.peek in ("scope", "site") and line.kind == "word"]
        self.scopes: dict[int, Scope] = {}
        self.sites: dict[int, Site] = {}
        for line in tables:
            self.table(line)
        self.lines = iter([line for line in lines if line not in tables])
        self.values: dict[int, Value] = {}

    def table(self, line: _Line) -> None:
        if line.next() == "scope":
            number = line.integer()
            self.scopes[number] = Scope(**_literal(line))
        else:
            number = line.integer()
            span, chain, loops, kernel = _literal(line)
            helpers = tuple((name, Span(*at)) for name, at in chain)
            frames = tuple(LoopFrame(*frame) for frame in loops)
            self.sites[number] = Site(None if span is None else Span(*span), helpers, frames, kernel)
        line.done()

    def line(self) -> _Line:
        for line in self.lines:
            return line
        raise TextError("unexpected end of the text")

    def kernel(self) -> Kernel:
        head = self.line()
        head.expect("kernel")
        name = head.string()
        attrs = self.attrs(head)
        head.done()
        params: list[tuple[str, Value, int]] = []
        line = self.line()
        while line.take("param"):
            title, value = line.string(), self.definition(line)
            assert isinstance(value, Value)
            line.expect("final")
            params.append((title, value, self.number(line)))
            line = self.line()
        body, _ = self.block(line)
        finals = [(n, v, self.value(line, uid)) for n, v, uid in params]
        return Kernel(name, tuple(Param(*p) for p in finals), body, attrs)

    def block(self, line: _Line) -> tuple[Block, _Line]:
        """Statements from ``line`` on; returns the line that closes them (``end``, ``else`` or ``merge``)."""
        body: list[Stmt] = []
        while line.peek not in ("end", "else", "merge") or line.kind != "word":
            if line.take("let"):
                body.append(self.let(line))
            elif line.take("loop"):
                body.append(self.loop(line))
            elif line.take("if"):
                body.append(self.branch(line))
            else:
                body.append(self.op(line))
            line = self.line()
        return Block(tuple(body)), line

    def op(self, line: _Line) -> Op:
        results: list[Result] = []
        if line.peek in ("%", "^"):
            results.append(self.definition(line))
            while line.take(","):
                results.append(self.definition(line))
            line.expect("=")
        name = line.next()
        line.expect("(")
        operands = line.sequence(lambda: self.operand(line), ")")
        attrs = self.attrs(line)
        scope, site = self.tail(line)
        return Op(name, tuple(operands), tuple(results), attrs, site, scope)

    def let(self, line: _Line) -> Let:
        leaf = _leaf(line)
        line.expect("=")
        value = None if line.take("none") else _expression(line)
        return Let(leaf, value, self.tail(line)[1])

    def loop(self, line: _Line) -> Loop:
        index = _leaf(line)
        bounds = []
        for mark in ("from", "to", "step"):
            line.expect(mark)
            bounds.append(_expression(line))
        attrs = self.attrs(line)
        scope, site = self.tail(line)
        inner = self.line()
        drafts = []
        while inner.take("carry"):
            drafts.append(self.carry(inner))
            inner = self.line()
        body, close = self.block(inner)
        close.expect("end")
        close.done()
        carries = tuple(Carry(init, param, self.state(y), result, name) for name, init, param, y, result in drafts)
        start, stop, step = bounds
        return Loop(index, start, stop, step, carries, body, attrs, site, scope)

    def carry(self, line: _Line) -> tuple[str, Any, Result, Any, Result]:
        name = line.string()
        line.expect("init")
        init = self.state(self.draft(line))
        line.expect("param")
        param = self.definition(line)
        line.expect("yield")
        yielded = self.draft(line)
        line.expect("result")
        result = self.definition(line)
        line.done()
        return name, init, param, yielded, result

    def branch(self, line: _Line) -> If:
        cond = _expression(line)
        attrs = self.attrs(line)
        site = self.tail(line)[1]
        then, close = self.block(self.line())
        close.expect("else")
        other, close = self.block(self.line())
        merges = []
        while close.take("merge"):
            name = close.string()
            close.expect("then")
            a = self.state(self.draft(close))
            close.expect("other")
            b = self.state(self.draft(close))
            close.expect("result")
            merges.append(Merge(a, b, self.definition(close), name))
            close.done()
            close = self.line()
        close.expect("end")
        close.done()
        return If(cond, then, other, tuple(merges), site, attrs)

    # -- parts ---------------------------------------------------------------------------------------------------

    def tail(self, line: _Line) -> tuple[Scope, Site]:
        scope = self.scopes[line.integer()] if line.take("scope") else Scope()
        site = self.sites[line.integer()] if line.take("site") else Site(None)
        line.done()
        return scope, site

    def attrs(self, line: _Line) -> Mapping[str, Any]:
        return _mapping(line) if line.take("{") else EMPTY

    def definition(self, line: _Line) -> Result:
        if line.peek != "%":
            return _leaf(line)
        uid = self.number(line)
        name = line.string() if line.kind == "string" else ""
        var = line.next()
        if not re.fullmatch(r"v\d+", var):
            raise line.error(f"expected the object's number, found {var!r}")
        line.expect(":")
        type = self.type(line)
        valid: tuple[Dim | None, ...] = type.shape
        if line.take("valid"):
            valid = self.extents(line)
        value = Value(uid, type, valid, int(var[1:]), name)
        self.values[uid] = value
        return value

    def type(self, line: _Line) -> TileType:
        dtype = _dtype(line)
        shape = tuple(d for d in self.extents(line) if d is not None)
        return TileType(shape, dtype, TileOpFormat.TILEOP_NZ if line.take("NZ") else TileOpFormat.TILEOP_ND)

    def extents(self, line: _Line) -> tuple[Dim | None, ...]:
        line.expect("[")
        return tuple(line.sequence(lambda: None if line.take("?") else _literal(line), "]"))

    def number(self, line: _Line) -> int:
        line.expect("%")
        return line.integer()

    def value(self, line: _Line, uid: int) -> Value:
        if uid not in self.values:
            raise line.error(f"%{uid} is not defined")
        return self.values[uid]

    def operand(self, line: _Line) -> Operand:
        if line.peek == "%":
            return self.value(line, self.number(line))
        value = _literal(line)
        if isinstance(value, Expr):
            return value
        line.expect(":")
        return Imm(value, _dtype(line))

    def draft(self, line: _Line) -> tuple[_Line, int] | Expr | None:
        """A state whose value may be defined further down."""
        if line.take("none"):
            return None
        return (line, self.number(line)) if line.peek == "%" else _expression(line)

    def state(self, draft: tuple[_Line, int] | Expr | None) -> Value | Expr | None:
        return self.value(*draft) if isinstance(draft, tuple) else draft
