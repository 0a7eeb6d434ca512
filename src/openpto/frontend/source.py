"""Source text of functions, kept from the moment of decoration, and its syntax tree with original positions."""

from __future__ import annotations

import ast
import inspect
import itertools
import linecache
import threading
import tokenize
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import CodeType, FunctionType

from openpto._forks import opened_in_child
from openpto._records import dataclass, field, replace
from openpto.diagnostics import Site, Span, fail

from .header import NAME, header_spans
from .sites import declare_user_code

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


MAX_ENDS = 20
"""Lines that are tried as the one behind a function, before its text is taken apart into tokens."""

MAX_TREES = 64
"""Trees kept for functions that were captured and not traced yet."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The text of one function: ``lines`` begin at ``first_line`` (1-based) of ``file``. ``class_name`` is the class
    whose body defines it, which decides how Python spells its private names. ``columns`` are set for a lambda: where
    it begins in its first line and ends in its last one, in bytes. ``header`` has the places of its parts."""

    file: str
    first_line: int
    lines: tuple[str, ...]
    class_name: str = ""
    columns: tuple[int, int] | None = None
    header: Mapping[str, Span] = field(default_factory=dict)

    def span(self, node: ast.AST) -> Span:
        """The place of a tree node; tree columns count UTF-8 bytes, spans count characters."""
        line, end = getattr(node, "lineno", self.first_line), getattr(node, "end_lineno", None)
        if end is None:
            return Span(self.file, line)
        col = self._characters(line, getattr(node, "col_offset", 0))
        return Span(self.file, line, col, end, self._characters(end, getattr(node, "end_col_offset", 0) or 0))

    def _characters(self, line: int, byte: int) -> int:
        at = line - self.first_line
        if not 0 <= at < len(self.lines) or self.lines[at].isascii():
            return byte
        return len(self.lines[at].encode()[:byte].decode(errors="ignore"))


@dataclass(frozen=True, eq=False)
class Captured:
    """A function as it was when it was decorated. ``problem`` says why there is no usable source text."""

    function: FunctionType
    source: Source | None
    problem: str

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__

    @property
    def site(self) -> Site:
        """The place of the definition: ``def`` and the name, or the first line where the text is not at hand."""
        code = self.function.__code__
        first = Span(code.co_filename, code.co_firstlineno)
        return Site(first if self.source is None else self.source.header.get(NAME, first), kernel=self.name)

    def text(self) -> Source:
        """The source text (PTO101 if Python does not have it)."""
        if self.source is None:
            fail("PTO101", name=self.name, why=self.problem)
        return self.source


_sources: dict[tuple[str, CodeType], tuple[Source | None, str]] = {}  # equal code may stand in two files
_lock = opened_in_child(threading.Lock())


def capture(function: FunctionType) -> Captured:
    """Keep ``function`` together with its source text. Never fails: a missing text is reported by the first call."""
    declare_user_code(function)
    if function.__code__.co_name == "<lambda>":
        return Captured(function, None, "it is a lambda; write it with def")
    source, problem = source_of(function)
    return Captured(function, source, problem)


def source_of(function: FunctionType) -> tuple[Source | None, str]:
    """The text of a function (remembered per code object), or None and the reason."""
    code = function.__code__
    with _lock:
        known = _sources.get((code.co_filename, code))
    if known is None:
        known = _read(function)
        with _lock:
            known = _sources.setdefault((code.co_filename, code), known)
    return known


def _read(function: FunctionType) -> tuple[Source | None, str]:
    code = function.__code__
    lines = _file_lines(function, function.__globals__)
    if not lines:
        return None, f"Python keeps no source text for {code.co_filename}"
    if code.co_name == "<lambda>":
        source = _lambda_source(function, lines)
        return source, "" if source is not None else "it is a lambda that cannot be told from its neighbours"
    start = code.co_firstlineno - 1
    if start >= len(lines):
        return None, f"{code.co_filename} is shorter than when it was imported"
    try:
        source, node = block(code.co_filename, start + 1, lines[start:], _class_of(function))
    except (SyntaxError, ValueError, IndexError):
        return None, f"the text at {code.co_filename}:{code.co_firstlineno} is not this function any more"
    if node.name != code.co_name or _argument_names(node) != code.co_varnames[: len(_argument_names(node))]:
        return None, f"the text at {code.co_filename}:{code.co_firstlineno} is not this function any more"
    source = replace(source, header=header_spans(node, lines[node.lineno - 1], source.span))
    _keep(source, node)
    return source, ""


