"""The generated page of the contract: current, complete, and right where another source can tell."""

from __future__ import annotations

import contract_table
from openpto.ops.registry import OPS


def rows(name: str) -> list[list[str]]:
    """The cells of an operation's rows."""
    lines = contract_table.page().splitlines()
    return [line.strip("| ").split(" | ") for line in lines if line.startswith(f"| `{name}` |")]


def test_page_is_current() -> None:
    assert contract_table.is_current(), "run `make docs-tables`"


def test_every_available_operation_has_a_row() -> None:
    page = contract_table.page()
    available = [d.name for d in OPS.values() if d.public and d.record is not None]
    assert [name for name in available if f"| `{name}` |" not in page] == []


def test_special_values_of_floats() -> None:
    """Against IEEE 754: exp, sqrt and the division of zeros and infinities."""
    for row in rows("exp"):
        assert row[4:7] == ["NaN", "+0", "+0"]
        assert row[9:11] == ["1", "1"]
        assert row[-2:] == ["+inf", "+inf"]
    for row in rows("sqrt"):
        assert row[4:11] == ["NaN", "NaN", "NaN", "NaN", "NaN", "−0", "+0"]
    quotients = [row for row in rows("div") if row[1] == "FP32"]
    assert [row[8:11] for row in quotients] == [["+inf", "−inf", "NaN"]]


def test_halves_say_where_they_are_rounded() -> None:
    added = {row[1]: row[3] for row in rows("add")}
    assert (added["FP16"], added["BF16"], added["FP32"]) == ("end of chain", "end of chain", "each step")
    assert {row[1]: row[3] for row in rows("exp")} == {
        "FP16": "each operation",
        "FP32": "each step",
        "BF16": "end of chain",
    }


def test_integers_wrap() -> None:
    (row,) = [row for row in rows("add") if row[1] == "INT32"]
    assert row[4:6] == ["min", "max"]
