"""A program for each operation: its first sample that reads well, as a file that runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.ir.dtypes import DataType, from_numpy, is_float, numpy_dtype
from openpto.ops.registry import OpDecl, Sample

TO_SHOW = 40
"""Integers that are written out; more are drawn."""


@dataclass(frozen=True, slots=True)
class Example:
    """A program that leaves the result of a sample in ``out``, or in every one of ``outs`` with several ranks."""

    program: str
    sample: Sample


def example(decl: OpDecl) -> Example:
    """The example of an operation."""
    sample = next((s for s in decl.samples if _reads_well(s)), decl.samples[0])
    rng = np.random.default_rng(0)
    arrays = {name: make(rng) for name, make in sample.arrays.items()}
    out = _result(sample, arrays)
    declared = {**arrays, "out": out}
    lines = ["import numpy as np", *_imports(sample, declared), "", "", "@pypto.frontend.jit", *_head(declared)]
    lines.append(f"    pypto.set_vec_tile_shapes({', '.join(map(str, sample.tile))})")
    if sample.cube and "set_cube_tile_shapes" not in sample.call:
        lines.append("    pypto.set_cube_tile_shapes([32, 32], [32, 32], [32, 32])")
    lines += [f"    {line.strip()}" for line in _statements(sample)]
    made = [f"{name} = {_made(array)}" for name, array in arrays.items()]
    lines += ["", "", *(["rng = np.random.default_rng(0)"] if any("rng." in line for line in made) else []), *made]
    lines += _call(sample, list(arrays), f"np.zeros({out.shape}, {_host(out)})")
    return Example("\n".join(lines) + "\n", sample)


def _reads_well(sample: Sample) -> bool:
    """FP32 throughout, or integers of 32 bits."""
    rng = np.random.default_rng(0)
    types = {make(rng).dtype for make in sample.arrays.values()}
    return types <= {np.dtype(np.float32), np.dtype(np.int32)} and "\n" not in sample.call and " or " not in sample.call


def _result(sample: Sample, arrays: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """An array like the result."""
    wide = [a.astype(np.float64) if is_float(from_numpy(a.dtype)) else a for a in arrays.values()]
    with np.errstate(all="ignore"):
        exact = sample.golden(*(arrays.values() if "view(x, dtype" in sample.call else wide))
    if sample.result is not None:
        return np.zeros(exact.shape, numpy_dtype(sample.result))
    return np.zeros(exact.shape, np.float32 if exact.dtype == np.float64 else exact.dtype)


def _imports(sample: Sample, declared: dict[str, NDArray[Any]]) -> list[str]:
    small = any(_host(array).startswith("ml_dtypes") for array in declared.values())
    first = ["import ml_dtypes"] if small else []
    return [*first, "import pypto", *(["from openpto import distributed"] if sample.ranks else [])]


def _head(declared: dict[str, NDArray[Any]]) -> list[str]:
    params = [
        f"{name}: pypto.Tensor({list(a.shape)}, pypto.{from_numpy(a.dtype).name})" for name, a in declared.items()
    ]
    one = f"def kernel({', '.join(params)}):"
    return [one] if len(one) <= 100 else ["def kernel(", *(f"    {param}," for param in params), "):"]


def _statements(sample: Sample) -> list[str]:
    """The lines of the kernel; a setter that stands before `or` gets a line of its own."""
    *setters, last = sample.call.split(" or ")
    if setters and "\n" not in sample.call:
        return [*setters, f"out[:] = {last}"]
    return sample.statement.split("\n")


def _host(array: NDArray[Any]) -> str:
    """The type of an array in Python."""
    if from_numpy(array.dtype) is DataType.DT_BOOL:
        return "np.bool_"
    return (
        f"np.{array.dtype}" if array.dtype.kind in "iuf" and array.dtype.isbuiltin == 1 else f"ml_dtypes.{array.dtype}"
    )


def _made(array: NDArray[Any]) -> str:
    """An expression for an array of this kind: few integers as they are, else random numbers of that range."""
    shape, host = array.shape, _host(array)
    if array.dtype == np.bool_:
        return f"rng.integers(0, 2, {shape}).astype(np.bool_)"
    if not array.any():
        return f"np.zeros({shape}, {host})"
    if array.dtype.kind in "iu":
        if array.size <= TO_SHOW:
            return f"np.array({array.tolist()}, {host})"
        return f"rng.integers({array.min()}, {int(array.max()) + 1}, {shape}, {host})"
    values = array.astype(np.float64)
    if np.nanmin(values) > 0:
        return f"rng.uniform(0.05, 20.0, {shape}).astype({host})"
    if np.array_equal(values, np.rint(values)):
        return f"rng.integers(-9, 10, {shape}).astype({host})"
    return f"rng.standard_normal({shape}).astype({host})"


def _call(sample: Sample, names: list[str], out: str) -> list[str]:
    if sample.ranks:
        return [
            f"outs = [{out} for _ in range({sample.ranks})]",
            f"distributed.launch(lambda rank: kernel({', '.join([*names, 'outs[rank]'])}), ranks={sample.ranks})",
            "print(outs[0])",
        ]
    return [f"out = {out}", f"kernel({', '.join([*names, 'out'])})", "print(out)"]
