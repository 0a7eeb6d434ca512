"""The hooks for pre-commit name commands that exist, and the page of the linter tells the truth."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from openpto.cli.lint import _parser
from openpto.diagnostics import RULES
from openpto.lint.engine import lint_text
from openpto.lint.selection import GROUPS, prefixes
from openpto.lint.settings import read

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "lint.md").read_text(encoding="utf-8")


def test_hooks_run_the_command() -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    entries = re.findall(r"^  entry: pypto lint ?(.*)$", text, re.M)
    assert entries == ["", "--fix"]
    for entry in entries:
        options = _parser().parse_args([*entry.split(), "a.py", "b.py"])
        assert options.paths == ["a.py", "b.py"]
    assert len(re.findall(r"^- id: ", text, re.M)) == len(entries)


def test_options_and_groups_of_the_page_exist() -> None:
    known = {option for action in _parser()._actions for option in action.option_strings}
    assert set(re.findall(r"--[a-z][a-z-]*", PAGE)) <= known
    assert {"DEFAULT", "GYM", "ALL"} == set(GROUPS)
    assert set(re.findall(r"\bPTO\d{3}\b", PAGE)) - {"PTO762", "PTO789"} <= set(RULES)
    assert all(prefixes(code) for code in ("OL48", "F21004", "PTO4"))


def test_settings_of_the_page_are_read() -> None:
    tomllib = pytest.importorskip("tomllib")
    (block,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.M | re.S)
    table = tomllib.loads(block)["tool"]["pypto"]["lint"]
    found = read(table, "pyproject.toml")
    assert found.selection.target == "0.3"
    assert found.exclude == ("generated/*",)


def test_the_finding_on_the_page_is_what_is_printed() -> None:
    annotation = "pypto.Tensor([8, 32], pypto.DT_FP32)"
    head = f"import pypto\n\n\n@pypto.frontend.jit\ndef kernel(x: {annotation}, y: {annotation}):\n"
    text = f"{head}    pypto.set_vec_tile_shapes(8, 32)\n    y = x + 1.0\n"
    (finding,) = lint_text(text, "add.py")
    (block,) = re.findall(r"^```text\n(.*?)^```$", PAGE, re.M | re.S)
    assert finding.text("en") == block.rstrip("\n")


def test_every_convention_has_the_number_of_its_alias() -> None:
    for code, rule in RULES.items():
        if "PTO701" <= code <= "PTO762":
            assert rule.aliases == (f"OL{code[-2:]}", *(("OL39",) if code == "PTO740" else ()))
    missing = {f"OL{n:02d}" for n in range(1, 63)} - {alias for rule in RULES.values() for alias in rule.aliases}
    assert missing == {"OL27", "OL35", "OL36", "OL38"}  # numbers that were never used
