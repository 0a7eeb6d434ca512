"""Write docs/api/index.md, the table of the public operations, from their declarations.

`--check` compares instead and exits with 1 if the file is not current; `--write` writes it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from docsite.words import FAMILIES
from openpto.ops.dtype_sets import COMPUTED
from openpto.ops.registry import OPS, OpDecl

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "api" / "index.md"
TEST_FILE = "tests/ops/test_conformance.py"

HEADER = """\
# Table of the API

Every public operation of `pypto` and its state. This page is generated from the declarations of the operations by
`make docs-tables`; a test compares the two.

- **exact**: does what the [contract](../contract.md) says, bit for bit.
- **deviates**: does something else in a way that the remark documents.
- **missing**: the name exists and stops with PTO902, "not yet available".

*Types* are the element types that the operation computes with today. Other types of the device stop with a code.
*ULP* is the largest error, in units in the last place, that the tests allow against an independent golden; 0 is
exact. *Tests* is the number of the operation's samples, each run by `{test}`.
"""


def public_ops() -> list[OpDecl]:
    """The declarations with a public name, by name."""
    return sorted((decl for decl in OPS.values() if decl.public), key=lambda decl: decl.name)


def types_of(decl: OpDecl) -> str:
    """The element types that are computed today, or a dash."""
    if decl.status == "missing":
        return ""
    if decl.dtypes is None:
        return "any"
    return " ".join(sorted(dtype.short for dtype in decl.dtypes.union & COMPUTED)) or "none yet"


def error_of(decl: OpDecl) -> str:
    """The largest error that a sample of the operation allows."""
    return f"{max(sample.ulp for sample in decl.samples):g}" if decl.samples else ""


def cells(decl: OpDecl) -> list[str]:
    """One row of the table."""
    tests = str(len(decl.samples)) if decl.samples else ""
    summary = decl.summary.rstrip(".").replace("|", "\\|").replace("``", "`")
    return [f"`{decl.name}`", summary, decl.status, types_of(decl), error_of(decl), tests]


def table(rows: list[list[str]]) -> Iterator[str]:
    """Lines of a table."""
    yield "| name | | state | types | ULP | tests |"
    yield "|---|---|---|---|---|---|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def page() -> str:
    """The whole page."""
    decls = public_ops()
    states = [decl.status for decl in decls]
    counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(sorted(states)))
    lines = [HEADER.format(test=TEST_FILE), f"{len(decls)} names: {counts}."]
    for letter, title in FAMILIES.items():
        members = [decl for decl in decls if decl.family == letter]
        if members:
            lines += ["", f"## {title.en}", "", *table([cells(decl) for decl in members])]
    return "\n".join(lines) + "\n"


def is_current() -> bool:
    """Whether the file says what the declarations say."""
    return PAGE.exists() and PAGE.read_text(encoding="utf-8") == page()


def main() -> int:
    """Write or check the page."""
    if "--write" in sys.argv[1:]:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if is_current():
        return 0
    print(f"{PAGE.relative_to(ROOT)} is not current: run `make docs-tables`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
