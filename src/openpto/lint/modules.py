"""Modules of a project and how they find each other: rules follow a call into another file where it can be resolved."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from openpto.lint.functions import Function, FunctionNode, collect, every_node, own_nodes
from openpto.lint.source import SourceFile, parse, read_text

if TYPE_CHECKING:
    from openpto.lint.scopes import Scope

T = TypeVar("T")


@dataclass(eq=False, slots=True)
class Module:
    """A parsed file with its imports and functions.

    imports           local name -> dotted path of what it stands for ("pypto", "pypto.frontend.jit", "helpers.scale")
    stars             modules of which everything is imported
    aliases           names that the module binds once, to a name or attribute
    changed_globals   names that some function declares `global`
    nodes             every node of the tree
    """

    source: SourceFile
    project: Project
    imports: dict[str, str] = field(default_factory=dict)
    stars: list[tuple[str, ast.ImportFrom]] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    by_node: dict[FunctionNode, Function] = field(default_factory=dict)
    scope: Scope | None = None
    aliases: dict[str, ast.expr] = field(default_factory=dict)
    changed_globals: set[str] = field(default_factory=set)
    nodes: list[ast.AST] = field(default_factory=list)
    _facts: dict[tuple[str, int], Any] = field(default_factory=dict)

    @property
    def kernels(self) -> list[Function]:
        return [function for function in self.functions if function.kind == "kernel"]

    @property
    def bound_names(self) -> set[str]:
        """Every name that some code of the file binds, in whatever scope."""
        return self.fact("bound", self.source.tree, self._bound_names)

    def _bound_names(self) -> set[str]:
        found = set(self.imports) | self.changed_globals
        for node in self.nodes:
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                found.add(node.id)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            else:
                name = getattr(node, "name", None)  # definitions, handlers, patterns
                if isinstance(name, str):
                    found.add(name)
        return found

    def fact(self, name: str, node: ast.AST, ask: Callable[[], T]) -> T:
        """What `ask` says of a node, asked once: a walk comes to a helper many times."""
        key = (name, id(node))
        if key not in self._facts:
            self._facts[key] = ask()
        known: T = self._facts[key]
        return known

    def path_of(self, node: ast.expr) -> str:
        """The dotted path that a name or attribute stands for; empty if it is not made of imported names.

        An alias that the module gives once (`jit = pypto.frontend.jit`) is looked through.
        """
        return self._path(node, 0)

    def _path(self, node: ast.expr, depth: int) -> str:
        if isinstance(node, ast.Attribute):
            owner = self._path(node.value, depth)
            return f"{owner}.{node.attr}" if owner else ""
        if isinstance(node, ast.Name) and depth < 8:
            if node.id in self.imports:
                return self.imports[node.id]
            alias = self.aliases.get(node.id)
            return "" if alias is None else self._path(alias, depth + 1)
        return ""


class Project:
    """The files that were read, each parsed once."""

    def __init__(self) -> None:
        self._modules: dict[Path, Module | None] = {}

    def module(self, source: SourceFile) -> Module:
        """The module of a file that was parsed already."""
        module = _read(source, self)
        self._modules[_key(source.path)] = module
        return module

    def find(self, path: str, importer: Module) -> Module | None:
        """The module of a dotted path, looked for beside the importing file and above its package."""
        return importer.fact(f"import {path}", importer.source.tree, lambda: self._find(path, importer))

    def _find(self, path: str, importer: Module) -> Module | None:
        for root in importer.fact("roots", importer.source.tree, lambda: _roots(Path(importer.source.path))):
            stem = root.joinpath(*path.split("."))
            for file in (stem.with_suffix(".py"), stem / "__init__.py"):
                if file.is_file():
                    return self._load(file)
        return None

    def _load(self, file: Path) -> Module | None:
        key = _key(str(file))
        if key not in self._modules:
            self._modules[key] = None  # a file that imports itself
            try:
                source = parse(_shown(file), read_text(file))
            except (OSError, SyntaxError, ValueError):
                return None
            self._modules[key] = _read(source, self)
        return self._modules[key]


def _key(path: str) -> Path:
    return Path(path).resolve()


def _shown(file: Path) -> str:
    try:
        return str(file.relative_to(Path.cwd()))
    except ValueError:
        return str(file)


def _roots(file: Path) -> list[Path]:
    """Where an absolute import of this file may lead: its folder, and the folder above its package."""
    folder = file.resolve().parent
    roots, package = [folder], folder
    while (package / "__init__.py").is_file():
        package = package.parent
    return roots if package == folder else [*roots, package]


def _package(file: Path) -> list[str]:
    """The dotted package of a file."""
    folder, parts = file.resolve().parent, []
    while (folder / "__init__.py").is_file():
        parts.append(folder.name)
        folder = folder.parent
    return parts[::-1]


def _read(source: SourceFile, project: Project) -> Module:
    module = Module(source, project)
    package: list[str] | None = None
    module.nodes = every_node(source.tree)
    for node in module.nodes:
        if isinstance(node, ast.Global):
            module.changed_globals |= set(node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                _note(module, name, alias.name if alias.asname else name)
        elif isinstance(node, ast.ImportFrom):
            if node.level and package is None:
                package = _package(Path(source.path))
            base = package[: len(package) - node.level + 1] if node.level and package else []
            stem = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                if alias.name == "*":
                    module.stars.append((stem, node))
                else:
                    _note(module, alias.asname or alias.name, f"{stem}.{alias.name}" if stem else alias.name)
    module.aliases = _aliases(source.tree, module.imports)
    module.functions = collect(module)
    module.by_node = {function.node: function for function in module.functions}
    return module


def _note(module: Module, name: str, path: str) -> None:
    """A name that stands for two things (a fallback under `except ImportError`) stands for none."""
    if module.imports.setdefault(name, path) != path:
        module.imports[name] = ""


def _aliases(tree: ast.Module, imports: dict[str, str]) -> dict[str, ast.expr]:
    """Module-level names that are bound once, to a name or attribute."""
    counts: dict[str, int] = {}
    found: dict[str, ast.expr] = {}
    for node in own_nodes(tree.body):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            counts[node.id] = counts.get(node.id, 0) + 1
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = assigned(target, node.value)
                found |= {name: value for name, value in pairs.items() if isinstance(value, (ast.Name, ast.Attribute))}
    for name in imports.keys() & counts.keys():
        imports[name] = ""
    return {name: value for name, value in found.items() if counts[name] == 1}


def assigned(target: ast.expr, value: ast.expr) -> dict[str, ast.AST]:
    """The names that an assignment binds to an expression of the text, tuples taken apart."""
    if isinstance(target, ast.Name):
        return {target.id: value}
    found: dict[str, ast.AST] = {}
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        if len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                found |= assigned(one, other)
    return found
