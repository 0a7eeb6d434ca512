"""A kernel and everything that it uses as the text of one file.

Functions keep their text. Constants, closure variables and names of other files become names of the file; what the
author's modules hold is written out, libraries are imported. The header of each function is written again: annotations
of helpers are left out, those of a kernel's tensors say what was declared.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import textwrap
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openpto.capsule.header import kernel_header, plain_arguments
from openpto.capsule.values import NotSelfContained, Texts, is_definition, public_name
from openpto.diagnostics import file_origin
from openpto.frontend.function import FunctionMarker
from openpto.frontend.source import FunctionNode, parse, source_of
from openpto.ir.enums import RunMode

MOST_OBJECTS = 500
"""Names that a file may define; a kernel that needs more has found its way into a library."""


@dataclass(frozen=True, slots=True)
class Flat:
    """The text of a file and the name of the kernel in it."""

    text: str
    kernel: str


def flatten(kernel: Any, values: Mapping[str, Any], run_mode: str = "") -> tuple[Flat, dict[str, str]]:
    """The file of a kernel, and expressions for values in it.

    Args:
        kernel: the object that `pypto.jit` makes.
        values: arguments that are no tensors.
        run_mode: NPU or SIM, to take the place of the kernel's own; empty: there is none in the text.

    Raises:
        NotSelfContained: the kernel reaches something that has no text outside of its program.
    """
    writer = _Writer(run_mode)
    name = writer.function(kernel)
    given = {key: writer.texts.of(value) for key, value in values.items()}
    return Flat(writer.file(), name), given


@dataclass
class _Writer:
    run_mode: str
    imports: dict[str, str] = field(default_factory=lambda: {"pypto": "import pypto"})
    constants: dict[str, str] = field(default_factory=dict)
    chunks: list[str] = field(default_factory=list)
    named: dict[int, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    keep: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.texts = Texts(self.name_of)

    def file(self) -> str:
        """The text: imports, constants, then definitions, those that are needed by others before them."""
        imports = "\n".join(sorted(set(self.imports.values())))
        plain = [f"{name} = {text}" for name, text in self.constants.items() if _is_plain(text)]
        return "\n\n\n".join([imports, *(["\n".join(plain)] if plain else []), *self.chunks]) + "\n"

    # -- names --------------------------------------------------------------------------------------------------------

    def take(self, name: str) -> str:
        """A name of the file, the wanted one if it is free."""
        if len(self.taken) >= MOST_OBJECTS:
            raise NotSelfContained(f"more than {MOST_OBJECTS} names")
        wanted, number = name, 1
        while name in self.taken or name in self.imports or hasattr(builtins, name):
            number += 1
            name = f"{wanted}_{number}"
        self.taken.add(name)
        return name

    def define(self, name: str, value: Any) -> str:
        """The name of the file for a function or class."""
        mine = self.take(name)
        self.named[id(value)] = mine
        self.keep.append(value)
        return mine

    def name_of(self, value: Any) -> str:
        """The name of a function, class, kernel or module in the file."""
        known = self.named.get(id(value))
        if known is not None:
            return known
        if isinstance(value, types.ModuleType):
            return self.library(value, value.__name__.rpartition(".")[2])
        public = public_name(value)
        if public:
            return public
        if isinstance(value, (FunctionMarker, types.FunctionType)) or is_kernel(value):
            return self.function(value)
        wrapped = getattr(value, "__wrapped__", None)
        if isinstance(wrapped, types.FunctionType) and type(value).__module__ == "functools":
            return self.name_of(wrapped)  # a cache, without which it gives the same
        if isinstance(value, type):
            return self.class_(value)
        return self.imported(value)

    def library(self, module: types.ModuleType, alias: str) -> str:
        """Import a module under a name."""
        if module.__name__ == "pypto":
            return "pypto"
        if _is_authors(module) or sys.modules.get(module.__name__) is not module:
            raise NotSelfContained(f"the module {module.__name__} as a value")
        if module.__name__.split(".")[0] == "pypto":
            self.imports[module.__name__] = f"import {module.__name__}"
            return module.__name__
        if self.imports.get(alias, "") not in ("", _import(module.__name__, alias)):
            alias = module.__name__.replace(".", "_")
        self.imports[alias] = _import(module.__name__, alias)
        self.named[id(module)] = alias
        return alias

    def imported(self, value: Any) -> str:
        """Import an object of a library by its name in it."""
        module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
        found = sys.modules.get(module or "")
        if module == "builtins" and name and getattr(builtins, name, None) is value:
            return str(name)
        if not name or "." in name or getattr(found, name, None) is not value:
            raise NotSelfContained(f"an object of {type(value).__module__}.{type(value).__qualname__}")
        if str(module).split(".")[0] in ("openpto", "__main__"):
            raise NotSelfContained(f"{module}.{name}")
        self.imports[name] = f"from {module} import {name}"
        self.named[id(value)] = str(name)
        self.keep.append(value)
        return str(name)

    # -- definitions --------------------------------------------------------------------------------------------------

    def function(self, value: Any) -> str:
        """Define a function, a marked helper or a kernel."""
        known = self.named.get(id(value))
        if known is not None:
            return known
        plain = value if isinstance(value, types.FunctionType) else value.function
        if file_origin(plain.__code__.co_filename) != "user":
            return self.imported(value)
        source, problem = source_of(plain)
        if source is None:
            raise NotSelfContained(f"{plain.__name__}, since {problem}")
        name = self.define("helper" if plain.__name__ == "<lambda>" else plain.__name__, value)
        node = parse(source)
        body = self.body(plain, node, source.lines, source.first_line)
        if is_kernel(value):
            head = self.decorator(value) + kernel_header(value.signature, name, self.texts)
        else:
            mark = "@pypto.frontend.function\n" if isinstance(value, FunctionMarker) else ""
            head = f"{mark}def {name}({plain_arguments(node.args, plain, self.texts)}):\n"
        where = f"# {Path(source.file).name}:{source.first_line}\n"
        self.chunks.append(where + head + body)
        return name

    def decorator(self, kernel: Any) -> str:
        """The decorator with the options that the kernel has."""
        options = {
            name: dict(given) if isinstance(given, Mapping) else given
            for name, given in kernel._options.items()
            if given is not None and name not in ("infer_controlflow_shape", "use_cache")
        }
        runtime = options.setdefault("runtime_options", {})
        runtime.pop("run_mode", None)
        if self.run_mode:
            runtime["run_mode"] = RunMode[self.run_mode]
        parts = [f"{name}={self.texts.of(given)}" for name, given in options.items() if given != {}]
        return f"@pypto.frontend.jit({', '.join(parts)})\n" if parts else "@pypto.frontend.jit\n"

    def body(self, function: types.FunctionType, node: FunctionNode, lines: tuple[str, ...], first: int) -> str:
        """The body of a function; its names are those of the file."""
        renamed = self.renamed(function, node)
        begin = node.body[0].lineno
        if not renamed and begin > node.lineno and node.name != "lambda__":
            text = "".join(lines[begin - first : (node.end_lineno or begin) - first + 1])
            dedented = textwrap.indent(textwrap.dedent(text), "    ")
            if _same_statements(dedented, node):
                return dedented.rstrip("\n")
        tree = _Renamer(self, function, renamed).visit(ast.Module(node.body, []))
        return textwrap.indent(ast.unparse(ast.fix_missing_locations(tree)), "    ")

    def renamed(self, function: types.FunctionType, node: FunctionNode) -> dict[str, str]:
        """Define every name that a function loads from outside; those that have another text in the file."""
        changed: dict[str, str] = {}
        for name in global_names(node):
            found, value = lookup(function, name)
            if not found:
                continue
            if isinstance(value, types.ModuleType) and _is_authors(value):
                changed[name] = ""
                continue
            text = self.constant(name, value)
            if text != name:
                changed[name] = text
        return changed

    def constant(self, name: str, value: Any) -> str:
        """The name or text of what a function loads by a name."""
        if isinstance(value, types.ModuleType):
            return self.library(value, name)
        if is_definition(value):
            return self.name_of(value)
        text = self.texts.of(value)
        if self.constants.get(name) == text:
            return name
        mine = self.take(name)
        self.constants[mine] = text
        if not _is_plain(text):
            self.chunks.append(f"{mine} = {text}")
        return mine

    def class_(self, kind: type) -> str:
        """Define a class of the author's, or import one of a library."""
        module = sys.modules.get(kind.__module__)
        file = getattr(module, "__file__", None)
        if kind.__module__ == "builtins":
            return kind.__name__
        if file is None or file_origin(file) != "user":
            return self.imported(kind)
        try:
            text = textwrap.dedent(inspect.getsource(kind))
        except (OSError, TypeError):
            raise NotSelfContained(f"the class {kind.__qualname__}, whose text is not at hand") from None
        tree = ast.parse(text)
        space = vars(module)
        name = self.define(kind.__name__, kind)
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        changed = {}
        for other in sorted(used):
            if other != kind.__name__ and other in space:
                mine = self.constant(other, space[other])
                if mine != other:
                    changed[other] = mine
        if changed or name != kind.__name__:
            tree = _Names({**changed, kind.__name__: name}).visit(tree)
            text = ast.unparse(ast.fix_missing_locations(tree))
        self.chunks.append(text.rstrip("\n"))
        return name


