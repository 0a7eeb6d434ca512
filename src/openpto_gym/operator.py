"""What an operator of this package is: a kernel with its cases, two goldens and a tolerance per case.

The goldens are independent of the kernel and of each other: one uses torch's own functions, the other is the formula in
numpy. Both compute in float64 from the inputs as the kernel gets them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from openpto.ir.dtypes import DataType, numpy_dtype
from openpto.testing import T1, Tolerance, require_kept, require_output

Array = NDArray[Any]
Arrays = Mapping[str, Array]
"""Arrays by the names of the kernel's parameters."""
GoldenName = Literal["torch", "numpy"]

FP32, FP16, BF16 = DataType.DT_FP32, DataType.DT_FP16, DataType.DT_BF16
USUAL = {FP32: Tolerance(rtol=1e-5, atol=2e-6), FP16: T1, BF16: T1}
"""Tolerances of an operator that computes in FP32 and rounds once, on values around one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One input of an operator. Every operator adds the sizes and kinds of data that it knows.

    ``slow`` cases take more than a second or two; ``seed`` is the one of the input data. ``kept`` names the outputs
    that the run has nothing to write to: they stay as they were.
    """

    name: str
    tolerance: Tolerance
    dtype: DataType = DataType.DT_FP32
    slow: bool = False
    seed: int = 42
    kept: tuple[str, ...] = ()

    @property
    def sizes(self) -> str:
        """The sizes, as a table shows them: the fields of an operator's own that are whole numbers or tuples."""
        common = {one.name for one in fields(Case)}
        own = ((one.name, getattr(self, one.name)) for one in fields(self) if one.name not in common)
        return " ".join(f"{name}={_size(value)}" for name, value in own if type(value) in (int, tuple))

    def tolerance_of(self, output: str) -> Tolerance:
        """The tolerance of one output, where an operator has outputs of several kinds."""
        return self.tolerance

    @property
    def element(self) -> np.dtype[Any]:
        """The host type of the tensors."""
        return numpy_dtype(self.dtype)

    def generator(self) -> np.random.Generator:
        """A generator in the same state for every call."""
        return np.random.default_rng(self.seed)


CaseType = TypeVar("CaseType", bound=Case)


def cases_of(
    kind: type[CaseType], tolerances: Mapping[DataType, Tolerance], /, **layouts: Mapping[str, Any]
) -> tuple[CaseType, ...]:
    """A case per dtype and layout; a layout holds the fields of the case, its key is the name.

    Names end in the dtype unless that is FP32. The key ``dtypes`` of a layout says which dtypes it is for, all unless
    it is given.
    """
    cases = []
    for dtype, tolerance in tolerances.items():
        ending = "" if dtype is FP32 else f"_{dtype.short.lower()}"
        for name, layout in layouts.items():
            own = {"tolerance": tolerance, **layout}
            if dtype in own.pop("dtypes", tolerances):
                cases.append(kind(name=name + ending, dtype=dtype, **own))
    return tuple(cases)


def _size(value: Any) -> str:
    return "+".join(map(str, value)) if isinstance(value, tuple) else str(value)


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator.

    name       of its folder
    summary    one line
    cases      small, typical and hard inputs
    inputs     case -> arrays by name, the same for every call
    run        case, inputs -> outputs by name: allocates them, fills them with NaN and calls the kernel once
    torch      case, inputs -> outputs in float64, by torch
    numpy      case, inputs -> outputs in float64, by the formula in numpy
    starts     output -> the input that it is a copy of before the run, for outputs that a kernel changes
    """

    name: str
    summary: str
    cases: tuple[Any, ...]
    inputs: Callable[[Any], Arrays]
    run: Callable[[Any, Arrays], Arrays]
    torch: Callable[[Any, Arrays], Arrays]
    numpy: Callable[[Any, Arrays], Arrays]
    starts: Mapping[str, str] = field(default_factory=dict)

    def golden(self, name: GoldenName) -> Callable[[Any, Arrays], Arrays]:
        """The golden by its name."""
        return self.torch if name == "torch" else self.numpy

    def case(self, name: str) -> Any:
        """The case of that name; LookupError if there is none."""
        for case in self.cases:
            if case.name == name:
                return case
        raise LookupError(f"{self.name} has no case {name!r}")

    def require_run(self, case: Case, output: str, actual: Array, inputs: Arrays, golden: Array) -> None:
        """Check that the last kernel call of this thread wrote an output, or left it as it was where the case says so.

        Raises:
            AssertionError: PTO537, the call was not given this memory, or wrote no element of it; PTO543, the case says
                that it stays, and it did not.
        """
        if output in case.kept:
            require_kept(actual, inputs[self.starts[output]])
        else:
            require_output(actual, golden)


def unwritten(like: Array) -> Array:
    """An output that shows where nothing was written: NaN everywhere, in the shape and type of ``like``."""
    return np.full(like.shape, np.nan, like.dtype)


def to_torch(arrays: Arrays) -> dict[str, Any]:
    """The arrays as float64 tensors, integers as they are. torch is loaded here, not before."""
    import torch

    return {
        name: torch.from_numpy(np.array(array) if array.dtype.kind in "iu" else array.astype(np.float64))
        for name, array in arrays.items()
    }


def to_float64(arrays: Arrays) -> dict[str, Array]:
    """The arrays in float64, integers as they are."""
    return {name: array if array.dtype.kind in "iu" else array.astype(np.float64) for name, array in arrays.items()}
