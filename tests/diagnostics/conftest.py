"""Fixtures of the tests of diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from example_runs import Outcome, execute

from openpto.diagnostics import set_language


@pytest.fixture
def run_example() -> Callable[[str], Outcome]:
    """`run_example(source)` executes a module text that defines `run()` and returns its Outcome."""
    return execute


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Texts are compared in English whatever the machine's locale is."""
    set_language("en")
    yield
    set_language(None)
