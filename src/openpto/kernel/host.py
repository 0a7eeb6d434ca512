"""Tensors of the caller as numpy arrays over the same memory: numpy arrays and torch CPU tensors."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto._records import dataclass
from openpto.diagnostics import fail
from openpto.ir.dtypes import DataType, from_numpy, numpy_dtype

TORCH_DTYPES = {
    "float16": DataType.DT_FP16, "bfloat16": DataType.DT_BF16, "float32": DataType.DT_FP32,
    "float64": DataType.DT_DOUBLE, "bool": DataType.DT_BOOL,
    "int8": DataType.DT_INT8, "int16": DataType.DT_INT16, "int32": DataType.DT_INT32, "int64": DataType.DT_INT64,
    "uint8": DataType.DT_UINT8, "uint16": DataType.DT_UINT16, "uint32": DataType.DT_UINT32,
    "uint64": DataType.DT_UINT64,
    "float8_e4m3fn": DataType.DT_FP8E4M3, "float8_e5m2": DataType.DT_FP8E5M2, "float8_e8m0fnu": DataType.DT_FP8E8M0,
    "float4_e2m1fn_x2": DataType.DT_FP4_E2M1X2,
}  # fmt: skip

REQUIRES_GRAD = "it requires grad"


@dataclass(frozen=True, slots=True, eq=False)
class HostTensor:
    """A tensor argument. ``array`` lies over the caller's memory (a 0-d argument has shape [1]); ``owner`` is the
    caller's object; ``locked`` tells why it may not be written, "" if it may."""

    array: NDArray[Any]
    owner: Any
    dtype: DataType
    locked: str = ""

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents per axis."""
        return self.array.shape

    @property
    def pointer(self) -> int:
        """Address of the first element."""
        return int(self.array.ctypes.data)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return int(self.array.nbytes)

    def note_write(self) -> None:
        """Tell the owner's library that the memory was changed in place (torch: the version counter)."""
        if counts_versions(self.owner):
            sys.modules["torch"].autograd.graph.increment_version(self.owner)


def is_torch_tensor(value: object) -> bool:
    """Whether ``value`` is a tensor of torch; torch is never imported for the question."""
    torch = _torch()
    return torch is not None and isinstance(value, torch.Tensor)


def counts_versions(value: Any) -> bool:
    """Whether ``value`` is a tensor of torch that counts how often it was written in place."""
    return is_torch_tensor(value) and not value.is_inference()


def host_tensor(name: str, index: int, value: Any) -> HostTensor:
    """The argument of tensor parameter ``name`` (number ``index``) as a numpy array over the same memory.

    Raises:
        RuntimeError: PTO516, not a tensor; PTO517, not contiguous; PTO518, not on the CPU; PTO519, a kind of tensor
            without plain memory; PTO528, one element several times (stride 0); PTO529, byte order or alignment.
        ValueError: PTO520, an element type that the API does not have.
    """
    if is_torch_tensor(value):
        return _from_torch(name, value)
    if isinstance(value, np.ndarray):
        return _from_numpy(name, value)
    fail("PTO516", name=name, index=index, got=_kind(value))


def _from_numpy(name: str, value: NDArray[Any]) -> HostTensor:
    if type(value) not in (np.ndarray, np.memmap):
        fail("PTO519", name=name, kind=f"numpy {type(value).__name__}")
    if not value.dtype.isnative:
        fail("PTO529", name=name, problem=value.dtype.str)
    dtype = from_numpy(value.dtype)
    if dtype is None:
        fail("PTO520", name=name, dtype=str(value.dtype))
    _check_strides(name, value.shape, tuple(s / value.itemsize for s in value.strides))
    if not value.flags.aligned:
        fail("PTO529", name=name, problem=hex(value.ctypes.data))
    array = value.view(np.ndarray)
    locked = "" if value.flags.writeable else "the array is read-only"
    return HostTensor(array.reshape(1) if array.ndim == 0 else array, value, dtype, locked)


def _from_torch(name: str, value: Any) -> HostTensor:
    torch = _torch()
    assert torch is not None
    _check_plain(name, value, torch)
    dtype = torch_element_type(name, value.dtype)
    shape, strides = tuple(value.shape), tuple(value.stride())
    _check_strides(name, shape, strides)
    locked = REQUIRES_GRAD if value.requires_grad else ""
    return HostTensor(_over(value.data_ptr(), shape or (1,), dtype), value, dtype, locked)


def torch_element_type(name: str, dtype: Any) -> DataType:
    """The element type of argument ``name``, which has this dtype of torch. ValueError: PTO520, we have none such."""
    found = TORCH_DTYPES.get(str(dtype).removeprefix("torch."))
    if found is None:
        fail("PTO520", name=name, dtype=str(dtype))
    return found


def _check_plain(name: str, value: Any, torch: Any) -> None:
    """Only tensors whose elements lie in plain CPU memory as they are."""
    if value.device.type != "cpu":
        if value.device.type == "meta":
            fail("PTO519", name=name, kind="device meta")
        fail("PTO518", name=name, device=str(value.device))
    kind = type(value)
    if kind not in (torch.Tensor, torch.nn.Parameter):
        text = "Input must not be a DTensor" if kind.__name__ == "DTensor" else kind.__name__
        fail("PTO519", name=name, kind=text)
    problems = {
        f"layout {value.layout}": value.layout is not torch.strided,
        "is_quantized": value.is_quantized,
        "is_nested": value.is_nested,
        "is_conj()": value.is_conj(),
        "is_neg()": value.is_neg(),
        "torch.func wrapper": torch._C._functorch.is_functorch_wrapped_tensor(value),
    }
    for text, present in problems.items():
        if present:
            fail("PTO519", name=name, kind=text)


def _check_strides(name: str, shape: tuple[int, ...], strides: tuple[float, ...]) -> None:
    """Row-major order without gaps; strides of axes with one element do not matter."""
    if 0 in shape:
        return
    expected = 1
    for extent, stride in reversed(list(zip(shape, strides, strict=True))):
        if extent == 1:
            continue
        if stride == 0:
            fail("PTO528", name=name, shape=list(shape))
        if stride != expected:
            fail("PTO517", name=name, strides=[int(s) if s == int(s) else s for s in strides], shape=list(shape))
        expected *= extent


def _over(address: int, shape: tuple[int, ...], dtype: DataType) -> NDArray[Any]:
    """A numpy array over foreign memory; the caller keeps the memory alive."""
    element = numpy_dtype(dtype)
    nbytes = element.itemsize * int(np.prod(shape, dtype=np.int64))
    if nbytes == 0:
        return np.empty(shape, element)
    return np.ndarray(shape, element, buffer=memoryview((ctypes.c_char * nbytes).from_address(address)))


def _kind(value: object) -> str:
    return type(value).__name__


def _torch() -> Any:
    """The torch module if the caller has imported it."""
    return sys.modules.get("torch")
