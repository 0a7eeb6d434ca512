"""Operators whose kernel comes from a changed text."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import cast

from openpto_gym import registry
from openpto_gym.operator import Operator


def load_variant(operator: str, module: str, path: Path) -> Operator:
    """The operator as it is when ``module``, its kernel or a module that its kernel uses, has the text of ``path``.

    The modules of the package stay as they are: everything of the operator is loaded once more beside them.
    """
    registry.load(operator)  # so that every module has its place
    with _forgotten(f"openpto_gym.{operator}", module), _found_in(path, module):
        variant = import_module(f"openpto_gym.{operator}.cases").OPERATOR
        assert module in sys.modules, "the operator does not use the module"
    return cast(Operator, variant)


@contextmanager
def _forgotten(package: str, module: str) -> Iterator[None]:
    """Forget a package and one more module while this lasts, so that they are loaded anew, and put them back."""
    before = _loaded(package, module)
    for name in reversed(before):  # a package after its modules
        del sys.modules[name]
        head, _, last = name.rpartition(".")
        vars(sys.modules[head]).pop(last, None)  # `from package import module` takes what the package has
    try:
        yield
    finally:
        for name in _loaded(package, module):
            del sys.modules[name]
        for name, kept in before.items():
            sys.modules[name] = kept
            head, _, last = name.rpartition(".")
            setattr(sys.modules[head], last, kept)


def _loaded(package: str, module: str) -> dict[str, ModuleType]:
    """Those of these modules that are loaded, a package before its modules."""
    found = {name: kept for name, kept in sys.modules.items() if name == module or f"{name}.".startswith(f"{package}.")}
    return dict(sorted(found.items()))


@contextmanager
def _found_in(path: Path, module: str) -> Iterator[None]:
    """The module is loaded from this file when it is imported while this lasts.

    To load it at once would load the package of a kernel that imports from it in the middle of the kernel.
    """
    finder = _Finder(path, module)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


@dataclass(frozen=True)
class _Finder(MetaPathFinder):
    """Finds a module in a file of its own."""

    path: Path
    module: str

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return spec_from_file_location(fullname, self.path) if fullname == self.module else None
