"""Faulty files, each with the findings that it has to have and no others.

A comment `# expect: PTO412` stands at the end of the line of a finding, `# expect-next: ...` on the line before it. A
first line `# lint: target=0.2 extend-select=GYM` gives settings.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from openpto.lint.engine import lint_files
from openpto.lint.selection import Selection

FOLDER = Path(__file__).parent / "corpus"
FILES = sorted(FOLDER.rglob("*.py"))
EXPECTED = re.compile(r"# expect(?P<next>-next)?: (?P<codes>PTO\d{3}(?:, PTO\d{3})*)$")


def expected(text: str) -> list[tuple[str, int]]:
    """The findings that the comments announce: (code, line)."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = EXPECTED.search(line)
        if match:
            found += [(code, number + bool(match["next"])) for code in match["codes"].split(", ")]
    return sorted(found, key=lambda entry: (entry[1], entry[0]))


def selection(text: str) -> Selection:
    """The settings in the first line."""
    first = text.partition("\n")[0]
    given = (
        dict(pair.split("=") for pair in first.removeprefix("# lint: ").split()) if first.startswith("# lint:") else {}
    )
    extended = tuple(given["extend-select"].split(",")) if "extend-select" in given else ()
    return Selection(target=given.get("target"), chip=given.get("chip"), extend_select=extended)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(FOLDER).as_posix())
def test_findings(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    found = [finding for finding in lint_files([file], selection(text)) if Path(finding.span.file) == file]
    assert sorted(((finding.code, finding.span.line) for finding in found), key=lambda entry: entry[::-1]) == expected(
        text
    )


def test_most_files_are_faulty() -> None:
    faulty = [file for file in FILES if expected(file.read_text(encoding="utf-8"))]
    assert len(faulty) >= 60
