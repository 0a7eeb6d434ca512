"""Memory of arguments: what is taken by pointer and what is refused."""

import ml_dtypes
import numpy as np
import pytest

from openpto.diagnostics import PyptoError
from openpto.ir.dtypes import DataType
from openpto.kernel.host import host_tensor


def code(value):
    with pytest.raises(PyptoError) as caught:
        host_tensor("x", 0, value)
    return caught.value.code


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        (np.float16, "FP16"), (np.float32, "FP32"), (np.float64, "DOUBLE"), (np.bool_, "BOOL"),
        (np.int8, "INT8"), (np.int16, "INT16"), (np.int32, "INT32"), (np.int64, "INT64"),
        (np.uint8, "UINT8"), (np.uint16, "UINT16"), (np.uint32, "UINT32"), (np.uint64, "UINT64"),
        (ml_dtypes.bfloat16, "BF16"), (ml_dtypes.float8_e4m3fn, "FP8E4M3"), (ml_dtypes.float8_e5m2, "FP8E5M2"),
        (ml_dtypes.float8_e8m0fnu, "FP8E8M0"),
    ],
)  # fmt: skip
def test_element_types(dtype, expected):
    array = np.zeros((2, 3), dtype)
    tensor = host_tensor("x", 0, array)
    assert tensor.dtype is DataType[f"DT_{expected}"]
    assert tensor.pointer == array.ctypes.data
    assert tensor.nbytes == array.nbytes


def test_writes_reach_the_caller():
    array = np.zeros((2, 3), np.float32)
    host_tensor("x", 0, array).array[1, 2] = 5.0
    assert array[1, 2] == 5.0


def test_zero_dimensions_and_empty_tensors():
    scalar = np.array(3.0, np.float32)
    tensor = host_tensor("x", 0, scalar)
    tensor.array[0] = 4.0
    assert (tensor.shape, scalar[()]) == ((1,), 4.0)
    assert host_tensor("x", 0, np.zeros((0, 4), np.float32)).shape == (0, 4)
    assert host_tensor("x", 0, np.zeros((4, 0, 3), np.float32)[::2]).nbytes == 0


def test_axes_of_one_element_have_no_stride():
    array = np.zeros((4, 8), np.float32)[:1]
    assert host_tensor("x", 0, array.T[:, :1]).shape == (8, 1)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([[1.0]], "PTO516"),
        (1.0, "PTO516"),
        (None, "PTO516"),
        (np.float32(1.0), "PTO516"),
        (np.zeros((4, 4), np.float32).T, "PTO517"),
        (np.zeros((4, 4), np.float32)[:, ::2], "PTO517"),
        (np.zeros((4, 4), np.float32)[::-1], "PTO517"),
        (np.broadcast_to(np.float32(1), (4, 4)), "PTO528"),
        (np.zeros((2, 2), np.float32).view(np.matrix), "PTO519"),
        (np.ma.masked_array(np.zeros(2, np.float32)), "PTO519"),
        (np.zeros(2, np.complex64), "PTO520"),
        (np.zeros(2, "U3"), "PTO520"),
        (np.zeros(2, object), "PTO520"),
        (np.zeros(2, np.dtype(np.float32).newbyteorder()), "PTO529"),
        (np.zeros(9, np.uint8)[1:].view(np.float32), "PTO529"),
    ],
)
def test_refused(value, expected):
    assert code(value) == expected


def test_read_only_memory_is_locked():
    array = np.zeros(2, np.float32)
    array.setflags(write=False)
    assert host_tensor("x", 0, array).locked
    assert not host_tensor("x", 0, np.zeros(2, np.float32)).locked
