"""What every benchmark needs: medians of alternated runs, machine facts, and the limits of the machine itself.

Limits are measured in the run they are compared with, by compiled loops: :class:`FmaPeak` (FP32 multiply-adds of one
thread) and :class:`CopyLimit` (bytes read and written). Time both of them beside the work under test::

    peak = FmaPeak()
    found = alternated({"peak": peak, "work": work})
    percent = 100 * share(found["work"], flops, found["peak"], peak.flops)

``cpu`` is the processor time of the whole process: on a machine that is shared with others it is what the work needs,
while ``wall`` also counts the waiting. With more than one thread only ``wall`` tells how long something takes.
"""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from openpto.runtime.native import jit

LANES = 16


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of one call in every round."""

    walls: tuple[float, ...]
    cpus: tuple[float, ...]

    @property
    def wall(self) -> float:
        """Median time that passed."""
        return statistics.median(self.walls)

    @property
    def cpu(self) -> float:
        """Median processor time."""
        return statistics.median(self.cpus)


def share(work: Timing, amount: float, limit: Timing, most: float) -> float:
    """``amount`` per second of ``work`` over ``most`` per second of ``limit``, in processor time: the median of the
    rounds' ratios, because both met the same machine within a round and another one in the next."""
    rates = zip(work.cpus, limit.cpus, strict=True)
    return statistics.median(amount / own / (most / other) for own, other in rates)


def alternated(
    runs: Mapping[str, Callable[[], object]], rounds: int = 9, least: float = 0.02, warm: int = 1
) -> dict[str, Timing]:
    """Time several functions in one process, one after the other in every round, so that all meet the same machine.

    Args:
        runs: what to time, by name.
        rounds: rounds that count; each function runs in each.
        least: seconds that one measurement should take at least: short functions are repeated within it.
        warm: calls before anything is measured (compilation, page faults).
    """
    repeats: dict[str, int] = {}
    for name, run in runs.items():
        for _ in range(warm):
            run()
        begin = time.perf_counter()
        run()
        repeats[name] = max(1, int(least / max(time.perf_counter() - begin, 1e-9)))
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, run in runs.items():
                samples[name].append(_once(run, repeats[name]))
    finally:
        if enabled:
            gc.enable()
    return {name: Timing(*zip(*found, strict=True)) for name, found in samples.items()}


def _once(run: Callable[[], object], repeats: int) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - wall) / repeats, (time.process_time() - cpu) / repeats


# -- limits ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class FmaPeak:
    """A call does ``flops`` FP32 operations (a fused multiply-add counts as two), all in registers, in one thread."""

    steps: int = 200_000
    code: jit.Compiled = field(init=False)

    def __post_init__(self) -> None:
        goal = jit.target()
        self.code = jit.compile_text(_fma_loop(_chains(goal)), goal)

    @property
    def flops(self) -> float:
        """Operations of one call."""
        return 2.0 * LANES * _chains(jit.target()) * self.steps

    def __call__(self) -> None:
        """Run the loop."""
        sink = (ctypes.c_float * LANES)()
        self.code.entry(ctypes.addressof(sink), None, None, self.steps)


