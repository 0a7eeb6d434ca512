"""Matrix products against the multiply-adds of the machine, one thread.

Usage: python bench/gemm.py [NAME ...] [--rounds N]

The percentages are shares of the FP32 peak that was measured in the same rounds, the median of the rounds and that of
the best round of each; INT8 counts its own multiply-adds, so it may be more than 100. Whole kernels are timed, with the
call, the views and the stores that belong to them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import ml_dtypes
import numpy as np

import openpto
import products
from timing import FmaPeak, Timing, alternated, machine, share

STORAGE = {"FP32": np.float32, "FP16": np.float16, "BF16": ml_dtypes.bfloat16, "INT8": np.int8}


@dataclass(frozen=True, slots=True)
class Case:
    """A call, its operations, and the share of the peak (or of the FP32 case named ``of``) that is aimed at."""

    name: str
    run: Callable[[], object]
    flops: float
    least: float
    of: str = ""


def operand(storage: str, *shape: int) -> np.ndarray:
    """Random elements."""
    chance = np.random.default_rng(0)
    if storage == "INT8":
        return chance.integers(-128, 128, shape).astype(np.int8)
    return chance.standard_normal(shape, dtype=np.float32).astype(STORAGE[storage])


def tiles() -> list[Case]:
    """128^3 products in a loop, of tiles that the second cache holds."""
    count, again, size = 4, 64, 128
    a, b = operand("FP32", count * size, size), operand("FP32", size, size)
    out = np.zeros((count * size, size), np.float32)
    flops = 2.0 * again * count * size**3
    cases = []
    for name, kernel in (("128^3 loop", products.tiles), ("128^3 loop, B transposed", products.tiles_turned)):
        kernel(a, b, out)
        right = b.T if "transposed" in name else b
        assert np.abs(out - a.astype(np.float64) @ right).max() < 1e-3
        cases.append(Case(name, partial(kernel, a, b, out), flops, 0.92))
    return cases


def large() -> list[Case]:
    """2048^3 in every type; results in the type of the operands, INT32 for INT8."""
    size, cases = 2048, []
    for storage, kernel in products.LARGE.items():
        a, b = operand(storage, size, size), operand(storage, size, size)
        out = np.zeros((size, size), np.int32 if storage == "INT8" else STORAGE[storage])
        kernel(a, b, out)
        exact = a[:8].astype(np.float64) @ b.astype(np.float64)
        assert np.allclose(out[:8].astype(np.float64), exact, rtol=1e-2, atol=1e-2), storage
        least, of = {"FP32": (0.85, ""), "INT8": (2.0, "2048^3 FP32")}.get(storage, (0.9, "2048^3 FP32"))
        cases.append(Case(f"2048^3 {storage}", partial(kernel, a, b, out), 2.0 * size**3, least, of))
    return cases


def scores() -> list[Case]:
    """The two products of attention: a block of 128 queries against 4096 keys, and weights against 4096 values."""
    tokens, width = 4096, 128
    block, keys = operand("FP32", width, width), operand("FP32", tokens, width)
    out, last = np.zeros((width, width), np.float32), keys[-width:].astype(np.float64)
    flops = 2.0 * width * width * tokens
    products.query_key(block, keys, out)
    assert np.abs(out - block @ last.T).max() < 1e-3
    products.weights_value(block, keys, out)
    assert np.abs(out - block @ last).max() < 1e-3
    return [
        Case("Q K^T, 32 blocks of keys", partial(products.query_key, block, keys, out), flops, 0.85),
        Case("P V, 32 blocks of values", partial(products.weights_value, block, keys, out), flops, 0.85),
    ]


GROUPS: dict[str, Callable[[], list[Case]]] = {"tiles": tiles, "large": large, "attention": scores}


def report(cases: list[Case], found: dict[str, Timing], peak: FmaPeak) -> None:
    """A line per case."""
    by_name = {case.name: case for case in cases}
    for case in cases:
        own = found[case.name]
        part = share(own, case.flops, found["peak"], peak.flops)
        best = case.flops / min(own.cpus) / (peak.flops / min(found["peak"].cpus))
        if case.of:
            other = by_name[case.of]
            ratio = share(own, case.flops, found[case.of], other.flops)
            verdict = f"{ratio:.2f} x FP32, aim {case.least}"
        else:
            verdict = f"aim {100 * case.least:.0f}"
        speed = (
            f"{own.cpu * 1e3:9.2f} ms  {case.flops / own.cpu / 1e9:7.0f} G/s {100 * part:6.1f} % {100 * best:6.1f} %"
        )
        print(f"{case.name:28} {speed}  {verdict}")


def main() -> None:
    """Time the groups asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(GROUPS)}; default all")
    parser.add_argument("--rounds", type=int, default=25)
    args = parser.parse_args()
    for name, value in machine().items():
        print(f"{name:14} {value}")
    peak = FmaPeak(steps=20_000)
    with openpto.configure(engine="native", threads=1):
        for name in args.names or GROUPS:
            cases = GROUPS[name]()
            runs: dict[str, Callable[[], object]] = {"peak": peak, **{case.name: case.run for case in cases}}
            found = alternated(runs, args.rounds, least=0.002)
            print(f"{'peak of multiply-adds':28} {peak.flops / found['peak'].cpu / 1e9:20.0f} G/s")
            report(cases, found, peak)


if __name__ == "__main__":
    main()
