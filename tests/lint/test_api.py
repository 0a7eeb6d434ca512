"""What the linter knows of the API is what the API is."""

from __future__ import annotations

import lint_table
from openpto.lint import api


def test_table_is_current() -> None:
    assert lint_table.main() == 0, "run `make docs-tables`"


def test_operations_and_names() -> None:
    view = api.operation("view")
    assert view is not None
    assert [p.name for p in view.parameters if p.required] == ["input"]
    assert api.operation("loop") is None
    assert "DT_FP32" in (api.members("") or ())
    assert "jit" in (api.members("frontend") or ())
    assert api.members("torch") is None
    assert "run_mode" in api.option_keys("runtime_options")
