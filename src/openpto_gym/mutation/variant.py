"""Operators whose kernel comes from a changed text."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
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
    """Load modules from other files, each in the place of the module of its name while this lasts."""
    before = {name: sys.modules.get(name) for name in files}
    try:
        for name, path in files.items():
            spec = spec_from_file_location(name, path)
            assert spec is not None
            assert spec.loader is not None
            module = module_from_spec(spec)
            _put(name, module)
            spec.loader.exec_module(module)
        yield
    finally:
        for name, kept in before.items():
            if kept is not None:
                _put(name, kept)


def _put(name: str, module: ModuleType) -> None:
    """Make a module the one that every form of import finds."""
    sys.modules[name] = module
    head, _, last = name.rpartition(".")
    package = openpto_gym if head == "openpto_gym" else sys.modules.get(head)
    if package is not None:
        setattr(package, last, module)
