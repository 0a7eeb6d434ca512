"""Comparing what a kernel wrote with a golden."""

from openpto.testing.compare import Comparison, assert_close, compare

__all__ = ["Comparison", "assert_close", "compare"]
