"""Files of test cases: a JSON list with a row per case, as operators keep them beside their tests.

``[{"id": "tail", "level": 0, "seed": 42, "shape": [65, 256], "dtype": "fp32", "atol": 1e-6, "rtol": 1e-5}]``;
docs/pytest.md describes every key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np

from openpto.diagnostics import fail, user_boundary
from openpto.ir.dtypes import DataType, numpy_dtype

from .tolerance import PROFILES, Ratios, Tolerance, default_tolerance

Shape = tuple[int, ...]
LONG_NAMES = {"float16": "fp16", "float32": "fp32", "float64": "double", "fp64": "double", "bfloat16": "bf16"}


@dataclass(frozen=True, slots=True)
class Case:
    """One row of a file of cases.

    id          what the test is called
    level       0: small; 1: the shapes an operator is made for; 2: long runs, which only run when asked for
    seed        of the input data
    shape       the shape, or the shapes by the name of the tensor
    dtype       the element type, or the types by the name of the tensor
    tolerance   of the comparison
    parameters  every other key of the row
    """

    id: str
    shape: Shape | Mapping[str, Shape]
    dtype: DataType | Mapping[str, DataType]
    tolerance: Tolerance | Ratios
    level: int = 0
    seed: int = 42
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        """A key of the row beyond the common ones; KeyError if the row does not have it."""
        return self.parameters[name]

    def shape_of(self, tensor: str) -> Shape:
        """The shape of a tensor."""
        return self.shape[tensor] if isinstance(self.shape, Mapping) else self.shape

    def dtype_of(self, tensor: str) -> DataType:
        """The element type of a tensor."""
        return self.dtype[tensor] if isinstance(self.dtype, Mapping) else self.dtype

    def numpy_dtype(self, tensor: str = "") -> np.dtype[Any]:
        """The element type of a tensor as numpy has it; without a name, of the case."""
        return numpy_dtype(self.dtype_of(tensor))

    def rng(self) -> np.random.Generator:
        """A generator of random numbers in the same state for every call."""
        return np.random.default_rng(self.seed)


@user_boundary()
def read_cases(file: str | Path) -> tuple[Case, ...]:
    """The cases of a JSON file.

    Raises:
        FileNotFoundError: PTO595, there is no such file. ValueError: PTO541, the file can not be understood.
    """
    path = Path(file)
    if not path.is_file():
        fail("PTO595", file=str(path))
    return parse_cases(path.read_text(encoding="utf-8"), path.name)


@user_boundary()
def parse_cases(text: str, source: str = "cases") -> tuple[Case, ...]:
    """The cases in a JSON text; ``source`` names it in messages. ValueError: PTO541.

    >>> parse_cases('[{"id": "tail", "shape": [65, 256], "dtype": "fp32"}]')[0].shape
    (65, 256)
    """
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as error:
        _refuse(source, f"it is not JSON: {error}")
    if isinstance(rows, dict):
        rows = rows.get("cases")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        _refuse(source, 'it is neither a list of objects nor an object with such a list under "cases"')
    cases = tuple(_Reader(source, number, row).case() for number, row in enumerate(rows))
    names = [case.id for case in cases]
    for name in names:
        if names.count(name) > 1:
            _refuse(source, f"two cases have the id {name!r}")
    return cases


def _refuse(source: str, problem: str) -> NoReturn:
    fail("PTO541", source=source, problem=problem)


@dataclass(frozen=True, slots=True)
class _Reader:
    """One row being read."""

    source: str
    number: int
    row: Mapping[str, Any]

    def case(self) -> Case:
        name = self.row.get("id")
        if not isinstance(name, str) or not name:
            self.refuse('"id" has to be a text')
        dtype = self.each("dtype", self.dtype)
        common = {"id", "level", "seed", "shape", "dtype", "atol", "rtol", "tolerance"}
        return Case(
            id=name,
            shape=self.each("shape", self.shape),
            dtype=dtype,
            tolerance=self.tolerance(dtype),
            level=self.level(),
            seed=self.count("seed", self.row.get("seed", 42)),
            parameters=MappingProxyType({key: value for key, value in self.row.items() if key not in common}),
        )

    def refuse(self, problem: str) -> NoReturn:
        name = self.row.get("id")
        _refuse(self.source, f"case {name if isinstance(name, str) and name else self.number}: {problem}")

    def each(self, key: str, read: Any) -> Any:
        """A value, or values by the name of a tensor."""
        value = self.row.get(key)
        if isinstance(value, dict):
            return MappingProxyType({name: read(item) for name, item in value.items()})
        return read(value)

    def shape(self, value: Any) -> Shape:
        if not isinstance(value, list):
            self.refuse(f'"shape" has to be a list of extents, or an object with one per tensor, and is {value!r}')
        return tuple(self.count("shape", extent) for extent in value)

    def dtype(self, value: Any) -> DataType:
        short = str(value).lower().removeprefix("torch.").removeprefix("pypto.").removeprefix("dt_")
        member = DataType.__members__.get(f"DT_{LONG_NAMES.get(short, short).upper()}")
        if not isinstance(value, str) or member is None:
            self.refuse(f'"dtype" has to be an element type such as "fp32" or "bf16", and is {value!r}')
        return member

    def level(self) -> int:
        value = self.row.get("level", 0)
        return self.count("level", int(value[1:]) if value in ("L0", "L1", "L2") else value)

    def count(self, key: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.refuse(f'"{key}" has to be a number from 0, and is {value!r}')
        return value

    def tolerance(self, dtype: DataType | Mapping[str, DataType]) -> Tolerance | Ratios:
        name, limits = self.row.get("tolerance"), {key: self.row.get(key) for key in ("rtol", "atol")}
        for key, value in limits.items():
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0):
                self.refuse(f'"{key}" has to be a number from 0, and is {value!r}')
        if name is not None and (name not in PROFILES or any(value is not None for value in limits.values())):
            self.refuse(f'"tolerance" is one of {", ".join(PROFILES)}, without "rtol" and "atol", and is {name!r}')
        if name is not None:
            return PROFILES[name]
        if all(value is None for value in limits.values()):
            types = dtype.values() if isinstance(dtype, Mapping) else [dtype]
            return max(map(default_tolerance, types), key=lambda limit: (limit.rtol, limit.atol))
        return Tolerance(rtol=limits["rtol"] or 0.0, atol=limits["atol"] or 0.0)
