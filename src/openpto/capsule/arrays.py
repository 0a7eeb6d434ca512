"""Arrays as plain data for other processes: types that numpy has not are raw bits, and a name says what they are."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.ir.dtypes import DataType, from_numpy, numpy_dtype

Array = NDArray[Any]


def dtype_name(array: Array) -> str:
    """The element type, as BF16 or INT32."""
    dtype = from_numpy(array.dtype)
    assert dtype is not None
    return dtype.short


def bits_of(array: Array) -> Array:
    """The bits of every element as an unsigned integer."""
    return np.ascontiguousarray(array).reshape(array.shape).view(f"u{array.dtype.itemsize}")


def raw(array: Array) -> Array:
    """The array in a type of numpy's own: as it is, or its bits as unsigned integers."""
    if array.dtype.kind in "iufb" and array.dtype.isbuiltin:
        return np.ascontiguousarray(array).reshape(array.shape)
    return bits_of(array)


def element(name: str) -> np.dtype[Any]:
    """The host type of a name (KeyError if there is none)."""
    return numpy_dtype(DataType[f"DT_{name}"])


def from_raw(bits: Array, name: str) -> Array:
    """What `raw` was made of. Raises ValueError if the bits are not those of such an element."""
    wanted = element(name)
    if bits.dtype == wanted:
        return bits
    if bits.dtype.kind != "u" or bits.dtype.itemsize != wanted.itemsize:
        raise ValueError(f"{bits.dtype} does not hold {name}")
    return bits.view(wanted)


def packed(array: Array) -> dict[str, Any]:
    """An array as JSON: how it is made, where that is short, else its compressed bytes."""
    head: dict[str, Any] = {"dtype": dtype_name(array), "shape": list(array.shape)}
    bits = bits_of(array).reshape(-1)
    if bits.size and uniform(array):
        return {**head, "fill": int(bits[0])}
    return {**head, "zlib": base64.b64encode(zlib.compress(bits.tobytes(), 9)).decode()}


def uniform(array: Array) -> bool:
    """Whether all elements have the same bits."""
    bits = bits_of(array).reshape(-1)
    return bool((bits == bits[:1]).all())


def unpacked(described: Mapping[str, Any]) -> Array:
    """The array of such a description. Raises ValueError or KeyError for one that is not whole."""
    shape = tuple(int(extent) for extent in described["shape"])
    wanted = element(described["dtype"])
    count = int(np.prod(shape, dtype=np.int64))
    if "fill" in described:
        data = int(described["fill"]).to_bytes(wanted.itemsize, "little") * count
    else:
        data = zlib.decompress(base64.b64decode(described["zlib"]))
    if len(data) != count * wanted.itemsize:
        raise ValueError(f"{len(data)} bytes for {count} elements of {described['dtype']}")
    return np.frombuffer(bytearray(data), f"u{wanted.itemsize}").view(wanted).reshape(shape)
