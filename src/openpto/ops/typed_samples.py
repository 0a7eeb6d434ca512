"""Generators of sample arrays of any element type, with the values at which functions go wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from openpto.ir.dtypes import DataType, is_float, numpy_dtype

Generator = Callable[[np.random.Generator], NDArray[Any]]
Draw = Callable[[np.random.Generator, tuple[int, ...]], NDArray[Any]]

SHAPE = (8, 16)

DRAWS: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "positive": lambda rng, shape: rng.uniform(0.05, 20.0, shape),
    "unit": lambda rng, shape: rng.uniform(-1.0, 1.0, shape),
    "above one": lambda rng, shape: rng.uniform(1.0, 50.0, shape),
    "wide": lambda rng, shape: rng.standard_normal(shape) * 2.0 ** rng.integers(-12, 13, shape),
}
"""Distributions by name."""


def drawn(dtype: DataType, draw: str = "normal", shape: tuple[int, ...] = SHAPE) -> Generator:
    """Floats of ``dtype`` from a distribution, rounded."""
    return lambda rng: DRAWS[draw](rng, shape).astype(numpy_dtype(dtype))


def specials(dtype: DataType, draw: str = "normal", *, huge: bool = True) -> Generator:
    """Floats of ``dtype``: a distribution, and among it zeros, infinities, NaN, denormals, halves and extremes."""
    host = numpy_dtype(dtype)
    info = ml_dtypes.finfo(host)  # type: ignore[no-untyped-call]
    tiny = float(info.smallest_normal)
    values = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5]
    values += [tiny, -tiny, tiny / 4, -tiny / 2]
    values += [float(info.max), -float(info.max)] if huge else []

    def generate(rng: np.random.Generator) -> NDArray[Any]:
        array: NDArray[Any] = DRAWS[draw](rng, SHAPE).astype(host)
        array.flat[: len(values)] = np.array(values, np.float64).astype(host)
        return array

    return generate


def limits(dtype: DataType, *, zero: bool = True, shape: tuple[int, ...] = SHAPE) -> Generator:
    """Integers of the whole range of ``dtype``, with small ones and both limits; ``zero``: 0 may be among them."""
    host = numpy_dtype(dtype)
    info = np.iinfo(host)

    def generate(rng: np.random.Generator) -> NDArray[Any]:
        whole = rng.integers(info.min, info.max, shape, endpoint=True, dtype=host)
        small = rng.integers(max(info.min, -9), 9, shape, endpoint=True).astype(host)
        array: NDArray[Any] = np.where(rng.integers(0, 2, shape) == 1, whole, small).astype(host)
        array.flat[:2] = [info.min, info.max]
        return array if zero else np.where(array == 0, host.type(3), array)

    return generate


def any_values(dtype: DataType, **how: Any) -> Generator:
    """``specials`` of a float type, ``limits`` of an integer type."""
    return specials(dtype, **how) if is_float(dtype) else limits(dtype, **how)


def doubled(generate: Generator) -> Generator:
    """Rows of twice the length: the values, then the same in reverse."""
    return lambda rng: np.concatenate([values := generate(rng), values[:, ::-1]], 1)
