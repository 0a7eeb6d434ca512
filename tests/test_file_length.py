"""No file grows beyond the limit: a longer one has two rooms inside."""

from __future__ import annotations

from file_length import LIMIT, lengths


def test_no_file_is_over_the_limit() -> None:
    assert [name for count, name in lengths() if count > LIMIT] == []
