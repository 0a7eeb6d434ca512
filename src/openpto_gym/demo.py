"""The demonstration: two operators against their goldens, and one mistake with its diagnostic.

`python -m openpto_gym.demo` prints a table and exits with 1 if a result is outside its tolerance, if the softmax was
compiled more than once, or if the planted mistake went unnoticed. It needs no torch.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

import pypto
from openpto_gym import table
from openpto_gym.check import Result, check
from openpto_gym.mistake import softmax_that_forgets_the_tail
from openpto_gym.registry import load
from openpto_gym.softmax import row_softmax

CHOSEN = {
    "softmax": ("one_row", "one_past_a_tile", "many_tiles"),
    "gated_delta_rule": (
        "unaligned_single",
        "lengths_around_a_chunk_L64",
        "lengths_around_a_chunk_L32",
        "empty_sequences",
    ),
}
"""Cases by operator."""


def results() -> Iterator[Result]:
    """The chosen cases against their numpy goldens."""
    for name, chosen in CHOSEN.items():
        operator = load(name)
        for case in chosen:
            yield from check(operator, operator.case(case), "numpy", warm=False)


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
    rows = list(results())
    print("\nResults against float64 goldens g; T of the delta rule are sequence lengths.")
    table.write(rows)
    failures = [f"{row.operator} {row.case}: {table.outcome(row)}" for row in rows if row.verdict != "ok"]

    numbers = len(CHOSEN["softmax"])
    print(f"\nrow softmax: {numbers} numbers of rows, {row_softmax.compilations} compilation(s)")
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
