"""Operators whose kernel comes from a changed text."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import cast

import openpto_gym
from openpto_gym import registry
from openpto_gym.operator import Operator


def load_variant(operator: str, module: str, path: Path) -> Operator:
    """The operator as it is when ``module``, its kernel or a module that its kernel uses, has the text of ``path``.

    The modules of the package stay as they are: the kernel and the cases are loaded once more beside them.
    """
    kernel = f"openpto_gym.{operator}.kernel"
    files = {module: path}
    if kernel != module:
        files[kernel] = registry.folder(operator) / "kernel.py"
    files[f"openpto_gym.{operator}.cases"] = registry.folder(operator) / "cases.py"
    registry.load(operator)  # so that every module has its place
    with _replaced(files) as modules:
        return cast(Operator, modules[f"openpto_gym.{operator}.cases"].OPERATOR)


@contextmanager
def _replaced(files: Mapping[str, Path]) -> Iterator[dict[str, ModuleType]]:
    """Load modules from other files, in this order, each in the place of the module of its name while this lasts."""
    before = {name: sys.modules[name] for name in files}
    loaded: dict[str, ModuleType] = {}
    try:
        for name, path in files.items():
            spec = spec_from_file_location(name, path)
            assert spec is not None
            assert spec.loader is not None
            loaded[name] = module_from_spec(spec)
            _put(name, loaded[name])
            spec.loader.exec_module(loaded[name])
        yield loaded
    finally:
        for name, module in before.items():
            _put(name, module)


def _put(name: str, module: ModuleType) -> None:
    """Make a module the one that every form of import finds."""
    sys.modules[name] = module
    head, _, last = name.rpartition(".")
    package = openpto_gym if head == "openpto_gym" else sys.modules[head]
    setattr(package, last, module)