def block(file: str, first_line: int, lines: list[str], class_name: str = "") -> tuple[Source, FunctionNode]:
    """The definition at the beginning of ``lines``, and its tree.

    It ends where the text up to a line that is not indented deeper is a whole statement, which it is not inside of
    brackets, strings and headers over several lines.

    Raises:
        SyntaxError: there is no function definition.
    """
    for end in itertools.islice(_ends(lines), MAX_ENDS):
        source = Source(file, first_line, tuple(lines[:end]), class_name)
        try:
            return source, _parse(source)
        except SyntaxError:
            continue
    try:
        lines = inspect.getblock(lines)
    except tokenize.TokenError as error:
        raise SyntaxError(str(error)) from None
    source = Source(file, first_line, tuple(lines), class_name)
    return source, _parse(source)


def _ends(lines: list[str]) -> Iterator[int]:
    """Where the block that ``lines`` begin with may end."""
    indent = _indent(lines[0])
    for at in range(1, len(lines)):
        if _begins_statement(lines[at]) and _indent(lines[at]) <= indent:
            yield at
    yield len(lines)


def _indent(line: str) -> int:
    """Columns before the text; a tab reaches to the next multiple of eight."""
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip(" \f"))


def _begins_statement(line: str) -> bool:
    text = line.strip()
    return bool(text) and not text.startswith("#")


def _lambda_source(function: FunctionType, lines: list[str]) -> Source | None:
    """The text of a lambda: the only one of its line with its arguments and, where Python knows columns, its place."""
    code = function.__code__
    try:
        tree = _tree("".join(lines))
    except SyntaxError:
        return None
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda) and _is_code_of(node, code)]
    innermost = [node for node in found if not any(inner in found for inner in ast.walk(node.body))]
    if len(innermost) != 1:  # what lies in a lambda's body lies in the body of each lambda around it
        return None
    node = innermost[0]
    text = tuple(lines[node.lineno - 1 : node.end_lineno])
    columns = node.col_offset, node.end_col_offset or 0
    source = Source(code.co_filename, node.lineno, text, _class_of(function), columns)
    return replace(source, header={NAME: source.span(node)})


def _compiles_to(node: ast.Lambda, code: CodeType) -> bool:
    """Whether a lambda, with the same free variables, compiles to the instructions of ``code``."""
    free = ast.arguments([], [ast.arg(name) for name in code.co_freevars], None, [], [], None, [])
    module = ast.Module([ast.FunctionDef("factory__", free, [ast.Return(node)], [])], [])
    outer = compile(ast.fix_missing_locations(module), code.co_filename, "exec", dont_inherit=True)
    factory = next(c for c in outer.co_consts if isinstance(c, CodeType))
    made = next(c for c in factory.co_consts if isinstance(c, CodeType))
    return _same_code(made, code)


def _same_code(a: CodeType, b: CodeType) -> bool:
    """Whether two functions do the same; where they and the functions in them stand does not count."""
    if (a.co_code, a.co_names, len(a.co_consts)) != (b.co_code, b.co_names, len(b.co_consts)):
        return False
    for first, second in zip(a.co_consts, b.co_consts, strict=True):
        if isinstance(first, CodeType) and isinstance(second, CodeType):
            if not _same_code(first, second):
                return False
        elif (type(first), first) != (type(second), second) and not _are_inner_names(first, second):
            return False
    return True


def _are_inner_names(*constants: object) -> bool:
    """Whether all are names of functions in functions, which say where these stand."""
    return all(isinstance(constant, str) and constant.endswith("<locals>.<lambda>") for constant in constants)


@lru_cache(maxsize=8)
def _tree(text: str) -> ast.Module:
    return ast.parse(text)


