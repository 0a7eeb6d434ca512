"""The benchmarks of kernels: our time against torch's and against the limits of the machine, in the same run.

Usage: python bench/run.py [NAME ...] [--threads N] [--write]      (--write: all rows, docs/benchmarks.md, its plot)

Both sides use the same number of threads. Ratios are medians of ratios within a round: both sides of a round met the
same machine.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator

import torch

import openpto
import page
from page import Row
from timing import CopyLimit, FmaPeak, Timing, alternated
from workloads import WORKLOADS, Work


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


WIDTHS = (40, 34, 12, 12, 8, 8, 6)


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
            tell(row)
    if chosen.write:
        import system

        for row in system.rows():
            rows.append(row)
            tell(row)
        page.write(rows, chosen.threads, limits())


def tell(row: Row) -> None:
    """Print a row."""
    print("  ".join(f"{cell:{width}}" for cell, width in zip(row.cells, WIDTHS, strict=True)), flush=True)


def limits() -> list[str]:
    """What the machine gives now."""
    peak, plain, streaming = FmaPeak(), CopyLimit(), CopyLimit(streaming=True)
    found = alternated({"peak": peak, "copy": plain, "streaming": streaming}, rounds=5)
    copied, streamed = plain.moved / found["copy"].cpu / 1e9, streaming.moved / found["streaming"].cpu / 1e9
    return [
        f"peak of multiply-adds: {peak.flops / found['peak'].cpu / 1e9:.0f} GFLOP/s, one thread, FP32",
        f"copy bandwidth: {copied:.1f} GB/s read and written, one thread; {streamed:.1f} with streaming stores",
    ]


if __name__ == "__main__":
    main()
