"""Tiles at run time: memory shared by reference count, valid extents and the defined region."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto._records import dataclass
from openpto.ir.dtypes import DataType, numpy_dtype

from . import regions
from .regions import FULL, Extents, Region

Array = NDArray[Any]


class Storage:
    """One piece of memory. ``refs`` counts the live tiles that look at it; ``parameter`` is the number of the kernel
    parameter that owns the memory, or -1."""

    __slots__ = ("parameter", "refs")

    def __init__(self, parameter: int = -1) -> None:
        self.refs = 0
        self.parameter = parameter


@dataclass(slots=True, eq=False)
class Tile:
    """The state of a tensor object.

    data      array of the capacity; a window may be a strided view of the memory
    valid     meaningful extent per axis, from the origin
    defined   which valid elements have been given a value (see regions.py)
    written   False only for a declared tensor that no write has reached
    clean     whether everything outside ``valid`` is zero; never assumed for the caller's memory
    """

    data: Array
    valid: Extents
    defined: Region
    storage: Storage
    written: bool = True
    clean: bool = True

    @property
    def full(self) -> bool:
        """Whether the valid region is the whole capacity."""
        return self.valid == self.data.shape

    @property
    def body(self) -> Array:
        """The valid region (a view)."""
        return self.data if self.valid == self.data.shape else self.data[tuple([slice(n) for n in self.valid])]


def tile(data: Array, valid: Extents | None = None, defined: Region = FULL) -> Tile:
    """A tile in memory of its own."""
    return Tile(data, data.shape if valid is None else valid, defined, Storage())


def blank(shape: Extents, dtype: DataType, valid: Extents) -> Array:
    """Memory for a result that is about to be written inside ``valid``; zeros outside of it."""
    host = numpy_dtype(dtype)
    return np.empty(shape, host) if valid == shape else np.zeros(shape, host)


def framed(body: Array, shape: Extents) -> Array:
    """``body`` (the valid region) in an array of the capacity, zeros elsewhere; ``body`` itself if it fills it."""
    if body.shape == shape:
        return body
    data = np.zeros(shape, body.dtype)
    data[tuple([slice(n) for n in body.shape])] = body
    return data


def borrow(
    source: Tile, data: Array, valid: Extents, defined: Region, *, written: bool = True, clean: bool = True
) -> Tile:
    """A tile that looks at the memory of another one; a later write to either makes a copy first."""
    return Tile(data, valid, defined, source.storage, written, clean)


def duplicate(source: Tile) -> Tile:
    """The same state in memory of its own."""
    defined = source.defined.copy() if isinstance(source.defined, np.ndarray) else source.defined
    return Tile(source.data.copy(), source.valid, defined, Storage(), source.written, source.clean)


def zero_padded(source: Tile) -> Array:
    """The capacity with zeros outside the valid region; a copy only where that is needed."""
    if source.clean or source.full:
        return source.data
    return framed(source.body, source.data.shape)


def whole(source: Tile) -> bool:
    """Whether every valid element is defined."""
    return source.defined is None or regions.covers(source.defined, (0,) * len(source.valid), source.valid)