def _is_code_of(node: ast.Lambda, code: CodeType) -> bool:
    names = _argument_names(node)
    if node.lineno != code.co_firstlineno or names != code.co_varnames[: len(names)]:
        return False
    positions = getattr(code, "co_positions", None)  # Python 3.11
    if positions is None:
        return _compiles_to(node, code)
    body = node.body
    first = next((p for p in positions() if p[0] == body.lineno and p[2] is not None and p[2] >= body.col_offset), None)
    end = (body.end_lineno or body.lineno, body.end_col_offset or 0)
    return first is not None and (first[1] or 0, first[3] or 0) <= end


def _file_lines(function: FunctionType, module: Mapping[str, object]) -> list[str]:
    file = function.__code__.co_filename
    linecache.checkcache(file)
    lines = linecache.getlines(file, dict(module))
    if lines:
        return lines
    try:  # the interactive prompt of newer interpreters keeps text per code object
        return inspect.findsource(function)[0]
    except (OSError, TypeError, IndexError):
        return []


_trees: OrderedDict[Source, FunctionNode] = OrderedDict()
"""Trees of functions that were captured lately; the first to ask takes one away and may change it."""


def _keep(source: Source, node: FunctionNode) -> None:
    with _lock:
        _trees[source] = node
        if len(_trees) > MAX_TREES:
            _trees.popitem(last=False)


def parse(source: Source) -> FunctionNode:
    """The tree of a function definition, for the caller to change; lines and (byte) columns are those of the file.

    Raises:
        SyntaxError: the text is not a function definition.
    """
    with _lock:
        known = _trees.pop(source, None)
    return _parse(source) if known is None else known


def tree_of(source: Source) -> FunctionNode:
    """The tree of a function definition, to look at only. Raises as :func:`parse` does."""
    with _lock:
        known = _trees.get(source)
    return _parse(source) if known is None else known


def _parse(source: Source) -> FunctionNode:
    """The block is parsed at its own indentation, so that strings over several lines keep their text, and behind as
    many empty lines as stand before it."""
    if source.columns is not None:
        return _parse_lambda(source, *source.columns)
    indented = source.lines[0][:1] in (" ", "\t")
    head = "\n" * (source.first_line - 2) + "if 1:\n" if indented else "\n" * (source.first_line - 1)
    tree = ast.parse(head + "".join(source.lines), source.file)
    first = tree.body[0]
    node = first.body[0] if indented and isinstance(first, ast.If) else first
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        raise SyntaxError("not a function definition")
    if indented and source.first_line == 1:  # a prompt may keep a block without what was before it
        ast.increment_lineno(node, -1)
    if source.class_name:
        _mangle(node, source.class_name)
    return node


def _parse_lambda(source: Source, start: int, end: int) -> ast.FunctionDef:
    """A lambda as a function that returns its body; every node keeps its place in the file."""
    raw = [line.encode() for line in source.lines]
    raw[-1] = raw[-1][:end]
    raw[0] = b" " * start + raw[0][start:]
    tree = ast.parse("(\n" + b"".join(raw).decode() + "\n)", source.file, "eval")
    ast.increment_lineno(tree, source.first_line - 2)
    node = tree.body
    if not isinstance(node, ast.Lambda):
        raise SyntaxError("not a lambda")
    body = ast.copy_location(ast.Return(node.body), node.body)
    made = ast.copy_location(ast.FunctionDef("lambda__", node.args, [body], [], None), node)
    if source.class_name:
        _mangle(made, source.class_name)
    return made


def _class_of(function: FunctionType) -> str:
    parts = function.__qualname__.split(".")
    return parts[-2].lstrip("_") if len(parts) > 1 and parts[-2] != "<locals>" else ""


def _mangle(node: ast.AST, class_name: str) -> None:
    """Spell private names (``__x``) as Python does inside of a class."""
    for inner in ast.walk(node):
        for attribute in ("id", "attr", "arg", "name"):
            name = getattr(inner, attribute, None)
            if isinstance(name, str) and name.startswith("__") and not name.endswith("__"):
                setattr(inner, attribute, f"_{class_name}{name}")


def _argument_names(node: FunctionNode | ast.Lambda) -> tuple[str, ...]:
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    extra = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return tuple(a.arg for a in (*plain, *extra))
