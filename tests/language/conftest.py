"""Running one kernel body on small arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pypto
from openpto.ir.dtypes import from_numpy


@pytest.fixture
def run() -> Callable[..., np.ndarray]:
    """`run(body, *arrays, out=(shape, dtype))`: the output of a kernel `body(*inputs, out)`, without our warnings."""

    def call(body: Callable[..., Any], *arrays: np.ndarray, out: Any = None) -> np.ndarray:
        result = np.zeros((8, 16), np.float32) if out is None else np.array(out)
        declared = [pypto.Tensor(list(a.shape), from_numpy(a.dtype)) for a in (*arrays, result)]
        kernel = _KERNELS[len(arrays)](body, declared)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pypto.PyptoWarning)
            kernel(*arrays, result)
        return result

    return call


def _one(body: Any, declared: list[Any]) -> Any:
    def kernel(a, out):
        pypto.set_vec_tile_shapes(8, 16, 16, 16)
        pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16])
        body(a, out)

    kernel.__annotations__.update(a=declared[0], out=declared[1])
    return pypto.jit(kernel)


def _two(body: Any, declared: list[Any]) -> Any:
    def kernel(a, b, out):
        pypto.set_vec_tile_shapes(8, 16, 16, 16)
        pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16])
        body(a, b, out)

    kernel.__annotations__.update(a=declared[0], b=declared[1], out=declared[2])
    return pypto.jit(kernel)


def _three(body: Any, declared: list[Any]) -> Any:
    def kernel(a, b, c, out):
        pypto.set_vec_tile_shapes(8, 16, 16, 16)
        body(a, b, c, out)

    kernel.__annotations__.update(a=declared[0], b=declared[1], c=declared[2], out=declared[3])
    return pypto.jit(kernel)


_KERNELS = {1: _one, 2: _two, 3: _three}


@pytest.fixture
def x() -> np.ndarray:
    """FP32 [8, 16], whole numbers."""
    return np.random.default_rng(7).integers(-9, 10, (8, 16)).astype(np.float32)


@pytest.fixture
def i() -> np.ndarray:
    """INT32 [8, 16]."""
    return np.random.default_rng(8).integers(-9, 10, (8, 16)).astype(np.int32)
