"""Greatest error of the FP32 functions over all inputs, in units of the last place of the exact result.

Usage: python tools/fit/sweep.py [--step N] [NAME ...]     (step 1, the default, takes every one of the 2^32 inputs)

The expressions run as machine code; the goldens are FP64 functions that are not ours.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from openpto.ops import math as functions
from openpto.ops.arith import F32, build

Golden = Callable[[NDArray[np.float64]], NDArray[np.float64]]
CHUNK = 1 << 20


def from_torch(name: str, scalar: Callable[[float], float]) -> Golden:
    """A function that numpy lacks: torch's, or element by element (twenty times slower) where there is no torch."""

    def golden(x: NDArray[np.float64]) -> NDArray[np.float64]:
        if find_spec("torch") is None:
            return np.fromiter(map(scalar, x.tolist()), np.float64, x.size)
        import torch

        found: NDArray[np.float64] = getattr(torch, name)(torch.from_numpy(x)).numpy()
        return found

    return golden


def within_range(function: Golden) -> Golden:
    """``function`` where the trigonometric ones are defined, NaN beyond."""

    def limited(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(np.abs(x) <= 2.0**27, function(x), np.nan)

    return limited


GOLDENS: dict[str, Golden] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "erf": from_torch("erf", math.erf),
    "erfc": from_torch("erfc", math.erfc),
    "tanh": np.tanh,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "sin": within_range(np.sin),
    "cos": within_range(np.cos),
    "tan": within_range(np.tan),
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "cbrt": np.cbrt,
    "sqrt": np.sqrt,
    "reciprocal": lambda x: 1.0 / x,
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
}


def ulp_error(result: NDArray[np.float32], exact: NDArray[np.float64]) -> NDArray[np.float64]:
    """|result - exact| in units of the last FP32 place of ``exact``.

    0 where both are NaN or equal, and where an overflow gives the right infinity; inf for any other special value.
    """
    with np.errstate(all="ignore"):
        # The exponent bits alone are the power of two at or below the value.
        power = (exact.view(np.int64) & 0x7FF0000000000000).view(np.float64)
        unit = np.clip(power * 2.0**-23, 2.0**-149, 2.0**104)
        error = np.abs(result - exact) / unit
        special = ~np.isfinite(error) | np.isinf(result)
        if special.any():
            error[special] = _special_error(result[special], exact[special])
    return error


def _special_error(result: NDArray[np.float32], exact: NDArray[np.float64]) -> NDArray[np.float64]:
    overflow = np.abs(exact) >= 2.0**128 - 2.0**103
    right = (result == exact) | (np.isnan(result) & np.isnan(exact))
    right |= np.isinf(result) & overflow & (np.sign(result) == np.sign(exact))
    return np.where(right, 0.0, np.inf)


@dataclass
class Worst:
    """The greatest error so far, where it was, and how many inputs were tried. A result that is the FP32 number nearest
    to the exact value counts as 0.5, which is the most its error can be."""

    error: float = 0.0
    x: float = math.nan
    tried: int = 0

    def take(self, x: NDArray[np.float32], result: NDArray[np.float32], exact: NDArray[np.float64]) -> None:
        """Note the results for ``x``."""
        with np.errstate(all="ignore"):
            nearest = exact.astype(np.float32)
        other = np.flatnonzero((result != nearest) & ~(np.isnan(result) & np.isnan(nearest)))
        self.tried += x.size
        self.error = max(self.error, 0.5)
        if other.size:
            errors = ulp_error(result[other], exact[other])
            at = int(errors.argmax())
            if errors[at] > self.error:
                self.error, self.x = float(errors[at]), float(x[other[at]])


def sweep(name: str, step: int = 1) -> Worst:
    """The worst error of a function over every ``step``-th FP32 bit pattern."""
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import llvm_engine  # needs llvmlite, which the goldens do not

    expr = build(getattr(functions, name), F32)
    worst = Worst()
    for start in range(0, 2**32, CHUNK * step):
        x = np.arange(start, min(2**32, start + CHUNK * step), step, dtype=np.uint64).astype(np.uint32).view(np.float32)
        with np.errstate(all="ignore"):
            exact = GOLDENS[name](x.astype(np.float64))
        worst.take(x, llvm_engine.run(expr, [x]), exact)
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(GOLDENS))
    parser.add_argument("--step", type=int, default=1)
    options = parser.parse_args()
    for name in options.names or GOLDENS:
        start = time.perf_counter()
        worst = sweep(name, options.step)
        seconds = time.perf_counter() - start
        print(f"{name:12} {worst.error:.4f} at {worst.x!r} ({worst.tried} inputs, {seconds:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
