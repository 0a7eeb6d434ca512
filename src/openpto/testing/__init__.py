"""Comparing what a kernel wrote with a golden."""

from openpto.testing.assertion import assert_close, require_kept, require_output
from openpto.testing.cases import Case, parse_cases, read_cases
from openpto.testing.compare import Comparison, Element, compare, error_ratios
from openpto.testing.differences import Difference, first_difference
from openpto.testing.report import report, summary
from openpto.testing.tolerance import PROFILES, T1, T2, T3, T4, T5, T6, Ratios, Tolerance, default_tolerance
from openpto.testing.triple import Triple, compare_triple

__all__ = [
    "PROFILES",
    "T1",
    "T2",
    "T3",
    "T4",
    "T5",
    "T6",
    "Case",
    "Comparison",
    "Difference",
    "Element",
    "Ratios",
    "Tolerance",
    "Triple",
    "assert_close",
    "compare",
    "compare_triple",
    "default_tolerance",
    "error_ratios",
    "first_difference",
    "parse_cases",
    "read_cases",
    "report",
    "require_kept",
    "require_output",
    "summary",
]
