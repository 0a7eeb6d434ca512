"""The demonstration: two operators against their goldens, and one mistake with its diagnostic.

`python -m openpto_gym.demo` prints a table and exits with 1 if a result is outside its tolerance, if the softmax was
compiled more than once, or if the planted mistake went unnoticed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import pypto
from openpto_gym.comparison import Difference, Tolerance, compare
from openpto_gym.gated_delta_rule import cases as delta_cases
from openpto_gym.gated_delta_rule import run as run_delta_rule
from openpto_gym.gated_delta_rule.golden import gated_delta_rule_golden
from openpto_gym.mistake import softmax_that_forgets_the_tail
from openpto_gym.softmax import cases as softmax_cases
from openpto_gym.softmax import row_softmax
from openpto_gym.softmax.golden import row_softmax_golden

SOFTMAX_CASES = ("one_row", "one_past_a_tile", "many_tiles")
DELTA_CASES = ("unaligned_single", "lengths_around_a_chunk_L64", "lengths_around_a_chunk_L32", "empty_sequences")
HEADINGS = ("case", "shape", "max abs", "max ULP", "tolerance", "time", "")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    case: str
    shape: str
    difference: Difference
    tolerance: Tolerance
    seconds: float

    def cells(self) -> tuple[str, ...]:
        """The texts of the line, in the order of HEADINGS."""
        found = self.difference
        return (
            self.case,
            self.shape,
            f"{found.max_abs:.1e}",
            f"{found.max_ulp:.1f}",
            f"{self.tolerance.atol:g}+{self.tolerance.rtol:g}g",
            f"{self.seconds:.2f} s",
            "ok" if found.ok else f"{found.outside} out",
        )


def softmax_rows() -> Iterator[Row]:
    """Row softmax on three numbers of rows."""
    chosen = (case for case in softmax_cases.CASES if case.name in SOFTMAX_CASES)
    for case in chosen:
        x = softmax_cases.make_input(case)
        out = np.full_like(x, np.nan)
        begin = time.perf_counter()
        row_softmax(x, out)
        seconds = time.perf_counter() - begin
        difference = compare(out, row_softmax_golden(x), case.tolerance)
        yield Row("row softmax", f"{case.rows} x {case.cols}", difference, case.tolerance, seconds)


def delta_rule_rows() -> Iterator[Row]:
    """The gated delta rule on unaligned lengths: outputs and last states."""
    chosen = (case for case in delta_cases.CASES if case.name in DELTA_CASES)
    for case in chosen:
        inputs = delta_cases.make_inputs(case)
        begin = time.perf_counter()
        results = run_delta_rule(*inputs, chunk_size=case.chunk)
        seconds = time.perf_counter() - begin
        goldens = gated_delta_rule_golden(*inputs)
        shape = "+".join(str(length) for length in case.lengths)
        for what, actual, golden in zip(("out", "state"), results, goldens, strict=True):
            difference = compare(actual, golden, case.tolerance)
            yield Row(f"delta D{case.d} L{case.chunk} {what}", shape, difference, case.tolerance, seconds)


def print_table(rows: list[Row]) -> None:
    """Print the table, with rich where it is installed, in plain columns otherwise; g is the golden."""
    lines = [row.cells() for row in rows]
    try:
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        widths = [max(len(line[i]) for line in (HEADINGS, *lines)) for i in range(len(HEADINGS))]
        for line in (HEADINGS, *lines):
            print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
        return
    table = Table(*HEADINGS, box=SIMPLE_HEAD, padding=0, pad_edge=False)
    for line in lines:
        table.add_row(*(Text(cell) for cell in line))
    Console().print(table)


def planted_mistake() -> pypto.PyptoError | None:
    """Run a softmax that takes its last block for a full one; the error it stops with, None if it does not stop."""
    x = np.zeros((100, 64), np.float32)
    try:
        softmax_that_forgets_the_tail(x, np.zeros_like(x))
    except pypto.PyptoError as error:
        return error
    return None


def main() -> int:
    """Run everything; the exit code."""
    rows = [*softmax_rows(), *delta_rule_rows()]
    print("\nResults against float64 goldens g; the shapes of the delta rule are sequence lengths.")
    print_table(rows)
    failures = [row.case for row in rows if not row.difference.ok]

    print(f"\nrow softmax: {len(SOFTMAX_CASES)} numbers of rows, {row_softmax.compilations} compilation(s)")
    if row_softmax.compilations != 1:
        failures.append("row softmax was compiled more than once")

    print("\nA mistake on purpose: the last block of rows is declared full although the tensor ends inside it.\n")
    error = planted_mistake()
    print(error if error is not None else "it went unnoticed")
    if error is None:
        failures.append("the planted mistake went unnoticed")

    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
