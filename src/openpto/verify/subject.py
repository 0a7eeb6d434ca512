"""What is verified: the files of an operator, its trials, and what computes their goldens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from openpto.ir.dtypes import from_numpy
from openpto.testing import Tolerance, default_tolerance
from openpto.testing.tolerance import EXACT

Array = NDArray[Any]
Arrays = Mapping[str, Array]
"""Arrays by names: of inputs, or of outputs."""


def usual_tolerance(array: Array) -> Tolerance:
    """The tolerance of an output where nobody names one."""
    dtype = from_numpy(array.dtype)
    return default_tolerance(dtype) if dtype is not None else EXACT


@dataclass(frozen=True, slots=True)
class Golden:
    """One way to compute what a kernel should give.

    name     as reports show it
    compute  inputs -> outputs by name; it must neither call a kernel nor change its inputs
    wide     whether it computes in float64 whatever the inputs are
    """

    name: str
    compute: Callable[[Arrays], Arrays]
    wide: bool = True


@dataclass(frozen=True, slots=True)
class Trial:
    """One input of an operator.

    name       of the case
    about      dtype and sizes, for reports
    inputs     gives the inputs by name, the same at every call
    run        inputs -> outputs by name: allocates outputs and calls the kernel
    goldens    the golden that outputs are compared with, then further ones that have to agree with it
    tolerance  of an output, by its name
    missing    why there is no golden, where there is none
    kept       outputs that the run has nothing to write to -> the input that holds what is in them before and after
    """

    name: str
    about: str
    inputs: Callable[[], Arrays]
    run: Callable[[Arrays], Arrays]
    goldens: tuple[Golden, ...]
    tolerance: Callable[[str, Array], Tolerance]
    missing: str = ""
    kept: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Subject:
    """An operator, a folder or a file.

    name          as the command was given it
    files         all files of it, which are linted
    kernel_files  those that define kernels
    golden_files  those that compute goldens
    trials        its cases
    """

    name: str
    files: tuple[Path, ...]
    kernel_files: tuple[Path, ...]
    golden_files: tuple[Path, ...]
    trials: tuple[Trial, ...]
