"""Operators whose kernel comes from a changed text."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import cast

import openpto_gym
from openpto_gym import registry
from openpto_gym.operator import Operator


def load_variant(operator: str, module: str, path: Path) -> Operator:
    """The operator as it is when ``module``, its kernel or a module that its kernel uses, has the text of ``path``.

    The modules of the package stay as they are: everything of the operator is loaded once more beside them.
    """
    registry.load(operator)  # so that every module has its place
    with _without(operator), _replaced({module: path}):
        return cast(Operator, import_module(f"openpto_gym.{operator}.cases").OPERATOR)


@contextmanager
def _without(operator: str) -> Iterator[None]:
    """Forget the modules of an operator while this lasts, so that they are loaded anew, and put them back."""
    package = f"openpto_gym.{operator}"
    before = _modules_of(package)
    for name in before:
        del sys.modules[name]
    try:
        yield
    finally:
        for name in _modules_of(package):
            del sys.modules[name]
        for name, module in before.items():
            _put(name, module)


def _modules_of(package: str) -> dict[str, ModuleType]:
    return {name: module for name, module in sys.modules.items() if f"{name}.".startswith(f"{package}.")}


@contextmanager
def _replaced(files: Mapping[str, Path]) -> Iterator[None]:
    """Modules are loaded from other files when they are imported while this lasts, in the order of the imports.

    To load them at once would load the package of a kernel that imports from it in the middle of the kernel.
    """
    before = {name: sys.modules.pop(name, None) for name in files}
    for name in files:  # `from package import module` takes what the package has
        vars(openpto_gym).pop(name.removeprefix("openpto_gym."), None)
    finder = _Finder(files)
    sys.meta_path.insert(0, finder)
    try:
        yield
        assert finder.found == files.keys(), "the operator does not use the module"
    finally:
        sys.meta_path.remove(finder)
        for name, kept in before.items():
            if kept is not None:
                _put(name, kept)
            else:
                sys.modules.pop(name, None)


class _Finder(MetaPathFinder):
    """Finds the modules of some names in files of its own."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        self.files = files
        self.found: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self.files:
            return None
        self.found.add(fullname)
        return spec_from_file_location(fullname, self.files[fullname])


def _put(name: str, module: ModuleType) -> None:
    """Make a module the one that every form of import finds."""
    sys.modules[name] = module
    head, _, last = name.rpartition(".")
    package = openpto_gym if head == "openpto_gym" else sys.modules.get(head)
    if package is not None:
        setattr(package, last, module)