class _Names(ast.NodeTransformer):
    """Other texts for names."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if self._texts.get(node.id):
            return ast.copy_location(ast.parse(self._texts[node.id], mode="eval").body, node)
        return node


class _Renamer(_Names):
    """The same, and attributes of the author's modules as names of the file."""

    def __init__(self, writer: _Writer, function: types.FunctionType, texts: Mapping[str, str]) -> None:
        super().__init__(texts)
        self._writer, self._function = writer, function

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        module = self._module(node.value)
        if module is None:
            return self.generic_visit(node)
        value = vars(module).get(node.attr, self)
        if value is self:
            raise NotSelfContained(f"{module.__name__}.{node.attr}")
        return ast.copy_location(ast.parse(self._writer.constant(node.attr, value), mode="eval").body, node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if self._texts.get(node.id, None) == "":
            raise NotSelfContained(f"the module {node.id} as a value")
        return super().visit_Name(node)

    def _module(self, node: ast.expr) -> types.ModuleType | None:
        """The author's module that an expression names."""
        value: Any = None
        if isinstance(node, ast.Name) and self._texts.get(node.id) == "":
            value = lookup(self._function, node.id)[1]
        elif isinstance(node, ast.Attribute):
            outer = self._module(node.value)
            value = None if outer is None else vars(outer).get(node.attr)
        return value if isinstance(value, types.ModuleType) and _is_authors(value) else None


def is_kernel(value: Any) -> bool:
    """Whether a value is what `pypto.jit` makes (a class of a later room)."""
    return type(value).__name__ == "JitCallableWrapper" and type(value).__module__ == "openpto.kernel.jit"


def lookup(function: types.FunctionType, name: str) -> tuple[bool, Any]:
    """Whether a name of a function exists outside of it and is none of Python's own, and its value."""
    free = function.__code__.co_freevars
    if name in free and function.__closure__ is not None:
        try:
            return True, function.__closure__[free.index(name)].cell_contents
        except ValueError:
            return False, None
    if name in function.__globals__:
        return True, function.__globals__[name]
    return False, None


def global_names(node: FunctionNode) -> list[str]:
    """Names that the body of a function loads and does not bind, in the order of the text."""
    bound = _bound(node)
    return list(dict.fromkeys(name for statement in node.body for name in _loaded(statement, bound)))


def _loaded(node: ast.AST, bound: frozenset[str]) -> Iterator[str]:
    """Loads of names that no function around them binds."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in bound:
            yield node.id
        return
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        inner = bound | _bound(node)
        for default in [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]:
            yield from _loaded(default, bound)
        parts: list[ast.AST] = [*node.body] if isinstance(node.body, list) else [node.body]
        for part in parts:
            yield from _loaded(part, inner)
        return
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        targets = [n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)]
        bound = bound | frozenset(targets)
    for child in ast.iter_child_nodes(node):
        yield from _loaded(child, bound)


def _bound(function: FunctionNode | ast.Lambda) -> frozenset[str]:
    """Names that a function binds: parameters, and what its body stores, apart from functions and comprehensions in
    it."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    names = {argument.arg for argument in every if argument is not None}
    waiting: list[ast.AST] = list(function.body) if isinstance(function.body, list) else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
            continue
        if isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            names |= {n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)}
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        if isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
        waiting += ast.iter_child_nodes(node)
    return frozenset(names)


def _same_statements(text: str, node: FunctionNode) -> bool:
    """Whether an indented body is that of a tree."""
    try:
        tree = ast.parse("if 1:\n" + text)
    except SyntaxError:
        return False
    block = tree.body[0]
    assert isinstance(block, ast.If)
    return [ast.dump(s) for s in block.body] == [ast.dump(s) for s in node.body]


def _import(module: str, alias: str) -> str:
    head, _, last = module.rpartition(".")
    if module == alias:
        return f"import {module}"
    return f"from {head} import {last}" if head and last == alias else f"import {module} as {alias}"


def _is_authors(module: types.ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and file_origin(file) == "user"


def _is_plain(text: str) -> bool:
    """Whether a text needs no name of the file."""
    names = {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}
    return names <= {"pypto", "float", "slice", "range", "set", "frozenset"}  # what the first lines of a file have
