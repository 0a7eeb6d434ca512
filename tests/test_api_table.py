"""The table of the API and the type stubs are current and complete."""

from __future__ import annotations

import api_stub
import api_table

# Public operations per family, counted from the published API.
COUNTS = {
    "U": 34, "B": 20, "C": 18, "R": 9, "K": 5, "S": 19, "I": 11, "T": 4, "M": 3, "Q": 3, "N": 2, "P": 3, "E": 10,
    "D": 11, "V": 4,
}  # fmt: skip


def test_page_is_current() -> None:
    assert api_table.is_current(), "run `make docs-tables`"


def test_type_stubs_are_current() -> None:
    assert api_stub.stale() == [], "run `make docs-tables`"


def test_every_public_name_has_a_row() -> None:
    families = [decl.family for decl in api_table.public_ops()]
    assert {letter: families.count(letter) for letter in COUNTS} == COUNTS
    assert len(families) == sum(COUNTS.values()) == 156


def test_what_is_not_missing_has_tests() -> None:
    untested = [decl.name for decl in api_table.public_ops() if decl.status != "missing" and not decl.samples]
    assert untested == []


def test_nothing_is_missing() -> None:
    assert [decl.name for decl in api_table.public_ops() if decl.status == "missing"] == []