@dataclass(slots=True)
class CopyLimit:
    """A call copies an array that no cache holds; ``moved`` counts the bytes read and written.

    ``streaming`` stores go around the caches: about the double of a plain copy, where the data is not needed soon.
    """

    size: int = 256 << 20
    streaming: bool = False
    code: jit.Compiled = field(init=False)
    source: Any = field(init=False)
    target: Any = field(init=False)

    def __post_init__(self) -> None:
        self.code = jit.compile_text(_copy_loop(self.streaming), jit.target())
        self.source, self.target = aligned(self.size), aligned(self.size)
        self.source[:] = 1
        self.target[:] = 2

    @property
    def moved(self) -> float:
        """Bytes of one call."""
        return 2.0 * self.size

    def __call__(self) -> None:
        """Copy once."""
        self.code.entry(self.target.ctypes.data, self.source.ctypes.data, None, self.size // (4 * LANES))


def aligned(size: int, alignment: int = 64) -> Any:
    """``size`` bytes at a multiple of ``alignment``, as an array of UINT8."""
    raw = np.empty(size + alignment, np.uint8)
    start = -raw.ctypes.data % alignment
    return raw[start : start + size]


def _chains(goal: jit.Target) -> int:
    """Accumulators of sixteen lanes that are in flight: enough to hide the latency, few enough for the registers."""
    return 16 if "avx512f" in goal.features else 6


def _fma_loop(chains: int) -> str:
    vector = f"<{LANES} x float>"
    one = f"splat (float {1.0})"
    phis = [f"  %a{k} = phi {vector} [ zeroinitializer, %entry ], [ %n{k}, %loop ]" for k in range(chains)]
    steps = [
        f"  %n{k} = call {vector} @llvm.fma.v{LANES}f32({vector} %a{k}, {vector} %factor, {vector} {one})"
        for k in range(chains)
    ]
    joined, last = [], "%n0"
    for k in range(1, chains):
        joined.append(f"  %j{k} = fadd {vector} {last}, %n{k}")
        last = f"%j{k}"
    return "\n".join(
        [
            f"declare {vector} @llvm.fma.v{LANES}f32({vector}, {vector}, {vector})",
            "define i64 @kernel(ptr %sink, ptr %x, ptr %y, i64 %count) {",
            "entry:",
            f"  %factor = load {vector}, ptr %sink, align 4",
            "  br label %loop",
            "loop:",
            "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
            *phis,
            *steps,
            "  %next = add i64 %i, 1",
            "  %more = icmp slt i64 %next, %count",
            "  br i1 %more, label %loop, label %done",
            "done:",
            *joined,
            f"  store {vector} {last}, ptr %sink, align 4",
            "  ret i64 0",
            "}",
        ]
    )


def _copy_loop(streaming: bool) -> str:
    vector, hint = f"<{LANES} x i32>", ", !nontemporal !0" if streaming else ""
    lines = []
    for k in range(4):
        lines += [
            f"  %p{k} = add i64 %i, {k}",
            f"  %s{k} = getelementptr {vector}, ptr %from, i64 %p{k}",
            f"  %t{k} = getelementptr {vector}, ptr %to, i64 %p{k}",
            f"  %x{k} = load {vector}, ptr %s{k}, align 64",
            f"  store {vector} %x{k}, ptr %t{k}, align 64{hint}",
        ]
    return "\n".join(
        [
            "define i64 @kernel(ptr %to, ptr %from, ptr %x, i64 %count) {",
            "entry:",
            "  br label %loop",
            "loop:",
            "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
            *lines,
            "  %next = add i64 %i, 4",
            "  %more = icmp slt i64 %next, %count",
            "  br i1 %more, label %loop, label %done",
            "done:",
            "  fence seq_cst",
            "  ret i64 0",
            "}",
            "!0 = !{i32 1}",
        ]
    )


# -- facts -------------------------------------------------------------------------------------------------------------


def machine() -> dict[str, str]:
    """What a reader must know beside the figures."""
    goal = jit.target()
    vectors = [f for f in ("avx512f", "avx512bf16", "avx512vnni", "avx2", "fma", "neon") if f in goal.features]
    return {
        "processor": _processor(),
        "cores usable": str(_cores()),
        "code path": f"{goal.cpu} ({' '.join(vectors) or 'baseline'})",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "llvmlite": _version("llvmlite"),
        "load": " ".join(f"{x:.1f}" for x in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown",
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def main() -> None:
    """Print the facts and the limits."""
    for name, value in machine().items():
        print(f"{name:14} {value}")
    peak, plain, streaming = FmaPeak(), CopyLimit(), CopyLimit(streaming=True)
    found = alternated({"peak": peak, "copy": plain, "streaming copy": streaming}, rounds=7)
    print(f"{'FMA peak':14} {peak.flops / found['peak'].cpu / 1e9:.0f} GFLOP/s, one thread, FP32")
    for limit, name in ((plain, "copy"), (streaming, "streaming copy")):
        print(f"{name:14} {limit.moved / found[name].cpu / 1e9:.1f} GB/s, one thread, read + written")


if __name__ == "__main__":
    main()
