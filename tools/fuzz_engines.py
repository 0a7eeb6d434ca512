"""Differential fuzzing: random kernels must do the same on the reference and on the native engine.

    python tools/fuzz_engines.py -n 1000            programs from --first on, until one fails
    python tools/fuzz_engines.py --seed 17          one program, printed, run, and shrunk if it fails
    python tools/fuzz_engines.py --file kernel.py   a kernel file that has run()

``PYPTO_CPU`` chooses the code path of the native engine (native, avx512, avx2, generic). Without it programs with even
and odd seeds take turns between this machine's own width and AVX2.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from fuzz import compare, generate, shrink
from fuzz.program import Program

CHUNK = 500
PATIENCE = 60.0
"""Seconds for one program, which takes a tenth of one; data may be a loop's bound, and some of it is the largest
integer."""
REPORT = 1000
"""Programs between two lines of progress."""


def width(seed: int) -> str:
    """The code path of a program, unless the environment says one."""
    return ("native", "avx2")[seed % 2]


def chunk(first: int, count: int, folder: str, results: Any) -> None:
    """A worker: programs in turn; a crash of the process leaves the last seed in the queue."""
    chosen = os.environ.get("PYPTO_CPU")
    for seed in range(first, first + count):
        os.environ["PYPTO_CPU"] = chosen or width(seed)
        results.put(("start", seed, ""))
        _, found = compare.repaired(generate.program(seed), Path(folder))
        results.put((found.kind, seed, found.detail))
        if found.kind == "unsupported":
            for what in list(compare.compare_engines.missing):
                results.put(("lacking", seed, what))
            compare.compare_engines.missing.clear()
    results.put(("end", first, ""))


def sweep(first: int, count: int, folder: Path, keep_going: bool) -> int:
    """Run many programs in processes that may crash; returns how many failed."""
    kinds: Counter[str] = Counter()
    lacking: Counter[str] = Counter()
    failed: list[int] = []
    begin = time.perf_counter()
    position = first
    while position < first + count:
        size = min(CHUNK, first + count - position)
        position = _one_chunk(position, size, folder, kinds, lacking, failed)
        if (position - first) % REPORT < size:
            print(f"{position - first} of {count} programs, {len(failed)} failed", file=sys.stderr, flush=True)
        if failed and not keep_going:
            break
    seconds = time.perf_counter() - begin
    print(f"{sum(kinds.values())} programs in {seconds:.0f} s: {dict(kinds)}")
    if lacking:
        print(f"not compiled: {dict(lacking)}")
    for seed in failed[: 1 if not keep_going else len(failed)]:
        print(f"seed {seed} fails: python tools/fuzz_engines.py --seed {seed}")
    return len(failed)


def _one_chunk(
    first: int, size: int, folder: Path, kinds: Counter[str], lacking: Counter[str], failed: list[int]
) -> int:
    """Returns where to go on."""
    context = multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    worker = context.Process(target=chunk, args=(first, size, str(folder), results))
    worker.start()
    running, since = first, time.monotonic()
    while True:
        while results.empty():
            if time.monotonic() - since > PATIENCE:
                worker.kill()
                worker.join()
                kinds["too long"] += 1
                return running + 1
            if not worker.is_alive() and results.empty():
                print(f"seed {running}: the process ended with {worker.exitcode}")
                kinds["crash"] += 1
                failed.append(running)
                return running + 1
            time.sleep(0.01)
        kind, seed, detail = results.get()
        if kind == "end":
            worker.join()
            return first + size
        if kind == "start":
            running, since = seed, time.monotonic()
        elif kind == "lacking":
            lacking[detail] += 1
        else:
            kinds[kind] += 1
            if kind == "disagree":
                print(f"seed {seed}: {detail[:600]}", flush=True)
                failed.append(seed)


def crashes(program: Program, folder: Path) -> bool:
    """Whether the program fails, in a process of its own."""
    context = multiprocessing.get_context("fork")
    worker = context.Process(target=_alone, args=(program, folder))
    worker.start()
    worker.join()
    return worker.exitcode not in (0, 3)


def _alone(program: Program, folder: Path) -> None:
    found = compare.run(program, folder)
    sys.exit(3 if found.kind == "refused" else 1 if found.bad else 0)


def one(seed: int, folder: Path) -> int:
    """Shrink and print the program of a seed if it fails; else print it as it is."""
    os.environ.setdefault("PYPTO_CPU", width(seed))
    program = compare.without_refused(generate.program(seed), folder)
    if not crashes(program, folder):
        print(program.source()[0])
        print(f"# seed {seed}: the engines agree")
        return 0
    small = shrink.shrunk(program, lambda p: crashes(p, folder))
    print(small.source()[0], flush=True)
    print(f"# seed {seed}: {compare.run(small, folder).detail}")
    return 1


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=300, help="programs")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="one program")
    parser.add_argument("--file", type=Path, help="a kernel file")
    parser.add_argument("--keep-going", action="store_true", help="do not stop at the first failure")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYPTO_CACHE_DIR"] = os.path.join(folder, "kept")  # routines that programs share, for this run only
        if chosen.file is not None:
            found = compare.run_file(chosen.file)
            print(found.kind, found.detail)
            return int(found.bad)
        if chosen.seed is not None:
            return one(chosen.seed, Path(folder))
        return int(sweep(chosen.first, chosen.n, Path(folder), chosen.keep_going) > 0)


if __name__ == "__main__":
    sys.exit(main())
