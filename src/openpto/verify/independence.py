"""Whether a golden is independent of the kernel, as far as the text of the files shows.

Imports are followed through the files of the same project. What counts: `pypto`, and functions of a file that defines
kernels. Classes and constants of such a file (a configuration that both sides take) are no computation.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

_OURS = ("openpto",)


def dependences(goldens: Sequence[Path], kernels: Sequence[Path]) -> Iterator[str]:
    """What makes goldens depend on kernels, one text per import."""
    kernel_files = {file.resolve() for file in kernels}
    seen: set[Path] = set()
    waiting = [file.resolve() for file in goldens]
    while waiting:
        file = waiting.pop()
        if file in seen or file in kernel_files:
            continue
        seen.add(file)
        for node, module, name in _imports(file):
            where = f"{file.name}:{node.lineno}"
            if module.split(".")[0] == "pypto":
                yield f"{where} imports pypto"
                continue
            found = _file_of(module, file)
            inside = _file_of(f"{module}.{name}", file) if name else None
            if inside is not None:
                found, name = inside, ""
            if found in kernel_files:
                if not name or _is_function(found, name):
                    yield f"{where} imports {name or found.name} of the kernel file {found.name}"
            elif found is not None:
                waiting.append(found)


def imports_any(files: Sequence[Path], others: Sequence[Path]) -> Iterator[str]:
    """Imports by which files use others directly."""
    wanted = {other.resolve() for other in others}
    for file in files:
        for node, module, name in _imports(file):
            reached = {_file_of(module, file.resolve()), _file_of(f"{module}.{name}", file.resolve())}
            if reached & wanted:
                yield f"{file.name}:{node.lineno} imports {module}"


def _imports(file: Path) -> Iterator[tuple[ast.stmt, str, str]]:
    """(statement, module, name) of every import of a file; the name is empty for a whole module."""
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name, ""
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                yield node, base, alias.name


def _file_of(module: str, importer: Path) -> Path | None:
    """The file of the same project that an import means; None for a library."""
    level = len(module) - len(module.lstrip("."))
    parts = [part for part in module[level:].split(".") if part]
    if parts[:1] and parts[0] in _OURS and not level:
        return None
    folder = importer.parent
    roots = [folder.parents[level - 2] if level > 1 else folder] if level else _roots(folder)
    for root in roots:
        place = root.joinpath(*parts)
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if parts and file.is_file():
                return file.resolve()
    return None


def _roots(folder: Path) -> list[Path]:
    """Folders in which an absolute import may find a file of the project: that of the file, and of its package."""
    top = folder
    while (top / "__init__.py").is_file():
        top = top.parent
    return [folder, top]


def _is_function(file: Path, name: str) -> bool:
    """Whether a file defines a function of that name (or hides what the name is)."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    if name == "*":
        return True
    return any(isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name for node in tree.body)
