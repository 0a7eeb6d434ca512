"""Statements that the host does: compiled code hands over values and addresses, and takes an answer back."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.ir.dtypes import DataType, numpy_dtype
from openpto.ir.nodes import Op

from . import loopir as L
from .loopir import Index, Ptr
from .lower import Lowering, Unsupported
from .sites import Action, SiteEntry

Numbers = Sequence[int]


def told(
    low: Lowering, op: Op, action: Action, values: Sequence[Index], memory: Sequence[Ptr] = (), answer: str = ""
) -> None:
    """Have the host do ``action`` with the values and the addresses of ``memory``; slot ``answer`` takes its answer."""
    loops = tuple(loop for loop, _ in low.loops)
    if 1 + len(values) + len(loops) + len(memory) > L.RECORD:
        raise Unsupported("a message with so many numbers")
    number = low.sites.add(SiteEntry(op.name, low.site, loops, _no_fields, len(values), "host", id(op), action))
    indices = [index for _, index in low.loops]
    low.b.add(L.Note(number, (*values, *indices), False, tuple(memory), answer))


def _no_fields(*_: int) -> dict[str, Any]:
    return {}


def over(address: int, shape: Numbers, strides: Numbers, dtype: DataType) -> NDArray[Any]:
    """An array over memory of compiled code; ``strides`` count elements."""
    element = numpy_dtype(dtype)
    if 0 in shape:
        return np.empty(tuple(shape), element)
    size = element.itemsize * (1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)))
    memory = memoryview((ctypes.c_char * size).from_address(address))
    steps = [s * element.itemsize for s in strides]
    return np.ndarray(tuple(shape), element, buffer=memory, strides=steps)
