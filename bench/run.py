"""The benchmarks of kernels: our time against torch's and against the limits of the machine, in the same run.

Usage: python bench/run.py [NAME ...] [--threads N] [--write]      (--write: docs/benchmarks.md and its plot)

Both sides use the same number of threads. Ratios are medians of ratios within a round: both sides of a round met the
same machine.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

import openpto
from timing import CopyLimit, FmaPeak, Timing, alternated, machine
from workloads import WORKLOADS, Work

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: times in ms; ``ratio`` is theirs over ours, or our share of a limit."""

    work: str
    against: str
    ours: float
    theirs: float
    ratio: float
    target: float
    percent: bool = False

    @property
    def cells(self) -> tuple[str, ...]:
        """As text."""
        show = (lambda x: f"{100 * x:.0f} %") if self.percent else (lambda x: f"{x:.2f}x")
        verdict = "met" if self.ratio >= self.target else "missed"
        ours, theirs = f"{self.ours * 1e3:.2f}", "" if self.percent else f"{self.theirs * 1e3:.2f}"
        return self.work, self.against, ours, theirs, show(self.ratio), show(self.target), verdict


def ratio(ours: Timing, theirs: Timing, threads: int) -> float:
    """The median over rounds of their time over ours: processor time of one thread, wall time of several."""
    pairs = zip(ours.cpus, theirs.cpus, strict=True) if threads == 1 else zip(ours.walls, theirs.walls, strict=True)
    return statistics.median(b / a for a, b in pairs)


def rows_of(work: Work, threads: int) -> Iterator[Row]:
    """Time one workload beside its rivals and limits."""
    runs = {"ours": work.run, **{rival.name: rival.run for rival in work.rivals}}
    limits: dict[str, FmaPeak | CopyLimit] = {}
    if work.flops:
        limits["peak of multiply-adds"] = FmaPeak()
    if work.moved:
        limits["copy bandwidth"] = CopyLimit()
    found = alternated({**runs, **limits}, rounds=work.rounds)
    ours = found["ours"]
    own = ours.cpu if threads == 1 else ours.wall
    for rival in work.rivals:
        theirs = found[rival.name]
        their = theirs.cpu if threads == 1 else theirs.wall
        yield Row(work.name, rival.name, own, their, ratio(ours, theirs, threads), rival.target)
    for name, limit in limits.items():
        amount = work.flops if isinstance(limit, FmaPeak) else work.moved
        most = limit.flops if isinstance(limit, FmaPeak) else limit.moved
        scale = amount / most / (threads if isinstance(limit, FmaPeak) else 1)
        yield Row(work.name, name, own, 0.0, ratio(ours, found[name], threads) * scale, work.least, percent=True)


WIDTHS = (32, 30, 10, 10, 8, 8, 6)
HEAD = ("work", "against", "ours (ms)", "theirs (ms)", "ratio", "target", "")


def main() -> None:
    """Run and print; with ``--write`` also the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(WORKLOADS))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    openpto.configure(engine="native", threads=chosen.threads)
    rows: list[Row] = []
    for name in chosen.names or WORKLOADS:
        for row in rows_of(WORKLOADS[name](), chosen.threads):
            rows.append(row)
            print(
                "  ".join(f"{cell:{width}}" for cell, width in zip(row.cells, (32, 30, 10, 10, 8, 8, 6), strict=True))
            )
    if chosen.write:
        PAGE.write_text(page(rows, chosen.threads))


def page(rows: list[Row], threads: int) -> str:
    """The table as a page."""
    lines = ["| " + " | ".join(HEAD) + " |", "|---|---|---:|---:|---:|---:|---|"]
    lines += ["| " + " | ".join(row.cells) + " |" for row in rows]
    facts = "\n".join(f"- {name}: {value}" for name, value in machine().items())
    return TEXT.format(threads=threads, facts=facts, table="\n".join(lines))


TEXT = """# Benchmarks

Written by `make bench`: medians of alternated runs in one process, {threads} thread(s) on both sides. A ratio is the
median over rounds of their time over ours. With one thread times are processor time, with several they are wall time.
Limits of the machine are measured in the same run; our share of them is given in percent.

{facts}

{table}
"""


if __name__ == "__main__":
    main()
