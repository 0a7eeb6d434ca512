"""No rule fires on a correct kernel: the operators of the gym, the collection of kernel files, good examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from openpto.diagnostics import RULES
from openpto.lint.engine import lint_files, lint_text
from openpto.lint.selection import Selection

ROOT = Path(__file__).resolve().parents[2]
GYM = sorted((ROOT / "src" / "openpto_gym").rglob("*.py"))
CASES = sorted((ROOT.parent / "shared" / "cases").glob("case*.py"))

# Files of the collection that hold kernels which have to be refused, with what the linter finds in them.
REFUSED = {
    "case105.py": {"PTO272", "PTO274"},
    "case117.py": {"PTO224", "PTO234", "PTO236", "PTO247", "PTO248", "PTO252"},
    "case123.py": {"PTO229", "PTO233", "PTO236"},
    "case125.py": {"PTO410"},
}
# What a bad example contains beside the mistake that it shows, portability aside.
BESIDE = {"PTO268": {"PTO775"}, "PTO903": {"PTO775"}, "PTO223": {"PTO413"}, "PTO231": {"PTO228"}, "PTO286": {"PTO224"}}
EVERYTHING = Selection(extend_select=("PTO1", "PTO2", "PTO3", "PTO4", "PTO5", "PTO6"))


def test_operators_of_the_gym() -> None:
    assert GYM
    assert [finding.text() for finding in lint_files(GYM)] == []


@pytest.mark.skipif(not CASES, reason="the collection of kernel files (shared/cases) is not beside the repository")
def test_kernel_files() -> None:
    found: dict[str, set[str]] = {}
    for finding in lint_files(CASES):
        found.setdefault(Path(finding.span.file).name, set()).add(finding.code)
    assert found == REFUSED


RUN = [code for code, rule in RULES.items() if rule.found_by == "run" and rule.good]


@pytest.mark.parametrize("code", RUN)
def test_good_example_of_a_rule(code: str) -> None:
    assert [finding.text() for finding in lint_text(RULES[code].good, selection=EVERYTHING)] == []


@pytest.mark.parametrize("code", RUN)
def test_bad_example_of_a_rule_shows_no_other_mistake(code: str) -> None:
    found = {finding.code for finding in lint_text(RULES[code].bad, selection=EVERYTHING)}
    beside = {other for other in found - {code} if not other.startswith("PTO6")}
    assert beside == BESIDE.get(code, set())


def test_many_bad_examples_are_found_in_their_text() -> None:
    found = [code for code in RUN if code in {f.code for f in lint_text(RULES[code].bad, selection=EVERYTHING)}]
    assert len(found) >= 100


def linted(source: str, code: str) -> set[str]:
    """The findings in an example whose first line may name its file; conventions are selected one at a time."""
    first = source.partition("\n")[0]
    path = first.removeprefix("# ") if first.endswith(".py") else "<example>"
    selection = Selection(extend_select=(code,) if code < "PTO77" and code != "PTO700" else ())
    return {finding.code for finding in lint_text(source, path, selection)}


ONLY_LINT = [code for code, rule in RULES.items() if rule.found_by == "lint" and not rule.untestable]


@pytest.mark.parametrize("code", ONLY_LINT)
def test_examples_of_rules_that_only_the_linter_knows(code: str) -> None:
    assert linted(RULES[code].bad, code) == {code}
    assert linted(RULES[code].good, code) == set()
