"""Tests that run once per case of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from openpto.testing import Case, read_cases

LONG = 2
"""The level of cases that only run when asked for."""


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Give a test that is marked `pypto_cases` its cases."""
    for mark in metafunc.definition.iter_markers("pypto_cases"):
        source = mark.args[0] if mark.args else "test_cases.json"
        argname = mark.kwargs.get("argname", "case")
        if argname not in metafunc.fixturenames:
            raise pytest.UsageError(f"{metafunc.definition.nodeid} is marked pypto_cases and takes no {argname!r}")
        cases = cases_of(source, metafunc.definition.path.parent)
        metafunc.parametrize(argname, cases, ids=[_name(case) for case in cases])


def cases_of(source: Any, folder: Path) -> Sequence[Any]:
    """The cases of a JSON file beside the test, of an operator, or of a sequence."""
    if isinstance(source, (str, Path)):
        return read_cases(folder / source)
    return tuple(getattr(source, "cases", source))


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out cases above the level of the run."""
    limit = config.getoption("pypto_level")
    left_out = [item for item in items if _level_of(item) > limit]
    if left_out:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


def _level_of(item: pytest.Item) -> int:
    marks = [mark.kwargs.get("argname", "case") for mark in item.iter_markers("pypto_cases")]
    values = getattr(getattr(item, "callspec", None), "params", {})
    return max((_level(values[name]) for name in marks if name in values), default=0)


def _level(case: Any) -> int:
    """A case of a sequence may say `slow` instead."""
    level = getattr(case, "level", None)
    return level if isinstance(level, int) else LONG * bool(getattr(case, "slow", False))


def _name(case: Case | Any) -> str:
    return str(getattr(case, "id", None) or getattr(case, "name", None) or case)
