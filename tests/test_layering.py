"""Imports point one way: each room may import the rooms before it, never one after it (docs/architecture.md)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SRC = Path(__file__).resolve().parents[1] / "src"

ROOMS = (
    "diagnostics",
    "ir",
    "ops",
    "language",
    "frontend",
    "device",
    "checks",
    "runtime",
    "capsule",
    "kernel",
    "torch_ops",
    "testing",
    "pytest_plugin",
    "lint",
    "guide",
    "verify",
    "lsp",
    "doctor",
    "cli",
)
# Modules that lie directly in openpto/: the room after which each of them stands.
FRONT_MODULES = {
    "_version": -1,
    "_forks": -1,
    "_runs": -1,
    "_records": -1,
    "_install": ROOMS.index("diagnostics"),
    "distributed": ROOMS.index("runtime"),
}
# Arrows that may point back: (file, imported module). None, and it stays that way.
EXCEPTIONS: frozenset[tuple[str, str]] = frozenset()
# The command stands outside of everything: `pypto gym` runs the operators.
MAY_IMPORT_OPERATORS = "openpto/cli/"
# A script that other interpreters run, with a `pypto` of theirs.
RUN_ELSEWHERE = "openpto/capsule/runner.py"
PYPTO_MAY_IMPORT = {"language", "kernel", "diagnostics", *FRONT_MODULES}
# Loaded on demand only, so that `import pypto` stays light.
LAZY = {"torch", "rich", "typer"}


class Import(NamedTuple):
    """One imported module, absolute, with the place that imports it."""

    file: str
    line: int
    module: str
    top_level: bool

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.module}"


def package_of(path: Path) -> list[str]:
    """The dotted package that relative imports in `path` start from."""
    return list(path.relative_to(SRC).parent.parts)


def from_modules(node: ast.ImportFrom, package: list[str]) -> Iterator[str]:
    base = package[: len(package) - node.level + 1] if node.level else []
    stem = [*base, *(node.module.split(".") if node.module else [])]
    for alias in node.names:
        yield ".".join([*stem, alias.name])


def dynamic_module(node: ast.Call) -> str | None:
    """The module in import_module("...") or __import__("..."), if it is written as a plain string."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in {"import_module", "__import__"} and node.args and isinstance(node.args[0], ast.Constant):
        return str(node.args[0].value)
    return None


def imports_of(path: Path) -> Iterator[Import]:
    """Every import in the file, those inside functions and type-checking blocks included."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    file, package = path.relative_to(SRC).as_posix(), package_of(path)
    at_load = set(map(id, statements_at_load(tree)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = list(from_modules(node, package))
        elif isinstance(node, ast.Call) and (name := dynamic_module(node)):
            modules = [name]
        else:
            continue
        for module in modules:
            yield Import(file, node.lineno, module, id(node) in at_load)


def statements_at_load(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes that run when the module is loaded: not inside functions, not under `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        yield child
        yield from statements_at_load(child)


def rank(module: str) -> int | None:
    """Position of an openpto module in the order; None outside openpto."""
    parts = module.split(".")
    if parts[0] != "openpto":
        return None
    name = parts[1] if len(parts) > 1 else ""
    if name in ROOMS:
        return ROOMS.index(name)
    return FRONT_MODULES.get(name, len(ROOMS))  # openpto itself stands after every room


ALL_IMPORTS = [item for path in sorted(SRC.rglob("*.py")) for item in imports_of(path)]


def in_package(item: Import, package: str) -> bool:
    return item.file.split("/")[0] == package


def test_every_folder_of_the_implementation_is_a_room() -> None:
    folders = {path.parent.name for path in (SRC / "openpto").glob("*/__init__.py")}
    assert folders <= set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_room_imports_only_what_stands_before_it(room: str) -> None:
    own = ROOMS.index(room)
    arrows = [item for item in ALL_IMPORTS if item.file.startswith(f"openpto/{room}/")]
    back = [
        str(item)
        for item in arrows
        if (target := rank(item.module)) is not None and target > own and (item.file, item.module) not in EXCEPTIONS
    ]
    assert back == []


def test_front_modules_import_only_what_stands_before_them() -> None:
    back = [
        str(item)
        for item in ALL_IMPORTS
        for name, own in FRONT_MODULES.items()
        if item.file == f"openpto/{name}.py" and (target := rank(item.module)) is not None and target > own
    ]
    assert back == []


def test_implementation_imports_neither_the_api_nor_the_operators() -> None:
    outward = [
        str(item)
        for item in ALL_IMPORTS
        if in_package(item, "openpto")
        and item.file != RUN_ELSEWHERE
        and item.module.split(".")[0] in {"pypto", "openpto_gym"}
        and not (item.module.startswith("openpto_gym") and item.file.startswith(MAY_IMPORT_OPERATORS))
    ]
    assert outward == []


def test_api_package_reexports_from_few_rooms() -> None:
    others = [
        str(item)
        for item in ALL_IMPORTS
        if in_package(item, "pypto")
        and item.module.startswith("openpto")
        and item.module.split(".")[1:2] not in [[name] for name in PYPTO_MAY_IMPORT]
    ]
    assert others == []


def test_heavy_packages_load_on_demand() -> None:
    eager = [
        str(item)
        for item in ALL_IMPORTS
        if item.top_level and item.module.split(".")[0] in LAZY and not item.file.startswith("openpto/cli/")
    ]
    assert eager == []


def test_no_star_imports_in_the_implementation() -> None:
    stars = [str(item) for item in ALL_IMPORTS if item.module.endswith(".*") and not in_package(item, "pypto")]
    assert stars == []
