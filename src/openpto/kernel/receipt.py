"""What a call leaves behind: which kernel ran how, and which memory it wrote."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from openpto._runs import observers
from openpto.diagnostics import PyptoWarning, user_boundary
from openpto.ir.dtypes import DataType
from openpto.ir.enums import RunMode
from openpto.kernel.host import HostTensor


@dataclass(frozen=True, slots=True, eq=False)
class OutputMemory:
    """Memory that a kernel wrote: parameter name, address, size, and a way to tell whether it still exists."""

    name: str
    pointer: int
    nbytes: int
    shape: tuple[int, ...]
    dtype: DataType
    owner: Callable[[], object | None] = field(repr=False)

    def holds(self, pointer: int, nbytes: int) -> bool:
        """Whether ``nbytes`` at ``pointer`` lie inside this memory and it was not freed since the run."""
        inside = self.pointer <= pointer and pointer + nbytes <= self.pointer + self.nbytes
        return inside and self.owner() is not None


@dataclass(frozen=True, slots=True, eq=False)
class Receipt:
    """One run of a kernel.

    kernel_hash       the same for calls that ran the same program
    compiled          whether this call made the specialisation (False: an earlier call of this process did)
    origin            how it was made: "trace", or "disk" for machine code that an earlier process kept
    not_kept          why its machine code is not kept on disk, empty if it is or was never asked for
    ops_executed      operations that ran, loop iterations counted
    elements_written  per written parameter, elements stored by the kernel
    run_mode_source   what decided the run mode: "PYPTO_RUN_MODE", "decorator" or "default"
    """

    kernel: str
    kernel_hash: str
    engine: str
    numerics: str
    target: str | None
    platform: str | None
    run_mode: RunMode
    run_mode_source: str
    compiled: bool
    compile_seconds: float
    run_seconds: float
    ops_executed: int
    elements_written: Mapping[str, int]
    outputs: tuple[OutputMemory, ...]
    warnings: tuple[PyptoWarning, ...]
    options: Mapping[str, Any]
    origin: str = "trace"
    not_kept: str = ""


def output_memory(name: str, tensor: HostTensor) -> OutputMemory:
    """Note the memory of a written argument without keeping it alive."""
    return OutputMemory(name, tensor.pointer, tensor.nbytes, tensor.shape, tensor.dtype, owner_of(tensor.owner))


def owner_of(value: Any) -> Callable[[], object | None]:
    """A weak reference to the object that lives as long as the memory does, as far as that can be told."""
    root = value
    if isinstance(value, np.ndarray):
        while getattr(root, "base", None) is not None:
            root = root.base
    elif value._base is not None:
        root = value._base
    try:
        return weakref.ref(root)
    except TypeError:  # memory of an object that has no weak references (bytes): as long as the argument itself
        return weakref.ref(value)


_local = threading.local()


class Made(Protocol):
    """Something that a receipt is made of when it is asked for."""

    def receipt(self) -> Receipt:
        """The receipt, always the same object."""


def remember(run: Receipt | Made) -> None:
    """Make a receipt the last one of this thread, and tell who wants to know."""
    _local.run = run
    for observe in observers:
        observe(run)


def receipt_of(run: Receipt | Made | None) -> Receipt | None:
    """The receipt of what was remembered."""
    return run if run is None or isinstance(run, Receipt) else run.receipt()


@user_boundary()
def last_run() -> Receipt | None:
    """The receipt of the last kernel call of this thread that completed, None if there was none."""
    return receipt_of(getattr(_local, "run", None))
