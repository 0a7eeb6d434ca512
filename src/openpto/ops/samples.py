"""Generators of sample arrays for the declarations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.ir.dtypes import DataType, numpy_dtype

Generator = Callable[[np.random.Generator], NDArray[Any]]


def normal(*shape: int) -> Generator:
    """FP32, normally distributed."""
    return lambda rng: rng.standard_normal(shape).astype(np.float32)


def positive(*shape: int) -> Generator:
    """FP32 between 0.05 and 20."""
    return lambda rng: rng.uniform(0.05, 20.0, shape).astype(np.float32)


def integral(*shape: int, low: int = -1000, high: int = 1000, dtype: Any = np.int32) -> Generator:
    """Integers in [low, high)."""
    return lambda rng: rng.integers(low, high, shape).astype(dtype)


def whole(*shape: int) -> Generator:
    """FP32 with whole values: sums of products of a few hundred of them are exact."""
    return lambda rng: rng.integers(-9, 10, shape).astype(np.float32)


def truth(*shape: int) -> Generator:
    """BOOL."""
    return lambda rng: rng.integers(0, 2, shape).astype(np.bool_)


def converted(made: Generator, dtype: DataType) -> Generator:
    """What another generator makes, in the host type of ``dtype``."""
    return lambda rng: made(rng).astype(numpy_dtype(dtype))
