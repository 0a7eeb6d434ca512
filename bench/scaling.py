"""How much faster a kernel gets with more threads, and how much the machine gives at that moment.

Usage: python bench/scaling.py [NAME ...] [--threads N] [--rounds N]

A thread that others keep from its processor cannot help, so every round also times a loop of multiply-adds on one
thread and on N threads at once: what the machine gives. The target is 1.8 from one to two threads where it gives 2.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import openpto
from timing import FmaPeak, Timing, alternated
from workloads import WORKLOADS


def with_threads(run: Callable[[], object], threads: int) -> Callable[[], None]:
    """The call on a number of threads."""

    def call() -> None:
        with openpto.configure(engine="native", threads=threads):
            run()

    return call


def on_each(pool: ThreadPoolExecutor, run: Callable[[], object], threads: int) -> Callable[[], None]:
    """The call on each of several threads at once."""

    def call() -> None:
        for done in [pool.submit(run) for _ in range(threads)]:
            done.result()

    return call


def gain(one: Timing, many: Timing) -> float:
    """How many times as fast: the median of the rounds' ratios."""
    return statistics.median(a / b for a, b in zip(one.walls, many.walls, strict=True))


def scaled(
    run: Callable[[], object], threads: int, pool: ThreadPoolExecutor, peak: FmaPeak, rounds: int
) -> tuple[Timing, Timing, float]:
    """The call on one thread and on several, and how many times as much the machine gives to as many meanwhile."""
    found = alternated(
        {
            "one": with_threads(run, 1),
            "many": with_threads(run, threads),
            "machine one": peak,
            "machine many": on_each(pool, peak, threads),
        },
        rounds=rounds,
    )
    return found["one"], found["many"], threads * gain(found["machine one"], found["machine many"])


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["attention", "delta-rule"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    threads, peak = chosen.threads, FmaPeak(2_000_000)
    with ThreadPoolExecutor(threads) as pool:
        for name in chosen.names:
            one, many, given = scaled(WORKLOADS[name]().run, threads, pool, peak, chosen.rounds)
            best = min(one.walls) / min(many.walls)
            print(
                f"{name}: {gain(one, many):.2f} times as fast on {threads} threads "
                f"(best against best {best:.2f}); the machine gives {given:.2f}; "
                f"one thread {one.wall * 1e3:.1f} ms, processor time of both "
                f"{one.cpu * 1e3:.1f} and {many.cpu * 1e3:.1f} ms"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
